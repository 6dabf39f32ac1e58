"""The kernels of scans along the tree: what composes from link to link, and a link's own part."""

from __future__ import annotations

import sympy as sp

from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer
from .kernels import carried
from .letters import moving


def _product(k: Algebra, first: M, second: M) -> M:
    """The product of two rotations; in the plane its second column follows from the first."""
    product = first @ second
    if k.d == 3:
        return product
    c, s = product.value[:, 0]
    return product.by(sp.Matrix([[c, -s], [s, c]]))


@moving
def compose(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What two runs of links have, as one: the product of rotations, of all else the sum."""
    word: str = t.ask("word")
    t.called(f"run_{word}", f"{t.table[word].words}: of two runs as one")
    first, second = (t.read(word, f"_{number}") for number in (1, 2))
    t.state(word, _product(k, first, second) if word == "C" else first + second)
    return (word,)


@moving
def follow(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a link has, from the link before it and a run's own."""
    word, found, mark = t.ask("word"), t.ask("found"), t.ask("mark")
    t.called(f"along_{found}", f"{t.table[found].words}: along a run")
    before, own = t.read(found, mark), t.read(word)
    t.state(found, _product(k, before, own) if word == "C" else before + own)
    return (found,)


@moving
def relative(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """V_child − V_parent = H u at the child's origin, and its spin."""
    complete = x.complete
    t.called(f"relative_{x.count}{'_complete' * complete}", "motion in a hinge")
    H = x.H
    x.Vr = carried(k, x.B, H, complete) @ t.numbers("u")
    x.ws = k.ang(x.Vr)
    return "Vr", "ws"


@moving
def still(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge without speeds."""
    t.called("relative_0", "motion in a hinge without speeds")
    x.Vr = k.zeros(k.n, 1)
    x.ws = k.zeros(k.s, 1)
    return "Vr", "ws"


@moving
def faster(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How much faster a link's origin is than its parent's."""
    t.called("faster", "velocity of a link's origin against its parent's")
    x.vs = k.cross(x.up.wI, x.ar) + k.lin(x.Vr)
    return ("vs",)
