"""The linear system about a state, by the names of its inputs, states and outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...codegen.face.choice import Choice
from ...errors import ModelError, UsageError
from ...model.expressions.slopes import slopes
from ...shown import Shown
from ..capabilities import loops
from ..capabilities.assembly import assemble
from ..capabilities.derivatives import Tangents, linearized
from ..capabilities.forward import ForwardDynamics
from ..capabilities.poses import Poses
from ..capabilities.tangent import differences, place_names
from ..evaluation.arrays import Floats, shaped
from ..evaluation.efforts import place_of
from ..evaluation.evaluator import Evaluator
from ..extras import require
from ..inputs import Feedback
from ..motions.functions import slopes_at
from .staircase import minimal, reached

#: Singular values of the conditions' Jacobian below this part of the largest are none.
RANK = 1e-9

#: The names in an expression.
_NAME = re.compile(r"[A-Za-z_]\w*")

#: The larger of two steps of central differences whose errors of second order cancel.
STEP = 2e-3


@dataclass(frozen=True, eq=False, repr=False)
class LinearSystem(Shown):
    """δẋ = A δx + B δu, δy = C δx + D δu: deviations from the motion through a state.

    Shape
        `A` (states, states), `B` (states, inputs), `C` (outputs, states), `D` (outputs, inputs);
        `q`, `v` and `u` are the state and the inputs that it is about.
    Units
        Those of the states by the second, SI and rad.
    Frame
        Of places that turn with quaternions the axes of the moving body, see `Derivatives`.

    `A, B, C, D = system` unpacks it.
    """

    A: Floats
    B: Floats
    C: Floats
    D: Floats
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    q: Floats
    v: Floats
    u: Floats
    independent: tuple[int, ...]

    def __iter__(self) -> Iterator[Floats]:
        return iter((self.A, self.B, self.C, self.D))

    @property
    def poles(self) -> npt.NDArray[np.complex128]:
        """The eigenvalues of A, those that grow fastest first.

        Shape
            (states).
        Units
            1/s.
        """
        found = np.linalg.eigvals(self.A).astype(np.complex128)
        return found[np.argsort(-found.real, kind="stable")]

    @property
    def controllable(self) -> int:
        """How many states the inputs reach: the rank of [B, A B, A² B, …].

        What a direction adds counts from 1e-10 of what moves along it on, states and inputs in
        units in which the entries of A and B are alike.
        """
        return len(reached(self.A, self.B)[0])

    @property
    def observable(self) -> int:
        """How many states the outputs tell apart, likewise."""
        return len(reached(self.A.T, self.C.T)[0])

    def minimal(self) -> tuple[Floats, Floats, Floats, Floats]:
        """A, B, C and D of the least states with the same transfer function.

        They are what the inputs reach and the outputs tell apart, as sums of the states.

        Shape
            As those of the system, r in place of its states.
        Source
            Kalman (1963).
        """
        return (*minimal(self.A, self.B, self.C), self.D)

    def to_scipy(self) -> Any:
        """The system as a `scipy.signal.StateSpace`.

        Raises
            ToolchainError: SciPy is missing (extra `scipy`).
        """
        signal = require("scipy.signal", extra="scipy", purpose="StateSpace")
        return signal.StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> Any:
        """The system as a `control.StateSpace`, with the names of all.

        Raises
            ToolchainError: python-control is missing (extra `control`).
        """
        control = require("control", extra="control", purpose="control.StateSpace")
        names = {
            key: [name.replace(".", "_") for name in given]
            for key, given in (
                ("states", self.states),
                ("inputs", self.inputs),
                ("outputs", self.outputs),
            )
        }
        return control.ss(self.A, self.B, self.C, self.D, **names)

    def feedback(
        self,
        gains: npt.ArrayLike,
        *,
        reference: Mapping[str, Any] | None = None,
        limits: npt.ArrayLike | None = None,
    ) -> Feedback:
        """u − K δx as an input of `simulate`: `inputs={"u": system.feedback(K)}`.

        Of a system in independent coordinates K has a column for each of those. `reference` and
        `limits` are those of `Feedback`.

        Shape
            `gains` (inputs, states); `limits` (2) or (inputs, 2).
        Raises
            UsageError: another shape.
        """
        n = len(self.states) // 2
        K = shaped("gains", gains, (len(self.inputs), len(self.states)))
        nv = len(self.v)
        full = np.zeros((len(self.inputs), 2 * nv))
        at = np.array(self.independent, dtype=np.intp)
        full[:, at], full[:, nv + at] = K[:, :n], K[:, n:]
        return Feedback(full, self.q, self.v, self.u, reference, limits)

    def __repr__(self) -> str:
        sizes = f"{len(self.states)} states, inputs {', '.join(self.inputs) or 'none'}"
        return f"<LinearSystem: {sizes}, outputs {', '.join(self.outputs) or 'none'}>"


def linearize(
    code: Evaluator,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike | None = None,
    *,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    minimal: bool = False,
) -> tuple[Floats, Floats]:
    """A and B of δẋ = A δx + B δτ about a state, x being place and speeds.

    δx are deviations from the motion through the state: first along and about the axes of
    `Derivatives`, then of the speeds. Where loops are closed some of them leave the loops;
    the `minimal` A and B are those of nf independent coordinates, chosen at the state so that
    the others follow best (`state_space` names them, and takes other ones).

    Shape
        A (…, 2 nv, 2 nv), B (…, 2 nv, nv); `minimal`: of one state, (2 nf, 2 nf), (2 nf, nv).
    Frame
        Places as the columns of `dq`.
    Raises
        UsageError: `minimal`, of several states.
        As `derivatives`.
    Source
        Own; of a quaternion θ̇ = δω − ω × θ, of a free body's place ẋ = δv − v × θ − ω × x.
    """
    if not minimal:
        return linearized(code, q, v, tau, t=t, parameters=parameters)
    speeds = code.speeds
    forces = shaped("tau", np.zeros(len(speeds)) if tau is None else tau, (len(speeds),))
    at = dict(zip(speeds, forces.tolist(), strict=True))
    point = Point(code, q, v, at, float(shaped("t", t, ())), parameters)
    A, B = point.full(speeds)
    free, R = point.independent(None)
    rows = [*free, *(len(speeds) + k for k in free)]
    return A[rows] @ R, B[rows]


def state_space(
    code: Evaluator,
    q: npt.ArrayLike | None = None,
    v: npt.ArrayLike | None = None,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    at: Mapping[str, float] | None = None,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
    minimal: bool | Sequence[str] = True,
) -> LinearSystem:
    """A, B, C and D about a state, from derivatives in generated code.

    `inputs` names inputs of the model and hinges or speeds whose efforts are inputs; by default
    the model's, or the efforts along all speeds if it has none. `outputs` names coordinates,
    speeds, accelerations (`ucart_dot`) or states, or gives expressions of coordinates, speeds,
    sensors and their rates: `"qcart - 0.6*qpole"`; by default all states. `at` says what inputs
    are there, where that is not their default. `q` is the model's start by default, its
    loops closed, and `v` zero.

    The states are small places along each speed (coordinates, where they are not quaternions:
    of these `turn_…` about the axes of the child), then the speeds. Where loops are closed they
    are those of independent coordinates, chosen so that the others follow best, or as `minimal`
    names them; the state must be closed. Not `minimal`, they are those of the tree, along some
    of which the loops do not move.

        >>> import mstmm
        >>> solver = mstmm.compile("cart-pole", target="numpy")
        >>> system = solver.state_space([0.0, 0.0], [0.0, 0.0], outputs=["qcart"])
        >>> system.states, system.inputs, system.C.tolist()
        (('qcart', 'qpole', 'ucart', 'upole'), ('u',), [[1.0, 0.0, 0.0, 0.0]])

    Shape
        See `LinearSystem`; `q` (nq), `v` (nv).
    Units
        SI, rad.
    Frame
        Places as the columns of `Derivatives.dq`.
    Raises
        UsageError: names that there are not.
        OpenStateError: the state leaves loops open, or its speeds do.
        CodegenError: a force law has no derivative that could be generated.
        NumericsError: the result is not finite.
    Source
        Own. In loops J(q) v + b = 0 the places are δ = T z, J T = 0, and the speeds T w + S z,
        J S = −∂(J v + b)/∂q T; that slope, which is zero at rest, by differences.
    """
    point = Point(code, q, v, at, t, parameters)
    every = tuple(x.name for x in code.model.inputs) or code.speeds
    names = every if inputs is None else tuple(inputs)
    A, B = point.full(names)
    n = len(code.speeds)
    own = None if isinstance(minimal, bool) else tuple(minimal)
    free, R = (tuple(range(n)), np.eye(2 * n)) if minimal is False else point.independent(own)
    rows = np.concatenate([free, n + np.array(free, dtype=np.intp)]).astype(np.intp)
    places = place_names(code.model)
    states = (*(places[k] for k in free), *(code.speeds[k] for k in free))
    full = (*places, *code.speeds)
    C, D = np.zeros((0, 2 * n)), np.zeros((0, len(names)))
    wanted = states if outputs is None else tuple(outputs)
    for name in wanted:
        c, d = point.output(name, full, A, B)
        C, D = np.vstack([C, c]), np.vstack([D, d])
    u = np.array([point.inputs[name] for name in names])
    return LinearSystem(
        A[rows] @ R,
        B[rows],
        C @ R,
        D,
        states,
        names,
        tuple(wanted),
        point.q,
        point.v,
        u,
        free,
    )


class Point:
    """A state with its inputs, and how everything changes near it."""

    def __init__(
        self,
        code: Evaluator,
        q: npt.ArrayLike | None,
        v: npt.ArrayLike | None,
        at: Mapping[str, float] | None,
        t: float,
        parameters: Mapping[str, float] | None,
    ) -> None:
        model = code.model
        self.code, self.t = code, t
        # Not every algorithm tells the Jacobian; on closed loops all rows span the same.
        told = code.computes("jacobian") or not code.conditions
        self.told = code if told else code.companion(Choice("riccati"))
        start = assemble(code, t=t, parameters=parameters).q if q is None else q
        self.q = code.state("q", start).copy()
        self.v = code.state("v", np.zeros(len(code.speeds)) if v is None else v).copy()
        if self.q.ndim > 1 or self.v.ndim > 1:
            raise UsageError("this is of one state: q and v have one axis each")
        self.parameters, self.tau = dict(parameters or {}), np.zeros(len(code.speeds))
        values = code.parameter_values(parameters)
        own = {x.name: values[code.parameters.index(x.name)] for x in model.inputs}
        self.inputs = _Efforts(own)
        for name, value in (at or {}).items():
            self.set_input(name, float(shaped(f"input {name}", value, ())))

    def set_input(self, name: str, value: float) -> None:
        """Let an input have this value."""
        array, k = place_of(self.code, name)
        self.inputs[name] = float(value)
        if array == "tau":
            self.tau[k] = value
        else:
            self.parameters[name] = float(value)

    def accelerations(self) -> Floats:
        """What accelerates there."""
        return ForwardDynamics.accelerations(self.code, self.q, self.v, self.tau, **self.given)

    def gaps(self) -> Floats:
        """How far loops are open."""
        return loops.Loops.constraints(self.told, self.q, self.v, **self.given)[0]

    @property
    def given(self) -> dict[str, Any]:
        """The time and the parameters there."""
        return {"t": self.t, "parameters": self.parameters}

    def full(self, names: tuple[str, ...]) -> tuple[Floats, Floats]:
        """A of the tree's coordinates, and a column of B for each input."""
        n, here = len(self.code.speeds), (self.code, self.q, self.v, self.tau)
        given = self.given
        A, along = linearized(*here, **given)
        B = np.zeros((2 * n, len(names)))
        found = Tangents.derivatives(*here, **given)
        for column, name in enumerate(names):
            array, k = place_of(self.code, name)
            B[n:, column] = along[n:, k] if array == "tau" else found.dp[:, k]
        return A, B

    def independent(self, names: Sequence[str] | None) -> tuple[tuple[int, ...], Floats]:
        """Which speeds are independent, and what their places and speeds make of all: R.

        Raises
            UsageError: the named coordinates do not determine the others.
        """
        n = len(self.code.speeds)
        if names is None and not self.code.conditions:
            return tuple(range(n)), np.eye(2 * n)
        J = loops.slopes(self.told, self.q, **self.given).reshape(-1, n)
        T, free = closed_motions(J)
        if names is not None:
            T, free = self._as_named(T, names)
        R = np.zeros((2 * n, 2 * T.shape[1]))
        R[:n, : T.shape[1]] = R[n:, T.shape[1] :] = T
        if np.any(self.v) or self._driven():
            others = np.setdiff1d(np.arange(n), free)
            slope = np.column_stack([self._opening_along(column) for column in T.T])
            R[n + others, : T.shape[1]] = -np.linalg.lstsq(J[:, others], slope, rcond=RANK)[0]
        return free, R

    def _as_named(self, T: Floats, names: Sequence[str]) -> tuple[Floats, tuple[int, ...]]:
        """T in the places of these names."""
        places = place_names(self.code.model)
        for name in names:
            if name not in places:
                raise UsageError(f"there is no place {name!r}; there are: {', '.join(places)}")
        own = tuple(places.index(name) for name in names)
        rows = T[list(own)]
        if not names:
            raise UsageError("minimal names no place; minimal=True chooses them")
        if len(set(own)) != T.shape[1] or np.linalg.cond(rows) > 1 / RANK:
            raise UsageError(
                f"{', '.join(names)} do not determine the place: {T.shape[1]} independent "
                "coordinate(s) are needed; minimal=True chooses them"
            )
        turned = np.asarray(np.linalg.solve(rows.T, T.T).T, dtype=np.float64)
        return turned, own

    def _driven(self) -> bool:
        model = self.code.model
        return model.base is not None or any(hinge.motion for hinge in model.hinges)

    def _opening_along(self, direction: Floats) -> Floats:
        """How the opening of the loops changes along a motion, at these speeds."""
        scale = STEP / max(1.0, float(np.abs(direction).max()))

        def slope(h: float) -> Floats:
            openings = [
                loops.Loops.constraints(
                    self.told,
                    moved(self.code, self.q, sign * h * direction),
                    self.v,
                    **self.given,
                )[1]
                for sign in (1.0, -1.0)
            ]
            found: Floats = (openings[0] - openings[1]) / (2 * h)
            return found

        return (4 * slope(scale / 2) - slope(scale)) / 3

    def output(
        self, text: str, states: Sequence[str], A: Floats, B: Floats
    ) -> tuple[Floats, Floats]:
        """The rows of C and D of an output.

        Raises
            UsageError: the text is neither a name nor an expression of the state and sensors.
        """
        n, none = len(self.code.speeds), np.zeros(B.shape[1])
        if text in states:
            return np.eye(2 * n)[states.index(text)], none
        if text.endswith("_dot") and text[:-4] in self.code.speeds:
            k = n + self.code.speeds.index(text[:-4])
            return A[k], B[k]
        model, names = self.code.model, (*self.code.coordinates, *self.code.speeds)
        sensed = [name for x in model.sensors for name in (x.name, x.rate)]
        if {*sensed} & {*_NAME.findall(text)}:
            return self._measured(text), none
        constants = {**model.parameters, **self.parameters}
        fixed = {name: x for name, x in constants.items() if name not in self.inputs}
        values = {**fixed, "t": self.t, **dict(zip(names, (*self.q, *self.v), strict=True))}
        values |= dict.fromkeys(sensed, 0.0)  # none is read here; a message names them
        try:
            slope = np.array(slopes(text, values, names))
        except ModelError as error:
            raise UsageError(f"output {text!r}: {error}") from None
        nq = len(self.q)
        return np.concatenate(
            [slope[:nq] @ np.linalg.pinv(differences(model, self.q)), slope[nq:]]
        ), none

    def _measured(self, text: str) -> Floats:
        """The row of C of an expression that reads sensors."""
        p = np.asarray(self.code.parameter_values(self.parameters), dtype=np.float64)
        row = slopes_at(self.code, text, self.t, self.q, self.v, p)
        if not np.isfinite(row).all():
            raise UsageError(f"output {text!r}: it has no finite slope there")
        return row


class _Efforts(dict[str, float]):
    """Inputs by name; an effort that is not given is zero."""

    def __missing__(self, name: str) -> float:
        return 0.0


def closed_motions(J: Floats) -> tuple[Floats, tuple[int, ...]]:
    """T of all motions that keep loops closed, δ = T z, and which entries of δ z is.

    Those are chosen one after another, each the entry that the rest determine least.
    """
    n = J.shape[1]
    _, values, rows = np.linalg.svd(J)
    rank = int((values > RANK * max(values.max(initial=0.0), 1e-300)).sum())
    null = rows[rank:].T
    left, chosen = null.copy(), []
    for _ in range(n - rank):
        norms = np.linalg.norm(left, axis=1)
        # The first of those that do equally well, so that rounding does not choose.
        k = int(np.flatnonzero(norms > (1 - 1e-6) * norms.max())[0])
        chosen.append(k)
        along = left[k] / norms[k]
        left = left - np.outer(left @ along, along)
    chosen = sorted(chosen)
    T: Floats = np.linalg.solve(null[chosen].T, null.T).T if chosen else np.zeros((n, 0))
    return T, tuple(chosen)


def moved(code: Evaluator, q: Floats, step: Floats) -> Floats:
    """The coordinates after a small motion along the speeds."""
    return Poses.retracted(code, q + np.linalg.pinv(differences(code.model, q)) @ step)
