"""What the type of a step promises, checked on its calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .program import Array, Call, Map, Output, Program, Ref, Step, Storage


def offences(program: Program) -> Iterator[str]:
    """Where a step does not keep what its type says, one line each; none in a right program."""
    for step in program.steps:
        yield from _order_offences(step)
        if isinstance(step, Output):
            yield from _result_offences(step, program.arrays)


def _order_offences(step: Step) -> Iterator[str]:
    """Reads of what is written later in the step, and in a map of what others write in it."""
    writer: dict[Ref, tuple[int, Call]] = {}
    calls = list(step.single_calls())
    for at, call in enumerate(calls):
        for ref in call.writes.values():
            writer.setdefault(ref, (at, call))
    for at, call in enumerate(calls):
        for name, ref in call.reads.items():
            if not isinstance(ref, Ref) or ref not in writer:
                continue
            there, other = writer[ref]
            where = f"{step.name}: {call.kernel.name} at {call.member} reads {name} = {ref.array}"
            if there >= at:
                yield f"{where} before {other.kernel.name} at {other.member} writes it"
            elif isinstance(step, Map) and other.member != call.member:
                yield f"{where} of {other.member}, though members of a map do not depend"


def _result_offences(step: Step, arrays: Mapping[str, Array]) -> Iterator[str]:
    for call in step.single_calls():
        for ref in call.writes.values():
            if arrays[ref.array].storage is not Storage.RESULT:
                yield f"{step.name}: an output writes {ref.array}, which is no result"
