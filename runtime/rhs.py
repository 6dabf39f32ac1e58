"""The right-hand side of the motion for integrators of others: in Python, and as a C function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from .backend import CBatchLibrary, CLibrary, Floats
from .problem import Problem

if TYPE_CHECKING:
    from .solver import Solver


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


def c_function(solver: Solver, parameters: Floats) -> CFunction:
    """The compiled right-hand side at these parameters.

    Raises
        UsageError: the solver's target is no C.
    """
    backend = solver.backend
    if not isinstance(backend, CLibrary | CBatchLibrary):
        raise UsageError("target 'numpy' has no C function; compile with target='c'")
    ffi, sizes = backend.ffi, backend.interface.sizes
    data, *kept = backend.structure("data")
    data.w, *more = backend.structure("work")
    if len(parameters):
        data.p = ffi.cast("double *", parameters.ctypes.data)
    return CFunction(
        int(ffi.cast("intptr_t", backend.function("rhs"))),
        int(ffi.cast("intptr_t", data)),
        sizes["q"] + sizes["v"],
        (backend.library, data, kept, data.w, more, parameters),
    )


def rhs(solver: Solver, t: float, y: npt.ArrayLike, parameters: Floats) -> Floats:
    """dy/dt of y = (q, v), or (q, p); quaternions are taken at unit length.

    Raises
        UsageError: y has another length.
        NumericsError: the result is not finite.
    """
    state = np.array(y, dtype=np.float64)
    nq, nv = len(solver.coordinates), len(solver.speeds)
    if state.shape != (nq + nv,):
        second = "p" if solver.generated.sources.interface.hamiltonian else "v"
        raise UsageError(f"y has the shape {state.shape} instead of ({nq + nv},): (q, {second})")
    problem = Problem(solver, parameters)
    q, v = problem.unit(state[np.newaxis, :nq]), state[np.newaxis, nq:].copy()
    return problem.rates(problem.buffers(q, v, np.array([t])), f"at t = {t:g} s")
