"""What follows from a program's steps: which arrays there are, which steps a result needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from .program import Array, Call, Entry, Program, Ref, Step, Storage
from .walk import Action, Place, Walk, Written


@dataclass(frozen=True)
class Wanted:
    """A public function to be: the results that it gives; steps in `without` are another way."""

    name: str
    title: str
    results: tuple[str, ...]
    whole: bool = False
    without: tuple[str, ...] = ()

    def skipping(self, *steps: str) -> Wanted:
        """The same, these steps being another way."""
        return replace(self, without=steps)


def entry(wanted: Wanted, steps: Sequence[Step]) -> Entry:
    """The public function with the steps that its results need: a slice backwards from them."""
    needed = set(wanted.results)
    chosen: list[str] = []
    for step in reversed(steps):
        writes = step_writes(step)
        if step.name not in wanted.without and needed & writes.keys():
            chosen.append(step.name)
            needed |= step_reads(step)
    return Entry(wanted.name, wanted.title, tuple(reversed(chosen)), wanted.results, wanted.whole)


def step_reads(step: Step) -> set[str]:
    """The arrays that a step reads."""
    found = {
        binding.array
        for action in _actions(step)
        for binding in action.reads.values()
        if isinstance(binding, Place | Ref)
    }
    return found | ({step.dense.matrix, step.dense.rhs} if step.dense else set())


def step_writes(step: Step) -> Mapping[str, str]:
    """The arrays that a step writes, each with the index set that it is given over, if known."""
    walk = step.calls if isinstance(step.calls, Walk) else None
    found: dict[str, str] = dict.fromkeys(step.clears, "")
    for action in _actions(step):
        for place in action.writes.values():
            if walk and isinstance(place, Place):
                found[place.array] = walk.relations[place.relation].index_set
            else:
                found.setdefault(place.array, "")
    return found | ({step.dense.unknowns: ""} if step.dense else {})


def derived_arrays(
    steps: Iterable[Step], declared: Mapping[str, Array], set_of: Callable[[str], str]
) -> Iterator[Array]:
    """The work arrays that steps write, shaped as the ports that are written.

    `set_of` gives an array's index set where no relation says it. What is declared stays as it is.
    """
    found = dict(declared)
    for step in steps:
        sets = step_writes(step)
        for action in _actions(step):
            ports = {port.name: port for port in action.kernel.outputs}
            for name, place in action.writes.items():
                if place.array not in found:
                    port = replace(ports[name], name=place.array)
                    array = Array(
                        place.array, sets[place.array] or set_of(place.array), port, Storage.WORK
                    )
                    found[place.array] = array
                    yield array


def _actions(step: Step) -> Iterator[Action | Call]:
    if isinstance(step.calls, Walk):
        for unit in step.calls.units:
            yield from unit
    else:
        yield from step.calls.like if isinstance(step.calls, Written) else step.calls


def unloaded(program: Program) -> Program:
    """The program without external loads `f` on the bodies."""
    if "f" not in program.arrays:
        return program
    port = program.arrays["f"].port
    zero = sp.zeros(port.rows, port.cols)

    def free(call: Call) -> Call:
        reads = {
            n: zero if isinstance(x, Ref) and x.array == "f" else x for n, x in call.reads.items()
        }
        return replace(call, reads=reads)

    return replace(
        program,
        arrays={name: array for name, array in program.arrays.items() if name != "f"},
        steps=tuple(replace(step, calls=tuple(map(free, step.calls))) for step in program.steps),
    )
