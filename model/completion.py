"""What a model's author leaves out, filled in, and the model checked."""

from __future__ import annotations

from .bodies import Beam
from .check import check
from .hinge_kinds import HINGE_KINDS
from .topology import choose_cuts, read_hinges
from .types import System


def complete(model: System) -> None:
    """Put beams last, fill in cuts, the start and the inputs' parameters, and check it all.

    Raises
        ModelError: names the element and the field that is wrong.
    """

    def is_now(field: str, value: object) -> None:
        object.__setattr__(model, field, value)

    rigid = tuple(body for body in model.bodies if not isinstance(body, Beam))
    is_now("bodies", (*rigid, *model.beams))
    defaults = {x.name: x.default for x in model.inputs}
    is_now("parameters", {**model.parameters, **defaults, **model.parameters})
    if len(model.cuts) == 0 and not model.absolute and model.dimension in HINGE_KINDS:
        is_now("cuts", choose_cuts(model.dimension, model.hinges, read_hinges(model)))
    if len(model.q0) == 0:
        is_now("q0", model.rest_position())
    if len(model.v0) == 0:
        is_now("v0", (0.0,) * len(model.speeds))
    check(model)
