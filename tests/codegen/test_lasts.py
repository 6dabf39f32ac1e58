"""A loop stores every turn what others read of it, and only the last turn's rest."""

from __future__ import annotations

import pytest
from compiler import needs_compiler
from proofs import proof_of_blocks

import mstmm
from mstmm.codegen.blocks import Block, Module
from mstmm.codegen.costs.cost import footprint
from mstmm.codegen.lower import lower, unpassed
from mstmm.codegen.passes.pipeline import PASSES, applied
from mstmm.model import load
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

N = 16
ACCELERATION = 6

#: What of body 2's body 1 reads, which hands nothing inwards itself.
INERTIA_READ, BIAS_READ = 9, 2


def program():
    return joint_program(plan(load("ball-chain", n=N)))


def loop(module: Module, step: str) -> Block:
    (found,) = (block for block in module.step(step).blocks if block.count > 1)
    return found


def after(module: Module, step: str) -> list[str]:
    block = loop(module, step)
    return sorted(module.cell_name(c) for c, _ in block.stores if block.stored_after(c))


def test_the_inertia_handed_inwards_is_stored_once() -> None:
    """Body 1 reads that of body 2, the last of the loop; places are counted from the tip."""
    module = lower(program(), ["accelerations"])
    stored = after(module, "inward")
    assert [name[:3] for name in stored] == ["IAt"] * INERTIA_READ + ["pAt"] * BIAS_READ
    places = {c.index.start for c, _ in loop(module, "inward").stores if c.index.fixed}
    (reader,) = (b for b in module.step("inward").blocks if b.members == "1")
    read = {x.index.start for x in reader.inputs.values() if getattr(x, "array", "") == "IAt"}
    assert places == read


def test_the_acceleration_at_the_tip_is_read_by_nobody() -> None:
    module = lower(program(), ["accelerations"])
    stored = {module.cell_name(cell) for cell, _ in loop(module, "outward").stores}
    assert stored == {"a"}
    assert len(loop(module, "outward").carries) == ACCELERATION


def test_what_is_read_of_every_turn_is_stored_at_every_turn() -> None:
    """The angular velocities are handed outwards, and the inward sweep reads all of them."""
    module = lower(program(), ["accelerations"])
    assert len(loop(module, "spins").carries) == 3
    assert after(module, "spins") == []
    stored = {module.cell_name(cell) for cell, _ in loop(module, "spins").stores}
    assert stored == {"w1", "w2", "w3"}


def test_the_memory_that_it_saves_is_counted() -> None:
    plain = unpassed(program(), ["accelerations"])
    without = applied(plain, tuple(each for each in PASSES if each.name != "lasts"))
    module = applied(plain)
    saved = footprint(without) - footprint(module)
    # what body 1 reads of body 2, the last turn's, at all other turns; the rest is dead
    assert saved == 8 * (INERTIA_READ + BIAS_READ) * (N - 2)


@pytest.mark.parametrize("target", ["numpy", pytest.param("c", marks=needs_compiler)])
def test_the_emitted_code_stores_behind_the_loop(target: str) -> None:
    solver = mstmm.compile(load("ball-chain", n=N), target=target)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst
