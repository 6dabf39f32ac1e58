"""The kernels of the overall transfer equation's elements, in the inertial frame.

An end's state is z = [a; m; q; s; 1] with a = (r̈, Ω̇). An element maps the states of its inputs
to that of its output: linearly what depends on an unknown (one column each), and with its
constants the column of the 1. With λ = (−q, m) a body's balance, seen from its first input, is

    λ_O = X⁻ᵀ (λ_I1 + Σ X_kᵀ λ_Ik + M a_I1 + M_η η̈ + p),   a_O = X a_I1 + Y η̈ + γ,

and of a rigid body there is no η. M stands for the mass, `h` = m r_IC and `JI`, p for `fq`, `fm`.
"""

from __future__ import annotations

import sympy as sp

from ...language.program import Policy
from ...language.words import counted
from ...mechanics import beams
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer
from ...mechanics.turns import cosines, spinning
from ...tree.beam_kernels import DATA
from ...tree.recursion_kernels import centripetal, pushed
from .letters import BEAM, BODY, HINGE, placing, traced


@placing
def body(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A rigid body's constants at its place; all places are from its first input.

    `push_count` wrenches of loads act on it, at the link's origin `rL` in its own axes.
    """
    inputs, absolute = x.input_count, t.ask("absolute")
    title = f"transfer matrices of a body with {counted(inputs, 'input')}"
    t.called(f"body_{inputs}{pushed(x.push_count)}", title)
    A = cosines(x, k, t) if absolute else x.A
    spin = spinning(x, k, A)
    W = centripetal(k, t, spin)
    force, couple = x.m @ x.g, k.zero(k.s)
    x.rIO = A @ x.rO
    x.rIC = A @ x.rC
    x.h = x.m @ x.rIC
    if t.ask("forced"):
        force, couple = force + k.lin(x.f), k.ang(x.f)
        couple = couple + (k.turned(A, x.tau) if absolute else k.zero())
    square, J = x.rIC.T @ x.rIC, x.JC
    if k.d == 3:
        half = t.state("AJ", A @ J, BODY, "J′")
        J = (A @ J @ A.T).by((half @ A.T).value) + x.m @ (k.one(square) - x.rIC @ x.rIC.T)
    else:
        J = J + x.m @ square
    J = t.state("JI", J, symmetric=k.d == 3)
    x.gO = W @ x.rIO
    moment = k.spins(spin, J @ spin) - couple - k.moment(x.rIC, force)
    if x.push_count:
        x.rIL = A @ x.rL
    for y in x.by:
        y.P = A @ k.lin(y.W)
        turning = k.turned(A, k.ang(y.W))
        force, moment = force + y.P, moment - turning - k.moment(x.rIL, y.P)
    x.fq = (force - W @ x.h).by(force.value - (x.m @ W @ x.rIC).value)
    x.fm = moment
    outputs = ["rIO", "h", "JI", "gO", "fq", "fm"]
    for number in range(2, inputs + 1):
        further = At(t, f"{number}")
        further.rK = A @ t.read("r", f"_I{number}")
        further.gK = W @ further.rK
        outputs += [f"rK{number}", f"gK{number}"]
    return tuple(outputs)


@placing
def beam(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A beam's constants as a rigid body's, and Y at all ends, M_η, M_ηη, p_η besides.

    The balance of the floating frame is seen from the section at the first input. `push_count`: a
    wrench `W` acts on the section at the output, in its axes `AO`.
    """
    functions: beams.Functions = t.ask("functions")
    inputs, pushes, modes = x.input_count, x.push_count, x.count
    name = f"beam_{functions.label}_{inputs}{'_pushed' * pushes}"
    t.called(name, "transfer matrices of a beam")
    eta, rates = beams.coordinates(modes)
    for symbol in (*eta, *rates, *DATA):
        t.single(symbol.name, beams.LETTERS)
    of = beams.stated(functions, lambda name, x: t.state(name, k.formula(x), BEAM).value)
    A = x.A
    M_ = t.state("M", k.formula(of.M), BEAM, symmetric=True)
    p = k.formula(of.p) - part(M_, cols=range(1, 3)) @ (A.T @ x.g)
    if t.ask("forced"):
        force = k.stack(A.T @ k.lin(x.f), k.ang(x.f))
        J, _ = beams.section(functions, sp.Rational(1, 2))
        p = p - t.abbreviate("J_C", k.formula(J)).T @ force
        p = p - k.stack(*[k.zero()] * 3, t.numbers("tau"))
    ends = {number: f"I{number}" for number in range(1, inputs + 1)} | {0: "O"}
    sections = {number: _section(k, t, functions, end) for number, end in ends.items()}
    if pushes:
        W = x.W
        push = k.stack(A.T @ x.AO @ k.lin(W), k.ang(W))
        p = p - sections[0][0].T @ t.state("push", push, BEAM, "W_O")
    T, c = _to_frame(k, t, *sections.pop(1), modes)
    outputs = _seen(x, k, t, (M_, t.abbreviate("p", p)), (T, c))
    for number, (J, bias) in sections.items():
        outputs += _end(x, k, t, number, t.state(f"JT_{number or 'O'}", J @ T, BEAM), J @ c + bias)
    return tuple(outputs)


def _to_frame(k: Algebra, t: Tracer, J: M, bias: M, modes: int) -> tuple[M, M]:
    """From the acceleration of the section at the first input to the frame's: ν = T ν_I1 + c."""
    back = k.X(-_arm(k, J))
    unit = k.diagonal(k.formula(sp.ones(modes, 1)))
    bends = -(back @ part(J, cols=range(4, 4 + modes)))
    T = t.state("T", k.blocks((back, bends), (k.zero(modes, 3), unit)), BEAM, "T")
    none = [k.zero(1, 1)] * modes
    return T, t.state("cF", k.stack(-(back @ bias), *none), BEAM, "c")


def _seen(x: At, k: Algebra, t: Tracer, frame: tuple[M, M], way: tuple[M, M]) -> list[str]:
    """State a beam's balance, M and p of its frame, seen from the first input."""
    (M_, p), (T, c) = frame, way
    half = t.state("MT", M_ @ T, BEAM)
    whole = t.state("MI", (T.T @ M_ @ T).by((T.T @ half).value), BEAM, "M_I", symmetric=True)
    rest = t.state("pI", T.T @ (p + M_ @ c), BEAM, "p_I")
    rigid, bends = range(1, 4), range(4, 4 + x.count)
    x.h = x.A @ _arm(k, whole)
    t.state("JI", k.entry(whole, 3, 3), symmetric=False)
    x.fq = -(x.A @ k.lin(rest))
    x.fm = k.entry(rest, 3, 1)
    x.Me_ = k.both(x.A) @ part(whole, rigid, bends)
    x.Mee_ = part(whole, bends, bends)
    x.pe_ = part(rest, bends)
    return ["h", "JI", "fq", "fm", *map(t.port, ("Me_", "Mee_", "pe_"))]


def _end(x: At, k: Algebra, t: Tracer, number: int, J: M, bias: M) -> list[str]:
    """State how an end, the output being 0, moves with the first input and the modes."""
    end = At(t, str(number or "O"))
    arm, moved = x.A @ _arm(k, J), x.A @ k.lin(bias)
    if number:
        end.rK, end.gK = arm, moved
    else:
        x.rIO, x.gO = arm, moved
    end.Y_ = k.both(x.A) @ part(J, cols=range(4, 4 + x.count))
    places = [f"rK{number}", f"gK{number}"] if number else ["rIO", "gO"]
    return [*places, t.port("Y_", str(number or "O"))]


def _section(k: Algebra, t: Tracer, functions: beams.Functions, end: str) -> tuple[M, M]:
    """J and g of the section at an end, in the floating frame's axes."""
    names = beams.named(functions)
    symbols = dict.fromkeys(x for matrix in names for x in matrix if x.is_Symbol)
    taken = {name: t.single(f"{name}_{end}", beams.LETTERS) for name in symbols}
    here = beams.Shapes(*(matrix.xreplace(taken) for matrix in names))
    J, bias = map(k.formula, beams.section_at(here, t.single(f"at_{end}", beams.LETTERS)))
    return t.state(f"J_{end}", J, BEAM), t.state(f"g_{end}", bias, BEAM, f"b_{end}")


def _arm(k: Algebra, J: M) -> M:
    """r of a matrix whose upper left is X(r), or m r of one where it is a body's M."""
    return k.formula(sp.Matrix([J[1, 2], -J[0, 2]]))


@traced
def hinge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's H and bias γ, of its output relative to its input: the speeds' sign is kept.

    The relative motion is that of a point with axes `A` (`turned`: `A K`) against one on `Ap`;
    `forward`: it is the output's. `apart`: the two may lie apart, by d from input to output.
    """
    columns, apart, forward, turned = x.count, t.ask("apart"), t.ask("forward"), t.ask("turned")
    way = "_forward" if forward else "_backward"
    name = f"hinge_{columns}{way}{'_apart' if apart else ''}{'_turned' if turned else ''}"
    t.called(name, f"transfer matrix of a hinge of {counted(columns, 'freedom')}")
    A, Ap = x.A, x.up.A
    if turned:
        x.N = A @ x.K
        A = x.N
    spin, vr, wr, br, bw = x.up.w, x.vr, x.wr, x.br, x.bw
    if k.d == 3:
        x.Omegap = Ap @ spin
        spin = x.Omegap
    lin = A @ br + 2 * k.cross(spin, t.state("v", A @ vr, HINGE, "v′"))
    ang = k.turned(A, bw)
    if k.d == 3:
        ang = ang + k.cross(spin, t.state("w", A @ wr, HINGE, "ω′"))
    back, outputs = None, ["gs"]
    if apart:
        x.arm = Ap @ (x.r - x.rk)
        lin = lin + centripetal(k, t, spin) @ x.arm
        back = None if forward else k.X(-x.arm)
        x.dh = x.arm if forward else -x.arm
        outputs.append("dh")

    def at_output(motion: M) -> M:
        motion = motion if back is None else back @ motion
        return motion if forward else -motion

    x.gam = k.stack(lin, ang)
    x.gs = at_output(x.gam)
    if columns:
        x.Hi = k.both(A) @ x.H_
        x.Hs_ = at_output(x.Hi)
        outputs.append(t.port("Hs_"))
    return tuple(outputs)


@traced
def thrust(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The wrench on a body of the given forces in a hinge that holds nothing: Hᵀ W = τ."""
    t.called("thrust", "given forces on a free body")
    tau = t.numbers("tau")
    H = x.H_
    W = t.solve("Wt", H.T, tau, HINGE, Policy.LU)
    t.state("W", (H.T.inverse @ tau).by(W), HINGE, "W")
    return ("W",)


@traced
def through(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What is behind a body or beam of a column that arrives at some of its inputs, `entries`.

    With `constants` of its state, and with that of a beam's own accelerations, `count`.
    """
    entries, constants = t.ask("entries"), t.ask("constants")
    label, inputs = "_".join(map(str, entries)), len(entries)
    if constants:
        title = f"state behind a body with {counted(inputs, 'input')}"
        t.called(f"body_state_{inputs}_{x.count}", title)
    else:
        title = f"columns through a body's inputs {label.replace('_', ', ')}"
        t.called(f"through_{label}", title)
    a, m, q = _gathered(x, k, t, entries)
    if constants:
        a = a + k.stack(x.gO, k.zero(k.s))
        q, m = q + x.fq, m + x.fm
    if constants and x.count:
        rates = t.numbers("u")
        a = a + At(t, "O").Y_ @ rates
        bent = t.state("bent", x.Me_ @ rates, BEAM, "W_e")
        q, m = q - k.lin(bent), m + k.ang(bent)
    arm = x.rIO
    q = t.state("qO", q, BODY, "q′")
    x.ao, x.mo, x.qo = a, m + k.moment(arm, q), q
    return "ao", "mo", "qo"


def _gathered(x: At, k: Algebra, t: Tracer, entries: tuple[int, ...]) -> tuple[M, M, M]:
    """a, m and q of a body's output but for its constants; m without what q_O does about I1."""
    a, m, q = k.zero(k.n), k.zero(k.s), k.zero(k.d)
    for number in entries:
        y = At(t, f"_I{number}")
        at = y.a if number == 1 else k.zero()
        moment, force = y.m, y.q
        m, q = m + moment, q + force
        if number > 1:
            m = m - k.moment(At(t, f"{number}").rK, force)
            continue
        mass, h, J = x.mass, x.h, x.JI
        a = k.X(x.rIO) @ at
        q = q - (mass @ k.lin(at) + k.cross(k.ang(at), h))
        m = m + (k.moment(h, k.lin(at)) + J @ k.ang(at))
    return a, m, q


@traced
def across(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What is behind a hinge, whose two points lie `apart` or not, of a column that arrives.

    With `constants` of the state, its bias and its own accelerations included.
    """
    apart, constants = t.ask("apart"), t.ask("constants")
    name, title = "across", "columns through a hinge"
    if constants:
        name, title = f"hinge_state_{x.count}{'_apart' if apart else ''}", "state behind a hinge"
    t.called(name, title)
    y = At(t, "_I1")
    a, m, q = y.a, y.m, y.q
    if apart:
        a, m = k.X(x.dh) @ a, m + k.moment(x.dh, q)
    if constants:
        a = a + x.gs
        if x.count:
            a = a + x.Hs_ @ t.numbers("u")
    x.ao, x.mo, x.qo = a, m, q
    return "ao", "mo", "qo"
