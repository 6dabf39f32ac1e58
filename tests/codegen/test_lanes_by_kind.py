"""What making `c-lanes` code costs is counted in kinds of links, not in links."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from mstmm.codegen.generate import generate
from mstmm.model import load
from mstmm.symbolic.language.program import Call
from mstmm.symbolic.language.walk import Action


@pytest.mark.parametrize("name", ["rod-chain", "ball-chain"])
def test_twice_the_links_make_no_more_calls(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: Counter[type] = Counter()

    def count(kind: type[Call] | type[Action]) -> None:
        plain = kind.__init__

        def counted(self: Any, *given: Any, **named: Any) -> None:
            made[kind] += 1
            plain(self, *given, **named)

        monkeypatch.setattr(kind, "__init__", counted)

    count(Call)
    count(Action)
    found = []
    for n in (200, 400):
        made.clear()
        generate(load(name, n=n), target="c-lanes")
        found.append(dict(made))
    assert found[0] == found[1]
    assert found[0][Action] > 0
