"""U of a beam in the paper's letters: z_O = U z, the modal accelerations eliminated."""

from __future__ import annotations

from ...language.letters import letters
from ...language.program import Policy
from ...mechanics.letters import FACTS, OF_PARENT
from ...mechanics.matrices import Algebra, part
from ...mechanics.traced import At, Tracer, tracing
from ...tree import beam_kernels
from ...tree.beam_kernels import BEAM, DATA, MODES, SECTIONS, VIRTUAL_POWER

#: What U takes.
STATE = "z = (r̈, Ω̇) of I₁, (m, q) of each input, 1"
FIRST = "deduction paper: the floating frame, from the first input"

traced = tracing(
    BEAM
    | letters(f"""
    A     | A     | d d rot | | direction cosines: from an end's axes to inertial ones
    T     | T     | n n     | {FIRST} | a of the frame by (r̈, Ω̇) of I₁, inertial
    cF    | c     | n       | {FIRST} | a of the frame without accelerations of I₁ and η̈
    F     | F     | n f     | {FIRST} | what η̈ takes from a of the frame
    FO    | F_O   | n f     | {MODES} | what η̈ takes from a of the output, seen at the frame
    La    | Λ     | n n     | {SECTIONS} | wrench at the frame that (m, q) of an input demands
    Lm    | Λ_η   | f n     | {SECTIONS} | what (m, q) of an input demands of the modes
    Ma    | M_a   | f n     | {MODES} | what a of the frame demands of the modes
    Va    | V_a   | n f     | {MODES} | wrench at the frame that unit modal accelerations demand
    We    | W_η   | f f     | {MODES} | inertia of the modes if I₁ does not accelerate
    Q     | Q     | f       | {MODES} | modal accelerations by the inputs' state: η̈ = Q z
    Y     | Y     | n n     | {SECTIONS} | (r̈, Ω̇) of the output by a of the frame
    Z     | Z     | n n     | {SECTIONS} | (m, q) of the output by the wrench at the frame
    yF    | γ     | n       | {SECTIONS} | (r̈, Ω̇) of the output without accelerations
    U     | U     | 1       | {MODES} | transfer matrix of a beam: z_O = U z, {STATE}
"""),
    FACTS,
    OF_PARENT,
)


@traced
def transfer(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """U of z_O = U z with z = ((r̈, Ω̇) of I₁, (m, q) of each input, 1), as (8) of a body.

    The frame's acceleration follows from that of I₁ and η̈, what the frame and the modes demand
    from these and the loads at the inputs; the modes demand nothing, which gives η̈ = Q z.
    """
    functions, forced, modes, inputs = t.ask("functions"), t.ask("forced"), x.count, x.inputs
    t.called(f"transfer_beam_{functions.label}_{len(inputs)}", "transfer matrix of a beam")
    of = beam_kernels.balance(k, t, functions, DATA)
    M = t.state("M", k.formula(of.M), VIRTUAL_POWER, "M", symmetric=True)
    p = t.state("p", k.formula(of.p), VIRTUAL_POWER, "p")
    if forced:
        p = p - beam_kernels.external(x, k, t, functions)
    rigid, bent = range(1, 4), range(4, 4 + modes)
    pa, pe = part(p, rigid), part(p, bent)
    if forced:
        pe = pe - t.numbers("tau")
    s, d, zero = k.unit_matrix(k.s), k.unit_matrix(k.d), k.zero
    Pi = t.abbreviate("Π", k.blocks((zero(k.s, k.d), s), (-d, zero(k.d, k.s))))
    fall = k.stack(x.g, zero(k.s))
    frame, first, out = k.both(x.A), inputs[0], At(t, "_O")
    back = k.X(-first.r) @ k.both(first.C)
    x.T = k.X(-first.r) @ frame.T
    x.cF = -(x.T @ fall) - back @ first.gam
    x.F = back @ first.H
    for y in inputs:
        y.La = k.X(y.r).T @ frame.T @ Pi.T
        y.Lm = y.H.T @ k.both(y.A).T @ Pi.T + out.H.T @ y.La
    Maa, Mae, Mee = part(M, rigid, rigid), part(M, rigid, bent), part(M, bent, bent)
    x.Ma = Mae.T + out.H.T @ Maa
    x.Va = Mae - Maa @ x.F
    x.We = Mee + out.H.T @ Mae - x.Ma @ x.F
    free = x.Ma @ x.cF + pe + out.H.T @ pa
    right = k.beside(x.Ma @ x.T, *(y.Lm for y in inputs), free)
    t.solve("Q", x.We, -right, MODES, Policy.LU)
    Q = t.known("Q")
    turned = k.both(out.A)
    x.FO = x.F + out.H
    x.Y = turned @ k.X(-out.r) @ k.both(out.C)
    x.Z = Pi @ turned @ (k.both(out.C.T) @ k.X(out.r)).T
    x.yF = fall - x.Y @ out.gam
    by_a, *by_loads = (
        part(Q, cols=range(k.n * i + 1, k.n * i + k.n + 1)) for i in range(len(inputs) + 1)
    )
    alone = k.column(Q, Q.value.cols)
    row = zero(1, k.n)
    motion = [x.Y @ (x.T - x.FO @ by_a), *(-(x.Y @ x.FO @ one) for one in by_loads)]
    motion.append(x.yF + x.Y @ (x.cF - x.FO @ alone))
    loads = [x.Z @ (Maa @ x.T + x.Va @ by_a)]
    loads += [x.Z @ (y.La + x.Va @ one) for y, one in zip(inputs, by_loads, strict=True)]
    loads.append(x.Z @ (Maa @ x.cF + pa + x.Va @ alone))
    x.U = k.blocks(motion, loads, [*[row] * (len(inputs) + 1), k.unit_matrix(1)])
    return ("U",)
