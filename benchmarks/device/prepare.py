"""Here, where no graphics processor is: what `check.py` carries to one.

    python -m benchmarks.device.prepare FOLDER [--architecture sm_90]

Into the folder go the models as files, target `cuda` of each compiled, 1,024 states with what
target `c` makes of them, ten steps by target `c-batch`, and the links of a Panda for the recursion
in JAX. Needs the extras `cuda` and `bench`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mstmm
from mstmm.codegen.generate import generate
from mstmm.codegen.targets.cuda.compiling import cubin

from ..cases import robot, robot_tree

STATES = 1024
STEPS, DT = 10, 1e-4


@dataclass(frozen=True)
class Case:
    """An entry of a model's code.

    `lowest` is what it is to reach at 2^20 states, in states a second; `rolls` are the methods
    whose steps are checked and timed too.
    """

    model: str
    algorithm: str
    entry: str
    real: str = "double"
    lowest: float = 0.0
    rolls: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.model} {self.entry} {self.real}"


CASES = (
    Case("panda", "riccati", "accelerations", lowest=3e9, rolls=("rk4", "euler")),
    Case("panda", "riccati", "accelerations", "float"),
    Case("panda", "rnea-body", "inverse_dynamics", lowest=4e9),
    Case("panda", "rnea-body", "mass_matrix"),
    Case("panda", "derivatives", "derivatives", lowest=3e8),
    Case("panda", "pullback", "pullback"),
    Case("hyq", "riccati", "accelerations", lowest=1e9, rolls=("rkmk4",)),
    Case("hyq", "riccati", "accelerations", "float"),
    Case("four-bar", "riccati", "accelerations"),
)


#: Ready-made models by whose code it is told whether that of CUDA is as it was when it was timed.
PROBES = ("double-pendulum", "ball-chain:n=2", "four-bar")


def texts() -> dict[str, str]:
    """Of each probe a hash of its code, remarks left out."""
    return {name: _hash(_text(mstmm.load(name), "riccati", "double")) for name in PROBES}


def _text(model: mstmm.Model, algorithm: str, real: str) -> str:
    made = generate(model, algorithm=algorithm, target="cuda", forced=True, loaded=False, real=real)
    return made.sources.files[f"{made.sources.interface.prefix}.cu"]


def _hash(text: str) -> str:
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return hashlib.sha256(" ".join(plain.split()).encode()).hexdigest()


def states(solver: Any, seed: int = 0) -> dict[str, Any]:
    """What the entries take, drawn at random about the model's start, on closed loops."""
    draw, model = np.random.default_rng(seed), solver.model
    q = np.array(model.q0) + 0.8 * draw.uniform(-1.0, 1.0, (STATES, len(solver.coordinates)))
    for first in model.quaternions:
        q[:, first : first + 4] /= np.linalg.norm(q[:, first : first + 4], axis=1, keepdims=True)
    v, third, counts = draw.uniform(-1.0, 1.0, (3, STATES, len(solver.speeds)))
    if solver.conditions:
        closed = [
            solver.project(model.q0 + 0.1 * (x - model.q0), y) for x, y in zip(q, v, strict=True)
        ]
        q, v = (np.array(x) for x in zip(*closed, strict=True))
    return {"q": q, "v": v, "tau": third, "ad": third, "g": counts}


def feedback(nv: int) -> Any:
    """Forces -2 q - 0.02 v, found once a step."""
    return np.hstack([2.0 * np.eye(nv), 0.02 * np.eye(nv)])


def prepare(case: Case, folder: Path, architecture: str) -> dict[str, Any]:
    """A case's files, and what `check.py` must know of them."""
    model = mstmm.load("four-bar") if case.model == "four-bar" else robot(case.model)
    mstmm.write(model, folder / f"{case.model}.toml")
    # what is computed there is computed from the file
    model = mstmm.load(folder / f"{case.model}.toml")
    plain = mstmm.compile(model, algorithm=case.algorithm)
    given = states(plain)
    if case.real == "float":
        given = {x: y.astype(np.float32).astype(np.float64) for x, y in given.items()}
    interface = plain.interface
    results = interface.results[case.entry]
    of = [x for x in interface.arguments[case.entry] if x in given and x not in results]
    found = plain.results(case.entry, **{"q": given["q"]} | {x: given[x] for x in of})
    kept = {f"in_{x}": given[x] for x in of}
    kept["out"] = np.concatenate([found[x] for x in results], axis=1)
    for method in case.rolls:
        kept[f"rolled_{method}"] = _rolled(model, given, method)
    np.savez(folder / f"{case.name}.npz", **kept)
    text = _text(model, case.algorithm, case.real)
    binary = cubin("model", text, architecture)
    digest = hashlib.sha256(text.encode()).hexdigest()
    (folder / f"{digest}.{architecture}.cubin").write_bytes(binary.code)
    kernels = {x.name: asdict(x) for x in binary.kernels}
    prefix = interface.prefix
    told = {x.removeprefix(f"{prefix}_"): y for x, y in kernels.items()}
    return {
        **asdict(case),
        "name": case.name,
        "digest": digest,
        "operations": interface.operations[case.entry],
        "kernel": told[case.entry],
        "rolled": {x: told[f"rollout_{x}"] for x in case.rolls},
    }


def _rolled(model: mstmm.Model, given: dict[str, Any], method: str) -> Any:
    """Where ten steps lead by target `c-batch`, with the feedback where the model is an arm."""
    solver = mstmm.compile(model, target="c-batch")
    nv, q, v = len(solver.speeds), given["q"], given["v"]
    law = mstmm.Sampled(mstmm.Feedback(feedback(nv)), DT)
    inputs = None if model.quaternions else {solver.speeds: law}
    runs = solver.simulate(
        q, v, t_end=STEPS * DT, dt=DT, record=STEPS * DT, method=method, inputs=inputs
    )
    return np.array([np.concatenate([run.q[-1], run.v[-1]]) for run in runs])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument("--only", default="", help="models, by commas")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    chosen = [x for x in CASES if not asked.only or x.model in asked.only.split(",")]
    cases = []
    for case in chosen:
        cases.append(prepare(case, asked.folder, asked.architecture))
        print(case.name, cases[-1]["kernel"], flush=True)
    told = {"architecture": asked.architecture, "texts": texts(), "cases": cases}
    (asked.folder / "manifest.json").write_text(json.dumps(told, indent=1))
    links = robot_tree("panda").links
    of = ("rotation", "place", "mass", "centre", "inertia")
    columns = {name: np.array([getattr(x, name) for x in links]) for name in of}
    np.savez(asked.folder / "links.npz", **columns)


if __name__ == "__main__":
    main()
