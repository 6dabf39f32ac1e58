"""Arrays of a run with names and units, whole or of one hinge, beam or body."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ...errors import MissingNameError
from ...model import Model
from ...model.parts.measured import CoordinateUnit, SpeedUnit
from ...model.parts.naming import nearest
from ...shown import Shown
from ..capabilities.offered import Offered, offered_by
from ..capabilities.poses import Poses
from ..evaluation.arrays import Floats

#: The entries of a load, in order: the moment, then the force.
COMPONENTS = ("m_x", "m_y", "m_z", "q_x", "q_y", "q_z")
LOAD_UNITS = ("N m",) * 3 + ("N",) * 3

_ENERGY = offered_by(Poses)["energy"]


@dataclass(frozen=True, eq=False)
class Variable(Shown):
    """A read-only array with named axes, a unit and a long name.

    Where the members of the last axis differ in their units, `units` is empty and `member_units`
    has one for each. Units are written as UDUNITS and Pint read them; `1` is a pure number.
    """

    dims: tuple[str, ...]
    values: Floats
    units: str
    long_name: str
    member_units: tuple[str, ...] = ()

    def member(self, k: int) -> Variable:
        """One member of the last axis."""
        units = self.member_units[k] if self.member_units else self.units
        return Variable(self.dims[:-1], self.values[..., k], units, self.long_name)

    @property
    def attrs(self) -> dict[str, str]:
        """Units, if they are one, and long name, under the names that netCDF uses."""
        units = {"units": self.units} if self.units else {}
        return {**units, "long_name": self.long_name}

    def __repr__(self) -> str:
        sizes = zip(self.dims, self.values.shape, strict=True)
        shape = ", ".join(f"{name}: {size}" for name, size in sizes)
        units = self.units or ", ".join(dict.fromkeys(self.member_units))
        return f"<{self.long_name} ({shape}) in {units}>"


@dataclass(frozen=True, eq=False, repr=False)
class Part(Shown, Mapping[str, Variable]):
    """What a run has of one hinge, beam or body: `q`, `v`, `a`, `p`, `loads`, as far as it has it.

    `part.q` is the bare array, `part["q"]` the same with axes and units. `loads` are those at the
    hinge's reported end, `end`.

    Shape
        `q` (time, coordinate), `v`, `a`, `p` (time, speed), `loads` (time, component).
    """

    name: str
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    end: str
    variables: Mapping[str, Variable]

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __getitem__(self, name: str) -> Variable:
        if name not in self.variables:
            raise MissingNameError(self._lacks(name))
        return self.variables[name]

    def __getattr__(self, name: str) -> Floats:
        # While an object is copied it has no variables yet.
        if name == "variables" or name.startswith("_"):
            raise AttributeError(name)
        if name not in self.variables:
            raise AttributeError(self._lacks(name))
        return self.variables[name].values

    def _lacks(self, name: str) -> str:
        has = ", ".join(self.variables) or "nothing"
        return f"{self.name} has no {name!r} in this run; it has: {has}"

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.variables})

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __repr__(self) -> str:
        lines = [f"  {name}: {variable!r}" for name, variable in self.variables.items()]
        return "\n".join([f"<{self.name} in a run:", *lines]) + ">"


def described(model: Model, conditions: Sequence[str], name: str, values: Floats) -> Variable:
    """An array of a run by its name there, with its axes and units."""
    if name in ("constraint_position", "constraint_velocity"):
        return _opening(model, conditions, name, values)
    dims, units, said = _VARIABLES[name]
    members = units(model) if callable(units) else (units,)
    one = members[0] if len(set(members)) == 1 else ""
    return Variable(dims, values, one, said, members if callable(units) else ())


def given_over_time(values: Floats, names: Sequence[str], units: Sequence[str]) -> Variable:
    """The inputs of a run; one that says no unit has none."""
    one = units[0] if len(set(units)) == 1 else ""
    return Variable(("time", "input"), values, one, "inputs", tuple(units))


def hinge_ends(model: Model) -> dict[str, str]:
    """The reported end of each hinge, as `ends` names it."""
    from ...symbolic.plans.plan import plan

    return {name: str(ends[0]) for name, ends in plan(model).outputs.items()}


Entries: TypeAlias = Sequence[CoordinateUnit | SpeedUnit]

#: The arrays of a run by their names, found when they are asked for; None is none.
Arrays: TypeAlias = Callable[[str], Variable | None]


class Members:
    """Where in the arrays of a run the members of each name are."""

    def __init__(self, model: Model, ends: Sequence[str]) -> None:
        self.coordinates = model.coordinate_units
        self.speeds = model.speed_units
        self.ends = {end: k for k, end in enumerate(ends)}
        self.end_of = {} if not ends else hinge_ends(model)
        hinges = [hinge.name for hinge in model.hinges]
        self.sensed = [name for x in model.sensors for name in (x.name, x.rate)]
        self.owners = dict.fromkeys([*(entry.owner for entry in self.coordinates), *hinges])

    def single(self, name: str, array: Arrays) -> Variable | None:
        """A coordinate or speed, or the load at an end; nothing if it is none."""
        state: tuple[tuple[str, Entries], ...] = (("q", self.coordinates), ("v", self.speeds))
        for key, entries in state:
            for k, entry in enumerate(entries):
                whole = array(key) if entry.name == name else None
                if whole is not None:
                    return Variable(
                        whole.dims[:-1], whole.values[..., k], entry.unit, entry.meaning
                    )
        return self._load(name, array)

    def part(self, name: str, array: Arrays) -> Part | None:
        """What there is of a hinge, beam or body; nothing if it is none of the model's."""
        if name not in self.owners:
            return None
        found: dict[str, Variable] = {}
        for key in ("q", "v", "a", "p"):
            entries: Entries = self.coordinates if key == "q" else self.speeds
            at = [k for k, entry in enumerate(entries) if entry.owner == name]
            whole = array(key) if at else None
            if whole is not None:
                found[key] = _picked(whole, at)
        end = self.end_of.get(name, "")
        load = self._load(end, array)
        if load is not None:
            found["loads"] = load
        coordinates = tuple(x.name for x in self.coordinates if x.owner == name)
        speeds = tuple(x.name for x in self.speeds if x.owner == name)
        return Part(name, coordinates, speeds, end, found)

    def _load(self, end: str, array: Arrays) -> Variable | None:
        loads = array("loads") if end in self.ends else None
        if loads is None:
            return None
        values = loads.values[..., self.ends[end], :]
        said = f"moment and force at {end}"
        return Variable((*loads.dims[:-2], "component"), values, "", said, LOAD_UNITS)

    def unknown(self, name: object, variables: Sequence[str]) -> MissingNameError:
        """The error where nothing has this name, with one that is near."""
        entries: Entries = (*self.coordinates, *self.speeds)
        known = [*variables, *self.owners, *(entry.name for entry in entries), *self.ends]
        known += self.sensed
        near = nearest(name, known) if isinstance(name, str) else ""
        owners = ", ".join(map(repr, list(self.owners)[:4]))
        return MissingNameError(
            f"a run has no {name!r}{near}; it has: {', '.join(variables)}; "
            f"of the model: {owners}{', …' if len(self.owners) > 4 else ''}, and each coordinate, "
            f"speed and end by its name{'; ' * bool(self.sensed)}{', '.join(self.sensed)}"
        )


def _picked(variable: Variable, at: Sequence[int]) -> Variable:
    members = tuple(variable.member_units[k] for k in at)
    one = members[0] if len(set(members)) == 1 else ""
    values = variable.values[..., np.array(at)]
    values.flags.writeable = False
    return Variable(variable.dims, values, one, variable.long_name, members)


def _opening(model: Model, conditions: Sequence[str], name: str, values: Floats) -> Variable:
    """How far cuts are open: metres, or pure numbers of directions; both where it is the larger."""
    units = dict.fromkeys(model.condition_units.get(name, "1") for name in conditions)
    said = "largest opening of a cut hinge"
    if name.endswith("velocity"):
        units = dict.fromkeys("1/s" if unit == "1" else f"{unit}/s" for unit in units)
        said = "largest rate of opening of a cut hinge"
    one = next(iter(units)) if len(units) == 1 else ""
    mixed = "" if one else f", the number in {' or '.join(units)}"
    return Variable(("time",), values, one, said + mixed)


def _coordinate_units(model: Model) -> tuple[str, ...]:
    return tuple(entry.unit for entry in model.coordinate_units)


def _speed_units(of: str) -> Callable[[Model], tuple[str, ...]]:
    return lambda model: tuple(getattr(entry, of) for entry in model.speed_units)


def _long_name(result: Offered[..., Any]) -> str:
    """What its title says first."""
    title = result.page["title"].partition(";")[0].rstrip(".")
    return title[0].lower() + title[1:]


_VARIABLES: dict[str, tuple[tuple[str, ...], str | Callable[[Model], tuple[str, ...]], str]] = {
    "time": (("time",), "s", "time"),
    "q": (("time", "coordinate"), _coordinate_units, "coordinates"),
    "v": (("time", "speed"), _speed_units("unit"), "speeds"),
    "a": (("time", "speed"), _speed_units("acceleration"), "accelerations"),
    "loads": (
        ("time", "end", "component"),
        lambda _: LOAD_UNITS,
        "moment and force at the hinge of each output end",
    ),
    "determinate": (
        ("time", "end", "component"),
        "",
        "1 where the motion tells the load, 0 where loops leave a choice",
    ),
    "energy": (("time",), _ENERGY.page["units"].rstrip("."), _long_name(_ENERGY)),
    "constraint_position": (("time",), "", ""),
    "constraint_velocity": (("time",), "", ""),
    "p": (("time", "speed"), _speed_units("momentum"), "joint momenta"),
    "inputs": (("time", "input"), "", "inputs"),
}

#: The names of a run's arrays, in the order in which it lists them.
NAMES = tuple(_VARIABLES)

#: What the units of the members of an array's last axis are called in a dataset.
MEMBER_UNITS = {
    "q": "coordinate_units",
    "v": "speed_units",
    "a": "acceleration_units",
    "p": "momentum_units",
    "loads": "component_units",
    "inputs": "input_units",
}
