"""Shift matrices, momenta about moving points: divide-and-conquer paper (9), (14), (47)–(53)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy as sp

from ...exact.ledger import Sides
from ...exact.screws import skew
from ...exact.series import Series
from .cases import entry, on
from .instant import Instant


def rate_of_shift(velocity: sp.Matrix) -> sp.Matrix:
    """Ṡ of a velocity: [[0, 0], [~v, 0]].

    Source
        divide-and-conquer paper (53).
    """
    none = sp.zeros(3, 3)
    above = sp.Matrix.hstack(none, none)
    return above.col_join(sp.Matrix.hstack(skew(velocity), none))


def points(at: Instant) -> Iterator[tuple[int, Series]]:
    """Bodies and points that move: their joints, another body's centre."""
    for i in at.bodies:
        for point in (at.O[i], at.C[1], at.O[6]):
            yield i, point


def mass_matrix(at: Instant, i: int, point: Series) -> sp.Matrix:
    """M_O = [[m, −m ~l_OC], [m ~l_OC, J_O]].

    Source
        divide-and-conquer paper (9).
    """
    m, arm = at.mass[i], skew((at.C[i] - point).value)
    J = at.J(i).value - m * arm * arm
    above = sp.Matrix.hstack(m * sp.eye(3), -m * arm)
    return above.col_join(sp.Matrix.hstack(m * arm, J))


def momentum(at: Instant) -> Sides:
    """O is a point of the body."""
    for i in at.bodies:
        yield at.P(i, at.O[i]).value, mass_matrix(at, i, at.O[i]) * at.V(i, at.O[i]).value


def shifts(at: Instant) -> Sides:
    """S_12 holds l_12 from O_1 to O_2."""
    for i, point in points(at):
        S = at.S(at.C[i], point).value
        yield S[3:, :3], skew(point.value - at.C[i].value)
        yield at.P(i, at.C[i]).value, S * at.P(i, point).value
        yield at.V(i, point).value, S.T * at.V(i, at.C[i]).value


def free_body(at: Instant) -> Sides:
    """Of a body on which nothing but its load acts."""
    yield at.P(1, at.C[1]).at(1), at.load[1]


def loads_shift(at: Instant) -> Sides:
    """Loads shift by force and moment."""
    for i, point in points(at):
        S = at.S(at.C[i], point).value
        yield at.P(i, at.C[i]).value, S * at.P(i, point).value
        force, moment = at.load[i][:3, :], at.load[i][3:, :]
        lever = at.C[i].value - point.value
        yield at.load[i], S * force.col_join(moment + lever.cross(force))


def inverses(at: Instant) -> Sides:
    for i, point in points(at):
        S, back = at.S(at.C[i], point).value, at.S(point, at.C[i]).value
        yield S * back, sp.eye(6)
        yield S.inv(), back


def products(at: Instant) -> Sides:
    for i, point in points(at):
        S = at.S(point, at.C[i])
        yield S.value * S.at(1), S.at(1)
        yield S.at(1) * S.value, S.at(1)


def products_needed(at: Instant, printed: bool = False) -> Sides:
    """What (51) needs of S_OC d(S_CO P_O)/dt."""
    for i, point in points(at):
        S, back = at.S(point, at.C[i]), at.S(at.C[i], point)
        yield S.value * back.at(1), S.at(1) if printed else back.at(1)


def moving_point(at: Instant, absolute: bool) -> Sides:
    """With Ṡ_CO, or with Ṡ_O of the point's own velocity.

    Q_O is the load and what the joints exert: the rate of the momentum about the centre.
    """
    for i, point in points(at):
        Q = at.S(point, at.C[i]).value * at.P(i, at.C[i]).at(1)
        S = rate_of_shift(point.at(1)) if absolute else at.S(at.C[i], point).at(1)
        yield Q, at.P(i, point).at(1), S * at.P(i, point).value


def absolute_rate(at: Instant) -> Sides:
    """Though Ṡ_CO holds v_O − v_C: the momentum's force part is m v_C."""
    for i, point in points(at):
        P = at.P(i, point).value
        yield at.S(at.C[i], point).at(1) * P, rate_of_shift(point.at(1)) * P


coupled = partial(entry, instants=on("coupled"))

ENTRIES = (
    coupled("9", "momentum about a point of the body", momentum, "P_O = M_O V_O"),
    coupled("14", "shift of wrenches and twists", shifts, "P_1 = S_12 P_2, V_2 = S_12ᵀ V_1"),
    entry("47", "Newton and Euler about the centre", free_body, "Ṗ_C = Q_C", instants=on("single")),
    coupled("48", "momenta and loads shift alike", loads_shift, "P_C = S_CO P_O, Q_C = S_CO Q_O"),
    coupled("49", "the shift back is the inverse", inverses, "S_CO⁻¹ = S_OC"),
    coupled("50", "a shift times its rate", products, "S_OC Ṡ_OC = Ṡ_OC = Ṡ_OC S_OC"),
    coupled(
        "50, in 51",
        "the product that leads from (47) to (51)",
        products_needed,
        "S_OC Ṡ_CO = Ṡ_CO",
        as_printed="S_OC Ṡ_CO = Ṡ_OC",
        correction="E16: (50) is stated for S_OC Ṡ_OC, and holds for the product with every Ṡ",
    ),
    coupled(
        "51",
        "motion about a moving point, relative",
        partial(moving_point, absolute=False),
        "Ṗ_O + Ṡ_CO P_O = Q_O",
    ),
    coupled(
        "52",
        "motion about a moving point, absolute",
        partial(moving_point, absolute=True),
        "Ṗ_O + Ṡ_O P_O = Q_O",
    ),
    coupled(
        "53",
        "the rate of a shift by the point's velocity",
        absolute_rate,
        "Ṡ_CO P_O = Ṡ_O P_O, Ṡ_O = [[0, 0], [~v_O, 0]]",
    ),
)
