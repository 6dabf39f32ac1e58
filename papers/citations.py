"""Where an equation runs: the kernels of the algorithms that cite it, and their lines of C."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..codegen.generate import generate
from ..errors import CodegenError, UsageError
from ..model import load
from ..symbolic.equations.citations import cites
from ..symbolic.language.program import Program
from ..symbolic.methods.algorithms import ALGORITHMS, chosen
from ..symbolic.plans.plan import plan

#: Ready-made models whose programs together hold the kernels of all algorithms.
MODELS = ("branch-pendulum", "double-pendulum", "four-bar")

#: Whose kernels are those of others, differentiated.
TANGENT = ("derivatives", "sensitivities")


@dataclass(frozen=True)
class Cited:
    """A kernel that cites an equation, with the statements that do, in a program of a model.

    `stated`: the file and line of the function that it is of.
    """

    algorithm: str
    form: str
    model: str
    kernel: str
    stated: str
    statements: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """In plain words."""
        return {**vars(self), "statements": list(self.statements)}


@cache
def programs() -> tuple[tuple[str, str, str, Program], ...]:
    """Algorithm, form and model of each program; of an algorithm's alias none."""
    found = []
    for name in MODELS:
        planned = plan(load(name))
        for algorithm in ALGORITHMS:
            if getattr(algorithm, "alias_of", None) or algorithm.name in TANGENT:
                continue
            for form in algorithm.forms:
                options = {"form": form} if len(algorithm.forms) > 1 else {}
                try:
                    program = chosen(algorithm.name, **options).program(planned)
                except UsageError:
                    continue  # not of this model
                found.append((algorithm.name, form, name, program))
    return tuple(found)


def kernels(paper: str, numbers: Collection[str]) -> list[Cited]:
    """The kernels that cite one of these numbers, each once for an algorithm and its form.

    Source
        own
    """
    found: dict[tuple[str, str, str], Cited] = {}
    for algorithm, form, model, program in programs():
        for kernel in dict.fromkeys(call.kernel for step in program.steps for call in step.calls):
            says = dict.fromkeys(
                f"{statement.says or statement.port.name} ({statement.source})"
                for statement in kernel.statements
                if cites(statement.source, paper, numbers)
            )
            if says:
                one = Cited(algorithm, form, model, kernel.name, kernel.stated, tuple(says))
                found.setdefault((algorithm, form, kernel.name), one)
    return list(found.values())


def lines_of_code(
    paper: str, numbers: Collection[str], one: Cited
) -> Iterator[tuple[str, int, str]]:
    """File, number and text of each line of the C of a kernel's program that cites the numbers."""
    options = {"form": one.form} if len(chosen(one.algorithm).forms) > 1 else {}
    algorithm = chosen(one.algorithm, **options)
    try:
        made = generate(load(one.model), algorithm=algorithm, target="c")
    except CodegenError:
        return
    for file, text in made.sources.files.items():
        if file.endswith(".c"):
            for number, line in enumerate(text.splitlines(), 1):
                if cites(line, paper, numbers):
                    yield file, number, line.strip()
