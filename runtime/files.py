"""Output files: made in a scratch folder beside their place, and moved there when whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
        raise UsageError(
            f"cannot write into {folder}: {error.strerror or error}; name another place"
        ) from error


def check_folder(folder: Path) -> None:
    """See that files can be put into the folder, before any work is done for them.

    Raises
        UsageError: the folder is not there, is no folder, or may not be written.

    Source
        own
    """
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "does not exist"
        raise UsageError(f"cannot write into {folder}: it {what}; make it, or name another place")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write into {folder}: permission denied; name another place")
