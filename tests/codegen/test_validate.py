"""Validation must pass on what is emitted and must fail, naming the block, on any change."""

from __future__ import annotations

import dataclasses
import math
import random
import re
from decimal import Decimal
from types import MappingProxyType, SimpleNamespace

import mpmath
import pytest
from compiler import TARGETS, needs_compiler
from file_texts import ROOT

import mstmm
from mstmm.codegen.build import build
from mstmm.codegen.emit import Sources
from mstmm.codegen.generate import Generated, generate
from mstmm.codegen.proof.records import NO_BLOCKS, SLACK
from mstmm.codegen.proof.replay import DIGITS, _shaker, shaken
from mstmm.codegen.proof.validate import _Judge, validate
from mstmm.errors import UsageError, ValidationError
from mstmm.model import load
from mstmm.runtime.evaluation.backend import CLibrary, NumpyModule
from mstmm.runtime.solver import compile_model
from mstmm.symbolic.language.arithmetic import decimals, working


def altered(generated: Generated, text: str) -> SimpleNamespace:
    """A solver whose main source is replaced by `text`."""
    sources = generated.sources
    suffix = "c" if sources.target == "c" else "py"
    name = f"{sources.interface.prefix}.{suffix}"
    files = MappingProxyType({**sources.files, name: text})
    changed: Sources = dataclasses.replace(sources, files=files)
    if sources.target == "c":
        prefix = sources.interface.prefix
        backend = CLibrary(build(prefix, changed.library), changed)
    else:
        backend = NumpyModule(changed)
    return SimpleNamespace(target=sources.target, generated=generated, backend=backend)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("model", ["branch-pendulum", "branch-system:N=41", "rod-chain:n=1"])
def test_emitted_code_is_proven_equal_to_its_symbols(model: str, target: str) -> None:
    proof = validate(compile_model(model, target=target), points=6)
    assert proof.ok, proof.worst
    assert {row.kernel.split(":")[0] for row in proof.rows} >= {"whole program", "tips_to_root"}
    blocks = [row for row in proof.rows if not row.kernel.startswith(NO_BLOCKS)]
    assert blocks
    assert all(row.points >= 6 for row in blocks)
    proof.require()


def test_a_law_that_loses_digits_is_judged_by_what_it_leaves() -> None:
    """The crank's start subtracts a tanh from t, and the square of one from 1."""
    crank = compile_model(str(ROOT / "examples" / "crank.toml"), target="numpy")
    proof = validate(crank, points=8)
    assert proof.ok, proof.worst


def test_states_at_which_the_program_divides_by_zero_say_nothing() -> None:
    """A step without damping and weights has a matrix of zeros: that ended in a traceback."""
    solver = mstmm.compile("double-pendulum", algorithm="reaching", target="numpy", frame="2")
    proof = validate(solver, points=10)
    assert proof.ok, proof.worst


def test_what_cancels_beside_a_singular_position_is_judged_by_what_cancels() -> None:
    """A unit away from it all numbers are so much smaller that a tenth of one counted as wrong."""

    def evaluate(drawn: random.Random) -> list[Decimal]:
        shake = _shaker(drawn)
        large = shake(1 / (shake(1 + Decimal("1e-20")) - 1))
        return [shake(large - large, size=large)]

    with working(DIGITS):
        found = shaken(evaluate, [Decimal(0)], random.Random(1), 40)
    coarse, fine = [abs(x) for (x,) in found[:40]], [abs(x) for (x,) in found[40:]]
    assert max(coarse) < 100
    assert max(fine) > math.ulp(1e20) / 4


#: A state of the ready-made tree at which its boom's articulated inertia is singular to rounding,
#: and one at rest in which no force acts along its rail.
SINGULAR: dict[str, list[float]] = {
    "q": [
        *(-0.6943617606371473, 1.5707963267958966, 1.5707963267948966, 0.7919393443717349),
        *(3.141592653589793, 0.001, 1.5707963267958966),
        *(0.00099999950000037, 9.9999950000037e-13, -9.9999950000037e-08, 0.9999995000003701),
    ],
    "v": [
        *(392.162806312921, 6469.862692795221, 3823.770395539379, 3946.328853252735),
        *(-2254.708416807849, -6395.572223559269, 6002.9307880823835),
        *(6259.988409697869, -8385.411566526207, -6511.492906019272),
    ],
    "tau": [
        *(-4688.33100771837, 6004.012414956764, -3441.2368088356216, 4173.454382103973),
        *(5646.590629107575, 348.72009389330196, -870.4228701378361),
        *(8199.93528056121, 5133.44599309003, -1023.500628363121),
    ],
}
LEVEL: dict[str, list[float]] = {
    "q": [
        *(0.6066170516475113, 3.141592653590793, 0.001, 0.45834307846501043, 0.0),
        *(1.5707962267948965, -1e-07),
        *(-9.9999950000037e-08, 0.0, 0.9999995000003701, 0.00099999950000037),
    ],
    "v": [0.0] * 10,
    "ad": [0.0] * 10,
}


@pytest.mark.parametrize(
    ("algorithm", "state"), [("riccati", SINGULAR), ("rnea-body", LEVEL)], ids=["riccati", "rnea"]
)
def test_what_should_be_zero_is_judged_by_what_cancels(
    algorithm: str, state: dict[str, list[float]]
) -> None:
    """Of an end that does not rise accelerations of 1e15 m/s² leave 3e-4 m/s².

    Along the rail other terms cancel where loads are asked for too, which are other steps.
    """
    judge = _Judge(mstmm.compile("spatial-tree", algorithm=algorithm, target="numpy"))
    with mpmath.workdps(DIGITS), working(DIGITS):
        judge.point(state, random.Random(1))
    assert max(record.error for record in judge.records.values()) <= SLACK


def test_columns_that_are_not_stored_are_not_judged() -> None:
    """The mass matrix of the last ball is constant: what was in its columns before was judged."""
    solver = mstmm.compile("ball-chain:n=3", algorithm="derivatives", target="numpy")
    proof = validate(solver, points=1)
    assert proof.ok, proof.worst


def test_numbers_that_are_none_fail_the_proof_and_do_not_break_it() -> None:
    """The blocks after the wrong one are given NaN, of which a minimum norm finds no eigenvalue."""
    generated = generate(load("slider-crank"), target="numpy")
    source = generated.sources.files["slider_crank.py"]
    assert "np.sin(" in source
    proof = validate(altered(generated, source.replace("np.sin(", "np.nan * np.sin(")), points=1)
    assert not proof.ok


def test_numbers_far_out_of_the_range_of_doubles_do_not_fill_the_memory() -> None:
    """exp(−q²) at q = 1e8 has a binary exponent of some −1e16."""
    exp = decimals(DIGITS).functions["exp"]
    with working(DIGITS), mpmath.workdps(DIGITS):
        assert exp(Decimal(-(10**16))) == 0
        assert exp(Decimal(10**16)) == math.inf
        assert exp(Decimal(-3000)) == pytest.approx(Decimal(-3000).exp(), Decimal("1e-45"), 0)


@pytest.mark.parametrize("target", TARGETS)
def test_a_planted_wrong_sign_is_named(target: str) -> None:
    generated = generate(load("branch-pendulum"), target=target)
    name = "branch_pendulum.c" if target == "c" else "branch_pendulum.py"
    source = generated.sources.files[name]
    line = next(x for x in source.splitlines() if re.search(r"\bIAh12\b.* = .* \+ IA13", x))
    wrong = source.replace(line, line.replace("+ IA13", "- IA13"), 1)
    proof = validate(altered(generated, wrong), points=4)
    assert not proof.ok
    assert "tips_to_root: body_1+hinge at 5" in proof.worst
    assert "IAh" in proof.worst
    bad = [row.kernel for row in proof.rows if not row.ok and not row.kernel.startswith(NO_BLOCKS)]
    assert bad == ["tips_to_root: body_1+hinge at 5"]
    with pytest.raises(ValidationError, match="body_1"):
        proof.require()


@dataclasses.dataclass(frozen=True)
class Mutation:
    """One changed source: what was changed, and in which block."""

    what: str
    block: str
    text: str


def lines_with_blocks(generated: Generated, source: str) -> list[tuple[int, str, str]]:
    """Number, text and block (`step: kernels at members`) of each assignment of a module."""
    found, step, block = [], "", ""
    for number, line in enumerate(source.splitlines(keepends=True)):
        if match := re.match(r"def (_?)(\w+)\(", line):
            step, block = (match[2], "") if match[1] else ("", "")
            titles = {
                f"    # {b.title}\n": f"{step}: {b.name} at {b.members}"
                for lowered in generated.module.steps
                if lowered.name == step
                for b in lowered.blocks
            }
        elif step and line in titles:
            block = titles[line]
        elif block and " = " in line and not line.lstrip().startswith("#"):
            found.append((number, line, block))
    return found


def changes(right: str, constants: set[str]) -> list[str]:
    """The right side with one sign turned, one index moved or one constant off by 1e-9."""
    result = []
    for match in re.finditer(r" ([+-]) ", right):
        other = " - " if match[1] == "+" else " + "
        result.append(right[: match.start()] + other + right[match.end() :])
    for match in re.finditer(r"\[\.\.\., ([^\]]+)\]", right):
        index = f"({match[1]} + 1) % 4"
        result.append(right[: match.start(1)] + index + right[match.end(1) :])
    for match in re.finditer(r"\b[a-z]\w*", right):
        if match[0] in constants:
            near = f"({match[0]} * (1 + 1e-9))"
            result.append(right[: match.start()] + near + right[match.end() :])
    for match in re.finditer(r"(?<![\w.\[])(\d+\.\d+(?:e-?\d+)?)", right):
        near = float(match[1]) * (1 + 1e-9) or 1e-9
        result.append(right[: match.start()] + repr(near) + right[match.end() :])
    return result


def mutations(generated: Generated, source: str) -> list[Mutation]:
    """Every sign, index and constant of every block, one at a time."""
    lines = source.splitlines(keepends=True)
    constants = set(re.findall(r"^([a-z]\w*) = [\d.e-]+(?:  #|$)", source, re.MULTILINE))
    assert {"m", "g", "m_a"} <= constants
    result = []
    for number, line, block in lines_with_blocks(generated, source):
        left, right = line.split(" = ", 1)
        for changed in changes(right, constants):
            text = "".join([*lines[:number], f"{left} = {changed}", *lines[number + 1 :]])
            result.append(Mutation(f"{line.strip()}  →  {changed.strip()}", block, text))
    return result


def judge_mutations(every: int) -> None:
    generated = generate(load("branch-pendulum"), target="numpy")
    source = generated.sources.files["branch_pendulum.py"]
    chosen = mutations(generated, source)
    assert len(chosen) > 250
    random.Random(1).shuffle(chosen)
    missed = []
    for mutation in chosen[::every]:
        proof = validate(altered(generated, mutation.text), points=3)
        named = [r.kernel for r in proof.rows if not r.ok and not r.kernel.startswith(NO_BLOCKS)]
        if mutation.block not in named:
            missed.append((mutation.what, mutation.block, named))
    assert not missed, f"{len(missed)} of {len(chosen[::every])} unseen: {missed[:5]}"


def test_a_sample_of_all_mutations_is_named() -> None:
    judge_mutations(every=60)


@pytest.mark.slow
def test_every_sign_index_and_constant_is_named() -> None:
    judge_mutations(every=1)


@needs_compiler
def test_every_sign_of_the_c_loop_is_named() -> None:
    generated = generate(load("rod-chain", n=12), target="c")
    source = generated.sources.files["rod_chain.c"]
    start = source.index("for (int i = 0; i < 11; i++)")
    end = source.index("}", start)
    places = [
        match
        for match in re.finditer(r" [+-] (?=[A-Za-z(])(?!i\])", source[start:end])
        if "=" in (line := _line(source, start + match.start())) and "/*" not in line
    ]
    assert len(places) > 15
    for match in random.Random(2).sample(places, 3):
        at = start + match.start()
        flipped = " - " if "+" in match[0] else " + "
        wrong = source[:at] + flipped + source[at + 3 :]
        proof = validate(altered(generated, wrong), points=2)
        assert not proof.ok, _line(source, at)
        assert "tips_to_root: body_1+hinge" in proof.worst, _line(source, at)


def _line(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) : text.find("\n", at)]


@needs_compiler
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"static const double m_a = 0\.5;", "static const double m_a = 0.55;"),
        (r"V_5 = 2, V_7 = 3", "V_5 = 3, V_7 = 2"),
        (r"\n +w->pAh1\[2\] = [^;]*;", ""),
    ],
    ids=["a wrong constant", "two places exchanged", "a store left out"],
)
def test_wrong_names_are_seen(before: str, after: str) -> None:
    made = generate(load("branch-pendulum"))
    wrong, count = re.subn(before, after, made.sources.files["branch_pendulum.c"], count=1)
    assert count == 1
    assert not validate(altered(made, wrong), points=3).ok


def test_no_points_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="points = 0"):
        validate(compile_model("rod-chain:n=1", target="numpy"), points=0)


def test_nan_and_missing_results_fail() -> None:
    generated = generate(load("rod-chain", n=2), target="numpy")
    source = generated.sources.files["rod_chain.py"]
    dropped = re.sub(r"\n    a\[\.\.\., \w+\] = .*", "", source, count=1)
    assert dropped != source
    assert not validate(altered(generated, dropped), points=2).ok
