"""The compiled solver's Python face."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import NumericsError, UsageError
from ..model import Model, load
from ..symbolic.program import CUT_OFF
from .backend import Floats
from .evaluator import Evaluator

if TYPE_CHECKING:
    from .results import Run

FRAMES = ("inertial", "body")


def compile_model(
    model: Model | str,
    *,
    algorithm: str = "riccati",
    form: str = "fast",
    target: str = "c",
    parameters: Sequence[str] = (),
    portable: bool = False,
) -> Solver:
    """Generate, build and load a solver of the model.

    `parameters` names the model parameters that stay arguments of the compiled code;
    `portable` builds for any machine of this kind instead of exactly this one.

    Raises
        UsageError: an algorithm, form, target or parameter that there is not.
        ToolchainError: there is no C compiler, or it fails (target `c`).

    Source
        own
    """
    if isinstance(model, str):
        model = load(model)
    return Solver(
        model,
        algorithm=algorithm,
        form=form,
        target=target,
        parameters=tuple(parameters),
        portable=portable,
    )


class Solver(Evaluator):
    """Numbers for one model: accelerations, loads, poses, energy, motion.

    Shape
        Arguments may carry leading batch axes, which broadcast. `q` (…, nq) and `v` (…, nv)
        follow `coordinates` and `speeds`.
    Units
        SI, rad.
    Frame
        Absolute coordinates; in space `v`, `a` and `tau` are in body axes.
    """

    def __repr__(self) -> str:
        return (
            f"<Solver of {self.model.name}: {self.algorithm} ({self.form}), target {self.target}, "
            f"{len(self.coordinates)} coordinates>"
        )

    def accelerations(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """The time derivative of the speeds.

        Shape
            (…, nv). `t` (…): the time, for laws that depend on it. `tau` (…, nv): a force along
            each speed. `wrenches` (…, nbodies, 6): per body an external moment and force at its
            centre of mass, in the order of the loads.
        Units
            rad/s², m/s²; N m, N.
        Frame
            As the speeds; `wrenches` in the inertial frame.
        Sign
            About positive axes; in joint coordinates on the hinge's child.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            NumericsError: the result is not finite.
        Source
            Riccati paper, Sects. 3 and 4, completed.
        """
        return self._results("accelerations", q, v, t, tau, parameters, wrenches)["a"]

    def joint_loads(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        frame: str = "inertial",
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """Moment and force at the hinge of each body's output end.

        Shape
            (…, nends, 6): m_x, m_y, m_z, q_x, q_y, q_z for each of `ends`. Where conditions of
            loops are redundant, the multipliers are those of minimum norm (SI units).
        Units
            N m, N.
        Frame
            `inertial`, or `body`: the axes of the body whose output end it is.
        Sign
            The paper's at an output end: `q` is the force by the body on what it hangs on, `m`
            the moment on the body.
        Raises
            UsageError: a shape that does not fit, a number that is not finite, another frame.
            NumericsError: the result is not finite.
        Source
            Riccati paper (2), (31), (33).
        """
        self._check_frame(frame)
        found = self._results("joint_loads", q, v, t, tau, parameters, wrenches)["loads"]
        return self._loads_in(frame, found, q, t, parameters)

    def _inverse(
        self,
        entry: str,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        passive: Sequence[str],
        t: npt.ArrayLike,
        parameters: Mapping[str, float] | None,
        wrenches: npt.ArrayLike | None,
    ) -> dict[str, Floats]:
        """Results of inverse dynamics; with loops at multipliers that `inverse.choose` finds."""
        from .inverse import choose

        self.require(entry)

        def results(entry: str, mu: Floats) -> dict[str, Floats]:
            given = {"ad": self.state("a", a), "mu": mu}
            return self._results(entry, q, v, t, None, parameters, wrenches, given)

        if not (self.conditions or passive):
            return results(entry, np.zeros(0))
        open_forces = results("inverse_dynamics", np.zeros(len(self.conditions)))["tau"]
        J = self.jacobian(q, t=t, parameters=parameters)
        return results(entry, choose(self, open_forces, J, passive))

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
        loads = found.reshape(*found.shape[:-1], len(self.ends), 2, 3)
        if frame == "body":
            at = [self.bodies.index(end.split(":")[0]) for end in self.ends]
            axes = self.poses(q, t=t, parameters=parameters)[..., at, :3, :3]
            loads = np.einsum("...nji,...nkj->...nki", axes, loads)
        return loads.reshape(*loads.shape[:-2], 6)

    def inverse_dynamics(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        passive: Sequence[str] = (),
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """The generalised forces that given accelerations need, besides the hinges' force laws.

        With closed loops many forces give the same motion: those of the tree, τ₀, plus Jᵀ μ for
        any μ, J being the `jacobian`. Of them the forces along the `passive` speeds (names) are
        zero, and all together are of least norm (SI units). `a` is to be one that the loops
        allow; then `accelerations` at these forces gives it back.

        Shape
            (…, nv); `a` (…, nv); `wrenches` as in `accelerations`.
        Units
            N, N m.
        Frame
            Hinge by hinge, as the speeds; `wrenches` in the inertial frame.
        Sign
            On the hinge's child by its parent, along the speed: the `tau` of `accelerations`.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, a number
                that is not finite, or a passive speed that there is not.
            NumericsError: the result is not finite, or passive forces cannot vanish.
        Source
            Riccati paper (5), (14), in link axes; the choice of μ is own.
        """
        found = self._inverse("inverse_dynamics", q, v, a, passive, t, parameters, wrenches)
        return found["tau"]

    def inverse_loads(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        passive: Sequence[str] = (),
        frame: str = "inertial",
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """Moment and force at the hinge of each body's output end, at given accelerations.

        Shape
            (…, nends, 6), as `joint_loads`; `a` (…, nv) and `passive` as in `inverse_dynamics`,
            whose reactions of the cuts these are.
        Units
            N m, N.
        Frame
            `inertial`, or `body`: the axes of the body whose output end it is.
        Sign
            As `joint_loads`.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, a number
                that is not finite, another frame.
            NumericsError: the result is not finite.
        Source
            Riccati paper (2), (5), (14).
        """
        self._check_frame(frame)
        found = self._inverse("inverse_loads", q, v, a, passive, t, parameters, wrenches)["loads"]
        return self._loads_in(frame, found, q, t, parameters)

    def inverse_drives(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        passive: Sequence[str] = (),
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """The generalised forces that drive the driven hinges, at given accelerations.

        Shape
            (…, len(driven)); `a` (…, nv) and `passive` as in `inverse_dynamics`.
        Units
            N, N m.
        Sign
            As `driving_forces`.
        Raises
            UsageError: no hinge is driven; another algorithm computes this; a shape that does
                not fit, or a number that is not finite.
            NumericsError: the result is not finite.
        Source
            Own: τ = Hᵀ λ.
        """
        if not self.driven:
            raise UsageError(f"{self.model.name}: no hinge is driven")
        found = self._inverse("inverse_dynamics", q, v, a, passive, t, parameters, wrenches)
        return found["drive"]

    def mass_matrix(
        self,
        q: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """M: the generalised forces are M a and what accelerations of zero need.

        Shape
            (…, nv, nv), symmetric and positive definite; with loops that of the tree which the
            cuts leave.
        Units
            kg, kg m, kg m².
        Frame
            Hinge by hinge, as the speeds.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
        Source
            Own: composite inertias, M = Hᵀ U.
        """
        at_rest = np.zeros(len(self.speeds))
        found = self._results("mass_matrix", q, at_rest, t, None, parameters, None)["M"]
        return found.reshape(*found.shape[:-1], len(self.speeds), len(self.speeds))

    def overall_equation(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> tuple[Floats, Floats]:
        """Matrix and right-hand side of the overall transfer equation, in its `unknowns`.

        Shape
            (…, N, N) and (…, N), N being len(unknowns); `tau`, `wrenches` as in
            `accelerations`.
        Units
            SI; rows and columns differ in theirs.
        Frame
            Inertial; a hinge's own along its coordinates.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
        Source
            Deduction paper, rules for chains, trees and general systems.
        """
        found = self._results("overall_equation", q, v, t, tau, parameters, wrenches)
        matrix, right = found["U_all"], found["r_all"]
        return matrix.reshape(*right.shape, right.shape[-1]), right

    def poses(
        self,
        q: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """Where each body is: the transform from its own axes to the inertial frame.

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
        """Kinetic plus potential energy; the potential is zero at the origin.

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
            The point's axes of the cut hinge's parent.
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

        If any do, the loads in the loops are those of the multipliers of minimum norm; the
        motion does not depend on it.

        Shape
            (…).
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            Own: eigenvalues of the compliance below 1e-10 of the largest.
        """
        size = len(self.conditions)
        if not size:
            return np.zeros(self.state("q", q).shape[:-1], dtype=np.int64)
        still = np.zeros(len(self.speeds))
        flat = self._results("compliance", q, still, t, None, parameters, None)["Lam"]
        matrix = np.empty((*flat.shape[:-1], size, size))
        rows, columns = np.triu_indices(size)
        matrix[..., rows, columns] = matrix[..., columns, rows] = flat
        values = np.linalg.eigvalsh(matrix)
        kept = values > CUT_OFF * values[..., -1:]
        return np.asarray(size - kept.sum(axis=-1), dtype=np.int64)

    def project(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> tuple[Floats, Floats]:
        """The state with closed loops near this one; see `runtime.projection.project`.

        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            NumericsError: the loops cannot be closed from there.
        Source
            own
        """
        from .projection import project

        return project(self, q, v, t=t, parameters=parameters)

    def driving_forces(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """The generalised forces that drive the driven hinges as prescribed.

        Shape
            (…, len(driven)).
        Units
            N, N m.
        Sign
            On the hinge's child, along the coordinate.
        Raises
            UsageError: no hinge is driven; a shape that does not fit; a number not finite.
            NumericsError: the result is not finite.
        Source
            Own: τ = Hᵀ λ.
        """
        if not self.driven:
            raise UsageError(f"{self.model.name}: no hinge is driven")
        return self._results("driving_forces", q, v, t, tau, parameters, wrenches)["drive"]

    def simulate(
        self,
        q0: npt.ArrayLike | None = None,
        v0: npt.ArrayLike | None = None,
        *,
        t_end: float,
        dt: float | None = None,
        method: str = "rk4",
        rtol: float | None = None,
        atol: float | None = None,
        record: float | None = None,
        parameters: Mapping[str, float] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Run:
        """Integrate the motion; see `runtime.simulate.simulate`.

        Raises
            UsageError: a state, step or method that does not fit.
            ToolchainError: the method needs SciPy and it is missing.
            NumericsError: the motion leaves the finite numbers.
        Source
            Riccati paper, Sect. 5.1 (fourth-order Runge–Kutta).
        """
        from .simulate import simulate

        self.require("accelerations")
        return simulate(
            self,
            q0,
            v0,
            t_end=t_end,
            dt=dt,
            method=method,
            rtol=rtol,
            atol=atol,
            record=record,
            parameters=parameters,
            progress=progress,
        )
