"""Rows of loops that share no body but the ground: what they cost, and their derivatives."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from compiler import needs_compiler
from independent.loops import loop_motion
from loop_checks import compare
from loop_models import allowed_speeds
from proofs import proof_of_blocks
from singular_models import row_of_four_bars

import mstmm
from mstmm.codegen import lower
from mstmm.codegen.blocks import Module
from mstmm.codegen.generate import generate
from mstmm.model import Model
from mstmm.model.files.toml import from_text


def test_the_cost_of_a_row_of_loops_grows_with_their_number() -> None:
    counts = []
    for windows in (12, 16, 20):  # long rows: all of one pattern, as loops
        made = generate(row_of_four_bars(windows), target="c")
        entry = next(x for x in made.module.entries if x.name == "accelerations")
        counts.append(made.module.operations(entry).total())
    assert counts[2] - counts[1] == counts[1] - counts[0]


@needs_compiler
@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_blocks_of_a_row_of_loops_are_proven(target: str) -> None:
    model = row_of_four_bars(5, angle=1.0)
    assert proof_of_blocks(mstmm.compile(model, target=target, derivatives=True)).ok


def two_legs(heavier: float) -> Model:
    """A body that flies, with two legs of three bars each; the second's are so much heavier."""
    text = ['name = "two-legs"', "dimension = 2", "gravity = [0.4, -9.81]", 'cuts = ["C0", "C1"]']
    text += ["[bodies.trunk]", "mass = 3", "inertia = 0.7", "[bodies.trunk.points]"]
    text += [f"h{k} = {{ position = [{x}, -0.1] }}" for k, x in enumerate((-0.5, 0.1, 0.7, 1.3))]
    hinges = [("fly", "free", "ground:o", "trunk:h0")]
    for k, factor in enumerate((1.0, heavier)):
        for name, length in (("a", 0.8), ("b", 0.6), ("c", 0.9)):
            text += [f"[bodies.{name}{k}]", f"mass = {factor}", f"inertia = {factor * 0.1}"]
            text += [f"centre = [{length / 2}, 0.05]", f"[bodies.{name}{k}.points]"]
            text += ["l = {}", f"e = {{ position = [{length}, 0] }}"]
        hinges += [(f"A{k}", "pin", f"trunk:h{2 * k}", f"a{k}:l")]
        hinges += [(f"B{k}", "pin", f"a{k}:e", f"b{k}:l")]
        hinges += [(f"D{k}", "pin", f"trunk:h{2 * k + 1}", f"c{k}:l")]
        hinges += [(f"C{k}", "pin", f"b{k}:e", f"c{k}:e")]
    text += ["[ground.points]", "o = {}"]
    for name, kind, parent, child in hinges:
        text += [f"[hinges.{name}]", f'kind = "{kind}"', f'parent = "{parent}"']
        text += [f'child = "{child}"']
    text += ["[start.positions]"]
    text += [f"{x}{k} = {y}" for k in "01" for x, y in (("A", -2.0), ("B", 1.2), ("D", -1.3))]
    return from_text("\n".join(text))


def has_loops(module: Module) -> bool:
    """Is there a loop of what is done at a whole leg?"""
    blocks = [block for step in module.steps for block in step.blocks]
    return any(block.count == 2 and len(block.calls[0]) > 9 for block in blocks)


@pytest.mark.parametrize("target", ["numpy", pytest.param("c", marks=needs_compiler)])
def test_legs_of_long_code_are_one_loop(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judged by the tree under its cuts' wrenches, and by the same code without loops."""
    model = two_legs(1.25)
    straight = mstmm.compile(model, target="numpy")
    start = straight.assemble()
    rng = Random(3)
    q, still = np.array(start.q), np.zeros(len(straight.speeds))
    v = allowed_speeds(rng, loop_motion(model, q, still).jacobian)
    tau = [rng.uniform(-1, 1) for _ in v]
    monkeypatch.setattr(lower, "LARGEST", 300)
    looped = mstmm.compile(replace(model, name="limbs"), target=target)
    assert has_loops(looped.generated.module)
    found = looped.accelerations(q, v, tau)
    compare(found, loop_motion(model, q, v, tau).accelerations)
    compare(found, straight.accelerations(q, v, tau))
    assert {x.rank for x in looped.closings(q)} == {2}
    assert len(looped.closings(q)) == 2


def test_short_code_has_no_loops_of_legs() -> None:
    assert not has_loops(generate(two_legs(1.25), whole=False).module)
