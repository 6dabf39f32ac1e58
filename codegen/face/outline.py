"""The interface of a module: what its callers must know, read off its blocks."""

from __future__ import annotations

from collections.abc import Iterator

from ...symbolic.language.program import Call, Entry, Policy, Storage
from ...symbolic.language.program import Solve as SolveStatement
from ..arguments import arguments_of
from ..blocks import Module
from ..interface import CLOSED, Interface, Noted
from ..prefix import prefix_of
from ..tableaus import turns


def interface_of(module: Module) -> Interface:
    """The interface of the code that a module becomes."""
    program = module.program
    arguments = {e.name: arguments_of(module, e.steps) for e in module.entries}
    used = {name for names in arguments.values() for name in names}
    owners = module.owners(Storage.ARGUMENT) | module.owners(Storage.RESULT)
    sizes = {owner: size for owner, size in owners.items() if owner in used}
    if program.runtime:
        sizes["p"] = len(program.runtime)
    return Interface(
        name=program.name,
        prefix=prefix_of(program.name, program.algorithm, (step.name for step in module.steps)),
        algorithm=program.algorithm,
        sizes=sizes,
        inputs=tuple(n for n in (*module.owners(Storage.ARGUMENT), "p") if n in sizes),
        arguments=arguments,
        results={e.name: e.results for e in module.entries},
        operations={e.name: module.operations(e).total() for e in module.entries},
        sets=dict(program.sets),
        parameters=program.runtime,
        defaults=tuple(program.parameters[name] for name in program.runtime),
        workspace=dict(module.workspace),
        can_integrate={"accelerations", "rates"} <= arguments.keys(),
        turns=turns(program),
        closed=tuple(CLOSED * extent for extent in program.extents),
        solves=tuple(_noted(module)),
        noting={entry.name: _noting(module, entry) for entry in module.entries},
    )


def _noted(module: Module) -> Iterator[Noted]:
    """The solves that note what they meet, in their order."""
    for step in module.steps:
        for block in step.blocks:
            for calls in block.calls if block.noting else ():
                places = [_place(call) for call in calls if _notes(call)]
                for number, index in enumerate(block.noting):
                    own = places[min(number, len(places) - 1)] if places else ""
                    yield Noted(own, len(block.graph.eliminations[index].matrix))


def _place(call: Call) -> str:
    """The member that a call's results are kept with: one of its own, if there is one."""
    members = (ref.member for ref in call.writes.values())
    return next((member for member in members if member != call.member), call.member)


def _notes(call: Call) -> bool:
    return any(
        isinstance(x, SolveStatement) and x.policy is Policy.MIN_NORM
        for x in call.kernel.statements
    )


def _noting(module: Module, entry: Entry) -> range:
    """From the first to the last of an entry's solves that note what they meet."""
    own = [number for name in entry.steps for each in module.noting[name] for number in each]
    return range(min(own), max(own) + 1) if own else range(0)
