"""Passes: structure to its fixed point, constants, runs, dead outputs."""

from __future__ import annotations

import dataclasses
import re

import pytest
import sympy as sp

from mstmm.codegen.blocks import Carried, Table
from mstmm.codegen.freeze import freeze_kernel
from mstmm.codegen.generate import generate
from mstmm.codegen.graph import Graph
from mstmm.codegen.lower import lower
from mstmm.errors import UsageError
from mstmm.model import GROUND, Body, End, Hinge, Model, Point, load
from mstmm.symbolic.methods.riccati.absolute import fast_program
from mstmm.symbolic.plans.plan import plan
from mstmm.symbolic.tree import absolute_kernels as kernels


def loops(module, step):
    return [block for block in module.step(step).blocks if block.count > 1]


def test_the_chain_carries_a_symmetric_2x2_block_and_a_2_vector() -> None:
    module = lower(fast_program(plan(load("rod-chain", n=100))), ["accelerations"])
    (loop,) = loops(module, "tips_to_root")
    carried = sorted((c.key[1], c.key[2]) for c in loop.inputs.values() if isinstance(c, Carried))
    assert carried == [
        ("IA_I1", (0, 0)),
        ("IA_I1", (0, 1)),
        ("IA_I1", (1, 1)),
        ("pA_I1", (0, 0)),
        ("pA_I1", (1, 0)),
    ]
    assert set(loop.carries) == {c for c in loop.inputs.values() if isinstance(c, Carried)}
    assert sum(loop.operations().values()) <= 60
    assert loop.operations()["divisions"] == 1


def test_without_the_structure_pass_the_same_loop_costs_more() -> None:
    """The zeros matter: the same kernels with nothing known of their inputs cost more."""
    graph = Graph()
    known = freeze_kernel(
        graph,
        kernels.body.of(dimension=2, input_count=1, forced=False),
        lambda port, i, j: graph.input(port.entry_name(i, j)),
    )
    out = freeze_kernel(
        graph, kernels.hinge.of(dimension=2), lambda port, i, j: known[port.name][(i, j)]
    )
    wanted = [node for port in out.values() for node in port.values()]
    assert sum(graph.count(graph.live(wanted)).values()) >= 80


def test_source_does_not_grow_with_the_chain() -> None:
    """Apart from the tables of constants and the numbers of repetitions."""

    def lines(name: str) -> list[str]:
        source = generate(load(name)).sources.files["branch_system.c"]
        without_tables = re.sub(r"static const \w+ \w+\[\d+\] = \{[^}]*\};", "", source)
        return without_tables.splitlines()

    assert len(lines("branch-system:N=999")) == len(lines("branch-system:N=99"))


def _uneven_chain(masses: list[float]) -> Model:
    n = len(masses)
    bodies = tuple(
        Body(
            f"{i}",
            mass,
            0.1 * mass,
            (0.4, 0.02 * i),
            (Point("I", (0.0, 0.0)), Point("O", (1.0, 0.0))),
        )
        for i, mass in enumerate(masses, start=1)
    )
    hinges = tuple(
        Hinge(
            f"h{i}",
            "pin",
            (End(f"{i}", "O"), End(GROUND, "O") if i == n else End(f"{i + 1}", "I")),
        )
        for i in range(1, n + 1)
    )
    return Model("uneven", 2, bodies, hinges, (0.0, -9.81), absolute=True)


def test_constants_that_differ_become_tables_of_the_loop() -> None:
    masses = [1.0 + 0.25 * i for i in range(12)]
    module = lower(fast_program(plan(_uneven_chain(masses))), ["accelerations"])
    (loop,) = loops(module, "tips_to_root")
    tables = {name: t.values for name, t in loop.inputs.items() if isinstance(t, Table)}
    assert list(tables["m"]) == masses[1:]
    assert "rb_I1_1" not in tables  # the same for all, so baked in


def test_a_rare_change_of_constants_cuts_the_loop_instead_of_tabling_it() -> None:
    model = _uneven_chain([1.0] * 20 + [2.0] + [1.0] * 20)
    bodies = tuple(dataclasses.replace(b, centre=(0.4, 0.0)) for b in model.bodies)
    module = lower(fast_program(plan(dataclasses.replace(model, bodies=bodies))))
    assert [block.count for block in module.step("energies").blocks] == [1, 19, 1, 19, 1]
    tables = [
        operand
        for step in module.steps
        for block in step.blocks
        for operand in block.inputs.values()
        if isinstance(operand, Table)
    ]
    assert not tables


def test_a_comb_becomes_a_loop_of_period_two() -> None:
    """Spine bodies with a leaf each: the pattern leaf, spine repeats."""
    teeth = 12
    bodies, hinges = [], []
    for i in range(1, teeth + 1):
        points = (Point("I1", (0.0, 0.0)), Point("I2", (0.5, 0.0)), Point("O", (1.0, 0.0)))
        bodies.append(Body(f"s{i}", 1.0, 0.1, (0.5, 0.0), points))
        bodies.append(Body(f"t{i}", 1.0, 0.1, (0.5, 0.0), (Point("O", (1.0, 0.0)),)))
        hinges.append(Hinge(f"a{i}", "pin", (End(f"t{i}", "O"), End(f"s{i}", "I2"))))
        up = End(GROUND, "O") if i == teeth else End(f"s{i + 1}", "I1")
        hinges.append(Hinge(f"b{i}", "pin", (End(f"s{i}", "O"), up)))
    model = Model("comb", 2, tuple(bodies), tuple(hinges), (0.0, -9.81), absolute=True)
    module = lower(fast_program(plan(model)))
    (loop,) = loops(module, "tips_to_root")
    assert loop.count >= teeth - 2
    assert [call.kernel.name for call in loop.calls[0]] == ["body_0", "hinge", "body_2", "hinge"]


def test_loops_can_be_forced_and_forbidden() -> None:
    program = fast_program(plan(load("rod-chain", n=20)))
    assert not any(loops(lower(program, loop_min=10**6), s.name) for s in program.steps)
    assert loops(lower(program, loop_min=2), "tips_to_root")


def _twigs(parents: tuple[int | None, ...]) -> Model:
    """Rods on the far ends of others, no two of them alike."""
    bodies, hinges = [], []
    for i, parent in enumerate(parents):
        points = (Point("A", (0.0, 0.0)), Point("B", (1.0 + i / 8, 0.0)))
        bodies.append(Body(f"r{i}", 1.0 + i / 4, 0.1 + i / 16, (0.5, 0.0), points))
        up = End(GROUND, "O") if parent is None else End(f"r{parent}", "B")
        hinges.append(Hinge(f"h{i}", "pin", (End(f"r{i}", "A"), up)))
    return Model("twigs", 2, tuple(bodies), tuple(hinges), (0.0, -9.81))


def test_nothing_loops_where_a_sweep_does_not_and_more_is_known() -> None:
    model = _twigs((None, 0, 0, 1, 1, 1, 2, 5, 7, 7))
    free, looped = (generate(model, whole=False, loop_min=least).module for least in (None, 8))
    assert any(block.count >= 8 for step in looped.steps for block in step.blocks)
    assert not any(block.count >= 8 for step in free.steps for block in step.blocks)
    fewer = [free.operations(e).total() < looped.operations(e).total() for e in free.entries]
    assert any(fewer)
    assert all(free.operations(e).total() <= looped.operations(e).total() for e in free.entries)


def test_dead_outputs_are_dropped() -> None:
    program = fast_program(plan(load("branch-pendulum")))
    only = lower(program, ["accelerations"])
    full = lower(program)
    assert [step.name for step in only.steps] == ["orientation", "tips_to_root", "root_to_tips"]
    assert set(only.workspace) < set(full.workspace)
    assert "x1" not in only.workspace
    assert "IAh13" not in full.workspace  # exactly zero after the hinge, so never stored


def test_rotation_noise_is_snapped_to_zero() -> None:
    noisy = _uneven_chain([1.0] * 3)
    body = noisy.bodies[1]
    points = (Point("I", (0.0, 0.0)), Point("O", (1.0, 6.1e-17)))
    tilted = dataclasses.replace(body, points=points, centre=(0.5, -3e-17))
    model = dataclasses.replace(noisy, bodies=(noisy.bodies[0], tilted, noisy.bodies[2]))
    straight = dataclasses.replace(
        tilted, points=(points[0], Point("O", (1.0, 0.0))), centre=(0.5, 0.0)
    )
    clean = dataclasses.replace(noisy, bodies=(noisy.bodies[0], straight, noisy.bodies[2]))
    noisy_cost, clean_cost = (
        [dict(b.operations()) for step in generate(m).module.steps for b in step.blocks]
        for m in (model, clean)
    )
    assert noisy_cost == clean_cost


def test_runtime_parameters_stay_in_the_code() -> None:
    generated = generate(load("branch-pendulum"), parameters=("g",))
    source = generated.sources.files["branch_pendulum.c"]
    assert "const double *p" in source
    assert "9.81" not in source
    with pytest.raises(UsageError, match="no parameter 'k'; it has: m, a, g"):
        generate(load("branch-pendulum"), parameters=("k",))


def test_runtime_parameters_need_not_be_alike() -> None:
    """A parameter in one body of a chain ends the loop there, and the rest still loops."""
    model = _uneven_chain([1.0] * 20)
    special = dataclasses.replace(model.bodies[10], mass=sp.Symbol("k", real=True))
    bodies = (*model.bodies[:10], special, *model.bodies[11:])
    model = dataclasses.replace(model, bodies=bodies, parameters={"k": 2.0})
    module = lower(fast_program(plan(model), runtime=("k",)))
    assert [block.count for block in module.step("tips_to_root").blocks] == [1, 9, 1, 9]


def test_irrational_constants_of_a_loop_are_its_own() -> None:
    """√2 kg in one body of a loop is not taken for that of the others."""
    masses = [1 + sp.sqrt(i) / 4 for i in range(2, 14)]
    model = _uneven_chain([1.0] * 12)
    bodies = [dataclasses.replace(b, mass=m) for b, m in zip(model.bodies, masses, strict=True)]
    module = lower(fast_program(plan(dataclasses.replace(model, bodies=tuple(bodies)))))
    (loop,) = loops(module, "tips_to_root")
    tables = {name: t.values for name, t in loop.inputs.items() if isinstance(t, Table)}
    assert [float(x) for x in tables["m"]] == [float(m) for m in masses[1:]]
