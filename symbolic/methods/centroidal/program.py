"""A system's centre of mass, its Jacobian, and the centroidal momentum matrix (`centroidal`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from ...language.program import (
    Array,
    Call,
    Kernel,
    Map,
    Port,
    Program,
    Ref,
    Step,
    Sweep,
    given,
    result,
)
from ...language.slices import Wanted
from ...language.walk import Binding
from ...plans.plan import Link, Plan
from ...tree import steps as shared
from ...tree.joint import BY_SPEED
from ...tree.loops import condition_arrays
from ..closed.kernels import composite, gathered
from ..frames.framed import Framed, accelerations, motion, screwed
from . import kernels

#: Results of the system, with their lengths; and those by speed.
OF_SYSTEM = {"com": 3, "com_velocity": 3, "com_acceleration": 3, "momentum": 6}
COLUMNS = {"com_jacobian": 3, "com_jacobian_rate": 3, "matrix": 6, "matrix_rate": 6}


class Massive(Framed):
    """The links of a tree with their inertias about the inertial origin."""

    by_speed: ClassVar[Mapping[str, str]] = {
        **BY_SPEED,
        "AG": "matrix",
        "JC": "com_jacobian",
        "AGd": "matrix_rate",
        "JCd": "com_jacobian_rate",
    }

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, ())

    def reads(self, name: str, link: Link) -> Binding | None:
        """The mass and the centre are the system's."""
        return Ref(name, "") if name in ("mass", "c", "cd") else super().reads(name, link)


def steps_of(tree: Massive) -> Iterator[Step]:
    """The whole method."""
    freedom = tree.freedom

    def inertia(link: Link) -> Iterator[Kernel]:
        yield composite.at(tree, link)

    def carried(link: Link) -> Iterator[Kernel]:
        yield kernels.carried.at(tree, link)

    def rates(link: Link) -> Iterator[Kernel]:
        yield gathered.at(tree, link, variant="printed")

    def columns(link: Link) -> Iterator[Kernel]:
        if freedom(link):
            yield kernels.columns.at(tree, link)

    def column_rates(link: Link) -> Iterator[Kernel]:
        if freedom(link):
            yield kernels.column_rates.at(tree, link)

    yield from motion(tree)
    yield accelerations(tree)
    yield from screwed(tree)
    yield Sweep("inertias", "inertias, tips to root", tree.inward(inertia))
    yield Sweep("carried", "momenta, tips to root", tree.inward(carried))
    yield Sweep("changing", "rates of inertias, tips to root", tree.inward(rates))
    yield Map("whole", "centre of mass and momentum", (total(tree),))
    yield Map("columns", "momenta of every speed", tree.inward(columns))
    yield Map("column_rates", "rates of these momenta", tree.inward(column_rates))
    yield from shared.gaps(tree)
    yield from shared.slopes(tree)
    yield shared.poses(tree)
    yield shared.rates(tree)
    yield from shared.retraction(tree)


def total(tree: Massive) -> Call:
    """What the roots carry, put together."""
    roots = [link.name for link in tree.plan.roots]
    kernel = kernels.whole.of(dimension=tree.dimension, roots=len(roots))
    reads = {
        f"{array}_{k}": Ref(array, root)
        for k, root in enumerate(roots, start=1)
        for array in ("Mc", "P", "push")
    }
    return Call(kernel, "", reads, {port.name: Ref(port.name, "") for port in kernel.outputs})


def centroidal_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
) -> Program:
    """Centre of mass and centroidal momentum of all bodies, their Jacobians and the rates.

    `runtime` names the model parameters that stay arguments; `forced` and `loaded`
    change nothing.

    Shape
        Arguments `q`, `v`, `ad` (per speed its derivative) and `t` (if anything depends on the
        time); results `com`, `com_velocity`, `com_acceleration` (3), `momentum` (6: moment about
        the centre of mass, then momentum), and per speed the columns of `com_jacobian` and
        `com_jacobian_rate` (3), `matrix` and `matrix_rate` (6). With loops also `phi`, `phid` and
        `J`, see `joint_program`; columns are those of the tree's speeds.
    Frame
        Inertial axes. Accelerations are true ones, without gravity. Of driven hinges and a moving
        base there are no columns; rotors' own spins count nothing.
    Raises
        UsageError: the model has beams.
    Source
        Screw paper (36), (38); sums over links are own.
    """
    tree = Massive(plan)
    steps, arrays = steps_of(tree), caller_arrays(tree)
    return tree.program("centroidal", "centre of mass", steps, arrays, ENTRIES, runtime)


#: What a caller may ask for.
ENTRIES = (
    *(Wanted(f"centroidal_{name}", f"{name} of all bodies", (name,)) for name in OF_SYSTEM),
    *(Wanted(f"centroidal_{name}", f"{name} of all bodies", (name,)) for name in COLUMNS),
    shared.CONSTRAINTS,
    shared.JACOBIAN,
    shared.POSES,
    shared.RATES,
    shared.RETRACT,
)


def caller_arrays(tree: Massive) -> Iterator[Array]:
    """The arguments and results of the method."""
    yield from tree.arguments()
    yield given("ad", "speeds")
    for name, rows in OF_SYSTEM.items():
        yield result(name, "system", rows)
    for name, rows in COLUMNS.items():
        yield result(name, "speeds", rows)
    for name, rows in (("mass", 1), ("c", tree.dimension), ("cd", tree.dimension)):
        yield Array(name, "system", Port(name, rows))
    yield from (x for x in shared.RESULTS if x.name != "energy")
    yield from tree.outer_arrays()
    yield from condition_arrays(tree.loops)
