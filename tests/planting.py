"""Errors planted in programs: what judges them must see each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import sympy as sp

from mstmm.symbolic.language.program import Kernel, Let, Program, Step


def mutants(
    program: Program, sources: Sequence[str] = (), steps: Sequence[str] = ()
) -> Iterator[tuple[str, Program]]:
    """One thousandth added to one entry of one statement of a kernel at a time.

    Of statements with these sources and kernels of these steps, by default all.
    """
    own = [program.step(name) for name in steps] or program.steps
    for kernel in dict.fromkeys(call.kernel for step in own for call in step.calls):
        used = _used(kernel)
        for at, statement in enumerate(kernel.statements):
            if sources and statement.source not in sources:
                continue
            field = "value" if isinstance(statement, Let) else "rhs"
            matrix, symbols = getattr(statement, field), statement.port.symbols()
            for i, j in statement.port.entries:
                if symbols[i, j] not in used or (not sources and matrix[i, j].is_number):
                    continue
                changed = sp.Matrix(matrix)
                changed[i, j] += sp.Rational(1, 1000)
                wrong = replace(statement, **{field: changed})
                statements = (*kernel.statements[:at], wrong, *kernel.statements[at + 1 :])
                other = replace(kernel, statements=statements)
                name = f"{kernel.name}: {statement.port.name}[{i},{j}]"
                yield name, _swapped(program, kernel, other)


def _used(kernel: Kernel) -> set[sp.Symbol]:
    """All symbols that reach an output of the kernel."""
    used = {symbol for port in kernel.outputs for symbol in port.symbols()}
    for statement in reversed(kernel.statements):
        symbols = statement.port.symbols()
        if isinstance(statement, Let):
            for i, j in statement.port.entries:
                if symbols[i, j] in used:
                    used |= statement.value[i, j].free_symbols
        else:
            used |= statement.matrix.free_symbols | statement.rhs.free_symbols
    return used


def _swapped(program: Program, old: Kernel, new: Kernel) -> Program:
    def turned(step: Step) -> Step:
        calls = (replace(c, kernel=new) if c.kernel is old else c for c in step.calls)
        return replace(step, calls=tuple(calls))

    return replace(program, steps=tuple(turned(step) for step in program.steps))
