"""A kernel as it is shown of a model: zeros and ones put in, what is not needed left out.

A statement that no equation speaks of, or that has no line in the table of letters, is a step of
the computation (a turn about one axis, entry by entry): it is put into those that use it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from .program import Kernel, Let, Policy, Port, Statement
from .simpler import Simpler, is_zero
from .written import Equation, Tree, names_in

#: What is known of a value's entries in order: 0, 1 or −1, or None.
Known = tuple[sp.Expr | None, ...]

#: The numbers that are followed.
PLAIN = (sp.S.Zero, sp.S.One, sp.S.NegativeOne)

#: An entry of more characters than this is left in steps.
LONGEST = 400

#: An equation of more letters than this is not put into another.
LONGEST_EQUATION = 12


@dataclass(eq=False)
class KnownKernel:
    """A kernel with zeros and ones in place, and what they make of its outputs."""

    kernel: Kernel
    values: Mapping[sp.Symbol, sp.Expr]
    statements: tuple[Statement, ...]
    outputs: Mapping[str, Known]

    def of(self, port: Port) -> Known:
        symbols = port.symbols()
        return tuple(self.values.get(symbols[i, j]) for i, j in port.entries)


@dataclass(frozen=True, eq=False)
class Left:
    """A kernel as it is shown, with the entries of its inputs that it reads."""

    kernel: Kernel
    reads: Mapping[str, frozenset[int]]
    zero: tuple[str, ...]
    unread: tuple[str, ...]
    steps: frozenset[str]
    spoken: frozenset[str]


def matrix(port: Port, known: Known) -> sp.Matrix:
    """What is known whole, in its port's shape."""
    at = dict(zip(port.entries, known, strict=True))
    return sp.Matrix(port.rows, port.cols, lambda i, j: at[port.independent(i, j)])


def known_kernel(kernel: Kernel, inputs: Sequence[Known]) -> KnownKernel:
    """Zeros and ones put into a kernel's statements, one after the other."""
    values: dict[sp.Symbol, sp.Expr] = {}

    def know(port: Port, found: Iterable[sp.Expr | None]) -> None:
        symbols = port.symbols()
        for (i, j), x in zip(port.entries, found, strict=True):
            if x is not None and x in PLAIN:
                values[symbols[i, j]] = x

    for port, entries in zip(kernel.inputs, inputs, strict=True):
        know(port, entries)
    statements = []
    for statement in kernel.statements:
        made = _with(statement, values)
        port = made.port
        if isinstance(made, Let):
            know(port, (made.value[i, j] for i, j in port.entries))
        else:
            nothing = [j for j in range(port.cols) if made.rhs[:, j].is_zero_matrix]
            know(port, (sp.S.Zero if j in nothing else None for _, j in port.entries))
        statements.append(made)
    found = KnownKernel(kernel, values, tuple(statements), {})
    return replace(found, outputs={port.name: found.of(port) for port in kernel.outputs})


def _with(statement: Statement, values: Mapping[sp.Symbol, sp.Expr]) -> Statement:
    """The statement with values in place of symbols; a system of one unknown is a quotient."""
    if isinstance(statement, Let):
        return replace(statement, value=statement.value.xreplace(values))
    left, rhs = statement.matrix.xreplace(values), statement.rhs.xreplace(values)
    if left.shape == (1, 1) and statement.policy is not Policy.MIN_NORM:
        return Let(statement.port, rhs / left[0], statement.source, statement.equation)
    scale = statement.scale
    return replace(
        statement,
        matrix=left,
        rhs=rhs,
        reach=statement.reach.xreplace(values),
        scale=None if scale is None else scale.xreplace(values),
    )


def free_symbols(statement: Statement) -> set[sp.Symbol]:
    """What a statement's entries are made of."""
    parts = (statement.value,) if isinstance(statement, Let) else statement.parts
    return {symbol for part in parts for symbol in part.free_symbols}


def left(known: KnownKernel, wanted: frozenset[str]) -> Left:
    """What of a kernel is shown, if these of its outputs are read."""
    kernel = known.kernel
    zeros, ones = _plain(known)
    steps = _steps(kernel)
    put_in = {
        x.port.name: x.equation
        for x in kernel.statements
        if x.port.name in steps and isinstance(x.equation, Equation)
    }
    trees: dict[str, Tree] = {name: equation.tree for name, equation in put_in.items()}
    # Tangents have abbreviations of their own, which go with the step that is put in.
    where = {word: tree for x in put_in.values() for word, tree in x.where.items()}
    ports = (*kernel.inputs, *(x.port for x in kernel.statements))
    rows = {port.entry_name(i, j): 1 for port in ports for i, j in port.entries}
    rows |= {port.name: port.rows if port.cols == 1 else 0 for port in ports}
    statements: list[Statement] = []
    inside: dict[sp.Symbol, sp.Expr] = {}
    for statement in known.statements:
        statement = _short(statement, inside)
        if statement.port.name in steps and isinstance(statement, Let):
            symbols = statement.port.symbols()
            entries = ((symbols[i, j], statement.value[i, j]) for i, j in statement.port.entries)
            inside |= {symbol: x for symbol, x in entries if symbol not in known.values}
        statements.append(_simplified(statement, zeros, ones, trees, where, rows))
    places, names = _places(kernel), {port.name for port in ports}
    known_to = names | places.keys()
    needed, spoken = set(wanted), set[str]()
    used: dict[str, set[int]] = {}
    kept: list[Statement] = []
    for statement in reversed(statements):
        name = statement.port.name
        if name not in needed or (name in zeros and name not in wanted):
            continue
        kept.append(statement)
        for symbol in free_symbols(statement):
            port, entry = places[symbol.name]
            needed.add(port)
            used.setdefault(port, set()).add(entry)
        if name not in steps:
            said = {x if x in names else places[x][0] for x in _names(statement) if x in known_to}
            needed |= said
            spoken |= said
    kept.reverse()
    there = {statement.port.name for statement in kept}
    outputs = tuple(port for port in kernel.outputs if port.name in wanted)
    inputs = tuple(port for port in kernel.inputs if port.name in used)
    made = replace(
        kernel, inputs=inputs, statements=tuple(kept), outputs=outputs, whole=kernel.whole or kernel
    )
    told = [x.port.name for x in kernel.statements if x.port.name not in steps]
    told = [*(port.name for port in kernel.inputs), *told]
    missing = [name for name in told if name not in there and name not in used]
    zero = tuple(name for name in missing if name in zeros and name in needed | zeros)
    own = {x.port.name for x in kernel.statements}
    unread = tuple(name for name in missing if name not in zeros and name in own)
    reads = {name: frozenset(entries) for name, entries in used.items()}
    hidden = frozenset(steps & there)
    whole = frozenset(x for x in spoken if x not in used and x not in own and x not in zeros)
    return Left(made, reads, zero, unread, hidden, whole)


def _plain(known: KnownKernel) -> tuple[set[str], set[str]]:
    """The names of what is zero, and of what is 1 or 𝟏; those of entries too."""
    zeros, ones = set[str](), set[str]()
    ports = (*known.kernel.inputs, *(x.port for x in known.statements))
    names = {port.name for port in ports}
    for port in ports:
        found = dict(zip(port.entries, known.of(port), strict=True))
        if all(x == 0 for x in found.values()):
            zeros.add(port.name)
        elif port.rows == port.cols and all(x == int(i == j) for (i, j), x in found.items()):
            ones.add(port.name)
        entries = {port.entry_name(i, j): x for (i, j), x in found.items()}
        zeros |= {name for name, x in entries.items() if x == 0 and name not in names}
        ones |= {name for name, x in entries.items() if x == 1 and name not in names}
    return zeros, ones


def _steps(kernel: Kernel) -> set[str]:
    """The statements that are steps of the computation alone.

    They have no line in the table of letters, or no equation speaks of them; nothing is known of
    kernels without equations. Those whose equations would be too long inside another stay.
    """
    outputs = {port.name for port in kernel.outputs}
    inner = {
        x.port.name: x.equation
        for x in kernel.statements
        if x.port.name not in outputs and isinstance(x.equation, Equation)
    }
    lengths: dict[str, int] = {}
    for name, equation in inner.items():
        # Parts of rows and of columns are not told apart when one is put into the other.
        if name in kernel.letters or equation.place or isinstance(equation.tree, ast.List):
            continue
        length = sum(lengths.get(word, 1) for tree in _trees(equation) for word in names_in(tree))
        if length <= LONGEST_EQUATION:
            lengths[name] = length
    spoken: set[str] = set()
    for x in reversed(kernel.statements):  # a step speaks where it is spoken of
        if x.port.name not in lengths or x.port.name in spoken:
            spoken |= _names(x)
    return {*lengths, *(name for name in inner if name not in spoken)} if kernel.letters else set()


def _trees(equation: Equation) -> list[Tree]:
    return [equation.tree, *(equation.where[word] for word in equation.abbreviations())]


def _names(statement: Statement) -> set[str]:
    """What a statement's equation speaks of, behind its abbreviations too."""
    equation = statement.equation
    if not isinstance(equation, Equation):
        return set()
    return {name for tree in _trees(equation) for name in names_in(tree)}


def _short(statement: Statement, inside: Mapping[sp.Symbol, sp.Expr]) -> Statement:
    """The statement with steps put into it, unless it becomes too long."""
    known = free_symbols(statement) & inside.keys()
    if not known:
        return statement
    lengths = {symbol: _length(inside[symbol], {}) for symbol in known}
    parts = (statement.value,) if isinstance(statement, Let) else (statement.matrix, statement.rhs)
    longest = max((_length(x, lengths) for part in parts for x in part), default=0)
    return _with(statement, inside) if longest <= LONGEST else statement


def _length(x: sp.Basic, lengths: Mapping[sp.Symbol, int]) -> int:
    """About how many characters an expression takes, its symbols taking so many."""
    if not x.args:
        return lengths.get(x) or len(str(x))
    return sum(_length(y, lengths) for y in x.args) + 2 * len(x.args)


def _places(kernel: Kernel) -> dict[str, tuple[str, int]]:
    """For the name of each entry its port, and its place."""
    return {
        port.entry_name(i, j): (port.name, k)
        for port in (*kernel.inputs, *(x.port for x in kernel.statements))
        for k, (i, j) in enumerate(port.entries)
    }


def _simplified(
    statement: Statement,
    zeros: set[str],
    ones: set[str],
    steps: Mapping[str, Tree],
    abbreviated: Mapping[str, Tree],
    rows: Mapping[str, int],
) -> Statement:
    """The statement with its equation without zeros, ones and steps.

    What `abbreviated` of the steps it speaks of is written behind it.
    """
    equation = statement.equation
    if not isinstance(equation, Equation):
        return statement
    zeros, ones = set(zeros), set(ones)  # abbreviations that are so are known to later ones
    where: dict[str, Tree] = {}
    for word, tree in {**abbreviated, **equation.where}.items():
        short = Simpler(zeros, ones, steps, rows)
        made = short.of(tree)
        if is_zero(made):
            zeros.add(word)
        elif short.is_one(made):
            ones.add(word)
        else:
            where[word] = made
    short = Simpler(zeros, ones, steps, rows)
    # Of what only an entry is stated parts keep their sizes.
    keeps = equation.place and isinstance(equation.tree, ast.List)
    tree = equation.tree if keeps else short.of(equation.tree)
    if equation.place and is_zero(tree):
        tree, where = equation.tree, dict(equation.where)
    return replace(
        statement, equation=Equation(equation.letter, tree, equation.letters, where, equation.place)
    )
