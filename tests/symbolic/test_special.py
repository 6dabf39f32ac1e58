"""Programs as they are shown of a model: what is left out, and that nothing else changes."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
import sympy as sp

import mstmm
from mstmm.errors import MstmmError
from mstmm.model import MODELS
from mstmm.symbolic.derivation.specialised import Verdict, judge
from mstmm.symbolic.language.program import Let, Program
from mstmm.symbolic.language.residues import PRIME, RESIDUES, Gaussian, Residue
from mstmm.symbolic.language.simpler import Simpler
from mstmm.symbolic.language.special import Special, special
from mstmm.symbolic.language.worth import Worth
from mstmm.symbolic.language.written import called, named, number, product
from mstmm.symbolic.mechanics.matrices import Algebra
from mstmm.symbolic.methods.algorithms import ALGORITHMS

EXAMPLES = Path(__file__).parents[2] / "examples"

#: A few models and algorithms; all of them by the long test.
FEW = [
    ("double-pendulum", "riccati"),
    ("double-pendulum", "hdca"),
    ("double-pendulum", "linear"),
    ("branch-pendulum", "overall"),
    ("four-bar", "dca"),
    ("cart-pole", "derivatives"),
    ("rod-chain", "derivatives"),
    ("branch-pendulum", "derivatives"),
    ("double-pendulum", "damped"),
    ("four-bar", "damped"),
    ("example-2", "overall"),
]


def programs(name: str, algorithm: str) -> Program:
    return mstmm.derive(mstmm.load(name), algorithm=algorithm).program()


def shown(program: Program, entry: str) -> Special:
    (found,) = (x for x in program.entries if x.name == entry)
    return special(program, [found], {})


def verdict(program: Program) -> Verdict:
    return judge(special(program, program.entries, {}), program)


@pytest.mark.long
@pytest.mark.parametrize(("name", "algorithm"), FEW)
def test_what_is_shown_is_what_runs(name: str, algorithm: str) -> None:
    program = programs(name, algorithm)
    found = verdict(program)
    assert found.wrong == ()
    assert found.formulas >= found.equations + found.complex > 40


#: Of the models each algorithm takes one in so many, the next algorithm the next ones.
SHARE = 4
EVERY = [x.name for x in ALGORITHMS if not x.alias_of]
#: Models whose programs take minutes to be judged are left to the slow run.
LARGE = ("branch-system", "example-1", "delta-robot", "spatial-frame", "ross-rotor")


def see_what_is_shown(algorithm: str, models: Iterable[str]) -> int:
    """How many models the algorithm takes; of each, what is shown is what runs."""
    taken = 0
    for name in models:
        try:
            program = programs(name, algorithm)
        except MstmmError:
            continue
        taken += 1
        assert [(name, wrong) for wrong in verdict(program).wrong] == []
    return taken


@pytest.mark.long
@pytest.mark.parametrize("algorithm", EVERY)
def test_what_is_shown_of_some_models_is_what_runs(algorithm: str) -> None:
    models = [x for x in MODELS if x not in LARGE]
    assert see_what_is_shown(algorithm, models[EVERY.index(algorithm) % SHARE :: SHARE])


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", EVERY)
def test_what_is_shown_of_every_model_is_what_runs(algorithm: str) -> None:
    models = (*MODELS, *map(str, sorted(EXAMPLES.glob("*.toml"))))
    assert see_what_is_shown(algorithm, models) > 4


def names(of: Special, step: str, member: str) -> set[str]:
    return {
        x.port.name
        for each in of.calls[step]
        if each.call.member == member
        for x in each.call.kernel.statements
        if x.port.name not in each.steps
    }


def test_a_pin_carries_no_zeros_and_the_root_nothing_that_nobody_reads() -> None:
    of = shown(programs("double-pendulum", "riccati"), "letters")
    assert names(of, "relatives", "2") == {"R", "C", "cz", "sz", "r", "wr"}
    assert names(of, "relatives", "1") == {"R", "C", "cz", "sz", "wr"}
    assert names(of, "inward", "2") >= {"IAt", "pAt"}
    assert not names(of, "inward", "1") & {"IAt", "pAt", "gam"}
    first = next(x for x in of.calls["relatives"] if x.call.member == "2")
    assert {"p", "vr", "br", "bw"} == set(first.zero)
    assert first.unread == ("H1",)


def test_a_shift_is_whole() -> None:
    """No move along one axis, no turn entry by entry: one equation, and its entries."""
    of = shown(programs("double-pendulum", "riccati"), "letters")
    steps = {"twice1", "uM1", "IAr1", "Bs1", "IAs1", "Bs2", "IAs2", "pAr1", "cp", "cl1", "Gk", "w2"}
    assert not names(of, "inward", "2") & steps
    hinge = of.calls["inward"][1].call.kernel
    moved = next(x for x in hinge.statements if x.port.name == "IAt")
    assert moved.says == "IAt = Xᵀ IAh X, X = diag(R, 1)ᵀ X(r), R = R₃(c, s)"
    a, b, c, s, r = sp.symbols("IAh11 IAh22 cz sz r2", real=True)
    X = sp.Matrix([[c, s, 0], [-s, c, 0], [0, 0, 1]]) * sp.Matrix(
        [[1, 0, -r], [0, 1, 0], [0, 0, 1]]
    )
    own = (X.T * sp.diag(a, b, 0) * X).subs(c**2, 1 - s**2)
    apart = (moved.value - own).expand().subs(c**2, 1 - s**2).expand()
    assert apart == sp.zeros(3, 3)


def test_a_turn_that_stays_the_same_drops_out_of_a_tangent() -> None:
    rate = product(called("diag", named("d_R"), number(0)), named("a"))
    whole = ast.BinOp(rate, ast.Add(), named("d_a"))
    assert ast.dump(Simpler({"d_R"}, (), {}, {}).of(whole)) == ast.dump(named("d_a"))


def test_a_unit_vector_is_as_long_as_it_is_shown() -> None:
    for size, place in ((2, 1), (3, 2), (6, 3)):
        vector = Algebra(3).unit(size, place)
        assert Worth({}, 3).of(vector.tree) == vector.value.tolist()


def test_places_are_words_and_brackets_stand_once() -> None:
    assert programs("four-bar", "riccati").sets["closings"] == ("ground 1",)
    program = programs("double-pendulum", "centroidal")
    of = special(program, program.entries, {})
    said = [x.says for y in of.of for x in y.kernel.statements]
    assert any("~(" in x for x in said)
    assert not [x for x in said if "~((" in x]


def test_complex_numbers_are_judged_by_their_parts(tmp_path: Path) -> None:
    """What spins: its statements in pairs are those that run; their equations are not read back."""
    file = tmp_path / "disc.toml"
    file.write_text(
        'name = "disc"\ndimension = 3\ngravity = [0, 0, 0]\n[parameters]\nW = 4.0\n'
        '[bodies.disc]\nmass = 2\ninertia = [0.05, 0.03, 0.03, 0, 0, 0]\nspin = "W"\n'
        "points.centre = {}\n"
        '[hinges.bearing]\nkind = "elastic"\nparent = "ground"\nchild = "disc:centre"\n'
        "spring = { stiffness = [9, 8, 7, 6, 5, 4] }\n"
    )
    found = verdict(programs(str(file), "damped"))
    assert found.wrong == ()
    assert (found.complex > 10, found.equations > 5) == (True, True)


def test_what_an_elastic_hinge_passes_on_speaks_of_nothing_that_is_left_out(tmp_path: Path) -> None:
    """Of λ behind a hinge that yields every way the law is all: no k, which its tangent drops."""
    file = tmp_path / "arm.toml"
    file.write_text(
        'name = "arm"\ndimension = 2\ngravity = [0, -9.81]\n'
        "[beams.arm]\nlength = 1\ndensity = 1\naxial_stiffness = 9\nbending_stiffness = 5\n"
        "axial = 1\nbending = 2\nforeshortening = false\n"
        "points.root = { x = 0 }\npoints.tip = { x = 1 }\n"
        "[bodies.disc]\nmass = 2\ninertia = 0.05\npoints.centre = {}\n"
        '[hinges.weld]\nkind = "fixed"\nparent = "ground"\nchild = "arm:root"\n'
        '[hinges.spring]\nkind = "elastic"\nparent = "arm:tip"\nchild = "disc:centre"\n'
        "spring = { stiffness = [9, 8, 7] }\n"
    )
    program = programs(str(file), "derivatives")
    assert verdict(program).wrong == ()
    said = {x.says for y in program.steps for z in y.calls for x in z.kernel.statements}
    assert {"pAh = H⁻ᵀ τ", "∂pAh = H⁻ᵀ ∂τ"} <= said


def test_a_parameter_that_is_zero_drops_its_terms(tmp_path: Path) -> None:
    file = tmp_path / "damped.toml"
    file.write_text(
        'name = "damped"\ndimension = 2\ngravity = [0, -9.81]\n[parameters]\nc = 0.0\n'
        "[bodies.rod]\nmass = 1.0\ninertia = 0.1\ncentre = [0, -0.2]\npoints.top = {}\n"
        '[hinges.pin]\nkind = "pin"\nparent = "ground"\nchild = "rod:top"\nforce = "-c*upin"\n'
    )
    program = programs(str(file), "riccati")
    (entry,) = (x for x in program.entries if x.name == "accelerations")
    for value, there in ((0.0, False), (0.3, True)):
        of = special(program, [entry], {"c": value})
        read = {x.name for calls in of.calls.values() for y in calls for x in y.call.kernel.inputs}
        assert ("c" in read) == there
        assert judge(of, program).wrong == ()


@pytest.mark.parametrize("seed", range(8))
def test_a_formula_that_is_shown_wrongly_is_seen(seed: int) -> None:
    """One entry of one statement of the steps as they are shown, changed."""
    program = programs("double-pendulum", "riccati")
    of, rng = shown(program, "letters"), Random(seed)
    pairs = [
        (step, k, x)
        for step, found in of.pairs.items()
        for k, (_, each) in enumerate(found)
        if each
        for x in each.call.kernel.statements
        if isinstance(x, Let)
    ]
    step, k, statement = rng.choice(pairs)
    value = statement.value.copy()
    value[0] += 1
    call, each = of.pairs[step][k]
    kernel = each.call.kernel
    changed = tuple(replace(x, value=value) if x is statement else x for x in kernel.statements)
    other = replace(each, call=replace(each.call, kernel=replace(kernel, statements=changed)))
    found = list(of.pairs[step])
    found[k] = (call, other)
    verdict = judge(replace(of, pairs={**of.pairs, step: tuple(found)}), program)
    assert any(f": {statement.port.name}" in wrong for wrong in verdict.wrong)


def test_what_is_called_zero_and_is_not_is_seen() -> None:
    program = programs("double-pendulum", "riccati")
    of = shown(program, "letters")
    (call, each), *rest = of.pairs["relatives"]
    pairs = {**of.pairs, "relatives": ((call, replace(each, zero=("wr",))), *rest)}
    assert any("wr is not zero" in x for x in judge(replace(of, pairs=pairs), program).wrong)


def test_residues_are_a_field_with_a_circle() -> None:
    rng = Random(3)
    functions = RESIDUES.functions
    for _ in range(20):
        x, y = (Residue(rng.randrange(1, PRIME)) for _ in range(2))
        assert (x / y) * y == x
        assert x - y == -(y - x)
        assert functions["sin"](x) ** 2 + functions["cos"](x) ** 2 == 1
        assert functions["sqrt"](x * x) == functions["Abs"](x) == functions["Abs"](-x)
        assert functions["sign"](x) * functions["Abs"](x) == x
        root = functions["sqrt"](x)
        assert root * root == x
        assert functions["Abs"](root) == functions["Abs"](-root) == root
    with pytest.raises(ZeroDivisionError):
        Residue(1) / Residue(PRIME)


def test_roots_of_what_is_no_square_are_numbers_of_a_field() -> None:
    rng, root, i = Random(5), RESIDUES.functions["sqrt"], Gaussian(0, 1)
    x, y, z = (Residue(rng.randrange(PRIME)) + Residue(rng.randrange(PRIME)) * i for _ in range(3))
    half = Fraction(1, 2)
    assert {*map(type, (x, y, z, x * y, x - half, half * x))} == {Gaussian}
    assert i * i == -1
    assert (x + y) * z == x * z + z * y
    assert (x - y) + y == x == (x / y) * y == 1 / (1 / x)
    assert (half - x) + x == half == half / x * x
    assert x**5 * x**-3 == x * x
    assert root(3) * root(3) == 3
    assert len({x, x + 0, y}) == 2


def test_angles_are_known_along_the_axes() -> None:
    angle, pi = RESIDUES.functions["atan2"], RESIDUES.functions["pi"]()
    at = [angle(Residue(y), Residue(x)) for y, x in ((0, 1), (0, -1), (1, 0), (-1, 0))]
    assert at == [0, pi, pi / 2, -pi / 2]
