"""What inputs may be along a motion: see `Solver.simulate(inputs=…)`."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from operator import index
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, SupportsIndex

from ..blame import blamed_parts
from ..errors import UsageError
from ..shown import Shown

if TYPE_CHECKING:
    import numpy.typing as npt

    from .evaluation.arrays import Floats


#: The first page of the memory, which no system gives to a program, ends here.
FIRST_ADDRESS = 4096


@blamed_parts
@dataclass(frozen=True)
class Sampled(Shown):
    """A controller that acts every `period` seconds, its output held between (zero-order hold).

    `law` is what else may be an input: an expression, `Feedback`, `CLaw`, or a Python function of
    (t, q, v), called once for each sample. The first sample is at the start of the motion; at every
    sample each method ends a step and starts anew. At the instant of a
    sample an input has its new value.

    A law that remembers something must be an object that can be called, or a bound method. One
    motion calls the object itself; in a batch of motions each has a copy of its own, made by
    `copy.deepcopy` with all that it holds. A plain function or a closure cannot be copied: all
    motions of a batch share it, and what it remembers.

        >>> import mstmm
        >>> mstmm.Sampled("-10*qcart - 3*ucart", period=0.01)
        Sampled(law='-10*qcart - 3*ucart', period=0.01)

    Shape
        `q` (nq), `v` (nv); the value is one number, or as many as the inputs that it is for.
    Units
        s; SI, rad.
    """

    law: Any
    period: float

    def __post_init__(self) -> None:
        given: object = self.period
        if not (isinstance(given, Real) and 0 < float(given) < math.inf):
            raise UsageError(f"Sampled: the period {given!r} must be a positive time, in s")


@blamed_parts
@dataclass(frozen=True, eq=False, repr=False)
class Table(Shown):
    """Values over time: on straight lines between the times, or (`held`) each up to the next.

    Before the first time the input is as there, after the last one as there. At every time each
    method ends a step and starts anew, for the table bends there. What is given is copied.

    Shape
        `times` (n), rising; `values` (n), or (n, inputs) for several at once.
    Units
        s; those of the input.
    """

    times: npt.ArrayLike
    values: npt.ArrayLike
    held: bool = False

    def __post_init__(self) -> None:
        from .evaluation.arrays import real_numbers

        times = real_numbers("times of a Table", self.times).copy()
        values = real_numbers("values of a Table", self.values).copy()
        _check_table(times, values)
        for name, array in (("times", times), ("values", values)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)


def _check_table(times: Floats, values: Floats) -> None:
    """See that a table has finite times that rise, and as many finite values.

    Raises
        UsageError: says what does not fit, and where.
    """
    import numpy as np

    if times.ndim != 1 or not len(times) or not np.isfinite(times).all():
        raise UsageError("the times of a Table are finite numbers in a row, at least one")
    for k, (one, other) in enumerate(pairwise(times.tolist()), start=1):
        if not other > one:
            raise UsageError(f"the times of a Table must rise; times[{k}] = {other:g} s does not")
    if values.ndim not in (1, 2) or len(values) != len(times):
        raise UsageError(
            f"a Table needs as many values as times: {times.shape} times, {values.shape} values"
        )
    if not np.isfinite(values).all():
        raise UsageError("a value of a Table is not finite")


@blamed_parts
@dataclass(frozen=True, eq=False, repr=False)
class Feedback(Shown):
    """Linear state feedback: inputs − gains · x, where x is how far the state is from (q, v).

    x is as in `Solver.state_space` with all its states: of the places the differences of the
    coordinates; of a quaternion the turn by θ from the one to the other, 2 sin(θ/2), the shorter
    way about the child's axes; of a free body's place the difference in its axes at `q`. Then the
    differences of the speeds. `solver.state_space(…).feedback(K)` makes one about its
    state.

    `reference` is what coordinates and speeds, by name, shall be instead of what `q` and `v` say: a
    number, an expression of the time, or a `Table`; expressions and tables not both. None is of a
    quaternion's. Where a coordinate moves, its speed is a reference of its own. What comes out is
    kept within `limits`, which saturates it.

        >>> import mstmm
        >>> follow = {"qcart": "0.1*sin(2*t)", "ucart": "0.2*cos(2*t)"}
        >>> law = mstmm.Feedback([[40, 0, 9, 0]], reference=follow, limits=(-20, 20))

    Shape
        `gains` (inputs, 2 nv); `q` (nq), `v` (nv), none: zero; `inputs` (inputs), none: zero;
        `limits`: lower and upper (2), or of each input (inputs, 2), infinite where there is none.
    Units
        Of the inputs by those of the state.
    """

    gains: npt.ArrayLike
    q: npt.ArrayLike | None = None
    v: npt.ArrayLike | None = None
    inputs: npt.ArrayLike | None = None
    reference: Mapping[str, Any] | None = None
    limits: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        given: object = self.reference
        named = isinstance(given, Mapping) and all(isinstance(name, str) for name in given)
        if given is not None and not named:
            raise UsageError(
                f"Feedback: reference = {shortened(given)} names no coordinate; write "
                "reference={coordinate: …}, by the names of coordinates and speeds"
            )


@dataclass(frozen=True, eq=False)
class Within:
    """A law whose values are kept within limits.

    Shape
        `limits` (inputs, 2).
    """

    law: Any
    limits: npt.ArrayLike


@blamed_parts
@dataclass(frozen=True)
class CLaw(Shown):
    """A C function `int law(double t, const double *q, const double *v, double *u, void *data)`.

    It writes its inputs into `u` and returns 0, or anything else to end the motion. `address` and
    `data` are numbers, as of `ctypes.cast(function, ctypes.c_void_p).value`; `kept` is whatever
    must live as long. Compiled code calls it itself; target `numpy` calls it from Python. All
    motions of a batch call it with the same data.
    """

    address: int
    data: int = 0
    kept: Any = None

    def __post_init__(self) -> None:
        said = "a whole number, as of ctypes.cast(function, ctypes.c_void_p).value"
        if not _is_address(self.address, FIRST_ADDRESS):
            raise UsageError(f"address = {self.address!r} must be that of a C function: {said}")
        if not _is_address(self.data, 0):
            raise UsageError(f"data = {self.data!r} must be the address of data, or 0: {said}")


def _is_address(value: object, least: int) -> bool:
    """Is this a whole number that a pointer can hold, and at least so large?"""
    try:
        whole = index(value) if isinstance(value, SupportsIndex) else -1
    except TypeError:  # an array of several
        return False
    return not isinstance(value, bool) and least <= whole <= 2 * sys.maxsize + 1


#: What may be an input along a motion.
Law = float | str | Sampled | Table | Feedback | CLaw | Callable[..., Any] | Sequence[str | float]

#: Laws by the name of an input, or by several names.
Laws = Mapping[str, Law] | Mapping[tuple[str, ...], Law] | Mapping[str | tuple[str, ...], Law]
