"""A branch system in symbols: its chains, and the matrices that Algorithm B's program states.

The program is that of the paper's form, with the printed hinge (10) and with the completed one;
what it states is composed in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial, reduce

import sympy as sp

from ..exact.budget import Budget
from ..exact.points import circle_point
from ..exact.rational import ExactMatrix, Field, stack
from ..mechanics.vectors import Layout
from ..methods.riccati.printed import printed_program
from ..methods.riccati.recursion import Coefficients, free_tip, pivot, rearrange
from ..plans.plan import Plan
from .reading import Reading
from .results import Form, Line, beside

END = Layout(2)
SPLIT = free_tip(END)

FORMS: tuple[Form, Form] = ("printed", "completed")


def side_by_side(*parts: ExactMatrix) -> ExactMatrix:
    """One matrix of several, in one field."""
    field = reduce(Field.joined, (part.field for part in parts))
    return stack([[part.over(field) for part in parts]])


def times(exact: ExactMatrix, vector: sp.Matrix) -> ExactMatrix:
    """A matrix times a column of symbols."""
    left, right = beside(exact, vector)
    return left @ right


def state(end: str) -> sp.Matrix:
    """The planar state of an end (35), as symbols."""
    names = ("ddx", "ddy", "dOmega", "mz", "qx", "qy")
    return sp.Matrix([*(sp.Symbol(f"{name}{end}", real=True) for name in names), 1])


def motion(end: str) -> sp.Matrix:
    """(r̈, Ω̇, 1) of an end, as symbols."""
    return state(end).extract([*SPLIT.b, END.one], [0])


class Branch:
    """A branch system: its chains, from their tips, and the body where they meet."""

    def __init__(self, chosen: Plan, budget: Budget) -> None:
        self.plan, self.budget = chosen, budget
        self.body = next(link for link in chosen.links if len(link.inputs) > 1)
        self.chains: list[tuple[str, ...]] = []
        for child in self.body.children:
            names = [child]
            while further := chosen.link(names[0]).children:
                names.insert(0, further[0])
            self.chains.append(tuple(names))

    @cached_property
    def readings(self) -> dict[bool, Reading]:
        """The program with the printed hinge and with the completed one."""
        model = self.plan.model
        names = {"q": model.coordinates, "v": model.speeds, "t": ("t",)}
        runtime = tuple(model.parameters)
        return {
            form: Reading(printed_program(self.plan, form, runtime), names)
            for form in (False, True)
        }

    def read(self, name: str, completed: bool = True) -> ExactMatrix:
        """A matrix that the program states, in exact arithmetic."""
        return self.readings[completed].composed(name, self.budget)

    def at(self, name: str, completed: bool = True) -> Callable[[], ExactMatrix]:
        return partial(self.read, name, completed)

    def block(self, name: str, block: str, completed: bool = True) -> Callable[[], ExactMatrix]:
        """A block of (20) of an element's matrix."""
        return lambda: getattr(rearrange(self.read(name, completed), SPLIT), block)

    def turned(self, hinge: str, S: str) -> ExactMatrix:
        """T21 S + T22 of a printed hinge (24)."""
        U, before = beside(self.read(hinge, False), self.read(S, False).matrix())
        found: ExactMatrix = pivot(rearrange(U, SPLIT), Coefficients(before, before))
        return found

    def affine(self, slope: str, offset: str, end: str) -> ExactMatrix:
        """A slope times (r̈, Ω̇) of an end, and an offset."""
        return times(side_by_side(self.read(slope), self.read(offset)), motion(end))

    def whole(self, loads: ExactMatrix, end: str) -> ExactMatrix:
        """The state of an end that has these loads."""
        loads, z_b = beside(loads, motion(end))
        return stack([[z_b.extract(range(3), [0])], [loads], [z_b.extract([3], [0])]])

    @property
    def size(self) -> int:
        """The unknowns of (59)."""
        return 3 * len(self.chains) + 3

    def rank(self, completed: bool) -> int:
        """The exact rank of (59) at a rational point of the unit circles."""
        matrix = self.read(f"Ubar[{self.body.name}]", completed)
        return int(matrix.at(circle_point(matrix.field.expressions, seed=1)).rank())

    def empty_rows(self, completed: bool) -> tuple[int, ...]:
        """The rows of (59), counted from 1, that vanish identically, right side included."""
        matrix, right = (self.read(f"{x}[{self.body.name}]", completed) for x in ("Ubar", "b"))
        return tuple(
            i + 1 for i in range(matrix.rows) if not any(matrix.entries[i]) and not right[i, 0]
        )

    def rank_lines(self, completed: bool, _: sp.Matrix) -> tuple[Line, ...]:
        """What shows the rank of (59)."""
        rows = ", ".join(map(str, self.empty_rows(completed)))
        vanish = f"rows that vanish identically in all symbols: {rows}"
        exact = "exact rank at a rational point (cosines and sines rational)"
        return (
            Line(vanish if rows else "no row vanishes identically"),
            Line(f"{exact}: {self.rank(completed)} of {self.size}"),
            Line(self.sentence(completed)),
        )

    def sentence(self, completed: bool) -> str:
        """What rank and vanishing rows of (59) say."""
        rank, empty = self.rank(completed), self.empty_rows(completed)
        says = "" if completed else "formed from (57) as the text before (59) says; "
        says += f"{FORMS[completed]}, the system has rank {rank} of {self.size}"
        if rank < self.size:
            says += " and determines no motion"
        first, *others = self.body.children
        demands = dict(
            zip((4, *range(9, self.size + 1, 3)), (self.body.name, *others), strict=True)
        )
        asks = {row: f"m = 0 at the output of body {body}" for row, body in demands.items()}
        if empty:
            rows = ", ".join(f"row {x}" + (f" ({asks[x]})" if x in asks else "") for x in empty)
            says += f"; these read 0 = 0, as the hinge (10) has already built them in: {rows}"
        if completed:
            kept = ", ".join(f"row {row} says {asks[row]}" for row in asks if row != 4)
            says += (
                f"; the hinges in the chains set their own moments to zero, so that {kept}, and "
                f"row 4 is replaced by m = 0 at the output of body {first}"
            )
        return says
