"""Models of which natural frequencies are known, as model files, with the known ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mstmm.model import Model
from mstmm.model.files.toml import from_text
from mstmm.runtime.evaluation.arrays import Floats

CASES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "linear" / "cases.json").read_text(encoding="utf-8")
)


def known(name: str) -> Floats:
    """The eigenvalues ω² of a case."""
    return np.array([float(x) for x in CASES[name]["reference"]])


def _text(name: str, dimension: int, gravity: Sequence[float], *tables: str) -> Model:
    head = f'name = "{name}"\ndimension = {dimension}\ngravity = {[*gravity]}\n'
    return from_text(head + "\n".join(tables))


def _hinge(name: str, kind: str, parent: str, child: str, *more: str) -> str:
    lines = [f"[hinges.{name}]", f'kind = "{kind}"', f'parent = "{parent}"', f'child = "{child}"']
    return "\n".join([*lines, *more])


def discs(J: Sequence[float], k: Sequence[float]) -> Model:
    """Discs on a massless shaft that turns freely: Holzer's train."""
    tables = []
    for i, inertia in enumerate(J):
        across = f"{[inertia, inertia, inertia, 0, 0, 0]}"
        tables.append(f"[bodies.d{i}]\nmass = 1.0\ninertia = {across}")
        parent = f"d{i - 1}" if i else "ground"
        spring = [f"spring = {{ stiffness = {k[i - 1]} }}"] if i else []
        place = [f"axis = [0, 0, 1]\nthrough = [0, 0, {i}]", *spring]
        tables.append(_hinge(f"h{i}", "revolute", parent, f"d{i}", *place))
    return _text("discs", 3, [0, 0, 0], *tables)


def sliders(n: int, k: float = 1.0) -> Model:
    """Unit masses on a rail, each on a spring to the one before, the first to the ground."""
    tables = []
    for i in range(1, n + 1):
        tables.append(f"[bodies.b{i}]\nmass = 1.0\ninertia = 1.0\n[bodies.b{i}.points.O]")
        parent = f"b{i - 1}:O" if i > 1 else "ground"
        spring = f"spring = {{ stiffness = {k} }}"
        tables.append(_hinge(f"h{i}", "prismatic", parent, f"b{i}:O", spring))
    return _text("sliders", 2, [0, 0], *tables)


def sliders_known(n: int) -> Floats:
    """ω² = 4 sin²((2j − 1) π/(4n + 2))."""
    found: Floats = 4 * np.sin((2 * np.arange(1, n + 1) - 1) * np.pi / (4 * n + 2)) ** 2
    return found


def rods(N: int, l: float, m: float, g: float) -> Model:  # noqa: E741
    """Slender rods in a chain, hanging where g is positive."""
    tables = []
    for i in range(1, N + 1):
        points = f"[bodies.r{i}.points.I]\n[bodies.r{i}.points.O]\nposition = [0, {-l}]"
        inertia = m * l**2 / 12
        tables.append(
            f"[bodies.r{i}]\nmass = {m}\ninertia = {inertia!r}\ncentre = [0, {-l / 2}]\n{points}"
        )
        parent = f"r{i - 1}:O" if i > 1 else "ground"
        tables.append(_hinge(f"h{i}", "pin", parent, f"r{i}:I"))
    return _text("rods", 2, [0, -g], *tables)


def arm(case: dict[str, Any]) -> Model:
    """Bodies on revolute hinges of skew axes, with springs, under gravity."""
    tables, origin = [], np.zeros(3)
    rest = case.get("rest", [0.0] * len(case["m"]))
    stiffness = case.get("k", [0.0] * len(case["m"]))
    for i, mass in enumerate(case["m"]):
        origin = origin + case["origins"][i]
        centre, J = (origin + case["com"][i]).tolist(), case["J"][i]
        tables.append(f"[bodies.b{i}]\nmass = {mass}\ncentre = {centre}\ninertia = {J}")
        spring = f"spring = {{ stiffness = {stiffness[i]}, rest = {rest[i]} }}"
        place = f"axis = {case['axes'][i]}\nthrough = {origin.tolist()}"
        parent = f"b{i - 1}" if i else "ground"
        tables.append(_hinge(f"h{i}", "revolute", parent, f"b{i}", place, spring))
    return _text("arm", 3, case["gravity"], *tables)
