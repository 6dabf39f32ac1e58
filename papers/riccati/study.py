"""The study of the Riccati paper: its Fig. 4 and Table 1, and what the plain product loses."""

from __future__ import annotations

from ..studies.study import Part, Study
from .branches import motion, times
from .product import digits

STUDY = Study(
    "riccati",
    "Long chains by the Riccati transfer matrix method",
    """
    Section 5.2 of the Riccati paper, repeated with generated code. Our copy of the paper has the
    captions of Fig. 4 and Table 1 but neither the curves nor the numbers; what its text says is
    repeated: N = 999 is 500 bodies, both methods agree, the Riccati method takes a 36th of the
    time of ADAMS, which sets up redundant coordinates, and its time grows linearly. The layout
    that the text leaves open is that of the model `branch-system`; g = 9.81 m/s².
    """,
    (
        Part("motion", "Fig. 4: angles of three bodies of the branch system, N = 999", motion),
        Part("times", "Table 1: time over N, beside redundant coordinates and others", times),
        Part("digits", "digits that the plain product of transfer matrices loses", digits),
    ),
)
