"""Frames of two flexible bodies and of their joint, which all turn: Appendix B."""

from __future__ import annotations

import sympy as sp

from ...symbolic.equations.worlds import World
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import Step
from ...symbolic.exact.screws import turn
from ...symbolic.exact.series import Series
from .tree import constant


def turning(seed: int) -> Series:
    """A rotation that changes with the time."""
    draw = Points(seed)
    angle = Series.of_derivatives([draw.number() for _ in range(3)])
    total = constant(draw.rotation(3))
    for axis in (0, 1):
        step = Step(sp.eye(6)[:, axis], (0,))
        total = total @ step.pose([angle], [draw.circle()]).map(turn)
    return total


class Frames(World):
    """R_i, B_ik, C and B_jk as matrices, each in its own frame; `rigid`: the B do not change."""

    def __init__(self, rigid: bool = False) -> None:
        arms = [turning(73), turning(74)]
        first, second = [constant(b.value) for b in arms] if rigid else arms
        self.letters = {
            "Ra": lambda: turning(71),
            "Ba": lambda: first,
            "Ca": lambda: turning(72),
            "Bb": lambda: second,
        }
