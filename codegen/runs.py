"""Passes *fuse* and *runs*: calls to units, and repeated units to loops.

A unit is the calls that follow each other at one member (a body with its hinge). The longest
repeated pattern of units, of any period up to `LONGEST_PERIOD`, becomes one loop, whose
constants are baked in or, where they change often, tabled; what repeats fewer than `loop_min`
times stays straight-line code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import sympy as sp

from ..symbolic.program import THIS, Call, Ref

LONGEST_PERIOD = 8

#: Repetitions from which a loop is smaller and no slower than straight-line code.
LOOP_MIN = 8

#: A run whose constants change no more often than this is cut there; otherwise they are tabled.
FEW_CHANGES = 3

Unit = tuple[Call, ...]
Run = tuple[Unit, ...]


def fuse(calls: Sequence[Call]) -> list[Unit]:
    """Group the calls that follow each other at one member."""
    return [tuple(group) for _, group in groupby(calls, key=lambda call: call.member)]


def find_runs(
    units: Sequence[Unit], runtime: frozenset[sp.Symbol], loop_min: int = LOOP_MIN
) -> list[Run]:
    """Cut the units into runs; iteration t of a run is its t-th element, all calls merged."""
    shapes = [_shape(unit, runtime) for unit in units]
    links = _links(units)
    runs: list[Run] = []
    at = 0
    while at < len(units):
        period, count = _longest(shapes, links, at)
        if count >= loop_min:
            count = _alike(units, at, period, count)
        if count < loop_min:
            period, count = 1, 1
        runs.append(
            tuple(
                tuple(call for unit in units[start : start + period] for call in unit)
                for start in range(at, at + period * count, period)
            )
        )
        at += period * count
    return runs


def _alike(units: Sequence[Unit], at: int, period: int, count: int) -> int:
    """Repetitions up to the first change of the constants, if they change seldom."""
    constants = [
        [binding for unit in units[start : start + period] for binding in _constants(unit)]
        for start in range(at, at + period * count, period)
    ]
    changes = [t for t in range(1, count) if not _equal(constants[t], constants[t - 1])]
    return changes[0] if 0 < len(changes) <= FEW_CHANGES else count


def _equal(these: Sequence[sp.Matrix], those: Sequence[sp.Matrix]) -> bool:
    return all(a is b or a == b for a, b in zip(these, those, strict=True))


def _constants(unit: Unit) -> Iterator[sp.Matrix]:
    for call in unit:
        for binding in call.reads.values():
            if not isinstance(binding, Ref):
                yield binding


def _longest(
    shapes: Sequence[object], links: Sequence[tuple[int, ...]], at: int
) -> tuple[int, int]:
    best = (1, 1)
    for period in range(1, min(LONGEST_PERIOD, len(shapes) - at) + 1):
        count = _repetitions(shapes, links, at, period)
        if count > 1 and period * count > best[0] * best[1]:
            best = (period, count)
        if at + best[0] * best[1] > len(shapes) - best[0]:
            break  # no longer pattern covers more
    return best


def _repetitions(
    shapes: Sequence[object], links: Sequence[tuple[int, ...]], at: int, period: int
) -> int:
    """How often the pattern at `at` repeats, its links into the pattern included."""

    def inner(start: int, reach: int) -> list[tuple[int, ...]]:
        """Links of the iteration at `start` no longer than `reach` iterations back."""
        return [
            tuple(back if back <= offset + reach * period else 0 for back in links[start + offset])
            for offset in range(period)
        ]

    count = 1
    pattern, within, between = shapes[at : at + period], inner(at, 0), None
    while True:
        start = at + count * period
        if start + period > len(shapes) or shapes[start : start + period] != pattern:
            return count
        if between is not None and links[start : start + period] == links[start - period : start]:
            count += 1
            continue
        if inner(start, 0) != within:
            return count
        if between is None:
            between = inner(start, 1)
        elif inner(start, 1) != between:
            return count
        count += 1


def _shape(unit: Unit, runtime: frozenset[sp.Symbol]) -> object:
    """What two units must share to be iterations of one loop."""
    shape: list[object] = []
    for call in unit:
        shape += (call.kernel.name, *call.reads, *call.writes, call.span is None)
        shape += [_kind(binding, runtime) for binding in call.reads.values()]
        shape += [_kind(ref, runtime) for ref in call.writes.values()]
    return tuple(shape)


def _kind(binding: Ref | sp.Matrix, runtime: frozenset[sp.Symbol]) -> object:
    if isinstance(binding, Ref):
        return binding.array, binding.column == THIS
    if runtime and runtime & binding.free_symbols:
        return tuple(str(x) for x in binding)
    return "constant"


def _links(units: Sequence[Unit]) -> list[tuple[int, ...]]:
    """For each read of each unit: how many units back it was written (0: here or elsewhere)."""
    writer: dict[Ref, int] = {}
    links = []
    for position, unit in enumerate(units):
        found = []
        for call in unit:
            for binding in call.reads.values():
                if isinstance(binding, Ref):
                    found.append(position - writer.get(binding, position))
            for ref in call.writes.values():
                writer[ref] = position
        links.append(tuple(found))
    return links
