"""The longest chain of operations of an entry, against what can be counted by hand."""

from __future__ import annotations

import pytest

from mstmm import load
from mstmm.codegen.costs.depth import depths
from mstmm.codegen.generate import generate
from mstmm.errors import CodegenError

#: Levels of an assembly tree of this many bodies differ by one.
LENGTHS = (64, 128, 256)


def steps(name: str, algorithm: str, n: int, entry: str = "accelerations") -> dict[str, int]:
    module = generate(load(name, n=n), algorithm=algorithm, entries=[entry]).module
    return depths(module, module.entries[0])


@pytest.mark.parametrize("n", [20, 28])
def test_orientations_are_products_along_a_short_chain(n: int) -> None:
    """2 (x y - z w) after two operations more is known after 4; a product takes 3."""
    found = steps("ball-chain", "dca", n)
    assert found["relatives"] == 4
    assert found["turns"] == 4 + 3 * (n - 1)


@pytest.mark.parametrize(
    ("algorithm", "entry"),
    [
        ("dca", "accelerations"),
        ("dca", "energy"),
        ("hdca", "momentum_rates"),
        ("hdca", "momenta"),
    ],
)
def test_twice_as_many_bodies_add_the_same_depth(algorithm: str, entry: str) -> None:
    """Every quantity that goes along the chain grows with the logarithm of its length."""
    found = [max(steps("ball-chain", algorithm, n, entry).values()) for n in LENGTHS]
    assert found[2] - found[1] == found[1] - found[0] > 0
    assert found[0] + 8 * (found[1] - found[0]) <= 600  # of more than 10,000 bodies


def test_the_recursion_adds_the_same_with_every_body() -> None:
    first, second, third = (max(steps("rod-chain", "riccati", n).values()) for n in (20, 30, 40))
    assert third - second == second - first > 0


def test_columns_have_no_depth() -> None:
    with pytest.raises(CodegenError, match="depth of columns"):
        steps("rod-chain", "overall", 20)
