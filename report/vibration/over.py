"""Natural frequencies drawn over a parameter."""

from __future__ import annotations

from typing import Any

from ...runtime.vibration.over import ModesOver
from ..plot import COLOURS, STYLES
from ..runplots import MOST_NAMED, axes_for


def plot(found: ModesOver, ax: Any) -> Any:
    """ω of each line over the parameter, and below the axis how fast it grows; see
    `ModesOver.plot`.
    """
    (axes,) = axes_for(ax, 1)
    entries = found.frequencies - found.growth
    for line in range(entries.shape[1]):
        style = COLOURS[line % len(COLOURS)], STYLES[line // len(COLOURS) % len(STYLES)]
        axes.plot(
            found.at, entries[:, line], label=f"{line + 1}", lw=1.5, color=style[0], ls=style[1]
        )
    grows = (found.squares < 0).any()
    if grows:
        axes.axhline(0.0, color="0.6", lw=0.8)
    axes.set_xlim(*found.at[[0, -1]]) if len({*found.at[[0, -1]]}) == 2 else None
    axes.set_xlabel(found.parameter)
    axes.set_ylabel("ω (rad/s), below 0: growth (1/s)" if grows else "frequency ω (rad/s)")
    axes.set_title(f"{found.model.name}: modes over {found.parameter}", fontsize="medium")
    axes.grid(alpha=0.3)
    if 0 < entries.shape[1] <= MOST_NAMED:
        axes.legend(
            title="line", fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5),
            frameon=False,
        )  # fmt: skip
    return axes
