"""What a reader's own print of the recursive-formulation paper may name, at an exact instant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import sympy as sp

from ...exact.claims import Symbols, rates
from ...exact.motion import GROUND
from ...exact.series import Series
from .formulation import JointFunctions, Moved, kinematics
from .loads import forces, joint_forces, recursion
from .tree import JointTree

#: What the formulation has of a body on its way.
MOVED = {"A": "A", "dA": "A_rate", "B": "B", "dB": "B_rate", "D": "D"}


def symbols(tree: JointTree) -> Mapping[str, Any]:
    """By bodies j, whose joint leads from the body on which it hangs; body 0 is the ground.

    `R_j`, `r_j`, `omega_j`, `v_j`; of the joint `q_j`, `Bi_j`, `Bj_j`, `C_j`, its place `c_j` in
    its own frame and `cvec_j` in inertial axes, `bi_j`, `bj_j`, `w_j` and `cq_j` as columns,
    `A_j`, `B_j`, `D_j`. `d` before a name is its rate, `dd` the second one. Of the motion under
    loads `F_j` and `tau_j`: `M_j`, `Q_j`, `Mh_j`, `Qh_j` with what outer bodies leave, `Mr_j`,
    `Qr_j` that joint j leaves to the inner body, and `acc_j`, `qacc_j` that are found.
    """
    known: dict[str, Any] = {}
    motion = tree.motion
    for j in (GROUND, *tree.numbers):
        known |= rates(f"R_{j}", partial(motion.R, j)) | rates(f"r_{j}", partial(motion.r, j))
        known |= rates(f"omega_{j}", partial(motion.spin, j), 1)
        known |= rates(f"v_{j}", partial(motion.v, j), 1)
    found = cache(partial(kinematics, tree))
    for j in tree.numbers:
        known |= _of_joint(tree, j)
        for name, field in MOVED.items():
            known[f"{name}_{j}"] = partial(_of, found, j, field)
        known |= _of_dynamics(tree, j)
    known["acc_0"] = partial(sp.zeros, 6, 1)
    return Symbols(known)


def _of(found: Callable[[], dict[int, Moved]], j: int, field: str) -> sp.Matrix:
    return getattr(found()[j], field)


def _of_joint(tree: JointTree, j: int) -> dict[str, Any]:
    joint, motion = tree.joints[j], tree.motion
    of = JointFunctions(joint.kind, joint.circle, tree.of(j, 0), tree.of(j, 1))
    inner = motion.R(joint.pred)

    def fixed(value: sp.Matrix) -> Series:
        return Series.constant(value, inner.order)

    frame = inner @ fixed(joint.Bi)
    known: dict[str, Any] = {f"{'d' * k}q_{j}": partial(tree.of, j, k) for k in range(3)}
    known |= {f"Bi_{j}": lambda: joint.Bi, f"Bj_{j}": lambda: joint.Bj}
    known |= rates(f"C_{j}", partial(motion.turned, j)) | rates(f"c_{j}", partial(motion.moved, j))
    known |= rates(f"cvec_{j}", lambda: frame @ motion.moved(j))
    known |= rates(f"bi_{j}", lambda: inner @ fixed(joint.bi))
    known |= rates(f"bj_{j}", lambda: motion.R(j) @ fixed(joint.bj))
    known |= rates(f"w_{j}", lambda: frame @ Series((of.W, of.W_rate)), 1)
    return known | rates(f"cq_{j}", lambda: frame @ Series((of.c_q, of.c_q_rate)), 1)


def _of_dynamics(tree: JointTree, j: int) -> dict[str, Any]:
    count = tree.joints[j].kind.count

    def found(rows: int) -> sp.Matrix:
        accelerations = recursion(tree).accelerations[0]
        return sp.Matrix([accelerations[j, m][0] for m in range(rows)])

    return {
        f"F_{j}": lambda: forces(tree)[j],
        f"tau_{j}": lambda: sp.Matrix([joint_forces(tree)[j, m] for m in range(count)]),
        f"M_{j}": lambda: recursion(tree).mass(j),
        f"Q_{j}": lambda: recursion(tree).load(j),
        f"Mh_{j}": lambda: recursion(tree).M[j],
        f"Qh_{j}": lambda: recursion(tree).Q[j],
        f"Mr_{j}": lambda: recursion(tree).left[j].M,
        f"Qr_{j}": lambda: recursion(tree).left[j].Q,
        f"acc_{j}": lambda: recursion(tree).accelerations[1][j],
        f"qacc_{j}": partial(found, count),
    }
