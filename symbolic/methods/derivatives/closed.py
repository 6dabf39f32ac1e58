"""Derivatives of the accelerations of closed loops by way of inverse dynamics.

Of M a + h + Jᵀ μ = τ and J a + ψ = 0 along a direction, with a and μ held,

    M ∂a + Jᵀ ∂μ = ∂τ − ∂(M a + h + Jᵀ μ),   J ∂a = −∂(J a + ψ),

where what is on the right are the tangents of inverse dynamics and of the conditions' second rates,
columns of cheap recursions. On the left is the system of the accelerations themselves. The Riccati
recursion has eliminated it, with the loops where they close; a direction is one more bias in it,
forces in the hinges and second rates of the cuts, which goes through what is eliminated already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

import sympy as sp

from ....errors import UsageError
from ....model import GROUND, Hinge, Model
from ....model.expressions.quantities import exact_expression
from ...language.program import (
    Array,
    Call,
    Map,
    Output,
    Port,
    Program,
    Ref,
    Step,
    Sweep,
    named,
)
from ...language.slices import derived_arrays
from ...language.tangent import Binding, Tangents, changed
from ...mechanics.constants import column
from ...mechanics.traced import Traced
from ...plans.plan import Plan
from ...tree import inverse_kernels
from ...tree.closing import kernels as closing_kernels
from ...tree.conditions import bearing, coupled
from ...tree.joint import Joint
from ..inverse.program import inverse_program
from ..riccati.joint import joint_program
from . import closed_kernels, kernels
from .tangents import Columns, assembled, gathered, seeds
from .varied import drives, renamed

#: What inverse dynamics computes before its recursion, in order.
BEFORE = ("base", "relatives", "forces", "spins", "places", "velocities", "prescribed")

#: Where inverse dynamics at the accelerations and multipliers keeps what the recursion has too.
AGAIN = {"ad": "a", **{name: f"{name}a" for name in ("acc", "B", "lam", "lt")}, "tau": "need"}

#: Legs that are alike are one loop, from three on: what they save in text counts more than the
#: zeros of the first one, which may stand along an axis.
REPEATS = 3


def closed_takes(model: Model) -> bool:
    """Is there a way by inverse dynamics: loops of rigid bodies under their hinges' forces?

    Couplings alone are conditions too, but cost less as tangents of the recursion; their ratios
    must be numbers.
    """
    mimics = [hinge.mimic for hinge in model.hinges if hinge.mimic]
    bent = any(x.law is not None or exact_expression(x.ratio).free_symbols for x in mimics)
    apart = model.loads or model.forces or model.controlled or bent
    if not model.cuts or model.absolute or model.beams or apart:
        return False
    borne = bearing(model)
    return any(x.demands for x in borne) and not any(x.acts for x in borne)


def closed_derivatives(plan: Plan, *, runtime: tuple[str, ...] = ()) -> Program:
    """The derivatives of the accelerations of closed loops by way of inverse dynamics.

    Shape
        As of `tangent_program`.
    Raises
        UsageError: there is no loop, or beams, loads on bodies, or a force in a cut hinge.
    Source
        own
    """
    if not closed_takes(plan.model):
        raise UsageError(f"{plan.model.name}: there is no way of closed loops")
    inverse = inverse_program(plan, runtime=runtime)
    dynamics = joint_program(plan, runtime=runtime, forced=True, loaded=False)
    columns, tangents = Columns(len(plan.model.speeds), runtime), Tangents()
    tangents.parameters = columns.parameter()
    seeded = tuple(seeds(inverse, tangents, columns))
    for ref in inverse.refs("tau"):
        tangents.active.pop(ref, None)  # here a result
    tree = Closed(plan, inverse, columns, tangents)
    solved = Tangents(kept=True)
    steps = (
        Map("directions", "directions of the coordinates", seeded),
        *tree.steps(inverse, dynamics, solved),
    )
    declared = {**inverse.arrays, **dynamics.arrays, **named(tree.arrays(dynamics))}
    arrays = declared | named(derived_arrays(steps, declared, tree.set_of))
    whole = replace(dynamics, sets={**inverse.sets, **dynamics.sets, **tree.sets}, arrays=arrays)
    gather = Output(
        "gather",
        "derivatives of the accelerations",
        tuple(gathered(whole, solved, columns, "a")),
    )
    every = (*steps, gather)
    made = assembled(whole, every, columns, looped=[step.name for step in every])
    return replace(made, repeats=REPEATS)


class Closed(Joint):
    """The links of a tree with what varies of them, and the conditions that close its loops."""

    def __init__(self, plan: Plan, inverse: Program, columns: Columns, tangents: Tangents) -> None:
        super().__init__(plan, forced=False)
        self.recursion = tuple(
            tuple(inverse.step(x).calls) for x in ("outward", "inward", "needed")
        )
        self.directions, self.tangents = columns, tangents

    def arrays(self, dynamics: Program) -> Iterator[Array]:
        """Those of right-hand sides, and of inverse dynamics at given accelerations."""
        width, links, cuts = self.directions.count, self.sets["links"], self.sets["cuts"]
        for f in sorted({*map(self.freedom, self.links)} - {0}):
            yield replace(dynamics.arrays[f"T{f}"], name=f"Tf{f}")
            wide = ((0, width),) * len(links)
            yield Array(f"push{f}", "links", Port(f"push{f}", f), columns=wide)
        for m in sorted({*self.loops.cut_widths}):
            wide = ((0, width),) * len(cuts)
            yield Array(f"opens{m}", "cuts", Port(f"opens{m}", m), columns=wide)
        last = (x for x in self.loops.closings.rounds[GROUND] if not x.left)
        for m in sorted({sum(self.loops.widths[i] for i in x.closed) for x in last}):
            port = Port(f"inverse{m}", m, m, symmetric=True)
            yield Array(port.name, "closings", port)
        yield Array("psia", "conditions", Port("psia"))
        yield Array("need", "speeds", Port("need"))

    # The method

    def steps(self, inverse: Program, dynamics: Program, solved: Tangents) -> Iterator[Step]:
        """The whole method: accelerations, inverse dynamics of them, what its tangents answer to.

        `solved` gets how the accelerations vary.
        """
        known = {step.name: step for step in inverse.steps}
        entry = next(x for x in dynamics.entries if x.name == "accelerations")
        forced = {f"T{f}": f"Tf{f}" for f in range(1, 2 * self.dimension + 1)}
        solving = [
            replace(x, calls=tuple(renamed(call, forced) for call in x.single_calls()))
            for x in map(dynamics.step, entry.steps)
            if x.name == "forces" or x.name not in BEFORE
        ]
        for name in BEFORE:
            if name in known:
                yield replace(known[name], calls=tuple(self._both(known[name].calls)))
        names = {"forces": "forces_and_tau", "inward": "eliminated", "outward": "accelerations"}
        for step in solving:
            solved_for = tuple(chain.from_iterable(map(_by_inverse, step.calls)))
            yield replace(step, name=names.get(step.name, step.name), calls=solved_for)
        again = [tuple(self._both(calls)) for calls in self._again(known.get("openings"))]
        yield Sweep("accelerated", "motions with the accelerations", again[0])
        yield Map("felt", "conditions and wrenches of the cuts", again[1])
        yield Sweep("borne", "wrenches with the accelerations", again[2])
        yield Map("needed", "forces that the accelerations need", again[3])
        sides = tuple(self._known(solved))
        clears = tuple(dict.fromkeys(ref.array for x in sides for ref in x.writes.values()))
        yield Map("known", "right-hand sides", sides, clears=clears)
        for step in solving:
            own = (_by_inverse(call)[-1] for call in step.calls)
            calls = tuple(x for call in own for x in solved.of(call))
            if step.name not in ("forces", "openings"):
                yield replace(step, name=f"{step.name}_varied", calls=calls)

    def _both(self, calls: Iterable[Call]) -> Iterator[Call]:
        for call in calls:
            yield call
            yield from self.tangents.of(call)
            yield from self._filled(call)

    def _filled(self, call: Call) -> Iterator[Call]:
        """Zeros between the directions along which what a call gives varies: they are one loop."""
        ports = {port.name: port for port in call.kernel.outputs}
        for name, ref in call.writes.items():
            active, port = self.tangents.active.get(ref, {}), ports[name]
            for block in map(self.directions.of, (0, 1)):
                own = [k for k in block if k in active]
                for k in range(own[0], own[-1]) if own else ():
                    if k not in active and not port.symmetric:
                        active[k] = changed(ref, k)
                        made = kernels.still.of(dimension=2, rows=port.rows, cols=port.cols)
                        yield Call(made, call.member, {}, {"value": active[k]})

    def _known(self, solved: Tangents) -> Iterator[Call]:
        """What varies of forces in hinges and of second rates of cuts, direction by direction."""
        taus = self.directions.of(2)
        number = {name: k for k, name in enumerate(self.model.speeds)}
        for link in self.links:
            speeds, f = self.speeds(link), self.freedom(link)
            if f:
                needs = [Ref("need", name) for name in speeds]
                own = solved.active.setdefault(Ref(f"Tf{f}", link.name), {})
                target = Ref(f"push{f}", link.name)
                yield from self._packed(closed_kernels.pushed, needs, target, own)
                for j, u in enumerate(speeds):
                    made = closed_kernels.unit.of(dimension=self.dimension, count=f, place=j)
                    ref = replace(target, column=taus[number[u]])
                    yield Call(made, link.name, {}, {made.outputs[0].name: ref})
        for i, (hinge, m) in enumerate(zip(self.loops.cuts, self.loops.cut_widths, strict=True)):
            rates = [Ref("psia", name) for name in self.loops.names_of(i)]
            own = solved.active.setdefault(Ref(f"bias{m}", hinge.name), {})
            target = Ref(f"opens{m}", hinge.name)
            yield from self._packed(closed_kernels.opens, rates, target, own)

    def _packed(
        self, kernel: Traced, parts: list[Ref], target: Ref, own: dict[int, Binding]
    ) -> Iterator[Call]:
        """By direction the tangents of these numbers as one column, which is active then."""
        found = [self.tangents.active.get(ref, {}) for ref in parts]
        for k in sorted({k for each in found for k in each}):
            reads: dict[str, Binding] = {
                f"x_{j}": each.get(k, sp.zeros(1, 1)) for j, each in enumerate(found, 1)
            }
            made = kernel.of(dimension=self.dimension, count=len(parts))
            ref = replace(target, column=k)
            yield Call(made, target.member, reads, {made.outputs[0].name: ref})
        own |= {k: replace(target, column=k) for k in range(self.directions.count)}

    def _again(self, openings: Step | None) -> Iterator[Iterable[Call]]:
        """Inverse dynamics at the accelerations and multipliers that there are, part by part."""
        outward, inward, needed = (
            [renamed(call, AGAIN) for call in calls if not drives(call)] for calls in self.recursion
        )
        yield outward
        cuts = openings.calls if openings else ()
        yield (*map(self._felt, cuts), *self._coupled())
        yield (self._borne(call) for call in inward)
        yield needed

    def _sides(self, hinge: Hinge) -> dict[str, str]:
        """The bodies that a cut hinge joins, by its sides; not the ground."""
        ends = zip("AB", hinge.ends, strict=True)
        return {side: end.body for side, end in ends if end.body != GROUND}

    def _felt(self, opening: Call) -> Call:
        """A cut hinge's conditions and wrenches, from what its columns are made of."""
        i = next(k for k, hinge in enumerate(self.loops.cuts) if hinge.name == opening.member)
        sides = self._sides(self.loops.cuts[i])
        names = self.loops.names_of(i)
        kernel = closed_kernels.felt.at(None, opening.kernel.facts["cut"], sides="".join(sides))
        reads, writes = dict(opening.reads), dict[str, Ref]()
        for j, name in enumerate(names, 1):
            reads[f"mu_{j}"] = Ref("mu", name)
            writes[f"psi_{j}"] = Ref("psia", name)
        for side, body in sides.items():
            reads[f"acc{side}"] = Ref("acca", body)
            writes[f"W{side}"] = Ref(f"W{side}", opening.member)
        return Call(kernel, opening.member, reads, writes)

    def _borne(self, call: Call) -> Call:
        """A wrench that takes what cuts exert as known."""
        held = [
            Ref(f"W{side}", hinge.name)
            for hinge in self.loops.cuts
            for side, body in self._sides(hinge).items()
            if body == call.member
        ]
        if not held or "lam" not in call.writes:
            return call
        inputs = len(self.plan.link(call.member).inputs)
        kernel = inverse_kernels.wrench.of(
            dimension=self.dimension,
            input_count=inputs,
            push_count=len(held),
            cuts=(),
            loaded=False,
        )
        known = {**call.reads, **{f"W_{k}": ref for k, ref in enumerate(held, 1)}}
        return replace(call, kernel=kernel, reads={p.name: known[p.name] for p in kernel.inputs})

    def _coupled(self) -> Iterator[Call]:
        """The second rates of couplings: what the accelerations of their hinges give."""
        hinges = {hinge.name: hinge for hinge in self.model.hinges}
        for hinge in self.loops.couplings:
            assert hinge.mimic is not None
            speeds = [self.model.hinge_speeds(hinges[x])[0] for x in coupled(hinge)]
            reads: dict[str, Binding] = {f"a_{j}": Ref("a", u) for j, u in enumerate(speeds, 1)}
            reads["ratio"] = column([hinge.mimic.ratio])
            writes = {"psi": Ref("psia", hinge.name)}
            yield Call(
                closed_kernels.coupled_rate.of(dimension=self.dimension), hinge.name, reads, writes
            )


def _by_inverse(call: Call) -> tuple[Call, ...]:
    """What closes last by its Ψ, which directions need too; other calls as they are."""
    return (_inverted(call), _answered(call)) if {*call.writes} == {"tc"} else (call,)


def _inverted(call: Call) -> Call:
    """Ψ of a closing that has none."""
    facts = call.kernel.facts
    made = closing_kernels.inverted.of(
        dimension=facts["dimension"], closed=facts["closed"], carried=facts["carried"]
    )
    reads = {port.name: call.reads[port.name] for port in made.inputs}
    return Call(made, call.member, reads, {"Wc": _inverse(call)})


def _answered(call: Call) -> Call:
    """A closing by its Ψ."""
    facts = call.kernel.facts
    asked = {word: facts[word] for word in ("closed", "widths", "couplings", "bent")}
    made = closing_kernels.answered.of(dimension=facts["dimension"], **asked)
    known = {**call.reads, "Wc": _inverse(call)}
    return replace(call, kernel=made, reads={port.name: known[port.name] for port in made.inputs})


def _inverse(call: Call) -> Ref:
    return Ref(f"inverse{call.kernel.facts['closed']}", call.member)
