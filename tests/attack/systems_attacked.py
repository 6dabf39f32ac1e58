"""What is attacked: all ready-made models, small, by all algorithms and to all targets."""

from __future__ import annotations

from collections.abc import Iterator

from mstmm.codegen.emit import TARGETS
from mstmm.errors import MstmmError
from mstmm.model.library import MODELS
from mstmm.symbolic.methods.algorithms import ALGORITHMS

#: Arguments of the models that take any: small, but for a chain that fills the segments of lanes.
SMALL = {"branch-system": "branch-system:N=11", "rod-chain": "rod-chain:n=5"}
LONG = ("rod-chain:n=30", "ball-chain:n=26")
SYSTEMS = (*(SMALL.get(name, name) for name in MODELS), *LONG)
SYSTEMS = tuple("ball-chain:n=3" if name == "ball-chain" else name for name in SYSTEMS)

#: What each needs to be chosen besides its name.
OPTIONS = {"reaching": {"frame": "attacked"}}


def ways(system: str) -> Iterator[tuple[str, str]]:
    """Algorithms and targets; a long chain is there for the lanes alone."""
    for algorithm in ALGORITHMS:
        if algorithm.alias_of:
            continue
        for target in TARGETS:
            if (system in LONG) == (target == "c-lanes"):
                yield algorithm.name, target


def refuses(error: MstmmError) -> bool:
    """Is it a refusal of a model by an algorithm or target, in words that say what to do?"""
    words = ("takes", "has no", "there is no target", "needs", "no frame", "lost")
    return any(word in str(error) for word in words)
