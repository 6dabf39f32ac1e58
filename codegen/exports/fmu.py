"""A functional mock-up unit: the model for every tool that reads FMI 2 or 3.

It holds the sources and a shared library for this platform, for model exchange and for
co-simulation.
"""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ...errors import CodegenError
from ..emit import render
from ..generate import Generated
from ..toolchain import LIBRARY_SUFFIX, find_compiler

#: The longest step that co-simulation takes inside one of the master's, s.
INTERNAL_STEP = "0.001"
HEADERS = {
    2: ("fmi2FunctionTypes.h", "fmi2Functions.h", "fmi2TypesPlatform.h"),
    3: ("fmi3FunctionTypes.h", "fmi3Functions.h", "fmi3PlatformTypes.h"),
}
_FLAGS = ("-std=c11", "-O3", "-ffp-contract=fast", "-fPIC", "-shared", "-fvisibility=default")


@dataclass(frozen=True)
class Variable:
    """A variable of the model description; `derivative`: whose rate it is."""

    name: str
    reference: int
    causality: str
    variability: str = "continuous"
    initial: str = ""
    start: str = ""
    derivative: int = 0


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
    library = made.sources.library
    names = sorted(name for name in library if name.endswith(".c"))
    wrapper = f"fmi{version}.c"
    context = _context(made, version) | {"sources": [*names, wrapper]}
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


def _context(made: Generated, version: int) -> dict[str, object]:
    interface, model = made.sources.interface, made.model
    energy = [name for name in interface.arguments.get("energy", ()) if name != "energy"]
    usable = "energy" in interface.arguments and {*energy} <= {"q", "v", "t", "p", "tau"}
    token = sha256(f"{version} {made.sources.digest}".encode()).hexdigest()
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
        "q0": [repr(float(x)) for x in model.q0],
        "v0": [repr(float(x)) for x in model.v0],
        "p0": [repr(x) for x in interface.defaults],
        "internal": INTERNAL_STEP,
        "variables": list(_variables(made, usable)),
    }


def _variables(made: Generated, with_energy: bool) -> Iterator[Variable]:
    """All but the time, in the order of the instance's values; references count from 1."""
    interface, model = made.sources.interface, made.model
    coordinates, speeds = model.coordinates, model.speeds
    states = (*coordinates, *speeds)
    at = 1
    for name, start in zip(states, (*model.q0, *model.v0), strict=True):
        yield Variable(name, at, "output", initial="exact", start=repr(float(start)))
        at += 1
    for k, name in enumerate(states, start=1):
        yield Variable(f"der({name})", at, "local", initial="calculated", derivative=k)
        at += 1
    for name in speeds:
        yield Variable(f"tau_{name}", at, "input", start="0.0")
        at += 1
    inputs = {each.name for each in model.inputs}
    for name, value in zip(interface.parameters, interface.defaults, strict=True):
        if name in inputs:
            yield Variable(name, at, "input", start=repr(value))
        else:
            yield Variable(name, at, "parameter", "tunable", "exact", repr(value))
        at += 1
    if with_energy:
        yield Variable("energy", at, "output", initial="calculated")


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
