"""Target `cuda`: the entries of a model on a graphics processor, of NumPy's arrays too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from ...codegen.interface import Interface
from ..evaluation.arrays import Floats
from ..evaluation.backend import Written, checked
from . import driver
from .driver import Kernel

#: Threads in a block, by the states that a multiprocessor gets: few are spread over many.
SPREAD = ((64, 32), (512, 64))
MOST_THREADS = 128

#: The methods that kernels have.
METHODS = ("rk4", "rkmk4", "euler")

#: What NumPy calls a type of numbers.
KINDS = {"double": "float64", "float": "float32"}

#: Arrays begin on boundaries of so many bytes.
BOUNDARY = 256

#: Address of an array, and how many numbers apart its numbers and its states lie.
Place = tuple[int, int, int]


class DeviceModule:
    """The code of target `cuda`, compiled for the device where it is first called.

    `status` is that of each state in the last call of arrays that lie on a device: 1 where a result
    is not finite. Nothing waits for it.
    """

    width = 1
    status: Any = None

    def __init__(self, sources: Written) -> None:
        self.interface: Interface = sources.interface
        self.text = sources.files[f"{self.interface.prefix}.cu"]
        self.kind = KINDS[self.interface.real]
        self.still = np.zeros(max(self.interface.sizes.values()))
        self.kept: dict[Any, Any] = {}
        self._codes: dict[int, Any] = {}
        self._loading = Lock()
        self._kernels: dict[tuple[int, str], Kernel] = {}

    def launch(
        self, entry: str, states: int, places: Sequence[Place], status: int = 0, **at: int
    ) -> None:
        """An entry of so many states, on a device and a stream; `status` is an address or 0."""
        form = "q" * (2 + 3 * len(places))
        self.start(entry, form, [states, *(x for place in places for x in place), status], **at)

    def start(
        self, name: str, form: str, given: Sequence[Any], number: int = 0, stream: int = 0
    ) -> None:
        """A kernel by its name without the model's, on a device and a stream."""
        of, kernel = driver.device(number), self._kernels.get((number, name))
        if kernel is None:
            with self._loading:
                if number not in self._codes:
                    self._codes[number] = of.load(self.text)
            called = f"{self.interface.prefix}_{name}_device"
            kernel = self._kernels[number, name] = Kernel(self._codes[number], called, form)
        each = given[0] / of.multiprocessors
        threads = next((count for most, count in SPREAD if each <= most), MOST_THREADS)
        of.launch(kernel, threads, given, stream)

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool:
        """Fill the entry's results, state by state; False when one is not finite."""
        names = self.interface.arguments[entry]
        arrays = dict(zip(names, checked(self.interface, names, buffers), strict=True))
        status = np.zeros(len(buffers[names[0]]), dtype=np.int32)
        with Carried(self, arrays | {"status": status}, self.interface.inputs) as there:
            places = [(there[x], 1, arrays[x].shape[1]) for x in names]
            self.launch(entry, len(status), places, there["status"])
        return not status.any()

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of fixed steps whose kernels move the model."""
        apart = self.interface.can_close or self.interface.hamiltonian
        return () if apart or not self.interface.can_integrate else METHODS

    def blank(self) -> None:
        """A kernel leaves nothing behind but its results."""


class Carried:
    """NumPy's arrays on the device while a block runs, each by its address; then they come back.

    Those that are `read` are brought there and not back.
    """

    def __init__(
        self, module: DeviceModule, arrays: Mapping[str, npt.NDArray[Any]], read: Sequence[str]
    ) -> None:
        self.device, self.arrays, self.read = driver.device(0), arrays, read
        kinds = {x: module.kind if y.dtype == np.float64 else y.dtype for x, y in arrays.items()}
        self.there = {
            x: y.astype(kinds[x]) if x in read else np.empty_like(y, kinds[x])
            for x, y in arrays.items()
        }
        sizes = [-(-x.nbytes // BOUNDARY) * BOUNDARY for x in self.there.values()]
        self.offsets = [0, *np.cumsum(sizes).tolist()]
        self._held = self.device.held(self.offsets[-1])

    def __enter__(self) -> dict[str, int]:
        base = self._held.__enter__()
        self.at = {name: base + x for name, x in zip(self.there, self.offsets, strict=False)}
        for name in self.there.keys() & set(self.read):
            self.device.put(self.at[name], self.there[name])
        return self.at

    def __exit__(self, *failure: Any) -> None:
        try:
            for name in () if failure[0] else self.there.keys() - set(self.read):
                self.device.get(self.at[name], self.there[name])
                self.arrays[name][...] = self.there[name]
        finally:
            self._held.__exit__(*failure)
