"""A warm start: what a model's description fixes comes from the cache, and what changes it misses.

Each start is a process of its own, as a user's is.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from compiler import needs_compiler

import mstmm
from mstmm.codegen import cache as cached
from mstmm.codegen import generate as generating
from mstmm.codegen.build import FLAGS_VARIABLE
from mstmm.codegen.face.choice import Choice
from mstmm.errors import ModelError, ModelWarning
from mstmm.model.remembered import Remembered, identity
from mstmm.runtime.evaluation import code
from mstmm.shown import in_full

ROOT = Path(__file__).resolve().parents[2]

#: What brings formulas or takes long to import, and has no place in a warm start.
HEAVY = ("sympy", "mpmath", "networkx", "jinja2", "pycparser", "msgspec", "filelock", "subprocess")

#: Modules that derive and emit.
FORMULAS = ("mstmm.symbolic.methods", "mstmm.codegen.generate", "mstmm.codegen.emit")

ROBOT = """
<robot name="arm">
  <link name="base">
    <inertial><mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="upper">
    <inertial><mass value="{mass}"/><origin xyz="0 0 0.4"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="finger">
    <inertial><mass value="0.2"/><origin xyz="0 0 0.1"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="9" velocity="1"/>
    <dynamics friction="0.3"/></joint>
  <joint name="grip" type="prismatic"><parent link="upper"/><child link="finger"/>
    <origin xyz="0 0 0.8"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="9" velocity="1"/></joint>
</robot>
"""

#: A user's session with some models; it says what came out, and what it imported.
SESSION = """
    import json, sys
    import mstmm, numpy as np
    names, how = json.loads(sys.argv[1])
    found = []
    for name in names:
        model = mstmm.load(name)
        solver = mstmm.compile(model, **how)
        run = solver.simulate(t_end=0.02)
        q, v = run.q[0], run.v[0]
        a = solver.accelerations(q, v)
        repr(run), run.energy, solver.energy(q, v), solver.poses(q), solver.coordinates, solver.ends
        found.append([a.tolist(), run.q[-1].tolist()])
    print(json.dumps([found, sorted(sys.modules)]))
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test begins cold, and compiles quickly: what is fast is no matter here."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(folder))
    monkeypatch.setenv(FLAGS_VARIABLE, "-O0")
    return folder


@pytest.fixture
def derivations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The targets for which code has been derived and emitted in this process."""
    found: list[str] = []
    real = generating.generate

    def seen(*arguments: object, **options: object) -> generating.Generated:
        found.append(str(options["target"]))
        return real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(generating, "generate", seen)
    return found


#: A session with what users write as text: laws of inputs, and events.
WRITTEN = """
    import json, sys
    import mstmm
    names, how = json.loads(sys.argv[1])
    solver = mstmm.compile("cart-pole")
    gain = how["gain"]
    law = f"-{gain}*qcart - 2.5*ucart + 0.1*t"
    event = mstmm.Event("qpole - 0.201")
    inputs = {"u": law, "pole": "0.01*upole"}
    run = solver.simulate([0, 0.2], t_end=0.3, inputs=inputs, events=[event])
    found = [run.q[-1].tolist(), [x.time for x in run.events]]
    try:
        solver.simulate(t_end=0.1, inputs={"u": how["wrong"]})
    except mstmm.UsageError as error:
        found.append(str(error))
    print(json.dumps([found, sorted(sys.modules)]))
"""


def session(names: Sequence[str], text: str = SESSION, **how: object) -> tuple[object, set[str]]:
    """What a session in a process of its own finds, and the modules that it imports."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text), json.dumps([list(names), how])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    found, modules = json.loads(done.stdout)
    return found, set(modules)


def arm(folder: Path, mass: float = 2.0) -> str:
    path = folder / "arm.urdf"
    path.write_text(ROBOT.format(mass=mass))
    return str(path)


@needs_compiler
def test_a_warm_session_derives_nothing_and_imports_no_formulas(tmp_path: Path) -> None:
    """But of beams, whose lengths are formulas: the end of a motion asks how far they are bent."""
    rigid = (x for x in sorted(ROOT.glob("examples/*.toml")) if "[beams" not in x.read_text())
    examples = list(map(str, rigid))
    names = [arm(tmp_path), "four-bar", "branch-pendulum", *examples]
    cold, modules = session(names)
    assert "sympy" in modules
    warm, modules = session(names)
    assert warm == cold  # bit by bit
    assert not modules & {*HEAVY}
    assert not [x for x in modules if x.startswith(FORMULAS)]


@needs_compiler
def test_expressions_that_were_compiled_once_are_not_read_again() -> None:
    """Nor where another number stands in them; what is no expression is told as before."""
    given = {"gain": 3.25, "wrong": "0.5"}
    cold, modules = session([], WRITTEN, **given)
    assert "sympy" in modules
    warm, modules = session([], WRITTEN, **given)
    assert warm == cold
    assert not modules & {*HEAVY}
    other, modules = session([], WRITTEN, **{**given, "gain": 4.5})
    assert other != cold
    assert not modules & {*HEAVY}
    told, _ = session([], WRITTEN, **{**given, "wrong": "-0.5*qcrat"})
    assert told[:-1] == cold  # type: ignore[index]
    assert "input u: '-0.5*qcrat': there is no 'qcrat'" in told[-1]  # type: ignore[index]


@needs_compiler
def test_what_the_motion_does_not_need_is_compiled_once_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, derivations: list[str]
) -> None:
    """Once, and alone: the next start takes it from the cache. Its numbers are the same.

    A motion needs none of it until its loads or its energy are read.
    """
    q, v = [0.3, 0.4], [1.0, 2.0]
    one = start("double-pendulum", target="c")
    whole = one.simulate(t_end=0.01)
    monkeypatch.setattr(code, "APART", 0)
    monkeypatch.setenv("MSTMM_CFLAGS", "-O1")
    for derived in (2, 2):
        two = start("double-pendulum", target="c")
        np.testing.assert_allclose(two.accelerations(q, v), one.accelerations(q, v), rtol=1e-13)
        run = replace(two.simulate(t_end=0.01), start=None)
        assert run["q2"].values[0] == two.model.q0[1]
        assert [*two.backend.opened] == [""]
        np.testing.assert_allclose(run.energy, whole.energy, rtol=1e-13)
        assert [*two.backend.opened] == ["", "energy"]
        for name, library in two.backend.opened.items():
            with pytest.raises(two.backend.ffi.error, match="not found"):
                getattr(library, two.backend.symbol("joint_loads" if name else "energy"))
        np.testing.assert_allclose(run.loads, whole.loads, atol=1e-12)
        np.testing.assert_allclose(two.energy(q, v), one.energy(q, v), rtol=1e-13)
        np.testing.assert_allclose(two.joint_loads(q, v), one.joint_loads(q, v), atol=1e-12)
        assert [*two.backend.opened] == ["", "energy", "joint_loads"]
        assert len(derivations) == derived


def test_numpy_code_is_remembered_too() -> None:
    cold, _ = session(["double-pendulum"], target="numpy")
    warm, modules = session(["double-pendulum"], target="numpy")
    assert warm == cold
    assert not modules & {*HEAVY}


# What misses


def start(name: str, **how: object) -> mstmm.runtime.solver.Solver:
    return mstmm.compile(mstmm.load(name), **{"target": "numpy", **how})  # type: ignore[arg-type]


def test_the_same_again_is_not_derived_again(derivations: list[str]) -> None:
    first, second = (start("double-pendulum") for _ in range(2))
    assert derivations == ["numpy"]
    q, v = [0.3, 0.4], [1.0, 2.0]
    np.testing.assert_array_equal(first.accelerations(q, v), second.accelerations(q, v))
    # What it was made from can still be had, and is the same.
    assert second.generated.sources.digest == first.generated.sources.digest
    assert second.method == first.method
    assert derivations == ["numpy"] * 2


def test_an_edited_file_is_read_and_derived_anew(tmp_path: Path, derivations: list[str]) -> None:
    q, v = [0.3, 0.1], [0.0, 0.0]
    light = start(arm(tmp_path, 2.0)).accelerations(q, v)
    again = start(arm(tmp_path, 2.0)).accelerations(q, v)
    np.testing.assert_array_equal(light, again)
    assert len(derivations) == 1
    heavy = start(arm(tmp_path, 3.0)).accelerations(q, v)
    assert len(derivations) == 2
    assert not np.allclose(light, heavy)


def test_another_comment_reads_anew_and_derives_nothing(
    tmp_path: Path, derivations: list[str]
) -> None:
    path = Path(arm(tmp_path))
    start(str(path))
    path.write_text(path.read_text() + "<!-- seen -->")
    assert type(mstmm.load(path)) is not Remembered
    start(str(path))
    assert len(derivations) == 1


def test_options_of_the_file_miss(tmp_path: Path, derivations: list[str]) -> None:
    path = arm(tmp_path)
    sizes = []
    for options in ({}, {"floating": True}, {"locked": {"grip": 0.0}}, {"locked": {"grip": 0.1}}):
        model = mstmm.load(path, **options)
        sizes.append(len(model.speeds))
        assert type(model) is not Remembered
        assert type(mstmm.load(path, **options)) is Remembered
        mstmm.compile(model, target="numpy")
    assert sizes == [2, 8, 1, 1]
    assert len(derivations) == 4
    # On the command line the options are words of the name.
    assert len(mstmm.load(f"{path}:floating").speeds) == 8
    assert len(mstmm.load(f"{path}:floating").speeds) == 8


@pytest.mark.parametrize(
    "how",
    [
        {"parameters": ["g"]},
        {"algorithm": "slaats"},
        {"algorithm": "dca"},
        {"algorithm": "dca", "assembly": "(1,2),ground"},
        {"wrenches": True},
    ],
)
def test_what_is_asked_of_the_code_misses(how: dict[str, object], derivations: list[str]) -> None:
    start("double-pendulum")
    start("double-pendulum", **how)
    assert len(derivations) == 2
    start("double-pendulum", **how)
    assert len(derivations) == 2


def test_an_algorithm_by_name_and_as_a_record_are_one(derivations: list[str]) -> None:
    start("double-pendulum", algorithm="dca", assembly="(1,2),ground")
    start("double-pendulum", algorithm=mstmm.Dca(assembly="(1,2),ground"))
    assert len(derivations) == 1
    assert Choice.of(mstmm.Riccati()) == Choice.named("riccati", form=None)


def test_other_makers_miss(monkeypatch: pytest.MonkeyPatch, derivations: list[str]) -> None:
    """Another version of the package, of SymPy or of Python: `makers` says another thing."""
    start("double-pendulum")
    monkeypatch.setattr(cached, "_contents", lambda package: "another version")
    assert type(mstmm.load("double-pendulum")) is not Remembered
    start("double-pendulum")
    assert len(derivations) == 2


def test_an_edit_of_the_package_is_another_maker(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not so another time of its files; and no time that is set hides an edit."""
    folder = tmp_path / "edited_package"
    folder.mkdir()
    file = folder / "__init__.py"
    monkeypatch.syspath_prepend(tmp_path)

    def said(text: str, time: int) -> str:
        file.write_text(text)
        os.utime(file, ns=(time, time))
        return cached._contents.__wrapped__("edited_package")

    first, later, back = said("a = 1", 1), said("a = 1", 2), said("a = 2", 1)
    assert first == later != back
    assert said("a = 1", 3) == first


def test_what_stands_around_makes_no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of the runtime or the commands leaves code known; any other does not."""
    real, before = cached._contents, (cached.makers(), cached.whole_package())
    for package in (*cached._AROUND, *cached._DERIVING, *cached._LIBRARIES):
        edited = {package: "edited"}
        monkeypatch.setattr(
            cached, "_contents", lambda name, is_=edited: is_.get(name) or real(name)
        )
        assert (cached.makers() == before[0]) == (package in cached._AROUND)
        assert cached.whole_package() != before[1]


@needs_compiler
def test_what_shapes_a_library_misses(
    monkeypatch: pytest.MonkeyPatch, derivations: list[str]
) -> None:
    """One thing after another, each of which was never so before."""

    def misses(**how: object) -> bool:
        before = len(derivations)
        start("double-pendulum", target="c", **how)
        return len(derivations) > before

    assert misses()
    assert not misses()
    assert misses(portable=True)
    assert misses(threads=True)
    monkeypatch.setattr("mstmm.codegen.build._cpu", lambda: iter(["another"]))
    assert misses()
    monkeypatch.setenv("CPATH", "/usr/include/another")
    assert misses()
    monkeypatch.setenv("CC", "cc -O2")
    assert misses()
    assert not misses()


def test_another_cache_folder_misses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, derivations: list[str]
) -> None:
    start("double-pendulum")
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(tmp_path / "another"))
    start("double-pendulum")
    assert len(derivations) == 2


def test_a_model_of_mujoco_that_refers_to_files_is_read_each_time(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    alone = tmp_path / "alone.xml"
    body = '<body><joint axis="0 1 0"/><geom size="0.1" pos="0 0 -{length}"/></body>'
    text = "<mujoco><worldbody>{body}</worldbody></mujoco>"
    alone.write_text(text.format(body=body.format(length=1)))
    mstmm.load(alone)
    assert type(mstmm.load(alone)) is Remembered
    whole = tmp_path / "whole.xml"
    whole.write_text(text.format(body='<include file="part.xml"/>'))
    lengths = []
    for length in (1, 2):
        (tmp_path / "part.xml").write_text(f"<mujoco>{body.format(length=length)}</mujoco>")
        model = mstmm.load(whole)
        lengths.append(abs(float(model.bodies[0].centre[2])))
    assert lengths == [1.0, 2.0]


# What is damaged


@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "no checksum", "not ours"])
def test_a_damaged_record_is_made_again(
    damage: str, own_cache: Path, derivations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = start("double-pendulum")
    records = [x for x in own_cache.glob("records/*") if x.suffix != ".sha256"]
    assert len(records) == 2  # of the model and of the code
    for record in records:
        data = record.read_bytes()
        if damage == "no checksum":
            record.with_name(record.name + ".sha256").unlink()
        elif damage != "not ours":
            changed = data[:-3] + b"abc" if damage == "changed" else data[: len(data) // 2]
            record.write_bytes(b"" if damage == "empty" else changed)
    if damage == "not ours":
        owner = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    second = start("double-pendulum")
    assert len(derivations) == 2
    state = [0.3, 0.4], [1.0, 2.0]
    np.testing.assert_array_equal(first.accelerations(*state), second.accelerations(*state))
    if damage != "not ours":
        start("double-pendulum")
        assert len(derivations) == 2


@needs_compiler
def test_a_library_that_is_gone_is_built_again(own_cache: Path, derivations: list[str]) -> None:
    start("double-pendulum", target="c")
    for file in own_cache.glob("modules/double_pendulum*"):
        file.unlink()
    found = start("double-pendulum", target="c").accelerations([0.3, 0.4], [1.0, 2.0])
    assert len(derivations) == 2
    assert np.isfinite(found).all()


def test_code_of_other_sources_is_told(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that says it was made from other sources is noticed when these are derived."""
    start("double-pendulum")
    solver = start("double-pendulum")
    vars(solver.made.prepared)["sources"] = "another"
    with pytest.raises(mstmm.InternalError, match="mstmm cache clear"):
        _ = solver.generated


# Models whose parts wait


def test_a_remembered_model_is_the_model(tmp_path: Path) -> None:
    for name in (arm(tmp_path), "four-bar", "spatial-tree", "example-1"):
        model, again = mstmm.load(name), mstmm.load(name)
        assert type(again) is Remembered
        assert "hinges" not in vars(again)
        for fact in ("units", "position_limits", "frame_names", "owners", "jumps", "is_driven"):
            assert getattr(again, fact) == getattr(model, fact)
        assert type(again) is Remembered
        assert again == model
        assert type(again) is mstmm.Model
        assert in_full(mstmm.load(name)) == in_full(model)
        assert model == mstmm.load(name)
        assert identity(again) == identity(model)


def test_a_model_travels_with_its_parts_waiting() -> None:
    model = mstmm.load("four-bar")
    for found in (
        pickle.loads(pickle.dumps(model)),
        pickle.loads(pickle.dumps(mstmm.load("four-bar"))),
    ):
        assert type(found) is Remembered
        assert found.with_parameters(g=1.0).parameters["g"] == 1.0
        assert found == model


def test_warnings_come_again(tmp_path: Path) -> None:
    path = tmp_path / "bare.urdf"
    path.write_text(ROBOT.format(mass=2.0).replace(' name="arm"', ""))
    said = []
    for _ in range(2):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            model = mstmm.load(path)
        said.append([str(x.message) for x in seen])
    assert type(model) is Remembered
    assert said[0] == said[1] != []
    for strict in (True, False):
        with warnings.catch_warnings():
            warnings.simplefilter("error", ModelWarning)
            with pytest.raises(ModelError):
                mstmm.load(path, strict=strict)


def test_what_is_no_file_is_told_as_before(tmp_path: Path) -> None:
    with pytest.raises(mstmm.UsageError, match="cannot read"):
        mstmm.load(tmp_path / "none.toml")
    with pytest.raises(mstmm.UsageError, match="there is no model"):
        mstmm.load("dobule-pendulum")
    with pytest.raises(mstmm.UsageError):
        mstmm.load(tmp_path)
    os.mkfifo(tmp_path / "pipe.urdf")
    with pytest.raises((mstmm.UsageError, ModelError)):
        mstmm.load(str(tmp_path / "pipe.toml"))


# What a call makes


def test_derivatives_are_made_ahead_where_asked(derivations: list[str]) -> None:
    solver = start("double-pendulum", derivatives=True)
    assert len(derivations) == 2
    found = solver.linearize([0.3, 0.4], [1.0, 2.0])
    assert len(derivations) == 2
    other = pickle.loads(pickle.dumps(solver))
    np.testing.assert_array_equal(found[0], other.linearize([0.3, 0.4], [1.0, 2.0])[0])
    plain = start("double-pendulum")
    plain.linearize([0.3, 0.4], [1.0, 2.0])
    assert len(derivations) == 2


def test_a_call_that_makes_code_says_so(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mstmm.codegen.face.announced.PATIENCE", 0.0)
    solver = start("double-pendulum")
    assert capfd.readouterr().err == ""
    solver.linearize([0.3, 0.4], [1.0, 2.0])
    said = capfd.readouterr().err
    assert "its derivatives" in said
    assert "derivatives=True" in said
    solver.accelerations([0.3, 0.4], [1.0, 2.0], wrenches=np.zeros((2, 6)))
    assert "wrenches=True" in capfd.readouterr().err
    solver.centre_of_mass([0.3, 0.4])
    assert "centroidal" in capfd.readouterr().err
    solver.linearize([0.3, 0.4], [1.0, 2.0])
    assert capfd.readouterr().err == ""
