"""The kernels of a beam: what hangs on its sections, its own balance, its modal coordinates.

The floating frame moves relative to the section at the output, and the input sections relative
to the floating frame, as bodies behind hinges do; the speeds of all these are the modal speeds,
so that they are eliminated together.
"""

from __future__ import annotations

import sympy as sp

from ..language.letters import letters
from ..language.words import counted
from ..mechanics import beams as beam
from ..mechanics.beams import Functions
from ..mechanics.hinges import section
from ..mechanics.letters import FACTS, LETTERS, MOVED, OF_PARENT
from ..mechanics.matrices import Algebra, M, part
from ..mechanics.space import POINT, Space
from ..mechanics.traced import At, Tracer, tracing
from .loop_kernels import COLUMNS, LOOPS, arriving, eased, labelled
from .motion_kernels import moving
from .recursion_kernels import centripetal

VIRTUAL_POWER = "virtual power of the beam"
SECTIONS = "virtual power of what hangs on the beam's sections"
MODES = "deduction paper: modal accelerations eliminated"

#: What a beam's balance depends on besides its modal coordinates and speeds.
DATA = (beam.SPIN, beam.MASS, beam.LENGTH, beam.AXIAL, beam.BENDING, beam.DAMPING)

MOTION = Space(2).motion

BEAM = LETTERS | letters(f"""
    H     | H    | n f     | | motion of a section per modal speed
    X     | X    | n n     | {POINT} | motions of a section's base at the section
    held  | p_γ  | n       | {SECTIONS} | pA with the acceleration γ
    U     | U    | n f     | {SECTIONS} | wrench that unit modal accelerations demand
    V     | V    | n n     | {SECTIONS} | wrench that unit accelerations of the base demand
    Maa   | M_aa | n n sym | {SECTIONS} | inertia of the floating frame with all that hangs on it
    Mae   | M_ae | n f     | {SECTIONS} | inertia between the floating frame and the modes
    E     | E_η  | f n     | {MOVED} | inertia between the modes and the output
    We_   | W    | f f sym | {MODES} | inertia of the modes
    load  | l    | f       | {MODES} | what the modes demand without acceleration
    Ge_   | G    | f n     | {MODES} | what the output's acceleration takes from η̈
    ke_   | k    | f       | {MODES} | η̈ if the output does not accelerate
    IA    | IA   | n n sym | {MODES} | inertia of the beam and all that hangs on it
    pA    | pA   | n       | {MODES} | the part of λ that does not depend on a
    edd   | η̈    | f       | {MODES} | modal accelerations
    a     | η̈    | 1       | {MODES} | modal acceleration
    ad    | η̈    | 1       | | modal acceleration, given
    own   | λ_o  | f       | {VIRTUAL_POWER} | what the beam itself demands
    lt    | λt   | n       | | what hangs on a section demands at the floating frame
    lam   | λ    | n       | {SECTIONS} | what the beam and all that hangs on it demand
    tau   | τ    | 1       | {VIRTUAL_POWER} | force along a modal coordinate
    qn    | q′   | 1       | own | modal coordinate as it is
    P     | P    | f       | {VIRTUAL_POWER} | momenta of the frame and the modes
    h     | h    | d       | {VIRTUAL_POWER} | first moment of mass about the frame's origin
    EF    | E_f  | n w     | {COLUMNS} | columns of the multipliers μ at the floating frame
    Ee    | P    | f w     | {COLUMNS} | forces along the modes, of unit multipliers
    Ke_   | N    | f w     | {COLUMNS} | what the multipliers take from η̈ = k − N μ − G a
""")

traced = tracing(BEAM, FACTS, OF_PARENT)
gathering = tracing({**LOOPS, **BEAM}, FACTS, OF_PARENT)
storing = tracing({**BEAM, "E": LETTERS["E"]}, FACTS, OF_PARENT)


@traced
def relative(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A section's motion relative to the floating frame, or (`backward`) the reverse."""
    functions: Functions = t.ask("functions")
    name = f"section_{functions.label}{'_backward' if x.backward else ''}"
    t.called(name, "section of a beam")
    return moving(x, k, t, section(functions), beam.LETTERS)


@traced
def bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What of a relative motion's acceleration does not depend on accelerations."""
    t.called("bias", "bias of a relative motion in a beam")
    wp, C, r, vr, br, bw = x.up.w, x.C, x.r, x.vr, x.br, x.bw
    central = t.state("cp", centripetal(k, t, wp) @ r, POINT)
    x.gam = k.stack(C.T @ central + 2 * k.cross(wp, vr) + br, bw)
    return ("gam",)


def _across(k: Algebra, of: At) -> tuple[M, M, M]:
    """Take a relative motion: X, γ and H of a = X a_parent + γ + H η̈."""
    C, r, gamma, H = of.C, of.r, of.gam, of.H
    of.X = k.both(C.T) @ k.X(r)
    return of.X, gamma, H


@traced
def link(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a beam and all that hangs on it demand at its output, in the axes there.

    With a_O the acceleration there, W η̈ + … = 0 gives η̈ = k − G a_O and λ = IA a_O + pA.
    """
    functions: Functions = t.ask("functions")
    forced, modes = t.ask("forced"), x.count
    title = f"beam with {counted(x.input_count, 'input')}"
    t.called(f"beam_{functions.label}_{x.input_count}", title)
    of = balance(k, t, functions, DATA)
    M_ = t.state("M", k.formula(of.M), VIRTUAL_POWER, "M", symmetric=True)
    p = t.state("p", k.formula(of.p), VIRTUAL_POWER, "p")
    if forced:
        p = p - external(x, k, t, functions)
    rigid, bent = range(1, 4), range(4, 4 + modes)
    Maa, Mae, Mee = part(M_, rigid, rigid), part(M_, rigid, bent), part(M_, bent, bent)
    pa, pe = part(p, rigid), part(p, bent)
    for y in x.inputs:
        X, gamma, H = _across(k, y)
        IA = y.IAt
        y.held = y.pAt + IA @ gamma
        y.U, y.V = IA @ H, IA @ X
        Maa, Mae, Mee = Maa + X.T @ y.V, Mae + X.T @ y.U, Mee + H.T @ y.U
        pa, pe = pa + X.T @ y.held, pe + H.T @ y.held
    x.Maa, x.Mae = Maa, Mae
    X, gamma, H = _across(k, At(t, "_O"))
    x.held = pa + x.Maa @ gamma
    x.U, x.V = x.Maa @ H + x.Mae, x.Maa @ X
    x.E = x.U.T @ X
    x.We_ = Mee + H.T @ x.U + x.Mae.T @ H
    x.load = pe + x.Mae.T @ gamma + H.T @ x.held
    load = x.load - t.numbers("tau") if forced else x.load
    solved = t.solve("Gk", x.We_, k.beside(x.E, -load), MODES)
    x.Ge_ = (x.We_.inverse @ x.E).by(solved[:, :MOTION])
    x.ke_ = (-(x.We_.inverse @ load)).by(solved[:, MOTION:])
    x.IA = X.T @ x.V - x.E.T @ x.Ge_
    x.pA = X.T @ x.held + x.E.T @ x.ke_
    return "IA", "pA", *map(t.port, ("We_", "Ge_", "ke_"))


@gathering
def gather(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns of cuts that arrive at a beam's sections, seen from its output.

    The modal accelerations are η̈ = k − N μ − G a_O.
    """
    modes, size = x.count, t.ask("width")
    t.called(f"beam_gather_{modes}_{size}_{labelled(t)}", f"{counted(size, 'column')} in a beam")
    E, P = k.zero(k.n, size), k.zero(modes, size)
    kappa, L = k.zero(size), k.zero(size, size)
    reach = k.zero(size)
    for of in arriving(k, t):
        X, gamma, H = _across(k, At(t, f"_I{of.number}"))
        E, P = E + X.T @ of.E, P + H.T @ of.E
        if not of.feed.begins:
            kappa, L, reach = kappa + of.kappa, L + of.L, reach + of.reach
        kappa = kappa + of.E.T @ gamma
    x.EF = E
    X, gamma, H = _across(k, At(t, "_O"))
    x.Ee = P + H.T @ x.EF
    W, G, own = x.We_, x.Ge_, x.ke_
    t.solve("Ke_", W, x.Ee, COLUMNS)
    x.kb_ = kappa + x.EF.T @ gamma + x.Ee.T @ own
    x.E_, x.L_ = X.T @ x.EF - G.T @ x.Ee, L + x.Ee.T @ x.Ke_
    x.d_ = reach + t.read("R", rows=size, cols=modes) @ eased(k, W)
    return tuple(map(t.port, ("E_", "kb_", "L_", "Ke_", "d_")))


def balance(
    k: Algebra, t: Tracer, functions: Functions, data: tuple[sp.Symbol, ...]
) -> beam.BeamBalance:
    """The beam's balance, its parts stated, of its state and constants."""
    for symbol in (*(y for column in beam.coordinates(functions.modes) for y in column), *data):
        t.single(symbol.name, beam.LETTERS)
    return beam.stated(
        functions, lambda name, value: t.state(name, k.formula(value), VIRTUAL_POWER).value
    )


def external(x: At, k: Algebra, t: Tracer, functions: Functions) -> M:
    """The load on the middle section, inertial; what it is along (frame, η)."""
    A, f = x.A, x.f
    x.fl = A.T @ k.lin(f)
    J, _ = beam.section(functions, sp.Rational(1, 2))
    return t.abbreviate("J_C", k.formula(J)).T @ k.stack(x.fl, k.ang(f))


@traced
def rates(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Modal accelerations from that of the output section."""
    t.called(f"modes_{x.count}", f"accelerations of {x.count} modal coordinates")
    G, bias = x.Ge_, x.ke_
    t.state("edd", bias - G @ x.acc)
    return t.each("a", x.edd)


@traced
def accelerate(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Acceleration of the floating frame or of a section, in its axes."""
    t.called(f"accelerate_modes_{x.count}", "acceleration in a beam")
    X = k.both(x.C.T) @ k.X(x.r)
    rate, H = t.numbers("a"), x.H_
    x.acc = X @ x.up.acc + x.gam + H @ rate
    return ("acc",)


@traced
def wrench(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a moving beam demands at its floating frame, and of its modal coordinates.

    `lt_I…` and `lam_I…` are what an input section demands, at the frame and at the section.
    """
    functions: Functions = t.ask("functions")
    t.called(f"beam_wrench_{functions.label}_{x.input_count}", "wrench of a beam")
    of = balance(k, t, functions, DATA)
    rate = t.numbers("ad")
    M_, p = t.abbreviate("M", k.formula(of.M)), t.abbreviate("p", k.formula(of.p))
    x.own = M_ @ k.stack(x.acc, rate) + p
    own = x.own - external(x, k, t, functions) if x.loaded else x.own
    lam, modal = part(own, range(1, 4)), part(own, range(4, 4 + x.count))
    for y in x.inputs:
        H = y.H
        lam = lam + y.lt
        modal = modal + H.T @ y.lam
    x.lam = lam
    return "lam", *t.each("tau", modal + x.H_.T @ x.lam)


@storing
def energy(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Kinetic energy, of gravity and of strain, added to that of the links before."""
    functions: Functions = t.ask("functions")
    t.called(f"beam_energy_{functions.label}", "energy of a beam")
    of = balance(k, t, functions, DATA[:-1])
    A, origin, v, g, before = x.A, x.x, x.vl, x.g, x.Ebefore
    speeds, eta = k.stack(v, k.formula(sp.Matrix([beam.SPIN, *of.rates]))), k.formula(of.eta)
    x.P = t.abbreviate("M", k.formula(of.M)) @ speeds
    strained = t.state("Ke", t.abbreviate("K", k.formula(of.K)) @ eta, VIRTUAL_POWER, "f_η")
    x.h = k.formula(of.first)
    stored = (speeds.T @ x.P + eta.T @ strained).half
    energy = before + stored - g.T @ (k.scalar(beam.MASS) @ origin + A @ x.h)
    t.state("E", energy, "E = T + V")
    return ("E",)


@traced
def copied(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Modal coordinates (`q`) or speeds (`u`) as they are."""
    letter, result = t.ask("letter"), t.ask("result")
    title = "rates of modal coordinates" if letter == "u" else "modal coordinates"
    t.called(f"{result}_modes_{x.count}", title)
    names = [f"{letter}{j}" for j in range(1, x.count + 1)]
    return t.each(result, k.formula(sp.Matrix([t.single(name, beam.LETTERS) for name in names])))
