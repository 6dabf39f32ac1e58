"""What the letters of a derivation mean: the lines of the kernels' tables that state or read them.

What no table has is a step to one of the method's letters, or a number that a law or a motion of
the model calls by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ..symbolic.derivation.reading import Reading
from ..symbolic.language.letters import Letter
from ..symbolic.language.program import Call, Kernel, Ref, Step, Storage
from ..symbolic.language.special import Shown
from ..symbolic.language.tangent import PREFIX
from ..symbolic.mechanics.letters import LETTERS
from ..symbolic.methods.rates.kernels import LETTERS as OF_RATES
from .documents.document import Cell, Letters, Table, Typed

#: Numbers of the caller that laws and motions call by name, by the owner of the buffer.
GIVEN: dict[str, Letter] = {"q": LETTERS["q"], "v": LETTERS["u"], "t": LETTERS["t"]} | {
    owner: OF_RATES[owner] for owner in ("ad", "jerk", "snap")
}
GIVEN["g"] = Letter("g", "1", "", "weight of a result in the sum whose derivatives are asked for")
PARAMETER = Letter("", "1", "", "parameter of the model")

INDICES: tuple[tuple[Cell, ...], ...] = (
    ("I1, I2 …", "of the first, second … input end, in equations ₁, ₂ …; O: of the output end"),
    ("p at the end", "of the parent, in equations ₚ; b at the end: in the body's axes"),
    ("t at the end", "moved to the parent's origin; h: behind the hinge"),
    (
        "1, 2, 3 …",
        "entries of a vector, 11, 12 … of a matrix; after an underscore the element's name",
    ),
    (Typed("d_…"), "a derivative of what follows; in equations ∂"),
    ("a_r, a_Ω", "the parts of a column that belong to r̈ and Ω̇, or to force and moment"),
    ("IA₁₁, IA₁₂ …", "the blocks of a matrix by these parts"),
    ("G[1:2, 5]", "of rows 1 to 2 of a matrix the column 5; a colon alone is all of them"),
    ("upper(L)", "the symmetric matrix that is L on its diagonal and above it"),
    ("G⁺", "the inverse, of what has none that of least norm"),
    ("𝟏, 𝟎(3)", "the unit matrix, three rows of zeros"),
    ("~", "~a b = a × b"),
    ("X(r)", "from a point to the one at r from it: X(r) (r̈, Ω̇) = (r̈ + Ω̇ × r, Ω̇)"),
    ("R₃(c, s)", "the turn about the third axis by the angle of cosine c and sine s"),
    ("ad(V), bar(P)", "ad(V) X is the bracket of two twists; bar(P) V is ad(V)ᵀ P"),
    (Typed("~0"), "a number that is zero but for rounding errors"),
)

#: What arrays end in that are for what goes beyond the motion at the speeds' rates 0.
BEYOND = "b"

#: How meanings say that gravity is an acceleration.
FALLING = "r̈ − g"

#: Which input end stands behind a name.
_INPUT = re.compile(r"_I\d+$")


@dataclass(frozen=True)
class Told:
    """A name with its letter in equations and its meaning, and the kernel that has it."""

    name: str
    letter: str
    meaning: str
    title: str


def told(reading: Reading, step: Step, call: Call) -> Iterator[Told]:
    """What a call reads and states, but for steps to it that no table knows."""
    kernel = call.kernel
    beyond = {
        name
        for name, ref in (*call.reads.items(), *call.writes.items())
        if isinstance(ref, Ref) and ref.array == f"{name}{BEYOND}"
    }

    def one(name: str, line: Letter) -> Told:
        words = f"{line.words}; beyond that of the bias" if name in beyond else line.words
        return Told(name, line.letter or name, words, kernel.title)

    for port in kernel.inputs:
        yield one(port.name, line_of(port.name, kernel) or _bound(port.name, reading, step, call))
    for statement in kernel.statements:
        if own := line_of(statement.port.name, kernel):
            yield one(statement.port.name, own)


def told_constants(shown: Shown) -> Iterator[Told]:
    """What a call's equations speak of and no port has any more, for the model fixes it."""
    kernel = shown.original.kernel
    for name in shown.constants:
        if line := line_of(name, kernel):
            yield Told(name, line.letter, line.words, kernel.title)


def line_of(name: str, kernel: Kernel) -> Letter | None:
    """A kernel's line of a name, or of what the name is the rate of."""
    return kernel.letters.get(name) or kernel.letters.get(name.removeprefix(PREFIX))


def _bound(name: str, reading: Reading, step: Step, call: Call) -> Letter:
    """What a law or a motion of the model calls so: by what it is bound to."""
    ref = call.reads[name]
    if not isinstance(ref, Ref):
        own = {x.name for x in ref.free_symbols}
        # A kernel that has such a letter itself calls the model's parameter otherwise.
        renamed = len(own) == 1 and name not in own
        return (
            replace(PARAMETER, words=f"parameter {own.pop()} of the model")
            if renamed
            else PARAMETER
        )
    array = reading.program.arrays[ref.array]
    if array.storage is Storage.ARGUMENT:
        return GIVEN[array.owner]
    _, giver, port = reading.places[reading.called(step, ref)]
    return line_of(port, giver.kernel) or PARAMETER


def table(every: Iterable[Told]) -> Table:
    """Each letter with its meaning, once; with where it has that one, if it has several.

    What stands for each input end, as IA_I1 and IA_I2, is told once.
    """
    found: dict[tuple[str, str], dict[str, Told]] = {}
    for each in every:
        names = found.setdefault((each.letter, each.meaning), {})
        names.setdefault(_INPUT.sub("", each.name), each)
    where: dict[str, set[str]] = {}
    for (letter, meaning), names in found.items():
        for word in (letter, *names):
            where.setdefault(word, set()).add(meaning)
    rows = []
    for (letter, meaning), names in found.items():
        title = next(iter(names.values())).title
        several = any(len(where[word]) > 1 for word in (letter, *names))
        words = f"{meaning} (in: {title})" if several else meaning
        rows.append((Letters(letter, True), Typed(", ".join(names)), words))
    return Table(("letter", "in code", "meaning"), tuple(rows))
