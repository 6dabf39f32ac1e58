"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

from mstmm.codegen.toolchain import find_compiler
from mstmm.errors import ToolchainError

from .building import CannotBuildError, compiler, said_by
from .peers import versions


def processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        fields = dict(
            line.split(":", 1)
            for line in info.read_text().partition("\n\n")[0].splitlines()
            if ":" in line
        )
        known = {key.strip(): value.strip() for key, value in fields.items()}
        name = known.get("model name", platform.machine())
        wide = "AVX-512" if "avx512f" in known.get("flags", "") else "no AVX-512"
        place = f"family {known.get('cpu family', '?')} model {known.get('model', '?')}"
        return f"{name} ({place}), {wide}, {os.cpu_count()} cores"
    return platform.processor() or platform.machine()


def describe(core: int | None) -> dict[str, str]:
    """Processor, compilers, versions, date and load, as text by name."""
    found = {"processor": processor(), "system": f"{platform.system()} {platform.machine()}"}
    found["core"] = "not pinned" if core is None else f"pinned to core {core}"
    for name, vectors in (("compiler of c", False), ("compiler of c-batch and c-lanes", True)):
        try:
            said = find_compiler(vectors=vectors).identity.splitlines()
            found[name] = next((x for x in said if x and "/" not in x), "a C compiler")
        except ToolchainError:
            found[name] = "none"
    try:
        found["compiler of the peers"] = said_by(compiler(True))
    except CannotBuildError:
        found["compiler of the peers"] = "none"
    found["python"] = platform.python_version()
    found |= versions()
    found["date"] = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    found["load at the start"] = load()
    return found


def load() -> str:
    """The system's load averages of 1, 5 and 15 minutes."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    return ", ".join(f"{x:.1f}" for x in os.getloadavg())
