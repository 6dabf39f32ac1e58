"""The model: a system whose cuts and start are complete, and that can be solved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import Any

from ..blame import blamed_parts
from ..errors import UsageError
from ..model.expressions.quantities import told
from ..shown import report
from .parts.bodies import Beam
from .parts.measured import CoordinateUnit, SpeedUnit
from .parts.naming import nearest
from .parts.system import System


@blamed_parts
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
    it is. `loads` are forces and moments on bodies, `forces` act between points (see `Force`);
    what `sensors` measure their laws may read, and those of hinges and loads.

    `inputs` may change along a motion. Each is a parameter too, of its default, that stays an
    argument of all generated code; it may stand in forces, potentials and loads.

    `tables` are of quantities that are known at values of a parameter (see `Tabulated`), which lies
    within them.

    `root` and `first_inputs` choose the form of the overall transfer equation (none given: see
    `symbolic.directions`): the boundary end that receives, as `body:point` or by the name of a
    hinge to the ground, and a body's input that is its I₁, body name to point name. The
    coordinates, and the solver, do not depend on them: which hinge to the ground the solver
    sweeps towards is a matter of `cuts`.

    `frames` are places with axes fixed in bodies or the ground, such as tools; `every_frame` has
    the bodies' own and their points too.

    A `kinematic` model, in joint coordinates, says nothing of inertia: it has poses, frames,
    Jacobians and inverse kinematics, and whatever needs a mass is refused (see `no_dynamics`).

    Raises
        ModelError: names the element and the field that is wrong.
    """

    def __post_init__(self) -> None:
        from .checks.completion import complete

        complete(self)

    # Facts, which a model from the cache has without its parts (see `remembered`)

    @cached_property
    def units(self) -> Mapping[str, str]:
        """The unit of each coordinate and speed, by name: `m`, `rad/s`; `1` of a quaternion's."""
        units = {entry.name: entry.unit for entry in self.coordinate_units}
        return units | {entry.name: entry.unit for entry in self.speed_units}

    @cached_property
    def coordinate_units(self) -> Sequence[CoordinateUnit]:
        """The coordinates' units and meanings, in the order of `q`."""
        from .parts.units import coordinate_units

        return coordinate_units(self)

    @cached_property
    def speed_units(self) -> Sequence[SpeedUnit]:
        """The speeds' units and meanings, in the order of `v`."""
        from .parts.units import speed_units

        return speed_units(self)

    @cached_property
    def condition_units(self) -> Mapping[str, str]:
        """The units of the conditions of cut and coupled hinges, by their names."""
        from .parts.units import condition_units

        return condition_units(self)

    @cached_property
    def no_dynamics(self) -> str:
        """Why a `kinematic` model has no dynamics, and what would give it some; else empty."""
        from .checks.inertia import kinematics_alone

        return kinematics_alone(self) if self.kinematic else ""

    @cached_property
    def jumps(self) -> bool:
        """Whether a law takes the `step`, `sign` or `abs` of something."""
        from .expressions.jumps import arguments, laws

        return bool(arguments(laws(self)))

    def with_own_coordinates(self) -> Model:
        """The model whose hinges that follow keep coordinates of their own.

        What couples them are then conditions, as those that close loops. It starts at the same.

        Source
            own
        """
        if not self.followers:
            return self
        hinges = (
            replace(x, mimic=replace(x.mimic, own=True)) if x.mimic else x for x in self.hinges
        )
        q0, v0 = (
            tuple(self.with_followers(state, speeds=speeds).values())
            for state, speeds in ((self.q0, False), (self.v0, True))
        )
        return replace(self, hinges=tuple(hinges), q0=q0, v0=v0)

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

    @property
    def unladen(self) -> Model:
        """The model without weight and loads, which neither spins nor has loss factors."""
        still = (
            replace(x, spin=0, loss=0) if isinstance(x, Beam) else replace(x, spin=0)
            for x in self.bodies
        )
        return replace(self, bodies=tuple(still), gravity=(0,) * self.dimension, loads=())

    def __repr__(self) -> str:
        kind = "planar" if self.dimension == 2 else "spatial"
        bodies, hinges = told(len(self.bodies), "body", "bodies"), told(len(self.hinges), "hinge")
        coordinates = told(len(self.coordinates), "coordinate")
        return f"<Model {self.name}: {kind}, {bodies}, {hinges}, {coordinates}>"

    def _repr_html_(self) -> str:
        return str(report("notebook").model(self))

    def draw(
        self,
        kind: str = "topology",
        *,
        ax: Any = None,
        numbering: str = "model",
        axes: bool = False,
    ) -> Any:
        """A drawing: the `topology` as the transfer matrix papers draw it, or the `mechanism`.

        A notebook shows it; `.svg` is its text, `.save("x.svg")` (or .png, .pdf) writes it, and
        `ax` puts it on matplotlib's axes as well. The mechanism is in its start pose, loops closed,
        with loads, weight, springs, dampers and drives as signs of one size, and angles of pins.
        `numbering="paper"`: bodies and hinges by numbers as the Riccati paper has them, odd and
        even, chain by chain from the tips. `axes`: with the axes of every point of a body.

        Raises
            UsageError: another kind or numbering, axes in a topology.
            NumericsError: the loops cannot be closed.
            ToolchainError: `ax`, .png and .pdf need matplotlib (extra `plot`).

        Source
            The signs of Riccati paper, Fig. 2.
        """
        return report("drawing.drawing").draw(self, kind, ax, numbering, axes)

    def animate(self, q: Any, t: Any = None) -> Any:
        """A film of states in a row, as `Run.animate` makes it of a motion.

        So are the answers of `inverse_kinematics` along a path looked at. Without times `t` it
        shows 30 states a second.

        Shape
            `q` (time, coordinate), `t` (time).
        Units
            s.
        Raises
            UsageError: less than two states, a shape that does not fit, times that do not grow, or
                a number that is not finite.

        Source
            own
        """
        return report("animation").animate_states(self, q, t)


def _is_finite(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return isfinite(value)
