"""The files of NumPy: one module, and what all models share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ...blocks import Module
from ...interface import Interface
from ...printing.languages import Language
from ...rendering import render
from ...views import imported_solvers
from ..writer import Asked, Writer, Written
from .language import NUMPY


class NumpyWriter(Writer):
    """Writes NumPy."""

    language: ClassVar[Language] = NUMPY

    def shared(self, module: Module, interface: Interface) -> Sequence[str]:
        # Motions of closed loops ask the solvers what they met, also of a model that calls none.
        return ["mstmm_solve.py"] if imported_solvers(module) or interface.can_close else []

    def own(
        self, module: Module, interface: Interface, context: Mapping[str, Any], asked: Asked
    ) -> Written:
        return {f"{interface.prefix}.py": render("numpy/module.py.jinja", context)}, ""


WRITER = NumpyWriter()
