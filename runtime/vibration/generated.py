"""The dynamic stiffness of a model by its generated code; its count by the same text in balls."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from ...errors import NumericsError, UsageError
from ...model.expressions.quantities import told
from ...symbolic.language.balls import UndecidedError, balls, whole, working_bits
from ...symbolic.language.interpreter import Interpreter
from ...symbolic.plans.plan import plan
from ..capabilities.tangent import place_names
from ..evaluation.arrays import Floats, as_the_code_takes
from ..evaluation.evaluator import Evaluator
from ..extras import require
from .finding import Found
from .modes import Modes
from .stiffness import Proven, Whole

#: Precisions of balls, in bits, one after the other.
BITS = tuple(64 << k for k in range(8))


class GeneratedStiffness:
    """Of a model about a place at rest, by the code of the algorithm `linear`.

    Displacements are those along the speeds, then of each body: its centre of mass, its turn.
    """

    highest = np.inf

    def __init__(
        self, code: Evaluator, q: Floats, *, t: float, parameters: Mapping[str, float] | None
    ) -> None:
        if not code.speeds:
            raise UsageError(f"{code.model.name} has no modes: no hinge of it moves freely")
        self.code, self.q = code, q
        self.made = code.small_motions
        self.interface = self.made.prepared.interface
        self.still = np.zeros(len(code.speeds))
        self.values = code.parameter_values(parameters)
        self.given = {"q": q, "v": self.still, "t": np.array([t]), "p": self.values}
        self.speeds = len(code.speeds)
        self.length = self.speeds + self.interface.sizes["u"]
        self.leading = self.speeds

    def _run(self, entry: str, **given: Floats) -> dict[str, Floats]:
        """An entry at many frequencies; what is not finite stays so."""
        states, sizes = len(next(iter(given.values()))), self.interface.sizes
        buffers: dict[str, Floats] = {}
        for name in self.interface.arguments[entry]:
            held, shape = {**self.given, **given}.get(name), (states, sizes[name])
            buffers[name] = (
                np.empty(shape) if held is None else as_the_code_takes(np.broadcast_to(held, shape))
            )
        self.made.backend.run(entry, buffers)
        return buffers

    def counted(self, squares: Floats) -> tuple[Whole, Floats]:
        found = self._run("count", omega2=squares[:, np.newaxis])
        below = np.nan_to_num(found["below"][:, 0], posinf=0.0, neginf=0.0)
        return np.rint(below).astype(np.int64), found["pivot"][:, 0]

    def responses(self, squares: Floats, loads: Floats) -> tuple[Floats, Floats]:
        tau, f = np.split(loads, [self.speeds], axis=1)
        found = self._run("respond", omega2=squares[:, np.newaxis], tau=tau, f=f)
        u, momenta = (np.hstack([found[x], found[y]]) for x, y in (("s", "u"), ("Ps", "P")))
        if not (np.isfinite(u).all() and np.isfinite(momenta).all()):
            raise NumericsError(f"{self.code.model.name}: displacements near a mode are not finite")
        return u, momenta

    def proven(self, square: float) -> Proven:
        require("flint", extra="proof", purpose="ball arithmetic")
        model = self.code.model
        program = self.made.wanted.choice.algorithm.program(plan(model))
        values = dict(zip(self.code.parameters, self.values.tolist(), strict=True))
        given = {**self.given, "omega2": np.array([square])}
        for bits in BITS:
            with working_bits(bits):
                numbers = balls()
                run = Interpreter(program, numbers, values)
                exact = {
                    name: [numbers.make(Fraction(float(x))) for x in array]
                    for name, array in given.items()
                }
                try:
                    return Proven(whole(run.results("count", exact)["below"][0]), bits)
                except UndecidedError:
                    continue
        raise NumericsError(
            f"{model.name}: how many eigenvalues lie below ω² = {square!r} is not decided in "
            f"{told(BITS[-1], 'bit')}: one of the model or of a part of it is met exactly"
        )

    def modes(self, found: Found) -> Modes:
        """What was found, as a record: largest coordinates 1, bodies turned and moved in space."""
        model, n = self.code.model, self.speeds
        u, shares = found.displacements, found.displacements * found.momenta
        lead = u[:, : n or None]
        largest = np.abs(lead).max(axis=1, initial=0.0)
        u = u / largest[:, np.newaxis] + 0.0  # no zero with a sign
        bodies = u[:, n:].reshape(len(u), len(model.body_names), -1)
        d = model.dimension
        moved = np.zeros((*bodies.shape[:2], 6))
        moved[..., 3 : 3 + d], moved[..., 3 - bodies.shape[2] + d : 3] = (
            bodies[..., :d],
            bodies[..., d:],
        )
        spinning = np.flatnonzero(shares[:, :n].any(axis=0))
        kinetic = shares[:, n:].reshape(bodies.shape).sum(axis=2)
        return Modes(
            model,
            self.q,
            found.squares,
            found.multiplicity,
            1 / largest**2,
            u[:, :n],
            moved,
            np.hstack([kinetic, shares[:, spinning]]),
            {
                "speed": place_names(model),
                "body": model.body_names,
                "element": (*model.body_names, *(f"rotor {model.speeds[k]}" for k in spinning)),
            },
            found.certificate,
        )
