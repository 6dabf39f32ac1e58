"""A functional mock-up unit: the model for every tool that reads FMI 2 or 3.

It holds the sources and a shared library for this platform, for model exchange and for
co-simulation.
"""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import sympy as sp

from ...errors import CodegenError, UsageError
from ..emit import Sources, render
from ..events import event_sources, text_of
from ..generate import Generated, generate
from ..interface import CLOSED
from ..toolchain import LIBRARY_SUFFIX, find_compiler
from .switches import switches
from .variables import units, variables

#: The longest step that co-simulation takes inside one of the master's, s.
INTERNAL_STEP = "0.001"
HEADERS = {
    2: ("fmi2FunctionTypes.h", "fmi2Functions.h", "fmi2TypesPlatform.h"),
    3: ("fmi3FunctionTypes.h", "fmi3Functions.h", "fmi3PlatformTypes.h"),
}
_FLAGS = ("-std=c11", "-O3", "-ffp-contract=fast", "-fPIC", "-shared", "-fvisibility=default")


def fmu(made: Generated, version: int) -> Mapping[str, bytes]:
    """The files of an FMU by path; put into an archive they are one.

    Raises
        CodegenError: the model has nothing that moves in time.
        ToolchainError: there is no working C compiler.
    Source
        FMI 2.0.4 and 3.0.1, https://fmi-standard.org.
    """
    interface = made.sources.interface
    if not interface.can_integrate or "tau" not in interface.arguments["accelerations"]:
        raise CodegenError(f"{interface.name}: its code has no motion that an FMU could follow")
    unit = _Unit(made)
    library = unit.library
    names = sorted(name for name in library if name.endswith(".c"))
    wrapper = f"fmi{version}.c"
    context = _context(unit, version) | {"sources": [*names, wrapper]}
    sources = dict(library)
    sources[wrapper] = render(f"export/{wrapper}.jinja", context)
    for header in HEADERS[version]:
        sources[header] = render(f"fmi{version}/{header}.jinja", {})
    found = {f"sources/{name}": text.encode() for name, text in sources.items()}
    description = render(f"export/modelDescription{version}.xml.jinja", context)
    found["modelDescription.xml"] = description.encode()
    if version == 3:
        found["sources/buildDescription.xml"] = render(
            "export/buildDescription.xml.jinja", context
        ).encode()
    binary = interface.prefix + LIBRARY_SUFFIX
    found[f"binaries/{_platform(version)}/{binary}"] = _built(
        sources, [*names, wrapper], interface.prefix
    )
    return found


@dataclass(frozen=True)
class _Unit:
    """The code of a unit: of the motion, of the derivatives, and of what its laws switch at."""

    made: Generated

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


def _context(unit: _Unit, version: int) -> dict[str, object]:
    made = unit.made
    interface, model = made.sources.interface, made.model
    energy = [name for name in interface.arguments.get("energy", ()) if name != "energy"]
    usable = "energy" in interface.arguments and {*energy} <= {"q", "v", "t", "p", "tau"}
    token = sha256(f"{version} {made.sources.digest}".encode()).hexdigest()
    derivatives = unit.derivatives
    functions, times = unit.switched
    listed = list(variables(made, usable, functions))
    return {
        "version": version,
        "prefix": interface.prefix,
        "name": model.name,
        "title": (model.description or model.name).splitlines()[0],
        "token": f"{{{token[:8]}-{token[8:12]}-{token[12:16]}-{token[16:20]}-{token[20:32]}}}",
        "nq": interface.sizes["q"],
        "nv": interface.sizes["v"],
        "np": interface.sizes.get("p", 0),
        "held": interface.held,
        "energy": energy if usable else [],
        "loops": interface.sizes["phi"] if interface.can_close else 0,
        "closing": interface.closing if interface.can_close else (),
        "closed": repr(CLOSED),
        "derivatives": derivatives.interface.arguments["derivatives"] if derivatives else (),
        "slopes": derivatives.interface.prefix if derivatives else "",
        "watcher": f"{unit.events.interface.prefix}_watcher" if unit.events else "",
        "width": 3 * interface.sizes["v"] + interface.sizes.get("p", 0),
        "switches": functions,
        "times": times,
        "q0": [repr(float(x)) for x in model.q0],
        "v0": [repr(float(x)) for x in model.v0],
        "p0": [repr(x) for x in interface.defaults],
        "internal": INTERNAL_STEP,
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


def _built(sources: Mapping[str, str], names: list[str], prefix: str) -> bytes:
    """The shared library, built for any machine of this kind."""
    with tempfile.TemporaryDirectory(prefix="mstmm-") as scratch:
        folder = Path(scratch)
        for name, text in sources.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        library = prefix + LIBRARY_SUFFIX
        find_compiler().compile([*names, "-lm"], library, folder=folder, flags=_FLAGS)
        return (folder / library).read_bytes()
