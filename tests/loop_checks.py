"""What the tests of closed loops share: mechanisms, the judge at random states, mutants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import loop_models
import numpy as np
import random_models
import sympy as sp
from closeness import within
from independent.loops import LoopMotion, loop_motion

from mstmm.model import End, Hinge, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.symbolic.language.arithmetic import FLOAT
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Kernel, Let, Program
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan
from mstmm.symbolic.tree.cut_kernels import CONDITION
from mstmm.symbolic.tree.loop_kernels import COLUMNS

#: Relative to the largest number; the random loops' conditions are 1e4 at worst.
compare = within(1e-8)


Array = np.ndarray


def results(model: Model, entry: str, forced: bool = False, **arguments: Array) -> dict[str, Array]:
    """The reference interpreter's results in double precision."""
    program = joint_program(plan(model), forced=forced)
    flat = {name: [float(x) for x in np.ravel(value)] for name, value in arguments.items()}
    found = Interpreter(program, FLOAT).results(entry, {"c": [], **flat})
    return {name: np.array(values, dtype=float) for name, values in found.items()}


def ends_of(model: Model) -> tuple[str, ...]:
    return joint_program(plan(model)).sets["ends"]


def check(model: Model, places: dict[str, list[float]], rng: Random, t: float = 0.0) -> LoopMotion:
    """At the model's own place and random speeds that its loops allow, loaded by forces."""
    q = np.array(model.q0)
    at_rest = loop_motion(model, q, np.zeros(len(model.speeds)), at=places, t=t)
    v = loop_models.allowed_speeds(rng, at_rest.jacobian, at_rest.opening)
    size = 3 if model.dimension == 2 else 6
    f = random_models.random_wrenches(rng, model)
    tau = np.array([rng.uniform(-3, 3) for _ in model.speeds])
    wrenches = np.zeros((len(model.bodies), 6))
    if size == 3:
        wrenches[:, [3, 4, 2]] = f
    else:
        wrenches[:, [3, 4, 5, 0, 1, 2]] = f
    expected = loop_motion(model, q, v, tau, wrenches, at=places, t=t)
    state = {"q": q, "v": v, "t": t}
    if expected.opening.size:
        assert np.abs(expected.opening).max() < 1e-11
        gaps = results(model, "constraints", **state)
        assert np.abs(gaps["phi"]).max() < 1e-13
        assert np.abs(gaps["phid"]).max() < 1e-11
    found = results(model, "joint_loads", forced=True, tau=tau, f=f, **state)
    compare(found["a"], expected.accelerations)
    if expected.redundant == 0:
        given = {**expected.tree.loads, **expected.cut_loads}
        compare(found["loads"], np.concatenate([given[end] for end in ends_of(model)]))
        if expected.drives:
            needed = results(model, "driving_forces", forced=True, tau=tau, f=f, **state)
            compare(needed["drive"], np.concatenate(list(expected.drives.values())))
    return expected


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


def mutants(
    program: Program, sources: tuple[str, ...] = (COLUMNS, CONDITION)
) -> Iterator[tuple[str, Program]]:
    """One thousandth added to one entry of one statement of the loops' kernels at a time."""
    kernels = [call.kernel for step in program.steps for call in step.calls]
    for kernel in dict.fromkeys(kernels):
        for number, statement in enumerate(kernel.statements):
            if isinstance(statement, Let) and statement.source in sources:
                for i, j in statement.port.entries:
                    value = statement.value.copy()
                    value[i, j] += sp.Rational(1, 1000)
                    changed = list(kernel.statements)
                    changed[number] = replace(statement, value=value)
                    other = replace(kernel, statements=tuple(changed))
                    name = f"{kernel.name}: {statement.port.name}[{i},{j}]"
                    yield name, _with(program, kernel, other)


def _with(program: Program, kernel: Kernel, other: Kernel) -> Program:
    return replace(
        program,
        steps=tuple(
            replace(
                step,
                calls=tuple(
                    replace(call, kernel=other) if call.kernel is kernel else call
                    for call in step.calls
                ),
            )
            for step in program.steps
        ),
    )
