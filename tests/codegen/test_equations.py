"""Above every block of emitted code stands the matrix equation that it computes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from mstmm.codegen.lower import lower
from mstmm.codegen.printing.names import Names
from mstmm.codegen.printing.printer import LONGEST, PrintedBlock, print_step
from mstmm.codegen.targets.c.language import C
from mstmm.errors import MstmmError
from mstmm.model import load
from mstmm.model.ready.library import MODELS
from mstmm.symbolic.language.pairs import in_pairs
from mstmm.symbolic.language.program import Program
from mstmm.symbolic.methods.algorithms import ALGORITHMS
from mstmm.symbolic.methods.overall.program import overall_program
from mstmm.symbolic.plans.plan import plan

#: Short ones of those that come in any length.
SHORT = {"branch-system": "branch-system:N=11", "rod-chain": "rod-chain:n=6"}

#: The usual run takes a model of each sort, in the plane, with loops, in space: of the last, which
#: takes longest, not every algorithm both with forces and loads and without.
QUICK = {"branch-pendulum": True, "cart-pole": True, "four-bar": True, "spatial-tree": False}

#: A remark with an equation in it; a title has none.
EQUATION = re.compile(r"/\*.* = .*\*/")


def programs(model: str, both: bool = True) -> Iterator[tuple[str, Program]]:
    """The programs of all algorithms that take a model, without and with forces and loads.

    Unless `both`, now the one, now the other.
    """
    loaded = load(SHORT.get(model, model))
    inputs = tuple(x.name for x in loaded.inputs)
    turn = False
    for algorithm in ALGORITHMS:
        for form in () if algorithm.alias_of else algorithm.forms:
            turn = not turn
            for forced in (turn, not turn)[: 1 + both]:
                try:
                    program = algorithm(form=form).program(
                        plan(loaded), runtime=inputs, forced=forced
                    )
                except MstmmError:
                    continue  # it does not take this model
                title = f"{model}: {algorithm.name} ({form}){', forced' * forced}"
                yield title, in_pairs(program)


def silent(program: Program) -> Iterator[str]:
    """The titles of the blocks that show no equation."""
    module = lower(program, None, None)
    names = Names(module, C)
    for step in module.steps:
        for block in print_step(module, step, C, names).blocks:
            if not shows(block):
                yield f"{step.name}: {block.title}"


def shows(block: PrintedBlock) -> bool:
    return any(map(EQUATION.search, (*block.body, *block.updates)))


#: Where blocks are known that name a source alone.
OPEN = {"example-1": "two tangents of the bias of a motion in a beam"}


def later(model: str) -> object:
    """A model of the slow run; one with open places must fail, or is open no more."""
    marks = [pytest.mark.slow]
    if model in OPEN:
        marks.append(pytest.mark.xfail(reason=OPEN[model], strict=True))
    return pytest.param(model, True, marks=marks, id=f"{model}, all")


@pytest.mark.parametrize(
    ("model", "both"),
    [
        *(pytest.param(model, both, id=model) for model, both in QUICK.items()),
        *(later(model) for model in MODELS if not QUICK.get(model)),
    ],
)
def test_every_block_shows_its_equation(model: str, both: bool) -> None:
    found = list(programs(model, both))
    steps = {step.name for _, program in found for step in program.steps}
    assert steps
    assert [name for name in steps if not name.isidentifier()] == []
    assert [(name, title) for name, program in found for title in silent(program)] == []


def test_a_long_formula_is_the_code_below() -> None:
    """A beam's inertia is named above what computes it, entry by entry."""
    found = lower(overall_program(plan(load("example-1"))), None, None)
    names = Names(found, C)
    (step,) = (x for x in found.steps if x.name == "elements")
    lines = [line for block in print_step(found, step, C, names).blocks for line in block.body]
    assert any("/* M = … (deduction paper" in line for line in lines)
    assert all(len(line) <= LONGEST + 120 for line in lines if line.startswith("/*"))
