"""What the tests of closed loops share: mechanisms, the judge at random states, mutants."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import loop_models
import numpy as np
import sympy as sp
from closeness import within
from reading import Reading

from mstmm.model import End, Hinge, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

#: Relative to the largest number; the random loops' conditions are 1e4 at worst.
compare = within(1e-8)


Array = np.ndarray


def results(model: Model, entry: str, **given: Any) -> dict[str, Array]:
    """What the program of the model gives, read as it stands."""
    return Reading(joint_program(plan(model)))(entry, **given)


def ends_of(model: Model) -> tuple[str, ...]:
    return joint_program(plan(model)).sets["ends"]


KINDS = [(d, kind) for d, kinds in loop_models.CUTTABLE.items() for kind in kinds]


def model_speeds(model: Model) -> Array:
    return np.ones(len(model.speeds))


def double_loop() -> Model:
    """A second chain of two bars from the coupler's pin side to a third pivot."""
    base = loop_models.four_bar()
    second = replace(
        base.bodies[1],
        points=(*base.bodies[1].points, Point("m", (1.2, 0.1))),
    )
    chain = (loop_models.bar("4", 0.9), loop_models.bar("5", 1.1))
    hinges = (
        Hinge("E", "pin", (End("2", "m"), End("4", "a"))),
        Hinge("F", "pin", (End("4", "b"), End("5", "a"))),
        Hinge("G", "pin", (End("5", "b"), End("0", "R"))),
    )
    return replace(
        base,
        bodies=(base.bodies[0], second, base.bodies[2], *chain),
        hinges=(*base.hinges, *hinges),
        ground=(*base.ground, Point("R", (1.0, -0.6))),
        cuts=(),
        q0=(),
        v0=(),
    )


def started(model: Model, **near: float) -> Model:
    """The model with a start near which its loops close."""
    q0 = tuple(near.get(n, x) for n, x in zip(model.coordinates, model.q0, strict=True))
    return replace(model, q0=q0, v0=(0.3,) * len(model.speeds))


MECHANISMS = {
    "four-bar": lambda: started(loop_models.four_bar(), qA=0.9, qB=-0.5, qC=-1.0),
    "slider-crank": lambda: started(loop_models.slider_crank(), qA=0.7, qB=-1.0),
    "double loop": lambda: started(double_loop(), qA=1.0, qB=-0.6, qC=-1.4, qE=-1.0, qF=-1.0),
    "redundant": lambda: started(
        loop_models.four_bar(3, ("revolute",) * 4), qA=0.9, qB=-0.5, qC=-1.0
    ),
    "ball and revolutes": lambda: started(
        loop_models.four_bar(3, ("revolute", "revolute", "ball", "revolute")), qA=0.9, qB=-0.5
    ),
    "cylinder and ball": lambda: started(
        loop_models.four_bar(3, ("revolute", "ball", "cylindrical", "revolute")), qA=0.9
    ),
    "ball in the tree": lambda: started(
        replace(
            loop_models.four_bar(3, ("revolute", "ball", "cylindrical", "revolute")),
            cuts=("D",),
            q0=(),
            v0=(),
        ),
        qA=0.9,
        qC_1=-1.0,
    ),
}


#: Conditions that follow from the others: three where all axes are parallel.
REDUNDANT = {"redundant": 3, "ball and revolutes": 1}


def damped_four_bar() -> Model:
    """Friction in every pin, and a spring in one of the tree and in the one that is cut."""
    q, u = hinge_symbol("q", 1), hinge_symbol("u", 1)
    base = loop_models.four_bar()
    laws = (-0.2 * u - sp.tanh(50 * u) / 4, -0.3 * u, -0.4 * u - 2 * q, -0.5 * u - 3 * (q - 1))
    hinges = tuple(replace(h, force=(law,)) for h, law in zip(base.hinges, laws, strict=True))
    return started(replace(base, hinges=hinges), qA=0.9, qB=-0.5, qC=-1.0)


HINGES = loop_models.four_bar().hinges
