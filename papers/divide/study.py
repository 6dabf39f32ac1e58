"""The study of the divide-and-conquer paper: its three cases, their trees, and their times."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...model import load
from ...report.drawing.assembly import assembly_scene
from ...report.drawing.mechanism import mechanism
from ...report.plot import COLOURS
from ...runtime.solver import Solver, compile_model
from ...symbolic.methods.divide.program import assembly_of
from ...symbolic.plans.plan import plan
from ..studies import clock
from ..studies.study import Block, Part, Picture, Plot, Say, Section, Study, Table

CASES, SMALL_CASES = (1, 2, 3), (1,)

#: One call evaluates all states of a motion, so long and recorded so often, in s.
END, RECORD = 1.0, 0.01

#: The right-hand sides: the accelerations, or the rates of the momenta.
WAYS = ("riccati", "dca", "hdca")


def trees(quick: bool, say: Say) -> Section:
    """The mechanisms and the assembly trees of the cases."""
    blocks: list[Block] = [
        """
        Links in loops, held at the ground, one loop cut in cases 1 and 2, two in case 3. Their
        geometry is assumed, for the figure of it is not in our copy. A leaf of an assembly tree is
        a body or the ground; a merge eliminates the joints that stand under it.
        """
    ]
    for case in SMALL_CASES if quick else CASES:
        say(f"case {case}")
        model = load(f"hdca-case-{case}")
        tree = assembly_of(plan(model), "hdca")
        blocks += [
            Picture(f"case-{case}", f"Case {case} at its start", mechanism(model)),
            Picture(
                f"tree-{case}",
                f"Its assembly tree, {tree.depth} merges deep: {tree.text()}",
                assembly_scene(tree, f"Assembly tree of {model.name}"),
            ),
        ]
    return Section("The mechanisms and their assembly trees", tuple(blocks))


def rate(solver: Solver, algorithm: str) -> Any:
    """A call of the right-hand side at states of a motion."""
    run = solver.simulate(t_end=END, dt=1e-3, method="rk4", record=RECORD)
    q, v = (np.ascontiguousarray(x) for x in (run.q, run.v))
    if algorithm == "hdca":
        return partial(solver.momentum_rates, q, solver.momenta(q, v)), len(q)
    return partial(solver.accelerations, q, v), len(q)


def times(quick: bool, say: Say) -> Section:
    """Its Table 1: one evaluation of each right-hand side."""
    taken: dict[str, list[float]] = {name: [] for name in WAYS}
    cases = SMALL_CASES if quick else CASES
    for case in cases:
        model = load(f"hdca-case-{case}")
        for name in WAYS:
            say(f"case {case}, {name}")
            call, states = rate(compile_model(model, algorithm=name), name)
            taken[name].append(clock.seconds(call) / states)
    rows = tuple(
        (
            str(case),
            *(clock.shown(taken[name][k]) for name in WAYS),
            f"{taken['dca'][k] / taken['hdca'][k]:.2f}",
        )
        for k, case in enumerate(cases)
    )
    return Section(
        "Time of one right-hand side (its Table 1)",
        (
            """
            Accelerations by the Riccati method and by DCA, rates of the joint momenta by HDCA, all
            as generated C and at states of one motion. The paper has HDCA faster in cases 1 and 2.
            """,
            Table(("case", *WAYS, "dca / hdca"), rows, name="rates"),
            Plot(
                "rates",
                "Processor time of one right-hand side",
                "single evaluations: no integrator",
                partial(_bars, taken, cases),
                (6.0, 3.2),
            ),
            f"{clock.DEPENDS} {clock.machine()}",
        ),
    )


def _bars(taken: dict[str, list[float]], cases: tuple[int, ...], figure: Any) -> None:
    axes = figure.subplots()
    for k, (name, own) in enumerate(taken.items()):
        places = np.arange(len(cases)) + (k - 1) * 0.27
        axes.bar(places, [1e9 * x for x in own], 0.27, label=name, color=COLOURS[k])
    axes.set_xticks(range(len(cases)), [f"case {case}" for case in cases])
    axes.set_ylabel("ns")
    axes.legend(fontsize=8)


STUDY = Study(
    "divide-and-conquer",
    "Divide and conquer: mechanisms, assembly trees and times",
    """
    The mechanisms of Sect. 3 of the divide-and-conquer paper and one of its tables. Its accuracy
    and efficiency over integrators and tolerances, claim by claim, need a timing loop of their own
    in C; they are run in the source tree by `python -m benchmarks.hdca`.
    """,
    (
        Part("trees", "the three mechanisms and their assembly trees, drawn", trees),
        Part("times", "Table 1: one evaluation of DCA and HDCA, beside the Riccati method", times),
    ),
)
