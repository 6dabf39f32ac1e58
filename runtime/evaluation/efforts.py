"""Inputs by name: a model's own, and the efforts of hinges, forces and moments along speeds."""

from __future__ import annotations

import re

from ...errors import UsageError
from ...model import Model
from ...model.parts.hinges import Hinge
from ...model.parts.naming import nearest
from .evaluator import Evaluator

#: An entry of the arrays that generated code takes: `p` (run-time parameters) or `tau`, and where.
Place = tuple[str, int]


def place_of(code: Evaluator, name: str, besides: str = "") -> Place:
    """Where an input stands among the arguments of generated code.

    It is one of the model's, or the effort of a hinge that has one speed, or along a speed. Where
    there is none, what there is `besides` is said as well.

    Raises
        UsageError: there is no such input, hinge or speed, or the hinge has several speeds.
    """
    model = code.model
    if name in (x.name for x in model.inputs):
        return "p", code.parameters.index(name)
    if name in code.speeds:
        return "tau", code.speeds.index(name)
    if not model.absolute and not model.beams:  # without the model's parts, which may wait
        along = [x.name for x in model.speed_units if x.owner == name]
        if len(along) == 1:
            return "tau", code.speeds.index(along[0])
    inputs = [x.name for x in model.inputs]
    for hinge in model.tree_hinges if not model.absolute else ():
        if hinge.name == name:
            speeds = model.hinge_speeds(hinge)
            if len(speeds) == 1:
                return "tau", code.speeds.index(speeds[0])
            if len(speeds) > 1:
                raise UsageError(
                    f"{name}: the effort of this hinge is not one number; name one of its speeds: "
                    f"{', '.join(speeds)}"
                )
            raise UsageError(f"{name}: {_moved(model, hinge)}")
        moved = hinge.motion or hinge.name in model.followers
        if moved and re.fullmatch(rf"u{hinge.name}(_\d+)?", name):
            raise UsageError(f"{name}: {_moved(model, hinge)}")
    cut = name in model.cuts
    known = [*inputs, *(h.name for h in model.tree_hinges if len(model.hinge_speeds(h)) == 1)]
    if cut:
        raise UsageError(
            f"{name}: this hinge is cut to open a loop, where no effort acts from outside; write "
            'its input in the law: force = "u"'
        )
    raise UsageError(
        f"there is no input {name!r}{nearest(str(name), known)}; the model's inputs are: "
        f"{', '.join(inputs) or 'none ([inputs] in the file)'}; besides, the efforts of hinges by "
        f"their names{besides}"
    )


def _moved(model: Model, hinge: Hinge) -> str:
    """Why no effort moves a hinge that has no speeds in the state."""
    if hinge.motion:
        return (
            f"the motion of hinge {hinge.name} is prescribed, and no effort changes it: "
            "solver.driving_forces says what drives it; to drive it by an effort take its motion "
            "away from the model"
        )
    if led := model.followers.get(hinge.name):
        return (
            f"hinge {hinge.name} moves by the coordinate of hinge {led.hinge}: name that one, "
            "along which efforts act"
        )
    return f"a {hinge.kind} hinge does not move, so that no effort acts there"
