"""The cache under processes that race, are killed, have no room, and find what others left.

Whatever happens to it, a build gives the library that was asked for or one typed error, and the
next build without harm gives the library.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import shutil
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from cffi import FFI
from compiler import needs_compiler
from guarded import Outcome, spent

from mstmm.codegen.build import build
from mstmm.errors import ToolchainError

pytestmark = [
    needs_compiler,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
]
NAMES = ("one", "two", "three")


def files(name: str) -> dict[str, str]:
    shared = {"mstmm_x.c": '#include "mstmm_x.h"\nint x(void) { return 40; }\n'}
    header = {"mstmm_x.h": "int x(void);\n"}
    number = NAMES.index(name)
    own = f'#include "mstmm_x.h"\nint f(void) {{ return x() + {number}; }}\n'
    return {f"{name}.c": own, **shared, **header}


def is_right(name: str) -> bool:
    ffi = FFI()
    ffi.cdef("int f(void);")
    return bool(ffi.dlopen(str(build(name, files(name)))).f() == 40 + NAMES.index(name))


def in_child(work: Callable[[], object]) -> multiprocessing.process.BaseProcess:
    """A child that ends with 0 if the work's result is right, 3 if it is a typed error."""

    def run() -> None:
        try:
            os._exit(0 if work() else 1)
        except ToolchainError:
            os._exit(3)
        except BaseException:  # noqa: BLE001  (anything else is what is looked for)
            os._exit(2)

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    return process


def race(cache: Path, rng: random.Random) -> set[int]:
    """Four processes at once; one may be killed on its way."""
    running = [in_child(partial(is_right, rng.choice(NAMES))) for _ in range(4)]
    killed = rng.random() < 0.7
    if killed:
        time.sleep(rng.uniform(0.0, 0.3))
        running[0].kill()
    for process in running:
        process.join()
    return {process.exitcode or 0 for process in running[killed:]}


def no_room(cache: Path, rng: random.Random) -> set[int]:
    """No file may grow beyond some bytes, as on a full disk."""
    size = rng.choice((0, 10, 100, 1000, 5000, 20_000))

    def work() -> bool:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return is_right(rng.choice(NAMES))

    process = in_child(work)
    process.join()
    return {process.exitcode or 0} - {3}


def damaged(cache: Path, rng: random.Random) -> set[int]:
    """A file of the cache cut, altered, emptied, or something else in its place."""
    found = [x for x in sorted(cache.rglob("*")) if x.is_file()]
    if found:
        file = rng.choice(found)
        whole = file.read_bytes()
        at = rng.randrange(len(whole) + 1)
        match rng.randrange(6):
            case 0:
                file.write_bytes(whole[:at])
            case 1:
                file.write_bytes(whole[:at] + b"\x80" + whole[at + 1 :])
            case 2:
                file.unlink()
            case 3:
                file.unlink()
                file.symlink_to(cache / "nowhere")
            case 4:
                file.write_bytes(b"")
            case 5:
                file.unlink()
                file.mkdir()
    return race(cache, rng) - {3}


def open_to_all(cache: Path, rng: random.Random) -> set[int]:
    """Folders that anybody may write to are refused, and taken again once they are not."""
    folder = rng.choice([cache, *(x for x in cache.glob("*") if x.is_dir())])
    folder.chmod(0o777)
    process = in_child(lambda: is_right(rng.choice(NAMES)))
    process.join()
    folder.chmod(0o700)
    refusing = {cache, cache / "modules", cache / "locks"}
    return {process.exitcode or 0} - ({3} if folder in refusing else {0, 3})


def anothers(cache: Path, rng: random.Random) -> set[int]:
    """What belongs to another user is not loaded; only root can make such a thing."""
    if os.geteuid():
        return set()
    found = [x for x in sorted(cache.glob("modules/*")) if x.is_file()]
    if found:
        file = rng.choice(found)
        os.chown(file, 12345, 12345)
    return race(cache, rng)


STORM = (race, no_room, damaged, open_to_all, anothers)


def stormed(cache: Path, seed: int, count: int) -> Outcome:
    rng, outcome = random.Random(seed), Outcome("caches")
    start = spent()
    for _ in range(count):
        attack = rng.choice(STORM)
        codes = attack(cache, rng) - {0}
        outcome.counts[attack.__name__] += 1
        if codes:
            outcome.failures.append(f"{attack.__name__} ends with {codes}")
        for left in cache.rglob("*"):
            in_place = left.parent.parent == cache and left.parent.name != "scratch"
            if (
                left.is_dir() and in_place
            ):  # no accident puts a folder there; it is told, not mended
                shutil.rmtree(left)
        if in_child_code(lambda: all(map(is_right, NAMES))):
            outcome.failures.append(f"after {attack.__name__} a library is wrong")
    outcome.seconds = spent() - start
    return outcome


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    return tmp_path / "cache"


def test_the_cache_stands_a_short_storm(cache: Path) -> None:
    stormed(cache, 0, 5).require()


@pytest.mark.slow
def test_the_cache_stands_a_long_storm(cache: Path) -> None:
    outcome = stormed(cache, 1, 150)
    outcome.note(1)
    outcome.require()
    assert len(outcome.counts) == len(STORM)


def test_a_library_that_is_wrong_is_seen(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The storm's own judge: a checksum that nobody looks at lets a damaged library through."""
    assert not in_child_code(lambda: is_right("one"))
    monkeypatch.setattr("mstmm.codegen.cache._is_whole", lambda entry: entry.exists())
    (library,) = (x for x in cache.glob("modules/one-*") if x.suffix == ".so")
    other = build("two", files("two"))
    library.write_bytes(other.read_bytes())
    assert in_child_code(lambda: is_right("one")) == 1


def in_child_code(work: Callable[[], object]) -> int:
    process = in_child(work)
    process.join()
    return process.exitcode or 0
