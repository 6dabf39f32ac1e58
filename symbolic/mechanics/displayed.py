"""Is what is displayed what is computed? Read back from its text and evaluated, in fractions.

Of every statement the text is read, not the tree that it was made of, at random numbers for the
kernel's inputs: a rotation for what is one, a cosine with its sine, the H of the kind of hinge.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from random import Random

import sympy as sp

from ..equations.reader import read
from ..equations.tokens import EquationError
from ..language.arithmetic import GENERIC, Arithmetic
from ..language.decimals import rounded
from ..language.interpreter import evaluate
from ..language.program import Kernel, Let, Policy, Port, Statement
from ..language.tangent import PREFIX
from ..language.worth import Rows, Worth, filled, matrix, tilde, times
from ..language.written import Equation
from .hinges import joint
from .turning import FULL


@dataclass(frozen=True)
class Judged:
    """A statement of a kernel, and why its displayed equation is false: "" if it is true.

    `shown` is None of a statement without an equation that could be read.
    """

    kernel: Kernel
    statement: Statement
    shown: str | None
    why: str = ""


def displayed(kernels: Iterable[Kernel], seed: int = 1) -> Iterator[Judged]:
    """What is displayed of kernels, each judged once.

    Source
        own
    """
    for kernel in dict.fromkeys(kernels):
        yield from judged(kernel, seed)


def judged(kernel: Kernel, seed: int = 1) -> tuple[Judged, ...]:
    """What is displayed of a kernel, judged statement by statement.

    Source
        own
    """
    if not any(isinstance(x.equation, Equation) for x in kernel.statements):
        return tuple(Judged(kernel, x, None) for x in kernel.statements)
    whole = kernel.whole or kernel
    known = values(whole, sample(whole, Random(seed)))
    return tuple(_judged(kernel, statement, known) for statement in kernel.statements)


def _judged(kernel: Kernel, statement: Statement, known: Mapping[str, Rows]) -> Judged:
    equation, true = statement.equation, known[statement.port.name]
    if not isinstance(equation, Equation):
        return Judged(kernel, statement, None)
    why = untrue(equation, true, known, kernel.facts["dimension"], GENERIC)
    return Judged(kernel, statement, equation.text, why)


def untrue(
    equation: Equation,
    true: Rows,
    known: Mapping[str, Rows],
    dimension: int,
    arithmetic: Arithmetic,
) -> str:
    """Why an equation, read back from its text, is not worth what is true; "" if it is."""
    try:
        said = read(equation.text, equation.letters)
        tree, size = said.sides[-1], (len(true), len(true[0]))
        if equation.place is not None:  # an entry, of a column of numbers if it is one of a column
            size = (len(tree.elts) if isinstance(tree, ast.List) else 0, 0)
        found = Worth(known, dimension, said.where, arithmetic).of(tree, size)
        if equation.place is not None:
            i, j = equation.place
            found = matrix(found)[i - 1][j - 1]
        right = filled(found, len(true), len(true[0])) == true
    except (EquationError, KeyError, ValueError, IndexError) as error:
        return f"cannot be read: {error!r}"
    return "" if right else "is not what is computed"


def values(kernel: Kernel, inputs: Mapping[str, Sequence[Fraction]]) -> dict[str, Rows]:
    """All ports of a kernel as matrices, and their entries, by name."""
    ports = [*kernel.inputs, *(x.port for x in kernel.statements)]
    found = {**inputs, **evaluate(giving_all(kernel), inputs, GENERIC)}
    known: dict[str, Rows] = {}
    for port in ports:
        known |= by_name(port, found[port.name])
    return known


@cache
def giving_all(kernel: Kernel) -> Kernel:
    """The kernel with all that it states as outputs, in exact numbers."""
    statements = tuple(map(_exactly, kernel.statements))
    return replace(kernel, statements=statements, outputs=tuple(x.port for x in kernel.statements))


def _exactly(statement: Statement) -> Statement:
    """A minimum norm has no exact form; where there is but one solution it is that.

    Numbers that decimals multiply to are doubles here, as in code.
    """
    if isinstance(statement, Let):
        return replace(statement, value=rounded(statement.value))
    if statement.policy is Policy.MIN_NORM:
        return replace(statement, policy=Policy.LU)
    return statement


def by_name(port: Port, flat: Sequence[Fraction]) -> dict[str, Rows]:
    """A port's value as a matrix, and its entries, by name."""
    at = dict(zip(port.entries, flat, strict=True))
    entries: dict[str, Rows] = {port.entry_name(*place): [[x]] for place, x in at.items()}
    whole = [[at[port.independent(i, j)] for j in range(port.cols)] for i in range(port.rows)]
    return entries | {port.name: whole}


# A generic point


def sample(kernel: Kernel, rng: Random) -> dict[str, list[Fraction]]:
    """Random numbers for a kernel's inputs, each of its kind, and of tangents along it."""
    circle, rate = _circle(rng), _number(rng)
    drawn: dict[str, tuple[Rows, Rows]] = {}
    found = {}
    for port in kernel.inputs:
        name = port.name.removeprefix(PREFIX)
        if name not in drawn:
            drawn[name] = _drawn(kernel, replace(port, name=name), rng, circle, rate)
        value, tangent = drawn[name]
        rows = value if name == port.name else tangent
        found[port.name] = [rows[i][j] for i, j in port.entries]
    return found


def _drawn(
    kernel: Kernel, port: Port, rng: Random, circle: tuple[Fraction, Fraction], rate: Fraction
) -> tuple[Rows, Rows]:
    """A value, and a tangent that a value of its kind may have."""
    cosine, sine = circle
    kind = kernel.letters[port.name].kind if port.name in kernel.letters else ""
    if kind == "rot":
        return _rotation(rng, port.rows, _axis(kernel, port.name))
    if kind == "sub":
        return _subspace(rng, kernel.facts)
    if kind == "cos":
        return [[cosine]], [[-rate * sine]]
    if kind == "sin":
        return [[sine]], [[rate * cosine]]
    return _numbers(rng, port), _numbers(rng, port)


def _numbers(rng: Random, port: Port) -> Rows:
    return [[_number(rng) for _ in range(port.cols)] for _ in range(port.rows)]


def _axis(kernel: Kernel, name: str) -> int | None:
    """The axis that the constant turn of a way is about, if it is about one."""
    fixed = kernel.facts["way"].fixed if name == "K" and "way" in kernel.facts else None
    return None if fixed in (None, FULL) else int(fixed)


def _number(rng: Random) -> Fraction:
    return Fraction(rng.choice((-1, 1)) * rng.randint(1, 97), rng.randint(1, 11))


def _circle(rng: Random) -> tuple[Fraction, Fraction]:
    t = _number(rng)
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def _rotation(rng: Random, d: int, axis: int | None) -> tuple[Rows, Rows]:
    """A rotation, about an axis or about any, and the tangent that a spin gives it."""
    if d == 2:
        c, s = _circle(rng)
        rows, spin = [[c, -s], [s, c]], [_number(rng)]
    else:
        w, *vector = (_number(rng) for _ in range(4))
        if axis is not None:
            vector = [a if k == axis else Fraction(0) for k, a in enumerate(vector)]
        rows, spin = _turned(w, *vector), vector
    turning = tilde(Worth({}, d), [[x] for x in spin])
    return rows, matrix(times(turning, rows))


def _turned(w: Fraction, x: Fraction, y: Fraction, z: Fraction) -> Rows:
    """The rotation of a quaternion of any length."""
    n = w * w + x * x + y * y + z * z
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    return [[value / n for value in row] for row in rows]


def _subspace(rng: Random, facts: Mapping[str, object]) -> tuple[Rows, Rows]:
    """The motion subspace of a kind of hinge, of any where nobody has asked which; its tangent."""
    d, count = facts["dimension"], facts["count"]
    if "kind" not in facts:
        port = Port("H", 3 if d == 2 else 6, int(str(count)))
        return _numbers(rng, port), _numbers(rng, port)
    of = joint(int(str(d)), str(facts["kind"]))
    H = of.backward_subspace if facts.get("backward") else of.subspace
    circles: dict[sp.Expr, tuple[Fraction, Fraction]] = {}
    numbers: dict[sp.Expr, sp.Rational] = {}
    for function in sorted(H.atoms(sp.sin, sp.cos), key=str):
        for each in (sp.cos, sp.sin):
            c, s = circles.setdefault(function.args[0], _circle(rng))
            numbers[each(function.args[0])] = _rational(c if each is sp.cos else s)
    coordinates = sorted(H.free_symbols, key=str)
    slope = sum((H.diff(x) * _rational(_number(rng)) for x in coordinates), sp.zeros(*H.shape))
    places = {x: _rational(_number(rng)) for x in coordinates}
    values = (part.xreplace(numbers).xreplace(places) for part in (H, slope))
    value, tangent = (
        [[Fraction(int(x.p), int(x.q)) for x in part.row(i)] for i in range(part.rows)]
        for part in values
    )
    return value, tangent


def _rational(x: Fraction) -> sp.Rational:
    return sp.Rational(x.numerator, x.denominator)
