"""The kernels of the divide-and-conquer methods at the bodies: directions, leaves, motions.

A joint's constraint wrench is W σ on each of its two bodies, W having the joint's directions D
moved to the centre of mass, plus on the child and minus on the parent: then Wᵀ V, summed over
both, is how fast the joint opens along D. Merges are in `merge_kernels`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...language.words import counted
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer
from .letters import LEAF, traced


def carried(k: Algebra, B: M, directions: M, complete: bool) -> M:
    """Directions that are constant in the axes B, in inertial axes.

    `complete`: their linear parts span all directions or none, and are taken in inertial axes.
    """
    linear, angular = k.lin(directions), k.turned(B, k.ang(directions))
    if not complete:
        turned = k.stack(B @ linear, angular)
        return M(lambda: turned.value, (k.both(B) @ directions).tree)
    return directions if k.d == 2 else k.stack(linear, angular)


def mobile(x: At, k: Algebra, t: Tracer) -> M:
    """The inverse of a body's mass matrix."""
    return t.abbreviate("M⁻¹", k.diag(k.one(x.im), x.Ji))


def joined(sizes: Iterable[object]) -> str:
    """What a kernel's name says of several sizes."""
    return "_".join(map(str, sizes))


@traced
def geometry(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The arm from a link's origin to its centre of mass."""
    t.called("centre", "centre of mass of a body")
    x.ce = x.A @ x.rC
    return ("ce",)


@traced
def reach(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The arm from the parent's origin to the link's."""
    t.called("reach", "arm of a hinge on the parent")
    x.ar = x.up.A @ x.r
    return ("ar",)


@traced
def carrier(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The axes of the parent's point at a hinge."""
    t.called("carrier", "axes of a hinge on the parent")
    x.Bc = x.up.A @ x.K
    return ("Bc",)


@traced
def mobility(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The inverse of a body's central inertia, in space."""
    t.called("mobility", "inverse inertia of a body")
    A, inverse = x.A, x.JCi
    half = t.state("half", A @ inverse, LEAF, "A_J")
    x.Ji = (A @ inverse @ A.T).by((half @ A.T).value)
    return ("Ji",)


@traced
def columns(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a hinge's impulses along D and H are at both centres of mass: W and Z.

    Z has H (Hᵀ H)⁻¹, so that Zᵀ V, summed over both bodies, is the speed.
    """
    freedom, width, complete, rooted = x.count, x.width, x.complete, x.rooted
    label = f"{freedom}_{width}{'_complete' * complete}{'_rooted' * rooted}"
    t.called(f"columns_{label}", "directions of a hinge at the bodies")
    B, centre = x.B, x.ce
    arm = k.zero(k.d) if rooted else x.ar - x.up.ce
    outputs = []
    for word, constant, count in (("W", "D", width), ("Z", "Hp", freedom)):
        if count:
            way = carried(k, B, t.read(constant), complete)
            t.state(f"{word}s_", k.seen(-centre, way))
            outputs.append(t.port(f"{word}s_"))
            if not rooted:
                t.state(f"{word}p_", -k.seen(arm, way))
                outputs.append(t.port(f"{word}p_"))
    return tuple(outputs)


def wide(t: Tracer, word: str, widths: Iterable[int]) -> list[M]:
    """Read the columns of a body's joints, so many each."""
    return [t.read(word, f"_{number}", cols=width) for number, width in enumerate(widths, 1)]


def directions(k: Algebra, t: Tracer, widths: Iterable[int]) -> M:
    """W of all joints of a body."""
    several = wide(t, "W", widths)
    return several[0] if len(several) == 1 else t.abbreviate("W", k.beside(*several))


@traced
def leaf(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Ξ of a body: Wᵀ M⁻¹ W over its joints."""
    widths = x.widths
    t.called(f"leaf_{joined(widths)}", f"body with {counted(len(widths), 'joint')}")
    inverse, W = mobile(x, k, t), directions(k, t, widths)
    force, moment = k.lin(W).value, k.ang(W)
    turned = t.state("JW", x.Ji @ moment, LEAF, "J_W").value
    whole = (force.T * force) * x.im[0] + moment.value.T * turned
    x.Xi = (W.T @ inverse @ W).by(whole)
    return ("Xi",)


@traced
def leaf_bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """ξ of a body: what it does without constraint wrenches, and where `biased` a joint's own."""
    widths, biased = x.widths, t.ask("biased")
    title = f"bias of a body with {counted(len(widths), 'joint')}"
    t.called(f"leaf_bias_{_marked(widths, biased)}", title)
    W, V = directions(k, t, widths), x.V0
    x.xi = W.T @ V + _own(k, t, widths, biased)
    return ("xi",)


@traced
def still_bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """ξ of a body that nothing moves: what its joints themselves have."""
    widths, biased = x.widths, t.ask("biased")
    title = f"bias of a body at rest, {counted(len(widths), 'joint')}"
    t.called(f"leaf_still_{_marked(widths, biased)}", title)
    x.xi = _own(k, t, widths, biased)
    return ("xi",)


def _marked(widths: tuple[int, ...], biased: tuple[bool, ...]) -> str:
    return joined(f"{width}{'b' * own}" for width, own in zip(widths, biased, strict=True))


def _own(k: Algebra, t: Tracer, widths: tuple[int, ...], biased: tuple[bool, ...]) -> M:
    """How fast a body's joints open by themselves, where they are `biased`."""
    if not any(biased):
        return k.zero(sum(widths))
    each = enumerate(zip(widths, biased, strict=True), 1)
    parts = (t.read("g", f"_{j}", rows=width) if own else k.zero(width) for j, (width, own) in each)
    return k.stack(*parts)


@traced
def opening(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How fast a joint opens along D: Wᵀ V over its bodies, and where `biased` its own bias."""
    width, bodies, biased = x.width, t.ask("bodies"), t.ask("biased")
    label = f"{width}{'_rooted' * (bodies == 1)}{'_biased' * biased}"
    t.called(f"opening_{label}", "how fast a joint opens")
    total = x.g if biased else k.zero(width)
    for y in (At(t, f"_{number}") for number in range(1, bodies + 1)):
        total = total + y.W.T @ y.V
    x.o = total
    return ("o",)


def wrench(k: Algebra, t: Tracer, widths: Iterable[int]) -> M:
    """What the joints of a body put on it."""
    total = k.zero(k.n)
    for number, width in enumerate(widths, 1):
        W = t.read("W", f"_{number}", cols=width)
        total = total + W @ t.read("sigma", f"_{number}", rows=width)
    return total


@traced
def motion(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A body's motion at its centre of mass: V0 and what all constraint wrenches add."""
    widths, hub = x.widths, x.hub
    label = f"{joined(widths)}{'_hub' * hub}"
    t.called(f"motion_{label}", f"motion of a body with {counted(len(widths), 'joint')}")
    inverse, total = mobile(x, k, t), wrench(k, t, widths)
    x.F = total + x.Fb if hub else total
    x.V = x.V0 + inverse @ x.F
    return ("V",)


@traced
def speeds(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The speeds of a hinge, or with the bias `h` their rates, from the motions of its bodies."""
    rooted, biased = x.rooted, t.ask("biased")
    name = f"speeds_{x.count}{'_rooted' * rooted}{'_biased' * biased}"
    t.called(name, "rates of a hinge's speeds" if biased else "speeds of a hinge")
    total = x.Zs_.T @ x.V
    if not rooted:
        total = total + x.Zp_.T @ x.up.V
    if biased:
        total = total + x.h_
    return t.each("u", total, shown="u̇" if biased else "u")
