"""What callers give for inputs, made into constants and controllers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from cffi import FFI

from ...errors import NumericsError, UsageError
from ...model.expressions.quantities import Quantity
from ..evaluation.arrays import Floats, real_numbers, shaped
from ..evaluation.backend import CBatchLibrary, CLibrary
from ..evaluation.efforts import Place, place_of
from ..evaluation.evaluator import Evaluator
from ..events import text_of
from ..inputs import CLaw, Feedback, Laws, Sampled, Table, Within
from .controllers import Controller, Native, Steered
from .feedback import bounds, feed_back, keep_within, line_of
from .functions import Values, compiled, evaluated, remembered


def steered(code: Evaluator, inputs: object, parameters: Floats) -> Steered:
    """The inputs that a caller gives; a model's others are what `parameters` say.

    Raises
        UsageError: a name that is no input, a value that is none, or an input given twice.
    """
    own = {x.name: place_of(code, x.name) for x in code.model.inputs}
    constants: dict[Place, float] = {place: float(parameters[place[1]]) for place in own.values()}
    given: dict[str, Place] = {}
    controllers: list[Controller] = []
    for key, law in _items(inputs):
        names = key if isinstance(key, tuple) else (key,)
        places = tuple(place_of(code, n) for n in names)
        for name, place in zip(names, places, strict=True):
            if place in given.values():
                raise UsageError(f"the input {name} is given twice")
            given[name] = place
        if _is_constant(law):
            values = np.broadcast_to(_constant(names, law), len(places))
            constants |= dict(zip(places, values.tolist(), strict=True))
        else:
            controllers.append(_controller(code, names, places, law, parameters))
    named = {**own, **given}
    return Steered(tuple(named), tuple(named.values()), constants, tuple(controllers))


def _items(inputs: object) -> Iterable[tuple[Any, Any]]:
    if inputs is None:
        return ()
    if not isinstance(inputs, Mapping):
        raise UsageError(
            f"inputs = {inputs!r} is no mapping of names to what they are: "
            'write inputs={"u": 3.0} or inputs={("u", "w"): law}'
        )
    return inputs.items()


def _is_constant(law: object) -> bool:
    if callable(law) or isinstance(law, Sampled | Table | Feedback | CLaw | Within):
        return False
    return _texts(law) is None


def _texts(law: object) -> list[str] | None:
    """The texts of expressions, if the law is one or some."""
    given = list(law) if isinstance(law, list | tuple) else [law]
    texts = [text_of(x, "input") for x in given]
    return [text or "" for text in texts] if any(text is not None for text in texts) else None


def _constant(names: tuple[str, ...], law: Any) -> Floats:
    return shaped(f"input {', '.join(names)}", law, (), (len(names),))


def _controller(
    code: Evaluator, names: tuple[str, ...], places: tuple[Place, ...], law: Any, parameters: Floats
) -> Controller:
    if not isinstance(law, Sampled):
        return _law(code, names, places, law, parameters)
    called = f"input {', '.join(names)}"
    if isinstance(law.law, Sampled) or _is_constant(law.law):
        raise UsageError(f"{called}: {law.law!r} cannot be sampled: it is no law")
    found = _law(code, names, places, law.law, parameters)
    found.period, found.times = float(law.period), np.empty(0)
    return found


def _law(
    code: Evaluator, names: tuple[str, ...], places: tuple[Place, ...], law: Any, parameters: Floats
) -> Controller:
    called = f"input {', '.join(names)}"
    make = Controller(names, places, function=lambda t, q, v: np.empty(0))
    match law:
        case Table():
            _table(make, called, law)
        case Feedback():
            _feedback(make, called, law, code, parameters)
        case Within():
            make = _law(code, names, places, law.law, parameters)
            keep_within(make, bounds(called, law.limits, len(places)))
        case CLaw():
            _c_law(make, law)
        case _ if (texts := _texts(law)) is not None:
            _expressions(make, called, texts, code, parameters)
        case _ if callable(law):
            make.function = _checked(called, law, len(places))
        case _:
            raise UsageError(
                f"{called}: {law!r} is neither a number, an expression, a function of (t, q, v), "
                "nor a Table, Sampled, Feedback or CLaw"
            )
    return make


def _checked(called: str, function: Callable[..., Any], count: int) -> Values:
    """A caller's function of (t, q, v), what it gives seen to be so many numbers."""
    try:
        inspect.signature(function).bind(0.0, None, None)
    except TypeError as error:
        raise UsageError(f"{called}: the function must take (t, q, v): {error}") from None
    except ValueError:
        pass  # written in C: it does not say what it takes

    def values(t: float, q: Floats, v: Floats) -> Floats:
        shapes = ((), (1,)) if count == 1 else ((count,),)
        found = real_numbers(called, function(t, q.copy(), v.copy()))
        if found.shape not in shapes:
            raise UsageError(f"{called}: the function gives {found!r} instead of {count} number(s)")
        if not np.isfinite(found).all():
            raise NumericsError(f"{called}: the function gives {found} at t = {t:g} s")
        return found.reshape(count)

    return values


def _table(make: Controller, called: str, table: Table) -> None:
    times, values = np.asarray(table.times), np.asarray(table.values)
    count = len(make.places)
    if values.shape not in ((len(times), count), *(((len(times),),) if count == 1 else ())):
        raise UsageError(
            f"{called}: the table's values have the shape {values.shape} instead of "
            f"({len(times)}, {count})"
        )
    times = np.ascontiguousarray(times)
    rows = np.ascontiguousarray(values.reshape(len(times), count))

    def read_at(t: float, q: Floats, v: Floats) -> Floats:
        if not table.held:
            return np.array([np.interp(t, times, column) for column in rows.T])
        found: Floats = rows[max(int(np.searchsorted(times, t, side="right")) - 1, 0)]
        return found

    def native(library: CLibrary | CBatchLibrary) -> Native:
        ffi = library.ffi
        data = ffi.new("mstmm_table *")
        data.count, data.columns, data.held = len(times), count, table.held
        data.times = ffi.cast("double *", times.ctypes.data)
        data.values = ffi.cast("double *", rows.ctypes.data)
        return library.library.mstmm_read_table, ffi.cast("void *", data), (data, times, rows)

    make.function, make.native, make.times = read_at, native, times


def _feedback(
    make: Controller, called: str, law: Feedback, code: Evaluator, parameters: Floats
) -> None:
    line, said = line_of(called, law, code, len(make.places))
    names, places = make.names, make.places
    leads = None if said is None else _law(code, names, places, said, parameters)
    feed_back(make, line, leads, code)
    if law.limits is not None:
        keep_within(make, bounds(called, law.limits, len(places)))


def within_limits(code: Evaluator, inputs: Laws | None) -> Laws | None:
    """The inputs, kept within the model's limits of its inputs and of its hinges' efforts.

    Raises
        UsageError: a name that is no input.
    """
    if not isinstance(inputs, Mapping):
        return inputs
    found: dict[Any, Any] = {}
    for key, law in inputs.items():
        names = key if isinstance(key, tuple) else (key,)
        limits = np.array([_limits(code, name) for name in names])
        if np.isinf(limits).all():
            found[key] = law
        elif _is_constant(law):
            kept = np.clip(np.broadcast_to(_constant(names, law), len(names)), *limits.T)
            found[key] = kept if isinstance(key, tuple) else float(kept[0])
        elif isinstance(law, Sampled):
            found[key] = replace(law, law=Within(law.law, limits))
        else:
            found[key] = Within(law, limits)
    return found


def _limits(code: Evaluator, name: str) -> tuple[float, float]:
    array, k = place_of(code, name)
    if array == "p":
        lower, upper = next(x.limits for x in code.model.inputs if x.name == name)
        return float(lower), float(upper)
    most = code.model.effort_limits[k]
    return -most, most


def _c_law(make: Controller, law: CLaw) -> None:
    count = len(make.places)

    def native(library: CLibrary | CBatchLibrary) -> Native:
        ffi = library.ffi
        return ffi.cast("mstmm_watcher", law.address), ffi.cast("void *", law.data), law

    make.function, make.native = called_c(law.address, law.data, count, law), native


def called_c(address: int, data: int, count: int, kept: Any) -> Values:
    """A C law as Python calls it.

    Raises
        NumericsError: it returns something else than 0.
    """
    ffi = FFI()
    function = ffi.cast(
        "int (*)(double, const double *, const double *, double *, void *)", address
    )

    def values(t: float, q: Floats, v: Floats) -> Floats:
        assert kept is not None
        found = np.empty(count)
        state = [np.ascontiguousarray(x, dtype=np.float64) for x in (q, v)]
        pointers = [ffi.cast("double *", x.ctypes.data) for x in (*state, found)]
        if function(t, *pointers, ffi.cast("void *", data)):
            raise NumericsError(f"the C function of an input fails at t = {t:g} s")
        return found

    return values


def _expressions(
    make: Controller, called: str, texts: list[str], code: Evaluator, parameters: Floats
) -> None:
    if len(texts) != len(make.places):
        raise UsageError(f"{called}: {len(texts)} expression(s) for {len(make.places)} input(s)")
    names = [f"input {name}" for name in make.names]
    make.function = _when_called(lambda: evaluated(code, texts, names, parameters))

    def expressions() -> tuple[Quantity, ...]:
        from ...codegen.events import expressions_of

        return expressions_of(code.model, texts, names)

    make.texts, make.made = tuple(texts), expressions
    if not code.kind.compiled or not remembered(code, texts):
        assert make.expressions  # or it is said now what is none

    def native(library: CLibrary | CBatchLibrary) -> Native:
        address, data, kept = compiled(code, texts, names, parameters, lift=True)
        ffi = library.ffi
        return ffi.cast("mstmm_watcher", address), ffi.cast("void *", data), kept

    make.native = native


def _when_called(made: Callable[[], Values]) -> Values:
    """A function that is made when it is first called: compiled code has no use for it."""
    found: list[Values] = []

    def values(t: float, q: Floats, v: Floats) -> Floats:
        if not found:
            found.append(made())
        return found[0](t, q, v)

    return values
