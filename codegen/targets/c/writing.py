"""The files of C: one state at a time, with a build script and an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ...blocks import Module
from ...interface import Interface
from ...motions import Seen, forms, has_tangents, seen
from ...printing.languages import Language
from ...rendering import SHARED, render
from ...views import has_trig, solvers
from ..writer import Asked, Writer, Written
from .language import C

EXAMPLE = "example_main.c"

#: What is asked of a state besides its motion; in C these entries have a file of their own.
OUTPUTS = frozenset({"joint_loads", "end_states", "poses", "energy"})

MOTION = ("mstmm_motion.h", "mstmm_motion.c")


class CWriter(Writer):
    """Writes C; `vectors`: with the shared files of code for many lanes."""

    language: ClassVar[Language] = C
    vectors: ClassVar[bool] = False

    def shared(self, module: Module, interface: Interface) -> Sequence[str]:
        moves = any(forms(interface))
        dense = any(step.dense for step in module.steps)
        names = ["mstmm_solve.h"]
        if self.vectors or solvers(module) or dense:
            names += ["mstmm_solve.c"]
        if self.vectors or has_trig(module):
            names += ["mstmm_trig.h", "mstmm_trig.c"]
        if self.vectors:
            names += ["mstmm_lanes.h"]
        if moves or has_tangents(interface):
            names += MOTION
        return names

    def seen(self, interface: Interface) -> Sequence[Seen]:
        """The model's functions as integrators call them."""
        return seen(interface, lanes=self.language.lanes)

    def views(self, interface: Interface) -> dict[str, object]:
        moves = any(forms(interface)) or has_tangents(interface)
        return {"seen": self.seen(interface), "moves": moves}

    def written(self, module: Module, interface: Interface, asked: Asked) -> Written:
        files, declarations = super().written(module, interface, asked)
        if MOTION[0] in files:
            declarations = render("shared/motion_declarations.h.jinja", SHARED) + declarations
            # cffi reads no constants
            declarations = declarations.replace("extern const ", "extern ")
        return files, declarations

    def own(
        self, module: Module, interface: Interface, context: Mapping[str, Any], asked: Asked
    ) -> Written:
        prefix = interface.prefix
        declarations = render("c/declarations.h.jinja", context)
        context = {
            **context,
            "declarations": declarations,
            "portable": asked.portable,
            "threads": asked.threads,
        }
        files = {f"{prefix}.h": render("c/module.h.jinja", context), **_in_c(prefix, context)}
        if context["moves"]:
            files[f"{prefix}_motion.c"] = render("c/model_motion.c.jinja", context)
        files[f"build_{prefix}.py"] = render("c/build.py.jinja", context)
        if asked.state is not None and "accelerations" in interface.arguments:
            q0, v0 = map(_in_rows, asked.state)
            files[EXAMPLE] = render("c/example_main.c.jinja", {**context, "q0": q0, "v0": v0})
        return files, declarations


WRITER = CWriter()


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
