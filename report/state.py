"""The state that a derivation is shown at: as a user types it, `theta1=0.3, omega1=2, g=9.81`."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import ModelError, NumericsError, UsageError
from ..model import Model
from ..model.expressions.evaluation import evaluated
from ..model.expressions.text import read
from ..model.parts.naming import nearest
from ..runtime.solver import compile_model
from .drawing.places import Places, exact, places, with_parameters

#: What states are drawn by.
SEED = 1
#: Of more numbers than these not all sums are kept from being nothing.
FEW = 6

#: What is told beside a state, one number each.
FURTHER = ("omega2",)


@dataclass(frozen=True)
class State:
    """Coordinates, speeds, time and parameters: SI units; `note` says what closed the loops.

    `further` is what an algorithm takes beyond them: ω² of the linear method, or the parts of s.
    """

    q: tuple[float, ...]
    v: tuple[float, ...]
    t: float
    parameters: dict[str, float]
    note: str = ""
    further: Mapping[str, list[float]] = field(default_factory=dict)


def placed(model: Model, state: State) -> Places:
    """Where everything is in a state, by its parameters."""
    return places(
        with_parameters(model, state.parameters), np.array([state.q]), np.array([state.t])
    )


def shown_state(model: Model, text: str | None, rest: bool = False) -> State:
    """What a page is shown at: as it is typed, else so that nothing is zero by chance.

    Of small motions, about `rest`, and of what has no state near its start, the model's start.

    Raises
        UsageError, NumericsError: as `state_of`.
    Source
        own
    """
    if (text or "").strip() or rest:
        return state_of(model, text)
    try:
        found = state_of(model, drawn(model))
    except (NumericsError, UsageError):
        return replace(state_of(model), note="This is the model's start.")
    note = (
        f"These numbers are drawn near the model's start (seed {SEED}), so that nothing is zero by "
        f"chance, and the time is {found.t:g} s. The option --at gives others. {found.note}"
    ).strip()
    return replace(found, note=note)


def drawn(model: Model) -> str:
    """As one types it a state near the start, of numbers with two digits; quaternions as they are.

    Of closed loops one coordinate and one speed are drawn: the others follow.
    """
    rng, drawn_so_far = random.Random(SEED), list[float]()

    def away(x: float) -> str:
        """A number off x such that no two of the first ones, nor a row of them, add to nothing."""
        while True:
            found = rng.choice((-1, 1)) * rng.randint(21, 79) / 100
            sums = [found + sum(drawn_so_far[k:]) for k in range(len(drawn_so_far))]
            sums += [abs(found) - abs(y) for y in drawn_so_far]
            if len(drawn_so_far) > FEW or all(abs(y) > 0.02 for y in sums):
                break
        drawn_so_far.append(found)
        return f"{x + found:.2f}"

    turning = {k + i for k in model.quaternions for i in range(4)}
    places = [(name, model.q0[k]) for k, name in enumerate(model.coordinates) if k not in turning]
    speeds = [*zip(model.speeds, model.v0, strict=True)]
    if model.conditioned:
        places, speeds = places[:1], speeds[:1]
    at = [f"{name}={away(x)}" for name, x in places]
    drawn_so_far.clear()
    return ", ".join([*at, *(f"{name}={away(x)}" for name, x in speeds), "t=0.3"])


def state_of(model: Model, text: str | None = None) -> State:
    """The model's start, with what the text changes of it.

    Each part is `name=value`, the name a coordinate's, a speed's, a parameter's, t, omega2, s, or
    that of a hinge with one coordinate; the value a number or an expression such as `pi/3`, of s a
    complex number such as `-0.5+3i`. Closed loops
    are closed, by moving what is not named; quaternions are made units.

    Raises
        UsageError: a part that is not so, or a name that there is not.
        NumericsError: the loops cannot be closed with what is named.
    Source
        own
    """
    places = {name: ("q", k) for k, name in enumerate(model.coordinates)}
    places |= {name: ("v", k) for k, name in enumerate(model.speeds)}
    values: dict[str, list[float]] = {"q": [*model.q0], "v": [*model.v0]}
    t, parameters, further = 0.0, dict(model.parameters), dict[str, list[float]]()
    called = {} if model.absolute else _by_hinge(model, {*places, *parameters, "t"})
    fixed: dict[str, float] = {}
    given: set[str] = set()
    for part in (text or "").split(","):
        if not part.strip():
            continue
        name, equals, value = (x.strip() for x in part.partition("="))
        if not equals:
            raise UsageError(
                f"--at takes name=value, separated by commas; {part.strip()!r} is none"
            )
        if name == "s" and name not in {*places, *parameters}:
            further[name] = _complex(value)
            continue
        number, name = _number(name, value), called.get(name, name)
        if name in given:
            raise UsageError(f"--at gives {name} twice")
        given.add(name)
        if name in places:
            which, k = places[name]
            values[which][k] = fixed[name] = number
        elif name in parameters:
            parameters[name] = number
        elif name == "t":
            t = number
        elif name in FURTHER:
            further[name] = [number]
        else:
            known = [*places, *parameters, "t"]
            raise UsageError(f"{model.name} has no {name!r}{nearest(name, known)}")
    make_units(model, values["q"])
    if model.conditioned and not exact(model):
        return replace(_closed(model, values, fixed, t, parameters), further=further)
    return State(tuple(values["q"]), tuple(values["v"]), t, parameters, further=further)


def _by_hinge(model: Model, taken: set[str]) -> dict[str, str]:
    """The coordinate of each hinge that has one, by the hinge's name if that is free."""
    found = {hinge.name: model.hinge_coordinates(hinge) for hinge in model.tree_hinges}
    return {
        name: names[0] for name, names in found.items() if len(names) == 1 and name not in taken
    }


def _closed(
    model: Model,
    values: Mapping[str, Sequence[float]],
    fixed: Mapping[str, float],
    t: float,
    parameters: dict[str, float],
) -> State:
    """The state with closed loops: the model's start, or one in which what is named stays."""
    changed = {name: x for name, x in parameters.items() if x != model.parameters[name]}
    solver = compile_model(model, target="numpy", parameters=tuple(changed))
    given = [values["q"], values["v"]] if fixed else []
    start = solver.assemble(*given, fixed=fixed or None, t=t, parameters=changed or None)
    told = start.told("the loops are closed" if model.cuts else "the couplings are kept")
    note = f"{told[:1].upper()}{told[1:]}." if start.moved else ""
    return State(tuple(start.q.tolist()), tuple(start.v.tolist()), t, parameters, note)


def make_units(model: Model, q: list[float]) -> None:
    """Quaternions of length one."""
    names = model.coordinates
    for k in model.quaternions:
        length = sum(x * x for x in q[k : k + 4]) ** 0.5
        if length == 0:
            raise UsageError(f"{names[k]} to {names[k + 3]} are all zero: no quaternion")
        q[k : k + 4] = [x / length for x in q[k : k + 4]]


def _complex(text: str) -> list[float]:
    """Real and imaginary part."""
    try:
        found = complex(text.replace(" ", "").replace("i", "j"))
    except ValueError:
        raise UsageError(f"--at s: {text!r} is no complex number, such as -0.5+3i") from None
    return [found.real, found.imag]


def _number(name: str, text: str) -> float:
    try:
        found = evaluated(read(text, {}), {})
    except ModelError as error:
        raise UsageError(f"--at {name}: {error}") from None
    if found is None:
        raise UsageError(f"--at {name}: {text!r} is no finite number")
    return float(found)
