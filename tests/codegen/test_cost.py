"""What the emitted functions cost: the counts against the text, the stack against the compiler."""

import json
import re
import subprocess

import pytest
from commands import run
from compiler import needs_compiler
from random_models import tree_of

from mstmm import load
from mstmm.codegen.costs.cost import DOUBLE, INTEGER, LEGEND, costs, held, table
from mstmm.codegen.generate import Generated, generate
from mstmm.codegen.toolchain import find_compiler

#: What a frame holds besides values: saved registers, the return address, alignment.
FRAME = 256

MODELS = ("branch-pendulum", "four-bar", "double-pendulum")


def own_text(made: Generated) -> str:
    """The model's own file, with what it includes of its own."""
    prefix, files = made.sources.interface.prefix, made.sources.files
    return files[f"{prefix}.c"] + files.get(f"{prefix}_outputs.h", "")


def function_text(made: Generated, name: str) -> str:
    """The body of an emitted function, without comments."""
    text = own_text(made)
    body = re.search(rf"\nstatic void {name}\(.*?\n{{\n(.*?)\n}}\n", text, re.DOTALL)
    assert body
    return re.sub(r"/\*.*?\*/", "", body[1], flags=re.DOTALL)


@pytest.mark.parametrize("name", MODELS)
def test_straight_functions_have_the_counted_operations_in_their_text(name):
    made = generate(load(name), loop_min=10**6)
    functions = {f.name: f for cost in costs(made.module) for f in cost.functions}
    straight = [f for f in functions.values() if not f.loops and not f.solvers]
    assert len(straight) > 5
    for function in straight:
        text = function_text(made, function.name)
        assert text.count(" * ") == function.operations.get("multiplications", 0), function.name
        assert text.count(" / ") == function.operations.get("divisions", 0), function.name
        signs = len(re.findall(r" [+-] ", text))
        assert signs == function.operations.get("additions", 0), function.name
        assert "for (" not in text
        assert "if (" not in text


def test_loops_count_every_iteration():
    short, long = (
        {c.whole.name: c for c in costs(generate(load(f"rod-chain:n={n}")).module)}
        for n in (50, 60)
    )
    few, many = (found["accelerations"].whole for found in (short, long))
    assert sum(many.loops) - sum(few.loops) == 30
    per_body = {
        kind: (many.operations[kind] - few.operations[kind]) / 10
        for kind in ("additions", "multiplications", "divisions")
    }
    assert per_body["divisions"] == 1.0
    assert all(value == int(value) for value in per_body.values())
    assert few.pairs == 50
    assert many.pairs == 60
    assert few.stack == many.stack


@pytest.mark.parametrize("algorithm", ["riccati", "overall"])
def test_entries_are_the_sums_of_their_functions(algorithm):
    for cost in costs(generate(load("four-bar"), algorithm=algorithm).module):
        for kind in ("additions", "multiplications", "divisions"):
            parts = sum(f.operations.get(kind, 0) for f in cost.functions)
            assert cost.whole.operations.get(kind, 0) == parts
        assert cost.whole.tests == sum(f.tests for f in cost.functions)


def test_solves_by_pivots_are_named():
    made = generate(load("four-bar"), loop_min=10**6)
    found = {c.whole.name: c.whole for c in costs(made.module)}
    assert found["accelerations"].solvers == ("solve_min_norm 2×2",)
    assert not found["accelerations"].straight
    assert found["rates"].straight


def test_the_tables_of_different_rods_are_counted():
    made = generate(tree_of(2, (1,) * 19 + (0,), seed=3), entries=("accelerations", "energy"))
    text = own_text(made)
    declared = {
        name: int(length) * (INTEGER if kind == "int" else DOUBLE)
        for kind, name, length in re.findall(r"static const (int|double) (\w+)\[(\d+)\] = ", text)
    }
    for cost in costs(made.module):
        for function in cost.functions:
            own = [
                size for name, size in declared.items() if re.match(rf"{function.name}_\d", name)
            ]
            assert function.tables == sum(own), function.name
    assert sum(declared.values()) > 19 * DOUBLE


@needs_compiler
@pytest.mark.parametrize("name", MODELS)
def test_the_compiler_needs_no_more_stack(name, tmp_path):
    compiler = find_compiler()
    made = generate(load(name))
    for file, text in made.sources.files.items():
        (tmp_path / file).write_text(text)
    prefix = made.sources.interface.prefix
    subprocess.run(
        [*compiler.command, "-O2", "-fno-inline", "-fstack-usage", "-c", f"{prefix}.c"],
        cwd=tmp_path,
        check=True,
    )
    functions = {f.name: f for cost in costs(made.module) for f in cost.functions}
    said = {}
    for line in (tmp_path / f"{prefix}.su").read_text().splitlines():
        place, size, _ = line.split("\t")
        said[re.sub(r"\..*", "", place.rsplit(":", 1)[1])] = int(size)
    judged = functions.keys() & said.keys()
    assert len(judged) > 3
    for function in judged:
        assert said[function] <= functions[function].stack + FRAME, function


def test_the_head_of_the_file_says_it():
    made = generate(load("branch-pendulum"))
    head = made.sources.files["branch_pendulum.h"].split("*/")[0]
    for line in table(made.module):
        assert line in head
    assert f"held from step to step: {held(made.module)} bytes" in head


def test_the_command_prints_it():
    shown = run("generate", "four-bar", "--cost").stdout.splitlines()
    assert shown[0].split()[0] == "function"
    assert tuple(shown[-len(LEGEND) :]) == LEGEND
    assert max(map(len, shown)) <= 80
    answer = json.loads(run("generate", "four-bar", "--cost", "--json").stdout)
    assert answer["folder"] is None
    assert answer["functions"]["closings_accelerations"]["solvers"] == ["solve_min_norm 2×2"]


def test_the_command_needs_a_folder_or_a_question():
    result = run("generate", "four-bar")
    assert result.exit_code == 2
    assert "--output DIR; or --cost" in result.stderr
