"""The papers, and what there is of each: their equations as entries of one ledger."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from ...errors import UsageError
from ...model.expressions.quantities import shorten
from ..equations.account import Account, Row
from ..exact.ledger import Entry
from .accounts import account as _account
from .accounts import holders, rows

#: What each paper is about, by the name that it has here.
PAPERS: Mapping[str, str] = {
    "riccati": "the Riccati transfer matrix method for chains and branches",
    "deduction": "the overall transfer equation by the deduction theorem",
    "divide-and-conquer": "Hamiltonian dynamics of closed loops by divide and conquer",
    "screw": "screw and Lie group theory of trees: dynamics in four representations",
    "recursive-formulation": "recursive formulations: d'Alembert, effective masses, closed loops",
}

#: The package of a paper's entries, where it has another name than the paper.
PACKAGES = {"divide-and-conquer": "divide"}

#: The modules of each package that hold its entries, in the paper's order.
MODULES = {
    "riccati": "ledger",
    "deduction": "flexible elements systems examples",
}


def entries(paper: str | None = None, equation: str | int | None = None) -> tuple[Entry, ...]:
    """The ledger's entries, of one paper or of all, of one equation or of all.

    Each `verdict` is the outcome of a comparison, which is made when it is asked for. A number that
    is a definition in the paper's account, or open, may have none.

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
    names = [paper] if paper else list(PAPERS)
    having = [name for name in names if _numbered(name, number) or row(name, number)]
    if len(having) > 1:
        raise UsageError(
            f"equation {number} is in several papers; name one by --paper: {', '.join(having)}"
        )
    if having:
        return _numbered(having[0], number)
    if paper is None:
        raise UsageError(
            f"no paper's ledger has an equation {number}; --paper NAME alone lists what it has"
        )
    numbers = dict.fromkeys(entry.equation for entry in _ledger(paper))
    raise UsageError(
        f"the {paper} paper's ledger has no equation {number}; it has: {shorten(list(numbers), 60)}"
    )


def _numbered(paper: str, number: str) -> tuple[Entry, ...]:
    """The entries of a number, or else those that judge it, by the paper's account."""
    every = _ledger(paper)
    own = tuple(entry for entry in every if number in (entry.equation, entry.number))
    held = row(paper, number)
    return own or (tuple(holders(held, every)) if held else ())


def row(paper: str, number: str | int) -> Row | None:
    """What a paper's account has under a number.

    Source
        own
    """
    wanted = str(number).strip("() ")
    return next((row for row in rows(_package(paper)) if row.number == wanted), None)


def account(paper: str) -> Account:
    """The account of a paper: all numbers that it prints, with what the comparisons came to.

    Raises
        UsageError: there is no such paper.
    Source
        own
    """
    return _account(paper, _package(paper), entries(paper))


def _package(paper: str) -> str:
    return PACKAGES.get(paper, paper)


def _ledger(paper: str) -> tuple[Entry, ...]:
    package = _package(paper)
    modules = (
        import_module(f".{package}.{name}", __package__) for name in MODULES[package].split()
    )
    return tuple(entry for module in modules for entry in module.ENTRIES)
