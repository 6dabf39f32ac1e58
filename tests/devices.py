"""The processor in the place of a graphics processor: target `cuda` as a program of C++.

Kernels are compiled without contraction, so that they give the bits of target `c`.
"""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mstmm.codegen.toolchain import find_compiler
from mstmm.runtime.device import arrays, driver

FLAGS = ("-x", "c++", "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-fPIC", "-shared")

#: Compiled texts, for all tests of a process.
FOLDER = tempfile.TemporaryDirectory()

KINDS: dict[str, Any] = {"q": ctypes.c_longlong, "d": ctypes.c_double, "f": ctypes.c_float}


class Processor:
    """A device whose memory is that of this program."""

    multiprocessors = 132
    architecture = "sm_90"

    def __init__(self) -> None:
        self.launched: list[tuple[str, int, tuple[Any, ...], int]] = []

    def load(self, text: str) -> ctypes.CDLL:
        name = Path(FOLDER.name) / hashlib.sha256(text.encode()).hexdigest()
        if not name.exists():
            name.with_suffix(".cu").write_text(text, encoding="utf-8")
            compiler = find_compiler(vectors=False).command
            command = (*compiler, *FLAGS, "-DMSTMM_EMULATED", f"{name}.cu", "-o", str(name))
            subprocess.run(command, check=True)
        return ctypes.CDLL(str(name))

    def launch(
        self, kernel: driver.Kernel, threads: int, given: Sequence[Any], stream: int = 0
    ) -> None:
        self.launched.append((kernel.name, threads, tuple(given), stream))
        function = getattr(kernel.code, kernel.name)
        function(*(KINDS[kind](x) for kind, x in zip(kernel.form, given, strict=True)))

    @contextmanager
    def held(self, count: int) -> Iterator[int]:
        room = np.full(count + 8, 0xFF, dtype=np.uint8)  # doubles that are none
        yield room.ctypes.data + -room.ctypes.data % 8

    def put(self, address: int, array: Any) -> None:
        ctypes.memmove(address, array.ctypes.data, array.nbytes)

    def get(self, address: int, array: Any) -> None:
        ctypes.memmove(array.ctypes.data, address, array.nbytes)


class Array(np.ndarray):
    """An array that is said to lie on a device, as one of CuPy's."""


Array.__module__ = "cupy"


def there(array: Any) -> Any:
    """NumPy's numbers on the device."""
    return np.array(array).view(Array)


CUPY = arrays.Library(
    device=lambda x: 0,
    address=lambda x: x.ctypes.data,
    strides=lambda x: tuple(each // x.itemsize for each in x.strides),
    empty=lambda x, shape, kind: np.full(shape, 77, dtype=kind).view(Array),
    brought=lambda x, numbers: there(numbers),
    stream=lambda x: 5,
    numpy=np.asarray,
)


def emulate(patch: Callable[[Any, str, Any], None] = setattr) -> Processor:
    """Put the processor in the place of every device, and arrays of CuPy and PyTorch on one."""
    processor = Processor()
    patch(driver, "device", lambda number: processor)
    at = {"device": lambda x: 0, "stream": lambda x: 0}
    libraries = {"cupy": lambda: CUPY, "torch": lambda: replace(arrays._torch(), **at)}
    patch(arrays, "LIBRARIES", libraries)
    return processor
