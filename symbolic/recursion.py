"""S and e at every end of a tree, composed symbolically on request and under a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from ..errors import DerivationError
from ..model import GROUND, Model
from . import riccati
from .budget import Budget
from .elements import body_matrix, input_accelerations, relations, single_input_matrix
from .exact import ExactMatrix, Field, identity, stack, zeros
from .plan import Link, Plan
from .riccati import Coefficients, Split, free_tip, pinned_tip
from .vectors import Layout, load_reversal


@dataclass(frozen=True)
class Reach:
    """How an input's motion and loads are expressed at the first input."""

    motion: ExactMatrix
    load: ExactMatrix
    centripetal: ExactMatrix


class Recursion:
    """Algorithms A and B of a tree in exact arithmetic, from the tips towards the root.

    A body with several inputs joins what they transmit at its first input; a chain at the
    output of the multi-input body nearest to the root may also be swept in reverse. `values`, if
    given, are exact numbers for all symbols: S and e at one point, without any growth.

    Source
        Riccati paper, Sect. 4, with the completed hinge; branches joined by own means.
    """

    def __init__(
        self, plan: Plan, budget: Budget, values: Mapping[sp.Expr, sp.Expr] | None = None
    ) -> None:
        self.plan = plan
        self.values = dict(values or {})
        self.model: Model = plan.model
        self.budget = budget
        self.layout = Layout(plan.model.dimension)
        self._output: dict[str, Coefficients] = {}
        self._input: dict[tuple[str, str], Coefficients] = {}
        self._reverse: dict[tuple[str, str], Coefficients] = {}

    @cached_property
    def free(self) -> Split:
        return free_tip(self.layout)

    @cached_property
    def pinned(self) -> Split:
        return pinned_tip(self.layout)

    def field_of(self, link: Link, matrix: sp.Matrix) -> Field:
        """The field of a body's matrix."""
        return Field.of(matrix, self.budget, relations(self.model, link.name))

    def at_output(self, body: str) -> Coefficients:
        """S, e at a body's output, before the hinge there (free-tip split)."""
        if body not in self._output:
            for name in self._upstream(body):
                if name not in self._output:
                    self._output[name] = self._through_body(self.plan.link(name))
        return self._output[body]

    def at_input(self, body: str, point: str) -> Coefficients:
        """S, e at a body's input, behind the hinge there (free end: zero)."""
        link = self.plan.link(body)
        if point in link.inputs:
            if (body, point) not in self._input:
                child = link.children[link.inputs.index(point)]
                self._input[body, point] = self._through_hinge(self.at_output(child))
            return self._input[body, point]
        n = self.layout.motions
        field = Field((), self.budget)
        return Coefficients(zeros(field, n, n), zeros(field, n, 1))

    def at_ground(self) -> Coefficients:
        """S, e behind the root hinge."""
        return self._through_hinge(self.at_output(self.plan.root.name))

    def _upstream(self, body: str) -> list[str]:
        """The bodies that hang on this one, and itself, every body after its children."""
        found, pending = [], [body]
        while pending:
            name = pending.pop()
            found.append(name)
            pending.extend(self.plan.link(name).children)
        return found[::-1]

    def _through_body(self, link: Link) -> Coefficients:
        U = single_input_matrix(self.model, link).xreplace(self.values)
        field = self.field_of(link, U)
        joined = self.at_input(link.name, link.inputs[0] if link.inputs else "")
        field = field.joined(joined.S.field)
        for point in link.inputs[1:]:
            field = field.joined(self.at_input(link.name, point).S.field)
        joined = _over(joined, field)
        for k, point in enumerate(link.inputs[1:], start=2):
            more = _over(self.at_input(link.name, point), field)
            reach = self._reach(link, k, field)
            moved = riccati.transmitted(more, reach.motion, reach.load, reach.centripetal)
            joined = Coefficients(joined.S + moved.S, joined.e + moved.e)
        after, _ = riccati.step(riccati.rearrange(field.matrix(U), self.free), joined)
        return after

    def _through_hinge(self, at: Coefficients) -> Coefficients:
        after, _ = riccati.hinge_step(at, self.free, identity(at.S.field, self.layout.motions))
        return after

    def _reach(self, link: Link, k: int, field: Field) -> Reach:
        layout = Layout(self.model.dimension, len(link.inputs))
        rows = field.matrix(input_accelerations(self.model, link, k).xreplace(self.values))
        n, translations = layout.motions, list(range(layout.translations))
        E = rows.extract(translations, list(layout.angular))
        spins = list(layout.angular)
        one = identity(field, n)
        lever = stack(
            [[rows.extract(translations, list(range(n)))], [one.extract(spins, range(n))]]
        )
        load = stack(
            [
                [identity(field, layout.rotations), -E.T],
                [
                    zeros(field, layout.translations, layout.rotations),
                    one.extract(translations, translations),
                ],
            ]
        )
        centripetal = stack(
            [[rows.extract(translations, [layout.one])], [zeros(field, layout.rotations, 1)]]
        )
        return Reach(lever, load, centripetal)

    def in_reverse(self, body: str, point: str) -> Coefficients:
        """S, e at an end of the root chain, swept from the ground (pinned split).

        The reversed body gives `U⁻¹ = Σ U_rev Σ`; the split is that of the pinned root for
        the whole chain. At a body's output the hinge there is behind; its input before the
        next hinge.

        Raises
            DerivationError: the body is not on the chain between ground and the nearest body
                with several inputs.
        """
        chain = self.root_chain()
        if body not in (*chain, self._chain_end()):
            raise DerivationError(
                f"{body}:{point} is not on the root chain, which is: {', '.join(chain) or 'empty'}",
                equation="step (B2)",
            )
        link = self.plan.link(body)
        if (body, point) not in self._reverse:
            if point == link.output:
                found = self._reverse_through_root_side(link)
            else:
                found = self._reverse_through_body(link)
            self._reverse[body, point] = found
        return self._reverse[body, point]

    def root_chain(self) -> tuple[str, ...]:
        """The bodies between the ground and the nearest body with several inputs."""
        chain, link = [], self.plan.root
        while len(link.inputs) == 1:
            chain.append(link.name)
            link = self.plan.link(link.children[0])
        return tuple(chain) if len(link.inputs) > 1 else (*chain, link.name)

    def _chain_end(self) -> str:
        chain = self.root_chain()
        if not chain:
            return self.plan.root.name
        last = self.plan.link(chain[-1])
        return last.children[0] if last.children else last.name

    def _reverse_through_root_side(self, link: Link) -> Coefficients:
        if link.parent is None:
            n = self.layout.motions
            field = Field((), self.budget)
            return Coefficients(zeros(field, n, n), zeros(field, n, 1))
        parent = self.plan.link(link.parent)
        at = self.in_reverse(parent.name, parent.inputs[0])
        after, _ = riccati.hinge_step(at, self.pinned, identity(at.S.field, self.layout.motions))
        return after

    def _reverse_through_body(self, link: Link) -> Coefficients:
        U = self.inverse_matrix(link)
        at = self.in_reverse(link.name, link.output)
        field = self.field_of(link, U).joined(at.S.field)
        blocks = riccati.rearrange(field.matrix(U), self.pinned)
        after, _ = riccati.step(blocks, _over(at, field))
        return after

    def inverse_matrix(self, link: Link) -> sp.Matrix:
        """U⁻¹ = Σ U_rev Σ of a body with one input, from the reversed body."""
        sign = load_reversal(self.model.dimension)
        reverse = single_input_matrix(self.model, link, reverse=True).xreplace(self.values)
        return sign * reverse * sign

    def exact_matrix(self, body: str) -> ExactMatrix:
        """The body's transfer matrix (4) or (8)."""
        link = self.plan.link(body)
        U = body_matrix(self.model, link).xreplace(self.values)
        return self.field_of(link, U).matrix(U)

    def reverse_ends(self) -> tuple[str, ...]:
        """The ends of the root chain in the order of its reverse sweep."""
        names = []
        for body in self.root_chain():
            link = self.plan.link(body)
            points = link.inputs or link.free[:1]
            names += [f"{body}:{link.output}", *(f"{body}:{point}" for point in points)]
        end = self.plan.link(self._chain_end())
        if len(end.inputs) > 1:
            names.append(f"{end.name}:{end.output}")
        return tuple(names)

    def ends(self) -> tuple[str, ...]:
        """Every end at which S and e exist, in sweep order: `body:point`, ground last."""
        names = []
        for link in self.plan.links:
            points = link.inputs or link.free[:1]
            names += [f"{link.name}:{point}" for point in points]
            names.append(f"{link.name}:{link.output}")
        return (*names, f"{GROUND}:O")


def _over(at: Coefficients, field: Field) -> Coefficients:
    return Coefficients(at.S.over(field), at.e.over(field))
