"""Tangents: the derivative of a program is a program of the same steps with tangent kernels.

A tangent kernel is a kernel's directional derivative, statement by statement. A tangent has a
column for every direction that it is wanted along; at each value only those columns exist that
change it, and what is zero by structure has none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from typing import TypeAlias

import sympy as sp

from ...model.expressions.differentiated import rate
from ...model.expressions.domains import slope
from .product_rule import UnknownSlopeError, tangent_equation
from .program import THIS, Array, Call, Kernel, Let, Port, Program, Ref, Statement, Step
from .written import Equation

#: What the name of a tangent begins with.
PREFIX = "d_"

Binding: TypeAlias = Ref | sp.Matrix


def tangent_name(name: str) -> str:
    """What the tangent of a port or an array is called."""
    return PREFIX + name


@cache
def tangent_kernel(
    kernel: Kernel, varying: frozenset[str], known: frozenset[str] = frozenset()
) -> Kernel:
    """The kernel's derivative along a direction in which the named inputs vary.

    It gives those outputs' tangents that are not zero by structure, and takes what it needs of the
    `known` outputs themselves. With A x = b, of whatever policy, A ẋ = ḃ − Ȧ x: of a system of
    minimum norm that is singular this is the tangent but for what A makes zero.

    Source
        own
    """
    tangents: dict[sp.Symbol, sp.Symbol] = {}
    inputs: list[Port] = []
    for port in kernel.inputs:
        if port.name in varying:
            inputs.append(_varies(port, tangents))
    statements: list[Statement] = []
    moving: list[Port] = []
    for statement in kernel.statements:
        statements.append(statement)
        names = {name.removeprefix(PREFIX) for x in (*inputs, *moving) for name in _names(x)}
        changed = _tangent_statement(statement, tangents, names)
        if changed is not None:
            statements.append(changed)
            moving.append(_varies(statement.port, tangents))
            if not isinstance(changed, Let):  # unknowns of a column that stays the same do too
                still = (j for j in range(changed.rhs.cols) if not any(changed.rhs[:, j]))
                for symbol in (x for j in still for x in statement.port.symbols()[:, j]):
                    tangents.pop(symbol, None)
    names = {port.name for port in moving} | {port.name for port in inputs}
    outputs = [p for p in (_tangent_port(p) for p in kernel.outputs) if p.name in names]
    whole = replace(
        kernel,
        name="_".join(
            (f"{PREFIX}{kernel.name}", *["kept"] * bool(known), "along", *sorted(varying))
        ),
        title=f"tangent of {kernel.title}",
        inputs=(*kernel.inputs, *inputs),
        statements=tuple(statements),
        outputs=tuple(outputs),
    )
    kept = used([x for x in statements if x.port.name not in known], outputs)
    taken = {symbol.name for statement in kept for symbol in symbols_of(statement)}
    given = (*whole.inputs, *(x for x in kernel.outputs if x.name in known))
    needed = tuple(p for p in given if taken & entry_names(p))
    return replace(whole, inputs=needed, statements=tuple(kept), whole=whole)


def _tangent_port(port: Port) -> Port:
    return replace(port, name=tangent_name(port.name))


def _varies(port: Port, tangents: dict[sp.Symbol, sp.Symbol]) -> Port:
    """Remember the tangents of a port's entries."""
    changed = _tangent_port(port)
    tangents.update(zip(port.symbols(), changed.symbols(), strict=True))
    return changed


def _tangent_statement(
    statement: Statement, tangents: Mapping[sp.Symbol, sp.Symbol], moving: Collection[str]
) -> Statement | None:
    """The statement of a port's tangent, unless that is zero by structure."""
    port, source = _tangent_port(statement.port), statement.source
    says = _shown(statement, moving)
    if isinstance(statement, Let):
        value = directional(statement.value, tangents)
        return Let(port, value, source, says) if any(value) else None
    unknowns = statement.port.symbols()
    rhs = directional(statement.rhs, tangents)
    rhs -= directional(statement.matrix, tangents) * unknowns
    if not any(rhs):
        return None
    return replace(statement, port=port, rhs=rhs, source=source, equation=says)


def _shown(statement: Statement, moving: Collection[str]) -> Equation | str:
    """The equation of a statement's tangent, where the names `moving` vary."""
    equation = statement.equation
    if isinstance(equation, Equation):
        with suppress(UnknownSlopeError):
            varying = {name: equation.letters.get(name, name) for name in moving}
            return tangent_equation(equation, varying, tangent_name)
    return f"∂[{statement.says or statement.source}]"


def directional(matrix: sp.Matrix, tangents: Mapping[sp.Symbol, sp.Expr]) -> sp.Matrix:
    """Σ ∂(matrix)/∂s ṡ. Where a value steps its derivative is taken for zero."""

    def entry(value: sp.Expr) -> sp.Expr:
        moving = sorted(value.free_symbols & tangents.keys(), key=str)
        return sp.Add(*(slope(value, symbol) * tangents[symbol] for symbol in moving))

    return sp.Matrix(*matrix.shape, [entry(value) for value in matrix])


def symbols_of(statement: Statement) -> set[sp.Symbol]:
    """What a statement reads."""
    if isinstance(statement, Let):
        return set(statement.value.free_symbols)
    return {symbol for matrix in statement.parts for symbol in matrix.free_symbols}


def entry_names(port: Port) -> set[str]:
    """The names of a port's independent entries."""
    return {port.entry_name(i, j) for i, j in port.entries}


def _names(port: Port) -> set[str]:
    """What equations may call a port and its entries."""
    return {port.name, *entry_names(port)}


def used(statements: Sequence[Statement], outputs: Iterable[Port]) -> list[Statement]:
    """The statements that the outputs need, in order."""
    needed = {name for port in outputs for name in entry_names(port)}
    kept = []
    for statement in reversed(statements):
        if needed & entry_names(statement.port):
            kept.append(statement)
            needed |= {symbol.name for symbol in symbols_of(statement)}
    return kept[::-1]


@dataclass
class Tangents:
    """Writes the tangents of calls, column by column.

    `active` holds, for each value that varies, its tangent by column; `parameters` the column
    of each parameter that is varied. Where calls are `kept`, their tangents take what they gave.
    """

    active: dict[Ref, dict[int, Binding]] = field(default_factory=dict)
    parameters: Mapping[str, int] = field(default_factory=dict)
    kept: bool = False

    def of(self, call: Call) -> Iterator[Call]:
        """The call's tangents; what they give is active from here on."""
        columns: dict[int, dict[str, Binding]] = {}
        for port in call.kernel.inputs:
            for column, value in self._variations(call.reads[port.name]):
                columns.setdefault(column, {})[port.name] = value
        for column, given in sorted(columns.items()):
            kept = call.writes if self.kept else {}
            kernel = tangent_kernel(call.kernel, frozenset(given), frozenset(kept))
            varied = {tangent_name(name): x for name, x in given.items()}
            known = {**call.reads, **kept, **varied}
            originals = {tangent_name(name): ref for name, ref in call.writes.items()}
            writes = {
                port.name: changed(originals[port.name], column)
                for port in kernel.outputs
                if port.name in originals
            }
            for name, ref in writes.items():
                self.active.setdefault(originals[name], {})[column] = ref
            if writes:
                reads = {port.name: known[port.name] for port in kernel.inputs}
                yield Call(kernel, call.member, reads, writes)

    def _variations(self, binding: Binding) -> Iterator[tuple[int, Binding]]:
        if isinstance(binding, Ref):
            yield from self.active.get(binding, {}).items()
            return
        for name, column in self.parameters.items():
            change = rate(binding, [(sp.Symbol(name, real=True), sp.S.One)])
            if any(change):
                yield column, change


def changed(ref: Ref, column: int) -> Ref:
    """Where the tangent of a value lies."""
    member = ref.member if ref.column is None else f"{ref.member} {ref.column}"
    return Ref(tangent_name(ref.array), member, column)


def pruned(steps: Sequence[Step], wanted: Iterable[Ref]) -> tuple[Step, ...]:
    """The steps without the calls and results that nothing wanted is made of."""
    needed = set(wanted)
    kept: list[Step] = []
    for step in reversed(steps):
        calls: list[Call] = []
        for call in reversed(step.calls):
            writes = {name: ref for name, ref in call.writes.items() if ref in needed}
            if writes:
                calls.append(replace(call, writes=writes))
                needed |= {x for x in call.reads.values() if isinstance(x, Ref)}
        if calls:
            kept.append(replace(step, calls=tuple(calls[::-1])))
    return tuple(kept[::-1])


def spanned(calls: Iterable[Call]) -> Iterator[Call]:
    """Calls that differ in nothing but their column, one after the other, as one call."""
    for _, same in groupby(calls, key=_along):
        for found in _ranges(list(same)):
            first = found[0]
            start = _column(first)
            if len(found) == 1 or start is None:
                yield from found
                continue
            _, _, reads, writes = _along(first)
            yield replace(
                first,
                reads={
                    name: x if isinstance(x, Ref) else first.reads[name]
                    for name, x in zip(first.reads, reads, strict=True)
                },
                writes=dict(zip(first.writes, writes, strict=True)),
                span=(start, start + len(found)),
            )


def _along(call: Call) -> tuple[Kernel, str, tuple[Binding, ...], tuple[Ref, ...]]:
    """A call without its column."""

    def along(binding: Binding) -> Binding:
        if isinstance(binding, Ref):
            return binding if binding.column is None else replace(binding, column=THIS)
        return sp.ImmutableMatrix(binding)

    writes = tuple(
        ref if ref.column is None else replace(ref, column=THIS) for ref in call.writes.values()
    )
    return call.kernel, call.member, tuple(map(along, call.reads.values())), writes


def _column(call: Call) -> int | None:
    return next((ref.column for ref in call.writes.values()), None)


def _ranges(calls: list[Call]) -> Iterator[list[Call]]:
    """Calls cut where their columns do not follow each other."""
    found: list[Call] = []
    for call in calls:
        before = _column(found[-1]) if found else None
        if found and (before is None or _column(call) != before + 1):
            yield found
            found = []
        found.append(call)
    if found:
        yield found


def tangent_arrays(
    program: Program, calls: Iterable[Call]
) -> Iterator[tuple[Array, tuple[str, ...]]]:
    """The arrays of all tangents that calls write, each with its members."""
    ranges: dict[str, dict[str, tuple[int, int]]] = {}
    for call in calls:
        for ref in call.writes.values():
            if ref.column is not None and ref.array.startswith(PREFIX):
                first, last = ranges.setdefault(ref.array, {}).get(
                    ref.member, (ref.column, ref.column + 1)
                )
                ranges[ref.array][ref.member] = (
                    min(first, ref.column),
                    max(last, ref.column + 1),
                )
    for name, found in ranges.items():
        port = program.arrays[name.removeprefix(PREFIX)].port
        array = Array(name, f"{name} members", _tangent_port(port), columns=tuple(found.values()))
        yield array, tuple(found)
