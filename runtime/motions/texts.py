"""What a file of a run says besides its numbers, so that the motion can go on: model and method."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import ModelError
from ...model import Model
from ..events import text_of
from ..loading import text_of_model

#: The attributes that hold them.
MODEL, CONDITIONS, MOTION = "mstmm_model", "mstmm_conditions", "mstmm_motion"


def resuming(model: Model, conditions: Sequence[str], going_on: Any) -> dict[str, str]:
    """The attributes of a file; without a motion's where it cannot be said as text."""
    try:
        found = {MODEL: text_of_model(model), CONDITIONS: json.dumps(conditions)}
    except ModelError:
        return {}
    motion = _motion(going_on) if going_on is not None else None
    return found if motion is None else {**found, MOTION: json.dumps(motion)}


def _motion(going_on: Any) -> dict[str, Any] | None:
    """How the motion is made and where it stands; nothing if functions of Python make it."""
    if not hasattr(going_on, "moving"):
        return dict(json.loads(going_on.motion))
    _, (code, values, asked, how, stand) = going_on.__reduce__()
    events = [[text_of(x.function), x.direction, x.terminal, x.name] for x in how["events"]]
    inputs = _plain(asked)
    if inputs is None or any(text is None for text, *_ in events):
        return None
    own = {x.name for x in code.model.inputs}
    return {
        "algorithm": code.algorithm,
        "options": {"form": code.form, **dict(code.choice.options)},
        "target": code.target,
        "parameters": [name for name in code.parameters if name not in own],
        "portable": code.portable,
        "threads": code.threads,
        "values": {name: x for name, x in values.items() if name not in own},
        "inputs": inputs,
        "how": {**how, "events": events},
        "stand": {
            "t": stand.t,
            "q": stand.q.tolist(),
            "second": stand.second.tolist(),
            "origin": stand.origin,
            "pace": None if stand.pace is None else [stand.pace.size, stand.pace.before],
            "inputs": None if stand.inputs is None else stand.inputs.tolist(),
        },
    }


def _plain(asked: object) -> dict[str, Any] | None:
    """The inputs if each is a number or a text by its name; nothing if one is not."""
    if asked is None:
        return {}
    if not isinstance(asked, Mapping):
        return None
    plain = all(
        isinstance(name, str) and isinstance(law, str | int | float) for name, law in asked.items()
    )
    return dict(asked) if plain else None
