"""Ready-made models that vibrate: discs on shafts, and frames and an arm of exact beams.

All are at rest without gravity. Beams have no shape functions: only `linear` takes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import sympy as sp

from ..expressions.quantities import Matrix, Quantity, hinge_symbol, parameter
from ..model import Model
from ..parts.bodies import Beam, Body, Point
from ..parts.hinges import Hinge, Mimic
from .pieces import diagonal, hinge

_ZERO = sp.Integer(0)
_FLAT, _ROUND = (_ZERO,) * 2, (_ZERO,) * 3

#: The section of all beams: EA, EI and mass per length.
_SECTION = {"EA": 1000.0, "EI": 1.0, "mu": 1.0}


def _sprung(name: str, kind: str, parent: str, child: str, *stiffness: Quantity) -> Hinge:
    """A hinge with a spring about its axis, or without."""
    made = hinge(name, kind, parent, child)
    potential = sum((k * hinge_symbol("q", 1) ** 2 / 2 for k in stiffness), _ZERO)
    return Hinge(made.name, made.kind, made.ends, potential=potential)


def _disc(name: str, inertia: Quantity, *places: Quantity) -> Body:
    """A thin disc of 1 kg about the third axis, with points along it: `O`, `A`, …"""
    points = tuple(Point(x, (0, 0, z)) for x, z in zip("OABC", (0, *places), strict=False))
    return Body(name, 1, diagonal(inertia / 2, inertia / 2, inertia), _ROUND, points)


def holzer_train() -> Model:
    """Four discs on a shaft without mass, which turns freely: 1.2, 0.8, 0.5 and 2 kg m².

    The worked example of books on torsional vibrations, after Holzer (1921); stiffnesses of the
    shaft between discs 1000, 1500 and 800 N m/rad. It starts as if the second disc, and those
    behind it, were struck: at 1 rad/s.
    """
    parts = range(1, 5)
    discs = tuple(_disc(f"disc{k}", parameter(f"J{k}"), 1) for k in parts)
    shafts = tuple(
        _sprung(f"shaft{k}", "revolute", f"disc{k}:A", f"disc{k + 1}:O", parameter(f"k{k}"))
        for k in parts[:-1]
    )
    return Model(
        name="holzer-train",
        dimension=3,
        bodies=discs,
        hinges=(hinge("bearing", "revolute", "0:O", "disc1:O"), *shafts),
        gravity=_ROUND,
        parameters={
            **{f"J{k}": x for k, x in zip(parts, (1.2, 0.8, 0.5, 2.0), strict=True)},
            **{"k1": 1000.0, "k2": 1500.0, "k3": 800.0},
        },
        v0=(0.0, 1.0, 0.0, 0.0),
        description="four discs on a shaft without mass that turns freely; torsional vibrations",
        absolute=False,
    )


def geared_shafts() -> Model:
    """A wheel that drives two pinions, a shaft without mass on each, and a disc on every shaft.

    The branched train of books on torsional vibrations: pinions turn −2.5 and −1.5 times as fast as
    the wheel. Discs of 1.2, 0.5 and 0.9 kg m² on shafts of 1000, 300 and 700 N m/rad; wheel 0.8,
    pinions 0.05 and 0.02 kg m². It starts as if the first disc were struck: at 1 rad/s.
    """
    radius = sp.Rational(1, 4)
    axles = {"one": ("n1", (1, 0)), "two": ("n2", (0, 1))}
    bodies, hinges = (
        [_disc("wheel", parameter("Jw"), 1)],
        [hinge("axle", "revolute", "0:O", "wheel:O")],
    )
    ground, shafts = [], [("driver", "wheel", "J0", "k0")]
    for k, (name, (ratio, way)) in enumerate(axles.items(), start=1):
        n = parameter(ratio)
        ground.append(Point(name, (*(x * radius * (1 - 1 / n) for x in way), 0)))
        bodies.append(_disc(f"pinion_{name}", parameter(f"Jp{k}"), 1))
        axle = hinge(f"mesh_{name}", "revolute", f"0:{name}", f"pinion_{name}:O")
        hinges.append(replace(axle, mimic=Mimic("axle", n)))
        shafts.append((f"driven_{name}", f"pinion_{name}", f"J{k}", f"k{k}"))
    for name, gear, inertia, stiffness in shafts:
        bodies.append(_disc(name, parameter(inertia)))
        spring = parameter(stiffness)
        hinges.append(_sprung(f"to_{name}", "revolute", f"{gear}:A", f"{name}:O", spring))
    return Model(
        name="geared-shafts",
        dimension=3,
        bodies=tuple(bodies),
        hinges=tuple(hinges),
        gravity=_ROUND,
        parameters={
            **{"n1": -2.5, "n2": -1.5, "Jw": 0.8, "Jp1": 0.05, "Jp2": 0.02},
            **{"J0": 1.2, "J1": 0.5, "J2": 0.9, "k0": 1000.0, "k1": 300.0, "k2": 700.0},
        },
        v0=(0.0, 1.0, 0.0, 0.0),
        ground=tuple(ground),
        description="a wheel that drives two pinions, with a disc on each shaft; geared hinges",
        absolute=False,
    )


def portal_frame() -> Model:
    """Two columns of 1 m and a beam of 1.4 m across, clamped at both feet, in the plane.

    All of EA = 1000 N, EI = 1 N m² and 1 kg/m; the right foot is cut.
    """
    right = sp.pi / 2
    return Model(
        name="portal-frame",
        dimension=2,
        bodies=(
            _beam("left", parameter("h")),
            _beam("across", parameter("b"), root=right),
            _beam("right", parameter("h"), root=right),
        ),
        hinges=(
            hinge("foot1", "fixed", "0:left", "left:root"),
            hinge("corner1", "fixed", "left:tip", "across:root"),
            hinge("corner2", "fixed", "across:tip", "right:root"),
            hinge("foot2", "fixed", "0:right", "right:tip"),
        ),
        gravity=_FLAT,
        parameters={"h": 1.0, "b": 1.4, **_SECTION},
        description="two columns and a beam across, clamped at both feet; exact beams",
        absolute=False,
        ground=(
            Point("left", _FLAT, right),
            Point("right", (parameter("b"), _ZERO), -right),
        ),
        cuts=("foot2",),
    )


def _beam(name: str, length: Quantity, **axes: Quantity) -> Beam:
    """A planar beam from `root` to `tip`, whose points may have axes of their own."""
    ends = ("root", (_ZERO, _ZERO)), ("tip", (length, _ZERO))
    points = tuple(Point(x, place, axes.get(x)) for x, place in ends)
    EA, EI, mu = (parameter(x) for x in _SECTION)
    return Beam(name, length, mu, EA, EI, axial=0, bending=0, points=points)


def spatial_frame() -> Model:
    """Three beams on end through (0, 0, 1) and (0.8, 0.3, 1.2) to (0.8, 0.9, 0.4) m, with a head.

    Clamped at the origin; EA = 1000 N, GJ = 0.7, EI = 1 and 2.3 N m², 1 kg/m; the third axis of
    the first beam is towards x, those of the others upwards.
    """
    places = [np.array(x) for x in ([0, 0, 0], [0, 0, 1], [0.8, 0.3, 1.2], [0.8, 0.9, 0.4])]
    bodies, hinges, before = list[Beam | Body](), list[Hinge](), np.eye(3)
    last = "0:O"
    for k, towards in enumerate(([1, 0, 0], [0, 0, 1], [0, 0, 1])):
        way = places[k + 1] - places[k]
        own = _along(way, towards)
        length, name = float(np.linalg.norm(way)), f"beam{k + 1}"
        bodies.append(_spatial(name, length, _rows(own.T @ before)))
        hinges.append(hinge(f"joint{k + 1}", "fixed", last, f"{name}:root"))
        last, before = f"{name}:tip", own
    head = Point("neck", _ROUND, _rows(before))
    bodies.append(Body("head", parameter("m"), diagonal(0.01, 0.02, 0.015), _ROUND, (head,)))
    return Model(
        name="spatial-frame",
        dimension=3,
        bodies=tuple(bodies),
        hinges=(*hinges, hinge("neck", "fixed", last, "head:neck")),
        gravity=_ROUND,
        parameters={"m": 0.3, **_SECTION, "EI2": 2.3, "GJ": 0.7, "rhoJ": 0.01},
        description="three beams in space on end, clamped, with a head; exact beams",
        absolute=False,
    )


def _spatial(name: str, length: float, root: Matrix) -> Beam:
    points = Point("root", _ROUND, root), Point("tip", (length, 0, 0))
    EA, EI, mu = (parameter(x) for x in _SECTION)
    return Beam(
        name,
        length,
        mu,
        EA,
        (EI, parameter("EI2")),
        axial=0,
        bending=0,
        points=points,
        torsional_stiffness=parameter("GJ"),
        polar_inertia=parameter("rhoJ"),
    )


def _along(way: np.ndarray, towards: Sequence[float]) -> np.ndarray:
    """Axes of which the first has this way, the third as near to `towards` as it can be."""
    x = way / np.linalg.norm(way)
    z = np.array(towards) - np.dot(towards, x) * x
    z /= np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def _rows(axes: np.ndarray) -> Matrix:
    a, b, c = (tuple(row) for row in axes.tolist())
    return a, b, c


def flexible_arm() -> Model:
    """A robot's arm of two flexible links, 1 and 0.8 m, with springs in its joints.

    Held at 0.9 rad in the elbow. Hubs at shoulder and elbow, a load at the tip; EA = 1000 N,
    EI = 1 N m², 1 kg/m; springs of 300 and 80 N m/rad.
    """
    q = hinge_symbol("q", 1)
    k, at = parameter("k2"), parameter("bend")
    elbow = hinge("elbow", "pin", "hub2:axle", "fore:root")
    return Model(
        name="flexible-arm",
        dimension=2,
        bodies=(
            _hub("hub1", 0, "J", "axle", "out"),
            _beam("upper", parameter("l1")),
            _hub("hub2", parameter("m2"), "J", "in", "axle"),
            _beam("fore", parameter("l2")),
            _hub("load", parameter("m3"), "J3", "in"),
        ),
        hinges=(
            _sprung("shoulder", "pin", "0:O", "hub1:axle", parameter("k1")),
            hinge("upper1", "fixed", "hub1:out", "upper:root"),
            hinge("upper2", "fixed", "upper:tip", "hub2:in"),
            Hinge(elbow.name, elbow.kind, elbow.ends, potential=k * (q - at) ** 2 / 2),
            hinge("fore2", "fixed", "fore:tip", "load:in"),
        ),
        gravity=_FLAT,
        parameters={
            **{"l1": 1.0, "l2": 0.8, "J": 0.02, "m2": 0.5, "m3": 0.4, "J3": 0.01},
            **{"k1": 300.0, "k2": 80.0, "bend": 0.9, **_SECTION},
        },
        q0=(0.0, 0.9),
        description="a robot's arm of two flexible links on springs; exact beams",
        absolute=False,
    )


def _hub(name: str, mass: Quantity, inertia: str, *points: str) -> Body:
    return Body(name, mass, parameter(inertia), _FLAT, tuple(Point(x, _FLAT) for x in points))
