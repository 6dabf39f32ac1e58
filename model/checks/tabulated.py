"""Tables of quantities over a parameter: are they tables, and does it lie within?"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from ...errors import ModelError
from ..parts.system import System
from ..parts.tabulated import Tabulated
from .numbers import finite


def check_tables(model: System) -> None:
    """See that tables are over parameters that lie within them.

    Raises
        ModelError: names the table, and what is wrong.
    """
    for table in model.tables:
        element, inputs = f"table {table.name}", {x.name for x in model.inputs}
        see_table([name for name in model.parameters if name not in inputs], table)
        low, high, value = table.at[0], table.at[-1], model.parameters[table.of]
        if not low <= value <= high:
            raise ModelError(
                f"{table.of} = {value:g} lies outside, where nothing is known: it is from {low:g} "
                f"to {high:g}; keep {table.of} within, or add values",
                element=element,
            )


def see_table(parameters: Collection[str], table: Tabulated) -> None:
    """See that a table is one, over one of these parameters.

    Raises
        ModelError: names the table, and what is wrong.
    """
    element = f"table {table.name}"
    if table.of not in parameters:
        raise ModelError(
            f"there is no parameter {table.of}; it is over one of: "
            f"{', '.join(parameters) or 'none'}",
            element=element,
            field="of",
        )
    for x in table.at:
        finite("each value", x, f"tables.{table.name}.at")
    if len(table.at) < 2 or any(a >= b for a, b in pairwise(table.at)):
        raise ModelError("are two values at least, ascending", element=element, field="at")
    for name, values in table.columns.items():
        if len(values) != len(table.at):
            raise ModelError(
                f"has {len(values)} values of {name} at {len(table.at)}; give one at each",
                element=element,
                field="values",
            )
        for x in values:
            finite(name, x, f"tables.{table.name}.values")
