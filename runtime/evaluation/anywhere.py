"""A model's code for any place of the tree that its cuts leave, closed or open."""

from __future__ import annotations

from ...codegen.face.choice import Choice
from .code import Code
from .evaluator import Evaluator

#: What an evaluator finds for itself, and what is not of use without the gate.
OWN = frozenset(
    {"_calls", "_watched", "_there", "gate", "_loaded", "_derived", "_companions", "_anywhere"}
)


class Anywhere(Evaluator):
    """The code of `of`, without the gate for states.

    Shape
        As in `Solver`.
    """

    def __init__(self, of: Evaluator) -> None:
        vars(self).update({name: x for name, x in vars(of).items() if name not in OWN})
        self._of = of

    gate = None

    @property
    def _loaded(self) -> Code:
        return self._of._loaded

    @property
    def _derived(self) -> Code:
        return self._of._derived

    def companion(self, method: Choice, real: str = "") -> Evaluator:
        return anywhere(self._of.companion(method, real))


def anywhere(code: Evaluator) -> Evaluator:
    """The code for any place of the tree, as closing loops and searches on the way need it."""
    if not code.conditions or isinstance(code, Anywhere):
        return code
    found: Evaluator = vars(code).setdefault("_anywhere", None) or Anywhere(code)
    vars(code)["_anywhere"] = found
    return found
