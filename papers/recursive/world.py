"""What the recursive-formulation paper's letters mean, instant by instant.

Nothing of it states an equation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import sympy as sp

from ...symbolic.equations.worlds import World
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import Coordinate
from ...symbolic.exact.series import Series
from ...symbolic.exact.true_motion import demanded
from ...symbolic.mechanics import beams
from ..deduction.beam import BEAMS, Bent
from .cut import Cut
from .example import drawn
from .frames import Frames
from .joints import Joints, stacked
from .kane import Kane, Pendulum
from .loads import Efforts, forces, joint_forces, moved, unaided
from .program import Programmed
from .proof import Proofs
from .tree import JointTree

#: The body connection array of Fig. 3.1.
ARRAY = (0, 1, 2, 3, 3, 5, 6, 4, 8, 4)

#: A driven joint, and two that are driven in part.
DRIVEN: frozenset[Coordinate] = frozenset({(2, 0)})
PARTLY: frozenset[Coordinate] = frozenset({(3, 1), (4, 0)})

#: A body that flies, with others on it.
FLYING = {1: (0, "free"), 2: (1, "universal"), 3: (1, "universal"), 4: (2, "universal")}


class Speeds(Joints):
    """A small tree in generalised speeds, a coordinate of which is prescribed.

    In its true motion where loads on its bodies alone move it.
    """

    def __init__(self, true: bool = False) -> None:
        self.kane = Kane(true)
        super().__init__(self.kane.tree)
        free, given = self.kane.free, self.kane.prescribed
        self.sets = {
            **self.sets,
            "speed": lambda: range(1, len(free) + 1),
            "varied": lambda: free,
            "given": lambda: (given,),
        }
        self.letters = {**self.letters, **self._particles(), **self._speeds(), **self._forces()}

    def _particles(self) -> Mapping[str, Callable[..., object]]:
        kane, tree = self.kane, self.kane.tree
        return {
            "x_j": tree.motion.x,
            "X_ij": lambda i, j: kane.X(j)[i - 1],
            "Y_j": kane.Y,
            "Sx_jx": kane.slope,
            "qd_x": lambda x: tree.motion.q[x],
            "μ_j": lambda j: sp.diag(*tree.bodies[j].masses),
            "ones_j": lambda j: sp.ones(len(tree.bodies[j].masses), 1),
        }

    def _speeds(self) -> Mapping[str, Callable[..., object]]:
        kane, tree = self.kane, self.kane.tree
        more, none = Points(66).vector(len(kane.free)), sp.zeros(len(kane.free), 1)

        def added(j: int, by: sp.Matrix) -> sp.Matrix:
            return kane.faster(by).x(j).at(1) - tree.motion.x(j).at(1)

        def unit(i: int) -> sp.Matrix:
            return kane.units[i - 1]

        return {
            "u": lambda: kane.u,
            "u_i": lambda i: kane.u.map(lambda term: term[i - 1 : i, :]),
            "V": lambda: kane.V,
            "Wk": lambda: kane.W,
            "qf": lambda: stacked(tree.motion.q[x] for x in kane.free),
            "Vx_ij": lambda i, j: kane.faster(unit(i)).v(j).value - tree.motion.v(j).value,
            "V0_j": lambda j: tree.along(kane.rates_at(none)).v(j).value,
            "xu_ij": lambda i, j: added(j, unit(i)),
            "xd_j": lambda j: added(j, more),
            "δ_i": lambda i: more[i - 1],
        }

    def _forces(self) -> Mapping[str, Callable[..., object]]:
        kane, tree = self.kane, self.kane.tree
        draw = Points(64)
        acting = {j: draw.vector(12).reshape(3, 4) for j in tree.bodies}
        gravity, none = Points(65).vector(3), sp.zeros(3, 1)

        def moment(j: int) -> sp.Matrix:
            f, arms = acting[j], tree.motion.R(j).value * tree.bodies[j].points
            return sum((arms[:, k].cross(f[:, k]) for k in range(f.cols)), none)

        @cache
        def needed() -> Mapping[Coordinate, sp.Expr]:
            bodies = tree.bodies.items()
            return demanded(tree, {j: (body.mass * gravity).col_join(none) for j, body in bodies})

        return {
            "fp_j": acting.__getitem__,
            "tp_j": moment,
            "grav": lambda: gravity,
            "needg_x": lambda x: needed()[x],
            "K": lambda: sp.Matrix(kane.active(forces(tree))),
            "Ks": lambda: sp.Matrix(kane.inertial),
            "left": lambda: kane.left,
            "left_x": lambda x: kane.left[kane.free.index(x)],
        }


class Swinging(World):
    """A pendulum whose length is given in time."""

    def __init__(self) -> None:
        at = Pendulum()
        draw = at.draw
        (c, s), length, angle = draw["at"], draw["l"], draw["phi"]
        self.letters = {
            "ρ": lambda: at.place,
            "l": lambda: Series.of_derivatives(length),
            "φ": lambda: Series.of_derivatives(angle),
            "cφ": lambda: c,
            "sφ": lambda: s,
            "mp": lambda: draw["m"],
            "γ": lambda: draw["g"],
            "λp": lambda: draw["lambda"],
        }


class Appendix(Joints):
    """The example of Appendix C."""

    def __init__(self, tree: JointTree) -> None:
        super().__init__(tree)
        first, second = tree.joints[1].circle[3:], tree.joints[2].circle
        rates = tree.motion.q
        self.letters = {
            **self.letters,
            "ca_d": lambda d: first[d - 1][0],
            "sa_d": lambda d: first[d - 1][1],
            "cb_n": lambda n: second[n - 1][0],
            "sb_n": lambda n: second[n - 1][1],
            "α_d": lambda d: rates[1, d + 2],
            "qs_n": lambda n: rates[2, n - 1],
            "b12": lambda: Points(67).vector(3),
        }


class Beam(World):
    """A beam's balance as the programs have it, and with every integral written out."""

    def __init__(self, at: Bent) -> None:
        found, (M, p) = beams.balance(at.functions), at.balance
        moving = sp.Matrix.vstack(at.acceleration, Points(54).vector(at.modes))
        self.letters = {
            "Me": lambda: at.of(found.M),
            "pe": lambda: at.of(found.p),
            "Mw": lambda: M,
            "pw": lambda: p,
            "ae": lambda: moving,
        }


class Figure(World):
    """The array of Fig. 3.1."""

    def __init__(self) -> None:
        self.sets = {"place": lambda: range(1, len(ARRAY) + 1)}

    def parent(self, a: int) -> int:
        return ARRAY[a - 1]


class Loop(Joints):
    """A tree that a cut joint holds."""

    def __init__(self, tree: JointTree) -> None:
        held, multipliers = Cut(tree).held(forces(tree), unaided(tree))
        super().__init__(held)
        self.letters = {**self.letters, "λ": lambda: multipliers}


def flying() -> World:
    """A tree that hangs on nothing, in its true motion."""
    tree = JointTree.drawn(41, FLYING)
    efforts = unaided(tree)
    return Joints(moved(tree, forces(tree), efforts), efforts=efforts)


def tree() -> JointTree:
    """A tree of five joints."""
    return JointTree.drawn(2)


def pushed(
    driven: frozenset[Coordinate] = frozenset(), by: Callable[[JointTree], Efforts] = joint_forces
) -> World:
    """The tree in its true motion under loads and efforts; what is driven moves as it did."""
    at = tree()
    efforts = by(at)
    return Joints(moved(at, forces(at), efforts, driven), efforts=efforts, driven=driven)


WORLDS: Mapping[str, Callable[[], World]] = {
    "tree": lambda: Joints(tree()),
    "true": pushed,
    "unaided": lambda: pushed(by=unaided),
    "driven": lambda: pushed(DRIVEN, unaided),
    "partly": lambda: pushed(PARTLY),
    "loop": lambda: Loop(tree()),
    "flying": flying,
    "figure": Figure,
    "kane": Speeds,
    "speeding": lambda: Speeds(true=True),
    "pendulum": Swinging,
    "beam": lambda: Beam(BEAMS["beam"]()),
    "frames": Frames,
    "rigid": lambda: Frames(rigid=True),
    "appendix": lambda: Appendix(drawn()),
    "programs": lambda: Programmed(3),
    "others": lambda: Programmed(4),
    "pairs": Proofs,
    "steps": Proofs,
}


@cache
def world(name: str) -> World:
    """The world of an instant."""
    return WORLDS[name]()
