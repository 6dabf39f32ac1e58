"""The kernels of the closed form M u̇ + C u + g = τ, in spatial representation.

Twists are (v, ω) of the inertial origin, in inertial axes; J_i are the columns of a hinge's
speeds there, J̇_i their rates, V = Σ J u, M_l a link's inertia about that origin and P_l = M_l V_l
its momentum. With k the outer of two hinges i and j on one way to the ground, and sums over all
links from k outwards,

    M_ij = J_iᵀ (Σ M_l) J_j,    C_ij = J_iᵀ ((Σ M_l) J̇_j + (Σ Y_l) J_j),

where Y is one of the `VARIANTS`; of hinges on different ways they are zero. In the links' own
axes this is C = Jᵀ M J̇ − Jᵀ X J with Y = −M ad_V − X. Speeds need be no rates of coordinates, and
the columns may change in the child: J̇ holds all of it.

C u + g itself takes no matrix: it is Jᵀ times the sum over all links from a hinge outwards of
M V̇ − ad_Vᵀ M V, with the rates V̇ of twists at accelerations of zero, the ground's being −g.

Source: screw paper (39), (82), (85); the sums over links and the second and third variant are own.
"""

from __future__ import annotations

import sympy as sp

from ....model.expressions.differentiated import rate
from ...language.letters import letters
from ...language.words import called, counted
from ...mechanics.hinges import joint, tidy
from ...mechanics.letters import FACTS, LETTERS, OF_PARENT
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer, tracing
from ...plans.plan import Link
from ...tree.inverse_kernels import mirrored, moments
from ...tree.joint import Joint
from ..inverse.kernels import SCREW
from ..inverse.places import INERTIA, Place, Representation

#: How the matrix C is chosen, and where from.
VARIANTS = {
    "printed": "screw paper (85): X = ad_Vᵀ M",
    "skew": "own: X = bar(M V), so that Ṁ − 2 C is skew",
    "christoffel": "own: X = (ad_Vᵀ M + bar(M V) − M ad_V) / 2, by Christoffel's symbols (86)",
}
TWIST = "screw paper (69): V = V_parent + J q̇"
MOMENTUM = "screw paper (36): P = M V"
MASS = "screw paper (82): M = Jᵀ M J"
CORIOLIS = "screw paper (85): C = −Jᵀ (M A a + X) J, summed over the links outwards"
CHANGE = "screw paper (17): J̇ = [V, J], and the change of H in the child's axes"
RATE = "screw paper (70), (71c): V̇ = V̇_parent + J̇ q̇"
BIAS = "screw paper (39), (72a): M V̇ − ad_Vᵀ M V, summed over the links outwards"
GRAVITY = "own: what gravity, as an acceleration of the ground, demands along the hinge"
SUM = "own: sum over all links outwards"

SPATIAL = Representation.SPATIAL

CLOSED = LETTERS | letters(f"""
    u    | q̇  | 1       | | speed of the hinge
    Vs   | V  | n       | {TWIST} | twist of the link, of its point at the inertial origin
    Hd_  | Ḣ  | n f     | own: d/dt of H(q) | rate of the hinge's H in the child's axes
    J_   | J  | n f     | {SCREW[SPATIAL]} | screws of the hinge: twists that unit speeds give
    Jd_  | J̇  | n f     | {CHANGE} | rates of the hinge's screws
    Ja   | Jₐ | n       | | screws of a hinge on the way to the ground
    Jda  | J̇ₐ | n       | | rates of the screws of a hinge on the way to the ground
    Ms   | M  | n n sym | {INERTIA[SPATIAL]} | inertia of a link about the inertial origin
    Mc   | Mc | n n sym | {SUM} | inertia of a link and of all that hangs on it
    P    | P  | n       | {MOMENTUM} | momentum of the link about the inertial origin
    Yc   | Yc | n n     | {SUM} | Coriolis terms −M ad(V) − X of a link and of all that hangs on it
    U_   | U  | n f     | {MASS} | momenta of the hinge's screws, of all links outwards
    F_   | F  | n f     | {CORIOLIS} | Mc J̇ + Yc J of a hinge
    G_   | G  | n f     | {CORIOLIS} | Ycᵀ J of a hinge
    F    | F  | n f     | | Mc J̇ + Yc J of the outer hinge
    G    | G  | n f     | | Ycᵀ J of the outer hinge
    M    | M  | 1       | {MASS} | entry of the mass matrix
    N    | N  | 1       | {MASS} | entry of the mass matrix, in the other speed's row
    C    | C  | 1       | {CORIOLIS} | entry of the Coriolis matrix
    D    | C′ | 1       | {CORIOLIS} | entry of the Coriolis matrix in the inner hinge's row
    Vds  | V̇  | n       | {RATE} | rate of the link's twist at accelerations of zero
    W    | W  | n       | {BIAS} | wrench that a link and all that hangs on it then demand
    bias     | b  | f   | screw paper (71): Q = Jᵀ W | force along the hinge that they demand
    gravity  | Qg | f   | {GRAVITY} | force along the hinge that gravity demands
    momentum | L  | 6   | {MOMENTUM} | momentum of the body about the inertial origin
    S    | S  | 6       | screw paper (105) | screw of a speed, angular part first
""")


def changing(dimension: int, kind: str, backward: bool) -> sp.Matrix | None:
    """Ḣ, the rate of a hinge's H in the child's axes; none if it does not change."""
    of = joint(dimension, kind)
    H = of.backward_subspace if backward else of.subspace
    if not H.free_symbols & set(of.q):
        return None
    return tidy(rate(H, zip(of.q, of.rates, strict=True)))


def changes(tree: Joint, link: Link) -> bool:
    """Does H of the link's hinge change in the link?"""
    attached = tree.attachment(link)
    return changing(tree.dimension, attached.hinge.kind, attached.backward) is not None


PARENTS = {**OF_PARENT, "Vs": "Vp", "Vds": "Vdp"}
ASKED = {**FACTS, "changes": changes}
traced = tracing(CLOSED, ASKED, PARENTS)


@traced
def subspace_rate(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The rate of a hinge's H in the child's axes."""
    kind, backward = x.kind, x.backward
    name = f"rate_of_{kind}{'_backward' if backward else ''}"
    t.called(name, f"how H of {called(kind)} hinge changes")
    rate = changing(k.d, kind, backward)
    assert rate is not None
    t.singles(rate, table=t.table)
    x.Hd_ = k.formula(rate)
    return (t.port("Hd_"),)


@traced
def screws(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns of a hinge's speeds, at the inertial origin."""
    t.called(f"screws_{x.count}", f"screws of {counted(x.count, 'freedom')}")
    x.J_ = Place(SPATIAL, x, k, t).moved("H", x.H_)
    return (t.port("J_"),)


@traced
def twist(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A link's twist, and how the columns of its hinge change with the motion."""
    freedom = x.freedom
    t.called(f"twist_{freedom}{_change(x)}", "twist of a link")
    V = x.up.Vs
    if not freedom:
        x.Vs = V
        return ("Vs",)
    J = x.J_
    x.Vs = V + J @ t.numbers("u")
    x.Jd_ = screw_rate(x, k, t, x.Vs, J)
    return "Vs", t.port("Jd_")


def _change(x: At) -> str:
    return "_change" if x.freedom and x.changes else ""


def screw_rate(x: At, k: Algebra, t: Tracer, V: M, J: M) -> M:
    """J̇: the screws of a hinge move with the link, and change in it."""
    rate = k.ad(V) @ J
    return rate + Place(SPATIAL, x, k, t).moved("Hd", x.Hd_) if x.changes else rate


@traced
def composite(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A link's inertia about the inertial origin, and with it that of all that hangs on it."""
    inputs = x.input_count
    t.called(f"composite_{inputs}", f"inertia of a body with {counted(inputs, 'input')}")
    at = Place(SPATIAL, x, k, t)
    mass, h, second = at.moments(moments(x, k))
    J = second if k.d == 2 else k.one(k.trace(second)) - second
    lever = k.tilde(h).T
    x.Ms = k.blocks((k.one(mass), lever), (lever.T, J))
    x.Mc = sum((y.Mc for y in x.inputs), x.Ms)
    return "Ms", "Mc"


@traced
def gathered(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Y of a link, and with it that of all that hangs on it."""
    inputs, variant = x.input_count, t.ask("variant")
    t.called(f"{variant}_{inputs}", f"coriolis terms of a body, {variant}")
    mass, V = x.Ms, x.Vs
    x.P = mass @ V
    A = t.state("MA", mass @ k.ad(V), "screw paper (38)")
    own = {
        "printed": -A - A.T,
        "skew": -A - k.bar(x.P),
        "christoffel": -(A + A.T + k.bar(x.P)).half,
    }[variant]
    t.state("Yc", sum((y.Yc for y in x.inputs), own), VARIANTS[variant])
    return ("Yc",)


@traced
def momentous(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """U = M J: the momenta of a hinge's screws, of all links outwards."""
    t.called(f"momentous_{x.count}", f"momenta of {counted(x.count, 'freedom')}")
    J = x.J_
    x.U_ = x.Mc @ J
    return (t.port("U_"),)


@traced
def mass_column(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's own block of M."""
    freedom, rotor = x.count, x.rotor
    name = f"mass_{freedom}{'_rotor' if rotor else ''}"
    t.called(name, f"mass matrix of {counted(freedom, 'freedom')}")
    J, U = x.J_, x.U_
    block = J.T @ U + (k.diagonal(x.rho) if rotor else k.zero())
    upper = [(i, j) for i in range(1, freedom + 1) for j in range(i, freedom + 1)]
    names = [t.entry("M", block, i, j) for i, j in upper]
    return *names, *(mirrored(t, "M", i, j) for i, j in upper if i != j)


def _entries(t: Tracer, word: str, block: M) -> list[str]:
    """State a block entry by entry."""
    rows, cols = block.value.shape
    return [t.entry(word, block, i + 1, j + 1) for i in range(rows) for j in range(cols)]


@traced
def mass_pair(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Two blocks of M, of a hinge and one on its way to the ground."""
    outer, inner = x.count, t.ask("inner")
    t.called(f"mass_{outer}_{inner}", "mass matrix of two hinges")
    U, J = x.U, t.read("Ja", cols=inner)
    block, names = U.T @ J, list[str]()
    for i in range(1, outer + 1):
        for j in range(1, inner + 1):
            names += [t.entry("M", block, i, j), mirrored(t, "N", i, j)]
    return tuple(names)


@traced
def coriolis_column(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """M J̇ + Y J and Yᵀ J of a hinge, with all links outwards, and its own block of C."""
    freedom = x.count
    t.called(f"coriolis_{freedom}", f"coriolis matrix of {counted(freedom, 'freedom')}")
    J, Jd = x.J_, x.Jd_
    Mc, Y = x.Mc, x.Yc
    x.F_, x.G_ = Mc @ Jd + Y @ J, Y.T @ J
    return t.port("F_"), t.port("G_"), *_entries(t, "C", J.T @ x.F_)


@traced
def coriolis_pair(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Two blocks of C, of a hinge and one on its way to the ground: C_oi and C_io."""
    outer, inner = x.count, t.ask("inner")
    t.called(f"coriolis_{outer}_{inner}", "coriolis matrix of two hinges")
    U, G, F = x.U, x.G, x.F
    J, Jd = (t.read(word, cols=inner) for word in ("Ja", "Jda"))
    return *_entries(t, "C", U.T @ Jd + G.T @ J), *_entries(t, "D", J.T @ F)


@traced
def gravity(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a hinge must exert against gravity: Uᵀ (−g, 0)."""
    t.called(f"gravity_{x.count}", f"gravity along {counted(x.count, 'freedom')}")
    U = x.U_
    return t.each("gravity", -(k.lin(U).T @ x.g))


@traced
def unaccelerated(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The rate of a link's twist where no speed changes."""
    freedom = x.freedom
    t.called(f"unaccelerated_{freedom}", "rate of a link's twist without accelerations")
    rate = x.up.Vds
    x.Vds = rate + x.Jd_ @ t.numbers("u") if freedom else rate
    return ("Vds",)


@traced
def demanded(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The wrench that a link demands where no speed changes, and all that hangs on it."""
    t.called(f"demanded_{x.input_count}", "wrench of a body without accelerations")
    V, mass = x.Vs, x.Ms
    x.P = mass @ V
    x.W = sum((y.W for y in x.inputs), mass @ x.Vds - k.ad(V).T @ x.P)
    return ("W",)


@traced
def bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a hinge must exert where no speed changes."""
    t.called(f"bias_{x.count}", f"forces without accelerations along {counted(x.count, 'freedom')}")
    J, W = x.J_, x.W
    return t.each("bias", J.T @ W)


@traced
def momentum(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A link's momentum about the inertial origin: moment, then linear, three components each."""
    t.called("momentum", "momentum of a body")
    P = x.Ms @ x.Vs
    x.momentum = k.load(k.ang(P), k.lin(P))
    return ("momentum",)


@traced
def shown(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's screws with six components each: angular, then linear."""
    t.called(f"screws_shown_{x.count}", f"screws of {counted(x.count, 'freedom')}")
    J = x.J_
    for j in range(1, x.count + 1):
        S = k.column(J, j)
        t.state(f"S_{j}", k.load(k.ang(S), k.lin(S)), "screw paper (105)", f"S{j}")
    return tuple(f"S_{j}" for j in range(1, x.count + 1))
