"""A program as the papers list their algorithms: loops over bodies, hinges and nodes, with what is
stated in each. All of it is read off the steps: what they go through, and in which order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from ...model.expressions.quantities import shorten
from ...runtime.derived import Derived
from ...symbolic.language.program import Call, Program, Step, Sweep
from ...symbolic.language.special import Shown, Special
from ...symbolic.methods.algorithms import Dca
from ...symbolic.methods.divide.program import assembly_of
from ..documents.document import Block, Fold, Listed, Listing, Prose
from .entries import Entries

#: What a member of an index set is, where the set's name without its s is not that.
NOUNS: Mapping[str, str] = {
    "system": "", "slopes": "pair of a condition and a speed", "closings": "closed loop"
}  # fmt: skip

#: A node of an assembly tree.
NODE = "node of the assembly tree"

#: More members than these are told by the first.
MEMBERS = 8

#: A listing of so many lines is open to begin with.
OPENED = 80


def listing(derived: Derived, entries: Entries, own: Special) -> Iterator[Block]:
    """The algorithm of the entries that are shown, each step once, as it is of this model.

    Source
        As Riccati paper, algorithms A and B, and divide-and-conquer paper, algorithms 1 to 3.
    """
    program = own.program
    inner = [*_inner(derived)]
    lines: list[Listed] = []
    for step in program.steps:
        of = entries.of(step.name)
        if of and (step.calls or step.dense):
            of = () if len(of) == len(entries.shown) else of
            lines += (replace(line, of=of) for line in _step(own, step, inner))
    several = len(entries.shown) > 1
    lines += (Listed(0, "return", x.title, of=(x.name,) if several else ()) for x in entries.shown)
    yield Prose(
        "The steps below, line by line: what the program goes through, in which order, and what it "
        "states there. What it has of a neighbour has ₚ of the parent, ₁, ₂ of what hangs on it. A "
        "line that the steps of a body lack gives zero there, or what no later step reads."
    )
    first = entries.shown[0].name
    few = sum(not line.of or first in line.of for line in lines) <= OPENED
    yield Fold("The algorithm", "all-steps", (Listing(tuple(lines)),), few)


def _inner(derived: Derived) -> Iterator[tuple[str, str]]:
    """Pairs of a member and one that is nearer to the root: of bodies, of the assembly tree."""
    for link in derived.plan.links:
        if link.parent is not None:
            yield link.name, link.parent
    if isinstance(derived.algorithm, Dca):
        own = derived.algorithm
        for node in assembly_of(derived.plan, own.name, own.assembly).nodes:
            yield from ((part, node.name) for part in (*node.parts, *node.raked))


def _step(own: Special, step: Step, inner: Sequence[tuple[str, str]]) -> Iterator[Listed]:
    for k, calls in enumerate(_passes(step)):
        members = [*dict.fromkeys(call.member for call in calls)]
        noun = _noun(own.program, members)
        order = _order(noun, members, inner) if isinstance(step, Sweep) else ""
        title = step.title if k == 0 else f"{step.title}, back"
        if len(members) > 1:
            yield Listed(0, "for each", f"{noun}{order}:", title)
        elif noun:
            yield Listed(0, "at", f"{noun} {members[0]}:", title)
        else:
            yield Listed(0, "once", ":", title)
        yield from _stated(own, calls, members)
    if step.dense:
        dense = step.dense
        yield Listed(0, "solve", f"{dense.matrix} {dense.unknowns} = {dense.rhs}", dense.source)


def _passes(step: Step) -> Iterator[list[Call]]:
    """The calls of a step, apart where it comes to a member again that it had left."""
    calls: list[Call] = []
    done: set[str] = set()
    for member, group in groupby(step.calls, key=lambda call: call.member):
        if member in done:
            yield calls
            calls, done = [], set()
        done.add(member)
        calls += group
    if calls:
        yield calls


def _noun(program: Program, members: Iterable[str]) -> str:
    """What the members are: bodies, or what the smallest index set that has them all says."""
    wanted = {*members}
    sets = {name: {*known} for name, known in program.sets.items() if not name.endswith(" of")}
    if wanted <= sets.get("bodies", set()):
        return "body"
    if wanted <= sets.get("bodies", set()) | sets.get("cuts", set()):
        return "body and cut hinge" if wanted - sets["cuts"] else "cut hinge"
    if any(wanted & known for name, known in sets.items() if name.startswith("nodes")):
        return NODE
    having = [name for name, known in sets.items() if wanted <= known]
    if not having:
        return "pair" if all(" at " in member for member in wanted) else "place"
    name = min(having, key=lambda name: len(sets[name]))
    return NOUNS.get(name, re.sub(r"s?[\d_]*$", "", name))


def _order(noun: str, members: Sequence[str], inner: Sequence[tuple[str, str]]) -> str:
    """In words the way that members are gone through."""
    place = {member: k for k, member in enumerate(members)}
    pairs = [(place[x], place[y]) for x, y in inner if x in place and y in place]
    if pairs and all(x < y for x, y in pairs):
        return ", from the leaves up" if noun == NODE else ", from the tips to the root"
    if pairs and all(x > y for x, y in pairs):
        return ", from the top down" if noun == NODE else ", from the root to the tips"
    return f", in this order ({shorten(members, MEMBERS)})"


def _stated(own: Special, calls: Sequence[Call], members: Sequence[str]) -> Iterator[Listed]:
    """What is stated in a loop: rule by rule as most members have it, then what others have."""
    rules: dict[str, list[Call]] = {}
    for call in calls:
        rules.setdefault(call.kernel.title, []).append(call)
    depth = 2 if len(rules) > 1 else 1
    for title, alike in rules.items():
        each: dict[str, tuple[Listed, ...]] = {}
        for call in alike:
            lines = tuple(_lines(own.of[call], depth))
            each[call.member] = max(each.get(call.member, ()), lines, key=_fullness)
        if depth > 1:
            some = f" ({shorten([*each], MEMBERS)})" if len(each) < len(members) else ""
            yield Listed(1, "", f"{title}{some}:")
        kinds = [*each.values()]
        most = max(dict.fromkeys(kinds), key=lambda x: (len(x), kinds.count(x), _fullness(x)))
        yield from most
        for other in dict.fromkeys(kinds):
            others = [line for line in other if line.text not in {x.text for x in most}]
            if others:
                where = [member for member, lines in each.items() if lines == other]
                yield Listed(depth, "but at", f"{shorten(where, MEMBERS)}:")
                yield from (replace(line, depth=depth + 1) for line in others)


def _fullness(lines: Sequence[Listed]) -> tuple[int, int]:
    """The fullest lines hold for all ends of a body: in others something is zero."""
    return len(lines), sum(len(line.text) for line in lines)


def _lines(shown: Shown, depth: int) -> Iterator[Listed]:
    before = ""
    said: set[str] = set()
    for statement in shown.call.kernel.statements:
        says = statement.says or f"{statement.port.name} by elimination"
        if statement.port.name in shown.steps or says in said:
            continue
        said.add(says)
        source = statement.source if "paper" in statement.source else ""
        yield Listed(depth, "", says, source if source != before else "")
        before = source
