"""The files of C for many states at once, one in each lane of a vector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from ....errors import UsageError
from ....symbolic.language.program import Program
from ....symbolic.methods.algorithms import Algorithm
from ....symbolic.plans.plan import Plan
from ...blocks import Module
from ...costs.cost import footprint
from ...interface import Interface
from ...motions import forms, has_tangents
from ...printing.languages import Language
from ...rendering import render
from ...runs import LOOP_MIN
from ..c.writing import CWriter
from ..writer import Asked, Written
from .language import BATCH

#: Stands for the number of lanes in the declarations of a batch module.
LANES = "LANES"


class BatchWriter(CWriter):
    """Writes C of vectors; it has no solver of dense systems."""

    language: ClassVar[Language] = BATCH
    vectors: ClassVar[bool] = True

    def program(self, method: Algorithm, order: Plan, **asked: Any) -> Program:
        program = super().program(method, order, **asked)
        if any(step.dense for step in program.steps):
            raise UsageError(f"{method.name} has no target 'c-batch'; there are: c, numpy")
        return program

    def own(
        self, module: Module, interface: Interface, context: Mapping[str, Any], asked: Asked
    ) -> Written:
        prefix = interface.prefix
        context = {**context, **_vector(module), "public": wide_names(interface)}
        declared, declarations = (
            render("c_batch/batch_declarations.h.jinja", {**context, "lanes": lanes})
            for lanes in (f"{prefix}_lanes {{}}".format, _lanes_for_cffi)
        )
        files = {
            f"{prefix}.h": render("c_batch/batch.h.jinja", {**context, "declared": declared}),
            f"{prefix}.c": render("c_batch/batch.c.jinja", context),
        }
        return files, declarations


WRITER = BatchWriter()


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


def _lanes_for_cffi(field: str) -> str:
    """A field of vectors as plain doubles: what cffi understands."""
    return f"double {field}[{LANES}]"
