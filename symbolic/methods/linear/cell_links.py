"""Cells of beams as links of a tree: what kernels read of each, and how the ground holds it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import sympy as sp

from ....model import Beam, Body, Model
from ....model.expressions.quantities import exact_expression
from ...language.program import Ref
from ...language.tangent import tangent_name
from ...language.walk import Binding, Place
from ...mechanics.constants import LinkConstants
from ...plans.plan import Link, Plan
from ...tree.beams import Beams
from ...tree.joint import Joint
from ...tree.walking import Finder
from .closing import HELD, OF_HELD, Held, is_near, place, tips

#: What cells of one section share: their transfer matrix, and its derivative.
_MATRICES = ("Tuu", "Tul", "Tlu", "Tll")
OF_SECTION = (*_MATRICES, *map(tangent_name, _MATRICES))

#: Of which results by cell kernels give the values at ends on the tip side, by what they call them.
BY_CELL = {"dispI": "ue", "momI": "Pe", "yI": "yI", "lI": "lI"}
#: What cells bear at rest, by cell too: tension at I and its slope, wrenches at both ends.
BORNE = ("NI", "NS", "wI", "wO")


class Exact(Beams):
    """Beams that are links like bodies: no parts of theirs are."""

    def __init__(self, plan: Plan, forced: bool, loaded: bool) -> None:
        super().__init__(plan, forced, loaded)
        self._cells = self.beams.keys()
        self.beams, self._parts = {}, {}

    @property
    def bending(self) -> Set[str]:
        return self._cells


class Cells(Joint):
    """The links of a tree of which each cell of a beam is one."""

    of_beams = Exact
    #: What ends of cells are held by.
    of_held: ClassVar[type[Held]] = Held

    def __init__(self, plan: Plan, forced: bool, loaded: bool | None = None) -> None:
        #: How the ground holds ends of cells on their tip sides.
        found = list(tips(plan, self.of_held))
        self.tips = {name: held for _, name, held in found}
        #: The cut hinges that hold them.
        self.holding = {name: hinge.name for hinge, name, _ in found}
        super().__init__(plan, forced, loaded, folds=True)
        self.sets["cells"] = tuple(self.sections)
        self.sets["sections"] = tuple(dict.fromkeys(x.name for x in self.sections.values()))

    def constants_of_links(self) -> dict[str, LinkConstants]:
        """Those of a cell too: what hangs on it is seen from where it hangs, in the link's axes."""
        found, same = super().constants_of_links(), dict[tuple[object, ...], LinkConstants]()
        for link in self.plan.links:
            if isinstance(link.body, Beam):
                key = (replace(link.body, name=""), link.output, link.inputs)
                if key not in same:
                    same[key] = of_cell(link, self.plan.model.dimension)
                found[link.name] = same[key]
        return found

    @property
    def laden(self) -> bool:
        """May beams bear loads at rest? Each cell has a tension of its own then."""
        return bool(self.model.beams) and acts(self.model)

    def is_cell(self, link: Link) -> bool:
        """Is the link a cell of a beam?"""
        return isinstance(link.body, Beam)

    def near(self, link: Link) -> tuple[bool, ...]:
        """Of each input of a cell: is it at the end of the output?"""
        return tuple(is_near(link, point) for point in link.inputs)

    def reversed(self, link: Link) -> bool:
        """Does a cell lead to its end x = 0?"""
        return bool(place(link, link.output) == 0)

    def turned(self, link: Link) -> bool:
        """Are the axes of a cell's output others than the beam's?"""
        return not self.data[link.name].axes.is_Identity

    @cached_property
    def _far(self) -> set[str]:
        """The links that hang on the tip side's ends of cells."""
        return {
            child
            for link in self.links
            if self.is_cell(link)
            for child, near in zip(link.children, self.near(link), strict=True)
            if not near
        }

    def of_parent(self, array: str, link: Link) -> Binding:
        """Of a cell the place and the displacement of the end that the link hangs on."""
        of_end = {"xi": "xiI", "x": "xI", "vl": "vI"}.get(array, array)
        return super().of_parent(of_end if link.name in self._far else array, link)

    def kind(self, link: Link) -> Hashable:
        """Where a link hangs on a cell counts too, and how a cell is held."""
        return super().kind(link), link.name in self._far, self.tips.get(link.name)

    def holds(self, link: Link) -> int | None:
        """The freedoms that the ground leaves to the tip side's end of a cell, if it holds it."""
        return self.tips[link.name].free.cols if link.name in self.tips else None

    @cached_property
    def sections(self) -> dict[str, Link]:
        """A link of each kind of cell, by the cells' names; all others have its matrices."""
        first: dict[tuple[object, ...], Link] = {}
        return {
            link.name: first.setdefault(
                (*self.section(link).items(), self.reversed(link), link.name * self.laden), link
            )
            for link in self.links
            if self.is_cell(link)
        }

    def section(self, link: Link) -> dict[str, sp.Expr]:
        """What the transfer matrix of a cell is made of, by the names of ports."""
        beam = _cell(link)
        (EI, shear, rotary) = (
            x if isinstance(x, tuple) else (0, x)
            for x in (beam.bending_stiffness, beam.shear_stiffness, beam.rotary_inertia)
        )
        given = {
            **{"l": beam.length, "rhoA": beam.density, "EA": beam.axial_stiffness},
            **{"T0": beam.tension, "kw": beam.foundation},
            **{"GJ": beam.torsional_stiffness, "rhoJ": beam.polar_inertia},
            **{"EIy": EI[0], "EIz": EI[1], "rhoIy": rotary[0], "rhoIz": rotary[1]},
            **{"visc": beam.damping, "loss": beam.loss, "W": beam.spin},
        }
        found = {name: exact_expression(value) for name, value in given.items()}
        for name, stiffness in zip(("gy", "gz"), map(exact_expression, shear), strict=True):
            found[name] = 1 / stiffness if stiffness else sp.Integer(0)
        return found

    def borne(self, link: Link) -> Mapping[str, bool]:
        """What the law at a held end of a cell depends on, if it is not a constant."""
        return {}

    def relaxed(self, link: Link) -> bool:
        """Are stiffnesses of a cell complex?"""
        return False

    def spun(self, link: Link) -> bool:
        """Does a cell spin?"""
        return False

    def cell_pivots(self, link: Link) -> int:
        """The number of pivots of a cell: none where the end on the tip side is clamped."""
        held = self.holds(link)
        return 0 if not self.is_cell(link) else self.space.motion if held is None else held

    def reads(self, name: str, link: Link) -> Binding | None:
        """How cells are held, and their sections' matrices."""
        if found := OF_HELD.fullmatch(name):
            held = self.tips[link.name]
            if found[1] == "kg" or held.ground is None or found[2]:
                return sp.Matrix(getattr(held, HELD[found[1]]))
            return None
        if name == "Ag":
            return sp.Matrix(self.tips[link.name].ground)
        if name in OF_SECTION:
            if self.laden:
                return Place(name, "section")
            return Ref(name, self.sections[link.name].name)
        if name == "fe":
            return Place(name, "cell")
        if name == "lc":
            return Ref(name, self.holding[link.name])
        if name == "l":
            return sp.Matrix([exact_expression(_cell(link).length)])
        if name == "rI":
            length = exact_expression(_cell(link).length)
            along = sp.Matrix([length if self.reversed(link) else -length])
            return self.data[link.name].axes * along.col_join(sp.zeros(self.dimension - 1, 1))
        return super().reads(name, link)

    def writes(self, name: str, link: Link) -> Place | Ref | None:
        """What is found of ends of cells is kept by cell."""
        if name in BY_CELL or name in BORNE:
            return Place(BY_CELL.get(name, name), "cell")
        if name == "lc":
            return Ref(name, self.holding[link.name])
        return super().writes(name, link)

    def finder(self, relation: str) -> Finder | None:
        """The cell that a link is."""
        if relation in ("cell", "section"):
            return f"{relation}s", lambda link: link.name if self.is_cell(link) else None
        return super().finder(relation)

    def set_of(self, array: str) -> str:
        """Of sections their matrices."""
        return "sections" if array in OF_SECTION else super().set_of(array)


def acts(model: Model) -> bool:
    """Does anything act on a model from outside?"""
    return any(exact_expression(x) != 0 for x in model.gravity) or bool(model.loads)


def _cell(link: Link) -> Beam:
    assert isinstance(link.body, Beam)
    return link.body


def of_cell(link: Link, dimension: int) -> LinkConstants:
    """A cell's constants as those of a rod, from its output; what hangs on it has no arms."""
    beam = _cell(link)
    length, none = exact_expression(beam.length), (0,) * (dimension - 1)
    mass = exact_expression(beam.density) * length
    slender = mass * length**2 / 12
    across = slender, exact_expression(beam.polar_inertia) * length
    inertia = (
        slender
        if dimension == 2
        else tuple(tuple(across[i == 0] if i == j else 0 for j in range(3)) for i in range(3))
    )
    rod = Body(beam.name, mass, inertia, (length / 2, *none), beam.points)
    found = LinkConstants.of(rod, link.output, link.inputs, dimension)
    return replace(found, arms=tuple(sp.zeros(dimension, 1) for _ in found.arms))
