"""What modes strain: energies by element and direction, wrenches in hinges, loads in beams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...errors import UsageError
from ..evaluation.arrays import Floats, shaped
from .inside import POINTS, WEIGHTS, Inside
from .named_arrays import NamedArrays

#: What a wrench has, and its units: a moment, then a force.
WRENCH = ("moment_x", "moment_y", "moment_z", "force_x", "force_y", "force_z")
WRENCH_UNITS = ("N m",) * 3 + ("N",) * 3

#: Sections at which a beam's field is told, if no others are asked for.
SECTIONS = 33

#: Shares that are shown in a line at most, the least, and how wide the line may be.
MOST_SHARES, LEAST_SHARE, WIDTH = 4, 0.005, 74


@dataclass(frozen=True, eq=False, repr=False)
class Strains(NamedArrays):
    """Where modes have their strain energy, at their largest, and what hinges exert then.

    `energies` add up to ω² M/2 of each mode. The springs of hinges and forces between points have
    theirs; beams by direction: along them, in torsion, bending (in space about both axes across),
    shear, and by tension and foundation, where a beam has these. What is left over is that of
    `loads at rest`: weight, what forces do that turn with bodies, and laws between hinges.

    `wrenches` are what hinges exert on their child beyond what they do at rest: a moment about the
    hinge's point of the body away from the root, and a force. Those that close loops are not among
    them, but for the ends of beams.

    Shape
        `energies` (mode, part); `wrenches` (mode, hinge, 6).
    Units
        J; N m, N; by the sizes of the modes.
    Frame
        Inertial.
    """

    CALLED: ClassVar = "strains"
    DESCRIBED: ClassVar = {
        "energies": (("mode", "part"), "J", "strain energies"),
        "shares": (("mode", "part"), "1", "parts of the strain energy"),
        "wrenches": (("mode", "hinge", "wrench"), "", "wrenches of hinges on their children"),
    }

    squares: Floats
    energies: Floats
    wrenches: Floats
    names: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, inside: Inside, masses: Floats) -> Strains:
        """What modes strain, whose generalized masses are these."""
        parts = dict(_parts(inside))
        total = inside.squares * masses / 2
        rest = "loads at rest" + " and laws between hinges" * inside.stiffness.model.controlled
        parts[rest] = total - sum(parts.values(), np.zeros_like(total))
        wrenches = dict(_wrenches(inside))
        names = {"part": (*parts,), "hinge": (*wrenches,), "wrench": WRENCH}
        stacked = np.stack([*wrenches.values()], axis=1)
        return cls(inside.squares, np.stack([*parts.values()], axis=1), stacked, names)

    @cached_property
    def shares(self) -> Floats:
        """The parts of each mode's strain energy, ω² M/2; of modes without any, zero.

        Shape
            (mode, part).
        """
        total = self.energies.sum(axis=1)
        still = self.squares == 0
        found: Floats = self.energies / np.where(still, 1.0, total)[:, np.newaxis]
        return np.where(still[:, np.newaxis], 0.0, found)

    @property
    def _members(self) -> Mapping[str, tuple[str, ...]]:
        return {"wrenches": WRENCH_UNITS}

    @property
    def _coords(self) -> Mapping[str, Any]:
        return {
            "mode": np.arange(1, len(self.squares) + 1),
            "wrench_units": ("wrench", [*WRENCH_UNITS]),
        }

    @property
    def _attrs(self) -> Mapping[str, Any]:
        return {}

    def _lines(self) -> Iterator[str]:
        yield "mode  strain energy by part"
        for k, shares in enumerate(self.shares):
            # What differs by rounding alone stays in its order.
            order = np.argsort(-np.abs(np.round(shares, 9)), kind="stable")[:MOST_SHARES]
            parts = [
                f"{self.names['part'][j]} {shares[j]:.0%}"
                for j in order.tolist()
                if abs(shares[j]) >= LEAST_SHARE
            ]
            while len(", ".join(parts)) > WIDTH and len(parts) > 1:
                parts.pop()
            yield f"{k + 1:4d}  {', '.join(parts) or 'none'}"


def _parts(inside: Inside) -> Iterator[tuple[str, Floats]]:
    """The strain energy of each part that has any."""
    model, ends = inside.stiffness.model, inside.ends
    u, speeds = inside.responses[0], [*model.speeds]
    for hinge in model.tree_hinges:
        own = [speeds.index(x) for x in model.hinge_speeds(hinge)]
        if ends.efforts[:, own].any():
            led = [name for name, x in model.followers.items() if x.hinge == hinge.name]
            word = ", ".join((f"hinge{'s' * bool(led)} {hinge.name}", *led))
            yield word, (u[:, own] * ends.efforts[:, own]).sum(axis=1) / 2
    lines = [f"force {force.name}" for force in model.forces if len(force.ends) == 2]
    for k, name in enumerate([*lines, *(f"hinge {x}" for x in inside.stiffness.sprung)]):
        yield name, ends.stored[:, k]
    for k, cell in enumerate(inside.links.cells.values()):
        if cell.held:
            energy = (ends.moved[:, k] * ends.loaded[:, k]).sum(axis=1) / 2
            if (np.abs(energy) > 1e-12 * np.abs(inside.squares)).any():
                yield f"hinge {cell.held}", energy
    for beam in inside.cells:
        yield from _of_beam(inside, beam)


def _of_beam(inside: Inside, beam: str) -> Iterator[tuple[str, Floats]]:
    """The strain energy of a beam by direction: ½ ∫ of each square over its stiffness.

    A tension T at rest, at right angles to a section that turns by θ, has ½ T (2 v′ θ − θ²) of it.
    """
    d, n = inside.dimension, 3 * (inside.dimension - 1)
    total: dict[str, Floats] = {}
    for k, (cell, z) in zip(
        (k for k, _ in inside.cells[beam]), inside.along(beam, POINTS), strict=True
    ):
        of, weights = cell.section.values, WEIGHTS * cell.section.values["l"] / 2
        u, f = z[..., :n], z[..., n:]
        squares = {"axial": f[..., 0] ** 2 / of["EA"]}
        if d == 3:
            squares["torsion"] = f[..., 3] ** 2 / of["GJ"]
            squares["bending about y"] = f[..., 4] ** 2 / of["EIy"]
            squares["bending about z"] = f[..., 5] ** 2 / of["EIz"]
        else:
            squares["bending"] = f[..., 2] ** 2 / of["EIz"]
        across, yielding = u[..., 1:d], np.array([of[x] for x in ("gz", "gy")[: d - 1]])
        slopes = u[..., 2:] if d == 2 else np.stack([u[..., 5], -u[..., 4]], axis=-1)
        pull = inside.tension(k, of, POINTS)[:, np.newaxis]
        shear = yielding * (f[..., 1:d] - pull * slopes)
        squares["shear"] = (shear**2 / np.where(yielding, yielding, 1.0)).sum(axis=-1)
        squares["tension"] = (pull * slopes * (slopes + 2 * shear)).sum(axis=-1)
        squares["foundation"] = of["kw"] * (across**2).sum(axis=-1)
        for name, square in squares.items():
            total[name] = total.get(name, 0.0) + square @ weights
    always = ("axial", "torsion", "bending", "bending about y", "bending about z")
    for name, energy in total.items():
        if name in always or energy.any():
            yield f"{beam}: {name}", energy


def _wrenches(inside: Inside) -> Iterator[tuple[str, Floats]]:
    """The wrench of each hinge of the tree on its child, then those of held ends of beams."""
    d, ends = inside.dimension, inside.ends
    for name, wrench in zip(inside.stiffness.moving, np.moveaxis(ends.wrenches, 1, 0), strict=True):
        if name in inside.links.hinges:
            hinge, is_child = inside.links.hinges[name]
            yield hinge, spread(wrench if is_child else -wrench, d)
    held = {hinge.name: hinge for hinge in inside.stiffness.model.hinges}
    for k, cell in enumerate(inside.links.cells.values()):
        if cell.held:
            R = inside.rotation(cell.name)
            by = -ends.loaded[:, k]
            moment = by[:, d:] if d == 2 else by[:, d:] @ R.T
            wrench = np.hstack([by[:, :d] @ R.T, moment])
            child = held[cell.held].ends[1].body
            yield cell.held, spread(wrench if child == cell.beam else -wrench, d)


def spread(x: Floats, dimension: int) -> Floats:
    """(linear, angular) of a dimension as angular, then linear, three numbers each."""
    found = np.zeros((*x.shape[:-1], 6))
    found[..., 3 : 3 + dimension] = x[..., :dimension]
    found[..., 3 - x.shape[-1] + dimension : 3] = x[..., dimension:]
    return found


@dataclass(frozen=True, eq=False)
class Field:
    """How modes move a beam, and what loads they make in it, at some sections.

    `loads` are what the beam beyond a section exerts on the beam before it: a moment, of which the
    first is torsion, and a force, of which the first is tension.

    Shape
        `x` (section) from the beam's end x = 0; `motion`, `loads` (mode, section, 6).
    Units
        m; rad, m; N m, N; by the sizes of the modes.
    Frame
        `motion` inertial, a turn and a displacement; `loads` in axes of the beam at rest.
    """

    beam: str
    x: Floats
    motion: Floats
    loads: Floats

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @classmethod
    def of(cls, inside: Inside, beam: str, x: Any = None) -> Field:
        """The field of a beam at these places.

        Raises
            UsageError: there is no such beam, or a place is beyond its ends.
        """
        if beam not in inside.cells:
            known = ", ".join(inside.cells) or "none"
            raise UsageError(f"there is no exact beam {beam!r}; there are: {known}")
        d, n = inside.dimension, 3 * (inside.dimension - 1)
        cells = [cell for _, cell in inside.cells[beam]]
        starts = np.array([cell.start for cell in cells])
        length = starts[-1] + cells[-1].section.values["l"]
        given = np.linspace(0.0, length, SECTIONS) if x is None else np.atleast_1d(x)
        at = shaped("x", given, (len(given),))
        if (at < 0).any() or (at > length * (1 + 1e-12)).any():
            raise UsageError(f"beam {beam} goes from x = 0 to {length:.9g} m")
        of = np.searchsorted(starts, at, side="right") - 1
        parts = (at - starts[of]) / np.array([cells[k].section.values["l"] for k in of])
        every, which = np.unique(parts, return_inverse=True)
        motion, loads = np.zeros((2, len(inside.squares), len(at), 6))
        for k, (cell, z) in enumerate(inside.along(beam, every)):
            own = np.flatnonzero(of == k)
            R, here = inside.rotation(cell.name), z[:, which[own]]
            u = here[..., :n]
            turn = u[..., d:] if d == 2 else u[..., d:] @ R.T
            motion[:, own] = spread(np.concatenate([u[..., :d] @ R.T, turn], axis=-1), d)
            loads[:, own] = spread(here[..., n:], d)
        return cls(beam, at, motion, loads)
