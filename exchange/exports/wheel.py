"""A wheel: a Python package with an extension module, and no compiler at the user's."""

from __future__ import annotations

import base64
import hashlib
import io
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path

from cffi import FFI

from ...codegen.build import last_flags
from ...codegen.generate import Generated
from ...codegen.toolchain import find_compiler
from ...errors import ToolchainError
from .filled import render

VERSION = "1.0.0"
_FLAGS = ("-std=c11", "-O3", "-ffp-contract=fast", "-fPIC", "-shared")
#: Extensions of cffi keep to Python's stable interface: one serves every later version.
_PYTHON, _SUFFIX = "cp311-abi3", ".pyd" if sys.platform == "win32" else ".abi3.so"


def wheel_name(made: Generated) -> str:
    """The file's name: any Python from 3.11 on, this platform."""
    return f"{made.sources.interface.prefix}-{VERSION}-{_tag()}.whl"


def wheel(made: Generated) -> Mapping[str, bytes]:
    """The files of the wheel by path.

    Raises
        ToolchainError: there is no working C compiler, or Python's headers are missing.
    Source
        own; Python packaging specifications, "Binary distribution format".
    """
    prefix = made.sources.interface.prefix
    found = {
        f"{prefix}/__init__.py": render("wheel.py.jinja", seen(made)).encode(),
        f"{prefix}/_{prefix}{_SUFFIX}": _built(made),
    }
    info = f"{prefix}-{VERSION}.dist-info"
    found[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {prefix.replace('_', '-')}\nVersion: {VERSION}\n"
        f"Summary: {made.program.title.splitlines()[0]}\nRequires-Python: >=3.11\n"
        "Requires-Dist: numpy\nRequires-Dist: cffi\n"
    ).encode()
    found[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: mstmm\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    ).encode()
    rows = [f"{path},sha256={_hash(content)},{len(content)}" for path, content in found.items()]
    found[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    return found


def _tag() -> str:
    return f"{_PYTHON}-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


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


def _built(made: Generated) -> bytes:
    """The extension module `_PREFIX`, whose `ffi` and `lib` are those of cffi's API mode."""
    headers = Path(sysconfig.get_path("include"))
    if not (headers / "Python.h").is_file():
        raise ToolchainError(
            f"a wheel is compiled with Python's headers, which are not in {headers}",
            remedy="install them (python3-dev, python3-devel), or take a Python that has them",
        )
    prefix = made.sources.interface.prefix
    ffi, text = FFI(), io.StringIO()
    ffi.cdef(made.sources.declarations)
    ffi.set_source(f"{prefix}._{prefix}", f'#include "{prefix}.h"')
    ffi.emit_c_code(text)
    flags = [*_FLAGS, f"-I{headers}", *last_flags()]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    with tempfile.TemporaryDirectory(prefix="mstmm-") as scratch:
        folder, module = Path(scratch), f"_{prefix}"
        for name, source in made.sources.library.items():
            (folder / name).write_text(source, encoding="utf-8", newline="\n")
        (folder / f"{module}_ffi.c").write_text(text.getvalue(), encoding="utf-8", newline="\n")
        names = sorted(path.name for path in folder.glob("*.c"))
        find_compiler().compile([*names, "-lm"], module + _SUFFIX, folder=folder, flags=flags)
        return (folder / (module + _SUFFIX)).read_bytes()
