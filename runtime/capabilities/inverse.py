"""Inverse dynamics: what given accelerations need, and what hinges carry meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..evaluation.arrays import Floats, Out
from ..evaluation.multipliers import choose
from .forward import OF_ENDS, as_told, driven
from .frames import check_frame, loads_in
from .loops import slopes
from .result import ELSEWHERE, SINGULAR, Result, There, Told


def _but_passive(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike,
    *,
    passive: Sequence[str] = (),
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    wrenches: npt.ArrayLike | None = None,
    out: Out = None,
) -> Any:
    """A motion with its accelerations, and the speeds along which no force acts."""
    return locals()


def _in_frame(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike,
    *,
    passive: Sequence[str] = (),
    frame: str = "inertial",
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    wrenches: npt.ArrayLike | None = None,
    out: Out = None,
) -> Any:
    """Such a motion, told in axes."""
    return locals()


def _forces(there: There, **given: Any) -> Floats:
    return _chosen(there, **given)["tau"]


def _loads(there: There, passive: Sequence[str], frame: str, **given: Any) -> Floats:
    check_frame(frame)
    flat = _chosen(there, passive, **given)["loads"]
    loads = flat.reshape(*flat.shape[:-1], len(there.code.ends), 6)
    return loads_in(there.code, frame, loads, given["q"], given["t"], given["parameters"])


def _driven(there: There, passive: Sequence[str]) -> Told | None:
    driven(there)
    return as_told(there, passive=passive)


def _drives(there: There, passive: Sequence[str], **given: Any) -> Floats:
    driven(there)
    return _chosen(there, passive, **given)["drive"]


def _chosen(there: There, passive: Sequence[str], **given: Any) -> dict[str, Floats]:
    """Results of inverse dynamics; with loops at the multipliers that `choose` chooses."""
    code, none = there.code, np.zeros(len(there.code.conditions))
    if not code.conditions and _is_empty(passive):
        return there.results(**given, mu=none)
    forces = there.results(entry="inverse_dynamics", **given, mu=none)["tau"]
    J = slopes(code, given["q"], t=given["t"], parameters=given["parameters"])
    return there.results(**given, mu=choose(code.model, forces, J, passive))


def _is_empty(names: Sequence[str]) -> bool:
    """Is it a list without names? Whether an array is one NumPy does not say."""
    return isinstance(names, (tuple, list)) and not names


class InverseDynamics:
    """Inverse dynamics: forces for given accelerations."""

    inverse_dynamics = Result(
        _but_passive,
        """The generalised forces that given accelerations need, besides the hinges' force laws.

        With closed loops many forces give the same motion: those of the tree, τ₀, plus Jᵀ μ for
        any μ, J being the `jacobian`. Of them the forces along the `passive` speeds (names) are
        zero, and all together are of least norm (SI units). `a` is to be one that the loops
        allow; then `accelerations` at these forces gives it back.
        """,
        "(…, nv); `a` (…, nv); `wrenches` as in `accelerations`",
        units="N, N m",
        frame="Hinge by hinge, as the speeds; `wrenches` in the inertial frame",
        sign="On the hinge's child by its parent, along the speed: the `tau` of `accelerations`",
        raises="""UsageError: another algorithm computes this; a shape that does not fit, a number
        that is not finite, or a passive speed that there is not.
        NumericsError: the result is not finite, or passive forces cannot vanish.""",
        source="Riccati paper (5), (14), in link axes; the choice of μ is own",
        arrays="tau",
        told=as_told,
        read=_forces,
    )
    inverse_loads = Result(
        _in_frame,
        "Moment and force at the hinge of each body's output end, at given accelerations.",
        """(…, nends, 6), as `joint_loads`; `a` (…, nv) and `passive` as in `inverse_dynamics`,
        whose reactions of the cuts these are""",
        *("N m, N", OF_ENDS, "As `joint_loads`"),
        f"""UsageError: another algorithm computes this; a shape that does not fit, a number
        that is not finite, another frame.
        {SINGULAR}""",
        source="Riccati paper (2), (5), (14)",
        arrays="loads",
        told=as_told,
        read=_loads,
    )
    inverse_drives = Result(
        _but_passive,
        "The generalised forces that drive the driven hinges, at given accelerations.",
        "(…, len(driven)); `a` (…, nv) and `passive` as in `inverse_dynamics`",
        "N, N m",
        sign="As `driving_forces`",
        raises=f"{ELSEWHERE.replace(':', ': no hinge is driven;')}.\n{SINGULAR}",
        source="Own: τ = Hᵀ λ",
        entry="inverse_dynamics",
        arrays="drive",
        told=_driven,
        read=_drives,
    )
