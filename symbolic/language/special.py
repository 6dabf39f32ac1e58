"""A program as it is shown of one model: without what is zero there, and what nobody reads.

Zeros and ones are followed from the constants of a model's elements, and its parameters that are
zero, through all calls in order; then what is needed is followed back from the results.
`shortened` does it to each kind of call; `derivation/specialised` judges that it changes no value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import sympy as sp

from .program import Call, Entry, Port, Program, Ref, Step, Storage
from .shortened import PLAIN, Known, KnownKernel, Left, known_kernel, left, matrix
from .slices import step_writes


@dataclass(frozen=True, eq=False)
class Shown:
    """A call as it is shown: what is left out of it, and what its equations speak of besides.

    `zero` are statements that are zero on this model, `unread` those that nobody reads, `steps`
    those that are left for what they are put into is too long. `constants` are inputs that are
    known whole: no port has them any more.
    """

    call: Call
    original: Call
    zero: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    steps: frozenset[str] = frozenset()
    constants: Mapping[str, sp.Matrix] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Special:
    """A program of some entries with the calls that are shown, by step.

    `entries` are as they run, those of `program` without what is left out; `pairs` are all calls of
    the steps with what is shown of each, if anything is.
    """

    program: Program
    entries: tuple[Entry, ...]
    parameters: Mapping[str, float]
    calls: Mapping[str, tuple[Shown, ...]]
    pairs: Mapping[str, tuple[tuple[Call, Shown | None], ...]]

    @cached_property
    def of(self) -> Mapping[Call, Shown]:
        """What is shown of a call of the program."""
        return {each.call: each for calls in self.calls.values() for each in calls}


def special(program: Program, entries: Sequence[Entry], parameters: Mapping[str, float]) -> Special:
    """The entries as they are shown at parameters, of which only zeros count.

    Source
        own
    """
    return _Specialiser(program, entries, parameters).made()


class _Specialiser:
    def __init__(
        self, program: Program, entries: Sequence[Entry], parameters: Mapping[str, float]
    ) -> None:
        self.program, self.entries, self.parameters = program, entries, parameters
        run = {name for entry in entries for name in entry.steps}
        self.steps = [step for step in program.steps if step.name in run]
        self.nothing = {
            sp.Symbol(name, real=True): sp.S.Zero
            for name, value in {**program.parameters, **parameters}.items()
            if value == 0
        }
        self._values: dict[Ref, Known] = {}
        self._live: dict[Ref, frozenset[int]] = {}
        self._matrices: dict[tuple[int, Port], tuple[sp.Matrix, sp.Matrix, Known]] = {}
        self._known: dict[tuple[object, ...], KnownKernel] = {}
        self._left: dict[tuple[object, ...], Left] = {}

    def made(self) -> Special:
        forward = [(step, [*self._forward(step)]) for step in self.steps]
        written = {x for step in self.steps for x in step_writes(step)}
        results = {name for entry in self.entries for name in entry.results}
        for name, array in self.program.arrays.items():
            if name in results or (array.storage is Storage.RESULT and name in written):
                self._read_whole(name)
        backward: dict[str, tuple[tuple[Call, Shown | None], ...]] = {}
        for step, calls in reversed(forward):
            if step.dense:
                self._read_whole(step.dense.matrix)
                self._read_whole(step.dense.rhs)
            pairs = [(call, self._backward(call, known)) for call, known in calls[::-1]]
            backward[step.name] = tuple(pairs[::-1])
        backward = {step.name: backward[step.name] for step in self.steps}
        shown = {name: tuple(each for _, each in x if each) for name, x in backward.items()}
        kept = tuple(
            replace(step, calls=tuple(each.call for each in shown[step.name]))
            for step in self.steps
            if shown[step.name] or step.dense or step.clears
        )
        names = {step.name for step in kept}
        entries = tuple(
            replace(entry, steps=tuple(x for x in entry.steps if x in names))
            for entry in self.entries
        )
        program = replace(self.program, steps=kept, entries=entries)
        return Special(program, tuple(self.entries), self.parameters, shown, backward)

    def _read_whole(self, array: str) -> None:
        every = frozenset(range(len(self.program.arrays[array].port.entries)))
        self._live |= dict.fromkeys(self.program.refs(array), every)

    # From the constants on

    def _forward(self, step: Step) -> Iterator[tuple[Call, KnownKernel]]:
        for name in step.clears:
            nothing = (sp.S.Zero,) * len(self.program.arrays[name].port.entries)
            for ref in self.program.refs(name):
                self._give(ref, nothing)
        for call in step.single_calls():
            inputs = tuple(self._input(call, port) for port in call.kernel.inputs)
            key = (call.kernel, inputs)
            if key not in self._known:
                self._known[key] = known_kernel(call.kernel, inputs)
            found = self._known[key]
            for name, ref in call.writes.items():
                self._give(ref, found.outputs[name])
            yield call, found
        if step.dense:
            for ref in self.program.refs(step.dense.unknowns):
                self._give(ref, (None,))

    def _give(self, ref: Ref, found: Known) -> None:
        """What is known of a value: as another step may give it in another entry, of both."""
        before = self._values.get(ref, found)
        self._values[ref] = tuple(x if x == y else None for x, y in zip(found, before, strict=True))

    def _input(self, call: Call, port: Port) -> Known:
        binding = call.reads[port.name]
        if isinstance(binding, Ref):
            return self._values.get(binding, (None,) * len(port.entries))
        return self._constant(binding, port)[2]

    def _constant(self, matrix: sp.Matrix, port: Port) -> tuple[sp.Matrix, sp.Matrix, Known]:
        """A constant without parameters that are zero, and what is plain of it."""
        key = (id(matrix), port)
        if key not in self._matrices:
            own = sp.Matrix(matrix).xreplace(self.nothing)
            entries = (sp.sympify(own[i, j]) for i, j in port.entries)
            self._matrices[key] = matrix, own, tuple(x if x in PLAIN else None for x in entries)
        return self._matrices[key]

    # From the results back

    def _backward(self, call: Call, known: KnownKernel) -> Shown | None:
        wanted = frozenset(name for name, ref in call.writes.items() if self._live.get(ref))
        if not wanted:
            return None
        key = (known, wanted)
        if key not in self._left:
            self._left[key] = left(known, wanted)
        kept = self._left[key]
        reads: dict[str, Ref | sp.Matrix] = {}
        for port in kept.kernel.inputs:
            binding = call.reads[port.name]
            if isinstance(binding, Ref):
                reads[port.name] = binding
                before = self._live.get(binding, frozenset())
                self._live[binding] = before | kept.reads[port.name]
            else:
                reads[port.name] = self._constant(binding, port)[1]
        constants = {
            port.name: matrix(port, known.of(port))
            for port in call.kernel.inputs
            if port.name in kept.spoken and None not in known.of(port)
        }
        writes = {name: ref for name, ref in call.writes.items() if name in wanted}
        made = Call(kept.kernel, call.member, reads, writes)
        return Shown(made, call, kept.zero, kept.unread, kept.steps, constants)
