"""Linear state feedback as a controller, its reference as a law of its own, and limits of laws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...model.parts.naming import nearest
from ..capabilities.tangent import differences
from ..evaluation.arrays import Floats, real_numbers, shaped
from ..evaluation.backend import CBatchLibrary, CLibrary
from ..evaluation.evaluator import Evaluator
from ..events import text_of
from ..inputs import Feedback, Table
from .controllers import Controller, Line, Native


def line_of(
    called: str, law: Feedback, code: Evaluator, count: int
) -> tuple[Line, Table | list[str] | None]:
    """What a feedback does with the state, and the law that its reference adds.

    Raises
        UsageError: a shape, or a reference, that does not fit the model.
    """
    nv = len(code.speeds)
    gains = shaped(f"{called}: gains", law.gains, (count, 2 * nv))
    rest = np.asarray(code.model.rest_position())
    q = np.array(code.state("q", rest if law.q is None else law.q))
    v = np.array(code.state("v", np.zeros(nv) if law.v is None else law.v))
    about = np.zeros(count) if law.inputs is None else law.inputs
    constant = np.broadcast_to(shaped(f"{called}: inputs", about, (), (count,)), (count,))
    places = gains[:, :nv] @ differences(code.model, q)
    rows = np.ascontiguousarray(np.hstack([places, gains[:, nv:]]))
    stand, moving = np.concatenate([q, v]), dict[int, Any]()
    for k, said in _references(called, law.reference, code):
        if isinstance(said, Table) or text_of(said, "reference") is not None:
            stand[k], moving[k] = 0.0, said
        else:
            stand[k] = shaped(f"{called}: the reference of {_names(code)[k]}", said, ())
    line = Line(np.ascontiguousarray(constant + rows @ stand), rows, stand[: len(q)].copy())
    return line, _leads(called, rows, moving) if moving else None


def _names(code: Evaluator) -> tuple[str, ...]:
    return (*code.model.coordinates, *code.speeds)


def _references(
    called: str, reference: Mapping[str, Any] | None, code: Evaluator
) -> list[tuple[int, Any]]:
    """What is said of which number of the state."""
    names = _names(code)
    turns = {first + k for first in code.model.quaternions for k in range(4)}
    for name in reference or {}:
        if name not in names:
            raise UsageError(
                f"{called}: there is no coordinate and no speed {name!r} for a reference"
                f"{nearest(name, names)}; there are: {', '.join(names)}"
            )
        if names.index(name) in turns:
            raise UsageError(
                f"{called}: {name} is of a quaternion, which has no reference of its own; say by q "
                "where the ball is to be, or write a Python function of (t, q, v)"
            )
    return [(names.index(name), said) for name, said in (reference or {}).items()]


def _leads(called: str, rows: Floats, moving: Mapping[int, Any]) -> Table | list[str]:
    """gains · reference, as one table or as an expression for each input."""
    tables = {k: x for k, x in moving.items() if isinstance(x, Table)}
    if not tables:
        texts = {k: text_of(x, "reference") for k, x in moving.items()}
        return [
            " + ".join(f"({float(row[k])!r})*({text})" for k, text in texts.items()) for row in rows
        ]
    held = {bool(table.held) for table in tables.values()}
    if len(tables) < len(moving) or len(held) > 1:
        raise UsageError(
            f"{called}: its references are expressions, or tables with lines between, or tables "
            "that are held; give all in one of these ways"
        )
    times = np.unique(np.concatenate([np.asarray(x.times) for x in tables.values()]))
    values = sum(np.outer(_at(called, x, times), rows[:, k]) for k, x in tables.items())
    return Table(times, values, held.pop())


def _at(called: str, table: Table, times: Floats) -> Floats:
    own, values = np.asarray(table.times), np.asarray(table.values)
    if values.size != len(own):
        raise UsageError(f"{called}: the table of a reference has one value a time")
    before = np.searchsorted(own, times, side="right") - 1
    steps: Floats = values.reshape(-1)[np.maximum(before, 0)]
    lines: Floats = np.interp(times, own, values.reshape(-1))
    return steps if table.held else lines


def feed_back(make: Controller, line: Line, leads: Controller | None, code: Evaluator) -> None:
    """Make the controller that of a feedback, to which another law of as many inputs is added."""
    constant, rows, near = line.constant, line.gains, line.near
    turns = np.full(len(near), -1, dtype=np.intc)
    for first in code.model.quaternions:
        turns[first : first + 4] = first

    def fed_back(t: float, q: Floats, v: Floats) -> Floats:
        own = q.copy()
        for first in code.model.quaternions:  # Q and −Q are one turn
            turn = slice(first, first + 4)
            own[turn] *= -1.0 if own[turn] @ near[turn] < 0.0 else 1.0
        found: Floats = constant - rows @ np.concatenate([own, v])
        return found if leads is None else found + leads.function(t, q, v)

    def native(library: CLibrary | CBatchLibrary) -> Native:
        ffi = library.ffi
        data = ffi.new("mstmm_feedback *")
        data.rows, data.nq, data.nv = len(constant), len(near), len(code.speeds)
        data.constant = ffi.cast("double *", constant.ctypes.data)
        data.gains = ffi.cast("double *", rows.ctypes.data)
        data.turns = ffi.cast("int *", turns.ctypes.data)
        data.near = ffi.cast("double *", near.ctypes.data)
        kept: tuple[Any, ...] = data, constant, rows, turns, near
        if leads is not None and leads.native is not None:
            data.leads, data.data, of = leads.native(library)
            kept = *kept, of
        return library.library.mstmm_feed_back, ffi.cast("void *", data), kept

    make.function, make.native = fed_back, native
    make.line = line if leads is None else None
    if leads is not None:
        make.times, make.texts, make.made = leads.times, leads.texts, leads.made


def bounds(called: str, limits: npt.ArrayLike, count: int) -> Floats:
    """Lower and upper limits of each of so many inputs.

    Shape
        (inputs, 2).
    Raises
        UsageError: another shape, or a lower one beyond the upper.
    """
    found = real_numbers(f"{called}: limits", limits)
    if found.shape not in ((2,), (count, 2)):
        raise UsageError(
            f"{called}: limits have the shape {found.shape} instead of (2,), lower and upper, or "
            f"({count}, 2)"
        )
    found = np.broadcast_to(found, (count, 2))
    for lower, upper in found.tolist():
        if not lower <= upper:
            raise UsageError(f"{called}: the lower limit, {lower:g}, exceeds the upper, {upper:g}")
    return found


def keep_within(make: Controller, limits: Floats) -> None:
    """Keep what a controller gives within limits (inputs, 2)."""
    lower, upper = (np.ascontiguousarray(x) for x in limits.T)
    plain, compiled, make.line = make.function, make.native, None

    def native(library: CLibrary | CBatchLibrary) -> Native:
        assert compiled is not None
        ffi = library.ffi
        data = ffi.new("mstmm_limits *")
        data.law, data.data, of = compiled(library)
        data.count = len(lower)
        data.lower = ffi.cast("double *", lower.ctypes.data)
        data.upper = ffi.cast("double *", upper.ctypes.data)
        return library.library.mstmm_keep_within, ffi.cast("void *", data), (data, lower, upper, of)

    make.function = lambda t, q, v: np.clip(plain(t, q, v), lower, upper)
    make.native = None if compiled is None else native
