"""The true motion of bodies under loads: speeds that keep loops closed, accelerations, cut forces.

By the principle of virtual power on the particles, in rational numbers: nothing here knows an
inertia matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from . import screws
from .evaluation import Points
from .motion import Coordinate, TreeOf

AnyTree = TypeVar("AnyTree", bound=TreeOf[Any])


def solved(matrix: sp.Matrix, right: sp.Matrix) -> sp.Matrix:
    """x of A x = b, in rational numbers."""
    A, b = (DomainMatrix.from_Matrix(x).to_field() for x in (matrix, right))
    A, b = A.unify(b)
    return A.lu_solve(b).to_Matrix()


def demanded(tree: TreeOf[Any], loads: Mapping[int, sp.Matrix]) -> dict[Coordinate, sp.Expr]:
    """Σ m ẍ · ∂x/∂q − f · ∂r_C/∂q − t · ∂π/∂q: what joints must give at the tree's motion.

    `loads` are (f, t) on a body, about its centre of mass and in inertial axes.

    Source
        recursive-formulation paper (2.2), on particles.
    """

    def force(x: Coordinate, i: int) -> sp.Expr:
        body, moving = tree.bodies[i], tree.slopes[x]
        pushed = tree.motion.x(i).at(2) * sp.diag(*body.masses) * moving.x(i).at(1).T
        centre = moving.point(i, body.centre).at(1)
        load = loads[i][:3, :].T * centre + loads[i][3:, :].T * moving.spin(i).value
        return pushed.trace() - load[0]

    return {
        x: sum((force(x, i) for i in tree.outboard(x[0])), sp.Integer(0)) for x in tree.coordinates
    }


@dataclass(frozen=True, eq=False)
class Loaded:
    """A tree with loops under loads (f, t) about its bodies' centres, at given speeds."""

    tree: TreeOf[Any]
    loads: Mapping[int, sp.Matrix]

    def _column(self, values: Mapping[Coordinate, sp.Expr]) -> sp.Matrix:
        return sp.Matrix([values[x] for x in self.tree.coordinates])

    @cached_property
    def mass(self) -> sp.Matrix:
        """Σ m ∂x/∂q_i · ∂x/∂q_j."""
        tree, n = self.tree, len(self.tree.coordinates)
        total = sp.zeros(n, n)
        for i, body in tree.bodies.items():
            weights = sp.diag(*(m for m in body.masses for _ in range(3)))
            moved = (tree.slopes[x].x(i).at(1).T.reshape(weights.rows, 1) for x in tree.coordinates)
            slopes = sp.Matrix.hstack(*moved)
            total += slopes.T * weights * slopes
        return total

    @cached_property
    def conditions(self) -> sp.Matrix:
        """What the cuts hold, by the speeds: one row a held direction."""
        return conditions(self.tree)

    @cached_property
    def solution(self) -> tuple[dict[Coordinate, sp.Expr], dict[int, sp.Matrix]]:
        """q̈, and of each cut what it exerts along its held directions on its successor.

        Of dependent conditions the later ones exert nothing.
        """
        tree, n = self.tree, len(self.tree.coordinates)
        resting = tree.with_rates({x: (r[1],) for x, r in tree.rates.items()})
        right = -self._column(demanded(resting, self.loads))
        if not tree.cuts:
            found, force = solved(self.mass, right), sp.zeros(0, 1)
        else:
            J = self.conditions
            bias = sp.Matrix.vstack(*(resting.motion.opening(c).at(1) for c in tree.cuts))
            own = list(J.T.rref()[1])
            A, none = J[own, :], sp.zeros(len(own), len(own))
            rows = (sp.Matrix.hstack(self.mass, -A.T), sp.Matrix.hstack(A, none))
            found = solved(sp.Matrix.vstack(*rows), right.col_join(-bias[own, :]))
            force = sp.zeros(J.rows, 1)
            for row, value in zip(own, found[n:, :], strict=True):
                force[row] = value
        exerted, at = {}, 0
        for c, cut in tree.cuts.items():
            exerted[c] = force[at : at + cut.held.cols, :]
            at += cut.held.cols
        return dict(zip(tree.coordinates, found[:n, :], strict=True)), exerted

    @cached_property
    def moving(self) -> TreeOf[Any]:
        """The tree with the accelerations of its true motion."""
        found, _ = self.solution
        return self.tree.with_rates({x: (r[1], found[x]) for x, r in self.tree.rates.items()})


def conditions(tree: TreeOf[Any]) -> sp.Matrix:
    """The slopes of what the cuts hold, by the coordinates."""
    columns = (
        sp.Matrix.vstack(*(tree.slopes[x].opening(c).value for c in tree.cuts))
        for x in tree.coordinates
    )
    return sp.Matrix.hstack(*columns)


def closed(tree: AnyTree, draw: Points) -> AnyTree:
    """The tree at generic speeds that keep its loops closed."""
    if not tree.cuts:
        speeds = draw.vector(len(tree.coordinates))
    else:
        free = conditions(tree).nullspace()
        speeds = sum((draw.number() * column for column in free), 0 * free[0])
    moved = dict(zip(tree.coordinates, speeds, strict=True))
    return replace(tree, rates={x: [r[0], moved[x], *r[2:]] for x, r in tree.rates.items()})


def exerted(
    tree: TreeOf[Any],
    loads: Mapping[int, sp.Matrix],
    held: Mapping[int, sp.Matrix],
    k: int,
    about: sp.Matrix,
) -> sp.Matrix:
    """(f, t) that a joint or cut exerts on its successor, about a place, by Newton and Euler.

    `loads` are (f, t) about the bodies' centres; `held` is what each cut exerts along the
    directions that it holds.
    """
    motion = tree.motion
    if k in tree.cuts:
        cut = tree.cuts[k]
        frame = motion.C[cut.pred].value * cut.inner
        wrench = screws.Ad_turn(screws.turn(frame)) * cut.held * held[k]
        return _about(wrench[3:, :], wrench[:3, :], screws.place(frame) - about)
    total, beyond = sp.zeros(6, 1), tree.outboard(k)
    for i in beyond:
        body, load, x = tree.bodies[i], loads[i], motion.x(i)
        for n, mass in enumerate(body.masses):
            total += _about(mass * x.at(2)[:, n], sp.zeros(3, 1), x.value[:, n] - about)
        centre = motion.point(i, body.centre).value
        total -= _about(load[:3, :], load[3:, :], centre - about)
    for c, cut in tree.cuts.items():
        sides = int(cut.succ in beyond) - int(cut.pred in beyond)
        total -= sides * exerted(tree, loads, held, c, about)
    return total


def _about(f: sp.Matrix, t: sp.Matrix, arm: sp.Matrix) -> sp.Matrix:
    """(f, t) of a wrench about the place from which `arm` leads to its own."""
    return f.col_join(t + arm.cross(f))
