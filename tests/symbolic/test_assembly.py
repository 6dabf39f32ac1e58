"""The binary assembly tree: chosen, said as text, given as text."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, log2

import pytest
from divided_models import case

import mstmm
from mstmm.errors import UsageError
from mstmm.model import GROUND, load
from mstmm.symbolic.methods.divide.program import dca_program
from mstmm.symbolic.plans.assembly import Assembly, Joint, balanced, given
from mstmm.symbolic.plans.plan import plan


def chain(count: int, closed: bool = True) -> tuple[list[str], list[Joint]]:
    """Bodies 1 to `count` from the ground on, and back to it if `closed`."""
    bodies = [str(k) for k in range(1, count + 1)]
    ends = [GROUND, *bodies, *([GROUND] if closed else [])]
    joints = [Joint(f"{a}-{b}", a, b, 2) for a, b in pairwise(ends)]
    return bodies, joints


def star(count: int) -> tuple[list[str], list[Joint]]:
    """A hub on the ground with branches of two bodies."""
    bodies, joints = ["hub"], [Joint("base", GROUND, "hub", 2)]
    for k in range(count):
        bodies += [f"{k}a", f"{k}b"]
        joints += [Joint(f"{k}1", "hub", f"{k}a", 2), Joint(f"{k}2", f"{k}a", f"{k}b", 2)]
    return bodies, joints


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 100])
def test_a_chain_is_halved_level_by_level(count: int, closed: bool) -> None:
    tree = balanced(*chain(count, closed))
    assert tree.depth == ceil(log2(count)) + 1
    assert len(tree.merges) == count
    assert all(len(node.open) <= 2 for node in tree.merges)
    assert {name for node in tree.merges for name in node.joined} == set(tree.joints)


def test_branches_are_taken_in_before_the_hub_grows() -> None:
    tree = balanced(*star(4))
    first = {node.parts for node in tree.merges if node.level == 1}
    assert first == {(f"{k}a", f"{k}b") for k in range(4)}
    assert max(len(node.open) for node in tree.nodes) == 5  # the hub's own joints


@pytest.mark.parametrize("shape", [chain(9), star(3), chain(6, closed=False)])
def test_the_text_of_a_tree_gives_the_tree(shape: tuple[list[str], list[Joint]]) -> None:
    tree = balanced(*shape)
    assert given(tree.text(), *shape) == tree


def test_what_two_joints_join_is_joined_at_once() -> None:
    text = "((((1,2),(5,6)),((3,4),(7,8))),ground)"
    tree = tree_of(case(3), text)
    assert tree.text() == "(((1,2),(5,6)),((3,4),(7,8))),ground"
    assert {node.joined for node in tree.merges if len(node.joined) > 1} == {
        ("j3", "j7"),
        ("j1", "j9"),
    }
    assert "gone: j3, j7; open: j1, j9" in tree.describe()
    assert max(len(node.open) for node in balanced_of(case(3)).nodes) <= 3


def balanced_of(model: mstmm.model.Model) -> Assembly:
    return tree_of(model, None)


def tree_of(model: mstmm.model.Model, text: str | None) -> Assembly:
    """The tree of a program, read back from its title."""
    program = dca_program(plan(model), assembly=text)
    said = program.title.split("; assembly ")[1]
    bodies = [body.name for body in model.bodies]
    order = [link.hinge for link in plan(model).links]
    hinges = sorted(model.hinges, key=lambda h: (*order, *model.cuts).index(h.name))
    joints = [Joint(h.name, h.ends[0].body, h.ends[1].body, 2) for h in hinges]
    return given(said, bodies, joints)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("((1,2),3),ground", "4 is missing"),
        ("((1,2),(3,4))", "ground is missing"),
        ("((1,3),(2,4)),ground", "no joint is between 1 and 3"),
        ("((1,2),(2,4)),ground", "2 is given twice"),
        ("((1,2),(3,5)),ground", "5 is no body"),
        ("(1,2,3,4),ground", "of two parts"),
        ("((1,2),(3,4)),ground)", "of two parts"),
        ("((1,2),(3,4),ground", "of two parts"),
        ("(((1,2),(3,4)),ground", "is no tree"),
    ],
)
def test_a_wrong_tree_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(UsageError, match="assembly: ") as caught:
        given(text, *chain(4))
    assert said in str(caught.value)


def test_other_algorithms_have_no_tree() -> None:
    said = "riccati has no option 'assembly'; it belongs to dca and hdca"
    with pytest.raises(UsageError, match=said):
        mstmm.compile("four-bar", assembly="((crank,coupler),rocker),ground", target="numpy")


def test_a_solver_shows_its_tree_and_takes_another() -> None:
    solver = mstmm.compile(load("four-bar"), algorithm="dca", target="numpy")
    assert solver.assembly == "((rocker,coupler),crank),ground"
    other = "(crank,(coupler,rocker)),ground"
    solver = mstmm.compile(load("four-bar"), algorithm="dca", target="numpy", assembly=other)
    assert solver.assembly == other
