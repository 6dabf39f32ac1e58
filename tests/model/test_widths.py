"""Cuts for few columns: what they cost, and where they are not chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from random import Random

import loop_models
import pytest

from mstmm.model import GROUND, Body, End, Hinge, Limits, Model, Point
from mstmm.model.files.toml import from_text, to_text
from mstmm.model.topology import Forest, choose_cuts, open_columns
from mstmm.model.widths import Loops
from mstmm.symbolic.plans.closings import Closings, Item
from mstmm.symbolic.plans.plan import plan

#: The conditions of the kinds below.
KINDS = {"pin": 2, "slot": 1}


def tangle(seed: int, bodies: int, loops: int) -> Model:
    """A random tree of hinges of several kinds with further ones that close loops."""
    rng = Random(seed)
    places = tuple(Point(f"p{k}", (0, 0)) for k in range(bodies + loops))
    names = [GROUND, *(f"b{k}" for k in range(bodies))]
    pairs = [(rng.choice(names[: k + 1]), f"b{k}") for k in range(bodies)]
    pairs += [tuple(rng.sample(names, 2)) for _ in range(loops)]
    hinges = tuple(
        Hinge(
            f"h{k}",
            "pin" if k < bodies else rng.choice(["pin", "pin", "slot"]),
            (End(first, f"p{k}"), End(second, f"p{k}")),
        )
        for k, (first, second) in enumerate(pairs)
    )
    return Model(
        name="tangle",
        dimension=2,
        gravity=(0, -1),
        bodies=tuple(Body(name, 1, 1, (0, 0), places) for name in names[1:]),
        hinges=hinges,
        ground=places,
        cuts=tuple(hinge.name for hinge in hinges[bodies:]),
    )


def recounted(model: Model, cuts: tuple[str, ...]) -> dict[str, int]:
    """By hinge the conditions of the cuts that have it between their sides, if it is taken out."""
    found = {}
    for hinge in model.hinges:
        if hinge.name not in cuts:
            forest = Forest()
            for other in model.hinges:
                if other.name not in (*cuts, hinge.name):
                    forest.join(*(end.body for end in other.ends))
            apart = [
                cut
                for cut in model.hinges
                if cut.name in cuts and len({forest.find(end.body) for end in cut.ends}) == 2
            ]
            found[hinge.name] = sum(KINDS[cut.kind] for cut in apart)
    return found


def cost(widths: dict[str, int]) -> int:
    return sum(w * w + 4 * w for w in widths.values())


def trees(model: Model) -> Iterator[tuple[str, ...]]:
    """All cuts of as many pins and slots as the model's own that leave a tree."""
    kinds = sorted(h.kind for h in model.hinges if h.name in model.cuts)
    for cut in combinations(model.hinges, len(model.cuts)):
        forest, names = Forest(), tuple(hinge.name for hinge in cut)
        if sorted(h.kind for h in cut) == kinds and all(
            forest.join(*(end.body for end in h.ends)) for h in model.hinges if h.name not in names
        ):
            yield names


@pytest.mark.parametrize("seed", range(6))
def test_widths_are_those_of_the_closings_and_of_a_recount(seed: int) -> None:
    model = tangle(seed, 9, 5)
    loops = Loops(2, model.hinges, model.cuts)
    found = {h.name: int(w) for h, w in zip(model.hinges, loops.widths, strict=True)}
    known = recounted(model, model.cuts)
    assert {name: found[name] for name in known} == known
    assert all(found[name] == 0 for name in model.cuts)
    of = plan(model)
    passing = Closings(of, [Item(tuple(e.body for e in x.ends), True) for x in of.cuts]).passing
    assert known == {
        link.hinge: sum(KINDS[of.cuts[i].kind] for i in passing[link.name]) for link in of.links
    }


@pytest.mark.parametrize("seed", range(6))
def test_no_other_cut_of_one_loop_is_cheaper(seed: int) -> None:
    """And the least of all trees is not far below: 10 % at most in these."""
    model = tangle(seed, 6, 3)
    loops = Loops(2, model.hinges, model.cuts)
    loops.improve(lambda hinge: hinge.kind)
    assert loops.cost == cost(recounted(model, loops.named()))
    every = {names: cost(recounted(model, names)) for names in trees(model)}
    near = [x for names, x in every.items() if len({*names} - {*loops.named()}) == 1]
    assert loops.cost <= min(near, default=loops.cost)
    assert loops.cost <= 1.1 * min(every.values())


@pytest.mark.parametrize("stages", [20, 160])
def test_a_scissor_is_cut_so_that_four_columns_pass_a_hinge(stages: int) -> None:
    model = from_text(loop_models.scissor(stages))
    last = choose_cuts(2, model.hinges)
    assert Loops(2, model.hinges, last).widest == 2 * (stages - 1)
    chosen = Loops(2, model.hinges, model.cuts)
    assert (chosen.widest, chosen.cost) == (4, 44 * stages - 52)
    assert f"4 columns of theirs pass a hinge, chosen for few: {2 * (stages - 1)}" in open_columns(
        model
    )
    assert open_columns(model) in plan(model).describe()


def test_a_start_and_names_of_cuts_keep_the_coordinates() -> None:
    """Those of files and of Python: what they say is said of coordinates that they know."""
    chosen = from_text(loop_models.scissor(5))
    last = choose_cuts(2, chosen.hinges)
    assert chosen.cuts != last
    text = loop_models.scissor(5) + "\n[start.positions]\nG = 0.1\n"
    started = from_text(text)
    assert started.cuts == last
    assert "4 if the model names neither cuts nor a start" in open_columns(started)
    assert from_text(loop_models.scissor(5, f"cuts = {[*last]}")).cuts == last
    assert replace(chosen, cuts=(), q0=(0.0,) * len(chosen.q0)).cuts == last
    for model in (chosen, started, replace(chosen, q0=(0.1,) * len(chosen.q0))):
        again = from_text(to_text(model))
        assert (again.cuts, again.q0) == (model.cuts, model.q0)


def test_only_plain_hinges_without_limits_are_cut_instead() -> None:
    model = from_text(loop_models.scissor(5))
    moved = [h for h in model.cuts if h not in choose_cuts(2, model.hinges)]
    limits, last = Limits(position=((-1, 1),)), choose_cuts(2, model.hinges)
    for held in (lambda x: replace(x, limits=limits)), (lambda x: replace(x, force=(1,))):
        hinges = tuple(held(hinge) if hinge.name in moved else hinge for hinge in model.hinges)
        assert not {*moved} & {*choose_cuts(2, hinges, narrow=True)}
        assert choose_cuts(2, [*map(held, model.hinges)], narrow=True) == last


def test_links_without_mass_are_cut_as_before() -> None:
    """Cut for few columns, the first pair's second bar is a tip, which nothing would resist."""
    chosen = from_text(loop_models.scissor(5))
    text = loop_models.scissor(5).replace(
        '[bodies.b1]\nmass = 1\ninertia = "1/6"', "[bodies.b1]\nmass = 0\ninertia = 0"
    )
    assert "M1" in chosen.cuts
    assert from_text(text).cuts == choose_cuts(2, chosen.hinges)
