"""Natural modes: reference cases, clusters, proofs by balls, what is refused, and what is shown."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import cell_models
import numpy as np
import pytest
import random_models
from commands import run
from places import DATA
from small_motions import arm, pendulum, spring_chain

import mstmm
from mstmm.codegen.build import FLAGS_VARIABLE
from mstmm.errors import ModelWarning, NumericsError, UsageError
from mstmm.model import Model
from mstmm.model.expressions.quantities import TIME, hinge_symbol
from mstmm.model.files.toml import from_text, to_text
from mstmm.runtime.evaluation.arrays import Floats
from mstmm.runtime.solver import Solver
from mstmm.runtime.vibration import generated, rest
from mstmm.runtime.vibration.feeding import feeding
from mstmm.runtime.vibration.generated import GeneratedStiffness
from mstmm.runtime.vibration.stiffness import Proven
from mstmm.symbolic.language import balls

#: The references have 17 digits; they are found to 3e-15, but where it is said.
CLOSE = 1e-12

LINEAR = DATA / "linear"
RESTING = json.loads((LINEAR / "cases_gravity.json").read_text(encoding="utf-8"))
#: Four discs on a shaft; the eigenvalues of the 4 x 4 matrices in 40 digits.
HOLZER = [0.0, 422.10867291797388, 2056.5900807736451, 6479.6345796417144]


def solved(model: Model) -> Solver:
    """Of the model as its file has it."""
    return mstmm.compile(from_text(to_text(model)), target="numpy")


def discs(J: Sequence[float], k: Sequence[float]) -> Model:
    """Discs on a shaft without mass, which turns freely: Holzer's train."""
    text = 'name = "discs"\ndimension = 3\ngravity = [0, 0, 0]\n'
    for i, inertia in enumerate(J):
        text += f"[bodies.d{i}]\nmass = 1.0\ninertia = {[inertia] * 3 + [0] * 3}\n"
        parent = f"d{i - 1}" if i else "ground"
        text += f'[hinges.h{i}]\nkind = "revolute"\nparent = "{parent}"\nchild = "d{i}"\n'
        text += f"axis = [0, 0, 1]\nthrough = [0, 0, {i}]\n"
        text += f"spring = {{ stiffness = {k[i - 1]} }}\n" if i else ""
    return from_text(text)


def chain_known(n: int) -> Floats:
    """The eigenvalues of `spring_chain`."""
    found: Floats = 4 * np.sin((2 * np.arange(1, n + 1) - 1) * np.pi / (4 * n + 2)) ** 2
    return found


def case(name: str) -> tuple[Model, list[float] | None, list[float]]:
    """A model, the place that it rests at, and its eigenvalues."""
    if name == "07-holzer":
        return discs([1.2, 0.8, 0.5, 2.0], [1000.0, 1500.0, 800.0]), None, HOLZER
    known = RESTING[name]
    of, wanted = known["model"], [float(x) for x in known["reference"]]
    if "arm" in name:
        return arm(of), [float(x) for x in known["equilibrium"]], wanted
    return pendulum(of["N"], of["l"], of["m"], of["g"]), None, wanted


@pytest.mark.parametrize("name", ["07-holzer", *RESTING])
def test_reference_cases(name: str) -> None:
    pytest.importorskip("flint")
    model, q, known = case(name)
    solver, wanted = solved(model), np.array(known)
    modes = solver.modes(q, count=30)
    np.testing.assert_allclose(modes.squares, wanted, rtol=CLOSE)
    assert {*modes.certificate.proof} == {"double"}
    proven = solver.modes(q, count=3, prove=True).certificate
    assert all(x.endswith("bits") for x in proven.proof)
    assert (proven.lower < wanted[:3]).all()
    assert (proven.upper > wanted[:3]).all()
    rigid = int((wanted == 0).sum())
    assert (proven.upper - proven.lower <= 3e-11 * np.abs(proven.upper) + 1e-8 * rigid).all()
    stability = solver.stability(q)
    assert (stability.unstable, stability.neutral) == (int((wanted < 0).sum()), rigid)


READY = {
    **{"holzer-train": "07-holzer", "portal-frame": "06-portal-frame"},
    **{"spatial-frame": "09-spatial-frame", "flexible-arm": "13-flexible-arm"},
}


@pytest.mark.parametrize("name", READY)
def test_ready_made_models_that_vibrate(name: str) -> None:
    known = HOLZER if name == "holzer-train" else BEAMS[READY[name]]["reference"]
    wanted = np.array(known, dtype=float)
    modes = mstmm.compile(name, algorithm="linear", target="numpy").modes(count=len(wanted))
    np.testing.assert_allclose(modes.squares[: len(wanted)], wanted, rtol=CLOSE)


def test_a_thousand_masses_between_walls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every one of 4 sin²(jπ/2002), of the symmetric ones too, which are poles in many places."""
    monkeypatch.setenv(FLAGS_VARIABLE, "-O1")  # unoptimised it takes fifteen times as long
    n = 1000
    wall = f"[ground.points.wall]\nposition = [{n}, 0]\n[forces.last]\nstiffness = 1\nrest = 1\n"
    wall += f'between = ["mass{n - 1}:a", "ground:wall"]\n'
    solver = mstmm.compile(from_text(to_text(spring_chain(n)) + wall), target="c-batch")
    modes, known = (
        solver.modes(np.zeros(n), count=n),
        4 * np.sin(np.arange(1, n + 1) * np.pi / 2002) ** 2,
    )
    np.testing.assert_allclose(modes.squares, known, rtol=CLOSE)  # found: 4e-13
    assert modes.certificate.multiplicity.tolist() == [1] * n
    np.testing.assert_allclose(modes.kinetic.sum(axis=1), 1.0, rtol=1e-12)
    some = solver.modes(np.zeros(n), below=0.1)
    assert len(some.squares) == int((known < 0.01).sum())


SPHERICAL = """
name = "bob"
dimension = 3
gravity = [0, 0, -10]
[bodies.bob]
mass = 2.0
inertia = [0.5, 0.5, 0.1, 0, 0, 0]
centre = [0, 0, -1.5]
[bodies.bob.points.top]
[hinges.ball]
kind = "ball"
parent = "ground"
child = "bob:top"
"""


BEAMS = json.loads((LINEAR / "beams.json").read_text(encoding="utf-8"))["cases"]


def beams(text: str) -> Solver:
    return mstmm.compile(from_text(text), algorithm="linear", target="numpy")


@pytest.mark.parametrize("name", cell_models.CASES)
def test_exact_beams(name: str) -> None:
    """Each as often as it occurs. Of the free slender one every frequency is a pole of its root."""
    text, rigid = cell_models.CASES[name]
    wanted = np.array([0.0] * rigid + [float(x) for x in BEAMS[name]["reference"]])
    modes = beams(text).modes(below=1.001 * math.sqrt(wanted[-1]))
    np.testing.assert_allclose(modes.squares, wanted, rtol=CLOSE)  # found: 3e-13 of 03, else 1e-14
    assert (modes.squares[:rigid] == 0).all()
    alike = np.abs(wanted[:, np.newaxis] - wanted) <= 1e-9 * wanted
    assert modes.multiplicity.tolist() == alike.sum(axis=1).tolist()
    np.testing.assert_allclose(modes.kinetic.sum(axis=1), 1.0, rtol=1e-9)
    bodies = {x.name for x in from_text(text).bodies}
    assert {*modes.names["element"]} == bodies


def test_beams_are_in_as_many_cells_as_the_modes_take() -> None:
    """And bend as cosh βx − cos βx − σ (sinh βx − sin βx) says, of mass ¼ ρA L of the tip's."""
    pytest.importorskip("flint")
    solver = beams(cell_models.cantilever(cell_models.SLENDER))
    modes = solver.modes(count=12)
    frequencies = [float(x) for x in BEAMS["01-clamped-free-EB"]["reference"]]
    np.testing.assert_allclose(modes.squares[:6], frequencies, rtol=CLOSE)
    assert len(modes.squares) == 12
    names = modes.names["body"]
    places = np.array([int(x.partition(":")[0][5:]) - 1 + x.endswith(":far") for x in names])
    x = places / places.max()
    for k in (0, 1, 2, 3):
        b = math.sqrt(modes.frequencies[k])
        sigma = (np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b))
        shape = np.cosh(b * x) - np.cos(b * x) - sigma * (np.sinh(b * x) - np.sin(b * x))
        bent = modes.bodies[k, :, 4]
        end = int(places.argmax())
        np.testing.assert_allclose(bent / bent[end], shape / shape[end], atol=1e-10)
        np.testing.assert_allclose(modes.masses[k], bent[end] ** 2 / 4, rtol=1e-10)
    proven = solver.modes(count=2, prove=True).certificate
    assert (proven.lower < frequencies[:2]).all()
    assert (proven.upper > frequencies[:2]).all()
    assert solver.stability().stable
    with pytest.raises(UsageError, match="do not say how exact beams bend"):
        modes.motion(1)


def test_exact_beams_rest_where_no_hinge_pulls() -> None:
    text = (
        cell_models.cantilever(cell_models.SLENDER)
        + """
[bodies.lamp]
mass = 0.8
inertia = 0.01
[bodies.lamp.points.base]
[hinges.neck]
kind = "pin"
parent = "arm:tip"
child = "lamp:base"
spring = { stiffness = 2.0, rest = 0.1 }
"""
    )
    solver = beams(text)
    assert solver.stability([0.1]).stable
    with pytest.raises(UsageError, match=r"effort 0\.2 of hinge neck is not zero"):
        solver.modes()


@pytest.mark.parametrize(("thrust", "falls"), [(1.0, 0), (30.0, 2), (3000.0, 17)])
def test_columns_buckle_as_euler_says(thrust: float, falls: int) -> None:
    """Clamped, under a thrust that keeps its direction: P > (2n − 1)² π²/4 EI/L²."""
    solver = beams(cell_models.cantilever({**cell_models.SLENDER, "tension": -thrust}))
    modes = solver.modes(count=3)
    assert solver.stability().unstable == falls
    assert modes.kinds.count("unstable") == min(falls, 3)
    assert (np.diff(modes.squares) > 0).all()
    assert (modes.growth > 0).sum() == min(falls, 3)


def test_equal_frequencies_and_a_spin() -> None:
    """A pendulum on a ball: it swings along x and y alike, and its spin costs nothing."""
    solver = solved(from_text(SPHERICAL))
    modes = solver.modes([1.0, 0.0, 0.0, 0.0])
    swing = 2.0 * 10 * 1.5 / (0.5 + 2.0 * 1.5**2)
    np.testing.assert_allclose(modes.squares, [0.0, swing, swing], rtol=1e-13)
    assert modes.kinds == ("zero", "stable", "stable")
    assert modes.multiplicity.tolist() == [1, 2, 2]
    assert modes.names["speed"] == ("turn_uball_1", "turn_uball_2", "turn_uball_3")
    np.testing.assert_allclose(modes.coordinates, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-12)
    np.testing.assert_allclose(modes.masses, [0.1, 5.0, 5.0], rtol=1e-12)
    # Turned about x the centre of mass, 1.5 m below, moves along y.
    np.testing.assert_allclose(modes.bodies[1, 0], [1, 0, 0, 0, 1.5, 0], atol=1e-12)
    assert modes.certificate.multiplicity.tolist() == [1, 2]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dimension", [2, 3])
def test_modes_of_random_trees(dimension: int, seed: int) -> None:
    """Orthogonal by mass, as linearize has them, bodies where poses move them."""
    rng = Random(10 * dimension + seed)
    kinds = {2: ("pin", "prismatic"), 3: ("revolute", "prismatic", "helical")}[dimension]
    model = sprung(rng, random_models.joint_tree(rng, dimension, kinds, 6))
    solver = solved(model)
    modes, n = solver.modes(count=99), len(solver.speeds)
    A, _ = solver.linearize(modes.q, np.zeros(n))
    poles = np.sort(-np.linalg.eigvals(A[n:, :n]).real)
    np.testing.assert_allclose(modes.squares, poles, rtol=1e-9)
    closed = mstmm.compile(model, algorithm="closed-form", target="numpy")
    M = modes.coordinates @ closed.mass_matrix(modes.q) @ modes.coordinates.T
    size = np.sqrt(np.outer(modes.masses, modes.masses))
    np.testing.assert_allclose(M / size, np.eye(len(M)), atol=1e-8)
    step = 1e-6 * modes.coordinates
    before, after = (solver.poses(modes.q + sign * step) for sign in (-1, 1))
    centres = np.array([[float(x) for x in body.centre] for body in model.bodies])
    d = model.dimension
    moved = (after - before)[..., :d, :d] @ centres[..., np.newaxis]
    moved = (moved[..., 0] + (after - before)[..., :d, 3]) / 2e-6
    np.testing.assert_allclose(modes.bodies[..., 3 : 3 + d], moved, atol=1e-7)
    turn = (after - before)[..., :3, :3] @ np.swapaxes(before, -1, -2)[..., :3, :3] / 2e-6
    spin = (turn - np.swapaxes(turn, -1, -2)) / 2
    turned = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
    np.testing.assert_allclose(modes.bodies[..., :3], turned, atol=1e-7)


def sprung(rng: Random, model: Model) -> Model:
    """With a spring in every hinge."""
    q, k = hinge_symbol("q", 1), [rng.uniform(20, 60) for _ in model.hinges]
    rest = [rng.uniform(-0.2, 0.2) for _ in model.hinges]
    hinges = tuple(
        replace(h, potential=k * (q - x) ** 2 / 2)
        for h, k, x in zip(model.hinges, k, rest, strict=True)
    )
    return replace(model, hinges=hinges, q0=(), v0=())


def test_rotors_move_with_their_hinges() -> None:
    """A rotor of 3 kg m² on a disc of 1: of its kinetic energy it has three quarters."""
    model = discs([1.0, 2.0], [12.0])
    first, second = model.hinges
    model = replace(model, hinges=(first, replace(second, rotor=(3.0,))))
    modes = solved(model).modes()
    # M = [[3, 2], [2, 5]], K = diag(0, 12)
    np.testing.assert_allclose(modes.squares, [0.0, 12.0 / (5.0 - 4.0 / 3.0)], rtol=1e-13)
    assert modes.names["element"] == ("d0", "d1", "rotor uh1")
    np.testing.assert_allclose(modes.kinetic.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(modes.kinetic[1, 2], 3.0 / (5.0 - 4.0 / 3.0), rtol=1e-12)


@pytest.fixture(scope="module")
def double() -> Solver:
    return solved(mstmm.load("double-pendulum"))


def test_counts_in_balls_are_those_of_doubles(double: Solver) -> None:
    pytest.importorskip("flint")
    stiffness = GeneratedStiffness(double, np.zeros(2), t=0.0, parameters=None)
    squares = np.array([-50.0, 1.0, 14.1, 14.2, 103.9, 104.0])
    below, pivot = stiffness.counted(squares)
    assert below.tolist() == [0, 0, 0, 1, 1, 2]
    assert (pivot > 1e-9).all()
    assert [stiffness.proven(x) for x in squares.tolist()] == [Proven(int(n), 64) for n in below]


def test_precision_is_doubled_until_signs_are_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("flint")
    solver = solved(spring_chain(3))
    stiffness = GeneratedStiffness(solver, np.zeros(3), t=0.0, parameters=None)
    assert stiffness.proven(0.9) == Proven(1, 64)
    pole = stiffness.proven(1.0)  # of the last mass alone
    assert pole.below == 1
    assert pole.bits > 64
    squares = chain_known(3)
    near = [stiffness.proven(x * (1 + 1e-15 * s)) for s in (-1, 1) for x in squares.tolist()]
    assert [x.below for x in near] == [0, 1, 2, 1, 2, 3]
    monkeypatch.setattr(generated, "BITS", (64,))
    with pytest.raises(NumericsError, match="not decided in 64 bits"):
        stiffness.proven(1.0)


def test_a_proof_is_announced(
    double: Solver, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("flint")
    monkeypatch.setattr("mstmm.codegen.face.announced.PATIENCE", 0.0)
    double.modes([0.0, 0.0], prove=True)
    assert "proving the modes of double-pendulum" in capsys.readouterr().err


def test_a_ball_that_holds_both_signs_decides_nothing() -> None:
    flint = pytest.importorskip("flint")
    numbers = balls.balls()
    with pytest.raises(balls.UndecidedError):
        numbers.functions["step"](flint.arb(0, 1e-30))
    assert numbers.functions["step"](flint.arb(0)) == 1
    assert balls.whole(numbers.make(Fraction(6, 3))) == 2
    with pytest.raises(balls.UndecidedError):
        balls.whole(flint.arb(2, 1))
    with balls.working_bits(200):
        third = numbers.functions["sin"](numbers.make(Fraction(1, 3)))
        assert float(third.rad()) < 1e-59
    quarter = numbers.functions["atan2"](1, -1) - 3 * numbers.functions["pi"]() / 4
    assert abs(quarter) < 1e-14


def test_what_is_lost_is_said(double: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = GeneratedStiffness.counted

    def forgetful(self, squares):  # type: ignore[no-untyped-def]
        below, pivot = counted(self, squares)
        return np.where((squares > 50) & (len(squares) > 4), 1, below), pivot

    monkeypatch.setattr(GeneratedStiffness, "counted", forgetful)
    with pytest.raises(NumericsError, match="of 2 eigenvalues ω² doubles count 1"):
        double.modes([0.0, 0.0])


def test_what_means_nothing_is_refused(double: Solver) -> None:
    with pytest.raises(UsageError, match=r"u2 accelerates at .*solver\.equilibrium"):
        double.modes([0.3, 0.0])
    with pytest.raises(UsageError, match="both given"):
        double.modes([0.0, 0.0], count=1, below=3.0)
    with pytest.raises(UsageError, match="above 0"):
        double.modes([0.0, 0.0], below=-3.0)
    with pytest.raises(UsageError, match="count = 0 must be"):
        double.modes([0.0, 0.0], count=0)
    with pytest.raises(UsageError, match="about one place"):
        double.modes(np.zeros((2, 2)))
    with pytest.raises(UsageError, match="prove is True or False"):
        double.modes([0.0, 0.0], prove="no")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="t has the shape"):
        double.modes([0.0, 0.0], t=[0.0, 1.0])  # type: ignore[arg-type]


PUSHED = """
name = "pushed"
dimension = 2
gravity = [0, -10]
[parameters]
c = 0.1
[ground.points.wall]
position = [0, 1]
[bodies.bob]
mass = 2.0
inertia = 0.5
[bodies.bob.points.top]
position = [0, 0.2]
[hinges.slide]
kind = "prismatic"
parent = "ground"
child = "bob"
axis = [0, 1]
force = "%s"
[forces.spring]
between = ["bob:top", "ground:wall"]
stiffness = 100
rest = 0.5
law = "%s"
"""


@pytest.mark.parametrize(
    ("force", "law", "feeds"),
    [
        ("-q1 + 0.1*u1", "0", "the law of hinge slide"),
        ("-q1 + c*u1", "0", "the law of hinge slide"),
        ("-q1 - sign(u1) - u1**3", "2*rate", ""),
        ("0", "(length - 0.75)*rate", "force spring"),
    ],
)
def test_laws_that_feed_energy_in_are_told(force: str, law: str, feeds: str) -> None:
    """What is no damper is not left out in silence: a potential alone does not tell of it."""
    solver = mstmm.compile(from_text(PUSHED % (force, law)), target="numpy", parameters=["c"])
    if not feeds:
        assert solver.stability().stable
        return
    judged = solver.stability()
    assert (judged.by, judged.unstable, judged.up_to) == ("motion", 2, np.inf)
    assert solver.equilibrium().unstable
    with pytest.warns(ModelWarning, match=f"{feeds} feeds energy in"):
        modes = solver.modes()
    assert modes.origin == "found near the start"
    assert str(modes).splitlines()[1].endswith("(found near the start)")
    if "c*" in force:
        assert solver.stability(parameters={"c": -0.1}).stable


@pytest.mark.parametrize(("slope", "told"), [(0.9, ["force spring"]), (0.7, [])])
def test_a_law_feeds_no_energy_in_that_a_damper_beside_it_takes_out(
    slope: float, told: list[str]
) -> None:
    text = (PUSHED % ("0", f"-{slope}*rate")).replace("= 100", "= 100\ndamping = 0.8")
    solver = mstmm.compile(from_text(text), target="numpy")
    assert [*feeding(solver, solver.model, np.zeros(1), 0.0)] == told


def test_where_no_place_is_found_it_is_said_who_seeks(
    double: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(*given: object, **more: object) -> None:
        raise NumericsError("hold less")

    monkeypatch.setattr(rest, "equilibrium", nowhere)
    with pytest.raises(
        NumericsError, match=r"found for modes: hold less\. solver.equilibrium .* give its \.q"
    ):
        double.modes()


def test_structure_is_seen_before_a_place_is_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    model = mstmm.load("double-pendulum")
    first, second = model.hinges
    driven = replace(model, hinges=(first, replace(second, motion=(TIME,))), q0=(1.0,), v0=())
    monkeypatch.setattr(rest, "assemble", None)
    with pytest.raises(UsageError, match=f"hinge {second.name} is driven; solver.linearize"):
        solved(driven).modes()


def test_modes_are_shown_and_named(double: Solver) -> None:
    modes = double.modes([0.0, 0.0])
    assert max(map(len, str(modes).splitlines())) <= 80
    none = double.modes([0.0, 0.0], below=1e-3)
    assert none.data["masses"].shape == (0,)
    assert none["masses"].member_units == ()
    falls = str(double.modes([np.pi, 0.0])).splitlines()[3].split()
    assert falls[:6] == ["1", "–", "–", "1", "grows", "10.2/s"]
    assert str(modes).splitlines()[1] == "about q1 = 0, q2 = 0 (given)"
    with pytest.raises(ValueError, match="read-only"):
        modes.squares[0] = 5.0
    data = modes.data
    assert data["bodies"].dims == ("mode", "body", "motion")
    assert float(data["frequencies"].sel(mode=1)) == modes.frequencies[0]
    assert data["frequencies"].attrs["units"] == "rad/s"
    assert modes["hertz"].values[1] == modes.frequencies[1] / (2 * np.pi)
    assert data["mass_units"].values.tolist() == ["kg m2", "kg m2"]
    assert modes["masses"].member_units == ("kg m2", "kg m2")
    assert modes["coordinates"].member_units == ("rad", "rad")
    assert repr(modes["masses"]).endswith("in kg m2>")
    with pytest.raises(KeyError, match="modes have no 'hz'"):
        modes["hz"]


def test_the_command() -> None:
    shown = run("modes", "double-pendulum", "--target", "numpy", "--start", "1=0", "--start", "2=0")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[1] == "about q1 = 0, q2 = 0 (the start)"
    assert shown.stdout.splitlines()[3].split()[:3] == ["1", "3.756082", "0.597799"]
    limited = ("--below", "1", "--hz", "--json")
    found = run("modes", "double-pendulum", "--target", "numpy", "--start", "1=0", *limited)
    answer = json.loads(found.stdout)
    assert [x["kind"] for x in answer["modes"]] == ["stable"]
    assert answer["certificate"][0]["proof"] == "double"
    assert (answer["certificate"][0]["below_lower"], answer["certificate"][0]["below_upper"]) == (
        0,
        1,
    )
    assert (answer["units"], answer["modes"][0]["mass_unit"]) == (
        {"q1": "rad", "q2": "rad"},
        "kg m2",
    )
    assert [len(x) for x in answer["modes"][0]["bodies"].values()] == [6, 6]
    assert answer["modes"][0]["growth"] == 0
    moving = run("modes", "double-pendulum", "--target", "numpy", "--start", "u2=1", "--hz")
    assert "--hz is the unit of --below" in moving.stderr
    moving = run("modes", "double-pendulum", "--target", "numpy", "--start", "u2=1")
    assert "u2 is a speed" in moving.stderr


TWO = """
name = "two"
dimension = 2
gravity = [0, 0]
[parameters]
k = 1
c = 1
m = 1
n = 1
[bodies.a]
mass = "m"
inertia = 0.1
[bodies.b]
mass = "n"
inertia = 0.1
[hinges.g]
kind = "prismatic"
axis = [1, 0]
parent = "ground"
child = "a"
spring = { stiffness = "k" }
[hinges.h]
kind = "prismatic"
axis = [1, 0]
parent = "a"
child = "b"
spring = { stiffness = "c" }
"""


def test_numbers_of_very_different_sizes() -> None:
    """Slow modes are no zero ones, heavy bodies on light ones and stiff springs lose none."""
    pytest.importorskip("flint")
    solver = mstmm.compile(from_text(TWO), target="numpy", parameters=[*"kcmn"])

    def of(*values: float) -> dict[str, float]:
        return dict(zip("kcmn", values, strict=True))

    slow = solver.modes(parameters=of(1e9, 100.0, 1e-3, 2000.0), prove=True)
    np.testing.assert_allclose(slow.squares, [0.049999995, 1.0000001e12], rtol=1e-9)
    falls = of(1e9, -1e-5, 1.0, 1.0)
    np.testing.assert_allclose(solver.modes(parameters=falls).squares, [-1e-5, 1e9], rtol=1e-9)
    assert solver.stability(parameters=falls).unstable == 1
    assert solver.modes(parameters=of(1.0, 1e21, 1.0, 1.0)).squares[1] == pytest.approx(2e21)
    uneven = solver.modes(parameters=of(1.0, 1.0, 1e-13, 1e13))
    assert uneven.squares[1] == pytest.approx(2e13, rel=1e-9)
    with pytest.raises(NumericsError, match="of 2 eigenvalues ω² doubles count 0"):
        solver.modes(parameters=of(1e300, 1e300, 1.0, 1.0))


def test_none_below_a_limit(double: Solver) -> None:
    modes = double.modes([0.0, 0.0], below=1e-3)
    assert modes.bodies.shape == (0, 2, 6)
    assert "0 natural modes" in str(modes)
    for beyond in (1e300, 1e-300):
        with pytest.raises(UsageError, match="above 0"):
            double.modes([0.0, 0.0], below=beyond)


def test_no_film_of_what_is_no_mode(double: Solver) -> None:
    modes = double.modes([0.0, 0.0])
    for mode, said in ((1.5, "mode = 1.5 must"), ("x", "mode = 'x' must"), (3, "no mode 3")):
        with pytest.raises(UsageError, match=said):
            modes.motion(mode)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="amplitude = nan is not finite"):
        modes.motion(1, amplitude=math.nan)
