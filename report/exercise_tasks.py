"""What exercises ask, in the papers' letters, with data drawn at random.

Whatever is asked is read off the programs of `mstmm`, but for counts and natural frequencies, which
have shorter ways. Everything is planar; states are [ẍ ÿ Ω̇ m q_x q_y 1].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..model import Body, End, Hinge, Model, Point, load
from ..runtime.derived import derive
from .documents.document import Block, Cell, Drawing, Letters, Numbers, Prose, Table
from .drawing.topology import topology_svg

#: An answer: a number, a count, elements in their order, or entries of a state in any.
Answer = float | int | tuple[str, ...] | frozenset[str]

#: The entries of a state, as answers name them.
ENTRIES = ("x", "y", "Omega", "m", "qx", "qy")

#: What is known of a state at an end.
ENDS: Mapping[str, frozenset[str]] = {
    "free": frozenset(("m", "qx", "qy")),
    "pinned to the ground": frozenset(("x", "y", "m")),
    "clamped to the ground": frozenset(("x", "y", "Omega")),
    "held by a slider on the ground, which moves along x alone": frozenset(("y", "Omega", "qx")),
    "on a roller, which moves along x and turns": frozenset(("y", "m", "qx")),
}


class Asked(NamedTuple):
    """What is to be found: by which name, what it is, and the right answer."""

    name: str
    words: str
    answer: Answer


#: Which way the forces of a state act, docs/course/state-vector.md.
SIGNS = (
    "At a cut q is the force of the element before it on the one behind, and m the moment the "
    "other way, of the one behind on the one before."
)

Drawn = tuple[str, tuple[Block, ...], tuple[Asked, ...]]
Random = np.random.Generator


def transfer_matrix(rng: Random) -> Drawn:
    """Entries of a body's transfer matrix."""
    model, given, omega = _body(rng)
    U = derive(model).at([0.0], [omega])["U[1]"]
    places = ((1, 3), (2, 7), (4, 1), (4, 3), (4, 6), (4, 7), (5, 3), (6, 7))
    return (
        "The transfer matrix of a body",
        (*given, Prose(f"{SIGNS} Find entries of U in z_O = U z_I.")),
        tuple(
            Asked(f"U{i}{j}", f"row {i}, column {j} of U", float(U[i - 1, j - 1]))
            for i, j in places
        ),
    )


def riccati_step(rng: Random) -> Drawn:
    """S and e behind a body with a free tip."""
    model, given, omega = _body(rng)
    values = derive(model).at([0.0], [omega])
    words = Prose(
        f"{SIGNS} I is a free end. With z_a = (m, q_x, q_y) and z_b = (ẍ, ÿ, Ω̇), find S and e in "
        "z_a = S z_b + e at O."
    )
    asked = _entries(values["S[1:O]"], values["e[1:O]"], ("S11", "S12", "S13", "S23", "e1", "e2"))
    return "A Riccati step through a body", (*given, words), asked


def hinge_step(rng: Random) -> Drawn:
    """S and e behind a pin."""
    m, a, theta, omega = _of(rng, 0.5, 3), _of(rng, 0.3, 1), _of(rng, 0.2, 2.9), _of(rng, -3, 3)
    values = derive(load("rod-chain:n=2")).at(
        [theta, 1.0], [omega, 0.0], parameters={"m": m, "a": a}
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (Letters(name), Numbers.of(values[f"{name}[1:O]"])) for name in ("S", "e")
    )
    given = (
        Prose(
            f"{SIGNS} In front of a smooth pin z_a = S z_b + e, z_a = (m, q_x, q_y), "
            "z_b = (ẍ, ÿ, Ω̇):"
        ),
        Table(("name", "value"), rows),
        Prose("Find S and e behind the pin, where Ω̇ is that of another body."),
    )
    names = ("S21", "S22", "S31", "S32", "e2", "e3")
    return (
        "A Riccati step through a pin",
        given,
        _entries(values["S[3:I]"], values["e[3:I]"], names),
    )


def counting(rng: Random) -> Drawn:
    """Unknowns and equations of a tree, by the deduction theorem."""
    model, tips = _tree(rng)
    pins = len(model.hinges) - 1
    asked = (
        Asked("tips", "free ends", len(tips)),
        Asked("unknowns", "at the root, at the tips, and one for each pin inside", 0),
        Asked("main", "main rows", 6),
        Asked("geometric", "geometric rows", 3 * (len(tips) - 1)),
        Asked("hinge", "rows of the pins inside", pins),
    )
    total = Asked(*asked[1][:2], 3 + 3 * len(tips) + pins)
    return "Counting unknowns", _drawn(model), (asked[0], total, *asked[2:])


def overall(rng: Random) -> Drawn:
    """The products of the main row."""
    model, tips = _tree(rng)
    behind = {hinge.ends[0].body: hinge for hinge in model.hinges}

    def way(body: str) -> Iterator[str]:
        yield body
        while (hinge := behind[body]).ends[1].body != "0":
            yield from (hinge.name, body := hinge.ends[1].body)

    words = Prose(
        "The main row of the overall equation is a sum over the tips. Find which elements are "
        "multiplied for each, as numbers in the order of the product: the root's body first."
    )
    asked = tuple(
        Asked(f"tip{tip}", f"the product of the tip {tip}:I", tuple(way(tip))[::-1]) for tip in tips
    )
    return "The main row", (*_drawn(model), words), asked


def loop(rng: Random) -> Drawn:
    """The overall equation of a four-bar, in numbers."""
    angles = [_of(rng, *between) for between in ((0.8, 1.6), (-0.5, 0.5), (-1.6, -0.8))]
    data = [(_of(rng, 0.5, 3), _of(rng, 0.4, 1.5)) for _ in angles]
    lengths = np.array([a for _, a in data])
    foot = float(-lengths @ np.cos(angles)), float(-lengths @ np.sin(angles))
    pins = ("6", "0", "O", "5"), ("4", "5", "I", "3"), ("2", "3", "I", "1"), ("8", "0", "I", "1")
    model = Model(
        name="loop",
        dimension=2,
        bodies=tuple(
            Body(name, m, m * a**2 / 12, (a / 2, 0), (Point("I", (0, 0)), Point("O", (a, 0))))
            for name, (m, a) in zip("135", data, strict=True)
        ),
        hinges=tuple(
            Hinge(x, "pin", (End(b, p), End(c, "I" if x == "8" else "O"))) for x, b, p, c in pins
        ),
        gravity=(0, -9.81),
        ground=(Point("O", (0, 0)), Point("I", foot)),
        q0=(angles[2], angles[1] - angles[2], angles[0] - angles[1]),
        cuts=("8",),
    )
    values = derive(model).at(model.q0, [0.0] * 3)
    across = np.cumsum(values["accelerations"])[::-1]
    q = -values["loads"][-1, 3:5]  # what acts on the cut's other side
    rods = zip("135", data, angles, strict=True)
    rows = tuple((f"rod {x}", f"{m:g} kg", f"{a:g} m", f"{t:g}") for x, (m, a), t in rods)
    given = (
        Prose(
            "Three slender rods are a chain, with pins 2 and 4 between them, from I of rod 1 to O "
            "of rod 5; both are pinned to the ground, and all is at rest. "
            f"θ is the angle from x to the direction from I to O. {SIGNS} g = 9.81 m/s² along −y."
        ),
        Table(("rod", "mass", "length", "θ"), rows),
        Prose("Write the overall equation, with δ of both pins, and solve it."),
    )
    found = (*across, *q)
    words = [f"angular acceleration of rod {x}, rad/s²" for x in "135"]
    words += [f"q_{x} at I of rod 1, N" for x in "xy"]
    asked = [Asked("unknowns", "how many there are", 8)]
    names = ("alpha1", "alpha3", "alpha5", "qx", "qy")
    asked += [Asked(x, y, float(z)) for x, y, z in zip(names, words, found, strict=True)]
    return "A loop", given, tuple(asked)


def boundary(rng: Random) -> Drawn:
    """What is zero at ends."""
    kinds = rng.permutation([*ENDS])[:4].tolist()
    rows = tuple(
        (letter, f"an end that is {kind}") for letter, kind in zip("ABCD", kinds, strict=True)
    )
    given = (
        Table(("end", "how it is held"), rows),
        Prose(
            "Find which entries of the state are zero there, at rest or not, of "
            f"{', '.join(ENTRIES)}: x, y and Omega stand for ẍ, ÿ and Ω̇."
        ),
    )
    asked = tuple(
        Asked(letter, f"zero at {letter}", ENDS[kind])
        for letter, kind in zip("ABCD", kinds, strict=True)
    )
    return "Boundary conditions", given, asked


def holzer(rng: Random) -> Drawn:
    """Natural frequencies of a shaft with discs."""
    count, held = int(rng.integers(3, 5)), bool(rng.integers(2))
    J = [_of(rng, 0.2, 2.0) for _ in range(count)]
    k = [float(rng.integers(3, 20) * 100) for _ in range(count - 1 + held)]
    rows = [(f"disc {i + 1}", f"{x:g} kg m²") for i, x in enumerate(J)]
    rows += [(f"shaft behind disc {i + 1}", f"{x:g} N m") for i, x in enumerate(k)]
    end = "held at the wall behind the last shaft" if held else "free at both ends"
    K = np.zeros((count + 1, count + 1))
    for i, x in enumerate(k):
        K[i : i + 2, i : i + 2] += x * np.array([[1, -1], [-1, 1]])
    scale = np.sqrt(np.outer(J, J))
    squares = np.linalg.eigvalsh(K[:count, :count] / scale)[0 if held else 1 :]
    given = (
        Prose(f"Discs on shafts without mass, {end}:"),
        Table(("element", "value"), tuple(rows)),
        Prose("Find, by Holzer's table, the two lowest frequencies of vibration."),
    )
    asked = tuple(
        Asked(f"omega{i}", f"natural frequency {i}, rad/s", float(np.sqrt(squares[i - 1])))
        for i in (1, 2)
    )
    return "Holzer's table", given, asked


TASKS: Mapping[str, Callable[[Random], Drawn]] = {
    "transfer-matrix": transfer_matrix,
    "boundary": boundary,
    "riccati-step": riccati_step,
    "hinge-step": hinge_step,
    "counting": counting,
    "overall": overall,
    "loop": loop,
    "holzer": holzer,
}


# Data


def _of(rng: Random, low: float, high: float) -> float:
    """A number of two digits, but zero."""
    while not (found := round(float(rng.uniform(low, high)), 1)):
        pass
    return found


def _body(rng: Random) -> tuple[Model, tuple[Block, ...], float]:
    """A body whose axes are the inertial ones just now, with weight and a speed of turn."""
    m, J, omega = _of(rng, 0.5, 3), _of(rng, 0.1, 1), _of(rng, -3, 3)
    centre, output = ((_of(rng, -1, 1), _of(rng, -1, 1)) for _ in range(2))
    points = Point("I", (0, 0)), Point("O", output)
    model = Model(
        name="body",
        dimension=2,
        bodies=(Body("1", m, J, centre, points),),
        hinges=(Hinge("2", "pin", (End("1", "O"), End("0", "O"))),),
        gravity=(0, -9.81),
        q0=(0.0,),
        absolute=True,
    )
    rows = (
        ("mass", f"{m:g} kg"),
        ("moment of inertia about the centre C", f"{J:g} kg m²"),
        ("from I to C", f"({centre[0]:g}, {centre[1]:g}) m"),
        ("from I to O", f"({output[0]:g}, {output[1]:g}) m"),
        ("angular velocity", f"{omega:g} rad/s"),
        ("weight", "along −y, g = 9.81 m/s²"),
    )
    return model, (Table(("quantity", "value"), rows),), omega


def _tree(rng: Random) -> tuple[Model, list[str]]:
    """Rods on the rods behind them, the last on the ground; and its free tips."""
    count = int(rng.integers(5, 10))
    parent = [int(rng.integers(k + 1, count)) for k in range(count - 1)]
    names = [str(2 * k + 1) for k in range(count)]
    inputs: list[list[int]] = [
        [k for k in range(count - 1) if parent[k] == j] for j in range(count)
    ]
    bodies, hinges = [], []
    for j, name in enumerate(names):
        labels = [f"I{n + 1}" for n in range(len(inputs[j]))] if len(inputs[j]) > 1 else ["I"]
        points = [Point(x, (n / max(len(labels), 2), 0)) for n, x in enumerate(labels)]
        bodies.append(Body(name, 1, 1, (0.5, 0), (*points, Point("O", (1, 0)))))
        hinges += [
            Hinge(str(2 * k + 2), "pin", (End(names[k], "O"), End(name, label)))
            for k, label in zip(inputs[j], labels, strict=False)
        ]
    hinges.append(Hinge(str(2 * count), "pin", (End(names[-1], "O"), End("0", "O"))))
    model = Model(
        name="tree", dimension=2, bodies=tuple(bodies), hinges=tuple(hinges), gravity=(0, -9.81),
        absolute=True,
    )  # fmt: skip
    return model, [name for name, found in zip(names, inputs, strict=True) if not found]


def _drawn(model: Model) -> tuple[Block, ...]:
    joined = ", ".join(
        f"{h.ends[0].body} – {h.name} – {h.ends[1].body if h.ends[1].body != '0' else 'ground'}"
        for h in model.hinges
    )
    return (
        Drawing(topology_svg(model), "Bodies are circles, pins arrows."),
        Prose(f"Body, pin and what the body hangs on: {joined}. All other ends are free."),
    )


def _entries(
    S: npt.NDArray[np.float64], e: npt.NDArray[np.float64], names: Sequence[str]
) -> tuple[Asked, ...]:
    def entry(name: str) -> float:
        at = [int(x) - 1 for x in name[1:]]
        return float(S[at[0], at[1]] if name[0] == "S" else e.ravel()[at[0]])

    return tuple(Asked(x, f"entry {', '.join(x[1:])} of {x[0]}", entry(x)) for x in names)
