"""Passes *signs* and *sums*: the same values by fewer and earlier operations.

*signs*: of a − b and b − a one is computed. *sums*: what is added in several steps is one sum of
many terms; products with a common factor in it become one product, pairs of terms that several
sums share are added once, and every sum adds first what is known first, so that no operation
waits longer than it must.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from heapq import heappop, heappush

from ..blocks import Block, Carried, LoweredStep
from ..formulas import agreed
from ..graph import Graph

#: What the results of operations take to be known, in cycles; others are of no account.
LATENCY = {"add": 4, "sub": 4, "mul": 4, "recip": 14, "sqrt": 18}

#: When what a loop hands on is known: after everything else.
LAST = 10_000

#: A signed term of a sum: the sign and what is added.
Term = tuple[int, "int | Product | Sum"]


def signed_once(step: LoweredStep) -> LoweredStep:
    """Compute only one of a − b and b − a."""
    return _mapped(step, lambda block: _Signs(block.graph, block.wanted()))


def summed(step: LoweredStep) -> LoweredStep:
    """Take the sums of blocks apart and put them together again."""
    return _mapped(step, _Sums)


def _mapped(step: LoweredStep, rewriter: Callable[[Block], Rewriter]) -> LoweredStep:
    return replace(step, blocks=tuple(_rewritten(block, rewriter(block)) for block in step.blocks))


def _rewritten(block: Block, rewriter: Rewriter) -> Block:
    nodes = rewriter.run()
    return replace(
        block,
        graph=rewriter.graph,
        stores=[(cell, nodes[number]) for cell, number in block.stores],
        carries={
            carried: replace(handover, value=nodes[handover.value])
            for carried, handover in block.carries.items()
        },
    )


class Rewriter:
    """Writes what is wanted of a graph into a new one, node by node."""

    def __init__(self, old: Graph, wanted: Iterable[int]) -> None:
        self.old = old
        self.wanted = list(wanted)
        self.live = old.live(self.wanted)
        self.graph = Graph()
        self.graph.ones |= old.ones
        self.found: dict[int, int] = {}

    def run(self) -> Mapping[int, int]:
        """The new numbers of the nodes that were kept."""
        for number in self.live:
            if self.kept(number):
                self.graph.label = self.old.labels[number]
                self.found[number] = here = self.written(number)
                if number in self.old.names:
                    self.graph.name(here, self.old.names[number])
        self.graph.label = ""
        return self.found

    def kept(self, number: int) -> bool:
        return True

    def written(self, number: int) -> int:
        """The node in the new graph."""
        return self.graph.copied(self.old, number, self.found)


class _Signs(Rewriter):
    def __init__(self, old: Graph, wanted: Iterable[int]) -> None:
        super().__init__(old, wanted)
        pairs = {n: old.key(old.nodes[n]).args for n in self.live if old.nodes[n].op == "sub"}
        differences = {args: n for n, args in pairs.items()}
        self.twins = {
            number: differences[b, a]
            for (a, b), number in differences.items()
            if differences.get((b, a), number) < number
        }

    def written(self, number: int) -> int:
        if number in self.twins:
            return self.graph.opposite(self.found[self.twins[number]])
        return super().written(number)


class Sum:
    """A sum of signed terms; two of them are the same only if they are one object."""

    def __init__(self, terms: list[Term]) -> None:
        self.terms = terms


class Product:
    """A common factor and the sum that it multiplies."""

    def __init__(self, factor: int, of: Sum) -> None:
        self.factor = factor
        self.of = of


#: Two numbers, and whether they have the same sign (1) or not (−1).
Pair = tuple[int, int, int]


class Pairs:
    """The pairs of terms that sums have, told by the sums' places."""

    def __init__(self) -> None:
        self.of: dict[int, set[Pair]] = {}
        self.places: dict[Pair, set[int]] = {}
        self._waiting: list[tuple[int, Pair]] = []  # by how many sums have a pair, some outdated

    def tell(self, place: int, total: Sum) -> None:
        """What terms a sum has now."""
        plain = [(sign, what) for sign, what in total.terms if isinstance(what, int)]
        now: set[Pair] = {
            (min(a, b), max(a, b), s * t)
            for k, (s, a) in enumerate(plain)
            for t, b in plain[:k]
            if a != b
        }
        before = self.of.get(place, set())
        for pair in before ^ now:
            places = self.places.setdefault(pair, set())
            places ^= {place}
            if len(places) > 1:
                heappush(self._waiting, (-len(places), pair))
        self.of[place] = now

    def most_common(self) -> tuple[Pair | None, list[int]]:
        """The pair that most sums have, the first in order of those, and their places."""
        while self._waiting:
            count, pair = self._waiting[0]
            if len(self.places[pair]) == -count:
                return pair, sorted(self.places[pair])
            heappop(self._waiting)
        return None, []


class _Sums(Rewriter):
    def __init__(self, block: Block) -> None:
        super().__init__(block.graph, block.wanted())
        nodes = self.old.nodes
        self.agreed = self._agreed()
        self.live = tuple(sorted({*self.live, *self.agreed}))
        self.uses = Counter(arg for number in self.live for arg in nodes[number].args)
        self.uses.update(self.wanted)
        adding = {n for n in self.live if nodes[n].op in ("add", "sub")}
        self.inner = {
            arg
            for number in adding
            for arg in nodes[number].args
            if arg in adding and self.uses[arg] == 1
        }
        self.sums = {n: Sum(self._terms(n, 1)) for n in sorted(adding - self.inner)}
        self.dropped: set[int] = set()
        self.all = list(self.sums.values())
        for each in list(self.all):
            self._factored(each)
        self._shared()
        self.late = {name for name, operand in block.inputs.items() if isinstance(operand, Carried)}
        self.times: dict[int, int] = {}
        self.built: dict[int, int] = {}

    def kept(self, number: int) -> bool:
        return number not in self.inner and number not in self.dropped

    def written(self, number: int) -> int:
        if number in self.sums:
            return self._built(self.sums[number])
        if number in self.agreed:
            return self.graph.const(self.agreed[number])
        return super().written(number)

    def _agreed(self) -> dict[int, Fraction]:
        """Equal constants as one, which sums add and multiply by, told by the first's number."""
        equal: dict[int, list[Fraction]] = {}
        for number in self.live:
            if (value := self.old.constant(number)) is not None:
                equal.setdefault(self.old.same(number), []).append(value)
        return {number: agreed(values) for number, values in equal.items()}

    def _args(self, number: int) -> tuple[int, ...]:
        return self.old.key(self.old.nodes[number]).args

    def _terms(self, number: int, sign: int) -> list[Term]:
        found: list[Term] = []
        pending = [(number, sign)]
        while pending:
            at, sign = pending.pop()
            node = self.old.nodes[at]
            if at == number or at in self.inner:
                second = -sign if node.op == "sub" else sign
                first, other = self._args(at)
                pending += [(other, second), (first, sign)]
            else:
                opposite = (-sign, at)
                found.remove(opposite) if opposite in found else found.append((sign, at))
        return found

    def _factors(self, term: Term) -> tuple[int, ...]:
        """The factors of a product that is of no other use."""
        _, what = term
        if isinstance(what, int) and self.uses[what] == 1 and self.old.nodes[what].op == "mul":
            return self._args(what)
        return ()

    def _factored(self, total: Sum) -> None:
        """Σ a b = a Σ b for the factor that most terms have, then for the next."""
        while True:
            shares = Counter(f for term in total.terms for f in dict.fromkeys(self._factors(term)))
            common = [f for f, count in shares.items() if count > 1]
            if not common:
                return
            factor = max(common, key=lambda f: (shares[f], -f))
            taken = [term for term in total.terms if factor in self._factors(term)]
            inner = Sum([(sign, self._other(what, factor)) for sign, what in taken])
            self.dropped.update(what for _, what in taken if isinstance(what, int))
            self.all.append(inner)
            rest = [term for term in total.terms if term not in taken]
            total.terms = [*rest, (1, Product(factor, inner))]

    def _other(self, product: int | Product | Sum, factor: int) -> int:
        assert isinstance(product, int)
        a, b = self._args(product)
        return b if a == factor else a

    def _shared(self) -> None:
        """Add once what several sums have in common, the most common pair first."""
        pairs = Pairs()
        changed = list(range(len(self.all)))
        while True:
            for place in changed:
                pairs.tell(place, self.all[place])
            pair, places = pairs.most_common()
            if pair is None:
                return
            before = len(self.all)
            self._joined(pair, [self.all[place] for place in places])
            changed = [*places, *range(before, len(self.all))]

    def _joined(self, pair: Pair, totals: list[Sum]) -> None:
        a, b, relative = pair
        whole = [total for total in totals if len(total.terms) == 2]
        joint = whole[0] if whole else Sum([(1, a), (relative, b)])
        if not whole:
            self.all.append(joint)
        own = {what: sign for sign, what in joint.terms}
        for total in totals:
            if total is joint:
                continue
            terms = list(total.terms)
            taken = [next(term for term in terms if term[1] == what) for what in (a, b)]
            for term in taken:
                terms.remove(term)
            total.terms = [(taken[0][0] * own[a], joint), *terms]

    def _built(self, total: Sum) -> int:
        """Add the terms in the order in which they are known: products one by one, as a machine
        that multiplies and adds at once can take them."""
        if id(total) in self.built:
            return self.built[id(total)]
        terms = []
        for position, (sign, what) in enumerate(total.terms):
            number = self._value(what)
            number = number if sign > 0 else self.graph.neg(number)
            terms.append((self._time(number), position, number))
        number = self.graph.const(0)
        for _, _, term in sorted(terms):
            number = self.graph.add(number, term)
        self.built[id(total)] = number
        return number

    def _value(self, what: int | Product | Sum) -> int:
        if isinstance(what, int):
            return self.found[what]
        if isinstance(what, Sum):
            return self._built(what)
        assert isinstance(what, Product)
        return self.graph.mul(self.found[what.factor], self._built(what.of))

    def _time(self, number: int) -> int:
        """When a value of the new graph is known."""
        found = self.times.get(number)
        if found is None:
            node = self.graph.nodes[number]
            found = LAST if node.op == "input" and str(node.value) in self.late else 0
            found = max((self._time(arg) for arg in node.args), default=found)
            found += LATENCY.get(node.op, 0)
            self.times[number] = found
        return found
