"""A functional mock-up unit: the model for every tool that reads FMI 3.

It holds the sources and a shared library for this platform, for model exchange and for
co-simulation. The standard's headers are those that FMPy ships.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from ...codegen.generate import Generated
from ...codegen.toolchain import LIBRARY_SUFFIX
from ...runtime.extras import require
from .filled import render
from .instance import Instance, built
from .variables import units, variables

HEADERS = ("fmi3FunctionTypes.h", "fmi3Functions.h", "fmi3PlatformTypes.h")
WRAPPER = "fmi3.c"


def fmu(made: Generated) -> Mapping[str, bytes]:
    """The files of an FMU by path; put into an archive they are one.

    Raises
        CodegenError: the model has nothing that moves in time.
        ToolchainError: there is no working C compiler, or no FMPy with the standard's headers.
    Source
        FMI 3.0.1, https://fmi-standard.org.
    """
    headers, instance = _headers(), Instance(made)
    names = sorted(name for name in instance.library if name.endswith(".c"))
    context = _context(instance) | {"sources": [*names, WRAPPER]}
    sources = {**instance.library, WRAPPER: render(f"{WRAPPER}.jinja", context), **headers}
    found = {f"sources/{name}": text.encode() for name, text in sources.items()}
    for path in ("modelDescription.xml", "sources/buildDescription.xml"):
        template = f"{path.removeprefix('sources/')}.jinja"
        found[path] = render(template, context).encode()
    binary = made.sources.interface.prefix + LIBRARY_SUFFIX
    found[f"binaries/{_platform()}/{binary}"] = built(sources, binary)
    return found


def _headers() -> dict[str, str]:
    """The headers of the standard, under its licence of two clauses (BSD)."""
    fmpy = require("fmpy", extra="fmi", purpose="an FMU")
    folder = Path(fmpy.__file__).parent / "c-code"
    return {name: (folder / name).read_text("utf-8") for name in HEADERS}


def _context(instance: Instance) -> dict[str, object]:
    made = instance.made
    token = sha256(f"3 {made.sources.digest}".encode()).hexdigest()
    listed = list(variables(made, bool(instance.energy), instance.switched[0]))
    return {
        **instance.context,
        "adjoint": True,
        "name": made.model.name,
        "token": f"{{{token[:8]}-{token[8:12]}-{token[12:16]}-{token[16:20]}-{token[20:32]}}}",
        "variables": listed,
        "units": units(listed),
    }


def _platform() -> str:
    """What the standard calls this machine."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, "linux")
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    return f"{machine}-{system}"
