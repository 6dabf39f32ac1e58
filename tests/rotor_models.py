"""The rotor of case 16, as the text of a model file: its shaft in one beam, two discs, bearings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

#: A body at a point of the shaft.
AT = """
[bodies.{name}]
mass = {mass}
inertia = {inertia}
spin = "{spin}"
[bodies.{name}.points.at]
[hinges.{name}]
kind = "fixed"
parent = "shaft:{point}"
child = "{name}:at"
"""

SPRING = """
[ground.points.{name}]
position = {position}
[forces.{name}]
between = ["ground:{name}", "right:at"]
stiffness = {stiffness}
rest = 1.0
"""


def rotor_text(case: Mapping[str, Any]) -> str:
    """A parameter W is the spin. The left bearing holds the axis, too, so that nothing is free."""
    d, E, G, rho = (case[x] for x in ("d", "E", "G", "rho"))
    A, I, L = math.pi * d**2 / 4, math.pi * d**4 / 64, sum(case["segments"])  # noqa: E741
    places = {"left": 0.0, "one": 0.5, "two": 1.0, "right": L}
    (_, kx, ky), (_, _, _) = case["bearings"]
    text = f"""
name = "rotor"
dimension = 3
gravity = [0, 0, 0]
[parameters]
W = 0.0
[ground.points.left]
[beams.shaft]
length = {L}
density = {rho * A!r}
axial_stiffness = {E * A!r}
bending_stiffness = [{E * I!r}, {E * I!r}]
shear_stiffness = [{case["kappa"] * G * A!r}, {case["kappa"] * G * A!r}]
rotary_inertia = [{rho * I!r}, {rho * I!r}]
torsional_stiffness = {2 * G * I!r}
polar_inertia = {2 * rho * I!r}
spin = "W"
"""
    text += "".join(f"[beams.shaft.points.{name}]\nx = {x}\n" for name, x in places.items())
    for point, (_, m, across, along) in zip(("one", "two"), case["discs"], strict=True):
        inertia = [along, across, across, 0, 0, 0]
        text += AT.format(name=f"disc_{point}", mass=m, inertia=inertia, spin="W", point=point)
    text += f"""
[hinges.left]
kind = "free"
parent = "ground:left"
child = "shaft:left"
force = ["-1e5*q1", "{-kx!r}*q2", "{-ky!r}*q3", "-1e3*u4", 0, 0]
"""
    text += AT.format(name="right", mass=0, inertia=[0] * 6, spin="0", point="right")
    for name, k, at in (("y", kx, [L, 1, 0]), ("z", ky, [L, 0, 1])):
        text += SPRING.format(name=f"right_{name}", position=at, stiffness=k)
    return text
