"""MuJoCo, through its C interface: forward dynamics, constraints, contacts and sensors left out."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from cffi import FFI

from ..building import DRIVERS, CannotBuildError, library
from ..cases import Case, NotHereError
from ..contenders import Contender, absent
from ..harness import Call
from ..trees import BALL, SLIDE, Floats, Tree, Z
from .wheels import site

NAME = "mujoco"

#: It factorises a sparse mass matrix, whose fill makes long chains take seconds.
MOST_SPEEDS = 600

ffi = FFI()
ffi.cdef(
    """
void *peer_model(const char *file, char *error, int length);
int peer_forward(const double *q, const double *v, const double *tau, double *a, void *c);
"""
)


@cache
def driver() -> Any:
    folder = site("mujoco") / "mujoco"
    found = sorted(folder.glob("libmujoco.so*"))
    if not found:
        raise NotHereError("its wheel has no libmujoco.so for this system")
    linked = (f"-L{folder}", f"-l:{found[-1].name}", f"-Wl,-rpath,{folder}")
    source = [DRIVERS / "mujoco.c"]
    return ffi.dlopen(str(library("mujoco", source, (f"-I{folder / 'include'}",), linked)))


def contenders(case: Case) -> list[Contender]:
    if case.entry != "forward":
        return []
    try:
        tree = case.numbers
        if tree.free:
            return [absent(NAME, "floating robots are not built for it here")]
        if case.drawn[1].shape[1] > MOST_SPEEDS:
            return [absent(NAME, "takes tens of ms: its time grows with the square and more")]
        return [_contender(case, tree)]
    except (NotHereError, CannotBuildError) as error:
        return [absent(NAME, str(error))]


def _contender(case: Case, tree: Tree) -> Contender:
    q, v = tree.state(*case.drawn[:2])
    tau = np.ascontiguousarray(tree.forces(case.drawn[2]))
    said = ffi.new("char[500]")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.xml"
        file.write_text(xml(tree), encoding="utf-8")
        model = driver().peer_model(str(file).encode(), said, 500)
    if model == ffi.NULL:
        raise CannotBuildError(f"its reader says: {ffi.string(said).decode().splitlines()[-1]}")
    result = np.zeros_like(v)
    function = int(ffi.cast("intptr_t", ffi.addressof(driver(), "peer_forward")))
    return Contender(NAME, Call(function, [q, v, tau, result], model), result.copy, tree.back)


def xml(tree: Tree) -> str:
    """The tree as a model file of MuJoCo, bodies nested."""
    below: dict[int, list[int]] = {}
    for k, link in enumerate(tree.links, start=1):
        below.setdefault(link.parent, []).append(k)
    lines = [
        f'<mujoco><compiler angle="radian"/><option gravity="{_said(tree.gravity)}"/><worldbody>'
    ]
    stack: list[int | str] = list(reversed(below.get(0, [])))
    while stack:
        here = stack.pop()
        if isinstance(here, str):
            lines.append(here)
            continue
        link = tree.links[here - 1]
        J = link.inertia
        shape = np.array([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
        # of a rod along x the least moment is zero, which MuJoCo refuses
        shape[:3] = np.maximum(shape[:3], 1e-9)
        axis = np.eye(3)[min(link.kind, Z)]
        kind = {BALL: "ball", SLIDE: "slide"}.get(link.kind, "hinge")
        axes = "" if link.kind == BALL else f' axis="{_said(axis)}"'
        lines.append(
            f'<body pos="{_said(link.place)}" quat="{_said(quaternion(link.rotation))}">'
            f'<joint type="{kind}"{axes}/>'
            f'<inertial pos="{_said(link.centre)}" mass="{link.mass!r}" '
            f'fullinertia="{_said(shape)}"/>'
        )
        stack += ["</body>", *reversed(below.get(here, []))]
    return "\n".join([*lines, "</worldbody></mujoco>"])


def _said(numbers: Floats) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def quaternion(R: Floats) -> Floats:
    """w, x, y, z of a rotation matrix, by the largest of the four squares."""
    t = np.trace(R)
    squares = np.array([t, R[0, 0], R[1, 1], R[2, 2]])
    most = int(np.argmax(squares))
    if most == 0:
        found = np.array([1 + t, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i = most - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        found = np.zeros(4)
        found[0] = R[k, j] - R[j, k]
        found[1 + i] = 1 + R[i, i] - R[j, j] - R[k, k]
        found[1 + j] = R[j, i] + R[i, j]
        found[1 + k] = R[k, i] + R[i, k]
    found /= np.linalg.norm(found)
    return found
