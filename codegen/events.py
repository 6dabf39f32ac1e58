"""Event functions given as expressions: a small program of their own, emitted like any other.

If one reads a sensor, the program begins with the steps that measure; else it computes no place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
    Map,
    Port,
    Program,
    Ref,
    Storage,
)
from ..symbolic.language.slices import Wanted
from ..symbolic.mechanics.matrices import Algebra
from ..symbolic.mechanics.traced import At, Traced, Tracer
from ..symbolic.methods.sensed.readings import Reading, asked_of
from .emit import Sources, emit
from .lower import lower
from .rendering import render
from .targets.registry import target_named

#: The set that holds the time alone.
SYSTEM = "system"

TITLE = "values of the event functions"


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

    Each is an expression of the model's coordinates, speeds, sensors and their rates, parameters
    and the time `t`, but not of its inputs, which change along a motion. Where one reads a sensor,
    the code measures first. `called` is what messages call each (none: its number). `numbers` are
    further run-time parameters, as `numbered.lifted` names them.

    Raises
        UsageError: a text that is no such expression.
    """
    said = called or [f"event {k}" for k in range(len(texts))]
    program = _program(model, texts, runtime, said, numbers)
    sources = emit(lower(program), target)
    if not target_named(target).compiled:
        return sources
    interface = sources.interface
    watcher = render("c/watcher.c.jinja", {"prefix": interface.prefix, "interface": interface})
    file = f"{interface.prefix}.c"
    files = {**sources.files, file: sources.files[file] + watcher}
    return replace(sources, files=MappingProxyType(files))


def slope_sources(model: Model, texts: Sequence[str], runtime: tuple[str, ...]) -> Sources:
    """The code in NumPy of expressions as of `event_sources` and of their derivatives.

    Shape
        An entry `derivatives`; results `g` and `da`, for each expression a row as of
        `tangent_program`.
    Raises
        UsageError: a text that is no such expression.
    """
    from ..symbolic.methods.derivatives.tangents import tangent_program

    said = Expressions.read(model, texts, [f"output {text!r}" for text in texts])
    program = _measured(model, said, runtime)
    return emit(lower(tangent_program(program, of="events", result="g")), "numpy")


def expressions_of(
    model: Model, texts: Sequence[str], called: Sequence[str]
) -> tuple[sp.Expr, ...]:
    """The expressions of texts that `event_sources` takes.

    Raises
        UsageError: a text that is no such expression.
    """
    return Expressions.read(model, texts, called).functions


@dataclass(frozen=True)
class Expressions:
    """Functions of the time and the state: what they may name, and what of sensors they read."""

    functions: tuple[sp.Expr, ...]
    names: tuple[str, ...]
    asked: frozenset[str]

    @classmethod
    def read(
        cls, model: Model, texts: Sequence[str], called: Sequence[str], numbers: Iterable[str] = ()
    ) -> Expressions:
        """Those of these texts; `numbers` are further parameters."""
        known = {**dict.fromkeys(numbers), **_constants(model), **dict.fromkeys(varying(model))}
        functions = tuple(_read(*each, known) for each in zip(called, texts, strict=True))
        asked = asked_of(model, (x.name for f in functions for x in f.free_symbols))
        return cls(functions, tuple(known), asked)

    @property
    def members(self) -> tuple[str, ...]:
        """Their numbers, as names."""
        return tuple(str(k) for k in range(len(self.functions)))

    def step(self, readings: Mapping[str, Reading]) -> Map:
        """g: the functions' values; a name that is no reading is a parameter's."""
        values = {**{name: sp.Matrix([parameter(name)]) for name in self.names}, **readings}
        numbered = zip(self.members, self.functions, strict=True)
        return Map("happenings", TITLE, tuple(_call(*each, values) for each in numbered))


def _program(
    model: Model,
    texts: Sequence[str],
    runtime: tuple[str, ...],
    called: Sequence[str],
    numbers: Mapping[str, float],
) -> Program:
    said = Expressions.read(model, texts, called, numbers)
    return replace(
        (_measured if said.asked else _bare)(model, said, runtime),
        name=f"{model.name}-events",
        title=f"Events: {model.name}",
        parameters={**model.parameters, **numbers},
        runtime=(*runtime, *numbers),
    )


def _measured(model: Model, said: Expressions, runtime: tuple[str, ...]) -> Program:
    """The program of functions that read sensors: it measures first."""
    # What measures is a fifth of a second's work to import, which the other functions need not.
    from ..symbolic.methods.sensed.program import Sensing
    from ..symbolic.plans.plan import plan

    sensing = Sensing(plan(model), said.asked)
    step, wanted = said.step(sensing.readings), Wanted("events", TITLE, ("g",))
    return sensing.program("events", wanted, step, said.members, runtime)


def _bare(model: Model, said: Expressions, runtime: tuple[str, ...]) -> Program:
    """The program of functions of the state and the time alone."""
    arrays = (
        Array("q", "coordinates", Port("q"), Storage.ARGUMENT, "q"),
        Array("v", "speeds", Port("v"), Storage.ARGUMENT, "v"),
        Array(TIME.name, SYSTEM, Port(TIME.name), Storage.ARGUMENT, TIME.name),
        Array("g", "events", Port("g"), Storage.RESULT, "g"),
    )
    step = said.step(_state(model))
    return Program(
        name=model.name,
        title=TITLE,
        algorithm="events",
        sets={
            "coordinates": model.coordinates,
            "speeds": model.speeds,
            SYSTEM: (SYSTEM,),
            "events": said.members,
            "ends": (),
        },
        arrays={array.name: array for array in arrays},
        steps=(step,),
        entries=(Entry("events", TITLE, (step.name,), ("g",)),),
        parameters=model.parameters,
        runtime=runtime,
    )


def _state(model: Model) -> dict[str, Reading]:
    """Where the state and the time are, each number by itself."""
    return {
        TIME.name: Reading(Ref(TIME.name, SYSTEM)),
        **{name: Reading(Ref("v", name)) for name in model.speeds},
        **{name: Reading(Ref("q", name)) for name in model.coordinates},
    }


def varying(model: Model) -> tuple[str, ...]:
    """What varies along a motion and has a name: the time, the state, what sensors measure."""
    sensed = (name for sensor in model.sensors for name in (sensor.name, sensor.rate))
    return (TIME.name, *model.speeds, *model.coordinates, *sensed)


def _constants(model: Model) -> dict[str, float]:
    """The parameters but for inputs, which change along a motion."""
    inputs = {x.name for x in model.inputs}
    return {name: x for name, x in model.parameters.items() if name not in inputs}


def _call(name: str, function: sp.Expr, values: Mapping[str, Reading | sp.Matrix]) -> Call:
    used = sorted(function.free_symbols, key=lambda symbol: symbol.name)
    found = {symbol: values[symbol.name] for symbol in used}
    kernel = Traced(_happening, {}, {}, {}).of(
        dimension=3,
        name=name,
        function=function,
        places=tuple(
            (symbol, (x.rows, x.entry) if isinstance(x, Reading) else (1, 0))
            for symbol, x in found.items()
        ),
    )
    bound = (x.at if isinstance(x, Reading) else x for x in found.values())
    reads = {port.name: value for port, value in zip(kernel.inputs, bound, strict=True)}
    return Call(kernel, name, reads, {"g": Ref("g", name)})


def _happening(_: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A caller's function of what varies, by its names."""
    name, function = t.ask("name"), t.ask("function")
    t.called(f"event_{name}", f"event {name}")
    places = {
        symbol: t.named(Port(f"x{number}", rows), entry, symbol.name)
        for number, (symbol, (rows, entry)) in enumerate(t.ask("places"))
    }
    t.state("g", k.scalar(function.xreplace(places)), "the caller's", f"g_{name}")
    return ("g",)


def _read(called: str, text: str, known: Mapping[str, float | None]) -> sp.Expr:
    values = {sp.Symbol(name, real=True): value for name, value in known.items()}
    try:
        return exact_expression(read(text, values))
    except ModelError as error:
        raise UsageError(f"{called}: {error}") from None
