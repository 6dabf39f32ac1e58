"""Compiler, build and cache: a good module or none, whatever goes wrong on the way."""

from __future__ import annotations

import ctypes
import io
import os
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from compiler import COMPILER

import mstmm
from mstmm.codegen import build as building
from mstmm.codegen import toolchain
from mstmm.codegen.build import build
from mstmm.codegen.cache import (
    cache_clear,
    cache_folder,
    cache_info,
    cached_text,
    digest,
    whole_package,
)
from mstmm.codegen.face import announced
from mstmm.codegen.toolchain import REMEDY, Compiler, find_compiler
from mstmm.errors import CodegenError, ToolchainError

HEADER = "double scaled(double x);\n"
SOURCE = '#include "twice.h"\ndouble scaled(double x) { return 2.0 * x; }\n'
FILES = {"twice.c": SOURCE, "twice.h": HEADER}

BUILD = textwrap.dedent(
    f"""
    from mstmm.codegen.build import build
    print(build("twice", {FILES!r}))
    """
)


@pytest.fixture
def compiler() -> Compiler:
    if isinstance(COMPILER, str):
        pytest.skip(f"this machine builds no C: {COMPILER}")
    return COMPILER


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(folder))
    return folder


def script(path: Path, text: str) -> Path:
    path.write_text("#!/bin/sh\n" + textwrap.dedent(text))
    path.chmod(0o755)
    return path


def scaled(library: Path, x: float) -> float:
    function = ctypes.CDLL(str(library)).scaled
    function.argtypes, function.restype = [ctypes.c_double], ctypes.c_double
    return float(function(x))


def entries(folder: Path) -> list[str]:
    """The cache's modules; no scratch folder may be left."""
    assert not list(folder.glob("scratch/*"))
    return sorted(file.name for file in folder.glob("modules/*") if file.suffix != ".sha256")


def built_in_a_process(**environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", BUILD],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


# Building


def test_flags_of_the_environment_come_last(
    compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They make another library, and what is no list of flags is told."""
    called = tmp_path / "called"
    command = script(tmp_path / "cc", f'echo "$@" >> {called}\nexec {compiler.command[0]} "$@"\n')
    monkeypatch.setenv("CC", str(command))
    plain = build("twice", FILES)
    monkeypatch.setenv("MSTMM_CFLAGS", "-O1 -DNAMED='a b'")
    other = build("twice", FILES)
    assert other != plain
    assert scaled(other, 3.0) == 6.0
    line = called.read_text().splitlines()[-1]
    assert line.index("-O3") < line.index("-O1 -DNAMED=a b")
    monkeypatch.setenv("MSTMM_CFLAGS", "-O1 'open")
    with pytest.raises(ToolchainError, match="MSTMM_CFLAGS is no list of flags") as caught:
        build("twice", FILES)
    assert "unset it" in caught.value.remedy


def test_a_table_is_copied_as_it_stands(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GCC 12 writes the 0 at the end of eight doubles as the 1 before it, with AVX-512."""
    monkeypatch.delenv("MSTMM_CFLAGS", raising=False)
    table = ("1.0, " * 7 + "0.0, ") * 6
    text = f"""static const double table[48] = {{{table}}};
    void copied(double *restrict to) {{ for (int i = 0; i < 48; i++) to[i] = table[i]; }}"""
    to = (ctypes.c_double * 48)()
    ctypes.CDLL(str(build("copied", {"copied.c": text}, compiler=compiler))).copied(to)
    assert list(to) == [float(i % 8 < 7) for i in range(48)]


@pytest.mark.parametrize(("said", "its"), [("Free Software Foundation", True), ("clang", False)])
def test_gcc_alone_gets_its_own_flags(
    compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, its: bool
) -> None:
    called = tmp_path / "called"
    asked = f'case "$1" in --version) echo "{said}"; exit;; esac\n'
    known = f'{asked}echo "$@" >> {called}\nexec {compiler.command[0]} "$@"\n'
    monkeypatch.setenv("CC", str(script(tmp_path / "cc", known)))
    build("twice", FILES)
    assert ("lra-max" in called.read_text()) is its


def test_a_module_is_built_once_and_computes(compiler: Compiler, cache: Path) -> None:
    library = build("twice", FILES)
    assert scaled(library, 21.0) == 42.0
    stamp = library.stat().st_mtime_ns
    assert build("twice", FILES) == library
    assert library.stat().st_mtime_ns == stamp
    assert entries(cache) == [library.name]


def test_files_are_compiled_side_by_side(
    compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many at once as there are cores: each waits until the other has begun."""
    compiling = f"""
        case "$*" in
        *" -c "*)
            mkdir {tmp_path}/begun-$$
            for k in $(seq 300); do
                [ $(ls -d {tmp_path}/begun-* | wc -l) -ge 2 ] && break
                sleep 0.01
            done
            [ $k -lt 300 ] || exit 1
        esac
        exec {" ".join(compiler.command)} "$@"
        """
    monkeypatch.setenv("CC", str(script(tmp_path / "cc", compiling)))
    files = FILES | {
        "thrice.c": "double thrice(double x);\ndouble thrice(double x) { return x; }\n"
    }
    monkeypatch.setattr(building, "_cores", lambda: 2)
    assert scaled(build("twice", files), 3.0) == 6.0


def test_everything_that_reaches_the_compiler_is_in_the_key(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [
        build("twice", FILES),
        build("twice", {**FILES, "twice.h": HEADER + "\n"}),
        build("twice", {**FILES, "twice.c": SOURCE.replace("2.0", "3.0")}),
        build("twice", FILES, portable=True),
        build("twice", FILES, extra_flags=("-DX=1",)),
        build("twice", FILES, extra_flags=("-DX=2",)),
        build("twice", FILES, compiler=Compiler(compiler.command, compiler.identity + "2")),
    ]
    monkeypatch.setenv("CPATH", "/nowhere")
    paths.append(build("twice", FILES))
    monkeypatch.delenv("CPATH")
    monkeypatch.setattr("mstmm.codegen.build._cpu", lambda: iter(["another processor"]))
    paths.append(build("twice", FILES))
    assert len(set(paths)) == len(paths)
    assert build("twice", FILES, portable=True) == paths[3], "a portable build does not ask the CPU"
    monkeypatch.setattr("mstmm.codegen.build.ABI_SCHEMA", 10**6)
    assert build("twice", FILES, portable=True) not in paths


def test_a_library_holds_no_path_of_the_machine(compiler: Compiler, tmp_path: Path) -> None:
    assert str(tmp_path).encode() not in build("twice", FILES).read_bytes()


def test_fast_math_stays_off_in_the_process(compiler: Compiler) -> None:
    scaled(build("twice", FILES), 1.0)
    assert sys.float_info.min / 2 > 0.0, "subnormal numbers are flushed to zero"


@pytest.mark.parametrize(
    ("name", "files", "says"),
    [
        ("twice", {"other.c": SOURCE}, "lack twice.c"),
        ("../twice", {"../twice.c": SOURCE}, "names no C module"),
        ("twice", {**FILES, "../x.h": ""}, "no plain .c or .h file name"),
    ],
)
def test_bad_names_are_refused(name: str, files: dict[str, str], says: str, cache: Path) -> None:
    with pytest.raises(CodegenError, match=says):
        build(name, files, compiler=Compiler(("cc",), "never called"))
    assert not cache.exists()


def test_a_failed_compile_shows_command_and_output(compiler: Compiler, cache: Path) -> None:
    with pytest.raises(ToolchainError) as caught:
        build("twice", {**FILES, "twice.c": "double scaled(double x) { return y; }\n"})
    assert "-O3" in caught.value.command
    assert "-ffast-math" not in caught.value.command
    assert "twice.c" in caught.value.output
    assert "y" in caught.value.output
    assert REMEDY in str(caught.value)
    assert entries(cache) == []


# The compiler


def test_no_compiler_is_one_error_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ToolchainError, match="no C compiler found") as caught:
        find_compiler()
    assert 'pip install "mstmm[cc]"' in caught.value.remedy
    assert caught.value.exit_code == 3


def test_the_next_compiler_on_path_is_taken_when_the_first_cannot_build(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = shutil.which(compiler.command[0])
    if len(compiler.command) > 1 or real is None:
        pytest.skip("the compiler here is no single program on PATH")
    script(tmp_path / "cc", 'echo "broken cc" >&2; exit 1')
    script(tmp_path / "gcc", f'exec "{real}" "$@"')
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert find_compiler().command == (str(tmp_path / "gcc"),)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The arguments of the compilers that have been called."""
    found: list[str] = []
    real = toolchain._run

    def seen(command: tuple[str, ...], folder: Path, limit: float) -> str:
        found.append(" ".join(command[1:]))
        return real(command, folder, limit)

    monkeypatch.setattr(toolchain, "_run", seen)
    return found


def test_a_compiler_says_once_who_it_is(
    compiler: Compiler, calls: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Remembered across processes, until another program lies there."""
    real = Path(shutil.which(compiler.command[0]) or "").resolve()
    if len(compiler.command) > 1 or not toolchain._COMPILER.search(str(real)):
        pytest.skip("the compiler here is no program of its own")
    toolchain._find_compiler.cache_clear()
    first = find_compiler()
    asked = calls.count("--version")
    assert asked >= 1
    toolchain._find_compiler.cache_clear()
    assert find_compiler() == first
    assert calls.count("--version") == asked
    monkeypatch.setattr(toolchain, "_stamp", lambda program: f"{program} of another size")
    toolchain._find_compiler.cache_clear()
    assert find_compiler() == first
    assert calls.count("--version") == asked + 1


def test_a_script_that_calls_a_compiler_is_asked_each_time(
    compiler: Compiler, calls: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = script(tmp_path / "gcc", f'exec "{compiler.command[0]}" "$@"')
    monkeypatch.setenv("CC", str(fake))
    for _ in range(2):
        toolchain._find_compiler.cache_clear()
        find_compiler()
    assert calls.count("--version") == 2


def test_a_named_compiler_that_fails_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = script(tmp_path / "fake", 'test "$1" = --version || { echo "no licence"; exit 7; }')
    monkeypatch.setenv("CC", str(fake))
    with pytest.raises(ToolchainError, match="exit status 7") as caught:
        find_compiler()
    assert caught.value.command[0] == str(fake)
    assert "no licence" in caught.value.output


def test_a_named_compiler_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    with pytest.raises(ToolchainError, match="cannot be run"):
        find_compiler()


def test_a_compiler_may_not_be_executable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(tmp_path / "fake", "exit 0").chmod(0o644)
    monkeypatch.setenv("CC", str(tmp_path / "fake"))
    with pytest.raises(ToolchainError, match="Permission denied"):
        find_compiler()


GARBAGE = 'for a in "$@"; do test "$last" = -o && echo garbage > "$a"; last=$a; done; exit 0'


def test_a_compiler_that_writes_garbage_is_found_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path
) -> None:
    fake = script(tmp_path / "fake", GARBAGE)
    monkeypatch.setenv("CC", str(fake))
    with pytest.raises(ToolchainError, match="cannot be loaded"):
        find_compiler()
    with pytest.raises(ToolchainError, match="cannot be loaded"):
        build("twice", FILES, compiler=Compiler((str(fake),), "trusted without a probe"))
    assert entries(cache) == []


def test_an_unwritable_temporary_folder_is_one_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CC", str(script(tmp_path / "fake-for-tmpdir", "exit 0")))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file" / "below"))
    with pytest.raises(ToolchainError, match="TMPDIR"):
        find_compiler()


@pytest.mark.parametrize("answers", [False, True])
def test_a_compiler_that_waits_for_ever_is_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answers: bool
) -> None:
    """By the clock, since it uses no processor time; what it had said is told."""
    monkeypatch.setattr(toolchain, "SAYING", 5.0 if answers else 0.2)
    monkeypatch.setattr(toolchain, "PROBING", 0.2)
    monkeypatch.setattr(toolchain, "PATIENCE", 2.0)
    said = 'test "$1" = --version && exit 0' if answers else ""
    fake = script(tmp_path / f"waiting-{answers}", f"{said}\necho waiting\nexec sleep 1000")
    monkeypatch.setenv("CC", str(fake))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    with pytest.raises(ToolchainError, match=r"had not ended after 0.4 s .* lock or") as caught:
        find_compiler()
    assert caught.value.output == "waiting\n"
    assert caught.value.remedy == toolchain.WAITS
    assert str(fake) in str(caught.value).splitlines()[0]
    assert not list((tmp_path / "tmp").iterdir())


def test_a_starved_compiler_is_waited_for(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By the clock it takes several times what it may take of the processor."""
    real = " ".join(compiler.command)
    monkeypatch.setenv("CC", str(script(tmp_path / "cc", f'sleep 0.3\nexec {real} "$@"')))
    for name in ("SAYING", "PROBING", "COMPILING"):
        monkeypatch.setattr(toolchain, name, 0.1)
    monkeypatch.setattr(toolchain, "PATIENCE", 300.0)
    assert scaled(build("twice", FILES), 1.0) == 2.0


def test_a_limit_says_what_was_too_large(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path
) -> None:
    """It counts what the programs use that a compiler starts."""
    busy = script(tmp_path / "busy", "sh -c 'while :; do :; done' || exit 1")
    monkeypatch.setattr(toolchain, "COMPILING", 1.0)
    with pytest.raises(ToolchainError) as caught:
        build("twice", FILES, compiler=Compiler((str(busy),), "trusted without a probe"))
    first, *_, last = str(caught.value).splitlines()
    assert first.endswith("after 1 s of processor time, too little for twice.c (2 lines)")
    assert last == f"remedy: {toolchain.TOO_LARGE}"
    assert entries(cache) == []


def test_an_interrupt_ends_the_compiler_too(stall: Stall, cache: Path, tmp_path: Path) -> None:
    """As a terminal sends it, to all programs of the group."""
    builder = built_in_a_process(CC=str(stall.compiler))
    stall.wait()
    os.killpg(builder.pid, signal.SIGINT)
    _, said = builder.communicate(timeout=60)
    assert said.rstrip().endswith("KeyboardInterrupt")
    with pytest.raises(ProcessLookupError):
        os.killpg(builder.pid, 0)
    assert entries(cache) == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_a_terminal_shows_how_long_a_compiler_takes(
    compiler: Compiler,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    stream: type[io.StringIO],
) -> None:
    """In one line, which is taken away at the end; what is no terminal gets none."""
    real = " ".join(compiler.command)
    slow = script(tmp_path / "slow", f'sleep 0.2\nexec {real} "$@"')
    monkeypatch.setattr(sys, "stderr", stream())
    monkeypatch.setattr(announced, "SHOWN", 0.0)
    build("twice", FILES, compiler=Compiler((str(slow),), "trusted without a probe"))
    text = sys.stderr.getvalue()  # type: ignore[attr-defined]
    if stream is io.StringIO:
        assert text == ""
    else:
        first, *_, last = text.split("\r\x1b[K")[1:]
        assert first == f"mstmm: {slow} compiles twice.c: 0 s"[: len(first)]
        assert len(first) > 20
        assert last == ""


def test_cc_that_is_no_command_line_has_its_own_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", '"')
    with pytest.raises(ToolchainError, match=r"\$CC is no command line: \"") as caught:
        find_compiler()
    assert "unset it" in toolchain.numpy_instead(caught.value)


def test_the_line_that_goes_on_with_numpy_does_not_propose_it() -> None:
    line = toolchain.numpy_instead(ToolchainError("no C", remedy=REMEDY))
    assert line == 'no C; using NumPy; remedy: install a C compiler, or pip install "mstmm[cc]"'


# The compiler of the extra cc

ZIG = (sys.executable, "-m", "ziglang", "cc")
needs_zig = pytest.mark.skipif(not find_spec("ziglang"), reason="needs the extra cc (ziglang)")


@needs_zig
def test_zig_has_its_own_remedy_limits_and_word(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It never proposes itself, is given time for its first build, and says that it takes some."""
    with pytest.raises(ToolchainError, match=r"the C compiler zig \(of the extra cc\) f") as caught:
        Compiler((*ZIG[:-1], "none"), "zig").compile(["w.c"], "w.so", folder=tmp_path)
    assert caught.value.remedy == toolchain.NO_ZIG
    assert "[cc]" not in toolchain.NO_ZIG
    limits = []

    def slow(command: tuple[str, ...], folder: Path, limit: float) -> str:
        limits.append(limit)
        if "--version" not in command:
            time.sleep(1.2)
            raise ToolchainError("it fails")
        return "zig 0"

    monkeypatch.setattr(toolchain, "_run", slow)
    monkeypatch.setattr(toolchain, "_candidates", lambda named, vectors: iter([ZIG]))
    toolchain._find_compiler.cache_clear()
    with pytest.raises(ToolchainError):
        find_compiler()
    toolchain._find_compiler.cache_clear()
    assert limits == [toolchain.ZIG_SAYING, toolchain.ZIG_PROBING]
    assert "mstmm: zig compiles for the first time here" in capsys.readouterr().err


@pytest.mark.slow
@needs_zig
def test_zig_compiles_where_no_other_compiler_is(tmp_path: Path) -> None:
    """With nothing on the search path, and zig's caches empty."""
    script = (
        "import mstmm; s = mstmm.compile('double-pendulum'); "
        "print(*s.accelerations([0.1, 0.2], [0, 0]))"
    )
    environment = {
        "PATH": str(tmp_path),
        "HOME": str(tmp_path),
        "MSTMM_CACHE_DIR": str(tmp_path / "cache"),
        "ZIG_GLOBAL_CACHE_DIR": str(tmp_path / "zig"),
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    expected = mstmm.compile("double-pendulum", target="numpy").accelerations([0.1, 0.2], [0, 0])
    found = [float(x) for x in done.stdout.splitlines()[-1].split()]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# The cache


def test_two_processes_that_race_build_once(
    compiler: Compiler, tmp_path: Path, cache: Path
) -> None:
    log = tmp_path / "log"
    real = " ".join(compiler.command)
    slow = script(
        tmp_path / "slow",
        f"""
        case "$*" in *twice.c*) echo build >> "{log}"; sleep 0.5;; esac
        exec {real} "$@"
        """,
    )
    racers = [built_in_a_process(CC=str(slow)) for _ in range(2)]
    said = [racer.communicate(timeout=60) for racer in racers]
    assert [racer.returncode for racer in racers] == [0, 0], said
    paths = {Path(out.strip()) for out, _ in said}
    assert len(paths) == 1
    assert scaled(paths.pop(), 1.5) == 3.0
    assert log.read_text().split() == ["build"]
    assert len(entries(cache)) == 1


@dataclass(frozen=True)
class Stall:
    """A compiler that stops in the middle of a build for as long as `gate` exists."""

    compiler: Path
    gate: Path
    reached: Path

    def wait(self) -> None:
        deadline = time.monotonic() + 30
        while not self.reached.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert self.reached.exists()


@pytest.fixture
def stall(compiler: Compiler, tmp_path: Path) -> Stall:
    gate, reached = tmp_path / "gate", tmp_path / "reached"
    gate.touch()
    stalling = script(
        tmp_path / "stalling",
        f"""
        case "$*" in *twice.c*)
            if test -e "{gate}"; then echo partial > partial.so; touch "{reached}"; fi
            while test -e "{gate}"; do sleep 0.05; done;;
        esac
        exec {" ".join(compiler.command)} "$@"
        """,
    )
    return Stall(stalling, gate, reached)


def test_a_killed_build_leaves_nothing_and_the_next_one_succeeds(
    stall: Stall, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = built_in_a_process(CC=str(stall.compiler))
    stall.wait()
    os.killpg(victim.pid, signal.SIGKILL)
    victim.communicate()
    assert not list(cache.glob("modules/*"))
    assert list(cache.glob("scratch/*/*")), "the kill came in the middle of the build"

    stall.gate.unlink()
    monkeypatch.setenv("CC", str(stall.compiler))
    assert scaled(build("twice", FILES), 1.0) == 2.0
    assert len(entries(cache)) == 1


def test_clearing_leaves_a_build_under_way_alone(stall: Stall, cache: Path) -> None:
    builder = built_in_a_process(CC=str(stall.compiler))
    stall.wait()
    assert cache_clear() == 0
    stall.gate.unlink()
    out, said = builder.communicate(timeout=60)
    assert builder.returncode == 0, said
    assert scaled(Path(out.strip()), 1.0) == 2.0
    assert len(entries(cache)) == 1


def test_a_link_in_the_place_of_a_lock_is_taken_away(cache: Path, tmp_path: Path) -> None:
    assert scaled(build("twice", FILES), 1.0) == 2.0
    (lock,) = cache.glob("locks/twice-*.lock")
    lock.unlink()
    lock.symlink_to(tmp_path / "elsewhere")
    shutil.rmtree(cache / "modules")
    assert scaled(build("twice", FILES), 1.0) == 2.0
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_disk_leaves_none(compiler: Compiler, cache: Path) -> None:
    """A limit on the size of a file stops the linker in mid-write, as a full disk does."""
    full = subprocess.run(
        [sys.executable, "-c", BUILD],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 1
    assert "ToolchainError" in full.stderr
    assert entries(cache) == []
    assert scaled(build("twice", FILES), 1.0) == 2.0


@pytest.mark.parametrize("damage", ["truncated", "altered", "checksum gone", "checksum empty"])
def test_a_damaged_entry_is_built_again(compiler: Compiler, damage: str) -> None:
    library = build("twice", FILES)
    checksum = library.with_name(library.name + ".sha256")
    whole = library.read_bytes()
    match damage:
        case "truncated":
            library.write_bytes(whole[: len(whole) // 2])
        case "altered":
            library.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        case "checksum gone":
            checksum.unlink()
        case "checksum empty":
            checksum.write_text("")
    assert build("twice", FILES) == library
    assert scaled(library, 4.0) == 8.0
    assert len(checksum.read_text()) == 64


def test_an_unusable_cache_folder_is_one_clear_error(
    compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "below"
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(folder))
    with pytest.raises(ToolchainError) as caught:
        build("twice", FILES)
    assert str(folder) in str(caught.value)
    assert "MSTMM_CACHE_DIR" in caught.value.remedy
    for use in (cache_info, cache_clear):
        with pytest.raises(NotADirectoryError):
            use()
    assert cached_text("page", "key", lambda: "made") == "made"


def test_info_and_clear(compiler: Compiler, cache: Path) -> None:
    assert cache_info().folder == cache_folder() == cache
    assert (cache_info().modules, cache_info().bytes) == (0, 0)
    whole_package()  # which keeps what it has read
    before = cache_info().bytes
    library = build("twice", FILES)
    cached_text("page", "key", lambda: "text")
    info = cache_info()
    assert info.modules == 1
    assert info.bytes - before == library.stat().st_size + len("text") + 2 * 64
    (cache / "scratch" / "left-by-a-kill").mkdir(parents=True)
    assert cache_clear() == 1
    assert (cache_info().modules, cache_info().bytes) == (0, 0)
    assert entries(cache) == []


def test_a_text_is_made_once_per_key(cache: Path) -> None:
    calls: list[str] = []

    def make() -> str:
        calls.append("")
        return "größe\n"

    assert [cached_text("page", "a", make) for _ in range(2)] == ["größe\n"] * 2
    assert len(calls) == 1
    cached_text("page", "b", make)
    cached_text("source", "a", make)
    assert len(calls) == 3
    for file in cache.glob("texts/*.txt"):
        file.write_bytes(b"\xff")
    assert cached_text("page", "a", make) == "größe\n"
    assert len(calls) == 4
    assert cached_text("page", "a", make) == "größe\n"
    assert len(calls) == 4


def test_a_text_is_made_again_when_the_package_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    cached_text("page", "a", lambda: "old")
    assert cached_text("page", "a", lambda: "new") == "old"
    monkeypatch.setattr("mstmm.codegen.cache.whole_package", lambda: "another version")
    assert cached_text("page", "a", lambda: "new") == "new"


def test_an_error_while_making_a_text_is_not_hidden() -> None:
    def make() -> str:
        raise OSError("the maker's own")

    with pytest.raises(OSError, match="the maker's own"):
        cached_text("page", "a", make)


def test_digests_of_different_lists_differ() -> None:
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no users in this sense")
def test_what_is_another_user_s_is_not_loaded(
    compiler: Compiler, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders are this user's alone; of others neither a module nor the whole cache is taken."""
    library = build("twice", FILES)
    for folder in (cache, *(x for x in cache.rglob("*") if x.is_dir())):
        assert folder.stat().st_mode & 0o077 == 0 or folder == cache, folder
    before = library.stat().st_mtime_ns
    assert build("twice", FILES).stat().st_mtime_ns == before
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(ToolchainError, match="belongs to another user"):
        build("twice", FILES)
