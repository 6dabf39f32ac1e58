"""Loops and bridges of graphs, against NetworkX."""

from __future__ import annotations

import random
from dataclasses import replace

import networkx
import pytest

import mstmm
from mstmm.model import Beam, End, Hinge, Model, Point
from mstmm.model.topology import inextensible, ring


@pytest.mark.parametrize("seed", range(200))
def test_a_ring_is_a_loop_of_the_graph(seed: int) -> None:
    chooser = random.Random(seed)
    count = chooser.randint(2, 9)
    links = [
        (str(chooser.randrange(count)), str(chooser.randrange(count)))
        for _ in range(chooser.randint(1, count + 1))
    ]
    found = ring(links)
    graph = networkx.MultiGraph(links)
    assert bool(found) == (not networkx.is_forest(graph))
    steps = zip(found, [*found[1:], *found[:1]], strict=True)
    assert len(set(found)) == len(found)
    if len(found) == 2:
        assert graph.number_of_edges(*found) > 1
    assert all(graph.has_edge(*step) for step in steps)


@pytest.mark.parametrize("seed", range(60))
def test_a_beam_that_loops_hold_is_found(seed: int) -> None:
    """Beams of which a piece is no bridge of the graph of points, bodies and hinges."""
    chooser = random.Random(seed)
    beams = tuple(
        Beam(name, 1, 1, 1, 1, chooser.randint(0, 1), 1, _points(chooser.randint(1, 3)))
        for name in ("a", "b")
    )
    places = [End(beam.name, point.name) for beam in beams for point in beam.points]
    places += [End("0", "O"), End("c", "O")]
    hinges = tuple(
        Hinge(str(k), "pin", (chooser.choice(places), chooser.choice(places)))
        for k in range(chooser.randint(2, 5))
    )
    system = _Said(beams, hinges)
    graph = networkx.MultiGraph()
    for hinge in hinges:
        graph.add_edge(*(e.body if e.body in "0c" else str(e) for e in hinge.ends))
    pieces = {
        x.name: [(f"{x.name}:{k}", f"{x.name}:{k + 1}") for k in range(len(x.points) - 1)]
        for x in beams
    }
    for some in pieces.values():
        graph.add_edges_from(some)
    bridges = {frozenset(edge) for edge in networkx.bridges(graph)}
    expected = tuple(
        x.name
        for x in beams
        if not x.axial and any(frozenset(piece) not in bridges for piece in pieces[x.name])
    )
    assert inextensible(system) == expected  # type: ignore[arg-type]


class _Said:
    """Bodies and hinges, unchecked."""

    def __init__(self, bodies: tuple[Beam, ...], hinges: tuple[Hinge, ...]) -> None:
        self.bodies, self.hinges = bodies, hinges


def _points(count: int) -> tuple[Point, ...]:
    return tuple(Point(str(k), (k / 3, 0)) for k in range(count))


def test_a_loop_in_absolute_coordinates_names_its_bodies() -> None:
    model: Model = mstmm.load("branch-pendulum")
    first = model.hinges[1]
    spare = tuple(
        replace(body, points=(*body.points, Point("spare", body.points[0].position)))
        for body in model.bodies
    )
    ends = End(first.ends[0].body, "spare"), End(first.ends[1].body, "spare")
    closing = Hinge("closing", first.kind, ends)
    with pytest.raises(mstmm.ModelError, match="form a closed loop") as caught:
        replace(model, bodies=spare, hinges=(*model.hinges, closing))
    assert {end.body for end in ends} <= {*str(caught.value).replace(" – ", " ").split()}
