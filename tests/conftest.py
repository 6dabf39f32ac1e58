"""Settings of all tests."""

import gc
import os
from collections import Counter
from collections.abc import Iterator

import long_tests
import pytest
from hypothesis import HealthCheck, Phase, settings

from mstmm.codegen.build import FLAGS_VARIABLE

# To explain a failure, Hypothesis traces every line of every example, which takes half the time;
# and how long a draw takes on a busy machine says nothing about the code.
settings.register_profile(
    "plain",
    phases=set(Phase) - {Phase.explain},
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("plain")

#: Of a test over many random systems the usual run takes so many, the slow one all the others.
FIRST_SEEDS = 3


#: The usual run judges numbers, not speed: the compiler takes half the time, and still contracts.
QUICKLY = "-O1 -fexpensive-optimizations"


def pytest_addoption(parser: pytest.Parser) -> None:
    """A run may write down which tests take long."""
    parser.addoption("--record-long", action="store_true", help="write tests/data/long_tests.json")


def pytest_configure(config: pytest.Config) -> None:
    """The slow run and `tests/codegen` compile as users do."""
    if config.option.markexpr in ("not slow and not long", "not slow", "long and not slow"):
        os.environ.setdefault(FLAGS_VARIABLE, QUICKLY)
    if config.getoption("--record-long"):
        config.pluginmanager.register(long_tests.Recorder())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays: to look for garbage in it took a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave later seeds of a test to the slow run; every property stays in the usual one."""
    met: Counter[tuple[str, str]] = Counter()
    for item in items:
        known = getattr(item, "callspec", None)
        if known is None or "seed" not in known.params:
            continue
        others = {name: repr(x) for name, x in known.params.items() if name != "seed"}
        family = item.nodeid.partition("[")[0], str(sorted(others.items()))
        met[family] += 1
        if met[family] > FIRST_SEEDS:
            item.add_marker(pytest.mark.slow)
    long_tests.marked(items)
