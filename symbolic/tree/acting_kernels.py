"""The kernels of what acts from outside and between points: loads, a moving base, forces.

Wrenches are forces and moments at a link's origin, in its axes. The line of a force runs from its
first point, a, to the second, b, in inertial axes. Where the points coincide it has no direction,
and there is no force.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...model.expressions.quantities import TIME
from ..language.program import Kernel, KernelBuilder
from ..mechanics.hinges import tidy, turned
from ..mechanics.space import POINT, Space
from .motion_kernels import take_symbols

LOAD = "force and moment on a body"
BASE = "own: motion of the base, differentiated"
LINE = "own: L = |r_b − r_a|, n = (r_b − r_a) / L"
RATE = "own: L̇ = nᵀ (ṙ_b − ṙ_a)"
PULL = "T = k (L − L₀) + c L̇ + law + ∂V/∂L + μ m / L²"
PUSH = "own: n T on a, −n T on b, in link axes, about the links' origins"
DRAG = "F = −(c₁ + c₂ |v|) v, v = ṙ − ṙ_medium"

#: Keeps the direction of a line without length finite; changes no other, in doubles.
SLIGHT = sp.Rational(1, 10**60)


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
    along = kernel.let("fl", axes * sp.Matrix(force), LOAD, says="f = f(t, q, u), in link axes")
    couple = sp.Matrix(moment) if d == 2 else axes * sp.Matrix(moment)
    about = space.tilde(kernel.take("r", d)) * along + couple
    kernel.let("W", sp.Matrix.vstack(along, about), LOAD, says="W = (f, r × f + m)")
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


# Forces between points


@cache
def line(dimension: int, moving: bool) -> Kernel:
    """The distance and direction of two points; if they are `moving`, how fast it grows."""
    space = Space(dimension)
    kernel = KernelBuilder(f"line{'_moving' if moving else ''}", "line between two points")
    places, rates = zip(*(_seen(kernel, side, space, moving) for side in "ab"), strict=True)
    gap = kernel.let("gap", places[1] - places[0], POINT)
    length = kernel.let("dist", sp.Matrix([sp.sqrt((gap.T * gap)[0] + SLIGHT)]), LINE)
    n = kernel.let("dir", gap / length[0], LINE)
    if moving:
        kernel.let("distd", n.T * (rates[1] - rates[0]), RATE)
    return kernel.build("dist", "dir", *(["distd"] if moving else []))


@cache
def sensed(dimension: int, ends: int, directed: bool, moving: bool) -> Kernel:
    """What a sensor measures of one end's place, or of two; if it is `moving`, its rate."""
    d, space = dimension, Space(dimension)
    kind = f"{'component' if directed else 'distance'}_{ends}{'_moving' if moving else ''}"
    kernel = KernelBuilder(f"sensed_{kind}", "what a sensor measures")
    places, rates = zip(*(_seen(kernel, side, space, moving) for side in "ab"[:ends]), strict=True)
    gap = kernel.let("gap", places[-1] - (places[0] if ends == 2 else sp.zeros(d, 1)), POINT)
    if directed:
        n = kernel.take("along", d)
        kernel.let("sensed", n.T * gap, "own: nᵀ (r_b − r_a)")
    else:
        length = kernel.let("sensed", sp.Matrix([sp.sqrt((gap.T * gap)[0] + SLIGHT)]), LINE)
        n = gap / length[0]
    if moving:
        rate = rates[-1] - (rates[0] if ends == 2 else sp.zeros(d, 1))
        kernel.let("sensedd", n.T * rate, RATE)
    return kernel.build("sensed", *(["sensedd"] if moving else []))


def _seen(
    kernel: KernelBuilder, side: str, space: Space, moving: bool
) -> tuple[sp.Matrix, sp.Matrix]:
    """A point's place and, if it is asked for, its velocity, in inertial axes."""
    d = space.dimension
    A, x, r = kernel.take(f"A{side}", d, d), kernel.take(f"x{side}", d), kernel.take(f"r{side}", d)
    if not moving:
        return x + A * r, sp.zeros(d, 1)
    v, w = kernel.take(f"v{side}", d), kernel.take(f"w{side}", space.spins)
    return x + A * r, A * (v + space.turn(w, r))


@cache
def pull(label: str, law: sp.Expr) -> Kernel:
    """The tension of a line."""
    kernel = KernelBuilder(f"pull_{label}", "tension of a force between two points")
    take_symbols(kernel, sp.Matrix([law]))
    kernel.let("pull", sp.Matrix([law]), PULL)
    return kernel.build("pull")


@cache
def pushed(dimension: int, second: bool) -> Kernel:
    """The wrench of a tension at the first or the second point, on the link there."""
    d, space = dimension, Space(dimension)
    kernel = KernelBuilder(f"push_{'b' if second else 'a'}", "wrench of a force between points")
    A, r = kernel.take("A", d, d), kernel.take("r", d)
    n, T = kernel.take("dir", d), kernel.take("pull")[0]
    force = kernel.let("force", A.T * n * (-T if second else T), PUSH)
    kernel.let("W", sp.Matrix.vstack(force, space.tilde(r) * force), PUSH)
    return kernel.build("W")


@cache
def flow(label: str, medium: tuple[sp.Expr, ...]) -> Kernel:
    """The velocity of a medium, in inertial axes."""
    kernel = KernelBuilder(f"flow_{label}", "velocity of a medium")
    take_symbols(kernel, sp.Matrix(medium))
    kernel.let("flow", sp.Matrix(medium), "the medium's velocity", says="v_medium = v(t)")
    return kernel.build("flow")


@cache
def drag(dimension: int, flowing: bool, quadratic: bool) -> Kernel:
    """The wrench of a medium on a point of a link."""
    d, space = dimension, Space(dimension)
    says = f"{'_flowing' if flowing else ''}{'_quadratic' if quadratic else ''}"
    kernel = KernelBuilder(f"drag{says}", "drag of a medium")
    r, v = kernel.take("r", d), kernel.take("v", d)
    relative = v + space.turn(kernel.take("w", space.spins), r)
    if flowing:
        relative -= kernel.take("A", d, d).T * kernel.take("flow", d)
    relative = kernel.let("vr", relative, POINT)
    factor = kernel.take("c1")[0]
    if quadratic:
        speed = sp.sqrt((relative.T * relative)[0] + SLIGHT)
        factor += kernel.take("c2")[0] * speed
    force = kernel.let("force", -relative * factor, DRAG)
    kernel.let("W", sp.Matrix.vstack(force, space.tilde(r) * force), DRAG)
    return kernel.build("W")


@cache
def stored(label: str, law: sp.Expr, first: bool) -> Kernel:
    """The energy that a force stores, added to that of those before it, unless it is the first."""
    kernel = KernelBuilder(f"held_{label}{'_first' if first else ''}", "energy stored by a force")
    take_symbols(kernel, sp.Matrix([law]))
    before = sp.Integer(0) if first else kernel.take("Vbefore")[0]
    kernel.let("Vf", sp.Matrix([before + law]), "E = T + V")
    return kernel.build("Vf")
