"""Packages imported when asked for: what a signal in the midst of it does."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from mstmm.runtime.extras import require

#: A package whose import is interrupted and that swallows what is raised meanwhile.
PACKAGE = """
import os, signal
try:
    os.kill(os.getpid(), signal.{sent})
    for _ in range(1000):
        pass
except BaseException:
    raise ImportError("initialization failed")
"""


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM"])
def test_a_signal_waits_until_a_package_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: str
) -> None:
    name = f"interrupted_by_{sent.lower()}"
    (tmp_path / f"{name}.py").write_text(PACKAGE.format(sent=sent))
    monkeypatch.syspath_prepend(str(tmp_path))

    def leave(*_: object) -> None:
        raise KeyboardInterrupt(sent)

    number = getattr(signal, sent)
    before = signal.signal(number, leave)
    try:
        with pytest.raises(KeyboardInterrupt, match=sent):
            require(name, extra="none", purpose="the test")
        assert signal.getsignal(number) is leave
    finally:
        signal.signal(number, before)
        sys.modules.pop(name, None)
