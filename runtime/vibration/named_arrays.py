"""What results about vibrations are: read-only arrays under names, with axes and units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from ...errors import MissingNameError
from ...model import Model
from ...model.expressions.quantities import abridged
from ...shown import Shown
from ..evaluation.arrays import Floats
from ..extras import require
from ..motions.variables import Variable

#: What a body moves by: a turn, then the displacement of its centre of mass.
MOTION = ("turn_x", "turn_y", "turn_z", "move_x", "move_y", "move_z")
MOTION_UNITS = ("rad",) * 3 + ("m",) * 3

#: So many lines are shown.
MOST_SHOWN = 40

#: So many columns of values of a parameter are shown as text.
COLUMNS = 5

#: By the names of arrays: axes, the unit and what they are.
Described: TypeAlias = Mapping[str, tuple[tuple[str, ...], str, str]]


class NamedArrays(Shown, Mapping[str, Variable]):
    """Arrays that are attributes, and by the same names `Variable`s with axes and units.

    `CALLED` is what messages call them; `DESCRIBED` their axes, units and meanings. The names of
    members along axes are `names`; a dataset has `_coords` and `_attrs` besides. As text a record
    is its `_lines`.
    """

    CALLED: ClassVar[str]
    DESCRIBED: ClassVar[Described]

    model: Model
    names: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __getitem__(self, name: str) -> Variable:
        if name not in self.DESCRIBED:
            has = ", ".join(self)
            raise MissingNameError(f"{self.CALLED} have no {name!r}; they have: {has}")
        dims, units, said = self.DESCRIBED[name]
        members = self._members.get(name, ())
        return Variable(dims, np.asarray(getattr(self, name)), units, said, members)

    @property
    def _members(self) -> Mapping[str, tuple[str, ...]]:
        """The units of members of arrays, where they differ."""
        return {"bodies": MOTION_UNITS}

    def __iter__(self) -> Iterator[str]:
        return iter(self.DESCRIBED)

    def __len__(self) -> int:
        return len(self.DESCRIBED)

    @cached_property
    def data(self) -> Any:
        """All arrays as an `xarray.Dataset`, with units as attributes.

        Raises
            ToolchainError: xarray is missing (extra `data`); arrays by their names need none.
        """
        xarray = require("xarray", extra="data", purpose=f"data of {self.CALLED}")
        variables = {name: (x.dims, x.values, x.attrs) for name, x in self.items()}
        coords = {axis: [*names] for axis, names in self.names.items()} | {**self._coords}
        if any("motion" in dims for dims, *_ in self.DESCRIBED.values()):
            coords |= {"motion": [*MOTION], "motion_units": ("motion", [*MOTION_UNITS])}
        return xarray.Dataset(variables, coords=coords, attrs=self._attrs)

    @property
    def _coords(self) -> Mapping[str, Any]:
        """The values of axes that have no names."""
        raise NotImplementedError

    @property
    def _attrs(self) -> Mapping[str, Any]:
        """What is said of all."""
        return {"model": self.model.name}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__

    def _lines(self) -> Iterator[str]:
        raise NotImplementedError


class _Vibrating(Protocol):
    """What has circular frequencies, rad/s."""

    @property
    def frequencies(self) -> Floats: ...


class OfFrequencies(NamedArrays):
    """Arrays that tell circular `frequencies`, in rad/s."""

    @property
    def hertz(self: _Vibrating) -> Floats:
        """The frequencies ω/2π.

        Units
            Hz.
        """
        return self.frequencies / (2 * np.pi)


class OfSquares(OfFrequencies):
    """Arrays that tell `squares` ω² of circular frequencies, negative ones of what grows."""

    squares: Floats

    @property
    def frequencies(self) -> Floats:
        """The circular frequencies ω; 0 of modes that do not vibrate.

        Units
            rad/s.
        """
        return np.sqrt(np.maximum(self.squares, 0.0))

    @property
    def growth(self) -> Floats:
        """How fast unstable modes grow, √−ω²; 0 of the others.

        Units
            1/s.
        """
        return np.sqrt(np.maximum(-self.squares, 0.0))


def values_over(parameter: str, at: Floats) -> dict[str, Any]:
    """The values of a parameter as coordinates, by its own name as well."""
    return {"at": at, parameter: ("at", at)}


def lines_over(
    parameter: str, values: Floats, head: str, words: Sequence[str], entries: Floats
) -> Iterator[str]:
    """A table of lines over a parameter, each with its word, at some of its values.

    Shape
        `values` (at); `words` (line); `entries` (at, line).
    """
    shown = np.unique(np.linspace(0, len(values) - 1, COLUMNS).round().astype(int))
    width = max(len(x) for x in (head, *words))
    yield f"line  {head:{width}s}  ω in rad/s at {abridged(parameter)} ="
    yield " " * (6 + width) + "".join(f"{values[k]:>11.5g}" for k in shown)
    for line, word in enumerate(words[:MOST_SHOWN]):
        each = ("–" if np.isnan(x) else f"{x:.7g}" for x in entries[shown, line])
        yield f"{line + 1:4d}  {word:{width}s}" + "".join(f"{x:>11}" for x in each)
    if len(words) > MOST_SHOWN:
        yield f"and {len(words) - MOST_SHOWN} more: --json, or .data, has all"
