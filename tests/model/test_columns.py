"""Many equal records are pickled as columns and come back as they were."""

from __future__ import annotations

import gc
import pickle
from itertools import repeat

import mstmm
from mstmm.model.columns import MANY, made, packed
from mstmm.model.parts.hinges import Hinge
from mstmm.uncollected import uncollected


def test_records_come_back_and_stand_once() -> None:
    model = mstmm.load("branch-system", N=2 * MANY + 11)
    for parts in (model.bodies, model.hinges, model.owners):
        again = pickle.dumps(packed(parts))
        assert pickle.loads(again) == parts
        assert len(again) < len(pickle.dumps(parts))


def test_records_of_defaults_are_as_if_made_one_by_one() -> None:
    names = ("a", "b")
    parts = made(Hinge, 2, name=names, kind=repeat("pin", 2), ends=repeat((), 2))
    assert parts == tuple(Hinge(name, "pin", ()) for name in names)  # type: ignore[arg-type]
    assert parts[1].force == ()
    assert "force" not in vars(parts[1])
    assert pickle.loads(pickle.dumps(packed(parts * MANY))) == parts * MANY


def test_rows_are_the_records() -> None:
    for name in ("branch-pendulum", "ball-chain:n=2", "spatial-tree"):
        model = mstmm.load(name)
        for units in (model.coordinate_units, model.speed_units):
            again = pickle.loads(pickle.dumps(units))
            assert tuple(again) == tuple(units) == units[:]
            assert len(again) == len(units) > 1
            assert units[-1].owner in units[-1].meaning
    assert model.units.keys() == {*model.coordinates, *model.speeds}


def test_few_and_mixed_things_are_left_as_they_are() -> None:
    for value in ((1.0,) * (MANY - 1), (1, 2.0) * MANY, ("a", None) * MANY, [1] * MANY):
        assert packed(value) is value
    uneven = ((1,), (1, 2)) * MANY
    assert pickle.loads(pickle.dumps(packed(uneven))) == uneven


def test_the_collector_is_afterwards_as_it_was() -> None:
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()
