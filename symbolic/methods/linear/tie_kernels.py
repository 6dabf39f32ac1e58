"""Ties of the linear method: forces between points and cut hinges, about rest.

Each is columns of springs between displacements, which go inwards to where all have met and are
eliminated there in turn.
"""

from __future__ import annotations

import sympy as sp

from ....model.expressions.functions import step
from ...language.program import Policy
from ...language.words import counted
from ...mechanics.hinges import joint
from ...mechanics.letters import MOVED
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing
from ...mechanics.turns import Transport
from .cell_kernels import ASKED, CELLS, RICCATI, inwards, reversed_stretch, stretched
from .kernels import CUT, ELIMINATED, LINE, TIED, absolute

traced = tracing(CELLS, ASKED, {})


@traced
def line(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A force between two points about rest: along it its slope, across it what its tension adds.

    With L its length and T its tension δV = ½ (T′ − T/L) (nᵀ δ)² + ½ T/L δᵀ δ for the points'
    displacement δ from each other, so that each of these is one spring.
    """
    t.called(f"line_at_rest_{t.ask('label')}", "stiffness of a force between points")
    law, viscous = (sp.Matrix([t.ask(word)]) for word in ("law", "viscous"))
    t.singles(law, viscous, table=LINE)
    n = x.n
    steep = k.formula(law)
    x.steep = steep + x.s @ k.formula(viscous) if any(viscous) else steep
    across = x.pull / x.dist
    t.state("ca", k.stack(x.steep - across, *[across] * k.d), TIED, "c")
    t.state("Va", k.beside(n, k.unit_matrix(k.d)), TIED, "V")
    return "ca", "Va"


@traced
def opening(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How far an end of a line moves along its directions per displacement of its link."""
    second = t.ask("second")
    t.called(f"opening_{'b' if second else 'a'}", "end of a line at rest")
    A, r, V = x.A, x.r, t.read("Va", cols=k.d + 1)
    own = t.state("along", A.T @ V, TIED, "V_l")
    J = k.stack(own, k.tilde(r) @ own)
    x.Jl = J if second else -J
    return ("Jl",)


@traced
def cut(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The ties that a cut hinge is, at the links on the `sides` that are no ground.

    Across its freedoms its sides do not part, ξ_b = ξ_a′; along them χ = H⁺ (ξ_b − ξ_a′), and what
    its wrench adds to V is w χ of w = gᵀ ξ_a′, g = −½ bar(λ_c) H: springs ½ and −½ of w ± χ.
    Beside beams, which bear nothing at rest, it has none.
    """
    kind, sides = t.ask("cut_kind"), t.ask("sides")
    bears = t.ask("bears")
    label = f"{kind}_{sides}{'' if t.ask('side') else '_parent'}{'' if bears else '_at_ease'}"
    t.called(f"cut_{label}", f"cut {kind} hinge at rest")
    H = joint(k.d, kind).subspace
    across = [i for i in range(k.n) if not any(H.row(i))]
    N, H_ = (k.formula(y) if y.cols else k.zeros(k.n, 0) for y in (sp.eye(k.n)[:, across], H))
    axes = t.state("axes", x.Ab @ x.Kb, CUT, "B")
    point = t.state("point", x.xb + x.Ab @ x.rb, CUT, "x_c")
    lc = _exerted(x, k, t, axes, point) if bears else k.zero(k.n)
    outputs = list[str]()
    for side in sides:
        A, origin = (x.Aa, x.xa) if side == "a" else (x.Ab, x.xb)
        Q = t.state(f"Q{side}", A.T @ axes, CUT, f"Q_{side}")
        arm = t.state(f"arm{side}", A.T @ (point - origin), CUT, f"ρ_{side}")
        T = k.X(arm).T @ k.both(Q)
        parts = [N if side == "a" else -N] if across else []
        if H.cols and bears:
            g = -(k.bar(lc) @ H_).half
            parts += [g - H_, g + H_] if side == "a" else [H_, -H_]
        t.state(f"col{side}", T @ k.beside(*parts), CUT, f"J_{side}")
        outputs.append(f"col{side}")
        if bears:
            t.state(f"R{side}", T @ lc if side == "a" else -(T @ lc), CUT, f"R_{side}")
            outputs.append(f"R{side}")
    return tuple(outputs)


def _exerted(x: At, k: Algebra, t: Tracer, axes: M, point: M) -> M:
    """State λ_c, from the moment and force that are reported at the `side` of a cut hinge."""
    whole = x.cut
    moment = part(whole, range(1, 4) if k.d == 3 else [3])
    force = part(whole, range(4, 7) if k.d == 3 else [4, 5])
    if t.ask("side"):
        force = -force
    else:  # of the load on the child's point, seen from the parent's
        moment = -moment - k.moment(point - (x.xa + x.Aa @ x.ra), force)
    x.lc = k.stack(axes.T @ force, k.turned(axes.T, moment))
    return x.lc


@traced
def tying(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns of all ties at a link: those of its inputs, and those that begin here."""
    carried, tied, width, even = x.carried, x.tied, x.width, x.even
    label = "".join(f"_{size}" for size in tied)
    t.called(f"tied_{len(carried)}{label}{'' if even else '_uneven'}", "ties at a body")
    E, O, L = k.zeros(k.n, width), k.zeros(k.n, width), k.zeros(width, width)  # noqa: E741
    for number in carried:
        E, L = E + t.read("Et_", f"_I{number}"), L + t.read("Lt_", f"_I{number}")
        O = O if even else O + t.read("Ot_", f"_I{number}")  # noqa: E741
    for number, size in enumerate(tied, start=1):
        J = t.read("Jl", f"_{number}", cols=size)
        own = J @ t.read("S", f"_{number}", rows=size, cols=width)
        E, O = E + own, O + own  # noqa: E741
    x.E_, x.L_ = E, L
    if even:
        return t.port("E_"), t.port("L_")
    x.O_ = O
    return t.port("E_"), t.port("O_"), t.port("L_")


@traced
def tying_cell(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns of all ties at a cell: those at O, and those at I as O displaces them."""
    carried, tied, near, hung = x.carried, x.tied, x.tied_near, t.ask("near")
    label = "".join(f"_{'O' if at_O else 'I'}{size}" for size, at_O in zip(tied, near, strict=True))
    label += "_turned" * t.ask("turned")
    arriving = "".join("O" if hung[number - 1] else "I" for number in carried)
    label = f"{arriving}{'_hung' * x.hangs}{label}{'' if x.even else '_uneven'}"
    t.called(f"tied_cell_{label}", "ties at a cell")
    stems = {"E": "Et_"} if x.even else {"E": "Et_", "O": "Ot_"}
    sums = {(of, at): k.zeros(k.n, x.width) for of in stems for at in (True, False)}
    L = k.zeros(x.width, x.width)
    for number in carried:
        at_O = hung[number - 1]
        for of, stem in stems.items():
            sums[of, at_O] = sums[of, at_O] + t.read(stem, f"_I{number}")
        L = L + t.read("Lt_", f"_I{number}")
    for number, (size, at_O) in enumerate(zip(tied, near, strict=True), start=1):
        J = t.read("Jl", f"_{number}", cols=size)
        own = J @ t.read("S", f"_{number}", rows=size, cols=x.width)
        for of in stems:
            sums[of, at_O] = sums[of, at_O] + own
    outputs = [t.port("E_"), t.port("L_")]
    E, O = sums["E", True], sums.get(("O", True))  # noqa: E741
    if x.tied_far:
        turn = inwards(x, k, t)

        def far(of: str) -> M:
            return turn @ sums[of, False] if turn else sums[of, False]

        def near_by(X: M) -> M:
            return turn.T @ X if turn else X

        x.EI_ = far("E")
        N = stretched(x, k, t)
        t.solve("EN_", (N if x.even else reversed_stretch(x, k, t)).T, x.EI_, RICCATI, Policy.LU)
        E, openings = E + near_by(x.EN_), x.EN_
        outputs += [t.port("EI_"), t.port("EN_")]
        if O:
            t.solve("ON_", N.T, far("O"), RICCATI, Policy.LU)
            O, openings = O + near_by(x.ON_), x.ON_  # noqa: E741
            outputs.append(t.port("ON_"))
        L = L + openings.T @ x.Tul @ x.EI_
    x.E_, x.L_ = E, L
    if O:
        x.O_ = O
        outputs.append(t.port("O_"))
    return tuple(outputs)


@traced
def tied(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns behind a hinge, which yields to the forces in the ties."""
    freedom, even = x.freedom, x.even
    whose = "" if even else "_uneven"
    title = f"ties behind {counted(freedom, 'freedom')}"
    t.called(f"yield_tied_{freedom}{whose}{x.way.label}", title)
    E, L, _ = x.E_, x.L_, x.r
    O = E if even else x.O_  # noqa: E741
    to_parent, outputs = Transport(x, k, t, MOVED), list[str]()
    if freedom:
        x.Pe_ = x.H_.T @ E
        N = M(t.solve("N_", x.D_, x.Pe_, ELIMINATED), t.known(t.port("N_")).tree)
        E = t.state("Eh", E - x.B_ @ N, ELIMINATED)
        outputs += [t.port("Pe_"), t.port("N_")]
        if even:
            L = L + x.Pe_.T @ N
        else:
            x.Po_ = x.H_.T @ O
            L = L + x.Po_.T @ N
            O = t.state("Oh", O - x.G_.T @ x.Po_, ELIMINATED)  # noqa: E741
            outputs.append(t.port("Po_"))
    x.Et_ = (to_parent.X.T @ E).by(to_parent.wrenches("Er", E).value)
    if not even:
        x.Ot_ = (to_parent.X.T @ O).by(to_parent.wrenches("Or", O).value)
        outputs.append(t.port("Ot_"))
    x.Lt_ = L
    return *outputs, t.port("Et_"), t.port("Lt_")


@traced
def opened(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How far harmonic loads open the ties if these exert nothing."""
    carried, width, freedom = x.carried, x.width, x.freedom
    pressed = x.cell and x.tied_far and (x.hangs or x.loaded)
    label = f"{len(carried)}_{freedom}{'_cell' * pressed}{'' if x.even else '_uneven'}"
    t.called(f"opened_{label}", "ties under harmonic loads")
    found = k.zeros(width, 1)
    for number in carried:
        found = found + t.read("ozt_", f"_I{number}")
    if pressed:
        found = found - (x.EN_ if x.even else x.ON_).T @ x.Tul @ x.pI
    if freedom:
        found = found + (x.Pe_ if x.even else x.Po_).T @ x.kz_
    x.ozt_ = found
    return (t.port("ozt_"),)


@traced
def exerted(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The forces ζ in the ties, where all have met: with y how far they open, ζ = c y."""
    width, roots = x.width, t.ask("roots")
    t.called(f"exerted_{width}_{roots}", "forces in the ties")
    found = k.zeros(width, 1)
    for number in range(1, roots + 1):
        found = found + t.read("ozt_", f"_{number}")
    L, c, held = _met(x, k, t, width, roots)
    springs, loose = k.diagonal(c), k.diagonal(held)
    zeta = t.solve("y", loose + springs @ L, springs @ found, TIED, Policy.LU)
    x.zeta_ = M(zeta, t.known("y").tree)
    return (t.port("zeta_"),)


def _met(x: At, k: Algebra, t: Tracer, width: int, roots: int) -> tuple[M, M, M]:
    """Λ of all ties where they meet, their springs, and 1 of springs, 0 of what does not yield."""
    L, springs, loose = k.zeros(width, width), [], list[int]()
    for number in range(1, roots + 1):
        L = L + t.read("Lt_", f"_{number}")
    for number, (rigid, soft) in enumerate(t.ask("ties"), start=1):
        if rigid is None:
            springs.append(t.read("ca", f"_{number}", rows=soft))
            loose += [1] * soft
        else:
            half = [sp.Rational(1, 2)] * soft + [-sp.Rational(1, 2)] * soft
            springs.append(k.formula(sp.Matrix([sp.Integer(1)] * rigid + half)))
            loose += [0] * rigid + [1] * (2 * soft)
    c = t.state("c", k.stack(*springs), TIED, "c")
    held = t.state("a", k.formula(sp.Matrix(loose)), TIED, "a")
    return t.state("L0", L, TIED, "Λ", symmetric=x.even), c, held


@traced
def met(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Every tie in turn: with 1 + c Λ below zero one eigenvalue more, or less, by the sign of c.

    A spring c makes of the determinant 1 + c Λ times what it was, and of Λ, Λ − Λ c Λ/(1 + c Λ);
    what does not yield is c Λ of c = 1 instead, which counts as one less where it is below zero.
    """
    width, roots, phased = x.width, t.ask("roots"), x.phased
    t.called(f"ties_{width}_{roots}{'_phased' * phased}", "ties that have met at the ground")
    left, c, held = _met(x, k, t, width, roots)
    n, logs, worst, one = x.nbefore, x.lbefore, x.cbefore, k.scalar(sp.Integer(1))
    angle = x.abefore if phased else k.zero()
    whole = left
    for j in range(1, width + 1):
        own, spring = k.entry(left, 1, 1), k.entry(c, j, 1)
        loose = k.entry(held, j, 1)
        p = t.state(f"p{j}", loose + spring @ own, TIED, f"p{j}")
        n = n - k.function(sp.sign, spring) @ (one - k.function(step, p))
        logs = logs + k.function(sp.log, absolute(k, p))
        worst = worst + (loose + absolute(k, spring @ k.entry(whole, j, j))) / absolute(k, p)
        if phased:
            angle = angle + k.function(sp.arg, p)
        if j < width:
            rest = range(2, left.value.rows + 1)
            row = part(left, [1], rest)
            column = row.T if x.even else part(left, rest, [1])
            factor = t.state(f"f{j}", spring / p, TIED, f"f{j}")
            smaller = part(left, rest, rest) - factor @ (column @ row)
            left = t.state(f"L{j}", smaller, TIED, f"Λ{j}", symmetric=x.even)
    x.below, x.logdet = n, logs
    x.worst = worst
    x.pivot = x.worst.inverse.by(sp.Matrix([1 / x.worst[0]]))
    if phased:
        x.angle = angle
        return "below", "logdet", "pivot", "angle"
    return "below", "logdet", "pivot"
