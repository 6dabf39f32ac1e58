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

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...mechanics.space import Space
from ..inverse.places import Representation
from ..rates.kernels import TWIST_NAMES

BODY, SPATIAL, HYBRID, MIXED = Representation

#: A frame's twist and its rates, of the link's the first three.
OWN = ("Vf0", "Vf1", "Vf2")
LINKS = TWIST_NAMES[: len(OWN)]

CARRIED = "screw paper (98): V′ = Ad_C⁻¹ V, C constant"
SEEN = {
    SPATIAL: "screw paper (98): V = Ad_C V, differentiated by d/dt Ad_C = Ad_C ad_V",
    HYBRID: "screw paper (100): V = Ad_R V, differentiated by d/dt Ad_R = Ad_R ad_ω",
}


def results(of: Representation) -> tuple[str, str, str]:
    """What the twists and their rates are called in a representation."""
    return f"twist_{of}", f"twist_rate_{of}", f"twist_second_rate_{of}"


@cache
def carried(dimension: int) -> Kernel:
    """The twist of a frame and its rates, from those of the link that it is fixed in."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("carried", "twist of a frame and its rates")
    K, arm = kernel.take("Kb", d, d), kernel.take("ob", d)
    for own, link in zip(OWN, LINKS, strict=True):
        V = kernel.take(link, space.motion)
        v, w = V[:d, :], V[d:, :]
        point = kernel.let(f"{own}p", v + space.turn(w, arm), CARRIED)
        turned = w if d == 2 else K.T * w
        kernel.let(own, sp.Matrix.vstack(K.T * point, turned), CARRIED)
    return kernel.build(*OWN)


@cache
def seen(dimension: int, of: Representation) -> Kernel:
    """The twist of a frame and its rates in a representation."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder(f"seen_{of}", f"twist of a frame and its rates, {of}")
    motions = [kernel.take(name, space.motion) for name in OWN]
    (v0, w0), (v1, w1), (v2, w2) = ((V[:d, :], V[d:, :]) for V in motions)
    source = "screw paper (98)-(101)"
    linear, angular = [v0, v1, v2], [w0, w1, w2]
    if of is not BODY:
        R = kernel.take("Ab", d, d)
        circling = kernel.let("wv", space.turn(w0, v0), SEEN[HYBRID])
        if of is SPATIAL:
            drawn = space.turn(w0, v1) - space.turn(w1, v0)
            linear = [v0, v1, kernel.let("v2s", v2 + drawn, SEEN[SPATIAL])]
        else:
            pulled = v2 + 2 * space.turn(w0, v1) + space.turn(w1, v0) + space.turn(w0, circling)
            linear = [v0, v1 + circling, kernel.let("v2h", pulled, SEEN[HYBRID])]
        linear = [R * x for x in linear]
        if d == 3 and of is not MIXED:
            angular = [w0, w1, kernel.let("w2h", w2 + space.turn(w0, w1), SEEN[HYBRID])]
            angular = [kernel.let(f"w{k}R", R * x, SEEN[HYBRID]) for k, x in enumerate(angular)]
        if of is SPATIAL:
            x = kernel.take("xb", d)
            linear = [a - space.turn(w, x) for a, w in zip(linear, angular, strict=True)]
    for name, v, w in zip(results(of), linear, angular, strict=True):
        kernel.let(
            name,
            space.flat_load(w, v),
            source,
            says="V = (ω, v), V̇ and V̈, in the axes that are asked for",
        )
    return kernel.build(*results(of))
