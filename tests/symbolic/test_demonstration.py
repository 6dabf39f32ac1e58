"""Section 5.1: golden matrices, every wrong print proven wrong, the singular (59)."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from counting import python_calls
from places import DATA

import mstmm
from mstmm import derive
from mstmm.errors import UsageError
from mstmm.model import End, Hinge, Model, load
from mstmm.papers.riccati.prints import printed
from mstmm.symbolic.derivation.branch import SPLIT, Branch, motion, state, times
from mstmm.symbolic.derivation.derivation import Derivation
from mstmm.symbolic.derivation.derivation import derive as symbolic_derive
from mstmm.symbolic.derivation.errata import ERRATA
from mstmm.symbolic.derivation.results import Form, Print, Result, Verdict, differing
from mstmm.symbolic.derivation.section51 import Section51
from mstmm.symbolic.exact.budget import Budget
from mstmm.symbolic.exact.points import circle_point
from mstmm.symbolic.exact.rational import ExactMatrix, Field, stack
from mstmm.symbolic.methods.riccati import printed as kernels
from mstmm.symbolic.methods.riccati.recursion import Blocks, rearrange
from mstmm.symbolic.plans.plan import plan

GOLDEN = json.loads((DATA / "riccati-paper" / "golden_matrices.json").read_text())
#: The golden numbers are doubles of a few operations, entries up to 140.
TOLERANCE = 1e-11

m, a, g, c_c = sp.symbols("m a g c_c", real=True)


def c(rod: int) -> sp.Expr:
    return sp.cos(sp.Symbol(f"theta{rod}", real=True))


def s(rod: int) -> sp.Expr:
    return sp.sin(sp.Symbol(f"theta{rod}", real=True))


def w(rod: int) -> sp.Symbol:
    return sp.Symbol(f"omega{rod}", real=True)


#: The denominator of (46) and (47).
DENOMINATOR = 3 * c(3) * c(5) + 3 * s(3) * s(5) + 2


def print_of(symbol: str, form: Form = "both") -> sp.Matrix:
    found = printed(symbol, form)
    assert found is not None
    assert found.matrix is not None
    return found.matrix


@pytest.fixture(scope="module")
def derived() -> Derivation:
    return derive(load("branch-pendulum"))


@pytest.fixture(scope="module")
def example() -> Branch:
    return Branch(plan(load("branch-pendulum")), Budget(200_000))


def blocks(example: Branch, name: str) -> Blocks:
    return rearrange(example.read(name, completed=False), SPLIT)


def numbers(matrix: sp.Matrix) -> np.ndarray:
    values = {"m": 1.0, "a": 0.5, "g": 9.81}
    for rod, theta, omega in zip("1357", GOLDEN["theta"], GOLDEN["omega"], strict=True):
        values |= {f"theta{rod}": theta, f"omega{rod}": omega}
    symbols = [sp.Symbol(name, real=True) for name in values]
    return np.array(sp.lambdify(symbols, matrix, "numpy")(*values.values()), dtype=float)


PLAIN = {"U1": "U1", "U3": "U3", "U5": "U5", "U7": "U7", "U4": "U4_printed_hinge"}
PLAIN |= {"Uhat8_I1": "Uhat8_I1", "Uhat8_I2": "Uhat8_I2", "H_rm": "H_rm", "H_O1_I2": "H_O1_I2"}
BY_FORM = {"S2": "S2_body1", "e2": "e2_body1", "S3": "S3", "e3": "e3", "S4": "S4", "e4": "e4"}
BY_FORM |= {"Uall": "U_all_10x15", "Ubar": "A9", "b": "b9"}


@pytest.mark.parametrize("symbol", PLAIN)
def test_golden_element_matrices(derived: Derivation, symbol: str) -> None:
    found = numbers(derived.find(symbol).matrix)
    assert np.abs(found - np.array(GOLDEN[PLAIN[symbol]])).max() < TOLERANCE


@pytest.mark.parametrize("symbol", BY_FORM)
@pytest.mark.parametrize(("form", "variant"), [("printed", "printed"), ("completed", "closure")])
def test_golden_recursion(derived: Derivation, symbol: str, form: str, variant: str) -> None:
    found = numbers(derived.find(symbol, form=form).matrix)
    expected = np.array(GOLDEN[variant][BY_FORM[symbol]], dtype=float).reshape(found.shape)
    assert np.abs(found - expected).max() < TOLERANCE


@pytest.mark.parametrize("form", ["printed", "completed"])
def test_golden_body_3(derived: Derivation, form: str) -> None:
    for letter, found in (("S", derived.S["3:O"]), ("e", derived.e["3:O"])):
        expected = np.array(GOLDEN["closure"][f"{letter}2_body3"]).reshape(found.shape)
        assert np.abs(numbers(found) - expected).max() < TOLERANCE


def test_the_completed_system_gives_the_motion(derived: Derivation) -> None:
    matrix = numbers(derived.find("Ubar", form="completed").matrix)
    right = numbers(derived.find("b", form="completed").matrix)
    found = np.linalg.solve(matrix, right).ravel()
    assert np.abs(found - np.array(GOLDEN["closure"]["x9"])).max() < TOLERANCE


def test_missing_rows_restore_the_printed_system(example: Branch) -> None:
    """Completion R: the printed matrices with the two lost moment conditions for rows 4, 9."""
    matrix, right = (numbers(example.read(x, False).matrix()) for x in ("Ubar[7]", "b[7]"))
    golden = np.array(GOLDEN["rows"]["A9"])
    same = [i for i in range(9) if i not in (3, 8)]
    assert np.abs(matrix[same] - golden[same]).max() < TOLERANCE
    assert np.linalg.matrix_rank(golden) == 9
    assert np.abs(right.ravel()[same] - np.array(GOLDEN["rows"]["b9"])[same]).max() < TOLERANCE


def test_the_printed_system_is_singular(example: Branch) -> None:
    assert example.empty_rows(completed=False) == (4, 9)
    assert example.rank(completed=False) == 7
    assert example.read("S[5:O]", completed=False).extract([0], range(3)).is_zero
    assert not example.read("e[5:O]", completed=False)[0, 0]


def test_the_completed_system_is_regular(example: Branch) -> None:
    assert example.empty_rows(completed=True) == ()
    assert example.rank(completed=True) == 9


def test_the_rank_is_a_result(derived: Derivation) -> None:
    literal, completed = derived.find("rank", form="printed"), derived.find("rank")
    assert literal.matrix == sp.Matrix([[7]])
    assert completed.matrix == sp.Matrix([[9]])
    assert any("vanish identically" in line.text and "4, 9" in line.text for line in literal.steps)
    assert "rank 7 of 9" in literal.verdict.sentence()
    assert "(the completed form" in completed.verdict.sentence()


def agree(exact: ExactMatrix, print_: sp.Matrix) -> bool:
    return not differing(exact, print_)


def test_x2_x3_the_two_wrong_entries_of_46(example: Branch) -> None:
    S3, print_ = example.read("S[5:I]", completed=False), print_of("S3", "printed")
    assert differing(S3, print_) == ("entry (1,2)", "entry (1,3)")
    c3, c5, s3, s5 = c(3), c(5), s(3), s(5)
    print_[0, 1] = -3 * m * a * (c3**2 * c5 + c3 * s3 * s5 - 2 * c5) / DENOMINATOR
    assert differing(S3, print_) == ("entry (1,3)",)
    print_[0, 2] = sp.Rational(4, 3) * m * a**2 / DENOMINATOR
    assert agree(S3, print_)


def test_x4_the_undefined_symbol_of_47(example: Branch) -> None:
    e3, print_ = example.read("e[5:I]", completed=False), print_of("e3", "printed")
    assert len(differing(e3, print_)) == 3
    assert agree(e3, print_.xreplace({c_c: c(3)}))
    for wrong in (c(5), s(3)):
        assert len(differing(e3, print_.xreplace({c_c: wrong}))) == 3


def test_x5_the_denominators_of_52(example: Branch) -> None:
    for k in (1, 2):
        found, print_ = example.read(f"Uhat[I{k}]"), print_of(f"Uhat8_I{k}")
        assert differing(found, print_) == ("entry (3,5)", "entry (3,6)")
        wrong = times(example.read("U[7]"), print_)
        assert not wrong.extract([3], range(7)).is_zero
        assert example.read(f"main[I{k}]").extract([3], range(7)).is_zero
        print_[2, 4], print_[2, 5] = 2 * print_[2, 4], 2 * print_[2, 5]
        assert agree(found, print_)


def test_x6_the_sign_of_62(example: Branch) -> None:
    """The printed tip accelerations, sent through rod 1 again, do not come back."""
    tip_side = example.affine("tips_to_root/P/1", "tips_to_root/Pq/1", "1O")
    assert differing(tip_side, print_of("zb1I")) == ("entry (1,1)", "entry (2,1)")
    T, z_b = blocks(example, "U[1]"), motion("1O")[:3, :]
    affine = stack([[T.T22, T.fb]])

    def through(tip: sp.Matrix) -> ExactMatrix:
        return times(affine, tip.col_join(sp.eye(1)))

    assert agree(through(tip_side.matrix()), z_b)
    assert not agree(through(print_of("zb1I")), z_b)


def test_x8_the_printed_hinge_states_the_next_hinge(example: Branch) -> None:
    """Block row 3 of body times hinge is zero; m at the hinge itself is not."""
    hinge = example.read("Uh[3]", completed=False)
    assert times(example.read("U[5]"), hinge.matrix()).extract([3], range(7)).is_zero
    assert hinge[3, 3] == hinge.field.one


def test_x10_the_denominator_can_vanish(example: Branch) -> None:
    angle = sp.Symbol("theta3", real=True) - sp.Symbol("theta5", real=True)
    D = sp.expand_trig(2 + 3 * sp.cos(angle))
    assert vanishes(sp.Matrix([D - DENOMINATOR]))
    pivot = example.turned("Uh[3]", "S[3:O]")
    assert agree(pivot.extract([2], [2]), sp.Matrix([DENOMINATOR]))
    assert all(len(x.den) == 1 for row in example.read("S[5:O]").entries for x in row)


def test_symmetry_of_the_completed_inertia(example: Branch) -> None:
    """[−S_q; S_m] is the chain's inertia seen from the joint, so it is symmetric."""
    for S in map(example.read, ("S[1:O]", "S[5:O]")):
        inertia = S.extract([1, 2, 0], range(3))
        for i in (0, 1):
            inertia.entries[i] = [-entry for entry in inertia.entries[i]]
        assert (inertia - inertia.T).is_zero
    literal = example.read("S[5:O]", completed=False)
    assert literal[1, 0] != literal[2, 1]
    assert literal[1, 1] != literal[2, 0]


def test_closed_forms_of_the_completion(example: Branch) -> None:
    """Q3, ε3 of the verified mathematics, Sect. 7, typed from there."""
    n3, e3 = sp.Matrix([-s(3), c(3)]), sp.Matrix([c(3), s(3)])
    n5, e5 = sp.Matrix([-s(5), c(5)]), sp.Matrix([c(5), s(5)])
    projector = sp.eye(2) - sp.Rational(3, 4) * n3 * n3.T
    f = sp.Matrix([0, -m * g])
    Q3, eps3 = -m * projector, -m * a * w(3) ** 2 * e3 + projector * f
    w5 = w(5) ** 2
    S3 = sp.zeros(3)
    S3[1:, :2] = Q3
    assert agree(example.read("S[5:I]"), S3)
    assert agree(example.read("e[5:I]"), sp.Matrix([0, *eps3]))
    sigma = 2 * a * Q3 * n5 - m * a * n5
    moment = sp.Rational(4, 3) * m * a**2 - 4 * a**2 * (n5.T * Q3 * n5)[0]
    S4 = sp.Matrix.vstack(
        sp.Matrix([[*sigma, moment]]), sp.Matrix.hstack(Q3 - m * sp.eye(2), -sigma)
    )
    assert agree(example.read("S[5:O]"), S4)
    first = (4 * a**2 * w5 * n5.T * Q3 * e5 + 2 * a * n5.T * eps3 + a * n5.T * f)[0]
    rest = 2 * a * w5 * Q3 * e5 - m * a * w5 * e5 + f + eps3
    assert agree(example.read("e[5:O]"), sp.Matrix([first, *rest]))


def test_verdicts_name_the_errata(derived: Derivation) -> None:
    wrong = {
        result.symbol: result.verdict
        for result in derived.results
        if result.verdict.status == "differs"
    }
    assert set(wrong) == {"S3", "e3", "Uhat8_I1", "Uhat8_I2", "zb1I"}
    assert {name for verdict in wrong.values() for name in verdict.errata} >= {
        erratum.id for erratum in ERRATA if erratum.kind == "W"
    }
    lost = {r.equation for r in derived.results if r.verdict.status == "lost"}
    assert lost == {"6", "8", "16", "36", "37", "43", "44", "49", "55"}
    assert [erratum.id for erratum in ERRATA] == [f"X{i}" for i in range(1, 22)]


def test_what_has_a_print_was_compared(derived: Derivation) -> None:
    for result in derived.results:
        if result.equation.isdigit() and int(result.equation) >= 36 and result.printed is not None:
            assert result.printed.shape == result.matrix.shape, result.symbol
        assert result.verdict.sentence()
        assert result.steps or result.symbol in ("zall", "zbar"), result.symbol


def test_every_equation_has_a_result_in_its_order(derived: Derivation) -> None:
    assert list(derived.equations) == [str(number) for number in range(1, 63)]
    numbers = [int(entry.equation) for entry in derived.results.entries]
    assert numbers == sorted(numbers)
    names = [(entry.symbol, entry.form) for entry in derived.results.entries]
    assert len(set(names)) == len(names)


def vanishes(difference: sp.Matrix) -> bool:
    """Whether it is zero: by expansion, or at three rational points of the unit circles."""
    if difference.expand().is_zero_matrix:
        return True
    if any(not symbol.is_commutative for symbol in difference.free_symbols):
        return False
    angles = {x.args[0] for x in difference.atoms(sp.sin, sp.cos)}
    generators = {function(angle) for angle in angles for function in (sp.sin, sp.cos)}
    ordered = sorted(generators | (difference.free_symbols - angles), key=str)
    points = (circle_point(ordered, seed=seed) for seed in (1, 2, 3))
    return all(difference.xreplace(point).is_zero_matrix for point in points)


def test_equal_means_compared(derived: Derivation) -> None:
    """The verdict is checked anew, by other means; one changed sign is seen."""
    equal = [result for result in derived.results if result.verdict.status == "equals"]
    assert len(equal) > 60
    for result in equal:
        assert result.printed is not None, result.symbol
        assert vanishes(result.matrix - result.printed), result.symbol
        entry = next((i for i, x in enumerate(result.printed) if x not in (0, 1)), 0)
        wrong = result.printed.as_mutable()
        wrong[entry] = 1 - wrong[entry]
        assert not vanishes(result.matrix - wrong), result.symbol
    for result in derived.results:
        if result.verdict.status == "differs":
            assert result.printed is not None
            assert not vanishes(result.matrix - result.printed), result.symbol
        if result.verdict.status == "lost":
            assert result.printed is None, result.symbol


def test_no_print_no_comparison() -> None:
    for status in ("equals", "differs"):
        with pytest.raises(ValueError, match="no print to compare with"):
            Result("x", "1", "", sp.eye(1), None, Verdict(status), "both")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "symbol", ["S2", "z7O", "z8O", "z1O", "main1", "main2", "geo1", "geo2", "Uall"]
)
def test_a_changed_print_would_be_seen(symbol: str) -> None:
    def changed(name: str, form: Form) -> Print | None:
        found = printed(name, form)
        if found is None or found.matrix is None:
            return found
        wrong = found.matrix.as_mutable()
        wrong[2, 0] += m
        return Print(wrong)

    verdict = (
        symbolic_derive(load("branch-pendulum"), prints=changed)
        .find(symbol, form="printed")
        .verdict
    )
    assert (verdict.status, verdict.where) == ("differs", ("entry (3,1)",))


def test_a_changed_derivation_of_the_assembly_would_be_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The printed side does not follow what the program says of the multi-hinge."""
    right = kernels.hats
    minus = lambda k, u: [[[-x for x in row] for row in hat] for hat in right(k, u)]  # noqa: E731
    monkeypatch.setattr(kernels, "hats", minus)
    again = kernels.traced(kernels.multi_hinge.function)
    monkeypatch.setattr(kernels, "multi_hinge", again)
    found = derive(load("branch-pendulum"))
    for symbol in ("z8O", "main1", "main2", "Uall"):
        assert found.find(symbol, form="printed").verdict.status == "differs", symbol


def test_the_sentence_of_the_rank_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = derive(load("branch-pendulum")).find("Ubar", form="printed").verdict.why
    assert "rank 7 of 9 and determines no motion" in found
    assert "row 4 (m = 0 at the output of body 7), row 9 (m = 0 at the output of body 5)" in found
    completed = derive(load("branch-pendulum")).find("Ubar").verdict.why
    assert "rank 9 of 9" in completed
    assert "no motion" not in completed
    assert "0 = 0" not in completed
    monkeypatch.setattr(Section51, "rank", lambda self, form: 8)
    monkeypatch.setattr(Section51, "empty_rows", lambda self, form: (9,))
    stale = derive(load("branch-pendulum")).find("Ubar", form="printed").verdict.why
    assert "rank 8 of 9" in stale
    assert "row 4 (" not in stale


def test_the_reduced_system_is_the_overall_one(example: Branch, derived: Derivation) -> None:
    """Ubar zbar − b is U_all z_all at r̈ = 0 and m = 0 of the root, but for row 7: 1 − 1."""
    at_root = {state("7O")[i]: sp.S.Zero for i in (0, 1, 3)}
    full = example.read("Uall[7]", False).matrix() * derived.find("zall").matrix.xreplace(at_root)
    matrix, right = (example.read(x, False).matrix() for x in ("Ubar[7]", "b[7]"))
    zbar = derived.find("zbar").matrix
    assert full[6].expand() == 0
    full.row_del(6)
    assert vanishes(full - (matrix * zbar - right))
    assert not vanishes(full - (matrix * zbar + right))


def test_all_results_of_an_equation(derived: Derivation) -> None:
    assert [r.symbol for r in derived.of_equation(5)] == [f"E{i}" for i in range(1, 10)]
    assert [r.symbol for r in derived.of_equation("(59)")] == ["Ubar", "b", "rank"]
    assert {r.form for r in derived.of_equation(59, "printed")} == {"printed"}
    assert derived.of_equation(39) == (derived.find("S2"),)
    with pytest.raises(UsageError, match="no result of equation 63"):
        derived.of_equation(63)


def test_all_results_come_quickly() -> None:
    """Within some two seconds: SymPy makes about three million calls in one."""
    assert python_calls(lambda: list(derive(load("branch-pendulum")).results)) < 12_000_000


def test_asked_for_by_name_and_number(derived: Derivation) -> None:
    theta1 = sp.Symbol("theta1", real=True)
    m, a = sp.symbols("m a", real=True)
    S2 = derived.find("S2")
    assert S2 is derived.find(equation=39) is derived.find(equation="(39)")
    assert S2.verdict.sentence() == "equals the print of (39)"
    assert S2.matrix[0, 0] == m * a * sp.sin(theta1)
    assert [[str(x) for x in S2.matrix.row(i)] for i in range(3)] == [
        ["a*m*sin(theta1)", "-a*m*cos(theta1)", "4*a**2*m/3"],
        ["-m", "0", "-a*m*sin(theta1)"],
        ["0", "-m", "a*m*cos(theta1)"],
    ]
    assert [str(x) for x in derived.find("e2").matrix] == [
        "-a*g*m*cos(theta1)",
        "-a*m*omega1**2*cos(theta1)",
        "-a*m*omega1**2*sin(theta1) - g*m",
    ]
    assert derived.find("S3").form == "completed"
    assert (
        derived.find("S3", form="printed")
        .verdict.sentence()
        .startswith("differs from the print of (46) at entry (1,2), entry (1,3)")
    )
    assert derived.find("S[5:O]").matrix == derived.find("S4").matrix


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"symbol": "S9"}, "there is no result 'S9'; there are: z, z_parts, z_O, U, E1"),
        ({"equation": 63}, "no result of equation 63; there are: 1–62"),
        ({"equation": 59}, "several results; name one by its symbol: Ubar, b, rank"),
        ({"symbol": "S2", "equation": 40}, "S2 is not in equation 40"),
        ({"symbol": "S3", "form": "nice"}, "must be printed or completed"),
        ({"symbol": "U4", "form": "completed"}, "U4 exists in the printed form only"),
        ({}, "name a symbol or an equation"),
    ],
)
def test_a_wrong_name_is_told(derived: Derivation, asked: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        derived.find(**asked)  # type: ignore[arg-type]


def test_asking_for_S2_computes_little() -> None:
    fresh = derive(load("branch-pendulum"))
    fresh.find("S2")
    assert len(fresh.results._known) == 1


def test_other_values_are_still_the_example() -> None:
    from dataclasses import replace

    heavier = replace(load("branch-pendulum"), parameters={"m": 2.0, "a": 0.1, "g": 1.6})
    assert derive(heavier).find("S3").equation == "46"


def test_riccati_is_what_the_paper_prints_for_a_free_tip(example: Branch) -> None:
    """(39) = T12 T22⁻¹ and (40) = f_a − S2 f_b, as the paper's own chain of equalities has it."""
    T, S, e = blocks(example, "U[1]"), example.read("S[1:O]"), example.read("e[1:O]")
    assert agree(T.T12 @ T.T22.inv(), S.matrix())
    assert agree(T.fa - T.T12 @ T.T22.inv() @ T.fb, e.matrix())


def test_rods_of_other_masses_have_the_same_equations() -> None:
    """(36)-(62) of another branch system: verdicts stay where the print still applies."""
    example = load("branch-pendulum")
    heavier = replace(example.bodies[1], mass=2 * example.bodies[1].mass)
    derived = derive(replace(example, bodies=(example.bodies[0], heavier, *example.bodies[2:])))
    printed = derive(example)
    assert derived.equations == printed.equations
    assert [e.symbol for e in derived.results.entries] == [
        e.symbol for e in printed.results.entries
    ]
    assert derived.find("S2").verdict == printed.find("S2").verdict
    assert derived.find("U3").verdict.why == "the print is of other data"
    for form in ("printed", "completed"):
        third = derived.find("S3", form=form)
        assert third.printed is None
        assert "the print is of other data" in third.verdict.why
    assert "rank 9 of 9" in derived.find("rank").verdict.why
    agrees_with_the_program(derived, {"S2": "1:O", "S3": "5:I", "S4": "5:O", "e4": "5:O"})


def longer() -> Model:
    """The example with one more rod in its second chain."""
    example = load("branch-pendulum")
    tip = replace(example.body("3"), name="9")
    hinge = Hinge("10", "pin", (End("9", "O"), End("3", "I")))
    return replace(
        example, bodies=(*example.bodies, tip), hinges=(*example.hinges, hinge), q0=(), v0=()
    )


@pytest.mark.parametrize("name", ["longer", "branch-system"])
def test_any_branch_system_has_the_equations(name: str) -> None:
    """A rod more, or a chain at the root and longer ones: (36)-(62), in both forms, regular."""
    model = longer() if name == "longer" else load(name, N=13)
    derived = derive(model)
    assert derived.equations == tuple(str(k) for k in range(1, 63))
    last, end = ("S6", "5:O") if name == "longer" else ("S4", "3:O")
    agrees_with_the_program(derived, {last: end, "e" + last[1]: end})
    assert derived.find("Uall").verdict.status == "own"
    assert derived.find("rank").matrix[0] == 9
    assert derived.find("rank", form="printed").matrix[0] == 7
    q, v = np.linspace(0.3, 2.0, len(model.q0)), np.linspace(-1, 1, len(model.v0))
    values = (
        dict(zip((*model.coordinates, *model.speeds), (*q, *v), strict=True)) | model.parameters
    )
    names = [sp.Symbol(x, real=True) for x in values]
    matrix, right = (
        np.array(sp.lambdify(names, derived.find(x).matrix, "numpy")(*values.values()), dtype=float)
        for x in ("Ubar", "b")
    )
    found = np.linalg.solve(matrix, right).ravel()
    spins = dict(zip(model.speeds, mstmm.derive(model).at(q, v)["accelerations"], strict=True))
    meeting, *ends = ("7", "1", "5") if name == "longer" else ("11", "3", "9")
    expected = [spins[f"omega{body}"] for body in (meeting, *ends)]
    assert found[[0, 5, 8]] == pytest.approx(expected, rel=1e-9)


def agrees_with_the_program(derived: Derivation, ends: dict[str, str]) -> None:
    """S and e of the results are those of the fast form, in letters."""
    for symbol, end in ends.items():
        own = derived.find(symbol).matrix
        letter = derived.S[end] if symbol[0] == "S" else derived.e[end]
        field = Field.of([*own, *letter], Budget(10**6))
        assert (field.matrix(own) - field.matrix(letter)).is_zero, symbol
