"""The proof of the rigid body: its transfer matrices, its inertia form and its kernels agree.

At random rational points, exactly. The paper form, fed with articulated inertias at both
inputs and solved for the output, must give what the kernels of either kind of coordinates give.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ..exact.evaluation import Points, evaluated
from ..language.program import Kernel
from ..mechanics.space import Space
from ..methods.riccati.dialect import wrench_to_loads
from ..tree import absolute_kernels as kernels
from ..tree import recursion_kernels
from .page import Check

POINTS = 4

SEED = 2013


@dataclass(frozen=True, eq=False)
class Inertia:
    """M ν̇ + p = X_Oᵀ λ_O − λ_I1 − Σ X_kᵀ λ_Ik, with ν̇ = a_I1 (deduction paper, (18))."""

    M: sp.Matrix
    p: sp.Matrix


@dataclass(frozen=True, eq=False)
class RigidBody:
    """What a page states of a rigid body with two inputs, in inertial axes, in these symbols.

    `U1`, `U2`: z_O = U1 z_I1 + U2 z_I2; `H1`, `H2`: H1 z_I1 = H2 z_I2; one column for the 1.
    """

    dimension: int
    mass: sp.Symbol
    centre: sp.Matrix
    output: sp.Matrix
    second: sp.Matrix
    spin: sp.Matrix
    inertia: sp.Matrix
    force: sp.Matrix
    couple: sp.Matrix
    U1: sp.Matrix
    U2: sp.Matrix
    H1: sp.Matrix
    H2: sp.Matrix
    generic: Inertia


def two_inputs(dimension: int, loaded: bool) -> Kernel:
    """What a body with two inputs demands, in joint coordinates."""
    return recursion_kernels.body.of(
        dimension=dimension, input_count=2, ending_count=0, push_count=0, loaded=loaded
    )


@dataclass(frozen=True)
class BodyKernels:
    """What is emitted for a body with two inputs, in joint and in absolute coordinates."""

    link: Kernel
    body: Kernel

    @classmethod
    def of(cls, dimension: int) -> BodyKernels:
        body = kernels.body.of(dimension=dimension, input_count=2, forced=True)
        return cls(two_inputs(dimension, loaded=True), body)


CLAIMS = {
    "generic": "the matrices and M, p say the same: z_O = U_I1 z_I1 + U_I2 z_I2 solves "
    "M a + p = Xᵀ_O λ_O − λ_I1 − Xᵀ_I2 λ_I2, a_O = X_O a + g_O, a_I2 = X_I2 a + g_I2",
    "link": "with z_a = S z_b + e at both inputs the matrices give S, e at the output; the kernel "
    "in joint coordinates gives the same, S = Π IA, e = Π pA",
    "body": "and so does the kernel in absolute coordinates",
}


def body_checks(
    stated: RigidBody, chosen: BodyKernels | None = None, count: int = POINTS
) -> tuple[Check, ...]:
    """Prove every claim."""
    points, where = Points(SEED), dict.fromkeys(CLAIMS, "")
    for number in range(count):
        found = _Scene(points, stated).differences(chosen or BodyKernels.of(stated.dimension))
        for name, difference in found.items():
            wrong = [k + 1 for k, x in enumerate(difference) if x != 0]
            if wrong and not where[name]:
                where[name] = f"point {number + 1}, component {wrong[0]}"
    return tuple(Check(claim, count, where[name]) for name, claim in CLAIMS.items())


class _Scene:
    """A body at one point, with what hangs on its inputs."""

    def __init__(self, points: Points, stated: RigidBody) -> None:
        self.stated = stated
        self.dimension = d = stated.dimension
        self.space = space = Space(d)
        self.R = points.rotation(d)
        self.known: dict[sp.Expr, sp.Expr] = {stated.mass: points.positive(1)[0]}
        for name in ("centre", "output", "second", "spin", "force", "couple"):
            symbols = getattr(stated, name)
            self._know(symbols, points.vector(len(symbols)))
        self._know(stated.inertia, points.positive(space.spins))
        n = space.motion
        self.beyond = [(points.positive(n), points.vector(n)) for _ in range(2)]

    def _know(self, symbols: sp.Matrix, values: sp.Matrix) -> None:
        """Give symbols values; what is zero stays zero."""
        pairs = zip(symbols, values, strict=True)
        self.known.update({symbol: value for symbol, value in pairs if symbol != 0})

    def at(self, value: sp.Matrix) -> sp.Matrix:
        return value.xreplace(self.known)

    def differences(self, chosen: BodyKernels) -> dict[str, sp.Matrix]:
        """What must vanish, claim by claim."""
        S, e = self._from_matrices()
        Pi = wrench_to_loads(self.dimension)
        expected = Pi.T * sp.Matrix.hstack(S, e)
        return {
            "generic": self._generic(),
            "link": self._link(chosen.link) - expected,
            "body": self._body(chosen.body) - expected,
        }

    def _generic(self) -> sp.Matrix:
        """U_I1, U_I2, H_I1, H_I2 against M, p."""
        stated, n, space = self.stated, self.space.motion, self.space
        Pi = wrench_to_loads(self.dimension)
        X, g = space.shift(self.at(stated.output)), self._central(self.at(stated.output))
        X2, g2 = space.shift(self.at(stated.second)), self._central(self.at(stated.second))
        M, p = self.at(stated.generic.M), self.at(stated.generic.p)
        carry = Pi * X.inv().T
        zero, one = sp.zeros(n), sp.zeros(n, 1)
        U1 = sp.BlockMatrix([[X, zero, g], [carry * M, carry * Pi.T, carry * p]]).as_explicit()
        second = carry * X2.T * Pi.T
        U2 = sp.BlockMatrix([[zero, zero, one], [zero, second, one]]).as_explicit()
        H1 = sp.BlockMatrix([[X2, zero, g2]]).as_explicit()
        H2 = sp.BlockMatrix([[sp.eye(n), zero, one]]).as_explicit()
        pairs = ((U1, stated.U1), (U2, stated.U2), (H1, stated.H1), (H2, stated.H2))
        return sp.Matrix([x for mine, its in pairs for x in mine - self.at(its)[: mine.rows, :]])

    def _from_matrices(self) -> tuple[sp.Matrix, sp.Matrix]:
        """S and e at the output: the paper's matrices with z_a = S z_b + e at the inputs."""
        stated, n = self.stated, self.space.motion
        Pi = wrench_to_loads(self.dimension)
        U1, U2 = self.at(stated.U1), self.at(stated.U2)
        H1 = self.at(stated.H1)
        back = U1[:n, :n].inv()
        a1 = sp.Matrix.hstack(back, -back * U1[:n, -1])
        a2 = H1[:n, :n] * a1 + _last(H1[:n, -1], n + 1)
        total = U1[n : 2 * n, :n] * a1 + _last(U1[n : 2 * n, -1], n + 1)
        for U, a, (IA, pA) in zip((U1, U2), (a1, a2), self.beyond, strict=True):
            total += U[n : 2 * n, n : 2 * n] * (Pi * IA * a + _last(Pi * pA, n + 1))
        return total[:, :n], total[:, n]

    def _central(self, arm: sp.Matrix) -> sp.Matrix:
        """(~Ω~Ω r, 0)."""
        space, spin = self.space, self.at(self.stated.spin)
        turned = space.turn(spin, space.turn(spin, arm))
        return sp.Matrix.vstack(turned, sp.zeros(space.spins, 1))

    def _link(self, kernel: Kernel) -> sp.Matrix:
        """IA, pA of the kernel in link axes, turned to inertial ones."""
        stated, d, space, R = self.stated, self.dimension, self.space, self.R
        mass, centre = self.at(sp.Matrix([stated.mass])), self._from_output(stated.centre)
        turn = R if d == 3 else sp.eye(1)
        whole = sp.diag(R, turn)
        inputs = {
            "w": turn.T * self.at(stated.spin),
            "m": mass,
            "h": mass[0] * R.T * centre,
            "J": turn.T * self._about_output() * turn,
            "A": R,
            "f": sp.Matrix.vstack(self.at(stated.force), self.at(stated.couple)),
            "rC": R.T * centre,
        }
        arms = (-self.at(stated.output), self._from_output(stated.second))
        for k, (arm, (IA, pA)) in enumerate(zip(arms, self.beyond, strict=True), start=1):
            X = space.shift(arm)
            inputs[f"IAt_I{k}"] = whole.T * X.T * IA * X * whole
            inputs[f"pAt_I{k}"] = whole.T * X.T * (pA + IA * self._central(arm))
        found = evaluated(kernel, inputs)
        return sp.Matrix.hstack(whole * found["IA"] * whole.T, whole * found["pA"])

    def _body(self, kernel: Kernel) -> sp.Matrix:
        """IA, pA of the kernel in absolute coordinates."""
        stated, d, R = self.stated, self.dimension, self.R
        mass, centre = self.at(sp.Matrix([stated.mass])), self._from_output(stated.centre)
        turn = R if d == 3 else sp.eye(1)
        inputs = {
            "omega": turn.T * self.at(stated.spin),
            "m": mass,
            "g": sp.zeros(d, 1),
            "hb": mass[0] * R.T * centre,
            "J": self._about_output(),
            "Jb": turn.T * self._about_output() * turn,
            "f": sp.Matrix.vstack(self.at(stated.force), self.at(stated.couple)),
            "tau": sp.zeros(len(stated.spin), 1),
            "rCb": R.T * centre,
            "A": R,
            "c": R[0:1, 0:1],
            "s": R[1:2, 0:1],
        }
        arms = (-self.at(stated.output), self._from_output(stated.second))
        for k, (arm, (IA, pA)) in enumerate(zip(arms, self.beyond, strict=True), start=1):
            inputs |= {f"IA_I{k}": IA, f"pA_I{k}": pA, f"rb_I{k}": R.T * arm}
        taken = {port.name: inputs[port.name] for port in kernel.inputs}
        found = evaluated(kernel, taken)
        return sp.Matrix.hstack(found["IA"], found["pA"])

    def _from_output(self, place: sp.Matrix) -> sp.Matrix:
        return self.at(place) - self.at(self.stated.output)

    def _about_output(self) -> sp.Matrix:
        """The inertia about the output end, from that about I₁ by way of the centre of mass."""
        stated = self.stated
        mass = self.at(sp.Matrix([stated.mass]))[0]

        def steiner(arm: sp.Matrix) -> sp.Matrix:
            square = (arm.T * arm)[0]
            if self.dimension == 2:
                return sp.Matrix([mass * square])
            return mass * (square * sp.eye(3) - arm * arm.T)

        central = self.at(stated.inertia) - steiner(self.at(stated.centre))
        return central + steiner(self._from_output(stated.centre))


def _last(column: sp.Matrix, width: int) -> sp.Matrix:
    """A matrix of that width whose last column is this."""
    return sp.Matrix.hstack(sp.zeros(column.rows, width - 1), column)
