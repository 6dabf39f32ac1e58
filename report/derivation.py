"""A model's derivation by an algorithm as one document: from the balance of its elements to the
solved system, and the proof that what came out obeys d'Alembert's principle."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import sympy as sp

from ..codegen.generate import generate
from ..errors import CodegenError, MstmmError, UsageError
from ..model import Beam, Body, Model
from ..runtime.derived import Derived, Values, derive
from ..runtime.evaluation.arrays import Floats
from ..symbolic.derivation.formulas import balance_lines
from ..symbolic.language.program import Entry, Storage
from ..symbolic.methods.algorithms import Algorithm
from ..symbolic.methods.riccati.letters import LETTERS
from ..symbolic.pages.named import Named, named_matrices, subspace
from . import lagrange, legend, virtual
from .documents.document import (
    Block,
    Cell,
    Document,
    Drawing,
    Fold,
    Formula,
    Items,
    Letters,
    Numbers,
    Prose,
    Section,
    Table,
    Typed,
    shown,
    some,
)
from .documents.words import sentence
from .drawing.mechanism import mechanism
from .drawing.svg import svg
from .drawing.topology import topology_svg
from .forces import between_points
from .state import State, placed
from .walked import Emitted, Walked

#: The most rows of a table of elements, of a state, of results.
ROWS = 40

#: Two solutions agree within this part of the largest number: both are doubles, and each has lost
#: to the condition of its own systems.
AGREEMENT = 1e-8

#: What is compared with what, where poses say nothing: an algorithm with another derivation.
OTHERS = {"overall": "riccati"}


def derivation_document(derived: Derived, state: State, command: str = "") -> Document:
    """The whole derivation at a state, its numbers beside its symbols.

    Raises
        UsageError: the state has not the model's shapes.
        NumericsError: the algorithm has no finite result at the state.
    Source
        The papers that the algorithm's kernels name; everything is read off its program.
    """
    model, algorithm = derived.model, derived.algorithm
    values = derived.at(
        state.q, state.v, t=state.t, parameters=state.parameters, **further_of(derived)
    )
    entry = entry_of(derived)
    walked = Walked(derived, derived.reading, _code(model, algorithm, entry))
    steps = tuple(walked.sections(values.performed(entry.name)))
    names = [*walked.letters]
    sections = (
        Section("The system", "system", tuple(_system(derived, state))),
        Section("Letters", "letters", tuple(_legend(names, walked.letters))),
        Section("The elements", "elements", tuple(_elements(derived))),
        *steps,
        Section("The result", "result", tuple(_results(derived, values, entry, state))),
        Section("Is it right?", "check", tuple(_checks(derived, values, state))),
    )
    title = f"{model.name}: {sentence(derived.program().title.partition(':')[0])[:-1]}"
    lead = f"{sentence(model.description or 'a multibody system')} {_what()}"
    return Document(title, lead, sections, command)


def _what() -> str:
    return (
        "From the balance of each element to what comes out, step by step: each formula with its "
        "numbers at one state, with what it reads from the steps before it, and with the C that is "
        "emitted for it."
    )


def entry_of(derived: Derived) -> Entry:
    """The entry that shows most: all loads, and the paper's letters."""
    entries = {entry.name: entry for entry in derived.program().entries}
    for name in (LETTERS, "joint_loads", "inverse_loads"):
        if name in entries:
            return entries[name]
    return next(iter(entries.values()))


def further_of(derived: Derived) -> dict[str, list[float]]:
    """What the entry needs beyond a state, at rest: accelerations of one, momenta of one."""
    owners = {
        array.owner: array
        for array in derived.program().arrays.values()
        if array.storage is Storage.ARGUMENT
    }
    count = len(derived.model.speeds)
    names = {"ad": "a", "mom": "p", "jerk": "jerk", "snap": "snap"}
    return {name: [1.0] * count for owner, name in names.items() if owner in owners}


def _code(model: Model, algorithm: Algorithm, entry: Entry) -> dict[tuple[str, str, str], str]:
    """The emitted C by kernel, of what is emitted for that entry; none where C cannot be."""
    name = "joint_loads" if entry.name == LETTERS else entry.name
    try:
        generated = generate(model, algorithm=algorithm, entries=(name,), whole=False)
    except CodegenError:
        return {}
    return Emitted(generated).blocks


# The system


def _system(derived: Derived, state: State) -> Iterator[Block]:
    model, chosen = derived.model, derived.plan
    yield Drawing(
        topology_svg(chosen, prefix="topology"),
        "The elements, and where states pass: from the tips to the root, along the arrows.",
    )
    drawn = svg(mechanism(model, placed(model, state)), prefix="mechanism")
    yield Drawing(drawn, "The mechanism in the state that the numbers below are of.")
    yield Items(tuple(chosen.describe().splitlines()))
    given = [f"{name} = {value:g}" for name, value in state.parameters.items()]
    if given:
        yield Prose(f"Parameters: {', '.join(given)} (SI units).")
    yield Prose("The state that the numbers below are of (rad, m, rad/s, m/s):")
    yield _state_table(model, state)
    if state.note:
        yield Prose(state.note, "caption")


def _state_table(model: Model, state: State) -> Block:
    if len(model.coordinates) == len(model.speeds):
        rows: list[tuple[Cell, ...]] = [
            (Letters(c), Numbers.of([[x]]), Letters(s), Numbers.of([[y]]))
            for c, x, s, y in zip(model.coordinates, state.q, model.speeds, state.v, strict=True)
        ]
        return Table(("coordinate", "value", "speed", "value"), some(rows, ROWS))
    rows = [
        (Letters(c), Numbers.of([[x]])) for c, x in zip(model.coordinates, state.q, strict=True)
    ]
    rows += [(Letters(s), Numbers.of([[y]])) for s, y in zip(model.speeds, state.v, strict=True)]
    return Table(("coordinate or speed", "value"), some(rows, ROWS))


def _legend(names: Sequence[str], sources: dict[str, str]) -> Iterator[Block]:
    yield Prose(
        "On an element act +q, −m at an input end and −q, +m at its output end. A state z holds "
        "r̈, Ω̇, m, q and 1: acceleration, angular acceleration, cutting moment and force of an end."
    )
    rows: list[tuple[Cell, ...]] = [(Letters(n), m) for n, m in legend.meanings(names, sources)]
    yield Fold("What each letter means", "meanings", (Table(("letter", "meaning"), tuple(rows)),))
    yield Fold("Indices and marks", "indices", (Table(("mark", "meaning"), legend.INDICES),))


# The elements


def _elements(derived: Derived) -> Iterator[Block]:
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
            tuple(_balance(min(counts[-1], 2))),
        )
    for k, named in enumerate(named_matrices(derived.overall)):
        yield _named(named, k)
    yield Prose(
        "Zeros are shaded. Rows and columns of a state are r̈, Ω̇, m, q, 1, in the plane "
        "ẍ, ÿ, Ω̇_z, m_z, q_x, q_y, 1.",
        "caption",
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


def _balance(inputs: int) -> Iterator[Block]:
    for line in balance_lines(inputs)[:4]:
        yield Formula("", line.formula, says=line.text)
    yield Prose(
        "Solved for the output state, which takes no division; collected by the input state's "
        "entries this is the matrix below."
    )


def _named(named: Named, k: int) -> Block:
    name = "_".join((named.factor.letter, *named.factor.indices))
    title, _, more = re.sub(r"[:;] ", "\n", named.title, count=1).partition("\n")
    blocks: list[Block] = [Prose(more)] if more else []
    blocks.append(Formula(name, named.matrix, source=named.equation, shaded=True))
    if named.blocks:
        blocks.append(Prose("with the blocks"))
        blocks += [Formula(n, block) for n, block in named.blocks]
    return Fold(f"{named.factor.letter}: {title}", f"matrix-{k}", tuple(blocks), k == 0)


def _body_row(model: Model, body: Body | Beam) -> tuple[Cell, ...]:
    if isinstance(body, Beam):
        return (body.name, f"a beam with {len(body.points)} points", "", "", "")

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
    return Typed(str(H.tolist())) if H.free_symbols else Numbers.of(H)


# What comes out


def _results(derived: Derived, values: Values, entry: Entry, state: State) -> Iterator[Block]:
    model = derived.model
    if "accelerations" in values:
        yield Prose("The accelerations, rates of the speeds (rad/s², m/s²):")
        rows: list[tuple[Cell, ...]] = [
            (Letters(name), Numbers.of([[x]]))
            for name, x in zip(model.speeds, np.ravel(values["accelerations"]), strict=True)
        ]
        yield Table(("speed", "its rate"), some(rows, ROWS))
    if "loads" in values:
        yield Prose("The loads at the ends: moment m (N m), then force q (N), in inertial axes:")
        array = derived.program().arrays["loads"]
        names = derived.program().sets[array.index_set]
        largest = max(1.0, float(np.abs(values["loads"]).max(initial=0.0)))
        rows = [
            (name, *(Numbers(((shown(x, largest),),)) for x in np.ravel(row).tolist()))
            for name, row in zip(names, values["loads"], strict=True)
        ]
        yield Table(("end", "m_x", "m_y", "m_z", "q_x", "q_y", "q_z"), some(rows, ROWS))
    told = {"accelerations", "loads"}
    names_of = {"a": "accelerations", "tau": "forces"}
    for name in entry.results:
        known = names_of.get(name, name)
        if known in told or name.endswith(" of") or known not in values:
            continue
        found = np.atleast_2d(values[known])
        if found.ndim > 2:
            found = found.reshape(-1, found.shape[-1])
        if found.size <= 600:
            yield Formula(known, None, Numbers.of(found))
        else:
            yield Prose(f"{known}: {' × '.join(map(str, found.shape))} numbers.")


def _checks(derived: Derived, values: Values, state: State) -> Iterator[Block]:
    model = derived.model
    found = _accelerations(derived, values)
    if found is None:
        yield from _round(derived, values, state)
        return
    try:
        judged = virtual.judge(
            model, derived.program(), state.q, state.v, found.tolist(),
            t=state.t, parameters=state.parameters,
        )  # fmt: skip
    except UsageError as reason:
        yield Prose(f"D'Alembert's principle is not tried: {reason}.")
    else:
        yield from _virtual(judged, len(model.speeds))
    if model.name == "branch-pendulum":
        own = lagrange.accelerations(
            np.array(state.q), np.array(state.v),
            a=state.parameters["a"], g=state.parameters["g"],
        )  # fmt: skip
        yield _agreement("Lagrange's equations of the four angles, solved by NumPy", found, own)
    other = OTHERS.get(derived.algorithm.name, "overall")
    if len(model.speeds) <= 40:
        try:
            beside = derive(model, algorithm=other).at(
                state.q, state.v, t=state.t, parameters=state.parameters
            )["accelerations"]
        except MstmmError as reason:
            yield Prose(f"The algorithm {other} has no answer here: {reason}.")
        else:
            words = f"the algorithm {other}, which shares the elements' balance, but no recursion"
            yield _agreement(words, found, np.ravel(beside))


def _accelerations(derived: Derived, values: Values) -> Floats | None:
    return np.ravel(values["accelerations"]) if "accelerations" in values else None


def _virtual(judged: virtual.Judgement, speeds: int) -> Iterator[Block]:
    count = len(judged.powers)
    tried = "each speed" if judged.projected or count == speeds else f"{count} of {speeds} speeds"
    yield Prose(
        "D'Alembert's principle, from nothing but where the bodies are: they are moved a little in "
        f"80-digit arithmetic, along the motion with these accelerations and along {tried}; no "
        "transfer matrix, recursion or mass matrix enters. The virtual powers (W for each unit of "
        "the speed) must add to zero"
        + (", along each motion that keeps the loops closed." if judged.projected else ".")
    )
    rows: list[tuple[Cell, ...]] = [
        (
            p.along,
            *(Numbers.of([[x]]) for x in (p.inertia, p.weight, p.forces)),
            f"{p.total:.1e}".replace("-", "−"),
        )
        for p in judged.powers
    ]
    head = ("along", "inertia", "weight", "laws, loads", "sum")
    yield Table(head, some(rows, ROWS))
    word = f"the largest sum is {judged.worst:.1e} of the largest power".replace("e-", "e−")
    yield Prose(
        f"It holds: {word} (bound {virtual.TOLERANCE:g}; the accelerations are doubles)."
        if judged.ok
        else f"It fails: {word}, above {virtual.TOLERANCE:g}.",
        "good" if judged.ok else "bad",
    )


def _agreement(with_what: str, found: Floats, other: Floats) -> Block:
    scale = max(1.0, float(np.abs(other).max(initial=0.0)))
    apart = float(np.abs(found - other).max(initial=0.0)) / scale
    ok = apart <= AGREEMENT
    number = f"{apart:.1e} of the largest apart".replace("-", "−") if apart else "to the last digit"
    word = "agrees with" if ok else "differs from"
    return Prose(f"It {word} {with_what}: {number}.", "good" if ok else "bad")


def _round(derived: Derived, values: Values, state: State) -> Iterator[Block]:
    """Inverse dynamics: the Riccati method, given the forces, gives the accelerations back."""
    model = derived.model
    if "forces" not in values or model.cuts or "a" not in further_of(derived):
        why = "gives no accelerations to judge here"
        if "forces" in values and model.cuts:
            why = "gives forces, of which closed loops leave a choice: they are not judged here"
        yield Prose(
            f"The algorithm {derived.algorithm.name} {why}; mstmm validate compares the emitted "
            "code with the symbols."
        )
        return
    wanted = np.ones(len(model.speeds))
    back = derive(model).at(
        state.q, state.v, np.ravel(values["forces"]), t=state.t, parameters=state.parameters
    )["accelerations"]
    yield Prose("The forces above are those that all accelerations 1 need.")
    yield _agreement(
        "the Riccati method, which these forces move, and the accelerations 1",
        np.ravel(back),
        wanted,
    )
