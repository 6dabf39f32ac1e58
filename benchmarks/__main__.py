"""mstmm and its peers on the same work, judged first, then timed in turn.

    python -m benchmarks --output docs/benchmarks

Run it in the repository's root. Needs `pip install "mstmm[bench]"` for the peers; each is optional.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from . import machine, plot, studies, table
from .cases import Case, cases
from .harness import pin_to_one_core
from .measure import Measured, Say, measure
from .peers import PEERS

ROWS = tuple(range(1, 22))


def rows_of(text: str) -> set[int]:
    """`1,4-6` as numbers.

    Raises
        argparse.ArgumentTypeError: something else.
    """
    found: set[int] = set()
    for item in text.split(","):
        first, dash, last = item.partition("-")
        try:
            found |= set(range(int(first), int(last if dash else first) + 1))
        except ValueError:
            raise argparse.ArgumentTypeError(f"write rows as 1,4-6, not {text!r}") from None
    if not found or not found <= set(ROWS):
        raise argparse.ArgumentTypeError(f"there are the rows {ROWS[0]} to {ROWS[-1]}")
    return found


@contextmanager
def progress(total: int) -> Iterator[tuple[Say, Callable[[], None]]]:
    """A bar on standard error: say what is being done, and that a row is done."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _say_but_rounds, lambda: None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda text: bar.update(task, description=text), lambda: bar.advance(task)


def _say_but_rounds(text: str) -> None:
    if ": round" not in text:
        print(text, file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--rows", type=rows_of, default=set(ROWS), help="such as 1,4-6")
    parser.add_argument("--repeat", type=int, default=101, help="rounds (default 101)")
    parser.add_argument("--quick", action="store_true", help="few rounds, short chains")
    parser.add_argument("--output", type=Path, help="folder for the table and the plot")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        parser.error("--repeat must be 1 or more")
    repeat = min(arguments.repeat, 11) if arguments.quick else arguments.repeat
    described = machine.describe(pin_to_one_core())
    described["rounds"] = str(repeat)
    rows: list[Measured] = []
    done: list[studies.Study] = []
    stopped = False
    try:
        run(arguments.rows, repeat, arguments.quick, rows, done)
    except KeyboardInterrupt:
        stopped = True
    described["load at the end"] = machine.load()
    print(table.page(described, rows, done))
    if stopped:
        print("stopped; no file is written", file=sys.stderr)
        return 130
    if arguments.output:
        table.save(arguments.output, described, rows, done, f"--output {arguments.output.name}")
        plot.plot(arguments.output / "table.png", rows)
    return 0


def run(
    wanted: set[int], repeat: int, quick: bool, rows: list[Measured], done: list[studies.Study]
) -> None:
    """Fill `rows` and `done` one by one, so that what was measured before a stop is there."""
    timed = [case for case in cases() if case.row in wanted]
    with progress(len(timed) + len(wanted & set(range(10, 16)))) as (say, advance):
        for case in timed:
            rows.append(measure(case, PEERS, repeat, _of(case, say)))
            advance()
        for number, study in _studies(rows, say, quick).items():
            if number in wanted:
                found = study()
                if found:
                    done.append(found)
                advance()


def _studies(
    rows: list[Measured], say: Say, quick: bool
) -> dict[int, Callable[[], studies.Study | None]]:
    return {
        10: lambda: studies.building(say, quick),
        11: lambda: studies.operations(say, quick),
        12: lambda: studies.rate(rows, say),
        13: lambda: studies.accuracy(say, quick),
        14: lambda: studies.growth(say, quick),
        15: lambda: studies.from_python(say),
    }


def _of(case: Case, say: Say) -> Say:
    return lambda text: say(f"{case.row}. {case.title}: {text}")


if __name__ == "__main__":
    sys.exit(main())
