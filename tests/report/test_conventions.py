"""The gallery of hinges: what the documents hold is what the records say."""

from __future__ import annotations

from pathlib import Path

from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.report.conventions import drawn, pages
from mstmm.report.drawing.scene import Line, bounds

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
    for kind in KINDS:
        scene = drawn(kind)
        arrows = [x for group in scene.groups for x in group.shapes if isinstance(x, Line)]
        assert sum(line.arrow for line in arrows) == 2 * kind.dimension
        left, top, right, bottom = bounds(x for group in scene.groups for x in group.shapes)
        assert left >= 0
        assert top >= 0
        assert right <= scene.width
        assert bottom <= scene.height
