"""A result as one record: from it come the method of solvers, its signature and its docstring."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import cleandoc, signature
from textwrap import fill
from types import MethodType
from typing import Any, Concatenate

from ...codegen.face.choice import Choice
from ..evaluation.arrays import Floats
from ..evaluation.door import closer
from ..evaluation.evaluator import Evaluator
from .offered import Offered, P, R, as_method

#: What most results refuse, and those that not every algorithm computes.
UNFIT = "a shape that does not fit, or a number that is not finite"
REFUSED = f"UsageError: {UNFIT}"
ELSEWHERE = f"UsageError: another algorithm computes this; {UNFIT}"
SINGULAR = "NumericsError: the result is not finite."

#: Arguments that are checked here, not by `Evaluator.results`, and what generated code calls them.
BUFFERS = {"a": "ad", "jerk": "jerk", "snap": "snap", "p": "mom"}

#: How many there are along an axis; `len(ends)` is the number of what code calls so.
COUNTS = {"nq": "coordinates", "nv": "speeds", "nbodies": "bodies", "nends": "ends"}


@dataclass(eq=False)
class Result(Offered[P, R]):
    """A result of generated code: what it takes, and its page; `name` is that of the method.

    The first line of `says` is its title. `shape` begins with the last axes, as `(…, nbodies, 6)`,
    which are those that it is read out in; after them, in the plane, may stand those of there. Of
    several `arrays` all have them, and `makes` makes one thing of them.

    It is of the solvers that have its `entry`. With an `algorithm` it is of all, and the code of
    that is generated and built when it is first asked for; what needs none is of all `always`.
    `read` reads it out otherwise than `plainly`, from `There` and what it takes; of a `quick` one,
    see `quickly`, it is the method itself.
    """

    takes: Callable[P, Any]
    says: str
    shape: str = ""
    units: str = ""
    frame: str = ""
    sign: str = ""
    raises: str = REFUSED
    source: str = "own"
    entry: str = ""
    arrays: str = ""
    algorithm: str = ""
    always: bool = False
    makes: Callable[..., R] | None = None
    read: Callable[..., R] | None = None
    quick: bool = False

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        self.entry = self.entry or name
        self.arrays = self.arrays or name
        self.needs = "" if self.algorithm or self.always else self.entry
        if self.quick and self.read:
            self.read.__name__ = name  # what pickles the bound method looks for this

    @cached_property
    def function(self) -> Callable[Concatenate[Any, P], R]:
        takes, read = self.takes, self.read or plainly

        def method(code: Evaluator, /, *args: P.args, **kwargs: P.kwargs) -> Any:
            given = takes(*args, **kwargs)
            return read(code._there.get(self) or self._there(code), **given)

        def quick(code: Evaluator, /, *args: P.args, **kwargs: P.kwargs) -> Any:
            return self.of(code)(*args, **kwargs)

        found = quick if self.quick else method
        made = self.read or self.makes
        gives = (
            made.__name__
            if isinstance(made, type)
            else made.__annotations__["return"]
            if made
            else "Floats"
        )
        known = as_method(signature(takes), leaving=self.quick).replace(return_annotation=gives)
        vars(found).update(__signature__=known, __wrapped__=takes)
        found.__name__, found.__module__ = self.name, self._owner.__module__
        found.__qualname__ = f"{self._owner.__qualname__}.{self.name}"
        found.__doc__ = self.docstring
        return found

    def of(self, code: Evaluator) -> Callable[P, R]:
        if not (self.quick and self.read):
            return super().of(code)
        bound: Callable[P, R] = MethodType(self.read, self._there(code))
        return bound

    @cached_property
    def docstring(self) -> str:
        """The docstring: a title, what else there is to say, and a section each."""
        parts = [cleandoc(self.says)]
        for name in ("shape", "units", "frame", "sign", "raises", "source"):
            lines = _sentences(getattr(self, name), errors=name == "raises")
            then = " " * (8 if name == "raises" else 4)
            filled = [fill(x, 96, initial_indent="    ", subsequent_indent=then) for x in lines]
            parts += [name.capitalize(), *filled] if filled else []
        return parts[0] + "\n\n" + "\n".join(parts[1:]) + "\n"

    def _there(self, code: Evaluator) -> There:
        """Where it is read out: in this code, or in that of its own algorithm."""
        if self not in code._there:
            own = self.algorithm and code.algorithm != self.algorithm
            code._there[self] = There(self, code.companion(Choice(self.algorithm)) if own else code)
        found: There = code._there[self]
        return found


class There:
    """Where a result is read out: a model's code, the entry, and its arrays with their axes.

    In `kept` a reading keeps what it looks up once.
    """

    def __init__(self, result: Result[..., Any], code: Evaluator) -> None:
        self.code, self.entry, self.result = code, result.entry, result
        self.kept: dict[Any, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """It travels as the solver, whose methods are found by their names."""
        return _itself, (self.code,)

    @cached_property
    def axes(self) -> dict[str, tuple[int, ...]]:
        """By array the lengths of its last axes, as `shape` says them."""
        shape, names = self.result.shape, self.result.arrays.split()
        said = re.findall(r"\(…((?:, (?:\d+ )?\w+(?:\(\w+\))?)*)\)", shape)
        in_plane = self.code.model.dimension == 2 and "in the plane" in shape
        each = said if " and (…" in shape else said[in_plane:][:1] * len(names)
        axes = [tuple(_length(axis, self.code) for axis in x.split(", ")[1:]) for x in each]
        return dict(zip(names, axes, strict=True))

    def results(
        self, code: Evaluator | None = None, entry: str = "", **given: Any
    ) -> dict[str, Floats]:
        """All arrays of the entry, or of another one, flat; `given` are arguments by name."""
        code = code or self.code
        states = {BUFFERS[name]: name for name in given if name in BUFFERS}
        more = {buffer: self.code.state(name, given.pop(name)) for buffer, name in states.items()}
        return code.results(entry or self.entry, **{**given, **more})

    @cached_property
    def quick(self) -> Callable[..., Any]:
        """The entry on what the record takes but the parameters, arrays that fit as they are."""
        chosen = self.code.conditions and "mu" in self.code.interface.arguments.get(self.entry, ())
        if chosen or not self.code.computes(self.entry):
            return closer
        known = self.code.arguments.tails.keys() - {"wrenches"}
        names = [x for x in signature(self.result.takes).parameters if x in known]
        arguments = [BUFFERS.get(name, name) for name in names]
        return self.code.quick(self.entry, arguments, tuple(self.axes), self.axes)

    def made(self, arrays: Sequence[Floats]) -> Any:
        """What a caller gets of them."""
        if self.result.makes:
            return self.result.makes(*arrays)
        return arrays[0]


def _itself(code: Evaluator) -> Evaluator:
    return code


def _length(axis: str, code: Evaluator) -> int:
    """As `3`, `nv`, `10 nbodies` or `len(ends)`."""
    many, _, name = axis.rpartition(" ")
    if name.isdigit():
        return int(name)
    each = name.removeprefix("len(").removesuffix(")")
    return int(many or 1) * len(getattr(code, COUNTS.get(each, each)))


def _sentences(text: str, *, errors: bool) -> list[str]:
    """The lines of a section: a sentence, or one for each error."""
    whole = " ".join(text.split())
    lines = re.split(r" (?=\w+Error: )", whole) if errors else [whole] if whole else []
    return [x if x == "own" or x.endswith((".", ":")) else f"{x}." for x in lines]


def plainly(
    there: There,
    parameters: Mapping[str, float] | None = None,
    wrenches: Any = None,
    **given: Any,
) -> Any:
    """The arrays as the code has them, in the axes of the record."""
    if parameters is None and wrenches is None:
        found = there.quick(*given.values(), None)
        if found is not None:
            return there.made(found if len(there.axes) > 1 else (found,))
    flat = there.results(**given, parameters=parameters, wrenches=wrenches)
    each = [flat[name].reshape((*flat[name].shape[:-1], *x)) for name, x in there.axes.items()]
    return there.made(each)


def quickly(
    read: Callable[Concatenate[There, P], R], says: str, shape: str, **page: Any
) -> Result[P, R]:
    """The record of a result whose calls take less than a microsecond: `read` takes all itself."""
    given: Any = read  # whose first parameter `Result` leaves out
    return Result(given, says, shape, read=read, quick=True, **page)
