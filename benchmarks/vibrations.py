"""Natural frequencies beside finite-element eigensolvers: how many digits, in how much time.

    python -m benchmarks.vibrations --output docs/vibration-times

Each row is measured in turn in one process: processor time, the least of several. Code that is
built once is not counted. Needs SciPy and python-flint.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.sparse as sparse
from scipy.sparse.linalg import eigsh

import mstmm
from mstmm.model.files.toml import from_text
from mstmm.runtime.vibration.certificate import AROUND
from mstmm.runtime.vibration.finding import found
from mstmm.runtime.vibration.generated import GeneratedStiffness

from . import machine
from .table import clock, grid

Floats = npt.NDArray[np.float64]

#: What is said of the machine.
FACTS = ("processor", "python", "date", "load at the start")

#: How often each is timed, and elements of a beam that are tried.
TIMES, ELEMENTS = 3, (8, 16, 32, 64, 128, 256, 512)

BEAM = """
name = "beam"
dimension = 2
gravity = [0, 0]
[beams.arm]
length = 1.0
density = 1.0
axial_stiffness = {EA}
bending_stiffness = 1.0
[beams.arm.points.root]
[hinges.wall]
kind = "{kind}"
parent = "ground"
child = "arm:root"
"""


@dataclass(frozen=True)
class Row:
    """What one way took, and how wrong its worst eigenvalue is."""

    what: str
    way: str
    seconds: float
    error: float


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """The least processor time of several runs, and what came of it."""
    taken = []
    for _ in range(TIMES):
        before = time.process_time()
        found = run()
        taken.append(time.process_time() - before)
    return min(taken), found


def worst(found: Floats, known: Floats) -> float:
    """The largest relative difference."""
    return float(np.abs(found[: len(known)] / known - 1).max())


def chain() -> Iterator[Row]:
    """1,000 equal masses between equal springs: 4 sin²((2k − 1) π/4002)."""
    n = 1000
    known = 4 * np.sin(np.arange(1, 2 * n, 2) * np.pi / (4 * n + 2)) ** 2
    text = 'name = "chain"\ndimension = 2\ngravity = [0, 0]\n'
    for k in range(n):
        parent = f"mass{k - 1}:b" if k else "ground"
        text += f"[bodies.mass{k}]\nmass = 1\ninertia = 1\n[bodies.mass{k}.points.a]\n"
        text += f"[bodies.mass{k}.points.b]\nposition = [1, 0]\n[hinges.h{k}]\n"
        text += f'kind = "prismatic"\nparent = "{parent}"\nchild = "mass{k}:a"\n'
        text += "spring = { stiffness = 1 }\n"
    solver, what = mstmm.compile(from_text(text), target="c-batch"), "1,000 masses, all modes"
    rest = np.zeros(n)
    solver.modes(rest, count=1)
    taken, modes = timed(lambda: solver.modes(rest, count=n))
    yield Row(what, "mstmm, certified", taken, worst(modes.squares, known))
    d, e = np.append(np.full(n - 1, 2.0), 1.0), np.full(n - 1, -1.0)
    taken, (values, _) = timed(lambda: scipy.linalg.eigh_tridiagonal(d, e))
    yield Row(what, "LAPACK, tridiagonal", taken, worst(values, known))
    K = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
    taken, (values, _) = timed(lambda: scipy.linalg.eigh(K, np.eye(n)))
    yield Row(what, "LAPACK, dense", taken, worst(values, known))


def clamped(count: int, free: bool = False) -> Floats:
    """The roots of cos k cosh k = ∓1 to the fourth power: of a beam that is free, +1."""
    with mp.workdps(40):
        sign = -1 if free else 1

        def of(k: Any) -> Any:
            return mp.cos(k) + sign / mp.cosh(k)

        starts = [(2 * j + 1 if free else 2 * j - 1) * mp.pi / 2 for j in range(1, count + 1)]
        return np.array([float(mp.findroot(of, x) ** 4) for x in starts])


def beam(elements: int, free: bool = False) -> tuple[Any, Any]:
    """K and M of an Euler–Bernoulli beam in cubic elements, clamped at one end or free."""
    size, l = 2 * (elements + 1), 1.0 / elements  # noqa: E741
    K, M = sparse.lil_matrix((size, size)), sparse.lil_matrix((size, size))
    for k in range(elements):
        own = slice(2 * k, 2 * k + 4)
        K[own, own] += bending(l)
        M[own, own] += cubic_mass(l)
    first = 0 if free else 2
    return K.tocsc()[first:, first:], M.tocsc()[first:, first:]


def bending(l: float) -> Floats:  # noqa: E741
    """The stiffness of a cubic element, of (v, θ) at both ends, with EI = 1."""
    a, b = 6 * l, l * l
    rows = [[12, a, -12, a], [a, 4 * b, -a, 2 * b], [-12, -a, 12, -a], [a, 2 * b, -a, 4 * b]]
    return np.array(rows) / l**3


def cubic_mass(l: float) -> Floats:  # noqa: E741
    """Its mass, with ρA = 1."""
    a, b, c = 22 * l, 13 * l, l * l
    rows = [
        [156, a, 54, -b],
        [a, 4 * c, b, -3 * c],
        [54, b, 156, -a],
        [-b, -3 * c, -a, 4 * c],
    ]
    return np.array(rows) * l / 420


def cantilever() -> Iterator[Row]:
    """The first 20 bending modes of a cantilever; of elements too many are worse than few."""
    known, what = clamped(20), "cantilever, 20 modes"
    solver = mstmm.compile(from_text(BEAM.format(EA=1e9, kind="fixed")), algorithm="linear")
    solver.modes(count=20)
    taken, modes = timed(lambda: solver.modes(count=20))
    yield Row(what, "mstmm, certified", taken, worst(modes.squares, known))
    yield from _finite(what, lambda n: beam(n), known, 0.0)
    cells = 10_000
    long = GeneratedStiffness(solver, np.zeros(0), t=0.0, parameters=None, cells=cells)
    long.counted(known[:1])
    taken, many = timed(lambda: found(long, first=20, below=None, prove=False))
    told = f"the same in {cells:,} cells"
    yield Row(told, "mstmm, certified", taken, worst(many.squares, known))
    yield from _finite(f"the same in {cells:,} elements", lambda _: beam(cells), known, 0.0, (0,))


def _finite(
    what: str,
    made: Callable[[int], tuple[Any, Any]],
    known: Floats,
    shift: float,
    sizes: Sequence[int] = ELEMENTS,
) -> Iterator[Row]:
    """The best of several meshes, by SciPy's Lanczos about a shift."""
    rows = []
    for n in sizes:
        K, M = made(n)
        if K.shape[0] <= len(known) + 2:
            continue
        taken, values = timed(
            lambda K=K, M=M: eigsh(K, len(known), M, sigma=shift, return_eigenvectors=True)[0]
        )
        mesh = f", {n} elements" if n else ""
        rows.append(
            Row(what, f"cubic elements, Lanczos{mesh}", taken, worst(np.sort(values), known))
        )
    yield min(rows, key=lambda row: row.error)


def free_beam() -> Iterator[Row]:
    """Mode 200 of a free beam, in balls: exactly one eigenvalue lies within 1e-11 of it."""
    known, what = clamped(200, free=True)[-1:], "free beam, mode 200"
    solver = mstmm.compile(from_text(BEAM.format(EA=1e12, kind="free")), algorithm="linear")
    solver.modes(count=203)
    taken, modes = timed(lambda: solver.modes(count=203))
    square = float(modes.squares[202])
    yield Row(what, "mstmm, all 203, certified", taken, worst(modes.squares[202:203], known))
    of, before = modes.inside.stiffness, time.process_time()
    counts = [of.proven(square * (1 + way * AROUND)) for way in (-1, 1)]
    taken = time.process_time() - before
    proven = [x.below for x in counts] == [202, 203]
    bits = max(x.bits for x in counts)
    yield Row(what, f"its proof within 1e-11, {bits} bits", taken, AROUND if proven else math.nan)
    K, M = beam(2000, free=True)
    taken, values = timed(lambda: eigsh(K, 1, M, sigma=known[0] * 1.0001)[0])
    yield Row(what, "2000 cubic elements, Lanczos", taken, worst(values, known))


def arm_elements(n: int) -> tuple[Any, Any]:
    """K and M of the flexible arm in 2 n elements: bending cubic, along the axis linear."""
    model = mstmm.load("flexible-arm")
    p = model.parameters
    size = 6 * n + 2
    K, M = np.zeros((size, size)), np.zeros((size, size))
    first = [[None, None, 0]] + [[3 * k + 1 - 3 + j for j in (0, 1, 2)] for k in range(1, n + 1)]
    corner = first[-1]
    own = 3 * n + 1
    second = [[corner[0], corner[1], own]]
    second += [[own + 1 + 3 * k + j for j in range(3)] for k in range(n)]
    for nodes, length, way in ((first, p["l1"], 0.0), (second, p["l2"], p["bend"])):
        l, c, s = length / n, math.cos(way), math.sin(way)  # noqa: E741
        turn = np.kron(np.eye(2), np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]))
        k, m = np.zeros((6, 6)), np.zeros((6, 6))
        axial, across = np.ix_([0, 3], [0, 3]), np.ix_([1, 2, 4, 5], [1, 2, 4, 5])
        k[axial] = p["EA"] / l * np.array([[1, -1], [-1, 1]])
        m[axial] = p["mu"] * l / 6 * np.array([[2, 1], [1, 2]])
        k[across], m[across] = p["EI"] * bending(l), p["mu"] * cubic_mass(l)
        for a, b in pairwise(nodes):
            places = [*a, *b]
            kept = [i for i, x in enumerate(places) if x is not None]
            at = np.ix_([places[i] for i in kept], [places[i] for i in kept])
            K[at] += (turn.T @ k @ turn)[np.ix_(kept, kept)]
            M[at] += (turn.T @ m @ turn)[np.ix_(kept, kept)]
    K[0, 0] += p["k1"]
    M[0, 0] += p["J"]
    between = np.array([[1, -1], [-1, 1]])
    K[np.ix_([corner[2], own], [corner[2], own])] += p["k2"] * between
    tip = second[-1]
    for places, mass, J in ((corner, p["m2"], p["J"]), (tip, p["m3"], p["J3"])):
        M[places, places] += [mass, mass, J]
    return sparse.csc_matrix(K), sparse.csc_matrix(M)


def arm() -> Iterator[Row]:
    """The first six modes of the flexible arm, whose links also stretch."""
    known = np.array(ARM, dtype=float)
    solver, what = mstmm.compile("flexible-arm", algorithm="linear"), "flexible arm, 6 modes"
    solver.modes(count=6)
    taken, modes = timed(lambda: solver.modes(count=6))
    yield Row(what, "mstmm, certified", taken, worst(modes.squares, known))
    yield from _finite(what, arm_elements, known, 0.0)


#: Its eigenvalues, by elements of high degree in 40 digits.
ARM = (
    *(0.65192203471013489, 11.471392241944262, 152.85312419439538),
    *(374.05744359974476, 755.58825675330377, 898.64138666876836),
)


def rotor() -> Iterator[Row]:
    """The Campbell diagram of the first example of ROSS, judged at its highest speed."""
    speeds, what = np.linspace(0.0, 500.0, 200), "rotor, 12 whirl frequencies at 200 speeds"
    solver = mstmm.compile("ross-rotor", algorithm="damped", parameters=["W"])
    solver.campbell("W", speeds, count=12)
    taken, diagram = timed(lambda: solver.campbell("W", speeds, count=12))
    known = np.array(WHIRL)
    own = diagram.frequencies[-1]
    nearest = np.array([own[np.nanargmin(np.abs(own - x))] for x in known])
    yield Row(what, "mstmm, counted", taken, worst(nearest, known))


#: Its first bending frequencies at 500 rad/s, by elements of high degree.
WHIRL = (
    *(91.56020050594153, 96.4564659056303, 265.3999449659923),
    *(305.3438235630157, 658.1744009058674, 820.8908638874265),
)


def page(rows: Sequence[Row]) -> str:
    """The page that is written."""
    facts = machine.describe(None)
    table = grid(
        ("what", "how", "processor time", "worst eigenvalue is wrong by"),
        [(row.what, row.way, clock(row.seconds), f"{row.error:.1e}") for row in rows],
    )
    lead = (
        "Eigenvalues ω² of chains and beams, by `solver.modes` and by SciPy's eigensolvers on "
        "cubic elements, of which the mesh with the least error is shown. Known values are "
        "closed forms, and of the arm and the rotor elements of high degree in 40 digits. Times"
        " are processor times of one run on one machine, the least of three, without what is "
        "built once: compare them with each other alone. The errors of elements fall with their"
        " number and then rise, since entries of short elements cancel; and a list of theirs "
        "does not say that it is whole."
    )
    said = ", ".join(f"{name}: {x}" for name, x in facts.items() if name in FACTS)
    again = "`python -m benchmarks.vibrations --output docs/vibration-times`"
    return (
        f"# Natural frequencies beside finite elements\n\n{lead}\n\n{table}\n"
        f"Measured on a machine with other work ({said}). {again} repeats it.\n"
    )


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.vibrations")
    parser.add_argument("--output", type=Path, required=True)
    folder = parser.parse_args().output
    rows = []
    for study in (chain, cantilever, free_beam, arm, rotor):
        for row in study():
            print(row.what, "|", row.way, "|", clock(row.seconds), f"{row.error:.1e}", flush=True)
            rows.append(row)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
