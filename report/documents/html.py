"""A document as one HTML page: no script is needed to read it but to open what is folded."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from html import escape

import sympy as sp
from markupsafe import Markup

from ...symbolic.equations.alphabets import mathml
from ...symbolic.equations.citations import with_numbers
from ...symbolic.equations.layout import Box
from ...symbolic.equations.layout import row as in_a_row
from .. import written
from ..environment import environment
from ..formulas import quantity, symbol
from . import document as doc
from .words import EMPHASIS, laid, named
from .writer import Writer

#: How many characters of folded parts stand in the page at once; what is beyond waits in a
#: template until it is opened, so that a browser has less than 15,000 nodes before.
AT_ONCE = 60_000


#: The tab that all sections are shown with.
EVERY = "all"

#: A formula with more characters of MathML than this is folded.
FOLDED = 60_000

#: What a statement says in so many characters fits a phone.
NARROW = 36

#: How small a drawing becomes on a narrow page, of its own size.
SHRUNK = 0.65


def prose(text: str, places: Container[str] = ()) -> str:
    """Text with its formulas as MathML and its emphasis; marks of errata and papers' equations
    lead to their places.

    What may be a word is a word: a letter alone, `panda_link7`, marks of corrections (`E15:`).
    """
    return "".join(
        _broken(part) if part.box and part.is_telling else _words(part.text, places)
        for part in written.parts(text)
    )


def _words(text: str, places: Container[str]) -> str:
    marked = EMPHASIS.sub(r"<em>\1</em>", escape(text, quote=False))
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", marked)
    marked = re.sub(r"\bX\d+\b", lambda at: _leading(at[0], at[0], places), marked)
    return _cited(marked, places)


def _cited(marked: str, places: Container[str]) -> str:
    """A text with its citations leading to the equations that the page has."""
    return with_numbers(
        marked, lambda said, paper, number: _leading(said, doc.place_of(paper, number), places)
    )


def _leading(said: str, place: str, places: Container[str]) -> str:
    return f'<a href="#{place}">{said}</a>' if place in places else said


class _Html(Writer):
    """Writes blocks; counts what a browser draws at once."""

    def __init__(self, places: Container[str]) -> None:
        self.drawn, self.places = 0, places

    def words(self, text: str) -> Markup:
        return Markup(prose(text, self.places))

    def joined(self, blocks: Iterable[doc.Block]) -> Markup:
        return Markup("\n").join(self.blocks(blocks))

    def prose(self, block: doc.Prose) -> Iterator[Markup]:
        kind = Markup(' class="{}"').format(block.kind) if block.kind else Markup("")
        sign = {"good": "✓ ", "bad": "✗ "}.get(block.kind, "")
        yield Markup("<p{}>{}{}</p>").format(kind, sign, self.words(block.text))

    def items(self, block: doc.Items) -> Iterator[Markup]:
        if block.typed:
            codes = (Markup("<code>{}</code>").format(text) for text in block.texts)
            yield Markup("<p>{}</p>").format(Markup(" ").join(codes))
            return
        rows = Markup("").join(
            Markup("<li>{}</li>").format(self.words(text)) for text in block.texts
        )
        yield Markup("<ul>{}</ul>").format(rows)

    def formula(self, block: doc.Formula) -> Iterator[Markup]:
        parts = []
        if block.says:
            parts.append(_scroll(line(block.says), "says", len(block.says) < NARROW))
        inner = []
        if block.value is not None:
            inner.append(_equality(block))
        elif block.more:
            name = inline(quantity(block.name))
            inner.append(Markup('<div class="more">{} is {}</div>').format(name, block.more))
        elif block.name:
            inner.append(
                Markup('<div class="name">{}<span class="is"> =</span></div>').format(
                    inline(quantity(block.name))
                )
            )
        if block.numbers is not None:
            numbers = _numbers(block.numbers)
            fits = "\n" not in numbers and len(numbers) < 65
            inner.append(_scroll(numbers, "numbers", fits))
        parts.append(Markup('<div class="equality">{}</div>').format(Markup("").join(inner)))
        if block.rows:
            rows = f"rows: {'; '.join(block.rows)}"
            parts.append(Markup('<div class="caption">{}</div>').format(self.words(rows)))
        if block.source:
            parts.append(Markup('<div class="source">{}</div>').format(self.words(block.source)))
        yield Markup('<div class="statement">{}</div>').format(Markup("").join(parts))

    def table(self, block: doc.Table) -> Iterator[Markup]:
        head = Markup("").join(
            Markup('<th scope="col">{}</th>').format(self.words(x)) for x in block.head
        )
        rows = []
        for k, row in enumerate(block.rows):
            kind = Markup(' data-kind="{}"').format(block.kinds[k]) if block.kinds else Markup("")
            at = Markup(' id="{}"').format(block.anchors[k]) if block.anchors else Markup("")
            cells = Markup("").join(Markup("<td>{}</td>").format(self.cell(cell)) for cell in row)
            rows.append(Markup("<tr{}{}>{}</tr>").format(kind, at, cells))
        table = Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(
            head, Markup("\n").join(rows)
        )
        yield _scroll(table, "wide")

    def code(self, block: doc.Code) -> Iterator[Markup]:
        yield Markup(
            '<pre class="code" tabindex="0" role="group" aria-label="code">{}</pre>'
        ).format(Markup(_cited(escape(block.text, quote=False), self.places)))

    def listing(self, block: doc.Listing) -> Iterator[Markup]:
        rows = []
        for x in block.lines:
            control = Markup("<b>{}</b> ").format(x.control) if x.control else Markup("")
            source = Markup('<span class="source">{}</span>').format(self.words(x.source))
            rows.append(
                Markup('<li class="in{}"{}>{}{}</li>').format(
                    x.depth,
                    _of(x.of),
                    _scroll(control + line(x.text), "line", len(x.text) + 4 * x.depth < NARROW),
                    source if x.source else "",
                )
            )
        yield Markup('<ol class="listing">{}</ol>').format(Markup("\n").join(rows))

    def drawing(self, block: doc.Drawing) -> Iterator[Markup]:
        yield Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(
            _scroll(Markup(_readable(block.svg)), "drawing"), block.words
        )

    def picture(self, block: doc.Picture) -> Iterator[Markup]:
        yield Markup('<figure><img src="{}" alt="{}"><figcaption>{}</figcaption></figure>').format(
            block.file, block.words, self.words(block.words)
        )

    def beside(self, block: doc.Beside) -> Iterator[Markup]:
        left, right = self.joined(block.left), self.joined(block.right)
        if any(isinstance(each, doc.Code) for each in block.right):
            right = Markup("<details><summary>C</summary><div>{}</div></details>").format(right)
            yield Markup('<div class="beside coded"><div>{}</div>{}</div>').format(left, right)
        else:
            yield Markup('<div class="beside even"><div>{}</div><div>{}</div></div>').format(
                left, right
            )

    def tabs(self, block: doc.Tabs) -> Iterator[Markup]:
        rows = (
            Markup(
                '<input type="radio" name="shown" id="tab-{}"{}><label for="tab-{}">{}</label>'
            ).format(name, Markup(' checked=""') if k == 0 else "", name, words)
            for k, (name, words) in enumerate((*block.tabs, (EVERY, "all of them")))
        )
        yield Markup(
            '<fieldset class="tabs"><legend>Show the steps of</legend>{}</fieldset>'
        ).format(Markup("").join(rows))

    def links(self, block: doc.Links) -> Iterator[Markup]:
        links = (
            Markup('<li><a class="chip {}" href="#{}"><span>{}</span></a></li>').format(
                link.kind, link.anchor, self.words(link.text)
            )
            for link in block.links
        )
        yield Markup('<ul class="contents">{}</ul>').format(Markup("").join(links))

    def fold(self, block: doc.Fold) -> Iterator[Markup]:
        inside = self.joined(block.blocks)
        self.drawn += len(inside)
        later = self.drawn > AT_ONCE
        if later:
            inside = Markup("<template>{}</template>").format(inside)
        yield Markup(
            '<details id="{}"{}><summary>{}</summary><div class="inside">{}</div></details>'
        ).format(
            block.anchor,
            Markup(' open=""') if block.opened and not later else "",
            self.words(block.title),
            inside,
        )

    def cell_text(self, text: str) -> Markup:
        return self.words(text)

    def cell_line(self, cell: doc.Line) -> Markup:
        return line(cell.text)

    def cell_lines(self, cell: doc.Lines) -> Markup:
        fit = (_scroll(line(text), "formula", len(text) < NARROW) for text in cell.texts)
        return Markup("").join(fit)

    def cell_formulas(self, cell: doc.Formulas) -> Markup:
        parts = [
            inline(quantity(name))
            if value is None
            else _scroll(display(named(name, value)), "formula")
            for name, value in cell.values
        ]
        if cell.words:
            parts.append(Markup('<div class="words">{}</div>').format(self.words(cell.words)))
        return Markup('<div class="data">{}</div>').format(Markup(" ").join(parts))

    def cell_laid(self, cell: doc.Laid) -> Markup:
        drawn = (inline(box) for box in cell.boxes)
        return Markup("").join(_scroll(Markup(one), "formula") for one in drawn)

    def cell_link(self, cell: doc.Link) -> Markup:
        return Markup('<a href="#{}">{}</a>').format(cell.anchor, cell.text)

    def cell_letters(self, cell: doc.Letters) -> Markup:
        return inline((symbol if cell.scalar else quantity)(cell.name))

    def cell_numbers(self, cell: doc.Numbers) -> Markup:
        return _numbers(cell)

    def cell_page(self, cell: doc.Page) -> Markup:
        return Markup('<a href="{}">{}</a>').format(cell.file, cell.text)

    def cell_typed(self, cell: doc.Typed) -> Markup:
        return Markup("<code>{}</code>").format(cell.text)


def display(box: Box) -> Markup:
    """A displayed formula."""
    whole = box if box.kind == "row" else in_a_row([box])
    return Markup(f'<math display="block">{mathml(whole)}</math>')


def inline(box: Box) -> Markup:
    """A formula in running text."""
    return Markup(f"<math>{mathml(box)}</math>")


def _broken(part: written.Part) -> Markup:
    """A formula in running text; a long one may go on in the next line after each relation."""
    pieces = [*part.lines()] if len(part.text) > NARROW else [part.box]
    return Markup("<wbr/>").join(inline(x) for x in pieces if x)


def line(text: str) -> Markup:
    """Formulas in a line, with the words between them."""
    return Markup("").join(
        inline(part.box) if part.box else part.text for part in written.parts(text)
    )


def _readable(svg: str) -> str:
    """A drawing that is scrolled rather than shrunk until its names cannot be read."""
    width = re.search(r' width="([\d.]+)"', svg)
    least = f"min-width: {SHRUNK * float(width[1]):.0f}px; " if width else ""
    return svg.replace('style="', f'style="{least}', 1)


def _equality(block: doc.Formula) -> Markup:
    """The formula; one that fills a screen waits behind its name and size."""
    drawn = _scroll(display(laid(block)), "formula")
    value = block.value
    if len(drawn) <= FOLDED or not isinstance(value, sp.MatrixBase):
        return drawn
    return Markup("<details><summary>{} ({} × {})</summary>{}</details>").format(
        inline(quantity(block.name)), value.rows, value.cols, drawn
    )


def _numbers(numbers: doc.Numbers) -> Markup:
    if len(numbers.rows) == 1 and len(numbers.rows[0]) == 1:
        return Markup('<span class="number">{}</span>').format(numbers.rows[0][0])
    return Markup('<span class="nums">{}</span>').format("\n".join(numbers.lines()))


def _of(tabs: Iterable[str]) -> Markup:
    """The attribute that says with which tabs something is shown, if not with all."""
    names = " ".join(tabs)
    return Markup(' data-of="{}"').format(names) if names else Markup("")


def _scroll(content: Markup, kind: str, fits: bool = False) -> Markup:
    """What may be wider than the page scrolls by itself, and by the keyboard."""
    if fits:
        return Markup('<div class="{}">{}</div>').format(kind, content)
    label = {"wide": "table", "drawing": "drawing", "numbers": "numbers"}.get(kind, "formula")
    return Markup(
        '<div class="scroll {}" tabindex="0" role="group" aria-label="{}">{}</div>'
    ).format(kind, label, content)


def fragment(blocks: Iterable[doc.Block]) -> str:
    """Blocks alone, for a page of another's making.

    Source
        own
    """
    return _Html(()).joined(blocks)


def html(document: doc.Document) -> str:
    """The page's text; the same for the same document.

    Source
        own
    """
    blocks = [*doc.every_block(x for section in document.sections for x in section.blocks)]
    tabs = [name for block in blocks if isinstance(block, doc.Tabs) for name, _ in block.tabs]
    writer = _Html({x for block in blocks if isinstance(block, doc.Table) for x in block.anchors})
    sections = [(s.title, s.anchor, _of(s.of), writer.joined(s.blocks)) for s in document.sections]
    return (
        environment()
        .get_template("html/document.html.jinja")
        .render(
            document=document,
            lead=Markup(prose(document.lead)),
            sections=sections,
            tabs=tabs,
        )
    )
