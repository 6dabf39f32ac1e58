"""Joint momenta: velocities from them, their rates, and the gauge that they are expressed in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np
import numpy.typing as npt

from ..evaluation.arrays import Floats
from .capability import Capability
from .poses import Poses


@final
class Momenta(Capability):
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
        return Poses(self.code).rates(q, found["vel"], parameters=parameters), found["pd"]

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
        given = np.zeros(len(self.code.conditions)) if sigma is None else sigma
        impulses = self.code.state("sigma", given)
        found = self.code.results("momenta", q, v, t=t, parameters=parameters, sigma=impulses)
        return found["pn"]

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
        mom = self.code.state("p", p)
        return self.code.results(
            entry, q, None, tau, t=t, parameters=parameters, wrenches=wrenches, mom=mom
        )
