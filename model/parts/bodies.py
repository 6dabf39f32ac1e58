"""Bodies: rigid ones and beams, with their named connection points.

Lengths in m, masses in kg, inertias in kg m², angles in rad.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...blame import blamed_parts
from ...errors import ModelError
from ...shown import Shown
from ..expressions.quantities import Matrix, Quantity, Vector
from . import shapes
from .naming import nearest


@blamed_parts
@dataclass(frozen=True, order=True)
class End(Shown):
    """A connection point of a body: written `body:point`, e.g. `7:I1`. Ground is body 0."""

    body: str
    point: str

    def __str__(self) -> str:
        return f"{self.body}:{self.point}"

    @classmethod
    def parse(cls, text: str) -> End:
        """Read `body:point`.

        Raises
            ModelError: the text has no colon, more than one, or an empty part.
        """
        body, colon, point = text.partition(":")
        if not (body and colon and point) or ":" in point:
            hint = nearest(text, ["ground"])
            raise ModelError(f"an end is written body:point, not {text!r}{hint}", field="end")
        return cls(body, point)


@blamed_parts
@dataclass(frozen=True)
class Point(Shown):
    """A named place fixed in a body, with axes of its own.

    Shape
        `position`: 2 (planar) or 3 (spatial) components; `axes`: an angle (planar) or 3×3
        direction cosines whose columns are the point's axes (spatial); `None`: the body's.
    Units
        m, rad.
    Frame
        Body axes, from the body's origin.
    """

    name: str
    position: Vector
    axes: Quantity | Matrix | None = None


class Element(Shown):
    """What bodies and beams share: a name and named connection points."""

    #: What messages and tables call it.
    kind: ClassVar[str]
    name: str
    points: tuple[Point, ...]
    spin: Quantity

    @property
    def complex_alone(self) -> str:
        """Why only `damped` takes it; empty if other algorithms do too."""
        return "" if self.spin == 0 else "spins about its axis"

    def point(self, name: str) -> Point:
        """The connection point called `name`.

        Raises
            ModelError: there is no such point; the message lists those there are.
        """
        for candidate in self.points:
            if candidate.name == name:
                return candidate
        known = ", ".join(p.name for p in self.points)
        raise ModelError(
            f"has no point {name!r}; its points: {known}", element=f"{self.kind} {self.name}"
        )


@blamed_parts
@dataclass(frozen=True)
class Body(Element):
    """A rigid body: mass, inertia, centre of mass and named connection points.

    In joint coordinates it may have no mass, if what hangs on it resists every motion that
    its hinge allows.

    Shape
        `centre`: as a point; `inertia`: one number (planar, about z) or 3×3 (spatial).
    Units
        kg, kg m², m; `spin` rad/s.
    Frame
        Body axes; `inertia` is about the centre of mass.
    Option
        With a `spin` it turns steadily about its first axis relative to its axes, which do not
        turn with it: a rotor, which is as round about that axis as its inertia says. `damped`
        takes it, where small motions about rest are those of the axes.

    The order of `points` is the order of the body's inputs: the first one that is an input
    is I₁.
    """

    kind = "body"
    name: str
    mass: Quantity
    inertia: Quantity | Matrix
    centre: Vector
    points: tuple[Point, ...]
    spin: Quantity = 0


#: What beams with shape functions do not have.
OF_LINEAR = ("shear_stiffness", "rotary_inertia", "tension", "foundation")


@blamed_parts
@dataclass(frozen=True)
class Beam(Element):
    """A uniform beam; its first axis is the undeformed one.

    `linear` takes it as it is, exactly: in the plane or in space, with shear, rotary inertia,
    tension and foundation. All other algorithms take planar Euler–Bernoulli beams on a floating
    frame at the end x = 0, with shape functions: what follows is said of these.

    With ξ = x/L the section at x is displaced by
    Σ ψᵢ(ξ) ηᵢ along the axis (`axial` functions) and by Σ φᵢ(ξ) ηᵢ across it (`bending`
    functions), and turned by the latter's slope; x = 0 is clamped to the frame. A number asks for
    so many built-in functions, ξ Pᵢ(2ξ − 1) and ξ² Pᵢ(2ξ − 1) with Legendre's polynomials Pᵢ,
    i = 0, 1, …; a tuple gives them: polynomials in `xi` as texts or of SymPy, with rational
    coefficients (decimals are exact), of degree 12 at most, linearly independent, which vanish at
    ξ = 0, bending ones with their slopes. They are kept as texts, multiplied out. The modal
    coordinates η are the lengths that the functions are multiplied by, axial ones first. Bending
    draws the section back along the axis too, by half the integral of the squared slope
    (`foreshortening`): the motion is right to the second order in the deformation, and axial
    forces, such as those of a spin, stiffen the beam or buckle it. Strains are small and linear;
    rotary inertia and shear are neglected. A beam that is held at several points along its axis
    needs an axial function, else it cannot bend.

    Shape
        `points`: positions (x, 0) or (x, 0, 0), 0 ≤ x ≤ `length`; their axes turn with the
        section. In space `bending_stiffness`, `shear_stiffness` and `rotary_inertia` are pairs,
        of the bending about the second and about the third axis.
    Units
        `length` m, `density` kg/m (mass per length), `axial_stiffness` EA N,
        `bending_stiffness` EI N m², `damping` s: the damping matrix is `damping` times the
        stiffness matrix. Of `linear` alone: `shear_stiffness` κGA N (0: it does not shear),
        `rotary_inertia` ρI kg m, `tension` at rest N, `foundation` N/m² (springs to the ground
        across the axis, per length), in space `torsional_stiffness` GJ N m² and `polar_inertia`
        kg m (per length, about the axis). Of `damped` alone, in which stiffnesses are times
        1 + `damping` s + i `loss` at a complex frequency s: `loss`, the loss factor; in space
        `spin` rad/s about the axis, of round sections, as of a body.
    Option
        `foreshortening` False leaves it out, as the deduction paper's example does: for spins
        well below the first bending frequency alone.
    Frame
        The floating frame; it is the beam's pose. External loads act on the middle section.
    Raises
        ModelError: a number of functions is none, or given functions are not as said.
    """

    kind = "beam"
    name: str
    length: Quantity
    density: Quantity
    axial_stiffness: Quantity
    bending_stiffness: Quantity | Vector
    axial: shapes.ShapeFunctions
    bending: shapes.ShapeFunctions
    points: tuple[Point, ...]
    damping: Quantity = 0
    foreshortening: bool = True
    shear_stiffness: Quantity | Vector = 0
    rotary_inertia: Quantity | Vector = 0
    tension: Quantity = 0
    foundation: Quantity = 0
    torsional_stiffness: Quantity = 0
    polar_inertia: Quantity = 0
    spin: Quantity = 0
    loss: Quantity = 0

    def __post_init__(self) -> None:
        for name, kind in (("axial", shapes.ALONG), ("bending", shapes.ACROSS)):
            try:
                found = shapes.stated(getattr(self, name), kind)
            except ModelError as error:
                raise ModelError(str(error), element=f"beam {self.name}", field=name) from None
            object.__setattr__(self, name, found)

    @property
    def complex_alone(self) -> str:
        """As of a body; a loss factor is one more reason."""
        return super().complex_alone or ("" if self.loss == 0 else "has a loss factor")

    @property
    def linear_alone(self) -> str:
        """Why only `linear` takes it, and the remedy; empty if other algorithms do too."""
        if isinstance(self.bending_stiffness, tuple):
            return "is a beam in space; let rigid bodies on elastic hinges stand for it"
        said = [name for name in OF_LINEAR if getattr(self, name) not in (0, (0, 0))]
        if said:
            return f"has {' and '.join(said)}; leave {'them' if len(said) > 1 else 'it'} out"
        if not self.modes:
            return "has no shape function; give it some, axial and bending, or use a rigid body"
        return ""

    @property
    def modes(self) -> int:
        """The number of modal coordinates."""
        return self.axial_modes + self.bending_modes

    @property
    def axial_modes(self) -> int:
        """The number of modal coordinates along the axis, which come first."""
        return shapes.count(self.axial)

    @property
    def bending_modes(self) -> int:
        """The number of modal coordinates across the axis."""
        return shapes.count(self.bending)

    @property
    def axial_functions(self) -> tuple[shapes.Row, ...]:
        """The coefficients of ξ⁰, ξ¹, … of each axial function, exactly."""
        return shapes.coefficients(self.axial, shapes.ALONG)

    @property
    def bending_functions(self) -> tuple[shapes.Row, ...]:
        """The coefficients of ξ⁰, ξ¹, … of each bending function, exactly."""
        return shapes.coefficients(self.bending, shapes.ACROSS)


def beam_coordinates(beam: Beam) -> tuple[str, ...]:
    """Names of a beam's modal coordinates: `eta`, its name and a number, axial ones first."""
    return tuple(f"eta{beam.name}_{k}" for k in range(1, beam.modes + 1))


def beam_speeds(beam: Beam) -> tuple[str, ...]:
    """Names of a beam's modal speeds: `etad`, its name and a number, axial ones first."""
    return tuple(f"etad{beam.name}_{k}" for k in range(1, beam.modes + 1))
