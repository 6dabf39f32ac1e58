"""The bodies of a tree as clouds of particles: inertia, momentum and wrench by their sums.

What the screw paper states of bodies is judged by these sums, which know nothing of screws:
the force on a particle is its mass by its acceleration.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from . import screws
from .screwtree import Motion, Tree, inertia, stacked
from .series import Series, blocks


class Cloud:
    """A body's particles on their way.

    Frame
        Sums are about the origin of a frame and in its axes; the frame is a pose, and may move.
    """

    def __init__(self, motion: Motion, i: int) -> None:
        tree = motion.tree
        self.masses = tree.masses[i]
        order = motion.C[i].order
        self.weights = Series.constant(sp.diag(*self.masses), order)
        ones = Series.constant(sp.ones(1, len(self.masses)), order)
        points = Series.constant(tree.points[i], order)
        self.x = motion.R(i) @ points + motion.r(i) @ ones
        self.ones = ones

    def inertia(self, frame: Series) -> sp.Matrix:
        """[[Θ, ~h], [−~h, m]]."""
        return inertia(self.masses, (frame.map(screws.turn).T @ self._from(frame)).value)

    def momentum(self, frame: Series) -> Series:
        """(Σ m y × ẋ, Σ m ẋ), y being the place as seen from the frame's origin."""
        return self._sums(frame, self.x.rate @ self.weights)

    def wrench(self, frame: Series, forces: sp.Matrix | None = None) -> sp.Matrix:
        """(Σ y × f, Σ f) of forces on the particles; of those that move them if none are given."""
        moving = self.x.rate.rate @ self.weights
        return self._sums(frame, Series((forces,)) if forces is not None else moving).value

    def _from(self, frame: Series) -> Series:
        return self.x - frame.map(screws.place) @ self.ones

    def _sums(self, frame: Series, arrows: Series) -> Series:
        axes = frame.map(screws.turn).T
        # Of columns y and a, Σ y × a is the vector of the skew matrix Σ a yᵀ − y aᵀ.
        products = arrows @ self._from(frame).T
        moment = (products - products.T).map(screws.axial)
        count = Series.constant(sp.ones(len(self.masses), 1), arrows.order)
        return stacked(axes @ moment, axes @ (arrows @ count))


def unturned(C: Series) -> Series:
    """(1, r): at a frame's origin, in inertial axes."""
    return framed(Series.constant(sp.eye(3), C.order), C)


def framed(axes: Series, C: Series) -> Series:
    """(R, r): these axes at a frame's origin."""
    none, one = (Series.constant(x, C.order) for x in (sp.zeros(1, 3), sp.eye(1)))
    return blocks([[axes, C.map(screws.place)], [none, one]])


def generalised_forces(tree: Tree, forces: dict[int, sp.Matrix]) -> sp.Matrix:
    """Q_k = Σ (m ẍ − f) · ∂x/∂q_k over all particles: d'Alembert's principle.

    `forces` are what else acts on each body's particles, one column each.
    """
    demands = {}
    for i in tree.bodies:
        cloud = Cloud(tree.motion, i)
        demands[i] = (cloud.x.rate.rate @ cloud.weights).value - forces[i]

    def places(i: int) -> Callable[[Motion], Series]:
        return lambda motion: Cloud(motion, i).x

    def force(k: int) -> sp.Expr:
        total = sp.Integer(0)
        for i in tree.bodies:
            if k in tree.path(i):
                lever = tree.partial(places(i), k)
                total += sum(demands[i].multiply_elementwise(lever), sp.Integer(0))
        return total

    return sp.Matrix([force(k) for k in tree.bodies])
