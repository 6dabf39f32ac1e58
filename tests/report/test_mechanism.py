"""The mechanism's drawing: everything in its place, names readable, in SVG and on axes."""

from __future__ import annotations

from itertools import combinations
from math import hypot
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import numpy as np
import pytest
from places import DATA

import mstmm
from mstmm.errors import UsageError
from mstmm.model import MODELS, End, Model, load
from mstmm.report.drawing.cylinders import cylinder
from mstmm.report.drawing.figure import figure
from mstmm.report.drawing.mechanism import mechanism
from mstmm.report.drawing.places import Places, places, start
from mstmm.report.drawing.scene import Line, Text, box

SIZES = {"branch-system": ":N=21", "rod-chain": ":n=5", "ball-chain": ":n=5"}
NAMES = [name + SIZES.get(name, "") for name in MODELS]
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))


@pytest.mark.parametrize("name", [*NAMES, *map(str, EXAMPLES)])
def test_every_body_is_named_and_no_name_lies_on_another(name: str) -> None:
    model = load(name)
    shapes = [shape for group in mechanism(model).groups for shape in group.shapes]
    texts = [shape for shape in shapes if isinstance(shape, Text)]
    assert {body.name for body in model.bodies} <= {text.text for text in texts}
    for one, other in combinations(texts, 2):
        a, b = box(one), box(other)
        assert not (a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]), (one, other)


def random_places(model: Model, seed: int) -> Places:
    rng = Random(seed)
    q = np.array([[rng.uniform(-0.3, 0.3) for _ in model.coordinates] for _ in range(3)])
    for k, name in enumerate(model.coordinates):
        if name.endswith(("_Qw", "_w")):
            q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
    return places(model, q, np.array([0.0, 0.3, 0.7]))


@pytest.mark.parametrize(
    "name",
    ["branch-pendulum", "ball-chain:n=4", "spatial-tree",
     *(str(path) for path in EXAMPLES if path.stem in ("beam", "crank", "arm"))],
    ids=lambda name: Path(name).stem,
)  # fmt: skip
def test_what_a_hinge_holds_together_is_at_one_place(name: str) -> None:
    """The generated kinematics put the bodies; their points, beams and the base are placed here."""
    model = load(name)
    at = random_places(model, 4)
    joined = [h for h in model.tree_hinges if h.kind in ("pin", "ball", "fixed", "revolute")]
    assert joined
    for hinge in joined:
        parent, child = (at.at(end)[:, :3, 3] for end in hinge.ends)
        np.testing.assert_allclose(parent, child, atol=1e-12)
    for hinge in model.tree_hinges:
        if hinge.kind == "fixed":
            parent, child = (at.at(end) for end in hinge.ends)
            np.testing.assert_allclose(parent, child, atol=1e-12)


@pytest.mark.parametrize("name", ["four-bar", "hdca-case-3"])
def test_loops_are_closed_at_the_start(name: str) -> None:
    model = load(name)
    at = start(model)
    for hinge in model.hinges:
        parent, child = (at.at(end)[:, :3, 3] for end in hinge.ends)
        np.testing.assert_allclose(parent, child, atol=1e-9)


def test_a_model_is_drawn_saved_and_put_on_axes(tmp_path: Path) -> None:
    model = mstmm.load("four-bar")
    for kind in ("topology", "mechanism"):
        drawing = model.draw(kind)
        drawing.save(tmp_path / "x.svg")
        text = (tmp_path / "x.svg").read_text()
        assert text == drawing.svg == drawing._repr_html_()
        assert ElementTree.fromstring(text).tag.endswith("svg")
    with pytest.raises(UsageError, match="no drawing 'graph'; there are: topology, mechanism"):
        model.draw("graph")
    with pytest.raises(UsageError, match=r"saved as \.svg, \.png, \.pdf, not '\.bmp'"):
        model.draw().save(tmp_path / "x.bmp")


def test_points_have_their_axes() -> None:
    """In the plane x along the first axis of the point's frame, upside down as pixels are."""
    model = mstmm.load("four-bar")
    at = start(model)
    drawn = mechanism(model, axes=True)
    found = {group.name: group.shapes for group in drawn.groups if group.kind == "axes"}
    assert set(found) == {f"{body.name}:{x.name}" for body in model.bodies for x in body.points}
    for name, shapes in found.items():
        frame = at.at(End(*name.split(":")))[0]
        lines = [shape for shape in shapes if isinstance(shape, Line)]
        assert [shape.text for shape in shapes if isinstance(shape, Text)] == ["x", "y"]
        for k, line in enumerate(lines):
            (x0, y0), (x1, y1) = line.points
            np.testing.assert_allclose([x1 - x0, y0 - y1], 22 * frame[:2, k], atol=1e-9)
    with pytest.raises(UsageError, match="a topology has no places"):
        model.draw(axes=True)


def test_the_same_drawing_in_matplotlib(tmp_path: Path) -> None:
    figure = pytest.importorskip("matplotlib.figure")
    axes = figure.Figure().add_subplot()
    drawing = mstmm.load("spatial-tree").draw(ax=axes)
    written = {text.get_text() for text in axes.texts}
    assert {"carriage", "cylindrical", "bob"} <= written
    drawing.save(tmp_path / "x.png")
    assert (tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"


def excavator() -> Model:
    return mstmm.load(DATA / "cases" / "excavator.toml")


@pytest.mark.parametrize("cylinder", ["1", "2"])
def test_a_cylinder_is_drawn_from_end_to_end(cylinder: str) -> None:
    """Of its two bars no part of the way between both eyes is left empty, at any time."""
    model = excavator()
    at = places(model, *moving(model))
    drawn = figure(at)
    barrel, rod = f"barrel{cylinder}", f"rod{cylinder}"
    eyes = [at.at(End(body, "pin"))[:, :3, 3] for body in (barrel, rod)]
    way = eyes[1] - eyes[0]
    length = np.linalg.norm(way, axis=1)
    spans = []
    for stroke in drawn.strokes:
        if stroke.owner in (barrel, rod):
            tracks = drawn.vertices[:, list(stroke.vertices)] - eyes[0][:, None]
            along = np.einsum("tvi,ti->tv", tracks, way) / length[:, None]
            spans.append((along.min(axis=1), along.max(axis=1)))
    for k, whole in enumerate(length):
        reached = 0.0
        for first, last in sorted((a[k], b[k]) for a, b in spans):
            assert first <= reached + 1e-9
            reached = max(reached, last)
        assert reached == pytest.approx(whole)
    tube = next(s for s in drawn.strokes if s.owner == barrel and s.role == "plate")
    assert len(tube.vertices) == 4


def moving(model: Model) -> tuple[np.ndarray, np.ndarray]:
    run = mstmm.compile(model, target="numpy").simulate(t_end=1.0, dt=0.02, record=0.2)
    return run.q, run.time


def test_a_sleeve_on_a_bar_is_no_cylinder() -> None:
    """A bar that passes through what slides on it leaves no gap."""
    assert cylinder(np.array([1.0, 1.5]), [0.0, 2.0, 1.0], [0.0, 0.0]) is None
    assert cylinder(np.array([0.5, -0.5]), [0.0, 0.2], [0.0, -0.2]) is None
    found = cylinder(np.array([-2.0, -2.4]), [0.0, -0.5], [0.0, 0.5])
    assert found is not None
    assert found.barrel == pytest.approx(-1.0)
    assert 1.0 <= found.rod <= 2.0


def signs(model: Model) -> dict[tuple[str, str], list[Line]]:
    groups = mechanism(model).groups
    return {(g.kind, g.name): [x for x in g.shapes if isinstance(x, Line)] for g in groups}


def way(arrow: Line) -> tuple[float, float]:
    (x0, y0), (x1, y1) = arrow.points[-2:]
    return (x1 - x0) / hypot(x1 - x0, y1 - y0), (y0 - y1) / hypot(x1 - x0, y1 - y0)


ACTED = """
name = "acted"
dimension = 2
gravity = [0, -9.81]
inputs.push = {}
[bodies.cart]
mass = 1
inertia = 1
points.pin = {}
[bodies.rod]
mass = 1
inertia = 1
centre = [0, -1]
points.top = {}
[hinges.rail]
kind = "prismatic"
parent = "ground"
child = "cart:pin"
force = ["push - 3*u1 - 2*q1"]
[hinges.pin]
kind = "pin"
parent = "cart:pin"
child = "rod:top"
spring = { stiffness = 2 }
[loads.wind]
body = "rod"
force = [1, 0]
frame = "body"
[loads.motor]
body = "rod"
moment = [-1]
[start.positions]
pin = 0.5
"""


def test_what_acts_is_drawn_and_points_where_it_acts(tmp_path: Path) -> None:
    """A body's load turns with it, weight does not; springs, dampers, drives have signs."""
    file = tmp_path / "acted.toml"
    file.write_text(ACTED, encoding="utf-8")
    model = mstmm.load(str(file))
    found = signs(model)
    np.testing.assert_allclose(way(found["weight", "gravity"][0]), (0, -1), atol=1e-12)
    np.testing.assert_allclose(way(found["load", "wind"][0]), (np.cos(0.5), np.sin(0.5)))
    np.testing.assert_allclose(way(found["drive", "rail"][0]), (1, 0), atol=1e-12)
    assert {("spring", "rail"), ("damper", "rail"), ("spring", "pin")} <= found.keys()
    assert {("damper", "pin"), ("drive", "pin")}.isdisjoint(found.keys())
    points = np.array(found["load", "motor"][0].points)
    xs, ys = (points - points.mean(axis=0)).T
    assert (xs[:-1] * ys[1:] - xs[1:] * ys[:-1]).sum() > 0  # clockwise, as y points down
    edge, arc = found["angle", "qpin"]
    (x0, y0), (x1, y1) = edge.points
    assert abs(x1 - x0) < 1e-9  # from where it hangs
    assert y1 > y0
    assert arc.points[-1][0] > arc.points[0][0]
