"""The kernels of the overall transfer equation, in the inertial frame.

An end's state is z = [a; m; q; 1] with a = (r̈, Ω̇). A body or hinge maps the states of its
inputs to that of its output: linearly what depends on an unknown (one column each), and with
its constants the column of the 1. A hinge's own relative accelerations are unknowns too.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from .program import Kernel, KernelBuilder
from .space import POINT, Space

BODY = "deduction paper (13), (19): U of a rigid body"
HINGE = "deduction paper (5), completed by the hinge's own acceleration"
OWN_ROW = "own: Hᵀ λ = −τ at the hinge, an auxiliary row"
PAIR = "deduction paper (34), (35): both ends of a cut"
CONDITION = "own: conditions of a cut hinge"
TIP = "deduction paper: boundary conditions, an unknown each"


@cache
def element(dimension: int, inputs: int, forced: bool, absolute: bool, pushes: int = 0) -> Kernel:
    """A body's constants at its place: what stands in U and in its geometric equations.

    `pushes` are the wrenches of cut hinges on it, at its output in its own axes.
    """
    space = Space(dimension)
    d = dimension
    name = f"element_{inputs}" + (f"_pushed_{pushes}" if pushes else "")
    kernel = KernelBuilder(name, f"transfer matrices of a body, inputs: {inputs}")
    A = space.rotation(kernel) if absolute else kernel.take("A", d, d)
    Omega = space.spin(kernel, A)
    W = space.centripetal(kernel, Omega)
    mass, gravity = kernel.take("m")[0], kernel.take("g", d)
    first = kernel.take("r_I1", d)
    output = kernel.let("rIO", -A * first, "geometry of the body")
    centre = kernel.let("rIC", A * (kernel.take("rC", d) - first), "geometry of the body")
    kernel.let("h", mass * centre, BODY)
    force, couple = mass * gravity, sp.zeros(space.spins, 1)
    if forced:
        load = kernel.take("f", space.motion)
        force, couple = force + load[:d, :], load[d:, :]
        if absolute:
            own = kernel.take("tau", space.spins)
            couple = couple + (own if d == 2 else A * own)
    inertia = kernel.take("JC", space.spins, space.spins, symmetric=d == 3)
    square = (centre.T * centre)[0]
    if d == 2:
        moved = inertia + sp.Matrix([mass * square])
    else:
        turned = kernel.let("AJ", A * inertia, BODY)
        moved = turned * A.T + mass * (square * sp.eye(3) - centre * centre.T)
    J = kernel.let("JI", moved, BODY, symmetric=d == 3)
    kernel.let("gO", W * output, POINT)
    gyroscopic = space.tilde(Omega) * (J * Omega) if d == 3 else sp.zeros(1, 1)
    moment = gyroscopic - couple - space.tilde(centre) * force
    for k in range(1, pushes + 1):
        wrench = kernel.take(f"W_{k}", space.motion)
        push = kernel.let(f"P_{k}", A * wrench[:d, :], "force of a cut hinge")
        turning = wrench[d:, :] if d == 2 else A * wrench[d:, :]
        force, moment = force + push, moment - turning - space.tilde(output) * push
    kernel.let("fq", force - mass * W * centre, BODY)
    kernel.let("fm", moment, BODY)
    outputs = ["rIO", "h", "JI", "gO", "fq", "fm"]
    for k in range(2, inputs + 1):
        arm = kernel.let(f"rK{k}", A * (kernel.take(f"r_I{k}", d) - first), "geometry of the body")
        kernel.let(f"gK{k}", W * arm, POINT)
        outputs += [f"rK{k}", f"gK{k}"]
    return kernel.build(*outputs)


@cache
def hinge_element(dimension: int, freedom: int, apart: bool) -> Kernel:
    """A hinge's H and bias, of its output relative to its input: the speeds' sign is kept.

    `apart`: its two points may lie apart, d from the output's side to the input's.
    """
    space = Space(dimension)
    d, n = dimension, space.motion
    name = f"hinge_{freedom}" + ("_apart" if apart else "")
    kernel = KernelBuilder(name, f"transfer matrix of a hinge of {freedom} freedoms")
    A, Ap = kernel.take("A", d, d), kernel.take("Ap", d, d)
    wp = kernel.take("wp", space.spins)
    vr, wr = kernel.take("vr", d), kernel.take("wr", space.spins)
    br, bw = kernel.take("br", d), kernel.take("bw", space.spins)
    spin = wp if d == 2 else kernel.let("Omegap", Ap * wp, "Ω = A ω")
    lin = A * br + 2 * space.turn(spin, kernel.let("v", A * vr, "relative velocity"))
    ang = bw if d == 2 else A * bw + space.tilde(spin) * kernel.let("w", A * wr, "relative spin")
    back, outputs = sp.eye(n), ["gs"]
    if apart:
        arm = kernel.let("dh", Ap * (kernel.take("r", d) - kernel.take("rk", d)), "d")
        lin += space.centripetal(kernel, spin) * arm
        back = space.shift(-arm)
        outputs.append("dh")
    kernel.let("gs", -back * kernel.let("gam", sp.Matrix.vstack(lin, ang), HINGE), HINGE)
    if freedom:
        H = kernel.take(f"H{freedom}", n, freedom)
        turn = sp.diag(A, 1) if d == 2 else sp.diag(A, A)
        kernel.let(f"Hs{freedom}", -back * kernel.let("Hi", turn * H, HINGE), HINGE)
        outputs.append(f"Hs{freedom}")
    return kernel.build(*outputs)


class _Link:
    """A body and the hinge at its output, inside a kernel."""

    def __init__(self, kernel: KernelBuilder, dimension: int, freedom: int, apart: bool) -> None:
        self.kernel = kernel
        self.space = Space(dimension)
        self.freedom = freedom
        self.apart = apart
        self.rIO = kernel.take("rIO", dimension)

    def moved(self, a: sp.Matrix) -> sp.Matrix:
        """The body's output from its first input, without the centripetal part."""
        d = self.space.dimension
        lin = a[:d, :] + self.space.turn(a[d:, :], self.rIO)
        return sp.Matrix.vstack(lin, a[d:, :])

    def inertial(self, a: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
        """What the body's own inertia adds to q, and to m about its first input."""
        d, space, kernel = self.space.dimension, self.space, self.kernel
        mass, h = kernel.take("mass")[0], kernel.take("h", d)
        J = kernel.take("JI", space.spins, space.spins, symmetric=d == 3)
        lin, ang = a[:d, :], a[d:, :]
        return -mass * lin - space.turn(ang, h), space.tilde(h) * lin + J * ang

    def hinged(
        self, a: sp.Matrix | None, m: sp.Matrix, q: sp.Matrix
    ) -> tuple[sp.Matrix | None, sp.Matrix]:
        """Acceleration (without the hinge's own) and moment behind the hinge; q stays."""
        if not self.apart:
            return a, m
        d = self.space.dimension
        arm = self.kernel.take("dh", d)
        moment = m - self.space.tilde(arm) * q
        return (None if a is None else self.space.shift(-arm) * a), moment

    def output(self, a: sp.Matrix | None, m: sp.Matrix, q: sp.Matrix, outputs: list[str]) -> None:
        """State a column behind the hinge, and the hinge's own rows."""
        kernel = self.kernel
        a, m = self.hinged(a, m, q)
        kernel.let("ah", sp.zeros(self.space.motion, 1) if a is None else a, HINGE)
        m = kernel.let("mh", m, HINGE)
        kernel.let("qh", q, HINGE)
        outputs += ["ah", "mh", "qh"]
        for j, row in enumerate(self.rows(m, q), start=1):
            kernel.let(f"row_{j}", sp.Matrix([row]), OWN_ROW)
            outputs.append(f"row_{j}")

    def rows(self, m: sp.Matrix, q: sp.Matrix) -> list[sp.Expr]:
        """−Hᵀ λ behind the hinge."""
        if not self.freedom:
            return []
        return list(work(self.kernel, self.space, self.freedom, m, q))


def work(
    kernel: KernelBuilder, space: Space, freedom: int, m: sp.Matrix, q: sp.Matrix
) -> sp.Matrix:
    """−Hᵀ λ behind a hinge, H being its own columns."""
    H = kernel.take(f"Hs{freedom}", space.motion, freedom)
    return -H.T * sp.Matrix.vstack(-q, m)


def _label(freedom: int, apart: bool) -> str:
    return f"{freedom}" + ("_apart" if apart else "")


@cache
def first_column(dimension: int, freedom: int, apart: bool) -> Kernel:
    """A column from a body's first input to behind the hinge at its output."""
    space = Space(dimension)
    name = f"first_{_label(freedom, apart)}"
    kernel = KernelBuilder(name, "columns through a body's first input and its hinge")
    a, m, q = taken_state(kernel, space)
    link = _Link(kernel, dimension, freedom, apart)
    force, moment = link.inertial(a)
    out = kernel.let("aO", link.moved(a), BODY)
    q = kernel.let("qO", q + force, BODY)
    m = kernel.let("mO", m + space.tilde(link.rIO) * q + moment, BODY)
    outputs: list[str] = []
    link.output(out, m, q, outputs)
    return kernel.build(*outputs)


@cache
def other_column(dimension: int, freedom: int, apart: bool) -> Kernel:
    """A column from a further input, at rK from the first: it brings no acceleration."""
    space = Space(dimension)
    name = f"other_{_label(freedom, apart)}"
    kernel = KernelBuilder(name, "columns through a body's further input and its hinge")
    m, q = kernel.take("m", space.spins), kernel.take("q", dimension)
    link = _Link(kernel, dimension, freedom, apart)
    arm = kernel.let("rKO", link.rIO - kernel.take("rK", dimension), "geometry of the body")
    m = kernel.let("mO", m + space.tilde(arm) * q, BODY)
    outputs: list[str] = []
    link.output(None, m, q, outputs)
    return kernel.build(*outputs)


def taken_state(kernel: KernelBuilder, space: Space) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """Take an end's state: accelerations, moment, force."""
    a = kernel.take("a", space.motion)
    return a, kernel.take("m", space.spins), kernel.take("q", space.dimension)


@cache
def state(
    dimension: int, inputs: int, cuts: int, freedom: int, apart: bool, solved: bool
) -> Kernel:
    """The state behind a body's hinge, its constants included.

    Without `solved` all unknowns are zero: the column of the 1. `cuts` wrenches act on the
    body at its output.
    """
    space = Space(dimension)
    d = dimension
    word = "state" if solved else "constant"
    name = f"{word}_{inputs}_{cuts}_{_label(freedom, apart)}"
    kernel = KernelBuilder(name, f"{word} column through a body and its hinge, inputs: {inputs}")
    a, m, q = taken_state(kernel, space)
    link = _Link(kernel, dimension, freedom, apart)
    force, moment = link.inertial(a)
    for k in range(2, inputs + 1):
        more = kernel.take(f"q_I{k}", d)
        q, m = q + more, m + kernel.take(f"m_I{k}", space.spins)
        moment -= space.tilde(kernel.take(f"rK{k}", d)) * more
    drift = sp.Matrix.vstack(kernel.take("gO", d), sp.zeros(space.spins, 1))
    aO = kernel.let("aO", link.moved(a) + drift, BODY)
    total = kernel.let("qB", q + force + kernel.take("fq", d), BODY)
    m = m + space.tilde(link.rIO) * total + moment + kernel.take("fm", space.spins)
    for k in range(1, cuts + 1):
        total, m = total + kernel.take(f"q_C{k}", d), m + kernel.take(f"m_C{k}", space.spins)
    qO, mO = kernel.let("qO", total, BODY), kernel.let("mO", m, BODY)
    at, m = link.hinged(aO, mO, qO)
    assert at is not None
    at = at + kernel.take("gs", space.motion)
    if solved and freedom:
        H = kernel.take(f"Hs{freedom}", space.motion, freedom)
        at += H * sp.Matrix([kernel.take(f"u_{j}")[0] for j in range(1, freedom + 1)])
    kernel.let("ah", at, HINGE)
    kernel.let("mh", m, HINGE)
    kernel.let("qh", qO, HINGE)
    return kernel.build("aO", "mO", "qO", "ah", "mh", "qh")


@cache
def begin(dimension: int) -> Kernel:
    """The columns of a free tip: its accelerations are unknown, its loads zero."""
    space = Space(dimension)
    kernel = KernelBuilder("tip", "columns of a free end")
    return _begun(kernel, space, sp.eye(space.motion), TIP)


@cache
def own_columns(dimension: int, freedom: int) -> Kernel:
    """The columns of a hinge's own accelerations, behind it."""
    space = Space(dimension)
    kernel = KernelBuilder(f"own_{freedom}", "columns of a hinge's own accelerations")
    return _begun(kernel, space, kernel.take(f"Hs{freedom}", space.motion, freedom), HINGE)


def _begun(kernel: KernelBuilder, space: Space, columns: sp.Matrix, source: str) -> Kernel:
    outputs = []
    for j in range(columns.cols):
        kernel.let(f"a_{j + 1}", columns[:, j], source)
        kernel.let(f"m_{j + 1}", sp.zeros(space.spins, 1), source)
        kernel.let(f"q_{j + 1}", sp.zeros(space.dimension, 1), source)
        outputs += [f"a_{j + 1}", f"m_{j + 1}", f"q_{j + 1}"]
    return kernel.build(*outputs)


def _unloaded(kernel: KernelBuilder, dimension: int, size: int) -> tuple[sp.Matrix, sp.Matrix]:
    """A cut's wrenches on a link, one a multiplier, as m and q in the inertial frame."""
    space, d = Space(dimension), dimension
    E, A = kernel.take("E", space.motion, size), kernel.take("A", d, d)
    return (E[d:, :] if d == 2 else A * E[d:, :]), -A * E[:d, :]


@cache
def cut_columns(dimension: int, size: int) -> Kernel:
    """The columns of a cut's multipliers on a body, and its directions."""
    kernel = KernelBuilder(f"cut_{size}", "columns of a cut")
    m, q = _unloaded(kernel, dimension, size)
    kernel.let(f"Ec{size}", sp.Matrix.vstack(-q, m), CONDITION)
    outputs = [f"Ec{size}"]
    for j in range(size):
        kernel.let(f"m_{j + 1}", m[:, j], PAIR)
        kernel.let(f"q_{j + 1}", q[:, j], PAIR)
        outputs += [f"m_{j + 1}", f"q_{j + 1}"]
    return kernel.build(*outputs)


@cache
def cut_state(dimension: int, size: int) -> Kernel:
    """A cut's wrench on a body, its multipliers known."""
    d = dimension
    kernel = KernelBuilder(f"cut_state_{size}", "wrench of a cut")
    E = kernel.take(f"Ec{size}", Space(d).motion, size)
    wrench = E * sp.Matrix([kernel.take(f"x_{j}")[0] for j in range(1, size + 1)])
    kernel.let("m", wrench[d:, :], PAIR)
    kernel.let("q", -wrench[:d, :], PAIR)
    return kernel.build("m", "q")


@cache
def tip_state(dimension: int) -> Kernel:
    """A free tip's accelerations, solved for."""
    n = Space(dimension).motion
    kernel = KernelBuilder("tip_state", "accelerations of a free end")
    kernel.let("a", sp.Matrix([kernel.take(f"x_{j}")[0] for j in range(1, n + 1)]), TIP)
    return kernel.build("a")


@cache
def spin_rate(dimension: int) -> Kernel:
    """A body's angular acceleration in absolute coordinates."""
    space = Space(dimension)
    kernel = KernelBuilder("spin_rate", "angular acceleration of a body")
    ang = kernel.take("a", space.motion)[dimension:, :]
    value = ang if dimension == 2 else kernel.take("A", 3, 3).T * ang
    kernel.let("rate", value, "ω̇ = Aᵀ Ω̇")
    return kernel.build("rate")


@cache
def load(dimension: int) -> Kernel:
    """Moment and force at the output end of a body."""
    d = dimension
    kernel = KernelBuilder("load", "loads at a hinge")
    m, q = kernel.take("m", Space(d).spins), kernel.take("q", d)
    flat = sp.Matrix([0, 0, m[0], q[0], q[1], 0]) if d == 2 else sp.Matrix.vstack(m, q)
    kernel.let("load", flat, "deduction paper (1)")
    return kernel.build("load")
