"""A `System` of `sympy.physics.mechanics` as a model in joint coordinates."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from sympy.physics import mechanics as me

from ...errors import ModelError, ModelWarning, UsageError
from ...model.expressions.quantities import Matrix, Vector, hinge_symbol, shown
from ...model.model import Model
from ...model.parts.bodies import Body, End, Point
from ...model.parts.forces import Load
from ...model.parts.hinges import GROUND, Hinge, Mimic
from ...model.parts.naming import Names
from .sympy_joints import JOINTS, axes_along, axis_of, ordered, refuse, speeds_of
from .sympy_loads import Acting, Law, potential_laws, sorted_loads
from .sympy_quantities import Quantities, spoken_of

#: Of a model's name.
DEFAULT_NAME = "system"
_FLAT_INERTIA = r"body (?:%s) · inertia: no rigid body has"


def from_sympy(
    system: me.System, values: Mapping[Any, Any] | None = None, *, name: str = DEFAULT_NAME
) -> Model:
    """The model of a `sympy.physics.mechanics.System`: its bodies, joints, loads and actuators.

    The system's symbols stay symbols: they are the model's parameters. `values` gives each its
    number, and may give coordinates and speeds those of the start (else zero), by symbol or by
    name: `{m: 1.0, "g": 9.81, q1: 0.3}`. A `dynamicsymbols` that is neither, in loads and
    actuators, is an input, its value the default; or it has an expression in the time and the
    symbols.

    | in the system | in the model |
    | --- | --- |
    | `RigidBody`, `Particle` | a body; the frame of a particle is that of its joint |
    | `PinJoint`, `PrismaticJoint`, `CylindricalJoint`, `PlanarJoint`, `WeldJoint` | `revolute`, \
      `prismatic`, `cylindrical`, `planar`, `fixed`; a planar joint's angle comes last |
    | `SphericalJoint` of type BODY | three `revolute` hinges, their names with 1, 2, 3 |
    | what does not move against `system.frame` and `fixed_point` | the ground |
    | `mass · a` in all centres of mass | gravity a |
    | what acts between two bodies of a joint, and depends on the state | the joint's force |
    | another load | a load, which may read coordinates and speeds |
    | `potential_energy` of bodies, after `form_eoms(LagrangesMethod)` | forces of the joints |
    | holonomic constraint, linear in two coordinates | a coupling |

    Hinges have the order of the joints, and so have the coordinates; in names
    what is no ASCII letter or digit becomes `_`.

    Units
        Those of `values`; SI is assumed.
    Frame
        The inertial frame is `system.frame` at `system.fixed_point`; a body's origin is its centre
        of mass.
    Raises
        ModelError: names what the method cannot take, or what is no system.
        UsageError: `system` is no System, symbols have no value, or a value is of no symbol.
    Source
        own; SymPy's documentation of joints, loads and actuators.
    """
    if not isinstance(system, me.System):
        raise UsageError(f"give a sympy.physics.mechanics.System, not {system!r}")
    reader = _Reader(system, dict(values or {}))
    with warnings.catch_warnings():
        # Whoever moves in a plane gives one moment of inertia.
        names = "|".join(reader.flat) or "-"
        warnings.filterwarnings("ignore", _FLAT_INERTIA % names, ModelWarning)
        return reader.model(name)


@dataclass(frozen=True)
class Place:
    """A body as SymPy has it: its origin and axes, and its name in the model."""

    name: str
    origin: Any
    frame: Any


class _Reader:
    """Turns bodies, joints and loads into those of a model."""

    def __init__(self, system: me.System, values: Mapping[Any, Any]) -> None:
        refuse(system)
        self.system = system
        self.time = me.dynamicsymbols._t
        self.names, self.hinge_names = Names(GROUND), Names()
        self.coordinates = [*system.q]
        self.speeds = dict(zip(system.q, speeds_of(system), strict=True))
        rates = {q.diff(self.time): u for q, u in self.speeds.items()}
        states = [*self.coordinates, *self.speeds.values()]
        self.said = Quantities(values, self.time, states, rates)
        self.places = {id(body): self._place(body) for body in system.bodies}
        self.points: dict[str, list[Point]] = {place.name: [] for place in self.places.values()}
        self.points[GROUND] = []
        self.between: dict[str, list[Body]] = {}  # massless bodies of spherical joints
        self.hinges: list[Hinge] = []
        self.hinge_of: dict[Any, tuple[str, int]] = {}  # by coordinate: hinge, number in it
        self.flat = [
            place.name
            for body in system.bodies
            if isinstance(body, me.RigidBody)
            and (place := self.places[id(body)]).name != GROUND
            and _is_flat(body)
        ]

    def _place(self, body: Any) -> Place:
        frame = getattr(body, "frame", None)
        if frame is None:
            frames = [
                frame
                for joint in self.system.joints
                for other, frame in (
                    (joint.child, joint.child_interframe),
                    (joint.parent, joint.parent_interframe),
                )
                if other is body
            ]
            if not frames:
                raise ModelError("hangs on no joint", element=f"particle {body.name}")
            frame = frames[0]
        elif all(joint.child is not body for joint in self.system.joints) and self._rests(body):
            return Place(GROUND, self.system.fixed_point, self.system.frame)
        return Place(self.names.make(str(body.name), "body"), body.masscenter, frame)

    def _rests(self, body: Any) -> bool:
        try:
            where = body.masscenter.pos_from(self.system.fixed_point).to_matrix(self.system.frame)
            turned = self.system.frame.dcm(body.frame)
        except ValueError:  # nothing joins them
            return False
        return not any(me.find_dynamicsymbols(matrix) for matrix in (where, turned))

    def model(self, name: str) -> Model:
        for joint in self.system.joints:
            self._join(joint)
        lost = [q for q in self.coordinates if q not in self.hinge_of]
        if lost:
            raise ModelError(
                f"{', '.join(map(str, lost))}: no joint has this; say the motion by joints",
                field="coordinates",
            )
        self.said.name_states(self.hinge_of, self.speeds)
        acting = sorted_loads(self.system, self.places, self.time)
        laws = self._laws((*acting.laws, *potential_laws(self.system)))
        loads = tuple(self._load(k, load) for k, load in enumerate(acting.loads, start=1))
        bodies = [self._body(body) for body in self.system.bodies if self._moves(body)]
        between = [body for some in self.between.values() for body in some]
        hinges = [replace(h, force=laws.get(h.name, ())) for h in self.hinges]
        model: dict[str, Any] = {
            "name": _name(name),
            "dimension": 3,
            "bodies": (*bodies, *between),
            "hinges": tuple(self._coupled(hinges)),
            "gravity": self.said.vector(acting.gravity, self.system.frame, "gravity"),
            "loads": loads,
            "ground": tuple(self.points[GROUND]),
            "description": "a System of sympy.physics.mechanics",
            "absolute": False,
        }
        followers = {hinge.name for hinge in model["hinges"] if hinge.mimic}
        q0, v0 = (self._start(speeds, followers) for speeds in (False, True))
        self.said.see_named(spoken_of(self.system))
        parameters, inputs = self.said.parameters(model), tuple(self.said.inputs.values())
        return Model(**model, parameters=parameters, inputs=inputs, q0=q0, v0=v0)

    # Bodies and joints

    def _moves(self, body: Any) -> bool:
        return self.places[id(body)].name != GROUND

    def _body(self, body: Any) -> Body:
        place = self.places[id(body)]
        where = f"body {body.name}"
        inertia: Matrix = ((0, 0, 0),) * 3
        if isinstance(body, me.RigidBody):
            tensor = body.central_inertia
            tensor = tensor.to_matrix(place.frame) if tensor != 0 else sp.zeros(3, 3)
            inertia = self.said.matrix(tensor, where)
        points = self.points[place.name] or [Point("O", (0, 0, 0))]
        return Body(
            place.name, self.said.fixed(body.mass, where), inertia, (0, 0, 0), tuple(points)
        )

    def _join(self, joint: Any) -> None:
        where = f"joint {joint.name}"
        kind = next((kind for kind in JOINTS if isinstance(joint, kind)), None)
        if kind is None:
            known = ", ".join(each.__name__ for each in JOINTS)
            raise ModelError(
                f"a {type(joint).__name__} is not taken; there are: {known}", element=where
            )
        ends = [
            (self.places[id(body)], point, frame)
            for body, point, frame in (
                (joint.parent, joint.parent_point, joint.parent_interframe),
                (joint.child, joint.child_point, joint.child_interframe),
            )
        ]
        if isinstance(joint, me.SphericalJoint):
            return self._turn_thrice(joint, ends, where)
        axis = axis_of(joint)
        N = (
            sp.eye(3)
            if axis is None
            else axes_along(axis.to_matrix(joint.parent_interframe), where)
        )
        found = tuple(self._end(end, N, where) for end in ends)
        name = self.hinge_names.make(joint.name, "joint")
        self.hinges.append(Hinge(name, JOINTS[kind], (found[0], found[1])))
        for number, q in enumerate(ordered(joint), start=1):
            self.hinge_of[q] = name, number
        return None

    def _turn_thrice(self, joint: Any, ends: Sequence[Any], where: str) -> None:
        """Three turns about successive axes, with two bodies without mass between them."""
        order = str(joint._rot_order).upper().translate(str.maketrans("XYZ", "123"))
        plain = joint._amounts is None or list(joint._amounts) == list(joint.coordinates)
        if joint._rot_type.upper() != "BODY" or not plain or not re.fullmatch("[123]{3}", order):
            raise ModelError(
                "must turn by its coordinates about body axes: rot_type='BODY', no amounts",
                element=where,
            )
        columns = [axes_along(sp.eye(3)[:, int(k) - 1], where) for k in order]
        stem, last = (
            self.hinge_names.make(joint.name, "joint"),
            self._end(ends[0], columns[0], where),
        )
        for number, (q, axes) in enumerate(zip(joint.coordinates, columns, strict=True), start=1):
            name = self.hinge_names.make(f"{stem}{number}", "joint")
            if number < 3:
                middle = self.names.make(f"{stem}turn{number}", "turn")
                given = self.said.matrix(axes, where), self.said.matrix(columns[number], where)
                points = tuple(
                    Point(point, (0, 0, 0), matrix)
                    for point, matrix in zip(("O", "I1"), given, strict=True)
                )
                massless = Body(middle, 0, ((0, 0, 0),) * 3, (0, 0, 0), points)
                self.between.setdefault(joint.name, []).append(massless)
                here, onward = End(middle, "O"), End(middle, "I1")
            else:
                here = onward = self._end(ends[1], axes, where)
            self.hinges.append(Hinge(name, "revolute", (last, here)))
            self.hinge_of[q] = name, 1
            last = onward

    def _end(self, side: tuple[Place, Any, Any], axes: sp.Matrix, where: str) -> End:
        """A new point of a body, where a joint has its frame."""
        place, point, frame = side
        points = self.points[place.name]
        name = f"J{len(points) + 1}"
        try:
            position = point.pos_from(place.origin)
            turned = place.frame.dcm(frame) * axes
        except ValueError as error:
            raise ModelError(f"a point or frame has no place: {error}", element=where) from None
        points.append(
            Point(
                name,
                self.said.vector(position, place.frame, where),
                self.said.matrix(turned, where),
            )
        )
        return End(place.name, name)

    def _coupled(self, hinges: Sequence[Hinge]) -> list[Hinge]:
        """The hinges, followers coupled: constraints a q₁ + b q₂ + c = 0."""
        mimics: dict[str, Mimic] = {}
        for constraint in self.system.holonomic_constraints:
            expression = sp.expand(constraint)
            pair = sorted(me.find_dynamicsymbols(expression), key=self.coordinates.index)
            slopes = [sp.simplify(expression.diff(q)) for q in pair]
            if len(pair) != 2 or any(me.find_dynamicsymbols(x) for x in slopes):
                raise ModelError(
                    f"{shown(constraint, 120)} = 0 couples more than two coordinates, or not "
                    "linearly; close loops by hinges, in a model file",
                    field="holonomic constraint",
                )
            (leader, follower), (a, b) = pair, slopes
            rest = expression.xreplace({leader: sp.S.Zero, follower: sp.S.Zero})
            name, ratio, offset = self.hinge_of[follower][0], -a / b, -rest / b
            leading = self.hinge_of[leader][0]
            mimics[name] = Mimic(
                leading, *(self.said.fixed(x, "holonomic constraint") for x in (ratio, offset))
            )
        return [replace(h, mimic=mimics.get(h.name)) for h in hinges]

    # Loads

    def _laws(self, laws: Sequence[Law]) -> dict[str, Vector]:
        """By hinge: the sum of what acts along each of its coordinates."""
        found: dict[tuple[str, int], sp.Expr] = {}
        own: dict[str, dict[Any, sp.Symbol]] = {}
        for q, (hinge, number) in self.hinge_of.items():
            own.setdefault(hinge, {})[q] = hinge_symbol("q", number)
            own[hinge][self.speeds[q]] = hinge_symbol("u", number)
        for law in laws:
            hinge, number = self.hinge_of[law.coordinate]
            given = sp.expand(law.force.doit()).xreplace(self.said.rates)
            if me.find_dynamicsymbols(given) & self.said.elsewhere.keys() - own[hinge].keys():
                given = sp.simplify(given)
            force = self.said.law(given, law.where, own[hinge])
            found[hinge, number] = found.get((hinge, number), sp.S.Zero) + force
        counts = {hinge: sum(h == hinge for h, _ in self.hinge_of.values()) for hinge in own}
        return {
            hinge: tuple(found.get((hinge, k), sp.S.Zero) for k in range(1, count + 1))
            for hinge, count in counts.items()
            if any(h == hinge for h, _ in found)
        }

    def _load(self, number: int, acting: Acting) -> Load:
        """A load, at a new point of its body."""
        place = acting.place
        vector = self.said.vector(acting.vector, acting.frame, acting.where, law=True)
        frame = "inertial" if acting.frame == self.system.frame else "body"
        name = f"load{number}"
        if acting.position is None:
            return Load(name, place.name, moment=vector, frame=frame)
        point = f"L{number}"
        position = self.said.vector(acting.position, place.frame, acting.where)
        self.points[place.name].append(Point(point, position))
        return Load(name, place.name, point, vector, frame=frame)

    def _start(self, speeds: bool, followers: Set[str]) -> tuple[float, ...]:
        """Where the states start; those that follow where they are told, or where they must."""
        order = dict(zip(self._order(), self._order(speeds), strict=True))
        led = {state for q, state in order.items() if self.hinge_of[q][0] in followers}
        if not any(map(self.said.starts, led)):
            order = {q: state for q, state in order.items() if state not in led}
        return tuple(map(self.said.start, order.values()))

    def _order(self, speeds: bool = False) -> list[Any]:
        """The system's coordinates, or speeds, in the model's order."""
        places = {hinge.name: k for k, hinge in enumerate(self.hinges)}
        ordered = sorted(
            self.hinge_of, key=lambda q: (places[self.hinge_of[q][0]], self.hinge_of[q][1])
        )
        return [self.speeds[q] if speeds else q for q in ordered]


def _is_flat(body: Any) -> bool:
    """Is but one moment of inertia given?"""
    tensor = body.central_inertia
    return bool(tensor != 0) and sum(x != 0 for x in tensor.to_matrix(body.frame)) == 1


def _name(name: str) -> str:
    made = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")
    return made if made[:1].isalpha() else DEFAULT_NAME
