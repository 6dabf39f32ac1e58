"""What displacements strain, and the wrenches in hinges, beams and forces between points by it."""

from __future__ import annotations

from ...language.letters import letters
from ...language.program import Port
from ...language.words import counted
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing
from .letters import CELLS, CUT, OF_CELLS, PARENTS, RICCATI, STIFF, TIED

STRAIN = "own: by the springs along the freedoms of the hinge"
MIDWAY = "own: the slope of V along ξ is the wrench in axes midway between rest and ξ"

STRAINS = CELLS | letters(f"""
    slope  | λ_ξ | n       | {STIFF} | slope of V at ξ, less that at rest
    load   | Λ_h | n       | {MIDWAY} | wrench of the hinge on the link beyond rest, inertial axes
    ks     | τ_s | 1       | {STRAIN} | what the hinge's own springs ask along a freedom
    yI     | y_I | n       | {RICCATI} | displacement and turn at I, in axes of the cell
    lI     | λ_I | n       | {RICCATI} | wrench at I, by what is at O on what is at I
    Wl     | W_l | 1       | {TIED} | strain energy of a force between points
    Wc     | W_c | 1       | {CUT} | strain energy of the springs of a cut hinge
""")

traced = tracing(STRAINS, OF_CELLS, PARENTS)


@traced
def exerted(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The wrench that a link's hinge exerts on it beyond that at rest, in inertial axes."""
    tied = x.held
    t.called(f"exerted{'_tied' if tied else ''}", "wrench of a hinge beyond that at rest")
    xi, rest = x.xi, x.rest
    slope = x.Z @ xi + x.pz
    x.slope = slope + x.E_ @ x.zeta_ if tied else slope
    theta = k.ang(xi)
    # From axes that are turned and shifted by half of ξ.
    force = k.lin(x.slope) + k.cross(theta, k.lin(rest)).half
    moment = k.ang(x.slope) - k.moment(k.lin(xi), k.lin(rest)).half
    if k.d == 3:
        moment = moment + k.cross(theta, k.ang(rest)).half
    x.load = k.stack(x.A @ force, k.turned(x.A, moment))
    return ("load",)


@traced
def sprung(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What the springs of a hinge ask along its freedoms: κ χ."""
    name = f"strained_{x.freedom}{'' if x.stiff else '_loose'}"
    t.called(name, f"springs along {counted(x.freedom, 'freedom')}")
    if not x.stiff:
        return t.each("ks", k.zeros(x.freedom, 1))
    chi = t.numbers("eta", count=x.freedom)
    return t.each("ks", t.state("kchi", x.kap_ @ chi, STRAIN, "κχ"))


@traced
def ends(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Displacement and wrench at the end I of a cell, in its axes."""
    t.called("strained_cell", "end of a cell")
    x.yI, x.lI = x.uI, x.lamI
    return "yI", "lI"


@traced
def stretched(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The strain energy of a force between two points: ½ Σ c y² of how far its springs open."""
    sides = t.ask("sides")
    t.called(f"stretched_{sides}", "strain energy of a force between points")
    opened: M = k.zeros(k.d + 1, 1)
    for side in sides:
        J = t.read("Jl", f"_{side}", cols=k.d + 1)
        opened = opened + J.T @ t.read("xi", f"_{side}")
    y = t.state("yl", opened, TIED, "y")
    c = t.read("ca", rows=k.d + 1)
    x.Wl = (y.T @ (k.diagonal(c) @ y)).half
    return ("Wl",)


@traced
def stretched_cut(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The strain energy of the springs of a cut hinge: ½ χᵀ κ χ, χ by both its sides."""
    sides, rigid, freedom = t.ask("sides"), t.ask("rigid"), t.ask("count")
    t.called(f"stretched_cut_{sides}_{freedom}", "strain energy of a cut hinge")
    chi: M = k.zeros(freedom, 1)
    for side in sides:
        port = Port(f"col{side}", k.n, rigid + 2 * freedom)
        places = range(port.cols - freedom + 1, port.cols + 1)
        own = part(t.given(port, f"J_{side}"), range(1, k.n + 1), places)
        chi = chi + own.T @ t.read("xi", f"_{side}")
    chi = t.state("chic", chi, CUT, "χ_c")
    kap = t.given(Port("kc", freedom, freedom, freedom > 1), "κ_c")
    x.Wc = (chi.T @ (kap @ chi)).half
    return ("Wc",)
