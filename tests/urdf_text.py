"""URDF texts written by hand or by chance."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

Numbers = Sequence[float]


def words(numbers: Numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def link(
    name: str,
    mass: float = 1.0,
    inertia: Numbers = (0.02, 0.0, 0.0, 0.03, 0.0, 0.04),
    xyz: Numbers = (0.0, 0.0, 0.0),
    rpy: Numbers = (0.0, 0.0, 0.0),
) -> str:
    """A link; `inertia` lists xx, xy, xz, yy, yz, zz."""
    pairs = zip(("xx", "xy", "xz", "yy", "yz", "zz"), inertia, strict=True)
    entries = " ".join(f'i{axes}="{float(value)!r}"' for axes, value in pairs)
    return (
        f'<link name="{name}"><visual><geometry><mesh filename="no/such.stl"/></geometry></visual>'
        f'<inertial><origin xyz="{words(xyz)}" rpy="{words(rpy)}"/><mass value="{mass!r}"/>'
        f"<inertia {entries}/></inertial></link>"
    )


def joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    xyz: Numbers = (0.0, 0.0, 0.0),
    rpy: Numbers = (0.0, 0.0, 0.0),
    axis: Numbers = (0.0, 0.0, 1.0),
    more: str = "",
) -> str:
    """A joint, with wide limits where the specification asks for some and `more` has none."""
    if "<limit" not in more and kind in ("revolute", "prismatic"):
        more += '<limit lower="-9" upper="9" effort="9" velocity="9"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{words(xyz)}" rpy="{words(rpy)}"/><axis xyz="{words(axis)}"/>{more}</joint>'
    )


def robot(*parts: str, name: str = "tiny") -> str:
    return f'<?xml version="1.0"?>\n<robot name="{name}">{"".join(parts)}</robot>'


def random_link(rng: Random, name: str) -> str:
    """Five mass points make an inertia that a body can have."""
    points = [(rng.uniform(0.1, 1), *(rng.uniform(-0.3, 0.3) for _ in "xyz")) for _ in range(5)]

    def moment(i: int, j: int) -> float:
        square = sum(m * (x * x + y * y + z * z) for m, x, y, z in points) if i == j else 0.0
        return square - sum(p[0] * p[1 + i] * p[1 + j] for p in points)

    inertia = [moment(i, j) for i in range(3) for j in range(i, 3)]
    return link(name, rng.uniform(0.5, 3), inertia, **_place(rng))


def _place(rng: Random) -> dict[str, Any]:
    """An origin: three times in ten by right angles, as in most files."""
    right = rng.random() < 0.3
    rpy = [rng.choice((-1, 0, 1, 2)) * 1.5707963267948966 for _ in "rpy"]
    return {
        "xyz": [rng.uniform(-0.5, 0.5) for _ in "xyz"],
        "rpy": rpy if right else [rng.uniform(-3, 3) for _ in "rpy"],
    }


def random_robot(rng: Random, count: int, kinds: Sequence[str], *, root_mass: bool) -> str:
    """A tree of links l0, l1, … and joints j1, j2, …; a root without mass has one joint."""
    parts = [random_link(rng, "l0") if root_mass else '<link name="l0"/>']
    for number in range(1, count + 1):
        kind = rng.choice(kinds) if number > 1 else next(k for k in kinds if k != "fixed")
        parent = rng.randrange(0 if root_mass else 1, number) if number > 1 else 0
        axis = (0.0, 0.0, 1.0)  # the only one of a planar joint that all readers know
        if kind not in ("planar", "floating"):
            axis = rng.choice([axis, (-1, 0, 0), (0, 1, 0), [rng.uniform(-1, 1) for _ in "xyz"]])
        parts.append(random_link(rng, f"l{number}"))
        parts.append(
            joint(f"j{number}", kind, f"l{parent}", f"l{number}", axis=axis, **_place(rng))
        )
    return robot(*parts)
