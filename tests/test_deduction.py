"""The deduction theorem: the papers' forms to the letter, and their meaning in numbers.

Every named matrix is replaced by numbers that a test helper writes down from kinematics and
Newton–Euler (`overall_numbers`); the blocks, multiplied out as they are named, must give the
accelerations and loads of the judges and of the compiled Riccati solver, for every root.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import loop_models
import numpy as np
import pytest
import random_models
import sympy as sp
from compiler import TARGET
from independent.joints import joint_motion, poses
from independent.loops import loop_motion
from overall_numbers import Numbers

import mstmm
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.topology import joined_at
from mstmm.model.types import TIME
from mstmm.symbolic.deduction import Factor, OverallEquation, Row, Term, deduce
from mstmm.symbolic.directions import CONDITIONS
from mstmm.symbolic.joints import joint
from mstmm.symbolic.named import (
    body_matrix,
    geometric_matrices,
    hinge_blocks,
    named_matrices,
    subspace,
    transfer_matrices,
)
from mstmm.symbolic.transfer import symbol

#: Relative to the largest number; systems of at most eight bodies lose no more digits than that.
TOLERANCE = 1e-9

Array = np.ndarray


def written(equation: OverallEquation, kinds: str, opened: bool = False) -> list[list[str]]:
    """Blocks as texts: `-H_5,I2 U_7 U_8`, `A + B C`, `O`."""

    def block(terms: tuple[Term, ...]) -> str:
        text = ""
        for term in terms:
            product = " ".join(factor.text() for factor in equation.factors(term))
            sign = "-" if term.sign < 0 else "+" if text else ""
            text += f" {sign} {product}" if text else f"{sign}{product}"
        return text or "O"

    columns = equation.opened if opened else equation.columns
    return [
        [block(equation.block(row, column, opened)) for column in columns]
        for row in equation.rows
        if row.kind in kinds.split()
    ]


def states(equation: OverallEquation, opened: bool = False) -> list[str]:
    columns = equation.opened if opened else equation.columns
    return [symbol(equation.end(column).indices) for column in columns]


def conditions(equation: OverallEquation) -> list[str]:
    return [equation.end(column).condition for column in equation.columns]


# The papers' examples


def square(name: str, side: float = 1.0, **points: tuple[float, float]) -> Body:
    return Body(name, 1.0, side / 6, (0, 0), tuple(Point(n, p) for n, p in points.items()))


def joined(text: str, **more: tuple[object, ...]) -> Hinge:
    name, kind, parent, child = text.split()
    return Hinge(name, kind, (End.parse(parent), End.parse(child)), **more)  # type: ignore[arg-type]


def elastic() -> tuple[object, ...]:
    """A spring along each coordinate of a free hinge."""
    return tuple(-k * sp.Symbol(f"q{i}", real=True) for i, k in ((1, 1e4), (2, 1e4), (3, 1e3)))


def example_1() -> Model:
    """Deduction paper, Example 1, its beam 3 a rigid bar: what the theorem writes is the same."""
    return Model(
        "example",
        2,
        (
            square("1", 0.1, tip=(-0.05, 0.0), b=(0.05, 0.0)),
            square("3", 3.0, a=(-1.5, 0.0), b=(1.5, 0.0)),
            square("5", 0.1, a=(-0.05, 0.0), b=(0.05, 0.0), foot=(0.0, -0.05)),
            square("8", 0.1, a=(-0.05, 0.0), tip=(0.05, 0.0)),
        ),
        (
            joined("2 fixed 3:a 1:b"),
            joined("4 fixed 5:a 3:b"),
            joined("6 free 0:foot 5:foot", force=elastic()),
            joined("7 free 5:b 8:a", force=elastic()),
        ),
        (0.0, 0.0),
        absolute=False,
        ground=(Point("foot", (3.15, -0.05)),),
    )


def example_2(**more: object) -> Model:
    """Deduction paper, Example 2: a ring of six squares hangs on the first one."""
    ends = {"a": (-0.5, 0.0), "b": (0.5, 0.0)}
    bodies = [square(name, **ends) for name in ("1", "5", "7", "11", "13")]
    bodies.append(square("3", a=(-0.5, 0.0), b=(0.5, 0.5), c=(0.5, -0.5)))
    bodies.append(square("9", a=(-0.5, 0.5), b=(-0.5, -0.5)))
    hinges = ["1:b 3:a", "3:b 5:a", "5:b 7:a", "7:b 9:a", "3:c 11:a", "11:b 13:a", "13:b 9:b"]
    return Model(
        "example",
        2,
        tuple(bodies),
        (
            joined("ceiling pin 0:O 1:a"),
            *(joined(f"{2 * k} pin {ends}") for k, ends in enumerate(hinges, start=1)),
        ),
        (0.0, -9.81),
        absolute=False,
        cuts=("14",),
        q0=(np.pi / 6, *[0.0] * 6),
        **more,  # type: ignore[arg-type]
    )


def test_example_1() -> None:
    equation = deduce(example_1())
    assert equation.transfer.form == "tree"
    assert states(equation) == ["z_6,0", "z_1,0", "z_8,0"]
    assert conditions(equation) == ["clamped", "free", "free"]
    assert written(equation, "main geometric") == [
        ["-I", "U_6 U_5,I1 U_4 U_3 U_2 U_1", "U_6 U_5,I2 U_7 U_8"],
        ["O", "H_5,I1 U_4 U_3 U_2 U_1", "-H_5,I2 U_7 U_8"],
    ]
    assert written(equation, "hinge") == [
        ["O", "G_6 U_6 U_5,I1 U_4 U_3 U_2 U_1", "G_6 U_6 U_5,I2 U_7 U_8"],
        ["O", "O", "G_7 U_7 U_8"],
    ]
    assert (equation.counts.unknown, equation.counts.given) == (15, 15)
    assert dict(equation.counts.equations) == {
        "main rows": 6,
        "geometric rows": 3,
        "hinge rows": 6,
    }


def test_example_2() -> None:
    equation = deduce(example_2())
    A = "U_4 U_5 U_6 U_7 U_8 U_9"
    B = "U_10 U_11 U_12 U_13 U_14"
    assert equation.transfer.form == "general system"
    assert states(equation, opened=True) == ["z_1,0", "z_9,14", "z_14,9"]
    assert written(equation, "main geometric", opened=True) == [
        ["-I", f"U_1 U_2 U_3,I1 {A}", f"U_1 U_2 U_3,I2 {B}"],
        ["O", f"H_3,I1 {A}", f"-H_3,I2 {B}"],
    ]
    assert states(equation) == ["z_1,0", "z_9,14"]
    assert conditions(equation) == ["pinned", "cut"]
    assert written(equation, "main geometric") == [
        ["-I", f"U_1 U_2 U_3,I1 {A} + U_1 U_2 U_3,I2 {B} C"],
        ["O", f"H_3,I1 {A} - H_3,I2 {B} C"],
    ]
    assert [row[1] for row in written(equation, "hinge")] == [
        f"G_2 U_2 U_3,I1 {A} + G_2 U_2 U_3,I2 {B} C",
        f"G_10 {B} C",
        "G_12 U_12 U_13 U_14 C",
        "G_14 U_14 C",
        f"G_4 {A}",
        "G_6 U_6 U_7 U_8 U_9",
        "G_8 U_8 U_9",
    ]
    assert (equation.counts.unknown, equation.counts.given) == (16, 16)


def test_example_2_from_its_other_first_input() -> None:
    equation = deduce(example_2(first_inputs={"3": "c"}))
    assert written(equation, "geometric")[0][1] == (
        "-H_3,I2 U_4 U_5 U_6 U_7 U_8 U_9 + H_3,I1 U_10 U_11 U_12 U_13 U_14 C"
    )


def test_example_2_starts_as_computed_elsewhere() -> None:
    """Ω̇ at the start: numbers of another program, from Lagrange's equations with multipliers."""
    numbers = Numbers(deduce(example_2()), np.array(example_2().q0), np.zeros(7))
    rates, _ = numbers.results()
    first = numbers.solve()[1][0][2]
    spin = first + np.cumsum([0.0, *rates[1:5]])  # the chain 1 – 3 – 5 – 7 – 9
    expected = [-8.955140047354837, 0.24072058368847, 0.24740726656869, -0.0969569017634]
    assert spin == pytest.approx([*expected, 0.24072058368847], rel=1e-10)


# Other forms


def bar(name: str, *points: str) -> Body:
    places = tuple(Point(p, (0.3 * k, 0.1 * k * k)) for k, p in enumerate(points))
    return Body(name, 1.0 + 0.1 * len(name), 0.1, (0.1, 0.2), places)


def model(bodies: list[Body], *hinges: str, **more: object) -> Model:
    made = tuple(joined(text) for text in hinges)
    return Model("m", 2, tuple(bodies), made, (0.5, -9.81), absolute=False, **more)  # type: ignore[arg-type]


def test_chain() -> None:
    equation = deduce(mstmm.load("rod-chain:n=3"))
    assert states(equation) == ["z_5,0", "z_1,0"]
    assert written(equation, "main geometric") == [["-I", "U_5 U_4 U_3 U_2 U_1"]]
    assert written(equation, "hinge") == [["O", "G_4 U_4 U_3 U_2 U_1"], ["O", "G_2 U_2 U_1"]]


def ring(**more: object) -> Model:
    bodies = [bar("1", "a", "b"), bar("2", "a", "b", "c"), bar("3", "a", "b")]
    hinges = ("0 free 0:O 2:c", "4 pin 1:b 2:a", "5 slot 2:b 3:a", "6 slot 3:b 1:a")
    return model(bodies, *hinges, cuts=("6",), **more)


def test_ring() -> None:
    equation = deduce(ring())
    assert states(equation) == ["z_1,6"]
    assert states(equation, opened=True) == ["z_6,1", "z_1,6"]
    assert written(equation, "main geometric") == [["U_6 U_3 U_5 U_2 U_4 U_1 - I"]]
    assert written(equation, "main", opened=True) == [["-I", "U_6 U_3 U_5 U_2 U_4 U_1"]]
    assert dict(equation.counts.unknowns) == {
        "states at cuts": 6,
        "relative accelerations in hinges": 5,
    }


def two_trees() -> Model:
    bodies = [bar("1", "a", "b"), bar("2", "a", "b", "c"), bar("3", "a"), bar("4", "a", "b")]
    hinges = ("5 pin 0:O 1:a", "6 slot 0:P 2:a", "7 pin 2:b 3:a", "8 prismatic 2:c 4:a")
    return model(bodies, *hinges)


def test_two_trees() -> None:
    equation = deduce(two_trees())
    assert states(equation) == ["z_1,O", "z_1,I", "z_6,0", "z_3,0", "z_4,0"]
    assert written(equation, "main geometric") == [
        ["-I", "U_1", "O", "O", "O"],
        ["O", "O", "-I", "U_6 U_2,I1 U_7 U_3", "U_6 U_2,I2 U_8 U_4"],
        ["O", "O", "O", "H_2,I1 U_7 U_3", "-H_2,I2 U_8 U_4"],
    ]


def test_three_inputs_have_a_geometric_matrix_for_each_further_one() -> None:
    bodies = [bar("1", "a", "b", "c", "d"), *(bar(name, "a") for name in "234")]
    made = model(bodies, "5 pin 0:O 1:a", "6 pin 1:b 2:a", "7 pin 1:c 3:a", "8 pin 1:d 4:a")
    assert written(deduce(made), "geometric") == [
        ["O", "H_1,I1^(2) U_6 U_2", "-H_1,I2 U_7 U_3", "O"],
        ["O", "H_1,I1^(3) U_6 U_2", "O", "-H_1,I3 U_8 U_4"],
    ]


def test_derivation_has_it_for_every_model() -> None:
    spatial = loop_models.loop_model(Random(1), 3, 4, 1)[0]
    for made in (example_1(), example_2(), ring(), two_trees(), spatial, loop_models.four_bar()):
        derived = mstmm.derive(made)
        assert derived.overall is derived.overall
        assert derived.overall.rows


# In numbers


def roots(made: Model, rng: Random, most: int = 3) -> Iterator[Model]:
    """The model, and with other roots and first inputs."""
    yield made
    there = joined_at(made.hinges)
    ends = [End(body.name, point.name) for body in made.bodies for point in body.points]
    free = [end for end in ends if end not in there]
    grounded = [end for end in there if there[end][1].body == GROUND]
    for end in rng.sample(free, min(most, len(free))) + grounded[1:]:
        turned = replace(made, root=str(end))
        bodies = [e for e in deduce(turned).transfer.elements if len(e.inputs) > 1]
        yield replace(turned, first_inputs={e.name: rng.choice(e.inputs).point for e in bodies})


def agree(found: Array, expected: Array) -> None:
    expected = np.array(expected, dtype=float)
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    assert np.abs(found - expected).max(initial=0.0) <= TOLERANCE * scale


def compare(numbers: Numbers, rates: Array, loads: dict[str, Array]) -> None:
    """Accelerations of the hinges that are elements, and every load (none at a free end)."""
    found, at = numbers.results()
    known = ~np.isnan(found)
    agree(found[known], rates[known])
    none = np.zeros(6)
    agree(
        np.array([at.get(end, none) for end in loads]).ravel(),
        np.array(list(loads.values())).ravel(),
    )


def driven_by(made: Model, rng: Random) -> Array:
    """Generalised forces, none at hinges that are boundary conditions."""
    tau = np.array([rng.uniform(-3, 3) for _ in made.speeds])
    for hinge in made.hinges:
        held = hinge.kind in CONDITIONS or hinge.kind == "free"
        if held and any(end.body == GROUND for end in hinge.ends):
            for name in made.hinge_speeds(hinge):
                tau[made.speeds.index(name)] = 0.0
    return tau


def external(made: Model, rng: Random) -> Array:
    wrenches = np.array([[rng.uniform(-3, 3) for _ in range(6)] for _ in made.bodies])
    if made.dimension == 2:
        wrenches[:, [0, 1, 5]] = 0.0
    return wrenches


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(15))
def test_random_trees(dimension: int, seed: int) -> None:
    rng = Random(1000 * dimension + seed)
    made = random_models.joint_tree(rng, dimension, None, rng.randint(1, 7))
    q, v = np.array(made.q0), np.array(made.v0)
    tau, wrenches = driven_by(made, rng), external(made, rng)
    expected = joint_motion(made, q, v, tau, wrenches)
    for turned in roots(made, rng):
        numbers = Numbers(deduce(turned), q, v, tau, wrenches)
        compare(numbers, expected.accelerations, expected.loads)


def looped(rng: Random, dimension: int, bodies: int, loops: int) -> tuple[Model, Array]:
    """A model with loops whose loads are determined, and speeds that the loops allow.

    No screw is cut: the numbers here tell a cut hinge's conditions by fixed axes alone.
    """
    while True:
        made = loop_models.loop_model(rng, dimension, bodies, loops)[0]
        if any(hinge.kind == "helical" and hinge.name in made.cuts for hinge in made.hinges):
            continue
        at_rest = loop_motion(made, np.array(made.q0), np.zeros(len(made.speeds)))
        if not at_rest.redundant:
            return made, loop_models.allowed_speeds(rng, at_rest.jacobian)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_random_loops(dimension: int, seed: int) -> None:
    rng = Random(2000 * dimension + seed)
    made, v = looped(rng, dimension, rng.randint(3, 6), rng.randint(1, 2))
    q = np.array(made.q0)
    expected = loop_motion(made, q, v)
    loads = {**expected.tree.loads, **expected.cut_loads}
    for turned in roots(made, rng, 2):
        compare(Numbers(deduce(turned), q, v), expected.accelerations, loads)


def closed(made: Model) -> Model:
    """The cut hinge's parent end moved to where it meets the child's."""
    opened = replace(made, hinges=made.tree_hinges, cuts=())
    at = dict(zip([b.name for b in made.bodies], poses(opened, made.q0), strict=True))
    (cut,) = (hinge for hinge in made.hinges if hinge.name in made.cuts)
    parent, child = cut.ends
    spot = at[child.body] @ np.array([*made.body(child.body).point(child.point).position, 0.0, 1.0])
    place = np.linalg.inv(at[parent.body]) @ spot
    bodies = []
    for body in made.bodies:
        points = [
            replace(p, position=tuple(float(x) for x in place[:2]))
            if End(body.name, p.name) == parent
            else p
            for p in body.points
        ]
        bodies.append(replace(body, points=tuple(points)))
    return replace(made, bodies=tuple(bodies))


def test_ring_in_numbers() -> None:
    rng = Random(4)
    made = closed(ring(q0=(0.1, -0.2, 0.7, 0.4, 0.3, -0.9)))
    q = np.array(made.q0)
    jacobian = loop_motion(made, q, np.zeros(len(q))).jacobian
    v = loop_models.allowed_speeds(rng, jacobian)
    expected = loop_motion(made, q, v)
    loads = {**expected.tree.loads, **expected.cut_loads}
    forms = set()
    for turned in (made, replace(made, root="2:c"), replace(made, cuts=("5",), q0=(), v0=())):
        equation = deduce(turned)
        forms.add(equation.transfer.form)
        if turned.cuts == made.cuts:
            compare(Numbers(equation, q, v), expected.accelerations, loads)
    assert forms == {"closed loop", "general system"}


def test_two_trees_in_numbers() -> None:
    rng = Random(6)
    made = two_trees()
    q, v = (np.array([rng.uniform(-1, 1) for _ in made.speeds]) for _ in range(2))
    expected = joint_motion(made, q, v)
    for turned in roots(made, rng):
        compare(Numbers(deduce(turned), q, v), expected.accelerations, expected.loads)


SOLVED = [
    *(("tree", dimension, seed) for dimension in (2, 3) for seed in (0, 1)),
    *(("loop", dimension, 0) for dimension in (2, 3)),
]


@pytest.mark.parametrize(("topology", "dimension", "seed"), SOLVED)
def test_same_as_the_compiled_riccati_solver(topology: str, dimension: int, seed: int) -> None:
    rng = Random(f"{topology}{dimension}{seed}")
    if topology == "tree":
        made = random_models.joint_tree(rng, dimension, None, 5)
        v = np.array(made.v0)
    else:
        made, v = looped(rng, dimension, 4, 1)
    q = np.array(made.q0)
    solver = mstmm.compile(made, algorithm="riccati", target=TARGET)
    rates = solver.accelerations(q, v)
    loads = dict(zip(solver.ends, solver.joint_loads(q, v), strict=True))
    for turned in roots(made, rng, 2):
        compare(Numbers(deduce(turned), q, v), rates, loads)


def test_a_driven_hinge_in_numbers() -> None:
    made = two_trees()
    wave = sp.sin(2 * TIME) / 3
    hinges = tuple(replace(h, motion=(wave,)) if h.name == "8" else h for h in made.hinges)
    made = replace(made, hinges=hinges, q0=(), v0=())
    at, t = np.array([0.3, -0.4, 0.2, 0.5]), 0.7
    v = np.array([1.0, -0.7, 0.4, 0.9])
    moving = [float(sp.diff(wave, TIME, k).subs(TIME, t)) for k in range(3)]
    solver = mstmm.compile(made, target="numpy")
    rates = solver.accelerations(at, v, t=t)
    loads = dict(zip(solver.ends, solver.joint_loads(at, v, t=t), strict=True))
    assert two_trees().speeds[:4] == made.speeds
    numbers = Numbers(
        deduce(made),
        np.append(at, moving[0]),
        np.append(v, moving[1]),
        driven={"8": np.array(moving[2:])},
    )
    compare(numbers, np.append(rates, np.nan), loads)


def test_a_wrong_sign_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every term of Example 2 in turn with its sign changed: the numbers differ."""
    made = example_2()
    rng = Random(1)
    q = np.array(made.q0)
    v = loop_models.allowed_speeds(rng, loop_motion(made, q, np.zeros(7)).jacobian)
    equation = deduce(made)

    def found() -> Array:
        numbers = Numbers(equation, q, v)
        return np.append(numbers.results()[0][1:], numbers.solve()[1][0])

    right = found()
    block = OverallEquation.block
    terms = [
        (row, column, i)
        for row in equation.rows
        for column in equation.columns
        for i, _ in enumerate(block(equation, row, column))
    ]

    def signed(at: tuple[object, int, int]) -> Callable[..., tuple[Term, ...]]:
        def wrong(self: OverallEquation, row: Row, column: int) -> tuple[Term, ...]:
            found = list(block(self, row, column))
            if (row, column) == at[:2]:
                found[at[2]] = replace(found[at[2]], sign=-found[at[2]].sign)
            return tuple(found)

        return wrong

    seen = []
    for at in terms:
        monkeypatch.setattr(OverallEquation, "block", signed(at))
        seen.append(bool(np.abs(found() - right).max() > 1e-3))
    # A row that is one product and no sum means the same with either sign: those of 4 – 14.
    assert (len(terms), seen) == (13, [True] * 7 + [False] * 6)


# The named matrices, entry by entry


def body_values(made: Model, numbers: Numbers, name: str) -> tuple[dict[sp.Expr, float], list[End]]:
    """Numbers for the symbols of a body's matrices."""
    element = numbers.elements[name]
    body, frame = made.body(name), numbers.frames[name]
    first = numbers.place(element.inputs[0])
    position = [made.value(x) for x in body.centre]
    C = (frame.x @ np.array([*position, *[0.0] * (3 - len(position)), 1.0]))[:3]
    m, c = made.value(body.mass), C - first.r
    R = frame.x[:3, :3]
    k = [b.name for b in made.bodies].index(name)
    inertia = body.inertia
    own = (
        np.array([[made.value(x) for x in row] for row in inertia])
        if isinstance(inertia, tuple)
        else np.diag([0.0, 0.0, made.value(inertia)])
    )
    J = R @ own @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c))
    gravity = np.array([*map(made.value, made.gravity), 0.0])[:3]
    values: dict[str, float] = {"m": m}
    vectors = {
        "c": c,
        "o": numbers.place(element.output).r - first.r,
        "Omega": first.Omega,
        "f": m * gravity + numbers.wrenches[k, 3:],
        "M": numbers.wrenches[k, :3],
    }
    if len(element.inputs) > 1:
        vectors["i2"] = numbers.place(element.inputs[1]).r - first.r
    for letter, vector in vectors.items():
        values |= {f"{letter}_{axis}": x for axis, x in zip("xyz", vector, strict=True)}
    values |= {f"J_{i + 1}{j + 1}": J[i, j] for i in range(3) for j in range(3)}
    return {sp.Symbol(n, real=True): x for n, x in values.items()}, list(element.inputs)


@pytest.mark.parametrize("dimension", [2, 3])
def test_named_matrices_of_bodies(dimension: int) -> None:
    rng = Random(dimension)
    made = random_models.tree_of(dimension, (2, 0, 0), 3)
    made = replace(made, absolute=False, q0=(), v0=())
    q, v = random_models.random_joint_state(rng, made)
    wrenches = external(made, rng)
    numbers = Numbers(deduce(made), np.array(q), np.array(v), None, wrenches)
    element = next(e for e in numbers.elements.values() if len(e.inputs) == 2)
    values, _ = body_values(made, numbers, element.name)
    keep = [*range(2 * numbers.n), numbers.size - 1]

    def same(matrix: sp.Matrix, factor: Factor) -> None:
        given = np.array(matrix.xreplace(values).tolist(), dtype=float)
        found = numbers.matrix(factor)
        rows = keep if len(found) == numbers.size else range(len(found))
        assert np.abs(given - found[np.ix_(rows, keep)]).max() < 1e-13 * max(1, np.abs(found).max())

    U_I1, U_I2 = transfer_matrices(dimension)
    H_I1, H_I2 = geometric_matrices(dimension)
    same(U_I1, Factor("U", element.index(1)))
    same(U_I2, Factor("U", element.index(2)))
    same(H_I1, Factor("H", element.index(1)))
    same(H_I2, Factor("H", element.index(2)))
    same(body_matrix(dimension, 1), Factor("U", element.index(1)))


def inserted(entry: sp.Expr, blocks: dict[str, sp.Matrix], shape: tuple[int, int]) -> sp.Matrix:
    """A sum of products of names of blocks, with the blocks for the names."""
    if entry.is_commutative:
        return sp.Matrix([[entry]]) if shape == (1, 1) else entry * sp.ones(*shape)
    blocks = {**blocks, "unit": sp.eye(shape[0])}
    total = sp.zeros(*shape)
    for term in sp.Add.make_args(entry):
        number, factors = term.as_coeff_mul()
        product = blocks[factors[0].name]
        for factor in factors[1:]:
            product *= blocks[factor.name]
        total += number * product
    return total


@pytest.mark.parametrize("dimension", [2, 3])
def test_named_blocks_make_up_the_matrices(dimension: int) -> None:
    made = random_models.tree_of(dimension, (2, 0, 0), 3)
    named = {one.factor.text(): one for one in named_matrices(deduce(made))}
    whole = dict(
        zip(
            ("U_j,I1", "U_j,Ik", "H_j,I1", "H_j,Ik"),
            (*transfer_matrices(dimension), *geometric_matrices(dimension)),
            strict=True,
        )
    )
    blocks = {name: block for one in named.values() for name, block in one.blocks}
    sizes = [1] * 7 if dimension == 2 else [3, 3, 3, 3, 1]
    starts = np.cumsum([0, *sizes])
    for name, matrix in whole.items():
        shown = named[name].matrix
        for i in range(shown.rows):
            for j in range(shown.cols):
                given = inserted(shown[i, j], blocks, (sizes[i], sizes[j]))
                part = matrix[starts[i] : starts[i + 1], starts[j] : starts[j + 1]]
                assert (given - part).expand().is_zero_matrix, (name, i, j)


HINGES = [(d, kind) for d, kinds in mstmm.model.types.HINGE_KINDS.items() for kind in kinds]


@pytest.mark.parametrize(("dimension", "kind"), HINGES)
@pytest.mark.parametrize("root", ["", "2:free"])
def test_named_matrices_of_hinges(dimension: int, kind: str, root: str) -> None:
    """X, what it does to (m, q), and H in the axes of the output end, both ways through."""
    rng = Random(f"{dimension}{kind}")
    base = random_models.joint_tree(rng, dimension, (kind,), 2)
    while len(base.bodies) < 2:
        base = random_models.joint_tree(rng, dimension, (kind,), 2)
    inner = next(h for h in base.hinges if all(end.body != GROUND for end in h.ends))
    free = {
        "": "",
        "2:free": f"{inner.ends[1].body}:free",
    }[root]
    origin = (0.1,) * dimension
    bodies = tuple(replace(b, points=(*b.points, Point("free", origin))) for b in base.bodies)
    made = replace(base, bodies=bodies, root=free)
    q, v = random_models.random_joint_state(rng, made)
    numbers = Numbers(deduce(made), np.array(q), np.array(v))
    element = next(e for e in numbers.elements.values() if e.name == inner.name and not e.is_body)
    U = numbers.matrix(Factor("U", (element.label,)))
    start, end = numbers.place(element.inputs[0]), numbers.place(element.output)
    d = dict(zip(sp.symbols("d_x d_y d_z", real=True), end.r - start.r, strict=True))
    n = numbers.n
    for block, at in zip(hinge_blocks(dimension), (slice(0, n), slice(n, 2 * n)), strict=True):
        assert np.abs(np.array(block.xreplace(d).tolist(), dtype=float) - U[at, at]).max() < 1e-14
    if not element.freedoms:
        return
    from_parent = element.output == inner.ends[1]
    relative = joint(dimension, inner.kind)
    own = [made.coordinates.index(name) for name in made.hinge_coordinates(inner)]
    values = dict(zip(relative.q, [q[i] for i in own], strict=True))
    pitch = {sp.Symbol("pitch", real=True): made.value(inner.pitch)}
    H = subspace(dimension, inner.kind, from_parent).xreplace(values | pitch).evalf()
    given = np.array(H.tolist(), dtype=float)
    axes = end.axes[:dimension, :dimension]
    turned = np.vstack(
        [axes @ given[:dimension], given[dimension:] if dimension == 2 else axes @ given[3:]]
    )
    slots = [2 * n + slot for slot in numbers.slots[element.label]]
    assert np.abs(turned - U[:n, slots]).max() < 1e-13


def test_a_long_chain_is_fast() -> None:
    began = time.perf_counter()
    equation = deduce(mstmm.load("rod-chain:n=4000"))
    assert equation.counts.unknown == 6 + 3999
    (row,) = (row for row in equation.rows if row.kind == "main")
    (term,) = equation.block(row, 1)
    assert equation.length(term) == 7999
    assert time.perf_counter() - began < 20
