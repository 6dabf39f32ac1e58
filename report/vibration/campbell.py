"""Campbell diagrams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...runtime.vibration.campbell import Campbell
from ..runplots import axes_for

#: How lines of each sense of whirl are drawn.
STYLES = {
    "forward": {"color": "#c0392b", "ls": "-"},
    "backward": {"color": "#1f6fb2", "ls": "--"},
    "straight": {"color": "0.35", "ls": ":"},
}


def campbell(diagram: Campbell, harmonics: Sequence[float], ax: Any) -> Any:
    """Frequencies over the speed, and lines of multiples of it; see `Campbell.plot`."""
    (axes,) = axes_for(ax, 1)
    speeds, named = diagram.speeds, set[str]()
    for line, sense in enumerate(diagram.senses):
        label = "_nolegend_" if sense in named else sense
        axes.plot(speeds, diagram.frequencies[:, line], label=label, lw=1.5, **STYLES[sense])
        named.add(sense)
    top = float(np.nanmax(diagram.frequencies, initial=0.0)) * 1.12 or 1.0
    for harmonic in harmonics:
        axes.plot(speeds, harmonic * speeds, color="0.6", lw=0.9, label="_nolegend_")
        # Inside the frame: left of where a line meets the last speed, or right of where it goes up.
        ends = harmonic * speeds[-1] <= top
        axes.annotate(
            f"ω = {'' if harmonic == 1 else f'{harmonic:g} '}{diagram.parameter}",
            (float(speeds[-1]) if ends else top / harmonic, min(top, harmonic * speeds[-1])),
            color="0.45",
            fontsize="small",
            ha="right" if ends else "left",
            va="bottom" if ends else "top",
            xytext=(-12, 0) if ends else (2, -3),
            textcoords="offset points",
        )
    axes.set_xlim(speeds[0], speeds[-1] if speeds[-1] > speeds[0] else speeds[0] + 1.0)
    axes.set_ylim(0.0, top)
    axes.set_xlabel(f"{diagram.parameter} (rad/s)")
    axes.set_ylabel("frequency ω (rad/s)")
    axes.set_title(f"{diagram.model.name}: Campbell diagram", fontsize="medium")
    if named:
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return axes
