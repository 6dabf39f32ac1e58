"""The build that is fastest here: libraries of one text, timed on their own functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from ...codegen.face.variants import Tuned, Variant, fixed, parts

#: States of one call, seconds of calls in one measurement, and measurements, of which the least
#: counts: what else runs on the machine only adds.
STATES, SPAN, ROUNDS = 64, 1e-3, 5

#: Another build has to take less than this part of the usual one's time: the rest is noise.
WORTH = 0.95


def fastest(usual: Variant, others: Mapping[Variant, Any], backend: Any) -> Tuned:
    """Of the usual build, loaded as `backend`, and others the one that takes the least time.

    The usual one where no other is worth it, and where the environment asks for that.
    """
    if fixed():
        return Tuned(usual, {})
    times = measured({usual: backend, **others})
    found = parts({str(x): own for x, own in times.items()})
    best = min(times, key=lambda x: found[str(x)])
    chosen = best if found[str(best)] < WORTH else usual
    return Tuned(chosen, {str(x): own for x, own in times.items()})


def measured(backends: Mapping[Variant, Any]) -> dict[Variant, dict[str, float]]:
    """By build the seconds that a state takes in each entry: builds in turn, the least of some."""
    calls = {one: _calls(backend) for one, backend in backends.items()}
    least: dict[Variant, dict[str, float]] = {one: {} for one in backends}
    for _ in range(ROUNDS):
        for one, own in calls.items():
            for entry, call in own.items():
                spent = _spent(call)
                least[one][entry] = min(spent, least[one].get(entry, spent))
    return least


def _calls(backend: Any) -> dict[str, Callable[[], object]]:
    """The entries that the library itself has, each on some states: always the same numbers."""
    interface, chooser = backend.interface, np.random.default_rng(0)
    found: dict[str, Callable[[], object]] = {}
    for entry, names in interface.arguments.items():
        with suppress(backend.ffi.error):
            getattr(backend.library, backend.symbol(entry))
            sizes = {x: (STATES, interface.sizes[x]) for x in names}
            buffers = {x: chooser.uniform(0.1, 1.0, size) for x, size in sizes.items()}
            found[entry] = partial(backend.run, entry, buffers)
    return found


def _spent(call: Callable[[], object]) -> float:
    """Seconds that a state takes."""
    call()
    count, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < SPAN:
        call()
        count += 1
    return spent / count / STATES
