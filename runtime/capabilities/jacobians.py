"""Geometric Jacobians of all bodies and their partial derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ..evaluation.arrays import Floats, Out
from ..evaluation.evaluator import Evaluator
from .frame_motion import check_representation
from .result import ELSEWHERE, Result, There, Told

Indices = npt.NDArray[np.intp]


def _represented(
    q: npt.ArrayLike,
    *,
    representation: str = "body",
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A place, and how twists are told."""
    return locals()


def _of_order(
    q: npt.ArrayLike,
    *,
    order: int = 1,
    representation: str = "body",
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A place, and along how many speeds."""
    return locals()


def _derivatives(there: There, order: int, representation: str) -> Told:
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise UsageError(f"order = {order!r} must be a whole number from 1 on")
    return _jacobian(there, representation, order)


def _jacobian(there: There, representation: str, order: int = 0) -> Told:
    """J, or its derivatives of an order: what the code has of them, each where it belongs."""
    found: Told = there.kept.get((representation, order)) or _found(there, representation, order)
    there.kept[representation, order] = found
    return found


def _found(there: There, representation: str, order: int) -> Told:
    from ...symbolic.methods.algorithms import Jacobians
    from ...symbolic.methods.jacobians.program import HALVES, REPRESENTATIONS

    code = there.code
    check_representation(representation)
    if isinstance(code.method, Jacobians) and order > code.method.order:
        raise UsageError(
            f"order = {order}: the solver computes up to {code.method.order}; compile with "
            f"order={order}"
        )
    shape = (len(code.bodies), 2, 3, *(len(code.speeds),) * (order + 1))
    parts = REPRESENTATIONS[representation]
    names = [f"{half}_{part}_{order}" for half, part in zip(HALVES, parts, strict=True)]
    places = [_places(code, part, order, half, shape) for half, part in enumerate(parts)]

    def whole(*halves: Floats) -> Floats:
        batch = halves[0].shape[:-1]
        found = np.zeros((*batch, prod(shape)))
        for values, (source, at) in zip(halves, places, strict=True):
            if code.model.followers:  # several hinges may move a body by one coordinate
                np.add.at(np.moveaxis(found, -1, 0), at, np.moveaxis(values[..., source], -1, 0))
            else:
                found[..., at] = values[..., source]
        return found.reshape(*batch, shape[0], 6, *shape[3:])

    sizes = {name: (code.interface.sizes.get(name, 0),) for name in names}
    return Told(code, f"jacobian_{representation}_{order}", sizes, makes=whole)


def _places(
    code: Evaluator, part: str, order: int, half: int, shape: tuple[int, ...]
) -> tuple[Indices, Indices]:
    """Which number of the code stands where in an array of this shape, as it lies in memory."""
    from ...symbolic.plans.jacobian_indices import Ways, led

    entries = list(Ways.of(code.generated.plan).entries(part, order))
    index = {name: k for k, name in enumerate(code.speeds)}
    index |= {name: index[leader] for name, leader in led(code.generated.plan).items()}
    rows = [(code.bodies.index(body), *map(index.get, at)) for _, body, at in entries]
    body, *at = np.array(rows, dtype=np.intp).reshape(len(rows), order + 2).T[..., np.newaxis]
    numbers = np.array([number for number, _, _ in entries], dtype=np.intp)[:, np.newaxis]
    three = np.arange(3)
    target = np.ravel_multi_index((body, half, three, *at), shape)
    return (3 * numbers + three).ravel(), np.asarray(target, dtype=np.intp).ravel()


class GeometricJacobians:
    """Jacobians of all bodies, and their partial derivatives."""

    geometric_jacobian = Result(
        _represented,
        "J of every body: its twist is J v.",
        "(…, nbodies, 6, nv): rows angular, then linear, in the order of `bodies`",
        "1, m, 1/m: of a twist by that of the speed",
        """`body`: the body's own axes and origin; `spatial`: inertial axes, the point at the
        inertial origin; `hybrid`: inertial axes, the body's origin; `mixed`: the angular
        part in the body's axes, the linear part in inertial ones, of the body's origin""",
        raises=ELSEWHERE.replace("this;", "this, or there is no such representation;"),
        source="Screw paper (102)-(107)",
        entry="jacobian_body_0",
        told=_jacobian,
    )
    geometric_jacobian_derivatives = Result(
        _of_order,
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
        """,
        """(…, nbodies, 6, nv, nv[, nv …]): J, then an axis for each speed. Of closed loops the
        speeds are those of the tree that the cuts leave""",
        *("Those of `geometric_jacobian`, by those of the coordinates", "As `geometric_jacobian`"),
        raises="""UsageError: as `geometric_jacobian`; an order that the solver was not compiled
        for.""",
        source="""Screw paper (6), (13), (15) body-fixed, (16), (21), (24) spatial; (26) completed,
        its higher orders and the mixed ones are own""",
        entry="jacobian_body_0",
        told=_derivatives,
    )
