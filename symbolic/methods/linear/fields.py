"""Beams between the ends of their cells: where cells are, and what states their matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....model import Model
from ...language.program import Kernel
from ...plans.plan import plan
from . import section_kernels
from .cells import in_cells, starts
from .closing import tips
from .resting import Resting


@dataclass(frozen=True)
class Section:
    """What cells of one length and section share; `backward`: their end I is the one at x > 0.

    `kernel` states their transfer matrices of `values` by its ports, see `Resting.section`; SI.
    """

    kernel: Kernel
    values: Mapping[str, float]
    backward: bool


@dataclass(frozen=True)
class Cell:
    """A cell of a beam, which begins at `start`; `held`: by which hinge the ground holds its end I.

    Units
        m.
    """

    name: str
    beam: str
    start: float
    section: Section
    held: str = ""


@dataclass(frozen=True)
class Links:
    """The hinges of bodies and cells on the root's side, and all cells.

    `hinges`: by a body's name that hinge, and whether the body is its child.
    """

    hinges: Mapping[str, tuple[str, bool]]
    cells: Mapping[str, Cell]


def links_of(model: Model, count: int) -> Links:
    """The links that the program of a model has with its beams in so many cells.

    Source
        own
    """
    cut = in_cells(model, count)
    order = plan(cut)
    tree, where = Resting(order, forced=True), starts(model, count)
    held = {name: hinge.name for hinge, name, _ in tips(order)}
    sections, cells = dict[str, Section](), dict[str, Cell]()
    for name, first in tree.sections.items():
        if first.name not in sections:
            values = {port: model.value(x) for port, x in tree.section(first).items()}
            kernel = section_kernels.cell.at(tree, first)
            sections[first.name] = Section(kernel, values, tree.reversed(first))
        cells[name] = Cell(name, *where[name], sections[first.name], held.get(name, ""))
    own = {hinge.name for hinge in model.hinges}
    hinges = {
        link.name: (link.hinge, not tree.attachment(link).backward)
        for link in tree.links
        if link.hinge in own
    }
    return Links(hinges, cells)
