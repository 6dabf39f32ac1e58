"""The files of C for one long chain, its segments on the lanes of vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ....errors import UsageError
from ....symbolic.language.program import Program
from ....symbolic.methods.algorithms import Algorithm
from ....symbolic.plans.plan import Plan
from ...blocks import LoweredStep, Module
from ...frozen import Lowering
from ...interface import Interface
from ...motions import Seen, seen
from ...printing.languages import Language
from ...printing.names import Names
from ...printing.printer import PrintedStep
from ...rendering import render
from ..c.writing import CWriter
from ..writer import Asked, Written
from .lanes import VECTORS, LaneLowering, native_of, plain_entries, print_lanes


class LanesWriter(CWriter):
    """Writes C of chains in segments, for what has a program of them."""

    language: ClassVar[Language] = VECTORS
    vectors: ClassVar[bool] = True
    lowering: ClassVar[type[Lowering] | None] = LaneLowering

    def program(self, method: Algorithm, order: Plan, **asked: Any) -> Program:
        if order.model.kinematic:
            raise UsageError(f"target 'c-lanes': {order.model.no_dynamics}")
        make = method.segments.of(order.model) if method.form == "fast" else None
        if make is None:
            kind = "absolute" if order.model.absolute else "joint"
            raise UsageError(
                f"there is no target 'c-lanes' for {method.name} ({method.form}) in {kind} "
                "coordinates; use target c"
            )
        if method.options:
            raise UsageError(f"target 'c-lanes' has no option {' and '.join(method.options)}")
        return make(order, **asked)

    def printed(self, module: Module, step: LoweredStep, names: Names) -> PrintedStep:
        return print_lanes(module, step, names)

    def seen(self, interface: Interface) -> Sequence[Seen]:
        return seen(interface, lanes=False)  # integrators know one state

    def own(
        self, module: Module, interface: Interface, context: Mapping[str, Any], asked: Asked
    ) -> Written:
        prefix = interface.prefix
        context = {**context, **_native(module, interface)}
        declarations = render("c_lanes/lanes_declarations.h.jinja", context)
        header = render("c_lanes/lanes.h.jinja", {**context, "declarations": declarations})
        files = {f"{prefix}.h": header, f"{prefix}.c": render("c_lanes/lanes.c.jinja", context)}
        return files, declarations


WRITER = LanesWriter()


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
