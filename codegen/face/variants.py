"""Builds of one text that may differ in how fast they are: which, is measured in `runtime/`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from ...shown import Shown
from ..toolchain import Compiler, find_compiler, other_compilers

#: More flags than the usual ones: which of them help, differs with the model and the processor.
FLAGS: tuple[tuple[str, ...], ...] = ((), ("-fno-tree-slp-vectorize",), ("-O2",))

#: Of vectors of states, where nothing is left to vectorise: GCC orders statements before it gives
#: them registers, which takes 10 % off an arm's batch and adds 20 % to that of a robot with legs.
LANES_FLAGS: tuple[tuple[str, ...], ...] = ((), ("-fschedule-insns", "-fsched-pressure"), ("-O2",))

#: An environment with this variable takes the usual flags, whatever its machines would measure.
FIXED = "CI"


@dataclass(frozen=True)
class Variant:
    """A compiler, and flags beside the usual ones."""

    compiler: Compiler
    flags: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((Path(self.compiler.command[0]).name, *self.flags))


@dataclass(frozen=True, repr=False)
class Tuned(Shown):
    """Which build was taken, and what was measured: by build, the usual one first, and by entry.

    Nothing was where the environment sets CI.

    Units
        `times` s a state.
    """

    variant: Variant
    times: Mapping[str, Mapping[str, float]]

    @property
    def gain(self) -> float:
        """How many times as fast as the usual build it is; the geometric mean of the entries."""
        return 1.0 / parts(self.times)[str(self.variant)] if self.times else 1.0

    def __repr__(self) -> str:
        return f"<Tuned: {self}>"

    def __str__(self) -> str:
        if not self.times:
            return f"built by {self.variant}: nothing is measured where {FIXED} is set"
        usual, chosen = next(iter(self.times)), str(self.variant)
        if chosen == usual:
            return f"built by {usual}: of {len(self.times)} builds none is faster"
        return f"built by {chosen}, {self.gain:.2f} times as fast as {usual}"


def parts(times: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """By build which part of the first one's time it takes: the geometric mean of the entries."""
    usual = next(iter(times.values()))
    return {
        name: exp(sum(log(own[x] / usual[x]) for x in usual) / len(usual))
        for name, own in times.items()
    }


def variants(*, vectors: bool) -> list[Variant]:
    """The usual build first.

    Raises
        ToolchainError: no compiler works.
    """
    usual = find_compiler(vectors=vectors)
    own = [Variant(usual, flags) for flags in (LANES_FLAGS if vectors else FLAGS)]
    return [*own, *map(Variant, other_compilers(usual, vectors=vectors))]


def fixed() -> bool:
    """Does the environment ask for the usual flags?"""
    return os.environ.get(FIXED, "").lower() not in ("", "0", "false")
