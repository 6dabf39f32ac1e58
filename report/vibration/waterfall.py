"""Waterfall plots: amplitudes over the frequency, one curve behind the other by a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...runtime.vibration.forced.waterfall import Waterfall
from ..plot import COLOURS
from ..runplots import axes_for

#: So many steps of the parameter the highest curve rises; no step is drawn as if it were this part
#: of all.
RISES, LEAST_STEP = 4.0, 0.02

#: Above this quantile of all amplitudes curves are cut off: undamped resonances are infinite.
HIGHEST = 0.999


def plot(found: Waterfall, output: int, harmonics: Sequence[float], ax: Any) -> Any:
    """Amplitudes of an output, the curves of larger values behind; see `Waterfall.plot`."""
    (axes,) = axes_for(ax, 1)
    if ax is None:
        axes.figure.set_size_inches(7.5, 5.2)
    order, along = np.argsort(found.at), np.argsort(found.frequencies)
    at, omega = found.at[order], found.frequencies[along]
    swing = found.amplitude[order][:, along, output]
    finite = swing[np.isfinite(swing)]
    top = float(np.quantile(finite, HIGHEST)) if finite.size else 0.0
    span = float(at[-1] - at[0]) or 1.0
    step = max(span / max(len(at) - 1, 1), LEAST_STEP * span)
    heights = RISES * step * np.minimum(swing / top if top else 0 * swing, 1.0)
    for value, height in reversed([*zip(at.tolist(), heights, strict=True)]):
        axes.fill_between(omega, value, value + height, color="white", lw=0)
        axes.plot(omega, value + height, color=COLOURS[0], lw=1.0)
    for harmonic in harmonics:
        axes.plot(harmonic * at, at, color=COLOURS[1], lw=1.0, ls="--")
        inside = at[harmonic * at <= omega[-1]]
        if len(inside):
            label = f"ω = {'' if harmonic == 1 else f'{harmonic:g} '}{found.parameter}"
            place = (harmonic * inside[-1], inside[-1])
            axes.annotate(label, place, color=COLOURS[1], fontsize="small", ha="right", va="bottom")
    if omega[-1] > omega[0]:
        axes.set_xlim(omega[0], omega[-1])
    axes.set_ylim(at[0] - 0.3 * step, at[-1] + (RISES + 0.3) * step)
    axes.set_xlabel("ω (rad/s)")
    axes.set_ylabel(found.parameter)
    name, unit = found.names["output"][output], found.units["output"][output]
    under = ", ".join(found.names["input"])
    title = f"{found.model.name}: {name} under {under}; the highest curve is {top:.3g} {unit}"
    axes.set_title(title, fontsize="medium", wrap=True)
    return axes
