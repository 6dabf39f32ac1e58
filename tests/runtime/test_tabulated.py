"""Bearings as tables over the speed: what is between their values, and refused beyond."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model.files.toml import from_text, to_text

AT = (0.0, 100.0, 300.0, 600.0)
FILM = {
    "kxx": (1e6, 1.2e6, 2e6, 2.5e6),
    "kxy": (0.0, 1e5, 3e5, 4e5),
    "kyx": (0.0, -2e5, -3e5, -6e5),
    "kyy": (8e5, 9e5, 1.1e6, 1.3e6),
    "cxx": (900.0, 800.0, 700.0, 650.0),
    "cyy": (700.0, 640.0, 600.0, 580.0),
}
TABLE = f"""
[tables.film]
of = "W"
at = {list(AT)}
[tables.film.values]
""" + "\n".join(f"{name} = {list(values)}" for name, values in FILM.items())

#: A disc on a film, and a shaft between such films with the disc in the middle.
DISC = """
name = "disc"
dimension = 3
gravity = [0, 0, 0]
[parameters]
W = 0.0
TABLE
[bodies.disc]
mass = 20
inertia = [0.3, 0.2, 0.2, 0, 0, 0]
spin = "W"
[bodies.disc.points.c]
[hinges.bearing]
kind = "elastic"
parent = "ground"
child = "disc:c"
spring = { stiffness = [1e7, 0, 0, 1e4, 1e4, 1e4] }
force = ["0", FORCE_2, FORCE_3, "0", "0", "0"]
"""
SHAFT = """
name = "shaft"
dimension = 3
gravity = [0, 0, 0]
[parameters]
W = 0.0
TABLE
[bodies.disc]
mass = 30
inertia = [0.3, 0.2, 0.2, 0, 0, 0]
spin = "W"
[bodies.disc.points.c]
[beams.shaft]
length = 1.2
section = { shape = "circle", diameter = 0.05, theory = "timoshenko" }
material = { E = 2.1e11, G = 8e10, rho = 7800 }
axial = 0
bending = 0
spin = "W"
[beams.shaft.points.a]
x = 0
[beams.shaft.points.m]
x = 0.5
[beams.shaft.points.b]
x = 1.2
[hinges.seat]
kind = "fixed"
parent = "shaft:m"
child = "disc:c"
[hinges.left]
kind = "elastic"
parent = "ground"
child = "shaft:a"
spring = { stiffness = [1e8, 0, 0, 1e3, 0, 0] }
force = ["0", FORCE_2, FORCE_3, "0", "0", "0"]
[ground.points.r]
position = [1.2, 0, 0]
[hinges.right]
kind = "elastic"
parent = "ground:r"
child = "shaft:b"
force = ["0", FORCE_2, FORCE_3, "0", "0", "0"]
"""


def text(whole: str, known: Mapping[str, object] | None = None) -> str:
    """A model by its table, or by constants in its place."""
    names = known or {name: f"film_{name}" for name in FILM}
    across = "-({kxx})*q2 - ({kxy})*q3 - ({cxx})*u2".format(**names)
    along = "-({kyx})*q2 - ({kyy})*q3 - ({cyy})*u3".format(**names)
    whole = whole.replace("FORCE_2", f'"{across}"').replace("FORCE_3", f'"{along}"')
    return whole.replace("TABLE", "" if known else TABLE)


def test_files_give_tables_back() -> None:
    model = from_text(text(DISC))
    assert from_text(to_text(model)) == model
    (table,) = model.tables
    assert (table.of, table.at, dict(table.columns)) == ("W", AT, FILM)


def test_whirl_in_films_is_that_of_their_matrices_at_each_speed() -> None:
    """At values, between and at both ends; the disc's own centre is where the film is."""
    solver = mstmm.compile(
        from_text(text(DISC)), algorithm="damped", target="numpy", parameters=["W"]
    )
    speeds = np.array([0.0, 37.0, 100.0, 250.0, 471.0, 600.0])
    found = solver.campbell("W", speeds, below=600.0)
    for k, speed in enumerate(speeds):
        at = {name: np.interp(speed, AT, values) for name, values in FILM.items()}
        K = np.array([[at["kxx"], at["kxy"]], [at["kyx"], at["kyy"]]]) / 20
        C = np.diag([at["cxx"], at["cyy"]]) / 20
        s = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -C]]))
        for x in s[s.imag > 0]:
            near = np.nanargmin(abs(found.decay[k] + x.real) + abs(found.frequencies[k] - x.imag))
            assert found.frequencies[k, near] == pytest.approx(x.imag, rel=1e-10)
            assert found.decay[k, near] == pytest.approx(-x.real, rel=1e-9)


@pytest.mark.slow
def test_a_shaft_in_a_film_is_that_of_the_values_at_its_speed() -> None:
    solver = mstmm.compile(from_text(text(SHAFT)), algorithm="damped", parameters=["W"])
    speed = 333.0
    at = {name: float(np.interp(speed, AT, values)) for name, values in FILM.items()}
    plain = from_text(text(SHAFT, at)).with_parameters(W=speed)
    known = mstmm.compile(plain, algorithm="damped").damped(count=6)
    found = solver.damped(count=6, parameters={"W": speed})
    np.testing.assert_allclose(found.eigenvalues, known.eigenvalues, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("speed", [-1.0, 601.0])
def test_speeds_beyond_a_table_are_refused_by_name(speed: float) -> None:
    model = from_text(text(DISC))
    said = rf"table film: W = {speed:g} lies outside.*from 0 to 600"
    with pytest.raises(ModelError, match=said):
        model.with_parameters(W=speed)
    solver = mstmm.compile(model, algorithm="damped", target="numpy", parameters=["W"])
    with pytest.raises(UsageError, match=said):
        solver.campbell("W", [100.0, speed, 200.0])
    with pytest.raises(UsageError, match=said):
        solver.damped(parameters={"W": speed})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('of = "W"', 'of = "V"', "there is no parameter V"),
        (str(list(AT)), "[0, 100, 100, 600]", "are two values at least, ascending"),
        (str(list(AT)), "[0, 100, 300]", "has 4 values of kxx at 3"),
        ("W = 0.0", "W = 0.0\nfilm_kxx = 1", "film_kxx is a parameter too"),
    ],
)
def test_tables_that_are_none_are_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        from_text(text(DISC).replace(old, new))
