"""The kernels of what acts on bodies from outside the tree: loads, bonds, a moving base.

A bond is an elastic hinge that is cut: a spring and damper between two bodies whose places
and motion are known. Wrenches are forces and moments at a link's origin, in its axes.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ..model.types import TIME
from .jointkernels import take_symbols
from .joints import tidy, turned
from .loopkernels import Cut
from .program import Kernel, KernelBuilder
from .space import POINT, Space

LOAD = "force and moment on a body"
BOND = "own: spring and damper between two bodies"
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
def bond(dimension: int) -> Kernel:
    """Wrenches of a bond on its parent (`WA`) and child (`WB`), and its stored energy.

    `k` and `c` are stiffness and damping, `p0` the position at rest; in the plane `rest` is the
    rotation there.
    """
    space = Space(dimension)
    d, n = dimension, space.motion
    kernel = KernelBuilder("bond", "elastic hinge that is cut")
    cut = Cut(kernel, dimension)
    a, b = cut.a, cut.b
    k, c, p0 = kernel.take("k", n), kernel.take("c", n), kernel.take("p0", d)
    R = kernel.let("R", a.K.T * cut.Q * b.K, BOND)
    p = kernel.let("p", a.K.T * (cut.far - a.arm) - p0, BOND)
    rate = kernel.let("pd", a.K.T * cut.rate, BOND)
    slip = cut.wb - a.w if d == 2 else kernel.let("slip", a.K.T * (cut.wb - a.w), BOND)
    force = kernel.let("F", -a.K * (_each(k[:d, :], p) + _each(c[:d, :], rate)), BOND)
    spring, energy = _flat_turn(kernel, R, k[2]) if d == 2 else _space_turn(R, k[3:, :])
    damped = _each(c[d:, :], slip)
    moment = spring - damped if d == 2 else cut.Q * b.K * spring - a.K * damped
    moment = kernel.let("M", moment, BOND)
    on_a = sp.Matrix.vstack(force, space.tilde(cut.far) * force + moment)
    kernel.let("WA", -on_a, BOND)
    here = kernel.let("Fb", cut.Q.T * force, BOND)
    about = moment if d == 2 else cut.Q.T * moment
    kernel.let("WB", sp.Matrix.vstack(here, space.tilde(b.arm) * here + about), BOND)
    kernel.let("V", sp.Matrix([(p.T * _each(k[:d, :], p))[0] / 2 + energy]), BOND)
    return kernel.build("WA", "WB", "V")


def _each(k: sp.Matrix, x: sp.Matrix) -> sp.Matrix:
    return sp.Matrix([a * b for a, b in zip(k, x, strict=True)])


def _flat_turn(kernel: KernelBuilder, R: sp.Matrix, k: sp.Expr) -> tuple[sp.Matrix, sp.Expr]:
    """Moment and energy of the angle from rest, within half a turn."""
    rest = kernel.take("rest", 2, 2)
    D = kernel.let("D", rest.T * R, BOND)
    angle = kernel.let("angle", sp.Matrix([2 * sp.atan(D[1, 0] / (1 + D[0, 0]))]), BOND)
    return -k * angle, k * angle[0] ** 2 / 2


def _space_turn(R: sp.Matrix, k: sp.Matrix) -> tuple[sp.Matrix, sp.Expr]:
    """Moment in the child's axes and energy, V = 2 Σ k e² with 4 e² = 1 + 2 Rᵢᵢ − tr R."""
    moment, energy = [], sp.Integer(0)
    for i in range(3):
        j, m = (i + 1) % 3, (i + 2) % 3
        own = k[i] * (R[m, j] - R[j, m]) + (k[j] - k[m]) * (R[j, m] + R[m, j])
        moment.append(-own / 2)
        energy += k[i] * (1 + R[i, i] - R[j, j] - R[m, m]) / 2
    return sp.Matrix(moment), energy


@cache
def bond_load(dimension: int) -> Kernel:
    """Moment and force at a bond, by the body there on the other, as at an output end."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("bond_load", "loads at a bond")
    W = kernel.take("W", space.motion)
    A, arm = kernel.take("A", d, d), kernel.take("arm", d)
    q = kernel.let("q", -A * W[:d, :], BOND)
    m = W[d:, :] - space.tilde(arm) * W[:d, :]
    m = m if d == 2 else A * m
    flat = sp.Matrix([0, 0, m[0], q[0], q[1], 0]) if d == 2 else sp.Matrix.vstack(m, q)
    kernel.let("load", flat, "Riccati paper (2)")
    return kernel.build("load")


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
