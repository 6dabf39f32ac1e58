"""Inverse dynamics with its rates in time, and what drives with elastic gears make of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...shown import Shown
from ..evaluation.arrays import Floats, Out, shaped
from .result import ELSEWHERE, SINGULAR, Result, There


@dataclass(frozen=True, repr=False)
class ForceRates(Shown):
    """Generalised forces and their first and second rate in time.

    Shape
        Each (…, nv).
    Units
        N, N m; by s; by s².
    """

    tau: Floats
    first: Floats
    second: Floats


@dataclass(frozen=True, repr=False)
class ElasticDrives(Shown):
    """What motors behind springs do so that the joints follow a motion.

    Shape
        Each (…, nv).
    Units
        `torque` N m or N, `angle` rad or m, both at the joint's side of the gear.
    """

    torque: Floats
    angle: Floats


def _up_to_snap(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike,
    jerk: npt.ArrayLike,
    snap: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A motion with all its rates up to the fourth of the coordinates."""
    return locals()


def _behind_springs(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike,
    jerk: npt.ArrayLike,
    snap: npt.ArrayLike,
    *,
    stiffness: npt.ArrayLike,
    inertia: npt.ArrayLike,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """Such a motion, and what drives it."""
    return locals()


def _of_motors(
    there: There, q: npt.ArrayLike, stiffness: npt.ArrayLike, inertia: npt.ArrayLike, **given: Any
) -> ElasticDrives:
    """What motors behind springs do, from the forces and their rates."""
    one_each = (len(there.code.speeds),)
    k = shaped("stiffness", stiffness, one_each, ())
    J = shaped("inertia", inertia, one_each, ())
    if not (k > 0).all():
        raise UsageError(f"stiffness = {stiffness!r} must be positive")
    if not (J >= 0).all():
        raise UsageError(f"inertia = {inertia!r} must not be negative")
    found = there.results(q=q, **given)
    torque = J * (np.asarray(given["a"]) + found["taudd"] / k) + found["tau"]
    return ElasticDrives(torque, there.code.state("q", q) + found["tau"] / k)


class TimeRates:
    """Inverse dynamics with its rates, along a motion known up to its fourth derivative."""

    inverse_rates = Result(
        _up_to_snap,
        """The forces that a motion needs, with their first and second rate.

        With closed loops those of the tree that the cuts leave: they give the motion, if it keeps
        the loops closed, as do all that differ by what the `jacobian` carries of multipliers.
        """,
        "All (…, nv); `jerk` and `snap` are the second and third rate of the speeds",
        "As `ForceRates`",
        sign="As `inverse_dynamics`",
        raises=f"{ELSEWHERE}\n{SINGULAR}",
        source="Screw paper, Sect. 6.3; the recursion is own",
        arrays="tau taud taudd",
        makes=ForceRates,
    )
    series_elastic = Result(
        _behind_springs,
        """Feed-forward of motors that drive the joints through springs.

        A motor of the inertia J stands at θ = q + τ/k and needs J θ̈ + τ.
        """,
        "As `inverse_rates`; `stiffness` k and `inertia` J (nv) or one number",
        "N m/rad or N/m; kg m² or kg, at the joint's side of the gear",
        raises=f"""
        UsageError: as `inverse_rates`; a stiffness that is not positive, a negative inertia.
        {SINGULAR}
        """,
        source="Screw paper, Sect. 6.3",
        entry="inverse_rates",
        read=_of_motors,
    )
