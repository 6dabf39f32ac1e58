"""Exact beams that bear weight and loads at rest: columns, chains, trees, and how far they bend."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import cell_models as models
import mpmath as mp
import numpy as np
import pytest
from test_beam_tension import second_variation
from test_linear_beams import below, see, solver

import mstmm
from mstmm.errors import UsageError
from mstmm.model.files.toml import from_text

#: Of beams that hardly stretch.
SECTION = {**models.SLENDER, "axial_stiffness": 1e9}
SHEARING = {**SECTION, "shear_stiffness": 120.0, "rotary_inertia": 0.0025}


def pulled(text: str, *gravity: float) -> str:
    """The text with gravity."""
    before, _, after = text.partition("gravity = [")
    return f"{before}gravity = {list(gravity)}{after[after.index(']') + 1 :]}"


def hung(section: Any, g: float, head: float = 0.0) -> str:
    """A beam along the first axis, along which gravity pulls, with a head at its tip."""
    text = pulled(models.cantilever(section), g, 0.0)
    if head:
        text += models.body("head", head, 0.02, ["neck"])
        text += models.hinge("neck", "fixed", "arm:tip", "head:neck")
    return text


def roots(function: Callable[[Any], Any]) -> list[float]:
    """Where a function of ω² changes its sign between 0.05 and 9000, in 50 digits."""
    squares = [float(x) for x in np.geomspace(0.05, 9000.0, 60)]
    with mp.workdps(50):
        signs = [mp.sign(function(mp.mpf(w))) for w in squares]
        found = [
            float(mp.findroot(function, (a, b), solver="anderson", tol=1e-50))
            for a, b, x, y in zip(squares, squares[1:], signs, signs[1:], strict=False)
            if x != y
        ]
    assert len(found) >= 3
    return found


def series(w: Any, of: Any, g: Any, head: float) -> Any:
    """det of what a head's balance leaves, by power series of v and θ along the whole beam.

    f = A v′ + B θ with f′ = −w ρ v, and EI θ″ = B v′ + C θ − ρI w θ, A, B, C those of Reissner's
    energy under N = g (head + ρ (1 − x)): B = N − κGA, C = κGA − N.
    """
    kGA, rhoI = mp.mpf(of["shear_stiffness"]), mp.mpf(of["rotary_inertia"])
    A, B0, _, C0 = second_variation()(kGA, g * (head + 1))
    _, B1, _, C1 = (
        y - x for x, y in zip(second_variation()(kGA, 0), second_variation()(kGA, -g), strict=True)
    )
    ends = []
    for slope, curvature in ((1, 0), (0, 1)):
        v, t = [mp.mpf(0), mp.mpf(slope)], [mp.mpf(0), mp.mpf(curvature)]
        for k in range(100):
            t_before, v_before = (t[k - 1], (k) * v[k]) if k else (0, 0)
            rise = (k + 1) * (B0 * t[k + 1] + B1 * t[k])
            v.append(-(w * v[k] + rise) / (A * (k + 1) * (k + 2)))
            turn = B0 * (k + 1) * v[k + 1] + (C0 - rhoI * w) * t[k] + B1 * v_before + C1 * t_before
            t.append(turn / ((k + 1) * (k + 2)))
        force = A * sum(k * x for k, x in enumerate(v)) + (B0 + B1) * sum(t)
        moment = sum(k * x for k, x in enumerate(t))
        ends.append((force - w * head * sum(v), moment - w * 0.02 * bool(head) * sum(t)))
    (a, b), (c, d) = ends
    return a * d - b * c


def slender(w: Any, g: Any, head: float) -> Any:
    """The same of Euler and Bernoulli's beam: v⁗ − (N v′)′ = w v, power by power."""
    ends = []
    for second, third in ((1, 0), (0, 1)):
        v = [mp.mpf(0), mp.mpf(0), mp.mpf(second) / 2, mp.mpf(third) / 6]
        for k in range(100):
            pull = g * (head + 1) * (k + 2) * (k + 1) * v[k + 2] - g * (k + 1) ** 2 * v[k + 1]
            v.append((pull + w * v[k]) / ((k + 4) * (k + 3) * (k + 2) * (k + 1)))
        here, slope, bent, cut = (
            sum(mp.ff(k, d) * x for k, x in enumerate(v) if k >= d) for d in range(4)
        )
        moment = bent - w * 0.02 * bool(head) * slope
        ends.append((moment, cut - g * head * slope + w * head * here))
    (a, b), (c, d) = ends
    return a * d - b * c


@pytest.mark.parametrize(
    ("g", "head", "sheared"),
    [
        (-3.0, 0.3, False),
        *(
            pytest.param(*given, sheared, marks=pytest.mark.long)
            for given in ((9.81, 0.0), (40.0, 0.7), (-5.0, 0.0), (-3.0, 0.3))
            for sheared in (False, True)[given == (-3.0, 0.3) :]
        ),
    ],
)
def test_beams_that_hang_and_stand(g: float, head: float, sheared: bool) -> None:
    """With a head and without: eigenvalues to 1e-12 of the equation's own power series."""
    if sheared:
        values = roots(lambda w: series(w, SHEARING, mp.mpf(g), head))
    else:
        values = roots(lambda w: slender(w, mp.mpf(g), head))
    see(solver(hung(SHEARING if sheared else SECTION, g, head)), values)


@pytest.mark.parametrize("cells", [4, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 64))])
def test_a_column_buckles_by_its_own_weight(cells: int) -> None:
    """q L³/EI = 9/4 j², j the first zero of the Bessel function of order −1/3: 7.837…"""
    with mp.workdps(30):
        j = mp.findroot(lambda x: mp.besselj(-mp.mpf(1) / 3, x), 1.87)
    load = float(9 * j * j / 4)
    assert load == pytest.approx(7.8373474, abs=1e-6)
    for way in (-1, 1):
        of = solver(hung(SECTION, -load * (1 + way * 1e-11)), cells)
        assert below(of, [0.0]) == [way > 0]


@pytest.mark.long
def test_a_chain_swings_as_bessel_says() -> None:
    """What hardly bends hangs as a chain does: ω² = g/4L j₀ₖ², a little more as it bends."""
    section = {**SECTION, "bending_stiffness": 1e-4}
    of = solver(hung(section, 9.81).replace('kind = "fixed"', 'kind = "pin"'), 256)
    for k in (1, 2, 3):
        exact = 9.81 / 4 * float(mp.besseljzero(0, k)) ** 2
        assert below(of, [exact, exact * 1.02]) == [k - 1, k]


def tree(seed: int) -> str:
    """A random tree of beams along the vertical, up and down, with heads, pins and springs."""
    rng = np.random.default_rng(seed)

    def some(low: float, high: float) -> float:
        return round(float(rng.uniform(low, high)), 3)

    down = -math.pi / 2
    text = pulled(models.top(2, f"tree-{seed}"), 0.0, -some(2, 9)) + models.ground(top=down)
    at = ["ground:top"]
    for k in range(3):
        section = {"density": some(0.3, 2), "axial_stiffness": 1e9}
        section |= {"bending_stiffness": some(20, 60), "bending": 4, "axial": 0}
        text += models.beam(f"b{k}", some(0.4, 1.2), section)
        root, tip = ("root", "tip") if k == 0 or rng.random() < 0.6 else ("tip", "root")
        kind, more = ("fixed", {}) if rng.random() < 0.4 else ("pin", {"spring": "S"})
        stiff = {x: f"{{ stiffness = {some(30, 90)} }}" for x in more}
        axes = "" if tip == "tip" else f"axes = {math.pi}\n"
        for name in ("root", "tip"):
            text = text.replace(
                f"[beams.b{k}.points.{name}]\n", f"[beams.b{k}.points.{name}]\n{axes}"
            )
        text += models.hinge(f"h{k}", kind, at[-1], f"b{k}:{root}", **stiff)
        text += models.body(
            f"m{k}", some(0.2, 1.5), some(0.01, 0.1), ["a", "b"], centre=[some(-0.1, 0.3), 0]
        )
        text += f"position = [{some(0, 0.3)}, 0]\n"
        text += models.hinge(f"w{k}", "fixed", f"b{k}:{tip}", f"m{k}:a")
        at.append(f"m{k}:b")
    return text


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_trees_along_the_vertical(seed: int) -> None:
    """Their lowest frequencies are those of four shape functions a beam, by the nonlinear program.

    That knows nothing of tensions: weight stiffens by foreshortening alone.
    """
    model, step = from_text(tree(seed)), 1e-6
    n = len(model.q0)
    ways = step * np.vstack([np.eye(n), -np.eye(n)])
    found = mstmm.compile(model, target="numpy").accelerations(ways, 0 * ways)
    slopes = (found[:n] - found[n:]).T / (2 * step)
    squares = np.sort(-np.linalg.eigvals(slopes).real)[:3]
    of = solver(tree(seed), 8)
    for k, square in enumerate(squares):
        assert below(of, [square * (1 - 2e-5), square * (1 + 2e-5)]) == [k, k + 1]


@pytest.mark.long
def test_what_hangs_in_space_swings_in_two_planes() -> None:
    """On a beam that runs either way: the eigenvalues of both planes, and those of torsion."""
    planes = [
        solver(hung({**SECTION, "bending_stiffness": EI}, 6.0, 0.4)).modes(count=3).squares
        for EI in (1, 2.3)
    ]
    section = {**models.SPATIAL, "axial_stiffness": 1e9, "polar_inertia": 1e-9}
    text = pulled(models.cantilever(section, 3), 0.0, 0.0, -6.0)
    text += models.body("head", 0.4, [1e-9, 0.02, 0.02, 0, 0, 0], ["neck"])
    down = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    for root, tip, way in (
        ("root", "tip", [[0, 1, 0], [0, 0, -1], [-1, 0, 0]]),
        ("tip", "root", down),
    ):
        whole = text.replace(
            'parent = "ground"\nchild = "arm:root"', f'parent = "ground:top"\nchild = "arm:{root}"'
        )
        whole += models.ground(top=way)
        neck = models.hinge("neck", "fixed", f"arm:{tip}", "head:neck")
        found = solver(whole + neck, 8).modes(count=6).squares
        assert found == pytest.approx(np.sort(np.concatenate(planes)), rel=1e-9)


LOADED = pulled(models.cantilever(models.SLENDER), 0.0, -0.12)


def test_a_beam_that_loads_bend_a_little_is_taken_as_straight() -> None:
    """By q L³/6EI = 0.02 at its tip, which the table says; its frequencies are those without."""
    modes = solver(LOADED).modes(count=3)
    straight = solver(models.cantilever(models.SLENDER)).modes(count=3)
    assert modes.squares == pytest.approx(straight.squares, rel=1e-12)
    assert "beams are taken as straight: loads at rest turn their sections by up to 0.02" in str(
        modes
    )
    assert "straight" not in str(straight)
    tip = models.body("head", 0, 0, ["neck"]) + models.hinge(
        "neck", "fixed", "arm:tip", "head:neck"
    )
    load = '[loads.push]\nbody = "head"\nforce = [0, -0.04]\n'
    pushed = solver(models.cantilever(models.SLENDER) + tip + load).modes(count=3)
    assert "by up to 0.02 rad" in str(pushed)  # F L²/2EI
    assert pushed.squares == pytest.approx(straight.squares, rel=1e-12)


@pytest.mark.long
def test_what_a_column_bears_bends_it_farther() -> None:
    """Near its buckling load 9.4 times as far, as its first frequency says."""
    said = str(solver(hung(SECTION, -7.0).replace("-7.0, 0.0", "-7.0, 0.01")).modes(count=1))
    assert "by up to 0.016 rad" in said or "by up to 0.017 rad" in said


@pytest.mark.parametrize("dimension", [2, pytest.param(3, marks=pytest.mark.long)])
def test_a_beam_that_loads_bend_far_is_refused(dimension: int) -> None:
    section: Any = models.SLENDER
    if dimension == 3:  # so soft against torsion that a moment upright twists it as it bends
        section = {**models.SPATIAL, "bending_stiffness": [40, 40], "torsional_stiffness": 0.3}
    text = pulled(models.cantilever(section, dimension), *[0.0] * (dimension - 1), -0.6)
    with pytest.raises(UsageError, match=r"turn sections of beams by up to .* rad, and modes take"):
        solver(text, 4).modes()


def test_hinges_beside_beams_bear_what_is_at_rest() -> None:
    """A spring that holds a beam's weight level; given elsewhere it is not at rest."""
    stiff = {**SECTION, "bending_stiffness": 1e4}
    text = pulled(models.cantilever(stiff), 0.0, -6.0).replace('"fixed"', '"pin"')
    of = solver(text + "spring = { stiffness = 50, rest = 0.06 }\n")
    assert of.modes([0.0], count=1).squares == pytest.approx([150.0], rel=1e-2)
    with pytest.raises(UsageError, match=r"effort -2 of hinge wall is 2.99 where it is at rest"):
        of.modes([0.1])


@pytest.mark.long
def test_damped_motions_bear_weight_alike() -> None:
    """Without damping their frequencies are the natural ones."""
    text = hung(SHEARING, 9.81, 0.7)
    natural = solver(text).modes(count=2).frequencies
    found = mstmm.compile(from_text(text), algorithm="damped", target="numpy").damped(count=2)
    assert found.frequencies == pytest.approx(natural, rel=1e-9)


@pytest.mark.long
def test_strains_and_products_of_what_bears_weight() -> None:
    """Tension has its part of the strain energy, and modes are orthogonal."""
    modes = solver(hung(SHEARING, 9.81, 0.7)).modes(count=4)
    assert abs(modes.strains.shares[:, -1]).max() < 1e-9
    assert np.abs(modes.products / modes.masses - np.eye(4)).max() < 1e-10
