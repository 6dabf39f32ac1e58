"""How a target writes a module: what every target does alike, and what each says of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ...symbolic.language.program import Program
from ...symbolic.methods.algorithms import Algorithm
from ...symbolic.plans.plan import Plan
from ..blocks import LoweredStep, Module
from ..frozen import Lowering
from ..interface import Interface
from ..printing.languages import Language
from ..printing.names import Names
from ..printing.printer import PrintedStep, print_step
from ..rendering import same_for_all
from ..views import context_of

#: Files by name, and the declarations in C that cffi reads.
Written = tuple[dict[str, str], str]


@dataclass(frozen=True)
class Asked:
    """What the caller says of the files: see `emit`."""

    state: tuple[Sequence[float], Sequence[float]] | None = None
    portable: bool = False
    threads: bool = False


class Writer(ABC):
    """What a target does with a program: it takes or refuses it, and prints its files.

    `lowering` lowers its program, if not the usual one; `reals` are the types of its numbers.
    """

    language: ClassVar[Language]
    lowering: ClassVar[type[Lowering] | None] = None
    reals: ClassVar[tuple[str, ...]] = ("double",)

    def program(self, method: Algorithm, order: Plan, **asked: Any) -> Program:
        """The program that is lowered for the target.

        Raises
            UsageError: the target has none of this algorithm or model.
        """
        return method.program(order, **asked)

    def printed(self, module: Module, step: LoweredStep, names: Names) -> PrintedStep:
        """A step's blocks as text."""
        return print_step(module, step, self.language, names)

    def views(self, interface: Interface) -> dict[str, object]:
        """What its templates are filled with besides."""
        return {}

    def shared(self, module: Module, interface: Interface) -> Sequence[str]:
        """The files beside the model's own that it needs, which are the same for all models."""
        return ()

    @abstractmethod
    def own(
        self, module: Module, interface: Interface, context: Mapping[str, Any], asked: Asked
    ) -> Written:
        """The model's own files; `context` is what templates are filled with."""

    def written(self, module: Module, interface: Interface, asked: Asked) -> Written:
        """All files of a module but the manifest."""
        names = Names(module, self.language)
        printed = {step.name: self.printed(module, step, names) for step in module.steps}
        shared = {name: same_for_all(name) for name in self.shared(module, interface)}
        context = context_of(module, interface, names, printed) | {
            "shared": [name for name in shared if name.endswith(".c")],
            **self.views(interface),
        }
        files, declarations = self.own(module, interface, context, asked)
        return {**shared, **files}, declarations
