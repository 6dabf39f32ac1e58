"""What the divide-and-conquer methods take of a model, and what its tree hinges let move."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import mpmath
import sympy as sp

from ....errors import UsageError
from ....model import Body, End, Hinge, Model
from ....model.parts.hinge_kinds import SIZES
from ...mechanics.hinges import joint, sizes, tidy
from ...tree.cut_kernels import CutHinge
from ...tree.joint import Joint


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


#: Each m L²/J of a body's mobility at a handle costs so much of an acceleration, as measured.
COST = 5e-15

#: Costs up to here are left, dearer ones refined to below it; beyond `MOST` they are refused.
LEFT, MOST = 1e-10, 0.1


def refinements(model: Model) -> int:
    """How often motions are refined: none with ordinary levers.

    A free body's mobility at a handle that is L from its centre of mass is 1/m + L²/J, of which m
    keeps few digits where L²/J is large. By that an elimination errs, and so much less each time
    that what it leaves is solved for again.

    Source
        Own: the cost of an elimination, measured against riccati.
    """
    dearest = max((cost for _, cost in _costs(model)), default=0.0)
    if dearest <= LEFT:
        return 0
    return math.ceil(math.log(1e-3 * LEFT) / math.log(dearest)) - 1


def _costs(model: Model) -> Iterator[tuple[str, float]]:
    """What m L²/J of a body costs at each of its hinges."""
    used = {end for hinge in model.hinges for end in hinge.ends}
    for body in model.bodies:
        if not isinstance(body, Body):
            continue
        mass, centre = model.value(body.mass), [model.value(x) for x in body.centre]
        for point in body.points:
            if End(body.name, point.name) not in used:
                continue
            arm = [model.value(x) - c for x, c in zip(point.position, centre, strict=True)]
            if not isinstance(body.inertia, tuple):
                square = sum(x * x for x in arm)
                yield body.name, COST * mass * square / model.value(body.inertia)
                continue
            rows = [[model.value(x) for x in row] for row in body.inertia]
            inverse, L = mpmath.matrix(rows) ** -1, mpmath.matrix(arm)
            square = sum(x * x for x in arm)
            trace = sum(inverse[i, i] for i in range(3))
            yield body.name, COST * float(mass * (square * trace - (L.T * inverse * L)[0]))


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
    values = {sp.Symbol(name, real=True): x for name, x in model.parameters.items()}
    massless: dict[int, bool] = {}
    for link in tree.plan.links:
        if model.beams:
            break
        data = tree.data[link.name]
        if id(data) not in massless:
            measures = (data.mass[0].subs(values), data.central.det().subs(values))
            massless[id(data)] = 0 in measures
        if massless[id(data)]:
            found.append(f"no body without mass or without inertia about an axis ({link.name})")
    if not found:
        found += _too_long(model)
    if found:
        raise UsageError(f"{model.name}: {algorithm} takes {found[0]}; use riccati")


def _too_long(model: Model) -> list[str]:
    """Levers that leave nothing of the masses."""
    return [f"no levers as long as those of {x}" for x, cost in _costs(model) if cost > MOST]


def refuse_values(model: Model, changed: Model, algorithm: str) -> None:
    """Say which levers are too long, at other values of a model's parameters, for its code.

    How often that code refines what it finds was decided by the model's own values.

    Raises
        UsageError: names the body.
    """
    if found := _too_long(changed):
        raise UsageError(f"{model.name}: {algorithm} takes {found[0]}; use riccati")
    if refinements(changed) > refinements(model):
        body, _ = max(_costs(changed), key=lambda pair: pair[1])
        raise UsageError(
            f"{model.name}: this code of {algorithm} takes no levers as long as those of {body}, "
            "longer than at the model's own values; compile model.with_parameters(…), or use "
            "riccati"
        )
