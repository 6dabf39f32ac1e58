"""The paper's prints in the derivation's symbols: the lines of its file, read as SymPy's matrices.

The same text is judged in fractions (`world`) and compared entry by entry with what the derivation
finds; nothing of the print is stated twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any

import sympy as sp

from ...symbolic.derivation.formulas import end_state
from ...symbolic.derivation.results import Form, Print, sized
from ...symbolic.equations.letters import Letter
from ...symbolic.equations.paper import Entry, Paper, Statement
from ...symbolic.equations.trees import Node, spelled
from ...symbolic.mechanics.newton_euler import generic, inertia_about_input
from ...symbolic.mechanics.vectors import skew
from .. import ledger
from .world import ENTRIES

#: Numbers whose blocks are letters that do not commute.
LETTERED = {*map(str, range(10, 14)), *map(str, range(18, 34)), "56"}

#: What letters of these are called in the derivation, where it is not the same.
CALLED = {
    **{f"T_{ij}": f"T{ij}" for ij in ("11", "12", "21", "22")},
    **{f"{name}c_{k}": f"{name}_{k}" for name in "Uz" for k in (1, 2, 3)},
    **{f"v_{k}": f"u_3{k}" for k in range(1, 8)},
    **{"fA": "f_a", "fB": "f_b", "S_n": "S_last", "e_n": "e_last", "P": "P_i", "q": "q_i"},
    **{"zaI": "z_aI", "zbI": "z_bI", "zaO": "z_aO", "zbO": "z_bO"},
    **{"zbN": "z_bnext", "zbR": "z_broot", "x_1": "x_1O", "x_5": "x_5O"},
    **{"U7": "U_7", "Uhat8_1": "Uhat8_I1", "Uhat8_2": "Uhat8_I2", "Utip2c": "Utip2"},
    **{"Hrm": "H_rm", "HO": "H_O1_I2"},
}

#: A body's data by its letters, and where parts stand in a state in space.
DATA = {"rO_b": "output", "rC_b": "centre", "Ω_b": "Omega", "f_b": "force", "mC_b": "couple"}
PARTS = {"r": 0, "Om": 3, "mm": 6, "q": 9}


class Prints:
    """What the paper prints of the derivation's results, by symbol and form."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper

    @cached_property
    def entries(self) -> Mapping[tuple[str, str], Entry]:
        """By symbol and form."""
        found = {}
        for entry in self.paper.entries:
            _, symbol, *form = entry.number.split(", ")
            found[symbol, form[0] if form else "both"] = entry
        return found

    @cached_property
    def said(self) -> Mapping[str, tuple[Node, bool]]:
        """What each derived letter is said to be, and whether of letters that do not commute."""
        found: dict[str, tuple[Node, bool]] = {}
        for entry in self.paper.entries:
            for line in entry.right:
                if pair := self.pair(line):
                    found.setdefault(pair[0], (pair[1], entry.equation in LETTERED))
        return found

    def pair(self, line: Statement) -> tuple[str, Node] | None:
        """A derived letter that is a side of its own, and the side beside it."""
        sides = line.states.sides if line.states else ()
        for k, side in enumerate(sides):
            if side.op == "name" and "derived" in self.letter(side).says:
                return spelled(side), sides[k + 1] if k + 1 < len(sides) else sides[k - 1]
        return None

    def letter(self, node: Node) -> Letter:
        _, low, high = node.args
        found = self.paper.letters.find(node, tuple(sub.of for sub in (*low, *high)))
        assert found is not None, spelled(node)
        return found

    def __call__(self, symbol: str, form: Form) -> Print | None:
        """A result's print, its misprints included; None where the paper has none."""
        entry = self.entries.get((symbol, form))
        if entry is None or entry.kind == "own":
            return None
        if entry.kind == "absent":
            return Print(None)
        lettered = entry.equation in LETTERED
        for line in (*entry.printed, *entry.right):
            if pair := self.pair(line):
                assert line.states
                local = {spelled(each.name): each.value for each in line.states.defines}
                *errata, why = entry.correction.split("; ", entry.correction.count("; X") + 1)
                return Print(Symbols(self, lettered, local).value(pair[1]), why, tuple(errata))
        return None


class Symbols:
    """Values of trees as matrices of symbols."""

    def __init__(self, prints: Prints, lettered: bool, local: Mapping[str, Node]) -> None:
        self.prints, self.lettered, self.local = prints, lettered, local

    def value(self, e: Node) -> sp.Matrix:
        found: sp.Matrix = getattr(self, f"on_{OPERATIONS[e.op]}")(*e.args)
        return found

    def on_number(self, text: str) -> sp.Matrix:
        return sp.Matrix([sp.Rational(text)])

    def on_sum(self, *terms: tuple[int, Node]) -> sp.Matrix:
        first, *rest = (sign * self.value(x) for sign, x in terms)
        return sum(rest, first)

    def on_product(self, *factors: Node) -> sp.Matrix:
        first, *rest = map(self.value, factors)
        for x in rest:
            first = _times(first, x)
        return first

    def on_over(self, above: Node, below: Node) -> sp.Matrix:
        return self.value(above) / self.value(below)[0]

    def on_power(self, base: Node, power: int) -> sp.Matrix:
        return self.value(base) ** power

    def on_cross(self, a: Node, b: Node) -> sp.Matrix:
        return skew(self.value(a)) * self.value(b)

    def on_part(self, base: Node, ranges: Sequence[Any]) -> sp.Matrix:
        spans = [list(range(a.of - 1, b.of)) for a, b in ranges]
        return self.value(base).extract(spans[0], spans[1] if len(spans) > 1 else [0])

    def on_rows(self, *rows: Sequence[Node]) -> sp.Matrix:
        """Blocks; a number takes the size of what is beside it."""
        blocks = [list(map(self.value, row)) for row in rows]
        heights = [max((x.rows for x in row if x.shape != (1, 1)), default=0) for row in blocks]
        across = list(zip(*blocks, strict=True))
        widths = [
            max((x.cols for x in column if x.shape != (1, 1)), default=0) for column in across
        ]
        for sizes, others in ((widths, heights), (heights, widths)):
            for k, size in enumerate(sizes):
                sizes[k] = size or (others[k] if k < len(others) else 0) or 1
        return sp.Matrix.vstack(
            *(
                sp.Matrix.hstack(*(sized(x, h, w) for x, w in zip(row, widths, strict=True)))
                for row, h in zip(blocks, heights, strict=True)
            )
        )

    def on_function(self, name: str, nodes: Sequence[Node]) -> sp.Matrix:
        args = list(map(self.value, nodes))
        if name in ("eye", "zeros"):
            sizes = [1] * len(args) if self.lettered else [int(x[0]) for x in args]
            return sp.eye(*sizes) if name == "eye" else sp.zeros(*sizes)
        if name == "inv":
            (x,) = args
            return sp.Matrix([x[0] ** -1]) if x.shape == (1, 1) else x.inv()
        return {"T": lambda x: x.T, "skew": skew}[name](*args)

    # Letters

    def on_name(self, letter: str, low: Sequence[Any], high: Sequence[Any]) -> sp.Matrix:
        subs = [str(sub.of) for sub in low]
        name = f"{letter}_{''.join(subs)}" if subs else letter
        if name in self.local:
            return self.value(self.local[name])
        known = self.lettered and _letter(letter, subs, name)
        known = known or _planar(letter, subs) or _space(letter, subs, name)
        if known:
            return sp.Matrix([known] if isinstance(known, sp.Expr) else known)
        if name in self.prints.said:
            node, lettered = self.prints.said[name]
            return Symbols(self.prints, lettered, {}).value(node)
        value = self.prints.paper.letters.by_name[name].value
        assert value is not None, name
        return self.value(value)


OPERATIONS = {
    **{"number": "number", "name": "name", "part": "part", "rows": "rows", "f": "function"},
    **{"+": "sum", "*": "product", "/": "over", "^": "power", "×": "cross"},
}


def _times(a: sp.Matrix, b: sp.Matrix) -> sp.Matrix:
    if a.shape == (1, 1) and b.rows != 1:
        return b.applyfunc(lambda x: a[0] * x)
    if b.shape == (1, 1) and a.cols != 1:
        return a.applyfunc(lambda x: x * b[0])
    return a * b


def _real(name: str) -> sp.Symbol:
    return sp.Symbol(name, real=True)


def _letter(letter: str, subs: Sequence[str], name: str) -> Any:
    """A letter that does not commute, or a state of such."""
    if letter == "zin":
        names = [*(f"{part}_{subs[0]}" for part in ("r", "Omega", "m", "q")), "one"]
        return [sp.Symbol(x, commutative=False) for x in names]
    if name in CALLED or letter in ("u", "S", "e", "z", "Utip1"):
        return sp.Symbol(CALLED.get(name, name), commutative=False)
    return None


def _planar(letter: str, subs: Sequence[str]) -> Any:
    """The example's data and states, and a state's entries."""
    if not subs and letter in ("m", "a", "g", "cc", *ENTRIES):
        return _real({"cc": "c_c", **ENTRIES}.get(letter, letter))
    if letter in ("c", "s"):
        return (sp.cos if letter == "c" else sp.sin)(_real(f"theta{subs[0]}"))
    if letter == "w":
        return _real(f"omega{subs[0]}")
    if letter in ("z", "zb") and subs and subs[0].isdigit():
        names = ["ddx", "ddy", "dOmega", *(("mz", "qx", "qy") if letter == "z" else ())]
        found = [_real(f"{name}{subs[0]}{subs[1]}") for name in names]
        return [*found, 1] if letter == "z" else found
    return None


def _space(letter: str, subs: Sequence[str], name: str) -> Any:
    """A generic body's data, and states of its ends."""
    if name == "m_b":
        return generic().mass
    if name in DATA:
        return getattr(generic(), DATA[name])
    if name == "rI_b":
        return generic(2).inputs[1]
    if name == "J_b":
        return inertia_about_input()
    if letter in PARTS and len(subs) == 2:
        return end_state(subs[1])[PARTS[letter] : PARTS[letter] + 3, :]
    if letter == "z" and len(subs) == 2:
        return end_state(subs[1])
    return None


@cache
def prints() -> Prints:
    return Prints(ledger("riccati").paper)


def printed(symbol: str, form: Form) -> Print | None:
    """What the paper prints of a result of the derivation.

    Source
        Riccati paper.
    """
    return prints()(symbol, form)
