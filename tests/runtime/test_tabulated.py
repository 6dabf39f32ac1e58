"""Bearings as tables over speed and frequency: what is between their values, and refused."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from scipy import optimize

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


def over_both(whole: str, columns: Mapping[str, np.ndarray]) -> str:
    """A model whose table is over the speed and the frequency, each column a matrix."""
    table = """
[tables.film]
of = ["W", "w"]
frequency = "w"
at = [[0, 100, 300, 600], [0, 150, 700]]
[tables.film.values]
""" + "\n".join(f"{name} = {values.tolist()}" for name, values in columns.items())
    return text(whole).replace(TABLE, table).replace("W = 0.0", "W = 0.0\nw = 0.0")


def between(values: np.ndarray, speed: float, omega: float) -> float:
    """Straight along one axis, then along the other."""
    rows = [np.interp(omega, (0, 150, 700), row) for row in values]
    return float(np.interp(speed, AT, rows))


def columns(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: values[1] * rng.uniform(0.5, 1.5, (4, 3)) for name, values in FILM.items()}


def test_responses_take_what_holds_at_each_frequency() -> None:
    """Of random tables, between values too, against matrices; one frequency is taken if said."""
    film = columns(1)
    model = from_text(over_both(DISC, film))
    assert from_text(to_text(model)) == model
    solver = mstmm.compile(model, algorithm="damped", target="numpy", parameters=["W"])
    omegas = np.array([0.0, 80.0, 150.0, 231.0, 700.0])
    given = {"inputs": ["disc.force_y", "disc.force_z"], "outputs": ["disc.move_y", "disc.move_z"]}
    for speed, fixed in ((77.0, {}), (300.0, {}), (77.0, {"w": 400.0})):
        found = solver.response(omegas, parameters={"W": speed, **fixed}, **given).transfers
        for omega, told in zip(omegas, found, strict=True):
            at = {x: between(y, speed, fixed.get("w", omega)) for x, y in film.items()}
            K = np.array([[at["kxx"], at["kxy"]], [at["kyx"], at["kyy"]]])
            A = K + 1j * omega * np.diag([at["cxx"], at["cyy"]]) - 20 * omega**2 * np.eye(2)
            np.testing.assert_allclose(told, np.linalg.inv(A), rtol=1e-11)
    with pytest.raises(UsageError, match=r"table film: w = 701 lies outside"):
        solver.response([1.0, 701.0], **given)
    with pytest.raises(UsageError, match=r"over the frequency w.*parameters=\{'w': …\}"):
        solver.damped()
    at = {x: between(y, 0.0, 200.0) for x, y in film.items()}
    plain = mstmm.compile(from_text(text(DISC, at)), algorithm="damped", target="numpy")
    known, found = plain.damped().eigenvalues, solver.damped(parameters={"w": 200.0}).eigenvalues
    np.testing.assert_allclose(found, known, rtol=1e-9)


def undamped(seed: int, rise: float = 1.0) -> dict[str, np.ndarray]:
    """Symmetric stiffnesses without damping, times so much from the third speed on."""
    stiff = ("kxx", "kxy", "kyy")
    film = {x: (x in stiff) * values for x, values in columns(seed).items()}
    film["kyx"] = film["kxy"]
    return {name: values * np.array([[1], [1], [rise], [rise]]) for name, values in film.items()}


@pytest.mark.parametrize("harmonic", [1, 2])
def test_critical_speeds_take_what_holds_where_a_multiple_is_the_frequency(harmonic: int) -> None:
    """Of a disc beside its bearing: where 4 × 4 Hermitian matrices change signs, on a grid."""
    film = undamped(3)
    whole = over_both(DISC, film).replace("spin =", "centre = [0.08, 0, 0]\nspin =")
    solver = mstmm.compile(
        from_text(whole), algorithm="damped", target="numpy", parameters=["W", "w"]
    )
    limit, m, arm = 600.0 / harmonic, 20.0, 0.08

    def values(speed: float) -> np.ndarray:
        """Of y, z and the turns about y, z; s = iω."""
        omega = harmonic * speed
        at = {x: between(y, speed, omega) for x, y in film.items()}
        K = np.diag([0.0, 0.0, 1e4, 1e4])
        K[:2, :2] = [[at["kxx"], at["kxy"]], [at["kxy"], at["kyy"]]]
        M = np.diag([m, m, 0.2 + m * arm**2, 0.2 + m * arm**2])
        M[0, 3] = M[3, 0] = m * arm  # a turn about z lifts what is along x
        M[1, 2] = M[2, 1] = -m * arm
        G = np.zeros((4, 4))
        G[2, 3], G[3, 2] = 0.3 * speed, -0.3 * speed
        found: np.ndarray = np.linalg.eigvalsh(K + 1j * omega * G - omega**2 * M)
        return found

    grid = np.linspace(0.5, limit, 2001)
    below = [int((values(x) < 0).sum()) for x in grid]
    roots = [
        optimize.brentq(lambda x, k=n: values(x)[k], a, b, xtol=1e-12, rtol=1e-14)
        for a, b, n, after in zip(grid, grid[1:], below, below[1:], strict=False)
        if n != after
    ]
    found = solver.critical_speeds("W", below=limit, harmonic=harmonic).speeds
    torsion = np.sqrt(1e4 / 0.3) / harmonic
    np.testing.assert_allclose(np.sort([*roots, torsion]), found, rtol=1e-10)
    assert len(roots) >= 2


def test_critical_speeds_that_no_count_tells_are_refused() -> None:
    """A stiffness that grows faster than W², damping between, and laws that are no table's."""

    def asked(whole: str) -> str:
        solver = mstmm.compile(
            from_text(whole), algorithm="damped", target="numpy", parameters=["W", "w"]
        )
        with pytest.raises(UsageError) as error:
            solver.critical_speeds("W", below=600.0)
        return str(error.value)

    assert "faster than W²" in asked(over_both(DISC, undamped(3, rise=40.0)))
    film = undamped(3)
    film["cxx"] = film["cxx"] + np.array([[0], [0], [9], [0]])
    assert "is damped" in asked(over_both(DISC, film))
    bent = over_both(DISC, undamped(3)).replace("(film_kyy)*q3", "(film_kyy + W**3)*q3")
    assert "hinge bearing changes with W, w otherwise than on straight lines" in asked(bent)
    heavy = over_both(DISC, undamped(3)).replace("mass = 20", 'mass = "20 + W"')
    assert "not only a spin" in asked(heavy)


def test_a_disc_between_two_bearings_moves_as_its_matrices_say() -> None:
    """The second bearing closes a loop, and holds nothing along the axis: steady loads too."""
    arms = (-0.3, 0.4)
    whole = DISC.replace(
        "[bodies.disc.points.c]",
        f"""[bodies.disc.points]
c = {{ position = [{arms[0]}, 0, 0] }}
d = {{ position = [{arms[1]}, 0, 0] }}
[ground.points]
c = {{ position = [{arms[0]}, 0, 0] }}
d = {{ position = [{arms[1]}, 0, 0] }}""",
    ).replace('parent = "ground"', 'parent = "ground:c"')
    whole = (
        whole.replace("1e4, 1e4]", "0, 0]")
        + """
[hinges.other]
kind = "elastic"
parent = "ground:d"
child = "disc:d"
force = ["0", FORCE_2, FORCE_3, "0", "0", "0"]
"""
    )
    solver = mstmm.compile(
        from_text(text(whole)), algorithm="damped", target="numpy", parameters=["W"]
    )

    def matrices(speed: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of y, z and the turns about y, z."""
        at = {x: np.interp(speed, AT, y) for x, y in FILM.items()}
        K, C = np.zeros((4, 4)), np.zeros((4, 4))
        C[2, 3], C[3, 2] = 0.3 * speed, -0.3 * speed
        for arm in arms:
            P = np.array([[1, 0, 0, arm], [0, 1, -arm, 0]])
            K += P.T @ np.array([[at["kxx"], at["kxy"]], [at["kyx"], at["kyy"]]]) @ P
            C += P.T @ np.diag([at["cxx"], at["cyy"]]) @ P
        return np.diag([20, 20, 0.2, 0.2]), C, K

    names, speeds = ("move_y", "move_z", "turn_y", "turn_z"), np.array([0.0, 77.0, 300.0])
    acts = [f"disc.{x}" for x in ("force_y", "force_z", "moment_y", "moment_z")]
    told = [f"disc.{x}" for x in names]
    for given in (speeds, 77.0):
        found = solver.response(speeds, inputs=acts, outputs=told, parameters={"W": given})
        for omega, at, A in zip(speeds, np.broadcast_to(given, 3), found.transfers, strict=True):
            M, C, K = matrices(float(at))
            known = np.linalg.inv(K + 1j * omega * C - omega**2 * M)
            sizes = np.sqrt(np.outer(*[np.abs(np.diag(known))] * 2))
            np.testing.assert_allclose(A / sizes, known / sizes, atol=1e-11)
    whirls = solver.campbell("W", speeds, below=1e4).frequencies
    for at, line in zip(speeds, whirls, strict=True):
        M, C, K = matrices(at)
        lower = [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]
        s = np.linalg.eigvals(np.block([[0 * M, np.eye(4)], lower]))
        known = np.sort([*s.imag[s.imag > 0], np.sqrt(1e4 / 0.3), np.sqrt(1e7 / 20)])
        np.testing.assert_allclose(np.sort(line[np.isfinite(line)]), known, rtol=1e-9)


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
        ('of = "W"', 'of = ["W"]', "are one parameter, or two, with a list of values for each"),
        ('of = "W"', 'of = "W"\nfrequency = "w"', "w is none of what the table is over"),
    ],
)
def test_tables_that_are_none_are_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        from_text(text(DISC).replace(old, new))
