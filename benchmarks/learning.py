"""What calls through PyTorch and JAX cost, in units of the same call of NumPy arrays.

`python benchmarks/learning.py URDF`: its forward dynamics in one thread, target `c-batch`;
`--lock NAME=VALUE` holds hinges, such as a gripper's fingers.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from time import perf_counter
from typing import Any

import jax
import numpy as np
import torch

import mstmm
import mstmm.jax
import mstmm.torch
from mstmm.runtime.solver import Solver

#: Flags with which XLA takes one thread.
ONE = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

STATES = (1, 64, 4096)
TITLES = (
    "PyTorch",
    "with its gradient",
    "JAX, in `jit`",
    "gradient in JAX",
    "`solver.pullback`",
)


def seconds(call: Callable[[], Any]) -> float:
    """The least of some calls, after one."""
    call()
    found = []
    for _ in range(100):
        begin = perf_counter()
        call()
        found.append(perf_counter() - begin)
    return min(found)


def measured(solver: Solver, n: int) -> list[float]:
    """Seconds of the solver's call on so many states, then of the others."""
    module, function, ready = (
        mstmm.torch.module(solver),
        mstmm.jax.function(solver),
        jax.block_until_ready,
    )
    forward = jax.jit(function.accelerations)
    by = jax.grad(lambda q, v, x, g: (function.accelerations(q, v, x) * g).sum(), (0, 1, 2))
    back, rng = jax.jit(by), np.random.default_rng(0)
    q = np.tile(solver.model.q0, (n, 1)) + rng.normal(size=(n, len(solver.coordinates)))
    v, tau, g = rng.normal(size=(3, n, len(solver.speeds)))
    given = [torch.from_numpy(x) for x in (q, v, tau)]
    asking, count = [x.clone().requires_grad_() for x in given], torch.from_numpy(g)
    arrays = [jax.numpy.asarray(x) for x in (q, v, tau, g)]
    calls: tuple[Callable[[], Any], ...] = (
        lambda: solver.accelerations(q, v, tau),
        lambda: module.accelerations(*given),
        lambda: module.accelerations(*asking).backward(count),
        lambda: ready(forward(*arrays[:3])),
        lambda: ready(back(*arrays)),
        lambda: solver.pullback(q, v, tau, g),
    )
    return [seconds(call) for call in calls]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--lock", action="append", default=[], metavar="NAME=VALUE")
    asked = parser.parse_args()
    locked = {name: float(x) for name, _, x in (each.partition("=") for each in asked.lock)}
    os.environ.setdefault("XLA_FLAGS", ONE)  # read with the first array
    torch.set_num_threads(1)
    jax.config.update("jax_enable_x64", True)
    solver = mstmm.compile(mstmm.load(asked.model, locked=locked), target="c-batch")
    print(f"| states | {' | '.join(TITLES)} |")
    for n in STATES:
        unit, *others = measured(solver, n)
        ratios = " | ".join(f"{x / unit:.3g}" for x in others)
        print(f"| {n} ({1e6 * unit:.3g} µs) | {ratios} |")


if __name__ == "__main__":
    main()
