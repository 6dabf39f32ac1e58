"""Natural modes: the method of solvers."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...codegen.face.announced import announced
from ...errors import UsageError
from ...model.checks.doubts import warn
from ...model.expressions.quantities import shorten
from ..evaluation.arrays import count as whole
from ..evaluation.arrays import shaped
from ..evaluation.evaluator import Evaluator
from .feeding import feeding
from .finding import found
from .generated import stiffness_for
from .modes import Modes
from .rest import at_rest

#: So many modes are found where nothing else is asked for.
MODES = 10


def modes(
    code: Evaluator,
    q: npt.ArrayLike | None = None,
    *,
    count: int | None = None,
    below: float | None = None,
    prove: bool = False,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Modes:
    """The natural modes of small undamped motions about a place at rest, and that these are all.

    The first `count` (default: 10), rigid-body modes and unstable ones among them, or those `below`
    a circular frequency. Equal ones are not parted: there may be more than `count`. `q` is a place
    at rest; by default the start, if that is at rest, or an equilibrium near it. Loads at rest
    count, as weight does in a pendulum; dampers do not. A `ModelWarning` names laws that feed
    energy in with the speed, which are left out as well.

    They are found by counting: the recursion tells how many lie below any frequency, so that none
    is missed. Where doubles cannot tell the count, balls do (extra `proof`); with `prove` they do
    everywhere, close to each eigenvalue.

        >>> import mstmm
        >>> solver = mstmm.compile("double-pendulum", target="numpy")
        >>> solver.modes([0.0, 0.0]).frequencies.round(6).tolist()
        [3.756082, 10.194038]

    Shape
        `q` (nq).
    Units
        SI, rad; `below` rad/s.
    Raises
        UsageError: `q` is not at rest; `count` and `below` are both given, or mean nothing; or the
            model has what small undamped motions do not have, as forces that follow a body.
        NumericsError: no equilibrium is found, or what was found is not all, by the count.
        ToolchainError: python-flint is missing (extra `proof`), and asked for or needed.
    Source
        Counts by Sylvester's law of inertia, as Wittrick and Williams (1971) for frames; here of
        the Riccati recursion's own pivots. Refinement and certificate are own.
    """
    if count is not None and below is not None:
        raise UsageError("count and below are both given; leave one out")
    first = None if below is not None else whole("count", MODES if count is None else count, 1)
    limit = None if below is None else float(shaped("below", below, ()))
    square = None if limit is None else limit * limit
    if limit is not None and not (limit > 0 and 0.0 < limit * limit < np.inf):
        raise UsageError(
            f"below = {below!r} must be a frequency above 0, in rad/s, whose square is a number "
            "above 0 too"
        )
    if not isinstance(prove, bool):
        raise UsageError(f"prove is True or False, not {prove!r}")
    rest = at_rest(code, q, t=t, parameters=parameters)
    given: dict[str, Any] = {"t": t, "parameters": parameters}
    stiffness = stiffness_for(code, rest.q, first=first, below=square, **given)
    if fed := [*feeding(rest.code, stiffness.model, rest.q, t)]:
        warn(
            f"{code.model.name}: {shorten(fed)} feeds energy in as it moves, which modes leave "
            "out; solver.linearize(q, v) does not",
            cause=fed[0],
        )
    what = f"proving the modes of {code.model.name}: two counts in balls for each"
    with announced(what) if prove else nullcontext():
        modes = stiffness.modes(found(stiffness, first=first, below=square, prove=prove))
    return replace(modes, origin=rest.origin)
