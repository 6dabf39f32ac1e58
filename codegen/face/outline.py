"""The interface of a module: what its callers must know, read off its blocks."""

from __future__ import annotations

from ...symbolic.language.program import Storage
from ..arguments import arguments_of
from ..blocks import Module
from ..interface import CLOSED, Interface
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
    )
