"""What the divide-and-conquer methods take of a model, and what its tree hinges let move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from ....errors import UsageError
from ....model import Body, Hinge, Model
from ....model.parts.hinge_kinds import SIZES
from ...mechanics.hinges import joint, sizes, tidy
from ...plans.assembly import Assembly
from ...tree.cut_kernels import CutHinge
from ...tree.joint import Joint
from .digits import MOST, costs, refinements, singular


@cache
def subspace(dimension: int, kind: str, backward: bool) -> tuple[bool, sp.Matrix] | None:
    """H where it is constant: in link axes, or (then True) in those of the parent's point."""
    of = joint(dimension, kind)
    H = tidy(of.backward_subspace if backward else of.subspace)
    if H.free_symbols <= SIZES.keys():
        return False, H
    R = of.rotation.T if backward else of.rotation
    d = dimension
    angular = H[d:, :] if d == 2 else R * H[d:, :]
    turned = sp.Matrix.vstack(R * H[:d, :], angular).applyfunc(sp.expand)
    turned = tidy(_unit_quaternion(turned))
    return (True, turned) if turned.free_symbols <= SIZES.keys() else None


def _complement(dimension: int, H: sp.Matrix) -> sp.Matrix:
    """A basis of what is orthogonal to H.

    Solved for angular parts first: those of a helical hinge are 1, its pitch may be next to 0.
    """
    n = H.rows
    if not H.cols:
        return sp.eye(n)
    order = [*range(dimension, n), *range(dimension)]
    basis = H[order, :].T.nullspace()
    return sp.Matrix.hstack(
        sp.zeros(n, 0), *(x[[order.index(i) for i in range(n)], :] for x in basis)
    )


def _unit_quaternion(matrix: sp.Matrix) -> sp.Matrix:
    """With w² = 1 − x² − y² − z² of a unit quaternion."""
    w, x, y, z = (sp.Symbol(f"q_Q{name}", real=True) for name in "wxyz")
    if not {w, x, y, z} & matrix.free_symbols:
        return matrix
    one = 1 - x**2 - y**2 - z**2

    def reduced(value: sp.Expr) -> sp.Expr:
        odd, even = sp.Integer(0), sp.Integer(0)
        for (power,), coefficient in sp.Poly(sp.expand(value), w).terms():
            term = coefficient * one ** (power // 2)
            odd, even = (odd + term, even) if power % 2 else (odd, even + term)
        return sp.expand(even) + w * sp.expand(odd)

    return matrix.applyfunc(reduced)


@dataclass(frozen=True)
class Way:
    """What a tree hinge lets its link do: H, H (Hᵀ H)⁻¹ and D, constant in the carrier's axes.

    The carrier is the link, or with `parental` the parent's point. `complete`: D holds all
    translations, whose directions are then the inertial axes.
    """

    parental: bool
    H: sp.Matrix
    Hp: sp.Matrix
    D: sp.Matrix
    complete: bool

    @classmethod
    def of(cls, dimension: int, hinge: Hinge, backward: bool) -> Way | None:
        """The way of a hinge; none where H is constant in neither axes."""
        return _way(dimension, hinge.kind, tuple(sizes(hinge).items()), backward)


@cache
def _way(
    dimension: int, kind: str, known: tuple[tuple[sp.Symbol, sp.Expr], ...], backward: bool
) -> Way | None:
    found = subspace(dimension, kind, backward)
    if found is None:
        return None
    parental, H = found
    H = sp.Matrix(H.xreplace(dict(known)))
    D = _complement(dimension, H)
    Hp = H * (H.T * H).inv() if H.cols else H
    return Way(parental, H, Hp, D, not any(H[:dimension, :]))


def refuse(tree: Joint, algorithm: str) -> None:
    """Say which part of a model the divide-and-conquer methods do not take.

    Raises
        UsageError: names the part.
    """
    model = tree.model
    found = [f"no beams ({model.beams[0].name})"] if model.beams else []
    found += ["no moving ground"] if model.base else []
    for hinge in model.hinges:
        if hinge.motion:
            found.append(f"no driven hinge ({hinge.name})")
        if hinge.rotor:
            found.append(f"no rotor (hinge {hinge.name})")
        if hinge.mimic:
            found.append(f"no hinge that follows another ({hinge.name})")
    found += [f"no force in a cut hinge ({hinge.name})" for hinge in tree.loops.loaded]
    found += [
        f"no cut {hinge.kind} hinge ({hinge.name})"
        for hinge in tree.plan.cuts
        if CutHinge.of(model.dimension, hinge).lead
    ]
    if algorithm == "hdca":  # its speeds follow from momenta, after the wrenches
        found += [f"no {name}, which depends on speeds" for name in tree.between.hasty]
    if found:
        raise UsageError(f"{model.name}: {algorithm} takes {found[0]}; use riccati")
    _refuse_values(model, algorithm)


def _refuse_values(model: Model, algorithm: str) -> None:
    """Bodies that no mobility is known of, levers and masses that leave too few digits."""
    for body in model.bodies:
        if isinstance(body, Body) and (model.value(body.mass) == 0 or singular(model, body)):
            raise UsageError(
                f"{model.name}: {algorithm} takes no body without mass or without inertia about an "
                f"axis ({body.name}); use riccati"
            )
    for cost in costs(model):
        if cost.share > MOST:
            raise UsageError(f"{model.name}: {algorithm} takes {cost.cause}; use {cost.instead}")


def refuse_hubs(assembly: Assembly, model: Model, algorithm: str) -> None:
    """Say which body of a given tree takes branches in where digits are short.

    A hub has the inertia of its branches, of which levers cost their square: more than refinements
    bring back.

    Raises
        UsageError: names the hub and the body whose levers or mass cost the digits.
    """
    hub = next((node.name for node in assembly.leaves if node.raked), None)
    if hub and refinements(model):
        dearest = max(costs(model), key=lambda cost: cost.share)
        raise UsageError(
            f"{model.name}: in an assembly in which a body takes branches in ({hub}[…]), "
            f"{algorithm} takes {dearest.cause}; write its branches in parentheses, "
            "or give no assembly"
        )


def refuse_values(model: Model, changed: Model, algorithm: str) -> None:
    """Say which body stands in the way at other values of the parameters.

    How often code refines what it finds was decided by the model's own values.

    Raises
        UsageError: names the body.
    """
    _refuse_values(changed, algorithm)
    if refinements(changed) > refinements(model):
        dearest = max(costs(changed), key=lambda cost: cost.share)
        raise UsageError(
            f"{model.name}: this code of {algorithm} takes {dearest.cause}, "
            "for at the model's own values it needs less care; compile "
            f"model.with_parameters(…), or use {dearest.instead}"
        )
