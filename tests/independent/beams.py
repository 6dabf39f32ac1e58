"""Planar trees and loops with beams: absolute coordinates, Lagrange multipliers, 50 digits.

Every rigid body has the coordinates x, y, θ of its centre of mass, every beam x, y, θ of its
floating frame and its modal coordinates. Inertia is the virtual power of mass points: Gauss
points along a beam, whose positions are written down; Jacobians and accelerations are central
differences of positions. Hinges are constraints between the poses of points. One dense system
gives accelerations and multipliers. No mass matrix, no recursion, no formula of a beam.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, reduce
from math import comb
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp

from independent.tree import joints
from mstmm.model import GROUND, Beam, Body, End, Hinge, Model
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter

DIGITS = 50
#: A second difference is right to 1e-24 and rounded to 1e-26.
STEP = mp.mpf(10) ** -12
#: Relative pose (x, y in the parent's axes, angle) that a hinge keeps, and that it lets change; x
#: less what goes with the angle, of a rack its radius times it.
HELD = {
    "pin": (0, 1),
    "prismatic": (1, 2),
    "slot": (1,),
    "rack": (0, 1),
    "fixed": (0, 1, 2),
    "free": (),
    "elastic": (),
}
FREE = {kind: tuple(k for k in range(3) if k not in held) for kind, held in HELD.items()}

Vector = Any


@dataclass(frozen=True)
class BeamMotion:
    """What the judge finds: dv/dt in the order of `model.speeds`, loads by end, energy.

    `loads`: at the end of each hinge that lies away from the ground: moment on that body, force
    by it on the other (m_z, q_x, q_y). `condition`: of the dense system, in the 1-norm.
    """

    accelerations: Vector
    loads: dict[str, Vector]
    energy: float
    poses: dict[str, Vector]
    condition: float


def legendre(i: int, z: Any) -> Any:
    """Rodrigues' sum, not SymPy's recursion."""
    return sum(comb(i, k) ** 2 * (z - 1) ** (i - k) * (z + 1) ** k for k in range(i + 1)) / 2**i


#: A number of built-in functions, or given ones.
Functions = int | tuple[str, ...]


@cache
def functions(which: Functions, power: int, xi: Any) -> Vector:
    """ξ or ξ² times Legendre's polynomials, or those that are given."""
    if isinstance(which, tuple):
        return np.array([mp.polyval(polynomial(text), xi) for text in which])
    return np.array([xi**power * legendre(i, 2 * xi - 1) for i in range(which)])


@cache
def polynomial(text: str) -> list[Any]:
    """Coefficients, the highest first: the text as Python parses it, in fractions."""
    text = text.replace("^", "**")
    found = _coefficients(ast.parse(text, mode="eval").body, text)
    return [mp.mpf(x.numerator) / x.denominator for x in np.trim_zeros(found, "f")]


def _coefficients(node: ast.expr, text: str) -> Any:
    match node:
        case ast.Name(id="xi"):
            return np.array([Fraction(1), Fraction(0)])
        case ast.Constant():
            return np.array([Fraction(text[node.col_offset : node.end_col_offset])])
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_coefficients(inner, text)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))):
            return reduce(np.polymul, [_coefficients(left, text)] * power)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            (divisor,) = _coefficients(right, text)
            return _coefficients(left, text) / divisor
        case ast.BinOp(left=left, op=op, right=right):
            way = {ast.Add: np.polyadd, ast.Sub: np.polysub, ast.Mult: np.polymul}[type(op)]
            return way(_coefficients(left, text), _coefficients(right, text))
    raise ValueError(text)


def order(which: Functions, power: int) -> int:
    """The highest degree, less `power`, and one more: a number of built-in functions."""
    if isinstance(which, int):
        return which
    return max(len(polynomial(text)) for text in which) - power


@cache
def slopes(which: Functions, xi: Any) -> Vector:
    """Of the bending functions, by ξ."""
    ahead, behind = (functions(which, 2, xi + s * STEP) for s in (1, -1))
    return (ahead - behind) / (2 * STEP)


@cache
def squares(which: Functions, xi: Any) -> Vector:
    """The products of all slopes, integrated up to ξ."""
    points = [(weight, slopes(which, xi * at)) for at, weight in gauss(order(which, 2) + 1)]
    return xi * sum(weight * np.outer(row, row) for weight, row in points)


def shape(beam: Beam, length: Any, x: Any, eta: Vector) -> Vector:
    """Displacement along and across, and the slope, of the section at x.

    Half the squared slope, integrated, is how far bending draws the section back.
    """
    xi, own = x / length, eta[beam.axial_modes :]
    along = mp.mpf(0)
    if beam.axial:
        along = eta[: beam.axial_modes] @ functions(beam.axial, 1, xi)
    if not beam.bending:
        return np.array([along, mp.mpf(0), mp.mpf(0)])
    if beam.foreshortening:
        along -= own @ squares(beam.bending, xi) @ own / (2 * length)
    slope = own @ slopes(beam.bending, xi) / length
    return np.array([along, own @ functions(beam.bending, 2, xi), slope])


class Judge:
    """One model at one state."""

    def __init__(self, model: Model, q: Sequence[float], v: Sequence[float], t: float = 0.0):
        self.model = model
        self.tree = replace(model, hinges=model.tree_hinges, cuts=())
        self.time = mp.mpf(t)
        self.q = np.array([mp.mpf(x) for x in q])
        self.v = np.array([mp.mpf(x) for x in v])
        self.values = {parameter(k): mp.mpf(x) for k, x in model.parameters.items()}
        self.start: dict[str, int] = {}
        size = 0
        for body in model.bodies:
            self.start[body.name] = size
            size += 3 + (body.modes if isinstance(body, Beam) else 0)
        self.size = size
        self.y = self.absolute(self.q)
        ahead, behind = (self.absolute(self.q + s * STEP * self.v) for s in (1, -1))
        self.rates = (ahead - behind) / (2 * STEP)

    def number(self, quantity: Any) -> Any:
        exact = self.model.exact(quantity)
        return mp.mpf(exact.numerator) / exact.denominator

    def own(self, y: Vector, body: Body | Beam) -> Vector:
        first = self.start[body.name]
        return y[first : first + 3 + (body.modes if isinstance(body, Beam) else 0)]

    def local(self, end: End, eta: Vector) -> Vector:
        """x, y and angle of a point's axes in its element's, the centre of mass the origin."""
        element = self.model.body(end.body)
        point = element.point(end.point)
        x, y = (self.number(c) for c in point.position)
        turn = mp.mpf(0) if point.axes is None else self.number(point.axes)
        if isinstance(element, Beam):
            along, across, slope = shape(element, self.number(element.length), x, eta)
            return np.array([x + along, across, slope + turn])
        centre = [self.number(c) for c in element.centre]
        return np.array([x - centre[0], y - centre[1], turn])

    def end(self, y: Vector, end: End) -> Vector:
        """x, y and angle of a point's axes in the inertial frame."""
        if end.body == GROUND:
            point = self.model.ground_point(end.point)
            turn = mp.mpf(0) if point.axes is None else self.number(point.axes)
            return np.array([*(self.number(c) for c in point.position), turn])
        own = self.own(y, self.model.body(end.body))
        return beyond(own[:3], self.local(end, own[3:]))

    def absolute(self, q: Vector) -> Vector:
        """All absolute coordinates from the joint coordinates, ground outwards."""
        y = np.array([mp.mpf(0)] * self.size)
        place, across = 0, {}
        for hinge in self.tree.hinges:
            relative = [mp.mpf(0)] * 3
            for k in FREE[hinge.kind]:
                relative[k] = q[place]
                place += 1
            relative[0] += self.number(hinge.radius) * relative[2]
            across[hinge.name] = np.array(relative)
        for beam in self.model.beams:
            first = self.start[beam.name] + 3
            y[first : first + beam.modes] = q[place : place + beam.modes]
            place += beam.modes
        for joint in joints(self.tree):
            hinge = next(h for h in self.tree.hinges if joint.tip in h.ends)
            relative = across[hinge.name]
            if joint.tip == hinge.ends[0]:
                relative = inverse(relative)
            at = beyond(self.end(y, joint.root), relative)
            element = self.model.body(joint.tip.body)
            eta = self.own(y, element)[3:]
            first = self.start[element.name]
            y[first : first + 3] = beyond(at, inverse(self.local(joint.tip, eta)))
        return y

    def relative(self, place: Vector, hinge: Hinge) -> Vector:
        x, y, angle = beyond(
            inverse(self.end(place, hinge.ends[0])), self.end(place, hinge.ends[1])
        )
        return np.array([x - self.number(hinge.radius) * angle, y, angle])

    def differences(self, function: Callable[[Vector], Vector]) -> tuple[Vector, Vector]:
        """∂f/∂y, and d²f/dt² if no absolute speed changes."""
        columns = []
        for k in range(self.size):
            step = np.array([STEP if i == k else mp.mpf(0) for i in range(self.size)])
            columns.append((function(self.y + step) - function(self.y - step)) / (2 * STEP))
        h = STEP * self.rates
        bent = function(self.y + h) - 2 * function(self.y) + function(self.y - h)
        return np.array(columns).T, bent / STEP**2

    def masses(self) -> Iterator[tuple[Any, Callable[[Vector], Vector]]]:
        """All mass points, and bodies' moments of inertia, with what they move along."""
        for body in self.model.bodies:
            if not isinstance(body, Beam):
                yield self.number(body.mass), lambda y, b=body: self.own(y, b)[:2]
                yield self.number(body.inertia), lambda y, b=body: self.own(y, b)[2:3]
                continue
            length, density = self.number(body.length), self.number(body.density)
            for xi, weight in gauss(max(order(body.axial, 1), 2 * order(body.bending, 2)) + 3):
                yield (
                    weight * density * length,
                    lambda y, b=body, x=xi * length: self.along(y, b, x)[:2],
                )

    def along(self, y: Vector, beam: Beam, x: Any) -> Vector:
        """Place and angle of a beam's section."""
        own = self.own(y, beam)
        along, across, slope = shape(beam, self.number(beam.length), x, own[3:])
        return beyond(own[:3], np.array([x + along, across, slope]))

    def strain(self, y: Vector) -> Any:
        """Strain energy of all beams, by second differences of the displacements.

        Bending without the foreshortening: that stretches nothing.
        """
        total = mp.mpf(0)
        for beam in (replace(beam, foreshortening=False) for beam in self.model.beams):
            length, eta = self.number(beam.length), self.own(y, beam)[3:]
            for xi, weight in gauss(max(order(beam.axial, 1), order(beam.bending, 2)) + 3):
                h = mp.mpf(10) ** -10 * length
                after, here, before = (
                    shape(beam, length, xi * length + s * h, eta) for s in (1, 0, -1)
                )
                stretch = (after[0] - before[0]) / (2 * h)
                bend = (after[1] - 2 * here[1] + before[1]) / h**2
                total += weight * length * self.number(beam.axial_stiffness) * stretch**2 / 2
                total += weight * length * self.number(beam.bending_stiffness) * bend**2 / 2
        return total

    def elastic(self, beam: Beam) -> Vector:
        """Forces of strain and damping on a beam's modal coordinates; strain energy is square."""
        first, count = self.start[beam.name] + 3, beam.modes
        eta = self.y[first : first + count]
        pull = eta + self.number(beam.damping) * self.rates[first : first + count]

        def energy(own: Vector) -> Any:
            y = np.array([mp.mpf(0)] * self.size)
            y[first : first + count] = own
            return self.strain(y)

        unit = np.array([[mp.mpf(i == j) for j in range(count)] for i in range(count)])
        return np.array([energy(pull - unit[k]) - energy(pull + unit[k]) for k in range(count)]) / 2

    def motion(self, tau: Sequence[float], wrenches: Vector) -> BeamMotion:
        n = self.size
        M = np.array([[mp.mpf(0)] * n for _ in range(n)])
        force = np.array([mp.mpf(0)] * n)
        kinetic = potential = mp.mpf(0)
        gravity = np.array([self.number(g) for g in self.model.gravity])
        for mass, function in self.masses():
            J, bias = self.differences(function)
            M = M + mass * (J.T @ J)
            pull = gravity if len(J) == 2 else np.array([mp.mpf(0)])
            force = force + mass * (J.T @ (pull - bias))
            speed = J @ self.rates
            kinetic += mass * (speed @ speed) / 2
            potential -= mass * (pull @ function(self.y)[: len(pull)])
        for beam in self.model.beams:
            first = self.start[beam.name] + 3
            force[first : first + beam.modes] += self.elastic(beam)
        for k, body in enumerate(self.model.bodies):
            load = np.array([mp.mpf(x) for x in wrenches[k][[3, 4, 2]]])
            if isinstance(body, Beam):
                middle = self.number(body.length) / 2
                J, _ = self.differences(lambda y, b=body, x=middle: self.along(y, b, x))
            else:
                J, _ = self.differences(lambda y, b=body: self.own(y, b)[:3])
            force = force + J.T @ load
        applied = {}
        place = 0
        rows, biases, moved = [], [], []
        for hinge in self.model.hinges:
            J, bias = self.differences(lambda y, h=hinge: self.relative(y, h))
            held, free = list(HELD[hinge.kind]), list(FREE[hinge.kind])
            if hinge.name in self.model.cuts:
                free = []
            own = slice(place, place + len(free))
            law = self.law(hinge, own) + np.array([mp.mpf(x) for x in tau[own]])
            applied[hinge.name] = J[free].T @ law if free else 0 * force
            force = force + applied[hinge.name]
            place += len(free)
            rows.append(J[held])
            biases.append(bias[held])
            moved.append((J[free], bias[free]))
        for k, (beam, j) in enumerate((b, j) for b in self.model.beams for j in range(b.modes)):
            force[self.start[beam.name] + 3 + j] += mp.mpf(tau[place + k])
        J = np.concatenate(rows)
        c = len(J)
        zero = np.array([[mp.mpf(0)] * c for _ in range(c)]).reshape(c, c)
        left = np.block([[M, -J.T], [J, zero]])
        right = np.concatenate([force, -np.concatenate(biases)])
        found = np.array(list(mp.lu_solve(mp.matrix(left.tolist()), mp.matrix(right.tolist()))))
        acc, multipliers = found[:n], found[n:]
        accelerations = [x for J, bias in moved for x in J @ acc + bias]
        for beam in self.model.beams:
            accelerations += list(self.own(acc, beam)[3:])
        loads, place = {}, 0
        for hinge, row in zip(self.model.hinges, rows, strict=True):
            push = applied[hinge.name] + row.T @ multipliers[place : place + len(row)]
            place += len(row)
            loads |= self.load(hinge, push)
        return BeamMotion(
            np.array(accelerations, dtype=float),
            loads,
            float(kinetic + potential + self.strain(self.y)),
            {b.name: np.array(self.own(self.y, b)[:3], dtype=float) for b in self.model.bodies},
            float(np.linalg.cond(left.astype(float), 1)),
        )

    def law(self, hinge: Hinge, own: slice) -> Vector:
        count = own.stop - own.start
        values = dict(self.values) | {TIME: self.time}
        for j in range(count):
            values[hinge_symbol("q", j + 1)] = self.q[own][j]
            values[hinge_symbol("u", j + 1)] = self.v[own][j]
        if not hinge.force:
            return np.array([mp.mpf(0)] * count)
        names = sorted(values, key=str)
        function = sp.lambdify(names, [sp.sympify(x) for x in hinge.force], "mpmath")
        return np.array([mp.mpf(x) for x in function(*(values[name] for name in names))])

    def load(self, hinge: Hinge, push: Vector) -> dict[str, Vector]:
        """What a hinge does to the body away from the ground, at its point there."""
        tips = [joint.tip for joint in joints(self.tree) if joint.tip in hinge.ends]
        cut_off = hinge.ends[0] if hinge.ends[1].body == GROUND else hinge.ends[1]
        tip = tips[0] if tips else cut_off
        body = self.model.body(tip.body)
        fx, fy, moment = self.own(push, body)[:3]
        x, y = self.end(self.y, tip)[:2] - self.own(self.y, body)[:2]
        return {str(tip): np.array([moment - (x * fy - y * fx), -fx, -fy], dtype=float)}


def beam_motion(
    model: Model,
    q: Sequence[float],
    v: Sequence[float],
    tau: Sequence[float] | None = None,
    wrenches: Vector | None = None,
    t: float = 0.0,
) -> BeamMotion:
    """Accelerations, loads and energy of planar bodies and beams; cut hinges hold like others."""
    with mp.workdps(DIGITS):
        judge = Judge(model, q, v, t)
        no_load = np.zeros((len(model.bodies), 6))
        return judge.motion(
            [0.0] * len(model.speeds) if tau is None else tau,
            no_load if wrenches is None else np.asarray(wrenches),
        )


def beyond(pose: Vector, relative: Vector) -> Vector:
    """The pose (x, y, angle) that is `relative` to a pose."""
    c, s = mp.cos(pose[2]), mp.sin(pose[2])
    x, y, angle = relative
    return np.array([pose[0] + c * x - s * y, pose[1] + s * x + c * y, pose[2] + angle])


def inverse(pose: Vector) -> Vector:
    c, s = mp.cos(pose[2]), mp.sin(pose[2])
    x, y, angle = pose
    return np.array([-c * x - s * y, s * x - c * y, -angle])


@cache
def gauss(count: int) -> list[tuple[Any, Any]]:
    """Points and weights on [0, 1] in 50 digits: Newton's method from double precision."""
    found = []
    with mp.workdps(DIGITS):
        for start in np.polynomial.legendre.leggauss(count)[0]:
            z = mp.findroot(lambda z: mp.legendre(count, z), mp.mpf(start))
            slope = mp.diff(lambda z: mp.legendre(count, z), z)
            found.append(((z + 1) / 2, 1 / ((1 - z**2) * slope**2)))
    return found
