"""Twists of frames with their first and second rates, over a tree.

The recursion outwards is that of `inverse-rates`, over a ground without gravity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ...language.program import Array, Map, Step, given, result
from ...language.slices import Wanted
from ...tree import steps as shared
from ..frames.framed import Framed
from ..inverse.places import Representation
from ..jacobians.kernels import frame as placed
from ..rates.program import Twists, twist_steps
from . import kernels


class Along(Twists, Framed):
    """The links of a tree, their twists with rates, and the frames in them."""

    rates: ClassVar[int] = len(kernels.OWN) - 1
    of_link: ClassVar[tuple[str, ...]] = ("A", "x", *kernels.OF_LINK)
    of_frame: ClassVar[tuple[str, ...]] = ("Ab", "xb", *kernels.OWN)


def steps_of(tree: Along) -> Iterator[Step]:
    """The whole method."""
    yield shared.relatives(tree)
    yield shared.spins(tree)
    yield shared.places(tree)
    yield from twist_steps(tree)
    yield from tree.choosing()
    yield Map("placed", "axes and origins of frames", tree.at_frames(placed))
    yield Map("carried", "twists of frames, with rates", tree.at_frames(kernels.carried))
    for of in Representation:
        yield Map(f"seen_{of}", f"as seen, {of}", tree.at_frames(kernels.seen, of=of))
    yield shared.rates(tree)


#: What a caller may ask for.
ENTRIES = (
    *(
        Wanted(f"kinematics_{of}", f"twists of frames with two rates, {of}", kernels.results(of))
        for of in Representation
    ),
    shared.RATES,
)


def caller_arrays(tree: Along) -> Iterator[Array]:
    """The arguments and results of the method."""
    yield from tree.arguments()
    for name in ("ad", "jerk"):
        yield given(name, "speeds")
    yield from tree.choice()
    for of in Representation:
        for name in kernels.results(of):
            yield result(name, "frames", 6)
    yield result("qd", "coordinates")
