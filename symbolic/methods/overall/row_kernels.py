"""The kernels of the overall transfer equation's rows, and of what is read off its solution.

Each is what a head, I, H, G or K, makes of a column. With `right` it is what it makes of the
column of the 1, moved to the right-hand side.
"""

from __future__ import annotations

import sympy as sp

from ...language.program import Policy
from ...language.written import LOW
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer
from ...mechanics.turns import spinning
from ...tree.recursion_kernels import centripetal
from .letters import BODY, HINGE, traced

MAIN = "deduction paper (23): main equation"
GEOMETRIC = "deduction paper (14), (21), (22): geometric equation of a body"
MODAL = "deduction paper, extended state: what drives a beam's modes"
DRIVEN = "own: Hᵀ λ + τ = 0 at the output of a hinge"
ROTOR = "own: a rotor’s inertia, along the hinge’s speeds"
COUPLING = "own: the condition and the load of a coupled hinge"


def _rows(t: Tracer, value: M, source: str, right: bool = False) -> tuple[str, ...]:
    """An entry a statement; on the right-hand side with its sign."""
    return t.each("row", -value if right else value, source)


def _called(t: Tracer, name: str, title: str) -> bool:
    """Name a kernel; is it one of the right-hand side?"""
    right: bool = t.ask("right")
    t.called(f"{name}{'_right' if right else ''}", title)
    return right


def _load(k: Algebra, t: Tracer, force: M, moment: M, letter: str = "λ") -> M:
    """λ = (−q, m) of a state."""
    return t.abbreviate(letter, k.stack(-force, moment))


@traced
def main(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What arrives at a root, less what is known of it: all but the unknown `entries`.

    `closed`: less the column's own start.
    """
    closed, entries = t.ask("closed"), t.ask("entries")
    label = "_".join(("_closed",) * closed + tuple(map(str, entries)))
    right = _called(t, f"main{label}", "main equation at a root")
    parts = {"a": x.ao, "m": x.mo, "q": x.qo}
    if right or closed:
        at = 0
        for word, known in (("a", x.a0), ("m", x.m0), ("q", x.q0)):
            numbers = list(known.value)
            left = [0 if at + i in entries else number for i, number in enumerate(numbers)]
            parts[word] -= known if left == numbers else k.formula(sp.Matrix(left))
            at += len(numbers)
    return _rows(t, k.stack(*parts.values()), MAIN, right)


@traced
def geometric(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The acceleration of an input, `number`: from the first one's, less its own."""
    number, entries = t.ask("number"), t.ask("entries")
    label = "_".join(map(str, (number, *entries)))
    right = _called(t, f"geometric_{label}", "geometric equation of a body")
    further, value = At(t, f"{number}"), k.zero(k.n)
    if 1 in entries:
        value = value + k.X(further.rK) @ t.read("a", "_I1")
    if number in entries:
        value = value - t.read("a", f"_I{number}")
    if right:
        value = value + k.stack(further.gK, k.zero(k.s))
    return _rows(t, value, GEOMETRIC, right)


@traced
def hinge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Hᵀ λ of a hinge, and what acts in it."""
    acting = t.ask("acting")
    right = _called(t, f"hinge_{x.count}{'_acting' * acting}", "what drives a hinge")
    H = x.Hs_
    value = H.T @ _load(k, t, x.qo, x.mo)
    return _rows(t, value + x.T_ if acting else value, DRIVEN, right)


@traced
def modal(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What drives a beam's modes: of a column that arrives at some of its inputs."""
    entries = t.ask("entries")
    label = "_".join(map(str, entries))
    right = _called(t, f"modes_{x.count}_{label}", "what drives a beam's modes")
    Y = At(t, "O").Y_
    value = -Y.T @ _load(k, t, x.qo, x.mo)
    for number in entries:
        y = At(t, f"_I{number}")
        if number == 1:
            value = value + x.Me_.T @ y.a
        else:
            Y = At(t, f"{number}").Y_
            value = value + Y.T @ _load(k, t, y.q, y.m, f"λ{LOW[number]}")
    return _rows(t, value + x.pe_ if right else value, MODAL, right)


@traced
def modal_own(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """M_ηη − Y_Oᵀ λ_O of one of a beam's own modal accelerations, the `k`-th unit column."""
    t.called(f"modes_own_{x.count}", "inertia of a beam's modes")
    inertia = x.Mee_ @ x.unit
    Y = At(t, "O").Y_
    return _rows(t, inertia - Y.T @ _load(k, t, x.qo, x.mo), MODAL)


@traced
def geometric_own(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What one of a beam's own modal accelerations does at an input, `number`: column of Y."""
    number = t.ask("number")
    t.called(f"geometric_own_{x.count}_{number}", "geometric equation of a beam")
    return _rows(t, At(t, f"{number}").Y_ @ x.unit, GEOMETRIC)


@traced
def entries(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Given entries of the matrix: −1 at a root, a rotor's inertia, what a coupling demands."""
    t.called(f"entries_{x.count}", "given entries of the overall equation")
    return _rows(t, x.x, t.ask("source"))


@traced
def copied(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Unknowns as the rates of speeds."""
    t.called(f"a_{x.count}", "results among the unknowns")
    return _rates(t, t.numbers("x"))


def _rates(t: Tracer, value: M) -> tuple[str, ...]:
    return t.each("a", value, HINGE, "u̇")


@traced
def pinned_rates(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The speeds' rates of a pin or ball to the ground, from Ω̇ = Ω̇_g + γ + H u̇ of its body."""
    t.called("pinned_rates", "accelerations in a hinge to the ground")
    H, ground, bias = x.Hs_, x.ag, x.gs
    rate = t.numbers("x", count=k.s)
    return _rates(t, k.ang(H).T @ (rate - (k.ang(ground) + k.ang(bias))))


@traced
def loose_rates(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The speeds' rates of a hinge to the ground that holds nothing: a = X a_g + γ + H u̇.

    `a` is the acceleration at the body's output, `rOL` the arm from there to the hinge.
    """
    t.called("loose_rates", "accelerations of a free body's coordinates")
    A = x.A
    spin = spinning(x, k, A)
    arm = t.state("arm", A @ x.rOL, BODY)
    a = k.X(arm) @ x.a
    a = a + k.stack(centripetal(k, t, spin) @ arm, k.zero(k.s))
    a = a - (k.X(x.dh) @ x.ag + x.gs)
    H = x.Hs_
    rates = t.solve("ud", H, a, HINGE, Policy.LU)
    return _rates(t, (H.inverse @ a).by(rates))


@traced
def loose_load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Moment and force at such a hinge: those of its given forces, signed as at an output."""
    t.called("loose_load", "loads at a hinge to the ground")
    A, W = x.A, x.W
    x.load = k.load(k.turned(A, k.ang(W)), -(A @ k.lin(W)))
    return ("load",)


@traced
def spin_rate(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A body's angular acceleration in absolute coordinates."""
    t.called("spin_rate", "angular acceleration of a body")
    ang = k.ang(x.a)
    x.rate = ang if k.d == 2 else x.A.T @ ang
    return ("rate",)


@traced
def load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Moment and force at an end of a body, signed as at an output: at an `input` reversed."""
    reversed_ = t.ask("input")
    t.called(f"load{'_input' if reversed_ else ''}", "loads at a hinge")
    m, q = x.m, x.q
    x.load = k.load(-m, -q) if reversed_ else k.load(m, q)
    return ("load",)


@traced
def drive(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The force that drives a hinge as prescribed: −Hᵀ λ at its output, and its rotor's."""
    resisted = t.ask("resisted")
    t.called(f"drive_{x.count}{'_rotor' * resisted}", "driving force of a hinge")
    H = x.Hs_
    needed = -H.T @ _load(k, t, x.qo, x.mo)
    return t.each("drive", needed - x.T_ if resisted else needed)


@traced
def shown(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A part of the overall equation as a result."""
    t.called(f"shown_{t.ask('part')}", "overall equation")
    t.state("y", x.x, MAIN)
    return ("y",)
