"""A judge of the closed form: in symbols, by the system matrices of the screw paper.

M(q) u̇ + C(q, u) u + g(q) = τ of a small tree, by the system matrices of body-fixed twists
(ω, v): A of the relative poses, X of the hinges' screws, J = A X, and Mbb of the links'
inertias. What is compiled and read (`closed.program`) sums over links instead, about the inertial
origin, and shares no formula with this but the screws of hinges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from mstmm.errors import UsageError
from mstmm.model import Model
from mstmm.model.expressions.quantities import exact_expression
from mstmm.symbolic.exact import screws
from mstmm.symbolic.mechanics.hinges import joint, sizes
from mstmm.symbolic.methods.closed.program import Columns
from mstmm.symbolic.plans.plan import Link, plan
from mstmm.symbolic.tree.mass_matrix import moving


def screw_order(dimension: int) -> sp.Matrix:
    """P of (ω, v) = P (v, ω), with six components on the left; Pᵀ A P is our form of an operator.

    In the plane P picks what moves there: of ω the third component, of v the first two.

    Source
        Own; the screw paper's order is that of (91)-(101).
    """
    rows, columns = ((2, 3, 4), (2, 0, 1)) if dimension == 2 else (range(6), (3, 4, 5, 0, 1, 2))
    P = sp.zeros(6, len(columns))
    for row, column in zip(rows, columns, strict=True):
        P[row, column] = 1
    return P


@dataclass(frozen=True, eq=False)
class _Body:
    """A link: its pose, its hinge's screws X with their rate and speeds, m, d and Θ.

    `way` are the links from the ground to it.
    """

    C: sp.Matrix
    X: sp.Matrix
    Xd: sp.Matrix
    u: sp.Matrix
    m: sp.Expr
    d: sp.Matrix
    theta: sp.Matrix
    way: tuple[int, ...]

    @property
    def M(self) -> sp.Matrix:
        """[[Θ, m ~d], [−m ~d, m 1]].

        Source
            screw paper (41).
        """
        lever = self.m * screws.skew(self.d)
        return sp.BlockMatrix([[self.theta, lever], [-lever, self.m * sp.eye(3)]]).as_explicit()


class ClosedForm:
    """M, C, g and Christoffel's symbols of a tree, as SymPy matrices in its coordinates.

    Shape
        With n speeds: `mass` and `coriolis` n×n, `gravity` n×1, `christoffel` n×n×n.
    Units
        SI.
    Sign
        As `Solver.inverse_dynamics`: what u̇ needs, besides the hinges' laws and loads.
    Source
        Screw paper (79), (82), (85)-(88), corrected; several freedoms in a hinge are own.
    """

    def __init__(self, model: Model) -> None:
        self.tree = Columns(plan(model))
        self.model = model
        self.q, self.u = _column(model.coordinates), _column(model.speeds)
        self.bodies = self._bodies()

    def _bodies(self) -> list[_Body]:
        found: list[_Body] = []
        place: dict[str, int] = {}
        for link in reversed(self.tree.links):
            place[link.name] = len(found)
            way = (*(found[place[link.parent]].way if link.parent else ()), len(found))
            before = found[place[link.parent]].C if link.parent else sp.eye(4)
            found.append(self._body(link, before, way))
        return found

    def _body(self, link: Link, before: sp.Matrix, way: tuple[int, ...]) -> _Body:
        attached, data = self.tree.attachment(link), self.tree.data[link.name]
        of = joint(self.model.dimension, attached.hinge.kind)
        q = _column(self.model.hinge_coordinates(attached.hinge))
        u = _column(self.tree.speeds(link))
        named = dict(zip((*of.q, *of.u), (*q, *u), strict=True))
        named |= sizes(attached.hinge)
        H = of.backward_subspace if attached.backward else of.subspace
        rates = zip(of.q, of.rates, strict=True)
        Hd = sum((H.diff(x) * xd for x, xd in rates), sp.zeros(*H.shape))
        step = screws.pose(_turn(of.rotation), _vector(of.position))
        if attached.backward:
            step = screws.inverse(step)
        relative = screws.pose(_turn(attached.entry), _vector(attached.arm)) * step
        m, order = data.mass[0], screw_order(self.model.dimension)
        return _Body(
            C=before * relative.xreplace(named),
            X=(order * H).xreplace(named),
            Xd=(order * Hd).xreplace(named),
            u=u,
            m=m,
            d=_vector(data.first) / m if m != 0 else sp.zeros(3, 1),
            theta=_tensor(data.inertia),
            way=way,
        )

    @cached_property
    def A(self) -> sp.Matrix:
        """Ad of C_i⁻¹ C_j where j is on the way from i to the ground.

        Source
            screw paper (113).
        """
        n = len(self.bodies)
        found = sp.zeros(6 * n, 6 * n)
        for i, body in enumerate(self.bodies):
            for j in body.way:
                seen = screws.Ad(screws.inverse(body.C) * self.bodies[j].C)
                found[6 * i : 6 * i + 6, 6 * j : 6 * j + 6] = seen
        return found

    @cached_property
    def J(self) -> sp.Matrix:
        """The system Jacobian of body-fixed twists, V = J u.

        Source
            screw paper (112), (113).
        """
        return self.A * self._columns([body.X for body in self.bodies])

    def _columns(self, blocks: list[sp.Matrix]) -> sp.Matrix:
        """Blocks below each other, in the columns of the model's speeds."""
        order = {name: k for k, name in enumerate(self.u)}
        found = sp.zeros(6 * len(blocks), len(self.u))
        for i, (body, block) in enumerate(zip(self.bodies, blocks, strict=True)):
            for j, speed in enumerate(body.u):
                found[6 * i : 6 * i + 6, order[speed]] = block[:, j]
        return found

    @cached_property
    def M(self) -> sp.Matrix:
        """The inertias of all links."""
        return sp.diag(*(body.M for body in self.bodies))

    @cached_property
    def mass(self) -> sp.Matrix:
        """M(q) = Jᵀ M J, with the hinges' rotors.

        Source
            screw paper (82).
        """
        return self.J.T * self.M * self.J + self.rotors

    def twist(self, i: int) -> sp.Matrix:
        """V of the i-th link, in the plan's order outwards."""
        return self.J[6 * i : 6 * i + 6, :] * self.u

    @cached_property
    def change(self) -> sp.Matrix:
        """J̇ = −A a J, and what of a hinge's own screws changes.

        A hinge of several freedoms moves its own screws not by its own motion: A (a X + Ẋ).

        Source
            screw paper (9), (10), signs restored; the second part is own.
        """
        moved = [body.X * body.u for body in self.bodies]
        a = sp.diag(*map(screws.ad, moved))
        own = [screws.ad(V) * b.X + b.Xd for V, b in zip(moved, self.bodies, strict=True)]
        return -self.A * a * self.J + self.A * self._columns(own)

    def coriolis(self, variant: str = "christoffel") -> sp.Matrix:
        """C(q, u) = Jᵀ M J̇ − Jᵀ X J.

        `printed`: X = bᵀ M; `skew`: X = bar(M V), so that Ṁ − 2 C is skew; `christoffel`: the
        mean that gives Christoffel's symbols, b = diag(ad_V).

        Raises
            UsageError: there is no such variant.
        Source
            screw paper (85), signs restored; the second and third are own.
        """
        twists = [self.twist(i) for i in range(len(self.bodies))]
        b = sp.diag(*map(screws.ad, twists))
        held = sp.diag(*(screws.bar(x.M * V) for x, V in zip(self.bodies, twists, strict=True)))
        variants = {
            "printed": b.T * self.M,
            "skew": held,
            "christoffel": (b.T * self.M + held - self.M * b) / 2,
        }
        if variant not in variants:
            raise UsageError(f"there is no variant {variant!r}; there are: {', '.join(variants)}")
        return self.J.T * self.M * self.change - self.J.T * variants[variant] * self.J

    def forces(self, rates: sp.Matrix, wrenches: sp.Matrix | None = None) -> sp.Matrix:
        """τ = Jᵀ (M V̇ − ad_Vᵀ M V − W) + g + ρ u̇ of the speeds' rates u̇, with rotors ρ.

        Shape
            `rates` n×1; `wrenches` W: six components a link, moment first, below each other in
            the plan's order outwards.
        Frame
            W: the link's axes, about its origin.
        Source
            screw paper (79), signs restored.
        """
        V = self.J * self.u
        b = sp.diag(*(screws.ad(self.twist(i)) for i in range(len(self.bodies))))
        total = self.M * (self.J * rates + self.change * self.u) - b.T * self.M * V
        if wrenches is not None:
            total -= wrenches
        return self.J.T * total + self.gravity + self.rotors * rates

    @cached_property
    def rotors(self) -> sp.Matrix:
        """The inertias of the hinges' rotors."""
        found = sp.zeros(len(self.u), len(self.u))
        order = {name: k for k, name in enumerate(self.model.speeds)}
        for link in moving(self.tree):
            inertias = self.tree.hinge(link).rotor
            for name, rotor in zip(self.tree.speeds(link), inertias, strict=False):
                found[order[name], order[name]] += exact_expression(rotor)
        return found

    @cached_property
    def gravity(self) -> sp.Matrix:
        """What the hinges must exert against gravity: −Jᵀ M Ad_C⁻¹ (0, g)."""
        g = screws.twist(sp.zeros(3, 1), _vector(self.tree.ground.gravity))
        felt = [screws.Ad(screws.inverse(body.C)) * g for body in self.bodies]
        return -self.J.T * self.M * sp.Matrix.vstack(*felt)

    def christoffel(self, i: int, j: int, k: int) -> sp.Expr:
        """Γ_ijk of three speeds, numbered as in the model; Σ_k Γ_ijk u_k is C_ij.

        Raises
            UsageError: a hinge has several freedoms.
        Source
            screw paper (87), corrected: s and r are the nearer and the farther of j and k.
        """
        s, r = self._along(j, k)
        total = sp.Integer(0)
        for M, J in self._parts(i, j, k):
            total += (J[k].T * M * screws.bracket(J[i], J[j]))[0]
            total += (J[j].T * M * screws.bracket(J[i], J[k]))[0]
            total += (J[i].T * M * screws.bracket(J[s], J[r]))[0]
        return total / 2

    def binet(self, i: int, j: int, k: int) -> sp.Expr:
        """Γ_ijk by a link's second moments at its centre of mass, see `christoffel`.

        Raises
            UsageError: a hinge has several freedoms.
        Source
            screw paper (88), corrected: ω_sᵀ S (ω_r × ω_i) + m v_i · (ω_s × v_r).
        """
        s, r = self._along(j, k)
        total = sp.Integer(0)
        for body, J in zip(self.bodies, self._each(), strict=True):
            shift = screws.Ad_shift(-body.d)
            at = {n: shift * J[n] for n in (i, s, r)}
            second = body.theta.trace() / 2 * sp.eye(3) - body.theta - body.m * body.d * body.d.T
            w, v = ({n: x[part, :] for n, x in at.items()} for part in (slice(3), slice(3, 6)))
            total += (w[s].T * second * w[r].cross(w[i]))[0]
            total += body.m * v[i].dot(w[s].cross(v[r]))
        return total

    def _along(self, j: int, k: int) -> tuple[int, int]:
        """Two speeds, the one nearer to the ground first."""
        if any(body.X.cols > 1 for body in self.bodies):
            raise UsageError(
                f"{self.model.name}: (87) and (88) are of hinges with one freedom; take the "
                "variant 'christoffel' of C, which is linear in the speeds"
            )
        depth = {speed: len(body.way) for body in self.bodies for speed in body.u}
        first, second = sorted((j, k), key=lambda n: depth[self.u[n]])
        return first, second

    def _parts(self, *columns: int) -> Iterator[tuple[sp.Matrix, dict[int, sp.Matrix]]]:
        """Of every link that all these speeds move: its inertia and their screws."""
        for body, J in zip(self.bodies, self._each(), strict=True):
            if not any(J[n].is_zero_matrix for n in columns):
                yield body.M, J

    def _each(self) -> Iterator[dict[int, sp.Matrix]]:
        for i in range(len(self.bodies)):
            yield {n: self.J[6 * i : 6 * i + 6, n] for n in range(len(self.u))}

    def momentum(self, i: int) -> sp.Matrix:
        """Πˢ of the i-th link about the inertial origin: Ad_C⁻ᵀ M V.

        Source
            screw paper (36), (80).
        """
        body = self.bodies[i]
        return screws.Ad(screws.inverse(body.C)).T * body.M * self.twist(i)


def closed_form(model: Model) -> ClosedForm:
    """The closed form of a small tree's equations of motion, in symbols.

    Raises
        UsageError: the model has beams, closed loops, driven hinges, a moving base or absolute
            coordinates.
    Source
        Screw paper, Sect. 5, corrected.
    """
    if model.absolute:
        raise UsageError(f"{model.name}: the closed form is of joint coordinates")
    return ClosedForm(model)


def _column(names: Iterable[str]) -> sp.Matrix:
    symbols = [sp.Symbol(name, real=True) for name in names]
    return sp.Matrix(len(symbols), 1, symbols)


def _turn(R: sp.Matrix) -> sp.Matrix:
    return R if R.rows == 3 else sp.diag(R, 1)


def _vector(x: sp.Matrix) -> sp.Matrix:
    return x if len(x) == 3 else sp.Matrix.vstack(x, sp.zeros(1, 1))


def _tensor(J: sp.Matrix) -> sp.Matrix:
    """Of a planar body only the moment about the third axis is known, or needed."""
    return J if J.rows == 3 else sp.diag(0, 0, J[0])
