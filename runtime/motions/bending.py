"""Beams that a motion bends beyond the theory that moves them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.polynomial import Polynomial

from ...model.checks.doubts import warn
from ...model.model import Model
from ...model.parts.bodies import Beam, beam_coordinates
from ..evaluation.arrays import Floats

#: The largest slope of a beam, rad, up to which its theory is trusted. A cantilever bent by a force
#: at its tip, against its elastica: deflections are 1 % too large at a slope of 0.149, and the
#: error grows with its square.
SLOPE, ERROR = 0.15, 0.01

#: Where along a beam slopes are looked at.
SECTIONS = np.linspace(0.0, 1.0, 65)


def see_bending(model: Model, q: Floats, given: Mapping[str, float]) -> None:
    """Warn of beams that are bent too far at any of the states, at these values of parameters.

    Shape
        `q` (states, nq).
    """
    for beam in model.beams:
        slope = largest_slope(model, beam, q, given)
        if slope > SLOPE:
            warn(
                f"{model.name}: beam {beam.name} is bent to a slope of {slope:.2g} rad, beyond "
                f"{SLOPE:g}, where a theory of second order in the deformation is wrong by "
                f"about {ERROR:.0%} of the deflection: by some "
                f"{min(1.0, ERROR * (slope / SLOPE) ** 2):.0%} here; divide it into several "
                "beams, each of which has axes of its own",
                cause=f"beam {beam.name}",
            )


def largest_slope(model: Model, beam: Beam, q: Floats, given: Mapping[str, float]) -> float:
    """How far a beam's sections turn against its frame at most, in radians."""
    return float(np.abs(slopes(model, beam, SECTIONS, q, given)).max(initial=0.0))


def slopes(
    model: Model, beam: Beam, sections: Floats, q: Floats, given: Mapping[str, float]
) -> Floats:
    """How far sections of a beam, at these parts of its length, turn against its frame.

    Shape
        `sections` (n), `q` (states, nq); (states, n).
    Units
        rad.
    """
    if not beam.bending_modes:
        return np.zeros((len(q), len(sections)))
    length = model.with_parameters(**given).value(beam.length)
    first = model.coordinates.index(beam_coordinates(beam)[beam.axial_modes])
    eta = q[:, first : first + beam.bending_modes]
    functions = (Polynomial([float(x) for x in row]) for row in beam.bending_functions)
    turned = np.array([function.deriv()(sections) for function in functions])
    return np.asarray(eta @ turned / length)
