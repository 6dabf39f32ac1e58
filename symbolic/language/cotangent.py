"""Cotangents: a program run backwards gives the derivatives of one number by all that it takes.

Let g·y be a number made of results y. Of a value x the *cotangent* is ∂(g·y)/∂x; where z = f(x) it
is (∂f/∂x)ᵀ ∂(g·y)/∂z. So calls are met from the last to the first, each by its cotangent kernel; a
value that several calls read has a part of its cotangent from each, and the call that made it takes
their sum. All derivatives together cost a small multiple of the program itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import sympy as sp

from ...model.expressions.domains import slope
from .program import Call, Kernel, Let, Port, Ref, Statement
from .tangent import Binding, entry_names, symbols_of, used

BACK = "own: sum over all z that are made of it"

#: By symbol the terms of its cotangent, as far as they are known.
Terms = dict[sp.Symbol, list[sp.Expr]]


def cotangent_name(name: str, part: int | None = None) -> str:
    """What the cotangent of a port is called, or a numbered part of it, or the array of those."""
    return f"b{'' if part is None else part}_{name}"


def _cotangent(port: Port, part: int | None = None) -> Port:
    return replace(port, name=cotangent_name(port.name, part))


@cache
def cotangent_kernel(
    kernel: Kernel,
    given: tuple[tuple[str, int], ...],
    wanted: frozenset[str],
    known: frozenset[str] = frozenset(),
) -> Kernel:
    """The cotangents of the `wanted` inputs of a kernel from those of its outputs.

    `given` says of how many parts each output's is the sum. It takes what it needs of the `known`
    outputs themselves. Of A x = b the cotangent of b solves Aᵀ b̄ = x̄, and that of A is −b̄ xᵀ; of a
    system of minimum norm that is singular but for what A makes zero.

    Source
        own
    """
    outputs = {port.name: port for port in kernel.outputs}
    terms: Terms = {}
    parts: list[Port] = []
    for name, count in given:
        for number in range(count):
            parts.append(_cotangent(outputs[name], number))
            for symbol, part in zip(*map(_independent, (outputs[name], parts[-1])), strict=True):
                terms.setdefault(symbol, []).append(part)
    back: list[Statement] = []
    for statement in reversed(kernel.statements):
        back += _backwards(kernel, statement, terms)
    found = [x for x in kernel.inputs if x.name in wanted and any(_sum(x, terms))]
    back += [_stated(kernel, port, terms) for port in found]
    statements = [x for x in (*kernel.statements, *back) if x.port.name not in known]
    results = [_cotangent(port) for port in found]
    kept = used(statements, results)
    read = {symbol.name for statement in kept for symbol in symbols_of(statement)}
    taken = (*kernel.inputs, *(x for x in kernel.outputs if x.name in known), *parts)
    of = (f"{name}{count}" for name, count in given)
    whole = replace(
        kernel,
        name="_".join((cotangent_name(kernel.name), "of", *of, "by", *sorted(wanted))),
        title=f"cotangents of {kernel.title}",
        inputs=taken,
        statements=(*kernel.statements, *back),
        outputs=tuple(results),
    )
    needed = tuple(port for port in taken if read & entry_names(port))
    return replace(whole, inputs=needed, statements=tuple(kept), whole=whole)


def _independent(port: Port) -> list[sp.Symbol]:
    every = port.symbols()
    return [every[i, j] for i, j in port.entries]


def _sum(port: Port, terms: Terms) -> sp.Matrix:
    return port.symbols().applyfunc(lambda symbol: sp.Add(*terms.get(symbol, ())))


def _stated(kernel: Kernel, port: Port, terms: Terms) -> Let:
    line = kernel.letters.get(port.name)
    letter = line.letter if line else port.name
    said = f"∂(g·y)/∂{letter} = Σ (∂z/∂{letter})ᵀ ∂(g·y)/∂z"
    return Let(_cotangent(port), _sum(port, terms), BACK, said)


def _backwards(kernel: Kernel, statement: Statement, terms: Terms) -> Iterator[Statement]:
    """State the cotangent of what a statement gives, and add it to those of what it reads."""
    total = _stated(kernel, statement.port, terms)
    if not any(total.value):
        return
    yield total
    cotangents = total.port.symbols()
    if isinstance(statement, Let):
        pairs = [(statement.value[at], cotangents[at]) for at in total.port.entries]
    else:
        sides = replace(total.port, name=f"{total.port.name}_s")
        transposed = statement.matrix.T
        yield replace(
            statement,
            port=sides,
            matrix=transposed,
            rhs=cotangents,
            source=BACK,
            equation="Aᵀ ∂(g·y)/∂b = ∂(g·y)/∂x, of A x = b",
        )
        by_matrix = -sides.symbols() * statement.port.symbols().T
        pairs = [
            *zip(statement.rhs, sides.symbols(), strict=True),
            *zip(statement.matrix, by_matrix, strict=True),
        ]
    for value, cotangent in pairs:
        for symbol in sorted(value.free_symbols if cotangent else (), key=str):
            terms.setdefault(symbol, []).append(slope(value, symbol) * cotangent)


@dataclass
class Cotangents:
    """Writes the cotangents of calls, from the last to the first.

    `active` are the values that vary with what is asked for, `parameters` those by which
    derivatives are wanted too. `parts` are those of each value's cotangent, as far as they are
    known, and of each constant's that a parameter is in: its matrix, port and cotangent.
    """

    active: set[Ref]
    parameters: tuple[str, ...] = ()
    parts: dict[Ref, list[Binding]] = field(default_factory=dict)
    constants: list[tuple[sp.Matrix, Port, Ref]] = field(default_factory=list)

    def spread(self, calls: Iterable[Call]) -> None:
        """Find what varies, from the first call to the last."""
        for call in calls:
            if any(map(self._varies, call.reads.values())):
                self.active.update(call.writes.values())

    def _varies(self, binding: Binding) -> bool:
        if isinstance(binding, Ref):
            return binding in self.active
        return any(symbol.name in self.parameters for symbol in binding.free_symbols)

    def of(self, calls: Sequence[Call]) -> Iterator[Call]:
        """The calls' cotangents, backwards."""
        for call in reversed(calls):
            given = {name: self.parts[x] for name, x in call.writes.items() if x in self.parts}
            wanted = frozenset(name for name, x in call.reads.items() if self._varies(x))
            counted = tuple((name, len(parts)) for name, parts in given.items())
            kernel = cotangent_kernel(call.kernel, counted, wanted, frozenset(call.writes))
            if not kernel.outputs:
                continue
            known: dict[str, Binding] = {**call.reads, **call.writes}
            for name, parts in given.items():
                known |= {cotangent_name(name, k): part for k, part in enumerate(parts)}
            reads = {port.name: known[port.name] for port in kernel.inputs}
            writes = {
                cotangent_name(port.name): self._part(call, port)
                for port in call.kernel.inputs
                if cotangent_name(port.name) in {x.name for x in kernel.outputs}
            }
            yield Call(kernel, call.member, reads, writes)

    def _part(self, call: Call, port: Port) -> Ref:
        """Where a call's part of the cotangent of what it reads lies."""
        read = call.reads[port.name]
        if isinstance(read, Ref):
            parts = self.parts.setdefault(read, [])
            part = replace(read, array=cotangent_name(read.array, len(parts)))
            parts.append(part)
            return part
        stem = f"{call.kernel.name}_{port.name}"
        known = {ref for *_, ref in self.constants}
        number = 0
        while Ref(cotangent_name(stem, number), call.member) in known:
            number += 1
        self.constants.append((read, port, Ref(cotangent_name(stem, number), call.member)))
        return self.constants[-1][-1]
