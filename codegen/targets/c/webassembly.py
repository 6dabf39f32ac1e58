"""C as a WebAssembly module, which zig compiles; and one that holds a state, for a page."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from ....errors import ToolchainError
from ...emit import Sources
from ...rendering import render

#: The first build compiles the C library too.
LIMIT = 600.0


def reactor(sources: Sources, entries: Sequence[str]) -> bytes:
    """A module that holds one state of a model, for a page: its own memory, no import.

    Its functions are those of `reactor_source`.

    Raises
        ToolchainError: the extra `cc` (the `ziglang` wheel) is not installed, or fails.
    Source
        own
    """
    exported = [f"buffer_{name}" for name in sources.interface.sizes]
    exported += [f"run_{name}" for name in entries]
    exported += ["make_units", "close_loops", "move_on"] if sources.interface.can_integrate else []
    own = reactor_source(sources, entries)
    return compiled({**sources.library, "reactor.c": own}, exported)


def reactor_source(sources: Sources, entries: Sequence[str]) -> str:
    """C that holds one state of a model.

    `buffer_NAME` tells where each of the caller's buffers lies, `run_ENTRY` runs an entry with
    them, `make_units` and `close_loops(t)` make the state in `q` and `v` one that may be, and
    `move_on(start, dt, steps)` goes on from it by Runge-Kutta steps of the fourth order. They
    return 0, or what `mstmm_motion.h` calls it.
    """
    interface = sources.interface
    context = {
        "prefix": interface.prefix,
        "sizes": interface.sizes,
        "entries": {name: interface.arguments[name] for name in entries},
        "moves": interface.can_integrate,
        "closes": interface.can_close,
        "retracts": "retract" in interface.arguments,
        "held": interface.held if interface.can_integrate else (),
        "openings": interface.openings if interface.can_close else 0,
    }
    return render("c/reactor.c.jinja", context)


def compiled(sources: Mapping[str, str], exported: Sequence[str]) -> bytes:
    """C files as one WebAssembly module that exports these functions.

    Raises
        ToolchainError: the extra `cc` (the `ziglang` wheel) is not installed, or fails.
    """
    if find_spec("ziglang") is None:
        raise ToolchainError(
            "WebAssembly is compiled by zig, which is not installed",
            remedy='pip install "mstmm[cc]"',
        )
    with tempfile.TemporaryDirectory(prefix="mstmm-") as scratch:
        folder = Path(scratch)
        for name, text in sources.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        command = [sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-wasi"]
        command += ["-mexec-model=reactor", "-O3", "-std=c11", "-s"]
        command += [f"-Wl,--export={name}" for name in exported]
        command += ["-o", "made.wasm", *sorted(x for x in sources if x.endswith(".c")), "-lm"]
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
