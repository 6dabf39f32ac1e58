"""Motions of closed loops that keep their energy: one that jumps is none."""

from __future__ import annotations

import numpy as np

from ...errors import NumericsError
from ..evaluation.singular import held_beams
from .problem import Problem
from .results import Run

#: A jump of the energy between two records by this part of the largest kinetic energy is no error
#: of steps that are fit for the motion.
JUMP = 0.2


def see_energy(problem: Problem, run: Run) -> None:
    """See that the energy of loops on which nothing works does not jump.

    Raises
        NumericsError: it does; says when, and by how much.
    """
    code = problem.code
    if not code.conditions or code.model.is_driven or problem.steered.names:
        return
    rest = np.zeros((len(run.time), 1))
    inputs = np.zeros((len(run.time), 0)) if run.inputs is None else run.inputs
    buffers = problem.buffers(run.q.copy(), np.zeros_like(run.v), run.time, inputs)
    problem.run("energy", {**buffers, "energy": rest}, "at rest")
    moving = float(np.max(run.energy - rest[:, 0], initial=0.0))
    jumps = np.abs(np.diff(run.energy))
    if jumps.size and jumps.max() > JUMP * moving:
        k = int(jumps.argmax())
        raise NumericsError(
            f"{code.model.name}: nothing works on it, yet its energy jumps by {jumps[k]:.2g} J "
            f"between t = {run.time[k]:g} s and {run.time[k + 1]:g} s, where the kinetic energy is "
            f"{moving:.2g} J at most: the steps are too long there, or the loops have come to "
            "another branch; take smaller steps or tolerances, and one of mstmm's own methods, "
            f"which follow loops through singular positions{held_beams(code.model)}"
        )
