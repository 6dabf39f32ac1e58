"""The stability of places at rest: by the energy, or by which small motions grow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ...model.expressions.quantities import told
from ...shown import Shown
from ...symbolic.methods.linear.refused import has_energy
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import DAMPED, Evaluator
from .coded.damped import GeneratedComplexStiffness
from .coded.resting import standing
from .damping import each_stiffness, see_mirrored
from .feeding import feeding
from .generated import GeneratedStiffness, stiffness_for
from .rest import at_rest
from .search import MEASURE, ZERO, surveyed
from .spectra.growth import growth
from .spectra.spectrum import POWERS


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Shown):
    """How many independent small deviations from a place at rest grow, stay or come back.

    By the `energy`: `unstable` are those along which it falls, `neutral` those along which it
    stays, to the second order. Dampers make no unstable place stable, and keep a stable one so.
    By the `motion`, where the energy does not tell: `unstable` are eigenvalues s that grow, and
    `neutral` those that neither grow nor decay; `up_to` is the |s| within which they are counted,
    infinite where these are all.

    Shape
        `q` (nq).
    """

    q: Floats
    unstable: int
    neutral: int
    by: str = "energy"
    up_to: float = np.inf

    @property
    def stable(self) -> bool:
        """Does the energy rise along every deviation, or does every one decay?"""
        return not self.unstable and not self.neutral

    def __str__(self) -> str:
        return self._of_energy() if self.by == "energy" else self._of_motion()

    __repr__ = __str__

    def _of_energy(self) -> str:
        if self.stable:
            return "stable: the potential energy rises along every deviation"
        falls = f"unstable: the potential energy falls along {self.unstable}"
        stays = f"{'and ' if self.unstable else 'neutral: it '}stays along {self.neutral}"
        parts = [falls] * bool(self.unstable) + [stays] * bool(self.neutral)
        return (
            f"{' '.join(parts)} independent deviation{'s' * (max(self.unstable, self.neutral) > 1)}"
        )

    def _of_motion(self) -> str:
        within = "" if np.isinf(self.up_to) else f", of those with |s| below {self.up_to:.4g} rad/s"
        if self.stable:
            return f"stable: all small deviations decay{within}"
        grow = f"unstable: {told(self.unstable, 'eigenvalue')} with positive real part"
        stay = f"{told(self.neutral, 'eigenvalue')} that neither grow nor decay"
        stay = stay if self.unstable else f"neither stable nor unstable: {stay}"
        return " and ".join([grow] * bool(self.unstable) + [stay] * bool(self.neutral)) + within


def stability(
    code: Evaluator,
    q: npt.ArrayLike | None = None,
    *,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Stability:
    """Whether a place at rest is stable.

    Where all loads have a potential, by a count of the directions in which the energy falls; what
    dampers and friction do is left out. Else, as with a law that feeds energy in, a spin or forces
    that follow a body, by the eigenvalues with positive real part, of all that `damped` finds.
    `q` as in `modes`.

        >>> import mstmm
        >>> solver = mstmm.compile("double-pendulum", target="numpy")
        >>> print(solver.stability([3.141592653589793, 0.0]))
        unstable: the potential energy falls along 2 independent deviations

    Shape
        `q` (nq).
    Raises
        UsageError: `q` is not at rest, a beam has a loss factor where the energy does not tell, or
            the model has what small motions do not have.
        NumericsError: no equilibrium is found, or an eigenvalue is neither told to grow nor not.
    Source
        Dirichlet, Kelvin; the count is that of `modes` at ω² = 0 and about it. The argument
        principle, as in `damped`.
    """
    given: dict[str, Any] = {"t": t, "parameters": parameters}
    try:
        rest = at_rest(code, q, **given)
    except UsageError:  # what has no energy; what is nothing for `damped` either it says itself
        rest = at_rest(code, q, algorithm=DAMPED, **given)
        return _by_motion(code, rest.q, **given)
    stiffness = stiffness_for(code, rest.q, first=1, below=None, **given)
    if any(feeding(rest.code, stiffness.model, rest.q, t)):
        return _by_motion(code, rest.q, **given)
    where = surveyed(stiffness)
    below, above = where.below[where.about_zero :][:2]
    return Stability(rest.q, int(below), int(above - below))


def growing(
    code: Evaluator, stiffness: GeneratedStiffness | GeneratedComplexStiffness, q: Floats, t: float
) -> int | None:
    """How many independent small deviations grow; none where that is not told.

    `code` tells poses. Where all loads have an energy it is told by a count; but where spin may
    hold up what falls, and where energy is fed in, all that does not decay is found.
    """
    if isinstance(stiffness, GeneratedStiffness):
        where = surveyed(stiffness)
        return int(where.below[where.about_zero])
    model = standing(stiffness.model)
    if has_energy(model) and not any(feeding(code, model, q, t)):
        powers = POWERS[stiffness.highest > 10.0**POWERS]
        count = np.maximum.accumulate(stiffness.counted(10.0**powers)[0])
        measure = 10.0 ** powers[np.searchsorted(count, min(int(count[-1]), MEASURE))]
        falling = int(stiffness.falling(np.array([np.sqrt(ZERO) * measure]))[0])
        if not falling or model == stiffness.model:
            return falling
    try:
        see_mirrored(stiffness.model)
        return growth(stiffness, None).growing
    except (NumericsError, UsageError):
        return None


def _by_motion(code: Evaluator, q: Floats, **given: Any) -> Stability:
    see_mirrored(code.model)
    stiffness = next(iter(each_stiffness(code, q, **given)))
    whole = not code.model.beams and not code.model.cuts
    found = growth(stiffness, 2 * stiffness.speeds if whole else None)
    return Stability(q, found.growing, found.neutral, "motion", found.up_to)
