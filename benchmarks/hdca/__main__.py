"""The divide-and-conquer paper's three cases: DCA against HDCA, with its plots and tables.

    python -m benchmarks.hdca --output docs/divide-and-conquer

Run it in the repository's root; it needs SciPy and Matplotlib.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, fields
from pathlib import Path

from rich.console import Console
from rich.status import Status

from .. import machine
from ..harness import pin_to_one_core
from . import figures, plain
from .measures import Line
from .page import beside, page
from .study import Found, Settings, studied

QUICK = {
    "cases": (1,),
    "tolerances": (1e-4, 1e-6),
    "t_end": 2.0,
    "long": 4.0,
    "repeats": 1,
    "most": 1,
}


@contextmanager
def said() -> Iterator[Callable[[str], None]]:
    """What is being done, on standard error."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: None
        return
    with Status("", console=console) as status:
        yield lambda text: status.update(text)


def save(folder: Path, found: Found, settings: Settings, described: str) -> None:
    """Plots, the table of all runs, and the page."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "runs.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Line))
        writer.writerows(_rounded(astuple(line)) for line in found.lines)
    errors = (("energy", "energy error in J"), ("velocity", "velocity constraints in m/s"),
              ("position", "position constraints in m"))  # fmt: skip
    for what, label in errors:
        figures.errors(folder / f"{what}.png", what, label, found.plotted, found.cases)
    first = settings.cases[0]
    shown = [run for run in found.plotted[first] if run.form.name in ("dca", "hdca")]
    figures.point_k(folder / "point-k.png", found.cases[first], shown)
    for what, label in (("calls", "calls, DCA / HDCA"), ("seconds", "time, DCA / HDCA")):
        name = "calls.png" if what == "calls" else "times.png"
        figures.ratios(folder / name, what, label, found.lines, settings.cases)
    figures.long(folder / "long.png", found.long, found.cases)
    figures.momenta(folder / "momenta.png", found.plotted)
    (folder / "README.md").write_text(page(found, settings, described), encoding="utf-8")


def _rounded(values: tuple[object, ...]) -> list[object]:
    return [f"{x:.6g}" if isinstance(x, float) else x for x in values]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.hdca", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--output", type=Path, help="folder for tables and plots")
    parser.add_argument("--quick", action="store_true", help="case 1, 2 s, two tolerances")
    parser.add_argument("--target", choices=("c", "numpy"), default="c")
    parser.add_argument(
        "--only", choices=("prototype",), help="the emitted code beside plain C, nothing else"
    )
    arguments = parser.parse_args()
    core = pin_to_one_core()
    settings = Settings(**(QUICK if arguments.quick else {}), target=arguments.target)
    if arguments.only:
        print(beside(map(plain.beside, settings.cases)))
        return 0
    with said() as say:
        found = studied(settings, say)
    kept = machine.describe(core)
    named = ("processor", "compiler of c", "python", "load at the start")
    described = "; ".join(f"{name}: {kept[name]}" for name in named) + "."
    described = "Target " + settings.target + "; " + described
    text = page(found, settings, described)
    if arguments.output:
        save(arguments.output, found, settings, described)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
