"""The variables of an FMU: names, causality, units, and what each is in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

import sympy as sp

from ...codegen.generate import Generated
from ...model.parts.limits import FREE
from ...model.parts.measured import CoordinateUnit, SpeedUnit
from ...model.parts.units import coordinate_units, speed_units
from ...runtime.capabilities.offered import offered_by
from ...runtime.capabilities.poses import Poses

#: Powers of kg, m, s and rad of what units are made of.
_BASES: dict[str, dict[str, int]] = {
    "kg": {"kg": 1},
    "m": {"m": 1},
    "s": {"s": 1},
    "rad": {"rad": 1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Hz": {"s": -1},
    "A": {"A": 1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "1": {},
}
_FACTOR = re.compile(r"([A-Za-z]+|1)(?:\^?(-?\d+))?")


@dataclass(frozen=True)
class Variable:
    """A variable of the model description; `derivative`: whose rate it is, by reference."""

    name: str
    reference: int
    causality: str
    variability: str = "continuous"
    initial: str = ""
    start: str = ""
    derivative: int = 0
    unit: str = ""
    description: str = ""
    indicator: bool = False
    limits: tuple[float, float] = FREE

    @property
    def least(self) -> str:
        return repr(self.limits[0]) if isfinite(self.limits[0]) else ""

    @property
    def largest(self) -> str:
        return repr(self.limits[1]) if isfinite(self.limits[1]) else ""


def variables(made: Generated, with_energy: bool, switches: list[sp.Expr]) -> Iterator[Variable]:
    """All but the time, in the order of the instance's values; references count from 1."""
    for reference, entry in enumerate(_listed(made, with_energy, switches), start=1):
        yield Variable(entry.pop("name"), reference, entry.pop("causality"), **entry)


def _listed(
    made: Generated, with_energy: bool, switches: list[sp.Expr]
) -> Iterator[dict[str, Any]]:
    interface, model = made.sources.interface, made.model
    places, speeds = coordinate_units(model), speed_units(model)
    states: list[CoordinateUnit | SpeedUnit] = [*places, *speeds]
    for each, start in zip(states, (*model.q0, *model.v0), strict=True):
        yield {
            "name": each.name,
            "causality": "output",
            "initial": "exact",
            "start": repr(float(start)),
            "unit": each.unit,
            "description": each.meaning,
        }
    rates = [*(_per_second(x.unit) for x in places), *(x.acceleration for x in speeds)]
    for k, (each, unit) in enumerate(zip(states, rates, strict=True), start=1):
        yield {
            "name": f"der({each.name})",
            "causality": "local",
            "initial": "calculated",
            "derivative": k,
            "unit": unit,
        }
    for along in speeds:
        yield {
            "name": f"tau_{along.name}",
            "causality": "input",
            "start": "0.0",
            "unit": along.force,
            "description": f"force along {along.name}",
        }
    inputs = {each.name: each for each in model.inputs}
    for name, value in zip(interface.parameters, interface.defaults, strict=True):
        found = {"name": name, "start": repr(value)}
        if name in inputs:
            limits = inputs[name].limits
            yield {**found, "causality": "input", "unit": inputs[name].unit, "limits": limits}
        else:
            more = {"variability": "tunable", "initial": "exact"}
            yield {**found, "causality": "parameter", **more}
    local = {"causality": "local", "initial": "calculated"}
    if with_energy:
        unit = offered_by(Poses)["energy"].page["units"].rstrip(".")
        yield {"name": "energy", **local, "unit": unit, "description": "kinetic plus potential"}
    for k, function in enumerate(switches, start=1):
        said = f"a law steps or has a corner where this is zero: {function}"
        yield {"name": f"switch_{k}", **local, "description": said, "indicator": True}


def _per_second(unit: str) -> str:
    return "1/s" if unit == "1" else f"{unit}/s"


def units(listed: Iterable[Variable]) -> list[tuple[str, list[tuple[str, int]] | None]]:
    """Each unit that variables have, with its powers of the base units; none if it is unknown."""
    return [(unit, base_units(unit)) for unit in sorted({"s", *(x.unit for x in listed)} - {""})]


def base_units(unit: str) -> list[tuple[str, int]] | None:
    """The powers of SI units that a unit such as `kg m2`, `N m s/rad` or `m/s^2` has."""
    powers: Counter[str] = Counter()
    for k, part in enumerate(unit.replace("*", " ").split("/")):
        for factor in part.split():
            found = _FACTOR.fullmatch(factor)
            if not found or found[1] not in _BASES:
                return None
            for name, power in _BASES[found[1]].items():
                powers[name] += (-1 if k else 1) * power * int(found[2] or 1)
    return [(name, power) for name, power in powers.items() if power]
