"""A functional mock-up unit: the model for every tool that reads FMI 2 or 3.

It holds the sources and a shared library for this platform, for model exchange and for
co-simulation.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from hashlib import sha256

from ...codegen.generate import Generated
from ...codegen.toolchain import LIBRARY_SUFFIX
from .filled import render
from .instance import Instance, built
from .variables import units, variables

HEADERS = {
    2: ("fmi2FunctionTypes.h", "fmi2Functions.h", "fmi2TypesPlatform.h"),
    3: ("fmi3FunctionTypes.h", "fmi3Functions.h", "fmi3PlatformTypes.h"),
}


def fmu(made: Generated, version: int) -> Mapping[str, bytes]:
    """The files of an FMU by path; put into an archive they are one.

    Raises
        CodegenError: the model has nothing that moves in time.
        ToolchainError: there is no working C compiler.
    Source
        FMI 2.0.4 and 3.0.1, https://fmi-standard.org.
    """
    instance = Instance(made)
    library = instance.library
    names = sorted(name for name in library if name.endswith(".c"))
    wrapper = f"fmi{version}.c"
    context = _context(instance, version) | {"sources": [*names, wrapper]}
    sources = dict(library)
    sources[wrapper] = render(f"{wrapper}.jinja", context)
    for header in HEADERS[version]:
        sources[header] = render(f"fmi{version}/{header}.jinja", {})
    found = {f"sources/{name}": text.encode() for name, text in sources.items()}
    description = render(f"modelDescription{version}.xml.jinja", context)
    found["modelDescription.xml"] = description.encode()
    if version == 3:
        found["sources/buildDescription.xml"] = render(
            "buildDescription.xml.jinja", context
        ).encode()
    binary = made.sources.interface.prefix + LIBRARY_SUFFIX
    found[f"binaries/{_platform(version)}/{binary}"] = built(sources, binary)
    return found


def _context(instance: Instance, version: int) -> dict[str, object]:
    made = instance.made
    token = sha256(f"{version} {made.sources.digest}".encode()).hexdigest()
    listed = list(variables(made, bool(instance.energy), instance.switched[0]))
    return {
        **instance.context,
        "version": version,
        "adjoint": version == 3,
        "name": made.model.name,
        "token": f"{{{token[:8]}-{token[8:12]}-{token[12:16]}-{token[16:20]}-{token[20:32]}}}",
        "variables": listed,
        "units": units(listed),
    }


def _platform(version: int) -> str:
    """What the standard calls this machine."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, "linux")
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    if version == 2:
        short = {"linux": "linux", "darwin": "darwin", "windows": "win"}[system]
        return f"{short}{64 if sys.maxsize > 2**32 else 32}"
    return f"{machine}-{system}"
