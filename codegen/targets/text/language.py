"""How a line of the text looks."""

from __future__ import annotations

from ...printing.languages import Language

TEXT = Language(
    name="text",
    comment=("#", ""),
    declare="",
    end="",
    functions={},
    step="step({})",
    work="all.{name}[{index}]",
    buffer="{name}[{index}]",
    whole="",
    along="{at} + first … {at} + last − 1",
    solver="{}",
    arrays=True,
)
