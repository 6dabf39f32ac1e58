"""How hinges that close loops are taken: by held ends of cells, or as ties between links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from ....model import GROUND, Beam, End, Hinge, Model
from ....model.expressions.quantities import exact_expression
from ...language.program import Ref
from ...mechanics import laws
from ...mechanics.constants import axes_of
from ...mechanics.hinges import joint, tidy
from ...plans.plan import Link, Plan
from ...tree.acting import Reads
from ...tree.cut_kernels import CutHinge
from ...tree.loops import Loops

#: How the ground holds the end of a cell: what kernels call it, and the attribute of `Held`.
HELD = {"Hg": "free", "Dg": "fixed", "kg": "stiffness"}
OF_HELD = re.compile(r"(Hg|Dg|kg)(0_)?\d+")


@dataclass(frozen=True)
class Held:
    """How the ground holds an end of a cell: u = H χ and λ = H κ χ + D μ there.

    Shape
        `free` H: n × f, `fixed` D: n × (n − f), columns of a unit matrix between them but for a
        turn; `stiffness` κ: f²; `ground`: the axes of the ground's point.
    Frame
        Axes of the cell; with a `ground` those of its point.
    """

    free: sp.ImmutableMatrix
    fixed: sp.ImmutableMatrix
    stiffness: sp.ImmutableMatrix
    ground: sp.ImmutableMatrix | None = None

    @classmethod
    def of(cls, model: Model, hinge: Hinge, link: Link, point: str) -> Held | None:
        """By a hinge to the ground, if its motion is the same wherever it is, in these axes."""
        d = model.dimension
        kind, law = joint(d, hinge.kind), laws.stiffness(d, hinge)
        backward = hinge.ends[0].body == link.name
        own, unit = {*kind.q}, sp.eye(1)
        if law.even.free_symbols & own or law.torsion != 0 or hinge.motion or hinge.rotor:
            return None
        H, ground = kind.backward_subspace if backward else kind.subspace, None
        R = axes_of(link.body.point(point), d)
        turn = sp.diag(R, R if d == 3 else unit)
        if H.free_symbols & own and not backward:
            R = kind.rotation
            H = tidy(sp.diag(R, R if d == 3 else unit) * H)
            turn, at = sp.eye(H.rows), model.ground_point(hinge.ends[0].point)
            ground = sp.ImmutableMatrix(axes_of(at, d))
        if H.free_symbols & own or not along_axes(H):
            return None
        rest = [i for i in range(H.rows) if not any(H.row(i))]
        fixed = turn * sp.eye(H.rows)[:, rest]
        return cls(sp.ImmutableMatrix(turn * H), sp.ImmutableMatrix(fixed), law.even, ground)


def along_axes(H: sp.Matrix) -> bool:
    """Are the columns of H those of a unit matrix, up to signs?"""
    return bool((H.T * H).is_Identity) and all(
        sum(x != 0 for x in H.col(j)) == 1 for j in range(H.cols)
    )


def tips(plan: Plan, kind: type[Held] = Held) -> Iterator[tuple[Hinge, str, Held]]:
    """The cut hinges by which the ground holds the end of a cell, where nothing else is."""
    ends = [
        (hinge, link, end.point, other.body == GROUND)
        for hinge in plan.cuts
        for end, other in (hinge.ends, hinge.ends[::-1])
        for link in [plan.by_name.get(end.body)]
        if link and isinstance(link.body, Beam)
    ]
    held_by = Counter((link.name, place(link, point)) for _, link, point, _ in ends)
    for hinge, link, point, grounded in ends:
        at = place(link, point)
        if grounded and not link.children and at != place(link, link.output):
            held = kind.of(plan.model, hinge, link, point)
            if held and held_by[link.name, at] == 1:
                yield hinge, link.name, held


def place(link: Link, point: str) -> sp.Expr:
    """Where a point of a cell is, from x = 0."""
    return exact_expression(link.body.point(point).position[0])


def is_near(link: Link, point: str) -> bool:
    """Is a point of a cell at the end of the output?"""
    return bool(place(link, point) == place(link, link.output))


class Closing(Loops):
    """Loops whose cut hinges may be at the end of a cell on the tip side."""

    def _side(self, end: End, side: str) -> Reads:
        found, link = super()._side(end, side), self.plan.by_name.get(end.body)
        if link and isinstance(link.body, Beam) and not is_near(link, end.point):
            found |= {f"{x}{side}": Ref(f"{x}I", link.name) for x in "xv"}
            found[f"r{side}"] = sp.zeros(self.dimension, 1)
        return found


@dataclass(frozen=True)
class Tie:
    """A force between two points, of `soft` columns, or a cut hinge of so many freedoms.

    Of a `gauge` the ends tell what is felt elsewhere, and feel nothing.

    `rigid`: how many conditions a cut hinge has; None of a force. A cut hinge that neither bears
    loads at rest nor has a law has no soft ones.
    """

    name: str
    ends: tuple[End, ...]
    rigid: int | None
    soft: int
    gauge: bool = False

    @classmethod
    def of(cls, dimension: int, hinge: Hinge, soft: bool) -> Tie:
        """A cut hinge as a tie; `soft` where its freedoms matter, too."""
        freedoms = joint(dimension, hinge.kind).subspace.cols
        rigid = CutHinge.of(dimension, hinge).count
        return cls(hinge.name, hinge.ends, rigid, freedoms if soft else 0)

    @property
    def width(self) -> int:
        return self.soft if self.rigid is None else self.rigid + 2 * self.soft

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays that are kept of a cut hinge."""
        rigid, soft, width = self.rigid, self.soft, self.width
        of_law = (f"cola{width}", f"colb{width}", f"kc{soft}", f"kt{soft}") if soft else ()
        return (f"EA{rigid}", f"EB{rigid}", f"bias{rigid}", *of_law) if rigid is not None else ()

    @property
    def force(self) -> str:
        """The array of how stiff its columns are, where a law of a hinge makes them."""
        return f"cf{self.soft}"

    def columns(self, side: str) -> str:
        """The array of its columns at the link on a side, a or b."""
        if self.rigid is None:
            return f"{'g' * self.gauge}J{side}"
        return f"col{side}{self.width}" if self.soft else f"E{side.upper()}{self.rigid}"
