"""The judged tree laid out for people: one layout, which `alphabets` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .indices import Condition
from .paper import Paper, Statement
from .trees import Equation, Node

#: How strongly an operator binds; brackets go around what binds less than its place asks for.
BINDS = {"+": 1, "×": 2, "*": 3, "/": 3, "Σ": 2}


@dataclass(frozen=True)
class Box:
    """A piece of a formula.

    `id`, `num`, `op`, `text`, `fn` have a text; `row`, `fence` (its text are the brackets), `sub`,
    `sup`, `under`, `frac` (above, below, and both as a line has them), `matrix` (a row a part) and
    `dots` (its text are the dots) have parts. Of values of SymPy and of formulas in a line there
    are besides: `bold`, `times`, `gap` and `apart` (nothing to see), `separator`, `over` (its text
    is a mark), `subsup`, `before` (what is raised before it), `short` (as a page has it, and in
    full), `cell` (of a matrix; its text are classes of a page).
    """

    kind: str
    text: str = ""
    parts: tuple[Box, ...] = ()


def row(parts: Iterable[Box]) -> Box:
    return Box("row", parts=tuple(parts))


def op(text: str) -> Box:
    return Box("op", text)


def words(text: str) -> Box:
    return Box("text", text)


def joined(parts: Sequence[Box], between: str) -> Box:
    found = list[Box]()
    for part in parts:
        found += [words(between), part] if found else [part]
    return row(found)


def fence(brackets: str, inner: Box) -> Box:
    return Box("fence", brackets, (inner,))


def statement(paper: Paper, line: Statement) -> Box:
    """A line of an entry; words as they are."""
    return _Layout(paper).equation(line.states) if line.states else words(line.text)


def name(paper: Paper, node: Node) -> Box:
    """A letter with its indices."""
    return _Layout(paper).of(node)


def definition(paper: Paper, pattern: Node, value: Node) -> Box:
    """`letter = what it is`."""
    laid = _Layout(paper)
    return row([laid.of(pattern), op(" = "), laid.of(value)])


class _Layout:
    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.local: dict[str, str] = {}

    def equation(self, states: Equation) -> Box:
        self.local = {d.name.args[0]: d.shown for d in states.defines if d.shown}
        found = list[Box]()
        for side in states.sides:
            found += [op(" = "), self.of(side)] if found else [self.of(side)]
        if states.conditions:
            found += [words(",  "), conditions(states.conditions)]
        for k, each in enumerate(states.defines):
            found += [words(",  where " if not k else ", ")]
            found += [self.of(each.name), op(" = "), self.of(each.value)]
        return row(found)

    def of(self, e: Node, least: int = 0) -> Box:
        function = e.op == "f" and e.args[0] == "skew"
        if (4 if function and least > 4 else BINDS.get(e.op, 9)) < least:
            return fence("()", self.of(e))
        return LAYOUTS[e.op](self, e)

    def number(self, e: Node) -> Box:
        return Box("num", e.args[0])

    def condition(self, e: Node) -> Box:
        return fence("{}", conditions(e.args[0]))

    def sum(self, e: Node) -> Box:
        found = list[Box]()
        for sign, x in e.args:
            if found:
                found.append(op(" − " if sign < 0 else " + "))
            elif sign < 0:
                found.append(op("−"))
            found.append(self.of(x, 2))
        return row(found)

    def product(self, e: Node) -> Box:
        last = e.args[-1]
        factors = [self.of(x, 2 if x is last and x.op == "Σ" else 3) for x in e.args]
        found = list[Box]()
        for factor in factors:
            found += [op(" "), factor] if found else [factor]
        return row(found)

    def over(self, e: Node) -> Box:
        a, b = e.args
        return Box("frac", parts=(self.of(a), self.of(b), self.of(a, 3), self.of(b, 4)))

    def cross(self, e: Node) -> Box:
        return row([self.of(e.args[0], 3), op(" × "), self.of(e.args[1], 3)])

    def rate(self, e: Node) -> Box:
        count, x = 1, e.args[0]
        while x.op == "'":
            count, x = count + 1, x.args[0]
        if x.op == "name":
            return self.name(x, count)
        return Box("dots", "˙" * count, (fence("()", self.of(x)),))

    def power(self, e: Node) -> Box:
        return Box("sup", parts=(self.of(e.args[0], 9), Box("num", str(e.args[1]))))

    def part(self, e: Node) -> Box:
        spans = ",".join(str(a) if a is b else f"{a}:{b}" for a, b in e.args[1])
        return row([self.of(e.args[0], 9), words(f"[{spans}]")])

    def rows(self, e: Node) -> Box:
        return Box("matrix", parts=tuple(row(self.of(x) for x in line) for line in e.args))

    def big(self, e: Node) -> Box:
        bound, where, sets, body = e.args
        under = [words(", ".join([*(f"{x}∈{sets[x]}" if x in sets else x for x in bound)]))]
        if where:
            under += [words(": "), conditions(where)]
        return row([Box("under", parts=(op("Σ"), row(under))), op(" "), self.of(body, 2)])

    def stack(self, e: Node) -> Box:
        kind, bound, x = e.args
        inner, low = fence("()", self.of(x)), words("".join(bound))
        if kind == "diag":
            return row([Box("sub", parts=(Box("fn", "diag"), low)), inner])
        return Box("sub", parts=(inner, low))

    def partial(self, e: Node) -> Box:
        subs, x = e.args
        by = [Box("sub", parts=(Box("id", "q"), words(str(sub)))) for sub in subs]
        low = row(part for each in by for part in (op("∂"), each))
        count = Box("num", str(len(subs)))
        sign = Box("sup", parts=(op("∂"), count)) if len(subs) > 1 else op("∂")
        return self.slope(row([sign, self.of(x, 9)]), low)

    def slope(self, top: Box, low: Box) -> Box:
        return Box("frac", parts=(top, low, top, low))

    def slopes(self, e: Node) -> Box:
        letter, held, x = e.args
        low = row([op("∂"), Box("id", self.letter(letter))])
        found = self.slope(row([op("∂"), self.of(x, 9)]), low)
        names = ", ".join(map(self.letter, held))
        return row([found, words(f" (constant {names})")]) if held else found

    def function(self, e: Node) -> Box:
        name, args = e.args
        x = args[0]
        if name in ("T", "inv"):
            if name == "T" and x.op == "f" and x.args[0] == "inv":
                return Box("sup", parts=(self.of(x.args[1][0], 9), words("−T")))
            mark = words("T") if name == "T" else Box("num", "−1")
            return Box("sup", parts=(self.of(x, 9), mark))
        if name == "skew":
            return row([op("~"), self.of(x, 5)])
        if name == "bracket":
            return fence("[]", joined([self.of(y) for y in args], ", "))
        if name in ("ad", "Ad"):
            keep = [self.of(y) for y in args if y.op != "number"]
            return Box("sub", parts=(Box("fn", name), joined(keep, ", ")))
        if name == "positive":
            return fence("{}", row([self.of(x), op(" > "), Box("num", "0")]))
        if name in ("zeros", "eye"):
            return Box("num", "0" if name == "zeros" else "1")
        return row([Box("fn", name), fence("()", joined([self.of(y) for y in args], ", "))])

    def name(self, e: Node, dots: int = 0) -> Box:
        letter, low, high = e.args
        base, _, own = self.letter(letter).partition("_")
        found = Box("id", base)
        if dots:
            found = Box("dots", "˙" * dots, (found,))
        mine = [str(sub) for sub in low]
        between = "," if len(mine) > 1 and any(len(x) > 1 for x in mine) else ""
        below = ",".join(x for x in (own.strip("{}"), between.join(mine)) if x)
        if below:
            found = Box("sub", parts=(found, words(below)))
        if high:
            found = Box("sup", parts=(found, words("".join(map(str, high)))))
        return found

    def letter(self, name: str) -> str:
        return self.local.get(name) or self.paper.shown(name)


def conditions(found: Sequence[Condition]) -> Box:
    return words(", ".join(map(str, found)))


LAYOUTS: dict[str, Callable[[_Layout, Node], Box]] = {
    "number": _Layout.number,
    "if": _Layout.condition,
    "+": _Layout.sum,
    "*": _Layout.product,
    "/": _Layout.over,
    "×": _Layout.cross,
    "'": _Layout.rate,
    "^": _Layout.power,
    "part": _Layout.part,
    "rows": _Layout.rows,
    "f": _Layout.function,
    "Σ": _Layout.big,
    "∂": _Layout.partial,
    "grad": _Layout.slopes,
    "name": _Layout.name,
    "stack": _Layout.stack,
}
