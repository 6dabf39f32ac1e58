"""Does something with inertia resist every motion that the hinges allow?

Bodies may have no mass, or none that a hinge's motion moves, as long as what hangs on them
resists it. Tried at one configuration without symmetry: what is regular there is regular
almost everywhere, and what is singular there is singular everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt
import sympy as sp

from ..errors import ModelError
from .bodies import Beam, Body, End, Point
from .hinge_kinds import HINGE_KINDS, TURN
from .types import GROUND, Hinge, System

Floats = npt.NDArray[np.float64]

#: An inertia along a motion below this part of the largest there is the rounding of none.
NOTHING = 1e-12
#: Likewise of the smallest inertia along combined motions of one hinge, on a scale of one.
DEPENDENT = 1e-10


def check_inertia(model: System) -> None:
    """See that no hinge of the tree allows a motion that nothing resists.

    Raises
        ModelError: names the body and its hinge.
    Source
        Own: D = Hᵀ IA H of the articulated inertia, regular at every hinge.
    """
    if model.absolute or not any(_light(model, _undeformed(body)) for body in model.bodies):
        return
    links = _links(model)
    origins = {link.body.name: link.origin for link in links}
    gathered = {link.body.name: _own(model, link) for link in links}
    for link in reversed(links):
        IA = gathered[link.body.name]
        if link.columns.shape[1]:
            U = IA @ link.columns
            D = link.columns.T @ U + np.diag(link.rotor)
            if not _regular(D, link.columns, IA):
                raise ModelError(
                    f"neither it nor what hangs on it resists what its hinge {link.hinge} "
                    "allows: fix that hinge, merge the body with the one it hangs on, or give "
                    "it mass and inertia",
                    element=f"body {link.body.name}",
                    field="mass",
                )
            IA = IA - U @ np.linalg.solve(D, U.T)
        if link.parent != GROUND:
            X = _moved(link.origin - origins[link.parent])
            gathered[link.parent] = gathered[link.parent] + X.T @ IA @ X


@dataclass(frozen=True)
class _Link:
    """A body in its place: the motions that its hinge allows, seen at the hinge's far end.

    `columns`: per speed that is not driven, velocity and spin, in the ground's axes.
    """

    body: Body
    hinge: str
    parent: str
    frame: Floats
    origin: Floats
    columns: Floats
    rotor: Floats


def _light(model: System, body: Body) -> bool:
    """May a motion of this body, alone, be resisted by nothing?"""
    if model.value(body.mass) == 0:
        return True
    if not isinstance(body.inertia, tuple):
        return model.value(body.inertia) == 0
    principal = np.linalg.eigvalsh(_tensor(model, body))
    return bool(principal[0] <= DEPENDENT * principal[-1])


def _undeformed(body: Body | Beam) -> Body:
    """A beam as the rigid rod that it is without strain."""
    if isinstance(body, Body):
        return body
    mass, half = body.density * body.length, body.length / 2
    return Body(body.name, mass, mass * body.length**2 / 12, (half, 0), body.points)


def _tensor(model: System, body: Body) -> Floats:
    if isinstance(body.inertia, tuple):
        return np.array([[model.value(x) for x in row] for row in body.inertia])
    return np.diag([0.0, 0.0, model.value(body.inertia)])


def _links(model: System) -> list[_Link]:
    """The tree's links, each behind its parent."""
    at: dict[str, list[Hinge]] = {GROUND: [], **{body.name: [] for body in model.bodies}}
    for hinge in model.tree_hinges:
        for end in hinge.ends:
            at[end.body].append(hinge)
    angles = (0.3 + 0.7 * (0.618 * k % 1.0) for k in count(1))
    found: list[_Link] = []
    reached = [(GROUND, np.eye(4))]
    known = {GROUND}
    for name, frame in reached:
        for hinge in at[name]:
            near, far = hinge.ends if hinge.ends[0].body == name else hinge.ends[::-1]
            if far.body not in known:
                values = [next(angles) for _ in range(7)]
                link = _hung(model, hinge, frame @ _frame(model, near), near, far, values)
                known.add(far.body)
                found.append(link)
                reached.append((far.body, link.frame))
    return found


def _hung(
    model: System, hinge: Hinge, place: Floats, near: End, far: End, values: list[float]
) -> _Link:
    """The body beyond a hinge whose near end has this place."""
    pose, twists = _moved_at(model, hinge, values)
    told = near == hinge.ends[0]
    parent = place if told else place @ np.linalg.inv(pose)
    child = parent @ pose
    end = child if told else parent
    origin = end[:3, 3]
    turn, arm = parent[:3, :3], origin - child[:3, 3]
    spins = turn @ twists[3:]
    columns = np.vstack([turn @ twists[:3] + np.cross(spins, arm, axis=0), spins])
    if hinge.motion:
        columns = columns[:, :0]
    rotor = [model.value(x) for x in hinge.rotor] if not hinge.motion else []
    body = _undeformed(model.body(far.body))
    return _Link(
        body,
        hinge.name,
        near.body,
        end @ np.linalg.inv(_frame(model, far)),
        origin,
        columns,
        np.array(rotor or [0.0] * columns.shape[1]),
    )


def _moved_at(model: System, hinge: Hinge, values: list[float]) -> tuple[Floats, Floats]:
    """The child's point frame at some coordinates, as seen from the parent's.

    With it, per speed, the velocity of the child's point and the spin, in the parent's axes.
    """
    kind = HINGE_KINDS[model.dimension][hinge.kind]
    d, known = model.dimension, dict(zip(kind.q, values, strict=False))
    if kind.has_quaternion:
        norm = np.linalg.norm([known[x] for x in TURN])
        known |= {x: known[x] / norm for x in TURN}
    known |= {size: model.value(getattr(hinge, size.name)) for size in kind.sizes}

    def numbers(symbolic: sp.Matrix) -> Floats:
        return np.array(symbolic.xreplace(known).tolist(), dtype=float)

    pose = np.eye(4)
    pose[:d, :d] = numbers(kind.rotation)
    pose[:d, 3] = numbers(sp.Matrix([kind.position]))[0]
    slopes = np.zeros((6, kind.coordinates))
    for k, q in enumerate(kind.q):
        slopes[:d, k] = numbers(sp.Matrix([kind.position]).diff(q))[0]
        turning = np.zeros((3, 3))
        turning[:d, :d] = numbers(kind.rotation.diff(q)) @ pose[:d, :d].T
        slopes[3:, k] = turning[2, 1], turning[0, 2], turning[1, 0]
    return pose, slopes @ numbers(kind.rates.jacobian(kind.u)) if kind.u else slopes


def _turned(angle: float) -> Floats:
    """The frame turned about the third axis."""
    pose = np.eye(4)
    c, s = np.cos(angle), np.sin(angle)
    pose[:2, :2] = [[c, -s], [s, c]]
    return pose


def _frame(model: System, end: End) -> Floats:
    """A point's frame in its body's."""
    point: Point
    if end.body == GROUND:
        point = model.ground_point(end.point)
    else:
        point = model.body(end.body).point(end.point)
    frame = np.eye(4)
    frame[: model.dimension, 3] = [model.value(x) for x in point.position]
    if isinstance(point.axes, tuple):
        frame[:3, :3] = [[model.value(x) for x in row] for row in point.axes]
    elif point.axes is not None:
        frame = frame @ _turned(model.value(point.axes))
    return frame


def _own(model: System, link: _Link) -> Floats:
    """A body's own inertia, of the velocity at the hinge and the spin."""
    R = link.frame[:3, :3]
    centre = np.zeros(3)
    centre[: model.dimension] = [model.value(x) for x in link.body.centre]
    own = np.zeros((6, 6))
    own[:3, :3] = model.value(link.body.mass) * np.eye(3)
    own[3:, 3:] = R @ _tensor(model, link.body) @ R.T
    X = _moved(link.frame[:3, 3] + R @ centre - link.origin)
    return np.asarray(X.T @ own @ X)


def _moved(arm: Floats) -> Floats:
    """Velocity and spin at a point to those at `arm` from it."""
    x, y, z = arm
    X = np.eye(6)
    X[:3, 3:] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    return X


def _regular(D: Floats, columns: Floats, IA: Floats) -> bool:
    least = NOTHING * np.abs(IA).max() * (columns**2).sum(axis=0)
    diagonal = np.diag(D)
    if (diagonal <= least).any():
        return False
    scale = 1 / np.sqrt(diagonal)
    return bool(np.linalg.eigvalsh(scale[:, None] * D * scale)[0] > DEPENDENT)
