"""What all algorithms have in common: options, forms, and what makes their programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ...errors import UsageError
from ...model import Model
from ...shown import Shown
from ..language.program import Program
from ..plans.plan import Plan

#: From a plan to a program, with `runtime`, `forced`, `loaded` and the options by keyword.
Maker = Callable[..., Program]


@dataclass(frozen=True)
class Makers:
    """What makes the program of one form, by the model's coordinates; None if there is none."""

    joint: Maker | None = None
    absolute: Maker | None = None

    def of(self, model: Model) -> Maker | None:
        """The one for the coordinates of this model."""
        return self.absolute if model.absolute else self.joint


Forms = Mapping[str, Makers]


@dataclass(frozen=True, kw_only=True)
class Algorithm(Shown):
    """An algorithm with its options; each is a record of its own."""

    name: ClassVar[str] = ""
    #: The programs by form.
    forms: ClassVar[Forms]
    #: The programs of long chains in segments, if there are any.
    segments: ClassVar[Makers] = Makers()
    #: Does it take loops of which conditions follow from others wherever they stand?
    takes_redundant: ClassVar[bool] = True
    #: Does it take models of kinematics alone?
    kinematic: ClassVar[bool] = False
    #: Does it take hinges that share another's coordinate?
    takes_shared: ClassVar[bool] = False
    #: What it is for, where callers ask for that by another name.
    purpose: ClassVar[str] = ""
    #: Does it take beams as they are, without shape functions, in space too?
    exact_beams: ClassVar[bool] = False
    #: Does it take bodies and beams that spin about their axes, and loss factors?
    complex: ClassVar[bool] = False
    #: The algorithm that this one is another name of.
    alias_of: ClassVar[str] = ""

    #: Which of the equivalent sets of equations: as derived for speed, or as printed.
    form: str = "fast"

    def __post_init__(self) -> None:
        if type(self) is Algorithm:
            raise UsageError("Algorithm is what all have in common; take one, such as Riccati()")
        if not isinstance(self.form, str) or self.form not in self.forms:
            known = ", ".join(self.forms)
            raise UsageError(f"{self.name} has no form {self.form!r}; it has: {known}")

    @property
    def options(self) -> dict[str, Any]:
        """The options besides the form, by name; those at None are left to the maker."""
        given = {name: getattr(self, name) for name in options_of(type(self)) if name != "form"}
        return {name: value for name, value in given.items() if value is not None}

    def program(
        self,
        plan: Plan,
        *,
        runtime: tuple[str, ...] = (),
        forced: bool = False,
        loaded: bool | None = None,
    ) -> Program:
        """The program of a model; `runtime` parameters stay arguments.

        `forced` adds forces along the speeds, `loaded` (as `forced` by default) loads on the
        bodies.

        Raises
            UsageError: the algorithm does not take this model.
        """
        if plan.model.kinematic and not self.kinematic:
            raise UsageError(f"{self.name}: {plan.model.no_dynamics}")
        if plan.model.followers and not self.takes_shared:
            (first, leader), *_ = plan.model.followers.items()
            raise UsageError(
                f"{plan.model.name}: {self.name}{self.purpose} takes no hinge that shares "
                f"another's coordinate ({first} that of {leader.hinge}); use riccati, or let it "
                "keep its own: own = true in its mimic, or model.with_own_coordinates()"
            )
        for beam in () if self.exact_beams else plan.model.beams:
            if beam.linear_alone:
                raise UsageError(
                    f"{plan.model.name}: beam {beam.name} {beam.linear_alone}, or use linear: "
                    f"{self.name} takes no such beam"
                )
        for body in () if self.complex else plan.model.bodies:
            if body.complex_alone:
                raise UsageError(
                    f"{plan.model.name}: {body.kind} {body.name} {body.complex_alone}, which "
                    f"damped takes, not {self.name}"
                )
        makers = self.forms[self.form]
        make = makers.of(plan.model)
        if make is None:
            model, takes = plan.model.name, "joint" if makers.joint else "absolute"
            has = "joint" if takes == "absolute" else "absolute"
            raise UsageError(
                f"{model} is in {has} coordinates, {self.name} ({self.form}){self.purpose} takes "
                f"{takes} ones: "
                f'write coordinates = "{takes}" in its file, or replace(model, absolute='
                f"{takes == 'absolute'}, q0=(), v0=())"
            )
        return make(plan, runtime=runtime, forced=forced, loaded=loaded, **self.options)


def options_of(algorithm: type[Algorithm]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(algorithm))
