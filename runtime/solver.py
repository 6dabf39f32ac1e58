"""The compiled solver's Python face."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..codegen.build import build
from ..codegen.generate import Generated, generate
from ..errors import NumericsError, UsageError
from ..model import Model, load
from ..symbolic.program import CUT_OFF
from .backend import Backend, CLibrary, Floats, NumpyModule

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


class Solver:
    """Numbers for one model: accelerations, loads, poses, energy, motion.

    Shape
        Arguments may carry leading batch axes, which broadcast. `q` (…, nq) and `v` (…, nv)
        follow `coordinates` and `speeds`.
    Units
        SI, rad.
    Frame
        Absolute coordinates; in space `v`, `a` and `tau` are in body axes.
    """

    def __init__(
        self,
        model: Model,
        *,
        algorithm: str,
        form: str,
        target: str,
        parameters: tuple[str, ...],
        portable: bool,
    ) -> None:
        self.model = model
        self.algorithm = algorithm
        self.form = form
        self.target = target
        self.parameters = parameters
        self.portable = portable
        self.generated = self._generate(forced=False)
        self.backend = self._load(self.generated)

    def __repr__(self) -> str:
        return (
            f"<Solver of {self.model.name}: {self.algorithm} ({self.form}), target {self.target}, "
            f"{len(self.coordinates)} coordinates>"
        )

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of `q`."""
        return self.model.coordinates

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the speeds, in the order of `v`."""
        return self.model.speeds

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of `poses`."""
        return tuple(body.name for body in self.model.bodies)

    @property
    def ends(self) -> tuple[str, ...]:
        """The bodies' output ends `body:point`, then the cuts', in the order of `joint_loads`."""
        return tuple(self.generated.program.sets["ends"])

    def _generate(self, *, forced: bool) -> Generated:
        return generate(
            self.model,
            algorithm=self.algorithm,
            form=self.form,
            target=self.target,
            parameters=self.parameters,
            forced=forced,
        )

    def _load(self, generated: Generated) -> Backend:
        sources = generated.sources
        if self.target == "numpy":
            return NumpyModule(sources)
        prefix = sources.interface.prefix
        library = build(
            prefix,
            {name: sources.files[name] for name in (f"{prefix}.c", f"{prefix}.h")},
            portable=self.portable,
        )
        return CLibrary(library, sources)

    @cached_property
    def _forced(self) -> tuple[Generated, Backend]:
        generated = self._generate(forced=True)
        return generated, self._load(generated)

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
        if frame not in FRAMES:
            raise UsageError(f"there is no frame {frame!r}; there are: {', '.join(FRAMES)}")
        found = self._results("joint_loads", q, v, t, tau, parameters, wrenches)["loads"]
        loads = found.reshape(*found.shape[:-1], len(self.ends), 2, 3)
        if frame == "body":
            at = [self.bodies.index(end.split(":")[0]) for end in self.ends]
            axes = self.poses(q, t=t, parameters=parameters)[..., at, :3, :3]
            loads = np.einsum("...nji,...nkj->...nki", axes, loads)
        return loads.reshape(*loads.shape[:-2], 6)

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
        if "retract" not in self.generated.sources.interface.arguments:
            return self.state("q", q)
        still = np.zeros(len(self.speeds))
        return self._results("retract", q, still, 0.0, None, None, None)["qn"]

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names of the conditions that close the loops: the cut hinge's, numbered."""
        return tuple(self.generated.program.sets.get("conditions", ()))

    def constraints(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> tuple[Floats, Floats]:
        """How far the cut hinges are open, and how fast they open; zero where loops are closed.

        Shape
            Twice (…, len(conditions)).
        Units
            m, or 1 for the cosine of two axes; m/s, 1/s.
        Frame
            The point's axes of the cut hinge's parent.
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
        """How many conditions of the cut hinges follow from the others there.

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

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the driven coordinates, in the order of `driving_forces`."""
        return tuple(self.generated.program.sets.get("driven", ()))

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

    def state(self, name: str, value: npt.ArrayLike) -> Floats:
        """An argument as a checked array of doubles whose last axes fit.

        Raises
            UsageError: names the argument, the shape it has and the shape it should have.
        """
        tail = {
            "q": (len(self.coordinates),),
            "v": (len(self.speeds),),
            "t": (),
            "tau": (len(self.speeds),),
            "c": (len(self.conditions),),
            "wrenches": (len(self.bodies), 6),
        }[name]
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{name}: {error}") from None
        if array.shape[array.ndim - len(tail) :] != tail:
            wanted = ", ".join(map(str, tail))
            raise UsageError(f"{name} has the shape {array.shape} instead of (…, {wanted})")
        if not np.isfinite(array).all():
            where = np.argwhere(~np.isfinite(array))[0]
            raise UsageError(f"{name}{where.tolist()} is {array[tuple(where)]}, no finite number")
        return array

    def _results(
        self,
        entry: str,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        t: npt.ArrayLike,
        tau: npt.ArrayLike | None,
        parameters: Mapping[str, float] | None,
        wrenches: npt.ArrayLike | None,
        more: Mapping[str, Floats] | None = None,
    ) -> dict[str, Floats]:
        """Run an entry over the batch; results are (…, length)."""
        given = {
            **(more or {}),
            "q": self.state("q", q),
            "v": self.state("v", v),
            "t": self.state("t", t)[..., np.newaxis],
        }
        forced = tau is not None or wrenches is not None
        if forced:
            given["tau"] = self.state("tau", np.zeros(len(self.speeds)) if tau is None else tau)
            given["f"] = self._wrenches(wrenches)
        values = self.parameter_values(parameters)
        if len(values):
            given["p"] = values
        generated, backend = self._forced if forced else (self.generated, self.backend)
        interface = generated.sources.interface
        try:
            batch = np.broadcast_shapes(*(array.shape[:-1] for array in given.values()))
        except ValueError as error:
            raise UsageError(f"the batch axes do not fit: {error}") from None
        states = int(np.prod(batch))
        buffers = {
            name: np.ascontiguousarray(
                np.broadcast_to(array, (*batch, array.shape[-1])).reshape(states, array.shape[-1])
            )
            for name, array in given.items()
        }
        for name in interface.arguments[entry]:
            if name not in buffers:
                buffers[name] = np.empty((states, interface.sizes[name]))
        if not backend.run(entry, buffers):
            raise NumericsError(
                f"{entry} of {self.model.name}: the result is not finite; the configuration is "
                "singular, or the numbers overflow"
            )
        return {
            name: buffers[name].reshape(*batch, interface.sizes[name])
            for name in interface.results[entry]
        }

    def parameter_values(self, parameters: Mapping[str, float] | None) -> Floats:
        """The run-time parameters' values in order.

        Raises
            UsageError: a name that is no run-time parameter, or a value that is not finite.
        """
        values = {name: self.model.parameters[name] for name in self.parameters}
        for name, value in (parameters or {}).items():
            if name not in values:
                known = ", ".join(values) or "none (compile with parameters=…)"
                raise UsageError(f"{name!r} is no run-time parameter; there are: {known}")
            if not np.isfinite(value):
                raise UsageError(f"parameter {name} is {value}, no finite number")
            values[name] = float(value)
        return np.array(list(values.values()))

    def _wrenches(self, wrenches: npt.ArrayLike | None) -> Floats:
        """External loads (moment, force) as the generated code takes them (force, moment)."""
        if wrenches is None:
            wrenches = np.zeros((len(self.bodies), 6))
        array = self.state("wrenches", wrenches)
        moment, force = array[..., :3], array[..., 3:]
        if self.model.dimension == 2:
            if moment[..., :2].any() or force[..., 2].any():
                raise UsageError("wrenches: a planar model takes m_z, f_x and f_y only")
            array = np.concatenate([force[..., :2], moment[..., 2:]], axis=-1)
        else:
            array = np.concatenate([force, moment], axis=-1)
        return array.reshape(*array.shape[:-2], array.shape[-2] * array.shape[-1])
