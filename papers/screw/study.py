"""The study of the screw paper: what its recursions cost, and its geometric integrators."""

from __future__ import annotations

from ..studies.study import Part, Study
from .flights import flights
from .recursions import counts

STUDY = Study(
    "screw",
    "Recursions by screws, and integration that keeps the momentum",
    """
    The screw paper has no numerical example. It counts what its recursions need (in its Sects. 4.1
    to 4.3, "Computational effort") and says that an integration of spatial momenta (37) preserves
    them (Sects. 4.2 and 7, (89), (90)). Both are computed here: the recursions are run, with every
    transformation and bracket counted as it happens, and the integrators' order and drift measured.
    """,
    (
        Part("counts", "transforms and brackets of its recursions, and emitted operations", counts),
        Part("flights", "order, momentum and energy of the geometric integrators", flights),
    ),
)
