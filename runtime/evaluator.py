"""Entries of generated code on batches of states: checked arguments in, arrays out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..codegen.build import THREADS, build
from ..codegen.emit import Sources
from ..codegen.generate import ALIASES, Generated, algorithms_with, generate
from ..codegen.toolchain import find_compiler
from ..errors import ModelError, NumericsError, UsageError
from ..model import Model
from .backend import Backend, CBatchLibrary, CLanesLibrary, CLibrary, Floats, NumpyModule
from .inputs import finite, real_numbers

#: How far a quaternion's norm may be from 1: single precision, not a wrong number.
UNIT_SLACK = 1e-6

#: What loads the compiled code of a target.
LIBRARIES: dict[str, Callable[[Path, Sources], Backend]] = {
    "c": CLibrary,
    "c-batch": CBatchLibrary,
    "c-lanes": CLanesLibrary,
}

#: Sets of run-time parameters that are remembered as checked.
CHECKED_SETS = 64


#: The entry of all derivatives, and the algorithm that has it.
DERIVATIVES = "derivatives"

#: What else it may be with the overall transfer equation, which meets every condition exactly.
REDUNDANT = ", or conditions of closed loops are redundant: riccati solves those"

#: What a caller asks for, where the entry that computes it has another name.
METHODS = {
    "regauge": "regauged",
    "correction": "project",
    **{f"coriolis_{variant}": "coriolis_matrix" for variant in ("christoffel", "skew", "printed")},
}


class Evaluator:
    """A model's generated code, built and loaded, and what is needed to call it.

    Shape
        As in `Solver`.
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
        threads: bool,
        assembly: str | None = None,
        order: int | None = None,
    ) -> None:
        self.model = model
        self.algorithm = algorithm
        self.form = form
        self.target = target
        self.parameters = parameters
        self.portable = portable
        self.threads = threads
        self._assembly = assembly
        self._order = order
        if threads and target != "c":
            raise UsageError(f"threads are for target 'c', not {target!r}")
        self.generated = self._generate(forced=False)
        self.backend = self._load(self.generated)
        self._checked: dict[tuple[float, ...], None] = {}

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
        """The bodies' output ends `body:point`, then the cuts', in the order of `joint_loads`."""
        return tuple(self.generated.program.sets["ends"])

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names of the conditions: the cut hinges', numbered, then those of coupled hinges."""
        return tuple(self.generated.program.sets.get("conditions", ()))

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the driven coordinates, in the order of `driving_forces`."""
        return tuple(self.generated.program.sets.get("driven", ()))

    @property
    def unknowns(self) -> tuple[str, ...]:
        """Names of the unknowns of the overall transfer equation, if that is the algorithm."""
        return tuple(self.generated.program.sets.get("unknowns", ()))

    def _generate(self, *, forced: bool) -> Generated:
        return generate(
            self.model,
            algorithm=self.algorithm,
            form=self.form,
            target=self.target,
            parameters=self.parameters,
            forced=forced,
            assembly=self._assembly,
            order=self._order,
        )

    def _load(self, generated: Generated) -> Backend:
        sources = generated.sources
        if self.target == "numpy":
            return NumpyModule(sources)
        prefix = sources.interface.prefix
        vectors = self.target in ("c-batch", "c-lanes")
        library = build(
            prefix,
            {name: sources.files[name] for name in (f"{prefix}.c", f"{prefix}.h")},
            portable=self.portable,
            compiler=find_compiler(vectors=vectors),
            extra_flags=THREADS if self.threads else (),
        )
        return LIBRARIES[self.target](library, sources)

    @cached_property
    def _forced(self) -> tuple[Generated, Backend]:
        generated = self._generate(forced=True)
        return generated, self._load(generated)

    @cached_property
    def _derived(self) -> tuple[Generated, Backend]:
        """The code of the derivatives, which any algorithm's accelerations have alike."""
        if self.algorithm == DERIVATIVES:
            return self.generated, self.backend
        generated = generate(
            self.model, algorithm=DERIVATIVES, target=self.target, parameters=self.parameters
        )
        return generated, self._load(generated)

    def state(self, name: str, value: npt.ArrayLike, *, any_length: bool = False) -> Floats:
        """An argument as a checked array of doubles whose last axes fit.

        Quaternions must have unit length, unless they may have `any_length`.

        Raises
            UsageError: names the argument and what is wrong with its shape or its numbers.
        """
        tail = {
            "q": (len(self.coordinates),),
            "v": (len(self.speeds),),
            "t": (),
            "a": (len(self.speeds),),
            "jerk": (len(self.speeds),),
            "snap": (len(self.speeds),),
            "c": (len(self.conditions),),
            "p": (len(self.speeds),),
            "sigma": (len(self.conditions),),
            "tau": (len(self.speeds),),
            "wrenches": (len(self.bodies), 6),
        }[name]
        array = real_numbers(name, value)
        if array.shape[array.ndim - len(tail) :] != tail:
            wanted = ", ".join(map(str, tail))
            raise UsageError(f"{name} has the shape {array.shape} instead of (…, {wanted})")
        if not np.isfinite(array).all():
            where = np.argwhere(~np.isfinite(array))[0]
            raise UsageError(f"{name}{where.tolist()} is {array[tuple(where)]}, no finite number")
        if name == "q" and not any_length:
            self._check_quaternions(array)
        return array

    @cached_property
    def _quaternions(self) -> tuple[int, ...]:
        """Where the quaternions stand in `q`."""
        return tuple(k for k, name in enumerate(self.coordinates) if name.endswith(("_w", "_Qw")))

    def _check_quaternions(self, q: Floats) -> None:
        for first in self._quaternions:
            norms = np.linalg.norm(q[..., first : first + 4], axis=-1)
            wrong = np.argwhere(np.abs(norms - 1.0) > UNIT_SLACK)
            if len(wrong):
                state = wrong[0].tolist()
                names = ", ".join(self.coordinates[first : first + 4])
                where = f" of state {state}" if state else ""
                norm = norms[tuple(state)]
                raise UsageError(f"q: the quaternion {names}{where} has norm {norm:g} instead of 1")

    def require(self, entry: str) -> None:
        """Do nothing if the algorithm computes this.

        Raises
            UsageError: it does not; names the algorithms that do.
        """
        if entry not in self.generated.sources.interface.arguments and not self.speeds:
            raise UsageError(
                f"{self.model.name} has no {entry}: no hinge of it moves but as prescribed"
            )
        if entry not in self.generated.sources.interface.arguments:
            own = ALIASES.get(self.algorithm, self.algorithm)
            if self.target == "c-lanes" and own in algorithms_with(self.model, entry):
                raise UsageError(
                    f"{self.algorithm} has no {entry} for the target c-lanes; compile with "
                    'target="c"'
                )
            asked = METHODS.get(entry, entry)
            known = " or ".join(
                f"algorithm={name!r}" for name in algorithms_with(self.model, entry)
            )
            remedy = f"compile with {known}" if known else "none does for this model"
            raise UsageError(f"{self.algorithm} does not compute {asked}; {remedy}")

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
        if entry != DERIVATIVES or not self.speeds:
            self.require(entry)
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
        generated, backend = self._code(entry, forced)
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
            if name in interface.inputs
        }
        for name in interface.arguments[entry]:
            if name not in buffers:
                buffers[name] = np.empty((states, interface.sizes[name]))
        if not backend.run(entry, buffers):
            raise NumericsError(
                f"{entry} of {self.model.name}: the result is not finite; the configuration is "
                "singular, or the numbers overflow"
                + (REDUNDANT if self.algorithm == "overall" and self.conditions else "")
            )
        return {
            name: buffers[name].reshape(*batch, interface.sizes[name])
            for name in interface.results[entry]
        }

    def _code(self, entry: str, forced: bool) -> tuple[Generated, Backend]:
        if entry == DERIVATIVES:
            return self._derived
        return self._forced if forced else (self.generated, self.backend)

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
            values[name] = finite(name, value)
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
