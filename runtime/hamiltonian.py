"""Joint momenta: velocities from them, their rates, and the gauge that they are told in."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..codegen.generate import DIVIDED
from ..symbolic.dca import assembly_of
from .backend import Floats
from .derivatives import Linearization


class Momenta(Linearization):
    """Numbers of the Hamiltonian divide-and-conquer method (`algorithm="hdca"`).

    The state is (q, p): p of a hinge is what the momentum outboard of it is along its speeds,
    less the impulses σ of the cut hinges there. σ follows from (q, p); σ̇ is the constraint
    force. For any constant μ, p − Jᵀ μ and σ + μ are the same motion: the gauge, J being how fast
    the cuts open per speed.

    Shape
        As in `Solver`; `p` (…, nv), a momentum along each speed.
    Units
        N s along a length, N m s along an angle; σ the units of a force times s.
    Frame
        σ as the `constraints`: of a cut hinge that holds all translations inertial axes, of
        another its parent point's axes.
    Sign
        σ on the child of the cut hinge.
    """

    @cached_property
    def assembly(self) -> str:
        """The assembly tree of `dca` and `hdca` as text, for `compile(…, assembly=…)`.

        Empty for other algorithms.
        """
        if self.algorithm not in DIVIDED:
            return ""
        return assembly_of(self.generated.plan, self.algorithm, self._assembly).text()

    def velocities(
        self,
        q: npt.ArrayLike,
        p: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """The speeds that belong to momenta: those with which all loops stay closed.

        Shape
            (…, nv).
        Units
            rad/s, m/s.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
            NumericsError: the result is not finite.
        Source
            Divide-and-conquer paper (15)-(46).
        """
        return self._of_momenta("velocities", q, p, None, t, parameters)["vel"]

    def impulses(
        self,
        q: npt.ArrayLike,
        p: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """σ, the impulses of the cut hinges that belong to momenta.

        Where conditions are redundant, the least in the merge that closes the loops, each squared
        and weighted by how much its own condition gives way to it; all others give the same
        velocities.

        Shape
            (…, len(conditions)).
        Units
            N s, N m s.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
            NumericsError: the result is not finite.
        Source
            Divide-and-conquer paper (26), (45), (62).
        """
        found = self._of_momenta("velocities", q, p, None, t, parameters)
        return found.get("sig", np.zeros((*found["vel"].shape[:-1], 0)))

    def momentum_rates(
        self,
        q: npt.ArrayLike,
        p: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> tuple[Floats, Floats]:
        """The time derivatives of coordinates and momenta.

        Shape
            (…, nq) and (…, nv); `tau`, `wrenches` as in `accelerations`.
        Units
            Those of q and p by s.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
            NumericsError: the result is not finite.
        Source
            Divide-and-conquer paper (77), with the terms of all cut sides.
        """
        found = self._of_momenta("momentum_rates", q, p, tau, t, parameters, wrenches)
        return self.rates(q, found["vel"], parameters=parameters), found["pd"]

    def momenta(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        sigma: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """The joint momenta of a motion, p = M v − Jᵀ σ; σ is zero by default.

        Shape
            (…, nv); `sigma` (…, len(conditions)).
        Units
            N s, N m s.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
        Source
            Divide-and-conquer paper (6), (63).
        """
        given = np.zeros(len(self.conditions)) if sigma is None else sigma
        more = {"sigma": self.state("sigma", given)}
        return self._results("momenta", q, v, t, None, parameters, None, more)["pn"]

    def jacobian(
        self,
        q: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """J of the gauge, see `Kinematics.jacobian`: row by row minus the momenta of σ alone.

        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
        Source
            own
        """
        if not (self.conditions and self.generated.sources.interface.hamiltonian):
            return super().jacobian(q, t=t, parameters=parameters)
        rows, still = np.eye(len(self.conditions)), np.zeros(len(self.speeds))
        at, when = self.state("q", q)[..., np.newaxis, :], self.state("t", t)[..., np.newaxis]
        return -self.momenta(at, still, rows, t=when, parameters=parameters)

    def regauged(
        self,
        q: npt.ArrayLike,
        p: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """The momenta of the same motion with σ zero: p + Jᵀ σ = M v.

        Shape
            (…, nv).
        Units
            N s, N m s.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
            NumericsError: the result is not finite.
        Source
            own
        """
        return self._of_momenta("regauge", q, p, None, t, parameters)["pg"]

    def project(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> tuple[Floats, Floats]:
        """The state with closed loops near (q, v); see `Kinematics.project`.

        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            NumericsError: the loops cannot be closed from there.
        Source
            own
        """
        if not (self.conditions and self.generated.sources.interface.hamiltonian):
            return super().project(q, v, t=t, parameters=parameters)
        p = self.momenta(q, v, t=t, parameters=parameters)
        q, p = super().project(q, p, t=t, parameters=parameters)
        return q, self.velocities(q, p, t=t, parameters=parameters)

    def _of_momenta(
        self,
        entry: str,
        q: npt.ArrayLike,
        p: npt.ArrayLike,
        tau: npt.ArrayLike | None,
        t: npt.ArrayLike,
        parameters: Mapping[str, float] | None,
        wrenches: npt.ArrayLike | None = None,
    ) -> dict[str, Floats]:
        self.require(entry)
        given = {"mom": self.state("p", p)}
        still = np.zeros(len(self.speeds))
        return self._results(entry, q, still, t, tau, parameters, wrenches, given)
