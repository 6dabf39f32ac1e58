"""What was measured on a graphics processor, as tables of `docs/gpu.md`.

    python -m benchmarks.device.page [RECEIPT]

A RECEIPT of `check.py` is kept as `benchmarks/device.json`; without one the page is made anew from
that. Where the code of target `cuda` is another by now, the page says so.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .prepare import texts

RECEIPT = Path(__file__).parents[1] / "device.json"
PAGE = Path(__file__).parents[2] / "docs" / "gpu.md"

BEGIN, END = "<!-- measured: python -m benchmarks.device.page -->\n", "<!-- end of measured -->\n"

NAMES = {"panda": "Panda", "hyq": "HyQ, free base", "four-bar": "four-bar"}

#: Who states how many at once: a batch of some policy, and what fills a card.
FEW, MANY = 4096, 1 << 20


TEXT = """\
Measured on one {card}. {stands} The card copies {copied:.1f} TB/s, read and written, and does
{double:.0f}·10¹² fused operations a second in doubles, {float:.0f}·10¹² in floats: measured, too.
Times are those of the card alone, medians of 15, up to 65,536 states with all numbers in its cache.
An H100 copies slower, 3 TB/s. A state's error is the largest against target `c`, as a part of its
largest number, of 1,024 states drawn at random.

| model | entry | error | {few:,} states | 2²⁰ states | by state | of the ceiling |
| --- | --- | --- | --- | --- | --- | --- |
{entries}

*By state*: how much longer it takes where the numbers of a state lie side by side, as in arrays of
PyTorch, and not those of a kind. *The ceiling* is what copying arguments and results takes, or the
operations of the formulas, whichever is more.

| motion, wholly on the card | states × steps | steps |
| --- | --- | --- |
{motions}

A call of `solver.accelerations` on tensors costs Python {host_us:.0f} µs, more than the card needs
for {few:,} states; in a CUDA graph a call of {few:,} takes {graph_us:.1f} µs. With the gradient, by
`mstmm.torch`, {few:,} states take {torch_backward_us:.0f} µs, nearly all of that Python.
An articulated-body algorithm in JAX, compiled there for the same card, takes {ratios[0]:.0f} times
as long as the kernel for {few:,} states of the Panda, and {ratios[1]:.0f} times for 65,536. Of two
kernels, compute-sanitizer's memcheck finds {memcheck}.
"""


def measured(receipt: Mapping[str, Any], now: Mapping[str, str]) -> str:
    """The tables; `now` are the hashes of the probes' code as it is."""
    faces = receipt["faces"]
    arm = next(x for x in receipt["cases"] if x["name"] == "panda accelerations double")
    alone = {row["states"]: row["us"] for row in arm["rows"] if row["order"] == "AoS"}
    stands = (
        "The code is still that which was measured."
        if receipt["texts"] == now
        else "**Not measured since the text changed:** the code is another by now."
    )
    return TEXT.format(
        card=f"{receipt['card']}, driver {receipt['driver']}, {receipt['date']}",
        stands=stands,
        few=FEW,
        copied=receipt["bytes"] / 1e12,
        **{real: receipt[real] / 1e12 for real in ("double", "float")},
        entries="\n".join(_entries(receipt["cases"])),
        motions="\n".join(_motions(receipt["cases"])),
        ratios=[faces[f"jax_aba_us_{n}"] / alone[n] for n in (FEW, 65536)],
        memcheck=receipt["memcheck"].rpartition(":")[2].strip(),
        **{name: faces[name] for name in ("host_us", "graph_us", "torch_backward_us")},
    )


def _entries(cases: list[dict[str, Any]]) -> Iterator[str]:
    for case in cases:
        rows = {(row["order"], row["states"]): row for row in case["rows"]}
        few, many, by_state = rows["SoA", FEW], rows["SoA", MANY], rows["AoS", MANY]
        real = ", float" if case["real"] == "float" else ""
        entry = "vector–Jacobian product" if case["entry"] == "pullback" else case["entry"]
        yield (
            f"| {NAMES[case['model']]} | {entry.replace('_', ' ')}{real} | {case['error']:.0e} | "
            f"{few['us']:.1f} µs | {_rate(MANY / many['us'] * 1e6)} | "
            f"× {by_state['us'] / many['us']:.2f} | {100 * many['part']:.0f} % |"
        )


def _motions(cases: list[dict[str, Any]]) -> Iterator[str]:
    for case in cases:
        for row in case.get("motions", ()):
            rate = row["states"] * row["steps"] / row["us"] * 1e6
            many = f"{row['states']:,} × {row['steps']:,}"
            yield f"| {NAMES[case['model']]}, {row['method']} | {many} | {_rate(rate)} |"


def _rate(number: float) -> str:
    return f"{number / 1e9:.1f}·10⁹/s" if number >= 1e9 else f"{number / 1e6:.0f}·10⁶/s"


def written(page: str, part: str) -> str:
    """The page with this part in the place of the one between its marks."""
    return re.sub(f"{BEGIN}.*?{END}", lambda _: BEGIN + part + END, page, flags=re.DOTALL)


def main() -> None:
    if sys.argv[1:]:
        RECEIPT.write_text(Path(sys.argv[1]).read_text())
    part = measured(json.loads(RECEIPT.read_text()), texts())
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), part), encoding="utf-8")


if __name__ == "__main__":
    main()
