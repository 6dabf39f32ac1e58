"""The page of the rigid body: balance, inertia form, transfer matrices, code and proof."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy as sp

from ..derivation.formulas import balance_lines, entries
from ..derivation.statements import entries as stated_entries
from ..mechanics.newton_euler import generic, inertia_about_input
from ..mechanics.planar import body_matrix, kept
from ..mechanics.space import Space
from ..mechanics.vectors import Layout
from ..tree import absolute_kernels as kernels
from .body_proof import Inertia, RigidBody, body_checks, two_inputs
from .page import ElementPage, Section, Statement, kernel_section

#: What stands for the planar body's inertia about I₁.
PLANAR_INERTIA = sp.Symbol("J_I", real=True)


def rigid_body_page(dimension: int) -> ElementPage:
    """Derive and prove the rigid body with any number of inputs; two stand for all."""
    body = rigid_body(dimension)
    return ElementPage(
        element="rigid-body",
        dimension=dimension,
        title=f"rigid body {'in the plane' if dimension == 2 else 'in space'}",
        summary="A rigid body with inputs I₁ … I_L and one output O; shown for L = 2, further "
        "inputs are like the second. Components in inertial axes, places from I₁.",
        sections=tuple(_sections(body)),
        checks=body_checks(body),
    )


def lumped_mass_page(dimension: int) -> ElementPage:
    """Derive and prove the lumped mass: a rigid body whose points coincide, without inertia."""
    body = at_one_point(rigid_body(dimension))
    return ElementPage(
        element="lumped-mass",
        dimension=dimension,
        title=f"lumped mass {'in the plane' if dimension == 2 else 'in space'}",
        summary="A mass without extent: a rigid body whose ends and centre of mass coincide, and "
        "whose inertia about them is zero. Components in inertial axes; shown for two inputs.",
        sections=(
            _state(dimension),
            _generic(body),
            _paper(body),
            kernel_section(
                "Fast form in joint coordinates, in link axes",
                two_inputs(dimension, loaded=False),
                "the rigid body's kernel with h = 0 and J = 0, whose zeros are never computed",
            ),
        ),
        checks=body_checks(body),
    )


def at_one_point(body: RigidBody) -> RigidBody:
    """The body with all its points in one, and without inertia about it."""
    gone = [*body.centre, *body.output, *body.second, *body.inertia]
    zero = dict.fromkeys((symbol for symbol in gone if symbol != 0), sp.S.Zero)

    def left(matrix: sp.Matrix) -> sp.Matrix:
        return matrix.xreplace(zero)

    return replace(
        body,
        **{
            name: left(getattr(body, name))
            for name in ("centre", "output", "second", "inertia", "U1", "U2", "H1", "H2")
        },
        generic=Inertia(left(body.generic.M), left(body.generic.p)),
    )


def rigid_body(dimension: int) -> RigidBody:
    """Its matrices: solved from the balance in space; in the plane kept rows and columns (35)."""
    data, J, n = generic(2), inertia_about_input(), Layout(dimension).motions
    vectors = [data.centre, data.output, data.inputs[1], data.force]
    spins, planar = [data.Omega, data.couple], dict[sp.Expr, sp.Expr]()
    if dimension == 2:
        vectors, spins = [x[:2, :] for x in vectors], [x[2:, :] for x in spins]
        planar, J = {J[2, 2]: PLANAR_INERTIA}, sp.Matrix([PLANAR_INERTIA])
    whole, one = (body_matrix(dimension, inputs).xreplace(planar) for inputs in (2, 1))
    none = sp.zeros(2 * n + 1, n)
    U1 = sp.Matrix.hstack(whole[:, : 2 * n], whole[:, -1])
    U2 = sp.Matrix.hstack(none, whole[:, 2 * n : 3 * n], none[:, :1])
    H1 = one[:n, :].xreplace(dict(zip(data.output, data.inputs[1], strict=True)))
    H2 = sp.eye(n).row_join(sp.zeros(n, n + 1))
    centre, output, second, force = vectors
    spin, couple = spins
    return RigidBody(
        dimension, data.mass, centre, output, second, spin, J, force, couple,
        U1, U2, H1, H2, _inertia(dimension, data.mass, centre, spin, J, force, couple),
    )  # fmt: skip


def _inertia(
    dimension: int,
    mass: sp.Expr,
    centre: sp.Matrix,
    spin: sp.Matrix,
    J: sp.Matrix,
    force: sp.Matrix,
    couple: sp.Matrix,
) -> Inertia:
    """M and p about I₁.

    Source
        Deduction paper (18): Newton's and Euler's law about the first input.
    """
    space, d = Space(dimension), dimension
    lever = mass * space.shift(centre)[:d, d:]
    M = sp.BlockMatrix([[mass * sp.eye(d), lever], [lever.T, J]]).as_explicit()
    gyroscopic = sp.zeros(1, 1) if d == 2 else space.tilde(spin) * J * spin
    linear = mass * space.turn(spin, space.turn(spin, centre)) - force
    return Inertia(
        M, sp.Matrix.vstack(linear, gyroscopic - couple - space.tilde(centre) * force).expand()
    )


def _sections(body: RigidBody) -> Iterator[Section]:
    yield _state(body.dimension)
    if body.dimension == 3:
        lines = tuple(Statement(line.text, value=line.formula) for line in balance_lines(2)[:4])
        yield Section("Newton's and Euler's law, two inputs", lines)
    yield _generic(body)
    yield _paper(body)
    if body.dimension == 3:
        yield _blocks()
    about = "λ = IA a + pA at the output end, from what the inputs demand there"
    link = two_inputs(body.dimension, loaded=False)
    yield kernel_section("Fast form in joint coordinates, in link axes", link, about)
    absolute = kernels.body.of(dimension=body.dimension, input_count=2, forced=False)
    about = "the same in inertial axes, the inputs' IA and pA moved to the output end"
    yield kernel_section("Fast form in absolute coordinates", absolute, about)


def _state(dimension: int) -> Section:
    name = "z_planar" if dimension == 2 else "z"
    result = next(entry for entry in stated_entries() if entry.symbol == name).build()
    lines = [
        Statement("", "z", result.matrix, f"Riccati paper ({result.equation})"),
        Statement("on the element act +q and −m at an input, −q and +m at the output"),
    ]
    if dimension == 2:
        rows = ", ".join(str(i + 1) for i in kept())
        lines.append(
            Statement(f"rows and columns {rows} of the spatial body", source="Riccati paper (35)")
        )
    return Section("State of an end", tuple(lines))


def _generic(body: RigidBody) -> Section:
    space = Space(body.dimension)

    def central(arm: sp.Matrix) -> sp.Matrix:
        turned = space.turn(body.spin, space.turn(body.spin, arm)).expand()
        return sp.Matrix.vstack(turned, sp.zeros(space.spins, 1))

    source = "deduction paper (16), (17)"
    return Section(
        "Inertia form",
        (
            Statement(
                "M a_I1 + p = X_Oᵀ λ_O − λ_I1 − X_I2ᵀ λ_I2 with λ = (−q, m); "
                "a_O = X_O a_I1 + g_O, a_I2 = X_I2 a_I1 + g_I2",
                source="deduction paper (18)",
            ),
            Statement("", "M", body.generic.M, "deduction paper (18)"),
            Statement("", "p", body.generic.p, "deduction paper (18)"),
            Statement("", "X_O", space.shift(body.output), source),
            Statement("", "g_O", central(body.output), source),
            Statement("", "X_I2", space.shift(body.second), source),
            Statement("", "g_I2", central(body.second), source),
        ),
    )


def _paper(body: RigidBody) -> Section:
    transfer = "Riccati paper (4), (7), (8); deduction paper (13), (19)–(21)"
    geometry = "Riccati paper (14), (17); deduction paper (14), (22)"
    return Section(
        "Paper form",
        (
            Statement("z_O = U_I1 z_I1 + U_I2 z_I2", source=transfer),
            Statement("", "U_I1", body.U1, transfer),
            Statement("", "U_I2", body.U2, transfer),
            Statement("H_I1 z_I1 = H_I2 z_I2: both inputs belong to one body", source=geometry),
            Statement("", "H_I1", body.H1, geometry),
            Statement("", "H_I2", body.H2, geometry),
        ),
    )


def _blocks() -> Section:
    """E₁ … E₉ and E_I2, read off U."""
    lines = [Statement("blocks read off the derived matrix")]
    for entry in entries():
        if entry.equation in ("5", "9"):
            result = entry.build()
            source = f"Riccati paper ({result.equation})"
            lines.append(Statement(result.title, result.symbol, result.matrix, source))
    return Section("Blocks of the paper form", tuple(lines))
