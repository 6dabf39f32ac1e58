"""The Hamiltonian divide-and-conquer method: joint momenta in the place of speeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..evaluation.arrays import Floats, Out
from . import takes
from .poses import Poses
from .result import ELSEWHERE, SINGULAR, Result, There, Told

REFUSED = f"{ELSEWHERE}\n{SINGULAR}"


def _forced(
    q: npt.ArrayLike,
    p: npt.ArrayLike,
    tau: npt.ArrayLike | None = None,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    wrenches: npt.ArrayLike | None = None,
    out: Out = None,
) -> Any:
    """Joint momenta under forces."""
    return locals()


def _with_impulses(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    sigma: npt.ArrayLike | None = None,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A motion with impulses of the cut hinges."""
    return locals()


def _of_cuts(there: There) -> Told | None:
    """As the code has them, where hinges are cut."""
    return there.plain if there.code.conditions else None


def _impulses(there: There, **given: Any) -> Floats:
    """The impulses; without cut hinges the code has none."""
    found = there.results(**given)
    return found.get("sig", np.zeros((*found["vel"].shape[:-1], 0)))


def _rates(there: There, q: npt.ArrayLike, **given: Any) -> tuple[Floats, Floats]:
    """The rates of the coordinates at the speeds that belong to the momenta, and of these."""
    found = there.results(q=q, **given)
    qd = Poses.rates(there.code, q, found["vel"], parameters=given["parameters"])
    return qd, found["pd"]


def _as_speeds(there: There) -> Told | None:
    """As the code has them, where the rates of the coordinates are the speeds."""
    computed = there.code.interface.operations["rates"] or there.code.computes("retract")
    return None if computed else there.plain


def _of_code(there: There) -> Told:
    return there.plain


def _of_motion(there: There, sigma: npt.ArrayLike | None, **given: Any) -> Floats:
    """The momenta with these impulses, which are zero by default."""
    code = there.code
    impulses = code.state("sigma", np.zeros(len(code.conditions)) if sigma is None else sigma)
    return there.code.results("momenta", **given, sigma=impulses)["pn"]


class Momenta:
    """Joint momenta in the place of speeds: Hamiltonian divide and conquer.

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

    velocities = Result(
        takes.momenta,
        "The speeds that belong to momenta: those with which all loops stay closed.",
        *("(…, nv)", "rad/s, m/s"),
        raises=REFUSED,
        source="Divide-and-conquer paper (15)-(46)",
        arrays="vel",
    )
    impulses = Result(
        takes.momenta,
        """σ, the impulses of the cut hinges that belong to momenta.

        Where conditions are redundant, the least in the merge that closes the loops, each squared
        and weighted by how much its own condition gives way to it; all others give the same
        velocities.
        """,
        *("(…, len(conditions))", "N s, N m s"),
        raises=REFUSED,
        source="Divide-and-conquer paper (26), (45), (62)",
        entry="velocities",
        arrays="sig",
        told=_of_cuts,
        read=_impulses,
    )
    momentum_rates = Result(
        _forced,
        "The time derivatives of coordinates and momenta.",
        *("(…, nq) and (…, nv); `tau`, `wrenches` as in `accelerations`", "Those of q and p by s"),
        raises=REFUSED,
        source="Divide-and-conquer paper (77), with the terms of all cut sides",
        arrays="vel pd",
        told=_as_speeds,
        read=_rates,
    )
    momenta = Result(
        _with_impulses,
        "The joint momenta of a motion, p = M v − Jᵀ σ; σ is zero by default.",
        *("(…, nv); `sigma` (…, len(conditions))", "N s, N m s"),
        raises=ELSEWHERE,
        source="Divide-and-conquer paper (6), (63)",
        arrays="pn",
        told=_of_code,
        read=_of_motion,
    )
    regauged = Result(
        takes.momenta,
        "The momenta of the same motion with σ zero: p + Jᵀ σ = M v.",
        *("(…, nv)", "N s, N m s"),
        raises=REFUSED,
        entry="regauge",
        arrays="pg",
    )
