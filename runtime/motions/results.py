"""A motion as named arrays with units, and the files that it is saved to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...model import Model
from ...model.expressions.quantities import told
from ...shown import report
from ..closing.start import Start
from ..evaluation.arrays import Floats
from ..extras import require
from ..files import check_folder, made_beside
from .integration import Occurrence
from .measured import followed, measured
from .texts import resuming
from .variables import (
    COMPONENTS,
    MEMBER_UNITS,
    NAMES,
    Members,
    Variable,
    described,
    given_over_time,
)

ArrayName: TypeAlias = Literal[
    "time",
    "q",
    "v",
    "a",
    "loads",
    "energy",
    "constraint_position",
    "constraint_velocity",
    "inputs",
    "p",
]

SUFFIXES = (".csv", ".nc")


#: Outputs that every run has.
TOLD = ("loads", "energy")

A = TypeVar("A", Floats, npt.NDArray[np.bool_], Floats | None, npt.NDArray[np.bool_] | None)


class Outputs(Protocol):
    """What a motion computes when it is read, besides its states; see `Run`."""

    @property
    def loads(self) -> Floats: ...
    @property
    def energy(self) -> Floats: ...
    @property
    def determinate(self) -> npt.NDArray[np.bool_] | None: ...


@dataclass(frozen=True)
class Known:
    """Outputs that are at hand: of a run that was read, or that travels."""

    loads: Floats
    energy: Floats
    determinate: npt.NDArray[np.bool_] | None = None


#: What other names of a solution are here, of those that SciPy's `solve_ivp` gives it.
ELSEWHERE = {
    "t_events": "events, each with its time",
    "y_events": "events, each with its time",
    "sol": "resume(t_end), and simulate with another `record`",
    "success": "nothing: a motion that fails raises an error",
    "status": "nothing: a motion that fails raises an error",
    "message": "nothing: a motion that fails raises an error",
    "nfev": "attrs",
}


@dataclass(frozen=True, eq=False, repr=False)
class Run(Mapping[str, Variable]):
    """A motion: the state, accelerations, loads and energy at the recorded times.

    `loads`, `energy` and `determinate` are found from the recorded states when they are first asked
    for, or written: of a large model that may compile their functions, see `Solver`.

    Where loops are cut, `constraint_position` and `constraint_velocity` are how far the cut
    hinges are open and how fast they open at most. `p` are the joint momenta, where the state has
    them. `inputs` are the model's and the efforts that were given, in the order of `input_names`;
    where one steps, as it is right of the step. `events` lists what came, in order; `passages` the
    singular positions of the loops that the motion went through, where it goes on as smoothly as
    it came; `determinate`, of loops that leave loads open, says which the motion tells, see
    `Solver.determinate`: it is None where it tells all; `start` says what was moved to close
    loops. `resume` goes on from the end.

    `run["loads"]` is a `Variable` (values, dims, units, long_name), `run.loads` its bare array.
    `run["slide"]` is all that there is of the hinge, beam or body of that name, `run["qslide"]`
    one coordinate or speed, `run["7:O"]` the loads at one end, `run["height"]` what a sensor of
    the model measures and `run["height_rate"]` its rate, which are found when they are asked for.
    `data` is the whole run as an `xarray.Dataset`. `coords` names the members of each axis; `attrs`
    says how the motion was made.

    Shape
        `time` (time), `q` (time, coordinate), `v` and `a` (time, speed),
        `loads` (time, end, component), `determinate` (the same, bool) or None, `energy` (time),
        `constraint_…` (time) or None, `p` (time, speed) or None, `inputs` (time, input) or None.
    Units
        s; of each coordinate and speed by its kind, `run["q"].member_units`: rad, m, 1 of
        quaternions; N m and N; J; N m s, N s.
    Frame
        As in `Solver`; the loads in the inertial frame.
    Sign
        The loads as in `Solver.joint_loads`.
    """

    time: Floats
    q: Floats
    v: Floats
    a: Floats
    outputs: Outputs
    model: Model
    ends: tuple[str, ...]
    attrs: Mapping[str, str | float]
    conditions: tuple[str, ...] = ()
    constraint_position: Floats | None = None
    constraint_velocity: Floats | None = None
    p: Floats | None = None
    inputs: Floats | None = None
    input_names: tuple[str, ...] = ()
    input_units: tuple[str, ...] = ()
    events: tuple[Occurrence, ...] = ()
    passages: tuple[Occurrence, ...] = ()
    start: Start | None = None
    going_on: Callable[[float, Callable[[float], None] | None], Run] | None = None

    # As a mapping a run would be compared by its arrays, element by element.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __post_init__(self) -> None:
        for name in NAMES:
            if name in vars(self):
                _sealed(getattr(self, name))

    @property
    def loads(self) -> Floats:
        """Moments and forces at the ends; shape and signs as the class says.

        Raises
            NumericsError: they are not finite.
        """
        return _sealed(self.outputs.loads)

    @property
    def energy(self) -> Floats:
        """Kinetic plus potential energy.

        Units
            J.
        Raises
            NumericsError: it is not finite.
        """
        return _sealed(self.outputs.energy)

    @property
    def determinate(self) -> npt.NDArray[np.bool_] | None:
        """Which loads the motion tells; None where it tells all."""
        return _sealed(self.outputs.determinate)

    @property
    def t(self) -> Floats:
        """`time`, by the name that SciPy's `solve_ivp` gives it."""
        return self.time

    @property
    def y(self) -> Floats:
        """Coordinates and speeds, a row each, as SciPy's `solve_ivp` gives the state.

        Shape
            (nq + nv, time).
        """
        return np.hstack([self.q, self.v]).T

    def __getattr__(self, name: str) -> Any:
        # While a run is copied it has no model yet.
        if name.startswith("_") or "model" not in vars(self):
            raise AttributeError(name)
        if name in ELSEWHERE:
            said = f"it has in its place {ELSEWHERE[name]}"
        elif name in (*self.coordinates, *self.speeds, *(x for x, _, _ in self.model.owners)):
            said = f"it is run[{name!r}]"
        else:
            said = f"its arrays are {', '.join(self)}, and run[…] takes names of the model"
        raise AttributeError(f"a run has no {name!r}; {said}")

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of `q`."""
        return self.model.coordinates

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the speeds, in the order of `v`."""
        return self.model.speeds

    @property
    def coords(self) -> dict[str, tuple[str, ...]]:
        """The names along each axis but time."""
        return {
            "coordinate": self.coordinates,
            "speed": self.speeds,
            "end": self.ends,
            "component": COMPONENTS,
            **({"input": self.input_names} if self.input_names else {}),
        }

    @overload
    def __getitem__(self, name: ArrayName) -> Variable: ...
    @overload
    def __getitem__(self, name: str) -> Any: ...
    def __getitem__(self, name: str) -> Any:
        found: Any = self._array(name)
        if found is not None:
            return found
        members = Members(self.model, self.ends)
        found = followed(self.model, self.attrs, name, self.ends, self._array)
        found = found or members.part(name, self._array) or members.single(name, self._array)
        if found is None and name in self.input_names:
            found = self["inputs"].member(self.input_names.index(name))
        if found is None:
            found = measured(self.model, self.attrs, name, self.time, self.q, self.v)
        if found is None:
            raise members.unknown(name, tuple(self))
        return found

    def _array(self, name: str) -> Variable | None:
        """An array by its name, if the run has it."""
        values = getattr(self, name) if name in NAMES else None
        if name == "inputs" and values is not None:
            return given_over_time(values, self.input_names, self.input_units)
        return None if values is None else described(self.model, self.conditions, name, values)

    def __iter__(self) -> Iterator[str]:
        return (x for x in NAMES if x in TOLD or getattr(self, x) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        times, many = told(len(self.time), "time"), told(len(self.coordinates), "coordinate")
        span = f"{self.time[0]:g} to {self.time[-1]:g} s"
        return f"<Run of {self.attrs['model']}: {span}, {times}, {many}>"

    def _repr_html_(self) -> str:
        return str(report("notebook").run(self))

    def __getstate__(self) -> dict[str, Any]:
        """What is copied and pickled: all but what only this process can go on with."""
        kept = self.going_on if getattr(self.going_on, "travels", False) else None
        own = {name: x for name, x in self.__dict__.items() if name != "data"}
        known = Known(self.loads, self.energy, self.determinate)
        return {**own, "outputs": known, "going_on": kept}

    def resume(self, t_end: float, *, progress: Callable[[float], None] | None = None) -> Run:
        """The motion from the end of this run to a later time, made in the same way.

        The first record is the last of this run. Fixed steps continue bit for bit, if this run
        ends with a whole one; a method of the generated code that chooses its steps goes on with
        the step that it would have taken; those of SciPy begin anew. After a terminal event the
        motion goes on past it.

        Units
            s.
        Raises
            UsageError: t_end is not later, or the run was copied or read, and its inputs or events
                are functions, which only the process that made it has.
            NumericsError: as `Solver.simulate`.

        Source
            own
        """
        if self.going_on is None:
            raise UsageError(
                "this run has no solver to go on with: functions do not travel with a copy; "
                "solver.simulate(q0, v0, t_start=…) starts from any state and time"
            )
        return self.going_on(t_end, progress)

    @property
    def energy_drift(self) -> float:
        """The largest change of the energy from its first value, in J."""
        return float(np.abs(self.energy - self.energy[0]).max())

    @cached_property
    def data(self) -> Any:
        """The run as an `xarray.Dataset`, with units as attributes and beside the axes.

        `data["q"].sel(coordinate="qslide")` is one coordinate; `coordinate_units`, `speed_units`,
        `acceleration_units`, `component_units` stand beside the names.

        Raises
            ToolchainError: xarray is missing (extra `data`); `run["q"]` works without.

        Source
            own
        """
        xarray = require("xarray", extra="data", purpose="run.data")
        arrays = dict(self.items())
        coords: dict[str, Any] = {"time": ("time", arrays["time"].values, arrays["time"].attrs)}
        coords |= {axis: list(names) for axis, names in self.coords.items()}
        for name, said in MEMBER_UNITS.items():
            if name in arrays:
                coords[said] = (arrays[name].dims[-1], list(arrays[name].member_units))
        variables = {
            name: (x.dims, x.values, x.attrs) for name, x in arrays.items() if name != "time"
        }
        return xarray.Dataset(variables, coords=coords, attrs=dict(self.attrs))

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Curves over time, a panel for each unit: all coordinates, or those named.

        A name is an array's (`"v"`), a coordinate's, a speed's, an end's, or that of a hinge, beam
        or body, whose coordinates it means. `ax` are matplotlib's axes, as many as there are units.

        Returns
            The axes, in a list if there are several.
        Raises
            UsageError: a name that the run lacks, or another number of axes.
            ToolchainError: matplotlib is missing (extra `plot`).

        Source
            own
        """
        return report("runplots").plot(self, names, ax)

    def plot_energy(self, *, ax: Any = None) -> Any:
        """The energy over time; the axes.

        Raises
            ToolchainError: matplotlib is missing (extra `plot`).

        Source
            own
        """
        return report("runplots").plot_energy(self, ax)

    def plot_loads(self, *names: str, ax: Any = None) -> Any:
        """Forces and moments over time: at one end or hinge their components, else their sizes.

        Returns
            The axes, in a list if there are two: forces, then moments.
        Raises
            UsageError: a name that is no end and no hinge, or another number of axes.
            ToolchainError: matplotlib is missing (extra `plot`).

        Source
            own
        """
        return report("runplots").plot_loads(self, names, ax)

    def plot_constraints(self, *, ax: Any = None) -> Any:
        """How far cut hinges are open at most, and how fast they open; the two axes.

        Raises
            UsageError: the model has no closed loops.
            ToolchainError: matplotlib is missing (extra `plot`).

        Source
            own
        """
        return report("runplots").plot_constraints(self, ax)

    def animate(self) -> Any:
        """A film of the motion, which a notebook plays; `.save("film.html")` writes it.

        The page needs no network: play, pause, scrub, speed, the trace of a point, and in space a
        drag that turns the view. `.save("film.mp4")` (or .webm, .gif) makes a video with ffmpeg.

        Source
            own
        """
        return report("animation").animate(self)

    def save(self, path: str | Path) -> None:
        """Write the run to a `.csv` or `.nc` (netCDF) file, whole or not at all.

        `mstmm.load_run` reads a `.nc` back, with its model, so that it can go on. The columns of a
        `.csv` are time, coordinates, speeds, accelerations (`omega1_dot`),
        loads (`1:O.q_x`) and energy, in SI units; its numbers are exact.

        Raises
            UsageError: another suffix, or a folder that cannot be written.
            ToolchainError: `.nc` needs xarray, h5netcdf and h5py (extra `data`).

        Source
            own
        """
        path = Path(path)
        check_path(path)
        with made_beside(path.parent) as scratch:
            if path.suffix == ".csv":
                self._write_csv(scratch / path.name)
            else:
                texts = resuming(self.model, self.conditions, self.going_on)
                whole = self.data.assign_attrs(texts)
                whole.to_netcdf(scratch / path.name, engine="h5netcdf")

    def _columns(self) -> list[str]:
        return [
            "time",
            *self.coordinates,
            *self.speeds,
            *(f"{speed}_dot" for speed in self.speeds),
            *self._load_columns(),
            *(f"{x}.determinate" for x in self._load_columns() if self.determinate is not None),
            "energy",
            *(name for name in self if name.startswith("constraint")),
            *(f"p_{speed}" for speed in self.speeds if self.p is not None),
            *(f"input_{name}" for name in self.input_names),
        ]

    def _load_columns(self) -> list[str]:
        return [f"{end}.{component}" for end in self.ends for component in COMPONENTS]

    def _write_csv(self, path: Path) -> None:
        rows = zip(*(getattr(self, name) for name in self), strict=True)
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write(",".join(self._columns()) + "\n")
            for row in rows:
                numbers = np.concatenate([np.ravel(part) for part in row]).tolist()
                file.write(",".join(map(repr, numbers)) + "\n")


def _sealed(array: A) -> A:
    """The array, if there is one, which cannot be written any more."""
    if array is not None:
        array.flags.writeable = False
    return array


def check_path(path: Path) -> None:
    """See that a run could be saved there, before it is computed.

    Raises
        UsageError: another suffix than .csv and .nc, or a folder that cannot be written.
        ToolchainError: `.nc` needs xarray, h5netcdf and h5py (extra `data`).

    Source
        own
    """
    if path.suffix not in SUFFIXES:
        raise UsageError(f"{path}: a run is saved as {' or '.join(SUFFIXES)}, not {path.suffix!r}")
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder; name a file")
    check_folder(path.parent)
    if path.suffix == ".nc":
        for module in ("xarray", "h5netcdf", "h5py"):
            require(module, extra="data", purpose="a .nc file")
