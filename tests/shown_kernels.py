"""Kernels whose equations are displayed: those of every algorithm, for models of all sorts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from coupled_models import arms, with_rotors
from featured_models import featured
from random_models import spatial_tree

from mstmm import load
from mstmm.errors import MstmmError
from mstmm.model import Model
from mstmm.symbolic.language.program import Kernel, Program
from mstmm.symbolic.language.tangent import PREFIX as TANGENT
from mstmm.symbolic.methods.algorithms import ALGORITHMS, chosen
from mstmm.symbolic.methods.riccati.letters import in_letters
from mstmm.symbolic.methods.riccati.paper import paper_program
from mstmm.symbolic.methods.riccati.printed import has_branches, printed_program
from mstmm.symbolic.plans.plan import plan

#: In the plane, in space, with rotors and couplings, with loops, in absolute coordinates, with
#: shared coordinates, and put together at random.
MODELS = ("cart-pole", "spatial-tree", "four-bar", "branch-pendulum", "balls", "arms", *range(7))


@cache
def model(name: str | int) -> Model:
    if name == "balls":
        return spatial_tree(Random(102), 5)
    if name == "arms":
        return with_rotors(Random(3), arms(Random(7)))
    return featured(name) if isinstance(name, int) else load(name)


@cache
def kernels(name: str | int) -> tuple[Kernel, ...]:
    """Of all algorithms that take the model, each kernel once, tangents and cotangents apart."""
    found: dict[Kernel, None] = {}
    for algorithm in ALGORITHMS:
        if algorithm.alias_of or not algorithm.forms["fast"].of(model(name)):
            continue
        if algorithm.name in ("derivatives", "pullback", "inverse-pullback"):
            continue
        try:
            found |= dict.fromkeys(made(algorithm.name, name))
        except MstmmError:
            continue  # it does not take this model
    for program in lettered(name):
        found |= dict.fromkeys(call.kernel for step in program.steps for call in step.calls)
    return tuple(x for x in found if not x.name.startswith(TANGENT))


def lettered(name: str | int) -> Iterator[Program]:
    """Riccati's programs in the paper's letters, its own form, and Algorithm B as printed."""
    at = plan(model(name))
    yield in_letters(chosen("riccati").program(at, forced=True), at, forced=True)
    if at.model.absolute:
        yield in_letters(paper_program(at, forced=True), at, forced=True)
    if has_branches(at):
        yield from (printed_program(at, completed) for completed in (False, True))


def made(algorithm: str, name: str | int) -> Iterator[Kernel]:
    """The kernels of an algorithm's program for the model."""
    program = chosen(algorithm).program(plan(model(name)), forced=True)
    return (call.kernel for step in program.steps for call in step.calls)
