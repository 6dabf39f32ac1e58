"""A target: what a program is emitted as, in a record; how it is written stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import UsageError

if TYPE_CHECKING:
    from .writer import Writer


@dataclass(frozen=True)
class Target:
    """What a start from the cache must know of a target, which is little.

    `language` is what pages call it. `loader` names what loads its code, as `module:class`; code
    without one is to be read. `compiled`: by a C compiler, with extensions for `vectors` where it
    has some. `single`: its entries take one state, so that what goes step by step can call them.
    `threads`: long loops may run in them. `beside` is the target of the algorithms that stand
    beside the solver's own, if not the same. `apart`: by so much, relatively, a state's results
    may differ with the others of its batch.
    """

    name: str
    language: str
    loader: str = ""
    compiled: bool = False
    vectors: bool = False
    single: bool = False
    threads: bool = False
    beside: str = ""
    apart: float = 0.0

    @property
    def folder(self) -> str:
        """The package of this target."""
        return f"{__package__}.{self.name.replace('-', '_')}"

    @property
    def writer(self) -> Writer:
        """What writes it, which brings all that makes text of formulas."""
        found: Writer = import_module(f"{self.folder}.writing").WRITER
        return found

    @property
    def loading(self) -> Any:
        """What loads its code.

        Raises
            UsageError: nothing does.
        """
        if not self.loader:
            raise UsageError(f"target {self.name!r} is to be read: mstmm generate writes it")
        module, _, name = self.loader.partition(":")
        return getattr(import_module(module), name)
