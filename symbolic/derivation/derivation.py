"""The derivation of a model: every result by name and number, and S, e at every end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import sympy as sp

from ...errors import DerivationError, UsageError
from ...model import Body, Model
from ...model.expressions.quantities import ranges, shorten, told
from ...shown import Shown, report
from ..exact.budget import Budget
from ..language.pairs import in_pairs
from ..language.program import Program
from ..methods.algorithms import Algorithm, Riccati, chosen
from ..methods.overall.numbers import Overall
from ..methods.riccati.letters import LETTERS, columns_at, in_letters
from ..methods.riccati.printed import has_branches
from ..plans.deduction import deduce
from ..plans.plan import Plan, plan
from . import formulas, section51, statements, transformation
from .errata import ERRATA, Erratum
from .reading import OF, Quantities, Quantity, Reading, letter
from .results import Line, Prints, Result, Results, Row, Verdict, unprinted

#: Branch systems of more bodies have S, e and U alone: what Sect. 5.1 assembles explodes.
LARGEST = 8

__all__ = ["Derivation", "Line", "Result", "Verdict", "derive"]


class ByEnd(Shown, Mapping[str, sp.Matrix]):
    """Matrices by element or element end, each computed when it is asked for.

    Raises
        UsageError: a name that is not there; the message lists some that are.
        DerivationError: the composition exceeds the operation budget.
    """

    def __init__(
        self, kind: str, names: Sequence[str], compute: Callable[[str], sp.Matrix], budget: Budget
    ) -> None:
        self._kind = kind
        self._names = tuple(names)
        self._known_names = frozenset(names)
        self._compute = compute
        self._budget = budget
        self._known: dict[str, sp.Matrix] = {}

    def __repr__(self) -> str:
        return f"<{len(self)} matrices by {self._kind}: {shorten(self._names)}>"

    def __getitem__(self, name: str) -> sp.Matrix:
        if name not in self._known_names:
            raise UsageError(
                f"there is no {self._kind} {name!r}; there are: {shorten(self._names)}"
            )
        if name not in self._known:
            self._budget.spent = 0
            self._known[name] = self._compute(name)
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known_names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Derivation:
    """What is derived for a model, on request: the program of an algorithm, read.

    `quantities` are what its calls state, by name: `step/array/member`, such as
    `tips_to_root/IA/1`. Of the Riccati method `S`, `e`, `E` and `U` are beside them in the paper's
    letters, each composed into one formula when it is asked for. `results` are those that the
    paper has, compared with `prints`, `overall` the overall transfer equation.

    Shape
        `U[body]` is the transfer matrix of a body or beam with all that acts on it, from its inputs
        and the ends of cut hinges; `S[end]`, `e[end]` the Riccati coefficients at an end
        `body:point` (free-tip split, completed hinge; an input end lies behind its hinge, an
        output end before it, `hinge 8:O` behind the root hinge 8): z_a = S z_b + e, with closed
        loops + E μ of the multipliers. `S_reverse`, `e_reverse` of the paper form are those of
        the root chain swept from the ground (pinned split).
    Units
        SI.
    Frame
        Inertial axes; z_a = (m, q), z_b = (r̈, Ω̇) at that end, in the plane
        (m_z, q_x, q_y) and (ẍ, ÿ, Ω̇_z). Pinned split: z_a = (m, r̈), z_b = (Ω̇, q).
    Sign
        The paper's: q is the force that the tip side exerts on the root side.

    Raises
        UsageError: the algorithm does not take the model.
        DerivationError: a composition exceeds the operation budget.
    Source
        Riccati paper, with its errata.
    """

    def __init__(
        self, model: Model, budget: int, algorithm: Algorithm, prints: Prints = unprinted
    ) -> None:
        if model.kinematic and isinstance(algorithm, Riccati):
            raise UsageError(model.no_dynamics)
        self.model = model
        self.algorithm = algorithm
        self.plan: Plan = plan(model)
        self._overall: Overall | None = None
        self.errata: tuple[Erratum, ...] = ERRATA
        self._budget = Budget(budget)
        self._prints = prints
        self._programs: dict[bool, Program] = {}

    @cached_property
    def results(self) -> Results:
        """The paper's results, of a branch system those of its Sect. 5.1, in its order."""
        entries = [*formulas.entries(), *statements.entries(), *transformation.ENTRIES]
        branched = has_branches(self.plan) and len(self.model.bodies) <= LARGEST
        entries += section51.entries(self.plan, self._budget) if branched else ()
        entries.sort(key=lambda entry: int(entry.equation))
        entries += () if branched else self._of_bodies()
        return Results(entries, self._budget, self._prints)

    def __repr__(self) -> str:
        return f"<Derivation of {self.model.name}: {self.algorithm.name} ({self.algorithm.form})>"

    def _repr_html_(self) -> str:
        return str(report("notebook").derivation(self))

    def program(self, forced: bool = False) -> Program:
        """The program that is read; `forced`: with forces in hinges and external loads."""
        if forced not in self._programs:
            names = tuple(self.model.parameters)
            made = self.algorithm.program(self.plan, runtime=names, forced=forced)
            program = in_pairs(made)
            if isinstance(self.algorithm, Riccati):
                program = in_letters(program, self.plan, forced)
            self._programs[forced] = program
        return self._programs[forced]

    @cached_property
    def reading(self) -> Reading:
        names = {"q": self.model.coordinates, "v": self.model.speeds, "t": ("t",)}
        return Reading(self.program(), names)

    @property
    def quantities(self) -> Quantities:
        """What every call states, with its element's data, by name."""
        return self.reading.quantities

    @property
    def data(self) -> Mapping[sp.Symbol, sp.Expr]:
        """The values of the symbols that stand for long numbers in what was read so far."""
        return self.reading.data

    def composed(self, name: str) -> sp.Matrix:
        """A quantity as one formula in coordinates, speeds, parameters and data.

        Raises
            UsageError: there is no such quantity.
            DerivationError: the composition exceeds the operation budget.
        """
        return self.reading.composed(name, self._budget).matrix()

    def _by_end(self, of: str, kind: str) -> ByEnd:
        names = [
            member
            for array in self.program().arrays
            if array.endswith(OF) and letter(array) == of
            for member in self.program().sets[array]
        ]
        return ByEnd(kind, names, lambda name: self.composed(f"{of}[{name}]"), self._budget)

    @cached_property
    def U(self) -> ByEnd:
        return self._by_end("U", "body")

    @cached_property
    def S(self) -> ByEnd:
        return self._by_end("S", "end")

    @cached_property
    def e(self) -> ByEnd:
        return self._by_end("e", "end")

    @cached_property
    def E(self) -> ByEnd:
        return self._by_end("E", "end with columns")

    @cached_property
    def S_reverse(self) -> ByEnd:
        return self._by_end("S_reverse", "root chain end")

    @cached_property
    def e_reverse(self) -> ByEnd:
        return self._by_end("e_reverse", "root chain end")

    def columns(self, body: str) -> tuple[str, ...]:
        """What the columns of E belong to, at a body's output and behind its hinge: conditions."""
        return columns_at(self.plan, body)

    def _of_bodies(self) -> Iterator[Row]:
        if not isinstance(self.algorithm, Riccati):
            return
        for body in self.model.bodies:
            if isinstance(body, Body):
                inputs = len(self.plan.link(body.name).inputs)
                equation = "(8)" if inputs > 1 else "(4)"
                lines = formulas.balance_lines(max(inputs, 1))
                yield Row(
                    f"U{body.name}", "",
                    f"transfer matrix of body {body.name}, {told(max(inputs, 1), 'input')}",
                    partial(self.U.__getitem__, body.name), why=f"{equation} with this body's data",
                    steps=section51.REDUCED if self.model.dimension == 2 else lines,
                )  # fmt: skip

    def _quantity_result(self, name: str) -> Result:
        """A quantity: in the paper's letters composed into one formula, any other as it stands."""
        quantity = self.quantities[name]
        lines = [*self._carried(quantity), *_lines(quantity)]
        verdict = Verdict("own", why="; ".join(quantity.sources))
        if "[" in name:
            matrix = self.composed(name)
            lines.append(Line(name, matrix))
        else:
            own = {statement.name: statement for statement in quantity.statements}
            matrix = own[quantity.port].value
        title = f"{quantity.title}: {quantity.port} of step {quantity.step}"
        return Result(name, "", title, matrix, None, verdict, "both", tuple(lines))

    def _carried(self, quantity: Quantity) -> Iterator[Line]:
        """What the calls state that give what a quantity in the paper's letters reads."""
        if quantity.step == LETTERS:
            calls: dict[tuple[str, str, str], Quantity] = {}
            for name in quantity.inputs.values():
                if name in self.quantities:
                    read = self.quantities[name]
                    calls.setdefault((read.step, read.member, read.title), read)
            for read in calls.values():
                yield Line(f"step {read.step} at {read.member}: {read.title}")
                yield from _lines(read)

    @property
    def overall(self) -> Overall:
        """The overall transfer equation, by the deduction theorem; of every model.

        Its `unknowns` are those of the solver of `algorithm="overall"`; its `at(q, v)` gives every
        named matrix in numbers.

        Raises
            ModelError: a first input that the model names is an output end.
        Source
            Deduction paper, Sect. 5.
        """
        if self._overall is None:
            found = deduce(self.model)
            self._overall = Overall(found.transfer, found.rows)
        return self._overall

    def listed(self) -> Iterator[tuple[Row, Result | DerivationError]]:
        """Each of the results, or why there is none: one that fails hides no other."""
        for k, row in enumerate(self.results.entries):
            try:
                yield row, self.results[k]
            except DerivationError as reason:
                yield row, reason

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of all results, each once, in the paper's order."""
        return tuple(dict.fromkeys(entry.symbol for entry in self.results.entries))

    @property
    def named(self) -> tuple[str, ...]:
        """The names of all quantities in the paper's letters; without any, of all others."""
        names = tuple(f"{letter}[{end}]" for end in self.S for letter in ("S", "e"))
        return names or tuple(self.quantities)

    @property
    def equations(self) -> tuple[str, ...]:
        """The numbers of the paper's equations that have a result, in their order."""
        numbers = {entry.equation for entry in self.results.entries if entry.equation}
        return tuple(sorted(numbers, key=int))

    def of_equation(self, equation: str | int, form: str | None = None) -> tuple[Result, ...]:
        """Every result of an equation, in the paper's order, each as `find` gives it.

        Raises
            UsageError: the equation has no result, or one that does not exist in that form.
            DerivationError: one exceeds the operation budget.
        """
        number = str(equation).strip("() ")
        named = (entry.symbol for entry in self.results.entries if entry.equation == number)
        symbols = dict.fromkeys(named)
        if not symbols:
            raise UsageError(self._unknown(None, number))
        return tuple(self.find(symbol, number, form) for symbol in symbols)

    def find(
        self,
        symbol: str | None = None,
        equation: str | int | None = None,
        form: str | None = None,
    ) -> Result:
        """The one result of that symbol, equation or both.

        `S[1:O]`, `e[1:O]` name the coefficients at an end, `step/array/member` what is carried.
        Where printed and completed form differ and `form` is not given, it is the completed one,
        and its verdict says so; `both` gives the two.

        Raises
            UsageError: nothing, or more than one result, is called that; lists what is.
            DerivationError: it exceeds the operation budget.
        """
        is_listed = any(entry.symbol == symbol for entry in self.results.entries)
        if symbol and equation is None and not is_listed and symbol in self.quantities:
            if form == "printed":
                raise UsageError(f"{symbol} exists in the completed form only")
            return self._quantity_result(symbol)
        if symbol is None and equation is None:
            raise UsageError("name a symbol or an equation; symbols: " + self._listed())
        if form not in (None, "printed", "completed"):
            raise UsageError(f"form = {form!r} must be printed or completed")
        number = None if equation is None else str(equation).strip("() ")
        found = [
            i
            for i, entry in enumerate(self.results.entries)
            if symbol in (None, entry.symbol) and number in (None, entry.equation)
        ]
        if not found:
            raise UsageError(self._unknown(symbol, number))
        names = dict.fromkeys(self.results.entries[i].symbol for i in found)
        if len(names) > 1:
            raise UsageError(
                f"equation {number} has several results; name one by its symbol: "
                + ", ".join(names)
            )
        forms = {self.results.entries[i].form: i for i in found}
        if form is None:
            result = self.results[forms.get("completed", found[0])]
            return _chosen(result) if len(forms) > 1 else result
        if form in forms:
            return self.results[forms[form]]
        if "both" in forms:
            return self.results[forms["both"]]
        only = next(iter(forms))
        raise UsageError(f"{next(iter(names))} exists in the {only} form only")

    def both(self, result: Result) -> tuple[Result, Result] | None:
        """The printed and the completed form of a result, where they differ."""
        forms = {
            entry.form: i
            for i, entry in enumerate(self.results.entries)
            if (entry.symbol, entry.equation) == (result.symbol, result.equation)
        }
        if not {"printed", "completed"} <= set(forms):
            return None
        return self.results[forms["printed"]], self.results[forms["completed"]]

    def _listed(self) -> str:
        return shorten(self.symbols, 60)

    def _unknown(self, symbol: str | None, number: str | None) -> str:
        if symbol is not None and number is not None and symbol in self.symbols:
            return f"{symbol} is not in equation {number}"
        if symbol is not None:
            further = shorten([*self.named], 4)
            return f"there is no result {symbol!r}; there are: {self._listed()}; and {further}"
        return f"there is no result of equation {number}; there are: {ranges(self.equations)}"


def _lines(quantity: Quantity) -> Iterator[Line]:
    """A call's statements: `name := value`, or the system that gives it."""
    for each in quantity.statements:
        if each.matrix is None:
            yield Line(f"{each.name} := ({each.source})", each.value)
        else:
            yield Line(
                f"{each.name} solves M {each.name} = R ({each.source}), M being", each.matrix
            )
            yield Line("and R being", each.value)


def _chosen(result: Result) -> Result:
    why = f"{result.verdict.why} (the completed form; form printed gives the other)"
    return replace(result, verdict=replace(result.verdict, why=why))


def derive(
    model: Model,
    *,
    algorithm: str | Algorithm = "riccati",
    budget: int = 200_000,
    prints: Prints = unprinted,
    **options: Any,
) -> Derivation:
    """The derivation of a model; nothing is computed before it is asked for.

    `budget` bounds the products of polynomial terms of one request; `prints` are what a paper
    prints of the results, and `options` the algorithm's own.

    Raises
        UsageError: the budget is no positive number; there is no such algorithm or option.
    Source
        Riccati paper.
    """
    return Derivation(model, budget, chosen(algorithm, **options), prints)
