"""The kernels of where columns begin, at ends, hinges and beams, and of the states of ends."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import sympy as sp

from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer
from .letters import BEAM, HINGE, TIP, traced

PAIR = "deduction paper (34), (35): both ends of a cut"


@traced
def begun(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns of an end's unknown entries; `other`: of the end that a cut drops, by C."""
    entries, other = t.ask("entries"), t.ask("other")
    label = "_".join(map(str, entries))
    t.called(f"tip_{label}{'_C' if other else ''}", "columns of an end")
    return _columns(t, (_begun(k, j, other) for j in entries), PAIR if other else TIP)


def _begun(k: Algebra, entry: int, other: bool) -> tuple[M, M, M]:
    """a, m and q of the state of which one entry, counted from 0, is 1; C times it."""
    moment, force = k.unit(k.s, entry - k.n), k.unit(k.d, entry - k.n - k.s)
    if entry >= k.n:
        return k.zero(k.n), *((-moment, -force) if other else (moment, force))
    return k.stack(k.unit(k.d, entry), k.unit(k.s, entry - k.d)), moment, force


@traced
def own_columns(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns of a hinge's own accelerations, behind it."""
    t.called(f"own_{x.count}", "columns of a hinge's own accelerations")
    H, none = x.Hs_, (k.zero(k.s), k.zero(k.d))
    return _columns(t, ((k.column(H, j), *none) for j in range(1, x.count + 1)), HINGE)


@traced
def modal_columns(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns of a beam's modal accelerations, at its output."""
    modes = x.count
    t.called(f"modal_{modes}", "columns of modal accelerations")
    inertia, arm = x.Me_, x.rIO
    Y = At(t, "O").Y_
    m = k.ang(inertia) - k.tilde(arm) @ k.lin(inertia)
    states = (
        tuple(k.column(part, j) for part in (Y, m, -k.lin(inertia))) for j in range(1, modes + 1)
    )
    return _columns(t, states, BEAM)


def _columns(t: Tracer, states: Iterable[tuple[M, ...]], source: str) -> tuple[str, ...]:
    names = []
    for j, parts in enumerate(states, start=1):
        for word, part in zip("amq", parts, strict=True):
            t.state(word, part, source, mark=f"_{j}")
            names.append(f"{word}_{j}")
    return tuple(names)


@traced
def end_state(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """An end's state from what is known of it and the unknowns, which are zero if not `solved`.

    `other` as in `begun`.
    """
    entries, other, solved = t.ask("entries"), t.ask("other"), t.ask("solved")
    label = "_".join(map(str, entries))
    name = f"end_{'state' if solved else 'known'}_{label}{'_C' if other else ''}"
    t.called(name, "state of an end")
    given = x.a, x.m, x.q
    known = [entry for part in given for entry in part.value]
    unknown = t.numbers("x", count=len(entries)) if solved else k.zero(len(entries))
    for entry, value in zip(entries, unknown.value, strict=True):
        known[entry] = -value if other and entry >= k.n else value
    borders = pairwise((0, k.n, k.n + k.s, 2 * k.n))
    for word, before, (i, j) in zip(("ao", "mo", "qo"), given, borders, strict=True):
        part = k.formula(sp.Matrix(known[i:j]))
        t.state(word, before if before.value == part.value else part, TIP)
    return "ao", "mo", "qo"


@traced
def ground(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The acceleration of a point `r` of the moving ground; gravity is a force on the bodies."""
    t.called("ground_point", "acceleration of a point of the moving ground")
    A, acc = x.Ag, x.accg
    lin = k.lin(acc) + x.Bg @ x.r
    x.ag = k.stack(A @ lin + x.g, k.turned(A, k.ang(acc)))
    return ("ag",)


@traced
def pinned(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The known moment at a pinned end: the given force in its hinge acts on the body.

    At an `output` the end's own load has the sign of what acts on the body.
    """
    output = t.ask("output")
    title = "given force in a hinge to the ground"
    t.called(f"pinned_{'output' if output else 'input'}", title)
    H = k.ang(x.Hs_)
    x.m = (H if output else -H) @ t.numbers("tau")
    return ("m",)
