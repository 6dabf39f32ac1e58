"""Which elements there are, and the page of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ...errors import UsageError
from ...model.parts.hinge_kinds import HINGE_KINDS
from .beam import beam_page
from .body import lumped_mass_page, rigid_body_page
from .hinge import hinge_page
from .page import ElementPage

Build = Callable[[], ElementPage]


def _bodies() -> dict[str, dict[int, Build]]:
    return {
        "rigid-body": {d: partial(rigid_body_page, d) for d in (2, 3)},
        "lumped-mass": {d: partial(lumped_mass_page, d) for d in (2, 3)},
        "beam": {2: beam_page},
    }


def _hinges() -> dict[str, dict[int, Build]]:
    found: dict[str, dict[int, Build]] = {}
    for dimension, kinds in HINGE_KINDS.items():
        for kind in kinds:
            found.setdefault(kind, {})[dimension] = partial(hinge_page, dimension, kind)
    return found


#: Every element by name and dimension, with what makes its page: bodies, then hinges.
ELEMENTS: Mapping[str, Mapping[int, Build]] = _bodies() | _hinges()


def element_names() -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Every element with the dimensions that it exists in."""
    return tuple((name, tuple(sorted(pages))) for name, pages in ELEMENTS.items())


def element_page(name: str, dimension: int | None = None) -> ElementPage:
    """The derivation of an element; without a dimension in space, if it exists there.

    Raises
        UsageError: there is no such element, or not in that dimension.
    Source
        Riccati paper and deduction paper, as each statement says.
    """
    if name not in ELEMENTS:
        known = ", ".join(ELEMENTS)
        raise UsageError(f"there is no element {name!r}; there are: {known}")
    pages = ELEMENTS[name]
    if dimension is None:
        dimension = max(pages)
    if dimension not in pages:
        there = " and ".join(str(d) for d in sorted(pages))
        raise UsageError(f"there is no {name} in {dimension} dimensions, but in {there}")
    return pages[dimension]()
