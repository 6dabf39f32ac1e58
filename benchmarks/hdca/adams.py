"""Adams' method of variable step and order, predict–evaluate–correct–evaluate, to order 13.

SciPy has none that corrects once by a fixed formula: VODE's Adams iterates. Divided differences
are kept in Krogh's modified form φ_i, which are plain backward differences while the step
stays the same; ψ_i are sums of the last i steps.

Source
    Shampine and Gordon, Computer Solution of Ordinary Differential Equations, 1975, ch. 5 to 7.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: The highest order of the predictor; the corrector's is one more.
HIGHEST = 12

#: |γ*_i| of the constant step, i from 1: what the error of order i is estimated with.
ERROR = (
    1 / 2, 1 / 12, 1 / 24, 19 / 720, 3 / 160, 863 / 60480, 275 / 24192, 33953 / 3628800,
    8183 / 1036800, 3250433 / 479001600, 4671 / 788480, 13695779093 / 2615348736000,
    2224234463 / 475517952000,
)  # fmt: skip


class Adams:
    """The solution of y' = f(t, y) from t = 0, step by step.

    The error of a step is measured in the largest component, relative to |y| but at least to 1,
    and kept below the tolerance.
    """

    def __init__(self, rate: Callable[[float, Floats], Floats], start: Floats, tol: float) -> None:
        self.rate, self.tol = rate, tol
        self.t, self.y = 0.0, np.array(start, dtype=np.float64)
        self.phi = np.zeros((HIGHEST + 3, len(start)))
        self.phi[1] = rate(0.0, self.y)
        largest = self._size(self.phi[1])
        self.h = min(0.1, 0.8 * np.sqrt(tol) / largest if largest else 0.1)
        self.psi, self.beta, self.sigma = (np.ones(HIGHEST + 2) for _ in range(3))
        self.k, self.last_k, self.last_h, self.same = 1, 0, 0.0, 0
        self.starting = True

    def until(self, t_end: float) -> tuple[list[float], list[Floats]]:
        """Times and states of all steps; the last step is cut to end there.

        Raises
            ArithmeticError: no step is short enough.
        """
        times, states = [self.t], [self.y.copy()]
        while self.t < t_end:
            rest = t_end - self.t
            # A tenth more than the step is taken at once, so that no sliver is left.
            self.h = rest if 1.1 * self.h >= rest else self.h
            self._step(t_end if self.h == rest else None)
            times.append(self.t)
            states.append(self.y.copy())
        return times, states

    def _size(self, change: Floats) -> float:
        return float(np.abs(change / np.maximum(np.abs(self.y), 1.0)).max())

    def _coefficients(self) -> Floats:
        """g_1 … g_{k+1} of the step, integrals of the basis polynomials; ψ, β, σ come up to it."""
        k, h = self.k, self.h
        self.same = 0 if h != self.last_h else self.same
        self.same = min(self.same + 1, self.last_k + 1)
        before = self.psi.copy()
        self.psi[1] = h
        for i in range(2, k + 1):
            self.psi[i] = before[i - 1] + h
            self.beta[i] = self.beta[i - 1] * self.psi[i - 1] / before[i - 1] if i > 1 else 1.0
            self.sigma[i] = self.sigma[i - 1] * (i - 1) * h / self.psi[i - 1]
        self.beta[1] = self.sigma[1] = 1.0
        self.sigma[k + 1] = self.sigma[k] * k * h / self.psi[k]
        g, c = np.ones(k + 2), 1.0 / np.arange(1, k + 3)
        # c_q is (q − 1)! times the q-fold integral of the i-th basis polynomial over the step.
        for i in range(2, k + 2):
            if i == 2:
                c = 1.0 / (np.arange(1, k + 2) * np.arange(2, k + 3))
            else:
                c = c[:-1] - h / self.psi[i - 1] * c[1:]
            g[i] = c[0]
        return g

    def _step(self, t_end: float | None) -> None:
        """One step that is accurate enough, then the next one's order and size."""
        for failures in range(40):
            old = self.psi.copy()
            g = self._coefficients()
            k, h, phi = self.k, self.h, self.phi.copy()
            phi[2 : k + 1] *= self.beta[2 : k + 1, None]
            star = phi.copy()
            phi[k + 2], phi[k + 1] = phi[k + 1], 0.0
            for i in range(k, 0, -1):
                phi[i] += phi[i + 1]
            predicted = self.y + h * (g[1 : k + 1] @ star[1 : k + 1])
            t = self.t + h if t_end is None else t_end
            difference = self.rate(t, predicted) - phi[1]
            errors = self._errors(difference, phi)
            if h * abs(g[k] - g[k + 1]) * self._size(difference) <= self.tol:
                break
            self.starting, self.psi, self.last_h = False, old, 0.0
            self.k = 1 if failures == 2 else self._lower(errors)
            self.h *= min(0.5, np.sqrt(0.5 * self.tol / errors[2])) if failures > 2 else 0.5
            t_end = None
        else:
            raise ArithmeticError(f"PECE finds no step short enough at t = {self.t:g} s")
        self.t, self.y = t, predicted + h * g[k + 1] * difference
        new = self.rate(t, self.y)
        phi[k + 1] = new - phi[1]
        phi[k + 2] = phi[k + 1] - phi[k + 2]
        phi[1 : k + 1] += phi[k + 1]
        self.phi, self.last_k, self.last_h = phi, k, h
        self._next(errors)

    def _errors(self, difference: Floats, phi: Floats) -> tuple[float, float, float]:
        """Of the orders k − 2, k − 1 and k, if the step had been constant; none below order 1."""
        k, found = self.k, []
        for order in (k - 2, k - 1, k):
            rest = difference + (phi[order + 1] if 0 < order < k else 0.0)
            scale = self.h * self.sigma[order + 1] * ERROR[order - 1] if order > 0 else 0.0
            found.append(scale * self._size(rest))
        return found[0], found[1], found[2]

    def _lower(self, errors: tuple[float, float, float]) -> int:
        """The order, one lower where that is as accurate."""
        two, one, own = errors
        worth = one <= 0.5 * own if self.k == 2 else self.k > 2 and max(two, one) <= own
        return self.k - 1 if worth else self.k

    def _next(self, errors: tuple[float, float, float]) -> None:
        k, (_, below, error) = self.k, errors
        lower = self._lower(errors)
        self.starting = self.starting and lower == k and k < HIGHEST
        if self.starting:
            self.k += 1
        elif lower < k:
            self.k, error = lower, below
        elif k < self.same and k < HIGHEST:
            above = self.h * ERROR[k] * self._size(self.phi[k + 2])
            if above < (0.5 * error if k == 1 else error) and (k == 1 or below > above):
                self.k, error = k + 1, above
            elif k > 1 and below <= min(error, above):
                self.k, error = k - 1, below
        if self.starting or error * 2.0 ** (self.k + 1) <= 0.5 * self.tol:
            self.h *= 2.0
        elif error > 0.5 * self.tol:
            self.h *= max(0.5, min(0.9, (0.5 * self.tol / error) ** (1 / (self.k + 1))))
