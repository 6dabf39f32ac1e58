"""The study of the recursive-formulation paper: its Appendix C, entry by entry."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...report.drawing.mechanism import mechanism as drawn
from ...report.drawing.topology import topology
from ...report.plot import COLOURS
from ...runtime.derived import Derived, derive
from ...runtime.solver import compile_model
from ..studies.study import Part, Picture, Plot, Say, Section, Study, Table
from . import appendix
from .appendix import Compared, Printed, compared, mechanism, quaternion

Floats = npt.NDArray[np.float64]

#: The motion along which the formulas are followed: end, step and distance of the states, in s.
END, STEP, EVERY = 4.0, 1e-2, 0.1
SMALL_END = 0.3


def at_start(derived: Derived, of: Printed) -> tuple[Floats, Floats]:
    """Coordinates and speeds of the program for the appendix's state."""
    q = np.concatenate([np.zeros(3), quaternion(of.alpha), of.q])
    still = derived.at(q, np.zeros(8))
    base = np.linalg.solve(still["motions/B6/1"], of.v1)
    return q, np.concatenate([base, of.q_rate])


def bryant(R: Floats) -> Floats:
    """α of R_x(α₁) R_y(α₂) R_z(α₃)."""
    return np.array(
        [np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(R[0, 2]), np.arctan2(-R[0, 1], R[0, 0])]
    )


def as_printed(numbers: Any, q: Floats, v: Floats) -> Printed:
    """The appendix's letters of a state of the program."""
    alpha, v1 = bryant(numbers["places/A/1"]), numbers["motions/vel/1"]
    (c1, c2, _), (s1, s2, _) = np.cos(alpha), np.sin(alpha)
    axes = np.array([[1, 0, s2], [0, c1, -s1 * c2], [0, s1, c1 * c2]])
    return Printed(alpha, q[7:], np.linalg.solve(axes, v1[3:]), v[6:], v1[:3])


def entries(quick: bool, say: Say) -> Section:
    """Every formula at one state, and the two misprints along a motion."""
    model = mechanism()
    say("deriving")
    derived = derive(model, algorithm="slaats")
    of = Printed(appendix.ALPHA, appendix.Q, appendix.ALPHA_RATE, appendix.Q_RATE, appendix.R_RATE)
    q, v = at_start(derived, of)
    found = compared(of, derived.at(q, v))
    rows = tuple(
        (
            f"({one.number})",
            one.what,
            str(one.printed.size),
            f"{one.difference:.0e}",
            "equals" if one.difference < 1e-13 else "differs",
        )
        for one in found
    )
    end = SMALL_END if quick else END
    say("a motion")
    solver = compile_model(model, algorithm="slaats")
    run = solver.simulate(q, v, t_end=end, dt=STEP, method="rkmk4", record=EVERY)
    along: dict[str, list[float]] = {one.number: [] for one in found}
    for own_q, own_v in zip(np.asarray(run.q), np.asarray(run.v), strict=True):
        say("following the formulas")
        numbers = derived.at(own_q, own_v)
        for one in compared(as_printed(numbers, own_q, own_v), numbers):
            along[one.number].append(one.difference)
    right = [one.number for one in found if one.correct]
    worst = max(max(along[number]) for number in right)
    return Section(
        "The universal joint of Appendix C",
        (
            """
            Two bodies of unit arms joined by a universal joint; body 1 flies, its orientation told
            by Bryant angles. The appendix works out every quantity of the recursion for it. Here
            each printed formula is evaluated in doubles, and beside it stands what the general
            program `slaats` has at that place: it is derived for any tree, and none of these
            formulas is in it.
            """,
            Picture("universal-joint", "The two bodies at their start", drawn(model)),
            Picture("universal-joint-topology", "Their topology", topology(model)),
            Table(("number", "quantity", "entries", "largest difference", "the print"), rows),
            """
            Two prints differ: (C.18) has b¹² where b²¹ belongs, and (C.46) repeats a term instead
            of differentiating the second factor. In exact fractions the same is judged by `mstmm
            ledger --paper recursive-formulation --equation C.46`. All entries one by one:
            """,
            Table(
                ("number", "row", "column", "print", "program", "difference"),
                _entries(found),
                name="appendix-c",
            ),
            Plot(
                "appendix-c",
                "The largest difference between print and program along a motion of the two bodies",
                f"rkmk4, step {STEP * 1e3:g} ms",
                partial(_along, np.asarray(run.time), along),
            ),
            f"""
            Along {end:g} s of free motion the formulas that are right stay within {worst:.0e} of
            the program.
            """,
        ),
    )


def _entries(found: tuple[Compared, ...]) -> tuple[tuple[str, ...], ...]:
    """Every entry of every formula, counted from one."""
    rows = []
    for one in found:
        printed, program = (np.asarray(x).reshape(len(x), -1) for x in (one.printed, one.program))
        for (i, j), value in np.ndenumerate(printed):
            other = float(program[i, j])
            rows.append(
                (
                    f"({one.number})",
                    str(i + 1),
                    str(j + 1),
                    f"{value:.12f}",
                    f"{other:.12f}",
                    f"{abs(value - other):.0e}",
                )
            )
    return tuple(rows)


def _along(time: Floats, along: dict[str, list[float]], figure: Any) -> None:
    axes = figure.subplots()
    shown = {"C.18, printed": 1, "C.46, printed": 2}
    for number, errors in along.items():
        k = shown.get(number, 0)
        label = f"({number})" if k else ("the others" if number == "C.3" else None)
        values = np.maximum(errors, 1e-17)
        axes.semilogy(time, values, color=COLOURS[k], lw=1.6 if k else 0.8, label=label)
    axes.set_xlabel("t in s")
    axes.set_ylabel("largest difference of an entry")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


STUDY = Study(
    "recursive-formulation",
    "Appendix C of the recursive formulation, entry by entry",
    """
    The recursive-formulation paper computes no motion; its Appendix C works its kinematics out for
    one mechanism, formula by formula, and that can be repeated number by number. Our copy has all
    formulas of the appendix but not its figure; masses and inertias, which play no part in them,
    are assumed.
    """,
    (Part("appendix", "Appendix C: every entry beside the general program", entries),),
)
