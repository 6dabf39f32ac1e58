"""Systems of rigid bodies: as models, which the theorem is applied to, and in their true motion.

States of ends are taken from the motion: places differentiated, and what hinges exert by Newton
and Euler. Nothing here knows a transfer matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import sympy as sp

from ...model import Body, End, Hinge, Model, Point
from ...symbolic.exact import motion as moving
from ...symbolic.exact import screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import Joint, Motion, Step
from ...symbolic.exact.once import once
from ...symbolic.exact.series import Series
from ...symbolic.exact.true_motion import Loaded, closed, exerted
from ...symbolic.mechanics.planar import kept
from ...symbolic.plans.deduction import OverallEquation, deduce
from ...symbolic.plans.transfer import Element

#: The twists that each kind allows in space; those of the plane that are others.
FREE: dict[str, tuple[tuple[int, ...], ...]] = {
    "revolute": ((2,),),
    "pin": ((2,),),
    "prismatic": ((5,),),
    "cylindrical": ((2,), (5,)),
    "ball": ((0, 1, 2),),
    "fixed": (),
    "free": ((3, 4, 5), (0, 1, 2)),
}
PLANE: dict[str, tuple[tuple[int, ...], ...]] = {"prismatic": ((3,),), "free": ((3,), (4,), (2,))}


@dataclass(frozen=True)
class Plan:
    """Hinges as `label kind predecessor successor`, bodies by number, 0 the ground.

    Each body is the successor of one hinge that is not cut. `tips` are bodies with a free end,
    `elastic` hinges that leave all free but exert something, as springs do.
    """

    dimension: int
    hinges: tuple[str, ...]
    tips: tuple[int, ...]
    cuts: tuple[str, ...] = ()
    elastic: tuple[str, ...] = ()

    @cached_property
    def joined(self) -> dict[str, tuple[str, int, int]]:
        """Kind, predecessor and successor by label."""
        split = (text.split() for text in self.hinges)
        return {label: (kind, int(pred), int(succ)) for label, kind, pred, succ in split}

    def free(self, hinge: str) -> tuple[tuple[int, ...], ...]:
        """Of a hinge's twists (ω, v) in its own axes those that it allows, in turn."""
        kind = self.joined[hinge][0]
        return (FREE | PLANE if self.dimension == 2 else FREE)[kind]

    @cached_property
    def tree(self) -> dict[int, str]:
        """The hinge that carries each body."""
        joined = self.joined.items()
        return {succ: label for label, (_, _, succ) in joined if label not in self.cuts}

    @cached_property
    def model(self) -> Model:
        """The same as a model, of which the theorem needs the joints alone."""
        d = self.dimension
        none = (0,) * d
        points: dict[int, list[Point]] = {i: [] for i in (0, *self.tree)}
        for label, (_, pred, succ) in self.joined.items():
            for i in (pred, succ):
                points[i].append(Point(at(label), none))
        for i in self.tips:
            points[i].append(Point("tip", none))
        one = 1 if d == 2 else ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        return Model(
            "system",
            d,
            tuple(Body(str(i), 1, one, none, tuple(points[i])) for i in self.tree),
            tuple(
                Hinge(
                    label,
                    kind,
                    (End(str(pred), at(label)), End(str(succ), at(label))),
                    force=(1,) * (3 if d == 2 else 6) if label in self.elastic else (),
                )
                for label, (kind, pred, succ) in self.joined.items()
            ),
            none,
            absolute=False,
            cuts=self.cuts,
            ground=tuple(points[0]),
        )


def at(hinge: str) -> str:
    """The name of a hinge's points."""
    return f"h{hinge}"


class System:
    """A plan drawn at random, in its true motion under random loads."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan = plan
        self.equation: OverallEquation = deduce(plan.model)
        draw = Points(seed)
        self.tree: moving.TreeOf[Any] = closed(_drawn(plan, draw), draw)
        self.motion: Motion = self.tree.motion
        self.loads = {i: self._load(draw) for i in self.tree.bodies}
        driven = {element.name for element in self.equation.auxiliaries} - {*plan.cuts}
        self.drives = {name: self._load(draw) for name in sorted(driven)}
        found = Loaded(self.tree, {i: self._all_loads(i) for i in self.tree.bodies})
        self.tree, self.held = found.moving, found.solution[1]
        self.motion = self.tree.motion

    def _all_loads(self, i: int) -> sp.Matrix:
        """(f, t) on a body about its centre, what drives its hinges included."""
        centre = self.motion.point(i, self.tree.bodies[i].centre).value
        total = self.loads[i]
        for hinge in self.drives:
            if i in self.plan.joined[hinge][1:]:
                drive = self.drive(hinge, centre)
                total = total + (drive if i == self.plan.joined[hinge][2] else -drive)
        return total

    def drive(self, hinge: str, about: sp.Matrix) -> sp.Matrix:
        """(f, t) that drives the successor, drawn about the origin; the predecessor feels −(f, t).

        Nothing drives a cut hinge.
        """
        given = self.drives.get(hinge, sp.zeros(6, 1))
        f, t = given[:3, :], given[3:, :]
        return f.col_join(t - about.cross(f))

    def _load(self, draw: Points) -> sp.Matrix:
        load = draw.vector(6)
        if self.plan.dimension == 2:
            load[2] = load[3] = load[4] = 0
        return load

    # Where an end is, and how it moves

    def joint(self, hinge: str) -> Joint:
        _, _, succ = self.plan.joined[hinge]
        return self.tree.cuts[int(hinge)] if hinge in self.plan.cuts else self.tree.joints[succ]

    def coordinate(self, hinge: str, m: int, symbol: sp.Symbol) -> dict[sp.Expr, sp.Expr]:
        """The value of a hinge's coordinate, its cosine and its sine."""
        succ = self.plan.joined[hinge][2]
        c, s = self.tree.joints[succ].circle[m]
        return {symbol: self.tree.rates[succ, m][0], sp.cos(symbol): c, sp.sin(symbol): s}

    @once
    def frame(self, end: End) -> Series:
        """The pose of a hinge's frame at its end; of a tip, of axes along the body's."""
        i = int(end.body)
        if end.point == "tip":
            local = screws.pose(sp.eye(3), TIP)
        else:
            joint = self.joint(end.point[1:])
            local = joint.inner if i == joint.pred else joint.outer
        return self.motion.C[i] @ self.motion.constant(local)

    def r(self, end: End) -> Series:
        return self.frame(end).map(screws.place)

    def Omega(self, body: str) -> Series:
        """Angular velocity."""
        return self.motion.spin(int(body))

    # What hinges exert

    @once
    def wrench(self, hinge: str, body: int, about: tuple[sp.Expr, ...]) -> sp.Matrix:
        """(f, t) that a hinge exerts on a body that it joins, about a place."""
        _, _, succ = self.plan.joined[hinge]
        if body != succ:
            return -self.wrench(hinge, succ, about)
        place, number = sp.Matrix(about), int(hinge) if hinge in self.plan.cuts else succ
        return exerted(self.tree, self.loads, self.held, number, place)

    # States

    @once
    def accelerations(self, hinge: str) -> sp.Matrix:
        """The relative accelerations in a hinge, of the successor's frame in the predecessor's."""
        _, pred, succ = self.plan.joined[hinge]
        parts = (self.frame(End(str(i), at(hinge))) for i in (pred, succ))
        first, second = parts
        gap = moving.inverse(first) @ second
        moved = moving.stacked(moving.spin(gap.map(screws.turn)), gap.map(screws.place).rate)
        free = [k for part in self.plan.free(hinge) for k in part]
        return moved.at(1).extract(free, [0])

    @cached_property
    def s(self) -> sp.Matrix:
        """The auxiliaries: relative accelerations in the hinges, in the order of the elements."""
        own = (self.accelerations(element.name) for element in self.equation.auxiliaries)
        return sp.Matrix.vstack(sp.zeros(0, 1), *own)

    @property
    def n(self) -> int:
        return 3 if self.plan.dimension == 2 else 6

    def state(self, end: End, entering: bool) -> sp.Matrix:
        """z = (r̈, Ω̇, m, q, s, 1) of an end: the state that enters its body there, or leaves it."""
        place = self.r(end)
        spun = self.Omega(end.body).at(1)
        load = sp.zeros(6, 1)
        if end.point != "tip":
            load = self.wrench(end.point[1:], int(end.body), tuple(place.value))
        sign = 1 if entering else -1
        whole = sp.Matrix.vstack(place.at(2), spun, -sign * load[3:, :], sign * load[:3, :])
        return sp.Matrix([*self.planar(whole), *self.s, 1])

    @property
    def pieces(self) -> tuple[slice, ...]:
        """Where (r̈, Ω̇), m, q, s and 1 stand in a state."""
        n, d, s = self.n, self.plan.dimension, len(self.s)
        bounds = (0, n, 2 * n - d, 2 * n, 2 * n + s, 2 * n + s + 1)
        return tuple(slice(*pair) for pair in pairwise(bounds))

    def planar(self, whole: sp.Matrix) -> sp.Matrix:
        """What the plane keeps of (r̈, Ω̇, m, q)."""
        if self.plan.dimension == 3:
            return whole
        return whole.extract([i for i in kept() if i < 12], [0])

    def input(self, element: Element, k: int = 1) -> sp.Matrix:
        """z of an element's k-th input."""
        return self.state(element.inputs[k - 1], element.is_body)

    def output(self, element: Element) -> sp.Matrix:
        return self.state(element.output, not element.is_body)

    def boundary(self, column: int) -> sp.Matrix:
        """z of a boundary end, by its number in the equation."""
        end = self.equation.end(column)
        is_body = self.equation.transfer.elements[end.element].is_body
        return self.state(end.at, (end.entry > 0) == is_body)


#: Where a tip is in its body.
TIP = sp.Matrix([2, -1, 0])


def _drawn(plan: Plan, draw: Points) -> moving.Tree:
    def frame() -> sp.Matrix:
        return screws.pose(draw.turn(plan.dimension), draw.place(plan.dimension))

    def attached(label: str, inner: sp.Matrix, outer: sp.Matrix) -> Joint:
        unit, count = sp.eye(6), 0
        steps, circle = [], []
        _, pred, succ = plan.joined[label]
        for part in plan.free(label):
            steps.append(Step(unit[:, list(part)], tuple(range(count, count + len(part)))))
            count += len(part)
            circle += (
                [draw.circle()] if len(part) == 1 else [(sp.Integer(1), sp.Integer(0))] * len(part)
            )
        return Joint(pred, succ, tuple(steps), inner, outer, tuple(circle))

    joints, rates, bodies = {}, {}, {}
    for succ, label in plan.tree.items():
        joints[succ] = joint = attached(label, frame(), frame())
        alone = [len(part) == 1 for part in plan.free(label) for _ in part]
        for m in range(joint.count):
            start = draw.number() if alone[m] else sp.Integer(0)
            rates[succ, m] = [start, draw.number(), sp.Integer(0)]
        bodies[succ] = moving.Body.drawn(draw, plan.dimension)
    tree = moving.Tree(joints, bodies, rates)
    cuts = {}
    for label in plan.cuts:
        _, pred, succ = plan.joined[label]
        place = frame()
        inner, outer = (screws.inverse(tree.motion.C[i].value) * place for i in (pred, succ))
        cuts[int(label)] = attached(label, inner, outer)
    return moving.Tree(joints, bodies, rates, cuts)
