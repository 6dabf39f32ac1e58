"""A graphics processor by NVIDIA's driver: its library is all that launching a kernel needs."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from struct import pack
from typing import Any, Protocol

import numpy.typing as npt

from ...errors import NumericsError, ToolchainError, UsageError

#: Attributes of a device, and what a launch says of packed arguments, by the driver's numbers.
MULTIPROCESSORS, MAJOR, MINOR = 16, 75, 76
ARGUMENTS, LENGTH, END = 1, 2, 0


@dataclass(frozen=True)
class Kernel:
    """A kernel of loaded code: `form` says of each argument `q`, a whole number, or `d`."""

    code: Any
    name: str
    form: str


class Device(Protocol):
    """What runs kernels: a graphics processor, or the processor in its place."""

    multiprocessors: int

    def load(self, text: str) -> Any:
        """The code of a CUDA text."""

    def launch(self, kernel: Kernel, threads: int, given: Sequence[Any], stream: int = 0) -> None:
        """Run a kernel: `given` are its arguments, the states that it is for first.

        Raises
            UsageError: a state does not fit a thread.
        """

    def held(self, count: int) -> Any:
        """Memory of so many bytes while a block runs, by its address."""

    def put(self, address: int, array: npt.NDArray[Any]) -> None:
        """Copy numbers there."""

    def get(self, address: int, array: npt.NDArray[Any]) -> None:
        """Copy numbers from there, when all that was launched has ended."""


class Driver:
    """One graphics processor, in the context that all libraries of a process share.

    Raises
        ToolchainError: there is no driver, or no such device.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        name = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"
        try:
            self._cuda = ctypes.CDLL(name)
        except OSError:
            raise _missing(f"{name} cannot be loaded") from None
        if self._cuda.cuInit(0):
            raise _missing("the driver finds none")
        self._device, self._context = ctypes.c_int(), ctypes.c_void_p()
        if self._cuda.cuDeviceGet(ctypes.byref(self._device), number):
            raise _missing(f"there is no device {number}")
        self._do("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), self._device)
        self.multiprocessors = self._attribute(MULTIPROCESSORS)
        self.architecture = f"sm_{self._attribute(MAJOR)}{self._attribute(MINOR)}"
        self._functions: dict[Kernel, ctypes.c_void_p] = {}
        self._large: dict[tuple[int, str], int] = {}

    def load(self, text: str) -> int:
        from ...codegen.targets.cuda.compiling import cubin

        self._enter()
        module, made = ctypes.c_void_p(), cubin("model", text, self.architecture)
        self._do("cuModuleLoadData", ctypes.byref(module), made.code)
        found = module.value or 0
        self._large |= {(found, f"{x.name}_device"): x.stack for x in made.kernels if not x.fits}
        return found

    def launch(self, kernel: Kernel, threads: int, given: Sequence[Any], stream: int = 0) -> None:
        self._enter()
        function = self._functions.get(kernel)
        if function is None:
            if stack := self._large.get((kernel.code, kernel.name)):
                raise UsageError(
                    f"{kernel.name}: a state takes {stack} bytes of a thread's stack, for which a "
                    "card would wait most of its time; take target c-batch, or real='float'"
                )
            function = self._functions[kernel] = ctypes.c_void_p()
            named = ctypes.c_void_p(kernel.code), kernel.name.encode()
            self._do("cuModuleGetFunction", ctypes.byref(function), *named)
        packed = ctypes.create_string_buffer(pack(kernel.form, *given))
        size = ctypes.c_size_t(len(packed) - 1)
        told = ARGUMENTS, ctypes.addressof(packed), LENGTH, ctypes.addressof(size), END
        extra = (ctypes.c_void_p * len(told))(*told)
        shape = -(-given[0] // threads), 1, 1, threads, 1, 1
        self._do("cuLaunchKernel", function, *shape, 0, ctypes.c_void_p(stream), None, extra)

    @contextmanager
    def held(self, count: int) -> Iterator[int]:
        self._enter()
        address = ctypes.c_uint64()
        self._do("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(count, 1)))
        try:
            yield address.value
        finally:
            self._do("cuMemFree_v2", address)

    def put(self, address: int, array: npt.NDArray[Any]) -> None:
        where, size = ctypes.c_uint64(address), ctypes.c_size_t(array.nbytes)
        self._do("cuMemcpyHtoD_v2", where, ctypes.c_void_p(array.ctypes.data), size)

    def get(self, address: int, array: npt.NDArray[Any]) -> None:
        where, size = ctypes.c_uint64(address), ctypes.c_size_t(array.nbytes)
        self._do("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), where, size)

    def _enter(self) -> None:
        """Let this thread work in the context, if it does not yet."""
        now = ctypes.c_void_p()
        self._do("cuCtxGetCurrent", ctypes.byref(now))
        if now.value != self._context.value:
            self._do("cuCtxSetCurrent", self._context)

    def _attribute(self, number: int) -> int:
        value = ctypes.c_int()
        self._do("cuDeviceGetAttribute", ctypes.byref(value), number, self._device)
        return value.value

    def _do(self, function: str, *arguments: Any) -> None:
        """Call the driver.

        Raises
            NumericsError: it fails; says how.
        """
        status = getattr(self._cuda, function)(*arguments)
        if status:
            name = ctypes.c_char_p()
            self._cuda.cuGetErrorName(status, ctypes.byref(name))
            said = (name.value or b"").decode() or str(status)
            raise NumericsError(f"the graphics processor fails in {function}: {said}")


def _missing(why: str) -> ToolchainError:
    return ToolchainError(
        f"target 'cuda' needs a graphics processor by NVIDIA and its driver: {why}",
        remedy='target="c-batch" runs many states on this processor; '
        "mstmm generate --target cuda writes the code for another machine",
    )


@cache
def device(number: int) -> Device:
    """The device of this number.

    Raises
        ToolchainError: there is none.
    """
    return Driver(number)
