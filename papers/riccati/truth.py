"""The Riccati paper's example in its true motion, which judges what is derived of it.

States of ends come from places, differentiated, and from what pins exert by Newton's law, on
particles. Where pins exert couples and tips are pushed every column of a body's matrix counts;
where they do not a pin is smooth, which S and e rest on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import sympy as sp

from ...model import Body as Rigid
from ...model.expressions.quantities import exact_expression
from ...symbolic.exact import screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import Body, Joint, Step, Tree
from ...symbolic.exact.true_motion import Loaded, exerted
from ...symbolic.plans.elements import angle, spin
from ...symbolic.plans.plan import Link, Plan

Values = Mapping[sp.Expr, sp.Expr]


class Moving:
    """A planar tree of pins in its true motion; these bodies' outputs exert couples."""

    def __init__(
        self, chosen: Plan, values: Values, couples: Collection[str], pushed: bool = False
    ) -> None:
        self.model, self.values = chosen.model, values
        self.links = {link.name: link for link in reversed(chosen.links)}
        self.rigid = {body.name: body for body in chosen.model.bodies if isinstance(body, Rigid)}
        self.number = {name: k for k, name in enumerate(self.links, start=1)}
        draw = Points(17)
        gravity = self._vector(chosen.model.gravity)
        self.couple = {name: int(name in couples) * draw.number() for name in self.links}
        self.pushed = {
            name: int(pushed) * (draw.vector(3) if link.free else sp.zeros(3, 1))
            for name, link in self.links.items()
        }
        joints, bodies, rates, loads = {}, {}, {}, {}
        for name, link in self.links.items():
            i, body = self.number[name], self.rigid[name]
            joints[i] = self._pin(link)
            bodies[i] = self._particles(name)
            before = self._speed(link.parent) if link.parent else sp.Integer(0)
            rates[i, 0] = [sp.Integer(1), self._speed(name) - before, sp.Integer(0)]
            loads[i] = sp.Matrix.vstack(self._value(body.mass) * gravity, sp.zeros(3, 1))
        for name, link in self.links.items():
            i = self.number[name]
            loads[i][5] += self.couple[name]
            if link.parent:
                loads[self.number[link.parent]][5] -= self.couple[name]
            if link.free:
                f = sp.Matrix([*self.pushed[name][:2], 0])
                arm = self._R(name) * (self.point(name, link.free[0]) - bodies[i].centre)
                loads[i][:3, :] += f
                loads[i][5] += arm.cross(f)[2] - self.pushed[name][2]
        self.loads = loads
        self.tree = Loaded(Tree(joints, bodies, rates), loads).moving

    def _value(self, x: object) -> sp.Expr:
        return exact_expression(x).xreplace(self.values)

    def _vector(self, entries: tuple[object, ...]) -> sp.Matrix:
        return sp.Matrix([*map(self._value, entries), 0])

    def _speed(self, name: str) -> sp.Expr:
        return self._value(spin(self.model, name)[0])

    def _R(self, name: str) -> sp.Matrix:
        c, s = (self._value(f(angle(name))) for f in (sp.cos, sp.sin))
        return sp.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])

    def point(self, name: str, end: str) -> sp.Matrix:
        """Where an end is in its body."""
        (found,) = (p for p in self.rigid[name].points if p.name == end)
        return self._vector(found.position)

    def _pin(self, link: Link) -> Joint:
        inner, R = sp.zeros(3, 1), sp.eye(3)
        if link.parent:
            up = self.links[link.parent]
            inner = self.point(link.parent, up.inputs[up.children.index(link.name)])
            R = self._R(link.parent).T
        turned = R * self._R(link.name)
        before = screws.pose(sp.eye(3), inner)
        after = screws.pose(sp.eye(3), self.point(link.name, link.output))
        step = Step(sp.eye(6)[:, 2], (0,))
        ends = self.number.get(link.parent or "", 0), self.number[link.name]
        return Joint(*ends, (step,), before, after, ((turned[0, 0], turned[1, 0]),))

    def _particles(self, name: str) -> Body:
        """A pair beside the centre that has the body's inertia, and the rest in it."""
        body, beside = self.rigid[name], sp.eye(3)[:, 0]
        mass, inertia = self._value(body.mass), self._value(body.inertia)
        centre = self._vector(body.centre)
        masses = sp.Matrix([inertia / 2, inertia / 2, mass - inertia])
        return Body(masses, sp.Matrix.hstack(centre + beside, centre - beside, centre))

    def state(self, name: str, end: str) -> sp.Matrix:
        """z = (ẍ, ÿ, Ω̇, m, q_x, q_y, 1) of an end of a body."""
        i, link = self.number[name], self.links[name]
        motion = self.tree.motion
        moved = [*motion.point(i, self.point(name, end)).at(2)[:2], motion.spin(i).at(1)[2]]
        if end in link.free:
            x, y, couple = self.pushed[name]
            return sp.Matrix([*moved, couple, x, y, 1])
        giver = name if end == link.output else link.children[link.inputs.index(end)]
        x, y, *_ = -exerted(self.tree, self.loads, {}, self.number[giver], sp.zeros(3, 1))
        return sp.Matrix([*moved, self.couple[giver], x, y, 1])
