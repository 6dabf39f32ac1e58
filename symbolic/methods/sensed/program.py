"""What sensors measure, as a program without any dynamics: places, velocities, and readings.

Laws read sensors within the methods' own programs; what a caller says along a motion (an input, an
event, an output) is a program of its own, which begins with these steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from ....model.expressions.quantities import TIME
from ...language.program import Kernel, Map, Program, Ref, Step, Sweep, given, result
from ...language.slices import Wanted, entry
from ...plans.plan import Link, Plan
from ...tree import absolute_kernels
from ...tree import steps as shared
from ...tree.absolute import Absolute
from ...tree.joint import Joint
from ..riccati.absolute import PLACES
from .readings import Reading

#: What the steps give of sensors: what they measure, and its rate.
READINGS = ("sensed", "sensedd")


class Sensing:
    """The steps that the `asked` of a model's sensors, and of their rates, need."""

    def __init__(self, plan: Plan, asked: Set[str]) -> None:
        absolute = plan.model.absolute
        self.tree: Joint | Absolute = (Absolute if absolute else Joint)(plan, forced=False)
        self.tree.sets |= self.tree.applied.sets()
        every = tuple(_steps(self.tree, asked))
        busy = tuple(step for step in every if step.calls)
        needed = entry(Wanted("sensed", "", READINGS), busy).steps
        self.steps = tuple(step for step in busy if step.name in needed)

    @property
    def readings(self) -> Mapping[str, Reading]:
        """What names mean there: coordinates and speeds, sensors and their rates, and the time."""
        model, found = self.tree.model, {TIME.name: Reading(Ref(TIME.name, ""))}
        for sensor in model.sensors:
            found[sensor.name] = Reading(Ref("sensed", sensor.name))
            found[sensor.rate] = Reading(Ref("sensedd", sensor.name))
        rows = self._rows
        for array, names in (("q", model.coordinates), ("v", model.speeds)):
            for k, name in enumerate(names):
                at = model.body_names[k // rows[array]] if model.absolute else name
                found[name] = Reading(Ref(array, at), rows[array], k % rows[array])
        return found

    @property
    def _rows(self) -> Mapping[str, int]:
        """How many numbers a member has of the coordinates, and of the speeds."""
        space = self.tree.space
        return {"q": space.angles, "v": space.spins} if self.tree.model.absolute else ROWS

    def program(
        self, name: str, wanted: Wanted, step: Step, members: Sequence[str], runtime: Iterable[str]
    ) -> Program:
        """The program of these steps and one more, which gives a number for each of its members.

        Its one result is over the index set that has the name of the entry. The rates of the
        coordinates, which no entry gives, are for those who differentiate.
        """
        tree, (values,) = self.tree, wanted.results
        tree.sets[wanted.name] = tuple(members)
        of_bodies = tree.model.absolute
        arrays = [
            given("q", "coordinates", self._rows["q"]),
            given("v", "coordinates" if of_bodies else "speeds", self._rows["v"]),
            given(TIME.name, "system"),
            result("qd", "coordinates", self._rows["q"]),
            result(values, wanted.name),
            *(() if isinstance(tree, Absolute) else tree.ground.arrays()),
        ]
        steps = (*self.steps, step, _rates(tree))
        return tree.program(name, wanted.title, steps, arrays, (wanted,), tuple(runtime))


#: In joint coordinates every number is a member of its own.
ROWS = {"q": 1, "v": 1}


def _steps(tree: Joint | Absolute, asked: Set[str]) -> Iterator[Step]:
    if isinstance(tree, Absolute):
        yield from _carriers(tree)
    else:
        yield shared.based(tree)
        yield shared.relatives(tree)
        yield shared.spins(tree)
        yield shared.places(tree)
        yield shared.velocities(tree)
    yield Map("sensed", "what sensors measure", tree.between.senses(asked))


def _rates(tree: Joint | Absolute) -> Step:
    """qd: the rates of all coordinates."""
    if not isinstance(tree, Absolute):
        return shared.rates(tree)
    kernel = absolute_kernels.rate.of(dimension=tree.dimension)
    return Map("rates", "rates of the coordinates", tree.each(lambda link: (kernel,)))


def _carriers(tree: Absolute) -> Iterator[Step]:
    """Place and motion of every body in absolute coordinates."""
    d = tree.dimension

    def turned(link: Link) -> Iterator[Kernel]:
        yield absolute_kernels.orientation.of(dimension=d)

    def place(link: Link) -> Iterator[Kernel]:
        if link.inputs:
            yield absolute_kernels.place.of(dimension=d, input_count=len(link.inputs))

    def carrier(link: Link) -> Iterator[Kernel]:
        yield absolute_kernels.carrier.of(dimension=d)

    yield Map("orientation", "orientation of every body", tree.inward(turned))
    yield Sweep("places", PLACES, tree.outward(place))
    yield Map("carriers", "place and motion of every body", tree.inward(carrier))
