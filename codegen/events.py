"""Event functions given as expressions: a small program of their own, emitted like any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import sympy as sp

from ..errors import ModelError, UsageError
from ..model import Model
from ..model.expressions.quantities import TIME, exact_expression, parameter
from ..model.expressions.text import read, write
from ..symbolic.language.program import (
    Array,
    Call,
    Entry,
    KernelBuilder,
    Map,
    Port,
    Program,
    Ref,
    Storage,
)
from .emit import Sources, emit, render
from .lower import lower

#: The set that holds the time alone.
SYSTEM = "system"


def text_of(function: object, called: str = "event") -> str | None:
    """The text of an event function that is an expression; none of another.

    Raises
        UsageError: the expression holds what no text can say.
    """
    if isinstance(function, str):
        return function
    if not isinstance(function, sp.Expr):
        return None
    try:
        return write(function)
    except ModelError as error:
        raise UsageError(f"{called} {function}: {error}") from None


def event_sources(
    model: Model,
    texts: Sequence[str],
    target: str,
    runtime: tuple[str, ...],
    called: Sequence[str] | None = None,
    numbers: Mapping[str, float] = MappingProxyType({}),
) -> Sources:
    """The code of event functions: an entry `events`, and for C one of the type of a watcher.

    Each is an expression of the model's coordinates, speeds, parameters and the time `t`, but not
    of its inputs, which change along a motion. `called` is what messages call each (none: its
    number). `numbers` are further run-time parameters, as `numbered.lifted` names them.

    Raises
        UsageError: a text that is no such expression.
    """
    said = called or [f"event {k}" for k in range(len(texts))]
    program = _program(model, texts, runtime, said, numbers)
    sources = emit(lower(program), "numpy" if target == "numpy" else "c")
    if target == "numpy":
        return sources
    interface = sources.interface
    watcher = render("c/watcher.c.jinja", {"prefix": interface.prefix, "interface": interface})
    file = f"{interface.prefix}.c"
    files = {**sources.files, file: sources.files[file] + watcher}
    return replace(sources, files=MappingProxyType(files))


def expressions_of(
    model: Model, texts: Sequence[str], called: Sequence[str]
) -> tuple[sp.Expr, ...]:
    """The expressions of texts that `event_sources` takes.

    Raises
        UsageError: a text that is no such expression.
    """
    known = _known(model)
    return tuple(_read(model, *each, known) for each in zip(called, texts, strict=True))


def _program(
    model: Model,
    texts: Sequence[str],
    runtime: tuple[str, ...],
    called: Sequence[str],
    numbers: Mapping[str, float],
) -> Program:
    names = tuple(str(k) for k in range(len(texts)))
    arrays = (
        Array("q", "coordinates", Port("q"), Storage.ARGUMENT, "q"),
        Array("v", "speeds", Port("v"), Storage.ARGUMENT, "v"),
        Array(TIME.name, SYSTEM, Port(TIME.name), Storage.ARGUMENT, TIME.name),
        Array("g", "events", Port("g"), Storage.RESULT, "g"),
    )
    known = {**{name: sp.Matrix([parameter(name)]) for name in numbers}, **_known(model)}
    calls = tuple(_call(model, *each, known) for each in zip(names, called, texts, strict=True))
    title = "values of the event functions"
    return Program(
        name=f"{model.name}-events",
        title=f"Events: {model.name}",
        algorithm="events",
        sets={
            "coordinates": model.coordinates,
            "speeds": model.speeds,
            SYSTEM: (SYSTEM,),
            "events": names,
            "ends": (),
        },
        arrays={array.name: array for array in arrays},
        steps=(Map("happenings", title, calls),),
        entries=(Entry("events", title, ("happenings",), ("g",)),),
        parameters={**model.parameters, **numbers},
        runtime=(*runtime, *numbers),
    )


def _known(model: Model) -> Mapping[str, Ref | sp.Matrix]:
    """What the names in an event function mean; the state comes before parameters."""
    inputs = {x.name for x in model.inputs}
    return {
        **{name: sp.Matrix([parameter(name)]) for name in model.parameters if name not in inputs},
        TIME.name: Ref(TIME.name, SYSTEM),
        **{name: Ref("v", name) for name in model.speeds},
        **{name: Ref("q", name) for name in model.coordinates},
    }


def _call(
    model: Model, name: str, called: str, text: str, known: Mapping[str, Ref | sp.Matrix]
) -> Call:
    function = _read(model, called, text, known)
    kernel = KernelBuilder(f"event_{name}", f"event {name}")
    used = sorted(function.free_symbols, key=lambda symbol: symbol.name)
    inputs = {symbol: f"x{k}" for k, symbol in enumerate(used)}
    places = {symbol: kernel.take(port)[0] for symbol, port in inputs.items()}
    kernel.let("g", sp.Matrix([function.xreplace(places)]), "the caller's")
    return Call(
        kernel.build("g"),
        name,
        {port: known[symbol.name] for symbol, port in inputs.items()},
        {"g": Ref("g", name)},
    )


def _read(model: Model, called: str, text: str, known: Mapping[str, Ref | sp.Matrix]) -> sp.Expr:
    values = {
        sp.Symbol(k, real=True): None if isinstance(meaning, Ref) else model.parameters.get(k)
        for k, meaning in known.items()
    }
    try:
        return exact_expression(read(text, values))
    except ModelError as error:
        raise UsageError(f"{called}: {error}") from None
