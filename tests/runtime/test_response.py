"""Harmonic response: against full matrices, closed forms in many digits, and met resonances."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import cell_models
import mpmath as mp
import numpy as np
import pytest
from damped_trees import DampedDense, damped_tree
from places import DATA
from small_motions import arm, pendulum, resting_tree, spring_chain

import mstmm
from mstmm.errors import ModelWarning, UsageError
from mstmm.model import GROUND, Body, Hinge, Model
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.model.files.toml import from_text, to_text


def damped_arm(_: int) -> Model:
    """Bodies on damped hinges of skew axes, under weight."""
    cases = json.loads((DATA / "linear" / "cases_gravity.json").read_text(encoding="utf-8"))
    case = cases["14-spatial-arm-hanging"]
    model = arm(case["model"])
    dampers = tuple(replace(h, force=(-0.3 * hinge_symbol("u", 1),)) for h in model.hinges)
    return replace(model, hinges=dampers, q0=tuple(float(x) for x in case["equilibrium"]))


@pytest.mark.parametrize(("made", "seed"), [(resting_tree, 0), (damped_arm, 0), (damped_tree, 2)])
def test_random_trees_move_as_full_matrices_say(made: Callable[[int], Model], seed: int) -> None:
    """Efforts, loads at points off the mass centres, an unbalance, and a ground that moves.

    Jacobians of points, K, C and M are those of other programs. The last has drag, too, laws whose
    slopes are not even, and loads that follow their bodies; its ground stays.
    """
    model = made(seed)
    solver, d = mstmm.compile(model, target="numpy"), model.dimension
    body, n = model.bodies[-1], len(model.speeds)
    point, axes, turns = f"{body.name}:{body.points[0].name}", "xyz"[:d], "xyz" if d == 3 else "z"
    inputs = [
        *solver.speeds,
        *(f"{point}.force_{x}" for x in axes),
        *(f"{body.name}.moment_{x}" for x in turns),
        f"{body.name}.unbalance",
        *(f"ground.move_{x}" for x in axes if made is not damped_tree),
    ]
    moves = [*(f"move_{x}" for x in axes), *(f"turn_{x}" for x in turns)]
    outputs = [f"{at}.{move}" for at in (point, body.name) for move in moves]
    places = solver.response([1.0], inputs=inputs[:1]).names["output"][:n]
    omegas = np.array([0.0, 0.7, 5.3, 40.0])
    found = solver.response(omegas, inputs=inputs, outputs=[*places, *outputs])

    dense = DampedDense(model, found.q)
    system = dense.system
    rows = [*range(3, 3 + d), *(range(3) if d == 3 else [2])]
    at_point = solver.frame_jacobian(found.q, frames=point)[rows]

    def forces(k: int, row: int) -> np.ndarray:
        """Along speeds, of a unit load at the mass centre of a body: moment, then force."""
        units = np.zeros((len(model.bodies), 6))
        units[k, row] = 1
        return dense.forces(units)

    last = len(model.bodies) - 1
    at_centre = np.array([forces(last, row) for row in rows])
    pose = solver.poses(found.q)[-1, :3, :3]
    first, second = pose[:, :2].T if d == 2 else pose[:, 1:].T
    whirl = at_centre[:d].T @ (first - 1j * second)[:d]
    shaken = [
        sum(model.value(x.mass) * forces(k, 3 + axis) for k, x in enumerate(model.bodies))
        for axis in range(d)
    ]
    J = np.vstack([np.eye(n), at_point, at_centre])
    fixed = [np.eye(n), at_point[:d].T, at_centre[d:].T]
    for omega, got in zip(omegas, found.transfers, strict=True):
        loads = np.column_stack([*fixed, omega**2 * whirl, omega**2 * np.array(shaken).T])
        A = system.K + 1j * omega * system.C - omega**2 * system.M
        known = J @ np.linalg.solve(A, loads)
        for first in (n, n + len(rows)):
            known[first : first + d, -d:] += np.eye(d)  # the ground's own motion
        known = known[:, : len(inputs)]
        assert abs(got - known).max() < 1e-9 * abs(known).max()


MACHINE = """
name = "machine"
dimension = 2
gravity = [0, 0]
[bodies.machine]
mass = 10
inertia = 1
[hinges.base]
kind = "prismatic"
parent = "ground"
child = "machine"
axis = [1, 0]
spring = { stiffness = 1000 }
"""

ABSORBER = """
[bodies.absorber]
mass = 0.5
inertia = 1
[hinges.tuned]
kind = "prismatic"
parent = "machine"
child = "absorber"
axis = [1, 0]
spring = { stiffness = 200 }
"""


def absorber(omega: float, m: float = 10.0, k: float = 1000.0) -> tuple[float, float]:
    """Machine and absorber under a unit force on the machine, by Den Hartog's closed form."""
    a = 200.0 - 0.5 * omega**2
    machine = a / ((k + 200.0 - m * omega**2) * a - 200.0**2)
    # At the absorber's own frequency the machine rests, and the absorber's spring holds the force.
    return machine, 200.0 * machine / a if a else -1 / 200.0


@pytest.mark.parametrize("weight", [True, False])
def test_hinges_carry_what_is_beyond_them(weight: bool) -> None:
    """Of an arm on damped skew hinges: Newton and Euler of all bodies beyond each, but weight."""
    model = damped_arm(0)
    model = model if weight else replace(model, gravity=(0.0, 0.0, 0.0))
    solver, last = mstmm.compile(model, target="numpy"), model.bodies[-1].name
    axes, omegas = "xyz", np.array([0.7, 5.3, 40.0])
    hinges = [
        f"{h.name}.{kind}_{x}" for h in model.hinges for kind in ("force", "moment") for x in axes
    ]
    moves = [
        f"{b.name}.{kind}_{x}" for b in model.bodies for kind in ("move", "turn") for x in axes
    ]
    found = solver.response(omegas, inputs=[f"{last}.force_x"], outputs=[*hinges, *moves])
    n = len(model.bodies)
    wrenches = found.transfers[:, : 6 * n, 0].reshape(-1, n, 6)
    moved = found.transfers[:, 6 * n :, 0].reshape(-1, n, 6)
    poses, push = solver.poses(found.q), np.array([1.0, 0.0, 0.0])
    for omega, got, u in zip(omegas, wrenches, moved, strict=True):
        for k, hinge in enumerate(model.hinges):
            at, force, moment = hinge_point(model, poses, hinge), -push, 0
            for j in range(k, n):
                body, A = model.bodies[j], poses[j, :3, :3]
                centre = poses[j, :3, 3] + A @ np.array(body.centre, dtype=float)
                inertia = A @ np.array(body.inertia, dtype=float) @ A.T
                rate = -(omega**2) * model.value(body.mass) * u[j, :3]
                force = force + rate
                moment = moment + np.cross(centre - at, rate) - omega**2 * inertia @ u[j, 3:]
            moment = moment - np.cross(centre - at, push)
            np.testing.assert_allclose(got[k, :3], force, rtol=1e-9, atol=1e-10)
            if not weight:  # which turns with the bodies that bear it
                np.testing.assert_allclose(got[k, 3:], moment, rtol=1e-9, atol=1e-10)


def hinge_point(model: Model, poses: np.ndarray, hinge: Hinge) -> np.ndarray:
    child = hinge.ends[1]
    k = [body.name for body in model.bodies].index(child.body)
    local = np.array(model.bodies[k].point(child.point).position, dtype=float)
    found: np.ndarray = poses[k, :3, :3] @ local + poses[k, :3, 3]
    return found


@pytest.mark.parametrize("algorithm", ["linear", "damped"])
def test_beams_carry_their_loads_to_their_feet(algorithm: str) -> None:
    """Of a cantilever by its closed form at the wall; of a portal, one foot of which is held."""
    text = cell_models.cantilever(cell_models.SLENDER)
    solver = mstmm.compile(from_text(text), algorithm=algorithm, target="numpy")
    omegas = np.array([3.0, 30.0, 200.0])
    given = {"inputs": ["arm:tip.force_y"], "outputs": ["wall.force_y", "wall.moment_z"]}
    found = solver.response(omegas, **given).transfers[:, :, 0]
    b = np.sqrt(omegas)
    det = 1 + np.cos(b) * np.cosh(b)
    known = [-(np.cos(b) + np.cosh(b)) / det, -(np.sin(b) + np.sinh(b)) / b / det]
    np.testing.assert_allclose(found, np.transpose(known), rtol=1e-9)
    portal = mstmm.compile("portal-frame", algorithm=algorithm, target="numpy")
    ground = [h for h in portal.model.hinges if GROUND in (h.ends[0].body, h.ends[1].body)]
    beam = portal.model.bodies[0]
    feet = [f"{h.name}.{x}" for h in ground for x in ("force_x", "force_y", "moment_z")]
    push = [f"{beam.name}:{beam.points[-1].name}.force_{x}" for x in "xy"]
    moved = portal.response([1e-3], inputs=push, outputs=feet).transfers[0].reshape(2, 3, 2)
    signs = [1.0 if h.ends[0].body == GROUND else -1.0 for h in ground]
    np.testing.assert_allclose(np.einsum("h,hij->ij", signs, moved[:, :2]), -np.eye(2), atol=1e-6)


@pytest.mark.parametrize("loss", [0.0, 0.02])
def test_the_ground_shakes_beams(loss: float) -> None:
    """A cantilever on a ground that moves across it, (cos b + cosh b)/(1 + cos b cosh b)."""
    more = f"loss = {loss}\n" if loss else ""
    text = cell_models.cantilever(cell_models.SLENDER).replace("ness = 1\n", f"ness = 1\n{more}")
    solver = mstmm.compile(
        from_text(text), algorithm="damped" if loss else "linear", target="numpy"
    )
    omegas = np.array([1e-3, 2.0, 20.0, 200.0])
    outputs = ["arm:tip.move_y", "wall.force_y"]
    found = solver.response(omegas, inputs=["ground.move_y"], outputs=outputs).transfers[:, :, 0]
    soft = 1 + 1j * loss
    b = np.sqrt(omegas / np.sqrt(soft))
    det = 1 + np.cos(b) * np.cosh(b)
    force = soft * b**3 * (np.sin(b) * np.cosh(b) + np.cos(b) * np.sinh(b)) / det
    known = [(np.cos(b) + np.cosh(b)) / det, -force]
    np.testing.assert_allclose(found, np.transpose(known), rtol=1e-9)


@pytest.mark.parametrize("made", ["portal-frame", "spatial-frame"])
def test_a_ground_that_moves_slowly_carries_all_masses(made: str) -> None:
    """Beams along other axes, in space, bodies beside them, and a foot that is held."""
    solver = mstmm.compile(made, algorithm="linear", target="numpy")
    model, axes = solver.model, "xyz"[: solver.model.dimension]
    ground = [h for h in model.hinges if GROUND in (h.ends[0].body, h.ends[1].body)]
    outputs = [f"{h.name}.force_{x}" for h in ground for x in axes]
    omega, d = 1e-4, len(axes)
    found = solver.response([omega], inputs=[f"ground.move_{x}" for x in axes], outputs=outputs)
    signs = [1.0 if h.ends[0].body == GROUND else -1.0 for h in ground]
    total = np.einsum("h,hij->ij", signs, found.transfers[0].reshape(-1, d, d))
    mass = sum(model.value(x.density) * model.value(x.length) for x in model.beams)
    mass += sum(model.value(x.mass) for x in model.bodies if isinstance(x, Body))
    np.testing.assert_allclose(total, -(omega**2) * mass * np.eye(d), atol=1e-6 * omega**2)


def test_a_hanging_beam_shakes_alike_in_any_cells() -> None:
    """Tension changes along it: few cells and sixteen times as many say the same."""
    text = cell_models.cantilever(cell_models.SLENDER).replace(
        "gravity = [0, 0]", "gravity = [3, 0]"
    )
    solver = mstmm.compile(from_text(text), algorithm="linear", target="numpy")
    given = {"inputs": ["ground.move_y"], "outputs": ["arm:tip.move_y", "arm:tip.turn_z"]}
    few, many = (solver.response([2.5, x], **given).transfers[0] for x in (3.0, 1e5))
    np.testing.assert_allclose(few, many, rtol=1e-8)
    still = cell_models.cantilever(cell_models.SLENDER)
    loose = mstmm.compile(from_text(still), algorithm="linear", target="numpy")
    assert abs(loose.response([2.5], **given).transfers[0] / few - 1).max() > 0.1


def test_a_tuned_absorber_stills_the_machine() -> None:
    """At 20 rad/s exactly, where a part of the model resonates but the model does not."""
    solver = mstmm.compile(from_text(MACHINE + ABSORBER), target="numpy")
    omegas = np.array([0.0, 5.0, 20.0, 20.0 * (1 + 1e-13), 33.0])
    found = solver.response(omegas, inputs=["base"], outputs=["machine.move_x", "absorber.move_x"])
    known = np.array([absorber(x) for x in [0.0, 5.0, 20.0, 20.0, 33.0]])
    np.testing.assert_allclose(found.transfers[:, :, 0], known, rtol=1e-9, atol=1e-12)
    assert not len(found.met)


def test_the_ground_shakes_what_stands_on_it() -> None:
    """A mass on a spring: 1/(1 − r²) of the ground's motion, r = ω/ω₀; and m e ω² shakes it."""
    solver = mstmm.compile(from_text(MACHINE), target="numpy")
    omegas = np.array([0.0, 3.0, 30.0])
    found = solver.response(
        omegas,
        inputs={"ground.move_x": 0.1, "ground.move_y": 1, "machine.unbalance": 2},
        outputs=["machine.move_x", "qbase"],
    )
    ratio = omegas**2 / 100
    np.testing.assert_allclose(found.transfer("ground.move_x", "machine.move_x"), 1 / (1 - ratio))
    np.testing.assert_allclose(found.transfer("ground.move_x", "qbase"), ratio / (1 - ratio))
    np.testing.assert_allclose(
        found.transfer("machine.unbalance", "qbase"), ratio / 10 / (1 - ratio)
    )
    np.testing.assert_allclose(found.total[:, 1], (0.1 + 0.2) * ratio / (1 - ratio), atol=1e-16)
    rate = found.transfer("ground.move_x", "qbase", "mobility")
    np.testing.assert_allclose(rate, 1j * omegas * ratio / (1 - ratio))


def test_a_cantilever_bends_as_its_closed_form_says() -> None:
    """Under a force at its tip, cosh and all in 50 digits; EI = ρA = L = 1."""
    solver = mstmm.compile(
        from_text(cell_models.cantilever(cell_models.SLENDER)), algorithm="linear", target="numpy"
    )
    omegas = np.array([0.5, 3.0, 30.0, 200.0, 1500.0])
    found = solver.response(
        omegas,
        inputs=["arm:tip.force_y"],
        outputs=["arm:tip.move_y", "arm:tip.turn_z", "arm:root.move_y"],
    )
    with mp.workdps(50):
        for omega, told in zip(omegas, found.transfers[:, :, 0], strict=True):
            b = mp.sqrt(mp.mpf(omega))
            det = b**3 * (1 + mp.cos(b) * mp.cosh(b))
            move = (mp.cosh(b) * mp.sin(b) - mp.sinh(b) * mp.cos(b)) / det
            turn = b * mp.sin(b) * mp.sinh(b) / det
            known = [float(move), float(turn), 0.0]
            np.testing.assert_allclose(told, known, rtol=1e-11, atol=0)
    turned = solver.response(omegas, inputs=["arm:tip.moment_z"], outputs=["arm:tip.move_y"])
    np.testing.assert_allclose(
        turned.transfers[:, 0, 0], found.transfers[:, 1, 0], rtol=1e-11
    )  # Maxwell's reciprocity


def test_points_of_beams_are_where_they_are_said_to_be() -> None:
    """Of a frame whose beams run from the tip to the root, and of points between."""
    frames = [cell_models.spatial_frame(back) for back in (False, True)]
    frames = [
        x.replace(
            "[beams.beam1.points.tip]",
            "[beams.beam1.points.mid]\nx = 0.3\n[beams.beam1.points.tip]",
        )
        for x in frames
    ]
    ends = [("root", "tip"), ("tip", "root")]
    found = []
    for text, (root, tip) in zip(frames, ends, strict=True):
        solver = mstmm.compile(from_text(text), algorithm="linear", target="numpy")
        at = [f"beam0:{root}", f"beam0:{tip}", f"beam1:{root}", f"beam2:{tip}", "head"]
        outputs = [f"{x}.{move}" for x in at for move in ("move_x", "move_y", "turn_z")]
        got = solver.response([0.0, 0.4, 5.0], inputs=["head.force_y"], outputs=outputs)
        found.append(got.transfers[:, :, 0])
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-12)
    assert (found[0][:, :3] == 0).all()  # clamped
    np.testing.assert_allclose(found[0][:, 3:6], found[0][:, 6:9], rtol=1e-12)  # welded
    np.testing.assert_allclose(found[0][:, 9:12], found[0][:, 12:], rtol=1e-12)


@pytest.mark.parametrize("damped", [False, True])
def test_a_steady_motion_that_is_never_reached_is_told(damped: bool) -> None:
    """Of two rods none, the last or both stand upside down; dampers let them fall as well."""
    model = pendulum(2, 0.5, 0.2, 9.81)
    law = (-0.3 * hinge_symbol("u", 1),) if damped else ()
    solver = mstmm.compile(
        replace(model, hinges=tuple(replace(x, force=law) for x in model.hinges)), target="numpy"
    )
    for q, grow, said in ((0, 0, ""), (1, 1, "1 small deviation grows"), (2, 2, "2 small")):
        place = [np.pi * (q == 2), np.pi * (q == 1)]
        s = np.linalg.eigvals(solver.linearize(place, [0.0, 0.0])[0])
        assert (s.real > 1e-6).sum() == grow
        if grow:
            with pytest.warns(ModelWarning, match=f"the place is unstable: {said}"):
                found = solver.response([1.0], place, inputs=["pin0"])
        else:
            found = solver.response([1.0], place, inputs=["pin0"])
        assert found.growing == grow
        assert said in str(found)
        assert ("unstable" in str(found)) == bool(grow)


def test_a_resonance_that_is_met_is_infinite_where_it_is_excited() -> None:
    solver = mstmm.compile(pendulum(2, 0.5, 0.2, 9.81), target="numpy")
    omega = solver.modes([0.0, 0.0]).frequencies
    with pytest.warns(ModelWarning, match="infinite at ω = 3.79025358 rad/s, where a resonance"):
        found = solver.response([1.0, omega[0]], [0.0, 0.0], inputs=["pin0"])
    assert np.isfinite(found.transfers[0]).all()
    swings = [name for name in found.names["output"] if not name.endswith("move_y")]
    for name, value in zip(found.names["output"], found.transfers[1, :, 0], strict=True):
        assert value == (np.inf if name in swings else 0), name
    assert "inf" in str(found)
    assert found.met.tolist() == [omega[0]]
    # Near it, as far as numbers tell.
    near = solver.response(omega[0] * (1 + np.array([1e-9, 2e-9])), [0.0, 0.0], inputs=["pin0"])
    assert near.transfers[0, 0, 0] / near.transfers[1, 0, 0] == pytest.approx(2, rel=1e-5)


def test_a_resonance_that_is_met_but_not_excited_adds_nothing() -> None:
    """Two masses between walls that shake move alike, 1 + 3/(1 − 3) at the other mode's √3."""
    wall = "[ground.points.wall]\nposition = [2, 0]\n[forces.last]\nstiffness = 1\nrest = 1\n"
    wall += 'between = ["mass1:a", "ground:wall"]\n'
    solver = mstmm.compile(from_text(to_text(spring_chain(2)) + wall), target="numpy")
    omega = solver.modes([0.0, 0.0]).frequencies[1]
    given = {"q": [0.0, 0.0], "outputs": ["mass0.move_x", "mass1.move_x"]}
    found = solver.response([omega], inputs=["ground.move_x"], **given)
    np.testing.assert_allclose(found.transfers.ravel(), -0.5, rtol=1e-8)
    with pytest.warns(ModelWarning, match="infinite"):
        assert np.isinf(solver.response([omega], inputs=["spring0"], **given).transfers).all()


def test_what_flies_free_has_no_static_response() -> None:
    """But what bends it: two masses on a spring, pushed apart."""
    text = (MACHINE + ABSORBER).replace("spring = { stiffness = 1000 }\n", "")
    solver = mstmm.compile(from_text(text), target="numpy")
    with pytest.warns(ModelWarning, match="at ω = 0 rad/s"):
        found = solver.response([0.0, 1.0], inputs=["base", "tuned"])
    np.testing.assert_array_equal(np.isinf(found.transfer("base", "qbase")), [True, False])
    assert found.transfer("tuned", "qtuned")[0] == pytest.approx(1 / 200, rel=1e-6)
    # A free one under loads in balance does not fly away.
    chain = mstmm.compile(spring_chain(2), target="numpy")
    told = chain.response([0.0], [0.0, 0.0], inputs=["spring0"], outputs=["qspring0"])
    assert told.transfers[0, 0, 0] == pytest.approx(1.0, rel=1e-12)


def test_inputs_of_the_model_act_by_their_laws() -> None:
    """A cart's force and its pole, hanging: M and K by hand."""
    solver = mstmm.compile("cart-pole", target="numpy")
    p, omega = solver.model.parameters, 2.0
    found = solver.response([omega], [0.3, np.pi], outputs=["qcart", "qpole"])
    assert found.names["input"] == ("u",)
    by_effort = solver.response([omega], [0.3, np.pi], inputs=["cart"], outputs=["qcart", "qpole"])
    np.testing.assert_allclose(found.transfers, by_effort.transfers, rtol=1e-14)
    system = solver.state_space([0.3, np.pi], outputs=["qcart", "qpole"])
    A, B, C, D = system
    known = C @ np.linalg.solve(1j * omega * np.eye(4) - A, B) + D
    np.testing.assert_allclose(found.transfers[0], known, rtol=1e-10, atol=1e-14)
    assert p["M"] > 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"frequencies": [-1.0]}, "0 rad/s or above"),
        ({"inputs": ["qcart"]}, r"no input 'qcart' .*loads BODY\.force_x, .*ground\.move_x"),
        ({"inputs": ["pole.force_z"]}, "no input 'pole.force_z'"),
        ({"inputs": ["pole:nowhere.force_x"]}, "name a point of pole: "),
        ({"inputs": {"u": "much"}}, "the amplitude of u is one number, or one for each frequency"),
        ({"outputs": ["qpol"]}, r"there is no output 'qpol' \(did you mean qpole\?\)"),
        ({"q": [0.0, 1.0]}, "is not at rest there"),
    ],
)
def test_what_is_not_known_is_told(given: dict[str, object], said: str) -> None:
    solver = mstmm.compile("cart-pole", target="numpy")
    with pytest.raises(UsageError, match=said):
        solver.response(**{"frequencies": [1.0], "q": [0.0, np.pi], **given})


def test_a_damper_holds_a_resonance() -> None:
    """1/(k − m ω² + i ω c), at resonance too."""
    text = MACHINE + "damper = { damping = 2 }\n"
    omegas = np.array([0.0, 9.0, 10.0, 11.0])
    found = mstmm.compile(from_text(text), target="numpy").response(omegas, inputs=["base"])
    known = 1 / (1000 - 10 * omegas**2 + 2j * omegas)
    np.testing.assert_allclose(found.transfer("base", "qbase"), known, rtol=1e-12)
    at, swing = found.peaks("qbase")
    assert (at.tolist(), swing[0]) == ([10.0], pytest.approx(1 / 20))
    assert found.phase[2, 0] == pytest.approx(-np.pi / 2)


ROTOR = """
name = "rotor"
dimension = 3
gravity = [0, 0, 0]
[parameters]
W = 0.0
[bodies.disc]
mass = 2.0
inertia = [0.3, 0.2, 0.2, 0, 0, 0]
centre = [0.1, 0, 0]
spin = "W"
[bodies.disc.points.bearing]
[hinges.bearing]
kind = "elastic"
parent = "ground"
child = "disc:bearing"
spring = { stiffness = [1e5, 2000, 2000, 1e5, 50, 50] }
"""


def test_an_unbalance_whirls_the_rotor_that_it_spins_with() -> None:
    """Of a disc that overhangs a bearing, in whirl coordinates, with its gyroscopic moment."""
    solver = mstmm.compile(from_text(ROTOR), algorithm="damped", target="numpy", parameters=["W"])
    omegas = np.array([5.0, 20.0, 45.0])
    given = {"inputs": ["disc.unbalance"], "outputs": ["disc.move_y", "disc.move_z"]}
    found = solver.response(omegas, parameters={"W": omegas}, **given).transfers[:, :, 0]
    for omega, told in zip(omegas, found, strict=True):
        m, arm, turns = 2.0, 0.1, omega**2 * (0.2 - 0.3)  # forward: I_d ω² − I_p W ω
        A = np.array([[2000.0, 0.0], [0.0, 50.0 - turns]]) - omega**2 * m * np.outer(
            [1, arm], [1, arm]
        )
        whirl = np.array([1, arm]) @ np.linalg.solve(A, omega**2 * np.array([1, arm]))
        np.testing.assert_allclose(told, [whirl, -1j * whirl], rtol=1e-10)
    with pytest.raises(UsageError, match=r"disc spins at W: let a parameter be its spin"):
        solver.response(omegas, parameters={"W": 5.0}, **given)


def test_a_loss_factor_turns_phases() -> None:
    """Of a beam with a head on a spring, by finite elements of high degree in 30 digits."""
    case = json.loads((DATA / "linear" / "damped.json").read_text())["17-frequency-response"]
    stiffness = "bending_stiffness = 1\n"
    text = cell_models.sprung_head().replace(stiffness, f"{stiffness}loss = 0.02\n")
    solver = mstmm.compile(from_text(text), algorithm="damped", target="numpy")
    outputs = ["head:neck.move_y", "arm:tip.move_y"]
    found = solver.response(case["omega"], inputs=["head:neck.force_y"], outputs=outputs)
    known = np.array([float(a) + 1j * float(b) for a, b in case["receptance"]])
    for told in found.transfers[:, :, 0].T:
        assert abs(told / known - 1).max() < 1e-11


def test_a_beam_that_creeps_bends_by_its_closed_form() -> None:
    """E (1 + iω 10⁻³): the closed form of a cantilever at a complex wave number."""
    stiffness = "bending_stiffness = 1\n"
    text = cell_models.cantilever(cell_models.SLENDER)
    text = text.replace(stiffness, f"{stiffness}damping = 1e-3\n")
    solver = mstmm.compile(from_text(text), algorithm="damped", target="numpy")
    omegas = np.array([0.5, 3.5, 22.0, 150.0])
    found = solver.response(omegas, inputs=["arm:tip.force_y"], outputs=["arm:tip.move_y"])
    with mp.workdps(50):
        for omega, told in zip(omegas, found.transfers[:, 0, 0], strict=True):
            softer = 1 + mp.mpc(0, omega) / 1000
            b = mp.sqrt(mp.sqrt(mp.mpf(omega) ** 2 / softer))
            move = (mp.cosh(b) * mp.sin(b) - mp.sinh(b) * mp.cos(b)) / softer
            known = complex(move / (b**3 * (1 + mp.cos(b) * mp.cosh(b))))
            assert told == pytest.approx(known, rel=1e-11)
