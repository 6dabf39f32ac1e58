"""Hinges that share a coordinate σ: it stays open up to the ground as a tie's column does.

Where hinges move by ρ σ each, V is ½ ξᵀ Z ξ + ξᵀ E σ + ½ σᵀ S σ of a link and all that hangs on it:
a hinge adds B ρ to E and ρᵀ Hᵀ E + Eᵀ H ρ + ρᵀ D ρ to S, with the B and D by which another hinge
eliminates its own freedoms. Forces along σ vanish where Eᵀ ξ + S σ + o = 0: with Λ = −S that is a
tie's condition, whose force is σ, and all that passes columns on is the same.

By Haynsworth S, of which all other coordinates are eliminated, has as many negative eigenvalues as
the whole stiffness has besides those of the hinges' pivots: all of them count one by one. A
condition with a multiplier has one of each sign instead, of which it takes the negative one off.
"""

from __future__ import annotations

from ...mechanics.matrices import Algebra
from ...mechanics.traced import At, Tracer, tracing
from . import kernels
from .letters import CELLS, OF_CELLS, PARENTS, TIED
from .tie_kernels import behind

traced = tracing(CELLS, OF_CELLS, PARENTS)


@traced
def demands(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """B and D of a hinge that moves by shared coordinates."""
    added = "".join(f"_{word}" for word in ("stiff", "bent", "rotor") if t.ask(word))
    t.called(
        f"shares_{x.count}{added}{'' if x.even else '_uneven'}", "hinge that shares a coordinate"
    )
    kernels.demanded(x, k, t)
    return (*(t.port(y) for y in ("B_", "D_")), *([] if x.even else [t.port("Y_")]))


@traced
def summed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What hinges exert at rest along the coordinate that they share, whose H are for a unit."""
    count = t.ask("count")
    t.called(f"summed_{count}", "effort along a shared coordinate")
    total = k.zeros(1, 1)
    for number in range(1, count + 1):
        total = total + t.read("ef", f"_{number}")
    return t.each("er", total)


@traced
def joined(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns behind a hinge that moves by shared coordinates."""
    t.called(
        f"joins_tied{'_fed' * x.fed}{'' if x.even else '_uneven'}{x.way.label}",
        "ties and a shared hinge",
    )
    E, H, turns = x.E_, x.H_, x.turns
    O = E if x.even else x.O_  # noqa: E741
    pulled, opened = (x.felt_, x.told_) if x.fed else (k.zeros(1, x.width),) * 2
    Pe = t.state("Pe", H.T @ E + pulled, TIED, "P")
    Po = Pe if x.even else t.state("Po", H.T @ O + opened, TIED, "P_o")
    L = t.state("Lh", x.L_ - turns.T @ Pe - Po.T @ turns - turns.T @ x.D_ @ turns, TIED, "Λ_h")
    E = t.state("Eh", E + x.B_ @ turns, TIED)
    O = E if x.even else t.state("Oh", O + x.Y_.T @ turns, TIED)  # noqa: E741
    return behind(x, k, t, E, O, L)
