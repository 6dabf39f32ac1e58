"""The Riccati method in absolute coordinates with a tree's long chains in segments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import sympy as sp

from ....errors import CodegenError
from ...language.program import Array, Step
from ...language.walk import Binding
from ...plans.plan import Link, Plan
from ...plans.segments import LANES, LaneProgram, Members
from ...tree.absolute import Absolute
from ...tree.steps import ACCELERATIONS, ENERGY, JOINT_LOADS, POSES, RATES, RETRACT
from ..riccati import absolute as whole
from .page import Page, opened
from .program import Segmented


class AbsolutePage(Page):
    """`riccati.absolute`: a smooth hinge hands on a force, and the acceleration of its point."""

    inertia, wrench, own_wrench, bias = "IAh", "pAh", "pA", "g_I1"
    wanted = (replace(ACCELERATIONS, whole=False), JOINT_LOADS, RATES, RETRACT)
    plain = (POSES, ENERGY)

    def __init__(self, plan: Plan, forced: bool, loaded: bool | None) -> None:
        self.tree: Absolute = Absolute(plan, forced, loaded)
        self.motion, self.near = self.tree.space.motion, plan.model.dimension

    def steps(self) -> Iterable[Step]:
        """The page's steps."""
        return whole.steps_of(self.tree)

    def arrays(self) -> Iterable[Array]:
        """The arrays that the page declares."""
        return whole.caller_arrays(self.tree)

    def members(self, link: Link) -> Members:
        """What of the caller's arrays belongs to a link."""
        return {"coordinates": (link.name,), "ends": (f"{link.name}:{link.output}",)}

    def mobility(self, link: Link) -> tuple[int, int, Binding, str]:
        """Ω̇ = P r̈ + b, in no direction but its own."""
        d, spins = self.near, self.tree.space.spins
        return d, spins, sp.Matrix.vstack(sp.zeros(d, spins), sp.eye(spins)), "b"


def segment_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    lanes: int = LANES,
) -> LaneProgram:
    """The Riccati method for a tree whose long chains are swept in segments, side by side.

    Shape
        As `fast_program`, of which it has all but the states of ends.
    Raises
        CodegenError: the tree has no long chain.
    Source
        Riccati paper, Sects. 3 and 4, completed; two-handle form: divide-and-conquer paper
        (34) – (36).
    """
    if plan.model.forces:
        raise CodegenError(
            f"{plan.model.name}: forces between points join what segments set apart; use target c"
        )
    page, other = (AbsolutePage(of, forced, loaded) for of in (plan, opened(plan)))
    return Segmented(page, other, lanes).program("Riccati transfer matrix method", runtime)
