"""Bodies without mass: what moves with them resists, or the model is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import random_models
from closeness import close
from compiler import TARGET
from counting import python_calls
from independent.joints import joint_motion
from loop_checks import compare, results
from scenarios import NO_INERTIA

import mstmm
from mstmm.errors import ModelError, ModelWarning, UsageError
from mstmm.model import GROUND, Body, End, Force, Hinge, Mimic, Model, Point
from mstmm.model.checks.unresisted import UnresistedError
from mstmm.model.expressions.quantities import TIME, parameter
from mstmm.model.files.toml import from_text
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

CASES = Path(__file__).parents[1] / "data" / "cases"
KINDS = [(d, kind) for d in (2, 3) for kind in HINGE_KINDS[d]]


def mobility(model: Model) -> np.ndarray:
    """The inverse of the judge's mass matrix: what unit forces add to the accelerations."""
    a0 = joint_motion(model, model.q0, model.v0).accelerations
    units = np.eye(len(model.speeds))
    found = [joint_motion(model, model.q0, model.v0, list(e)).accelerations - a0 for e in units]
    return np.array(found, dtype=float)


@pytest.mark.parametrize("dimension", [2, 3])
def test_what_is_refused_has_a_singular_mass_matrix(dimension: int) -> None:
    """Forces move it without bound as the masses fade away, says the judge; else they do not."""
    kinds = ["prismatic", "slot" if dimension == 2 else "universal"]
    seen = {True: 0, False: 0}
    for seed in range(20):
        rng = Random(seed)
        tree = random_models.joint_tree(rng, dimension, kinds, 4)
        light = [b.name for b in tree.bodies if rng.random() < 0.5]
        faded = replace(tree, bodies=tuple(_scaled(b, 1e-9, light) for b in tree.bodies))
        moved = np.abs(mobility(faded)).max()
        try:
            replace(tree, bodies=tuple(_scaled(b, 0, light) for b in tree.bodies))
        except ModelError:
            assert moved > 1e6
            seen[False] += 1
        else:
            assert moved < 1e6
            seen[True] += 1
    assert min(seen.values()) >= 3


def _scaled(body: Body, factor: float, names: list[str]) -> Body:
    if body.name not in names:
        return body
    tensor = body.inertia
    if isinstance(tensor, tuple):
        tensor = tuple(tuple(factor * x for x in row) for row in tensor)
    else:
        tensor = factor * tensor
    return replace(body, mass=factor * body.mass, inertia=tensor)


def chain(kinds: Sequence[str], heavy: Sequence[bool], dimension: int = 3) -> Model:
    """Bodies in a row, hinges half a metre apart and askew; some have mass."""
    s = (3 / 5, 4 / 5)
    askew = ((1, 0, 0), (0, s[1], -s[0]), (0, s[0], s[1])) if dimension == 3 else 0.3
    far = (0.5, 0.2, 0.1)[:dimension]
    points = (Point("a", (0,) * dimension), Point("b", far, askew))
    solid = 0.1 if dimension == 2 else ((0.1, 0, 0), (0, 0.12, 0), (0, 0, 0.15))
    bodies, hinges = [], []
    for k, (kind, mass) in enumerate(zip(kinds, heavy, strict=True), start=1):
        inertia = solid if mass else NO_INERTIA[dimension]
        bodies.append(Body(str(k), 1 if mass else 0, inertia, far, points))
        below = End(GROUND, "O") if k == 1 else End(str(k - 1), "b")
        sizes = random_models.sized(dimension, kind, 0.3)
        hinges.append(Hinge(str(k), kind, (below, End(str(k), "a")), **sizes))
    gravity = (0, -9.81, 0)[:dimension]
    return Model("chain", dimension, tuple(bodies), tuple(hinges), gravity, absolute=False)


@pytest.mark.parametrize(("dimension", "kind"), KINDS)
def test_a_light_body_on_every_kind(dimension: int, kind: str) -> None:
    """One solid body behind it resists whatever its hinge allows, through a fixed hinge."""
    model = chain((kind, "fixed"), (False, True), dimension)
    found = results(model, "accelerations", q=model.q0, v=[0.3] * len(model.speeds))["a"]
    expected = joint_motion(model, model.q0, [0.3] * len(model.speeds)).accelerations
    compare(found, expected, 1e-11)
    if HINGE_KINDS[dimension][kind].speeds:
        with pytest.raises(ModelError, match=r"body 2 · mass: neither .* its hinge 2 allows"):
            chain(("fixed", kind), (True, False), dimension)


ACCEPTED = {
    "three hinges in a row": (("revolute", "revolute", "revolute"), (False, False, True)),
    "ball": (("universal", "revolute"), (False, True)),
    "carried by a frame": (("fixed", "revolute"), (False, True)),
    "a frame at the tip": (("revolute", "fixed"), (True, False)),
}
REFUSED = {
    "the tip": (("revolute", "revolute"), (True, False), "2"),
    "four sliders in one plane": (("prismatic",) * 4, (False, False, False, True), "2"),
    "free on free": (("free", "free"), (False, True), "1"),
    "ball on ball": (("ball", "ball", "revolute"), (True, False, False), "3"),
    "one behind a ball too many": (("free", "revolute"), (False, True), "1"),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_something_resists(case: str) -> None:
    model = chain(*ACCEPTED[case])
    rng = Random(case)
    q, v = random_models.random_joint_state(rng, model)
    found = results(model, "accelerations", q=q, v=v)["a"]
    expected = joint_motion(model, q, v).accelerations
    compare(found, expected, 1e-9)


@pytest.mark.parametrize("case", REFUSED)
def test_nothing_resists(case: str) -> None:
    kinds, heavy, body = REFUSED[case]
    with pytest.raises(ModelError, match=f"body {body} · mass: neither it nor") as caught:
        chain(kinds, heavy)
    assert "merge the bodies" in str(caught.value)


def test_a_free_hinge_behind_a_light_link_leaves_it_no_resistance() -> None:
    """In doubles the rounding of the body beyond is left of it: 1e-16 of its mass, or 0."""
    kinds, heavy = ("revolute", "revolute", "free"), (True, False, True)
    with pytest.raises(
        ModelError, match=r"body 2 · mass: .*: 1, of the hinges 2, 3 \(u2 = "
    ) as caught:
        chain(kinds, heavy)
    assert isinstance(caught.value, UnresistedError)
    assert caught.value.held == ("2",)


def test_all_hinges_are_named_at_once_and_the_held_ones_suffice() -> None:
    """Of twelve slack hinges in two hands."""
    solid = chain(("revolute",), (True,))
    light = replace(solid.bodies[0], mass=0, inertia=NO_INERTIA[3])
    points = (*light.points, Point("c", (0, 0.1, 0)))
    bodies, hinges = [replace(solid.bodies[0], points=points)], [solid.hinges[0]]
    for hand in "bc":
        end = End("1", hand)
        for k in range(6):
            name = f"{hand}{k}"
            bodies.append(replace(light, name=name))
            hinges.append(Hinge(name, "revolute", (end, End(name, "a"))))
            end = End(name, "b")
    fingers = tuple(hinge.name for hinge in hinges[1:])
    with pytest.raises(UnresistedError) as caught:
        replace(solid, bodies=tuple(bodies), hinges=tuple(hinges), q0=(), v0=())
    assert set(caught.value.held) == set(fingers)
    assert all(finger in str(caught.value).split("of the hinges")[1] for finger in fingers)
    fixed = tuple(replace(h, kind="fixed") if h.name in fingers else h for h in hinges)
    replace(solid, bodies=tuple(bodies), hinges=fixed, q0=(), v0=())


def test_a_light_link_that_only_its_coupling_moves_wants_the_rotor_of_its_gear() -> None:
    """The mass matrix of the coupled speeds is definite, the tree's is not; with a rotor both.

    Where the hinges share a coordinate, no rotor is wanted.
    """
    base = chain(("revolute", "revolute"), (True, True))
    light = replace(base.bodies[1], mass=0, inertia=NO_INERTIA[3])
    geared = replace(base.hinges[1], mimic=Mimic("1", 2, 0, own=True))
    given = {"bodies": (base.bodies[0], light), "q0": (), "v0": ()}
    with pytest.raises(UnresistedError, match=r"their couplings do, .* the rotors of their gears"):
        replace(base, hinges=(base.hinges[0], geared), **given)
    model = replace(base, hinges=(base.hinges[0], replace(geared, rotor=(0.01,))), **given)
    solver = mstmm.compile(model, target="numpy")
    alone = mstmm.compile(chain(("revolute",), (True,)), target="numpy")
    M = 1 / (alone.accelerations([0.2], [0.0], [1.0]) - alone.accelerations([0.2], [0.0]))
    a = solver.accelerations([0.2, 0.4], [0.0, 0.0], [1.0, 0.0])
    a = a - solver.accelerations([0.2, 0.4], [0.0, 0.0])
    close(a, np.array([1, 2]) / (M + 4 * 0.01))
    shared = replace(geared, mimic=Mimic("1", 2, 0))
    bare = mstmm.compile(replace(base, hinges=(base.hinges[0], shared), **given), target="numpy")
    close(bare.accelerations([0.2], [0.0], [1.0]), alone.accelerations([0.2], [0.0], [1.0]))


def test_the_motion_is_that_which_the_mass_matrix_loses() -> None:
    """Two sliders along one line, a light link between: they move against each other."""
    base = chain(("prismatic", "prismatic", "revolute"), (False, True, True))
    straight = tuple(
        replace(b, points=(b.points[0], replace(b.points[1], axes=None))) for b in base.bodies
    )
    with pytest.raises(UnresistedError, match=r"hinges 1, 2 \(u1 = 1, u2 = -1\)"):
        replace(base, bodies=straight)


def test_an_inertia_of_no_body_is_taken_where_the_mass_matrix_is_definite() -> None:
    """A negative moment of the first body is outweighed by the second's; alone it is not."""
    base = chain(("revolute", "revolute"), (True, True))
    less = replace(base.bodies[0], inertia=((0.1, 0, 0), (0, 0.1, 0), (0, 0, -0.2)))
    with pytest.warns(ModelWarning, match="body 1 · inertia: no rigid body .* negative"):
        model = replace(base, bodies=(less, base.bodies[1]))
    q, v = [0.3, -0.7], [1.0, 2.0]
    expected = joint_motion(model, q, v).accelerations
    compare(mstmm.compile(model, target="numpy").accelerations(q, v), expected, 1e-11)
    worse = replace(less, inertia=((0.1, 0, 0), (0, 0.1, 0), (0, 0, -9)))
    with (
        pytest.warns(ModelWarning),
        pytest.raises(UnresistedError, match="body 1 · mass: neither"),
    ):
        replace(base, bodies=(worse, base.bodies[1]))


def test_long_chains_are_decided_link_by_link() -> None:
    """Numbers do not grow along a chain, whether links are light or one is less than nothing."""

    def work(n: int) -> int:
        light = chain(("revolute",) * n, tuple(k % 2 == 1 for k in range(n)))
        solid = chain(("revolute",) * n, (True,) * n)
        less = replace(solid.bodies[3], inertia=((0.1, 0, 0), (0, 0.1, 0), (0, 0, -0.2)))
        bodies = (*solid.bodies[:3], less, *solid.bodies[4:])
        with pytest.warns(ModelWarning):
            return python_calls(
                lambda: (replace(light, name="again"), replace(solid, bodies=bodies))
            )

    first, second = np.diff([work(n) for n in (24, 48, 96)])
    assert second < 2.3 * first


def test_mass_where_the_motion_does_not_reach_resists_nothing() -> None:
    """A point mass on the hinge's own axis; a massless body with a flywheel's inertia does."""
    base = chain(("revolute",), (True,))
    point = replace(base.bodies[0], inertia=NO_INERTIA[3], centre=(0, 0, 0.7))
    with pytest.raises(ModelError, match="body 1 · mass: neither"):
        replace(base, bodies=(point,))
    wheel = replace(point, mass=0, inertia=((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    solver = mstmm.compile(replace(base, bodies=(wheel,)), target="numpy")
    close(solver.accelerations([0.2], [1.0], [3.0]), [3.0])


def test_a_point_mass_on_a_slot_depends_on_which_body_holds_the_slot() -> None:
    """It turns about itself unresisted in the ground's slot; with a slot of its own it swings."""
    point = Body("1", 1.0, 0, (0, 0), (Point("a", (0, 0)),))
    ends = (End("1", "a"), End(GROUND, "O"))
    given = ("slot", 2, (point,), (Hinge("1", "slot", ends),), (0, -9.81))
    own = Model(*given, absolute=False)
    q, v = [0.7, 0.3], [0.2, -0.5]
    found = results(own, "accelerations", q=q, v=v)["a"]
    compare(found, joint_motion(own, q, v).accelerations, 1e-12)
    with pytest.raises(ModelError, match="body 1 · mass: neither"):
        replace(own, hinges=(Hinge("1", "slot", ends[::-1]),))


def test_a_rotor_resists_and_a_drive_needs_nothing() -> None:
    for changes in ({"rotor": (0.5,)}, {"motion": (TIME**2,)}):
        base = chain(("revolute", "revolute"), (True, True))
        light = replace(base.bodies[1], mass=0, inertia=NO_INERTIA[3])
        hinge = replace(base.hinges[1], **changes)
        bodies, hinges = (base.bodies[0], light), (base.hinges[0], hinge)
        model = replace(base, bodies=bodies, hinges=hinges, q0=(), v0=())
        solver = mstmm.compile(model, target="numpy")
        if hinge.motion:
            close(solver.driving_forces([0.1], [2.0], t=0.3), [0.0])
        else:
            close(solver.accelerations([0.1, 0.2], [2.0, 1.0], [0.0, 3.0])[1], 6.0)


def test_mass_may_vanish_at_run_time() -> None:
    m = parameter("m")
    base = chain(("revolute", "revolute"), (True, True))
    tensor = tuple(tuple(m * x for x in row) for row in base.bodies[0].inertia)
    first = replace(base.bodies[0], mass=m, inertia=tensor)
    tip = replace(base.bodies[1], mass=m, inertia=tensor)
    model = replace(base, bodies=(first, base.bodies[1]), parameters={"m": 1.0})
    solver = mstmm.compile(model, target="numpy", parameters=("m",))
    light = mstmm.compile(chain(("revolute", "revolute"), (False, True)), target="numpy")
    q, v = [0.3, -0.7], [1.0, 2.0]
    compare(solver.accelerations(q, v, parameters={"m": 0.0}), light.accelerations(q, v), 1e-11)
    model = replace(base, bodies=(base.bodies[0], tip), parameters={"m": 1.0})
    solver = mstmm.compile(model, target="numpy", parameters=("m",))
    with pytest.raises(UsageError, match="m = 0: body 2 · mass: neither"):
        solver.accelerations(q, v, parameters={"m": 0.0})


def test_energy_is_kept_with_a_coupling_and_a_light_link() -> None:
    model = chain(("revolute", "revolute", "revolute"), (False, True, True))
    hinges = (*model.hinges[:2], replace(model.hinges[2], mimic=Mimic("1", -0.5, 0.1)))
    model = replace(model, hinges=hinges, q0=(0.2, 0.1, 0.0))
    run = mstmm.compile(model, target=TARGET).simulate(t_end=0.5, dt=5e-4, record=0.01)
    assert run.energy_drift < 1e-6


def test_absolute_coordinates_need_mass() -> None:
    rods = mstmm.load("rod-chain", n=1)
    with pytest.raises(ModelError, match="mass: must be positive, is 0 kg"):
        replace(rods, bodies=(replace(rods.bodies[0], mass=0),))
    point = replace(rods.bodies[0], inertia=0)
    replace(rods, bodies=(point,))
    with pytest.raises(UnresistedError, match="body 1 · mass: neither"):
        replace(rods, bodies=(replace(point, centre=point.point("O").position),))


# Loops that hold a link without mass


def rocker(mass: float) -> Model:
    """The four-bar linkage with a light rocker, or one without mass, at its start."""
    plain = mstmm.load("four-bar")
    crank, coupler, last = plain.bodies
    light = replace(last, mass=mass, inertia=mass * 0.01)
    c, k, r = np.cumsum(plain.q0)
    bodies = (crank, coupler, light)
    if mass:
        return replace(plain, bodies=bodies)
    model = replace(plain, bodies=bodies, cuts=(), q0=(), v0=())
    return replace(model, q0=(k - c, r - k, r))


def test_a_loop_is_cut_where_mass_hangs_on_every_link() -> None:
    """What is left of the automatic choice is the motion of a rocker of next to no mass."""
    none, light = rocker(0), rocker(1e-9)
    assert none.cuts != light.cuts
    given = mstmm.compile(none, target="numpy")
    close(given.constraints(none.q0, (0, 0, 0))[0], [0, 0])
    a = np.cumsum(mstmm.compile(light, target="numpy").accelerations(light.q0, (0, 0, 0)))
    found = given.accelerations(none.q0, (0, 0, 0))
    close(found, [a[1] - a[0], a[2] - a[1], a[2]], 1e-6)


def test_a_cut_that_leaves_a_light_link_loose_says_so() -> None:
    with pytest.raises(UnresistedError, match=r"a loop may hold them, .* give cuts = \["):
        replace(rocker(0), cuts=("pivot",), q0=(), v0=())


def test_a_spring_is_no_inertia() -> None:
    plain = mstmm.load("double-pendulum")
    last = replace(plain.bodies[1], mass=0, inertia=0)
    spring = Force("s", (End(last.name, ""), End(GROUND, "O")), stiffness=9)
    with pytest.raises(UnresistedError, match="a force between points holds nothing without"):
        replace(plain, bodies=(plain.bodies[0], last), forces=(spring,))


# Hinges that share a point


def test_hinges_share_a_point() -> None:
    """As if each had a coincident one of its own; files keep them, and forces find the first."""

    def star(*ends: str) -> Model:
        points = [Point(name, (0.5, 0.1), 0.3) for name in dict.fromkeys(ends)]
        arm = Body("a", 1, 0.1, (0.2, 0), (Point("O", (0, 0)), *points))
        others = [Body(name, 1, 0.1, (0.2, 0), (Point("O", (0, 0)),)) for name in "bcd"]
        hinges = [Hinge("a", "pin", (End(GROUND, "O"), End("a", "O")))]
        hinges += [
            Hinge(name, "pin", (End("a", end), End(name, "O")))
            for name, end in zip("bcd", ends, strict=True)
        ]
        return Model("star", 2, (arm, *others), tuple(hinges), (0, -9.81))

    shared, own = star("tip", "tip", "tip"), star("tip", "tip2", "tip3")
    assert shared == own
    assert [str(hinge.ends[0]) for hinge in shared.hinges[1:]] == ["a:tip", "a:tip2", "a:tip3"]
    taken = star("tip", "tip2", "tip")
    assert str(taken.hinges[3].ends[0]) == "a:tip3"


def governor(cuts: tuple[str, ...] = ()) -> Model:
    """A flyball governor with struts of two massless parts, in a loop each."""
    text = (CASES / "flyball.toml").read_text()
    named = f"cuts = {list(cuts)}\n" if cuts else ""
    return from_text(text.replace("gravity", f"{named}gravity", 1))


def without_struts(model: Model) -> Model:
    """The same, a force between points in the place of each strut: a tree."""
    light = {body.name for body in model.bodies if body.mass == 0}
    forces = [
        Force(
            side,
            (End(f"rod{side}", "mid"), End("slider", side)),
            stiffness=8e5,
            rest=0.5,
            damping=4e4,
        )
        for side in ("R", "L")
    ]
    return Model(
        name="governor",
        dimension=3,
        bodies=tuple(body for body in model.bodies if body.name not in light),
        hinges=tuple(x for x in model.hinges if not light & {end.body for end in x.ends}),
        ground=model.ground,
        gravity=model.gravity,
        forces=tuple(forces),
    )


def test_loops_are_cut_so_that_links_without_mass_move_with_what_is_beyond_them() -> None:
    """Two loops, each with two such links: each is cut elsewhere than where it costs least."""
    model = governor()
    assert not {*model.cuts} & {"mR", "sprR", "cutR", "mL", "sprL", "cutL"}
    solver: Any = mstmm.compile(model, target="numpy")
    third = np.pi / 3
    known = dict.fromkeys(("qmR", "qmL"), -2 * third) | dict.fromkeys(("qsprR", "qsprL"), 0.5)
    known |= dict.fromkeys(("qbR", "qbL"), -third / 2) | {"qslide": 0.5, "qpsi": 0.0}
    known |= dict.fromkeys(("qcutR", "qcutL"), 5 * third / 2)
    v = [2 * np.pi * (name == "upsi") for name in model.speeds]
    q, v = solver.project([known[name] for name in model.coordinates], v)
    a = dict(zip(model.speeds, solver.accelerations(q, v), strict=True))
    tree = without_struts(model)
    at = [known[name] for name in tree.coordinates], [2 * np.pi, 0.0, 0.0, 0.0]
    expected = mstmm.compile(tree, target="numpy").accelerations(*at)
    for name, value in zip(tree.speeds, expected, strict=True):
        if name in a:
            assert a[name] == pytest.approx(value, rel=1e-9, abs=1e-9)
    assert {"upsi", "ubL"} <= {*a} & {*tree.speeds}


def test_cuts_that_leave_links_without_mass_name_those_that_would_not() -> None:
    with pytest.raises(ModelError, match=r"give cuts = \[") as caught:
        governor(("cutR", "cutL"))
    named = str(caught.value).split("cuts = [")[1].split("]")[0]
    governor(tuple(name.strip(' "') for name in named.split(",")))


def test_where_no_cuts_would_do_this_is_said() -> None:
    """The rods have no mass either."""
    text = (CASES / "flyball.toml").read_text()
    loose = text.replace("mass=5.3", "mass=0").replace(
        "inertia=[5e-06,0.09575721698113207,0.09575721698113207,0,0,0]", "inertia=[0,0,0,0,0,0]"
    )
    with pytest.raises(ModelError, match="no other cuts are found"):
        from_text(loose)
