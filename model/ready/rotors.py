"""A ready-made rotor: an exact shaft that spins, with discs, on bearings."""

from __future__ import annotations

import sympy as sp

from ..expressions.quantities import Quantity, parameter
from ..model import Model
from ..parts.bodies import Beam, Body, End, Point
from ..parts.forces import Force
from ..parts.hinges import GROUND, Hinge
from .pieces import diagonal, hinge

_ROUND = (sp.Integer(0),) * 3

#: The spin.
_SPIN = parameter("W")


def ross_rotor() -> Model:
    """A steel shaft of 1.5 m and 50 mm with two discs, on two bearings; W is its spin.

    The first example of ROSS, a program for rotors by finite elements: discs of 32.6 kg at 0.5 and
    1 m, bearings of 1e6 N/m across along y and 8e5 N/m along z at both ends, Timoshenko's shaft.
    Nothing holds it along and about its axis. Springs of 1 m to the ground stand for the right
    bearing, of which only the first order counts.
    """
    E, G, rho, d, kappa = (parameter(x) for x in ("E", "G", "rho", "d", "kappa"))
    area, second = sp.pi * d**2 / 4, sp.pi * d**4 / 64
    length, k_y, k_z = parameter("L"), parameter("ky"), parameter("kz")
    places = {"left": sp.Integer(0), "one": length / 3, "two": 2 * length / 3, "right": length}
    shaft = Beam(
        "shaft",
        length,
        rho * area,
        E * area,
        (E * second, E * second),
        axial=0,
        bending=0,
        points=tuple(Point(name, (x, 0, 0)) for name, x in places.items()),
        shear_stiffness=(kappa * G * area,) * 2,
        rotary_inertia=(rho * second,) * 2,
        torsional_stiffness=2 * G * second,
        polar_inertia=2 * rho * second,
        spin=_SPIN,
    )
    m, across, along = (parameter(x) for x in ("m", "Jt", "Jp"))
    discs = tuple(_on_shaft(f"disc_{x}", m, across, along) for x in ("one", "two"))
    left = Hinge(
        "left",
        "elastic",
        (End(GROUND, "O"), End("shaft", "left")),
        stiffness=(0, k_y, k_z, 0, 0, 0),
    )
    return Model(
        name="ross-rotor",
        dimension=3,
        bodies=(shaft, *discs, _on_shaft("right", 0, 0, 0, spin=0)),
        hinges=(left, *(hinge(f"at_{x}", "fixed", f"shaft:{x}", f"{y}:at") for x, y in _SEATS)),
        gravity=_ROUND,
        parameters={
            **{"W": 0.0, "L": 1.5, "d": 0.05, "E": 211e9, "G": 81.2e9, "rho": 7810.0},
            **{"kappa": 0.886306356762812, "m": 32.58972765, "Jt": 0.17808928, "Jp": 0.32956362},
            **{"ky": 1e6, "kz": 8e5},
        },
        description="a spinning shaft with two discs on bearings, the first example of ROSS",
        absolute=False,
        ground=(Point("y", (length, 1, 0)), Point("z", (length, 0, 1))),
        forces=tuple(
            Force(f"right_{x}", (End(GROUND, x), End("right", "at")), stiffness=k, rest=1)
            for x, k in (("y", k_y), ("z", k_z))
        ),
    )


#: What is on the shaft where.
_SEATS = (("one", "disc_one"), ("two", "disc_two"), ("right", "right"))


def _on_shaft(
    name: str, mass: Quantity, across: Quantity, along: Quantity, spin: Quantity = _SPIN
) -> Body:
    inertia = diagonal(along, across, across)
    return Body(name, mass, inertia, _ROUND, (Point("at", _ROUND),), spin=spin)
