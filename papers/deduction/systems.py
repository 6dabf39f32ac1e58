"""Systems at which the deduction paper's equations are judged, and what its theorem speaks of.

The paper's figures are not in our copy; systems have the numbers that its text tells of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from ...symbolic.plans.transfer import Boundary, Element
from .matrices import Matrices
from .system import Plan, System

Sets = dict[str, Callable[..., Iterable[Any]]]

#: By name. Of the tree, bodies 9, 10 and 4 have several inputs, as in Fig. 1; body 4 has three. The
#: ring is parted before body 1, the general system between body 16 and hinge 19 as in Fig. 8.
#: Example 1 has a rigid body in the place of beam 3; pin 20 of Example 2 is the ground's.
PLANS: Mapping[str, tuple[Plan, int]] = {
    "tree": (
        Plan(
            3,
            (
                "5 revolute 0 4",
                "1 ball 4 9",
                "2 prismatic 4 10",
                "3 cylindrical 4 8",
                "6 revolute 9 12",
                "7 ball 9 14",
                "11 cylindrical 10 16",
                "13 revolute 10 18",
            ),
            tips=(8, 12, 14, 16, 18),
        ),
        3,
    ),
    "chain": (Plan(3, ("6 revolute 0 5", "4 prismatic 5 3", "2 ball 3 1"), tips=(1,)), 4),
    "ring": (
        Plan(
            3,
            ("9 free 0 1", "2 revolute 1 3", "4 ball 3 5", "6 cylindrical 5 1"),
            tips=(),
            cuts=("6",),
        ),
        5,
    ),
    "general": (
        Plan(
            3,
            (
                "5 revolute 0 4",
                "1 ball 4 9",
                "2 revolute 4 10",
                "3 cylindrical 9 16",
                "7 prismatic 10 8",
                "19 ball 10 16",
            ),
            tips=(8,),
            cuts=("19",),
        ),
        6,
    ),
    "example_2": (
        Plan(
            2,
            (
                "20 pin 0 1",
                "2 pin 1 3",
                "4 pin 3 5",
                "6 pin 5 7",
                "8 pin 7 9",
                "10 pin 3 11",
                "12 pin 11 13",
                "14 pin 13 9",
            ),
            tips=(),
            cuts=("14",),
        ),
        7,
    ),
    "flat": (Plan(2, ("6 pin 0 5", "4 prismatic 5 3", "2 pin 3 1"), tips=(1,)), 8),
    "example_1": (
        Plan(
            2,
            ("6 free 0 5", "4 fixed 5 3", "2 fixed 3 1", "7 free 5 8"),
            tips=(1, 8),
            elastic=("6", "7"),
        ),
        9,
    ),
}


def pair(end: Boundary) -> tuple[int, int]:
    """The two indices of a boundary end."""
    first, second = end.indices
    return int(first), int(second)


def inputs(element: Element) -> tuple[str, ...]:
    """The names of an element's inputs: I of one, I1, I2, … of several."""
    count = len(element.inputs)
    return tuple(f"I{k}" for k in range(1, count + 1)) if count > 1 else ("I",)


def entry(name: str) -> int:
    """The number of an input."""
    return int(name[1:] or 1)


class Case:
    """A system with its matrices, and the sets that the theorem's indices run over.

    What comes before an input and where boundary ends are is said of the plan alone; nothing of it
    is taken from the code that deduces, which is judged by it.
    """

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan = plan
        self.system = System(plan, seed)
        self.matrices = Matrices(self.system)
        self.equation = self.system.equation
        self.elements = {int(e.label): e for e in self.equation.transfer.elements}
        self.ring = self.equation.transfer.form == "closed loop"

    @cached_property
    def hinges(self) -> dict[int, tuple[int, int]]:
        """Predecessor and successor of each hinge."""
        return {int(label): (pred, succ) for label, (_, pred, succ) in self.plan.joined.items()}

    @cached_property
    def cuts(self) -> tuple[int, ...]:
        return tuple(map(int, self.plan.cuts))

    def feeding(self, body: int) -> list[int]:
        """The hinges at a body's inputs, I₁ first; in a ring the one that it is entered by."""
        if self.ring:
            carrier = int(self.plan.tree[body])
            return [carrier] if carrier in self.elements else [*self.cuts]
        return [
            hinge
            for hinge, (pred, succ) in self.hinges.items()
            if pred == body or (succ == body and hinge in self.cuts)
        ]

    @cached_property
    def ends(self) -> dict[tuple[int, str], int]:
        """The inputs that are boundary ends, each with the number of what is beyond, 0 for none."""
        found = {}
        for n, element in self.elements.items():
            for k, name in enumerate(inputs(element)):
                if n in self.hinges:
                    if n in self.cuts and not self.ring:
                        found[n, name] = self.hinges[n][1]
                    continue
                feeding = self.feeding(n)
                if not feeding:
                    found[n, name] = 0
                elif feeding[k] in self.cuts and self.hinges[feeding[k]][1] == n:
                    found[n, name] = feeding[k]
        return found

    def before(self, n: int, name: str) -> tuple[int, ...]:
        """The element whose output enters an input; none at a boundary end."""
        if (n, name) in self.ends:
            return ()
        if n in self.hinges:
            return (self.hinges[n][0 if self.ring else 1],)
        return (self.feeding(n)[entry(name) - 1],)

    def sets(self) -> Sets:
        elements, plan = self.elements, self.plan

        def those(test: Callable[[Element], Any]) -> Callable[[], Iterable[int]]:
            return lambda: [n for n, element in elements.items() if test(element)]

        (root,) = self.equation.transfer.trees
        last = self.equation.end(root.root).element
        kept = [pair(self.equation.end(c)) for c in self.equation.columns]
        kept = [(a, b) for a, b in kept if b in [x for (n, _), x in self.ends.items() if n == a]]
        cut = self.equation.transfer.pairs
        leaves = [body for body in plan.tree if not self.feeding(body)]
        parted = [x for cut in self.cuts for x in (cut, self.hinges[cut][1])]
        return {
            "element": lambda: [*elements],
            "one": those(lambda e: len(e.inputs) == 1),
            "two": those(lambda e: len(e.inputs) == 2),
            "several": those(lambda e: len(e.inputs) > 1),
            "body": those(lambda e: e.is_body),
            "hinge": those(lambda e: e.freedoms),
            "input": lambda n: inputs(elements[n]),
            "start": lambda n: inputs(elements[n])[:1],
            "further": lambda n: inputs(elements[n])[1:],
            "end": lambda n: ("O", *inputs(elements[n])),
            "before": self.before,
            "first": lambda: dict.fromkeys(n for n, _ in self.ends),
            "second": lambda i: [beyond for (n, _), beyond in self.ends.items() if n == i],
            "reaches": lambda i, n, name: [
                x for at, x in self.ends.items() if at == (i, name) and n == i
            ],
            "last": lambda: [int(self.equation.transfer.elements[last].label)],
            "kept": lambda: dict.fromkeys(a for a, _ in kept),
            "beyond": lambda a: [b for x, b in kept if x == a],
            "cut": lambda: [pair(self.equation.end(p.kept))[0] for p in cut],
            "dropped": lambda: [pair(self.equation.end(p.dropped))[0] for p in cut],
            "boundary": lambda: [*leaves, *parted],
        }
