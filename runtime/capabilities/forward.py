"""Forward dynamics: the accelerations that forces give, and what hinges carry meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ..evaluation.arrays import Floats, Out
from . import takes
from .frames import axes_of, check_frame, loads_in, turned
from .result import UNFIT, Result, There, Told, read_out
from .self_stress import Compliances, SelfStress

if TYPE_CHECKING:
    from .end_states import EndStates

#: What motions of loops refuse besides.
SINGULAR = """NumericsError: the result is not finite.
SingularPositionError: the loops are singular there, and the speeds tell no limit."""

#: What the axes are of loads that are reported where bodies hang.
OF_ENDS = """`inertial`, or `body`: the axes of the body whose output end it is (of a beam: of its
floating frame)"""


def _with_compliances(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike | None = None,
    *,
    frame: str = "inertial",
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    wrenches: npt.ArrayLike | None = None,
    compliances: Compliances | None = None,
    out: Out = None,
) -> Any:
    """A motion under forces, and what tells how loops share loads."""
    return locals()


def _in_frame(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike | None = None,
    *,
    frame: str = "inertial",
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    wrenches: npt.ArrayLike | None = None,
    out: Out = None,
) -> Any:
    """A motion under forces, told in axes."""
    return locals()


def _place_in_frame(
    q: npt.ArrayLike,
    *,
    frame: str = "inertial",
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A place, told in axes."""
    return locals()


def as_told(
    there: There, frame: str = "inertial", passive: Any = (), compliances: Any = None
) -> Told | None:
    """As the code has them: in inertial axes, where no loops leave a choice."""
    chosen = there.code.conditions or passive or compliances
    return None if chosen or frame != "inertial" else there.plain


def _loads(there: There, frame: str, compliances: Compliances | None, **given: Any) -> Floats:
    """The loads of the motion, with the self-stress that belongs to them."""
    check_frame(frame)
    at = given["q"], given["t"], given["parameters"]
    found = there.results(**given)["loads"]
    loads = found.reshape(*found.shape[:-1], len(there.code.ends), 6)
    settled = SelfStress(there.code).settled(loads, *at, compliances)
    return loads_in(there.code, frame, settled, *at)


def _determinate(there: There, frame: str, **given: Any) -> npt.NDArray[np.bool_]:
    stresses: SelfStress = there.kept.setdefault(SelfStress, SelfStress(there.code))
    return stresses.determinate(frame=frame, **given)


def _ends(there: There, frame: str) -> Told | None:
    """The states of all ends in inertial axes, bodies' first."""
    from ...symbolic.mechanics.vectors import Side
    from ...symbolic.plans.ends import element_ends
    from .end_states import EndStates

    check_frame(frame)
    if frame != "inertial":
        return None
    if "ends" not in there.kept:
        ends, places = element_ends(there.code.generated.plan), there.code.names("states")
        at = np.array([places.index(end.member) for end in ends], dtype=np.intp)
        names = tuple(end.name for end in ends)
        elements = tuple(end.element for end in ends)
        sides = tuple("IO"[end.side is Side.OUTPUT] for end in ends)

        def states(za: Floats, zb: Floats) -> EndStates:
            told = (zb.take(at, axis=-2), za.take(at, axis=-2))
            return EndStates(names, elements, sides, frame, *told)

        axes = dict.fromkeys(("za", "zb"), (len(places), 6))
        there.kept["ends"] = Told(there.code, there.entry, axes, makes=states)
        there.kept["bodies"] = [end.body for end in ends]
    found: Told = there.kept["ends"]
    return found


def _turned_ends(there: There, frame: str, **given: Any) -> EndStates:
    """The states of all ends, turned into the axes of bodies where these are asked for."""
    from .end_states import EndStates

    check_frame(frame)
    told = _ends(there, "inertial")
    assert told is not None
    found: EndStates = read_out(there, told, **given)
    if frame == "inertial":
        return found
    where = given["q"], given["t"], given["parameters"]
    axes = axes_of(there.code, there.kept["bodies"], *where)
    parts = (turned(axes, x) for x in (found.accelerations, found.loads))
    return EndStates(found.ends, found.elements, found.sides, frame, *parts)


def driven(there: There) -> Told:
    """The forces as the code has them.

    Raises
        UsageError: no hinge is driven.
    """
    if not there.code.driven:
        raise UsageError(f"{there.code.model.name}: no hinge is driven")
    return there.plain


class ForwardDynamics:
    """Forward dynamics: accelerations, and the loads that belong to them."""

    accelerations = Result(
        takes.forced,
        "The time derivative of the speeds.",
        """(…, nv). `t` (…): the time, for laws that depend on it. `tau` (…, nv): a force along
        each speed. `wrenches` (…, nbodies, 6): per body an external moment and force at its
        centre of mass, of a beam at its middle section, in the order of the loads""",
        units="rad/s², m/s²; N m, N",
        frame="As the speeds; `wrenches` in the inertial frame",
        sign="About positive axes; in joint coordinates on the hinge's child",
        raises=f"UsageError: {UNFIT}.\n{SINGULAR}",
        source="Riccati paper, Sects. 3 and 4, completed",
        arrays="a",
    )
    joint_loads = Result(
        _with_compliances,
        """Moment and force at the hinge of each body's output end.

        Where conditions of loops are redundant, the motion does not tell all loads: see
        `determinate`. Of the others those are given that are least over all hinges,
        Σ |q|² + |m|² / l², the moments about the points of the hinges' children, l the longest
        arm of a body. With `compliances`, (rad/(N m), m/N) by hinge, they are those of least
        energy Σ c_m |m|² + c_q |q|². Cuts, directions and algorithms change neither; with beams
        the multipliers of the cuts are the least.
        """,
        "(…, nends, 6): m_x, m_y, m_z, q_x, q_y, q_z for each of `ends`",
        *("N m, N", OF_ENDS),
        """The paper's at an output end: `q` is the force by the body on what it hangs on, `m`
        the moment on the body""",
        f"""UsageError: a shape that does not fit, a number that is not finite, another frame.
        {SINGULAR}""",
        source="Riccati paper (2), (31), (33)",
        arrays="loads",
        told=as_told,
        read=_loads,
    )
    determinate = Result(
        _place_in_frame,
        "Which components of `joint_loads` the motion tells; the others are a choice.",
        "(…, nends, 6), as `joint_loads`",
        frame="As `joint_loads`: a force may be determinate along an axis of its body alone",
        raises="""OpenStateError: the loops are open there.
        UsageError: a shape that does not fit, a number that is not finite, another frame; or
        conditions are redundant in a model with beams, of which this is not known.""",
        source="Own: components to which no multipliers with Jᵀ μ = 0 add",
        entry="joint_loads",
        read=_determinate,
    )
    end_states = Result(
        _in_frame,
        "Accelerations and loads at every end of every element, bodies and hinges.",
        """`accelerations` and `loads` (…, n, 6) of n ends, see `EndStates`. A whole run's are
        `solver.end_states(run.q, run.v, t=run.time)`""",
        "m/s², rad/s²; N m, N",
        "`inertial`, or `body`: the axes of the body that the end belongs to or is joined to",
        "The paper's: the element gets +q and −m at an input end, −q and +m at an output end",
        f"""UsageError: another algorithm computes this; a shape that does not fit, a number
        that is not finite, another frame.
        {SINGULAR}""",
        source="Riccati paper (2), (14), (31); deduction paper for the hinges",
        told=_ends,
        read=_turned_ends,
    )
    driving_forces = Result(
        takes.forced,
        "The generalised forces that drive the driven hinges as prescribed.",
        *("(…, len(driven))", "N, N m"),
        sign="On the hinge's child, along the coordinate",
        raises=f"""UsageError: no hinge is driven; a shape that does not fit; a number not finite.
        {SINGULAR}""",
        source="Own: τ = Hᵀ λ",
        arrays="drive",
        always=True,
        told=driven,
    )
