"""Axes that vectors are given in: the inertial ones, or those of bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...model import GROUND
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from .poses import Poses

FRAMES = ("inertial", "body")


def check_frame(frame: str) -> None:
    """See that there is such a frame.

    Raises
        UsageError: there is not.
    """
    if frame not in FRAMES:
        raise UsageError(f"there is no frame {frame!r}; there are: {', '.join(FRAMES)}")


def loads_in(
    code: Evaluator,
    frame: str,
    loads: Floats,
    q: npt.ArrayLike,
    t: npt.ArrayLike,
    parameters: Mapping[str, float] | None,
) -> Floats:
    """Loads (…, nends, 6) at all ends, turned from the inertial frame."""
    if frame == "inertial":
        return loads
    return turned(axes_of(code, [end.split(":")[0] for end in code.ends], q, t, parameters), loads)


def axes_of(
    code: Evaluator,
    bodies: Sequence[str],
    q: npt.ArrayLike,
    t: npt.ArrayLike,
    parameters: Mapping[str, float] | None,
) -> Floats:
    """The axes (…, n, 3, 3) of these bodies; the ground's are the inertial ones."""
    axes = Poses.poses(code, q, t=t, parameters=parameters)[..., :3, :3]
    ground = np.broadcast_to(np.eye(3), (*axes.shape[:-3], 1, 3, 3))
    every = (*code.bodies, GROUND)
    at = [every.index(name) for name in bodies]
    return np.concatenate([axes, ground], axis=-3)[..., at, :, :]


def turned(axes: Floats, vectors: Floats) -> Floats:
    """Two vectors each (…, n, 6), from inertial axes to these."""
    pairs = vectors.reshape(*vectors.shape[:-1], 2, 3)
    pairs = np.asarray(np.einsum("...nji,...nkj->...nki", axes, pairs), dtype=np.float64)
    return pairs.reshape(*pairs.shape[:-2], 6)
