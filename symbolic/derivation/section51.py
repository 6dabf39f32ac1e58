"""Section 5.1 of Riccati paper as results: each with its number, its print and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import sympy as sp

from ..exact.rational import ExactMatrix
from ..methods.riccati.recursion import Blocks
from . import assembly as assembly51
from . import printed as prints
from . import printed_assembly as assembled
from .assembly import COMPLETION, REDUCED, row_4
from .compare import compared, entry, lost, misprint, own
from .demonstration import Demonstration
from .results import Entry, Line, Result, Verdict

BODY_STEP = (
    Line("P = (T21 S + T22)⁻¹ and q = −(T21 e + f_b) (24)"),
    Line("S ← (T11 S + T12) P (29) and e ← T11 e + f_a + S q (30)"),
)
COMPLETED_STEP = (
    Line("m = 0 at the hinge itself: Ω̇_I = −S_mΩ⁻¹ (S_mr r̈ + e_m)"),
    Line("inserted in the remaining rows; moment rows and angular column become zero"),
)
NO_NUMBERS = "the paper calls it too large to be shown"


def entries(example: Demonstration) -> Iterator[Entry]:
    """Every result of (36)–(62), not yet computed."""
    yield from _bodies(example)
    yield from _first_chain(example)
    yield from _second_chain(example)
    yield from assembly51.entries(example)
    yield from _back_substitution(example)


def entries_alike(example: Demonstration, printed: Demonstration) -> Iterator[Entry]:
    """The same results of a branch system of other data than those `printed`.

    Where a result is that of the printed system, so is its verdict; else there is nothing to
    compare with.
    """

    def judged(asked: Entry, other: Entry) -> Result:
        result, known = asked.build(), other.build()
        if result.matrix == known.matrix:
            return known
        verdict = own(asked.equation, "the print is of other data", ())(())
        return replace(result, printed=None, verdict=verdict)

    for each, other in zip(entries(example), entries(printed), strict=True):
        yield replace(each, build=partial(judged, each, other))


def _bodies(example: Demonstration) -> Iterator[Entry]:
    for name in ("1", "3", "5"):
        yield entry(
            example,
            f"U{name}",
            "36",
            f"rod {name}, planar",
            lambda name=name: example.body(name),  # type: ignore[misc]
            verdict=partial(_of_rod, example, name),
            steps=REDUCED,
        )


def _of_rod(example: Demonstration, name: str, where: tuple[str, ...]) -> Verdict:
    text = "before (44)" if name == "5" else f"before (44), with {name} for 5"
    why = row_4(example, name, prints.moment_row_5(int(name)), text)
    return Verdict("lost", why=why, equation="36")


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
        "zaO1",
        "41",
        "loads at the output of rod 1 from its accelerations",
        lambda: example.loads_by_elimination,
        print_=prints.za1O,
        verdict=compared("41", "with (39), (40) inserted", ("X17",)),
        steps=(
            Line("free tip: z_1,O = U1 (r̈, Ω̇, 0, 0, 1), in which r̈ and Ω̇ of the tip"),
            Line("are eliminated by those of the output, directly, without S2 and e2"),
        ),
    )
    yield entry(
        example,
        "z1O",
        "42",
        "state at the output of rod 1",
        lambda: example.state_at_tip_1,
        print_=assembled.state_at_tip_1,
        verdict=compared("42", "with (39), (40) inserted", ("X17",)),
        steps=(Line("accelerations, loads by (41), and the 1"),),
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
