"""A MuJoCo file as MuJoCo compiles it, less what its flags switch off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import ModelError
from ...model.checks.doubts import doubt


def compiled_model(mujoco: Any, path: str | Path) -> Any:
    """MuJoCo's model of a file; what it would print, and write to a file of its own, warns."""
    remarks: list[str] = []
    usual = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(remarks.append)
    try:
        compiled = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        said = "; ".join(str(error).split("\n")).strip("; ")
        raise ModelError(f"MuJoCo cannot compile it: {said}") from None
    finally:
        mujoco.set_mju_user_warning(usual)
    for remark in remarks:
        doubt(f"MuJoCo says: {remark.strip()}")
    _switch_off(mujoco, compiled)
    return compiled


def _switch_off(mujoco: Any, m: Any) -> None:
    """Take away what the file's flags switch off."""
    off = {
        "EQUALITY": ("eq_active0",),
        "FRICTIONLOSS": ("dof_frictionloss", "tendon_frictionloss"),
        "SPRING": (
            "jnt_stiffness",
            "jnt_stiffnesspoly",
            "tendon_stiffness",
            "tendon_stiffnesspoly",
        ),
        "DAMPER": ("dof_damping", "dof_dampingpoly", "tendon_damping", "tendon_dampingpoly"),
        "GRAVITY": ("body_gravcomp",),
    }
    off["CONSTRAINT"] = (*off["EQUALITY"], *off["FRICTIONLOSS"])
    off["PASSIVE"] = (*off["SPRING"], *off["DAMPER"], "body_gravcomp")
    switched = {
        flag
        for flag in off
        if m.opt.disableflags & int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}", 0))
    }
    if switched >= {"SPRING", "DAMPER"}:
        switched.add("PASSIVE")
    for flag, fields in off.items():
        if flag in switched:
            for field in fields:
                if hasattr(m, field):
                    getattr(m, field)[:] = 0
            if flag == "GRAVITY":
                m.opt.gravity[:] = 0
