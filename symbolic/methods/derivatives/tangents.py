"""Derivatives of the accelerations with respect to coordinates, speeds, forces and parameters.

The tangents of forward dynamics, with a column for each direction. A direction of the
coordinates is that of a unit speed: q varies as it would move, so that there are as many as
speeds, and a quaternion's are turns about the axes that its angular velocity has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from ....errors import UsageError
from ...language.program import (
    Array,
    Call,
    Entry,
    Map,
    Output,
    Port,
    Program,
    Ref,
    Step,
    Storage,
)
from ...language.slices import unloaded
from ...language.tangent import PREFIX, Binding, Tangents, pruned, spanned, tangent_arrays
from . import kernels

#: The array of all derivatives: a row for each acceleration, a column for each direction.
DERIVATIVES = "da"

#: Up to so many tangent calls every column is code of its own, with what is known of it
#: folded; with more, columns that are alike share a loop.
STRAIGHT = 300


@dataclass(frozen=True)
class Columns:
    """The directions: coordinates, speeds and forces by speed, then parameters."""

    speeds: int
    parameters: tuple[str, ...]

    @property
    def count(self) -> int:
        return 3 * self.speeds + len(self.parameters)

    def of(self, block: int) -> range:
        """The columns of coordinates (0), speeds (1), forces (2) or parameters (3)."""
        start = block * self.speeds
        return range(start, self.count if block == 3 else start + self.speeds)

    def parameter(self) -> dict[str, int]:
        return dict(zip(self.parameters, self.of(3), strict=True))


def tangent_program(
    program: Program, *, straight: int = STRAIGHT, of: str = "accelerations", result: str = "a"
) -> Program:
    """The tangents of a program's accelerations, or of the one `result` `of` another entry.

    `program` is one with forces `tau`, if that entry takes any; external loads `f` are left out.
    Its run-time parameters are directions too.

    Shape
        Results `a` and `da`, row by row: for each speed the derivatives along each coordinate
        direction, each speed, each force and each run-time parameter.
    Raises
        UsageError: the program solves a system that grows with the model.
    Source
        own
    """
    program = unloaded(program)
    dynamics = next(entry for entry in program.entries if entry.name == of)
    steps = [program.step(name) for name in dynamics.steps if _has(program, name)]
    if any(step.dense for step in steps):
        raise UsageError(f"{program.algorithm} has no derivatives; riccati has")
    columns = Columns(len(scalars(program, "v")), program.runtime)
    tangents = Tangents(parameters=columns.parameter())
    seeded = Map(
        "directions",
        "directions of the coordinates",
        tuple(seeds(program, tangents, columns)),
    )
    written: list[Step] = [seeded]
    for step in steps:
        calls = [x for call in step.single_calls() for x in (call, *tangents.of(call))]
        written.append(replace(step, calls=tuple(calls)))
    written.append(
        Output(
            "gather",
            f"derivatives of the {of}",
            tuple(gathered(program, tangents, columns, result)),
        )
    )
    many = sum(len(step.calls) for step in written) > straight
    looped = [step.name for step in written] if many else []
    return assembled(program, written, columns, looped, of, result)


def _has(program: Program, name: str) -> bool:
    return any(step.name == name and (step.calls or step.dense) for step in program.steps)


def scalars(program: Program, array: str) -> list[tuple[Ref, int]]:
    """Every number of an array in storage order: its value, and which of its entries."""
    entries = len(program.arrays[array].port.entries)
    return [(ref, k) for ref in program.refs(array) for k in range(entries)]


def seeds(program: Program, tangents: Tangents, columns: Columns) -> Iterator[Call]:
    """Make active how q, v and τ vary; q as it moves at unit speeds.

    Raises
        UsageError: there are no speeds.
    """
    if not columns.speeds:
        raise UsageError(f"{program.name} has no derivatives: no hinge of it moves freely")
    _unit(program, tangents, "v", columns.of(0))
    for call in program.step("rates").single_calls():
        for seed in tangents.of(call):
            writes = {n: _of_coordinates(ref) for n, ref in seed.writes.items()}
            yield replace(seed, writes=writes)
    for ref in [ref for ref in tangents.active if ref.array == "qd"]:
        varied = tangents.active.pop(ref)
        tangents.active[replace(ref, array="q")] = {
            column: _of_coordinates(at) for column, at in varied.items() if isinstance(at, Ref)
        }
    for ref in program.refs("v"):
        del tangents.active[ref]
    _unit(program, tangents, "v", columns.of(1))
    if "tau" in program.arrays:
        _unit(program, tangents, "tau", columns.of(2))


def _of_coordinates(ref: Ref) -> Ref:
    return replace(ref, array=f"{PREFIX}q")


def _unit(program: Program, tangents: Tangents, array: str, columns: Iterable[int]) -> None:
    port = program.arrays[array].port
    for (ref, k), column in zip(scalars(program, array), columns, strict=True):
        unit = sp.zeros(port.rows, port.cols)
        unit[port.entries[k]] = 1
        tangents.active.setdefault(ref, {})[column] = unit


def gathered(program: Program, tangents: Tangents, columns: Columns, result: str) -> Iterator[Call]:
    """Every row's derivatives, and zero where nothing varies."""
    entries = len(program.arrays[result].port.entries)
    rows = scalars(program, result)
    for first in range(0, len(rows), entries):
        ref = rows[first][0]
        for column in range(columns.count):
            value = tangents.active.get(ref, {}).get(column)
            writes = {f"row{k + 1}": derivative(first + k, column) for k in range(entries)}
            reads: dict[str, Binding] = {"d": sp.zeros(entries, 1) if value is None else value}
            yield Call(kernels.rows.of(dimension=2, count=entries), ref.member, reads, writes)


def derivative(row: int, column: int) -> Ref:
    """Where one row's derivative lies."""
    return Ref(DERIVATIVES, str(row), column)


def _touched(steps: Iterable[Step]) -> set[str]:
    calls = [call for step in steps for call in step.calls]
    bindings = [x for call in calls for x in (*call.reads.values(), *call.writes.values())]
    return {binding.array for binding in bindings if isinstance(binding, Ref)}


def assembled(
    program: Program,
    steps: Sequence[Step],
    columns: Columns,
    looped: Sequence[str],
    of: str = "accelerations",
    result: str = "a",
) -> Program:
    """The program of these steps, which gives the accelerations, or a result, and its derivatives.

    In the `looped` ones columns that are alike share a loop.
    """
    rows = tuple(str(k) for k in range(len(scalars(program, result))))
    wide = tuple((0, columns.count) for _ in rows)
    derived = Array(
        DERIVATIVES, "rows", Port(DERIVATIVES), Storage.RESULT, DERIVATIVES, columns=wide
    )
    wanted = [
        *program.refs(result),
        *(Ref(DERIVATIVES, row, c) for row in rows for c in range(columns.count)),
    ]
    kept = pruned(steps, wanted)
    found = dict(tangent_arrays(program, [call for step in kept for call in step.calls]))
    kept = tuple(
        replace(step, calls=tuple(spanned(step.calls))) if step.name in looped else step
        for step in kept
    )
    arrays = {array.name: array for array in (*program.arrays.values(), *found, derived)}
    arrays = {name: array for name, array in arrays.items() if name in _touched(kept)}
    sets: dict[str, tuple[str, ...]] = {**program.sets, "rows": rows}
    sets |= {array.index_set: members for array, members in found.items()}
    names = tuple(step.name for step in kept)
    entry = Entry("derivatives", f"derivatives of the {of}", names, (result, DERIVATIVES))
    return replace(
        program,
        title=f"derivatives of {program.title}",
        algorithm="derivatives",
        sets=sets,
        arrays=arrays,
        steps=kept,
        entries=(entry,),
    )
