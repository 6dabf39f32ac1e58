"""The kernels of motions of frames up to the second rate of their twists.

Vf0, Vf1 and Vf2 are a frame's twist (v, ω) in its own axes, of its origin, and the first and second
rate of its components. With R the frame's axes and r its origin, the other representations are

    hybrid   R V, differentiated: (R x)˙ = R (ẋ + ω × x);
    mixed    its angular part as the frame has it, its linear part as in hybrid;
    spatial  Ad_C V, differentiated: (Ad_C V)˙ = Ad_C (V̇ + ad_V V), and ad_V V = 0.

Results are angular, then linear, three components each.

Source: screw paper (98)-(101), (66) and (14) with the erratum, by recursion.
"""

from __future__ import annotations

from ...language.letters import letters
from ...mechanics.letters import FACTS
from ...mechanics.matrices import Algebra
from ...mechanics.traced import At, Tracer, tracing
from ..inverse.places import Representation
from ..jacobians.kernels import SCREWS
from ..rates.kernels import LETTERS, TWIST_NAMES

BODY, SPATIAL, HYBRID, MIXED = Representation

#: A frame's twist and its rates, of the link's the first three.
OWN = ("Vf0", "Vf1", "Vf2")
OF_LINK = TWIST_NAMES[: len(OWN)]

CARRIED = "screw paper (98): V′ = Ad_C⁻¹ V, C constant"
SEEN = {
    SPATIAL: "screw paper (98): V = Ad_C V, differentiated by d/dt Ad_C = Ad_C ad_V",
    HYBRID: "screw paper (100): V = Ad_R V, differentiated by d/dt Ad_R = Ad_R ad_ω",
}

SHOWN = "screw paper (98)-(101)"

#: What is given of a frame in each representation.
GIVEN = letters(f"""
    twist             | V | 6 | {SHOWN} | twist of the frame, angular part first
    twist_rate        | V̇ | 6 | {SHOWN} | rate of the frame's twist, angular part first
    twist_second_rate | V̈ | 6 | {SHOWN} | second rate of the frame's twist, angular part first
""")

FRAMES = {
    **SCREWS,
    **LETTERS,
    **letters(f"""
    Vf0 | Vf | n | {CARRIED} | twist of the frame, of its origin in its axes
    Vf1 | V̇f | n | {CARRIED} | rate of the frame's twist
    Vf2 | V̈f | n | {CARRIED} | second rate of the frame's twist
"""),
    **{f"{name}_{of}": line for name, line in GIVEN.items() for of in Representation},
}
traced = tracing(FRAMES, FACTS, {})


def results(of: Representation) -> tuple[str, ...]:
    """What the twists and their rates are called in a representation."""
    return tuple(f"{name}_{of}" for name in GIVEN)


@traced
def carried(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The twist of a frame and its rates, from those of the link that it is fixed in."""
    t.called("carried", "twist of a frame and its rates")
    K, arm = x.Kb, x.ob
    for own, link in zip(OWN, OF_LINK, strict=True):
        V = t.read(link)
        point = t.state(f"{own}p", k.lin(V) + k.cross(k.ang(V), arm), CARRIED)
        t.state(own, k.stack(K.T @ point, k.turned(K.T, k.ang(V))))
    return OWN


@traced
def seen(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The twist of a frame and its rates in a representation."""
    of = t.ask("of")
    t.called(f"seen_{of}", f"twist of a frame and its rates, {of}")
    motions = [t.read(name) for name in OWN]
    linear, angular = [k.lin(V) for V in motions], [k.ang(V) for V in motions]
    (v0, v1, v2), (w0, w1, w2) = linear, angular
    if of is not BODY:
        R = x.Ab
        circling = t.state("wv", k.cross(w0, v0), SEEN[HYBRID])
        if of is SPATIAL:
            drawn = k.cross(w0, v1) - k.cross(w1, v0)
            linear = [v0, v1, t.state("v2s", v2 + drawn, SEEN[SPATIAL])]
        else:
            pulled = v2 + 2 * k.cross(w0, v1) + k.cross(w1, v0) + k.cross(w0, circling)
            linear = [v0, v1 + circling, t.state("v2h", pulled, SEEN[HYBRID])]
        linear = [R @ v for v in linear]
        if k.d == 3 and of is not MIXED:
            angular = [w0, w1, t.state("w2h", w2 + k.cross(w0, w1), SEEN[HYBRID])]
            angular = [t.state(f"w{j}R", R @ w, SEEN[HYBRID]) for j, w in enumerate(angular)]
        if of is SPATIAL:
            origin = x.xb
            linear = [v - k.cross(w, origin) for v, w in zip(linear, angular, strict=True)]
    for name, v, w in zip(results(of), linear, angular, strict=True):
        t.state(name, k.load(w, v))
    return results(of)
