"""Runs read back from files: their numbers, their model, and what they need to go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError
from ..model import Model
from ..model.files.toml import from_text
from .events import Event
from .extras import require
from .motions.integration import Pace
from .motions.moving import GoingOn, Stand, going_on
from .motions.results import Known, Run
from .motions.texts import CONDITIONS, MODEL, MOTION, inputs_said
from .motions.variables import NAMES
from .solver import compile_model


def load_run(path: str | Path) -> Run:
    """The run that `run.save("x.nc")` wrote: its numbers exactly, its model, and `resume`.

    The solver is compiled when the run goes on, from the cache if it is there. Events that came
    before are not kept.

    Raises
        UsageError: there is no such file, it cannot be read, or it was not written by `run.save`.
        ModelError: the model in it is none.
        ToolchainError: xarray, h5netcdf or h5py is missing (extra `data`).

    Source
        own
    """
    path = Path(path)
    if path.suffix != ".nc":
        raise UsageError(f"{path}: a run is read from .nc, which run.save writes")
    if not path.exists():
        raise UsageError(f"{path}: there is no such file")
    for module in ("h5netcdf", "h5py"):
        require(module, extra="data", purpose="reading a run")
    xarray = require("xarray", extra="data", purpose="reading a run")
    try:
        with xarray.open_dataset(path, engine="h5netcdf") as found:
            data = found.load()
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    attrs = dict(data.attrs)
    text, motion = attrs.pop(MODEL, None), attrs.pop(MOTION, None)
    conditions = attrs.pop(CONDITIONS, "[]")
    if text is None:
        raise UsageError(f"{path} holds no model: it was not written by run.save")
    model = from_text(text)
    arrays: dict[str, Any] = {
        name: np.array(data[name]) for name in NAMES if name in data.variables
    }
    plain = {name: x if isinstance(x, str) else float(x) for name, x in attrs.items()}
    outputs = Known(*(arrays.pop(name, None) for name in ("loads", "energy", "determinate")))
    return Run(
        **arrays,
        outputs=outputs,
        model=model,
        ends=_names(data, "end"),
        attrs=plain,
        conditions=tuple(json.loads(conditions)),
        input_names=_names(data, "input"),
        input_units=_names(data, "input_units"),
        going_on=None if motion is None else Later(model, motion),
    )


@dataclass(frozen=True)
class Later:
    """What a run from a file needs to go on: compiled when it does."""

    model: Model
    motion: str
    travels = True

    def __call__(self, t_end: float, progress: Callable[[float], None] | None) -> Run:
        return self._made()(t_end, progress)

    def __reduce__(self) -> tuple[Any, ...]:
        return Later, (self.model, self.motion)

    def _made(self) -> GoingOn:
        told = json.loads(self.motion)
        solver = compile_model(
            self.model,
            algorithm=told["algorithm"],
            target=told["target"],
            parameters=told["parameters"],
            portable=told["portable"],
            threads=told["threads"],
            **told["options"],
        )
        how, stand = told["how"], told["stand"]
        how["events"] = tuple(Event(*event) for event in how["events"])
        at = Stand(
            stand["t"],
            np.array(stand["q"]),
            np.array(stand["second"]),
            stand["origin"],
            None if stand["pace"] is None else Pace(*stand["pace"]),
            None if stand["inputs"] is None else np.array(stand["inputs"]),
        )
        return going_on(solver, told["values"], inputs_said(told["inputs"]) or None, how, at)


def _names(data: Any, axis: str) -> tuple[str, ...]:
    return tuple(map(str, data[axis].values)) if axis in data.coords else ()
