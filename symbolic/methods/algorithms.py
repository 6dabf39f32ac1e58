"""The list of algorithms: one record each, with its options and the programs that it is.

A record and the folder that it names are all that an algorithm takes; `ALGORITHMS` is made of them.

An algorithm with its options chosen is a value: `Dca(assembly="((1,2),3),ground")`. A plain name
stands for the one with every option at its default.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, ClassVar

from ...blame import blamed_parts
from ...errors import UsageError
from ...model import Model
from ...model.parts.naming import nearest
from ..language.program import Program
from ..plans.jacobian_indices import ORDER
from ..plans.plan import plan
from .algorithm import Algorithm as Algorithm
from .algorithm import Forms, Maker, Makers, options_of
from .inverse.places import Representation


def _later(name: str) -> Maker:
    """What makes a program, its `module:function` imported when it is first asked to.

    So an algorithm costs nobody the kernels of all others.
    """
    module, _, function = name.partition(":")

    def make(*given: Any, **options: Any) -> Program:
        program: Program = getattr(import_module(f"{__package__}.{module}"), function)(
            *given, **options
        )
        return program

    return make


def _fast(name: str, *, absolute: bool = False, **options: Any) -> Forms:
    """One form, `fast`, of joint coordinates; of absolute ones too, if the program takes them."""
    make = partial(_later(name), **options) if options else _later(name)
    return {"fast": Makers(joint=make, absolute=make if absolute else None)}


class Riccati(Algorithm):
    """The Riccati method: stable, linear in the number of bodies; also as printed (`form="paper"`).

    Source
        Riccati paper, equations (20)-(34); the fast form is own.
    """

    name = "riccati"
    takes_shared = True
    kinematic = True
    forms: ClassVar[Forms] = {
        "fast": Makers(
            joint=_later("riccati.joint:joint_program"),
            absolute=_later("riccati.absolute:fast_program"),
        ),
        "paper": Makers(absolute=_later("riccati.paper:paper_program")),
    }
    segments = Makers(
        joint=_later("lanes.joint:joint_segment_program"),
        absolute=_later("lanes.absolute:segment_program"),
    )


class Articulated(Riccati):
    """Another name of the Riccati method, whose fast form is the articulated-body recursion.

    Its S, read as the inertia of the subtree (`dialect`), is the articulated inertia.
    """

    name = "articulated"
    alias_of = "riccati"
    forms: ClassVar[Forms] = {"fast": Riccati.forms["fast"]}


class Overall(Algorithm):
    """The plain overall transfer equation, which loses digits on long chains.

    Source
        Deduction paper.
    """

    name = "overall"
    takes_redundant = False
    forms = _fast("overall.program:overall_program", absolute=True)


class RneaBody(Algorithm):
    """Inverse dynamics in the links' own axes, and the mass matrix.

    Source
        Screw paper (43), (44), (67), (68); Riccati paper (5), (14) say the same.
    """

    name = "rnea-body"
    takes_shared = True
    forms = _fast("inverse.program:inverse_program", of=Representation.BODY)


class RneaSpatial(Algorithm):
    """Inverse dynamics about the inertial origin.

    Source
        Screw paper (69)-(72).
    """

    name = "rnea-spatial"
    takes_shared = True
    forms = _fast("inverse.program:inverse_program", of=Representation.SPATIAL)


class RneaHybrid(Algorithm):
    """Inverse dynamics in inertial axes about the links' origins.

    Source
        Screw paper (73), (76), (77).
    """

    name = "rnea-hybrid"
    takes_shared = True
    forms = _fast("inverse.program:inverse_program", of=Representation.HYBRID)


class RneaMixed(Algorithm):
    """Inverse dynamics with moments in links' axes and forces in inertial ones.

    Source
        Screw paper (57), (58); the recursion is own.
    """

    name = "rnea-mixed"
    takes_shared = True
    forms = _fast("inverse.program:inverse_program", of=Representation.MIXED)


class ClosedForm(Algorithm):
    """The matrices M and C, gravity's forces, momenta and screws.

    Source
        Screw paper (82), (85).
    """

    name = "closed-form"
    takes_shared = True
    forms = _fast("closed.program:closed_program")


@blamed_parts
@dataclass(frozen=True, kw_only=True)
class Jacobians(Algorithm):
    """Geometric Jacobians of all bodies and their partial derivatives up to `order`.

    Source
        Screw paper (6)-(26).
    """

    name = "jacobians"
    takes_shared = True
    kinematic = True
    forms = _fast("jacobians.program:jacobian_program")

    order: int = ORDER


@blamed_parts
@dataclass(frozen=True, kw_only=True)
class Frames(Algorithm):
    """Poses, velocities, accelerations, Jacobians and their rates of frames.

    `frames` names those there are to be; by default all of the model. Of `["*"]` there is one,
    which is told at run time, and of all frames the poses.

    Source
        Screw paper (102)-(107), (17), (28), (34).
    """

    name = "frames"
    takes_shared = True
    kinematic = True
    forms = _fast("frames.program:frame_program")

    frames: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.frames is not None:
            given: Any = self.frames
            if not all(isinstance(x, str) for x in given):
                raise UsageError(f"frames = {given!r} must be a list of names")
            object.__setattr__(self, "frames", tuple(dict.fromkeys(given)))


@blamed_parts
@dataclass(frozen=True, kw_only=True)
class Kinematics(Frames):
    """Twists of frames with their first and second rates, in four representations.

    Source
        Screw paper (14), (22), (32).
    """

    name = "kinematics"
    forms = _fast("kinematics.program:kinematics_program")


class Centroidal(Algorithm):
    """The centre of mass and the centroidal momentum matrix, with their rates.

    Source
        Screw paper (36), (38); sums over links are own.
    """

    name = "centroidal"
    takes_shared = True
    forms = _fast("centroidal.program:centroidal_program")


@blamed_parts
@dataclass(frozen=True, kw_only=True)
class Reaching(Algorithm):
    """One step of inverse kinematics of a `frame`, of `*` of one that is told at run time.

    The latter is the code that `inverse_kinematics` runs.

    Source
        Damped least squares (Nakamura and Hanafusa 1986, Wampler 1986).
    """

    name = "reaching"
    takes_shared = True
    kinematic = True
    forms = _fast("reaching.program:reaching_program")

    frame: str = ""


class Sensitivities(Algorithm):
    """Derivatives of inverse dynamics, also by masses and places.

    Source
        Screw paper, Sect. 6.2.
    """

    name = "sensitivities"
    forms = _fast("sensitivities.program:sensitivity_program")


class Slaats(Algorithm):
    """The recursive formulation with effective masses, for trees.

    Source
        Recursive-formulation paper.
    """

    name = "slaats"
    forms = _fast("effective_mass.program:slaats_program")


@blamed_parts
@dataclass(frozen=True, kw_only=True)
class Dca(Algorithm):
    """Divide and conquer on an assembly tree, such as `((1,2),(3,hub[4,5])),ground`.

    `assembly` names the bodies; by default the tree is balanced.

    Source
        Divide-and-conquer paper.
    """

    name = "dca"
    forms = _fast("divide.program:dca_program")

    assembly: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.assembly is not None and not isinstance(self.assembly, str):
            raise UsageError(
                f"assembly = {self.assembly!r} is no text such as '((1,2),(3,4)),ground'"
            )


class Hdca(Dca):
    """Divide and conquer for joint momenta, whose velocities keep loops closed to rounding.

    Source
        Divide-and-conquer paper.
    """

    name = "hdca"
    forms = _fast("divide.program:hdca_program")


class InverseRates(Algorithm):
    """Inverse dynamics with two rates in time.

    Source
        Screw paper.
    """

    name = "inverse-rates"
    takes_shared = True
    forms = _fast("rates.program:rates_program")


class Derivatives(Algorithm):
    """The derivatives of the accelerations alone: the code that any solver's `derivatives` runs.

    `form="tangent"`: always as tangents of the Riccati method.
    """

    name = "derivatives"
    takes_shared = True
    forms: ClassVar[Forms] = {
        "fast": Makers(
            joint=_later("derivatives.program:derivative_program"),
            absolute=_later("derivatives.program:derivative_program"),
        ),
        "tangent": Makers(
            joint=_later("derivatives.program:tangents_of_dynamics"),
            absolute=_later("derivatives.program:tangents_of_dynamics"),
        ),
    }


class Pullback(Algorithm):
    """Vector–Jacobian products of the accelerations: the code that any solver's `pullback` runs.

    Source
        Own: the Riccati method backwards.
    """

    name = "pullback"
    takes_shared = True
    forms = _fast("pullbacks.program:pullback_program", absolute=True)


class InversePullback(Algorithm):
    """Vector–Jacobian products of inverse dynamics, as `inverse_pullback` runs.

    Source
        Own: inverse dynamics in links' axes backwards.
    """

    name = "inverse-pullback"
    takes_shared = True
    forms = _fast("pullbacks.program:inverse_pullback_program")


@blamed_parts
@dataclass(frozen=True, kw_only=True)
class Linear(Algorithm):
    """The linear transfer matrix method: eigenvalues counted, and harmonic response.

    Each stretch of a beam between its points is cut into `cells`, by default 16; a power of two, so
    short that the largest wave number times the length of one is at most 1.5.

    Source
        Own: the Riccati method with displacements in place of accelerations; the count is
        Sylvester's and Haynsworth's.
    """

    name = "linear"
    takes_shared = True
    exact_beams = True
    purpose = ", by which modes are found,"
    forms = _fast("linear.program:linear_program")

    cells: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.cells
        if given is not None and (type(given) is not int or given < 1):
            raise UsageError(f"cells = {given!r} must be a whole number from 1 on")


class Damped(Linear):
    """The linear transfer matrix method at a complex frequency: determinant and response.

    Dampers, laws that feed energy, loads that follow bodies and what spins count. `cells` as of
    `linear`.

    Source
        Own: the sweeps of `linear` with ω² = −s², not symmetric.
    """

    name = "damped"
    complex = True
    purpose = ""
    forms = _fast("linear.damped:damped_program")


#: All that solvers may have, in the order of this page.
ALGORITHMS: tuple[type[Algorithm], ...] = tuple(
    x for x in list(vars().values()) if isinstance(x, type) and issubclass(x, Algorithm) if x.name
)


class Stresses(Algorithm):
    """States of self-stress of closed loops: the code that any solver's loads run, not a solver.

    Source
        own
    """

    name = "stresses"
    forms = _fast("stresses.program:stress_program")


def chosen(algorithm: str | Algorithm | type[Algorithm], **options: Any) -> Algorithm:
    """The algorithm of this name with these options; one that has its options is taken as it is.

    An option that is None has its default.

    Raises
        UsageError: there is no such algorithm, or it has no such option.
    """
    options = {name: value for name, value in options.items() if value is not None}
    if isinstance(algorithm, Algorithm):
        if options:
            named = " and ".join(options)
            raise UsageError(f"write {named} into the algorithm: {type(algorithm).__name__}(…)")
        return algorithm
    if isinstance(algorithm, type) and issubclass(algorithm, Algorithm):
        algorithm = algorithm.name
    known = {each.name: each for each in ALGORITHMS}
    if not isinstance(algorithm, str) or algorithm not in known:
        guess = nearest(str(algorithm).lower(), known)
        raise UsageError(f"there is no algorithm {algorithm!r}{guess}; known: {', '.join(known)}")
    for option in options:
        if option not in options_of(known[algorithm]):
            having = [name for name, each in known.items() if option in options_of(each)]
            whose = f"; it belongs to {' and '.join(having)}" if having else ""
            raise UsageError(f"{algorithm} has no option {option!r}{whose}")
    return known[algorithm](**options)


def algorithms_by_entry(model: Model) -> dict[str, tuple[str, ...]]:
    """By the entries that a model may have, the names of the algorithms that compute them."""
    its_plan, found = plan(model), dict[str, tuple[str, ...]]()
    for algorithm in ALGORITHMS:
        if algorithm.alias_of:
            continue
        try:
            program = algorithm().program(its_plan)
        except UsageError:
            continue  # it does not take this model
        for entry in program.entries:
            found[entry.name] = (*found.get(entry.name, ()), algorithm.name)
    return found
