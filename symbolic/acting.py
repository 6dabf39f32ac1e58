"""What acts on bodies from outside the tree: the calls of loads, bonds and a moving base."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp

from ..model import GROUND, End, Hinge, Model
from ..model.types import TIME, Load, exact_expression, parameter
from . import actingkernels as kernels
from .constants import axes_of, column
from .laws import inside, settled
from .plan import Plan
from .program import Array, Call, Port, Ref
from .space import Space

Reads = dict[str, Ref | sp.Matrix]


def symbols(model: Model) -> Reads:
    """The time and all parameters, by the names that they have inside kernels."""
    reads: Reads = {inside(n).name: sp.Matrix([parameter(n)]) for n in model.parameters}
    return reads | {TIME.name: Ref(TIME.name, "")}


class Ground:
    """The ground's place and motion: what a link's are to those that hang on it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        d, space = model.dimension, Space(model.dimension)
        self.gravity = column(model.gravity)
        self._at: Mapping[str, sp.Matrix] = {
            "A": sp.eye(d),
            "x": sp.zeros(d, 1),
            "vl": sp.zeros(d, 1),
            "w": sp.zeros(space.spins, 1),
            "acc": sp.Matrix.vstack(-self.gravity, sp.zeros(space.spins, 1)),
            "B": sp.zeros(d, d),
        }

    #: What the ground's values are called where it moves.
    NAMES: Mapping[str, str] = {
        "A": "Ag",
        "x": "xg",
        "vl": "vg",
        "w": "wg",
        "acc": "accg",
        "B": "Bg",
    }

    def at(self, array: str) -> Ref | sp.Matrix:
        """The ground's value of a link's array."""
        return self._at[array] if self.model.base is None else Ref(self.NAMES[array], "")

    def calls(self) -> Iterable[Call]:
        """The motion of the base, if there is one."""
        if self.model.base is None:
            return
        d, spins = self.model.dimension, Space(self.model.dimension).spins
        position, angles = (
            tuple(settled(x) for x in given) or (sp.Integer(0),) * count
            for given, count in ((self.model.base.position, d), (self.model.base.angles, spins))
        )
        kernel = kernels.base(d, position, angles)
        known = symbols(self.model) | {"gI": self.gravity}
        reads = {port.name: known[port.name] for port in kernel.inputs}
        yield Call(kernel, "", reads, {port.name: Ref(port.name, "") for port in kernel.outputs})

    def arrays(self) -> Iterable[Array]:
        if self.model.base is not None:
            for array, name in self.NAMES.items():
                rows, cols = self._at[array].shape
                yield Array(name, "system", Port(name, rows, cols))


class Acting:
    """Loads, and the elastic hinges among the cuts (bonds)."""

    def __init__(self, plan: Plan, ground: Ground) -> None:
        self.plan = plan
        self.model = plan.model
        self.dimension = plan.model.dimension
        self.ground = ground
        self.bonds = [hinge for hinge in plan.cuts if hinge.kind == "elastic"]
        self.loads = self.model.loads

    @property
    def needed(self) -> tuple[str, ...]:
        """The steps that must come before those of loads and bonds."""
        if self.bonds:
            return ("places", "velocities")
        return ("places",) if any(load.frame == "inertial" for load in self.loads) else ()

    def on(self, body: str) -> Reads:
        """The wrenches on a body's link, as the kernels of bodies take them."""
        found = [Ref("W", load.name) for load in self.loads if load.body == body]
        for hinge in self.bonds:
            for side, end in zip("AB", hinge.ends, strict=True):
                if end.body == body:
                    found.append(Ref(f"W{side}", hinge.name))
        return {f"W_{k}": ref for k, ref in enumerate(found, start=1)}

    def side(self, end: End, side: str) -> Reads:
        """Place and motion of a body or the ground at an end, and the end's point and axes."""
        d = self.dimension
        names = (("A", "A"), ("x", "x"), ("v", "vl"), ("w", "w"))
        if end.body == GROUND:
            point = self.model.ground_point(end.point)
            known: Reads = {name: self.ground.at(array) for name, array in names}
            arm, axes = column(point.position), axes_of(point, d)
        else:
            point = self.model.body(end.body).point(end.point)
            known = {name: Ref(array, end.body) for name, array in names}
            arm, turn = self._from_origin(end.body, point.position)
            axes = turn * axes_of(point, d)
        known |= {"r": arm, "K": axes}
        return {f"{name}{side}": value for name, value in known.items()}

    def _from_origin(
        self, body: str, position: Iterable[sp.Expr | int | float]
    ) -> tuple[sp.Matrix, sp.Matrix]:
        """A place in a body from its link's origin, in link axes; the body's axes in these."""
        origin = self.model.body(body).point(self.plan.link(body).output)
        turn = axes_of(origin, self.dimension).T
        return turn * (column(position) - column(origin.position)), turn

    def calls(self) -> Iterable[Call]:
        """The wrenches of all loads and bonds."""
        named: dict[object, str] = {}
        for load in self.loads:
            yield self._load(load, named)
        for hinge in self.bonds:
            reads = self.side(hinge.ends[0], "a") | self.side(hinge.ends[1], "b")
            writes = {"V": Ref("Vb", hinge.name)}
            writes |= {name: Ref(name, hinge.name) for name in ("WA", "WB")}
            yield Call(
                kernels.bond(self.dimension), hinge.name, reads | self._constants(hinge), writes
            )

    def _load(self, load: Load, named: dict[object, str]) -> Call:
        d, space = self.dimension, Space(self.dimension)
        force, moment = (
            tuple(settled(x) for x in given) or (sp.Integer(0),) * count
            for given, count in ((load.force, d), (load.moment, space.spins))
        )
        body = self.model.body(load.body)
        position = body.point(load.point).position if load.point else body.centre
        arm, turn = self._from_origin(load.body, position)
        label = named.setdefault((load.frame, force, moment), load.name)
        kernel = kernels.load(label, d, load.frame, force, moment)
        known = symbols(self.model) | {"A": Ref("A", load.body), "K": turn, "r": arm}
        reads = {port.name: known[port.name] for port in kernel.inputs}
        return Call(kernel, load.name, reads, {"W": Ref("W", load.name)})

    def _constants(self, hinge: Hinge) -> Reads:
        d, n = self.dimension, Space(self.dimension).motion
        k, c = (column(x or (0,) * n) for x in (hinge.stiffness, hinge.damping))
        rest = column(hinge.rest or (0,) * 3)
        known: Reads = {"k": k, "c": c, "p0": rest[:d, :]}
        if d == 2:
            cos, sin = sp.cos(rest[2]), sp.sin(rest[2])
            known["rest"] = sp.Matrix([[cos, -sin], [sin, cos]])
        return known

    def bond_loads(self) -> Iterable[Call]:
        """Loads at the bonds, as at the cuts."""
        for hinge in self.bonds:
            side, end = reported(hinge)
            place = self.side(end, "")
            reads: Reads = {"A": place["A"], "arm": place["r"]}
            reads["W"] = Ref(f"W{'AB'[side]}", hinge.name)
            writes = {"load": Ref("loads", str(end))}
            yield Call(kernels.bond_load(self.dimension), hinge.name, reads, writes)

    def arrays(self) -> Iterable[Array]:
        n = Space(self.dimension).motion
        if self.loads:
            yield Array("W", "applied", Port("W", n))
        if self.bonds:
            for name, rows in (("WA", n), ("WB", n), ("Vb", 1)):
                yield Array(name, "bonds", Port(name, rows))

    def sets(self) -> dict[str, tuple[str, ...]]:
        """The index sets of loads and bonds."""
        found = {"applied": tuple(load.name for load in self.loads)}
        found["bonds"] = tuple(hinge.name for hinge in self.bonds)
        return {name: members for name, members in found.items() if members}

    def laws(self) -> Iterable[sp.Expr]:
        """All that may depend on the time."""
        base = self.model.base
        for given in (
            *((*load.force, *load.moment) for load in self.loads),
            *([(*base.position, *base.angles)] if base else []),
        ):
            yield from map(exact_expression, given)


def reported(hinge: Hinge) -> tuple[int, End]:
    """The end of a cut hinge whose loads are reported: the child's, or the parent's."""
    return (0, hinge.ends[0]) if hinge.ends[1].body == GROUND else (1, hinge.ends[1])
