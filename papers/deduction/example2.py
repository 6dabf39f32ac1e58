"""Example 2 of the deduction paper: a closed loop, beside redundant coordinates."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model import load
from ...report.drawing.mechanism import mechanism
from ...report.drawing.topology import topology
from ...report.plot import COLOURS
from ...runtime.solver import compile_model
from ..studies.redundant import Redundant
from ..studies.study import Picture, Plot, Say, Section, Table

Floats = npt.NDArray[np.float64]

#: The end and the step of classical Runge–Kutta, in s.
END, STEP = 2.0, 1e-3
SMALL_END = 0.1


def ring(quick: bool, say: Say) -> Section:
    """Fig. 14: the angle of plate 1."""
    model = load("example-2")
    end = SMALL_END if quick else END
    say("generating the Riccati solver")
    solver = compile_model(model)
    run = solver.simulate(t_end=end, dt=STEP, method="rk4")
    say("generating the overall transfer equation")
    other = compile_model(model, algorithm="overall")
    overall = other.simulate(t_end=end, dt=STEP, method="rk4")
    redundant = Redundant(model)
    angles = [model.q0[0]] * len(model.bodies)  # all plates parallel
    x, u = redundant.state(angles, [0.0] * len(angles))
    steps = round(end / STEP)
    told = redundant.motion(x, u, STEP, steps, lambda k: say(f"redundant coordinates, step {k}"))
    time, first = np.asarray(run.time), np.asarray(run.q)[:, 0]
    plates = np.unwrap(_plates(solver, np.asarray(run.q)), axis=0)
    plot = Plot(
        "ring",
        """Angle of plate 1: line by the Riccati method with the loop's multipliers, circles in
        redundant coordinates""",
        f"both by classical Runge–Kutta, step {STEP * 1e3:g} ms",
        partial(_angle, time, first, told[:, 0, 2]),
    )
    energy = np.asarray(run.energy)
    rows = (
        (
            "angles of all plates, Riccati against redundant coordinates",
            f"{np.abs(plates - told[:, :, 2]).max():.1e} rad",
        ),
        (
            "coordinates, Riccati against the overall equation",
            f"{np.abs(np.asarray(overall.q) - np.asarray(run.q)).max():.1e} rad",
        ),
        ("opening of a pin at the end, redundant coordinates", f"{redundant.gap(told[-1]):.1e} m"),
        (
            "opening of the loop, Riccati (closed after every step)",
            f"{np.abs(np.asarray(run.constraint_position)).max():.1e} m",
        ),
        ("change of the energy, Riccati", f"{np.ptp(energy):.1e} J"),
    )
    return Section(
        "A ring of six plates under a seventh (its Figs. 12 to 14)",
        (
            f"""
            Seven equal plates and eight pins: one closed loop, cut at hinge 14 as the paper cuts
            it, five degrees of freedom, {end:g} s from rest. The overall transfer equation has
            {len(other.unknowns)} unknowns, redundant coordinates have {redundant.size}.
            """,
            Picture("example-2", "Example 2 at its start", mechanism(model)),
            Picture(
                "example-2-topology",
                "Its topology, as in Fig. 13; dashed: the cut hinge 14",
                topology(model),
            ),
            plot,
            Table(("difference", "found"), rows),
        ),
    )


def _plates(solver: Any, q: Floats) -> Floats:
    frames = solver.poses(q)
    found: Floats = np.arctan2(frames[:, :, 1, 0], frames[:, :, 0, 0])
    return found


def _angle(time: Floats, ours: Floats, theirs: Floats, figure: Any) -> None:
    axes = figure.subplots()
    marks = slice(None, None, max(1, len(time) // 26))
    axes.plot(time, ours, color=COLOURS[0], label="Riccati")
    axes.plot(
        time[marks], theirs[marks], "o", ms=4.5, mfc="none", color="black",
        label="redundant coordinates",
    )  # fmt: skip
    axes.set_xlabel("t in s")
    axes.set_ylabel("angle of plate 1 in rad")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
