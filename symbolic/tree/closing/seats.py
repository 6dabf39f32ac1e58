"""How links find what is theirs of the loops' columns, and which of them do the same with it.

What is done at a link is told by places: its inputs, the cuts that begin there, the conditions that
pass its hinge or close there (see `finder`). So links that are alike share their kernels, and a
long row of loops is a loop over tables.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

import sympy as sp

from ....model import GROUND
from ...language.walk import Binding, Place
from ...plans.closings import Arrival, Round, Source
from ...plans.plan import Link
from ..conditions import Conditions
from ..loop_kernels import Feed
from ..reach import reaches

#: An index set and how a thing finds its member of it.
Related: TypeAlias = tuple[str, Callable[[int], str | None]]


def closing_name(place: str, r: int) -> str:
    """The name of the r-th closing at a place, for which the ground is 0."""
    return f"{'ground' if place == GROUND else place} {r}"


class Seats(Conditions):
    """What passes or closes at each link, and at the ground."""

    def kind(self, link: Link) -> Hashable:
        """What links share for which the same is done with columns."""
        rounds = self.closings.rounds[link.name]
        if not (rounds or self.active[link.name]):
            return None
        if (
            any(i >= len(self.cuts) for i in self.active[link.name])
            or link.name in self.beams.beams
        ):
            return link.name
        return (
            tuple((self._round_kind(each), self._from(link, each)) for each in rounds),
            tuple(self.widths[i] for i in self.active[link.name]),
            sp.ImmutableMatrix(self._squares(link.name)),
            self.moves(link),
            tuple(self.moves(self.plan.link(child)) for child in link.children),
        )

    def _round_kind(self, each: Round) -> Hashable:
        widths = tuple(self.widths[i] for i in each.gathered)
        feeds = tuple(self._feed(x, each.gathered) for x in each.arrivals)
        return widths, len(each.closed), feeds, self._biased_items(each)

    @staticmethod
    def _from(link: Link, each: Round) -> Hashable:
        """By what input, or at which side of a cut, what is gathered arrives."""
        return tuple(
            link.children.index(x.child) if x.child else (x.source, x.side) for x in each.arrivals
        )

    def finder(self, relation: str) -> tuple[str, Callable[[Link], str | None]] | None:
        """What a relation of a link leads to.

        The `begun K`-th cut of those that begin there, the `condition K`-th of those that pass its
        hinge; of the R-th round the `closing R` itself, its `closed R K`-th condition and the
        `open R K`-th of those left, the `bias R K`-th cut, the `bent R K`-th coupling.
        """
        word, *numbers = relation.split(" ")
        if word not in ("begun", "condition", "closing", "closed", "open", "bias", "bent"):
            return None
        *first, k = (int(x) - 1 for x in numbers)

        def found(link: Link) -> str | None:
            rounds = self.closings.closing(link.name)
            if word == "begun":
                names = [self.cuts[i].name for i in self._begun(link)]
            elif word == "condition":
                names = [*self.passing(link.name)]
            elif word == "closing":
                names = [closing_name(link.name, r) for r in range(1, len(rounds) + 1)]
            else:
                names = self._of_round(word, rounds[first[0]]) if first[0] < len(rounds) else []
            return names[k] if k < len(names) else None

        index_set = {"begun": "cuts", "bias": "cuts", "closing": "closings"}
        return index_set.get(word, "conditions"), found

    def _of_round(self, word: str, each: Round) -> list[str]:
        """The cuts or conditions that a word means of a round."""
        if word in ("bias", "bent"):
            cuts = len(self.cuts)
            own = (*self.cuts, *self.couplings)
            return [own[i].name for i in each.closed if (i < cuts) is (word == "bias")]
        return self._names(each.closed if word == "closed" else each.left)

    def _begun(self, link: Link) -> list[int]:
        rounds = self.closings.rounds[link.name]
        arrivals = (x for each in rounds for x in each.arrivals)
        return [x.items[0] for x in arrivals if x.source is Source.CUT]

    @property
    def closing_names(self) -> tuple[str, ...]:
        """The members of the index set of closings, place by place."""
        found = self.closings.rounds
        return tuple(
            closing_name(place, r)
            for place in found
            for r in range(1, len(self.closings.closing(place)) + 1)
        )

    def _feed(self, arrival: Arrival, among: tuple[int, ...], grounded: bool = False) -> Feed:
        return Feed(
            self._places(arrival.items, among),
            begins=arrival.source is Source.CUT,
            carried=arrival.carried,
            still=grounded and arrival.source is Source.LEFT,
        )

    def _seat(self, link: Link, arrival: Arrival, r: int, begun: int) -> str:
        """The relation by which a link finds what arrives."""
        if arrival.source is Source.INPUT:
            return f"input {link.children.index(arrival.child) + 1}"
        return f"begun {begun}" if arrival.source is Source.CUT else f"closing {r - 1}"

    def _biased_items(self, each: Round) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
        """Of what closes the cuts' widths, how many couplings there are, which have a bias."""
        cuts = [i for i in each.closed if i < len(self.cuts)]
        couplings = [self.couplings[i - len(self.cuts)] for i in each.closed[len(cuts) :]]
        bent = tuple(j for j, hinge in enumerate(couplings) if hinge in self.curved)
        return tuple(self.widths[i] for i in cuts), len(couplings), bent

    def moves(self, link: Link) -> bool:
        """Does anything close at a link, or at what hangs on it?"""
        return link.name in self._moving

    @cached_property
    def _moving(self) -> set[str]:
        found: set[str] = set()
        for link in self.plan.links:
            if self.closings.closing(link.name) or found & {*link.children}:
                found.add(link.name)
        return found

    def _stirs(self, arrival: Arrival) -> bool:
        """Does what arrives demand anything in a correction?"""
        return arrival.source is Source.LEFT or arrival.child in self._moving

    def _width(self, items: Iterable[int]) -> int:
        return sum(self.widths[i] for i in items)

    def _names(self, items: Iterable[int]) -> list[str]:
        return [name for i in items for name in self.names_of(i)]

    def passing(self, link: str) -> tuple[str, ...]:
        """The conditions whose columns pass a link's hinge."""
        return tuple(self._names(self.active[link]))

    def _met(self, each: Round, at: str) -> dict[str, Binding]:
        """What has been gathered for a closing."""
        size = self._width(each.gathered)
        ports = {"Eg": "E", "kg": "kb", "Lg": "L", "dg": "d", "zg": "z"}
        return {port: Place(f"met_{x}{size}", at) for port, x in ports.items()}

    @staticmethod
    def _kept(m: int, o: int, at: str) -> dict[str, Place]:
        """What a closing keeps for the way back."""
        names = {"tc": f"t{m}", "Wc": f"W{m}", "Tc": f"T{m}", "Rc": f"R{m}_{o}"}
        return {port: Place(f"met_{name}", at) for port, name in names.items()}

    @property
    def ground_rounds(self) -> range:
        """The numbers of the closings at the ground."""
        return range(1, len(self.closings.rounds[GROUND]) + 1)

    def _ground_round(self, r: int) -> Round:
        return self.closings.rounds[GROUND][r - 1]

    def ground_kind(self, r: int) -> Hashable:
        each = self._ground_round(r)
        return self._round_kind(each), tuple(self._stirs(x) for x in each.arrivals)

    @cached_property
    def at_ground(self) -> Mapping[str, Related]:
        """How a closing at the ground finds what it reads and writes; named as by links."""

        def pick(names: Callable[[Round], Sequence[str]], k: int) -> Callable[[int], str | None]:
            def found(r: int) -> str | None:
                all_of = names(self._ground_round(r))
                return all_of[k] if k < len(all_of) else None

            return found

        def most(names: Callable[[Round], Sequence[str]]) -> range:
            return range(max((len(names(x)) for x in self.closings.rounds[GROUND]), default=0))

        words: Mapping[str, tuple[str, Callable[[Round], Sequence[str]]]] = {
            "input": ("links", lambda each: [x.child for x in each.arrivals if x.child]),
            "closed": ("conditions", lambda each: self._of_round("closed", each)),
            "open": ("conditions", lambda each: self._of_round("open", each)),
            "bias": ("cuts", lambda each: self._of_round("bias", each)),
            "bent": ("conditions", lambda each: self._of_round("bent", each)),
        }
        found: dict[str, Related] = {
            f"{word} {k + 1}": (index_set, pick(names, k))
            for word, (index_set, names) in words.items()
            for k in most(names)
        }
        found["own"] = "closings", lambda r: closing_name(GROUND, r)
        found["before"] = "closings", lambda r: closing_name(GROUND, r - 1) if r > 1 else None
        return found

    def _squares(self, link: str, bends: bool = False) -> sp.Matrix:
        """R: how far, squared, a link's speeds can move the conditions that pass its hinge."""
        own = self._moved_by.get((link, bends), {})
        modes = self.beams.beams[link].modes if bends else self.mobility[link].freedom
        rows = [own.get(i, sp.zeros(self.widths[i], modes)) for i in self.active[link]]
        return sp.Matrix.vstack(sp.zeros(0, modes), *rows)

    @cached_property
    def _moved_by(self) -> Mapping[tuple[str, bool], Mapping[int, sp.Matrix]]:
        """By link, and whether its modes are meant, the squares of how far it can move items."""
        found: dict[tuple[str, bool], dict[int, sp.Matrix]] = {}
        for i, every in enumerate(reaches(self)):
            for x in every:
                found.setdefault((x.link, x.bends), {})[i] = x.squares
        return found
