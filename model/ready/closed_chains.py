"""The divide-and-conquer paper's three test cases: equal links in closed loops, at rest.

The paper gives numbers of links and loops, m = 1 kg, l = 1 m, a moment of inertia of 1 kg m²
about the centre of mass, revolute joints, gravity, the start at rest and the symmetry of the
motion; its figure of the start is not in its text. Assumed here: boxes that are closed exactly,
symmetric about the line x = 0 and below their pivots, so that none has the energy to reach the
stretched, singular place. Hinge k carries link k; the cut hinges come after the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import sympy as sp

from ..expressions.quantities import parameter
from ..model import Model
from ..parts.bodies import Body, Point
from ..parts.hinges import Hinge
from .pieces import hinge

_ZERO = sp.Integer(0)
_m, _l, _J, _g = (parameter(name) for name in ("m", "l", "J", "g"))
_DOWN, _ALONG, _UP = -math.pi / 2, 0.0, math.pi / 2


def hdca_case_1() -> Model:
    """Four links in one loop: a box of three sides between pivots 2 l apart, `K` in the middle.

    Divide-and-conquer paper, Sect. 3.1, case 1. Assumed, for the paper's figure is lost: the
    joints start at (−1, 0), (−1, −1), (0, −1), (1, −1), (1, 0) m; the last is cut.
    """
    return _single(1, (_DOWN, _ALONG, _ALONG, _UP), 2)


def hdca_case_2() -> Model:
    """Eight links in one loop: a box of three sides between pivots 4 l apart, `K` in the middle.

    Divide-and-conquer paper, Sect. 3.1, case 2. Assumed, for the paper's figure is lost: the
    joints start at (−2, 0), (−2, −1), (−2, −2), (−1, −2) m and so on to (2, 0); the last is cut.
    """
    return _single(2, (_DOWN,) * 2 + (_ALONG,) * 4 + (_UP,) * 2, 4)


def hdca_case_3() -> Model:
    """Eight links in two loops: case 1, and a second such box hung on its lower corners.

    Divide-and-conquer paper, Sect. 3.1, case 3. Assumed, for the paper's figure is lost: links
    5 to 8 start at (−1, −1), (−1, −2), (0, −2), (1, −2) m and end at (1, −1), where link 8 meets
    link 4; that joint and link 4's pivot are cut.
    """
    upper, lower = (_DOWN, _ALONG, _ALONG, _UP), (_DOWN, _ALONG, _ALONG, _UP)
    links = [_link(k) for k in range(1, 9)]
    links[0] = _link(1, branch=_l)
    links[3] = _link(4, branch=_ZERO)
    hinges = [
        *_chain(1, 4, "0:first"),
        *_chain(5, 8, "1:branch"),
        hinge("9", "pin", "4:right", "0:last"),
        hinge("10", "pin", "8:right", "4:branch"),
    ]
    q0 = (*_relative(_ALONG, upper), *_relative(_DOWN, lower))
    return _model(3, links, hinges, q0, ("9", "10"), 2)


def _single(case: int, angles: Sequence[float], apart: int) -> Model:
    """One chain between two pivots."""
    n = len(angles)
    hinges = [*_chain(1, n, "0:first"), hinge(str(n + 1), "pin", f"{n}:right", "0:last")]
    links = [_link(k) for k in range(1, n + 1)]
    return _model(case, links, hinges, _relative(_ALONG, angles), (str(n + 1),), apart)


def _chain(first: int, last: int, root: str) -> list[Hinge]:
    """Pins of successive links, the first link's on `root`."""
    parents = [root, *(f"{k}:right" for k in range(first, last))]
    return [
        hinge(str(k), "pin", parent, f"{k}:left") for k, parent in enumerate(parents, start=first)
    ]


def _link(k: int, branch: sp.Expr | None = None) -> Body:
    """Along its first axis from its point `left` to `right`; `branch` holds one hinge more."""
    places = {"left": _ZERO, "right": _l}
    if branch is not None:
        places["branch"] = branch
    points = tuple(Point(name, (x, _ZERO)) for name, x in places.items())
    return Body(str(k), _m, _J, (_l / 2, _ZERO), points)


def _relative(base: float, angles: Sequence[float]) -> tuple[float, ...]:
    """Joint angles from the links' own."""
    return tuple(b - a for a, b in zip((base, *angles[:-1]), angles, strict=True))


def _model(
    case: int,
    links: Sequence[Body],
    hinges: Sequence[Hinge],
    q0: tuple[float, ...],
    cuts: tuple[str, ...],
    apart: int,
) -> Model:
    half = apart * _l / 2
    loops = "one loop" if len(cuts) == 1 else f"{len(cuts)} loops"
    return Model(
        name=f"hdca-case-{case}",
        dimension=2,
        bodies=tuple(links),
        hinges=tuple(hinges),
        gravity=(_ZERO, -_g),
        parameters={"m": 1.0, "l": 1.0, "J": 1.0, "g": 9.81},
        q0=q0,
        description=f"case {case} of the divide-and-conquer paper, {len(links)} links in {loops}; "
        "assumed: a symmetric box of links, level and upright at the start, below its pivots",
        absolute=False,
        cuts=cuts,
        ground=(Point("first", (-half, _ZERO)), Point("last", (half, _ZERO))),
    )
