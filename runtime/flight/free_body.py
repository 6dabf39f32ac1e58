"""Geometric integration on SE(3): a rigid body under its weight.

It steps in generated code, by body-fixed twists or by spatial momenta.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from ...blame import blamed_parts
from ...codegen.emit import emit
from ...codegen.lower import lower
from ...codegen.targets.registry import single
from ...errors import NumericsError, UsageError
from ...shown import Shown
from ...symbolic.methods.poses.program import geometric_program
from ..evaluation.arrays import Floats, real_numbers, shaped
from ..evaluation.backend import SingleBackend
from ..evaluation.code import loaded
from .poses import inward, outward, pose_of, tilde

Array = Floats

#: How far a pose's rotation and an inertia may be from being one, relatively.
SLACK = 1e-9

#: The entry, and the quantity that moves beside the pose, by scheme.
SCHEMES = {"body": ("step_body", "V"), "momentum": ("step_momentum", "P")}


@dataclass(frozen=True, repr=False)
class Flight(Shown):
    """A motion at the recorded times.

    Shape
        `time` (n), `poses` (n, 4, 4), `twists` (n, 6) as (ω, v), `momenta` (n, 6) as (L, p); of a
        tree `q` (n, nq) and `v` (n, nv), of a body alone (n, 0).
    Units
        s, m, rad/s, m/s, kg m²/s, kg m/s; `energy` J.
    Frame
        `twists`: the body's frame; `momenta`: inertial, about its origin.
    """

    time: Array
    poses: Array
    twists: Array
    momenta: Array
    energy: Array
    q: Array
    v: Array

    def __repr__(self) -> str:
        return f"<Flight of {self.time[-1]:g} s: {len(self.time)} records>"

    @property
    def turned_off(self) -> float:
        """How far rotations are from being ones: the largest entry of RᵀR − 1."""
        R = self.poses[:, :3, :3]
        return float(np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max())

    @property
    def momentum_drift(self) -> float:
        """The largest change of an entry of the spatial momentum, against the largest entry.

        Of a motion that starts without momentum: the largest change itself.
        """
        return _relative(self.momenta)

    @property
    def energy_drift(self) -> float:
        """The largest change of the energy, against the first value if that is not zero."""
        return _relative(self.energy)


def _relative(values: Array) -> float:
    """The largest change from the first values, against them where they are not all zero."""
    change, size = np.abs(values - values[0]).max(), np.abs(values[0]).max()
    return float(change / size if size else change)


def checked_pose(pose: npt.ArrayLike) -> Array:
    """A pose as doubles.

    Raises
        UsageError: it is no 4×4 matrix of a rotation and a translation.
    """
    C = shaped("pose", pose, (4, 4))
    R = C[:3, :3]
    turned_off = np.abs(R.T @ R - np.eye(3)).max()
    if turned_off > SLACK or np.linalg.det(R) < 0 or (C[3] != (0, 0, 0, 1)).any():
        raise UsageError("pose must be [[R, r], [0, 1]] with a rotation R")
    return C


def check_steps(steps: int, dt: float, record: int) -> None:
    """See that a number of steps, their length and what is recorded fit.

    Raises
        UsageError: says what does not.
    """
    given: dict[str, object] = {"steps": steps, "record": record}
    for name, number in given.items():
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
            raise UsageError(f"{name} = {number!r} must be a positive whole number")
    if steps % record:
        raise UsageError(f"record = {record} must divide steps = {steps}")
    if not (real_numbers("dt", dt).shape == () and 0 < dt < np.inf):
        raise UsageError(f"dt = {dt!r} must be a positive number of seconds")


@cache
def _backend(target: str) -> SingleBackend:
    found: SingleBackend = loaded(emit(lower(geometric_program()), target))
    return found


@blamed_parts
class FreeBody(Shown):
    """A rigid body under its weight alone.

    Shape
        `inertia` 6×6: [[Θ, m ~d], [−m ~d, m]] about the frame's origin; `gravity` 3.
    Units
        kg m², kg m, kg; m/s².
    Frame
        `inertia`: the body's frame, anywhere in it; `gravity`: inertial.
    Raises
        UsageError: an inertia that is not a rigid body's, symmetric and positive definite; a
            gravity that is none; an unknown target.
        ToolchainError: there is no C compiler, or it fails (target `c`).
    Source
        screw paper (37), (42), (89), (90).
    """

    def __init__(
        self, inertia: npt.ArrayLike, gravity: npt.ArrayLike = (0, 0, 0), *, target: str = "c"
    ) -> None:
        self.M = shaped("inertia", inertia, (6, 6)).copy()
        self.g = shaped("gravity", gravity, (3,)).copy()
        slack = SLACK * np.abs(self.M).max()
        if np.abs(self.M - self.M.T).max() > slack:
            raise UsageError("inertia must be symmetric")
        m, arm = self.M[5, 5], np.array([self.M[2, 4], self.M[0, 5], self.M[1, 3]])
        rigid = np.block([[self.M[:3, :3], tilde(arm)], [-tilde(arm), m * np.eye(3)]])
        if np.abs(self.M - rigid).max() > slack:
            raise UsageError(
                "inertia must be that of a rigid body, [[Θ, m ~d], [−m ~d, m]]: one mass in all "
                "directions, and a skew block m ~d"
            )
        if np.linalg.eigvalsh(self.M)[0] <= 0:
            raise UsageError("inertia must be positive definite")
        self.backend = _backend(single("a rigid body", target).name)
        rows = np.triu_indices(6)
        self._fixed = {
            "M": self.M[rows].reshape(1, -1),
            "Mi": np.linalg.inv(self.M)[rows].reshape(1, -1).copy(),
            "g": self.g.reshape(1, -1),
        }

    def __repr__(self) -> str:
        return f"<FreeBody of {self.M[5, 5]:g} kg>"

    def momentum(self, pose: npt.ArrayLike, twist: npt.ArrayLike) -> Array:
        """The spatial momentum (L, p): Ad_C⁻ᵀ M V."""
        return outward(np.asarray(pose, dtype=float), self.M @ np.asarray(twist, dtype=float))

    def twist(self, pose: npt.ArrayLike, momentum: npt.ArrayLike) -> Array:
        """The body-fixed twist of a spatial momentum: M⁻¹ Ad_Cᵀ Π."""
        C = np.asarray(pose, dtype=float)
        own = inward(C, np.asarray(momentum, dtype=float))
        return np.asarray(np.linalg.solve(self.M, own), dtype=float)

    def energy(self, pose: Array, twist: Array) -> float:
        """Kinetic plus potential energy."""
        first = np.array([self.M[2, 4], self.M[0, 5], self.M[1, 3]])
        centre = self.M[5, 5] * pose[:3, 3] + pose[:3, :3] @ first
        return float(twist @ self.M @ twist / 2 - self.g @ centre)

    def simulate(
        self,
        pose: npt.ArrayLike,
        twist: npt.ArrayLike,
        *,
        steps: int,
        dt: float,
        scheme: str = "momentum",
        record: int = 1,
    ) -> Flight:
        """The motion in steps of fixed length; every `record`-th state is kept.

        `scheme`: `momentum` moves the spatial momentum, which stays as it is without weight;
        `body` moves the body-fixed twist. Both are of order 4.

        Raises
            UsageError: an unknown scheme, a pose or twist that is none, a step that is not
                positive, or a number of steps that `record` does not divide.
            NumericsError: the motion leaves the finite numbers.
        """
        if scheme not in SCHEMES:
            raise UsageError(f"there is no scheme {scheme!r}; there are: {', '.join(SCHEMES)}")
        check_steps(steps, dt, record)
        entry, moving = SCHEMES[scheme]
        C, V = checked_pose(pose), shaped("twist", twist, (6,))
        state = V if moving == "V" else self.momentum(C, V)
        states = [
            {"R": C[:3, :3].reshape(1, 9).copy(), "r": C[:3, 3].reshape(1, 3).copy()}
            | {moving: state.reshape(1, 6).copy()}
            for _ in range(2)
        ]
        steppers = [self._stepper(entry, dt, states[n], states[1 - n]) for n in range(2)]
        kept = [(C, state)]
        for k in range(1, steps + 1):
            if not steppers[1 - k % 2]():
                raise NumericsError(f"the state is not finite after {k} steps")
            if k % record == 0:
                now = states[k % 2]
                kept.append((pose_of(now["R"].reshape(3, 3), now["r"][0]), now[moving][0].copy()))
        return self._flight(kept, moving, dt * record)

    def _stepper(
        self, entry: str, dt: float, now: dict[str, Floats], new: dict[str, Floats]
    ) -> Callable[[], bool]:
        """From one state to the other."""
        results = {f"{name}n": value for name, value in new.items()}
        given = {"h": np.array([[float(dt)]]), **now, **self._fixed, **results}
        return self.backend.bound(entry, given)

    def _flight(self, kept: list[tuple[Array, Array]], moving: str, dt: float) -> Flight:
        poses = np.array([C for C, _ in kept], dtype=float)
        states = np.array([x for _, x in kept], dtype=float)
        twists = (
            states
            if moving == "V"
            else np.array([self.twist(C, P) for C, P in zip(poses, states, strict=True)])
        )
        # The momenta of the poses and twists, not those that a scheme carries along.
        momenta = np.array([self.momentum(C, V) for C, V in zip(poses, twists, strict=True)])
        energy = np.array([self.energy(C, V) for C, V in zip(poses, twists, strict=True)])
        time, none = dt * np.arange(len(kept), dtype=float), np.empty((len(kept), 0))
        return Flight(time, poses, twists, momenta, energy, none, none)
