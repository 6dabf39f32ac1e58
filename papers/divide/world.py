"""What the divide-and-conquer paper's letters mean at an exact instant of a true motion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import sympy as sp

from ...symbolic.equations.matrices import Mat
from ...symbolic.equations.worlds import World
from ...symbolic.exact.screws import place, turn
from ...symbolic.exact.series import Series
from . import energies
from .cases import system
from .instant import Instant, Momenta
from .merges import Merges
from .pieces import Piece
from .responses import Responses, mass_matrix, responses

#: A is the first half of a chain of four bodies, B the second, C both.
RUNS = {"A": (1, 2), "B": (3, 4), "C": (1, 4)}

#: Runs that a joint connects, each with the one behind it.
NEXT = {"A": "B", "1": "2", "2": "3"}

Letters = Mapping[str, Callable[..., Any]]


class Chain(World):
    """A system at an instant; `at` is its true motion, or one along coordinates."""

    def __init__(self, of: Instant, at: Momenta | None = None) -> None:
        self.of, self.at = of, at or of
        self.coordinates = of.tree.coordinates
        runs = {name: run for name, run in RUNS.items() if set(run) <= set(of.bodies)}
        if of.bodies == (1, 2, 3):
            runs["C"] = (1, 3)
        runs |= {str(i): (i, i) for i in of.bodies if i <= 5}
        self.runs = runs
        self.sets = {
            "body": lambda: of.bodies,
            "joint": lambda: tuple(of.joints),
            "tree": lambda: of.bodies,
            "cut": lambda: tuple(of.tree.cuts),
            "handle": lambda: (1, 2),
            "centre": lambda i: (("C", i),),
            "point": lambda i: (("O", i), ("C", 1), ("O", 6)),
            "own": lambda i: (("O", i),),
            "run": lambda: tuple(name for name in runs if name in RUNS),
            "single": lambda: tuple(name for name in runs if name not in RUNS),
            "alike": lambda X: {"B": ("B", "3"), "C": ("C", "A")}[X],
            "front": lambda: tuple(NEXT),
            "next": lambda X: (NEXT[X],),
            "side": lambda k: tuple(of.sides(k)),
            "first": lambda k: tuple(of.sides(k))[:1],
            "around": lambda: (1,),
            "both": lambda k: tuple(side for side in of.sides(k) if side[0] == 6),
            "beyond": lambda k: of.tree.outboard(k) if k in of.bodies else (),
        }
        self.letters = {
            **self._system(),
            **_bodies(of),
            **_joints(of),
            **self._runs(),
        }

    def along(self, by: tuple[Any, ...]) -> World:
        # A joint's number is its only coordinate.
        names = ((x, 0) if isinstance(x, int) else x for x in by)
        speeds = {x: sp.Integer(count) for x, count in Counter(names).items()}
        return Chain(self.of, Momenta(self.of.tree.along(speeds)))

    def _system(self) -> Letters:
        of, at = self.of, self.at
        cuts = tuple(of.tree.cuts)
        return {
            "u": lambda: Series((of.speeds, of.accelerations)),
            "M": at.mass_matrix,
            "Φ": at.conditions,
            "gap": lambda: at.motion.gap(cuts[0]).map(place),
            "V": lambda: _numbers(energies.potential(of, at)),
            "K": lambda: energies.kinetic(of),
            "Qf": lambda: energies.forces(of),
            "λ": lambda: sp.Matrix.vstack(*(of.lam[c] for c in cuts)),
            "σ": lambda: sp.Matrix.vstack(*(of.sigma[c] for c in cuts)),
            "Phat": lambda: _stacked([of.p(k) for k in of.bodies]),
        }

    def _runs(self) -> Letters:
        of, runs = self.of, self.runs

        def whole(part: str) -> Callable[[str | int], Any]:
            return lambda X: getattr(piece(str(X)), part)

        @cache
        def piece(X: str) -> Piece:
            return Piece(of, *runs[X])

        @cache
        def xi(X: str) -> Responses:
            return responses(of, *runs[X])

        def joint(
            of_joint: Callable[[int], Any], tip: tuple[int, int]
        ) -> Callable[[int, str | int], Any]:
            """At a run's handle; without columns at a free tip."""

            def found(h: int, X: str | int) -> Any:
                k = piece(str(X)).first if h == 1 else piece(str(X)).last + 1
                return of_joint(k) if k in of.joints else Mat.zeros(*tip)

            return found

        def beyond(X: str | int, handle: int) -> sp.Matrix:
            run = piece(str(X))
            k = run.first if handle == 1 else run.last + 1
            bodies = of.tree.outboard(k) if k in of.bodies else ()
            found = sum((of.Q(i, of.O[k]) for i in bodies), sp.zeros(6, 1))
            return found if handle == 1 else -found

        def about(X: str | int, handle: int) -> Mat | None:
            """The mass matrix of a single body."""
            run = piece(str(X))
            if run.first != run.last:
                return None
            return mass_matrix(of, run.first, run.O1 if handle == 1 else run.O2)

        parts = {"V": "V", "T": "T", "F": "F", "O": "O", "Pbar": "bar"}
        return {
            **{f"{x}_{h}^X": whole(f"{part}{h}") for x, part in parts.items() for h in (1, 2)},
            "P_1^X": whole("P1"),
            "P_2^X": lambda X: _momentum(of, piece(str(X))),
            "Q_1^X": whole("Q1"),
            "S_12^X": whole("S12"),
            "Qbar_1^X": lambda X: beyond(X, 1),
            "Qbar_2^X": lambda X: beyond(X, 2),
            "H_h^X": joint(of.H, (6, 0)),
            "D_h^X": joint(of.D, (6, 0)),
            "σ_h^X": joint(of.multiplier, (0, 1)),
            "p_h^X": joint(lambda k: of.p(k).value, (0, 1)),
            "M_1^X": lambda X: about(X, 1),
            "M_2^X": lambda X: about(X, 2),
            **{
                f"ξ_{g}{h}^X": lambda X, g=g, h=h: xi(str(X))[g, h]
                for g in (1, 2)
                for h in (0, 1, 2)
            },
        }


def _bodies(of: Instant) -> Letters:
    """Of bodies, about points `u` that move: of a body's centre ("C", i) or a joint ("O", k)."""

    def point(u: tuple[str, int]) -> Series:
        return of.O[u[1]] if u[0] == "O" else of.C[u[1]]

    return {
        "m_i": of.mass.__getitem__,
        "J_i": of.J,
        "ω_i": of.spin,
        "l_u": point,
        "S_uv": lambda u, v: of.S(point(u), point(v)),
        "P_iu": lambda i, u: of.P(i, point(u)),
        "V_iu": lambda i, u: of.V(i, point(u)),
        "Q_iu": lambda i, u: of.Q(i, point(u)),
        "load_i": of.load.__getitem__,
    }


def _joints(of: Instant) -> Letters:
    """Of joints k, and of cuts' sides `e`: the cut and the sign of the body that it is on."""

    def material(e: tuple[int, int]) -> sp.Matrix:
        joint = of.joints[e[0]]
        return of.V(joint.succ if e[1] > 0 else joint.pred, of.O[e[0]]).value[:3, :]

    def across() -> sp.Matrix:
        """How fast the pin that is cut turns."""
        gap = of.motion.gap(5).map(turn)
        return sp.Matrix([(gap.rate @ gap.T).value[1, 0]])

    return {
        "O_k": of.O.__getitem__,
        "H_k": of.H,
        "D_k": of.D,
        "Din": lambda: _in_plane(of.D(5).value),
        "p_k": of.p,
        "qd_k": of.q,
        "qd_5": across,
        "Pbar_k": of.articulated,
        "T_k": of.T,
        "σ_k": of.multiplier,
        "λ_k": of.lam.__getitem__,
        "F_k": of.F,
        "Qj_ik": lambda i, k: of.Q(i, of.O[k]),
        "ωj_k": lambda k: of.spin(of.joints[k].pred),
        "sg_e": lambda e: e[1],
        "Dc_e": lambda e: of.D(e[0]),
        "σc_e": lambda e: of.sigma[e[0]],
        "Oc_e": lambda e: of.O[e[0]],
        "Sc_ke": lambda k, e: of.S(of.O[k], of.O[e[0]]),
        "vm_e": material,
    }


def _in_plane(D: sp.Matrix) -> sp.Matrix:
    """The columns that push along x or y."""
    return D[:, [k for k in range(D.cols) if any(D[:2, k])]]


def _momentum(of: Instant, piece: Piece) -> sp.Matrix:
    """Of a run, about its handle 2."""
    return sum((of.P(i, piece.O2).value for i in piece.bodies), sp.zeros(6, 1))


def _stacked(parts: list[Series]) -> Series:
    count = min(len(part.terms) for part in parts)
    return Series(tuple(sp.Matrix.vstack(*(x.terms[k] for x in parts)) for k in range(count)))


def _numbers(values: sp.Matrix) -> Series:
    """A number and its rate."""
    return Series((values[:1, :], values[1:, :]))


@cache
def world(name: str) -> World:
    """The system of this name in `cases`; `merges-3`: a program on a chain drawn by seed 3."""
    if name.startswith("merges-"):
        return Merges(int(name.removeprefix("merges-")))
    return Chain(system(name))
