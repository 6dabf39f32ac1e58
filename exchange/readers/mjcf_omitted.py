"""What a MuJoCo model has, and a model cannot have exactly: each by its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import ModelError, UsageError
from ...model.checks.doubts import doubt
from ...model.expressions.quantities import shorten
from ...model.parts.naming import nearest
from .mjcf_actuators import judged
from .mjcf_equalities import active, couplings
from .mjcf_tendons import acts, armoured, tendons

#: What may be left out where it cannot be taken: words of `without`.
GROUPS = (
    "actuators", "equalities", "flexes", "friction", "gravcomp", "medium", "plugins", "springs",
    "tendons",
)  # fmt: skip


def judge(mujoco: Any, m: Any, without: Sequence[str]) -> None:
    """See that all that shapes the motion is taken, or may be left out; warn of what is left out.

    Raises
        ModelError: names what cannot be taken exactly.
        UsageError: `without` has a word that is no group.
    """
    if isinstance(without, str) or not all(isinstance(word, str) for word in without):
        raise UsageError(f'without = {without!r}: write such as without=("tendons",)')
    for word in without:
        if word not in GROUPS:
            raise UsageError(
                f"without: there is no group {word!r}{nearest(word, GROUPS)}; there are: "
                + ", ".join(GROUPS)
            )
    found = dict(_refused(mujoco, m))
    lacking = {group: names for group, names in found.items() if names and group not in without}
    if lacking:
        said = "; ".join(f"{what}: {shorten(x, limit=20)}" for what, x in lacking.items())
        words = ", ".join(f'"{group}"' for group in lacking)
        comma = "," * (len(lacking) == 1)
        raise ModelError(
            f"these shape the motion and cannot be taken exactly: {said}; "
            f"without=({words}{comma}) leaves them out"
        )
    for group, names in found.items():
        if names:
            doubt(f"left out as asked: {shorten(names, limit=20)}", field=group)
    _leave_out(mujoco, m)
    for what, names in _beside(mujoco, m):
        if names:
            doubt(f"left out: {shorten(names, limit=20)}", field=what)


def _leave_out(mujoco: Any, m: Any) -> None:
    """Take away what would be read else: friction of free joints, what is not linear of balls."""
    axial, free = _axial(mujoco, m), _free(mujoco, m)
    m.dof_frictionloss[free[m.dof_jntid]] = 0
    if hasattr(m, "jnt_stiffnesspoly"):
        m.jnt_stiffnesspoly[~axial] = 0
        m.dof_dampingpoly[~axial[m.dof_jntid]] = 0


def _axial(mujoco: Any, m: Any) -> Any:
    return np.isin(m.jnt_type, [int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)])


def _free(mujoco: Any, m: Any) -> Any:
    return m.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)


def names(mujoco: Any, m: Any, kind: str, chosen: Any) -> list[str]:
    """The names of things of a kind, numbers where they have none."""
    sort = getattr(mujoco.mjtObj, f"mjOBJ_{kind}")
    return [mujoco.mj_id2name(m, sort, int(k)) or f"{kind.lower()} {k}" for k in chosen]


def _refused(mujoco: Any, m: Any) -> Iterator[tuple[str, list[str]]]:
    """By group what acts on the motion and is not taken, each thing with the reason."""

    def called(kind: str, why: Mapping[int, str]) -> list[str]:
        chosen = sorted(k for k, reason in why.items() if reason)
        called = names(mujoco, m, kind, chosen)
        return [f"{name} ({why[k]})" for name, k in zip(called, chosen, strict=True)]

    free = _free(mujoco, m)
    slipping = np.unique(m.dof_jntid[m.dof_frictionloss != 0]).tolist()
    yield "actuators", called("ACTUATOR", judged(mujoco, m))
    _, left = couplings(mujoco, m)
    taken = {*active(mujoco, m, "CONNECT", "WELD", "JOINT", "TENDON")}
    others = {
        k: mujoco.mjtEq(int(m.eq_type[k])).name.removeprefix("mjEQ_").lower()
        for k in range(m.neq)
        if m.eq_active0[k] and k not in taken
    }
    yield "equalities", called("EQUALITY", others | left)
    yield "flexes", names(mujoco, m, "FLEX", range(m.nflex))
    yield "friction", called("JOINT", {j: "frictionloss" for j in slipping if free[j]})
    yield "gravcomp", called("JOINT", dict.fromkeys(_lifted(mujoco, m), "actuatorgravcomp"))
    yield "medium", [word for word in ("density", "viscosity") if getattr(m.opt, word)]
    yield "plugins", names(mujoco, m, "PLUGIN", range(m.nplugin))
    yield "springs", called("JOINT", _bent(mujoco, m))
    straight = {tendon.number for tendon in tendons(mujoco, m)}
    bent = {k: "around a geom" for k in range(m.ntendon) if k not in straight and acts(m, k)}
    yield (
        "tendons",
        called("TENDON", bent | {k: x for k in range(m.ntendon) if (x := armoured(m, k))}),
    )


def _bent(mujoco: Any, m: Any) -> dict[int, str]:
    """The joints whose springs and dampers are not taken, with what of them."""
    axial = _axial(mujoco, m)
    stiff = np.flatnonzero(_rows(m, "jnt_stiffnesspoly") & ~axial).tolist()
    damped = [j for j in m.dof_jntid[_rows(m, "dof_dampingpoly")].tolist() if not axial[j]]
    yielding = np.flatnonzero(getattr(m, "jnt_plasticadr", np.full(m.njnt, -1)) >= 0).tolist()
    return {
        **dict.fromkeys(damped, "damping of higher order"),
        **dict.fromkeys(stiff, "stiffness of higher order"),
        **dict.fromkeys(yielding, "springyield"),
    }


def _lifted(mujoco: Any, m: Any) -> set[int]:
    """The joints in which what compensates gravity is an actuator's, and is lost or clamped.

    MuJoCo adds it there to what the actuators exert, where it has any; elsewhere it acts as such.
    """
    given = getattr(m, "jnt_actgravcomp", np.zeros(m.njnt))
    off = not m.nu or m.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    found: set[int] = set()
    for body in np.flatnonzero(m.body_gravcomp * m.body_mass * m.opt.gravity.any()).tolist():
        while body:
            joints = range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body])
            found |= {j for j in joints if given[j] and (off or m.jnt_actfrclimited[j])}
            body = int(m.body_parentid[body])
    return found


def _rows(m: Any, field: str) -> Any:
    """Where an array of coefficients, if this version of MuJoCo has it, is not zero."""
    size = m.njnt if field.startswith("jnt") else m.nv
    given = getattr(m, field, None)
    return np.zeros(size, dtype=bool) if given is None else np.any(given, axis=1)


def _beside(mujoco: Any, m: Any) -> Iterator[tuple[str, list[str]]]:
    """What is no part of the mechanism, or as in all models here bounds it and stops nothing."""
    touching = np.flatnonzero((m.geom_contype != 0) | (m.geom_conaffinity != 0))
    parts = len({int(m.body_weldid[m.geom_bodyid[k]]) for k in touching})
    yield "contact", names(mujoco, m, "GEOM", touching) if parts > 1 or m.npair else []
    yield "sensors", names(mujoco, m, "SENSOR", range(m.nsensor))
    yield "limits of tendons", names(mujoco, m, "TENDON", np.flatnonzero(m.tendon_limited))
    moved = names(mujoco, m, "BODY", np.flatnonzero(m.body_mocapid >= 0))
    yield "motion of mocap bodies, which stand still", moved
