"""One tree twice: as a motion by its definitions, and as a model whose programs are run."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from ..errors import InternalError
from ..model import GROUND, Body, End, Hinge, Model, Point
from ..symbolic.equations.matrices import Mat, ratio
from ..symbolic.exact import motion, screws
from ..symbolic.exact.evaluation import Points
from ..symbolic.language.arithmetic import EXACT, Arithmetic
from ..symbolic.language.interpreter import Interpreter
from ..symbolic.language.program import Program

#: A joint about or along the z axis.
SCREWS = {"revolute": sp.eye(6)[:, 2], "prismatic": sp.eye(6)[:, 5]}

#: Predecessor and kind of each joint.
Drawing = Mapping[int, tuple[int, str]]

#: A tree with a branch: bodies by what they hang on, and by which hinge.
HANGING: Drawing = {
    1: (0, "revolute"),
    2: (1, "prismatic"),
    3: (2, "revolute"),
    4: (1, "revolute"),
}


def fraction(value: Any) -> Fraction:
    return Fraction(*ratio(value))


class System:
    """A tree of generic bodies in a generic state; joint i carries body i, body 0 is the ground.

    An angle is a name for a rational point of the circle: the number 1000 + i stands for joint i's,
    and its cosine and sine are looked up. Without `outer` frames a joint's frame is the body's own.
    """

    def __init__(self, seed: int, tree: Drawing, outer: bool = True) -> None:
        draw = Points(seed)
        joints, bodies, rates = {}, {}, {}
        for i, (pred, kind) in tree.items():
            first, second = (screws.pose(draw.rotation(3), draw.vector(3)) for _ in range(2))
            frames = first, second if outer else sp.eye(4)
            turns = kind == "revolute"
            circle = draw.circle() if turns else (sp.Integer(1), sp.Integer(0))
            step = motion.Step(SCREWS[kind], (0,))
            joints[i] = motion.Joint(pred, i, (step,), *frames, (circle,))
            bodies[i] = motion.Body.drawn(draw)
            start = sp.Integer(1000 + i) if turns else draw.number()
            rates[i, 0] = [start, *(draw.number() for _ in range(4))]
        self.kinds = {i: kind for i, (_, kind) in tree.items()}
        self.tree = motion.Tree(joints, bodies, rates)
        self.gravity = draw.vector(3)

    @cached_property
    def model(self) -> Model:
        tree = self.tree

        def point(name: str, pose: sp.Matrix) -> Point:
            turn = tuple(map(tuple, pose[:3, :3].tolist()))
            return Point(name, tuple(pose[:3, 3]), turn)

        def inputs(i: int) -> tuple[Point, ...]:
            return tuple(point(f"I{k}", tree.joints[k].inner) for k in tree.children(i))

        bodies = tuple(
            Body(
                str(i),
                body.mass,
                tuple(map(tuple, body.J.tolist())),
                tuple(body.centre),
                (point("O", tree.joints[i].outer), *inputs(i)),
            )
            for i, body in tree.bodies.items()
        )
        hinges = tuple(
            Hinge(
                f"h{i}",
                self.kinds[i],
                (End(str(joint.pred) if joint.pred else GROUND, f"I{i}"), End(str(i), "O")),
            )
            for i, joint in tree.joints.items()
        )
        gravity = tuple(self.gravity)
        return Model("system", 3, bodies, hinges, gravity, absolute=False, ground=inputs(0))

    def run(
        self,
        program: Program,
        entry: str,
        others: Mapping[str, list[Fraction]] | None = None,
        **of: int,
    ) -> Run:
        """An entry whose arguments are derivatives of the coordinates, `q=0, v=1`, and others."""
        order = [int(name.removeprefix("qh")) for name in program.sets["coordinates"]]
        given = {
            name: [fraction(self.tree.rates[i, 0][k]) for i in order] for name, k in of.items()
        }
        return Run(program, self.arithmetic, entry, given | dict(others or {}))

    @property
    def arithmetic(self) -> Arithmetic:
        circles = {
            fraction(self.tree.rates[i, 0][0]): tuple(map(fraction, joint.circle[0]))
            for i, joint in self.tree.joints.items()
        }
        return on_circles(circles)


def on_circles(circles: Mapping[Fraction, tuple[Fraction, ...]]) -> Arithmetic:
    """Exact arithmetic in which an angle has its cosine and its sine given."""

    def found(x: Fraction, k: int) -> Fraction:
        return circles[x][k] if x in circles else Fraction(1 - k) if x == 0 else _unknown(x)

    functions = {**EXACT.functions, "cos": lambda x: found(x, 0), "sin": lambda x: found(x, 1)}
    return Arithmetic("exact", EXACT.make, functions, EXACT.size)


def _unknown(x: Fraction) -> Fraction:
    raise InternalError(f"the angle {x} has no cosine here")


class Run:
    """A program's values at an instant, by array and member."""

    def __init__(
        self,
        program: Program,
        arithmetic: Arithmetic,
        entry: str,
        arguments: Mapping[str, list[Fraction]],
        parameters: Mapping[str, Fraction] | None = None,
    ) -> None:
        self.program = program
        values = Interpreter(program, arithmetic, parameters).run(entry, arguments)
        self.values = {(ref.array, str(ref.member)): found for ref, found in values.items()}

    def of(self, array: str, member: object) -> Mat:
        """An array's matrix at a member."""
        port = self.program.arrays[array].port
        rows = [[Fraction()] * port.cols for _ in range(port.rows)]
        for (i, j), value in zip(port.entries, self.values[array, str(member)], strict=True):
            rows[i][j] = Fraction(value)
            if port.symmetric:
                rows[j][i] = Fraction(value)
        return Mat.of_rows(rows, port.cols)
