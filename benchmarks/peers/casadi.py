"""Pinocchio's algorithms traced with CasADi's symbols, written as C and compiled.

The straight-line code that results is what one gets for a given robot with these two libraries.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from cffi import FFI

from ..building import DRIVERS, FLAGS, CannotBuildError, library
from ..cases import Case, NotHereError
from ..contenders import Contender, absent
from ..harness import Call, pointer
from ..trees import Tree
from .pinocchio import CONVENTIONS, given, states, written
from .wheels import pinocchio_flags, site

NAME = "pinocchio → casadi C"

#: Longer mechanisms give more code than a compiler takes in reasonable time.
MOST_LINKS = 150

ffi = FFI()
ffi.cdef(
    """
int peer_trace(const char *entry, int world, int bodies, const double *numbers,
    const double *gravity, const char *file, double *counts);
int peer_call(const double *q, const double *v, const double *u, double *out, double *w);
"""
)


@cache
def driver() -> Any:
    """The tracer. Its own speed is no matter."""
    folder = site("casadi") / "casadi"
    flags = (*pinocchio_flags(), f"-I{folder / 'include'}")
    libraries = (f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}")
    base = tuple("-O1" if flag == "-O3" else flag for flag in FLAGS)
    source = [DRIVERS / "casadi.cpp"]
    return ffi.dlopen(str(library("casadi", source, flags, libraries, base)))


@dataclass(frozen=True)
class Traced:
    """The C text, and its operations."""

    text: str
    multiplications: int
    additions: int
    divisions: int


def trace(tree: Tree, entry: str, world: bool) -> Traced:
    """The C of an entry: forward, inverse, derivatives, or jacobian (CasADi's own derivative)."""
    counts = np.zeros(3)
    tracer, numbers = driver(), tree.numbers
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            failed = tracer.peer_trace(
                entry.encode(), int(world), len(tree.links), pointer(numbers),
                pointer(tree.gravity), b"traced.c", pointer(counts),
            )  # fmt: skip
        finally:
            os.chdir(before)
        if failed:
            raise CannotBuildError("casadi: the algorithm cannot be traced")
        text = (Path(folder) / "traced.c").read_text(encoding="utf-8")
    return Traced(text, *(int(count) for count in counts))


def compiled(text: str) -> Any:
    """The library of a traced C text."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "traced.c"
        source.write_text(text, encoding="utf-8")
        return ffi.dlopen(str(library("traced", [source, DRIVERS / "casadi_call.c"])))


def variants(entry: str) -> list[tuple[str, str, bool]]:
    """Name, what is traced, and whether in the world's frame; the fastest is compared with."""
    if entry == "derivatives":
        return [
            (f"{NAME}, Pinocchio's derivatives", "derivatives", False),
            (f"{NAME}, CasADi's derivatives", "jacobian", False),
        ]
    return [
        (f"{NAME}, {convention}".removesuffix(", "), entry, convention == "WORLD")
        for convention in CONVENTIONS.get(entry, ("",))
    ]


def contenders(case: Case) -> list[Contender]:
    if case.entry == "rk4":
        return []
    try:
        if len(case.numbers.links) > MOST_LINKS:
            return [absent(NAME, "its code grows with the mechanism")]
        return [_contender(case, *variant) for variant in variants(case.entry)]
    except (NotHereError, CannotBuildError) as error:
        return [absent(NAME, str(error))]


def _contender(case: Case, name: str, entry: str, world: bool) -> Contender:
    tree = case.numbers
    q, v = states(tree, *case.drawn[:2])
    u = np.ascontiguousarray(given(case))
    loaded = compiled(trace(tree, entry, world).text)
    result, back = written(case, len(q))
    work = np.zeros(100_000)
    function = int(ffi.cast("intptr_t", ffi.addressof(loaded, "peer_call")))
    call = Call(function, [q, v, u, result], pointer(work), kept=(loaded, work))
    return Contender(name, call, partial(np.copy, result), back)
