"""The blocks that the Riccati recursion takes of each body's transfer matrix, in closed form."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ...errors import DerivationError, UsageError
from ...model.expressions.quantities import shorten
from ...runtime.derived import Derived, Values
from ...symbolic.methods.riccati.paper import PaperWriter
from ..documents.document import Block, Fold, Formula, Numbers, Prose, anchor_of

#: So many bodies are shown; of one whose formulas have more operations the numbers alone.
BODIES, OPERATIONS = 8, 600

SOURCE = "Riccati paper (20)"


def split(derived: Derived, values: Values) -> Iterator[Block]:
    """T₁₁ … T₂₂, f_a and f_b of the bodies that are swept from a free tip.

    Shape
        Of a body with L inputs T₁₁ has k rows and k L columns, T₁₂, T₂₁ᵀ likewise; k is 3 in the
        plane, 6 in space.
    Frame, sign
        As U: inertial axes, q and m as the paper has them.
    Source
        Riccati paper (20), (37), (38): U with the rows and columns of its parts in another order.
    """
    writer = PaperWriter(derived.plan, False)
    yield Prose(
        "At a free tip the loads z_a = (m, q) are known, and z_b = (r̈, Ω̇) are not. In this order "
        "the transfer matrix of a body falls into blocks, z_a,O = T₁₁ z_a,I + T₁₂ z_b,I + f_a and "
        "z_b,O = T₂₁ z_a,I + T₂₂ z_b,I + f_b, of which the steps below are made: "
        "P = (T₂₁ S + T₂₂)⁻¹, S of the output is (T₁₁ S + T₁₂) P."
    )
    names = [link.name for link in derived.plan.links if link.name in derived.U]
    forward = [name for name in names if name not in writer.root_chain]
    for k, name in enumerate(forward[:BODIES]):
        yield Fold(
            f"Body {name}", anchor_of("split", name), tuple(_body(derived, values, name)), not k
        )
    if len(forward) > BODIES:
        yield Prose(f"Alike of {shorten(forward[BODIES:], 12)}.", "caption")
    if writer.root_chain:
        yield Prose(
            f"Between the ground and the branch ({shorten(writer.root_chain, 12)}) the sweep goes "
            "the other way: there U⁻¹ is split, with z_a = (m, r̈) and z_b = (Ω̇, q).",
            "caption",
        )


def _body(derived: Derived, values: Values, name: str) -> Iterator[Block]:
    numbers = values[f"U[{name}]"]
    try:
        U: sp.Matrix | None = derived.U[name]
    except (DerivationError, UsageError):
        U = None
    if U is not None and sum(int(sp.count_ops(x)) for x in U) > OPERATIONS:
        U = None
    k = 3 if derived.model.dimension == 2 else 6
    a, b = slice(k, 2 * k), slice(0, k)
    loads = slice(k, -1)
    places = {
        "T_11": (a, loads), "T_12": (a, b), "T_21": (b, loads), "T_22": (b, b),
        "f_a": (a, slice(-1, None)), "f_b": (b, slice(-1, None)),
    }  # fmt: skip
    for letter, place in places.items():
        value = None if U is None else sp.Matrix(U)[place]
        yield Formula(letter, value, Numbers.of(numbers[place]), source=SOURCE, shaded=True)
