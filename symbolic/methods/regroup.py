"""Mass that turns about a hinge's axis without noticing it, counted to the parent.

The kinetic and potential energies of a body are linear in its pseudo-inertia
P = ∫ (r, 1)(r, 1)ᵀ dm = [[Σ, h], [hᵀ, m]]: ½ tr(Ṫ P Ṫᵀ) and −(g, 0)ᵀ T P e₄ with its pose T. With
T = T_parent A(q), a part of P with ∂A/∂q P = 0 has A P Aᵀ constant and
Ṫ P Ṫᵀ = Ṫ_parent (A P Aᵀ) Ṫ_parentᵀ: it may as well belong to the parent, and no equation of motion
changes. About a revolute axis z that is m, h_z and Σ_zz: mass along the axis. Loads do
change: what a hinge carries depends on which side the mass is.

Source: own; the parameters that are left are the base parameters of the identification of robots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

import sympy as sp

from ...model import Model
from ...model.expressions.differentiated import rate
from ...model.expressions.quantities import exact_expression, parameter
from ..language.program import Array, Call, Kernel, Ref, Slot
from ..language.walk import Action, Binding, Place
from ..mechanics.constants import LinkConstants, second_moments
from ..mechanics.hinges import joint, sizes
from ..plans.plan import Link
from ..tree.joint import Joint
from ..tree.walking import Rule

B = TypeVar("B")

#: Links from ground to tip up to which constants are regrouped. In a longer chain every link would
#: have constants of its own, and no loop would serve them all.
DEEPEST = 12

DIGITS = "0123456789"


@dataclass(frozen=True)
class Inertia:
    """A body's constants as a method without loads needs them: mass, m r, J about the origin.

    Frame
        Link axes, from the link's origin.
    """

    mass: sp.Matrix
    first: sp.Matrix
    inertia: sp.Matrix

    @classmethod
    def of(cls, data: LinkConstants) -> Inertia:
        return cls(data.mass, data.first, data.inertia)

    @property
    def second(self) -> sp.Matrix:
        """Σ = ∫ r rᵀ dm = ½ tr(J) 1 − J, in space."""
        return second_moments(self.inertia)

    @property
    def ports(self) -> Mapping[str, sp.Matrix]:
        """The constants by the names that kernels take them by."""
        second = {"Sg": self.second} if self.inertia.rows == 3 else {}
        return {"m": self.mass, "h": self.first, "J": self.inertia} | second

    @property
    def pseudo(self) -> sp.Matrix:
        """P = ∫ (r, 1)(r, 1)ᵀ dm."""
        blocks = [[self.second, self.first], [self.first.T, self.mass]]
        return sp.Matrix(sp.BlockMatrix(blocks).as_explicit())

    @classmethod
    def from_pseudo(cls, P: sp.Matrix) -> Inertia:
        second = P[:3, :3]
        return cls(P[3:, 3:], P[:3, 3:], second.trace() * sp.eye(3) - second)


@cache
def unnoticed(kind: str, backward: bool) -> tuple[tuple[int, int], ...]:
    """The entries of P, on and above the diagonal, that a spatial hinge does not move.

    Source
        own: those with ∂A/∂q P = 0 for the relative pose A of the hinge's child, or of its parent.
    """
    of = joint(3, kind)
    R, p = of.rotation, of.position
    A = _pose(R.T, -R.T * p) if backward else _pose(R, p)

    def still(i: int, j: int) -> bool:
        P = sp.zeros(4)
        P[i, j] = P[j, i] = 1
        return not any(x for q in of.q for x in rate(A, [(q, sp.S.One)]) * P)

    return tuple((i, j) for i in range(4) for j in range(i, 4) if still(i, j))


def regrouped(tree: Joint, values: Mapping[sp.Symbol, sp.Expr]) -> dict[str, Inertia]:
    """Every link's constants, what its hinge does not move counted to its parent, tips first.

    `values` are the parameters' that are known. Only numbers are regrouped, and in space alone.
    """
    if tree.dimension == 2:
        return {name: Inertia.of(data) for name, data in tree.data.items()}
    rows = {name: Inertia.of(data).pseudo.xreplace(values) for name, data in tree.data.items()}
    for link in tree.plan.links:
        attached, own = tree.attachment(link), rows[link.name]
        part = sp.zeros(4)
        for i, j in unnoticed(attached.hinge.kind, attached.backward):
            part[i, j] = part[j, i] = own[i, j]
        pose = _at_start(tree, link).xreplace(values)
        taken = [own, pose, *([rows[link.parent]] if link.parent else [])]
        if any(matrix.free_symbols for matrix in taken):
            continue
        rows[link.name] = own - part
        if link.parent is not None:
            rows[link.parent] += pose * part * pose.T
    return {name: Inertia.from_pseudo(P) for name, P in rows.items()}


def shallow(tree: Joint) -> bool:
    """Is no link more than `DEEPEST` links from the ground?"""
    return all(len(tree.plan.way(link.name)) <= DEEPEST for link in tree.links)


def known(model: Model, runtime: tuple[str, ...]) -> dict[sp.Symbol, sp.Expr]:
    """The values of the parameters that are no arguments, exactly."""
    return {
        parameter(name): exact_expression(value)
        for name, value in model.parameters.items()
        if name not in runtime
    }


class Apart:
    """Values of a way of its own, kept beside those of another, as `IAb` beside `IA`.

    `names` are the arrays that have some, without the number of freedoms in their names; `known`
    are further ones, whose shapes no port says.
    """

    def __init__(self, names: Set[str], known: Iterable[Array] = ()) -> None:
        self.known = tuple(known)
        self.names = {*names, *(array.name.rstrip(DIGITS) for array in self.known)}

    def arrays(self) -> Iterator[Array]:
        """The further ones of this way."""
        return (replace(array, name=f"{array.name}b") for array in self.known)

    def at(self, binding: B) -> B:
        """The value of this way."""
        if isinstance(binding, Ref | Place) and binding.array.rstrip(DIGITS) in self.names:
            return replace(binding, array=f"{binding.array}b")
        return binding

    def call(self, call: Call) -> Call:
        """The same on the values of this way."""
        reads = {name: self.at(binding) for name, binding in call.reads.items()}
        return replace(call, reads=reads, writes={n: self.at(x) for n, x in call.writes.items()})


class Lighter:
    """A method's rules on regrouped constants, for results that no load of a hinge enters.

    `apart` tells which arrays then have other values.
    """

    def __init__(self, tree: Joint, values: Mapping[sp.Symbol, sp.Expr], apart: Apart) -> None:
        self.tree = tree
        self.apart = apart
        self.data = regrouped(tree, values)
        tell_apart(tree, self.data)

    @staticmethod
    def serves(tree: Joint) -> bool:
        """Is the model a shallow tree of rigid bodies in space?"""
        return tree.dimension == 3 and not tree.model.beams and shallow(tree)

    def rule(self, rule: Rule) -> Rule:
        """The same on the regrouped constants."""

        def lighter(link: Link) -> Iterator[Action | Call]:
            constants = self.data[link.name].ports
            for each in rule(link):
                action = self.tree.bound(each, link) if isinstance(each, Kernel) else each
                if isinstance(action, Call):
                    yield self.apart.call(action)
                    continue
                reads: dict[str, Binding] = {
                    name: constants[name] if name in constants else self.apart.at(binding)
                    for name, binding in action.reads.items()
                }
                writes = {name: self.apart.at(place) for name, place in action.writes.items()}
                yield replace(action, reads=reads, writes=writes)

        return lighter


def tell_apart(tree: Joint, data: Mapping[str, Inertia]) -> None:
    """Links that were alike need not be when they are regrouped."""
    tree.distinct = {name: (*own.mass, *own.first, *own.inertia) for name, own in data.items()}


def _at_start(tree: Joint, link: Link) -> sp.Matrix:
    """The link's pose on its parent where its hinge's coordinates are zero, quaternions one."""
    attached = tree.attachment(link)
    of = joint(3, attached.hinge.kind)
    start = {q: sp.Integer(0) for q in of.q}
    if Slot.QUATERNION in of.slots:
        start[of.q[len(of.q) - 4]] = sp.Integer(1)
    moved = _pose(of.rotation, of.position).xreplace(start)
    moved = moved.xreplace(sizes(attached.hinge)).applyfunc(sp.simplify)
    if attached.backward:
        moved = moved.inv()
    return _pose(attached.entry, attached.arm) * moved


def _pose(R: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
    return sp.Matrix(sp.BlockMatrix([[R, p], [sp.zeros(1, 3), sp.eye(1)]]).as_explicit())
