"""The body's matrices (4)–(9), solved from the balance: against the print and point masses."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
import sympy as sp

from mstmm.papers.riccati.prints import printed
from mstmm.symbolic.derivation import formulas, statements
from mstmm.symbolic.mechanics.bodies import (
    coefficients,
    generic_transfer_matrix,
    transfer_matrix,
)
from mstmm.symbolic.mechanics.newton_euler import BodyData, generic
from mstmm.symbolic.mechanics.planar import decoupled, in_plane, kept, reduce
from mstmm.symbolic.mechanics.vectors import Layout, Side, column, skew


def rational(rng: Random) -> sp.Rational:
    return sp.Rational(rng.randint(-40, 40), rng.randint(1, 9))


def vector(rng: Random) -> sp.Matrix:
    return column(*(rational(rng) for _ in range(3)))


def named(U: sp.Matrix) -> dict[str, sp.Matrix]:
    found = coefficients(U, Layout(3))
    return {name: getattr(found, name) for name in formulas._TITLES}


def printed_matrix(symbol: str) -> sp.Matrix:
    found = printed(symbol, "both")
    assert found is not None
    assert found.matrix is not None
    return found.matrix.expand()


def printed_coefficients() -> dict[str, sp.Matrix]:
    """E₁ … E₉ (5)."""
    return {name: printed_matrix(name) for name in formulas._TITLES}


@pytest.mark.parametrize(
    "mutate",
    [
        lambda body: replace(body, inertia=generic().inertia - body.mass * skew(body.centre) ** 2),
        lambda body: replace(body, couple=-body.couple),
        lambda body: replace(body, centre=body.output),
        lambda body: replace(body, force=2 * body.force),
    ],
    ids=["inertia about C for that about I", "couple's sign", "centre for output", "force"],
)
def test_other_physics_differs_from_the_print(mutate) -> None:  # type: ignore[no-untyped-def]
    expected = printed_coefficients()
    found = named(transfer_matrix(mutate(generic())))
    assert any(not (found[name] - expected[name]).expand().is_zero_matrix for name in expected)


def test_another_sign_convention_differs_from_the_print(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Side, "moment", property(lambda side: -side.value[1]))
    found, expected = named(transfer_matrix(generic())), printed_coefficients()
    wrong = [
        name
        for name in expected
        if (found[name] - expected[name]).expand() != sp.zeros(*expected[name].shape)
    ]
    assert {"E6", "E8", "E9"} <= set(wrong)


@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_multi_input_matrix_block_by_block(inputs: int) -> None:
    """(8) as restored from (4), (9): each further input adds [I; E6 + E_Ik] and [0; I]."""
    U = sp.Matrix(generic_transfer_matrix(inputs))
    layout, body = Layout(3, inputs), generic(inputs)
    assert U.shape == (13, 13 + 6 * (inputs - 1))
    single = printed_matrix("U")
    cols = [*range(12), layout.one]
    assert (U.extract(list(range(13)), cols) - single).expand().is_zero_matrix
    for k in range(2, inputs + 1):
        expected = sp.zeros(13, 6)
        expected[6:9, :3] = sp.eye(3)
        expected[6:9, 3:] = skew(body.output) - skew(body.inputs[k - 1])
        expected[9:12, 3:] = sp.eye(3)
        cols = [*layout.moment(k), *layout.force(k)]
        assert (U.extract(list(range(13)), cols) - expected).expand().is_zero_matrix


def reversed_body(body: BodyData) -> BodyData:
    """The same body with input and output exchanged."""
    return replace(body, centre=body.centre - body.output, output=-body.output)


def test_the_reversed_body_gives_the_inverse() -> None:
    """Σ changes the signs of loads, as input and output exchange their roles."""
    body = generic()
    sigma = sp.diag(sp.eye(6), -sp.eye(6), 1)
    product = transfer_matrix(body) * sigma * transfer_matrix(reversed_body(body)) * sigma
    assert (product.expand() - sp.eye(13)).is_zero_matrix


@pytest.mark.parametrize("seed", range(5))
def test_against_a_cloud_of_point_masses(seed: int) -> None:
    """Newton's law for every particle, summed: no inertia tensor, no Euler equation."""
    rng = Random(seed)
    inputs = 1 + seed % 3
    particles = [(abs(rational(rng)) + 1, vector(rng)) for _ in range(5)]
    mass = sum(m for m, _ in particles)
    centre = sum((m * r for m, r in particles), sp.zeros(3, 1)) / mass
    inertia = sum((-m * skew(r - centre) ** 2 for m, r in particles), sp.zeros(3))
    force, couple = vector(rng), vector(rng)
    body = BodyData(
        mass=mass,
        inertia=inertia,
        centre=centre,
        output=vector(rng),
        inputs=(sp.zeros(3, 1), *(vector(rng) for _ in range(inputs - 1))),
        Omega=vector(rng),
        force=force,
        couple=couple,
    )
    layout = Layout(3, inputs)
    z_I = sp.Matrix([rational(rng) for _ in range(layout.size - 1)] + [1])
    z_O = transfer_matrix(body) * z_I
    r, spin = z_I[:3, :], z_I[3:6, :]

    def acceleration(point: sp.Matrix) -> sp.Matrix:
        return r + spin.cross(point) + body.Omega.cross(body.Omega.cross(point))

    assert sp.Matrix(z_O[:3]) == acceleration(body.output)
    assert sp.Matrix(z_O[3:6]) == spin
    m_O, q_O = sp.Matrix(z_O[6:9]), sp.Matrix(z_O[9:12])
    total, about_origin = force - q_O, couple + centre.cross(force) + m_O - body.output.cross(q_O)
    for k, point in enumerate(body.inputs, start=1):
        m_k = z_I.extract(list(layout.moment(k)), [0])
        q_k = z_I.extract(list(layout.force(k)), [0])
        total += q_k
        about_origin += point.cross(q_k) - m_k
    assert total == sum((m * acceleration(p) for m, p in particles), sp.zeros(3, 1))
    assert about_origin == sum((p.cross(m * acceleration(p)) for m, p in particles), sp.zeros(3, 1))


@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_the_plane_stands_alone(inputs: int) -> None:
    assert decoupled(in_plane(inputs), inputs)
    assert not decoupled(sp.Matrix(generic_transfer_matrix(inputs)), inputs)
    assert reduce(in_plane(inputs), inputs).shape == (7, 7 + 3 * (inputs - 1))


def test_35_says_whether_the_plane_stands_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def said() -> str:
        entry = next(entry for entry in statements.entries() if entry.equation == "35")
        return entry.build().steps[-1].text

    assert "kept rows see no dropped columns" in said()
    monkeypatch.setattr(statements, "in_plane", lambda k: sp.Matrix(generic_transfer_matrix(k)))
    assert "kept rows are not all free of dropped columns" in said()


@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_the_balance_shown_is_the_one_of_the_matrix(inputs: int) -> None:
    """U z put for z_O into the balance lines makes them vanish, for every number of inputs."""
    lines = formulas.balance_lines(inputs)
    z_O = formulas.end_state("O")[:12]
    solved = sp.Matrix(generic_transfer_matrix(inputs)) * formulas.input_state(inputs)
    values = dict(zip(z_O, solved[:12], strict=True))
    assert len({line.text for line in lines[:4]}) == 4
    for line in lines[:4]:
        assert isinstance(line.formula, sp.MatrixBase)
        assert line.formula.xreplace(values).expand().is_zero_matrix
    if inputs > 1:
        with_wrong_inputs = formulas.balance_lines(1)[2].formula
        assert not with_wrong_inputs.xreplace(values).expand().is_zero_matrix


@pytest.mark.parametrize(("symbol", "inputs"), [("U", 1), ("U_miso", 2), ("E_I2", 2)])
def test_8_and_9_follow_from_the_balance_of_two_inputs(symbol: str, inputs: int) -> None:
    result = next(entry for entry in formulas.entries() if entry.symbol == symbol).build()
    assert result.steps[: len(formulas.balance_lines(inputs))] == formulas.balance_lines(inputs)
    loads = {str(x) for line in result.steps if line.formula for x in line.formula.free_symbols}
    assert ("qI2_x" in loads) == (inputs == 2)


def test_kept_entries_are_those_of_35() -> None:
    assert [i + 1 for i in kept()] == [1, 2, 6, 9, 10, 11, 13]
    assert Layout(2).labels == ("ẍ", "ÿ", "Ω̇z", "mz", "qx", "qy", "1")
