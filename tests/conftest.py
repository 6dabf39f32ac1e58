"""Settings of all tests."""

import gc
import os
from collections.abc import Iterator

import budget
import long_tests
import pytest
from hypothesis import HealthCheck, Phase, settings

from mstmm.codegen.build import FLAGS_VARIABLE

# To explain a failure, Hypothesis traces every line of every example, which takes half the time;
# and how long a draw takes on a busy machine says nothing about the code.
_PLAIN = settings(
    phases=set(Phase) - {Phase.explain},
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
# What must pass draws the same examples each time, and the slow run others.
settings.register_profile("same", _PLAIN, derandomize=True, database=None)
settings.register_profile("slow", _PLAIN, derandomize=False)
settings.load_profile("same")

#: Of a test over many random systems the usual run takes so many, the slow one all the others.
FIRST_SEEDS = 3

#: These runs judge numbers, not speed, and do not move models for long: so compilers do not
#: optimise. For the table of all algorithms and sorts of systems they do half, and contract.
HURRIED = (
    "not slow and not long",
    "not slow",
    "long and not slow",
    "(long or extras) and not slow",
)
NOT, HALF = "-O0", "-O1 -fexpensive-optimizations"
HURRY = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """A run may write down which tests take long."""
    parser.addoption("--record-long", action="store_true", help="write tests/data/long_tests.json")


def pytest_configure(config: pytest.Config) -> None:
    """The slow run compiles as users do, and so do some tests of `codegen`."""
    config.stash[HURRY] = config.option.markexpr in HURRIED and FLAGS_VARIABLE not in os.environ
    if config.option.markexpr == "slow":
        settings.load_profile("slow")
    config.pluginmanager.register(long_tests.Watch())
    config.pluginmanager.register(budget.Budget(config.option.markexpr))
    if config.getoption("--record-long"):
        config.pluginmanager.register(long_tests.Recorder())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before a test's fixtures are made: how compilers hurry for it."""
    if item.config.stash[HURRY]:
        os.environ[FLAGS_VARIABLE] = HALF if item.path.name == "test_scenarios.py" else NOT


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays: to look for garbage in it took a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        # To count what is frozen, after each model that is derived, takes as long as some tests do.
        gc.get_freeze_count = lambda: 1
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave later seeds of a test to the slow run; every property stays in the usual one.

    What takes long takes one seed for each row of its other parameters, of which the next row
    takes the next seed.
    """
    long_tests.marked(items)
    tests: dict[str, dict[str, list[pytest.Item]]] = {}
    for item in items:
        known = getattr(item, "callspec", None)
        if known is None or "seed" not in known.params:
            continue
        others = str(sorted((name, repr(x)) for name, x in known.params.items() if name != "seed"))
        rows = tests.setdefault(item.nodeid.partition("[")[0], {})
        rows.setdefault(others, []).append(item)
    for rows in tests.values():
        for k, row in enumerate(rows.values()):
            first = row[:FIRST_SEEDS]
            usual = [item for item in first if not item.get_closest_marker("slow")] or first
            if any(item.get_closest_marker("long") for item in usual):
                usual = [usual[k % len(usual)]]
            for item in row:
                if item not in usual:
                    item.add_marker(pytest.mark.slow)
