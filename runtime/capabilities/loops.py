"""Closed loops: how far they are open, what moves them, and what closes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...symbolic.language.tolerances import CUT_OFF, FAINT
from ..evaluation.anywhere import anywhere
from ..evaluation.arrays import Floats, Out
from ..evaluation.evaluator import Evaluator
from ..evaluation.noted import closes_at
from ..evaluation.solved import solves_of
from . import takes
from .momenta import Momenta
from .result import SINGULAR, UNFIT, Result, There, Told, plainly


def _opening(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    c: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A state, and how fast its loops open."""
    return locals()


def _of_code(there: There) -> Told | None:
    """As the code has them, where there are conditions."""
    return there.plain if there.code.conditions else None


def _gaps(there: There, q: npt.ArrayLike, v: npt.ArrayLike, **given: Any) -> tuple[Floats, Floats]:
    code = there.code
    if code.conditions:
        found: tuple[Floats, Floats] = plainly(there, q=q, v=v, **given)
        return found
    batch = np.broadcast_shapes(code.state("q", q).shape[:-1], code.state("v", v).shape[:-1])
    return np.zeros((*batch, 0)), np.zeros((*batch, 0))


def _jacobian(
    there: There, q: npt.ArrayLike, t: npt.ArrayLike, parameters: Mapping[str, float] | None
) -> Floats:
    code = there.code
    size = len(code.conditions), len(code.speeds)
    if not code.conditions:
        return np.zeros((*code.state("q", q).shape[:-1], *size))
    if code.has_momenta:
        place, when = _each(code, q, t)
        still, rows, tree = np.zeros(size[1]), np.eye(size[0]), anywhere(code)
        return -Momenta.momenta(tree, place, still, rows, t=when, parameters=parameters)
    found = there.results(q=q, t=t, parameters=parameters)["J"]
    return found.reshape(*found.shape[:-1], *size)


def _least(there: There, v: npt.ArrayLike, c: npt.ArrayLike, **given: Any) -> Floats:
    """The least change of the speeds; without conditions none."""
    if not there.code.conditions:
        return np.zeros_like(there.code.state("v", v))
    found: Floats = plainly(there, **given, v=v, c=c)
    return found


def _dependent(
    there: There, q: npt.ArrayLike, t: npt.ArrayLike, parameters: Mapping[str, float] | None
) -> npt.NDArray[np.int64]:
    """How many conditions no correction reaches: those that follow from others."""
    code, size = there.code, len(there.code.conditions)
    if not size:
        return np.zeros(code.state("q", q).shape[:-1], dtype=np.int64)
    code.require("correction", "redundant")
    place, when = _each(code, q, t)
    still = np.zeros(len(code.speeds))
    changes = Loops.correction(code, place, still, np.eye(size), t=when, parameters=parameters)
    _, opening = Loops.constraints(code, place, changes, t=when, parameters=parameters)
    trace = np.trace(opening, axis1=-2, axis2=-1)
    return np.asarray(np.rint(size + trace), dtype=np.int64)


@dataclass(frozen=True)
class Closing:
    """What a solve for multipliers meets at a place, where conditions of loops close.

    Of `conditions` at the body `place`, or at the ground, `rank` are of their own; of `dca` and
    `hdca` at a node of the assembly tree, with those of the hinge that joins its parts. `least` is
    their least pivot, as a part of what it would be if no position made it small; `dropped` the
    largest that was taken for zero, as a part of its condition's own scale.
    """

    place: str
    conditions: int
    rank: int
    least: float
    dropped: float


def _closings(
    there: There, q: npt.ArrayLike, t: npt.ArrayLike, parameters: Mapping[str, float] | None
) -> tuple[Closing, ...]:
    """Of the solves of a correction; without conditions none."""
    code = there.code
    if not code.conditions:
        return ()
    code.require("correction", "closings")
    solves = solves_of(code.backend, "correction")
    place = code.state("q", q)
    if solves is None or place.ndim > 1:
        why = "takes one place" if solves else "is told by no code of this target"
        raise UsageError(f"closings {why}; take {'them one by one' if solves else 'c or numpy'}")
    given = {"q": place, "t": code.state("t", t), "p": code.arguments.parameters(parameters)}
    of = code.backend.interface
    names = (*of.arguments["correction"], *of.results["correction"])
    buffers = {name: np.zeros((1, of.sizes[name])) for name in names}
    for name in given.keys() & buffers:
        buffers[name][...] = given[name]
    solves.forget()  # in the workspace that `run` takes
    code.backend.run("correction", buffers)
    told = solves.places(solves.recall())
    return tuple(
        Closing(closes_at(where, code.interface), size, int(rank), float(least), float(dropped))
        for where, (size, (least, dropped, rank)) in told.items()
    )


class Loops:
    """Closed loops: the conditions of cut and coupled hinges."""

    constraints = Result(
        takes.a_state,
        "How far cut hinges are open and coupled ones apart, and how fast; zero if closed.",
        "Twice (…, len(conditions))",
        "m, or 1 for the cosine of two axes; m/s, 1/s. Of a coupling those of the coordinate",
        """The point's axes of the cut hinge's parent; of `dca` and `hdca` inertial axes where the
        hinge holds all translations""",
        "Of a coupling: of the hinge that follows",
        arrays="phi phid",
        always=True,
        told=_of_code,
        read=_gaps,
    )
    jacobian = Result(
        takes.a_place,
        "J: the cut hinges open at the rate J v, and at what driven hinges add.",
        "(…, len(conditions), nv)",
        "1, m, 1/m: those of `constraints` per speed",
        """Rows as `constraints` of the same solver: `hdca` tells cuts that hold all translations
        in inertial axes, other algorithms in those of the cut's parent""",
        source="""Own: J = EᵀH, the columns moved inwards with all hinges locked; of `hdca` minus
        the momenta of σ alone, row by row""",
        arrays="J",
        always=True,
        told=_of_code,
        read=_jacobian,
    )
    correction = Result(
        _opening,
        "The change of the speeds, least in its kinetic energy, that adds −c to their opening.",
        "(…, nv); `c` (…, len(conditions))",
        raises=f"UsageError: {UNFIT}.\n{SINGULAR}",
        arrays="du",
        always=True,
        told=_of_code,
        read=_least,
    )
    redundant = Result(
        takes.a_place,
        """How many conditions of cut and coupled hinges follow from the others there.

        If as many do wherever the mechanism can come, the motion does not depend on it, and
        `determinate` says which loads do. If there are more here than elsewhere, the position is
        singular: more than one motion leads on from it (see `Run.passages`).
        """,
        "(…)",
        source="Own: the trace of what corrections of all conditions leave of them",
        entry="correction",
        always=True,
        read=_dependent,
    )
    closings = Result(
        takes.one_place,
        """Where conditions of loops close, and how firm they are there, one place at a time.

        See `Closing`. A rank that is less than elsewhere, or a least pivot below 1e-5 of what it is
        there, says which loops are in a singular position.
        """,
        "`q` (nq)",
        "Pivots are parts of 1",
        raises=f"UsageError: {UNFIT}; more than one place; a target that does not tell.",
        source="Own: the solves for the multipliers of a correction",
        entry="correction",
        always=True,
        read=_closings,
    )


def slopes(
    code: Evaluator,
    q: npt.ArrayLike,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Floats:
    """`jacobian`, zero where it is rounding: of conditions that nothing moves.

    Shape
        As `jacobian`.
    Raises
        UsageError: as `jacobian`.
    Source
        own
    """
    J = Loops.jacobian(code, q, t=t, parameters=parameters)
    return unrounded(J, code.interface.extents)


def _each(code: Evaluator, q: npt.ArrayLike, t: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Place and time with an axis for the conditions, one by one."""
    return code.state("q", q)[..., np.newaxis, :], code.state("t", t)[..., np.newaxis]


def unrounded(J: Floats, extents: Sequence[float]) -> Floats:
    """J (…, conditions, speeds) with rows of zeros where it is rounding of their extents.

    Beside other rows they count for nothing; where all are rounding a rank that is decided against
    the largest would take it for conditions.
    """
    sizes = np.sqrt(CUT_OFF * FAINT) * np.asarray(extents)
    moved = np.abs(J).max(axis=-1, initial=0.0) > sizes
    return np.where(moved[..., np.newaxis], J, 0.0)
