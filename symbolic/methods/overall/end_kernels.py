"""The kernels of where columns begin, at ends, hinges and beams, and of the states of ends."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...mechanics.space import POINT, Space
from .kernels import BEAM, HINGE

TIP = "deduction paper: boundary conditions, what is not known of an end"
PAIR = "deduction paper (34), (35): both ends of a cut"


@cache
def begun(dimension: int, entries: tuple[int, ...], other: bool) -> Kernel:
    """The columns of an end's unknown entries; `other`: of the end that a cut drops, by C."""
    n = Space(dimension).motion
    unit = sp.eye(2 * n)
    if other:
        unit[n:, n:] = -sp.eye(n)
    label = "_".join(map(str, entries))
    kernel = KernelBuilder(f"tip_{label}{'_C' if other else ''}", "columns of an end")
    says = "z = C E x, a column each of C E" if other else "z = E x, a column each of E"
    return _columns(kernel, dimension, unit[:, list(entries)], PAIR if other else TIP, says)


@cache
def own_columns(dimension: int, freedom: int) -> Kernel:
    """The columns of a hinge's own accelerations, behind it."""
    n = Space(dimension).motion
    kernel = KernelBuilder(f"own_{freedom}", "columns of a hinge's own accelerations")
    H = kernel.take(f"Hs{freedom}", n, freedom)
    columns = H.col_join(sp.zeros(n, freedom))
    return _columns(kernel, dimension, columns, HINGE, "z_O = (H_s, 0) u̇, a column each")


@cache
def modal_columns(modes: int) -> Kernel:
    """The columns of a beam's modal accelerations, at its output."""
    kernel = KernelBuilder(f"modal_{modes}", "columns of modal accelerations")
    inertia, arm = kernel.take(f"Me{modes}", 3, modes), kernel.take("rIO", 2)
    q = -inertia[:2, :]
    m = inertia[2:, :] + Space(2).tilde(arm) * q
    Y = kernel.take(f"YO_{modes}", 3, modes)
    says = "z_O = (Y_O, M_e + ~r_IO q, −M_r) η̈, a column each"
    return _columns(kernel, 2, sp.Matrix.vstack(Y, m, q), BEAM, says)


def _columns(
    kernel: KernelBuilder, dimension: int, columns: sp.Matrix, source: str, says: str
) -> Kernel:
    n, spins = Space(dimension).motion, Space(dimension).spins
    parts = {"a": slice(0, n), "m": slice(n, n + spins), "q": slice(n + spins, 2 * n)}
    for j in range(columns.cols):
        for name, rows in parts.items():
            kernel.let(f"{name}_{j + 1}", columns[rows, j], source, says=says)
    return kernel.build(*(f"{name}_{j + 1}" for j in range(columns.cols) for name in parts))


@cache
def end_state(dimension: int, entries: tuple[int, ...], other: bool, solved: bool) -> Kernel:
    """An end's state from what is known of it and the unknowns, which are zero if not `solved`.

    `other` as in `begun`.
    """
    space, d = Space(dimension), dimension
    n = space.motion
    label = "_".join(map(str, entries))
    name = f"end_{'state' if solved else 'known'}_{label}{'_C' if other else ''}"
    kernel = KernelBuilder(name, "state of an end")
    known = sp.Matrix.vstack(
        kernel.take("a", n), kernel.take("m", space.spins), kernel.take("q", d)
    )
    for j, entry in enumerate(entries, start=1):
        sign = -1 if other and entry >= n else 1
        known[entry] = sign * kernel.take(f"x_{j}")[0] if solved else 0
    says = f"z = z_known{' + E x' * solved}"
    kernel.let("ao", known[:n, :], TIP, says=says)
    kernel.let("mo", known[n : n + space.spins, :], TIP, says=says)
    kernel.let("qo", known[n + space.spins :, :], TIP, says=says)
    return kernel.build("ao", "mo", "qo")


@cache
def ground(dimension: int) -> Kernel:
    """The acceleration of a point `r` of the moving ground; gravity is a force on the bodies."""
    d, space = dimension, Space(dimension)
    kernel = KernelBuilder("ground_point", "acceleration of a point of the moving ground")
    A, acc = kernel.take("Ag", d, d), kernel.take("accg", space.motion)
    lin = acc[:d, :] + kernel.take("Bg", d, d) * kernel.take("r", d)
    ang = acc[d:, :] if d == 2 else A * acc[d:, :]
    value = sp.Matrix.vstack(A * lin + kernel.take("g", d), ang)
    kernel.let("ag", value, POINT, says="a_g = (A (r̈_g + B_g r) + g, A ω̇_g)")
    return kernel.build("ag")


@cache
def pinned(dimension: int, output: bool, freedom: int) -> Kernel:
    """The known moment at a pinned end: the given force in its hinge acts on the body.

    At an `output` the end's own load has the sign of what acts on the body.
    """
    d, space = dimension, Space(dimension)
    title = "given force in a hinge to the ground"
    kernel = KernelBuilder(f"pinned_{'output' if output else 'input'}", title)
    H = kernel.take(f"Hs{freedom}", space.motion, freedom)
    tau = kernel.numbers("tau", freedom)
    says = f"m = {'' if output else '−'}H_ω τ"
    kernel.let("m", (1 if output else -1) * H[d:, :] * tau, TIP, says=says)
    return kernel.build("m")
