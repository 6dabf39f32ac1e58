"""Builds the drivers in C and C++, once for each text, compiler and set of flags."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mstmm.codegen.cache import cache_folder

DRIVERS = Path(__file__).parent / "drivers"

#: What the emitted C is built with is the project's own; these are the peers' and the harness's.
FLAGS = ("-O3", "-march=native", "-DNDEBUG", "-fPIC", "-shared")


class CannotBuildError(Exception):
    """A driver does not compile here; says what the compiler said."""


@cache
def compiler(plus: bool) -> tuple[str, ...]:
    """The C or C++ compiler: `$CC` or `$CXX`, else the first that is here."""
    named = os.environ.get("CXX" if plus else "CC", "").strip()
    if named:
        return tuple(shlex.split(named))
    for name in ("g++", "c++", "clang++") if plus else ("cc", "gcc", "clang"):
        if shutil.which(name):
            return (name,)
    raise CannotBuildError("no C++ compiler" if plus else "no C compiler")


def said_by(command: Sequence[str]) -> str:
    """The compiler's name and version."""
    found = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    return found.stdout.partition("\n")[0]


def library(
    name: str,
    sources: Sequence[Path],
    flags: Sequence[str] = (),
    libraries: Sequence[str] = (),
    base: Sequence[str] = FLAGS,
) -> Path:
    """The shared library of these sources; built if its like was not built before.

    Raises
        CannotBuildError: the compiler is missing or refuses.
    """
    command = compiler(any(source.suffix == ".cpp" for source in sources))
    texts = [*sources, *sorted(DRIVERS.glob("*.hpp"))]
    parts = [said_by(command), *command, *base, *flags, *libraries]
    parts += [text.read_text(encoding="utf-8") for text in texts]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
    folder = cache_folder() / "benchmarks"
    built = folder / f"{name}-{key}.so"
    if built.exists():
        return built
    folder.mkdir(parents=True, exist_ok=True)
    scratch = folder / f"{name}-{key}.{os.getpid()}.so"
    line = [*command, *base, *flags, *map(str, sources), "-o", str(scratch), *libraries, "-lm"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        scratch.unlink(missing_ok=True)
        errors = [x for x in done.stderr.splitlines() if "error" in x] or [done.stderr[-300:]]
        raise CannotBuildError(f"{name}: {errors[0][:300]}")
    os.replace(scratch, built)
    return built
