"""What the speeds of closed loops are for some of them that are independent."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ...model.parts.naming import nearest
from ...symbolic.language.tolerances import CUT_OFF
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from .loops import slopes

#: How well the dependent speeds must follow from the independent ones, of the largest.
FOLLOWS = 1e-9


def following(
    code: Evaluator,
    independent: tuple[str, ...],
    q: npt.ArrayLike,
    t: npt.ArrayLike,
    parameters: Mapping[str, float] | None,
) -> Floats:
    """N: all speeds for each independent one, so that the loops stay closed.

    Shape
        (…, nv, nindependent).
    Raises
        UsageError: there is no such speed.
        NumericsError: they do not determine the others there, or hang together themselves.
    Source
        Own: G N = 0, G being the loops' `jacobian`.
    """
    speeds, model = code.speeds, code.model.name
    for name in independent:
        if name not in speeds:
            raise UsageError(f"{model} has no speed {name!r}{nearest(name, speeds)}")
    G = slopes(code, q, t=t, parameters=parameters)
    first = [speeds.index(name) for name in independent]
    rest = [k for k in range(len(speeds)) if k not in first]
    inverse = np.linalg.pinv(G[..., rest], rcond=CUT_OFF)
    N = np.zeros((*G.shape[:-2], len(speeds), len(first)))
    N[..., first, range(len(first))] = 1.0
    N[..., rest, :] = -inverse @ G[..., first]
    told = np.linalg.matrix_rank(G[..., rest], tol=CUT_OFF) if rest else np.zeros(1)
    open_ = np.abs(G @ N).max(initial=0.0)
    if open_ > FOLLOWS * max(1.0, np.abs(N).max(initial=0.0)) or (told < len(rest)).any():
        free = len(speeds) - int(np.linalg.matrix_rank(G, tol=CUT_OFF).max())
        raise NumericsError(
            f"{model}: the speeds {', '.join(independent)} do not determine the others there, "
            f"or hang together; the loops leave {free} independent"
        )
    return N
