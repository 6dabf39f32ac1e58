"""Flexible bodies: deduction paper (4), and a beam's matrices, which the paper does not give.

In the axes of the floating frame at the input. What the code derives by differentiating places is
judged by the balance with every integral written out, and by two ends that belong to one motion.
Bending shortens a beam; without that, as in the paper's examples, a beam is judged too.
"""

from __future__ import annotations

from functools import cached_property, partial

import sympy as sp

from ....model import GROUND, Beam, End, Hinge, Model, Point
from ...exact.evaluation import Points
from ...exact.ledger import Instant, Sides, ledger
from ...mechanics import beams
from ...mechanics.beams import AXIAL, BENDING, DAMPING, LENGTH, MASS, SPIN, XI, Functions
from ...mechanics.vectors import Layout
from ...pages.named import EXTENDED, Named, beam_blocks, named_matrices
from ...plans.deduction import deduce
from .cases import display
from .elements import PAPER
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
    def balance(self) -> tuple[sp.Matrix, sp.Matrix]:
        """M and p: what inertia and strain demand of (r̈, Ω̇, η̈)."""
        (Phi, _, _), w, length = self.shapes, self.values[SPIN], self.values[LENGTH]
        rho, moved, bias = self.place()
        bias += -(w**2) * rho + 2 * w * S * moved * self.rates
        turning = S * rho
        c, C, h = (self.integral(x) for x in (turning, moved, turning.T * moved))
        M = sp.Matrix.vstack(
            sp.Matrix.hstack(self.values[MASS] * sp.eye(2), c, C),
            sp.Matrix.hstack(c.T, self.integral(rho.T * rho), h),
            sp.Matrix.hstack(C.T, h.T, self.integral(moved.T * moved)),
        )
        p = (self.integral(x) for x in (bias, turning.T * bias, moved.T * bias))
        stretch, bend = Phi[0, :].diff(XI) / length, Phi[1, :].diff(XI, 2) / length**2
        EA, EI = self.values[AXIAL], self.values[BENDING]
        strain = self.integral(EA * stretch.T * stretch + EI * bend.T * bend)
        K = strain * length / self.values[MASS]
        elastic = K * self.eta + self.values[DAMPING] * K * self.rates
        return M, sp.Matrix.vstack(*p) + sp.Matrix.vstack(sp.zeros(3, 1), elastic)

    def section(self, xi: sp.Rational) -> tuple[sp.Matrix, sp.Matrix]:
        """J and g of a section: its (r̈, Ω̇) is J (r̈, Ω̇, η̈) + g."""
        slope, w = self.shapes[1].subs(XI, xi), self.values[SPIN]
        rho, moved, bias = (x.subs(XI, xi) for x in self.place())
        J = sp.Matrix.vstack(
            sp.Matrix.hstack(sp.eye(2), S * rho, moved), sp.Matrix([[0, 0, 1, *slope]])
        )
        bias += -(w**2) * rho + 2 * w * S * moved * self.rates
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


def state_size(at: Bent) -> Sides:
    """7 + n entries in the plane, 13 + n in space, η̈ before the 1; every element passes η̈ on."""
    n, U = at.modes, beams.transfer(at.functions).matrix
    yield sp.Matrix([U.rows]), sp.Matrix([Layout(2).size]), sp.Matrix([n])
    yield U[6 : 6 + n, :], sp.eye(7 + n)[6 : 6 + n, :]
    z_I, z_O, _ = at.ends
    yield z_O[6:, :], z_I[6:, :]


def balanced(at: Bent) -> Sides:
    """M and p by their integrals."""
    found, (M, p) = beams.balance(at.functions), at.balance
    yield at.of(found.M), M
    yield at.of(found.p), p


def placed(at: Bent) -> Sides:
    """Accelerations of the output and of a section within."""
    for xi in (sp.Integer(1), HALF):
        found, (J, g) = beams.section(at.functions, xi), at.section(xi)
        yield at.of(found[0]), J
        yield at.of(found[1]), g


def transferred(at: Bent) -> Sides:
    """The page's U, and the derived one, of the input's state."""
    U, (z_I, z_O, _) = at.shown("U"), at.ends
    yield z_O, *(U[:, part] * z_I[part, :] for part in _parts(at))
    yield at.of(beams.transfer(at.functions).matrix) * z_I, z_O


def driven(at: Bent) -> Sides:
    """The page's modal rows vanish at the input's state, and so do the derived ones."""
    G, (z_I, _, _) = at.shown("G"), at.ends
    first, *rest = (G[:, part] * z_I[part, :] for part in _parts(at))
    yield -first, *rest
    yield at.of(beams.transfer(at.functions).modal) * z_I, sp.zeros(at.modes, 1)


def further(at: Bent) -> Sides:
    """z_O = U_I1 z_I1 + U_Ik z_Ik; H_I1 z_I1 = H_Ik z_Ik; G_I1 z_I1 + G_Ik z_Ik = 0."""
    z_I, z_O, z_k = at.ends
    yield z_O, at.shown("U", "I1") * z_I, at.shown("U", "Ik") * z_k
    yield at.shown("H", "Ik") * z_k, at.shown("H", "I1") * z_I
    yield -at.shown("G", "I1") * z_I, at.shown("G", "Ik") * z_k


def eliminated(at: Bent) -> Sides:
    """The 7 × 7 matrix without modal accelerations."""
    found = beams.transfer(at.functions)
    own = beams.Transfer(at.of(found.matrix), at.of(found.modal)).eliminated()
    z_I, z_O = (z.extract([*range(6), z.rows - 1], [0]) for z in at.ends[:2])
    yield own * z_I, z_O


def _parts(at: Bent) -> tuple[slice, ...]:
    n = at.modes
    return slice(0, 3), slice(3, 6), slice(6, 6 + n), slice(6 + n, 7 + n)


small = Instant("a beam, one axial function and two of bending", partial(Bent, Functions(1, 2), 8))
several = Instant("a beam with a further input", partial(Bent, Functions(1, 2), 10, True))
larger = Instant(
    "a beam, three axial functions and one of bending, without foreshortening",
    partial(Bent, Functions(3, 1, False), 9),
)
BEAM = "integrals of a beam's shapes, and matrices that are made of them, are compared"
own = partial(ledger(PAPER, small, larger), kind="own", no_claim=BEAM)

ENTRIES = (
    display(
        "4",
        "state of a flexible body's end",
        state_size,
        "z = [r̈ᵀ Ω̇ᵀ mᵀ qᵀ η̈ᵀ 1]ᵀ",
        instants=(small, larger),
        symbols=None,
        no_claim=BEAM,
    ),
    own("beam, balance", "inertia and strain of a beam", balanced, "M (r̈, Ω̇, η̈) + p"),
    own("beam, output", "acceleration of its output", placed, "J_O (r̈, Ω̇, η̈) + g_O"),
    own("beam", "its matrix", transferred, "z_O = U z_I"),
    own("beam, modal", "what drives its modal accelerations", driven, "G z_I = 0"),
    own(
        "beam, inputs",
        "its matrices where it has several inputs",
        further,
        "z_O = U_I1 z_I1 + U_Ik z_Ik, H_I1 z_I1 = H_Ik z_Ik, G_I1 z_I1 + G_Ik z_Ik = 0",
        instants=(several,),
    ),
    own("beam, eliminated", "its matrix without them", eliminated, "z_O = U z_I, 7 × 7"),
)
