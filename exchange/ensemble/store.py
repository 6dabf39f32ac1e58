"""The store of an ensemble: one Zarr group (v3) of arrays with names, units and chunks.

A chunk of samples is a chunk of every array, so that workers write without waiting for each
other. `done` is written last: a chunk that is not marked there is computed anew.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...runtime.evaluation.arrays import Floats
from ...runtime.extras import require
from ...runtime.files import check_folder

#: Compressed poorly and slowly: numbers of a motion are noise in their last digits.
COMPRESSORS = None


@dataclass(frozen=True)
class Variable:
    """An array of the store: its axes after `sample`, and what it holds."""

    name: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    attrs: Mapping[str, Any]
    dtype: str = "f8"
    fill: float = np.nan


class Store:
    """An open store."""

    def __init__(self, path: str, *, writable: bool = True) -> None:
        zarr = require("zarr", extra="ensemble", purpose="an ensemble's store")
        self.path = path
        try:
            self.group = zarr.open_group(path, mode="r+" if writable else "r", zarr_format=3)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"{path} is no ensemble that can be opened here ({error}); workers on other "
                "machines need a folder that all of them share"
            ) from None

    @property
    def attrs(self) -> dict[str, Any]:
        return dict(self.group.attrs)

    @property
    def chunk(self) -> int:
        """The samples of a chunk."""
        return int(self.attrs["chunk"])

    @property
    def count(self) -> int:
        """The samples of all."""
        return int(self.group["inputs"].shape[0])

    def missing(self) -> list[int]:
        """The chunks that are not done."""
        return [int(k) for k in np.flatnonzero(self.group["done"][:] == 0)]

    def span(self, chunk: int) -> slice:
        """The samples of a chunk."""
        return slice(chunk * self.chunk, min((chunk + 1) * self.chunk, self.count))

    def inputs(self, chunk: int) -> Floats:
        found: Floats = self.group["inputs"][self.span(chunk)]
        return found

    def write(self, chunk: int, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """The results of a chunk, and then that it is done."""
        for name, values in arrays.items():
            self.group[name][self.span(chunk)] = values
        self.group["done"][chunk] = 1


def create(
    path: Path,
    *,
    inputs: tuple[str, ...],
    rows: Iterable[Floats],
    count: int,
    chunk: int,
    times: Floats,
    axes: Mapping[str, tuple[str, ...]],
    variables: Iterable[Variable],
    attrs: Mapping[str, Any],
) -> Store:
    """A new store with the samples in it, and room for the results.

    Raises
        UsageError: there is something at this place already, or it cannot be written.
    """
    zarr = require("zarr", extra="ensemble", purpose="an ensemble's store")
    if path.exists():
        raise UsageError(f"{path} is there already; resume it, remove it, or name another place")
    check_folder(path.absolute().parent)
    scratch = path.with_name(f".{path.name}.new")
    shutil.rmtree(scratch, ignore_errors=True)
    try:
        group = zarr.create_group(str(scratch), zarr_format=3, attributes=dict(attrs))
        given = group.create_array(
            "inputs",
            shape=(count, len(inputs)),
            chunks=(chunk, len(inputs)),
            dtype="f8",
            compressors=COMPRESSORS,
            dimension_names=["sample", "input"],
            attributes={"long_name": "what varies between the motions"},
        )
        first = 0
        for part in rows:
            given[first : first + len(part)] = part
            first += len(part)
        chunks = -(-count // chunk)
        group.create_array(
            "done",
            shape=(chunks,),
            chunks=(1,),
            dtype="i1",
            fill_value=0,
            dimension_names=["chunk"],
        )
        named = {"input": inputs, **axes}
        for axis, names in named.items():
            if names:
                text = np.array(names, dtype=np.dtypes.StringDType())
                group.create_array(axis, data=text, dimension_names=[axis])
        group.create_array("time", data=times, dimension_names=["time"], attributes={"units": "s"})
        for x in variables:
            group.create_array(
                x.name,
                shape=(count, *x.shape),
                chunks=(chunk, *x.shape),
                dtype=x.dtype,
                fill_value=x.fill,
                compressors=COMPRESSORS,
                dimension_names=["sample", *x.dims],
                attributes=dict(x.attrs),
            )
        scratch.rename(path)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    return Store(str(path))


def same(attrs: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """What differs between two requests for an ensemble, in words; empty if nothing."""

    def plain(value: object) -> str:
        return json.dumps(value, sort_keys=True)

    keys = [k for k in wanted if plain(attrs.get(k)) != plain(wanted[k])]
    return ", ".join(keys)
