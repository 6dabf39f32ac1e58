"""What a file of a run says besides its numbers, so that the motion can go on: model and method."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import ModelError
from ...model import Model
from ..events import text_of
from ..inputs import Feedback, Sampled, Table, Within
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
    """How the motion is made and where it stands; nothing if functions of Python or C make it."""
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


def _plain(asked: object) -> list[list[Any]] | None:
    """The inputs as names and laws that text can say; nothing if it cannot say one of them."""
    if asked is None:
        return []
    if not isinstance(asked, Mapping):
        return None
    try:
        return [
            [list(names) if isinstance(names, tuple) else names, _law(law)]
            for names, law in asked.items()
        ]
    except TypeError:
        return None


def _law(law: Any) -> Any:
    """A law as plain data.

    Raises
        TypeError: it is a function of Python or C, which only this process has.
    """
    match law:
        case Sampled():
            return {"law": _law(law.law), "period": float(law.period)}
        case Table():
            times, values = (np.asarray(x, float).tolist() for x in (law.times, law.values))
            return {"times": times, "values": values, "held": bool(law.held)}
        case Feedback():
            given = {x: getattr(law, x) for x in ("gains", "q", "v", "inputs", "limits")}
            said = {k: np.asarray(x, float).tolist() for k, x in given.items() if x is not None}
            follows = {name: _law(x) for name, x in (law.reference or {}).items()}
            return {**said, "reference": follows} if follows else said
        case Within():
            return {"law": _law(law.law), "limits": np.asarray(law.limits, float).tolist()}
        case list() | tuple() | np.ndarray():
            return [_law(one) for one in law]
    text = text_of(law, "input")
    return float(law) if text is None else text


def inputs_said(plain: Mapping[str, Any] | Sequence[Any]) -> dict[Any, Any]:
    """The inputs of a motion, from what a file says of them."""
    items = plain.items() if isinstance(plain, Mapping) else plain
    return {tuple(k) if isinstance(k, list) else k: _law_said(law) for k, law in items}


def _law_said(law: Any) -> Any:
    """A law from plain data."""
    match law:
        case {"law": of, "period": period}:
            return Sampled(_law_said(of), period)
        case {"law": of, "limits": limits}:
            return Within(_law_said(of), limits)
        case {"times": _}:
            return Table(**law)
        case {"gains": _}:
            follows = {name: _law_said(x) for name, x in law.get("reference", {}).items()}
            return Feedback(**{**law, "reference": follows or None})
    return law
