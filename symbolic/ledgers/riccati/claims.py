"""What the Riccati paper's results claim of the example, beside its true motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy as sp

from ...derivation.results import Result
from ...exact.evaluation import Points
from ...exact.ledger import Sides
from .example import BLOCKS, Z_A, Z_B, Example, filled, total
from .in_space import SPACE

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


def blocks_of_rod(at: Example, result: Result) -> Sides:
    """(38): z_O from z_I by the blocks of rod 1, in the rough motion."""
    yield from _split(at, result, "", at.rough.state("1", "I"), at.rough.state("1", "O"))


def blocks_of_hinge(at: Example, result: Result) -> Sides:
    """(45), as for hinge 4's matrix: where rod 5's output is smooth."""
    yield from _split(at, result, "_4", at.stiff.state("3", "O"), at.stiff.state("5", "I"))


def _split(at: Example, result: Result, mark: str, z_I: sp.Matrix, z_O: sp.Matrix) -> Sides:
    known = {x: at.of(f"{x}{mark}", result) for x in ("T11", "T12", "T21", "T22", "fa", "fb")}
    a, b = z_I[Z_A, :], z_I[Z_B, :]
    yield z_O[Z_A, :], known["T11"] * a + known["T12"] * b + known["fa"]
    yield z_O[Z_B, :], known["T21"] * a + known["T22"] * b + known["fb"]


def geometric_of_both(at: Example, result: Result) -> Sides:
    """(54) with both chains' ends: nothing is left, but the couple of the second one."""
    z = [at.branched.state(name, "O") for name in ("1", "5")]
    terms = (at.of(f"geo{k}", result) * state for k, state in enumerate(z, start=1))
    yield sp.Matrix([0, 0, -z[1][3]]), *terms


def moment_free(at: Example, result: Result) -> Sides:
    """(10): r̈, m, q and 1 pass, and the outboard body's output then carries no moment."""
    x = at.letters
    z_I = [x["z_1"][rows, :] for rows in BLOCKS]
    z_O = [_applied(row, z_I, x) for row in _rows(result.matrix)]
    for k in (0, 2, 3, 4):
        yield z_O[k], z_I[k]
    yield -x["u_32"] * z_O[1], *(x[f"u_3{k + 1}"] * z_O[k] for k in (0, 2, 3, 4))


def multi_hinge(at: Example, result: Result) -> Sides:
    """(11)–(13) with L = 2: what enters passes, and the outboard body's output is moment-free."""
    draw = Points(at.seed + 3)
    sizes = {"r": 2, "Omega": 1, "m": 1, "q": 2}
    x = {f"{name}_{k}": draw.vector(size) for k in (1, 2) for name, size in sizes.items()}
    x["one"] = sp.eye(1)
    passed = [x[name] for name in ("r_1", "m_1", "q_1", "m_2", "q_2", "one")]
    widths = (2, 1, 1, 2, 1, 2, 1)
    x |= {f"u_3{k}": draw.vector(n).T for k, n in enumerate(widths, start=1)}
    if result.symbol == "Uhat_sum":
        found = [filled(e, x) for e in result.matrix]
    else:
        ends = [[*(x[f"{name}_{k}"] for name in sizes), x["one"]] for k in (1, 2)]
        pairs = zip(
            _rows(at.found("Uhat_I1", result)), _rows(at.found("Uhat_Ik", result)), strict=True
        )
        found = [_applied([*one, *two], [*ends[0], *ends[1]], x) for one, two in pairs]
    yield from zip([found[0], *found[2:]], passed, strict=True)
    rest = (x[f"u_3{k + 1}"] * found[k] for k in (0, 2, 3, 4, 5, 6))
    yield -x["u_32"] * found[1], *rest


def _rows(matrix: sp.Matrix) -> list[list[sp.Expr]]:
    return [list(matrix[i, :]) for i in range(matrix.rows)]


def _applied(
    row: list[sp.Expr], state: list[sp.Matrix], letters: Mapping[str, sp.Matrix]
) -> sp.Matrix:
    """A row of blocks times a state."""
    blocks = zip(row, state, strict=True)
    return total(filled(e, letters) * z for e, z in blocks if e != 0)


CLAIMS: Mapping[str, Claim] = {
    **SPACE,
    "U_hinge": moment_free,
    **dict.fromkeys(("Uhat_sum", "Uhat_I1", "Uhat_Ik"), multi_hinge),
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
    **dict.fromkeys(("T11", "T12", "T21", "T22", "fa", "fb"), blocks_of_rod),
    **dict.fromkeys(("T11_4", "T12_4", "T21_4", "T22_4", "fa_4", "fb_4"), blocks_of_hinge),
    **dict.fromkeys(("geo1", "geo2"), geometric_of_both),
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
