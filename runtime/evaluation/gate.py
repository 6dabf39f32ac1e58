"""What a state is, said once: the gate before whatever tells of the mechanism.

The coordinates of a state leave no condition of a cut or coupled hinge open by more than `TAKEN`
of its size, a length of the model or 1 of an angle, and the speeds open none faster: by no more
than that in a second, or in the time of a radian or metre where speeds are larger than 1. Other
states belong to another mechanism, the tree with its loops open; they are refused, with what is
open and how to close it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ...codegen.interface import CLOSED, Interface
from ...errors import OpenStateError
from ...model import Model
from .arrays import Floats
from .backend import Backend
from .quick import quick_call

#: A state is taken as closed within this part of the model's size.
TAKEN = 1e-9

#: Entries that take any place of the tree: where that has its bodies, how far it is open, and what
#: closes it.
ANYWHERE = frozenset(
    {
        *("poses", "frame_poses", "every_pose", "rates", "retract", "constraints", "jacobian"),
        *("correction", "stresses", "reaching_step", "regauge"),
    }
)

#: What closes states, and is held to the same gate.
CLOSING = ("project", "assemble", "equilibrium", "inverse_kinematics")


def see_closed(
    model: Model,
    said: str,
    conditions: Sequence[str],
    limits: Floats,
    gaps: Mapping[str, Floats],
    v: Floats | None,
    batch: tuple[int, ...],
    closer: str = "mstmm.compile(model)",
) -> None:
    """Refuse states whose `gaps` are too large: phi, and where they have speeds `v` phid too.

    `limits` is by condition what is taken; `said` is what is asked of the states, `closer` what
    would close them.

    Shape
        Rows of states; `batch` are the axes that they had.
    Raises
        OpenStateError: one is open; names it and the condition that is farthest from being met.
    """
    sizes = np.ones(1) if v is None else np.abs(v).max(axis=-1, initial=1.0)
    for name, size, how, unit in (
        ("phi", np.ones(1), "the loops are open", ""),
        ("phid", sizes, "the speeds open the loops", "/s"),
    ):
        if name == "phid" and v is None:
            continue
        allowed = limits * size[:, np.newaxis]
        parts = np.abs(gaps[name]) / allowed
        if not (parts > 1.0).any():
            continue
        row, column = np.unravel_index(int(np.nanargmax(parts)), parts.shape)
        where = f" in state {[int(k) for k in np.unravel_index(row, batch)]}" if batch else ""
        at_most = float(np.broadcast_to(allowed, parts.shape)[row, column])
        raise OpenStateError(
            f"{said} of {model.name}: {how}{where}: {_named(model, conditions[int(column)])} by "
            f"{abs(gaps[name][row, column]):.3g}{unit}, where {at_most:.1g}{unit} is taken as "
            f"closed; {_remedy(said, closer)}"
        )


def _remedy(said: str, closer: str) -> str:
    """What may be done; of what closes states itself it is no remedy to close them."""
    if said in CLOSING:
        return "beside a singular position no more digits are left; begin from another place"
    return f"hand q, v = {closer}.project(q, v), or a start of {closer}.assemble()"


def _named(model: Model, condition: str) -> str:
    """A condition in words: that of a cut hinge, or of one that follows another."""
    follows = any(hinge.name == condition and hinge.mimic for hinge in model.hinges)
    return f"the coupling of hinge {condition}" if follows else f"condition {condition}"


class Telling(Protocol):
    """Code that has the entry `constraints`."""

    model: Model
    backend: Backend

    @property
    def interface(self) -> Interface: ...
    @property
    def conditions(self) -> tuple[str, ...]: ...


class Gate:
    """The gate of one model's states, by what tells how far they are open."""

    def __init__(self, code: Telling) -> None:
        self.code = code

    @cached_property
    def limits(self) -> Floats:
        """By condition what is taken as closed; `CLOSED` is what motions and closing keep to."""
        return TAKEN / CLOSED * np.array(self.code.interface.closed)

    def see(self, given: Mapping[str, Floats], batch: tuple[int, ...], said: str) -> None:
        """Let states pass: q, v if they have speeds, t and parameters p, rows of states.

        Raises
            OpenStateError: one is open; names it and the condition that is farthest from being met.
        """
        interface, states = self.code.interface, len(given["q"])
        gaps = {
            name: given[name] if name in given else np.zeros((states, interface.sizes[name]))
            for name in interface.arguments["constraints"]
        }
        if not states or not self.code.backend.run("constraints", gaps):
            return  # what is not finite says the entry itself
        closer = "solver" if interface.can_close else "mstmm.compile(model)"
        see_closed(
            *(self.code.model, said, self.code.conditions, self.limits),
            *(gaps, given.get("v"), batch, closer),
        )

    def quick(
        self, shapes: Mapping[str, tuple[int, ...]], constants: Mapping[str, Floats]
    ) -> tuple[Callable[..., Any], Floats]:
        """What a door asks of every state before its function: the gaps, and their limits."""
        sizes = self.code.backend.interface.sizes
        found = {name: (sizes[name],) for name in ("phi", "phid")}
        units = self.code.model.quaternions
        gaps = quick_call(self.code.backend, "constraints", shapes, constants, units, found)
        return gaps, self.limits
