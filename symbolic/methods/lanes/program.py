"""From a method's page to the same method with a tree's long chains in segments.

All segments are swept from their far ends to their near ends at once, each as if nothing were
known of what hangs on it; then they are joined, one by one, with the rest of the tree; and with the
accelerations of their near ends and the wrenches at their far ends all are swept back at once.

Nothing of a page is written again here. Of each of its steps this makes:

=======================  =========================================================================
a map                    a map over the bodies of chains, side by side
a sweep inwards          the same with columns for the wrench at the far end, then the segments
                         joined in the sweep over the rest of the tree: `inward`
a sweep of motion        the same from near ends at rest, then over the segments, then from where
                         they are: `outward`
the accelerations        what holds between the segments, in the sweep over the rest of the tree,
                         then the same with the wrench at the far end known: `outward`
=======================  =========================================================================

A load is done at the body that it acts on. What is no part of the dynamics, such as poses, stays
as the page has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ...language.program import Array, Map, Ref, Step, named
from ...language.slices import derived_arrays, entry, step_writes
from ...language.walk import Action, Binding, Place, Walk
from ...plans.segments import LaneProgram
from .inward import Inward
from .outward import Outward


class Segmented(Inward, Outward):
    """The program of a page with the chains of its tree in segments."""

    def program(self, title: str, runtime: tuple[str, ...]) -> LaneProgram:
        """The program."""
        tree, model = self.page.tree, self.plan.model
        moving = tuple(step for step in self._segmented() if step.calls)
        still = tuple(self._plain())
        written = {array for step in (*moving, *still) for array in step_writes(step)}
        # Rows first, in the order of use: what is stored then aliases nothing that is read soon.
        work = [*self._arrays(moving), *derived_arrays(still, self.caller, tree.set_of)]
        work.sort(key=lambda array: array.index_set != "rows")
        apart = self.cut - {*self.top} - {chain.tip.name for chain in self.chains}
        return LaneProgram(
            name=model.name,
            title=f"{title}, chains in segments: {model.name}",
            algorithm="riccati",
            sets={
                **tree.sets,
                **self.sets,
                "single": tuple(name for name in tree.sets[tree.set] if name not in apart),
            },
            arrays=self.caller | named(work),
            steps=(*moving, *still),
            entries=tuple(
                entry(wanted, steps)
                for group, steps in ((self.page.wanted, moving), (self.page.plain, still))
                for wanted in group
                if written >= {*wanted.results}
            ),
            parameters=dict(model.parameters),
            runtime=runtime,
            slots=tree.slots,
            chains=self.chains,
        )

    def _segmented(self) -> Iterator[Step]:
        """All steps of the dynamics."""
        starts = [*(x for chain in self.chains for x in self.starts(chain))]
        starts += [x for chain in self.chains for x in self.at_rest(chain)]
        yield Map("starts", "segments without bodies", tuple(starts))
        moving = [step for step in self.dynamic if step.name in self.page.moving]
        for step in self.dynamic:
            if step is moving[0] if moving else False:
                for each in moving:
                    yield from self.turned(each)
            found = [self.templates[step.name, chain] for chain in self.chains]
            if step.name in self.page.moving:
                yield from self.moved(step)
            elif any(template.inward for template in found):
                yield from self.inward(step)
            elif any(template.outward for template in found):
                yield from self.accelerated(step)
            else:
                yield from self.mapped(step)

    def _plain(self) -> Iterator[Step]:
        """The steps of what stays as the page has it, with arrays of their own."""
        used = {name for wanted in self.page.plain for name in entry(wanted, self.steps).steps}

        def own(place: Binding) -> Binding:
            work = isinstance(place, Place | Ref) and place.array not in self.caller
            return replace(place, array=f"{place.array}_plain") if work else place

        for step in self.steps:
            if step.name in used:
                walk = Walk.of(step.calls)
                units = [tuple(_renamed(action, own) for action in x) for x in walk.units]
                calls = replace(walk, units=units)
                yield replace(step, name=f"plain_{step.name}", calls=calls)

    def _arrays(self, steps: Iterable[Step]) -> Iterator[Array]:
        """The work arrays that steps write, each over the set that its members are of."""
        found = set(self.caller)
        for step in steps:
            walk = Walk.of(step.calls)
            for action in (x for kind in dict.fromkeys(walk.kinds) for x in walk.units[kind]):
                for port in action.kernel.outputs:
                    place = action.writes.get(port.name)
                    if place is not None and place.array not in found:
                        found.add(place.array)
                        index_set = self._index_set(walk, place)
                        yield Array(place.array, index_set, replace(port, name=place.array))

    def _index_set(self, walk: Walk, place: Place | Ref) -> str:
        """The index set of what is written there."""
        if isinstance(place, Place):
            return walk.relations[place.relation].index_set
        if place.array.endswith("_row"):
            return "rows"
        if place.array == "turned":
            return "slots"
        return "segments" if place.member in self.segments else "single"


def _renamed(action: Action, own: Callable[[Binding], Binding]) -> Action:
    """An action with other arrays."""
    reads = {port: own(bound) for port, bound in action.reads.items()}
    writes = {port: own(place) for port, place in action.writes.items()}
    return replace(action, reads=reads, writes=writes)
