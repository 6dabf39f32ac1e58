"""A loop that is cut at a ball between two bodies, and its true motion by multipliers.

Its condition is h = σ(t) (p_a − p_b); the factor makes it depend on the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.series import Series
from ...symbolic.exact.true_motion import Loaded, solved
from .loads import Efforts, Loads, pushed
from .tree import JointMotion, JointTree


@dataclass(frozen=True, eq=False)
class Cut:
    """The cut between bodies a and b, at points that are fixed in them."""

    tree: JointTree
    a: int = 3
    b: int = 5

    @cached_property
    def points(self) -> dict[int, sp.Matrix]:
        draw = Points(51)
        return {self.a: draw.vector(3), self.b: draw.vector(3)}

    @cached_property
    def factor(self) -> Series:
        draw = Points(52)
        return Series.of_derivatives([draw.number() for _ in range(3)])

    @property
    def still(self) -> Series:
        """The factor, the time standing still."""
        return Series.constant(self.factor.value, self.factor.order)

    def h(self, motion: JointMotion, factor: Series) -> Series:
        p = {j: motion.point(j, point) for j, point in self.points.items()}
        return (p[self.a] - p[self.b]).times(factor)

    def stepped(self, j: int, d: int) -> sp.Matrix:
        """What h changes by where body j goes by 1 along its d-th axis."""
        places = {i: self.tree.motion.point(i, point).value for i, point in self.points.items()}
        step = {j: self.tree.motion.R(j).value[:, d - 1]}
        none = sp.zeros(3, 1)
        after = {i: place + step.get(i, none) for i, place in places.items()}
        before, behind = (x[self.a] - x[self.b] for x in (places, after))
        return self.factor.value[0] * (behind - before)

    def held(self, loads: Loads, efforts: Efforts) -> tuple[JointTree, sp.Matrix]:
        """The instant with the accelerations that keep ḧ = 0, and the multipliers."""
        tree, names = self.tree, self.tree.coordinates
        slopes = (self.h(tree.slopes[x], self.still).at(1) for x in names)
        J, mass = sp.Matrix.hstack(*slopes), Loaded(tree, {}).mass
        resting = tree.accelerating(dict.fromkeys(names, sp.Integer(0)))
        bias = self.h(resting.motion, self.factor).at(2)
        rows = sp.Matrix.hstack(mass, J.T), sp.Matrix.hstack(J, sp.zeros(3, 3))
        right = pushed(tree, loads, efforts).col_join(-bias)
        found = solved(sp.Matrix.vstack(*rows), right)
        rates = dict(zip(names, found[: len(names), :], strict=True))
        return tree.accelerating(rates), found[len(names) :, :]
