"""The kernels of derivatives in closed loops: of what is on the right, at given accelerations."""

from __future__ import annotations

from ...language.letters import letters
from ...mechanics.letters import FACTS
from ...mechanics.matrices import Algebra
from ...mechanics.traced import At, Tracer, tracing
from ...tree import cut_kernels
from ...tree.cut_kernels import CUTS, opened
from ...tree.loop_kernels import multiplied

BORNE = "λ = E μ"
RATE = "own: second rate of the conditions, Eᵀ a of both bodies and what needs no acceleration"
RIGHT = "M ∂a + Jᵀ ∂μ = ∂τ − ∂(M a + h + Jᵀ μ), J ∂a = −∂(J a + ψ)"

ANSWERS = letters(f"""
    a      | a | 1 | | acceleration along a speed
    ratio  | r | 1 | | ratio of a coupling
    psi    | ψ | 1 | {RATE} | second rate of a condition
    x      | x | 1 | | how a number varies along a direction
    push_  | ∂τ | f | {RIGHT} | forces of a hinge, varied
    opens_ | ∂ψ | f | {RIGHT} | second rates of a cut, varied
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
def pushed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's forces as they vary: less what the accelerations need."""
    count = x.count
    t.called(f"pushed_{count}", "how the forces of a hinge vary")
    t.state("push_", -t.numbers("x", count=count), RIGHT)
    return (t.port("push_"),)


@answering
def opens(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A cut's second rates as they vary, at given accelerations."""
    count = x.count
    t.called(f"opens_{count}", "how the second rates of a cut vary")
    t.state("opens_", t.numbers("x", count=count), RIGHT)
    return (t.port("opens_"),)


@answering
def unit(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's forces along one of its own."""
    count, place = x.count, t.ask("place")
    t.called(f"unit_{count}_{place + 1}", "a unit force of a hinge")
    t.state("push_", k.unit(count, place), RIGHT)
    return (t.port("push_"),)
