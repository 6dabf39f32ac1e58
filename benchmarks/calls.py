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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mstmm
from mstmm.model import Model
from mstmm.model.files.toml import from_text

from . import machine
from .cases import ROBOTS, NotHereError, order, pinocchio_model, robot, robot_tree
from .harness import pin_to_one_core
from .peers.mujoco import xml
from .peers.pinocchio import states
from .trees import Floats

ROUNDS, CALLS, STATES = 15, 400, 4096

#: Relative to the largest acceleration: some ten roundings through as many bodies, and the digits
#: that a file's π/2 lacks.
AGREES = 1e-8

#: The robots, by their names in `cases`.
CALLED = ("panda", "ur5", "solo12", "anymal", "talos")

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
    systems = {"cart-pole": "", **{ROBOTS[name][0]: name for name in CALLED}}
    for title, name in systems.items():
        if re.search(chosen, title, re.IGNORECASE):
            try:
                model = robot(name) if name else cart_pole()
            except NotHereError as error:
                print(f"{title}: left out, {error}", file=sys.stderr)
                continue
            yield Row(title, len(model.speeds), measured(ways(model, name)))


def cart_pole() -> Model:
    """A cart on a rail with a pole."""
    return from_text(CART_POLE)


def ways(model: Model, peer: str) -> dict[str, Callable[[], Any]]:
    """The calls by name, all at one state."""
    solver, batch = mstmm.compile(model), mstmm.compile(model, target="c-batch")
    inverse = mstmm.compile(model, algorithm="rnea-body")
    frames, tool = solver.frames, solver.frames[-1]
    chooser = np.random.default_rng(1)
    q = np.array(model.q0, dtype=float)
    v, tau = chooser.uniform(-1.0, 1.0, (2, len(model.speeds)))
    y, out = np.concatenate([q, v]), np.empty_like(v)
    listed = [x.tolist() for x in (q, v, tau)]
    many = [np.tile(x, (STATES, 1)) for x in (q, v, tau)]
    names = solver.backend.interface.arguments["accelerations"]
    buffers = dict(zip(("q", "v", "tau"), many, strict=True)) | {"a": np.empty_like(many[1])}
    found: dict[str, Callable[[], Any]] = {
        "accelerations": lambda: solver.accelerations(q, v, tau),
        "with out": lambda: solver.accelerations(q, v, tau, out=out),
        "inverse_dynamics": lambda: inverse.inverse_dynamics(q, v, tau),
        "from lists": lambda: solver.accelerations(*listed),
        "mass_matrix": lambda: inverse.mass_matrix(q),
        "derivatives": lambda: solver.derivatives(q, v, tau),
        "energy": lambda: solver.energy(q, v),
        "poses of bodies": lambda: solver.poses(q),
        "poses of all frames": lambda: solver.poses(q, frames=frames),
        "frame_jacobian": lambda: solver.frame_jacobian(q, frames=tool),
        "frame_velocities": lambda: solver.frame_velocities(q, v, frames=tool),
        "rhs": lambda: solver.rhs(0.0, y),
        "batch": lambda: batch.accelerations(*many),
        "batch in C": lambda: batch.backend.run("accelerations", {n: buffers[n] for n in names}),
    }
    if peer:
        found |= pinocchio(model, peer, (q, v, tau), solver.accelerations(q, v, tau))
        found |= mujoco(peer, (q, v, tau))
    return found


def pinocchio(
    model: Model, name: str, state: tuple[Floats, Floats, Floats], expected: Floats
) -> dict[str, Callable[[], Any]]:
    """Pinocchio's calls, after a comparison."""
    try:
        import pinocchio as pin
    except ImportError:
        return {}
    other = pinocchio_model(name)
    _, at_v = order(model, list(other.names)[1:])
    q, v = (x[0] for x in states(robot_tree(name), state[0][None], state[1][None]))
    tau, data, tool = state[2][at_v], other.createData(), other.nframes - 1
    error = np.abs(pin.aba(other, data, q, v, tau) - expected[at_v]).max()
    if not error <= AGREES * np.abs(expected).max():
        raise ArithmeticError(f"{model.name}: accelerations differ from Pinocchio's by {error:g}")
    return {
        "pinocchio aba": lambda: pin.aba(other, data, q, v, tau),
        "pinocchio rnea": lambda: pin.rnea(other, data, q, v, tau),
        "pinocchio crba": lambda: pin.crba(other, data, q),
        "pinocchio frames": lambda: pin.framesForwardKinematics(other, data, q),
        "pinocchio frame Jacobian": lambda: pin.computeFrameJacobian(other, data, q, tool),
    }


def mujoco(name: str, state: tuple[Floats, Floats, Floats]) -> dict[str, Callable[[], Any]]:
    """MuJoCo's forward dynamics of the same numbers; fixed roots only."""
    try:
        import mujoco as mj
    except ImportError:
        return {}
    tree = robot_tree(name)
    if tree.free:
        return {}
    other = mj.MjModel.from_xml_string(xml(tree))
    data = mj.MjData(other)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = state
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
