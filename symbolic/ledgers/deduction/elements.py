"""States and elements: deduction paper (1)–(5) and (13)–(22), hinges and the statements there."""

from __future__ import annotations

from functools import partial

import sympy as sp

from ...exact.ledger import Sides, ledger
from ...mechanics.bodies import generic_transfer_matrix
from ...mechanics.newton_euler import balance
from ...mechanics.vectors import Layout, skew
from ...pages.named import body_matrix, transfer_matrices
from ...plans.deduction import Factor
from ...plans.transfer import Element
from .cases import chain, display, example_2, flat, general, symbols, tree
from .theorem import Case

PAPER = "deduction"


# (1)–(3): the state


def parts(at: Case, element: Element, k: int) -> dict[str, sp.Matrix]:
    """r̈, Ω̇, m, q of a body's k-th input, k = 0 its output, from the motion."""
    end = element.output if k == 0 else element.inputs[k - 1]
    load = sp.zeros(6, 1)
    if end.point != "tip":
        load = at.system.wrench(end.point[1:], int(end.body), tuple(at.system.r(end).value))
    sign = -1 if k == 0 else 1
    return {
        "r": at.system.r(end).at(2),
        "Omega": at.system.Omega(end.body).at(1),
        "m": -sign * load[3:, :],
        "q": sign * load[:3, :],
    }


def bodies(at: Case) -> list[Element]:
    return [element for element in at.elements if element.is_body]


def state(at: Case) -> Sides:
    """The entries of a state by the layout that all matrices are made with."""
    layout = Layout(3)
    places = (layout.acceleration, layout.angular, layout.moment(), layout.force())
    for element in bodies(at):
        z = at.system.input(element)
        for entries, part in zip(places, parts(at, element, 1).values(), strict=True):
            yield z.extract(list(entries), [0]), part
    yield sp.Matrix([layout.size]), sp.Matrix([4 * 3 + 1])


def components(at: Case) -> Sides:
    """The same, component by component, by the names of the entries."""
    layout = Layout(3)
    for element in bodies(at):
        found = parts(at, element, 1)
        named = dict(zip(("ẍ", "ÿ", "z̈"), found["r"], strict=True))
        for name, axes in (("Ω̇", found["Omega"]), ("m", found["m"]), ("q", found["q"])):
            named |= {f"{name}{axis}": x for axis, x in zip("xyz", axes, strict=True)}
        z = at.system.input(element)
        labels = (named[label] for label in layout.labels if label in named)
        yield z[: len(named), :], sp.Matrix([*labels])


# (5), (13), (14): transfer and geometric equations


def transferred(at: Case) -> Sides:
    for element in at.elements:
        if len(element.inputs) == 1:
            yield at.system.output(element), at.matrices.U(element) * at.system.input(element)


def several_transferred(at: Case) -> Sides:
    for element in at.branching:
        inputs = range(1, len(element.inputs) + 1)
        terms = (at.matrices.U(element, k) * at.system.input(element, k) for k in inputs)
        yield at.system.output(element), *terms


def geometric(at: Case) -> Sides:
    for element in at.branching:
        for k in range(2, len(element.inputs) + 1):
            first = at.matrices.first_H(element, k) * at.system.input(element)
            yield at.matrices.own_H(element, k) * at.system.input(element, k), first


def comprehensive(at: Case) -> Sides:
    """[r̈ Ω̇ m q] of I₁, then [m q] of every further input, then 1, times one matrix."""
    whole = body_matrix(3, 2)
    for element in at.branching:
        if len(element.inputs) == 2:
            first, second = (parts(at, element, k) for k in (1, 2))
            z = sp.Matrix.vstack(*first.values(), second["m"], second["q"], sp.eye(1))
            out = sp.Matrix.vstack(*parts(at, element, 0).values(), sp.eye(1))
            yield out, whole.xreplace(at.matrices.data(element)) * z


# (16)–(18): rigid kinematics, Newton and Euler


def moved(at: Case, further: bool) -> Sides:
    """r̈_P = r̈_I + Ω̇ × r + Ω × (Ω × r), Ω̇_P = Ω̇_I; by the page's E₁ and E₂."""
    for element in at.branching:
        first = parts(at, element, 1)
        for k in range(2, len(element.inputs) + 1) if further else (0,):
            there, values = parts(at, element, k), at.matrices.data(element, k)
            named = at.matrices.named["H" if further else "U", "I1"]
            blocks = dict(named.blocks)
            suffix = "_Ik" if further else ""
            E1, E2 = (blocks[f"{name}{suffix}"].xreplace(values) for name in ("E1", "E2"))
            yield there["r"], first["r"], E1 * first["Omega"], E2
            yield there["Omega"], first["Omega"]


def newton_euler(at: Case) -> Sides:
    """m r̈_C = Σ q_Ik − q_O + f_C; about C, J Ω̇ + Ω × J Ω = m_O − Σ m_Ik + Σ levers × forces."""
    for element in bodies(at):
        i = int(element.name)
        body, load, system = at.system.tree.bodies[i], at.system.loads[i], at.system
        centre = system.motion.point(i, body.centre)
        ends = {0: element.output, **dict(enumerate(element.inputs, start=1))}
        found = {k: parts(at, element, k) for k in ends}
        arms = {k: system.r(end).value - centre.value for k, end in ends.items()}
        yield (
            body.mass * centre.at(2),
            _total(part["q"] for k, part in found.items() if k),
            -found[0]["q"],
            load[:3, :],
        )
        R, spin = system.motion.R(i).value, system.Omega(element.name)
        J = R * body.J * R.T
        yield (
            J * spin.at(1) + skew(spin.value) * J * spin.value,
            found[0]["m"],
            -_total(part["m"] for k, part in found.items() if k),
            _total(skew(arms[k]) * part["q"] for k, part in found.items() if k),
            -skew(arms[0]) * found[0]["q"],
            load[3:, :],
        )


def balanced(at: Case) -> Sides:
    """The balance that the matrices are solved from vanishes."""
    for element in at.branching:
        every = [parts(at, element, k) for k in range(1, len(element.inputs) + 1)]
        more = [part[name] for part in every[1:] for name in ("m", "q")]
        z_I = sp.Matrix.vstack(*every[0].values(), *more, sp.eye(1))
        z_O = sp.Matrix.vstack(*parts(at, element, 0).values(), sp.eye(1))
        yield balance(at.matrices.rigid(element), z_I, z_O), sp.zeros(12, 1)


# (19)–(22): the matrices, block by block


def first_matrix(at: Case) -> Sides:
    """E₁ … E₉ and where they stand."""
    one, zero, nil = sp.eye(3), sp.zeros(3, 3), sp.zeros(3, 1)
    for element in at.branching:
        x = at.matrices.rigid(element)
        m, r_IO, r_IC, spin = x.mass, skew(x.output), skew(x.centre), skew(x.Omega)
        J = x.inertia - m * r_IC**2
        E5 = x.force - m * spin**2 * x.centre
        E9 = -x.couple - r_IC * x.force + spin * J * x.Omega
        rows = [
            [one, -r_IO, zero, zero, spin**2 * x.output],
            [zero, one, zero, zero, nil],
            [-m * r_IO + m * r_IC, m * r_IO * r_IC + J, one, r_IO, r_IO * E5 + E9],
            [-m * one, m * r_IC, zero, one, E5],
            [nil.T, nil.T, nil.T, nil.T, sp.eye(1)],
        ]
        found = at.matrices.shown(("U", "I1"), element, 2, (3, 3, 3, 3, 1))
        at_row = 0
        for row in rows:
            stated = sp.Matrix.hstack(*row)
            yield found[at_row : at_row + stated.rows, :], stated
            at_row += stated.rows


def further_matrix(at: Case) -> Sides:
    """Of the loads at Ik alone: q to O, and m with the lever ~r_IO − ~r_IIk."""
    for element in at.branching:
        for k in range(2, len(element.inputs) + 1):
            x = at.matrices.rigid(element)
            found = at.matrices.shown(("U", "Ik"), element, k, (3, 3, 3, 3, 1))
            stated = sp.zeros(13, 13)
            stated[6:9, 6:9] = stated[9:12, 9:12] = sp.eye(3)
            stated[6:9, 9:12] = skew(x.output) - skew(x.inputs[k - 1])
            yield found, stated


def geometric_matrix(at: Case, own: bool) -> Sides:
    """[I −~r_IIk 0 0 Ω̃Ω̃ r_IIk; 0 I 0 0 0], and of Ik itself [I 0 0 0 0; 0 I 0 0 0]."""
    for element in at.branching:
        for k in range(2, len(element.inputs) + 1):
            x = at.matrices.rigid(element)
            found = at.matrices.shown(("H", "Ik" if own else "I1"), element, k, (3, 3))
            stated = sp.eye(6).row_join(sp.zeros(6, 7))
            if not own:
                lever = x.inputs[k - 1]
                stated[:3, 3:6] = -skew(lever)
                stated[:3, 12] = skew(x.Omega) ** 2 * lever
            yield found, stated


def one_input(at: Case) -> Sides:
    """(19) is the matrix of a body with one input, for any data."""
    for dimension in (2, 3):
        first, _ = transfer_matrices(dimension)
        yield first, body_matrix(dimension, 1)
    yield transfer_matrices(3)[0], sp.Matrix(generic_transfer_matrix(1))


def unknowns(at: Case) -> Sides:
    """n (L + 1) unknown of 2n (L + 1), half being known at each end, against 2n + n (L − 1)."""
    for element in at.branching:
        count = len(element.inputs)
        heads = [at.matrices.own_H(element, k) for k in range(2, count + 1)]
        transfer = at.matrices.shown(("U", "I1"), element, 2, (3, 3, 3, 3, 1)).rows - 1
        geometric = sum(head.rows for head in heads)
        unknown = at.system.n * (count + 1)
        yield sp.Matrix([unknown]), sp.Matrix([transfer]), sp.Matrix([geometric])


def hinged(at: Case) -> Sides:
    """(r̈, Ω̇)_O = X (r̈, Ω̇)_I + H σ̇ + γ."""
    for element in at.elements:
        if element.freedoms:
            U, z = at.matrices.U(element), at.system.input(element)
            moved, _, _, s, one = at.system.pieces
            terms = (U[moved, piece] * z[piece, :] for piece in (moved, s, one))
            yield at.system.output(element)[moved, :], *terms


def driven(at: Case) -> Sides:
    """Hᵀ (−q, m) + τ = 0."""
    for element in at.elements:
        if element.freedoms:
            G, z = at.matrices.of(Factor("G", element.index(1))), at.system.output(element)
            _, m, q, _, one = (G[:, piece] * z[piece, :] for piece in at.system.pieces)
            yield -one, m, q
            yield G * z, sp.zeros(element.freedoms, 1)


def _total(columns) -> sp.Matrix:  # type: ignore[no-untyped-def]
    first, *rest = columns
    return sum(rest, first)


anywhere = (tree, chain, general, example_2, flat)
own = partial(ledger(PAPER, *anywhere), symbols=symbols)
text = partial(ledger(PAPER, tree), kind="text", symbols=symbols)

ENTRIES = (
    display("1", "state of an end in space", state, "z = [r̈ᵀ Ω̇ᵀ mᵀ qᵀ 1]ᵀ"),
    display(
        "2", "its components", components, "z = [ẍ ÿ z̈ Ω̇_x Ω̇_y Ω̇_z m_x m_y m_z q_x q_y q_z 1]ᵀ"
    ),
    display("3", "its parts", components, "r̈ = [ẍ ÿ z̈]ᵀ, Ω̇ = …, m = …, q = [q_x q_y q_z]ᵀ"),
    display("5", "transfer equation of an element", transferred, "z_O = U z_I", instants=anywhere),
    display(
        "13",
        "transfer equation of a body with several inputs",
        several_transferred,
        "z_O = Σ U_Ik z_Ik",
        instants=(tree, general, example_2),
    ),
    display(
        "14",
        "its geometric equations",
        geometric,
        "H_I1 z_I1 = H_Ik z_Ik, k = 2, …, L",
        instants=(tree, general, example_2),
    ),
    text(
        "below 13",
        "unknowns of a body outnumber its transfer equation; the geometric equations fill it up",
        unknowns,
        "n (L + 1) = 2n + n (L − 1)",
    ),
    display("15", "states of all its ends", comprehensive, "[z_I1; m_I2; q_I2; …] to z_O"),
    display(
        "16",
        "acceleration of the output from the first input's",
        partial(moved, further=False),
        "r̈_O = r̈_I1 − ~r_IO Ω̇ + Ω̃Ω̃ r_IO, Ω̇_O = Ω̇_I1",
    ),
    display(
        "17",
        "acceleration of a further input from the first one's",
        partial(moved, further=True),
        "r̈_Ik = r̈_I1 − ~r_IIk Ω̇ + Ω̃Ω̃ r_IIk, Ω̇_Ik = Ω̇_I1",
    ),
    display(
        "18",
        "Newton's and Euler's law",
        newton_euler,
        "m r̈_C = Σ q_Ik − q_O + f_C; J Ω̇ + Ω̃ J Ω = m_O − Σ m_Ik + Σ ~r_CIk q_Ik − ~r_CO q_O + m_C",
    ),
    display("18, solved", "the balance that (19) and (20) are solved from", balanced),
    display("19", "U_I1", first_matrix, "rows [I E1 0 0 E2], …, E1 = −~r_IO, …, E9"),
    text("below 19", "U of one input is U_I1", one_input, "U = U_I1"),
    display("20", "U_Ik", further_matrix, "rows m: [0 0 I ~r_IO − ~r_IIk 0], q: [0 0 0 I 0]"),
    display(
        "21",
        "H_I1",
        partial(geometric_matrix, own=False),
        "[I −~r_IIk 0 0 Ω̃Ω̃ r_IIk; 0 I 0 0 0]",
    ),
    display("22", "H_Ik", partial(geometric_matrix, own=True), "[I 0 0 0 0; 0 I 0 0 0]"),
    own("hinge", "a hinge's matrix", hinged, "a_O = X a_I + H σ̇ + γ", kind="own"),
    own("hinge, row", "what drives a hinge", driven, "Hᵀ (−q, m) + τ = 0", kind="own"),
)
