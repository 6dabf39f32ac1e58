"""The demonstration example, Sect. 5.1 of Riccati paper: every matrix of (36)–(62).

Body 1 is one chain; body 3 – hinge 4 – body 5 is the other; both hang by multi-hinge 8 on
body 7, whose centre is pinned to the ceiling. Each matrix is computed from the body matrices
that Newton's law gives; where the printed hinge (10) and the completed one differ, in both
forms.
"""

from __future__ import annotations

from functools import cached_property

import sympy as sp

from ...model import Model, load
from ..exact.budget import Budget
from ..exact.points import circle_point
from ..exact.rational import ExactMatrix, Field, generators, identity, stack, zeros
from ..mechanics.multihinge import geometric, multi_hinge, outboard_hinge, selector
from ..mechanics.vectors import Layout
from ..methods.riccati import recursion as riccati
from ..methods.riccati.recursion import Blocks, Coefficients, free_tip, rearrange
from ..plans.elements import angle, body_matrix, input_accelerations, spin
from ..plans.plan import Plan
from . import printed as prints

RODS = ("1", "3", "5", "7")
END, BOTH_INPUTS = Layout(2), Layout(2, 2)


def is_demonstration(model: Model) -> bool:
    """Whether a model is the paper's example, whatever its parameters' values and start."""
    example = load("branch-pendulum")
    return (model.bodies, model.hinges, model.gravity) == (
        example.bodies,
        example.hinges,
        example.gravity,
    )


def is_alike(model: Model) -> bool:
    """Whether a model is a branch system such as the paper's, of rods of any data."""
    example = load("branch-pendulum")

    def shape(of: Model) -> object:
        points = [(body.name, [point.name for point in body.points]) for body in of.bodies]
        return of.dimension, of.absolute, points, of.hinges

    return not model.beams and shape(model) == shape(example)


#: The rows and columns of (57) that stay in (59), counted from 0.
KEPT_ROWS = (0, 1, 2, 3, 4, 5, 7, 8, 9)
KEPT_COLUMNS = (2, 4, 5, 7, 8, 9, 11, 12, 13)
COLUMNS_OF_ONES = (6, 10, 14)


def state_symbols(end: str) -> sp.Matrix:
    """The planar state of an end (35), as symbols."""
    names = ("ddx", "ddy", "dOmega", "mz", "qx", "qy")
    return sp.Matrix([*(sp.Symbol(f"{name}{end}", real=True) for name in names), 1])


class Demonstration:
    """The example's matrices in exact arithmetic; `completed` chooses the hinge."""

    def __init__(self, plan: Plan, budget: Budget) -> None:
        self.plan = plan
        self.budget = budget
        gens = {prints.m, prints.a, prints.g, prints.c_c}
        for rod in RODS:
            gens |= {sp.sin(angle(rod)), *spin(plan.model, rod)}
            gens |= {gen for x in body_matrix(plan.model, plan.link(rod)) for gen in generators(x)}
        for end in ("1O", "5O", "7O"):
            gens |= set(state_symbols(end)[:-1])
        self.field = Field(gens, budget)
        self.split = free_tip(END)
        self._bodies: dict[str, ExactMatrix] = {}
        self._ranks: dict[bool, int] = {}

    def body(self, name: str) -> ExactMatrix:
        """U of a body: (36) of 1, 3, 5 and (49) of 7."""
        if name not in self._bodies:
            U = body_matrix(self.plan.model, self.plan.link(name))
            self._bodies[name] = self.field.matrix(U)
        return self._bodies[name]

    def one(self, n: int) -> ExactMatrix:
        return identity(self.field, n)

    def blocks(self, name: str) -> Blocks:
        """(20) of a body: (38) of body 1."""
        return rearrange(self.body(name), self.split)

    def after_first_body(self, name: str) -> Coefficients:
        """S2, e2 of body 1 or 3 (39), (40)."""
        start = Coefficients(zeros(self.field, 3, 3), zeros(self.field, 3, 1))
        return riccati.step(self.blocks(name), start)[0]

    @cached_property
    def first(self) -> Coefficients:
        return self.after_first_body("1")

    @cached_property
    def hinge4(self) -> ExactMatrix:
        """(44), from (10) with the outboard body 5."""
        hinge: ExactMatrix = outboard_hinge(self.body("5"), self.one(7), END)
        return hinge

    @cached_property
    def hinge4_blocks(self) -> Blocks:
        """(45)."""
        return rearrange(self.hinge4, self.split)

    def hinge4_pivot(self) -> ExactMatrix:
        """T21 S2 + T22 of hinge 4 (24)."""
        pivot: ExactMatrix = riccati.pivot(self.hinge4_blocks, self.after_first_body("3"))
        return pivot

    @cached_property
    def _after_hinge(self) -> dict[bool, Coefficients]:
        before = self.after_first_body("3")
        return {
            False: riccati.step(self.hinge4_blocks, before)[0],
            True: riccati.hinge_step(before, self.split, self.one(3))[0],
        }

    def third(self, completed: bool) -> Coefficients:
        """S3, e3 behind hinge 4 (46), (47)."""
        return self._after_hinge[completed]

    @cached_property
    def _after_body5(self) -> dict[bool, Coefficients]:
        T = self.blocks("5")
        return {form: riccati.step(T, self.third(form))[0] for form in (False, True)}

    def fourth(self, completed: bool) -> Coefficients:
        """S4, e4 behind body 5 (48)."""
        return self._after_body5[completed]

    def tip(self, at: Coefficients) -> ExactMatrix:
        """U_tip of (42), (48): the whole state at a chain's end from (r̈, Ω̇, 1)."""
        none, one = zeros(self.field, 3, 1), self.one(1)
        return stack([[self.one(3), none], [at.S, at.e], [none.T, one]])

    def tips(self, completed: bool) -> tuple[ExactMatrix, ExactMatrix]:
        return self.tip(self.first), self.tip(self.fourth(completed))

    @cached_property
    def loads_by_elimination(self) -> ExactMatrix:
        """z_a1,O from z_b1,O (41): the tip's accelerations eliminated from z_1,O = U_1 z_1,I."""
        T, z_b = self.blocks("1"), self.tip_unknowns("1O").extract(range(3), [0])
        at_tip = T.T22.inv() @ (z_b - T.fb)
        loads: ExactMatrix = T.T12 @ at_tip + T.fa
        return loads

    @cached_property
    def state_at_tip_1(self) -> ExactMatrix:
        """z_1,O by U_tip,1 (42)."""
        return self.tips(True)[0] @ self.tip_unknowns("1O")

    def state(self, end: str) -> ExactMatrix:
        """The planar state of an end (35)."""
        return self.field.matrix(state_symbols(end))

    @cached_property
    def output_of_body_7(self) -> ExactMatrix:
        """z_7,O = U_7 z_7,I1-I2 (50), r̈, m and q of the inputs being those of the chains' ends."""
        loads = [*END.moment(), *END.force()]
        first, second = self.state("1O"), self.state("5O")
        z = stack(
            [
                [first.extract(END.acceleration, [0])],
                [self.state("7O").extract(END.angular, [0])],
                [first.extract(loads, [0])],
                [second.extract([*loads, END.one], [0])],
            ]
        )
        return self.body("7") @ z

    @cached_property
    def output_of_multi_hinge_8(self) -> ExactMatrix:
        """z_8,O of the chains' ends (51)."""
        first, second = self.multi_hinge8
        return first @ self.state("1O") + second @ self.state("5O")

    @cached_property
    def multi_hinge8(self) -> list[ExactMatrix]:
        """Û_8,I1 and Û_8,I2 (52)."""
        return multi_hinge(self.body("7"), self.one(10), BOTH_INPUTS)

    @cached_property
    def selector(self) -> ExactMatrix:
        """H_r̈,m (55)."""
        H: ExactMatrix = selector(self.one(7), BOTH_INPUTS)
        return H

    @cached_property
    def geometric(self) -> ExactMatrix:
        """H_O1,I2 (55)."""
        rows = input_accelerations(self.plan.model, self.plan.link("7"), 2)
        H: ExactMatrix = geometric(self.field.matrix(rows), self.one(3), BOTH_INPUTS)
        return H

    def main(self, k: int) -> ExactMatrix:
        """U_7 Û_8,Ik of the main transfer equation (53)."""
        return self.body("7") @ self.multi_hinge8[k - 1]

    def compatibility(self, k: int) -> ExactMatrix:
        """The coefficient of z_Ik in the geometric equation (54)."""
        coefficient = self.geometric @ self.multi_hinge8[k - 1]
        return coefficient if k == 1 else coefficient - self.selector

    @cached_property
    def _overall(self) -> dict[bool, ExactMatrix]:
        found = {}
        for form in (False, True):
            tip1, tip2 = self.tips(form)
            found[form] = stack(
                [
                    [-self.one(7), self.main(1) @ tip1, self.main(2) @ tip2],
                    [
                        zeros(self.field, 3, 7),
                        self.compatibility(1) @ tip1,
                        self.compatibility(2) @ tip2,
                    ],
                ]
            )
        return found

    def overall(self, completed: bool) -> ExactMatrix:
        """U_all (57)."""
        return self._overall[completed]

    @cached_property
    def _reduced(self) -> dict[bool, tuple[ExactMatrix, ExactMatrix]]:
        found = {}
        for form in (False, True):
            U = self.overall(form)
            ones = [U.extract(KEPT_ROWS, [j]) for j in COLUMNS_OF_ONES]
            matrix, right = U.extract(KEPT_ROWS, KEPT_COLUMNS), -(ones[0] + ones[1] + ones[2])
            if form:
                none = zeros(self.field, 1, 3)
                moment = stack([[none, self.first.S.extract([0], range(3)), none]])
                matrix.entries[3] = moment.entries[0]
                right.entries[3] = [-self.first.e[0, 0]]
            found[form] = (matrix, right)
        return found

    def reduced(self, completed: bool) -> tuple[ExactMatrix, ExactMatrix]:
        """The 9 × 9 matrix and the right-hand side of (59).

        Completed: m = 0 at the output of body 1 stands where the printed row 4 is empty.
        """
        return self._reduced[completed]

    def rank(self, completed: bool) -> int:
        """The exact rank of (59) at a rational point of the unit circles."""
        if completed not in self._ranks:
            matrix, _ = self.reduced(completed)
            at = matrix.at(circle_point(self.field.expressions, seed=1))
            self._ranks[completed] = int(at.rank())
        return self._ranks[completed]

    def empty_rows(self, completed: bool) -> tuple[int, ...]:
        """The rows of (59), counted from 1, that vanish identically, right side included."""
        matrix, right = self.reduced(completed)
        return tuple(
            i + 1 for i in range(matrix.rows) if not any(matrix.entries[i]) and not right[i, 0]
        )

    @cached_property
    def unknowns(self) -> ExactMatrix:
        """z_all (58): the root's state, then z_b and 1 of each chain's end."""
        chains = [self.tip_unknowns(end) for end in ("1O", "5O")]
        return stack([[self.field.matrix(state_symbols("7O"))], *([block] for block in chains)])

    def tip_unknowns(self, end: str) -> ExactMatrix:
        """(r̈, Ω̇, 1) of a chain's end."""
        return self.field.matrix(state_symbols(end)).extract([*self.split.b, END.one], [0])

    @cached_property
    def reduced_unknowns(self) -> ExactMatrix:
        """z̄_all (60): what the kept columns multiply."""
        return self.unknowns.extract(KEPT_COLUMNS, [0])

    @cached_property
    def root_side(self) -> ExactMatrix:
        """z_a1,O = S2 z_b1,O + e2 (61)."""
        z_b = self.tip_unknowns("1O").extract(range(3), [0])
        z_a: ExactMatrix = self.first.S @ z_b + self.first.e
        return z_a

    @cached_property
    def tip_side(self) -> ExactMatrix:
        """z_b1,I by (33) (62)."""
        T = self.blocks("1")
        start = Coefficients(zeros(self.field, 3, 3), zeros(self.field, 3, 1))
        _, backward = riccati.step(T, start)
        z_b = self.tip_unknowns("1O").extract(range(3), [0])
        at_tip: ExactMatrix = riccati.back(start, backward, z_b)[1]
        return at_tip
