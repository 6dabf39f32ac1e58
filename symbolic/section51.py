"""Section 5.1 of Riccati paper as results: each with its number, its print and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sympy as sp

from . import printed as prints
from .compare import entry, fixed, lost, misprint, own
from .demonstration import Demonstration
from .exact import ExactMatrix
from .results import Entry, Form, Line, Result, Verdict
from .riccati import Blocks

REDUCED = (
    Line("the spatial matrix (4), solved from force and moment balance"),
    Line("the rod's data inserted; rows and columns 1, 2, 6, 9, 10, 11, 13 kept (35)"),
)
BODY_STEP = (
    Line("P = (T21 S + T22)⁻¹ and q = −(T21 e + f_b) (24)"),
    Line("S ← (T11 S + T12) P (29) and e ← T11 e + f_a + S q (30)"),
)
COMPLETED_STEP = (
    Line("m = 0 at the hinge itself: Ω̇_I = −S_mΩ⁻¹ (S_mr r̈ + e_m)"),
    Line("inserted in the remaining rows; moment rows and angular column become zero"),
)
ASSEMBLED = (
    Line("main equation (53): the body's matrix (49) times the multi-hinge's (52)"),
    Line("geometric equation (54): accelerations of input 2 from input 1, and m = 0 there"),
    Line("the chains' ends inserted by (42) and (48)"),
)
NO_NUMBERS = "the paper calls it too large to be shown"
COMPLETION = (
    "our completion: m = 0 at the hinge itself, where the printed hinge (10) states the "
    "condition of the next hinge"
)


def entries(example: Demonstration) -> Iterator[Entry]:
    """Every result of (36)–(62), not yet computed."""
    yield from _bodies(example)
    yield from _first_chain(example)
    yield from _second_chain(example)
    yield from _multi_hinge(example)
    yield from _overall(example)
    yield from _back_substitution(example)


def _bodies(example: Demonstration) -> Iterator[Entry]:
    for name in ("1", "3", "5"):
        yield entry(
            example,
            f"U{name}",
            "36",
            f"rod {name}, planar",
            lambda name=name: example.body(name),  # type: ignore[misc]
            verdict=lost("36", "derived; its row 4 agrees with the text before (44)"),
            steps=REDUCED,
        )


def _rearranged(example: Demonstration) -> ExactMatrix:
    order = [*example.split.a, *example.split.b, 6]
    return example.body("1").extract(order[:6], order)


def _block_entries(
    example: Demonstration,
    suffix: str,
    equation: str,
    title: str,
    blocks: Callable[[], Blocks],
    print_: Callable[[], dict[str, sp.Matrix]],
) -> Iterator[Entry]:
    for name in ("T11", "T12", "T21", "T22", "fa", "fb"):
        yield entry(
            example,
            f"{name}{suffix}",
            equation,
            f"{name} of {title}",
            lambda name=name: getattr(blocks(), name),  # type: ignore[misc]
            print_=lambda name=name: print_()[name],  # type: ignore[misc]
            steps=(Line("rows and columns in the order z_a = (m, q), z_b = (r̈, Ω̇) (20)"),),
        )


def _first_chain(example: Demonstration) -> Iterator[Entry]:
    yield entry(
        example,
        "U1_rearranged",
        "37",
        "rod 1 in the order (m, q, r̈, Ω̇ | 1)",
        lambda: _rearranged(example),
        verdict=lost("37"),
        steps=REDUCED,
    )
    yield from _block_entries(
        example, "", "38", "rod 1", lambda: example.blocks("1"), prints.rod_blocks
    )
    start = Line("free tip: z_a = (m, q) = 0, so S1 = 0 and e1 = 0 (34)")
    yield entry(
        example,
        "S2",
        "39",
        "S behind rod 1",
        lambda: example.first.S,
        print_=prints.S2,
        steps=(*REDUCED, start, *BODY_STEP, Line("T21 = 0 and S1 = 0, so S2 = T12 T22⁻¹")),
        shown=(
            ("T12 (38)", lambda: example.blocks("1").T12),
            ("P1 = T22⁻¹ (24)", lambda: example.blocks("1").T22.inv()),
        ),
    )
    yield entry(
        example,
        "e2",
        "40",
        "e behind rod 1",
        lambda: example.first.e,
        print_=prints.e2,
        steps=(*REDUCED, start, *BODY_STEP, Line("T21 = 0 and e1 = 0, so e2 = f_a − S2 f_b")),
        shown=(
            ("f_a (38)", lambda: example.blocks("1").fa),
            ("S2 (39)", lambda: example.first.S),
            ("f_b (38)", lambda: example.blocks("1").fb),
        ),
    )
    yield entry(
        example,
        "Utip1",
        "43",
        "state at the output of rod 1 from (r̈, Ω̇, 1)",
        lambda: example.tips(True)[0],
        verdict=lost("43", "built from S2, e2 as (42) says"),
        steps=(Line("z = [z_b; S z_b + e; 1] (42)"),),
    )


def _second_chain(example: Demonstration) -> Iterator[Entry]:
    yield entry(
        example,
        "U4",
        "44",
        "hinge 4 from its outboard rod 5",
        lambda: example.hinge4,
        verdict=lost(
            "44",
            "derived from (10); it states m = 0 at the output of rod 5, not at hinge 4",
            ("X1",),
        ),
        form="printed",
        steps=(Line("(10) with row 4 of U5"),),
    )
    yield from _block_entries(
        example, "_4", "45", "hinge 4", lambda: example.hinge4_blocks, prints.hinge4_blocks
    )
    yield entry(
        example,
        "S3",
        "46",
        "S behind hinge 4, with the printed hinge",
        lambda: example.third(False).S,
        print_=prints.S3,
        verdict=misprint(
            "46",
            "in entry (1,2) s3 c3 c5 should read c3 s3 s5, and entry (1,3) is 4/3 m a² over the "
            "denominator, not 4 m a²",
            ("X2", "X3", "X10"),
        ),
        form="printed",
        steps=BODY_STEP,
        shown=(
            ("S2 of rod 3 (39)", lambda: example.after_first_body("3").S),
            ("T21 (45)", lambda: example.hinge4_blocks.T21),
            ("T22 (45)", lambda: example.hinge4_blocks.T22),
            ("T21 S2 + T22, whose determinant is the denominator", example.hinge4_pivot),
        ),
    )
    yield entry(
        example,
        "S3",
        "46",
        "S behind hinge 4, completed hinge",
        lambda: example.third(True).S,
        print_=prints.S3,
        verdict=own("46", COMPLETION),
        form="completed",
        steps=COMPLETED_STEP,
        shown=(("S2 of rod 3 (39)", lambda: example.after_first_body("3").S),),
    )
    yield entry(
        example,
        "e3",
        "47",
        "e behind hinge 4, with the printed hinge",
        lambda: example.third(False).e,
        print_=prints.e3,
        verdict=misprint(
            "47", "the print has an undefined symbol c_c; it is c3 in every row", ("X4", "X10")
        ),
        form="printed",
        steps=BODY_STEP,
    )
    yield entry(
        example,
        "e3",
        "47",
        "e behind hinge 4, completed hinge",
        lambda: example.third(True).e,
        print_=prints.e3,
        verdict=own("47", COMPLETION),
        form="completed",
        steps=COMPLETED_STEP,
    )
    vanishing = (
        f"{NO_NUMBERS}; with the printed hinge its first row is identically zero: m = 0 at the "
        "output of rod 5 is built in, and m = 0 at hinge 4 is lost"
    )
    for symbol in ("S4", "e4"):
        for completed in (False, True):
            yield entry(
                example,
                symbol,
                "48",
                f"{symbol[0]} behind rod 5, {'completed' if completed else 'printed'} hinge",
                lambda symbol=symbol, completed=completed: getattr(  # type: ignore[misc]
                    example.fourth(completed), symbol[0]
                ),
                verdict=own("48", f"{NO_NUMBERS}; {COMPLETION}" if completed else vanishing),
                form="completed" if completed else "printed",
                steps=BODY_STEP,
            )
    for completed in (False, True):
        yield entry(
            example,
            "Utip2",
            "48",
            "state at the output of rod 5 from (r̈, Ω̇, 1)",
            lambda completed=completed: example.tips(completed)[1],  # type: ignore[misc]
            verdict=own(
                "48",
                "S4 and e4 completed"
                if completed
                else "its moment row is zero, as that of S4 and e4",
                ("X1", "X7"),
            ),
            form="completed" if completed else "printed",
            steps=(Line("z = [z_b; S4 z_b + e4; 1] (48)"),),
        )


def _multi_hinge(example: Demonstration) -> Iterator[Entry]:
    yield entry(
        example,
        "U7",
        "49",
        "rod 7 with two inputs, output at its centre",
        lambda: example.body("7"),
        verdict=lost("49", "derived; its row 4 agrees with the text before (52)", ("X21",)),
        steps=REDUCED,
    )
    for k in (1, 2):
        yield entry(
            example,
            f"Uhat8_I{k}",
            "52",
            f"multi-hinge 8, input {k}",
            lambda k=k: example.multi_hinge8[k - 1],  # type: ignore[misc]
            print_=lambda k=k: prints.multi_hinge_8()[k - 1],  # type: ignore[misc]
            verdict=misprint(
                "52",
                "the denominators 2 m a, as the flattened text reads, should be m a: only then "
                "does the moment row of U7 Uhat8 vanish",
                ("X5",),
            ),
            steps=(Line("(12), (13) with row 4 of U7"),),
        )
    for k in (1, 2):
        yield entry(
            example,
            f"main{k}",
            "53",
            f"U7 Uhat8_I{k}: what input {k} contributes to z_7,O; row 4 is zero",
            lambda k=k: example.main(k),  # type: ignore[misc]
            verdict=fixed(Verdict("equals", why="the product of its factors", equation="53")),
            steps=(Line("U7 times Uhat8 (53)"),),
        )
    for k in (1, 2):
        yield entry(
            example,
            f"geo{k}",
            "54",
            f"coefficient of input {k}'s state in the geometric equation",
            lambda k=k: example.compatibility(k),  # type: ignore[misc]
            verdict=fixed(
                Verdict("equals", why="three scalar equations", errata=("X19",), equation="54")
            ),
            steps=(Line("H_O1,I2 Uhat8, minus H_rm at the input itself (54)"),),
        )
    yield entry(
        example,
        "H_rm",
        "55",
        "picks accelerations and moment of an end",
        lambda: example.selector,
        verdict=lost("55"),
        steps=(Line("rows of (16) kept in the plane"),),
    )
    yield entry(
        example,
        "H_O1_I2",
        "55",
        "input 2's acceleration from input 1's; no moment",
        lambda: example.geometric,
        verdict=lost("55"),
        steps=(Line("(14), (17) with r from I1 to I2"),),
    )


def _overall(example: Demonstration) -> Iterator[Entry]:
    for completed in (False, True):
        form: Form = "completed" if completed else "printed"
        yield entry(
            example,
            "Uall",
            "57",
            f"overall matrix, {form} hinge",
            lambda completed=completed: example.overall(completed),  # type: ignore[misc]
            verdict=own("57", f"the blocks of (57), with S4 and e4 completed: {COMPLETION}")
            if completed
            else fixed(Verdict("equals", why="block by block", errata=("X1", "X7"), equation="57")),
            form=form,
            steps=ASSEMBLED,
        )
    yield entry(
        example,
        "zall",
        "58",
        "the overall state vector",
        lambda: example.unknowns,
        print_=prints.z_all,
    )
    for completed in (False, True):
        yield from _reduced(example, completed)
    yield entry(
        example,
        "zbar",
        "60",
        "the nine unknowns of (59)",
        lambda: example.reduced_unknowns,
        print_=prints.z_bar,
    )


SINGULAR = (
    "printed, the system has rank 7 of 9 and determines no motion: row 4 says m = 0 at the "
    "output of body 7 and row 9 m = 0 at the output of body 5, and the hinge (10) has already "
    "built both in, so that they read 0 = 0; the moments at the outputs of bodies 1 and 3 are "
    "never set to zero"
)
REGULAR = (
    "completed, the system has rank 9: hinge 4 sets its own moment to zero, so that row 9 says "
    "m = 0 at the output of body 5, and row 4 is replaced by m = 0 at the output of body 1"
)


def _reduced(example: Demonstration, completed: bool) -> Iterator[Entry]:
    form: Form = "completed" if completed else "printed"
    literal = Verdict("equals", why=SINGULAR, errata=("X1",), equation="59")
    verdict = own("59", REGULAR) if completed else fixed(literal)
    steps = (
        *ASSEMBLED,
        Line("columns 1, 2, 4 are zero by the pinned root; row 7 is trivial"),
        Line("columns 7, 11, 15 belong to the ones and go to the right-hand side"),
    )
    yield entry(
        example, "Ubar", "59", f"reduced 9 × 9 matrix, {form}",
        lambda: example.reduced(completed)[0], verdict=verdict, form=form, steps=steps,
    )  # fmt: skip
    yield entry(
        example, "b", "59", f"right-hand side of (59), {form}",
        lambda: example.reduced(completed)[1], verdict=verdict, form=form, steps=steps,
    )  # fmt: skip

    def rank() -> Result:
        value, empty = example.rank(completed), example.empty_rows(completed)
        lines = (
            Line(
                f"rows that vanish identically in all symbols: {', '.join(map(str, empty))}"
                if empty
                else "no row vanishes identically"
            ),
            Line(
                "exact rank at a rational point (cosines and sines rational): "
                f"{value} of {example.reduced(completed)[0].rows}"
            ),
            Line(REGULAR if completed else SINGULAR),
        )
        said = Verdict("own", why=REGULAR if completed else SINGULAR, errata=("X1",), equation="59")
        title = f"rank of the reduced system, {form}"
        return Result("rank", "59", title, sp.Matrix([[value]]), None, said, form, lines)

    yield Entry("rank", "59", form, rank)


def _back_substitution(example: Demonstration) -> Iterator[Entry]:
    yield entry(
        example,
        "za1O",
        "61",
        "loads at the output of rod 1",
        lambda: example.root_side,
        print_=prints.za1O,
        steps=(Line("z_a = S2 z_b + e2 (41)"),),
    )
    yield entry(
        example,
        "zb1I",
        "62",
        "accelerations at the tip of rod 1",
        lambda: example.tip_side,
        print_=prints.zb1I,
        verdict=misprint(
            "62",
            "the print multiplies by T22 instead of its inverse: the terms 2 a s1 Ω̇ and "
            "2 a c1 Ω̇ have the wrong sign and violate (20)",
            ("X6",),
        ),
        steps=(Line("z_b,I = P z_b,O + p (33), P = T22⁻¹"),),
    )
