"""Is what a page shows what is emitted? The steps as they are shown against the program itself."""

from __future__ import annotations

from ...model.expressions.quantities import shorten, told
from ...symbolic.derivation.specialised import judge
from ...symbolic.language.program import Program
from ...symbolic.language.special import Special
from ..documents.document import Block, Prose


def as_emitted(special: Special, program: Program) -> Block:
    """What is left out and put together is judged at random numbers, exactly.

    Source
        own
    """
    verdict = judge(special, program)
    if verdict.wrong:
        return Prose(f"The steps above are not what is emitted: {verdict.wrong[0]}.", "bad")
    words = (
        "The steps above are what is emitted: "
        f"{told(verdict.formulas, 'formula')} of kinds that differ, and {verdict.equations} "
        "equations read back from their text, are equal to the program that becomes code, at "
        "random numbers modulo the prime 2⁶¹ − 1; what is left out as zero is zero there."
    )
    if verdict.complex:
        words += (
            f" Of complex numbers {told(verdict.complex, 'equation')} more were judged by real and "
            "imaginary parts alone, not read back."
        )
    if verdict.untried:
        words += f" Without a solution there, and not tried: {shorten(verdict.untried, 4)}."
    return Prose(words, "good")
