"""The kernels of harmonic loads about rest: inwards what they demand, outwards what moves."""

from __future__ import annotations

from ...language.words import counted
from ...mechanics.letters import MOVED
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer, tracing
from ...mechanics.turns import Transport
from ...tree.recursion_kernels import external
from .letters import ASKED, ELIMINATED, FOUND, LINEAR, PARENTS, RESULT

traced = tracing(LINEAR, ASKED, PARENTS)


@traced
def pushed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What harmonic loads on a link and all that hangs on it demand: λ − λ₀ = Z ξ + p."""
    inputs = x.input_count
    t.called(f"driven_{inputs}", f"harmonic load on a body with {counted(inputs, 'input')}")
    p = -t.abbreviate("f_ext", external(x, k)) if x.loaded else k.zeros(k.n, 1)
    for y in x.inputs:
        p = p + y.pzt
    x.pz = p
    return ("pz",)


@traced
def passed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """p behind the hinge, whose displacement is χ = k − G ξ′, and at the parent's origin."""
    freedom = x.freedom
    title = f"harmonic load behind {counted(freedom, 'freedom')}"
    t.called(f"passed_{freedom}{x.way.label}", title)
    p, _ = x.pz, x.r
    to_parent, outputs = Transport(x, k, t, MOVED), list[str]()
    if freedom:
        H, D = x.H_, x.D_
        force = t.numbers("tau", count=freedom) if x.forced else k.zero(freedom)
        rate = force - H.T @ p
        found = t.solve("kz_", D, rate, ELIMINATED)
        kz = M(found, t.known(t.port("kz_")).tree)
        x.pzh = p + x.B_ @ kz
        outputs += [t.port("kz_")]
    else:
        x.pzh = p
    x.pzt = (to_parent.X.T @ x.pzh).by(to_parent.wrenches("pzr", x.pzh).value)
    return *outputs, "pzh", "pzt"


@traced
def moved(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """From the parent's displacement to the hinge's own and the link's, in link axes."""
    freedom = x.freedom
    tied = "_shared" if x.shares else "_tied" if freedom and x.held else ""
    t.called(
        f"moved_{freedom}{tied}{x.way.label}", f"displacement behind {counted(freedom, 'freedom')}"
    )
    parent, _ = x.up.xi, x.r
    to_parent = Transport(x, k, t, MOVED)
    x.xi0 = (to_parent.X @ parent).by(to_parent.motion("xi", parent).value)
    total, outputs = x.xi0, tuple[str, ...]()
    if freedom:
        if x.shares:
            own = x.turns @ x.zeta_
        else:
            own = x.kz_ - x.G_ @ x.xi0
            if x.held:
                own = own - x.N_ @ x.zeta_
        own = t.state("own", own, FOUND, "χ")
        outputs = t.each("eta", own)
        total = total + x.H_ @ own
        spins = k.diagonal(x.rho) @ own if x.rotor else k.zeros(freedom, 1)
        outputs = (*outputs, *t.each("romom", spins))
    x.xi = total
    return "xi", "xi0", *outputs


@traced
def seen(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A body's displacement at its centre of mass, and its inertia times that, in inertial axes."""
    t.called("displaced", "displacement of a body")
    xi, A, m, J = x.xi, x.A, x.m, x.JC
    x.rC_xi = k.lin(xi) + k.cross(k.ang(xi), x.rC)
    x.disp = k.stack(A @ x.rC_xi, k.turned(A, k.ang(xi)))
    spin = t.state("spin", J @ k.ang(xi), RESULT, "L")
    x.mom = k.stack(m @ (A @ x.rC_xi), k.turned(A, spin))
    return "disp", "mom"
