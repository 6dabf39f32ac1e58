"""What is inside modes: wrenches in hinges, fields of beams, augmented vectors of it all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...errors import UsageError
from ...model import Model
from ...symbolic.language.arithmetic import FLOAT
from ...symbolic.language.interpreter import evaluate
from ...symbolic.methods.linear.fields import Cell, Links, Section, links_of
from ..evaluation.arrays import Floats
from .stiffness import DynamicStiffness, Whole
from .tracking import Shapes

#: Points of Gauss's rule from 0 to 1, and their weights: exact for the series of a cell, squared,
#: but for what its terms leave out.
POINTS, WEIGHTS = (x / 2 for x in np.polynomial.legendre.leggauss(12))
POINTS = POINTS + 0.5

#: So far from their eigenvalue, as a part of it, and twice as far, modes are asked for what they
#: strain: what the difference leaves out is the square of this, and rounding is larger by its
#: inverse.
ASIDE = 1e-5


class Ends(NamedTuple):
    """What springs ask and hinges exert, by energy or by wrench, in modes.

    Shape
        `efforts` (mode, speed); `wrenches` (mode, body, n); `stored` (mode, forces between points,
        then hinges that are `sprung`); `moved` and `loaded`, u and λ at the ends I of cells
        (mode, cell, n).
    Frame
        Wrenches: inertial, about the point of the body; of cells the axes of their beams.
    """

    efforts: Floats
    wrenches: Floats
    stored: Floats
    moved: Floats
    loaded: Floats


class Strained(DynamicStiffness, Protocol):
    """A stiffness that tells what its displacements strain."""

    #: Cells of each stretch of a beam; none without beams.
    cells: int | None
    #: So many displacements, the first ones, are along speeds.
    speeds: int

    @property
    def model(self) -> Model:
        """The model at its parameters."""

    def strained(self, squares: Floats, loads: Floats) -> Ends:
        """What displacements under such loads strain."""

    def logarithms(self, squares: Floats) -> Floats:
        """log |Δ| at many ω²: of the product of all pivots, whose zeros are the eigenvalues."""

    def laden(self) -> dict[str, Floats]:
        """What hinges and cells bear at rest, if they may."""

    def placed(self) -> Floats:
        """The frames of bodies and cells at rest: (body, 4, 4)."""

    @property
    def sprung(self) -> tuple[str, ...]:
        """The hinges with springs that close loops."""

    @property
    def moving(self) -> tuple[str, ...]:
        """The bodies and cells, in the order of displacements behind those of speeds."""


@dataclass(frozen=True, eq=False)
class Inside:
    """Modes of a stiffness, by its own displacements u, and M u.

    Shape
        `squares` (mode); `u`, `momenta` (mode, length).
    """

    stiffness: Strained
    squares: Floats
    u: Floats
    momenta: Floats

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self.stiffness.model.dimension

    @cached_property
    def links(self) -> Links:
        """The links that displacements are of."""
        return links_of(self.stiffness.model, self.stiffness.cells or 1)

    @cached_property
    def responses(self) -> tuple[Floats, Floats, Ends]:
        """The modes u once more, M u and what they strain: the responses to (ω²ᵢ − ν) M u.

        At a frequency ν beside ω²ᵢ, where they are u but for their size, whatever modes are near.

        Raises
            UsageError: there are no modes.
        """
        if not len(self.squares):
            raise UsageError("there are no modes in this list: ask for more, or below more")
        one, two = (self._beside(k * ASIDE) for k in (1, 2))
        u, momenta, *ends = (2 * x - y for x, y in zip(one, two, strict=True))
        return u, momenta, Ends(*ends)

    def _beside(self, aside: float) -> list[Floats]:
        size = np.abs(self.squares)
        least = size[size > 0].min(initial=np.inf)
        size = np.where(size > 0, size, least if np.isfinite(least) else 1.0)
        shifts = self.squares + aside * size
        loads = (self.squares - shifts)[:, np.newaxis] * self.momenta
        u, momenta = self.stiffness.responses(shifts, loads)
        scale = (u * self.momenta).sum(axis=1) / (self.u * self.momenta).sum(axis=1)
        ends = self.stiffness.strained(shifts, loads)
        powers = 1, 1, *(1 + (name == "stored") for name in Ends._fields)  # energies: the square
        return [
            x / scale.reshape(-1, *[1] * (x.ndim - 1)) ** power
            for x, power in zip((u, momenta, *ends), powers, strict=True)
        ]

    @property
    def ends(self) -> Ends:
        """What the modes strain."""
        return self.responses[2]

    @cached_property
    def cells(self) -> dict[str, list[tuple[int, Cell]]]:
        """The cells of each beam from x = 0 on, with their numbers."""
        found: dict[str, list[tuple[int, Cell]]] = {x.name: [] for x in self.stiffness.model.beams}
        for k, cell in enumerate(self.links.cells.values()):
            found[cell.beam].append((k, cell))
        return {name: sorted(x, key=lambda each: each[1].start) for name, x in found.items()}

    def rotation(self, cell: str) -> Floats:
        """The axes of a cell's beam at rest, as a turn to inertial ones."""
        placed: Floats = self._frames[cell][: self.dimension, : self.dimension]
        return placed

    @cached_property
    def _frames(self) -> dict[str, Floats]:
        return dict(zip(self.stiffness.moving, self.stiffness.placed(), strict=True))

    def along(self, beam: str, parts: Floats) -> Iterator[tuple[Cell, Floats]]:
        """Of each cell of a beam u and λ in its axes, at parts of it from its lower x on.

        λ is what the beam beyond a section exerts on the beam before it.

        Shape
            `parts` (k) from 0 to 1; each (mode, k, 2n).
        """
        moved, loaded, transfers = self.ends.moved, self.ends.loaded, dict[int, Floats]()
        for k, cell in self.cells[beam]:
            section = cell.section
            if id(section) not in transfers:
                way = 1 - parts if section.backward else parts
                given = {name: x[k] for name, x in self._laden.items()}
                found = transfer(section, self.dimension, way, self.squares, given)
                transfers[id(section)] = found
            end = np.concatenate([moved[:, k], loaded[:, k]], axis=1)
            z = np.einsum("mkij,mj->mki", transfers[id(section)], end)
            n = moved.shape[2]
            if section.backward:
                z[..., n:] *= -1
            yield cell, z

    @cached_property
    def _laden(self) -> dict[str, Floats]:
        """The tension of each cell at I by what it bears at rest, and its slope, if it may."""
        found = self.stiffness.laden()
        return {name: found[name] for name in ("NI", "NS") if found}

    def tension(self, number: int, of: Mapping[str, float], parts: Floats) -> Floats:
        """The tension of a cell at rest at parts of it from its lower x on."""
        given = np.full(len(parts), of["T0"])
        if not self._laden:
            return given
        cell = [*self.links.cells.values()][number]
        x = of["l"] * (1 - parts if cell.section.backward else parts)
        total: Floats = given + self._laden["NI"][number] + self._laden["NS"][number] * x
        return total

    def shapes(self, stations: int | None = None) -> Shapes:
        """The augmented vectors: rotors, bodies, and beams at Gauss points of as many stations.

        In the metric of bodies, and of beams by their mass per length: ⟨Vᵢ, M Vⱼ⟩ is the product.
        """
        own = self.stiffness.cells or 1
        finer = max(1, (stations or own) // own)
        parts = (np.arange(finer)[:, np.newaxis] + POINTS).ravel() / finer
        weights = np.tile(WEIGHTS, finer) / finer
        u, momenta = ([x[:, self._rigid]] for x in self.responses[:2])
        d, n = self.dimension, 3 * (self.dimension - 1)
        for beam in self.cells:
            for cell, z in self.along(beam, parts):
                of, here = cell.section.values, z[..., :n]
                turning = [of["rhoIz"]] if d == 2 else [of["rhoJ"], of["rhoIy"], of["rhoIz"]]
                mass = np.array([of["rhoA"]] * d + turning)
                R = self.rotation(cell.name)
                both = np.eye(n)
                both[:d, :d] = R
                if d == 3:
                    both[d:, d:] = R
                shown = np.einsum("ij,mkj->mki", both, here)
                carried = np.einsum("ij,mkj->mki", both, here * mass)
                carried = carried * (weights * of["l"])[:, np.newaxis]
                u.append(shown.reshape(len(z), -1))
                momenta.append(carried.reshape(len(z), -1))
        groups = np.cumsum(np.append(0, np.diff(self.squares) != 0))[: len(self.squares)]
        return Shapes(np.hstack(u), np.hstack(momenta), groups)

    @cached_property
    def _rigid(self) -> Whole:
        """The places in displacements of speeds, whose rotors they move, and of rigid bodies."""
        n = 3 * (self.dimension - 1)
        moving, cells = self.stiffness.moving, self.links.cells
        speeds = self.stiffness.speeds
        own = [k for k, name in enumerate(moving) if name not in cells]
        places = [*range(speeds), *(speeds + n * k + i for k in own for i in range(n))]
        return np.array(places, dtype=np.int64)


def transfer(
    section: Section,
    dimension: int,
    along: Floats,
    omega2: Floats,
    laden: Mapping[str, Any],
) -> Floats:
    """The transfer matrices of a cell from its end I to parts of the way to O.

    Shape
        `along` (k) from 0 to 1, `omega2` (m); what is `laden`, or known otherwise, as (m, k) or
        less; result (m, k, 2n, 2n).
    Frame
        Axes of the beam.
    Source
        The kernel of a cell, whose length is shorter.
    """
    shape = len(omega2), len(along)
    given: dict[str, Floats] = {
        name: np.broadcast_to(np.asarray(value), shape)
        for name, value in {**section.values, **laden}.items()
    }
    given["omega2"] = np.broadcast_to(omega2[:, np.newaxis], shape)
    given["l"] = np.broadcast_to(section.values["l"] * along, shape)
    found = evaluate(
        section.kernel, {x.name: [given[x.name]] for x in section.kernel.inputs}, FLOAT
    )
    n = 3 if dimension == 2 else 6
    blocks = [
        np.stack([np.broadcast_to(x, shape) for x in found[name]], axis=-1).reshape(*shape, n, n)
        for name in ("Tuu", "Tul", "Tlu", "Tll")
    ]
    whole: Floats = np.block([blocks[:2], blocks[2:]])
    return whole
