"""Passes *dead*, *special* and *memory*: what nothing reads is not computed, entry by entry."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from ...symbolic.language.program import Program, Storage
from ..blocks import Block, Carried, Cell, Index, LoweredStep, Module, Operand, Parameter
from ..freeze import Entry as PortEntry


def dead(module: Module) -> Module:
    """Drop what nothing reads."""
    steps = copied(module.steps)
    drop_dead(module.program, steps)
    return _without_idle_steps(module, steps)


def memory(module: Module) -> Module:
    """List what the workspace holds: the entries of work arrays that something reads.

    What earlier passes have left without a reader is not stored.
    """
    needed = drop_dead(module.program, copied(module.steps))
    module = _storing(module, needed)
    workspace = {
        module.cell_name(Cell(name, entry, Index(0))): module.values(array)
        for name, array in module.program.arrays.items()
        if array.storage is Storage.WORK
        for entry in array.port.entries
        if (name, entry) in needed
    }
    return replace(module, workspace=workspace)


def _storing(module: Module, needed: Container[tuple[str, PortEntry]]) -> Module:
    """The module without stores to entries of work arrays that nothing reads at any place."""

    def stays(cell: Cell) -> bool:
        is_work = module.program.arrays[cell.array].storage is Storage.WORK
        return not is_work or (cell.array, cell.entry) in needed

    steps, idle = copied(module.steps), False
    for block in (block for step in steps for block in step.blocks):
        stores = {cell for cell, _ in block.stores if stays(cell)}
        if len(stores) < len(block.stores):
            _keep(block, stores, block.carries)
            idle = True
    return _without_idle_steps(module, steps) if idle else module


def _without_idle_steps(module: Module, steps: Iterable[LoweredStep]) -> Module:
    """The module with these steps, as far as they store something."""
    kept = _without_empty_blocks(steps)
    names = {step.name for step in kept}
    entries = (replace(e, steps=tuple(n for n in e.steps if n in names)) for e in module.entries)
    return replace(module, steps=kept, entries=tuple(entries))


class Needed:
    """The places of array entries that something reads.

    Unless `told_apart`, what reads one place reads all.
    """

    #: All places of an entry.
    ALL = -1

    def __init__(self, told_apart: bool) -> None:
        self.told_apart = told_apart
        #: By entry a number whose bits are its places: sets of many are united at once.
        self.places: dict[tuple[str, PortEntry], int] = {}
        self.grew = True

    def all_of(self, name: str, entry: PortEntry) -> None:
        self._add((name, entry), self.ALL)

    def add(self, block: Block, cell: Cell) -> None:
        key, places = _places(block, cell)
        self._add(key, places if self.told_apart else self.ALL)

    def holds(self, places: _Places | None) -> bool:
        """Is one of the places read? What has none stays in any case."""
        return places is None or self.places.get(places[0], 0) & places[1] != 0

    def _add(self, key: tuple[str, PortEntry], more: int) -> None:
        known = self.places.get(key, 0)
        self.places[key] = known | more
        self.grew |= self.places[key] != known


#: Places of an array's entry, as in `Needed`.
_Places = tuple[tuple[str, PortEntry], int]


def _places(block: Block, cell: Cell) -> _Places:
    """The places of a cell in all turns of its block."""
    every = cell.along or block.segmented
    at = Needed.ALL if every else _bits(cell.index, block.count)
    return (cell.array, cell.entry), at


@lru_cache(maxsize=1024)
def _bits(index: Index, count: int) -> int:
    """A number with a bit for each place."""
    if index.fixed:
        return 1 << index.start
    places = index.places(count)
    if isinstance(places, range):
        step = abs(places.step)
        return ((1 << step * count) - 1) // ((1 << step) - 1) << min(places[0], places[-1])
    row = bytearray(max(places) // 8 + 1)
    for place in places:
        row[place // 8] |= 1 << place % 8
    return int.from_bytes(row, "little")


def drop_dead(
    program: Program,
    steps: Sequence[LoweredStep],
    told_apart: bool = True,
    kept: Mapping[int, set[Cell]] = MappingProxyType({}),
) -> set[tuple[str, PortEntry]]:
    """Keep only stores and carries that something reads; gives the array entries kept.

    Unless members are `told_apart`, what is read of one is kept of all. Of blocks, by their id,
    what is to be `kept` besides.
    """
    needed = Needed(told_apart)
    for system in (step.dense for step in steps if step.dense):
        for name in (system.matrix, system.rhs, system.unknowns):
            needed.all_of(name, (0, 0))
    # What a block reads is mostly stored by one before it: so fewer rounds are needed.
    blocks = [block for step in steps for block in step.blocks][::-1]
    live: dict[int, set[Carried]] = {id(block): set() for block in blocks}
    stored = {id(x): [*_stored(program, x, kept.get(id(x), set()))] for x in blocks}
    followed: dict[int, list[int]] = {}
    while needed.grew:
        needed.grew = False
        for block in blocks:
            carried = live[id(block)]
            wanted = [node for _, node, at in stored[id(block)] if needed.holds(at)]
            wanted += [block.carries[value].value for value in carried]
            if wanted == followed.get(id(block)):
                continue
            followed[id(block)] = wanted
            for operand in _operands(block, wanted):
                if isinstance(operand, Cell):
                    needed.add(block, operand)
                elif isinstance(operand, Carried) and operand not in carried:
                    carried.add(operand)
                    needed.grew = True
                    start = block.carries[operand].start
                    if isinstance(start, Cell):
                        needed.add(block, start)
    for block in blocks:
        stores = {cell for cell, _, at in stored[id(block)] if needed.holds(at)}
        _keep(block, stores, live[id(block)])
    return set(needed.places)


def _keep(block: Block, stores: Container[Cell], carries: Container[Carried]) -> None:
    """Drop other stores and carries, and what is then not read."""
    block.stores = [item for item in block.stores if item[0] in stores]
    block.carries = {c: h for c, h in block.carries.items() if c in carries}
    block.graph = block.graph.narrowed(block.wanted())
    used = set(map(id, _operands(block, block.wanted())))
    block.inputs = {n: operand for n, operand in block.inputs.items() if id(operand) in used}


def _stored(
    program: Program, block: Block, also: set[Cell]
) -> Iterable[tuple[Cell, int, _Places | None]]:
    """What a block stores, node by node, and its places unless it stays without a reader."""
    for cell, node in block.stores:
        is_result = program.arrays[cell.array].storage is Storage.RESULT
        yield cell, node, None if is_result or cell in also else _places(block, cell)


def _operands(block: Block, wanted: Iterable[int]) -> list[Operand]:
    return [block.inputs[name] for name in block.graph.inputs(wanted)]


#: What the blocks of a step store.
_Stored = tuple[tuple[Cell, ...], ...]


@dataclass(eq=False)
class _Variant:
    """A step for the entries that need the same arrays of it: what any of them needs."""

    step: LoweredStep
    served: set[str]
    stores: list[set[Cell]]
    carries: list[set[Carried]]

    def add(self, step: LoweredStep) -> bool:
        """Compute this much of the step; is it more than before?"""
        before = self.size
        for block, stores, carries in zip(step.blocks, self.stores, self.carries, strict=True):
            stores.update(cell for cell, _ in block.stores)
            carries.update(block.carries)
        return self.size > before

    @property
    def size(self) -> int:
        return sum(map(len, self.stores)) + sum(map(len, self.carries))

    def made(self) -> LoweredStep:
        """The step that computes this and nothing else."""
        (made,) = copied([self.step])
        for block, stores, carries in zip(made.blocks, self.stores, self.carries, strict=True):
            _keep(block, stores, carries)
        return made

    def joined(self, other: _Variant) -> _Variant | None:
        """One variant for the entries of both, if that costs none anything."""
        both = _Variant(
            self.step,
            self.served | other.served,
            [a | b for a, b in zip(self.stores, other.stores, strict=True)],
            [a | b for a, b in zip(self.carries, other.carries, strict=True)],
        )
        cost = _cost(both.made())
        return both if cost == _cost(self.made()) == _cost(other.made()) else None


def _cost(step: LoweredStep) -> tuple[int, set[Operand], int]:
    """The operations of a step, the places and parameters that it reads, and what lanes store.

    A loop over rows of lanes is as fast as memory is.
    """
    operands = (operand for block in step.blocks for operand in block.inputs.values())
    read: set[Operand] = {x for x in operands if isinstance(x, Cell | Parameter)}
    stored = sum(len(block.stores) for block in step.blocks if block.segmented)
    operations = sum(block.operations().total() * block.times for block in step.blocks)
    return operations, read, stored


def special(module: Module) -> Module:
    """Each step once for all entries that need the same arrays of it.

    The variant that stores most keeps the step's name; another is called after the first entry
    that it serves.
    """
    steps, entries = module.steps, module.entries
    found: dict[str, dict[_Stored, _Variant]] = {step.name: {} for step in steps}
    of: dict[tuple[str, str], _Variant] = {}
    for entry in entries:
        own = [step for step in steps if step.name in entry.steps]
        arrays = copied(own)
        drop_dead(module.program, arrays, told_apart=False)
        for step, by_array in zip(own, arrays, strict=True):
            key = tuple(tuple(cell for cell, _ in block.stores) for block in by_array.blocks)
            none = _Variant(step, set(), [set() for _ in key], [set() for _ in key])
            of[entry.name, step.name] = found[step.name].setdefault(key, none)
            of[entry.name, step.name].served.add(entry.name)
    settled: dict[str, int] = {}
    still = False
    while not still:
        grown = [_grown(module, entry.name, of, settled) for entry in entries]
        still = not any(grown)
    kept: list[LoweredStep] = []
    names: dict[tuple[str, str], str] = {}
    for name, variants in found.items():
        joined = _fewest(variants.values())
        fullest = max(joined, key=lambda variant: variant.size, default=None)
        for variant in joined:
            first = next(entry.name for entry in entries if entry.name in variant.served)
            own_name = name if variant is fullest else f"{name}_{first}"
            names |= {(entry, name): own_name for entry in variant.served}
            kept.append(replace(variant.made(), name=own_name))
    busy = tuple(_without_empty_blocks(kept))
    there = {step.name for step in busy}
    chosen = []
    for entry in entries:
        own_names = (names.get((entry.name, name), "") for name in entry.steps)
        chosen.append(replace(entry, steps=tuple(x for x in own_names if x in there)))
    return replace(module, steps=busy, entries=tuple(chosen))


def _grown(
    module: Module,
    entry: str,
    of: Mapping[tuple[str, str], _Variant],
    settled: dict[str, int],
) -> bool:
    """Does an entry need more of its steps, given what others have them compute besides?

    `settled` are the sizes that its steps had together when this was last found out.
    """
    own = [variant for (name, _), variant in of.items() if name == entry]
    if sum(variant.size for variant in own) == settled.get(entry):
        return False
    steps = copied(variant.step for variant in own)
    kept = {
        id(block): stores
        for step, variant in zip(steps, own, strict=True)
        for block, stores in zip(step.blocks, variant.stores, strict=True)
    }
    drop_dead(module.program, steps, kept=kept)
    grown = [variant.add(step) for step, variant in zip(steps, own, strict=True)]
    settled[entry] = sum(variant.size for variant in own)
    return any(grown)


def _fewest(variants: Iterable[_Variant]) -> list[_Variant]:
    """Variants that share a function where that costs nothing."""
    found: list[_Variant] = []
    for variant in variants:
        for k, other in enumerate(found):
            if both := other.joined(variant):
                found[k] = both
                break
        else:
            found.append(variant)
    return found


def copied(steps: Iterable[LoweredStep]) -> tuple[LoweredStep, ...]:
    """The steps with blocks that can lose stores without the others' doing so."""
    return tuple(replace(s, blocks=tuple(replace(block) for block in s.blocks)) for s in steps)


def _without_empty_blocks(steps: Iterable[LoweredStep]) -> tuple[LoweredStep, ...]:
    """The steps and blocks that still store something."""
    kept = (replace(step, blocks=tuple(_joined(step.blocks))) for step in steps)
    return tuple(step for step in kept if step.blocks or step.dense)


def _joined(blocks: Iterable[Block]) -> Iterable[Block]:
    """The blocks that store something; what joins a dropped one starts the loop itself."""
    open_loop = False
    for block in blocks:
        open_loop = open_loop and block.joined
        if block.stores:
            block.joined = open_loop
            open_loop = True
            yield block
