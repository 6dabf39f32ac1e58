"""What an integrator sees of a model: its entries as functions of one common form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .interface import Interface


@dataclass(frozen=True)
class Form:
    """A function that an integrator calls: its parameters, and which an entry's arguments are.

    `results` are the parameters that it writes.
    """

    field: str
    entry: str
    parameters: tuple[str, ...]
    bound: Mapping[str, str]
    results: tuple[str, ...]


_STATE = {"t": "t", "q": "q", "v": "v", "mom": "v"}

RATES = Form("rates", "rates", ("q", "u", "qd"), {"q": "q", "v": "u", "qd": "qd"}, ("qd",))
ACCELERATIONS = Form(
    "accelerations",
    "accelerations",
    ("t", "q", "v", "u", "vd", "given"),
    _STATE | {"a": "vd"},
    ("u", "vd"),
)
MOMENTUM_RATES = Form(
    "accelerations",
    "momentum_rates",
    ("t", "q", "v", "u", "vd", "given"),
    _STATE | {"vel": "u", "pd": "vd"},
    ("u", "vd"),
)
RETRACT = Form("retract", "retract", ("q", "unit"), {"q": "q", "qn": "unit"}, ("unit",))
SPEEDS = Form(
    "speeds",
    "velocities",
    ("t", "q", "p", "u", "given"),
    {"t": "t", "q": "q", "mom": "p", "vel": "u"},
    ("u",),
)
CONSTRAINTS = Form(
    "constraints",
    "constraints",
    ("t", "q", "v", "phi", "phid", "given"),
    _STATE | {"phi": "phi", "phid": "phid"},
    ("phi", "phid"),
)
CORRECTION = Form(
    "correction",
    "correction",
    ("t", "q", "phi", "u", "given"),
    {"t": "t", "q": "q", "c": "phi", "du": "u"},
    ("u",),
)
REGAUGE = Form(
    "regauge",
    "regauge",
    ("t", "q", "p", "gauged", "given"),
    {"t": "t", "q": "q", "mom": "p", "pg": "gauged"},
    ("gauged",),
)


@dataclass(frozen=True)
class Seen:
    """An entry in the form that an integrator calls, as text of C.

    `scratch` are results that nobody asks for, with their lengths.
    """

    field: str
    entry: str
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    unused: tuple[str, ...]
    scratch: tuple[tuple[str, int], ...]


def forms(interface: Interface) -> Iterator[Form]:
    """The functions that a model has for motions and for closing its loops."""
    momenta = interface.hamiltonian
    if not (interface.can_integrate or interface.can_close):
        return
    yield RATES
    if interface.can_integrate:
        yield MOMENTUM_RATES if momenta else ACCELERATIONS
    if "retract" in interface.arguments:
        yield RETRACT
    if momenta:
        yield SPEEDS
    if interface.can_close:
        yield from (CONSTRAINTS, CORRECTION)
        if momenta:
            yield REGAUGE


def has_tangents(interface: Interface) -> bool:
    """Whether implicit methods find the derivatives here that they need, maybe of other code."""
    return "derivatives" in interface.arguments


def seen(interface: Interface, *, lanes: bool) -> tuple[Seen, ...]:
    """The functions of a model in C, of `lanes` or of single numbers."""
    return tuple(_seen(form, interface, lanes) for form in forms(interface))


def _seen(form: Form, interface: Interface, lanes: bool) -> Seen:
    arguments, used, scratch = [], set(), []
    for name in interface.arguments[form.entry]:
        if name in form.bound:
            place = form.bound[name]
            used.add(place)
            cast = "(lanes *)" if place in form.results else "(const lanes *)"
        elif name in interface.results[form.entry]:
            scratch.append((name, interface.sizes[name]))
            place, cast = name, ""
        else:
            used.add("given")
            place, cast = f"given[{interface.held.index(name)}]", "(const lanes *)"
        arguments.append((cast if lanes else "") + place)
    return Seen(
        form.field,
        form.entry,
        tuple(_declared(form)),
        tuple(arguments),
        tuple(name for name in form.parameters if name not in used),
        tuple(scratch),
    )


def _declared(form: Form) -> Iterator[str]:
    for name in form.parameters:
        kind = "const double *const *" if name == "given" else "const double *"
        yield f"double *{name}" if name in form.results else kind + name
