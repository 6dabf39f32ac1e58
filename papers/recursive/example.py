"""The example of Appendix C: two bodies joined by a universal joint.

Body 1 has Bryant angles α, the joint q; arms are e¹₃ and −e²₃, and the joint's frames are the
bodies'.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ...symbolic.exact import screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import GROUND, Body
from .tree import KINDS, ORDER, Jointed, JointTree

Circle = Sequence[tuple[sp.Expr, sp.Expr]]


def example(
    circles: tuple[Circle, Circle], rates: tuple[Sequence[Sequence[sp.Expr]], ...]
) -> JointTree:
    """The two bodies, by cosines and sines of (α, q), and derivatives of (r¹, α) and q."""
    one, e3 = sp.eye(4), sp.eye(3)[:, 2]
    still = ((sp.Integer(1), sp.Integer(0)),) * 3
    arms = screws.pose(sp.eye(3), e3), screws.pose(sp.eye(3), -e3)
    joints = {
        1: Jointed.of((GROUND, 1), KINDS["free"], (one, one), (*still, *circles[0])),
        2: Jointed.of((1, 2), KINDS["universal"], arms, tuple(circles[1])),
    }
    point = Body(sp.ones(1, 1), sp.zeros(3, 1))
    moved = {(j, m): r for j, each in zip((1, 2), rates, strict=True) for m, r in enumerate(each)}
    return JointTree(joints, dict.fromkeys(joints, point), moved)


def drawn(seed: int = 81) -> JointTree:
    """The example at an exact instant."""
    draw = Points(seed)
    rates = [[[draw.number() for _ in range(ORDER + 1)] for _ in range(n)] for n in (6, 2)]
    circles = [draw.circle() for _ in range(5)]
    return example((circles[:3], circles[3:]), tuple(rates))
