"""The place about which a model vibrates: at rest, given or found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

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
from .bent import see_straight
from .coded.damped import GeneratedComplexStiffness
from .coded.resting import FEWEST, fewest, standing_code
from .generated import GeneratedStiffness

#: What accelerates by less, in SI units, is at rest: places may be given with nine digits.
REST = 1e-6

#: What is said of efforts beside beams that bear nothing.
NONE_STRETCHED = "is not zero, and no beam has a tension"


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
    _see_frequency(code.model, parameters)
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
    given: dict[str, Any] = {"t": t, "parameters": parameters}
    if not moves:
        own = _straight(code, place, algorithm, **given)
        if pulling := next(_pulling(own.model, *own.pulling(), own.borne()), ""):
            raise UsageError(
                f"{code.model.name} is not at rest there: {pulling}; modes are about an "
                "equilibrium, which is not sought of exact beams: give it (q)"
            )
        return _told(rest, own)
    still = np.zeros(len(code.speeds))
    a = ForwardDynamics.accelerations(code, place, still, t=t, parameters=parameters)
    if np.abs(a).max(initial=0.0) < (STILL if q is None else REST):
        return _told(rest, _straight(code, place, algorithm, **given) if code.model.beams else None)
    if q is None:
        try:
            found = equilibrium(code, place, t=t, parameters=parameters).q
        except NumericsError as error:
            raise NumericsError(
                f"no place at rest was found for modes: {error}. solver.equilibrium has more "
                "options to find one; give its .q to modes"
            ) from None
        rest = Rest(found, "found near the start", code)
        return _told(rest, _straight(code, found, algorithm, **given) if code.model.beams else None)
    k = int(np.abs(a).argmax())
    raise UsageError(
        f"{code.model.name} is not at rest there: {code.speeds[k]} accelerates at {a[k]:.3g}; "
        "modes are about an equilibrium: solver.equilibrium(q).q is one nearby"
    )


def _see_frequency(model: Model, parameters: Mapping[str, float] | None) -> None:
    """See that it is said at which frequency tables are read.

    Raises
        UsageError: it is not.
    """
    name = model.frequency
    if name and name not in (parameters or {}):
        raise UsageError(
            f"{model.name} has tables over the frequency {name}, known of what vibrates steadily, "
            "s = iω, not of all s at which eigenvalues are sought: say which values are meant, "
            f"parameters={{{name!r}: …}}; response and critical_speeds take those of each frequency"
        )


def _straight(
    code: Evaluator, q: Floats, algorithm: str, **given: Any
) -> GeneratedStiffness | GeneratedComplexStiffness:
    """The stiffness of a model with beams, of few cells."""
    made = GeneratedStiffness if algorithm == LINEAR else GeneratedComplexStiffness
    return made(code, q, **given, cells=fewest(code, given["parameters"]))


def _told(rest: Rest, own: GeneratedStiffness | GeneratedComplexStiffness | None) -> Rest:
    """The place, and what is to be said of beams there."""
    said = see_straight(own) if own else ""
    return rest._replace(origin=f"{rest.origin}; {said}") if said else rest


def _pulling(
    model: Model,
    places: Mapping[str, float],
    pulls: Mapping[str, float],
    borne: Mapping[str, float],
) -> Iterator[str]:
    """The efforts that are not what hinges bear at rest, where no beam is stretched.

    `places` of hinges, cut ones too, and `pulls` of forces between points, by name; what hinges
    have to exert along speeds to bear weight and loads, `borne`.
    """
    if any(beam.tension != 0 for beam in model.beams):
        return
    fixed = {laws.inside(name): Fraction(value) for name, value in model.parameters.items()}
    led = (
        (name, model.value(x.ratio) * places[f"q{x.hinge}"] + model.value(x.offset))
        for name, x in model.followers.items()
    )
    places = {**places, **{f"q{name}": place for name, place in led}}
    for hinge in model.hinges:
        of, names = joint(model.dimension, hinge.kind), model.hinge_coordinates(hinge)
        speeds = model.hinge_speeds(hinge)
        if hinge.name in model.followers:
            names, speeds = (f"q{hinge.name}",), (f"u{hinge.name}",)
        if names and not {*names} <= places.keys():
            continue
        own = {x: Fraction(places[n]) for x, n in zip(of.q, names, strict=True)}
        at = {**fixed, **own, **dict.fromkeys(of.u, Fraction(0))}
        told = [evaluated(law, at) for law in laws.force(model.dimension, hinge)]
        efforts = told or [Fraction(0)] * len(of.u)
        for force, speed in zip(efforts, speeds, strict=True):
            needed = borne.get(speed, 0.0)
            if force is None and speed in borne:
                yield f"the effort of hinge {hinge.name} is not told by its own place"
            if force is None or abs(force - Fraction(needed)) <= REST * max(1.0, abs(needed)):
                continue
            says = f"is {needed:.3g} where it is at rest" if speed in borne else NONE_STRETCHED
            yield f"the effort {float(force):.3g} of hinge {hinge.name} {says}"
    beams = {beam.name for beam in model.beams}
    for line in model.forces:
        pull = pulls.get(line.name, 0.0)
        if abs(pull) > REST and (not borne or beams & {end.body for end in line.ends}):
            yield f"the tension {pull:.3g} of force {line.name} {NONE_STRETCHED}"


def _judge(code: Evaluator) -> Evaluator:
    """Code that tells accelerations, if there is any: of what spins as if it stood."""
    if code.computes("accelerations"):
        return code
    try:
        return standing_code(code)
    except UsageError:  # exact beams, of which only `linear` knows
        return code
