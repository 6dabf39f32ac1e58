"""The kernels that close loops: the columns of the cuts' multipliers through the sweep.

What a link demands becomes λ = IA a + pA + E μ, and what the conditions of the cut hinges
(`cutkernels`) demand Eᵀ a + k − Λ μ = 0.

A hinge that follows another demands q = ratio q_other + offset: a condition on the speeds of
both hinges themselves, with coefficients σ = 1 and −ratio, and forces −σ μ in both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from ..language.program import Kernel, KernelBuilder, Policy
from ..language.words import counted
from ..mechanics.hinges import joint
from ..mechanics.letters import HINGE
from ..mechanics.space import Space
from ..mechanics.taken import resisted, state_load

COUPLING = "own: q = ratio q_other + offset"
CURVE = "own: q = f(q_others)"
COLUMNS = "own: columns of the cut's multipliers through the sweep"
REACH = "own: the diagonal that Λ would have if every hinge of a loop moved its cut at full lever"


@cache
def coupling_gap() -> Kernel:
    """How far a hinge is from where the one that it follows wants it: φ and φ̇."""
    kernel = KernelBuilder("gap_coupling", "gap of a coupling")
    (q, other), (u, speed) = ([kernel.take(f"{x}_{i}")[0] for i in (1, 2)] for x in "qu")
    ratio, offset = kernel.take("ratio")[0], kernel.take("offset")[0]
    kernel.let("phi_1", sp.Matrix([q - ratio * other - offset]), COUPLING)
    kernel.let("phid_1", sp.Matrix([u - ratio * speed]), COUPLING)
    return kernel.build("phi_1", "phid_1")


@cache
def coupling_slope() -> Kernel:
    """A coupling's two entries of the conditions' Jacobian: σ."""
    kernel = KernelBuilder("slope_coupling", "slope of a coupling")
    ratio = kernel.take("ratio")[0]
    kernel.let("J_1", sp.ones(1, 1), COUPLING)
    kernel.let("J_2", sp.Matrix([-ratio]), COUPLING)
    return kernel.build("J_1", "J_2")


# Of a hinge that follows by a law f: φ = q − f(q₂, q₃, …), σ = 1 and −∂f


@cache
def curve_gap(label: str, law: sp.Expr, count: int) -> Kernel:
    """How far a hinge is from where its law wants it: φ and φ̇."""
    kernel = KernelBuilder(f"gap_{label}", "gap of a coupling")
    (q, *others), (u, *speeds) = (kernel.numbers(x, count + 1) for x in "qu")
    _take_parameters(kernel, law, count)
    rate = sp.Add(*(law.diff(x) * v for x, v in zip(others, speeds, strict=True)))
    kernel.let("phi_1", sp.Matrix([q - law]), CURVE)
    kernel.let("phid_1", sp.Matrix([u - rate]), CURVE)
    return kernel.build("phi_1", "phid_1")


@cache
def curve_slope(label: str, law: sp.Expr, count: int) -> Kernel:
    """σ of the hinges that are followed: s_2, s_3, … of −∂f."""
    kernel = KernelBuilder(f"follows_{label}", "slopes of a coupling")
    others = [kernel.take(f"q_{k}")[0] for k in range(2, count + 2)]
    _take_parameters(kernel, law, count)
    for k, x in enumerate(others, start=2):
        kernel.let(f"s_{k}", sp.Matrix([-law.diff(x)]), CURVE)
    return kernel.build(*(f"s_{k}" for k in range(2, count + 2)))


@cache
def curve_bias(label: str, law: sp.Expr, count: int) -> Kernel:
    """What of φ̈ needs no acceleration: −Σ ∂²f u u."""
    kernel = KernelBuilder(f"bends_{label}", "second rate of a coupling without accelerations")
    others, speeds = ([kernel.take(f"{x}_{k}")[0] for k in range(2, count + 2)] for x in "qu")
    _take_parameters(kernel, law, count)
    bent = sp.Add(
        *(
            law.diff(x, y) * v * w
            for x, v in zip(others, speeds, strict=True)
            for y, w in zip(others, speeds, strict=True)
        )
    )
    kernel.let("b", sp.Matrix([-bent]), CURVE)
    return kernel.build("b")


def _take_parameters(kernel: KernelBuilder, law: sp.Expr, count: int) -> None:
    known = {f"q_{k}" for k in range(2, count + 2)}
    for name in sorted({x.name for x in law.free_symbols} - known):
        kernel.take(name)


@cache
def row(size: int, places: tuple[int, ...]) -> Kernel:
    """σ as a row, of its entries that are not zero."""
    kernel = KernelBuilder(f"sigma_{size}_{'_'.join(map(str, places))}", "σ of a hinge as a row")
    entries = {place: kernel.take(f"s_{place}")[0] for place in places}
    kernel.let("sigma", sp.Matrix(1, size, lambda _, j: entries.get(int(j), 0)), CURVE)
    return kernel.build("sigma")


@cache
def curve_slopes(count: int) -> Kernel:
    """The entries of the conditions' Jacobian: σ."""
    kernel = KernelBuilder(f"slope_curve_{count}", "slope of a coupling")
    kernel.let("J_1", sp.ones(1, 1), CURVE)
    for k in range(2, count + 2):
        kernel.let(f"J_{k}", kernel.take(f"s_{k}"), CURVE)
    return kernel.build(*(f"J_{k}" for k in range(1, count + 2)))


@dataclass(frozen=True)
class Feed:
    """Where columns that arrive at a link belong among the link's own.

    `begins`: they begin here, at a cut; else they come from an input, with k and Λ.
    """

    places: tuple[int, ...]
    begins: bool = False

    @property
    def label(self) -> str:
        first, last = self.places[0], self.places[-1]
        solid = self.places == tuple(range(first, last + 1))
        text = f"{first}to{last}" if solid else "_".join(map(str, self.places))
        return ("cut" if self.begins else "") + text


def _placed(matrix: sp.Matrix, places: tuple[int, ...], size: int, rows: bool) -> sp.Matrix:
    """A matrix's columns, and its rows too if asked to, moved to their places among `size`."""
    wide = sp.zeros(matrix.rows, size)
    for column, place in enumerate(places):
        wide[:, place] = matrix[:, column]
    return _placed(wide.T, places, size, rows=False) if rows else wide


@cache
def gather(dimension: int, size: int, feeds: tuple[Feed, ...]) -> Kernel:
    """The sum of all columns that arrive at a link."""
    n = Space(dimension).motion
    label = "_".join(feed.label for feed in feeds)
    kernel = KernelBuilder(f"gather_{size}_{label}", f"{counted(size, 'column')} gathered")
    E, k, L = sp.zeros(n, size), sp.zeros(size, 1), sp.zeros(size)
    for i, feed in enumerate(feeds, start=1):
        own_E, own_k, own_L = arriving(kernel, n, size, feed, i)
        E, k, L = E + own_E, k + own_k, L + own_L
    kernel.let(f"E{size}", E, COLUMNS, says="E = Σ E_k")
    kernel.let(f"kb{size}", k, COLUMNS, says="k = Σ k_k")
    kernel.let(f"L{size}", L, COLUMNS, symmetric=True, says="Λ = Σ Λ_k")
    return kernel.build(f"E{size}", f"kb{size}", f"L{size}")


def arriving(
    kernel: KernelBuilder, n: int, size: int, feed: Feed, i: int
) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """Take what arrives at input i: E, k and Λ at their places among `size` columns."""
    width = len(feed.places)
    E = _placed(kernel.take(f"Et_I{i}", n, width), feed.places, size, rows=False)
    if feed.begins:
        return E, sp.zeros(size, 1), sp.zeros(size)
    k = kernel.take(f"kt_I{i}", width)
    L = kernel.take(f"Lt_I{i}", width, width, symmetric=True)
    k = _placed(k.T, feed.places, size, rows=False).T
    return E, k, _placed(L, feed.places, size, rows=True)


@cache
def through(
    dimension: int,
    kind: str,
    backward: bool,
    moving: bool,
    size: int,
    extra: frozenset[str] = frozenset(),
) -> Kernel:
    """Columns through a hinge: its own acceleration is u̇ = k − K μ − G a0.

    With P = HᵀE + σ, from Hᵀ λ = τ − ρ u̇ − σ μ: K = D⁻¹ P, E⁺ = E − Gᵀ P,
    k⁺ = k + Eᵀ γ + Pᵀ k, Λ⁺ = Λ + Pᵀ K; then moved to the parent. `extra`: with `sigma`, a
    coupling σ of the hinge itself; with `rho`, a rotor's inertia ρ in D. `y`: 1/D by speed.
    """
    of = joint(dimension, kind)
    space = Space(dimension)
    d, n = dimension, space.motion
    freedom = len(of.u) if moving else 0
    gone = of.eliminated(backward) if freedom and not extra else ()
    name = f"{kind}{'_backward' if backward else ''}" if freedom else "rigid"
    name = "_".join([name, *sorted(extra)])
    kernel = KernelBuilder(f"columns_{size}_{name}", f"{counted(size, 'column')} through the hinge")
    E = kernel.take(f"E{size}", n, size)
    k = kernel.take(f"kb{size}", size)
    L = kernel.take(f"L{size}", size, size, symmetric=True)
    C, r = kernel.take("C", d, d), kernel.take("r", d)
    total = kernel.take("gam", n)
    outputs = [f"Eh{size}", f"Et{size}", f"kt{size}", f"Lt{size}"]
    left = E
    if freedom:
        IA = kernel.take("IA", n, n, symmetric=True)
        H = kernel.take(f"H{freedom}", n, freedom)
        U = kernel.let("U", IA * H, HINGE, says="U = IA H")
        D = kernel.let(
            "D",
            resisted(kernel, H.T * U, "rho" in extra),
            HINGE,
            symmetric=True,
            says=f"D = Hᵀ U{' + ρ' if 'rho' in extra else ''}",
        )
        coupled = kernel.take("sigma", freedom, size) if "sigma" in extra else None
        P = kernel.let(
            "P",
            H.T * E if coupled is None else H.T * E + coupled,
            COLUMNS,
            says=f"P = Hᵀ E{'' if coupled is None else ' + σ'}",
        )
        K = kernel.solve(f"K{freedom}_{size}", D, P, COLUMNS, says="K = D⁻¹ P")
        left = E - U * K
        left = sp.Matrix(n, size, lambda i, j: 0 if int(i) in gone else left[i, j])
        own = kernel.take(f"k{freedom}", freedom)
        total = total + H * own
        k = k if coupled is None else k + coupled.T * own
        L = L + P.T * K
        ease = sp.Matrix([1 / D[a, a] for a in range(freedom)])
        kernel.let(f"y{freedom}", ease, REACH, says="y_a = 1/D_aa")
        outputs[:0] = [f"K{freedom}_{size}", f"y{freedom}"]
    kernel.let(f"kt{size}", k + E.T * total, COLUMNS, says="k⁺ = k + Eᵀ (γ + H k_u)")
    kernel.let(f"Lt{size}", L, COLUMNS, symmetric=True, says="Λ⁺ = Λ + Pᵀ K")
    left = kernel.let(f"Eh{size}", left, COLUMNS, says="E⁺ = E − U K")
    turn = sp.diag(C, 1) if d == 2 else sp.diag(C, C)
    moved = kernel.let("Er", turn * left, COLUMNS, says="Eᵗ = Xᵀ E⁺")
    kernel.let(f"Et{size}", space.shift(r).T * moved, COLUMNS, says="Eᵗ = Xᵀ E⁺")
    return kernel.build(*outputs)


@cache
def reach(conditions: int, freedoms: tuple[int, ...]) -> Kernel:
    """How large the diagonal of Λ would be of a cut's conditions, or of a coupling's.

    `R_k` says how far, squared, the speeds of the k-th hinge of the loop (or of a beam's modes)
    can move the conditions.
    """
    label = "_".join(map(str, freedoms))
    kernel = KernelBuilder(f"reach_{conditions}_{label}", "how far a loop can move its conditions")
    total = sp.zeros(conditions, 1)
    for k, freedom in enumerate(freedoms, start=1):
        total += kernel.take(f"R_{k}", conditions, freedom) * kernel.take(f"y_{k}", freedom)
    return kernel.build(*kernel.each("d", total, REACH, says="d = Σ R y"))


@cache
def multipliers(
    dimension: int,
    widths: tuple[int, ...],
    feeds: tuple[Feed, ...],
    couplings: int = 0,
    curved: tuple[int, ...] = (),
) -> Kernel:
    """Λ μ = Eᵀ a_ground + k, from all roots, cuts and couplings; μ of minimum norm.

    `widths` are the numbers of conditions, cut by cut; couplings follow, one condition each, of
    which those `curved` have a bias.
    """
    n, size = Space(dimension).motion, sum(widths) + couplings
    label = "_".join([*(feed.label for feed in feeds), *(f"bent{k}" for k in curved)])
    kernel = KernelBuilder(f"multipliers_{label}", "multipliers of the conditions")
    ground = kernel.take("ground", n)
    right, L = _gathered(kernel, n, size, feeds)
    for i in range(len(feeds)):
        E = kernel.take(f"Et_I{i + 1}", n, len(feeds[i].places))
        right += _placed((E.T * ground).T, feeds[i].places, size, rows=False).T
    right += sp.Matrix.vstack(
        *(kernel.take(f"bias_{j}", width) for j, width in enumerate(widths, start=1)),
        *(kernel.take(f"bent_{k}") if k in curved else sp.zeros(1, 1) for k in range(couplings)),
    )
    return _solved(kernel, L, right, "mu", "Λ μ = Eᵀ a + k")


@cache
def corrections(dimension: int, size: int, feeds: tuple[Feed, ...]) -> Kernel:
    """Λ μ = c: the multipliers of the least motion (in the kinetic energy) that adds −c to φ̇."""
    n = Space(dimension).motion
    label = "_".join(feed.label for feed in feeds)
    kernel = KernelBuilder(f"corrections_{label}", "multipliers of a correction")
    _, L = _gathered(kernel, n, size, feeds, columns=False)
    right = kernel.numbers("c", size)
    return _solved(kernel, L, right, "nu", "Λ ν = c")


@cache
def compliance(dimension: int, size: int, feeds: tuple[Feed, ...]) -> Kernel:
    """Λ of all cuts, and what rank is decided against."""
    label = "_".join(feed.label for feed in feeds)
    kernel = KernelBuilder(f"compliance_{label}", "compliance of the conditions")
    _, L = _gathered(kernel, Space(dimension).motion, size, feeds, columns=False)
    kernel.let("Lam", L, COLUMNS, symmetric=True, says="Λ = Σ Λ_k")
    kernel.let("reach", kernel.numbers("d", size), REACH, says="d of all conditions")
    return kernel.build("Lam", "reach")


def _gathered(
    kernel: KernelBuilder, n: int, size: int, feeds: tuple[Feed, ...], columns: bool = True
) -> tuple[sp.Matrix, sp.Matrix]:
    """k (if the columns are wanted) and Λ of all roots."""
    k, L = sp.zeros(size, 1), sp.zeros(size)
    for i, feed in enumerate(feeds, start=1):
        width = len(feed.places)
        if columns:
            own = kernel.take(f"kt_I{i}", width)
            k += _placed(own.T, feed.places, size, rows=False).T
        own = kernel.take(f"Lt_I{i}", width, width, symmetric=True)
        L += _placed(own, feed.places, size, rows=True)
    return k, L


def _solved(kernel: KernelBuilder, L: sp.Matrix, right: sp.Matrix, name: str, says: str) -> Kernel:
    matrix = kernel.let("Lam", L, COLUMNS, symmetric=True, says="Λ = Σ Λ_k")
    right = kernel.let("right", right, COLUMNS, says=says)
    reaches = kernel.numbers("d", L.rows)
    found = kernel.solve("x", matrix, right, COLUMNS, Policy.MIN_NORM, says, reaches)
    return kernel.build(*kernel.each(name, found, COLUMNS, says))


@cache
def known(dimension: int, freedom: int, size: int, correction: bool) -> Kernel:
    """What a hinge's acceleration is without its parent's, the multipliers known: k − K μ."""
    word = "correction" if correction else "known"
    kernel = KernelBuilder(f"{word}_{freedom}_{size}", "hinge with known multipliers")
    K = kernel.take(f"K{freedom}_{size}", freedom, size)
    found = -K * kernel.numbers("mu", size)
    if not correction:
        found = kernel.take(f"k{freedom}", freedom) + found
    kernel.let("km", found, COLUMNS, says="k_μ = k − K μ")
    return kernel.build("km")


@cache
def bias(dimension: int, size: int) -> Kernel:
    """What a link demands without acceleration, the multipliers known: pA + E μ."""
    n = Space(dimension).motion
    kernel = KernelBuilder(f"bias_{size}", "bias with known multipliers")
    E = kernel.take(f"Eh{size}", n, size)
    kernel.let(
        "pAm",
        kernel.take("pAh", n) + E * kernel.numbers("mu", size),
        COLUMNS,
        says="pA_μ = pA + E μ",
    )
    return kernel.build("pAm")


@cache
def slope(dimension: int, freedom: int, feeds: tuple[Feed, ...], moved: tuple[bool, ...]) -> Kernel:
    """φ̇ per speed of a link's hinge, HᵀE, and the columns moved to its parent.

    `moved` says of each column whether the hinge moves that condition's two sides apart.
    """
    n, size = Space(dimension).motion, len(moved)
    label = "_".join(feed.label for feed in feeds)
    shown = "".join("01"[x] for x in moved)
    name = f"slope_{freedom}_{shown}_{label}"
    kernel = KernelBuilder(name, f"{counted(size, 'column')} moved to the parent")
    E = sp.zeros(n, size)
    for i, feed in enumerate(feeds, start=1):
        E += _placed(kernel.take(f"Et_I{i}", n, len(feed.places)), feed.places, size, rows=False)
    E = kernel.let("E", E, COLUMNS, says="E = Σ E_k")
    outputs = [f"Ej{size}"]
    if freedom:
        block = kernel.take(f"H{freedom}", n, freedom).T * E
        for i in (i for i in range(size) if moved[i]):
            for j in range(freedom):
                kernel.let(f"J_{i + 1}_{j + 1}", sp.Matrix([block[j, i]]), COLUMNS, says="J = Hᵀ E")
                outputs.append(f"J_{i + 1}_{j + 1}")
    C, r = kernel.take("C", dimension, dimension), kernel.take("r", dimension)
    turn = sp.diag(C, 1) if dimension == 2 else sp.diag(C, C)
    turned = kernel.let("Er", turn * E, COLUMNS, says="Eᵗ = Xᵀ E")
    kernel.let(f"Ej{size}", Space(dimension).shift(r).T * turned, COLUMNS, says="Eᵗ = Xᵀ E")
    return kernel.build(*outputs)


@cache
def stress(dimension: int, feeds: tuple[Feed, ...], size: int) -> Kernel:
    """What multipliers bring into a link's hinge while all hinges are locked: λ = E μ."""
    space = Space(dimension)
    label = "_".join(feed.label for feed in feeds)
    kernel = KernelBuilder(f"stress_{size}_{label}", "loads of multipliers at a hinge")
    E = sp.zeros(space.motion, size)
    for i, feed in enumerate(feeds, start=1):
        column = kernel.take(f"Et_I{i}", space.motion, len(feed.places))
        E += _placed(column, feed.places, size, rows=False)
    wrench = kernel.let("lam", E * kernel.numbers("mu", size), COLUMNS, says="λ = E μ")
    state_load(kernel, space, wrench)
    return kernel.build("load")


@cache
def unstressed(dimension: int) -> Kernel:
    """No load: of a hinge that no multiplier reaches."""
    kernel = KernelBuilder("unstressed", "no load at a hinge")
    kernel.let("load", sp.zeros(6, 1), COLUMNS, says="m = 0, q = 0")
    return kernel.build("load")
