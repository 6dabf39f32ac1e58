"""Geometric Jacobians of all bodies and their partial derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import prod
from typing import final

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...symbolic.methods.algorithms import Jacobians
from ...symbolic.methods.jacobians.program import HALVES, REPRESENTATIONS
from ...symbolic.plans.jacobian_indices import Ways
from ..evaluation.arrays import Floats
from .capability import Capability

Indices = npt.NDArray[np.intp]


@final
class GeometricJacobians(Capability):
    """What speeds make of the bodies' twists, and how that changes with the coordinates."""

    def geometric_jacobian(
        self,
        q: npt.ArrayLike,
        *,
        representation: str = "body",
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """J of every body: its twist is J v.

        Shape
            (…, nbodies, 6, nv): rows angular, then linear, in the order of `bodies`.
        Units
            1, m, 1/m: of a twist by that of the speed.
        Frame
            `body`: the body's own axes and origin; `spatial`: inertial axes, the point at the
            inertial origin; `hybrid`: inertial axes, the body's origin; `mixed`: the angular
            part in the body's axes, the linear part in inertial ones, of the body's origin.
        Raises
            UsageError: another algorithm computes this, or there is no such representation; a
                shape that does not fit, or a number that is not finite.
        Source
            Screw paper (102)-(107).
        """
        return self._jacobian(0, q, representation, parameters)

    def geometric_jacobian_derivatives(
        self,
        q: npt.ArrayLike,
        *,
        order: int = 1,
        representation: str = "body",
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """The partial derivatives of every body's J along so many speeds, one after the other.

        Along a speed is along its coordinate; the speeds of ball, free and elastic hinges, which
        have quaternions, turn and move the child about and along its own axes.

        Number the speeds along the way from the ground to the body. Body-fixed columns J_j do not
        change along k unless j < k for all the k, spatial ones unless all k < j; of hybrid ones
        that holds for the angular part, and the linear part changes along all of them. So does
        that of mixed ones, whose angular part is the body-fixed one's. What stands on no way
        to the body is zero; the order of the k does not matter. Of a hinge with a quaternion it
        does: there […, j, k₁, k₂] is the change along k₂ of the change along k₁, and spatial
        columns change along the hinge's own speeds too (body-fixed ones do so if the hinge is
        described from its child's side).

        Shape
            (…, nbodies, 6, nv, nv[, nv …]): J, then an axis for each speed. Of closed loops the
            speeds are those of the tree that the cuts leave.
        Units
            Those of `geometric_jacobian`, by those of the coordinates.
        Frame
            As `geometric_jacobian`.
        Raises
            UsageError: as `geometric_jacobian`; an order that the solver was not compiled for.
        Source
            Screw paper (6), (13), (15) body-fixed, (16), (21), (24) spatial; (26) completed, its
            higher orders and the mixed ones are own.
        """
        if isinstance(order, bool) or not isinstance(order, int) or order < 1:
            raise UsageError(f"order = {order!r} must be a whole number from 1 on")
        return self._jacobian(order, q, representation, parameters)

    def _jacobian(
        self,
        order: int,
        q: npt.ArrayLike,
        representation: str,
        parameters: Mapping[str, float] | None,
    ) -> Floats:
        if representation not in REPRESENTATIONS:
            known = ", ".join(REPRESENTATIONS)
            raise UsageError(f"there is no representation {representation!r}; there are: {known}")
        self._require_order(order)
        entry = f"jacobian_{representation}_{order}"
        found = self.code.results(entry, q, parameters=parameters)
        shape = (len(self.code.bodies), 2, 3, *(len(self.code.speeds),) * (order + 1))
        parts = REPRESENTATIONS[representation]
        names = [f"{half}_{part}_{order}" for half, part in zip(HALVES, parts, strict=True)]
        batch = found[names[0]].shape[:-1]
        whole = np.zeros((*batch, prod(shape)))
        for half, (name, part) in enumerate(zip(names, parts, strict=True)):
            source, target = self._places(part, order)
            values = found[name].reshape(*batch, found[name].shape[-1] // 3, 3)
            for k in range(3):
                at = np.ravel_multi_index((target[0], half, k, *target[1:]), shape)
                whole[..., at] = values[..., source, k]
        return whole.reshape(*batch, shape[0], 6, *shape[3:])

    def _require_order(self, order: int) -> None:
        method = self.code.method
        if isinstance(method, Jacobians) and order > method.order:
            raise UsageError(
                f"order = {order}: the solver computes up to {method.order}; compile with "
                f"order={order}"
            )

    def _places(self, part: str, order: int) -> tuple[Indices, Indices]:
        """Which value stands where: its number; body, column and directions."""
        if (part, order) not in self._known_places:
            entries = list(self._ways.entries(part, order))
            index = {name: k for k, name in enumerate(self.code.speeds)}
            source = np.array([number for number, _, _ in entries], dtype=np.intp)
            rows = [(self.code.bodies.index(body), *map(index.get, at)) for _, body, at in entries]
            target = np.array(rows, dtype=np.intp).reshape(len(rows), order + 2).T
            self._known_places[part, order] = source, target
        return self._known_places[part, order]

    @cached_property
    def _ways(self) -> Ways:
        return Ways.of(self.code.generated.plan)

    @cached_property
    def _known_places(self) -> dict[tuple[str, int], tuple[Indices, Indices]]:
        return {}
