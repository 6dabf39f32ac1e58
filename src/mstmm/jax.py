"""A solver's dynamics as differentiable functions of JAX's arrays; needs the extra `jax`.

    function = mstmm.jax.function(mstmm.compile(model, target="c-batch"))
    a = jax.jit(function.accelerations)(q, v, tau)  # arrays of doubles

Of a tree in the target `c-batch` a call goes from XLA into the library, by one handler in C for all
models (`ffi.c`); else by `pure_callback`. The tangent is a primitive of its own: forward mode runs
it, and its transpose is the pullback, so that reverse mode never makes a matrix.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .codegen.build import build_extension
from .errors import ToolchainError, UsageError
from .exchange import learning
from .exchange.learning import places
from .exchange.learning.called import Called, Differentiable
from .exchange.learning.dynamics import SECOND, TIMED, Dynamics
from .exchange.learning.judged import Judged
from .runtime import evaluation
from .runtime.evaluation.evaluator import Evaluator
from .runtime.extras import require

jax: Any = require("jax", extra="jax", purpose="mstmm.jax")
jnp: Any = jax.numpy
ad, batching, mlir = (
    require(f"jax.interpreters.{name}", extra="jax", purpose="mstmm.jax")
    for name in ("ad", "batching", "mlir")
)
Primitive: Any = require("jax.extend.core", extra="jax", purpose="mstmm.jax").Primitive

__all__ = ["Function", "function"]

TARGET = "mstmm_xla"


@cache
def handler() -> bool:
    """Is the handler built and known to XLA? It needs a compiler.

    Source
        own
    """
    texts = (evaluation, "pointers.c"), (learning, "ffi.c")
    text = "\n".join(Path(str(of.__file__)).with_name(x).read_text("utf-8") for of, x in texts)
    try:
        headers = [Path(jax.ffi.include_dir())]
        library = build_extension(TARGET, text, headers, f"jax {jax.__version__}")
    except (ToolchainError, OSError):
        return False
    found = getattr(ctypes.CDLL(str(library)), TARGET)
    jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(found), platform="cpu")
    return True


def _join(parts: Sequence[Any]) -> Any:
    return jnp.concatenate(tuple(parts), -1)


def _on_arrays(called: Called) -> Callable[..., tuple[Any, ...]]:
    """An entry on arrays with the same axes but for the last."""
    interface, names = called.code.interface, called.code.interface.arguments[called.entry]
    direct = called.code.kind.name == "c-batch" and not called.code.conditions
    if not (direct and {*called.gives} <= {*names} and handler()):
        return _by_callback(called)
    backend: Any = called.code.backend
    ffi = backend.ffi
    of = {
        "function": np.int64(int(ffi.cast("uintptr_t", backend.function(called.entry)))),
        "work": np.int64(ffi.sizeof(f"{interface.prefix}_work")),
    }
    results = [name for name in names if name not in called.takes]
    taken = [list(called.takes).index(name) for name in names if name in called.takes]

    def run(*given: Any) -> tuple[Any, ...]:
        batch = given[0].shape[:-1]
        types = [jax.ShapeDtypeStruct((*batch, interface.sizes[x]), jnp.float64) for x in results]
        call = jax.ffi.ffi_call(TARGET, types, vmap_method="broadcast_all")
        found = dict(zip(results, call(*(given[k] for k in taken), **of), strict=True))
        return tuple(found[name] for name in called.gives)

    return run


def _by_callback(called: Called) -> Callable[..., tuple[Any, ...]]:
    """The same through Python."""

    def host(*given: Any) -> tuple[Any, ...]:
        batch = given[0].shape[:-1]
        rows = (np.ascontiguousarray(x, np.float64).reshape(-1, x.shape[-1]) for x in given)
        return tuple(x.reshape(*batch, x.shape[-1]) for x in called(*rows))

    def run(*given: Any) -> tuple[Any, ...]:
        batch = given[0].shape[:-1]
        types = tuple(
            jax.ShapeDtypeStruct((*batch, size), jnp.float64) for size in called.gives.values()
        )
        return tuple(jax.pure_callback(host, types, *given, vmap_method="broadcast_all"))

    return run


def _tangent(pull: Callable[..., tuple[Any, ...]], number: int, name: str) -> Any:
    """The change of a result with changes along q by speeds and the next arguments.

    It takes as many `number` arguments at which it is, then the changes of those it varies with.
    """
    primitive, pull = Primitive(f"mstmm_{name}_tangent"), jax.custom_jvp(pull)

    @pull.defjvp  # type: ignore[attr-defined, untyped-decorator]
    def second(*_: Any, **__: Any) -> Any:
        raise UsageError(SECOND)

    def run(*given: Any) -> Any:
        """Row by row of the Jacobian matrix, by as many pullbacks as there are results."""
        at, changes = given[:number], given[number:]
        n = at[1].shape[-1]
        wide = [jnp.broadcast_to(x[..., None, :], (*x.shape[:-1], n, x.shape[-1])) for x in at]
        g = jnp.broadcast_to(jnp.eye(n), (*at[1].shape, n))
        _, *rows = pull(*wide, g)
        return sum(
            (row * change[..., None, :]).sum(-1) for row, change in zip(rows, changes, strict=True)
        )

    def transposed(g: Any, *given: Any) -> list[Any]:
        at, changes = given[:number], given[number:]
        if any(map(ad.is_undefined_primal, at)):
            raise UsageError(SECOND)
        if type(g) is ad.Zero:
            return [None] * len(given)
        _, *found = pull(*at, g)
        linear = map(ad.is_undefined_primal, changes)
        kept = [x if asked else None for x, asked in zip(found, linear, strict=True)]
        return [None] * number + kept

    def batched(given: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, int]:
        pairs = [*zip(given, dims, strict=True)]
        size = next(x.shape[k] for x, k in pairs if k is not None)
        front = (
            jnp.broadcast_to(x, (size, *x.shape)) if k is None else jnp.moveaxis(x, k, 0)
            for x, k in pairs
        )
        return primitive.bind(*front), 0

    primitive.def_impl(jax.jit(run))
    primitive.def_abstract_eval(lambda *given: given[1])
    mlir.register_lowering(primitive, mlir.lower_fun(run, multiple_results=False))
    ad.primitive_transposes[primitive] = transposed
    ad.primitive_jvps[primitive] = second
    batching.primitive_batchers[primitive] = batched
    return primitive


class Function(Dynamics):
    """A solver's dynamics on JAX's arrays of doubles, see `Dynamics`.

    Source
        own
    """

    library = jnp

    def __init__(self, solver: Evaluator) -> None:
        if not jax.config.jax_enable_x64:
            raise UsageError(
                "mstmm computes in doubles, which JAX leaves out unless it is told: "
                'jax.config.update("jax_enable_x64", True), before the first array'
            )
        super().__init__(solver)
        self._sets = Judged(solver)

    def _judged(self, p: Any) -> Any:
        """The handler in C sees no model: NaN is added where parameters are refused."""
        if p is None or not self._sets.asks:
            return p
        p = self._numbers("p", p)
        if p.shape[-1:] != (len(self._p),):
            return p  # which is refused when it is taken

        def added(p: Any) -> Any:
            rows = np.ascontiguousarray(p, np.float64)
            wrong = self._sets.refused(rows.reshape(-1, rows.shape[-1]))
            found = np.zeros(rows.shape)
            if wrong is not None:
                found[wrong.reshape(rows.shape[:-1])] = np.nan
            return found

        held = self._held(p)
        if not isinstance(p, jax.core.Tracer):
            return p + added(held)
        kind = jax.ShapeDtypeStruct(p.shape, jnp.float64)
        return p + jax.pure_callback(added, kind, held, vmap_method="expand_dims")

    def _function(self, found: Differentiable) -> Callable[..., Any]:
        model, number = self.model, len(found.forward.takes)
        forward, pull = _on_arrays(found.forward), _on_arrays(found.pullback)
        tangent = _tangent(pull, number, found.name)

        @jax.custom_jvp  # type: ignore[untyped-decorator]
        def evaluate(*given: Any) -> Any:
            (result,) = forward(*given)
            return result

        def rule(given: Any, changes: Any) -> tuple[Any, Any]:
            asked = [not isinstance(x, jax.custom_derivatives.SymbolicZero) for x in changes]
            if found.takes_time and asked[-1]:
                raise UsageError(TIMED)
            changes = [
                change if each else jnp.zeros_like(x)
                for each, change, x in zip(asked, changes, given, strict=True)
            ]
            along = places.along_speeds(model, given[0], changes[0], _join)
            others = changes[1 : number - found.takes_time]
            return evaluate(*given), tangent.bind(*given, along, *others)

        evaluate.defjvp(rule, symbolic_zeros=True)
        return evaluate  # type: ignore[no-any-return]

    def _array(self, name: str, x: Any) -> Any:
        array = jnp.asarray(x) if hasattr(x, "dtype") else jnp.asarray(x, jnp.float64)
        if array.dtype != jnp.float64:
            raise UsageError(
                f"{name} is of {array.dtype}: this solver computes in doubles; convert it with "
                ".astype(jnp.float64)"
            )
        return array

    def _brought(self, x: Any, beside: Any) -> Any:
        return jnp.asarray(x, jnp.float64)

    def _join(self, parts: Sequence[Any]) -> Any:
        return _join(parts)

    def _held(self, x: Any) -> Any:
        return jax.lax.stop_gradient(x)

    def _rolled(
        self, step: Callable[..., Any], q: Any, v: Any, given: Any, every: int
    ) -> tuple[Any, Any]:
        def one(state: Any, some: Any) -> tuple[Any, Any]:
            found = step(*state, *some)
            return found, found

        @jax.checkpoint  # type: ignore[untyped-decorator]
        def run(state: Any, some: Any) -> tuple[Any, Any]:
            found: tuple[Any, Any] = jax.lax.scan(one, state, some)
            return found

        whole = len(given[0]) // every * every
        parted = [x[:whole].reshape(-1, every, *x.shape[1:]) for x in given]
        state, found = jax.lax.scan(run, (q, v), parted)
        _, rest = run(state, [x[whole:] for x in given])
        qs, vs = (
            jnp.concatenate([first[None], x.reshape(whole, *first.shape), last])
            for first, x, last in zip((q, v), found, rest, strict=True)
        )
        return qs, vs


def function(solver: Evaluator) -> Function:
    """The solver's dynamics as differentiable functions of arrays.

    Raises
        UsageError: JAX is not told to take doubles.
    Source
        own
    """
    return Function(solver)
