"""The kernels of the derivatives of inverse dynamics, in joint coordinates and link axes.

All beyond a hinge is one body whose own shape does not change when that hinge alone does: its
wrench follows from how the link at the hinge moves, through the inertia of all that hangs on
it and through the rates of its moments of mass. With ρ, ρ̇ the place and velocity of a mass
element relative to the link's origin (of the velocity, axes that do not turn): h = Σ m ρ,
S = Σ m ρ ρᵀ, P = Σ m ρ̇, Q = Σ m ρ̇ ρᵀ; in the plane S = Σ m ρ², Q = Σ m ρ·ρ̇.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...language.words import counted
from ...mechanics.letters import MOVED, SPIN
from ...mechanics.space import Space
from ...mechanics.taken import resisted
from ...tree.inverse_kernels import NEWTON_EULER

MOMENTS = "own: moments of mass and their rates, summed over what hangs on the link"
VARIED = "own: the link's motion varied along one direction of its hinge"
RESPONSE = "own: Mc (δa, δα + ω × δω) + 2 (δω × P, tr Q δω − Q δω)"
ROW = "own: y = Mc H and ζ = 2 (v × y_f + P × x + tr Q θ − Qᵀ θ)"
ENTRY = "own: δτ = Hᵀ δλ inwards, yᵀ (δa − 2 δω × v, δα + ω × δω) + ζᵀ δω outwards"

#: What of a relative motion may vary along a direction, besides the pose.
RELATIVE = ("vr", "wr", "br", "bw", "H")


@cache
def moments(dimension: int, inputs: int) -> Kernel:
    """The moments of mass of a link with all that hangs on it, and their rates."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder(
        f"moments_{inputs}", f"moments of mass of a body with {counted(inputs, 'input')}"
    )
    mass, first = kernel.take("m"), kernel.take("h", d)
    second = _second(kernel, "J" if d == 2 else "Sg", d)
    w = kernel.take("w", space.spins)
    rate = space.turn(w, first)
    turning = sp.zeros(1, 1) if d == 2 else space.tilde(w) * second
    for k in range(1, inputs + 1):
        mass += kernel.take(f"mt_I{k}")
        first += kernel.take(f"ht_I{k}", d)
        second += _second(kernel, f"St_I{k}", d)
        rate += kernel.take(f"Pt_I{k}", d)
        turning += _turning(kernel, f"Qt_I{k}", d)
    kernel.let("mc", mass, MOMENTS, says="m_c = m + Σ m_k")
    kernel.let("hc", first, MOMENTS, says="h_c = h + Σ h_k")
    kernel.let("Sc", second, MOMENTS, symmetric=d == 3, says="S_c = S + Σ S_k")
    kernel.let("Pc", rate, MOMENTS, says="P_c = ω × h + Σ P_k")
    kernel.let("Qc", turning, MOMENTS, says="Q_c = ~ω S + Σ Q_k")
    return kernel.build("mc", "hc", "Sc", "Pc", "Qc")


@cache
def moved_moments(dimension: int) -> Kernel:
    """Moments of mass at the parent's origin and in its axes."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("moved_moments", "moments of mass moved to the parent")
    mass, first, second = kernel.take("mc"), kernel.take("hc", d), _second(kernel, "Sc", d)
    rate, turning = kernel.take("Pc", d), _turning(kernel, "Qc", d)
    C, r = kernel.take("C", d, d), kernel.take("r", d)
    wp, vr = kernel.take("wp", space.spins), kernel.take("vr", d)
    h = kernel.let("hr", C * first, MOVED)
    P = kernel.let("Pr", C * rate, MOVED)
    nu = kernel.let("nu", space.turn(wp, r) + C * vr, "ṙ_P − ṙ_O = Ω × r + relative velocity")
    moved = kernel.let("ht", h + mass[0] * r, MOVED, says="h = C h_c + m_c r")
    if d == 2:
        S = second + 2 * r.T * h + mass * (r.T * r)
        Q = turning + P.T * r + nu.T * moved
    else:
        turned = kernel.let("SC", second * C.T, MOVED)
        S = C * turned + r * h.T + moved * r.T
        Q = C * kernel.let("QC", turning * C.T, MOVED) + P * r.T + nu * moved.T
    kernel.let("mt", mass, MOVED)
    kernel.let("St", S, MOVED, symmetric=d == 3, says="S = Σ m ρ ρᵀ, about the parent’s origin")
    kernel.let("Pt", P + mass[0] * nu, MOVED, says="P = C P_c + m_c ν")
    kernel.let("Qt", Q, MOVED, says="Q = Σ m ρ̇ ρᵀ, about the parent’s origin")
    return kernel.build("mt", "ht", "St", "Pt", "Qt")


def _second(kernel: KernelBuilder, name: str, d: int) -> sp.Matrix:
    return kernel.take(name) if d == 2 else kernel.take(name, 3, 3, symmetric=True)


def _turning(kernel: KernelBuilder, name: str, d: int) -> sp.Matrix:
    return kernel.take(name) if d == 2 else kernel.take(name, 3, 3)


class _Composite:
    """A link with all that hangs on it, as far as a kernel takes it."""

    def __init__(self, kernel: KernelBuilder, dimension: int) -> None:
        d = dimension
        self.space = Space(d)
        self.mass, self.first = kernel.take("mc")[0], kernel.take("hc", d)
        second, self.rate = _second(kernel, "Sc", d), kernel.take("Pc", d)
        self.turning = _turning(kernel, "Qc", d)
        self.inertia = second
        if d == 3:
            whole = sp.eye(3) * second.trace() - second
            self.inertia = kernel.let("Jc", whole, MOMENTS, symmetric=True)

    def demand(self, lin: sp.Matrix, ang: sp.Matrix) -> sp.Matrix:
        """Mc (r̈, Ω̇)."""
        force = self.mass * lin + self.space.turn(ang, self.first)
        return sp.Matrix.vstack(force, self.space.tilde(self.first) * lin + self.inertia * ang)

    def about(self, spin: sp.Matrix, transposed: bool = False) -> sp.Matrix:
        """Σ m ρ × (spin × ρ̇), or what is to this as a transposed matrix is."""
        if self.space.dimension == 2:
            return self.turning * spin
        Q = self.turning.T if transposed else self.turning
        return self.turning.trace() * spin - Q * spin


@cache
def demand(dimension: int, freedom: int, rotor: bool = False) -> Kernel:
    """What a hinge's unit accelerations demand, how its force feels others, its block of M."""
    space, d, f = Space(dimension), dimension, freedom
    name = f"demand_{freedom}{'_rotor' if rotor else ''}"
    kernel = KernelBuilder(name, f"rows of {counted(freedom, 'freedom')}")
    composite = _Composite(kernel, d)
    v, H = kernel.take("vl", d), kernel.take(f"H{f}", space.motion, f)
    names = []
    wrenches = []
    for j in range(f):
        x, theta = H[:d, j], H[d:, j]
        y = kernel.let(f"Y_{j + 1}", composite.demand(x, theta), ROW)
        felt = space.tilde(v) * y[:d, :] + space.tilde(composite.rate) * x
        felt += composite.about(theta, transposed=True)
        kernel.let(f"Z_{j + 1}", 2 * felt, ROW)
        wrenches.append(y)
        names += [f"Y_{j + 1}", f"Z_{j + 1}"]
    block = resisted(kernel, H.T * sp.Matrix.hstack(*wrenches), rotor)
    for i in range(f):
        for j in range(i + 1):
            names.append(f"M_{i + 1}_{j + 1}")
            kernel.let(names[-1], sp.Matrix([block[i, j]]), "M = Hᵀ Y")
    return kernel.build(*names)


@cache
def varied(
    dimension: int, freedom: int, along: str, active: tuple[frozenset[str], ...], law: bool
) -> Kernel:
    """How a link's motion varies along each direction of its hinge, and what follows from it.

    `along`: the directions are the coordinates' (`q`) or the speeds' (`v`). `active` says for
    each what of the relative motion varies with it, `law` whether the force law may. With wl
    the parent's angular velocity, (x, θ) the direction and u̇ the rates of the speeds,
    a coordinate turns what comes from the parent: its motion is taken from the link's own.
    """
    space, d, f = Space(dimension), dimension, freedom
    said = "".join(f"_{''.join(sorted(names)) or 0}" for names in active)
    kernel = KernelBuilder(
        f"varied_{along}_{freedom}{said}{'_law' if law else ''}",
        f"directions of {'coordinates' if along == 'q' else 'speeds'}",
    )
    composite = _Composite(kernel, d)
    link = _Link(kernel, d, f)
    wrench = kernel.take("lam", space.motion)
    spins, motions, forces, names = [], [], [], []
    for j in range(f):
        changes = _changes(kernel, d, f, j, active[j])
        spin, lin, ang = link.displaced(j, changes) if along == "q" else link.sped(j, changes)
        spin = kernel.let(f"dw_{j + 1}", spin, VARIED)
        ang = kernel.let(f"beta_{j + 1}", ang + _across(space, link.w, spin), VARIED)
        lin = kernel.let(f"da_{j + 1}", lin, VARIED)
        response = composite.demand(lin, ang) + 2 * sp.Matrix.vstack(
            space.turn(spin, composite.rate), composite.about(spin)
        )
        response = kernel.let(f"dl_{j + 1}", response, RESPONSE)
        own = link.H.T * response + changes["H"].T * wrench
        if law:
            own -= kernel.take(f"dT_{j + 1}", f)
        forces.append(own)
        spins.append(spin)
        motions.append(sp.Matrix.vstack(lin - 2 * space.turn(spin, link.v), ang))
        if along == "q":
            x, theta = link.direction(j)
            force, moment = wrench[:d, :], wrench[d:, :]
            turned = _across(space, theta, moment) + space.tilde(x) * force
            response = response + sp.Matrix.vstack(space.turn(theta, force), turned)
        names.append(f"L_{j + 1}")
        kernel.let(names[-1], response, RESPONSE)
    kernel.let(f"W{along}{f}", sp.Matrix.hstack(*spins), VARIED)
    kernel.let(f"A{along}{f}", sp.Matrix.hstack(*motions), VARIED)
    names += [f"W{along}{f}", f"A{along}{f}"]
    for i in range(f):
        for j in range(f):
            names.append(f"R_{i + 1}_{j + 1}")
            kernel.let(names[-1], sp.Matrix([-forces[j][i]]), ENTRY)
    return kernel.build(*names)


def _across(space: Space, a: sp.Matrix, b: sp.Matrix) -> sp.Matrix:
    """a × b of two angular vectors."""
    return sp.zeros(1, 1) if space.dimension == 2 else space.tilde(a) * b


def _changes(
    kernel: KernelBuilder, d: int, freedom: int, j: int, active: frozenset[str]
) -> dict[str, sp.Matrix]:
    """Take what of the relative motion varies; the rest does not."""
    space = Space(d)
    n = space.motion
    shapes = {"vr": (d, 1), "br": (d, 1), "wr": (n - d, 1), "bw": (n - d, 1), "H": (n, freedom)}
    return {
        name: kernel.take(f"d_{name}_{j + 1}", *shape) if name in active else sp.zeros(*shape)
        for name, shape in shapes.items()
    }


class _Link:
    """A link's motion and its hinge's, as far as a kernel takes them."""

    def __init__(self, kernel: KernelBuilder, dimension: int, freedom: int) -> None:
        d = dimension
        self.d, self.space = d, Space(d)
        n, s = self.space.motion, self.space.spins
        acc = kernel.take("acc", n)
        self.lin, self.ang = acc[:d, :], acc[d:, :]
        self.w, self.v = kernel.take("w", s), kernel.take("vl", d)
        self.wr, self.vr = kernel.take("wr", s), kernel.take("vr", d)
        self.br, self.bw = kernel.take("br", d), kernel.take("bw", s)
        self.H = kernel.take(f"H{freedom}", n, freedom)
        self.rate = kernel.numbers("a", freedom)
        self.wl = kernel.let("wl", self.w - self.wr, SPIN)

    def direction(self, j: int) -> tuple[sp.Matrix, sp.Matrix]:
        """(x, θ): the hinge's motion at a unit of its speed j."""
        return self.H[: self.d, j], self.H[self.d :, j]

    def displaced(
        self, j: int, changes: dict[str, sp.Matrix]
    ) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """δω, δa and δα along a coordinate's direction."""
        d, space = self.d, self.space
        x, theta = self.direction(j)
        own = self.H * self.rate
        rest = changes["H"] * self.rate
        parent = self.ang - _across(space, self.wl, self.wr) - self.bw - own[d:, :]
        about = space.turn(self.wl, space.turn(self.wl, x))
        back = self.lin - self.br - own[:d, :]
        lin = -space.turn(theta, back) + space.turn(parent, x) + about
        lin += 2 * space.turn(self.wl, space.turn(theta, self.vr) + changes["vr"])
        lin += changes["br"] + rest[:d, :]
        ang = -_across(space, theta, self.ang - self.bw - own[d:, :])
        ang += _across(space, self.wl, _across(space, theta, self.wr) + changes["wr"])
        ang += changes["bw"] + rest[d:, :]
        return _across(space, self.wl, theta) + changes["wr"], lin, ang

    def sped(self, j: int, changes: dict[str, sp.Matrix]) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """δω, δa and δα along a speed."""
        x, theta = self.direction(j)
        lin = 2 * self.space.turn(self.wl, x) + changes["br"]
        return theta, lin, _across(self.space, self.wl, theta) + changes["bw"]


@cache
def row_inwards(dimension: int, ancestor: int) -> Kernel:
    """A row moved one link inwards, and its entries of M with the hinge there."""
    d, g = dimension, ancestor
    kernel = KernelBuilder(f"row_inwards_{g}", "a row moved inwards")
    y = _inwards(kernel, d, "Y")
    felt = kernel.take("Zb", Space(d).spins)
    kernel.let("Z", felt if d == 2 else kernel.known["C"].symbols() * felt, MOVED)
    return kernel.build("Y", "Z", *_along(kernel, d, g, "M", y, "M = Hᵀ Y"))


@cache
def column_inwards(dimension: int, ancestor: int) -> Kernel:
    """A column moved one link inwards, and its entries of the hinge there."""
    kernel = KernelBuilder(f"column_inwards_{ancestor}", "a column moved inwards")
    wrench = _inwards(kernel, dimension, "L")
    return kernel.build("L", *_along(kernel, dimension, ancestor, "R", -wrench, ENTRY))


@cache
def row_entries(dimension: int, ancestor: int, along: str) -> Kernel:
    """A row's entries of the directions of a hinge further inwards."""
    space, g = Space(dimension), ancestor
    kernel = KernelBuilder(f"row_entries_{along}_{g}", "a row's entries")
    y, felt = kernel.take("Y", space.motion), kernel.take("Z", space.spins)
    motion = kernel.take(f"A{along}{g}", space.motion, g)
    entries = motion.T * y + kernel.take(f"W{along}{g}", space.spins, g).T * felt
    return kernel.build(*kernel.each("R", -entries, ENTRY))


@cache
def transposed() -> Kernel:
    """An entry where its row is."""
    kernel = KernelBuilder("transposed", "entries, row by row")
    kernel.let("value", kernel.take("given"), ENTRY)
    return kernel.build("value")


def _inwards(kernel: KernelBuilder, d: int, name: str) -> sp.Matrix:
    """State a wrench at the parent's origin and in its axes."""
    C, r = kernel.take("C", d, d), kernel.take("r", d)
    given = kernel.take(f"{name}b", Space(d).motion)
    turned = kernel.let(f"{name}t", (sp.diag(C, 1) if d == 2 else sp.diag(C, C)) * given, MOVED)
    return kernel.let(name, Space(d).shift(r).T * turned, MOVED)


def _along(
    kernel: KernelBuilder, d: int, freedom: int, name: str, wrench: sp.Matrix, source: str
) -> list[str]:
    """State a wrench along a hinge's speeds, if it has any."""
    if not freedom:
        return []
    H = kernel.take("Hp", Space(d).motion, freedom)
    return kernel.each(name, H.T * wrench, source)


@cache
def constant(value: int) -> Kernel:
    """A right-hand side's entry that is known."""
    kernel = KernelBuilder(f"constant_{value}", "right-hand sides that are known")
    kernel.let("value", sp.Matrix([value]), "∂τ/∂τ = 1")
    return kernel.build("value")


@cache
def needed() -> Kernel:
    """A right-hand side: less what inverse dynamics needs."""
    kernel = KernelBuilder("needed", "derivative of inverse dynamics")
    kernel.let("value", -kernel.take("given"), "∂a = −M⁻¹ ∂(inverse dynamics)")
    return kernel.build("value")


@cache
def added(rows: int) -> Kernel:
    """A motion or a wrench with what accelerations of the hinges add to it."""
    kernel = KernelBuilder(f"added_{rows}", "with the accelerations")
    total = kernel.take("bias", rows) + kernel.take("more", rows)
    kernel.let("total", total, NEWTON_EULER, says="x = x_bias + x_added")
    return kernel.build("total")
