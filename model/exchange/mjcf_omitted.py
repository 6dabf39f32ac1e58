"""What a MuJoCo model has, and a model has not: each by its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .mjcf_tendons import beyond, tendons


def omitted(mujoco: Any, m: Any) -> Iterator[tuple[str, list[str]]]:
    """What is left out of a compiled model: the kind of thing, and the names."""

    def names(kind: str, chosen: Any) -> list[str]:
        sort = getattr(mujoco.mjtObj, f"mjOBJ_{kind}")
        return [mujoco.mj_id2name(m, sort, int(k)) or f"{kind.lower()} {k}" for k in chosen]

    touching = np.flatnonzero((m.geom_contype != 0) | (m.geom_conaffinity != 0))
    parts = len({int(m.body_weldid[m.geom_bodyid[k]]) for k in touching})
    axial = np.isin(
        m.jnt_type, [int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)]
    )
    free = m.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)
    of_joint = m.dof_jntid
    straight = {tendon.number for tendon in tendons(mujoco, m)}
    found = {
        "contact": names("GEOM", touching) if parts > 1 or m.npair else [],
        "friction loss": names("JOINT", np.unique(of_joint[m.dof_frictionloss != 0])),
        "spring of a ball or free joint": names(
            "JOINT", np.flatnonzero(~axial & (m.jnt_stiffness != 0))
        ),
        "armature or damping of a free joint": names(
            "JOINT",
            [j for j in np.flatnonzero(free) if _resists(m, of_joint == j)],
        ),
        "nonlinear spring or damper": names(
            "JOINT",
            sorted(
                {*np.flatnonzero(_rows(m, "jnt_stiffnesspoly")).tolist()}
                | {*of_joint[_rows(m, "dof_dampingpoly")].tolist()}
            ),
        ),
        "actuator": names("ACTUATOR", sorted({*_all(m)} - {*actuators(mujoco, m)})),
        "force range of an actuator": names(
            "ACTUATOR", [k for k in actuators(mujoco, m) if m.actuator_forcelimited[k]]
        ),
        "tendon": names("TENDON", sorted({*range(m.ntendon)} - straight)),
        "friction loss, limits, armature or nonlinear law of a tendon": names(
            "TENDON", [k for k in sorted(straight) if beyond(m, k)]
        ),
        "flex": names("FLEX", range(m.nflex)),
        "gravity compensation": names("BODY", np.flatnonzero(m.body_gravcomp)),
        "mocap body": names("BODY", np.flatnonzero(m.body_mocapid >= 0)),
        "plugin": names("PLUGIN", range(m.nplugin)),
        "equality": names(
            "EQUALITY", [k for k in range(m.neq) if m.eq_active0[k] and _odd(mujoco, m, k)]
        ),
        "medium": ["density, viscosity or wind"]
        * bool(m.opt.density or m.opt.viscosity or np.any(m.opt.wind)),
    }
    yield from ((what, given) for what, given in found.items() if given)


def _rows(m: Any, field: str) -> Any:
    """Where an array of coefficients, if this version of MuJoCo has it, is not zero."""
    size = m.njnt if field.startswith("jnt") else m.nv
    given = getattr(m, field, None)
    return np.zeros(size, dtype=bool) if given is None else np.any(given, axis=1)


def _resists(m: Any, dofs: Any) -> bool:
    return bool(m.dof_armature[dofs].any() or m.dof_damping[dofs].any())


def _odd(mujoco: Any, m: Any, k: int) -> bool:
    """An equality that is neither hinge nor linear coupling."""
    kind = mujoco.mjtEq(int(m.eq_type[k])).name
    if kind == "mjEQ_JOINT":
        return bool(m.eq_obj2id[k] < 0 or m.eq_data[k][2:5].any())
    return kind not in ("mjEQ_CONNECT", "mjEQ_WELD")


def actuators(mujoco: Any, m: Any) -> list[int]:
    """The actuators of joints of one coordinate and straight tendons, affine, without a state."""
    straight = [tendon.number for tendon in tendons(mujoco, m)]
    axial = [int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)]
    gains = [int(mujoco.mjtGain.mjGAIN_FIXED), int(mujoco.mjtGain.mjGAIN_AFFINE)]
    biases = [int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE)]
    return [
        k
        for k in _all(m)
        if _moves(mujoco, m, k, axial, straight)
        and m.actuator_gaintype[k] in gains
        and m.actuator_biastype[k] in biases
        and m.actuator_dyntype[k] == int(mujoco.mjtDyn.mjDYN_NONE)
        and _is_plain(m, k)
    ]


def _moves(mujoco: Any, m: Any, k: int, axial: list[int], straight: list[int]) -> bool:
    """Acts it on such a joint or tendon?"""
    on = int(m.actuator_trnid[k][0])
    if m.actuator_trntype[k] == int(mujoco.mjtTrn.mjTRN_JOINT):
        return m.jnt_type[on] in axial
    return m.actuator_trntype[k] == int(mujoco.mjtTrn.mjTRN_TENDON) and on in straight


def _all(m: Any) -> range:
    return range(getattr(m, "nactuator", m.nu))  # one control each, before there were more


def _is_plain(m: Any, k: int) -> bool:
    """Has it one control, no damper, no armature and no delay, as far as MuJoCo knows them?"""
    extras = ("actuator_damping", "actuator_dampingpoly", "actuator_armature", "actuator_delay")
    found = [getattr(m, field) for field in extras if hasattr(m, field)]
    return getattr(m, "actuator_ctrlnum", np.ones(k + 1))[k] == 1 and not any(
        np.any(each[k]) for each in found
    )
