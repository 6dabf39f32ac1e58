"""Systems at which the deduction paper's equations are judged.

The paper's figures are not in our copy; systems have the numbers that its text tells of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ...exact.claims import Symbols
from ...exact.ledger import Instant, ledger
from .system import Plan
from .theorem import Case

#: Bodies 9, 10 and 4 have several inputs, as in Fig. 1; body 4 has three.
TREE = Plan(
    3,
    (
        "5 revolute 0 4",
        "1 ball 4 9",
        "2 prismatic 4 10",
        "3 cylindrical 4 8",
        "6 revolute 9 12",
        "7 ball 9 14",
        "11 cylindrical 10 16",
        "13 revolute 10 18",
    ),
    tips=(8, 12, 14, 16, 18),
)
FLAT = Plan(2, ("6 pin 0 5", "4 prismatic 5 3", "2 pin 3 1"), tips=(1,))
CHAIN = Plan(3, ("6 revolute 0 5", "4 prismatic 5 3", "2 ball 3 1"), tips=(1,))
#: One ring that moves freely, parted before body 1.
RING = Plan(3, ("9 free 0 1", "2 revolute 1 3", "4 ball 3 5", "6 cylindrical 5 1"), (), cuts=("6",))
#: A tree and a loop, parted between body 16 and hinge 19 as in Fig. 8.
GENERAL = Plan(
    3,
    (
        "5 revolute 0 4",
        "1 ball 4 9",
        "2 revolute 4 10",
        "3 cylindrical 9 16",
        "7 prismatic 10 8",
        "19 ball 10 16",
    ),
    tips=(8,),
    cuts=("19",),
)
#: Example 1 with a rigid body in the place of beam 3, whose own matrices `flexible` judges.
EXAMPLE_1 = Plan(
    2,
    ("6 free 0 5", "4 fixed 5 3", "2 fixed 3 1", "7 free 5 8"),
    tips=(1, 8),
    elastic=("6", "7"),
)
#: Example 2: pin 20 is the ground's.
EXAMPLE_2 = Plan(
    2,
    (
        "20 pin 0 1",
        "2 pin 1 3",
        "4 pin 3 5",
        "6 pin 5 7",
        "8 pin 7 9",
        "10 pin 3 11",
        "12 pin 11 13",
        "14 pin 13 9",
    ),
    tips=(),
    cuts=("14",),
)


tree = Instant("a tree in space", partial(Case, TREE, 3))
chain = Instant("a chain in space", partial(Case, CHAIN, 4))
flat = Instant("a chain in the plane", partial(Case, FLAT, 8))
ring = Instant("a ring in space", partial(Case, RING, 5))
general = Instant("a tree with a loop in space", partial(Case, GENERAL, 6))
example_1 = Instant(
    "the plane system of Example 1 with a rigid body for its beam", partial(Case, EXAMPLE_1, 9)
)
example_2 = Instant("the plane system of Example 2", partial(Case, EXAMPLE_2, 7))


def symbols(at: Case) -> Mapping[str, Any]:
    """What a reader's print may name, of the elements by their numbers in transfer order.

    `U_9`, of a body with several inputs `U_9_I1`, `U_9_I2`; `z_9_O`, `z_9_I1`, `z_9_I2` its states;
    `H_9_I1_2`, `H_9_I2` the geometric matrices of its second input.
    """
    known: dict[str, Any] = {}
    for element in at.elements:
        name, several = element.label, len(element.inputs) > 1
        known[f"z_{name}_O"] = partial(at.system.output, element)
        for k in range(1, len(element.inputs) + 1):
            known[f"z_{name}_I{k}"] = partial(at.system.input, element, k)
            index = f"U_{name}_I{k}" if several else f"U_{name}"
            known[index] = partial(at.matrices.U, element, k)
            if k > 1:
                known[f"H_{name}_I1_{k}"] = partial(at.matrices.first_H, element, k)
                known[f"H_{name}_I{k}"] = partial(at.matrices.own_H, element, k)
    return Symbols(known)


#: Displays are lost in our copy of the paper, text is not.
display = partial(ledger("deduction", tree), absent=True, symbols=symbols)
