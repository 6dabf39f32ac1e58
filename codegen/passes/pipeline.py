"""The passes over a frozen program, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..blocks import LoweredStep, Module
from .alike import alike
from .chunks import chunked
from .dead import dead, memory, special
from .lasts import lasts
from .rewrite import signed_once, summed
from .whole import WHOLE, whole


@dataclass(frozen=True)
class Pass:
    """A step from a module to an equal one that costs less, or says more."""

    name: str
    title: str
    apply: Callable[[Module], Module]


def _on_wholes(change: Callable[[LoweredStep], LoweredStep]) -> Callable[[Module], Module]:
    """A pass over the steps that were made whole: in others values keep their names.

    A step that would cost more stays as it is.
    """

    def cheaper(step: LoweredStep) -> LoweredStep:
        changed = change(step)
        return changed if _length(changed) <= _length(step) else step

    def apply(module: Module) -> Module:
        steps = (cheaper(s) if s.name.startswith(WHOLE) else s for s in module.steps)
        return replace(module, steps=tuple(steps))

    return apply


def _length(step: LoweredStep) -> int:
    return sum(block.operations().total() for block in step.blocks)


#: All passes after the freezing, in the order in which they run.
PASSES = (
    Pass("dead", "drop what nothing reads", dead),
    Pass("special", "drop what an entry does not read", special),
    Pass("whole", "make a straight entry one block", whole),
    Pass("signs", "compute a - b or b - a, not both", _on_wholes(signed_once)),
    Pass(
        "sums", "factor sums, share their parts, add first what is known first", _on_wholes(summed)
    ),
    Pass("signs again", "as before, of the new sums", _on_wholes(signed_once)),
    Pass("lasts", "store after a loop what is read of its last turn alone", lasts),
    Pass("chunks", "cut very long straight code into functions", chunked),
    Pass("alike", "loop over members whose code differs in places alone", alike),
    Pass("memory", "list what the workspace holds", memory),
)


def applied(module: Module, passes: tuple[Pass, ...] = PASSES) -> Module:
    """The module after the passes."""
    for each in passes:
        module = each.apply(module)
    return module
