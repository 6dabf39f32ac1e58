"""What results take: the arguments that a record names, in their order and with their defaults.

Calling one hands back what it was given under the arguments' names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from ..evaluation.arrays import Out


def a_shape(
    q: npt.ArrayLike, *, parameters: Mapping[str, float] | None = None, out: Out = None
) -> Any:
    """A place, whatever the time."""
    return locals()


def a_place(
    q: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A place at a time."""
    return locals()


def one_place(
    q: npt.ArrayLike, *, t: float = 0.0, parameters: Mapping[str, float] | None = None
) -> Any:
    """One place at a time."""
    return locals()


def a_place_of_loops(
    q: npt.ArrayLike,
    *,
    independent: Sequence[str] = (),
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A place, and the speeds from which all others follow there."""
    return locals()


def a_motion(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A place and speeds, whatever the time."""
    return locals()


def a_state(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A place and speeds at a time."""
    return locals()


def forced(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike | None = None,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    wrenches: npt.ArrayLike | None = None,
    out: Out = None,
) -> Any:
    """A motion under forces."""
    return locals()


def momenta(
    q: npt.ArrayLike,
    p: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A place and joint momenta."""
    return locals()


def accelerations(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike,
    *,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A motion with its accelerations, whatever the time."""
    return locals()


def accelerations_at(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A motion with its accelerations."""
    return locals()
