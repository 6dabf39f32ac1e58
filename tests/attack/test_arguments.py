"""Odd arguments of every public callable: each is taken, or refused by a typed error."""

from __future__ import annotations

import contextlib
import os
import random
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from calls import Call, calls_of, required
from compiler import TARGET
from guarded import attacked
from systems_attacked import BUSHED, REFUSALS, loaded, solver_of

import mstmm
from mstmm.runtime.capabilities.offered import offered_by
from mstmm.runtime.solver import Solver
from mstmm.symbolic.methods.algorithms import ALGORITHMS

#: A tree with quaternions, a tree in the plane with run-time parameters, closed loops, momenta.
SOLVERS = (
    *(("spatial-tree", name) for name in ("riccati", "rnea-body", "closed-form", "sensitivities")),
    *(("double-pendulum", name) for name in ("riccati", "inverse-rates", "jacobians", "overall")),
    *(("four-bar", name) for name in ("riccati", "hdca", "rnea-body")),
    ("example-1", "riccati"),
    ("hdca-case-1", "hdca"),
    ("bushed_four_bar", "riccati"),
)

#: Processor time (s) of one call; a solver's derivatives are compiled in it.
SECONDS = 60.0

#: How many calls of each solver and part of the face the gate tries, and how much processor time
#: (s) the slow run has for others: all of one solver would take an hour.
SOME, BUDGET = 60, 20.0
SEED = 1


def good_for(solver: Solver) -> dict[str, Any]:
    """What is good for each argument of a solver's methods."""
    model = solver.model
    speeds = np.array(model.v0, dtype=float)
    q = np.array(model.q0, dtype=float)
    frame = next(iter(solver.frames))
    known: dict[str, Any] = {
        **{"q": q, "q0": q, "y": np.concatenate([q, speeds]), "target": np.eye(4)},
        **dict.fromkeys(("v", "v0", "a", "tau", "jerk", "snap", "p", "g"), speeds),
        **{"c": np.zeros(len(solver.conditions)), "sigma": np.zeros(len(solver.conditions))},
        **{"t": 0.0, "t_end": 0.002, "t_start": 0.0, "dt": 0.001, "record": 0.001, "frame": frame},
        **{"wrenches": np.zeros((len(model.bodies), 6)), "stiffness": np.ones(len(speeds))},
        **{"inertia": np.ones(len(speeds)), "parameters": {}, "out": np.zeros(len(speeds))},
        **{"parameter": next(iter(solver.parameters), ""), "speeds": [0.0, 1.0], "below": 10.0},
        **{"frequencies": [1.0, 2.0], "values": [1.0, 2.0]},
    }
    return known


def solver_calls(model: str, algorithm: str) -> Iterator[Call]:
    """All calls of all methods of a solver; momentum solvers call a's place that of the rates."""
    system = loaded(model)
    names = tuple(system.parameters)[:1]
    solver = mstmm.compile(system, algorithm=algorithm, target=TARGET, parameters=names)
    offered = {*offered_by(Solver)}
    for name in sorted(offered & {*dir(solver)}):
        yield from calls_of(
            f"{model}, {algorithm}: {name}", getattr(solver, name), good_for(solver)
        )


def facade_calls() -> Iterator[Call]:
    """All calls of what `mstmm` itself offers."""
    from sympy.physics.mechanics import System  # slow to import, and no other test needs it

    point, end = mstmm.Point("p", (0, 0)), mstmm.End("a", "p")
    folder = tempfile.mkdtemp(prefix="mstmm-attack-")
    known: dict[str, Any] = {
        **{"name": "a", "length": 1.0, "density": 1.0, "axial_stiffness": 1.0, "address": 0},
        **{"bending_stiffness": 1.0, "axial": 1, "bending": 1, "points": (point,), "mass": 1.0},
        **{"inertia": 1.0, "centre": (0, 0), "body": "a", "point": "p", "function": "q1 - 1"},
        **{"gains": np.ones((1, 2)), "kind": "pin", "ends": (mstmm.End("ground", ""), end)},
        **{"dimension": 2, "bodies": (), "hinges": (), "gravity": (0, -9.81), "position": (0, 0)},
        **{"law": lambda t, q, v: [0.0], "period": 0.1, "names": ("m",), "count": 1},
        **{"rows": lambda a, b: np.zeros((b - a, 1)), "description": "", "times": np.arange(3.0)},
        **{"values": np.arange(3.0), "model": "double-pendulum", "t_end": 0.002, "dt": 0.001},
        **{"solver": mstmm.compile("double-pendulum", target="numpy"), "system": System()},
        **{"samples": {"m": [1.0, 2.0]}, "to": f"{folder}/e.zarr", "path": f"{folder}/none.zarr"},
    }
    for name in sorted(mstmm.__all__):
        thing: Any = getattr(mstmm, name)
        if callable(thing) and not (isinstance(thing, type) and issubclass(thing, Exception)):
            yield from calls_of(f"mstmm.{name}", thing, known)


def done(call: Call) -> str:
    os.chdir(tempfile.gettempdir())
    call()
    return "taken"


def made_ahead(calls: list[Call]) -> None:
    """Have every callable make the code that it needs, as beams' derivatives, which take minutes.

    What an attack's processes find made costs none of their time.
    """
    for call in {call.name: call for call in calls}.values():
        with contextlib.suppress(mstmm.MstmmError):
            call.function(**{name: x() if name == "events" else x for name, x in call.good.items()})


PARTS: dict[str, Callable[[], Iterator[Call]]] = {
    **{f"{m}, {a}": (lambda m=m, a=a: solver_calls(m, a)) for m, a in SOLVERS},  # type: ignore[misc]
    "mstmm": facade_calls,
}


@pytest.mark.parametrize("part", ["double-pendulum, riccati", "four-bar, hdca", "mstmm"])
def test_some_odd_arguments_are_taken_or_refused(part: str) -> None:
    calls = list(PARTS[part]())
    chosen = random.Random(part).sample(calls, min(SOME, len(calls)))
    outcome = attacked(f"{part}, gate", done, chosen, seconds=SECONDS)
    outcome.require()
    assert outcome.counts["UsageError"] + outcome.counts["ModelError"] > SOME // 4


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_many_odd_arguments_are_taken_or_refused(part: str) -> None:
    calls = list(PARTS[part]())
    random.Random(SEED).shuffle(calls)
    if part != "mstmm":
        made_ahead(calls)
    name = f"arguments of {part}, of {len(calls)}"
    outcome = attacked(name, done, calls, seconds=SECONDS, budget=BUDGET)
    outcome.note(SEED)
    outcome.require()


def test_every_method_is_attacked() -> None:
    """Those that no solver of these has would not be."""
    reached = {a for _, a in SOLVERS}
    assert reached <= {each.name for each in ALGORITHMS}
    offered = {*offered_by(Solver)}
    met: set[str] = set()
    for model, algorithm in SOLVERS:
        met |= offered & {*dir(solver_of(model, algorithm, "numpy"))}
    assert not offered - met


def bushed(system: str, algorithms: Iterable[str]) -> Iterator[str]:
    """What is not refused of a model whose cuts have no conditions: every method, by its name."""
    for algorithm in algorithms:
        try:
            solver: Any = solver_of(system, algorithm, "numpy")
        except REFUSALS:
            continue
        good = good_for(solver)
        with contextlib.suppress(mstmm.MstmmError):
            good["q"] = good["q0"] = solver.assemble().q
        offered = {*offered_by(Solver)}
        for name in sorted(offered & {*dir(solver)}):
            method = getattr(solver, name)
            with contextlib.suppress(mstmm.MstmmError):
                method(**{x: good[x] for x in required(method)})
                yield name
        # At far angles springs pull by so much that little is left of small motions there.
        rows = mstmm.validate(solver, points=1).rows
        far = re.compile(r"far angles: .*'(damped|linear)'")
        assert [row for row in rows if not row.ok and not far.match(row.kernel)] == []


@pytest.mark.parametrize("system", BUSHED)
def test_cuts_without_conditions_are_taken_or_refused(system: str) -> None:
    """No error but ours comes from any method of a solver whose cuts have no conditions."""
    names = [each.name for each in ALGORITHMS if not each.alias_of]
    some = names if system == BUSHED[0] else ["riccati", "rnea-body"]
    taken = {*bushed(system, some)}
    assert {"accelerations", "linearize", "equilibrium", "state_space", "simulate"} <= taken


def test_what_was_found_stays_mended() -> None:
    """A record later than the end; steps that no number counts; arrays for lists of names."""
    solver = mstmm.compile("double-pendulum", target=TARGET)
    assert list(solver.simulate(t_end=0.002, record=10**30).time) == [0.0, 0.002]
    with pytest.raises(mstmm.UsageError, match=r"more than 9e\+15 steps of 0.001 s"):
        solver.simulate(t_end=1e30, record=1e30)
    inverse = mstmm.compile("double-pendulum", algorithm="rnea-body", target=TARGET)
    for passive in (np.empty(0), np.array(["a", "b"])):
        with pytest.raises(mstmm.UsageError, match=r"passive = array.* must be a sequence"):
            inverse.inverse_dynamics([0, 0], [0, 0], [0, 0], passive=passive)
    with pytest.raises(mstmm.UsageError, match="frames = -1 must be a tuple"):
        mstmm.Kinematics(frames=-1)  # type: ignore[arg-type]
