"""The kernels of a beam: what hangs on its sections, its own balance, its modal coordinates.

The floating frame moves relative to the section at the output, and the input sections relative
to the floating frame, as bodies behind hinges do; the speeds of all these are the modal speeds,
so that they are eliminated together.
"""

from __future__ import annotations

from functools import cache, partial

import sympy as sp

from ..language.program import Kernel, KernelBuilder
from ..language.words import counted
from ..mechanics import beams as beam
from ..mechanics.beams import Functions
from ..mechanics.hinges import section
from ..mechanics.letters import BACK, MOVED, traced
from ..mechanics.matrices import Algebra
from ..mechanics.space import POINT, Space
from ..mechanics.traced import At, Tracer
from .absolute_kernels import BALANCE
from .loop_kernels import COLUMNS, REACH, Feed, arriving
from .motion_kernels import moving

VIRTUAL_POWER = "virtual power of the beam"
MODES = "deduction paper: modal accelerations eliminated"

#: What a beam's balance depends on besides its modal coordinates and speeds.
DATA = (beam.SPIN, beam.MASS, beam.LENGTH, beam.AXIAL, beam.BENDING, beam.DAMPING)

PLANE = Space(2)
MOTION = PLANE.motion


@traced
def relative(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A section's motion relative to the floating frame, or (`backward`) the reverse."""
    functions: Functions = t.ask("functions")
    name = f"section_{functions.label}{'_backward' if x.backward else ''}"
    t.called(name, "section of a beam")
    return moving(x, k, t, section(functions))


@cache
def bias() -> Kernel:
    """What of a relative motion's acceleration does not depend on accelerations."""
    kernel = KernelBuilder("bias", "bias of a relative motion in a beam")
    wp, C, r = kernel.take("wp"), kernel.take("C", 2, 2), kernel.take("r", 2)
    vr, br, bw = kernel.take("vr", 2), kernel.take("br", 2), kernel.take("bw")
    central = kernel.let("cp", PLANE.centripetal(kernel, wp) * r, POINT)
    lin = C.T * central + 2 * PLANE.turn(wp, vr) + br
    kernel.let("gam", sp.Matrix.vstack(lin, bw), "deduction paper: bias of the hinge")
    return kernel.build("gam")


def _across(kernel: KernelBuilder, label: str, modes: int) -> tuple[sp.Matrix, ...]:
    """Take a relative motion: X, γ and H of a = X a_parent + γ + H η̈."""
    C, r = kernel.take(f"C_{label}", 2, 2), kernel.take(f"r_{label}", 2)
    gamma = kernel.take(f"gam_{label}", MOTION)
    H = kernel.take(f"H_{label}", MOTION, modes)
    X = kernel.let(f"X_{label}", sp.diag(C.T, 1) * PLANE.shift(r), POINT)
    return X, gamma, H


@cache
def link(functions: Functions, inputs: int, forced: bool) -> Kernel:
    """What a beam and all that hangs on it demand at its output, in the axes there.

    With a_O the acceleration there, W η̈ + … = 0 gives η̈ = k − G a_O and λ = IA a_O + pA.
    """
    modes = functions.modes
    kernel = KernelBuilder(
        f"beam_{functions.label}_{inputs}", f"beam with {counted(inputs, 'input')}"
    )
    _take_state(kernel, functions.modes)
    for symbol in DATA:
        kernel.take(symbol.name)
    of = _balance(kernel, functions)
    M = kernel.let(
        "M", of.M, VIRTUAL_POWER, symmetric=True, says="M (a, η̈) + p = 0, of the beam alone"
    )
    p = kernel.let("p", of.p, VIRTUAL_POWER, says="M (a, η̈) + p = 0, of the beam alone")
    if forced:
        p -= _external(kernel, functions)
    Maa, Mae, Mee = M[:3, :3], M[:3, 3:], M[3:, 3:]
    pa, pe = p[:3, :], p[3:, :]
    for k in range(1, inputs + 1):
        X, gamma, H = _across(kernel, f"I{k}", modes)
        IA = kernel.take(f"IAt_I{k}", MOTION, MOTION, symmetric=True)
        held = kernel.let(
            f"held_I{k}",
            kernel.take(f"pAt_I{k}", MOTION) + IA * gamma,
            BALANCE,
            says="held = pA + IA γ",
        )
        U = kernel.let(f"U_I{k}", IA * H, BALANCE, says="U = IA H")
        V = kernel.let(f"V_I{k}", IA * X, BALANCE, says="V = IA X")
        Maa, Mae, Mee = Maa + X.T * V, Mae + X.T * U, Mee + H.T * U
        pa, pe = pa + X.T * held, pe + H.T * held
    Maa = kernel.let("Maa", Maa, BALANCE, symmetric=True, says="Maa = M + Σ Xᵀ IA X")
    Mae = kernel.let("Mae", Mae, BALANCE, says="Mae = M + Σ Xᵀ IA H")
    X, gamma, H = _across(kernel, "O", modes)
    held = kernel.let("held", pa + Maa * gamma, MOVED, says="held = pa + Maa γ")
    U = kernel.let("U", Maa * H + Mae, MOVED, says="U = Maa H + Mae")
    V = kernel.let("V", Maa * X, MOVED, says="V = Maa X")
    E = kernel.let("E", U.T * X, MOVED, says="E = Uᵀ X")
    matrix = kernel.let(
        f"We{modes}",
        Mee + H.T * U + Mae.T * H,
        MODES,
        symmetric=True,
        says="W = Mee + Hᵀ U + Maeᵀ H",
    )
    load = kernel.let(
        "load", pe + Mae.T * gamma + H.T * held, MODES, says="load = pe + Maeᵀ γ + Hᵀ held"
    )
    if forced:
        load -= kernel.numbers("tau", modes)
    solved = kernel.solve(
        "Gk", matrix, sp.Matrix.hstack(E, -load), MODES, says="W η̈ = −E a_O − load, η̈ = k − G a_O"
    )
    G = kernel.let(f"Ge{modes}", solved[:, :MOTION], MODES, says="G = W⁻¹ E")
    k = kernel.let(f"ke{modes}", solved[:, MOTION:], MODES, says="k = −W⁻¹ load")
    kernel.let("IA", X.T * V - E.T * G, MODES, symmetric=True, says="IA = Xᵀ V − Eᵀ G")
    kernel.let("pA", X.T * held + E.T * k, MODES, says="pA = Xᵀ held + Eᵀ k")
    return kernel.build("IA", "pA", f"We{modes}", f"Ge{modes}", f"ke{modes}")


@cache
def gather(modes: int, size: int, feeds: tuple[Feed, ...]) -> Kernel:
    """The columns of cuts that arrive at a beam's sections, seen from its output.

    The modal accelerations are η̈ = k − K μ − G a_O.
    """
    label = "_".join(feed.label for feed in feeds)
    kernel = KernelBuilder(
        f"beam_gather_{modes}_{size}_{label}", f"{counted(size, 'column')} in a beam"
    )
    E, Ee = sp.zeros(MOTION, size), sp.zeros(modes, size)
    k, L = sp.zeros(size, 1), sp.zeros(size)
    for i, feed in enumerate(feeds, start=1):
        X, gamma, H = _across(kernel, f"I{i}", modes)
        own, own_k, own_L = arriving(kernel, MOTION, size, feed, i)
        E, Ee = E + X.T * own, Ee + H.T * own
        k, L = k + own_k + own.T * gamma, L + own_L
    E = kernel.let("EF", E, COLUMNS, says="E = Σ Xᵀ E_k")
    X, gamma, H = _across(kernel, "O", modes)
    Ee = kernel.let("Ee", Ee + H.T * E, COLUMNS, says="Ee = Σ H_kᵀ E_k + Hᵀ E")
    W = kernel.take(f"We{modes}", modes, modes, symmetric=True)
    G, own_k = kernel.take(f"Ge{modes}", modes, MOTION), kernel.take(f"ke{modes}", modes)
    K = kernel.solve(f"Ke{modes}_{size}", W, Ee, COLUMNS, says="K = W⁻¹ Ee")
    ease = sp.Matrix([1 / W[a, a] for a in range(modes)])
    kernel.let(f"ye{modes}", ease, REACH, says="y_a = 1/W_aa")
    kernel.let(
        f"kb{size}", k + E.T * gamma + Ee.T * own_k, COLUMNS, says="k = Σ k_k + Eᵀ γ + Eeᵀ k_η"
    )
    kernel.let(f"E{size}", X.T * E - G.T * Ee, COLUMNS, says="E⁺ = Xᵀ E − Gᵀ Ee")
    kernel.let(f"L{size}", L + Ee.T * K, COLUMNS, symmetric=True, says="Λ = Σ Λ_k + Eeᵀ K")
    return kernel.build(f"E{size}", f"kb{size}", f"L{size}", f"Ke{modes}_{size}", f"ye{modes}")


def _take_state(kernel: KernelBuilder, modes: int) -> None:
    for symbol in (symbol for column in beam.coordinates(modes) for symbol in column):
        kernel.take(symbol.name)


def _balance(kernel: KernelBuilder, functions: Functions) -> beam.BeamBalance:
    """The beam's balance, its parts stated; the state and constants have been taken."""
    return beam.stated(functions, partial(kernel.let, source=VIRTUAL_POWER))


def _external(kernel: KernelBuilder, functions: Functions) -> sp.Matrix:
    """Take the load on the middle section, inertial; what it is along (frame, η)."""
    A = kernel.take("A", 2, 2)
    load = kernel.take("f", MOTION)
    own = kernel.let("fl", A.T * load[:2, :], "external force in the floating frame")
    J, _ = beam.section(functions, sp.Rational(1, 2))
    return J.T * sp.Matrix.vstack(own, load[2:, :])


@cache
def rates(modes: int) -> Kernel:
    """Modal accelerations from that of the output section."""
    kernel = KernelBuilder(f"modes_{modes}", f"accelerations of {modes} modal coordinates")
    G, k = kernel.take(f"Ge{modes}", modes, MOTION), kernel.take(f"ke{modes}", modes)
    found = kernel.let("edd", k - G * kernel.take("acc", MOTION), MODES, says="η̈ = k − G a")
    return kernel.build(*kernel.each("a", found, MODES, says="η̈ = k − G a"))


@cache
def accelerate(modes: int) -> Kernel:
    """Acceleration of the floating frame or of a section, in its axes."""
    kernel = KernelBuilder(f"accelerate_modes_{modes}", "acceleration in a beam")
    C, r = kernel.take("C", 2, 2), kernel.take("r", 2)
    X = sp.diag(C.T, 1) * PLANE.shift(r)
    rate = kernel.numbers("a", modes)
    H = kernel.take(f"H{modes}", MOTION, modes)
    acc = X * kernel.take("ap", MOTION) + kernel.take("gam", MOTION) + H * rate
    kernel.let("acc", acc, BACK)
    return kernel.build("acc")


@cache
def wrench(functions: Functions, inputs: int, loaded: bool) -> Kernel:
    """What a moving beam demands at its floating frame, and of its modal coordinates.

    `lt_I…` and `lam_I…` are what an input section demands, at the frame and at the section.
    """
    modes = functions.modes
    kernel = KernelBuilder(f"beam_wrench_{functions.label}_{inputs}", "wrench of a beam")
    _take_state(kernel, modes)
    for symbol in DATA:
        kernel.take(symbol.name)
    rate = kernel.numbers("ad", modes)
    of = _balance(kernel, functions)
    own = of.M * kernel.take("acc", MOTION).col_join(rate) + of.p
    own = kernel.let("own", own, VIRTUAL_POWER, says="λ_own = M (a, η̈) + p")
    if loaded:
        own -= _external(kernel, functions)
    lam, modal = own[:MOTION, :], own[MOTION:, :]
    for k in range(1, inputs + 1):
        H = kernel.take(f"H_I{k}", MOTION, modes)
        lam += kernel.take(f"lt_I{k}", MOTION)
        modal += H.T * kernel.take(f"lam_I{k}", MOTION)
    lam = kernel.let("lam", lam, BALANCE, says="λ = λ_own + Σ λ_k")
    modal += kernel.take(f"H{modes}", MOTION, modes).T * lam
    forces = kernel.each("tau", modal, VIRTUAL_POWER, "τ = λ_η + Σ H_kᵀ λ_k + Hᵀ λ")
    return kernel.build("lam", *forces)


@cache
def energy(functions: Functions) -> Kernel:
    """Kinetic energy, of gravity and of strain, added to that of the links before."""
    kernel = KernelBuilder(f"beam_energy_{functions.label}", "energy of a beam")
    _take_state(kernel, functions.modes)
    for symbol in DATA[:-1]:
        kernel.take(symbol.name)
    A, x = kernel.take("A", 2, 2), kernel.take("x", 2)
    of = _balance(kernel, functions)
    v, gravity = kernel.take("vl", 2), kernel.take("g", 2)
    before = kernel.take("Ebefore")
    speeds = sp.Matrix([*v, beam.SPIN, *of.rates])
    momentum = kernel.let("P", of.M * speeds, VIRTUAL_POWER)
    strained = kernel.let("Ke", of.K * of.eta, VIRTUAL_POWER)
    first = kernel.let("h", of.first, VIRTUAL_POWER)
    stored = (speeds.T * momentum + of.eta.T * strained) / 2
    fallen = -(gravity.T * (beam.MASS * x + A * first))
    kernel.let("E", before + stored + fallen, "E = T + V")
    return kernel.build("E")


@cache
def copied(modes: int, letter: str, result: str) -> Kernel:
    """Modal coordinates (`q`) or speeds (`u`) as they are."""
    title = "rates of modal coordinates" if letter == "u" else "modal coordinates"
    kernel = KernelBuilder(f"{result}_modes_{modes}", title)
    for j in range(1, modes + 1):
        kernel.let(
            f"{result}_{j}",
            kernel.take(f"{letter}{j}"),
            "q̇(q, u)" if letter == "u" else "own",
            says="q̇ = u" if letter == "u" else "q = q",
        )
    return kernel.build(*(f"{result}_{j}" for j in range(1, modes + 1)))
