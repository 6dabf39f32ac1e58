"""What the recursive-formulation paper's letters mean on a tree at an exact instant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, cached_property
from typing import Any

import sympy as sp

from ...symbolic.equations.worlds import World
from ...symbolic.exact import screws
from ...symbolic.exact.motion import Coordinate
from ...symbolic.exact.series import Series
from ...symbolic.exact.true_motion import Loaded, demanded
from .cut import Cut
from .functions import JointFunctions
from .loads import Efforts, Loads, forces, joint_forces, pushed
from .tree import Jointed, JointMotion, JointTree

Letters = Mapping[str, Callable[..., Any]]


def stacked(parts: Iterable[Series]) -> Series:
    """Scalars as a column."""
    columns = zip(*(part.terms for part in parts), strict=True)
    return Series(tuple(sp.Matrix([term[0] for term in terms]) for terms in columns))


class Joints(World):
    """A tree of joints under loads (F, T) and efforts along coordinates, some of them driven.

    `motion` is another one through the same place, along which the time stands still.
    """

    def __init__(
        self,
        tree: JointTree,
        loads: Loads | None = None,
        efforts: Efforts | None = None,
        driven: Collection[Coordinate] = (),
        motion: JointMotion | None = None,
    ) -> None:
        self.tree, self.motion, self.driven = tree, motion or tree.motion, driven
        self.loads = forces(tree) if loads is None else loads
        self.efforts = joint_forces(tree) if efforts is None else efforts
        self.coordinates, self.along_itself = tree.coordinates, motion is None
        self.functions = cache(self._functions)
        self.sets = {**self._members(), **self._kept()}
        self.letters = {
            **self._bodies(),
            **self._joints(),
            **self._functions_of_coordinates(),
            **self._slopes(),
            **self._dynamics(),
        }
        if {3, 5} <= {*tree.joints}:
            self.letters = {**self.letters, **self._cut()}

    def parent(self, a: int) -> int:
        return self.tree.parent(a)

    def along(self, by: tuple[Any, ...]) -> World:
        rates = {x: sp.Integer(by.count(x)) for x in by}
        moving = self.tree.along(rates)
        return Joints(self.tree, self.loads, self.efforts, self.driven, moving)

    def joint(self, j: int) -> Jointed:
        return self.tree.joints[j]

    def own(self, j: int) -> tuple[Coordinate, ...]:
        """The coordinates of joint j."""
        return tuple(x for x in self.coordinates if x[0] == j)

    # Sets

    def _members(self) -> Mapping[str, Callable[..., Iterable[Any]]]:
        tree = self.tree
        driven = [j for j in tree.numbers if {*self.own(j)} <= {*self.driven}]
        return {
            "body": lambda: tree.numbers,
            "out": tree.children,
            "leaf": lambda: [j for j in tree.numbers if not tree.children(j)],
            "inner": lambda: [j for j in tree.numbers if tree.children(j)],
            "universal": lambda: [j for j in tree.numbers if _universal(self.joint(j))],
            "driven": lambda: driven,
            "loose": lambda: [j for j in tree.numbers if j not in driven],
            "coordinate": lambda: tree.coordinates,
            "own": self.own,
            "two": lambda: (1, 2),
            "three": lambda: (1, 2, 3),
        }

    def _kept(self) -> Mapping[str, Callable[..., Iterable[Any]]]:
        """The first h bodies, the others being eliminated."""
        tree = self.tree

        def first(h: int) -> tuple[int, ...]:
            return tree.numbers[:h]

        def cut(j: int, h: int) -> list[int]:
            return [k for k in tree.children(j) if k not in first(h)]

        def moving(h: int) -> list[Coordinate]:
            return [x for x in tree.coordinates if x[0] in first(h)]

        return {
            "kept": lambda: range(1, len(tree.numbers) + 1),
            "first": first,
            "before": lambda h: first(h - 1),
            "cut": cut,
            "bearing": lambda h: [j for j in first(h) if cut(j, h)],
            "bare": lambda h: [j for j in first(h) if not cut(j, h)],
            "moving": moving,
            "free": lambda h: [x for x in moving(h) if x not in self.driven],
        }

    # Letters

    def _bodies(self) -> Letters:
        tree, m = self.tree, self.motion
        return {
            "R_j": m.R,
            "r_j": m.r,
            "ω_j": m.spin,
            "v_j": m.v,
            "m_j": lambda j: tree.bodies[j].mass,
            "J_j": lambda j: tree.bodies[j].J,
            "F_j": lambda j: self.loads[j],
            "P_j": lambda j: self._summed(j, m.x(j).at(1)),
            "Wp_j": lambda j: self._summed(j, m.x(j).at(2)),
        }

    def _summed(self, j: int, arrows: sp.Matrix) -> sp.Matrix:
        """(Σ m a, Σ y × m a) of the particles of body j about its centroid."""
        pushed = arrows * sp.diag(*self.tree.bodies[j].masses)
        ones = sp.ones(pushed.cols, 1)
        products = pushed * (self.motion.x(j).value - self.motion.r(j).value * ones.T).T
        return sp.Matrix.vstack(pushed * ones, screws.axial(products - products.T))

    def _joints(self) -> Letters:
        m = self.motion

        def fixed(value: sp.Matrix) -> Series:
            return m.constant(value)

        def inner(j: int) -> Series:
            return m.R(self.joint(j).pred)

        return {
            "q_j": lambda j: stacked(m.q[x] for x in self.own(j)),
            "Bi_j": lambda j: self.joint(j).Bi,
            "Bj_j": lambda j: self.joint(j).Bj,
            "C_j": m.turned,
            "c_j": m.moved,
            "cv_j": lambda j: inner(j) @ fixed(self.joint(j).Bi) @ m.moved(j),
            "bi_j": lambda j: inner(j) @ fixed(self.joint(j).bi),
            "bj_j": lambda j: m.R(j) @ fixed(self.joint(j).bj),
        }

    def _functions(self, j: int) -> JointFunctions:
        tree, joint = self.tree, self.joint(j)
        rates = sp.Matrix([self.motion.q[x].at(1)[0] for x in self.own(j)])
        return JointFunctions(joint.kind, joint.circle, tree.of(j, 0), rates)

    def _functions_of_coordinates(self) -> Letters:
        of = self.functions
        return {
            "W_j": lambda j: Series((of(j).W, of(j).W_rate)),
            "cq_j": lambda j: Series((of(j).c_q, of(j).c_q_rate)),
            "Cf_j": lambda j: of(j).C,
            "cf_j": lambda j: of(j).c,
            "cu_jn": lambda j, n: self.joint(j).circle[n - 1][0],
            "su_jn": lambda j, n: self.joint(j).circle[n - 1][1],
        }

    def _slopes(self) -> Letters:
        tree = self.tree
        return {
            "U_jx": lambda j, x: tree.slopes[x].v(j).value,
            "dq_jx": lambda j, x: sp.Matrix([int(x == y) for y in self.own(j)]),
        }

    @cached_property
    def needed(self) -> Mapping[Coordinate, sp.Expr]:
        return demanded(self.tree, self.loads)

    def _dynamics(self) -> Letters:
        tree, driven, own = self.tree, self.driven, self.own

        def free(j: int) -> sp.Matrix:
            """The columns of 1 of the coordinates of a joint that are not driven wholly."""
            names = own(j)
            kept = [n for n, x in enumerate(names) if x not in driven] or range(len(names))
            return sp.eye(len(names)).extract(range(len(names)), list(kept))

        return {
            "need_x": lambda x: self.needed[x],
            "f_x": lambda x: self.efforts[x],
            "τ_j": lambda j: sp.Matrix([self.efforts[x] for x in own(j)]),
            "Mq": lambda: Loaded(tree, {}).mass,
            "fq": lambda: pushed(tree, self.loads, self.efforts),
            "Nf_j": free,
            "Nd_j": lambda j: sp.diag(*(int(x in driven) for x in own(j))),
        }

    def _cut(self) -> Letters:
        cut = Cut(self.tree)
        return {
            "pc_j": cut.points.__getitem__,
            "σ": lambda: cut.factor if self.along_itself else cut.still,
            "hx_jd": cut.stepped,
        }


def _universal(joint: Jointed) -> bool:
    return len(joint.kind.turns) == joint.kind.count == 2
