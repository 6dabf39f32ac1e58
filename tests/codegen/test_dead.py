"""What is stored is read: by something, at some of the places where it is stored."""

from __future__ import annotations

import pytest
from loop_models import ladder

from mstmm.codegen.blocks import Block, Cell, Module
from mstmm.codegen.generate import generate
from mstmm.model import Model, load
from mstmm.symbolic.language.program import Storage


def cells(block: Block) -> list[Cell]:
    """What a block reads, what it hands on from before its first turn too."""
    operands = [*block.inputs.values(), *(x.start for x in block.carries.values())]
    return [x for x in operands if isinstance(x, Cell)]


def unread(module: Module) -> set[str]:
    """What is stored in work arrays at places that nothing reads."""
    blocks = [block for step in module.steps for block in step.blocks]
    read: dict[tuple[object, ...], set[int]] = {}
    for block in blocks:
        for cell in cells(block):
            read.setdefault((cell.array, cell.entry), set()).update(cell.index.places(block.count))
    return {
        f"{block.title}: {module.cell_name(cell)}"
        for block in blocks
        for cell, _ in block.stores
        if module.array(cell.array).storage is Storage.WORK
        if read.get((cell.array, cell.entry), set()).isdisjoint(cell.index.places(block.count))
    }


@pytest.mark.parametrize(
    "model",
    [ladder(20), load("ball-chain", n=20), load("branch-system", N=41), load("delta-robot")],
    ids=lambda model: model.name,
)
def test_what_is_stored_is_read(model: Model) -> None:
    """Also where it is read at other members: of a ladder's right bars nothing needs r̈."""
    assert not unread(generate(model).module)
