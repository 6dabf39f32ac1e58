"""A document as LaTeX, for lualatex or xelatex: its text holds letters beyond ASCII."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...symbolic.equations import alphabets
from ...symbolic.equations.layout import Box
from .. import written
from ..formulas import quantity
from . import document as doc
from .words import (
    latex_letters,
    latex_name,
    latex_numbers,
    latex_sides,
    latex_text,
    named,
)
from .writer import Writer

PREAMBLE = r"""% !TeX program = lualatex
\documentclass[a4paper,10pt]{article}
\usepackage[margin=20mm]{geometry}
\usepackage{fontspec,amsmath,amssymb,adjustbox,fvextra,longtable,array,newunicodechar}
\usepackage[hidelinks]{hyperref}
\setmainfont{DejaVu Serif}
\setmonofont{DejaVu Sans Mono}[Scale=0.8]
% What these fonts lack:
\newunicodechar{𝟎}{\textbf{0}}
\newunicodechar{𝟏}{\textbf{1}}
\newunicodechar{ℓ}{\ensuremath{\ell}}
\newunicodechar{✓}{\ensuremath{\checkmark}}
\setlength{\parindent}{0pt}
\setlength{\emergencystretch}{3em}
\setlength{\parskip}{4pt}
\setcounter{MaxMatrixCols}{60}
\makeatletter\renewcommand{\l@section}{\@dottedtocline{1}{0pt}{2em}}\makeatother
\newcommand{\within}[1]{\adjustbox{max width=\linewidth,margin=0pt 1pt}{$#1$}}
\newcommand{\fitted}[1]{\par\adjustbox{max width=\linewidth}{$\displaystyle #1$}\par}
\newcommand{\both}[2]{\sbox0{$\displaystyle #1 = #2$}%
  \ifdim\wd0>\linewidth\fitted{#1}\fitted{\qquad = #2}\else\par\usebox0\par\fi}
\begin{document}
"""


#: What keeps TeX from breaking a line, and a comma at which it may.
UNBROKEN, COMMA = re.compile(r"\\(left|right)(?![a-z])"), r",\allowbreak "


def latex(document: doc.Document) -> str:
    """The whole document.

    Source
        own
    """
    writer = _Latex()
    lines = [PREAMBLE + rf"\section*{{{latex_text(document.title)}}}", _prose(document.lead)]
    lines += ["", r"\tableofcontents"]
    for section in document.sections:
        lines += ["", rf"\section{{{latex_text(section.title)}}}\label{{{section.anchor}}}"]
        lines += writer.blocks(section.blocks)
    if document.command:
        lines += ["", rf"\bigskip Written by \texttt{{{latex_text(document.command)}}}"]
    return "\n".join([*lines, r"\end{document}", ""])


def _prose(text: str) -> str:
    """Text with its formulas; what may be a word is a word."""
    parts = written.parts(text)
    return "".join(_inline(x.box) if x.box and x.is_telling else latex_text(x.text) for x in parts)


def _line(text: str) -> str:
    """Formulas in a line, with the words between them."""
    return "".join(_inline(x.box) if x.box else latex_text(x.text) for x in written.parts(text))


def _inline(box: Box) -> str:
    """A formula in running text, whose lines TeX may break at any sign."""
    return f"${UNBROKEN.sub('', alphabets.latex(box)).replace(',', COMMA)}$"


def _within(formula: str) -> str:
    """A formula no wider than its cell."""
    return rf"\within{{{formula}}}"


class _Latex(Writer):
    def prose(self, block: doc.Prose) -> Iterator[str]:
        yield "\n" + _prose(block.text)

    def items(self, block: doc.Items) -> Iterator[str]:
        items = (rf"  \item {_prose(text)}" for text in block.texts)
        yield "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])

    def formula(self, block: doc.Formula) -> Iterator[str]:
        if block.says or block.source:
            words = _line(block.says), latex_text(block.source)
            yield "\n" + " — ".join(x for x in words if x)
        if block.more:
            yield rf"${latex_name(block.name)}$ is {latex_text(block.more)}"
        sides = latex_sides(block)
        if sides:
            command = r"\both" if len(sides) > 1 else r"\fitted"
            yield command + "".join(f"{{{x}}}" for x in sides)
        if block.rows:
            yield latex_text(f"rows: {'; '.join(block.rows)}")

    def table(self, block: doc.Table) -> Iterator[str]:
        width = rf"\dimexpr\linewidth/{len(block.head)}-2\tabcolsep\relax"
        columns = rf">{{\raggedright\arraybackslash}}p{{{width}}}" * len(block.head)
        yield rf"\begin{{longtable}}{{{columns}}}"
        yield " & ".join(rf"\textbf{{{latex_text(x)}}}" for x in block.head)
        yield r"\\ \hline\noalign{\smallskip}\endhead"
        for row in block.rows:
            yield " & ".join(map(self.cell, row)) + r" \\"
        yield r"\end{longtable}"

    def code(self, block: doc.Code) -> Iterator[str]:
        options = "breaklines,breakanywhere,fontsize=\\scriptsize,frame=leftline"
        yield f"\\begin{{Verbatim}}[{options}]\n{block.text}\n\\end{{Verbatim}}"

    def drawing(self, block: doc.Drawing) -> Iterator[str]:
        yield ""

    def fold(self, block: doc.Fold) -> Iterator[str]:
        yield rf"\subsection*{{{latex_text(block.title)}}}\phantomsection\label{{{block.anchor}}}"
        yield from self.blocks(block.blocks)

    def cell_text(self, text: str) -> str:
        return _prose(text)

    def cell_line(self, cell: doc.Line) -> str:
        return _line(cell.text)

    def cell_lines(self, cell: doc.Lines) -> str:
        return r" \newline ".join(map(_line, cell.texts))

    def cell_formulas(self, cell: doc.Formulas) -> str:
        drawn = (named(x, value) if value is not None else quantity(x) for x, value in cell.values)
        lines = [*(_within(alphabets.latex(box)) for box in drawn), _prose(cell.words)]
        return r" \newline ".join(filter(None, lines))

    def cell_laid(self, cell: doc.Laid) -> str:
        return r" \newline ".join(map(_inline, cell.boxes))

    def cell_link(self, cell: doc.Link) -> str:
        return rf"\hyperref[{cell.anchor}]{{{latex_text(cell.text)}}}"

    def cell_letters(self, cell: doc.Letters) -> str:
        return f"${latex_letters(cell)}$"

    def cell_numbers(self, cell: doc.Numbers) -> str:
        return _within(latex_numbers(cell))

    def cell_page(self, cell: doc.Page) -> str:
        return latex_text(cell.text)

    def cell_typed(self, cell: doc.Typed) -> str:
        return rf"\texttt{{{latex_text(cell.text)}}}"
