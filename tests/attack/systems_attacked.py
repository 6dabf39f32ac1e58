"""What is attacked: all ready-made models, small, by all algorithms and to all targets.

Besides there are models of files whose kind no ready-made one has: loops cut where nothing is
demanded.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mstmm
from mstmm.codegen.targets.registry import loadable
from mstmm.errors import ModelError, UsageError
from mstmm.model.model import Model
from mstmm.model.ready.library import MODELS
from mstmm.symbolic.methods.algorithms import ALGORITHMS

#: Arguments of the models that take any: small, but for a chain that fills the segments of lanes.
SMALL = {"branch-system": "branch-system:N=11", "rod-chain": "rod-chain:n=5"}
LONG = ("rod-chain:n=30", "ball-chain:n=26")
SYSTEMS = (*(SMALL.get(name, name) for name in MODELS), *LONG)
SYSTEMS = tuple("ball-chain:n=3" if name == "ball-chain" else name for name in SYSTEMS)

#: Files of models whose cuts have no conditions, alone and beside others.
CASES = Path(__file__).parents[1] / "data" / "cases"
BUSHED = ("bushing", "bushed_four_bar")
SYSTEMS = (*SYSTEMS, *BUSHED)

#: How a model is refused by an algorithm or a target. Any other error is one of ours.
REFUSALS = (ModelError, UsageError)


def loaded(system: str) -> Model:
    """The model that is called so: one of the files, or a ready-made one."""
    return mstmm.load(str(CASES / f"{system}.toml") if system in BUSHED else system)


def solver_of(system: str | Model, algorithm: str, target: str) -> Any:
    """The solver, of the model's first frame if one is to be chosen."""
    model = system if isinstance(system, Model) else loaded(system)
    return mstmm.compile(model, algorithm=algorithm, target=target, **options(model, algorithm))


def options(model: Model, algorithm: str) -> dict[str, Any]:
    """What an algorithm needs to be chosen besides its name."""
    return {"frame": next(iter(model.every_frame))} if algorithm == "reaching" else {}


def ways(system: str) -> Iterator[tuple[str, str]]:
    """Algorithms and targets; a long chain is there for the lanes alone."""
    for algorithm in ALGORITHMS:
        if algorithm.alias_of:
            continue
        for target in loadable():
            if (system in LONG) == (target == "c-lanes"):
                yield algorithm.name, target
