"""A WebAssembly module, and the JavaScript that calls it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from ...errors import ToolchainError
from ..emit import render
from ..generate import Generated
from .wheel import seen

#: The first build compiles the C library too.
LIMIT = 600.0
_NEW_WORK = """#include "{prefix}.h"

#include <stdlib.h>

/* A workspace, for callers who do not know its size. */
{prefix}_work *{prefix}_new_work(void)
{{
    return malloc(sizeof({prefix}_work));
}}
"""


def wasm(made: Generated) -> Mapping[str, bytes]:
    """The module and its script by path.

    Raises
        ToolchainError: the extra `cc` (the `ziglang` wheel) is not installed, or fails.
    Source
        own
    """
    prefix = made.sources.interface.prefix
    context = seen(made) | {"parameter_names": list(made.sources.interface.parameters)}
    script = render("export/wasm.mjs.jinja", context)
    return {f"{prefix}.mjs": script.encode(), f"{prefix}.wasm": _built(made, prefix)}


def _built(made: Generated, prefix: str) -> bytes:
    if find_spec("ziglang") is None:
        raise ToolchainError(
            "WebAssembly is compiled by zig, which is not installed",
            remedy='pip install "mstmm[cc]"',
        )
    entries = [x for x in ("accelerations", "energy") if x in made.sources.interface.arguments]
    names = ("malloc", *(f"{prefix}_{x}" for x in ("new_work", *entries)))
    exported = [f"-Wl,--export={name}" for name in names]
    with tempfile.TemporaryDirectory(prefix="mstmm-") as scratch:
        folder = Path(scratch)
        for name, text in made.sources.library.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        (folder / "new_work.c").write_text(_NEW_WORK.format(prefix=prefix), encoding="utf-8")
        sources = sorted(path.name for path in folder.glob("*.c"))
        command = [sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-wasi"]
        command += ["-mexec-model=reactor", "-O3", "-std=c11", "-s", *exported]
        command += ["-o", "made.wasm", *sources, "-lm"]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False
            )
        except subprocess.TimeoutExpired:
            raise ToolchainError(
                f"zig has not finished within {LIMIT:g} s", command=command
            ) from None
        if done.returncode:
            raise ToolchainError(
                "zig cannot compile to WebAssembly", command=command, output=done.stderr
            )
        return (folder / "made.wasm").read_bytes()
