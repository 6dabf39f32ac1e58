"""What is right: accelerations, forces and derivatives in extended precision, without mstmm's code.

Long chains and trees of pins or balls: the unknowns are the hinges' forces, found from the
conditions that hinged points move together; of the matrix, only blocks of neighbours differ from
zero, so that eliminating from the tips inwards takes time in proportion to the bodies. Robots:
the dense virtual-power judge of the tests. The models' numbers are read as the tests' judges do.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import mpmath
import numpy as np

from mstmm.model import GROUND, Model
from tests.independent.joints import joint_motion, mass_matrix, required_forces
from tests.independent.tree import Arithmetic, cross, extended, hamilton, joints, lever, numbers

from .cases import Case
from .trees import Floats

#: Digits of the judge, and the step of its differences: their error is its square.
DIGITS = 40
STEP = mpmath.mpf(10) ** -13

Array: TypeAlias = Any


def reference(case: Case, count: int) -> Floats:
    """The results of the first `count` states, rounded to doubles; (count, length)."""
    q, v, u = case.drawn
    return np.array(
        [[float(x) for x in _one(case, q[k], v[k], u[k])] for k in range(min(count, len(q)))]
    )


def _one(case: Case, q: Floats, v: Floats, u: Floats) -> list[Any]:
    if case.entry == "inverse":
        return inverse(case.built, q, v, u)
    if case.entry == "mass":
        return list(mass_matrix(case.built, list(q), extended(DIGITS)).ravel())
    if case.entry == "derivatives":
        return derivatives(case.built, q, v, u)
    if {hinge.kind for hinge in case.built.hinges} <= {"pin", "ball"}:
        return forces_first(case.built, q, v, u)
    at = list(q), list(v), list(u)
    return list(joint_motion(case.built, *at, arithmetic=extended(DIGITS)).accelerations)


def inverse(model: Model, q: Floats, v: Floats, a: Floats) -> list[Any]:
    """The forces of drives that give these accelerations."""
    return list(required_forces(model, list(q), list(v), list(a), extended(DIGITS)))


def derivatives(model: Model, q: Floats, v: Floats, tau: Floats) -> list[Any]:
    """∂a/∂q, ∂a/∂v and ∂a/∂τ by rows, by central differences in extended precision."""
    arithmetic = extended(DIGITS)
    blocks = []
    at = [arithmetic.array(q), arithmetic.array(v), arithmetic.array(tau)]
    for k in range(3):
        columns = []
        for i in range(len(v)):
            ends = []
            for sign in (1, -1):
                moved = [x.copy() for x in at]
                moved[k][i] = moved[k][i] + sign * STEP
                found = joint_motion(model, *map(list, moved), arithmetic=arithmetic)
                ends.append(found.accelerations)
            columns.append((ends[0] - ends[1]) / (2 * STEP))
        blocks.append(np.array(columns).T.ravel())
    return list(np.concatenate(blocks))


def forces_first(
    model: Model, q: Floats, v: Floats, tau: Floats, digits: int = DIGITS
) -> list[Any]:
    """Accelerations of a tree of pins or balls under moments along its speeds."""
    arithmetic = extended(digits)
    data = numbers(replace(model, absolute=True, q0=(), v0=()), arithmetic)
    index = {name: k for k, name in enumerate(data.names)}
    found = joints(model)
    R, spin = _turned(model, q, v, arithmetic)
    planar = model.dimension == 2
    inertia = [J if planar else R[k] @ J @ R[k].T for k, J in enumerate(data.inertia)]
    mobility = [_inverted(J, arithmetic) for J in inertia]
    parent = [index.get(joint.root.body, -1) for joint in found]
    body = [index[joint.tip.body] for joint in found]
    own = [R[k] @ data.arm[joint.tip] for k, joint in zip(body, found, strict=True)]
    other = [
        R[p] @ data.arm[joint.root] if p >= 0 else None
        for p, joint in zip(parent, found, strict=True)
    ]
    couples = _couples(model, R, tau, index, arithmetic)
    turned = [
        mobility[k] @ (couples[k] - (0 if planar else np.cross(spin[k], inertia[k] @ spin[k])))
        for k in range(len(data.names))
    ]

    def motion(k: int, x: Array) -> Array:
        """Acceleration of a point of body k under gravity and its own rotation alone."""
        centripetal = -(spin[k][0] ** 2) * x if planar else np.cross(spin[k], np.cross(spin[k], x))
        return data.gravity + lever(x) @ turned[k] + centripetal

    unit = np.eye(model.dimension, dtype=int)

    def given(k: int, x: Array, y: Array) -> Array:
        """Acceleration of point x of body k by a force at its point y."""
        return unit / data.mass[k] + lever(x) @ mobility[k] @ lever(y).T

    hung: dict[int, list[int]] = {}
    for j, p in enumerate(parent):
        if p >= 0:
            hung.setdefault(p, []).append(j)
    rows: list[dict[int, Array]] = []
    right: list[Array] = []
    for j, (k, p) in enumerate(zip(body, parent, strict=True)):
        row = {j: given(k, own[j], own[j])}
        value = motion(k, own[j])
        for c in hung.get(k, []):
            row[c] = -given(k, own[j], other[c])
        if p >= 0:
            above = body.index(p)
            row[above] = -given(p, other[j], own[above])
            for c in hung[p]:
                row[c] = row.get(c, 0) + given(p, other[j], other[c])
            value = value - motion(p, other[j])
        rows.append(row)
        right.append(-value)
    force = _eliminated(rows, right, arithmetic)
    alpha = []
    for k in range(len(data.names)):
        moment = lever(own[body.index(k)]).T @ force[body.index(k)]
        for c in hung.get(k, []):
            moment = moment - lever(other[c]).T @ force[c]
        alpha.append(turned[k] + mobility[k] @ moment)
    return _in_coordinates(model, R, spin, alpha, index)


def _couples(
    model: Model, R: list[Array], tau: Floats, index: dict[str, int], arithmetic: Arithmetic
) -> list[Array]:
    """The moments on the bodies (inertial axes) that do the work of forces along the speeds."""
    planar = model.dimension == 2
    given = list(arithmetic.array(tau).reshape(len(model.hinges), -1))
    if model.absolute:
        return given if planar else [r @ x for r, x in zip(R, given, strict=True)]
    found = [0 * given[0] for _ in index]
    by_tip = {
        end: (hinge, x) for hinge, x in zip(model.hinges, given, strict=True) for end in hinge.ends
    }
    for joint in joints(model):
        hinge, x = by_tip[joint.tip]
        k, p = index[joint.tip.body], index.get(joint.root.body, -1)
        moment = (-x if joint.tip == hinge.ends[0] else x) if planar else R[k] @ x
        found[k] = found[k] + moment
        if p >= 0:
            found[p] = found[p] - moment
    return found


def _eliminated(
    rows: list[dict[int, Array]], right: list[Array], arithmetic: Arithmetic
) -> list[Array]:
    """Block elimination of a symmetric system, the last (outermost) hinge first."""
    order = range(len(rows) - 1, -1, -1)
    for j in order:
        pivot = _inverted(rows[j][j], arithmetic)
        inner = [i for i in rows[j] if i < j]
        for i in inner:
            factor = rows[i][j] @ pivot
            right[i] = right[i] - factor @ right[j]
            for c in inner:
                rows[i][c] = rows[i].get(c, 0) - factor @ rows[j][c]
        rows[j][j] = pivot
    found: list[Array] = []
    for j in range(len(rows)):
        rest = right[j]
        for i in (i for i in rows[j] if i < j):
            rest = rest - rows[j][i] @ found[i]
        found.append(rows[j][j] @ rest)
    return found


def _inverted(matrix: Array, arithmetic: Arithmetic) -> Array:
    """The inverse of a block of order 1, 2 or 3, by cofactors."""
    n = len(matrix)
    if n == 1:
        return np.array([[1 / matrix[0, 0]]])
    if n == 2:
        (a, b), (c, d) = matrix
        return np.array([[d, -b], [-c, a]]) / (a * d - b * c)
    x, y, z = matrix
    columns = np.array([np.cross(y, z), np.cross(z, x), np.cross(x, y)]).T
    return columns / (x @ columns[:, 0])


def _turned(
    model: Model, q: Floats, v: Floats, arithmetic: Arithmetic
) -> tuple[list[Array], list[Array]]:
    """Rotation and angular velocity (inertial axes) of every body."""
    planar = model.dimension == 2
    width = 1 if planar else 4
    own = [_rotation(x, arithmetic) for x in arithmetic.array(q).reshape(-1, width)]
    speed = list(arithmetic.array(v).reshape(len(own), -1))
    if model.absolute:
        return own, speed if planar else [R @ w for R, w in zip(own, speed, strict=True)]
    at = {body.name: k for k, body in enumerate(model.bodies)}
    number = {hinge: k for k, hinge in enumerate(model.hinges)}
    by_tip = {end: hinge for hinge in model.hinges for end in hinge.ends}
    R: list[Array] = [np.eye(0)] * len(at)
    spin: list[Array] = [np.zeros(0)] * len(at)
    for joint in joints(model):
        hinge = by_tip[joint.tip]
        k, j = at[joint.tip.body], number[hinge]
        turn, rate = own[j], speed[j]
        if joint.tip == hinge.ends[0]:
            turn, rate = turn.T, -rate
        if joint.root.body == GROUND:
            R[k], spin[k] = turn, rate if planar else turn @ rate
        else:
            p = at[joint.root.body]
            R[k] = R[p] @ turn
            spin[k] = spin[p] + (rate if planar else R[k] @ rate)
    return R, spin


def _rotation(x: Array, arithmetic: Arithmetic) -> Array:
    """Of an angle, or of a quaternion, in the plane 2 × 2."""
    if len(x) == 1:
        c, s = arithmetic.cos(x[0]), arithmetic.sin(x[0])
        return np.array([[c, -s], [s, c]])
    conjugate = x * np.array([1, -1, -1, -1])
    images = [
        hamilton(hamilton(x, np.array([0, *axis])), conjugate)[1:] / (x @ x)
        for axis in np.eye(3, dtype=int)
    ]
    return np.array(images).T


def _in_coordinates(
    model: Model, R: list[Array], spin: list[Array], alpha: list[Array], index: dict[str, int]
) -> list[Any]:
    """From the bodies' angular accelerations (inertial axes) to those of the model's speeds."""
    planar = model.dimension == 2
    if model.absolute:
        own = alpha if planar else [r.T @ a for r, a in zip(R, alpha, strict=True)]
        return [x for a in own for x in a]
    by_tip = {end: hinge for hinge in model.hinges for end in hinge.ends}
    found = {}
    for joint in joints(model):
        hinge = by_tip[joint.tip]
        k, p = index[joint.tip.body], index.get(joint.root.body, -1)
        rise = alpha[k] - alpha[p] if p >= 0 else alpha[k]
        if planar:
            found[hinge.name] = -rise if joint.tip == hinge.ends[0] else rise
        else:
            rate = spin[k] - spin[p] if p >= 0 else spin[k]
            found[hinge.name] = R[k].T @ (rise - cross(spin[k]) @ rate)
    return [x for hinge in model.hinges for x in found[hinge.name]]
