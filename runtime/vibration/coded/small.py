"""A model's generated code of small motions about a place at rest, called at many frequencies."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np

from ....errors import UsageError
from ....model import Model
from ....symbolic.methods.linear.cell_links import BORNE
from ....symbolic.methods.linear.cells import cells_for, farthest
from ...closing.conditions import INDEPENDENT, Conditions
from ...closing.cut_targets import CutTargets
from ...evaluation.anywhere import anywhere
from ...evaluation.arrays import Floats, as_the_code_takes
from ...evaluation.evaluator import DAMPED, Evaluator
from ..stiffness import BELIEVED, Complex, Whole
from .resting import ENOUGH, fewest, loads_at_rest, standing_code

#: So far below 0, as a part of what the cells are good for, displacements at rest are asked for
#: where something is free to move.
BESIDE = 1e-9

#: Real or complex displacements.
Moved = TypeVar("Moved", Floats, Complex)


class SmallMotions:
    """The code of an `algorithm`, `linear` or `damped`, of a model about a place at rest.

    Displacements are those along the speeds, then of each body its centre of mass and its turn, of
    cells of beams both ends; `named` says by what results and loads call them. Of a model with
    beams each stretch is in so many `cells`. Of `bare` motions nothing acts at rest.
    """

    algorithm: ClassVar[str]
    named: ClassVar[Sequence[tuple[str, ...]]]

    def __init__(
        self,
        code: Evaluator,
        q: Floats,
        *,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
        cells: int | None = None,
        bare: bool = False,
    ) -> None:
        self.code, self.cells, self.at = code, cells, (q, t)
        self.made = code.small_motions(cells, self.algorithm, bare)
        self.interface = self.made.prepared.interface
        sizes = self.interface.sizes
        self.along = [x for x in self.named if x[0] in sizes]
        if "below" not in sizes:
            raise UsageError(f"{code.model.name} has no modes: nothing of it moves freely")
        self.speeds = len(self.interface.sets["speeds"])
        self.values = code.parameter_values(parameters)
        # Coordinates of beams, which have none here, are the last ones.
        self.q = q[: len(q) - sum(beam.modes for beam in code.model.beams)]
        still = np.zeros(self.speeds)
        self.given = {"q": self.q, "v": still, "t": np.array([t]), "p": self.values}
        if "cut" in sizes:
            self.given["cut"] = self.cut_loads(parameters)
        if "lc" in sizes and not bare:
            enough = max(ENOUGH, fewest(code, parameters))
            first = type(self)(code, q, t=t, parameters=parameters, cells=enough, bare=True)
            self.given["lc"] = first.still("reacting", loads_at_rest(first))["lc"]
        if "kept" in sizes:
            self.given["kept"] = independent(code, q, t, parameters)
        self.widths = [sizes[x[0]] for x in self.along]
        self.highest = (
            np.inf if cells is None else highest(self.model, cells, self.algorithm == DAMPED)
        )

    def cut_loads(self, parameters: Mapping[str, float] | None) -> Floats:
        """What cut hinges carry at rest: theirs are the last of all joint loads."""
        q, t = self.at
        loads = standing_code(self.code).results("joint_loads", q, t=t, parameters=parameters)
        return loads["loads"][-self.interface.sizes["cut"] :]

    @cached_property
    def model(self) -> Model:
        """The model at these parameters, with what acts on it."""
        told = dict(zip(self.code.parameters, self.values.tolist(), strict=True))
        return self.code.model.with_parameters(**told)

    def counted(self, at: Floats) -> tuple[Whole, Floats]:
        """What is negative at each ω² or ω, and the smallest pivot that was met."""
        raise NotImplementedError

    def under(self, entry: str, square: float, loads: Floats) -> dict[str, Floats]:
        """An entry at −ω² = `square` under loads along the displacements."""
        raise NotImplementedError

    def still(self, entry: str, loads: Floats) -> dict[str, Floats]:
        """An entry under steady loads: at ω² = 0, or on a line from below where that is singular.

        What nothing holds would be anywhere at 0 itself.
        """
        _, pivots = self.counted(np.zeros(1))
        if pivots[0] > BELIEVED:
            return self.under(entry, 0.0, loads)
        one, two = (self.under(entry, k * BESIDE * self.highest, loads) for k in (1, 2))
        return {name: 2 * x - two[name] for name, x in one.items()}

    def run(self, entry: str, **given: Floats) -> dict[str, Floats]:
        """An entry at many frequencies; what is not finite stays so."""
        states, sizes = len(next(iter(given.values()))), self.interface.sizes
        buffers: dict[str, Floats] = {}
        for name in self.interface.arguments[entry]:
            held, shape = {**self.given, **given}.get(name), (states, sizes[name])
            buffers[name] = (
                np.empty(shape) if held is None else as_the_code_takes(np.broadcast_to(held, shape))
            )
        self.made.backend.run(entry, buffers)
        return buffers

    def loads(self, loads: Floats) -> dict[str, Floats]:
        """Loads along the displacements, by what the code calls them."""
        parts = np.split(loads, np.cumsum(self.widths)[:-1], axis=1)
        return {names[-1]: part for names, part in zip(self.along, parts, strict=True)}

    def pulling(self) -> tuple[dict[str, float], dict[str, float]]:
        """Places of hinges, cut ones too, and tensions of forces between points, by name."""
        places = dict(zip(self.model.coordinates, self.q.tolist(), strict=False))
        told, sets = "pulling" in self.interface.arguments, self.interface.sets
        found = self.run("pulling", q=self.q[np.newaxis]) if told else {}
        cut, pulls = (
            dict(zip(sets.get(of, ()), found[x][0].tolist(), strict=True)) if x in found else {}
            for x, of in (("cq", "cut coordinates"), ("pull", "forces"))
        )
        return places | cut, pulls

    def laden(self) -> dict[str, Floats]:
        """What hinges and cells bear at rest, see the program: nothing without loads and beams."""
        if "laden" not in self.interface.arguments:
            return {}
        found = self.run("laden", q=self.q[np.newaxis])
        return {name: found[name][0] for name in ("er", *BORNE) if name in found}

    def borne(self) -> dict[str, float]:
        """By speed what hinges exert at rest beside beams that bear loads.

        Nothing in loops, where they yield to it as beams do.
        """
        if "lc" in self.given:
            return {}
        found = self.laden().get("er", ())
        return dict(zip(self.interface.sets["speeds"], found, strict=False))

    def placed(self) -> Floats:
        """The frames of bodies and cells at rest.

        Shape
            (bodies, 4, 4).
        """
        return self.run("placed", q=self.q[np.newaxis])["poses"].reshape(-1, 4, 4)

    @property
    def moving(self) -> tuple[str, ...]:
        """The bodies and cells, in the order of displacements behind those of speeds."""
        return tuple(self.interface.sets.get("bodies", ()))

    @property
    def cells_of(self) -> tuple[str, ...]:
        """The cells, whose far ends come behind all bodies."""
        return tuple(self.interface.sets.get("cells", ()))

    @property
    def ends(self) -> tuple[str, ...]:
        """Names of all that moves: of bodies and cells, then of cells' far ends."""
        return (*self.moving, *(f"{cell}:far" for cell in self.cells_of))

    @property
    def elements(self) -> list[str]:
        """The body or beam that each of the `ends` is of."""
        cells = {*self.cells_of}
        names = (*self.moving, *self.cells_of)
        return [CELL.sub(r"\1", x) if x in cells else x for x in names]

    def moved(self, u: Moved) -> Moved:
        """How the `ends` move: a turn, then a displacement, in space.

        Shape
            `u` (modes, length); (modes, ends, 6).
        """
        d = self.model.dimension
        n = len(self.ends)
        each = u[:, self.speeds :].reshape(len(u), n, 3 * (d - 1))
        found = np.zeros((len(u), n, 6), dtype=u.dtype)
        found[..., 3 : 3 + d], found[..., 6 - 2 * d : 3] = each[..., :d], each[..., d:]
        return found


def independent(
    code: Evaluator, q: Floats, t: float, parameters: Mapping[str, float] | None
) -> Floats:
    """1 of each condition of closed loops, or 0 of one that follows from those before it.

    Shape
        By condition.
    """
    of = anywhere(standing_code(code))
    J = Conditions(of, CutTargets(of, dict(parameters or {}), t), t, parameters).sized(q)
    found, basis = np.zeros(len(J)), np.zeros((0, J.shape[1]))
    coupled = sum(hinge.mimic is not None for hinge in code.model.hinges)
    for k in np.roll(np.arange(len(J)), coupled):  # couplings, which come last, hold anyway
        row = J[k]
        for _ in range(2):
            row = row - basis.T @ (basis @ row)
        length = float(np.linalg.norm(row))
        if length > INDEPENDENT:
            found[k], basis = 1.0, np.vstack([basis, row / length])
    return found


#: The name of a beam's cell, of several.
CELL = re.compile(r"^(.*)_c+\d+$")


def highest(model: Model, cells: int, decaying: bool = False) -> float:
    """The largest ω², of any complex s |s|², up to which so many cells of beams are enough."""
    low, high = -20.0, min(40.0, math.log2(farthest(model)) if decaying else math.inf)
    while high - low > 1e-6:
        middle = (low + high) / 2
        enough = cells_for(model, 2.0**middle, decaying=decaying) <= cells
        low, high = (middle, high) if enough else (low, middle)
    return float(4.0**low)
