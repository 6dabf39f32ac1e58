"""What a program computes, entry by entry: which of them a page shows, and what each gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...codegen.generate import generate
from ...errors import CodegenError, UsageError
from ...runtime.derived import RESULTS, Derived, Values
from ...runtime.evaluation.arrays import Floats
from ...symbolic.language.program import Array, Entry
from ...symbolic.methods.riccati.letters import LETTERS
from ..documents.document import (
    Block,
    Cell,
    Fold,
    Formula,
    Letters,
    Numbers,
    Prose,
    Section,
    Table,
    Tabs,
    shown,
    some,
)
from ..walked import Emitted, Walked
from .closed import closed, columns

#: So many entries are named where they share a step; of more the number is told.
FEW = 3

#: The most rows of a table of results, and the most numbers that are shown of one.
ROWS, MOST = 40, 600


def entry_of(derived: Derived) -> Entry:
    """The entry that shows most: all loads, and the paper's letters; of momenta their rates."""
    entries = {entry.name: entry for entry in derived.program().entries}
    for name in (LETTERS, "momentum_rates", "joint_loads", "inverse_loads"):
        if name in entries:
            return entries[name]
    return next(iter(entries.values()))


@dataclass(frozen=True)
class Entries:
    """The entries that a page shows, the first of all in front; what is in another has no own.

    `named` are for each the names of those that it stands for, `left` the sentences that say why
    others are not there.
    """

    shown: tuple[Entry, ...]
    named: Mapping[str, tuple[str, ...]]
    left: tuple[str, ...] = ()

    def words(self, name: str) -> str:
        """What an entry is called on a page."""
        return ", ".join(each.replace("_", " ") for each in self.named[name])

    def of(self, step: str) -> tuple[str, ...]:
        """The names of the entries that run a step."""
        return tuple(entry.name for entry in self.shown if step in entry.steps)


def entries_of(derived: Derived, values: Values, only: str | None = None) -> Entries:
    """The entries of a derivation that can be run at this state, or `only` one.

    Raises
        UsageError: there is no such entry, or it needs an argument that a state has not.
    """
    program = derived.program()
    if only is not None:
        for entry in program.entries:
            if entry.name == only:
                return Entries((entry,), {only: (only,)})
        known = ", ".join(entry.name for entry in program.entries)
        raise UsageError(f"{derived.algorithm.name} has no entry {only!r}; it has: {known}")
    first = entry_of(derived)
    rest = [entry for entry in program.entries if entry is not first]
    left: list[str] = []
    shown = [first]
    for entry in rest:
        try:
            values.performed(entry.name)
        except UsageError as reason:
            left.append(f"Not shown, for a state does not have what it takes: {reason}.")
        else:
            shown.append(entry)
    inside: dict[str, list[str]] = {}
    for entry in shown:
        others = [x for x in shown if x is not entry and x.name not in inside]
        holder = next((x for x in others if _is_in(entry, x)), None)
        if holder is not None:
            inside.setdefault(entry.name, []).append(holder.name)
    named = {
        x.name: (*(name for name, (of, *_) in inside.items() if of == x.name), x.name)
        for x in shown
        if x.name not in inside
    }
    return Entries(tuple(x for x in shown if x.name in named), named, tuple(left))


def _is_in(one: Entry, other: Entry) -> bool:
    """Whether an entry is run, and what it gives shown, with another."""
    return {*one.steps} <= {*other.steps} and {*one.results} <= {*_gives(other)}


def _gives(entry: Entry) -> tuple[str, ...]:
    """The results that are shown with an entry: the letters' steps are those of the loads."""
    return ("a", "loads", *entry.results) if entry.name == LETTERS else entry.results


def chapters(
    derived: Derived, values: Values, entries: Entries, walked: Walked
) -> tuple[Section, ...]:
    """Each step of each entry once, in the program's order."""
    found: dict[str, Section] = {}
    for entry in entries.shown:
        for name, section in walked.sections(values.performed(entry.name, walked.special.program)):
            found.setdefault(name, section)
        for step in map(derived.program().step, entry.steps):
            found.setdefault(step.name, walked.left_out(step))
    order = [step.name for step in derived.program().steps]
    names = sorted(found, key=order.index)
    return tuple(_of(found[name], entries, entries.of(name)) for name in names)


def _of(section: Section, entries: Entries, names: tuple[str, ...]) -> Section:
    """A step's section, with what it is a step of unless all are."""
    if len(names) == len(entries.shown):
        return section
    words = "; ".join(map(entries.words, names))
    if len(names) > FEW:
        words = f"{len(names)} of the {len(entries.shown)}"
    said = Prose(f"A step on the way to {words}.", "caption")
    return Section(section.title, section.anchor, (said, *section.blocks), names)


def tabs(entries: Entries) -> Iterator[Block]:
    """What there is to choose from."""
    yield Prose(
        "The program computes several things, and shares steps between them. Each step is shown "
        "once; choose here whose steps are shown."
    )
    yield Tabs(tuple((entry.name, entries.words(entry.name)) for entry in entries.shown))
    rows: list[tuple[Cell, ...]] = [
        (entries.words(entry.name), entry.title, str(len(entry.steps))) for entry in entries.shown
    ]
    head = ("entry", "what it gives", "steps")
    yield Fold("What each of them gives", "entry-titles", (Table(head, tuple(rows)),))
    yield from (Prose(reason, "caption") for reason in entries.left)


def code_of(derived: Derived, entries: Entries) -> dict[tuple[str, str, str], str]:
    """The emitted C by kernel, of what is emitted for these entries; none where C cannot be."""
    names = dict.fromkeys("joint_loads" if x.name == LETTERS else x.name for x in entries.shown)
    try:
        generated = generate(
            derived.model, algorithm=derived.algorithm, entries=tuple(names), whole=False
        )
    except CodegenError:
        return {}
    return Emitted(generated).blocks


# What comes out


def results(derived: Derived, values: Values, entries: Entries) -> Iterator[Section]:
    """What each entry gives, in numbers."""
    for k, entry in enumerate(entries.shown):
        title = f"The result: {entries.words(entry.name)}" if k else "The result"
        anchor = f"result-{entry.name}" if k else "result"
        of = (entry.name,) if len(entries.shown) > 1 else ()
        yield Section(title, anchor, tuple(_results(derived, values, entry)), of)


def _results(derived: Derived, values: Values, entry: Entry) -> Iterator[Block]:
    program = derived.program()
    if "pd" in entry.results and "pn" in values:
        yield from _hamiltonian(derived, values)
        return
    for name in _gives(entry):
        known = RESULTS.get(name, name)
        if name.endswith(" of") or known not in values:
            continue
        array = program.arrays[name]
        members = program.sets[array.index_set]
        formulas = [*closed(derived, array, values[known])]
        if not formulas and known != "loads":
            formulas = [*columns(derived, array, values[known], members)]
        if not formulas or known == "accelerations":
            yield from _told(known, array, values[known], members, derived)
        yield from formulas


def _hamiltonian(derived: Derived, values: Values) -> Iterator[Block]:
    """Momenta and speeds side by side, with the rates of the momenta."""
    yield Prose(
        "Hamilton's equations have two rates of the first order in place of one of the second: "
        "from the joint momenta p the speeds q̇, and the rates ṗ, which the loads of all that hangs "
        "on a hinge give. No acceleration is computed on the way. Here p are the momenta of the "
        "state's speeds, along each hinge what all outboard of it has: "
        "the q̇ that follow from them must be those of the state."
    )
    rows: list[tuple[Cell, ...]] = [
        (Letters(name, True), *(Numbers.of([[x]]) for x in each))
        for name, *each in zip(
            derived.model.speeds, *(np.ravel(values[x]) for x in ("pn", "vel", "pd")), strict=True
        )
    ]
    yield Table(("speed", "p", "q̇", "ṗ"), some(rows, ROWS))


def _told(
    name: str, array: Array, value: Floats, members: Sequence[str], derived: Derived
) -> Iterator[Block]:
    """A result: by speed, by end, by member, or as it is."""
    model = derived.model
    if name == "accelerations":
        yield Prose("The accelerations, rates of the speeds (rad/s², m/s²):")
        yield _by_name(("speed", "its rate"), model.speeds, np.ravel(value))
    elif name == "loads":
        yield Prose("The loads at the ends: moment m (N m), then force q (N), in inertial axes:")
        largest = max(1.0, float(np.abs(value).max(initial=0.0)))
        rows: list[tuple[Cell, ...]] = [
            (name, *(Numbers(((shown(x, largest),),)) for x in np.ravel(row).tolist()))
            for name, row in zip(members, value, strict=True)
        ]
        yield Table(("end", "m_x", "m_y", "m_z", "q_x", "q_y", "q_z"), some(rows, ROWS))
    elif not value.size:
        yield Prose(f"{name} has no entries: nothing of this model is told by it.")
    elif value.ndim == 1 and len(value) == len(members) > 1:
        yield _by_name(("of", name), members, value)
    elif value.ndim > 1 and len(value) == len(members) and not array.columns and value.size > 1:
        rows = [(x, Numbers.of(each)) for x, each in zip(members, value, strict=True)]
        yield Table(("of", name), some(rows, ROWS))
    elif not value.size:
        yield Prose(f"Of {name} there is nothing on this model: it has no coordinate.")
    else:
        flat = np.atleast_2d(value)
        flat = flat.reshape(-1, flat.shape[-1])
        if flat.size <= MOST:
            yield Formula(name, None, Numbers.of(flat))
        else:
            yield Prose(f"{name}: {' × '.join(map(str, value.shape))} numbers.")


def _by_name(head: tuple[str, str], names: Iterable[str], value: Floats) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (Letters(name, True), Numbers.of([[x]])) for name, x in zip(names, value, strict=True)
    ]
    return Table(head, some(rows, ROWS))
