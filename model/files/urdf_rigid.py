"""Frames of links and what they weigh, as a URDF file places them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: An angle this close to a right one is meant as such: files write 1.57079632679.
RIGHT_ANGLE_SLACK = 1e-10


def _cos_sin(angle: float) -> tuple[float, float]:
    quarters = round(angle / (math.pi / 2))
    if abs(angle - quarters * math.pi / 2) <= RIGHT_ANGLE_SLACK:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarters % 4]
    return math.cos(angle), math.sin(angle)


def turn(axis: int, angle: float) -> Floats:
    """The rotation by an angle about a coordinate axis (0, 1, 2)."""
    c, s = _cos_sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


@dataclass(frozen=True)
class Pose:
    """A frame in another: its axes are the columns of `axes`, its origin is at `origin`."""

    axes: Floats = field(default_factory=lambda: np.eye(3))
    origin: Floats = field(default_factory=lambda: np.zeros(3))

    def __matmul__(self, inner: Pose) -> Pose:
        return Pose(self.axes @ inner.axes, self.origin + self.axes @ inner.origin)

    def inverse(self) -> Pose:
        return Pose(self.axes.T, -self.axes.T @ self.origin)


@dataclass(frozen=True)
class Mass:
    """Mass, centre of mass and inertia about it, all in one frame (kg, m, kg m²)."""

    mass: float = 0.0
    centre: Floats = field(default_factory=lambda: np.zeros(3))
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))

    @property
    def nothing(self) -> bool:
        return self.mass == 0 and not self.inertia.any()

    def seen_from(self, pose: Pose) -> Mass:
        """The same in the frame in which this one has the pose."""
        turned = pose.axes @ self.inertia @ pose.axes.T
        return Mass(self.mass, pose.origin + pose.axes @ self.centre, (turned + turned.T) / 2)

    def __add__(self, other: Mass) -> Mass:
        """Both as one body: parallel axes theorem (Steiner)."""
        if self.nothing or other.nothing:
            return other if self.nothing else self
        mass = self.mass + other.mass
        d = other.centre - self.centre
        share = other.mass / mass if mass else 0.0
        parallel = self.mass * share * (d @ d * np.eye(3) - np.outer(d, d))
        return Mass(mass, self.centre + share * d, self.inertia + other.inertia + parallel)
