"""A step of each integrator against its tableau, with rates in 50 digits.

Quaternions are turned as the tableau says, or brought back to unit length; loops that a step has
opened are closed by the program's own correction. So a wrong coefficient, stage, turn or correction
is found where a state is moved, and not only where its rates are told.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import mpmath

from ...errors import NumericsError
from ...model.jumps import arguments as jumps
from ...model.jumps import laws
from ...symbolic.language.arithmetic import as_decimal, as_mpf
from ...symbolic.language.program import Program
from ..tableaus import METHODS, Collocation, Method, Surd, Tableau, turns
from .closed_states import Arguments, closed_state
from .points import sample
from .records import ONE_STEP, Record, changed, compare, distance
from .replay import Run

#: Shaken evaluations by which κ is found.
TRIALS = 4

#: The step of an integrator, s.
STEP = 1e-3

#: That of an adaptive method, which is the least that it guesses for its first; and of others
#: whose stages leave unit quaternions, of which emitted code makes use and the program does not:
#: they differ by the square of a stage's way.
FIRST_STEP = 1e-6

#: That where loops are closed afterwards: the program's correction is right to first order.
LOOPED = 1e-4

#: How far a loop may be open (of what the solver allows), as the last place of a coordinate.
ALLOWED = 2.0

#: Tolerances of an implicit method, what its iterations may leave of a way, and how many lead to
#: all digits: each leaves a step's part of the error.
TOLERANCE, LEFT, ITERATIONS = 1e-12, 1e-10, 12

#: What the rates of a state are called among the results.
RATES = ("qd", "a")

Vector = list[Any]
Rates = Callable[[Vector, Vector, Any], Vector]


def judge_steps(solver: Any, chooser: random.Random, points: int) -> Iterator[Record]:
    """A record of each method at so many states, if the model is stepped by these alone."""
    simulate = getattr(solver, "simulate", None)
    if simulate is None or not _steps(solver):
        return
    for method in METHODS:
        if method.implicit and "derivatives" not in getattr(solver, "modules", {}):
            continue  # it would be made for this alone
        record = Record(f"{ONE_STEP} of {method.name}")
        for _ in range(points):
            _judge(record, simulate, solver, method, chooser)
        if record.points:
            yield record


def _steps(solver: Any) -> bool:
    """Whether a step is its tableau and the closing of loops: no momenta, no jumps of laws."""
    interface = solver.generated.sources.interface
    return (
        interface.can_integrate
        and not interface.hamiltonian
        and {"accelerations", "rates", "energy", "joint_loads"} <= set(interface.arguments)
        and not jumps(laws(solver.model))
    )


def _judge(
    record: Record,
    simulate: Callable[..., Any],
    solver: Any,
    method: Method,
    chooser: random.Random,
) -> None:
    program, interface = solver.generated.program, solver.generated.sources.interface
    state = closed_state(solver, chooser) if interface.can_close else sample(program, chooser, 0)
    if state is None:
        return
    state = {name: [0.0] * len(x) if name == "tau" else x for name, x in state.items()}
    state["t"] = [0.0]
    parameters = dict(zip(program.runtime, state.get("p", ()), strict=True))
    step = _length(program, method, interface.can_close)
    settings: dict[str, float] = {"dt": step}
    if method.adaptive:
        loose = TOLERANCE if method.implicit else 1.0
        settings = {"rtol": loose, "atol": loose}
    try:
        run = simulate(
            state["q"],
            state["v"],
            t_end=step,
            record=step,
            method=method.name,
            parameters=parameters or None,
            **settings,
        )
        state |= {"q": run.q[0].tolist(), "v": run.v[0].tolist()}
        exact = _stepped(program, method, step, state, None)
        shaken = trials(_stepped, chooser, program, method, step, state)
    except NumericsError:
        return  # these parameters leave no motion from there
    record.points += 1
    found = [*run.q[-1], *run.v[-1]]
    start = [*state["q"], *state["v"]]
    open_by = ALLOWED * max(interface.closed, default=0.0) if interface.can_close else 0.0
    size = len(state["q"])
    for k, (number, value) in enumerate(zip(found, exact, strict=True)):
        least = 0.0
        if interface.can_close:
            least = open_by if k < size else open_by / step
        if method.implicit:
            least = max(least, LEFT * distance(start[k], value))
        change = _at_least(least, changed(value, shaken, k))
        compare(record, float(number), value, change, f"(q, v)[{k}] after {step:g} s")


def _at_least(least: float, change: Callable[[], float]) -> Callable[[], float]:
    return lambda: max(least, change())


def trials(
    of: Callable[..., list[Any]], chooser: random.Random, *arguments: Any
) -> Callable[[], list[list[Any]]]:
    """What a function gives when its numbers are shaken, once an error asks for it."""
    own = random.Random(chooser.random())
    return cache(lambda: [of(*arguments, own) for _ in range(TRIALS)])


def _length(program: Program, method: Method, closes: bool) -> float:
    if method.adaptive and not method.implicit:
        return FIRST_STEP
    if turns(program) and not method.curved:
        return FIRST_STEP
    return LOOPED if closes else STEP


def _stepped(
    program: Program, method: Method, step: float, state: Arguments, chooser: random.Random | None
) -> Vector:
    """(q, v) after a step: stage i stands at y ∘ h Σ a_ij k_j, the end at y ∘ h Σ b_i k_i."""
    size = len(state["q"])
    y = [Decimal(x) for x in (*state["q"], *state["v"])]
    h = Decimal(step)

    def rates(at: Vector, way: Vector, c: Any) -> Vector:
        """What the increments, and the speeds, change by at a state that a way led to."""
        q, v = at[:size], at[size:]
        run = Run(program, {**state, "q": q, "v": v, "t": [h * c]}, chooser, RATES)
        found = [x for name in RATES for ref in program.refs(name) for x in run.values[ref]]
        for turn in turns(program) if method.curved else ():
            spin = _turn_rate(way[turn.q : turn.q + 3], v[turn.v : turn.v + 3])
            found[turn.q : turn.q + 4] = [*spin, Decimal(0)]
        return found

    def moved(way: Vector) -> Vector:
        """The state at the end of a way."""
        at = [a + b for a, b in zip(y, way, strict=True)]
        for turn in turns(program) if method.curved else ():
            at[turn.q : turn.q + 4] = _turned(y[turn.q : turn.q + 4], way[turn.q : turn.q + 3])
        return at

    if isinstance(method.tableau, Collocation):
        end = _collocated(method.tableau, h, moved, rates, len(y))
    else:
        end = _explicit(method, h, moved, rates, len(y), size)
    for turn in () if method.curved else turns(program):
        length = sum(x**2 for x in end[turn.q : turn.q + 4]).sqrt()
        end[turn.q : turn.q + 4] = [x / length for x in end[turn.q : turn.q + 4]]
    closes = bool(program.sets.get("conditions"))
    return _closed(program, {**state, "t": [h]}, end, size, chooser) if closes else end


def _explicit(
    method: Method,
    h: Any,
    moved: Callable[[Vector], Vector],
    rates: Callable[[Vector, Vector, Any], Vector],
    count: int,
    size: int,
) -> Vector:
    stages: list[Vector] = []

    def way(weights: Sequence[Any]) -> Vector:
        total = [Decimal(0)] * count
        for weight, k in zip(weights, stages, strict=False):
            factor = h * weight.numerator / weight.denominator
            total = [x + factor * rate for x, rate in zip(total, k, strict=True)]
        return total

    assert isinstance(method.tableau, Tableau)
    for row, c in zip(method.tableau.a, method.tableau.c, strict=True):
        to = way(row)
        stages.append(rates(moved(to), to, Decimal(c.numerator) / c.denominator))
    to = way(method.tableau.b)
    if method.staggered:
        speeds, still = moved(to)[size:], [Decimal(0)] * count
        stages = [rates([*moved(still)[:size], *speeds], still, Decimal(0))]
        return [*moved(way(method.tableau.b))[:size], *speeds]
    return moved(to)


def _collocated(
    tableau: Collocation,
    h: Any,
    moved: Callable[[Vector], Vector],
    rates: Callable[[Vector, Vector, Any], Vector],
    count: int,
) -> Vector:
    """The end of a step by collocation, whose stages are found by going through them again."""
    exact = [[as_mpf(_number(x)) for x in row] for row in tableau.inverse]
    A = [[as_decimal(x) for x in row] for row in mpmath.inverse(mpmath.matrix(exact)).tolist()]
    c = [_number(x) for x in tableau.c]
    ways = [[Decimal(0)] * count for _ in c]
    for _ in range(ITERATIONS):
        k = [rates(moved(way), way, at) for way, at in zip(ways, c, strict=True)]
        ways = [
            [h * sum(A[i][j] * k[j][n] for j in range(len(c))) for n in range(count)]
            for i in range(len(c))
        ]
    return moved(ways[-1])


def _number(surd: Surd) -> Any:
    whole, part = (Decimal(x.numerator) / x.denominator for x in (surd.whole, surd.part))
    return whole + part * Decimal(6).sqrt()


def _turned(Q: Vector, x: Vector) -> Vector:
    """Q exp(x), x being a rotation in the body's axes."""
    angle = as_mpf(sum(a**2 for a in x).sqrt())
    s = as_decimal(mpmath.sin(angle / 2) / angle) if angle else Decimal(1) / 2
    w, i, j, k = Q
    c, (a, b, d) = as_decimal(mpmath.cos(angle / 2)), (s * y for y in x)
    return [
        w * c - (i * a + j * b + k * d),
        i * c + (w * a + j * d - k * b),
        j * c + (w * b + k * a - i * d),
        k * c + (w * d + i * b - j * a),
    ]


def _turn_rate(x: Vector, u: Vector) -> Vector:
    """dexp⁻¹ of −x on u (screw paper (89)): u + x × u / 2 + (1 − a/2 cot a/2) / a² x × (x × u)."""
    square = sum(a**2 for a in x)
    half = square.sqrt() / 2
    cot = as_decimal(mpmath.cot(as_mpf(half))) if square else Decimal(0)
    factor = (1 - half * cot) / square if square else Decimal(1) / 12
    once = _cross(x, u)
    return [a + b / 2 + factor * d for a, b, d in zip(u, once, _cross(x, once), strict=True)]


def _cross(x: Vector, y: Vector) -> Vector:
    return [x[k - 2] * y[k - 1] - x[k - 1] * y[k - 2] for k in range(3)]


def _closed(
    program: Program, state: Arguments, end: Vector, size: int, chooser: random.Random | None
) -> Vector:
    """The state whose loops are closed: q, then v, by the corrections of what is open."""

    def found(names: Sequence[str], **given: Vector) -> list[Vector]:
        run = Run(program, {**state, **given}, chooser, names)
        return [[x for ref in program.refs(name) for x in run.values[ref]] for name in names]

    q, v = end[:size], end[size:]
    (gaps,) = found(["phi"], q=q, v=v)
    (du,) = found(["du"], q=q, v=v, c=gaps)
    (way,) = found(["qd"], q=q, v=du)
    closed = [x + dx for x, dx in zip(q, way, strict=True)]
    for turn in turns(program):
        length = sum(x**2 for x in closed[turn.q : turn.q + 4]).sqrt()
        closed[turn.q : turn.q + 4] = [x / length for x in closed[turn.q : turn.q + 4]]
    (opening,) = found(["phid"], q=closed, v=v)
    (du,) = found(["du"], q=closed, v=v, c=opening)
    return [*closed, *(x + dx for x, dx in zip(v, du, strict=True))]
