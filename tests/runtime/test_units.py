"""Units of what a run holds: readable, of the dimension of each kind, and felt by the numbers.

That the units are right is judged by similarity: with lengths, masses and times in other units the
generated code must give the same motion, every number changed by the factor that its unit tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from random import Random
from typing import Any

import numpy as np
import pytest
from loop_models import CUTTABLE

import mstmm
from mstmm.errors import UsageError
from mstmm.model import GROUND, MODELS, Body, End, Hinge, Model, Point, load
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.model.parts.units import coordinate_units, speed_units
from mstmm.runtime.motions.results import Run
from mstmm.runtime.motions.variables import LOAD_UNITS

pytestmark = pytest.mark.skipif(not find_spec("pint"), reason="needs pint")


@cache
def registry() -> Any:
    """All units: a second's reading."""
    import pint

    return pint.UnitRegistry()


#: Of a length, mass and time of 1 m, kg, s: other numbers, far from powers of each other.
OTHER = {"m": 3.0, "kg": 0.7, "s": 1.3}
SAME = dict.fromkeys(OTHER, 1.0)


def factor(unit: str, scale: Mapping[str, float]) -> float:
    """By how much a number in this unit changes where metre, kilogram and second do."""
    powers = registry().Quantity(1.0, unit).to_base_units().unit_items()
    named = {"meter": "m", "kilogram": "kg", "second": "s"}
    return float(np.prod([scale[named[x]] ** p for x, p in powers if x != "radian"]))


def position(rng: Random, d: int, scale: Mapping[str, float]) -> tuple[float, ...]:
    return tuple(scale["m"] * rng.uniform(-1, 1) for _ in range(d))


def body(rng: Random, name: str, d: int, scale: Mapping[str, float]) -> Body:
    inertia = rng.uniform(1, 2) * scale["kg"] * scale["m"] ** 2
    tensor = tuple(tuple(inertia * (i == j) for j in range(3)) for i in range(3))
    points = tuple(Point(point, position(rng, d, scale)) for point in ("I", "O"))
    return Body(
        name, rng.uniform(1, 2) * scale["kg"], inertia if d == 2 else tensor,
        position(rng, d, scale), points,
    )  # fmt: skip


def hinge(name: str, kind: str, d: int, ends: tuple[End, End], scale: Mapping[str, float]) -> Hinge:
    sizes = {x.name for x in HINGE_KINDS[d][kind].sizes}
    more: dict[str, object] = dict.fromkeys(sizes, 0.4 * scale["m"])
    if kind == "elastic":
        linear = scale["kg"] / scale["s"] ** 2
        angular = linear * scale["m"] ** 2
        more["stiffness"] = (linear,) * d + (angular,) * (1 if d == 2 else 3)
    return Hinge(name, kind, ends, **more)  # type: ignore[arg-type]


def model_of(
    d: int, bodies: list[Body], hinges: list[Hinge], scale: Mapping[str, float], cuts: bool
) -> Model:
    fall = -9.0 * scale["m"] / scale["s"] ** 2
    ground = () if not cuts else (Point("G", tuple(0.3 * scale["m"] for _ in range(d))),)
    return Model(
        "all", d, tuple(bodies), tuple(hinges), (0.0,) * (d - 1) + (fall,), absolute=False,
        ground=ground, cuts=tuple(h.name for h in hinges if cuts and h.name.startswith("cut")),
    )  # fmt: skip


def chain_of_all(d: int, scale: Mapping[str, float]) -> Model:
    """A chain with a hinge of every kind."""
    rng, at = Random(d), End(GROUND, "O")
    bodies, hinges = [], []
    for kind in HINGE_KINDS[d]:
        bodies.append(body(rng, f"b{kind}", d, scale))
        hinges.append(hinge(kind, kind, d, (at, End(f"b{kind}", "I")), scale))
        at = End(f"b{kind}", "O")
    return model_of(d, bodies, hinges, scale, cuts=False)


def cuts_of_all(d: int, scale: Mapping[str, float]) -> Model:
    """Free bodies, each held to the ground by a cut hinge of another kind."""
    rng = Random(d)
    bodies, hinges = [], []
    for kind in CUTTABLE[d]:
        bodies.append(body(rng, f"b{kind}", d, scale))
        hinges.append(hinge(kind, "free", d, (End(GROUND, "O"), End(f"b{kind}", "I")), scale))
        cut = (End(GROUND, "G"), End(f"b{kind}", "O"))
        hinges.append(hinge(f"cut{kind}", kind, d, cut, scale))
    return model_of(d, bodies, hinges, scale, cuts=True)


def state(model: Model, scale: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    rng = Random(5)
    q = np.array([rng.uniform(0.2, 0.9) for _ in model.coordinates])
    for k, name in enumerate(model.coordinates):
        if name.endswith("_Qw"):
            q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    v = np.array([rng.uniform(-1, 1) for _ in model.speeds])
    return (
        q * [factor(x.unit, scale) for x in coordinate_units(model)],
        v * [factor(x.unit, scale) for x in speed_units(model)],
    )


@cache
def told(d: int, other: bool) -> dict[str, np.ndarray]:
    """Accelerations, loads and energy of the chain."""
    scale = OTHER if other else SAME
    model = chain_of_all(d, scale)
    solver = mstmm.compile(model, target="numpy")
    q, v = state(model, scale)
    return {
        "a": solver.accelerations(q, v),
        "loads": solver.joint_loads(q, v),
        "energy": np.atleast_1d(solver.energy(q, v)),
    }


@pytest.mark.parametrize("d", HINGE_KINDS)
def test_numbers_change_as_their_units_tell(d: int) -> None:
    model = chain_of_all(d, SAME)
    units = {
        "a": [x.acceleration for x in speed_units(model)],
        "loads": LOAD_UNITS,
        "energy": ["J"],
    }
    for name, of in units.items():
        expected = told(d, False)[name] * [factor(unit, OTHER) for unit in of]
        np.testing.assert_allclose(told(d, True)[name], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("d", HINGE_KINDS)
def test_conditions_change_as_their_units_tell(d: int) -> None:
    phi = []
    for scale in (SAME, OTHER):
        solver = mstmm.compile(cuts_of_all(d, scale), target="numpy")
        phi.append(solver.constraints(*state(solver.model, scale))[0])
    units = [solver.model.condition_units.get(name, "1") for name in solver.conditions]
    assert len(units) == len(phi[0])
    assert {"m", "1"} == set(units)
    expected = phi[0] * [factor(unit, OTHER) for unit in units]
    np.testing.assert_allclose(phi[1], expected, rtol=1e-9, atol=1e-12)
    assert np.abs(phi[0]).min() > 1e-6


def ready_made() -> list[Model]:
    small = {"N": 11, "n": 3}
    return [
        load(name, **({made.argument: small[made.argument]} if made.argument else {}))
        for name, made in MODELS.items()
    ]


def test_every_unit_is_read_and_of_the_dimension_of_its_kind() -> None:
    """Force times speed is a power, whatever the coordinate; speed is coordinate over time."""
    power = registry().Quantity(1, "W")
    for model in (*ready_made(), *(chain_of_all(d, SAME) for d in HINGE_KINDS)):
        assert [x.name for x in coordinate_units(model)] == list(model.coordinates)
        assert [x.name for x in speed_units(model)] == list(model.speeds)
        for entry in coordinate_units(model):
            assert registry().Quantity(1, entry.unit).units is not None
        for speed in speed_units(model):
            unit, second = registry().Quantity(1, speed.unit), registry().Quantity(1, "s")
            assert (registry().Quantity(1, speed.force) * unit).check(power.dimensionality)
            assert registry().Quantity(1, speed.acceleration).check((unit / second).dimensionality)
            assert (
                registry()
                .Quantity(1, speed.momentum)
                .check((registry().Quantity(1, speed.force) * second).dimensionality)
            )


@cache
def run(name: str) -> Run:
    return mstmm.compile(name, target="numpy").simulate(t_end=0.002)


def test_a_slide_is_in_metres_and_a_quaternion_in_one() -> None:
    units = run("spatial-tree").model.units
    assert (units["qcarriage"], units["ucarriage"]) == ("m", "m/s")
    assert (units["qnut"], units["qbob_Qw"], units["ubob_1"]) == ("rad", "1", "rad/s")
    assert load("example-1").units["eta3_1"] == "m"


def test_a_part_of_a_run_by_the_name_of_what_it_belongs_to() -> None:
    found = run("spatial-tree")
    slide = found["carriage"]
    assert list(slide) == ["q", "v", "a", "loads"]
    assert (slide["q"].units, slide["v"].units, slide["a"].units) == ("m", "m/s", "m/s^2")
    assert (slide.q == found.q[:, :1]).all()
    assert (slide.loads == found.loads[:, 0]).all()
    assert (slide.end, slide.coordinates) == ("carriage:O", ("qcarriage",))
    bob = found["bob"]
    assert bob.q.shape == (3, 4)
    assert bob.v.shape == (3, 3)
    assert set(bob["q"].member_units) == {"1"}
    sleeve = found["sleeve"]["q"]
    assert (sleeve.units, sleeve.member_units) == ("", ("rad", "m"))
    assert (found["usleeve_2"].units, found["usleeve_2"].dims) == ("m/s", ("time",))
    assert (found["bob:O"].values == found.loads[:, -1]).all()
    with pytest.raises(AttributeError, match="carriage has no 'p' in this run; it has: q, v"):
        _ = slide.p


def test_a_body_of_absolute_coordinates_and_a_cut_hinge_are_parts_too() -> None:
    pendulum, loop = run("branch-pendulum"), run("four-bar")
    assert (pendulum["7"].q[:, 0] == pendulum.q[:, 3]).all()
    assert list(pendulum["8"]) == ["loads"]
    assert pendulum["8"].end == "7:O"
    assert list(loop["pivot"]) == ["loads"]
    assert loop["pivot"].end == "rocker:foot"
    assert loop["constraint_position"].units == "m"


def test_an_unknown_name_gets_a_near_one() -> None:
    said = r"^a run has no 'cariage' \(did you mean carriage\?\); it has: time"
    for kind in (KeyError, UsageError):
        with pytest.raises(kind, match=said):
            run("spatial-tree")["cariage"]
    with pytest.raises(UsageError, match=r"^a run has no 3; it has: time"):
        run("spatial-tree")[3]
    assert "slide" not in run("spatial-tree")
    assert "carriage" in run("spatial-tree")


def test_a_run_is_a_dataset_at_one_attribute() -> None:
    pytest.importorskip("xarray")
    found = run("spatial-tree")
    q = found.data["q"].sel(coordinate="qcarriage")
    assert (q.values == found.q[:, 0]).all()
    assert q.coordinate_units == "m"
    assert "units" not in found.data["q"].attrs
    assert found.data["energy"].attrs["units"] == "J"
    assert found.data is found.data
    for units in ("coordinate_units", "speed_units", "acceleration_units", "component_units"):
        read = (registry().Quantity(1, str(unit)) for unit in found.data[units].values)
        assert all(quantity is not None for quantity in read)
