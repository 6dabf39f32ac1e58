"""What the screw paper's letters mean: poses as series, sums over particles, programs that ran.

Nothing of it states an equation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial, reduce
from math import factorial
from operator import mul
from typing import Any

import sympy as sp

from ...symbolic.equations.matrices import Mat
from ...symbolic.equations.worlds import World
from ...symbolic.exact import screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import GROUND, Body
from ...symbolic.exact.series import Series
from ...symbolic.methods.inverse.places import Representation
from ..systems import HANGING, System
from .increments import Increment
from .mass import Mass
from .moving import Moving, within
from .particles import Cloud, forces, framed, generalised_forces, unturned
from .slopes import GRAVITY, Slopes, Varied
from .sweeps import screw, seen, swept
from .tree import Motion, Tree, one_freedom

Letters = Mapping[str, Callable[..., Any]]

#: As deep as derivatives of third order need; of each body what it hangs on.
PARENTS = {1: GROUND, 2: 1, 3: 2, 4: 1}

#: Seeds: a slide or a pin comes first, for where a screw turns before another one different terms
#: are there.
SEEDS = {"slide": 4, "pin": 5}
SWEEPS = {"sweeps": 3, "others": 4}
INCREMENTS = {"increments": 100, "more increments": 103}


class Screws(World):
    """A tree at an instant; `motion` is another one through the same place."""

    def __init__(self, tree: Tree, motion: Motion | None = None) -> None:
        self.tree, self.motion, self.gravity = tree, motion or tree.motion, GRAVITY
        self.coordinates = tree.numbers
        self.own, self.centred = cache(partial(Moving, tree)), cache(self._centred)
        self.cloud, self.needed = cache(partial(Cloud, tree.motion)), cache(self._needed)
        self.mass, self.slopes = Mass(tree), Slopes(tree)
        self.varied = Varied(tree, tree.numbers[1])
        self.sets = self._sets()
        self.letters = {
            **self._joints(),
            **self._twists(),
            **self._bodies(),
            **self._centres(),
            **self._forces(),
            **self._slopes(),
        }

    def less(self, a: int, b: int) -> bool:
        return a != b and a in self.tree.path(b)

    def parent(self, a: int) -> int:
        return self.tree.parent(a)

    def along(self, by: tuple[int, ...]) -> World:
        rates = {(k, 0): sp.Integer(by.count(k)) for k in by}
        return Screws(self.tree, self.tree.along(rates))

    def _sets(self) -> Mapping[str, Callable[..., Iterable[Any]]]:
        tree, names = self.tree, self.tree.numbers

        def before(i: int, count: int) -> int:
            return names[names.index(i) - count]

        def axes(i: int, f: int) -> tuple[int, ...]:
            """Of a body's own frame its own axes and the inertial ones, as of hybrid twists."""
            if f == i:
                return (i, GROUND)
            return (before(i, 2) if f == before(i, 1) else f,)

        return {
            "body": lambda: names,
            "joint": lambda: names,
            "way": tree.path,
            "out": tree.children,
            "inner": lambda: tuple(i for i in names if tree.children(i)),
            "beyond": tree.outboard,
            "apart": lambda a: [b for b in names if not {a, b} & {*tree.path(a)} & {*tree.path(b)}],
            "frame": lambda i: (before(i, 1), GROUND, i),
            "axes": axes,
        }

    def _joints(self) -> Letters:
        tree, m = self.tree, self.motion
        draw = Points(95)
        frames = {i: screws.pose(draw.rotation(3), draw.vector(3)) for i in tree.numbers}

        def start(i: int) -> sp.Matrix:
            """A_i."""
            return reduce(mul, (tree.B[j] for j in tree.path(i)), sp.eye(4))

        def turned(i: int, by: sp.Matrix) -> sp.Matrix:
            """exp of the joint's screw as seen from a frame."""
            c, s = tree.joints[i].circle[0]
            return screws.exponential(screws.Ad(by) * tree.X[i], tree.rates[i, 0][0], c, s)

        return {
            "q_i": lambda i: m.q[i, 0],
            "X_i": tree.X.__getitem__,
            "X0_i": m.X0,
            "A_i": start,
            "B_i": tree.B.__getitem__,
            "S_i": frames.__getitem__,
            "E_i": lambda i: turned(i, sp.eye(4)),
            "EY_i": lambda i: turned(i, start(i)),
            "EZ_i": lambda i: turned(i, screws.inverse(frames[i])),
        }

    def _twists(self) -> Letters:
        tree, m = self.tree, self.motion

        def alone(twist: Callable[[Motion, int], Series]) -> Callable[[int, int], sp.Matrix]:
            return lambda i, j: twist(tree.slopes[j, 0], i).value

        return {
            "C_i": lambda i: m.C[i],
            "C_ij": m.relative,
            "R_i": m.R,
            "r_i": m.r,
            "r_ij": m.shift,
            "ω_i": m.spin,
            "Vb_i": m.Vb,
            "Vs_i": m.Vs,
            "Vh_i": m.Vh,
            "Vm_i": m.Vm,
            "Jb_ij": m.Jb,
            "Js_i": m.Js,
            "Jh_ij": m.Jh,
            "Jm_ij": m.Jm,
            "Ub_ij": alone(Motion.Vb),
            "Us_ij": alone(Motion.Vs),
            "Uh_ij": alone(Motion.Vh),
        }

    # Bodies; what is made of their particles goes by the instant's own motion

    def _centred(self, i: int) -> Moving:
        """Body i as described from a frame at its centre of mass."""
        return Moving(self.tree, i, within(self.tree, i))

    def _bodies(self) -> Letters:
        own, cloud, bodies = self.own, self.cloud, self.tree.bodies

        def lifted(i: int) -> sp.Matrix:
            points = sp.Matrix.vstack(bodies[i].points, sp.ones(1, bodies[i].points.cols))
            return points * sp.diag(*bodies[i].masses) * points.T

        def seen(i: int, f: int, g: int) -> Series:
            C = self.tree.motion.C
            return framed(C[g].map(screws.turn), C[f])

        return {
            "m_i": lambda i: bodies[i].mass,
            "d_i": lambda i: bodies[i].centre,
            "dn_ij": lambda i, j: Points(96).vector(3),
            "G_i": lifted,
            "Mb_i": lambda i: own(i).M,
            "Ms_i": lambda i: cloud(i).inertia(own(i).ground),
            "Mh_i": lambda i: cloud(i).inertia(unturned(own(i).C)),
            "Ps_i": lambda i: cloud(i).momentum(own(i).ground),
            "Ph_i": lambda i: cloud(i).momentum(unturned(own(i).C)),
            "Wb_i": lambda i: own(i).Wb,
            "Ws_i": lambda i: own(i).Ws,
            "Wh_i": lambda i: own(i).Wh,
            "I_ifg": lambda i, f, g: cloud(i).inertia(seen(i, f, g)),
            "W_ifg": lambda i, f, g: cloud(i).wrench(seen(i, f, g)),
        }

    def _centres(self) -> Letters:
        centred, cloud = self.centred, self.cloud

        def inertia(i: int) -> sp.Matrix:
            """Σ m (yᵀ y 1 − y yᵀ), in the axes of the frame at the centre of mass."""
            turn = screws.turn(within(self.tree, i))
            return turn.T * self.tree.bodies[i].J * turn

        return {
            "Sc_i": partial(within, self.tree),
            "Θc_i": inertia,
            "Mbc_i": lambda i: centred(i).M,
            "Mhc_i": lambda i: cloud(i).inertia(unturned(centred(i).C)),
            "Phc_i": lambda i: cloud(i).momentum(unturned(centred(i).C)),
            "Wbc_i": lambda i: centred(i).Wb,
            "Whc_i": lambda i: centred(i).Wh,
            "Vbc_i": lambda i: centred(i).Vb,
            "Vhc_i": lambda i: centred(i).Vh,
            "Vmc_i": lambda i: centred(i).Vm,
            "Rc_i": lambda i: centred(i).C.map(screws.turn),
            "rc_i": lambda i: centred(i).C.map(screws.place),
        }

    # Forces

    def _needed(self, weights: bool) -> sp.Matrix:
        """What the joints must give beside weights, or beside what acts on the particles."""
        if not weights:
            return generalised_forces(self.tree, forces(self.tree))
        acting = {i: self.gravity * body.masses.T for i, body in self.tree.bodies.items()}
        return generalised_forces(self.tree, acting)

    def _applied(self, i: int, frame: Series) -> sp.Matrix:
        return self.cloud(i).wrench(frame, forces(self.tree)[i])

    def _mixed(self, i: int) -> sp.Matrix:
        """Moment in the body's axes, force in inertial ones."""
        C = self.tree.motion.C[i]
        return screws.twist(self._applied(i, C)[:3, :], self._applied(i, unturned(C))[3:, :])

    def _transmitted(self, i: int) -> sp.Matrix:
        """(Σ y × (m ẍ − f), Σ m ẍ − f) of all particles beyond joint i, in the frame of body i."""
        C, beyond = self.tree.motion.C[i], self.tree.outboard(i)
        parts = (self.cloud(k).wrench(C) - self._applied(k, C) for k in beyond)
        return sum(parts, sp.zeros(6, 1))

    def _forces(self) -> Letters:
        tree, C = self.tree, self.tree.motion.C

        def at(i: int) -> int:
            return tree.numbers.index(i)

        return {
            "Wappb_i": lambda i: self._applied(i, C[i]),
            "Wapps_i": lambda i: self._applied(i, C[GROUND]),
            "Wapph_i": lambda i: self._applied(i, unturned(C[i])),
            "Wappm_i": self._mixed,
            "Lb_i": self._transmitted,
            "Q_i": lambda i: self.needed(False)[at(i)],
            "Q": lambda: self.needed(False),
            "Qg_i": lambda i: self.needed(True)[at(i)],
            "γ": lambda: screws.twist(sp.zeros(3, 1), self.gravity),
        }

    def _slopes(self) -> Letters:
        names, mass = self.tree.numbers, self.mass

        def of(which: int) -> Callable[[int, int], sp.Expr]:
            return lambda i, k: self.slopes.matrices[which][names.index(i), names.index(k)]

        @cache
        def geometry() -> Mapping[int, sp.Expr]:
            frozen = self.varied.frozen
            slopes = Slopes(frozen).column(frozen.parent(self.varied.i))[0]
            return dict(zip(frozen.numbers, slopes, strict=True))

        def varied(i: int) -> Series:
            return Series(tuple(self.varied.slope(i, k) / factorial(k) for k in range(3)))

        return {
            "M": lambda: sp.Matrix([[mass.entry(i, j) for j in names] for i in names]),
            "M_lm": mass.entry,
            "Mx_lmn": mass.slope,
            "Sq_lm": of(0),
            "Su_lm": of(1),
            "Sa_lm": of(2),
            "U": lambda: self.varied.U,
            "Cv_i": varied,
            "Sg_l": lambda i: geometry()[i],
        }


class OneFrame(Screws):
    """The same motion described from frames that are all the inertial one at zero coordinates."""

    def __init__(self, tree: Tree) -> None:
        first = Screws(tree)
        start = first.letters["A_i"]
        joints, bodies = {}, {}
        for i, parent in tree.parents.items():
            A, points = start(i), tree.bodies[i].points
            X, circle = screws.Ad(A) * tree.X[i], tree.joints[i].circle[0]
            joints[i] = one_freedom(parent, i, X, sp.eye(4), circle)
            places = screws.turn(A) * points + screws.place(A) * sp.ones(1, points.cols)
            bodies[i] = Body(tree.bodies[i].masses, places)
        super().__init__(Tree(joints, bodies, tree.rates))
        before = {"C_i": "Co_i", "Mb_i": "Mo_i", "X_i": "Xo_i", "A_i": "Ao_i", "Q_i": "Qo_i"}
        own = {new: first.letters[old] for old, new in before.items()}
        self.letters = {**self.letters, **own}


class Sweeps(Screws):
    """A tree on which the programs of inverse dynamics ran."""

    def __init__(self, seed: int) -> None:
        system = System(seed, HANGING, outer=False)
        super().__init__(seen(system))
        self.gravity = system.gravity
        run = cache(partial(swept, system, self.tree))

        def carried(array: str, of: Representation, grounded: sp.Matrix | None = None) -> Any:
            def value(i: int) -> Mat | sp.Matrix:
                return screw(run(of), array, i) if i != GROUND else grounded

            return value

        def force(of: Representation) -> Any:
            return lambda i: run(of).of("tau", f"uh{i}")

        spatial, rest = Representation.SPATIAL, sp.zeros(6, 1)
        rising = screws.twist(sp.zeros(3, 1), -system.gravity)
        self.letters = {
            **self.letters,
            **{f"Wp{of[0]}_i": carried("lam", of) for of in Representation},
            **{f"τ{of[0]}_i": force(of) for of in Representation},
            "Vp_i": carried("Vs", spatial, rest),
            "Ap_i": carried("Vds", spatial, rising),
            "Jp_i": carried("screw", spatial),
        }


class Increments(World):
    """Increments on their way, and a fixed pose."""

    def __init__(self, seed: int) -> None:
        found = {t: Increment.drawn(t) for t in range(seed, seed + 3)}
        draw = Points(seed)
        start = screws.pose(draw.rotation(3), draw.vector(3))
        self.sets = {"increment": lambda: tuple(found)}
        self.letters = {
            "C0": lambda: start,
            "Xn_t": lambda t: found[t].X,
            "EX_t": lambda t: found[t].exponential,
            "θ_t": lambda t: found[t].angle[0],
            "ca_t": lambda t: found[t].angle[1],
            "sa_t": lambda t: found[t].angle[2],
        }


@cache
def world(name: str) -> World:
    """The world of an instant."""
    if name in INCREMENTS:
        return Increments(INCREMENTS[name])
    if name in SWEEPS:
        return Sweeps(SWEEPS[name])
    tree = Tree.drawn(SEEDS[name.removeprefix("one ")], PARENTS)
    return OneFrame(tree) if name.startswith("one ") else Screws(tree)
