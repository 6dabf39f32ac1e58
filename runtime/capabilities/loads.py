"""What hinges carry while the system moves: loads at ends, and forces that drive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy.typing as npt

from ...errors import UsageError
from ...symbolic.mechanics.vectors import Side
from ...symbolic.plans.ends import element_ends
from ..evaluation.arrays import Floats
from .capability import Capability
from .end_states import EndStates
from .frames import axes_of, check_frame, loads_in, turned
from .self_stress import Compliances, SelfStress


@final
class Loads(Capability):
    """The loads that belong to a motion under forces."""

    def joint_loads(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        frame: str = "inertial",
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
        compliances: Compliances | None = None,
    ) -> Floats:
        """Moment and force at the hinge of each body's output end.

        Where conditions of loops are redundant, the motion does not tell all loads: see
        `determinate`. Of the others those are given that are least over all hinges,
        Σ |q|² + |m|² / l², the moments about the points of the hinges' children, l the longest
        arm of a body. With `compliances`, (rad/(N m), m/N) by hinge, they are those of least
        energy Σ c_m |m|² + c_q |q|². Cuts, directions and algorithms change neither; with beams
        the multipliers of the cuts are the least.

        Shape
            (…, nends, 6): m_x, m_y, m_z, q_x, q_y, q_z for each of `ends`.
        Units
            N m, N.
        Frame
            `inertial`, or `body`: the axes of the body whose output end it is (of a beam: of its
            floating frame).
        Sign
            The paper's at an output end: `q` is the force by the body on what it hangs on, `m`
            the moment on the body.
        Raises
            UsageError: a shape that does not fit, a number that is not finite, another frame.
            NumericsError: the result is not finite.
            SingularPositionError: the loops are singular there, and the speeds tell no limit.
        Source
            Riccati paper (2), (31), (33).
        """
        check_frame(frame)
        found = self.code.results(
            "joint_loads", q, v, tau, t=t, parameters=parameters, wrenches=wrenches
        )
        loads = found["loads"].reshape(*found["loads"].shape[:-1], len(self.code.ends), 6)
        settled = SelfStress(self.code).settled(loads, q, t, parameters, compliances)
        flat = settled.reshape(found["loads"].shape)
        return loads_in(self.code, frame, flat, q, t, parameters)

    def end_states(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        frame: str = "inertial",
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> EndStates:
        """Accelerations and loads at every end of every element, bodies and hinges.

        Shape
            `accelerations` and `loads` (…, n, 6) of n ends, see `EndStates`. A whole run's are
            `solver.end_states(run.q, run.v, t=run.time)`.
        Units
            m/s², rad/s²; N m, N.
        Frame
            `inertial`, or `body`: the axes of the body that the end belongs to or is joined to.
        Sign
            The paper's: the element gets +q and −m at an input end, −q and +m at an output end.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, a number
                that is not finite, another frame.
            NumericsError: the result is not finite.
            SingularPositionError: the loops are singular there, and the speeds tell no limit.
        Source
            Riccati paper (2), (14), (31); deduction paper for the hinges.
        """
        check_frame(frame)
        found = self.code.results(
            "end_states", q, v, tau, t=t, parameters=parameters, wrenches=wrenches
        )
        ends = element_ends(self.code.generated.plan)
        places = self.code.names("states")
        at = [places.index(end.member) for end in ends]
        states = {
            name: found[name].reshape(*found[name].shape[:-1], len(places), 6)[..., at, :]
            for name in ("za", "zb")
        }
        if frame == "body":
            axes = axes_of(self.code, [end.body for end in ends], q, t, parameters)
            states = {name: turned(axes, array) for name, array in states.items()}
        return EndStates(
            tuple(end.name for end in ends),
            tuple(end.element for end in ends),
            tuple("IO"[end.side is Side.OUTPUT] for end in ends),
            frame,
            states["zb"],
            states["za"],
        )

    def driving_forces(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """The generalised forces that drive the driven hinges as prescribed.

        Shape
            (…, len(driven)).
        Units
            N, N m.
        Sign
            On the hinge's child, along the coordinate.
        Raises
            UsageError: no hinge is driven; a shape that does not fit; a number not finite.
            NumericsError: the result is not finite.
            SingularPositionError: the loops are singular there, and the speeds tell no limit.
        Source
            Own: τ = Hᵀ λ.
        """
        if not self.code.driven:
            raise UsageError(f"{self.code.model.name}: no hinge is driven")
        found = self.code.results(
            "driving_forces", q, v, tau, t=t, parameters=parameters, wrenches=wrenches
        )
        return found["drive"]
