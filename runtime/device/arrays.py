"""Arrays of other libraries that lie on a device: taken as they are, and results of the same kind.

Whose an array is, the module of its type says; a library that is not used is not imported.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ..evaluation.arrays import real_numbers
from .module import DeviceModule, Place


@dataclass(frozen=True)
class Library:
    """What an array library says of its arrays.

    `device` is the number of the device that an array lies on, None on the processor; `strides`
    count numbers; `empty` makes an array beside another one, of a shape and kind, `brought` one of
    NumPy's numbers; `stream` is where the caller's work goes there; `numpy` waits and copies.
    """

    device: Callable[[Any], int | None]
    address: Callable[[Any], int]
    strides: Callable[[Any], tuple[int, ...]]
    empty: Callable[[Any, tuple[int, ...], str], Any]
    brought: Callable[[Any, npt.NDArray[Any]], Any]
    stream: Callable[[Any], int]
    numpy: Callable[[Any], npt.NDArray[Any]]


@cache
def _torch() -> Library:
    import torch

    return Library(
        device=lambda x: x.device.index if x.is_cuda else None,
        address=lambda x: x.data_ptr(),
        strides=lambda x: x.stride(),
        empty=lambda x, shape, kind: x.new_empty(shape, dtype=getattr(torch, kind)),
        brought=lambda x, numbers: torch.as_tensor(numbers, device=x.device),
        stream=lambda x: torch.cuda.current_stream(x.device).cuda_stream,
        numpy=lambda x: x.cpu().numpy(),
    )


@cache
def _cupy() -> Library:
    import cupy

    return Library(
        device=lambda x: x.device.id,
        address=lambda x: x.data.ptr,
        strides=lambda x: tuple(each // x.itemsize for each in x.strides),
        empty=lambda x, shape, kind: cupy.empty(shape, dtype=kind),
        brought=lambda x, numbers: cupy.asarray(numbers),
        stream=lambda x: cupy.cuda.get_current_stream().ptr,
        numpy=cupy.asnumpy,
    )


LIBRARIES = {"torch": _torch, "cupy": _cupy}

#: Arrays of one library by name, and numbers that are the same for all states.
Arrays = Mapping[str, Any]
Known = Mapping[str, npt.NDArray[Any]]

#: Sets of numbers that stay on a device for later calls.
REMEMBERED = 64


def library_of(x: Any) -> str:
    """The name of the library whose array this is: `torch`, `cupy` or `jax`; empty of others."""
    return _by_module(type(x).__module__)


@cache
def _by_module(module: str) -> str:
    name = module.partition(".")[0]
    return "jax" if name == "jaxlib" else name if name == "jax" or name in LIBRARIES else ""


def numbers(x: Any) -> npt.NDArray[Any]:
    """What an array on a device holds, when all that was asked of the device is done."""
    return LIBRARIES[library_of(x)]().numpy(x)


def are_foreign(given: Iterable[Any]) -> bool:
    """Is any of these an array of another library?"""
    return any(map(library_of, given))


class Batch:
    """The arrays of a call, all of one library and on one device.

    `states` is how many there are, None where no array has an axis of them.

    Raises
        UsageError: they are of several libraries or devices, of the processor, of another kind or
            shape, or ask for a gradient.
    """

    def __init__(self, module: DeviceModule, given: Mapping[str, Any]) -> None:
        self.module, self.places = module, dict[str, Place]()
        name, first = next(iter(given.items()))
        self.library = LIBRARIES[library_of(first)]()
        self.states: int | None = None
        self.device, self.like = self._device(name, first), first
        for name, x in given.items():
            if library_of(x) != library_of(first):
                one, other = (library_of(each) or type(each).__name__ for each in (first, x))
                raise UsageError(f"{name} is of {other}, others of {one}: bring all to one library")
            if self._device(name, x) != self.device:
                raise UsageError(f"{name} lies on another device than what comes before it")
            self.places[name] = self._place(name, x)
        self.at = {"number": self.device, "stream": self.library.stream(self.like)}

    def _device(self, name: str, x: Any) -> int:
        found = self.library.device(x)
        if found is None:
            raise UsageError(f"{name} lies on the processor; bring it to the device: {name}.cuda()")
        if getattr(x, "requires_grad", False) and _wanted():
            raise UsageError(
                f"{name} asks for a gradient, which solvers do not hand on: take "
                f"mstmm.torch.module(solver), or {name}.detach()"
            )
        return found

    def _place(self, name: str, x: Any) -> Place:
        size, kind = self.module.interface.sizes[name], self.module.kind
        if (held := str(x.dtype).rpartition(".")[2]) != kind:
            real = {"float32": "float", "float64": "double"}.get(held)
            remedy = f'convert it, or compile with real="{real}"' if real else "convert it"
            raise UsageError(f"{name} is of {held}, and this solver computes in {kind}: {remedy}")
        strides = self.library.strides(x)
        if name == "t" and x.ndim == 1:
            across, along = strides[0], 1
        elif x.ndim in (1, 2) and x.shape[-1] == size:
            across, along = strides[0] if x.ndim == 2 else 0, strides[-1]
        else:
            raise UsageError(
                f"{name} has the shape {tuple(x.shape)} instead of ({size},) or (states, {size})"
            )
        if x.ndim == 2 or name == "t":
            if self.states not in (None, x.shape[0]):
                raise UsageError(f"{name} is of {x.shape[0]} states, others of {self.states}")
            self.states, self.like = int(x.shape[0]), x if x.ndim == 2 else self.like
        return self.library.address(x), along, across

    def made(self, size: int) -> tuple[Any, Place]:
        """An array for a result, its numbers as far apart as those of what is given."""
        empty, address, kind = self.library.empty, self.library.address, self.module.kind
        if self.states is None:
            x = empty(self.like, (size,), kind)
            return x, (address(x), 1, 0)
        across, along = self.library.strides(self.like)[:2]
        if across < along:  # a number of all states after the other
            x = empty(self.like, (size, self.states), kind)
            return x.T, (address(x), self.states, 1)
        x = empty(self.like, (self.states, size), kind)
        return x, (address(x), 1, size)

    def address(self, numbers: npt.NDArray[Any]) -> int:
        """Where numbers of NumPy's lie, which are brought to the device once."""
        kept = self.module.kept
        key = self.device, self.library, numbers.tobytes()
        if key not in kept:
            while len(kept) >= REMEMBERED:
                kept.pop(next(iter(kept)))
            kept[key] = self.library.brought(self.like, numbers.astype(self.module.kind))
        return self.library.address(kept[key])

    def status(self) -> int:
        """Where the status of each state goes, which the module has from now on."""
        made = self.library.empty(self.like, (self.states or 1,), "int32")
        self.module.status = made
        return self.library.address(made)


def _wanted() -> bool:
    """Does PyTorch follow what gradients need?"""
    import torch

    return bool(torch.is_grad_enabled())


def called(module: DeviceModule, entry: str, given: Arrays, known: Known) -> Arrays:
    """The results of an entry of arrays on a device, by name.

    They are computed on the caller's stream; nothing is copied, and nothing waits. `known` are
    numbers for all states; what is neither there nor given is zero.
    """
    if library_of(next(iter(given.values()))) == "jax":
        return _by_cupy(module, entry, given, known)
    interface, batch = module.interface, Batch(module, given)
    found, places = dict[str, Any](), []
    for name in interface.arguments[entry]:
        if name in batch.places:
            places.append(batch.places[name])
        elif name in interface.inputs:
            still = known.get(name, module.still)
            places.append((batch.address(still), 1, 0))
        else:
            found[name], place = batch.made(interface.sizes[name])
            places.append(place)
    module.launch(entry, batch.states or 1, places, batch.status(), **batch.at)
    return {name: found[name] for name in interface.results[entry]}


def _by_cupy(module: DeviceModule, entry: str, given: Arrays, known: Known) -> Arrays:
    """Arrays of JAX, which says only in the exchange of DLPack when they are there."""
    from ..extras import require

    cupy = require("cupy", extra="cuda", purpose="JAX's arrays outside of mstmm.jax")
    jax = require("jax.dlpack", extra="jax", purpose="JAX's arrays")
    found = called(module, entry, {name: cupy.from_dlpack(x) for name, x in given.items()}, known)
    return {name: jax.from_dlpack(cupy.ascontiguousarray(x)) for name, x in found.items()}


def of_device(
    called_so: str,
    takes: Callable[..., dict[str, Any]],
    there: Callable[[dict[str, Any]], tuple[Any, DeviceModule]],
    buffers: Mapping[str, str],
    aside: Container[str],
    usual: Callable[..., Any],
) -> Callable[..., Any]:
    """The method of a result for arrays on a device; those of NumPy go the `usual` way.

    `takes` names what it is given, `buffers` what the code calls some of that; what is not `aside`
    are words, of which `there` says where their numbers stand, and in which code.
    """

    @cache
    def told(*words: tuple[str, Any]) -> tuple[Any, DeviceModule]:
        found, module = there(dict(words))
        if found is None or found.held or found.widths:
            raise UsageError(
                f"{called_so} of arrays on a device is told in the code's own axes alone; give "
                "NumPy's arrays"
            )
        return found, module

    def method(solver: Any, *args: Any, **kwargs: Any) -> Any:
        if not are_foreign((*args, *kwargs.values())):
            return usual(solver, *args, **kwargs)
        given, words, known = dict[str, Any](), [], dict[str, npt.NDArray[Any]]()
        for name, x in takes(*args, **kwargs).items():
            if name not in aside:
                words.append((name, x))
            elif name in ("wrenches", "out") and x is not None:
                raise UsageError(f"{called_so} of arrays on a device has no {name}")
            elif library_of(x):
                given["p" if name == "parameters" else buffers.get(name, name)] = x
            elif name == "t":
                known[name] = real_numbers(name, x)
            elif x is not None and name != "parameters":
                raise UsageError(f"{name} is no array on the device, as others are: bring it there")
        found, module = told(*words)
        if found.code.parameters and "p" not in given:
            known["p"] = found.code.parameter_values(kwargs.get("parameters"))
        flat = called(module, found.entry, given, known)
        each = [_in_axes(flat[name], axes) for name, axes in found.axes.items()]
        return found.makes(*each) if found.makes else each[0] if len(each) == 1 else tuple(each)

    return method


def _in_axes(x: Any, axes: tuple[int, ...]) -> Any:
    return x if len(axes) == 1 else x.reshape((*x.shape[:-1], *axes))


def see(module: DeviceModule, what: str) -> None:
    """Wait for the last call of arrays on a device.

    Raises
        NumericsError: a state has no finite result; names the first.
    """
    if module.status is None:
        return
    wrong = np.flatnonzero(numbers(module.status))
    if len(wrong):
        raise NumericsError(
            f"{what}: {len(wrong)} of {len(module.status)} states have no finite result, the first "
            f"is {int(wrong[0])}"
        )
