"""Which argument a call failed by, looked for when it has failed.

What is written beside an argument says what it may be. A call that Python itself stops somewhere
inside, since a date is no list of names, ends with a sentence that names the argument; one that
succeeds pays nothing. What fails though all arguments are as they should be goes up as it is.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import numbers
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from operator import index
from typing import Any, ParamSpec, TypeVar

from .errors import InternalError, MstmmError, UsageError

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

#: What Python raises where a thing is not what it is taken for.
MISTAKES = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, InternalError)


def blamed_parts(kind: type[T]) -> type[T]:
    """The class, whose making is `blamed`: for records that a caller makes."""
    kind.__init__ = blamed(kind.__init__)  # type: ignore[method-assign]
    return kind


def blamed(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose failures by an argument of a wrong kind name that argument.

    One name is a list of one name: where names are listed, text is never taken for its letters.
    """
    lists = dict(_lists_of_names(function))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, place in lists.items():
            if isinstance(kwargs.get(name), str):
                kwargs[name] = (kwargs[name],)
            elif 0 <= place < len(args) and isinstance(args[place], str):
                args = (*args[:place], (args[place],), *args[place + 1 :])  # type: ignore[assignment]
        try:
            return function(*args, **kwargs)
        except MISTAKES as error:
            if isinstance(error, MstmmError) and not isinstance(error, InternalError):
                raise
            for said in _wrong(function, args, kwargs):
                raise UsageError(said) from error
            raise

    return call


def _lists_of_names(function: Callable[..., Any]) -> Iterator[tuple[str, int]]:
    """The arguments that are lists of names, and no text besides; where each stands, or -1."""
    plain = inspect.unwrap(function)
    code = getattr(plain, "__code__", None)
    if code is None:
        return
    own = 1 if inspect.ismethod(plain) else 0
    places = {name: k - own for k, name in enumerate(code.co_varnames[: code.co_argcount])}
    for name, annotation in plain.__annotations__.items():
        kinds = set(_alternatives(str(annotation)))
        if name != "return" and kinds & _NAMES and "str" not in kinds:
            yield name, places.get(name, -1)


def _wrong(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Iterator[str]:
    """What is wrong with each argument that is not what is written beside it."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        yield f"{function.__qualname__.removesuffix('.__init__')}: {error}"
        return
    for name, value in given.items():
        yield from _misfits(name, str(signature.parameters[name].annotation), value)
    for name, value in given.items():
        yield from _inside(name, value)


def _misfits(name: str, annotation: str, value: Any) -> Iterator[str]:
    """What is wrong with one thing, if it is not what is written beside it."""
    kinds = list(_alternatives(annotation))
    if not any(_fits(kind, value) for kind in kinds):
        at, found, kinds = _entry(kinds, value)
        heads = (kind.partition("[")[0] for kind in kinds)
        words = dict.fromkeys(_WORDS.get(head, f"a {head}") for head in heads)
        yield f"{name}{at} = {reprlib.repr(found)} must be {' or '.join(words)}"


def _inside(name: str, value: Any) -> Iterator[str]:
    """What is wrong with the fields of records, and of those in them; a default never is."""
    if isinstance(value, (list, tuple)):
        for k, entry in enumerate(value):
            yield from _inside(f"{name}[{k}]", entry)
    elif dataclasses.is_dataclass(value) and type(value).__name__ in CLASSES:
        for field in dataclasses.fields(value):
            own = getattr(value, field.name)
            if own is not field.default:
                yield from _misfits(f"{name}.{field.name}", str(field.type), own)
                yield from _inside(f"{name}.{field.name}", own)


def _entry(kinds: list[str], value: Any) -> tuple[str, Any, list[str]]:
    """Where in a tuple of records the wrong one is, that one, and what may stand there."""
    within = _within(kinds[0]) if len(kinds) == 1 and isinstance(value, (list, tuple)) else []
    if {kind.partition("[")[0] for kind in within} <= CLASSES:
        for k, entry in enumerate(value if within else ()):
            if not any(_fits(kind, entry) for kind in within):
                return f"[{k}]", entry, within
    return "", value, kinds


def _within(kind: str) -> list[str]:
    """What may stand in a list of this kind, as `tuple[A | B, ...]`."""
    inside = kind.partition("[")[2].removesuffix("]").removesuffix(", ...").split(", ")
    return [kind for each in inside for kind in _alternatives(each) if kind]


def _alternatives(annotation: str) -> Iterator[str]:
    """`A | B[C | D]` as `A` and `B[C | D]`."""
    depth, start = 0, 0
    for k, letter in enumerate(annotation):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            yield annotation[start:k].strip()
            start = k + 1
    yield annotation[start:].strip()


def _fits(kind: str, value: Any) -> bool:
    """Is the value of this kind? Kinds that are not known here take anything."""
    head = kind.partition("[")[0]
    if head in CLASSES:
        return any(base.__name__ == head for base in type(value).__mro__)
    return _TESTS[head](kind, value) if head in _TESTS else True


def _is_array(_: str, value: Any) -> bool:
    import numpy as np

    if isinstance(value, (str, bytes)):
        return False
    try:
        array = np.asarray(value)
        return array.dtype.kind in "biufO" and array.astype(np.float64).dtype == np.float64
    except (TypeError, ValueError, OverflowError):
        return False


def _is_number(_: str, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _is_whole(_: str, value: Any) -> bool:
    try:
        return not isinstance(value, bool) and index(value) == value
    except TypeError:
        return False


def _is_quantity(_: str, value: Any) -> bool:
    return _is_number("", value) or hasattr(value, "free_symbols")


def _is_list(kind: str, value: Any) -> bool:
    """A list or a tuple of what stands in the brackets, as far as that is known."""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes, range)):
        return False
    kinds = _within(kind)
    return all(any(_fits(kind, x) for kind in kinds) for x in value if kinds)


def _is_iterable(_: str, value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes))


def _is_mapping(kind: str, value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    names = not kind.startswith("Mapping[str") or all(isinstance(x, str) for x in value)
    return names and (
        kind != "Mapping[str, float]" or all(_is_number("", x) for x in value.values())
    )


#: How lists of names are written beside arguments.
_NAMES = {"Sequence[str]", "tuple[str, ...]"}

#: Kinds that are classes, told by their names: importing them would make this module heavy.
CLASSES = frozenset(
    (
        *("Algorithm", "Asked", "Base", "Beam", "Body", "End", "Event", "Force", "Frame"),
        *("Hinge", "Input", "Limits", "Load", "Mimic", "Model", "Path", "Point", "Samples"),
        *("Sensor", "Solver", "System", "Tabulated"),
    )
)

_TESTS: dict[str, Callable[[str, Any], bool]] = {
    "None": lambda _, x: x is None,
    "str": lambda _, x: isinstance(x, str),
    "bool": lambda _, x: isinstance(x, bool),
    "int": _is_whole,
    "float": _is_number,
    "npt.ArrayLike": _is_array,
    "Floats": _is_array,
    "Sequence": _is_list,
    "tuple": _is_list,
    "Iterable": _is_iterable,
    "Quantity": _is_quantity,
    "Vector": lambda _, x: _is_list("tuple[Quantity, ...]", x),
    "Matrix": lambda _, x: _is_list("tuple[Vector, ...]", x),
    "PathLike": lambda _, x: hasattr(x, "__fspath__"),
    "Mapping": _is_mapping,
    "Callable": lambda _, x: callable(x),
}
_WORDS = {
    "None": "None",
    "str": "text",
    "bool": "True or False",
    "int": "a whole number",
    "float": "a finite number",
    "npt.ArrayLike": "an array of numbers",
    "Floats": "an array of numbers",
    "Sequence": "a list of names",
    "tuple": "a tuple",
    "Iterable": "a list",
    "Quantity": "a number or a symbolic expression",
    "Vector": "a tuple of numbers or symbolic expressions",
    "Matrix": "a tuple of rows",
    "PathLike": "a path",
    "Model": "a model",
    "Solver": "a solver",
    "Mapping": "a mapping of names to values",
    "Callable": "a function",
}
