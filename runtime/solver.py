"""The compiled solver's Python face."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..codegen.build import build
from ..codegen.generate import Generated, generate
from ..errors import ModelError, NumericsError, UsageError
from ..model import Model, load
from .backend import Backend, CLibrary, Floats, NumpyModule

if TYPE_CHECKING:
    from .results import Run

FRAMES = ("inertial", "body")

#: How far a quaternion's norm may be from 1: single precision, not a wrong number.
UNIT_SLACK = 1e-6

#: Sets of run-time parameters that are remembered as checked.
CHECKED_SETS = 64


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
        self._checked: dict[tuple[float, ...], None] = {}

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

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of `poses`."""
        return tuple(body.name for body in self.model.bodies)

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The bodies' output ends `body:point`, in the order of `joint_loads`."""
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
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """The time derivative of the speeds.

        Shape
            (…, nv). `tau` (…, nv): a couple along each speed. `wrenches` (…, nbodies, 6): per
            body an external moment and force at its centre of mass, in the order of the loads.
        Units
            rad/s²; N m, N.
        Frame
            As the speeds; `wrenches` in the inertial frame.
        Sign
            About positive axes.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            NumericsError: the result is not finite.
        Source
            Riccati paper, Sects. 3 and 4, completed.
        """
        return self._results("accelerations", q, v, tau, parameters, wrenches)["a"]

    def joint_loads(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        frame: str = "inertial",
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """Moment and force at the hinge of each body's output end.

        Shape
            (…, nends, 6): m_x, m_y, m_z, q_x, q_y, q_z for each of `ends`.
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
        found = self._results("joint_loads", q, v, tau, parameters, wrenches)["loads"]
        loads = found.reshape(*found.shape[:-1], len(self.ends), 2, 3)
        if frame == "body":
            axes = self.poses(q, parameters=parameters)[..., :3, :3]
            loads = np.einsum("...nji,...nkj->...nki", axes, loads)
        return loads.reshape(*loads.shape[:-2], 6)

    def poses(self, q: npt.ArrayLike, *, parameters: Mapping[str, float] | None = None) -> Floats:
        """Where each body is: the transform from its own axes to the inertial frame.

        Shape
            (…, nbodies, 4, 4), homogeneous.
        Units
            m.
        Frame
            Inertial, origin at the ground hinge.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            own
        """
        at_rest = np.zeros(len(self.speeds))
        found = self._results("poses", q, at_rest, None, parameters, None)["poses"]
        return found.reshape(*found.shape[:-1], len(self.bodies), 4, 4)

    def energy(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, parameters: Mapping[str, float] | None = None
    ) -> Floats:
        """Kinetic plus potential energy; the potential is zero at the ground hinge.

        Shape
            (…).
        Units
            J.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            own
        """
        return self._results("energy", q, v, None, parameters, None)["energy"][..., 0]

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
        return self._results("rates", q, v, None, parameters, None)["qd"]

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
            UsageError: names the argument and what is wrong with its shape or its numbers.
        """
        tail = {
            "q": (len(self.coordinates),),
            "v": (len(self.speeds),),
            "tau": (len(self.speeds),),
            "wrenches": (len(self.bodies), 6),
        }[name]
        array = _real_numbers(name, value)
        if array.shape[array.ndim - len(tail) :] != tail:
            wanted = ", ".join(map(str, tail))
            raise UsageError(f"{name} has the shape {array.shape} instead of (…, {wanted})")
        if not np.isfinite(array).all():
            where = np.argwhere(~np.isfinite(array))[0]
            raise UsageError(f"{name}{where.tolist()} is {array[tuple(where)]}, no finite number")
        if name == "q" and self.model.dimension == 3:
            self._check_quaternions(array)
        return array

    def _check_quaternions(self, q: Floats) -> None:
        norms = np.linalg.norm(q.reshape(*q.shape[:-1], len(self.bodies), 4), axis=-1)
        wrong = np.argwhere(np.abs(norms - 1.0) > UNIT_SLACK)
        if len(wrong):
            *state, body = wrong[0].tolist()
            names = ", ".join(self.coordinates[4 * body : 4 * body + 4])
            where = f" of state {state}" if state else ""
            raise UsageError(
                f"q: the quaternion {names}{where} has norm {norms[tuple(wrong[0])]:g} instead of 1"
            )

    def _results(
        self,
        entry: str,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None,
        parameters: Mapping[str, float] | None,
        wrenches: npt.ArrayLike | None,
    ) -> dict[str, Floats]:
        """Run an entry over the batch; results are (…, length)."""
        given = {"q": self.state("q", q), "v": self.state("v", v)}
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
            UsageError: a name that is no run-time parameter, a value that is no finite number,
                or values with which the model describes no system.
        """
        values = {name: self.model.parameters[name] for name in self.parameters}
        if parameters is None:
            return np.array(list(values.values()))
        if not isinstance(parameters, Mapping):
            raise UsageError(f"parameters = {parameters!r} is no mapping of names to numbers")
        for name, value in parameters.items():
            if name not in values:
                known = ", ".join(values) or "none (compile with parameters=…)"
                raise UsageError(f"{name!r} is no run-time parameter; there are: {known}")
            values[name] = _finite(name, value)
        self._check_system(values)
        return np.array(list(values.values()))

    def _check_system(self, values: Mapping[str, float]) -> None:
        """The model's own checks at these values, once for each set of them."""
        key = tuple(values.values())
        if key in self._checked:
            return
        try:
            replace(self.model, parameters={**self.model.parameters, **values})
        except ModelError as error:
            given = ", ".join(f"{name} = {value:g}" for name, value in values.items())
            raise UsageError(f"parameters {given}: {error}") from None
        self._checked[key] = None
        while len(self._checked) > CHECKED_SETS:
            self._checked.pop(next(iter(self._checked)), None)

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


def _real_numbers(name: str, value: npt.ArrayLike) -> Floats:
    """The value as doubles; what NumPy would turn into numbers on its own is refused."""
    if isinstance(value, np.ma.MaskedArray):
        raise UsageError(f"{name} is a masked array; fill what is masked")
    try:
        array = np.asarray(value)
        is_real = array.dtype.kind in "biuf" or (
            array.dtype.kind == "O" and all(isinstance(x, numbers.Real) for x in array.flat)
        )
        if not is_real:
            raise UsageError(f"{name} holds {array.dtype.name} instead of real numbers")
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"{name}: {error}") from None


def _finite(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise UsageError(f"parameter {name} = {value!r} is no number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UsageError(f"parameter {name} is {number}, no finite number")
    return number
