"""Arrays of doubles, and what callers give made into them; what would be guessed at is refused."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import combinations
from operator import index
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ...errors import UsageError

Floats = npt.NDArray[np.float64]

#: Where results are to go: an array of the result's shape, or a tuple of as many as there are.
Out = npt.NDArray[Any] | tuple[npt.NDArray[Any], ...] | None

#: What an array holds, by NumPy's letter of the kind.
HELD = {"f": "doubles", "i": "whole numbers (int64)", "b": "truth values (bool)"}


def real_numbers(name: str, value: npt.ArrayLike) -> Floats:
    """The value as doubles; what NumPy would turn into numbers on its own is refused.

    Raises
        UsageError: names the argument and what it holds.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise UsageError(f"{name} is a masked array; fill what is masked")
    try:
        array = np.asarray(value)
    except ValueError:
        raise UsageError(f"{name} is no array: its rows differ in length") from None
    try:
        is_real = array.dtype.kind in "biuf" or (
            array.dtype.kind == "O" and all(isinstance(x, numbers.Real) for x in array.flat)
        )
        if not is_real:
            held = "text" if array.dtype.kind in "US" else array.dtype.name
            held = "None" if array.ndim == 0 and array.item() is None else held
            raise UsageError(f"{name} holds {held} instead of real numbers")
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"{name}: {error}") from None


def as_the_code_takes(array: Floats) -> Floats:
    """The same numbers, one after the other and where doubles may stand: a copy if they are not."""
    return np.require(array, np.float64, ["C_CONTIGUOUS", "ALIGNED"])


def rows_of(given: Mapping[str, Floats], batch: tuple[int, ...]) -> dict[str, Floats]:
    """Arguments with these batch axes as rows of states, as the code takes them."""
    states = int(np.prod(batch))
    return {
        name: as_the_code_takes(
            np.broadcast_to(array, (*batch, array.shape[-1])).reshape(states, array.shape[-1])
        )
        for name, array in given.items()
    }


def shaped(name: str, value: npt.ArrayLike, *shapes: tuple[int, ...]) -> Floats:
    """The value as finite doubles of one of these shapes.

    Raises
        UsageError: names the argument and what it holds.
    """
    array = real_numbers(name, value)
    if array.shape not in shapes:
        wanted = " or ".join(str(shape) if shape else "one number" for shape in shapes)
        raise UsageError(f"{name} has the shape {array.shape} instead of {wanted}")
    if not np.isfinite(array).all():
        raise UsageError(f"{name} = {value!r} is not finite")
    return array


def into(out: Out, found: Any) -> Any:
    """What was found, in the array that is to take it, if there is one; several in as many.

    A record is one of several arrays, in the order of its fields.

    Raises
        UsageError: `out` is no array of this shape and kind that can be written.
    """
    if out is None:
        return found
    if isinstance(found, tuple):
        return _into_each(out, dict(enumerate(found)))
    if is_dataclass(found) and not isinstance(found, type):
        each = {x.name: getattr(found, x.name) for x in fields(found)}
        arrays = {name: x for name, x in each.items() if isinstance(x, np.ndarray)}
        taken = _into_each(out, arrays)
        return replace(found, **dict(zip(arrays, taken, strict=True)))
    one = _fitting("out", out, found)
    one[...] = found
    return one


def _into_each(out: Out, found: Mapping[Any, Any]) -> tuple[npt.NDArray[Any], ...]:
    """Several results in a tuple of as many arrays; what does not fit is named by its key."""
    if not isinstance(out, tuple) or len(out) != len(found):
        names = [x for x in found if isinstance(x, str)]
        which = f": {', '.join(names)}" if names else ""
        raise UsageError(f"out is no tuple of {len(found)} arrays{which}")
    for k, (name, value) in enumerate(found.items()):
        _fitting(f"out[{k}]" + (f" ({name})" if isinstance(name, str) else ""), out[k], value)
    _apart(out)
    for array, value in zip(out, found.values(), strict=True):
        array[...] = value
    return out


def _fitting(name: str, out: Any, found: Any) -> npt.NDArray[Any]:
    held = np.asarray(found).dtype
    if not isinstance(out, np.ndarray) or out.dtype != held or not out.flags.writeable:
        raise UsageError(f"{name} is no array of {HELD[held.kind]} that can be written")
    if out.shape != np.shape(found):
        raise UsageError(f"{name} has the shape {out.shape} instead of {np.shape(found)}")
    return out


def _apart(out: tuple[Any, ...]) -> None:
    """Refuse arrays that share memory: what is written first would be lost."""
    arrays = [(k, x) for k, x in enumerate(out) if isinstance(x, np.ndarray)]
    for (i, one), (k, other) in combinations(arrays, 2):
        if np.may_share_memory(one, other) and np.shares_memory(one, other):
            raise UsageError(f"out[{i}] and out[{k}] share memory: each result needs its own")


def finite(name: str, value: object) -> float:
    """A parameter's value as a finite double.

    Raises
        UsageError: it is none.
    """
    if isinstance(value, list | tuple | np.ndarray) and np.ndim(value):
        raise UsageError(
            f"parameter {name} has the shape {np.shape(value)}; a call takes one number for all "
            "its states: call once for each, or let `simulate` or `mstmm.ensemble` vary it"
        )
    value = value.item() if isinstance(value, np.ndarray) else value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise UsageError(f"parameter {name} = {value!r} is no number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UsageError(f"parameter {name} is {number}, no finite number")
    return number


def count(name: str, value: object, least: int) -> int:
    """A whole number that is at least so large.

    Raises
        UsageError: it is none; names it.
    """
    try:
        whole = index(value) if isinstance(value, SupportsIndex) else least - 1
    except TypeError:  # an array of several
        whole = least - 1
    if isinstance(value, bool) or whole < least:
        raise UsageError(f"{name} = {value!r} must be a whole number of at least {least}")
    return whole
