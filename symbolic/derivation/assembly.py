"""Section 5.1 of Riccati paper, body 7 and the assembled system: (49)–(60) as results."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy as sp

from . import printed as prints
from . import printed_assembly as assembled
from .compare import compared, differing, entry, lost, misprint, own
from .demonstration import Demonstration
from .formulas import matching
from .results import Entry, Form, Line, Result, Verdict, judge

REDUCED = (
    Line("the spatial matrix (4), solved from force and moment balance"),
    Line("the rod's data inserted; rows and columns 1, 2, 6, 9, 10, 11, 13 kept (35)"),
)
ASSEMBLED = (
    Line("main equation (53): the body's matrix (49) times the multi-hinge's (52)"),
    Line("geometric equation (54): accelerations of input 2 from input 1, and m = 0 there"),
    Line("the chains' ends inserted by (42) and (48)"),
)
COMPLETION = (
    "completion: m = 0 at the hinge itself, where the printed hinge (10) states the condition of "
    "the next hinge"
)
RESTORED = "with (49) restored and the misprint of (52) put right"


def entries(example: Demonstration) -> Iterator[Entry]:
    """Every result of (49)–(60), not yet computed."""
    yield from _multi_hinge(example)
    yield from _overall(example)


def row_4(example: Demonstration, body: str, print_: sp.Matrix, text: str) -> str:
    """How a body's row 4 stands to the submatrices u3,m that the text lists."""
    U = example.body(body)
    where = differing(example, U.extract([3], range(U.cols)), print_)
    if where:
        columns = ", ".join(place.replace("(1,", "(4,") for place in where)
        return f"derived; it differs from the text {text} at {columns}"
    return f"derived; its row 4 agrees with the text {text}"


def _multi_hinge(example: Demonstration) -> Iterator[Entry]:
    yield entry(
        example,
        "U7",
        "49",
        "rod 7 with two inputs, output at its centre",
        lambda: example.body("7"),
        verdict=lambda where: Verdict(
            "lost",
            why=row_4(example, "7", prints.moment_row_7(), "before (52)"),
            errata=("X21",),
            equation="49",
        ),
        steps=REDUCED,
    )
    yield entry(
        example,
        "z7O",
        "50",
        "state at the output of body 7",
        lambda: example.output_of_body_7,
        print_=assembled.output_of_body_7,
        verdict=compared("50", "with (49) restored", ("X18",)),
        steps=(
            Line("U7 times z_7,I1−I2, which is r̈, m, q of the chains' ends and Ω̇ of body 7 (6)"),
        ),
    )
    yield entry(
        example,
        "z8O",
        "51",
        "state at the output of multi-hinge 8",
        lambda: example.output_of_multi_hinge_8,
        print_=assembled.output_of_multi_hinge_8,
        verdict=compared("51", "with the misprint of (52) put right", ("X5",)),
        steps=(Line("Uhat8_I1 z_1,O + Uhat8_I2 z_5,O (11)"),),
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
            partial(example.main, k),
            print_=lambda k=k: assembled.main(assembled.whole(), k),  # type: ignore[misc]
            verdict=compared("53", RESTORED, ("X5",)),
            steps=(Line("U7 times Uhat8 (53)"),),
        )
    for k in (1, 2):
        yield entry(
            example,
            f"geo{k}",
            "54",
            f"coefficient of input {k}'s state in the geometric equation",
            partial(example.compatibility, k),
            print_=lambda k=k: assembled.compatibility(assembled.whole(), k),  # type: ignore[misc]
            verdict=compared(
                "54",
                "with (55) restored and the misprint of (52) put right; three scalar equations",
                ("X5", "X19"),
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


def _equation_56() -> Result:
    """(53) and (54) with (42) and (48) inserted, by blocks."""
    names = ("U_7", "Uhat8_I1", "Uhat8_I2", "Utip1", "Utip2", "H_rm", "H_O1_I2", "z_7O")
    U7, hat1, hat2, tip1, tip2, H_rm, H_O1, z7 = (
        sp.Symbol(name, commutative=False) for name in names
    )
    x1, x5 = (sp.Symbol(f"x_{end}", commutative=False) for end in ("1O", "5O"))
    z1, z5 = tip1 * x1, tip2 * x5
    z8 = hat1 * z1 + hat2 * z5
    matrix = sp.Matrix([U7 * z8 - z7, H_O1 * z8 - H_rm * z5]).expand()
    letters = assembled.blocks(U7, [hat1, hat2], [tip1, tip2], [H_rm, H_O1])
    print_ = (letters * sp.Matrix([z7, x1, x5])).expand()
    verdict = judge(matching(matrix, print_), "56", "with (57) in letters", ("X7",))
    steps = (
        *ASSEMBLED,
        Line("right side minus left side of (53) and (54), which vanishes", matrix),
    )
    title = "overall equation, x_1,O and x_5,O being (r̈, Ω̇, 1) of the chains' ends"
    return Result("Uall_zall", "56", title, matrix, print_, verdict, "both", steps)


def _overall(example: Demonstration) -> Iterator[Entry]:
    yield Entry("Uall_zall", "56", "both", _equation_56)
    for completed in (False, True):
        form: Form = "completed" if completed else "printed"
        yield entry(
            example,
            "Uall",
            "57",
            f"overall matrix, {form} hinge",
            partial(example.overall, completed),
            print_=None if completed else assembled.overall,
            verdict=own("57", f"the blocks of (57), with S4 and e4 completed: {COMPLETION}")
            if completed
            else compared(
                "57",
                "written out row by row, with (49) restored and the misprints of (46), (47), (52) "
                "put right",
                ("X1", "X2", "X3", "X4", "X5", "X7"),
            ),
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


#: What the moment rows of (59) ask for.
DEMANDS = {4: "m = 0 at the output of body 7", 9: "m = 0 at the output of body 5"}


def rank_sentence(example: Demonstration, completed: bool) -> str:
    """What rank and vanishing rows of (59) say."""
    rank, size = example.rank(completed), example.reduced(completed)[0].rows
    empty = example.empty_rows(completed)
    form = "completed" if completed else "printed"
    says = f"{form}, the system has rank {rank} of {size}"
    if rank < size:
        says += " and determines no motion"
    if empty:
        rows = ", ".join(
            f"row {row}" + (f" ({DEMANDS[row]})" if row in DEMANDS else "") for row in empty
        )
        says += f"; these read 0 = 0, as the hinge (10) has already built them in: {rows}"
    if completed:
        says += (
            "; hinge 4 sets its own moment to zero, so that row 9 says m = 0 at the output of "
            "body 5, and row 4 is replaced by m = 0 at the output of body 1"
        )
    return says


def _reduced(example: Demonstration, completed: bool) -> Iterator[Entry]:
    form: Form = "completed" if completed else "printed"
    steps = (
        *ASSEMBLED,
        Line("columns 1, 2, 4 are zero by the pinned root; row 7 is trivial"),
        Line("columns 7, 11, 15 belong to the ones and go to the right-hand side"),
    )

    def said(where: tuple[str, ...] = ()) -> Verdict:
        why = rank_sentence(example, completed)
        formed = "" if completed else "formed from (57) as the text before (59) says; "
        return Verdict("own", why=formed + why, errata=("X1",), equation="59")

    yield entry(
        example, "Ubar", "59", f"reduced 9 × 9 matrix, {form}",
        lambda: example.reduced(completed)[0], verdict=said, form=form, steps=steps,
    )  # fmt: skip
    yield entry(
        example, "b", "59", f"right-hand side of (59), {form}",
        lambda: example.reduced(completed)[1], verdict=said, form=form, steps=steps,
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
            Line(rank_sentence(example, completed)),
        )
        title = f"rank of the reduced system, {form}"
        return Result("rank", "59", title, sp.Matrix([[value]]), None, said(), form, lines)

    yield Entry("rank", "59", form, rank)
