"""The branch system of the Riccati paper beside redundant coordinates: its motion, and its time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model import GROUND, Model, load
from ...report.drawing.topology import topology
from ...report.plot import COLOURS
from ...runtime.solver import Solver, compile_model
from ..studies import clock
from ..studies.redundant import Redundant
from ..studies.study import Picture, Plot, Say, Section, Table

Floats = npt.NDArray[np.float64]

#: Of Fig. 4: the number N, the steps in s, and the end in s; and for a small size.
SIZE, STEP, END = 999, 5e-3, 3.0
SMALL, SMALL_END = 21, 0.5

#: Of Table 1.
SIZES = (11, 21, 51, 101, 201, 501, 999, 1999, 4999)
SMALL_SIZES = (11,)
#: States that one call of compiled code evaluates, so that Python's share of a call is small.
STATES = 64


def shown_bodies(N: int) -> tuple[str, str, str]:
    """The boundary bodies and the one with two inputs."""
    return "1", "11", str(N)


def motion(quick: bool, say: Say) -> Section:
    """Fig. 4: both ways to the motion, with the same steps of the same method."""
    N, end = (SMALL, SMALL_END) if quick else (SIZE, END)
    model = load("branch-system", N=N)
    steps = round(end / STEP)
    say("generating the Riccati solver")
    solver = compile_model(model, target="c")
    run = solver.simulate(t_end=end, dt=STEP, method="rk4")
    finer = solver.simulate(t_end=end, dt=STEP / 2, method="rk4", record=STEP)
    other = Redundant(model)
    x, u = other.state(model.q0, model.v0)
    told = other.motion(x, u, STEP, steps, lambda k: say(f"redundant coordinates, {k} of {steps}"))
    angles = told[:, :, 2]
    q = np.asarray(run.q)
    apart, refined = np.abs(q - angles).max(), np.abs(q - np.asarray(finer.q)).max()
    energy = np.asarray(run.energy)
    names = shown_bodies(N)
    at = [list(model.coordinates).index(f"theta{name}") for name in names]
    time = np.asarray(run.time)
    plot = Plot(
        "motion",
        f"""Rotation of bodies 1, 11 and {N} for N = {N}: lines by the Riccati method, circles in
        redundant coordinates""",
        f"both by classical Runge–Kutta, step {STEP * 1e3:g} ms",
        partial(_angles, time, q[:, at], angles[:, at], names),
    )
    rows = (
        ("bodies", str(len(model.bodies))),
        ("unknowns in redundant coordinates, multipliers with them", str(other.size)),
        ("largest difference of an angle between the two, rad", f"{apart:.1e}"),
        ("change of the angles when the Riccati method's step is halved, rad", f"{refined:.1e}"),
        ("largest opening of a pin in redundant coordinates, m", f"{other.gap(told[-1]):.1e}"),
        ("change of the energy, Riccati, relative", f"{np.ptp(energy) / abs(energy[0]):.1e}"),
    )
    return Section(
        "The motion (its Fig. 4)",
        (
            f"""
            Bodies 1, 3, …, {N}: rods of 1 m and 1 kg, joined by pins; body {N} hangs from the
            ceiling, body 11 lies level with two short chains on its ends, all others stand upright,
            from rest, {end:g} s. Redundant coordinates (x, y and the angle of every body, two
            multipliers a pin, one sparse system for accelerations and multipliers) share no formula
            with the Riccati method; nothing is projected.
            """,
            Picture("topology", "The branch system, its long chain shortened", topology(model)),
            plot,
            Table(("what", "found"), rows),
        ),
    )


def _angles(
    time: Floats, ours: Floats, theirs: Floats, names: tuple[str, ...], figure: Any
) -> None:
    axes = figure.subplots()
    marks = slice(None, None, max(1, len(time) // 26))
    for k, name in enumerate(names):
        axes.plot(time, ours[:, k], color=COLOURS[k], label=rf"$\theta_{{{name}}}$, Riccati")
        axes.plot(
            time[marks], theirs[marks, k], "o", ms=4.5, mfc="none", color="black",
            label="redundant coordinates" if k == 0 else None,
        )  # fmt: skip
    axes.set_xlabel("t in s")
    axes.set_ylabel("angle in rad")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


@dataclass(frozen=True)
class Way:
    """A way to the accelerations: a call for some states at once, and what they are."""

    call: Callable[[], object]
    states: int
    found: Callable[[], Floats]


def jointed(model: Model) -> Model:
    """The same system in relative angles."""
    return replace(model, absolute=False, q0=(), v0=())


def relative(model: Model, absolute: Floats) -> Floats:
    """Angles (or their rates) of the hinges from those of the bodies, child less parent."""
    at = {body.name: absolute[..., k] for k, body in enumerate(model.bodies)}
    at[GROUND] = np.zeros(absolute.shape[:-1])
    return np.stack([at[h.ends[1].body] - at[h.ends[0].body] for h in model.hinges], axis=-1)


WAYS = {
    "riccati, C": ("riccati", "c", False),
    "slaats, C": ("slaats", "c", True),
    "dca, C": ("dca", "c", True),
    "riccati, NumPy": ("riccati", "numpy", False),
}
STYLES = {
    "riccati, C": "o-",
    "slaats, C": "s--",
    "dca, C": "^-.",
    "riccati, NumPy": "v:",
    "redundant": "D-",
}


def ways(model: Model, q: Floats, v: Floats, say: Say) -> Mapping[str, Way]:
    """All ways that are there for a system, at one state."""
    joint = jointed(model)
    found: dict[str, Way] = {}
    for name, (algorithm, target, is_joint) in WAYS.items():
        say(f"{len(q)} bodies: {name}")
        solver = compile_model(joint if is_joint else model, algorithm=algorithm, target=target)
        own_q, own_v = (relative(model, q), relative(model, v)) if is_joint else (q, v)
        states = STATES if target == "c" else 1
        given = np.tile(own_q, (states, 1)), np.tile(own_v, (states, 1))
        found[name] = Way(
            partial(solver.accelerations, *given), states, partial(_of, solver, own_q, own_v)
        )
    other = Redundant(model)
    x, u = other.state(q, v)
    found["redundant"] = Way(partial(other.accelerations, x, u), 1, partial(_turning, other, x, u))
    return found


def _of(solver: Solver, q: Floats, v: Floats) -> Floats:
    return np.asarray(solver.accelerations(q, v))


def _turning(other: Redundant, x: Floats, u: Floats) -> Floats:
    return other.accelerations(x, u)[:, 2]


def times(quick: bool, say: Say) -> Section:
    """Table 1: what one evaluation of the accelerations takes, over N."""
    sizes = SMALL_SIZES if quick else SIZES
    names = tuple(STYLES)
    taken: dict[str, dict[int, float]] = {name: {} for name in names}
    worst = dict.fromkeys(names, 0.0)
    for N in sizes:
        model = load("branch-system", N=N)
        draw = np.random.default_rng(N)
        q = np.asarray(model.q0) + draw.uniform(-0.3, 0.3, len(model.bodies))
        v = draw.uniform(-0.5, 0.5, len(model.bodies))
        own = ways(model, q, v, say)
        reference = own["riccati, C"].found()
        for name, way in own.items():
            expected = reference if "joint" not in _kind(name) else relative(model, reference)
            found = way.found()
            off = float(np.abs(found - expected).max() / np.abs(expected).max())
            worst[name] = max(worst[name], off)
            samples = 3 if quick else 7
            taken[name][N] = clock.seconds(way.call, samples=samples) / way.states
    rows = tuple(
        (
            str(N),
            str((N + 1) // 2),
            *(_cell(taken[name].get(N), taken[names[0]][N]) for name in names),
        )
        for N in sizes
    )
    last = SIZE if SIZE in sizes else max(sizes)
    ratio = taken["redundant"][last] / taken["riccati, C"][last]
    at_python = taken["redundant"][last] / taken["riccati, NumPy"][last]
    plot = Plot(
        "times",
        "Processor time of one evaluation of all accelerations over the number of bodies",
        "single evaluations: no integrator",
        partial(_over_sizes, taken),
    )
    return Section(
        "Time over N (its Table 1)",
        (
            f"""
            One evaluation of all accelerations at a random state near the start. `riccati`,
            `slaats` (the recursion of the recursive-formulation paper) and `dca` (divide and
            conquer, one thread) are generated C, called for {STATES} states at once; `riccati` is
            also there as generated NumPy, one state at a time, so that two programs in Python can
            be compared. Redundant coordinates are NumPy with SuperLU for the sparse system. In
            brackets: times the first column.
            """,
            Table(("N", "bodies", *names), rows, name="times"),
            plot,
            f"""
            At N = {last} the redundant coordinates take {ratio:,.0f} times as long as generated C,
            and {at_python:.2g} times as long as the same recursion in NumPy, step by step in
            Python. The paper's factor, 36 at N = 999, is that of two programs with integrators of
            their own. Growth from the smallest to the largest system (1 is linear):
            {_growths(taken)}.
            """,
            "Largest difference of the accelerations from those of the first column, relative: "
            + ", ".join(f"{name} {x:.0e}" for name, x in worst.items() if x)
            + ".",
            f"{clock.DEPENDS} {clock.machine()}",
        ),
    )


def _kind(name: str) -> str:
    return "joint" if name in WAYS and WAYS[name][2] else "absolute"


def _cell(taken: float | None, first: float) -> str:
    return "–" if taken is None else f"{clock.shown(taken)} ({_digits(taken / first)})"


def _digits(x: float) -> str:
    return f"{x:.3g}" if x < 100 else f"{x:,.0f}"


def _growths(taken: Mapping[str, Mapping[int, float]]) -> str:
    """By which power of the number of bodies the times grow."""
    said = []
    for name, by_size in taken.items():
        if len(by_size) > 1:
            bodies = [(N + 1) / 2 for N in by_size]
            power = np.polyfit(np.log(bodies), np.log(list(by_size.values())), 1)[0]
            said.append(f"{name} {power:.2f}")
    return ", ".join(said) or "one size tells none"


def _over_sizes(taken: Mapping[str, Mapping[int, float]], figure: Any) -> None:
    axes = figure.subplots()
    for k, (name, by_size) in enumerate(taken.items()):
        bodies = [(N + 1) // 2 for N in by_size]
        axes.loglog(
            bodies, list(by_size.values()), STYLES[name], color=COLOURS[k], label=name, ms=4
        )
    axes.set_xlabel("bodies")
    axes.set_ylabel("processor time in s")
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8)
