"""Whether what a paper's file states is so: at every instant, in every case, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, Literal

from .blocks import total
from .indices import own_sets
from .matrices import Mat, Terms, neg
from .paper import Entry, Paper, Statement
from .tokens import EquationError, MissingError, NoValueError
from .trees import Equation, Node, walk
from .values import Evaluator, Values
from .worlds import World

#: The print holds; it fails where the corrected equation holds; our copy of the paper lacks the
#: display; the paper does not print it; it only names something; or what is said here is wrong.
Status = Literal["equals", "differs", "absent", "own", "defines", "see", "open", "fails"]

#: How a verdict reads.
SENTENCES: Mapping[Status, str] = {
    "equals": "the print holds",
    "differs": "the print fails; it holds once corrected",
    "absent": "our copy of the paper lacks this display; what is derived holds",
    "own": "not printed in the paper; it holds",
    "defines": "a definition",
    "see": "judged under another number",
    "open": "not judged",
    "fails": "what the ledger says of it is wrong",
}

#: The worlds of a paper by their instants' names.
Worlds = Callable[[str], World]


@dataclass(frozen=True)
class Verdict:
    """What a comparison came to, of how many pairs of sides; of a print, how many of them fail."""

    status: Status
    compared: int = 0
    failing: int = 0
    why: str = ""

    def sentence(self) -> str:
        """The verdict in words."""
        return f"{SENTENCES[self.status]}{f': {self.why}' if self.why else ''}"


@dataclass
class Comparison:
    """How many pairs were compared, how many differ, the first of them, terms always zero.

    `at`: where; `absent`: of the other instants, what they do not have.
    """

    count: int = 0
    failing: int = 0
    why: str = ""
    empty: list[str] = field(default_factory=list)
    at: list[str] = field(default_factory=list)
    absent: list[MissingError] = field(default_factory=list)


def judge(entry: Entry, paper: Paper, worlds: Worlds) -> Verdict:
    """An entry's verdict.

    Right lines hold in every case, and each term of theirs is other than zero in some; a print that
    differs fails in some case, be it because its shapes do not fit.

    Raises
        EquationError: a line has no value, which only a print may lack.
    """
    if entry.kind in ("see", "open") or not entry.right:
        return Verdict({"see": "see", "open": "open"}.get(entry.kind, "defines"))  # type: ignore[arg-type]
    count = failing = 0
    for line in entry.right:
        found = _compared(line, entry, paper, worlds)
        count += found.count
        where = f"line {line.at[1]}"
        if found.failing:
            said = f"{where} differs in {found.failing} of {found.count}: {found.why}"
            return Verdict("fails", count, found.failing, said)
        if found.empty:
            said = f"{where}: {', '.join(found.empty)} is zero in every case"
            return Verdict("fails", count, why=said)
    for line in entry.printed:
        try:
            bad = _compared(line, entry, paper, worlds, printed=True).failing
        except NoValueError:
            bad = 1
        if not bad:
            said = f"line {line.at[1]}: the print holds in spite of the correction"
            return Verdict("fails", count, why=said)
        failing += bad
    status: Status = "own" if entry.kind == "own" else "equals"
    if entry.absent:
        status = "absent"
    return Verdict("differs" if entry.printed else status, count, failing)


def _compared(
    line: Statement, entry: Entry, paper: Paper, worlds: Worlds, printed: bool = False
) -> Comparison:
    instants = [(name, worlds(name)) for name in entry.instants]
    if line.states:
        return compare(line.states, paper, instants)
    (name,) = entry.by
    found = Comparison()
    for where, world in instants:
        for left, *right in world.checks[name](printed):
            found.count += 1
            if why := difference(Mat.of(left), _summed(right), None):
                found.failing += 1
                found.why = found.why or f"at {where}: {why}"
    return found


def _summed(terms: Sequence[Any]) -> Mat:
    found = Mat.of(terms[0])
    for term in terms[1:]:
        found = found + Mat.of(term)
    return found


def compare(
    states: Equation,
    paper: Paper,
    instants: Iterable[tuple[str, World]],
    values: type[Evaluator] = Evaluator,
    *,
    where_known: bool = False,
) -> Comparison:
    """Both sides of every pair, for all values of the indices, at all instants.

    `where_known` leaves out the instants that lack a letter or a set of the equation.

    Raises
        EquationError: a side has no value, or there is no case at an instant.
    """
    found, inner = Comparison(), dict[int, bool]()
    outer: dict[tuple[int, int], bool] = {}
    first, *others = states.sides
    for name, world in instants:
        evaluator = values(world, paper.letters, paper.indices, states.defines, inner)
        before = found.count
        try:
            for env in cases(states, paper, evaluator):
                sides = enumerate(states.sides)
                terms = [_terms(evaluator, side, env, k, outer) for k, side in sides]
                left = total(terms[0], first.at)[0]
                for side, parts in zip(others, terms[1:], strict=True):
                    found.count += 1
                    if why := difference(left, total(parts, side.at)[0], side):
                        found.failing += 1
                        at = ", ".join([name, *(f"{x} = {value}" for x, value in env.items())])
                        found.why = found.why or f"at {at}: {why}"
        except MissingError as error:
            if not where_known or found.count > before:
                raise
            found.absent.append(error)
            continue
        found.at.append(name)
        if found.count == before:
            raise EquationError(f"there is no case at {name}", first.at)
    found.empty = list(_empty(states, outer, inner))
    return found


def cases(states: Equation, paper: Paper, evaluator: Evaluator) -> Iterator[Values]:
    """All values of the indices that a statement leaves open."""
    first = states.sides[0]
    sets = own_sets(states.conditions)
    bound = sorted({x for side in states.sides for x in side.free} - {"p"})
    for x in bound:
        if x not in paper.indices.sets:
            raise EquationError(f"the index {x!r} has no set to run over", first.at)
        run = sets.get(x) or paper.indices.sets[x]
        bound += [y for y in sorted(run.free) if y not in bound]
    for condition in states.conditions:
        bound += [y for y in sorted(condition.free) if y not in bound]
    return evaluator.chosen(bound, states.conditions, sets, {}, first.at)


def parts(side: Node) -> Sequence[tuple[int, Node]]:
    return side.args if side.op == "+" else [(1, side)]


def _terms(
    evaluator: Evaluator, side: Node, env: Values, k: int, seen: dict[tuple[int, int], bool]
) -> list[Terms]:
    found = []
    for n, (sign, node) in enumerate(parts(side)):
        value = evaluator.series(node, env, 0)
        seen[k, n] = seen.get((k, n), False) or not value[0].zero
        found.append(value if sign > 0 else neg(value))
    return found


def _empty(
    states: Equation, outer: Mapping[tuple[int, int], bool], inner: Mapping[int, bool]
) -> Iterator[str]:
    """Terms that are zero in every case: they say nothing of the equation.

    `x = 0` states that x vanishes, and may.
    """
    zeros = [_zero(side) for side in states.sides]
    for k, side in enumerate(states.sides):
        alone = len(parts(side)) == 1
        vanishes = alone and any(zero for j, zero in enumerate(zeros) if j != k)
        for n in range(len(parts(side))):
            if not outer.get((k, n), True) and not (alone and zeros[k]) and not vanishes:
                yield f"term {n + 1} of side {k + 1}"
        for node in walk(side):
            if node.op == "+" and node is not side:
                for n, (_, x) in enumerate(node.args):
                    if not inner.get(id(x), True) and x.op != "number":
                        yield f"term {n + 1} of the sum at column {node.at[2]}"


def _zero(side: Node) -> bool:
    return side.op == "number" or (side.op == "f" and side.args[0] == "zeros")


def difference(left: Mat, right: Mat, side: Node | None) -> str:
    """The first entry in which two values differ; a number may stand for a multiple of 1."""
    at = side.at if side else None
    if left.shape != right.shape:
        if right.shape == (1, 1):
            right = _filled(right, left, at)
        elif left.shape == (1, 1):
            left = _filled(left, right, at)
        else:
            said = f"left is {left.rows} × {left.cols} and right {right.rows} × {right.cols}"
            raise NoValueError(said, at)
    if left == right:
        return ""
    for i in range(left.rows):
        for j in range(left.cols):
            if left[i, j] != right[i, j]:
                one, other = apart(left[i, j], right[i, j])
                return f"left {one}, right {other} in ({i + 1},{j + 1})"
    return ""


def apart(one: Fraction, other: Fraction) -> tuple[str, str]:
    """Two numbers that differ, with as many digits as tell them apart."""
    shown = str(one), str(other)
    for digits in (6, 12, 24, 48, 96, 192):
        with localcontext(prec=digits):
            shown = _decimal(one), _decimal(other)
        if shown[0] != shown[1]:
            break
    return shown


def _decimal(value: Fraction) -> str:
    return f"{(Decimal(value.numerator) / value.denominator).normalize():g}"


def _filled(number: Mat, other: Mat, at: Any) -> Mat:
    if other.rows == other.cols:
        return Mat.eye(other.rows).times(number[0, 0])
    if number.zero:
        return Mat.zeros(*other.shape)
    raise NoValueError(f"a number beside a {other.rows} × {other.cols} matrix", at)
