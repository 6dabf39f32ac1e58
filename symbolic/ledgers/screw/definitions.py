"""Poses, twists and Jacobians by exponentials and recursions: screw paper (89)–(119)."""

from __future__ import annotations

import sympy as sp

from ...exact.ledger import Sides
from ...exact.screws import Ad, Ad_shift, bracket, exponential, hat, inverse, place, turn, twist
from .body_fixed import system
from .checks import At
from .tree import Motion, Tree, entry


def recursions(tree: Tree) -> Sides:
    """(109)–(111): twists from the parent's."""
    at = At(tree)
    for i, parent in tree.parents.items():
        q = at.q(i, 1)
        back = Ad(at.m.relative(i, parent).value)
        shift = Ad_shift(at.m.shift(i, parent).value)
        yield at.m.Vb(i).value, back * at.m.Vb(parent).value + tree.X[i] * q
        yield at.m.Vs(i).value, at.m.Vs(parent).value + at.Js(i) * q
        yield at.m.Vh(i).value, shift * at.m.Vh(parent).value + at.m.X0(i).value * q


def representations(tree: Tree) -> Sides:
    """(98)–(101): Vˢ = Ad_C Vᵇ, Vʰ = Ad_R Vᵇ = Ad_{−r} Vˢ, Vᵐ = diag(1, R) Vᵇ."""
    at = At(tree)
    for i in tree.numbers:
        C, V = at.m.C[i].value, at.m.Vb(i).value
        R = turn(C)
        yield at.m.Vs(i).value, Ad(C) * V
        yield at.m.Vh(i).value, twist(R * V[:3, :], R * V[3:, :])
        yield at.m.Vh(i).value, Ad_shift(-place(C)) * at.m.Vs(i).value
        yield at.m.Vm(i).value, twist(V[:3, :], R * V[3:, :])


def jacobians(tree: Tree) -> Sides:
    """(102)–(107): V = J q̇ in each representation, Jʰ = Ad_R Jᵇ."""
    at = At(tree)
    for i in tree.numbers:
        R = turn(at.m.C[i].value)
        yield at.m.Vb(i).value, at.moved(Motion.Jb, i, 1)
        yield at.m.Vs(i).value, at.sum(i, lambda j: at.Js(j) * at.q(j, 1))
        yield at.m.Vh(i).value, at.moved(Motion.Jh, i, 1)
        for j in tree.path(i):
            J = at.Jb(i, j)
            yield at.Jh(i, j), twist(R * J[:3, :], R * J[3:, :])


def system_jacobian(tree: Tree) -> Sides:
    """(112), (113): V = J q̇, J = A X, A = (1 − D)⁻¹."""
    at = At(tree)
    A, _, J = system(at)
    D = at.blocks(
        lambda i, j: Ad(at.m.relative(i, j).value) if tree.parent(i) == j else sp.zeros(6, 6)
    )
    yield A * (sp.eye(D.rows) - D), sp.eye(D.rows)
    yield J, A * at.diagonal(lambda i: tree.X[i])
    yield at.stack(lambda i: at.m.Vb(i).value), J * at.rates(1)


def products_of_exponentials(tree: Tree) -> Sides:
    """(94), (95): C_i = exp(Y q) … A_i with Y = Ad_A X and A = B … B."""
    at = At(tree)
    for i in tree.numbers:
        A, value = sp.eye(4), sp.eye(4)
        for j in tree.path(i):
            A = A * tree.B[j]
            step = inverse(tree.B[j]) * at.m.relative(tree.parent(j), j).value
            value = value * A * step * inverse(A)
            q, (c, s) = at.q(j, 0), tree.joints[j].circle[0]
            Y = Ad(A) * tree.X[j]
            yield A * step * inverse(A), exponential(Y, q, c, s)
        yield at.m.C[i].value, value * A


def algebra(tree: Tree) -> Sides:
    """(114)–(118): [X, Y]^ = X^ Y^ − Y^ X^, Jacobi, Ad of a bracket."""
    X, Y, Z = (At(tree).m.Vs(i).value for i in tree.numbers[:3])
    C = At(tree).m.C[tree.numbers[-1]].value
    yield hat(bracket(X, Y)), hat(X) * hat(Y) - hat(Y) * hat(X)
    around = bracket(X, bracket(Y, Z)) + bracket(Y, bracket(Z, X)) + bracket(Z, bracket(X, Y))
    yield around, sp.zeros(6, 1)
    yield Ad(C) * bracket(X, Y), bracket(Ad(C) * X, Ad(C) * Y)
    yield hat(Ad(C) * X), C * hat(X) * inverse(C)


ENTRIES = (
    entry(
        "94",
        "product of exponentials, with (91)–(95)",
        products_of_exponentials,
        "C_i = exp(Y_1 q_1) … exp(Y_i q_i) A_i, Y = Ad_A X",
        absent=True,
    ),
    entry(
        "98",
        "twists from one representation to another, (96)–(101)",
        representations,
        "Vˢ = Ad_C Vᵇ, Vʰ = Ad_R Vᵇ = Ad_{−r} Vˢ, Vᵐ = diag(1, R) Vᵇ",
        absent=True,
    ),
    entry(
        "102", "twists by Jacobians, (102)–(107)", jacobians, "V = J q̇, Jʰ = Ad_R Jᵇ", absent=True
    ),
    entry(
        "109",
        "twists from the parent's, (108)–(111)",
        recursions,
        "Vᵇ_i = Ad Vᵇ_{i−1} + X q̇, Vˢ_i = Vˢ_{i−1} + Jˢ q̇, Vʰ_i = Ad_r Vʰ_{i−1} + ⁰X q̇",
        absent=True,
    ),
    entry(
        "113",
        "the system Jacobian A X, with (112)",
        system_jacobian,
        "V = J q̇, J = A X, A = (1 − D)⁻¹",
        absent=True,
    ),
    entry(
        "114",
        "screw products, Jacobi, Ad of a product, (114)–(119)",
        algebra,
        "[X, Y]^ = X^ Y^ − Y^ X^, Ad [X, Y] = [Ad X, Ad Y], (Ad_C X)^ = C X^ C⁻¹",
        absent=True,
    ),
)
