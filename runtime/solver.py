"""The compiled solver's Python face."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy.typing as npt

from ..errors import UsageError
from ..model import Model, load
from ..symbolic.ends import element_ends
from ..symbolic.vectors import Side
from .backend import Floats
from .endstates import EndStates
from .events import Event
from .hamiltonian import Momenta
from .kinematics import turned

if TYPE_CHECKING:
    from .results import Run
    from .rhs import CFunction


def compile_model(
    model: Model | str,
    *,
    algorithm: str = "riccati",
    form: str = "fast",
    target: str = "c",
    parameters: Sequence[str] = (),
    portable: bool = False,
    threads: bool = False,
    assembly: str | None = None,
    order: int | None = None,
) -> Solver:
    """Generate, build and load a solver of the model.

    `parameters` names the model parameters that stay arguments of the compiled code;
    `portable` builds for any machine of this kind instead of exactly this one; with `threads` the
    long loops of target `c` run in OpenMP's threads. `assembly` is the assembly tree of `dca` and
    `hdca`, `order` the highest of the derivatives of `jacobians`.

    Raises
        UsageError: an algorithm, form, target or parameter that there is not.
        ToolchainError: there is no C compiler, or it fails (target `c`).

    Source
        own
    """
    if isinstance(model, str):
        model = load(model)
    return Solver(
        model,
        algorithm=algorithm,
        form=form,
        target=target,
        parameters=tuple(parameters),
        portable=portable,
        threads=threads,
        assembly=assembly,
        order=order,
    )


class Solver(Momenta):
    """Numbers for one model: accelerations, loads, poses, energy, motion.

    Shape
        Arguments may carry leading batch axes, which broadcast. `q` (…, nq) and `v` (…, nv)
        follow `coordinates` and `speeds`.
    Units
        SI, rad.
    Frame
        Absolute coordinates; in space `v`, `a` and `tau` are in body axes.
    """

    def __repr__(self) -> str:
        return (
            f"<Solver of {self.model.name}: {self.algorithm} ({self.form}), target {self.target}, "
            f"{len(self.coordinates)} coordinates>"
        )

    def accelerations(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """The time derivative of the speeds.

        Shape
            (…, nv). `t` (…): the time, for laws that depend on it. `tau` (…, nv): a force along
            each speed. `wrenches` (…, nbodies, 6): per body an external moment and force at its
            centre of mass, of a beam at its middle section, in the order of the loads.
        Units
            rad/s², m/s²; N m, N.
        Frame
            As the speeds; `wrenches` in the inertial frame.
        Sign
            About positive axes; in joint coordinates on the hinge's child.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            NumericsError: the result is not finite.
        Source
            Riccati paper, Sects. 3 and 4, completed.
        """
        return self._results("accelerations", q, v, t, tau, parameters, wrenches)["a"]

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
    ) -> Floats:
        """Moment and force at the hinge of each body's output end.

        Shape
            (…, nends, 6): m_x, m_y, m_z, q_x, q_y, q_z for each of `ends`. Where conditions of
            loops are redundant, the multipliers are the least, each squared and weighted by how
            much its own condition gives way to it: units do not matter. These loads are a choice
            among many with the same motion; `dca` and `hdca` choose in the merge that closes the
            loops, so that theirs depend on the assembly tree.
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
        Source
            Riccati paper (2), (31), (33).
        """
        self._check_frame(frame)
        found = self._results("joint_loads", q, v, t, tau, parameters, wrenches)["loads"]
        return self._loads_in(frame, found, q, t, parameters)

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
        Source
            Riccati paper (2), (14), (31); deduction paper for the hinges.
        """
        self._check_frame(frame)
        found = self._results("end_states", q, v, t, tau, parameters, wrenches)
        ends = element_ends(self.generated.plan)
        places = self.generated.program.sets["states"]
        at = [places.index(end.member) for end in ends]
        states = {
            name: found[name].reshape(*found[name].shape[:-1], len(places), 6)[..., at, :]
            for name in ("za", "zb")
        }
        if frame == "body":
            axes = self._axes_of([end.body for end in ends], q, t, parameters)
            states = {name: turned(axes, array) for name, array in states.items()}
        return EndStates(
            tuple(end.name for end in ends),
            tuple(end.element for end in ends),
            tuple("IO"[end.side is Side.OUTPUT] for end in ends),
            frame,
            states["zb"],
            states["za"],
        )

    def overall_equation(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> tuple[Floats, Floats]:
        """Matrix and right-hand side of the overall transfer equation, in its `unknowns`.

        Shape
            (…, N, N) and (…, N), N being len(unknowns); `tau`, `wrenches` as in
            `accelerations`.
        Units
            SI; rows and columns differ in theirs.
        Frame
            Inertial; a hinge's own along its coordinates.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
        Source
            Deduction paper, rules for chains, trees and general systems.
        """
        found = self._results("overall_equation", q, v, t, tau, parameters, wrenches)
        matrix, right = found["U_all"], found["r_all"]
        return matrix.reshape(*right.shape, right.shape[-1]), right

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
        Source
            Own: τ = Hᵀ λ.
        """
        if not self.driven:
            raise UsageError(f"{self.model.name}: no hinge is driven")
        return self._results("driving_forces", q, v, t, tau, parameters, wrenches)["drive"]

    def rhs(
        self, t: float, y: npt.ArrayLike, *, parameters: Mapping[str, float] | None = None
    ) -> Floats:
        """The time derivative of y = (q, v), of `hdca` (q, p), for integrators of others.

        Loops are not kept closed; quaternions are taken at unit length.

            >>> import mstmm, numpy as np
            >>> from scipy.integrate import solve_ivp
            >>> solver = mstmm.compile("double-pendulum", target="numpy")
            >>> start = np.concatenate([solver.model.q0, solver.model.v0])
            >>> found = solve_ivp(solver.rhs, (0.0, 0.1), start, method="DOP853", rtol=1e-10)
            >>> run = solver.simulate(t_end=0.1, method="dopri5", rtol=1e-10)
            >>> bool(abs(found.y[:2, -1] - run.q[-1]).max() < 1e-8)
            True

        Shape
            `y` and the result (nq + nv).
        Units
            Those of `rates` and `accelerations`.
        Raises
            UsageError: `y` has another shape.
            NumericsError: the result is not finite.
        Source
            own
        """
        from .rhs import rhs

        self.require("accelerations")
        return rhs(self, t, y, self.parameter_values(parameters))

    def c_function(self, *, parameters: Mapping[str, float] | None = None) -> CFunction:
        """The right-hand side as a C function's address, for ctypes, cffi or numbalsoda.

        The C code itself is `int PREFIX_rhs(double t, const double *y, double *dydt, void *data)`.

            >>> import ctypes, mstmm, numpy as np
            >>> solver = mstmm.compile("double-pendulum")
            >>> found = solver.c_function()
            >>> pointer = ctypes.POINTER(ctypes.c_double)
            >>> kind = ctypes.CFUNCTYPE(
            ...     ctypes.c_int, ctypes.c_double, pointer, pointer, ctypes.c_void_p
            ... )
            >>> y = np.concatenate([solver.model.q0, solver.model.v0])
            >>> dydt = np.empty(found.size)
            >>> kind(found.address)(
            ...     0.0, y.ctypes.data_as(pointer), dydt.ctypes.data_as(pointer), found.data
            ... )
            0
            >>> bool((dydt == solver.rhs(0.0, y)).all())
            True

        Raises
            UsageError: the target is no C.
        Source
            own
        """
        from .rhs import c_function

        self.require("accelerations")
        return c_function(self, self.parameter_values(parameters))

    def simulate(
        self,
        q0: npt.ArrayLike | None = None,
        v0: npt.ArrayLike | None = None,
        *,
        t_end: float,
        dt: float | None = None,
        method: str = "rk4",
        rtol: float | None = None,
        atol: float | None = None,
        record: float | None = None,
        events: Iterable[Event] = (),
        regauge: bool = True,
        parameters: Mapping[str, float] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Run:
        """Integrate the motion; see `runtime.simulate.simulate`.

        Raises
            UsageError: a state, step or method that does not fit.
            ToolchainError: the method needs SciPy and it is missing.
            NumericsError: the motion leaves the finite numbers.
        Source
            See there.
        """
        from .simulate import simulate

        self.require("accelerations")
        self.require("energy")
        return simulate(
            self,
            q0,
            v0,
            t_end=t_end,
            dt=dt,
            method=method,
            rtol=rtol,
            atol=atol,
            record=record,
            events=events,
            regauge=regauge,
            parameters=parameters,
            progress=progress,
        )
