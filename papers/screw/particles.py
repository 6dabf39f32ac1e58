"""The bodies of a tree as clouds of particles: inertia, momentum and wrench by their sums.

What the screw paper states of bodies is judged by these sums, which know nothing of screws:
the force on a particle is its mass by its acceleration.
"""

from __future__ import annotations

import sympy as sp

from ...symbolic.exact import screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import stacked
from ...symbolic.exact.series import Series, blocks
from .tree import Motion, Tree, inertia


class Cloud:
    """A body's particles on their way.

    Frame
        Sums are about the origin of a frame and in its axes; the frame is a pose, and may move.
    """

    def __init__(self, motion: Motion, i: int) -> None:
        self.masses = motion.tree.bodies[i].masses
        self.weights = motion.constant(sp.diag(*self.masses))
        self.ones = motion.constant(sp.ones(1, len(self.masses)))
        self.x = motion.x(i)

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
    demands = {
        i: tree.motion.x(i).at(2) * sp.diag(*body.masses) - forces[i]
        for i, body in tree.bodies.items()
    }

    def force(k: int) -> sp.Expr:
        levers = {i: tree.slopes[k, 0].x(i).at(1) for i in tree.outboard(k)}
        return sum((demands[i] * lever.T).trace() for i, lever in levers.items())

    return sp.Matrix([force(k) for k in tree.numbers])


def forces(tree: Tree) -> dict[int, sp.Matrix]:
    """Something that acts on every particle, one column each."""
    draw = Points(11)
    return {
        i: sp.Matrix.hstack(*(draw.vector(3) for _ in tree.bodies[i].masses)) for i in tree.numbers
    }
