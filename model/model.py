"""The model: a system whose cuts and start are complete, and that can be solved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import Any

from ..errors import UsageError
from ..shown import report
from .bodies import Beam
from .check import check
from .hinge_kinds import HINGE_KINDS
from .tables import nearest
from .topology import choose_cuts, read_hinges
from .types import System
from .units import coordinate_units, speed_units


@dataclass(frozen=True)
class Model(System):
    """A multibody system: bodies, hinges, gravity, parameters and an initial state.

    `bodies` are rigid bodies and, in the plane and in joint coordinates, beams; they are kept in
    the given order, but the beams after the rigid bodies.

    Shape
        `dimension` is 2 or 3; `gravity` has that many components; `q0` and `v0` list the
        coordinates and speeds in the order of `coordinates` and `speeds`.
    Units
        SI, rad.
    Frame
        `gravity` in the inertial frame. Coordinates are either joint coordinates, hinge by
        hinge (see `Hinge`) and then beam by beam (see `Beam`), or (`absolute`) in the plane each
        body's angle from +x to its own first axis, and in space each body's unit quaternion
        (w, x, y, z; body to inertial axes) with the angular velocity in body axes as speeds.

    In joint coordinates hinges may close loops and several may lead to the ground. Then
    `cuts` names the hinges that are cut so that a tree is left (none given: see
    `topology.choose_cuts`); they have no coordinates among the state. `ground` places the points
    of the ground that hinges lead to; one that is not listed is the origin with inertial axes.
    With a `base` the ground moves, and its points are placed in its own axes; gravity stays as
    it is. `loads` are forces and moments on bodies, `forces` act between points (see `Force`).

    `inputs` may change along a motion. Each is a parameter too, of its default, that stays an
    argument of all generated code; it may stand in forces, potentials and loads.

    `root` and `first_inputs` choose the form of the overall transfer equation (none given: see
    `symbolic.directions`): the boundary end that receives, as `body:point` or by the name of a
    hinge to the ground, and a body's input that is its I₁, body name to point name. The
    coordinates, and the solver, do not depend on them: which hinge to the ground the solver
    sweeps towards is a matter of `cuts`.

    `frames` are places with axes fixed in bodies or the ground, such as tools; `every_frame` has
    the bodies' own and their points too.

    Raises
        ModelError: names the element and the field that is wrong.
    """

    def __post_init__(self) -> None:
        rigid = tuple(body for body in self.bodies if not isinstance(body, Beam))
        object.__setattr__(self, "bodies", (*rigid, *self.beams))
        defaults = {x.name: x.default for x in self.inputs}
        object.__setattr__(self, "parameters", {**self.parameters, **defaults, **self.parameters})
        if len(self.cuts) == 0 and not self.absolute and self.dimension in HINGE_KINDS:
            cuts = choose_cuts(self.dimension, self.hinges, read_hinges(self))
            object.__setattr__(self, "cuts", cuts)
        if len(self.q0) == 0:
            object.__setattr__(self, "q0", self.rest_position())
        if len(self.v0) == 0:
            object.__setattr__(self, "v0", (0.0,) * len(self.speeds))
        check(self)

    @cached_property
    def units(self) -> Mapping[str, str]:
        """The unit of each coordinate and speed, by name: `m`, `rad/s`; `1` of a quaternion's."""
        coordinates = {entry.name: entry.unit for entry in coordinate_units(self)}
        return coordinates | {entry.name: entry.unit for entry in speed_units(self)}

    def with_parameters(self, **values: float) -> Model:
        """The model with other values of some of its parameters.

        Raises
            UsageError: a name that is no parameter, or a value that is no finite number.
            ModelError: the model describes no system at these values.

        Source
            own
        """
        for name, value in values.items():
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                near = nearest(name, self.parameters)
                raise UsageError(f"{self.name} has no parameter {name!r}{near}; it has: {known}")
            if not _is_finite(value):
                raise UsageError(f"parameter {name} = {value!r} is no finite number")
        if not values:
            return self
        given = {name: float(value) for name, value in values.items()}
        return replace(self, parameters={**self.parameters, **given})

    def _repr_html_(self) -> str:
        return str(report("notebook").model(self))

    def draw(self, kind: str = "topology", *, ax: Any = None) -> Any:
        """A drawing: the `topology` as the transfer matrix papers draw it, or the `mechanism`.

        A notebook shows it; `.svg` is its text, `.save("x.svg")` (or .png, .pdf) writes it, and
        `ax` puts it on matplotlib's axes as well. The mechanism is in its start pose, loops closed.

        Raises
            UsageError: another kind.
            NumericsError: the loops cannot be closed.
            ToolchainError: `ax`, .png and .pdf need matplotlib (extra `plot`).

        Source
            The signs of Riccati paper, Fig. 2.
        """
        return report("drawing.drawing").draw(self, kind, ax)

    def rest_position(self) -> tuple[float, ...]:
        """The coordinates where nothing is said of them: zero, quaternions without a turn."""
        if self.absolute:
            per_body = (0.0,) if self.dimension == 2 else (1.0, 0.0, 0.0, 0.0)
            return per_body * len(self.bodies)
        return tuple(float(name.endswith("_Qw")) for name in self.coordinates)


def _is_finite(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return isfinite(value)
