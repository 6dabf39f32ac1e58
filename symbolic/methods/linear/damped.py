"""Small damped motions about rest at a complex frequency s, as a program (`damped`).

The sweeps are those of `linear` with ω² = −s²: laws add s times their slopes along speeds, what
spins a gyroscopic moment, and nothing needs to have an energy, so that the stiffness is symmetric
where it happens to be. All that depends on s is complex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import sympy as sp

from ....model import GROUND, Beam, Body, Force, Hinge, Model
from ....model.expressions.domains import slope
from ....model.expressions.quantities import exact_expression
from ....model.parts.forces import Load
from ...language.program import Array, Call, Map, Program, Ref, Step, given, result
from ...language.slices import Wanted
from ...language.walk import Binding
from ...mechanics import laws
from ...mechanics.hinges import tidy
from ...plans.plan import Link, Plan
from ...plans.plan import plan as planned
from . import kernels
from .bearings import Bearing
from .cells import in_cells
from .fed import Fed
from .feeding import feeding
from .program import CELLS, at_rest, of_rest, steps_of
from .refused import see_carried, see_local
from .resting import Resting, without_drag

#: Steps of `linear` that its modes alone ask for.
UNDAMPED = ("cell_slopes", "stretched", "cuts_stretched")

#: The amplitudes along speeds, as results call them; s is the frequency.
ALONG = "eta"


#: What laws at held ends of cells are made of, and the attribute of `Bearing`.
OF_LAW = {"Kg": "stiffness", "Cg": "viscous", "Pg": "by_place", "Rg": "turn"}
_OF_LAW = re.compile(r"(Kg|Cg|Pg)0_\d+|Rg0")


class Damped(Resting):
    """The links of a tree at rest, moving at a complex frequency."""

    phased = True
    of_held = Bearing
    #: What resists the velocities of points, by the names of loads there that are none.
    drags: Mapping[str, sp.Expr]
    by_speed: ClassVar[Mapping[str, str]] = {**Resting.by_speed, "eta": ALONG}

    @cached_property
    def even(self) -> bool:  # type: ignore[override]
        """Does nothing spin, and have all laws and loads symmetric slopes?"""
        if self.fed or any(self.spins(link) or self.spun(link) for link in self.links):
            return False
        for load in self.model.loads:
            couple = self.dimension == 3 and any(exact_expression(x) != 0 for x in load.moment)
            if load.frame == "body" or couple:
                return False
        if not all(isinstance(x, Bearing) and x.even for x in self.tips.values()):
            return False
        moving = [self.hinge(link) for link in self.links if self.freedom(link)]
        slopes = (x for hinge in (*moving, *self.open) for x in self.slopes(hinge))
        return not any(any(tidy(sp.Matrix(x - x.T))) for x in slopes)

    def feeding(self) -> list[Fed]:
        return [*feeding(self)]

    def spins(self, link: Link) -> bool:
        return isinstance(link.body, Body) and exact_expression(link.body.spin) != 0

    def borne(self, link: Link) -> Mapping[str, bool]:
        held = self.tips.get(link.name)
        if not isinstance(held, Bearing) or held.constant:
            return {}
        return {"placed": any(held.by_place), "viscous": any(held.viscous)}

    def to_ground(self, force: Force) -> bool:
        bodies = [end.body for end in force.ends if end.body != GROUND]
        return len(force.ends) == 2 and len(bodies) == 1 and bodies[0] not in self.sections

    def relaxed(self, link: Link) -> bool:
        return isinstance(link.body, Beam) and (link.body.damping, link.body.loss) != (0, 0)

    def spun(self, link: Link) -> bool:
        return isinstance(link.body, Beam) and link.body.spin != 0

    def slopes(self, hinge: Hinge) -> tuple[sp.ImmutableMatrix, sp.ImmutableMatrix]:
        if hinge.name not in self._slopes:
            self._slopes[hinge.name] = (
                laws.working_slopes(self.dimension, hinge),
                laws.viscosity(self.dimension, hinge),
            )
        return self._slopes[hinge.name]

    @cached_property
    def _slopes(self) -> dict[str, tuple[sp.ImmutableMatrix, sp.ImmutableMatrix]]:
        return {}

    def drag(self, load: Load) -> sp.Expr:
        return self.drags.get(load.name, sp.Integer(0))

    def viscous(self, force: Force) -> sp.Expr:
        rate = slope(laws.tension(self.model, force), laws.STRETCHING)
        return rate.xreplace({laws.STRETCHING: sp.Integer(0)})

    def reads(self, name: str, link: Link) -> Binding | None:
        """The frequency, and what spins."""
        if name == "s":
            return Ref(name, "")
        if name == "hW":
            assert isinstance(link.body, Body)
            assert isinstance(link.body.inertia, tuple)
            about = exact_expression(link.body.spin) * exact_expression(link.body.inertia[0][0])
            return self.data[link.name].axes * sp.Matrix([about, 0, 0])
        if found := _OF_LAW.fullmatch(name):
            return sp.Matrix(getattr(self.tips[link.name], OF_LAW[found[0][:2]]))
        if name.startswith("kg") and self.borne(link):
            return None
        if name == "Ag" and self.borne(link).get("placed"):
            held = self.tips[link.name]
            assert isinstance(held, Bearing)
            return sp.Matrix(held.axes)
        return super().reads(name, link)

    def set_of(self, array: str) -> str:
        return "system" if array == "omega2" else super().set_of(array)


def damped_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    cells: int = CELLS,
) -> Program:
    """Small damped motions about rest at complex frequencies: determinant and harmonic response.

    `runtime`, `forced`, `loaded` and `cells` as of `linear`. All moves as the real part of its
    amplitude times e^(s t).

    Shape
        Arguments `q` (where the model rests), `v` (unused), `s` (complex), with closed loops `cut`
        as of `linear`, and of the response complex amplitudes: if forced `tau` (per speed) and if
        loaded `f` (per body force at its centre of mass, then couple). Results of `determine`:
        `logdet`, log |Δ| of Δ = det(K + s C + s² M) in the hinges' displacements, with closed loops
        times what the ties make of it; `angle`, that of Δ up to whole turns; `pivot`, below all
        parts that are left of what pivots are made of; `below`, how many pivots have a negative
        real part, which at s = iω without damping counts negative eigenvalues. Results of
        `respond`, complex: `u` (per body the displacement of its centre of mass, then its rotation)
        and `eta` (per speed). Of cells `f`, `u` are at their ends on the root side, `fe`, `ue` the
        same on the tip side, per cell. Results of `exert`: `load`, the wrenches of hinges on bodies
        beyond rest, in inertial axes, and `lI`, of cells λ at their ends I, in axes of their beams.
    Units
        Those of the speeds times s; s in 1/s.
    Frame
        `f`, `u`: inertial; `q`, `tau`, `eta`: hinge by hinge, see `Hinge`.
    Sign
        `tau` drives the hinge's child relative to its parent along the speed.
    Raises
        UsageError: the model has driven hinges, a moving base, hinges that follow others by a
            law, beams under load, loads that read the state, or laws that read sensors at beams.
    Source
        Own: the Riccati method with displacements in place of accelerations, at complex s.
    """
    see_carried(plan)
    model, drags = _dragged(plan.model)
    tree = Damped(planned(in_cells(model, cells)), forced, loaded)
    tree.drags = drags
    see_local(tree)
    title = "linear transfer matrix method at a complex frequency"
    made = tree.program("damped", title, _steps(tree), _arrays(tree), _entries(tree), runtime)
    # Of complex numbers the text is long: cells are a loop where two of them are alike.
    return replace(made, repeats=2) if plan.model.beams else made


def _dragged(model: Model) -> tuple[Model, Mapping[str, sp.Expr]]:
    """The model with loads of no force in the place of media at rest; what these resist by."""
    still, drags, loads = without_drag(model), dict[str, sp.Expr](), [*model.loads]
    for force in (x for x in model.forces if x not in still.forces):
        (end,), name = force.ends, force.name
        while any(load.name == name for load in loads):
            name += "_drag"
        loads.append(Load(name, end.body, end.point, (0,) * model.dimension))
        drags[name] = laws.settled(force.drag)
    return replace(still, loads=tuple(loads)), drags


def _steps(tree: Damped) -> Iterator[Step]:
    kernel = kernels.squared.of(dimension=tree.dimension)
    call = Call(kernel, "", {"s": Ref("s", "")}, {"omega2": Ref("omega2", "")})
    yield Map("frequency", "square of the frequency", (call,))
    yield from (step for step in steps_of(tree) if step.name not in UNDAMPED)


def _entries(tree: Damped) -> tuple[Wanted, ...]:
    told = ("logdet", "angle", "pivot", "below")
    found = ("u", ALONG, *(["ue"] if tree.model.beams else []))
    exerted = ("load", *(["lI"] if tree.model.beams else []))
    return (
        Wanted("determine", "determinant at a complex frequency", told),
        Wanted("respond", "amplitudes that harmonic loads cause", found),
        Wanted("exert", "wrenches in hinges that they cause", exerted),
        *at_rest(tree),
    )


def _arrays(tree: Damped) -> Iterator[Array]:
    n = tree.space.motion
    yield given("q", "coordinates")
    yield given("v", "speeds")
    yield given("s", "system", complex=True)
    yield from of_rest(tree)
    if tree.forced:
        yield given("tau", "speeds", complex=True)
    if tree.loaded:
        yield given("f", "bodies", n, complex=True)
    yield from (result(name, "system") for name in ("logdet", "angle", "pivot", "below"))
    yield from (result(name, "bodies", n, complex=True) for name in ("u", "load"))
    if tree.model.beams:
        if tree.loaded:
            yield given("fe", "cells", n, complex=True)
        yield from (result(name, "cells", n, complex=True) for name in ("ue", "yI", "lI"))
    yield result(ALONG, "speeds", complex=True)
    yield from tree.outer_arrays()
