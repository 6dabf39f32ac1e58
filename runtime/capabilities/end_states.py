"""The accelerations and loads at every end of every element, as arrays named by their ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import MissingNameError, UsageError
from ...shown import Shown
from ..evaluation.arrays import Floats
from ..extras import require
from ..motions.variables import COMPONENTS

#: The entries of an acceleration, in order: of the point, then of the angle.
MOTIONS = ("ddx", "ddy", "ddz", "dOmega_x", "dOmega_y", "dOmega_z")


@dataclass(frozen=True, eq=False, repr=False)
class EndState(Shown):
    """The state of one end: z = [acceleration; load; 1].

    Shape
        `acceleration` and `load` (…, 6).
    """

    side: str
    acceleration: Floats
    load: Floats


@dataclass(frozen=True, eq=False, repr=False)
class EndStates(Shown, Mapping[str, EndState]):
    """The states of all ends: first those of the bodies, point by point, then the hinges'.

    Ends are named `body:point`, `hinge NAME:I` (tip side) and `hinge NAME:O` (root side), in
    the model's order; `elements` names the element of each, and `sides` says for each whether
    it is an input (`I`) or the output (`O`). A free point of a body is an input without load.
    A cut hinge leads away from its child (from its parent if the child is the ground), whose
    end counts as an output. `states["5:I1"].load` is one end's; `states.of("hinge A")` are
    those of one element.

    Shape
        `accelerations` (…, end, 6): r̈, Ω̇; `loads` (…, end, 6): m, q.
    Units
        m/s², rad/s²; N m, N.
    Frame
        `frame`: inertial, or the axes of the body that the end belongs to or is joined to.
        The accelerations are those seen by an inertial observer in either case.
    Sign
        The element gets +q and −m at an input, −q and +m at an output. Both sides of a joint
        between a body and a hinge have the same state.
    """

    ends: tuple[str, ...]
    elements: tuple[str, ...]
    sides: tuple[str, ...]
    frame: str
    accelerations: Floats
    loads: Floats

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __post_init__(self) -> None:
        for name in ("accelerations", "loads"):
            seen = getattr(self, name).view()  # a caller's array stays one to write into
            seen.flags.writeable = False
            object.__setattr__(self, name, seen)

    def __getitem__(self, name: str) -> EndState:
        if name not in self.ends:
            raise MissingNameError(f"there is no end {name!r}; there are: {', '.join(self.ends)}")
        at = self.ends.index(name)
        return EndState(self.sides[at], self.accelerations[..., at, :], self.loads[..., at, :])

    def __iter__(self) -> Iterator[str]:
        return iter(self.ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __repr__(self) -> str:
        batch = self.loads.shape[:-2]
        states = f" of {' × '.join(map(str, batch))} states" if batch else ""
        return f"<EndStates: {len(self)} ends{states}, {self.frame} frame>"

    def of(self, element: str) -> EndStates:
        """The ends of one element: a body's name, or `hinge NAME`.

        Raises
            UsageError: there is no such element.
        Source
            own
        """
        at = [i for i, name in enumerate(self.elements) if name == element]
        if not at:
            known = ", ".join(dict.fromkeys(self.elements))
            raise UsageError(f"there is no element {element!r}; there are: {known}")
        return EndStates(
            tuple(self.ends[i] for i in at),
            tuple(self.elements[i] for i in at),
            tuple(self.sides[i] for i in at),
            self.frame,
            self.accelerations[..., at, :],
            self.loads[..., at, :],
        )

    def to_xarray(self, *axes: str) -> Any:
        """The states as an `xarray.Dataset` with units as attributes.

        `axes` names the batch axes, e.g. `time`; without names they are `batch_1`, ….

        Raises
            UsageError: another number of names than batch axes.
            ToolchainError: xarray is missing (extra `data`).
        Source
            own
        """
        batch = self.loads.ndim - 2
        names = axes or tuple(f"batch_{k + 1}" for k in range(batch))
        if len(names) != batch:
            raise UsageError(f"{len(names)} names for {batch} batch axes")
        xarray = require("xarray", extra="data", purpose="states of ends as a dataset")
        units = {"accelerations": "m/s^2, rad/s^2", "loads": "N m, N"}
        arrays = {
            "accelerations": ((*names, "end", "motion"), self.accelerations),
            "loads": ((*names, "end", "component"), self.loads),
        }
        coords = {
            "end": list(self.ends),
            "element": ("end", list(self.elements)),
            "side": ("end", list(self.sides)),
            "motion": list(MOTIONS),
            "component": list(COMPONENTS),
        }
        return xarray.Dataset(
            {name: (*data, {"units": units[name]}) for name, data in arrays.items()},
            coords=coords,
            attrs={"frame": self.frame},
        )
