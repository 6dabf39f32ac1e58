"""A model as motions see it: its entries as functions of one common form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...codegen.interface import Interface
from ...codegen.motions import Form, forms
from ..evaluation.noted import NumpySolves

#: A function that fills its results; its last argument is a workspace.
Function = Callable[..., Any]


class Moved:
    """A model as motions see it.

    `turn_q`, `turn_v`: where quaternions stand in q, and the angular velocities that turn them in
    v. `work` makes a workspace w. A model has functions for what it has, in which `u` are speeds,
    and `v` speeds or joint momenta:

        rates          q' from the speeds: (q, u, qd, w)
        accelerations  v' at (t, q, v), and into u the speeds where v are joint momenta, of which
                       v' are then the rates: (t, q, v, u, vd, given, w)
        retract        q with quaternions of unit length: (q, unit, w)
        speeds         of joint momenta: (t, q, p, u, given, w)
        constraints    how far loops are open, and how fast: (t, q, v, phi, phid, given, w)
        correction     the speeds, least in the kinetic energy, that close such openings in unit
                       time: (t, q, phi, u, given, w)
        regauge        the joint momenta of the same motion with impulses of the cuts of zero:
                       (t, q, p, gauged, given, w)

    `met` is what its solves for multipliers have met, of a model with loops. `closes`: has it
    loops to close?
    """

    rates: Function
    accelerations: Function
    retract: Function | None = None
    speeds: Function | None = None
    constraints: Function
    correction: Function
    regauge: Function

    def __init__(
        self,
        nq: int,
        nv: int,
        work: Callable[[tuple[int, ...]], Any],
        closed: Sequence[float] = (),
        turn_q: Sequence[int] = (),
        turn_v: Sequence[int] = (),
        met: Any = None,
        **functions: Function,
    ) -> None:
        self.nq, self.nv, self.work, self.met = nq, nv, work, met
        self.closed, self.conditions = np.array(closed), len(closed)
        self.turn_q = np.array(turn_q, dtype=int)[:, None] + np.arange(4)
        self.turn_v = np.array(turn_v, dtype=int)[:, None] + np.arange(3)
        self.closes = "constraints" in functions
        self.__dict__.update(functions)

    @classmethod
    def of(cls, module: Any, interface: Interface) -> Moved:
        """That of a generated module."""
        functions = {
            form.field: _called(form, getattr(module, form.entry), interface)
            for form in forms(interface)
        }
        closes, solves = interface.can_close, range(len(interface.solves))
        return cls(
            interface.sizes["q"],
            interface.sizes["v"],
            module.Work,
            interface.closed if closes else (),
            [each.q for each in interface.turns],
            [each.v for each in interface.turns],
            NumpySolves(module.MET, interface, solves) if closes else None,
            **functions,
        )


def _called(form: Form, entry: Function, interface: Interface) -> Function:
    """An entry in the form that motions call; results that nobody asks for are let go."""
    names = interface.arguments[form.entry]
    unasked = set(interface.results[form.entry]) - form.bound.keys()

    def found(name: str) -> Callable[[tuple[Any, ...]], Any]:
        if name in form.bound:
            place = form.parameters.index(form.bound[name])
            return lambda values: values[place]
        if name in unasked:
            size = interface.sizes[name]
            return lambda values: np.empty(size)
        place, number = form.parameters.index("given"), interface.held.index(name)
        return lambda values: values[place][number]

    takes = [found(name) for name in names]

    def function(*values: Any) -> None:
        entry(*(take(values) for take in takes), values[-1])

    return function
