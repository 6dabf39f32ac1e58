"""Exercises with data drawn from a seed: a sheet, its solution, a form, and a judge of the form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..model.parts.naming import nearest
from .documents.document import Block, Cell, Code, Document, Prose, Section, Table, Typed
from .exercise_tasks import ENTRIES, TASKS, Answer, Asked
from .worksheet import DIGITS, Judged

#: What else entries of a state may be called.
LETTERS = {"ẍ": "x", "ÿ": "y", "Ω̇": "Omega", "Ω": "Omega", "q_": "q"}


@dataclass(frozen=True, eq=False)
class Exercise:
    """An exercise of a task and a seed: the same data always.

    Raises
        UsageError: there is no such task.
    """

    task: str
    seed: int
    title: str
    given: tuple[Block, ...]
    asked: tuple[Asked, ...]

    @classmethod
    def of(cls, task: str, seed: int) -> Exercise:
        """Drawn from a seed."""
        if task not in TASKS:
            raise UsageError(f"there is no task {task!r}; there are: {', '.join(TASKS)}")
        drawn = TASKS[task](np.random.default_rng([seed, *task.encode()]))
        return cls(task, seed, *drawn)

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"{self.task}-{self.seed}"

    def sheet(self) -> Document:
        """What is given and what is asked."""
        rows = tuple((Typed(x.name), x.words) for x in self.asked)
        find = (
            Table(("name", "what it is"), rows),
            Prose(
                "Write the answers into the form, numbers with four digits, lists with commas, and "
                "check it:"
            ),
            Code(f"mstmm check-answer {self.name}.txt", "sh"),
        )
        return self._document(self.title, find)

    def solution(self) -> Document:
        """The same with the answers."""
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (Typed(x.name), x.words, Typed(written(x.answer))) for x in self.asked
        )
        return self._document(
            f"{self.title} (solution)", (Table(("name", "what it is", "answer"), rows),)
        )

    def _document(self, title: str, find: tuple[Block, ...]) -> Document:
        sections = Section("Given", "given", self.given), Section("Find", "find", find)
        command = f"mstmm exercises {self.task} --seed {self.seed}"
        return Document(title, f"Sheet {self.seed}.", sections, command)

    def form(self) -> str:
        """A text file to be filled in."""
        lines = [f"# mstmm exercises {self.task} --seed {self.seed}", ""]
        return "\n".join((*lines, *(f"{x.name} = " for x in self.asked))) + "\n"

    def judged(self, answers: Mapping[str, str]) -> list[Judged]:
        """Each that is asked, right or wrong or open; and what is not asked."""
        right = {x.name: x.answer for x in self.asked}
        found = [_judged(name, answer, answers.get(name, "")) for name, answer in right.items()]
        others = [x for x in answers if x not in right]
        return found + [Judged(x, False, f"not asked{nearest(x, right)}") for x in others]


def filled(text: str) -> tuple[Exercise, dict[str, str]]:
    """The exercise of a form, and the answers in it.

    Raises
        UsageError: it is none, or a line is no answer.
    """
    head = re.match(r"# mstmm exercises ([\w-]+) --seed (\d+)\s*\n", text)
    if not head:
        raise UsageError("the form's first line must be '# mstmm exercises TASK --seed N'")
    answers = {}
    for number, line in enumerate(text.splitlines(), start=1):
        name, equals, answer = line.partition("=")
        if equals:
            answers[name.strip()] = answer.strip()
        elif line.strip() and not line.startswith("#"):
            raise UsageError(f"line {number} of the form is no answer NAME = …: {line.strip()!r}")
    return Exercise.of(head[1], int(head[2])), answers


def written(answer: Answer) -> str:
    """An answer as it is typed."""
    if isinstance(answer, float):
        return f"{answer:.6g}"
    if isinstance(answer, frozenset):
        return ", ".join(x for x in ENTRIES if x in answer)
    return " ".join(answer) if isinstance(answer, tuple) else str(answer)


def _judged(name: str, right: Answer, text: str) -> Judged:
    if not text:
        return Judged(name, False, "open: no answer", is_open=True)
    if isinstance(right, tuple):
        ok = tuple(re.findall(r"\d+", text)) == right
        return Judged(name, ok, "right" if ok else "wrong: other elements, or another order")
    if isinstance(right, frozenset):
        for letter, entry in LETTERS.items():
            text = text.replace(letter, entry)
        told = {*re.findall(r"\w+", text)}
        if unknown := told - {*ENTRIES}:
            return Judged(name, False, f"not readable: {min(unknown)}; {', '.join(ENTRIES)}")
        ok = told == right
        return Judged(name, ok, "right" if ok else f"wrong: {len(right)} others are known there")
    number = re.match(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?(?=\s|$)", text.replace("−", "-"))
    if not number:
        return Judged(name, False, f"not readable: {text!r} is no number")
    found = float(number[0])
    ok = abs(found - right) <= (0 if isinstance(right, int) else DIGITS * max(abs(right), 1e-3))
    return Judged(name, ok, "right" if ok else "wrong: another number")
