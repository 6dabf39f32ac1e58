"""Are sines and cosines within one unit in the last place, as the emitted file says of them?

The bound of blocks, 16·κ units, would let a rounding that is lost in the argument's reduction pass.
So numbers that are a sine or a cosine of an angle, and nothing else, are judged by themselves.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import mpmath

from ...errors import NumericsError
from ...symbolic.language.arithmetic import as_decimal, as_mpf
from ...symbolic.language.program import Program, Ref, Slot, Storage
from ..blocks import Module
from ..tableaus import slots
from .points import sample
from .records import SINES, Record, distance
from .replay import Memory, Run

#: States that are looked at, and by what every second one's angles are multiplied.
STATES, TURNED = 60, 3e4

#: Numbers that agree to so many decimals are the same.
DECIMALS = 40


def judge_sines(
    module: Module,
    memory_of: Callable[[Any, Mapping[str, list[float]]], Memory],
    chooser: random.Random,
) -> Iterator[Record]:
    """One record, if an entry leaves plain sines or cosines in memory.

    `memory_of` evaluates an entry at a state.
    """
    program = module.program
    first = sample(program, chooser, 0)
    try:
        exact = Run(program, first, None)
    except NumericsError:
        return
    for entry in module.entries:
        memory = memory_of(entry, first)
        found = [
            place
            for place in _plain(module, entry.steps, exact)
            if memory.read(place[0])[place[1]] is not None
        ]
        if found:
            yield _judged(program, partial(memory_of, entry), found, chooser)
            return


#: A value's entry, the angle of which it is the sine or cosine, and as what function.
Place = tuple[Ref, int, int, Callable[[float], Any]]


def _plain(module: Module, steps: tuple[str, ...], exact: Run) -> Iterator[Place]:
    """Outputs of kernels that take an angle, and give its sine or cosine."""
    program = module.program
    angles = [k for k, slot in enumerate(slots(program)) if slot is Slot.ANGLE]
    taken = list(_coordinates(program))
    for step in (module.step(name) for name in steps):
        for call in (x for block in step.blocks for calls in block.calls for x in calls):
            read = {x for x in call.reads.values() if isinstance(x, Ref)}
            mine = [k for k in angles if taken[k] in read]
            of = {_key(f(exact.given["q"][k])): (k, f) for k in mine for f in FUNCTIONS}
            for ref in call.writes.values() if of and call.span is None else ():
                for at, value in enumerate(exact.values[ref]):
                    if (key := _key(value)) in of:
                        yield ref, at, *of[key]


def _coordinates(program: Program) -> Iterator[Ref]:
    """The value that each coordinate is an entry of."""
    for array in program.arrays.values():
        if array.storage is Storage.ARGUMENT and array.owner == "q":
            for ref in program.refs(array.name):
                yield from [ref] * len(array.port.entries)


def _key(x: Any) -> str:
    return f"{x:.{DECIMALS}f}"


def _function(name: str, sign: int) -> Callable[[float], Any]:
    of = getattr(mpmath, name)
    return lambda x: sign * as_decimal(of(as_mpf(x)))


FUNCTIONS = [_function(name, sign) for name in ("sin", "cos") for sign in (1, -1)]


def _judged(
    program: Program,
    memory_at: Callable[[Mapping[str, list[float]]], Memory],
    places: list[Place],
    chooser: random.Random,
) -> Record:
    record = Record(f"{SINES}: within a unit")
    angles = [k for k, slot in enumerate(slots(program)) if slot is Slot.ANGLE]
    for number in range(STATES):
        state = sample(program, chooser, 0)
        for k in angles if number % 2 else ():
            state["q"][k] *= TURNED
        memory = memory_at(state)
        record.points += 1
        for ref, at, k, function in places:
            value, stored = function(state["q"][k]), memory.read(ref)[at]
            holds = stored is not None and distance(stored, value) <= math.ulp(float(value))
            record.holds(bool(holds), f"{ref.array}[{ref.member}][{at}] of {state['q'][k]!r}")
    return record
