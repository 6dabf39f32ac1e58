"""Sections of beams by their shapes: areas, second moments, torsion and shear."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import ModelError
from ..parts.naming import nearest

#: The sizes that each shape has, m; a tube's are its outer and inner diameter.
SHAPES = {
    "rectangle": ("height", "width"),
    "circle": ("diameter",),
    "tube": ("diameter", "inner"),
}
#: Of bending; the second with shear and rotary inertia.
THEORIES = ("euler-bernoulli", "timoshenko")
#: Terms of the series of a rectangle's torsion constant: the last one is below 1e-9 of it.
TERMS = 30


@dataclass(frozen=True)
class Profile:
    """A section: its area, second moments about its axes, torsion constant and shear factor.

    Units
        m², m⁴.
    """

    area: float
    Iy: float
    Iz: float
    J: float
    kappa: float


def elastic(E: float, G: float | None, nu: float | None, where: str) -> tuple[float, float]:
    """G and Poisson's ratio, of which one is given, or neither: then the ratio is 0.3.

    Raises
        ModelError: both are given, or a number is none that a material has.
    """
    if G is not None and nu is not None:
        raise ModelError("give G or nu: one follows from the other", field=f"{where}.nu")
    ratio = 0.3 if nu is None else nu
    shear = E / (2 * (1 + ratio)) if G is None else G
    for name, modulus in (("E", E), ("G", shear)):
        if not 0 < modulus < math.inf:
            raise ModelError(f"must be positive, is {modulus:g} N/m²", field=f"{where}.{name}")
    return shear, E / (2 * shear) - 1


def profile(shape: str, sizes: Mapping[str, float], nu: float, where: str) -> Profile:
    """The profile of a shape by its sizes, `nu` being Poisson's ratio.

    A rectangle's height is along the second axis of the beam, in the plane that of bending, and
    its width along the third.

    Source
        Saint-Venant's torsion of rectangles; shear factors: Cowper 1966.
    Raises
        ModelError: there is no such shape, or its sizes are not those of one.
    """
    if shape not in SHAPES:
        raise ModelError(
            f"{shape!r} is no shape{nearest(shape, SHAPES)}; there is: {', '.join(SHAPES)}",
            field=f"{where}.shape",
        )
    wanted = SHAPES[shape]
    for name in dict.fromkeys((*wanted, *sizes)):
        if (name in sizes) != (name in wanted):
            said = "is missing" if name in wanted else "is no size of this"
            raise ModelError(
                f"{said}: a {shape} has {' and '.join(wanted)} (m)", field=f"{where}.{name}"
            )
        if not sizes[name] > 0:
            raise ModelError(f"must be positive, is {sizes[name]:g} m", field=f"{where}.{name}")
    if shape == "rectangle":
        h, w = sizes["height"], sizes["width"]
        kappa = 10 * (1 + nu) / (12 + 11 * nu)
        return Profile(h * w, h * w**3 / 12, w * h**3 / 12, _torsion(h, w), kappa)
    d, inner = sizes["diameter"], sizes.get("inner", 0.0)
    if inner >= d:
        raise ModelError(
            f"must be less than the diameter, is {inner:g} m of {d:g} m", field=f"{where}.inner"
        )
    square = (inner / d) ** 2
    I = math.pi * (d**4 - inner**4) / 64  # noqa: E741
    ring = (1 + square) ** 2
    kappa = 6 * (1 + nu) * ring / ((7 + 6 * nu) * ring + (20 + 12 * nu) * square)
    return Profile(math.pi * (d**2 - inner**2) / 4, I, I, 2 * I, kappa)


def _torsion(height: float, width: float) -> float:
    """The torsion constant of a rectangle."""
    long, short = max(height, width), min(height, width)
    terms = (math.tanh(n * math.pi * long / (2 * short)) / n**5 for n in range(1, 2 * TERMS, 2))
    return long * short**3 * (1 / 3 - 64 * short / (math.pi**5 * long) * sum(terms))
