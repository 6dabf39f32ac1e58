"""Random models at rest with dampers and forces of no energy, and their matrices M, C and K.

These are of the equations of motion: M from inverse dynamics, C and K from the derivatives of the
accelerations. What turns in any way has coordinates besides, of which a torque that holds it there
makes a stiffness.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

import numpy as np
from dense_damped import DenseDamped
from small_motions import Dense, resting_tree, tied_tree

from mstmm.model import GROUND, Body, End, Force, Hinge, Load, Model, Point
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter
from mstmm.model.parts.hinge_kinds import HINGE_KINDS


def damped_tree(seed: int, *, tied: bool = False) -> Model:
    """A random tree with laws and loads that have no energy, and drag; `tied` by dampers too."""
    rng = Random(seed)
    model = tied_tree(seed) if tied else resting_tree(seed)
    d = model.dimension

    def some(count: int, reach: float = 3.0) -> tuple[float, ...]:
        return tuple(rng.uniform(-reach, reach) for _ in range(count))

    hinges = []
    for hinge in model.hinges:
        kind = HINGE_KINDS[d][hinge.kind]
        own = [hinge_symbol("q", k + 1) for k in range(kind.coordinates)]
        own += [hinge_symbol("u", k + 1) for k in range(kind.speeds)]
        law = tuple(
            sum((c * x for c, x in zip(some(len(own)), own, strict=True)), 1.5)
            for _ in range(kind.speeds)
        )
        ruled = hinge.kind != "elastic" and rng.random() < 0.7
        hinges.append(replace(hinge, force=law) if ruled else hinge)
    first, last = model.bodies[0], model.bodies[-1]
    point, turns = first.points[0].name, 2 * d - 3
    loads = (
        Load("follower", first.name, point, some(d, 10), some(turns, 10), frame="body"),
        Load("couple", last.name, "", some(d), some(turns, 10)),
    )
    return replace(
        model,
        hinges=tuple(hinges),
        loads=(*model.loads, *(x for x in loads if rng.random() < 0.6)),
        forces=(*model.forces, Force("air", (End(first.name, point),), drag=1.3)),
    )


@dataclass
class DampedDense(Dense):
    """The matrices M, C and K of small motions of a model about `q`, held there by forces `tau`."""

    @cached_property
    def system(self) -> DenseDamped:
        n = len(self.model.speeds)
        A = self.riccati.linearize(self.q, np.zeros(n), self.tau)[0]
        K, C = -self.M @ A[n:, :n], -self.M @ A[n:, n:]
        return DenseDamped(self.M, C, K - self.held)

    @property
    def held(self) -> np.ndarray:
        """What forces along speeds that do not change add to K: of u = ω one half of ~τ."""
        found, at = np.zeros((len(self.tau),) * 2), 0
        for hinge in self.model.hinges:
            count = len(self.model.hinge_speeds(hinge))
            if self.model.dimension == 3 and hinge.kind in ("ball", "free", "elastic"):
                tau = self.tau[at : at + count]
                moment = _tilde(tau[-3:])
                if count == 6:
                    force = _tilde(tau[:3])
                    moment = np.block([[0 * force, force], [force, moment]])
                found[at : at + count, at : at + count] = moment / 2
            at += count
        return found


def _tilde(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


#: The axes of a point whose third axis is the first of its body.
ALONG_FIRST = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))


def rotor(*, driven: bool = False) -> Model:
    """A disc on a hub on springs, a rod beside it: it spins by W, or a hinge drives it so."""
    skew = _skew(Random(7))
    hub = Body(
        "hub",
        1.2,
        ((0.3, 0.0, 0.0), (0.0, 0.4, 0.05), (0.0, 0.05, 0.35)),
        (0.1, 0.2, 0.0),
        (
            Point("in", (0.0, -0.1, 0.0)),
            Point("disc", (0.5, 0.1, -0.2), _product(skew, ALONG_FIRST)),
            Point("rod", (0.0, 0.3, 0.1), _skew(Random(8))),
        ),
    )
    round_ = ((0.4, 0.0, 0.0), (0.0, 0.25, 0.0), (0.0, 0.0, 0.25))
    spin = 0 if driven else parameter("W")
    place = Point("in", (-0.1, 0.0, 0.0), ALONG_FIRST)
    disc = Body("disc", 2.0, round_, (0.15, 0.0, 0.0), (place,), spin=spin)
    flat = ((0.02, 0.0, 0.0), (0.0, 0.05, 0.0), (0.0, 0.0, 0.06))
    rod = Body("rod", 0.7, flat, (0.0, 0.2, 0.0), (Point("in", (0.0, -0.2, 0.0)),))
    shaft = (
        {"kind": "revolute", "motion": (parameter("W") * TIME,)} if driven else {"kind": "fixed"}
    )
    q, u = hinge_symbol("q", 1), hinge_symbol("u", 1)
    return Model(
        name="rotor",
        dimension=3,
        bodies=(hub, disc, rod),
        hinges=(
            Hinge(
                "springs",
                "elastic",
                (End(GROUND, "O"), End("hub", "in")),
                stiffness=(50.0, 80.0, 60.0, 20.0, 30.0, 25.0),
                damping=(0.5, 0.2, 0.3, 0.1, 0.05, 0.2),
            ),
            Hinge("shaft", ends=(End("hub", "disc"), End("disc", "in")), **shaft),
            Hinge("joint", "revolute", (End("hub", "rod"), End("rod", "in")), force=(-9 * q - u,)),
        ),
        parameters={"W": 30.0},
        gravity=(0.0, 0.0, 0.0),
    )


def _skew(rng: Random) -> tuple[tuple[float, ...], ...]:
    """A rotation at random."""
    q, _ = np.linalg.qr(np.random.default_rng(rng.randint(0, 99)).normal(size=(3, 3)))
    return tuple(map(tuple, (q * np.sign(np.linalg.det(q))).tolist()))


def _product(A: tuple[tuple[float, ...], ...], B: tuple[tuple[float, ...], ...]) -> object:
    return tuple(map(tuple, (np.array(A) @ np.array(B)).tolist()))
