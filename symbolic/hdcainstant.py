"""The true motion of a system with closed loops at an exact instant, and systems drawn at random.

Speeds keep the cuts closed, accelerations and constraint forces solve the saddle system of the
virtual powers: all rational. Momenta that a joint transmits are sums over the bodies beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from .exactpoints import Points
from .hdcamotion import FREE, Joint, Motion, System, once
from .series import Series

#: Predecessor and kind of each tree joint; predecessor, successor and kind of each cut.
Tree = Mapping[int, tuple[int, str]]
Cuts = Mapping[int, tuple[int, int, str]]


class Instant(Motion):
    """The true motion under the system's loads, through a state that closes its cuts.

    `sigma`: the cuts' impulses at the instant, any numbers, for they depend on the history.
    """

    def __init__(self, system: System, draw: Points) -> None:
        speeds = _closed_speeds(system, draw)
        accelerations, force = _accelerations(system, speeds)
        super().__init__(system, _by_joint(system, speeds, accelerations))
        self.speeds, self.accelerations = speeds, accelerations
        self.sigma, self.lam, at = {}, {}, 0
        for c in system.cuts:
            rows = system.joints[c].D.cols
            self.sigma[c], self.lam[c] = draw.vector(rows), force[at : at + rows, :]
            at += rows

    def q(self, k: int) -> sp.Matrix:
        """Speeds of tree joint k."""
        return _by_joint(self.system, self.speeds, self.accelerations)[k][0]

    def impulse(self, c: int) -> Series:
        """σ of a cut: σ̇ = λ."""
        return Series((self.sigma[c], self.lam[c]))

    def reaction(self, c: int) -> Series:
        """D σ of a cut."""
        return self.D(c) @ self.impulse(c)

    @once
    def accumulated(self, k: int) -> Series:
        """All momentum beyond tree joint k, about its point."""
        return _sum(self.P(i, self.O[k]) for i in self.system.outboard(k))

    @once
    def articulated(self, k: int) -> Series:
        """P̄ that joint k transmits to its successor: momentum beyond, less the cuts' impulses."""
        if k in self.system.cuts:
            return self.reaction(k)
        total = self.accumulated(k)
        for c, sign in self.system.sides(k):
            shifted = self.S(self.O[k], self.O[c]) @ self.reaction(c)
            total = total - shifted if sign > 0 else total + shifted
        return total

    @once
    def p(self, k: int) -> Series:
        """The augmented momentum of a joint: Hᵀ P̄, zero at a cut."""
        return self.H(k).T @ self.articulated(k)

    @once
    def T(self, k: int) -> Series:
        """The constrained part of a joint's impulse on its successor: D σ."""
        D = self.D(k)
        return D @ (D.T @ self.articulated(k))

    def multiplier(self, k: int) -> sp.Matrix:
        """σ of any joint."""
        return (self.D(k).T @ self.articulated(k)).value

    @once
    def F(self, k: int) -> sp.Matrix:
        """The force that joint k exerts on its successor, about its point, by Newton and Euler."""
        if k in self.system.cuts:
            return self.D(k).value * self.lam[k]
        total = sp.zeros(6, 1)
        for i in self.system.outboard(k):
            lacking = centred(self, i) - self.system.load[i]
            total += self.S(self.O[k], self.C[i]).value * lacking
        for c, sign in self.system.sides(k):
            total -= sign * self.S(self.O[k], self.O[c]).value * self.F(c)
        return total

    def Q(self, i: int, about: Series) -> sp.Matrix:
        """The load on body i about a point."""
        return self.S(about, self.C[i]).value * self.system.load[i]


def centred(motion: Motion, i: int) -> sp.Matrix:
    """The rate of body i's momentum about its centre."""
    return motion.P(i, motion.C[i]).at(1)


def solved(matrix: sp.Matrix, right: sp.Matrix) -> sp.Matrix:
    """x of A x = b, in rational numbers."""
    A, b = (DomainMatrix.from_Matrix(x).to_field() for x in (matrix, right))
    A, b = A.unify(b)
    return A.lu_solve(b).to_Matrix()


def _by_joint(
    system: System, speeds: sp.Matrix, rates: sp.Matrix
) -> dict[int, tuple[sp.Matrix, sp.Matrix]]:
    found, at = {}, 0
    for k in system.bodies:
        own = slice(at, at + len(FREE[system.joints[k].kind]))
        found[k] = speeds[own, :], rates[own, :]
        at = own.stop
    return found


def _freedoms(system: System) -> int:
    return sum(len(FREE[system.joints[k].kind]) for k in system.bodies)


def _closed_speeds(system: System, draw: Points) -> sp.Matrix:
    n = _freedoms(system)
    if not system.cuts:
        return draw.vector(n)
    rest = Motion(system, _by_joint(system, sp.zeros(n, 1), sp.zeros(n, 1)))
    free = rest.conditions().value.nullspace()
    return sum((draw.number() * column for column in free), sp.zeros(n, 1))


def _accelerations(system: System, speeds: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
    """q̈ and λ of the virtual powers' balance and the closed cuts; λ of a dependent one is 0."""
    n = _freedoms(system)
    fixed = Motion(system, _by_joint(system, speeds, sp.zeros(n, 1)))
    right = sp.zeros(n, 1)
    for i in system.bodies:
        right += fixed.jacobian(i, fixed.C[i]).value.T * (system.load[i] - centred(fixed, i))
    M = fixed.mass().value
    if not system.cuts:
        return solved(M, right), sp.zeros(0, 1)
    J, bias = fixed.conditions().value, fixed.closing().at(1)
    own = list(J.T.rref()[1])
    A, none = J[own, :], sp.zeros(len(own), len(own))
    matrix = sp.Matrix.vstack(sp.Matrix.hstack(M, -A.T), sp.Matrix.hstack(A, none))
    found = solved(matrix, right.col_join(-bias[own, :]))
    force = sp.zeros(J.rows, 1)
    for row, value in zip(own, found[n:, :], strict=True):
        force[row] = value
    return found[:n, :], force


def _sum(terms: Iterator[Series]) -> Series:
    first = next(terms)
    for term in terms:
        first = first + term
    return first


def drawn(seed: int, tree: Tree, cuts: Cuts | None = None, planar: bool = False) -> Instant:
    """A generic system in a generic state; the axes of a planar one are parallel.

    The cut joints are put where the bodies are: at any point and axes, told in both bodies'.
    """
    draw = Points(seed)

    def rotation() -> sp.Matrix:
        return sp.diag(draw.rotation(2), 1) if planar else draw.rotation(3)

    joints = {}
    for k, (pred, kind) in tree.items():
        shift = sp.Matrix([draw.number() if x in FREE[kind] else 0 for x in range(3)])
        at_pred, E, at_succ = draw.vector(3), rotation(), draw.vector(3)
        joints[k] = Joint(pred, k, kind, at_pred, E, at_succ, shift, rotation())
    mass = {i: abs(draw.number()) for i in tree}
    gravity = draw.vector(3)
    system = System(
        joints,
        (),
        mass=mass,
        inertia={i: draw.positive(3) for i in tree},
        load={i: mass[i] * gravity.col_join(sp.zeros(3, 1)) + draw.vector(6) for i in tree},
        gravity=gravity,
    )
    n = _freedoms(system)
    rest = Motion(system, _by_joint(system, sp.zeros(n, 1), sp.zeros(n, 1)))
    for c, (pred, succ, kind) in (cuts or {}).items():
        point, axes = draw.vector(3), rotation()
        E = {i: rest.R[i].value.T * axes for i in (pred, succ)}
        own = {i: rest.R[i].value.T * (point - rest.C[i].value) for i in (pred, succ)}
        none = sp.zeros(3, 1)
        joints[c] = Joint(pred, succ, kind, own[pred], E[pred], own[succ], none, E[succ].T)
    return Instant(replace(system, joints=joints, cuts=tuple(cuts or ())), draw)
