"""What a model file may hold, table by table."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from ..checks.laws import FRAMES
from ..parts.hinge_kinds import HINGE_KINDS, PITCH, RADIUS, SIZES
from .profiles import SHAPES, THEORIES

Number = int | float | str
BODY_KINDS = ["rigid", "lumped"]
_KINDS = list(dict.fromkeys(kind for kinds in HINGE_KINDS.values() for kind in kinds))


class Table(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    pass


class PointTable(Table, kw_only=True, frozen=True):
    """A point of a body or of the ground: m, in its axes, from its origin."""

    position: Annotated[
        list[Number] | None, Meta(description="2 or 3 components; absent: the origin")
    ] = None
    axes: Annotated[
        Number | list[list[Number]] | None,
        Meta(description="plane: an angle; space: 3×3, the columns are the point's axes"),
    ] = None
    rpy: Annotated[
        list[Number] | None,
        Meta(description="space: turns about the fixed first, second, third axis, in that order"),
    ] = None


class FrameTable(PointTable, kw_only=True, frozen=True):
    """A place with axes, fixed in a body or the ground: m, in its axes, from its origin."""

    body: Annotated[str, Meta(description="a body, or ground")]


class BodyTable(Table, kw_only=True, frozen=True):
    """A rigid body, or a lumped mass: a point mass without inertia."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": BODY_KINDS})] = "rigid"
    mass: Annotated[Number, Meta(description="kg")]
    inertia: Annotated[
        Number | list[Number | list[Number]] | None,
        Meta(
            description="of a rigid body about the centre of mass, kg m²; plane: a number; "
            "space: [xx, yy, zz, xy, xz, yz] (entries of the tensor) or 3×3"
        ),
    ] = None
    centre: Annotated[
        list[Number] | None, Meta(description="centre of mass, m; absent: the body's origin")
    ] = None
    spin: Annotated[
        Number,
        Meta(
            description="of a rotor about its first axis, relative to its axes, which do not turn "
            "with it, rad/s; for `damped` alone"
        ),
    ] = 0
    points: dict[str, PointTable] = {}


class BeamPointTable(Table, kw_only=True, frozen=True):
    """A point of a beam: where it is along the beam, and the angle of its axes."""

    x: Annotated[Number, Meta(description="from 0 to the length, m; absent: 0")] = 0
    axes: Annotated[
        Number | list[list[Number]] | None,
        Meta(description="plane: an angle in the section, rad; space: 3×3, their columns"),
    ] = None
    rpy: Annotated[
        list[Number] | None,
        Meta(description="space: turns about the fixed first, second, third axis, in that order"),
    ] = None


class MaterialTable(Table, kw_only=True, frozen=True):
    """What a beam is made of; G, or Poisson's ratio that it follows from."""

    E: Annotated[float, Meta(description="Young's modulus, N/m²")]
    rho: Annotated[float, Meta(description="mass per volume, kg/m³")]
    G: Annotated[float | None, Meta(description="shear modulus, N/m²")] = None
    nu: Annotated[float | None, Meta(description="Poisson's ratio; absent with G too: 0.3")] = None


class SectionTable(Table, kw_only=True, frozen=True):
    """The shape of a beam's section, in numbers."""

    shape: Annotated[str, Meta(extra_json_schema={"enum": list(SHAPES)})]
    height: Annotated[float | None, Meta(description="of a rectangle along the second axis, m")] = (
        None
    )
    width: Annotated[float | None, Meta(description="of a rectangle along the third axis, m")] = (
        None
    )
    diameter: Annotated[float | None, Meta(description="of a circle, or outside of a tube, m")] = (
        None
    )
    inner: Annotated[float | None, Meta(description="diameter inside of a tube, m")] = None
    theory: Annotated[
        str,
        Meta(
            description="timoshenko: with shear and rotary inertia, for `linear` alone; absent: "
            "euler-bernoulli",
            extra_json_schema={"enum": list(THEORIES)},
        ),
    ] = THEORIES[0]


class BeamTable(Table, kw_only=True, frozen=True):
    """A uniform beam, by its stiffnesses and inertias or by its material and section.

    What is given besides a section takes the place of what follows from that. In space of pairs
    the first is of the bending about the second axis.
    """

    length: Annotated[Number, Meta(description="m")]
    density: Annotated[Number | None, Meta(description="mass per length, kg/m")] = None
    axial_stiffness: Annotated[Number | None, Meta(description="E A, N")] = None
    bending_stiffness: Annotated[
        Number | list[Number] | None, Meta(description="E I, in space [E Iy, E Iz], N m²")
    ] = None
    material: Annotated[
        MaterialTable | None, Meta(description="with a section: in the place of stiffnesses")
    ] = None
    section: SectionTable | None = None
    shear_stiffness: Annotated[
        Number | list[Number] | None,
        Meta(description="κ G A, in space a pair, N; for `linear` alone; absent: does not shear"),
    ] = None
    rotary_inertia: Annotated[
        Number | list[Number] | None,
        Meta(description="ρ I, in space a pair, kg m; for `linear` alone; absent: none"),
    ] = None
    torsional_stiffness: Annotated[Number | None, Meta(description="in space: G J, N m²")] = None
    polar_inertia: Annotated[
        Number | None, Meta(description="in space: per length, about the axis, kg m")
    ] = None
    tension: Annotated[Number, Meta(description="at rest, N; for `linear` alone; absent: 0")] = 0
    foundation: Annotated[
        Number,
        Meta(description="springs to the ground across the axis per length, N/m²; for `linear`"),
    ] = 0
    axial: Annotated[
        int | list[str],
        Meta(
            description="plane: number of built-in axial shape functions, or the functions: "
            "polynomials of xi = x/length that vanish at 0; `linear` needs none"
        ),
    ] = 0
    bending: Annotated[
        int | list[str],
        Meta(
            description="plane: number of built-in bending shape functions, or the functions: "
            "polynomials of xi = x/length that vanish at 0 with their slopes; `linear` needs none"
        ),
    ] = 0
    damping: Annotated[
        Number, Meta(description="damping matrix over stiffness matrix, s; absent: 0")
    ] = 0
    loss: Annotated[Number, Meta(description="loss factor; for `damped` alone; absent: 0")] = 0
    spin: Annotated[
        Number, Meta(description="in space: about the axis, as of a body, rad/s; for `damped`")
    ] = 0
    foreshortening: Annotated[
        bool,
        Meta(description="bending shortens it, so that axial forces stiffen it; absent: true"),
    ] = True
    points: dict[str, BeamPointTable]


class GroundTable(Table, kw_only=True, frozen=True):
    """The ground: points that hinges lead to, in inertial axes or those of the base."""

    points: dict[str, PointTable] = {}


class BaseTable(Table, kw_only=True, frozen=True):
    """Where the ground is as it moves, in t and the parameters."""

    position: Annotated[list[Number], Meta(description="of the ground's origin, m")] = []
    angle: Annotated[Number | None, Meta(description="plane, rad")] = None
    angles: Annotated[
        list[Number],
        Meta(description="space: turns about the fixed first, second, third axis, in that order"),
    ] = []


class LoadTable(Table, kw_only=True, frozen=True):
    """A force and a moment on a body, in coordinates, speeds, sensors, t and the parameters."""

    body: Annotated[str, Meta(description="body (at its centre of mass) or body:point")]
    force: Annotated[list[Number], Meta(description="2 or 3 components, N")] = []
    moment: Annotated[
        Number | list[Number], Meta(description="plane: a number; space: 3 components; N m")
    ] = msgspec.field(default_factory=list)
    frame: Annotated[str, Meta(extra_json_schema={"enum": list(FRAMES)})] = "inertial"


class ForceTable(Table, kw_only=True, frozen=True):
    """A force along the line between two points (tension is positive), or of a medium on one."""

    between: Annotated[
        list[str],
        Meta(description="two of body:point, body (its centre of mass), ground, ground:point"),
    ] = []
    stiffness: Annotated[Number, Meta(description="N/m")] = 0
    rest: Annotated[Number, Meta(description="distance free of the spring's force, m")] = 0
    damping: Annotated[Number, Meta(description="N s/m, of the rate of the distance")] = 0
    law: Annotated[
        Number,
        Meta(
            description="tension in length, rate, the names of coordinates, speeds and "
            "sensors, t, the parameters and inputs; N"
        ),
    ] = 0
    potential: Annotated[
        Number, Meta(description="energy in length, t, the parameters and inputs; J")
    ] = 0
    mu: Annotated[
        Number,
        Meta(description="the first attracts the second's centre of mass by mu m/length²; m³/s²"),
    ] = 0
    on: Annotated[str, Meta(description="of drag: body:point, or body (its centre of mass)")] = ""
    drag: Annotated[Number, Meta(description="force over speed, N s/m")] = 0
    quadratic: Annotated[Number, Meta(description="force over speed squared, N s²/m²")] = 0
    medium: Annotated[
        list[Number],
        Meta(description="the medium's velocity in t, the parameters and inputs; m/s; absent: 0"),
    ] = []


class SensorTable(Table, kw_only=True, frozen=True):
    """A place or distance that laws read by the sensor's name, its rate as NAME_rate."""

    between: Annotated[
        list[str],
        Meta(description="two of body:point, body (its centre of mass), ground, ground:point"),
    ] = []
    on: Annotated[str, Meta(description="one such end")] = ""
    along: Annotated[
        list[Number],
        Meta(description="direction in inertial axes; absent, of two ends: their distance"),
    ] = []


class SpringTable(Table, kw_only=True, frozen=True):
    """A linear spring along each coordinate of a hinge; one value stands for all.

    Of an elastic hinge: along and about each axis of the parent's point. Of a ball: one of its
    turn, by the angle of it; of a free hinge in space: along each axis, and one of its turn.
    """

    stiffness: Annotated[Number | list[Number], Meta(description="N/m or N m/rad")]
    rest: Annotated[
        Number | list[Number],
        Meta(
            description="free of force here; m or rad; of a ball a quaternion w, x, y, z, of a "
            "free hinge in space a position before it"
        ),
    ] = 0


class DamperTable(Table, kw_only=True, frozen=True):
    """A linear damper along each speed of a hinge; one value stands for all.

    Of an elastic hinge: along and about each axis of the parent's point.
    """

    damping: Annotated[Number | list[Number], Meta(description="N s/m or N m s/rad")]


class InputTable(Table, kw_only=True, frozen=True):
    """A quantity of forces, potentials and loads that may change along a motion."""

    default: Annotated[Number, Meta(description="where nothing else is said")] = 0
    unit: Annotated[str, Meta(description="for readers; laws are in SI units")] = ""
    limits: Annotated[
        list[Number], Meta(description="least and largest, for readers; no solver stops there")
    ] = []


class FrictionTable(Table, kw_only=True, frozen=True):
    """Friction: coulomb·tanh(u/velocity) + viscous·u against each speed u."""

    coulomb: Annotated[Number | list[Number], Meta(description="N or N m")] = 0
    viscous: Annotated[Number | list[Number], Meta(description="N s/m or N m s/rad")] = 0
    velocity: Annotated[
        Number | list[Number], Meta(description="where Coulomb friction sets in; m/s or rad/s")
    ] = 0.01


class MimicTable(Table, kw_only=True, frozen=True):
    """The hinge's one coordinate follows another hinge's: ratio times it, plus offset.

    Or it follows those of several hinges by a law.
    """

    hinge: Annotated[str, Meta(description="the hinge that is followed")] = ""
    ratio: Number = 1
    offset: Annotated[Number, Meta(description="m or rad")] = 0
    hinges: Annotated[list[str], Meta(description="the hinges that are followed by a law")] = (
        msgspec.field(default_factory=list)
    )
    law: Annotated[
        Number | None,
        Meta(description="the coordinate, in q1, q2, … of these hinges and the parameters"),
    ] = None
    own: Annotated[
        bool, Meta(description="keep a coordinate of its own: the coupling is a condition")
    ] = False


class LimitsTable(Table, kw_only=True, frozen=True):
    """How far, how fast and how hard a hinge's drive may go; no solver stops there."""

    position: Annotated[
        list[Number | list[Number]],
        Meta(description="[lower, upper], or a pair for each coordinate; inf: none; m or rad"),
    ] = []
    speed: Annotated[
        Number | list[Number], Meta(description="of the absolute value, for each speed; m/s, rad/s")
    ] = msgspec.field(default_factory=list)
    effort: Annotated[
        Number | list[Number], Meta(description="of the absolute value, for each speed; N, N m")
    ] = msgspec.field(default_factory=list)


class HingeTable(Table, kw_only=True, frozen=True):
    """A hinge between two points, or between two bodies along an axis."""

    kind: Annotated[
        str,
        Meta(
            description="what it allows; each is drawn, with its coordinates, in docs/hinges.md",
            extra_json_schema={"enum": _KINDS},
        ),
    ]
    parent: Annotated[
        str, Meta(description="body:point, ground or ground:point; with an axis: body or ground")
    ]
    child: Annotated[
        str, Meta(description="body:point, ground or ground:point; with an axis: body or ground")
    ]
    axis: Annotated[
        list[Number],
        Meta(
            description="its direction where all coordinates are zero and the child's frame is the "
            "parent's: 2 or 3 numbers"
        ),
    ] = []
    through: Annotated[
        list[Number] | None,
        Meta(description="a point of the axis, or where the hinge is, likewise, m; absent: origin"),
    ] = None
    pitch: Annotated[Number, Meta(description=SIZES[PITCH].description)] = 0
    radius: Annotated[Number, Meta(description=SIZES[RADIUS].description)] = 0
    force: Annotated[
        Number | list[Number],
        Meta(
            description="for each speed, in q1, …, u1, …, others' coordinates and speeds by name, "
            "sensors, t, the parameters and inputs; N or N m"
        ),
    ] = msgspec.field(default_factory=list)
    potential: Annotated[
        Number,
        Meta(description="energy besides that of springs, in q1, …, t and the parameters; J"),
    ] = 0
    motion: Annotated[
        Number | list[Number],
        Meta(description="each coordinate prescribed, in t and the parameters; m or rad"),
    ] = msgspec.field(default_factory=list)
    rotor: Annotated[
        Number | list[Number],
        Meta(description="for each speed, a rotor's inertia times its gear ratio²; kg m² or kg"),
    ] = msgspec.field(default_factory=list)
    mimic: MimicTable | None = None
    spring: SpringTable | None = None
    damper: DamperTable | None = None
    friction: FrictionTable | None = None
    limits: LimitsTable | None = None


class AskedTable(Table, kw_only=True, frozen=True):
    """What a start asks of a hinge: values that stay, or values from which loops may be closed."""

    fixed: Annotated[
        Number | list[Number] | None, Meta(description="stays; a start that cannot is refused")
    ] = None
    guess: Annotated[
        Number | list[Number] | None, Meta(description="moves as far as the loops need it")
    ] = None


class StartTable(Table, kw_only=True, frozen=True):
    """The state at t = 0, by hinge and beam (joint coordinates) or by body (absolute ones).

    Where loops must be closed, the values first given stay as far as they are independent.
    """

    positions: dict[str, Number | list[Number] | AskedTable] = {}
    speeds: dict[str, Number | list[Number] | AskedTable] = {}


class TabulatedTable(Table, kw_only=True, frozen=True):
    """Quantities that are known where parameters have certain values, straight lines between."""

    of: Annotated[str | list[str], Meta(description="a parameter, such as a spin, or two")]
    at: Annotated[
        list[Number | list[Number]], Meta(description="its values, ascending; of two a list each")
    ]
    values: Annotated[
        dict[str, list[Number | list[Number]]],
        Meta(
            description="of each quantity a value at each, of two parameters a row for each value "
            "of the first; expressions call it TABLE_quantity"
        ),
    ]
    frequency: Annotated[
        str, Meta(description="which of these is the circular frequency at which all vibrates")
    ] = ""


class ModelTable(Table, kw_only=True, frozen=True):
    """A model of mstmm. Quantities are numbers or texts of expressions, in SI units."""

    name: str
    description: str = ""
    dimension: Annotated[int, Meta(extra_json_schema={"enum": list(HINGE_KINDS)})]
    coordinates: Annotated[str, Meta(extra_json_schema={"enum": ["joint", "absolute"]})] = "joint"
    kinematic: Annotated[
        bool, Meta(description="kinematics alone: nothing is said of masses; absent: false")
    ] = False
    gravity: Annotated[list[Number], Meta(description="m/s², in the inertial frame")]
    cuts: Annotated[
        list[str], Meta(description="hinges that are cut to open the loops; absent: chosen")
    ] = []
    root: Annotated[
        str,
        Meta(
            description="of the overall transfer equation: a boundary end body:point or a hinge to "
            "the ground; absent: chosen"
        ),
    ] = ""
    first_inputs: Annotated[
        dict[str, str],
        Meta(description="of the overall transfer equation: body to its point I1; absent: chosen"),
    ] = {}
    parameters: dict[str, Number] = {}
    inputs: Annotated[
        dict[str, Number | InputTable],
        Meta(description="quantities of laws that may change along a motion, with their defaults"),
    ] = {}
    tables: dict[str, TabulatedTable] = {}
    ground: GroundTable = GroundTable()
    bodies: dict[str, BodyTable] = {}
    beams: dict[str, BeamTable] = {}
    hinges: dict[str, HingeTable]
    base: BaseTable | None = None
    loads: dict[str, LoadTable] = {}
    forces: dict[str, ForceTable] = {}
    sensors: dict[str, SensorTable] = {}
    frames: dict[str, FrameTable] = {}
    start: StartTable = StartTable()
