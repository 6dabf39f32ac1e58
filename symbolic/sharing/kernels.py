"""The kernels of hinges that share a coordinate: its acceleration stays open up to their meet.

Several hinges move by one coordinate s, each with its own H. What a link demands becomes
λ = IA a + pA + Y s̈ as soon as one of them has been passed, and what the coordinate demands itself
is Yᵀ a + S s̈ + ε = 0: the sum of what all its hinges add to it. Where all of them lie behind, at
the lowest link inside them all, it is eliminated like a hinge's own; S is positive as the mass
matrix is.
"""

from __future__ import annotations

from ..language.letters import letters
from ..language.words import counted
from ..mechanics.letters import FACTS, LETTERS, MOVED, OF_PARENT
from ..mechanics.matrices import Algebra, M
from ..mechanics.traced import At, Tracer, tracing
from ..mechanics.turns import Transport

OPEN = "own: Riccati paper (24), (29), (30) with a coordinate that is eliminated later"
SUM = "own: shares of a coordinate's hinges, by virtual power"

SHARING = LETTERS | letters(f"""
    Y    | Y   | n | {OPEN} | wrench of an open coordinate's unit acceleration: λ = IA a + pA + Y s̈
    S    | S   | 1 | {OPEN} | force along an open coordinate of its, or another's, acceleration
    eps  | ε   | 1 | {OPEN} | force along an open coordinate that needs no acceleration
    Yh   | Y_h | n | {OPEN} | Y behind the hinge
    Yt   | Y_t | n | {OPEN} | Y_h about the parent's origin and in its axes
    et   | ε_t | 1 | {OPEN} | ε behind the hinge
    St   | S_t | 1 | {OPEN} | S behind the hinge
    P    | P   | f | {OPEN} | forces along the hinge's freedoms, of a unit s̈
    N    | N   | f | {OPEN} | what s̈ takes from u̇ = k − N s̈ − G a₀
    inv  | z   | 1 | {OPEN} | 1/S
    B    | B   | n | {OPEN} | what the acceleration of the link takes from s̈
    b    | b   | 1 | {OPEN} | what s̈ is without any acceleration
    R    | R   | 1 | {OPEN} | what another open coordinate takes from s̈
    sdd  | s̈   | 1 | {OPEN} | acceleration of a shared coordinate
    km   | k_s | f | {OPEN} | u̇ with known s̈ at a₀ = 0
    pAm  | p_s | n | {OPEN} | pA with the part of the known s̈
    share | s  | 1 | | share of one hinge in a result of a shared coordinate
    total | s  | 1 | {SUM} | sum of the shares
""")

traced = tracing(SHARING, FACTS, OF_PARENT)


@traced
def gathered(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns of a coordinate that arrive at a link, from so many inputs."""
    count = t.ask("count")
    t.called(f"open_{count}", f"open coordinate from {counted(count, 'input')}")
    Y, eps = k.zero(k.n), k.zero()
    for number in range(1, count + 1):
        Y, eps = Y + t.read("Yt", f"_I{number}"), eps + t.read("et", f"_I{number}")
    x.Y, x.eps = Y, eps
    return "Y", "eps"


@traced
def paired(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """S of a pair of coordinates that arrives at a link, from so many inputs."""
    count = t.ask("count")
    t.called(f"open_pair_{count}", f"pair of open coordinates from {counted(count, 'input')}")
    x.S = sum((t.read("St", f"_I{number}") for number in range(1, count + 1)), k.zero())
    return ("S",)


@traced
def eliminated(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A coordinate whose hinges all lie behind: s̈ = −b − Bᵀ a − R s̈ of others."""
    t.called("eliminated", "coordinate eliminated at the meet of its hinges")
    Y, S, eps = x.Y, x.S, x.eps
    x.inv = 1 / S
    x.B, x.b = Y @ x.inv, eps @ x.inv
    x.IAc = (-(x.B @ Y.T)).by(-(x.B.value * Y.value.T))
    x.pAc = -(x.B @ eps)
    return "inv", "B", "b", "IAc", "pAc"


@traced
def cleared(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Another open coordinate's column, once one is eliminated."""
    t.called("cleared", "open coordinate without an eliminated one")
    Y, eps, S = (t.read(word) for word in ("Yh", "et", "St"))
    B, inv, eps_e = x.B, x.inv, t.read("eps", "_1")
    x.R = S @ inv
    x.Y, x.eps = Y - B @ S, eps - x.R @ eps_e
    return "R", "Y", "eps"


@traced
def cleared_pair(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """S of two other open coordinates, once one is eliminated."""
    t.called("cleared_pair", "pair of open coordinates without an eliminated one")
    x.S = t.read("St") - x.R @ t.read("St", "_1")
    return ("S",)


@traced
def joins(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge that moves by a coordinate adds to its column; `first`: there was none yet."""
    first, rotor = t.ask("first"), x.rotor
    t.called(
        f"joins{'_first' if first else ''}{'_rotor' if rotor else ''}{x.way.label}",
        "hinge that shares a coordinate",
    )
    IA, H, gamma, held = x.IA, t.read("H_"), x.gam, x.pAh
    x.U = IA @ H
    D = H.T @ x.U + (k.diagonal(x.rho) if rotor else k.zero())
    own = H.T @ held - (x.T_ if x.acting else k.zero())
    if first:
        x.Yh, x.et, x.St = x.U, own, D
    else:
        Y = x.Y
        x.Yh, x.et = Y + x.U, x.eps + Y.T @ gamma + own
        x.St = x.S + 2 * (H.T @ Y) + D
    x.Yt = _moved(x, k, t)
    return "Yh", "et", "St", "Yt"


@traced
def beside(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """S of the coordinate that a hinge shares and another open one: `first` as in `joins`."""
    first = t.ask("first")
    t.called(f"beside{'_first' if first else ''}", "hinge beside another open coordinate")
    x.St = t.read("H_").T @ x.Y + (k.zero() if first else x.S)
    return ("St",)


@traced
def passes(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """An open coordinate's column through a hinge of its own freedoms: u̇ = k − N s̈ − G a₀."""
    freedom = x.freedom
    rotor = freedom and x.rotor
    t.called(
        f"passes_{freedom}{'_rotor' if rotor else ''}{x.way.label}",
        f"open coordinate through {counted(freedom, 'freedom')}",
    )
    Y, eps, total = x.Y, x.eps, x.gam
    left, outputs = Y, tuple[str, ...]()
    if freedom:
        x.U = x.IA @ x.H_
        x.D = x.H_.T @ x.U + (k.diagonal(x.rho) if rotor else k.zero())
        x.P = x.H_.T @ Y
        t.solve("N", x.D, x.P, OPEN)
        left, total = Y - x.U @ x.N, total + x.H_ @ x.k_
        outputs = "P", "N"
    x.Yh, x.et = left, eps + Y.T @ total
    x.Yt = _moved(x, k, t)
    return *outputs, "Yh", "et", "Yt"


def _moved(x: At, k: Algebra, t: Tracer) -> M:
    """Y behind the hinge about the parent's origin, in its axes."""
    _ = x.r
    to_parent = Transport(x, k, t, MOVED)
    X = to_parent.X
    behind: M = x.Yh
    return (X.T @ behind).by(to_parent.wrenches("Yr", behind).value)


@traced
def passes_pair(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """S of two open coordinates behind a hinge of its own freedoms."""
    t.called(f"passes_pair_{x.count}", "pair of open coordinates through a hinge")
    x.St = x.S - x.P.T @ x.N
    return ("St",)


@traced
def accelerated(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A shared coordinate's acceleration: −b − Bᵀ a, less what so many others take."""
    count = t.ask("count")
    t.called(f"shared_{count}", "acceleration of a shared coordinate")
    total = -x.b - x.B.T @ x.acc
    for number in range(1, count + 1):
        total = total - t.read("R", f"_{number}") @ t.read("sdd", f"_{number}")
    x.sdd = total
    return ("sdd",)


@traced
def known(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's acceleration without its parent's, so many open coordinates being known."""
    opens, freedom = t.ask("opens"), x.count
    t.called(f"freed_{freedom}_{opens}", "hinge with known shared accelerations")
    total = x.k_
    for number in range(1, opens + 1):
        total = total - t.read("N", f"_{number}", rows=freedom) @ t.read("sdd", f"_{number}")
    x.km = total
    return ("km",)


@traced
def bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a link demands without acceleration, so many open coordinates being known."""
    opens = t.ask("opens")
    t.called(f"shared_bias_{opens}", "bias with known shared accelerations")
    total = x.pAh
    for number in range(1, opens + 1):
        total = total + t.read("Yh", f"_{number}") @ t.read("sdd", f"_{number}")
    x.pAm = total
    return ("pAm",)


@traced
def total(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The sum of the shares that so many hinges have in a result of a shared coordinate."""
    count, size = t.ask("count"), {"rows": t.ask("rows"), "cols": t.ask("cols")}
    t.called(f"shares_{count}", "result of a shared coordinate")
    first, *others = (t.read("share", f"_{j}", **size) for j in range(1, count + 1))
    x.total = sum(others, first)
    return ("total",)
