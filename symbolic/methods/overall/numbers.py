"""The printed overall transfer equation in numbers: its named matrices, from the very kernels.

A matrix is what the program's kernels make of unit columns: what is read is what runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from ....errors import UsageError
from ....model import Model
from ....model.quantities import TIME, exact_expression, shorten
from ...language.interpreter import FLOAT, Arithmetic, Interpreter, evaluate
from ...language.program import Kernel, Port, Ref
from ...mechanics.space import Space
from ...plans.deduction import Factor, OverallEquation, Row
from ...plans.plan import plan
from ...plans.transfer import Boundary, Element
from ...tree.acting import Reads
from . import kernels
from . import row_kernels as rows
from .program import overall_program, printed_writer

Numbers = list[Any]
Matrix = list[Numbers]


@dataclass(frozen=True)
class Overall(OverallEquation):
    """The overall transfer equation of a model, and its matrices in numbers."""

    def at(
        self,
        q: Sequence[float],
        v: Sequence[float],
        tau: Sequence[float] | None = None,
        *,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: Sequence[Sequence[float]] | None = None,
        arithmetic: Arithmetic = FLOAT,
    ) -> OverallNumbers:
        """Every named matrix, the system and its solution at a state.

        Shape
            Arguments as of `Solver.accelerations`. Of a result: a list of rows, each a list of
            numbers; U, C, I square of order 2 n + len(s) + 1, H, G, K with as many rows as their
            equations have. `U_all` and `r_all` are as of `Solver.overall_equation`.
        Units
            SI.
        Frame
            Inertial; entries of s along the hinges' coordinates.
        Sign
            The paper's: q, −m act on an element at an input, −q, +m at its output.
        Raises
            NumericsError: the system is singular.
        Source
            Deduction paper (13)–(39); hinges own.
        """
        forced = tau is not None or wrenches is not None
        return OverallNumbers(
            self, forced, _flat(self, q, v, tau, t, wrenches), parameters, arithmetic
        )


def _flat(
    equation: OverallEquation,
    q: Sequence[float],
    v: Sequence[float],
    tau: Sequence[float] | None,
    t: float,
    wrenches: Sequence[Sequence[float]] | None,
) -> dict[str, Numbers]:
    """The arguments as the program takes them: forces before couples."""
    model: Model = equation.transfer.model
    order = (3, 4, 2) if model.dimension == 2 else (3, 4, 5, 0, 1, 2)
    none: Sequence[Sequence[float]] = [[0.0] * 6] * len(model.bodies)
    given = {
        "q": q,
        "v": v,
        "tau": [0.0] * len(model.speeds) if tau is None else tau,
        "f": [row[i] for row in (none if wrenches is None else wrenches) for i in order],
        TIME.name: [t],
        "c": [],
    }
    return {name: [float(x) for x in values] for name, values in given.items()}


class OverallNumbers(Mapping[str, Matrix]):
    """An overall transfer equation at a state: matrices by their printed names, `U_5,I1`.

    Besides `U_all` and `r_all`, the system in the equation's `unknowns`; `x_all`, its solution;
    `accelerations` and `loads`.
    """

    def __init__(
        self,
        equation: OverallEquation,
        forced: bool,
        arguments: Mapping[str, Numbers],
        parameters: Mapping[str, float] | None,
        arithmetic: Arithmetic,
    ) -> None:
        self.equation, self.arithmetic = equation, arithmetic
        chosen = plan(equation.transfer.model)
        self._writer = printed_writer(chosen, forced=forced)
        self._interpreter = Interpreter(
            overall_program(chosen, forced=forced), arithmetic, parameters
        )
        self._arguments = {
            name: [arithmetic.make(Fraction(x)) for x in values]
            for name, values in arguments.items()
        }
        self.n = Space(chosen.model.dimension).motion
        self.places = {element.label: i for i, element in enumerate(equation.transfer.elements)}
        own, at = self._writer.columns.own, 2 * self.n
        begin = min((span.start for span in own.values()), default=at)
        self._s = {x: range(r.start - begin + at, r.stop - begin + at) for x, r in own.items()}
        self.size = 2 * self.n + sum(map(len, self._s.values())) + len(equation.couplings) + 1

    @cached_property
    def _values(self) -> dict[Ref, Numbers]:
        return self._interpreter.run("joint_loads", self._arguments)

    @cached_property
    def factors(self) -> dict[str, Factor]:
        """The named matrices."""
        found = {}
        for row in self.equation.rows:
            for reading in self.equation.readings(row):
                found[reading.head.text()] = reading.head
        for i, element in enumerate(self.equation.transfer.elements):
            for entry in range(1, len(element.inputs) + 1):
                factor = self.equation.matrix(i, entry)
                found[factor.text()] = factor
        return found | {name: Factor(name) for name in ("C", "I")}

    def __iter__(self) -> Iterator[str]:
        return iter((*self.factors, "U_all", "r_all", "x_all", "accelerations", "loads"))

    def __len__(self) -> int:
        return len(self.factors) + 5

    def __getitem__(self, name: str) -> Matrix:
        if name in self.factors:
            return self.matrix(self.factors[name])
        if name not in tuple(self):
            raise UsageError(f"there is no matrix {name!r}; there are: {shorten(tuple(self))}")
        array = {"U_all": "matrix", "r_all": "right", "x_all": "unknown", "accelerations": "a"}
        flat = self._interpreter.flat(array.get(name, name), self._values)
        width = {"U_all": len(self.equation.unknowns), "loads": 6}.get(name, 1)
        return [flat[i : i + width] for i in range(0, len(flat), width)]

    def block(self, row: Row, column: int) -> Matrix:
        """A block: its products multiplied out as they are named."""
        found = self._zeros(row.size)
        for term in self.equation.block(row, column):
            product = self._unit()
            for factor in reversed(self.equation.factors(term)):
                product = _product(self.matrix(factor), product)
            for own, other in zip(found, product, strict=False):
                own[:] = [x + term.sign * y for x, y in zip(own, other, strict=True)]
        return found

    def state(self, column: int) -> Numbers:
        """The whole state z of an end, solved for: a, m, q, s, 1."""
        end = self.equation.end(column)
        found = list(self._known(end))
        entries = self.equation.open_entries(column)
        start = self._writer.columns.starts[column]
        unknowns = [value for (value,) in self["x_all"]]
        for j, entry in enumerate(entries):
            found[entry] = unknowns[start + j]
        auxiliary = len(unknowns) - (self.size - 2 * self.n - 1)
        return [*found, *unknowns[auxiliary:], self._number(1)]

    def _known(self, end: Boundary) -> Numbers:
        """What is known of an end, where its other entries are zero or whatever."""
        found: Numbers = []
        for binding in self._writer.motion.known(end).values():
            if isinstance(binding, Ref):
                found += self._values[binding]
            else:
                found += map(self._number, binding)
        return found

    def matrix(self, factor: Factor) -> Matrix:
        """A named matrix."""
        if factor.letter in "IC":
            found = self._unit()
            for i in range(self.n, 2 * self.n) if factor.letter == "C" else ():
                found[i][i] = -found[i][i]
            return found
        element = self.equation.transfer.elements[self.places[factor.indices[0]]]
        entry = int(factor.indices[1][1:]) if len(factor.indices) > 1 else 1
        if factor.letter == "U":
            columns = self._columns(element, entry)
            ones = self._unit()[2 * self.n :]
            passed = ones if entry == 1 else self._zeros(len(ones))
            return [list(row) for row in zip(*columns, strict=True)] + passed
        if factor.letter == "H":
            made = self._geometric(element, entry, factor.order or 2)
        else:
            kind = {"G": self._modal if element.is_beam else self._driven, "K": self._coupled}
            made = kind[factor.letter](element, entry)
        return [list(row) for row in zip(*made, strict=True)]

    # Columns: what kernels make of the unit states

    def _number(self, value: int | sp.Expr) -> Any:
        (found,) = self._interpreter.constants(sp.Matrix([value]))
        return self.arithmetic.make(Fraction(found))

    def _zeros(self, count: int) -> Matrix:
        return [[self._number(0)] * self.size for _ in range(count)]

    def _unit(self) -> Matrix:
        found = self._zeros(self.size)
        for i in range(self.size):
            found[i][i] = self._number(1)
        return found

    def _states(self) -> Iterator[tuple[int, dict[str, Numbers]]]:
        """The unit states of a, m, q, each with its place in z."""
        for i in range(2 * self.n):
            yield i, self._state([self._number(int(i == j)) for j in range(2 * self.n)])

    def _state(self, z: Numbers) -> dict[str, Numbers]:
        spins = Space(self.equation.transfer.model.dimension).spins
        n = self.n
        return {"a": z[:n], "m": z[n : n + spins], "q": z[n + spins :]}

    @property
    def _still(self) -> dict[str, Numbers]:
        return self._state([self._number(0)] * (2 * self.n))

    def _apply(
        self, kernel: Kernel, known: Reads, states: Mapping[str, Numbers]
    ) -> dict[str, Numbers]:
        """A kernel's outputs, of an element's data and of given states."""

        def value(port: Port) -> Numbers:
            binding = known.get(port.name)
            if port.name in states:
                return states[port.name]
            if isinstance(binding, Ref):
                return self._values[binding]
            assert binding is not None
            return [self._number(binding[i, j]) for i, j in port.entries]

        inputs = {port.name: value(port) for port in kernel.inputs}
        return evaluate(kernel, inputs, self.arithmetic)

    def _passed(self, element: Element, entry: int, state: Mapping[str, Numbers]) -> Numbers:
        """A column behind an element."""
        if element.is_body:
            kernel = kernels.through(self._writer.dimension, (entry,))
            found = self._apply(kernel, self._writer.data(element), _labelled(state, f"_I{entry}"))
        elif self._writer.motion.apart(element):
            known = self._writer.motion.hinged(element, "dh")
            found = self._apply(kernels.across(self._writer.dimension), known, state)
        else:
            return [*state["a"], *state["m"], *state["q"]]
        return [*found["ao"], *found["mo"], *found["qo"]]

    def _columns(self, element: Element, entry: int) -> Matrix:
        """The columns of U: rows of a, m, q."""
        none = [self._number(0)] * (2 * self.n)
        found = [list(none) for _ in range(self.size)]
        for i, state in self._states():
            found[i] = self._passed(element, entry, state)
        if entry > 1:
            return found
        for j, column in zip(self._s.get(element.label, ()), self._own(element), strict=False):
            found[j] = column
        found[-1] = self._constant(element)
        return found

    def _own(self, element: Element) -> Iterator[Numbers]:
        """The columns of an element's entries of s, at its output."""
        count = element.freedoms
        if not count:
            return
        if element.is_beam:
            made = self._apply(kernels.modal_columns(count), self._writer.data(element), {})
        else:
            kernel = kernels.own_columns(self._writer.dimension, count)
            made = self._apply(kernel, self._writer.motion.hinged(element, f"Hs{count}"), {})
        for j in range(1, count + 1):
            yield [*made[f"a_{j}"], *made[f"m_{j}"], *made[f"q_{j}"]]

    def _constant(self, element: Element) -> Numbers:
        """The column of the 1: what is behind the element if nothing arrives."""
        kernel, known = self._writer.behind(self.places[element.label], element, "k")
        still = dict(self._still)
        for k in range(1, len(element.inputs) + 1):
            still |= _labelled(self._still, f"_I{k}")
        still |= {f"u_{j}": [self._number(0)] for j in range(1, element.freedoms + 1)}
        found = self._apply(kernel, known, still)
        return [*found["ao"], *found["mo"], *found["qo"]]

    # Heads

    def _made(self, kernel: Kernel, known: Reads, states: Mapping[str, Numbers]) -> Numbers:
        found = self._apply(kernel, known, states)
        return [x for values in found.values() for x in values]

    def _geometric(self, element: Element, entry: int, order: int) -> Matrix:
        d, k = self._writer.dimension, order if entry == 1 else entry
        found = self._blank(self.n)
        known: Reads = {x: Ref(f"{x}{k}", element.label) for x in ("rK", "gK")}
        kernel = rows.geometric(d, entry == 1, entry > 1)
        for i, state in self._states():
            made = self._made(kernel, known, {"a": state["a"], "a_k": state["a"]})
            found[i] = made if entry == 1 else [-x for x in made]
        if entry == 1:
            still = {"a": self._still["a"], "a_k": self._still["a"]}
            right = self._made(rows.geometric(d, True, True, right=True), known, still)
            found[-1] = [-x for x in right]
            if element.is_beam:
                kernel = rows.geometric_own(element.freedoms, k)
                self._each(found, element, kernel, lambda column: {})
        return found

    def _driven(self, element: Element, entry: int) -> Matrix:
        """G of a hinge."""
        d, count, motion = self._writer.dimension, element.freedoms, self._writer.motion
        known = motion.hinged(element, f"Hs{count}") | motion.force(element)
        found = self._blank(count)
        for i, state in self._states():
            found[i] = self._made(rows.hinge(d, count), known, state)
        kernel = rows.hinge(d, count, right=True, acting=bool(motion.force(element)))
        found[-1] = [-x for x in self._made(kernel, known, self._still)]
        hinge = self.equation.hinges[element.name]
        for k, (j, inertia) in enumerate(zip(self._s[element.label], hinge.rotor, strict=False)):
            found[j][k] -= self._number(exact_expression(inertia))
        for coupling, demand in self._demands(element.name):
            found[self._load(coupling)][0] += self._number(demand)
        return found

    def _demands(self, name: str) -> Iterator[tuple[str, sp.Expr]]:
        """The couplings of a hinge, and what each demands of its rate."""
        for hinge in self.equation.couplings:
            for other, demand in self._writer.demands(hinge):
                if other == name:
                    yield hinge.name, demand

    def _load(self, coupling: str) -> int:
        names = [hinge.name for hinge in self.equation.couplings]
        return self.size - 1 - len(names) + names.index(coupling)

    def _coupled(self, element: Element, entry: int) -> Matrix:
        found = self._blank(1)
        labels = {e.name: e.label for e in self.equation.transfer.elements if not e.is_body}
        for name, demand in self._writer.demands(self.equation.hinges[element.name]):
            found[self._s[labels[name]].start][0] += self._number(demand)
        return found

    def _modal(self, element: Element, entry: int) -> Matrix:
        """G of a beam."""
        count, known = element.freedoms, self._writer.data(element)
        found = self._blank(count)
        for i, state in self._states():
            behind = self._state(self._passed(element, entry, state))
            states = _labelled(state, f"_I{entry}") | _labelled(behind, "o")
            found[i] = self._made(rows.modal(count, (entry,)), known, states)
        if entry == 1:
            behind = self._state(self._constant(element))
            states = _labelled(self._still, "_I1") | _labelled(behind, "o")
            right = self._made(rows.modal(count, (1,), right=True), known, states)
            found[-1] = [-x for x in right]
            own = iter(list(self._own(element)))
            self._each(
                found,
                element,
                rows.modal_own(count),
                lambda _: _labelled(self._state(next(own)), "o"),
            )
        return found

    def _blank(self, count: int) -> Matrix:
        return [[self._number(0)] * count for _ in range(self.size)]

    def _each(self, found: Matrix, element: Element, kernel: Kernel, states: Any) -> None:
        """A kernel at each of a beam's own columns."""
        count = element.freedoms
        for k, j in enumerate(self._s[element.label]):
            unit = {"unit": [self._number(int(i == k)) for i in range(count)]}
            found[j] = self._made(kernel, self._writer.data(element), unit | states(k))


def _labelled(state: Mapping[str, Numbers], label: str) -> dict[str, Numbers]:
    return {f"{name}{label}": values for name, values in state.items()}


def _product(left: Matrix, right: Matrix) -> Matrix:
    columns = list(zip(*right, strict=True))
    return [[sum(x * y for x, y in zip(row, z, strict=True)) for z in columns] for row in left]
