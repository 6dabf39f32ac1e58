"""Whirl of what spins: Campbell diagrams and critical speeds, as methods of solvers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ...model import Model
from ...model.expressions.evaluation import evaluated
from ...model.expressions.quantities import exact_expression
from ...model.expressions.quantities import parameter as symbol
from ..evaluation.arrays import Floats
from ..evaluation.arrays import count as whole
from ..evaluation.evaluator import DAMPED, Evaluator
from .campbell import Campbell, CriticalSpeeds
from .coded.changing import LAWS, only_spins
from .coded.damped import GeneratedComplexStiffness
from .damping import BEYOND, above_zero, each_stiffness, stiffness_to
from .natural import MODES
from .rest import at_rest
from .search import ZERO
from .spectra.continued import found_along
from .spectra.critical import criticals
from .spectra.lines import along, group_numbers, lines, scaled, shapes_of, whirl_of
from .spectra.spectrum import POWERS, Spectrum, Survey, logarithm_of, radius_of, surveyed
from .spectra.whirl import frequencies, undamped
from .spectra.winding import counted_within
from .stiffness import Complex
from .synchronous import bends, see_rising
from .varied import see_varied, varied

#: By how much farther out eigenvalues are looked for where some speeds have too few that vibrate.
WIDER = 1.4

#: So many motions a free body has that nothing resists.
RIGID = 6


def campbell(
    code: Evaluator,
    parameter: str,
    speeds: npt.ArrayLike,
    q: npt.ArrayLike | None = None,
    *,
    count: int | None = None,
    below: float | None = None,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Campbell:
    """Whirl frequencies over the values of a parameter, as of a spin: at each all of them.

    The first `count` at each speed (default: 10), or all `below` a frequency. The parameter is one
    that stays an argument of the code: `mstmm.compile(…, parameters=["W"])`. Where nothing is
    damped the frequencies are counted, and all speeds are one batch; else they are eigenvalues s
    as in `damped`, and those that vibrate are shown. Lines go from speed to speed by how modes
    move.

    Shape
        `speeds` (at); `q` (nq).
    Units
        `speeds` those of the parameter, rad/s of a spin; `below` rad/s.
    Raises
        UsageError: the parameter is no argument of the code, or is in `parameters` as well; the
            model is not at rest there at all speeds; or would be unstable but for its spin and is
            not damped.
        NumericsError: frequencies are not all, by the count or by winding numbers.
    Source
        A(iω) = K + iω (C + G) − ω² M is Hermitian where nothing is damped. If K is not negative it
        has as many negative eigenvalues as there are frequencies below ω, whatever the spin.
    """
    at = varied(parameter, "speeds", speeds, parameters)
    if count is not None and below is not None:
        raise UsageError("count and below are both given; leave one out")
    first = whole("count", MODES if count is None else count, 1)
    limit = None if below is None else above_zero("below", below)
    rows = _rows(code, parameter, at, parameters)
    ends = ({**(parameters or {}), parameter: float(at[k])} for k in (0, -1))
    q, origin = _at_rest(code, q, t, *ends)
    given: dict[str, Any] = {"t": t, "parameters": _fastest(parameter, at, parameters)}
    for stiffness in each_stiffness(code, q, **given):
        free = undamped(stiffness, rows, limit or _scale(stiffness, rows[:1], first))
        far = stiffness.highest
        if np.isinf(far) or (
            _holds(stiffness, rows, first, free) if not limit else limit * 2 < far
        ):
            break
    still = None
    if only_spins(code.model, [parameter]):
        still = _rows(code, parameter, np.zeros(1), parameters)
    found = (
        _counted(stiffness, rows, None if limit else first, limit, still)
        if free
        else _turned(stiffness, rows, first, limit)
    )
    motions = [stiffness.moved(x.modes) for x in found]
    alike = scaled(motions)
    order = lines(shapes_of(alike, [group_numbers(x.omegas) for x in found]))
    starts = np.argmax(order >= 0, axis=0)
    places = [found[k].omegas[order[k, j]] for j, k in enumerate(starts)]
    order = order[:, np.lexsort([places, starts])]
    spins, axes = spinning(stiffness, parameter, at)
    whirl = [whirl_of(x, axes, spin) for x, spin in zip(alike, spins, strict=True)]
    return Campbell(
        code.model,
        parameter,
        q,
        at,
        along(order, [x.omegas for x in found]),
        along(order, [x.decay for x in found]),
        along(order, whirl),
        along(order, motions),
        np.array([x.zero for x in found], dtype=np.int64),
        np.array([x.growth for x in found]),
        {"body": stiffness.ends},
        "counted in doubles" if free else "winding numbers",
        origin,
    )


class _Found(NamedTuple):
    """Modes that vibrate at one speed, by ascending frequency, and how many nothing resists.

    `growth` is the largest rate of what grows without vibrating, 0 where nothing does.
    """

    omegas: Floats
    decay: Floats
    modes: Complex
    zero: int
    growth: float = 0.0


def _counted(
    stiffness: GeneratedComplexStiffness,
    rows: Floats,
    first: int | None,
    below: float | None,
    still: Floats | None,
) -> list[_Found]:
    found = frequencies(stiffness, rows, first=first, below=below, still=still)
    return [_Found(x.omegas, 0 * x.omegas, x.modes, x.zero) for x in found]


def _turned(
    stiffness: GeneratedComplexStiffness, rows: Floats, first: int, below: float | None
) -> list[_Found]:
    survey = surveyed(stiffness)
    radius = below or radius_of(stiffness, survey, 2 * first)
    # A polynomial has no others than these.
    most = survey.count.max() if np.isinf(stiffness.highest) else np.inf
    some = rows[np.unique([0, len(rows) // 2, len(rows) - 1])]
    while True:
        last = below is not None or radius >= survey.radii[-1] / WIDER
        # How far out one has to look is seen at a few speeds.
        for given in (rows,) if last else (some, rows):
            spectra = found_along(stiffness, survey, radius, given)
            found = [_vibrating(x) for x in spectra]
            enough = last or all(
                len(x.omegas) >= first or all_there.held >= most
                for x, all_there in zip(found, spectra, strict=True)
            )
            if not enough:
                break
        if enough:
            break
        radius = _wider(stiffness, survey, radius, given)
        if radius * BEYOND > stiffness.highest:
            raise NumericsError(
                f"less than {first} modes vibrate below {radius / WIDER:.4g} rad/s; ask for those "
                "below a frequency"
            )
    kept = slice(None if below is not None else first)
    return [
        x._replace(omegas=x.omegas[kept], decay=x.decay[kept], modes=x.modes[kept]) for x in found
    ]


def _wider(
    stiffness: GeneratedComplexStiffness, survey: Survey, radius: float, rows: Floats
) -> float:
    """The next radius within which there are more eigenvalues; where none are, that of all."""
    beyond = radius * WIDER ** np.arange(1, 200)
    beyond = beyond[beyond < survey.radii[-1]]
    radii, lanes = np.append(radius, beyond), np.arange(len(rows))
    logarithm = logarithm_of(stiffness, rows)
    held = counted_within(logarithm, radii.repeat(len(rows)), np.tile(lanes, len(radii)))
    held = held.reshape(len(radii), len(rows))
    more = ~(held[1:] <= held[0]).all(axis=1)  # so too where one is on the edge
    return float(beyond[more.argmax()] if more.any() else survey.radii[-1])


def _vibrating(spectrum: Spectrum) -> _Found:
    own = np.flatnonzero(spectrum.values.imag > 0)
    own = own[np.argsort(spectrum.values[own].imag)]
    zero = int(spectrum.multiplicity[spectrum.values == 0].max(initial=0))
    growth = spectrum.values[spectrum.values.imag == 0].real.max(initial=0.0)
    s = spectrum.values[own]
    return _Found(s.imag, -s.real, spectrum.modes[own], zero, float(growth))


def _scale(stiffness: GeneratedComplexStiffness, row: Floats, first: int) -> float:
    """A frequency that is about as high as so many modes reach."""
    rungs = 10.0 ** POWERS[stiffness.highest > 10.0**POWERS]
    count = stiffness.counted(rungs, np.repeat(row, len(rungs), axis=0))[0]
    return float(rungs[np.argmax(count >= min(first + RIGID, int(count.max())))])


def _holds(stiffness: GeneratedComplexStiffness, rows: Floats, first: int, free: bool) -> bool:
    """Are the equations of beams in cells right for so many modes, but for those at zero?"""
    if not free:
        survey = surveyed(stiffness)
        near = survey.radii * BEYOND * WIDER < stiffness.highest
        return bool((survey.count[near] >= 2 * first + survey.at_zero).any())
    top = np.full(len(rows), stiffness.highest / BEYOND)
    zero, all_there = (stiffness.counted(x, rows)[0] for x in (np.sqrt(ZERO) * top, top))
    return bool((all_there - zero >= first).all())


def critical_speeds(
    code: Evaluator,
    parameter: str,
    q: npt.ArrayLike | None = None,
    *,
    below: float,
    harmonic: float = 1.0,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> CriticalSpeeds:
    """All critical speeds below a limit: where a multiple of the spin is a whirl frequency.

    `harmonic` 1 is what unbalance drives, 2 what a shaft of two stiffnesses does. They are found
    directly by a count of those below any speed, without a Campbell diagram, so that no line can be
    mistaken. Laws of hinges may read tables over the speed, and over the frequency, which is its
    multiple. The parameter is the spin of bodies, or what spins are multiples of, and one that
    stays an argument of the code: `mstmm.compile(…, parameters=["W"])`.

    Shape
        `q` (nq).
    Units
        `below` rad/s of the parameter.
    Raises
        UsageError: the parameter is no argument of the code, or in `parameters` as well;
            stiffnesses change with it otherwise than tables of bearings, or faster than its square;
            the model is damped, or would be unstable but for its spin.
        NumericsError: they are not all, by the count.
    Source
        At ω = n W the stiffness is K − W² (n² M − n G′): K in terms of that has as many positive
        eigenvalues above 1/W² as the matrix has negative ones. Counted by the sweep's pivots.
    """
    limit, times = above_zero("below", below), above_zero("harmonic", harmonic)
    model = code.model
    _see_spins_alone(model, parameter)
    follow = {parameter: 1.0} | ({model.frequency: times} if model.frequency else {})
    for name in follow:
        see_varied(name, f"all speeds below {limit:g}", parameters)
    still, fast = (
        {**(parameters or {}), **{name: x * end for name, x in follow.items()}}
        for end in (0.0, limit)  # where tables may end
    )
    rows = [_rows(code, parameter, np.array([x[parameter]]), x) for x in (still, fast)][-1]
    q, origin = _at_rest(code, q, t, still, fast)
    stiffness = stiffness_to(code, q, times * limit, t=t, parameters=fast)

    def at(speeds: Floats) -> Floats:
        found = np.repeat(rows, len(speeds), axis=0)
        for name, x in follow.items():
            found[:, code.parameters.index(name)] = x * speeds
        return found

    corners = np.array([0.0, *bends(model, parameter, times, limit), limit])
    seen = np.append(corners[1:], (corners[1:] + corners[:-1]) / 2)
    if not undamped(stiffness, at(seen), times * limit):
        raise UsageError(
            f"{model.name} is damped: critical speeds are counted where nothing is; "
            "solver.campbell shows where damped frequencies cross multiples of the spin"
        )
    see_rising(code, stiffness, parameter, at, times, limit)
    found = criticals(stiffness, at, harmonic=times, below=limit)
    motions = stiffness.moved(found.modes)
    spins, axes = spinning(stiffness, parameter, found.speeds)
    return CriticalSpeeds(
        model,
        parameter,
        times,
        q,
        found.speeds,
        found.multiplicity,
        whirl_of(scaled([motions])[0], axes, np.array(spins).reshape(len(found.speeds), len(axes))),
        motions,
        found.zero,
        limit,
        {"body": stiffness.ends},
        origin,
    )


def _rows(code: Evaluator, name: str, at: Floats, parameters: Mapping[str, float] | None) -> Floats:
    """The parameters of the code at each value of one.

    Shape
        (at, parameters).
    Raises
        UsageError: it is no parameter, or stays none.
    """
    if name not in code.parameters:
        known = name in code.model.parameters
        raise UsageError(
            f"{name} is {'fixed in the code' if known else 'no parameter'} of {code.model.name}"
            + (f'; mstmm.compile(…, parameters=["{name}"]) keeps it an argument' if known else "")
        )
    for outermost in (at.min(), at.max()):  # where tables over it may end
        first = code.parameter_values({**(parameters or {}), name: float(outermost)})
    rows = np.tile(first, (len(at), 1))
    rows[:, code.parameters.index(name)] = at
    return rows


def _fastest(
    name: str, at: npt.ArrayLike, parameters: Mapping[str, float] | None
) -> dict[str, float]:
    """Parameters at the value of largest size, for which beams take most cells."""
    values = np.asarray(at)
    return {**(parameters or {}), name: float(values[np.abs(values).argmax()])}


def _at_rest(
    code: Evaluator,
    q: npt.ArrayLike | None,
    t: float,
    first: Mapping[str, float],
    last: Mapping[str, float],
) -> tuple[Floats, str]:
    """The place at rest, the same at the first and the last values of parameters."""
    rest = at_rest(code, q, t=t, parameters=first, algorithm=DAMPED)
    at_rest(code, rest.q, t=t, parameters=last, algorithm=DAMPED)
    return rest.q, rest.origin


def spinning(
    stiffness: GeneratedComplexStiffness, name: str, at: Floats
) -> tuple[list[Floats], Floats]:
    """The spins of all that moves at each value of a parameter, and its axes at rest.

    Where the value is 0, spins are as for a small positive one: forward is what it will be.

    Shape
        (at) of (bodies); (bodies, 3, 3).
    """
    model, frames = stiffness.model, stiffness.placed()
    order = [stiffness.moving.index(x.removesuffix(":far")) for x in stiffness.ends]
    known = {symbol(x): Fraction(value) for x, value in model.parameters.items()}
    own = [exact_expression(model.body(x).spin) for x in stiffness.elements]
    spins = []
    for value in np.where(at == 0, np.finfo(float).tiny, at).tolist():
        here = {**known, symbol(name): Fraction(value)}
        each = {spin: float(evaluated(spin, here) or 0) for spin in {*own}}
        spins.append(np.array([each[spin] for spin in own]))
    return spins, frames[order, :3, :3]


def _see_spins_alone(model: Model, name: str) -> None:
    """Raise where a parameter does more than spin.

    Raises
        UsageError: something else changes with it, or a spin is no multiple of it.
    """
    own = symbol(name)
    fixed = {symbol(x): Fraction(value) for x, value in model.parameters.items()}
    for body in model.bodies:
        spin = exact_expression(body.spin)
        none, one, two = (evaluated(spin, {**fixed, own: Fraction(k)}) for k in range(3))
        multiple = none == 0 and one is not None and two == 2 * one
        if own in spin.free_symbols and not multiple:
            raise UsageError(f"the spin of {body.name} is no multiple of {name}")
    names = [x for x in (name, model.frequency) if x]
    turns = any(own in exact_expression(body.spin).free_symbols for body in model.bodies)
    if not turns and not any(name in of for table in model.tables for of in table.axes):
        raise UsageError(f"{name} is neither a spin of {model.name}, nor what a table is over")
    if not only_spins(model, names, apart=LAWS):
        raise UsageError(
            f"{name} is not only a spin of {model.name}, and in laws of hinges: where other "
            "stiffnesses change with the speed critical speeds are not counted; solver.campbell "
            "counts the frequencies at each"
        )
