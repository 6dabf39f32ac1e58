"""Kernels whose equations are displayed: those of every algorithm, for models of all sorts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from featured_models import featured

from mstmm import load
from mstmm.errors import MstmmError
from mstmm.model import Model
from mstmm.symbolic.language.program import Kernel
from mstmm.symbolic.methods.algorithms import ALGORITHMS, chosen
from mstmm.symbolic.plans.plan import plan

#: In the plane, in space, with rotors and couplings, with loops, and put together at random.
MODELS = ("cart-pole", "spatial-tree", "four-bar", "branch-pendulum", *range(7))


@cache
def model(name: str | int) -> Model:
    return featured(name) if isinstance(name, int) else load(name)


@cache
def kernels(name: str | int) -> tuple[Kernel, ...]:
    """Of all algorithms that take the model, each kernel once, tangents apart."""
    found: dict[Kernel, None] = {}
    for algorithm in ALGORITHMS:
        if algorithm.alias_of or not algorithm.forms["fast"].of(model(name)):
            continue
        if algorithm.name == "derivatives":
            continue
        try:
            found |= dict.fromkeys(made(algorithm.name, name))
        except MstmmError:
            continue  # it does not take this model
    return tuple(found)


def made(algorithm: str, name: str | int) -> Iterator[Kernel]:
    """The kernels of an algorithm's program for the model."""
    program = chosen(algorithm).program(plan(model(name)), forced=True)
    return (call.kernel for step in program.steps for call in step.calls)
