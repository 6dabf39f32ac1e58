"""Motions of a tree that nothing resists: which they are, and what holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import sympy as sp

from ...errors import ModelError
from ..parts.hinges import Hinge
from ..parts.system import System
from ..topology import choose_cuts

#: So many motions are written out; the hinges are named, all.
SHOWN = 6
#: A speed below this part of the motion's largest is the rounding of none.
ROUNDING = Fraction(1, 10**10)

#: By the body that hangs on a hinge, the hinge's speeds.
Motion = Mapping[str, Iterable[Fraction]]
#: By hinge and name of its speed.
Row = dict[tuple[str, str], Fraction]


#: What is said where loops may hold such motions, before it is known which cuts would do.
CUT_ANOTHER = "cut another hinge (cuts = …), so that something with mass hangs on them"


class UnresistedError(ModelError):
    """Motions that nothing resists; `held` are hinges that, once fixed, leave none of them.

    `light` are the bodies in them that have no mass, or no inertia about some axis.
    """

    def __init__(
        self,
        message: str,
        *,
        element: str,
        held: tuple[str, ...],
        light: tuple[str, ...],
        motions: int,
    ) -> None:
        super().__init__(message, element=element, field="mass")
        self.held = held
        self.light = light
        self.motions = motions

    def told(self, cuts: Sequence[str] | None) -> UnresistedError:
        """The same, with the cuts that would do, or that none is found."""
        remedy = "no other cuts are found that help; merge the bodies with those they hang on"
        if cuts is not None:
            named = ", ".join(f'"{name}"' for name in cuts)
            remedy = f"give cuts = [{named}], with which something with mass hangs on all"
        self.args = (str(self).replace(CUT_ANOTHER, remedy),)
        return self


def refused(
    model: System,
    hinges: Mapping[str, Hinge],
    motions: Sequence[Motion],
    light: tuple[str, ...],
) -> UnresistedError:
    """The error that gives the motions, all hinges in them, and which to hold.

    `hinges`: by the body that hangs on it, those of the tree from the ground outwards.
    """
    body = next(iter(motions[0]))
    rows = [_by_speed(model, hinges, motion) for motion in motions]
    moving = {hinge for row in rows for hinge, _ in row}
    names = [hinge.name for hinge in hinges.values() if hinge.name in moving]
    said = "; ".join(map(_said, rows[:SHOWN])) + ("; …" if len(rows) > SHOWN else "")
    remedy = "fix such hinges, merge the bodies with those they hang on"
    if _coupled(model, rows):
        remedy = (
            "their couplings do, but the tree is solved before them: give such hinges the rotors "
            "of their gears"
        )
    elif model.cuts and any(_in_loop(model, name) for name in moving):
        remedy = (
            "a loop may hold them, but the tree that its cut leaves is solved before it is closed: "
            + CUT_ANOTHER
        )
    elif any(end.body in motions[0] for force in model.forces for end in force.ends):
        remedy = "a force between points holds nothing without inertia: fix such hinges"
    return UnresistedError(
        f"neither it nor what hangs on it resists what its hinge {hinges[body].name} allows; "
        f"motions without inertia: {len(rows)}, of the hinges {', '.join(names)} ({said}); "
        f"{remedy}, give the bodies mass and inertia, or have kinematics alone (kinematic = true)",
        element=f"body {body}",
        held=_held(rows),
        light=light,
        motions=len(rows),
    )


def _by_speed(model: System, hinges: Mapping[str, Hinge], motion: Motion) -> Row:
    """A motion, the largest speed 1, without what is the rounding of none."""
    most = max(abs(x) for speeds in motion.values() for x in speeds)
    return {
        (hinges[body].name, name): x / most
        for body, speeds in motion.items()
        for name, x in zip(_speeds(model, hinges[body]), speeds, strict=True)
        if abs(x) > most * ROUNDING
    }


def _speeds(model: System, hinge: Hinge) -> tuple[str, ...]:
    """The speeds of a hinge that moves; of one that follows, what its own would be called."""
    return model.hinge_speeds(hinge) or (f"u{hinge.name}",)


def resisted(model: System, hinges: Mapping[str, Hinge], motions: Sequence[Motion]) -> bool:
    """Do hinges that share coordinates allow none of these motions?

    Source
        own: Gᵀ M G of M ⪰ 0 is definite if no motion of G is one that nothing resists.
    """
    if not model.followers:
        return False
    return _coupled(model, [_by_speed(model, hinges, motion) for motion in motions])


def _coupled(model: System, rows: list[Row]) -> bool:
    """Is no motion left that the hinges' couplings allow?"""
    linear = (hinge for hinge in model.hinges if hinge.mimic and hinge.mimic.law is None)
    followers = [(hinge.name, hinge.mimic) for hinge in linear if hinge.mimic]
    gaps = [
        [
            row.get((name, f"u{name}"), Fraction(0))
            - model.exact(mimic.ratio) * row.get((mimic.hinge, f"u{mimic.hinge}"), Fraction(0))
            for name, mimic in followers
        ]
        for row in rows
    ]
    return bool(
        sp.Matrix([[sp.Rational(x.numerator, x.denominator) for x in gap] for gap in gaps]).rank()
        == len(rows)
    )


def _in_loop(model: System, name: str) -> bool:
    return name in choose_cuts(model.dimension, model.hinges, first=(name,))


def _said(row: Row) -> str:
    return ", ".join(f"{name} = {float(x):.3g}" for (_, name), x in row.items())


def _held(rows: list[Row]) -> tuple[str, ...]:
    """Hinges, those of one speed first, without which no motion is left: by elimination."""
    held: dict[tuple[str, str], Row] = {}
    for row in rows:
        for pivot, known in held.items():
            factor = row.get(pivot, Fraction(0)) / known[pivot]
            row = {x: row.get(x, Fraction(0)) - factor * known.get(x, 0) for x in {**row, **known}}
        moving = [x for x in row if row[x]]
        if moving:
            single = (x for x in moving if x[1] == f"u{x[0]}")
            held[next(single, moving[0])] = row
    return tuple(dict.fromkeys(hinge for hinge, _ in held))
