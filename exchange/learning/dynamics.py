"""What bridges to array libraries have in common: arguments, defaults, steps and rollouts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import UsageError
from ...runtime.evaluation.evaluator import Evaluator
from . import motions, places
from .called import Differentiable, accelerations, inverse_dynamics

SECOND = "a bridge has first derivatives alone, no second ones"
TIMED = (
    "a bridge has no derivatives by the time, which this model reads: t, and dt where times are "
    "made of it, must not ask for any"
)


class Dynamics:
    """A solver's dynamics on another library's arrays, which differentiates them.

    Arguments broadcast over batch axes. Derivatives are by all of them but the time, in forward and
    reverse mode; by a quaternion those of the function of Q/|Q|. A state or parameters that the
    solver refuses, or a result that is not finite, is a row of NaN, as its derivatives are.

    Raises
        UsageError: it is no solver.
    Source
        own
    """

    library: Any  # the module of its functions

    def __init__(self, solver: Evaluator) -> None:
        if not isinstance(solver, Evaluator):
            raise UsageError(f"a bridge takes a solver, as mstmm.compile(…) gives, not {solver!r}")
        self.solver, self.model = solver, solver.model
        self._found: dict[str, tuple[Differentiable, Callable[..., Any]]] = {}
        self._p = solver.parameter_values(None)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, here or in another process, is made from the solver's."""
        return type(self), (self.solver,)

    def accelerations(self, q: Any, v: Any, tau: Any = None, *, p: Any = None, t: Any = 0.0) -> Any:
        """As `Solver.accelerations`, at run-time parameters `p` in the solver's order.

        They may be one set, or one for each state; by default they are the model's.

        Shape
            (…, nv); `q` (…, nq), `v`, `tau` (…, nv), `p` (…, np), `t` (…).
        Units
            As `Solver.accelerations`.
        Raises
            UsageError: an array is not one of doubles, lies elsewhere or has a shape that does not
                fit; or a derivative by the time is asked for, which the model reads.
        Source
            own
        """
        return self._evaluated(accelerations, q, v, tau, self._judged(p), t)

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
        return self._evaluated(inverse_dynamics, q, v, a, self._judged(p), t)

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

        Shape
            As `q` and `v`; see `accelerations`.
        Units
            s.
        Raises
            UsageError: as `accelerations`; there is no such method; or there are closed loops, from
                which states would drift.
        Source
            own
        """

        self._see_tree()
        q, v = self._numbers("q", q), self._numbers("v", v)
        return self._step(q, v, tau, dt, self._judged(p), t, method)

    def _step(
        self, q: Any, v: Any, tau: Any, dt: float, p: Any, t: Any, method: str
    ) -> tuple[Any, Any]:
        """The same at parameters that have been judged."""

        def accelerate(q: Any, v: Any, t: Any) -> Any:
            return self._evaluated(accelerations, q, v, tau, p, t)

        return motions.step(self.model, accelerate, q, v, t, dt, method, self._join, self._unit)

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
        self._see_tree()
        given = {"q": q, "v": v, "tau": tau} | ({} if p is None else {"p": p})
        given = {name: self._numbers(name, x) for name, x in given.items()}
        q, v, tau, p = given["q"], given["v"], given["tau"], self._judged(given.get("p"))
        if len(tau.shape) < 2:
            n = len(self.solver.speeds)
            raise UsageError(f"tau has the shape {tuple(tau.shape)} instead of (steps, …, {n})")
        for name in ("q", "v"):
            if not given[name].shape:
                raise UsageError(f"{name} is one number: give (…, coordinates or speeds)")
        axes = {name: tuple(x.shape[name == "tau" : -1]) for name, x in given.items()}
        batch = self._batch(axes)
        q, v = (self.library.broadcast_to(x, (*batch, x.shape[-1])) for x in (q, v))
        times = dt * self._brought(range(len(tau)), v)

        def step(q: Any, v: Any, tau: Any, t: Any) -> tuple[Any, Any]:
            return self._step(q, v, tau, dt, p, t, method)

        return self._rolled(step, q, v, (tau, times), motions.segment(len(tau), every))

    def _evaluated(
        self, make: Callable[[Evaluator], Differentiable], q: Any, v: Any, x: Any, p: Any, t: Any
    ) -> Any:
        found, function = self._made(make)
        v = self._numbers("v", v)
        x = self.library.zeros_like(v) if x is None else x
        p = self._brought(self._p, v) if p is None else p
        named = dict(zip(found.forward.takes, (q, v, x, p), strict=False))
        if found.takes_time:
            t = self._brought(t, v) if isinstance(t, int | float) else self._numbers("t", t)
            named["t"] = t[..., None]
        given = {name: self._numbers(name, x) for name, x in named.items()}
        for name, length in found.forward.takes.items():
            shape = tuple(given[name].shape)
            if shape[-1:] != (length,):
                raise UsageError(f"{name} has the shape {shape} instead of (…, {length})")
        given["q"] = self._unit(given["q"])
        if len({array.shape[:-1] for array in given.values()}) > 1:
            batch = self._batch({name: tuple(x.shape[:-1]) for name, x in given.items()})
            return function(
                *(self.library.broadcast_to(x, (*batch, x.shape[-1])) for x in given.values())
            )
        return function(*given.values())

    def _unit(self, q: Any) -> Any:
        return places.unit(self.model, q, self._join, self._held)

    def _batch(self, axes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
        """The batch axes of arguments together.

        Raises
            UsageError: some do not fit.
        """
        try:
            return tuple(np.broadcast_shapes(*axes.values()))
        except ValueError:
            said = ", ".join(f"{name} {shape}" for name, shape in axes.items())
            raise UsageError(f"batch axes that do not broadcast: {said}") from None

    def _see_tree(self) -> None:
        """Refuse steps of closed loops: their conditions would be met by the accelerations alone.

        Raises
            UsageError: there are some.
        """
        if self.solver.conditions:
            raise UsageError(
                f"{self.model.name} has closed loops, from which steps drift until the state is "
                "refused: a bridge has steps of trees alone; take a step by its accelerations, "
                "then solver.project(q, v), which has no derivatives, or solver.simulate"
            )

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

    def _numbers(self, name: str, x: Any) -> Any:
        """An array of the solver's kind of numbers, as it is; lists and plain numbers as one.

        Raises
            UsageError: the argument of this name is none, or lies elsewhere.
        """
        if isinstance(x, Mapping):
            raise UsageError(
                f"{name} is a mapping: give numbers in the solver's order"
                + (", as solver.parameter_values({…}) brings them" if name == "p" else "")
            )
        try:
            return self._array(name, x)
        except (TypeError, ValueError, RuntimeError):
            raise UsageError(f"{name} = {x!r} is no array of numbers") from None

    def _array(self, name: str, x: Any) -> Any:
        """See `_numbers`; what the library raises where it is no array."""
        raise NotImplementedError

    def _brought(self, x: Any, beside: Any) -> Any:
        """Plain numbers as an array like another one."""
        raise NotImplementedError

    def _join(self, parts: Sequence[Any]) -> Any:
        """Arrays one after the other along their last axis."""
        raise NotImplementedError

    def _judged(self, p: Any) -> Any:
        """Parameters, NaN where the solver refuses them, if `Called` does not see to it."""
        return p

    def _held(self, x: Any) -> Any:
        """An array as one without derivatives."""
        raise NotImplementedError

    def _rolled(
        self, step: Callable[..., Any], q: Any, v: Any, given: Any, every: int
    ) -> tuple[Any, Any]:
        """The states of steps; `given` has what each takes besides along its first axes."""
        raise NotImplementedError
