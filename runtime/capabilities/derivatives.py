"""Derivatives of the accelerations, and the linear system about a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...shown import Shown
from ..evaluation.arrays import Floats, Out
from ..evaluation.evaluator import Evaluator
from .result import SINGULAR, UNFIT, Result, There, Told
from .tangent import turning


@dataclass(frozen=True, repr=False)
class Derivatives(Shown):
    """The accelerations and how they change, row by acceleration.

    Shape
        `a` (…, nv); `dq`, `dv`, `dtau` (…, nv, nv); `dp` (…, nv, np), a column for each
        run-time parameter in the solver's order.
    Units
        SI, rad: of the acceleration by that of the direction.
    Frame
        A column of `dq` is along a motion at that one speed: of a ball hinge about the axes of
        the child, of a free body along and about its own axes. So `dq` has a column for each
        speed, not for each coordinate. Along other hinges it is ∂a/∂q.
    """

    a: Floats
    dq: Floats
    dv: Floats
    dtau: Floats
    dp: Floats


def _forced(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike | None = None,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A motion under forces along the speeds alone."""
    return locals()


def _rows(there: There) -> Told:
    """The accelerations, and of each a row of derivatives by all directions, cut into kinds."""
    n, parameters = len(there.code.speeds), len(there.code.parameters)
    axes, widths = {"a": (n,), "da": (n, 3 * n + parameters)}, (n, n, n, parameters)
    return Told(there.code, there.entry, axes, makes=Derivatives, widths=widths)


class Tangents:
    """Derivatives of the accelerations, by generated code."""

    derivatives = Result(
        _forced,
        """The derivatives of the accelerations, whatever algorithm the solver has.

        Along coordinates that closed loops do not allow, they are those of the equations in the
        coordinates of the tree; `dtau` is the inverse of the mass matrix where there are no
        loops. What a law has where it steps or has a corner is left out.
        """,
        *("See `Derivatives`; `tau` (…, nv): a force along each speed", "See `Derivatives`"),
        "Of `dq` the axes of the moving body, see `Derivatives`",
        raises=f"""UsageError: {UNFIT}.
        CodegenError: a force law has no derivative that could be generated.
        {SINGULAR}""",
        source="""Own: M⁻¹ (∂τ − ∂(inverse dynamics)) in a tree of rigid bodies, else the tangents
        of the Riccati method""",
        always=True,
        told=_rows,
        makes=Derivatives,
    )


def linearized(
    code: Evaluator, q: npt.ArrayLike, v: npt.ArrayLike, tau: npt.ArrayLike | None, **given: Any
) -> tuple[Floats, Floats]:
    """A and B of the tree's coordinates, see `Solver.linearize`."""
    found = Tangents.derivatives(code, q, v, tau, **given)
    n = len(code.speeds)
    batch = found.a.shape[:-1]
    A, B = np.zeros((*batch, 2 * n, 2 * n)), np.zeros((*batch, 2 * n, n))
    speeds = np.broadcast_to(code.state("v", v), found.a.shape)
    for lin, ang in turning(code.model):
        spin = _cross(speeds[..., ang])
        A[..., ang, ang] = -spin
        if lin is not None:
            A[..., lin, lin] = -spin
            A[..., lin, ang] = -_cross(speeds[..., lin])
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :n], A[..., n:, n:], B[..., n:, :] = found.dq, found.dv, found.dtau
    return A, B


def _cross(a: Floats) -> Floats:
    """The matrices of a ×."""
    x, y, z = np.moveaxis(a, -1, 0)
    zero = np.zeros_like(x)
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
