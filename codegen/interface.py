"""What a caller of generated code must know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: A loop is closed within this part of the model's length: some ten thousand roundings.
CLOSED = 1e-12


@dataclass(frozen=True)
class Turn:
    """Where a quaternion stands in `q`, and the angular velocity that turns it in `v`."""

    q: int
    v: int


@dataclass(frozen=True)
class Noted:
    """A solve that notes what it meets: at which place of the model, for how many unknowns."""

    place: str
    unknowns: int


@dataclass(frozen=True)
class Interface:
    """What a caller of the generated code must know: sizes, names and argument lists.

    `sizes` are the lengths of the caller's buffers; `arguments` the buffers of each entry in
    order (`w`, the workspace, comes last and is not listed); `inputs` are the caller's buffers
    that are read, in order; `operations` are what each entry costs; `closed` is what each condition
    of the loops is kept within; `solves` are those that note what they meet, `noting` which of
    them each entry has; `real` is the type of its numbers.
    """

    name: str
    prefix: str
    algorithm: str
    sizes: Mapping[str, int]
    inputs: tuple[str, ...]
    arguments: Mapping[str, tuple[str, ...]]
    results: Mapping[str, tuple[str, ...]]
    operations: Mapping[str, int]
    sets: Mapping[str, tuple[str, ...]]
    parameters: tuple[str, ...]
    defaults: tuple[float, ...]
    workspace: Mapping[str, int]
    can_integrate: bool
    turns: tuple[Turn, ...]
    closed: tuple[float, ...] = ()
    solves: tuple[Noted, ...] = ()
    noting: Mapping[str, range] = field(default_factory=dict)
    real: str = "double"

    @property
    def extents(self) -> tuple[float, ...]:
        """The sizes that conditions are judged by: a length of the model, or 1 of an angle."""
        return tuple(x / CLOSED for x in self.closed)

    @property
    def can_close(self) -> bool:
        """Are there loops that the code can close?"""
        return {"constraints", "correction", "rates"} <= self.arguments.keys()

    @property
    def hamiltonian(self) -> bool:
        """Does the state have joint momenta in place of speeds?"""
        return "momentum_rates" in self.arguments

    @property
    def state(self) -> tuple[str, str]:
        """The buffers of the state: coordinates, then speeds or joint momenta."""
        return "q", "mom" if self.hamiltonian else "v"

    @property
    def closing(self) -> tuple[str, ...]:
        """The buffers that closing the loops takes."""
        entries = ["constraints", "correction", *(["regauge"] if self.hamiltonian else [])]
        taken = {name for entry in entries for name in self.arguments[entry]}
        return self._given({*taken, *self.state})

    @property
    def held(self) -> tuple[str, ...]:
        """The buffers that stay as they are along a motion, the time aside."""
        names = self.moving if self.can_integrate else self.closing
        return tuple(name for name in names[2:] if name != "t")

    @property
    def differentiated(self) -> tuple[str, ...]:
        """The buffers that the derivatives take besides the time and the state."""
        taken = self.arguments.get("derivatives", ())
        return tuple(name for name in self.inputs if name in taken and name not in ("t", "q", "v"))

    @property
    def openings(self) -> int:
        """What closing the loops of one state needs to work with."""
        return 2 * (self.sizes["phi"] + self.sizes["q"]) + self.sizes["v"]

    @property
    def moving(self) -> tuple[str, ...]:
        """The buffers that an integrator takes: those read by accelerations and rates, and p."""
        entry = "momentum_rates" if self.hamiltonian else "accelerations"
        taken = {*self.arguments[entry], *self.arguments["rates"], *self.state, "p"}
        return self._given({*taken, *(self.closing if self.can_close else ())})

    def _given(self, taken: set[str]) -> tuple[str, ...]:
        """Of these the caller's buffers, the state first; with momenta the speeds are none."""
        others = taken - {"c", "v", *self.state}
        return (*self.state, *(name for name in self.inputs if name in others))
