"""The named matrices of the deduction theorem, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import random_models
import sympy as sp
from deduction_models import external
from independent.joints import _axial, _frames, _point_frame
from independent.tree import FLOAT, Array

import mstmm
from mstmm.model import GROUND, End, Model, Point
from mstmm.model.parts.hinge_kinds import SIZES
from mstmm.symbolic.mechanics.hinges import joint
from mstmm.symbolic.mechanics.planar import body_matrix
from mstmm.symbolic.mechanics.vectors import Layout
from mstmm.symbolic.pages.body import PLANAR_INERTIA, rigid_body
from mstmm.symbolic.pages.named import hinge_blocks, named_matrices, subspace
from mstmm.symbolic.plans.deduction import Factor, deduce
from mstmm.symbolic.plans.transfer import Element


class Ends:
    """Where a body and its points are, as the judge's functions of time have them."""

    def __init__(self, made: Model, q: Sequence[float], v: Sequence[float]) -> None:
        self.made = made
        frames = _frames(made, np.array(q), np.array([v]), np.zeros((1, len(v))), FLOAT)
        self.frames = dict(zip([body.name for body in made.bodies], frames, strict=True))

    def frame(self, end: End) -> Array:
        own = _point_frame(self.made, end, FLOAT)
        return own if end.body == GROUND else self.frames[end.body].x @ own

    def place(self, end: End) -> Array:
        return self.frame(end)[:3, 3]

    def spin(self, body: str) -> Array:
        at = self.frames[body]
        return _axial(at.d[0, :3, :3] @ at.x[:3, :3].T)


def body_values(ends: Ends, element: Element, wrenches: Array) -> dict[sp.Expr, float]:
    """Numbers for the symbols of a body's matrices."""
    made = ends.made
    k = [body.name for body in made.bodies].index(element.name)
    body, frame = made.bodies[k], ends.frames[element.name].x
    position = [made.value(x) for x in body.centre]
    first = ends.place(element.inputs[0])
    c = (frame @ np.array([*position, *[0.0] * (3 - len(position)), 1.0]))[:3] - first
    m, R, inertia = made.value(body.mass), frame[:3, :3], body.inertia
    own = (
        np.array([[made.value(x) for x in row] for row in inertia])
        if isinstance(inertia, tuple)
        else np.diag([0.0, 0.0, made.value(inertia)])
    )
    J = R @ own @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c))
    gravity = np.array([*map(made.value, made.gravity), 0.0])[:3]
    values: dict[str, float] = {"m": m}
    vectors = {
        "c": c,
        "o": ends.place(element.output) - first,
        "i2": ends.place(element.inputs[1]) - first,
        "Omega": ends.spin(element.name),
        "f": m * gravity + wrenches[k, 3:],
        "M": wrenches[k, :3],
    }
    for letter, vector in vectors.items():
        values |= {f"{letter}_{axis}": x for axis, x in zip("xyz", vector, strict=True)}
    values |= {f"J_{i + 1}{j + 1}": J[i, j] for i in range(3) for j in range(3)}
    values[PLANAR_INERTIA.name] = J[2, 2]
    return {sp.Symbol(n, real=True): x for n, x in values.items()}


@pytest.mark.parametrize("dimension", [2, 3])
def test_named_matrices_of_bodies(dimension: int) -> None:
    """What is shown, with numbers in it, is what runs."""
    rng = Random(dimension)
    made = random_models.tree_of(dimension, (2, 0, 0), 3)
    made = replace(made, absolute=False, q0=(), v0=())
    q, v = random_models.random_joint_state(rng, made)
    wrenches = external(made, rng)
    at = mstmm.derive(made).overall.at(q, v, wrenches=wrenches)
    element = next(e for e in at.equation.transfer.elements if len(e.inputs) == 2)
    values = body_values(Ends(made, q, v), element, wrenches)
    keep = [*range(2 * at.n), at.size - 1]

    def same(matrix: sp.Matrix, factor: Factor) -> None:
        given = np.array(matrix.xreplace(values).tolist(), dtype=float)
        found = np.array(at.matrix(factor), dtype=float)
        rows = keep if len(found) == at.size else range(len(found))
        assert np.abs(given - found[np.ix_(rows, keep)]).max() < 1e-13 * max(1, np.abs(found).max())

    body = rigid_body(dimension)
    same(body.U1, Factor("U", element.index(1)))
    same(body.U2, Factor("U", element.index(2)))
    same(body.H1, Factor("H", element.index(1)))
    same(body.H2, Factor("H", element.index(2)))
    same(body_matrix(dimension, 1), Factor("U", element.index(1)))


def inserted(entry: sp.Expr, blocks: dict[str, sp.Matrix], shape: tuple[int, int]) -> sp.Matrix:
    """A sum of products of names of blocks, with the blocks for the names."""
    if entry.is_commutative:
        return sp.Matrix([[entry]]) if shape == (1, 1) else entry * sp.ones(*shape)
    blocks = {**blocks, "unit": sp.eye(shape[0])}
    total = sp.zeros(*shape)
    for term in sp.Add.make_args(entry):
        number, factors = term.as_coeff_mul()
        product = blocks[factors[0].name]
        for factor in factors[1:]:
            product *= blocks[factor.name]
        total += number * product
    return total


@pytest.mark.parametrize("dimension", [2, 3])
def test_named_blocks_make_up_the_matrices(dimension: int) -> None:
    made = random_models.tree_of(dimension, (2, 0, 0), 3)
    named = {one.factor.text(): one for one in named_matrices(deduce(made))}
    body = rigid_body(dimension)
    whole = {"U_j,I1": body.U1, "U_j,Ik": body.U2, "H_j,I1": body.H1, "H_j,Ik": body.H2}
    blocks = {name: block for one in named.values() for name, block in one.blocks}
    d, spins = dimension, Layout(dimension).rotations
    sizes = [d, spins, spins, d, 1]
    starts = np.cumsum([0, *sizes])
    for name, matrix in whole.items():
        shown = named[name].matrix
        for i in range(shown.rows):
            for j in range(shown.cols):
                given = inserted(shown[i, j], blocks, (sizes[i], sizes[j]))
                part = matrix[starts[i] : starts[i + 1], starts[j] : starts[j + 1]]
                part = part.xreplace({PLANAR_INERTIA: sp.Symbol("J_33", real=True)})
                assert (given - part).expand().is_zero_matrix, (name, i, j)


HINGES = [
    (d, kind) for d, kinds in mstmm.model.parts.hinge_kinds.HINGE_KINDS.items() for kind in kinds
]


@pytest.mark.parametrize(("dimension", "kind"), HINGES)
@pytest.mark.parametrize("root", ["", "2:free"])
def test_named_matrices_of_hinges(dimension: int, kind: str, root: str) -> None:
    """X, what it does to (m, q), and H in the axes of the output end, both ways through."""
    rng = Random(f"{dimension}{kind}")
    base = random_models.joint_tree(rng, dimension, (kind,), 2)
    while len(base.bodies) < 2:
        base = random_models.joint_tree(rng, dimension, (kind,), 2)
    inner = next(h for h in base.hinges if all(end.body != GROUND for end in h.ends))
    free = {
        "": "",
        "2:free": f"{inner.ends[1].body}:free",
    }[root]
    origin = (0.1,) * dimension
    bodies = tuple(replace(b, points=(*b.points, Point("free", origin))) for b in base.bodies)
    made = replace(base, bodies=bodies, root=free)
    q, v = random_models.random_joint_state(rng, made)
    ends, at = Ends(made, q, v), mstmm.derive(made).overall.at(q, v)
    element = next(
        e for e in at.equation.transfer.elements if e.name == inner.name and not e.is_body
    )
    U = np.array(at.matrix(Factor("U", (element.label,))), dtype=float)
    start, end = (ends.frame(x) for x in (element.inputs[0], element.output))
    d = dict(zip(sp.symbols("d_x d_y d_z", real=True), (end - start)[:3, 3], strict=True))
    n = at.n
    for block, own in zip(hinge_blocks(dimension), (slice(0, n), slice(n, 2 * n)), strict=True):
        given = np.array(block.xreplace(d).tolist(), dtype=float)
        assert np.abs(given - U[own, own]).max() < 1e-14
    if not element.freedoms:
        return
    from_parent = element.output == inner.ends[1]
    relative = joint(dimension, inner.kind)
    own = [made.coordinates.index(name) for name in made.hinge_coordinates(inner)]
    values = dict(zip(relative.q, [q[i] for i in own], strict=True))
    values |= {size: made.value(getattr(inner, size.name)) for size in SIZES}
    H = subspace(dimension, inner.kind, from_parent).xreplace(values).evalf()
    given = np.array(H.tolist(), dtype=float)
    axes = end[:dimension, :dimension]
    turned = np.vstack(
        [axes @ given[:dimension], given[dimension:] if dimension == 2 else axes @ given[3:]]
    )
    assert np.abs(turned - U[:n, [*at._s[element.label]]]).max() < 1e-13
