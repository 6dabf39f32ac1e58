"""From a model to files that other tools take."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence

from ...codegen.generate import Generated, generate
from ...errors import CodegenError, UsageError
from ...model import Model
from .cmake import cmake_project
from .external import external
from .fmu import fmu
from .wasm import wasm
from .wheel import wheel, wheel_name

#: What holds whatever the code computes; the others are of a motion in time.
PROJECT = "cmake"
#: What there is, and what it becomes.
EXPORTS: Mapping[str, str] = {
    PROJECT: "a CMake project: library, headers, example, config package, pkg-config",
    "fmi3": "an FMU of FMI 3.0: model exchange and co-simulation",
    "casadi": "a function of CasADi with its Jacobian, for casadi.external",
    "wheel": "a Python package with an extension module, for pip install",
    "wasm": "a WebAssembly module, and the JavaScript that calls it",
}
#: No clock reaches an archive.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def export(
    model: Model, to: str, *, parameters: Sequence[str] | None = None
) -> Mapping[str, bytes]:
    """The files that a model becomes for another tool, by path.

    `parameters` stay variables or arguments; by default all of the model's. Forces along the
    speeds are taken.

    Raises
        CodegenError: the code has not what the tool needs.
        ToolchainError: a binary is needed and there is no working C compiler; a package is missing.
        UsageError: `to` names nothing that there is.
    Source
        own
    """
    if to not in EXPORTS:
        raise UsageError(f"there is no export to {to!r}; there are: {', '.join(EXPORTS)}")
    if model.kinematic and to != PROJECT:
        raise CodegenError(f"an export to {to} is of a motion in time: {model.no_dynamics}")
    inputs = {each.name for each in model.inputs}
    asked = model.parameters if parameters is None else parameters
    kept = [name for name in asked if name not in inputs]
    made = generate(model, parameters=tuple(kept), forced=True, loaded=False, portable=True)
    return _WRITERS[to](made)


def _project(made: Generated) -> Mapping[str, bytes]:
    project = cmake_project(made)
    folder = made.sources.interface.prefix
    return {f"{folder}/{path}": content for path, content in project.items()}


def _fmu(made: Generated) -> Mapping[str, bytes]:
    return {f"{made.sources.interface.prefix}.fmu": archived(fmu(made))}


def _wheel(made: Generated) -> Mapping[str, bytes]:
    return {wheel_name(made): archived(wheel(made))}


_WRITERS: Mapping[str, Callable[[Generated], Mapping[str, bytes]]] = {
    PROJECT: _project,
    "fmi3": _fmu,
    "casadi": external,
    "wheel": _wheel,
    "wasm": wasm,
}


def archived(files: Mapping[str, bytes]) -> bytes:
    """A ZIP archive; the same files make the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
