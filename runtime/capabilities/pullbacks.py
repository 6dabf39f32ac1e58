"""Vector–Jacobian products: how one number made of results changes with all that they depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...shown import Shown
from ..evaluation.arrays import Floats, Out
from .result import ELSEWHERE, SINGULAR, UNFIT, Result, There, Told


@dataclass(frozen=True, repr=False)
class Pullback(Shown):
    """The accelerations a, and the derivatives of g·a: gᵀ times those in `Derivatives`.

    Shape
        `a`, `q`, `v`, `tau` (…, nv); `p` (…, np), by run-time parameter in the solver's order.
    Units
        Of g·a by that of the direction.
    Frame
        `q` is along unit speeds, as the columns of `Derivatives.dq`.
    """

    a: Floats
    q: Floats
    v: Floats
    tau: Floats
    p: Floats


@dataclass(frozen=True, repr=False)
class InversePullback(Shown):
    """The forces τ that accelerations need, and the derivatives of g·τ.

    Shape
        `tau`, `q`, `v`, `a` (…, nv); `p` (…, np), by run-time parameter in the solver's order.
    Units
        Of g·τ by that of the direction; `a` is M g.
    Frame
        `q` is along unit speeds, as the columns of `Derivatives.dq`.
    """

    tau: Floats
    q: Floats
    v: Floats
    a: Floats
    p: Floats


def _counted(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike,
    g: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A motion under forces, and how much each acceleration counts."""
    return locals()


def _forces_counted(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike,
    g: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A motion with its accelerations, and how much each force counts."""
    return locals()


def _told(there: There, makes: Callable[..., Any], names: tuple[str, ...]) -> Told:
    """The arrays; where there are no run-time parameters their derivatives have no numbers."""
    n, parameters = len(there.code.speeds), len(there.code.parameters)
    axes = dict.fromkeys(names, (n,))
    if parameters:
        return Told(there.code, there.entry, {**axes, "gp": (parameters,)}, makes=makes)

    def made(*found: Floats) -> Any:
        return makes(*found, np.empty((*found[0].shape[:-1], 0)))

    return Told(there.code, there.entry, axes, makes=made)


def _of_accelerations(there: There) -> Told:
    return _told(there, Pullback, ("a", "gq", "gv", "gtau"))


def _of_forces(there: There) -> Told:
    if there.code.conditions:
        raise UsageError(
            f"{there.code.model.name} has closed loops, where many forces give the same motion: "
            "inverse_pullback is of trees; pullback is of accelerations, with loops too"
        )
    return _told(there, InversePullback, ("tau", "gq", "gv", "gad"))


class Pullbacks:
    """Vector–Jacobian products, by generated code that runs backwards."""

    pullback = Result(
        _counted,
        """The derivatives of g·a by all coordinates, speeds, forces and run-time parameters.

        It costs two to three calls of `accelerations`, whatever the number of directions, where
        `derivatives` grow with it. Its `tau` is M⁻¹ g where there are no loops. With closed loops,
        and where laws step, as `derivatives`.
        """,
        *("See `Pullback`; `g` (…, nv): how much each acceleration counts", "See `Pullback`"),
        "Of `q` the axes of the moving body, see `Derivatives`",
        raises=f"""UsageError: {UNFIT}.
        CodegenError: a force law has no derivative that could be generated.
        {SINGULAR}""",
        source="Own: the Riccati method backwards, each kernel by its transposed derivative",
        algorithm="pullback",
        told=_of_accelerations,
        makes=Pullback,
    )
    inverse_pullback = Result(
        _forces_counted,
        """The derivatives of g·τ, τ being the forces that the accelerations `a` need.

        It is of trees: with closed loops many forces give the same motion.
        """,
        *("See `InversePullback`; `g` (…, nv): how much each force counts", "See `Pullback`"),
        "Of `q` the axes of the moving body, see `Derivatives`",
        raises=f"""{ELSEWHERE}, or closed loops.
        {SINGULAR}""",
        source="Own: inverse dynamics backwards, each kernel by its transposed derivative",
        algorithm="inverse-pullback",
        told=_of_forces,
        makes=InversePullback,
    )
