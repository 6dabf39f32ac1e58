"""What callers give to a solver, checked and brought into the arrays of generated code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ...errors import ModelError, UsageError
from ...model import Model
from .arrays import Floats, as_the_code_takes, finite, real_numbers

#: How far a quaternion's norm may be from 1: single precision, not a wrong number.
UNIT_SLACK = 1e-6

#: Within this of 1 it is 1 but for rounding, as in `entry.c`; others are brought to unit length.
ROUNDED = 1e-14

#: Algorithms whose digits depend on how long levers are.
DIVIDING = ("dca", "hdca")

#: Sets of run-time parameters that are remembered as checked.
CHECKED_SETS = 64


class Arguments:
    """The arguments that code of a model takes; `parameters` names those that it has at run time.

    `conditions` is the number of conditions of cut and coupled hinges, `algorithm` the code's.
    """

    def __init__(
        self, model: Model, parameters: tuple[str, ...], conditions: int, algorithm: str = ""
    ) -> None:
        self.model, self.algorithm = model, algorithm
        self.names = parameters
        speeds, d = (len(model.speeds),), model.dimension
        self.tails: dict[str, tuple[int, ...]] = {
            "q": (len(model.coordinates),),
            **dict.fromkeys(("v", "a", "jerk", "snap", "p", "tau", "g"), speeds),
            **dict.fromkeys(("c", "sigma", "kept"), (conditions,)),
            "wrenches": (len(model.body_names), 6),
            "t": (),
            **{"target": (16,), "task": (6,), "damping": (1,), "weight": speeds},
            **{"omega2": (1,), "s": (2,)},
            "cut": (len(model.cuts) * 6,),
            "lc": (len(model.cuts) * 3 * (d - 1),),
            **{"which": (len(model.body_names),), "place": (d,), "axes": (d * d,)},
        }
        self._checked: dict[tuple[float, ...], None] = {}

    def state(self, name: str, value: npt.ArrayLike, *, any_length: bool = False) -> Floats:
        """An argument as a checked array of doubles whose last axes fit.

        Quaternions come back with unit length, unless they may have `any_length`.

        Raises
            UsageError: names the argument and what is wrong with its shape or its numbers.
        """
        tail = self.tails[name]
        array = as_the_code_takes(real_numbers(name, value))
        if array.shape[array.ndim - len(tail) :] != tail:
            wanted = ", ".join(map(str, tail))
            raise UsageError(f"{name} has the shape {array.shape} instead of (…, {wanted})")
        if not np.isfinite(array).all():
            where = np.argwhere(~np.isfinite(array))[0]
            at = where.tolist() or ""
            known = self.model.coordinates if name == "q" else self.model.speeds
            called = f", {known[where[-1]]}," if name in ("q", "v", "tau") else ""
            raise UsageError(f"{name}{at}{called} is {array[tuple(where)]}, no finite number")
        return array if name != "q" or any_length else self._of_unit_length(array)

    def _of_unit_length(self, q: Floats) -> Floats:
        """The coordinates with quaternions of unit length; a new array where one had not.

        Raises
            UsageError: one is farther from it than single precision is.
        """
        found = q
        for first in self.model.quaternions:
            own = q[..., first : first + 4]
            norms = np.linalg.norm(own, axis=-1)
            off = np.abs(norms - 1.0)
            if not (off > ROUNDED).any():
                continue
            wrong = np.argwhere(off > UNIT_SLACK)
            if len(wrong):
                state = wrong[0].tolist()
                names = ", ".join(self.model.coordinates[first : first + 4])
                where = f" of state {state}" if state else ""
                norm = f"{norms[tuple(state)]:.9g}"
                raise UsageError(f"q: the quaternion {names}{where} has norm {norm} instead of 1")
            found = q.copy() if found is q else found
            found[..., first : first + 4] = own / norms[..., np.newaxis]
        return found

    def loads(self, wrenches: npt.ArrayLike | None) -> Floats:
        """External loads (moment, force) as the generated code takes them (force, moment)."""
        if wrenches is None:
            wrenches = np.zeros(self.tails["wrenches"])
        array = self.state("wrenches", wrenches)
        moment, force = array[..., :3], array[..., 3:]
        if self.model.dimension == 2:
            if moment[..., :2].any() or force[..., 2].any():
                raise UsageError("wrenches: a planar model takes m_z, f_x and f_y only")
            array = np.concatenate([force[..., :2], moment[..., 2:]], axis=-1)
        else:
            array = np.concatenate([force, moment], axis=-1)
        return array.reshape(*array.shape[:-2], array.shape[-2] * array.shape[-1])

    def parameters(self, given: Mapping[str, float] | None) -> Floats:
        """The run-time parameters' values in order; the model's where none is given.

        Raises
            UsageError: a name that is no run-time parameter, a value that is no finite number,
                or values with which the model describes no system.
        """
        values = {name: self.model.parameters[name] for name in self.names}
        if given is None:
            return np.array(list(values.values()), dtype=np.float64)
        if not isinstance(given, Mapping):
            raise UsageError(f"parameters = {given!r} is no mapping of names to numbers")
        for name, value in given.items():
            if name not in values:
                known = ", ".join(values) or "none (compile with parameters=…)"
                raise UsageError(f"{name!r} is no run-time parameter; there are: {known}")
            values[name] = finite(name, value)
        inputs = {x.name for x in self.model.inputs}
        self._check_system({name: x for name, x in values.items() if name not in inputs})
        return np.array(list(values.values()), dtype=np.float64)

    def _check_system(self, values: Mapping[str, float]) -> None:
        """The model's own checks at these values, once for each set of them."""
        key = tuple(values.values())
        own = all(self.model.parameters[name] == value for name, value in values.items())
        if own or key in self._checked:
            return
        try:
            changed = replace(self.model, parameters={**self.model.parameters, **values})
            if self.algorithm in DIVIDING:
                from ...symbolic.methods.divide.supported import refuse_values

                refuse_values(self.model, changed, self.algorithm)
        except (ModelError, UsageError) as error:
            given = ", ".join(f"{name} = {value:g}" for name, value in values.items())
            raise UsageError(f"parameters {given}: {error}") from None
        self._checked[key] = None
        while len(self._checked) > CHECKED_SETS:
            self._checked.pop(next(iter(tuple(self._checked))), None)
