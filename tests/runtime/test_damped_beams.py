"""Beams at complex frequencies: with damping, loss factors, and spinning."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp
from cell_models import SLENDER, beam, body, head_on_a_line, hinge, top
from file_texts import ROOT
from rotor_models import rotor_text

import mstmm
from mstmm.model.files.toml import from_text
from mstmm.runtime.vibration.coded.damped import GeneratedComplexStiffness
from mstmm.symbolic.methods.linear.bearings import Bearing

CASES: dict[str, dict[str, Any]] = json.loads(
    (ROOT / "tests" / "data" / "linear" / "damped.json").read_text()
)


def stiffness_of(text: str, cells: int, **how: object) -> GeneratedComplexStiffness:
    model = from_text(text)
    solver = mstmm.compile(model, **{"algorithm": "damped", "target": "numpy", **how})
    return GeneratedComplexStiffness(solver, np.array(model.q0), cells=cells)


def offset(
    determinants: Callable[[np.ndarray], tuple[np.ndarray, ...]], s: complex, step: float = 1e-7
) -> float:
    """How far from a simple zero of Δ a place is, as a part of it: by Newton's step."""
    logs, angles, _ = determinants(s * np.array([1.0, 1.0 + step, 1.0 - step]))
    values = np.exp(logs - logs.max() + 1j * angles)
    return float(abs(values[0] / (values[1] - values[2]) * 2 * step))


def damped_cantilever() -> str:
    """With a dashpot across at its tip, whose line is long enough to stay across."""
    text = top(2, "cantilever") + beam("beam", 1.0, {**SLENDER, "damping": 1e-3})
    text += hinge("clamp", "fixed", "ground", "beam:root") + body("tip", 0, 0, ["at"])
    text += hinge("end", "fixed", "beam:tip", "tip:at")
    text += "[ground.points.below]\nposition = [1.0, -1.0]\n[forces.dashpot]\n"
    return text + 'between = ["ground:below", "tip:at"]\ndamping = 0.8\n'


def test_a_damped_cantilever_decays_as_the_quadratic_eigenproblem_says() -> None:
    stiffness = stiffness_of(damped_cantilever(), 16)
    for real, imag in CASES["15-damped-cantilever"]["reference"]:
        assert offset(stiffness.determinants, complex(float(real), float(imag))) < 1e-12


def test_a_beam_with_a_loss_factor_answers_as_finite_elements_say() -> None:
    """A unit force across at the tip, which is 0.1 from the centre of mass of its head."""
    case = CASES["17-frequency-response"]
    text = head_on_a_line().replace(
        "bending_stiffness = 1\n", "bending_stiffness = 1\nloss = 0.02\n"
    )
    stiffness = stiffness_of(text, 8)
    at = 3 * stiffness.moving.index("head") + stiffness.speeds
    reach = np.zeros(stiffness.length)
    reach[at + 1], reach[at + 2] = 1.0, -0.1
    found = stiffness.responses(1j * np.array(case["omega"]), reach.astype(complex)) @ reach
    known = np.array([complex(float(a), float(b)) for a, b in case["receptance"]])
    assert abs(found / known - 1).max() < 1e-12


def test_a_rotor_whirls_as_finite_elements_say() -> None:
    """Zeros of Δ(iω) at two spins of one batch, and counts between them.

    What the shaft does along its axis and about it does not depend on the spin.
    """
    case = CASES["16-rotor"]
    stiffness = stiffness_of(rotor_text(case["model"]), 4, parameters=("W",))
    known = {float(W): np.array(case["whirl"][W], float) for W in ("0", "500")}
    for W, values in known.items():

        def determinants(s: np.ndarray, W: float = W) -> tuple[np.ndarray, ...]:
            return stiffness.determinants(s, np.full((len(s), 1), W))

        assert max(offset(determinants, 1j * w, 1e-8) for w in values) < 1e-11
    omegas = np.sort(np.concatenate([w * np.array([0.999, 1.001]) for w in known[500.0]]))
    counts = [stiffness.counted(omegas, np.full((12, 1), W))[0] for W in known]
    expected = [(known[W] < omegas[:, None]).sum(axis=1) for W in known]
    assert (counts[1] - counts[0] == expected[1] - expected[0]).all()
    assert len({*(expected[1] - expected[0])}) > 1


def shaft(cut_at: str) -> str:
    """A spinning shaft on two bearings that damp and couple across, in axes of their own."""
    section = {
        **{"density": 2.0, "axial_stiffness": 1e5, "bending_stiffness": [40, 40]},
        **{"torsional_stiffness": 30, "polar_inertia": 0.02, "rotary_inertia": [0.01, 0.01]},
        **{"shear_stiffness": [4e3, 4e3], "spin": 120, "damping": 1e-5},
    }
    text = top(3, "shaft").replace("[0, 0, 0]", f'[0, 0, 0]\ncuts = ["{cut_at}"]')
    text += beam("shaft", 1.0, section)
    text += "[ground.points.left]\n[ground.points.right]\nposition = [1, 0, 0]\n"
    text += "axes = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]\n"
    law = '["-300*{x}", "-800*{y} - 250*{z} - 6*u2", "200*{y} - 600*{z} - 4*u3", "-50*u4", 0, 0]'
    for name, places in (("left", ("q1", "q2", "q3")), ("right", ("q3", "q1", "q2"))):
        force = law.format(**dict(zip("xyz", places, strict=True)))
        text += hinge(name, "free", f"ground:{name}", "shaft:ROOT", force=force)
    text = text.replace("ROOT", "root", 1).replace("ROOT", "tip")
    return text + "[start.positions]\nright = [0, 0, 0, 0.5, -0.5, -0.5, -0.5]\n"


def test_bearings_with_laws_hold_a_shaft_at_either_end() -> None:
    """A law at an end that is cut is one at a hinge of the tree, where the other end is cut.

    The determinants are the same up to a number, wherever s is.
    """
    rng = np.random.default_rng(5)
    s = 20 * (rng.normal(size=8) + 1j * rng.normal(size=8))
    first, second = (stiffness_of(shaft(x), 2).determinants(s) for x in ("right", "left"))
    ratio = np.exp(first[0] - second[0] + 1j * (first[1] - second[1]))
    assert np.ptp(first[0]) > 1.0
    assert abs(ratio / ratio[0] - 1).max() < 1e-9


@pytest.mark.parametrize(
    ("stiffness", "viscous", "even"), [(1, 1, True), (-1, 1, False), (1, -1, False)]
)
def test_a_bearing_is_even_where_both_its_slopes_are(
    stiffness: int, viscous: int, even: bool
) -> None:
    none = sp.ImmutableMatrix(0, 0, [])
    K, C = (sp.ImmutableMatrix([[3, 1], [x, 2]]) for x in (stiffness, viscous))
    assert Bearing(none, none, K, viscous=C).even is even
