"""Derivatives of the accelerations of closed loops by way of inverse dynamics.

Of M a + h + Jᵀ μ = τ and J a + ψ = 0 along a direction, with a and μ held,

    M ∂a + Jᵀ ∂μ = ∂τ − ∂(M a + h + Jᵀ μ),   J ∂a = −∂(J a + ψ),

where what is on the right are the tangents of inverse dynamics and of the conditions' second rates,
columns of cheap recursions. M is factored without fill; with X = M⁻¹ of a right-hand side and
Z = M⁻¹ Jᵀ Λ⁺, Λ = J M⁻¹ Jᵀ, the derivative is ∂a = X − Z (J X + ∂(J a + ψ)).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import sympy as sp

from ....errors import UsageError
from ....model import GROUND, Hinge, Model
from ...language.program import (
    Array,
    Call,
    Map,
    Port,
    Program,
    Ref,
    Solution,
    Step,
    Storage,
    Sweep,
    named,
)
from ...language.slices import derived_arrays
from ...language.tangent import Binding, Tangents
from ...mechanics.constants import column
from ...plans.plan import Plan
from ...tree import inverse_kernels, loop_kernels
from ...tree.conditions import bearing, coupled
from ...tree.mass_matrix import pair
from ...tree.reach import reaches
from ..inverse.program import inverse_program
from . import closed_kernels, kernels
from .tangents import Columns, assembled, derivative, seeds
from .varied import RHS, Varied, drives, entries, renamed

#: What inverse dynamics computes before its recursion, in order.
BEFORE = ("relatives", "forces", "spins", "places", "velocities", "prescribed")

#: Where the second pass, with the accelerations and multipliers, keeps what the first one has.
AGAIN = {"ad": "a", **{name: f"{name}a" for name in ("acc", "B", "lam", "lt")}, "tau": "need"}

#: Legs that are alike are one loop, from three on: what they save in text counts more than the
#: zeros of the first one, which may stand along an axis.
REPEATS = 3


def closed_takes(model: Model) -> bool:
    """Is there a way by inverse dynamics: loops of rigid bodies under their hinges' forces?

    Couplings alone are conditions too, but cost less as tangents of the recursion.
    """
    bent = any(hinge.mimic and hinge.mimic.law is not None for hinge in model.hinges)
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
    program = inverse_program(plan, runtime=runtime)
    columns, tangents = Columns(len(plan.model.speeds), runtime), Tangents()
    tangents.parameters = columns.parameter()
    seeded = tuple(seeds(program, tangents, columns))
    for ref in program.refs("tau"):
        del tangents.active[ref]  # here a result
    tree = Closed(plan, program, columns, tangents)
    steps = tuple(tree.steps(program, seeded))
    own = {x: replace(program.arrays[x], storage=Storage.WORK, owner="") for x in ("M", "J")}
    declared = {**program.arrays, **own, **named(tree.arrays())}
    arrays = declared | named(derived_arrays(steps, declared, tree.set_of))
    whole = replace(program, sets={**program.sets, **tree.sets}, arrays=arrays)
    made = assembled(whole, steps, columns, looped=[step.name for step in steps])
    return replace(made, repeats=REPEATS)


class Closed(Varied):
    """The links of a tree with what varies of them, and the conditions that close its loops."""

    def __init__(self, plan: Plan, program: Program, columns: Columns, tangents: Tangents) -> None:
        super().__init__(plan, program, columns, tangents)
        self.names = self.loops.conditions
        #: By condition the speeds that open it.
        self.opening: dict[str, list[str]] = {name: [] for name in self.names}
        member = {f"{n} {u}": (n, u) for n in self.names for u in self.model.speeds}
        for call in program.step("slopes").calls:
            for ref in call.writes.values() if call.reads else ():
                if ref.array == "J":
                    name, speed = member[ref.member]
                    self.opening[name].append(speed)
        self.coupled = {hinge.name for hinge in self.loops.couplings}
        roots = {link.name: plan.way(link.name)[-1] for link in self.moving}
        self.root = {u: roots[link.name] for link in self.moving for u in self.speeds(link)}

    def arrays(self) -> Iterator[Array]:
        """Those of a tree, and of rows for conditions."""
        yield from (x for x in super().arrays() if x.name not in ("M", "Y", "Z"))
        m = len(self.names)
        for name in ("Jt", "Y"):
            yield self._wide(name, "rows", m)
        yield Array("Z", "slopes", Port("Z"))
        yield self._wide("X", "rows", self.directions.count)
        yield self._wide("Lam", "conditions", m)
        yield self._wide("opens", "conditions", self.directions.count)
        for name in ("psi", "psia", "demand", "mu", "d"):
            yield Array(name, "conditions", Port(name))
        for name in ("afree", "pull"):
            yield Array(name, "speeds", Port(name))

    # The method

    def steps(self, program: Program, seeded: tuple[Call, ...]) -> Iterator[Step]:
        """The whole method, from what inverse dynamics computes."""
        known = {step.name: step for step in program.steps}
        if "base" in known:
            yield known["base"]
        yield Map("directions", "directions of the coordinates", seeded)
        for name in BEFORE:
            if name in known:
                yield replace(known[name], calls=tuple(self._both(known[name].calls)))
        yield from (known[name] for name in ("openings",) if name in known)
        for name in ("composites", "columns"):
            yield known[name]
        yield known["slopes"]
        yield Map("turned", "slopes, a column a condition", tuple(self._turned()), clears=("Jt",))
        yield Sweep("biased", "inverse dynamics without accelerations", tuple(self.biased()))
        yield Map("opened", "second rates without accelerations", tuple(self._second()))
        yield Solution("factored", "mass matrix as L D Lᵀ", tuple(self.factored()))
        yield Solution("unclosed", "accelerations of the tree", tuple(self._unclosed()))
        yield Solution(
            "yielding",
            "M⁻¹ Jᵀ, condition by condition",
            tuple(self._inverted("Jt", "Y", len(self.names))),
        )
        yield Solution("compliance", "Λ = J M⁻¹ Jᵀ", tuple(self._compliance()))
        yield Map("reaches", "how far loops can move their conditions", tuple(self._reaches()))
        yield Solution("closed", "multipliers, and M⁻¹ Jᵀ Λ⁺", (self._closed(),))
        yield Solution("held", "forces with the multipliers", tuple(self._held()))
        yield Solution("accelerations", "accelerations", (self._accelerated(),))
        again = [tuple(self._both(calls)) for calls in self._again(known.get("openings"))]
        yield Sweep("accelerated", "motions with the accelerations", again[0])
        yield Map("felt", "conditions and wrenches of the cuts", again[1])
        yield Sweep("borne", "wrenches with the accelerations", again[2])
        yield Map("needed", "forces that the accelerations need", again[3])
        filled = tuple(self._filled())
        yield Map("known", "right-hand sides", filled, clears=(RHS, "opens"))
        yield Solution(
            "tree",
            "M⁻¹ of the right-hand sides",
            tuple(self._inverted(RHS, "X", self.directions.count)),
        )
        yield Solution("solved", "derivatives of the accelerations", tuple(self._closing()))

    def _both(self, calls: Iterable[Call]) -> Iterator[Call]:
        for call in calls:
            yield call
            yield from self.tangents.of(call)

    def biased(self) -> Iterator[Call]:
        """Inverse dynamics without accelerations and multipliers."""
        for call in super().biased():
            reads = {
                n: sp.zeros(1, 1) if isinstance(x, Ref) and x.array == "mu" else x
                for n, x in call.reads.items()
            }
            yield replace(call, reads=reads)

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

    def _second(self) -> Iterator[Call]:
        """The second rates of the cuts' conditions without accelerations of the hinges."""
        loops = self.loops
        for i, (hinge, m) in enumerate(zip(loops.cuts, loops.cut_widths, strict=True)):
            sides = self._sides(hinge)
            kernel = closed_kernels.second_rate.of(
                dimension=self.dimension, width=m, sides="".join(sides)
            )
            reads: dict[str, Binding] = {"bias": Ref(f"bias{m}", hinge.name)}
            for side, body in sides.items():
                reads |= {
                    f"E{side}": Ref(f"E{side}{m}", hinge.name),
                    f"acc{side}": Ref("acc", body),
                }
            writes = {f"psi_{j}": Ref("psi", name) for j, name in enumerate(loops.names_of(i), 1)}
            yield Call(kernel, hinge.name, reads, writes)

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

    # The system

    def slope(self, name: str, speed: str) -> Ref:
        """Where a condition's slope by a speed lies."""
        return Ref("J", f"{name} {speed}")

    def row(self, speed: str) -> str:
        """The row of a speed."""
        return str(self.number[speed])

    def _turned(self) -> Iterator[Call]:
        for k, name in enumerate(self.names):
            for u in self.opening[name]:
                writes = {"value": Ref("Jt", self.row(u), k)}
                yield Call(
                    kernels.transposed.of(dimension=self.dimension),
                    name,
                    {"given": self.slope(name, u)},
                    writes,
                )

    def factored(self) -> Iterator[Call]:
        """M as L D Lᵀ."""
        reads = {
            f"M_{i + 1}_{j + 1}": Ref("M", pair(self.order[i], self.order[j]))
            for i, row in enumerate(self.pattern)
            for j in (*row, i)
        }
        writes = {port.name: Ref("LD", port.name) for port in self.factor.outputs}
        yield Call(self.factor, "M", reads, writes)

    def _unclosed(self) -> Iterator[Call]:
        reads = entries("b", [Ref("tau", name) for name in self.order])
        reads |= entries("bias", [Ref("bias", name) for name in self.order])
        yield self.substituted(True, reads, [Ref("afree", name) for name in self.order])

    def _inverted(self, array: str, target: str, columns: int) -> Iterator[Call]:
        """M⁻¹ of every column."""
        for k in range(columns):
            rows = [self.row(u) for u in self.order]
            reads = entries("b", [Ref(array, row, k) for row in rows])
            yield self.substituted(False, reads, [Ref(target, row, k) for row in rows])

    def _times(self, name: str, array: str, column: int | None, more: Binding) -> Call:
        """What a condition's slopes make of a column over the speeds, and `more`."""
        speeds = self.opening[name]
        reads: dict[str, Binding] = {"more": more}
        for i, u in enumerate(speeds, 1):
            reads[f"j_{i}"] = self.slope(name, u)
            reads[f"x_{i}"] = Ref(array, u if column is None else self.row(u), column)
        return Call(
            closed_kernels.product.of(dimension=self.dimension, terms=len(speeds)), name, reads, {}
        )

    def _compliance(self) -> Iterator[Call]:
        nothing = sp.zeros(1, 1)
        for i, name in enumerate(self.names):
            for k in range(i, len(self.names)):
                if self._meet(name, self.names[k]):
                    writes = {"value": Ref("Lam", name, k)}
                    yield replace(self._times(name, "Y", k, nothing), writes=writes)
            more = nothing if name in self.coupled else Ref("psi", name)
            writes = {"value": Ref("demand", name)}
            yield replace(self._times(name, "afree", None, more), writes=writes)

    def _meet(self, first: str, second: str) -> bool:
        """Do the speeds that open two conditions belong to one tree from the ground?"""
        roots = ({self.root[u] for u in self.opening[name]} for name in (first, second))
        return not set.isdisjoint(*roots)

    def _reaches(self) -> Iterator[Call]:
        """What the rank of the conditions is decided against, by the pivots of M."""
        pivot = {u: Ref("LD", f"inv_{i}") for i, u in enumerate(self.order, 1)}
        for i, moved in enumerate(reaches(self.loops)):
            squares = sp.Matrix.hstack(*(x.squares for x in moved))
            speeds = [u for x in moved for u in self.speeds(self.plan.link(x.link))]
            kernel = loop_kernels.reach.of(
                dimension=self.loops.dimension,
                width=self.loops.widths[i],
                freedoms=(1,) * len(speeds),
            )
            reads: dict[str, Binding] = {}
            for k, u in enumerate(speeds):
                reads |= {f"R_{k + 1}": squares[:, k], f"y_{k + 1}": pivot[u]}
            names = enumerate(self.loops.names_of(i), 1)
            yield Call(kernel, "", reads, {f"d_{j}": Ref("d", name) for j, name in names})

    def _closed(self) -> Call:
        """Multipliers, and what they answer to forces along the speeds."""
        m, n = len(self.names), len(self.number)
        kernel = closed_kernels.closed.of(dimension=self.dimension, conditions=m, speeds=n)
        nothing = sp.zeros(1, 1)
        reads: dict[str, Binding] = {}
        writes = {f"mu_{i + 1}": Ref("mu", name) for i, name in enumerate(self.names)}
        for i, name in enumerate(self.names):
            reads |= {f"demand_{i + 1}": Ref("demand", name), f"d_{i + 1}": Ref("d", name)}
            for k in range(i, m):
                met = self._meet(name, self.names[k])
                reads[f"L_{i + 1}_{k + 1}"] = Ref("Lam", name, k) if met else nothing
            roots = {self.root[u] for u in self.opening[name]}
            for u, r in self.number.items():
                reads[f"Y_{i + 1}_{r + 1}"] = (
                    Ref("Y", self.row(u), i) if self.root[u] in roots else nothing
                )
                writes[f"Z_{i + 1}_{r + 1}"] = Ref("Z", f"{name} {u}")
        return Call(kernel, "M", reads, writes)

    def _held(self) -> Iterator[Call]:
        for u in self.order:
            names = [name for name in self.names if u in self.opening[name]]
            kernel = closed_kernels.held.of(dimension=self.dimension, terms=len(names))
            reads: dict[str, Binding] = {"tau": Ref("tau", u), "bias": Ref("bias", u)}
            for i, name in enumerate(names, 1):
                reads |= {f"j_{i}": self.slope(name, u), f"mu_{i}": Ref("mu", name)}
            yield Call(kernel, u, reads, {"value": Ref("pull", u)})

    def _accelerated(self) -> Call:
        reads = entries("b", [Ref("pull", name) for name in self.order])
        return self.substituted(False, reads, [Ref("a", name) for name in self.order])

    def _filled(self) -> Iterator[Call]:
        """The right-hand sides, as far as they are not zero."""
        taus = self.directions.of(2)
        for u in self.number:
            for k, value in sorted(self.tangents.active.get(Ref("need", u), {}).items()):
                writes = {"value": self.right(u, k)}
                yield Call(kernels.needed.of(dimension=self.dimension), u, {"given": value}, writes)
            writes = {"value": self.right(u, taus[self.number[u]])}
            yield Call(kernels.constant.of(dimension=self.dimension, known=1), u, {}, writes)
        for name in self.names:
            for k, value in sorted(self.tangents.active.get(Ref("psia", name), {}).items()):
                writes = {"value": Ref("opens", name, k)}
                yield Call(
                    kernels.transposed.of(dimension=self.dimension), name, {"given": value}, writes
                )

    def _closing(self) -> Iterator[Call]:
        opening = tuple(tuple(self.number[u] for u in self.opening[n]) for n in self.names)
        kernel = closed_kernels.closing.of(
            dimension=self.dimension, opening=opening, speeds=len(self.number)
        )
        for k in range(self.directions.count):
            reads: dict[str, Binding] = {}
            for i, name in enumerate(self.names):
                reads[f"opens_{i + 1}"] = Ref("opens", name, k)
                for u in self.opening[name]:
                    reads[f"J_{i + 1}_{self.number[u] + 1}"] = self.slope(name, u)
                for u, r in self.number.items():
                    reads[f"Z_{i + 1}_{r + 1}"] = Ref("Z", f"{name} {u}")
            writes = {}
            for u, r in self.number.items():
                reads[f"X_{r + 1}"] = Ref("X", self.row(u), k)
                writes[f"a_{r + 1}"] = derivative(r, k)
            yield Call(kernel, "M", reads, writes)
