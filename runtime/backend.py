"""Generated code as functions on arrays: the C library through cffi, or the NumPy module."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from cffi import FFI

from ..codegen.emit import LANES, Interface, Sources
from ..errors import InternalError

Floats = npt.NDArray[np.float64]


#: What became of a motion or a projection.
DONE, NOT_FINITE, OPEN = 0, 1, 2


class Backend(Protocol):
    """Runs the entries of a generated module; buffers are (states, length) and contiguous."""

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool:
        """Fill the entry's results, state by state; False when one is not finite."""

    def rk4(self, buffers: Mapping[str, Floats], dt: float, steps: int) -> int:
        """Advance `q` and `v` of one state in place; the loops, if any, are closed every step.

        `DONE`, `NOT_FINITE`, or `OPEN` when the loops cannot be closed.
        """

    def project(self, buffers: Mapping[str, Floats]) -> int:
        """Close the loops of one state in place; as `rk4`."""

    def workspace(self) -> dict[str, Floats]:
        """The work arrays after the last evaluation of this thread, by name."""


class CLibrary:
    """A compiled library, loaded in cffi's ABI mode; one workspace a thread."""

    def __init__(self, path: Path, sources: Sources) -> None:
        self.interface: Interface = sources.interface
        self.ffi = FFI()
        self.ffi.cdef(sources.declarations)
        self.library: Any = self.ffi.dlopen(str(path))
        self._local = threading.local()

    def _work(self) -> Any:
        if not hasattr(self._local, "work"):
            self._local.work = self.ffi.new(f"{self.interface.prefix}_work *")
        return self._local.work

    def _function(self, name: str) -> Any:
        return getattr(self.library, f"{self.interface.prefix}_{name}")

    def _pointer(self, buffer: Floats) -> Any:
        return self.ffi.cast("double *", buffer.ctypes.data)

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool:
        function, work = self._function(entry), self._work()
        pointers = [
            (self._pointer(buffers[name]), buffers[name].shape[1])
            for name in self.interface.arguments[entry]
        ]
        status = 0
        for state in range(len(next(iter(buffers.values())))):
            status |= function(*(start + state * width for start, width in pointers), work)
        return status == 0

    def rk4(self, buffers: Mapping[str, Floats], dt: float, steps: int) -> int:
        pointers = [self._pointer(buffers[name]) for name in self.interface.moving]
        return int(self._function("rk4")(*pointers, dt, steps, self._work()))

    def project(self, buffers: Mapping[str, Floats]) -> int:
        pointers = [self._pointer(buffers[name]) for name in self.interface.closing]
        return int(self._function("project")(*pointers, self._work()))

    def workspace(self) -> dict[str, Floats]:
        work = self._work()
        return {
            name: np.frombuffer(
                self.ffi.buffer(getattr(work, name)), dtype=np.float64, count=length
            ).copy()
            for name, length in self.interface.workspace.items()
        }


#: Where vectors are loaded and stored fastest.
ALIGNMENT = 64


def _aligned(ffi: FFI, kind: str) -> tuple[Any, Any]:
    """A structure on a boundary of vectors, and the memory that it lies in."""
    memory = np.zeros(ffi.sizeof(kind) + ALIGNMENT, dtype=np.uint8)
    skipped = -memory.ctypes.data % ALIGNMENT
    return ffi.cast(f"{kind} *", memory.ctypes.data + skipped), memory


class CLanesLibrary(CLibrary):
    """A compiled library whose chains are swept in segments at once."""

    def _work(self) -> Any:
        """The workspace, on a boundary of vectors."""
        if not hasattr(self._local, "work"):
            kind = f"{self.interface.prefix}_work"
            self._local.work, self._local.memory = _aligned(self.ffi, kind)
        return self._local.work


class CBatchLibrary:
    """A compiled library that takes many states at once; one workspace a thread.

    Where a single state is looked into, it is the last one of the last evaluation.
    """

    def __init__(self, path: Path, sources: Sources) -> None:
        self.interface: Interface = sources.interface
        self.ffi = FFI()
        prefix = self.interface.prefix
        self.ffi.cdef(f"int {prefix}_width(void);")
        self.library: Any = self.ffi.dlopen(str(path))
        self.width = int(self._function("width")())
        self.ffi.cdef(sources.declarations.replace(LANES, str(self.width)))
        self._local = threading.local()

    def _work(self) -> Any:
        """The workspace, on a boundary of vectors."""
        if not hasattr(self._local, "work"):
            kind = f"{self.interface.prefix}_work"
            self._local.work, self._local.memory = _aligned(self.ffi, kind)
        return self._local.work

    def _function(self, name: str) -> Any:
        return getattr(self.library, f"{self.interface.prefix}_{name}")

    def _pointer(self, buffer: Floats) -> Any:
        return self.ffi.cast("double *", buffer.ctypes.data)

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool:
        pointers = [self._pointer(buffers[name]) for name in self.interface.arguments[entry]]
        states = len(next(iter(buffers.values())))
        self._local.last = (states - 1) % self.width
        return bool(self._function(entry)(states, *pointers, self._work()) == 0)

    def rk4(self, buffers: Mapping[str, Floats], dt: float, steps: int) -> int:
        pointers = [self._pointer(buffers[name]) for name in self.interface.moving]
        states = len(buffers["q"])
        self._local.last = (states - 1) % self.width
        return self._worst(self._function("rk4")(states, *pointers, dt, steps, self._work()))

    def project(self, buffers: Mapping[str, Floats]) -> int:
        pointers = [self._pointer(buffers[name]) for name in self.interface.closing]
        states = len(buffers["q"])
        self._local.last = (states - 1) % self.width
        return self._worst(self._function("project")(states, *pointers, self._work()))

    @staticmethod
    def _worst(status: int) -> int:
        """Of several states: `NOT_FINITE` where one is not finite and another open."""
        return NOT_FINITE if status & NOT_FINITE else int(status)

    def workspace(self) -> dict[str, Floats]:
        work = self._work()
        return {
            name: np.frombuffer(self.ffi.buffer(getattr(work, name)), dtype=np.float64)
            .reshape(length, self.width)[:, self._local.last]
            .copy()
            for name, length in self.interface.workspace.items()
        }


class NumpyModule:
    """A generated NumPy module, run from its text."""

    def __init__(self, sources: Sources) -> None:
        self.interface = sources.interface
        name = f"{self.interface.prefix}.py"
        self.module: Any = ModuleType(self.interface.prefix)
        exec(compile(sources.files[name], name, "exec"), self.module.__dict__)
        self._local = threading.local()

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool:
        arguments = [buffers[name] for name in self.interface.arguments[entry]]
        states = len(next(iter(buffers.values())))
        self._local.work = work = self.module.Work((states,))
        with np.errstate(all="ignore"):
            getattr(self.module, entry)(*arguments, work)
        return all(bool(np.isfinite(buffers[n]).all()) for n in self.interface.results[entry])

    def rk4(self, buffers: Mapping[str, Floats], dt: float, steps: int) -> int:
        q, v = buffers["q"][0], buffers["v"][0]
        rest = [buffers[name][0] for name in self.interface.moving if name not in ("q", "v")]
        self._local.work = work = self.module.Work(())
        with np.errstate(all="ignore"):
            status = self.module.rk4(q, v, *rest, dt, steps, work) or DONE
        return status if np.isfinite(q).all() and np.isfinite(v).all() else NOT_FINITE

    def project(self, buffers: Mapping[str, Floats]) -> int:
        self._local.work = work = self.module.Work(())
        with np.errstate(all="ignore"):
            return int(
                self.module.project(*(buffers[name][0] for name in self.interface.closing), work)
            )

    def workspace(self) -> dict[str, Floats]:
        if not hasattr(self._local, "work"):
            raise InternalError("the workspace is asked for before an evaluation")
        return {
            name: np.array(getattr(self._local.work, name))[-1] for name in self.interface.workspace
        }
