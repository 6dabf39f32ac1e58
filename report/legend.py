"""What the letters of programs mean, in a few words each.

A letter may stand for several things in several kernels, so what it means is asked of the place
that states it. What a call reads means what the call that gave it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..symbolic.derivation.reading import Reading
from ..symbolic.language.program import Call, Kernel, Ref, Statement, Step, Storage
from ..symbolic.language.tangent import PREFIX
from .documents.document import Cell, Typed
from .letters import ARGUMENTS, DATA, MEANINGS


@dataclass(frozen=True)
class Place:
    """Where a letter is stated: by which kernel, by which rule, by which equation."""

    title: str = ""
    says: str = ""
    source: str = ""

    @property
    def text(self) -> str:
        return " | ".join((self.title, self.says, self.source))


INDICES: tuple[tuple[Cell, str], ...] = (
    ("I1, I2 …", "of the first, second … input end; O: of the output end"),
    ("p at the end", "of the parent, as in wp; b at the end: in the body's own axes"),
    ("t at the end", "moved to the parent's origin; h: behind the hinge"),
    (
        "1, 2, 3 …",
        "entries of a vector, 11, 12 … of a matrix; after an underscore the element's name",
    ),
    (Typed("d_…"), "a derivative of what follows"),
    ("~", "~a b = a × b"),
    ("~0", "a number that is zero but for rounding errors"),
)

DERIVATIVE = "derivative of: "

#: What numbers and elements stand behind a letter.
_INDEX = r"\d*(_.*)?$"


@dataclass(frozen=True)
class Told:
    """A letter with its meaning, and the kernel that states or reads it."""

    name: str
    meaning: str
    title: str


def meanings(told: Iterable[Told]) -> list[tuple[str, str]]:
    """Each letter with its meaning, once; with where it has that one, if it has several.

    What stands for each input end, as IA_I1 and IA_I2, is told once.
    """
    found: dict[str, dict[str, Told]] = {}
    for each in told:
        found.setdefault(re.sub(r"_I\d+$", "", each.name), {}).setdefault(each.meaning, each)
    return [
        (each.name, each.meaning if len(several) == 1 else f"{each.meaning} (in: {each.title})")
        for several in found.values()
        for each in several.values()
    ]


def worded(name: str, kernel: Kernel) -> str | None:
    """What the method's table says that a letter of a kernel means, or of what it is the rate."""
    plain = name.removeprefix(PREFIX)
    found = kernel.letters.get(plain)
    return f"{DERIVATIVE * (plain != name)}{found.words}" if found else None


def is_working(name: str, kernel: Kernel) -> bool:
    """Whether a letter is but a step to one of the method's, which no table has."""
    return bool(kernel.facts) and name.removeprefix(PREFIX) not in kernel.letters


def stated(statement: Statement, kernel: Kernel) -> Told:
    """What a letter means where it is stated; one without words of its own, by its rule."""
    name, title = statement.port.name, kernel.title
    known = worded(name, kernel)
    if not kernel.facts:
        known = meaning_of(name, Place(title, statement.says, statement.source))
    return Told(
        name, known or statement.says or f"given by {statement.source.removeprefix('own: ')}", title
    )


def taken(name: str, reading: Reading, step: Step, call: Call) -> Told:
    """What a letter means that a call reads: what it means to whom gave it."""
    title, ref = call.kernel.title, call.reads[name]
    assert isinstance(ref, Ref)
    array = reading.program.arrays[ref.array]
    if array.storage is Storage.ARGUMENT:
        known = worded(name, call.kernel) or meaning_of(name)
        return Told(name, known or ARGUMENTS[array.owner], title)
    place = reading.places.get(reading.called(step, ref))
    if place is None:
        return Told(name, _solved(reading, ref.array), title)
    _, giver, port = place
    (statement,) = (x for x in giver.kernel.statements if x.port.name == port)
    given = stated(statement, giver.kernel)
    stem, own = (re.sub(_INDEX, "", x, count=1) for x in (given.name, name))
    if own == stem:
        return Told(name, given.meaning, title)
    if own == f"{stem}p":
        return Told(name, f"{given.meaning}; of the parent", title)
    return Told(name, f"{given.name} of a step before: {given.meaning}", title)


def data(name: str) -> str | None:
    """What a letter of the element's own data means."""
    return DATA.get(re.sub(_INDEX, "", name, count=1))


def _solved(reading: Reading, array: str) -> str:
    """What is no call's output: unknowns of a system, or what nothing was added to."""
    for step in reading.program.steps:
        if step.dense and step.dense.unknowns == array:
            return f"unknowns of the system {step.dense.matrix} · {array} = {step.dense.rhs}"
    return "zero: nothing is gathered here"


def meaning_of(name: str, place: Place | None = None) -> str | None:
    """What a letter means at a place, or where it means one thing, anywhere.

    An index after it does not matter.
    """
    stem, before = name, ""
    if name.startswith(PREFIX):
        stem, before = name.removeprefix(PREFIX), DERIVATIVE
    patterns = (r"$", r"\d+$", r"_.*$", _INDEX)
    for candidate in dict.fromkeys(re.sub(pattern, "", stem, count=1) for pattern in patterns):
        known = _at(candidate, place)
        if known is not None:
            return before + known
    return None


def _at(letter: str, place: Place | None) -> str | None:
    known = MEANINGS.get(letter)
    if known is None or isinstance(known, str):
        return known
    text = "" if place is None else place.text
    return next((meaning for words, meaning in known.items() if words in text), None)
