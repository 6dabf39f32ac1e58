"""The kernels of one damped step that takes a frame towards a target, and closes loops with it.

With e the frame's error (the turn to the target as a rotation vector, and the way to it, in
inertial axes) above minus the gaps φ of the loops, c_k the column of a speed (J_k, G_k) and w_k its
weight, the step is

    Δ = W Cᵀ (C W Cᵀ + λ² 1)⁻¹ e,    C W Cᵀ = Σ w_k c_k c_kᵀ,

the least of |e − C Δ|² + λ² Δᵀ W⁻¹ Δ; a speed of weight zero stands still.

Source: damped least squares (Nakamura and Hanafusa 1986, Wampler 1986); the sum by hinges is own.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...mechanics.space import Space

ERROR = "own: rotation vector of R* Rᵀ, and r* − r"
GRAM = "C W Cᵀ, summed speed by speed"
DAMPED = "damped least squares: (C W Cᵀ + λ² 1) x = e"
STEP = "damped least squares: Δ = W Cᵀ x"

#: Components of a frame's error.
TASK = 6

#: Below this sine of the turn to the target its direction is taken as it is.
STRAIGHT = sp.Rational(1, 10**150)


@cache
def error(dimension: int) -> Kernel:
    """What is left to the target: rotation vector and way, as far as they are asked for."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("error", "what is left to the target")
    R, r = kernel.take("Ab", d, d), kernel.take("xb", d)
    target = kernel.take("target", 4, 4)
    turn = kernel.let("T", target[:d, :d] * R.T, ERROR, says="T = R* Rᵀ")
    if d == 2:
        angular = sp.Matrix([sp.atan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])])
    else:
        sine = [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
        axis = kernel.let("axis", sp.Matrix(sine) / 2, ERROR)
        size = kernel.let("size", sp.Matrix([sp.sqrt((axis.T * axis)[0] + STRAIGHT)]), ERROR)[0]
        cosine = (turn.trace() - 1) / 2
        angle = kernel.let("angle", sp.Matrix([sp.atan2(size, cosine)]), ERROR)[0]
        angular = axis * (angle / size)
    whole = space.flat_load(angular, target[:d, 3] - r)
    task = kernel.take("task", TASK)
    kernel.let(
        "left",
        sp.Matrix([t * x for t, x in zip(task, whole, strict=True)]),
        ERROR,
        says="e = (φ, r* − r), as far as asked for",
    )
    return kernel.build("left")


@cache
def gram(freedom: int, conditions: int, first: bool) -> Kernel:
    """C W Cᵀ of a hinge's speeds, added to that of the hinges before it."""
    size = TASK + conditions
    kernel = KernelBuilder(f"gram_{freedom}{'_first' if first else ''}", "columns of a hinge")
    total = sp.zeros(size) if first else kernel.take("Gbefore", size, size, symmetric=True)
    task = kernel.take("task", TASK)
    for k in range(freedom):
        c = _column(kernel, task, conditions, k)
        total = total + kernel.take(f"wt_{k + 1}")[0] * c * c.T
    kernel.let("G", total, GRAM, symmetric=True, says="C W Cᵀ = Σ w c cᵀ")
    return kernel.build("G")


@cache
def damped(conditions: int) -> Kernel:
    """x of (C W Cᵀ + λ² 1) x = e."""
    size = TASK + conditions
    kernel = KernelBuilder("damped", "damped least squares")
    G, damping = kernel.take("G", size, size, symmetric=True), kernel.take("damping")[0]
    gaps = [-kernel.take(f"phi_{i + 1}")[0] for i in range(conditions)]
    e = sp.Matrix([*kernel.take("left", TASK), *gaps])
    matrix = kernel.let("D", G + damping * sp.eye(size), DAMPED, symmetric=True)
    kernel.solve("pull", matrix, e, DAMPED)
    return kernel.build("pull")


@cache
def stepped(freedom: int, conditions: int) -> Kernel:
    """The step of a hinge's speeds."""
    kernel = KernelBuilder(f"step_{freedom}", "step of a hinge")
    task, x = kernel.take("task", TASK), kernel.take("pull", TASK + conditions)
    for k in range(freedom):
        c = _column(kernel, task, conditions, k)
        kernel.let(f"step_{k + 1}", kernel.take(f"wt_{k + 1}") * (c.T * x), STEP)
    return kernel.build(*(f"step_{k + 1}" for k in range(freedom)))


def _column(kernel: KernelBuilder, task: sp.Matrix, conditions: int, k: int) -> sp.Matrix:
    """c of the hinge's k-th speed: what is asked of the frame's column, then the loops'."""
    frame = kernel.take(f"Jk_{k + 1}", TASK)
    asked = [t * x for t, x in zip(task, frame, strict=True)]
    slopes = [kernel.take(f"Gk_{i + 1}_{k + 1}")[0] for i in range(conditions)]
    return kernel.let(f"c_{k + 1}_", sp.Matrix([*asked, *slopes]), GRAM, says="c = (J_k, G_k)")
