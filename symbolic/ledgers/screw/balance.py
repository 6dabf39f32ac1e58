"""Newton–Euler equations of one body in four representations: screw paper (35)–(59).

The wrenches, momenta and inertias that they state are judged by sums over particles.
"""

from __future__ import annotations

import sympy as sp

from ...exact import screws
from ...exact.ledger import Sides
from ...exact.motion import inverse
from ...exact.screws import Ad, Ad_shift, Ad_turn, ad, ad_spin, ad_velocity, angular, skew, twist
from ...exact.series import Series
from . import tree as screwtree
from .cases import entry
from .moving import Moving, bodies, centred, within
from .particles import framed, unturned
from .tree import Tree

# Spatial


def spatial_inertia(tree: Tree) -> Sides:
    for at in bodies(tree):
        yield at.cloud.inertia(at.ground), at.Ms


def spatial_momentum(tree: Tree) -> Sides:
    for at in bodies(tree):
        momentum = at.cloud.momentum(at.ground).value
        yield momentum, at.Ms * at.Vs.value
        yield momentum, Ad(screws.inverse(at.C.value)).T * at.M * at.Vb.value


def spatial_momentum_balance(tree: Tree) -> Sides:
    for at in bodies(tree):
        yield at.Ws, at.cloud.momentum(at.ground).at(1)


def spatial_inertia_rate(tree: Tree) -> Sides:
    for at in bodies(tree):
        back = screwtree.Ad(inverse(at.C))
        rate = (back.T @ Series.constant(at.M, back.order) @ back).at(1)
        spin = ad(at.Vs.value)
        yield rate, -spin.T * at.Ms - at.Ms * spin


def spatial(tree: Tree) -> Sides:
    for at in bodies(tree):
        V = at.Vs
        yield at.Ws, at.Ms * V.at(1) - ad(V.value).T * at.Ms * V.value


# Body-fixed


def centred_inertia(tree: Tree) -> Sides:
    for _, at in centred(tree):
        yield at.M, sp.diag(at.M[:3, :3], at.m * sp.eye(3))


def moved_inertia(tree: Tree) -> Sides:
    for i in tree.numbers:
        S = within(tree, i)
        at, centre = Moving(tree, i), Moving(tree, i, S)
        back = Ad(screws.inverse(S))
        yield at.M, back.T * centre.M * back
        turned = screws.turn(S) * centre.M[:3, :3] * screws.turn(S).T
        yield at.M[:3, :3], turned - at.m * skew(screws.place(S)) ** 2
        yield at.M[:3, 3:], at.m * skew(screws.place(S))


def body_fixed(tree: Tree) -> Sides:
    for at in bodies(tree):
        V = at.Vb
        momentum = Series.constant(at.M, V.order) @ V
        yield at.Wb, momentum.at(1) - ad(V.value).T * momentum.value
        yield at.Wb, at.M * V.at(1) - ad(V.value).T * at.M * V.value


def parts(V: Series, order: int) -> tuple[sp.Matrix, sp.Matrix]:
    """Angular and linear part of a twist's derivative."""
    value = V.at(order)
    return value[:3, :], value[3:, :]


def body_fixed_moment(tree: Tree) -> Sides:
    for at in bodies(tree):
        (w, v), (wd, vd) = parts(at.Vb, 0), parts(at.Vb, 1)
        theta = at.M[:3, :3]
        turning = theta * wd + w.cross(theta * w)
        yield at.Wb[:3, :], turning + at.m * at.d.cross(vd + w.cross(v))


def body_fixed_force(tree: Tree) -> Sides:
    for at in bodies(tree):
        (w, v), (wd, vd) = parts(at.Vb, 0), parts(at.Vb, 1)
        yield at.Wb[3:, :], at.m * (vd + w.cross(v) + (skew(wd) + skew(w) ** 2) * at.d)


def centred_body_fixed(tree: Tree) -> Sides:
    for _, at in centred(tree):
        V = at.Vb
        spin = ad_spin(V.value[:3, :])
        yield at.Wb, at.M * V.at(1) - spin.T * at.M * V.value


def centred_moment(tree: Tree) -> Sides:
    for _, at in centred(tree):
        (w, _), (wd, _) = parts(at.Vb, 0), parts(at.Vb, 1)
        theta = at.M[:3, :3]
        yield at.Wb[:3, :], theta * wd + w.cross(theta * w)


def centred_force(tree: Tree) -> Sides:
    for _, at in centred(tree):
        (w, v), (_, vd) = parts(at.Vb, 0), parts(at.Vb, 1)
        yield at.Wb[3:, :], at.m * (vd + w.cross(v))


# Hybrid


def hybrid_of_centre(tree: Tree, printed: bool = False) -> Sides:
    for _, at in centred(tree):
        turn = Ad_turn(at.R)
        yield at.Vh.value, (turn.T if printed else turn) * at.Vb.value


def hybrid_centred_inertia(tree: Tree) -> Sides:
    for _, at in centred(tree):
        found = at.cloud.inertia(unturned(at.C))
        turned = at.R * at.M[:3, :3] * at.R.T
        yield found, Ad_turn(at.R) * at.M * Ad_turn(at.R).T
        yield found, sp.diag(turned, at.m * sp.eye(3))


def hybrid_centred(tree: Tree) -> Sides:
    for _, at in centred(tree):
        V, M = at.Vh, at.Mh
        yield at.Wh, at.cloud.momentum(unturned(at.C)).at(1)
        yield at.Wh, M * V.at(1) + ad_spin(V.value[:3, :]) * M * angular(V.value)


def hybrid_centred_moment(tree: Tree) -> Sides:
    for _, at in centred(tree):
        theta, w = at.Mh[:3, :3], at.Vh.value[:3, :]
        yield at.Wh[:3, :], theta * at.Vh.at(1)[:3, :] + w.cross(theta * w)


def hybrid_centred_force(tree: Tree, printed: bool = False) -> Sides:
    for _, at in centred(tree):
        yield at.Wh[3:, :], at.m * at.C.at(1 if printed else 2)[:3, 3]


def hybrid_inertia(tree: Tree) -> Sides:
    for at, centre in centred(tree):
        d = at.R * at.d
        found, back = at.cloud.inertia(unturned(at.C)), Ad_shift(-d)
        yield found, back.T * centre.Mh * back
        yield found[:3, :3], centre.Mh[:3, :3] - at.m * skew(d) ** 2
        yield found[:3, 3:], at.m * skew(d)


def hybrid_momentum_balance(tree: Tree, printed: bool = False) -> Sides:
    for at in bodies(tree):
        momentum = at.cloud.momentum(unturned(at.C))
        carried = ad_velocity(at.C.at(1)[:3, 3]).T * momentum.value
        yield at.Wh, momentum.at(1) - (sp.zeros(6, 1) if printed else carried)


def shift_rate(tree: Tree, printed: bool = False) -> Sides:
    """d/dt Ad_d⁻¹ of a d that is fixed in the body: −ad_ḋ = ad_ω Ad_d⁻¹ − Ad_d⁻¹ ad_ω."""
    for at in bodies(tree):
        d = (at.C.map(screws.turn) @ Series.constant(at.d, at.C.order)).at
        spin, back = ad_spin(at.Vh.value[:3, :]), Ad_shift(-d(0))
        stated = spin * back - back * spin
        yield -ad_velocity(d(1)), -stated if printed else stated


def hybrid(tree: Tree) -> Sides:
    for at in bodies(tree):
        V, M = at.Vh, at.Mh
        yield at.Wh, M * V.at(1) + ad_spin(V.value[:3, :]) * M * angular(V.value)


def hybrid_moment(tree: Tree) -> Sides:
    for at in bodies(tree):
        (w, _), (wd, rdd) = parts(at.Vh, 0), parts(at.Vh, 1)
        theta = at.Mh[:3, :3]
        turning = theta * wd + w.cross(theta * w)
        yield at.Wh[:3, :], turning + at.m * (at.R * at.d).cross(rdd)


def hybrid_force(tree: Tree) -> Sides:
    for at in bodies(tree):
        (w, _), (wd, rdd) = parts(at.Vh, 0), parts(at.Vh, 1)
        yield at.Wh[3:, :], at.m * (rdd + (skew(wd) + skew(w) ** 2) * at.R * at.d)
        yield at.Wh[3:, :], at.Ws[3:, :]


# Mixed


def origin_acceleration(tree: Tree, printed: bool = False) -> Sides:
    """Rᵀ r̈ = v̇ᵇ + ~ωᵇ vᵇ."""
    for at in bodies(tree):
        (w, v), (_, vd) = parts(at.Vb, 0), parts(at.Vb, 1)
        rdd = at.C.at(2)[:3, 3]
        yield rdd if printed else at.R.T * rdd, vd + w.cross(v)


def mixed_moment(tree: Tree) -> Sides:
    for at in bodies(tree):
        (w, _), (wd, rdd) = parts(at.Vm, 0), parts(at.Vm, 1)
        theta = at.M[:3, :3]
        turning = theta * wd + w.cross(theta * w)
        yield at.Wb[:3, :], turning + at.m * at.d.cross(at.R.T * rdd)


def mixed_force(tree: Tree) -> Sides:
    for at in bodies(tree):
        (w, _), (wd, rdd) = parts(at.Vm, 0), parts(at.Vm, 1)
        yield at.Wh[3:, :], at.m * (rdd + at.R * (skew(wd) + skew(w) ** 2) * at.d)


def mixed_centred(tree: Tree) -> Sides:
    for _, at in centred(tree):
        (w, _), (wd, rdd) = parts(at.Vm, 0), parts(at.Vm, 1)
        theta = at.M[:3, :3]
        wrench = twist(at.cloud.wrench(framed(at.C.map(screws.turn), at.C))[:3, :], at.Wh[3:, :])
        yield wrench, twist(theta * wd + w.cross(theta * w), at.m * rdd)


ENTRIES = (
    entry("35", "spatial inertia", spatial_inertia, "Mˢ = Ad_C⁻ᵀ Mᵇ Ad_C⁻¹"),
    entry("36", "spatial momentum", spatial_momentum, "Πˢ = Mˢ Vˢ = Ad_C⁻ᵀ Mᵇ Vᵇ"),
    entry("37", "spatial momentum changes by the wrench", spatial_momentum_balance, "Π̇ˢ = Wˢ"),
    entry("38", "rate of the spatial inertia", spatial_inertia_rate, "Ṁˢ = −ad_Vᵀ Mˢ − Mˢ ad_V"),
    entry("39", "spatial Newton–Euler equations", spatial, "Wˢ = Mˢ V̇ˢ − ad_Vᵀ Mˢ Vˢ"),
    entry("40", "inertia in a frame at the centre of mass", centred_inertia, "Mᵇ = diag(Θ_c, m 1)"),
    entry(
        "41",
        "inertia in any frame of the body",
        moved_inertia,
        "Mᵇ = Ad_S⁻ᵀ M_c Ad_S⁻¹ = [[R Θ_c Rᵀ − m ~d², m ~d], [−m ~d, m 1]]",
    ),
    entry(
        "42",
        "body-fixed Newton–Euler equations, by momenta and by twists",
        body_fixed,
        "Wᵇ = Mᵇ V̇ᵇ − ad_Vᵀ Mᵇ Vᵇ = Π̇ᵇ − ad_Vᵀ Πᵇ",
    ),
    entry("43", "their moments", body_fixed_moment, "tᵇ = Θ ω̇ + ω × Θ ω + m d × (v̇ + ω × v)"),
    entry("44", "their forces", body_fixed_force, "fᵇ = m (v̇ + ω × v + (~ω̇ + ~ω²) d)"),
    entry("45", "body-fixed at the centre of mass", centred_body_fixed, "W = M_c V̇ − ad_ωᵀ M_c V"),
    entry("46", "their moments", centred_moment, "t = Θ_c ω̇ + ω × Θ_c ω"),
    entry("47", "their forces", centred_force, "f = m (v̇ + ω × v)"),
    entry(
        "48, before",
        "hybrid twist of the centre of mass",
        hybrid_of_centre,
        "Vʰ_c = Ad_R Vᵇ_c",
        as_printed="Vʰ_c = Ad_R⁻¹ Vᵇ_c",
        correction="Ad_R leads from body axes to inertial ones, not its inverse",
        kind="text",
    ),
    entry(
        "48",
        "hybrid inertia at the centre of mass",
        hybrid_centred_inertia,
        "Mʰ_c = Ad_R M_c Ad_Rᵀ = diag(R Θ_c Rᵀ, m 1)",
    ),
    entry(
        "49",
        "hybrid Newton–Euler equations at the centre of mass",
        hybrid_centred,
        "Wʰ_c = d(Mʰ_c Vʰ_c)/dt = Mʰ_c V̇ʰ_c + ad_ω Mʰ_c ʷVʰ_c",
    ),
    entry("50", "their moments", hybrid_centred_moment, "t = Θʰ_c ω̇ + ω × Θʰ_c ω"),
    entry(
        "51",
        "their forces",
        hybrid_centred_force,
        "f = m r̈_c",
        as_printed="f = m ṙ_c",
        correction="m r̈, not m ṙ",
    ),
    entry(
        "52",
        "hybrid inertia",
        hybrid_inertia,
        "Mʰ = Ad_d⁻ᵀ Mʰ_c Ad_d⁻¹ = [[Θʰ_c − m ~d², m ~d], [−m ~d, m 1]]",
    ),
    entry(
        "53",
        "hybrid momentum balance",
        hybrid_momentum_balance,
        "Wʰ = Π̇ʰ − ad_ṙᵀ Πʰ",
        as_printed="Wʰ = Π̇ʰ",
        correction="ad_ṙᵀ Π is missing: the origin moves, so that ṙ × p is lost",
    ),
    entry(
        "54, before",
        "rate of the shift to the centre of mass",
        shift_rate,
        "−ad_ḋ = ad_ω Ad_d⁻¹ − Ad_d⁻¹ ad_ω",
        as_printed="−ad_ḋ = Ad_d⁻¹ ad_ω − ad_ω Ad_d⁻¹",
        correction="the difference has the other sign",
        kind="text",
    ),
    entry("54", "hybrid Newton–Euler equations", hybrid, "Wʰ = Mʰ V̇ʰ + ad_ω Mʰ ʷVʰ"),
    entry("55", "their moments", hybrid_moment, "tʰ = Θʰ ω̇ + ω × Θʰ ω + m d × r̈"),
    entry(
        "56",
        "their forces; the force is the spatial one",
        hybrid_force,
        "fʰ = m (r̈ + (~ω̇ + ~ω²) d)",
    ),
    entry(
        "57, before",
        "acceleration of the origin by the body-fixed twist",
        origin_acceleration,
        "Rᵀ r̈ = v̇ᵇ + ωᵇ × vᵇ",
        as_printed="r̈ = v̇ᵇ + ωᵇ × vᵇ",
        correction="Rᵀ r̈ in body axes, not r̈",
        kind="text",
    ),
    entry(
        "57",
        "mixed Newton–Euler equations: moments",
        mixed_moment,
        "tᵇ = Θ ω̇ᵇ + ωᵇ × Θ ωᵇ + m d × Rᵀ r̈",
    ),
    entry(
        "58", "mixed Newton–Euler equations: forces", mixed_force, "fʰ = m (r̈ + R (~ω̇ᵇ + (~ωᵇ)²) d)"
    ),
    entry(
        "59",
        "mixed Newton–Euler equations at the centre of mass",
        mixed_centred,
        "(tᵇ, fʰ) = (Θ_c ω̇ᵇ + ωᵇ × Θ_c ωᵇ, m r̈_c)",
    ),
)
