"""Results by speed to which several hinges of one coordinate add: each its share, then the sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..language.program import Array, Call, Map, Ref, Step
from ..language.slices import Wanted
from . import kernels


def summed(
    steps: Sequence[Step], results: Mapping[str, Array], sets: dict[str, tuple[str, ...]]
) -> Iterator[tuple[Step, list[Array]]]:
    """Steps whose results have one writer each, with the arrays that they need for it.

    What several calls of a step add to one result is summed by another step after it. `sets` gets
    the index sets of the shares.
    """
    for step in steps:
        calls = tuple(step.calls)
        written = Counter(ref for call in calls for ref in call.writes.values())
        several = {x: n for x, n in written.items() if n > 1 and x.array in results}
        if not several:
            yield step, []
            continue
        shares = _Shares(several)
        yield replace(step, calls=tuple(map(shares.parted, calls))), []
        arrays = {ref.array: results[ref.array] for ref in several}
        made = []
        for name, array in arrays.items():
            port = replace(array.port, name=f"{name}_of")
            made.append(Array(port.name, f"{name} shares", port))
            members = (x.member for ref in several if ref.array == name for x in shares.of(ref))
            sets[f"{name} shares"] = tuple(
                dict.fromkeys([*sets.get(f"{name} shares", ()), *members])
            )
        ports = {name: array.port for name, array in arrays.items()}
        sums = tuple(
            sum_of(shares.of(ref), ref, ports[ref.array].rows, ports[ref.array].cols)
            for ref in several
        )
        yield Map(f"{step.name}_shared", f"{step.title}, of shared coordinates", sums), made


class _Shares:
    """The places of the shares of results that have so many."""

    def __init__(self, several: Mapping[Ref, int]) -> None:
        self.several = several
        self.left = {ref: iter(self.of(ref)) for ref in several}

    def of(self, ref: Ref) -> list[Ref]:
        numbers = range(1, self.several[ref] + 1)
        return [Ref(f"{ref.array}_of", f"{ref.member} {k}") for k in numbers]

    def parted(self, call: Call) -> Call:
        """A call that writes shares, each the next one of its result."""
        writes = {
            name: next(self.left[ref]) if ref in self.left else ref
            for name, ref in call.writes.items()
        }
        return replace(call, writes=writes)


def sum_of(shares: Sequence[Ref], ref: Ref, rows: int = 1, cols: int = 1) -> Call:
    """What several hinges have of one value, summed."""
    kernel = kernels.total.of(dimension=2, count=len(shares), rows=rows, cols=cols)
    reads = {f"share_{k}": share for k, share in enumerate(shares, 1)}
    return Call(kernel, ref.member, reads, {"total": ref})


def without(wanted: Iterable[Wanted]) -> Iterator[Wanted]:
    """Where a step is another way, so is the sum of its shares."""
    for each in wanted:
        yield replace(each, without=(*each.without, *(f"{x}_shared" for x in each.without)))
