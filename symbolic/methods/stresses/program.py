"""The loads that multipliers of the cuts bring into all hinges, as a program.

With all hinges locked a multiplier is a wrench that goes round its loop: what it brings into a
hinge is its column there, moved inwards from the cut. Multipliers with Jᵀ μ = 0 bring no force
along any speed: they are the states of self-stress, which no motion tells.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...language.program import Array, Map, Program, Step, given, result
from ...language.slices import Wanted
from ...plans.plan import Plan
from ...tree import steps as shared
from ...tree.joint import Joint
from ...tree.loops import condition_arrays


def stress_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
) -> Program:
    """The conditions' Jacobian, and the loads of given multipliers alone; no beams.

    Shape
        Arguments `q`, `v`, `t`, `c` (per condition the multiplier); results `J` (conditions by
        speeds) and `loads` (per end, m then q, three components each).
    Frame
        As `joint_program`.
    Sign
        As `joint_program`.
    Source
        Own: λ = E μ.
    """
    tree = Joint(plan, False, False)
    title = "states of self-stress"
    return tree.program("stresses", title, _steps(tree), _arrays(tree), ENTRIES, runtime)


#: What a caller may ask for.
ENTRIES = (
    shared.JACOBIAN,
    Wanted("stresses", "loads of multipliers alone", ("loads",)),
)


def _steps(tree: Joint) -> Iterator[Step]:
    yield shared.based(tree)
    yield shared.relatives(tree)
    yield shared.spins(tree)
    yield shared.places(tree)
    yield shared.velocities(tree)
    yield from shared.lines(tree)
    yield from shared.opened(tree)
    yield Map("stresses", "loads of multipliers at every hinge", tuple(tree.loops.stresses()))


def _arrays(tree: Joint) -> Iterator[Array]:
    yield from tree.arguments()
    yield given("c", "conditions")
    yield result("loads", "ends", 6)
    yield from tree.outer_arrays()
    yield from condition_arrays(tree.loops)
