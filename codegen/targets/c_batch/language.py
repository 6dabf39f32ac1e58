"""How a line of C for many lanes looks."""

from __future__ import annotations

from ...printing.languages import Language

BATCH = Language(
    name="c-batch",
    comment=("/*", " */"),
    declare="const lanes ",
    end=";",
    functions={
        name: f"{name}_lanes"
        for name in ("tan", "sqrt", "exp", "log", "tanh", "asin", "acos", "atan", "atan2", "fabs")
    },
    step="(0.0 - __builtin_convertvector({} >= 0.0, lanes))",
    work="w->{name}[{index}]",
    buffer="{name}[{index}]",
    broadcast="broadcast({})",
    lanes=True,
    solver="{}_lanes",
)
