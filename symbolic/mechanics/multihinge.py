"""The smooth hinge and the multi-hinge subsystem as the paper prints them (10)–(17).

The printed hinge asks that the *outboard body's output* carries no moment. That condition
belongs to the next hinge, so the first hinge of every chain is left without one; the
completed hinge is `riccati.hinge_step`, and the completed multi-hinge asks for m = 0 at its
first input too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .vectors import Layout

AnyMatrix = Any  # a SymPy matrix or an ExactMatrix


@dataclass(frozen=True)
class MomentRow:
    """The third block row of a body's transfer matrix: u₃,₁ … of (4) and (8)."""

    u: tuple[AnyMatrix, ...]

    def __getitem__(self, m: int) -> AnyMatrix:
        """u₃,ₘ, counted from 1."""
        return self.u[m - 1]


def moment_row(U: AnyMatrix, layout: Layout) -> MomentRow:
    """Read u₃,₁ … u₃,2L+3 off the outboard body's matrix (4) or (8)."""
    rows = list(Layout(layout.dimension).moment())
    return MomentRow(tuple(U.extract(rows, list(cols)) for cols in layout.blocks.values()))


def outboard_hinge(U_body: AnyMatrix, one: AnyMatrix, layout: Layout) -> AnyMatrix:
    """The printed ball hinge or pin, from the matrix of its outboard body (10).

    `one` is the identity of the size of the state.

    Source
        Riccati paper (10), (44).
    """
    return multi_hinge(U_body, one, layout)[0]


def multi_hinge(U_body: AnyMatrix, one: AnyMatrix, layout: Layout) -> list[AnyMatrix]:
    """The printed Û_j,I1 … Û_j,IL of the outboard body's comprehensive state (12), (13).

    `one` is the identity of the size of the comprehensive state; its columns place blocks.

    Source
        Riccati paper (11)–(13).
    """
    end = Layout(layout.dimension)
    u = moment_row(U_body, layout)
    everything = list(range(layout.size))
    solve = -u[2].inv()

    def place(rows: tuple[int, ...], cols: tuple[int, ...], block: AnyMatrix) -> AnyMatrix:
        left = one.extract(everything, list(rows))
        right = one.extract(list(cols), list(range(end.size)))
        return left @ block @ right

    def unit(rows: tuple[int, ...], cols: tuple[int, ...]) -> AnyMatrix:
        return place(rows, cols, one.extract(list(cols), list(cols)))

    last = 2 * layout.inputs + 3
    spin, one_row = layout.angular, (layout.one,)
    matrices = []
    for k in range(1, layout.inputs + 1):
        U_hat = unit(layout.moment(k), end.moment()) + unit(layout.force(k), end.force())
        U_hat = U_hat + place(spin, end.moment(), solve @ u[2 * k + 1])
        U_hat = U_hat + place(spin, end.force(), solve @ u[2 * k + 2])
        if k == 1:
            U_hat = U_hat + unit(layout.acceleration, end.acceleration)
            U_hat = U_hat + place(spin, end.acceleration, solve @ u[1])
            U_hat = U_hat + place(spin, (end.one,), solve @ u[last])
            U_hat = U_hat + place(one_row, (end.one,), one.extract([0], [0]))
        matrices.append(U_hat)
    return matrices


def selector(one: AnyMatrix, layout: Layout) -> AnyMatrix:
    """H_r̈,m of (15), (16): accelerations and moments of an end's state.

    `one` is the identity of the size of that state.
    """
    end = Layout(layout.dimension)
    return one.extract([*end.acceleration, *end.moment()], list(range(end.size)))


def geometric(accelerations: AnyMatrix, one: AnyMatrix, layout: Layout) -> AnyMatrix:
    """H_O1,Ik of (15)–(17): input k's acceleration from the first input's state, and m = 0.

    `accelerations` is [I E_1,Ik 0 … 0 E_2,Ik] (14). Its rows stand above rows of zeros, which
    say that the moment there vanishes; `one` is the identity of the size of `[r̈ Ω̇]`.
    """
    return one.extract(list(range(layout.motions)), list(layout.acceleration)) @ accelerations
