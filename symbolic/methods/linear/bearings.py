"""Ends of cells that the ground holds by laws: dampers, cross-coupled bearings."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy as sp

from ....model import Hinge, Model
from ....model.expressions.quantities import parameter
from ...mechanics import laws
from ...mechanics.constants import axes_of
from ...mechanics.hinges import joint
from ...plans.plan import Link
from .closing import Held

_NONE = sp.ImmutableMatrix(0, 0, [])


@dataclass(frozen=True)
class Bearing(Held):
    """How the ground holds an end of a cell by a law: κ = K + [P R, 0] + s C, none symmetric.

    Shape
        `stiffness` K and `viscous` C: f²; of what turns in any way `by_place` P: f × 3, force per
        displacement in the `axes` of the ground's point, R being how these stand to those of the
        beam's point, which has `turn` in the beam.
    """

    viscous: sp.ImmutableMatrix = _NONE
    by_place: sp.ImmutableMatrix = _NONE
    turn: sp.ImmutableMatrix = _NONE
    axes: sp.ImmutableMatrix = _NONE

    @classmethod
    def of(cls, model: Model, hinge: Hinge, link: Link, point: str) -> Bearing | None:
        """By a hinge to the ground whose law has the same slopes wherever it is."""
        d = model.dimension
        lawless = replace(hinge, force=(), potential=0, stiffness=(), damping=(), rest=())
        plain = Held.of(model, lawless, link, point)
        if plain is None:
            return None
        kind, back = joint(d, hinge.kind), {laws.inside(x): parameter(x) for x in model.parameters}
        viscous, placed, turn, axes = laws.viscosity(d, hinge), _NONE, _NONE, _NONE
        if kind.turning and len(kind.u) > 3:
            placed, turned = laws.slopes_by_place(d, hinge)
            if any(turned) or (any(placed) and hinge.ends[0].body == link.name):
                return None
            slopes = sp.zeros(*viscous.shape)
            turn = sp.ImmutableMatrix(axes_of(link.body.point(point), d))
            axes = sp.ImmutableMatrix(axes_of(model.ground_point(hinge.ends[0].point), d))
        else:
            slopes = laws.working_slopes(d, hinge)
        if {*kind.q} & (slopes.free_symbols | viscous.free_symbols | placed.free_symbols):
            return None
        K, C, P = (sp.ImmutableMatrix(x.xreplace(back)) for x in (slopes, viscous, placed))
        return cls(plain.free, plain.fixed, K, plain.ground, C, P, turn, axes)

    @property
    def even(self) -> bool:
        """Is κ symmetric?"""
        K, C = self.stiffness, self.viscous
        return not any(K - K.T) and not any(C - C.T) and not any(self.by_place)

    @property
    def constant(self) -> bool:
        """Does κ depend neither on s nor on how the ground stands to the beam?"""
        return not any(self.viscous) and not any(self.by_place)
