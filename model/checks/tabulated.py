"""Tables of quantities over parameters: are they tables, and do these lie within?"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

import numpy as np

from ...errors import ModelError
from ..parts.system import System
from ..parts.tabulated import Tabulated
from .numbers import finite


def check_tables(model: System) -> None:
    """See that tables are over parameters that lie within them, and over one frequency.

    Raises
        ModelError: names the table, and what is wrong.
    """
    for table in model.tables:
        element, inputs = f"table {table.name}", {x.name for x in model.inputs}
        see_table([name for name in model.parameters if name not in inputs], table)
        if table.frequency not in ("", model.frequency):
            raise ModelError(
                f"is {table.frequency}, and {model.frequency} is that of another table: all "
                "vibrates at one",
                element=element,
                field="frequency",
            )
        for of, at in table.axes:
            low, high, value = at[0], at[-1], model.parameters[of]
            if not low <= value <= high:
                raise ModelError(
                    f"{of} = {value:g} lies outside, where nothing is known: it is from {low:g} "
                    f"to {high:g}; keep {of} within, or add values",
                    element=element,
                )


def see_table(parameters: Collection[str], table: Tabulated) -> None:
    """See that a table is one, over one or two of these parameters.

    Raises
        ModelError: names the table, and what is wrong.
    """
    element = f"table {table.name}"
    if not isinstance(table.of, str) and not len(table.of) == len(table.at) == 2:
        raise ModelError(
            "are one parameter, or two, with a list of values for each",
            element=element,
            field="of, at",
        )
    for of, at in table.axes:
        if of not in parameters:
            raise ModelError(
                f"there is no parameter {of}; it is over one of: {', '.join(parameters) or 'none'}",
                element=element,
                field="of",
            )
        for x in at:
            finite("each value", x, f"tables.{table.name}.at")
        if len(at) < 2 or any(a >= b for a, b in pairwise(at)):
            raise ModelError("are two values at least, ascending", element=element, field="at")
    if table.frequency not in ("", *(of for of, _ in table.axes)):
        raise ModelError(
            f"{table.frequency} is none of what the table is over",
            element=element,
            field="frequency",
        )
    shape = tuple(len(at) for _, at in table.axes)
    for name, values in table.columns.items():
        rows = values if len(shape) == 2 else [values]
        lengths = [len(row) if isinstance(row, tuple) else 0 for row in rows]
        if lengths != [shape[-1]] * (shape[0] if len(shape) == 2 else 1):
            has, each = len(values), " × ".join(map(str, shape))
            raise ModelError(
                f"has {has} values of {name} at {each}; give one at each"
                if len(shape) == 1
                else f"has other rows of {name} than {each}; give one for each value of "
                f"{table.of[0]}, along {table.of[1]}",
                element=element,
                field="values",
            )
        for x in np.ravel(values).tolist():
            finite(name, x, f"tables.{table.name}.values")
