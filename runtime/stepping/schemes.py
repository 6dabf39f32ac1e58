"""The methods of integration in floats: their coefficients, and what their increments mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...codegen.tableaus import KEPT, METHODS, RADAU_IIA, Collocation, Method
from ..evaluation.arrays import Floats


@dataclass(frozen=True)
class Scheme:
    """A method as arrays; see `codegen.tableaus`, of which it is the numbers.

    One that is implicit has what it keeps in the place of stages: the first rates, what moves its
    three stages by h, the error, and the accelerations with which the step before ended.
    """

    stages: int
    curved: bool
    staggered: bool
    adaptive: bool
    implicit: bool
    a: tuple[Floats, ...]
    b: Floats
    c: Floats
    error: Floats
    dense: Floats


def _scheme(method: Method) -> Scheme:
    of = method.tableau
    kind = method.curved, method.staggered, method.adaptive, method.implicit
    if isinstance(of, Collocation):
        c, error = ([first, *map(float, row)] for first, row in ((0.0, of.c), (1.0, of.error)))
        end = np.array([0.0, 0.0, 0.0, 1.0])
        return Scheme(KEPT, *kind, (), end, np.array(c), np.array(error), np.array([]))
    rows = tuple(_floats(row) for row in of.a)
    return Scheme(of.stages, *kind, rows, *map(_floats, (of.b, of.c, of.error, of.dense)))


def _floats(row: tuple[object, ...]) -> Floats:
    return np.array(row, dtype=np.float64)


#: The methods in the order of their numbers.
SCHEMES = tuple(map(_scheme, METHODS))

INVERSE = np.array(RADAU_IIA.inverse, dtype=np.float64)
TRANSFORM, BACK = np.array(RADAU_IIA.transform), np.array(RADAU_IIA.back)
EIGENVALUE, PAIR = RADAU_IIA.eigenvalues[0], complex(*RADAU_IIA.eigenvalues[1:])
