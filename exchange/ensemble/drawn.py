"""Ensembles and samples as people look at them: bands over time, and tables in notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import UsageError
from ...report.notebook import MOST_ROWS, and_more, in_columns, listed, pairs, titled
from ...report.runplots import BANDS_SAID, axes_for, draw_bands

#: Motions of an ensemble that bands are made of at most, chosen evenly.
MOST_SAMPLES = 20_000


def plot_ensemble(data: Any, names: Sequence[str], ax: Any) -> Any:
    """Bands of outputs over time, a panel for each output; see `Ensemble.plot`.

    Raises
        UsageError: a name that is no output over time, or axes that are not as many.
    """
    kept = [x for x in data.attrs["outputs"] if x in data and "time" in data[x].dims]
    known = [x for x in kept if data[x].ndim <= 3]
    for name in names:
        if name not in known:
            has = ", ".join(known) or "none"
            raise UsageError(f"{name!r} is no output over time that is drawn; there are: {has}")
    if not known:
        raise UsageError("this ensemble keeps no output over time, so that there are no curves")
    chosen = list(names) or known
    panels = axes_for(ax, len(chosen), chosen)
    count, time = data.sizes["sample"], data["time"].values
    some = np.unique(np.linspace(0, count - 1, min(count, MOST_SAMPLES)).astype(int))
    for axes, name in zip(panels, chosen, strict=True):
        array = data[name][some]
        members = data[array.dims[2]].values.tolist() if array.ndim == 3 else [name]
        rows = array.values.reshape(len(some), len(time), -1)
        curves = {str(label): rows[..., k] for k, label in enumerate(members)}
        draw_bands(axes, time, curves, "J" if name == "energy" else "1")
        axes.set_ylabel(axes.get_ylabel() if name == "energy" else name)
        axes.set_xlim(time[0], time[-1])
    of = f" of {count}" if len(some) < count else ""
    said = f"{data.attrs['model']}: {data.attrs['method']}, {len(some)}{of} motions{BANDS_SAID}"
    panels[0].set_title(said, fontsize="medium")
    panels[-1].set_xlabel("time (s)")
    return panels[0] if len(panels) == 1 else panels


def ensemble_table(shown: Any) -> str:
    """An `Ensemble` in a notebook: what there is of the motions."""
    failures = [f"{k}: {why}" for k, why in shown.failures.items()]
    rows = [
        ("motions", str(shown.count)),
        ("store", str(shown.path)),
        ("not made yet", str(shown.missing or "")),
        ("failed", listed(failures)),
    ]
    return titled("Ensemble", pairs(rows))


def samples_table(shown: Any) -> str:
    """`Samples` in a notebook: the first ones."""
    rows = [[f"{x:.6g}" for x in row] for row in shown.rows(0, min(shown.count, MOST_ROWS))]
    table = in_columns(shown.names, map(tuple, rows))
    title = f"{shown.count} samples, {shown.description}"
    return titled(title, table + and_more(shown.count))
