"""What the named matrices of the overall equation are, entry by entry, for element j.

A body's matrices stand block by block as the kernel of (8) states them, their blocks as Newton's
and Euler's law give them; a beam's are those of its balance. A hinge's follow from what its kernel
does, from its motion subspace H and its bias, of the output end against the input end.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from ..language.program import Kernel, Let
from ..language.written import Equation, Tree, constant
from ..mechanics import beams as beam
from ..mechanics.beams import Functions
from ..mechanics.bodies import coefficients
from ..mechanics.hinges import joint
from ..mechanics.newton_euler import generic
from ..mechanics.planar import body_matrix
from ..mechanics.vectors import Layout
from ..methods.overall.kernels import across
from ..methods.riccati.dialect import wrench_to_loads
from ..methods.riccati.letters import transfer
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


def block_matrix(kernel: Kernel, word: str) -> sp.Matrix:
    """A matrix that a kernel states block by block: a symbol for each E, all else inserted."""
    equations = {x.port.name: x.equation for x in kernel.statements}
    stated = {name: x.tree for name, x in equations.items() if isinstance(x, Equation)}
    whole = stated[word]
    assert isinstance(whole, ast.List)

    def of(tree: Tree) -> sp.Expr:
        match tree:
            case ast.Constant():
                return sp.Integer(constant(tree))
            case ast.Name():
                if tree.id == "one":
                    return UNIT
                return _symbol(tree.id) if tree.id.startswith("E") else of(stated[tree.id])
            case ast.BinOp(op=ast.Mult()):
                return of(tree.left) * of(tree.right)
            case ast.BinOp(op=ast.Add()):
                return of(tree.left) + of(tree.right)
        raise ValueError(f"no sum of products of blocks: {ast.dump(tree)}")

    return sp.Matrix([[of(x) for x in row.elts] for row in whole.elts if isinstance(row, ast.List)])


def _symbol(name: str) -> sp.Symbol:
    return sp.Symbol(name, commutative=False)


def _bodies(dimension: int, inputs: set[int]) -> Iterator[Named]:
    kinds = {"dimension": dimension, "forced": False, "linked": True, "push_count": 0}
    whole = block_matrix(transfer.of(**kinds, input_count=2), "U")
    first = whole.extract(range(5), [0, 1, 2, 3, 6])
    c = coefficients(body_matrix(dimension, 2), Layout(dimension, 2))
    several = "body with several inputs, from its first one"
    title = f"{several}; U of a body with one input is the same" if 1 in inputs else several
    index: tuple[str, ...] = ("j", "I1")
    if 2 not in inputs:
        title, index = "body with one input", ("j",)
    blocks = tuple((f"E{k}", getattr(c, f"E{k}")) for k in range(1, 10))
    yield Named(Factor("U", index), "(13), (16), (18), (19)", title, first, blocks)
    if 2 not in inputs:
        return
    loads = sp.zeros(5, 5)
    loads[:, 2:4] = whole[:, 4:6].xreplace({_symbol("E_I2"): _symbol("E_Ik")})
    title = "from its further inputs, k = 2, …; I2 stands for Ik"
    yield Named(Factor("U", ("j", "Ik")), "(13), (20)", title, loads, (("E_Ik", c.E_I[0]),))
    moved = coefficients(_moved(dimension), Layout(dimension))
    at_k = tuple((f"{name}_Ik", getattr(moved, name)) for name in ("E1", "E2"))
    yield Named(
        Factor("H", ("j", "I1")),
        "(14), (17), (21)",
        "acceleration of input k from that of the first",
        first[:2, :].xreplace({_symbol(name): _symbol(f"{name}_Ik") for name in ("E1", "E2")}),
        at_k,
    )
    yield Named(
        Factor("H", ("j", "Ik")),
        "(14), (22)",
        "acceleration of input k as its own state has it",
        first[:2, :].xreplace({_symbol(name): ZERO for name in ("E1", "E2")}),
    )


def _moved(dimension: int) -> sp.Matrix:
    body = generic(2)
    return body_matrix(dimension, 1).xreplace(dict(zip(body.output, body.inputs[1], strict=True)))


def _beams(inputs: set[int], shortens: bool) -> Iterator[Named]:
    """Matrices of beams, in blocks with the columns (r̈, Ω̇), (m, q), η̈, 1."""
    if not inputs:
        return
    Pi, L, X, Y, bias, L_k, X_k, Y_k, bias_k = (
        _symbol(name)
        for name in ("Pi", "L_O", "X_O", "Y_O", "gamma_O", "L_Ik", "X_Ik", "Y_Ik", "gamma_Ik")
    )
    M_aa, M_ae, M_ea, M_ee, p_a, p_e = (
        _symbol(name) for name in ("M_aa", "M_aη", "M_ηa", "M_ηη", "p_a", "p_η")
    )
    W, W_k = (_symbol(name) for name in ("W_O", "W_Ik"))
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
    X, Y, H, bias = (_symbol(name) for name in ("X", "Y", "H", "gamma"))
    H_r, H_w, tau = (_symbol(name) for name in ("H_rT", "H_OmegaT", "tau"))
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
        rotor, load = (_symbol(name) for name in ("rho", "σ"))
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
        condition = _symbol("σ")
        yield Named(Factor("K", ("j",)), "own", title, sp.Matrix([[0, 0, 0, condition, 0]]))


def hinge_blocks(dimension: int) -> tuple[sp.Matrix, sp.Matrix]:
    """X of (r̈, Ω̇), and what a massless hinge does to (m, q): m_O = m_I + d × q."""
    kernel = across.of(dimension=dimension, apart=True, constants=False)
    arm, a, m, q = (
        next(x.symbols() for x in kernel.inputs if x.name == name)
        for name in ("dh", "a_I1", "m_I1", "q_I1")
    )
    at = dict(zip(arm, sp.symbols("d_x d_y d_z", real=True), strict=False))
    motion, *load = (x.value for x in kernel.statements if isinstance(x, Let))
    states = ((motion, a), (sp.Matrix.vstack(*load), sp.Matrix.vstack(m, q)))
    shift, lever = (x.jacobian(y).xreplace(at) for x, y in states)
    return shift, lever


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


def displaced(named: Named) -> Named | None:
    """The same of small motions about rest without loads: z holds r, θ in place of r̈, Ω̇.

    An acceleration is −ω² times a displacement, and nothing else is in the column of 1; a force
    along a freedom is −κ s, and that of a rotor ω² ρ s. None of beams, whose matrices are those of
    their cells.

    Frame
        Inertial axes.
    Source
        Rui, Wang, Lu and Yun (2008); here from the matrices of accelerations.
    """
    if named.equation == EXTENDED:
        return None
    whole, omega = named.matrix.copy(), sp.Symbol("omega", positive=True)
    if whole.shape == (5, 5):  # of a body, from accelerations to loads
        whole[2:4, 0:2] = -(omega**2) * whole[2:4, 0:2]
    if named.factor.letter == "G":
        own = whole[0, -2].xreplace({_symbol("rho"): -(omega**2) * _symbol("rho")})
        whole[0, -2] = own - _symbol("kappa")
    for i in range(whole.rows):
        whole[i, -1] = sp.Integer(int(whole.rows == whole.cols and i == whole.rows - 1))
    kept = {x.name for x in whole.free_symbols}
    title = named.title.replace("(r̈, Ω̇)", "(r, θ)").replace("acceleration", "displacement")
    title = title.replace("+ τ = 0", "− κ s = 0").replace("; −ρ, its", "; with ω² ρ, ρ its")
    blocks = tuple((name, block) for name, block in named.blocks if name in kept)
    return Named(named.factor, "own", title, whole, blocks)
