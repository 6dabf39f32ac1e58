"""Target `c-lanes`: long chains in segments, judged by dense and by 50-digit solutions."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

import mpmath
import numpy as np
import pytest
import sympy as sp
from compiler import needs_compiler
from independent.absolute import absolute_motion
from independent.hinge_forces import angular_accelerations
from independent.moving import State
from independent.newton_euler import newton_euler
from proofs import proof_of_blocks
from sizes import later

import mstmm
from mstmm.codegen.build import FLAGS, NATIVE_FLAGS, build
from mstmm.codegen.generate import Generated, generate
from mstmm.codegen.toolchain import find_compiler
from mstmm.model import Model, load
from mstmm.runtime.evaluation.backend import CLanesLibrary
from mstmm.runtime.solver import Solver
from mstmm.symbolic.language.arithmetic import EXACT
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.methods.lanes.absolute import segment_program
from mstmm.symbolic.methods.riccati.absolute import fast_program
from mstmm.symbolic.plans.plan import plan

#: Relative to the largest acceleration; some 1e-15 is seen, the dense judge's is the larger part.
TOLERANCE = 1e-11

#: What chains of 1,000 bodies are held to in 50 digits.
DIGITS = 1e-12


def varied(model: Model, seed: int = 1) -> Model:
    """Every body with a mass, an inertia and a centre of its own, off its axis."""
    draw = random.Random(seed)

    def other(body: mstmm.model.Body) -> mstmm.model.Body:
        scale = Fraction(draw.randint(50, 200), 100)
        off = [x + Fraction(draw.randint(-9, 9), 100) for x in body.centre]
        inertia = body.inertia
        if isinstance(inertia, tuple):
            inertia = tuple(tuple(scale * x for x in row) for row in inertia)
        else:
            inertia = scale * inertia
        return replace(
            body, mass=scale * body.mass, inertia=inertia, centre=tuple(map(sp.sympify, off))
        )

    return replace(model, bodies=tuple(map(other, model.bodies)))


def root_first(model: Model) -> Model:
    """The same system with its bodies, and so its coordinates, in the other order."""
    return replace(model, bodies=model.bodies[::-1], q0=model.q0[::-1])


def spatial(n: int) -> Model:
    """The chain of rods on balls, in absolute coordinates."""
    return replace(load("ball-chain", n=n), absolute=True, q0=(), v0=())


def state(model: Model, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    q = draw.uniform(-3, 3, len(model.coordinates))
    if model.dimension == 3:
        q = (q.reshape(-1, 4) / np.linalg.norm(q.reshape(-1, 4), axis=1)[:, np.newaxis]).ravel()
    return q, draw.uniform(-2, 2, len(model.speeds))


class Made(dict[str, Callable[[], Model]]):
    """Models by name, made when they are asked for: the names are read at every collection."""

    def __getitem__(self, name: str) -> Model:  # type: ignore[override]
        return _made(super().__getitem__(name))


@cache
def _made(make: Callable[[], Model]) -> Model:
    return make()


MODELS = Made(
    {
        "rods": lambda: load("rod-chain", n=32),
        "one rod more": lambda: load("rod-chain", n=33),
        "one rod less": lambda: load("rod-chain", n=31),
        "three rows": lambda: load("rod-chain", n=24),
        "varied": lambda: varied(load("rod-chain", n=37)),
        "root first": lambda: root_first(varied(load("rod-chain", n=30))),
        "branches": lambda: load("branch-system", N=99),
        "varied branches": lambda: varied(load("branch-system", N=77)),
        "space": lambda: varied(spatial(27)),
    }
)


#: Rational points of the unit circle and of unit quaternions.
CIRCLE = ((3, 4, 5), (-5, 12, 13), (8, -15, 17), (-20, -21, 29), (0, 1, 1))
UNIT = ((1, 2, 2, 4, 5), (-2, 4, 5, 6, 9), (1, 1, -1, 1, 2), (3, -1, 1, 5, 6))


@pytest.mark.parametrize("name", ["one rod less", "varied branches", "space"])
def test_two_handles_are_the_riccati_sweep_in_exact_fractions(name: str) -> None:
    """Reciprocity (one C for both ends) and every merge hold exactly, not to rounding."""
    model = MODELS[name]
    draw = random.Random(3)
    turns = {body.name: draw.choice(CIRCLE) for body in model.bodies}
    quaternions = [draw.choice(UNIT) for _ in model.bodies]
    arguments = {
        "q": [Fraction(x, Q[-1]) for Q in quaternions for x in Q[:4]],
        "v": [Fraction(draw.randint(-9, 9), 4) for _ in model.speeds],
    }
    found = []
    for make in (fast_program, segment_program):
        program = make(plan(model), forced=False)
        interpreter = Interpreter(program, EXACT)
        values = interpreter.load(arguments)
        for step in map(program.step, program.entries[0].steps):
            if model.dimension == 2 and step.name.startswith("orientation"):
                for call in step.calls:
                    x, y, length = turns[call.member]
                    values[call.writes["c"]] = [Fraction(x, length)]
                    values[call.writes["s"]] = [Fraction(y, length)]
            else:
                interpreter.perform(step, values)
        found.append(interpreter.flat("a", values))
    assert found[0] == found[1]
    assert all(isinstance(x, Fraction) for x in found[0])
    assert any(x.denominator > 1 for x in found[0])


@needs_compiler
@pytest.mark.parametrize("name", MODELS)
def test_accelerations_and_loads_agree_with_the_dense_judge(name: str) -> None:
    model = MODELS[name]
    solver = mstmm.compile(model, target="c-lanes")
    q, v = state(model)
    draw = np.random.default_rng(5)
    tau, wrenches = draw.standard_normal(len(v)), np.zeros((len(model.bodies), 6))
    loaded = [3, 4, 2] if model.dimension == 2 else [3, 4, 5, 0, 1, 2]
    wrenches[:, loaded] = draw.standard_normal((len(model.bodies), len(loaded)))
    pushed = "varied" in name or name == "space"
    given = {"tau": tau, "wrenches": wrenches} if pushed else {}
    motion = newton_euler(
        model, q, v, wrenches[:, loaded] if pushed else None, tau if pushed else None
    )
    close(solver.accelerations(q, v, **given), motion.accelerations)
    loads = solver.joint_loads(q, v, **given)
    forces = np.array([motion.forces[end] for end in solver.ends])
    close(loads[:, 3 : 3 + model.dimension], forces)


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    theirs = np.array(theirs, dtype=float)
    assert ours == pytest.approx(theirs, abs=TOLERANCE * np.abs(theirs).max())


@needs_compiler
@pytest.mark.parametrize(
    "name",
    ["varied branches", "root first", *(pytest.param(n, marks=pytest.mark.slow) for n in MODELS)],
)
def test_its_blocks_are_proven(name: str) -> None:
    proof = proof_of_blocks(mstmm.compile(MODELS[name], target="c-lanes"))
    proof.require()
    assert any("in 8 segments" in row.kernel for row in proof.rows)


@needs_compiler
@pytest.mark.parametrize("name", ["one rod less", "space"])
def test_the_other_entries_and_a_motion_equal_those_one_by_one(name: str) -> None:
    model = MODELS[name]
    lanes, plain = (mstmm.compile(model, target=target) for target in ("c-lanes", "c"))
    q, v = state(model, 2)
    close(lanes.poses(q), plain.poses(q))
    close(lanes.energy(q, v), plain.energy(q, v))
    close(lanes.rates(q, v), plain.rates(q, v))
    ours, theirs = (x.simulate(q, 0.1 * v, t_end=0.02, dt=1e-3) for x in (lanes, plain))
    assert ours.q == pytest.approx(theirs.q, abs=1e-11)
    assert ours.v == pytest.approx(theirs.v, abs=1e-9)


#: Chains in joint coordinates, of every order and number of bodies left over.
JOINT = Made(
    {
        "balls": lambda: load("ball-chain", n=27),
        "varied balls": lambda: varied(load("ball-chain", n=24)),
        "pins": lambda: replace(MODELS["one rod more"], absolute=False, q0=(), v0=()),
    }
)


@needs_compiler
@pytest.mark.parametrize("name", later(reversed(JOINT), 1))
def test_a_chain_in_joint_coordinates(name: str) -> None:
    model = JOINT[name]
    draw = np.random.default_rng(4)
    solver = mstmm.compile(model, target="c-lanes")
    q = solver.retracted(draw.uniform(-1, 1, len(model.coordinates)))
    v = draw.uniform(-2, 2, len(model.speeds))
    wrenches = np.zeros((len(model.bodies), 6))
    motion = absolute_motion(State(model, q, v, 0.0, np.zeros(len(v)), wrenches))
    close(solver.accelerations(q, v), motion.accelerations)
    proof_of_blocks(solver).require()


def hinged(model: Model, kind: str, start: int = 0, step: int = 1, **laws: object) -> Model:
    """A model with other hinges from one on."""
    found = tuple(
        replace(hinge, kind=kind, **laws) if k >= start and (k - start) % step == 0 else hinge
        for k, hinge in enumerate(model.hinges)
    )
    return replace(model, hinges=found, q0=(), v0=())


Q1, U1, T = sp.symbols("q1 u1 t", real=True)
CHAINS = Made(
    {
        "pins": lambda: JOINT["pins"],
        "balls": lambda: varied(load("ball-chain", n=26)),
        "tree": lambda: varied(replace(load("branch-system", N=77), absolute=False, q0=(), v0=())),
    }
)

#: What hangs on the chains or acts in them; none of it has a program of its own.
ACTING = Made(
    {
        "springs that time drives": lambda: hinged(
            CHAINS["pins"], "pin", force=(-30 * Q1 - U1 / 3 + sp.sin(3 * T),)
        ),
        "springs of all strengths": lambda: replace(
            CHAINS["pins"],
            hinges=tuple(
                replace(hinge, force=(-(30 + k % 5 + k // 20) * Q1 - U1 / 3,))
                for k, hinge in enumerate(CHAINS["pins"].hinges)
            ),
        ),
        "springs of energy": lambda: hinged(CHAINS["pins"], "pin", potential=15 * Q1**2),
        "sliders": lambda: hinged(CHAINS["balls"], "prismatic", start=1),
        "screws": lambda: hinged(CHAINS["balls"], "helical", start=1, pitch=sp.Rational(1, 20)),
        "slots in the plane": lambda: hinged(CHAINS["pins"], "slot", start=1),
        "no freedom": lambda: hinged(CHAINS["pins"], "fixed", start=1),
        "elastic hinges": lambda: hinged(
            CHAINS["balls"],
            "elastic",
            1,
            stiffness=(99, 98, 97, 5, 6, 7),
            damping=(1, 1, 1, 1, 1, 1),
        ),
        "two chains of a kind each": lambda: hinged(
            varied(load("ball-chain", n=52)), "revolute", start=26
        ),
        "branches": lambda: CHAINS["tree"],
        "branches with sliders": lambda: hinged(CHAINS["tree"], "prismatic", step=30),
        "a load on the tip": lambda: replace(
            CHAINS["balls"],
            loads=(
                mstmm.model.Load("L", CHAINS["balls"].bodies[-1].name, force=(sp.sin(3 * T), 2, 1)),
            ),
        ),
        "a moving base": lambda: replace(
            CHAINS["balls"],
            base=mstmm.model.Base(position=(0, sp.sin(2 * T), 0), angles=(sp.sin(T), 0, 0)),
        ),
    }
)


@needs_compiler
@pytest.mark.parametrize("name", later(ACTING, 3))
def test_what_acts_on_chains_in_joint_coordinates(name: str) -> None:
    """Every entry as target c has it, with and without forces and loads."""
    model = ACTING[name]
    lanes, plain = (mstmm.compile(model, target=target) for target in ("c-lanes", "c"))
    draw = np.random.default_rng(4)
    q, v = (draw.uniform(-1, 1, len(x)) for x in (model.coordinates, model.speeds))
    if any(hinge.kind == "ball" for hinge in model.hinges):
        q = plain.retracted(q)
    wrenches = draw.standard_normal((len(model.bodies), 6))
    if model.dimension == 2:
        wrenches[:, [0, 1, 5]] = 0
    pushed = {"tau": draw.standard_normal(len(v)), "wrenches": wrenches}
    for given in ({}, pushed):
        for entry in ("accelerations", "joint_loads"):
            ours, theirs = (getattr(x, entry)(q, v, t=0.7, **given) for x in (lanes, plain))
            close(ours, theirs)
    close(lanes.poses(q, t=0.7), plain.poses(q, t=0.7))
    close(lanes.energy(q, v, t=0.7), plain.energy(q, v, t=0.7))
    close(lanes.rates(q, v), plain.rates(q, v))


@needs_compiler
@pytest.mark.parametrize("name", later(("branches with sliders", "elastic hinges"), 1))
def test_their_blocks_are_proven(name: str) -> None:
    proof_of_blocks(mstmm.compile(ACTING[name], target="c-lanes")).require()


@needs_compiler
def test_run_time_parameters() -> None:
    model = MODELS["one rod more"]
    solver = mstmm.compile(model, target="c-lanes", parameters=["m", "a", "g"])
    q, v = state(model)
    values = {"m": 2.5, "a": 0.3, "g": 1.6}
    theirs = newton_euler(replace(model, parameters=values), q, v).accelerations
    close(solver.accelerations(q, v, parameters=values), theirs)
    with pytest.raises(mstmm.MstmmError, match="differ in constants that depend on run-time"):
        generate(MODELS["varied"], target="c-lanes", parameters=["m"])


@needs_compiler
def test_an_angle_far_away_in_one_lane() -> None:
    model = MODELS["rods"]
    solver = mstmm.compile(model, target="c-lanes")
    q, v = state(model)
    q[11] = 1e9
    close(solver.accelerations(q, v), newton_euler(model, q, v).accelerations)
    v[13] = 1e200
    with pytest.raises(mstmm.MstmmError, match="not finite"):
        solver.accelerations(q, v)


@needs_compiler
@pytest.mark.parametrize(
    "spread",
    [3.0, pytest.param(0.1, marks=pytest.mark.slow), pytest.param(0.0, marks=pytest.mark.slow)],
)
def test_a_thousand_rods_in_fifty_digits(spread: float) -> None:
    """Curled up at random, nearly stretched out, and stretched out."""
    solver = mstmm.compile("rod-chain:n=1000", target="c-lanes")
    draw = np.random.default_rng(1)
    q = draw.uniform(-spread, spread, 1000)
    v = draw.uniform(-2, 2, 1000)
    with mpmath.workdps(50):
        exact = angular_accelerations(q, v, mass=1.0, half=0.5, gravity=9.81)
        largest = max(map(abs, exact))
        ours = map(mpmath.mpf, map(float, solver.accelerations(q, v)))
        error = max(abs(a - b) for a, b in zip(ours, exact, strict=True)) / largest
    assert error < DIGITS


def test_a_model_without_a_long_chain_is_refused() -> None:
    for model in (load("branch-pendulum"), load("rod-chain", n=23)):
        with pytest.raises(mstmm.MstmmError, match=r"no chain of 24 bodies .* use target c"):
            generate(model, target="c-lanes")
    with pytest.raises(mstmm.MstmmError, match="closed loops and coupled hinges join"):
        generate(load("four-bar"), target="c-lanes")
    mixed = hinged(load("ball-chain", n=30), "universal", step=2)
    with pytest.raises(mstmm.MstmmError, match="hinged and loaded like the others"):
        generate(mixed, target="c-lanes")


@needs_compiler
def test_what_it_does_not_have_names_a_target_that_has_it() -> None:
    solver = mstmm.compile(MODELS["rods"], target="c-lanes")
    with pytest.raises(mstmm.MstmmError, match=r'no end_states .* target="c"'):
        solver.end_states(*state(MODELS["rods"]))


def test_the_source_does_not_grow_with_the_chain() -> None:
    lengths = [
        len(generate(load("rod-chain", n=n), target="c-lanes").sources.files["rod_chain.c"])
        for n in (97, 961)
    ]
    assert abs(lengths[0] - lengths[1]) < 200


def altered(generated: Generated, text: str) -> SimpleNamespace:
    """A solver whose source is replaced by `text`."""
    prefix = generated.sources.interface.prefix
    files = {**generated.sources.files, f"{prefix}.c": text}
    sources = replace(generated.sources, files=MappingProxyType(files))
    backend = CLanesLibrary(build(prefix, sources.library), sources)
    return SimpleNamespace(target="c-lanes", generated=generated, backend=backend)


@needs_compiler
@pytest.mark.parametrize(
    "step", ["tips_to_root_1", pytest.param("root_to_tips_1", marks=pytest.mark.slow)]
)
def test_flipped_signs_are_named(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mstmm.codegen.proof.validate.MORE_TRIALS", ())
    generated = generate(load("rod-chain", n=25), target="c-lanes", entries=["accelerations"])
    text = generated.sources.files["rod_chain.c"]
    assert proof_of_blocks(altered(generated, text)).ok
    loop = text.index("for (int i", text.index(f"static void {step}("))
    end = text.index("if (part ==", loop)
    lines = list(re.finditer(r"\n +const lanes .* [+-] (?=[A-Za-z(])", text[loop:end]))
    for match in random.Random(4).sample(lines, 2):
        at = loop + match.end() - 2
        wrong = text[:at] + {"+": "-", "-": "+"}[text[at]] + text[at + 1 :]
        proof = proof_of_blocks(altered(generated, wrong))
        assert not proof.ok, match[0]
        assert proof.worst.startswith(f"{step}: "), (match[0], proof.worst)


@needs_compiler
@pytest.mark.parametrize("native", [(), NATIVE_FLAGS])
def test_native_order_from_c_without_warnings(native: tuple[str, ...], tmp_path: Path) -> None:
    """Packed once, the same numbers come out; unpacking gives back what was packed."""
    files = generate(load("rod-chain", n=61), target="c-lanes").sources.files
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "main.c").write_text(
        """
#include "rod_chain.h"
int main(void)
{
    static double q[61], v[61], a[61], b[61], back[61];
    static rod_chain_work w, other;
    for (int i = 0; i < 61; i++) {
        q[i] = 0.1 * i;
        v[i] = 0.02 * i - 0.5;
    }
    int status = rod_chain_accelerations(q, v, a, &w);
    rod_chain_pack_q(q, w.native_q);
    rod_chain_pack_v(v, w.native_v);
    status |= rod_chain_accelerations_native(w.native_q, w.native_v, w.native_a, &other);
    rod_chain_unpack_a(w.native_a, b);
    rod_chain_unpack_q(w.native_q, back);
    for (int i = 0; i < 61; i++) {
        status |= a[i] != b[i] || back[i] != q[i];
    }
    return status;
}
"""
    )
    strict = ["-Wall", "-Wextra", "-Wconversion", "-Wno-unused-function", "-Werror"]
    flags = [flag for flag in FLAGS if flag not in ("-fPIC", "-shared")]
    quickly = [] if native else ["-O0"]
    command = [*find_compiler().command, *flags, *strict, *native, *quickly]
    sources = [name for name in files if name.endswith(".c")]
    sources += ["main.c", "-lm", "-o", "main"]
    subprocess.run([*command, *sources], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 0


@needs_compiler
def test_many_states_broadcast() -> None:
    model = MODELS["one rod less"]
    solver: Solver = mstmm.compile(model, target="c-lanes")
    states = [state(model, seed) for seed in range(3)]
    q, v = (np.array([x[k] for x in states]) for k in (0, 1))
    found = solver.accelerations(q, v)
    for k in range(3):
        assert (found[k] == solver.accelerations(q[k], v[k])).all()
