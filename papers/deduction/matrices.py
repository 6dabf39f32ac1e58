"""The element matrices that the overall equation's page shows, with a system's data in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from ...errors import InternalError
from ...symbolic.exact import screws
from ...symbolic.mechanics.hinges import joint
from ...symbolic.mechanics.newton_euler import BodyData, generic
from ...symbolic.pages.named import UNIT, Named, forward, hinge_blocks, named_matrices, subspace
from ...symbolic.plans.deduction import Factor
from ...symbolic.plans.transfer import Element
from .system import System

Blocks = Mapping[str, sp.Matrix]


def filled(
    shown: sp.Matrix, blocks: Blocks, rows: Sequence[int], columns: Sequence[int]
) -> sp.Matrix:
    """A matrix of named blocks written out; block rows and columns have these sizes."""

    def value(entry: sp.Expr, i: int, j: int) -> sp.Matrix:
        if entry == 0:
            return sp.zeros(rows[i], columns[j])
        if entry.is_Add:
            first, *rest = (value(x, i, j) for x in entry.args)
            return sum(rest, first)
        factor, letters = entry.as_coeff_mul()
        found = sp.eye(rows[i])
        for letter in letters:
            found = found * (sp.eye(rows[i]) if letter == UNIT else blocks[letter.name])
        return factor * found

    shape = shown.shape
    return sp.Matrix.vstack(
        *(
            sp.Matrix.hstack(*(value(shown[i, j], i, j) for j in range(shape[1])))
            for i in range(shape[0])
        )
    )


@dataclass(frozen=True, eq=False)
class Matrices:
    """The named matrices of a system, extended by s."""

    system: System

    @cached_property
    def known(self) -> dict[Factor, sp.Matrix]:
        return {}

    @cached_property
    def named(self) -> dict[tuple[str, str], Named]:
        """By letter, and I1 or Ik where it has several; hinges' U by `hinge`."""
        found = {}
        for one in named_matrices(self.system.equation):
            kind = "hinge" if one.title.startswith("hinge") else ""
            found[
                one.factor.letter, one.factor.indices[1] if len(one.factor.indices) > 1 else kind
            ] = one
        return found

    @cached_property
    def elements(self) -> dict[str, Element]:
        return {element.label: element for element in self.system.equation.transfer.elements}

    @cached_property
    def parts(self) -> tuple[int, int, int]:
        """Sizes of (r̈, Ω̇), s and the whole state."""
        n, s = self.system.n, len(self.system.s)
        return n, s, 2 * n + s + 1

    def of(self, factor: Factor) -> sp.Matrix:
        """A factor of a product in numbers."""
        if factor not in self.known:
            self.known[factor] = self._of(factor)
        return self.known[factor]

    def U(self, element: Element, k: int = 1) -> sp.Matrix:
        """An element's transfer matrix at its k-th input."""
        return self.of(Factor("U", element.index(k)))

    def _of(self, factor: Factor) -> sp.Matrix:
        n, s, size = self.parts
        if factor.letter == "I":
            return sp.eye(size)
        if factor.letter == "C":
            return filled(self.named["C", ""].matrix, {}, (n, n, s, 1), (n, n, s, 1))
        element = self.elements[factor.indices[0]]
        if not element.is_body:
            return self._hinge(element, factor.letter)
        entry = int(factor.indices[1][1:]) if len(factor.indices) > 1 else 1
        return self._body(element, factor.letter, entry, factor.order or max(entry, 2))

    # Bodies

    def rigid(self, element: Element) -> BodyData:
        """A body's data at the instant, its points seen from its first input, in inertial axes."""
        system, i = self.system, int(element.name)
        body, load, R = system.tree.bodies[i], system.loads[i], system.motion.R(i).value
        start = system.r(element.inputs[0]).value
        return BodyData(
            mass=body.mass,
            inertia=R * body.J * R.T,
            centre=system.motion.point(i, body.centre).value - start,
            output=system.r(element.output).value - start,
            inputs=tuple(system.r(end).value - start for end in element.inputs),
            Omega=system.Omega(element.name).value,
            force=load[:3, :],
            couple=load[3:, :],
        )

    def data(self, element: Element, k: int = 2) -> dict[sp.Expr, sp.Expr]:
        """The symbols of a generic body; `k` is the further input that stands for I2."""
        symbols, body = generic(2), self.rigid(element)
        J = body.inertia - body.mass * screws.skew(body.centre) ** 2
        pairs = (
            (symbols.centre, body.centre),
            (symbols.output, body.output),
            (symbols.inputs[1], body.inputs[min(k, len(body.inputs)) - 1]),
            (symbols.Omega, body.Omega),
            (symbols.force, body.force),
            (symbols.couple, body.couple),
        )
        found = {x: y for left, right in pairs for x, y in zip(left, right, strict=True)}
        found[symbols.mass] = body.mass
        for a in range(3):
            for b in range(a, 3):
                found[sp.Symbol(f"J_{a + 1}{b + 1}", real=True)] = J[a, b]
        return found

    @property
    def blocks(self) -> tuple[int, ...]:
        """Sizes of r̈, Ω̇, m, q and 1."""
        d = self.system.plan.dimension
        return d, self.parts[0] - d, self.parts[0] - d, d, 1

    def shown(self, name: tuple[str, str], element: Element, k: int) -> sp.Matrix:
        """A body's matrix of the page, its columns those of a state without s."""
        named, values = self.named[name], self.data(element, k)
        first = self.named["U", "I1"].blocks if name == ("U", "Ik") else ()
        blocks = {key: block.xreplace(values) for key, block in (*first, *named.blocks)}
        return filled(named.matrix, blocks, self.blocks[: named.matrix.rows], self.blocks)

    def _body(self, element: Element, letter: str, entry: int, k: int) -> sp.Matrix:
        several = len(element.inputs) > 1
        name = (letter, ("I1" if entry == 1 else "Ik") if several else "")
        if letter == "U" and name not in self.named:
            name = ("U", "I1")
        shown = self.shown(name, element, k)
        return self.extended(shown, entry == 1 and letter == "U")

    def extended(self, shown: sp.Matrix, passed: bool) -> sp.Matrix:
        """A matrix with columns for s before its last; of a square one s is passed or dropped."""
        n, s, size = self.parts
        own = [*range(2 * n), size - 1]
        rows = own if shown.rows == 2 * n + 1 else list(range(shown.rows))
        found = sp.zeros(size if rows == own else shown.rows, size)
        for i, row in enumerate(rows):
            for j, column in enumerate(own):
                found[row, column] = shown[i, j]
        if passed:
            found[2 * n : size - 1, 2 * n : size - 1] = sp.eye(s)
        return found

    # Hinges

    def H(self, element: Element) -> sp.Matrix:
        """The motion subspace of a hinge's output end against its input end, inertial axes."""
        system, d = self.system, self.system.plan.dimension
        from_parent = forward(element, system.equation)
        own = subspace(d, element.kind, from_parent)
        q = joint(d, element.kind).q
        values: dict[sp.Expr, sp.Expr] = {}
        for m, x in enumerate(q):
            if x.name.startswith("q_Q"):
                values[x] = sp.Integer(int(x.name == "q_Qw"))
            elif element.kind == "free":
                values |= system.coordinate(element.name, m, x)
        axes = screws.turn(system.frame(element.output).value)
        turned = sp.diag(axes, axes) if d == 3 else sp.diag(axes[:2, :2], 1)
        return turned * own.xreplace(values)

    def bias(self, element: Element) -> sp.Matrix:
        """γ of a hinge: what of (r̈, Ω̇) at its output its input's and H do not give.

        (Ω̃ Ω̃ d + 2 Ω̃ ḋ, Ω̃ σ), Ω of the input's body, ḋ and σ the motion of the output end as seen
        from there. A free hinge's coordinates are seen from its predecessor.
        """
        system = self.system
        start, end = element.inputs[0], element.output
        predecessor = str(system.plan.joined[element.name][1])
        omega = system.Omega(predecessor if element.kind == "free" else start.body).value
        d = system.r(end) - system.r(start)
        seen = d.at(1) - omega.cross(d.value)
        spun = system.Omega(end.body).value - omega
        moved = omega.cross(omega.cross(d.value)) + 2 * omega.cross(seen)
        whole = sp.Matrix.vstack(moved, omega.cross(spun), sp.zeros(6, 1))
        return system.planar(whole)[: system.n, :]

    def tau(self, element: Element) -> sp.Matrix:
        """What drives a hinge's output end against its input end, along H."""
        system, d = self.system, self.system.plan.dimension
        drive = system.drive(element.name, system.r(element.output).value)
        towards = int(element.output.body) != system.plan.joined[element.name][2]
        own = drive if d == 3 else drive.extract([0, 1, 5], [0])
        return (-1 if towards else 1) * self.H(element).T * own

    def _hinge(self, element: Element, letter: str) -> sp.Matrix:
        system = self.system
        n, s, _ = self.parts
        H = self.H(element)
        d = system.r(element.output).value - system.r(element.inputs[0]).value
        if letter == "G":
            turns = n - system.plan.dimension
            blocks = {
                "H_rT": H[: n - turns, :].T,
                "H_OmegaT": H[n - turns :, :].T,
                "tau": self.tau(element),
            }
            columns = (n, turns, n - turns, s, 1)
            return filled(self.named["G", ""].matrix, blocks, (H.cols,), columns)
        values = dict(zip(sp.symbols("d_x d_y d_z", real=True), d, strict=True))
        shift, lever = (x.xreplace(values) for x in hinge_blocks(system.plan.dimension))
        slots = sp.zeros(n, s)
        if element.freedoms:
            start = self.slot(element)
            slots[:, start : start + H.cols] = H
        blocks = {"X": shift, "Y": lever, "H": slots, "gamma": self.bias(element)}
        sizes = (n, n, s, 1)
        return filled(self.named["U", "hinge"].matrix, blocks, sizes, sizes)

    def slot(self, element: Element) -> int:
        """Where a hinge's relative accelerations begin in s."""
        at = 0
        for other in self.system.equation.auxiliaries:
            if other is element:
                return at
            at += other.freedoms
        raise InternalError(f"{element.name} has no relative accelerations")
