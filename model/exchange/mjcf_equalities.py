"""The equalities of a MuJoCo model: hinges that close loops, and couplings of coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .mjcf_tendons import Tendon, tendons


@dataclass(frozen=True)
class Relation:
    """Σ factor · q = `value`, over joints of one coordinate: what an equality demands."""

    number: int
    factors: dict[int, float]
    value: float


def active(mujoco: Any, m: Any, *kinds: str) -> list[int]:
    """The equalities of these kinds that hold from the start."""
    wanted = {int(getattr(mujoco.mjtEq, f"mjEQ_{kind}")) for kind in kinds}
    return [k for k in range(m.neq) if m.eq_active0[k] and m.eq_type[k] in wanted]


def relations(mujoco: Any, m: Any) -> Iterator[Relation]:
    """The linear equalities of joints and of tendons of joints, in the coordinates."""
    straight = {tendon.number: tendon for tendon in tendons(mujoco, m)}
    for k in active(mujoco, m, "JOINT", "TENDON"):
        first, second, data = int(m.eq_obj1id[k]), int(m.eq_obj2id[k]), m.eq_data[k]
        if second >= 0 and data[2:5].any():
            continue
        of_joints = m.eq_type[k] == int(mujoco.mjtEq.mjEQ_JOINT)
        sides = [
            _joint(m, x) if of_joints else _length(m, straight.get(x))
            for x in (first, second)[: 1 + (second >= 0)]
        ]
        if not all(sides):
            continue
        factors: dict[int, float] = {}
        value = float(data[0])
        for side, by in zip(sides, (1.0, -float(data[1])), strict=False):
            own, reference = side  # type: ignore[misc]
            value += by * reference
            for joint, factor in own.items():
                factors[joint] = factors.get(joint, 0.0) + by * factor
        yield Relation(k, {joint: x for joint, x in factors.items() if x}, value)


def _joint(m: Any, joint: int) -> tuple[dict[int, float], float]:
    return {joint: 1.0}, float(m.qpos0[m.jnt_qposadr[joint]])


def _length(m: Any, tendon: Tendon | None) -> tuple[dict[int, float], float] | None:
    """The factors of a tendon's joints, and its length at the reference."""
    if tendon is None or not tendon.joints:
        return None
    return dict(tendon.joints), float(m.tendon_length0[tendon.number])


def couplings(mujoco: Any, m: Any) -> tuple[dict[int, tuple[int, float, float]], list[int]]:
    """By joint that follows: the one that it follows, ratio and offset; and what this leaves.

    A joint that is held follows any other by a ratio of zero. Left are equalities of three joints
    or more, of another degree, and those that would let joints follow in a circle.
    """
    found: dict[int, tuple[int, float, float]] = {}
    types = [int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)]
    axial = [j for j in range(m.njnt) if m.jnt_type[j] in types]
    left = {*active(mujoco, m, "JOINT", "TENDON")}

    def leads_to(joint: int) -> set[int]:
        way = {joint}
        while joint in found:
            joint = found[joint][0]
            way.add(joint)
        return way

    for relation in relations(mujoco, m):
        joints = list(relation.factors)
        if len(joints) == 1:
            ways = [(joints[0], other) for other in axial if other != joints[0]]
        else:
            ways = [(joints[0], joints[-1]), (joints[-1], joints[0])] if len(joints) == 2 else []
        for follower, leader in ways:
            if follower in found or follower in leads_to(leader):
                continue
            by = relation.factors[follower]
            ratio = -relation.factors.get(leader, 0.0) / by
            found[follower] = leader, ratio, relation.value / by
            left.discard(relation.number)
            break
    return found, sorted(left)
