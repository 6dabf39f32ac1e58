"""The figures as Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from .cases import Floor
from .measure import Figure, Measured
from .studies import Study

Machine = Mapping[str, str]

COMMAND = "python -m benchmarks"


def save(
    folder: Path,
    machine: Machine,
    rows: Sequence[Measured],
    studies: Sequence[Study],
    options: str = "",
) -> None:
    """`table.md` and `table.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    text = page(machine, rows, studies, options)
    (folder / "table.md").write_text(text, encoding="utf-8")
    data = as_data(machine, rows, studies)
    (folder / "table.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def page(
    machine: Machine, rows: Sequence[Measured], studies: Sequence[Study], options: str = ""
) -> str:
    parts = [
        f"""# mstmm beside its peers

Everyone does the same work on the same states, in one process pinned to one core, taking turns
round by round; times are processor time of the thread, of one evaluation for one state. Before
anyone is timed, results are compared with extended precision (`benchmarks/judge.py`); who is
wrong is shown as wrong. A ratio is the median of the rounds' ratios, quartiles in brackets; less
is better for mstmm. Plain arrays in chain order go in and come out, conversion included;
"native" is the state in the target's own order. Forward dynamics and its derivatives are under
forces of drives, the same random ones for everyone; motions (row 9) go on without. Of a peer that
has several conventions, the fastest is compared with. The judge takes a robot's numbers as mstmm
reads them: where a file rounds π/2 to twelve digits, which mstmm mends, the others differ by some
1e-11.

`{COMMAND} {options}` writes this page, `table.json` and the plot.

![times as parts of the yardstick's](table.png)
""",
        "| | |\n| --- | --- |\n" + "\n".join(f"| {k} | {v} |" for k, v in machine.items()) + "\n",
        "## Floors\n\n" + grid(("row", "what", "floor", "measured", ""), floors(rows, studies)),
    ]
    parts += [timed(row) for row in rows]
    parts += [studied(study) for study in studies]
    return "\n".join(parts)


def floors(rows: Sequence[Measured], studies: Sequence[Study]) -> list[tuple[str, ...]]:
    """Row, what, floor, measured, met or missed; everything that a floor or an aim is set for."""
    lines: list[tuple[str, ...]] = []
    for row in rows:
        for floor in row.case.floors:
            what = f"{row.case.title}: {floor.contender} against {floor.yardstick}"
            wanted = ("aim " if floor.aim else "") + part(floor.ratio)
            lines.append((str(row.case.row), what, wanted, *verdict(row, floor)))
    for study in studies:
        for said, met in study.verdicts:
            lines.append((str(study.row), f"{study.title}: {said}", "", "", word(met)))
    return lines


def verdict(row: Measured, floor: Floor) -> tuple[str, str]:
    """The ratio with its quartiles, and whether the floor is met."""
    found = row.ratio(floor)
    if found is None:
        absent = [name for name in (floor.contender, floor.yardstick) if row.figure(name) is None]
        wrong = [
            name for name in (floor.contender, floor.yardstick)
            if (figure := row.figure(name)) and figure.wrong
        ]  # fmt: skip
        why = f"{' and '.join(absent)} not there" if absent else f"{' and '.join(wrong)} wrong"
        return why, "–"
    middle, low, high = found
    return f"{part(middle)} ({part(low)} … {part(high)})", word(middle <= floor.ratio, floor.aim)


def word(met: bool, aim: bool = False) -> str:
    return "met" if met else "aim missed" if aim else "**missed**"


def part(ratio: float) -> str:
    """1/12.3 below a quarter, else 0.65."""
    return f"1/{1 / ratio:.3g}" if ratio < 0.26 else f"{ratio:.2f}"


def timed(row: Measured) -> str:
    case = row.case
    head = ("who", "error", "median", "quartiles", "least", f"of {case.yardstick}'s time")
    title = f"## {case.row}. {case.title[0].upper()}{case.title[1:]}\n"
    if row.why:
        return f"{title}\nNot run: {row.why}\n"
    yardstick = row.figure(case.yardstick)
    lines = [_line(row, figure, yardstick) for figure in row.figures]
    return f"{title}\n{grid(head, lines)}"


def _line(row: Measured, figure: Figure, yardstick: Figure | None) -> tuple[str, ...]:
    error = "" if figure.error is None else f"{figure.error:.0e}"
    if figure.wrong:
        error = f"**wrong: {figure.error:.0e}**"
    if not figure.timed:
        return figure.name, error, figure.why, "", "", ""
    ratio = row.ratio(Floor(figure.name, yardstick.name, 1.0)) if yardstick else None
    return (
        figure.name, error, clock(figure.quantile(0.5)),
        f"{clock(figure.quantile(0.25))} … {clock(figure.quantile(0.75))}",
        clock(min(figure.samples)), part(ratio[0]) if ratio else "",
    )  # fmt: skip


def studied(study: Study) -> str:
    note = f"\n{study.note}\n" if study.note else ""
    title = f"## {study.row}. {study.title[0].upper()}{study.title[1:]}\n"
    return f"{title}\n{grid(study.head, study.lines)}{note}"


def grid(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = "| --- " * len(head) + "|"
    safe = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    return "\n".join(
        ["| " + " | ".join(head) + " |", rule, *("| " + " | ".join(x) + " |" for x in safe), ""]
    )


def clock(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def as_data(
    machine: Machine, rows: Sequence[Measured], studies: Sequence[Study]
) -> dict[str, object]:
    """Everything, for programs; times in seconds."""
    return {
        "machine": dict(machine),
        "rows": [
            {
                "row": row.case.row,
                "title": row.case.title,
                "why": row.why,
                "yardstick": row.case.yardstick,
                "figures": [_figure(figure) for figure in row.figures],
                "floors": [
                    {
                        **asdict(floor),
                        "measured": row.ratio(floor),
                        "verdict": verdict(row, floor)[1],
                    }
                    for floor in row.case.floors
                ],
            }
            for row in rows
        ],
        "studies": [asdict(study) for study in studies],
    }


def _figure(figure: Figure) -> dict[str, object]:
    found: dict[str, object] = {"name": figure.name, "error": figure.error, "why": figure.why}
    if figure.timed:
        parts = {"least": 0.0, "lower": 0.25, "median": 0.5, "upper": 0.75}
        found |= {name: figure.quantile(at) for name, at in parts.items()}
        found["rounds"] = len(figure.samples)
    return found
