"""The C compiler of this machine: found, asked who it is, and seen to work.

What it may take is counted in its own processor time: a busy machine makes no compiler hang.
"""

from __future__ import annotations

import errno
import importlib.util
import math
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..errors import ToolchainError
from .cache import digest, keep, makers, recall
from .face.announced import announced, timed

_OR_NUMPY = ", or use target numpy"
REMEDY = 'install a C compiler, or pip install "mstmm[cc]"' + _OR_NUMPY
#: Where the compiler of the extra `cc` itself fails.
NO_ZIG = "install a C compiler such as gcc or clang" + _OR_NUMPY

#: What helps where a compiler is right and a module is too large for it.
TOO_LARGE = "set MSTMM_CFLAGS=-O1, which compiles in half the time" + _OR_NUMPY
#: What helps where it waits for something.
WAITS = "run the command by hand to see what it waits for" + _OR_NUMPY

#: Seconds of processor time that a compiler has: to say who it is, for the probe, for a module.
SAYING, PROBING, COMPILING = 2.0, 10.0, 300.0
#: The same for zig, which compiles its C library at the first call: a minute of a whole core.
ZIG_SAYING, ZIG_PROBING, ZIG_COMPILING = 10.0, 300.0, 600.0
#: By the clock it has so many times that, and is done where it gets a twentieth of a core. Beyond
#: it waits for what does not come. Where no processor time can be counted this is the only limit.
PATIENCE = 25.0
#: Which part of its processor time a compiler that was stopped has used at least, as clocks tick.
_USED = 0.9

#: Sets the limit of processor time for itself and all that it starts, and becomes the command.
_LIMITED = ("/bin/sh", "-c", 'ulimit -S -t "$0" 2>/dev/null; exec "$@"')
#: What it says by its exit status of a command that it cannot become.
_NOT_BEGUN = {126: errno.EACCES, 127: errno.ENOENT}
_ZIG_FIRST = "zig compiles for the first time here, which may take minutes; later ones take seconds"

#: The shared-library suffix of this platform.
LIBRARY_SUFFIX = ".dll" if sys.platform == "win32" else ".so"

_PROBE = "double mstmm_probe(double x);\ndouble mstmm_probe(double x) { return 2.0 * x; }\n"
#: Programs that are compilers themselves.
_COMPILER = re.compile(r"(gcc|clang)(-[\d.]+)?(\.exe)?$")
_SHARED = ("-std=c11", "-fPIC", "-shared")


@dataclass(frozen=True)
class Compiler:
    """A C compiler that works here: how it is called, and who it says it is."""

    command: tuple[str, ...]
    identity: str

    @property
    def is_gcc(self) -> bool:
        """Is it GCC, whose options others do not know?"""
        return "Free Software Foundation" in self.identity

    def compile(
        self,
        sources: Sequence[str],
        library: str,
        *,
        folder: Path,
        flags: Sequence[str] = _SHARED,
        limit: float | None = None,
    ) -> None:
        """Compile `sources` in `folder` into the shared library `library`, and load it once.

        Sources may be objects, which are linked.

        Names are relative to the folder, so that no path reaches the library. After `limit`
        seconds of its processor time the compiler is stopped (default: `COMPILING`).

        Raises
            ToolchainError: the compiler fails or reaches its limit, or what it wrote cannot be
                loaded.

        Source
            own
        """
        command = (*self.command, *flags, "-o", library, *sources, "-lm")
        output = _run(command, folder, self._compiling if limit is None else limit)
        _load_once(folder / library, command, output)

    def compile_object(self, source: str, *, folder: Path, flags: Sequence[str]) -> str:
        """Compile `source` in `folder` into an object for a shared library; returns its name.

        Raises
            ToolchainError: the compiler fails or reaches its limit.

        Source
            own
        """
        made = source.removesuffix(".c") + ".o"
        alone = [flag for flag in flags if flag != "-shared" and not flag.startswith("-Wl,")]
        _run((*self.command, *alone, "-c", "-o", made, source), folder, self._compiling)
        return made

    @property
    def _compiling(self) -> float:
        return ZIG_COMPILING if is_zig(self.command) else COMPILING


def find_compiler(*, vectors: bool = False) -> Compiler:
    """The C compiler to use: `$CC` if set, else cc, gcc, clang, or the `ziglang` wheel.

    For code in vectors clang comes first: it keeps vectors wider than a register in registers.
    Each candidate must build and load a small library; a `$CC` that cannot is an error,
    since it was asked for by name.

    Raises
        ToolchainError: no compiler is here, or none of them can build.

    Source
        own
    """
    return _find_compiler(os.environ.get("CC", "").strip(), os.environ.get("PATH", ""), vectors)


@lru_cache
def _find_compiler(named: str, _path: str, vectors: bool) -> Compiler:
    first_failure: ToolchainError | None = None
    for command in _candidates(named, vectors):
        try:
            return _probed(command)
        except ToolchainError as failure:
            first_failure = first_failure or failure
    raise first_failure or ToolchainError(
        "no C compiler found", remedy='install one or pip install "mstmm[cc]"' + _OR_NUMPY
    )


def other_compilers(but: Compiler, *, vectors: bool = False) -> list[Compiler]:
    """Further compilers of this machine that work; none where `$CC` names the one to use.

    Source
        own
    """
    known, found = {_program(but.command)}, list[Compiler]()
    for command in () if os.environ.get("CC", "").strip() else _candidates("", vectors):
        if not is_zig(command) and _program(command) not in known:
            known.add(_program(command))
            with suppress(ToolchainError):
                found.append(_probed(command))
    return found


def _program(command: Sequence[str]) -> str:
    return os.path.realpath(shutil.which(command[0]) or command[0])


def numpy_instead(error: ToolchainError) -> str:
    """One line that says why C is not used, what is, and the remedy.

    Source
        own
    """
    reason = str(error).splitlines()[0]
    return f"{reason}; using NumPy; remedy: {error.remedy.removesuffix(_OR_NUMPY)}"


def _candidates(named: str, vectors: bool) -> Iterator[tuple[str, ...]]:
    if named:
        try:
            yield tuple(shlex.split(named))
        except ValueError as error:
            raise ToolchainError(
                f"$CC is no command line: {named} ({error})",
                remedy="set CC to a compiler such as gcc, or unset it" + _OR_NUMPY,
            ) from error
        return
    for name in ("clang", "cc", "gcc") if vectors else ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            yield (found,)
    if importlib.util.find_spec("ziglang"):
        yield (sys.executable, "-m", "ziglang", "cc")


def _probed(command: tuple[str, ...]) -> Compiler:
    remembered = _remembered_as(command)
    said = None if remembered is None else recall(remembered)
    return Compiler(command, said.decode()) if said else _asked(command, remembered)


def _remembered_as(command: tuple[str, ...]) -> str | None:
    """The name of the record of who this compiler says it is: a new program there has another.

    Scripts, and programs that call the compilers of others, have none: they may become another
    compiler without a change of their own.
    """
    with suppress(OSError):
        program = os.path.realpath(shutil.which(command[0]) or command[0])
        if _COMPILER.search(program) and not _is_script(program):
            return digest("said", *command, _stamp(command[0]), makers())
    return None


def _is_script(program: str) -> bool:
    with open(program, "rb") as file:
        return file.read(2) == b"#!"


def _asked(command: tuple[str, ...], remembered: str | None) -> Compiler:
    """The compiler, after it has said who it is and, where it is new here, has built the probe."""
    import tempfile

    try:
        with tempfile.TemporaryDirectory(prefix="mstmm-") as scratch:
            folder = Path(scratch)
            saying, probing = (ZIG_SAYING, ZIG_PROBING) if is_zig(command) else (SAYING, PROBING)
            said = _run((*command, "--version"), folder, saying)
            compiler = Compiler(command, "\n".join((shlex.join(command), said)))
            known = digest("works", compiler.identity, _stamp(command[0]), makers())
            if recall(known) is None:
                (folder / "probe.c").write_text(_PROBE)
                probe = "probe" + LIBRARY_SUFFIX
                with announced(_ZIG_FIRST) if is_zig(command) else nullcontext():
                    compiler.compile(["probe.c"], probe, folder=folder, limit=probing)
                keep(known, b"it does")
            if remembered is not None:
                keep(remembered, compiler.identity.encode())
            return compiler
    except OSError as error:
        raise ToolchainError(
            f"cannot write to the folder for temporary files: {error}",
            remedy=f"set TMPDIR to a folder that can be written, or {remedy_of(command)}",
        ) from error


def is_zig(command: Sequence[str]) -> bool:
    """Is this the compiler of the extra `cc`?"""
    return command[1:3] == ("-m", "ziglang")


def called(command: Sequence[str]) -> str:
    """What messages call a compiler."""
    return "zig (of the extra cc)" if is_zig(command) else command[0]


def remedy_of(command: Sequence[str]) -> str:
    """What helps where this compiler fails: never that compiler."""
    return NO_ZIG if is_zig(command) else REMEDY


def _stamp(program: str) -> str:
    """Where a program lies, how large it is and since when: of another it differs."""
    path = os.path.realpath(shutil.which(program) or program)
    now = os.stat(path)
    return f"{path} {now.st_size} {now.st_mtime_ns}"


def _run(command: tuple[str, ...], folder: Path, limit: float) -> str:
    """What the command printed; messages in plain English, whatever the user's locale."""
    import subprocess  # a start from the cache runs nothing

    name, sources = called(command), [part for part in command if part.endswith(".c")]
    limited = (*_LIMITED, str(math.ceil(limit))) if os.name == "posix" else ()
    before = _spent()
    try:
        with timed(f"{name} compiles {', '.join(sources)}" if sources else f"asking {name}"):
            done = subprocess.run(
                (*limited, *command),
                cwd=folder,
                env={**os.environ, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                check=False,
                timeout=PATIENCE * limit,
            )
    except subprocess.TimeoutExpired as error:
        raise ToolchainError(
            f"the C compiler {name} had not ended after {PATIENCE * limit:g} s and was stopped: "
            "it waits for something, such as a lock or a network drive, or gets no processor",
            command=command,
            output=_text(error.output),
            remedy=WAITS,
        ) from error
    except OSError as error:
        raise _not_run(command, error.strerror or "") from error
    if limited and done.returncode in _NOT_BEGUN:
        raise _not_run(command, os.strerror(_NOT_BEGUN[done.returncode]), done.stdout)
    if done.returncode and _spent() - before >= _USED * limit:
        raise ToolchainError(
            f"the C compiler {name} was stopped after {math.ceil(limit)} s of processor time"
            + (f", too little for {_sizes(sources, folder)}" if sources else ""),
            command=command,
            output=done.stdout,
            remedy=TOO_LARGE if sources else remedy_of(command),
        )
    if done.returncode:
        raise ToolchainError(
            f"the C compiler {name} failed (exit status {done.returncode})",
            command=command,
            output=done.stdout,
            remedy=remedy_of(command),
        )
    return done.stdout


def _not_run(command: tuple[str, ...], why: str, output: str = "") -> ToolchainError:
    return ToolchainError(
        f"the C compiler {called(command)} cannot be run ({why})",
        command=command,
        output=output,
        remedy=remedy_of(command),
    )


def _spent() -> float:
    """The processor time of all programs that have been run, where it is counted (s)."""
    if os.name != "posix":
        return 0.0
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _sizes(sources: Sequence[str], folder: Path) -> str:
    """How large sources are, as a compiler's time goes by it."""
    lines = {name: (folder / name).read_bytes().count(b"\n") for name in sources}
    return ", ".join(f"{name} ({count:,} lines)" for name, count in lines.items())


def _text(output: object) -> str:
    """What a stopped command had printed, which comes as bytes."""
    return output.decode(errors="replace") if isinstance(output, bytes) else str(output or "")


def _load_once(library: Path, command: tuple[str, ...], output: str) -> None:
    from cffi import FFI

    ffi = FFI()
    try:
        ffi.dlclose(ffi.dlopen(str(library)))
    except OSError as error:
        raise ToolchainError(
            f"what the C compiler {called(command)} wrote cannot be loaded",
            command=command,
            output="\n".join(part for part in (output.strip(), str(error)) if part),
            remedy=remedy_of(command),
        ) from error
