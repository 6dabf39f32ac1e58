"""The printed overall transfer equation in numbers: its named matrices, from the very kernels.

A matrix is what the program's kernels make of unit columns: what is read is what runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from ....errors import UsageError
from ....model import Model
from ....model.expressions.quantities import TIME, exact_expression, shorten
from ....shown import Shown
from ...language.arithmetic import FLOAT, Arithmetic
from ...language.interpreter import Interpreter, evaluate
from ...language.program import Kernel, Port, Ref
from ...mechanics.space import Space
from ...plans.deduction import Factor, OverallEquation, Row
from ...plans.plan import plan
from ...plans.transfer import Boundary, Element
from .program import overall_program, printed_sweeps
from .sweeps import PARTS

#: Ports that are states, or accelerations of an element's own.
STATE = re.compile(r"[amq](_I\d+|o)|u_\d+")

Numbers = list[Any]
Matrix = list[Numbers]


@dataclass(frozen=True, repr=False)
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
        return self.kind()(
            self, forced, _flat(self, q, v, tau, t, wrenches), parameters, arithmetic
        )

    @staticmethod
    def kind() -> type[OverallNumbers]:
        """What `at` gives."""
        return OverallNumbers


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


class OverallNumbers(Shown, Mapping[str, Any]):
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
        self._sweeps = printed_sweeps(chosen, forced=forced)
        self._interpreter = Interpreter(
            overall_program(chosen, forced=forced), arithmetic, parameters
        )
        self._arguments = {
            name: [arithmetic.make(Fraction(x)) for x in values]
            for name, values in arguments.items()
        }
        self.n = Space(chosen.model.dimension).motion
        self.places = {element.label: i for i, element in enumerate(equation.transfer.elements)}
        own, at = self._sweeps.columns.own, 2 * self.n
        begin = min((span.start for span in own.values()), default=at)
        self._s = {x: range(r.start - begin + at, r.stop - begin + at) for x, r in own.items()}
        self.size = 2 * self.n + sum(map(len, self._s.values())) + len(equation.couplings) + 1

    def __repr__(self) -> str:
        name = self.equation.transfer.model.name
        return f"<Overall transfer equation of {name} at a state: {shorten([*self])}>"

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

    def __getitem__(self, name: str) -> Any:
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
        start = self._sweeps.columns.starts[column]
        unknowns = [value for (value,) in self["x_all"]]
        for j, entry in enumerate(entries):
            found[entry] = unknowns[start + j]
        auxiliary = len(unknowns) - (self.size - 2 * self.n - 1)
        return [*found, *unknowns[auxiliary:], self._number(1)]

    def _known(self, end: Boundary) -> Numbers:
        """What is known of an end, where its other entries are zero or whatever."""
        found: Numbers = []
        for binding in self._sweeps.motion.known(end).values():
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
        place = self.places[factor.indices[0]]
        entry = int(factor.indices[1][1:]) if len(factor.indices) > 1 else 1
        if factor.letter == "U":
            ones = self._unit()[2 * self.n :]
            return _transposed(self._passed(place, entry)) + (
                ones if entry == 1 else self._zeros(len(ones))
            )
        kinds = {"H": "geometric", "K": "coupling"}
        beam = self.equation.transfer.elements[place].is_beam
        kind = kinds.get(factor.letter, "modal" if beam else "hinge")
        which = (factor.order or 2) if entry == 1 else entry
        row = next(
            row
            for row in self.equation.rows
            if (row.kind, row.element) == (kind, place)
            and (kind != "geometric" or row.entry == which)
        )
        made = self._coupled(row) if kind == "coupling" else self._head(row, entry)
        return _transposed(made)

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

    def _state(self, z: Sequence[Any], at: str) -> dict[str, Numbers]:
        """The numbers of a state as ports at an input, `_Ik`, or behind an element, `o`."""
        spins = Space(self.equation.transfer.model.dimension).spins
        parts = z[: self.n], z[self.n : self.n + spins], z[self.n + spins : 2 * self.n]
        return {f"{name}{at}": list(part) for name, part in zip(PARTS, parts, strict=True)}

    def _made(self, kernel: Kernel, element: Element, states: Mapping[str, Numbers]) -> Numbers:
        """A kernel's outputs in a row; states and accelerations that are not given are zero."""

        def value(port: Port) -> Numbers:
            if port.name in states:
                return states[port.name]
            if STATE.fullmatch(port.name):
                return [self._number(0)] * len(port.entries)
            binding = self._sweeps.motion.read(port.name, element)
            if isinstance(binding, Ref):
                return self._values[binding]
            return [self._number(binding[i, j]) for i, j in port.entries]

        inputs = {port.name: value(port) for port in kernel.inputs}
        found = evaluate(kernel, inputs, self.arithmetic)
        return [x for values in found.values() for x in values]

    def _passed(self, place: int, entry: int) -> Matrix:
        """The columns of U: rows of a, m, q; of the first input with s and the 1."""
        element, sweeps = self.equation.transfer.elements[place], self._sweeps
        found = [[self._number(0)] * (2 * self.n) for _ in range(self.size)]
        kernel = sweeps.through(element, (entry,))
        for i, z in enumerate(self._unit()[: 2 * self.n]):
            found[i] = self._made(kernel, element, self._state(z, f"_I{entry}"))
        if entry == 1:
            own = self._made(sweeps.own_columns(element), element, {}) if element.freedoms else []
            for k, j in enumerate(self._s.get(element.label, ())):
                found[j] = own[2 * self.n * k : 2 * self.n * (k + 1)]
            every = tuple(range(1, len(element.inputs) + 1))
            found[-1] = self._made(sweeps.through(element, every, constants=True), element, {})
        return found

    def _head(self, row: Row, entry: int) -> Matrix:
        """The columns of a row's matrix at an input of its element, or behind a hinge."""
        element, sweeps = self.equation.transfer.elements[row.element], self._sweeps
        signs = {reading.place[1]: reading.sign for reading in self.equation.readings(row)}
        at = entry if entry in signs else 0
        behind = self._passed(row.element, entry) if at else self._unit()
        found = self._blank(row.size)
        kernel = sweeps.head(row, element, (at,))
        for i, z in enumerate(self._unit()[: 2 * self.n]):
            states = (self._state(z, f"_I{at}") if at else {}) | self._state(behind[i], "o")
            found[i] = [signs[at] * x for x in self._made(kernel, element, states)]
        if at > 1:
            return found
        still = self._state(behind[-1], "o") if at else {}
        right = sweeps.head(row, element, tuple(signs), right=True)
        found[-1] = [-x for x in self._made(right, element, still)]
        own = sweeps.own_head(row, element)
        if own is not None:
            for k, j in enumerate(self._s[element.label]):
                states = {"unit": [self._number(int(i == k)) for i in range(element.freedoms)]}
                found[j] = self._made(own, element, states | self._state(behind[j], "o"))
        if row.kind == "hinge":
            self._add_rotor(found, element)
        return found

    def _add_rotor(self, found: Matrix, element: Element) -> None:
        """What a rotor and couplings add to G of a hinge."""
        hinge = self.equation.hinges[element.name]
        for k, (j, inertia) in enumerate(zip(self._s[element.label], hinge.rotor, strict=False)):
            found[j][k] -= self._number(exact_expression(inertia))
        first = self.size - 1 - len(self.equation.couplings)
        for load, coupled in enumerate(self.equation.couplings, start=first):
            for name, demand in self._sweeps.demands(coupled):
                if name == element.name:
                    found[load][0] += self._number(demand)

    def _coupled(self, row: Row) -> Matrix:
        found = self._blank(1)
        elements = self.equation.transfer.elements
        labels = {e.name: e.label for e in elements if not e.is_body}
        hinge = self.equation.hinges[elements[row.element].name]
        for name, demand in self._sweeps.demands(hinge):
            found[self._s[labels[name]].start][0] += self._number(demand)
        return found

    def _blank(self, count: int) -> Matrix:
        return [[self._number(0)] * count for _ in range(self.size)]


def _transposed(rows: Matrix) -> Matrix:
    return [list(row) for row in zip(*rows, strict=True)]


def _product(left: Matrix, right: Matrix) -> Matrix:
    columns = list(zip(*right, strict=True))
    return [[sum(x * y for x, y in zip(row, z, strict=True)) for z in columns] for row in left]
