"""A model's derivation by an algorithm as one document: from the balance of its elements to the
solved system, and the proof that what came out obeys d'Alembert's principle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import sympy as sp

from ..model import Beam, Body, Model
from ..model.expressions.quantities import told
from ..runtime.derived import Derived, Values
from ..symbolic.derivation.formulas import balance_lines, planar_balance_lines
from ..symbolic.derivation.reading import Reading
from ..symbolic.language.decimals import text
from ..symbolic.language.special import special
from ..symbolic.methods.algorithms import Dca, Riccati
from ..symbolic.pages.named import displaced, named_matrices, subspace
from . import legend
from .chapters.ends import closed_ends
from .chapters.entries import chapters, code_of, entries_of, results, tabs
from .chapters.listing import listing
from .chapters.representations import representations, shown_for
from .chapters.split import split
from .documents.document import (
    Beside,
    Block,
    Cell,
    Document,
    Drawing,
    Fold,
    Formula,
    Formulas,
    Items,
    Letters,
    Numbers,
    Prose,
    Section,
    Table,
    Typed,
    some,
)
from .documents.words import sentence
from .drawing.drawing import of_derivation
from .drawing.mechanism import mechanism
from .drawing.svg import svg
from .drawing.topology import topology_svg
from .forces import between_points
from .judging.checks import checks, further_of, values_of
from .judging.counting import counting
from .judging.emitted import as_emitted
from .overall import named_fold, of_matrices
from .state import State, placed
from .walked import Walked

#: The most rows of a table of elements, of a state, of results.
ROWS = 40

#: An assembly tree that is wider is left out, in pixels.
WIDEST = 4_000


def derivation_document(
    derived: Derived, state: State, command: str = "", entry: str | None = None
) -> Document:
    """The whole derivation at a state, its numbers beside its symbols; or that of one `entry`.

    Raises
        UsageError: the state has not the model's shapes, the program not that entry.
        NumericsError: the algorithm has no finite result at the state.
    Source
        The papers that the algorithm's kernels name; everything is read off its program.
    """
    model = derived.model
    values = values_of(derived, state)
    entries = entries_of(derived, values, entry)
    own = special(derived.program(), entries.shown, state.parameters)
    reading = Reading(own.program, derived.reading.arguments)
    walked = Walked(own, reading, code_of(derived, entries))
    steps = chapters(derived, values, entries, walked)
    several = len(entries.shown) > 1
    small = "below" in values  # small motions about rest
    sections = (
        Section("The system", "system", tuple(_system(derived, state))),
        Section("Letters", "letters", tuple(_legend(walked.letters, reading.data, small))),
        Section("The elements", "elements", tuple(_elements(derived, small))),
        *_split(derived, values),
        *((Section("What is computed", "entries", tuple(tabs(entries))),) if several else ()),
        Section("As an algorithm", "algorithm", tuple(listing(derived, entries, own))),
        *steps,
        *results(derived, values, entries),
        *_represented(derived, state),
        *closed_ends(derived, values, entries, state),
        *(_counted(derived, values, state) if small else ()),
        Section(
            "Is it right?",
            "check",
            (*checks(derived, values, state), as_emitted(own, derived.program())),
        ),
    )
    title = f"{model.name}: {sentence(derived.program().title.partition(':')[0])[:-1]}"
    lead = f"{sentence(model.description or 'a multibody system')} {_what()}"
    return Document(title, lead, sections, command)


def _split(derived: Derived, values: Values) -> Iterator[Section]:
    """Of the paper's own form the blocks of each transfer matrix."""
    if isinstance(derived.algorithm, Riccati) and derived.algorithm.form == "paper":
        yield Section("The split", "split", tuple(split(derived, values)))


def _represented(derived: Derived, state: State) -> Iterator[Section]:
    """Of inverse dynamics the four representations side by side."""
    if shown_for(derived):
        blocks = tuple(representations(derived, state))
        yield Section("In the four representations", "representations", blocks)


def _counted(derived: Derived, values: Values, state: State) -> Iterator[Section]:
    """Of a recursion that counts eigenvalues how it does."""
    if "omega2" not in further_of(derived, state):
        return
    (square,) = further_of(derived, state)["omega2"]
    blocks = tuple(counting(derived, values, state, square))
    yield Section("How many lie below", "below", blocks)


def _stands_for(symbol: sp.Symbol, value: sp.Expr) -> Formulas:
    """What a name stands for, its numbers to six digits."""
    six = {x: sp.Float(f"{float(x):.6g}") for x in value.atoms(sp.Float)}
    shown = value.xreplace(six)
    return Formulas(((str(symbol), shown),), "", f"{symbol} = {text(shown)}")


def _what() -> str:
    return (
        "From the balance of each element to what comes out, step by step: each formula with its "
        "numbers at one state, with what it reads from the steps before it, and with the C that is "
        "emitted for it."
    )


# The system


def _system(derived: Derived, state: State) -> Iterator[Block]:
    model, chosen = derived.model, derived.plan
    topology = Drawing(
        topology_svg(chosen, prefix="topology"),
        "The elements, and where states pass: from the tips to the root, along the arrows.",
    )
    if isinstance(derived.algorithm, Dca):
        tree = of_derivation(derived, "assembly").scene
        if tree.width <= WIDEST:
            yield Drawing(
                svg(tree, prefix="assembly"),
                "The assembly tree, with the hinges that each node eliminates: its leaves are the "
                "bodies and the ground, and each node is merged of the two below it.",
            )
    drawn = svg(mechanism(model, placed(model, state)), prefix="mechanism")
    words = "The mechanism at the state for which the numbers below are given."
    listed = Items(tuple(chosen.describe().splitlines()))
    yield Beside((topology, listed, *_given(model, state)), (Drawing(drawn, words),))
    further = further_of(derived, state)
    for square in further.get("omega2", ()):
        yield Prose(f"The square of the circular frequency is ω² = {square:g} 1/s².")
    if parts := further.get("s"):
        real, imag = parts
        said = f"{real:g} {'+' if imag >= 0 else '-'} {abs(imag):g} i".replace("-", "−")
        yield Prose(
            f"The complex frequency is s = {said} 1/s. "
            "Of complex numbers the real part stands in one column, the imaginary part in the next."
        )
    if "target" in further:
        yield Prose(
            "The target is the inertial frame itself: the origin, without a turn. The damping λ² "
            "is 1, and all parts of the error and all speeds weigh 1."
        )
    if state.note:
        yield Prose(state.note, "caption")


def _given(model: Model, state: State) -> Iterator[Block]:
    """Parameters, coordinates and speeds."""
    given = [f"{name} = {value:g}" for name, value in state.parameters.items()]
    if given:
        yield Prose(f"Parameters: {', '.join(given)} (SI units).")
    yield Prose("The numbers below are given for this state (rad, m, rad/s, m/s):")
    yield _state_table(model, state)


def _state_table(model: Model, state: State) -> Block:
    if len(model.coordinates) == len(model.speeds):
        rows: list[tuple[Cell, ...]] = [
            (Letters(c, True), Numbers.of([[x]]), Letters(s, True), Numbers.of([[y]]))
            for c, x, s, y in zip(model.coordinates, state.q, model.speeds, state.v, strict=True)
        ]
        return Table(("coordinate", "value", "speed", "value"), some(rows, ROWS))
    rows = [
        (Letters(c, True), Numbers.of([[x]]))
        for c, x in zip(model.coordinates, state.q, strict=True)
    ]
    rows += [
        (Letters(s, True), Numbers.of([[y]])) for s, y in zip(model.speeds, state.v, strict=True)
    ]
    return Table(("coordinate or speed", "value"), some(rows, ROWS))


def _legend(
    told: Iterable[legend.Told], data: Mapping[sp.Symbol, sp.Expr], small: bool
) -> Iterator[Block]:
    moves = "r̈, Ω̇, m, q and 1: acceleration, angular acceleration"
    if small:
        moves = "r, θ, m, q and 1: displacement, turn"
    yield Prose(
        "On an element act +q, −m at an input end and −q, +m at its output end. A state z holds "
        f"{moves}, cutting moment and force of an end."
    )
    letters = tuple(told)
    if any(legend.FALLING in each.meaning for each in letters):
        yield Prose(
            "Gravity is told as an acceleration of the ground: accelerations a are r̈ − g, and no "
            "weight is among the forces. It enters where the root's acceleration is read from the "
            "ground, −g; loads are what they are all the same."
        )
    yield Fold("What each letter means", "meanings", (legend.table(letters),))
    if data:
        long = [(_stands_for(symbol, sp.N(x)),) for symbol, x in data.items()]
        table = Table(("an element's data, by its name",), some(long, ROWS))
        yield Fold("Long numbers that have a symbol", "data", (table,))
    yield Fold("Indices and marks", "indices", (Table(("mark", "meaning"), legend.INDICES),))


# The elements


def _elements(derived: Derived, small: bool) -> Iterator[Block]:
    model = derived.model
    counts = sorted(
        {max(1, len(derived.plan.link(b.name).inputs)) for b in model.bodies if isinstance(b, Body)}
    )
    yield Prose(
        "Each element is taken by itself. Newton's and Euler's laws and the kinematics of a rigid "
        "body, or what a hinge leaves free, give its output state from its input state, "
        "z_O = U z_I."
    )
    if counts:
        yield Fold(
            "A rigid body: the balance that its matrix comes from",
            "balance",
            tuple(_balance(min(counts[-1], 2), model.dimension)),
        )
    if small:
        yield Prose(
            "About rest an acceleration is −ω² times a displacement: of small motions U has ω², "
            "and no loads. Springs are −κ s along the freedoms of hinges; what loads at rest add "
            "is in the steps below, as are the cells that beams are cut into."
        )
    found = named_matrices(derived.overall)
    shown = filter(None, map(displaced, found)) if small else found
    for k, named in enumerate(shown):
        yield named_fold(named, k, opened=False)
    yield Prose(f"Zeros are shaded. {of_matrices(small)}", "caption")
    if isinstance(derived.algorithm, Riccati) and model.beams:
        yield Prose(
            "U of each of this model's own beams, with its own functions and without η̈, is in the "
            "last of the steps below: it takes (r̈, Ω̇) of the first input, (m, q) of each input, "
            "and 1, in inertial axes, to the state of the output."
        )
    yield Table(
        ("body", "mass, kg", "inertia about its centre, kg m²", "centre, m", "ends, m"),
        some([_body_row(model, body) for body in model.bodies], ROWS),
    )
    if model.hinges:
        yield Table(
            ("hinge", "kind", "from", "to", "H, in the axes of its output end"),
            some([*_hinge_rows(derived)], ROWS),
        )
    yield from between_points(model)


def _balance(inputs: int, dimension: int) -> Iterator[Block]:
    for line in (planar_balance_lines if dimension == 2 else balance_lines)(inputs)[:4]:
        yield Formula("", line.formula, says=line.text)
    yield Prose(
        "Solved for the output state, which takes no division; collected by the input state's "
        "entries this is the matrix below."
    )


def _body_row(model: Model, body: Body | Beam) -> tuple[Cell, ...]:
    if isinstance(body, Beam):
        return (body.name, f"a beam with {told(len(body.points), 'point')}", "", "", "")

    def column(vector: Sequence[object]) -> str:
        return ", ".join(f"{model.value(x):.6g}" for x in vector)

    J = body.inertia
    inertia = (
        [[model.value(x) for x in row] for row in J] if isinstance(J, tuple) else [[model.value(J)]]
    )
    ends = "; ".join(f"{p.name} ({column(p.position)})" for p in body.points)
    return (
        body.name,
        Numbers.of([[model.value(body.mass)]]),
        Numbers.of(inertia),
        column(body.centre),
        ends,
    )


def _hinge_rows(derived: Derived) -> Iterator[tuple[Cell, ...]]:
    model = derived.model
    for hinge in model.hinges:
        parent, child = (str(end) for end in hinge.ends)
        if hinge.motion:
            H: Cell = "driven: none"
        else:
            own = subspace(model.dimension, hinge.kind, True)
            H = _subspace(own)
        yield hinge.name, hinge.kind, parent, child, H


def _subspace(H: sp.MatrixBase) -> Cell:
    if not H.cols:
        return "none"
    if H.free_symbols:
        return Typed(str(H.tolist()))
    return Typed(", ".join(map(str, H))) if H.cols == 1 else Numbers.of(H)
