"""The studies, by the papers' names."""

from __future__ import annotations

from importlib import import_module

from ...errors import UsageError
from ...model.parts.naming import nearest
from .study import Study

#: The module of each paper's study; one is imported when it is asked for.
MODULES = {
    "riccati": "riccati",
    "deduction": "deduction",
    "divide-and-conquer": "divide",
    "screw": "screw",
    "recursive-formulation": "recursive",
}


def study(paper: str) -> Study:
    """The study of a paper.

    Raises
        UsageError: no such study.

    Source
        own
    """
    if paper not in MODULES:
        raise UsageError(
            f"there is no study {paper!r}{nearest(paper, MODULES)}; there are: {', '.join(MODULES)}"
        )
    found: Study = import_module(f".{MODULES[paper]}", __package__).STUDY
    return found
