"""Many equal records are pickled as columns and come back as they were."""

from __future__ import annotations

import gc
import pickle

import mstmm
from mstmm.model.columns import MANY, packed
from mstmm.uncollected import uncollected


def test_records_come_back_and_stand_once() -> None:
    model = mstmm.load("branch-system", N=2 * MANY + 11)
    for parts in (model.bodies, model.hinges, model.coordinate_units, model.owners):
        again = pickle.dumps(packed(parts))
        assert pickle.loads(again) == parts
        assert len(again) < len(pickle.dumps(parts))


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
