"""The closed form of the equations of motion: C, gravity's forces, momenta and screws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ..evaluation.arrays import Floats
from .capability import Capability

#: The choices of C, see `coriolis_matrix`.
VARIANTS = ("christoffel", "skew", "printed")


@final
class ClosedForm(Capability):
    """M a + C v + g: what accelerations need besides the hinges' laws and loads."""

    def coriolis_matrix(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        variant: str = "christoffel",
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """C(q, v), of which only C v is unique.

        `christoffel`: by Christoffel's symbols, where speeds are rates of coordinates; Ṁ − 2 C is
        skew. `skew`: Ṁ − 2 C is skew as well, from fewer terms. `printed`: the paper's, whose
        Ṁ − 2 C is not skew.

        Shape
            (…, nv, nv).
        Units
            That of the mass matrix by s.
        Frame
            Hinge by hinge, as the speeds.
        Raises
            UsageError: another algorithm computes this, or there is no such variant; a shape
                that does not fit, or a number that is not finite.
        Source
            Screw paper (85), signs restored; the other two variants are own.
        """
        if variant not in VARIANTS:
            raise UsageError(f"there is no variant {variant!r}; there are: {', '.join(VARIANTS)}")
        entry = f"coriolis_{variant}"
        found = self.code.results(entry, q, v, parameters=parameters)[f"C_{variant}"]
        return found.reshape(*found.shape[:-1], len(self.code.speeds), len(self.code.speeds))

    def christoffel_symbols(
        self, q: npt.ArrayLike, *, parameters: Mapping[str, float] | None = None
    ) -> Floats:
        """Γ_ijk with C_ij = Σ_k Γ_ijk v_k of the variant `christoffel`.

        Of hinges whose speeds are no rates of coordinates (ball, free, elastic in space) they are
        the coefficients of that variant, and not symmetric in j and k.

        Shape
            (…, nv, nv, nv).
        Raises
            UsageError: as `coriolis_matrix`.
        Source
            Screw paper (87), corrected; evaluated as C at unit speeds, in which it is linear.
        """
        q_ = self.code.state("q", q)
        columns = [
            self.coriolis_matrix(q_, one, parameters=parameters)
            for one in np.eye(len(self.code.speeds))
        ]
        return np.stack(columns, axis=-1)

    def gravity_forces(
        self, q: npt.ArrayLike, *, parameters: Mapping[str, float] | None = None
    ) -> Floats:
        """The generalised forces that balance gravity.

        Shape
            (…, nv).
        Units
            N, N m.
        Sign
            As `inverse_dynamics`: on the hinge's child, along the speed.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
        Source
            Screw paper (81); by composite inertias, own.
        """
        return self.code.results("gravity_forces", q, parameters=parameters)["gravity"]

    def spatial_momenta(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """Every body's momentum about the inertial origin.

        Shape
            (…, nbodies, 6): the moment of momentum, then the momentum, in the order of `bodies`.
        Units
            kg m²/s, kg m/s.
        Frame
            Inertial.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
        Source
            Screw paper (36), (80): Jᵀ (Π̇ − W) = 0 of these and the wrenches on the bodies.
        """
        found = self.code.results("spatial_momenta", q, v, parameters=parameters)["momenta"]
        return found.reshape(*found.shape[:-1], len(self.code.bodies), 6)

    def screws(self, q: npt.ArrayLike, *, parameters: Mapping[str, float] | None = None) -> Floats:
        """Every speed's screw, the spatial Jacobian's columns.

        Shape
            (…, nv, 6): the angular velocity at unit speed, then the velocity of the point at the
            inertial origin.
        Frame
            Inertial.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
        Source
            Screw paper (105).
        """
        found = self.code.results("screws", q, parameters=parameters)["screws"]
        return found.reshape(*found.shape[:-1], len(self.code.speeds), 6)
