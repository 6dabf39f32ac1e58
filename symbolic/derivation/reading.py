"""A program read: what every call states, with its element's data, in named symbols.

The kernels' statements are those that are compiled. What one call carries to another has a name
(`IA_2`), and is composed into one formula on request and under a budget only: compositions
explode along a chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from ...errors import UsageError
from ...model.expressions.quantities import shorten
from ...shown import Shown
from ..exact.budget import Budget
from ..exact.rational import ExactMatrix, Field, Ratio, generators
from ..language.program import Call, Let, Policy, Port, Program, Ref, Slot, Step, Storage
from .composing import FurtherError, Symbolic

#: Numbers with more digits than this, above or below the line, appear as named symbols.
LONG = 10**7

#: The array of S is called so that it differs from those of the program (`letters`).
OF = " of"


@dataclass(frozen=True, eq=False)
class Statement:
    """`name := value`, or `matrix name = value` of a small system; `source` is its equation."""

    name: str
    value: sp.Matrix
    source: str
    matrix: sp.Matrix | None = None
    policy: Policy | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Quantity(Shown):
    """What a call gives: where it stands in the program and all that the call states.

    `symbols` is the matrix of the symbols by which others call it; `inputs` say by port what the
    call reads: names of quantities and arguments, or `data`.
    """

    name: str
    step: str
    title: str
    member: str
    port: str
    symbols: sp.Matrix
    inputs: Mapping[str, str]
    statements: tuple[Statement, ...]

    def __repr__(self) -> str:
        size = " × ".join(map(str, self.symbols.shape))
        return f"<Quantity {self.name}, {size}: {self.title}>"

    @property
    def sources(self) -> tuple[str, ...]:
        """The equations of the statements, each once, in order."""
        return tuple(dict.fromkeys(statement.source for statement in self.statements))


class Quantities(Shown, Mapping[str, Quantity]):
    """Quantities by name, each read when it is asked for.

    Raises
        UsageError: there is none of a name; lists some that there are.
    """

    def __init__(self, places: Mapping[str, tuple[Step, Call, str]], read: Callable[..., Quantity]):
        self._places = places
        self._read = read

    def __repr__(self) -> str:
        return f"<{len(self)} quantities: {shorten([*self])}>"

    def __getitem__(self, name: str) -> Quantity:
        if name not in self._places:
            raise UsageError(f"there is no {name!r}; there are: {shorten([*self], 12)}")
        return self._read(name, *self._places[name])

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Reading:
    """The quantities of a program: `step/array/member`, or in the paper's letters `S[1:O]`.

    `arguments` are the names of the numbers in the caller's buffers (`q`, `v`, …); those of
    other buffers are named after their arrays. `data` fills as quantities are read: the values of
    the symbols that stand for long numbers.
    """

    def __init__(self, program: Program, arguments: Mapping[str, Sequence[str]]) -> None:
        self.program = program
        self.arguments = arguments
        self.data: dict[sp.Symbol, sp.Expr] = {}
        self._composed: dict[Ref, list[Ratio]] = {}

    @cached_property
    def places(self) -> Mapping[str, tuple[Step, Call, str]]:
        """For each name the step, the call and the call's output."""
        return {
            self.name(step, ref): (step, call, port)
            for step in self.program.steps
            for call in step.single_calls()
            for port, ref in call.writes.items()
        }

    @cached_property
    def quantities(self) -> Quantities:
        return Quantities(self.places, self._read)

    @staticmethod
    def name(step: Step, ref: Ref) -> str:
        """What a value is called."""
        if ref.array.endswith(OF):
            return f"{letter(ref.array)}[{ref.member}]"
        parts = (step.name, ref.array, ref.member) if ref.member else (step.name, ref.array)
        return "/".join(parts if ref.column is None else (*parts, str(ref.column)))

    # Symbols

    @cached_property
    def _given(self) -> Mapping[Ref, tuple[str, ...]]:
        """The names of the numbers of every argument that the caller names."""
        found: dict[Ref, tuple[str, ...]] = {}
        for array in self.program.arrays.values():
            names = self.arguments.get(array.owner, ())
            if array.storage is Storage.ARGUMENT and names:
                width = len(array.port.entries)
                for k, member in enumerate(self.program.sets[array.index_set]):
                    found[Ref(array.name, member)] = tuple(names[k * width : (k + 1) * width])
        return found

    def symbols(self, ref: Ref) -> list[sp.Symbol]:
        """The symbols of a value's entries, in the port's order."""
        if ref in self._given:
            return [sp.Symbol(name, real=True) for name in self._given[ref]]
        port = self.program.arrays[ref.array].port
        parts = (letter(ref.array), ref.member, "" if ref.column is None else str(ref.column))
        named = replace(port, name="_".join(part for part in parts if part))
        return [sp.Symbol(named.entry_name(i, j), real=True) for i, j in port.entries]

    def constants(self, step: str, call: Call, port: Port) -> list[sp.Expr]:
        """The entries of a constant input: short ones as they are, long ones by name."""
        matrix = call.reads[port.name]
        assert not isinstance(matrix, Ref)
        return [
            self._short(sp.sympify(matrix[i, j]), step, call.member, port.entry_name(i, j))
            for i, j in port.entries
        ]

    def _short(self, exact: sp.Expr, step: str, member: str, entry: str) -> sp.Expr:
        long = [n for n in exact.atoms(sp.Rational) if max(abs(n.p), n.q) >= LONG]
        # A model's decimals are doubles, and what is made of them, rounded: 1.2 is 6/5, and so
        # is 0.7 · 0.1 to fifteen digits 7/100.
        x = exact.xreplace({n: sp.Rational(f"{float(n):.15g}") for n in long})
        if all(max(abs(n.p), n.q) < LONG for n in x.atoms(sp.Rational)):
            return x
        symbol = sp.Symbol(f"{entry}_{member}", real=True)
        if self.data.setdefault(symbol, exact) != exact:
            symbol = sp.Symbol(f"{entry}_{step}_{member}", real=True)
            self.data[symbol] = exact
        return symbol

    # Quantities

    def stated(self, step: Step, call: Call) -> tuple[Statement, ...]:
        """What a call states, its inputs by the names of what they read."""
        return self._stated(step, call)[0]

    def _stated(self, step: Step, call: Call) -> tuple[tuple[Statement, ...], Mapping[str, str]]:
        """What a call states, and what each of its ports reads."""
        known: dict[sp.Expr, sp.Expr] = {}
        inputs = {}
        for port in call.kernel.inputs:
            binding = call.reads[port.name]
            if isinstance(binding, Ref):
                values: Sequence[sp.Expr] = self.symbols(binding)
                inputs[port.name] = self.called(step, binding)
            else:
                values = self.constants(step.name, call, port)
                inputs[port.name] = "data"
            own = port.symbols()
            known |= {own[i, j]: x for (i, j), x in zip(port.entries, values, strict=True)}
        return tuple(_with(statement, known) for statement in call.kernel.statements), inputs

    def _read(self, name: str, step: Step, call: Call, output: str) -> Quantity:
        statements, inputs = self._stated(step, call)
        ref = call.writes[output]
        port = self.program.arrays[ref.array].port
        flat = dict(zip(port.entries, self.symbols(ref), strict=True))

        def symbol(i: int, j: int) -> sp.Symbol:
            return flat[port.independent(i, j)]

        return Quantity(
            name=name,
            step=step.name,
            title=call.kernel.title,
            member=call.member,
            port=output,
            symbols=sp.Matrix(port.rows, port.cols, symbol),
            inputs=inputs,
            statements=statements,
        )

    def called(self, step: Step, ref: Ref) -> str:
        """What a value that a step reads is called: by the last step that gives it."""
        if self.program.arrays[ref.array].storage is Storage.ARGUMENT:
            return ref.array
        steps = self.program.steps
        for before in reversed(steps[: steps.index(step) + 1]):
            name = self.name(before, ref)
            if name in self.places:
                return name
        return ref.array

    # Composition

    def composed(
        self, name: str, budget: Budget, values: Mapping[sp.Expr, sp.Expr] | None = None
    ) -> ExactMatrix:
        """A quantity as one formula in arguments, parameters and data, in exact arithmetic.

        With `values`, exact numbers for symbols, sines and cosines, it is seen at one point and
        without any growth.

        Raises
            UsageError: there is no such quantity, or one on its way has no exact form.
            DerivationError: it takes more than the budget.
        """
        if name not in self.places:
            self.quantities[name]
        step, call, output = self.places[name]
        ref = call.writes[output]
        values = values or {}
        known = {} if values or not self._once else self._composed
        steps, leaves = self._slice(step, ref, known)
        calls = [call for each in steps for call in each.single_calls()]
        reads = {of for call in calls for of in call.reads.values() if isinstance(of, Ref)}
        known = {of: known[of] for of in (reads | {ref}) & known.keys()}
        given = {
            leaf: [symbol.xreplace(values) for symbol in self.symbols(leaf)] for leaf in leaves
        }
        found = {gen for entries in given.values() for x in entries for gen in generators(x)}
        found |= {gen for x in known.values() for y in x[:1] for gen in y.field.expressions}
        found |= {gen for x in self._foreseen(calls, given) for gen in generators(x)}
        while True:
            budget.spent = 0
            field = Field(found, budget, self._relations(found))
            interpreter = Symbolic(self.program, self.constants, field, values)
            numbers = {of: [x.over(field) for x in entries] for of, entries in known.items()}
            numbers |= {leaf: [field.ratio(x) for x in entries] for leaf, entries in given.items()}
            try:
                for each in steps:
                    interpreter.perform(each, numbers)
            except FurtherError as more:
                found |= more.generators
                continue
            if self._once and not values:
                self._composed |= numbers
            port = self.program.arrays[ref.array].port
            flat = dict(zip(port.entries, numbers[ref], strict=True))
            rows = [
                [flat[port.independent(i, j)] for j in range(port.cols)] for i in range(port.rows)
            ]
            return ExactMatrix(field, rows)

    def _foreseen(
        self, calls: Iterable[Call], given: Mapping[Ref, Sequence[sp.Expr]]
    ) -> Iterator[sp.Expr]:
        """The functions of arguments alone, so that not each is met by beginning anew."""
        for call in calls:
            known = {
                symbol: value
                for port in call.kernel.inputs
                for of in (call.reads[port.name],)
                if isinstance(of, Ref) and of in given
                for symbol, value in zip(_entries(port), given[of], strict=True)
            }
            for statement in call.kernel.statements:
                for x in statement.value.atoms(sp.Function) if isinstance(statement, Let) else ():
                    if x.free_symbols <= known.keys():
                        yield x.xreplace(known)

    @cached_property
    def _once(self) -> bool:
        """Is every value given by one call alone, so that it may be kept?"""
        calls = (call for step in self.program.steps for call in step.single_calls())
        refs = [ref for call in calls for ref in call.writes.values()]
        return len(refs) == len({*refs}) and not any(step.clears for step in self.program.steps)

    def _slice(
        self, last: Step, ref: Ref, known: Mapping[Ref, object]
    ) -> tuple[list[Step], set[Ref]]:
        """The calls that a value needs beyond what is known, as steps, and what those need."""
        entry = next(entry for entry in self.program.entries if last.name in entry.steps)
        names = entry.steps[: entry.steps.index(last.name) + 1]
        needed, steps = {ref} - known.keys(), []
        for step in map(self.program.step, reversed(names)):
            calls = []
            dense = step.dense
            if dense and not needed.isdisjoint(self.program.refs(dense.unknowns)):
                needed -= {*self.program.refs(dense.unknowns)}
                needed |= {*self.program.refs(dense.matrix), *self.program.refs(dense.rhs)}
            else:
                dense = None
            for call in reversed([*step.single_calls()]):
                if not needed.isdisjoint(call.writes.values()):
                    needed -= {*call.writes.values()}
                    needed |= {x for x in call.reads.values() if isinstance(x, Ref)} - known.keys()
                    calls.append(call)
            clears = tuple(x for x in step.clears if not needed.isdisjoint(self.program.refs(x)))
            for array in clears:
                needed -= {*self.program.refs(array)}
            if calls or dense or clears:
                steps.append(replace(step, calls=tuple(calls[::-1]), clears=clears, dense=dense))
        return steps[::-1], needed

    def _relations(self, found: set[Any]) -> dict[sp.Expr, sp.Expr]:
        """What the square of a unit quaternion's first component is."""
        names = self.arguments.get("q", ())
        slots = list(self.program.slots)
        for array in self.program.arrays.values():
            if array.owner == "q" and array.slot is Slot.QUATERNION:
                slots = [Slot.QUATERNION] * len(names)
        starts, k = [], 0
        while k < len(slots):
            if slots[k] is Slot.QUATERNION:
                starts.append(k)
                k += 3
            k += 1
        relations = {}
        for k in starts:
            w, x, y, z = (sp.Symbol(name, real=True) for name in names[k : k + 4])
            if w in found:
                relations[w] = 1 - x**2 - y**2 - z**2
        return relations


def _entries(port: Port) -> list[sp.Symbol]:
    """The symbols of a port's independent entries."""
    symbols = port.symbols()
    return [symbols[i, j] for i, j in port.entries]


def letter(array: str) -> str:
    """The letter of an array in the paper's letters; another's own name."""
    return array.removesuffix(OF).rstrip("0123456789") if array.endswith(OF) else array


def _with(statement: Any, known: Mapping[sp.Expr, sp.Expr]) -> Statement:
    name, source = statement.port.name, statement.source
    if isinstance(statement, Let):
        return Statement(name, statement.value.xreplace(known), source)
    matrix, rhs = statement.matrix.xreplace(known), statement.rhs.xreplace(known)
    return Statement(name, rhs, source, matrix, statement.policy)
