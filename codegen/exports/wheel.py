"""A wheel: a Python package with the compiled library inside, and no compiler at the user's."""

from __future__ import annotations

import base64
import hashlib
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..emit import render
from ..generate import Generated
from ..toolchain import LIBRARY_SUFFIX, find_compiler

VERSION = "1.0.0"
_FLAGS = ("-std=c11", "-O3", "-ffp-contract=fast", "-fPIC", "-shared")


def wheel_name(made: Generated) -> str:
    """The file's name: any Python 3, this platform."""
    return f"{made.sources.interface.prefix}-{VERSION}-{_tag()}.whl"


def wheel(made: Generated) -> Mapping[str, bytes]:
    """The files of the wheel by path.

    Raises
        ToolchainError: there is no working C compiler.
    Source
        own; Python packaging specifications, "Binary distribution format".
    """
    prefix = made.sources.interface.prefix
    library = prefix + LIBRARY_SUFFIX
    found = {
        f"{prefix}/__init__.py": _module(made, library).encode(),
        f"{prefix}/{library}": _built(made, library),
    }
    info = f"{prefix}-{VERSION}.dist-info"
    found[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {prefix.replace('_', '-')}\nVersion: {VERSION}\n"
        f"Summary: {made.program.title.splitlines()[0]}\nRequires-Python: >=3.9\n"
        "Requires-Dist: numpy\nRequires-Dist: cffi\n"
    ).encode()
    found[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: mstmm\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    ).encode()
    rows = [f"{path},sha256={_hash(content)},{len(content)}" for path, content in found.items()]
    found[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    return found


def _tag() -> str:
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def _module(made: Generated, library: str) -> str:
    context = seen(made) | {"library": library, "declarations": made.sources.declarations}
    return render("export/wheel.py.jinja", context)


def seen(made: Generated) -> dict[str, object]:
    """What a caller of accelerations and energy in another language must know."""
    interface, model = made.sources.interface, made.model
    entries = [name for name in ("accelerations", "energy") if name in interface.arguments]
    arguments = {
        name: [x for x in interface.inputs if x in interface.arguments[name]] for name in entries
    }
    return {
        "title": f"{model.name}: {model.description}".splitlines()[0].rstrip(": "),
        "prefix": interface.prefix,
        "coordinates": list(model.coordinates),
        "speeds": list(model.speeds),
        "parameters": dict(zip(interface.parameters, interface.defaults, strict=True)),
        "q0": [float(x) for x in model.q0],
        "v0": [float(x) for x in model.v0],
        "arguments": arguments,
        "sizes": {name: interface.sizes[name] for names in arguments.values() for name in names},
        "nq": interface.sizes["q"],
        "nv": interface.sizes["v"],
    }


def _built(made: Generated, library: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="mstmm-") as scratch:
        folder = Path(scratch)
        for name, text in made.sources.library.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        names = sorted(name for name in made.sources.library if name.endswith(".c"))
        find_compiler().compile([*names, "-lm"], library, folder=folder, flags=_FLAGS)
        return (folder / library).read_bytes()
