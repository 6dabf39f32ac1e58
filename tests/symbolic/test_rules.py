"""Steps keep what their types promise, in every algorithm of every golden model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from goldens import MODELS, model, ways

from mstmm.errors import MstmmError, UsageError
from mstmm.symbolic.language.program import (
    Array,
    Call,
    Map,
    Output,
    Program,
    Ref,
    Step,
    Storage,
    Sweep,
)
from mstmm.symbolic.methods.algorithms import chosen
from mstmm.symbolic.plans.plan import plan


def program(name: str, algorithm: str, form: str = "fast") -> Program:
    return chosen(algorithm, form=form).program(plan(model(name)), forced=True)


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


#: Models whose programs take longest to write.
LONG = {"space", "loads", "beams", "shortened beams", "moving base", "chain of balls"}

#: Of beams the usual run takes these.
FORWARD = {"riccati", "overall", "rnea-body"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in LONG else []) for n in MODELS]
)
def test_steps_are_what_they_are_called(name: str) -> None:
    for algorithm, form in ways(model(name)):
        try:
            made = program(name, algorithm, form)
        except MstmmError:
            continue  # refused by name
        assert list(offences(made)) == [], (algorithm, form)


def test_steps_of_beams_are_what_they_are_called() -> None:
    for algorithm in FORWARD:
        assert list(offences(program("shortened beams", algorithm))) == [], algorithm


def changed(name: str, kind: type, backwards: bool = False) -> list[str]:
    """The offences of the Riccati method with one step of another type or order."""
    made = program("plane", "riccati")
    steps = tuple(
        kind(step.name, step.title, tuple(step.calls)[:: -1 if backwards else 1])
        if step.name == name
        else step
        for step in made.steps
    )
    return list(offences(replace(made, steps=steps)))


def test_a_map_that_depends_on_others_is_seen() -> None:
    assert "though members of a map do not depend" in changed("tips_to_root", Map)[0]


def test_a_sweep_in_the_wrong_order_is_seen() -> None:
    assert "before" in changed("tips_to_root", Sweep, backwards=True)[0]


def test_an_output_of_what_is_no_result_is_seen() -> None:
    assert "which is no result" in changed("orientation", Output)[0]


def test_a_step_is_not_called_as_a_result_is() -> None:
    made = program("plane", "riccati")
    first = made.steps[0]
    with pytest.raises(UsageError, match="an argument or result are called 'energy'"):
        replace(made, steps=(replace(first, name="energy"), *made.steps[1:]))
