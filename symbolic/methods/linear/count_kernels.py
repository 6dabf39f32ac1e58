"""The kernels of what the linear method counts: pivots below zero, and the sizes beside them.

By Sylvester's law of inertia the negative pivots are the eigenvalues below ω². How small a pivot
is, is said of what it would be made of if nothing in it cancelled.
"""

from __future__ import annotations

import sympy as sp

from ....model.expressions.functions import step
from ...language.words import counted
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing
from .kernels import absolute, length
from .letters import ASKED, LINEAR, PARENTS, PIVOT, SIZE

#: What keeps sizes from being zero where ω² is, in 1/s².
FLOOR = sp.Rational(1, 10**30)

traced = tracing(LINEAR, ASKED, PARENTS)


@traced
def gathered(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The sizes of what Z of a link is made of: of masses by ω², springs, and forces at rest."""
    inputs, pushes = x.input_count, x.push_count
    label = f"{inputs}{f'_pushed_{pushes}' if pushes else ''}"
    label += "".join(f"_sprung_{number}" for number in x.springs) + "_spun" * x.spins
    t.called(f"sized_{label}", f"sizes of a body with {counted(inputs, 'input')}")
    m, h, nu, g = x.m, x.h, x.omega2, x.g
    size = t.state("sizenu", absolute(k, nu) + k.scalar(FLOOR), SIZE, "ν_a")
    a, b = size @ m, size @ (x.J if k.d == 2 else k.trace(x.J))
    if x.spins:
        b = b + absolute(k, x.s) @ length(k, x.hW)
    pull = t.state("sizeg", length(k, g), SIZE, "g_a")
    force, moment = m @ pull, length(k, h) @ pull
    for y in x.inputs:
        a, b, force, moment = a + y.sat, b + y.sbt, force + y.sft, moment + y.smt
    for y in x.by:
        force, moment = force + y.sl, moment + y.sn
    for number in x.springs:
        a, b = a + t.read("sla", f"_{number}"), b + t.read("slb", f"_{number}")
    x.sa, x.sb, x.sf, x.sm = a, b, force, moment
    return "sa", "sb", "sf", "sm"


@traced
def sizes(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What D along each freedom would be made of, and the sizes at the parent's origin.

    A shift by r makes of the size b of a turn b + a |r|, as it is of masses in a line.
    """
    freedom = x.freedom
    added = [word for word in ("stiff", "rotor") if t.ask(word)] if freedom else []
    kind = f"{freedom}{''.join(f'_{word}' for word in added)}"
    t.called(f"sizes_{kind}", f"sizes along {counted(freedom, 'freedom')}")
    a, b, force, moment, r = x.sa, x.sb, x.sf, x.sm, x.r
    ab = t.state("ab", k.function(sp.sqrt, a @ b), SIZE)
    outputs = list[str]()
    if freedom:
        H = x.H_
        found = []
        for j in range(1, freedom + 1):
            v, w = length(k, k.lin(k.column(H, j))), length(k, k.ang(k.column(H, j)))
            v = t.state(f"v{j}", v, SIZE, f"v{j}")
            w = t.state(f"w{j}", w, SIZE, f"w{j}")
            size = a @ v**2 + 2 * (ab @ (v @ w)) + b @ w**2 + (moment @ w + force @ v) @ w
            if x.stiff:
                size = size + absolute(k, k.entry(x.kap_, j, j))
            if x.rotor:
                size = size + absolute(k, x.omega2) @ k.entry(x.rho, j, 1)
            found.append(size)
        x.size_ = k.stack(*found)
        outputs += [t.port("size_")]
    arm = t.state("arm", length(k, r), SIZE)
    x.sat, x.sft = a, force
    x.sbt = b + 2 * (ab @ arm) + a @ arm**2
    x.smt = moment + force @ arm
    return *outputs, "sat", "sbt", "sft", "smt"


@traced
def pivots(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The pivots of D along the freedoms of a hinge."""
    t.called(f"pivots_{x.freedom}", f"pivots of {counted(x.freedom, 'freedom')}")
    x.piv_ = pivots_of(x.D_, k, t, x.even)
    return (t.port("piv_"),)


def pivots_of(whole: M, k: Algebra, t: Tracer, even: bool = True) -> M:
    """The pivots of a matrix: the first entries of what is left of it, one by one."""
    left, found, freedom = whole, [], whole.value.rows
    for j in range(1, freedom + 1):
        first = k.entry(left, 1, 1)
        found.append(first)
        if j < freedom:
            rest = range(2, left.value.rows + 1)
            row = part(left, [1], rest)
            column = row.T if even else part(left, rest, [1])
            smaller = part(left, rest, rest) - column @ first.inverse @ row
            value = part(left, rest, rest).value - column.value * row.value / first.value[0]
            left = t.state(f"L{j + 1}", smaller.by(value), PIVOT, symmetric=even)
    return k.stack(*found)


@traced
def counted_up(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Pivots below zero, log |d| and δ/|d|, added to those of the links before."""
    freedom, last, phased = x.freedom, t.ask("last"), x.phased
    t.called(
        f"count_{freedom}{'_phased' * phased}{'_last' if last else ''}", "negative pivots, counted"
    )
    d, size = x.piv_, x.size_
    n, logs, worst = x.nbefore, x.lbefore, x.cbefore
    angle = x.abefore if phased else k.zero()
    for j in range(1, freedom + 1):
        own = k.entry(d, j, 1)
        n = n + (k.scalar(sp.Integer(1)) - k.function(step, own))
        logs = logs + k.function(sp.log, absolute(k, own))
        worst = worst + k.entry(size, j, 1) / absolute(k, own)
        if phased:
            angle = angle + k.function(sp.arg, own)
    x.below, x.logdet, x.worst = n, logs, worst
    outputs = ["below", "logdet", "worst"]
    if phased:
        x.angle = angle
        outputs.append("angle")
    if last:
        x.pivot = x.worst.inverse.by(sp.Matrix([1 / x.worst[0]]))
        outputs.append("pivot")
    return tuple(outputs)
