"""Texts, numbers and parts of another kind where a record of a model should stand."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import replace

import pytest

import mstmm
from mstmm import blame
from mstmm.errors import InternalError, MstmmError, UsageError
from mstmm.model import Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.model.parts import base, bodies, forces, frames, hinges, system
from mstmm.model.parts.base import Base, Input
from mstmm.model.parts.forces import Force, Load, Sensor
from mstmm.model.parts.frames import Frame

ODD = ("text", ("text",), ("text", "x"), None, (None,), 5, (5,), {"a": "t"}, object())


def resisted(model: Model) -> Model:
    """With a law in one hinge, so that laws are looked at early."""
    first, *rest = model.hinges
    return replace(model, hinges=(replace(first, force=(-hinge_symbol("u", 1),), motion=()), *rest))


def equipped() -> Model:
    """The four-bar with one of each kind of part."""
    model = resisted(mstmm.load("four-bar"))
    body = model.bodies[-1]
    end = End(body.name, body.points[0].name)
    return replace(
        model,
        sensors=(Sensor("s", (end, model.hinges[0].ends[0])),),
        forces=(Force("f", (end, model.hinges[0].ends[0]), stiffness=1),),
        loads=(Load("l", body.name, force=(1, 1)),),
        inputs=(Input("i"),),
        base=Base((0, 0)),
        frames=(Frame("tool", body.name, (0, 0)),),
    )


def refused(change: object, model: Model, field: str) -> None:
    """Taken, or a typed error: nothing else."""
    error: Exception | None = None
    try:
        replace(model, **{field: change})
    except MstmmError as raised:
        error = raised
    assert not isinstance(error, InternalError)


def test_every_field_of_a_model_is_taken_or_refused() -> None:
    for model in (equipped(), mstmm.load("spatial-tree"), mstmm.load("example-1")):
        for field in dataclasses.fields(model):
            value = getattr(model, field.name)
            beside = [(*value[:-1], x) for x in ODD] if isinstance(value, tuple) else []
            for odd in (*ODD, *beside):
                refused(odd, model, field.name)


def test_every_field_of_every_part_is_taken_or_refused() -> None:
    model = equipped()
    for name in ("bodies", "hinges", "sensors", "forces", "loads", "inputs", "frames", "ground"):
        first, *rest = getattr(model, name)
        for field in dataclasses.fields(first):
            for odd in (*ODD, first):
                refused((replace(first, **{field.name: odd}), *rest), model, name)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("sensors", ("text",), "sensors[0] = 'text' must be a Sensor"),
        ("forces", ("text",), "forces[0] = 'text' must be a Force"),
        ("frames", (5,), "frames[0] = 5 must be a Frame"),
        ("base", "text", "base = 'text' must be a Base or None"),
        ("bodies", "rod", "bodies = 'rod' must be a tuple"),
    ],
)
def test_the_entry_that_is_wrong_is_named(field: str, value: object, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        replace(resisted(mstmm.load("four-bar")), **{field: value})


def test_a_field_of_a_part_is_named_with_its_part() -> None:
    model = mstmm.load("four-bar")
    first, *rest = model.hinges
    with pytest.raises(UsageError, match=r"hinges\[0\]\.limits = 'text' must be a Limits or None"):
        replace(model, hinges=(replace(first, limits="text"), *rest))
    body, *others = model.bodies
    assert isinstance(body, Body)
    odd = replace(body, points=(body.points[0], "b"))
    with pytest.raises(UsageError, match=r"bodies\[0\]\.points\[1\] = 'b' must be a Point"):
        replace(model, bodies=(odd, *others))


def test_every_record_that_a_record_may_hold_is_known_to_who_names_it() -> None:
    """A class that `blame` does not know takes anything there."""
    records = {
        kind
        for module in (base, bodies, forces, frames, hinges, system)
        for kind in vars(module).values()
        if dataclasses.is_dataclass(kind)
    }
    assert {Hinge, Body, Point, Force} <= records
    known = {kind.__name__ for kind in records}
    for kind in records:
        for field in dataclasses.fields(kind):
            for word in re.findall(r"\w+", str(field.type)):
                assert word not in known or word in blame.CLASSES, (kind, field.name, word)
