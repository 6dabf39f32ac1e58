"""What results take: the arguments that a record names, in their order and with their defaults.

Calling one hands back what it was given under the arguments' names. It is typed as what the
results give that take this, so that what reads types knows their methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Never

import numpy.typing as npt

from ..evaluation.arrays import Floats


def given(arguments: dict[str, Any]) -> Never:
    """The arguments as they were given, which only a record reads: to types it is no value."""
    return arguments  # type: ignore[misc]


def a_shape(q: npt.ArrayLike, *, parameters: Mapping[str, float] | None = None) -> Floats:
    """A place, whatever the time."""
    return given(locals())


def a_place(
    q: npt.ArrayLike, *, t: npt.ArrayLike = 0.0, parameters: Mapping[str, float] | None = None
) -> Floats:
    """A place at a time."""
    return given(locals())


def a_place_of_loops(
    q: npt.ArrayLike,
    *,
    independent: Sequence[str] = (),
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Floats:
    """A place, and the speeds from which all others follow there."""
    return given(locals())


def a_motion(
    q: npt.ArrayLike, v: npt.ArrayLike, *, parameters: Mapping[str, float] | None = None
) -> Floats:
    """A place and speeds, whatever the time."""
    return given(locals())


def a_state(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Floats:
    """A place and speeds at a time."""
    return given(locals())


def momenta(
    q: npt.ArrayLike,
    p: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Floats:
    """A place and joint momenta."""
    return given(locals())


def accelerations(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike,
    *,
    parameters: Mapping[str, float] | None = None,
) -> Floats:
    """A motion with its accelerations, whatever the time."""
    return given(locals())


def accelerations_at(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Floats:
    """A motion with its accelerations."""
    return given(locals())
