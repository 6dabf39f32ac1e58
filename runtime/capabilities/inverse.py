"""Inverse dynamics: what given accelerations need, and the mass matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import final

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ..evaluation.arrays import Floats, into
from ..evaluation.door import closer
from ..evaluation.multipliers import choose
from .capability import Capability
from .frames import check_frame, loads_in
from .loops import Loops


@final
class InverseDynamics(Capability):
    """Forces for given accelerations."""

    def inverse_dynamics(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        passive: Sequence[str] = (),
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """The generalised forces that given accelerations need, besides the hinges' force laws.

        With closed loops many forces give the same motion: those of the tree, τ₀, plus Jᵀ μ for
        any μ, J being the `jacobian`. Of them the forces along the `passive` speeds (names) are
        zero, and all together are of least norm (SI units). `a` is to be one that the loops
        allow; then `accelerations` at these forces gives it back.

        Shape
            (…, nv); `a` (…, nv); `wrenches` and `out` as in `accelerations`.
        Units
            N, N m.
        Frame
            Hinge by hinge, as the speeds; `wrenches` in the inertial frame.
        Sign
            On the hinge's child by its parent, along the speed: the `tau` of `accelerations`.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, a number
                that is not finite, or a passive speed that there is not.
            NumericsError: the result is not finite, or passive forces cannot vanish.
        Source
            Riccati paper (5), (14), in link axes; the choice of μ is own.
        """
        if parameters is None and wrenches is None and _is_empty(passive):
            quick = self._quick(q, v, a, t, out)
            if quick is not None:
                return quick
        found = self._inverse("inverse_dynamics", q, v, a, passive, t, parameters, wrenches)
        return into(out, found["tau"])

    @cached_property
    def _quick(self) -> Callable[..., Floats | None]:
        if self.code.conditions:
            return closer
        return self.code.quick("inverse_dynamics", ("q", "v", "ad", "t"), ("tau",))

    def inverse_loads(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        passive: Sequence[str] = (),
        frame: str = "inertial",
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """Moment and force at the hinge of each body's output end, at given accelerations.

        Shape
            (…, nends, 6), as `joint_loads`; `a` (…, nv) and `passive` as in `inverse_dynamics`,
            whose reactions of the cuts these are.
        Units
            N m, N.
        Frame
            `inertial`, or `body`: the axes of the body whose output end it is (of a beam: of its
            floating frame).
        Sign
            As `joint_loads`.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, a number
                that is not finite, another frame.
            NumericsError: the result is not finite.
        Source
            Riccati paper (2), (5), (14).
        """
        check_frame(frame)
        found = self._inverse("inverse_loads", q, v, a, passive, t, parameters, wrenches)["loads"]
        return loads_in(self.code, frame, found, q, t, parameters)

    def inverse_drives(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        passive: Sequence[str] = (),
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """The generalised forces that drive the driven hinges, at given accelerations.

        Shape
            (…, len(driven)); `a` (…, nv) and `passive` as in `inverse_dynamics`.
        Units
            N, N m.
        Sign
            As `driving_forces`.
        Raises
            UsageError: no hinge is driven; another algorithm computes this; a shape that does
                not fit, or a number that is not finite.
            NumericsError: the result is not finite.
        Source
            Own: τ = Hᵀ λ.
        """
        if not self.code.driven:
            raise UsageError(f"{self.code.model.name}: no hinge is driven")
        found = self._inverse("inverse_dynamics", q, v, a, passive, t, parameters, wrenches)
        return found["drive"]

    def _inverse(
        self,
        entry: str,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        passive: Sequence[str],
        t: npt.ArrayLike,
        parameters: Mapping[str, float] | None,
        wrenches: npt.ArrayLike | None,
    ) -> dict[str, Floats]:
        """Results of inverse dynamics; with loops at the multipliers chosen by `choose`."""
        self.code.require(entry)

        def results(entry: str, mu: Floats) -> dict[str, Floats]:
            ad = self.code.state("a", a)
            return self.code.results(
                entry, q, v, t=t, parameters=parameters, wrenches=wrenches, ad=ad, mu=mu
            )

        if not self.code.conditions and _is_empty(passive):
            return results(entry, np.zeros(0))
        open_forces = results("inverse_dynamics", np.zeros(len(self.code.conditions)))["tau"]
        J = Loops(self.code).slopes(q, t=t, parameters=parameters)
        return results(entry, choose(self.code.model, open_forces, J, passive))


def _is_empty(names: Sequence[str]) -> bool:
    """Is it a list without names? Whether an array is one NumPy does not say."""
    return isinstance(names, (tuple, list)) and not names
