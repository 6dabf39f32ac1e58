"""The proof of a hinge: its kernels against poses differentiated in time and the general step.

At random rational points, exactly. The hinge's link moves on a parent that moves at random;
what its motion is follows from its pose alone (`moving`). Then the general elimination in the
paper's (S, e) must give what the kernel gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from ...model.parts.hinge_kinds import HINGE_KINDS, SIZES
from ..exact.evaluation import Points, evaluated
from ..language.program import Kernel, Slot
from ..mechanics.frames import Frame, Path, drawn, fixed
from ..mechanics.hinges import Joint, joint
from ..mechanics.space import Space
from ..mechanics.turning import Way
from ..methods.riccati.dialect import wrench_to_loads
from ..tree import cut_kernels, recursion_kernels
from ..tree import motion_kernels as jointkernels
from .page import Check

#: Random points for each of the two sides from which a hinge may be described.
POINTS = 3

SEED = 2014

Matrices = dict[str, sp.Matrix]


@dataclass(frozen=True)
class Kernels:
    """What is emitted for a hinge: its relative motion, its elimination, the way back, its cut."""

    relative: Kernel
    hinge: Kernel
    accelerate: Kernel
    cuts: tuple[Kernel, ...] = ()

    @classmethod
    def of(cls, dimension: int, kind: str, backward: bool) -> Kernels:
        of = joint(dimension, kind)
        freedom = len(of.u)
        facts = {
            "dimension": dimension,
            "kind": kind,
            "backward": backward,
            "freedom": freedom,
            "count": freedom,
            "way": Way.generic(of.rotation),
        }
        return cls(
            jointkernels.relative.of(**facts),
            recursion_kernels.hinge.of(**facts, acting=freedom > 0, rotor=False),
            recursion_kernels.accelerate.of(**facts),
            _cuts(dimension, kind),
        )


def _cuts(dimension: int, kind: str) -> tuple[Kernel, ...]:
    """The gap and the columns of a cut.

    None for a kind without conditions or that cannot be cut, nor for one with a lead, whose shift
    turns by an angle that no rational point has.
    """
    form = cut_kernels.CutHinge(dimension, kind)
    if HINGE_KINDS[dimension][kind].why_not_cut or form.lead or not form.count:
        return ()
    return cut_kernels.gap.at(None, form), cut_kernels.cut.at(None, form)


@dataclass(frozen=True, eq=False)
class Paper:
    """What the page states of a hinge whose child is at the tip side, in the child's axes.

    `D` spans what it constrains; z_O = `U` z_I, and `rows` z_O = 0.
    """

    D: sp.Matrix
    U: sp.Matrix
    rows: sp.Matrix


CLAIMS = {
    "pose": "orientation and place of the link in the parent's axes are those of the pose",
    "motion": "velocity and spin of the kernel are those of the pose, differentiated",
    "bias": "r̈ and Ω̇ of the kernels are those of the pose, differentiated twice, on a parent "
    "in any motion: so H and the bias are right",
    "force": "Hᵀ λ = τ at the link's end",
    "wrench": "λ there is what the link demands, IA a + pA",
    "step": "IA and pA that the kernel hands to the parent are those of the general step "
    "S − S H (Gᵀ S H)⁻¹ Gᵀ S, e − S γ − S H (Gᵀ S H)⁻¹ (Gᵀ e + τ), moved there",
    "allowed": "Dᵀ H = 0, and the columns of D and H together span everything",
    "paper": "z_O = U z_I, and the added rows vanish, for that motion and those loads",
    "cut": "where the hinge closes a loop: φ, φ̇ and φ̈ of its conditions vanish for every motion "
    "that it lets happen, and there are as many conditions as columns of D",
}


def hinge_checks(
    dimension: int,
    kind: str,
    paper: Paper,
    kernels: tuple[Kernels, Kernels] | None = None,
    count: int = POINTS,
) -> tuple[Check, ...]:
    """Prove every claim, with the hinge described from the child's side and from the parent's."""
    points, where = Points(SEED), dict.fromkeys(CLAIMS, "")
    judged = dict.fromkeys(CLAIMS, 0)
    path = Path.along(joint(dimension, kind))
    for backward in (False, True):
        chosen = kernels[backward] if kernels else Kernels.of(dimension, kind, backward)
        for number in range(count):
            scene = _Scene(points, path, backward)
            for name, difference in scene.differences(chosen, paper).items():
                judged[name] += 1
                wrong = [k + 1 for k, x in enumerate(difference) if x != 0]
                if wrong and not where[name]:
                    side = "the parent's side" if backward else "the child's side"
                    where[name] = f"point {number + 1} described from {side}, component {wrong[0]}"
    return tuple(
        Check(claim, judged[name], where[name]) for name, claim in CLAIMS.items() if judged[name]
    )


class _Scene:
    """A link on its parent, at one point: everything drawn that the kernels take."""

    def __init__(self, points: Points, path: Path, backward: bool) -> None:
        self.path, self.backward = path, backward
        of = path.of
        self.dimension = d = of.dimension
        self.space = Space(d)
        self.values = _values(points, of)
        self.freedom = len(of.u)
        self.parent = drawn(points, d)
        self.K, self.rk = points.rotation(d), points.vector(d)
        self.IA, self.pA = points.positive(self.space.motion), points.vector(self.space.motion)
        self.tau = points.vector(self.freedom) if self.freedom else sp.zeros(0, 1)

    def link(self, rates: sp.Matrix) -> Frame:
        """The link's frame when its speeds have these rates."""
        return self.parent @ fixed(self.K, self.rk) @ self.relative(rates)

    def relative(self, rates: sp.Matrix) -> Frame:
        """The link's frame as seen from the hinge's place on the parent."""
        moved = self.path.at(self.values, rates)
        return moved.inverse() if self.backward else moved

    def differences(self, kernels: Kernels, paper: Paper) -> Matrices:
        """What must vanish, claim by claim."""
        n = self.freedom
        known = self._kernel_values(kernels)
        rates = sp.Matrix([known[f"a_{j + 1}"][0] for j in range(n)]) if n else sp.zeros(0, 1)
        here = self.link(rates)
        seen = self.relative(rates).velocity()
        general = _General(self, here, rates)
        wrench = known["IAh"] * known["a0"] + known["pAh"]
        H = self.path.of.subspace.xreplace(dict(self.values))
        D = paper.D.xreplace(dict(self.values))
        both = sp.Matrix.hstack(D, H)
        stated = {}
        if not self.backward:
            stated["paper"] = self._paper(paper, here, rates, wrench)
            if kernels.cuts:
                stated["cut"] = self._cut(paper, here, kernels)
        pose = fixed(self.K, self.rk) @ self.relative(rates)
        return stated | {
            "pose": _flat(known["C"] - pose.R[0], known["r"] - pose.x[0]),
            "motion": sp.Matrix.vstack(known["vr"], known["wr"]) - seen,
            "bias": known["acc"] - here.acceleration(),
            "force": known["H"].T * wrench - self.tau,
            "wrench": wrench - self.IA * here.acceleration() - self.pA,
            "step": _flat(known["IAt"] - general.inertia, known["pAt"] - general.bias),
            "allowed": _flat(D.T * H, sp.Matrix([both.rows - both.cols, both.rows - both.rank()])),
        }

    def _paper(self, paper: Paper, here: Frame, rates: sp.Matrix, wrench: sp.Matrix) -> sp.Matrix:
        """What the paper form leaves, with λ_O from the balance of the massless hinge."""
        d, space = self.dimension, self.space
        turn = _turn(here.R[0], d).T
        at_hinge = self.parent @ fixed(self.K, self.rk)
        a_O = turn * _turn(at_hinge.R[0], d) * at_hinge.acceleration()
        apart = here.R[0].T * (at_hinge.x[0] - here.x[0])
        force, moment = wrench[:d, :], wrench[d:, :]
        moved = sp.Matrix.vstack(force, moment - space.tilde(apart) * force)
        Pi, one = wrench_to_loads(d), sp.ones(1, 1)
        z_I = sp.Matrix.vstack(here.acceleration(), Pi * wrench, rates, one)
        z_O = sp.Matrix.vstack(a_O, Pi * moved, rates, one)
        spin = turn[d:, d:] * _turn(self.parent.R[0], d)[d:, d:] * self.parent.velocity()[d:, :]
        known = {**self.values, **dict(zip(spin_symbols(d), spin, strict=True))}
        known |= dict(zip(force_symbols(self.freedom), self.tau, strict=True))
        left = paper.rows.xreplace(known) * z_O if self.freedom else sp.zeros(0, 1)
        return sp.Matrix.vstack(paper.U.xreplace(known) * z_I - z_O, left)

    def _cut(self, paper: Paper, here: Frame, kernels: Kernels) -> sp.Matrix:
        """The conditions of the hinge as a cut between parent and link, which are closed."""
        d, n = self.dimension, self.space.motion
        inputs = {"ga": sp.zeros(n, 1), "gb": sp.zeros(n, 1)}
        sides = (
            ("a", self.parent, self.rk, self.K),
            ("b", here, sp.zeros(d, 1), sp.eye(d)),
        )
        for side, frame, arm, axes in sides:
            known = {"A": frame.R[0], "x": frame.x[0], "r": arm, "K": axes}
            known |= {"v": frame.velocity()[:d, :], "w": frame.velocity()[d:, :]}
            inputs |= {f"{name}{side}": value for name, value in known.items()}
        gap, cut = (
            evaluated(kernel, {port.name: inputs[port.name] for port in kernel.inputs})
            for kernel in kernels.cuts
        )
        EA, EB, bias = cut.values()
        second = EA.T * self.parent.acceleration() + EB.T * here.acceleration() + bias
        return _flat(*gap.values(), second, sp.Matrix([len(bias) - paper.D.cols]))

    def _kernel_values(self, kernels: Kernels) -> Matrices:
        of, n = self.path.of, self.freedom
        symbols = (*of.q, *of.u, *SIZES)
        known: Matrices = {x.name: sp.Matrix([self.values[x]]) for x in symbols if x in self.values}
        known |= {"K": self.K, "rk": self.rk, "IA": self.IA, "pA": self.pA}
        known |= {"wp": self.parent.velocity()[self.dimension :, :]}
        known |= {"ap": self.parent.acceleration(), f"T{n}": self.tau}
        for kernel in (kernels.relative, kernels.hinge, kernels.accelerate):
            inputs = {port.name: known[port.name] for port in kernel.inputs}
            known |= evaluated(kernel, inputs, self.values)
        known["H"] = known[f"H{n}"] if n else sp.zeros(self.space.motion, 0)
        return known


class _General:
    """The general step in inertial axes, from frames alone: own, for any hinge.

    a_O = X a_I + H σ̇ + γ from the link's end I to the parent's O; λ_I = Xᵀ λ_O; Hᵀ λ_O = −τ.
    """

    def __init__(self, scene: _Scene, here: Frame, rates: sp.Matrix) -> None:
        space, d, n = scene.space, scene.dimension, scene.freedom
        at_hinge = scene.parent @ fixed(scene.K, scene.rk)
        X = space.shift(at_hinge.x[0] - here.x[0])
        back = X.inv()

        def inertial(frame: Frame) -> sp.Matrix:
            return _turn(frame.R[0], d) * frame.acceleration()

        rest = inertial(scene.link(sp.zeros(n, 1)))
        units = [sp.Matrix([int(i == j) for i in range(n)]) for j in range(n)]
        columns = [inertial(scene.link(unit)) - rest for unit in units]
        H = -X * sp.Matrix.hstack(*columns) if n else sp.zeros(space.motion, 0)
        gamma = inertial(at_hinge) - X * rest
        turn, Pi = _turn(here.R[0], d), wrench_to_loads(d)
        S, e = Pi * turn * scene.IA * turn.T, Pi * turn * scene.pA
        T, G = Pi * back.T * Pi.T, Pi * H
        Sh, eh = T * S * back, T * e
        if n:
            SH = Sh * H
            pivot = G.T * SH
            Sh_out = Sh - SH * pivot.LUsolve(G.T * Sh)
            e_out = eh - Sh_out * gamma - SH * pivot.LUsolve(G.T * eh + scene.tau)
        else:
            Sh_out, e_out = Sh, eh - Sh * gamma
        arm = at_hinge.x[0] - scene.parent.x[0]
        central = sp.Matrix.vstack(
            at_hinge.x[2] - scene.parent.x[2] - _lever(space, arm) * inertial(scene.parent)[d:, :],
            sp.zeros(space.spins, 1),
        )
        Y = space.shift(arm)
        IA = Y.T * Pi.T * Sh_out * Y
        pA = Y.T * Pi.T * (e_out + Sh_out * central)
        own = _turn(scene.parent.R[0], d)
        self.inertia, self.bias = own.T * IA * own, own.T * pA


def spin_symbols(dimension: int) -> sp.Matrix:
    """The parent's angular velocity."""
    axes = "z" if dimension == 2 else "xyz"
    return sp.Matrix([sp.Symbol(f"Omega_{axis}", real=True) for axis in axes])


def force_symbols(freedom: int) -> list[sp.Symbol]:
    """The forces that act in a hinge."""
    return [sp.Symbol(f"tau_{j + 1}", real=True) for j in range(freedom)]


def _lever(space: Space, arm: sp.Matrix) -> sp.Matrix:
    return space.shift(arm)[: space.dimension, space.dimension :]


def _turn(R: sp.Matrix, dimension: int) -> sp.Matrix:
    return sp.diag(R, 1) if dimension == 2 else sp.diag(R, R)


def _flat(*parts: sp.Matrix) -> sp.Matrix:
    return sp.Matrix([x for part in parts for x in part])


def _values(points: Points, of: Joint) -> dict[sp.Expr, Any]:
    """Random coordinates, with sines and cosines of angles, and speeds."""
    values: dict[sp.Expr, Any] = {size: points.number() for size in SIZES}
    coordinates = iter(of.q)
    for slot in of.slots:
        if slot is Slot.QUATERNION:
            for component in points.quaternion():
                values[next(coordinates)] = component
            continue
        q = next(coordinates)
        values[q] = points.number()
        if slot is Slot.ANGLE:
            values[sp.cos(q)], values[sp.sin(q)] = points.circle()
    values.update(zip(of.u, points.vector(len(of.u)) if len(of.u) else (), strict=True))
    return values
