"""Written equations: what is read, what is refused and where, what is judged, how it is shown."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from unicodedata import normalize

import pytest
import sympy as sp
from equation_mutants import equation_mutants

from mstmm.errors import UsageError
from mstmm.symbolic.equations import alphabets
from mstmm.symbolic.equations.grammar import expression
from mstmm.symbolic.equations.layout import Box, statement
from mstmm.symbolic.equations.ledger import Ledger
from mstmm.symbolic.equations.matrices import Mat, diag, hcat, vcat
from mstmm.symbolic.equations.paper import Paper, read
from mstmm.symbolic.equations.tokens import EquationError, NoValueError
from mstmm.symbolic.equations.trees import Node
from mstmm.symbolic.equations.verdicts import apart, compare
from mstmm.symbolic.equations.worlds import World

HEAD = """\
paper short: any matrices
at one, two
index i : body
index j : below(i)
letter A as Ā, B : 3×3, any matrices that move
letter x_i, y : 3×1, any vectors that move
constant m_i : 1×1, any numbers
letter X_i : 6×1, any screws
letter none : 3×1, zero
letter f : 1×1, what grows along coordinates
define S_i := m_i A x_i | a sum's summand
"""

TRUE = """\
# Rates
(1) of a product
    (A B)' = A' B + A B'
(2) of an inverse
    (A^-1)' = -A^-1 A' A^-1
(3) of a letter that is an equation
    S'_i = m_i A' x_i + m_i A x'_i
    Σ_j S_j = Σ_j m_j A x_j for i ∈ body
# Products
(4) of vectors
    ~x_i y = x_i × y = -(y × x_i)
    x_i^T (y × x_i) = 0
(5) of screws
    [X_i, X_j] = ad(X_i) X_j
    [X_i, X_i] = 0
(6) blocks
    [A, y; 0, 1] [x_i; 1] = [A x_i + y; 1]
    [A; B][4:6, 1:2] = B[1:3, 1:2]
(7) sums with conditions
    Σ_j m_j = Σ_{j: j<i} m_j + m_i
    {i=2} m_i = {i≠1, i≠3} m_i
(8) powers and quotients
    (~y)^2 y / m_i = zeros(3, 1)
    A^2 - B^2 = (A - B) (A + B) - A B + B A
(9) with letters of its own
    v_i = 2 m_i A x_i + y where v_i := S_i + S_i + y
(10) transposes
    (A B)^T = B^T A^T
    tr(A B) = tr(B A)
"""


@dataclass
class Series:
    terms: list[sp.Matrix]


class Drawn(World):
    """Any exact numbers."""

    def __init__(self, seed: str) -> None:
        draw = random.Random(seed)

        def series(rows: int, cols: int) -> Series:
            def number(*_: int) -> sp.Rational:
                return sp.Rational(draw.randint(-9, 9), draw.randint(1, 5)) + 11

            return Series([sp.Matrix(rows, cols, number) for _ in range(4)])

        @cache
        def of(i: int, rows: int) -> Series:
            return series(rows, 1)

        A, B, y = series(3, 3), series(3, 3), series(3, 1)
        self.sets = {"body": lambda: (1, 2, 3), "below": lambda i: range(1, i + 1)}
        self.letters = {
            "A": lambda: A,
            "B": lambda: B,
            "y": lambda: y,
            "x_i": lambda i: of(i, 3),
            "X_i": lambda i: of(i, 6),
            "m_i": lambda i: of(i, 1).terms[0],
            "none": lambda: sp.zeros(3, 1),
        }


@cache
def drawn(seed: str) -> World:
    return Drawn(seed)


def paper(entries: str = TRUE, head: str = HEAD) -> Paper:
    return read(head + entries, "short.eq")


def verdict(lines: str) -> tuple[str, str]:
    """Of an entry with these lines."""
    found = paper("(1) an entry\n" + "".join(f"    {line}\n" for line in lines.split("\n")))
    result = Ledger(found, drawn).entries[0].verdict
    return result.status, result.why


# Reading


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("A = (B", "short.eq:13:11: expected ')', found the end"),
        ("A = ", "short.eq:13:8: expected a factor, found the end"),
        ("A", "short.eq:13:5: an equation is left = right"),
        ("A = Ab", "short.eq:13:9: there is no letter Ab (did you mean A?)"),
        ("y = x_ik", "short.eq:13:9: there is no letter x_ik"),
        ("A = [A, B, A]", "short.eq:13:9: [a, b] is the screw product"),
        ("A = A^9", "short.eq:13:11: a power is whole, from 1 to 8"),
        ("A = A^-1000", "short.eq:13:11: a power is whole, from 1 to 8, or -1"),
        ("A = 2 A where i := 1", "short.eq:13:19: i is defined and then not named; an index is"),
        ("A = {i} A", "short.eq:13:10: 'i' is no condition"),
        ("A = Σ_w A", "short.eq:13:11: 'w' is no index"),
        ("A = A B]", "short.eq:13:12: did not expect ']'"),
        ("A = " + "(" * 80 + "A" + ")" * 80, "nested more than 60 deep"),
        ("A = " + "~" * 80 + "y", "nested more than 60 deep"),
        ("A = " + "A + " * 1100 + "A", "an equation has up to 4000 characters"),
        ("! A = B", "(1) states nothing"),
        ("A = A", "short.eq:13:5: it says nothing: both sides are the same text"),
        ("1 + 1 = 2", "short.eq:13:5: it says nothing: it names no letter"),
        ("A = A + 0 A\n! A = B", "(1) has a print that differs, and no correction"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(line: str, said: str) -> None:
    with pytest.raises(EquationError) as caught:
        verdict(line)
    assert said in str(caught.value)
    assert isinstance(caught.value, UsageError)


def test_a_letter_means_one_thing() -> None:
    """Two readings are refused when the file is read, and both lines are named."""
    with pytest.raises(EquationError, match=r"short.eq:12:1: x_j and x_i of line 6 cannot be told"):
        paper("letter x_j : another thing\n")
    with pytest.raises(EquationError, match="cannot be told apart"):
        paper("letter T_1i, T_j2 : T_12 would be both\n")
    special = paper("letter x_2 : 3×1, a literal index comes before one that runs\n")
    node = expression("x_2", special.indices, ("text", 1, 1))
    found = special.letters.find(node, (2,))
    assert found is not None
    assert found.name == "x_2"


@pytest.mark.parametrize(
    ("ascii_", "unicode"),
    [
        ("sum_j x_j", "Σ_j x_j"),
        ("sum_{j: j<=i} x_j", "Σ_{j: j≤i} x_j"),
        ("sum_{j in below(i)} x_j", "Σ_{j∈below(i)} x_j"),
        ("cross(y, x_i)", "y × x_i"),
        ("xi_i omega", "ξ_i ω"),
        ("{i != 1} x_i", "{i ≠ 1} x_i"),
        ("d_i(f)", "∂_i(f)"),
    ],
)
def test_every_sign_has_a_spelling_in_ascii(ascii_: str, unicode: str) -> None:
    indices = paper("").indices

    def tree(x: object) -> object:
        if isinstance(x, Node):
            return x.op, tree(x.args)
        if isinstance(x, tuple | list):
            return [tree(y) for y in x]
        return {k: str(v) for k, v in x.items()} if isinstance(x, dict) else str(x)

    one, other = (expression(x, indices, ("text", 1, 1)) for x in (ascii_, unicode))
    assert tree(one) == tree(other)


# Judging


def test_what_is_true_holds() -> None:
    found = paper()
    ledger = Ledger(found, drawn)
    verdicts = {entry.number: entry.verdict.sentence() for entry in ledger.entries}
    assert verdicts == dict.fromkeys(verdicts, "the print holds")
    assert len(verdicts) == 10


@pytest.mark.parametrize(
    ("lines", "status", "why"),
    [
        ("A B = B A", "fails", "line 13 differs in 2 of 2: at one: left"),
        ("A B = (B^T A^T)^T\n! A B = B A | the order", "equals", ""),
        (
            "A = (A + B) - B\n! A + B = B + A | nothing",
            "fails",
            "the print holds in spite of the correction",
        ),
        ("A = (A + B) - B\n! A = A y | a factor too much", "differs", ""),
        ("A = (A + B) - B\n! A = [A, A; A, A]^-1 | no inverse", "differs", ""),
        ("y = y + none", "fails", "term 2 of side 2 is zero in every case"),
        ("none = 1 none", "fails", "is zero in every case"),
        ("none = 0", "equals", ""),
        ("none = 0 y", "fails", "is zero in every case"),
        ("y = A (A^-1 y + none)", "fails", "term 2 of the sum at column 12 is zero in every case"),
        ("x_i + Σ_{j: j<i, i=5} x_j = x_i", "fails", "term 2 of side 1 is zero in every case"),
    ],
)
def test_verdicts(lines: str, status: str, why: str) -> None:
    if status == "equals" and "!" in lines:
        status = "differs"
    found = verdict(lines)
    assert found[0] == status
    assert why in found[1]


def test_numbers_that_differ_have_the_digits_that_tell_them_apart() -> None:
    third = Fraction(1, 3)
    assert apart(third, 2 * third) == ("0.333333", "0.666667")
    assert apart(third, third + Fraction(1, 10**8)) == ("0.333333333333", "0.333333343333")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("A = A y", "short.eq:13:9: left is 3 × 3 and right 3 × 1"),
        ("A + y = A", "13:5: a 3 × 3 and a 3 × 1 matrix cannot be added"),
        ("A A[1:2,1:2] = A", "13:5: a 3 × 3 and a 2 × 2 matrix do not fit together"),
        ("[A; A]^-1 = A", "13:11: inv: has no inverse"),
        ("hat(y) = A", "13:5: hat: takes 6 × 1, not 3 × 1"),
        ("A[4,1] = 1", "13:6: [4:4] is not within 3 × 3"),
        ("X_i'''' = X_i", "X_1 is not known to so high a rate"),
        ("none' = y", "the rate of none is not known here"),
        ("x_4 = y", "no value"),
        ("f = 1", "there is no f at this instant"),
        ("x_i = y for i < 1", "there is no case at one"),
        ("∂_i(f) = 1", "there are no coordinates here"),
        ("x_i = y for i < z", "there is no order of 1 and 'z' at this instant"),
        ("x_i = Σ_{j∈body(i)} x_j", "there is no set body(1) at this instant"),
        ("row(A, m_i) = A", "row: takes parts of one height, not 3 × 3, 1 × 1"),
    ],
)
def test_a_right_line_without_a_value_is_an_error(line: str, said: str) -> None:
    if said == "no value":
        assert verdict(line)[0] == "fails"
        return
    with pytest.raises(EquationError) as caught:
        verdict(line)
    assert said in str(caught.value)


def test_a_declared_shape_is_checked_where_a_letter_is_used() -> None:
    found = paper("(1) a shape\n    y = 1 y\n", HEAD.replace("x_i, y : 3×1", "x_i, y : 6×n"))
    with pytest.raises(NoValueError, match="y is 3 × 1, declared 6 × n"):
        _ = Ledger(found, drawn).entries[0].verdict


def test_planted_errors_are_noticed() -> None:
    """Of signs, transpositions, rates and numbers at least 99 of 100."""
    found = paper()
    worlds = [(name, drawn(name)) for name in found.instants]
    alive, count = [], 0
    for entry in found.entries:
        for line in entry.right:
            assert line.states
            for changed, what, node in equation_mutants(line.states):
                count += 1
                try:
                    noticed = compare(changed, found, worlds).failing > 0
                except EquationError:
                    noticed = True
                if not noticed:
                    alive.append((entry.number, what, node.at))
    assert count > 35
    # [X, X] = 0 and x · (y × x) = 0 hold with any sign.
    assert len(alive) <= count / 100, alive


def test_claims_of_readers() -> None:
    ledger = Ledger(paper(), drawn)
    assert ledger.claim("S'_i = m_i*(A*x_i)'").sentence() == "holds exactly in 6 cases"
    assert ledger.claim("2 S_2 = m_2 A x_2 + S_2", ["one"]).sentence() == "holds exactly in 1 case"
    assert ledger.claim("1 = 1").sentence() == "says nothing: it names no letter"
    assert ledger.claim("y = y").sentence() == "says nothing: both sides are the same text"
    close = ledger.claim("y = y (1 + 1/1000000000000000)")
    left, right = re.findall(r"(?:left|right) (\S+?),? ", close.sentence())
    assert left != right
    failing = ledger.claim("A B = B A")
    assert not failing.ok
    assert failing.sentence().startswith("fails in 2 of 2: at one: left")
    assert ledger.claim("0 y = 0 y").sentence().startswith("says nothing: ")


@pytest.mark.parametrize(
    "text",
    ["y - y = 0", "0 y = 0", "y = 2 y - y", "(A B)' = A' B + A B'", "x_i = v_i where v_i := 1 x_i"],
)
def test_a_claim_that_any_values_bear_out_says_nothing(text: str) -> None:
    found = Ledger(paper(), drawn).claim(text)
    assert not found.ok
    assert found.sentence() == "says nothing: it holds whatever its letters mean"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A = Q", "claim:1:5: there is no letter Q"),
        ("x_{k+1} = x_i", "claim:1:1: in k+1 the index 'k' is no number to count from"),
        ("x_{ip+1} = x_i", "claim:1:1: in ip+1 the index 'ip' is no number to count from"),
        ("y = v where v := v", "claim:1:18: v is defined by itself"),
        ("y = v where v := w, w := v", "claim:1:26: v is defined by itself"),
        ("y = v_1 where v_i := v_{i+1}", "claim:1:1: it is nested too deeply"),
        ("A = A" + "^T" * 1500, "claim:1:1: it is nested too deeply"),
        ("T_{11} = T_11", "claim:1:1: T_11 has other indices: in braces commas part them"),
    ],
)
def test_what_a_claim_cannot_say_is_told(text: str, said: str) -> None:
    ledger = Ledger(paper(head=HEAD + "letter T_11 : 1×1, a block\n"), drawn)
    with pytest.raises(EquationError, match=re.escape(said)):
        ledger.claim(text)


# Showing


@pytest.mark.parametrize(
    ("line", "text", "latex"),
    [
        ("(A B)' = A' B", "(Ā B)˙ = Ā̇ B", r"\dot{\left(\bar{A} B\right)} = \dot{\bar{A}} B"),
        ("A^T y / m_i = x_i", "Āᵀ y/m_i = x_i", r"\frac{{\bar{A}}^{T} y}{{m}_{i}} = {x}_{i}"),
        ("Σ_{j: j<i} x_j = -y", "Σ_{j: j<i} x_j = −y", r"\sum_{j:\ j<i} {x}_{j} = -y"),
        ("A (B + A) = [A; B]", "Ā (B + Ā) = [Ā; B]", None),
        ("{i=2} ad(X_i) = ~y", "{i=2} ad_{X_i} = ~y", None),
        ("(y × x_i) × y = x_i", "(y × x_i) × y = x_i", None),
        ("y × (y × x_i) = x_i", "y × (y × x_i) = x_i", None),
    ],
)
def test_what_is_judged_is_shown(line: str, text: str, latex: str | None) -> None:
    found = paper(f"(1) an entry\n    {line}\n")
    shown = statement(found, found.entries[0].right[0])
    assert alphabets.text(shown) == text
    if latex:
        assert alphabets.latex(shown) == latex
    assert alphabets.mathml(shown).startswith("<mrow>")


@pytest.mark.parametrize(("name", "rate"), [("⁰X", "⁰Ẋ"), ("∂c", "∂ċ"), ("δu", "δu̇"), ("X", "Ẋ")])
def test_a_dot_stands_above_the_letter_itself(name: str, rate: str) -> None:
    assert alphabets.text(Box("dots", "˙", (Box("id", name),))) == normalize("NFD", rate)


# Exact matrices


def test_matrices_are_those_of_sympy() -> None:
    draw = random.Random(3)

    def matrix(rows: int, cols: int) -> sp.Matrix:
        return sp.Matrix(
            rows, cols, lambda *_: sp.Rational(draw.randint(-9, 9), draw.randint(1, 9))
        )

    for n in range(1, 6):
        a, b, c = matrix(n, n), matrix(n, n), matrix(n, 2)
        A, B, C = map(Mat.of, (a, b, c))
        assert Mat.of(a + b) == A + B
        assert Mat.of(a - b) == A - B
        assert Mat.of(a * c) == A @ C
        assert Mat.of(a.T) == A.T
        assert A.inv() == Mat.of(a.inv())
        assert A.solve(C) == Mat.of(a.LUsolve(c))
        assert A.det() == Fraction(str(a.det()))
        assert hcat([A, C]) == Mat.of(a.row_join(c))
        assert vcat([C, C]) == Mat.of(c.col_join(c))
        assert diag([A, C]) == Mat.of(sp.diag(a, c))
        assert A.times(Fraction(2, 3)) == Mat.of(a * sp.Rational(2, 3))
        thin = matrix(n, 1) * matrix(1, n)
        assert Mat.of(thin).rank() == thin.rank()
        assert n == 1 or Mat.of(thin).inv() is None
        assert Mat.of(a * a.T).positive()
        assert not Mat.of(-a * a.T).positive()
