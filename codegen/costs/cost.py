"""What an emitted function costs, counted from its blocks before anything runs.

An entry calls the functions of its steps once each and does no arithmetic of its own. Loops run
as often as they say, so that the counts of a call are exact. What depends on numbers is named:
tests, solves by pivots, and functions of the library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...symbolic.language.program import Entry, Storage
from ..blocks import Block, Cell, Index, LoweredStep, Module, Parameter, Table
from ..graph import Graph
from ..solves.elimination import Elimination

DOUBLE, INTEGER = 8, 4

#: The columns of a table of costs: what stands above them, and what they count.
COLUMNS = {
    "+ -": ("additions",),
    "*": ("multiplications",),
    "/": ("divisions",),
    "sqrt": ("square roots",),
    "other": ("negations", "other elementary functions"),
}

#: What a table of costs says below it.
LEGEND = (
    "One call each; an entry's is the sum of its steps' calls. sincos: pairs of a",
    "sine and a cosine; other: signs and further elementary functions; stack, tables:",
    "bytes; loops: how often the bodies of all loops run; tests: where the path",
    "depends on numbers (range of an angle, step function); solves are named.",
)


@dataclass(frozen=True)
class FunctionCost:
    """One emitted function.

    Shape
        `operations` by kind, of one call, and `pairs` of a sine and a cosine among them; `loops`
        the iterations of each loop; `tests` the places where the path depends on numbers (the
        range of an angle, a step function); `solvers` the solves that are not written out.
    Units
        `stack` and `tables` in bytes for each state; `stack` is what all values that a block
        computes take if the compiler keeps none of them in a register.
    Source
        own
    """

    name: str
    operations: Mapping[str, int]
    pairs: int
    stack: int
    tables: int
    loops: tuple[int, ...]
    tests: int
    solvers: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """All operations of one call."""
        return sum(self.operations.values())

    @property
    def straight(self) -> bool:
        """Is the function one path without loops, tests and solves by pivots?"""
        return not (self.loops or self.tests or self.solvers)


@dataclass(frozen=True)
class Cost:
    """An entry: its whole, then the functions that it calls, in order."""

    whole: FunctionCost
    functions: tuple[FunctionCost, ...]


def costs(module: Module) -> tuple[Cost, ...]:
    """The cost of every entry of a module.

    Source
        own
    """
    of = {step.name: _function(module, step) for step in module.steps}
    return tuple(
        _entry(module, entry, [of[name] for name in entry.steps]) for entry in module.entries
    )


def held(module: Module) -> int:
    """Bytes that the workspace holds from step to step, for each state.

    Scratch of a target (angles, packed arguments, factors) comes on top of it.
    """
    return DOUBLE * sum(module.workspace.values())


def table(module: Module) -> tuple[str, ...]:
    """All costs as lines of text: the functions of the steps, then the entries that call them.

    Source
        own
    """
    found = costs(module)
    functions = {function.name: function for cost in found for function in cost.functions}
    rows = [("function", *COLUMNS, "sincos", "stack", "tables", "loops", "tests")]
    rows += [_row(function) for function in functions.values()]
    rows += [_row(cost.whole, "entry ") for cost in found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [" ".join(_aligned(row, widths)).rstrip() for row in rows]
    lines += [f"{f.name} calls {solver}" for f in functions.values() for solver in f.solvers]
    return (*lines, f"held from step to step: {held(module)} bytes", *LEGEND)


def _row(cost: FunctionCost, before: str = "") -> tuple[str, ...]:
    counted = [sum(cost.operations.get(kind, 0) for kind in kinds) for kinds in COLUMNS.values()]
    numbers = (*counted, cost.pairs, cost.stack, cost.tables, sum(cost.loops), cost.tests)
    return (f"{before}{cost.name}", *map(str, numbers))


def _aligned(row: tuple[str, ...], widths: list[int]) -> Iterable[str]:
    yield row[0].ljust(widths[0])
    yield from (text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))


def by_state(module: Module, entry: Entry) -> Counter[str]:
    """Operations of an entry, by kind, without those on parameters alone.

    Source
        own; the way in which the literature counts, for which constants are given
    """
    total: Counter[str] = Counter()
    for name in entry.steps:
        for block in module.step(name).blocks:
            graph, constant = block.graph, set[int]()
            live = _live(block)
            for number in live:
                node = graph.nodes[number]
                given = node.op == "input" and isinstance(block.inputs[str(node.value)], Parameter)
                made = bool(node.args) and constant.issuperset(node.args)
                if node.op == "const" or given or made:
                    constant.add(number)
            for kind, count in graph.count(n for n in live if n not in constant).items():
                total[kind] += count * block.times
    return total


def text(module: Module) -> int:
    """Operations as they stand in the text: what a loop repeats stands there once."""
    blocks = (block for step in module.steps for block in step.blocks)
    return sum(sum(block.operations().values()) for block in blocks)


def footprint(module: Module, full: bool = False) -> int:
    """Bytes of what the blocks store in the workspace or read from it, and of their tables.

    `full`: symmetric blocks with what is below their diagonals.
    """
    touched: dict[tuple[str, tuple[int, int]], set[int] | None] = {}
    tables = 0
    for step in module.steps:
        for block in step.blocks:
            cells = [cell for cell, _ in block.stores]
            cells += [x for x in block.inputs.values() if isinstance(x, Cell)]
            for cell in cells:
                places = touched.setdefault((cell.array, cell.entry), set())
                if cell.along or not cell.index.fixed:
                    touched[cell.array, cell.entry] = None
                elif places is not None:
                    places.add(cell.index.start)
            tables += _tables(block)
    work = 0
    for (name, (i, j)), places in touched.items():
        array = module.array(name)
        if array.storage is Storage.WORK:
            twice = full and array.port.symmetric and i != j
            values = module.values(array) if places is None else len(places)
            work += values * (2 if twice else 1)
    return DOUBLE * work + tables


def _entry(module: Module, entry: Entry, functions: list[FunctionCost]) -> Cost:
    whole = FunctionCost(
        entry.name,
        dict(module.operations(entry)),
        sum(function.pairs for function in functions),
        max((function.stack for function in functions), default=0),
        sum(function.tables for function in functions),
        tuple(turns for function in functions for turns in function.loops),
        sum(function.tests for function in functions),
        tuple(solver for function in functions for solver in function.solvers),
    )
    return Cost(whole, tuple(functions))


def _function(module: Module, step: LoweredStep) -> FunctionCost:
    solvers = [name for block in step.blocks for name in _solvers(block)]
    if step.dense:
        size = module.size(step.dense)
        solvers.append(f"solve_dense {size}×{size}")
    return FunctionCost(
        step.name,
        dict(module.step_operations(step)),
        sum(len(_angles(block)) * block.times for block in step.blocks),
        max((DOUBLE * _values(block) for block in step.blocks), default=0),
        sum(map(_tables, step.blocks)),
        tuple(_loops(step)),
        sum(map(_tests, step.blocks)),
        tuple(solvers),
    )


def _live(block: Block) -> tuple[int, ...]:
    return block.graph.live(block.wanted())


def _values(block: Block) -> int:
    """Numbers that the block names or computes, arrays of its solves included."""
    graph = block.graph
    own = sum(graph.nodes[number].op not in ("const", "unknown") for number in _live(block))
    arrays = sum(
        len(system.matrix) * (len(system.matrix) + len(system.rhs[0])) + len(system.reach)
        for system in _systems(graph, _live(block))
    )
    return own + arrays + len(block.carries)


def _systems(graph: Graph, live: Iterable[int]) -> Iterable[Elimination]:
    for number in live:
        node = graph.nodes[number]
        if node.op == "eliminate":
            assert isinstance(node.value, int)
            yield graph.eliminations[node.value]


def _solvers(block: Block) -> Iterable[str]:
    for system in _systems(block.graph, _live(block)):
        size = len(system.matrix)
        yield f"{system.solver} {size}×{size}"


def _angles(block: Block) -> set[tuple[int, ...]]:
    """What the block takes a sine or a cosine of."""
    nodes = (block.graph.nodes[number] for number in _live(block))
    return {node.args for node in nodes if node.op in ("sin", "cos")}


def _tests(block: Block) -> int:
    steps = sum(block.graph.nodes[number].op == "step" for number in _live(block))
    return len(_angles(block)) + steps


def _loops(step: LoweredStep) -> Iterable[int]:
    for block in step.blocks:
        if block.count > 1 and not block.joined:
            yield block.count
        if block.span:
            yield sum(len(calls[0].columns) for calls in block.calls)


def _tables(block: Block) -> int:
    """Bytes of the tables that a loop's constants and places are read from."""
    operands = block.inputs.values()
    constants = sum(len(x.values) for x in operands if isinstance(x, Table))
    indices: set[Index] = {x.index for x in operands if isinstance(x, Cell)}
    indices |= {cell.index for cell, _ in block.stores}
    if block.span:
        indices |= {block.span.start, block.span.stop}
    return DOUBLE * constants + INTEGER * sum(len(index.table) for index in indices)
