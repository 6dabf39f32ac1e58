"""A study's page: Markdown with its plots, drawings and tables beside it."""

from __future__ import annotations

import csv
import textwrap
from collections.abc import Sequence
from pathlib import Path

from ...report.drawing.svg import svg
from ...runtime.extras import require
from ...runtime.files import made_beside
from .study import Block, Picture, Plot, Section, Study, Table

#: Columns of a paragraph.
LINE = 110


def page(study: Study, sections: Sequence[Section], *, note: str = "", images: bool = True) -> str:
    """The page as Markdown; `note` stands below its head; without `images` their captions alone.

    Source
        own
    """
    parts = [f"# {study.title}", *map(_flowing, filter(None, (study.about, note)))]
    for section in sections:
        parts += [f"## {section.title}", *(_block(block, images) for block in section.blocks)]
    return "\n\n".join(parts) + "\n"


def _block(block: Block, images: bool) -> str:
    if isinstance(block, str):
        return _flowing(block)
    if isinstance(block, Table):
        rows = (block.heads, ("---",) * len(block.heads), *block.rows)
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)
    caption = " ".join(block.caption.split())
    suffix = "png" if isinstance(block, Plot) else "svg"
    if not images:
        return f"*{block.name}.{suffix}: {caption}*"
    return f"![{caption}]({block.name}.{suffix})\n\n{_flowing(f'*{caption}*')}"


def _flowing(text: str) -> str:
    """A paragraph with lines of one length."""
    return textwrap.fill(
        " ".join(text.split()), LINE, break_long_words=False, break_on_hyphens=False
    )


def save(folder: Path, study: Study, sections: Sequence[Section], *, note: str = "") -> None:
    """Write README.md, plots (.png), drawings (.svg) and tables (.csv) into a folder.

    Raises
        ToolchainError: matplotlib is missing (extra `plot`).
        UsageError: the folder cannot be written.

    Source
        own
    """
    folder.mkdir(parents=True, exist_ok=True)
    with made_beside(folder) as scratch:
        for section in sections:
            for block in section.blocks:
                if isinstance(block, Plot):
                    _plot(scratch / f"{block.name}.png", block)
                elif isinstance(block, Picture):
                    (scratch / f"{block.name}.svg").write_text(svg(block.scene), encoding="utf-8")
                elif isinstance(block, Table) and block.name:
                    _rows(scratch / f"{block.name}.csv", block)
        text = page(study, sections, note=note)
        (scratch / "README.md").write_text(text, encoding="utf-8")


def _plot(path: Path, plot: Plot) -> None:
    figure_type = require("matplotlib.figure", extra="plot", purpose="a study's plots").Figure
    figure = figure_type(figsize=plot.size, layout="constrained")
    plot.draw(figure)
    figure.suptitle(plot.by, fontsize=9, color="0.35")
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _rows(path: Path, table: Table) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.heads)
        writer.writerows(table.rows)
