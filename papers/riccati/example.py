"""The Riccati paper's example at exact points: its results' values, and its true motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache, cached_property

import sympy as sp

from ...model import load
from ...model.expressions.quantities import parameter
from ...symbolic.derivation.derivation import Derivation, derive
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.points import circle_point
from ...symbolic.methods.riccati.letters import LETTERS
from ...symbolic.plans.elements import angle, spin
from ..systems import Run, fraction, on_circles
from .truth import Moving

#: Where z_a = (m, q) and z_b = (r̈, Ω̇) are in a planar state, and where each block of (4) is.
Z_A, Z_B = [3, 4, 5], [0, 1, 2]
BLOCKS = ([0, 1], [2], [3], [4, 5], [6])

#: How the symbols of a state's entries begin.
STATE = ("ddx", "ddy", "dOmega", "mz", "qx", "qy")


@cache
def derived() -> Derivation:
    """The example's derivation, which every instant reads."""
    return derive(load("branch-pendulum"))


class Example:
    """The example at exact rational values of its symbols, and in its true motion."""

    def __init__(self, seed: int) -> None:
        self.derived = derived()
        chosen, model = self.derived.plan, self.derived.model
        gens = {sp.Symbol(name, real=True) for name in model.parameters}
        for body in model.bodies:
            gens |= {sp.sin(angle(body.name)), sp.cos(angle(body.name)), *spin(model, body.name)}
        self.values: dict[sp.Expr, sp.Expr] = dict(circle_point(gens, seed))
        outputs = [link.name for link in chosen.links]
        self.smooth = Moving(chosen, self.values, ())
        self.rough = Moving(chosen, self.values, outputs, pushed=True)
        # With couples where hinges pass them on: they ask for none at the next body's output.
        self.stiff = Moving(chosen, self.values, ["3"])
        self.branched = Moving(chosen, self.values, ["1", "5"])
        self.seed = seed
        for name in ("1", "5", "7"):
            names = (sp.Symbol(f"{letter}{name}O", real=True) for letter in STATE)
            self.values |= dict(zip(names, self.smooth.state(name, "O"), strict=False))

    def at(self, matrix: sp.Matrix) -> sp.Matrix:
        """The values of a matrix; what is not of the example has some, letters stay letters."""
        functions = matrix.atoms(sp.sin, sp.cos)
        inside = {symbol for function in functions for symbol in function.free_symbols}
        others = {x for x in matrix.free_symbols - inside if x.is_commutative} - set(self.values)
        return sp.Matrix(matrix.xreplace(self.values | circle_point(others, self.seed))).expand()

    @cached_property
    def letters(self) -> dict[str, sp.Matrix]:
        """What (18)–(33) speak of, for elements whose matrices are any: all terms are there."""
        draw = Points(self.seed)

        def matrix(rows: int, columns: int) -> sp.Matrix:
            return sp.Matrix(rows, columns, lambda *_: draw.number())

        known = {f"U_{k}": matrix(6, 7).col_join(sp.eye(7)[6, :]) for k in (1, 2, 3)}
        U = known["U_1"]
        known |= {f"T{i}{j}": U.extract(a, b) for i, a in PARTS for j, b in PARTS}
        known |= {"f_a": U[Z_A, 6], "f_b": U[Z_B, 6], "S_i": matrix(3, 3), "e_i": matrix(3, 1)}
        known["z_bI"] = matrix(3, 1)
        known["z_aI"] = known["S_i"] * known["z_bI"] + known["e_i"]
        z_I = known["z_1"] = sp.Matrix([*known["z_bI"], *known["z_aI"], 1])
        z_O = U * z_I
        known |= {"z_aO": z_O[Z_A, :], "z_bO": z_O[Z_B, :], "z_bnext": z_O[Z_B, :]}
        known["z_3"] = known["U_3"] * known["U_2"] * z_O
        known |= {"S_last": known["S_i"], "e_last": known["e_i"], "z_broot": known["z_bI"]}
        known["P_i"] = (known["T21"] * known["S_i"] + known["T22"]).inv()
        known["q_i"] = -(known["T21"] * known["e_i"] + known["f_b"])
        for i, rows in enumerate(BLOCKS, start=1):
            known |= {f"u_{i}{j}": U.extract(rows, c) for j, c in enumerate(BLOCKS, start=1)}
        return known

    @cached_property
    def run(self) -> Run:
        """What the method's program computes here, in fractions; angle 1000 + k is a name."""
        program, model = self.derived.program(), self.derived.model
        names = dict(enumerate(program.sets["coordinates"], start=1000))
        circles = {
            Fraction(k): tuple(fraction(self.values[f(angle(name))]) for f in (sp.cos, sp.sin))
            for k, name in names.items()
        }
        speeds = [fraction(self.values[spin(model, name)[0]]) for name in names.values()]
        known = {name: fraction(self.values[parameter(name)]) for name in model.parameters}
        given = {"q": [*circles], "v": speeds}
        return Run(program, on_circles(circles), LETTERS, given, known)

    def filled(self, expression: sp.Expr) -> sp.Matrix:
        """A sum of products of letters, with their values."""
        return filled(expression, self.letters)


def filled(expression: sp.Expr, letters: Mapping[str, sp.Matrix]) -> sp.Matrix:
    """A sum of products of letters, with these values."""
    if expression.is_Add:
        return total(filled(term, letters) for term in expression.args)
    if expression.is_Mul:
        first, *rest = (filled(factor, letters) for factor in expression.args)
        for factor in rest:
            first = first * factor
        return first
    if expression.is_Pow:
        return filled(expression.base, letters) ** expression.exp
    return letters[expression.name] if expression.is_Symbol else expression


PARTS = ((1, Z_A), (2, Z_B))


def total(terms: Iterable[sp.Matrix]) -> sp.Matrix:
    first, *rest = terms
    return sum(rest, first)
