"""The errata of Riccati paper: what the print says, what is right, and how that is shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

KINDS = {"W": "wrong", "I": "incomplete", "N": "notation"}


@dataclass(frozen=True)
class Erratum:
    """One erratum. `kind`: W the print is wrong, I incomplete, N ambiguous notation."""

    id: str
    where: str
    kind: Literal["W", "I", "N"]
    printed: str
    correct: str
    proof: str

    def __str__(self) -> str:
        return (
            f"{self.id}: {self.where}, {KINDS[self.kind]}. Printed: {self.printed}. "
            f"Right: {self.correct}. Shown by: {self.proof}."
        )


ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "X1",
        "(10), (15), (59)",
        "I",
        "the smooth hinge's m = 0 enters for k ≥ 2 only, and says nothing behind a hinge: two "
        "of the nine rows of (59) are 0 = 0",
        "m = 0 at each hinge eliminates the inboard angular acceleration; m = 0 also at I₁",
        "rows 4 and 9 of (59) vanish identically, exact rank 7; completed: exact rank 9",
    ),
    Erratum(
        "X2",
        "(46), entry (1,2)",
        "W",
        "c3² c5 + s3 c3 c5 − 2 c5",
        "c3² c5 + c3 s3 s5 − 2 c5",
        "exact difference from the recursion (29) with the hinge (45)",
    ),
    Erratum(
        "X3",
        "(46), entry (1,3)",
        "W",
        "4 m a²",
        "4/3 m a²",
        "exact difference from the recursion (29) with the hinge (45)",
    ),
    Erratum(
        "X4",
        "(47), all three rows",
        "W",
        "an undefined symbol c_c",
        "c3",
        "exact difference from the recursion (30); zero with c_c = c3",
    ),
    Erratum(
        "X5",
        "(52), row 3, four entries",
        "W",
        "denominators 2 m a (as far as the flattened text can be read)",
        "denominators m a",
        "with 2 m a the moment row of U7 Û8 does not vanish; with m a it does",
    ),
    Erratum(
        "X6",
        "(62)",
        "W",
        "T22 and its signs −2 a s1, +2 a c1",
        "T22⁻¹ with +2 a s1, −2 a c1",
        "the printed result violates (20); the inverse is exact",
    ),
    Erratum(
        "X7", "(57)", "N", "U_tip,5", "U_tip,2 of (48)", "the sizes and (48) leave no other choice"
    ),
    Erratum(
        "X8",
        "(10)",
        "N",
        "said to state zero moments, but its moment block is the identity",
        "valid where the outboard body's output carries no moment and u3,2 is regular",
        "block row 3 of the outboard body times the hinge is identically zero",
    ),
    Erratum(
        "X9",
        "(10) in space",
        "I",
        "a slender rod, J' = diag(0, Jz, Jz), has a singular u3,2",
        "reduce to the plane first, or give the axial inertia",
        "the determinant of u3,2 vanishes identically",
    ),
    Erratum(
        "X10",
        "(46), (47)",
        "N",
        "nothing is said of a zero denominator",
        "P4 does not exist at cos(θ3 − θ5) = −2/3, which is no singularity of the motion",
        "the denominator is 2 + 3 cos(θ3 − θ5); the completed form has none",
    ),
    Erratum(
        "X11",
        "step (B2)",
        "I",
        "the reverse direction, without signs",
        "U⁻¹ = Σ U_rev Σ, Σ = diag(1, 1, −1, −1, 1), and the pinned split throughout",
        "the identity holds symbolically for the general body",
    ),
    Erratum(
        "X12",
        "step (A3)",
        "N",
        "rearranged by each element's known and unknown inputs",
        "one split for a whole chain, chosen by its tip",
        "the recursion (29), (30) passes the split on unchanged",
    ),
    Erratum(
        "X13",
        "(34)",
        "N",
        "a zero start",
        "e₁ = c for prescribed tip values c",
        "(21) at the tip",
    ),
    Erratum(
        "X14",
        "(19)",
        "N",
        "a product sign over i = 1 … n",
        "the ordered product U_n … U_1",
        "successive transfer of a chain, exact",
    ),
    Erratum(
        "X15",
        "(24)–(33)",
        "N",
        "q is a vector of the recursion and the cutting force; m is mass, moment and a count",
        "here p = P q, and the letters keep one meaning",
        "definition",
    ),
    Erratum(
        "X16",
        "(10)–(13)",
        "N",
        "the hinge is i in the text and j in the matrix",
        "hinge j, outboard body i",
        "definition",
    ),
    Erratum(
        "X17",
        "(41), (42)",
        "N",
        "z_aO,1 and z_a1,O; tip for the free end and for the chain's end at the multi-hinge",
        "one index order; tip for the free end",
        "definition",
    ),
    Erratum("X18", "(50)", "N", "a symbol is missing after “where”", "z_7,I1−I2", "size"),
    Erratum(
        "X19", "(54)", "N", "called a single equation", "three scalar equations", "its size, 3 × 7"
    ),
    Erratum(
        "X20",
        "(5)",
        "N",
        "the sign of m_C is not stated",
        "positive about positive axes, unlike m at an input",
        "moment balance: E9 contains −m_C",
    ),
    Erratum(
        "X21",
        "Sect. 5.1",
        "N",
        "g is not given; body 7's J' is called identical",
        "g is a parameter (9.81 m/s² by default); J' is about the rod end I₁",
        "u3,2 = m a²/3 needs it",
    ),
)


def marked(text: str) -> list[Erratum]:
    """The errata whose marks a text has."""
    marks = re.findall(r"X\d+", text)
    return [erratum for erratum in ERRATA if erratum.id in marks]
