"""Motion over time by superposed modes, exact for loads that are straight between times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log2
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from ....errors import UsageError
from ....model.parts.naming import nearest
from ....shown import Shown
from ...evaluation.arrays import Floats, real_numbers, shaped
from ...extras import require
from ..coded.small import SmallMotions
from ..inside import Inside
from .channels import Channel, Channels
from .unbent import with_speeds

#: Terms of the exponential of a matrix of this size at most: the rest is below 1e-17.
TERMS, SIZE = 15, 0.5

#: Where bodies fly, what modes left out yield to is asked for at ω² of ∓ this part of the lowest.
BESIDE_REST = 1e-3

#: Loads over time: a number, one for each time, or a function of the time.
Load = npt.ArrayLike | Callable[[float], float]


@dataclass(frozen=True, eq=False, repr=False)
class Transient(Shown):
    """Small motion over time by modes: `values` of the outputs, and modal coordinates η.

    `correction` are the outputs of a unit of each input that the modes left out yield at once, as
    springs do. `transient["qpole"]` are the values of one output.

    Shape
        `times` (time); `values` (time, output); `modal`, `rates` (time, mode): η and its rate;
        `correction` (output, input).
    Units
        s; outputs by `units`.
    """

    times: Floats
    values: Floats
    modal: Floats
    rates: Floats
    correction: Floats
    names: Mapping[str, tuple[str, ...]]
    units: Mapping[str, tuple[str, ...]]

    def __getitem__(self, output: str) -> Floats:
        names = self.names["output"]
        if output not in names:
            raise UsageError(
                f"there is no output {output!r}{nearest(str(output), names)}; there are: "
                f"{', '.join(names)}"
            )
        return self.values[:, names.index(output)]

    @cached_property
    def data(self) -> Any:
        """The motion as an `xarray.Dataset`, with units as attributes.

        Raises
            ToolchainError: xarray is missing (extra `data`).
        """
        xarray = require("xarray", extra="data", purpose="transient.data")
        return xarray.Dataset(
            {
                "values": (("time", "output"), self.values, {"long_name": "outputs"}),
                "modal": (("time", "mode"), self.modal, {"long_name": "modal coordinates"}),
            },
            coords={
                "time": ("time", self.times, {"units": "s"}),
                "output": [*self.names["output"]],
                "output_units": ("output", [*self.units["output"]]),
                "mode": np.arange(1, self.modal.shape[1] + 1),
            },
        )

    def __repr__(self) -> str:
        end, modes = self.times[-1], self.modal.shape[1]
        outputs = self.values.shape[1]
        return (
            f"<Transient: {modes} modes, {outputs} outputs, {len(self.times)} times to {end:g} s>"
        )


class Superposed(Protocol):
    """Modes that tell what is inside."""

    @property
    def inside(self) -> Inside:
        """Their displacements, and the stiffness that they are of."""


def transient(
    modes: Superposed,
    times: npt.ArrayLike,
    inputs: Mapping[str, Load] | None = None,
    *,
    outputs: Sequence[str] | None = None,
    q0: npt.ArrayLike | None = None,
    v0: npt.ArrayLike | None = None,
    settled: bool = False,
    damping: npt.ArrayLike = 0.0,
    static_correction: bool = True,
) -> Transient:
    """The small motion over time under loads, by these modes superposed.

    `inputs` and `outputs` are named as in `Solver.response`; an input is a number, one for
    each of the times, straight between them, or a function of the time. It starts at rest, at
    small deviations `q0` along the speeds and speeds `v0`, of straight beams, or `settled` under
    the first loads.
    η̈ + 2 ζ ω η̇ + ω² η = Vᵀ f/M is solved exactly over each step, for `damping` ratios ζ, one
    or one for each mode; zero and unstable modes have none.

    With `static_correction` what the modes leave out yields at once, as springs would. Where
    something flies there is no static response: what is left out is then found beside ω = 0.

    Shape
        `times` (n); `q0`, `v0` (nv); `damping` () or (mode).
    Units
        s, SI, rad.
    Raises
        UsageError: a name is unknown, a shape does not fit, beams in closed loops are to start
            moved, or what flies is to be settled.
    Source
        own; the correction is that of mode acceleration.
    """
    at, of = real_numbers("times", times), modes.inside
    if at.ndim != 1 or len(at) < 1 or not (np.isfinite(at).all() and (np.diff(at) > 0).all()):
        raise UsageError("times are one or more finite numbers that rise, in s")
    channels = Channels(cast(SmallMotions, of.stiffness))
    given = [_constant(x) for x in channels.inputs(tuple(inputs or {}))]
    told = channels.outputs(outputs)
    B, C = (np.array([x.along for x in y]).reshape(-1, of.u.shape[1]) for y in (given, told))
    loads = np.zeros((len(at), len(given)))
    for k, (name, load) in enumerate((inputs or {}).items()):
        loads[:, k] = _over(name, load, at)
    ratios = np.broadcast_to(shaped("damping", damping, (), of.squares.shape), of.squares.shape)
    if (ratios < 0).any():
        raise UsageError("damping are ratios to critical damping, 0 or above")
    forces = loads @ (of.u @ B.T / _masses(of)[:, np.newaxis]).T
    start, rates = _start(of, q0, v0)
    if settled:
        start = start + _settled(of.squares, forces[0])
    resists = 2 * ratios * np.sqrt(np.maximum(of.squares, 0.0))
    eta, eta_d = superposed(at, forces, of.squares, resists, start, rates)
    correction = np.zeros((len(told), len(given)))
    if static_correction and len(given):
        correction = _left_out(of, B, C)
    return Transient(
        at,
        eta @ (of.u @ C.T) + loads @ correction.T,
        eta,
        eta_d,
        correction,
        {"output": tuple(x.name for x in told), "input": tuple(x.name for x in given)},
        {"output": tuple(x.unit for x in told), "input": tuple(x.unit for x in given)},
    )


def _masses(of: Inside) -> Floats:
    return np.asarray((of.u * of.momenta).sum(axis=1))


def _constant(channel: Channel) -> Channel:
    if channel.inertial:
        raise UsageError(f"{channel.name} is of steady responses; here name forces over time")
    return channel


def _over(name: str, load: Load, times: Floats) -> Floats:
    """A load at all times."""
    given = [load(float(t)) for t in times] if callable(load) else load
    return np.broadcast_to(shaped(f"input {name}", given, (), times.shape), times.shape)


def superposed(
    times: Floats, forces: Floats, squares: Floats, rates: Floats, start: Floats, start_rate: Floats
) -> tuple[Floats, Floats]:
    """η and η̇ of η̈ + c η̇ + ω² η = f, f straight between the times; ω² may be zero or negative.

    Shape
        `times` (n), `forces` (n, mode), `squares` ω², `rates` c, `start`, `start_rate` (mode).
    Source
        own: exponential of the equation and of f with its slope, over each step.
    """
    eta, eta_d = (np.empty(forces.shape) for _ in range(2))
    eta[0], eta_d[0] = start, start_rate
    steps, which = np.unique(np.diff(times), return_inverse=True)
    known = [_step(h, squares, rates) for h in steps.tolist()]
    for k, j in enumerate(which.tolist()):
        (E, h), f, after = (known[j], steps[j]), forces[k], forces[k + 1]
        x = np.stack([eta[k], eta_d[k], f, (after - f) / h])
        eta[k + 1], eta_d[k + 1] = np.einsum("ijm,jm->im", E, x)
    return eta, eta_d


def _step(h: float, squares: Floats, rates: Floats) -> Floats:
    """What becomes of η, η̇, f and its slope over a time h, for each mode: (2, 4, mode).

    With w the larger of |ω| and 1/h, η̇/w, f/w² and slope h/w² are of one size with η.
    """
    w = np.maximum(np.sqrt(np.abs(squares)), 1 / h)
    N = np.zeros((len(squares), 4, 4))
    N[:, 0, 1] = N[:, 1, 2] = w * h
    N[:, 1, 0], N[:, 1, 1], N[:, 2, 3] = -squares / w * h, -rates * h, 1.0
    halvings = max(0, ceil(log2(max(np.abs(N).sum(axis=2).max(initial=0.0), SIZE) / SIZE)))
    N /= 2.0**halvings
    E = term = np.broadcast_to(np.eye(4), N.shape)
    for k in range(1, TERMS):
        term = term @ N / k
        E = E + term
    for _ in range(halvings):
        E = E @ E
    size = np.stack([np.ones(len(w)), 1 / w, 1 / w**2, h / w**2])
    found: Floats = E[:, :2].transpose(1, 2, 0) * size / size[:2, np.newaxis]
    return found


def _settled(squares: Floats, forces: Floats) -> Floats:
    """Where loads hold the modes."""
    if ((squares <= 0) & (np.abs(forces) > 0)).any():
        raise UsageError("settled: what flies, or is unstable, does not settle under loads")
    return np.where(squares > 0, forces / np.where(squares > 0, squares, 1.0), 0.0)


def _start(of: Inside, q0: npt.ArrayLike | None, v0: npt.ArrayLike | None) -> tuple[Floats, Floats]:
    """Modal coordinates and their rates of deviations along the speeds."""
    stiffness, zero = of.stiffness, np.zeros(len(of.squares))
    speeds = stiffness.speeds
    if q0 is None and v0 is None:
        return zero, zero
    if stiffness.model.beams:
        momenta, along = of.shapes().momenta, with_speeds(of, cast(SmallMotions, stiffness))
    else:  # Along the speeds, beside all eigenvalues: how bodies move with the speeds.
        tau = np.eye(speeds, stiffness.length)
        beside = np.full(speeds, of.squares.min(initial=0.0) - 1.0)
        u = stiffness.responses(beside, tau)[0]
        momenta, along = of.momenta, np.linalg.pinv(u[:, :speeds]) @ u
    eta = momenta @ along.T / _masses(of)[:, np.newaxis]
    found = [
        zero if x is None else eta @ shaped(n, x, (speeds,)) for n, x in (("q0", q0), ("v0", v0))
    ]
    return found[0], found[1]


def _left_out(of: Inside, B: Floats, C: Floats) -> Floats:
    """What loads move beside the modes: the static response less the modes' part.

    Where something flies there is none; then the mean of the responses at two ω² beside zero, less
    the modes' parts there, whose error is the square of their distance.

    Shape
        (output, input).
    """
    positive = of.squares[of.squares > 0]
    flying = (of.squares == 0).any()
    if not len(positive):
        raise UsageError(
            "no mode among these vibrates, so that what is left out is not told apart: ask for "
            "more modes, or static_correction=False"
        )
    at = np.array([-1.0, 1.0]) * BESIDE_REST * positive[0] if flying else np.zeros(1)
    found = np.zeros((len(C), len(B)))
    loads = np.tile(B, (len(at), 1))
    u = of.stiffness.responses(np.repeat(at, len(B)), loads)[0]
    for square, moved in zip(at, u.reshape(len(at), len(B), -1), strict=True):
        parts = _masses(of) * (of.squares - square)
        own = (C @ of.u.T / parts) @ (of.u @ B.T)
        found += (C @ moved.T - own) / len(at)
    return found
