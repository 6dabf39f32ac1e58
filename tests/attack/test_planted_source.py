"""Errors planted in the package's own source: those that a judge named once are named still."""

from __future__ import annotations

import pytest
from planted_source import Bench, _function, planted, recorded

SOURCE = '''
def norm(x: int = 3) -> float:
    """Of 2 numbers."""
    if x <= 1 and not x == -2:
        raise ValueError(4)
    return hypot(x + 0.5, "é", x * y @ z)
'''

#: What is planted in it, and what it stands for.
PLANTED = {
    ("3", "4"),
    ("x <= 1 and not x == -2", "(x <= 1 or not x == -2)"),
    ("x <= 1", "(x < 1)"),
    ("1", "2"),
    ("not x == -2", "(x == -2)"),
    ("x == -2", "(x != -2)"),
    ("-2", "2"),
    ("2", "3"),
    ('hypot(x + 0.5, "é", x * y @ z)', "hypot('é', x + 0.5, x * y @ z)"),
    ("x + 0.5", "(x - 0.5)"),
    ("0.5", "1.5"),
    ("x * y @ z", "(z @ (x * y))"),
    ("x * y", "(x / y)"),
}


def test_every_kind_of_error_is_planted() -> None:
    """In what runs: no annotation, text or message."""
    found = list(planted("norm.py", SOURCE))
    assert {(each.was, each.now) for each in found} == PLANTED
    for each in found:
        text = each.text(SOURCE)
        assert text != SOURCE
        compile(text, "norm.py", "exec")


def test_an_error_is_found_where_its_line_stands_by_now() -> None:
    one = next(each for each in planted("norm.py", SOURCE) if each.was == "x * y")
    moved = "import math\n" + SOURCE
    assert one.place(moved) == one.line + 1
    assert "(x / y)" in one.text(moved)
    assert one.place(SOURCE.replace("x * y", "y * x")) == 0


def test_the_function_that_an_error_stands_in_is_named() -> None:
    lines = ("class A:", "    x = 1", "    def f(self):", "        y = 2", "        def g():")
    source = "\n".join((*lines, "            return 3"))
    names = [_function(source, line) for line in (2, 4, 6)]
    assert names == ["<module>", "A.f", "A.f.<locals>.g"]


def test_the_record_says_what_came_of_each_error() -> None:
    verdicts = [each.verdict.partition(":")[0] for each in recorded()]
    assert set(verdicts) <= {"named", "elsewhere", "equal", "alive", "not reached", ""}
    assert verdicts.count("named") > verdicts.count("alive")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("planted"))


@pytest.mark.slow
def test_errors_that_were_named_are_named(bench: Bench) -> None:
    """By the judges of the table; `python tests/attack/planted_source.py FOLDER` judges those
    without verdict."""
    lost = [
        f"{each.file}:{each.line} {each.was} → {each.now}"
        for each in recorded()
        if each.verdict.startswith("named") and not bench.verdict(each).startswith("named")
    ]
    assert lost == []
