"""A study as a document, and as a folder with its plots, drawings and tables beside it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from ...report.documents import document as doc
from ...report.documents.plain import markdown
from ...report.drawing.svg import svg
from ...runtime.extras import require
from ...runtime.files import made_beside
from .study import Block, Picture, Plot, Section, Study, Table


def study_document(study: Study, sections: Sequence[Section], *, note: str = "") -> doc.Document:
    """What the parts found; `note` stands below the head.

    Source
        own
    """
    found = [
        doc.Section(section.title, f"part-{k}", tuple(map(_block, section.blocks)))
        for k, section in enumerate(sections, start=1)
    ]
    return doc.Document(study.title, _flowing(f"{study.about} {note}"), tuple(found))


def _block(block: Block) -> doc.Block:
    if isinstance(block, str):
        return doc.Prose(_flowing(block))
    if isinstance(block, Table):
        return doc.Table(block.heads, block.rows)
    suffix = "png" if isinstance(block, Plot) else "svg"
    return doc.Picture(f"{block.name}.{suffix}", _flowing(block.caption))


def _flowing(text: str) -> str:
    """A paragraph whose lines may break anywhere."""
    return " ".join(text.split())


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
        text = markdown(study_document(study, sections, note=note))
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
