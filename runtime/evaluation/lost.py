"""Which loops are in a singular position: those through which a self-stress goes there alone.

Conditions depend on each other where Jᵀ ν = 0. What of such ν is found in the position, and not
beside it, names the cut hinges whose conditions have lost their independence; loops of which some
are redundant everywhere are not named for that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model import Model
from ...model.expressions.quantities import shorten
from .arrays import Floats

#: Singular values of J below this part of the largest are none.
NONE = 1e-7

#: In the position the least of those that count beside it is less than this part of it.
LESS = 0.5

#: Conditions have a part in a self-stress if it is more than this of the largest.
SHARE = 0.2


#: Of conditions, each divided by its largest slope, singular values up to this part of the largest
#: are none: the root of what is taken for zero of Λ.
FLAT = 1e-5


def independent(slopes: Floats) -> int:
    """How many conditions are of their own by their slopes J, rows divided as for `loops_lost`."""
    largest = np.abs(slopes).max(axis=1, keepdims=True)
    rows = slopes / np.where(largest > FLAT, largest, np.inf)
    sizes = np.linalg.svd(rows, compute_uv=False)
    return int((sizes > FLAT * sizes.max(initial=0.0)).sum())


def loops_lost(model: Model, names: Sequence[str], here: Floats, beside: Floats) -> str:
    """The loops, as words behind "the loops"; empty where none is told from the others.

    `here` and `beside` are J at both places, each row divided by what its condition is judged by;
    `names` those of the conditions.
    """
    left, sizes, _ = np.linalg.svd(here)
    other, beyond, _ = np.linalg.svd(beside)
    rank = int((beyond > NONE * beyond.max(initial=0.0)).sum())
    if not rank or sizes[rank - 1] > LESS * beyond[rank - 1]:
        return ""
    found = left[:, rank - 1 :]
    found = found - other[:, rank:] @ (other[:, rank:].T @ found)
    shares = np.abs(np.linalg.svd(found)[0][:, 0])
    hinges = dict.fromkeys(
        hinge_of(model, name)
        for name, share in zip(names, shares, strict=True)
        if share > SHARE * shares.max()
    )
    return f" through {shorten([*hinges])}"


def hinge_of(model: Model, condition: str) -> str:
    """The cut hinge that a condition is of, or the one that follows another."""
    name, _, number = condition.rpartition("_")
    return name if number.isdigit() and name in model.cuts else condition
