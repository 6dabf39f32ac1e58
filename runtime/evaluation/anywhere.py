"""A model's code for any place of the tree that its cuts leave, closed or open."""

from __future__ import annotations

from ...codegen.face.choice import Choice
from .code import Code
from .evaluator import Evaluator


class Anywhere(Evaluator):
    """The code of `of`, without the gate for states: for closing loops, and searches on the way.

    Shape
        As in `Solver`.
    """

    def __init__(self, of: Evaluator) -> None:
        own = {"_calls", "_watched", "gate", "anywhere", "_loaded", "_derived", "_companions"}
        vars(self).update({name: x for name, x in vars(of).items() if name not in own})
        self._of = of

    gate = None
    anywhere = property(lambda self: self)

    @property
    def _loaded(self) -> Code:
        return self._of._loaded

    @property
    def _derived(self) -> Code:
        return self._of._derived

    def companion(self, method: Choice) -> Evaluator:
        return self._of.companion(method).anywhere
