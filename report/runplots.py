"""Plots of a run over time: coordinates, energy, loads, and how well loops stay closed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..runtime.extras import require
from ..runtime.motions.batches import Runs
from ..runtime.motions.results import Run
from ..runtime.motions.variables import COMPONENTS, LOAD_UNITS, Part, Variable
from .plot import COLOURS, STYLES, prefixed

Floats = npt.NDArray[np.float64]

#: Curves that a legend still tells apart.
MOST_NAMED = 16

#: Runs whose curves are still drawn each; of more there are bands between these quantiles.
FEW = 12
BANDS = ((0.05, 0.95), (0.25, 0.75))
BANDS_SAID = ": median, 50 % and 90 % of them"

#: Loads below this part of the largest are rounding, as the moment in a smooth pin.
NOTHING = 1e-12

#: What is measured in each unit.
_QUANTITIES: Mapping[str, str] = {
    "rad": "angle",
    "m": "displacement",
    "1": "quaternion",
    "rad/s": "angular velocity",
    "m/s": "velocity",
    "rad/s^2": "angular acceleration",
    "m/s^2": "acceleration",
    "J": "energy",
    "N": "force",
    "N m": "moment",
    "N s": "momentum",
    "N m s": "angular momentum",
}


@dataclass(frozen=True)
class Curve:
    """One line of a plot."""

    label: str
    values: Floats
    unit: str


def plot(run: Run, names: Sequence[str], ax: Any) -> Any:
    """Curves of these names over time, a panel for each unit; see `Run.plot`.

    Raises
        UsageError: a name that the run lacks, or axes that are not as many as the units.
    """
    curves = [curve for name in names or ("q",) for curve in _curves(run, name)]
    return _panels(run, curves, ax)


def plot_all(runs: Runs, names: Sequence[str], ax: Any) -> Any:
    """Curves of these names of all runs, of many runs bands; see `Runs.plot`.

    Raises
        UsageError: a name that the runs lack, or axes that are not as many as the units.
    """
    every = [run for run in runs.runs if run is not None]
    found = [(run, curve) for run in every for n in names or ("q",) for curve in _curves(run, n)]
    units = list(dict.fromkeys(curve.unit for _, curve in found))
    panels = axes_for(ax, len(units), units)
    many = len(every) > FEW
    for axes, unit in zip(panels, units, strict=True):
        own = [(run, curve) for run, curve in found if curve.unit == unit]
        if many:
            draw_bands(axes, runs.times, _together(own, runs.times), unit)
        else:
            _draw_thin(axes, own)
        axes.set_xlim(runs.times[0], runs.times[-1])
    said = f"{len(every)} runs{BANDS_SAID if many else ''}"
    panels[0].set_title(f"{_title(every[0])}, {said}", fontsize="medium")
    panels[-1].set_xlabel("time (s)")
    return panels[0] if len(panels) == 1 else panels


def _together(curves: Sequence[tuple[Run, Curve]], times: Floats) -> dict[str, Floats]:
    """Curves of one name as rows, no numbers after the end of a run."""
    found: dict[str, list[Floats]] = {}
    for run, curve in curves:
        row = np.full(len(times), np.nan)
        there = int(np.searchsorted(times, run.time[-1], side="right"))
        row[:there] = curve.values[:there]
        found.setdefault(curve.label, []).append(row)
    return {label: np.array(rows) for label, rows in found.items()}


def draw_bands(axes: Any, times: Floats, curves: Mapping[str, Floats], unit: str) -> None:
    """The median of each name's curves, and bands in which most of them are."""
    for k, (label, values) in enumerate(curves.items()):
        at = np.isfinite(values).any(axis=0)
        levels = (*(level for band in BANDS for level in band), 0.5)
        quantiles = np.nanquantile(values[:, at], levels, axis=0)
        style = _style(k)
        for low, high in zip(quantiles[0:-1:2], quantiles[1:-1:2], strict=True):
            axes.fill_between(times[at], low, high, color=style["color"], alpha=0.18, lw=0)
        axes.plot(times[at], quantiles[-1], label=label, lw=1.4, **style)
    _dress(axes, unit, list(curves))


def _draw_thin(axes: Any, curves: Sequence[tuple[Run, Curve]]) -> None:
    """Curves of several runs, of which those of one name look alike and are named once."""
    labels = list(dict.fromkeys(curve.label for _, curve in curves))
    named: set[str] = set()
    for run, curve in curves:
        label = "_nolegend_" if curve.label in named else curve.label
        style = _style(labels.index(curve.label))
        axes.plot(run.time, curve.values, label=label, lw=0.6, alpha=0.6, **style)
        named.add(curve.label)
    _dress(axes, curves[0][1].unit, labels)


def plot_energy(run: Run, ax: Any) -> Any:
    """The energy over time."""
    (axes,) = axes_for(ax, 1)
    _draw(run, axes, [Curve("energy", run.energy, "J")], title=True)
    axes.set_xlabel("time (s)")
    return axes


def plot_loads(run: Run, names: Sequence[str], ax: Any) -> Any:
    """Forces and moments at ends over time: of one its components, of several their sizes.

    Raises
        UsageError: a name that is neither an end nor a hinge that reports its load.
    """
    ends = [_end(run, name) for name in names] or list(run.ends)
    found: list[Curve] = []
    for first, what in ((3, "force"), (0, "moment")):
        unit = LOAD_UNITS[first]
        for end in ends:
            values = run.loads[:, run.ends.index(end), first : first + 3]
            if len(ends) == 1:
                parts = zip(COMPONENTS[first : first + 3], values.T, strict=True)
                found += [Curve(f"{end} {name}", x, unit) for name, x in parts if _acts(run, x)]
            elif _acts(run, values):
                found.append(Curve(f"{what} at {end}", np.linalg.norm(values, axis=1), unit))
    if not found:
        found = [Curve(f"force at {ends[0]}", np.zeros_like(run.time), "N")]
    return _panels(run, found, ax)


def plot_constraints(run: Run, ax: Any) -> Any:
    """How far cut hinges are open at most, and how fast they open, in powers of ten.

    Raises
        UsageError: the model has no loops.
    """
    names = [name for name in ("constraint_position", "constraint_velocity") if name in tuple(run)]
    if not names:
        raise UsageError(f"{run.model.name} has no closed loops, so that none can open")
    panels = axes_for(ax, len(names))
    for k, (axes, name) in enumerate(zip(panels, names, strict=True)):
        variable = run[name]
        values = np.where(variable.values > 0.0, variable.values, np.nan)
        said = f" ({variable.units})" if variable.units else ""
        axes.semilogy(run.time, values, color=COLOURS[k], lw=1.4)
        axes.set_ylabel(f"{'opening' if k == 0 else 'rate of opening'}{_power(said)}")
        if not variable.units:
            axes.set_ylabel(axes.get_ylabel() + " in SI units")
        axes.grid(alpha=0.3)
    panels[0].set_title(_title(run), fontsize="medium")
    panels[-1].set_xlabel("time (s)")
    return panels[0] if len(panels) == 1 else panels


def _curves(run: Run, name: str) -> Iterator[Curve]:
    """The curves of an array, of a hinge, beam or body, of a coordinate, speed or end."""
    try:
        found = run[name]
    except KeyError as error:
        raise UsageError(str(error.args[0])) from None
    if isinstance(found, Part):
        yield from _members(found["q"], found.coordinates) if "q" in found else _load(run, name)
    elif found.dims == ("time",):
        yield Curve(name, found.values, found.units or "1")
    elif found.dims == ("time", "component"):
        yield from _load(run, name)
    elif found.dims == ("time", "coordinate"):
        yield from _members(found, run.coordinates)
    elif found.dims == ("time", "input"):
        yield from _members(found, run.input_names)
    elif found.dims == ("time", "speed"):
        yield from _members(found, [f"{x}{'̇' if name == 'a' else ''}" for x in run.speeds])
    else:
        raise UsageError(f"{name} is drawn by run.plot_loads()")


def _members(variable: Variable, names: Sequence[str]) -> Iterator[Curve]:
    for k, (name, unit) in enumerate(zip(names, variable.member_units, strict=True)):
        yield Curve(name, variable.values[:, k], unit)


def _load(run: Run, name: str) -> Iterator[Curve]:
    end = _end(run, name)
    values = run.loads[:, run.ends.index(end)]
    for component, unit, x in zip(COMPONENTS, LOAD_UNITS, values.T, strict=True):
        if _acts(run, x):
            yield Curve(f"{end} {component}", x, unit)


def _acts(run: Run, values: Floats) -> bool:
    """Is a load more than what rounding leaves of the loads?"""
    return bool(np.abs(values).max() > NOTHING * np.abs(run.loads).max())


def _end(run: Run, name: str) -> str:
    """The end of this name, or that of the hinge of this name."""
    try:
        end = name if name in run.ends else run[name].end
    except (KeyError, AttributeError):
        end = ""
    if end not in run.ends:
        raise UsageError(f"{name!r} is no end and no hinge; the ends: {', '.join(run.ends)}")
    return str(end)


def _panels(run: Run, curves: Sequence[Curve], ax: Any) -> Any:
    """A panel for each unit; the axes, alone if they are one."""
    units = list(dict.fromkeys(curve.unit for curve in curves))
    panels = axes_for(ax, len(units), units)
    for k, (axes, unit) in enumerate(zip(panels, units, strict=True)):
        _draw(run, axes, [curve for curve in curves if curve.unit == unit], title=k == 0)
    panels[-1].set_xlabel("time (s)")
    return panels[0] if len(panels) == 1 else panels


def axes_for(ax: Any, count: int, units: Sequence[str] = ()) -> list[Any]:
    """The axes given, or new ones, one below the other."""
    if ax is None:
        pyplot = require("matplotlib.pyplot", extra="plot", purpose="a plot of a run")
        height = 3.6 if count == 1 else 2.6 * count
        _, made = pyplot.subplots(
            count, 1, sharex=True, squeeze=False, figsize=(7.5, height), layout="constrained"
        )
        return list(made[:, 0])
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(given) != count:
        has = f" ({', '.join(units)})" if units else ""
        raise UsageError(
            f"the curves need {count} axes, one for each unit{has}; ax has {len(given)}: "
            "give as many, or name curves of one unit"
        )
    return given


def _draw(run: Run, axes: Any, curves: Sequence[Curve], *, title: bool) -> None:
    for k, curve in enumerate(curves):
        axes.plot(run.time, curve.values, label=curve.label, lw=1.4, **_style(k))
    if len(run.time) > 1:
        axes.set_xlim(run.time[0], run.time[-1])
    _dress(axes, curves[0].unit, [curve.label for curve in curves])
    if title:
        axes.set_title(_title(run), fontsize="medium")


def _style(k: int) -> dict[str, Any]:
    """Colour and stroke of the curve with this number."""
    return {
        "color": COLOURS[k % len(COLOURS)],
        "linestyle": STYLES[k // len(COLOURS) % len(STYLES)],
    }


def _dress(axes: Any, unit: str, labels: Sequence[str]) -> None:
    """What is measured, a grid, and a legend of the curves that need one."""
    largest = max((abs(x) for x in axes.dataLim.intervaly if np.isfinite(x)), default=0.0)
    shown = prefixed(axes, unit, largest)
    said = "" if unit == "1" else f" ({shown})"
    axes.set_ylabel(_power(f"{_QUANTITIES.get(unit, unit)}{said}"))
    axes.grid(alpha=0.3)
    if 1 < len(labels) <= MOST_NAMED or (len(labels) == 1 and labels[0] != "energy"):
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small")


def _title(run: Run) -> str:
    """What was computed, and how exactly: the method, its step or its tolerances."""
    attrs = run.attrs
    steps = [f"{key} = {attrs[key]:g}" for key in ("rtol", "atol", "max_step") if key in attrs]
    if not steps:
        steps = [f"dt = {attrs['dt']:g} s"]
    return f"{attrs['model']}: {', '.join([str(attrs['method']), *steps])}"


def _power(text: str) -> str:
    return text.replace("^2", "²")
