"""The overall transfer equation in numbers: its matrices at a state, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..symbolic.language.arithmetic import FLOAT, Arithmetic
from ..symbolic.methods.overall.numbers import Overall, OverallNumbers
from .evaluation.arguments import Arguments


class OverallArrays(OverallNumbers):
    """The overall transfer equation's matrices at a state, as arrays; of other numbers, objects."""

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        dtype = float if self.arithmetic is FLOAT else object
        return np.array(super().__getitem__(name), dtype=dtype)


@dataclass(frozen=True, eq=False, repr=False)
class OverallInArrays(Overall):
    """The overall transfer equation of a model, and its matrices as arrays."""

    #: What lets a state pass: q, v and t as the program takes them.
    passed: Callable[..., Mapping[str, Sequence[float]]]

    def at(
        self,
        q: Sequence[float],
        v: Sequence[float],
        tau: Sequence[float] | None = None,
        *,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: Sequence[Sequence[float]] | None = None,
        arithmetic: Arithmetic = FLOAT,
    ) -> OverallNumbers:
        """As in `Overall`, at a state: with loops closed, quaternions brought to unit length.

        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            OpenStateError: the state leaves closed loops open, or its speeds do.
            NumericsError: the system is singular.
        Source
            Deduction paper (13)–(39); hinges own.
        """
        model = self.transfer.model
        check = Arguments(model, tuple(model.parameters), 0)
        given = self.passed(check, q, v, t, parameters)
        return super().at(
            given["q"],
            given["v"],
            tau,
            t=t,
            parameters=parameters,
            wrenches=wrenches,
            arithmetic=arithmetic,
        )

    @staticmethod
    def kind() -> type[OverallNumbers]:
        return OverallArrays
