"""Stiffnesses that change with the speed: is what makes critical speeds countable still there?"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np

from ...codegen.face.choice import Choice
from ...errors import UsageError
from ...model import Hinge, Model
from ...model.parts.tabulated import less_half_rise
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import DAMPED, Evaluator
from .coded.changing import LAWS, only_spins
from .coded.damped import GeneratedComplexStiffness

#: So near to a bend of a table it is looked at on both sides of it.
BESIDE = 1e-9

#: What is slower than this part of the largest frequency is at rest.
SLOW = 1e-6


def bends(model: Model, name: str, harmonic: float, limit: float) -> Floats:
    """The speeds in (0, limit) at which tables over the speed, or over n times it, bend."""
    times = {name: 1.0, model.frequency: harmonic}
    found = [np.array(at) / times[of] for x in model.tables for of, at in x.axes if of in times]
    speeds = np.unique(np.concatenate([np.zeros(0), *found]))
    return speeds[(speeds > 0) & (speeds < limit)]


def see_rising(
    code: Evaluator,
    stiffness: GeneratedComplexStiffness,
    name: str,
    rows: Callable[[Floats], Floats],
    harmonic: float,
    limit: float,
) -> None:
    """Raise where a count of critical speeds may fall, as a stiffness rises faster than W².

    Raises
        UsageError: it does, or what changes is no table's straight lines.
    Source
        own: A/W² of A = K − W² N falls as W rises where K − ½ W dK/dW is not negative. Of K that is
        straight between the values of tables, or quadratic as a product of two such, that is
        straight there, too: it is looked at where each piece begins and ends.
    """
    names = {x for x in (name, stiffness.model.frequency) if x}
    if only_spins(stiffness.model, names):
        return
    lowered = replace(
        code.model, hinges=tuple(_lowered(hinge, names) for hinge in code.model.hinges)
    )
    beside = Evaluator(
        lowered,
        method=Choice(DAMPED),
        target=code.kind.beside or code.target,
        parameters=code.parameters,
        portable=code.portable,
        threads=code.threads,
        asked_by=code,
    )
    told = dict(zip(code.parameters, stiffness.values.tolist(), strict=True))
    t = float(stiffness.given["t"][0])
    slopes = GeneratedComplexStiffness(
        beside, stiffness.q, t=t, parameters=told, cells=stiffness.cells
    )
    ends = np.array([0.0, *bends(stiffness.model, name, harmonic, limit), limit])
    at = np.concatenate([ends[1:] * (1 - BESIDE), ends[:-1] * (1 + BESIDE) + BESIDE * limit])
    slow = np.full(len(at), SLOW * harmonic * limit)
    if (slopes.counted(slow, rows(at))[0] > stiffness.counted(slow, rows(at))[0]).any():
        raise UsageError(
            f"{code.model.name}: a stiffness rises with {name} so fast, faster than {name}², that "
            "a count does not tell all critical speeds; solver.response over the speeds, with "
            f"parameters={{{name!r}: speeds}}, shows where it resonates"
        )


def _lowered(hinge: Hinge, names: Collection[str]) -> Hinge:
    """The hinge with f − ½ W df/dW in the place of each law f.

    Raises
        UsageError: a law is not at most quadratic between the bends of its tables.
    """

    def lower(given: Any) -> Any:
        if isinstance(given, tuple):
            return tuple(map(lower, given))
        law = less_half_rise(given, names)
        if law is None:
            raise UsageError(
                f"the law of hinge {hinge.name} changes with {', '.join(sorted(names))} otherwise "
                "than on straight lines, as a table does: critical speeds are not counted; "
                "solver.campbell counts the frequencies at each"
            )
        return law

    return replace(hinge, **{x: lower(getattr(hinge, x)) for x in LAWS})
