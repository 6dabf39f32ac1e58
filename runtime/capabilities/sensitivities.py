"""How the forces that a motion needs change with all that they depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

import numpy as np
import numpy.typing as npt

from ...model import Model
from ...model.expressions.quantities import Vector
from ...shown import Shown
from ..evaluation.arrays import Floats
from .capability import Capability


@dataclass(frozen=True, repr=False)
class ForceDerivatives(Shown):
    """The linearised equations of motion: δτ = da δa + dv δv + dq δq about a motion.

    Shape
        Each (…, nv, nv), row by force; `da` is the mass matrix.
    Units
        Of the force by that of the direction.
    Frame
        A column of `dq` is along a motion at that one speed, see `Derivatives`.
    """

    dq: Floats
    dv: Floats
    da: Floats


@final
class Sensitivities(Capability):
    """Derivatives of inverse dynamics, without the hinges' force laws."""

    def force_derivatives(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        parameters: Mapping[str, float] | None = None,
    ) -> ForceDerivatives:
        """The derivatives of τ(q, v, a) = M a + C v + g: the linearised equations of motion.

        Shape
            See `ForceDerivatives`; `a` (…, nv).
        Units
            See `ForceDerivatives`.
        Frame
            See `ForceDerivatives`.
        Sign
            As `inverse_dynamics`.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
        Source
            Screw paper, Sect. 6.1; in sums over the links outwards, own.
        """
        found = self._sensitivities("force_derivatives", q, v, a, parameters)
        n = len(self.code.speeds)
        square = {name: x.reshape(*x.shape[:-1], n, n) for name, x in found.items()}
        return ForceDerivatives(square["dtau_dq"], square["dtau_dv"], square["M"])

    def inertia_regressor(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """Y with M a + C v + g = Y π, π being the `inertia_parameters`.

        Rotors, force laws and loads, which are no part of Y π, add to `inverse_dynamics`.

        Shape
            (…, nv, 10 nbodies), in the plane (…, nv, 4 nbodies).
        Units
            Of the force by that of the parameter.
        Sign
            As `inverse_dynamics`.
        Raises
            UsageError: as `force_derivatives`.
        Source
            Screw paper (43), (44), (79), which are linear in m, m c and Θ.
        """
        found = self._sensitivities("inertia_regressor", q, v, a, parameters)["Y"]
        n = len(self.code.speeds)
        return found.reshape(*found.shape[:-1], n, found.shape[-1] // n)

    def inertia_parameters(self, *, parameters: Mapping[str, float] | None = None) -> Floats:
        """π: m, m c and Θ = ∫ (r·r 1 − r rᵀ) dm of every body, in the order of `bodies`.

        Shape
            (10 nbodies): m; m c_x, m c_y, m c_z; Θ_xx, Θ_xy, Θ_xz, Θ_yy, Θ_yz, Θ_zz. In the plane
            (4 nbodies): m; m c_x, m c_y; Θ.
        Units
            kg; kg m; kg m².
        Frame
            The body's own axes; c and Θ about its origin.
        Raises
            UsageError: a name that is no run-time parameter, or a value that fits no system.
        Source
            own
        """
        values = zip(
            self.code.parameters, self.code.parameter_values(parameters).tolist(), strict=True
        )
        model = replace(self.code.model, parameters={**self.code.model.parameters, **dict(values)})
        found: list[float] = []
        for name in self.code.bodies:
            body = self.code.generated.plan.link(name).rigid
            m, centre = float(model.exact(body.mass)), _numbers(model, body.centre)
            found += [m, *(m * centre)]
            if isinstance(body.inertia, tuple):
                central = np.array([_numbers(model, row) for row in body.inertia])
                whole = central + m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
                found += whole[np.triu_indices(3)].tolist()
            else:
                found.append(float(model.exact(body.inertia)) + m * float(centre @ centre))
        return np.array(found)

    def geometry_sensitivity(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """How M a + C v + g changes where hinges sit otherwise on their bodies.

        An end is turned about its point and shifted with it. Where several hinges share a point,
        each has its own derivative; that of the point is their sum. The masses stay where they are
        on their bodies.

        Shape
            (…, nv, len(hinge_ends), 6): three turns, then three shifts; in the plane
            (…, nv, len(hinge_ends), 3): a turn, then two shifts.
        Units
            N m/rad, N/rad; N, N/m.
        Frame
            Turns about and shifts along the axes of the body that has the end, or of the ground.
        Sign
            As `inverse_dynamics`.
        Raises
            UsageError: as `force_derivatives`.
        Source
            Screw paper, Sect. 6.2; in sums over the links outwards, own.
        """
        found = self._sensitivities("geometry_sensitivity", q, v, a, parameters)["dtau_dx"]
        shape = (
            len(self.code.speeds),
            len(self.code.hinge_ends),
            3 if self.code.model.dimension == 2 else 6,
        )
        return found.reshape(*found.shape[:-1], *shape)

    def _sensitivities(
        self,
        entry: str,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        parameters: Mapping[str, float] | None,
    ) -> dict[str, Floats]:
        return self.code.results(entry, q, v, parameters=parameters, ad=self.code.state("a", a))


def _numbers(model: Model, vector: Vector) -> Floats:
    return np.array([float(model.exact(x)) for x in vector])
