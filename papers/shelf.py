"""The papers' ledgers together: entries by paper and number, and what becomes of every number."""

from __future__ import annotations

from ..errors import UsageError
from ..model.expressions.quantities import ranges
from ..symbolic.equations.account import Account, Row, rows
from ..symbolic.equations.account import account as accounted
from ..symbolic.equations.ledger import Judged
from . import PAPERS, ledger


def about(paper: str) -> str:
    """What a paper is about.

    Raises
        UsageError: there is no such paper.
    Source
        own
    """
    return ledger(paper).paper.about


def entries(paper: str | None = None, equation: str | int | None = None) -> tuple[Judged, ...]:
    """The equations of one paper or of all, of one number or of all.

    Each `verdict` is the outcome of a comparison, which is made when it is asked for. A number that
    is a definition, or open, has none.

    Raises
        UsageError: there is no such paper, no such equation in it, or, where no paper is named,
            the equation is in several.
    Source
        own
    """
    names = [paper] if paper else list(PAPERS)
    ledgers = [ledger(name) for name in names]
    if equation is None:
        return tuple(x for each in ledgers for x in each.entries if x.written.right)
    number = str(equation).strip("() ")
    having = [each for each in ledgers if each.paper.find(number)]
    if len(having) > 1:
        papers = ", ".join(each.paper.name for each in having)
        raise UsageError(f"equation {number} is in several papers; name one by --paper: {papers}")
    if having:
        (found,) = having
        own = found.entries_of([number])
        seen = {x for entry in own if entry.kind == "see" for x in entry.written.by}
        return tuple(x for x in found.entries_of({number, *seen}) if x.written.right)
    if paper is None:
        raise UsageError(
            f"no paper's ledger has an equation {number}; --paper NAME alone lists what it has"
        )
    numbers = list(dict.fromkeys(entry.equation for entry in ledger(paper).entries))
    raise UsageError(
        f"the {paper} paper's ledger has no equation {number}; it has: {ranges(numbers)}"
    )


def row(paper: str, number: str | int) -> Row | None:
    """What a paper's account has under a number.

    Source
        own
    """
    wanted = str(number).strip("() ")
    return next((row for row in rows(ledger(paper)) if row.number == wanted), None)


def account(paper: str) -> Account:
    """The account of a paper: all numbers that it prints, with what the comparisons came to.

    Raises
        UsageError: there is no such paper.
    Source
        own
    """
    return accounted(ledger(paper))
