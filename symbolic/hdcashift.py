"""Shift matrices, momenta about moving points: divide-and-conquer paper (9), (14), (47)–(53)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy as sp

from .checks import Check, Sides
from .hdcacases import Cases
from .hdcainstant import Instant
from .screws import skew
from .series import Series


def rate_of_shift(velocity: sp.Matrix) -> sp.Matrix:
    """Ṡ of a velocity: [[0, 0], [~v, 0]].

    Source
        divide-and-conquer paper (53).
    """
    none = sp.zeros(3, 3)
    above = sp.Matrix.hstack(none, none)
    return above.col_join(sp.Matrix.hstack(skew(velocity), none))


def points(cases: Cases) -> Iterator[tuple[Instant, int, Series]]:
    """Bodies and points that move: their joints, another body's centre."""
    at = cases.coupled
    for i in at.system.bodies:
        for point in (at.O[i], at.C[1], at.O[6]):
            yield at, i, point


def mass_matrix(at: Instant, i: int, point: Series) -> sp.Matrix:
    """M_O = [[m, −m ~l_OC], [m ~l_OC, J_O]].

    Source
        divide-and-conquer paper (9).
    """
    m, arm = at.system.mass[i], skew((at.C[i] - point).value)
    J = at.R[i].value * at.system.inertia[i] * at.R[i].value.T - m * arm * arm
    above = sp.Matrix.hstack(m * sp.eye(3), -m * arm)
    return above.col_join(sp.Matrix.hstack(m * arm, J))


def momentum(cases: Cases) -> Sides:
    """P_O = M_O V_O; O is a point of the body."""
    at = cases.coupled
    for i in at.system.bodies:
        yield at.P(i, at.O[i]).value, mass_matrix(at, i, at.O[i]) * at.V(i, at.O[i]).value


def shifts(cases: Cases) -> Sides:
    """P_1 = S_12 P_2 and V_2 = S_12ᵀ V_1, with l_12 from O_1 to O_2."""
    for at, i, point in points(cases):
        S = at.S(at.C[i], point).value
        yield S[3:, :3], skew(point.value - at.C[i].value)
        yield at.P(i, at.C[i]).value, S * at.P(i, point).value
        yield at.V(i, point).value, S.T * at.V(i, at.C[i]).value


def free_body(cases: Cases) -> Sides:
    """Ṗ_C = Q_C of a body on which nothing but its load acts."""
    at = cases.single
    yield at.P(1, at.C[1]).at(1), at.system.load[1]


def loads_shift(cases: Cases) -> Sides:
    """P_C = S_CO P_O; loads go the same way, by force and moment."""
    for at, i, point in points(cases):
        S = at.S(at.C[i], point).value
        yield at.P(i, at.C[i]).value, S * at.P(i, point).value
        force, moment = at.system.load[i][:3, :], at.system.load[i][3:, :]
        lever = at.C[i].value - point.value
        yield at.system.load[i], S * force.col_join(moment + lever.cross(force))


def inverses(cases: Cases) -> Sides:
    """S_CO⁻¹ = S_OC."""
    for at, i, point in points(cases):
        S, back = at.S(at.C[i], point).value, at.S(point, at.C[i]).value
        yield S * back, sp.eye(6)
        yield S.inv(), back


def products(cases: Cases) -> Sides:
    """S_OC Ṡ_OC = Ṡ_OC = Ṡ_OC S_OC."""
    for at, i, point in points(cases):
        S = at.S(point, at.C[i])
        yield S.value * S.at(1), S.at(1)
        yield S.at(1) * S.value, S.at(1)


def products_needed(cases: Cases, printed: bool = False) -> Sides:
    """What (51) needs of S_OC d(S_CO P_O)/dt: S_OC Ṡ_CO = Ṡ_CO, not Ṡ_OC."""
    for at, i, point in points(cases):
        S, back = at.S(point, at.C[i]), at.S(at.C[i], point)
        yield S.value * back.at(1), S.at(1) if printed else back.at(1)


def moving_point(cases: Cases, absolute: bool) -> Sides:
    """Ṗ_O + Ṡ P_O = Q_O with Ṡ_CO, or with Ṡ_O of the point's own velocity.

    Q_O is the load and what the joints exert: the rate of the momentum about the centre.
    """
    for at, i, point in points(cases):
        Q = at.S(point, at.C[i]).value * at.P(i, at.C[i]).at(1)
        S = rate_of_shift(point.at(1)) if absolute else at.S(at.C[i], point).at(1)
        yield at.P(i, point).at(1) + S * at.P(i, point).value, Q


def absolute_rate(cases: Cases) -> Sides:
    """Ṡ_CO P_O = Ṡ_O P_O, though Ṡ_CO holds v_O − v_C: the momentum's force part is m v_C."""
    for at, i, point in points(cases):
        P = at.P(i, point).value
        yield at.S(at.C[i], point).at(1) * P, rate_of_shift(point.at(1)) * P


CHECKS = (
    Check("9", "momentum about a point of the body", momentum),
    Check("14", "shift of wrenches and twists", shifts),
    Check("47", "Newton and Euler about the centre", free_body),
    Check("48", "momenta and loads shift alike", loads_shift),
    Check("49", "the shift back is the inverse", inverses),
    Check("50", "S Ṡ = Ṡ = Ṡ S of one pair of points", products),
    Check(
        "50 in 51",
        "S_OC Ṡ_CO, which the way from (47) to (51) takes",
        products_needed,
        partial(products_needed, printed=True),
        "E16: (50) is stated for S_OC Ṡ_OC, and holds for the product with every Ṡ",
    ),
    Check("51", "motion about a moving point, relative", partial(moving_point, absolute=False)),
    Check("52", "motion about a moving point, absolute", partial(moving_point, absolute=True)),
    Check("53", "the rate of a shift by the point's velocity", absolute_rate),
)
