"""The graph of a model: what is cut so that a tree is left, which ends bound it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import sympy as sp

from ..errors import ModelError
from .expressions.quantities import Quantity, exact_expression, told
from .parts.bodies import Beam, End
from .parts.hinge_kinds import HINGE_KINDS
from .parts.hinges import GROUND, OWN, Hinge
from .parts.system import System
from .widths import Loops, narrowed


class Forest:
    """Bodies joined so far: do two of them already hang together?"""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def find(self, body: str) -> str:
        """The body that stands for all that `body` hangs together with."""
        top = body
        while top in self._above:
            top = self._above[top]
        while body != top:
            self._above[body], body = top, self._above[body]
        return top

    def join(self, first: str, second: str) -> bool:
        """Join two bodies; False if they already hang together."""
        first, second = self.find(first), self.find(second)
        if first == second:
            return False
        self._above[first] = second
        return True


def ring(links: Iterable[tuple[str, str]]) -> list[str]:
    """The bodies of the first loop that links close, one after the other; none of a forest."""
    forest, beside = Forest(), defaultdict[str, list[str]](list)
    for first, second in links:
        if forest.join(first, second):
            beside[first].append(second)
            beside[second].append(first)
            continue
        before, waiting = {first: first}, [first]
        while second not in before:
            here = waiting.pop()
            for other in beside[here]:
                if other not in before:
                    before[other] = here
                    waiting.append(other)
        found = [second]
        while found[-1] != first:
            found.append(before[found[-1]])
        return found
    return []


def inextensible(model: System) -> tuple[str, ...]:
    """The beams that closed loops hold at several points though they have no axial function.

    Where the points are as far apart as the straight beam is long, it cannot bend: bending draws
    them together.
    """
    bending = (x for x in model.bodies if isinstance(x, Beam) and x.bending_modes)
    beams = {x.name: x for x in bending if x.foreshortening}
    pieces = {
        name: list(pairwise(f"{name}:{point.name}" for point in beam.points))
        for name, beam in beams.items()
    }
    links = [
        tuple(str(end) if end.body in beams else end.body for end in hinge.ends)
        for hinge in model.hinges
    ]
    links += [piece for of_beam in pieces.values() for piece in of_beam]

    def held_otherwise(piece: tuple[str, str]) -> bool:
        forest = Forest()
        at = links.index(piece)
        for k, (first, second) in enumerate(links):
            if k != at:
                forest.join(first, second)
        return forest.find(piece[0]) == forest.find(piece[1])

    slack = (name for name, beam in beams.items() if not beam.axial)
    return tuple(name for name in slack if any(map(held_otherwise, pieces[name])))


def is_plain(dimension: int, hinge: Hinge) -> bool:
    """Is a hinge smooth, moved by nothing, and of a kind whose shifts and turns are independent?"""
    moved = hinge.force or hinge.motion or hinge.potential != 0
    kind = HINGE_KINDS[dimension].get(hinge.kind)
    return not (moved or (kind and kind.lead))


def why_not_cut(dimension: int, hinge: Hinge, hinges: Sequence[Hinge]) -> str:
    """Why a hinge of these cannot be cut; empty if it can."""
    kind = HINGE_KINDS[dimension].get(hinge.kind)
    if kind and kind.why_not_cut and not hinge.motion:
        return kind.why_not_cut
    if hinge.rotor:
        return "carrying a rotor"
    if hinge.mimic or any(h.mimic and hinge.name in h.mimic.leaders for h in hinges):
        return "coupled with another hinge"
    return ""


def read_hinges(model: System) -> frozenset[str]:
    """The hinges whose coordinates or speeds laws read that are not their own.

    Such a hinge is cut only if there is no other: a cut one has no coordinates in the state.
    """
    apart = [force.law for force in model.forces]
    apart += [law for load in model.loads for law in (*load.force, *load.moment)]
    inside = [law for hinge in model.hinges for law in hinge.force]
    used = _names(apart) | {name for name in _names(inside) if not OWN.fullmatch(name)}
    if not used:
        return frozenset()
    return frozenset(
        hinge.name
        for hinge in model.hinges
        if used & {*model.hinge_coordinates(hinge), *model.hinge_speeds(hinge)}
    )


def _names(laws: Iterable[Quantity]) -> set[str]:
    return {x.name for law in laws if isinstance(law, sp.Expr) for x in law.free_symbols}


def choose_cuts(
    dimension: int,
    hinges: Sequence[Hinge],
    started: Collection[str] = (),
    first: Collection[str] = (),
    narrow: bool = False,
) -> tuple[str, ...]:
    """The hinges to cut, in the model's order, so that every loop is open.

    Of the plain hinges of a loop the one with the fewest constraints is cut, of those without
    limits if there are any (among equals one that is not `started`, whose start is given, and of
    those the last in the model's order); a helical, driven or loaded one only if there is no
    other, and one that cannot be cut at all after those. Those called `first` are cut before all
    others, as far as they are in loops. If `narrow`, of plain equals without limits those are cut
    with which the loops' conditions cost least in the sweeps, if that is half or less.
    """
    coupled = [hinge for hinge in hinges if hinge.mimic]
    Reluctance: TypeAlias = tuple[bool, bool, bool, bool, int, bool]

    def reluctance(hinge: Hinge) -> Reluctance:
        kind = HINGE_KINDS[dimension].get(hinge.kind)
        speeds = kind.speeds if kind else 0
        held = bool(why_not_cut(dimension, hinge, coupled))
        plain = is_plain(dimension, hinge)
        limited = bool(hinge.limits)
        return hinge.name not in first, held, not plain, limited, -speeds, hinge.name in started

    def alike(hinge: Hinge) -> Reluctance | None:
        found = reluctance(hinge)
        return None if any(found[1:4]) else found

    cuts = cut_least(hinges, reluctance)
    return narrowed(dimension, [*_joined(hinges)], cuts, alike) if narrow else cuts


def open_columns(model: System) -> str:
    """How many columns the cuts lead through a hinge at most, and what other cuts would do.

    Nothing of less than two cuts, nor with beams, where the columns of all go to the ground.
    """
    if len(model.cuts) < 2 or model.beams:
        return ""
    joined, read = [*_joined(model.hinges)], read_hinges(model)
    last, few = (choose_cuts(model.dimension, model.hinges, read, narrow=x) for x in (False, True))
    now, least, other = (Loops(model.dimension, joined, x) for x in (model.cuts, few, last))
    said = f"cuts: at most {told(now.widest, 'column')} of theirs pass a hinge"
    if least.is_cheaper(now):
        return f"{said}, {least.widest} if the model names neither cuts nor a start"
    if few == model.cuts != last:
        return f"{said}, chosen for few: {other.widest} where a start is given"
    return said


def cut_least(hinges: Sequence[Hinge], reluctance: Callable[[Hinge], Any]) -> tuple[str, ...]:
    """The hinges to cut, in the model's order, that are least reluctant in sum.

    Among equals the last in the model's order. That taking the most reluctant ones into the tree
    first gives the least sum is Kruskal's theorem.
    """
    forest = Forest()
    cut = {
        hinge.name
        for hinge in sorted(_joined(hinges), key=reluctance, reverse=True)
        if not forest.join(*(end.body for end in hinge.ends))
    }
    return tuple(hinge.name for hinge in hinges if hinge.name in cut)


def check_cuts(
    dimension: int,
    hinges: Sequence[Hinge],
    cuts: Sequence[str],
    value: Callable[[Quantity], float],
) -> None:
    """See that the cuts can be cut, open every loop and cut off no body.

    `value` gives a quantity's value at the model's parameters.

    Raises
        ModelError: names the cut, or a hinge that closes a loop.
    """
    named = {hinge.name: hinge for hinge in hinges}
    for name, count in Counter(cuts).items():
        if count > 1:
            raise ModelError(f"hinge {name} is named {count} times", field="cuts")
        if name not in named:
            raise ModelError(f"there is no hinge {name!r}", field="cuts")
        why = why_not_cut(dimension, named[name], hinges)
        if why:
            raise ModelError(
                f"cannot be cut: it is {why}; {_instead(dimension, named[name], hinges)}",
                element=f"hinge {name}",
            )
        if not named[name].motion:
            _check_sizes(dimension, named[name], value)
    forest = Forest()
    for hinge in hinges:
        if hinge.name not in cuts and not forest.join(*(end.body for end in hinge.ends)):
            raise ModelError(f"hinge {hinge.name} closes a loop that is not cut", field="cuts")
    for name in cuts:
        if forest.join(*(end.body for end in named[name].ends)):
            raise ModelError(
                "cannot be cut: it closes no loop, bodies would fall off", element=f"hinge {name}"
            )


def _instead(dimension: int, cut: Hinge, hinges: Sequence[Hinge]) -> str:
    """What else may be done where a hinge cannot be cut.

    Another may be, unless those that cannot be either close a loop with it.
    """
    held = Forest()
    for hinge in _joined(hinges):
        if hinge is not cut and why_not_cut(dimension, hinge, hinges):
            held.join(*(end.body for end in hinge.ends))
    first, second = (held.find(end.body) for end in cut.ends)
    if first == second:
        return "nor can any other hinge of its loop, which needs one that can"
    return "cut another hinge of its loop (cuts=…)"


def _check_sizes(dimension: int, hinge: Hinge, value: Callable[[Quantity], float]) -> None:
    """A cut screw divides by its pitch, unless that is the number 0: a revolute hinge."""
    for size in HINGE_KINDS[dimension][hinge.kind].sizes:
        given = getattr(hinge, size.name)
        if exact_expression(given) != 0 and value(given) == 0.0:
            raise ModelError(
                f"cannot be cut where the parameters make its {size} 0; cut another hinge of its "
                f"loop (cuts=…), or give the {size} as the number 0",
                element=f"hinge {hinge.name}",
            )


def _joined(hinges: Iterable[Hinge]) -> Iterable[Hinge]:
    """The hinges that join two different bodies; what the others lack is said elsewhere."""
    for hinge in hinges:
        ends = [end for end in hinge.ends if isinstance(end, End)]
        if len(ends) == len(hinge.ends) == 2 and ends[0].body != ends[1].body:
            yield hinge


def joined_at(hinges: Iterable[Hinge]) -> dict[End, tuple[Hinge, End]]:
    """At each end of a body where a hinge is: the hinge, and its other end."""
    found: dict[End, tuple[Hinge, End]] = {}
    for hinge in hinges:
        first, second = hinge.ends
        found |= {first: (hinge, second), second: (hinge, first)}
    return {end: there for end, there in found.items() if end.body != GROUND}


def root_end(root: str, hinges: Sequence[Hinge]) -> End:
    """The body's end that the text of a root means: `body:point`, or a hinge to the ground.

    Raises
        ModelError: it is no such text, or the hinge does not lead to the ground.
    """
    if ":" in root:
        try:
            return End.parse(root)
        except ModelError as error:
            raise ModelError(str(error).partition(": ")[2], field="root") from None
    grounded = {
        hinge.name: end
        for hinge in hinges
        for end, other in (hinge.ends, hinge.ends[::-1])
        if other.body == GROUND
    }
    if root not in grounded:
        raise ModelError(
            f"{root!r} is no hinge to the ground; name one ({', '.join(grounded)}), or a free "
            "end as body:point",
            field="root",
        )
    return grounded[root]


def check_transfer(model: System) -> None:
    """See that root and first inputs are ends of the kind that they must be.

    Raises
        ModelError: names the end and what could stand there.
    """
    if not isinstance(model.root, str):
        raise ModelError(f"must be a text (body:point), is {model.root!r}", field="root")
    if not isinstance(model.first_inputs, Mapping):
        raise ModelError("must map bodies to their points", field="first_inputs")
    there = joined_at(model.hinges) if model.root or model.first_inputs else {}
    if model.root:
        end = root_end(model.root, model.hinges)
        _point(model, end, "root")
        if end in there and there[end][1].body != GROUND:
            hinge, other = there[end]
            raise ModelError(
                f"{end} is joined to {other} by hinge {hinge.name}; a root is a boundary end: a "
                "free point of a body, or a hinge to the ground",
                field="root",
            )
    for body, point in model.first_inputs.items():
        end = End(body, point)
        _point(model, end, "first_inputs")
        hung = [p.name for p in model.body(body).points if End(body, p.name) in there]
        if point not in hung and len(hung) > 1:
            raise ModelError(
                f"nothing is hinged to {end}; take one of: {', '.join(hung)}", field="first_inputs"
            )


def _point(model: System, end: End, field: str) -> None:
    try:
        model.body(end.body).point(end.point)
    except ModelError as error:
        raise ModelError(str(error), field=field) from None
