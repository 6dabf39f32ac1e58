"""The papers: a folder each, with its equations as text, what its letters mean, and its study.

Nothing in the core imports them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import cast

from ..codegen.cache import cached_text
from ..errors import UsageError
from ..model.parts.naming import nearest
from ..symbolic.equations.ledger import Ledger
from ..symbolic.equations.paper import Entry, read
from ..symbolic.equations.verdicts import Verdict, judge
from ..symbolic.equations.worlds import World
from .studies.study import Study

#: The folder of each paper, by the name that it has here.
PAPERS: Mapping[str, str] = {
    "riccati": "riccati",
    "deduction": "deduction",
    "divide-and-conquer": "divide",
    "screw": "screw",
    "recursive-formulation": "recursive",
}


@dataclass(eq=False)
class KeptLedger(Ledger):
    """A ledger whose verdicts are kept in the cache: to reach those of a paper takes seconds.

    They are named by its text and by all that this package consists of.
    """

    text: str

    def judged(self, entry: Entry) -> Verdict:
        def found() -> str:
            return json.dumps(asdict(judge(entry, self.paper, self.worlds)))

        key = "\0".join((self.paper.name, entry.number, self.text))
        return Verdict(**json.loads(cached_text("verdict", key, found)))


@cache
def ledger(paper: str) -> Ledger:
    """A paper's ledger; its worlds are built when an entry is judged in them.

    Raises
        UsageError: there is no such paper.
    Source
        own
    """
    folder = _folder(paper)
    name = f"{folder}.eq"
    text = files(f"{__name__}.{folder}").joinpath(name).read_text(encoding="utf-8")

    def world(instant: str) -> World:
        return cast(World, import_module(f".{folder}.world", __name__).world(instant))

    return KeptLedger(read(text, f"papers/{folder}/{name}"), world, text)


def study_of(paper: str) -> Study:
    """The study of a paper.

    Raises
        UsageError: there is no such paper.
    Source
        own
    """
    return cast(Study, import_module(f".{_folder(paper)}.study", __name__).STUDY)


def _folder(paper: str) -> str:
    if paper not in PAPERS:
        raise UsageError(
            f"there is no paper {paper!r}{nearest(paper, PAPERS)}; there are: {', '.join(PAPERS)}"
        )
    return PAPERS[paper]
