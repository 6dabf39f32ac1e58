"""Files that nobody would write: each loads, or is refused by a typed error that says why."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import fuzzing
import numpy as np
import pytest
from file_texts import ARM, EXAMPLES, LOOP, PENDULUM
from guarded import attacked
from urdf_text import joint, link, robot

import mstmm
from mstmm.codegen.generate import generate

ROBOT = robot(
    link("a"),
    link("b"),
    link("c"),
    joint("j", "revolute", "a", "b", xyz=(0.1, 0.2, 0.3), more='<dynamics damping="0.1"/>'),
    joint("k", "continuous", "b", "c", more='<mimic joint="j" multiplier="2" offset="0.1"/>'),
)
MUJOCO = """<mujoco model="m"><compiler angle="radian" eulerseq="xyz"/><option gravity="0 0 -9.81"/>
<default><geom contype="0" conaffinity="0"/></default><worldbody>
<body name="a" pos="0 0 1" euler=".3 .2 .1">
<joint name="j" axis="1 2 3" damping=".1" stiffness="3" springref=".2" armature=".01"/>
<geom size=".1 .2 .3" type="box" mass="1"/><site name="tip" pos="0 0 1"/>
<body name="b" pos=".3 0 0"><joint name="k" type="ball"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<body name="c" pos="0 .3 0" quat="1 0 0 0"><joint type="slide" range="-1 1"/>
<geom type="capsule" fromto="0 0 0 0 0 1" size=".1" density="100"/></body></body></body>
</worldbody></mujoco>"""

TOML = [PENDULUM, ARM, LOOP, *(path.read_text(encoding="utf-8") for path in EXAMPLES)]

#: What writes a file, and how the file ends.
WRITERS: dict[str, tuple[str, Callable[[Random], str]]] = {
    "TOML": (".toml", lambda rng: fuzzing.toml(rng, TOML)),
    "expressions": (".toml", lambda rng: fuzzing.expressions(rng, PENDULUM)),
    "names": (".toml", lambda rng: fuzzing.names(rng, PENDULUM)),
    "URDF": (".urdf", lambda rng: fuzzing.xml(rng, [ROBOT])),
    "MJCF": (".xml", lambda rng: fuzzing.xml(rng, [MUJOCO, ROBOT])),
}

#: Of the files that load, one in so many is also written as code and evaluated.
EVALUATED = 8

#: What one file may take of a processor (s): SymPy reads a law of 100 kB in some seconds.
SECONDS = 30.0

#: Processor time of each writer in the slow run (s).
BUDGET = 80.0


def tried(writer: str) -> Callable[[int], str]:
    """What becomes of the file of a seed."""
    ending, write = WRITERS[writer]
    folder = Path(tempfile.mkdtemp(prefix="mstmm-attack-"))

    def one(seed: int) -> str:
        path = folder / f"model{ending}"
        path.write_text(write(Random(seed)), encoding="utf-8", errors="surrogatepass")
        model = mstmm.load(str(path))
        if seed % EVALUATED:
            return "loaded"
        generate(model, target="c")
        solver = mstmm.compile(model, target="numpy")
        a = solver.accelerations(np.array(model.q0), np.array(model.v0))
        assert np.isfinite(a).all()
        return "evaluated"

    return one


@pytest.mark.parametrize("writer", WRITERS)
def test_a_few_odd_files_load_or_are_refused(writer: str) -> None:
    outcome = attacked(f"{writer}, gate", tried(writer), range(40), seconds=SECONDS)
    outcome.require()
    assert {"ModelError"} < outcome.counts.keys(), "all files are refused, or none"


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
def test_many_odd_files_load_or_are_refused(writer: str) -> None:
    first = 1000
    seeds = range(first, first + 100_000)
    outcome = attacked(writer, tried(writer), seeds, seconds=SECONDS, budget=BUDGET)
    outcome.note(first)
    outcome.require()
    assert outcome.tried > 100
