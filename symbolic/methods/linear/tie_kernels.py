"""Ties of the linear method: forces between points and cut hinges, about rest.

Each is columns of springs between displacements, which go inwards to where all have met and are
eliminated there in turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ....model.expressions.functions import step
from ...language.program import Policy
from ...language.words import counted
from ...mechanics.letters import MOVED
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing
from ...mechanics.turns import Transport
from .cell_kernels import inwards, reversed_stretch, stretched
from .kernels import SLIGHT, absolute, length
from .letters import CELLS, ELIMINATED, LAW, LINE, LINED, OF_CELLS, RICCATI, TIED

traced = tracing(CELLS, OF_CELLS, {})


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
def fed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A force along a hinge that the displacement of another causes, as that of a spring."""
    t.called(f"fed_{t.ask('label')}", "force along a hinge by another's displacement")
    steep, viscous = (sp.Matrix([t.ask(word)]) for word in ("stiffness", "viscous"))
    t.singles(steep, viscous)
    c = k.formula(steep)
    c = c + x.s @ k.formula(viscous) if any(viscous) else c
    t.state("cf", k.stack(c.half, -c.half) if t.ask("mutual") else c, LAW, "c")
    return ("cf",)


@traced
def gauge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The direction from one end of a sensor to the other, along which their distance grows."""
    t.called("gauge", "direction of a distance that a sensor tells")
    gap = t.state("gap", x.xb + x.Ab @ x.rb - (x.xa + x.Aa @ x.ra), LINED, "g")
    t.state("Vs", gap / t.state("long", length(k, gap), LINED, "L"), LINED, "n")
    return ("Vs",)


@traced
def opening(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How far an end of a line moves along its directions per displacement of its link."""
    second, gauge = t.ask("second"), t.ask("gauge")
    t.called(f"opening_{'b' if second else 'a'}{'_gauge' * gauge}", "end of a line at rest")
    A, r, V = x.A, x.r, t.read("Va", cols=1 if gauge else k.d + 1)
    own = t.state("along", A.T @ V, TIED, "V_l")
    J = k.stack(own, k.tilde(r) @ own)
    x.Jl = J if second else -J
    return ("Jl",)


@traced
def tying(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns of all ties at a link: those of its inputs, and those that begin here."""
    carried, tied, width, even = x.carried, x.tied, x.width, x.even
    gauges = t.ask("gauges")
    label = "".join(f"_{size}{'_gauge' * own}" for size, own in zip(tied, gauges, strict=True))
    t.called(f"tied_{len(carried)}{label}{'' if even else '_uneven'}", "ties at a body")
    E, O, L = k.zeros(k.n, width), k.zeros(k.n, width), k.zeros(width, width)  # noqa: E741
    for number in carried:
        E, L = E + t.read("Et_", f"_I{number}"), L + t.read("Lt_", f"_I{number}")
        O = O if even else O + t.read("Ot_", f"_I{number}")  # noqa: E741
    for number, (size, gauge) in enumerate(zip(tied, gauges, strict=True), start=1):
        J = t.read("Jl", f"_{number}", cols=size)
        own = J @ t.read("S", f"_{number}", rows=size, cols=width)
        E, O = E if gauge else E + own, O + own  # noqa: E741
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
        L = k.upper(L) if x.even else L
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
    t.called(f"yield_tied_{freedom}{whose}{'_fed' * x.fed}{x.way.label}", title)
    E, L, outputs = x.E_, x.L_, list[str]()
    O = E if even else x.O_  # noqa: E741
    if freedom:
        x.Pe_ = x.H_.T @ E + (x.felt_ if x.fed else k.zeros(freedom, x.width))
        N = M(t.solve("N_", x.D_, x.Pe_, ELIMINATED), t.known(t.port("N_")).tree)
        E = t.state("Eh", E - x.B_ @ N, ELIMINATED)
        outputs += [t.port("Pe_"), t.port("N_")]
        if even:
            L = L + x.Pe_.T @ N
        else:
            x.Po_ = x.H_.T @ O + (x.told_ if x.fed else k.zeros(freedom, x.width))
            L = L + x.Po_.T @ N
            O = t.state("Oh", O - x.G_.T @ x.Po_, ELIMINATED)  # noqa: E741
            outputs.append(t.port("Po_"))
    return *outputs, *behind(x, k, t, E, O, L)


def behind(x: At, k: Algebra, t: Tracer, E: M, O: M, L: M) -> tuple[str, ...]:  # noqa: E741
    """State columns behind a hinge about the parent's origin."""
    _ = x.r
    to_parent, outputs = Transport(x, k, t, MOVED), list[str]()
    x.Et_ = (to_parent.X.T @ E).by(to_parent.wrenches("Er", E).value)
    if not x.even:
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
    label += f"{'_shared' * x.shares}{'_applied' * (x.shares and t.ask('applies'))}"
    t.called(f"opened_{label}", "ties under harmonic loads")
    found = k.zeros(width, 1)
    for number in carried:
        found = found + t.read("ozt_", f"_I{number}")
    if pressed:
        found = found - (x.EN_ if x.even else x.ON_).T @ x.Tul @ x.pI
    if freedom:
        found = found + (x.Pe_ if x.even else x.Po_).T @ x.kz_
    if x.shares:
        force = t.numbers("tau", count=1) if t.ask("applies") else k.zeros(1, 1)
        found = found + x.turns.T @ (x.H_.T @ x.pz - force)
    x.ozt_ = found
    return (t.port("ozt_"),)


@dataclass(frozen=True)
class Met:
    """All ties where they meet: Λ, and what they are of themselves.

    (C + D Λ) ζ = D y, with D = c and C = 1 of springs, D = 1 and C = 0 of conditions, of those that
    follow from others D = 0 and C = 1. Of a cut hinge's freedoms D = 1 and C = [−κ_c 1; 1 0]. Of
    coordinates that several hinges share D = 1 and C = 0, with ζ the coordinate and Λ = −S.
    """

    L: M
    C: M
    D: M
    shared: tuple[int, ...]
    springs: tuple[int, ...]
    conditions: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]


def _met(x: At, k: Algebra, t: Tracer) -> Met:
    """State what has met; places are counted from 1."""
    width, at, blocks = x.width, 1, list[M]()
    springs, conditions, pairs = list[int](), list[int](), list[tuple[int, int]]()
    parts, one = list[M](), k.scalar(sp.Integer(1))
    for number, (rigid, soft) in enumerate(t.ask("ties"), start=1):
        if rigid is None:
            parts.append(t.read("ca", f"_{number}", rows=soft))
            blocks.append(k.unit_matrix(soft))
            springs += range(at, at + soft)
            at += soft
            continue
        conditions += range(at, at + rigid)
        kept = [one] * rigid
        if t.ask("may_follow"):
            kept = [t.read("kept", f"_{number}_{j}") for j in range(1, rigid + 1)]
        parts += kept
        if rigid:
            blocks.append(k.diagonal(k.stack(*[one - y for y in kept])))
        at += rigid
        if soft:
            pairs += [(at + j, at + soft + j) for j in range(soft)]
            unit, none = k.unit_matrix(soft), k.zeros(soft, soft)
            kc = t.read("kc", f"_{number}", rows=soft, cols=soft)
            blocks.append(k.blocks((-kc, unit), (unit, none)))
            parts.append(k.formula(sp.ones(2 * soft, 1)))
            at += 2 * soft
    shared = range(at, at + len(t.ask("shared")))
    parts += [one] * len(shared)
    blocks += [k.zero()] * len(shared)
    L = k.zeros(width, width)
    for number in range(1, t.ask("roots") + 1):
        L = L + t.read("Lt_", f"_{number}")
    return Met(
        t.state("L0", L, TIED, "Λ", symmetric=x.even),
        t.state("C", k.diag(*blocks), TIED, "C", symmetric=x.even),
        t.state("c", k.stack(*parts), TIED, "c"),
        tuple(shared),
        tuple(springs),
        tuple(conditions),
        tuple(pairs),
    )


@traced
def exerted(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The forces ζ in the ties, where all have met, by how far harmonic loads open them."""
    width, roots = x.width, t.ask("roots")
    t.called(f"exerted_{width}_{roots}", "forces in the ties")
    found = k.zeros(width, 1)
    for number in range(1, roots + 1):
        found = found + t.read("ozt_", f"_{number}")
    of = _met(x, k, t)
    D = k.diagonal(of.D)
    zeta = t.solve("y", of.C + D @ of.L, D @ found, TIED, Policy.LU)
    x.zeta_ = M(zeta, t.known("y").tree)
    return (t.port("zeta_"),)


@traced
def met(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Every tie in turn: shared coordinates, springs, conditions, freedoms of cut hinges.

    Of a shared coordinate −Λ is the stiffness S along it, whose negative pivots count as those of
    hinges do: as a condition's, and one more. A spring c makes of the determinant 1 + c Λ times
    what it was, and of Λ, Λ − Λ c Λ/(1 + c Λ): below zero it is one eigenvalue more, or less, by
    the sign of c. A condition makes of it Λ times what it was, and counts as one less where that is
    below zero. A freedom's w and χ are two by two entries of C + Λ: one eigenvalue more less the
    negative ones of these.
    """
    width, roots, phased = x.width, t.ask("roots"), x.phased
    t.called(f"ties_{width}_{roots}{'_phased' * phased}", "ties that have met at the ground")
    of, one = _met(x, k, t), k.scalar(sp.Integer(1))
    n, logs, worst = x.nbefore + k.scalar(sp.Integer(len(of.shared))), x.lbefore, x.cbefore
    angle = x.abefore if phased else k.zero()
    places = [*of.shared, *of.springs, *of.conditions, *(j for pair in of.pairs for j in pair)]
    steps = [(1, j) for j in (*of.shared, *of.springs, *of.conditions)]
    steps += [(2, first) for first, _ in of.pairs]
    numbers = zip(of.shared, t.ask("shared"), strict=True)
    members = {j: range(1, count + 1) for j, count in numbers}
    left = part(of.L, places, places)
    if of.pairs:
        # C of springs and conditions stays apart.
        alone = len(places) - 2 * len(of.pairs)
        own = k.diag(k.zeros(alone, alone), part(of.C, places[alone:], places[alone:]))
        left = t.state("L1", left + own, TIED, "Λ1", symmetric=x.even)
    for number, (size, j) in enumerate(steps, start=1):
        rest = range(size + 1, left.value.rows + 1)
        rows = part(left, range(1, size + 1), rest)
        columns = rows.T if x.even else part(left, rest, range(1, size + 1))
        if size == 1:
            c, loose = k.entry(of.D, j, 1), k.entry(of.C, j, j)
            whole = absolute(k, loose) + absolute(k, c @ k.entry(of.L, j, j))
            if j in of.shared:
                whole = sum((t.read("so", f"_{j}_{m}") for m in members[j]), start=k.zero())
            own = t.state(f"o{number}", loose + c @ k.entry(left, 1, 1), TIED, f"o{number}")
            p = t.state(f"p{number}", own + k.scalar(SLIGHT) @ whole, TIED, f"p{number}")
            n = n - k.function(sp.sign, c) @ (one - k.function(step, p))
            taken = t.state(f"f{number}", c / p, TIED, f"f{number}") @ (columns @ rows)
        else:
            W, X, w, v = (k.entry(left, a, b) for a, b in ((1, 1), (2, 2), (1, 2), (2, 1)))
            p = t.state(f"p{number}", W @ X - w @ v, TIED, f"p{number}")
            even = k.function(step, p)
            sum_ = t.state(f"t{number}", even @ (W + X) + one - even, TIED, f"t{number}")
            n = n + even - 2 * (even @ (one - k.function(step, sum_)))
            whole = 2 * absolute(k, W @ X) + absolute(k, p)
            turned = k.blocks((X, -w), (-v, W))
            inverse = t.state(f"f{number}", turned / p, TIED, f"f{number}", symmetric=x.even)
            taken = columns @ inverse @ rows
        logs = logs + k.function(sp.log, absolute(k, p))
        worst = worst + whole / absolute(k, p)
        if phased:
            angle = angle + k.function(sp.arg, -p if j in of.shared else p)
        if rest:
            smaller, letter = part(left, rest, rest) - taken, f"Λ{number + 1}"
            left = t.state(f"L{number + 1}", smaller, TIED, letter, symmetric=x.even)
    x.below, x.logdet = n, logs
    x.worst = worst
    x.pivot = x.worst.inverse.by(sp.Matrix([1 / x.worst[0]]))
    if phased:
        x.angle = angle
        return "below", "logdet", "pivot", "angle"
    return "below", "logdet", "pivot"
