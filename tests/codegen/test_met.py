"""What solves have met lies in the workspace: each has its own, in one thread or in several."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from compiler import COMPILER, needs_compiler

import mstmm
from mstmm.codegen.generate import generate
from mstmm.codegen.solves.elimination import BOUNDED, FLOOR, FORGOTTEN, LEAST, MET, RANK
from mstmm.codegen.toolchain import Compiler

pytestmark = needs_compiler

#: Bars of a four-bar apart, where both conditions count, and all along one line, where one does.
APART, IN_LINE = mstmm.load("four-bar").q0, (0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def library() -> Any:
    return mstmm.compile("four-bar").backend


class Evaluation:
    """A workspace whose numbers are NaN at first, and the accelerations that are found in it."""

    def __init__(self, library: Any, q: tuple[float, ...]) -> None:
        sizes, ffi = library.interface.sizes, library.ffi
        self._work = ffi.new(f"{library.interface.prefix}_work *")
        np.frombuffer(ffi.buffer(self._work), dtype=np.float64)[:] = np.nan
        met = np.frombuffer(ffi.buffer(self._work.met), dtype=np.float64)
        (number,) = library.interface.noting["accelerations"]
        self.met = met[MET * number : MET * (number + 1)]
        names = library.interface.arguments["accelerations"]
        self._buffers = {name: np.zeros(sizes[name]) for name in names} | {"q": np.array(q)}
        self._pointers = [ffi.cast("double *", x.ctypes.data) for x in self._buffers.values()]
        self._function = library.function("accelerations")

    def __call__(self) -> tuple[list[float], float, int]:
        """The accelerations, and the least pivot and the rank that were met on the way."""
        self.met[:FLOOR] = FORGOTTEN
        self._function(*self._pointers, self._work)
        return self.told()

    def told(self) -> tuple[list[float], float, int]:
        return self._buffers["a"].tolist(), float(self.met[LEAST]), int(self.met[RANK])


def test_one_thread_with_two_workspaces(library: Any) -> None:
    """What is met in one is not said of the other, nor do the floors of one hold in the other."""
    regular, singular = Evaluation(library, APART), Evaluation(library, IN_LINE)
    first, second = regular(), singular()
    assert (first[2], second[2]) == (2, 1)
    assert regular.told() == first
    regular.met[FLOOR:] = 0.5, BOUNDED
    assert regular()[2] < 2
    assert Evaluation(library, APART)() == first
    regular.met[FLOOR + 1] = 0.0
    assert regular() == first


def test_two_threads_each_with_its_own(library: Any) -> None:
    alone = [Evaluation(library, q)() for q in (APART, IN_LINE)]
    together = Barrier(2)

    def found(q: tuple[float, ...]) -> set[str]:
        evaluation = Evaluation(library, q)
        together.wait()
        return {repr(evaluation()) for _ in range(2000)}

    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(found, (APART, IN_LINE))] == [{repr(x)} for x in alone]


@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_emitted_code_has_no_memory_of_its_own(target: str, tmp_path: Path) -> None:
    """Nothing is the thread's, and no array's length is found on the way."""
    sources = generate(mstmm.load("four-bar"), target=target).sources
    for name, text in sources.library.items():
        assert "_Thread_local" not in text
        (tmp_path / name).write_text(text)
    for name in sources.library:
        if name.endswith(".c"):
            assert isinstance(COMPILER, Compiler)
            COMPILER.compile_object(name, folder=tmp_path, flags=("-O0", "-Werror=vla"))
