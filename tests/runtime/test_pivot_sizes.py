"""How small pivots are: each of what it would be made of if nothing in it cancelled, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mstmm
from mstmm.model import GROUND, Body, End, Force, Hinge, Load, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.runtime.vibration.coded.damped import GeneratedComplexStiffness

#: A pitch (m), the stiffnesses of springs, a rotor, how far the screw is from the crank's pivot.
PITCH, CRANK, SCREW, ROTOR, REACH = 0.7, 6.0, 5.0, 0.4, 1.3
#: The force of a dead load on the screw's body, and where it acts.
LOAD, AT = (1.0, -2.0, 2.0), (0.2, 0.1, -0.3)
ROOT, PULL = Point("root", (0, 0, 0)), (1.0, -8.0, 4.0)
#: A line from there to the ground: its way, stiffness, damping, and length where it has no tension.
LINE, STIFF, DAMPING, REST = (-0.4, 0.8, 0.6), 11.0, 2.0, 0.7


def bodies() -> tuple[Body, Body]:
    inertia = ((0.3, 0, 0), (0, 0.5, 0), (0, 0, 0.4))
    crank = Body("crank", 2.0, inertia, (0.4, 0, -0.3), (ROOT, Point("end", (0, REACH, 0))))
    return crank, Body("nut", 0.8, inertia, (-0.2, 0.6, 0.3), (ROOT, Point("eye", AT)))


def screw(pushed: str, *, alone: bool) -> Model:
    """A screw, by itself or at the end of a crank, and what acts at its body's eye."""
    crank, nut = bodies()
    q = hinge_symbol("q", 1)
    hinges = (
        Hinge(
            "pivot",
            "revolute",
            (End(GROUND, "O"), End("crank", "root")),
            potential=CRANK * q**2 / 2,
            rotor=(ROTOR,),
        ),
        Hinge(
            "thread",
            "helical",
            (End("crank", "end"), End("nut", "root")),
            pitch=PITCH,
            potential=SCREW * q**2 / 2,
        ),
    )
    if alone:
        thread = replace(hinges[1], ends=(End(GROUND, "O"), End("nut", "root")))
        hinges = (thread,)
    away = np.array(AT) + LINE + (not alone) * np.array([0, REACH, 0])
    ends = End("nut", "eye"), End(GROUND, "far")
    line = Force("line", ends, stiffness=STIFF, rest=REST, damping=DAMPING)
    return Model(
        name="screw",
        dimension=3,
        bodies=(nut,) if alone else (crank, nut),
        hinges=hinges,
        gravity=PULL,
        ground=(Point("far", tuple(away)),),
        loads=(Load("pull", "nut", "eye", LOAD),) if pushed == "load" else (),
        forces=(line,) if pushed == "line" else (),
    )


def size(a: float, b: float, force: float, moment: float, spring: float, pitch: float) -> float:
    """Of a pivot along (pitch, 1): a is of what moves along, b of what turns."""
    return a * pitch**2 + 2 * np.sqrt(a * b) * pitch + b + moment + force * pitch + spring


@pytest.mark.parametrize("pushed", ["nothing", "load", "line"])
def test_pivots_are_as_small_as_their_parts_say(pushed: str) -> None:
    """Σ δ/|d| of two hinges, one of which sees the other's body from afar.

    A line to the ground is its springs and a load, where motions may be damped.
    """
    s, found = (-0.6 + 1.8j if pushed == "line" else 1.9j), list[tuple[float, float]]()
    omega2 = abs(s) ** 2
    for alone in (True, False):
        model, q = screw(pushed, alone=alone), np.zeros(2 - alone)
        if pushed == "line":
            code = mstmm.compile(model, target="numpy")
            logs, _, least = GeneratedComplexStiffness(code, q).determinants(np.array([s]))
        else:
            solver = mstmm.compile(model, algorithm="linear", target="numpy")
            got = solver.results("count", q, omega2=np.array([omega2]))
            logs, least = got["logdet"], got["pivot"]
        found.append((float(logs.item()), float(least.item())))
    sizes, pull = list[float](), float(np.linalg.norm(PULL))
    a = b = force = moment = 0.0
    springs = SCREW, CRANK + omega2 * ROTOR
    for body, spring, pitch in zip(reversed(bodies()), springs, (PITCH, 0.0), strict=True):
        arm = float(np.linalg.norm(body.centre))
        a += omega2 * body.mass
        b += omega2 * (np.trace(np.array(body.inertia)) + 2 * body.mass * arm**2)
        force, moment = force + body.mass * pull, moment + body.mass * pull * arm
        if pushed != "nothing" and body.name == "nut":
            lever, length = float(np.linalg.norm(AT)), float(np.linalg.norm(LINE))
            push = float(np.linalg.norm(LOAD)) if pushed == "load" else STIFF * (length - REST)
            force, moment = force + push, moment + push * lever
            if pushed == "line":
                across = push / length
                own = abs(STIFF + s * DAMPING - across) + across
                a, b = a + own, b + own * lever**2
        sizes.append(size(a, b, force, moment, spring, pitch))
        b, moment = b + 2 * np.sqrt(a * b) * REACH + a * REACH**2, moment + force * REACH
    (first, of_one), (both, of_both) = found
    assert 1 / of_one == pytest.approx(sizes[0] / np.exp(first), rel=1e-12)
    worst = sizes[0] / np.exp(first) + sizes[1] / np.exp(both - first)
    assert 1 / of_both == pytest.approx(worst, rel=1e-12)
