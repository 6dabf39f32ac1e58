"""The drawing of the topology: complete, with ids, readable, and the same each time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

import mstmm
from mstmm.model import MODELS
from mstmm.report.drawing.numbering import papers_numbers
from mstmm.report.drawing.scene import Circle, Line, Scene, Text, box, text_width
from mstmm.report.drawing.topology import topology, topology_svg
from mstmm.symbolic.plans.plan import plan

#: Sizes at which a ready-made model is a drawing of its own kind.
SIZES = {"branch-system": ":N=99", "rod-chain": ":n=5", "ball-chain": ":n=30"}
NAMES = [name + SIZES.get(name, "") for name in MODELS]
SVG = "{http://www.w3.org/2000/svg}"


def groups(text: str) -> dict[str, ElementTree.Element]:
    root = ElementTree.fromstring(text)
    found = list(root.iter(f"{SVG}g"))
    assert len({g.get("id") for g in found}) == len(found)
    return {g.get("id", ""): g for g in found}


@pytest.mark.parametrize("name", NAMES)
def test_everything_of_the_model_is_there_by_its_id(name: str) -> None:
    model = mstmm.load(name)
    found = groups(topology_svg(model))
    left_out = {n for link in plan(model).links for n in [link.name] if f"m-body-{n}" not in found}
    more = [g for g in found.values() if g.get("class") == "more"]
    assert bool(left_out) == bool(more)
    assert all(f"m-hinge-{hinge.name}" in found for hinge in model.tree_hinges
               if plan(model).outputs[hinge.name][0].body not in left_out)  # fmt: skip
    assert all(f"m-cut-{name}" in found for name in model.cuts)
    ends = [f"m-end-{b.name}-{p.name}" for b in model.bodies if b.name not in left_out
            for p in b.points]  # fmt: skip
    assert [end for end in ends if end not in found] == []


def test_a_long_chain_leaves_out_its_middle_and_says_how_much() -> None:
    text = topology_svg(mstmm.load("rod-chain:n=2000"))
    assert "1995 more" in text
    assert len(text) < 20_000


def segments(line: Line) -> Iterator[tuple[float, float]]:
    """Places along a line, a pixel apart."""
    for (x0, y0), (x1, y1) in zip(line.points, line.points[1:], strict=False):
        steps = max(1, int(math.hypot(x1 - x0, y1 - y0)))
        for k in range(steps + 1):
            yield x0 + k / steps * (x1 - x0), y0 + k / steps * (y1 - y0)


def overlaps(scene: Scene) -> list[str]:
    """Texts that lie on each other, on a line or on the outline of a circle."""
    shapes = [shape for group in scene.groups for shape in group.shapes]
    texts = [shape for shape in shapes if isinstance(shape, Text)]
    found = []
    for one, other in combinations(texts, 2):
        a, b = box(one), box(other)
        if a[0] < b[2] and b[0] < a[2] and a[1] + 2 < b[3] and b[1] + 2 < a[3]:
            found.append(f"{one.text} on {other.text}")
    for text in texts:
        left, top, right, bottom = box(text)
        for shape in shapes:
            if isinstance(shape, Line):
                hits = any(
                    left < x < right and top + 2 < y < bottom - 2 for x, y in segments(shape)
                )
                found += [f"{text.text} on a {shape.role}"] * hits
            elif isinstance(shape, Circle):
                corners = [math.hypot(x - shape.x, y - shape.y) < shape.radius
                           for x in (left, right) for y in (top + 2, bottom - 2)]  # fmt: skip
                found += [f"{text.text} across a circle"] * (any(corners) and not all(corners))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_nothing_lies_on_anything(name: str) -> None:
    assert overlaps(topology(mstmm.load(name))) == []


def test_an_overlap_is_seen() -> None:
    scene = topology(mstmm.load("four-bar"))
    hinge = next(group for group in scene.groups if group.kind == "hinge")
    assert overlaps(Scene("", 1, 1, (*scene.groups, hinge)))


def test_an_arrow_leads_the_way_of_the_transfer() -> None:
    """Its head is at the body that the state passes into, to the right."""
    scene = topology(mstmm.load("branch-pendulum"))
    bodies = {g.name: g.shapes[0] for g in scene.groups if g.kind == "body"}
    for group in scene.groups:
        if group.kind == "hinge":
            arrow = group.shapes[0]
            assert isinstance(arrow, Line)
            assert arrow.arrow
            assert arrow.points[-1][0] > arrow.points[0][0]
    last = next(g.shapes[0] for g in scene.groups if (g.kind, g.name) == ("hinge", "2"))
    seven = bodies["7"]
    assert isinstance(last, Line)
    assert isinstance(seven, Circle)
    reach = math.hypot(last.points[-1][0] - seven.x, last.points[-1][1] - seven.y)
    assert reach == pytest.approx(seven.radius)


def test_it_is_self_contained_and_the_same_each_time() -> None:
    model = mstmm.load("example-2")
    text = topology_svg(model, prefix="page")
    assert text == topology_svg(plan(model), prefix="page")
    assert not re.findall(r"href|url\(|<script|@import", text)
    assert set(re.findall(r'id="(\w+)-', text)) == {"page"}


def test_the_papers_numbers_are_those_of_its_large_example() -> None:
    """Of Fig. 1 of the Riccati paper, whose model has them as names; cut hinges come last."""
    order = plan(mstmm.load("branch-system:N=21"))
    bodies, hinges = papers_numbers(order)
    assert all(name == number for name, number in bodies.items())
    assert all(name == number for name, number in hinges.items())
    drawn = mstmm.load("four-bar").draw(numbering="paper").scene
    texts = {
        (group.kind, group.name): [x.text for x in group.shapes if isinstance(x, Text)]
        for group in drawn.groups
    }
    assert texts["body", "rocker"] == ["1"]
    assert texts["hinge", "right"] == ["2", "pin"]
    assert "8" in texts["cut", "pivot"]
    with pytest.raises(mstmm.UsageError, match="no numbering 'mine'; there are: model, paper"):
        mstmm.load("four-bar").draw(numbering="mine")


@pytest.mark.parametrize(("name", "options"), [("hdca-case-3", {}), ("rod-chain", {"n": 9})])
def test_no_line_of_an_assembly_tree_crosses_what_stands_at_its_nodes(
    name: str, options: dict[str, int]
) -> None:
    derived = mstmm.derive(mstmm.load(name, **options), algorithm="dca")
    shapes = [x for g in derived.draw("assembly").scene.groups for x in g.shapes]
    lines = [x.points for x in shapes if isinstance(x, Line)]
    parts = [pair for points in lines for pair in pairwise(points)]
    part = np.linspace(0, 1, 200)[:, None]
    drawn = np.vstack([(1 - part) * a + part * b for a, b in np.array(parts)])
    labels = [x for x in shapes if isinstance(x, Text) and x.text.startswith("node")]
    for label in labels:
        x, y = (drawn - (label.x, label.y)).T
        crossed = (x > 0) & (x < text_width(label.text, "label")) & (np.abs(y) < 5)
        assert not crossed.any(), label.text
    assert len(labels) > 7


def test_a_derivation_draws_its_plan_and_its_assembly_tree() -> None:
    derived = mstmm.derive("hdca-case-1", algorithm="hdca")
    texts = [x.text for g in derived.draw("assembly").scene.groups for x in g.shapes
             if isinstance(x, Text)]  # fmt: skip
    assert {"1", "2", "3", "4", "ground"} <= set(texts)
    assert derived.draw().svg == mstmm.load("hdca-case-1").draw().svg
    with pytest.raises(mstmm.UsageError, match="riccati has no assembly tree"):
        mstmm.derive("four-bar").draw("assembly")
    with pytest.raises(mstmm.UsageError, match="topology, assembly"):
        derived.draw("mechanism")
