"""A model's bodies as the elements of its plan: data, matrices, names of their symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from ...model import Body, Model
from ...model.quantities import Quantity, exact_expression
from ..mechanics.bodies import generic_transfer_matrix, inertia_about, reversed_body
from ..mechanics.newton_euler import BodyData, generic, inertia_about_input
from ..mechanics.planar import reduce
from ..mechanics.vectors import Layout, column
from .plan import Link


def angle(body: str) -> sp.Symbol:
    """θ of a planar body, from +x to its first axis."""
    return sp.Symbol(f"theta{body}", real=True)


def spin(model: Model, body: str) -> sp.Matrix:
    """The angular velocity's symbols: one in the plane, three in body axes in space."""
    if model.dimension == 2:
        return column(sp.Symbol(f"omega{body}", real=True))
    return column(*(sp.Symbol(f"omega{body}_{axis}", real=True) for axis in "xyz"))


def quaternion(body: str) -> tuple[sp.Symbol, ...]:
    """The unit quaternion w, x, y, z of a spatial body."""
    return tuple(sp.Symbol(f"Q{body}_{axis}", real=True) for axis in "wxyz")


def orientation(model: Model, body: str) -> sp.Matrix:
    """The matrix from body to inertial axes, 3×3."""
    if model.dimension == 2:
        c, s = sp.cos(angle(body)), sp.sin(angle(body))
        return sp.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    w, x, y, z = quaternion(body)
    return sp.Matrix(
        [
            [1 - 2 * (y**2 + z**2), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x**2 + z**2), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x**2 + y**2)],
        ]
    )


def relations(model: Model, body: str) -> Mapping[sp.Expr, sp.Expr]:
    """What the square of a generator is: a spatial body's quaternion has length 1."""
    if model.dimension == 2:
        return {}
    w, x, y, z = quaternion(body)
    return {w: 1 - x**2 - y**2 - z**2}


def input_points(link: Link) -> tuple[str, ...]:
    """The body's inputs: where bodies hang on it, else its first free point.

    A tip body without a free point has its output for a load-free input.
    """
    return link.inputs or link.free[:1] or (link.output,)


def body_data(model: Model, link: Link) -> BodyData:
    """The body's data for Newton's law, in inertial axes, embedded in space.

    Its first input is the reference point I₁.
    """
    body, A = link.rigid, orientation(model, link.name)
    points = [_vector(body.point(name).position) for name in input_points(link)]
    first = points[0]
    mass = exact_expression(body.mass)
    Omega = spin(model, link.name)
    return BodyData(
        mass=mass,
        inertia=A * _inertia(body) * A.T,
        centre=A * (_vector(body.centre) - first),
        output=A * (_vector(body.point(link.output).position) - first),
        inputs=tuple(A * (point - first) for point in points),
        Omega=column(0, 0, Omega[0]) if model.dimension == 2 else A * Omega,
        force=mass * _vector(model.gravity),
        couple=sp.zeros(3, 1),
    )


def _vector(components: tuple[Quantity, ...]) -> sp.Matrix:
    exact = [exact_expression(component) for component in components]
    return column(*exact, *([0] * (3 - len(exact))))


def _inertia(body: Body) -> sp.Matrix:
    if isinstance(body.inertia, tuple):
        return sp.Matrix(3, 3, lambda i, j: exact_expression(body.inertia[i][j]))
    return sp.diag(0, 0, exact_expression(body.inertia))


def body_matrix(model: Model, link: Link) -> sp.Matrix:
    """The body's transfer matrix (4) or (8) with the model's data; planar: reduced (35).

    Shape
        7 × (7 + 3 (L − 1)) in the plane, 13 × (13 + 6 (L − 1)) in space.
    """
    data = body_data(model, link)
    L = len(data.inputs)
    return _insert(data, sp.Matrix(generic_transfer_matrix(L)), model.dimension)


def single_input_matrix(model: Model, link: Link, *, reverse: bool = False) -> sp.Matrix:
    """The body's matrix (4) from its first input alone; `reverse` swaps input and output."""
    data = replace(body_data(model, link), inputs=(sp.zeros(3, 1),))
    if reverse:
        data = reversed_body(data)
    return _insert(data, sp.Matrix(generic_transfer_matrix(1)), model.dimension)


def input_accelerations(model: Model, link: Link, k: int) -> sp.Matrix:
    """[I E_1,Ik 0 … 0 E_2,Ik]: input k's acceleration from the comprehensive state (14), (17).

    It is the acceleration row of (4) with the output moved to input k, counted from 1.
    """
    data = body_data(model, link)
    L = len(data.inputs)
    moved = dict(zip(generic().output, data.inputs[k - 1], strict=True))
    layout = Layout(model.dimension, L)
    U = _insert(data, sp.Matrix(generic_transfer_matrix(1)), model.dimension, moved)
    end = Layout(model.dimension)
    rows = sp.zeros(layout.translations, layout.size)
    for i in layout.acceleration:
        for j in (*layout.acceleration, *layout.angular):
            rows[i, j] = U[i, j]
        rows[i, layout.one] = U[i, end.one]
    return rows


def _insert(
    data: BodyData,
    U: sp.Matrix,
    dimension: int,
    moved: Mapping[sp.Expr, sp.Expr] | None = None,
) -> sp.Matrix:
    """The generic matrix with data for its symbols, in the plane its planar part alone."""
    inputs = (U.cols - 1) // 6 - 1
    symbols = generic(inputs)
    values: dict[sp.Expr, sp.Expr] = {symbols.mass: data.mass}
    pairs = [
        (symbols.centre, data.centre),
        (symbols.output, data.output),
        (symbols.Omega, data.Omega),
        (symbols.force, data.force),
        (symbols.couple, data.couple),
        (inertia_about_input(), inertia_about(data, sp.zeros(3, 1))),
        *zip(symbols.inputs[1:], data.inputs[1:inputs], strict=True),
    ]
    for symbol, value in pairs:
        values.update(zip(symbol, value, strict=True))
    values.update(moved or {})
    part = reduce(U, inputs) if dimension == 2 else U
    return part.xreplace(values)
