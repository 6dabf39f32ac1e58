"""What of the tests needs a C compiler: they are skipped, with the reason, where none works."""

from __future__ import annotations

import pytest

from mstmm.codegen.toolchain import Compiler, find_compiler
from mstmm.errors import ToolchainError


def _compiler() -> Compiler | str:
    try:
        return find_compiler()
    except ToolchainError as error:
        return str(error).splitlines()[0]


#: The compiler, or why there is none.
COMPILER = _compiler()

needs_compiler = pytest.mark.skipif(
    isinstance(COMPILER, str), reason=f"this machine builds no C: {COMPILER}"
)

#: `c` where it can be compiled, and `numpy`.
TARGETS = (pytest.param("c", marks=needs_compiler), pytest.param("numpy"))

#: For tests whose subject is no target: the fast one where there is one.
TARGET = "numpy" if isinstance(COMPILER, str) else "c"
