"""A hanging chain of equal rods by its hinge forces, in mpmath: a block tridiagonal system.

Unknowns are the forces in the hinges alone; each condition says that the two rods of a hinge
give it the same acceleration. Linear in the number of rods, so that long chains can be judged
in any number of digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpmath import cos, eye, matrix, mpf, sin


def angular_accelerations(
    q: Sequence[float], v: Sequence[float], *, mass: float, half: float, gravity: float
) -> list[Any]:
    """θ̈ of rods of length 2·half from the free tip to the support; θ is measured from x."""
    m, a, count = mpf(mass), mpf(half), len(q)
    inertia = m * a**2 / 3
    along = [matrix([cos(mpf(x)), sin(mpf(x))]) for x in q]
    across = [matrix([-u[1], u[0]]) for u in along]
    pull = [mpf(w) ** 2 * a * u for w, u in zip(v, along, strict=True)]
    fall = matrix([0, -mpf(gravity)])

    def give(k: int, sign: int) -> Any:
        """How a rod's one end yields to a force at the same (+1) or at the other (−1) end."""
        return eye(2) / m + sign * a**2 / inertia * (across[k] * across[k].T)

    diagonal, right = [], []
    for k in range(count):
        block, value = give(k, 1), pull[k] - fall
        if k + 1 < count:
            block, value = block + give(k + 1, 1), value + fall + pull[k + 1]
        diagonal.append(block)
        right.append(value)
    for k in range(1, count):
        factor = -give(k, -1) * diagonal[k - 1] ** -1
        diagonal[k] = diagonal[k] + factor * give(k, -1)
        right[k] = right[k] - factor * right[k - 1]
    force = [matrix([0, 0])] * (count + 1)
    for k in reversed(range(count)):
        value = right[k] + (give(k + 1, -1) * force[k + 1] if k + 1 < count else 0 * right[k])
        force[k] = diagonal[k] ** -1 * value
    return [
        a / inertia * (across[k].T * (force[k] + (force[k - 1] if k else 0 * force[k])))[0]
        for k in range(count)
    ]
