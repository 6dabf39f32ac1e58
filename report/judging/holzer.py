"""Holzer's table: a chain of discs on a shaft, turned at any frequency."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import UsageError
from ...model import GROUND, Body, Model
from ...runtime.derived import derive
from ...runtime.evaluation.arrays import Floats
from ..documents.document import Block, Cell, Document, Numbers, Prose, Section, Table, some
from ..documents.plain import text
from ..drawing.places import Places, places

#: The most rows of a table.
ROWS = 40

#: Discs are on one axis within this part of a metre, and of a right angle.
ON_AXIS = 1e-9


@dataclass(frozen=True)
class Disc:
    """A disc of a torsional chain, and the spring to the one before; none to what does not turn.

    Units
        kg m², N m/rad.
    """

    name: str
    inertia: float
    stiffness: float


def holzer(at: Places, values: Mapping[str, Floats], square: float) -> Iterator[Block]:
    """Holzer's table at ω², if the model is discs one behind the other on a shaft that is free.

    Source
        Holzer (1921): θ₁ = 1; what is left of the torque behind the last disc is zero at an
        eigenvalue.
    """
    chain = discs(at, values)
    if len(chain) < 2:
        return
    yield Prose(
        "Holzer's table: the first disc turns by θ = 1, each has the torque of its own inertia and "
        "of all before, which twists the shaft to the next one."
    )
    theta, torque = 1.0, 0.0
    rows: list[tuple[Cell, ...]] = []
    for disc, after in zip(chain, [*chain[1:], None], strict=True):
        own = disc.inertia * square * theta
        torque += own
        twist = torque / after.stiffness if after else 0.0
        numbers = [disc.inertia, theta, own, torque]
        cells = [Numbers.of([[x]]) for x in numbers]
        tail = [Numbers.of([[x]]) for x in (after.stiffness, twist)] if after else ["", ""]
        rows.append((disc.name, *cells, *tail))
        theta -= twist
    head = ("disc", "J", "θ", "J ω² θ", "torque Σ", "k", "twist Σ/k")
    yield Table(head, some(rows, ROWS))
    yield Prose(
        f"Left behind the last disc is {torque:.6g} N m: zero where ω² is an eigenvalue, since the "
        "shaft ends there.".replace("-", "−", 1 if torque < 0 else 0)
    )


def discs(at: Places, values: Mapping[str, Floats]) -> Sequence[Disc]:
    """The discs of a torsional chain from its free end on; none of any other model."""
    model, found, last = at.model, list[Disc](), GROUND
    after = {hinge.ends[0].body: hinge for hinge in model.hinges}
    if model.dimension != 3 or model.beams or model.forces or len(after) != len(model.hinges):
        return ()
    while last in after and after[last].kind == "revolute" and not after[last].rotor:
        frame, body = at.at(after[last].ends[1])[0], model.body(after[last].ends[1].body)
        if not found:
            axis, origin = frame[:3, 2], frame[:3, 3]
        if not isinstance(body, Body) or not isinstance(body.inertia, tuple):
            return ()
        own = at.frame(body.name)[0]
        centre = own @ [*(model.value(x) for x in body.centre), 1.0]
        J = own[:3, :3] @ [[model.value(x) for x in row] for row in body.inertia] @ own[:3, :3].T
        inertia = float(axis @ J @ axis)
        beside = [np.cross(axis, x) for x in (frame[:3, 3] - origin, centre[:3] - origin)]
        beside += [np.cross(axis, frame[:3, 2]), (J @ axis - inertia * axis) / (inertia or 1.0)]
        if np.abs(beside).max() > ON_AXIS:
            return ()
        name = f"stiffness/kap1/{body.name}"
        k = float(np.ravel(values[name])[0]) if name in [*values] else 0.0
        found.append(Disc(body.name, inertia, k))
        last = body.name
    free = len(found) == len(model.bodies) > 0 and not found[0].stiffness
    return found if free and all(x.stiffness for x in found[1:]) else ()


def holzer_at(model: Model, q: Floats, omega: float) -> str:
    """Holzer's table at a frequency, of a model at rest, as text of 80 columns.

    Units
        rad/s.
    Raises
        UsageError: the model is no chain of discs on a shaft that is free at its first one; or a
            frequency whose square is no double.
    """
    if not np.isfinite(omega * omega):
        raise UsageError(f"ω = {omega:g} rad/s must be finite, and its square too")
    still = np.zeros(len(model.speeds))
    values = derive(model, algorithm="linear").at(q, still, omega2=[omega**2])
    blocks = tuple(holzer(places(model, q[np.newaxis], np.zeros(1)), values, omega**2))
    if not blocks:
        raise UsageError(
            f"{model.name} has no Holzer table: that is of discs one behind the other on a shaft "
            "in space, each hinged to the one before by a spring, the first one free to turn"
        )
    section = Section(f"At ω = {omega:.7g} rad/s", "holzer", blocks)
    return text(Document(model.name, "", (section,))).rstrip()
