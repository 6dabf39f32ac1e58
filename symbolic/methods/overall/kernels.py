"""The kernels of the overall transfer equation's elements, in the inertial frame.

An end's state is z = [a; m; q; s; 1] with a = (r̈, Ω̇). An element maps the states of its inputs
to that of its output: linearly what depends on an unknown (one column each), and with its
constants the column of the 1. With λ = (−q, m) a body's balance, seen from its first input, is

    λ_O = X⁻ᵀ (λ_I1 + Σ X_kᵀ λ_Ik + M a_I1 + M_η η̈ + p),   a_O = X a_I1 + Y η̈ + γ,

and of a rigid body there is no η. M stands for the mass, `h` = m r_IC and `JI`, p for `fq`, `fm`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial

import sympy as sp

from ...language.program import Kernel, KernelBuilder, Policy
from ...language.words import counted
from ...mechanics import beams
from ...mechanics.space import POINT, Space
from ...tree.beam_kernels import DATA

BODY = "deduction paper (13), (19), (20): U of a body"
BEAM = "deduction paper: extended state of a beam, its balance seen from the first input"
HINGE = "own: U of a hinge, with its open accelerations in s"
PLACE = "deduction paper (16), (17): geometry of the body"
State = tuple[sp.Matrix, sp.Matrix, sp.Matrix]


@cache
def body(dimension: int, inputs: int, forced: bool, absolute: bool, pushes: int) -> Kernel:
    """A rigid body's constants at its place; all places are from its first input.

    `pushes` are the wrenches of loads on it, at the link's origin `rL` in its own axes.
    """
    space, d = Space(dimension), dimension
    name = f"body_{inputs}" + (f"_pushed_{pushes}" if pushes else "")
    kernel = KernelBuilder(name, f"transfer matrices of a body with {counted(inputs, 'input')}")
    A = space.rotation(kernel) if absolute else kernel.take("A", d, d)
    Omega = space.spin(kernel, A)
    W = space.centripetal(kernel, Omega)
    mass, gravity = kernel.take("m")[0], kernel.take("g", d)
    output = kernel.let("rIO", A * kernel.take("rO", d), PLACE, says="r_IO = A r_O")
    centre = kernel.let("rIC", A * kernel.take("rC", d), PLACE, says="r_IC = A r_C")
    kernel.let("h", mass * centre, BODY, says="h = m r_IC")
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
    says = "J_I = A J_C Aᵀ + m (r_ICᵀ r_IC 1 − r_IC r_ICᵀ)"
    J = kernel.let("JI", moved, BODY, symmetric=d == 3, says=says)
    kernel.let("gO", W * output, POINT, says="g_O = ~Ω ~Ω r_IO")
    gyroscopic = space.tilde(Omega) * (J * Omega) if d == 3 else sp.zeros(1, 1)
    moment = gyroscopic - couple - space.tilde(centre) * force
    origin = kernel.let("rIL", A * kernel.take("rL", d), PLACE) if pushes else output
    for k in range(1, pushes + 1):
        wrench = kernel.take(f"W_{k}", space.motion)
        push = kernel.let(f"P_{k}", A * wrench[:d, :], "force of a load")
        turning = wrench[d:, :] if d == 2 else A * wrench[d:, :]
        force, moment = force + push, moment - turning - space.tilde(origin) * push
    kernel.let("fq", force - mass * W * centre, BODY, says="f_q = m g + f − m ~Ω ~Ω r_IC")
    says = f"f_m = {'~Ω J_I Ω ' * (d == 3)}− M − ~r_IC (m g + f)"
    kernel.let("fm", moment, BODY, says=says)
    outputs = ["rIO", "h", "JI", "gO", "fq", "fm"]
    for k in range(2, inputs + 1):
        arm = kernel.let(f"rK{k}", A * kernel.take(f"r_I{k}", d), PLACE)
        kernel.let(f"gK{k}", W * arm, POINT)
        outputs += [f"rK{k}", f"gK{k}"]
    return kernel.build(*outputs)


@cache
def beam(functions: beams.Functions, inputs: int, forced: bool, pushed: bool) -> Kernel:
    """A beam's constants as a rigid body's, and Y at all ends, M_η, M_ηη, p_η besides.

    The balance of the floating frame is seen from the section at the first input. `pushed`: a
    wrench `W` acts on the section at the output, in its axes `AO`.
    """
    modes, space = functions.modes, Space(2)
    name = f"beam_{functions.label}_{inputs}{'_pushed' * pushed}"
    kernel = KernelBuilder(name, "transfer matrices of a beam")
    eta, rates = beams.coordinates(modes)
    for symbol in (*eta, *rates, *DATA):
        kernel.take(symbol.name)
    of = beams.stated(functions, partial(kernel.let, source=BEAM))
    A = kernel.take("A", 2, 2)
    M = kernel.let("M", of.M, BEAM, symmetric=True)
    p = of.p - M[:, :2] * (A.T * kernel.take("g", 2))
    if forced:
        load = kernel.take("f", 3)
        J, _ = beams.section(functions, sp.Rational(1, 2))
        p -= J.T * sp.Matrix.vstack(A.T * load[:2, :], load[2:, :])
        p -= sp.Matrix([0, 0, 0, *(kernel.take(f"tau_{j}")[0] for j in range(1, modes + 1))])
    ends = {k: "O" if k == "O" else f"I{k}" for k in (*range(1, inputs + 1), "O")}
    sections = {k: _section(kernel, functions, end) for k, end in ends.items()}
    if pushed:
        W = kernel.take("W", 3)
        push = A.T * kernel.take("AO", 2, 2) * W[:2, :]
        p -= sections["O"][0].T * kernel.let("push", push.col_join(W[2:, :]), BEAM)
    # From the acceleration of the section at the first input to that of the frame: ν = T ν_I1 + c.
    J, bias = sections[1]
    back = space.shift(-_arm(J))
    frame = back.row_join(-back * J[:, 3:])
    T = kernel.let("T", frame.col_join(sp.eye(3 + modes)[3:, :]), BEAM)
    c = kernel.let("cF", sp.Matrix.vstack(-back * bias, sp.zeros(modes, 1)), BEAM)
    MT = kernel.let("MT", M * T, BEAM, says="M T")
    Mi = kernel.let("MI", T.T * MT, BEAM, symmetric=True, says="M_I = Tᵀ M T")
    pi = kernel.let("pI", T.T * (p + M * c), BEAM, says="p_I = Tᵀ (p + M c)")
    turn = sp.diag(A, 1)
    kernel.let("h", A * _arm(Mi), BEAM)
    kernel.let("JI", Mi[2:3, 2:3], BEAM)
    kernel.let("fq", -A * pi[:2, :], BEAM)
    kernel.let("fm", pi[2:3, :], BEAM)
    kernel.let(f"Me{modes}", turn * Mi[:3, 3:], BEAM)
    kernel.let(f"Mee{modes}", Mi[3:, 3:], BEAM, symmetric=True)
    kernel.let(f"pe{modes}", pi[3:, :], BEAM)
    outputs = ["h", "JI", "fq", "fm", f"Me{modes}", f"Mee{modes}", f"pe{modes}"]
    for k in list(ends)[1:]:
        J, bias = sections[k]
        own = kernel.let(f"JT_{k}", J * T, BEAM, says=f"J_{k} T")
        names = ("rIO", "gO") if k == "O" else (f"rK{k}", f"gK{k}")
        kernel.let(names[0], A * _arm(own), BEAM)
        kernel.let(names[1], A * (J * c + bias)[:2, :], BEAM)
        kernel.let(f"Y{k}_{modes}", turn * own[:, 3:], BEAM)
        outputs += [*names, f"Y{k}_{modes}"]
    return kernel.build(*outputs)


def _section(kernel: KernelBuilder, functions: beams.Functions, end: str) -> tuple[sp.Matrix, ...]:
    """J and g of the section at an end, in the floating frame's axes."""
    names = beams.named(functions)
    symbols = dict.fromkeys(x for matrix in names for x in matrix if x.is_Symbol)
    taken = {name: kernel.take(f"{name}_{end}")[0] for name in symbols}
    here = beams.Shapes(*(matrix.xreplace(taken) for matrix in names))
    J, bias = beams.section_at(here, kernel.take(f"at_{end}")[0])
    return kernel.let(f"J_{end}", J, BEAM), kernel.let(f"g_{end}", bias, BEAM)


def _arm(J: sp.Matrix) -> sp.Matrix:
    """r of a matrix whose upper left is X(r), or m r of one where it is a body's M."""
    return sp.Matrix([J[1, 2], -J[0, 2]])


@cache
def hinge(dimension: int, columns: int, apart: bool, forward: bool, turned: bool = False) -> Kernel:
    """A hinge's H and bias γ, of its output relative to its input: the speeds' sign is kept.

    The relative motion is that of a point with axes `A` (`turned`: `A K`) against one on `Ap`;
    `forward`: it is the output's. `apart`: the two may lie apart, by d from input to output.
    """
    space, d = Space(dimension), dimension
    way = "_forward" if forward else "_backward"
    name = f"hinge_{columns}{way}{'_apart' if apart else ''}{'_turned' if turned else ''}"
    kernel = KernelBuilder(name, f"transfer matrix of a hinge of {counted(columns, 'freedom')}")
    A, Ap = kernel.take("A", d, d), kernel.take("Ap", d, d)
    if turned:
        A = kernel.let("N", A * kernel.take("K", d, d), HINGE)
    wp = kernel.take("wp", space.spins)
    vr, wr = kernel.take("vr", d), kernel.take("wr", space.spins)
    br, bw = kernel.take("br", d), kernel.take("bw", space.spins)
    spin = wp if d == 2 else kernel.let("Omegap", Ap * wp, "Ω = A ω")
    lin = A * br + 2 * space.turn(spin, kernel.let("v", A * vr, "relative velocity"))
    ang = bw if d == 2 else A * bw + space.tilde(spin) * kernel.let("w", A * wr, "relative spin")
    sign, back, outputs = (1 if forward else -1), sp.eye(space.motion), ["gs"]
    if apart:
        arm = kernel.let("arm", Ap * (kernel.take("r", d) - kernel.take("rk", d)), "d")
        lin += space.centripetal(kernel, spin) * arm
        back = back if forward else space.shift(-arm)
        kernel.let("dh", sign * arm, HINGE)
        outputs.append("dh")
    says = f"γ = (A b_r + 2 ~Ω A v_r{' + ~Ω ~Ω d' * apart}, A b_ω + ~Ω A ω_r)"
    bias = kernel.let("gam", sp.Matrix.vstack(lin, ang), HINGE, says=says)
    side = "X(−d) " if apart and not forward else ""
    side = f"{'' if forward else '−'}{side}"
    kernel.let("gs", sign * back * bias, HINGE, says=f"γ_s = {side}γ")
    if columns:
        H = kernel.take(f"H{columns}", space.motion, columns)
        turn = sp.diag(A, 1) if d == 2 else sp.diag(A, A)
        inertial = kernel.let(
            "Hi", turn * H, HINGE, says="diag(A, A) H" if d == 3 else "diag(A, 1) H"
        )
        kernel.let(f"Hs{columns}", sign * back * inertial, HINGE, says=f"H_s = {side}diag(A, ·) H")
        outputs.append(f"Hs{columns}")
    return kernel.build(*outputs)


@cache
def thrust(dimension: int) -> Kernel:
    """The wrench on a body of the given forces in a hinge that holds nothing: Hᵀ W = τ."""
    n = Space(dimension).motion
    kernel = KernelBuilder("thrust", "given forces on a free body")
    tau = kernel.numbers("tau", n)
    H = kernel.take(f"H{n}", n, n)
    W = kernel.solve("Wt", H.T, tau, HINGE, Policy.LU, says="Hᵀ W = τ")
    kernel.let("W", W, HINGE)
    return kernel.build("W")


class _Carried:
    """States on their way through an element, inside a kernel."""

    def __init__(self, kernel: KernelBuilder, dimension: int) -> None:
        self.kernel, self.space, self.d = kernel, Space(dimension), dimension

    def state(self, at: str) -> State:
        """Take a state; one at a further input brings no acceleration."""
        n, spins, take = self.space.motion, self.space.spins, self.kernel.take
        a = take(f"a{at}", n) if at == "_I1" else sp.zeros(n, 1)
        return a, take(f"m{at}", spins), take(f"q{at}", self.d)

    def rates(self, count: int) -> sp.Matrix:
        """Take an element's own accelerations."""
        return sp.Matrix([self.kernel.take(f"u_{j}")[0] for j in range(1, count + 1)])

    def moved(self, entries: Iterable[int]) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """a, m and q of a body's output but for its constants; m without what q_O does about I1."""
        space, d, kernel = self.space, self.d, self.kernel
        a = sp.zeros(space.motion, 1)
        m, q = sp.zeros(space.spins, 1), sp.zeros(d, 1)
        for k in entries:
            at, moment, force = self.state(f"_I{k}")
            m, q = m + moment, q + force
            if k > 1:
                m -= space.tilde(kernel.take(f"rK{k}", d)) * force
                continue
            mass, h = kernel.take("mass")[0], kernel.take("h", d)
            J = kernel.take("JI", space.spins, space.spins, symmetric=d == 3)
            lin, ang = at[:d, :], at[d:, :]
            arm = kernel.take("rIO", d)
            a = sp.Matrix.vstack(lin + space.turn(ang, arm), ang)
            q -= mass * lin + space.turn(ang, h)
            m += space.tilde(h) * lin + J * ang
        return a, m, q

    def output(self, a: sp.Matrix, m: sp.Matrix, q: sp.Matrix, says: Sequence[str]) -> Kernel:
        for name, value, equation in zip(("ao", "mo", "qo"), (a, m, q), says, strict=True):
            self.kernel.let(name, value, BODY, says=equation)
        return self.kernel.build("ao", "mo", "qo")


@cache
def through(
    dimension: int, entries: tuple[int, ...], modes: int = 0, constants: bool = False
) -> Kernel:
    """What is behind a body or beam of a column that arrives at some of its inputs.

    With `constants` of its state, and with that of a beam's own accelerations.
    """
    label, inputs = "_".join(map(str, entries)), len(entries)
    if constants:
        title = f"state behind a body with {counted(inputs, 'input')}"
        kernel = KernelBuilder(f"body_state_{inputs}_{modes}", title)
    else:
        title = f"columns through a body's inputs {label.replace('_', ', ')}"
        kernel = KernelBuilder(f"through_{label}", title)
    of, d = _Carried(kernel, dimension), dimension
    a, m, q = of.moved(entries)
    if constants:
        a += sp.Matrix.vstack(kernel.take("gO", d), sp.zeros(of.space.spins, 1))
        q, m = q + kernel.take("fq", d), m + kernel.take("fm", of.space.spins)
    if constants and modes:
        rate = of.rates(modes)
        a += kernel.take(f"YO_{modes}", of.space.motion, modes) * rate
        inertia = kernel.let("bent", kernel.take(f"Me{modes}", 3, modes) * rate, BEAM)
        q, m = q - inertia[:d, :], m + inertia[d:, :]
    arm = kernel.known["rIO"].symbols() if 1 in entries else kernel.take("rIO", d)
    first, bends = 1 in entries, bool(constants and modes)
    motion = ["X a_I1"] * first + ["g_O"] * constants + ["Y_O η̈"] * bends
    force = " − m r̈_I1 − ~Ω̇_I1 h" * first + " + f_q" * constants + " − M_r η̈" * bends
    moment = " + ~h r̈_I1 + J_I Ω̇_I1" * first + " + f_m" * constants + " + M_ω η̈" * bends
    moment += " − Σ ~r_k q_Ik" * any(k > 1 for k in entries)
    q = kernel.let("qO", q, BODY, says=f"q_O = Σ q_Ik{force}")
    says = f"a_O = {' + '.join(motion) or '0'}", f"m_O = Σ m_Ik{moment} + ~r_IO q_O", "q_O = q_O"
    return of.output(a, m + of.space.tilde(arm) * q, q, says)


@cache
def across(dimension: int, apart: bool, freedom: int = 0, constants: bool = False) -> Kernel:
    """What is behind a hinge, whose two points lie `apart` or not, of a column that arrives.

    With `constants` of the state, its bias and its own accelerations included.
    """
    name, title = "across", "columns through a hinge"
    if constants:
        name, title = f"hinge_state_{freedom}{'_apart' if apart else ''}", "state behind a hinge"
    kernel = KernelBuilder(name, title)
    of, n = _Carried(kernel, dimension), Space(dimension).motion
    a, m, q = of.state("_I1")
    if apart:
        arm = kernel.take("dh", dimension)
        a, m = of.space.shift(arm) * a, m + of.space.tilde(arm) * q
    if constants:
        a += kernel.take("gs", n)
    if constants and freedom:
        a += kernel.take(f"Hs{freedom}", n, freedom) * of.rates(freedom)
    known = (" + γ_s" + " + H_s u̇" * bool(freedom)) * constants
    motion, moment = ("X(d) a_I", "m_I + ~d q_I") if apart else ("a_I", "m_I")
    return of.output(a, m, q, (f"a_O = {motion}{known}", f"m_O = {moment}", "q_O = q_I"))
