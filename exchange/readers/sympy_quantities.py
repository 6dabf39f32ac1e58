"""Expressions of a SymPy system in a model's symbols: parameters, states by name, inputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.physics import mechanics as me

from ...errors import ModelError, UsageError
from ...model.expressions.quantities import TIME, Matrix, Vector, hinge_symbol, parameter
from ...model.parts.base import Input
from ...model.parts.naming import Names, nearest, numbered
from .sympy_joints import tidy

#: The symbols of a hinge's own coordinates and speeds in its laws; none has more than three.
_OWN = tuple(hinge_symbol(x, k) for x in "qu" for k in (1, 2, 3))


class Quantities:
    """What the symbols and functions of a system stand for in a model.

    `states` are the coordinates and speeds as SymPy has them, `rates` the speed of each
    coordinate's derivative.
    """

    def __init__(
        self,
        values: Mapping[Any, Any],
        time: sp.Symbol,
        states: Sequence[Any],
        rates: Mapping[Any, Any],
    ) -> None:
        self.values = {key_of(key): value for key, value in values.items()}
        self.time, self.states, self.rates = time, states, dict(rates)
        #: The inputs by the function of the time that each was.
        self.inputs: dict[Any, Input] = {}
        #: What laws and loads call coordinates and speeds that are not their hinge's own.
        self.elsewhere: dict[Any, sp.Symbol] = {}
        #: The symbols and functions that were read; not all are left in the model.
        self._spoken: set[Any] = set()
        #: The functions of the time that have numbers where no input may stand, and where.
        self._still: dict[Any, str] = {}
        self._taken = Names()

    def name_states(
        self, hinge_of: Mapping[Any, tuple[str, int]], speeds: Mapping[Any, Any]
    ) -> None:
        """Give coordinates and speeds their names in the model, which no input may have then."""
        counts: dict[str, int] = {}
        for hinge, number in hinge_of.values():
            counts[hinge] = max(counts.get(hinge, 0), number)
        for q, (hinge, number) in hinge_of.items():
            for letter, state in (("q", q), ("u", speeds[q])):
                name = numbered(f"{letter}{hinge}", counts[hinge])[number - 1]
                self.elsewhere[state] = parameter(name)
        names = (*counts, *(x.name for x in (*self.elsewhere.values(), *_OWN)))
        self._taken = Names(TIME.name, "pi", *names)

    def fixed(self, given: Any, where: str) -> Any:
        """An expression of parameters and the time."""
        return self._read(given, where, {}, driven=False)

    def law(self, given: Any, where: str, own: Mapping[Any, sp.Symbol]) -> Any:
        """An expression that reads states and inputs too; `own`: a hinge's own by their numbers."""
        return self._read(given, where, {**self.elsewhere, **own}, driven=True)

    def _read(self, given: Any, where: str, known: Mapping[Any, sp.Symbol], driven: bool) -> Any:
        expression = sp.sympify(given)
        if isinstance(expression, sp.Number):
            return expression
        self._spoken |= names_in(expression)
        expression = expression.xreplace(self.rates).xreplace(dict(known))
        functions = expression.atoms(AppliedUndef)
        said = {
            f: x
            for f in functions
            if (x := self._value(f)) is not None and not (driven and x.is_number)
        }
        unknown = sorted(functions - said.keys(), key=str)
        if not driven:
            self._still |= {f: where for f, x in said.items() if x.is_number}
        states = [str(x) for x in self.states if x in unknown]
        if states:
            raise ModelError(f"depends on {', '.join(states)}, and must not", element=where)
        if unknown and not driven:
            raise ModelError(
                f"depends on {', '.join(map(str, unknown))}, which is neither coordinate nor "
                "speed: give it a value or an expression in values; it is an input in loads and "
                "actuators alone",
                element=where,
            )
        expression = expression.xreplace(said).doit() if said else expression
        rates = [x for x in expression.atoms(sp.Derivative) if x.has(*unknown, *self.states)]
        if rates:
            raise ModelError(
                f"depends on {', '.join(sorted(map(str, rates)))}, the rate of an input or of a "
                "speed; give an expression in values",
                element=where,
            )
        made = {f: parameter(self._input(f).name) for f in unknown}
        expression = expression.xreplace(made).xreplace({self.time: TIME})
        plain = expression.free_symbols - {TIME, *known.values(), *made.values()}
        self._spoken |= plain
        return expression.xreplace({symbol: parameter(name_of(symbol)) for symbol in plain})

    def _value(self, function: Any) -> Any:
        key = key_of(function)
        return sp.sympify(self.values[key]) if key in self.values else None

    def _input(self, function: Any) -> Input:
        """The input that a function of the time is, with its value as the default."""
        if function not in self.inputs:
            name, given = self._taken.make(key_of(function), "input"), self._value(function)
            self.inputs[function] = Input(name, 0.0 if given is None else float(given))
        return self.inputs[function]

    def vector(self, given: Any, frame: Any, where: str, law: bool = False) -> Vector:
        """Components in a frame; of a `law`, they may read states and inputs."""
        if given == 0:
            return (sp.S.Zero,) * 3
        parts = given.to_matrix(frame)
        if law:
            return tuple(self.law(x, where, {}) for x in parts)
        return tuple(self.fixed(tidy(x), where) for x in parts)

    def matrix(self, given: sp.Matrix, where: str) -> Matrix:
        """A matrix row by row."""
        return tuple(tuple(self.fixed(tidy(x), where) for x in given.row(i)) for i in range(3))

    def see_named(self, spoken: Iterable[Any]) -> None:
        """See that each value is of a symbol or function that the system speaks of.

        Raises
            UsageError: names the first that is of none.
        """
        known = sorted({key_of(x) for x in {*self._spoken, *self.states} - {self.time}})
        idle = set(map(key_of, spoken))
        for name in self.values:
            if name not in known and name not in idle:
                raise UsageError(
                    f"values: nothing in the system is called {name}{nearest(name, known)}; "
                    f"there are: {', '.join(known)}"
                )

    def parameters(self, fields: Mapping[str, Any]) -> dict[str, float]:
        """The value of each symbol that is left in the model's quantities."""
        for function, where in self._still.items():
            if function in self.inputs:
                raise ModelError(
                    f"depends on {function}, which is an input, for loads or actuators depend on "
                    "it too; inputs may stand in loads and actuators alone: write a symbol in its "
                    "place here, or give it an expression in values",
                    element=where,
                )
        own = {TIME, *_OWN, *self.elsewhere.values()}
        names = [symbol.name for symbol in sorted(_symbols(fields), key=str) if symbol not in own]
        driven = {x.name for x in self.inputs.values()}
        plain = [name for name in names if name not in driven]
        missing = [name for name in plain if name not in self.values]
        if missing:
            raise UsageError(
                f"values: there is none for {', '.join(missing)}; give each symbol its number: "
                f"from_sympy(system, {{{missing[0]!r}: 1.0, …}})"
            )
        return {name: self.number(name) for name in plain}

    def starts(self, state: Any) -> bool:
        """Is it said where a coordinate or speed starts?"""
        return key_of(state) in self.values

    def start(self, state: Any) -> float:
        """Where a coordinate or speed starts."""
        return self.number(key_of(state)) if self.starts(state) else 0.0

    def number(self, name: str) -> float:
        """The value of a symbol."""
        try:
            return float(self.values[name])
        except (TypeError, ValueError):
            raise UsageError(f"values: {name} = {self.values[name]!r} is no number") from None


def names_in(given: Any) -> set[Any]:
    """The symbols and functions in an expression, a vector or a tensor of SymPy."""
    if isinstance(given, me.Vector | me.Dyadic):
        return set().union(*(names_in(part[0]) for part in given.args))
    return set(sp.sympify(given).atoms(sp.Symbol, AppliedUndef))


def spoken_of(system: me.System) -> set[Any]:
    """The symbols and functions of bodies, loads and constraints, also of what moves nothing."""
    given: list[Any] = [*system.holonomic_constraints]
    for body in system.bodies:
        given += [body.mass, getattr(body, "central_inertia", 0), body.potential_energy]
    for load in (*system.loads, *(x for act in system.actuators for x in act.to_loads())):
        given.append(load.vector)
    return set().union(*map(names_in, given))


def key_of(given: Any) -> str:
    """A symbol's or function's name."""
    return name_of(getattr(given, "func", given) if isinstance(given, AppliedUndef) else given)


def name_of(symbol: Any) -> str:
    """A symbol's name as an identifier: `\\theta_{1}` is `theta_1`."""
    return re.sub(r"[^A-Za-z0-9_]", "", str(symbol)) or "symbol"


def _symbols(given: Any) -> set[sp.Symbol]:
    """All symbols in a model's fields."""
    if isinstance(given, sp.Basic):
        return set(given.free_symbols)
    if isinstance(given, str | int | float) or given is None:
        return set()
    if isinstance(given, Mapping):
        return _symbols(list(given.values()))
    if isinstance(given, Iterable):
        return set().union(*map(_symbols, given))
    return _symbols(vars(given))
