"""What bridges to array libraries have in common: arguments, defaults, steps and rollouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import UsageError
from ...runtime.evaluation.evaluator import Evaluator
from . import motions, places
from .called import Differentiable, accelerations, inverse_dynamics

SECOND = "a bridge has first derivatives alone, no second ones"


class Dynamics:
    """A solver's dynamics on another library's arrays, which differentiates them.

    Arguments broadcast over batch axes. Derivatives are by all of them but the time, in forward and
    reverse mode; by a quaternion those of the function of Q/|Q|. A state that the solver refuses,
    or whose result is not finite, is a row of NaN.

    Source
        own
    """

    library: Any  # the module of its functions

    def __init__(self, solver: Evaluator) -> None:
        self.solver, self.model = solver, solver.model
        self._found: dict[str, tuple[Differentiable, Callable[..., Any]]] = {}
        self._p = solver.parameter_values(None)

    def accelerations(self, q: Any, v: Any, tau: Any = None, *, p: Any = None, t: Any = 0.0) -> Any:
        """As `Solver.accelerations`, at run-time parameters `p` in the solver's order.

        They may be one set, or one for each state; by default they are the model's.

        Shape
            (…, nv); `q` (…, nq), `v`, `tau` (…, nv), `p` (…, np), `t` (…).
        Units
            As `Solver.accelerations`.
        Raises
            UsageError: an array is not one of doubles, or lies elsewhere.
        Source
            own
        """
        return self._evaluated(accelerations, q, v, tau, p, t)

    def inverse_dynamics(self, q: Any, v: Any, a: Any, *, p: Any = None, t: Any = 0.0) -> Any:
        """As `Solver.inverse_dynamics`, of trees; `p` as in `accelerations`.

        Shape
            (…, nv); see `accelerations`.
        Units
            As `Solver.inverse_dynamics`.
        Raises
            UsageError: as `accelerations`; or there are closed loops.
        Source
            own
        """
        return self._evaluated(inverse_dynamics, q, v, a, p, t)

    def step(
        self,
        q: Any,
        v: Any,
        tau: Any,
        dt: float,
        *,
        p: Any = None,
        t: Any = 0.0,
        method: str = "semi-implicit",
    ) -> tuple[Any, Any]:
        """q and v after a step under forces that are held, `semi-implicit` (Euler) or by `rk4`.

        Closed loops drift: their conditions are kept by the accelerations alone.

        Shape
            As `q` and `v`; see `accelerations`.
        Units
            s.
        Raises
            UsageError: as `accelerations`; or there is no such method.
        Source
            own
        """

        def accelerate(q: Any, v: Any, t: Any) -> Any:
            return self.accelerations(q, v, tau, p=p, t=t)

        return motions.step(self.model, accelerate, q, v, t, dt, method, self._join)

    def rollout(
        self,
        q: Any,
        v: Any,
        tau: Any,
        dt: float,
        *,
        p: Any = None,
        method: str = "semi-implicit",
        every: int | None = None,
    ) -> tuple[Any, Any]:
        """The states of N steps from t = 0 on, the first one too.

        For the gradient each `every`-th state is kept, by default about every √N-th; the steps
        between are done again.

        Shape
            (N + 1, …, nq) and (N + 1, …, nv); `tau` (N, …, nv).
        Units
            s.
        Raises
            UsageError: as `step`.
        Source
            own
        """
        times = self._brought([k * dt for k in range(len(tau))], v)

        def step(q: Any, v: Any, tau: Any, t: Any) -> tuple[Any, Any]:
            return self.step(q, v, tau, dt, p=p, t=t, method=method)

        return self._rolled(step, q, v, (tau, times), motions.segment(len(tau), every))

    def _evaluated(
        self, make: Callable[[Evaluator], Differentiable], q: Any, v: Any, x: Any, p: Any, t: Any
    ) -> Any:
        found, function = self._made(make)
        given = [q, v, self.library.zeros_like(v) if x is None else x]
        given += [self._brought(self._p, v) if p is None else p] if len(self._p) else []
        if found.takes_time:
            given.append((self._brought(t, v) if isinstance(t, float) else t)[..., None])
        given = [self._numbers(x) for x in given]
        for array, (name, length) in zip(given, found.forward.takes.items(), strict=True):
            if array.shape[-1] != length:
                shape = tuple(array.shape)
                raise UsageError(f"{name} has the shape {shape} instead of (…, {length})")
        given[0] = places.unit(self.model, given[0], self._join)
        shapes = {array.shape[:-1] for array in given}
        if len(shapes) > 1:
            batch = self.library.broadcast_shapes(*shapes)
            given = [self.library.broadcast_to(x, (*batch, x.shape[-1])) for x in given]
        return function(*given)

    def _made(
        self, make: Callable[[Evaluator], Differentiable]
    ) -> tuple[Differentiable, Callable[..., Any]]:
        """A result and its function, made when it is first asked for."""
        if make.__name__ not in self._found:
            made = make(self.solver)
            self._found[make.__name__] = made, self._function(made)
        return self._found[make.__name__]

    def _function(self, found: Differentiable) -> Callable[..., Any]:
        """The result as a differentiable function of arrays with the same batch axes."""
        raise NotImplementedError

    def _numbers(self, x: Any) -> Any:
        """An array of the solver's kind of numbers, as it is.

        Raises
            UsageError: it is none, or lies elsewhere.
        """
        raise NotImplementedError

    def _brought(self, x: Any, beside: Any) -> Any:
        """Plain numbers as an array like another one."""
        raise NotImplementedError

    def _join(self, parts: Sequence[Any]) -> Any:
        """Arrays one after the other along their last axis."""
        raise NotImplementedError

    def _rolled(
        self, step: Callable[..., Any], q: Any, v: Any, given: Any, every: int
    ) -> tuple[Any, Any]:
        """The states of steps; `given` has what each takes besides along its first axes."""
        raise NotImplementedError
