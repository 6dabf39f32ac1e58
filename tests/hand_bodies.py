"""Bodies' matrices by hand, from Newton's law with a model's data: judges of programs."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from mstmm.model import Body, Model
from mstmm.model.expressions.quantities import Quantity, exact_expression
from mstmm.symbolic.mechanics.bodies import generic_transfer_matrix
from mstmm.symbolic.mechanics.newton_euler import BodyData, generic, inertia_about_input
from mstmm.symbolic.mechanics.planar import reduce
from mstmm.symbolic.mechanics.vectors import column, skew
from mstmm.symbolic.plans.elements import angle, input_points, quaternion, spin
from mstmm.symbolic.plans.plan import Link


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


def single_input_matrix(model: Model, link: Link) -> sp.Matrix:
    """The body's matrix (4) from its first input alone."""
    data = replace(body_data(model, link), inputs=(sp.zeros(3, 1),))
    return _insert(data, sp.Matrix(generic_transfer_matrix(1)), model.dimension)


def _insert(
    data: BodyData,
    U: sp.Matrix,
    dimension: int,
) -> sp.Matrix:
    """The generic matrix with data for its symbols, in the plane its planar part alone."""
    inputs = (U.cols - 1) // 6 - 1
    symbols = generic(inputs)
    values: dict[sp.Expr, sp.Expr] = {symbols.mass: data.mass}
    arm = skew(data.centre)
    pairs = [
        (symbols.centre, data.centre),
        (symbols.output, data.output),
        (symbols.Omega, data.Omega),
        (symbols.force, data.force),
        (symbols.couple, data.couple),
        (inertia_about_input(), data.inertia - data.mass * arm * arm),
        *zip(symbols.inputs[1:], data.inputs[1:inputs], strict=True),
    ]
    for symbol, value in pairs:
        values.update(zip(symbol, value, strict=True))
    part = reduce(U, inputs) if dimension == 2 else U
    return part.xreplace(values)
