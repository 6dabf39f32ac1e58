"""What each test of the attack costs of a processor is noted in the log, compilers included."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from guarded import noted, spent


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    start = spent()
    result = yield
    noted({"test": item.nodeid.rpartition("/")[2], "processor": round(spent() - start, 1)})
    return result
