"""The gallery of hinges: what the documents hold is what the records say."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.report.conventions import pages

DOCUMENTS = Path(__file__).parents[2] / "docs"
KINDS = [kind for kinds in HINGE_KINDS.values() for kind in kinds.values()]


def test_the_documents_hold_what_the_records_say() -> None:
    """If not: `python -m mstmm.report.conventions docs`."""
    for name, text in pages().items():
        assert (DOCUMENTS / name).read_text(encoding="utf-8") == text, name


def test_every_kind_is_there_once() -> None:
    page = pages()["hinges.md"]
    for kind in KINDS:
        where = "plane" if kind.dimension == 2 else "space"
        assert page.count(f"\n### `{kind.name}` ({where})\n") == 1
    assert len(pages()) == len(KINDS) + 1


def test_pictures_lie_within_their_frames() -> None:
    for name, text in pages().items():
        if not name.endswith(".svg"):
            continue
        root = ElementTree.fromstring(text)
        size = np.array([float(root.get("width", 0)), float(root.get("height", 0))])
        lines = [x for x in root if x.tag.endswith("line") and x.get("x1")]
        assert len(lines) == (4 if "plane" in name else 6)
        for line in lines:
            for end in "12":
                at = np.array([float(line.get(f"x{end}", -1)), float(line.get(f"y{end}", -1))])
                assert (at >= 0).all()
                assert (at <= size).all()
