"""The effective mass of the recursive formulation is the Riccati coefficient S, exactly.

Two proofs at exact rational instants, both through the dialect table:

* along paths: S and e of the Riccati paper, read off the program that is compiled, at every end of
  chains and trees of smooth hinges, against M_r and Q_r of the same system as the paper's file has
  (3.53), (3.54);
* step by step: for every kind of hinge, from IA, pA of a link to what its parent gets of it
  by the kernels of the Riccati program, against the kernel of the recursive formulation. With the
  bodies' own kernels, which add up in both, this is the induction for every tree.

With λ the wrench that is needed of a hinge, λ = M_r v̇ − Q_r at the inner body's centroid, and
z_a = Π λ, z_b = (r̈, Ω̇) at the hinge's point: S = Π Xᵀ M_r X and e = Π Xᵀ (M_r g − Q_r).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product

import sympy as sp

from ...model import GROUND, Body, End, Hinge, Model, Point
from ...model.parts.hinge_kinds import HINGE_KINDS, SIZES
from ...symbolic.derivation.reading import Reading
from ...symbolic.equations.worlds import World
from ...symbolic.exact import screws
from ...symbolic.exact.budget import Budget
from ...symbolic.exact.evaluation import Points, evaluated
from ...symbolic.exact.motion import Body as Particles
from ...symbolic.mechanics import hinges
from ...symbolic.mechanics.space import Space
from ...symbolic.mechanics.turning import Way
from ...symbolic.methods.effective_mass import kernels as slaatskernels
from ...symbolic.methods.riccati.absolute import fast_program
from ...symbolic.methods.riccati.dialect import at_point, paper_coefficients
from ...symbolic.methods.riccati.letters import in_letters
from ...symbolic.plans.elements import angle, quaternion, spin
from ...symbolic.plans.plan import plan
from ...symbolic.tree import motion_kernels as jointkernels
from ...symbolic.tree import recursion_kernels
from .. import ledger
from .joints import Joints
from .tree import BRYANT, Jointed, JointTree, Kind

#: Pairs of what is equal.
Sides = Iterator[tuple[sp.Matrix, sp.Matrix]]

#: Body connection arrays: chains, and trees with two and three inputs.
ARRAYS = ((0,), (0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2, 2))

#: A pin turns about the third axis, a ball by Bryant angles.
SMOOTH = {2: Kind(1, ((2, 0),)), 3: Kind(3, BRYANT)}


@dataclass(frozen=True, eq=False)
class Pair:
    """One system twice: with smooth hinges in absolute coordinates, and as a joint tree."""

    dimension: int
    parents: tuple[int, ...]
    seed: int = 5

    @cached_property
    def space(self) -> Space:
        return Space(self.dimension)

    @property
    def entries(self) -> list[int]:
        """What of (r̈, Ω̇) is there."""
        return [0, 1, 5] if self.dimension == 2 else list(range(6))

    @cached_property
    def halves(self) -> dict[tuple[int, int], tuple[sp.Expr, sp.Expr]]:
        """Cosine and sine of half of every coordinate."""
        draw, count = Points(self.seed), SMOOTH[self.dimension].count
        names = [(j, m) for j in range(1, len(self.parents) + 1) for m in range(count)]
        halves = {}
        for name in names:
            c, s = draw.circle()
            # A quarter turn would put the Bryant angles where they are singular.
            halves[name] = (c, s) if c**2 != s**2 and c * s != 0 else (sp.S(3) / 5, sp.S(4) / 5)
        return halves

    @cached_property
    def tree(self) -> JointTree:
        draw, kind = Points(self.seed + 1), SMOOTH[self.dimension]
        joints, bodies = {}, {}
        for j, parent in enumerate(self.parents, start=1):
            bodies[j] = Particles.drawn(draw, self.dimension).centred
            arms = [draw.place(self.dimension) for _ in range(2)]
            if parent == 0:
                arms[0] = sp.zeros(3, 1)
            halves = [self.halves[j, m] for m in range(kind.count)]
            circle = tuple((c**2 - s**2, 2 * c * s) for c, s in halves)
            first, second = (screws.pose(sp.eye(3), arm) for arm in arms)
            joints[j] = Jointed.of((parent, j), kind, (first, second), circle)
        rates = {x: [draw.number() for _ in range(3)] for x in self.halves}
        return JointTree(joints, bodies, rates)

    @cached_property
    def gravity(self) -> sp.Matrix:
        return Points(self.seed + 2).place(self.dimension)

    @cached_property
    def model(self) -> Model:
        d, tree = self.dimension, self.tree
        bodies, held = [], []
        for j, joint in tree.joints.items():
            body = tree.bodies[j]
            places = {"O": joint.bj} | {f"I{i}": tree.joints[i].bi for i in tree.children(j)}
            points = tuple(Point(name, tuple(x[:d])) for name, x in places.items())
            inertia = body.J[2, 2] if d == 2 else tuple(map(tuple, body.J.tolist()))
            bodies.append(Body(str(j), body.mass, inertia, (0,) * d, points))
            inner = End(str(joint.pred), f"I{j}") if joint.pred else End(GROUND, "O")
            held.append(Hinge(f"h{j}", "pin" if d == 2 else "ball", (inner, End(str(j), "O"))))
        gravity = tuple(self.gravity[:d])
        return Model("pair", d, tuple(bodies), tuple(held), gravity, absolute=True)

    @property
    def values(self) -> Mapping[sp.Expr, sp.Expr]:
        """The instant in absolute coordinates."""
        found: dict[sp.Expr, sp.Expr] = {}
        turns = {0: (sp.Integer(1), sp.Integer(0), sp.Integer(0), sp.Integer(0))}
        for j, joint in self.tree.joints.items():
            name, R = str(j), self.tree.motion.R(j).value
            omega = self.tree.motion.v(j).value[3:, :]
            if self.dimension == 2:
                found |= {sp.cos(angle(name)): R[0, 0], sp.sin(angle(name)): R[1, 0]}
                found[spin(self.model, name)[0]] = omega[2]
                continue
            turns[j] = turns[joint.pred]
            for axis, m in joint.kind.turns:
                c, s = self.halves[j, m]
                turns[j] = _product(turns[j], (c, *(s if k == axis else 0 for k in range(3))))
            found |= dict(zip(quaternion(name), turns[j], strict=True))
            found |= dict(zip(spin(self.model, name), R.T * omega, strict=True))
        return found

    @cached_property
    def world(self) -> Joints:
        forces = {
            j: sp.Matrix.vstack(body.mass * self.gravity, sp.zeros(3, 1))
            for j, body in self.tree.bodies.items()
        }
        return Joints(self.tree, forces, dict.fromkeys(self.tree.coordinates, sp.Integer(0)))

    def written(self, letter: str, j: int) -> sp.Matrix:
        """What the paper's equations say of body j."""
        found = ledger("recursive-formulation").value(f"{letter}_j", self.world, j=j)
        return sp.Matrix(found.rows, found.cols, lambda r, c: sp.Rational(found[r, c]))

    @cached_property
    def riccati(self) -> Reading:
        chosen = plan(self.model)
        program = in_letters(fast_program(chosen), chosen, forced=False)
        return Reading(program, {"q": self.model.coordinates, "v": self.model.speeds})

    def coefficients(self, end: str) -> list[sp.Matrix]:
        """S and e of the Riccati paper at an end."""
        return [
            self.riccati.composed(f"{letter}[{end}]", Budget(10**8), self.values).matrix()
            for letter in ("S", "e")
        ]

    def stated(self, M: sp.Matrix, Q: sp.Matrix, j: int, point: sp.Matrix) -> list[sp.Matrix]:
        """S and e at a point of body j by the dialect, the point being seen from the centroid."""
        e, d = self.entries, self.dimension
        R, w = self.tree.motion.R(j).value, self.tree.motion.v(j).value[3:, :]
        arm, turning = (-(R * point))[:d, :], w if d == 3 else w[2:, :]
        IA, pA = at_point(M.extract(e, e), Q.extract(e, [0]), arm, turning)
        found = paper_coefficients(IA, pA, d)
        return [found.S, found.e]


Quaternion = tuple[sp.Expr, ...]


def _product(a: Quaternion, b: Quaternion) -> Quaternion:
    w, x = a[0], sp.Matrix(a[1:])
    v, y = b[0], sp.Matrix(b[1:])
    return (w * v - (x.T * y)[0], *(w * y + v * x + x.cross(y)))


def along_paths(pair: Pair) -> Sides:
    """S and e at every output, and behind the hinge of every input."""
    for j, joint in pair.tree.joints.items():
        stated = pair.stated(pair.written("Mh", j), pair.written("Qh", j), j, joint.bj)
        yield from zip(pair.coefficients(f"{j}:O"), stated, strict=True)
        if joint.pred:
            left = pair.written("Mr", j), pair.written("Qr", j)
            stated = pair.stated(*left, joint.pred, joint.bi)
            yield from zip(pair.coefficients(f"{joint.pred}:I{j}"), stated, strict=True)


@dataclass(frozen=True)
class Step:
    """A hinge of some kind at an exact instant, with anything that may hang on it."""

    dimension: int
    kind: str
    backward: bool = False
    seed: int = 7

    @cached_property
    def relative(self) -> dict[str, sp.Matrix]:
        """The relative motion, as the programs' own kernel gives it."""
        draw = Points(self.seed)
        of = hinges.joint(self.dimension, self.kind)
        kernel = jointkernels.relative.of(
            dimension=self.dimension, kind=self.kind, backward=self.backward
        )
        given: dict[str, sp.Matrix] = {x.name: sp.Matrix([draw.number()]) for x in SIZES}
        elementary: dict[sp.Expr, sp.Expr] = {}
        for symbol in (*of.q, *of.u):
            given[symbol.name] = sp.Matrix([draw.number()])
        for symbol in of.q:
            # An angle enters by its cosine and sine alone where it is one; both are drawn.
            elementary[sp.cos(symbol)], elementary[sp.sin(symbol)] = draw.circle()
        turn = [symbol for symbol in of.q if symbol.name.startswith("q_Q")]
        given |= {s.name: sp.Matrix([x]) for s, x in zip(turn, draw.quaternion(), strict=False)}
        given["K"] = draw.rotation(self.dimension)
        given["rk"] = draw.vector(self.dimension)
        reads = {port.name: given[port.name] for port in kernel.inputs}
        return evaluated(kernel, reads, elementary)


def step_by_step(step: Step) -> Sides:
    """From IA, pA of a link to IAt, pAt of its parent, against M, Q to M_r, Q_r."""
    d, space = step.dimension, Space(step.dimension)
    n, s, draw = space.motion, space.spins, Points(step.seed + 1)
    at = step.relative
    freedom = len(hinges.joint(d, step.kind).u)

    def turned(A: sp.Matrix, w: sp.Matrix) -> sp.Matrix:
        return w if d == 2 else A * w

    Ap, wp, vp = draw.rotation(d), draw.vector(s), draw.vector(d)
    A = Ap * at["C"]
    w = turned(at["C"].T, wp) + at["wr"]
    M, Q = draw.positive(n), draw.vector(n)
    rC, rCp, xp = draw.vector(d), draw.vector(d), draw.vector(d)
    tau = draw.vector(freedom) if freedom else sp.zeros(0, 1)

    motion = {
        "A": A,
        "x": xp + Ap * at["r"],
        "cp": xp + Ap * rCp,
        "vp": sp.Matrix.vstack(vp, turned(Ap, wp)),
        "rC": rC,
        **{name: at[name] for name in ("vr", "wr", "br", "bw")},
    }
    if freedom:
        motion[f"H{freedom}"] = at[f"H{freedom}"]
    moved = evaluated(slaatskernels.kinematics.of(dimension=d, count=freedom), motion)
    yield moved["vel"][d:, :], turned(A, w)
    given = {"Mh": M, "Qh": Q, "z": moved["z"], "D": moved["D"], f"T{freedom}": tau}
    given |= {name: value for name, value in moved.items() if name.startswith("B")}
    kernel = slaatskernels.reduce.of(
        dimension=d, freedom=freedom, count=freedom, acting=freedom > 0, rotor=False
    )
    left = evaluated(kernel, {port.name: given[port.name] for port in kernel.inputs})

    IA, pA = at_point(M, Q, A * rC, turned(A, w), A)
    kernel = recursion_kernels.hinge.of(
        dimension=d,
        kind=step.kind,
        backward=step.backward,
        freedom=freedom,
        count=freedom,
        acting=freedom > 0,
        rotor=False,
        way=Way(),
    )
    given = {**at, "IA": IA, "pA": pA, "wp": wp, f"T{freedom}": tau}
    through = evaluated(kernel, {port.name: given[port.name] for port in kernel.inputs})
    IAt, pAt = at_point(left["Mr"], left["Qr"], Ap * rCp, turned(Ap, wp), Ap)
    yield through["IAt"], IAt
    yield through["pAt"], pAt


PAIRS = tuple(Pair(d, parents) for d in (2, 3) for parents in ARRAYS)

STEPS = tuple(
    Step(d, kind, backward)
    for d in (2, 3)
    for kind, backward in product(HINGE_KINDS[d], (False, True))
)


class Proofs(World):
    """The pairs and steps at which two programs are compared."""

    def __init__(self) -> None:
        self.checks = {
            "along_paths": lambda printed: chain.from_iterable(map(along_paths, PAIRS)),
            "step_by_step": lambda printed: chain.from_iterable(map(step_by_step, STEPS)),
        }
