"""Beams of model files: stiffnesses and inertias per length, given or by material and section."""

from __future__ import annotations

from typing import Any

from ...errors import ModelError
from .profiles import SHAPES, THEORIES, elastic, profile
from .tables import BeamTable

#: What a beam must be given, or have a section for.
NEEDED = ("density", "axial_stiffness", "bending_stiffness")
#: What a section gives.
OF_SECTIONS = (
    *NEEDED,
    *("shear_stiffness", "rotary_inertia", "torsional_stiffness", "polar_inertia"),
)


def sectioned(dimension: int, table: BeamTable, where: str) -> dict[str, Any]:
    """What follows from the material and the section of a beam, if it has them.

    Raises
        ModelError: one of them is missing, or they are none.
    Source
        own
    """
    material, section = table.material, table.section
    if material is None or section is None:
        if material is None and section is None:
            return {}
        missing = "section" if section is None else "material"
        raise ModelError(
            "is missing: a beam has both material and section, or neither",
            field=f"{where}.{missing}",
        )
    if section.theory not in THEORIES:
        raise ModelError(
            f"must be {' or '.join(THEORIES)}, not {section.theory!r}",
            field=f"{where}.section.theory",
        )
    G, nu = elastic(material.E, material.G, material.nu, f"{where}.material")
    sizes = {x: getattr(section, x) for each in SHAPES.values() for x in each}
    given = {x: size for x, size in sizes.items() if size is not None}
    of = profile(section.shape, given, nu, f"{where}.section")
    rho, E, sheared = material.rho, material.E, section.theory == THEORIES[1]
    spatial = dimension == 3
    pairs = {
        "bending_stiffness": (E * of.Iy, E * of.Iz),
        "shear_stiffness": (of.kappa * G * of.area,) * 2 if sheared else (0, 0),
        "rotary_inertia": (rho * of.Iy, rho * of.Iz) if sheared else (0, 0),
    }
    found = {field: pair if spatial else pair[1] for field, pair in pairs.items()}
    if spatial:
        found |= {"torsional_stiffness": G * of.J, "polar_inertia": rho * (of.Iy + of.Iz)}
    return {"density": rho * of.area, "axial_stiffness": E * of.area, **found}
