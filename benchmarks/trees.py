"""Mechanisms as plain numbers, for libraries that read none of mstmm's models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: Kinds of hinge: a turn about the hinge frame's x, y or z, a ball, none that holds anything, or a
#: slide along z.
X, Y, Z, BALL, FREE, SLIDE = range(6)


@dataclass(frozen=True)
class Link:
    """A body and the hinge that it hangs on.

    `parent`: its place in the list, counted from 1, or 0 for the ground. `rotation`, `place`: of
    the hinge frame in the parent's hinge frame (m). `mass`, `centre`, `inertia` about the centre,
    in the hinge frame (kg, m, kg m²).
    """

    parent: int
    kind: int
    rotation: Floats
    place: Floats
    mass: float
    centre: Floats
    inertia: Floats


@dataclass(frozen=True)
class Tree:
    """Links, each after its parent; gravity (m/s²); and how its states stand to the case's.

    `state` turns the case's (q, v) and `forces` the forces of its drives into this tree's, `back`
    this tree's accelerations, and where it is a matter of order its forces, into the case's; all
    take (states, length). Quaternions are w, x, y, z; velocities in the child's axes.
    """

    links: tuple[Link, ...]
    gravity: Floats
    state: Callable[[Floats, Floats], tuple[Floats, Floats]]
    back: Callable[[Floats], Floats]
    forces: Callable[[Floats], Floats]

    @cached_property
    def numbers(self) -> Floats:
        """(links, 24) as the drivers take them, see drivers/tree.hpp."""
        rows = []
        for link in self.links:
            J = link.inertia
            shape = (J[0, 0], J[0, 1], J[1, 1], J[0, 2], J[1, 2], J[2, 2])
            fixed = (link.parent, link.kind, *link.rotation.ravel(), *link.place, link.mass)
            rows.append((*fixed, *link.centre, *shape))
        return np.array(rows, dtype=np.float64)

    @property
    def balls(self) -> bool:
        return any(link.kind == BALL for link in self.links)

    @property
    def free(self) -> bool:
        return any(link.kind == FREE for link in self.links)

    def mass_back(self, found: Floats) -> Floats:
        """Mass matrices in the tree's order of speeds, rows one after the other, in the case's."""
        n = round(found.shape[1] ** 0.5)
        for _ in range(2):  # once by its rows, then by its columns
            moved = self.back(found.reshape(-1, n)).reshape(-1, n, n)
            found = moved.swapaxes(1, 2).reshape(len(found), -1)
        return found


def same(array: Floats) -> Floats:
    return array


def together(q: Floats, v: Floats) -> tuple[Floats, Floats]:
    return q, v


def planar_rods(
    parents: list[int],
    places: list[float],
    centres: list[float],
    gravity: float,
    *,
    order: list[int],
    joint: bool = False,
) -> Tree:
    """Rods of 1 kg and 1 m in the plane, listed from the ground, about z.

    `parents` as of a link; `places`: of a rod's hinge along its parent; `centres`: of its centre
    of mass along itself. `order[k]`: where link k stands among the case's coordinates, which are
    absolute angles, or angles of the parent less those of the child (`joint`).
    """
    across = 1.0 / 12.0
    links = tuple(
        Link(
            parent,
            Z,
            np.eye(3),
            np.array([place, 0.0, 0.0]),
            1.0,
            np.array([centre, 0.0, 0.0]),
            np.diag([0.0, across, across]),
        )
        for parent, place, centre in zip(parents, places, centres, strict=True)
    )
    above = np.array(parents) - 1

    def relative(absolute: Floats) -> Floats:
        own = absolute[:, order]
        return own - np.where(above >= 0, own[:, above], 0.0)

    def absolute(relative: Floats) -> Floats:
        own = relative.copy()
        for k, parent in enumerate(above):
            if parent >= 0:
                own[:, k] += own[:, parent]
        found = np.empty_like(own)
        found[:, order] = own
        return found

    def turned(array: Floats) -> Floats:
        return -array[:, order]

    def turned_back(array: Floats) -> Floats:
        found = np.empty_like(array)
        found[:, order] = -array
        return found

    def carried(given: Floats) -> Floats:
        """Moments on rods as those of hinges: each hinge bears what acts on all rods beyond it."""
        own = given[:, order].copy()
        for k in range(len(above) - 1, -1, -1):
            if above[k] >= 0:
                own[:, above[k]] += own[:, k]
        return own

    inwards, outwards = (turned, turned_back) if joint else (relative, absolute)
    return Tree(
        links,
        np.array([0.0, -gravity, 0.0]),
        lambda q, v: (np.ascontiguousarray(inwards(q)), np.ascontiguousarray(inwards(v))),
        outwards,
        turned if joint else carried,
    )


def ball_rods(n: int, gravity: float) -> Tree:
    """Rods of 1 kg and 1 m in space, hung on balls; 1/12 kg m² across, 0.01 kg m² along."""
    inertia = np.diag([1 / 12, 1 / 12, 0.01])
    down = np.array([0.0, 0.0, -1.0])
    links = tuple(
        Link(k, BALL, np.eye(3), down * (k > 0), 1.0, down / 2, inertia) for k in range(n)
    )
    return Tree(links, np.array([0.0, 0.0, -gravity]), together, same, same)
