"""The programs of inverse dynamics, run in exact fractions on a tree that is drawn."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from ...symbolic.equations.matrices import Mat
from ...symbolic.methods.inverse.places import Representation
from ...symbolic.methods.inverse.program import inverse_program
from ...symbolic.plans.plan import plan
from ..systems import Run, System, fraction
from .particles import forces
from .tree import Tree


def seen(system: System) -> Tree:
    """A drawn system's tree in the screw paper's letters; a joint's frame is its body's own."""
    return Tree(system.tree.joints, system.tree.bodies, system.tree.rates)


def swept(system: System, tree: Tree, of: Representation) -> Run:
    """What inverse dynamics computes with forces acting on all particles."""
    program = inverse_program(plan(system.model), of=of, regroup=False, forced=False, loaded=True)
    loads = [x for name in program.sets["bodies"] for x in _load(tree, int(name))]
    return system.run(program, "inverse_dynamics", {"f": loads}, q=0, v=1, ad=2)


def screw(run: Run, array: str, i: int) -> Mat:
    """A twist or wrench of body i, angular part first; programs have it last."""
    return run.of(array, i).part((3, 4, 5, 0, 1, 2), (0,))


def _load(tree: Tree, i: int) -> list[Fraction]:
    """Force at the body's centre of mass, and couple, of what acts on its particles."""
    f, x = forces(tree)[i], tree.motion.x(i).value
    centre = tree.motion.point(i, tree.bodies[i].centre).value
    turned = ((x[:, n] - centre).cross(f[:, n]) for n in range(f.cols))
    couple = sum(turned, sp.zeros(3, 1))
    return [fraction(y) for y in (*(f * sp.ones(f.cols, 1)), *couple)]
