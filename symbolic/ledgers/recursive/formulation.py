"""The recursive formulation as the paper states it, corrected, in matrices of numbers.

Outwards the motion of every centroid with A, B and D; inwards the effective mass M_r and load
Q_r; outwards the accelerations. Joints may be driven, and loops closed by multipliers. The
emitted program is in `methods.effective_mass`; this form is for reading and for exact proofs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from ...exact.motion import GROUND, Coordinate
from ...exact.screws import exponential, skew, turn
from .tree import Jointed, JointTree, Kind


@dataclass(frozen=True)
class JointFunctions:
    """C, W, c and their slopes in the joint's own frame, at coordinates and rates.

    W are the axial vectors of ∂C/∂q Cᵀ (3.14): each turn's axis, turned by those before it.
    """

    kind: Kind
    circle: tuple[tuple[sp.Expr, sp.Expr], ...]
    q: sp.Matrix
    u: sp.Matrix

    @property
    def C(self) -> sp.Matrix:
        R = sp.eye(3)
        for axis, m in self.kind.turns:
            R = R * _about(axis, *self.circle[m])
        return R

    @property
    def W(self) -> sp.Matrix:
        columns, R = sp.zeros(3, self.kind.count), sp.eye(3)
        for axis, m in self.kind.turns:
            columns[:, m] = R[:, axis]
            R = R * _about(axis, *self.circle[m])
        return columns

    @property
    def W_rate(self) -> sp.Matrix:
        """Ẇ_m = (Σ W_l q̇_l over the turns before m) × W_m."""
        W, found, spin = self.W, sp.zeros(3, self.kind.count), sp.zeros(3, 1)
        for _, m in self.kind.turns:
            found[:, m] = spin.cross(W[:, m])
            spin += W[:, m] * self.u[m]
        return found

    @property
    def c(self) -> sp.Matrix:
        return self._slides(lambda factor, x, p, u: factor * x**p).sum

    @property
    def c_q(self) -> sp.Matrix:
        return self._slides(lambda factor, x, p, u: factor * p * x ** (p - 1)).columns

    @property
    def c_q_rate(self) -> sp.Matrix:
        def rate(factor: sp.Expr, x: sp.Expr, p: int, u: sp.Expr) -> sp.Expr:
            return factor * p * (p - 1) * x ** (p - 2) * u if p > 1 else sp.Integer(0)

        return self._slides(rate).columns

    def _slides(self, value: Callable[[sp.Expr, sp.Expr, int, sp.Expr], sp.Expr]) -> _Slid:
        columns = sp.zeros(3, self.kind.count)
        for axis, m, factor, power in self.kind.slides:
            columns[axis, m] += value(factor, self.q[m], power, self.u[m])
        return _Slid(columns)


@dataclass(frozen=True)
class _Slid:
    columns: sp.Matrix

    @property
    def sum(self) -> sp.Matrix:
        return self.columns * sp.ones(self.columns.cols, 1)


def _about(axis: int, c: sp.Expr, s: sp.Expr) -> sp.Matrix:
    return turn(exponential(sp.eye(6)[:, axis], sp.Integer(0), c, s))


def across(columns: sp.Matrix, arm: sp.Matrix) -> sp.Matrix:
    """Each column × arm."""
    return -skew(arm) * columns


@dataclass(frozen=True)
class Moved:
    """A body on its way, with A, B and D of its joint (3.28), (3.30), (3.36)."""

    R: sp.Matrix
    r: sp.Matrix
    v: sp.Matrix
    A: sp.Matrix
    A_rate: sp.Matrix
    B: sp.Matrix
    B_rate: sp.Matrix
    D: sp.Matrix


def moved(inner: Moved, joint: Jointed, q: sp.Matrix, u: sp.Matrix, printed: bool = False) -> Moved:
    """From the inner body's motion and the joint's to the body's.

    `printed` leaves out, as (3.39) does, that w and c_q turn with the inner body.
    """
    of = JointFunctions(joint.kind, joint.circle, q, u)
    F = inner.R * joint.Bi
    R = F * of.C * joint.Bj.T
    b = R * joint.bj
    r = inner.r + inner.R * joint.bi + F * of.c - b
    w, c_q = F * of.W, F * of.c_q
    z = r - inner.r
    A = shift(z)
    B = sp.Matrix.vstack(c_q - across(w, b), w)
    v = A * inner.v + B * u
    spin = sp.zeros(3, 3) if printed else skew(inner.v[3:, :])
    w_rate = spin * w + F * of.W_rate
    c_q_rate = spin * c_q + F * of.c_q_rate
    b_rate = skew(v[3:, :]) * b
    above = c_q_rate - across(w, b_rate) - across(w_rate, b)
    B_rate = sp.Matrix.vstack(above, w_rate)
    A_rate = shift(v[:3, :] - inner.v[:3, :]) - sp.eye(6)
    return Moved(R, r, v, A, A_rate, B, B_rate, A_rate * inner.v + B_rate * u)


def shift(z: sp.Matrix) -> sp.Matrix:
    """A = [[1, −~z], [0, 1]] (3.28)."""
    A = sp.eye(6)
    A[:3, 3:] = -skew(z)
    return A


def kinematics(tree: JointTree, printed: bool = False) -> dict[int, Moved]:
    """The forward sweep."""
    none = sp.zeros(6, 0)
    still = Moved(
        sp.eye(3), sp.zeros(3, 1), sp.zeros(6, 1), sp.eye(6), sp.zeros(6, 6), none, none, none
    )
    found = {GROUND: still}
    for j, joint in tree.joints.items():
        found[j] = moved(found[joint.pred], joint, tree.of(j, 0), tree.of(j, 1), printed)
    return found


@dataclass(frozen=True)
class Reduced:
    """What is left to the inner body (3.53), (3.54), and what gives q̈ (3.57).

    q̈ = k − G A v̇ of the unknown coordinates. `Q` may have columns more, for multipliers.
    """

    M: sp.Matrix
    Q: sp.Matrix
    G: sp.Matrix
    k: sp.Matrix


def reduced(
    M: sp.Matrix, Q: sp.Matrix, A: sp.Matrix, B: sp.Matrix, D: sp.Matrix, tau: sp.Matrix
) -> Reduced:
    """Eliminate a joint; without unknown coordinates (4.3), (4.4) with the other sign.

    Sign
        Q_r = Aᵀ (Q − M D − U S⁻¹ y), y = τ + Bᵀ (Q − M D): the negative of (3.54), (3.60).
    """
    net = Q - M * D
    if not B.cols:
        return Reduced(A.T * M * A, A.T * net, B.T, tau)
    U = M * B
    solved = (B.T * U).LUsolve(sp.Matrix.hstack(U.T, tau + B.T * net))
    G, k = solved[:, :6], solved[:, 6:]
    return Reduced(A.T * (M - U * G) * A, A.T * (net - U * k), G, k)


class Recursion:
    """The forward dynamics of a tree: mass and load inwards, accelerations outwards.

    `forces` are (F, T) at each centroid, `tau` forces along coordinates; coordinates that are
    `driven` have the tree's own second derivatives. `pulls` are further load columns, one a
    multiplier.
    """

    def __init__(
        self,
        tree: JointTree,
        forces: Mapping[int, sp.Matrix],
        tau: Mapping[Coordinate, sp.Expr],
        driven: frozenset[Coordinate] = frozenset(),
        pulls: Mapping[int, sp.Matrix] | None = None,
    ) -> None:
        self.tree = tree
        self.forces = forces
        self.tau = tau
        self.driven = driven
        self.pulls = pulls or {}
        self.width = 1 + max((pull.cols for pull in self.pulls.values()), default=0)
        self.at = kinematics(tree)
        self.M: dict[int, sp.Matrix] = {}
        self.Q: dict[int, sp.Matrix] = {}
        self.left: dict[int, Reduced] = {}
        for j in reversed(tree.numbers):
            self._inward(j)

    def mass(self, j: int) -> sp.Matrix:
        """M of one body (3.46)."""
        body, R = self.tree.bodies[j], self.at[j].R
        return sp.diag(body.mass * sp.eye(3), R * body.J * R.T)

    def load(self, j: int) -> sp.Matrix:
        """Q of one body (3.48), and the multipliers' columns."""
        spin = self.at[j].v[3:, :]
        turning = sp.Matrix.vstack(sp.zeros(3, 1), spin.cross(self.mass(j)[3:, 3:] * spin))
        none = sp.zeros(6, self.width - 1)
        return sp.Matrix.hstack(self.forces[j] - turning, self.pulls.get(j, none))

    def free(self, j: int) -> list[int]:
        count = self.tree.joints[j].kind.count
        return [m for m in range(count) if (j, m) not in self.driven]

    def D(self, j: int) -> sp.Matrix:
        """D + B q̈ of the driven coordinates, in the first column."""
        at, D = self.at[j], self.at[j].D
        for m in range(at.B.cols):
            if (j, m) in self.driven:
                D = D + at.B[:, m] * self.tree.rates[j, m][2]
        return sp.Matrix.hstack(D, sp.zeros(6, self.width - 1))

    def B(self, j: int) -> sp.Matrix:
        return self.at[j].B[:, self.free(j)]

    def _inward(self, j: int) -> None:
        self.M[j], self.Q[j] = self.mass(j), self.load(j)
        for child in self.tree.children(j):
            self.M[j] += self.left[child].M
            self.Q[j] += self.left[child].Q
        tau = sp.zeros(len(self.free(j)), self.width)
        for row, m in enumerate(self.free(j)):
            tau[row, 0] = self.tau[j, m]
        given = (self.at[j].A, self.B(j), self.D(j), tau)
        self.left[j] = reduced(self.M[j], self.Q[j], *given)

    @cached_property
    def accelerations(self) -> tuple[dict[Coordinate, sp.Matrix], dict[int, sp.Matrix]]:
        """q̈ of the unknown coordinates, and v̇: first column, then by multipliers."""
        rates: dict[Coordinate, sp.Matrix] = {}
        found = {GROUND: sp.zeros(6, self.width)}
        for j, joint in self.tree.joints.items():
            base = self.at[j].A * found[joint.pred]
            rate = self.left[j].k - self.left[j].G * base
            rates |= {(j, m): rate[row, :] for row, m in enumerate(self.free(j))}
            found[j] = base + self.B(j) * rate + self.D(j)
        return rates, found

    def drive(self, x: Coordinate) -> sp.Expr:
        """The force along a driven coordinate: Bᵀ (M v̇ − Q)."""
        j, m = x
        wrench = self.M[j] * self.accelerations[1][j] - self.Q[j]
        return (self.at[j].B[:, m].T * wrench)[0]
