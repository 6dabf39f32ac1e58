"""What the program of the recursive formulation computes, run in fractions, as letters."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from ...symbolic.equations.matrices import Mat
from ...symbolic.exact import screws
from ...symbolic.exact.motion import GROUND
from ...symbolic.methods.effective_mass.program import slaats_program
from ...symbolic.plans.plan import plan
from ..systems import HANGING, System
from .joints import Joints
from .tree import KINDS, Jointed, JointTree

#: The paper's joints by the kind of a model's hinge.
JOINTS = {"revolute": KINDS["revolute"], "prismatic": KINDS["translational"]}


def centred(system: System) -> JointTree:
    """The same tree in the paper's letters: its bodies' frames are at their centroids."""
    tree = system.tree

    def seen(i: int, pose: sp.Matrix) -> sp.Matrix:
        """A pose in body i from its centroid."""
        if i == GROUND:
            return pose
        return screws.pose(screws.turn(pose), screws.place(pose) - tree.bodies[i].centre)

    joints = {
        i: Jointed.of(
            (joint.pred, i),
            JOINTS[system.kinds[i]],
            (seen(joint.pred, joint.inner), seen(i, joint.outer)),
            joint.circle,
        )
        for i, joint in tree.joints.items()
    }
    bodies = {i: body.centred for i, body in tree.bodies.items()}
    return JointTree(joints, bodies, {x: rates[:3] for x, rates in tree.rates.items()})


class Programmed(Joints):
    """A tree whose loads are its weights, as the program has them: the ground rises."""

    def __init__(self, seed: int) -> None:
        system = System(seed, HANGING)
        tree = centred(system)
        nothing = {j: sp.zeros(6, 1) for j in tree.bodies}
        super().__init__(tree, nothing, dict.fromkeys(tree.coordinates, sp.Integer(0)))
        run = system.run(slaats_program(plan(system.model)), "accelerations", q=0, v=1)
        rising = sp.Matrix.vstack(-system.gravity, sp.zeros(3, 1))
        rest = sp.zeros(6, 1)

        def found(array: str, ground: sp.Matrix | None = None) -> Callable[[int], object]:
            def value(j: int) -> Mat | sp.Matrix | None:
                return run.of(array, str(j)) if j != GROUND else ground

            return value

        self.letters = {
            **self.letters,
            "Vp_j": found("vel", rest),
            "Bp_j": found("B1"),
            "Dp_j": found("D"),
            "Mp_j": found("Mh"),
            "Qp_j": found("Qh"),
            "Rp_j": found("Mr"),
            "Sp_j": found("Qr"),
            "gp_j": lambda j: run.of("a", f"uh{j}"),
            "ap_j": found("vd", rising),
        }
