"""Overall equations: deduction paper (6)–(12), (23)–(39), and what its theorem says of them."""

from __future__ import annotations

from functools import partial

import sympy as sp

from ...exact.ledger import Sides, ledger
from ...plans.deduction import Factor
from .cases import chain, display, example_2, general, ring, symbols, tree
from .elements import PAPER
from .theorem import Case, letter

everywhere = (tree, chain, ring, general, example_2)


def numbers(*values: int) -> sp.Matrix:
    return sp.Matrix(values)


def satisfied(at: Case, kinds: tuple[str, ...], opened: bool = False) -> Sides:
    """Rows of U_all z_all = 0, a term for each end."""
    for row in at.rows(*kinds):
        terms = at.terms(row, opened)
        yield -terms[0], *(terms[1:] or [sp.zeros(row.size, 1)])


# Chains and rings


def chain_transferred(at: Case) -> Sides:
    """z_n,0 = U_1−n z_1,0."""
    (row,) = at.rows("main")
    ((*_, term),) = [at.equation.block(row, at.columns()[1])]
    z = at.matrices.applied(term, at.system.boundary(at.columns()[1]))
    yield at.system.boundary(at.columns()[0]), z


def product_named(at: Case) -> Sides:
    """U_n … U_2 U_1, along the way from the tip."""
    (row,) = at.rows("main")
    names = at.names(row, opened=True)
    tip = at.equation.opened[1]
    yield names[:, 1], sp.Matrix([at.product(at.paths[tip])])
    yield names[:, 0], sp.Matrix([-letter("I")])


def product_written_out(at: Case) -> Sides:
    """The matrices multiplied one after the other, times what enters."""
    z = at.system.boundary(at.equation.opened[1])
    for element in at.elements:
        z = at.matrices.U(element) * z
        yield at.system.output(element), z


def order_of_chain(at: Case, printed: bool = False) -> Sides:
    """13 + n: modal accelerations, and open relative accelerations of hinges, count in n."""
    size = at.matrices.U(at.elements[0]).rows
    opened = sum(element.freedoms for element in at.equation.auxiliaries)
    yield numbers(size), numbers(13), numbers(0 if printed else opened)


def ring_same(at: Case) -> Sides:
    """The states of both sides of the cut are the same."""
    yield tuple(at.system.boundary(end) for end in at.equation.opened)


def ring_closed(at: Case) -> Sides:
    """(U_n … U_1 − I) z = 0."""
    (row,) = at.rows("main")
    whole = at.names(row)[0]
    tip = at.equation.opened[1]
    yield sp.Matrix([whole]), sp.Matrix([at.product(at.paths[tip])]), sp.Matrix([-letter("I")])
    (z,) = at.terms(row)
    yield z, sp.zeros(row.size, 1)


# Trees


def main_named(at: Case) -> Sides:
    for row in at.rows("main"):
        yield at.names(row, opened=True), at.main()


def geometric_at_inputs(at: Case, *bodies: str) -> Sides:
    """H_I1 z_I1 − H_Ik z_Ik = 0 of some bodies."""
    for row in at.of_body(*bodies):
        element, k = at.elements[row.element], row.entry
        first = at.matrices.first_H(element, k) * at.system.input(element)
        yield at.matrices.own_H(element, k) * at.system.input(element, k), first


def inputs_from_tips(at: Case, *bodies: str) -> Sides:
    """The state at each input is the sum over the tips behind it."""
    for element in at.branching:
        if element.name in bodies:
            for k in range(1, len(element.inputs) + 1):
                total = []
                for column in at.equation.opened:
                    route = at.before(column, element.label)
                    if route is not None and dict(at.paths[column])[element.label] == k:
                        z = at.system.boundary(column)
                        for place in route:
                            z = at.matrices.of(Factor("U", tuple(at.index(*place).split(",")))) * z
                        total.append(z)
                yield at.system.input(element, k), sum(total[1:], total[0])


def geometric_inserted(at: Case, *bodies: str) -> Sides:
    """The same rows with the tips' states inserted: tips behind I₁ against those behind I_k.

    Of these the ones that pass another body's further input add nothing: no acceleration passes.
    """
    for row in at.of_body(*bodies):
        label = at.elements[row.element].label
        tips = [c for c in at.equation.opened if at.equation.block(row, c, True)]
        sides: dict[int, list[sp.Matrix]] = {1: [], row.entry: []}
        for tip, term in zip(tips, at.terms(row, opened=True), strict=True):
            sides[dict(at.paths[tip])[label]].append(term)
        first, further = (sum(side, sp.zeros(row.size, 1)) for side in sides.values())
        yield -first, further


def geometric_named(at: Case, *bodies: str) -> Sides:
    for row in at.of_body(*bodies):
        name = at.elements[row.element].name
        yield at.names(row, opened=True), at.geometric(name, row.entry)


def overall_named(at: Case) -> Sides:
    """Main and geometric rows one below the other: first column −I, O, … (33)."""
    rows = at.rows("main", "geometric")
    found = sp.Matrix.vstack(*(at.names(row, opened=True) for row in rows))
    wanted = [at.main()]
    wanted += [at.geometric(at.elements[row.element].name, row.entry) for row in rows[1:]]
    yield found, sp.Matrix.vstack(*wanted)
    first = sp.Matrix([-letter("I"), *([0] * (len(rows) - 1))])
    yield found[:, 0], first


def every_row(at: Case) -> Sides:
    """A geometric row for each input of a body but its first."""
    there = {(at.elements[row.element].name, row.entry) for row in at.rows("geometric")}
    wanted = {(str(body), k) for body in at.plan.tree for k in range(2, len(at.inputs(body)) + 1)}
    yield numbers(len(there), len(there & wanted)), numbers(len(wanted), len(wanted))


def counted(at: Case) -> Sides:
    """As many equations as unknowns: n of each end, 2n of each cut, s."""
    n, transfer = at.system.n, at.equation.transfer
    held = sum(end.condition != "cut" for end in transfer.ends)
    s = len(at.system.s)
    unknown = n * held + 2 * n * len(transfer.pairs) + s
    main, rows = 2 * n * len(at.rows("main")), n * len(at.rows("geometric"))
    counts = at.equation.counts
    yield numbers(counts.unknown), numbers(unknown)
    yield numbers(counts.given), numbers(main), numbers(rows), numbers(s)
    yield numbers(counts.unknown), numbers(counts.given)


def states_of_boundaries(at: Case) -> Sides:
    """z_all has the states of all ends, the root's first."""
    transfer = at.equation.transfer
    indices = [end.indices for end in transfer.ends]
    leaves = {body for body in at.plan.tree if not at.inputs(body)}
    tips = {(str(body), "0") for body in leaves}
    for cut in at.plan.cuts:
        succ = str(at.plan.joined[cut][2])
        tips |= {(cut, succ), (succ, cut)}
    yield numbers(len(indices[1:])), numbers(len(tips & set(indices[1:])))
    yield numbers(len(indices)), numbers(1 + len(tips))


# General systems


def paired(at: Case) -> Sides:
    """z_i,j = C z_j,i at a cut, both ends of which are inputs."""
    C = at.matrices.of(Factor("C"))
    for pair in at.equation.transfer.pairs:
        yield at.system.boundary(pair.dropped), C * at.system.boundary(pair.kept)


def as_same(at: Case) -> Sides:
    """z_i,j = z_j,i: what the theorem's last item says."""
    for pair in at.equation.transfer.pairs:
        yield at.system.boundary(pair.dropped), at.system.boundary(pair.kept)


def pairing_matrix(at: Case) -> Sides:
    """C = diag(I, −I, 1), s unchanged."""
    n, s = at.system.n, len(at.system.s)
    yield at.matrices.of(Factor("C")), sp.diag(sp.eye(n), -sp.eye(n), sp.eye(s), 1)


def pairing_size(at: Case) -> Sides:
    """n is 3 in the plane, 6 in space."""
    C = at.matrices.of(Factor("C"))
    turned = sum(C[i, i] == -1 for i in range(C.rows))
    yield numbers(turned), numbers({2: 3, 3: 6}[at.plan.dimension])


def either(at: Case) -> Sides:
    """C C = I: either state may be eliminated."""
    C = at.matrices.of(Factor("C"))
    yield C * C, sp.eye(C.rows)


def merged_named(at: Case) -> Sides:
    """[… P … Q …] becomes P + Q C in the column of the kept end."""
    C = letter("C")
    place = {column: i for i, column in enumerate(at.equation.opened)}
    for row in at.rows("main", "geometric"):
        element = at.elements[row.element].name
        whole = at.main() if row.kind == "main" else at.geometric(element, row.entry)
        for pair in at.equation.transfer.pairs:
            both = sp.expand(whole[place[pair.kept]] + whole[place[pair.dropped]] * C)
            yield sp.Matrix([at.names(row)[at.columns().index(pair.kept)]]), sp.Matrix([both])
        others = [c for c in at.columns() if c not in {p.kept for p in at.equation.transfer.pairs}]
        for column in others:
            name = at.names(row)[at.columns().index(column)]
            yield sp.Matrix([name]), sp.Matrix([whole[place[column]]])


text = partial(ledger(PAPER, tree), kind="text", symbols=symbols)
own = partial(ledger(PAPER, *everywhere), kind="own", symbols=symbols)
of_chain = partial(display, instants=(chain,))
of_ring = partial(display, instants=(ring,))
of_general = partial(display, instants=(general, example_2))
both_kinds = ("main", "geometric")

ENTRIES = (
    of_chain("6", "overall equation of a chain", chain_transferred, "z_n,0 = U_1−n z_1,0"),
    of_chain("7", "overall matrix of a chain", product_named, "U_1−n = U_n … U_2 U_1"),
    text(
        "below 7",
        "successive premultiplication of the elements' matrices",
        product_written_out,
        "z_j,O = U_j … U_1 z_1,0",
        instants=(chain,),
    ),
    of_chain(
        "8",
        "the same as a sum of zero",
        partial(satisfied, kinds=("main",)),
        "[−I U_1−n] [z_n,0; z_1,0] = 0",
    ),
    text(
        "below 8",
        "order of a chain's overall matrix",
        order_of_chain,
        "13 + n, n open relative accelerations of hinges",
        as_printed="13 of rigid bodies, 13 + n with n modes",
        correction="a hinge's open relative accelerations, which no element gives, count in n too",
        instants=(chain,),
    ),
    of_ring(
        "9", "a ring, parted", partial(satisfied, kinds=("main",), opened=True), "z_n,1 = U z_1,n"
    ),
    of_ring("10", "its matrix", product_named, "U = U_n … U_2 U_1"),
    of_ring("11", "both sides of the cut", ring_same, "z_1,n = z_n,1"),
    of_ring("12", "its overall equation", ring_closed, "(U − I) z_1,n = 0"),
    display(
        "23",
        "main equation",
        partial(satisfied, kinds=("main",)),
        "−z_root + Σ (product) z_tip = 0",
    ),
    display("24", "its products", main_named, "U of each element from the tip to the root"),
    display(
        "25",
        "geometric equation of body 9",
        lambda at: geometric_at_inputs(at, "9"),
        "H_9,I1 z_9,I1 − H_9,I2 z_9,I2 = 0",
    ),
    display(
        "26",
        "states at its inputs from the tips",
        lambda at: inputs_from_tips(at, "9"),
        "z_9,Ik = (product) z_tip",
    ),
    display(
        "27",
        "inserted",
        lambda at: geometric_inserted(at, "9"),
        "H_9,I1 (product) z_tip − H_9,I2 (product) z_tip = 0",
    ),
    display(
        "28", "written as a row", lambda at: geometric_named(at, "9"), "[O G −G O …] z_all = 0"
    ),
    display("29", "its blocks", lambda at: geometric_named(at, "9"), "±H_9,Ik (product)"),
    display(
        "30",
        "geometric equations of bodies 10 and 4",
        lambda at: geometric_inserted(at, "10", "4"),
        "rows of bodies 10 and 4",
    ),
    display("31", "their blocks", lambda at: geometric_named(at, "10", "4"), "±H_j,Ik (product)"),
    display(
        "32", "overall equation of a tree", partial(satisfied, kinds=both_kinds), "U_all z_all = 0"
    ),
    display(
        "33",
        "overall matrix of a tree",
        overall_named,
        "main above geometric rows; first column −I, O, …",
    ),
    text(
        "below 33",
        "a chain's equation is a tree's with one tip",
        overall_named,
        "[−I U_n … U_1]",
        instants=(chain,),
    ),
    of_general("34", "both ends of a cut", paired, "z_i,j = C z_j,i"),
    text(
        "below 34",
        "either state may be eliminated",
        either,
        "C C = I",
        instants=(general, example_2),
    ),
    of_general("35", "C", pairing_matrix, "C = diag(I_n, −I_n, 1)"),
    text(
        "below 35",
        "n of C",
        pairing_size,
        "n = 3 in the plane, 6 in space",
        instants=(general, example_2),
    ),
    of_general(
        "36",
        "overall equation with both ends of the cut",
        partial(satisfied, kinds=both_kinds, opened=True),
        "U_all z_all = 0",
    ),
    of_general("37", "its matrix", overall_named, "as (33)"),
    of_general(
        "38",
        "with one end of the cut",
        partial(satisfied, kinds=both_kinds),
        "U_all z_all = 0, P + Q C",
    ),
    of_general("39", "its matrix", merged_named, "[… P + Q C …]"),
    text(
        "theorem 1",
        "z_all has the states of all boundary ends",
        states_of_boundaries,
        "root, tips, both ends of each cut",
        instants=(tree, chain, general),
    ),
    text("theorem 2", "rows of a tree", overall_named, "−I, products; O, ±H times products"),
    text(
        "theorem 2, rows",
        "a row for each input of a body but its first",
        every_row,
        "k = 2, …, L",
        instants=(tree, general, example_2),
    ),
    text("theorem 3", "a chain", product_named, "[−I U_n … U_1]", instants=(chain,)),
    text(
        "theorem 4",
        "a ring: tip and root with the same state",
        ring_same,
        "z_1,n = z_n,1",
        instants=(ring,),
    ),
    text(
        "theorem 5",
        "a general system: both ends of a cut",
        paired,
        "z_i,j = C z_j,i",
        as_printed="z_i,j = z_j,i, “the same state vectors”",
        printed=as_same,
        correction="loads change their sign where both ends are inputs, by C of (34)",
        instants=(general, example_2),
    ),
    own("unknowns", "as many equations as unknowns", counted, "n of each end, 2n of each cut, s"),
    own(
        "hinges",
        "rows that say what drives the hinges",
        partial(satisfied, kinds=("hinge",)),
        "Gⱼ (product) z_tip = 0",
    ),
)
