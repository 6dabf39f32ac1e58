"""What a model's author leaves out, filled in, and the model checked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from itertools import count
from typing import TypeVar

from ...errors import ModelError
from ..parts.bodies import Beam, Body, End
from ..parts.hinge_kinds import HINGE_KINDS
from ..parts.hinges import GROUND, Hinge
from ..parts.system import System
from ..topology import choose_cuts, read_hinges
from .check import check
from .unresisted import UnresistedError

#: A system, or a model, which is one.
S = TypeVar("S", bound=System)

#: Within this a start is taken as it is, as states of loops are.
CLOSED = 1e-9

#: So many hinges are tried to be cut first, where links without mass need other cuts.
MOST_TRIED = 50


def complete(model: System) -> None:
    """Put beams last, part hinges that share a point, fill in what is left out, and check it all.

    Raises
        ModelError: names the element and the field that is wrong.
    """

    def is_now(field: str, value: object) -> None:
        object.__setattr__(model, field, value)

    beams_last = sorted(model.bodies, key=lambda body: isinstance(body, Beam))
    bodies, hinges = apart(tuple(beams_last), model.hinges)
    is_now("bodies", bodies)
    is_now("hinges", hinges)
    defaults = {x.name: x.default for x in model.inputs}
    is_now("parameters", {**model.parameters, **defaults, **model.parameters})
    chosen = len(model.cuts) == 0 and not model.absolute and model.dimension in HINGE_KINDS
    free = chosen and len(model.q0) == len(model.v0) == 0
    read = read_hinges(model)
    if chosen:
        narrow = free and not model.beams  # with beams all loops close at the ground
        is_now("cuts", choose_cuts(model.dimension, model.hinges, read, narrow=narrow))
    led(model)
    at_rest(model)
    try:
        check(model)
    except UnresistedError as error:
        if not model.cuts:
            raise
        asked = model.cuts
        found = resisted_elsewhere(model, read, error.motions)
        if not (free and found):
            cuts = model.cuts if found else None
            object.__setattr__(model, "cuts", asked)
            raise error.told(cuts) from None


def led(model: System) -> None:
    """Drop from a start what it says of hinges that follow, where it gives every hinge's own.

    Raises
        ModelError: a follower starts elsewhere than its leader wants it.
    """
    if not model.followers:
        return
    tree = [hinge for hinge in model.tree_hinges if not hinge.motion]
    for field, names in (("q0", model.coordinates), ("v0", model.speeds)):
        state = getattr(model, field)
        if len(state) != len(names) + len(model.followers):
            continue
        given, left, said = iter(state), list[float](), dict[str, float]()
        counts = {name: ns[field == "v0"] for name, *ns in model.owners}
        for hinge in tree:
            if hinge.name in model.followers:
                said[hinge.name] = next(given)
            else:
                left += (next(given) for _ in range(counts[hinge.name]))
        object.__setattr__(model, field, (*left, *given))
        for name, value in said.items():
            see_led(model, name, value, getattr(model, field), speeds=field == "v0")


def see_led(
    model: System, name: str, value: float, state: Sequence[float], speeds: bool = False
) -> None:
    """See that a follower's coordinate or speed is what its leader makes it in a state.

    Raises
        ModelError: it is another.
    """
    mimic = model.followers[name]
    names = model.speeds if speeds else model.coordinates
    kind = "speed" if speeds else "coordinate"
    leader = f"{'u' if speeds else 'q'}{mimic.hinge}"
    if leader not in names:
        return  # the coupling is refused
    leading = state[names.index(leader)]
    wanted = model.value(mimic.ratio) * leading
    wanted += 0.0 if speeds else model.value(mimic.offset)
    if not abs(value - wanted) <= CLOSED * max(1.0, abs(wanted)):
        raise ModelError(
            f"starts at {value:g} and shares the {kind} of hinge {mimic.hinge}, which makes it "
            f"{wanted:g}; leave it out, or start {mimic.hinge} elsewhere",
            element=f"hinge {name}",
            field="v0" if speeds else "q0",
        )


def with_dynamics(model: S) -> S:
    """The kinematic model, whose bodies have been found to resist all motions, with dynamics.

    Nothing is checked a second time, so that no doubt comes twice.
    """
    object.__setattr__(model, "kinematic", False)
    return model


def at_rest(model: System) -> None:
    """Fill in the start, where none is given."""
    if len(model.q0) == 0:
        object.__setattr__(model, "q0", model.rest_position())
    if len(model.v0) == 0:
        object.__setattr__(model, "v0", (0.0,) * len(model.speeds))


def resisted_elsewhere(model: System, read: Collection[str], motions: int) -> bool:
    """Cut other hinges, such that something with inertia hangs on every link; False if none do.

    A link without mass that a loop holds moves with what is beyond it, if it is cut elsewhere. A
    hinge whose cut leaves fewer `motions` that nothing resists stays cut while others are tried:
    where several loops have such links, each needs another cut.
    """
    tried, first = {model.cuts}, tuple[str, ...]()
    for name in ("", *(hinge.name for hinge in model.hinges[:MOST_TRIED])):
        cuts = choose_cuts(model.dimension, model.hinges, read, (*first, name))
        if cuts in tried or name in read:
            continue
        tried.add(cuts)
        forget(model)
        for field, value in (("cuts", cuts), ("q0", ()), ("v0", ())):
            object.__setattr__(model, field, value)
        at_rest(model)
        try:
            check(model)
        except UnresistedError as error:
            if error.motions < motions:
                first, motions = (*first, name), error.motions
            continue
        except ModelError:
            continue
        return True
    return False


def forget(model: System) -> None:
    """Drop what was found of the model with other cuts."""
    own = {field.name for field in fields(model)}
    for name in [name for name in vars(model) if name not in own]:
        del vars(model)[name]


def apart(
    bodies: tuple[Body | Beam, ...], hinges: tuple[Hinge, ...]
) -> tuple[tuple[Body | Beam, ...], tuple[Hinge, ...]]:
    """Each hinge at points of its own: of several that share one, the later ones get others.

    These are where it is, with its axes, and have its name and a number: `tip2`, `tip3`.
    """
    ends = [end for hinge in hinges for end in hinge.ends if _on_body(end)]
    if len({(end.body, end.point) for end in ends}) == len(ends):  # tuples are hashed fast
        return bodies, hinges
    named = {body.name: [*body.points] for body in bodies}
    met: set[End] = set()

    def own(end: End) -> End:
        if not _on_body(end) or end not in met:
            met.add(end)
            return end
        points = named.get(end.body, [])
        shared = next((point for point in points if point.name == end.point), None)
        if shared is None:  # which `check` says
            return end
        names = {point.name for point in points}
        name = next(x for k in count(2) if (x := f"{end.point}{k}") not in names)
        points.append(replace(shared, name=name))
        return End(end.body, name)

    parted = tuple(
        replace(h, ends=(own(h.ends[0]), own(h.ends[1]))) if len(h.ends) == 2 else h for h in hinges
    )
    return tuple(
        replace(body, points=tuple(named[body.name]))
        if len(named[body.name]) > len(body.points)
        else body
        for body in bodies
    ), tuple(old if old.ends == new.ends else new for old, new in zip(hinges, parted, strict=True))


def _on_body(end: object) -> bool:
    return isinstance(end, End) and end.body != GROUND
