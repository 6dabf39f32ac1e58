"""The programs of inverse dynamics, run in exact fractions on a tree that is drawn.

A model's programs know angles by their cosines and sines alone, so an angle is a number that names
a rational point of the circle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import sympy as sp

from ...model import GROUND, Body, End, Hinge, Model, Point
from ...symbolic.equations.matrices import Mat
from ...symbolic.exact import motion as moving
from ...symbolic.exact import screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.language.arithmetic import EXACT, Arithmetic
from ...symbolic.language.interpreter import Interpreter
from ...symbolic.language.program import Program, Ref
from ...symbolic.methods.inverse.places import Representation
from ...symbolic.methods.inverse.program import inverse_program
from ...symbolic.plans.plan import plan
from .particles import forces
from .tree import ORDER, Tree, one_freedom

#: Bodies by what they hang on, and by which hinge.
HANGING = {1: (0, "revolute"), 2: (1, "prismatic"), 3: (2, "revolute"), 4: (1, "revolute")}

#: A hinge's screw along the third axis of its frame.
ALONG = {"revolute": sp.eye(6)[:, 2], "prismatic": sp.eye(6)[:, 5]}

#: The names of angles are beyond all lengths.
ANGLES = 1000


class Drawn:
    """One tree twice: as a motion by its definitions, and as a model whose programs are run."""

    def __init__(self, seed: int) -> None:
        draw = Points(seed)
        self.gravity = draw.vector(3)
        # Programs describe a link from its output hinge's frame, which is the body's here.
        self.inner = {i: screws.pose(draw.rotation(3), draw.vector(3)) for i in HANGING}
        joints, bodies, rates = {}, {}, {}
        for i, (parent, kind) in HANGING.items():
            turns = kind == "revolute"
            circle = draw.circle() if turns else (sp.Integer(1), sp.Integer(0))
            joints[i] = one_freedom(parent, i, ALONG[kind], self.inner[i], circle)
            bodies[i] = moving.Body.drawn(draw)
            start = sp.Integer(ANGLES + i) if turns else draw.number()
            rates[i, 0] = [start, *(draw.number() for _ in range(ORDER))]
        self.tree = Tree(joints, bodies, rates)

    def model(self) -> Model:
        """The same bodies and hinges as a model."""
        tree = self.tree

        def place(name: str, pose: sp.Matrix) -> Point:
            axes = tuple(map(tuple, screws.turn(pose).tolist()))
            return Point(name, tuple(screws.place(pose)), axes)

        def inner(i: int) -> tuple[Point, ...]:
            return tuple(place(f"I{k}", self.inner[k]) for k in tree.children(i))

        bodies = tuple(
            Body(
                str(i),
                body.mass,
                tuple(map(tuple, body.J.tolist())),
                tuple(body.centre),
                (place("O", sp.eye(4)), *inner(i)),
            )
            for i, body in tree.bodies.items()
        )
        hinges = tuple(
            Hinge(f"h{i}", kind, (End(str(p) if p else GROUND, f"I{i}"), End(str(i), "O")))
            for i, (p, kind) in HANGING.items()
        )
        gravity = tuple(self.gravity)
        return Model("drawn", 3, bodies, hinges, gravity, absolute=False, ground=inner(0))

    def arithmetic(self) -> Arithmetic:
        """Fractions, with cosines and sines of the names of angles."""
        known = {ANGLES + i: joint.circle[0] for i, joint in self.tree.joints.items()}

        def looked_up(k: int) -> Callable[[Fraction], Fraction]:
            return lambda x: fraction(known[int(x)][k]) if x else Fraction(1 - k)

        return replace(
            EXACT, functions={**EXACT.functions, "cos": looked_up(0), "sin": looked_up(1)}
        )

    @cache  # noqa: B019
    def swept(self, of: Representation) -> Swept:
        """What inverse dynamics in a representation computes, forces on all particles acting."""
        program = inverse_program(
            plan(self.model()), of=of, regroup=False, forced=False, loaded=True
        )
        order = [int(name.removeprefix("qh")) for name in program.sets["coordinates"]]
        rates = [[fraction(self.tree.rates[i, 0][k]) for i in order] for k in range(3)]
        loads = [x for name in program.sets["bodies"] for x in self._load(int(name))]
        arguments = dict(zip(("q", "v", "ad", "f"), (*rates, loads), strict=True))
        found = Interpreter(program, self.arithmetic()).run("inverse_dynamics", arguments)
        return Swept(program, found)

    def _load(self, i: int) -> list[Fraction]:
        """Force at the body's centre of mass, and couple, of what acts on its particles."""
        f, x = forces(self.tree)[i], self.tree.motion.x(i).value
        centre = self.tree.motion.point(i, self.tree.bodies[i].centre).value
        couple = sum(((x[:, n] - centre).cross(f[:, n]) for n in range(f.cols)), sp.zeros(3, 1))
        force = f * sp.ones(f.cols, 1)
        return [fraction(y) for y in (*force, *couple)]


@dataclass(frozen=True, eq=False)
class Swept:
    """A program's values at the instant, by array and member."""

    program: Program
    values: Mapping[Ref, list[Fraction]]

    def of(self, array: str, member: str) -> Mat:
        port = self.program.arrays[array].port
        rows = [[Fraction(0)] * port.cols for _ in range(port.rows)]
        for (i, j), x in zip(port.entries, self.values[Ref(array, member)], strict=True):
            rows[i][j] = Fraction(x)
        return Mat.of_rows(rows, port.cols)

    def screw(self, array: str, i: int) -> Mat:
        """A twist or wrench of body i, angular part first; programs have it last."""
        return self.of(array, str(i)).part((3, 4, 5, 0, 1, 2), range(1))


def fraction(x: sp.Expr) -> Fraction:
    return Fraction(int(x.p), int(x.q))
