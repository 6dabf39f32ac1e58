"""Hinges that follow others: can they?"""

from __future__ import annotations

import sympy as sp

from ...errors import ModelError
from ..expressions.functions import step
from ..expressions.quantities import exact_expression, hinge_symbol, parameter, shown, told
from ..parts.hinge_kinds import HINGE_KINDS
from ..parts.hinges import Hinge, Mimic
from ..parts.system import System


def check_couplings(model: System) -> None:
    """See that coupled hinges can be coupled, and that none follows itself in the end.

    Raises
        ModelError: names the hinge, and why it cannot follow or be followed.
    """
    following = [hinge for hinge in model.hinges if hinge.mimic is not None]
    hinges = {hinge.name: hinge for hinge in model.hinges} if following else {}
    for hinge in following:
        assert hinge.mimic is not None
        _coupling(model, hinge, hinge.mimic, hinges)
    ending: set[str] = set()  # those that are known to follow in no circle
    for hinge in following:
        followed = {hinge.name: True}
        mimic = hinge.mimic
        while mimic is not None and mimic.law is None and mimic.hinge not in ending:
            if mimic.hinge in followed:
                way = " – ".join([*followed, mimic.hinge])
                raise _refused(hinge, f"the hinges follow each other in a circle: {way}")
            followed[mimic.hinge] = True
            mimic = hinges[mimic.hinge].mimic
        ending.update(followed)
    for name, mimic in model.followers.items():
        low, high = model.position_limits[model.coordinates.index(f"q{mimic.hinge}")]
        if low > high:
            raise _refused(
                hinges[name],
                f"hinge {mimic.hinge}, whose coordinate it shares, is nowhere within the limits of "
                "all that do; correct the limits, ratio or offset",
            )


def _coupling(model: System, hinge: Hinge, mimic: Mimic, hinges: dict[str, Hinge]) -> None:
    if model.absolute:
        raise _refused(hinge, 'needs joint coordinates; leave out coordinates = "absolute"')
    for name in mimic.leaders:
        if name not in hinges:
            raise _refused(hinge, f"there is no hinge {name!r}")
    for name in (hinge.name, *mimic.leaders):
        given = hinges[name]
        kind = HINGE_KINDS[model.dimension][given.kind]
        if not kind.couples:
            raise _refused(
                hinge,
                f"hinge {name} is {kind.name}, with {kind.coordinates} coordinates; a coupling "
                "takes hinges with one",
            )
        if given.motion:
            raise _refused(
                hinge, f"hinge {name} is driven; prescribe the motion of both hinges instead"
            )
        if name in model.cuts:
            raise _refused(
                hinge, f"hinge {name} is cut and has no coordinate; cut another hinge of its loop"
            )
    if mimic.law is not None:
        _law(model, hinge, mimic)
    for quantity in (mimic.ratio, mimic.offset):
        try:
            model.value(quantity)
        except ModelError as error:
            raise _refused(hinge, str(error)) from None


def _law(model: System, hinge: Hinge, mimic: Mimic) -> None:
    if mimic.hinge or (mimic.ratio, mimic.offset) != (1, 0):
        raise _refused(hinge, "has a law, and needs no hinge, ratio or offset; write hinges = …")
    if hinge.name in mimic.hinges or len({*mimic.hinges}) != len(mimic.hinges):
        raise _refused(hinge, "follows itself, or a hinge twice")
    law = exact_expression(mimic.law or 0)
    own = {hinge_symbol("q", k) for k in range(1, len(mimic.hinges) + 1)}
    unknown = law.free_symbols - own - {parameter(name) for name in model.parameters}
    if unknown:
        names = ", ".join(sorted(map(str, unknown)))
        raise _refused(
            hinge,
            f"{shown(law)} depends on {names}; of {told(len(mimic.hinges), 'hinge')} it reads the "
            "coordinates q1, q2, … and parameters",
        )
    if law.atoms(step, sp.sign, sp.Abs) or law.has(sp.zoo, sp.nan, sp.oo):
        raise _refused(hinge, f"{shown(law)} must be smooth, without abs, sign and step")


def _refused(hinge: Hinge, why: str) -> ModelError:
    return ModelError(why, element=f"hinge {hinge.name}", field="mimic")
