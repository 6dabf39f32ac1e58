"""The binary assembly tree: chosen, said as text, given as text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from math import ceil, log2
from random import Random

import pytest
from divided_models import case

import mstmm
from mstmm.errors import UsageError
from mstmm.model import GROUND, load
from mstmm.symbolic.methods.divide.program import dca_program
from mstmm.symbolic.plans.assembly import Assembly, Joint, added
from mstmm.symbolic.plans.assembly_text import given
from mstmm.symbolic.plans.contraction import balanced
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


def comb(count: int) -> tuple[list[str], list[Joint]]:
    """A chain with a body hung on each of its bodies."""
    bodies, joints = chain(count, closed=False)
    teeth = [f"tooth {body}" for body in bodies]
    return [*bodies, *teeth], [
        *joints,
        *(Joint(f"on {x}", x, y, 2) for x, y in zip(bodies, teeth, strict=True)),
    ]


def boxes(count: int) -> tuple[list[str], list[Joint]]:
    """Rockers side by side on the ground, a coupler between any two neighbours."""
    rockers = [str(k) for k in range(count + 1)]
    joints = [Joint(f"0-{x}", GROUND, x, 2) for x in rockers]
    couplers = [f"{a}-{b}" for a, b in pairwise(rockers)]
    for name, (a, b) in zip(couplers, pairwise(rockers), strict=True):
        joints += [Joint(f"{a}:{name}", a, name, 2), Joint(f"{name}:{b}", name, b, 2)]
    return [*rockers, *couplers], joints


def apart(count: int) -> tuple[list[str], list[Joint]]:
    """Closed chains of three bodies, which have nothing but the ground in common."""
    bodies, joints = list[str](), list[Joint]()
    for k in range(count):
        own = [f"{k}{x}" for x in "abc"]
        bodies += own
        joints += [Joint(f"{a}:{b}/{k}", a, b, 2) for a, b in pairwise([GROUND, *own, GROUND])]
    return bodies, joints


def scattered(count: int) -> tuple[list[str], list[Joint]]:
    """Every body hangs on any of those before it."""
    chooser = Random(count)
    bodies = [f"b{k}" for k in range(count)]
    inward = [GROUND, *(f"b{chooser.randrange(k)}" for k in range(1, count))]
    ends = zip(inward, bodies, strict=True)
    return bodies, [Joint(f"{a}-{b}", a, b, 2) for a, b in ends]


def test_a_hub_takes_in_all_branches_but_one() -> None:
    tree = balanced(*star(4))
    first = {node.parts for node in tree.merges if node.level == 1}
    assert first == {(f"{k}a", f"{k}b") for k in range(4)}
    assert len(tree.by_name["hub"].raked) == 3
    assert tree.text() == "((3a,3b),hub[(0a,0b),(1a,1b),(2a,2b)]),ground"
    assert "level 4: hub = hub with node 2, node 3, node 4; gone: 01, 11, 21" in tree.describe()


def test_a_branch_may_hold_a_loop() -> None:
    """Beyond one joint, what the bodies have between them stays theirs."""
    bodies, joints = star(3)
    closed = [*joints, Joint("loop", "2a", "2c", 2), Joint("pool", "2c", "2b", 2)]
    tree = balanced([*bodies, "2c"], closed)
    assert tree.by_name["hub"].raked
    assert all(len(tree.by_name[name].open) == 1 for name in tree.by_name["hub"].raked)


@pytest.mark.parametrize("shape", [star, comb, boxes, apart, scattered])
@pytest.mark.parametrize("count", [8, 100, 1000])
def test_depth_grows_with_the_logarithm_and_width_does_not(
    shape: Callable[[int], tuple[list[str], list[Joint]]], count: int
) -> None:
    bodies, joints = shape(count)
    tree = balanced(bodies, joints)
    assert tree.depth <= 2 * log2(len(bodies))
    assert max(len(node.open) for node in tree.nodes) <= 3
    assert max(len(node.joined) for node in tree.nodes) <= 2


@pytest.mark.parametrize("levels", [[0], [0, 0, 0], [5, 0, 0, 0, 0], [0, 1, 2, 3], [3, 3, 1, 4]])
def test_terms_of_a_hub_are_added_as_they_are_there(levels: list[int]) -> None:
    """The last sum is there as soon as any order of additions has it: by all of them."""

    def least(there: tuple[int, ...]) -> int:
        if len(there) == 1:
            return there[0]
        return min(
            least(
                (
                    *(x for k, x in enumerate(there) if k not in pair),
                    1 + max(there[k] for k in pair),
                )
            )
            for pair in combinations(range(len(there)), 2)
        )

    sums, last = added(levels)
    assert last == least(tuple(levels))
    assert sorted(k for pair in sums for k in pair) == [*range(2 * len(levels) - 2)]


def test_chains_on_the_ground_are_not_joined_by_it() -> None:
    tree = balanced(*apart(3))
    assert tree.text() == "; ".join(f"(({k}a,{k}b),{k}c),ground" for k in range(3))
    assert [node.open for node in tree.nodes if node.still] == [
        (f"0:{k}a/{k}", f"{k}c:0/{k}") for k in range(3)
    ]
    assert given("(0a,0b),(0c,ground)", *apart(1)).depth == 2


@pytest.mark.parametrize("shape", [chain(9), star(3), comb(7), boxes(6), apart(2)])
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
        ("(2[1],(3,4)),ground", "1 is no branch that hangs on 2 alone"),
        ("((1,2)[3],4),ground", "a hub is BODY[A,B]"),
        ("(([1],2),(3,4)),ground", "a hub is BODY[A,B]"),
        ("((1,2[]),(3,4)),ground", "no branch is taken in by 2"),
        ("((1,2[3),4]),ground", "of two parts"),
        ("(1,2); (3,4),ground", "is never joined"),
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
