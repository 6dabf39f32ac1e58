"""Sect. 5.1 of Riccati paper, (36)–(62), of any branch system.

Chains are counted as the inputs of the body where they meet. In the paper body 1 is the first,
body 3 – hinge 4 – body 5 the second, and both hang by multi-hinge 8 on body 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial

import sympy as sp

from ...model import GROUND, Model, load
from ..exact.budget import Budget
from ..exact.rational import ExactMatrix, stack
from ..methods.riccati.recursion import rearrange
from ..plans.plan import Plan, plan
from .branch import END, FORMS, SPLIT, Branch, motion, side_by_side, state, times
from .results import Form, Line, Row

REDUCED = (
    Line("the spatial matrix (4), solved from force and moment balance"),
    Line("the rod's data inserted; rows and columns 1, 2, 6, 9, 10, 11, 13 kept (35)"),
)
BODY_STEP = (
    Line("P = (T21 S + T22)⁻¹ and q = −(T21 e + f_b) (24)"),
    Line("S ← (T11 S + T12) P (29) and e ← T11 e + f_a + S q (30)"),
)
COMPLETED_STEP = (
    Line("m = 0 at the hinge itself: Ω̇_I = −S_mΩ⁻¹ (S_mr r̈ + e_m)"),
    Line("inserted in the remaining rows; moment rows and angular column become zero"),
)
ASSEMBLED = (
    Line("main equation (53): the body's matrix (49) times the multi-hinge's (52)"),
    Line("geometric equation (54): accelerations of input 2 from input 1, and m = 0 there"),
    Line("the chains' ends inserted by (42) and (48)"),
)
LEFT_OUT = (
    Line("columns 1, 2, 4 are zero by the pinned root; row 7 is trivial"),
    Line("columns 7, 11, 15 belong to the ones and go to the right-hand side"),
)
COMPLETION = (
    "completion: m = 0 at the hinge itself, where the printed hinge (10) states the condition of "
    "the next hinge"
)
MISPRINTED_57 = "by its blocks, with (49) restored and the misprints of (46), (47), (52) put right"


class Section51(Branch):
    """The results of a branch system, not yet computed."""

    def rows(self) -> Iterator[Row]:
        """All results; a symbol that is taken has its end beside it."""
        first, everything = self.chains[0][0], tuple(link.name for link in self.plan.links)
        groups: list[tuple[tuple[str, ...], Iterator[Row]]] = [
            ((name,), self._body(name)) for chain in self.chains for name in chain
        ]
        groups.append(((first,), self._first(first)))
        for k, chain in enumerate(self.chains, start=1):
            for j in range(1, len(chain)):
                rows = self._behind(chain[j - 1], chain[j], 2 * j + 1)
                groups.append((chain[: j + 1], rows))
            if len(chain) > 1 or k > 1:
                groups.append((chain, self._chain_end(chain, k)))
        groups += [((self.body.name,), self._branch()), (everything, self._overall())]
        taken: set[tuple[str, Form]] = set()
        for of, rows in groups:
            for row in rows:
                name = row.symbol
                if (name, row.form) in taken:
                    name = f"{name}[{of[-1]}]"
                taken.add((row.symbol, row.form))
                yield replace(row, symbol=name, of=of)

    def _body(self, name: str) -> Iterator[Row]:
        text = f"before (44){'' if name == '5' else f', with {name} for 5'}"
        yield Row(
            f"U{name}", "36", f"rod {name}, planar", self.at(f"U[{name}]"),
            why=f"derived; its row 4 agrees with the text {text}", steps=REDUCED,
        )  # fmt: skip

    def _split(
        self, source: str, completed: bool, suffix: str, equation: str, title: str
    ) -> Iterator[Row]:
        for block in ("T11", "T12", "T21", "T22", "fa", "fb"):
            yield Row(
                f"{block}{suffix}", equation, f"{block} of {title}",
                self.block(source, block, completed),
                steps=(Line("rows and columns in the order z_a = (m, q), z_b = (r̈, Ω̇) (20)"),),
            )  # fmt: skip

    def _first(self, name: str) -> Iterator[Row]:
        """The first body of the first chain: (37)–(42), and back to its tip (61), (62)."""
        U, end, at = f"U[{name}]", f"{name}O", f"[{name}:{self.plan.link(name).output}]"
        S, e, order = f"S{at}", f"e{at}", [*SPLIT.a, *SPLIT.b, END.one]
        start = Line("free tip: z_a = (m, q) = 0, so S1 = 0 and e1 = 0 (34)")
        before, inserted = (*REDUCED, start, *BODY_STEP), "with (39), (40) inserted"
        yield Row(
            f"U{name}_rearranged", "37", f"rod {name} in the order (m, q, r̈, Ω̇ | 1)",
            lambda: self.read(U).extract(order[:6], order), why="derived", steps=REDUCED,
        )  # fmt: skip
        yield from self._split(U, True, "", "38", f"rod {name}")
        yield Row(
            "S2", "39", f"S behind rod {name}", self.at(S),
            steps=(*before, Line("T21 = 0 and S1 = 0, so S2 = T12 T22⁻¹")),
            shown=(
                ("T12 (38)", self.block(U, "T12")),
                ("P1 = T22⁻¹ (24)", lambda: self.block(U, "T22")().inv()),
            ),
        )  # fmt: skip
        yield Row(
            "e2", "40", f"e behind rod {name}", self.at(e),
            steps=(*before, Line("T21 = 0 and e1 = 0, so e2 = f_a − S2 f_b")),
            shown=(
                ("f_a (38)", self.block(U, "fa")),
                ("S2 (39)", self.at(S)),
                ("f_b (38)", self.block(U, "fb")),
            ),
        )  # fmt: skip

        def eliminated() -> ExactMatrix:
            T = rearrange(self.read(U), SPLIT)
            slope = T.T12 @ T.T22.inv()
            return times(stack([[slope, T.fa - slope @ T.fb]]), motion(end))

        yield Row(
            f"zaO{name}", "41", f"loads at the output of rod {name} from its accelerations",
            eliminated, inserted, ("X17",),
            steps=(
                Line(f"free tip: z_{name},O = U{name} (r̈, Ω̇, 0, 0, 1), in which r̈ and Ω̇ of the"),
                Line("tip are eliminated by those of the output, directly, without S2 and e2"),
            ),
        )  # fmt: skip
        yield Row(
            f"z{end}", "42", f"state at the output of rod {name}",
            lambda: self.whole(self.affine(S, e, end), end),
            inserted, ("X17",), steps=(Line("accelerations, loads by (41), and the 1"),),
        )  # fmt: skip
        yield Row(
            "Utip1" if len(self.chains[0]) == 1 else f"U{name}_tip", "43",
            f"state at the output of rod {name} from (r̈, Ω̇, 1)", self.at(f"Utip[{name}]"),
            why="built from S2, e2 as (42) says", steps=(Line("z = [z_b; S z_b + e; 1] (42)"),),
        )  # fmt: skip
        yield Row(
            f"za{end}", "61", f"loads at the output of rod {name}",
            partial(self.affine, S, e, end), steps=(Line("z_a = S2 z_b + e2 (41)"),),
        )  # fmt: skip
        P, p = (f"tips_to_root/{port}/{name}" for port in ("P", "Pq"))
        yield Row(
            f"zb{name}I", "62", f"accelerations at the tip of rod {name}",
            partial(self.affine, P, p, end),
            steps=(Line("z_b,I = P z_b,O + p (33), P = T22⁻¹"),),
        )  # fmt: skip

    def _behind(self, inner: str, outer: str, k: int) -> Iterator[Row]:
        """A hinge of a chain, from the body outside it, and that body: (44)–(48)."""
        hinge, link, matrix = self.plan.link(inner).hinge, self.plan.link(outer), f"Uh[{inner}]"
        end, before = f"{outer}:{link.inputs[0]}", f"[{inner}:{self.plan.link(inner).output}]"
        yield Row(
            f"U{hinge}", "44", f"hinge {hinge} from its outboard rod {outer}",
            self.at(matrix, False), form="printed", errata=("X1",),
            why=f"derived from (10); it states m = 0 at the output of rod {outer}, not at hinge "
            f"{hinge}",
            steps=(Line(f"(10) with row 4 of U{outer}"),),
        )  # fmt: skip
        yield from self._split(matrix, False, f"_{hinge}", "45", f"hinge {hinge}")
        S_before = (f"S{k - 1} of rod {inner} (39)", self.at(f"S{before}"))
        turned = (
            S_before,
            ("T21 (45)", self.block(matrix, "T21", False)),
            ("T22 (45)", self.block(matrix, "T22", False)),
            (
                f"T21 S{k - 1} + T22, whose determinant is the denominator",
                partial(self.turned, matrix, f"S{before}"),
            ),
        )
        for letter, equation in (("S", "46"), ("e", "47")):
            name, title = f"{letter}[{end}]", f"{letter} behind hinge {hinge}"
            yield Row(
                f"{letter}{k}", equation, f"{title}, with the printed hinge", self.at(name, False),
                form="printed", steps=BODY_STEP, shown=turned if letter == "S" else (),
            )  # fmt: skip
            yield Row(
                f"{letter}{k}", equation, f"{title}, completed hinge", self.at(name),
                why=COMPLETION, errata=("X1",), form="completed", steps=COMPLETED_STEP,
                shown=(S_before,) if letter == "S" else (),
            )  # fmt: skip
        vanishing = (
            "with the printed hinge its first row is identically zero: m = 0 at the output of rod "
            f"{outer} is built in, and m = 0 at hinge {hinge} is lost"
        )
        for letter in "Se":
            for form, why in zip(FORMS, (vanishing, COMPLETION), strict=True):
                yield Row(
                    f"{letter}{k + 1}", "48", f"{letter} behind rod {outer}, {form} hinge",
                    self.at(f"{letter}[{outer}:{link.output}]", form == "completed"),
                    why=f"the paper calls it too large to be shown; {why}", errata=("X1",),
                    form=form, steps=BODY_STEP,
                )  # fmt: skip

    def _chain_end(self, chain: tuple[str, ...], k: int) -> Iterator[Row]:
        """U_tip of a chain of several bodies (48)."""
        name, last = chain[-1], 2 * len(chain)
        title, Utip = f"state at the output of rod {name} from (r̈, Ω̇, 1)", f"Utip[{name}]"
        said = f"its moment row is zero, as that of S{last} and e{last}", f"S{last} and e{last} "
        for form, why in zip(FORMS, (said[0], said[1] + "completed"), strict=True):
            yield Row(
                f"Utip{k}", "48", title, self.at(Utip, form == "completed"), why=why,
                errata=("X1", "X7"), form=form,
                steps=(Line(f"z = [z_b; S{last} z_b + e{last}; 1] (48)"),),
            )  # fmt: skip

    def _branch(self) -> Iterator[Row]:
        """The body where chains meet and its multi-hinge: (49)–(55)."""
        link, name, hinge = self.body, self.body.name, self.body.hinge
        inputs, ends = link.inputs, [f"{child}O" for child in link.children]
        yield Row(
            f"U{name}", "49",
            f"rod {name} with {counted(len(inputs))} inputs, output at its centre",
            self.at(f"U[{name}]"), steps=REDUCED, errata=("X21",),
            why="derived; its row 4 agrees with the text before (52)",
        )  # fmt: skip

        def output() -> ExactMatrix:
            loads = [x for end in ends for x in state(end)[3:6]]
            z = [*state(ends[0])[:2], state(f"{name}O")[2], *loads, 1]
            return times(self.read(f"U[{name}]"), sp.Matrix(z))

        yield Row(
            f"z{name}O", "50", f"state at the output of body {name}", output,
            "with (49) restored", ("X18",),
            steps=(Line(
                f"U{name} times z_{name},{'−'.join(inputs)}, which is r̈, m, q of the chains' ends "
                f"and Ω̇ of body {name} (6)"
            ),),
        )  # fmt: skip
        hats = [f"Uhat[{point}]" for point in inputs]
        ended = zip(inputs, link.children, strict=True)
        terms = " + ".join(f"Uhat{hinge}_{point} z_{child},O" for point, child in ended)
        yield Row(
            f"z{hinge}O", "51", f"state at the output of multi-hinge {hinge}",
            lambda: times(
                side_by_side(*map(self.read, hats)), sp.Matrix.vstack(*map(state, ends))
            ),
            "with the misprint of (52) put right", ("X5",),
            steps=(Line(f"{terms} (11)"),),
        )  # fmt: skip
        for k, point in enumerate(inputs, start=1):
            yield Row(
                f"Uhat{hinge}_{point}", "52", f"multi-hinge {hinge}, input {k}",
                self.at(hats[k - 1]),
                steps=(Line(f"(12), (13) with row 4 of U{name}"),),
            )  # fmt: skip
            title = f"what input {k} contributes to z_{name},O; row 4 is zero"
            yield Row(
                f"main{k}", "53", f"U{name} Uhat{hinge}_{point}: {title}",
                self.at(f"main[{point}]"),
                "with (49) restored and the misprint of (52) put right", ("X5",),
                steps=(Line(f"U{name} times Uhat{hinge} (53)"),),
            )  # fmt: skip
            for other in inputs[1:]:
                yield Row(
                    f"geo{k}" if len(inputs) == 2 else f"geo{k}_{other}", "54",
                    f"coefficient of input {k}'s state in the geometric equation",
                    self.at(f"geo[{other} {point}]"),
                    "with (55) restored and the misprint of (52) put right; three scalar equations",
                    ("X5", "X19"),
                    steps=(Line(f"H_O1,{other} Uhat{hinge}, minus H_rm at the input itself (54)"),),
                )  # fmt: skip
        yield Row(
            "H_rm", "55", "picks accelerations and moment of an end", self.at(f"H_rm[{name}]"),
            why="derived", steps=(Line("rows of (16) kept in the plane"),),
        )  # fmt: skip
        for k, point in enumerate(inputs[1:], start=2):
            yield Row(
                f"H_O1_{point}", "55", f"input {k}'s acceleration from input 1's; no moment",
                self.at(f"H[{point}]"), why="derived",
                steps=(Line(f"(14), (17) with r from {inputs[0]} to {point}"),),
            )  # fmt: skip

    def _overall(self) -> Iterator[Row]:
        """The assembled system (57)–(60)."""
        name, size = self.body.name, self.size
        misprinted, errata = (MISPRINTED_57, ("X1", "X2", "X3", "X4", "X5", "X7"))
        yield Row(
            "Uall", "57", "overall matrix, printed hinge", self.at(f"Uall[{name}]", False),
            misprinted, errata, "printed", ASSEMBLED,
        )  # fmt: skip
        yield Row(
            "Uall", "57", "overall matrix, completed hinge", self.at(f"Uall[{name}]"),
            why=f"the blocks of (57), with S4 and e4 completed: {COMPLETION}", errata=("X1",),
            form="completed", steps=ASSEMBLED,
        )  # fmt: skip
        ends = [motion(f"{child}O") for child in self.body.children]
        z_O = state(f"{name}O")
        whole = sp.Matrix.vstack(z_O, *ends)
        kept = sp.Matrix([z_O[2], z_O[4], z_O[5], *(x for end in ends for x in end[:3])])
        yield Row("zall", "58", "the overall state vector", lambda: whole)
        title = f"the {counted(size)} unknowns of (59)"
        yield Row("zbar", "60", title, lambda: kept)
        for form in FORMS:
            completed = form == "completed"
            says = partial(self.sentence, completed)
            system = (
                ("Ubar", f"reduced {size} × {size} matrix"), ("b", "right-hand side of (59)"),
            )  # fmt: skip
            for symbol, title in system:
                yield Row(
                    symbol, "59", f"{title}, {form}", self.at(f"{symbol}[{name}]", completed),
                    why=says, errata=("X1",), form=form, steps=(*ASSEMBLED, *LEFT_OUT),
                )  # fmt: skip
            yield Row(
                "rank", "59", f"rank of the reduced system, {form}",
                partial(self.rank_matrix, completed), why=says, errata=("X1",), form=form,
                steps=partial(self.rank_lines, completed),
            )  # fmt: skip

    def rank_matrix(self, completed: bool) -> sp.Matrix:
        return sp.Matrix([[self.rank(completed)]])


def counted(number: int) -> str:
    """A number in a word, as far as there is one here."""
    return {2: "two", 3: "three", 9: "nine"}.get(number, str(number))


def entries(chosen: Plan, budget: Budget) -> Iterator[Row]:
    """(36)–(62) of a branch system, not yet computed; prints are of the paper's bodies alone."""
    known = _printed()
    for row in Section51(chosen, budget).rows():
        applies = known.get((row.symbol, row.form)) == _data(chosen.model, row.of)
        yield replace(row, applies=applies)


@cache
def _printed() -> dict[tuple[str, Form], object]:
    """What the bodies are of which the paper prints a result."""
    example = load("branch-pendulum")
    rows = Section51(plan(example), Budget(1)).rows()
    return {(row.symbol, row.form): _data(example, row.of) for row in rows}


def _data(model: Model, names: tuple[str, ...]) -> object:
    """All that a result depends on: the bodies, the hinges between them, gravity."""
    known = {*names, GROUND}
    hinges = [hinge for hinge in model.hinges if {end.body for end in hinge.ends} <= known]
    return [[body for body in model.bodies if body.name in known], hinges, model.gravity]
