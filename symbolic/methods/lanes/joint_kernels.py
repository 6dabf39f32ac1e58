"""The kernels of a chain in segments in joint coordinates, in link axes; see `absolute_kernels`."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...mechanics.space import POINT, Space
from ...tree.motion_kernels import BACK, SPIN
from .absolute_kernels import TWO_HANDLES


@cache
def start(dimension: int) -> Kernel:
    """A segment without bodies, seen from the link that its far end belongs to."""
    space = Space(dimension)
    d, n = dimension, space.motion
    kernel = KernelBuilder("start", "a segment without bodies")
    force = sp.Matrix.vstack(sp.eye(d), sp.zeros(n - d, d))
    kernel.let("IA", sp.zeros(n, n), TWO_HANDLES, symmetric=True)
    kernel.let("pA", sp.zeros(n, 1), TWO_HANDLES)
    kernel.let("pAF", space.shift(kernel.take("arm", d)).T * force, TWO_HANDLES)
    kernel.let("L", sp.zeros(d, d), TWO_HANDLES, symmetric=True)
    kernel.let("y", sp.zeros(d, 1), TWO_HANDLES)
    kernel.let("R", sp.eye(d), SPIN)
    kernel.let("ws", sp.zeros(space.spins, 1), SPIN)
    return kernel.build("IA", "pA", "pAF", "L", "y", "R", "ws")


@cache
def turning(dimension: int) -> Kernel:
    """Turn and spin of a link relative to the near end of its segment."""
    spins = Space(dimension).spins
    kernel = KernelBuilder("turning", "turn relative to the near end")
    C = kernel.take("C", dimension, dimension)
    spin = kernel.take("ws", spins)
    turned = spin if dimension == 2 else C.T * spin
    kernel.let("Rn", kernel.take("R", dimension, dimension) * C, SPIN)
    kernel.let("wsn", turned + kernel.take("wr", spins), SPIN)
    return kernel.build("Rn", "wsn")


@cache
def turned(dimension: int) -> Kernel:
    """Turn and spin of a whole segment."""
    kernel = KernelBuilder("turned", "turn of a segment")
    kernel.let("Re", kernel.take("R", dimension, dimension), SPIN)
    kernel.let("wse", kernel.take("ws", Space(dimension).spins), SPIN)
    return kernel.build("Re", "wse")


@cache
def ground_spin(dimension: int) -> Kernel:
    """The ground stands still."""
    kernel = KernelBuilder("ground", "the ground")
    kernel.let("w", sp.zeros(Space(dimension).spins, 1), SPIN)
    return kernel.build("w")


@cache
def kept_spin(dimension: int) -> Kernel:
    """The spin of what a link hangs on, kept with the link."""
    kernel = KernelBuilder("kept_spin", "spin at the root side")
    kernel.let("wpo", kernel.take("wp", Space(dimension).spins), SPIN)
    return kernel.build("wpo")


@cache
def far_end(dimension: int, freedom: int) -> Kernel:
    """How the far end moves when a link is added at the near end.

    The link moves as a0 + γ + H (k − G a0 + kF f); the columns N of f at its origin are, by
    reciprocity, how the far end follows that.
    """
    n = Space(dimension).motion
    kernel = KernelBuilder("far_end", "acceleration of the far end")
    N = kernel.take("N", n, dimension)
    gamma = kernel.take("gam", n)
    H = kernel.take(f"H{freedom}", n, freedom)
    k = kernel.take(f"k{freedom}", freedom)
    columns = kernel.take(f"k{freedom}F", freedom, dimension)
    L = kernel.take("L", dimension, dimension, symmetric=True)
    follow = kernel.let("NH", N.T * H, TWO_HANDLES)
    kernel.let("Ln", L + follow * columns, TWO_HANDLES, symmetric=True)
    own = N.T * gamma + follow * k
    kernel.let("yn", kernel.take("y", dimension) + own, TWO_HANDLES)
    return kernel.build("Ln", "yn")


@cache
def held(dimension: int, freedom: int) -> Kernel:
    """What a hinge's acceleration is without its base's: the force at the far end included."""
    space = Space(dimension)
    kernel = KernelBuilder("held", "force at the far end")
    k, columns = (
        kernel.take(f"k{freedom}", freedom),
        kernel.take(f"k{freedom}F", freedom, dimension),
    )
    r_dd = kernel.take("rdd", dimension)
    kernel.let(f"kf{freedom}", k + columns * kernel.take("f", dimension), BACK)
    kernel.let("ap0", sp.Matrix.vstack(r_dd, sp.zeros(space.spins, 1)), BACK)
    kernel.let("rddo", r_dd, BACK)
    return kernel.build(f"kf{freedom}", "ap0", "rddo")


@cache
def reach(dimension: int) -> Kernel:
    """Acceleration of the next hinge, and the link's angular acceleration."""
    space = Space(dimension)
    kernel = KernelBuilder("reach", "acceleration of the next hinge")
    acc = kernel.take("acc", space.motion)
    spin = acc[dimension:, :]
    kernel.let("rddn", acc[:dimension, :] + space.turn(spin, kernel.take("arm", dimension)), POINT)
    kernel.let("wd", spin, POINT)
    return kernel.build("rddn", "wd")


@cache
def behind(dimension: int) -> Kernel:
    """The acceleration of what a link hangs on, at the hinge."""
    kernel = KernelBuilder("behind", "acceleration at the root side of a hinge")
    spin = kernel.take("wd", Space(dimension).spins)
    kernel.let("ap", sp.Matrix.vstack(kernel.take("rdd", dimension), spin), BACK)
    return kernel.build("ap")


@cache
def handed(dimension: int) -> Kernel:
    """An angular acceleration from one segment to the next."""
    kernel = KernelBuilder("handed", "from a segment to the next")
    kernel.let("wdn", kernel.take("wd", Space(dimension).spins), BACK)
    return kernel.build("wdn")


@cache
def still(dimension: int) -> Kernel:
    """The ground does not turn."""
    kernel = KernelBuilder("still", "the ground")
    kernel.let("wdn", sp.zeros(Space(dimension).spins, 1), BACK)
    return kernel.build("wdn")
