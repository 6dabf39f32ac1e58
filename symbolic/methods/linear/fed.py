"""What a law of one hinge makes of the displacement of another."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp


@dataclass(frozen=True)
class Fed:
    """A force along a freedom of a link's hinge, by a displacement χ of another: τ = −(k + s c) χ.

    A tie's column whose force acts along one freedom and that another one opens.
    """

    name: str
    felt: tuple[str, int]
    told: tuple[str, int]
    stiffness: sp.Expr
    viscous: sp.Expr
