"""The kernels of inverse dynamics and its first two rates, in body-fixed representation.

V, V̇, V̈, V⃛ are a link's twist (v, ω) and its rates, of the link's origin in its axes; H is the
screw of its hinge, if it is one that is fixed in the link. Of any other hinge X is a matrix with
rates Ẋ, Ẍ and E, Ė, Ë, E⃛ are the twist in the hinge, X u, and its rates: what the parent's
twists become is differentiated by d/dt Ad V = Ad V̇ − ad_E Ad V. Gravity is a true acceleration of
the ground, in every term.

Source: screw paper, Sect. 6.3; the recursion is own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import sympy as sp

from ....model.expressions.differentiated import rate
from ...language.letters import letters
from ...language.words import called, counted
from ...mechanics.hinges import Joint, joint, tidy
from ...mechanics.letters import FACTS, OF_PARENT
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer, tracing
from ...mechanics.turns import Transport
from ...tree.inverse_kernels import INVERSE, moved
from ...tree.recursion_kernels import inertia

TWISTS = "own: Ad V_parent⁽ᵏ⁾ = (d/dt + q̇ ad)ᵏ V − …, screw paper Sect. 6.3"
WRENCHES = "screw paper (42), differentiated: W = M V̇ − ad_Vᵀ M V"
HINGE = "own: X(q) u and X(q), differentiated along the motion"
SEEN = "own: of a hinge described from the other side −Ad E; d/dt Ad E = Ad (Ė + ad E)"
NEEDED = "screw paper (67): Q = Xᵀ W, differentiated"
MOVED = "own: W_parent += Adᵀ W, differentiated"

#: How many rates of a twist there are, the twist itself included.
TWIST_NAMES = ("Vb", "V1", "V2", "V3")
WRENCH_NAMES = ("W", "W1", "W2")
FORCES = ("Q0", "Q1", "Q2")

LETTERS = INVERSE | letters(f"""
    Vb   | V  | n | {TWISTS}   | twist of the link, of its origin in its axes
    V1   | V̇  | n | {TWISTS}   | rate of the twist
    V2   | V̈  | n | {TWISTS}   | second rate of the twist
    V3   | V⃛  | n | {TWISTS}   | third rate of the twist
    E0   | E  | n | {HINGE}    | twist in the hinge
    E1   | Ė  | n | {HINGE}    | rate of the twist in the hinge
    E2   | Ë  | n | {HINGE}    | second rate of the twist in the hinge
    E3   | E⃛  | n | {HINGE}    | third rate of the twist in the hinge
    X0   | X  | n f | {HINGE}  | screws of the hinge's freedoms
    X1   | Ẋ  | n f | {HINGE}  | rates of the hinge's screws
    X2   | Ẍ  | n f | {HINGE}  | second rates of the hinge's screws
    Q0   | Q  | f | {NEEDED}   | force that a freedom of the hinge needs
    Q1   | Q̇  | f | {NEEDED}   | rate of the force
    Q2   | Q̈  | f | {NEEDED}   | second rate of the force
    W    | W  | n | {WRENCHES} | wrench that a link and all that hangs on it demand
    W1   | Ẇ  | n | {WRENCHES} | rate of the wrench
    W2   | Ẅ  | n | {WRENCHES} | second rate of the wrench
    P    | P  | n | {WRENCHES} | momentum of the body
    P1   | Ṗ  | n | {WRENCHES} | inertia times the rate of the twist
    P2   | P̈  | n | {WRENCHES} | inertia times the second rate of the twist
    u    | q̇  | 1 | | speed of the hinge
    jerk | q⃛  | 1 | | second rate of a hinge's speed
    snap | q⃜  | 1 | | third rate of a hinge's speed
""")

ASKED = {**FACTS, "rates": lambda tree, _: tree.rates}
traced = tracing(LETTERS, ASKED, OF_PARENT)


def _to(rates: int) -> str:
    """What is added to a kernel's name where it stops at the second rate."""
    return "" if rates == 3 else "_to_jerks"


def _brought(x: At, k: Algebra, t: Tracer, names: tuple[str, ...]) -> Iterator[M]:
    """The parent's twist and its rates, of its point at the link's origin, in the link's axes."""
    parents = [t.read(name, "p") for name in names]
    _ = x.r
    to_parent = Transport(x, k, t, TWISTS)
    for name, parent in zip(names, parents, strict=True):
        yield (to_parent.X @ parent).by(to_parent.motion(f"{name}m", parent).value)


@traced
def twists(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A link's twist and its two or three rates from its parent's and the hinge's."""
    rates, freedom = x.rates, x.freedom
    name = f"twists{'' if freedom else '_rigid'}{_to(rates)}{x.way.label}"
    t.called(name, "twist of a link and its rates")
    names = TWIST_NAMES[: rates + 1]
    found = list(_brought(x, k, t, names))
    if not freedom:
        for name, value in zip(names, found, strict=True):
            t.state(name, value)
        return names
    H, q1, q2, q3 = x.H_, *(t.numbers(word) for word in ("u", "ad", "jerk"))
    q4 = t.numbers("snap") if rates == 3 else k.zero()
    A = k.ad(H)
    x.Vb = found[0] + H @ q1
    a = t.state("aV", A @ x.Vb, TWISTS)
    x.V1 = found[1] + H @ q2 - q1 @ a
    a1, aa = t.state("aV1", A @ x.V1, TWISTS), t.state("aaV", A @ a, TWISTS)
    x.V2 = found[2] + H @ q3 - q2 @ a - 2 * q1 @ a1 - q1**2 @ aa
    if rates == 3:
        rest = q3 @ a + 3 * q2 @ a1 + 3 * q1 @ A @ x.V2
        twice = 3 * q1 @ q2 @ aa + 3 * q1**2 @ A @ a1 + q1**3 @ A @ aa
        x.V3 = found[3] + H @ q4 - rest - twice
    return names


@traced
def twists_behind(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A link's twist and its two or three rates from its parent's and those in the hinge."""
    rates = x.rates
    t.called(f"twists_behind{_to(rates)}{x.way.label}", "twist of a link and its rates")
    names = TWIST_NAMES[: rates + 1]
    brought = zip(names, _brought(x, k, t, names), strict=True)
    a0, a1, a2, *last = [t.state(f"{name}a", value, TWISTS) for name, value in brought]
    E = [t.read(f"E{j}") for j in range(rates + 1)]
    A0, A1, A2 = map(k.ad, E[:3])
    x1 = t.state("x1", a1 - A0 @ a0, TWISTS)
    y1 = t.state("y1", a2 - A0 @ a1, TWISTS)
    x2 = t.state("x2", y1 - A1 @ a0 - A0 @ x1, TWISTS)
    found = [a0, x1, x2]
    for a3 in last:
        y2 = t.state("y2", a3 - A0 @ a2 - A1 @ a1 - A0 @ y1, TWISTS)
        found.append(y2 - A2 @ a0 - 2 * A1 @ x1 - A0 @ x2)
    for name, value, own in zip(names, found, E, strict=True):
        t.state(name, value + own)
    return names


def along(of: Joint, value: sp.Matrix) -> sp.Matrix:
    """The rate of what depends on a hinge's coordinates, speeds and their first two rates."""
    rates = [list(of.u), *(symbols(word, of) for word in ("ad", "jerk", "snap"))]
    steps = [*zip(of.q, of.rates, strict=True)]
    steps += [pair for now, then in pairwise(rates) for pair in zip(now, then, strict=True)]
    return rate(value, steps)


def symbols(word: str, of: Joint) -> list[sp.Symbol]:
    """The speeds' rates of a hinge, one each speed."""
    return [sp.Symbol(f"{word}_{k + 1}", real=True) for k in range(len(of.u))]


@traced
def in_hinge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The twist in a hinge with its three rates, X and its two; or the twist and two rates."""
    kind, backward, rates = x.kind, x.backward, x.rates
    name = f"in_{kind}{'_backward' if backward else ''}{_to(rates)}"
    t.called(name, f"twist in {called(kind)} hinge")
    of = joint(k.d, kind)
    screws, twists = [of.subspace], [of.subspace * of.u]
    for _ in range(rates):
        screws.append(tidy(along(of, screws[-1])))
        twists.append(tidy(along(of, twists[-1])))
    screws = screws[:3] if rates == 3 else []
    t.singles(*twists, *screws, *([of.rotation, of.position] if backward else []), table=t.table)
    E = [t.state(f"Ef{j}", k.formula(y), HINGE) for j, y in enumerate(twists)]
    X = [t.state(f"Xf{j}", k.formula(y), HINGE) for j, y in enumerate(screws)]
    if backward:
        E, X = _from_child(k, t, of, E, X)
    names = [f"E{j}" for j in range(len(E))]
    for name, value in zip(names, E, strict=True):
        t.state(name, value)
    mark = f"_{len(of.u)}"
    for j, value in enumerate(X):
        names.append(f"X{j}{mark}")
        t.state(f"X{j}", value, mark=mark)
    return tuple(names)


def _from_child(
    k: Algebra, t: Tracer, of: Joint, E: list[M], X: list[M]
) -> tuple[list[M], list[M]]:
    """The same of the parent's motion relative to the child: −Ad, in the parent's axes."""
    R = t.state("Rf", k.formula(of.rotation), HINGE)
    arm = t.state("pf", k.formula(of.position), HINGE)
    A, A1, *_ = map(k.ad, E)
    E0, E1, E2, *last = E
    E = [E0, E1, E2 + A @ E1, *(E3 + 2 * A @ E2 + A @ A @ E1 for E3 in last)]
    if X:
        X0, X1, X2 = X
        X = [X0, X1 + A @ X0, X2 + (2 * A @ X1 + A1 @ X0) + A @ A @ X0]

    def seen(name: str, y: M) -> M:
        spin = t.state(f"{name}s", k.turned(R, k.ang(y)), SEEN)
        slide = (R @ k.lin(y)).value - k.block(k.X(arm), 1, 2).value * spin.value
        value = -sp.Matrix.vstack(slide, spin.value)
        return (-(k.X(-arm) @ k.both(R) @ y)).by(value)

    return [seen(f"E{j}", y) for j, y in enumerate(E)], [seen(f"X{j}", y) for j, y in enumerate(X)]


@traced
def wrenches(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a link and all that hangs on it demand of the output hinge, with two rates."""
    inputs = x.input_count
    t.called(f"wrenches_{inputs}", f"wrench of a body with {counted(inputs, 'input')}, rates")
    V, V1, V2, V3 = map(t.read, TWIST_NAMES)
    mass = inertia(x, k, t)
    x.P, x.P1, x.P2 = mass @ V, mass @ V1, mass @ V2
    b, b1, b2 = (k.ad(twist).T for twist in (V, V1, V2))
    totals = [
        x.P1 - b @ x.P,
        x.P2 - b1 @ x.P - b @ x.P1,
        mass @ V3 - b2 @ x.P - 2 * b1 @ x.P1 - b @ x.P2,
    ]
    for name, total in zip(WRENCH_NAMES, totals, strict=True):
        for j in range(1, inputs + 1):
            total = total + t.read(name, f"_I{j}")
        t.state(name, total)
    return WRENCH_NAMES


@traced
def transmit(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A link's wrench and its rates as its parent feels them."""
    freedom = x.freedom
    name = f"transmit_rates{'' if freedom else '_rigid'}{x.way.label}"
    t.called(name, "wrench and its rates moved to the parent")
    W, W1, W2 = map(t.read, WRENCH_NAMES)
    felt = [W, W1, W2]
    if freedom:
        q1, q2, A = t.numbers("u"), t.numbers("ad"), k.ad(x.H_).T
        a, a1 = t.state("aW", A @ W, MOVED), t.state("aW1", A @ W1, MOVED)
        felt = [W, W1 - q1 @ a, W2 - 2 * q1 @ a1 - q2 @ a + q1**2 @ A @ a]
    return _felt(
        x, k, t, (t.state(f"{name}f", y, MOVED) for name, y in zip(WRENCH_NAMES, felt, strict=True))
    )


@traced
def transmit_behind(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A link's wrench and its rates as its parent feels them, whatever the hinge."""
    t.called(f"transmit_behind{x.way.label}", "wrench and its rates at the parent")
    W, W1, W2 = map(t.read, WRENCH_NAMES)
    A0, A1 = k.ad(x.E0).T, k.ad(x.E1).T
    f1 = t.state("f1", W1 - A0 @ W, MOVED)
    f2 = t.state("f2", W2 - A0 @ W1 - A1 @ W - A0 @ f1, MOVED)
    return _felt(x, k, t, (W, f1, f2))


def _felt(x: At, k: Algebra, t: Tracer, wrenches: Iterable[M]) -> tuple[str, ...]:
    """State a wrench and its rates about the parent's origin and in its axes."""
    _ = x.r
    for name, wrench in zip(WRENCH_NAMES, wrenches, strict=True):
        t.state(name, moved(x, k, t, wrench, f"{name}t"), MOVED, mark="p")
    return tuple(f"{name}p" for name in WRENCH_NAMES)


@traced
def required_along(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The forces along a hinge's speeds with their rates, besides its laws' (and the laws' rates).

    `laws`: the law of each speed, then their first rates, then their second.
    """
    freedom, laws = x.count, t.ask("laws")
    t.called(f"rates_along_{t.ask('label')}", "forces along a hinge and their rates")
    rho, spun = _laws(x, t, laws)
    X0, X1, X2 = (t.read(f"X{j}", f"_{freedom}").T for j in range(3))
    W, W1, W2 = map(t.read, WRENCH_NAMES)
    totals = [X0 @ W, X1 @ W + X0 @ W1, X2 @ W + 2 * X1 @ W1 + X0 @ W2]
    names: list[str] = []
    for name, total, law, rates in zip(FORCES, totals, laws, spun, strict=True):
        names += t.each(name, _besides(k, total, law, rho, rates))
    return tuple(names)


@traced
def required(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The force along a hinge with its rates, besides its law's (and the law's rates)."""
    laws = t.ask("laws")
    t.called(f"rates_{t.ask('label')}", "force along a hinge and its rates")
    H = x.H_
    rho, spun = _laws(x, t, laws)
    for name, word, law, rates in zip(FORCES, WRENCH_NAMES, laws, spun, strict=True):
        t.state(name, _besides(k, H.T @ t.read(word), law, rho, rates))
    return FORCES


def _laws(x: At, t: Tracer, laws: Iterable[Iterable[sp.Expr]]) -> tuple[M | None, list[sp.Matrix]]:
    """Read what laws depend on; the rotor's inertia if there is one, and what it turns by."""
    rotor, places = x.rotor, range(1, x.count + 1)
    spun = [
        sp.Matrix([sp.Symbol(f"{word}_{j}", real=True) for j in places])
        for word in ("ad", "jerk", "snap")
    ]
    t.singles(sp.Matrix([law for each in laws for law in each]), *(spun if rotor else []))
    return x.rho if rotor else None, spun


def _besides(k: Algebra, force: M, law: Iterable[sp.Expr], rho: M | None, rates: sp.Matrix) -> M:
    """A force along a hinge, besides its law's and with what its rotor takes."""
    total = force - k.formula(sp.Matrix(list(law)))
    if rho:
        taken = k.diagonal(rho) @ k.formula(rates)
        total = total + taken.by(rho.value.multiply_elementwise(rates))
    return total
