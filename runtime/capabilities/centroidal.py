"""The centre of mass of all bodies, and their momentum about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..evaluation.arrays import Floats
from . import takes
from .offered import P
from .result import UNFIT, Result, There, Told, plainly, transposed


def _by_speed(there: There, independent: tuple[str, ...] = ()) -> Told | None:
    """Columns, one after the other as the code has them."""
    if independent:
        return None
    ((name, (rows, columns)),) = there.axes.items()
    return Told(there.code, there.entry, {name: (columns, rows)}, makes=transposed)


def _by_independent(there: There, independent: tuple[str, ...], **given: Any) -> Floats:
    """Columns by the speeds from which all others follow, if some are named."""
    found: Floats = plainly(there, **given)
    if not independent:
        return found
    from .following import following

    return np.asarray(found @ following(there.code, tuple(independent), **given))


def _of_system(
    kind: Callable[P, Any],
    says: str,
    array: str,
    shape: str,
    units: str,
    frame: str = "Inertial",
    raises: str = "UsageError: as `centre_of_mass`.",
    **more: Any,
) -> Result[P, Floats]:
    """The record of an array of `centroidal`."""
    entry = f"centroidal_{array}"
    return Result(
        *(kind, says, shape, units, frame),
        raises=raises,
        algorithm="centroidal",
        entry=entry,
        arrays=array,
        **more,
    )


class CentroidalMotion:
    """The centre of mass, and the momentum about it.

    The code is generated and built when one of them is first asked for.
    """

    centre_of_mass = _of_system(
        *(takes.a_place, "Where the centre of mass of all bodies is.", "com", "(…, 3)", "m"),
        raises=f"UsageError: the model has beams; {UNFIT}",
    )
    com_velocity = _of_system(
        takes.a_state, "The velocity of the centre of mass.", "com_velocity", "(…, 3)", "m/s"
    )
    com_acceleration = _of_system(
        takes.accelerations_at,
        "The acceleration of the centre of mass, without gravity.",
        *("com_acceleration", "(…, 3); `a` (…, nv)", "m/s²"),
    )
    com_jacobian = _of_system(
        takes.a_place_of_loops,
        """J: the centre of mass moves at J v, and at what driven hinges and a moving base add.

        In closed loops as `frame_jacobian`: the columns are those of the tree's speeds, or, with
        `independent`, of these.
        """,
        *("com_jacobian", "(…, 3, nv), or the number of independent speeds in place of nv", "m, 1"),
        raises="""
        UsageError: as `centre_of_mass`, and as `frame_jacobian`.
        NumericsError: as `frame_jacobian`.
        """,
        told=_by_speed,
        read=_by_independent,
    )
    com_jacobian_rate = _of_system(
        takes.a_state,
        "J̇ of the centre of mass: its acceleration is J a + J̇ v, and what is driven adds.",
        *("com_jacobian_rate", "(…, 3, nv)", "m/s, 1/s"),
        told=_by_speed,
    )
    centroidal_momentum = _of_system(
        takes.a_state,
        "Moment of momentum of all bodies about their centre of mass, and momentum.",
        *("momentum", "(…, 6): angular, then linear", "N m s, N s", "Inertial axes"),
        source="Screw paper (36)",
    )
    centroidal_momentum_matrix = _of_system(
        takes.a_place_of_loops,
        """A: the centroidal momentum is A v, and what driven hinges and a moving base add.

        Rotors' own spins count nothing. In closed loops as `com_jacobian`.
        """,
        "matrix",
        "(…, 6, nv): rows angular, then linear; or the number of independent speeds for nv",
        *("Those of `centroidal_momentum` by that of the speed", "Inertial axes"),
        source="Screw paper (36); sums over links are own",
        raises="UsageError: as `com_jacobian`.\nNumericsError: as `com_jacobian`.",
        told=_by_speed,
        read=_by_independent,
    )
    centroidal_momentum_matrix_rate = _of_system(
        takes.a_state,
        "Ȧ: the centroidal momentum changes by A a + Ȧ v, and by what is driven.",
        *("matrix_rate", "(…, 6, nv)", "Those of `centroidal_momentum_matrix` by s"),
        frame="Inertial axes",
        source="Screw paper (36), (38); sums over links are own",
        told=_by_speed,
    )
