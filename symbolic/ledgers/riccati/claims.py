"""What the Riccati paper's results claim of the example, beside its true motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import sympy as sp

from ...derivation.derivation import Derivation
from ...derivation.results import Result
from ...exact.evaluation import Points
from ...exact.ledger import Sides
from ...exact.points import circle_point
from ...plans.elements import angle, spin
from ..deduction.matrices import Matrices
from ..deduction.system import Plan, System
from .truth import Moving

#: Where z_a = (m, q) and z_b = (r̈, Ω̇) are in a planar state, and where each block of (4) is.
Z_A, Z_B = [3, 4, 5], [0, 1, 2]
BLOCKS = ([0, 1], [2], [3], [4, 5], [6])

#: How the symbols of a state's entries begin.
STATE = ("ddx", "ddy", "dOmega", "mz", "qx", "qy")

#: A body in space with two inputs, pinned, with two others on it.
BRANCH = Plan(3, ("1 ball 0 1", "2 revolute 1 2", "3 revolute 1 3"), (2, 3))


class Example:
    """The example at exact rational values of its symbols, and in its true motion."""

    def __init__(self, derived: Derivation, seed: int) -> None:
        self.derived = derived
        chosen, model = derived.plan, derived.model
        gens = {sp.Symbol(name, real=True) for name in model.parameters}
        for body in model.bodies:
            gens |= {sp.sin(angle(body.name)), sp.cos(angle(body.name)), *spin(model, body.name)}
        self.values: dict[sp.Expr, sp.Expr] = dict(circle_point(gens, seed))
        outputs = [link.name for link in chosen.links]
        self.smooth = Moving(chosen, self.values, ())
        self.rough = Moving(chosen, self.values, outputs, pushed=True)
        # With couples where hinges pass them on: they ask for none at the next body's output.
        self.stiff = Moving(chosen, self.values, ["3"])
        self.branched = Moving(chosen, self.values, ["1", "5"])
        self.seed = seed
        for name in ("1", "5", "7"):
            names = (sp.Symbol(f"{letter}{name}O", real=True) for letter in STATE)
            self.values |= dict(zip(names, self.smooth.state(name, "O"), strict=False))

    def at(self, matrix: sp.Matrix) -> sp.Matrix:
        """The values of a matrix; what is not of the example has some, letters stay letters."""
        functions = matrix.atoms(sp.sin, sp.cos)
        inside = {symbol for function in functions for symbol in function.free_symbols}
        others = {x for x in matrix.free_symbols - inside if x.is_commutative} - set(self.values)
        return sp.Matrix(matrix.xreplace(self.values | circle_point(others, self.seed))).expand()

    def found(self, symbol: str, given: Result | None = None) -> sp.Matrix:
        """A result's matrix: the one that is given, or the derivation's in the same form."""
        if given and given.symbol == symbol:
            return given.matrix
        form = given.form if given and given.form != "both" else None
        return self.derived.find(symbol, form=form).matrix

    def of(self, symbol: str, given: Result | None = None) -> sp.Matrix:
        """Its values."""
        return self.at(self.found(symbol, given))

    def joined(self, z_I1: sp.Matrix, z_I2: sp.Matrix) -> sp.Matrix:
        """The comprehensive input state (6) of body 7."""
        return sp.Matrix([*z_I1[:6], *z_I2[3:6], 1])

    @cached_property
    def branch(self) -> System:
        return System(BRANCH, self.seed)

    @cached_property
    def letters(self) -> dict[str, sp.Matrix]:
        """What (18)–(33) speak of, for elements whose matrices are any: all terms are there."""
        draw = Points(self.seed)

        def matrix(rows: int, columns: int) -> sp.Matrix:
            return sp.Matrix(rows, columns, lambda *_: draw.number())

        known = {f"U_{k}": matrix(6, 7).col_join(sp.eye(7)[6, :]) for k in (1, 2, 3)}
        U = known["U_1"]
        known |= {f"T{i}{j}": U.extract(a, b) for i, a in PARTS for j, b in PARTS}
        known |= {"f_a": U[Z_A, 6], "f_b": U[Z_B, 6], "S_i": matrix(3, 3), "e_i": matrix(3, 1)}
        known["z_bI"] = matrix(3, 1)
        known["z_aI"] = known["S_i"] * known["z_bI"] + known["e_i"]
        z_I = known["z_1"] = sp.Matrix([*known["z_bI"], *known["z_aI"], 1])
        z_O = U * z_I
        known |= {"z_aO": z_O[Z_A, :], "z_bO": z_O[Z_B, :], "z_bnext": z_O[Z_B, :]}
        known["z_3"] = known["U_3"] * known["U_2"] * z_O
        known |= {"S_last": known["S_i"], "e_last": known["e_i"], "z_broot": known["z_bI"]}
        known["P_i"] = (known["T21"] * known["S_i"] + known["T22"]).inv()
        known["q_i"] = -(known["T21"] * known["e_i"] + known["f_b"])
        for i, rows in enumerate(BLOCKS, start=1):
            known |= {f"u_{i}{j}": U.extract(rows, c) for j, c in enumerate(BLOCKS, start=1)}
        return known

    def filled(self, expression: sp.Expr) -> sp.Matrix:
        """A sum of products of letters, with their values."""
        if expression.is_Add:
            first, *rest = map(self.filled, expression.args)
            return sum(rest, first)
        if expression.is_Mul:
            first, *rest = map(self.filled, expression.args)
            for factor in rest:
                first = first * factor
            return first
        if expression.is_Pow:
            return self.filled(expression.base) ** expression.exp
        return self.letters[expression.name] if expression.is_Symbol else expression


PARTS = ((1, Z_A), (2, Z_B))

Claim = Callable[[Example, Result], Sides]


def is_true(side: Callable[[Example], sp.Matrix]) -> Claim:
    """The result is this of the true motion."""

    def claim(at: Example, result: Result) -> Sides:
        yield at.at(result.matrix), side(at)

    return claim


def leads(start: Callable[[Example], sp.Matrix], end: Callable[[Example], sp.Matrix]) -> Claim:
    """The result leads from this of the true motion to that."""

    def claim(at: Example, result: Result) -> Sides:
        yield end(at), at.at(result.matrix) * start(at)

    return claim


def state(body: str, end: str, rows: list[int] | None = None) -> Callable[[Example], sp.Matrix]:
    """z of an end in the smooth motion, or some of its entries."""
    return lambda at: at.smooth.state(body, end)[rows or list(range(7)), :]


def rod(name: str) -> Claim:
    """z_O = U z_I of a rod, in the rough motion."""
    return leads(lambda at: at.rough.state(name, "I"), lambda at: at.rough.state(name, "O"))


def coefficients(S: str, e: str, body: str, end: str) -> dict[str, Claim]:
    """z_a = S z_b + e at an end, for S and for e."""

    def claim(at: Example, result: Result) -> Sides:
        z = at.smooth.state(body, end)
        yield z[Z_A, :], at.of(S, result) * z[Z_B, :] + at.of(e, result)

    return {S: claim, e: claim}


def tip(body: str, end: str) -> Claim:
    """z from (r̈, Ω̇, 1)."""
    return leads(state(body, end, [*Z_B, 6]), state(body, end))


def inputs_7(at: Example) -> sp.Matrix:
    return at.joined(at.branched.state("7", "I1"), at.branched.state("7", "I2"))


def rearranged(at: Example, result: Result) -> Sides:
    z_I, z_O = at.rough.state("1", "I"), at.rough.state("1", "O")
    yield z_O[[*Z_A, *Z_B], :], at.at(result.matrix) * z_I[[*Z_A, *Z_B, 6], :]


def rod_7(at: Example, result: Result) -> Sides:
    inputs = at.joined(at.rough.state("7", "I1"), at.rough.state("7", "I2"))
    yield at.rough.state("7", "O"), at.at(result.matrix) * inputs


def eight(at: Example, result: Result) -> Sides:
    """(51), its symbols being those of the smooth motion."""
    ends = (at.smooth.state("7", end) for end in ("I1", "I2"))
    yield at.joined(*ends), at.at(result.matrix)


def together(letter: str, end: Callable[[Example], sp.Matrix]) -> dict[str, Claim]:
    """What both chains contribute."""

    def claim(at: Example, result: Result) -> Sides:
        ends = at.branched.state("1", "O"), at.branched.state("5", "O")
        first, second = (at.of(f"{letter}{k}", result) * z for k, z in enumerate(ends, start=1))
        yield end(at), first, second

    return {f"{letter}{k}": claim for k in (1, 2)}


def geometric(at: Example, result: Result) -> Sides:
    """Accelerations and moment of the second input; from the first one's, where it is smooth."""
    z = at.rough.state("5", "O")
    yield z[[0, 1, 3], :], at.of("H_rm", result) * z
    inputs = at.joined(at.rough.state("7", "I1"), at.rough.state("7", "I2"))
    yield sp.Matrix([*z[:2, :], 0]), at.of("H_O1_I2", result) * inputs


def whole(at: Example, result: Result) -> Sides:
    product = at.at(result.matrix) * at.of("zall")
    yield product, 0 * product


def reduced(at: Example, result: Result) -> Sides:
    matrix, right = at.of("Ubar", result), at.of("b", result)
    yield matrix * at.of("zbar"), right


def rank(at: Example, result: Result) -> Sides:
    yield at.at(result.matrix), sp.Matrix([at.of("Ubar", result).rank()])


def lettered(side: str, times: str = "") -> Claim:
    """An equation of letters: the result, times a letter, is this."""

    def claim(at: Example, result: Result) -> Sides:
        found = sp.Matrix.vstack(*(at.filled(x) for x in result.matrix))
        if times:
            found = found * at.letters[times]
        yield at.letters[side], found

    return claim


def split(at: Example, result: Result) -> Sides:
    """(20): from both parts of the input state to both of the output's."""
    T, f = at.found("T", result), at.found("f", result)
    inputs, outputs = (
        [z[rows, :] for rows in (BLOCKS[2], BLOCKS[3], BLOCKS[0], BLOCKS[1])]
        for z in (at.letters["z_1"], at.letters["U_1"] * at.letters["z_1"])
    )
    for row, output in enumerate(outputs):
        terms = [at.filled(T[row, k]) * z for k, z in enumerate(inputs)]
        yield output, sum(terms, at.filled(f[row]))


def backwards(at: Example, result: Result) -> Sides:
    for found, name in zip(result.matrix, ("z_bI", "z_aI"), strict=True):
        yield at.letters[name], at.filled(found)


def step(at: Example, result: Result) -> Sides:
    """(24): z_b,I = P (z_b,O + q)."""
    P, q = (at.filled(at.found(name, result)[0]) for name in ("P_i", "q_i"))
    yield at.letters["z_bI"], P * at.letters["z_bO"], P * q


def passed(at: Example, result: Result) -> Sides:
    """(29), (30): z_a,O = S z_b,O + e."""
    S, e = (at.filled(at.found(name, result)[0]) for name in ("S_next", "e_next"))
    yield at.letters["z_aO"], S * at.letters["z_bO"], e


def free_tip(at: Example, result: Result) -> Sides:
    """(34): z_a = S₁ z_b + e₁ at a tip."""
    z = at.smooth.state("1", "I")
    yield z[Z_A, :], at.of("S1", result) * z[Z_B, :] + at.of("e1", result)


# In space


def miso(at: Example) -> tuple[sp.Matrix, sp.Matrix]:
    """Comprehensive input state and output state of a body with two inputs (6), (7)."""
    element = Matrices(at.branch).elements["1"]
    parts = [at.branch.input(element, k)[:12, :] for k in (1, 2)]
    z_I = sp.Matrix([*parts[0], *parts[1][6:, :], 1])
    return z_I, sp.Matrix([*at.branch.output(element)[:12, :], 1])


def in_space(at: Example, matrix: sp.Matrix) -> sp.Matrix:
    """A generic body's matrix with the data of that body."""
    of = Matrices(at.branch)
    return sp.Matrix(matrix.xreplace(of.data(of.elements["1"])))


def comprehensive(at: Example, result: Result) -> Sides:
    """By the names of its entries: those of I1, then m and q of I2."""
    z_I, _ = miso(at)
    named: dict[sp.Expr, sp.Expr] = {}
    for k, start in ((1, 0), (2, 12)):
        kinds = ("ddr", "dOmega", "m", "q")[0 if k == 1 else 2 :]
        names = [f"{kind}I{k}_{axis}" for kind in kinds for axis in "xyz"]
        named |= {sp.Symbol(x, real=True): z_I[start + n] for n, x in enumerate(names)}
    yield z_I, sp.Matrix(result.matrix.xreplace(named))


def body_in_space(at: Example, result: Result) -> Sides:
    z_I, z_O = miso(at)
    yield z_O, in_space(at, result.matrix) * z_I


def second_input(at: Example, result: Result) -> Sides:
    """(16): r̈ of the second input, and no moment."""
    z_I, _ = miso(at)
    element = Matrices(at.branch).elements["1"]
    there = at.branch.input(element, 2)[:3, :]
    yield sp.Matrix.vstack(there, sp.zeros(3, 1)), in_space(at, result.matrix) * z_I


CLAIMS: Mapping[str, Claim] = {
    "z_miso": comprehensive,
    "U_miso": body_in_space,
    "H": second_input,
    "chain": lettered("z_3"),
    "U_chain": lettered("z_3", times="z_1"),
    "T": split,
    "f": split,
    "z_aI": lettered("z_aI"),
    "z_bO": lettered("z_bO"),
    "z_bI_solved": lettered("z_bI"),
    "P_i": step,
    "q_i": step,
    "z_bI": lettered("z_bI"),
    **dict.fromkeys(("z_aO_inserted", "z_aO", "z_aI_next", "z_aO_next"), lettered("z_aO")),
    "z_aO_root": lettered("z_aI"),
    "S_next": passed,
    "e_next": passed,
    "z_back": backwards,
    "S1": free_tip,
    "e1": free_tip,
    "U1": rod("1"),
    "U3": rod("3"),
    "U5": rod("5"),
    "U1_rearranged": rearranged,
    **coefficients("S2", "e2", "1", "O"),
    "zaO1": is_true(state("1", "O", Z_A)),
    "z1O": is_true(state("1", "O")),
    "Utip1": tip("1", "O"),
    "U4": leads(lambda at: at.stiff.state("3", "O"), lambda at: at.stiff.state("5", "I")),
    **coefficients("S3", "e3", "5", "I"),
    **coefficients("S4", "e4", "5", "O"),
    "Utip2": tip("5", "O"),
    "U7": rod_7,
    "z7O": is_true(state("7", "O")),
    "z8O": eight,
    **together("Uhat8_I", inputs_7),
    **together("main", lambda at: at.branched.state("7", "O")),
    "H_rm": geometric,
    "H_O1_I2": geometric,
    "Uall": whole,
    "Ubar": reduced,
    "b": reduced,
    "rank": rank,
    "za1O": is_true(state("1", "O", Z_A)),
    "zb1I": is_true(state("1", "I", Z_B)),
}
