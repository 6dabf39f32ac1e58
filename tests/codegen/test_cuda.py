"""Target `cuda`: its text, run on the processor, gives the bits of target `c`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from compiler import needs_compiler
from emulated import Emulated, Plain, states_of

from mstmm.codegen.generate import Generated, generate
from mstmm.model import load

pytestmark = needs_compiler


def _pair(folder: Path, model: str, **options: object) -> tuple[Emulated, Plain]:
    """A model's code of both targets."""
    made: dict[str, Generated] = {}
    for target in ("cuda", "c"):
        (folder / target).mkdir()
        made[target] = generate(load(model), target=target, **options)
    return Emulated(folder / "cuda", made["cuda"]), Plain(folder / "c", made["c"])


def _same_bits(emulated: Emulated, plain: Plain, states: int = 13) -> None:
    """Every entry of random states, in both orders of numbers."""
    given = states_of(emulated.made, states)
    for entry, names in emulated.interface.arguments.items():
        own = {name: given[name] for name in names if name in given}
        expected, status = plain(entry, own, states)
        for aside in (True, False):
            found, stated = emulated(entry, own, states, aside)
            assert found.keys() == expected.keys()
            for name, values in expected.items():
                assert np.isfinite(values).all(), (entry, name)
                np.testing.assert_array_equal(found[name], values, f"{entry}: {name}")
            np.testing.assert_array_equal(stated, status)


@pytest.mark.parametrize("algorithm", ["riccati", "rnea-body"])
def test_a_tree_s_entries_have_the_bits_of_c(tmp_path: Path, algorithm: str) -> None:
    _same_bits(*_pair(tmp_path, "double-pendulum", algorithm=algorithm, forced=True))
