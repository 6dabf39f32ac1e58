"""The longest chain of operations of an entry, against what can be counted by hand."""

from __future__ import annotations

import pytest

from mstmm import load
from mstmm.codegen.costs.depth import depths
from mstmm.codegen.generate import generate
from mstmm.errors import CodegenError

#: Levels of an assembly tree of this many bodies differ by one.
LENGTHS = (32, 64, 128)


def steps(name: str, algorithm: str, n: int) -> dict[str, int]:
    module = generate(load(name, n=n), algorithm=algorithm, entries=["accelerations"]).module
    return depths(module, module.entries[0])


@pytest.mark.parametrize("n", [20, 28])
def test_orientations_are_products_along_the_chain(n: int) -> None:
    """2 (x y - z w) after two operations more is known after 4; a product takes 3."""
    found = steps("ball-chain", "dca", n)
    assert found["relatives"] == 4
    assert found["places"] == 4 + 3 * (n - 1)


def test_merges_add_the_same_with_every_level() -> None:
    found = [steps("ball-chain", "dca", n) for n in LENGTHS]
    merges = [x["solved_d"] - x["places"] for x in found]
    assert merges[2] - merges[1] == merges[1] - merges[0] > 0


def test_the_recursion_adds_the_same_with_every_body() -> None:
    first, second, third = (max(steps("rod-chain", "riccati", n).values()) for n in (20, 30, 40))
    assert third - second == second - first > 0


def test_columns_have_no_depth() -> None:
    with pytest.raises(CodegenError, match="depth of columns"):
        steps("rod-chain", "overall", 20)
