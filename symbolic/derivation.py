"""The derivation of a model: every result by name and number, and S, e at every end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import overload

import sympy as sp

from ..errors import DerivationError, UsageError
from ..model import GROUND, Model
from ..model.quantities import shorten
from ..model.types import ABSOLUTE_KINDS
from . import assembly51, formulas, section51, statements, transformation
from .budget import Budget
from .deduction import OverallEquation, deduce
from .demonstration import Demonstration, is_demonstration
from .errata import ERRATA, Erratum
from .plan import Plan, plan
from .recursion import Recursion
from .results import Entry, Line, Result, Verdict
from .riccati import Coefficients

__all__ = ["Derivation", "Line", "Result", "Verdict", "derive"]


class Results(Sequence[Result]):
    """The results in the paper's order, each computed when it is asked for."""

    def __init__(self, entries: Sequence[Entry], budget: Budget) -> None:
        self.entries = tuple(entries)
        self._budget = budget
        self._known: dict[int, Result] = {}

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | Sequence[Result]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        if position not in self._known:
            self._budget.spent = 0
            self._known[position] = self.entries[position].build()
        return self._known[position]


class ByEnd(Mapping[str, sp.Matrix]):
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
    """What is derived for a model, on request.

    `results` are those that the paper has; `U` exists for every body, `S`, `e` for every
    tree of smooth pins or balls (`no_recursion` says why a model is none, else it is empty),
    `overall`, the overall transfer equation, for every model.

    Shape
        `U[body]` is the transfer matrix of a body, `S[end]`, `e[end]` the Riccati
        coefficients at an end `body:point` (free-tip split, completed hinge; an input end
        lies behind its hinge, an output end before it, `0:O` behind the root hinge).
        `S_reverse`, `e_reverse` hold those of the root chain swept from the ground (pinned
        split).
    Units
        SI.
    Frame
        Inertial axes; z_a = (m, q), z_b = (r̈, Ω̇) at that end, in the plane
        (m_z, q_x, q_y) and (ẍ, ÿ, Ω̇_z). Pinned split: z_a = (m, r̈), z_b = (Ω̇, q).
    Sign
        The paper's: q is the force that the tip side exerts on the root side.

    Raises
        DerivationError: a composition exceeds the operation budget, or there is none.
    Source
        Riccati paper, with its errata.
    """

    def __init__(self, model: Model, budget: int) -> None:
        self.model = model
        self.plan: Plan = plan(model)
        self._overall: OverallEquation | None = None
        self.errata: tuple[Erratum, ...] = ERRATA
        self._budget = Budget(budget)
        self._recursion = Recursion(self.plan, self._budget)
        entries = [*formulas.entries(), *statements.entries(), *transformation.entries()]
        if is_demonstration(model):
            example = Demonstration(self.plan, self._budget)
            entries += section51.entries(example)
        entries.sort(key=lambda entry: int(entry.equation))
        self.U = ByEnd("body", [link.name for link in self.plan.links], self._matrix, self._budget)
        ends = self._recursion.ends()
        self.S = ByEnd("end", ends, lambda end: self._at(end).S.matrix(), self._budget)
        self.e = ByEnd("end", ends, lambda end: self._at(end).e.matrix(), self._budget)
        back = self._recursion.reverse_ends()
        self.S_reverse = ByEnd(
            "root chain end", back, lambda end: self._back(end).S.matrix(), self._budget
        )
        self.e_reverse = ByEnd(
            "root chain end", back, lambda end: self._back(end).e.matrix(), self._budget
        )
        if not is_demonstration(model):
            entries += self._of_bodies()
        self._of_ends = {f"{letter}[{end}]": (letter, end) for end in ends for letter in ("S", "e")}
        self.results = Results(entries, self._budget)

    def _of_bodies(self) -> Iterator[Entry]:
        for name in self.U:
            yield Entry(f"U{name}", "", "both", lambda name=name: self._body_result(name))  # type: ignore[misc]

    def _matrix(self, body: str) -> sp.Matrix:
        return self._recursion.exact_matrix(body).matrix()

    @property
    def no_recursion(self) -> str:
        """Why there are no `S` and `e`; empty where there are."""
        smooth = ABSOLUTE_KINDS[self.model.dimension]
        if self.model.beams:
            return f"beam {self.model.beams[0].name} bends"
        for hinge in self.model.hinges:
            if hinge.name in self.model.cuts:
                return f"hinge {hinge.name} closes a loop"
            if hinge.kind != smooth:
                return f"hinge {hinge.name} is no {smooth}: it is {hinge.kind}"
            if hinge.force or hinge.motion:
                return f"hinge {hinge.name} is {'driven' if hinge.motion else 'not smooth'}"
        return ""

    def _tree(self) -> Recursion:
        why = self.no_recursion
        if why:
            raise DerivationError(
                "the coefficients S, e are derived for trees of smooth pins (in the plane) or "
                f"balls (in space), and {why}; the transfer matrices U of the bodies are there"
            )
        return self._recursion

    def _at(self, end: str) -> Coefficients:
        tree = self._tree()
        body, _, point = end.partition(":")
        if body == GROUND:
            return tree.at_ground()
        if point == self.plan.link(body).output:
            return tree.at_output(body)
        return tree.at_input(body, point)

    def _back(self, end: str) -> Coefficients:
        tree = self._tree()
        body, _, point = end.partition(":")
        return tree.in_reverse(body, point)

    def _body_result(self, name: str) -> Result:
        inputs = len(self.plan.link(name).inputs)
        equation = "(8)" if inputs > 1 else "(4)"
        verdict = Verdict("own", why=f"{equation} with this body's data")
        title = f"transfer matrix of body {name}, {max(inputs, 1)} input(s)"
        if self.model.dimension == 2:
            steps: tuple[Line, ...] = assembly51.REDUCED
        else:
            steps = formulas.balance_lines(max(inputs, 1))
        return Result(f"U{name}", "", title, self.U[name], None, verdict, "both", steps)

    def _end_result(self, letter: str, end: str) -> Result:
        matrix = (self.S if letter == "S" else self.e)[end]
        verdict = Verdict("own", why="(29), (30) with the completed hinge", errata=("X1",))
        title = f"Riccati coefficient {letter} at {end}"
        symbol = f"{letter}[{end}]"
        steps = (*section51.BODY_STEP, *section51.COMPLETED_STEP, Line(symbol, matrix))
        return Result(symbol, "", title, matrix, None, verdict, "completed", steps)

    @property
    def overall(self) -> OverallEquation:
        """The overall transfer equation, by the deduction theorem; of every model.

        Raises
            ModelError: a first input that the model names is an output end.
        Source
            Deduction paper, Sect. 5.
        """
        if self._overall is None:
            self._overall = deduce(self.model)
        return self._overall

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of all results, each once, in the paper's order."""
        return tuple(dict.fromkeys(entry.symbol for entry in self.results.entries))

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

        `S[1:O]`, `e[1:O]` name the coefficients at an end. Where printed and completed form
        differ and `form` is not given, it is the completed one, and its verdict says so.

        Raises
            UsageError: nothing, or more than one result, is called that; lists what is.
            DerivationError: it exceeds the operation budget.
        """
        if symbol in self._of_ends and equation is None:
            if form == "printed":
                raise UsageError(f"{symbol} exists in the completed form only")
            return self._end_result(*self._of_ends[symbol])
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

    def _listed(self) -> str:
        return shorten(self.symbols, 60)

    def _unknown(self, symbol: str | None, number: str | None) -> str:
        if symbol is not None and number is not None and symbol in self.symbols:
            return f"{symbol} is not in equation {number}"
        if symbol is not None:
            ends = shorten([f"S[{end}]" for end in self.S], 4)
            return f"there is no result {symbol!r}; there are: {self._listed()}; and {ends}"
        return f"there is no result of equation {number}; there are: {', '.join(self.equations)}"


def _chosen(result: Result) -> Result:
    why = f"{result.verdict.why} (the completed form; form printed gives the other)"
    return replace(result, verdict=replace(result.verdict, why=why))


def derive(model: Model, *, budget: int = 200_000) -> Derivation:
    """The derivation of a model; nothing is computed before it is asked for.

    `budget` bounds the products of polynomial terms of one request.

    Raises
        UsageError: the budget is no positive number.
    Source
        Riccati paper.
    """
    return Derivation(model, budget)
