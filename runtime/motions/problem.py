"""The generated right-hand side with its parameters, as integrators need it."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ..capabilities.momenta import Momenta
from ..capabilities.tangent import differences, rates_by_place
from ..closing.projection import closed
from ..evaluation.anywhere import anywhere
from ..evaluation.arrays import Floats
from ..evaluation.backend import Backend, CLibrary
from ..evaluation.evaluator import Evaluator
from .controllers import Steered
from .integration import SLICE, unforced


class Problem:
    """The generated right-hand side with its parameters, on rows of states.

    `asked` is what the caller gave as inputs, for a motion that goes on elsewhere.
    """

    def __init__(
        self,
        code: Evaluator,
        parameters: Floats,
        steered: Steered | None = None,
        asked: object = None,
    ) -> None:
        self.asked = asked
        self.code = code
        self.parameters = parameters
        self.steered = Steered() if steered is None else steered
        self.backend = code.backend
        self.interface = code.interface
        self.has_quaternions = "retract" in self.interface.arguments

    def start(self, q0: npt.ArrayLike | None, v0: npt.ArrayLike | None) -> tuple[Floats, Floats]:
        """The one state given, or the model's, as rows of new arrays."""
        model = self.code.model
        q = self.code.state("q", model.q0 if q0 is None else q0)
        v = self.code.state("v", model.v0 if v0 is None else v0)
        for name, array in (("q0", q), ("v0", v)):
            if array.ndim != 1:
                raise UsageError(
                    f"{name} has the shape {array.shape}: a motion starts from one state"
                )
        return self.unit(q[np.newaxis]), v[np.newaxis].copy()

    def closed(self, q: Floats, v: Floats, t: float) -> tuple[Floats, Floats]:
        """The one state with its loops closed; the arrays themselves if there are none.

        `v` are the speeds, or what the state has in place of them.
        """
        if not self.code.conditions:
            return q, v
        found = closed(self.code, q[0], v[0], t=t, parameters=self.given)
        return found[0][np.newaxis], found[1][np.newaxis]

    @property
    def given(self) -> dict[str, float]:
        """The run-time parameters by name."""
        return dict(zip(self.code.parameters, self.parameters.tolist(), strict=True))

    def moving(self, q: Floats, v: Floats, t: float) -> Floats:
        """What the state has besides `q`: the speeds, or the joint momenta."""
        if not self.interface.hamiltonian:
            return v
        return Momenta.momenta(anywhere(self.code), q, v, t=t, parameters=self.given)

    def speeds(self, q: Floats, second: Floats, times: Floats) -> Floats:
        """The speeds at states."""
        if not self.interface.hamiltonian:
            return second
        return Momenta.velocities(anywhere(self.code), q, second, t=times, parameters=self.given)

    def buffers(
        self, q: Floats, v: Floats, times: Floats, inputs: Floats | None = None
    ) -> dict[str, Floats]:
        """States, times, parameters, inputs and forces as the generated code takes them.

        `v` are the speeds, or what the state has in place of them. `inputs` are those of the
        controllers too, at each state; without them only the constants are set.
        """
        buffers = {"q": q, "t": np.array(times, dtype=np.float64)[:, np.newaxis]}
        buffers |= {"v": v, self.interface.state[1]: v}
        if len(self.parameters):
            buffers["p"] = np.tile(self.parameters, (len(q), 1))
        buffers |= unforced(self.interface, len(q))
        for (name, k), value in self.steered.constants.items():
            buffers[name][:, k] = value
        if inputs is not None:
            for (name, k), column in zip(self.steered.places, inputs.T, strict=True):
                buffers[name][:, k] = column
        return buffers

    def run(self, entry: str, buffers: dict[str, Floats], when: str) -> None:
        """Fill an entry's results; a NumericsError says when they are not finite."""
        if not self.code.watched(entry).run(buffers, strict=False):
            raise NumericsError(f"{self.name}: the {entry} are not finite {when}")

    def unit(self, q: Floats) -> Floats:
        """The coordinates with quaternions of unit length, as a new array."""
        if not self.has_quaternions:
            return q.copy()
        result = np.empty_like(q)
        if not self.backend.run("retract", {"q": np.ascontiguousarray(q), "qn": result}):
            raise NumericsError(f"{self.name}: a quaternion has no direction")
        return result

    def rates(self, buffers: dict[str, Floats], when: str) -> Floats:
        """The rates of the one state in `buffers`."""
        return self.moved(buffers)(when)

    def moved(self, buffers: dict[str, Floats]) -> Callable[[str], Floats]:
        """A function of the rates of the one state that `buffers` hold when it is called."""
        room = {name: np.empty_like(buffers["v"]) for name in ("a", "vel", "pd")}
        buffers = {**buffers, **room, "qd": np.empty_like(buffers["q"])}
        second, entry = (
            ("pd", "momentum_rates") if self.interface.hamiltonian else ("a", "accelerations")
        )
        speeds = buffers["vel"] if self.interface.hamiltonian else buffers["v"]
        accelerate = self.code.watched(entry).bound(buffers, bound(self.backend, entry, buffers))
        turn = bound(self.backend, "rates", {**buffers, "v": speeds})

        def rates(when: str) -> Floats:
            if not (accelerate() and turn()):
                raise NumericsError(f"{self.name}: the {entry} are not finite {when}")
            return np.concatenate([buffers["qd"][0], buffers[second][0]])

        return rates

    def differentiated(self, buffers: dict[str, Floats]) -> Callable[[str], Floats]:
        """A function that gives how these rates change with the state, as a matrix."""
        of, q, v = self.code.tangents, buffers["q"], buffers["v"]
        nq, nv = q.shape[1], v.shape[1]
        room = {"a": np.empty((1, nv)), "da": np.empty((1, of.interface.sizes["da"]))}
        rows = room["da"].reshape(nv, -1)
        differentiate = bound(of, "derivatives", {**buffers, **room})

        def jacobian(when: str) -> Floats:
            if not differentiate():
                raise NumericsError(f"{self.name}: the derivatives are not finite {when}")
            found = np.zeros((nq + nv, nq + nv))
            found[nq:, nq:] = rows[:, nv : 2 * nv]
            if self.has_quaternions:
                E = differences(self.code.model, q[0])  # its rows are orthogonal
                found[:nq, :nq] = rates_by_place(self.code.model, q[0], v[0])
                found[:nq, nq:] = E.T / np.sum(E * E, axis=1)
                found[nq:, :nq] = rows[:, :nv] @ E
            else:
                found[:nq, nq:] = np.eye(nq)
                found[nq:, :nq] = rows[:, :nv]
            return found

        return jacobian

    @property
    def name(self) -> str:
        return self.code.model.name


def bound(backend: Backend, entry: str, buffers: dict[str, Floats]) -> Callable[[], bool]:
    """An entry with its buffers, to be called again and again; is the result finite?"""
    if isinstance(backend, CLibrary):
        return backend.bound(entry, buffers)
    return lambda: backend.run(entry, buffers)


class Meter:
    """Calls `progress` now and then, not at every step."""

    def __init__(self, progress: Callable[[float], None] | None) -> None:
        self._progress = progress
        self._shown = time.perf_counter()

    def show(self, fraction: float) -> None:
        now = time.perf_counter()
        if self._progress and (now - self._shown >= SLICE or fraction == 1.0):
            self._shown = now
            self._progress(fraction)
