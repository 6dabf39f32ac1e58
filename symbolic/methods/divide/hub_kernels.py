"""The kernels of hubs: bodies that take branches in as articulated inertia.

What is beyond a joint answers as Wᵀ V = −(Ξ σ + ξ), W the joint's directions at the hub: with its
multipliers eliminated it adds I = W Ξ⁻¹ Wᵀ to the hub's mass matrix and p = W Ξ⁻¹ ξ to its bias.
"""

from __future__ import annotations

from functools import reduce
from operator import add

from ...language.words import counted
from ...mechanics.matrices import Algebra, part
from ...mechanics.traced import At, Tracer
from .kernels import directions, joined, wrench
from .letters import LEAF, traced
from .merge_kernels import backward, factors, forward, unit_rows

#: What is summed over branches, in words.
SUMMED = {"Ib": "inertia", "pb": "bias", "Fb": "wrench"}


@traced
def branch(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a branch adds to a hub's mass matrix: I = W Ξ⁻¹ Wᵀ; U = D⁻¹ L⁻¹ Wᵀ, Ξ = L D Lᵀ."""
    m = x.width
    t.called(f"branch_{m}", "inertia that a branch adds to a hub")
    W, Xi = t.read("W", cols=m), t.read("Xi", rows=m, cols=m)
    unit, inverse = factors(x, k, t, Xi)
    rows = [k.column(W, i).T for i in range(1, m + 1)]
    X = t.abbreviate("X", k.stack(*forward(t, "x", unit, rows)))
    x.U = (k.diagonal(x.inv) @ X).by((k.diagonal(k.stack(*inverse)) @ X).value)
    x.Ib = (W @ Xi.inverse @ W.T).by(X.value.T * x.U.value)
    return (*(["l"] * (m > 1)), "inv", "U", "Ib")


@traced
def two(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What two branches add to a hub, one kind of it."""
    word: str = t.ask("word")
    title = SUMMED[word]
    t.called(f"branches_{title}", f"{title} that branches add to a hub")
    setattr(x, word, reduce(add, (getattr(At(t, f"_{j}"), word) for j in (1, 2))))
    return (word,)


@traced
def mobility(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The inverse of a hub's mass matrix with its branches: Φ = (M + I)⁻¹ = Yᵀ D⁻¹ Y, Y = L⁻¹."""
    t.called("hub", "inertia of a hub with its branches")
    inertia = x.JC if k.d == 2 else x.A @ x.JC @ x.A.T
    x.MA = k.diag(k.one(x.m), inertia) + x.Ib
    unit, inverse = factors(x, k, t, x.MA)
    rows = [part(k.unit_matrix(k.n), [i]) for i in range(1, k.n + 1)]
    Y = k.stack(*forward(t, "y", unit, rows))
    x.Phi = x.MA.inverse.by(Y.value.T * (k.diagonal(k.stack(*inverse)) @ Y).value)
    return ("Phi",)


@traced
def leaf(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Ξ of a hub: Wᵀ Φ W over the joints that stay open."""
    widths = x.widths
    t.called(f"hub_leaf_{joined(widths)}", f"hub with {counted(len(widths), 'joint')}")
    W = directions(k, t, widths)
    yielding = t.state("PhiW", x.Phi @ W, LEAF, "Φ_W")
    x.Xi = (W.T @ x.Phi @ W).by(W.value.T * yielding.value)
    return ("Xi",)


@traced
def branch_bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The wrench that a branch puts on a hub at rest; `s`, what its multipliers have of it."""
    m = x.width
    t.called(f"branch_bias_{m}", "bias that a branch adds to a hub")
    xi, unit, inverse = t.read("xi", rows=m), unit_rows(k, t, m), t.read("inv", rows=m)
    rows = [part(xi, [i]) for i in range(1, m + 1)]
    z = t.abbreviate("z", k.stack(*forward(t, "z", unit, rows)))
    x.s = k.diagonal(inverse) @ z
    x.pb = t.read("U", rows=m, cols=k.n).T @ z
    return "s", "pb"


@traced
def free(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hub's motion with its branches, without the wrenches of its open joints."""
    t.called("hub_free", "motion of a hub with its branches")
    V, mass = x.V0, x.m
    spin = k.ang(V)
    turning = x.JC @ spin if k.d == 2 else x.A @ (x.JC @ (x.A.T @ spin))
    x.Vh = x.Phi @ (k.stack(mass @ k.lin(V), turning) - x.pb)
    return ("Vh",)


@traced
def motion(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hub's motion: Vh and what the wrenches of its open joints add."""
    widths = x.widths
    title = f"motion of a hub with {counted(len(widths), 'joint')}"
    t.called(f"hub_motion_{joined(widths)}", title)
    x.F = wrench(k, t, widths)
    x.V = x.Vh + x.Phi @ x.F
    return ("V",)


@traced
def back(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The multipliers of the joint of a branch, from its hub's motion."""
    m = x.width
    t.called(f"branch_back_{m}", "multipliers of a branch")
    x.y = t.read("s", rows=m) + t.read("U", rows=m, cols=k.n) @ x.V
    x.sigma = backward(k, t, -x.y, unit_rows(k, t, m))
    x.Fb = t.read("W", cols=m) @ x.sigma
    return "sigma", "Fb"
