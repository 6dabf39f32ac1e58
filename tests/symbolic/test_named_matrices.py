"""The named matrices of the deduction theorem, entry by entry."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
import random_models
import sympy as sp
from deduction_models import external
from overall_numbers import Numbers

import mstmm
from mstmm.model import GROUND, End, Model, Point
from mstmm.model.parts.hinge_kinds import SIZES
from mstmm.symbolic.mechanics.hinges import joint
from mstmm.symbolic.mechanics.planar import body_matrix
from mstmm.symbolic.mechanics.vectors import Layout
from mstmm.symbolic.pages.body import PLANAR_INERTIA, rigid_body
from mstmm.symbolic.pages.named import hinge_blocks, named_matrices, subspace
from mstmm.symbolic.plans.deduction import Factor, deduce


def body_values(made: Model, numbers: Numbers, name: str) -> tuple[dict[sp.Expr, float], list[End]]:
    """Numbers for the symbols of a body's matrices."""
    element = numbers.elements[name]
    body, frame = made.body(name), numbers.frames[name]
    first = numbers.place(element.inputs[0])
    position = [made.value(x) for x in body.centre]
    C = (frame.x @ np.array([*position, *[0.0] * (3 - len(position)), 1.0]))[:3]
    m, c = made.value(body.mass), C - first.r
    R = frame.x[:3, :3]
    k = [b.name for b in made.bodies].index(name)
    inertia = body.inertia
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
        "o": numbers.place(element.output).r - first.r,
        "Omega": first.Omega,
        "f": m * gravity + numbers.wrenches[k, 3:],
        "M": numbers.wrenches[k, :3],
    }
    if len(element.inputs) > 1:
        vectors["i2"] = numbers.place(element.inputs[1]).r - first.r
    for letter, vector in vectors.items():
        values |= {f"{letter}_{axis}": x for axis, x in zip("xyz", vector, strict=True)}
    values |= {f"J_{i + 1}{j + 1}": J[i, j] for i in range(3) for j in range(3)}
    values[PLANAR_INERTIA.name] = J[2, 2]
    return {sp.Symbol(n, real=True): x for n, x in values.items()}, list(element.inputs)


@pytest.mark.parametrize("dimension", [2, 3])
def test_named_matrices_of_bodies(dimension: int) -> None:
    rng = Random(dimension)
    made = random_models.tree_of(dimension, (2, 0, 0), 3)
    made = replace(made, absolute=False, q0=(), v0=())
    q, v = random_models.random_joint_state(rng, made)
    wrenches = external(made, rng)
    numbers = Numbers(deduce(made), np.array(q), np.array(v), None, wrenches)
    element = next(e for e in numbers.elements.values() if len(e.inputs) == 2)
    values, _ = body_values(made, numbers, element.name)
    keep = [*range(2 * numbers.n), numbers.size - 1]

    def same(matrix: sp.Matrix, factor: Factor) -> None:
        given = np.array(matrix.xreplace(values).tolist(), dtype=float)
        found = numbers.matrix(factor)
        rows = keep if len(found) == numbers.size else range(len(found))
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
    numbers = Numbers(deduce(made), np.array(q), np.array(v))
    element = next(e for e in numbers.elements.values() if e.name == inner.name and not e.is_body)
    U = numbers.matrix(Factor("U", (element.label,)))
    start, end = numbers.place(element.inputs[0]), numbers.place(element.output)
    d = dict(zip(sp.symbols("d_x d_y d_z", real=True), end.r - start.r, strict=True))
    n = numbers.n
    for block, at in zip(hinge_blocks(dimension), (slice(0, n), slice(n, 2 * n)), strict=True):
        assert np.abs(np.array(block.xreplace(d).tolist(), dtype=float) - U[at, at]).max() < 1e-14
    if not element.freedoms:
        return
    from_parent = element.output == inner.ends[1]
    relative = joint(dimension, inner.kind)
    own = [made.coordinates.index(name) for name in made.hinge_coordinates(inner)]
    values = dict(zip(relative.q, [q[i] for i in own], strict=True))
    values |= {size: made.value(getattr(inner, size.name)) for size in SIZES}
    H = subspace(dimension, inner.kind, from_parent).xreplace(values).evalf()
    given = np.array(H.tolist(), dtype=float)
    axes = end.axes[:dimension, :dimension]
    turned = np.vstack(
        [axes @ given[:dimension], given[dimension:] if dimension == 2 else axes @ given[3:]]
    )
    slots = [2 * n + slot for slot in numbers.slots[element.label]]
    assert np.abs(turned - U[:n, slots]).max() < 1e-13
