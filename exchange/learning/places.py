"""Coordinates and speeds in any array library: quaternions, and places that turn with them.

Functions of arrays (…, n) that use sums, products and slices alone, and `join`, the library's
concatenation along the last axis. So each library differentiates them by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...model import Model

#: Arrays one after the other along their last axis.
Join = Callable[[Sequence[Any]], Any]

#: An array as one that its library does not differentiate.
Held = Callable[[Any], Any]

Parts = tuple[Any, ...]


def _split(x: Any) -> Parts:
    return tuple(x[..., k : k + 1] for k in range(x.shape[-1]))


def _cross(a: Parts, b: Parts) -> Parts:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def _turned(quaternion: Parts, x: Parts, back: bool) -> Parts:
    """A x, or Aᵀ x, by the unit quaternion (w, u) of A: x + 2 w u × x + 2 u × (u × x)."""
    w, *u = quaternion
    once = _cross(tuple(u), x)
    twice = _cross(tuple(u), once)
    sign = -1.0 if back else 1.0
    return tuple(x[k] + 2.0 * (sign * w * once[k] + twice[k]) for k in range(3))


def _product(a: Parts, b: Parts) -> Parts:
    """a ∘ (0, b) of a quaternion and a vector."""
    w, *u = a
    dot = u[0] * b[0] + u[1] * b[1] + u[2] * b[2]
    across = _cross(tuple(u), b)
    return (-dot, *(w * b[k] + across[k] for k in range(3)))


def unit(model: Model, q: Any, join: Join, held: Held = lambda x: x) -> Any:
    """The coordinates with quaternions of unit length; of length zero they are NaN."""
    if not model.quaternions:
        return q
    found, last = [], 0
    for first in model.quaternions:
        own = q[..., first : first + 4]
        own = own / held(abs(0.25 * own).sum(-1)[..., None])  # whose squares do not overflow
        length = (own * own).sum(-1)[..., None] ** 0.5
        found += [q[..., last:first], own / length]
        last = first + 4
    return join([*found, q[..., last:]])


def rates(model: Model, q: Any, v: Any, join: Join) -> Any:
    """The rates of the coordinates: of a quaternion Q ∘ (0, ω)/2, of a place A v.

    Source
        own
    """
    return _by_owner(model, q, v, join, lambda Q, w: [0.5 * x for x in _product(Q, w)])


def along_coordinates(model: Model, q: Any, cotangent: Any, join: Join) -> Any:
    """Derivatives along speeds as those by coordinates, Eᵀ g, see `along_speeds`.

    Of a function of unit quaternions that is extended constant along the ray.

    Source
        Own: of a quaternion 2 Q ∘ (0, g), of a place A g.
    """
    return _by_owner(model, q, cotangent, join, lambda Q, g: [2.0 * x for x in _product(Q, g)])


def along_speeds(model: Model, q: Any, change: Any, join: Join) -> Any:
    """A small change of the coordinates as one along each speed, E δq of `differences`.

    Source
        Own: of a quaternion the vector of 2 Q* ∘ δQ, of a place Aᵀ δx.
    """

    def turn(Q: Parts, dQ: Parts) -> list[Any]:
        (w, *u), (dw, *du) = Q, dQ
        across = _cross(tuple(u), tuple(du))
        return [2.0 * (w * du[k] - dw * u[k] - across[k]) for k in range(3)]

    return _by_owner(model, q, change, join, turn, back=True)


def _by_owner(
    model: Model,
    q: Any,
    x: Any,
    join: Join,
    turn: Callable[[Parts, Parts], list[Any]],
    back: bool = False,
) -> Any:
    """Of each owner its numbers in x, turned and moved if it has a quaternion; `back`: x is by
    coordinates and what is found by speeds, else the other way round."""
    if not model.quaternions:
        return x
    found: list[Any] = []
    coordinate = speed = 0
    for _, nq, nv in model.owners:
        first, count = (coordinate, nq) if back else (speed, nv)
        own = x[..., first : first + count]
        if nq == nv:
            found.append(own)
        else:
            Q = _split(q[..., coordinate + nq - 4 : coordinate + nq])
            moves, parts = nv == 6, _split(own)
            found += _turned(Q, parts[:3], back) if moves else ()
            found += turn(Q, parts[3 * moves :])
        coordinate, speed = coordinate + nq, speed + nv
    return join(found)
