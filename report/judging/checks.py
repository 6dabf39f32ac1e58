"""Is a derivation right? Blocks that compare its numbers with those of other ways to them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...errors import MstmmError, UsageError
from ...model import Model
from ...runtime.derived import Derived, Values, derive
from ...runtime.evaluation.arrays import Floats
from ...runtime.solver import compile_model
from ...runtime.vibration.coded.damped import GeneratedComplexStiffness
from ...runtime.vibration.coded.resting import FEWEST
from ...runtime.vibration.coded.small import independent
from ...runtime.vibration.generated import GeneratedStiffness
from ...symbolic.language.program import Storage
from ..documents.document import Block, Cell, Numbers, Prose, Table, some
from ..state import State
from . import lagrange, virtual

#: The most rows of the table of powers.
ROWS = 40

#: Two solutions agree within this part of the largest number: both are doubles, and each has lost
#: to the condition of its own systems.
AGREEMENT = 1e-8

#: A model is at rest if nothing accelerates by more, in rad/s² and m/s².
REST = 1e-6

#: Between the momenta of which a rate is the difference, in s.
TICK = 1e-3

#: What is compared with what, where poses say nothing: an algorithm with another derivation.
OTHERS = {"overall": "riccati"}


def checks(derived: Derived, values: Values, state: State) -> Iterator[Block]:
    """D'Alembert's principle, and another algorithm; of inverse dynamics the way back.

    Source
        own
    """
    model = derived.model
    found = _accelerations(derived, values)
    if found is None and "below" in values and not model.cuts and not model.beams:
        small = _counted if "omega2" in further_of(derived, state) else _determined
        yield small(derived, values, state)
        return
    if found is None and "C_christoffel" in values:
        yield from _matrices(derived, values, state)
        return
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
        yield from _virtual(judged, model)
    if model.name == "branch-pendulum":
        own = lagrange.accelerations(
            np.array(state.q), np.array(state.v),
            a=state.parameters["a"], g=state.parameters["g"],
        )  # fmt: skip
        yield _agreement("Lagrange's equations of the four angles, solved by NumPy", found, own)
    if "pd" in values and not model.cuts and len(model.coordinates) == len(model.speeds):
        yield from _hamiltonian(derived, values, state, found)
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


def _hamiltonian(derived: Derived, values: Values, state: State, a: Floats) -> Iterator[Block]:
    """Momenta and their rates, from the mass matrix of another algorithm along the motion."""
    model, known = derived.model, state.parameters
    solver = compile_model(model, algorithm="rnea-body", target="numpy", parameters=tuple(known))
    q, v = np.array(state.q), np.array(state.v)

    def momenta(time: float) -> Floats:
        mass = solver.mass_matrix(q + time * v, t=state.t + time, parameters=known)
        return mass @ (v + time * a)

    words = "M q̇ with the mass matrix of the algorithm rnea-body"
    yield _agreement(words, np.ravel(values["pn"]), momenta(0.0), "p")
    yield _agreement("the speeds of the state", np.ravel(values["vel"]), v, "q̇")
    rates = _slope(*(momenta(x * TICK) for x in (-2, -1, 1, 2)))
    words = "how these momenta change along the motion, from differences"
    yield _agreement(words, np.ravel(values["pd"]), rates, "ṗ")


def _matrices(derived: Derived, values: Values, state: State) -> Iterator[Block]:
    """M by another algorithm, and C by how that one's M changes with the coordinates."""
    model, known = derived.model, state.parameters
    solver = compile_model(model, algorithm="rnea-body", target="numpy", parameters=tuple(known))
    q, v = np.array(state.q), np.array(state.v)
    count = len(v)

    def mass(q: Floats) -> Floats:
        found: Floats = solver.mass_matrix(q, t=state.t, parameters=known)
        return found

    words = "the mass matrix of the algorithm rnea-body"
    yield _agreement(words, values["M"].ravel(), mass(q).ravel(), "M")
    if len(q) != count:
        return
    steps = TICK * np.eye(count)
    slope = np.array([_slope(*(mass(q + x * e) for x in (-2, -1, 1, 2))) for e in steps])
    made = sum(np.einsum(which, slope, v) for which in ("kij,k->ij", "jik,k->ij")) / 2
    made -= np.einsum("ijk,k->ij", slope, v) / 2  # slope[k] is ∂M/∂q_k
    words = "Christoffel's symbols of that mass matrix, from differences, summed over the speeds"
    yield _agreement(words, values["C_christoffel"].ravel(), made.ravel(), "C_christoffel")
    for name in ("C_printed", "C_skew"):
        own = values[name].reshape(count, count) @ v
        yield _agreement("the same times q̇", own, made @ v, f"{name} q̇")


def _slope(before: Floats, near: Floats, after: Floats, far: Floats) -> Floats:
    """The rate of values at −2, −1, 1 and 2 of `TICK`, to its fourth power."""
    return (8 * (after - near) - (far - before)) / (12 * TICK)


def _accelerations(derived: Derived, values: Values) -> Floats | None:
    return np.ravel(values["accelerations"]) if "accelerations" in values else None


def _virtual(judged: virtual.Judgement, model: Model) -> Iterator[Block]:
    count, speeds = len(judged.powers), len(model.speeds)
    kept = "keeps the loops closed" if model.cuts else "keeps the couplings"
    tried = "each speed" if judged.projected or count == speeds else f"{count} of {speeds} speeds"
    yield Prose(
        "D'Alembert's principle, from nothing but where the bodies are: they are moved a little in "
        f"80-digit arithmetic, along the motion with these accelerations and along {tried}; no "
        "transfer matrix, recursion or mass matrix enters. The virtual powers (W for each unit of "
        "the speed) must add to zero"
        + (f", along each motion that {kept}." if judged.projected else ".")
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


def _agreement(with_what: str, found: Floats, other: Floats, what: str = "It") -> Block:
    scale = max(1.0, float(np.abs(other).max(initial=0.0)))
    apart = float(np.abs(found - other).max(initial=0.0)) / scale
    ok = apart <= AGREEMENT
    number = f"{apart:.1e} of the largest apart".replace("-", "−") if apart else "to the last digit"
    word = "agrees with" if ok else "differs from"
    return Prose(f"{what} {word} {with_what}: {number}.", "good" if ok else "bad")


def _counted(derived: Derived, values: Values, state: State) -> Block:
    """The count of eigenvalues, by those of the linearised accelerations."""
    model, (square,) = derived.model, further_of(derived, state)["omega2"]
    known = state.parameters
    solver = compile_model(model, target="numpy", parameters=tuple(known))
    still, speeds = np.zeros(len(model.speeds)), len(model.speeds)
    if np.abs(solver.accelerations(state.q, still, t=state.t, parameters=known)).max() > REST:
        return Prose("The model is not at rest in this state, so that nothing swings about it.")
    A, _ = solver.linearize(state.q, still, t=state.t, parameters=known)
    squares = np.linalg.eigvals(-A[speeds:, :speeds]).real
    other, found = int((squares < square).sum()), int(values["below"].item())
    ok = other == found
    return Prose(
        f"The accelerations, linearised, have {other} eigenvalues below ω² by NumPy's solver: "
        + ("as many." if ok else f"not {found}."),
        "good" if ok else "bad",
    )


def _determined(derived: Derived, values: Values, state: State) -> Block:
    """The determinant at a complex frequency, by that of the linearised accelerations."""
    model, known = derived.model, state.parameters
    if any(body.complex_alone for body in model.bodies):
        return Prose("What spins has no other algorithm to judge it here.")
    s = complex(*further_of(derived, state)["s"])
    solver = compile_model(model, target="numpy", parameters=tuple(known))
    still, speeds = np.zeros(len(model.speeds)), len(model.speeds)
    if np.abs(solver.accelerations(state.q, still, t=state.t, parameters=known)).max() > REST:
        return Prose("The model is not at rest in this state, so that nothing moves about it so.")
    A, _ = solver.linearize(state.q, still, t=state.t, parameters=known)
    inverse = compile_model(model, algorithm="rnea-body", target="numpy", parameters=tuple(known))
    mass = np.linalg.slogdet(inverse.mass_matrix(state.q, parameters=known))[1]
    other = np.linalg.slogdet(s * np.eye(2 * speeds) - A)[1] + mass
    words = "log |det(s² M + s C + K)| of the linearised accelerations, by NumPy"
    return _agreement(words, np.ravel(values["logdet"]), np.array([other]))


def _round(derived: Derived, values: Values, state: State) -> Iterator[Block]:
    """Inverse dynamics: the Riccati method, given the forces, gives the accelerations back."""
    model = derived.model
    if "forces" not in values or model.cuts or "a" not in further_of(derived, state):
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


def values_of(derived: Derived, state: State) -> Values:
    """What a program gives at a state; momenta are those of its speeds."""

    def at(**more: list[float]) -> Values:
        further = further_of(derived, state) | more
        return derived.at(state.q, state.v, t=state.t, parameters=state.parameters, **further)

    values = at()
    return at(p=np.ravel(values["pn"]).tolist()) if "pn" in values else values


def _of_loops(derived: Derived, state: State) -> dict[str, list[float]]:
    """What cut hinges bear at rest, and 1 of each condition, 0 of what follows from others."""
    model, known = derived.model, state.parameters
    solver = compile_model(model, target="numpy", parameters=tuple(known))
    q = np.array(state.q)
    cut, size = np.zeros(0), 6 * len(model.cuts)
    if size:
        cut = solver.results("joint_loads", q, t=state.t, parameters=known)["loads"].ravel()[-size:]
    kept = independent(solver, q, state.t, known)
    return {"cut": cut.tolist(), "kept": kept.tolist()}


def further_of(derived: Derived, state: State) -> dict[str, list[float]]:
    """What the entries need beyond q and v, unless the state has it.

    Accelerations, momenta, weights, what loops are to open at and ω² are one, s is i; cut hinges
    have given no impulse. What they bear at rest is of the state, and so is which conditions
    follow from others. What a frame is to reach is the place and the turn of the ground.
    """
    program = derived.program()
    arguments = (x for x in program.arrays.values() if x.storage is Storage.ARGUMENT)
    owners = {array.owner for array in arguments}
    count = len(derived.model.speeds)
    conditions = len(program.sets.get("conditions", ()))
    names = {"ad": "a", "mom": "p", "jerk": "jerk", "snap": "snap", "g": "g"}
    found = {name: [1.0] * count for owner, name in names.items() if owner in owners}
    at = {"omega2": [1.0], "s": [0.0, 1.0], "c": [1.0] * conditions, "sigma": [0.0] * conditions}
    at |= {"target": np.eye(4).ravel().tolist(), "task": [1.0] * 6, "damping": [1.0]}
    at["weight"] = [1.0] * count
    found |= {name: value for name, value in at.items() if name in owners}
    if {"cut", "kept"} & owners - state.further.keys():
        found |= {name: x for name, x in _of_loops(derived, state).items() if name in owners}
    if "lc" in owners - state.further.keys():
        made = GeneratedComplexStiffness if "s" in owners else GeneratedStiffness
        known, algorithm = state.parameters, made.algorithm
        code = compile_model(
            derived.model, algorithm=algorithm, target="numpy", parameters=tuple(known)
        )
        q = np.array(state.q)
        motions = made(code, q, t=state.t, parameters=known, cells=FEWEST)
        found["lc"] = motions.given["lc"].tolist()
    return found | {**state.further}
