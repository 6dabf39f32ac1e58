"""One instance of a model that moves, in C: what FMUs and functions of CasADi share."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import sympy as sp

from ...codegen.build import last_flags
from ...codegen.emit import Sources
from ...codegen.events import event_sources, text_of
from ...codegen.generate import Generated, generate
from ...codegen.interface import CLOSED
from ...codegen.toolchain import find_compiler
from ...errors import CodegenError, UsageError
from .switches import switches

#: The longest step that an instance takes of itself, s.
INTERNAL_STEP = "0.001"

#: The last step before a law switches, in which stages see both sides of it, s.
NEAREST = "1e-9"
_FLAGS = ("-std=c11", "-O3", "-ffp-contract=fast", "-fPIC", "-shared", "-fvisibility=default")


@dataclass(frozen=True)
class Instance:
    """The code of an instance: the motion, its derivatives, and what its laws switch at.

    Raises
        CodegenError: the model has nothing that moves in time.
    """

    made: Generated

    def __post_init__(self) -> None:
        interface = self.made.sources.interface
        if not interface.can_integrate or "tau" not in interface.arguments["accelerations"]:
            raise CodegenError(f"{interface.name}: its code has no motion that could be followed")

    @cached_property
    def derivatives(self) -> Sources | None:
        """The code of the derivatives, unless a law has none."""
        model = self.made.model
        inputs = {each.name for each in model.inputs}
        kept = [name for name in self.made.sources.interface.parameters if name not in inputs]
        try:
            return generate(
                model,
                algorithm="derivatives",
                parameters=kept,
                forced=True,
                loaded=False,
                portable=True,
            ).sources
        except (CodegenError, UsageError):
            return None

    @cached_property
    def switched(self) -> tuple[list[sp.Expr], list[sp.Expr]]:
        return switches(self.made.model)

    @cached_property
    def events(self) -> Sources | None:
        """The code of the functions that laws switch at, if there are any."""
        model, (functions, times) = self.made.model, self.switched
        if not functions and not times:
            return None
        inputs = {each.name: float(each.default) for each in model.inputs}
        parameters = self.made.sources.interface.parameters
        kept = tuple(name for name in parameters if name not in inputs)
        texts = [text_of(function) or "" for function in (*functions, *times)]
        return event_sources(model, texts, "c", kept, numbers=inputs)

    @property
    def library(self) -> dict[str, str]:
        """The files; what several parts share is the same in all."""
        found: dict[str, str] = {}
        for part in (self.derivatives, self.events, self.made.sources):
            found |= part.library if part else {}
        return found

    @property
    def energy(self) -> list[str]:
        """The arguments of the energy, where it is a function of what an instance holds."""
        arguments = self.made.sources.interface.arguments.get("energy", ())
        taken = [name for name in arguments if name != "energy"]
        return taken if {*taken} <= {"q", "v", "t", "p", "tau"} else []

    @property
    def context(self) -> dict[str, object]:
        """What `instance.c.jinja` must know."""
        interface, model = self.made.sources.interface, self.made.model
        derivatives = self.derivatives
        functions, times = self.switched
        return {
            "prefix": interface.prefix,
            "title": (model.description or model.name).splitlines()[0],
            "nq": interface.sizes["q"],
            "nv": interface.sizes["v"],
            "np": interface.sizes.get("p", 0),
            "held": interface.held,
            "energy": self.energy,
            "loops": interface.sizes["phi"] if interface.can_close else 0,
            "closing": interface.closing if interface.can_close else (),
            "closed": repr(CLOSED),
            "derivatives": derivatives.interface.arguments["derivatives"] if derivatives else (),
            "slopes": derivatives.interface.prefix if derivatives else "",
            "watcher": f"{self.events.interface.prefix}_watcher" if self.events else "",
            "width": 3 * interface.sizes["v"] + interface.sizes.get("p", 0),
            "switches": functions,
            "times": times,
            "q0": [repr(float(x)) for x in model.q0],
            "v0": [repr(float(x)) for x in model.v0],
            "p0": [repr(x) for x in interface.defaults],
            "internal": INTERNAL_STEP,
            "nearest": NEAREST,
            "adjoint": False,
        }


def built(sources: Mapping[str, str], library: str) -> bytes:
    """A shared library of all C files of `sources`, for any machine of this kind.

    Raises
        ToolchainError: there is no working C compiler.
    """
    names = sorted(name for name in sources if name.endswith(".c"))
    with tempfile.TemporaryDirectory(prefix="mstmm-") as scratch:
        folder = Path(scratch)
        for name, text in sources.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        flags = [*_FLAGS, *last_flags()]
        find_compiler().compile([*names, "-lm"], library, folder=folder, flags=flags)
        return (folder / library).read_bytes()
