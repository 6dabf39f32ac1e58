"""Generated code as functions on arrays: the C library through cffi, or the NumPy module."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from cffi import FFI

from ..codegen.emit import LANES, Interface, Sources
from ..errors import InternalError
from .motion import DONE, NOT_FINITE, OPEN, CMotion, Motion, NumpyMotion, Task

__all__ = ["DONE", "NOT_FINITE", "OPEN", "Backend", "CBatchLibrary", "CLibrary", "NumpyModule"]

Floats = npt.NDArray[np.float64]


class Backend(Protocol):
    """Runs the entries of a generated module; buffers are (states, length) and contiguous."""

    @property
    def width(self) -> int:
        """The states that are moved at once."""

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool:
        """Fill the entry's results, state by state; False when one is not finite."""

    def motion(self, task: Task, buffers: Mapping[str, Floats]) -> Motion:
        """Begin motions from up to `width` states."""

    def project(self, buffers: Mapping[str, Floats]) -> int:
        """Close the loops of one state in place.

        `DONE`, `NOT_FINITE`, or `OPEN` when they cannot be closed.
        """

    def workspace(self) -> dict[str, Floats]:
        """The work arrays after the last evaluation of this thread, by name."""


class CLibrary:
    """A compiled library, loaded in cffi's ABI mode; one workspace a thread."""

    width = 1
    counted = False

    def __init__(self, path: Path, sources: Sources) -> None:
        self.interface: Interface = sources.interface
        self.ffi = FFI()
        self.ffi.cdef(sources.declarations)
        self.library: Any = self.ffi.dlopen(str(path))
        self._local = threading.local()

    def work(self) -> Any:
        if not hasattr(self._local, "work"):
            self._local.work = self.ffi.new(f"{self.interface.prefix}_work *")
        return self._local.work

    def function(self, name: str) -> Any:
        return getattr(self.library, f"{self.interface.prefix}_{name}")

    def _pointer(self, buffer: Floats) -> Any:
        return self.ffi.cast("double *", buffer.ctypes.data)

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool:
        function, work = self.function(entry), self.work()
        pointers = [
            (self._pointer(buffers[name]), buffers[name].shape[1])
            for name in self.interface.arguments[entry]
        ]
        status = 0
        for state in range(len(next(iter(buffers.values())))):
            status |= function(*(start + state * width for start, width in pointers), work)
        return status == 0

    def bound(self, entry: str, buffers: Mapping[str, Floats]) -> Callable[[], bool]:
        """An entry with the buffers of one state, to be called again and again."""
        function, work = self.function(entry), self.work()
        pointers = [self._pointer(buffers[name]) for name in self.interface.arguments[entry]]
        kept = tuple(buffers.values())  # pointers do not keep what they point to
        return lambda: bool(kept) and function(*pointers, work) == 0

    def structure(self, name: str) -> tuple[Any, Any]:
        """A structure of the library, zeroed, and what keeps its memory."""
        made = self.ffi.new(f"{self.interface.prefix}_{name} *")
        return made, made

    def motion(self, task: Task, buffers: Mapping[str, Floats]) -> Motion:
        return CMotion(self, task, buffers)

    def project(self, buffers: Mapping[str, Floats]) -> int:
        pointers = [self._pointer(buffers[name]) for name in self.interface.closing]
        return int(self.function("project")(*pointers, self.work()))

    def workspace(self) -> dict[str, Floats]:
        work = self.work()
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

    def work(self) -> Any:
        """The workspace, on a boundary of vectors."""
        if not hasattr(self._local, "work"):
            self._local.work, self._local.memory = self.structure("work")
        return self._local.work

    def structure(self, name: str) -> tuple[Any, Any]:
        """A structure of the library on a boundary of vectors, and what keeps its memory."""
        return _aligned(self.ffi, f"{self.interface.prefix}_{name}")


class CBatchLibrary:
    """A compiled library that takes many states at once; one workspace a thread.

    Where a single state is looked into, it is the last one of the last evaluation.
    """

    counted = True

    def __init__(self, path: Path, sources: Sources) -> None:
        self.interface: Interface = sources.interface
        self.ffi = FFI()
        prefix = self.interface.prefix
        self.ffi.cdef(f"int {prefix}_width(void);")
        self.library: Any = self.ffi.dlopen(str(path))
        self.width = int(self.function("width")())
        self.ffi.cdef(sources.declarations.replace(LANES, str(self.width)))
        self._local = threading.local()

    def work(self) -> Any:
        if not hasattr(self._local, "work"):
            self._local.work, self._local.memory = self.structure("work")
        return self._local.work

    def structure(self, name: str) -> tuple[Any, Any]:
        """A structure of the library on a boundary of vectors, and what keeps its memory."""
        return _aligned(self.ffi, f"{self.interface.prefix}_{name}")

    def function(self, name: str) -> Any:
        return getattr(self.library, f"{self.interface.prefix}_{name}")

    def _pointer(self, buffer: Floats) -> Any:
        return self.ffi.cast("double *", buffer.ctypes.data)

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool:
        pointers = [self._pointer(buffers[name]) for name in self.interface.arguments[entry]]
        states = len(next(iter(buffers.values())))
        self._local.last = (states - 1) % self.width
        return bool(self.function(entry)(states, *pointers, self.work()) == 0)

    def motion(self, task: Task, buffers: Mapping[str, Floats]) -> Motion:
        return CMotion(self, task, buffers)

    def project(self, buffers: Mapping[str, Floats]) -> int:
        pointers = [self._pointer(buffers[name]) for name in self.interface.closing]
        states = len(buffers["q"])
        self._local.last = (states - 1) % self.width
        return self._worst(self.function("project")(states, *pointers, self.work()))

    @staticmethod
    def _worst(status: int) -> int:
        """Of several states: `NOT_FINITE` where one is not finite and another open."""
        return NOT_FINITE if status & NOT_FINITE else int(status)

    def workspace(self) -> dict[str, Floats]:
        work = self.work()
        return {
            name: np.frombuffer(self.ffi.buffer(getattr(work, name)), dtype=np.float64)
            .reshape(length, self.width)[:, self._local.last]
            .copy()
            for name, length in self.interface.workspace.items()
        }


class NumpyModule:
    """A generated NumPy module, run from its text."""

    width = 1

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

    def bound(self, entry: str, buffers: Mapping[str, Floats]) -> Callable[[], bool]:
        """An entry with its buffers, to be called again and again."""
        return lambda: self.run(entry, buffers)

    def motion(self, task: Task, buffers: Mapping[str, Floats]) -> Motion:
        return NumpyMotion(self, task, buffers)

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
