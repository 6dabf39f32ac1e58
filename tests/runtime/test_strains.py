"""What modes strain: energies, wrenches and fields against balances, closed forms, other code."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import cell_models
import numpy as np
import pytest
import random_models
from commands import assert_fits_80_columns, run
from places import DATA
from small_motions import spring_chain
from test_modes import sprung

import mstmm
from mstmm.errors import UsageError
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.model.files.toml import from_text, to_text
from mstmm.runtime.vibration.modes import Modes

BEAMS = json.loads((DATA / "linear" / "beams.json").read_text(encoding="utf-8"))["cases"]


def modes_of(text: str, **given: Any) -> Modes:
    solver = mstmm.compile(from_text(text), algorithm="linear", target="numpy")
    return solver.modes(**{"count": 6, **given})


#: Beams with heads and springs, in loops, in space, and double frequencies.
CASES = (
    *("03-free-free-EB", "04-tip-mass-spring", "05-two-span", "06-portal-frame"),
    *("07-shaft-distributed", "09-spatial-frame", "11-four-bar-elastic"),
    *("12-square-cantilever", "12-star-cluster", "13-flexible-arm"),
)


@pytest.mark.parametrize("name", CASES)
def test_modes_are_orthogonal_and_their_energies_add_up(name: str) -> None:
    """⟨Vᵢ, M Vⱼ⟩ of beams all along; strain energies integrated by direction make ω² M/2."""
    modes = modes_of(cell_models.CASES[name][0])
    size = np.sqrt(np.outer(modes.masses, modes.masses))
    np.testing.assert_allclose(modes.products / size, np.eye(len(size)), atol=1e-10)
    strains = modes.strains
    assert strains.names["part"][-1] == "loads at rest"
    assert np.abs(strains.shares[:, -1]).max() < 1e-9
    bent = modes.squares > 0
    np.testing.assert_allclose(strains.shares.sum(axis=1), bent, rtol=1e-12)
    total = modes.squares * modes.masses / 2
    np.testing.assert_allclose(strains.energies.sum(axis=1)[bent], total[bent], rtol=1e-12)
    own = [k for k, part in enumerate(strains.names["part"]) if not part.startswith("loads")]
    assert (strains.energies[:, own] > -1e-9 * total.max()).all()


@pytest.mark.parametrize(
    "more",
    [
        {"tension": 7.5, "foundation": 30.0},
        {"shear_stiffness": 90.0, "rotary_inertia": 0.004, "foundation": 20.0},
    ],
)
def test_what_tension_and_foundation_store_is_part_of_it(more: dict[str, float]) -> None:
    strains = modes_of(cell_models.cantilever({**cell_models.SLENDER, **more})).strains
    assert np.abs(strains.shares[:, -1]).max() < 1e-9
    shares = dict(zip(strains.names["part"], strains.shares[0], strict=True))
    kinds = {"foundation": "foundation", "shear_stiffness": "shear", "tension": "tension"}
    stored = ("axial", "bending", *(name for given, name in kinds.items() if given in more))
    assert {*strains.names["part"]} == {*(f"arm: {name}" for name in stored), "loads at rest"}
    for given, name in kinds.items():
        if given in more:
            assert abs(shares[f"arm: {name}"]) > 1e-3
            assert (shares[f"arm: {name}"] > 0) == (more[given] > 0)


@pytest.mark.parametrize("backward", [False, True])
def test_a_beam_bends_as_its_closed_form(backward: bool) -> None:
    """Of a cantilever M = EI v″, Q = −EI v‴ all along, whichever way it runs."""
    text = cell_models.top(2, "cantilever") + cell_models.beam("arm", 1.0, cell_models.SLENDER)
    root = "tip" if backward else "root"
    modes = modes_of(text + cell_models.hinge("wall", "fixed", "ground", f"arm:{root}"), count=4)
    x = np.linspace(0, 1, 23)
    field = modes.field("arm", x)
    s = 1 - x if backward else x
    for k in range(4):
        b = math.sqrt(modes.frequencies[k])
        sigma = (math.cosh(b) + math.cos(b)) / (math.sinh(b) + math.sin(b))
        v, slope, moment, shear = (
            np.cosh(b * s) - c * np.cos(b * s) - sigma * (np.sinh(b * s) - c * np.sin(b * s))
            if even
            else np.sinh(b * s) + c * np.sin(b * s) - sigma * (np.cosh(b * s) - c * np.cos(b * s))
            for even, c in ((True, 1), (False, 1), (True, -1), (False, -1))
        )
        end = int(s.argmax())
        scale = field.motion[k, end, 4] / v[end]
        way = -1 if backward else 1
        for found, known in (
            (field.motion[k, :, 4], v),
            (field.motion[k, :, 2], way * b * slope),
            (field.loads[k, :, 2], b**2 * moment),
            (field.loads[k, :, 4], -way * b**3 * shear),
        ):
            np.testing.assert_allclose(found, scale * known, atol=1e-9 * b**3 * abs(scale))


def test_shapes_run_on_where_beams_meet() -> None:
    """At the corner of a frame both beams move alike, and one's loads are the other's."""
    modes = modes_of(cell_models.l_frame())
    column, arm = modes.field("column", [1.0]), modes.field("arm", [0.0])
    size = np.abs(modes.field("column").loads).max(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(column.motion, arm.motion, atol=1e-11)
    # The column's axes are turned by a right angle.
    turned = column.loads[..., [0, 1, 2, 4, 3, 5]] * [1, 1, 1, -1, 1, 1]
    np.testing.assert_allclose(turned / size, arm.loads / size, atol=1e-9)
    with pytest.raises(UsageError, match=r"goes from x = 0 to 1 m"):
        modes.field("column", [1.2])
    with pytest.raises(UsageError, match="no exact beam 'beam'; there are: column, arm"):
        modes.field("beam")
    with pytest.raises(UsageError, match="there are no modes in this list"):
        print(modes_of(cell_models.l_frame(), count=None, below=1e-3).strains)


KINDS = {2: ("pin", "prismatic"), 3: ("revolute", "prismatic", "helical")}


@pytest.mark.parametrize(("dimension", "seed"), [(2, 1), (3, 6)])
def test_hinges_exert_what_joint_loads_tell(dimension: int, seed: int) -> None:
    """At a small multiple of a mode accelerations are −ω² times it: loads there, less at rest."""
    rng = Random(seed)
    model = random_models.joint_tree(rng, dimension, KINDS[dimension], 5)
    solver = mstmm.compile(sprung(rng, model), target="numpy")
    modes, still = solver.modes(), np.zeros(len(solver.speeds))
    step, at = 1e-5, {name: k for k, name in enumerate(solver.ends)}
    ways = modes.coordinates
    for way, wrenches in zip(ways, modes.strains.wrenches, strict=True):
        after, before = (solver.joint_loads(modes.q + x * step * way, still) for x in (1, -1))
        change = (after - before) / (2 * step)
        for name, wrench in zip(modes.strains.names["hinge"], wrenches, strict=True):
            hinge = next(x for x in model.hinges if x.name == name)
            child = next(k for k in (1, 0) if str(hinge.ends[k]) in at)
            told, way_on = change[at[str(hinge.ends[child])]], 1 if child else -1
            known = np.concatenate([way_on * told[:3], -way_on * told[3:]])
            np.testing.assert_allclose(wrench, known, atol=1e-6 * np.abs(change).max())


@pytest.mark.parametrize(("dimension", "swapped"), [(2, True), (3, False)])
def test_both_ends_of_a_sloping_beam_are_held_by_what_is_in_it(
    dimension: int, swapped: bool
) -> None:
    """The wrenches at its ends, in inertial axes, are the loads there, in axes of the beam."""
    c, s = math.cos(0.6), math.sin(0.6)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    if dimension == 3:
        R = cell_models.axes_along([1, 2, 2], [0, 1, 3])
    axes = R.tolist() if dimension == 3 else 0.6
    section = cell_models.SPATIAL if dimension == 3 else cell_models.SLENDER
    text = cell_models.top(dimension, "brace") + cell_models.ground(wall=axes, far=axes)
    text += f"position = {R[:dimension, 0].tolist()}\n" + cell_models.beam("arm", 1.0, section)
    ends = ("arm:tip", "ground:far") if swapped else ("ground:far", "arm:tip")
    text += cell_models.hinge("near", "fixed", "ground:wall", "arm:root")
    text += cell_models.hinge("away", "fixed", *ends)
    modes = modes_of(text)
    strains, loads = modes.strains, modes.field("arm", [0.0, 1.0]).loads
    turned = (loads.reshape(len(loads), 2, 2, 3) @ R.T).reshape(loads.shape)
    names = strains.names["hinge"]
    away = strains.wrenches[:, names.index("away")] * (-1 if swapped else 1)
    size = np.abs(loads).max()
    assert np.abs(turned[:, 1, 3:5]).max(axis=0).min() > 1e-3 * size
    np.testing.assert_allclose(away, turned[:, 1], atol=1e-9 * size)
    near = strains.wrenches[:, names.index("near")]
    np.testing.assert_allclose(near, -turned[:, 0], atol=1e-9 * size)


def test_springs_between_points_store_what_they_are_stretched() -> None:
    """Of masses on equal springs each stores ½ k of how far it opens, squared."""
    modes = mstmm.compile(from_text(to_text(spring_chain(5)) + WALL), target="numpy").modes()
    strains, parts = modes.strains, modes.strains.names["part"]
    assert parts[-2:] == ("force last", "loads at rest")
    whole = modes.coordinates.sum(axis=1)
    np.testing.assert_allclose(strains.energies[:, -2], whole**2 / 2, atol=1e-12)
    for k, row in enumerate(modes.coordinates):
        np.testing.assert_allclose(strains.energies[k, :-2], row**2 / 2, atol=1e-12)
    np.testing.assert_allclose(strains.energies[:, -1], 0, atol=1e-12)


WALL = """
[ground.points.wall]
position = [5, 0]
[forces.last]
stiffness = 1
rest = 1
between = ["mass4:a", "ground:wall"]
"""


def test_springs_of_hinges_that_close_loops() -> None:
    """A four-bar with a spring in every hinge, all at ease: in the cut one ½ k of its own angle."""
    model = mstmm.load("four-bar")
    q, angles = hinge_symbol("q", 1), (*model.q0, sum(model.q0))
    hinges = tuple(
        replace(hinge, potential=(3.0 + k) * (q - angle) ** 2 / 2)
        for k, (hinge, angle) in enumerate(zip(model.hinges, angles, strict=True))
    )
    model = replace(model, hinges=hinges, gravity=(0, 0))
    modes = mstmm.compile(model, target="numpy").modes()
    turns = np.append(modes.coordinates[0], modes.coordinates[0].sum())
    known = (3.0 + np.arange(4)) * turns**2 / 2
    parts = [f"hinge {hinge.name}" for hinge in model.hinges]
    assert modes.strains.names["part"] == (*parts, "loads at rest")
    np.testing.assert_allclose(modes.strains.energies[0], [*known, 0.0], atol=1e-9 * known.max())


def test_modes_are_matched_where_frequencies_cross() -> None:
    """Two masses on springs of their own, of which one grows past the other; beams, too."""
    text = """
name = "two"
dimension = 2
gravity = [0, 0]
[parameters]
k = 1.0
"""
    for name, stiffness in (("a", '"k"'), ("b", "2.0")):
        text += cell_models.body(name, 1.0, 0.1, ["p"])
        spring = f"{{ stiffness = {stiffness} }}"
        text += cell_models.hinge(f"h{name}", "pin", "ground", f"{name}:p", spring=spring)
    solver = mstmm.compile(from_text(text), target="numpy", parameters=["k"])
    low, high = (solver.modes(parameters={"k": k}) for k in (1.0, 3.0))
    assert low.matched(high).tolist() == [2, 1]
    np.testing.assert_allclose(low.likeness(high), [[0, 1], [1, 0]], atol=1e-12)
    thin = {**cell_models.SPATIAL, "bending_stiffness": [1, 1.1]}
    thick = {**thin, "bending_stiffness": [3, 1.1]}
    one, other = (modes_of(cell_models.cantilever(x, 3), count=4) for x in (thin, thick))
    assert one.inside.stiffness.cells <= other.inside.stiffness.cells
    of = one.matched(other)
    assert of[:2].tolist() == [2, 1]
    assert one.likeness(other)[[0, 1], [1, 0]].min() > 1 - 1e-9
    with pytest.raises(UsageError, match="of other bodies"):
        one.matched(low)


def test_strains_and_films_on_the_command_line(tmp_path: Path) -> None:
    film = tmp_path / "mode.html"
    usual = ("modes", "spatial-frame", "--count", "3", "--target", "numpy", "--strains")
    text = run(*usual, "--film", film, "--mode", "2").stdout
    assert_fits_80_columns(text)
    assert text.splitlines()[-3].startswith("   1  beam1: torsion 67%, beam2: torsion 16%")
    assert "spatial-frame, mode 2, 0.1039 Hz" in film.read_text(encoding="utf-8")
    told = json.loads(run(*usual, "--json").stdout)["modes"][0]["strain"]
    assert sum(told.values()) == pytest.approx(1.0, rel=1e-12)
