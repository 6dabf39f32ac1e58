"""From C text to a shared library, built once and kept in the cache."""

from __future__ import annotations

import os
import platform
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import repeat
from pathlib import Path
from types import MappingProxyType

from ..errors import CodegenError, ToolchainError
from .cache import FOLDER_VARIABLE, MODULES, OBJECTS, cache_folder, digest, fetch, found
from .toolchain import LIBRARY_SUFFIX, Compiler, find_compiler

#: Version of the binary interface between emitted libraries and `runtime/`.
ABI_SCHEMA = 1

#: Contraction to FMA is stated since `-std=c11` turns it off; `-ffast-math` is never used:
#: loading such a library switches the whole Python process to flush-to-zero.
FLAGS = ("-std=c11", "-O3", "-ffp-contract=fast", "-fPIC", "-shared")
EXTENSION_FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-shared")
NATIVE_FLAGS = ("-march=native",)

#: GCC weighs so many values at once where it has more than registers, 500 by default, which takes
#: half of its time for the long straight functions of a robot; they are no faster by it. Of a loop
#: that copies a table of constants GCC 12 makes a memcpy, of which with AVX-512 it writes eight
#: doubles 1, …, 1, 0 as all 1: a fixed hinge's rotation would be wrong.
GCC_FLAGS = (
    "--param=lra-max-considered-reload-pseudos=150",
    "-fno-tree-loop-distribute-patterns",
)

#: Of a library of the motion alone: what stands in a model's `_outputs.h` is left out.
ALONE = ("-DMSTMM_MOTION_ALONE",)

#: The environment variable of flags that come last: with `-O1` a compiler takes half its time.
FLAGS_VARIABLE = "MSTMM_CFLAGS"

#: How files are compiled that many models share and that run little between calls of the model: of
#: the integrators -O3 makes the same numbers at the same speed, in 2.6 times the time.
SHARED_FLAGS = {"mstmm_motion.c": {"-O3": "-O2"}}

#: What has the long loops run in threads. Such a library is never unloaded: OpenMP's threads go on
#: waiting in code that would go with it.
THREADS = ("-fopenmp", *(("-Wl,-z,nodelete",) if sys.platform == "linux" else ()))

_COMPILER_VARIABLES = (
    "CPATH",
    "C_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "MACOSX_DEPLOYMENT_TARGET",
    "SDKROOT",
)
_CPU_FIELDS_X86 = ("vendor_id", "cpu family", "model", "model name", "flags")
_CPU_FIELDS_ARM = ("CPU implementer", "CPU part", "Features")


def build(
    name: str,
    files: Mapping[str, str],
    *,
    portable: bool = False,
    compiler: Compiler | None = None,
    extra_flags: tuple[str, ...] = (),
    own_flags: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Path:
    """Compile `name.c` and what stands beside it in `files` to a shared library; returns its path.

    What has a header of its own is shared by many models and compiled once; what has none is the
    model's.

    The library is looked up first: its key is a hash of everything that reaches the
    compiler. `portable` leaves out the instructions that only this machine may have;
    `own_flags` are more flags of single files that many models share.

    Raises
        CodegenError: `files` lacks `name.c`, or a file name holds a folder.
        ToolchainError: no compiler works, the compile fails, or the cache folder cannot be
            written.

    Source
        own
    """
    _check_names(name, files)
    compiler = compiler or find_compiler()
    flags = _flags(compiler, portable, extra_flags)
    more = (flag for file in sorted(own_flags) for flag in (file, *own_flags[file]))
    key = _key(name, files, (*flags, *more), compiler, portable=portable)
    library = f"{name}-{key[:40]}{LIBRARY_SUFFIX}"

    def made(file: str, scratch: Path) -> str:
        """The object of one file."""
        if f"{Path(file).stem}.h" not in files or file == f"{name}.c":
            return compiler.compile_object(file, folder=scratch, flags=flags)
        used = (*flags, *own_flags.get(file, ()))
        shared = _object(file, files, used, compiler, portable=portable)
        (scratch / f"{Path(file).stem}.o").write_bytes(shared.read_bytes())
        return f"{Path(file).stem}.o"

    def make(scratch: Path) -> Path:
        from concurrent.futures import ThreadPoolExecutor  # a start from the cache compiles nothing

        _write(files, scratch)
        sources = sorted((x for x in files if x.endswith(".c")), key=lambda x: x != f"{name}.c")
        with ThreadPoolExecutor(_cores()) as side_by_side:
            objects = [*side_by_side.map(made, sources, repeat(scratch))]
        compiler.compile(objects, library, folder=scratch, flags=flags)
        return scratch / library

    try:
        return fetch(MODULES, library, make)
    except OSError as error:
        raise ToolchainError(
            f"the cache folder {cache_folder()} cannot be used: {error.strerror or error}",
            remedy=f"set {FOLDER_VARIABLE} to a folder that can be written, or use target numpy",
        ) from error


def build_extension(name: str, text: str, folders: Sequence[Path], versions: str) -> Path:
    """Compile an extension module of Python of one file; `folders` hold the headers it includes.

    `versions` names what those headers are of. The compiler is asked for only where the module is
    not in the cache.

    Raises
        ToolchainError: no compiler works, or it fails.
        OSError: the cache folder cannot be used.

    Source
        own
    """
    key = digest("extension", name, text, versions, sys.version, sys.platform, platform.machine())
    library = f"{name}-{key[:40]}{LIBRARY_SUFFIX}"
    flags = [*EXTENSION_FLAGS, *(f"-I{folder}" for folder in folders)]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]

    def make(scratch: Path) -> Path:
        _write({f"{name}.c": text}, scratch)
        find_compiler().compile([f"{name}.c"], library, folder=scratch, flags=flags)
        return scratch / library

    return fetch(MODULES, library, make)


def _object(
    source: str,
    files: Mapping[str, str],
    flags: tuple[str, ...],
    compiler: Compiler,
    *,
    portable: bool,
) -> Path:
    """A file that many models share, compiled once with the headers that it names."""
    headers = re.findall(r'^#include "(.+)"', files[source], re.MULTILINE)
    used = {file: files[file] for file in (source, *headers)}
    instead = SHARED_FLAGS.get(source, {})
    flags = tuple(instead.get(flag, flag) for flag in flags)
    key = _key(source, used, flags, compiler, portable=portable)

    def make(scratch: Path) -> Path:
        _write(used, scratch)
        return scratch / compiler.compile_object(source, folder=scratch, flags=flags)

    return fetch(OBJECTS, f"{Path(source).stem}-{key[:40]}.o", make)


def _write(files: Mapping[str, str], folder: Path) -> None:
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")


def _check_names(name: str, files: Mapping[str, str]) -> None:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise CodegenError(f"{name!r} names no C module: use letters, digits and _")
    if f"{name}.c" not in files:
        raise CodegenError(f"module {name}: its files lack {name}.c")
    for file in files:
        if not re.fullmatch(r"\w+\.[ch]", file, re.ASCII):
            raise CodegenError(f"module {name}: {file!r} is no plain .c or .h file name")


def _key(
    name: str,
    files: Mapping[str, str],
    flags: tuple[str, ...],
    compiler: Compiler,
    *,
    portable: bool,
) -> str:
    texts = (part for file in sorted(files) for part in (file, files[file]))
    return digest(name, *_maker(flags, compiler, portable=portable), *texts)


def maker(*, vectors: bool, portable: bool, extra_flags: tuple[str, ...] = ()) -> tuple[str, ...]:
    """All that shapes a library besides its text: compiler, flags, environment, processor.

    Raises
        ToolchainError: no compiler works.

    Source
        own
    """
    compiler = find_compiler(vectors=vectors)
    return _maker(_flags(compiler, portable, extra_flags), compiler, portable=portable)


def last_flags() -> list[str]:
    """The flags that `MSTMM_CFLAGS` names, which come last.

    Raises
        ToolchainError: they are no list of flags.

    Source
        own
    """
    named = os.environ.get(FLAGS_VARIABLE, "")
    try:
        return shlex.split(named)
    except ValueError as error:
        raise ToolchainError(
            f"${FLAGS_VARIABLE} is no list of flags: {named} ({error})",
            remedy=f"set {FLAGS_VARIABLE} to flags such as -O1, or unset it",
        ) from error


def _flags(compiler: Compiler, portable: bool, extra: tuple[str, ...]) -> tuple[str, ...]:
    own = GCC_FLAGS if compiler.is_gcc else ()
    return (*FLAGS, *(() if portable else NATIVE_FLAGS), *own, *extra, *last_flags())


def _maker(flags: tuple[str, ...], compiler: Compiler, *, portable: bool) -> tuple[str, ...]:
    return (
        f"abi {ABI_SCHEMA}",
        f"{len(flags)} flags",
        *flags,
        *compiler.command,
        compiler.identity,
        *(f"{key}={os.environ.get(key, '')}" for key in _COMPILER_VARIABLES),
        sys.platform,
        platform.machine(),
        "portable" if portable else "\n".join(_cpu()),
    )


def kept(library: str) -> Path | None:
    """The library of this name in the cache, if it is whole.

    Source
        own
    """
    with suppress(OSError):
        return found(MODULES, library)
    return None


def _cores() -> int:
    """How many compilers may run side by side."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu() -> Iterator[str]:
    """What `-march=native` reads off this processor, as far as it can be seen."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.is_file():
        yield platform.processor()
        return
    first_core = cpuinfo.read_text(errors="replace").partition("\n\n")[0]
    for line in first_core.splitlines():
        if line.partition(":")[0].strip() in (*_CPU_FIELDS_X86, *_CPU_FIELDS_ARM):
            yield line
