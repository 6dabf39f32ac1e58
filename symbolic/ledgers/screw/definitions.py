"""Poses, twists and Jacobians by exponentials and recursions: screw paper (89)–(119)."""

from __future__ import annotations

from functools import partial, reduce
from operator import mul

import sympy as sp

from ...exact import screws
from ...exact.evaluation import Points
from ...exact.ledger import Sides
from ...exact.screws import (
    Ad,
    Ad_shift,
    Ad_turn,
    ad,
    angular,
    bracket,
    exponential,
    hat,
    inverse,
    linear,
    place,
    turn,
    twist,
)
from .body_fixed import system
from .cases import entry
from .checks import At
from .tree import Motion, Tree


def relative_poses(tree: Tree) -> Sides:
    """(92), (93): by a joint frame S in each body and by B = S S_i⁻¹, X = Ad_{S_i} Z."""
    at, draw = At(tree), Points(95)
    for i, parent in tree.parents.items():
        q, (c, s) = at.q(i, 0), tree.joints[i].circle[0]
        own = screws.pose(draw.rotation(3), draw.vector(3))
        Z, before = Ad(inverse(own)) * tree.X[i], tree.B[i] * own
        relative = at.m.relative(parent, i).value
        yield at.m.C[i].value, at.m.C[parent].value * tree.B[i] * exponential(tree.X[i], q, c, s)
        yield "92", relative, before * exponential(Z, q, c, s) * inverse(own)
        yield "92", relative, tree.B[i] * exponential(tree.X[i], q, c, s)


def products_of_exponentials(tree: Tree) -> Sides:
    """(94), (95): C_i = exp(Y q) … A_i with Y = Ad_A X and A = B … B."""
    at = At(tree)
    for i in tree.numbers:
        A, value = sp.eye(4), sp.eye(4)
        for j in tree.path(i):
            A = A * tree.B[j]
            q, (c, s) = at.q(j, 0), tree.joints[j].circle[0]
            Y = Ad(A) * tree.X[j]
            step = inverse(tree.B[j]) * at.m.relative(tree.parent(j), j).value
            yield "95", A * step * inverse(A), exponential(Y, q, c, s)
            value = value * exponential(Y, q, c, s)
        yield at.m.C[i].value, value * A


def representations(tree: Tree) -> Sides:
    """(96)–(101): of what the pose's rate says in each."""
    at = At(tree)
    for i in tree.numbers:
        C, rate, V = at.m.C[i].value, at.m.C[i].at(1), at.m.Vb(i).value
        R, r = turn(C), place(C)
        yield at.m.Vs(i).value, Ad(C) * V
        yield "96", inverse(C) * rate, hat(V)
        yield "97", rate * inverse(C), hat(at.m.Vs(i).value)
        yield "99", at.m.Vh(i).value, Ad_turn(R) * V
        yield "100", at.m.Vh(i).value, Ad_shift(-r) * at.m.Vs(i).value
        yield "101", at.m.Vm(i).value, sp.diag(R.T, sp.eye(3)) * at.m.Vh(i).value
        yield "101", at.m.Vm(i).value, sp.diag(sp.eye(3), R) * V


def jacobians(tree: Tree) -> Sides:
    """(102)–(107): V = J q̇ in each representation; a column is the twist at a unit rate."""
    at = At(tree)
    for i in tree.numbers:
        C = at.m.C[i].value
        R = turn(C)
        yield at.m.Vb(i).value, at.moved(Motion.Jb, i, 1)
        yield "103", at.m.Vs(i).value, at.sum(i, lambda j: at.Js(j) * at.q(j, 1))
        for j in tree.path(i):
            alone, X = tree.slopes[j, 0], tree.X[j]
            Cj, A = at.m.C[j].value, reduce(mul, (tree.B[k] for k in tree.path(j)))
            Y = Ad(A) * X
            yield "104", alone.Vb(i).value, Ad(inverse(C) * Cj) * X
            yield "104", alone.Vb(i).value, Ad(inverse(C) * Cj * inverse(A)) * Y
            yield "105", alone.Vs(i).value, Ad(Cj) * X
            yield "105", alone.Vs(i).value, Ad(Cj * inverse(A)) * Y
            shift = Ad_shift(at.m.shift(i, j).value)
            yield "106", alone.Vh(i).value, shift * Ad_turn(turn(Cj)) * X
            yield "107", alone.Vh(i).value, Ad_turn(R) * at.Jb(i, j)


def recursions(tree: Tree) -> Sides:
    """(109)–(111): twists from the parent's."""
    at = At(tree)
    for i, parent in tree.parents.items():
        q = at.q(i, 1)
        back = Ad(at.m.relative(i, parent).value)
        shift = Ad_shift(at.m.shift(i, parent).value)
        yield at.m.Vb(i).value, back * at.m.Vb(parent).value + tree.X[i] * q
        yield "110", at.m.Vs(i).value, at.m.Vs(parent).value + at.Js(i) * q
        yield "111", at.m.Vh(i).value, shift * at.m.Vh(parent).value + at.m.X0(i).value * q


def system_jacobian(tree: Tree) -> Sides:
    """(112), (113): V = J q̇, J = A X, A = (1 − D)⁻¹."""
    at = At(tree)
    A, _, J = system(at)
    D = at.blocks(
        lambda i, j: Ad(at.m.relative(i, j).value) if tree.parent(i) == j else sp.zeros(6, 6)
    )
    yield J, A * at.diagonal(lambda i: tree.X[i])
    yield A * (sp.eye(D.rows) - D), sp.eye(D.rows)
    yield "112", at.stack(lambda i: at.m.Vb(i).value), J * at.rates(1)


def algebra(tree: Tree) -> Sides:
    """(114)–(119): [X, Y]^ = X^ Y^ − Y^ X^, Jacobi, Ad of a bracket, both parts of a twist."""
    X, Y, Z = (At(tree).m.Vs(i).value for i in tree.numbers[:3])
    C = At(tree).m.C[tree.numbers[-1]].value
    (w, v), (u, s) = ((x[:3, :], x[3:, :]) for x in (X, Y))
    yield hat(bracket(X, Y)), hat(X) * hat(Y) - hat(Y) * hat(X)
    yield "115", bracket(X, Y), twist(w.cross(u), w.cross(s) + v.cross(u))
    yield "116", hat(ad(X) * Y), hat(X) * hat(Y) - hat(Y) * hat(X)
    around = bracket(X, bracket(Y, Z)), bracket(Y, bracket(Z, X)), bracket(Z, bracket(X, Y))
    yield "117", -around[0], *around[1:]
    yield "118", hat(Ad(C) * X), C * hat(X) * inverse(C)
    yield "118", Ad(C) * bracket(X, Y), bracket(Ad(C) * X, Ad(C) * Y)
    yield "119", X, angular(X), linear(X)


absent = partial(entry, absent=True)

ENTRIES = (
    absent(
        "93",
        "poses from the parent's",
        relative_poses,
        "C_i = C_{i−1} B_i exp(X_i q_i), B_i exp(X_i q_i) = S exp(Z_i q_i) S_i⁻¹",
    ),
    absent(
        "94",
        "product of exponentials",
        products_of_exponentials,
        "C_i = exp(Y_1 q_1) … exp(Y_i q_i) A_i, Y = Ad_A X",
    ),
    absent(
        "98",
        "twists from one representation to another",
        representations,
        "Vˢ = Ad_C Vᵇ, Vʰ = Ad_R Vᵇ = Ad_{−r} Vˢ, Vᵐ = diag(1, R) Vᵇ",
    ),
    absent("102", "twists by Jacobians", jacobians, "V = J q̇, Jʰ = Ad_R Jᵇ"),
    absent(
        "109",
        "twists from the parent's",
        recursions,
        "Vᵇ_i = Ad Vᵇ_{i−1} + X q̇, Vˢ_i = Vˢ_{i−1} + Jˢ q̇, Vʰ_i = Ad_r Vʰ_{i−1} + ⁰X q̇",
    ),
    absent("113", "the system Jacobian A X", system_jacobian, "V = J q̇, J = A X, A = (1 − D)⁻¹"),
    absent(
        "114",
        "screw products, Jacobi, Ad of a product",
        algebra,
        "[X, Y]^ = X^ Y^ − Y^ X^, Ad [X, Y] = [Ad X, Ad Y], (Ad_C X)^ = C X^ C⁻¹",
    ),
)
