"""Motions from many starts, or with many values of the parameters, at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import Error as CopyError
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from pickle import PicklingError
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ...errors import MissingNameError, MissingNumberError, NumericsError, UsageError
from ...model.expressions.quantities import told
from ...shown import report
from ..evaluation.arrays import Floats, real_numbers
from ..extras import require
from ..inputs import Laws, Sampled, Within
from .integration import integrate
from .moving import Moving, Stand
from .results import Run
from .schedule import Schedule
from .scipy_methods import SCIPY_METHODS


@dataclass(frozen=True, eq=False, repr=False)
class Runs(Sequence[Run]):
    """The motions of a batch, a `Run` for each sample, in their order.

    `failed` says of each sample that has no motion, by its number, why; asking for its run raises
    that. `times` are those of the records. `given` are the parameters that differ, by name.
    `data` is the whole batch as one `xarray.Dataset` with an axis `sample`.

    Shape
        `times` (time); `given` (sample) each.
    """

    runs: tuple[Run | None, ...]
    failed: Mapping[int, str]
    times: Floats
    given: Mapping[str, Floats]

    @overload
    def __getitem__(self, number: int) -> Run: ...
    @overload
    def __getitem__(self, number: slice) -> list[Run]: ...
    def __getitem__(self, number: int | slice) -> Run | list[Run]:
        if isinstance(number, slice):
            return [self[k] for k in range(len(self))[number]]
        try:
            k = range(len(self))[number]
        except (IndexError, TypeError):
            named: object = number
            if isinstance(named, str):
                raise MissingNameError(self._lacking(named)) from None
            raise MissingNumberError(
                f"there is no run {number}; there are {len(self)}, from 0 to {len(self) - 1}"
            ) from None
        run = self.runs[k]
        if run is None:
            raise NumericsError(f"sample {k}: {self.failed[k]}")
        return run

    def __getattr__(self, name: str) -> Any:
        # While it is copied it has no runs yet.
        if name.startswith("_") or "runs" not in vars(self):
            raise AttributeError(name)
        raise AttributeError(self._lacking(name))

    def _lacking(self, name: str) -> str:
        """Where what a single run has of this name is found."""
        if name in ("t", "time"):
            said = "the times of the records are runs.times"
        elif hasattr(self._first, name):
            said = f"each run has it, runs[0].{name}; runs.data has the arrays of all runs"
        else:
            said = "runs[k] is one run, runs.data has the arrays of all"
        return f"runs have no {name!r}; {said}"

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[Run]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"<{told(len(self), 'run')} of {self._first.attrs['model']}{failed}>"

    def _repr_html_(self) -> str:
        return str(report("notebook").runs(self))

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Curves of all runs over time, a panel for each unit; see `Run.plot`.

        Curves of one name have one colour: up to twelve runs are thin lines, more are shown as
        their median and the bands that hold 50 % and 90 % of them. `ax` are matplotlib's axes,
        as many as there are units.

        Returns
            The axes, in a list if there are several.
        Raises
            UsageError: a name that the runs lack, or another number of axes.
            ToolchainError: matplotlib is missing (extra `plot`).

        Source
            own
        """
        return report("runplots").plot_all(self, names, ax)

    @property
    def _first(self) -> Run:
        return next(run for run in self.runs if run is not None)

    @cached_property
    def data(self) -> Any:
        """All arrays of all runs, with an axis `sample` before `time`.

        What a sample lacks, since it failed or came to a terminal event, is no number; `end_time`
        and `failure` (empty where there is none) stand beside the samples, and so do parameters
        that differ.

        Raises
            ToolchainError: xarray is missing (extra `data`).

        Source
            own
        """
        xarray = require("xarray", extra="data", purpose="runs.data")
        first = self._first
        frame = first.data
        common = {name: x for name, x in frame.coords.items() if "time" not in x.dims}
        coords: dict[str, Any] = {
            **common,
            "time": ("time", self.times, frame["time"].attrs),
            "sample": np.arange(len(self)),
            "end_time": ("sample", [r.time[-1] if r else np.nan for r in self.runs]),
            "failure": ("sample", [self.failed.get(k, "") for k in range(len(self))]),
        }
        coords |= {name: ("sample", values) for name, values in self.given.items()}
        variables = {}
        for name, x in frame.data_vars.items():
            whole = np.full((len(self), len(self.times), *x.shape[1:]), np.nan)
            for k, run in enumerate(self.runs):
                if run is not None:
                    there = int(np.searchsorted(self.times, run.time[-1], side="right"))
                    whole[k, :there] = run[str(name)].values[:there]
            variables[name] = (("sample", *x.dims), whole, x.attrs)
        attrs = {name: x for name, x in first.attrs.items() if name not in self.given}
        return xarray.Dataset(variables, coords=coords, attrs=attrs)


def samples(
    q0: npt.ArrayLike | None, v0: npt.ArrayLike | None, parameters: Mapping[str, Any] | None
) -> int | None:
    """How many motions are asked for; nothing if it is one, by itself.

    Raises
        UsageError: the lengths differ.
    """
    lengths = {
        name: len(np.asarray(value))
        for name, value, single in (
            ("q0", q0, 1),
            ("v0", v0, 1),
            *((f"parameter {name}", value, 0) for name, value in (parameters or {}).items()),
        )
        if value is not None and np.ndim(value) == single + 1
    }
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} for {count}" for name, count in lengths.items())
        raise UsageError(f"the samples of a batch do not fit: {said}")
    count = next(iter(lengths.values()), None)
    if count == 0:
        raise UsageError(f"{next(iter(lengths))} has no sample")
    return count


def varying(parameters: Mapping[str, Any] | None) -> dict[str, Floats]:
    """The parameters that differ from sample to sample, by name.

    Raises
        UsageError: a value is no finite number; names the sample.
    """
    given = (parameters or {}).items()
    found = {name: real_numbers(f"parameter {name}", x) for name, x in given if np.ndim(x) == 1}
    for name, values in found.items():
        for k in np.flatnonzero(~np.isfinite(values))[:1]:
            raise UsageError(f"sample {k}: parameter {name} is {values[k]}, no finite number")
    return found


def row(value: Any, k: int, single: int) -> Any:
    """What a value is for a sample: its row, or itself if it is one for all."""
    return value[k] if value is not None and np.ndim(value) == single + 1 else value


@contextmanager
def of_sample(k: int) -> Iterator[None]:
    """What is refused in here is said to be of this sample.

    Raises
        UsageError: as it was raised, with the sample named.
    """
    try:
        yield
    except UsageError as error:
        raise UsageError(f"sample {k}: {error}") from error


def own_laws(inputs: Laws | None) -> Laws | None:
    """The inputs of one motion of a batch, with a copy of each object that is called.

    What an object remembers is copied with it; a plain function is the same for all. Where nothing
    is copied, they are the inputs themselves.

    Raises
        UsageError: an object cannot be copied.
    """
    if not isinstance(inputs, Mapping):
        return inputs
    known: dict[int, Any] = {}
    own: dict[Any, Any] = {key: _own(key, law, known) for key, law in inputs.items()}
    return own if any(own[key] is not law for key, law in inputs.items()) else inputs


def _own(name: object, law: Any, known: dict[int, Any]) -> Any:
    """The law, copied if it is an object that is called; `known` are the copies made by now."""
    if isinstance(law, Sampled | Within):
        found = _own(name, law.law, known)
        return law if found is law.law else replace(law, law=found)
    if not callable(law) or hasattr(law, "free_symbols"):
        return law
    try:
        return deepcopy(law, known)
    except (TypeError, AttributeError, PicklingError, CopyError) as reason:
        raise UsageError(
            f"input {name}: each motion of a batch has a copy of its own of {law!r}, which cannot "
            f"be copied: {reason}; give the object a method __deepcopy__, or make the motions one "
            "by one"
        ) from reason


def together(
    movings: Sequence[Moving],
    plan: Schedule,
    stands: Sequence[Stand],
    progress: Callable[[float], None] | None,
) -> list[Run | NumericsError]:
    """The motions, each as its own would be; those that can go into one batch go together."""
    found: list[Run | NumericsError] = [NumericsError("")] * len(stands)
    groups = list(_groups(movings, plan, stands))
    done = 0
    for members in groups:
        part = len(members) / len(stands)

        def show(fraction: float, start: float = done / len(stands), part: float = part) -> None:
            if progress:
                progress(min(start + part * fraction, 0.999))

        for k, run in zip(members, _moved(movings, plan, stands, members, show), strict=True):
            found[k] = run
        done += len(members)
    if progress:
        progress(1.0)
    return found


def _groups(
    movings: Sequence[Moving], plan: Schedule, stands: Sequence[Stand]
) -> Iterator[list[int]]:
    """Samples that can go together: their laws jump at the same times.

    Events and controllers know one set of parameters.
    """
    shared = all(moving is movings[0] for moving in movings)
    if movings[0].method in SCIPY_METHODS:
        yield from ([k] for k in range(len(stands)))
    elif shared:
        yield list(range(len(stands)))
    elif movings[0].events or movings[0].problem.steered.controllers:
        yield from ([k] for k in range(len(stands)))
    else:
        alike: dict[Any, list[int]] = {}
        for k, (moving, stand) in enumerate(zip(movings, stands, strict=True)):
            alike.setdefault(moving.task(plan, stand).jumps, []).append(k)
        yield from alike.values()


def _moved(
    movings: Sequence[Moving],
    plan: Schedule,
    stands: Sequence[Stand],
    members: Sequence[int],
    show: Callable[[float], None],
) -> Iterator[Run | NumericsError]:
    """The motions of some samples in one call of the generated code, or one by one."""
    first = movings[members[0]]
    if first.method in SCIPY_METHODS:
        yield from (_or_why(movings[k].run, plan, stands[k]) for k in members)
        return
    task = first.task(plan, stands[members[0]])
    rows = [movings[k].buffers(plan, stands[k]) for k in members]
    buffers = {name: np.concatenate([x[name] for x in rows]) for name in rows[0]}
    tracks = integrate(first.problem.backend, task, buffers, show)
    for k, track in zip(members, tracks, strict=True):
        yield _or_why(movings[k].ended, plan, task, track)


def _or_why(make: Callable[..., Run], *given: Any) -> Run | NumericsError:
    try:
        return make(*given)
    except NumericsError as reason:
        return reason
