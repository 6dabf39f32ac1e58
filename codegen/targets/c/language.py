"""How a line of C looks."""

from __future__ import annotations

from ...printing.languages import Language

C = Language(
    name="c",
    comment=("/*", " */"),
    declare="const double ",
    end=";",
    functions={"sin": "mstmm_sine_of", "cos": "mstmm_cosine_of"},
    step="({} >= 0.0 ? 1.0 : 0.0)",
    work="w->{name}[{index}]",
    buffer="{name}[{index}]",
    scalar=True,
)
