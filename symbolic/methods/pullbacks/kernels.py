"""The kernels around a program that runs backwards: cotangents are added up."""

from __future__ import annotations

from ...language.letters import letters
from ...language.words import counted
from ...mechanics.letters import FACTS, OF_PARENT
from ...mechanics.matrices import Algebra
from ...mechanics.traced import At, Tracer, tracing

SUM = "own: what a value counts is the sum over all that read it"
CONSTANT = "own: a parameter counts by how a constant changes with it"

PULLED = letters(f"""
    part  | x̄  | f | | cotangent of a value, as far as one that reads it counts
    total | x̄  | f | {SUM} | cotangent of a value
    b     | c̄  | f f | | cotangents of the entries of a constant
    bs    | c̄  | f f sym | | cotangents of the entries of a symmetric constant, those of pairs twice
    slope | ∂c | f f | | how these entries change with the parameter, those of pairs by half
    so    | p̄  | 1 | | cotangent of the parameter, as far as it is known
    sum   | p̄′ | 1 | {CONSTANT} | cotangent of the parameter
""")

traced = tracing(PULLED, FACTS, OF_PARENT)


@traced
def total(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The cotangent of a value: the sum of what each that reads it counts."""
    parts, rows = t.ask("parts"), x.count
    t.called(f"total_{parts}_{rows}", f"sum of {counted(parts, 'part')}")
    found = k.zero(rows)
    for j in range(1, parts + 1):
        found = found + t.read("part", f"_{j}", rows=rows)
    t.state("total", found)
    return ("total",)


@traced
def by_parameter(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What one constant adds to the cotangent of a parameter."""
    shape = {"rows": t.ask("rows"), "cols": t.ask("cols")}
    symmetric = t.ask("symmetric")
    said = f"{'symmetric_' * symmetric}{shape['rows']}_{shape['cols']}"
    t.called(f"by_parameter_{said}", "cotangent of a parameter")
    b = t.read("bs" if symmetric else "b", **shape)
    x.sum = x.so + k.trace(t.read("slope", **shape).T @ b)
    return ("sum",)
