"""The kernels of derivatives in closed loops: conditions at given accelerations, and the system."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder, Policy
from ...language.words import counted
from ...mechanics.space import Space

RATE = "own: second rate of the conditions, Eᵀ a of both bodies and what needs no acceleration"
CLOSED = "own: J M⁻¹ Jᵀ μ = J a + ψ"


@cache
def second_rate(dimension: int, conditions: int, sides: str) -> Kernel:
    """The second rates of a cut's conditions, at accelerations of the bodies on its `sides`."""
    n = Space(dimension).motion
    kernel = KernelBuilder(
        f"second_rate_{conditions}_{sides}", f"second rates of {counted(conditions, 'condition')}"
    )
    rates = kernel.take("bias", conditions)
    for side in sides:
        rates += kernel.take(f"E{side}", n, conditions).T * kernel.take(f"acc{side}", n)
    return kernel.build(*kernel.each("psi", rates, RATE, says="ψ = E_Aᵀ a_A + E_Bᵀ a_B + bias"))


@cache
def felt(cut: Kernel, dimension: int, conditions: int, sides: str) -> Kernel:
    """A cut hinge at given accelerations and multipliers, as one kernel after `cut`'s statements.

    Gives the second rates of its conditions, and the wrenches −E μ on the bodies on its `sides`.
    """
    n, m = Space(dimension).motion, conditions
    kernel = KernelBuilder(f"{cut.name}_felt_{sides}", f"{cut.title}, at given accelerations")
    mu = kernel.numbers("mu", m)
    given = {port.name: port.symbols() for port in cut.outputs}
    rates, pushes = given[f"bias{m}"], list[str]()
    for side in sides:
        E = given[f"E{side}{m}"]
        rates += E.T * kernel.take(f"acc{side}", n)
        pushes.append(f"W{side}")
        kernel.let(pushes[-1], -E * mu, "λ = E μ")
    seconds = kernel.each("psi", rates, RATE, "ψ = E_Aᵀ a_A + E_Bᵀ a_B + bias")
    own = kernel.build(*seconds, *pushes)
    return replace(own, inputs=cut.inputs + own.inputs, statements=cut.statements + own.statements)


@cache
def coupled_rate() -> Kernel:
    """The second rate of a coupling's condition."""
    kernel = KernelBuilder("coupled_rate", "second rate of a coupling")
    first, other = (kernel.take(f"a_{j}") for j in (1, 2))
    kernel.let("psi", first - kernel.take("ratio") * other, RATE, says="ψ = a − ratio a_other")
    return kernel.build("psi")


@cache
def product(count: int) -> Kernel:
    """A condition's slopes times what there is along as many speeds, and more."""
    kernel = KernelBuilder(f"product_{count}", f"{counted(count, 'slope')} of a condition")
    value = kernel.take("more")[0]
    for i in range(count):
        value += kernel.take(f"j_{i + 1}")[0] * kernel.take(f"x_{i + 1}")[0]
    kernel.let("value", sp.Matrix([value]), CLOSED)
    return kernel.build("value")


@cache
def closed(conditions: int, speeds: int) -> Kernel:
    """Multipliers μ = Λ⁺ (J a + ψ), and Z = M⁻¹ Jᵀ Λ⁺ as its columns, of minimum norm."""
    m, n = conditions, speeds
    kernel = KernelBuilder("closed", "multipliers, and how accelerations answer to conditions")
    upper = {(i, k): kernel.take(f"L_{i + 1}_{k + 1}")[0] for i in range(m) for k in range(i, m)}
    Lam = sp.Matrix(m, m, lambda i, k: upper[min(int(i), int(k)), max(int(i), int(k))])
    demand = kernel.numbers("demand", m)
    Y = sp.Matrix(m, n, lambda i, r: kernel.take(f"Y_{i + 1}_{r + 1}")[0])
    given = sp.Matrix.hstack(demand, Y)
    reach = kernel.numbers("d", m)
    found = kernel.solve("x", Lam, given, CLOSED, Policy.MIN_NORM, reach=reach)
    names = []
    for i in range(m):
        names.append(f"mu_{i + 1}")
        kernel.let(names[-1], sp.Matrix([found[i, 0]]), CLOSED)
        for r in range(n):
            names.append(f"Z_{i + 1}_{r + 1}")
            kernel.let(names[-1], sp.Matrix([found[i, r + 1]]), CLOSED)
    return kernel.build(*names)


@cache
def held(count: int) -> Kernel:
    """What drives a speed: τ less what no acceleration needs, and less the multipliers' part."""
    kernel = KernelBuilder(f"held_{count}", f"force with {counted(count, 'multiplier')}")
    value = kernel.take("tau")[0] - kernel.take("bias")[0]
    for i in range(count):
        value -= kernel.take(f"j_{i + 1}")[0] * kernel.take(f"mu_{i + 1}")[0]
    kernel.let("value", sp.Matrix([value]), "M a + h + Jᵀ μ = τ")
    return kernel.build("value")


@cache
def closing(opening: tuple[tuple[int, ...], ...], speeds: int) -> Kernel:
    """∂a = X − Z (J X + ∂ψ) of a column; `opening` has by condition the speeds that open it."""
    source = "∂a = X − Z (J X + ∂(J a + ψ))"
    kernel = KernelBuilder("closing", "a column with its loops closed")
    X = [kernel.take(f"X_{r + 1}")[0] for r in range(speeds)]
    gaps = []
    for i, rows in enumerate(opening):
        value = kernel.take(f"opens_{i + 1}")[0]
        value += sp.Add(*(kernel.take(f"J_{i + 1}_{r + 1}")[0] * X[r] for r in rows))
        gaps.append(kernel.let(f"w_{i + 1}", sp.Matrix([value]), source)[0])
    for r in range(speeds):
        terms = (kernel.take(f"Z_{i + 1}_{r + 1}")[0] * gap for i, gap in enumerate(gaps))
        kernel.let(f"a_{r + 1}", sp.Matrix([X[r] - sp.Add(*terms)]), source)
    return kernel.build(*(f"a_{r + 1}" for r in range(speeds)))
