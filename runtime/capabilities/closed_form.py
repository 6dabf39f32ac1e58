"""Equations of motion as matrices: M, C, gravity's forces, screws; and the overall transfer one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ..evaluation.arrays import Floats, Out
from . import takes
from .result import ELSEWHERE, Result, There, Told

#: The choices of C, see `coriolis_matrix`.
VARIANTS = ("christoffel", "skew", "printed")


def _variant(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    variant: str = "christoffel",
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A motion, and which of the matrices."""
    return locals()


def _of_variant(there: There, variant: str) -> Told:
    if variant not in VARIANTS:
        raise UsageError(f"there is no variant {variant!r}; there are: {', '.join(VARIANTS)}")
    (axes,) = there.axes.values()
    return Told(there.code, f"coriolis_{variant}", {f"C_{variant}": axes})


def _at_unit_speeds(there: There) -> Told:
    """C is linear in the speeds: its symbols are C at each of them alone."""
    n = len(there.code.speeds)
    of_each = {"C_christoffel": (n, n)}
    return Told(there.code, there.entry, of_each, {"v": np.eye(n)}, _speeds_last)


def _speeds_last(C: Floats) -> Floats:
    return np.moveaxis(C, -3, -1)


class ClosedForm:
    """Closed form: M a + C v + g, without the hinges' laws and loads."""

    mass_matrix = Result(
        takes.a_place,
        "M: the generalised forces are M a and what accelerations of zero need.",
        """(…, nv, nv), symmetric and positive definite; with loops that of the tree which the
        cuts leave""",
        *("kg, kg m, kg m²", "Hinge by hinge, as the speeds"),
        raises=ELSEWHERE,
        source="Own: composite inertias, M = Hᵀ U",
        arrays="M",
    )
    coriolis_matrix = Result(
        _variant,
        """C(q, v), of which only C v is unique.

        `christoffel`: by Christoffel's symbols, where speeds are rates of coordinates; Ṁ − 2 C is
        skew. `skew`: Ṁ − 2 C is skew as well, from fewer terms. `printed`: the paper's, whose
        Ṁ − 2 C is not skew.
        """,
        *("(…, nv, nv)", "That of the mass matrix by s", "Hinge by hinge, as the speeds"),
        raises=ELSEWHERE.replace("this;", "this, or there is no such variant;"),
        source="Screw paper (85), signs restored; the other two variants are own",
        entry="coriolis_christoffel",
        told=_of_variant,
    )
    christoffel_symbols = Result(
        takes.a_shape,
        """Γ_ijk with C_ij = Σ_k Γ_ijk v_k of the variant `christoffel`.

        Of hinges whose speeds are no rates of coordinates (ball, free, elastic in space) they are
        the coefficients of that variant, and not symmetric in j and k.
        """,
        "(…, nv, nv, nv)",
        raises="UsageError: as `coriolis_matrix`",
        source="Screw paper (87), corrected; evaluated as C at unit speeds, in which it is linear",
        entry="coriolis_christoffel",
        told=_at_unit_speeds,
    )
    gravity_forces = Result(
        *(takes.a_shape, "The generalised forces that balance gravity.", "(…, nv)", "N, N m"),
        sign="As `inverse_dynamics`: on the hinge's child, along the speed",
        raises=ELSEWHERE,
        source="Screw paper (81); by composite inertias, own",
        arrays="gravity",
    )
    bias_forces = Result(
        takes.a_motion,
        """C v + g: the generalised forces at accelerations of zero.

        The hinges' laws and loads, which are no part of the closed form, add to them.
        """,
        *("(…, nv)", "N, N m"),
        sign="As `inverse_dynamics`",
        raises=ELSEWHERE,
        source="Screw paper (39), (70)-(72), without q̈: by a recursion, not by C",
        arrays="bias",
    )
    spatial_momenta = Result(
        takes.a_motion,
        "Every body's momentum about the inertial origin.",
        "(…, nbodies, 6): the moment of momentum, then the momentum, in the order of `bodies`",
        *("kg m²/s, kg m/s", "Inertial"),
        raises=ELSEWHERE,
        source="Screw paper (36), (80): Jᵀ (Π̇ − W) = 0 of these and the wrenches on the bodies",
        arrays="momenta",
    )
    screws = Result(
        takes.a_shape,
        "Every speed's screw, the spatial Jacobian's columns.",
        """(…, nv, 6): the angular velocity at unit speed, then the velocity of the point at the
        inertial origin""",
        frame="Inertial",
        raises=ELSEWHERE,
        source="Screw paper (105)",
    )


class OverallEquation:
    """The overall transfer equation U_all z_all = 0 in a state."""

    overall_equation = Result(
        takes.forced,
        "Matrix and right-hand side of the overall transfer equation, in its `unknowns`.",
        """(…, len(unknowns), len(unknowns)) and (…, len(unknowns)); `tau`, `wrenches` as in
        `accelerations`""",
        "SI; rows and columns differ in theirs",
        "Inertial; a hinge's own along its coordinates",
        raises=ELSEWHERE,
        source="Deduction paper, rules for chains, trees and general systems",
        arrays="U_all r_all",
    )
