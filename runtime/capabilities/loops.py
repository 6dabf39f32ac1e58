"""Closed loops: how far they are open, and states that close them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ...symbolic.language.tolerances import AROUND, CUT_OFF, FAINT
from ..closing.cut_targets import CutTargets
from ..closing.upright import turned_about
from ..evaluation.anywhere import anywhere
from ..evaluation.arrays import Floats
from ..stepping.outcomes import DONE
from .capability import Capability
from .momenta import Momenta
from .poses import Poses


@final
class Loops(Capability):
    """The conditions of cut and coupled hinges."""

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
        if not self.code.conditions:
            batch = np.broadcast_shapes(
                self.code.state("q", q).shape[:-1], self.code.state("v", v).shape[:-1]
            )
            return np.zeros((*batch, 0)), np.zeros((*batch, 0))
        found = self.code.results("constraints", q, v, t=t, parameters=parameters)
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
            Own: J = EᵀH, the columns moved inwards with all hinges locked; of `hdca` minus the
            momenta of σ alone, row by row.
        """
        size = len(self.code.conditions), len(self.code.speeds)
        if not self.code.conditions:
            return np.zeros((*self.code.state("q", q).shape[:-1], *size))
        if self.code.has_momenta:
            place, when = self._each(q, t)
            still, rows = np.zeros(size[1]), np.eye(size[0])
            code = anywhere(self.code)
            return -Momenta.momenta(code, place, still, rows, t=when, parameters=parameters)
        found = self.code.results("jacobian", q, t=t, parameters=parameters)["J"]
        return found.reshape(*found.shape[:-1], *size)

    def slopes(
        self,
        q: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """`jacobian`, zero where it is rounding: of conditions that nothing moves.

        Shape
            As `jacobian`.
        Raises
            UsageError: as `jacobian`.
        Source
            own
        """
        J = self.jacobian(q, t=t, parameters=parameters)
        return unrounded(J, self.code.interface.extents)

    def _each(self, q: npt.ArrayLike, t: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Place and time with an axis for the conditions, one by one."""
        return self.code.state("q", q)[..., np.newaxis, :], self.code.state("t", t)[..., np.newaxis]

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
        if not self.code.conditions:
            return np.zeros_like(self.code.state("v", v))
        opening = self.code.state("c", c)
        found = self.code.results("correction", q, v, t=t, parameters=parameters, c=opening)
        return found["du"]

    def redundant(
        self,
        q: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> npt.NDArray[np.int64]:
        """How many conditions of cut and coupled hinges follow from the others there.

        If as many do wherever the mechanism can come, the motion does not depend on it, and
        `determinate` says which loads do. If there are more here than elsewhere, the position is
        singular: more than one motion leads on from it (see `Run.passages`).

        Shape
            (…).
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            Own: eigenvalues of the compliance, scaled to unit diagonal, below 1e-10 of the
            largest; of the diagonal no less than 1e-7 of what it would be if no position made
            it zero. On an assembly tree the trace of what corrections of all conditions leave of
            them.
        """
        size = len(self.code.conditions)
        if not size:
            return np.zeros(self.code.state("q", q).shape[:-1], dtype=np.int64)
        if not self.code.computes("compliance"):
            return self._left(q, t, parameters)
        found = self.code.results("compliance", q, t=t, parameters=parameters)
        flat, reach = found["Lam"], found["reach"]
        matrix = np.empty((*flat.shape[:-1], size, size))
        rows, columns = np.triu_indices(size)
        matrix[..., rows, columns] = matrix[..., columns, rows] = flat
        sizes = np.maximum(np.diagonal(matrix, axis1=-2, axis2=-1), FAINT * reach)
        scale = np.where(reach > 0.0, 1.0, 0.0) / np.sqrt(np.where(reach > 0.0, sizes, 1.0))
        values = np.linalg.eigvalsh(matrix * scale[..., :, np.newaxis] * scale[..., np.newaxis, :])
        kept = values > CUT_OFF * np.maximum(values[..., -1:], 1.0)
        return np.asarray(size - kept.sum(axis=-1), dtype=np.int64)

    def refuse_redundant(self) -> None:
        """See that no condition follows from others, at the model's start and beside it.

        By the slopes alone, whatever the masses; with beams these are not known.

        Raises
            UsageError: some do at all of these states.
        """
        model = self.code.model
        if not self.code.computes("jacobian"):
            return
        beside = np.sin(1.0 + 2.4 * np.arange(len(model.q0)))
        found: list[int] = []
        for away in (0.0, AROUND):
            place = Poses.retracted(self.code, np.add(model.q0, away * beside))
            try:
                q, _ = self.project(place, np.zeros(len(model.speeds)))
            except NumericsError:
                continue  # which a call will say
            J = self.slopes(q) / np.array(self.code.interface.extents)[:, np.newaxis]
            values = np.linalg.svd(J, compute_uv=False)
            told = values > np.sqrt(CUT_OFF) * max(values.max(initial=0.0), np.sqrt(FAINT))
            found.append(len(J) - int(told.sum()))
        least = min(found, default=0)
        if least:
            raise UsageError(
                f"{model.name}: {self.code.algorithm} meets every condition of the loops exactly, "
                f"and {least} of the {len(self.code.conditions)} follow from the others "
                "wherever the mechanism stands; use riccati or dca, or leave out a hinge that "
                "holds what others hold"
            )

    def _left(
        self, q: npt.ArrayLike, t: npt.ArrayLike, parameters: Mapping[str, float] | None
    ) -> npt.NDArray[np.int64]:
        """How many conditions no correction reaches: those that follow from others."""
        self.code.require("correction", "redundant")
        size = len(self.code.conditions)
        place, when = self._each(q, t)
        still = np.zeros(len(self.code.speeds))
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
        """The state with closed loops near this one: Gauss–Newton for q, one correction of v.

        Quaternions come back with unit length. Many closed states are near an open one. Every step
        is the least in the kinetic energy for the gaps as they are told, and `dca` and `hdca` tell
        some in other axes than other algorithms (see `constraints`): their closed states differ by
        the square of the gap. To compare motions, hand one closed state to all.

        Shape
            `q` (nq), `v` (nv): one state.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            NumericsError: the loops cannot be closed from there, or only with an end of a cut
                hinge turned about.
            OpenStateError: beside a singular position, where speeds are known to few digits, what
                is found leaves more open than a state may.
        Source
            Own: q += −M⁻¹ Jᵀ Λ⁻¹ φ, and v likewise with φ̇.
        """
        if self.code.conditions and self.code.has_momenta:
            code = anywhere(self.code)
            p = Momenta.momenta(code, q, v, t=t, parameters=parameters)
            q, p = self.closed(q, p, t=t, parameters=parameters)
            v = Momenta.velocities(code, q, p, t=t, parameters=parameters)
        else:
            q, v = self.closed(q, v, t=t, parameters=parameters)
        self.code.see_closed("project", q, v, t=t, parameters=parameters)
        return q, v

    def closed(
        self,
        q: npt.ArrayLike,
        second: npt.ArrayLike,
        *,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> tuple[Floats, Floats]:
        """`project` of what the state holds, be it the speeds or the joint momenta.

        Momenta come back as those of the same motion with impulses of the cuts of zero.
        """
        q, second = self.code.state("q", q).copy(), self.code.state("v", second).copy()
        if q.ndim > 1 or second.ndim > 1:
            raise UsageError(f"loops are closed one state at a time; q has the shape {q.shape}")
        if not self.code.conditions:
            return q, second
        self.code.require("correction", "project")
        name = self.code.interface.state[1]
        buffers = {"q": q[np.newaxis], name: second[np.newaxis]}
        buffers["t"] = self.code.state("t", t).reshape(1, 1)
        buffers["p"] = self.code.parameter_values(parameters)[np.newaxis]
        if self.code.backend.project(buffers) != DONE:
            at = Poses.retracted(self.code, q)
            gap, _ = self.constraints(at, second, t=t, parameters=parameters)
            raise NumericsError(
                f"{self.code.model.name}: the loops cannot be closed from this state, "
                f"{np.abs(gap).max():.3g} is left; give a q0 nearer to a closed one"
            )
        turned = turned_about(CutTargets(self.code, dict(parameters or {}), t), q)
        if turned:
            raise NumericsError(
                f"{self.code.model.name}: from this state the loops close with an end of hinge "
                f"{turned.name} turned about; give a q0 nearer to a closed one, or call assemble"
            )
        return q, second


def unrounded(J: Floats, extents: Sequence[float]) -> Floats:
    """J (…, conditions, speeds) with rows of zeros where it is rounding of their extents.

    Beside other rows they count for nothing; where all are rounding a rank that is decided against
    the largest would take it for conditions.
    """
    sizes = np.sqrt(CUT_OFF * FAINT) * np.asarray(extents)
    moved = np.abs(J).max(axis=-1, initial=0.0) > sizes
    return np.where(moved[..., np.newaxis], J, 0.0)
