"""What the named matrices of the overall equation are, entry by entry, for element j.

Bodies' matrices are those derived from Newton's and Euler's law (`body`), a beam's those of its
balance (`beam`); a hinge's follow from its motion subspace H and its bias, of the output end
against the input end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from ..mechanics import beams as beam
from ..mechanics.beams import Functions
from ..mechanics.bodies import Coefficients, coefficients, generic_transfer_matrix
from ..mechanics.hinges import joint
from ..mechanics.newton_euler import generic
from ..mechanics.planar import in_plane, reduce
from ..mechanics.space import Space
from ..mechanics.vectors import Layout
from ..methods.riccati.dialect import wrench_to_loads
from ..plans.deduction import CUT, Factor, OverallEquation
from ..plans.transfer import Element

UNIT, ZERO = sp.Symbol("unit", commutative=False), sp.S.Zero
EXTENDED = "extended state"


@dataclass(frozen=True)
class Named:
    """A named matrix: `matrix` in numbers and symbols, or in the `blocks` that follow.

    `equation`: its numbers in the deduction paper, or "own".
    """

    factor: Factor
    equation: str
    title: str
    matrix: sp.Matrix
    blocks: tuple[tuple[str, sp.Matrix], ...] = ()


def named_matrices(equation: OverallEquation) -> tuple[Named, ...]:
    """The kinds of matrices that an overall equation names, each once.

    Units
        SI.
    Frame
        Inertial axes; r from I₁; of a hinge d from its input to its output end. J about I₁.
    Sign
        The paper's: +q, −m act on an element at an input, −q, +m at its output.
    Source
        Deduction paper (13)–(22), (34), (35) and its extended state of beams; hinges own.
    """
    elements = equation.transfer.elements
    dimension = equation.transfer.model.dimension
    bodies = {min(len(element.inputs), 2) for element in elements if element.kind == "body"}
    found = [*_bodies(dimension, bodies)] if bodies else []
    beams = {min(len(element.inputs), 2) for element in elements if element.is_beam}
    shortens = any(x.foreshortening for x in equation.transfer.model.beams)
    found += _beams(beams, shortens)
    hinges = [element for element in elements if not element.is_body]
    if hinges:
        found += _hinges(dimension, equation, any(hinge.freedoms for hinge in hinges))
    if any(not pair.ring for pair in equation.transfer.pairs):
        title = "both ends of a cut are inputs; blocks (r̈, Ω̇), (m, q), s, 1"
        found.append(Named(CUT, "(34), (35)", title, sp.diag(UNIT, -UNIT, UNIT, 1)))
    return tuple(found)


def body_matrix(dimension: int, inputs: int) -> sp.Matrix:
    """The matrix of a body's comprehensive input state, one symbol for each datum."""
    if dimension == 2:
        f_x, f_y, *_ = generic().force
        spin = generic().Omega[2] ** 2 * generic().mass
        return reduce(in_plane(inputs), inputs).applyfunc(lambda x: sp.collect(x, (f_x, f_y, spin)))
    return sp.Matrix(generic_transfer_matrix(inputs))


def transfer_matrices(dimension: int) -> tuple[sp.Matrix, sp.Matrix]:
    """U_I1 and U_I2 of a body, each with the columns of a whole state (19), (20).

    A further input brings moment and force alone.
    """
    whole, layout, end = body_matrix(dimension, 2), Layout(dimension, 2), Layout(dimension)
    n = layout.motions
    first = whole.extract(range(end.size), [*range(2 * n), layout.one])
    second = sp.zeros(end.size, end.size)
    second[:, n : 2 * n] = whole[:, 2 * n : 3 * n]
    return first, second


def geometric_matrices(dimension: int) -> tuple[sp.Matrix, sp.Matrix]:
    """H_I1 of the second input, and H_I2 (21), (22)."""
    body = generic(2)
    moved = dict(zip(body.output, body.inputs[1], strict=True))
    n = Layout(dimension).motions
    rows = body_matrix(dimension, 1)[:n, :].xreplace(moved)
    if dimension == 2:
        rows = rows.xreplace({body.inputs[1][2]: ZERO})
    return rows, sp.eye(n).row_join(sp.zeros(n, n + 1))


def _bodies(dimension: int, inputs: set[int]) -> Iterator[Named]:
    first, second = transfer_matrices(dimension)
    H_first, H_second = geometric_matrices(dimension)
    c = coefficients(body_matrix(dimension, 2), Layout(dimension, 2))
    plane = dimension == 2
    several = "body with several inputs, from its first one"
    if 2 not in inputs:
        yield _body_named(Factor("U", ("j",)), "body with one input", first, c, plane)
    else:
        title = f"{several}; U of a body with one input is the same" if 1 in inputs else several
        yield _body_named(Factor("U", ("j", "I1")), title, first, c, plane)
        lever = ("E_Ik", c.E_I[0])
        E6, E_Ik = (sp.Symbol(name, commutative=False) for name in ("E6", "E_Ik"))
        matrix = _block({(2, 2): UNIT, (2, 3): E6 + E_Ik, (3, 3): UNIT}, 5)
        yield Named(
            Factor("U", ("j", "Ik")),
            "(13), (20)",
            "from its further inputs, k = 2, …; I2 stands for Ik",
            second if plane else matrix,
            () if plane else (lever,),
        )
        E1, E2 = (sp.Symbol(name, commutative=False) for name in ("E1_Ik", "E2_Ik"))
        matrix = _block({(0, 0): UNIT, (1, 1): UNIT, (0, 1): E1, (0, 4): E2}, 2)
        named = coefficients(_moved(dimension), Layout(dimension))
        yield Named(
            Factor("H", ("j", "I1")),
            "(14), (17), (21)",
            "acceleration of input k from that of the first",
            H_first if plane else matrix,
            () if plane else (("E1_Ik", named.E1), ("E2_Ik", named.E2)),
        )
        yield Named(
            Factor("H", ("j", "Ik")),
            "(14), (22)",
            "acceleration of input k as its own state has it",
            H_second if plane else _block({(0, 0): UNIT, (1, 1): UNIT}, 2),
        )


def _moved(dimension: int) -> sp.Matrix:
    body = generic(2)
    return body_matrix(dimension, 1).xreplace(dict(zip(body.output, body.inputs[1], strict=True)))


def _block(entries: dict[tuple[int, int], sp.Expr], rows: int) -> sp.Matrix:
    """A matrix of blocks in the columns r̈, Ω̇, m, q, 1."""
    return sp.Matrix(rows, 5, lambda i, j: entries.get((i, j), ZERO))


def _body_named(
    factor: Factor, title: str, matrix: sp.Matrix, c: Coefficients, plane: bool
) -> Named:
    equation = "(13), (16), (18), (19)"
    E = [sp.Symbol(f"E{k}", commutative=False) for k in range(10)]
    if plane:
        # The one entry that is too long for a page is named as the paper names its parts.
        matrix = matrix.copy()
        matrix[3, 6] = E[6] * E[5] + E[9]
        return Named(factor, equation, title, matrix, (("E5", c.E5), ("E6", c.E6), ("E9", c.E9)))
    rows = [
        [UNIT, E[1], 0, 0, E[2]],
        [0, UNIT, 0, 0, 0],
        [E[6] * E[3] + E[7], E[6] * E[4] + E[8], UNIT, E[6], E[6] * E[5] + E[9]],
        [E[3], E[4], 0, UNIT, E[5]],
        [0, 0, 0, 0, 1],
    ]
    blocks = tuple((f"E{k}", getattr(c, f"E{k}")) for k in range(1, 10))
    return Named(factor, equation, title, sp.Matrix(rows), blocks)


def _beams(inputs: set[int], shortens: bool) -> Iterator[Named]:
    """Matrices of beams, in blocks with the columns (r̈, Ω̇), (m, q), η̈, 1."""
    if not inputs:
        return
    Pi, L, X, Y, bias, L_k, X_k, Y_k, bias_k = (
        sp.Symbol(name, commutative=False)
        for name in ("Pi", "L_O", "X_O", "Y_O", "gamma_O", "L_Ik", "X_Ik", "Y_Ik", "gamma_Ik")
    )
    M_aa, M_ae, M_ea, M_ee, p_a, p_e = (
        sp.Symbol(name, commutative=False)
        for name in ("M_aa", "M_aη", "M_ηa", "M_ηη", "p_a", "p_η")
    )
    W, W_k = (sp.Symbol(name, commutative=False) for name in ("W_O", "W_Ik"))
    inertia = [L * Pi * M_aa, L, L * Pi * M_ae, L * Pi * p_a]
    whole = sp.Matrix([[X, 0, Y, bias], inertia, [0, 0, UNIT, 0], [0, 0, 0, 1]])
    several = 2 in inputs
    index = ("j", "I1") if several else ("j",)
    first = "beam, from its first input" if several else "beam"
    yield Named(
        Factor("U", index),
        EXTENDED,
        f"{first}: columns and rows are (r̈, Ω̇), (m, q), η̈, 1; of all other entries of s the "
        "unit matrix. (r̈, Ω̇) at O is X_O (r̈, Ω̇) + Y_O η̈ + γ_O of those at I1, M (r̈, Ω̇, η̈) + p "
        "the balance with I1’s. Below for one axial and one bending function (q1, q2, their "
        f"speeds u1, u2; frame’s spin w; with{'' if shortens else 'out'} foreshortening), I1 at "
        "ξ = 0 and O at ξ = 1, axes of the floating frame at I1; gravity and external loads, left "
        "out of it, enter p too",
        whole,
        beam_blocks(Functions(1, 1, shortens)),
    )
    yield Named(
        Factor("G", index),
        EXTENDED,
        "modal rows of a beam: what drives η̈, at the input; columns are (r̈, Ω̇), (m, q), η̈, 1; "
        "W_O = −Y_Oᵀ Πᵀ L_O",
        sp.Matrix([[M_ea + W * Pi * M_aa, W, M_ee + W * Pi * M_ae, p_e + W * Pi * p_a]]),
    )
    if several:
        yield Named(
            Factor("U", ("j", "Ik")),
            EXTENDED,
            "beam, from its further inputs, k = 2, …; L_Ik as L_O, from Ik",
            sp.Matrix(4, 4, lambda i, j: L_k if i == j == 1 else ZERO),
        )
        yield Named(
            Factor("G", ("j", "Ik")),
            EXTENDED,
            "what the loads at its further inputs add to the modal rows; "
            "W_Ik = Y_Ikᵀ Πᵀ − Y_Oᵀ Πᵀ L_Ik",
            sp.Matrix([[0, W_k, 0, 0]]),
        )
        title = "acceleration of a beam’s input k from that of the first; X_Ik … as X_O …, at Ik"
        yield Named(Factor("H", ("j", "I1")), EXTENDED, title, sp.Matrix([[X_k, 0, Y_k, bias_k]]))
        title = "acceleration of a beam’s input k as its own state has it"
        yield Named(Factor("H", ("j", "Ik")), EXTENDED, title, sp.Matrix([[UNIT, 0, 0, 0]]))


def beam_blocks(functions: Functions) -> tuple[tuple[str, sp.Matrix], ...]:
    """The blocks of a beam's U and G from its end ξ = 0 to ξ = 1, in the floating frame's axes."""
    of, Pi = beam.balance(functions), wrench_to_loads(2)
    J, bias = beam.section(functions, sp.Integer(1))
    X, Y = J[:, :3], J[:, 3:]
    L = Pi * X.inv().T * Pi.T
    return (
        ("X_O", X),
        ("Y_O", Y),
        ("gamma_O", bias),
        ("L_O", L),
        ("Pi", Pi),
        ("W_O", -Y.T * Pi.T * L),
        ("M", of.M),
        ("p", of.p),
    )


def _hinges(dimension: int, equation: OverallEquation, open_: bool) -> Iterator[Named]:
    X, Y, H, bias = (sp.Symbol(name, commutative=False) for name in ("X", "Y", "H", "gamma"))
    H_r, H_w, tau = (sp.Symbol(name, commutative=False) for name in ("H_rT", "H_OmegaT", "tau"))
    shift, lever = hinge_blocks(dimension)
    yield Named(
        Factor("U", ("j",)),
        "own",
        "hinge; columns and rows are (r̈, Ω̇), (m, q), s, 1"
        + (
            "; H stands at the hinge’s own entries of s, a fixed or driven one has none"
            if open_
            else ""
        ),
        sp.Matrix([[X, 0, H if open_ else 0, bias], [0, Y, 0, 0], [0, 0, UNIT, 0], [0, 0, 0, 1]]),
        (("X", shift), ("Y", lever)),
    )
    if open_:
        rotors = any(equation.hinges[e.name].rotor for e in equation.auxiliaries if not e.is_body)
        rotor, load = (sp.Symbol(name, commutative=False) for name in ("rho", "σ"))
        entry = (-rotor if rotors else ZERO) + (load if equation.couplings else ZERO)
        title = "row of a hinge: Hᵀ (−q, m) + τ = 0; columns are (r̈, Ω̇), m, q, s, 1"
        if rotors:
            title += "; −ρ, its rotor’s inertia, stands at the hinge’s own entries of s"
        if equation.couplings:
            title += "; σ at the loads of its couplings: 1 where it follows, −r where it leads"
        yield Named(Factor("G", ("j",)), "own", title, sp.Matrix([[0, H_w, -H_r, entry, tau]]))
    if equation.couplings:
        title = (
            "row of a coupling: the hinge follows another by the ratio r; columns are (r̈, Ω̇), "
            "m, q, s, 1; σ is 1 at its own entry of s, −r at the other’s"
        )
        condition = sp.Symbol("σ", commutative=False)
        yield Named(Factor("K", ("j",)), "own", title, sp.Matrix([[0, 0, 0, condition, 0]]))


def hinge_blocks(dimension: int) -> tuple[sp.Matrix, sp.Matrix]:
    """X of (r̈, Ω̇), and what a massless hinge does to (m, q): m_O = m_I + d × q."""
    space = Space(dimension)
    arm = sp.Matrix([sp.Symbol(f"d_{axis}", real=True) for axis in "xyz"[:dimension]])
    lever = sp.eye(space.motion)
    lever[: space.spins, space.spins :] = space.tilde(arm)
    return space.shift(arm), lever


def forward(element: Element, equation: OverallEquation) -> bool:
    """Whether a hinge is passed from its parent to its child."""
    hinges = {hinge.name: hinge for hinge in equation.transfer.model.hinges}
    return element.output == hinges[element.name].ends[1]


def subspace(dimension: int, kind: str, from_parent: bool) -> sp.Matrix:
    """H of a hinge's output end against its input end, a column for each of its speeds' rates.

    Frame
        Axes of the output end's point (the plane's Ω has none).
    Source
        Own, by differentiation of the relative pose.
    """
    relative = joint(dimension, kind)
    return relative.subspace if from_parent else relative.backward_subspace
