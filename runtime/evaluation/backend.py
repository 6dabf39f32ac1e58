"""Generated code as functions on arrays: the C library through cffi, or the NumPy module."""

from __future__ import annotations

import builtins
import io
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...codegen.interface import Interface
from ...errors import InternalError
from ..stepping.outcomes import NOT_FINITE
from .arrays import Floats
from .door import MOST, door

if TYPE_CHECKING:
    from cffi import FFI

    from ..stepping.moved import Moved


class Backend(Protocol):
    """Runs the entries of a generated module; buffers are (states, length) and contiguous."""

    interface: Interface

    @property
    def width(self) -> int:
        """The states that are moved at once."""

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool:
        """Fill the entry's results, state by state; False when one is not finite."""

    def project(self, buffers: Mapping[str, Floats]) -> int:
        """Close the loops of one state in place.

        `DONE`, `NOT_FINITE`, or `OPEN` when they cannot be closed.
        """

    def workspace(self) -> dict[str, Floats]:
        """The work arrays after the last evaluation of this thread, by name."""

    def blank(self) -> None:
        """Fill the workspace of this thread with NaN: what is not written is then not right."""


class SingleBackend(Backend, Protocol):
    """One whose entries take one state, again and again."""

    def bound(self, entry: str, buffers: Mapping[str, Floats]) -> Callable[[], bool]:
        """An entry with its buffers, to be called again and again."""


class Declared(Protocol):
    """What a library says of itself: its interface, and its declarations in C."""

    @property
    def interface(self) -> Interface: ...
    @property
    def declarations(self) -> str: ...


class Written(Protocol):
    """A NumPy module's interface and files."""

    @property
    def interface(self) -> Interface: ...
    @property
    def files(self) -> Mapping[str, str]: ...


def binding_of(declarations: str) -> str:
    """C declarations as a module of Python that cffi makes of them: reading it takes no time.

    Reading the declarations themselves takes longer than all else that a library needs.
    """
    from cffi import FFI, recompiler

    ffi = FFI()
    ffi.cdef(declarations)
    text = io.StringIO()
    recompiler.make_py_source(ffi, "mstmm_binding", text)
    return text.getvalue()


def bound(binding: str) -> FFI:
    """The cffi of a binding."""
    module: dict[str, Any] = {}
    exec(compile(binding, "mstmm_binding.py", "exec"), module)
    found: FFI = module["ffi"]
    return found


def checked(
    interface: Interface, names: Sequence[str], buffers: Mapping[str, Floats]
) -> tuple[Floats, ...]:
    """The buffers as the code takes them: rows of contiguous doubles, as many of each.

    Raises
        InternalError: one does not fit what the interface says of it.
    """
    arrays = tuple(buffers[name] for name in names)
    for name, array in zip(names, arrays, strict=True):
        fits = array.dtype == np.float64 and array.flags.c_contiguous and array.flags.aligned
        if not fits or array.shape != (len(arrays[0]), interface.sizes[name]):
            raise InternalError(
                f"buffer {name} of {interface.name} has {array.dtype} of shape {array.shape} "
                f"instead of float64 of ({len(arrays[0])}, {interface.sizes[name]})"
            )
    return arrays


class CLibrary:
    """A compiled library, loaded in cffi's ABI mode; one workspace a thread.

    Where it is of the motion alone, `apart` makes the library of another entry.
    """

    width = 1
    apart: Callable[[str], Path] | None = None

    def __init__(self, path: Path, sources: Declared, binding: str = "") -> None:
        self.path = path
        self.interface: Interface = sources.interface
        self.binding = binding or binding_of(sources.declarations)
        self.ffi = bound(self.binding)
        self.library: Any = self.ffi.dlopen(str(path))
        self.opened = {"": self.library}  # functions do not keep the library that they are of
        self._local = threading.local()

    @property
    def workspace_type(self) -> Any:
        """The structure that `work` makes."""
        return self.ffi.typeof(f"{self.interface.prefix}_work")

    def work(self) -> Any:
        if not hasattr(self._local, "work"):
            self._local.work = self.ffi.new(f"{self.interface.prefix}_work *")
        return self._local.work

    def function(self, name: str) -> Any:
        """A function of the model, by its name there."""
        symbol = self.symbol(name)
        try:
            return getattr(self.opened.get(name, self.library), symbol)
        except self.ffi.error:
            if self.apart is None or name not in self.interface.arguments:
                raise
        self.opened[name] = self.ffi.dlopen(str(self.apart(name)))
        return getattr(self.opened[name], symbol)

    def symbol(self, name: str) -> str:
        """What a function is called in the library."""
        return f"{self.interface.prefix}_{name}"

    def _pointer(self, buffer: Floats) -> Any:
        return self.ffi.cast("double *", buffer.ctypes.data)

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool:
        function, work = self.function(entry), self.work()
        names = self.interface.arguments[entry]
        arrays = checked(self.interface, names, buffers)
        made = door()
        if made is not None and len(names) <= MOST:
            sizes = tuple(self.interface.sizes[name] for name in names)
            address, memory = (int(self.ffi.cast("uintptr_t", x)) for x in (function, work))
            return bool(made.run_states(address, memory, sizes, arrays) == 0)
        pointers = [(self._pointer(array), array.shape[1]) for array in arrays]
        status = 0
        for state in range(len(arrays[0])):
            status |= function(*(start + state * width for start, width in pointers), work)
        return status == 0

    def bound(self, entry: str, buffers: Mapping[str, Floats]) -> Callable[[], bool]:
        """An entry with the buffers of one state, to be called again and again."""
        function, work = self.function(entry), self.work()
        names = self.interface.arguments[entry]
        pointers = [self._pointer(array) for array in checked(self.interface, names, buffers)]
        kept = tuple(buffers.values())  # pointers do not keep what they point to
        return lambda: bool(kept) and function(*pointers, work) == 0

    def structure(self, name: str) -> tuple[Any, Any]:
        """A structure of the library, zeroed, and what keeps its memory."""
        made = self.ffi.new(f"{self.interface.prefix}_{name} *")
        return made, made

    def project(self, buffers: Mapping[str, Floats]) -> int:
        closing = self.interface.closing
        pointers = [self._pointer(array) for array in checked(self.interface, closing, buffers)]
        return int(self.function("project")(*pointers, self.work()))

    def blank(self) -> None:
        _fill(self.ffi, self.work())

    def workspace(self) -> dict[str, Floats]:
        work = self.work()
        return {
            name: np.frombuffer(
                self.ffi.buffer(getattr(work, name)), dtype=np.float64, count=length
            ).copy()
            for name, length in self.interface.workspace.items()
        }


def _fill(ffi: FFI, work: Any) -> None:
    """Set all doubles of a structure to NaN."""
    np.frombuffer(ffi.buffer(work), dtype=np.float64)[:] = np.nan


def alone_after_fork(path: Path) -> None:
    """See that a child made by `fork` runs this library in one thread.

    It has none of its parent's threads, for which OpenMP would wait forever.
    """
    from cffi import FFI

    ffi = FFI()
    ffi.cdef("void omp_set_num_threads(int);")
    library = ffi.dlopen(str(path))
    if hasattr(os, "register_at_fork") and hasattr(library, "omp_set_num_threads"):
        os.register_at_fork(after_in_child=lambda: library.omp_set_num_threads(1))


#: Where vectors are loaded and stored fastest.
ALIGNMENT = 64


def motion_structure(library: CLibrary | CBatchLibrary) -> tuple[Any, Any]:
    """A motion of the model with memory of its own, and what keeps that."""
    ffi = library.ffi
    model = ffi.addressof(library.function("model"))
    memory, kept = _aligned(ffi, "double", library.library.mstmm_memory(model))
    motion = ffi.new("mstmm_motion *")
    motion.model, motion.work, motion.memory = model, library.work(), memory
    return motion, kept


def _aligned(ffi: FFI, kind: str, count: int = 1) -> tuple[Any, Any]:
    """So many structures from a boundary of vectors on, and the memory that they lie in."""
    memory = np.zeros(count * ffi.sizeof(kind) + ALIGNMENT, dtype=np.uint8)
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

    def __init__(self, path: Path, sources: Declared, binding: str = "") -> None:
        self.path = path
        self.interface: Interface = sources.interface
        self.binding = binding or binding_of(_for_its_lanes(path, sources))
        self.ffi = bound(self.binding)
        self.library: Any = self.ffi.dlopen(str(path))
        self.width = int(getattr(self.library, f"{self.interface.prefix}_width")())
        self._local = threading.local()

    @property
    def workspace_type(self) -> Any:
        """The structure that `work` makes."""
        return self.ffi.typeof(f"{self.interface.prefix}_work")

    def work(self) -> Any:
        if not hasattr(self._local, "work"):
            self._local.work, self._local.memory = self.structure("work")
        return self._local.work

    def structure(self, name: str) -> tuple[Any, Any]:
        """A structure of the library on a boundary of vectors, and what keeps its memory."""
        return _aligned(self.ffi, f"{self.interface.prefix}_{name}")

    def function(self, name: str) -> Any:
        return getattr(self.library, self.symbol(name))

    def symbol(self, name: str) -> str:
        """What a function is called in the library, which says for how many lanes it is."""
        return f"{self.interface.prefix}_{name}_x{self.width}"

    def _pointer(self, buffer: Floats) -> Any:
        return self.ffi.cast("double *", buffer.ctypes.data)

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool:
        arrays = checked(self.interface, self.interface.arguments[entry], buffers)
        pointers, states = [self._pointer(array) for array in arrays], len(arrays[0])
        self._local.last = (states - 1) % self.width
        return bool(self.function(entry)(states, *pointers, self.work()) == 0)

    def project(self, buffers: Mapping[str, Floats]) -> int:
        arrays = checked(self.interface, self.interface.closing, buffers)
        pointers, states = [self._pointer(array) for array in arrays], len(arrays[0])
        self._local.last = (states - 1) % self.width
        return self._worst(self.function("project")(states, *pointers, self.work()))

    @staticmethod
    def _worst(status: int) -> int:
        """Of several states: `NOT_FINITE` where one is not finite and another open."""
        return NOT_FINITE if status & NOT_FINITE else int(status)

    def blank(self) -> None:
        _fill(self.ffi, self.work())

    def workspace(self) -> dict[str, Floats]:
        work = self.work()
        return {
            name: np.frombuffer(self.ffi.buffer(getattr(work, name)), dtype=np.float64)
            .reshape(length, self.width)[:, self._local.last]
            .copy()
            for name, length in self.interface.workspace.items()
        }


def _for_its_lanes(path: Path, sources: Declared) -> str:
    """A batch library's declarations with the number of lanes that it was built for."""
    from cffi import FFI

    from ...codegen.targets.c_batch.writing import LANES, wide_names

    ffi, prefix = FFI(), sources.interface.prefix
    asking = f"int {prefix}_width(void);"
    ffi.cdef(asking)
    width = getattr(ffi.dlopen(str(path)), f"{prefix}_width")()
    public = "|".join(map(re.escape, wide_names(sources.interface)))
    declared = sources.declarations.replace(LANES, str(width))
    named = re.sub(rf"\b({prefix}_(?:{public}))(?=[(;])", rf"\1_x{width}", declared)
    return named if asking in named else f"{asking}\n{named}"


def imported(files: Mapping[str, str], name: str) -> ModuleType:
    """A module run from its text; those that it imports are looked for in the same files first."""

    def find(wanted: str, *rest: Any) -> Any:
        is_beside = f"{wanted}.py" in files
        return imported(files, wanted) if is_beside else builtins.__import__(wanted, *rest)

    module = ModuleType(name)
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": find}
    exec(compile(files[f"{name}.py"], f"{name}.py", "exec"), module.__dict__)
    return module


class NumpyModule:
    """A generated NumPy module, run from its text."""

    width = 1

    def __init__(self, sources: Written) -> None:
        self.interface = sources.interface
        self.module: Any = imported(sources.files, self.interface.prefix)
        self._local = threading.local()

    @cached_property
    def moved(self) -> Moved:
        """The model as motions see it."""
        from ..stepping.moved import Moved

        return Moved.of(self.module, self.interface)

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

    def project(self, buffers: Mapping[str, Floats]) -> int:
        from ..stepping.closing import close

        self._local.work = work = self.module.Work(())
        one = {name: buffers[name][0] for name in self.interface.closing}
        q, v = (one[name] for name in self.interface.state)
        given = [one.get(name) for name in self.interface.held]
        with np.errstate(all="ignore"):
            return close(self.moved, one.get("t"), q, v, given, work)

    def blank(self) -> None:
        """Every evaluation has a new one."""

    def workspace(self) -> dict[str, Floats]:
        if not hasattr(self._local, "work"):
            raise InternalError("the workspace is asked for before an evaluation")
        return {
            name: np.array(getattr(self._local.work, name))[-1] for name in self.interface.workspace
        }
