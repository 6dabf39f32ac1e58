"""The cache: files named by the hash of what they were made from, whole or absent.

Compiled modules are named by the text that went into the compiler. *Records* are named by what that
text was made from, a model's description and what was asked of it: with one, nothing is derived or
emitted again.

An entry is a file and, beside it, its checksum. It is made in a scratch folder inside the
cache and moved into place under a lock of its own, so that a race, a kill or a full disk
leaves a good entry or none; a damaged one is made again. Compiled code is run as it stands there,
so that folders are made for this user alone, and what belongs to another user is not taken.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import FileLock

#: The environment variable that names another cache folder.
FOLDER_VARIABLE = "MSTMM_CACHE_DIR"

MODULES = "modules"
TEXTS = "texts"
OBJECTS = "objects"
RECORDS = "records"
CONTENTS = "contents"
_CHECKSUM = ".sha256"

#: Packages that shape what is derived and emitted, the libraries below them, and what is around.
_DERIVING = ("mstmm", "mstmm.model", "mstmm.symbolic", "mstmm.codegen", "mstmm.templates")
_LIBRARIES = ("sympy", "mpmath", "numpy", "jinja2", "markupsafe")
_AROUND = ("mstmm.runtime", "mstmm.report", "mstmm.papers", "mstmm.exchange", "mstmm.cli")


@dataclass(frozen=True)
class CacheInfo:
    """What the cache holds: its folder, the number of compiled modules, all bytes."""

    folder: Path
    modules: int
    bytes: int


def cache_folder() -> Path:
    """The folder of the cache: `MSTMM_CACHE_DIR` if set, else the user's cache folder.

    Source
        own
    """
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("mstmm"))


def digest(*parts: str) -> str:
    """The SHA-256 of several texts; their lengths count, so that no two lists collide.

    Source
        own
    """
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode()
        hasher.update(f"{len(data)}:".encode())
        hasher.update(data)
    return hasher.hexdigest()


def fetch(kind: str, name: str, make: Callable[[Path], Path]) -> Path:
    """The entry `name` of a kind (`modules`, `objects`, `texts`); `make` makes what is not there.

    `make` gets an empty scratch folder and returns the file in it that becomes the entry.

    Raises
        OSError: the cache folder cannot be used.

    Source
        own
    """
    if whole := found(kind, name):
        return whole
    entry = cache_folder() / kind / name
    with _lock(entry):
        if not _is_whole(entry):
            _make_entry(entry, make)
    return entry


def found(kind: str, name: str) -> Path | None:
    """The entry `name` of a kind, if it is there and whole.

    Raises
        OSError: the cache folder cannot be used.

    Source
        own
    """
    entry = cache_folder() / kind / name
    return entry if _is_whole(entry) else None


def cached_text(kind: str, key_material: str, make: Callable[[], str]) -> str:
    """The text that `make` returns, remembered under its kind and key material.

    The key also covers the whole package, since it shapes every text. Without a usable cache
    folder the text is simply made.

    Source
        own
    """
    key = digest(kind, key_material, whole_package())
    entry = cache_folder() / TEXTS / f"{kind}-{key[:40]}.txt"
    with suppress(OSError, UnicodeDecodeError):
        if _is_whole(entry):
            return entry.read_bytes().decode()
    text = make()

    def write(scratch: Path) -> Path:
        made = scratch / entry.name
        made.write_bytes(text.encode())
        return made

    with suppress(OSError):
        fetch(TEXTS, entry.name, write)
    return text


def recall(key: str, kind: str = RECORDS) -> bytes | None:
    """What the record of this key holds, if there is a whole one of this user.

    What has been hashed is what is returned.

    Source
        own
    """
    entry = cache_folder() / kind / key
    try:
        if not all(map(_is_ours, (entry, _checksum_file(entry), entry.parent))):
            return None
        data = entry.read_bytes()
        whole = _checksum_file(entry).read_bytes() == hashlib.sha256(data).hexdigest().encode()
    except OSError:
        return None
    return data if whole else None


def keep(key: str, data: bytes, kind: str = RECORDS) -> None:
    """Remember data by this key; without a usable cache folder nothing is.

    Source
        own
    """

    def write(scratch: Path) -> Path:
        (scratch / key).write_bytes(data)
        return scratch / key

    with suppress(OSError):
        fetch(kind, key, write)


def cache_info() -> CacheInfo:
    """What the cache holds now.

    Raises
        OSError: the cache folder is no folder, or cannot be read.

    Source
        own
    """
    entries = list(_files())
    return CacheInfo(
        folder=cache_folder(),
        modules=sum(_is_module(file) for file in entries),
        bytes=sum(file.stat().st_size for file in entries),
    )


def cache_clear() -> int:
    """Empty the cache; returns the number of compiled modules removed.

    A build under way in another process goes on undisturbed.

    Raises
        OSError: the cache folder is no folder, or cannot be read or emptied.

    Source
        own
    """
    removed = 0
    for file in list(_files()):
        file.unlink(missing_ok=True)
        removed += _is_module(file)
    _clear_scratch()
    return removed


def _files() -> Iterator[Path]:
    for kind in (MODULES, OBJECTS, TEXTS, RECORDS, CONTENTS):
        for folder, _, names in os.walk(cache_folder() / kind, onerror=_unless_missing):
            yield from (Path(folder, name) for name in sorted(names))


def _unless_missing(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def _is_module(file: Path) -> bool:
    return file.parent.name == MODULES and file.suffix != _CHECKSUM


def _checksum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _checksum_file(entry: Path) -> Path:
    return entry.with_name(entry.name + _CHECKSUM)


def _is_whole(entry: Path) -> bool:
    try:
        own = all(map(_is_ours, (entry, _checksum_file(entry), entry.parent)))
        own = own and not any(map(_is_open_to_others, (cache_folder(), entry.parent)))
        return own and _checksum_file(entry).read_text() == _checksum(entry)
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        return False


def _is_ours(path: Path) -> bool:
    """Does it belong to the user of this process?"""
    return not hasattr(os, "geteuid") or path.stat().st_uid == os.geteuid()


def _is_open_to_others(path: Path) -> bool:
    """May anybody put another file in the place of one here?"""
    mode = path.stat().st_mode
    return hasattr(os, "geteuid") and bool(mode & stat.S_IWOTH) and not mode & stat.S_ISVTX


def _folder(*names: str) -> Path:
    """A folder of the cache, made for this user alone.

    Raises
        PermissionError: the cache folder belongs to another user, or anybody may write to it.
    """
    root = cache_folder()
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = root.joinpath(*names)
    for part in reversed([folder, *folder.parents][: len(names)]):
        part.mkdir(exist_ok=True, mode=0o700)
    for part in (root, folder):
        if not _is_ours(part):
            raise PermissionError(errno.EPERM, "it belongs to another user")
        if _is_open_to_others(part):
            raise PermissionError(errno.EPERM, "anybody may write to it (chmod o-w mends that)")
    return folder


def _lock(entry: Path) -> FileLock:
    from filelock import FileLock

    lock = _folder("locks") / f"{entry.name}.lock"
    if lock.is_symlink():  # none of ours: to follow it might write anywhere
        lock.unlink(missing_ok=True)
    return FileLock(lock)


def _scratch(name: str) -> Path:
    return cache_folder() / "scratch" / name


def _make_entry(entry: Path, make: Callable[[Path], Path]) -> None:
    """Under the entry's lock, so its scratch folder is ours, with what a kill left in it."""
    import shutil

    scratch = _scratch(entry.name)
    shutil.rmtree(scratch, ignore_errors=True)
    _folder("scratch", entry.name)
    try:
        made = make(scratch)
        checksum = scratch / (entry.name + _CHECKSUM)
        checksum.write_text(_checksum(made))
        _folder(entry.parent.name)
        os.replace(made, entry)
        os.replace(checksum, _checksum_file(entry))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _clear_scratch() -> None:
    """Remove what killed builds left; a folder whose lock is held belongs to a live one."""
    import shutil

    from filelock import Timeout

    for left in _scratch("").glob("*"):
        with suppress(Timeout), _lock(left).acquire(timeout=0):
            shutil.rmtree(left, ignore_errors=True)


def makers() -> str:
    """Who derives and emits: the hash of Python's version and of what is written in the files of
    this package that do so, and in those of the libraries that they rest on.

    Source
        own
    """
    return digest(sys.version, *map(_contents, (*_DERIVING, *_LIBRARIES)))


def whole_package() -> str:
    """As `makers`, of all that this package consists of.

    Source
        own
    """
    return digest(makers(), *map(_contents, _AROUND))


@cache
def _contents(package: str) -> str:
    """The hash of the source files of a package.

    They are read once: it is remembered by the names, sizes and times of the files. A file
    cannot be given the time at which it was last changed.
    """
    spec = find_spec(package)
    folders = (spec.submodule_search_locations if spec else None) or ()
    deep = package.startswith("mstmm.")
    files = [(folder, file) for folder in folders for file in _sources(folder, deep=deep)]
    states = ((file.path, file.stat()) for _, file in files)
    stamps = (f"{path} {x.st_size} {x.st_mtime_ns} {x.st_ctime_ns}" for path, x in states)
    key = digest(package, *stamps)
    known = recall(key, CONTENTS)
    if known is None:
        texts = [package]
        for folder, file in files:
            text = Path(file.path).read_bytes()
            texts += (os.path.relpath(file.path, folder), hashlib.sha256(text).hexdigest())
        known = digest(*texts).encode()
        keep(key, known, CONTENTS)
    return known.decode()


def _sources(folder: str, *, deep: bool) -> Iterator[os.DirEntry[str]]:
    """The source files in a folder, in order."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir():
            if deep and entry.name != "__pycache__":
                yield from _sources(entry.path, deep=True)
        elif entry.name.endswith((".py", ".jinja", ".c", ".h", ".json")):
            yield entry
