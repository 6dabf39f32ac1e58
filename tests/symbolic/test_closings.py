"""Where loops close: the meets of random trees with cuts, by what is below each link."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import loop_models
import pytest

from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.symbolic.plans.closings import Closings, Item, Source
from mstmm.symbolic.plans.plan import Plan, plan


def tree(rng: Random, bodies: int, cuts: int) -> Model:
    """A random tree of pins with further pins that close loops."""
    places = tuple(Point(f"p{k}", (0, 0)) for k in range(bodies + cuts + 1))
    names = [GROUND, *(f"b{k}" for k in range(bodies))]
    hinges = [
        Hinge(f"h{k}", "pin", (End(rng.choice(names[: k + 1]), f"p{k}"), End(f"b{k}", f"p{k}")))
        for k in range(bodies)
    ]
    for k in range(cuts):
        first, second = rng.sample(names, 2)
        point = f"p{bodies + k}"
        hinges.append(Hinge(f"c{k}", "pin", (End(first, point), End(second, point))))
    return Model(
        name="random",
        dimension=2,
        gravity=(0, -1),
        bodies=tuple(Body(name, 1, 1, (0, 0), places) for name in names[1:]),
        hinges=tuple(hinges),
        ground=places,
        cuts=tuple(f"c{k}" for k in range(cuts)),
    )


def closings(of: Plan) -> Closings:
    return Closings(of, [Item(tuple(end.body for end in cut.ends), True) for cut in of.cuts])


@pytest.mark.parametrize("seed", range(8))
def test_every_cut_closes_once_where_both_its_sides_are_below(seed: int) -> None:
    """A column passes the links that have one end of its cut below them, and no others."""
    rng = Random(seed)
    of = plan(tree(rng, rng.randint(3, 14), rng.randint(1, 8)))
    found = closings(of)
    below = {link.name: {link.name} for link in of.links}
    for link in of.links:
        for child in link.children:
            below[link.name] |= below[child]
    for link in of.links:
        once = [
            i
            for i, cut in enumerate(of.cuts)
            if sum(end.body in below[link.name] for end in cut.ends) == 1
        ]
        assert set(found.passing[link.name]) == set(once)
    closed = [i for rounds in found.rounds.values() for each in rounds for i in each.closed]
    assert sorted(closed) == list(range(len(of.cuts)))
    for place, rounds in found.rounds.items():
        opened: set[int] = set()
        for each in rounds:
            came = [i for x in each.arrivals for i in x.items if x.source is not Source.LEFT]
            assert opened | {*came} == {*each.gathered}
            opened = {*each.left}
            for i in each.closed:
                ends = {end.body for end in of.cuts[i].ends}
                assert place == GROUND or ends <= below[place]
        assert place == GROUND or opened == {*found.passing[place]}


def test_a_column_stands_before_those_that_close_later() -> None:
    rng = Random(3)
    of = plan(tree(rng, 12, 8))
    found = closings(of)
    order = [i for rounds in found.rounds.values() for each in rounds for i in each.closed]
    for rounds in found.rounds.values():
        for each in rounds:
            assert [order.index(i) for i in each.left] == sorted(order.index(i) for i in each.left)
            assert each.gathered[: len(each.closed)] == each.closed


def test_loops_side_by_side_on_a_body_close_one_by_one() -> None:
    """Whatever the order of the body's points: at most one of them is open."""
    names = [f"{side}{k}" for k in range(6) for side in "lr"]
    Random(1).shuffle(names)
    points = tuple(Point(name, (0, 0)) for name in ("O", *names))
    arm = (Point("O", (0, 0)), Point("e", (1, 0)))
    base = Hinge("base", "pin", (End(GROUND, "g"), End("base", "O")))
    arms = [Hinge(name, "pin", (End("base", name), End(name, "O"))) for name in names]
    shut = [Hinge(f"c{k}", "pin", (End(f"l{k}", "e"), End(f"r{k}", "e"))) for k in range(6)]
    model = Model(
        name="side-by-side",
        dimension=2,
        gravity=(0, -1),
        bodies=(Body("base", 1, 1, (0, 0), points), *(Body(n, 1, 1, (0, 0), arm) for n in names)),
        hinges=(base, *arms, *shut),
        ground=(Point("g", (0, 0)),),
        cuts=tuple(hinge.name for hinge in shut),
    )
    rounds = closings(plan(model)).rounds["base"]
    assert [len(each.gathered) for each in rounds] == [1] * 6


def row(pieces: int, width: int) -> Closings:
    """Posts on the ground, a bar between each two, cut at its far end: of so many conditions."""
    hinges = [
        Hinge(f"P{k}", "pin", (End(GROUND, f"P{k}"), End(f"p{k}", "o"))) for k in range(pieces + 1)
    ]
    hinges += [Hinge(f"L{k}", "pin", (End(f"p{k}", "o"), End(f"b{k}", "o"))) for k in range(pieces)]
    cuts = [
        Hinge(f"R{k}", "pin", (End(f"b{k}", "o"), End(f"p{k + 1}", "o"))) for k in range(pieces)
    ]
    names = [f"p{k}" for k in range(pieces + 1)] + [f"b{k}" for k in range(pieces)]
    at = (Point("o", (0, 0)),)
    model = Model(
        name="row",
        dimension=2,
        gravity=(0, -1),
        bodies=tuple(Body(name, 1, 1, (0, 0), at) for name in names),
        hinges=(*hinges, *cuts),
        ground=tuple(Point(f"P{k}", (0, 0)) for k in range(pieces + 1)),
        cuts=tuple(hinge.name for hinge in cuts),
    )
    of = plan(model)
    ends = ([end.body for end in cut.ends] for cut in of.cuts)
    return Closings(of, [Item(tuple(each), True, width=width) for each in ends])


@pytest.mark.parametrize(("width", "count"), [(2, [1] * 8), (6, [2])])
def test_what_closes_at_the_ground_closes_at_once_where_that_is_cheaper(
    width: int, count: list[int]
) -> None:
    """One by one a long row of loops; two wide ones in one solve."""
    pieces = sum(count)
    rounds = row(pieces, width).rounds[GROUND]
    assert [len(each.closed) for each in rounds] == count


def test_a_coupling_closes_inward_of_its_hinges() -> None:
    """Of hinges one behind the other at the body that the first of them is on."""
    of = plan(loop_models.four_bar())
    way = of.way("2")
    assert Closings(of, [Item(way[:2], False)]).meets == (GROUND,)
    assert Closings(of, [Item(way[:1], False)]).meets == (way[1],)


def test_nothing_closes_at_a_beam_or_at_what_hangs_on_one() -> None:
    of = plan(loop_models.four_bar())
    way = of.way("2")
    item = [Item(way[:1], False)]
    assert Closings(of, item, {way[0]}).meets == (way[1],)
    assert Closings(of, item, {way[1]}).meets == (GROUND,)


def test_what_is_left_open_tells_its_diagonal_from_there_on() -> None:
    """Two cuts between the ground and the end of a chain: the inner loop closes under the outer."""
    base = loop_models.four_bar()
    ends = tuple(Point(f"x{k}", (0, 0)) for k in range(2))
    bodies = tuple(replace(body, points=(*body.points, *ends)) for body in base.bodies)
    inner = Hinge("x", "prismatic", (End("1", "x0"), End("3", "x1")))
    model = replace(
        base, bodies=bodies, hinges=(*base.hinges, inner), cuts=(*base.cuts, "x"), q0=(), v0=()
    )
    found = closings(plan(model))
    link = plan(model).link("1")
    assert found.meets[1] == "1"
    assert found.carried("1")
    assert not any(found.carried(child) for child in link.children)
