"""From a lowered module to sources: what its target writes, and the manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from .blocks import Module
from .face.outline import interface_of
from .interface import Interface
from .motions import has_tangents
from .targets.c.writing import EXAMPLE, MOTION
from .targets.registry import target_named
from .targets.writer import Asked


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
    def unmoved(self) -> dict[str, str]:
        """Those of them that have the model's functions, without what moves it."""
        movers = (MOTION[1], f"{self.interface.prefix}_motion.c")
        return {name: text for name, text in self.library.items() if name not in movers}

    @property
    def outputs(self) -> str:
        """The text of what the motion does not need, where that stands in a file of its own."""
        return self.files.get(f"{self.interface.prefix}_outputs.h", "")

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


def emit(
    module: Module,
    target: str,
    *,
    state: tuple[Sequence[float], Sequence[float]] | None = None,
    portable: bool = False,
    threads: bool = False,
    real: str = "double",
) -> Sources:
    """Print a module for a target.

    `state` (q, v) adds, for C, an `example_main.c` of the accelerations there, if it has them;
    `portable`: its build script leaves out what only this machine may have; `threads`: it builds
    for OpenMP. `real` is the type of numbers, of which CUDA has two.
    """
    interface = replace(interface_of(module), real=real)
    writer = target_named(target).writer
    files, declarations = writer.written(module, interface, Asked(state, portable, threads))
    files[f"{interface.prefix}.json"] = _manifest(module, interface)
    return Sources(target, MappingProxyType(files), declarations, interface)


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
