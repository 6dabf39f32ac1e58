"""A result as one record: from it come the method of solvers, its signature and its docstring."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, update_wrapper
from inspect import Parameter, cleandoc, signature
from textwrap import fill
from typing import Any, Concatenate

import numpy as np

from ...codegen.face.choice import Choice
from ..device.arrays import of_device
from ..device.module import DeviceModule
from ..evaluation.arrays import Floats, Out, into
from ..evaluation.door import closer, door
from ..evaluation.evaluator import Evaluator
from .offered import Offered, P, R, as_method

#: What most results refuse, and those that not every algorithm computes.
UNFIT = "a shape that does not fit, or a number that is not finite"
REFUSED = f"UsageError: {UNFIT}"
ELSEWHERE = f"UsageError: another algorithm computes this; {UNFIT}"
SINGULAR = "NumericsError: the result is not finite."

#: Arguments that are checked here, not by `Evaluator.results`, and what generated code calls them.
BUFFERS = {"a": "ad", "jerk": "jerk", "snap": "snap", "p": "mom", "c": "c", "g": "g"}

#: What a call of code takes besides states, and how `method.c` tells what is none of them.
ASIDE, WORD, UNTOLD = ("parameters", "wrenches", "out"), -1, -2

#: How many there are along an axis; `len(ends)` is the number of what code calls so.
COUNTS = {"nq": "coordinates", "nv": "speeds", "nbodies": "bodies", "nends": "ends"}


@dataclass(eq=False)
class Result(Offered[P, R]):
    """A result of generated code: what it takes, and its page; `name` is that of the method.

    The first line of `says` is its title. `shape` begins with the last axes, as `(…, nbodies, 6)`,
    which are those that it is read out in; after them, in the plane, may stand those of there. Of
    several `arrays` all have them, and `makes` makes one thing of them.

    It is of the solvers that have its `entry`. With an `algorithm` it is of all, and the code of
    that is generated and built when it is first asked for; what needs none is of all `always`, or
    of the `models` that an algorithm takes.

    Words among the arguments, such as the name of a frame, tell where its numbers stand: `told`,
    from `There` and the words, says so, or None where more is to be done than to read them. That
    does `read`, from `There` and all that is taken. Where numbers only have to be read, a call goes
    from Python into the code and back without a statement of Python, see `method.c`.
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
    models: str = ""
    makes: Callable[..., R] | None = None
    told: Callable[..., Told | None] | None = None
    read: Callable[..., R] | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        self.entry = self.entry or name
        self.arrays = self.arrays or name
        self.needs = "" if self.algorithm or self.always else self.entry

    @cached_property
    def function(self) -> Callable[Concatenate[Any, P], R]:
        takes, read = self.takes, self.read

        def found(code: Evaluator, /, *args: P.args, **kwargs: P.kwargs) -> Any:
            given = takes(*args, **kwargs)
            there = code._there.get(self) or self._there(code)
            if read is None:
                return plainly(there, **given)
            out = given.pop("out", None)
            return into(out, read(there, **given))

        made = self.read or self.makes
        gives = (
            made.__name__
            if isinstance(made, type)
            else made.__annotations__["return"]
            if made
            else "Floats"
        )
        known = as_method(signature(takes)).replace(return_annotation=gives)
        vars(found).update(__signature__=known, __wrapped__=takes)
        found.__name__, found.__module__ = self.name, self._owner.__module__
        found.__qualname__ = f"{self._owner.__qualname__}.{self.name}"
        found.__doc__ = self.docstring
        return found

    def hastened(self, code: Evaluator, method: Callable[..., R]) -> Callable[..., R]:
        """The method by way of the door, which hands to it what wants a closer look."""
        if isinstance(code.backend, DeviceModule):
            there = partial(self._by_words, code)
            aside = {*code.arguments.tails, *ASIDE}
            on_device = of_device(self.name, self.takes, there, BUFFERS, aside, method)
            return update_wrapper(on_device, method)
        made = door() if code.kind.compiled and (self.told or not self.read) else None
        if made is None:
            return method
        taken = signature(self.takes).parameters
        words = [name for name in taken if name not in {*code.arguments.tails, *ASIDE}]
        arrays = [x for x in taken if x in code.arguments.tails and x != "wrenches"]
        places = {x: k for k, x in enumerate((*arrays, "out"))}
        roles = dict.fromkeys(words, WORD) | dict.fromkeys(("parameters", "wrenches"), UNTOLD)
        needed = [x for x in taken.values() if x.default is Parameter.empty]
        first = [x for x in taken.values() if x.kind is not Parameter.KEYWORD_ONLY]

        def choose(*said: Any) -> tuple[Any, ...] | None:
            told = self._there(code).told(**dict(zip(words, said, strict=True)))
            if told is None:
                return None
            call = told.quick([BUFFERS.get(name, name) for name in arrays])
            return call, told.widths, told.makes

        found: Any = made.Method(
            tuple(taken),
            tuple((roles | places)[name] for name in taken),
            tuple(None if x.default is Parameter.empty else x.default for x in taken.values()),
            *(len(needed), len(first), len(places)),
            choose,
            method,
        )
        return update_wrapper(found, method)

    def _by_words(self, code: Evaluator, words: dict[str, Any]) -> tuple[Told | None, Any]:
        """Where the numbers stand that these words mean, and the code that computes them."""
        told = self._there(code).told(**words)
        return told, told and told.code._code(told.entry, False)[1]

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
    def plain(self) -> Told:
        """The arrays of the record, in its axes."""
        return Told(self.code, self.entry, self.axes, makes=self.result.makes)

    def told(self, **words: Any) -> Told | None:
        """Where the numbers stand that these words mean, if they only have to be read."""
        if self.result.told:
            return self.result.told(self, **words)
        return None if self.result.read else self.plain


@dataclass(frozen=True)
class Told:
    """Where the numbers of a result stand: arrays of an entry, each with its last axes.

    `held` are those arguments of the entry that stay as they are; of several rows each result has
    one for each, an axis before its own. The last array is cut into parts
    of these `widths`, if there are any. `makes` makes of the arrays what a caller gets: by default
    the one array, or a tuple of several.
    """

    code: Evaluator
    entry: str
    axes: Mapping[str, tuple[int, ...]]
    held: Mapping[str, Floats] = field(default_factory=dict)
    makes: Callable[..., Any] | None = None
    widths: tuple[int, ...] = ()

    def quick(self, arguments: Sequence[str]) -> Callable[..., Any]:
        """The entry on these arguments as they are, see `quick_call`."""
        if not self.code.has(self.entry):
            return closer
        return self.code.quick(self.entry, arguments, tuple(self.axes), self.axes, self.held)


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


def plainly(there: There, **given: Any) -> Any:
    """The arrays as the code has them, in their axes."""
    known = {*there.code.arguments.tails, *ASIDE}
    told = there.told(**{name: given.pop(name) for name in [*given] if name not in known})
    assert told is not None
    return read_out(there, told, **given)


def read_out(there: There, told: Told, *, out: Out = None, **given: Any) -> Any:
    """The arrays of `told`, each in its axes, at the arguments that are no words."""
    if any(x.ndim > 1 for x in told.held.values()):
        given = {name: _apart(there.code, name, x) for name, x in given.items()}
    flat = there.results(told.code, told.entry, **given, **told.held)
    each = tuple(flat[x].reshape((*flat[x].shape[:-1], *axes)) for x, axes in told.axes.items())
    if told.widths:
        *others, last = each
        each = (*others, *np.split(last, np.cumsum(told.widths)[:-1], axis=-1))
    found = told.makes(*each) if told.makes else each if len(each) > 1 else each[0]
    return into(out, found)


def _apart(code: Evaluator, name: str, value: Any) -> Any:
    """Numbers of states with an axis for the rows of what is held, if they have batch axes."""
    if value is None or name not in code.arguments.tails:
        return value
    array = code.state(name, value)
    at = array.ndim - len(code.arguments.tails[name])
    return np.expand_dims(array, at) if at else array


def transposed(columns: Floats) -> Floats:
    """Columns, which code has one after the other, as a matrix has them."""
    return columns.swapaxes(-1, -2)
