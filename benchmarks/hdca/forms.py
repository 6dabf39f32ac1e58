"""The forms of the equations of motion that are compared: what is integrated, and what it means."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

import mstmm
from mstmm.runtime.solver import Solver

Floats = npt.NDArray[np.float64]
Rate = Callable[[float, Floats], Floats]

#: Names as in the tables: accelerations by two algorithms, momenta with and without re-gauging.
NAMES = ("riccati", "dca", "hdca", "hdca, re-gauged")


@dataclass(frozen=True)
class Form:
    """A state y with its rate; `speeds` gives q and v of many states, (states, n) each.

    `regauged`: what a step's end is replaced by, without a change of the motion.
    """

    name: str
    start: Floats
    rate: Rate
    speeds: Callable[[Floats], tuple[Floats, Floats]]
    regauged: Callable[[Floats], Floats] | None = None


@cache
def compiled(case: str, algorithm: str, target: str) -> Solver:
    """The solver of a ready-made model, made once."""
    return mstmm.compile(case, algorithm=algorithm, target=target)


def form(case: str, name: str, target: str) -> Form:
    """One of `NAMES` for a ready-made model that starts at rest."""
    return form_of(compiled(case, algorithm_of(name), target), name)


def algorithm_of(name: str) -> str:
    return name.partition(",")[0]


def form_of(solver: Solver, name: str) -> Form:
    """The form of a solver's algorithm."""
    n = len(solver.speeds)
    start = np.array([*solver.model.q0, *np.zeros(n)])
    rate = compiled_rate(solver) if solver.target == "c" else solver.rhs
    if solver.algorithm != "hdca":
        return Form(name, start, rate, lambda y: (y[:, :n], y[:, n:]))

    def speeds(y: Floats) -> tuple[Floats, Floats]:
        """The rates of the places: loops that have opened on the way are left so."""
        return y[:, :n], np.array([solver.rhs(0.0, row)[:n] for row in y])

    def regauged(y: Floats) -> Floats:
        return np.concatenate([y[:n], solver.regauged(y[:n], y[n:])])

    return Form(name, start, rate, speeds, regauged if "," in name else None)


def compiled_rate(solver: Solver) -> Rate:
    """The compiled right-hand side, called without a look at its arguments.

    Raises
        ArithmeticError: the rate is not finite.
    """
    function = solver.c_function()
    kinds = (ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    call = ctypes.CFUNCTYPE(ctypes.c_int, *kinds)(function.address)

    def rate(t: float, y: Floats) -> Floats:
        state = np.ascontiguousarray(y, dtype=np.float64)
        found = np.empty(function.size)
        if call(t, state.ctypes.data, found.ctypes.data, function.data):
            raise ArithmeticError(f"the rate is not finite at t = {t:g} s")
        return found

    return rate
