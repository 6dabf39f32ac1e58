"""Systems of the deduction theorem's tests, and its equations as texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
import sympy as sp

from mstmm.model import GROUND, Beam, Body, End, Hinge, Model, Point
from mstmm.model.topology import joined_at
from mstmm.symbolic.plans.deduction import OverallEquation, Term, deduce
from mstmm.symbolic.plans.transfer import symbol

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


def square(name: str, side: float = 1.0, **points: tuple[float, float]) -> Body:
    return Body(name, 1.0, side / 6, (0, 0), tuple(Point(n, p) for n, p in points.items()))


def joined(text: str, **more: tuple[object, ...]) -> Hinge:
    name, kind, parent, child = text.split()
    return Hinge(name, kind, (End.parse(parent), End.parse(child)), **more)  # type: ignore[arg-type]


def elastic() -> tuple[object, ...]:
    """A spring along each coordinate of a free hinge."""
    return tuple(-k * sp.Symbol(f"q{i}", real=True) for i, k in ((1, 1e4), (2, 1e4), (3, 1e3)))


def example_1(bending: bool = False) -> Model:
    """Deduction paper, Example 1, its element 3 a rigid bar, or the beam that the paper has."""
    bar = square("3", 3.0, a=(-1.5, 0.0), b=(1.5, 0.0))
    beam = Beam("3", 3.0, 1.0, 1000.0, 1000.0, 2, 4, (Point("a", (0, 0)), Point("b", (3.0, 0))))
    return Model(
        "example",
        2,
        (
            square("1", 0.1, tip=(-0.05, 0.0), b=(0.05, 0.0)),
            beam if bending else bar,
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


def bar(name: str, *points: str) -> Body:
    places = tuple(Point(p, (0.3 * k, 0.1 * k * k)) for k, p in enumerate(points))
    return Body(name, 1.0 + 0.1 * len(name), 0.1, (0.1, 0.2), places)


def model(bodies: list[Body], *hinges: str, **more: object) -> Model:
    made = tuple(joined(text) for text in hinges)
    return Model("m", 2, tuple(bodies), made, (0.5, -9.81), absolute=False, **more)  # type: ignore[arg-type]


def ring(**more: object) -> Model:
    bodies = [bar("1", "a", "b"), bar("2", "a", "b", "c"), bar("3", "a", "b")]
    hinges = ("0 free 0:O 2:c", "4 pin 1:b 2:a", "5 slot 2:b 3:a", "6 slot 3:b 1:a")
    return model(bodies, *hinges, cuts=("6",), **more)


def two_trees() -> Model:
    bodies = [bar("1", "a", "b"), bar("2", "a", "b", "c"), bar("3", "a"), bar("4", "a", "b")]
    hinges = ("5 pin 0:O 1:a", "6 slot 0:P 2:a", "7 pin 2:b 3:a", "8 prismatic 2:c 4:a")
    return model(bodies, *hinges)


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


def external(made: Model, rng: Random) -> Array:
    wrenches = np.array([[rng.uniform(-3, 3) for _ in range(6)] for _ in made.bodies])
    if made.dimension == 2:
        wrenches[:, [0, 1, 5]] = 0.0
    return wrenches
