"""Cells of beams: their transfer matrices against exp(G l), G being written by hand."""

from __future__ import annotations

from collections.abc import Mapping

import mpmath as mp
import numpy as np
import pytest
from cell_models import CASES, by_hand

from mstmm.model.files.toml import from_text
from mstmm.symbolic.language.arithmetic import FLOAT
from mstmm.symbolic.language.interpreter import evaluate
from mstmm.symbolic.language.program import Kernel
from mstmm.symbolic.language.tangent import tangent_kernel
from mstmm.symbolic.mechanics.displayed import judged
from mstmm.symbolic.methods.algorithms import Linear
from mstmm.symbolic.methods.linear import section_kernels as kernels
from mstmm.symbolic.plans.plan import plan

#: A section of which nothing vanishes and nothing is equal, and of the wave number of a cell 1.4.
SECTION = {
    **{"l": 0.7, "T0": 0.6, "kw": 0.35, "rhoA": 1.3, "EA": 40.0, "GJ": 0.8, "rhoJ": 0.11},
    **{"EIy": 1.7, "gy": 0.03, "rhoIy": 0.05, "EIz": 2.3, "gz": 0.04, "rhoIz": 0.07},
}
ORDER = 50


#: Blocks of the transfer matrix, by the outputs' names: rows and columns from 0 or from n on.
BLOCKS = {"Tuu": (0, 0), "Tul": (0, 1), "Tlu": (1, 0), "Tll": (1, 1)}


def run(kernel: Kernel, numbers: Mapping[str, float]) -> dict[str, np.ndarray]:
    """A kernel's outputs as matrices of doubles; inputs are numbers."""
    inputs = {port.name: [numbers[port.name]] for port in kernel.inputs}
    found = evaluate(kernel, inputs, FLOAT)
    return {p.name: np.array(found[p.name]).reshape(p.rows, p.cols) for p in kernel.outputs}


def turned(d: int, backward: bool) -> list[int]:
    """The signs of u in the axes of a cell that is passed from its far end."""
    if not backward:
        return [1] * (3 if d == 2 else 6)
    return [-1, -1, 1] if d == 2 else [-1, -1, 1, -1, -1, 1]


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("w", [-3.0, 0.0, 2.5, 9.0])
@pytest.mark.parametrize(("backward", "laden"), [(False, False), (True, False), (False, True)])
def test_a_cell_is_the_exponential(d: int, w: float, backward: bool, laden: bool) -> None:
    """Its tension given, or borne and the same all along.

    In doubles, to nine units of the last digit, or of a twentieth where entries are less."""
    n, signs = 3 if d == 2 else 6, turned(d, backward)
    with mp.workdps(ORDER):
        T = by_hand(d, mp.mpf(w), SECTION)
        kernel = kernels.cell.of(
            dimension=d, backward=backward, spun=False, relaxed=False, laden=laden
        )
        given = {"T0": 0.5, "NI": SECTION["T0"] - 0.5, "NS": 0.0} if laden else {}
        found = run(kernel, {**SECTION, **given, "omega2": w})
        for name, (row, col) in BLOCKS.items():
            for i in range(n):
                for j in range(n):
                    wanted = signs[i] * signs[j] * T[n * row + i, n * col + j]
                    assert abs(found[name][i, j] - wanted) <= 2e-15 * (abs(wanted) + 0.05)
                    assert (found[name][i, j] == 0) == (abs(wanted) < 1e-40)


@pytest.mark.parametrize("d", [2, 3])
def test_two_cells_on_end_are_one_whose_tension_changes(d: int) -> None:
    """The tension grows towards O: the half that is there begins with that of the middle."""
    kernel = kernels.cell.of(dimension=d, backward=False, spun=False, relaxed=False, laden=True)
    far = {"T0": 0.5, "NI": 0.1, "NS": 0.9, "omega2": 2.5}

    def whole(length: float, **more: float) -> np.ndarray:
        found = run(kernel, {**SECTION, **far, "l": length, **more})
        return np.block([[found["Tuu"], found["Tul"]], [found["Tlu"], found["Tll"]]])

    half = SECTION["l"] / 2
    joined = whole(half, NI=far["NI"] + far["NS"] * half) @ whole(half)
    np.testing.assert_allclose(joined, whole(2 * half), rtol=0, atol=1e-14 * np.abs(joined).max())


@pytest.mark.parametrize("d", [2, 3])
def test_its_derivative(d: int) -> None:
    """Along ω²: against central differences of the exponential in 50 digits."""
    n, w, step = 3 if d == 2 else 6, mp.mpf(2.5), mp.mpf(10) ** -15
    with mp.workdps(ORDER):
        change = (by_hand(d, w + step, SECTION) - by_hand(d, w - step, SECTION)) / (2 * step)
        kernel = kernels.cell.of(
            dimension=d, backward=False, spun=False, relaxed=False, laden=False
        )
        kernel = tangent_kernel(kernel, frozenset({"omega2"}))
        found = run(kernel, {**SECTION, "omega2": 2.5, "d_omega2": 1.0})
        for name, (row, col) in BLOCKS.items():
            for i in range(n):
                for j in range(n):
                    wanted = change[n * row + i, n * col + j]
                    assert abs(found[f"d_{name}"][i, j] - wanted) <= 4e-15 * (abs(wanted) + 0.1)


#: Models that have all kernels between them: ends that bear, that are free, that the ground holds.
SHOWN = (
    *("05-two-span", "06-L-frame", "06-portal-frame", "07-shaft-distributed"),
    *("11-four-bar-elastic", "12-star-cluster"),
)


def test_what_is_displayed_is_what_is_computed() -> None:
    """Of all kernels of models with beams: with loads and without, in the plane and in space."""
    programs = [
        Linear(cells=2).program(plan(from_text(text)), forced=forced)
        for name in SHOWN
        for text in [CASES[name][0]]
        for forced in (False, True)
    ]
    every = {call.kernel: None for x in programs for step in x.steps for call in step.calls}
    found = [x for kernel in every for x in judged(kernel)]
    assert [f"{x.kernel.name}: {x.shown} {x.why}" for x in found if x.shown is None or x.why] == []
    assert len(found) > 500
