"""Entries of generated code on rows of doubles, as bridges to other libraries call them.

A bridge may not raise in the midst of a batch: a state or parameters that the solver would refuse,
or a result that is not finite, is a row of NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ...codegen.face.choice import Choice
from ...errors import MstmmError, UsageError
from ...runtime.device.module import DeviceModule
from ...runtime.evaluation.arrays import Floats
from ...runtime.evaluation.door import closer
from ...runtime.evaluation.evaluator import Evaluator
from ...runtime.evaluation.quick import quick_call
from .judged import Judged

Rows = tuple[Floats, ...]


class Called:
    """An entry as a function of rows; `takes` and `gives` are the lengths of its buffers."""

    def __init__(
        self, code: Evaluator, entry: str, takes: Mapping[str, int], gives: tuple[str, ...]
    ) -> None:
        code.require(entry)
        self.code, self.entry, self.takes = code, entry, takes
        sizes = code.interface.sizes
        self.gives = {name: sizes[name] for name in gives}
        self._quick = closer if self.on_device else self._door()
        self.judged = Judged(code)

    @property
    def on_device(self) -> bool:
        """Does the code run on a graphics processor?"""
        return isinstance(self.code.backend, DeviceModule)

    def _door(self) -> Callable[..., Floats | Rows | None]:
        """The call for rows that are as they should be."""
        code, gate = self.code, self.code.gate
        shapes = {name: (size,) for name, size in self.takes.items()}
        return quick_call(
            code.backend,
            self.entry,
            shapes,
            {},
            (),
            {name: (size,) for name, size in self.gives.items()},
            code.watched(self.entry).watch(),
            gate.quick(shapes, {}) if gate else None,
        )

    def __call__(self, *rows: Floats) -> Rows:
        """The results at these rows, which are contiguous.

        Shape
            Each (n, length).
        """
        given = dict(zip(self.takes, rows, strict=True))
        found = self._quick(*rows, None)
        if found is None:
            found = self._careful(given)
        found = found if isinstance(found, tuple) else (found,)
        wrong = self.judged.refused(given["p"]) if "p" in given else None
        if wrong is not None:
            for x in found:
                x[wrong] = np.nan
        return found

    def _careful(self, rows: dict[str, Floats]) -> Rows:
        """Row by row, where one of them is refused."""
        n = len(next(iter(rows.values())))
        found = {name: np.full((n, size), np.nan) for name, size in self.gives.items()}
        if n and not self._run(rows, found):
            for k in range(n):
                one = {name: x[k : k + 1] for name, x in found.items()}
                if not self._run({name: x[k : k + 1] for name, x in rows.items()}, one):
                    for x in one.values():
                        x[...] = np.nan
        return tuple(found.values())

    def _run(self, rows: Mapping[str, Floats], found: Mapping[str, Floats]) -> bool:
        """Are all results of these rows finite numbers?"""
        code, interface = self.code, self.code.interface
        buffers = {**rows, **found}
        for name in interface.arguments[self.entry]:
            if name not in buffers:
                buffers[name] = np.empty((len(rows["q"]), interface.sizes[name]))
        try:
            if code.gate:
                code.gate.see(rows, (len(rows["q"]),), self.entry)
            return bool(code.watched(self.entry).run(buffers))
        except MstmmError:
            return False


@dataclass(frozen=True)
class Differentiable:
    """A result by q, v, a third argument, and p and t if there are such, and gᵀ its derivatives.

    `forward` gives the result; `pullback` takes g too, and gives gᵀ times the derivatives by the
    first three along the speeds, then by the parameters if there are any.
    """

    name: str
    third: str
    forward: Called
    pullback: Called

    @property
    def solver(self) -> Evaluator:
        return self.forward.code

    @property
    def takes_time(self) -> bool:
        return "t" in self.forward.takes


def accelerations(solver: Evaluator) -> Differentiable:
    """The accelerations that forces give."""
    own = solver if solver.computes("accelerations") else solver.companion(Choice("riccati"))
    back = solver.companion(Choice("pullback"))
    return _differentiable("accelerations", "a", "tau", own, back)


def inverse_dynamics(solver: Evaluator) -> Differentiable:
    """The forces that accelerations need.

    Raises
        UsageError: there are closed loops.
    """
    if solver.conditions:
        raise UsageError(
            f"{solver.model.name} has closed loops, where many forces give the same motion: "
            "a bridge has inverse dynamics of trees alone"
        )
    has = solver.computes("inverse_dynamics")
    own = solver if has else solver.companion(Choice("rnea-body"))
    back = solver.companion(Choice("inverse-pullback"))
    return _differentiable("inverse_dynamics", "tau", "ad", own, back)


def _differentiable(
    name: str, result: str, third: str, own: Evaluator, back: Evaluator
) -> Differentiable:
    n, parameters = len(own.speeds), len(own.parameters)
    takes = {"q": len(own.coordinates), "v": n, third: n}
    takes |= {"p": parameters} if parameters else {}
    entry = {"a": "pullback", "tau": "inverse_pullback"}[result]
    timed = (*own.interface.arguments[name], *back.interface.arguments[entry])
    takes |= {"t": 1} if "t" in timed else {}
    gives = (result, "gq", "gv", f"g{third}", *(("gp",) if parameters else ()))
    forward = Called(own, name, takes, (result,))
    return Differentiable(name, third, forward, Called(back, entry, {**takes, "g": n}, gives))
