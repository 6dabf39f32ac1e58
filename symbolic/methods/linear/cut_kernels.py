"""The kernels of cut hinges about rest: what they tie, what they bear, what they exert."""

from __future__ import annotations

from ...language.program import Port
from ...mechanics.hinges import joint, tidy
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing
from .kernels import curved
from .letters import CELLS, CUT, HINGE, OF_CELLS

traced = tracing(CELLS, OF_CELLS, {})


@traced
def cut(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The ties that a cut hinge is, at the links on the `sides` that are no ground.

    Its conditions stay closed. Along its freedoms χ = H⁺ (ξ_b − ξ_a′), whose stiffness is κ_c, by
    its law and by λ_c · ∂ⱼHᵢ, and what its wrench adds to V besides is wᵀ χ of w = gᵀ ξ_a′,
    g = −½ bar(λ_c) H. Where it `bears` nothing at rest, as beside beams without loads, w is none;
    of beams with loads, `laden`, λ_c is given.
    """
    kind, sides, rigid, rates = t.ask("cut_kind"), t.ask("sides"), t.ask("rigid"), t.ask("rates")
    bears, sprung, of = t.ask("bears"), t.ask("sprung"), joint(k.d, t.ask("cut_kind"))
    label = f"{kind}_{sides}{'' if t.ask('side') else '_parent'}{'_sprung' * sprung}"
    t.called(f"cut_{label}{'' if bears else '_at_ease'}", f"cut {kind} hinge at rest")
    t.singles(of.subspace, *rates, table=t.table)
    H = along = t.abbreviate("H", k.formula(of.subspace)) if of.subspace.cols else k.zero(k.n, 0)
    measure = tidy(of.subspace.T * of.subspace).inv()
    if not measure.is_Identity:
        along = H @ t.abbreviate("N", k.formula(measure))
    axes, point = _place(x, t)
    lc = k.zero(k.n)
    if bears:
        lc = x.lc if t.ask("laden") else _exerted(x, k, t, axes, point)
    freedom, outputs = of.subspace.cols, list[str]()
    if freedom:
        total = t.read("kap", rows=freedom, cols=freedom) if sprung else k.zeros(freedom, freedom)
        if rates and bears:
            bent = curved(t.entries("lc").value, rates)
            total = total + t.state("bend", k.formula(bent), HINGE, "b", symmetric=freedom > 1)
        t.state("kc", total, CUT, "κ_c", symmetric=x.even and freedom > 1)
        outputs.append("kc")
    for side in sides:
        Q, arm = _seen(x, t, side, axes, point)
        T = k.X(arm).T @ k.both(Q)
        if freedom:
            port = Port(f"E{side.upper()}{rigid}", k.n, rigid)
            parts = [t.given(port, f"E_{side.upper()}")] if rigid else []
            g = -(k.bar(lc) @ H).half if side == "a" and bears else k.zeros(k.n, freedom)
            parts += [T @ g, -(T @ along) if side == "a" else T @ along]
            t.state(f"col{side}", k.beside(*parts), CUT, f"J_{side}")
            outputs.append(f"col{side}")
        if bears:
            t.state(f"R{side}", T @ lc if side == "a" else -(T @ lc), CUT, f"R_{side}")
            outputs.append(f"R{side}")
    return tuple(outputs)


@traced
def reacting(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """λ_c of a cut hinge that bears nothing at rest, by the forces in its columns at a side."""
    side, size = t.ask("side"), t.ask("size")
    t.called(f"reacting_{side}_{size}", "wrench of a cut hinge")
    Q, arm = _seen(x, t, side, *_place(x, t))
    columns = t.given(Port("col", k.n, size), f"J_{side}")
    own = columns @ t.read("S", rows=size, cols=x.width) @ x.zeta_
    found = k.both(Q.T) @ (k.X(-arm).T @ own)
    x.lc = found if side == "a" else -found
    return ("lc",)


def _place(x: At, t: Tracer) -> tuple[M, M]:
    """State the axes and the place of the child's point at a cut hinge."""
    axes = t.state("axes", x.Ab @ x.Kb, CUT, "B")
    return axes, t.state("point", x.xb + x.Ab @ x.rb, CUT, "x_c")


def _seen(x: At, t: Tracer, side: str, axes: M, point: M) -> tuple[M, M]:
    """State these in axes of the link at a side, from its origin."""
    A, origin = (x.Aa, x.xa) if side == "a" else (x.Ab, x.xb)
    Q = t.state(f"Q{side}", A.T @ axes, CUT, f"Q_{side}")
    return Q, t.state(f"arm{side}", A.T @ (point - origin), CUT, f"ρ_{side}")


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
