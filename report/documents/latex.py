"""A document as LaTeX, for lualatex or xelatex: its text holds letters beyond ASCII."""

from __future__ import annotations

from collections.abc import Iterator

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
from .words import latex_formula, latex_name, latex_numbers, latex_text

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


def latex(document: Document) -> str:
    """The whole document.

    Source
        own
    """
    lines = [PREAMBLE + rf"\section*{{{latex_text(document.title)}}}", latex_text(document.lead)]
    lines += ["", r"\tableofcontents"]
    for section in document.sections:
        lines += ["", rf"\section{{{latex_text(section.title)}}}\label{{{section.anchor}}}"]
        for block in section.blocks:
            lines += _block(block)
    if document.command:
        lines += ["", rf"\bigskip Written by \texttt{{{latex_text(document.command)}}}"]
    return "\n".join([*lines, r"\end{document}", ""])


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Prose):
        yield "\n" + latex_text(block.text)
    elif isinstance(block, Items):
        items = (rf"  \item {latex_text(text)}" for text in block.texts)
        yield "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])
    elif isinstance(block, Formula):
        yield from _formula(block)
    elif isinstance(block, Table):
        yield from _table(block)
    elif isinstance(block, Code):
        options = "breaklines,breakanywhere,fontsize=\\scriptsize,frame=leftline"
        yield f"\\begin{{Verbatim}}[{options}]\n{block.text}\n\\end{{Verbatim}}"
    elif isinstance(block, Drawing):
        yield ""
    elif isinstance(block, Beside):
        for each in (*block.left, *block.right):
            yield from _block(each)
    elif isinstance(block, Fold):
        yield rf"\subsection*{{{latex_text(block.title)}}}\phantomsection\label{{{block.anchor}}}"
        for each in block.blocks:
            yield from _block(each)


def _formula(block: Formula) -> Iterator[str]:
    if block.says or block.source:
        words = " — ".join(x for x in (block.says, block.source) if x)
        yield "\n" + rf"\textit{{{latex_text(words)}}}"
    if block.more:
        yield rf"${latex_name(block.name)}$ is {latex_text(block.more)}"
    if content := latex_formula(block):
        yield rf"\fitted{{{content}}}"


def _table(block: Table) -> Iterator[str]:
    width = 0.94 / len(block.head)
    columns = rf">{{\raggedright\arraybackslash}}p{{{width:.3f}\linewidth}}" * len(block.head)
    yield rf"\begin{{longtable}}{{{columns}}}"
    yield " & ".join(rf"\textbf{{{latex_text(x)}}}" for x in block.head) + r" \\ \hline"
    for row in block.rows:
        yield " & ".join(map(_cell, row)) + r" \\"
    yield r"\end{longtable}"


def _cell(cell: Cell) -> str:
    if isinstance(cell, Link):
        return rf"\hyperref[{cell.anchor}]{{{latex_text(cell.text)}}}"
    if isinstance(cell, Letters):
        return f"${latex_name(cell.name)}$"
    if isinstance(cell, Numbers):
        return rf"\adjustbox{{max width=\linewidth}}{{${latex_numbers(cell)}$}}"
    if isinstance(cell, Typed):
        return rf"\texttt{{{latex_text(cell.text)}}}"
    return latex_text(cell.text if isinstance(cell, Page) else cell)
