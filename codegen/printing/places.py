"""Where the numbers of members stand in the caller's buffers, as names."""

from __future__ import annotations

import re
from bisect import bisect
from dataclasses import dataclass, replace
from operator import itemgetter

from ..arguments import arguments_of
from ..blocks import Module

#: A set of more members is not listed in a header: the k-th one's numbers stand at k times their
#: width. In the code the few that stand outside loops are named up to a larger number.
LISTED, LARGEST = 64, 4000

#: The buffers whose places are named: how the names begin, the buffers, whose places they are.
NAMED = (
    ("Q", ("q", "qd"), "coordinate"),
    ("V", ("v", "a", "tau"), "speed"),
    ("LOADS", ("loads",), "end: moment, then force"),
    ("STATE", ("za", "zb"), "end: six numbers each"),
    ("POSE", ("poses",), "body: four rows of four"),
)

#: The characters of a line of names.
LINE = 80


@dataclass(frozen=True)
class Places:
    """Names of the places in buffers that hold the same members' numbers."""

    title: str
    buffers: tuple[str, ...]
    members: tuple[tuple[str, int], ...]

    def name(self, position: int) -> tuple[str, int]:
        """The member to whom a number belongs, and how far from its first."""
        k = bisect(self.members, position, key=itemgetter(1)) - 1
        name, start = self.members[k]
        return name, position - start

    @property
    def rows(self) -> list[str]:
        """The names with their numbers, on lines of a readable length."""
        items = [f"{name} = {number}," for name, number in self.members]
        rows = [items[0]]
        for item in items[1:]:
            longer = f"{rows[-1]} {item}"
            rows[-1:] = [longer] if len(longer) <= LINE else [rows[-1], item]
        return [*rows[:-1], rows[-1].removesuffix(",")]


class PlaceNames:
    """The names of places in a file's code; remembers which of them were printed."""

    def __init__(self, module: Module, named: bool = True) -> None:
        self.found = places(module, LARGEST) if named else ()
        self.of = {buffer: each for each in self.found for buffer in each.buffers}
        self.used: set[str] = set()

    def text(self, buffer: str, position: int) -> str:
        """The place of a number in a buffer, by a name if it has one."""
        if buffer not in self.of:
            return str(position)
        name, further = self.of[buffer].name(position)
        self.used.add(name)
        return f"{name} + {further}" if further else name

    @property
    def all(self) -> set[str]:
        """All names, printed or not."""
        return {name for each in self.found for name, _ in each.members}

    @property
    def listed(self) -> tuple[Places, ...]:
        """Those that were printed."""
        kept = (
            replace(each, members=tuple(x for x in each.members if x[0] in self.used))
            for each in self.found
        )
        return tuple(each for each in kept if each.members)


def places(module: Module, most: int = LISTED) -> tuple[Places, ...]:
    """The places in the buffers that the code has, where the members are no more than `most`."""
    found = [_of_set(module, *named) for named in NAMED]
    found.append(_listed("P", "parameter", ("p",), module.program.runtime, 1))
    return tuple(each for each in found if each and len(each.members) <= most)


def _of_set(module: Module, prefix: str, buffers: tuple[str, ...], whose: str) -> Places | None:
    """The places of the first of these buffers, and of the others that are laid out alike."""
    used = {name for entry in module.entries for name in arguments_of(module, entry.steps)}
    given = [
        array
        for buffer in buffers
        for array in module.program.arrays.values()
        if array.owner == buffer and buffer in used and not array.columns
    ]
    if not given:
        return None
    first, width = given[0], len(given[0].port.entries)
    alike = [x for x in given if x.index_set == first.index_set and len(x.port.entries) == width]
    told = tuple(dict.fromkeys(array.owner for array in alike))
    return _listed(prefix, whose, told, module.program.sets[first.index_set], width)


def _listed(
    prefix: str, whose: str, buffers: tuple[str, ...], members: tuple[str, ...], width: int
) -> Places | None:
    if len(members) > LARGEST:
        return None
    names = [f"{prefix}_{_name(member)}" for member in members]
    if not 0 < len(set(names)) == len(names):
        return None
    *others, last = buffers
    told = f"{', '.join(others)} and {last}" if others else last
    title = f"Places in {told}, by {whose}"
    return Places(title, buffers, tuple((name, width * k) for k, name in enumerate(names)))


def _name(member: str) -> str:
    """A member's name as a part of a C name."""
    return re.sub(r"\W+", "_", member, flags=re.ASCII).strip("_").upper()
