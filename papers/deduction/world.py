"""What the deduction paper's letters mean at an instant."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import sympy as sp

from ...symbolic.equations.worlds import World
from ...symbolic.exact.points import circle_point
from ...symbolic.mechanics.bodies import generic_transfer_matrix
from ...symbolic.mechanics.newton_euler import BodyData, balance
from ...symbolic.mechanics.planar import body_matrix
from ...symbolic.mechanics.vectors import Layout
from ...symbolic.plans.deduction import Factor, Row
from .beam import BEAMS, BeamWorld
from .blocks import Blocks, Letters, Names, Ready, factors
from .systems import PLANS, Case, entry, inputs, pair

#: Letters of a state's entries, and the names that its layout gives them.
ENTRIES = {
    **{"ddx": "ẍ", "ddy": "ÿ", "ddz": "z̈"},
    **{f"Om{axis}": f"Ω̇{axis}" for axis in "xyz"},
    **{f"{load}{axis}": f"{load}{axis}" for load in "mq" for axis in "xyz"},
}

#: How r̈, Ω̇, m and q of an end are called.
PARTS = ("r", "Om", "m", "q")


class Motion(World):
    """A system in its true motion."""

    def __init__(self, at: Case) -> None:
        self.at = at
        self.sets = at.sets()
        self.letters = {
            **Blocks(at.equation, at.matrices.of, self._shape).letters(),
            **factors(at.equation, at.matrices.of),
            **self._states(),
            **self._bodies(),
            **self._pages(),
            **self._hinges(),
            **self._counts(),
        }

    def _shape(self, row: Row) -> tuple[int, int]:
        size = self.at.matrices.parts[2]
        return (size if row.kind == "main" else row.size, size)

    # States

    def z(self, n: int, end: str | int) -> sp.Matrix:
        """Of an input or the output; of a boundary end by the number beyond."""
        system, equation = self.at.system, self.at.equation
        if isinstance(end, int):
            columns = {pair(equation.end(c)): c for c in equation.opened if equation.end(c).entry}
            return system.boundary(columns[n, end])
        element = self.at.elements[n]
        return system.output(element) if end == "O" else system.input(element, entry(end))

    def y(self, n: int, end: str) -> sp.Matrix:
        return sp.Matrix([*self.z(n, end)[: 2 * self.at.system.n, :], 1])

    @cache  # noqa: B019
    def part(self, name: str, n: int, end: str) -> sp.Matrix:
        """r̈, Ω̇, m or q of an end: of a body from the motion, of a hinge from its state."""
        at, d = self.at, self.at.plan.dimension
        if at.elements[n].is_body:
            return self._moving(n, end)[PARTS.index(name)]
        moved, m, q, _, _ = at.system.pieces
        pieces = {"r": slice(0, d), "Om": slice(d, moved.stop), "m": m, "q": q}
        return self.z(n, end)[pieces[name], :]

    def _moving(self, n: int, end: str) -> list[sp.Matrix]:
        element, system = self.at.elements[n], self.at.system
        place = element.output if end == "O" else element.inputs[entry(end) - 1]
        load = sp.zeros(6, 1)
        if place.point != "tip":
            load = system.wrench(place.point[1:], n, tuple(system.r(place).value))
        sign = -1 if end == "O" else 1
        spun = system.Omega(place.body).at(1)
        found = [system.r(place).at(2), spun, -sign * load[3:, :], sign * load[:3, :]]
        if self.at.plan.dimension == 3:
            return found
        r, spun, m, q = found
        return [r[:2, :], spun[2:, :], m[2:, :], q[:2, :]]

    def _states(self) -> Letters:
        at, system = self.at, self.at.system
        labels = Layout(at.plan.dimension).labels
        (root,) = (c for c in at.equation.opened if not at.equation.end(c).entry)

        def component(label: str, n: int, end: str) -> Any:
            return self.y(n, end)[labels.index(label)]

        return {
            "z_ne": self.z,
            "zr": lambda: system.boundary(root),
            "y_nl": self.y,
            "a_ne": lambda n, end: self.z(n, end)[system.pieces[0], :],
            "s": lambda: system.s,
            **{f"{name}_ne": partial(self.part, name) for name in PARTS},
            **{f"{name}_nl": partial(component, label) for name, label in ENTRIES.items()},
        }

    # Bodies

    @cache  # noqa: B019
    def rigid(self, n: int) -> BodyData:
        return self.at.matrices.rigid(self.at.elements[n])

    def _bodies(self) -> Letters:
        system = self.at.system

        def data(name: str) -> Callable[[int], Any]:
            return lambda n: getattr(self.rigid(n), name)

        return {
            "m_n": data("mass"),
            "J_n": data("inertia"),
            "Ω_n": data("Omega"),
            "rC_n": data("centre"),
            "rO_n": data("output"),
            "f_n": data("force"),
            "mC_n": data("couple"),
            "rI_nl": lambda n, end: self.rigid(n).inputs[entry(end) - 1],
            "aC_n": lambda n: system.motion.point(n, system.tree.bodies[n].centre).at(2),
        }

    def _pages(self) -> Letters:
        """What the overall equation's page shows of a body."""
        matrices, elements = self.at.matrices, self.at.elements

        def shown(letter: str, n: int, end: str, of: str = "") -> Any:
            name = (letter, of or ("I1" if end == "I1" else "Ik"))
            return matrices.shown(name, elements[n], max(entry(end), 2))

        def block(letter: str, name: str, n: int, end: str = "I2") -> Any:
            blocks = dict(matrices.named[letter, "I1"].blocks)
            return blocks[name].xreplace(matrices.data(elements[n], entry(end)))

        return {
            "UI_nl": partial(shown, "U"),
            "HI_nk": partial(shown, "H", of="I1"),
            "HK_nk": partial(shown, "H", of="Ik"),
            "E1_n": partial(block, "U", "E1"),
            "E2_n": partial(block, "U", "E2"),
            "F1_nk": partial(block, "H", "E1_Ik"),
            "F2_nk": partial(block, "H", "E2_Ik"),
            "Uc_n": lambda n: body_matrix(3, 2).xreplace(matrices.data(elements[n])),
            "left_n": self._left,
        }

    def _left(self, n: int) -> sp.Matrix:
        """What the balance leaves of the states of all ends."""
        first, *further = inputs(self.at.elements[n])
        more = [self.part(name, n, end) for end in further for name in ("m", "q")]
        one = sp.eye(1)
        z_I = sp.Matrix.vstack(*(self.part(name, n, first) for name in PARTS), *more, one)
        z_O = sp.Matrix.vstack(*(self.part(name, n, "O") for name in PARTS), one)
        return balance(self.rigid(n), z_I, z_O)

    # Hinges

    def _hinges(self) -> Letters:
        matrices, elements = self.at.matrices, self.at.elements
        moved, _, _, s, one = self.at.system.pieces
        d = self.at.plan.dimension

        def columns(piece: slice, n: int) -> sp.Matrix:
            return matrices.U(elements[n])[moved, piece]

        return {
            "X_n": partial(columns, moved),
            "Sub_n": partial(columns, s),
            "γ_n": partial(columns, one),
            "Hr_n": lambda n: matrices.H(elements[n])[:d, :],
            "HO_n": lambda n: matrices.H(elements[n])[d:, :],
            "τ_n": lambda n: matrices.tau(elements[n]),
            "G_n": lambda n: matrices.of(Factor("G", elements[n].index(1))),
        }

    # The equation

    def _counts(self) -> Letters:
        equation = self.at.equation
        transfer = equation.transfer
        ends = {pair(end) for end in transfer.ends}
        rows = [row for row in equation.rows if row.kind == "geometric"]
        geometric = {(int(transfer.elements[x.element].label), f"I{x.entry}") for x in rows}
        return {
            "nn": lambda: self.at.system.n,
            "dim": lambda: self.at.plan.dimension,
            "ends": lambda: sum(end.condition != "cut" for end in transfer.ends),
            "cuts": lambda: len(transfer.pairs),
            "states": lambda: len(transfer.ends),
            "mains": lambda: sum(row.kind == "main" for row in equation.rows),
            "others": lambda: len(rows),
            "unknown": lambda: equation.counts.unknown,
            "given": lambda: equation.counts.given,
            "open": lambda: sum(element.freedoms for element in equation.auxiliaries),
            "size": lambda: self.at.matrices.U(transfer.elements[0]).rows,
            "is_nk": lambda n, k: int((n, k) in geometric),
            "has_ij": lambda i, j: int((i, j) in ends),
        }


class AnyBody(World):
    """A body's matrices, of any data."""

    def __init__(self) -> None:
        self.sets = {"dimension": lambda: (2, 3)}
        self.letters = {
            "Uone_d": lambda d: _valued(body_matrix(d, 1)),
            "Ufirst_d": lambda d: _valued(_first(d)),
            "Usame": lambda: _valued(generic_transfer_matrix(1)),
        }


def _first(dimension: int) -> sp.Matrix:
    """U_I1 of a body with two inputs, with the columns of a whole state."""
    whole, states = body_matrix(dimension, 2), 2 * Layout(dimension).motions
    return whole[:, [*range(states), whole.cols - 1]]


def _valued(matrix: sp.Matrix) -> sp.Matrix:
    found = sp.Matrix(matrix)
    return found.xreplace(circle_point(found.free_symbols, seed=1))


@cache
def case(name: str) -> Case:
    """A system that is drawn."""
    return Case(*PLANS[name])


@cache
def world(name: str) -> World:
    """An instant: a system's name in its true motion, `names-` and one where its equation's names
    are judged, `ready-1`, `ready-2` the ready-made examples, `any`, or a beam's name."""
    kind, _, of = name.partition("-")
    if kind == "names":
        return Names(case(of).equation, case(of).sets())
    if kind == "ready":
        return Ready(f"example-{of}")
    if kind == "any":
        return AnyBody()
    return BeamWorld(BEAMS[name]()) if name in BEAMS else Motion(case(name))
