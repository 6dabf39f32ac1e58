"""States in which a model's loops are closed, near its start: where conditions are redundant."""

from __future__ import annotations

import random
from typing import Any

from ...errors import NumericsError
from ..tableaus import turns
from .points import sample

#: How far (rad, m) from the start a closed state is looked for.
AROUND = 0.3

Arguments = dict[str, Any]


def closed_state(solver: Any, chooser: random.Random) -> Arguments | None:
    """Random arguments with a closed place and speeds that keep it so; none if there is no such."""
    program, model = solver.generated.program, solver.model
    state: Arguments = sample(program, chooser, 0)
    state["t"] = [0.0]
    parameters = dict(zip(program.runtime, state.get("p", ()), strict=True)) or None
    try:
        q, v = solver.project(model.q0, model.v0, parameters=parameters)
        away = q + [chooser.uniform(-AROUND, AROUND) for _ in q]
        away = solver.retracted(away) if turns(program) else away
        q, v = solver.project(away, state["v"], parameters=parameters)
    except NumericsError:
        return None
    return state | {"q": q.tolist(), "v": v.tolist()}
