"""The study of the deduction paper: its Figs. 11 and 14, and how modal coordinates converge."""

from __future__ import annotations

from ..studies.study import Part, Study
from .example1 import modes, pushed
from .example2 import ring

STUDY = Study(
    "deduction",
    "Overall transfer equations of a beam on springs and of a ring of plates",
    """
    Section 6 of the deduction paper, repeated with generated code. Our copy of the paper has the
    captions of Figs. 9 to 14 but neither curves nor drawings, nor those parameters that its figures
    hold; what is assumed stands in the models `example-1` and `example-2` (`mstmm models`). The
    claim can be repeated, the curves cannot be laid on one another: what the overall transfer
    equation gives is what Newton and Euler give by another way.
    """,
    (
        Part("beam", "Fig. 11: the beam's right end after a step force, and the loads", pushed),
        Part("modes", "how frequencies converge with the number of beam functions", modes),
        Part("ring", "Fig. 14: plate 1 of the closed loop, beside redundant coordinates", ring),
    ),
)
