"""States with closed loops near those that leave them open."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ...symbolic.language.tolerances import AROUND, CUT_OFF, FAINT
from ..capabilities.loops import Loops, slopes
from ..capabilities.momenta import Momenta
from ..capabilities.poses import Poses
from ..evaluation.anywhere import anywhere
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from ..stepping.outcomes import DONE
from .cut_targets import CutTargets
from .upright import turned_about


def project(
    code: Evaluator,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> tuple[Floats, Floats]:
    """The state with closed loops near this one: Gauss–Newton for q, one correction of v.

    Quaternions come back with unit length. Many closed states are near an open one. Every step
    is the least in the kinetic energy for the gaps as they are told, and `dca` and `hdca` tell
    some in other axes than other algorithms (see `constraints`): their closed states differ by
    the square of the gap. To compare motions, hand one closed state to all.

    Shape
        `q` (nq), `v` (nv): one state.
    Raises
        UsageError: a shape that does not fit, or a number that is not finite.
        NumericsError: the loops cannot be closed from there, or only with an end of a cut
            hinge turned about.
        OpenStateError: beside a singular position, where speeds are known to few digits, what
            is found leaves more open than a state may.
    Source
        Own: q += −M⁻¹ Jᵀ Λ⁻¹ φ, and v likewise with φ̇.
    """
    if code.conditions and code.has_momenta:
        tree = anywhere(code)
        p = Momenta.momenta(tree, q, v, t=t, parameters=parameters)
        q, p = closed(code, q, p, t=t, parameters=parameters)
        v = Momenta.velocities(tree, q, p, t=t, parameters=parameters)
    else:
        q, v = closed(code, q, v, t=t, parameters=parameters)
    code.see_closed("project", q, v, t=t, parameters=parameters)
    return q, v


def closed(
    code: Evaluator,
    q: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> tuple[Floats, Floats]:
    """`project` of what the state holds, be it the speeds or the joint momenta.

    Momenta come back as those of the same motion with impulses of the cuts of zero.
    """
    q, second = code.state("q", q).copy(), code.state("v", second).copy()
    if q.ndim > 1 or second.ndim > 1:
        raise UsageError(f"loops are closed one state at a time; q has the shape {q.shape}")
    if not code.conditions:
        return q, second
    code.require("correction", "project")
    name = code.interface.state[1]
    buffers = {"q": q[np.newaxis], name: second[np.newaxis]}
    buffers["t"] = code.state("t", t).reshape(1, 1)
    buffers["p"] = code.parameter_values(parameters)[np.newaxis]
    if not hasattr(code.backend, "project"):
        raise UsageError(
            f"no kernel of target {code.target!r} closes loops: close them by mstmm.compile(model)"
        )
    if code.backend.project(buffers) != DONE:
        at = Poses.retracted(code, q)
        gap, _ = Loops.constraints(code, at, second, t=t, parameters=parameters)
        raise NumericsError(
            f"{code.model.name}: the loops cannot be closed from this state, "
            f"{np.abs(gap).max():.3g} is left; give a q0 nearer to a closed one"
        )
    turned = turned_about(CutTargets(code, dict(parameters or {}), t), q)
    if turned:
        raise NumericsError(
            f"{code.model.name}: from this state the loops close with an end of hinge "
            f"{turned.name} turned about; give a q0 nearer to a closed one, or call assemble"
        )
    return q, second


def refuse_redundant(code: Evaluator) -> None:
    """See that no condition follows from others, at the model's start and beside it.

    By the slopes alone, whatever the masses; with beams these are not known.

    Raises
        UsageError: some do at all of these states.
    """
    model = code.model
    if not code.computes("jacobian"):
        return
    beside = np.sin(1.0 + 2.4 * np.arange(len(model.q0)))
    found: list[int] = []
    for away in (0.0, AROUND):
        place = Poses.retracted(code, np.add(model.q0, away * beside))
        try:
            q, _ = project(code, place, np.zeros(len(model.speeds)))
        except NumericsError:
            continue  # which a call will say
        J = slopes(code, q) / np.array(code.interface.extents)[:, np.newaxis]
        values = np.linalg.svd(J, compute_uv=False)
        told = values > np.sqrt(CUT_OFF) * max(values.max(initial=0.0), np.sqrt(FAINT))
        found.append(len(J) - int(told.sum()))
    least = min(found, default=0)
    if least:
        raise UsageError(
            f"{model.name}: {code.algorithm} meets every condition of the loops exactly, "
            f"and {least} of the {len(code.conditions)} follow from the others "
            "wherever the mechanism stands; use riccati or dca, or leave out a hinge that "
            "holds what others hold"
        )
