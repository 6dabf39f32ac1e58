"""Natural modes that a page lets a mechanism swing in."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...errors import MstmmError
from ...model import Model
from ...runtime.capabilities.tangent import differences
from ...runtime.solver import compile_model
from ...runtime.vibration.modes import about
from ...runtime.vibration.rest import at_rest
from ..state import State

#: So many modes a page has at most.
MOST = 12

#: How far the coordinate that moves most swings at most: rad, and a part of the model's size.
TURNS, MOVES = 0.6, 0.3


def swinging(model: Model, state: State, size: float) -> dict[str, Any] | None:
    """Modes about rest near a state, as displacements of coordinates and speeds; none of a model
    that has none, or whose coordinates do not say how it moves, as of beams.

    They are of the state's parameters.
    """
    if model.beams:
        return None
    own = model.with_parameters(**state.parameters)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solver = compile_model(own, target="numpy")
            rest = at_rest(solver, start=np.array(state.q), t=state.t)
            modes = solver.modes(rest.q, count=MOST, t=state.t)
    except MstmmError:
        return None
    ways = modes.coordinates @ np.linalg.pinv(differences(own, modes.q)).T
    most = np.abs(modes.coordinates).argmax(axis=1)
    units = [modes["coordinates"].member_units[k] for k in most.tolist()]
    return {
        "q": modes.q.tolist(),
        "about": next(about(model, modes.q, ""), "").removesuffix(" ()"),
        "modes": [
            {
                "name": f"{k + 1}: {modes.said(k + 1)}",
                "omega": float(modes.frequencies[k]),
                "q": ways[k].tolist(),
                "v": modes.coordinates[k].tolist(),
                "unit": units[k],
                "most": TURNS if units[k] == "rad" else MOVES * size,
            }
            for k in range(min(len(modes.squares), MOST))
        ],
    }
