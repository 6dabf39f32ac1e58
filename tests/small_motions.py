"""Random models at rest under load, and their small motions from matrices of the whole system.

K and M are those of the equations of motion: M from inverse dynamics, K from the derivatives of the
accelerations under the forces that hold the model where it is, or of these forces themselves.
Neither knows of a recursion of stiffness, nor of what loads at rest add to it at a hinge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

import mpmath
import numpy as np
import scipy.linalg
from acting_models import PARAMETERS, pulled, sprung, tree
from coupled_models import with_rotors
from loop_models import CUTTABLE, loop_model
from random_models import _quaternion

import mstmm
from mstmm.codegen.face.choice import Choice
from mstmm.model import GROUND, Body, End, Hinge, Load, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.symbolic.language.arithmetic import FLOAT, Arithmetic, digits
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Program, Storage
from mstmm.symbolic.plans.plan import plan


def resting_tree(seed: int) -> Model:
    """A random tree of any kinds of hinge, with springs, potentials, rotors and dead loads."""
    rng, d = Random(seed), 2 + seed % 2
    model = with_rotors(rng, sprung(rng, tree(rng, d, rng.randint(2, 5))))
    hinges = tuple(_twisted(rng, d, replace(h, force=())) for h in model.hinges)
    loads = tuple(
        Load(f"load{k}", body.name, rng.choice(("", body.points[0].name)), force)
        for k, body in enumerate(rng.sample(model.bodies, rng.randint(0, 2)))
        for force in [tuple(rng.uniform(-20, 20) for _ in range(d))]
    )
    parameters = {**PARAMETERS, **model.parameters}
    return replace(model, hinges=hinges, loads=loads, parameters=parameters)


def tied_tree(seed: int) -> Model:
    """The same with springs between points of bodies, and of bodies and the ground."""
    rng = Random(seed)
    model = pulled(rng, resting_tree(seed), 2)
    springs = tuple(
        replace(force, law=0, damping=rng.uniform(0, 1))
        for force in model.forces
        if len(force.ends) == 2
    )
    return replace(model, forces=springs)


#: Hinges of closed loops: those that close them, and those of the tree that is left.
CLOSING = {2: ("pin", "prismatic"), 3: ("ball", "cylindrical")}
WITHIN = {2: ("pin", "prismatic", "slot"), 3: ("universal", "cylindrical", "revolute")}


def closed_model(seed: int) -> Model:
    """A random model with a loop or two, as heavy as it is, and dead loads."""
    rng, d = Random(seed), 2 + seed % 2
    loops = rng.randint(1, 2) if d == 2 else 1
    model = loop_model(rng, d, 4 + 2 * loops, loops, CLOSING[d], within=WITHIN[d])[0]
    load = Load("load", model.bodies[-1].name, "", tuple(rng.uniform(-20, 20) for _ in range(d)))
    return replace(model, loads=(load,))


def sprung_loops(seed: int) -> Model:
    """A random model with a loop or two, closed by any kind of hinge, with springs in each."""
    rng, d = Random(seed), 2 + seed % 2
    loops = rng.randint(1, 2)
    kinds = (*CUTTABLE[d], "elastic")
    model, places = loop_model(rng, d, 4 + 3 * loops, loops, kinds, within=WITHIN[d])

    def with_spring(hinge: Hinge) -> Hinge:
        if hinge.kind in ("ball", "elastic"):
            rest = places.get(hinge.name, ())[:3] if hinge.kind == "elastic" else ()
            count = 1 if hinge.kind == "ball" else 3 * (d - 1)
            k = tuple(rng.uniform(5, 40) for _ in range(count))
            return replace(hinge, stiffness=k, rest=tuple(rest))
        q = [hinge_symbol("q", k + 1) for k in range(len(places[hinge.name]))]
        if not q:
            return hinge
        stored = sum(rng.uniform(5, 40) * (x - rng.uniform(-1, 1)) ** 2 / 2 for x in q)
        return replace(hinge, potential=stored + rng.uniform(-3, 3) * q[0] * q[-1] ** 2)

    hinges = tuple(with_spring(h) if h.name in places else h for h in model.hinges)
    return replace(model, hinges=hinges)


def held_still(solver: mstmm.Solver, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Forces under which nothing accelerates; loops share the load at random."""
    n = len(solver.speeds)
    still, taus = np.zeros(n), np.vstack([np.zeros(n), np.eye(n)])
    found = solver.accelerations(q, still, taus)
    slopes = (found[1:] - found[0]).T
    balanced, *_ = np.linalg.lstsq(slopes, -found[0], rcond=1e-9)
    null = scipy.linalg.null_space(slopes, rcond=1e-9)
    return np.asarray(balanced + null @ rng.uniform(-5, 5, null.shape[1]))


def _twisted(rng: Random, dimension: int, hinge: Hinge) -> Hinge:
    """With a torsional spring, if the hinge turns in any way and has no springs."""
    if dimension == 2 or hinge.kind not in ("ball", "free"):
        return hinge
    along = () if hinge.kind == "ball" else tuple(rng.uniform(0, 20) for _ in range(3))
    turned = (0.0,) * (3 if along else 0) + tuple(_quaternion(rng))
    rest = turned if rng.random() < 0.7 else ()
    return replace(hinge, stiffness=(*along, rng.uniform(5, 40)), rest=rest)


def twisted(kind: str) -> Model:
    """A body on a hinge that turns in any way, with a torsional spring that is twisted."""
    rng = Random(5)
    points = Point("in", (0.2, -0.1, 0.3)), Point("out", (0.1, 0.4, -0.2))
    inertia = (0.9, 0.1, 0.0), (0.1, 0.7, -0.1), (0.0, -0.1, 0.8)
    body = Body("body", 1.3, inertia, (0.3, 0.1, -0.2), points)
    hinge = Hinge("joint", kind, (End(GROUND, "O"), End("body", "in")))
    place = () if kind == "ball" else (0.1, -0.2, 0.3)
    return Model(
        name="twisted",
        dimension=3,
        bodies=(body,),
        hinges=(_twisted(rng, 3, hinge),),
        gravity=(0, 0, -9.81),
        q0=(*place, *_quaternion(rng)),
    )


def counted(solver: mstmm.Solver, q: np.ndarray, reach: float, digits: float = 1e-14) -> np.ndarray:
    """All eigenvalues within ± `reach`, by halving intervals at whose ends the count differs."""

    def below(at: np.ndarray) -> np.ndarray:
        return solver.results("count", q, omega2=at[:, None])["below"].ravel()

    ends = np.array([[-1.03 * reach, reach]])
    counts = below(ends.ravel()).reshape(-1, 2)
    for _ in range(200):
        sizes = abs(ends).max(axis=1)
        if (ends[:, 1] - ends[:, 0] <= digits * np.maximum(sizes, digits * reach)).all():
            break
        middle = ends.mean(axis=1)
        found = np.clip(below(middle), *counts.T)
        ends = np.stack([ends[:, 0], middle, middle, ends[:, 1]], axis=1).reshape(-1, 2)
        counts = np.stack([counts[:, 0], found, found, counts[:, 1]], axis=1).reshape(-1, 2)
        kept = counts[:, 1] > counts[:, 0]
        ends, counts = ends[kept], counts[kept]
    return np.repeat(ends.mean(axis=1), (counts[:, 1] - counts[:, 0]).astype(int))


def pendulum(n: int, length: float, mass: float, gravity: float) -> Model:
    """Slender rods in a chain that hang down from the ground, in the plane."""
    top, low = Point("top", (0, 0)), Point("low", (0, -length))
    rod = Body("", mass, mass * length**2 / 12, (0, -length / 2), (top, low))
    return Model(
        name="pendulum",
        dimension=2,
        bodies=tuple(replace(rod, name=f"rod{k}") for k in range(n)),
        hinges=tuple(
            Hinge(f"pin{k}", "pin", (before, End(f"rod{k}", "top")))
            for k, before in enumerate(
                [End(GROUND, "O"), *(End(f"rod{k}", "low") for k in range(n - 1))]
            )
        ),
        gravity=(0, -gravity),
    )


def spring_chain(n: int) -> Model:
    """Unit masses in a line on unit springs, held at one end: ω = 2 sin((2k − 1) π / (4n + 2))."""
    points = Point("a", (0, 0)), Point("b", (1, 0))
    before = [End(GROUND, "O"), *(End(f"mass{k}", "b") for k in range(n - 1))]
    spring = hinge_symbol("q", 1) ** 2 / 2
    return Model(
        name="chain",
        dimension=2,
        bodies=tuple(Body(f"mass{k}", 1, 1, (0, 0), points) for k in range(n)),
        hinges=tuple(
            Hinge(f"spring{k}", "prismatic", (before[k], End(f"mass{k}", "a")), potential=spring)
            for k in range(n)
        ),
        gravity=(0, 0),
    )


def arm(case: Mapping[str, Any]) -> Model:
    """Bodies on revolute hinges of skew axes, with springs, under weight."""
    axes = [_about(np.array(axis)) for axis in case["axes"]]
    n = len(axes)
    at_ground, *places = [tuple(x) for x in case["origins"]]
    bodies = tuple(
        Body(
            f"body{k}",
            case["m"][k],
            tuple(map(tuple, case["J"][k])),
            tuple(case["com"][k]),
            (
                Point("in", (0, 0, 0), axes[k]),
                *([Point("out", places[k], axes[k + 1])] if k < n - 1 else []),
            ),
        )
        for k in range(n)
    )
    springs = zip(case["k"], case["rest"], strict=True)
    potentials = [k * (hinge_symbol("q", 1) - rest) ** 2 / 2 for k, rest in springs]
    before = [End(GROUND, "base"), *(End(f"body{k}", "out") for k in range(n - 1))]
    return Model(
        name="arm",
        dimension=3,
        bodies=bodies,
        hinges=tuple(
            Hinge(
                f"hinge{k}", "revolute", (before[k], End(f"body{k}", "in")), potential=potentials[k]
            )
            for k in range(n)
        ),
        ground=(Point("base", at_ground, axes[0]),),
        gravity=tuple(case["gravity"]),
    )


def _about(axis: np.ndarray) -> tuple[tuple[float, ...], ...]:
    """Direction cosines whose third axis is this one."""
    third = axis / np.linalg.norm(axis)
    first = np.cross(third, np.eye(3)[abs(third).argmin()])
    first /= np.linalg.norm(first)
    return tuple(map(tuple, np.stack([first, np.cross(third, first), third], axis=1)))


@dataclass
class Dense:
    """The matrices K and M of small motions of a model about `q`, held there by forces `tau`."""

    model: Model
    q: np.ndarray

    @cached_property
    def riccati(self) -> mstmm.Solver:
        return mstmm.compile(self.model, target="numpy", wrenches=True)

    @cached_property
    def tau(self) -> np.ndarray:
        inverse = mstmm.compile(self.model, algorithm="rnea-body", target="numpy")
        none = np.zeros(len(self.model.speeds))
        return np.asarray(inverse.inverse_dynamics(self.q, none, none))

    @cached_property
    def M(self) -> np.ndarray:
        inverse = mstmm.compile(self.model, algorithm="rnea-body", target="numpy")
        return np.asarray(inverse.mass_matrix(self.q))

    @cached_property
    def K(self) -> np.ndarray:
        """In displacements that speeds are rates of, so that it is symmetric."""
        n = len(self.model.speeds)
        found = -self.M @ self.riccati.linearize(self.q, np.zeros(n), self.tau)[0][n:, :n]
        return (found + found.T) / 2

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        return scipy.linalg.eigvalsh(self.K, self.M)

    def forces(self, wrenches: np.ndarray) -> np.ndarray:
        """The forces along speeds that loads (moment, force) at the centres of mass are."""
        none = np.zeros(len(self.model.speeds))
        still, pushed = (
            self.riccati.accelerations(self.q, none, wrenches=w) for w in (0 * wrenches, wrenches)
        )
        return np.asarray((pushed - still) @ self.M)


class _Along(dict[str, Any]):
    """NumPy's functions, of numbers x + i h y with the slope y along them in the imaginary part."""

    def __missing__(self, name: str) -> Any:
        return getattr(np, name)


class _Lanes(np.ndarray):
    """Numbers of several frequencies: they are nothing where all are."""

    def __bool__(self) -> bool:
        return bool(np.asarray(self).any())


def _angle(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    a, b = np.real(x), np.real(y)
    return np.arctan2(b, a) + 1j * (a * np.imag(y) - b * np.imag(x)) / (a * a + b * b)


#: Many columns at once, with their slopes by complex steps: exact but for rounding.
COLUMNS = Arithmetic(
    "columns",
    float,
    _Along(
        Abs=lambda x: np.where(np.real(x) < 0, -x, x),
        step=lambda x: np.where(np.real(x) < 0, 0.0, 1.0),
        atan2=_angle,
    ),
)

#: So many digits, and single numbers of them.
DIGITS = 40
MANY = digits(DIGITS)

#: How far along a complex step is: its square is nothing.
TINY = 1e-60


class Interpreted:
    """K and M of small motions, in loops of those that they allow, with no code generated.

    Forces along the speeds hold the model where it starts, and loads in cut hinges, drawn at
    random. K is the slope of the forces by inverse dynamics at the same loads.
    """

    def __init__(self, model: Model, rng: np.random.Generator) -> None:
        self.model, n = model, len(model.speeds)
        self.inverse, self.linear = (
            Choice.named(x).algorithm.program(plan(model)) for x in ("rnea-body", "linear")
        )
        q, all_speeds = np.array(model.q0), np.eye(n)
        mu = rng.uniform(-5, 5, len(self.inverse.sets.get("conditions", ())))
        entry = "inverse_loads" if model.cuts else "inverse_dynamics"
        rates = self._run("rates", q=q, v=all_speeds)["qd"]
        held = self._run(entry, q=q + 1j * TINY * rates, mu=mu)
        ad = np.vstack([np.zeros(n), all_speeds])
        M = self._run(entry, q=q, ad=ad)["tau"]
        J = self._run("constraints", q=q, v=all_speeds)["phid"].T if len(mu) else np.zeros((0, n))
        T = scipy.linalg.null_space(J, rcond=1e-9)
        self.K = T.T @ held["tau"].imag.T @ T / TINY
        self.K = (self.K + self.K.T) / 2
        self.M = T.T @ (M[1:] - M[0]).T @ T
        self.eigenvalues = scipy.linalg.eigvalsh(self.K, self.M)
        self.given = {"q": q, "v": np.zeros(n), "kept": _kept(J)}
        if model.cuts:
            self.given["cut"] = held["loads"][0, 6 * len(model.bodies) :].real

    def _run(self, entry: str, **given: np.ndarray) -> dict[str, np.ndarray]:
        """An entry of inverse dynamics for each row of what is given; the rest is zero."""
        return _run(self.inverse, entry, COLUMNS, given)

    def counted(self, omega2: np.ndarray) -> dict[str, np.ndarray]:
        """What the linear method counts below, `pivot` and `logdet` with it.

        Loops choose pivots, for which each frequency is taken by itself. Where nothing resists the
        tree before they close, its pivots are ω² times masses, and dividing by them loses ε/ω² of
        what is left: an eigenvalue nearer to zero than √ε of the largest takes more digits.
        """
        numbers, parts = [COLUMNS], [omega2[:, None]]
        if self.model.cuts:
            near = 1e-8 * abs(self.eigenvalues).max(initial=0.0)
            numbers = [MANY if abs(x) < near else FLOAT for x in omega2]
            parts = omega2[:, None, None]
        with mpmath.workdps(DIGITS):
            found = [
                _run(self.linear, "count", of, {**self.given, "omega2": x})
                for of, x in zip(numbers, parts, strict=True)
            ]
        return {
            name: np.concatenate([x[name][:, 0] for x in found]).astype(float) for name in found[0]
        }


def _run(
    of: Program, entry: str, numbers: Arithmetic, given: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """An entry for each row of what is given, of one as single numbers; the rest is zero."""
    count = max(len(np.atleast_2d(x)) for x in given.values())
    buffers = {}
    for array in of.arrays.values():
        if array.storage is Storage.ARGUMENT:
            length = len(array.port.entries) * len(of.sets[array.index_set])
            lanes = np.broadcast_to(given.get(array.owner, 0.0), (count, length)).T.view(_Lanes)
            made = lanes if numbers is COLUMNS else map(numbers.make, map(Fraction, lanes[:, 0]))
            buffers[array.owner] = [*made]
    found = Interpreter(of, numbers).results(entry, buffers)
    columns = {k: np.broadcast_arrays(np.zeros(count), *x)[1:] for k, x in found.items() if x}
    return {k: np.stack(x, axis=1) for k, x in columns.items()}


def _kept(J: np.ndarray) -> np.ndarray:
    """1 of each row, or 0 of one that follows from those before it."""
    ranks = [np.linalg.matrix_rank(J[:k], rtol=1e-9) for k in range(len(J) + 1)]
    return np.diff(ranks).astype(float)
