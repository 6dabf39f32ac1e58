"""Bodies on their way, described from frames in them: what statements of one body are made of."""

from __future__ import annotations

from functools import cached_property

import sympy as sp

from ...symbolic.exact import screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.series import Series
from .particles import Cloud, unturned
from .tree import Tree, body_twist, hybrid_twist, mixed_twist


class Moving:
    """A body on its way, described from a frame C in it."""

    def __init__(self, tree: Tree, i: int, within: sp.Matrix | None = None) -> None:
        C = tree.motion.C[i]
        if within is not None:
            C = C @ Series.constant(within, C.order)
        self.C = C
        self.cloud = Cloud(tree.motion, i)
        self.M = self.cloud.inertia(C)
        self.ground = Series.constant(sp.eye(4), C.order)

    @cached_property
    def Vb(self) -> Series:
        return body_twist(self.C)

    @cached_property
    def Vh(self) -> Series:
        return hybrid_twist(self.C)

    @cached_property
    def Vm(self) -> Series:
        return mixed_twist(self.C)

    @cached_property
    def Wb(self) -> sp.Matrix:
        return self.cloud.wrench(self.C)

    @cached_property
    def Ws(self) -> sp.Matrix:
        return self.cloud.wrench(self.ground)

    @cached_property
    def Wh(self) -> sp.Matrix:
        return self.cloud.wrench(unturned(self.C))


def within(tree: Tree, i: int) -> sp.Matrix:
    """S_bc: a frame at the body's centre of mass, turned anyhow."""
    centre = tree.bodies[i].points * tree.bodies[i].masses / sum(tree.bodies[i].masses)
    return screws.pose(Points(i).rotation(3), centre)
