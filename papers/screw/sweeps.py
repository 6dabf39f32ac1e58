"""The programs of inverse dynamics, run in exact fractions on a tree that is drawn."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from ...symbolic.equations.matrices import Mat
from ...symbolic.exact.once import once
from ...symbolic.methods.inverse.places import Representation
from ...symbolic.methods.inverse.program import inverse_program
from ...symbolic.plans.plan import plan
from ..systems import Run, System, fraction
from .particles import forces
from .tree import Tree

#: Bodies by what they hang on, and by which hinge.
HANGING = {1: (0, "revolute"), 2: (1, "prismatic"), 3: (2, "revolute"), 4: (1, "revolute")}


class Drawn:
    """A tree, and what inverse dynamics computes of it with forces acting on all particles.

    Programs describe a link from its output hinge's frame, which is the body's own here.
    """

    def __init__(self, seed: int) -> None:
        self.system = System(seed, HANGING, outer=False)
        tree = self.system.tree
        self.tree = Tree(tree.joints, tree.bodies, tree.rates)

    @once
    def swept(self, of: Representation) -> Run:
        """A program's values, by array and member."""
        chosen = plan(self.system.model)
        program = inverse_program(chosen, of=of, regroup=False, forced=False, loaded=True)
        loads = [x for name in program.sets["bodies"] for x in self._load(int(name))]
        return self.system.run(program, "inverse_dynamics", {"f": loads}, q=0, v=1, ad=2)

    def screw(self, of: Representation, array: str, i: int) -> Mat:
        """A twist or wrench of body i, angular part first; programs have it last."""
        return self.swept(of).of(array, i).part((3, 4, 5, 0, 1, 2), (0,))

    def _load(self, i: int) -> list[Fraction]:
        """Force at the body's centre of mass, and couple, of what acts on its particles."""
        f, x = forces(self.tree)[i], self.tree.motion.x(i).value
        centre = self.tree.motion.point(i, self.tree.bodies[i].centre).value
        turned = ((x[:, n] - centre).cross(f[:, n]) for n in range(f.cols))
        couple = sum(turned, sp.zeros(3, 1))
        return [fraction(y) for y in (*(f * sp.ones(f.cols, 1)), *couple)]
