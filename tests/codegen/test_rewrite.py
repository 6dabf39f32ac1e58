"""Passes over graphs: the same values by fewer operations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from mstmm.codegen.blocks import Block, Cell, Index, LoweredStep
from mstmm.codegen.graph import Graph
from mstmm.codegen.passes.pipeline import PASSES
from mstmm.codegen.passes.rewrite import signed_once, summed

Change = Callable[[LoweredStep], LoweredStep]


def block_of(graph: Graph, wanted: list[int]) -> Block:
    names = {str(node.value) for node in graph.nodes if node.op == "input"}
    inputs = {name: Cell("q", (0, 0), Index(k)) for k, name in enumerate(sorted(names))}
    stores = [(Cell("a", (0, 0), Index(k)), number) for k, number in enumerate(wanted)]
    return Block(((),), graph, dict(inputs), stores, {})


def changed(block: Block, *changes: Change) -> Block:
    step = LoweredStep("step", "", (block,))
    for change in changes:
        step = change(step)
    return step.blocks[0]


def values(block: Block, given: dict[str, Fraction]) -> list[Fraction]:
    graph, known = block.graph, {}
    for number in graph.live(block.wanted()):
        node = graph.nodes[number]
        args = [known[a] for a in node.args]
        known[number] = {
            "const": lambda node=node: node.value,
            "input": lambda node=node: given[node.value],
            "add": lambda args=args: args[0] + args[1],
            "sub": lambda args=args: args[0] - args[1],
            "mul": lambda args=args: args[0] * args[1],
            "neg": lambda args=args: -args[0],
        }[node.op]()
    return [known[number] for _, number in block.stores]


def count(block: Block) -> dict[str, int]:
    return dict(block.operations())


def test_of_two_opposite_differences_one_is_computed() -> None:
    graph = Graph()
    a, b, x, y = map(graph.input, "abxy")
    there = graph.add(a, graph.neg(b))
    back = graph.neg(there)
    block = block_of(graph, [graph.add(x, there), graph.add(y, back)])
    assert count(block) == {"additions": 4}
    assert count(changed(block, signed_once)) == {"additions": 3}


def test_a_common_factor_is_multiplied_once() -> None:
    graph = Graph()
    a, b, c, d = map(graph.input, "abcd")
    block = block_of(graph, [graph.sum([graph.mul(a, b), d, graph.mul(a, c)])])
    assert count(block) == {"additions": 2, "multiplications": 2}
    assert count(changed(block, summed)) == {"additions": 2, "multiplications": 1}


def test_sums_share_their_common_pairs() -> None:
    graph = Graph()
    a, b, c, d = map(graph.input, "abcd")
    wanted = [
        graph.sum([a, c, b]),
        graph.sum([b, d, a]),
        graph.sum([graph.neg(a), c, graph.neg(b)]),
    ]
    block = block_of(graph, wanted)
    assert count(block) == {"additions": 6}
    assert count(changed(block, summed)) == {"additions": 4}


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs_keep_their_values(seed: int) -> None:
    """Exactly, in fractions, and with no more operations than before."""
    rng, graph = Random(seed), Graph()
    nodes = [graph.input(name) for name in "abcdef"] + [graph.const(Fraction(3, 2))]
    for _ in range(60):
        a, b = rng.choice(nodes), rng.choice(nodes)
        kind = rng.choice(("add", "add", "add", "sub", "sub", "mul", "neg"))
        if kind == "sub":
            nodes.append(graph.add(a, graph.neg(b)))
        else:
            nodes.append(graph.neg(a) if kind == "neg" else getattr(graph, kind)(a, b))
    block = block_of(graph, rng.sample(nodes[20:], 6))
    after = changed(block, signed_once, summed, signed_once)
    given = {name: Fraction(rng.randint(-9, 9), rng.randint(1, 5)) for name in "abcdef"}
    assert values(after, given) == values(block, given)
    assert after.operations()["multiplications"] <= block.operations()["multiplications"]


def test_every_pass_has_a_name_and_says_what_it_does() -> None:
    assert len({each.name for each in PASSES}) == len(PASSES)
    assert all(each.title for each in PASSES)
