"""What a spinning cantilever does by theory and by finite elements, in the plane of its spin."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

Array = Any


def southwell() -> float:
    """S₁ of a uniform cantilever at the axis: ∫ T φ'² / ∫ φ² with the tension T = (1 − ξ²)/2.

    φ is the first mode of the cantilever at rest, of which cos β cosh β = −1. Across the plane of
    the spin ω² = ω₀² + S₁ Ω²; in it the section's centrifugal force takes 1 from S₁.
    """
    beta = scipy.optimize.brentq(lambda b: np.cos(b) * np.cosh(b) + 1, 1.5, 2.0)
    c = (np.cosh(beta) + np.cos(beta)) / (np.sinh(beta) + np.sin(beta))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    x = (nodes + 1) / 2
    b = beta * x
    shape = np.cosh(b) - np.cos(b) - c * (np.sinh(b) - np.sin(b))
    slope = beta * (np.sinh(b) + np.sin(b) - c * (np.cosh(b) - np.cos(b)))
    return float(weights @ ((1 - x**2) / 2 * slope**2) / (weights @ shape**2))


def spinning_frequencies(
    length: float, density: float, EI: float, spin: float, elements: int = 40
) -> Array:
    """Of a cantilever at the axis of its spin, by Hermite's cubic beams under tension."""
    h = length / elements
    nodes, weights = np.polynomial.legendre.leggauss(5)
    size = 2 * (elements + 1)
    K, M = np.zeros((size, size)), np.zeros((size, size))
    for e in range(elements):
        own = slice(2 * e, 2 * e + 4)
        for node, weight in zip(nodes, weights, strict=True):
            s = (node + 1) / 2
            x = h * (e + s)
            third = 3 * s**2 - 2 * s**3
            shape = np.array([1 - third, h * (s - 2 * s**2 + s**3), third, h * (s**3 - s**2)])
            slope = np.array(
                [6 * (s**2 - s) / h, 1 - 4 * s + 3 * s**2, 6 * (s - s**2) / h, 3 * s**2 - 2 * s]
            )
            bend = np.array([12 * s - 6, h * (6 * s - 4), 6 - 12 * s, h * (6 * s - 2)]) / h**2
            tension = density * spin**2 * (length**2 - x**2) / 2
            w = weight * h / 2
            inertia = w * density * np.outer(shape, shape)
            M[own, own] += inertia
            K[own, own] += w * (EI * np.outer(bend, bend) + tension * np.outer(slope, slope))
            K[own, own] -= spin**2 * inertia
    squares = np.linalg.eigvals(np.linalg.solve(M[2:, 2:], K[2:, 2:])).real
    return np.sqrt(np.sort(squares))
