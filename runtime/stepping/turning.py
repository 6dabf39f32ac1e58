"""Unit quaternions that turn by increments of rotations, as the curved methods need them."""

from __future__ import annotations

import numpy as np

from ..evaluation.arrays import Floats


def turn(Q: Floats, x: Floats) -> Floats:
    """Q exp(x), x being rotations in the bodies' axes: by series where the angle is small."""
    square = np.sum(x * x, axis=-1)
    near = square < 0.04
    angle = np.sqrt(np.where(near, 1.0, square))
    series = 0.5 - square * (
        1.0 / 48.0 - square * (1.0 / 3840.0 - square * (1.0 / 645120.0 - square / 185794560.0))
    )
    s = np.where(near, series, np.sin(0.5 * angle) / angle)[:, None]
    c = np.cos(0.5 * np.sqrt(square))[:, None]
    w, r = Q[:, :1], Q[:, 1:]
    scalar = w * c - np.sum(r * s * x, axis=-1, keepdims=True)
    return np.concatenate([scalar, r * c + (w * s * x + np.cross(r, s * x))], axis=-1)


def turn_rate(x: Floats, u: Floats) -> Floats:
    """dexp⁻¹ of −x on the angular velocities u (screw paper (89)), in space alone.

    u + x × u / 2 + (1 − (a/2) cot(a/2)) / a² x × (x × u), a being the angle.
    """
    square = np.sum(x * x, axis=-1)
    near = square < 0.04
    half = 0.5 * np.sqrt(np.where(near, 1.0, square))
    series = 1.0 / 12.0 + square * (
        1.0 / 720.0 + square * (1.0 / 30240.0 + square * (1.0 / 1209600.0 + square / 47900160.0))
    )
    c = np.where(near, series, (1.0 - half / np.tan(half)) / np.where(near, 1.0, square))
    across = np.cross(x, u)
    return u + 0.5 * across + c[:, None] * np.cross(x, across)
