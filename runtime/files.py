"""Output files: made in a scratch folder beside their place, and moved there when whole."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import UsageError


@contextmanager
def made_beside(folder: Path) -> Iterator[Path]:
    """A scratch folder inside `folder`; the files left in it are moved into `folder`.

    They are moved when the block ends well; otherwise nothing is.

    Raises
        UsageError: the folder is not there, or cannot be written.

    Source
        own
    """
    check_folder(folder)
    try:
        with tempfile.TemporaryDirectory(prefix=".mstmm-", dir=folder) as name:
            scratch = Path(name)
            yield scratch
            for file in sorted(scratch.iterdir()):
                os.replace(file, folder / file.name)
    except OSError as error:
        gone = isinstance(error, FileNotFoundError)  # in a folder of no disk, such as /proc
        why = "no file can be made there" if gone else reason(error)
        raise UsageError(f"cannot write into {folder}: {why}; name another place") from error


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """The folder and those above it, made where they are missing.

    Those made are removed again when the block fails and leaves them empty.

    Raises
        UsageError: the folder cannot be made or written.

    Source
        own
    """
    made: list[Path] = []
    try:
        for path in (*reversed(folder.parents), folder):
            _make(path, made)
        check_folder(folder)
        yield
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir()
        raise


def _make(folder: Path, made: list[Path]) -> None:
    try:
        folder.mkdir()
    except OSError as error:
        if not os.path.isdir(folder):
            raise UsageError(
                f"cannot make the folder {folder}: {reason(error)}; name another place"
            ) from error
    else:
        made.append(folder)


def reason(error: OSError) -> str:
    """Why the system refused, to go on in a sentence.

    Source
        own
    """
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def check_folder(folder: Path) -> None:
    """See that files can be put into the folder, before any work is done for them.

    Raises
        UsageError: the folder is not there, is no folder, or may not be written.

    Source
        own
    """
    try:
        what = "" if stat.S_ISDIR(folder.stat().st_mode) else "it is no folder"
    except FileNotFoundError:
        what = "it does not exist"
    except OSError as error:
        raise UsageError(
            f"cannot write into {folder}: {reason(error)}; name another place"
        ) from error
    if what:
        raise UsageError(f"cannot write into {folder}: {what}; make it, or name another place")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write into {folder}: permission denied; name another place")
