"""The dynamic stiffness of a model by its generated code; its count by the same text in balls."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import NumericsError
from ...model.expressions.quantities import told
from ...symbolic.language.balls import UndecidedError, balls, whole, working_bits
from ...symbolic.language.interpreter import Interpreter
from ...symbolic.plans.plan import plan
from ..capabilities.tangent import place_names
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import LINEAR, Evaluator
from ..extras import require
from .coded.resting import fewest
from .coded.small import SmallMotions
from .finding import Found
from .inside import Ends, Inside
from .modes import Modes
from .search import AT_TOP, between
from .stiffness import Proven, Whole

#: Cells of a stretch of a beam at most.
MOST = 4096

#: Precisions of balls, in bits, one after the other.
BITS = tuple(64 << k for k in range(8))


#: Displacements by what results call them, their inertia times these, and loads along them: along
#: speeds, of bodies (of cells at their ends on the root side), of cells at their other ends.
ALONG = (("s", "Ps", "tau"), ("u", "P", "f"), ("ue", "Pe", "fe"))


class GeneratedStiffness(SmallMotions):
    """Of a model about a place at rest, by the code of the algorithm `linear`."""

    algorithm, named = LINEAR, ALONG

    def __init__(self, code: Evaluator, q: Floats, **given: Any) -> None:
        super().__init__(code, q, **given)
        self.length = sum(self.widths)
        # Where beams bend, a mode may leave all speeds at rest.
        self.leading = self.length if code.model.beams else self.speeds
        # Of a tree: its mass matrix is regular.
        tied = code.model.beams or code.model.conditioned
        self.eigenvalues = None if tied else self.speeds

    def counted(self, squares: Floats) -> tuple[Whole, Floats]:
        found = self.run("count", omega2=squares[:, np.newaxis])
        below = np.nan_to_num(found["below"][:, 0], posinf=0.0, neginf=0.0)
        return np.rint(below).astype(np.int64), np.nan_to_num(found["pivot"][:, 0])

    def logarithms(self, squares: Floats) -> Floats:
        found: Floats = self.run("count", omega2=squares[:, np.newaxis])["logdet"][:, 0]
        return found

    def _loaded(self, entry: str, squares: Floats, loads: Floats) -> dict[str, Floats]:
        """An entry at many frequencies, under loads along the displacements."""
        return self.run(entry, omega2=squares[:, np.newaxis], **self.loads(loads))

    def under(self, entry: str, square: float, loads: Floats) -> dict[str, Floats]:
        found = self._loaded(entry, np.array([-square]), loads[np.newaxis])
        return {name: x[0] for name, x in found.items()}

    def strained(self, squares: Floats, loads: Floats) -> Ends:
        found, n = self._loaded("strain", squares, loads), 3 * (self.model.dimension - 1)
        none = np.zeros((len(squares), 0))
        by = {x: found.get(x, none) for x in ("ks", "Wl", "Wc", "load", "yI", "lI")}
        wrenches, *cells = (
            by[x].reshape(len(squares), by[x].shape[1] // n, n) for x in ("load", "yI", "lI")
        )
        stored = np.hstack([by["Wl"], by["Wc"]])
        return Ends(by["ks"], wrenches, stored, *cells)

    @property
    def sprung(self) -> tuple[str, ...]:
        return tuple(self.interface.sets.get("sprung", ()))

    def responses(self, squares: Floats, loads: Floats) -> tuple[Floats, Floats]:
        found = self._loaded("respond", squares, loads)
        u, momenta = (np.hstack([found[x[k]] for x in self.along]) for k in (0, 1))
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
        """What was found, as a record: largest entries 1, bodies turned and moved in space."""
        model, n = self.code.model, self.speeds
        u, shares = found.displacements, found.displacements * found.momenta
        largest = np.abs(u[:, : self.leading]).max(axis=1, initial=0.0)
        u = u / largest[:, np.newaxis] + 0.0  # no zero with a sign
        spinning = np.flatnonzero(shares[:, :n].any(axis=0))
        kinetic = self.moved(shares).sum(axis=2)
        elements = [*dict.fromkeys(self.elements)]
        of = np.array([[x == y for y in elements] for x in self.elements], dtype=float)
        return Modes(
            model,
            self.q,
            found.squares,
            found.multiplicity,
            1 / largest**2,
            u[:, :n],
            self.moved(u),
            np.hstack([kinetic @ of, shares[:, spinning]]),
            {
                "speed": place_names(model)[:n],
                "body": self.ends,
                "element": (*elements, *(f"rotor {model.speeds[k]}" for k in spinning)),
            },
            found.certificate,
            Inside(
                self,
                found.squares,
                u,
                found.momenta / largest[:, np.newaxis],
            ),
        )


def stiffness_for(
    code: Evaluator,
    q: Floats,
    *,
    t: float,
    parameters: Mapping[str, float] | None,
    first: int | None,
    below: float | None,
) -> GeneratedStiffness:
    """The stiffness that is right for so many eigenvalues, or for all below a value of ω².

    Beams are in as many cells as that takes.

    Raises
        NumericsError: so high frequencies take more cells than there can be.
    """
    given: dict[str, Any] = {"t": t, "parameters": parameters}
    if not code.model.beams:
        return GeneratedStiffness(code, q, **given)
    cells = fewest(code, parameters)
    while cells <= MOST:
        stiffness = GeneratedStiffness(code, q, **given, cells=cells)
        top = np.array([-1.0, AT_TOP]) * stiffness.highest
        least, most = between(stiffness, top, top + (1 - AT_TOP) * stiffness.highest)[1]
        enough = most >= (first or 0) if below is None else below < stiffness.highest
        if enough and least == 0:
            return stiffness
        cells *= 2
    raise NumericsError(
        f"{code.model.name}: so high frequencies take more than {MOST} cells a stretch of a beam; "
        "ask for fewer modes, or for those below a lower frequency"
    )
