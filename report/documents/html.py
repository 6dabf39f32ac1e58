"""A document as one HTML page: no script is needed to read it but to open what is folded."""

from __future__ import annotations

import re
from dataclasses import dataclass

import sympy as sp
from markupsafe import Markup

from .. import mathml, page
from ..environment import environment
from .document import (
    Beside,
    Block,
    Cell,
    Code,
    Document,
    Drawing,
    Fold,
    Formula,
    Items,
    Letters,
    Link,
    Numbers,
    Page,
    Prose,
    Table,
    Typed,
)

#: How many characters of folded parts stand in the page at once; what is beyond waits in a
#: template until it is opened, so that a browser has less than 15,000 nodes before.
AT_ONCE = 60_000


#: Numbers of errata, which only the page of the paper's results can lead to.
_ERRATA = re.compile(r'<a href="#X\d+">(X\d+)</a>')


def prose(text: str) -> str:
    """Text with its indices lowered."""
    return _ERRATA.sub(r"\1", page.prose(text))


@dataclass
class _Writer:
    """Writes blocks; counts what a browser draws at once."""

    drawn: int = 0

    def blocks(self, blocks: tuple[Block, ...]) -> Markup:
        return Markup("\n").join(self.block(block) for block in blocks)

    def block(self, block: Block) -> Markup:
        return getattr(self, f"_{type(block).__name__.lower()}")(block)  # type: ignore[no-any-return]

    def _prose(self, block: Prose) -> Markup:
        kind = Markup(' class="{}"').format(block.kind) if block.kind else Markup("")
        sign = {"good": "✓ ", "bad": "✗ "}.get(block.kind, "")
        return Markup("<p{}>{}{}</p>").format(kind, sign, Markup(prose(block.text)))

    def _items(self, block: Items) -> Markup:
        if block.typed:
            codes = (Markup("<code>{}</code>").format(text) for text in block.texts)
            return Markup("<p>{}</p>").format(Markup(" ").join(codes))
        rows = Markup("").join(
            Markup("<li>{}</li>").format(Markup(prose(text))) for text in block.texts
        )
        return Markup("<ul>{}</ul>").format(rows)

    def _formula(self, block: Formula) -> Markup:
        parts = []
        if block.says:
            parts.append(Markup('<div class="says">{}</div>').format(Markup(prose(block.says))))
        inner = []
        if block.value is not None:
            inner.append(_scroll(Markup(_equality(block)), "formula"))
        elif block.more:
            name = Markup(mathml.inline(mathml.quantity(block.name)))
            inner.append(Markup('<div class="more">{} is {}</div>').format(name, block.more))
        elif block.name:
            inner.append(
                Markup('<div class="name">{}<span class="is"> =</span></div>').format(
                    Markup(mathml.inline(mathml.quantity(block.name)))
                )
            )
        if block.numbers is not None:
            inner.append(_scroll(_numbers(block.numbers), "numbers"))
        parts.append(Markup('<div class="equality">{}</div>').format(Markup("").join(inner)))
        if block.source:
            parts.append(Markup('<div class="source">{}</div>').format(Markup(prose(block.source))))
        return Markup('<div class="statement">{}</div>').format(Markup("").join(parts))

    def _table(self, block: Table) -> Markup:
        head = Markup("").join(
            Markup("<th scope=col>{}</th>").format(Markup(prose(x))) for x in block.head
        )
        rows = []
        for k, row in enumerate(block.rows):
            kind = Markup(' data-kind="{}"').format(block.kinds[k]) if block.kinds else Markup("")
            at = Markup(' id="{}"').format(block.anchors[k]) if block.anchors else Markup("")
            cells = Markup("").join(Markup("<td>{}</td>").format(_cell(cell)) for cell in row)
            rows.append(Markup("<tr{}{}>{}</tr>").format(kind, at, cells))
        table = Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(
            head, Markup("\n").join(rows)
        )
        return _scroll(table, "wide")

    def _code(self, block: Code) -> Markup:
        return Markup(
            '<pre class="code" tabindex="0" role="group" aria-label="code">{}</pre>'
        ).format(block.text)

    def _drawing(self, block: Drawing) -> Markup:
        return Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(
            _scroll(Markup(block.svg), "drawing"), block.words
        )

    def _beside(self, block: Beside) -> Markup:
        return Markup('<div class="beside"><div>{}</div><div>{}</div></div>').format(
            self.blocks(block.left), self.blocks(block.right)
        )

    def _fold(self, block: Fold) -> Markup:
        inside = self.blocks(block.blocks)
        self.drawn += len(inside)
        if not block.opened and self.drawn > AT_ONCE:
            inside = Markup("<template>{}</template>").format(inside)
        return Markup(
            '<details id="{}"{}><summary>{}</summary><div class="inside">{}</div></details>'
        ).format(
            block.anchor,
            Markup(" open") if block.opened else "",
            Markup(prose(block.title)),
            inside,
        )


def _equality(block: Formula) -> str:
    value = block.value
    zero = isinstance(value, sp.MatrixBase) and all(x == 0 for x in value)
    content = mathml.formula(sp.S.Zero if zero else value)
    if block.shaded:
        content = content.replace('class="matrix"', 'class="matrix shaded"')
    if block.matrix is not None:
        inverse = mathml.formula(block.matrix)
        content = f"<msup>{inverse}<mrow><mo>−</mo><mn>1</mn></mrow></msup>{mathml.TIMES}{content}"
    if block.name:
        content = f"{mathml.quantity(block.name)}<mo>=</mo>{content}"
    return mathml.math(f"<mrow>{content}</mrow>")


def _numbers(numbers: Numbers) -> Markup:
    if len(numbers.rows) == 1 and len(numbers.rows[0]) == 1:
        return Markup('<span class="number">{}</span>').format(numbers.rows[0][0])
    return Markup('<span class="nums">{}</span>').format("\n".join(numbers.lines()))


def _scroll(content: Markup, kind: str) -> Markup:
    """What may be wider than the page scrolls by itself, and by the keyboard."""
    if kind == "numbers" and "\n" not in content and len(content) < 65:
        return Markup('<div class="{}">{}</div>').format(kind, content)
    label = {"wide": "table", "drawing": "drawing", "numbers": "numbers"}.get(kind, "formula")
    return Markup(
        '<div class="scroll {}" tabindex="0" role="group" aria-label="{}">{}</div>'
    ).format(kind, label, content)


def _cell(cell: Cell) -> Markup:
    if isinstance(cell, Link):
        return Markup('<a href="#{}">{}</a>').format(cell.anchor, cell.text)
    if isinstance(cell, Typed):
        return Markup("<code>{}</code>").format(cell.text)
    if isinstance(cell, Page):
        return Markup('<a href="{}">{}</a>').format(cell.file, cell.text)
    if isinstance(cell, Letters):
        return Markup(mathml.inline(mathml.quantity(cell.name)))
    if isinstance(cell, Numbers):
        return _numbers(cell)
    return Markup(prose(cell))


def html(document: Document) -> str:
    """The page's text; the same for the same document.

    Source
        own
    """
    writer = _Writer()
    sections = [(s.title, s.anchor, writer.blocks(s.blocks)) for s in document.sections]
    return (
        environment()
        .get_template("html/document.html.jinja")
        .render(
            document=document,
            lead=Markup(prose(document.lead)),
            sections=sections,
        )
    )
