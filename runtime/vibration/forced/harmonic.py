"""Steady response to harmonic loads: transfer functions between named inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ....errors import NumericsError, UsageError
from ....model import Beam, Model
from ....model.checks.doubts import warn
from ....model.expressions.evaluation import evaluated
from ....model.expressions.quantities import exact_expression, hinge_symbol, parameter, shorten
from ....model.parts.forces import RATE
from ....symbolic.methods.linear.cells import cells_for
from ...evaluation.arrays import Floats, real_numbers, shaped
from ...evaluation.evaluator import DAMPED, LINEAR, Evaluator
from ..coded.damped import GeneratedComplexStiffness
from ..coded.resting import FEWEST
from ..coded.small import SmallMotions
from ..coded.undamped import Undamped
from ..generated import MOST, GeneratedStiffness
from ..rest import Rest, at_rest
from ..stability import growing
from ..stiffness import BELIEVED, Complex, ComplexStiffness
from .channels import UNBALANCE, Channel, Channels
from .met import BESIDE, NUDGE, ROUNDING, at_rest_told, unless_met
from .response import Response, unstable
from .shaken import see_beams_alike

#: So many numbers of displacements are found at once.
AT_ONCE = 1 << 21


def transfers(
    stiffness: ComplexStiffness,
    omegas: Floats,
    inputs: Sequence[Channel],
    outputs: Sequence[Channel],
    parameters: Floats | None = None,
) -> Complex:
    """The outputs of a unit of each input; infinite where a resonance is met.

    Shape
        (frequency, output, input).
    """
    C = np.array([x.along for x in outputs]).reshape(-1, stiffness.length)
    W = [x.exerts for x in outputs if x.exerts is not None]
    if W:
        none = np.zeros(len(W[0]))
        E = np.array([none if x.exerts is None else x.exerts for x in outputs])
        C = np.hstack([C, E])

    def answer(s: Complex, loads: Complex, given: Floats | None) -> Complex:
        u = stiffness.responses(s, loads, given)
        return np.hstack([u, stiffness.exerted(s, loads, given), loads]) if W else u

    found = np.empty((len(omegas), len(outputs), len(inputs)), dtype=np.complex128)
    rate = float(omegas[omegas > 0].min(initial=np.inf))
    rate = rate if np.isfinite(rate) else 1.0
    parts = np.array_split(np.arange(len(omegas)), 1 + len(omegas) * stiffness.length // AT_ONCE)
    for part in parts:
        at = omegas[part]
        given = None if parameters is None else parameters[part]
        s = (1j * at).astype(np.complex128)
        small = stiffness.determinants(s, given)[2] < BELIEVED
        rest = small & (at == 0)
        beside = small & ~rest
        s[rest], s[beside] = 1j * rate, 1j * at[beside] * (1 + NUDGE)
        for k, channel in enumerate(inputs):
            loads = np.multiply.outer(
                at**2 if channel.inertial else np.ones(len(at)), channel.along
            )
            loads = loads.astype(np.complex128)
            if channel.beside is not None:
                loads += channel.beside(at)
            u = answer(s, loads, given)
            told = u @ C.T
            if beside.any():
                some = None if given is None else given[beside]
                sides = (1j * at[beside] * (1 + BESIDE), 1j * at[beside] * (1 - BESIDE))
                after, before = (answer(x, loads[beside], some) for x in sides)
                told[beside] = unless_met(u[beside], after, before, (after + before) / 2, C)
            for lane in np.flatnonzero(rest):
                row = None if given is None else given[lane : lane + 1]
                told[lane] = at_rest_told(stiffness, answer, loads[lane], row, rate, C)
            if channel.carries is not None:
                told += C[:, : stiffness.length] @ channel.carries
            found[part, :, k] = told
    return found


def response(
    code: Evaluator,
    frequencies: npt.ArrayLike,
    q: npt.ArrayLike | None = None,
    *,
    inputs: str | Sequence[str] | Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    t: float = 0.0,
    parameters: Mapping[str, Any] | None = None,
) -> Response:
    """The steady small motion about a place at rest under harmonic loads, at many frequencies.

    All moves as the real part of amplitude · e^(iωt). `inputs` are efforts, by hinge or speed as
    in `state_space`, inputs of the model, loads on bodies `BODY.force_x` to `.moment_z`, at their
    centres of mass or at points `BODY:POINT.force_x`, along inertial axes; `BODY.unbalance`, a
    force m e ω² that turns with ω about the body's first axis (in the plane its third one), for
    a unit of m e; and `ground.move_x`, the ground's motion. By names alone each has a unit
    amplitude; a mapping says amplitudes, complex where there are phases, one or one for each
    frequency. By default they are the model's inputs.

    `outputs` are coordinates (their names as of `modes`), motions of bodies and points,
    `BODY.move_x` to `BODY:POINT.turn_z`, and what hinges exert on their child beyond rest,
    `HINGE.force_x` to `HINGE.moment_z`, about their point of the body away from the root, so the
    loads at ends of beams; by default all coordinates, bodies and points of beams.

    Dampers, laws of speeds, loss factors, spins and forces that follow bodies count. A parameter
    may have a value for each frequency, if the model rests at the same place with all of them: the
    spin of a rotor that its unbalance shakes is `parameters={"W": frequencies}`. Tables over the
    frequency are read at each, unless `parameters` says at which.

    Where a resonance is met, within 1e-12 of its frequency, what it excites is infinite, and a
    `ModelWarning` says so. Another says where the place is unstable: transfer functions are what
    they are there, but no motion becomes the steady one, see `Response.growing`.

        >>> import mstmm
        >>> solver = mstmm.compile("double-pendulum", target="numpy")
        >>> found = solver.response([0.0, 2.0], [0.0, 0.0], inputs=["u1"])

    Shape
        `frequencies` (n), `q` (nq).
    Units
        rad/s; SI, rad.
    Raises
        UsageError: `q` is not at rest, a name is unknown, a frequency is below zero, or the model
            has what small motions do not have.
        NumericsError: no equilibrium is found; so high frequencies take too many cells of beams.
    Source
        Riccati transfer of loads inwards and of displacements outwards, own composition.
    """
    omegas = listed(frequencies)
    if code.model.frequency:
        parameters = {code.model.frequency: omegas, **(parameters or {})}
    rest, motions, stiffness, rows, grow = _resting(code, q, omegas, t, parameters)
    names, channels = _named(code, inputs), Channels(motions)
    given, told = channels.inputs(names), channels.outputs(outputs)
    _see_turning(motions, names, omegas, rows)
    if rows is not None and any(x.beside is not None for x in given):
        see_beams_alike(motions.model, code.parameters, rows)
    values = transfers(stiffness, omegas, given, told, rows)
    amplitudes = _amplitudes(inputs, names, omegas)
    found = Response(
        motions.model,
        rest.q,
        rest.origin,
        omegas,
        values,
        amplitudes,
        {"output": tuple(x.name for x in told), "input": names},
        {"output": tuple(x.unit for x in told), "input": tuple(x.unit for x in given)},
        not isinstance(stiffness, Undamped),
        grow,
    )
    if grow:
        warn(f"{code.model.name}: the place is {next(unstable(grow))}", cause="unstable")
    if len(found.met):
        warn(
            f"{code.model.name}: the response is infinite at ω = {_said(found.met)} rad/s, where "
            "a resonance without damping is met",
            cause="resonance",
        )
    return found


def listed(frequencies: npt.ArrayLike) -> Floats:
    """Frequencies of loads.

    Raises
        UsageError: there are none, or one is not finite or below 0.
    """
    omegas = real_numbers("frequencies", frequencies)
    if omegas.ndim != 1 or not len(omegas) or not (np.isfinite(omegas) & (omegas >= 0)).all():
        raise UsageError("frequencies are a list of one or more finite numbers, 0 rad/s or above")
    return omegas


def _resting(
    code: Evaluator,
    q: npt.ArrayLike | None,
    omegas: Floats,
    t: float,
    parameters: Mapping[str, Any] | None,
) -> tuple[Rest, SmallMotions, ComplexStiffness, Floats | None, int | None]:
    """The place at rest, the equations there, and parameters for each frequency if they change.

    And how many small deviations grow, the most where parameters are largest and least.
    """
    fixed, rows = _parameters(code, parameters, len(omegas))
    algorithm = DAMPED if rows is not None or _damps(code, fixed) else LINEAR
    rest = at_rest(code, q, t=t, parameters=fixed, algorithm=algorithm)
    each = [fixed]
    if rows is not None:
        # Where parameters are largest and least the place is the same, and beams have cells enough.
        some = {0, *rows.argmin(axis=0).tolist(), *rows.argmax(axis=0).tolist(), len(rows) - 1}
        each = [dict(zip(code.parameters, rows[k].tolist(), strict=True)) for k in sorted(some)]
    for told in each[1:]:
        at_rest(code, rest.q, t=t, parameters=told, algorithm=algorithm)
    cells = max((cells_up_to(code, float(omegas.max()), x) or 0) for x in each) or None
    given: dict[str, Any] = {"t": t, "parameters": fixed, "cells": cells}
    if algorithm == DAMPED:
        every = [
            GeneratedComplexStiffness(code, rest.q, **{**given, "parameters": x}) for x in each
        ]
        grow = [growing(rest.code, x, rest.q, t) for x in every]
        return rest, every[0], every[0], rows, _most(grow)
    undamped = GeneratedStiffness(code, rest.q, **given)
    return rest, undamped, Undamped(undamped), rows, growing(rest.code, undamped, rest.q, t)


def _most(numbers: Sequence[int | None]) -> int | None:
    """The most of them; none where one is not told and no other is above 0."""
    return max((x for x in numbers if x), default=None if None in numbers else 0)


def _see_turning(
    motions: SmallMotions, names: Sequence[str], omegas: Floats, rows: Floats | None
) -> None:
    """See that what spins spins with its unbalance.

    Raises
        UsageError: it does not.
    """
    model = motions.model
    for name in names:
        body, _, what = name.rpartition(".")
        if what != UNBALANCE or exact_expression(model.body(body).spin) == 0:
            continue
        spin, own = exact_expression(model.body(body).spin), motions.code.parameters
        told = {parameter(x): Fraction(value) for x, value in model.parameters.items()}
        lanes = [()] * len(omegas) if rows is None else rows.tolist()
        for omega, row in zip(omegas.tolist(), lanes, strict=True):
            here = {parameter(x): Fraction(value) for x, value in zip(own, row, strict=False)}
            found = evaluated(spin, told | here)
            if found is None or abs(found - omega) > ROUNDING * omega:
                raise UsageError(
                    f"{name} turns with the frequency, but {body} spins at {spin}: let a parameter "
                    'be its spin, say spin = "W", and give it with the frequencies, '
                    'parameters={"W": frequencies}'
                )


def _parameters(
    code: Evaluator, parameters: Mapping[str, Any] | None, count: int
) -> tuple[dict[str, float], Floats | None]:
    """Values at the first frequency, and where they change a row for each."""
    given = parameters or {}
    changing = {name: x for name, x in given.items() if np.ndim(x)}
    each = {name: shaped(f"parameter {name}", x, (count,)) for name, x in changing.items()}
    fixed = {**given, **{name: float(x[0]) for name, x in each.items()}}
    values = code.parameter_values(fixed)
    if not each:
        return fixed, None
    rows = np.tile(values, (count, 1))
    for name, x in each.items():
        rows[:, code.parameters.index(name)] = x
    return fixed, rows


def _said(numbers: Floats) -> str:
    return shorten([f"{x:.9g}" for x in numbers])


def _named(
    code: Evaluator, inputs: str | Sequence[str] | Mapping[str, Any] | None
) -> tuple[str, ...]:
    """The names of inputs, each once."""
    if inputs is None:
        names = tuple(x.name for x in code.model.inputs)
        if not names:
            raise UsageError(
                f"{code.model.name} has no inputs of its own: say what acts, such as "
                'inputs=["BODY.force_x"], or an effort by its hinge'
            )
        return names
    return (inputs,) if isinstance(inputs, str) else tuple(inputs)


def _amplitudes(inputs: object, names: Sequence[str], omegas: Floats) -> Complex:
    """The amplitudes of inputs (frequency, input): 1 where only names are said."""
    found = np.ones((len(omegas), len(names)), dtype=np.complex128)
    if isinstance(inputs, Mapping):
        for k, name in enumerate(names):
            given = np.asarray(inputs[name])
            if given.dtype.kind not in "biufc" or given.shape not in ((), (len(omegas),)):
                raise UsageError(
                    f"the amplitude of {name} is one number, or one for each frequency, real or "
                    f"complex, not {inputs[name]!r}"
                )
            found[:, k] = given
    if not np.isfinite(found).all():
        raise UsageError("amplitudes of inputs are not finite")
    return found


def cells_up_to(
    code: Evaluator, omega: float, parameters: Mapping[str, float] | None
) -> int | None:
    """In how many cells each stretch of beams is right up to a frequency; none without beams.

    Raises
        NumericsError: it would take too many.
    """
    if not code.model.beams:
        return None
    values = code.parameter_values(parameters).tolist()
    model = code.model.with_parameters(**dict(zip(code.parameters, values, strict=True)))
    cells = max(FEWEST, cells_for(model, omega))
    if cells > MOST:
        raise NumericsError(
            f"{model.name}: ω = {omega:.6g} rad/s takes more than {MOST} cells a stretch of a "
            "beam; ask for lower frequencies"
        )
    return cells


def _damps(code: Evaluator, parameters: Mapping[str, float]) -> bool:
    """Is more needed than the undamped equations?"""
    values = code.parameter_values(parameters).tolist()
    model = code.model.with_parameters(**dict(zip(code.parameters, values, strict=True)))
    if next(damping(model), None):
        return True
    try:
        code.small_motions(FEWEST if model.beams else None)
    except UsageError:  # forces without an energy, which damped takes, or says why not
        return True
    return False


def damping(model: Model) -> Iterator[str]:
    """What of a model takes energy out, or may: dampers, laws of speeds, media."""
    for hinge in model.hinges:
        speeds = {hinge_symbol("u", k) for k in range(1, len(model.hinge_speeds(hinge)) + 1)}
        if any(model.value(x) for x in hinge.damping):
            yield f"hinge {hinge.name}"
        elif any(exact_expression(law).free_symbols & speeds for law in hinge.force):
            yield f"the law of hinge {hinge.name}"
    for force in model.forces:
        law = exact_expression(force.law)
        if len(force.ends) == 1 or model.value(force.damping) or RATE in law.free_symbols:
            yield f"force {force.name}"
    for body in model.bodies:
        if body.complex_alone or (isinstance(body, Beam) and model.value(body.damping)):
            yield body.name
