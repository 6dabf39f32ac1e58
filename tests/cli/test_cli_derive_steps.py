"""`mstmm derive` of another algorithm than Riccati's lists that algorithm's steps."""

from __future__ import annotations

import json

from commands import command
from places import EXAMPLES

ARM = str(EXAMPLES / "arm.toml")


def test_the_steps_of_an_algorithm_are_listed_with_what_they_compute() -> None:
    said = command("derive", ARM, "--algorithm", "rnea-hybrid").stdout
    assert "wrenches, tips to root:" in said
    assert "inward/  lam (3)" in said
    assert "print of" not in said
    assert max(map(len, said.splitlines())) <= 80


def test_every_name_that_is_listed_can_be_asked_for() -> None:
    listed = json.loads(
        command("derive", ARM, "--algorithm", "rnea-body", "--format", "json").stdout
    )
    names = [name for step in listed for name in step["quantities"]]
    assert any(name.startswith("needed/tau/") for name in names)
    asked = command("derive", ARM, "--algorithm", "rnea-body", "--symbol", names[0])
    assert asked.returncode == 0
