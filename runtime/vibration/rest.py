"""The place about which a model vibrates: at rest, given or found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...codegen.face.choice import Choice
from ...errors import NumericsError, UsageError
from ...model import Model
from ...model.expressions.evaluation import evaluated
from ...symbolic.mechanics import laws
from ...symbolic.mechanics.hinges import joint
from ..capabilities.assembly import assemble
from ..capabilities.forward import ForwardDynamics
from ..evaluation.anywhere import anywhere
from ..evaluation.arrays import Floats, shaped
from ..evaluation.evaluator import LINEAR, Evaluator
from ..linear.equilibrium import STILL, equilibrium
from .coded.damped import GeneratedComplexStiffness
from .generated import FEWEST, GeneratedStiffness

#: What accelerates by less, in SI units, is at rest: places may be given with nine digits.
REST = 1e-6


class Rest(NamedTuple):
    """A place at rest, which is `given`, `the start`, or `found near the start`."""

    q: Floats
    origin: str
    code: Evaluator


def at_rest(
    code: Evaluator,
    q: npt.ArrayLike | None = None,
    *,
    start: npt.ArrayLike | None = None,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
    algorithm: str = LINEAR,
) -> Rest:
    """The place that is given, or the start if it is at rest, or an equilibrium near it.

    Before it is sought the model's structure is seen to be one that the `algorithm` of small
    motions takes. Of exact beams no accelerations are known, and no equilibrium is sought: hinges
    beside them may not pull.

    Raises
        UsageError: the place that is given is of several, or not at rest, or the model has no
            modes, as one that is driven.
        NumericsError: no equilibrium is found.
        OpenStateError: the place leaves loops open.
    """
    shaped("t", t, ())
    code.small_motions(FEWEST if code.model.beams else None, algorithm)
    gated = _judge(code)
    code = anywhere(gated)
    moves = code.computes("accelerations")
    if q is None and moves:
        place = assemble(code, start, t=t, parameters=parameters).q
    else:
        place = code.state("q", next(x for x in (q, start, code.model.q0) if x is not None))
        if place.ndim != 1:
            raise UsageError(f"q has the shape {place.shape}: modes are about one place")
        gated.see_closed("modes", place, t=t, parameters=parameters)
    rest = Rest(place, "the start" if q is None else "given", code)
    if not moves:
        made = GeneratedStiffness if algorithm == LINEAR else GeneratedComplexStiffness
        own = made(code, place, t=t, parameters=parameters, cells=FEWEST)
        if pulling := next(_pulling(own.model, *own.pulling()), ""):
            raise UsageError(
                f"{code.model.name} is not at rest there: {pulling} is not zero, and no beam has a "
                "tension; modes are about an equilibrium, which is not sought of exact beams: "
                "give it (q)"
            )
        return rest
    still = np.zeros(len(code.speeds))
    a = ForwardDynamics.accelerations(code, place, still, t=t, parameters=parameters)
    if np.abs(a).max(initial=0.0) < (STILL if q is None else REST):
        return rest
    if q is None:
        try:
            found = equilibrium(code, place, t=t, parameters=parameters).q
        except NumericsError as error:
            raise NumericsError(
                f"no place at rest was found for modes: {error}. solver.equilibrium has more "
                "options to find one; give its .q to modes"
            ) from None
        return Rest(found, "found near the start", code)
    k = int(np.abs(a).argmax())
    raise UsageError(
        f"{code.model.name} is not at rest there: {code.speeds[k]} accelerates at {a[k]:.3g}; "
        "modes are about an equilibrium: solver.equilibrium(q).q is one nearby"
    )


def _pulling(
    model: Model, places: Mapping[str, float], pulls: Mapping[str, float]
) -> Iterator[str]:
    """The efforts that are not zero, as they are at rest where no beam is stretched.

    `places` of hinges, cut ones too, and `pulls` of forces between points, by name.
    """
    if any(beam.tension != 0 for beam in model.beams):
        return
    fixed = {laws.inside(name): Fraction(value) for name, value in model.parameters.items()}
    for hinge in model.hinges:
        of, names = joint(model.dimension, hinge.kind), model.hinge_coordinates(hinge)
        if names and not {*names} <= places.keys():
            continue
        own = {x: Fraction(places[n]) for x, n in zip(of.q, names, strict=True)}
        at = {**fixed, **own, **dict.fromkeys(of.u, Fraction(0))}
        for law in laws.force(model.dimension, hinge):
            force = evaluated(law, at)
            if force is not None and abs(force) > REST:
                yield f"the effort {float(force):.3g} of hinge {hinge.name}"
    for name, pull in pulls.items():
        if abs(pull) > REST:
            yield f"the tension {pull:.3g} of force {name}"


def _judge(code: Evaluator) -> Evaluator:
    """Code that tells accelerations, if there is any: of what spins as if it stood."""
    if code.computes("accelerations"):
        return code
    try:
        standing = _standing(code)
        return code.companion(Choice("riccati")) if standing is code else standing
    except UsageError:  # exact beams, of which only `linear` knows
        return code


def _standing(code: Evaluator) -> Evaluator:
    """Code of `riccati` of what spins and loses energy as if it did neither."""
    model = code.model
    if not any(x.complex_alone for x in model.bodies):
        return code
    plain = {body.name: replace(body, spin=0) for body in model.bodies}
    plain |= {beam.name: replace(beam, spin=0, loss=0) for beam in model.beams}
    return Evaluator(
        replace(model, bodies=tuple(plain[x.name] for x in model.bodies)),
        method=Choice("riccati"),
        target=code.kind.beside or code.target,
        parameters=code.parameters,
        portable=code.portable,
        threads=code.threads,
        asked_by=code,
    )
