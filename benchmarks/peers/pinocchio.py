"""Pinocchio, compiled from its headers; never called through Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from cffi import FFI

from ..building import DRIVERS, CannotBuildError, library
from ..cases import Case, NotHereError
from ..contenders import Contender, absent
from ..harness import MOTION, SINGLE, Call, pointer
from ..trees import BALL, FREE, Floats, Tree, same
from .wheels import pinocchio_flags

NAME = "pinocchio"

SOURCE = DRIVERS / "pinocchio.cpp"

#: What the driver declares for C; nobody outside sees into its `Context`.
SIGNATURES = re.findall(r'^extern "C" ([^{]+\))', SOURCE.read_text("utf-8"), re.MULTILINE)

ffi = FFI()
ffi.cdef("\n".join(f"{each.replace('Context', 'void')};" for each in SIGNATURES))

#: Conventions that an entry has; the faster one is what is compared with.
CONVENTIONS = dict.fromkeys(("forward", "rk4", "mass"), ("LOCAL", "WORLD"))


#: What its workspace may take, in bytes, until the parts that are not used are given back.
MEMORY = 8e9


@cache
def driver() -> Any:
    return ffi.dlopen(str(library("pinocchio", [SOURCE], pinocchio_flags())))


def states(tree: Tree, q: Floats, v: Floats) -> tuple[Floats, Floats]:
    """In its conventions: quaternions have the scalar last."""
    q, v = tree.state(q, v)
    taken: list[int] = []
    for link in tree.links:
        at = len(taken)
        place = range(at, at + 3) if link.kind == FREE else ()
        turn = at + len(place)
        turned = link.kind in (BALL, FREE)
        taken += [*place, *((turn + 1, turn + 2, turn + 3, turn) if turned else (turn,))]
    return np.ascontiguousarray(q[:, taken]), np.ascontiguousarray(v)


def given(case: Case) -> Floats:
    """Forces of drives, or the accelerations of inverse dynamics, in the tree's order."""
    q, _, u = case.drawn
    return case.numbers.state(q, u)[1] if case.entry == "inverse" else case.numbers.forces(u)


def contenders(case: Case) -> list[Contender]:
    conventions = CONVENTIONS.get(case.entry, ("",))
    names = [f"{NAME}, {convention}".removesuffix(", ") for convention in conventions]
    try:
        return [_contender(case, name, int(name.endswith("WORLD"))) for name in names]
    except (NotHereError, CannotBuildError) as error:
        return [absent(NAME, str(error))]


def _contender(case: Case, name: str, world: int) -> Contender:
    tree = case.numbers
    q, v = states(tree, *case.drawn[:2])
    u = np.ascontiguousarray(given(case))
    if 4 * 8 * v.shape[1] ** 3 > MEMORY:
        gigabytes = 4 * 8 * v.shape[1] ** 3 / 1e9
        return absent(name, f"its Data takes {gigabytes:.0f} GB for four tensors of nv³ numbers")
    numbers = tree.numbers
    model = driver().peer_model(len(tree.links), pointer(numbers), pointer(tree.gravity), world)
    model = ffi.gc(model, driver().peer_free)
    function = _address(f"peer_{case.entry}")
    if case.entry == "rk4":
        call = Call(function, [q, v], model, MOTION, dt=1e-3, steps=case.steps)
        return Contender(name, call, lambda: v, tree.back)
    result, back = written(case, len(q))
    call = Call(function, [q, v, u, result], model, SINGLE)
    return Contender(name, call, partial(np.copy, result), back)


def written(case: Case, states: int) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Room for what an entry writes, and the way from there to the case's order."""
    tree, nv = case.numbers, case.drawn[1].shape[1]
    if case.entry == "derivatives":
        return np.zeros((states, 3 * nv * nv)), same
    if case.entry == "mass":
        return np.zeros((states, nv * nv)), tree.mass_back
    return np.zeros((states, nv)), tree.back


def _address(name: str) -> int:
    return int(ffi.cast("intptr_t", ffi.addressof(driver(), name)))
