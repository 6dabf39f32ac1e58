"""Exact beams in the linear program: counts and response against closed forms and fine elements."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import cell_models as models
import mpmath as mp
import numpy as np
import pytest
from places import DATA

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Beam, Model
from mstmm.model.files.toml import from_text
from mstmm.runtime.vibration import finding
from mstmm.runtime.vibration.generated import GeneratedStiffness
from mstmm.symbolic.methods.algorithms import Linear
from mstmm.symbolic.methods.linear.cells import cells_for, in_cells

CASES = json.loads((DATA / "linear" / "beams.json").read_text(encoding="utf-8"))["cases"]


def reference(case: str) -> list[float]:
    return [float(x) for x in CASES[case]["reference"]]


@cache
def solver(text: str, cells: int = 16, wrenches: bool = False, target: str = "numpy") -> Any:
    linear = Linear(cells=cells)
    return mstmm.compile(from_text(text), algorithm=linear, target=target, wrenches=wrenches)


def below(of: Any, squares: list[float]) -> list[int]:
    """How many eigenvalues lie below each."""
    found = of.results("count", of.model.q0, omega2=np.array(squares)[:, None])["below"]
    return [int(x) for x in found.ravel()]


def see(of: Any, values: list[float], more: int = 0, within: float = 1e-12) -> None:
    """The count steps at each value by its multiplicity, so near to it; `more` lie below all."""
    for value in dict.fromkeys(values):
        lower, upper = (sum(x < value * (1 + way * 1e-9) for x in values) for way in (-1, 1))
        found = below(of, [value * (1 - within), value * (1 + within)])
        assert found == [lower + more, upper + more], value


@pytest.mark.parametrize("case", models.CASES)
def test_eigenvalues_are_counted(case: str) -> None:
    """To 1e-12, with their multiplicities. Of a free slender beam its own are poles of its root:

    what is left of pivots says that doubles do not tell there.
    """
    text, zero = models.CASES[case]
    values = reference(case)
    of = solver(text, cells_for(from_text(text), 1.01 * math.sqrt(max(values))))
    if case != "03-free-free-EB":
        return see(of, values, zero)
    see(of, values, zero, 1e-9)
    at = np.array([[values[-1] * (1 + 1e-10)]])
    assert of.results("count", of.model.q0, omega2=at)["pivot"][0, 0] < 1e-9


def test_a_frame_of_beams_that_run_the_other_way() -> None:
    see(solver(models.spatial_frame(backward=True), 4), reference("09-spatial-frame"))


def test_a_beam_may_be_held_and_bear_anywhere() -> None:
    """Held in its middle it is two cantilevers; cut there and welded again it is what it was."""
    values = reference("01-clamped-free-EB")
    text = models.top(2, "held") + models.beam("arm", 2.0, models.SLENDER, middle=1.0)
    text += models.hinge("wall", "fixed", "ground", "arm:middle")
    see(solver(text, 16), [x for x in values for _ in range(2)])
    head = models.body("head", 0.3, 0.02, ["neck"]) + models.hinge("weld", "pin", "{}", "head:neck")
    whole = models.top(2, "whole") + models.beam("arm", 1.0, models.SLENDER, middle=0.375)
    whole += models.hinge("wall", "fixed", "ground", "arm:root") + head.format("arm:middle")
    parts = models.top(2, "parts") + models.beam("one", 0.375, models.SLENDER)
    parts += models.beam("two", 0.625, models.SLENDER) + head.format("two:root")
    parts += models.hinge("wall", "fixed", "ground", "one:root")
    parts += models.hinge("joint", "fixed", "one:tip", "two:root")
    squares = list(np.geomspace(1e-3, 4e4, 60))
    found = below(solver(whole), squares)
    assert found == below(solver(parts), squares)
    assert found[-1] > 5


def test_a_foundation_lifts_a_free_beam() -> None:
    """Springs all along: ω² = ω₀² + k/ρA of all that moves across, the rigid motions too."""
    k, values = 150.0, reference("03-free-free-EB")[:2]
    of = solver(models.free_beam({**models.SLENDER, "foundation": k}))
    see(of, [k, k], 1, 1e-12)
    see(of, [x + k for x in values], 3, 1e-10)


@pytest.mark.parametrize(
    "more",
    [
        {"tension": 7.5, "rotary_inertia": 0.003},
        {"tension": -1.1, "foundation": 3.0},
        {"shear_stiffness": 90.0, "rotary_inertia": 0.004, "foundation": 20.0},
    ],
)
def test_tension_shear_and_foundation(more: dict[str, float]) -> None:
    """A cantilever's eigenvalues are zeros of det A, u_O of free ends at I, of exp(G L)."""
    section = {**models.SLENDER, **more}
    of = {"l": 1.0, "rhoA": 1.0, "EA": 1e4, "EIz": 1.0, "T0": more.get("tension", 0.0)}
    of |= {"gz": 1 / more["shear_stiffness"] if "shear_stiffness" in more else 0.0}
    of |= {"rhoIz": more.get("rotary_inertia", 0.0), "kw": more.get("foundation", 0.0)}
    roots = zeros(lambda w: mp.det(models.by_hand(2, w, of)[1:3, 1:3]), 40)
    see(solver(models.cantilever(section)), roots)


def zeros(function: Callable[[Any], Any], count: int) -> list[float]:
    """Where a function of ω² changes its sign between 0.5 and 4000, looked at so often."""
    squares = list(np.geomspace(0.5, 4000.0, count))
    with mp.workdps(40):
        signs = [mp.sign(function(mp.mpf(w))) for w in squares]
        roots = [
            float(mp.findroot(function, (a, b), solver="anderson", tol=1e-50))
            for a, b, x, y in zip(squares, squares[1:], signs, signs[1:], strict=False)
            if x != y
        ]
    assert len(roots) >= 3
    return roots


@pytest.mark.parametrize("backward", [False, True])
def test_a_head_beside_the_axis(backward: bool) -> None:
    """A body whose centre of mass lies beside a beam's axis, which runs either way.

    Seen from the tip to the root all is turned by π: zeros of det (A + B Z), Z = −ω² M.
    """
    m, J, x, y = 0.7, 0.05, 0.1, 0.02
    M = mp.matrix([[m, 0, m * y], [0, m, -m * x], [m * y, -m * x, J + m * (x * x + y * y)]])
    of = {"l": 1.0, "rhoA": 1.0, "EA": 1e4, "EIz": 1.0, "T0": 0.0, "gz": 0.0, "rhoIz": 0.0}

    def held(w: Any) -> Any:
        T = models.by_hand(2, w, {**of, "kw": 0.0})
        return mp.det(T[:3, :3] - w * T[:3, 3:] * M)

    text = models.top(2, "head") + models.beam("arm", 1.0, models.SLENDER)
    root, tip, turn = ("tip", "root", math.pi) if backward else ("root", "tip", 0.0)
    text += models.ground(wall=turn) + models.hinge("wall", "fixed", "ground:wall", f"arm:{root}")
    text += models.body("head", m, J, ["neck"], centre=[x, y], neck=turn)
    text += models.hinge("neck", "fixed", f"arm:{tip}", "head:neck")
    see(solver(text), zeros(held, 40))


def test_a_spring_at_the_end_of_a_beam() -> None:
    """Held by stiff springs at its tip and clamped at its root, whichever of these is cut."""
    squares = list(np.geomspace(1.0, 1e5, 60))
    found = below(solver(models.sprung_tip("wall")), squares)
    assert found == below(solver(models.sprung_tip("spring")), squares)
    assert found[-1] > 5


def test_two_springs_at_one_end_of_a_beam() -> None:
    """Each half as stiff as one: none of them alone holds the end."""
    whole = models.sprung_tip("spring")
    half = whole.replace("[3e6, 20, 7e3]", "[1.5e6, 10, 3.5e3]")
    again = half[half.index("[hinges.spring]") :].replace("hinges.spring", "hinges.second")
    both = half.replace('cuts = ["spring"]', 'cuts = ["spring", "second"]') + again
    squares = list(np.geomspace(1.0, 1e5, 60))
    assert below(solver(both, 4), squares) == below(solver(whole, 4), squares)


@pytest.mark.parametrize("case", models.OTHERWISE)
def test_loops_are_cut_anywhere(case: str) -> None:
    """At a beam's root or tip, in the span, and by a spring between points: the same values."""
    text = models.OTHERWISE[case]
    see(solver(text, 8), reference(case)[:6], models.CASES[case][1])


@pytest.mark.parametrize("pin", "BC")
def test_a_spring_in_a_pin_that_is_cut(pin: str) -> None:
    """Between beams; as stiff as it is where another pin is cut."""

    def sprung(opened: str) -> Any:
        text, own = models.four_bar(opened), f'[hinges.{pin}]\nkind = "pin"\n'
        turn = {"B": -1.0480109333730883, "C": -2.051609157924875}[pin]
        return solver(text.replace(own, f"{own}spring = {{ stiffness = 9, rest = {turn} }}\n"), 4)

    squares = list(np.geomspace(1.0, 1e5, 60))
    found = below(sprung("D"), squares)
    assert found == below(sprung(pin), squares)
    assert found[-1] > 5
    assert found != below(solver(models.four_bar(), 4), squares)


PULLED = {
    r"effort -3e\+03 of hinge spring": models.sprung_tip("spring").replace("t = [0", "t = [-1e-3"),
    "effort -0.854 of hinge A": models.four_bar("A").replace(
        "rest = 1.5707963267948966", "rest = 1.4"
    ),
    "tension 4 of force spring": models.head_on_a_line().replace("rest = 2.0", "rest = 1.9"),
}


@pytest.mark.parametrize("said", PULLED)
def test_beams_that_springs_pull_at_are_refused(said: str) -> None:
    """In hinges that are cut, and between points."""
    with pytest.raises(UsageError, match=rf"is not at rest there: the {said} is not zero"):
        solver(PULLED[said], 4).modes()


def test_a_beam_that_runs_on_and_one_that_runs_back() -> None:
    """Two halves of a bent frame, of which the second runs the other way, are those of one."""
    bent = models.angle(40)
    text = models.top(2, "bent") + models.beam("one", 1.0, models.FRAME)
    text += models.hinge("wall", "fixed", "ground", "one:root")
    onward = models.beam("two", 0.7, models.FRAME, {"root": -bent})
    back = models.beam("two", 0.7, models.FRAME, {"tip": math.pi - bent})
    middle = models.body("head", 0.4, 0.03, ["neck"], centre=[0.1, 0.2])
    onward += models.hinge("joint", "fixed", "one:tip", "two:root") + middle
    back += models.hinge("joint", "fixed", "one:tip", "two:tip") + middle
    onward += models.hinge("neck", "fixed", "two:tip", "head:neck")
    back += models.hinge("neck", "fixed", "two:root", "head:neck")
    neck = "[bodies.head.points.neck]\n"
    back = back.replace(neck, f"{neck}axes = {math.pi}\n")
    squares = list(np.geomspace(0.1, 3000.0, 50))
    found = below(solver(text + onward), squares)
    assert found == below(solver(text + back), squares)
    assert found[-1] > 4


@pytest.mark.parametrize(
    "case",
    [
        *("02-clamped-free-Timoshenko", "05-two-span", "06-portal-frame", "09-spatial-frame"),
        *("11-four-bar-elastic", "13-flexible-arm", "sprung-tip"),
    ],
)
def test_response_and_inertia(case: str) -> None:
    """A⁻¹ and −A′ are even on loads at all ends of cells; differences in ω² give the latter."""
    known = case in models.CASES
    text = models.CASES[case][0] if known else models.sprung_tip("spring")
    of, rng = solver(text, 4, wrenches=True), np.random.default_rng(1)
    interface, square = of.made.prepared.interface, 0.4 * reference(case)[0] if known else 100.0
    there = [x for x in ("tau", "f", "fe") if x in interface.arguments["respond"]]
    loads = {x: rng.standard_normal((3, interface.sizes[x])) for x in there}

    def response(w: float) -> list[np.ndarray]:
        at = {"omega2": np.full((3, 1), w), "q": np.tile(of.model.q0, (3, 1)), **loads}
        buffers = {
            x: np.ascontiguousarray(at[x], dtype=float) if x in at else np.zeros((3, size))
            for x in interface.arguments["respond"]
            for size in [interface.sizes[x]]
        }
        of.made.backend.run("respond", buffers)
        kinds = (("s", "u", "ue"), ("Ps", "P", "Pe"))
        return [np.hstack([buffers[x] for x in y if x in buffers]) for y in kinds]

    load = np.hstack([*loads.values()])
    u, momenta = response(square)
    inertia = u @ momenta.T
    for even in (u @ load.T, inertia):
        assert abs(even - even.T).max() < 1e-13 * abs(even).max()
    step = 1e-4 * square
    change = (response(square + step)[0] - response(square - step)[0]) @ load.T / (2 * step)
    assert abs(change - inertia).max() < 1e-7 * abs(inertia).max()


def test_the_same_beam_bends_by_shape_functions() -> None:
    """With five functions its lowest frequencies are nearly the exact ones, from above."""
    text = models.cantilever({**models.SLENDER, "bending": 5, "axial": 1})
    model, step = from_text(text), 1e-6
    ways = step * np.vstack([np.eye(6), -np.eye(6)])
    found = mstmm.compile(model, target="numpy").accelerations(ways, 0 * ways)
    slopes = (found[:6] - found[6:]).T / (2 * step)
    first, second = np.sort(-np.linalg.eigvals(slopes).real)[:2]
    of = solver(text)
    assert below(of, [first * (1 - 1e-5), second * (1 - 1e-3)]) == [0, 1]
    assert below(of, [first * (1 + 1e-7), second * (1 + 1e-7)]) == [1, 2]


@pytest.mark.parametrize("target", ["c", "c-batch", "numpy"])
def test_loops_close_without_a_coordinate(target: str) -> None:
    """A portal stands between its feet, all of it welded: there is nothing to give."""
    portal = mstmm.compile("portal-frame", algorithm="linear", cells=2, target=target)
    assert portal.coordinates == ()
    for found in portal.constraints([], []):
        assert found == pytest.approx(np.zeros(3), abs=1e-14)


@pytest.mark.parametrize("cells", [1, 2, 8])
def test_models_in_cells(cells: int) -> None:
    """Equal cells between neighbouring points, welded; nothing else changes."""
    model = from_text(models.flexible_arm())
    cut = in_cells(model, cells)
    assert [len(cut.bodies), len(cut.hinges)] == [3 + 2 * cells, 5 + 2 * (cells - 1)]
    assert sum(cut.value(x.length) for x in cut.beams) == pytest.approx(1.8, rel=1e-15)
    assert cut.coordinates == model.coordinates
    assert cut.q0 == model.q0
    assert all(isinstance(x, Beam) and not x.modes for x in cut.beams)


def test_how_many_cells() -> None:
    """At the twelfth frequency of a cantilever, of which √ω is 36.13: 36.13/1.5 = 24.1."""
    model: Model = from_text(models.cantilever(models.SLENDER))
    assert [cells_for(model, w) for w in (36.13**2, 48**2 * 0.999, 48**2 * 1.001)] == [32, 32, 64]
    assert cells_for(model, 1e-3) == 1


def test_a_tension_that_a_body_would_turn_is_refused() -> None:
    """It would hold a lump of some length straight between two beams."""
    text = models.rods(1).replace(
        "bending_stiffness = 1000000000000.0", "tension = 3\nbending_stiffness = 1"
    )
    assert solver(text, 2).stability().stable
    apart = text.replace(
        "[bodies.lump1.points.b]\n", "[bodies.lump1.points.b]\nposition = [0.1, 0]\n"
    )
    with pytest.raises(UsageError, match=r"body lump1 is held at several places beside beam rod0"):
        solver(apart, 2)


def test_what_exact_beams_lack_is_said() -> None:
    text = models.cantilever(models.SLENDER).replace('kind = "fixed"', 'kind = "pin"')
    with pytest.raises(UsageError, match="for this model: beam arm has no shape function; give"):
        mstmm.compile(from_text(text), algorithm="linear", target="numpy").equilibrium()


def test_ten_thousand_cells() -> None:
    """The first 20 bending modes of a cantilever of 10,000 cells, by cos k cosh k = −1.

    A part of it that is held where it ends resonates near every frequency: poles of the recursion.
    """
    model = from_text(models.cantilever({**models.SLENDER, "axial_stiffness": 1e9}))
    of = mstmm.compile(model, algorithm="linear", target="c")
    cells = GeneratedStiffness(of, np.zeros(0), t=0.0, parameters=None, cells=10_000)
    starts = [(2 * j - 1) * mp.pi / 2 for j in range(1, 21)]
    known = [float(mp.findroot(lambda k: mp.cos(k) + mp.sech(k), x) ** 4) for x in starts]
    squares = finding.found(cells, first=20, below=None, prove=False).squares
    np.testing.assert_allclose(squares, known, rtol=1e-12)


def test_a_thousand_lumps_between_rods() -> None:
    """Of the first pass band modes 1, 2, 3, 10, 100, 500, 999 and 1000, by Bloch's closed form."""
    of, numbers = solver(models.rods(1000), 2, target="c"), (1, 2, 3, 10, 100, 500, 999, 1000)
    for k, value in zip(numbers, reference("08-chain-1000-exact-rods"), strict=True):
        assert below(of, [value * (1 - 1e-12), value * (1 + 1e-12)]) == [k - 1, k]


def test_code_does_not_grow_with_cells() -> None:
    def lines(cells: int) -> int:
        of = solver(models.cantilever(models.SLENDER), cells, target="c")
        files = of.generated.sources.files.items()
        return sum(text.count("\n") for name, text in files if name.endswith(".c"))

    assert abs(lines(64) - lines(512)) < 10  # where lines of long numbers are broken


def test_parameters_stay() -> None:
    """A length and a stiffness may be told at run time."""
    text = models.cantilever({**models.SLENDER, "bending_stiffness": '"EI"'})
    text = text.replace("length = 1.0", 'length = "L"').replace("x = 1.0", 'x = "L"')
    model = from_text(text.replace("[beams.arm]", "[parameters]\nL = 2.0\nEI = 3.0\n[beams.arm]"))
    of = mstmm.compile(model, algorithm="linear", target="numpy", parameters=("L", "EI"))
    for value in reference("01-clamped-free-EB")[:2]:
        for way, more in ((-1, 0), (1, 1)):
            at = np.array([[value * (1 + way * 1e-12)]])
            told = {"L": 1.0, "EI": 1.0}
            found = of.results("count", model.q0, parameters=told, omega2=at)["below"][0, 0]
            assert found == reference("01-clamped-free-EB").index(value) + more


@pytest.mark.parametrize("cells", [0, 2.0, True])
def test_a_number_of_cells(cells: object) -> None:
    with pytest.raises(UsageError, match=r"cells = .* must be a whole number from 1 on"):
        Linear(cells=cells)
