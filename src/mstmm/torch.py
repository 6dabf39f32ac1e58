"""A solver's dynamics as differentiable functions of PyTorch tensors; needs the extra `torch`.

    module = mstmm.torch.module(mstmm.compile(model, target="c-batch"))
    a = module.accelerations(q, v, tau)  # tensors of doubles

Each is an operator, which `torch.compile` keeps whole, and around it an `autograd.Function` with
forward mode. An operator cannot have that: by itself it would give derivatives of zero there,
without a word. So where an operator is met in forward mode, that is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, TypeAlias

from .errors import UsageError
from .exchange.learning import places
from .exchange.learning.called import Called, Differentiable, accelerations, inverse_dynamics
from .exchange.learning.dynamics import SECOND, TIMED, Dynamics
from .runtime.device import arrays
from .runtime.device.module import DeviceModule
from .runtime.evaluation.evaluator import Evaluator
from .runtime.extras import require

torch: Any = require("torch", extra="torch", purpose="mstmm.torch")
checkpoint: Any = require("torch.utils.checkpoint", extra="torch", purpose="a rollout").checkpoint

Tensor: TypeAlias = Any

__all__ = ["Module", "module"]

#: Operators have names for the whole process.
NUMBERS = count(1)


def join(parts: Sequence[Tensor]) -> Tensor:
    """Tensors one after the other along their last axis."""
    return torch.cat(tuple(parts), -1)


def _in_front(info: Any, dims: Sequence[int | None], given: Sequence[Tensor]) -> list[Tensor]:
    """Tensors of `vmap` with its axis before all others."""
    return [
        x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)
        for x, dim in zip(given, dims, strict=True)
    ]


def on_tensors(called: Called) -> Callable[..., list[Tensor]]:
    """An entry on tensors with the same axes but for the last."""
    if called.on_device:
        return _on_device(called)

    def run(*given: Tensor) -> list[Tensor]:
        batch = given[0].shape[:-1]
        rows = (x.detach().contiguous().view(-1, x.shape[-1]).numpy() for x in given)
        found = map(torch.from_numpy, called(*rows))
        return [x.view(*batch, x.shape[-1]) for x in found]

    return run


def _on_device(called: Called) -> Callable[..., list[Tensor]]:
    """The same of tensors that lie on a graphics processor: on the caller's stream, no copies."""
    module: Any = called.code.backend

    def run(*given: Tensor) -> list[Tensor]:
        batch = given[0].shape[:-1]
        rows = (x.detach().reshape(-1, x.shape[-1]) for x in given)
        taken = {
            name: x
            for name, x in zip(called.takes, rows, strict=True)
            if name in called.code.interface.arguments[called.entry]
        }
        found = arrays.called(module, called.entry, taken, {})
        return [found[name].reshape(*batch, size) for name, size in called.gives.items()]

    return run


def operator(called: Called, run: Callable[..., list[Tensor]], name: str) -> Any:
    """The same as an operator, for `torch.compile`."""
    outs = tuple(called.gives.values())
    taken = ", ".join(f"Tensor {x}" for x in called.takes)
    found = torch.library.custom_op(
        f"mstmm::{name}_{next(NUMBERS)}",
        run,
        mutates_args=(),
        schema=f"({taken}) -> Tensor[]",
    )
    found.register_fake(lambda *x: [x[1].new_empty((*x[1].shape[:-1], n)) for n in outs])

    def batched(info: Any, dims: Sequence[int | None], *given: Tensor) -> Any:
        return found(*_in_front(info, dims, given)), [0] * len(outs)

    found.register_vmap(batched)
    return found


def _function(found: Differentiable) -> Callable[..., Tensor]:
    """The result as a function of tensors, in the order of what it takes."""
    model = found.solver.model
    stem = f"{found.solver.interface.prefix}_{found.name}"
    evaluate, pull = on_tensors(found.forward), on_tensors(found.pullback)
    evaluating = operator(found.forward, evaluate, stem)
    pulling = operator(found.pullback, pull, f"{stem}_back")

    def by_arguments(
        ctx: Any, q: Tensor, derivatives: Sequence[Tensor]
    ) -> tuple[Tensor | None, ...]:
        """Of the pullback's results those by coordinates and the other arguments."""
        if found.takes_time and ctx.needs_input_grad[-1]:
            raise UsageError(TIMED)
        _, by_q, *others = derivatives
        time = (None,) if found.takes_time else ()
        return places.along_coordinates(model, q, by_q, join), *others, *time

    class Pullback(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(*given: Tensor) -> tuple[Tensor, ...]:
            return tuple(pull(*given))

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, *_: Tensor) -> Any:
            raise UsageError(SECOND)

        @staticmethod
        def jvp(ctx: Any, *_: Tensor) -> Any:
            raise UsageError(SECOND)

        @staticmethod
        def vmap(info: Any, dims: Any, *given: Tensor) -> Any:
            found = Pullback.apply(*_in_front(info, dims, given))
            return found, (0,) * len(found)

    class Evaluated(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(*given: Tensor) -> Tensor:
            (result,) = evaluate(*given)
            return result

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)
            ctx.set_materialize_grads(False)  # so that a change that is None is none

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Any:
            given = ctx.saved_tensors
            if g is None:
                return (None,) * len(given)
            return by_arguments(ctx, given[0], Pullback.apply(*given, g))

        @staticmethod
        def jvp(ctx: Any, *changes: Tensor | None) -> Any:
            """Row by row of the Jacobian matrix, by as many pullbacks as there are results."""
            if found.takes_time and changes[-1] is not None:
                raise UsageError(TIMED)
            given = ctx.saved_tensors
            n = given[1].shape[-1]
            each = [x[..., None, :].expand(*x.shape[:-1], n, x.shape[-1]) for x in given]
            g = torch.eye(n, dtype=given[1].dtype, device=given[1].device).expand_as(each[1])
            _, *rows = Pullback.apply(*each, g)
            first = changes[0]
            moved = first if first is None else places.along_speeds(model, given[0], first, join)
            parts = [
                (row * change[..., None, :]).sum(-1)
                for row, change in zip(rows, (moved, *changes[1:]), strict=False)
                if change is not None
            ]
            return sum(parts)

        @staticmethod
        def vmap(info: Any, dims: Any, *given: Tensor) -> Any:
            return Evaluated.apply(*_in_front(info, dims, given)), 0

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, g: Sequence[Tensor]) -> Any:
        given = ctx.saved_tensors
        return by_arguments(ctx, given[0], pulling(*given, g[0]))

    evaluating.register_autograd(backward, setup_context=setup)

    def chosen(*given: Tensor) -> Tensor:
        if not torch.compiler.is_compiling():
            result: Tensor = Evaluated.apply(*given)
            return result
        if torch.autograd.forward_ad._current_level >= 0:
            # The compiler can make no other error of its own.
            raise RuntimeError("mstmm has no forward mode inside torch.compile")
        (result,) = evaluating(*given)
        return result

    return chosen


class Module(Dynamics):
    """A solver's dynamics on tensors of doubles, see `Dynamics`.

    Source
        own
    """

    library = torch

    def __init__(self, solver: Evaluator) -> None:
        super().__init__(solver)
        self._made(accelerations)  # what is compiled with others must be there before
        if not (solver.conditions or solver.model.absolute):
            self._made(inverse_dynamics)

    def _function(self, found: Differentiable) -> Callable[..., Tensor]:
        return _function(found)

    def _array(self, name: str, x: Any) -> Tensor:
        module = self.solver.backend
        on_device = isinstance(module, DeviceModule)
        kind = module.kind if isinstance(module, DeviceModule) else "float64"
        tensor = torch.as_tensor(x, dtype=None if hasattr(x, "dtype") else getattr(torch, kind))
        elsewhere = not tensor.is_cpu
        if on_device:
            elsewhere = arrays.LIBRARIES["torch"]().device(tensor) is None
        if tensor.dtype != getattr(torch, kind) or elsewhere:
            place = "cuda" if on_device else "cpu"
            raise UsageError(
                f"{name} is of {tensor.dtype} on {tensor.device}: this solver computes in {kind} "
                f"on {place}; convert it with .to({place!r}, torch.{kind})"
            )
        return tensor

    def _brought(self, x: Any, beside: Tensor) -> Tensor:
        return torch.as_tensor(x, dtype=beside.dtype, device=beside.device)

    def _join(self, parts: Sequence[Tensor]) -> Tensor:
        return join(parts)

    def _held(self, x: Tensor) -> Tensor:
        return x.detach()

    def _rolled(
        self, step: Callable[..., Any], q: Tensor, v: Tensor, given: Any, every: int
    ) -> tuple[Tensor, Tensor]:
        def run(q: Tensor, v: Tensor, *some: Any) -> tuple[Tensor, Tensor]:
            found = []
            for each in zip(*some, strict=True):
                q, v = step(q, v, *each)
                found.append((q, v))
            qs, vs = zip(*found, strict=True)
            return torch.stack(qs), torch.stack(vs)

        states = [(q[None], v[None])]
        for first in range(0, len(given[0]), every):
            last = (x[-1] for x in states[-1])
            some = (x[first : first + every] for x in given)
            states.append(checkpoint(run, *last, *some, use_reentrant=False))
        qs, vs = zip(*states, strict=True)
        return torch.cat(qs), torch.cat(vs)


def module(solver: Evaluator) -> Module:
    """The solver's dynamics as differentiable functions of tensors.

    Raises
        UsageError: the solver has no dynamics.
    Source
        own
    """
    return Module(solver)
