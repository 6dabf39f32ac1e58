"""The kernels of what acts from outside: loads on bodies and a moving base.

Wrenches are forces and moments at a link's origin, in its axes.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...model.quantities import TIME
from ..language.program import Kernel, KernelBuilder
from ..mechanics.hinges import tidy, turned
from ..mechanics.space import POINT, Space
from .motion_kernels import take_symbols

LOAD = "force and moment on a body"
BASE = "own: motion of the base, differentiated"


@cache
def load(
    label: str, dimension: int, frame: str, force: tuple[sp.Expr, ...], moment: tuple[sp.Expr, ...]
) -> Kernel:
    """A load's components to its wrench; `K` are the body's axes in the link's."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(f"load_{label}", "load on a body")
    take_symbols(kernel, sp.Matrix([*force, *moment]))
    if any(x != 0 for x in force) or d == 3:
        axes = kernel.take("A", d, d).T if frame == "inertial" else kernel.take("K", d, d)
    else:
        axes = sp.eye(d)
    along = kernel.let("fl", axes * sp.Matrix(force), LOAD)
    couple = sp.Matrix(moment) if d == 2 else axes * sp.Matrix(moment)
    about = space.tilde(kernel.take("r", d)) * along + couple
    kernel.let("W", sp.Matrix.vstack(along, about), LOAD)
    return kernel.build("W")


@cache
def base(dimension: int, position: tuple[sp.Expr, ...], angles: tuple[sp.Expr, ...]) -> Kernel:
    """The time to the ground's place, motion and acceleration, less gravity's; in its own axes."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("base", "moving base")
    laws = [sp.Matrix(x) for x in (position, angles)]
    first, second = ([x.diff(TIME, k) for x in laws] for k in (1, 2))
    take_symbols(kernel, sp.Matrix([*laws[0], *laws[1]]))
    phi = kernel.let("phi", laws[1], BASE)
    phid = kernel.let("phid", first[1], BASE)
    phidd = kernel.let("phidd", second[1], BASE)
    rotation = turned(d, phi)
    A = kernel.let("Ag", rotation, BASE)
    kernel.let("xg", laws[0], BASE)
    kernel.let("vg", A.T * first[0], BASE)
    spin = _spin(rotation, phi, phid)
    w = kernel.let("wg", spin, BASE)
    turning = spin.jacobian(phi) * phid + spin.jacobian(phid) * phidd
    lin = A.T * (second[0] - kernel.take("gI", d))
    acc = kernel.let("accg", sp.Matrix.vstack(lin, tidy(turning)), BASE)
    rows = [space.turn(acc[d:, :], sp.eye(d)[:, k]) for k in range(d)]
    kernel.let("Bg", sp.Matrix.hstack(*rows) + space.centripetal(kernel, w), POINT)
    return kernel.build("Ag", "xg", "vg", "wg", "accg", "Bg")


def _spin(rotation: sp.Matrix, phi: sp.Matrix, phid: sp.Matrix) -> sp.Matrix:
    """ω of ~ω = Aᵀ Ȧ, in the turned axes."""
    if len(phi) == 1:
        return phid
    rate = sum((rotation.diff(x) * xd for x, xd in zip(phi, phid, strict=True)), sp.zeros(3))
    W = tidy(rotation.T * rate)
    return sp.Matrix([W[2, 1], W[0, 2], W[1, 0]])
