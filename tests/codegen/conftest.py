"""Emitted code is compiled here as users compile it."""

import pytest

from mstmm.codegen.build import FLAGS_VARIABLE

#: Where words of a text or errors planted in it count, which are there however it is compiled.
OF_TEXT = ("test_names.py", "test_validate.py", "test_validate_library.py")


@pytest.fixture(autouse=True)
def usual_flags(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if request.path.name in OF_TEXT:
        monkeypatch.setenv(FLAGS_VARIABLE, "-O0")
    else:
        monkeypatch.delenv(FLAGS_VARIABLE, raising=False)
