"""The file of CUDA, which is C++17 for the CPU as well: the text of C, one state a thread."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from ....errors import UsageError
from ....symbolic.language.program import Entry, Program
from ....symbolic.language.tolerances import CUT_OFF, FAINT, FIRM
from ....symbolic.methods.algorithms import Algorithm
from ....symbolic.plans.plan import Plan
from ....symbolic.tree.acting_kernels import SLIGHT
from ...blocks import LoweredStep, Module
from ...interface import Interface
from ...passes.whole import LARGEST
from ...printing.languages import Language
from ...printing.names import Names
from ...printing.printer import PrintedStep
from ...rendering import render
from ...solves.elimination import MET
from ..writer import Asked, Writer, Written
from .language import CUDA

#: What stands before functions and tables where C has `static inline` and `static const`.
QUALIFIERS: dict[str, object] = {
    "inline": "MSTMM_DEVICE",
    "apart": "MSTMM_FAR ",
    "table": "MSTMM_TABLE ",
    "cuda": True,
}

#: What small systems are judged by, in as many digits of a float as it takes of a double's.
SINGLE: dict[str, object] = {
    name: f"{value ** (24 / 53):.0e}"
    for name, value in {"cut_off": CUT_OFF, "faint": FAINT, "firm": FIRM, "turned": 1e-36}.items()
}


class CudaWriter(Writer):
    """Writes CUDA; it has no solver of dense systems."""

    language: ClassVar[Language] = CUDA
    reals: ClassVar[tuple[str, ...]] = ("double", "float")

    def program(self, method: Algorithm, order: Plan, **asked: Any) -> Program:
        program = super().program(method, order, **asked)
        if any(step.dense for step in program.steps):
            raise UsageError(f"{method.name} has no target 'cuda'; there are: c, numpy")
        return program

    def printed(self, module: Module, step: LoweredStep, names: Names) -> PrintedStep:
        printed = super().printed(module, step, names)
        runs = [_length(module, entry) for entry in module.entries if step.name in entry.steps]
        order = "MSTMM_ROLLED" if min(runs, default=0) > LARGEST else "MSTMM_UNROLL"
        blocks = (replace(block, order=order) for block in printed.blocks)
        trig = replace(printed.trig, lanes=1) if printed.trig else None
        return replace(printed, blocks=tuple(blocks), trig=trig)

    def own(
        self, module: Module, interface: Interface, context: Mapping[str, Any], asked: Asked
    ) -> Written:
        names: Names = context["names"]
        work = dict(interface.workspace)
        work |= dict.fromkeys(("angles", "sines", "cosines"), context["angles"])
        work |= {"room": context["room"], "met": min(context["met"], MET)}
        known = {
            **context,
            **QUALIFIERS,
            **(SINGLE if interface.real == "float" else {}),
            "work": [(name, length) for name, length in work.items() if length],
            "bank": names.bank,
            "rolled": any(_length(module, entry) > LARGEST for entry in module.entries[:1]),
            "rolls": rolls(interface),
        }
        text = render("cuda/module.cu.jinja", known)
        if interface.real == "float":
            slight = 0 if module.program.algorithm in PIVOTED else float(SLIGHT)
            text = _TOKEN.sub(partial(_in_single, slight), text)
        return {f"{interface.prefix}.cu": text}, ""


WRITER = CudaWriter()


def _length(module: Module, entry: Entry) -> int:
    """The operations of an entry; where they are many, its loops stay loops."""
    return module.operations(entry).total()


def rolls(interface: Interface) -> bool:
    """Are there motions wholly on the device? Not of loops, which each step would have to close."""
    return interface.can_integrate and not (interface.can_close or interface.hamiltonian)


#: The normal floats. The least one keeps lengths of lines from being zero, as `SLIGHT` in doubles.
TINIEST, HUGEST = 1.18e-38, 3.4e38

#: Algorithms whose pivots have as slight a part added: a part that in floats need not be normal.
PIVOTED = ("linear", "damped")


#: What of a text says that numbers are doubles; remarks are passed over.
_TOKEN = re.compile(
    r"/\*.*?\*/|\bdouble\b|(?<![\w.])(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+)(?![\w.])", re.DOTALL
)


def _in_single(slight: float, token: re.Match[str]) -> str:
    text = token[0]
    if text.startswith("/*"):
        return text
    if text == "double":
        return "float"
    size = abs(float(text))
    if size and size == slight:
        return f"{TINIEST}f"
    if size and not TINIEST <= size <= HUGEST:
        raise UsageError(f"the code has the number {text}, which no float holds: take doubles")
    return f"{text}f"
