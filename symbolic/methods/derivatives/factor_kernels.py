"""The kernels that solve with the mass matrix of a tree: L D Lᵀ without fill."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder


@cache
def factors(pattern: tuple[tuple[int, ...], ...]) -> Kernel:
    """M = L D Lᵀ; `pattern` has for each row the earlier ones that it is coupled with.

    From the tips to the root a row is coupled with those beyond it alone, and so is L.
    """
    source = "L D Lᵀ of the mass matrix, tips first: no fill"
    kernel = KernelBuilder("factors", "mass matrix as L D Lᵀ")
    scaled: dict[tuple[int, int], sp.Expr] = {}
    unit: dict[tuple[int, int], sp.Expr] = {}
    inverse: list[sp.Expr] = []
    names = []
    for i, row in enumerate(pattern):
        for j in row:
            both = [k for k in row if k in pattern[j]]
            M = kernel.take(f"M_{i + 1}_{j + 1}")[0]
            value = M - sp.Add(*(scaled[i, k] * unit[j, k] for k in both))
            scaled[i, j] = kernel.let(
                f"s_{i + 1}_{j + 1}", sp.Matrix([value]), source, says="M = L D Lᵀ"
            )[0]
            value = scaled[i, j] * inverse[j]
            names.append(f"l_{i + 1}_{j + 1}")
            unit[i, j] = kernel.let(names[-1], sp.Matrix([value]), source, says="M = L D Lᵀ")[0]
        M = kernel.take(f"M_{i + 1}_{i + 1}")[0]
        pivot = M - sp.Add(*(scaled[i, k] * unit[i, k] for k in row))
        names.append(f"inv_{i + 1}")
        inverse.append(kernel.let(names[-1], sp.Matrix([1 / pivot]), source, says="M = L D Lᵀ")[0])
    return kernel.build(*names)


@cache
def substitution(pattern: tuple[tuple[int, ...], ...], biased: bool) -> Kernel:
    """x = M⁻¹ b from the factors; `biased`: b is τ less what no acceleration needs."""
    source = "M⁻¹ b = L⁻ᵀ D⁻¹ L⁻¹ b"
    kernel = KernelBuilder(f"substitution{'_biased' if biased else ''}", "M⁻¹ of a column")
    n = len(pattern)
    unit = {
        (i, j): kernel.take(f"l_{i + 1}_{j + 1}")[0] for i, row in enumerate(pattern) for j in row
    }
    inverse = [kernel.take(f"inv_{i + 1}")[0] for i in range(n)]
    x: list[sp.Expr] = []
    for i, row in enumerate(pattern):
        given = kernel.take(f"b_{i + 1}")[0]
        if biased:
            given -= kernel.take(f"bias_{i + 1}")[0]
        value = given - sp.Add(*(unit[i, k] * x[k] for k in row))
        x.append(kernel.let(f"y_{i + 1}", sp.Matrix([value]), source)[0])
    for i in reversed(range(n)):
        beyond = [k for k in range(n) if i in pattern[k]]
        value = x[i] * inverse[i] - sp.Add(*(unit[k, i] * x[k] for k in beyond))
        x[i] = kernel.let(f"x_{i + 1}", sp.Matrix([value]), source)[0]
    return kernel.build(*(f"x_{i + 1}" for i in range(n)))
