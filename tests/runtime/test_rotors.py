"""Rotors in hinges, by hand and in motion; the table of scenarios has them in every hinge."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import loop_models
import pytest
import random_models
from closeness import close
from compiler import TARGET
from coupled_models import with_rotors
from test_inverse import lift

import mstmm
from mstmm.errors import ModelError
from mstmm.model import End, Hinge, Model, Point
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter


@pytest.mark.parametrize("dimension", [2, 3])
def test_energy_is_kept(dimension: int) -> None:
    rng = Random(20 + dimension)
    model = with_rotors(rng, random_models.joint_tree(rng, dimension, None, 3))
    assert any(hinge.rotor for hinge in model.hinges)
    run = mstmm.compile(model, target=TARGET).simulate(t_end=0.5, dt=5e-4, record=0.01)
    assert run.energy_drift < 1e-6


def geared(kind: str, backward: bool = False, **changes: object) -> Model:
    """The lift of `test_inverse`, 2 kg and 0.3 kg m², with a rotor of 0.5 in its hinge."""
    model = lift(kind, backward)
    hinge = replace(model.hinges[0], rotor=(0.5,), **changes)  # type: ignore[arg-type]
    return replace(model, hinges=(hinge,), q0=(), v0=())


@pytest.mark.parametrize(("backward", "sign"), [(False, 1), (True, -1)])
def test_a_lift_by_hand(backward: bool, sign: int) -> None:
    """(m + ρ) a = τ ∓ m g; the rotor's part does not reach the load."""
    solver = mstmm.compile(geared("prismatic", backward), target="numpy")
    a = (7.0 - sign * 20) / 2.5
    close(solver.accelerations([0.4], [3.0], [7.0]), [a])
    close(solver.joint_loads([0.4], [3.0], [7.0])[0], [0, 0, 0, 0, 0, -2 * (10 + sign * a)])
    close(solver.energy([0.4], [3.0]), 2.5 * 9 / 2 + sign * 20 * 0.4)
    inverse = mstmm.compile(geared("prismatic", backward), algorithm="rnea-body", target="numpy")
    close(inverse.inverse_dynamics([0.4], [3.0], [1.5]), [2.5 * 1.5 + sign * 20])
    close(inverse.mass_matrix([0.4]), [[2.5]])


def test_a_driven_rotor_takes_its_force_from_the_drive() -> None:
    """A wheel turns for itself on the lift."""
    base = geared("prismatic", motion=(TIME**3,))
    wheel = replace(base.bodies[0], name="2", mass=0)
    car = replace(base.bodies[0], points=(*base.bodies[0].points, Point("P", (0, 0, 0))))
    axle = Hinge("2", "revolute", (End("1", "P"), End("2", "O")))
    model = replace(base, bodies=(car, wheel), hinges=(*base.hinges, axle), q0=(), v0=())
    q, v, t = [0.2], [0.0], 0.7
    needed = 2.5 * 6 * t + 20
    riccati = mstmm.compile(model, target="numpy")
    close(riccati.driving_forces(q, v, t=t), [needed])
    push = [[0.0, 0, 0, 0, 0, 3.0], [0.0] * 6]
    close(riccati.driving_forces(q, v, t=t, wrenches=push), [needed - 3])
    close(riccati.energy(q, v, t=t), 2.5 * (3 * t * t) ** 2 / 2 + 20 * t**3)
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    close(inverse.inverse_drives(q, v, [0.0], t=t), [needed])
    close(inverse.energy(q, v, t=t), riccati.energy(q, v, t=t))


def test_a_rotor_beside_a_force_law() -> None:
    law = (-4 * hinge_symbol("q", 1) - hinge_symbol("u", 1),)
    model = geared("revolute", force=law)
    solver = mstmm.compile(model, target="numpy")
    close(solver.accelerations([0.4], [3.0]), [(-4 * 0.4 - 3) / 0.8])
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    close(inverse.inverse_dynamics([0.4], [3.0], [2.0]), [0.8 * 2 + 4 * 0.4 + 3])


def test_inertia_may_be_a_run_time_parameter() -> None:
    r = parameter("r")
    base = geared("revolute")
    hinge = replace(base.hinges[0], rotor=(r**2 / 8,))
    model = replace(base, hinges=(hinge,), parameters={"r": 1.0})
    solver = mstmm.compile(model, target="numpy", parameters=("r",))
    close(solver.accelerations([0.0], [0.0], [2.0], parameters={"r": 2.0}), [2 / 0.8])


def test_bad_rotors_are_refused() -> None:
    base = geared("revolute")
    for rotor, words in (
        ((-0.1,), r"hinge 1 · rotor: must not be negative, is -0\.1"),
        ((1.0, 2.0), "rotor: has 2 entries instead of 1"),
        ((parameter("z"),), "rotor: z depends on z"),
    ):
        with pytest.raises(ModelError, match=words):
            replace(base, hinges=(replace(base.hinges[0], rotor=rotor),))
    rods = mstmm.load("rod-chain", n=1)
    with pytest.raises(ModelError, match="rotor: needs joint coordinates"):
        replace(rods, hinges=(replace(rods.hinges[0], rotor=(1.0,)),))
    bars = loop_models.four_bar()
    hinges = tuple(replace(h, rotor=(0.1,) if h.name == "D" else ()) for h in bars.hinges)
    assert replace(bars, hinges=hinges, cuts=()).cuts == ("C",)
    with pytest.raises(ModelError, match="hinge D: cannot be cut: it is carrying a rotor"):
        replace(bars, hinges=hinges, cuts=("D",))
