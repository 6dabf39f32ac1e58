"""A document as LaTeX, for lualatex or xelatex: its text holds letters beyond ASCII."""

from __future__ import annotations

from collections.abc import Iterator

from ...symbolic.equations import alphabets
from . import document as doc
from .words import (
    latex_formula,
    latex_letters,
    latex_line,
    latex_name,
    latex_numbers,
    latex_text,
)
from .writer import Writer

PREAMBLE = r"""% !TeX program = lualatex
\documentclass[a4paper,10pt]{article}
\usepackage[margin=20mm]{geometry}
\usepackage{fontspec,amsmath,amssymb,adjustbox,fvextra,longtable,array}
\usepackage[hidelinks]{hyperref}
\setmainfont{DejaVu Serif}
\setmonofont{DejaVu Sans Mono}[Scale=0.8]
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\setcounter{MaxMatrixCols}{60}
\newcommand{\fitted}[1]{\par\adjustbox{max width=\linewidth}{$\displaystyle #1$}\par}
\begin{document}
"""


def latex(document: doc.Document) -> str:
    """The whole document.

    Source
        own
    """
    writer = _Latex()
    lines = [PREAMBLE + rf"\section*{{{latex_text(document.title)}}}", latex_text(document.lead)]
    lines += ["", r"\tableofcontents"]
    for section in document.sections:
        lines += ["", rf"\section{{{latex_text(section.title)}}}\label{{{section.anchor}}}"]
        lines += writer.blocks(section.blocks)
    if document.command:
        lines += ["", rf"\bigskip Written by \texttt{{{latex_text(document.command)}}}"]
    return "\n".join([*lines, r"\end{document}", ""])


class _Latex(Writer):
    def prose(self, block: doc.Prose) -> Iterator[str]:
        yield "\n" + latex_text(block.text)

    def items(self, block: doc.Items) -> Iterator[str]:
        items = (rf"  \item {latex_text(text)}" for text in block.texts)
        yield "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])

    def formula(self, block: doc.Formula) -> Iterator[str]:
        if block.says or block.source:
            words = " — ".join(x for x in (block.says, block.source) if x)
            yield "\n" + rf"\textit{{{latex_text(words)}}}"
        if block.more:
            yield rf"${latex_name(block.name)}$ is {latex_text(block.more)}"
        if content := latex_formula(block):
            yield rf"\fitted{{{content}}}"
        if block.rows:
            yield latex_text(f"rows: {'; '.join(block.rows)}")

    def table(self, block: doc.Table) -> Iterator[str]:
        width = 0.94 / len(block.head)
        columns = rf">{{\raggedright\arraybackslash}}p{{{width:.3f}\linewidth}}" * len(block.head)
        yield rf"\begin{{longtable}}{{{columns}}}"
        yield " & ".join(rf"\textbf{{{latex_text(x)}}}" for x in block.head) + r" \\ \hline"
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
        return latex_text(text)

    def cell_line(self, cell: doc.Line) -> str:
        return latex_line(cell.text, latex_text)

    def cell_lines(self, cell: doc.Lines) -> str:
        lines = (latex_line(text, latex_text) for text in cell.texts)
        return r" \newline ".join(lines)

    def cell_laid(self, cell: doc.Laid) -> str:
        return r" \newline ".join(f"${alphabets.latex(box)}$" for box in cell.boxes)

    def cell_link(self, cell: doc.Link) -> str:
        return rf"\hyperref[{cell.anchor}]{{{latex_text(cell.text)}}}"

    def cell_letters(self, cell: doc.Letters) -> str:
        return f"${latex_letters(cell)}$"

    def cell_numbers(self, cell: doc.Numbers) -> str:
        return rf"\adjustbox{{max width=\linewidth}}{{${latex_numbers(cell)}$}}"

    def cell_page(self, cell: doc.Page) -> str:
        return latex_text(cell.text)

    def cell_typed(self, cell: doc.Typed) -> str:
        return rf"\texttt{{{latex_text(cell.text)}}}"
