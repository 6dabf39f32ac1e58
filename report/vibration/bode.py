"""Plots of harmonic responses: amplitude and phase over the frequency, with resonances marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...runtime.vibration.forced.response import Response
from ..plot import COLOURS, STYLES
from ..runplots import MOST_NAMED, axes_for

#: From this ratio of the highest frequency to the lowest on, frequencies are in powers of ten.
DECADE = 20.0


def plot(response: Response, outputs: Sequence[str], ax: Any, resonances: Any) -> Any:
    """Amplitudes in powers of ten, and phases below; see `Response.plot`.

    Raises
        UsageError: an output that there is not, or other than two axes.
    """
    panels = axes_for(ax, 2)
    omega, (swings, phases) = response.frequencies, panels
    order = np.argsort(omega)
    for k, name in enumerate(outputs):
        at, style = response.at("output", name), {"color": COLOURS[k % len(COLOURS)]}
        style["ls"] = STYLES[k // len(COLOURS) % len(STYLES)]
        swing, phase = response.amplitude[order, at], np.degrees(response.phase[order, at])
        label = f"{name} ({response.units['output'][at]})"
        shown = np.isfinite(swing) & (swing > 0)
        swings.semilogy(omega[order], np.where(shown, swing, np.nan), label=label, lw=1.4, **style)
        # No line where the phase passes from 180° to −180°.
        breaks = np.abs(np.diff(phase, prepend=phase[:1])) > 180
        phases.plot(omega[order], np.where(breaks, np.nan, phase), lw=1.4, **style)
    positive = omega[omega > 0]
    if len(positive) and positive.max() > DECADE * positive.min() and (omega > 0).all():
        swings.set_xscale("log")
        phases.set_xscale("log")
    for mark in np.unique(getattr(resonances, "frequencies", resonances)):
        if omega.min() <= mark <= omega.max():
            for axes in panels:
                axes.axvline(mark, color="#999999", lw=0.8, ls=":", zorder=0)
    for axes in panels:
        axes.grid(alpha=0.3)
        if len(omega) > 1:
            axes.set_xlim(omega.min(), omega.max())
    swings.set_ylabel("amplitude")
    phases.set_ylabel("phase (°)")
    phases.set_ylim(-190, 190)
    phases.set_yticks([-180, -90, 0, 90, 180])
    phases.set_xlabel("ω (rad/s)")
    under = ", ".join(response.names["input"])
    swings.set_title(f"{response.model.name} under {under}", fontsize="medium")
    if len(outputs) <= MOST_NAMED:
        swings.legend(frameon=False, fontsize="small")
    return panels
