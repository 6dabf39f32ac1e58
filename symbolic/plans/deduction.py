"""The deduction theorem: the overall transfer equation as blocks of named element matrices.

Every state is extended by s, which each U passes unchanged: the beams' modal accelerations, as
in the paper, and the hinges' open relative ones (own: a hinge does not determine its own). Each
brings a row that says what force drives it. Last in s stand the loads of coupled hinges, each with
the row of its coupling.

What is shown and what is computed both read this equation: its rows say at which places they
read states and by which matrices, its columns which entries of them are unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Literal

from ...errors import InternalError
from ...model import Beam, Hinge, Model
from ...model.expressions.quantities import told
from ...model.parts.bodies import beam_speeds
from ...shown import Shown
from ..mechanics.vectors import Layout
from .directions import transfer
from .transfer import Boundary, Condition, Element, Pair, Transfer, symbol

RowKind = Literal["main", "geometric", "modal", "hinge", "coupling"]
KINDS: tuple[RowKind, ...] = ("main", "geometric", "modal", "hinge", "coupling")


@dataclass(frozen=True)
class Factor:
    """A named matrix: `letter` with `indices`; `order` k where H_I1 depends on it (L > 2).

    `U`: transfer matrix (13), (19), (20); `H`: geometric matrix (14), (21), (22); `G`: the
    rows of a hinge (own) or of a beam; `K`: the row of a coupling (own); `C`: both ends of a cut
    (34), (35); `I`: the unit matrix.
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
class Reading:
    """What a row reads: `sign` times `head` times the state at a place.

    `place` is an element and the number of an input of it, 0 for its output.
    """

    sign: int
    head: Factor
    place: tuple[int, int]


@dataclass(frozen=True)
class Row:
    """A block row: a tree's main row, the geometric row of a body's further input, a beam's
    modal row, a hinge's, the coupling's of a hinge that follows another.

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


@dataclass(frozen=True, repr=False)
class OverallEquation(Shown):
    """U_all z_all = 0 of a model.

    `rows` are the main rows, the geometric, the modal, the hinges', the couplings'. `columns` are
    the ends (numbers in `transfer.ends`) whose states make up z_all; those that a cut drops are
    in `opened` only, the z_all before the cuts' ends are paired.

    Shape
        A state has 13 entries in space, 7 in the plane, and one for each entry of s.
    Sign
        The paper's: q, −m act on an element at an input, −q, +m at its output.
    Source
        Deduction paper, Sect. 5; (8), (12), (32), (33), (36)–(39); hinge rows own.
    """

    transfer: Transfer
    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        rows, ends = told(len(self.rows), "row"), told(len(self.columns), "end")
        size = f"{rows} of blocks, states of {ends}"
        return f"<Overall transfer equation of {self.transfer.model.name}: {size}>"

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
    def couplings(self) -> tuple[Hinge, ...]:
        """The hinges that follow others, whose loads stand last in s."""
        return tuple(hinge for hinge in self.transfer.model.hinges if hinge.mimic)

    def open_entries(self, column: int) -> tuple[int, ...]:
        """Which entries of the state at an end are unknown."""
        layout = Layout(self.transfer.model.dimension)
        n, d = layout.motions, layout.dimension
        loads = range(n, 2 * n)
        entries: dict[Condition, tuple[int, ...]] = {
            "free": tuple(range(n)),
            "clamped": tuple(loads),
            "pinned": (*range(d, n), *loads[n - d :]),
            "cut": tuple(range(2 * n)),
        }
        return entries[self.end(column).condition]

    def rates(self, element: Element) -> tuple[str, ...]:
        """Names of an element's entries of s: its speeds, or in absolute coordinates Ω̇'s."""
        model = self.transfer.model
        if element.is_beam:
            body = model.body(element.name)
            assert isinstance(body, Beam)
            return beam_speeds(body)
        if model.absolute:
            axes = "z" if model.dimension == 2 else "xyz"
            return tuple(f"{element.name} Ω̇{axis}" for axis in axes)
        return model.hinge_speeds(self.hinges[element.name])

    @cached_property
    def hinges(self) -> dict[str, Hinge]:
        return {hinge.name: hinge for hinge in self.transfer.model.hinges}

    @cached_property
    def unknowns(self) -> tuple[str, ...]:
        """Names of the unknowns: entries of the ends' states, column by column, then of s.

        The solver of `algorithm="overall"` has the same, in the same order.
        """
        labels = Layout(self.transfer.model.dimension).labels
        found = [
            f"{symbol(self.end(column).indices)} {labels[entry]}"
            for column in self.columns
            for entry in self.open_entries(column)
        ]
        found += [name for element in self.auxiliaries for name in self.rates(element)]
        return (*found, *(f"{hinge.name} coupling load" for hinge in self.couplings))

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
            ("loads of couplings", len(self.couplings)),
        )
        equations = tuple(
            (f"{kind} rows", sum(row.size for row in self.rows if row.kind == kind))
            for kind in KINDS
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

    def readings(self, row: Row) -> tuple[Reading, ...]:
        """The states that a row reads, each with its matrix; a main row its root's besides."""
        i, element = row.element, self.transfer.elements[row.element]
        if row.kind == "main":
            return (Reading(1, UNIT, (i, 0)),)
        if row.kind == "geometric":
            order = row.entry if len(element.inputs) > 2 else 0
            first = Factor("H", element.index(1), order)
            further = Factor("H", element.index(row.entry))
            return (Reading(1, first, (i, 1)), Reading(-1, further, (i, row.entry)))
        if row.kind == "modal":
            entries = range(1, len(element.inputs) + 1)
            return tuple(Reading(1, Factor("G", element.index(k)), (i, k)) for k in entries)
        letter = "G" if row.kind == "hinge" else "K"
        return (Reading(1, Factor(letter, (element.label,)), (i, 0)),)

    def tips(self, place: tuple[int, int]) -> range:
        """The tips behind a place, as numbers of ends."""
        tips = self.transfer.elements[place[0]].tips
        return range(*tips[place[1] - 1]) if place[1] else range(tips[0][0], tips[-1][1])

    def _own(self, row: Row, column: int) -> tuple[Term, ...]:
        if row.kind == "main" and column == self.transfer.trees[row.entry].root:
            return (Term(-1, UNIT),)
        return tuple(
            Term(
                reading.sign, None if reading.head == UNIT else reading.head, column, reading.place
            )
            for reading in self.readings(row)
            if column in self.tips(reading.place)
        )

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
    labels = {hinge.name for hinge in found.model.hinges if hinge.mimic}
    own: list[Row] = []
    for i, element in reversed(list(enumerate(found.elements))):
        if element.freedoms:
            own.append(Row("modal" if element.is_beam else "hinge", i, 1, element.freedoms))
        if not element.is_body and element.name in labels:
            own.append(Row("coupling", i, 1, 1))
    own.sort(key=lambda row: KINDS.index(row.kind))
    return OverallEquation(found, (*main, *geometric, *own))
