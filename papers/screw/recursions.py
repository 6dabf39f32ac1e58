"""The screw paper's recursions for inverse dynamics, every transform and bracket counted as run.

A chain of bodies with revolute hinges, without weight, its bodies' frames in the hinges. Screws
are (ω, v), wrenches (t, f); the three algorithms are (67), (68), then (71), (72), then (76), (77)
with their misprints corrected as the ledger of equations says.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...codegen.costs.cost import costs
from ...codegen.generate import generate
from ...model import GROUND, Body, End, Hinge, Model, Point
from ...report.plot import COLOURS
from ...runtime.solver import compile_model
from ..studies.study import Plot, Say, Section, Table

Floats = npt.NDArray[np.float64]

#: Lengths that are counted and emitted; and for a small size.
LENGTHS, SMALL = (7, 20, 100), (3,)

#: A turn by cos = 0.6, sin = 0.8 about the first axis.
TWIST = ((1, 0, 0), (0, 0.6, -0.8), (0, 0.8, 0.6))
PLACE = (0.3, 0.1, 0.2)
MASS, CENTRE = 1.3, (0.14, 0.06, 0.11)
INERTIA = ((0.11, 0.012, 0.015), (0.012, 0.14, 0.01), (0.015, 0.01, 0.09))

#: What is counted, in the order of the table, and the heads of its columns.
KINDS = {
    "transforms of screws": "Ad",
    "translations of screws": "Ad_r",
    "rotations of screws": "Ad_R",
    "transforms of inertias": "M: Ad",
    "rotations of inertias": "M: Ad_R",
    "brackets": "ad",
}

REPRESENTATIONS = ("body", "spatial", "hybrid", "mixed")


def printed(name: str, n: int) -> tuple[int, ...]:
    """The paper's own counts for n bodies, in the order of `KINDS`."""
    return {
        "body": (3 * (n - 1), 0, 0, 0, 0, 2 * n - 1),
        "spatial": (n, 0, 0, n, 0, 2 * n - 1),
        "hybrid": (0, 3 * n - 3, n, 0, n, 3 * n - 1),
    }[name]


def chain(count: int) -> Model:
    """The chain, without weight."""
    points = (Point("O", (0, 0, 0)), Point("I", PLACE, axes=TWIST))
    body = Body("1", MASS, INERTIA, CENTRE, points)
    bodies = tuple(
        replace(body, name=str(k), points=points if k < count else points[:1])
        for k in range(1, count + 1)
    )
    parents = [End(GROUND, "O"), *(End(str(k), "I") for k in range(1, count))]
    hinges = tuple(
        Hinge(str(k), "revolute", (parent, End(str(k), "O")))
        for k, parent in enumerate(parents, start=1)
    )
    return Model(
        name="screws",
        dimension=3,
        bodies=bodies,
        hinges=hinges,
        gravity=(0, 0, 0),
        absolute=False,
    )


def tilde(x: Floats) -> Floats:
    """The matrix of the cross product."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def moved(R: Floats, r: Floats) -> Floats:
    """Ad of a pose: screws from its frame to the one that it is seen from."""
    return np.block([[R, np.zeros((3, 3))], [tilde(r) @ R, R]])


def back(R: Floats, r: Floats) -> Floats:
    """Ad of the inverse pose."""
    return moved(R.T, -R.T @ r)


def own_inertia() -> Floats:
    """A body's 6×6 inertia about its frame. (41)"""
    d = tilde(np.array(CENTRE))
    first = MASS * d
    return np.block([[np.array(INERTIA) - MASS * d @ d, first], [-first, MASS * np.eye(3)]])


@dataclass
class Counted:
    """The algebra of screws, counting."""

    counts: Counter[str] = field(default_factory=Counter)

    def screw(self, kind: str, A: Floats, V: Floats) -> Floats:
        """A screw elsewhere, or (by the transpose) a wrench."""
        self.counts[f"{kind}s of screws"] += 1
        return A @ V

    def inertia(self, kind: str, A: Floats, M: Floats) -> Floats:
        """An inertia elsewhere: Aᵀ M A."""
        self.counts[f"{kind}s of inertias"] += 1
        found: Floats = A.T @ M @ A
        return found

    def bracket(self, A: Floats, B: Floats) -> Floats:
        """[A, B] = ad_A B."""
        self.counts["brackets"] += 1
        return ad(A) @ B

    def cobracket(self, A: Floats, P: Floats) -> Floats:
        """ad_Aᵀ P of a co-screw."""
        self.counts["brackets"] += 1
        return ad(A).T @ P


def ad(A: Floats) -> Floats:
    """The matrix of the bracket with a screw."""
    omega = tilde(A[:3])
    return np.block([[omega, np.zeros((3, 3))], [tilde(A[3:]), omega]])


@dataclass(frozen=True)
class Chain:
    """The chain in a state: relative and absolute poses, speeds and accelerations."""

    relative: tuple[tuple[Floats, Floats], ...]
    absolute: tuple[tuple[Floats, Floats], ...]
    u: Floats
    a: Floats

    @classmethod
    def at(cls, q: Floats, u: Floats, a: Floats) -> Chain:
        R, r = np.eye(3), np.zeros(3)
        relative, absolute = [], []
        for k, angle in enumerate(q):
            c, s = np.cos(angle), np.sin(angle)
            turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
            B = (np.array(TWIST), np.array(PLACE)) if k else (np.eye(3), np.zeros(3))
            relative.append((B[0] @ turn, B[1]))
            R, r = R @ relative[-1][0], r + R @ relative[-1][1]
            absolute.append((R, r))
        return cls(tuple(relative), tuple(absolute), u, a)


#: The screw of every hinge in its body's frame: a turn about the third axis.
X = np.array([0.0, 0, 1, 0, 0, 0])


def body(of: Chain, tally: Counted) -> Floats:
    """(67), (68)"""
    n, M = len(of.u), own_inertia()
    inward = [back(*pose) for pose in of.relative]
    V, A = [of.u[0] * X], [of.a[0] * X]
    for i in range(1, n):
        there = tally.screw("transform", inward[i], V[-1])
        A.append(
            tally.screw("transform", inward[i], A[-1])
            + tally.bracket(there, X * of.u[i])
            + X * of.a[i]
        )
        V.append(there + X * of.u[i])
    Q, W = np.zeros(n), np.zeros(6)
    for i in reversed(range(n)):
        W = W + M @ A[i] - tally.cobracket(V[i], M @ V[i])
        Q[i] = X @ W
        if i:
            W = tally.screw("transform", inward[i].T, W)
    return Q


def spatial(of: Chain, tally: Counted) -> Floats:
    """(71), (72)"""
    n, M = len(of.u), own_inertia()
    J = [tally.screw("transform", moved(*pose), X) for pose in of.absolute]
    V, A = [of.u[0] * J[0]], [of.a[0] * J[0]]
    for i in range(1, n):
        V.append(V[-1] + J[i] * of.u[i])
        A.append(A[-1] + J[i] * of.a[i] + tally.bracket(V[-2], V[-1]))
    Q, W = np.zeros(n), np.zeros(6)
    for i in reversed(range(n)):
        Ms = tally.inertia("transform", back(*of.absolute[i]), M)
        W = W + Ms @ A[i] - tally.cobracket(V[i], Ms @ V[i])
        Q[i] = J[i] @ W
    return Q


def turning(V: Floats) -> Floats:
    """A twist without its velocity."""
    return np.concatenate([V[:3], np.zeros(3)])


def hybrid(of: Chain, tally: Counted) -> Floats:
    """(76), (77)"""
    n, M = len(of.u), own_inertia()
    none = np.zeros(3)
    J = [tally.screw("rotation", moved(R, none), X) for R, _ in of.absolute]
    V = [of.u[0] * J[0]]
    A = [of.a[0] * J[0] + tally.bracket(turning(V[0]), J[0] * of.u[0])]
    arms = [none, *(b[1] - a[1] for a, b in zip(of.absolute, of.absolute[1:], strict=False))]
    for i in range(1, n):
        shift = moved(np.eye(3), -arms[i])
        V.append(tally.screw("translation", shift, V[-1]) + J[i] * of.u[i])
        parting = np.concatenate([none, V[-2][3:] - V[-1][3:]])
        A.append(
            tally.screw("translation", shift, A[-1])
            + tally.bracket(parting, V[-2])
            + tally.bracket(turning(V[-1]), J[i] * of.u[i])
            + J[i] * of.a[i]
        )
    Q, W = np.zeros(n), np.zeros(6)
    for i in reversed(range(n)):
        Mh = tally.inertia("rotation", moved(of.absolute[i][0].T, none), M)
        W = W + Mh @ A[i] + tally.bracket(turning(V[i]), Mh @ turning(V[i]))
        Q[i] = J[i] @ W
        if i:
            W = tally.screw("translation", moved(np.eye(3), -arms[i]).T, W)
    return Q


RECURSIONS = {"body": body, "spatial": spatial, "hybrid": hybrid}


@dataclass(frozen=True)
class Run:
    """A recursion on a chain: what was counted, and how far from generated code its forces are."""

    length: int
    counts: tuple[int, ...]
    error: float


def run(name: str, length: int) -> Run:
    """One recursion at a random state, beside the generated one of the same representation."""
    q, u, a = np.random.default_rng(length).uniform(-1, 1, (3, length))
    tally = Counted()
    found = RECURSIONS[name](Chain.at(q, u, a), tally)
    solver = compile_model(chain(length), algorithm=f"rnea-{name}", target="numpy")
    expected = np.asarray(solver.inverse_dynamics(q, u, a))
    error = float(np.abs(found - expected).max() / np.abs(expected).max())
    return Run(length, tuple(tally.counts[kind] for kind in KINDS), error)


def operations(length: int) -> dict[str, float]:
    """Operations a body of the emitted C, by representation."""
    found = {}
    for name in REPRESENTATIONS:
        entries = ("inverse_dynamics",)
        made = generate(chain(length), algorithm=f"rnea-{name}", entries=entries)
        k = [entry.name for entry in made.module.entries].index("inverse_dynamics")
        found[name] = costs(made.module)[k].whole.total / length
    return found


def counts(quick: bool, say: Say) -> Section:
    """What the paper counts, counted; and what is left of it in emitted code."""
    lengths = SMALL if quick else LENGTHS
    runs: dict[str, list[Run]] = {name: [] for name in RECURSIONS}
    emitted = {}
    for length in lengths:
        for name in RECURSIONS:
            say(f"{length} bodies, {name}")
            runs[name].append(run(name, length))
        say(f"{length} bodies: operations of the emitted code")
        emitted[length] = operations(length)
    rows = tuple(
        (
            name,
            str(one.length),
            *map(str, one.counts),
            "yes" if one.counts == printed(name, one.length) else "no",
            f"{one.error:.0e}",
        )
        for name, own in runs.items()
        for one in own
    )
    agreed = all(row[-2] == "yes" for row in rows)
    met = "The paper's counts are met exactly" if agreed else "Not all of its counts are met"
    heads = ("form", "n", *KINDS.values(), "printed", "error")
    table = tuple(
        (str(length), *(f"{own[name]:.0f}" for name in REPRESENTATIONS))
        for length, own in emitted.items()
    )
    plot = Plot(
        "counts",
        f"Left: what the recursions need for {lengths[-1]} bodies; right: operations a body of the "
        "emitted C",
        "counts: no integrator",
        partial(_counts, runs, emitted),
        (9.0, 4.0),
    )
    return Section(
        "Transforms and brackets",
        (
            f"""
            Inverse dynamics of a chain of equal bodies with revolute hinges, without weight, by the
            paper's three recursions, in plain NumPy; every transformation and bracket is counted as
            it happens. {met}: 3 (n − 1) transforms and 2 n − 1 brackets body-fixed; n transforms, n
            of inertias and 2 n − 1 brackets spatial; 3 n − 3 translations, n rotations, n rotations
            of inertias and 3 n − 1 brackets hybrid. In the table *Ad* are transforms of screws or
            wrenches, *Ad_r* and *Ad_R* their translations and rotations, *M* the same of inertias,
            *ad* brackets. *Error*: of the hinges' forces, relative to those of the generated code
            in the same representation.
            """,
            Table(heads, rows, name="counts"),
            plot,
            """
            Operations a body that are left in the emitted C, where zeros and ones are not computed
            and what is shared is computed once (`inverse_dynamics`, numbers folded in; mixed
            twists, which the paper defines but writes no recursion for, among them):
            """,
            Table(("bodies", *REPRESENTATIONS), table, name="operations"),
            """
            A transform of an inertia is not as dear as two of screws, as the paper has it, and one
            about a known axis is cheaper than one about any: in operations body-fixed twists need
            least, spatial ones most. More chains, and times, are in the study of representations
            among the documents.
            """,
        ),
    )


def _counts(runs: dict[str, list[Run]], emitted: dict[int, dict[str, float]], figure: Any) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    base = np.zeros(len(runs))
    for k, kind in enumerate(KINDS):
        values = np.array([own[-1].counts[k] for own in runs.values()], dtype=float)
        left.bar(list(runs), values, bottom=base, label=kind, color=COLOURS[k], width=0.6)
        base += values
    left.set_ylabel("number")
    left.set_ylim(0, 1.55 * base.max())
    left.legend(fontsize=7, ncols=2, loc="upper center")
    width = 0.8 / len(emitted)
    for k, (length, own) in enumerate(emitted.items()):
        places = np.arange(len(own)) + (k - (len(emitted) - 1) / 2) * width
        right.bar(places, list(own.values()), width, label=f"{length} bodies", color=COLOURS[k])
    right.set_xticks(range(len(REPRESENTATIONS)), REPRESENTATIONS)
    right.set_ylabel("operations a body")
    right.legend(fontsize=7)
