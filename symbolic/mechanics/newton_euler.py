"""Newton's and Euler's law and rigid kinematics of one body: the one source of its matrices.

Everything that a body's transfer matrix says is solved from `balance`; nothing of the paper's
displays enters here.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from .vectors import Layout, Side, column, skew, symbols


@dataclass(frozen=True)
class BodyData:
    """What Newton's law needs to know of a rigid body at one instant.

    Shape
        Vectors 3×1, `inertia` 3×3. `inputs` are r from I₁ to I₁ … I_L, the first one zero.
    Units
        SI.
    Frame
        Inertial axes; `inertia` is about the centre of mass, `centre` and `output` from I₁.
    Sign
        `force` at the centre of mass and `couple` are positive along and about positive axes.
    """

    mass: sp.Expr
    inertia: sp.Matrix
    centre: sp.Matrix
    output: sp.Matrix
    inputs: tuple[sp.Matrix, ...]
    Omega: sp.Matrix
    force: sp.Matrix
    couple: sp.Matrix


def acceleration_of(
    point: sp.Matrix, at_I1: sp.Matrix, dOmega: sp.Matrix, Omega: sp.Matrix
) -> sp.Matrix:
    """The acceleration of the body's point at `point` from I₁.

    Source
        Rigid kinematics; Riccati paper, the line before (14).
    """
    return at_I1 + dOmega.cross(point) + Omega.cross(Omega.cross(point))


def balance(body: BodyData, z_I: sp.Matrix, z_O: sp.Matrix) -> sp.Matrix:
    """What vanishes when the input and output states belong to one motion of the body.

    Shape
        12×1: acceleration of O, angular acceleration, force balance, moment balance about
        the centre of mass. `z_I` has 13 + 6 (L − 1) entries, `z_O` 13.
    Source
        Newton's and Euler's law; Riccati paper, Sect. 2.1 for the signs at the ends.
    """
    layout = Layout(3, len(body.inputs))

    def pick(z: sp.Matrix, entries: tuple[int, ...]) -> sp.Matrix:
        return column(*(z[i] for i in entries))

    at_I1, dOmega = pick(z_I, layout.acceleration), pick(z_I, layout.angular)
    end = Layout(3)
    loads = [
        (Side.INPUT, point, pick(z_I, layout.moment(k)), pick(z_I, layout.force(k)))
        for k, point in enumerate(body.inputs, start=1)
    ]
    loads.append((Side.OUTPUT, body.output, pick(z_O, end.moment()), pick(z_O, end.force())))

    force, moment = body.force, body.couple
    for side, point, m, q in loads:
        force = force + side.force * q
        moment = moment + side.moment * m + (point - body.centre).cross(side.force * q)
    spin = body.inertia * body.Omega
    return sp.Matrix.vstack(
        pick(z_O, end.acceleration) - acceleration_of(body.output, at_I1, dOmega, body.Omega),
        pick(z_O, end.angular) - dOmega,
        force - body.mass * acceleration_of(body.centre, at_I1, dOmega, body.Omega),
        moment - body.inertia * dOmega - body.Omega.cross(spin),
    )


def generic(inputs: int = 1) -> BodyData:
    """A body of which every datum is a symbol, the inertia given about I₁ as in the paper.

    Source
        Riccati paper, Sect. 2.2 (1), (2): J_I = A J'_I Aᵀ, shifted to the centre of mass.
    """
    mass = sp.Symbol("m", real=True)
    centre = symbols("c")
    return BodyData(
        mass=mass,
        inertia=inertia_about_input() + mass * skew(centre) * skew(centre),
        centre=centre,
        output=symbols("o"),
        inputs=(sp.zeros(3, 1), *(symbols(f"i{k}") for k in range(2, inputs + 1))),
        Omega=symbols("Omega"),
        force=symbols("f"),
        couple=symbols("M"),
    )


def inertia_about_input() -> sp.Matrix:
    """The symbolic inertia J_I = A J'_I Aᵀ about I₁, in inertial axes."""
    return sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"J_{min(i, j) + 1}{max(i, j) + 1}", real=True))
