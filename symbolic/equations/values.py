"""Values of syntax trees at an exact instant, as truncated Taylor series in time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import factorial
from typing import Any

from . import matrices as of
from .blocks import extended, multiplied, sized, sizes, total
from .functions import FUNCTIONS, shape, skew
from .grammar import expression
from .indices import Condition, Indices, Set, Sub
from .letters import Letter, Letters
from .matrices import Mat, Terms
from .tokens import EquationError, MissingError, NoValueError, Place
from .trees import Define, Node
from .worlds import UNKNOWN, World

Values = Mapping[str, Any]


class Evaluator:
    """The values of one statement's trees at one instant.

    `held` are letters whose series is given, because they are varied or kept. `seen` says of each
    summand inside whether it was other than zero somewhere.
    """

    def __init__(
        self,
        world: World,
        letters: Letters,
        indices: Indices,
        local: Sequence[Define] = (),
        seen: dict[int, bool] | None = None,
    ) -> None:
        self.world, self.letters, self.indices = world, letters, indices
        self.local = Letters()
        for each in local:
            self.local.add(Letter(each.name, each.name.at, value=each.value))
        self.seen = {} if seen is None else seen
        self.held: dict[str, Terms] = {}
        self.motionless = False
        self.memo: dict[Any, Any] = {}
        self.open = set[Any]()

    def series(self, e: Node, env: Values, n: int) -> Terms:
        """The value of a tree with its rates up to the n-th, at these values of its indices."""
        # A local letter sees all indices, so that what names it depends on all of them.
        names = env if self.local.forms else e.free
        k = (id(e), n, *sorted((x, str(env[x])) for x in names if x in env))
        if k not in self.memo:
            self.memo[k] = OPERATIONS[e.op](self, e, env, n)
        found: Terms = self.memo[k]
        return found

    # Indices

    def index(self, sub: Sub, env: Values, at: Place) -> Any:
        if sub.kind == "lit":
            return sub.of
        if sub.kind == "var":
            if sub.of not in env:
                raise EquationError(f"the index {sub.of!r} has no set to run over", at)
            return env[sub.of]
        inner = self.index(sub.of, env, at)
        if sub.kind == "parent":
            return self.asked(self.world.parent, (inner,), f"parent of {inner!r}", at)
        if not isinstance(inner, int):
            raise EquationError(f"in {sub} the index {inner!r} is no number to count from", at)
        return inner + sub.by

    def members(self, chosen: Set, env: Values, at: Place) -> Iterable[Any]:
        if chosen.word not in self.world.sets:
            there = ", ".join(self.world.sets)
            said = f"there is no set {chosen.word!r} at this instant"
            said += f", which has: {there}" if there else ""
            raise MissingError(said, at)
        given = tuple(self.index(x, env, at) for x in chosen.args)
        said = f"set {chosen.word}({', '.join(map(str, given))})"
        found: Iterable[Any] = self.asked(self.world.sets[chosen.word], given, said, at)
        return found

    def asked(self, of: Callable[..., Any], given: tuple[Any, ...], said: str, at: Place) -> Any:
        """What the world says, unless values are given that it does not know."""
        try:
            return of(*given)
        except UNKNOWN as error:
            raise EquationError(f"there is no {said} at this instant", at) from error

    def holds(self, conditions: Iterable[Condition], env: Values, at: Place) -> bool:
        return all(self.one_holds(each, env, at) for each in conditions)

    def one_holds(self, condition: Condition, env: Values, at: Place) -> bool:
        a = self.index(condition.left, env, at)
        if isinstance(condition.right, Set):
            return a in self.members(condition.right, env, at)
        b = self.index(condition.right, env, at)
        if condition.op in "=≠":
            return bool((a == b) == (condition.op == "="))
        if a == b:
            return condition.op == "≤"
        return bool(self.asked(self.world.less, (a, b), f"order of {a!r} and {b!r}", at))

    def chosen(
        self,
        bound: Sequence[str],
        conditions: Iterable[Condition],
        sets: Mapping[str, Set],
        env: Values,
        at: Place,
    ) -> Iterator[Values]:
        """All choices of some indices over their sets, dependent ones after what they need."""
        order, left = [], list(bound)
        while left:
            for x in left:
                run = sets.get(x) or self.indices.sets[x]
                if not (run.free - {x}) & set(left):
                    break
            else:
                raise EquationError("indices run over each other", at)
            order.append((x, run))
            left.remove(x)

        def go(k: int, env: Values) -> Iterator[Values]:
            if k < len(order):
                x, run = order[k]
                for value in self.members(run, env, at):
                    yield from go(k + 1, {**env, x: value})
            elif self.holds(conditions, env, at):
                yield env

        return go(0, env)

    # Numbers, sums and products

    def number(self, e: Node, env: Values, n: int) -> Terms:
        return of.still(Mat.number(Fraction(e.args[0])), n)

    def condition(self, e: Node, env: Values, n: int) -> Terms:
        return of.still(Mat.number(int(self.holds(e.args[0], env, e.at))), n)

    def sum(self, e: Node, env: Values, n: int) -> Terms:
        parts = []
        for sign, x in e.args:
            found = self.series(x, env, n)
            self.seen[id(x)] = self.seen.get(id(x), False) or not all(m.zero for m in found)
            parts.append(found if sign > 0 else of.neg(found))
        return total(parts, e.at)

    def product(self, e: Node, env: Values, n: int) -> Terms:
        # From the right: matrices meet a vector first; a condition that fails saves the rest.
        for x in e.args:
            if x.op == "if" and not self.holds(x.args[0], env, x.at):
                return self.none_of(e, env, n)
        found = self.series(e.args[-1], env, n)
        for x in reversed(e.args[:-1]):
            found = multiplied(self.series(x, env, n), found, x.at)
        return found

    def none_of(self, e: Node, env: Values, n: int) -> Terms:
        """0 in the product's shape, where it can be told; else the number 0."""
        try:
            parts = [self.series(x, env, n) for x in e.args if x.op != "if"]
            found = parts[-1]
            for x in reversed(parts[:-1]):
                found = multiplied(x, found, e.at)
        except EquationError:
            return of.still(Mat.zeros(1, 1), n)
        return of.still(Mat.zeros(*found[0].shape), n)

    def over(self, e: Node, env: Values, n: int) -> Terms:
        top, low = (self.series(x, env, n) for x in e.args)
        if low[0].shape != (1, 1):
            raise NoValueError("what is divided by is no number; write inv(x) or x^-1", e.at)
        back = of.inverse(low)
        if back is None:
            raise NoValueError("division by zero", e.at)
        return of.scaled(top, back)

    def cross(self, e: Node, env: Values, n: int) -> Terms:
        a, b = (self.series(x, env, n) for x in e.args)
        if a[0].shape == (3, 1) and b[0].rows == 3:
            return of.product(skew(a), b)
        if b[0].shape == (3, 1) and a[0].rows == 3:  # each column × b
            return of.neg(of.product(skew(b), a))
        raise NoValueError(f"× takes 3 × 1, not {shape(a)} and {shape(b)}", e.at)

    def rate(self, e: Node, env: Values, n: int) -> Terms:
        return of.rate(self.series(e.args[0], env, n + 1))

    def power(self, e: Node, env: Values, n: int) -> Terms:
        base, count = self.series(e.args[0], env, n), e.args[1]
        if base[0].rows != base[0].cols:
            raise NoValueError(f"a power is of a square matrix, not of {shape(base)}", e.at)
        found = base
        for _ in range(count - 1):
            found = of.product(found, base)
        return found

    # Matrices

    def part(self, e: Node, env: Values, n: int) -> Terms:
        base, ranges = self.series(e.args[0], env, n), list(e.args[1])
        if len(ranges) == 1 and base[0].cols == 1:
            ranges.append((Sub("lit", 1), Sub("lit", 1)))
        if len(ranges) != 2:
            raise NoValueError(f"a part of {shape(base)} has rows and columns", e.at)
        spans = []
        for (a, b), size in zip(ranges, base[0].shape, strict=True):
            first, last = self.index(a, env, e.at), self.index(b, env, e.at)
            if not 1 <= first <= last <= size:
                raise NoValueError(f"[{first}:{last}] is not within {shape(base)}", e.at)
            spans.append(range(first - 1, last))
        return [m.part(*spans) for m in base]

    def rows(self, e: Node, env: Values, n: int) -> Terms:
        rows = [[self.series(x, env, n) for x in row] for row in e.args]
        if len({len(row) for row in rows}) > 1:
            raise EquationError("rows of a matrix have as many blocks each", e.at)
        heights, widths = sizes(rows)
        return [
            of.block(
                [
                    [sized(x[k], h, w, e.at) for x, w in zip(row, widths, strict=True)]
                    for row, h in zip(rows, heights, strict=True)
                ]
            )
            for k in range(n + 1)
        ]

    def function(self, e: Node, env: Values, n: int) -> Terms:
        name, nodes = e.args
        args = [self.series(x, env, n) for x in nodes]
        try:
            return FUNCTIONS[name](*args)
        except EquationError as error:
            raise type(error)(f"{name}: {error.said}", e.at) from None
        except TypeError:
            raise EquationError(f"{name} takes other arguments than {len(args)}", e.at) from None

    def big(self, e: Node, env: Values, n: int) -> Terms:
        bound, conditions, sets, body = e.args
        chosen = self.chosen(bound, conditions, sets, env, e.at)
        parts = [self.series(body, at, n) for at in chosen]
        return total(parts, e.at) if parts else of.still(Mat.zeros(1, 1), n)

    def stack(self, e: Node, env: Values, n: int) -> Terms:
        kind, bound, inner = e.args
        rows = [
            [self.series(inner, at, n) for at in self.chosen(bound[1:], (), {}, here, e.at)]
            for here in self.chosen(bound[:1], (), {}, env, e.at)
        ]
        if kind == "diag":
            return [of.diag([row[0][k] for row in rows]) for k in range(n + 1)]
        return [of.block([[x[k] for x in row] for row in rows]) for k in range(n + 1)]

    # Slopes

    def partial(self, e: Node, env: Values, n: int) -> Terms:
        """∂ᵐ/∂q_k …, by derivatives along sums of directions; then no rate is left."""
        if n:
            raise EquationError("a slope by coordinates has no rate here", e.at)
        subs, inner = e.args
        by = [self.index(sub, env, e.at) for sub in subs]
        found = None
        for count in range(1, len(by) + 1):
            for some in itertools.combinations(by, count):
                slope = of.derivative(self.along(some).series(inner, env, len(by)), len(by))
                term = slope.times((-1) ** (len(by) - count))
                found = term if found is None else found + term
        if found is None:
            raise EquationError("∂ names no coordinate", e.at)
        return [found.times(Fraction(1, factorial(len(by))))]

    def along(self, by: tuple[Any, ...], held: Mapping[str, Terms] | None = None) -> Evaluator:
        """The same where coordinates grow."""
        k = ("along", by, *sorted(held or ()))
        if k not in self.memo:
            self.memo[k] = self.at(self.world.along(by), held or {})
        found: Evaluator = self.memo[k]
        return found

    def at(self, world: World, held: Mapping[str, Terms]) -> Evaluator:
        found = Evaluator(world, self.letters, self.indices, (), self.seen)
        found.local, found.held = self.local, {**self.held, **held}
        return found

    def slopes(self, e: Node, env: Values, n: int) -> Terms:
        """A column of slopes by a letter, or by q while letters are held."""
        if n:
            raise EquationError("a slope by a letter has no rate here", e.at)
        name, kept, inner = e.args
        rows = []
        if name == "q":
            held = {x: of.still(self.named(x, env, e.at), 1) for x in kept}
            for x in self.world.coordinates:
                rows.append(self.along((x,), held).series(inner, env, 1)[1])
            return [of.vcat(rows)]
        start = self.named(name, env, e.at)
        if start.cols != 1:
            raise NoValueError(f"slopes are by a column, not by {shape([start])}", e.at)
        for k in range(start.rows):
            step = Mat.eye(start.rows).part(range(start.rows), [k])
            varied = self.at(self.world.still(), {name: [start, step]})
            varied.motionless = True
            rows.append(varied.series(inner, env, 1)[1])
        return [of.vcat(rows)]

    def named(self, name: str, env: Values, at: Place) -> Mat:
        return self.series(expression(name, self.indices, at), env, 0)[0]

    # Letters

    def name(self, e: Node, env: Values, n: int) -> Terms:
        letter, low, high = e.args
        values = tuple(self.index(sub, env, e.at) for sub in (*low, *high))
        below, above = (
            "".join(map(str, part)) for part in (values[: len(low)], values[len(low) :])
        )
        shown = letter + (f"_{below}" if below else "") + (f"^{above}" if above else "")
        if shown in self.held:
            return extended(self.held[shown], n)
        local = self.local.find(e, values)
        found = local or self.letters.find(e, values)
        if found is None:
            raise EquationError(self.letters.unknown(shown), e.at)
        own = found.own(values)
        if found.value is not None:
            inner = dict(zip(found.variables, own, strict=True))
            result = self.meant(found.value, {**env, **inner} if local else inner, shown, e.at, n)
        else:
            result = self.given(found, own, shown, e.at, n)
        if found.shape and any(
            a.isdigit() and int(a) != b for a, b in zip(found.shape, result[0].shape, strict=True)
        ):
            declared = " × ".join(found.shape)
            raise NoValueError(f"{shown} is {shape(result)}, declared {declared}", e.at)
        return result

    def meant(self, value: Node, env: Values, shown: str, at: Place, n: int) -> Terms:
        """What a letter's equation says of it; a recursion has other indices at each step."""
        k = (id(value), *sorted((x, str(of)) for x, of in env.items()))
        if k in self.open:
            raise EquationError(f"{shown} is defined by itself", at)
        self.open.add(k)
        try:
            return self.series(value, env, n)
        finally:
            self.open.remove(k)

    def given(
        self, letter: Letter, own: tuple[object, ...], shown: str, at: Place, n: int
    ) -> Terms:
        """What the world says of a letter."""
        known = self.world.known(letter.name, own)
        if known is None:
            raise MissingError(f"there is no {shown} at this instant", at)
        terms, moving = known
        if self.motionless or not moving:
            # Without a rate: a fixed number or matrix, or one whose rate nothing gives.
            if n and not letter.constant and not self.motionless:
                raise EquationError(f"the rate of {shown} is not known here", at)
            return of.still(terms[0], n)
        if len(terms) <= n:
            raise EquationError(f"{shown} is not known to so high a rate", at)
        return terms[: n + 1]


OPERATIONS = {
    "number": Evaluator.number,
    "if": Evaluator.condition,
    "+": Evaluator.sum,
    "*": Evaluator.product,
    "/": Evaluator.over,
    "×": Evaluator.cross,
    "'": Evaluator.rate,
    "^": Evaluator.power,
    "part": Evaluator.part,
    "rows": Evaluator.rows,
    "f": Evaluator.function,
    "Σ": Evaluator.big,
    "∂": Evaluator.partial,
    "grad": Evaluator.slopes,
    "name": Evaluator.name,
    "stack": Evaluator.stack,
}
