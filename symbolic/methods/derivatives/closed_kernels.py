"""The kernels of derivatives in closed loops: conditions at given accelerations, and the system."""

from __future__ import annotations

from ...language.letters import letters
from ...language.words import counted
from ...mechanics.letters import FACTS
from ...mechanics.matrices import Algebra, part
from ...mechanics.traced import At, Tracer, tracing
from ...tree import cut_kernels
from ...tree.cut_kernels import CUTS, opened
from ...tree.loop_kernels import multiplied

BORNE = "λ = E μ"
RATE = "own: second rate of the conditions, Eᵀ a of both bodies and what needs no acceleration"
CLOSED = "own: J M⁻¹ Jᵀ μ = J a + ψ"
CLOSING = "∂a = X − Z (J X + ∂(J a + ψ))"


ANSWERS = letters(f"""
    a     | a | 1 | | acceleration, or how it varies, along a speed
    ratio | r | 1 | | ratio of a coupling
    psi   | ψ | 1 | {RATE} | second rate of a condition
    more  | y | 1 | | what is added
    j     | J | 1 | | slope of a condition along a speed
    x     | x | 1 | {CLOSED} | what there is along a speed, or what Λ is solved for
    value | z | 1 | {CLOSED} | the sum
    L     | Λ | 1 | | entry of Λ = J M⁻¹ Jᵀ
    demand | f | 1 | | J a + ψ without multipliers
    Y     | Y | 1 | | entry of J M⁻¹
    d     | d | 1 | | what Λ’s diagonal would be at full lever
    mu    | μ | 1 | {CLOSED} | multiplier of a condition
    Z     | Z | 1 | {CLOSED} | entry of M⁻¹ Jᵀ Λ⁺
    tau   | τ | 1 | | force along a speed
    bias  | h | 1 | | force that no acceleration needs
    X     | X | 1 | | how an acceleration varies with its loops open
    opens | ψ | 1 | | how the second rate of a condition varies by itself
    J     | J | 1 | | slope of a condition along a speed
    w     | w | 1 | {CLOSING} | how loops open
""")

answering = tracing(ANSWERS, FACTS, {})


AT_GIVEN = CUTS | letters(f"""
    bias | β  | w | | second rates of the conditions without accelerations
    acc | a   | n | | acceleration of the body on a side, given
    psi | ψ   | 1 | {RATE} | second rate of a condition
    W   | W   | n | {BORNE} | wrench of the cut hinge on the body on a side
""")

given = tracing(AT_GIVEN, cut_kernels.FACTS, {})


@given
def second_rate(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The second rates of a cut's conditions, at accelerations of the bodies on its `sides`."""
    count, sides = t.ask("width"), t.ask("sides")
    t.called(f"second_rate_{count}_{sides}", f"second rates of {counted(count, 'condition')}")
    rates = x.bias
    for side in sides:
        rates = rates + t.read("E", side).T @ t.read("acc", side)
    return t.each("psi", rates)


@given
def felt(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A cut hinge at given accelerations and multipliers.

    Gives the second rates of its conditions, and the wrenches −E μ on the bodies on its `sides`.
    """
    cut, sides = x.cut, t.ask("sides")
    t.called(f"cut_{cut.name}_felt_{sides}", f"cut {cut.kind} hinge, at given accelerations")
    opened(x, k, t)
    mu = multiplied(t)
    rates, columns = x.bias_, {"A": x.EA_, "B": x.EB_}
    for side in sides:
        rates = rates + columns[side].T @ t.read("acc", side)
        t.state("W", -(columns[side] @ mu), mark=side)
    return *t.each("psi", rates), *(f"W{side}" for side in sides)


@answering
def coupled_rate(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The second rate of a coupling's condition."""
    t.called("coupled_rate", "second rate of a coupling")
    own, other = (At(t, f"_{i}").a for i in (1, 2))
    x.psi = own - x.ratio @ other
    return ("psi",)


@answering
def product(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A condition's slopes times what there is along as many speeds, and more."""
    terms = t.ask("terms")
    t.called(f"product_{terms}", f"{counted(terms, 'slope')} of a condition")
    value = x.more
    for y in (At(t, f"_{i}") for i in range(1, terms + 1)):
        value = value + y.j @ y.x
    x.value = value
    return ("value",)


@answering
def closed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Multipliers μ = Λ⁺ (J a + ψ), and Z = M⁻¹ Jᵀ Λ⁺ as its columns, of minimum norm."""
    every, speeds = range(1, t.ask("conditions") + 1), range(1, t.ask("speeds") + 1)
    t.called("closed", "multipliers, and how accelerations answer to conditions")
    upper = {(i, j): At(t, f"_{i}_{j}").L for i in every for j in every if i <= j}
    L = k.blocks(*([upper[min(i, j), max(i, j)] for j in every] for i in every))
    demand = t.numbers("demand", count=len(every))
    Y = k.blocks(*([At(t, f"_{i}_{r}").Y for r in speeds] for i in every))
    t.solve("x", L, k.beside(demand, Y), CLOSED, reach=t.numbers("d", count=len(every)))
    names = []
    for i in every:
        names.append(f"mu_{i}")
        At(t, f"_{i}").mu = part(t.known("x"), [i], [1])
        for r in speeds:
            names.append(f"Z_{i}_{r}")
            At(t, f"_{i}_{r}").Z = part(t.known("x"), [i], [r + 1])
    return tuple(names)


@answering
def held(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What drives a speed: τ less what no acceleration needs, and less the multipliers' part."""
    terms = t.ask("terms")
    t.called(f"held_{terms}", f"force with {counted(terms, 'multiplier')}")
    value = x.tau - x.bias
    for y in (At(t, f"_{i}") for i in range(1, terms + 1)):
        value = value - y.j @ y.mu
    t.state("value", value, "M a + h + Jᵀ μ = τ")
    return ("value",)


@answering
def closing(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """∂a = X − Z (J X + ∂ψ) of a column; `opening` has by condition the speeds that open it."""
    opening, speeds = t.ask("opening"), range(1, t.ask("speeds") + 1)
    t.called("closing", "a column with its loops closed")
    X = {r: At(t, f"_{r}").X for r in speeds}
    for i, rows in enumerate(opening, start=1):
        value = At(t, f"_{i}").opens
        for r in rows:
            value = value + At(t, f"_{i}_{r + 1}").J @ X[r + 1]
        At(t, f"_{i}").w = value
    for r in speeds:
        value = X[r]
        for i in range(1, len(opening) + 1):
            value = value - At(t, f"_{i}_{r}").Z @ At(t, f"_{i}").w
        t.state("a", value, CLOSING, mark=f"_{r}")
    return tuple(f"a_{r}" for r in speeds)
