"""Emitted code is compiled here as users compile it."""

import pytest

from mstmm.codegen.build import FLAGS_VARIABLE


@pytest.fixture(autouse=True)
def usual_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FLAGS_VARIABLE, raising=False)
