"""What one call from Python costs, of mstmm, Pinocchio and MuJoCo, on the same states.

    python -m benchmarks.calls --output docs/calls

Arrays in, arrays out. Processor time of this process, the least of many rounds, the libraries in
turn within each. Before a robot is timed, mstmm's accelerations are compared with Pinocchio's.
Needs `pip install "mstmm[bench]"` for the robots and the peers; what is not here is left out.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import mstmm
from mstmm.model import Model
from mstmm.model.files import from_text

from . import machine
from .cases import NotHereError, urdf
from .harness import pin_to_one_core
from .trees import Floats

ROUNDS, CALLS, STATES = 15, 400, 4096

#: Relative to the largest acceleration: some ten roundings through as many bodies, and the digits
#: that a file's π/2 lacks.
AGREES = 1e-8

#: What is called, its file, what is held, and whether its root flies.
ROBOTS = {
    "Panda": ("panda.urdf", {"panda_finger_joint1": 0.0}, False),
    "UR5": ("ur5_robot.urdf", {}, False),
    "Solo 12, floating": ("solo12.urdf", {}, True),
    "ANYmal, floating": ("anymal.urdf", {}, True),
    "Talos, floating": ("talos_reduced.urdf", {}, True),
}

CART_POLE = """
name = "cart-pole"
dimension = 2
gravity = [0, -9.81]
[bodies.cart]
mass = 1.0
inertia = 0.01
[bodies.cart.points.rail]
[bodies.cart.points.pivot]
[bodies.pole]
mass = 0.1
inertia = 0.01
centre = [0.5, 0]
[bodies.pole.points.pivot]
[hinges.rail]
kind = "prismatic"
parent = "ground"
child = "cart:rail"
[hinges.pivot]
kind = "pin"
parent = "cart:pivot"
child = "pole:pivot"
"""


@dataclass(frozen=True)
class Row:
    """The times of one system, in µs a call, and the least way through the C function."""

    name: str
    speeds: int
    times: dict[str, float]


def rows(chosen: str) -> Iterator[Row]:
    """The systems whose names match, measured."""
    systems: dict[str, Callable[[], tuple[Model, Any]]] = {"cart-pole": lambda: (cart_pole(), None)}
    systems |= {name: lambda name=name: robot(name) for name in ROBOTS}  # type: ignore[misc]
    for name, made in systems.items():
        if re.search(chosen, name, re.IGNORECASE):
            try:
                model, peer = made()
            except NotHereError as error:
                print(f"{name}: left out, {error}", file=sys.stderr)
                continue
            yield Row(name, len(model.speeds), measured(ways(model, peer)))


def cart_pole() -> Model:
    """A cart on a rail with a pole."""
    return from_text(CART_POLE)


def robot(name: str) -> tuple[Model, Any]:
    """The model without damping and friction, which peers leave out; its file for them."""
    file, held, floating = ROBOTS[name]
    path = urdf(file)
    model = mstmm.load(str(path), locked=held, floating=floating)
    hinges = tuple(replace(hinge, force=()) for hinge in model.hinges)
    return replace(model, hinges=hinges), (path, held, floating)


def ways(model: Model, peer: Any) -> dict[str, Callable[[], Any]]:
    """The calls by name, all at one state."""
    solver, batch = mstmm.compile(model), mstmm.compile(model, target="c-batch")
    inverse = mstmm.compile(model, algorithm="rnea-body")
    chooser = np.random.default_rng(1)
    q = np.array(model.q0, dtype=float)
    v, tau = chooser.uniform(-1.0, 1.0, (2, len(model.speeds)))
    y, out = np.concatenate([q, v]), np.empty_like(v)
    many = [np.tile(x, (STATES, 1)) for x in (q, v, tau)]
    names = solver.backend.interface.arguments["accelerations"]
    buffers = dict(zip(("q", "v", "tau"), many, strict=True)) | {"a": np.empty_like(many[1])}
    found: dict[str, Callable[[], Any]] = {
        "accelerations": lambda: solver.accelerations(q, v, tau),
        "with out": lambda: solver.accelerations(q, v, tau, out=out),
        "inverse_dynamics": lambda: inverse.inverse_dynamics(q, v, tau),
        "rhs": lambda: solver.rhs(0.0, y),
        "batch": lambda: batch.accelerations(*many),
        "batch in C": lambda: batch.backend.run("accelerations", {n: buffers[n] for n in names}),
    }
    if peer:
        found |= pinocchio(model, peer, (q, v, tau), solver.accelerations(q, v, tau))
        found |= mujoco(*peer)
    return found


def pinocchio(
    model: Model, peer: Any, state: tuple[Floats, Floats, Floats], expected: Floats
) -> dict[str, Callable[[], Any]]:
    """Pinocchio's calls, after a comparison."""
    try:
        import pinocchio as pin
    except ImportError:
        return {}
    path, held, floating = peer
    other = pin.buildModelFromUrdf(str(path), *((pin.JointModelFreeFlyer(),) if floating else ()))
    plain = {re.sub("[^A-Za-z0-9]", "", name): name for name in other.names}
    moving = {hinge.name for hinge in model.hinges}
    fixed = [other.getJointId(x) for key, x in plain.items() if key not in moving]
    fixed = [k for k in fixed if other.names[k] not in ("universe", "root_joint")]
    if held:
        other = pin.buildReducedModel(other, fixed, pin.neutral(other))
    at_q, at_v = _order(model, other, {y: x for x, y in plain.items()})
    q, v, tau = (x[at] for x, at in zip(state, (at_q, at_v, at_v), strict=True))
    data = other.createData()
    error = np.abs(pin.aba(other, data, q, v, tau) - expected[at_v]).max()
    if not error <= AGREES * np.abs(expected).max():
        raise ArithmeticError(f"{model.name}: accelerations differ from Pinocchio's by {error:g}")
    return {
        "pinocchio aba": lambda: pin.aba(other, data, q, v, tau),
        "pinocchio rnea": lambda: pin.rnea(other, data, q, v, tau),
    }


def _order(model: Model, other: Any, ours: dict[str, str]) -> tuple[list[int], list[int]]:
    """Where in our coordinates and speeds those of Pinocchio stand; a quaternion's w comes last."""
    places, i, k = {}, 0, 0
    for hinge in model.hinges:
        n, m = len(model.hinge_coordinates(hinge)), len(model.hinge_speeds(hinge))
        places[hinge.name] = range(i, i + n), range(k, k + m)
        i, k = i + n, k + m
    at_q: list[int] = []
    at_v: list[int] = []
    for name in list(other.names)[1:]:
        first, second = places["root" if name == "root_joint" else ours[name]]
        at_q += [*first[:3], *first[4:], first[3]] if len(first) == 7 else first
        at_v += second
    return at_q, at_v


def mujoco(path: Path, held: dict[str, float], floating: bool) -> dict[str, Callable[[], Any]]:
    """MuJoCo's forward dynamics of the same file, without its shapes; fixed roots only."""
    try:
        import mujoco as mj
    except ImportError:
        return {}
    if held or floating:
        return {}
    root = ET.parse(path).getroot()
    for link in root.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    other = mj.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    data = mj.MjData(other)
    return {"mujoco mj_forward": lambda: mj.mj_forward(other, data)}


def measured(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """µs a call, of a batch a state; the least of some rounds, each call in turn."""
    least = dict.fromkeys(calls, np.inf)
    for call in calls.values():
        call()
    for _ in range(ROUNDS):
        for name, call in calls.items():
            count, states = (3, STATES) if name.startswith("batch") else (CALLS, 1)
            started = time.process_time_ns()
            for _ in range(count):
                call()
            spent = (time.process_time_ns() - started) / 1e3 / count / states
            least[name] = min(least[name], spent)
    return least


def text(found: list[Row], core: int | None) -> str:
    """The table as Markdown."""
    names = list(dict.fromkeys(name for row in found for name in row.times))
    lines = [
        "# One call from Python",
        "",
        "µs of processor time a call with NumPy arrays, least of some rounds, one core, the",
        f"libraries in turn (`python -m benchmarks.calls`); `batch` is a state of {STATES} in one",
        "call, beside the C function on the same arrays. `tau` is given; robots have no damping.",
        "",
        *(f"- {key}: {value}" for key, value in machine.describe(core).items()),
        "",
        "| call | " + " | ".join(f"{row.name} ({row.speeds})" for row in found) + " |",
        "| --- |" + " ---: |" * len(found),
    ]
    for name in names:
        cells = (f"{row.times[name]:.3g}" if name in row.times else "" for row in found)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write."""
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--output", type=Path, help="a folder for calls.md; else it is printed")
    words.add_argument("--only", default="", help="systems whose names match this expression")
    given = words.parse_args()
    core = pin_to_one_core()
    page = text(list(rows(given.only)), core)
    if given.output:
        given.output.mkdir(parents=True, exist_ok=True)
        (given.output / "calls.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
