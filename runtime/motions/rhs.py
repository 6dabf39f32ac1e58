"""The right-hand side of the motion for integrators of others: in Python, and as a C function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ..evaluation.arrays import Floats, real_numbers, shaped
from ..evaluation.backend import CBatchLibrary, CLibrary
from ..evaluation.door import closer, door
from ..evaluation.evaluator import Evaluator
from .problem import Problem


@dataclass(frozen=True)
class CFunction:
    """A compiled `int rhs(double t, const double *y, double *dydt, void *data)`.

    y = (q, v), or (q, p), has `size` numbers; 0 is returned, or 1 where the result is not finite.
    `address` and `data` are valid as long as this object is kept. Its data hold a workspace: each
    thread takes a function of its own.
    """

    address: int
    data: int
    size: int
    kept: Any


def rhs(
    code: Evaluator,
    t: float,
    y: npt.ArrayLike,
    *,
    parameters: Mapping[str, float] | None = None,
) -> Floats:
    """The time derivative of y = (q, v), of `hdca` (q, p), for integrators of others.

    Loops are not kept closed; quaternions are taken at unit length.

        >>> import mstmm, numpy as np
        >>> from scipy.integrate import solve_ivp
        >>> solver = mstmm.compile("double-pendulum", target="numpy")
        >>> start = np.concatenate([solver.model.q0, solver.model.v0])
        >>> found = solve_ivp(solver.rhs, (0.0, 0.1), start, method="DOP853", rtol=1e-10)
        >>> run = solver.simulate(t_end=0.1, method="dopri5", rtol=1e-10)
        >>> bool(abs(found.y[:2, -1] - run.q[-1]).max() < 1e-8)
        True

    Shape
        `y` and the result (nq + nv).
    Units
        Those of `rates` and `accelerations`.
    Raises
        UsageError: `y` has another shape.
        NumericsError: the result is not finite.
        SingularPositionError: as `accelerations`.
    Source
        own
    """
    if parameters is None:
        try:
            call = code._there[rhs]
        except KeyError:
            call = _prepared(code)
        found: Floats | None = call(t, y)
        if found is not None:
            return found
    state = real_numbers("y", y).copy()
    now = float(shaped("t", t, ()))
    nq, nv = len(code.coordinates), len(code.speeds)
    if state.shape != (nq + nv,):
        second = "p" if code.has_momenta else "v"
        raise UsageError(f"y has the shape {state.shape} instead of ({nq + nv},): (q, {second})")
    problem = Problem(code, code.parameter_values(parameters))
    q, v = problem.unit(state[np.newaxis, :nq]), state[np.newaxis, nq:].copy()
    return problem.rates(problem.buffers(q, v, np.array([now])), f"at t = {now:g} s")


def c_function(code: Evaluator, *, parameters: Mapping[str, float] | None = None) -> CFunction:
    """The right-hand side as a C function's address, for ctypes, cffi or numbalsoda.

    The C code itself is `int PREFIX_rhs(double t, const double *y, double *dydt, void *data)`.

        >>> import ctypes, mstmm, numpy as np
        >>> solver = mstmm.compile("double-pendulum")
        >>> found = solver.c_function()
        >>> pointer = ctypes.POINTER(ctypes.c_double)
        >>> kind = ctypes.CFUNCTYPE(
        ...     ctypes.c_int, ctypes.c_double, pointer, pointer, ctypes.c_void_p
        ... )
        >>> y = np.concatenate([solver.model.q0, solver.model.v0])
        >>> dydt = np.empty(found.size)
        >>> kind(found.address)(
        ...     0.0, y.ctypes.data_as(pointer), dydt.ctypes.data_as(pointer), found.data
        ... )
        0
        >>> bool((dydt == solver.rhs(0.0, y)).all())
        True

    Raises
        UsageError: the target is no C.
    Source
        own
    """
    backend = code.backend
    if not isinstance(backend, CLibrary | CBatchLibrary):
        raise UsageError(f"target {code.target!r} has no C function; compile with target='c'")
    values = code.parameter_values(parameters)
    ffi, sizes = backend.ffi, backend.interface.sizes
    data, *kept = backend.structure("data")
    data.w, *more = backend.structure("work")
    held = {name: np.zeros(sizes[name]) for name in backend.interface.held} | {"p": values}
    for name in backend.interface.held:
        setattr(data, name, ffi.cast("double *", held[name].ctypes.data))
    return CFunction(
        int(ffi.cast("intptr_t", backend.function("rhs"))),
        int(ffi.cast("intptr_t", data)),
        sizes["q"] + sizes["v"],
        (backend.library, data, kept, data.w, more, held),
    )


def _prepared(code: Evaluator) -> Callable[..., Floats | None]:
    """The C function as a call that takes arrays as they are, kept with the code."""
    made, call = door(), closer
    if made is not None and code.kind.compiled:
        found = c_function(code)
        watch = code.watched("momentum_rates" if code.has_momenta else "accelerations").watch()
        call = made.Rhs(found.address, found.data, found.size, found, watch)
    code._there[rhs] = call
    return call
