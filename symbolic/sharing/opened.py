"""Hinges that share a coordinate in the sweeps: see `kernels`.

An *open* coordinate passes through the links between its hinges and their meet. Its values at a
body, before the body's hinge, are kept by body and leader, and a number once others are eliminated
there; those behind the hinge by link and leader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Protocol

import sympy as sp

from ..language.program import Array, Call, Port, Ref
from ..language.walk import Binding, Place
from ..mechanics.space import Space
from ..plans.plan import Link, Plan
from . import kernels


@dataclass(frozen=True)
class Group:
    """The links that move by a leader's coordinate, and the link inside them all, or none."""

    leader: str
    links: tuple[str, ...]
    meet: str

    def opens(self, plan: Plan) -> Iterator[str]:
        """The links whose hinges its open coordinate passes."""
        for link in self.links:
            for name in plan.way(link):
                if name == self.meet:
                    break
                yield name


def groups(plan: Plan) -> list[Group]:
    """The hinges of every shared coordinate."""
    followers = plan.model.followers
    found = []
    for leader in dict.fromkeys(x.hinge for x in followers.values()):
        own = {leader, *(name for name, x in followers.items() if x.hinge == leader)}
        links = tuple(link.name for link in plan.links if link.hinge in own)
        ways = [plan.way(name)[1:] for name in links]
        meet = next((body for body in ways[0] if all(body in way for way in ways)), "")
        found.append(Group(leader, links, meet))
    return found


class Moving(Protocol):
    """The links of a tree with their hinges, see `tree.joint.Joint`."""

    plan: Plan
    dimension: int
    space: Space

    def freedom(self, link: Link) -> int: ...

    def grounded(self, array: str) -> Ref | sp.Matrix: ...

    @property
    def call(self) -> Callable[..., Call]:
        """A kernel at a link with its ports bound, see `tree.walking.Tree`."""


class Sharing:
    """The open coordinates of a tree."""

    def __init__(self, tree: Moving) -> None:
        self.tree = tree
        self.groups = groups(tree.plan)
        self.by_leader = {group.leader: group for group in self.groups}
        self.leader = {name: group.leader for group in self.groups for name in group.links}
        #: By link the leaders whose coordinates pass its hinge.
        self.open: dict[str, list[str]] = {link.name: [] for link in tree.plan.links}
        for group in self.groups:
            for name in dict.fromkeys(group.opens(tree.plan)):
                self.open[name].append(group.leader)

    def __bool__(self) -> bool:
        return bool(self.groups)

    def touches(self, link: Link) -> bool:
        """Does a shared coordinate pass the link's hinge, or end at the link?"""
        return bool(self.open[link.name] or self._ending(link.name))

    def _ending(self, body: str) -> list[str]:
        return [group.leader for group in self.groups if group.meet == body]

    def _arriving(self, link: Link) -> list[str]:
        here = {leader for child in link.children for leader in self.open[child]}
        return [group.leader for group in self.groups if group.leader in here]

    def _left(self, link: Link) -> list[str]:
        ending = self._ending(link.name)
        return [leader for leader in self._arriving(link) if leader not in ending]

    # Inwards

    def gathered(self, link: Link) -> Iterator[Call]:
        """What arrives at a link, and what ends there."""
        yield from self._gathered(link.name, link.children)

    def grounded(self) -> Iterator[Call]:
        """What arrives at the ground and ends there."""
        yield from self._gathered("", [link.name for link in self.tree.plan.roots])

    def _gathered(self, body: str, children: Sequence[str]) -> Iterator[Call]:
        d = self.tree.dimension
        here = [
            group.leader
            for group in self.groups
            if any(group.leader in self.open[child] for child in children)
        ]
        for leader in here:
            inputs = [child for child in children if leader in self.open[child]]
            reads = {
                f"{x}_I{k}": Ref(x, _at(child, leader))
                for k, child in enumerate(inputs, 1)
                for x in ("Yt", "et")
            }
            writes = {x: Ref(x, _at(body, leader)) for x in ("Y", "eps")}
            yield Call(kernels.gathered.of(dimension=d, count=len(inputs)), body, reads, writes)
        for pair in combinations_with_replacement(here, 2):
            inputs = [child for child in children if {*pair} <= {*self.open[child]}]
            reads = {f"St_I{k}": Ref("St", _at(x, *pair)) for k, x in enumerate(inputs, 1)}
            writes = {"S": Ref("S", _at(body, *pair))}
            yield Call(kernels.paired.of(dimension=d, count=len(inputs)), body, reads, writes)
        for number, leader in enumerate(self._ending(body)):
            yield from self._eliminated(body, leader, here, number)

    def _eliminated(self, body: str, leader: str, here: list[str], number: int) -> Iterator[Call]:
        """A coordinate is eliminated; those after it, and those that go on, no longer see it."""
        d = self.tree.dimension
        reads = {x: Ref(x, _at(body, leader, stage=number)) for x in ("Y", "eps")}
        reads["S"] = Ref("S", _at(body, leader, leader, stage=number))
        writes = {x: Ref(x, leader) for x in ("inv", "B", "b", "IAc", "pAc")}
        yield Call(kernels.eliminated.of(dimension=d), body, reads, writes)
        others = self._others(body, leader, here)
        for other in others:
            two = [x for x in here if x in (leader, other)]
            reads = {
                "Yh": Ref("Y", _at(body, other, stage=number)),
                "et": Ref("eps", _at(body, other, stage=number)),
                "St": Ref("S", _at(body, *two, stage=number)),
                "eps_1": Ref("eps", _at(body, leader, stage=number)),
                "B": Ref("B", leader),
                "inv": Ref("inv", leader),
            }
            writes = {x: Ref(x, _at(body, other, stage=number + 1)) for x in ("Y", "eps")}
            writes["R"] = Ref("R", _at(leader, other))
            yield Call(kernels.cleared.of(dimension=d), body, reads, writes)
        for pair in combinations_with_replacement(others, 2):
            first, second = pair
            with_first = [x for x in here if x in (leader, second)]
            reads = {
                "St": Ref("S", _at(body, *pair, stage=number)),
                "R": Ref("R", _at(leader, first)),
                "St_1": Ref("S", _at(body, *with_first, stage=number)),
            }
            writes = {"S": Ref("S", _at(body, *pair, stage=number + 1))}
            yield Call(kernels.cleared_pair.of(dimension=d), body, reads, writes)

    def _others(self, body: str, leader: str, here: list[str]) -> list[str]:
        """What is still open at a body once a leader's coordinate is eliminated."""
        ending = self._ending(body)
        gone = ending[: ending.index(leader) + 1]
        return [x for x in here if x not in gone]

    def closings(self, link: Link) -> Mapping[str, Ref]:
        """What the coordinates that end at a link add to it, by the ports that take it."""
        ending = enumerate(self._ending(link.name), 1)
        return {f"{x}_{k}": Ref(x, leader) for k, leader in ending for x in ("IAc", "pAc")}

    def passed(self, link: Link) -> Iterator[Call]:
        """What goes on behind a link's hinge."""
        tree, name = self.tree, link.name
        own, passing = self.leader.get(name), self._left(link)
        stage = len(self._ending(name))

        def here(word: str, *leaders: str) -> Ref:
            ordered = [x for x in passing if x in leaders]
            return Ref(word, _at(name, *(ordered if len(leaders) > 1 else leaders), stage=stage))

        def behind(word: str, *leaders: str) -> Ref:
            ordered = [x for x in self.open[name] if x in leaders]
            return Ref(word, _at(name, *(ordered if len({*leaders}) > 1 else leaders)))

        freedom = 0 if own else tree.freedom(link)
        first = own not in passing
        for leader in self.open[name]:
            if leader == own:
                kernel = kernels.joins.at(tree, link, first=first)
            else:
                kernel = kernels.passes.at(tree, link, freedom=freedom)
            reads: dict[str, Binding] = {x: here(x, leader) for x in ("Y", "eps")}
            reads["S"] = Ref("S", _at(name, leader, leader, stage=stage))
            writes = {x: behind(x, leader) for x in ("Yh", "et", "Yt")}
            writes |= {x: Ref(f"{x}{freedom}", _at(name, leader)) for x in ("P", "N")}
            writes["St"] = behind("St", leader, leader)
            yield tree.call(kernel, link, reads, writes)
        for pair in combinations_with_replacement(self.open[name], 2):
            if pair == (own, own):
                continue
            if own in pair:
                (other,) = (x for x in pair if x != own)
                kernel = kernels.beside.at(tree, link, first=first)
                reads = {"Y": here("Y", other), "S": here("S", *pair)}
            elif freedom:
                kernel = kernels.passes_pair.at(tree, link)
                reads = {"S": Ref("S", _at(name, *pair, stage=stage))}
                reads["P"] = Ref(f"P{freedom}", _at(name, pair[0]))
                reads["N"] = Ref(f"N{freedom}", _at(name, pair[1]))
            else:
                kernel = kernels.paired.of(dimension=tree.dimension, count=1)
                reads = {"St_I1": Ref("S", _at(name, *pair, stage=stage))}
                yield Call(kernel, name, reads, {"S": Ref("St", _at(name, *pair))})
                continue
            yield tree.call(kernel, link, reads, {"St": Ref("St", _at(name, *pair))})

    # Outwards

    def known(self, link: Link) -> Iterator[Call]:
        """k of a link's hinge, once the open coordinates are known."""
        freedom, opens = self.tree.freedom(link), self.open[link.name]
        if opens and freedom and link.name not in self.leader:
            kernel = kernels.known.of(
                dimension=self.tree.dimension, count=freedom, opens=len(opens)
            )
            reads = {f"k{freedom}": Ref(f"k{freedom}", link.name)}
            for k, leader in enumerate(opens, 1):
                reads |= {f"N_{k}": Ref(f"N{freedom}", _at(link.name, leader))}
                reads |= {f"sdd_{k}": Ref("sdd", leader)}
            yield Call(kernel, link.name, reads, {"km": Ref(f"km{freedom}", link.name)})

    def rates(self, link: Link) -> tuple[Mapping[str, Binding], Mapping[str, Place | Ref]]:
        """What a link's hinge accelerates by, and where its acceleration is kept."""
        freedom = self.tree.freedom(link)
        if link.name in self.leader:
            n = self.tree.space.motion
            leader = self.leader[link.name]
            reads: dict[str, Binding] = {"G1": sp.zeros(1, n), "k1": Ref("sdd", leader)}
            return reads, {} if link.hinge == leader else {"a_1": Ref("follows", link.name)}
        opened = freedom and self.open[link.name]
        return ({f"k{freedom}": Place(f"km{freedom}", "own")} if opened else {}), {}

    def ended(self, link: Link) -> Iterator[Call]:
        """The accelerations of the coordinates that end at a link."""
        yield from self._ended(link.name, Ref("acc", link.name), self._arriving(link))

    def started(self) -> Iterator[Call]:
        """The accelerations of the coordinates that end at the ground."""
        here = {leader for link in self.tree.plan.roots for leader in self.open[link.name]}
        arriving = [group.leader for group in self.groups if group.leader in here]
        yield from self._ended("", self.tree.grounded("acc"), arriving)

    def _ended(self, body: str, acc: Binding, here: list[str]) -> Iterator[Call]:
        assert not isinstance(acc, Place)
        for leader in reversed(self._ending(body)):
            others = self._others(body, leader, here)
            kernel = kernels.accelerated.of(dimension=self.tree.dimension, count=len(others))
            reads: dict[str, Ref | sp.Matrix] = {x: Ref(x, leader) for x in ("b", "B")}
            reads["acc"] = acc
            for k, other in enumerate(others, 1):
                reads |= {f"R_{k}": Ref("R", _at(leader, other)), f"sdd_{k}": Ref("sdd", other)}
            yield Call(kernel, body, reads, {"sdd": Ref("sdd", leader)})

    def biased(self, link: Link) -> Iterator[Call]:
        """What a link demands without acceleration, the open coordinates being known."""
        opens = self.open[link.name]
        if opens:
            kernel = kernels.bias.of(dimension=self.tree.dimension, opens=len(opens))
            reads = {"pAh": Ref("pAh", link.name)}
            for k, leader in enumerate(opens, 1):
                reads |= {f"Yh_{k}": Ref("Yh", _at(link.name, leader))}
                reads |= {f"sdd_{k}": Ref("sdd", leader)}
            yield Call(kernel, link.name, reads, {"pAm": Ref("pAm", link.name)})

    # What they add to a program

    def arrays(self) -> Iterator[Array]:
        """What is kept of the open coordinates beside what links keep."""
        n = self.tree.space.motion
        shapes = {
            "open": {"Y": (n, 1), "eps": (1, 1), "Yh": (n, 1), "et": (1, 1), "Yt": (n, 1)},
            "open pairs": {"S": (1, 1), "St": (1, 1), "R": (1, 1)},
            "shared": {
                "inv": (1, 1), "B": (n, 1), "b": (1, 1),
                "sdd": (1, 1), "IAc": (n, n), "pAc": (n, 1),
            },
        }  # fmt: skip
        for index_set, found in shapes.items():
            for name, (rows, cols) in found.items():
                port = Port(name, rows, cols, symmetric=name == "IAc")
                yield Array(name, index_set, port)
        freedoms = {
            self.tree.freedom(link) for link in self.tree.plan.links if self.open[link.name]
        }
        for freedom in sorted(freedoms - {0}):
            for name in ("P", "N"):
                yield Array(f"{name}{freedom}", "open", Port(f"{name}{freedom}", freedom))

    def sets(self) -> dict[str, tuple[str, ...]]:
        """The index sets of these arrays."""
        leaders = [group.leader for group in self.groups]
        bodies = ["", *self.open]
        stages = range(len(leaders) + 1)
        one = (_at(b, x, stage=s) for b in bodies for x in leaders for s in stages)
        pairs = [*combinations_with_replacement(leaders, 2)]
        two = [_at(b, *pair, stage=s) for b in bodies for pair in pairs for s in stages]
        turned = [_at(x, y) for x in leaders for y in leaders]
        return {
            "open": tuple(one),
            "open pairs": tuple(dict.fromkeys([*two, *turned])),
            "shared": tuple(leaders),
        }


def _at(body: str, *leaders: str, stage: int = 0) -> str:
    """The member of a body or link and one or two leaders, once so many others are eliminated."""
    return " ".join((body, *leaders, *("′" * bool(stage),) * stage))
