"""How the forces that a motion needs change with all that they depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...model import Model
from ...model.expressions.quantities import Vector
from ...shown import Shown
from ..evaluation.arrays import Floats, Out
from . import takes
from .result import ELSEWHERE, Result, There


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


def _nothing(*, parameters: Mapping[str, float] | None = None, out: Out = None) -> Any:
    """The model alone."""
    return locals()


def _of_bodies(there: There, parameters: Mapping[str, float] | None) -> Floats:
    """The parameters of the inertia, from the model."""
    code, found = there.code, list[float]()
    here = dict(zip(code.parameters, code.parameter_values(parameters).tolist(), strict=True))
    model = replace(code.model, parameters={**code.model.parameters, **here})
    for name in code.bodies:
        body = code.generated.plan.link(name).rigid
        m, centre = float(model.exact(body.mass)), _numbers(model, body.centre)
        found += [m, *(m * centre)]
        if isinstance(body.inertia, tuple):
            central = np.array([_numbers(model, row) for row in body.inertia])
            whole = central + m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
            found += whole[np.triu_indices(3)].tolist()
        else:
            found.append(float(model.exact(body.inertia)) + m * float(centre @ centre))
    return np.array(found)


class Sensitivities:
    """Derivatives of inverse dynamics, without the hinges' force laws."""

    force_derivatives = Result(
        takes.accelerations,
        "The derivatives of τ(q, v, a) = M a + C v + g: the linearised equations of motion.",
        "Each (…, nv, nv), see `ForceDerivatives`; `a` (…, nv)",
        *("See `ForceDerivatives`", "See `ForceDerivatives`", "As `inverse_dynamics`", ELSEWHERE),
        source="Screw paper, Sect. 6.1; in sums over the links outwards, own",
        arrays="dtau_dq dtau_dv M",
        makes=ForceDerivatives,
    )
    inertia_regressor = Result(
        takes.accelerations,
        """Y with M a + C v + g = Y π, π being the `inertia_parameters`.

        Rotors, force laws and loads, which are no part of Y π, add to `inverse_dynamics`.
        """,
        "(…, nv, 10 nbodies), in the plane (…, nv, 4 nbodies)",
        "Of the force by that of the parameter",
        sign="As `inverse_dynamics`",
        raises="UsageError: as `force_derivatives`",
        source="Screw paper (43), (44), (79), which are linear in m, m c and Θ",
        arrays="Y",
    )
    inertia_parameters = Result(
        _nothing,
        "π: m, m c and Θ = ∫ (r·r 1 − r rᵀ) dm of every body, in the order of `bodies`.",
        """(10 nbodies): m; m c_x, m c_y, m c_z; Θ_xx, Θ_xy, Θ_xz, Θ_yy, Θ_yz, Θ_zz. In the plane
        (4 nbodies): m; m c_x, m c_y; Θ""",
        *("kg; kg m; kg m²", "The body's own axes; c and Θ about its origin"),
        raises="UsageError: a name that is no run-time parameter, or a value that fits no system",
        always=True,
        read=_of_bodies,
    )
    geometry_sensitivity = Result(
        takes.accelerations,
        """How M a + C v + g changes where hinges sit otherwise on their bodies.

        An end is turned about its point and shifted with it. Where several hinges share a point,
        each has its own derivative; that of the point is their sum. The masses stay where they are
        on their bodies.
        """,
        """(…, nv, len(hinge_ends), 6): three turns, then three shifts; in the plane
        (…, nv, len(hinge_ends), 3): a turn, then two shifts""",
        "N m/rad, N/rad; N, N/m",
        "Turns about and shifts along the axes of the body that has the end, or of the ground",
        "As `inverse_dynamics`",
        raises="UsageError: as `force_derivatives`",
        source="Screw paper, Sect. 6.2; in sums over the links outwards, own",
        arrays="dtau_dx",
    )


def _numbers(model: Model, vector: Vector) -> Floats:
    return np.array([float(model.exact(x)) for x in vector])
