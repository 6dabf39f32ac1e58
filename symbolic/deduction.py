"""The deduction theorem: the overall transfer equation as blocks of named element matrices.

Every state is extended by s, which each U passes unchanged: the beams' modal accelerations, as
in the paper, and the hinges' open relative ones (own: a hinge does not determine its own). Each
brings a row that says what force drives it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Literal

from ..errors import InternalError
from ..model import Model
from .directions import transfer
from .transfer import Boundary, Element, Pair, Transfer
from .vectors import Layout

RowKind = Literal["main", "geometric", "modal", "hinge"]


@dataclass(frozen=True)
class Factor:
    """A named matrix: `letter` with `indices`; `order` k where H_I1 depends on it (L > 2).

    `U`: transfer matrix (13), (19), (20); `H`: geometric matrix (14), (21), (22); `G`: the
    rows of a hinge (own) or of a beam; `C`: both ends of a cut (34), (35); `I`: the unit matrix.
    """

    letter: str
    indices: tuple[str, ...] = ()
    order: int = 0

    def text(self) -> str:
        """The factor as `U_5,I1`."""
        name = self.letter + (f"_{','.join(self.indices)}" if self.indices else "")
        return f"{name}^({self.order})" if self.order else name


UNIT = Factor("I")
CUT = Factor("C")


@dataclass(frozen=True)
class Term:
    """A signed product: `head` if any, the element matrices from `tip` to `place`, `C` if any.

    `place` is an element and the number of an input of it, 0 for its output. Without a tip it
    is the head alone.
    """

    sign: int
    head: Factor | None = None
    tip: int | None = None
    place: tuple[int, int] = (0, 0)
    paired: bool = False


@dataclass(frozen=True)
class Row:
    """A block row: a tree's main row, the geometric row of a body's further input, a beam's
    modal row, a hinge's.

    `element` is the tree's last one, the body, the beam or the hinge; `entry` the number of the
    tree (from 0) or of the input; `size` how many equations it stands for.
    """

    kind: RowKind
    element: int
    entry: int
    size: int


@dataclass(frozen=True)
class Counts:
    """Unknowns and equations, each with what they belong to.

    Source
        Own; they are equal since the further inputs are one fewer than the tips.
    """

    unknowns: tuple[tuple[str, int], ...]
    equations: tuple[tuple[str, int], ...]

    @property
    def unknown(self) -> int:
        return sum(number for _, number in self.unknowns)

    @property
    def given(self) -> int:
        return sum(number for _, number in self.equations)


@dataclass(frozen=True)
class OverallEquation:
    """U_all z_all = 0 of a model.

    `rows` are the main rows, the geometric, the modal, then the hinges'. `columns` are the ends
    (numbers in `transfer.ends`) whose states make up z_all; those that a cut drops are in
    `opened` only, the z_all before the cuts' ends are paired.

    Shape
        A state has 13 entries in space, 7 in the plane, and one for each entry of s.
    Sign
        The paper's: q, −m act on an element at an input, −q, +m at its output.
    Source
        Deduction paper, Sect. 5; (8), (12), (32), (33), (36)–(39); hinge rows own.
    """

    transfer: Transfer
    rows: tuple[Row, ...]

    @property
    def opened(self) -> tuple[int, ...]:
        return tuple(range(len(self.transfer.ends)))

    @cached_property
    def columns(self) -> tuple[int, ...]:
        dropped = {pair.dropped for pair in self.transfer.pairs}
        return tuple(end for end in self.opened if end not in dropped)

    @cached_property
    def auxiliaries(self) -> tuple[Element, ...]:
        """The elements with modal or open relative accelerations, whose list is s."""
        return tuple(element for element in self.transfer.elements if element.freedoms)

    @cached_property
    def counts(self) -> Counts:
        """How many unknowns there are, and how many equations.

        Raises
            InternalError: they are not equally many.
        """
        n = Layout(self.transfer.model.dimension).motions
        held = [end for end in self.columns if self.transfer.ends[end].condition != "cut"]
        cut = len(self.columns) - len(held)
        modes = sum(element.freedoms for element in self.auxiliaries if element.is_beam)
        hinged = sum(element.freedoms for element in self.auxiliaries) - modes
        unknowns = (
            ("states of boundary ends", n * len(held)),
            ("states at cuts", 2 * n * cut),
            ("modal accelerations", modes),
            ("relative accelerations in hinges", hinged),
        )
        equations = tuple(
            (f"{kind} rows", sum(row.size for row in self.rows if row.kind == kind))
            for kind in ("main", "geometric", "modal", "hinge")
        )
        found = Counts(
            tuple(item for item in unknowns if item[1]),
            tuple(item for item in equations if item[1]),
        )
        if found.unknown != found.given:
            raise InternalError(f"{found.given} equations for {found.unknown} unknowns")
        return found

    def end(self, column: int) -> Boundary:
        """The end of a column."""
        return self.transfer.ends[column]

    def block(self, row: Row, column: int, opened: bool = False) -> tuple[Term, ...]:
        """The sum of products in a row at an end's column; none is a zero block.

        `opened`: before the ends of cuts are paired.
        """
        own = self._own(row, column)
        partner = None if opened else self._partners.get(column)
        if partner is None:
            return own
        other = self._own(row, partner.dropped)
        return (*own, *(term if partner.ring else replace(term, paired=True) for term in other))

    @cached_property
    def _partners(self) -> dict[int, Pair]:
        return {pair.kept: pair for pair in self.transfer.pairs}

    def _own(self, row: Row, column: int) -> tuple[Term, ...]:
        element = self.transfer.elements[row.element]
        if row.kind == "main":
            tree = self.transfer.trees[row.entry]
            if column == tree.root:
                return (Term(-1, UNIT),)
            place = (row.element, 0)
            return (Term(1, None, column, place),) if column in range(*tree.tips) else ()
        if row.kind == "hinge":
            head = Factor("G", (element.label,))
            place = (row.element, 0)
            return (Term(1, head, column, place),) if column in range(*element.tips[0]) else ()
        if row.kind == "modal":
            return tuple(
                Term(1, Factor("G", element.index(entry)), column, (row.element, entry))
                for entry, tips in enumerate(element.tips, start=1)
                if column in range(*tips)
            )
        k = row.entry
        for sign, entry in ((1, 1), (-1, k)):
            if column in range(*element.tips[entry - 1]):
                order = k if entry == 1 and len(element.inputs) > 2 else 0
                head = Factor("H", element.index(entry), order)
                return (Term(sign, head, column, (row.element, entry)),)
        return ()

    def length(self, term: Term) -> int:
        """How many element matrices a term's product has, head and `C` not counted."""
        if term.tip is None:
            return 0
        depth, (element, entry) = self.transfer.depth, term.place
        return depth[self.end(term.tip).element] - depth[element] + (entry == 0)

    def route(self, term: Term) -> tuple[tuple[int, int], ...]:
        """The elements of a term's product, each with the input that it is entered by.

        They are in transfer order: the one next to the tip, which stands right, first.
        """
        if term.tip is None:
            return ()
        return tuple(islice(self.transfer.route(term.tip), self.length(term)))

    def matrix(self, element: int, entry: int) -> Factor:
        """The name of an element's transfer matrix at an input."""
        return Factor("U", self.transfer.elements[element].index(entry))

    def factors(self, term: Term) -> tuple[Factor, ...]:
        """All factors of a term from left to right: head, element matrices, `C`."""
        head = () if term.head is None else (term.head,)
        matrices = [self.matrix(*place) for place in reversed(self.route(term))]
        return (*head, *matrices, *((CUT,) if term.paired else ()))


def deduce(system: Model | Transfer) -> OverallEquation:
    """The overall transfer equation of a model, by the deduction theorem.

    Raises
        ModelError: a first input that the model names is an output end.
    Source
        Deduction paper, Sect. 5; the hinges' rows are own.
    """
    found = system if isinstance(system, Transfer) else transfer(system)
    n = Layout(found.model.dimension).motions
    main = [
        Row("main", found.ends[tree.root].element, number, 2 * n)
        for number, tree in enumerate(found.trees)
    ]
    geometric = [
        Row("geometric", i, entry, n)
        for i, element in reversed(list(enumerate(found.elements)))
        for entry in range(2, len(element.inputs) + 1)
    ]
    driven = [
        Row("modal" if element.is_beam else "hinge", i, 1, element.freedoms)
        for i, element in reversed(list(enumerate(found.elements)))
        if element.freedoms
    ]
    driven.sort(key=lambda row: row.kind == "hinge")
    return OverallEquation(found, (*main, *geometric, *driven))
