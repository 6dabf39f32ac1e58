"""The papers, and what there is of each: their equations as entries of one ledger."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module

from ...errors import UsageError
from ...model.quantities import shorten
from ..exact.ledger import Entry

#: What each paper is about, by the name that it has here.
PAPERS: Mapping[str, str] = {
    "riccati": "the Riccati transfer matrix method for chains and branches",
    "deduction": "the overall transfer equation by the deduction theorem",
    "divide-and-conquer": "Hamiltonian dynamics of closed loops by divide and conquer",
    "screw": "screw and Lie group theory of trees: dynamics in four representations",
    "recursive-formulation": "recursive formulations: d'Alembert, effective masses, closed loops",
}

#: A number in brackets, or a range of them: (67), (3.40)–(3.42).
NUMBERS = re.compile(r"\(((?:[A-Z\d]+\.)?)(\d+)\)(?:–\(\1(\d+)\))?")

#: The package of a paper's entries, where it has another name than the paper.
PACKAGES = {"divide-and-conquer": "divide", "recursive-formulation": "recursive"}

#: The modules of each package that hold its entries, in the paper's order.
MODULES = {
    "riccati": "ledger",
    "deduction": "flexible elements systems examples",
    "divide": "canonical shift leaves merge boundary momentum_rates loads",
    "screw": "body_fixed spatial hybrid balance moving_frames recursion closed_form slopes "
    "time_derivatives integration definitions",
    "recursive": "kinematics dynamics proof loops kane flexible_frames example",
}


def entries(paper: str | None = None, equation: str | int | None = None) -> tuple[Entry, ...]:
    """The ledger's entries, of one paper or of all, of one equation or of all.

    Each `verdict` is the outcome of a comparison, which is made when it is asked for.

    Raises
        UsageError: there is no such paper, no such equation in it, or, where no paper is named,
            the equation is in several.
    Source
        own
    """
    if paper is not None and paper not in PAPERS:
        raise UsageError(f"there is no paper {paper!r}; there are: {', '.join(PAPERS)}")
    if equation is None:
        return tuple(each for name in ([paper] if paper else PAPERS) for each in _ledger(name))
    number = str(equation).strip("() ")
    found = {name: _numbered(name, number) for name in ([paper] if paper else PAPERS)}
    having = [name for name, some in found.items() if some]
    if len(having) > 1:
        raise UsageError(
            f"equation {number} is in several papers; name one by --paper: {', '.join(having)}"
        )
    if having:
        return found[having[0]]
    if paper is None:
        raise UsageError(
            f"no paper's ledger has an equation {number}; --paper NAME alone lists what it has"
        )
    numbers = dict.fromkeys(entry.equation for entry in _ledger(paper))
    raise UsageError(
        f"the {paper} paper's ledger has no equation {number}; it has: {shorten(list(numbers), 60)}"
    )


def _numbered(paper: str, number: str) -> tuple[Entry, ...]:
    """The entries of a number, or else those whose titles say that they hold it too."""
    every = _ledger(paper)
    own = tuple(entry for entry in every if number in (entry.equation, entry.number))
    return own or tuple(entry for entry in every if number in mentioned(entry.title))


def mentioned(title: str) -> set[str]:
    """The numbers in a title, as in `(3.40)–(3.42)` or `(67)`."""
    found = set()
    for prefix, first, last in NUMBERS.findall(title):
        found |= {f"{prefix}{k}" for k in range(int(first), int(last or first) + 1)}
    return found


def _ledger(paper: str) -> tuple[Entry, ...]:
    package = PACKAGES.get(paper, paper)
    modules = (
        import_module(f".{package}.{name}", __package__) for name in MODULES[package].split()
    )
    return tuple(entry for module in modules for entry in module.ENTRIES)
