"""mstmm's own targets, through the C that they emit and the libraries that users get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from cffi import FFI

from mstmm.codegen.generate import Generated, generate
from mstmm.errors import MstmmError, UsageError
from mstmm.runtime.evaluation.code import loaded

from ..cases import Case
from ..contenders import Contender, absent, same
from ..harness import BATCH, MOTION, SINGLE, Call
from ..trees import Floats

#: The algorithm and the entry of a kind of work. An entry that there is not yet is not there.
WORK = {
    "forward": ("riccati", "accelerations"),
    "inverse": ("rnea-body", "inverse_dynamics"),
    "mass": ("rnea-body", "mass_matrix"),
    "derivatives": ("derivatives", "derivatives"),
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
    made = generate(
        case.built,
        algorithm=algorithm,
        target=target,
        entries=entries,
        forced=entry in ("accelerations", "derivatives"),
        loaded=False,
    )
    if entry == "rk4":
        made = _with_motions(made)
    known = made.sources.interface.arguments
    if entry != "rk4" and entry not in known:
        return [absent(target, f"not there: {algorithm} has no {entry}")]
    backend: Any = loaded(made.sources)
    found = [_plain(case, target, made, backend, entry)]
    if target == "c-batch":
        found.append(_side_by_side_states(case, f"{target} native", made, backend, entry))
    elif target == "c-lanes" and entry != "rk4":
        found.append(_side_by_side_segments(case, f"{target} native", made, backend, entry))
    return found


#: A motion by the classical method from a state in place, for the loop that times.
MOVED = """
#include <stdlib.h>

int {0}_rk4(double *q, double *v, double dt, long steps, {0}_work *w)
{{
    static mstmm_motion m;
    static double run_q[3 * {1}], run_v[3 * {2}], none;
    const double *const given[1] = {{0}};
    if (!m.memory) {{
        m.model = &{0}_model, m.memory = malloc(sizeof(double) * (size_t)mstmm_memory(m.model));
    }}
    m.work = w, m.method = MSTMM_RK4, m.start = 0.0, m.end = dt * steps, m.dt = dt, m.rest = 0.0;
    m.whole = m.stride = steps, m.records = m.room = 2, m.times = &none;
    m.run_q = run_q, m.run_v = run_v;
    mstmm_begin(&m, 1, q, v, given);
    while (mstmm_advance(&m, steps)) {{
    }}
    const long last = m.recorded[0] - 1;
    memcpy(q, run_q + last * {1}, {1} * sizeof *q);
    memcpy(v, run_v + last * {2}, {2} * sizeof *v);
    return m.state[0];
}}
"""


def _with_motions(made: Generated) -> Generated:
    """The sources with one function more."""
    sources, prefix = made.sources, made.sources.interface.prefix
    nq, nv = sources.interface.sizes["q"], sources.interface.sizes["v"]
    name = f"{prefix}.c"
    files = {**sources.files, name: sources.files[name] + MOVED.format(prefix, nq, nv)}
    return replace(made, sources=replace(sources, files=files))


def _plain(case: Case, target: str, made: Generated, backend: Any, entry: str) -> Contender:
    function = _function(backend, made, entry)
    q, v, u = (x.copy() for x in case.drawn)
    work = _address(backend, backend.work())
    if entry == "rk4":
        call = Call(function, [q, v], work, MOTION, dt=1e-3, steps=case.steps, kept=backend)
        return Contender(target, call, lambda: v)
    arrays = _arrays(case, made, entry, q, v, u)
    kind = BATCH if hasattr(backend, "width") and target == "c-batch" else SINGLE
    call = Call(function, list(arrays.values()), work, kind, kept=backend)
    back = _by_block if entry == "derivatives" else same
    return Contender(target, call, _results(made, entry, arrays), back)


def _by_block(found: Floats) -> Floats:
    """Rows of derivatives by q, v and τ as three matrices one after the other."""
    count = round((found.shape[1] / 3) ** 0.5)
    return found.reshape(len(found), count, 3, count).swapaxes(1, 2).reshape(found.shape)


def _side_by_side_states(
    case: Case, name: str, made: Generated, backend: Any, entry: str
) -> Contender:
    """The state of `width` systems side by side, number by number."""
    width, function = backend.width, _function(backend, made, f"{entry}_lanes")
    plain = _arrays(case, made, entry, *case.drawn)
    lanes = {key: _side_by_side(array, width) for key, array in plain.items()}
    work = _address(backend, backend.work())
    call = Call(function, list(lanes.values()), work, SINGLE, lanes=width, kept=backend)
    results = _results(made, entry, lanes)
    order = _by_block if entry == "derivatives" else same

    def back(found: Floats) -> Floats:
        split = found.reshape(len(found), -1, width).swapaxes(1, 2)
        return order(split.reshape(len(found) * width, -1))

    return Contender(name, call, results, back)


def _side_by_side_segments(
    case: Case, name: str, made: Generated, backend: Any, entry: str
) -> Contender:
    """The segments' bodies side by side, as the library packs them."""
    plain = _arrays(case, made, entry, *case.drawn)
    function = _function(backend, made, f"{entry}_native")
    native = {key: _packed(backend, made, key, array) for key, array in plain.items()}
    call = Call(function, list(native.values()), _address(backend, backend.work()), kept=backend)
    (result,) = made.sources.interface.results[entry]

    def found() -> Floats:
        unpack = backend.function(f"unpack_{result}")
        for row, target in zip(native[result], plain[result], strict=True):
            unpack(_pointer(backend, row), _pointer(backend, target))
        return plain[result]

    return Contender(name, call, found)


def _packed(backend: Any, made: Generated, name: str, plain: Floats) -> Floats:
    work = backend.work()
    length = backend.ffi.sizeof(getattr(work, f"native_{name}")) // 8
    native = _aligned(len(plain), -(-length // 8) * 8)
    pack = backend.function(f"pack_{name}")
    for row, target in zip(plain, native, strict=True):
        pack(_pointer(backend, row), _pointer(backend, target))
    return native


def _pointer(backend: Any, array: Floats) -> Any:
    return backend.ffi.cast("double *", array.ctypes.data)


def _aligned(rows: int, length: int) -> Floats:
    """Zeros on a boundary of vectors."""
    memory = np.zeros(rows * length + ALIGNMENT // 8)
    first = (-memory.ctypes.data % ALIGNMENT) // 8
    return memory[first : first + rows * length].reshape(rows, length)


def _side_by_side(array: Floats, width: int) -> Floats:
    """(states, length) as (states / width, length · width), on a boundary of vectors."""
    groups, length = len(array) // width, array.shape[1]
    found = _aligned(groups, length * width)
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
    name, ffi = backend.symbol(entry), FFI()
    ffi.cdef(f"void {name}(void);")
    library = ffi.dlopen(str(backend.path))
    try:
        return int(ffi.cast("intptr_t", ffi.addressof(library, name)))
    except AttributeError:
        return None


def _address(backend: Any, pointer: Any) -> int:
    return int(backend.ffi.cast("intptr_t", pointer))
