"""What is attacked: all ready-made models, small, by all algorithms and to all targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mstmm
from mstmm.codegen.emit import TARGETS
from mstmm.errors import ModelError, UsageError
from mstmm.model.model import Model
from mstmm.model.ready.library import MODELS
from mstmm.symbolic.methods.algorithms import ALGORITHMS

#: Arguments of the models that take any: small, but for a chain that fills the segments of lanes.
SMALL = {"branch-system": "branch-system:N=11", "rod-chain": "rod-chain:n=5"}
LONG = ("rod-chain:n=30", "ball-chain:n=26")
SYSTEMS = (*(SMALL.get(name, name) for name in MODELS), *LONG)
SYSTEMS = tuple("ball-chain:n=3" if name == "ball-chain" else name for name in SYSTEMS)

#: How a model is refused by an algorithm or a target. Any other error is one of ours.
REFUSALS = (ModelError, UsageError)


def solver_of(system: str | Model, algorithm: str, target: str) -> Any:
    """The solver, of the model's first frame if one is to be chosen."""
    model = system if isinstance(system, Model) else mstmm.load(system)
    return mstmm.compile(model, algorithm=algorithm, target=target, **options(model, algorithm))


def options(model: Model, algorithm: str) -> dict[str, Any]:
    """What an algorithm needs to be chosen besides its name."""
    return {"frame": next(iter(model.every_frame))} if algorithm == "reaching" else {}


def ways(system: str) -> Iterator[tuple[str, str]]:
    """Algorithms and targets; a long chain is there for the lanes alone."""
    for algorithm in ALGORITHMS:
        if algorithm.alias_of:
            continue
        for target in TARGETS:
            if (system in LONG) == (target == "c-lanes"):
                yield algorithm.name, target
