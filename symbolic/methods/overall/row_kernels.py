"""The kernels of the overall transfer equation's rows, and of what is read off its solution.

Each is what a head, I, H, G or K, makes of a column. With `right` it is what it makes of the
column of the 1, moved to the right-hand side.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder, Policy
from ...mechanics.space import Space
from .kernels import BODY, HINGE

MAIN = "deduction paper (23): main equation"
GEOMETRIC = "deduction paper (14), (21), (22): geometric equation of a body"
MODAL = "deduction paper, extended state: what drives a beam's modes"
DRIVEN = "own: Hᵀ λ + τ = 0 at the output of a hinge"
ROTOR = "own: a rotor’s inertia, along the hinge’s speeds"
COUPLING = "own: the condition and the load of a coupled hinge"


def _rows(
    kernel: KernelBuilder,
    value: sp.Matrix,
    source: str,
    says: str,
    right: bool = False,
    name: str = "row",
) -> Kernel:
    """An entry a statement, which together are `says`; on the right-hand side with its sign."""
    if right:
        says = f"r = −({says})"
    elif " = " not in says:
        says = f"row = {says}"
    return kernel.build(*kernel.each(name, -value if right else value, source, says))


def _builder(name: str, title: str, right: bool) -> KernelBuilder:
    return KernelBuilder(f"{name}{'_right' if right else ''}", title)


def _load(kernel: KernelBuilder, space: Space, at: str = "o") -> sp.Matrix:
    """λ = (−q, m) of a state."""
    return sp.Matrix.vstack(
        -kernel.take(f"q{at}", space.dimension), kernel.take(f"m{at}", space.spins)
    )


@cache
def main(
    dimension: int, right: bool, closed: bool = False, entries: tuple[int, ...] = ()
) -> Kernel:
    """What arrives at a root, less what is known of it: all but the unknown `entries`.

    `closed`: less the column's own start.
    """
    space = Space(dimension)
    label = "_".join(("_closed",) * closed + tuple(map(str, entries)))
    kernel = _builder(f"main{label}", "main equation at a root", right)
    sizes = {"a": space.motion, "m": space.spins, "q": dimension}
    value = sp.Matrix.vstack(*(kernel.take(f"{x}o", rows) for x, rows in sizes.items()))
    if right or closed:
        known = sp.Matrix.vstack(*(kernel.take(f"{x}0", rows) for x, rows in sizes.items()))
        for entry in entries:
            known[entry] = 0
        value -= known
    says = f"z_O{' − z_known' * right}{' − z' * closed}"
    return _rows(kernel, value, MAIN, says, right)


@cache
def geometric(dimension: int, k: int, entries: tuple[int, ...], right: bool = False) -> Kernel:
    """The acceleration of the k-th input: from the first one's, less its own."""
    space = Space(dimension)
    label = "_".join(map(str, (k, *entries)))
    kernel = _builder(f"geometric_{label}", "geometric equation of a body", right)
    value = sp.zeros(space.motion, 1)
    if 1 in entries:
        value += space.shift(kernel.take(f"rK{k}", dimension)) * kernel.take("a_I1", space.motion)
    if k in entries:
        value -= kernel.take(f"a_I{k}", space.motion)
    if right:
        bias = kernel.take(f"gK{k}", dimension)
        value += sp.Matrix.vstack(bias, sp.zeros(space.spins, 1))
    terms = [f"X(r_{k}) a_I1"] * (1 in entries) + [f"− a_I{k}"] * (k in entries)
    return _rows(kernel, value, GEOMETRIC, " ".join(terms + [f"+ g_{k}"] * right), right)


@cache
def hinge(dimension: int, freedom: int, right: bool = False, acting: bool = False) -> Kernel:
    """Hᵀ λ of a hinge, and what acts in it."""
    space = Space(dimension)
    kernel = _builder(f"hinge_{freedom}{'_acting' * acting}", "what drives a hinge", right)
    H = kernel.take(f"Hs{freedom}", space.motion, freedom)
    value = H.T * _load(kernel, space)
    if acting:
        value += kernel.take(f"T{freedom}", freedom)
    says = f"H_sᵀ λ_O{' + T' * acting}, λ = (−q, m)"
    return _rows(kernel, value, DRIVEN, says, right)


@cache
def modal(modes: int, entries: tuple[int, ...], right: bool = False) -> Kernel:
    """What drives a beam's modes: of a column that arrives at some of its inputs."""
    space = Space(2)
    label = "_".join(map(str, entries))
    kernel = _builder(f"modes_{modes}_{label}", "what drives a beam's modes", right)
    value = -kernel.take(f"YO_{modes}", 3, modes).T * _load(kernel, space)
    for k in entries:
        if k == 1:
            value += kernel.take(f"Me{modes}", 3, modes).T * kernel.take("a_I1", 3)
        else:
            value += kernel.take(f"Y{k}_{modes}", 3, modes).T * _load(kernel, space, f"_I{k}")
    if right:
        value += kernel.take(f"pe{modes}", modes)
    terms = ["− Y_Oᵀ λ_O", *("+ M_eᵀ a_I1" if k == 1 else f"+ Y_{k}ᵀ λ_I{k}" for k in entries)]
    return _rows(kernel, value, MODAL, " ".join(terms + ["+ p_η"] * right), right)


@cache
def modal_own(modes: int) -> Kernel:
    """M_ηη − Y_Oᵀ λ_O of one of a beam's own modal accelerations, the `k`-th unit column."""
    kernel = KernelBuilder(f"modes_own_{modes}", "inertia of a beam's modes")
    inertia = kernel.take(f"Mee{modes}", modes, modes, symmetric=True) * kernel.take("unit", modes)
    value = inertia - kernel.take(f"YO_{modes}", 3, modes).T * _load(kernel, Space(2))
    return _rows(kernel, value, MODAL, "M_ηη e − Y_Oᵀ λ_O, e a unit vector")


@cache
def geometric_own(modes: int, k: int) -> Kernel:
    """What one of a beam's own modal accelerations does at its k-th input: column of Y_k."""
    kernel = KernelBuilder(f"geometric_own_{modes}_{k}", "geometric equation of a beam")
    value = kernel.take(f"Y{k}_{modes}", 3, modes) * kernel.take("unit", modes)
    return _rows(kernel, value, GEOMETRIC, f"Y_{k} e, e a unit vector")


@cache
def entries(size: int, source: str) -> Kernel:
    """Given entries of the matrix: −1 at a root, a rotor's inertia, what a coupling demands."""
    kernel = KernelBuilder(f"entries_{size}", "given entries of the overall equation")
    return _rows(kernel, kernel.take("x", size), source, "x, given entries")


@cache
def copied(count: int, name: str) -> Kernel:
    """Unknowns under another name."""
    kernel = KernelBuilder(f"{name}_{count}", "results among the unknowns")
    values = kernel.numbers("x", count)
    return _rows(kernel, values, HINGE, "u̇ = x, as solved for", name=name)


@cache
def pinned_rates(dimension: int, freedom: int) -> Kernel:
    """The speeds' rates of a pin or ball to the ground, from Ω̇ = Ω̇_g + γ + H u̇ of its body."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("pinned_rates", "accelerations in a hinge to the ground")
    H = kernel.take(f"Hs{freedom}", space.motion, freedom)
    known = (kernel.take("ag", space.motion) + kernel.take("gs", space.motion))[d:, :]
    rate = kernel.numbers("x", space.spins)
    says = "u̇ = H_ωᵀ (Ω̇ − Ω̇_g − γ_ω)"
    return _rows(kernel, H[d:, :].T * (rate - known), HINGE, says, name="a")


@cache
def loose_rates(dimension: int) -> Kernel:
    """The speeds' rates of a hinge to the ground that holds nothing: a = X a_g + γ + H u̇.

    `a` is the acceleration at the body's output, `rOL` the arm from there to the hinge.
    """
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("loose_rates", "accelerations of a free body's coordinates")
    n, A = space.motion, kernel.take("A", d, d)
    omega = kernel.take("omega", space.spins)
    Omega = omega if d == 2 else kernel.let("Omega", A * omega, "Ω = A ω")
    arm = kernel.let("arm", A * kernel.take("rOL", d), BODY)
    a = space.shift(arm) * kernel.take("a", n)
    a += sp.Matrix.vstack(space.centripetal(kernel, Omega) * arm, sp.zeros(space.spins, 1))
    a -= space.shift(kernel.take("dh", d)) * kernel.take("ag", n) + kernel.take("gs", n)
    H = kernel.take(f"Hs{n}", n, n)
    says = "H_s u̇ = X(r) a_O + ~Ω ~Ω r − X(d) a_g − γ_s"
    rates = kernel.solve("ud", H, a, HINGE, Policy.LU, says=says)
    return _rows(kernel, rates, HINGE, says, name="a")


@cache
def loose_load(dimension: int) -> Kernel:
    """Moment and force at such a hinge: those of its given forces, signed as at an output."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("loose_load", "loads at a hinge to the ground")
    A, W = kernel.take("A", d, d), kernel.take("W", space.motion)
    m = W[d:, :] if d == 2 else A * W[d:, :]
    says = "(m, q) = (A W_m, −A W_f)"
    kernel.let("load", space.flat_load(m, -A * W[:d, :]), "deduction paper (1)", says=says)
    return kernel.build("load")


@cache
def spin_rate(dimension: int) -> Kernel:
    """A body's angular acceleration in absolute coordinates."""
    kernel = KernelBuilder("spin_rate", "angular acceleration of a body")
    ang = kernel.take("a", Space(dimension).motion)[dimension:, :]
    value = ang if dimension == 2 else kernel.take("A", 3, 3).T * ang
    kernel.let("rate", value, "own", says="ω̇ = Aᵀ Ω̇")
    return kernel.build("rate")


@cache
def load(dimension: int, sign: int) -> Kernel:
    """Moment and force at an end of a body, signed as at an output: at an input `sign` is −1."""
    space = Space(dimension)
    kernel = KernelBuilder(f"load{'_input' if sign < 0 else ''}", "loads at a hinge")
    m, q = kernel.take("m", space.spins), kernel.take("q", dimension)
    load = space.flat_load(sign * m, sign * q)
    says = f"load = {'−' if sign < 0 else ''}(m, q)"
    kernel.let("load", load, "deduction paper (1)", says=says)
    return kernel.build("load")


@cache
def drive(dimension: int, columns: int, resisted: bool) -> Kernel:
    """The force that drives a hinge as prescribed: −Hᵀ λ at its output, and its rotor's."""
    kernel = KernelBuilder(f"drive_{columns}{'_rotor' * resisted}", "driving force of a hinge")
    space = Space(dimension)
    needed = -kernel.take(f"Hs{columns}", space.motion, columns).T * _load(kernel, space)
    if resisted:
        needed -= kernel.take(f"T{columns}", columns)
    says = f"τ = −H_sᵀ λ_O{' − T' * resisted}, λ = (−q, m)"
    return _rows(kernel, needed, DRIVEN, says, name="drive")


@cache
def shown(name: str) -> Kernel:
    """A part of the overall equation as a result."""
    kernel = KernelBuilder(f"shown_{name}", "overall equation")
    says = "y = U_all" if name == "matrix" else "y = r_all"
    kernel.let("y", kernel.take("x"), MAIN, says=f"{says}, entry by entry")
    return kernel.build("y")
