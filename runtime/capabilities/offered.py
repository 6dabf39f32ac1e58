"""What a solver offers, each a method of the solvers whose algorithm computes it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, getdoc
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, overload

from ...blame import blamed

if TYPE_CHECKING:
    from ..evaluation.evaluator import Evaluator

P = ParamSpec("P")
if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from ..evaluation.arrays import Floats

    R = TypeVar("R", default=Floats)
else:
    from typing import TypeVar

    R = TypeVar("R")


class Offered(Generic[P, R]):
    """A method of the solvers whose algorithm has the `entry` that it needs; without one, of all.

    Where it needs none an `algorithm` of its own may compute it, of the models that this takes;
    `models` names the algorithm that tells which models have it, where that is another.
    On the class it is the plain function, for `help`, and for other code of the model.
    """

    name: str
    needs: str = ""
    algorithm: str = ""
    models: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self._owner = name, owner

    @property
    def group(self) -> str:
        """What it belongs to, by the first line of the class that it stands in."""
        return (getdoc(self._owner) or "").partition("\n")[0].removesuffix(".")

    @property
    def function(self) -> Callable[Concatenate[Any, P], R]:
        """What is called with a model's code and the arguments."""
        raise NotImplementedError

    def of(self, code: Evaluator) -> Callable[P, R]:
        """The method over this code."""
        bound: Callable[P, R] = MethodType(self.function, code)
        return bound

    @property
    def page(self) -> dict[str, str]:
        """What its docstring says: `title`, and the sections `shape`, `units`, … that it has."""
        text = getdoc(self.function) or ""
        found = re.findall(r"^([A-Z]\w+)\n((?: {4}.*\n?)+)", text, re.MULTILINE)
        said = {heading.lower(): " ".join(lines.split()) for heading, lines in found}
        return {"title": text.partition("\n")[0], **said}

    @overload
    def __get__(self, solver: None, owner: type) -> Callable[Concatenate[Any, P], R]: ...
    @overload
    def __get__(self, solver: Evaluator, owner: type) -> Callable[P, R]: ...
    def __get__(self, solver: Evaluator | None, owner: type) -> Any:
        if solver is None:
            return self.function
        if self.needs:
            solver.require(self.needs, self.name)
        bound = self._of_solver(solver)
        vars(solver)[self.name] = bound  # found there from now on, without asking again
        return bound

    def hastened(self, code: Evaluator, method: Callable[..., R]) -> Callable[..., R]:
        """The method, or what takes most calls of it faster."""
        return method

    def _of_solver(self, solver: Evaluator) -> Callable[P, R]:
        """The call as a method of the solver itself: what pickles one looks for it there."""
        call = blamed(self.of(solver))

        @wraps(self.function)
        def method(_: Evaluator, *args: P.args, **kwargs: P.kwargs) -> R:
            return call(*args, **kwargs)

        bound: Callable[P, R] = MethodType(self.hastened(solver, method), solver)
        return bound


def as_method(taken: Signature, leaving: int = 0) -> Signature:
    """What a method takes that takes this, without as many of its first arguments."""
    own = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    return taken.replace(parameters=[own, *[*taken.parameters.values()][leaving:]])


def offered_by(solver: type) -> dict[str, Offered[..., Any]]:
    """All that solvers of this class offer, by name."""
    every = [(name, x) for kind in solver.__mro__ for name, x in vars(kind).items()]
    return {name: x for name, x in every if isinstance(x, Offered)}
