"""The index sets and arrays that conditions, and the loops they close, add to a program."""

from __future__ import annotations

from collections.abc import Iterable

from ..language.program import Array, Port, Storage
from .conditions import Conditions


def condition_sets(of: Conditions) -> dict[str, tuple[str, ...]]:
    """The index sets that loops add."""
    model = of.plan.model
    return {
        "cuts": tuple(hinge.name for hinge in of.borne),
        "conditions": of.conditions,
        "cut coordinates": tuple(x for h in of.loaded for x in model.hinge_coordinates(h)),
        "cut speeds": tuple(x for h in of.loaded for x in model.hinge_speeds(h)),
        "slopes": tuple(f"{name} {u}" for name in of.conditions for u in model.speeds),
        **({"curves": of.curve_names} if of.curved else {}),
    }


def condition_arrays(of: Conditions) -> Iterable[Array]:
    """The arrays of the conditions, forces and drives of the cuts."""
    n, rows = of.space.motion, dict[str, int]()
    for name in ("phi", "phid"):
        yield Array(name, "conditions", Port(name), Storage.RESULT, name)
    yield Array("J", "slopes", Port("J"), Storage.RESULT, "J")
    for m in sorted(set(of.cut_widths)):
        yield _work("cuts", f"EA{m}", n, m)
        yield _work("cuts", f"EB{m}", n, m)
        yield _work("cuts", f"bias{m}", m)
    for name in ("at", "rate", "second"):
        yield _work("driven", name)
    yield _work("cut coordinates", "cq")
    yield _work("cut speeds", "cu")
    for freedom in sorted({len(of.laws[hinge.name]) for hinge in of.loaded}):
        yield _work("cuts", f"Tc{freedom}", freedom)
    for name in ("WA", "WB"):
        yield _work("cuts", name, n)
    yield _work("cuts", "Vc")
    if of.curved:
        yield _work("curves", "cs")
        yield _work("conditions", "cb")
        for call in of.curve_rows():
            (ref,) = call.writes.values()
            rows[ref.array] = call.kernel.outputs[0].cols
        for name, width in rows.items():
            yield _work("links", name, 1, width)


def loop_arrays(of: Conditions) -> Iterable[Array]:
    """The arrays of the columns and multipliers in the sweep."""
    if not of.size:
        return
    yield Array("c", "conditions", Port("c"), Storage.ARGUMENT, "c")
    yield Array("du", "speeds", Port("du"), Storage.RESULT, "du")
    size = of.size
    yield Array("Lam", "system", Port("Lam", size, size, True), Storage.RESULT, "Lam")
    for name in ("mu", "nu"):
        yield _work("conditions", name)


def _work(index_set: str, name: str, rows: int = 1, cols: int = 1) -> Array:
    return Array(name, index_set, Port(name, rows, cols))
