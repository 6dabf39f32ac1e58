"""A start whose loops are closed by moving what may move: guesses, and what the rest decides.

Of what a start asks, as much stays as is independent, what is asked first before what is asked
later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...model import Model
from ...model.expressions.quantities import told
from ..closing.closing import Closing
from ..closing.conditions import Conditions
from ..closing.cut_targets import CutTargets
from ..closing.start import Item, Items, Start, Wishes, items_of
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from .poses import Poses


def assemble(
    code: Evaluator,
    q0: npt.ArrayLike | None = None,
    v0: npt.ArrayLike | None = None,
    *,
    fixed: Mapping[str, float | Sequence[float]] | None = None,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Start:
    """The state with closed loops that the start asks for.

    Without `q0` and `v0` it is the model's start, whose entries may be *fixed* or a *guess*
    (see model files). With arrays, or where nothing is said, values stay as far as they are
    independent: positions in the order of the coordinates, speeds that are not zero before
    those that are. `fixed` names hinges (cut ones too), coordinates or speeds, by which all
    else becomes a guess: `fixed={"crank": 0.3, "ucrank": 10.0}`.

    Units
        m, rad; m/s, rad/s.
    Raises
        UsageError: a name that there is not, or values that do not fit.
        NumericsError: no such state is found; names what was to stay.
        OpenStateError: what is found leaves more open than a state may.
    Source
        Own: Gauss–Newton with the least change from the guess; where that fails, along a path
        of closed states, then from starts about the guess.
    """
    model, code = code.model, code
    given = None if fixed is None else _numbers(fixed)
    q = code.state("q", model.q0 if q0 is None else q0)
    v = code.state("v", model.v0 if v0 is None else v0)
    for name, array in (("q0", q), ("v0", v)):
        if array.ndim != 1:
            raise UsageError(f"{name} has the shape {array.shape}: a motion starts from one state")
    q = Poses.retracted(code, q)
    if not code.conditions:
        return Start(*_with(model, q.copy(), v.copy(), given), (), ())
    items = tuple(items_of(model))
    targets = CutTargets(code, dict(parameters or {}), t)
    guess = q
    if given is None:
        plain = q0 is not None, v0 is not None
        wishes = [_asked(model, items, (q, v)[k], bool(k), plain[k]) for k in (0, 1)]
        targets.ask_of(model)
    else:
        q, v, wishes = _fixed(model, items, q, v, given, targets)
    conditions = Conditions(code, targets, t, parameters)
    found = Closing(conditions, Items(items, code.speeds)).start(q, v, wishes, guess)
    code.see_closed("assemble", found.q, found.v, t=t, parameters=parameters)
    return found


def _numbers(fixed: Mapping[str, float | Sequence[float]]) -> dict[str, Floats]:
    """What is fixed, as arrays by name."""
    if not isinstance(fixed, Mapping):
        raise UsageError(f"fixed = {fixed!r} must map names to values, such as {{'crank': 0.3}}")
    found = {}
    for name, value in fixed.items():
        try:
            found[name] = np.atleast_1d(np.asarray(value, float))
        except (TypeError, ValueError):
            raise UsageError(
                f"fixed: {name} = {value!r} is no number and no list of them"
            ) from None
        if not np.isfinite(found[name]).all():
            raise UsageError(f"fixed: {name} = {value!r} is not finite")
    return found


def _of(model: Model, items: Sequence[Item], owner: str) -> list[int]:
    """The items of a hinge, beam or body."""
    place = 0
    for name, coordinates, _ in model.owners:
        if name == owner:
            return [k for k, x in enumerate(items) if place <= x.places.start < place + coordinates]
        place += coordinates
    return []


def _asked(model: Model, items: Sequence[Item], state: Floats, speeds: bool, plain: bool) -> Wishes:
    """The order in which the values of a state are to stay."""
    asked = () if plain else tuple(x for x in model.asked if x.speeds == speeds)
    if plain or not model.asked:
        every = range(len(items))
        if not speeds:
            return Wishes(tuple(every))
        return Wishes(tuple(sorted(every, key=lambda k: not np.any(state[items[k].speeds]))))
    must = [k for x in asked if x.fixed for k in _of(model, items, x.owner)]
    may = [k for x in asked if x.fixed is None for k in _of(model, items, x.owner)]
    return Wishes((*must, *may), len(must))


def _fixed(
    model: Model,
    items: Sequence[Item],
    q: Floats,
    v: Floats,
    fixed: Mapping[str, Floats],
    targets: CutTargets,
) -> tuple[Floats, Floats, list[Wishes]]:
    """The state with the values that must stay, and which they are."""
    q, v = q.copy(), v.copy()
    must: tuple[list[int], list[int]] = ([], [])
    for name, value in fixed.items():
        if targets.ask(name, value):
            continue
        which, numbers = _place(model, items, name, value)
        for k, number in zip(which, numbers, strict=True):
            into, where = (v, items[k].speeds) if name in model.speeds else (q, items[k].places)
            into[where] = number
        must[name in model.speeds].extend(which)
    return q, v, [Wishes(tuple(each), len(each)) for each in must]


def _place(
    model: Model, items: Sequence[Item], name: str, value: Floats
) -> tuple[list[int], list[Floats]]:
    """The items that a name means, and the values of each."""
    if name in model.speeds:
        k = model.speeds.index(name)
        which = [j for j, x in enumerate(items) if x.speeds == slice(k, k + 1)]
    elif name in model.coordinates:
        k = model.coordinates.index(name)
        which = [j for j, x in enumerate(items) if x.places == slice(k, k + 1)]
    else:
        which = _of(model, items, name)
    if not which:
        known = ", ".join([*(n for n, _, _ in model.owners), *model.coordinates, *model.speeds])
        raise UsageError(
            f"fixed: there is no hinge, coordinate or speed {name!r}; there are: {known}"
        )
    sizes = [x.places.stop - x.places.start for x in (items[k] for k in which)]
    if len(value) != sum(sizes):
        raise UsageError(f"fixed: {name} has {told(len(value), 'value')} instead of {sum(sizes)}")
    return which, np.split(value, np.cumsum(sizes)[:-1])


def _with(
    model: Model,
    q: Floats,
    v: Floats,
    fixed: Mapping[str, Floats] | None,
) -> tuple[Floats, Floats]:
    """A state without loops: what is fixed is as it is said."""
    items = tuple(items_of(model))
    for name, value in (fixed or {}).items():
        which, numbers = _place(model, items, name, value)
        for k, number in zip(which, numbers, strict=True):
            if name in model.speeds:
                v[items[k].speeds] = number
            else:
                q[items[k].places] = number
    return q, v
