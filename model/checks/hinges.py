"""Hinges: is what a model says of each possible?"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import ModelError
from ..parts.bodies import End
from ..parts.hinge_kinds import HINGE_KINDS, SIZES, HingeKind
from ..parts.hinges import GROUND, Hinge
from ..parts.limits import check_limits
from ..parts.naming import NO_NAME, is_name
from ..parts.system import System
from .laws import check_hinge_laws
from .numbers import number


def check_hinge(model: System, hinge: Hinge) -> None:
    """A hinge: its kind, sizes, limits and laws."""
    element = f"hinge {hinge.name}"
    kinds = HINGE_KINDS[model.dimension]
    if hinge.kind not in kinds:
        raise ModelError(
            f"{hinge.kind!r} is no hinge in {model.dimension} dimensions; there is: "
            + ", ".join(kinds),
            element=element,
            field="kind",
        )
    if model.absolute and not kinds[hinge.kind].absolute:
        raise ModelError(
            f"{hinge.kind} cannot be described in absolute coordinates; use joint coordinates",
            element=element,
            field="kind",
        )
    _sizes(model, hinge, kinds[hinge.kind])
    if hinge.limits:
        check_limits(hinge.limits, kinds[hinge.kind], element)
    check_hinge_laws(model, hinge)


def joining_nothing(model: System) -> Iterator[Hinge]:
    """The hinges that may join no two bodies at their points, which `check_ends` looks at."""
    sets: dict[int, frozenset[object]] = {}
    there = {GROUND: frozenset[object]()}
    for body in model.bodies:
        at = id(body.points)
        if at not in sets:
            sets[at] = frozenset(point.name for point in body.points)
        there[body.name] = sets[at]
    none = frozenset[object]()
    for hinge in model.hinges:
        try:
            one, other = hinge.ends
            first, second = one.body, other.body
            sound = one.point in there.get(first, none) and other.point in there.get(second, none)
        except (AttributeError, TypeError, ValueError):
            sound = False
        if not sound or first == second:
            yield hinge


def check_ends(model: System, hinge: Hinge) -> None:
    """A hinge's ends: two points that are there, of two bodies."""

    def wrong(said: str) -> ModelError:
        return ModelError(said, element=f"hinge {hinge.name}", field="ends")

    if len(hinge.ends) != 2 or not all(isinstance(end, End) for end in hinge.ends):
        raise wrong("must be two ends (End)")
    first, second = hinge.ends
    if first.body == second.body:
        where = "the ground" if first.body == GROUND else f"body {first.body}"
        raise wrong(f"joins {where} with itself")
    for end in hinge.ends:
        if not is_name(end.point):
            raise wrong(f"{end.point!r} {NO_NAME}")
        if end.body != GROUND:
            try:
                model.body(end.body).point(end.point)
            except ModelError as error:
                raise wrong(str(error)) from None


def _sizes(model: System, hinge: Hinge, kind: HingeKind) -> None:
    """A hinge has the sizes of its kind, and no others."""
    element = f"hinge {hinge.name}"
    for symbol, size in SIZES.items():
        field = symbol.name
        value = number(model, getattr(hinge, field), element, field)
        if symbol in kind.sizes:
            if size.needed and value == 0:
                raise ModelError(
                    f"must not be 0: a {kind.name} hinge needs it", element=element, field=field
                )
        elif getattr(hinge, field) != 0:
            raise ModelError(
                f"a {kind.name} hinge has none; leave it out", element=element, field=field
            )
