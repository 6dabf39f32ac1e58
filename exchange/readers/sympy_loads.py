"""What acts on the bodies of a SymPy system: gravity, loads, and forces of joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.physics import mechanics as me

from ...errors import ModelError
from ...model.checks.doubts import doubt
from ...model.parts.hinges import GROUND


@dataclass(frozen=True)
class Acting:
    """A force (at `position`, from the body's origin) or a moment (`position` None) on a body."""

    place: Any
    vector: Any
    position: Any
    frame: Any
    where: str


@dataclass(frozen=True)
class Law:
    """A generalised force along a coordinate of a joint."""

    coordinate: Any
    force: sp.Expr
    where: str


@dataclass(frozen=True)
class Sorted:
    """Gravity as a vector; loads on bodies; forces along the joints' coordinates."""

    gravity: Any
    loads: tuple[Acting, ...]
    laws: tuple[Law, ...]


def sorted_loads(system: me.System, places: Mapping[int, Any], time: sp.Symbol) -> Sorted:
    """The loads and actuators of a system, each where a model has it.

    Raises
        ModelError: names a load whose point or frame is fixed in no body.
    Source
        Generalised force of a self-equilibrated pair on the bodies of a joint: its power in
        the motion of the child against the parent.
    """
    gravity, rest = _gravity(system, places)
    bodies = _Bodies(system, places, time)
    groups = [(f"load {load}", [load]) for load in rest]
    groups = _paired(groups, bodies)
    groups += [(f"actuator {actuator}", actuator.to_loads()) for actuator in system.actuators]
    loads: list[Acting] = []
    laws: list[Law] = []
    for where, group in groups:
        placed = [bodies.placed(load, where) for load in group]
        placed = [acting for acting in placed if acting.place.name != GROUND]
        joint = None if all(map(bodies.is_steady, placed)) else bodies.joint(placed)
        if joint is None:
            loads += map(bodies.expressed, placed)
        else:
            laws += bodies.laws(placed, where, *joint)
    return Sorted(gravity, tuple(loads), tuple(laws))


def _gravity(system: me.System, places: Mapping[int, Any]) -> tuple[Any, list[Any]]:
    """The acceleration that all centres of mass have alike, and the loads that are not of it."""
    heavy = [body for body in system.bodies if places[id(body)].name != GROUND and body.mass != 0]
    weights = {
        id(body): [
            x for x in system.loads if isinstance(x, me.Force) and x.point == body.masscenter
        ]
        for body in heavy
    }
    for load in weights[id(heavy[0])] if heavy else ():
        weight = load.vector.to_matrix(system.frame)
        a = (weight / heavy[0].mass).applyfunc(sp.cancel)
        if me.find_dynamicsymbols(a) or system.frame.x is None:
            continue
        found = [
            next((x for x in weights[id(body)] if _is_weight(x, body, a, system.frame)), None)
            for body in heavy
        ]
        if None not in found:
            others = [x for x in system.loads if all(x is not y for y in found)]
            grounded = [b.masscenter for b in system.bodies if places[id(b)].name == GROUND]
            others = [x for x in others if not (isinstance(x, me.Force) and x.point in grounded)]
            return me.Vector([(a, system.frame)]), others
    return 0, list(system.loads)


def _is_weight(load: Any, body: Any, a: sp.Matrix, frame: Any) -> bool:
    gap = load.vector.to_matrix(frame) - body.mass * a
    return all(sp.expand(x) == 0 for x in gap)


def _paired(
    groups: Sequence[tuple[str, list[Any]]], bodies: _Bodies
) -> list[tuple[str, list[Any]]]:
    """Loads by twos where one torque is the other's reaction."""
    found: list[tuple[str, list[Any]]] = []
    waiting = list(groups)
    while waiting:
        where, (load,) = waiting.pop(0)
        partner = None
        if isinstance(load, me.Torque) and not bodies.is_steady(bodies.placed(load, where)):
            partner = next(
                (
                    other
                    for other in waiting
                    if isinstance(other[1][0], me.Torque)
                    and (other[1][0].vector + load.vector).simplify() == 0
                ),
                None,
            )
        if partner:
            waiting.remove(partner)
        found.append((where, [load, *(partner[1] if partner else ())]))
    return found


class _Bodies:
    """Which body a load acts on, and how a joint moves it."""

    def __init__(self, system: me.System, places: Mapping[int, Any], time: sp.Symbol) -> None:
        self.system = system
        self.places = places
        self.time = time

    def placed(self, load: Any, where: str) -> Acting:
        """The load with its body: what its point or frame does not move against."""
        for body in self.system.bodies:
            place = self.places[id(body)]
            try:
                if isinstance(load, me.Torque):
                    position, fixed = None, place.frame.dcm(load.frame)
                else:
                    position = load.point.pos_from(place.origin)
                    fixed = position.to_matrix(place.frame)
            except ValueError:  # nothing joins them
                continue
            fixed = sp.trigsimp(fixed) if me.find_dynamicsymbols(fixed) else fixed
            if not me.find_dynamicsymbols(fixed):
                return Acting(place, load.vector, position, self.system.frame, where)
        raise ModelError("its point or frame is fixed in none of the bodies", element=where)

    def is_steady(self, acting: Acting) -> bool:
        """Has the load, in inertial or body axes, no coordinate or speed in it?"""
        return self._steady_frame(acting) is not None

    def expressed(self, acting: Acting) -> Acting:
        """The load in axes in which it is steady, or else in inertial ones."""
        frame = self._steady_frame(acting) or self.system.frame
        return Acting(acting.place, acting.vector, acting.position, frame, acting.where)

    def _steady_frame(self, acting: Acting) -> Any:
        states = {*self.system.q, *self.system.u, *self.system.q.diff(self.time)}
        for frame in (self.system.frame, acting.place.frame):
            if acting.vector == 0:
                return frame
            matrix = acting.vector.to_matrix(frame)
            if not (me.find_dynamicsymbols(matrix) | matrix.atoms(sp.Derivative)) & states:
                return frame
        return None

    def laws(self, group: Sequence[Acting], where: str, joint: Any, side: int) -> list[Law]:
        """The forces along the coordinates of the joint between whose bodies the loads act."""
        other = joint.child if side > 0 else joint.parent
        here = [acting for acting in group if acting.place.name == self.places[id(other)].name]
        found = []
        for q in joint.coordinates:
            spin = joint.child_interframe.ang_vel_in(joint.parent_interframe)
            rate = _rate(joint, q)
            omega = spin.diff(rate, joint.parent_interframe, var_in_dcm=False)
            shift = joint.child_point.pos_from(joint.parent_point)
            v = shift.diff(q, joint.parent_interframe) if shift != 0 else me.Vector(0)
            power = sp.S.Zero
            for acting in here:
                if acting.position is None:
                    power += acting.vector.dot(omega)
                    continue
                origin = self.places[id(other)].origin
                arm = acting.position - joint.child_point.pos_from(origin)
                power += acting.vector.dot(v + omega.cross(arm))
            found.append(Law(q, side * power, where))
        return found

    def joint(self, group: Sequence[Acting]) -> tuple[Any, int] | None:
        """The joint between the bodies, and 1 if its child is acted on, −1 if only its parent.

        None where the bodies are not those of one joint.
        """
        names = {acting.place.name for acting in group}
        for joint in self.system.joints:
            ends = [self.places[id(body)].name for body in (joint.parent, joint.child)]
            if names | {GROUND} == {*ends, GROUND} and (len(names) == 2 or GROUND in ends):
                return joint, 1 if ends[1] in names else -1
        return None


def potential_laws(system: me.System) -> list[Law]:
    """The forces −∂V/∂q of the bodies' potential energies, where Lagrange's method counts them.

    Raises
        ModelError: the system's equations are of another Lagrangian.
    Source
        Lagrange's equations.
    """
    stored = {body.name: body.potential_energy for body in system.bodies if body.potential_energy}
    method = system.eom_method
    if isinstance(method, me.LagrangesMethod):
        (given,), own = sp.Matrix([method._L]), me.Lagrangian(system.frame, *system.bodies)
        if given != own and sp.simplify(given - own) != 0:
            raise ModelError(
                "is not that of the bodies; give them its energies", field="Lagrangian"
            )
        V = sp.Add(*stored.values())
        return [Law(q, -V.diff(q), "potential energy") for q in system.q if V.diff(q) != 0]
    if stored:
        doubt(
            f"of {', '.join(map(str, stored))} is no part of Kane's equations, and left out; "
            "system.form_eoms(LagrangesMethod) first, and it is read",
            field="potential energy",
        )
    return []


def _rate(joint: Any, q: Any) -> Any:
    return dict(zip(joint.coordinates, joint.speeds, strict=True))[q]
