"""The door between Python and C as an extension module, built once for this Python and NumPy.

Where Python's headers or a compiler are missing there is none, and libraries are called through
cffi, which costs some 60 µs a call.
"""

from __future__ import annotations

import sysconfig
from functools import cache
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ...codegen.build import build_extension
from ...errors import ToolchainError

NAME = "mstmm_door"

#: The parts of its text, one after the other.
TEXT = ("pointers.c", "entry.c", "call.c", "method.c", "door.c")

#: As many buffers as a function may take, see `entry.c`.
MOST = 12


def closer(*given: Any) -> None:
    """What stands for a fast call where there is none: every call needs a closer look."""


@cache
def door() -> ModuleType | None:
    """The extension module, or None where it cannot be had, which the log `mstmm` says.

    Source
        own
    """
    headers = Path(sysconfig.get_path("include"))
    text = "\n".join(Path(__file__).with_name(part).read_text("utf-8") for part in TEXT)
    try:
        if not (headers / "Python.h").is_file():
            raise FileNotFoundError(f"{headers} lacks Python.h")
        folders, versions = [headers, Path(np.get_include())], f"numpy {np.__version__}"
        library = str(build_extension(NAME, text, folders, versions))
        loader = ExtensionFileLoader(NAME, library)
        module = module_from_spec(ModuleSpec(NAME, loader, origin=library))
        loader.exec_module(module)
    except (ToolchainError, OSError, ImportError) as error:
        import logging

        reason = str(error).partition("\n")[0]
        logging.getLogger("mstmm").info("calls from Python go through cffi: %s", reason)
        return None
    return module
