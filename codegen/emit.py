"""From a lowered module to sources: fills the templates with text and small view objects."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

import jinja2

from ..symbolic.language.program import Storage
from ..symbolic.language.tolerances import (
    AROUND,
    CUT_OFF,
    FAINT,
    FAR,
    FIRM,
    LOST,
    MOST_PIECES,
    NEAREST,
    SECTIONS,
    SINGULAR,
    WIDENINGS,
)
from .arguments import arguments_of
from .blocks import Cell, LoweredStep, Module, needs_room, room
from .costs.cost import footprint, table
from .face.outline import interface_of
from .integrators import KEPT, collocation_view, method_views
from .interface import Interface
from .lanes import VECTORS, native_of, plain_entries, print_lanes
from .motions import forms, has_tangents, seen
from .printing.languages import BATCH, NUMPY, C, Language
from .printing.names import Names
from .printing.places import places
from .printing.printer import PrintedBlock, print_step
from .runs import LOOP_MIN
from .solves.elimination import Elimination
from .tableaus import MOST_STEPS, PATIENCE, STAGES
from .trig import Trig

TARGETS = ("c", "c-batch", "c-lanes", "numpy")
LANGUAGES = {"c": C, "c-batch": BATCH, "c-lanes": VECTORS, "numpy": NUMPY}

#: Stands for the number of lanes in the declarations of a batch module.
LANES = "LANES"

#: Gauss–Newton passes; it converges quadratically, so that more mean that it does not.
MOST_PASSES = 50

#: The longest step (rad, m) taken at once, lest a far start jump to another closure.
LONGEST_STEP = 0.5

#: Newton iterations of an implicit step; when more are needed the step is too long.
MOST_ITERATIONS = 7

EXAMPLE = "example_main.c"

#: What is asked of a state besides its motion; in C these entries have a file of their own.
OUTPUTS = frozenset({"end_states", "poses", "energy"})

MOTION = ("mstmm_motion.h", "mstmm_motion.c")

#: What the templates of the shared files are filled with.
SHARED: dict[str, object] = {
    "cut_off": repr(CUT_OFF),
    "firm": repr(FIRM),
    "faint": repr(FAINT),
    "lost": repr(LOST),
    "most_passes": MOST_PASSES,
    "longest_step": repr(LONGEST_STEP),
    "singular": repr(SINGULAR),
    "nearest": repr(NEAREST),
    "widenings": WIDENINGS,
    "around": repr(AROUND),
    "far": repr(FAR),
    "most_pieces": MOST_PIECES,
    "sections": SECTIONS,
    "most_steps": MOST_STEPS,
    "patience": PATIENCE,
    "methods": method_views(),
    "stages": STAGES,
    "collocation": collocation_view(),
    "most_iterations": MOST_ITERATIONS,
    "kept": KEPT,
    "functions": sorted(BATCH.functions),
}


@dataclass(frozen=True)
class Sources:
    """The emitted files by name, the C declarations for cffi, and the interface."""

    target: str
    files: Mapping[str, str]
    declarations: str
    interface: Interface

    @property
    def library(self) -> dict[str, str]:
        """The C files that make a library."""
        names = (name for name in self.files if name.endswith((".c", ".h")))
        return {name: self.files[name] for name in names if name != EXAMPLE}

    @property
    def own_flags(self) -> dict[str, tuple[str, ...]]:
        """Flags of single files: what no motion of this library needs is left out of them."""
        implicit = has_tangents(self.interface)  # which moves the loops of other code, too
        parts = {"LOOPS": implicit or self.interface.can_close, "IMPLICIT": implicit}
        unused = tuple(f"-DMSTMM_{part}=0" for part, needed in parts.items() if not needed)
        return {MOTION[1]: unused}

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
    files: dict[str, str] = {}
    declarations = ""
    prefix = interface.prefix
    files.update(_shared(module, interface, target))
    context |= {
        "seen": seen(interface, target),
        "moves": any(forms(interface)) or "derivatives" in interface.arguments,
        "shared": [name for name in files if name.endswith(".c")],
    }
    if target == "c":
        declarations = render("c/declarations.h.jinja", context)
        context |= {"declarations": declarations, "portable": portable, "threads": threads}
        files[f"{prefix}.h"] = render("c/module.h.jinja", context)
        files |= _in_c(prefix, context)
        if context["moves"]:
            files[f"{prefix}_motion.c"] = render("c/model_motion.c.jinja", context)
        files[f"build_{prefix}.py"] = render("c/build.py.jinja", context)
        if state is not None and "accelerations" in interface.arguments:
            context |= {"q0": _in_rows(state[0]), "v0": _in_rows(state[1])}
            files[EXAMPLE] = render("c/example_main.c.jinja", context)
    elif target == "c-batch":
        context |= _vector(module) | {"public": wide_names(interface)}
        declarations = render(
            "c/batch_declarations.h.jinja",
            context | {"lanes": _lanes_for_cffi},
        )
        declared = render(
            "c/batch_declarations.h.jinja",
            context | {"lanes": f"{prefix}_lanes {{}}".format},
        )
        files[f"{prefix}.h"] = render("c/batch.h.jinja", context | {"declared": declared})
        files[f"{prefix}.c"] = render("c/batch.c.jinja", context)
    elif target == "c-lanes":
        context |= _native(module, interface)
        declarations = render("c/lanes_declarations.h.jinja", context)
        files[f"{prefix}.h"] = render("c/lanes.h.jinja", context | {"declarations": declarations})
        files[f"{prefix}.c"] = render("c/lanes.c.jinja", context)
    else:
        files[f"{prefix}.py"] = render("numpy/module.py.jinja", context)
    files[f"{prefix}.json"] = _manifest(module, interface)
    if MOTION[0] in files:
        declarations = render("shared/motion_declarations.h.jinja", SHARED) + declarations
        declarations = declarations.replace("extern const ", "extern ")  # cffi reads no constants
    return Sources(target, MappingProxyType(files), declarations, interface)


def _in_rows(numbers: Sequence[float]) -> str:
    """The lines of an array's numbers, four in each."""
    texts = [repr(float(x)) for x in numbers]
    rows = (", ".join(texts[k : k + 4]) for k in range(0, len(texts), 4))
    return ",\n".join(f"        {row}" for row in rows)


def _in_c(prefix: str, context: Mapping[str, Any]) -> dict[str, str]:
    """The model's own file, and what stands apart from its dynamics, which that file includes."""
    entries = context["entries"]
    own = [entry for entry in entries if entry.name not in OUTPUTS] or entries
    steps = {step.name for entry in own for step in entry.steps}
    parts: dict[str, dict[str, object]] = {
        "own": {"entries": own, "steps": [x for x in context["steps"] if x.name in steps]},
        "outputs": {
            "entries": [entry for entry in entries if entry not in own],
            "steps": [x for x in context["steps"] if x.name not in steps],
        },
    }
    apart = f"{prefix}_outputs.h"
    files = {}
    if parts["outputs"]["entries"]:
        files[apart] = render("c/outputs.h.jinja", {**context, **parts["outputs"]})
    told = {"apart": apart if files else ""}
    return {f"{prefix}.c": render("c/module.c.jinja", {**context, **parts["own"], **told}), **files}


def _shared(module: Module, interface: Interface, target: str) -> dict[str, str]:
    """The files beside the model's own that it needs, whose bytes no model changes."""
    # Motions of closed loops ask the solvers what they met, also of a model that calls none.
    closes = interface.can_close and any(forms(interface))
    if target == "numpy":
        solvers = ["mstmm_solve.py"] if _imported_solvers(module) or closes else []
        motions = ["mstmm_motion.py"] if any(forms(interface)) else []
        return {name: same_for_all(name) for name in (*solvers, *motions)}
    vectors = target != "c"
    names = ["mstmm_solve.h"]
    if vectors or closes or _solvers(module) or any(step.dense for step in module.steps):
        names += ["mstmm_solve.c"]
    if vectors or _trig(module):
        names += ["mstmm_trig.h", "mstmm_trig.c"]
    if vectors:
        names += ["mstmm_lanes.h"]
    if _sparse(module):
        names += ["mstmm_sparse.h"]
    if any(forms(interface)) or has_tangents(interface):
        names += MOTION
    return {name: same_for_all(name) for name in names}


@cache
def same_for_all(name: str) -> str:
    """A file whose bytes no model changes."""
    return render(f"shared/{name}.jinja", SHARED)


def _context(module: Module, interface: Interface, language: Language) -> dict[str, object]:
    print_it = print_lanes if language is VECTORS else print_step
    names = Names(module, language)
    printed = {step.name: print_it(module, step, language, names) for step in module.steps}
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
        "imported_solvers": _imported_solvers(module),
        "columns": any(block.span for step in module.steps for block in step.blocks),
        "orders": {block.order for step in printed.values() for block in step.blocks} - {""},
        "clears": any(step.clears for step in module.steps),
        "dense": {step.name: module.size(step.dense) for step in module.steps if step.dense},
        "room": room(module),
        "trig": _trig(module),
        "sparse": _sparse(module),
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


def _vector(module: Module) -> dict[str, object]:
    """What says how many states share a vector: what the first entry needs, and if it loops.

    Straight code keeps so many numbers at hand that two registers for each are too many.
    """
    names = module.entries[0].steps if module.entries else ()
    own = replace(module, steps=tuple(step for step in module.steps if step.name in names))
    work = {True: 0, False: 0}
    for block in (block for step in own.steps for block in step.blocks):
        work[block.count >= LOOP_MIN] += block.times * block.operations().total()
    return {"state_bytes": footprint(own), "looped": work[True] > work[False]}


def wide_names(interface: Interface) -> tuple[str, ...]:
    """What of a batch library has the number of lanes in its symbol's name."""
    names = [*interface.arguments, *(f"{name}_lanes" for name in interface.arguments)]
    names += ["rhs"] if interface.can_integrate else []
    names += ["project"] if interface.can_close else []
    names += ["model"] if any(forms(interface)) else []
    names += ["tangents"] if has_tangents(interface) else []
    return tuple(names)


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


def _solvers(module: Module) -> set[str]:
    """The functions that the blocks call to solve."""
    return {system.solver for system in _systems(module)}


def _sparse(module: Module) -> bool:
    """Is a system solved without storing its zeros?"""
    return any(system.pattern for system in _systems(module))


def _systems(module: Module) -> Iterable[Elimination]:
    graphs = [block.graph for step in module.steps for block in step.blocks]
    return (system for graph in graphs for system in graph.eliminations)


def _imported_solvers(module: Module) -> list[str]:
    """Those and what solves a dense system."""
    dense = {"solve_dense"} if any(step.dense for step in module.steps) else set[str]()
    return sorted(_solvers(module) | dense)


def _trig(module: Module) -> bool:
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
