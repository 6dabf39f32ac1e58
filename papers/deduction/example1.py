"""Example 1 of the deduction paper: its motion after the step, and the functions of its beam."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model import Beam, Model, load
from ...report.drawing.mechanism import mechanism
from ...report.drawing.topology import topology
from ...report.plot import COLOURS
from ...runtime.solver import Solver, compile_model
from ..studies.study import Picture, Plot, Say, Section, Table
from .exactbeam import Small

Floats = npt.NDArray[np.float64]

#: The end in s, the tolerance of `dopri5`, and how often is recorded, in s.
END, TOLERANCE, RECORD = 2.0, 1e-9, 0.01
SMALL_END = 0.2

#: A force so small that the motion is linear.
GENTLE = 1e-4

#: The step of central differences whose errors of second order cancel, in m and rad.
DIFFERENCE = 1e-3

#: Functions of each kind, the most that a beam may have, and how many frequencies are watched.
COUNTS = (1, 2, 3, 4, 5, 6, 7, 8)
SMALL_COUNTS = (2,)
WATCHED = 6


def angle_of(solver: Solver, q: Floats, body: str) -> Floats:
    """A body's angle along a motion."""
    frames = solver.poses(q)
    k = [one.name for one in solver.model.bodies].index(body)
    found: Floats = np.unwrap(np.arctan2(frames[:, k, 1, 0], frames[:, k, 0, 0]))
    return found


def pushed(quick: bool, say: Say) -> Section:
    """Fig. 11, and beside it the loads at the ground's spring."""
    model = load("example-1")
    end = SMALL_END if quick else END
    given: dict[str, Any] = {"t_end": end, "method": "dopri5", "rtol": TOLERANCE, "atol": TOLERANCE}
    say("generating the Riccati solver")
    solver = compile_model(model, parameters=("F",))
    run = solver.simulate(**given, record=RECORD)
    say("generating the overall transfer equation")
    other = compile_model(model, algorithm="overall")
    overall = other.simulate(**given, record=RECORD)
    time, angle = np.asarray(run.time), angle_of(solver, np.asarray(run.q), "5")
    loads = np.asarray(run.loads)[:, list(solver.ends).index("5:O")]
    small = Small.of(model)
    linear = small.step(time)
    p = model.parameters
    spring = np.column_stack(
        [-p["kt"] * linear[:, 5], p["k"] * (linear[:, 4] + p["a"] / 2 * linear[:, 5])]
    )
    say("a gentle push")
    gentle = solver.simulate(
        **given | {"atol": 1e-13}, record=RECORD, parameters={"F": GENTLE * p["F"]}
    )
    gentle_angle = angle_of(solver, np.asarray(gentle.q), "5") / GENTLE
    scale = float(np.abs(linear[:, 5]).max())
    apart = angle_of(other, np.asarray(overall.q), "5") - angle
    load_apart = np.abs(np.asarray(overall.loads) - np.asarray(run.loads)).max()
    plots = (
        Plot(
            "beam",
            """Angle of the right end of the beam, and load at the spring 6 that leads to the
            ground: lines by the transfer matrix method with 4 + 2 functions for the beam, circles
            by finite elements for small motions""",
            f"lines: dopri5, tolerance {TOLERANCE:.0e}; circles: 40 elements, exact in time",
            partial(_pushed, time, angle, loads, linear[:, 5], spring),
            (7.5, 5.5),
        ),
    )
    rows = (
        ("angle, Riccati against the overall equation", f"{np.abs(apart).max():.1e} rad"),
        ("loads at all hinges, the same", f"{load_apart:.1e} N, N m"),
        (
            "angle against finite elements, of the largest angle",
            f"{np.abs(angle - linear[:, 5]).max() / scale:.1e}",
        ),
        (
            f"the same for {GENTLE:g} of the force",
            f"{np.abs(gentle_angle - linear[:, 5]).max() / scale:.1e}",
        ),
    )
    overall_size = f"{len(other.unknowns)} unknowns"
    return Section(
        "A beam between cubes, pushed (its Figs. 9 to 11)",
        (
            f"""
            Three cubes, a beam (3) welded between the first two and springs (6, 7) at the second: a
            step force of {p["F"]:g} N pushes cube 1 upwards. The overall transfer equation, which
            the theorem writes down from the topology, has {overall_size}; the Riccati method
            needs none. Finite elements share no formula with either, and are linear.
            """,
            Picture("example-1", "Example 1 at its start", mechanism(model)),
            Picture("example-1-topology", "Its topology, as in Fig. 10", topology(model)),
            *plots,
            Table(("difference", "found"), rows),
            """
            Both transfer matrix ways agree to rounding and to what the step size follows from. What
            is left against the finite elements shrinks with the force, by rotations that are not
            small, down to what six functions for the beam leave.
            """,
        ),
    )


def _pushed(
    time: Floats, angle: Floats, loads: Floats, fem: Floats, spring: Floats, figure: Any
) -> None:
    above, below = figure.subplots(2, 1, sharex=True)
    marks = slice(None, None, max(1, len(time) // 26))
    circle = {"ls": "none", "marker": "o", "ms": 4.5, "mfc": "none", "color": "black"}
    above.plot(time, angle, color=COLOURS[0], label="transfer matrices")
    above.plot(time[marks], fem[marks], label="finite elements", **circle)
    above.set_ylabel("angle in rad")
    below.plot(time, loads[:, 2], color=COLOURS[1], label="moment in N m")
    below.plot(time, loads[:, 4], color=COLOURS[2], label="vertical force in N")
    for k in range(2):
        below.plot(time[marks], spring[marks, k], **circle)
    below.set_ylabel("load at spring 6")
    below.set_xlabel("t in s")
    for axes in (above, below):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)


def with_functions(model: Model, axial: int, bending: int) -> Model:
    """The model, its beam with so many functions, without the force."""
    bodies = tuple(
        replace(body, axial=axial, bending=bending) if isinstance(body, Beam) else body
        for body in model.bodies
    )
    return replace(model, bodies=bodies, q0=(), v0=()).with_parameters(F=0.0)


def frequencies(model: Model) -> Floats:
    """The frequencies of small motions about the start, by differences of generated accelerations.

    Units
        rad/s.
    """
    solver = compile_model(model, target="numpy")
    size = len(solver.coordinates)
    moved = DIFFERENCE * np.eye(size)
    near, far = (
        solver.accelerations(k * moved, np.zeros(size))
        - solver.accelerations(-k * moved, np.zeros(size))
        for k in (1, 2)
    )
    slope = (8 * near - far).T / (12 * DIFFERENCE)
    found: Floats = np.sort(np.sqrt(-np.linalg.eigvals(slope).real))
    return found


def modes(quick: bool, say: Say) -> Section:
    """Frequencies over the number of functions, against those of the beam itself."""
    model = load("example-1")
    exact = Small.of(model).frequencies(WATCHED)
    errors = {}
    for count in SMALL_COUNTS if quick else COUNTS:
        say(f"{count} functions of each kind")
        found = frequencies(with_functions(model, count, count))
        shown = found[:WATCHED] if len(found) >= WATCHED else found
        errors[count] = np.abs(shown / exact[: len(shown)] - 1)
    elements = Small.of(model).by_elements(20)[:WATCHED]
    rows = (
        ("exact, rad/s", *(f"{w:.6f}" for w in exact)),
        *((str(count), *(f"{x:.0e}" for x in own)) for count, own in errors.items()),
        ("20 finite elements", *(f"{x:.0e}" for x in np.abs(elements / exact - 1))),
    )
    plot = Plot(
        "modes",
        "Relative error of the six lowest frequencies over the number of axial and of bending "
        "functions",
        "eigenvalues: no integrator",
        partial(_converging, errors, exact),
    )
    return Section(
        "Modal convergence",
        (
            """
            How many functions does a beam need? The frequencies of small motions of Example 1, read
            off differences of the generated accelerations, with 1 to 8 axial and as many bending
            functions (Legendre's polynomials, clamped at the beam's first end). Exact are those of
            the beam itself: forces at its ends in closed form for every frequency, and Wittrick and
            Williams' count, so that none is missed. Two further functions of each kind gain about
            three digits, until rounding is reached.
            """,
            Table(("functions", *(str(k + 1) for k in range(WATCHED))), rows, name="modes"),
            plot,
        ),
    )


def _converging(errors: dict[int, Floats], exact: Floats, figure: Any) -> None:
    axes = figure.subplots()
    for k, omega in enumerate(exact):
        own = [(count, found[k]) for count, found in errors.items() if k < len(found)]
        counts, values = [c for c, _ in own], [max(float(x), 1e-17) for _, x in own]
        look = {"color": COLOURS[k % len(COLOURS)], "marker": "osv^Dx"[k], "ms": 4}
        axes.semilogy(counts, values, label=f"{omega:.3g} rad/s", **look)
    axes.set_xlabel("axial functions, and bending functions")
    axes.set_ylabel("relative error")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
