"""Arguments that nobody should give: each of every public callable, one at a time.

The public face is walked by inspection, so that a new method is attacked from its first day on.
"""

from __future__ import annotations

import datetime
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

#: Odd values for any argument, by what they are called in a failure.
ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "text": lambda: "abc",
    "empty text": lambda: "",
    "a path": lambda: "/proc/x",
    "NUL": lambda: "a\0b",
    "bytes": lambda: b"abc",
    "0": lambda: 0,
    "-1": lambda: -1,
    "-0.5": lambda: -0.5,
    "1e308": lambda: 1e308,
    "-1e308": lambda: -1e308,
    "5e-324": lambda: 5e-324,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "10**30": lambda: 10**30,
    "10**400": lambda: 10**400,
    "1j": lambda: 1j,
    "a fraction": lambda: Fraction(1, 3),
    "an object": object,
    "a class": lambda: dict,
    "a function": lambda: print,
    "a date": lambda: datetime.date(2026, 1, 1),
    "a generator": lambda: (x for x in (0.0, 1.0)),
    "a range": lambda: range(2),
    "a set": lambda: {0.0, 1.0},
    "[]": lambda: [],
    "[[]]": lambda: [[]],
    "[1, [2]]": lambda: [1, [2]],
    "[None]": lambda: [None],
    "[text]": lambda: ["a", "b"],
    "()": lambda: (),
    "{}": lambda: {},
    "{text: text}": lambda: {"a": "b"},
    "{text: nan}": lambda: {"m": float("nan")},
    "{0: 0}": lambda: {0: 0},
    "an array of nothing": lambda: np.empty(0),
    "a ragged array": lambda: np.array([None, [1, 2]], dtype=object),
    "an array of text": lambda: np.array(["a", "bc"]),
    "an array of dates": lambda: np.array(["2026-01-01"], dtype="datetime64[D]"),
    "a structured array": lambda: np.zeros(3, dtype=[("x", "f8")]),
    "ten axes": lambda: np.zeros((1,) * 10),
    "no rows": lambda: np.zeros((0, 3)),
}

#: A caller's own function that raises is the caller's: `dict` can be called, but with no number.
OWN_FAILURES = {("progress", "a class")}

#: What becomes of a good array: it may be taken, but nothing else may happen.
BENT: dict[str, Callable[[Any], Any]] = {
    "one number more": lambda x: np.concatenate([x, x[..., :1]], axis=-1),
    "one number less": lambda x: x[..., :-1],
    "no states": lambda x: np.zeros((0, *x.shape)),
    "three states": lambda x: np.stack([x] * 3),
    "two states in two axes": lambda x: np.zeros((2, 1, *x.shape)) + x,
    "backwards": lambda x: np.ascontiguousarray(x[..., ::-1])[..., ::-1],
    "every second": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "Fortran's order": lambda x: np.asfortranarray(np.stack([x] * 3)),
    "single precision": lambda x: x.astype(np.float32),
    "other bytes": lambda x: x.astype(x.dtype.newbyteorder()),
    "complex": lambda x: x + 1j,
    "objects": lambda x: x.astype(object),
    "text": lambda x: x.astype(str),
    "booleans": lambda x: x > 0,
    "masked": lambda x: np.ma.masked_array(x, mask=True),
    "read only": lambda x: _locked(x),
    "misaligned": lambda x: _misaligned(x),
    "with nan": lambda x: x * np.nan,
    "with inf": lambda x: x + np.inf,
    "1e308": lambda x: x * 0 + 1e308,
    "denormal": lambda x: x * 0 + 5e-324,
    "a list": lambda x: x.tolist(),
    "stretched": lambda x: np.broadcast_to(x, (5, *x.shape)),
}


def _locked(x: Any) -> Any:
    x = x.copy()
    x.flags.writeable = False
    return x


def _misaligned(x: Any) -> Any:
    memory = np.zeros(x.nbytes + 1, dtype=np.uint8)
    bent = memory[1:].view(np.float64).reshape(x.shape)
    bent[...] = x
    return bent


@dataclass(frozen=True)
class Call:
    """A public callable with one argument replaced."""

    name: str
    function: Callable[..., Any]
    good: Mapping[str, Any]
    argument: str
    oddity: str
    value: Callable[[], Any]

    def __repr__(self) -> str:
        return f"{self.name}({self.argument} = {self.oddity})"

    def __call__(self) -> Any:
        given = {name: x() if name == "events" else x for name, x in self.good.items()}
        return self.function(**given | {self.argument: self.value()})


def required(function: Callable[..., Any]) -> Iterator[str]:
    """The arguments that must be given."""
    for name, each in inspect.signature(function).parameters.items():
        variable = each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
        if each.default is each.empty and not variable and name != "self":
            yield name


def calls_of(name: str, function: Callable[..., Any], known: Mapping[str, Any]) -> Iterator[Call]:
    """Every argument of a callable in turn with every odd value.

    Raises
        LookupError: an argument is new: say in `known` what is good for it.
    """
    needed = list(required(function))
    if missing := [x for x in needed if x not in known]:
        raise LookupError(f"{name}: what is good for {', '.join(missing)}?")
    good = {x: known[x] for x in needed}
    for argument, each in inspect.signature(function).parameters.items():
        if each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) or argument == "self":
            continue
        for oddity, make in ODD.items():
            if (argument, oddity) in OWN_FAILURES:
                continue
            yield Call(name, function, good, argument, oddity, make)
        array = known.get(argument)
        if isinstance(array, np.ndarray) and array.ndim:
            for oddity, bend in BENT.items():
                yield Call(name, function, good, argument, oddity, _bent(bend, array))


def _bent(bend: Callable[[Any], Any], array: Any) -> Callable[[], Any]:
    return lambda: bend(array.copy())
