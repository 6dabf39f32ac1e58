"""Scans along runs, and the paths of a tree that they go along."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log2

import pytest
import sympy as sp
from divided_models import HUBS, tree

from mstmm.symbolic.language.program import Call, Kernel, KernelBuilder, Ref
from mstmm.symbolic.language.scans import SHORT, Run, Scan, blocks
from mstmm.symbolic.plans.paths import Paths
from mstmm.symbolic.plans.plan import plan


def kernel(name: str) -> Kernel:
    """A kernel of two numbers, in an order that matters."""
    builder = KernelBuilder(name, "")
    first, second = builder.take("first"), builder.take("second")
    builder.let("both", 2 * first + second, "")
    return builder.build("both")


SCAN = Scan(kernel("compose"), kernel("follow"), lambda name: Ref("own", name), "blocks", "found")


def composed(calls: Sequence[Call], before: str) -> tuple[dict[Ref, str], dict[Ref, int]]:
    """What calls give if each puts its two values in a row; and how deep each stands."""
    values: dict[Ref, str] = {}
    depth: dict[Ref, int] = {}
    for call in calls:
        parts, levels = [], [0]
        for x in call.reads.values():
            if not isinstance(x, Ref):
                parts.append(before)
            elif x.array == "own":
                parts.append(f" {x.member}")
            else:
                parts.append(values[x])
                levels.append(depth[x])
        (result,) = call.writes.values()
        assert result not in values
        values[result], depth[result] = "".join(parts), max(levels) + 1
    return values, depth


@pytest.mark.parametrize("count", [1, 2, SHORT, SHORT + 1, 64, 100, 1000])
def test_each_finds_what_is_before_it_in_order(count: int) -> None:
    run = Run(sp.zeros(1, 1), [f"m{k}" for k in range(count)])
    calls = list(SCAN.calls([run]))
    values, depth = composed(calls, "ground")
    expected = "ground"
    for name in run.members:
        expected += f" {name}"
        assert values[Ref("found", name)] == expected
    assert len(calls) < 2 * count or count == 1
    assert max(depth.values()) <= (count if count <= SHORT else 2 * log2(count))
    for size, names in blocks([run]).items():
        assert {ref.member for ref in values if ref.array == f"blocks_{size}"} == {*names}
    for call in calls:  # what is composed side by side lies in one array, which none of it reads
        assert {x.array for x in call.writes.values()}.isdisjoint(
            x.array for x in call.reads.values() if isinstance(x, Ref) and x.array != "found"
        )


def test_runs_of_any_length_go_side_by_side() -> None:
    runs = [Run(sp.zeros(1, 1), [f"{k}:{j}" for j in range(k)]) for k in (3, 40, 70, 1)]
    values, _ = composed(list(SCAN.calls(runs)), "0")
    for run in runs:
        assert values[Ref("found", run.members[-1])] == " ".join(["0", *run.members])


@pytest.mark.parametrize("name", HUBS)
def test_paths_go_where_most_bodies_hang(name: str) -> None:
    paths = Paths(plan(tree(HUBS[name])))
    parents = {f"body{k}": parent for k, parent in enumerate(HUBS[name])}
    every = [path for level in paths.by_depth for path in level]
    assert sorted(body for path in every for body in path) == sorted(parents)
    assert len(paths.by_depth) <= 1 + log2(len(parents))
    for path in every:
        for before, after in pairwise(path):
            assert parents[after] == int(before.removeprefix("body"))
            assert paths.heaviest[before] == after
    for body, hung in paths.branches.items():
        assert all(parents[x] == int(body.removeprefix("body")) for x in hung)
