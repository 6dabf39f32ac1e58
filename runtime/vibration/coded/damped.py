"""The dynamic stiffness of a model at complex frequencies, by its generated code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ....errors import NumericsError, UsageError
from ....symbolic.language.arithmetic import Number
from ....symbolic.language.balls import complex_balls
from ....symbolic.language.interpreter import Interpreter
from ....symbolic.methods.linear.kernels import SLIGHT
from ....symbolic.plans.plan import plan
from ...evaluation.arrays import Floats
from ...evaluation.evaluator import DAMPED, Evaluator
from ...extras import require
from ..spectra.enclosed import proven
from ..stiffness import Complex, Whole
from .changing import LAWS, only_spins
from .small import SmallMotions

#: Displacements by what results call them, and loads along them, as in `generated`.
ALONG = (("eta", "tau"), ("u", "f"), ("ue", "fe"))

#: Precisions of balls, in bits, one after the other.
BITS = (128, 512)


class GeneratedComplexStiffness(SmallMotions):
    """Of a model about a place at rest, by the code of the algorithm `damped`.

    Parameters that change along a batch change neither `q`, nor what cut hinges carry there.
    """

    algorithm, named = DAMPED, ALONG

    def __init__(self, code: Evaluator, q: Floats, **given: Any) -> None:
        super().__init__(code, q, **given)
        self.length = sum(self.widths) // 2
        self.highest = float(np.sqrt(self.highest))

    def determinants(
        self, s: Complex, parameters: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        found = self._at(s, "determine", parameters)
        return found["logdet"][:, 0], found["angle"][:, 0], np.nan_to_num(found["pivot"][:, 0])

    def counted(
        self, omegas: Floats | Complex, parameters: Floats | None = None
    ) -> tuple[Whole, Floats]:
        found = self._at(np.asarray(1j * omegas, np.complex128), "determine", parameters)
        below = np.nan_to_num(found["below"][:, 0], posinf=0.0, neginf=0.0)
        return np.rint(below).astype(np.int64), np.nan_to_num(found["pivot"][:, 0])

    def falling(self, s: Floats) -> Whole:
        """How many negative eigenvalues A has at each real s.

        Of a symmetric A that grows with s, as where all loads have an energy and dampers take it
        out, so many motions grow faster than exp(s t).
        """
        return self.counted(np.asarray(-1j * s, np.complex128))[0]

    def proven(self, path: Sequence[complex], *, mirrored: bool) -> int | None:
        """How many eigenvalues a path goes around, by `spectra.enclosed`; none if undecided.

        Raises
            ToolchainError: there is no ball arithmetic (extra `proof`).
            NumericsError: it takes too many parts.
        """
        require("flint", extra="proof", purpose="ball arithmetic")
        import flint

        asked: list[Callable[[Number], Number]] = []
        plain = complex_balls(lambda x: asked[0](flint.acb(x)))
        least = flint.arb(float(SLIGHT) / 2, float(SLIGHT) / 2)  # what keeps pivots off zero, or 0

        def make(x: Fraction) -> Number:
            return flint.acb(least) if x == SLIGHT else plain.make(x)

        numbers = replace(plain, make=make)
        model, values = self.code.model, self.values.tolist()
        program = self.made.wanted.choice.algorithm.program(plan(model))
        run = Interpreter(program, numbers, dict(zip(self.code.parameters, values, strict=True)))

        def angle(s: Number, argument: Callable[[Number], Number]) -> Number:
            asked[:] = [argument]
            given = {
                name: [numbers.make(Fraction(float(x))) for x in array]
                for name, array in self.given.items()
            }
            return run.results("determine", {**given, "s": [s]})["angle"][0]

        return proven(angle, path, BITS, mirrored=mirrored)

    def responses(self, s: Complex, loads: Complex, parameters: Floats | None = None) -> Complex:
        return self._loaded("respond", [x[0] for x in self.along], s, loads, parameters)

    def exerted(self, s: Complex, loads: Complex, parameters: Floats | None = None) -> Complex:
        return self._loaded("exert", ["load", "lI"], s, loads, parameters)

    def _loaded(
        self,
        entry: str,
        names: Sequence[str],
        s: Complex,
        loads: Complex,
        parameters: Floats | None,
    ) -> Complex:
        given = self.loads(_parts(np.broadcast_to(loads, (len(s), self.length))))
        found = self._at(s, entry, parameters, **given)
        u = np.hstack([found[name] for name in names if name in found])
        if not np.isfinite(u).all():
            raise NumericsError(f"{self.code.model.name}: displacements at a pole are not finite")
        return np.ascontiguousarray(u).view(np.complex128)

    def under(self, entry: str, square: float, loads: Floats) -> dict[str, Floats]:
        s = np.array([[np.sqrt(square) + 0j]])
        found = self.run(
            entry,
            s=_parts(s),
            **self.loads(_parts(np.asarray(loads[np.newaxis], dtype=np.complex128))),
        )
        return {name: x[0, ::2] for name, x in found.items()}

    def _at(
        self, s: Complex, entry: str, parameters: Floats | None, **given: Floats
    ) -> dict[str, Floats]:
        if parameters is not None:
            given["p"] = parameters
            if "cut" in self.given:
                given |= self._carried(parameters)
        return self.run(entry, s=_parts(np.asarray(s)[:, np.newaxis]), **given)

    def _carried(self, parameters: Floats) -> dict[str, Floats]:
        """What cut hinges carry at rest, where that changes with the parameters.

        Raises
            UsageError: there are loops, and what changes is no spin, nor in laws of hinges alone.
        """
        names = np.array(self.code.parameters)[(parameters != self.values).any(axis=0)].tolist()
        if only_spins(self.code.model, names):
            return {}
        if "lc" in self.given or not only_spins(self.code.model, names, apart=LAWS):
            raise UsageError(
                f"{self.code.model.name}: with closed loops {', '.join(names)} must be the same at "
                "all frequencies and speeds, as what cut hinges carry at rest depends on it"
            )
        each, of = np.unique(parameters, axis=0, return_inverse=True)
        told = (dict(zip(self.code.parameters, row, strict=True)) for row in each.tolist())
        return {"cut": np.array([self.cut_loads(x) for x in told])[of.reshape(-1)]}


def _parts(numbers: Complex) -> Floats:
    """Complex numbers as real and imaginary parts in turn."""
    return np.ascontiguousarray(numbers, dtype=np.complex128).view(np.float64)
