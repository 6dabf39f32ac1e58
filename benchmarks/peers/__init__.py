"""The libraries that mstmm is compared with; each module has `NAME` and `contenders(case)`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata

from ..cases import Case
from ..contenders import Contender
from . import casadi, drake, exudyn, mstmm, mujoco, pinocchio

#: mstmm first, then the others.
PEERS: tuple[Callable[[Case], list[Contender]], ...] = (
    mstmm.contenders,
    pinocchio.contenders,
    casadi.contenders,
    drake.contenders,
    mujoco.contenders,
    exudyn.contenders,
)

#: The packages whose versions matter.
PACKAGES = ("pin", "casadi", "drake", "mujoco", "exudyn", "sympy", "numpy", "example-robot-data")


def versions() -> dict[str, str]:
    """Of each package, or that it is not installed."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found
