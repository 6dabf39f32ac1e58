"""Small motions of a cantilever by finite elements: bars and Hermite's cubic beams."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def cantilever_frequencies(
    length: float,
    density: float,
    EA: float,
    EI: float,
    tip: tuple[float, float],
    elements: int,
) -> Array:
    """All frequencies (rad/s) of a beam clamped at one end, mass and inertia at the other."""
    h = length / elements
    bar_k = EA / h * np.array([[1, -1], [-1, 1]])
    bar_m = density * h / 6 * np.array([[2, 1], [1, 2]])
    beam_k = (EI / h**3) * np.array(
        [
            [12, 6 * h, -12, 6 * h],
            [6 * h, 4 * h**2, -6 * h, 2 * h**2],
            [-12, -6 * h, 12, -6 * h],
            [6 * h, 2 * h**2, -6 * h, 4 * h**2],
        ]
    )
    beam_m = (density * h / 420) * np.array(
        [
            [156, 22 * h, 54, -13 * h],
            [22 * h, 4 * h**2, 13 * h, -3 * h**2],
            [54, 13 * h, 156, -22 * h],
            [-13 * h, -3 * h**2, -22 * h, 4 * h**2],
        ]
    )
    found = []
    for k, m, width, at_tip in (
        (bar_k, bar_m, 1, [tip[0]]),
        (beam_k, beam_m, 2, [tip[0], tip[1]]),
    ):
        size = width * (elements + 1)
        K, M = np.zeros((size, size)), np.zeros((size, size))
        for e in range(elements):
            own = slice(width * e, width * (e + 2))
            K[own, own] += k
            M[own, own] += m
        for j, inertia in enumerate(at_tip):
            M[size - width + j, size - width + j] += inertia
        free = slice(width, size)
        squares = np.linalg.eigvals(np.linalg.solve(M[free, free], K[free, free]))
        found.append(np.sqrt(squares.real))
    return np.sort(np.concatenate(found))
