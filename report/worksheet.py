"""Exercises from a derivation: one call of its program with blanks, the solution, and a judge.

An answer is right if it gives what the call states: a number at the worksheet's state, or a formula
at random states too, whatever its form. Its text is read by the parser of model expressions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import sympy as sp

from ..errors import ModelError, NumericsError, UsageError
from ..model import Model
from ..model.expressions.evaluation import evaluated
from ..model.expressions.quantities import shorten
from ..model.expressions.text import read
from ..model.parts.naming import nearest
from ..runtime.derived import Derived
from ..runtime.evaluation.arrays import Floats
from ..runtime.performed import Performed
from ..symbolic.derivation.reading import Statement
from ..symbolic.language.program import Let, Port, Ref
from . import legend
from .chapters.entries import entry_of
from .documents.document import (
    Block,
    Cell,
    Code,
    Document,
    Formula,
    Items,
    Letters,
    Numbers,
    Prose,
    Section,
    Table,
    Typed,
)
from .judging.checks import values_of
from .state import State, make_units, state_of

#: Stands for an entry that is to be filled in.
BLANK = sp.Symbol("▢")

#: A number is right with four digits; formulas agree to this at each random state.
DIGITS, AGREEMENT = 5e-4, 1e-9

#: In turn, of a worksheet that names no state and starts at rest: rad/s, m/s.
SPEEDS = (1.0, -0.5, 2.0)

#: At how many random states formulas are compared.
STATES = 3


@dataclass(frozen=True)
class Judged:
    """What an answer came to; `is_open`: there is none."""

    entry: str
    ok: bool
    sentence: str
    is_open: bool = False


class Worksheet:
    """One call of a derivation as an exercise.

    `step` counts the calls of the derivation's page from 1, as `steps` lists them.

    Raises
        UsageError: there is no such step.
    Source
        own
    """

    def __init__(self, derived: Derived, state: State, step: int) -> None:
        self.derived, self.state, self.step = derived, state, step
        calls = self._calls(state)
        if not 1 <= step <= len(calls):
            raise UsageError(f"there is no step {step}: {derived.model.name} has 1 to {len(calls)}")
        self.done = calls[step - 1]
        self._known: dict[bool, list[tuple[Performed, State]]] = {}

    def _calls(self, state: State) -> list[Performed]:
        values = values_of(self.derived, state)
        done = values.performed(entry_of(self.derived).name)
        return [each for each in done if isinstance(each, Performed)]

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """What the call states, in the symbols of what it reads."""
        return self.derived.reading.stated(self.done.step, self.done.call)

    def asked(self, k: int) -> bool:
        """Is statement k to be found? It is if it is given, or has a letter of the method's."""
        kernel = self.done.call.kernel
        return legend.line_of(kernel.statements[k].port.name, kernel) is not None

    def blanks(self) -> Iterator[tuple[str, int, tuple[int, int]]]:
        """Each entry that is to be filled in: its name, its statement, its place."""
        for k, own in enumerate(self.done.call.kernel.statements):
            if self.asked(k):
                for i, j in own.port.entries:
                    if not _plain(self.statements[k], i, j):
                        yield own.port.entry_name(i, j), k, (i, j)

    # The documents

    def exercise(self, command: str) -> Document:
        """What is given, and matrices with blanks."""
        names = [name for name, *_ in self.blanks()]
        blocks: list[Block] = [
            Prose("Fill in each ▢, as a number or as a formula in the symbols that are given."),
            *self._stated(filled=False),
            Prose("To be found, by the names that an answer has:"),
            Items(tuple(names), typed=True),
            Prose("Check answers, as formulas or with four digits:", "caption"),
            Code(f"mstmm check-answer FILE '{names[0] if names else 'NAME'}=…'", "sh"),
        ]
        return self._document("exercise", "Find", tuple(blocks), command)

    def solution(self, command: str) -> Document:
        """The same with everything filled in."""
        return self._document("solution", "Found", tuple(self._stated(filled=True)), command)

    def _document(self, what: str, find: str, blocks: tuple[Block, ...], command: str) -> Document:
        call = self.done.call
        at = f" at {call.member}" if call.member else ""
        return Document(
            f"{self.derived.model.name}, step {self.step}: {call.kernel.title}{at} ({what})",
            f"One step of {self.done.step.title}, by {self.derived.algorithm.name}.",
            (
                Section("Given", "given", tuple(self._given())),
                Section(find, "find", blocks),
            ),
            command,
        )

    def _given(self) -> Iterator[Block]:
        rows: list[tuple[Cell, ...]] = []
        call, reading = self.done.call, self.derived.reading
        for port in call.kernel.inputs:
            binding = call.reads[port.name]
            numbers = Numbers.of(self.done.inputs[port.name])
            if isinstance(binding, Ref):
                symbols = ", ".join(map(str, reading.symbols(binding)))
                origin = reading.called(self.done.step, binding)
            else:
                entries = [str(x) for x in reading.constants(self.done.step.name, call, port)]
                symbols, origin = ", ".join(entries), "the element's data"
            rows.append((Letters(port.name), Typed(symbols), Typed(origin), numbers))
        yield Table(("name", "symbols", "from", "at this state"), tuple(rows))
        values = ", ".join(f"{k} = {x:g}" for k, x in self.state.parameters.items())
        if values:
            yield Prose(f"Parameters: {values} (SI units).")
        yield legend.table(legend.told(reading, self.done.step, call))
        yield Table(("mark", "meaning"), legend.INDICES)

    def _stated(self, filled: bool) -> Iterator[Block]:
        kernel = self.done.call.kernel
        for k, (own, told) in enumerate(zip(kernel.statements, self.statements, strict=True)):
            numbers = Numbers.of(self.done.statements[told.name])
            rule = own.says or ("" if isinstance(own, Let) else "a system, solved")
            if filled or not self.asked(k):
                yield Formula(told.name, told.value, numbers, rule, told.source, told.matrix)
            else:
                blank = sp.Matrix(
                    told.value.rows,
                    told.value.cols,
                    lambda i, j, s=told: s.value[i, j] if _plain(s, i, j) else BLANK,
                )
                yield Formula(told.name, blank, None, rule, told.source)

    # Answers

    def check(self, answers: Mapping[str, str]) -> list[Judged]:
        """Each answer, right or wrong; one that cannot be read is marked and hides no other."""
        asked = {name: (k, at) for name, k, at in self.blanks()}

        def judged(name: str, text: str) -> Judged:
            if name in asked:
                return self._judged(name, *asked[name], text)
            known = shorten(list(asked), 40)
            return Judged(name, False, f"not asked{nearest(name, asked)}; asked are: {known}")

        return [judged(name, text) for name, text in answers.items()]

    def _judged(self, name: str, k: int, at: tuple[int, int], text: str) -> Judged:
        known = self._symbols(self.done, self.state, k)
        try:
            answer = read(text, {sp.Symbol(symbol, real=True): None for symbol in known})
        except ModelError as error:
            return Judged(name, False, f"not readable: {error}")
        here = self._value(self.done, k, at)
        found = _evaluated(answer, known)
        if found is None:
            return Judged(name, False, "wrong: no finite number at this state")
        if not answer.free_symbols:
            ok = abs(found - here) <= DIGITS * abs(here) + (1e-9 if here == 0 else 0)
            return Judged(name, ok, "right" if ok else "wrong: another number at this state")
        for done, state in ((self.done, self.state), *self._others(True)):
            if not self._holds(answer, done, state, k, at):
                return Judged(name, False, self._why(answer, done is self.done, k, at))
        return Judged(name, True, "right, as a formula")

    def _holds(
        self, answer: sp.Expr, done: Performed, state: State, k: int, at: tuple[int, int]
    ) -> bool:
        truth = self._value(done, k, at)
        found = _evaluated(answer, self._symbols(done, state, k))
        return found is not None and abs(found - truth) <= AGREEMENT * max(1.0, abs(truth))

    def _why(self, answer: sp.Expr, here: bool, k: int, at: tuple[int, int]) -> str:
        """What is wrong with a formula."""
        if here:
            return "wrong: the formula gives something else at this state"
        if all(self._holds(answer, done, state, k, at) for done, state in self._others(False)):
            values = ", ".join(f"{name} = {x:g}" for name, x in self.state.parameters.items())
            return f"right for {values} alone; a formula has their symbols"
        return "wrong: the formula holds at this state, but not at others"

    def _others(self, parameters: bool) -> list[tuple[Performed, State]]:
        """The same call at random states, with other `parameters` too if they are to vary."""
        if parameters not in self._known:
            self._known[parameters] = self._drawn(parameters)
        return self._known[parameters]

    def _drawn(self, parameters: bool) -> list[tuple[Performed, State]]:
        random = np.random.default_rng(self.step)
        found: list[tuple[Performed, State]] = []
        for _ in range(20 * STATES):
            state = self._shaken(random, parameters)
            try:
                found.append((self._calls(state)[self.step - 1], state))
            except NumericsError:
                continue
            if len(found) == STATES:
                return found
        raise UsageError(f"step {self.step} has no numbers at states near this one")

    def _shaken(self, random: np.random.Generator, vary: bool) -> State:
        q = [x + random.uniform(-0.7, 0.7) for x in self.state.q]
        make_units(self.derived.model, q)
        v = [x + random.uniform(-2.0, 2.0) for x in self.state.v]
        parameters = {
            name: x * random.uniform(0.8, 1.25) if vary else x
            for name, x in self.state.parameters.items()
        }
        return State(tuple(q), tuple(v), self.state.t, parameters)

    @staticmethod
    def _value(done: Performed, k: int, at: tuple[int, int]) -> float:
        return float(done.statements[done.call.kernel.statements[k].port.name][at])

    def _symbols(self, done: Performed, state: State, k: int) -> dict[str, float]:
        """The values of all that a formula for statement k may name."""
        model, reading = self.derived.model, self.derived.reading
        known = dict(zip(model.coordinates, state.q, strict=True))
        known |= zip(model.speeds, state.v, strict=True)
        for port in done.call.kernel.inputs:
            binding = done.call.reads[port.name]
            matrix = done.inputs[port.name]
            known |= _entries(port, matrix, [port.entry_name(*at) for at in port.entries])
            if isinstance(binding, Ref):
                names = [str(symbol) for symbol in reading.symbols(binding)]
                known |= _entries(port, matrix, names)
        for own in done.call.kernel.statements[:k]:
            names = [own.port.entry_name(*at) for at in own.port.entries]
            known |= _entries(own.port, done.statements[own.port.name], names)
        return known | state.parameters


def state_with_speeds(model: Model, text: str | None) -> State:
    """The state of the text; without one the start, where a tree at rest is given speeds.

    At rest a zero would be a right answer for every centrifugal term. Loops have speeds that
    agree with each other, and stay as they start.
    """
    state = state_of(model, text)
    if text is not None or model.conditioned or any(state.v):
        return state
    return replace(state, v=tuple(SPEEDS[k % len(SPEEDS)] for k in range(len(state.v))))


def _entries(port: Port, matrix: Floats, names: Sequence[str]) -> dict[str, float]:
    places = zip(names, port.entries, strict=True)
    return {name: float(matrix[at]) for name, at in places}


def _plain(statement: Statement, i: int, j: int) -> bool:
    """Is an entry a number alone, so that it is told?"""
    return statement.matrix is None and not statement.value[i, j].free_symbols


def _evaluated(answer: sp.Expr, known: Mapping[str, float]) -> float | None:
    values = {sp.Symbol(name, real=True): Fraction(x) for name, x in known.items()}
    found = evaluated(answer, values)
    return None if found is None else float(found)


def steps(derived: Derived, state: State) -> list[str]:
    """The steps that there are, in order."""
    calls = Worksheet(derived, state, 1)._calls(state)
    return [
        f"{each.step.title}: {each.call.kernel.title}"
        + (f" at {each.call.member}" if each.call.member else "")
        for each in calls
    ]
