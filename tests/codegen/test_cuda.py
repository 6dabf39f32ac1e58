"""Target `cuda`: its text, run on the processor, gives the bits of target `c`.

That target is judged against the model's symbols elsewhere.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from compiler import needs_compiler
from devices import emulate
from emulated import Arrays, Emulated, Plain, states_of

import mstmm
from mstmm.codegen.build import FLAGS_VARIABLE
from mstmm.codegen.generate import generate
from mstmm.errors import UsageError
from mstmm.model import GROUND, End, Force, load

pytestmark = needs_compiler

#: No multiple of the threads of a block, and odd.
STATES = 13


def _pair(folder: Path, model: str, **options: object) -> tuple[Emulated, Plain]:
    """A model's code of both targets, with forces along the speeds."""
    (folder / "cuda").mkdir()
    (folder / "c").mkdir()
    options = {"forced": True, **options}
    cuda, c = (generate(load(model), target=target, **options) for target in ("cuda", "c"))
    return Emulated(folder / "cuda", cuda), Plain(folder / "c", c)


def _same_bits(emulated: Emulated, plain: Plain, given: Arrays) -> None:
    """Every entry, with the numbers of a state or those of a kind side by side."""
    for entry, names in emulated.interface.arguments.items():
        own = {name: given[name] for name in names if name in given}
        expected, status = plain(entry, own, STATES)
        for aside in (True, False):
            found, stated = emulated(entry, own, STATES, aside)
            assert found.keys() == expected.keys()
            for name, values in expected.items():
                np.testing.assert_array_equal(found[name], values, f"{entry}: {name}")
            np.testing.assert_array_equal(stated, status)


def test_a_tree_s_accelerations_have_the_bits_of_c(tmp_path: Path) -> None:
    emulated, plain = _pair(tmp_path, "double-pendulum", entries=("accelerations",))
    given = states_of(emulated.made, STATES)
    given["q"][3, 0] = np.inf
    given["q"][5:8] *= 1e7  # by the long way of the sine
    _same_bits(emulated, plain, given)
    _, status = emulated("accelerations", given, STATES, True)
    assert list(np.flatnonzero(status)) == [3]


def test_parameters_of_stride_zero_are_those_of_all_states(tmp_path: Path) -> None:
    options = {"parameters": ("m1", "g"), "entries": ("accelerations",)}
    emulated, plain = _pair(tmp_path, "double-pendulum", **options)
    given = states_of(emulated.made, STATES)
    _same_bits(emulated, plain, given)
    _same_bits(emulated, plain, {**given, "p": given["p"][:1]})


@pytest.mark.parametrize(
    ("model", "algorithm"),
    [
        ("four-bar", "riccati"),
        ("four-bar", "derivatives"),
        ("four-bar", "linear"),
        ("ball-chain:n=3", "riccati"),
        ("ball-chain:n=3", "pullback"),
        ("spatial-tree", "riccati"),
        ("spatial-tree", "rnea-body"),
        ("spatial-tree", "closed-form"),
        ("spatial-tree", "derivatives"),
        ("rod-chain:n=30", "riccati"),
        ("hdca-case-1", "hdca"),
    ],
)
def test_all_entries_have_the_bits_of_c(tmp_path: Path, model: str, algorithm: str) -> None:
    emulated, plain = _pair(tmp_path, model, algorithm=algorithm)
    given = states_of(emulated.made, STATES)
    if not emulated.made.model.quaternions:
        given["q"][::4] *= 1e6
    _same_bits(emulated, plain, given)


@pytest.mark.parametrize(
    ("model", "entry", "most"),
    # as parts of the largest number of a kind: roundings of 1.1e-16, and of 6e-8, times the
    # condition of the states, which for loops is that of their positions
    [
        ("spatial-tree", "accelerations", 1e-5),
        ("spatial-tree", "derivatives", 2e-5),
        ("four-bar", "accelerations", 1e-4),
    ],
)
def test_floats_and_contraction_differ_by_their_rounding(
    tmp_path: Path, model: str, entry: str, most: float
) -> None:
    algorithm = "derivatives" if entry == "derivatives" else "riccati"
    options = {"algorithm": algorithm, "entries": (entry,)}
    doubles, plain = _pair(tmp_path, model, **options)
    (tmp_path / "float").mkdir()
    made = generate(load(model), target="cuda", forced=True, real="float", **options)
    floats = Emulated(tmp_path / "float", made)
    fused = Emulated(tmp_path / "cuda", doubles.made, "-O1", "-ffp-contract=fast", "-march=native")
    given = states_of(made, STATES)
    given = {name: x.astype(np.float32).astype(float) for name, x in given.items()}
    own = {name: given[name] for name in doubles.interface.arguments[entry] if name in given}
    expected, _ = plain(entry, own, STATES)
    for code, bound in ((fused, most * 1e-8), (floats, most)):
        found, status = code(entry, own, STATES, True)
        assert not status.any()
        for name, values in expected.items():
            error = np.abs(found[name] - values).max(axis=1)
            assert (error <= bound * np.abs(values).max(axis=1)).all(), name


def test_floats_keep_lines_without_length_finite(tmp_path: Path) -> None:
    """A spring from a link's end to where that end is in the first state."""
    tree = load("double-pendulum")
    end = tree.bodies[0].points[1]
    ends = End(tree.bodies[0].name, end.name), End(GROUND, "there")
    spring = Force("spring", ends, stiffness=40.0, rest=0.3, damping=2.0)
    ground = *tree.ground, replace(end, name="there")
    model = replace(tree, forces=(spring,), ground=ground)
    options = {"forced": True, "entries": ("accelerations",)}
    floats = Emulated(tmp_path, generate(model, target="cuda", real="float", **options))
    (tmp_path / "c").mkdir()
    plain = Plain(tmp_path / "c", generate(model, target="c", **options))
    given = states_of(floats.made, STATES)
    given["q"][0] = 0
    found, status = floats("accelerations", given, STATES, True)
    assert not status.any()
    expected = plain("accelerations", given, STATES)[0]["a"]
    np.testing.assert_allclose(found["a"], expected, 0, 1e-5 * np.abs(expected).max())


def test_what_does_not_fit_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="overall has no target 'cuda'; there are: c, numpy"):
        generate(load("double-pendulum"), target="cuda", algorithm="overall")
    with pytest.raises(UsageError, match="number 1e-60, which no float holds: take doubles"):
        generate(load("double-pendulum"), target="cuda", algorithm="linear", real="float")
    with pytest.raises(UsageError, match="'c' has no numbers 'float'; it has: double"):
        generate(load("double-pendulum"), target="c", real="float")


def test_a_long_chain_s_loops_stay_loops() -> None:
    """Written out, a thousand bodies take the compiler hours."""
    for bodies, rolled in ((99, False), (999, True)):
        made = generate(
            load(f"branch-system:N={bodies}"), target="cuda", entries=("accelerations",)
        )
        text = made.sources.files["branch_system.cu"]
        assert ("#define MSTMM_UNROLL MSTMM_ROLLED" in text) == rolled


@pytest.mark.parametrize(
    ("model", "method"),
    [
        ("double-pendulum", "rk4"),
        ("double-pendulum", "euler"),
        ("ball-chain:n=3", "rk4"),
        ("ball-chain:n=3", "rkmk4"),
        ("ball-chain:n=3", "euler"),
        ("spatial-tree", "rkmk4"),
    ],
)
def test_ten_steps_have_the_bits_of_c(
    monkeypatch: pytest.MonkeyPatch, model: str, method: str
) -> None:
    emulate(monkeypatch.setattr)
    monkeypatch.setenv(FLAGS_VARIABLE, "-O0 -ffp-contract=off")
    given = states_of(generate(load(model)), 3)
    moved = [
        mstmm.compile(model, target=target).simulate(
            given["q"][1], given["v"][1], t_end=0.05, dt=5e-3, method=method
        )
        for target in ("c", "cuda")
    ]
    assert moved[0].q.shape[0] == 11
    np.testing.assert_array_equal(moved[1].q, moved[0].q)
    np.testing.assert_array_equal(moved[1].v, moved[0].v)
