"""Loops of exact beams that bear weight and loads: frames, arches, columns, gears beside beams."""

from __future__ import annotations

import math
from typing import Any

import cell_models as models
import mpmath as mp
import numpy as np
import pytest
import scipy
from frames import Frame
from test_beams_at_rest import SECTION, pulled
from test_linear_beams import solver, zeros

import mstmm
from mstmm.errors import UsageError
from mstmm.model.files.toml import from_text
from mstmm.runtime.vibration.bent import see_straight
from mstmm.runtime.vibration.generated import GeneratedStiffness

UP, DOWN = models.angle(90), models.angle(-90)
FEET = [(point, way) for point in (0, 3) for way in range(3)]


def head(name: str, at: str, load: tuple[float, float], *inertia: float) -> str:
    """A body on a beam, which a load pulls at."""
    text = models.body(name, *(inertia or (0, 0)), ["neck"])
    text += models.hinge(f"on_{name}", "fixed", at, f"{name}:neck")
    return text + f'[loads.{name}]\nbody = "{name}"\nforce = {list(load)}\n'


def see(text: str, squares: Any, cells: int = 4, within: float = 1e-7) -> GeneratedStiffness:
    """Eigenvalues are counted between both sides of each value, all of them from the first on."""
    of = solver(text, cells)
    stiffness = GeneratedStiffness(of, np.array(of.model.q0), cells=cells)
    assert max(squares, default=0.0) < stiffness.highest
    for k, value in enumerate(squares):
        below, _ = stiffness.counted(value * np.array([1 - within, 1 + within]))
        assert [*below] == [k, k + 1], (value, below)
    return stiffness


def portal(cut: str, *loads: tuple[float, float], EA: float = 1e3) -> str:
    """Two columns with a beam across, clamped at both feet, with a loaded head at each corner."""
    text = models.portal().replace("1000.0", repr(EA)).replace('"foot2"', f'"{cut}"', 1)
    mass = (0.4, 0.03) if EA == 1e3 else ()
    return (
        text + head("one", "left:tip", loads[0], *mass) + head("two", "across:tip", loads[1], *mass)
    )


@pytest.mark.parametrize(
    "cut",
    ["foot2", *(pytest.param(x, marks=pytest.mark.long) for x in ("corner1", "corner2"))],
)
def test_a_portal_under_weight_and_loads(cut: str) -> None:
    """Wherever it is cut: at a foot, or between beams; to the digits of finite elements."""
    loads, gravity = ((0.0, -0.2), (0.1, -0.7)), (0.05, -0.8)
    of = Frame(
        [(0, 0), (0, 1), (1.4, 1), (1.4, 0)],
        [(0, 1), (1, 2), (2, 3)],
        FEET,
        gravity=gravity,
        masses={1: (0.4, 0.03), 2: (0.4, 0.03)},
        loads={k: (*load, 0) for k, load in enumerate(loads, start=1)},
    )
    said = see_straight(see(pulled(portal(cut, *loads), *gravity), of.squares(3)))
    assert said.startswith(
        "beams are taken as straight: loads at rest turn their sections by up to 0.0"
    )


@pytest.mark.long
def test_a_portal_buckles_sideways() -> None:
    """Under equal loads P = k² on both columns, where tan k/k = −1/6 of beam over column."""
    k = scipy.optimize.brentq(lambda k: np.tan(k) / k + 1.4 / 6, math.pi / 2 + 1e-6, math.pi)
    for way in (-1, 1):
        load = 0.0, -k * k * (1 + way * 1e-6)
        below, _ = see(portal("foot2", load, load, EA=1e9), []).counted(np.zeros(1))
        assert below == [way > 0]


def arch(cut: str, foot: str, load: float, g: float) -> str:
    """Two beams that lean on each other at a pin, clamped at the left foot."""
    ways = [math.atan2(0.6, 1.0), math.atan2(-0.5, 1.2)]
    text = pulled(models.top(2, "arch"), 0.05, g) + models.ground(left=ways[0], right=ways[1])
    text += "position = [2.2, 0.1]\n"
    text += models.beam("left", math.hypot(1, 0.6), models.FRAME, {"tip": ways[1] - ways[0]})
    text += models.beam("right", math.hypot(1.2, 0.5), models.FRAME)
    text += models.hinge("footl", "fixed", "ground:left", "left:root")
    text += models.hinge("apex", "pin", "left:tip", "right:root")
    text += models.hinge("footr", foot, "ground:right", "right:tip")
    return models.cut(cut, text + head("head", "left:tip", (0.1, -load), 0.4, 0.03))


@pytest.mark.parametrize(
    ("cut", "foot"),
    [
        ("apex", "pin"),
        *(pytest.param(x, "pin", marks=pytest.mark.long) for x in ("footl", "footr")),
        pytest.param("apex", "fixed", marks=pytest.mark.long),
    ],
)
def test_an_arch_on_pins(cut: str, foot: str) -> None:
    of = Frame(
        [(0, 0), (1, 0.6), (1, 0.6), (2.2, 0.1)],
        [(0, 1), (2, 3)],
        [x for x in FEET if foot == "fixed" or x != (3, 2)],
        gravity=(0.05, -0.3),
        masses={1: (0.4, 0.03)},
        loads={1: (0.1, -0.7, 0)},
        pinned=[(1, 2)],
    )
    see(arch(cut, foot, 0.7, -0.3), of.squares(3))


def pushed(load: float) -> str:
    """A beam between walls, 0.6 and 0.9 long, with a body where a force acts along it."""
    text = models.top(2, "pushed") + "[ground.points.end]\nposition = [1.5, 0]\n"
    text += models.beam("one", 0.6, models.SLENDER) + models.beam("two", 0.9, models.SLENDER)
    text += models.hinge("wall", "fixed", "ground", "one:root")
    text += models.hinge("joint", "fixed", "one:tip", "two:root")
    text += models.hinge("end", "fixed", "ground:end", "two:tip")
    return models.cut("end", text + head("head", "one:tip", (load, 0.0), 0.2, 0.01))


def test_a_force_along_a_beam_between_walls() -> None:
    """It pulls at what is behind it and pushes what is before: by 0.6 and 0.4, as lengths say."""
    load = 20.0
    section = {"rhoA": 1.0, "EA": 1e4, "EIz": 1.0, "gz": 0.0, "rhoIz": 0.0, "kw": 0.0}

    def whole(w: Any) -> Any:
        first, last = (
            models.by_hand(2, w, {**section, "l": length, "T0": tension})
            for length, tension in ((0.6, 0.6 * load), (0.9, -0.4 * load))
        )
        middle = mp.eye(6)
        for k, inertia in enumerate((0.2, 0.2, 0.01)):
            middle[3 + k, k] = -w * inertia
        return mp.det((last * middle * first)[1:3, 4:6])

    see(pushed(load), zeros(whole, 40), 8, 1e-11)


def test_gears_beside_heavy_beams() -> None:
    """Two stiff beams that hang on geared pins: a pendulum of both."""
    text = pulled(models.top(2, "geared"), 0.0, -9.81) + models.ground(a=DOWN)
    stiff = {**SECTION, "bending_stiffness": 1e6}
    text += models.beam("one", 1.0, stiff) + models.beam("two", 0.7, stiff)
    text += models.hinge("a", "pin", "ground:a", "one:root")
    follows = '{ hinge = "a", ratio = -1.5 }'
    text += models.hinge("b", "pin", "ground:a", "two:root", mimic=follows)
    of = solver(text)
    square = 9.81 * (1 / 2 + 1.5**2 * 0.7**2 / 2) / (1 / 3 + 1.5**2 * 0.7**3 / 3)
    assert of.modes([0.0], count=1).squares == pytest.approx([square], rel=1e-4)
    with pytest.raises(UsageError, match=r"the effort 0 of hinge a is 3.02 where it is at rest"):
        of.modes([0.3])


def spatial(cut: str) -> str:
    """The portal in space, in a plane askew, cut at one of its hinges."""
    R = scipy.spatial.transform.Rotation.from_rotvec([0.4, -0.7, 1.1]).as_matrix()
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    text = pulled(models.top(3, "spatial"), *(R @ [0.008, -0.08, 0.0]).tolist())
    text += models.ground(left=(R @ turn).tolist(), right=(R @ turn.T).tolist())
    text += f"position = {(R @ [1.4, 0, 0]).tolist()}\n"
    section = {**models.SPATIAL, "bending_stiffness": [2.3, 1.0]}
    text += models.beam("left", 1.0, section)
    text += models.beam("across", 1.4, section, {"root": turn.tolist()})
    text += models.beam("right", 1.0, section, {"root": turn.tolist()})
    text += models.hinge("foot", "fixed", "ground:left", "left:root")
    text += models.hinge("corner1", "fixed", "left:tip", "across:root")
    text += models.hinge("corner2", "fixed", "across:tip", "right:root")
    return models.cut(cut, text + models.hinge("foot2", "fixed", "ground:right", "right:tip"))


@pytest.mark.long
def test_a_frame_in_space() -> None:
    """Its eigenvalues in the plane are those of the plane frame."""
    of = Frame(
        [(0, 0), (0, 1), (1.4, 1), (1.4, 0)], [(0, 1), (1, 2), (2, 3)], FEET, gravity=(0.008, -0.08)
    )
    code = solver(spatial("corner1"), 4)
    stiffness = GeneratedStiffness(code, np.array(code.model.q0), cells=4)
    for square in of.squares(3):
        below, _ = stiffness.counted(square * np.array([1 - 1e-7, 1 + 1e-7]))
        assert below[1] == below[0] + 1


@pytest.mark.long
def test_what_bends_far_or_is_strained_elsewhere_is_refused() -> None:
    with pytest.raises(UsageError, match=r"turn sections of beams by up to .* rad, and modes take"):
        solver(pulled(models.portal(), 0.0, -8.0), 4).modes()
    strained = arch("apex", "pin", 0.1, 0.0).replace(
        '[hinges.footr]\nkind = "pin"\n',
        '[hinges.footr]\nkind = "pin"\nspring = { stiffness = 2, rest = 0.3 }\n',
    )
    with pytest.raises(UsageError, match=r"the effort 0.6 of hinge footr is not zero"):
        solver(strained, 4).modes()


@pytest.mark.long
def test_damped_motions_of_loops_bear_weight_alike() -> None:
    """Without damping their frequencies are the natural ones."""
    text = pulled(portal("corner1", (0, -0.2), (0.1, -0.7)), 0.05, -0.8)
    natural = solver(text).modes(count=2).frequencies
    found = mstmm.compile(from_text(text), algorithm="damped", target="numpy").damped(count=2)
    assert found.frequencies == pytest.approx(natural, rel=1e-9)
