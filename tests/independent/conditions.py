"""What each kind of hinge holds, given by the child's frame as seen from the parent's."""

from __future__ import annotations

import numpy as np

from mstmm.model import Hinge, Model

from .joints import Jet

#: Entries (row, column) of the child's frame as seen from the parent's that are zero always:
#: column 3 is the child's place, column j its axis j, in the parent's axes.
HELD = {
    (2, "pin"): ((0, 3), (1, 3)),
    (2, "prismatic"): ((1, 3), (0, 1)),
    (2, "slot"): ((1, 3),),
    (2, "rack"): ((1, 3),),  # and x − radius φ
    (2, "fixed"): ((0, 3), (1, 3), (0, 1)),
    (2, "free"): (),
    (2, "elastic"): (),
    (3, "revolute"): ((0, 3), (1, 3), (2, 3), (0, 2), (1, 2)),
    (3, "prismatic"): ((0, 3), (1, 3), (0, 1), (1, 2), (2, 0)),
    (3, "slot"): ((1, 3), (2, 3), (0, 2), (1, 2)),
    (3, "helical"): ((0, 3), (1, 3), (0, 2), (1, 2)),  # and z − pitch φ
    (3, "cylindrical"): ((0, 3), (1, 3), (0, 2), (1, 2)),
    (3, "universal"): ((0, 3), (1, 3), (2, 3), (0, 1)),
    (3, "planar"): ((2, 3), (2, 0), (2, 1)),
    (3, "ball"): ((0, 3), (1, 3), (2, 3)),
    (3, "fixed"): ((0, 3), (1, 3), (2, 3), (0, 1), (1, 2), (2, 0)),
    (3, "free"): (),
    (3, "elastic"): (),
}


#: Kinds whose shift along an axis goes with their turn, and the size that says how far.
LED = {"helical": (2, "pitch"), "rack": (0, "radius")}


def held(model: Model, hinge: Hinge, frame: Jet) -> Jet:
    """What a hinge keeps at zero."""
    kind = "fixed" if hinge.motion else hinge.kind
    entries = HELD[model.dimension, kind]
    rows, columns = [i for i, _ in entries], [j for _, j in entries]
    zero = frame.through(lambda T: T[..., rows, columns])
    if kind not in LED:
        return zero
    axis, size = LED[kind]
    turn, lead = _angle(frame), model.value(getattr(hinge, size))
    return Jet(
        np.append(zero.x, frame.x[axis, 3] - lead * turn.x - _turns(frame.x[axis, 3], turn, lead)),
        np.hstack([zero.d, (frame.d[:, axis, 3] - lead * turn.d)[:, None]]),
        np.hstack([zero.dd, (frame.dd[:, axis, 3] - lead * turn.dd)[:, None]]),
    )


def _angle(frame: Jet) -> Jet:
    """φ with cos φ, sin φ = entries (0, 0), (1, 0), which make a unit vector."""
    c, s = frame.x[0, 0], frame.x[1, 0]
    dc, ds, ddc, dds = frame.d[:, 0, 0], frame.d[:, 1, 0], frame.dd[:, 0, 0], frame.dd[:, 1, 0]
    first, radial = c * ds - s * dc, c * dc + s * ds
    return Jet(np.arctan2(s, c), first, c * dds - s * ddc - 2 * radial * first)


def _turns(shift: float, turn: Jet, lead: float) -> float:
    """Whole turns that the angle leaves out, as a shift."""
    whole = 2 * np.pi * lead
    return whole * round((shift - lead * turn.x) / whole) if whole else 0.0
