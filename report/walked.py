"""A program's entries as chapters: each step's calls with what they read, state and give.

All is read off the program: the statements are the kernels', with the element's data, the numbers
are theirs at one state, and the code is what is emitted for them.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

import sympy as sp

from ..codegen.generate import Generated
from ..codegen.printing.names import Names
from ..codegen.printing.printer import PrintedBlock, print_step
from ..codegen.targets.c.language import C
from ..model.expressions.quantities import shorten, told
from ..runtime.performed import Performed, Solved
from ..symbolic.derivation.reading import OF, Reading, letter
from ..symbolic.language.program import Call, Kernel, Let, Map, Output, Ref, Solution, Step, Sweep
from ..symbolic.language.shortened import free_symbols
from ..symbolic.language.special import Shown, Special
from . import legend
from .documents.document import (
    Beside,
    Block,
    Cell,
    Code,
    Fold,
    Formula,
    Letters,
    Link,
    Numbers,
    Prose,
    Section,
    Table,
    anchor_of,
    some,
)

#: The most places of a step that are shown in full, but for the first of what else is computed
#: there, and the most that are listed besides.
IN_FULL, LISTED = 8, 24

#: A formula of more characters is told by its numbers and its code alone, and so are all when a
#: document's formulas have so many: a page stays below 3 MB.
LONGEST, ALTOGETHER = 4_000, 110_000

#: A dense system of more unknowns is not shown entry by entry.
WIDEST = 24

#: What a step of each kind does, in a sentence.
SENTENCES: Mapping[type[Step], str] = {
    Map: "Each of these steps is independent: none uses a result of another.",
    Sweep: "These are taken in order, each reading what those before it gave:",
    Solution: "What was gathered is solved for at once.",
    Output: "The results are put together.",
}


@dataclass
class Walked:
    """The chapters of an entry's steps, as they are shown of the model, written in order."""

    special: Special
    reading: Reading
    code: Mapping[tuple[str, str, str], str]
    written: dict[Ref, Link] = field(default_factory=dict)
    steps: dict[str, dict[Ref, Link]] = field(default_factory=dict)
    letters: list[legend.Told] = field(default_factory=list)
    spent: int = 0

    def sections(self, performed: Iterator[Performed | Solved]) -> Iterator[tuple[str, Section]]:
        """By its name a section for each step of an entry, but for those that have one already."""
        self.written = {}
        for step, group in groupby(performed, key=lambda each: each.step):
            if step.name not in self.steps:
                before = dict(self.written)
                blocks = tuple(self._step(step, list(group)))
                found = self.written.items()
                self.steps[step.name] = {x: at for x, at in found if before.get(x) is not at}
                anchor = anchor_of("step", step.name)
                yield step.name, Section(_sentence_case(step.title), anchor, blocks)
            self.written |= self.steps[step.name]

    @staticmethod
    def left_out(step: Step) -> Section:
        """The section of a step of which nothing is shown."""
        said = Prose(
            "On this model nothing is left of this step: all that it gives is zero, or read by no "
            "later step."
        )
        return Section(_sentence_case(step.title), anchor_of("step", step.name), (said,))

    # Steps

    def _step(self, step: Step, done: Sequence[Performed | Solved]) -> Iterator[Block]:
        calls = [each for each in done if isinstance(each, Performed)]
        places = [list(group) for _, group in groupby(calls, key=lambda each: each.call.member)]
        kind = next((kind for kind in SENTENCES if isinstance(step, kind)), Map)
        if calls:
            order = shorten([_at(place) for place in places if _at(place)], 12).replace(", ", " → ")
            yield Prose(f"{SENTENCES[kind]} {order}." if kind is Sweep else SENTENCES[kind])
        shown: dict[object, Link] = {}
        kinds: set[str] = set()
        rest: list[tuple[list[Performed], Link]] = []
        for place in places:
            alike = _likeness(place)
            titles = {each.call.kernel.title for each in place}
            if alike in shown or (len(shown) >= IN_FULL and titles <= kinds):
                rest.append((place, shown.get(alike, Link("", ""))))
                continue
            kinds |= titles
            anchor = anchor_of(step.name, _at(place), str(len(shown)))
            shown[alike] = Link(_at(place) or step.title, anchor)
            yield self._place(step, place, anchor)
        if rest:
            yield self._listed(step, rest)
        for each in done:
            if isinstance(each, Solved):
                yield from self._solved(each)

    def _place(self, step: Step, place: Sequence[Performed], anchor: str) -> Block:
        """One member of a step: all that is computed there."""
        titles = list(dict.fromkeys(each.call.kernel.title for each in place))
        first: dict[int, Performed] = {}
        for each in place:
            first.setdefault(id(each.call.kernel), each)
        left: list[Block] = []
        code: list[Block] = []
        for each in first.values():
            if len(first) > 1:
                left.append(Prose(f"{_sentence_case(each.call.kernel.title)}:", "head"))
            left += self._call(step, each)
            for ref in each.call.writes.values():
                self.written[ref] = Link(_ref_words(ref), anchor)
            key = (step.name, each.call.kernel.name, each.call.member)
            if key in self.code and Code(self.code[key]) not in code:
                code.append(Code(self.code[key]))
        if more := len(place) - len(first):
            left.append(Prose(f"The same for {told(more, 'more column')}.", "caption"))
        for each in place:
            for ref in each.call.writes.values():
                self.written[ref] = Link(_ref_words(ref), anchor)
        if code:
            code.insert(0, Prose("the C that is emitted for it", "caption"))
        blocks: tuple[Block, ...] = (Beside(tuple(left), tuple(code)),) if code else tuple(left)
        title = f"{_at(place)}: {', '.join(titles)}" if _at(place) else ", ".join(titles)
        return Fold(title, anchor, blocks)

    def _call(self, step: Step, each: Performed) -> Iterator[Block]:
        self.letters += legend.told(self.reading, step, each.call)
        shown = self.special.of[each.call]
        self.letters += legend.told_constants(shown)
        if rows := [*self._read(step, each, shown)]:
            yield Table(("reads", "from", "at this state"), tuple(rows))
        lets = each.call.kernel.statements
        before = ("", "")
        for statement, own in zip(self.reading.stated(step, each.call), lets, strict=True):
            if statement.name in shown.steps:
                continue
            value, more = self._affordable(statement.value)
            matrix = statement.matrix
            if matrix is not None and value is not None:
                matrix, more = self._affordable(matrix)
                value = None if matrix is None else value
            if value is not None and free_symbols(own) & _entries(each.call.kernel, shown.steps):
                value, matrix = None, None
            says = own.says if isinstance(own, Let) else own.says or "solved by elimination"
            numbers = Numbers.of(each.statements[statement.name])
            source = statement.source
            if (says, source) == before:
                says = source = ""
            before = (says, source) if says or source else before
            shaded = isinstance(value, sp.MatrixBase) and min(value.shape) > 3
            value, matrix = map(_as_called, (value, matrix))
            name = CALLED.get(statement.name, statement.name)
            yield Formula(name, value, numbers, says, source, matrix, more, shaded)
        yield from _left_out(shown)

    def _read(self, step: Step, each: Performed, shown: Shown) -> Iterator[tuple[Cell, ...]]:
        """What a call reads that others gave, or the caller; not the element's own constants."""
        for port in each.call.kernel.inputs:
            binding = each.call.reads[port.name]
            if not isinstance(binding, Ref):
                line = legend.line_of(port.name, each.call.kernel)
                if line and line.letter.endswith("ₚ"):
                    by = ", which gravity accelerates by −g" if legend.FALLING in line.words else ""
                    yield Letters(port.name), f"the ground{by}", Numbers.of(each.inputs[port.name])
                continue
            origin: Cell = self.written.get(binding) or ", ".join(
                str(symbol) for symbol in self.reading.symbols(binding)[:4]
            )
            yield (
                Letters(CALLED.get(port.name, port.name)),
                origin,
                Numbers.of(each.inputs[port.name]),
            )
        for name, value in shown.constants.items():
            yield Letters(name), "a constant of the model", Numbers.of(value)

    def _affordable(self, value: sp.MatrixBase) -> tuple[sp.MatrixBase | None, str]:
        """The value, unless it is longer than a page holds; then how long it is."""
        length = sum(map(_length, value))
        if length > LONGEST or self.spent + length > ALTOGETHER:
            operations = sum(int(x.count_ops()) for x in value)
            return None, f"{value.rows} × {value.cols} with {operations} operations; see its code"
        self.spent += length
        return value, ""

    def _listed(self, step: Step, rest: Sequence[tuple[list[Performed], Link]]) -> Block:
        rows: list[tuple[Cell, ...]] = []
        anchor = anchor_of(step.name, "others")
        outputs = max(
            (each.call.kernel.outputs for place, _ in rest for each in place[-1:]), key=len
        )
        names = [port.name for port in outputs if len(port.entries) <= 12][:4]
        for place, like in rest:
            last = place[-1]
            found = [
                Numbers.of(last.statements[name]) if name in last.statements else ""
                for name in names
            ]
            rows.append((_at(place), like if like.text else "by formulas of its own", *found))
            for each in place:
                for ref in each.call.writes.values():
                    self.written[ref] = Link(_ref_words(ref), anchor)
        head = ("at", "same formulas as", *names)
        title = f"{len(rest)} more, by the same or similar formulas"
        return Fold(title, anchor, (Table(head, some(rows, LISTED)),))

    def _solved(self, each: Solved) -> Iterator[Block]:
        dense = each.step.dense
        assert dense is not None
        size = len(each.right)
        yield Prose(
            f"A system of {size} equations: {dense.matrix} · {dense.unknowns} = {dense.rhs} "
            f"({dense.source}), solved by elimination with row pivoting."
        )
        if size <= WIDEST:
            yield Formula(dense.matrix, None, Numbers.of(each.matrix))
            yield Formula(dense.rhs, None, Numbers.of(each.right[:, None]))
        members = self.reading.program.sets[self.reading.program.arrays[dense.unknowns].index_set]
        names = [*members] if len(members) == size else [str(k + 1) for k in range(size)]
        rows: list[tuple[Cell, ...]] = [
            (name, Numbers.of([[x]])) for name, x in zip(names, each.unknowns, strict=True)
        ]
        yield Table(("unknown", "value"), some(rows, LISTED))


def _length(x: sp.Basic) -> int:
    """About how many characters an expression takes: to print it takes ten times as long."""
    if not x.args:
        return len(str(x))
    return sum(map(_length, x.args)) + 2 * len(x.args)


def _entries(kernel: Kernel, names: Container[str]) -> set[sp.Symbol]:
    """The symbols of the entries of what a kernel states under these names."""
    ports = [x.port for x in kernel.statements if x.port.name in names]
    return {x for port in ports for x in port.symbols()}


def _left_out(shown: Shown) -> Iterator[Block]:
    """One line for what is zero here, and for what nobody reads."""
    letters = shown.original.kernel.letters

    def listed(names: Iterable[str]) -> str:
        lines = ((name, letters.get(name)) for name in names)
        words = (f"{x.letter} ({_BRIEF.split(x.words)[0]})" if x else name for name, x in lines)
        return ", ".join(dict.fromkeys(words))

    # What another step gives is told there.
    given = {name for name, x in shown.original.reads.items() if isinstance(x, Ref)}
    parts = []
    if zero := [name for name in shown.zero if name not in given]:
        parts.append(f"zero in this step: {listed(zero)}")
    if shown.unread:
        parts.append(f"read by no later step: {listed(shown.unread)}")
    if parts:
        yield Prose(f"Left out, {'; '.join(parts)}.", "caption")


#: What of a meaning is more than its name.
_BRIEF = re.compile(r"[;:]|,(?![^(]*\))")

#: How pages call what code calls otherwise: as the papers, the sine and cosine of a hinge.
CALLED = {"cz": "c", "sz": "s"}


def _as_called(value: sp.MatrixBase | None) -> sp.MatrixBase | None:
    """The value with its symbols as a page calls them."""
    if value is None:
        return None
    parts = {symbol: symbol.name.partition("_") for symbol in value.free_symbols}
    called = {
        symbol: sp.Symbol(f"{CALLED[head]}{between}{rest}", real=True)
        for symbol, (head, between, rest) in parts.items()
        if head in CALLED
    }
    return value.xreplace(called)


def _at(place: Sequence[Performed]) -> str:
    return place[0].call.member


def _likeness(place: Sequence[Performed]) -> object:
    """The same for places where the same kernels meet the same data."""
    return tuple(
        dict.fromkeys(
            (
                id(each.call.kernel),
                tuple(
                    (name, sp.ImmutableMatrix(x))
                    for name, x in each.call.reads.items()
                    if not isinstance(x, Ref)
                ),
            )
            for each in place
        )
    )


def _ref_words(ref: Ref) -> str:
    of = f" of {ref.member}" if ref.member else ""
    column = "" if ref.column is None else f", column {ref.column + 1}"
    return f"{letter(ref.array) if ref.array.endswith(OF) else ref.array}{of}{column}"


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


# The emitted code


@dataclass(frozen=True)
class Emitted:
    """The C of a program, kernel by kernel."""

    generated: Generated

    @cached_property
    def blocks(self) -> dict[tuple[str, str, str], str]:
        """The text that is emitted for a kernel at a member of a step."""
        found: dict[tuple[str, str, str], str] = {}
        module = self.generated.module
        names = Names(module, C)
        for step in module.steps:
            printed = print_step(module, step, C, names).blocks
            if len(printed) != len(step.blocks):
                continue  # blocks that share a loop: their text is no one kernel's
            for block, text in zip(step.blocks, printed, strict=True):
                lines = _text(text)
                for call in _calls(block.calls):
                    found.setdefault((step.name, call.kernel.name, call.member), lines)
        return found


def _calls(turns: Sequence[tuple[Call, ...]]) -> Iterator[Call]:
    for turn in turns:
        yield from turn


def _text(block: PrintedBlock) -> str:
    body = [*block.body, *block.updates]
    if block.count > 1:
        starts = [f"double {name} = {value};" for name, value in block.starts]
        loop = f"for (int i = 0; i < {block.count}; i++) {{"
        body = [*starts, loop, *(f"    {line}" for line in body), "}", *block.after]
    return "\n".join(body)
