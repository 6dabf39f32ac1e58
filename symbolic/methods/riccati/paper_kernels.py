"""The kernels of the paper's form: body, hinge, multi-input system, in the paper's letters."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder, Policy
from ...language.words import counted
from ...mechanics.space import POINT, Space
from ...mechanics.vectors import Layout, load_reversal
from . import recursion as riccati
from .recursion import Coefficients, Split, free_tip, pinned_tip

ABBREVIATIONS = "Riccati paper (5)"
STEP = "Riccati paper (24), (29), (30)"
COMPLETED = "m = 0 at the hinge: Riccati paper (24), (29), (30), completed"
BACKWARD = "Riccati paper (33)"
REVERSED = "U⁻¹ = Σ U_rev Σ: Riccati paper, step (B2)"
JOINED = "what several inputs transmit, at the first one: Riccati paper (7), (14)"
ASSEMBLED = "Riccati paper (59) from (7), (11), (15), with m = 0 at the first input too"


class BodyKernel:
    """A body inside a kernel: takes its data, states (5), and gives (4).

    `linked`: orientation and spin are those of a link in joint coordinates, and `pushes` wrenches
    act at its origin, which is the output end.
    """

    def __init__(
        self,
        kernel: KernelBuilder,
        dimension: int,
        forced: bool,
        linked: bool = False,
        pushes: int = 0,
    ) -> None:
        self.kernel = kernel
        self.space = space = Space(dimension)
        d = dimension
        if linked:
            self.rotation = kernel.take("A", d, d)
            spin = kernel.take("w", space.spins)
            if d == 3:
                spin = kernel.let("Omega", self.rotation * spin, "Riccati paper (5): Ω = A ω")
        else:
            self.rotation = space.rotation(kernel)
            spin = space.spin(kernel, self.rotation)
        self.W = W = space.centripetal(kernel, spin)
        mass = kernel.take("m")[0]
        gravity = kernel.take("g", d)
        r_IC = kernel.let("rIC", self.rotation * kernel.take("rICb", d), ABBREVIATIONS)
        r_IO = kernel.let("rIO", self.rotation * kernel.take("rIOb", d), ABBREVIATIONS)
        force, couple = mass * gravity, sp.zeros(space.spins, 1)
        if forced:
            load = kernel.take("f", space.motion)
            force += load[:d, :]
            couple += load[d:, :]
        if forced and not linked:
            motor = kernel.take("tau", space.spins)
            couple += motor if d == 2 else self.rotation * motor
        for k in range(1, pushes + 1):
            push = kernel.take(f"W_{k}", space.motion)
            pull, moment = self.rotation * push[:d, :], push[d:, :]
            force += pull
            couple += moment if d == 2 else self.rotation * moment
            couple -= space.tilde(r_IC - r_IO) * pull
        f_C = kernel.let("fC", force, ABBREVIATIONS)
        if d == 2:
            E8, gyroscopic = kernel.take("J"), sp.zeros(1, 1)
        else:
            own = kernel.take("Jb", 3, 3, symmetric=True)
            turned = kernel.let("AJ", self.rotation * own, ABBREVIATIONS)
            E8 = kernel.let("E8", turned * self.rotation.T, ABBREVIATIONS, symmetric=True)
            gyroscopic = space.tilde(spin) * kernel.let("JO", E8 * spin, ABBREVIATIONS)
        E1 = self.lever(r_IO)
        E2 = kernel.let("E2", W * r_IO, ABBREVIATIONS, says="E2 = ~Ω ~Ω r_IO")
        E3 = -mass * sp.eye(d)
        E4 = kernel.let("E4", -mass * self.lever(r_IC), ABBREVIATIONS)
        E5 = kernel.let("E5", f_C - mass * W * r_IC, ABBREVIATIONS)
        self.E6 = E6 = space.tilde(r_IO)
        E7 = mass * space.tilde(r_IC)
        E9 = kernel.let("E9", gyroscopic - couple - space.tilde(r_IC) * f_C, ABBREVIATIONS)
        u31 = kernel.let("u31", E6 * E3 + E7, "Riccati paper (4)", says="u31 = E6 E3 + E7")
        u32 = kernel.let("u32", E6 * E4 + E8, "Riccati paper (4)", says="u32 = E6 E4 + E8")
        u35 = kernel.let("u35", E6 * E5 + E9, "Riccati paper (4)", says="u35 = E6 E5 + E9")
        n = space.spins
        one, unit = sp.eye(d), sp.eye(n)
        none = sp.zeros
        self.U = sp.Matrix(
            sp.BlockMatrix(
                [
                    [one, E1, none(d, n), none(d, d), E2],
                    [none(n, d), unit, none(n, n), none(n, d), none(n, 1)],
                    [u31, u32, unit, E6, u35],
                    [E3, E4, none(d, n), one, E5],
                    [none(1, d), none(1, n), none(1, n), none(1, d), sp.ones(1, 1)],
                ]
            ).as_explicit()
        )

    def lever(self, r: sp.Matrix) -> sp.Matrix:
        """−r̃ from Ω̇ to r̈."""
        d = self.space.dimension
        return self.space.shift(r)[:d, d:]

    def input(self, k: int) -> tuple[sp.Matrix, sp.Matrix]:
        """r_I1Ik and its centripetal acceleration E_2,Ik."""
        d = self.space.dimension
        arm = self.kernel.let(f"r_I{k}", self.rotation * self.kernel.take(f"rb_I{k}", d), POINT)
        return arm, self.kernel.let(f"E2_I{k}", self.W * arm, "Riccati paper (17)")

    def load_shift(self, r: sp.Matrix) -> sp.Matrix:
        """(m, q) at a point to those at I₁: [I E_Ik; 0 I]."""
        n, d = self.space.spins, self.space.dimension
        blocks = [[sp.eye(n), -self.space.tilde(r)], [sp.zeros(d, n), sp.eye(d)]]
        return sp.Matrix(sp.BlockMatrix(blocks).as_explicit())


def _coefficients(kernel: KernelBuilder, size: int, suffix: str = "") -> Coefficients:
    return Coefficients(kernel.take(f"S{suffix}", size, size), kernel.take(f"e{suffix}", size))


@cache
def body(dimension: int, inputs: int, forced: bool) -> Kernel:
    """A body by (24), (29), (30), free-tip split; several inputs are joined first."""
    kernel = KernelBuilder(
        f"paper_body_{inputs}", f"rigid body, {counted(inputs, 'input')}, paper form"
    )
    data = BodyKernel(kernel, dimension, forced)
    k = data.space.motion
    at = _coefficients(kernel, k, "_I1") if inputs else Coefficients(sp.zeros(k), sp.zeros(k, 1))
    for number in range(2, inputs + 1):
        arm, bias = data.input(number)
        motion = data.space.shift(arm)
        centripetal = sp.Matrix.vstack(bias, sp.zeros(data.space.spins, 1))
        more = _coefficients(kernel, k, f"_I{number}")
        moved = riccati.transmitted(more, motion, data.load_shift(arm), centripetal)
        at = Coefficients(
            kernel.let(f"SJ{number}", at.S + moved.S, JOINED),
            kernel.let(f"eJ{number}", at.e + moved.e, JOINED),
        )
    T = riccati.rearrange(data.U, free_tip(Layout(dimension)))
    # T21 = 0 and T22 = [I E1; 0 I], whose inverse is known.
    P = kernel.let("P", 2 * sp.eye(k) - T.T22, "Riccati paper (24)")
    after, backward = riccati.advance(T, at, P)
    S = kernel.let("S", after.S, STEP)
    kernel.let("e", T.T11 * at.e + T.fa - S * T.fb, STEP, says="e = T11 e + f_a − S f_b")
    kernel.let("Pq", backward.p, STEP)
    return kernel.build("S", "e", "P", "Pq")


@cache
def reversed_body(dimension: int, forced: bool) -> Kernel:
    """A body of the root chain, from its output to its input, pinned split."""
    kernel = KernelBuilder("paper_reversed", "rigid body of the root chain, swept in reverse")
    data = BodyKernel(kernel, dimension, forced)
    k = data.space.motion
    sigma = load_reversal(dimension)
    at = _coefficients(kernel, k, "_O")
    T = riccati.rearrange(sigma * data.U * sigma, pinned_tip(Layout(dimension)))
    P = kernel.solve("P", riccati.pivot(T, at), sp.eye(k), REVERSED, Policy.LU)
    q = kernel.let("qR", -(T.T21 * at.e + T.fb), STEP, says="q = −(T21 e + f_b)")
    S = kernel.let("S", (T.T11 * at.S + T.T12) * P, STEP, says="S = (T11 S + T12) P")
    kernel.let("e", T.T11 * at.e + T.fa + S * q, STEP, says="e = T11 e + f_a + S q")
    kernel.let("Pq", P * q, STEP)
    return kernel.build("S", "e", "P", "Pq")


@cache
def hinge(dimension: int, pinned: bool) -> Kernel:
    """The completed hinge: m = 0 there eliminates the inboard Ω̇."""
    layout = Layout(dimension)
    split: Split = pinned_tip(layout) if pinned else free_tip(layout)
    name = "paper_hinge_reversed" if pinned else "paper_hinge"
    kernel = KernelBuilder(name, "smooth hinge, paper form, completed")
    k = layout.motions
    at = _coefficients(kernel, k)
    rows, spins, rest = list(range(split.moments)), list(split.spins), list(split.rest)
    right = -at.S.extract(rows, rest).row_join(at.e.extract(rows, [0]))
    K = kernel.solve("K", at.S.extract(rows, spins), right, COMPLETED, Policy.LU)
    P, p = sp.zeros(k), sp.zeros(k, 1)
    for j in rest:
        P[j, j] = 1
    for i, spin in enumerate(spins):
        for column, j in enumerate(rest):
            P[spin, j] = K[i, column]
        p[spin] = K[i, K.cols - 1]
    P, p = kernel.let("P", P, COMPLETED), kernel.let("Pq", p, COMPLETED)
    keep = sp.diag(*([0] * split.moments), *([1] * (k - split.moments)))
    drop = sp.zeros(k)
    for j in rest:
        drop[j, j] = 1
    kernel.let("Sh", keep * at.S * P * drop, COMPLETED)
    kernel.let("eh", keep * (at.S * p + at.e), COMPLETED)
    return kernel.build("P", "Pq", "Sh", "eh")


@cache
def overall(dimension: int, inputs: int, chained: bool, forced: bool) -> Kernel:
    """The (3 + 3L)² or (6 + 6L)² system of the body with L inputs nearest to the root.

    Unknowns: Ω̇ and q of the output, then r̈, Ω̇ of every chain's end. The angular row of the
    multi-hinge (11) is used multiplied by u₃,₂, so that no inverse of it is needed. `chained`:
    the root chain's relation r̈ = S_rq q + e_r stands for the pinned root's r̈ = 0.
    """
    kernel = KernelBuilder(
        f"paper_overall_{inputs}", f"system of a body with {counted(inputs, 'input')}"
    )
    data = BodyKernel(kernel, dimension, forced)
    d, n, k = dimension, data.space.spins, data.space.motion
    size = k * (inputs + 1)
    unit = sp.eye(size)
    dOmega, q_O = unit[:n, :], unit[n:k, :]
    zero_row = sp.zeros

    def affine(matrix: sp.Matrix, constant: sp.Matrix) -> sp.Matrix:
        """A quantity as coefficients of the unknowns, then its constant."""
        return matrix.row_join(constant)

    ends = []
    for number in range(1, inputs + 1):
        at = _coefficients(kernel, k, f"_I{number}")
        z_b = unit[k * number : k * (number + 1), :]
        ends.append((affine(z_b, zero_row(k, 1)), affine(at.S * z_b, at.e)))
    r_dd_O = affine(zero_row(d, size), zero_row(d, 1))
    if chained:
        root = _coefficients(kernel, k, "_O")
        r_dd_O = affine(root.S[n:, n:] * q_O, root.e[n:, :])

    layout = Layout(dimension)
    first_b, first_a = ends[0]
    ones = affine(zero_row(1, size), sp.ones(1, 1))
    state = sp.Matrix.vstack(first_b[:d, :], affine(dOmega, zero_row(n, 1)), first_a, ones)
    z_O = data.U * state
    r_O, m_O, q_of_O = (
        z_O.extract(list(entries), list(range(size + 1)))
        for entries in (layout.acceleration, layout.moment(), layout.force())
    )
    rows = [first_a[:n, :]]
    for number, (z_b, z_a) in enumerate(ends[1:], start=2):
        arm, bias = data.input(number)
        moved = data.load_shift(arm) * z_a
        m_O += moved[:n, :] + data.E6 * moved[n:, :]
        q_of_O += moved[n:, :]
        lever = affine(data.lever(arm) * dOmega, bias)
        rows += [z_b[:d, :] - first_b[:d, :] - lever, z_a[:n, :]]
    rows += [r_O - r_dd_O, m_O, q_of_O - affine(q_O, zero_row(d, 1))]
    system = sp.Matrix.vstack(*rows)
    matrix, right = system[:, :size], -system[:, size]
    x = kernel.solve("zbar", matrix, right, ASSEMBLED, Policy.LU)
    names = ["zbO"]
    kernel.let("zbO", x[:k, :], "Riccati paper (60)")
    for number in range(1, inputs + 1):
        kernel.let(f"zb_I{number}", x[k * number : k * (number + 1), :], "Riccati paper (60)")
        names.append(f"zb_I{number}")
    return kernel.build(*names)


@cache
def chain_root(dimension: int) -> Kernel:
    """(A4): the pinned root of a chain, r̈ = 0 and m = 0 in (32)."""
    kernel = KernelBuilder("paper_root", "pinned root of a chain")
    layout = Layout(dimension)
    at = _coefficients(kernel, layout.motions)
    rows = list(range(layout.rotations))
    left, right = at.S.extract(rows, list(layout.angular)), -at.e.extract(rows, [0])
    source = "Riccati paper (32), step (A4)"
    dOmega = kernel.solve("dOmega", left, right, source, Policy.LU, says="S_mΩ Ω̇ = −e_m")
    whole = sp.Matrix.vstack(sp.zeros(dimension, 1), dOmega)
    kernel.let("zb", whole, source, says="z_b = (r̈, Ω̇), r̈ = 0")
    return kernel.build("zb")


@cache
def back(dimension: int, name: str) -> Kernel:
    """(33): z_b at an element's input from z_b at its output."""
    kernel = KernelBuilder(f"paper_back_{name}", f"back-substitution through a {name}")
    k = Layout(dimension).motions
    P, p, zb = kernel.take("P", k, k), kernel.take("Pq", k), kernel.take("zb", k)
    kernel.let("zbI", P * zb + p, BACKWARD, says="z_bI = P z_b + p")
    return kernel.build("zbI")


@cache
def point(dimension: int) -> Kernel:
    """z_b at a further input from that at I₁ (14)."""
    kernel = KernelBuilder("paper_point", "acceleration of a further input")
    space = Space(dimension)
    rotation = space.rotation(kernel)
    W = space.centripetal(kernel, space.spin(kernel, rotation))
    arm = kernel.let("r", rotation * kernel.take("rb", dimension), POINT)
    zb = kernel.take("zb", space.motion)
    bias = sp.Matrix.vstack(W * arm, sp.zeros(space.spins, 1))
    kernel.let("zbI", space.shift(arm) * zb + bias, POINT)
    return kernel.build("zbI")


@cache
def spin(dimension: int, pinned: bool) -> Kernel:
    """A body's own acceleration coordinate from z_b: ω̇ = Aᵀ Ω̇."""
    layout = Layout(dimension)
    kernel = KernelBuilder("paper_spin_root" if pinned else "paper_spin", "angular acceleration")
    split = pinned_tip(layout) if pinned else free_tip(layout)
    zb = kernel.take("zb", layout.motions)
    dOmega = zb.extract(list(split.spins), [0])
    if dimension == 3:
        dOmega = kernel.take("A", 3, 3).T * dOmega
    kernel.let("a", dOmega, "ω̇ = Aᵀ Ω̇")
    return kernel.build("a")


@cache
def load(dimension: int, pinned: bool) -> Kernel:
    """Moment and force at an output end: z_a = S z_b + e (31)."""
    layout = Layout(dimension)
    kernel = KernelBuilder("paper_load_root" if pinned else "paper_load", "loads at a hinge")
    at = _coefficients(kernel, layout.motions)
    zb = kernel.take("zb", layout.motions)
    n = layout.rotations
    za = kernel.let("za", at.S * zb + at.e, "Riccati paper (31): z_a = S z_b + e")
    m, q = za[:n, :], zb[n:, :] if pinned else za[n:, :]
    zero = sp.Integer(0)
    spatial = sp.Matrix([0, 0, m[0], q[0], q[1], zero]) if dimension == 2 else m.col_join(q)
    kernel.let("load", spatial, "Riccati paper (2)")
    return kernel.build("load")
