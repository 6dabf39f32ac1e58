"""What the templates of the targets are filled with: text, and small view objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..model.expressions.quantities import told
from ..symbolic.language.program import Storage
from .arguments import arguments_of
from .blocks import Cell, LoweredStep, Module, needs_room, room
from .costs.cost import table
from .interface import Interface
from .printing.names import Names
from .printing.places import places
from .printing.printer import PrintedBlock, PrintedStep
from .rendering import SHARED
from .solves.elimination import MET, Elimination
from .trig import Trig


@dataclass(frozen=True)
class DenseView:
    """A dense system: its unknowns' number, and the names of its arrays."""

    size: int
    matrix: str
    rhs: str
    unknowns: str
    source: str


@dataclass(frozen=True)
class StepView:
    name: str
    title: str
    arguments: tuple[str, ...]
    blocks: tuple[PrintedBlock, ...]
    needs_work: bool
    clears: tuple[str, ...]
    dense: DenseView | None
    trig: Trig | None


@dataclass(frozen=True)
class EntryView:
    name: str
    title: str
    arguments: tuple[str, ...]
    results: tuple[tuple[str, int], ...]
    steps: tuple[StepView, ...]
    counts: str


def context_of(
    module: Module,
    interface: Interface,
    names: Names,
    printed: Mapping[str, PrintedStep],
) -> dict[str, Any]:
    """What the templates of a target are filled with: text, and small view objects."""
    views = {
        step.name: StepView(
            step.name,
            step.title,
            arguments_of(module, [step.name]),
            printed[step.name].blocks,
            printed[step.name].trig is not None or _needs_work(module, step.name),
            _cleared(module, step, interface),
            _dense_view(module, step),
            printed[step.name].trig,
        )
        for step in module.steps
    }
    entries = [
        EntryView(
            entry.name,
            entry.title,
            interface.arguments[entry.name],
            tuple((name, interface.sizes[name]) for name in entry.results),
            tuple(views[name] for name in entry.steps),
            counts(module.operations(entry)),
        )
        for entry in module.entries
    ]
    return {
        "title": module.program.title,
        "costs": table(module),
        "prefix": interface.prefix,
        "interface": interface,
        "steps": list(views.values()),
        "entries": entries,
        "entry": {entry.name: entry for entry in entries},
        "imported_solvers": imported_solvers(module),
        "columns": any(block.span for step in module.steps for block in step.blocks),
        "orders": {block.order for step in printed.values() for block in step.blocks} - {""},
        "clears": any(step.clears for step in module.steps),
        "dense": {step.name: module.size(step.dense) for step in module.steps if step.dense},
        "room": room(module),
        "met": MET * max(len(interface.solves), interface.can_close),
        "trig": has_trig(module),
        "angles": max((step.trig.size for step in printed.values() if step.trig), default=0),
        "inputs": interface.inputs,
        "places": places(module),
        "names": names,
        "baked": [
            f"{name} = {value!r}"
            for name, value in module.program.parameters.items()
            if name not in module.program.runtime
        ],
        "turns": interface.turns,
    } | SHARED


def _cleared(module: Module, step: LoweredStep, interface: Interface) -> tuple[str, ...]:
    """What a step clears of the workspace, which has no entry that nobody stores or reads."""
    ports = (module.array(name).port for name in step.clears)
    names = (port.entry_name(i, j) for port in ports for i, j in port.entries)
    return tuple(name for name in names if name in interface.workspace)


def _dense_view(module: Module, step: LoweredStep) -> DenseView | None:
    dense = step.dense
    if dense is None:
        return None
    return DenseView(module.size(dense), dense.matrix, dense.rhs, dense.unknowns, dense.source)


def solvers(module: Module) -> set[str]:
    """The functions that the blocks call to solve."""
    return {system.solver for system in _systems(module)}


def _systems(module: Module) -> Iterable[Elimination]:
    graphs = [block.graph for step in module.steps for block in step.blocks]
    return (system for graph in graphs for system in graph.eliminations)


def imported_solvers(module: Module) -> list[str]:
    """Those and what solves a dense system."""
    dense = {"solve_dense"} if any(step.dense for step in module.steps) else set[str]()
    return sorted(solvers(module) | dense)


def has_trig(module: Module) -> bool:
    """Is there any sine or cosine?"""
    kinds = ("sin", "cos")
    graphs = [block.graph for step in module.steps for block in step.blocks]
    return any(node.op in kinds for graph in graphs for node in graph.nodes)


def _needs_work(module: Module, step: str) -> bool:
    if module.step(step).dense or module.step(step).clears:
        return True
    if needs_room(module.step(step).blocks):
        return True
    for block in module.step(step).blocks:
        if any(system.reach for system in block.graph.eliminations):
            return True
        starts = [handover.start for handover in block.carries.values()]
        cells = [x for x in (*block.inputs.values(), *starts) if isinstance(x, Cell)]
        cells += [cell for cell, _ in block.stores]
        if any(module.array(cell.array).storage is Storage.WORK for cell in cells):
            return True
    return False


def counts(operations: Counter[str]) -> str:
    """Operations in words: `211 (120 multiplications, 80 additions, …)`."""
    total = sum(operations.values())
    if not total:
        return "0"
    parts = [
        told(number, _SINGULAR.get(kind, kind), kind)
        for kind, number in sorted(operations.items())
        if number
    ]
    return f"{total} ({', '.join(parts)})"


_SINGULAR = {
    "additions": "addition",
    "divisions": "division",
    "multiplications": "multiplication",
    "negations": "negation",
    "sines and cosines": "sine or cosine",
    "square roots": "square root",
}
