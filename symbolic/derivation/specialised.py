"""Is a program as it is shown of a model the one that runs? Judged modulo a prime, at random.

The program itself is run at random residues, sines and cosines on the circle. Of every call that
is shown differently each statement must come to what the program's own does, what is left out as
zero must be zero, and the equation, read back from its text, must be worth as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

import sympy as sp

from ...errors import NumericsError
from ..language.interpreter import Interpreter, evaluate
from ..language.pairs import Pairs
from ..language.program import (
    Kernel,
    Let,
    Port,
    Program,
    Ref,
    Slot,
    Solve,
    Statement,
    Step,
    Storage,
)
from ..language.residues import PRIME, RESIDUES, Gaussian, Residue
from ..language.special import Shown, Special
from ..language.worth import Rows
from ..language.written import Equation
from ..mechanics.displayed import by_name, giving_all, untrue

Values = dict[str, Any]


@dataclass(frozen=True)
class Verdict:
    """What was compared, and what differs; `untried` are statements without an exact value.

    `complex`: so many equations of complex numbers, whose text is not read back: residues have no
    imaginary unit. Their statements in pairs of real numbers are compared as all.
    """

    formulas: int
    equations: int
    wrong: tuple[str, ...]
    untried: tuple[str, ...] = ()
    complex: int = 0


def judge(special: Special, program: Program, seed: int = 1) -> Verdict:
    """The program as it is shown against the one that runs.

    Source
        own
    """
    return _Judge(special, program, Random(seed)).verdict()


class _Judge:
    def __init__(self, special: Special, program: Program, rng: Random) -> None:
        self.special, self.rng = special, rng
        known = {**program.parameters, **special.parameters}
        drawn = {name: Fraction(rng.randrange(1, PRIME)) if x else x for name, x in known.items()}
        self.run = Interpreter(program, RESIDUES, drawn)
        self.formulas = self.equations = self.complex = 0
        self.wrong: list[str] = []
        self.untried: list[str] = []

    def verdict(self) -> Verdict:
        given = self._arguments()
        seen: set[tuple[Kernel, Kernel]] = set()
        for entry in self.special.entries:
            values = self.run.load(given)
            for step in map(self.run.program.step, entry.steps):
                self._step(step, values, seen)
        untried = tuple(dict.fromkeys(self.untried))
        return Verdict(self.formulas, self.equations, tuple(self.wrong), untried, self.complex)

    def _step(
        self, step: Step, values: dict[Ref, list[Any]], seen: set[tuple[Kernel, Kernel]]
    ) -> None:
        """Run a step as it is, and judge what is shown of its calls, each kind once."""
        self.run.perform(replace(step, calls=(), dense=None), values)
        for call, shown in self.special.pairs[step.name]:
            inputs = {p.name: self.run.read(call, p.name, values) for p in call.kernel.inputs}
            found = self._evaluated(call.kernel, inputs)
            # A root that is no residue is judged here, and goes on as any number: none is rooted
            # twice, for which there need be no number.
            values |= {ref: self._real(found[port]) for port, ref in call.writes.items()}
            if shown and (key := (call.kernel, shown.call.kernel)) not in seen:
                seen.add(key)
                self._judge(step.name, shown, {**inputs, **found}, values)
        if step.dense:
            try:
                self.run.perform(replace(step, calls=(), clears=()), values)
            except NumericsError:
                self.untried.append(step.title)
                refs = self.run.program.refs(step.dense.unknowns)
                values |= {ref: [self._number()] for ref in refs}

    def _number(self) -> Residue:
        return Residue(self.rng.randrange(1, PRIME))

    def _real(self, numbers: Sequence[Any]) -> list[Any]:
        return [self._number() if isinstance(x, Gaussian) else x for x in numbers]

    def _arguments(self) -> dict[str, list[Residue]]:
        """Random numbers for what the caller gives; quaternions have length one."""
        found: dict[str, list[Residue]] = {}
        program = self.run.program
        for array in program.arrays.values():
            if array.storage is Storage.ARGUMENT:
                found.setdefault(array.owner, [])
                for _ in range(array.count(len(program.sets[array.index_set]))):
                    turns = array.slot is Slot.QUATERNION
                    own = [self._number() for _ in array.port.entries]
                    found[array.owner] += self._unit() if turns else own
        k, slots = 0, program.slots
        while k < len(slots):
            if slots[k] is Slot.QUATERNION:
                found["q"][k : k + 4] = self._unit()
                k += 3
            k += 1
        return found

    def _unit(self) -> list[Residue]:
        """The square of a quaternion over its norm, which has norm 1."""
        w, x, y, z = (self._number() for _ in range(4))
        n = w * w + x * x + y * y + z * z
        return [(w * w - x * x - y * y - z * z) / n, 2 * w * x / n, 2 * w * y / n, 2 * w * z / n]

    def _evaluated(self, kernel: Kernel, inputs: Values) -> Values:
        """All that a kernel states; of what has no solution in residues any numbers are one."""
        whole = giving_all(kernel)
        try:
            return evaluate(whole, inputs, RESIDUES)
        except ZeroDivisionError:
            solved = tuple(x.port for x in whole.statements if isinstance(x, Solve))
            drawn = {port.name: [self._number() for _ in port.entries] for port in solved}
            self.untried += [f"{kernel.title}: {name}" for name in drawn]
            return {**drawn, **evaluate(_with_given(whole, solved), {**inputs, **drawn}, RESIDUES)}

    def _judge(
        self, step: str, shown: Shown, known: Values, values: Mapping[Ref, list[Any]]
    ) -> None:
        """Every statement of a call that is shown against those of the program's own."""
        call, own = shown.call, giving_all(shown.call.kernel)
        solved = [x for x in own.statements if isinstance(x, Solve)]
        given = tuple(x.port for x in solved)
        inputs = {p.name: self.run.read(call, p.name, values) for p in own.inputs}
        inputs |= {port.name: known[port.name] for port in given}
        found = evaluate(_with_given(own, given), inputs, RESIDUES)
        at = f"{step}, {call.member}: {call.kernel.title}"
        for name, value in found.items():
            self.formulas += 1
            if value != known[name]:
                self.wrong.append(f"{at}: {name}")
        for solve in solved:
            self.formulas += 1
            if not _solves(own, solve, inputs, found, known[solve.port.name]):
                self.wrong.append(f"{at}: {solve.port.name}")
        for name in shown.zero:
            if any(known[name]):
                self.wrong.append(f"{at}: {name} is not zero")
        ports = [*shown.original.kernel.inputs, *(x.port for x in shown.original.kernel.statements)]
        rows: dict[str, Rows] = {}
        for port in ports:
            rows |= by_name(port, known[port.name])
        whole = shown.original.kernel.whole or shown.original.kernel
        for port in (*whole.inputs, *(x.port for x in whole.statements)):  # beside a zero: any
            if port.name not in known:
                drawn: list[Any] = [self._number() for _ in port.entries]
                rows |= by_name(port, drawn)
        for statement in call.kernel.statements:
            if statement.port.name not in shown.steps:
                self._said(at, call.kernel, statement, rows)

    def _said(
        self, at: str, kernel: Kernel, statement: Statement, rows: Mapping[str, Rows]
    ) -> None:
        equation = statement.equation
        if isinstance(equation, Equation):
            ports = (*kernel.inputs, *(x.port for x in kernel.statements))
            if any(isinstance(port, Pairs) for port in ports):
                self.complex += 1
                return
            self.equations += 1
            name = statement.port.name
            if why := untrue(equation, rows[name], rows, kernel.facts["dimension"], RESIDUES):
                self.wrong.append(f"{at}: {equation.text} {why}")


def _with_given(kernel: Kernel, ports: Sequence[Port]) -> Kernel:
    """The kernel with these solutions given."""
    lets = tuple(x for x in kernel.statements if isinstance(x, Let))
    inputs = (*kernel.inputs, *ports)
    return replace(kernel, inputs=inputs, statements=lets, outputs=tuple(x.port for x in lets))


def _solves(
    kernel: Kernel, solve: Solve, inputs: Values, found: Values, solution: Sequence[Any]
) -> bool:
    """Does the program's own solution solve the system that is shown?"""
    port = solve.port
    matrix, rhs = sp.Matrix(solve.matrix), sp.Matrix(solve.rhs)
    left = Let(replace(port, name="left"), matrix * port.symbols() - rhs, "")
    needed = tuple(x for x in (*kernel.inputs, *(x.port for x in kernel.statements)) if x != port)
    one = replace(kernel, inputs=(*needed, port), statements=(left,), outputs=(left.port,))
    values = evaluate(one, {**inputs, **found, port.name: solution}, RESIDUES)
    return not any(values["left"])
