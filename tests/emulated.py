"""The text of target `cuda` on the processor, and the same entries of target `c`, bit by bit.

Both are compiled without contraction, so that every operation is rounded alike.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from compiler import COMPILER

from mstmm.codegen.generate import Generated
from mstmm.codegen.toolchain import Compiler

Arrays = dict[str, npt.NDArray[np.float64]]

ROUNDED = ("-O0", "-ffp-contract=off", "-fPIC", "-shared")

#: All but those of a motion's time, which most models do not ask for.
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter")


def _library(folder: Path, made: Generated, arguments: Sequence[str], name: str) -> ctypes.CDLL:
    assert isinstance(COMPILER, Compiler)
    for file, text in made.sources.files.items():
        (folder / file).write_text(text, encoding="utf-8")
    command = (*COMPILER.command, *ROUNDED, *arguments, "-lm", "-o", name)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if re.search(r"exec(ute)? .cc1plus", done.stderr):  # GCC alone, without its part for C++
        pytest.skip("there is no C++ compiler")
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / name))


class Emulated:
    """Target `cuda` of a model as C++."""

    def __init__(self, folder: Path, made: Generated, *flags: str) -> None:
        prefix = made.sources.interface.prefix
        self.made, self.interface = made, made.sources.interface
        cxx = ("-x", "c++", "-std=c++17", "-DMSTMM_EMULATED", *WARNINGS)
        self.library = _library(folder, made, (*cxx, *flags, f"{prefix}.cu"), "emulated.so")
        self.real = np.dtype("f4" if self.interface.real == "float" else "f8")

    def __call__(
        self, entry: str, given: Mapping[str, npt.NDArray[np.float64]], states: int, aside: bool
    ) -> tuple[Arrays, npt.NDArray[np.int32]]:
        """Results (states, size) and the status of each; `aside`: numbers of a kind side by side.

        What is `given` has a row a state, or one for all.
        """
        arguments: list[object] = [ctypes.c_longlong(states)]
        results, kept = {}, []
        for name in self.interface.arguments[entry]:
            shape = (states, self.interface.sizes[name])
            if name in given:
                shape = given[name].shape
            block = np.full(shape, np.nan, self.real, order="F" if aside else "C")
            if name in given:
                block[...] = given[name]
            else:
                results[name] = block
            kept.append(block)
            by_state, by_number = (stride // block.itemsize for stride in block.strides)
            by_state = 0 if len(block) == 1 else by_state
            arguments += [ctypes.c_void_p(block.ctypes.data)]
            arguments += [ctypes.c_longlong(by_number), ctypes.c_longlong(by_state)]
        status = np.full(states, -1, np.int32)
        arguments.append(ctypes.c_void_p(status.ctypes.data))
        self.library[f"{self.interface.prefix}_{entry}_device"](*arguments)
        return {name: block.astype(float) for name, block in results.items()}, status


class Plain:
    """Target `c` of a model, one state after the other."""

    def __init__(self, folder: Path, made: Generated) -> None:
        self.interface = made.sources.interface
        files = [name for name in made.sources.library if name.endswith(".c")]
        self.library = _library(folder, made, ("-std=c11", *files), "plain.so")
        length = sum(self.interface.workspace.values())
        self.work = np.full(4 * length + 4096, np.nan)  # what is never set is never read

    def __call__(
        self, entry: str, given: Mapping[str, npt.NDArray[np.float64]], states: int
    ) -> tuple[Arrays, npt.NDArray[np.int32]]:
        """As of `Emulated`."""
        names = self.interface.arguments[entry]
        results = {
            name: np.full((states, self.interface.sizes[name]), np.nan)
            for name in names
            if name not in given
        }
        function = self.library[f"{self.interface.prefix}_{entry}"]
        status = np.zeros(states, np.int32)
        for i in range(states):
            rows = [
                np.ascontiguousarray(given[name][i % len(given[name])])
                if name in given
                else results[name][i]
                for name in names
            ]
            places = [ctypes.c_void_p(row.ctypes.data) for row in (*rows, self.work)]
            status[i] = function(*places)
        return results, status


def states_of(made: Generated, states: int, seed: int = 0) -> Arrays:
    """What the entries take, drawn at random about the model's start: rows of states."""
    draw, model, interface = np.random.default_rng(seed), made.model, made.sources.interface
    given = {
        name: draw.uniform(-1.0, 1.0, (states, interface.sizes[name])) for name in interface.inputs
    }
    given["q"] = 0.8 * given["q"] + np.array(model.q0)
    for first in model.quaternions:
        given["q"][:, first : first + 4] /= np.linalg.norm(
            given["q"][:, first : first + 4], axis=1, keepdims=True
        )
    if interface.parameters:
        given["p"] = np.array(interface.defaults) * (1.0 + 0.1 * given["p"])
    return given
