"""Kernels traced from functions: what a function reads and states of a link is its kernel.

`x.pA` reads the link's value of pA, `x.up.w` that of what it hangs on, `y.IAt` for y in `x.inputs`
those of what hangs on it; `x.pA = …` states it. Its letter, shape and meaning are a line of the
method's table. What a function asks of a link (`x.freedom`, `x.way`) decides its kernel: links
that answer alike share one, traced once. The function sees nothing else of a link.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeAlias

import sympy as sp

from ..language.letters import Letter, Letters
from ..language.program import Kernel, KernelBuilder, Policy, Port
from ..language.written import LOW, Equation, Tree, called, function_of, named, product
from .matrices import Algebra, M

#: A method's function: a link, the operations of its space, and what records both.
Function: TypeAlias = "Callable[[At, Algebra, Tracer], tuple[str, ...]]"

#: A question that functions ask of a link, as it is answered from a tree and a link of it.
Facts: TypeAlias = Mapping[str, Callable[[Any, Any], Hashable]]

_DOWN = str.maketrans("0123456789", LOW)

#: What numbers, ends and components stand behind a name.
_INDEX = re.compile(r"\d*(_[\dIOQxyz]\w*)?$")

#: What letters of shapes count; names that end in _ are numbered by it.
_COUNTS = {"f": "count", "w": "width"}


class At:
    """One link, as a traced function sees it; `mark` tells related ones apart."""

    def __init__(self, of: Tracer, mark: str = "") -> None:
        vars(self).update(_of=of, _mark=mark)

    def __getattr__(self, word: str) -> Any:
        return self._of.ask(word) if word in self._of.facts else self._of.read(word, self._mark)

    def __setattr__(self, word: str, value: M) -> None:
        self._of.state(word, value, mark=self._mark)

    @property
    def up(self) -> At:
        """What the link's hinge holds to."""
        return At(self._of, "p")

    @property
    def inputs(self) -> list[At]:
        """The links at the body's inputs."""
        return [At(self._of, f"_I{k}") for k in range(1, self._of.ask("input_count") + 1)]

    @property
    def ending(self) -> list[At]:
        """The shared coordinates that are eliminated at the link."""
        return [At(self._of, f"_{k}") for k in range(1, self._of.ask("ending_count") + 1)]

    @property
    def by(self) -> list[At]:
        """What pushes the body: cut hinges, loads and forces."""
        return [At(self._of, f"_{k}") for k in range(1, self._of.ask("push_count") + 1)]


class Tracer:
    """Records a function at a kind of link as a kernel.

    `parents` say what a parent's value of an array is called, unless by the array and p.
    """

    def __init__(
        self,
        table: Letters,
        facts: Facts,
        parents: Mapping[str, str],
        ask: Callable[[str], Any],
    ) -> None:
        self.table, self.facts, self.parents, self.ask = table, facts, parents, ask
        self.k = Algebra(ask("dimension"))
        self.builder = KernelBuilder("", "")
        self.letters: dict[str, str] = {}
        self.where: dict[str, Tree] = {}
        self.plain: list[str] = []
        self.lines: dict[str, Letter] = {}
        self._symbols: dict[str, sp.Matrix] = {}

    def called(self, name: str, title: str) -> None:
        """What the kernel is called."""
        self.builder.name, self.builder.title = name, title

    # What is read

    def read(
        self, word: str, mark: str = "", cols: int | None = None, rows: int | None = None
    ) -> M:
        """A value of the link, or of a related one; of a size, if it is not the table's."""
        port = self.port(word, mark)
        if port not in self.builder.known:
            letter = self.table[word]
            shape, shown = self._shape(letter, rows, cols), self._marked(letter.letter, mark)
            if mark == "p":
                letter = replace(letter, letter=shown, words=f"{letter.words}; of the parent")
            self._take(port, *shape, letter, shown)
        return self.known(port)

    def given(self, port: Port, shown: str = "") -> M:
        """Read what another kernel gives; what the table does not know is shown by its name."""
        self._tell(port.name, self.table)
        line = self.lines.get(port.name)
        self.letters[port.name] = shown or (line.letter if line else port.name)
        self.builder.take(port.name, port.rows, port.cols, port.symmetric)
        return self.known(port.name)

    def named(self, port: Port, entry: int, name: str) -> sp.Expr:
        """Read a number by a user's own name: an entry of what another kernel gives."""
        value = self.given(port).value[entry]
        self.letters[value.name] = name
        self.plain.append(value.name)
        return value

    def numbers(self, word: str, mark: str = "", count: int | None = None) -> M:
        """A column of single numbers, `ad_1` and so on: so many, or one for each freedom."""
        letter, count = self.table[word], count or self.ask("count")
        ports = [f"{word}{mark}_{j}" for j in range(1, count + 1)]
        for j, port in enumerate(ports, start=1):
            shown = self._marked(letter.letter, mark)
            index = f"{'_' * bool(mark)}{j}" if count > 1 or not mark else ""
            self._take(port, 1, 1, letter, shown + index)
        column = sp.Matrix(count, 1, [self.known(port)[0] for port in ports])
        trees = [named(port) for port in ports]
        return M(column, trees[0] if count == 1 else ast.List(trees))

    def single(self, name: str, table: Letters) -> sp.Expr:
        """A number that closed forms depend on, whose line is in a table."""
        self.letters[name] = table[name].letter if name in table else name
        self._tell(name, table)
        return self.builder.take(name)[0]

    def singles(self, *values: sp.Matrix, table: Letters = MappingProxyType({})) -> None:
        """Read all other numbers that closed forms depend on; a user's own are in no table."""
        names = {symbol.name for x in values for symbol in x.free_symbols}
        for name in sorted(names - self.builder.known.keys()):
            self.builder.take(name)
            self.letters[name] = name
            self._tell(name, table)
            self.plain.append(name)

    def known(self, port: str) -> M:
        """What has been read or stated under this name."""
        if port not in self._symbols:
            self._symbols[port] = self.builder.known[port].symbols()
        return M(self._symbols[port], named(port))

    def shown(self, x: M) -> str:
        """How a value that is a letter is written."""
        assert isinstance(x.tree, ast.Name)
        return self.letters[x.tree.id]

    def entries(self, word: str) -> M:
        """What has been stated, by entries: formulas in them say its letter."""
        port = self.builder.known[self.port(word)]
        for i, j in port.entries if len(port.entries) > 1 else ():
            name = port.entry_name(i, j)
            self.letters[name] = self.letters[port.name] + name.removeprefix(port.name)
        return self.known(port.name)

    def port(self, word: str, mark: str = "") -> str:
        """What a value is called in the kernel."""
        if mark == "p":
            return self.parents.get(word, f"{word}p")
        if not word.endswith("_"):
            return f"{word}{mark}"
        counted = (x for x in dict.fromkeys(self.table[word].shape.split()) if x in _COUNTS)
        numbers = "_".join(str(self._size(x)) for x in counted)
        return f"{word[:-1]}{mark}{'_' * bool(mark)}{numbers}"

    def _shape(self, letter: Letter, rows: int | None, cols: int | None) -> tuple[int, int]:
        high, wide, *_ = [*letter.shape.split(), "1"]
        return rows or self._size(high), cols or self._size(wide)

    def _size(self, x: str) -> int:
        """What a letter of a shape stands for; 1 if it is none."""
        if x in _COUNTS:
            return int(self.ask(_COUNTS[x]))
        sizes = {"d": self.k.d, "s": self.k.s, "n": self.k.n}
        return int(x) if x.isdigit() else sizes.get(x, 1)

    def _take(self, port: str, rows: int, cols: int, letter: Letter, shown: str) -> None:
        spin = letter.shape.startswith("s")  # in the plane a number
        symmetric = self._symmetric(letter) and (rows > 1 or not spin)
        self._symbols[port] = self.builder.take(port, rows, cols, symmetric)
        self.letters[port] = shown
        self.lines[port] = letter

    def _symmetric(self, letter: Letter) -> bool:
        """Is the letter's matrix symmetric, always or for links such as this one?"""
        return letter.symmetric or bool("even" in letter.shape.split() and self.ask("even"))

    @staticmethod
    def _marked(letter: str, mark: str) -> str:
        index = mark.removeprefix("_I").removeprefix("_")
        if mark == "p":
            return f"{letter}ₚ"
        return letter + (index.translate(_DOWN) if index.isdigit() else f"_{index}" * bool(index))

    # What is stated

    def state(
        self, word: str, value: M, source: str = "", letter: str = "", mark: str = "", **how: bool
    ) -> M:
        """`word := value`; a step that no table knows says its letter and source here."""
        port, shown, known = self._stating(word, letter, mark)
        symmetric = how.get("symmetric", known is not None and self._symmetric(known))
        equation = Equation(shown, value.tree, self.letters, self.where)
        source = source or (known.source if known else "")
        self._symbols[port] = self.builder.let(port, value.value, source, symmetric, equation)
        return self.known(port)

    def _stating(self, word: str, letter: str, mark: str = "") -> tuple[str, str, Letter | None]:
        """What is stated: its port, its letter, and its line of the table unless it has none."""
        known = self.table.get(word) if not letter else None
        port = self.port(word, mark) if known else word
        self.letters[port] = self._marked(known.letter, mark) if known else letter or word
        if known:
            self.lines[port] = known
        return port, self.letters[port], known

    def each(self, word: str, column: M, source: str = "", shown: str = "") -> tuple[str, ...]:
        """State the entries of a column one by one, as results by speed; gives their names."""
        rows = range(1, column.value.rows + 1)
        return tuple(self.one(word, column, j, source, shown) for j in rows)

    def one(self, word: str, column: M, j: int, source: str = "", shown: str = "") -> str:
        """State the j-th entry of a column; gives its name."""
        letter, name = self.table[word], f"{word}_{j}"
        tree, shown = self._stated(column.tree), shown or letter.letter
        self.letters[name], self.lines[name] = f"{shown}{j}", letter
        equation = Equation(shown, tree, self.letters, self.where, (j, 1))
        self.builder.let(name, column.value[j - 1 : j, :], source or letter.source, says=equation)
        return name

    def entry(self, word: str, whole: M, i: int, j: int) -> str:
        """State one entry of a matrix, `M_1_2`; gives its name."""
        letter, name = self.table[word], f"{word}_{i}_{j}"
        self.letters[name], self.lines[name] = f"{letter.letter}{i}{j}", letter
        equation = Equation(letter.letter, whole.tree, self.letters, self.where, (i, j))
        self.builder.let(name, whole.value[i - 1 : i, j - 1 : j], letter.source, says=equation)
        return name

    def _stated(self, tree: Tree) -> Tree:
        """Of a letter that has been stated the equation that states it."""
        for statement in self.builder.statements:
            if isinstance(tree, ast.Name) and statement.port.name == tree.id:
                assert isinstance(statement.equation, Equation)
                return statement.equation.tree
        return tree

    def solve(
        self,
        word: str,
        matrix: M,
        rhs: M,
        source: str,
        policy: Policy = Policy.LDL,
        reach: M | None = None,
        scale: M | None = None,
    ) -> sp.Matrix:
        """State `word := matrix⁻¹ rhs`, with a `reach` matrix⁺ rhs; gives its symbols."""
        port, shown, _ = self._stating(word, "")
        inverse = called("pinv" if reach else "inv", matrix.tree)
        tree = inverse if function_of(rhs.tree) == "eye" else product(inverse, rhs.tree)
        policy = Policy.MIN_NORM if reach else policy
        equation = Equation(shown, tree, self.letters, self.where)
        limits = reach and reach.value, scale and scale.value
        return self.builder.solve(port, matrix.value, rhs.value, source, policy, equation, *limits)

    def abbreviate(self, word: str, value: M) -> M:
        """A letter that equations are written with and nothing computes."""
        self.where[word] = value.tree
        return M(lambda: value.value, named(word))

    # The kernel

    def kernel(self, outputs: tuple[str, ...], facts: Mapping[str, Any]) -> Kernel:
        """What has been recorded.

        Raises
            ValueError: two things have one letter.
        """
        for name in self.plain:  # a user's own, which gives way to the table's
            while [*self.letters.values(), *self.where].count(self.letters[name]) > 1:
                self.letters[name] += "′"
        several = Counter([*self.letters.values(), *self.where])
        for name, letter in self.letters.items():
            if several[letter] > 1:
                raise ValueError(f"kernel {self.builder.name}: {letter} is not {name} alone")
        for name in outputs:
            self._tell(name, self.table)
        built = self.builder.build(*outputs)
        return replace(built, facts=facts, letters=self.lines)

    def _tell(self, name: str, table: Letters) -> None:
        """Keep a table's line of a name, or of what it is a number or a part of."""
        stem = _INDEX.sub("", name, count=1)
        for word in (name, stem, f"{stem}_"):
            if word in table:
                self.lines.setdefault(name, table[word])


@dataclass
class _Answers:
    """A question, and what follows from each answer to it; in the end a kernel."""

    question: str = ""
    after: dict[Hashable, _Answers] = field(default_factory=dict)
    kernel: Kernel | None = None


class Traced:
    """A function and its kernels, found by what it asks: a tree of questions and answers."""

    def __init__(
        self, function: Function, table: Letters, facts: Facts, parents: Mapping[str, str]
    ) -> None:
        self.function, self.table, self.facts, self.parents = function, table, facts, parents
        self.__doc__ = function.__doc__
        self._root = _Answers()

    def at(self, tree: Any, link: Any, **given: Hashable) -> Kernel:
        """The kernel of links that answer as this one does, but for the answers that are given."""

        def ask(word: str) -> Hashable:
            return given[word] if word in given else self.facts[word](tree, link)

        return self._found(ask)

    def of(self, **answers: Hashable) -> Kernel:
        """The kernel of links that answer so."""
        return self._found(answers.__getitem__)

    def _found(self, ask: Callable[[str], Hashable]) -> Kernel:
        node = self._root
        while node.question:
            answer = ask(node.question)
            if answer not in node.after:
                break
            node = node.after[answer]
        if node.kernel is None:
            node = self._traced(ask)
        assert node.kernel is not None
        return node.kernel

    def _traced(self, ask: Callable[[str], Hashable]) -> _Answers:
        node, answers = self._root, dict[str, Hashable]()

        def asked(word: str) -> Hashable:
            nonlocal node
            if word not in answers:
                answers[word] = ask(word)
                assert node.question in ("", word)
                node.question = word
                node = node.after.setdefault(answers[word], _Answers())
            return answers[word]

        tracer = Tracer(self.table, self.facts, self.parents, asked)
        outputs = self.function(At(tracer), tracer.k, tracer)
        if node.kernel is None:
            node.kernel = replace(tracer.kernel(outputs, answers), stated=self.stated)
        return node

    @property
    def stated(self) -> str:
        """The file and the line of the function."""
        code = self.function.__code__
        room = self.function.__module__.removeprefix(f"{__package__.partition('.')[0]}.")
        return f"{room.replace('.', '/')}.py:{code.co_firstlineno}"


def tracing(
    table: Letters, facts: Facts, parents: Mapping[str, str]
) -> Callable[[Function], Traced]:
    """Makes kernels of a method's functions, by its letters and what may be asked."""
    return lambda function: Traced(function, table, facts, parents)
