"""What a state alone says: poses, energy, rates, and how the loops close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..errors import NumericsError, UsageError
from ..model import GROUND
from ..symbolic.program import CUT_OFF, ROUNDING
from .backend import Floats
from .evaluator import Evaluator

FRAMES = ("inertial", "body")


class Kinematics(Evaluator):
    """Numbers for one model that depend on its state alone.

    Shape
        As in `Solver`.
    """

    def poses(
        self,
        q: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """Where each body is: the transform from its own axes to the inertial frame.

        A beam's own axes are its floating frame.

        Shape
            (…, nbodies, 4, 4), homogeneous.
        Units
            m.
        Frame
            Inertial; its origin is where the ground's points are that the model does not place.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            own
        """
        at_rest = np.zeros(len(self.speeds))
        found = self._results("poses", q, at_rest, t, None, parameters, None)["poses"]
        return found.reshape(*found.shape[:-1], len(self.bodies), 4, 4)

    def energy(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """Kinetic plus potential energy; that of gravity is zero at the origin.

        It holds the strain energy of beams and the potentials of hinges, of their force laws
        and of the loads on bodies nothing; on a moving base it is not conserved.

        Shape
            (…).
        Units
            J.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            own
        """
        return self._results("energy", q, v, t, None, parameters, None)["energy"][..., 0]

    def rates(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, parameters: Mapping[str, float] | None = None
    ) -> Floats:
        """The time derivative of the coordinates: θ̇ = ω, or the quaternions' rates.

        Shape
            (…, nq).
        Units
            rad/s, 1/s.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            own
        """
        return self._results("rates", q, v, 0.0, None, parameters, None)["qd"]

    def retracted(self, q: npt.ArrayLike) -> Floats:
        """The coordinates with quaternions of unit length.

        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            NumericsError: a quaternion is zero.
        Source
            own
        """
        array = self.state("q", q, any_length=True)
        if "retract" not in self.generated.sources.interface.arguments:
            return array
        flat = np.ascontiguousarray(array.reshape(-1, array.shape[-1]))
        result = np.empty_like(flat)
        if not self.backend.run("retract", {"q": flat, "qn": result}):
            raise NumericsError(f"{self.model.name}: a quaternion of the state has no direction")
        return result.reshape(array.shape)

    def constraints(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> tuple[Floats, Floats]:
        """How far cut hinges are open and coupled ones apart, and how fast; zero if closed.

        Shape
            Twice (…, len(conditions)).
        Units
            m, or 1 for the cosine of two axes; m/s, 1/s. Of a coupling those of the coordinate.
        Frame
            The point's axes of the cut hinge's parent; of `dca` and `hdca` inertial axes where the
            hinge holds all translations.
        Sign
            Of a coupling: of the hinge that follows.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            own
        """
        if not self.conditions:
            batch = np.broadcast_shapes(
                self.state("q", q).shape[:-1], self.state("v", v).shape[:-1]
            )
            return np.zeros((*batch, 0)), np.zeros((*batch, 0))
        found = self._results("constraints", q, v, t, None, parameters, None)
        return found["phi"], found["phid"]

    def jacobian(
        self,
        q: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """J: the cut hinges open at the rate J v, and at what driven hinges add.

        Shape
            (…, len(conditions), nv).
        Units
            1, m, 1/m: those of `constraints` per speed.
        Frame
            Rows as `constraints` of the same solver: `hdca` tells cuts that hold all translations
            in inertial axes, other algorithms in those of the cut's parent.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            Own: J = EᵀH, the columns moved inwards with all hinges locked.
        """
        size = len(self.conditions), len(self.speeds)
        if not self.conditions:
            return np.zeros((*self.state("q", q).shape[:-1], *size))
        still = np.zeros(len(self.speeds))
        found = self._results("jacobian", q, still, t, None, parameters, None)["J"]
        return found.reshape(*found.shape[:-1], *size)

    def correction(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        c: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """The change of the speeds, least in its kinetic energy, that adds −c to their opening.

        Shape
            `c` (…, len(conditions)); (…, nv).
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            NumericsError: the result is not finite.
        Source
            own
        """
        if not self.conditions:
            return np.zeros_like(self.state("v", v))
        given = {"c": self.state("c", c)}
        return self._results("correction", q, v, t, None, parameters, None, given)["du"]

    def redundant(
        self,
        q: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> npt.NDArray[np.int64]:
        """How many conditions of cut and coupled hinges follow from the others there.

        If any do, the loads in the loops are those of the least multipliers (see `joint_loads`);
        the motion does not depend on it.

        Shape
            (…).
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            Own: eigenvalues of the compliance, scaled to unit diagonal, below 1e-10 of the
            largest; on an assembly tree the trace of what corrections of all conditions leave
            of them.
        """
        size = len(self.conditions)
        if not size:
            return np.zeros(self.state("q", q).shape[:-1], dtype=np.int64)
        if "compliance" not in self.generated.sources.interface.arguments:
            return self._left(q, t, parameters)
        still = np.zeros(len(self.speeds))
        flat = self._results("compliance", q, still, t, None, parameters, None)["Lam"]
        matrix = np.empty((*flat.shape[:-1], size, size))
        rows, columns = np.triu_indices(size)
        matrix[..., rows, columns] = matrix[..., columns, rows] = flat
        diagonal = np.diagonal(matrix, axis1=-2, axis2=-1)
        counts = diagonal > ROUNDING * diagonal.max(axis=-1, keepdims=True)
        scale = np.where(counts, 1.0, 0.0) / np.sqrt(np.where(counts, diagonal, 1.0))
        values = np.linalg.eigvalsh(matrix * scale[..., :, np.newaxis] * scale[..., np.newaxis, :])
        kept = values > CUT_OFF * values[..., -1:]
        return np.asarray(size - kept.sum(axis=-1), dtype=np.int64)

    def _left(
        self, q: npt.ArrayLike, t: npt.ArrayLike, parameters: Mapping[str, float] | None
    ) -> npt.NDArray[np.int64]:
        """How many conditions no correction reaches: those that follow from others."""
        self.require("correction")
        size = len(self.conditions)
        place = self.state("q", q)[..., np.newaxis, :]
        when = self.state("t", t)[..., np.newaxis]
        still = np.zeros(len(self.speeds))
        changes = self.correction(place, still, np.eye(size), t=when, parameters=parameters)
        _, opening = self.constraints(place, changes, t=when, parameters=parameters)
        trace = np.trace(opening, axis1=-2, axis2=-1)
        return np.asarray(np.rint(size + trace), dtype=np.int64)

    def project(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> tuple[Floats, Floats]:
        """The state with closed loops near this one; see `runtime.projection.project`.

        Many are near an open state. Every step is the least in the kinetic energy for the gaps as
        they are told, and `dca` and `hdca` tell some in other axes than other algorithms (see
        `constraints`): their closed states differ by the square of the gap. To compare motions,
        hand one closed state to all.

        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            NumericsError: the loops cannot be closed from there.
        Source
            own
        """
        from .projection import project

        return project(self, q, v, t=t, parameters=parameters)

    def _check_frame(self, frame: str) -> None:
        if frame not in FRAMES:
            raise UsageError(f"there is no frame {frame!r}; there are: {', '.join(FRAMES)}")

    def _loads_in(
        self,
        frame: str,
        found: Floats,
        q: npt.ArrayLike,
        t: npt.ArrayLike,
        parameters: Mapping[str, float] | None,
    ) -> Floats:
        """Loads at all ends, turned from the inertial frame."""
        loads = found.reshape(*found.shape[:-1], len(self.ends), 6)
        if frame == "inertial":
            return loads
        axes = self._axes_of([end.split(":")[0] for end in self.ends], q, t, parameters)
        return turned(axes, loads)

    def _axes_of(
        self,
        bodies: Sequence[str],
        q: npt.ArrayLike,
        t: npt.ArrayLike,
        parameters: Mapping[str, float] | None,
    ) -> Floats:
        """The axes (…, n, 3, 3) of these bodies; the ground's are the inertial ones."""
        axes = self.poses(q, t=t, parameters=parameters)[..., :3, :3]
        ground = np.broadcast_to(np.eye(3), (*axes.shape[:-3], 1, 3, 3))
        every = (*self.bodies, GROUND)
        at = [every.index(name) for name in bodies]
        return np.concatenate([axes, ground], axis=-3)[..., at, :, :]


def turned(axes: Floats, vectors: Floats) -> Floats:
    """Two vectors each (…, n, 6), from inertial axes to these."""
    pairs = vectors.reshape(*vectors.shape[:-1], 2, 3)
    pairs = np.asarray(np.einsum("...nji,...nkj->...nki", axes, pairs), dtype=np.float64)
    return pairs.reshape(*pairs.shape[:-2], 6)
