"""Kernels, steps and programs: the one representation of every method.

A *kernel* states one step in the papers' letters: matrices in, `let` statements, matrices
out. A *call* applies a kernel at one member of an index set, and a *step* is an ordered list
of calls. A *program* is the ordered steps of one algorithm for one model. All of it is plain
data with SymPy matrices in it; nothing here knows what it means or what it becomes.

An array may have a *column axis*: a member then holds a value for each column of a range, and
a call may apply its kernel to every column of a range.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, lru_cache
from itertools import accumulate, product
from typing import Any

import sympy as sp

from ...errors import InternalError, UsageError
from ...model.expressions.quantities import told
from ...shown import Shown
from .letters import Letters
from .written import Equation


@dataclass(frozen=True)
class Port:
    """A matrix that a kernel takes or gives: its name, shape and known symmetry.

    Entries are called `name` (1×1), `name1 …` (a column) or `name11 …` (a matrix), counted
    from 1; of a symmetric matrix only the entries on and above the diagonal exist.
    """

    name: str
    rows: int = 1
    cols: int = 1
    symmetric: bool = False

    @cached_property
    def entries(self) -> tuple[tuple[int, int], ...]:
        """The independent entries (row, column), counted from 0, in storage order."""
        return tuple(
            (i, j)
            for i in range(self.rows)
            for j in range(self.cols)
            if not (self.symmetric and j < i)
        )

    def independent(self, i: int, j: int) -> tuple[int, int]:
        """The independent entry that entry (i, j) is."""
        return (j, i) if self.symmetric and j < i else (i, j)

    def entry_name(self, i: int, j: int) -> str:
        """The name of entry (i, j), counted from 0."""
        return self._names[i, j]

    @cached_property
    def _names(self) -> dict[tuple[int, int], str]:
        places = product(range(self.rows), range(self.cols))
        return {(i, j): self._name(*self.independent(i, j)) for i, j in places}

    def _name(self, i: int, j: int) -> str:
        if self.rows == self.cols == 1:
            return self.name
        stem = f"{self.name}_" if self.name[-1].isdigit() else self.name
        if self.cols == 1:
            return f"{stem}{i + 1}"
        between = "_" if max(self.rows, self.cols) > 9 else ""
        return f"{stem}{i + 1}{between}{j + 1}"

    def symbols(self) -> sp.Matrix:
        """The matrix of the entries' symbols."""
        return _symbols(self).copy()


@lru_cache(maxsize=1 << 13)
def _symbols(port: Port) -> sp.Matrix:
    """Found once: of the ports that a derivation states most have been met before."""
    names = (port.entry_name(i, j) for i, j in product(range(port.rows), range(port.cols)))
    return sp.Matrix(port.rows, port.cols, [sp.Symbol(name, real=True) for name in names])


@dataclass(frozen=True, eq=False)
class Let:
    """`port := value`, a matrix of expressions in what the kernel knows so far.

    `equation` is the statement between matrices: a tree that can be read back and judged, or, of
    kernels that are not traced, a text.
    """

    port: Port
    value: sp.Matrix
    source: str
    equation: Equation | str = ""

    @property
    def says(self) -> str:
        """The statement as an equation between matrices, in the letters of its source."""
        return written_of(self.equation)


class Policy(Enum):
    """How a small linear system is solved."""

    LDL = "LDLᵀ without pivoting, symmetric positive definite"
    LU = "LU with partial pivoting"
    MIN_NORM = "least squares of minimum norm, symmetric positive semidefinite, of given reach"


@dataclass(frozen=True, eq=False)
class Solve:
    """`port := matrix⁻¹ rhs`, without ever forming the inverse; `equation` as in `Let`.

    Of a minimum norm rank is decided against `scale`, a column: the diagonal before what is
    eliminated already was taken off the matrix, by itself if not given. `reach` is how large that
    would be if no position made it zero, which counts where the scale may be rounding.
    """

    port: Port
    matrix: sp.Matrix
    rhs: sp.Matrix
    policy: Policy
    source: str
    equation: Equation | str = ""
    reach: sp.Matrix = field(default_factory=lambda: sp.zeros(0, 1))
    scale: sp.Matrix | None = None

    @property
    def says(self) -> str:
        """As in `Let`."""
        return written_of(self.equation)

    @property
    def parts(self) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """Matrix, right-hand sides, and of a minimum norm the reach, then the scale."""
        limits = self.reach
        if limits.rows:
            scale = self.matrix.diagonal().T if self.scale is None else self.scale
            limits = sp.Matrix.vstack(limits, scale)
        return self.matrix, self.rhs, limits


Statement = Let | Solve


def written_of(equation: Equation | str) -> str:
    """An equation as text."""
    return equation if isinstance(equation, str) else equation.text


@dataclass(frozen=True, eq=False)
class Kernel:
    """One symbolic function of small matrices; its statements use each other's ports.

    Of one that is traced, `facts` are what its function asked of a link, and `letters` the
    lines of the method's table that its ports are. Equations may speak of letters that only the
    `whole` kernel states, of which this one is what its outputs need. `stated`: the file and the
    line of its function.
    """

    name: str
    title: str
    inputs: tuple[Port, ...]
    statements: tuple[Statement, ...]
    outputs: tuple[Port, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    letters: Letters = field(default_factory=dict)
    whole: Kernel | None = None
    stated: str = field(default="", compare=False)

    @property
    def sources(self) -> tuple[str, ...]:
        """The equations that the statements come from, each once, in order."""
        return tuple(dict.fromkeys(statement.source for statement in self.statements))


class KernelBuilder:
    """Writes a kernel statement by statement; each method gives back the port's symbols.

    What a function states of matrices that know their letters is recorded with it
    (`mechanics/traced`).
    """

    def __init__(self, name: str, title: str) -> None:
        self.name = name
        self.title = title
        self.inputs: list[Port] = []
        self.statements: list[Statement] = []
        self.known: dict[str, Port] = {}

    def take(self, name: str, rows: int = 1, cols: int = 1, symmetric: bool = False) -> sp.Matrix:
        """Declare an input."""
        port = self._declare(Port(name, rows, cols, symmetric))
        self.inputs.append(port)
        return port.symbols()

    def let(
        self,
        name: str,
        value: sp.Matrix,
        source: str,
        symmetric: bool = False,
        says: Equation | str = "",
    ) -> sp.Matrix:
        """State `name := value`, which as an equation between matrices `says` so."""
        port = self._declare(Port(name, value.rows, value.cols, symmetric))
        self.statements.append(Let(port, sp.Matrix(value), source, says))
        return port.symbols()

    def solve(
        self,
        name: str,
        matrix: sp.Matrix,
        rhs: sp.Matrix,
        source: str,
        policy: Policy = Policy.LDL,
        says: Equation | str = "",
        reach: sp.Matrix | None = None,
        scale: sp.Matrix | None = None,
    ) -> sp.Matrix:
        """State `name := matrix⁻¹ rhs`, which as an equation between matrices `says` so.

        A minimum norm, and nothing else, has a `reach`, and may have a `scale`.
        """
        if (policy is Policy.MIN_NORM) != (reach is not None):
            raise ValueError(f"kernel {self.name}: a minimum norm, and nothing else, has a reach")
        port = self._declare(Port(name, rhs.rows, rhs.cols))
        given = sp.Matrix(matrix), sp.Matrix(rhs)
        limits = sp.zeros(0, 1) if reach is None else sp.Matrix(reach)
        self.statements.append(Solve(port, *given, policy, source, says, limits, scale))
        return port.symbols()

    def build(self, *outputs: str) -> Kernel:
        """The kernel that gives the named statements' values."""
        return Kernel(
            self.name,
            self.title,
            tuple(self.inputs),
            tuple(self.statements),
            tuple(self.known[name] for name in outputs),
        )

    def _declare(self, port: Port) -> Port:
        if port.name in self.known:
            raise ValueError(f"kernel {self.name}: {port.name} is stated twice")
        self.known[port.name] = port
        return port


class Storage(Enum):
    """Where an array lives."""

    ARGUMENT = "given by the caller"
    RESULT = "given back to the caller"
    WORK = "in the caller's workspace"


class Slot(Enum):
    """What a member's value of an argument may be."""

    VECTOR = "any numbers"
    ANGLE = "an angle"
    QUATERNION = "a unit quaternion"


@dataclass(frozen=True)
class Array:
    """A quantity over an index set: one value of the port's shape for each member.

    `owner` names the caller's flat buffer of an argument or a result (`q`, `v`, `a`, …), in
    which the members follow each other in the set's order, each with the port's entries.
    `slot` says which values are admissible. `columns` gives for each member the range of
    columns (the first, and one past the last) at which it has a value; none: no column axis.
    `complex`: of an argument or a result, whether its numbers are.
    """

    name: str
    index_set: str
    port: Port
    storage: Storage = Storage.WORK
    owner: str = ""
    slot: Slot = Slot.VECTOR
    columns: tuple[tuple[int, int], ...] = ()
    complex: bool = False

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where column 0 of each member stands when all values follow each other."""
        widths = [stop - start for start, stop in self.columns]
        before = accumulate(widths, initial=0)
        return tuple(at - start for at, (start, _) in zip(before, self.columns, strict=False))

    def count(self, members: int) -> int:
        """The number of values over an index set of so many members."""
        return sum(stop - start for start, stop in self.columns) if self.columns else members


def given(name: str, index_set: str, rows: int = 1, *, complex: bool = False) -> Array:
    """An argument, in a buffer of its own name."""
    return Array(name, index_set, Port(name, rows), Storage.ARGUMENT, name, complex=complex)


def result(
    name: str, index_set: str, rows: int = 1, cols: int = 1, *, complex: bool = False
) -> Array:
    """A result, in a buffer of its own name."""
    return Array(name, index_set, Port(name, rows, cols), Storage.RESULT, name, complex=complex)


def named(arrays: Iterable[Array]) -> dict[str, Array]:
    """Arrays by name; two that differ may not have one name.

    Raises
        ValueError: two do.
    """
    found: dict[str, Array] = {}
    for array in arrays:
        if found.setdefault(array.name, array) != array:
            raise ValueError(f"two arrays are called {array.name}")
    return found


#: The column that a call is applied to, as against a fixed one.
THIS = -1


@dataclass(frozen=True)
class Ref:
    """One member's value of an array; at a column (a number, or `THIS`) if it has that axis."""

    array: str
    member: str
    column: int | None = None


@dataclass(frozen=True, eq=False)
class Call:
    """A kernel applied at a member: each input is bound to a value or to constants.

    Constants are matrices of expressions in the model's parameters. With a `span` the kernel
    is applied to every column from the first to one before the last, independently.
    """

    kernel: Kernel
    member: str
    reads: Mapping[str, Ref | sp.Matrix]
    writes: Mapping[str, Ref]
    span: tuple[int, int] | None = None

    @property
    def columns(self) -> range:
        """The columns that the kernel is applied to, one if there is no such axis."""
        return range(*self.span) if self.span else range(1)

    def at(self, column: int) -> Call:
        """The call at one column of its span."""
        if self.span is None:
            return self

        def fixed(ref: Ref) -> Ref:
            return replace(ref, column=column) if ref.column == THIS else ref

        reads = {n: fixed(x) if isinstance(x, Ref) else x for n, x in self.reads.items()}
        writes = {name: fixed(ref) for name, ref in self.writes.items()}
        return Call(self.kernel, self.member, reads, writes)


@dataclass(frozen=True)
class Dense:
    """`unknowns := matrix⁻¹ rhs`, of arrays: a system that grows with the model.

    The matrix has a column axis as long as its index set; what nothing writes of it is zero.
    """

    matrix: str
    rhs: str
    unknowns: str
    source: str


@dataclass(frozen=True, eq=False)
class Step:
    """One of `Map`, `Sweep`, `Solution` and `Output`: how kernels are applied.

    `clears` are arrays that are set to zero before the calls; a `dense` system is solved
    after them.
    """

    name: str
    title: str
    calls: Sequence[Call]
    clears: tuple[str, ...] = ()
    dense: Dense | None = None

    def single_calls(self) -> Iterator[Call]:
        """The calls in order, column by column."""
        for call in self.calls:
            for column in call.columns:
                yield call.at(column)


class Map(Step):
    """Members by themselves: none reads what the step writes at another."""


class Sweep(Step):
    """Members in order: each may read what those before it wrote."""


class Solution(Step):
    """Gathers what sweeps give and solves one system for it."""


class Output(Step):
    """Named results."""


@dataclass(frozen=True)
class Entry:
    """A public function: the steps it runs and the results it gives.

    What is between the steps of a `whole` one is nobody's concern: they may become one.
    """

    name: str
    title: str
    steps: tuple[str, ...]
    results: tuple[str, ...]
    whole: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Program(Shown):
    """The ordered steps of one algorithm for one model.

    `sets` are the named index sets (members in storage order), `parameters` the model's
    parameters with their values, of which `runtime` stay arguments of the generated code.
    `slots` say what the numbers of `q` mean in order, where its arrays do not; `extents` are the
    sizes that the members of `conditions` are judged by: a length of the model, or 1 of an angle.
    `repeats` is from how many repetitions on a pattern becomes a loop, where short text counts more
    than zeros that are known; 0: as usual.
    """

    name: str
    title: str
    algorithm: str
    sets: Mapping[str, tuple[str, ...]]
    arrays: Mapping[str, Array]
    steps: tuple[Step, ...]
    entries: tuple[Entry, ...]
    parameters: Mapping[str, float] = field(default_factory=dict)
    runtime: tuple[str, ...] = ()
    slots: tuple[Slot, ...] = ()
    extents: tuple[float, ...] = ()
    repeats: int = 0

    def __post_init__(self) -> None:
        own = {x.name for x in self.arrays.values() if x.storage is not Storage.WORK}
        for step in self.steps:
            if self.step(step.name) is not step:
                raise InternalError(f"{self.algorithm}: two steps are called {step.name}")
            if step.name in own:
                raise UsageError(
                    f"{self.algorithm}: a step and an argument or result are called {step.name!r}, "
                    "which C cannot tell apart; call the step otherwise"
                )

    def __repr__(self) -> str:
        entries = told(len(self.entries), "entry", "entries")
        return f"<Program {self.title}: {told(len(self.steps), 'step')}, {entries}>"

    def step(self, name: str) -> Step:
        """The step called `name`.

        Raises
            InternalError: there is none.
        """
        for step in self.steps:
            if step.name == name:
                return step
        raise InternalError(f"{self.name}, {self.algorithm}: the program has no step {name!r}")

    def refs(self, name: str) -> Iterator[Ref]:
        """All values of an array in storage order."""
        array = self.arrays[name]
        members = self.sets[array.index_set]
        if not array.columns:
            yield from (Ref(name, member) for member in members)
        for member, (start, stop) in zip(members, array.columns, strict=False):
            yield from (Ref(name, member, column) for column in range(start, stop))
