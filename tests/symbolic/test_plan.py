"""What a plan promises: order, directions and subchains, on any tree."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
import random_models
from hypothesis import given, settings
from independent.tree import joints

from mstmm.model import GROUND, Model, load
from mstmm.symbolic.plans.plan import Plan, plan


def check_links(model: Model, found: Plan) -> None:
    """Each link is its body's neighbourhood, as seen from the ground by another traversal."""
    order = [link.name for link in found.links]
    assert sorted(order) == sorted(body.name for body in model.bodies)
    expected = {joint.tip.body: joint for joint in joints(model)}
    for link in found.links:
        joint = expected[link.name]
        assert link.body == model.body(link.name)
        assert link.output == joint.tip.point
        assert {joint.tip, joint.root} == set(_hinge(model, link.hinge))
        assert link.parent == (None if joint.root.body == GROUND else joint.root.body)
        points = [point.name for point in link.body.points]
        assert sorted([link.output, *link.inputs, *link.free]) == sorted(points)
        assert list(link.inputs) == [point for point in points if point in link.inputs]
        entries = [
            (j.root.point, j.tip.body) for j in expected.values() if j.root.body == link.name
        ]
        assert sorted(zip(link.inputs, link.children, strict=True)) == sorted(entries)
        for child in link.children:
            assert order.index(child) < order.index(link.name)
    assert found.root == found.links[-1]
    assert found.root.parent is None
    assert [link.name for link in found.links if link.parent is None] == [found.root.name]


def _hinge(model: Model, name: str) -> tuple[object, ...]:
    return next(hinge.ends for hinge in model.hinges if hinge.name == name)


def check_subchains(found: Plan) -> None:
    """Subchains partition the sweep order; MISO bodies stand alone; runs are maximal."""
    assert [name for chain in found.subchains for name in chain] == [
        link.name for link in found.links
    ]
    for chain in found.subchains:
        links = [found.link(name) for name in chain]
        for before, after in pairwise(links):
            assert before.parent == after.name
        if any(len(link.inputs) > 1 for link in links):
            assert len(links) == 1
            continue
        first, last = links[0], links[-1]
        assert not first.children or len(found.link(first.children[0]).inputs) > 1
        assert last.parent is None or len(found.link(last.parent).inputs) > 1


@settings(max_examples=60, deadline=None)
@given(random_models.trees())
def test_plan_of_any_tree(model: Model) -> None:
    found = plan(model)
    check_links(model, found)
    check_subchains(found)
    assert len(found.describe().splitlines()) == len(found.subchains)


@pytest.mark.parametrize("seed", range(20))
def test_order_in_the_model_does_not_matter(seed: int) -> None:
    """Shuffled hinges and turned ends give the very same plan; shuffled bodies the same links."""
    rng = Random(seed)
    model = random_models.planar_tree(rng)
    hinges = [replace(hinge, ends=(hinge.ends[1], hinge.ends[0])) for hinge in model.hinges]
    rng.shuffle(hinges)
    bodies = list(model.bodies)
    rng.shuffle(bodies)
    found, other = plan(model), plan(replace(model, hinges=tuple(hinges), bodies=tuple(bodies)))
    assert found.links == other.links
    assert found.subchains == other.subchains


def test_plan_of_the_branch_pendulum() -> None:
    found = plan(load("branch-pendulum"))
    assert {frozenset(chain) for chain in found.subchains} == {
        frozenset({"1"}),
        frozenset({"3", "5"}),
        frozenset({"7"}),
    }
    assert found.subchains[-1] == ("7",)
    assert found.root.inputs == ("I1", "I2")
    assert found.root.children == ("1", "5")
    assert found.link("1").free == ("I",)
    text = found.describe()
    for phrase in ("bodies 3 – 5", "body 7 with 2 inputs", "hinged to the ground"):
        assert phrase in text


def test_plan_of_the_branch_system() -> None:
    found = plan(load("branch-system"))
    check_links(found.model, found)
    check_subchains(found)
    assert sorted(map(len, found.subchains)) == [1, 2, 3, 494]
    assert "13 – 15 – 17 – … – 997 – 999" in found.describe()
