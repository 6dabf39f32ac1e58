"""The systems at which the divide-and-conquer paper's equations are checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .hdcainstant import Instant, drawn


@dataclass(frozen=True)
class Cases:
    """Generic systems in generic states, other ones for another seed.

    Bodies of the chains follow each other by number, joint k carries body k, a cut comes last.
    """

    seed: int

    @cached_property
    def chain(self) -> Instant:
        """Four bodies, the first on the ground, the last one's tip free."""
        return drawn(self.seed, CHAIN)

    @cached_property
    def loop(self) -> Instant:
        """The chain, closed to the ground by a revolute joint, which is cut: one freedom."""
        return drawn(self.seed + 1, CHAIN, {5: (4, 0, "revolute")})

    @cached_property
    def swung(self) -> Instant:
        """The chain, closed to a sixth body that hangs on the ground: its last handle moves."""
        return drawn(self.seed + 7, {**CHAIN, 6: (0, "ball")}, {5: (4, 6, "revolute")})

    @cached_property
    def floating(self) -> Instant:
        """Three bodies that nothing holds."""
        return drawn(self.seed + 2, {1: (0, "free"), 2: (1, "revolute"), 3: (2, "ball")})

    @cached_property
    def single(self) -> Instant:
        """One free body."""
        return drawn(self.seed + 6, {1: (0, "free")})

    @cached_property
    def planar(self) -> Instant:
        """Four links and five pins with parallel axes: the cut's conditions depend on others."""
        tree = {1: (0, "revolute"), **{k: (k - 1, "revolute") for k in (2, 3, 4)}}
        return drawn(self.seed + 3, tree, {5: (4, 0, "revolute")}, planar=True)

    @cached_property
    def coupled(self) -> Instant:
        """Five bodies, a branch, two loops: a sliding cut between bodies, a ball to the ground."""
        tree = {
            1: (0, "revolute"),
            2: (1, "ball"),
            3: (1, "ball"),
            4: (3, "prismatic"),
            5: (2, "revolute"),
        }
        return drawn(self.seed + 4, tree, {6: (4, 5, "cylindrical"), 7: (5, 0, "ball")})

    @cached_property
    def holonomic(self) -> Instant:
        """Speeds that are rates of coordinates: five joints of one freedom, a ball that is cut."""
        tree = {
            1: (0, "revolute"),
            2: (1, "revolute"),
            3: (2, "prismatic"),
            4: (3, "revolute"),
            5: (4, "revolute"),
        }
        return drawn(self.seed + 5, tree, {6: (5, 0, "ball")})


CHAIN = {1: (0, "revolute"), 2: (1, "ball"), 3: (2, "prismatic"), 4: (3, "revolute")}
