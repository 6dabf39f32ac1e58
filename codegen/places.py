"""Where the numbers of members stand in the caller's buffers, as names for C."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .blocks import Module
from .interface import Interface

#: A set of more members is not listed: the k-th one's numbers stand at k times their width.
LISTED = 64

#: The buffers whose places are named: what a number is called, the set, the buffer.
NAMED = (
    ("Q", "coordinates", "q", "Where a coordinate stands in q"),
    ("V", "speeds", "v", "Where a speed stands in v, and its acceleration in a"),
    ("LOADS", "ends", "loads", "Where the loads at an end begin in loads: moment, then force"),
    ("POSE", "bodies", "poses", "Where a body's pose begins in poses: four rows of four"),
)


@dataclass(frozen=True)
class Places:
    """Names of the places in a buffer."""

    title: str
    members: tuple[tuple[str, int], ...]


def places(module: Module, interface: Interface) -> tuple[Places, ...]:
    """The places in the buffers that the code has, where the members are few."""
    found = []
    for prefix, index_set, buffer, title in NAMED:
        members = module.program.sets.get(index_set, ())
        size = interface.sizes.get(buffer, 0)
        names = [f"{prefix}_{_name(member)}" for member in members]
        width = size // len(names) if names else 0
        told_apart = len(set(names)) == len(names) <= LISTED
        if width and width * len(names) == size and told_apart:
            found.append(Places(title, tuple((name, width * k) for k, name in enumerate(names))))
    return tuple(found)


def _name(member: str) -> str:
    """A member's name as a part of a C name."""
    return re.sub(r"\W+", "_", member, flags=re.ASCII).strip("_").upper()
