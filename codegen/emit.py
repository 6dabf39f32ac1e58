"""From a lowered module to sources: fills the templates with text and small view objects."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

import jinja2

from ..symbolic.program import CUT_OFF, ROUNDING, Storage
from .blocks import Cell, LoweredStep, Module
from .cost import footprint, table
from .integrators import method_views
from .lanes import VECTORS, native_of, plain_entries, print_lanes
from .languages import BATCH, NUMPY, C, Language
from .printer import PrintedBlock, arguments_of, print_step
from .tableaus import STAGES, Turn, turns
from .trig import Trig

TARGETS = ("c", "c-batch", "c-lanes", "numpy")
LANGUAGES = {"c": C, "c-batch": BATCH, "c-lanes": VECTORS, "numpy": NUMPY}

#: Fields of the declarations where there is one motion at a time.
ONE = {"lanes": "double {}".format, "per_lane": ""}

#: Stands for the number of lanes in the declarations of a batch module.
LANES = "LANES"

#: A loop is closed within this: some ten thousand times the rounding of lengths of 1 m.
CLOSED = 1e-12

#: Gauss–Newton passes; it converges quadratically, so that more mean that it does not.
MOST_PASSES = 50

#: The longest step (rad, m) taken at once, lest a far start jump to another closure.
LONGEST_STEP = 0.5


@dataclass(frozen=True)
class Interface:
    """What a caller of the generated code must know: sizes, names and argument lists.

    `sizes` are the lengths of the caller's buffers; `arguments` the buffers of each entry in
    order (`w`, the workspace, comes last and is not listed); `inputs` are the caller's buffers
    that are read, in order.
    """

    name: str
    prefix: str
    algorithm: str
    sizes: Mapping[str, int]
    inputs: tuple[str, ...]
    arguments: Mapping[str, tuple[str, ...]]
    results: Mapping[str, tuple[str, ...]]
    sets: Mapping[str, tuple[str, ...]]
    parameters: tuple[str, ...]
    defaults: tuple[float, ...]
    workspace: Mapping[str, int]
    can_integrate: bool
    turns: tuple[Turn, ...]

    @property
    def can_close(self) -> bool:
        """Are there loops that the code can close?"""
        return {"constraints", "correction", "rates"} <= self.arguments.keys()

    @property
    def hamiltonian(self) -> bool:
        """Does the state have joint momenta in place of speeds?"""
        return "momentum_rates" in self.arguments

    @property
    def state(self) -> tuple[str, str]:
        """The buffers of the state: coordinates, then speeds or joint momenta."""
        return "q", "mom" if self.hamiltonian else "v"

    @property
    def closing(self) -> tuple[str, ...]:
        """The buffers that closing the loops takes."""
        entries = ["constraints", "correction", *(["regauge"] if self.hamiltonian else [])]
        taken = {name for entry in entries for name in self.arguments[entry]}
        return self._given({*taken, *self.state})

    @property
    def moving(self) -> tuple[str, ...]:
        """The buffers that an integrator takes: those read by accelerations and rates, and p."""
        entry = "momentum_rates" if self.hamiltonian else "accelerations"
        taken = {*self.arguments[entry], *self.arguments["rates"], *self.state, "p"}
        return self._given({*taken, *(self.closing if self.can_close else ())})

    def _given(self, taken: set[str]) -> tuple[str, ...]:
        """Of these the caller's buffers; with momenta the speeds are none."""
        other = {"c", "v"} - set(self.state)
        return tuple(name for name in self.inputs if name in taken - other)


@dataclass(frozen=True)
class Sources:
    """The emitted files by name, the C declarations for cffi, and the interface."""

    target: str
    files: Mapping[str, str]
    declarations: str
    interface: Interface

    @property
    def digest(self) -> str:
        """A hash of all files: the identity of what was generated."""
        text = "".join(f"{name}\0{body}\0" for name, body in sorted(self.files.items()))
        return hashlib.sha256(text.encode()).hexdigest()


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
        prefix=program.name.replace("-", "_"),
        algorithm=program.algorithm,
        sizes=sizes,
        inputs=tuple(n for n in (*module.owners(Storage.ARGUMENT), "p") if n in sizes),
        arguments=arguments,
        results={e.name: e.results for e in module.entries},
        sets=dict(program.sets),
        parameters=program.runtime,
        defaults=tuple(program.parameters[name] for name in program.runtime),
        workspace=dict(module.workspace),
        can_integrate={"accelerations", "rates"} <= arguments.keys(),
        turns=turns(program),
    )


def emit(
    module: Module,
    target: str,
    *,
    state: tuple[Sequence[float], Sequence[float]] | None = None,
    portable: bool = False,
    threads: bool = False,
) -> Sources:
    """Print a module for a target.

    `state` (q, v) adds, for C, an `example_main.c` of the accelerations there, if it has them;
    `portable`: its build script leaves out what only this machine may have; `threads`: it builds
    for OpenMP.
    """
    interface = interface_of(module)
    context = _context(module, interface, LANGUAGES[target])
    files = {}
    declarations = ""
    prefix = interface.prefix
    if target == "c":
        declarations = render("c/declarations.h.jinja", context | ONE)
        context |= {"declarations": declarations, "portable": portable, "threads": threads}
        files[f"{prefix}.h"] = render("c/module.h.jinja", context)
        files[f"{prefix}.c"] = render("c/module.c.jinja", context)
        files[f"build_{prefix}.py"] = render("c/build.py.jinja", context)
        if state is not None and "accelerations" in interface.arguments:
            values = [[repr(float(x)) for x in part] for part in state]
            context |= {"q0": values[0], "v0": values[1]}
            files["example_main.c"] = render("c/example_main.c.jinja", context)
    elif target == "c-batch":
        context |= _vector(module)
        declarations = render(
            "c/batch_declarations.h.jinja",
            context | {"lanes": _lanes_for_cffi, "per_lane": f"[{LANES}]"},
        )
        declared = render(
            "c/batch_declarations.h.jinja",
            context | {"lanes": f"{prefix}_lanes {{}}".format, "per_lane": "[LANES]"},
        )
        files[f"{prefix}.h"] = render("c/batch.h.jinja", context | {"declared": declared})
        files[f"{prefix}.c"] = render("c/batch.c.jinja", context)
    elif target == "c-lanes":
        context |= _native(module, interface)
        declarations = render("c/lanes_declarations.h.jinja", context | ONE)
        files[f"{prefix}.h"] = render("c/lanes.h.jinja", context | {"declarations": declarations})
        files[f"{prefix}.c"] = render("c/lanes.c.jinja", context)
    else:
        files[f"{prefix}.py"] = render("numpy/module.py.jinja", context)
    files[f"{prefix}.json"] = _manifest(module, interface)
    return Sources(target, MappingProxyType(files), declarations, interface)


def _context(module: Module, interface: Interface, language: Language) -> dict[str, object]:
    print_it = print_lanes if language is VECTORS else print_step
    printed = {step.name: print_it(module, step, language) for step in module.steps}
    views = {
        step.name: StepView(
            step.name,
            step.title,
            arguments_of(module, [step.name]),
            printed[step.name].blocks,
            printed[step.name].trig is not None or _needs_work(module, step.name),
            step.clears,
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
        "solvers": _solvers(module),
        "columns": any(block.span for step in module.steps for block in step.blocks),
        "orders": {block.order for step in printed.values() for block in step.blocks} - {""},
        "clears": any(step.clears for step in module.steps),
        "dense": {step.name: module.size(step.dense) for step in module.steps if step.dense},
        "trig": _trig(module),
        "functions_used": _functions(module),
        "angles": max((step.trig.size for step in printed.values() if step.trig), default=0),
        "cut_off": repr(CUT_OFF),
        "rounding": repr(ROUNDING),
        "closed": repr(CLOSED),
        "most_passes": MOST_PASSES,
        "longest_step": repr(LONGEST_STEP),
        "inputs": interface.inputs,
        "methods": method_views(),
        "stages": STAGES,
        "turns": interface.turns,
    }


def _vector(module: Module) -> dict[str, object]:
    """What says how many states share a vector: what the first entry needs, and if it loops."""
    names = module.entries[0].steps if module.entries else ()
    own = replace(module, steps=tuple(step for step in module.steps if step.name in names))
    looped = any(block.count > 1 for step in own.steps for block in step.blocks)
    return {"state_bytes": footprint(own), "looped": looped}


def _native(module: Module, interface: Interface) -> dict[str, object]:
    """What the template of lanes needs besides: the native order of the caller's buffers."""
    plain = plain_entries(module)
    packed = {x for name in interface.arguments.keys() - plain for x in interface.arguments[name]}
    buffers = [x for name, x in native_of(module).items() if name in packed]
    sizes = {buffer.name: buffer.size for buffer in buffers}
    return {
        "native": buffers,
        "native_sizes": sizes,
        "plain": plain,
        "lanes": buffers[0].lanes,
    }


def _dense_view(module: Module, step: LoweredStep) -> DenseView | None:
    dense = step.dense
    if dense is None:
        return None
    return DenseView(module.size(dense), dense.matrix, dense.rhs, dense.unknowns, dense.source)


def _lanes_for_cffi(field: str) -> str:
    """A field of vectors as plain doubles: what cffi understands."""
    return f"double {field}[{LANES}]"


def _functions(module: Module) -> list[str]:
    """The elementary functions that the blocks call, sine and cosine aside."""
    graphs = [block.graph for step in module.steps for block in step.blocks]
    used = {node.op for graph in graphs for node in graph.nodes}
    return sorted(used & BATCH.functions.keys())


def _solvers(module: Module) -> set[str]:
    """The functions that the blocks call to solve."""
    graphs = [block.graph for step in module.steps for block in step.blocks]
    return {system.solver for graph in graphs for system in graph.eliminations}


def _trig(module: Module) -> bool:
    """Is there any sine or cosine?"""
    kinds = ("sin", "cos")
    graphs = [block.graph for step in module.steps for block in step.blocks]
    return any(node.op in kinds for graph in graphs for node in graph.nodes)


def _needs_work(module: Module, step: str) -> bool:
    if module.step(step).dense or module.step(step).clears:
        return True
    for block in module.step(step).blocks:
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
        f"{number} {_SINGULAR.get(kind, kind) if number == 1 else kind}"
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


def _manifest(module: Module, interface: Interface) -> str:
    """What was generated, for programs: sizes, names, blocks with their equations and costs."""

    steps = [
        {
            "step": step.name,
            "blocks": [
                {
                    "kernel": block.name,
                    "members": block.members,
                    "count": block.times,
                    "equations": list(block.sources),
                    "operations": dict(sorted(block.operations().items())),
                }
                for block in step.blocks
            ],
        }
        for step in module.steps
    ]
    manifest = {
        "name": interface.name,
        "algorithm": interface.algorithm,
        "sizes": interface.sizes,
        "coordinates": interface.sets["coordinates"],
        "ends": interface.sets["ends"],
        "parameters": interface.parameters,
        "entries": {
            entry.name: {
                "arguments": interface.arguments[entry.name],
                "results": interface.results[entry.name],
                "operations": dict(sorted(module.operations(entry).items())),
            }
            for entry in module.entries
        },
        "workspace": interface.workspace,
        "steps": steps,
    }
    return json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("mstmm.templates", ""),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(template: str, context: Mapping[str, object]) -> str:
    """A template filled in."""
    return _environment().get_template(template).render(context)
