"""One beam, bent, moving and driven at its output, in the axes of the floating frame at its input.

What the code derives by differentiating places is judged by the balance with every integral
written out, and by two ends that belong to one motion. Bending shortens a beam; without that, as in
the paper's examples, a beam is judged too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import sympy as sp

from ...model import GROUND, Beam, End, Hinge, Model, Point
from ...symbolic.equations.worlds import World
from ...symbolic.exact.evaluation import Points
from ...symbolic.mechanics import beams
from ...symbolic.mechanics.beams import (
    AXIAL,
    BENDING,
    DAMPING,
    LENGTH,
    MASS,
    SPIN,
    XI,
    Functions,
)
from ...symbolic.pages.named import EXTENDED, Named, beam_blocks, named_matrices
from ...symbolic.plans.deduction import deduce
from .matrices import filled

HALF = sp.Rational(1, 2)
#: The turn by 90°: ω × r = ω S r in the plane.
S = sp.Matrix([[0, -1], [1, 0]])


class Bent:
    """One beam with generic numbers: how it is bent, moves, and is driven at its output.

    `several`: with a further input at ξ = 1/2.
    """

    def __init__(self, functions: Functions, seed: int, several: bool = False) -> None:
        draw = Points(seed)
        self.functions, self.modes = functions, functions.modes
        self.eta, self.rates = (draw.vector(self.modes) for _ in range(2))
        constants = (MASS, LENGTH, AXIAL, BENDING, DAMPING, SPIN)
        symbols = beams.balance(functions)
        self.values = dict(zip(constants, (draw.number() for _ in constants), strict=True))
        self.values |= dict(
            zip([*symbols.eta, *symbols.rates], [*self.eta, *self.rates], strict=True)
        )
        self.acceleration, self.at_output = draw.vector(3), draw.vector(3)
        self.several = several
        self.at_further = draw.vector(3) if several else sp.zeros(3, 1)

    def of(self, matrix: sp.Matrix) -> sp.Matrix:
        return matrix.xreplace(self.values)

    @cached_property
    def blocks(self) -> dict[str, sp.Matrix]:
        """What the page shows of its matrices."""
        found = {name: self.of(x) for name, x in beam_blocks(self.functions)}
        M, p, Pi = found.pop("M"), found.pop("p"), found["Pi"]
        J, g = (self.of(x) for x in beams.section(self.functions, HALF))
        # From the further input to the output, and W_Ik, as the page says.
        X, Y = found["X_O"] * J[:, :3].inv(), J[:, 3:]
        L = Pi * X.inv().T * Pi.T
        W = Y.T * Pi.T - found["Y_O"].T * Pi.T * L
        found |= {"L_Ik": L, "W_Ik": W, "X_Ik": J[:, :3], "Y_Ik": Y, "gamma_Ik": g}
        return found | {
            **{"M_aa": M[:3, :3], "M_aη": M[:3, 3:], "M_ηa": M[3:, :3], "M_ηη": M[3:, 3:]},
            **{"p_a": p[:3, :], "p_η": p[3:, :]},
        }

    @cached_property
    def named(self) -> dict[tuple[str, str], Named]:
        """By letter, and I1 or Ik where it has several."""
        names = ["I", "K", "O"] if self.several else ["I", "O"]
        points = tuple(Point(x, (sp.Rational(i, len(names) - 1), 0)) for i, x in enumerate(names))
        axial, bending, shortens = self.functions
        beam = Beam("1", 1, 1, 1, 1, axial, bending, points, foreshortening=shortens)
        held = tuple(
            Hinge(x, "free", (End(GROUND, x), End("1", x)), force=(1, 1, 1)) for x in names
        )
        ground = tuple(Point(x, (0, 0)) for x in names)
        made = Model("beam", 2, (beam,), held, (0, 0), absolute=False, ground=ground, root="1:O")
        return {
            (one.factor.letter, one.factor.indices[1] if self.several else ""): one
            for one in named_matrices(deduce(made))
            if one.equation == EXTENDED
        }

    def shown(self, letter: str, index: str = "") -> sp.Matrix:
        """A matrix of the page, of (r̈, Ω̇), (m, q), η̈, 1."""
        sizes = (3, 3, self.modes, 1)
        rows = {"U": sizes, "G": (self.modes,), "H": (3,)}[letter]
        return filled(self.named[letter, index].matrix, self.blocks, rows, sizes)

    # Truth

    @cached_property
    def shapes(self) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """Φ = [ψ; φ] and φ' of all functions, at ξ, and G, which is none if bending is linear."""
        of = beams.shapes(self.functions)
        slope = self.of(of.slope)
        squares = (slope.T * slope * self.values[LENGTH]).applyfunc(sp.expand)
        G = squares.applyfunc(lambda f: sp.integrate(f, XI))
        return of.psi.col_join(of.phi), slope, G * int(self.functions.shortens)

    def integral(self, matrix: sp.Matrix) -> sp.Matrix:
        """Over the beam's mass."""
        whole = matrix.applyfunc(lambda x: sp.integrate(sp.expand(x), (XI, 0, 1)))
        return self.values[MASS] * whole

    def place(self) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """ρ = (x − ½ ηᵀ G η, 0) + Φ η at ξ, ∂ρ/∂η, and ρ̈ where η̈ is nothing."""
        (Phi, _, G), back = self.shapes, sp.Matrix([-1, 0])
        rho = sp.Matrix([self.values[LENGTH] * XI, 0]) + Phi * self.eta
        rho += back * (self.eta.T * G * self.eta) / 2
        return rho, Phi + back * self.eta.T * G, back * (self.rates.T * G * self.rates)

    @cached_property
    def integrals(self) -> dict[str, sp.Matrix]:
        """Over the mass, by the letters of the paper's file; the stiffness over the length."""
        (Phi, _, _), length = self.shapes, self.values[LENGTH]
        rho, moved, _ = self.place()
        bias = self.bias()
        turning = S * rho
        stretch, bend = Phi[0, :].diff(XI) / length, Phi[1, :].diff(XI, 2) / length**2
        strain = self.values[AXIAL] * stretch.T * stretch + self.values[BENDING] * bend.T * bend
        over_mass = {
            "c1": turning,
            "D1": moved,
            "J1": rho.T * rho,
            "h1": turning.T * moved,
            "Q1": moved.T * moved,
            "b1": bias,
            "hb": turning.T * bias,
            "Qb": moved.T * bias,
            "Ke": strain * length / self.values[MASS],
        }
        return {name: self.integral(x) for name, x in over_mass.items()}

    def bias(self) -> sp.Matrix:
        """ρ̈ where r̈, Ω̇ and η̈ are nothing."""
        w, (rho, moved, bias) = self.values[SPIN], self.place()
        return bias - w**2 * rho + 2 * w * S * moved * self.rates

    @cached_property
    def balance(self) -> tuple[sp.Matrix, sp.Matrix]:
        """M and p: what inertia and strain demand of (r̈, Ω̇, η̈)."""
        of = self.integrals
        M = sp.Matrix.vstack(
            sp.Matrix.hstack(self.values[MASS] * sp.eye(2), of["c1"], of["D1"]),
            sp.Matrix.hstack(of["c1"].T, of["J1"], of["h1"]),
            sp.Matrix.hstack(of["D1"].T, of["h1"].T, of["Q1"]),
        )
        elastic = of["Ke"] * (self.eta + self.values[DAMPING] * self.rates)
        return M, sp.Matrix.vstack(of["b1"], of["hb"], of["Qb"] + elastic)

    def section(self, xi: sp.Rational) -> tuple[sp.Matrix, sp.Matrix]:
        """J and g of a section: its (r̈, Ω̇) is J (r̈, Ω̇, η̈) + g."""
        rho, moved, slope, bias = (
            x.subs(XI, xi) for x in (*self.place()[:2], self.shapes[1], self.bias())
        )
        J = sp.Matrix.vstack(
            sp.Matrix.hstack(sp.eye(2), S * rho, moved), sp.Matrix([[0, 0, 1, *slope]])
        )
        return J, bias.col_join(sp.zeros(1, 1))

    @cached_property
    def ends(self) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """States (r̈, Ω̇, m, q, η̈, 1) of input, output and further input in one motion.

        Of M ν̇ + p = J_Oᵀ λ_O − J_Iᵀ λ_I − J_kᵀ λ_k, λ = (−q, m), the last rows give η̈, the first
        ones λ_I.
        """
        (M, p), a = self.balance, self.acceleration
        (J, g), (J_k, g_k) = self.section(sp.Integer(1)), self.section(HALF)
        pushed = J.T * self.at_output - J_k.T * self.at_further - p
        eta = M[3:, 3:].LUsolve(pushed[3:, :] - M[3:, :3] * a)
        moving = a.col_join(eta)
        at_input = pushed[:3, :] - M[:3, :] * moving

        def state(accelerations: sp.Matrix, wrench: sp.Matrix) -> sp.Matrix:
            loads = sp.Matrix([wrench[2], -wrench[0], -wrench[1]])
            return sp.Matrix.vstack(accelerations, loads, eta, sp.eye(1))

        further = state(J_k * moving + g_k, self.at_further)
        return state(a, at_input), state(J * moving + g, self.at_output), further


class BeamWorld(World):
    """What letters mean of a beam."""

    def __init__(self, at: Bent) -> None:
        n, values = at.modes, at.values
        parts = {
            "a": slice(0, 3),
            "l": slice(3, 6),
            "η": slice(6, 6 + n),
            "1": slice(6 + n, 7 + n),
        }
        input_, output, further = at.ends
        places = {"O": sp.Integer(1), "half": HALF}
        rho, moved, bias = at.place()

        def section(k: int, x: str) -> sp.Matrix:
            return at.of(beams.section(at.functions, places[x])[k])

        def within(matrix: sp.Matrix, x: str) -> sp.Matrix:
            return matrix.subs(XI, places[x])

        def derived(name: str) -> sp.Matrix:
            return at.of(getattr(beams.transfer(at.functions), name))

        def balance(name: str) -> sp.Matrix:
            return at.of(getattr(beams.balance(at.functions), name))

        def rigid(z: sp.Matrix) -> sp.Matrix:
            return z.extract([*range(6), z.rows - 1], [0])

        def columns(letter: str, part: str) -> sp.Matrix:
            return at.shown(letter)[:, parts[part]]

        ends = {"I": input_, "O": output}
        self.sets = {"section": lambda: places}
        self.letters = {
            **{f"z{end}": partial(_same, z) for end, z in {**ends, "K": further}.items()},
            **{f"ze{end}": partial(_same, rigid(z)) for end, z in ends.items()},
            **{
                f"{part}{end}": partial(_same, z[parts[part], :])
                for end, z in ends.items()
                for part in "alη"
            },
            **{name: partial(at.integrals.__getitem__, name) for name in _INTEGRALS},
            **{
                f"{letter}{part}": partial(columns, letter, part)
                for letter in "UG"
                for part in parts
            },
            **{
                f"{letter}I{k}": partial(at.shown, letter, f"I{k}")
                for letter in "UHG"
                for k in "1k"
            },
            "modes": lambda: n,
            "S": lambda: S,
            "η": lambda: at.eta,
            "v": lambda: at.rates,
            "mass": lambda: values[MASS],
            "w": lambda: values[SPIN],
            "ζ": lambda: values[DAMPING],
            "Msh": partial(balance, "M"),
            "psh": partial(balance, "p"),
            "A_x": partial(section, 0),
            "g_x": partial(section, 1),
            "ρ_x": partial(within, rho),
            "D_x": partial(within, moved),
            "b_x": partial(within, bias),
            "κ_x": partial(within, at.shapes[1]),
            "Ud": partial(derived, "matrix"),
            "Ur": lambda: derived("matrix")[parts["η"], :],
            "Gd": partial(derived, "modal"),
            "Ue": lambda: beams.Transfer(derived("matrix"), derived("modal")).eliminated(),
        }


_INTEGRALS = ("c1", "D1", "J1", "h1", "Q1", "b1", "hb", "Qb", "Ke")

#: By name: functions along and across, the seed, whether it has a further input.
BEAMS: dict[str, Callable[[], Bent]] = {
    "beam": partial(Bent, Functions(1, 2), 8),
    "stiffer": partial(Bent, Functions(3, 1, False), 9),
    "forked": partial(Bent, Functions(1, 2), 10, True),
}


def _same(value: Any) -> Any:
    return value
