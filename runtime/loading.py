"""Models by name or file, from the cache where their text has been read before.

A record is named by the hash of the file's bytes (of a ready-made model of its name and
arguments), of the options, and of who reads it. What a file refers to besides is not known before
it is read: a model of MuJoCo that includes others is read each time.
"""

from __future__ import annotations

import os
import pickle
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from operator import index
from pathlib import Path
from typing import Any, SupportsIndex

from ..codegen.cache import digest, keep, recall, whole_package
from ..errors import ModelWarning
from ..model.checks.doubts import again, heard
from ..model.columns import packed
from ..model.files.kinds import is_model_file, is_urdf, robot_file
from ..model.model import Model
from ..model.remembered import Remembered, frozen, identity
from ..uncollected import uncollected

#: A larger file is read each time.
LARGEST = 8_000_000

#: Of a model of MuJoCo: what makes it depend on other files.
_REFERS = re.compile(rb"<\s*include|\bfile\s*=|<\s*(?:attach|model)\b")


@uncollected()
def load(name: str, *, strict: bool = False, **arguments: Any) -> Model:
    """The model of this name, as `mstmm.load` says it.

    Raises
        UsageError: there is no such model or file, or it does not take the argument.
        ModelError: the arguments or the file describe no system.

    Source
        own
    """
    key = _key(name, strict, arguments)
    if key is not None:
        known = recall(key)
        if known is not None:
            messages, facts, parts = pickle.loads(known)
            try:
                again(messages)
                return Remembered(facts, parts)
            except ModelWarning:
                pass  # where warnings are errors, reading says which and where
    from ..model.ready.library import load as read

    with heard() as messages:
        model = read(name, strict=strict, **arguments)
    if key is not None and key == _key(name, strict, arguments):
        facts, parts = frozen(model)
        told = {name: packed(fact) for name, fact in facts.items()}
        keep(key, pickle.dumps((messages, told, parts)))
    return model


def text_of_model(model: Model) -> str:
    """The model as the text of a file, as `model.files.toml.to_text` writes it.

    Raises
        ModelError: an expression of the model has no text in files.

    Source
        own
    """
    key = digest("text", whole_package(), identity(model))
    known = recall(key)
    if known is not None:
        return known.decode()
    from ..model.files.toml import to_text

    text = to_text(model)
    keep(key, text.encode())
    return text


def _key(name: str, strict: bool, arguments: Mapping[str, Any]) -> str | None:
    """The name of the record, if what describes the model is all at hand."""
    said = _description(name)
    given = None if said is None else _given(arguments)
    if said is None or given is None:
        return None
    return digest("model", whole_package(), *said, given, str(bool(strict)))


def _description(name: object) -> tuple[str, ...] | None:
    if not isinstance(name, str):
        return None
    robot = robot_file(name)
    path, words = robot or (name, "")
    if not robot and not is_model_file(name):
        return "ready-made", name
    data = _content(path)
    if data is None:
        return None
    said = ("file", Path(path).stem, Path(path).suffix, words, data.decode("latin-1"))
    if not robot or is_urdf(path) or b"<mujoco" not in data:
        return said
    return None if _REFERS.search(data) else (*said, *_stamp("mujoco"))


def _content(path: str) -> bytes | None:
    """The bytes of a regular file that can be read and is not too large."""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            data = file.read(LARGEST + 1)
    except (OSError, ValueError):
        return None
    return data if len(data) <= LARGEST else None


def _given(arguments: Mapping[str, Any]) -> str | None:
    """Arguments as text, if they are numbers and mappings of them."""
    try:
        return repr(sorted((key, _plain(value)) for key, value in arguments.items()))
    except TypeError:
        return None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return tuple(sorted((str(key), _plain(x)) for key, x in value.items()))
    if isinstance(value, bool | float | None):
        return repr(value)
    if isinstance(value, SupportsIndex):
        return str(index(value))
    raise TypeError(f"{value!r} has no text that means the same everywhere")


def _stamp(package: str) -> Iterator[str]:
    """Which version of a package is installed, by where and since when it lies there."""
    found = sys.modules.get(package)
    spec = getattr(found, "__spec__", None) or find_spec(package)
    if spec is not None and spec.origin:
        now = os.stat(spec.origin)
        yield f"{spec.origin} {now.st_size} {now.st_mtime_ns}"
