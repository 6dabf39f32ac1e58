"""mstmm's own targets, through the C that they emit and the libraries that users get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mstmm.codegen.generate import Generated, generate
from mstmm.errors import MstmmError, UsageError
from mstmm.runtime.solver import Solver

from ..cases import Case
from ..contenders import Contender, absent
from ..harness import BATCH, MOTION, SINGLE, Call
from ..trees import Floats

#: The algorithm and the entry of a kind of work. An entry that there is not yet is not there.
WORK = {
    "forward": ("riccati", "accelerations"),
    "inverse": ("rnea-body", "inverse_dynamics"),
    "derivatives": ("riccati", "derivatives"),
    "rk4": ("riccati", "rk4"),
}

#: Where vectors begin.
ALIGNMENT = 64


def contenders(case: Case) -> list[Contender]:
    """Of each target: from plain arrays, and with the state in the target's own order."""
    found: list[Contender] = []
    for target in case.targets:
        try:
            found += _of_target(case, target)
        except MstmmError as error:
            found.append(absent(target, f"not there: {error}".partition(";")[0]))
    return found


def _of_target(case: Case, target: str) -> list[Contender]:
    algorithm, entry = WORK[case.entry]
    entries = ("accelerations", "rates") if entry == "rk4" else (entry,)
    made = generate(case.built, algorithm=algorithm, target=target, entries=entries)
    known = made.sources.interface.arguments
    if entry != "rk4" and entry not in known:
        return [absent(target, f"not there: {algorithm} has no {entry}")]
    backend = _backend(made, target)
    native = _function(backend, made, f"{entry}_lanes")
    found = [_plain(case, target, made, backend, entry)]
    if native is not None:
        found.append(_native(case, f"{target} native", made, backend, entry, native))
    return found


def _backend(made: Generated, target: str) -> Any:
    """What a solver would load these sources with, without generating its other entries."""
    solver = object.__new__(Solver)
    solver.target, solver.portable = target, False
    return solver._load(made)


def _plain(case: Case, target: str, made: Generated, backend: Any, entry: str) -> Contender:
    function = _function(backend, made, entry)
    q, v, u = (x.copy() for x in case.drawn)
    work = _address(backend, backend._work())
    if entry == "rk4":
        call = Call(function, [q, v], work, MOTION, dt=1e-3, steps=case.steps, kept=backend)
        return Contender(target, call, lambda: v)
    arrays = _arrays(case, made, entry, q, v, u)
    kind = BATCH if hasattr(backend, "width") and target == "c-batch" else SINGLE
    call = Call(function, list(arrays.values()), work, kind, kept=backend)
    return Contender(target, call, _results(made, entry, arrays))


def _native(
    case: Case, name: str, made: Generated, backend: Any, entry: str, function: int
) -> Contender:
    """The state of `width` systems side by side, number by number."""
    width = backend.width
    plain = _arrays(case, made, entry, *case.drawn)
    lanes = {key: _side_by_side(array, width) for key, array in plain.items()}
    work = _address(backend, backend._work())
    call = Call(function, list(lanes.values()), work, SINGLE, lanes=width, kept=backend)
    results = _results(made, entry, lanes)

    def back(found: Floats) -> Floats:
        split = found.reshape(len(found), -1, width).swapaxes(1, 2)
        return split.reshape(len(found) * width, -1)

    return Contender(name, call, results, back)


def _side_by_side(array: Floats, width: int) -> Floats:
    """(states, length) as (states / width, length · width), on a boundary of vectors."""
    groups, length = len(array) // width, array.shape[1]
    memory = np.empty(groups * length * width + ALIGNMENT // 8)
    first = (-memory.ctypes.data % ALIGNMENT) // 8
    found = memory[first : first + groups * length * width].reshape(groups, length * width)
    split = array[: groups * width].reshape(groups, width, length)
    found[...] = split.swapaxes(1, 2).reshape(groups, length * width)
    return found


def _arrays(
    case: Case, made: Generated, entry: str, q: Floats, v: Floats, u: Floats
) -> dict[str, Floats]:
    interface = made.sources.interface
    known = {"q": q, "v": v, "ad" if case.entry == "inverse" else "tau": u}
    written = interface.results[entry]
    unknown = set(interface.arguments[entry]) - known.keys() - set(written) - {"f", "t"}
    if unknown:
        raise UsageError(f"{entry} also takes {', '.join(sorted(unknown))}")
    return {
        name: np.ascontiguousarray(known.get(name, np.zeros((len(q), interface.sizes[name]))))
        for name in interface.arguments[entry]
    }


def _results(made: Generated, entry: str, arrays: dict[str, Floats]) -> Callable[[], Floats]:
    """What the entry is asked for; derivatives may bring the accelerations along."""
    names = made.sources.interface.results[entry]
    if entry == "inverse_dynamics":
        names = ("tau",)
    elif entry == "derivatives":
        names = tuple(name for name in names if name != "a")
    return lambda: np.concatenate([arrays[name] for name in names], axis=1)


def _function(backend: Any, made: Generated, entry: str) -> int | None:
    """The address of an entry; None if the library has no such."""
    name = f"{made.sources.interface.prefix}_{entry}"
    try:
        return _address(backend, backend.ffi.addressof(backend.library, name))
    except (AttributeError, KeyError):
        backend.ffi.cdef(f"void {name}(void);")
    try:
        return _address(backend, backend.ffi.addressof(backend.library, name))
    except AttributeError:
        return None


def _address(backend: Any, pointer: Any) -> int:
    return int(backend.ffi.cast("intptr_t", pointer))
