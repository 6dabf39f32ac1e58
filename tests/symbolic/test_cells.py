"""Cells of beams: against exp(G l) with G by hand, closed forms, finite elements of 40 digits."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from places import DATA

from mstmm.symbolic.language.arithmetic import FLOAT, digits
from mstmm.symbolic.language.interpreter import evaluate
from mstmm.symbolic.language.program import Kernel
from mstmm.symbolic.language.tangent import tangent_kernel
from mstmm.symbolic.methods.linear import cell_kernels as kernels

CASES = json.loads((DATA / "linear" / "beams.json").read_text(encoding="utf-8"))["cases"]

#: A section of which nothing vanishes and nothing is equal, and of the wave number of a cell 1.4.
SECTION = {
    **{"l": 0.7, "T0": 0.6, "kw": 0.35, "rhoA": 1.3, "EA": 40.0, "GJ": 0.8, "rhoJ": 0.11},
    **{"EIy": 1.7, "gy": 0.03, "rhoIy": 0.05, "EIz": 2.3, "gz": 0.04, "rhoIz": 0.07},
}
ORDER = 50


def section(**given: float) -> dict[str, float]:
    """A section in which what is not given is nothing."""
    return {**dict.fromkeys(SECTION, 0.0), "GJ": 1.0, "EIy": 1.0, "EIz": 1.0, **given}


def run(kernel: Kernel, numbers: dict[str, Any], arithmetic: Any = FLOAT) -> dict[str, Any]:
    """A kernel's outputs as matrices; inputs are numbers or matrices."""
    inputs = {}
    for port in kernel.inputs:
        given = numbers[port.name]
        whole = np.array(given, dtype=object).reshape(port.rows, port.cols)
        inputs[port.name] = [
            arithmetic.make(Fraction(whole[i, j]))
            if isinstance(whole[i, j], (int, float))
            else whole[i, j]
            for i, j in port.entries
        ]
    found = {}
    for port in kernel.outputs:
        values = evaluate(kernel, inputs, arithmetic)[port.name]
        whole = np.empty((port.rows, port.cols), dtype=object)
        for (i, j), value in zip(port.entries, values, strict=True):
            whole[i, j] = value
            if port.symmetric:
                whole[j, i] = value
        found[port.name] = whole if arithmetic is not FLOAT else whole.astype(float)
    return found


def by_hand(d: int, w: Any, of: dict[str, float]) -> mp.matrix:
    """exp(G l) of (u, λ), G being written entry by entry from the balance of a slice."""
    n = 3 if d == 2 else 6
    x = {name: mp.mpf(value) for name, value in of.items()}
    G = mp.zeros(2 * n)
    G[0, n], G[n, 0] = 1 / x["EA"], -x["rhoA"] * w
    turn = n - 1
    G[1, turn], G[1, n + 1], G[turn, n + turn] = 1, x["gz"], 1 / x["EIz"]
    G[n + 1, 1] = x["kw"] - x["rhoA"] * w
    G[n + turn, n + 1], G[n + turn, turn] = -1, x["T0"] - x["rhoIz"] * w
    if d == 3:
        G[3, n + 3], G[n + 3, 3] = 1 / x["GJ"], -x["rhoJ"] * w
        G[2, 4], G[2, n + 2], G[4, n + 4] = -1, x["gy"], 1 / x["EIy"]
        G[n + 2, 2] = x["kw"] - x["rhoA"] * w
        G[n + 4, n + 2], G[n + 4, 4] = 1, x["T0"] - x["rhoIy"] * w
    return mp.expm(G * x["l"], method="taylor")


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("w", [-3.0, 0.0, 2.5, 9.0])
def test_a_cell_is_the_exponential(d: int, w: float) -> None:
    """To 4 units of the last digit of the largest entry of its block, in doubles."""
    n = 3 if d == 2 else 6
    with mp.workdps(ORDER):
        T = by_hand(d, mp.mpf(w), SECTION)
        found = run(kernels.cell.of(dimension=d), {**SECTION, "omega2": w})
        for name, row, col in (("A", 0, 0), ("B", 0, n), ("C", n, 0), ("D", n, n)):
            for i in range(n):
                for j in range(n):
                    wanted = T[row + i, col + j]
                    assert abs(found[name][i, j] - wanted) <= 2e-15 * (abs(wanted) + 0.05)
                    assert (found[name][i, j] == 0) == (abs(wanted) < 1e-40)


@pytest.mark.parametrize("d", [2, 3])
def test_its_derivative(d: int) -> None:
    """Along ω²: against central differences of the exponential in 50 digits."""
    n, w, step = 3 if d == 2 else 6, mp.mpf(2.5), mp.mpf(10) ** -15
    with mp.workdps(ORDER):
        change = (by_hand(d, w + step, SECTION) - by_hand(d, w - step, SECTION)) / (2 * step)
        kernel = tangent_kernel(kernels.cell.of(dimension=d), frozenset({"omega2"}))
        found = run(kernel, {**SECTION, "omega2": 2.5, "d_omega2": 1.0})
        for name, row, col in (("A", 0, 0), ("B", 0, n), ("C", n, 0), ("D", n, n)):
            for i in range(n):
                for j in range(n):
                    wanted = change[row + i, col + j]
                    assert abs(found[f"d_{name}"][i, j] - wanted) <= 4e-15 * (abs(wanted) + 0.1)


# Beams in cells, counted by hand: what the program does at a beam


class Chain:
    """Equal cells behind each other, from a tip with K to the root."""

    def __init__(self, d: int, cells: int, length: float, **given: float) -> None:
        self.d, self.n, self.cells = d, 3 if d == 2 else 6, cells
        self.of = section(l=length / cells, **given)

    def swept(self, w: float, K: np.ndarray, free: bool = False) -> tuple[np.ndarray, int]:
        """K at the root, and how many eigenvalues are below ω² = w with the root held or free."""
        own = run(kernels.cell.of(dimension=self.d), {**self.of, "omega2": w})
        passed = kernels.passed.of(dimension=self.d)
        below = 0
        for _ in range(self.cells):
            found = run(passed, {**own, "K": K})
            K, below = found["KO"], below + negative(found["F"])
        return K, below + (negative(K) if free else 0)


def negative(F: np.ndarray) -> int:
    """The number of negative eigenvalues, equilibrated by the largest of each row."""
    scale = np.sqrt(np.abs(F).max(axis=1))
    return int((np.linalg.eigvalsh(F / scale / scale[:, None]) < 0).sum())


@cache
def reference(case: str) -> tuple[float, ...]:
    return tuple(float(x) for x in CASES[case]["reference"])


@pytest.mark.parametrize(
    ("case", "d", "given", "free"),
    [
        ("01-clamped-free-EB", 2, {"EA": 1e4, "rhoA": 1.0}, False),
        (
            "02-clamped-free-Timoshenko",
            2,
            {"EA": 400.0, "rhoA": 1.0, "gz": 1 / 120, "rhoIz": 1 / 400},
            False,
        ),
        (
            "03-free-free-Timoshenko",
            2,
            {"EA": 400.0, "rhoA": 1.0, "gz": 1 / 120, "rhoIz": 1 / 400},
            True,
        ),
        (
            "12-square-cantilever",
            3,
            {"EA": 1e3, "GJ": 0.7, "rhoA": 1.0, "rhoJ": 0.01},
            False,
        ),
    ],
)
def test_counts_of_single_beams(case: str, d: int, given: dict[str, float], free: bool) -> None:
    """The count steps at every eigenvalue, by its multiplicity, within 1e-11 of it."""
    values = reference(case)
    chain = Chain(d, 16, 1.0, **given)
    tip = np.zeros((chain.n, chain.n))
    rigid = 3 * free  # rigid-body modes at zero, which lie below
    for value in dict.fromkeys(values):
        lower = sum(x < value * (1 - 1e-10) for x in values)
        upper = sum(x < value * (1 + 1e-10) for x in values)
        assert chain.swept(value * (1 - 1e-11), tip, free)[1] == lower + rigid
        assert chain.swept(value * (1 + 1e-11), tip, free)[1] == upper + rigid


def test_a_string_on_a_foundation() -> None:
    """Pinned bars: ω² = (EI β⁴ + N β² + k)/ρA with β = iπ/L, found as a beam's with both ends held.

    Of a held tip the first cell gives K = D B⁻¹; here its turn is free, so that half of a
    symmetric beam is looked at: guided at the tip, pinned at the root.
    """
    EI, N, kw, rhoA, L = 1.3, 5.0, 40.0, 0.8, 2.0
    chain = Chain(2, 16, L / 2, EA=1e6, EIz=EI, T0=N, kw=kw, rhoA=rhoA)
    held = np.diag([0.0, 0.0, 1e14])  # guided: no turn
    # Odd modes, held across at the root alone: count with the root's turn free.
    for i in (1, 3, 5):
        beta = i * math.pi / L
        value = (EI * beta**4 + N * beta**2 + kw) / rhoA
        counts = []
        for w in (value * (1 - 1e-9), value * (1 + 1e-9)):
            K, below = chain.swept(w, held)
            counts.append(below + int(K[2, 2] < 0))
        assert counts == [(i - 1) // 2, (i + 1) // 2]


@pytest.mark.parametrize("d", [2, 3])
def test_generalized_mass(d: int) -> None:
    """uᵀ M u of a chain behind a loaded tip is −u_Oᵀ (∂K/∂ω²) u_O, by differences in 50 digits."""
    n = 3 if d == 2 else 6
    numbers, w, cells = digits(ORDER), Fraction(5, 2), 3
    rng = np.random.default_rng(7)
    tip = rng.integers(-3, 4, (n, n))
    tip = [[Fraction(int(x)) for x in row] for row in tip + tip.T]
    end = [Fraction(int(x)) for x in rng.integers(-3, 4, n)]
    step = Fraction(1, 10**15)

    def swept(w: Fraction) -> tuple[Any, list[Any]]:
        own = run(kernels.cell.of(dimension=d), {**exact, "omega2": numbers.make(w)}, numbers)
        K, before = np.array([[numbers.make(x) for x in row] for row in tip], dtype=object), []
        for _ in range(cells):
            before.append(K)
            K = run(kernels.passed.of(dimension=d), {**own, "K": K}, numbers)["KO"]
        return own, [*before, K]

    with mp.workdps(ORDER):
        exact = {name: numbers.make(Fraction(x)) for name, x in SECTION.items()}
        high, low = swept(w + step)[1][-1], swept(w - step)[1][-1]
        u = np.array([[numbers.make(x)] for x in end], dtype=object)
        slope = (u.T @ (high - low) @ u)[0, 0] / numbers.make(2 * step)
        own, Ks = swept(w)
        tangent = tangent_kernel(kernels.cell.of(dimension=d), frozenset({"omega2"}))
        of = {**exact, "omega2": numbers.make(w), "d_omega2": numbers.make(Fraction(1))}
        changes = {
            name.replace("d_", "d"): value for name, value in run(tangent, of, numbers).items()
        }
        zero = np.array([[numbers.make(Fraction(0))]] * n, dtype=object)
        total, lam = numbers.make(Fraction(0)), Ks[-1] @ u
        for K in reversed(Ks[:-1]):
            back = run(
                kernels.unpassed.of(dimension=d), {**own, "K": K, "p": zero, "uO": u}, numbers
            )
            here = {"u": back["u"], "lam": back["lam"], "uO": u, "lamO": lam}
            total += run(kernels.weighed.of(dimension=d), {**changes, **here}, numbers)["muu"][0, 0]
            u, lam = back["u"], back["lam"]
        assert abs(total + slope) < mp.mpf(10) ** -25 * abs(total)
