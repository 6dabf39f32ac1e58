"""Entries of a compiled library as calls that take NumPy arrays as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from .arrays import Floats
from .backend import Backend, CBatchLibrary, CLibrary
from .door import MOST, closer, door


def quick_call(
    backend: Backend,
    entry: str,
    arguments: Mapping[str, tuple[int, ...]],
    constants: Mapping[str, Floats],
    units: Sequence[int],
    shapes: Mapping[str, tuple[int, ...]],
    watch: tuple[Any, ...] | None = None,
    guard: tuple[Callable[..., Any], Floats] | None = None,
) -> Callable[..., Any]:
    """An entry as a function of `arguments` in their order, then of an array for the first result.

    It returns the results named in `shapes`, each in that shape after the batch axes: one as it
    is, several as a tuple. None says that the arguments need a closer look. `arguments` give each
    one's shape for one state; one that is None has its value in `constants`. `units` is where
    quaternions begin in the first one; `guard` a call with the same arguments that
    is made before, with the most that each of its results may be; `watch` what is asked after each
    call, see `Watched`.
    """
    made = door()
    if guard and guard[0] is closer:
        return closer
    if made is None or not isinstance(backend, CLibrary | CBatchLibrary):
        return closer
    interface, ffi = backend.interface, backend.ffi
    taken = interface.arguments[entry]
    unread = [name for name in arguments if name not in taken]
    if len(taken) + len(unread) > MOST:
        return closer
    places, wanted = list(arguments), list(shapes)

    def row(name: str) -> tuple[Any, ...]:
        if name in shapes:
            return interface.sizes[name], -1, wanted.index(name), shapes[name], None
        if name in arguments:
            shape = arguments[name]
            return prod(shape), places.index(name), -1, shape, constants.get(name)
        size = interface.sizes[name]  # held as it is, or a result that nobody asks for
        return size, -1, -1, (size,), constants.get(name, np.zeros(size))

    call: Callable[..., Any] = made.Call(
        int(ffi.cast("uintptr_t", backend.function(entry))),
        isinstance(backend, CBatchLibrary),
        ffi.sizeof(f"{interface.prefix}_work"),
        tuple(map(row, (*taken, *unread))),
        len(taken),
        len(arguments),
        len(wanted),
        float(interface.operations[entry]),
        tuple(units),
        backend.opened if isinstance(backend, CLibrary) else backend.library,
        watch,
        guard,
    )
    return call
