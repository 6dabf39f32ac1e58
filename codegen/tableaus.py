"""The methods of integration as data: exact coefficients, from which every target is emitted.

A step goes from (q, v) by increments x of the coordinates and changes of the speeds. Stage i
stands at c_i h, with x = h Σ_j a_ij k_j, and k_i are the rates there; the step ends with b for
a_i. What a slot's increment does is its retraction: it is added, or, on a curved method, turns
the unit quaternion, Q ∘ exp x, in which case k = dexp⁻¹_{−x} ω.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from .interface import Turn

if TYPE_CHECKING:
    from ..symbolic.language.program import Program, Slot

Row = tuple[Fraction, ...]


@dataclass(frozen=True)
class Tableau:
    """Coefficients of an explicit Runge–Kutta method.

    `error` weighs the stages for the difference of the two results of a pair; `dense` are the
    d of the continuous result, Hermite's cubic plus θ²(1 − θ)² h Σ d_j k_j.
    """

    a: tuple[Row, ...]
    b: Row
    error: Row = ()
    dense: Row = ()

    @property
    def c(self) -> Row:
        """Where the stages stand: the sums of the rows."""
        return tuple(sum(row, Fraction(0)) for row in self.a)

    @property
    def stages(self) -> int:
        return len(self.b)


@dataclass(frozen=True)
class Surd:
    """whole + part √6, exactly."""

    whole: Fraction
    part: Fraction = Fraction(0)

    def __float__(self) -> float:
        """The nearest double: 40 digits are rounded once."""
        with localcontext() as context:
            context.prec = 40
            whole, part = (Decimal(x.numerator) / x.denominator for x in (self.whole, self.part))
            return float(whole + part * Decimal(6).sqrt())


@dataclass(frozen=True)
class Collocation:
    """Coefficients of an implicit Runge–Kutta method by collocation, of three stages.

    Stage i stands at c_i h, moved by x_i with Σ_j (A⁻¹)_ij x_j = h k_i, where k_i are the rates
    there; the last one is the end of the step. `error` weighs the x_i / h for the estimate of the
    error, to which the first rates are added. T⁻¹ A⁻¹ T has the real eigenvalue first, then the
    pair α ± iβ as ((α, −β), (β, α)).
    """

    c: tuple[Surd, ...]
    inverse: tuple[tuple[Surd, ...], ...]
    error: tuple[Surd, ...]
    eigenvalues: tuple[float, float, float]
    transform: tuple[tuple[float, ...], ...]
    back: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Method:
    """A tableau and what its increments mean.

    `curved`: quaternions are turned instead of added to; `staggered`: the coordinates move with
    the new speeds. A method whose tableau has error weights chooses its steps; of an explicit one
    the last stage is the first of the next step.
    """

    name: str
    title: str
    source: str
    order: int
    tableau: Tableau | Collocation
    curved: bool = True
    staggered: bool = False

    @property
    def adaptive(self) -> bool:
        """Does the method choose its steps?"""
        return bool(self.tableau.error)

    @property
    def implicit(self) -> bool:
        """Does the method solve for its stages, with the derivatives of the accelerations?"""
        return isinstance(self.tableau, Collocation)


def _row(text: str) -> Row:
    return tuple(Fraction(number) for number in text.split())


def _rows(*texts: str) -> tuple[Row, ...]:
    return tuple(map(_row, texts))


EULER = Tableau(a=((),), b=_row("1"))

CLASSICAL = Tableau(a=_rows("", "1/2", "0 1/2", "0 0 1"), b=_row("1/6 1/3 1/3 1/6"))

_FIFTH = "35/384 0 500/1113 125/192 -2187/6784 11/84"

DORMAND_PRINCE = Tableau(
    a=_rows(
        "",
        "1/5",
        "3/40 9/40",
        "44/45 -56/15 32/9",
        "19372/6561 -25360/2187 64448/6561 -212/729",
        "9017/3168 -355/33 46732/5247 49/176 -5103/18656",
        _FIFTH,
    ),
    b=_row(_FIFTH + " 0"),
    error=_row("71/57600 0 -71/16695 71/1920 -17253/339200 22/525 -1/40"),
    dense=_row(
        "-12715105075/11282082432 0 87487479700/32700410799 -10690763975/1880347072 "
        "701980252875/199316789632 -1453857185/822651844 69997945/29380423"
    ),
)


def _surds(text: str) -> tuple[Surd, ...]:
    """Surds as `whole:part`, the part in √6."""
    return tuple(Surd(*map(Fraction, number.split(":"))) for number in text.split())


#: Radau IIA of order 5, and what RADAU5 makes of it: the eigenvectors are those of its source.
RADAU_IIA = Collocation(
    c=_surds("2/5:-1/10 2/5:1/10 1"),
    inverse=(
        _surds("2:1/2 -6/5:29/30 2/5:-4/15"),
        _surds("-6/5:-29/30 2:-1/2 2/5:4/15"),
        _surds("-1:8/3 -1:-8/3 5"),
    ),
    error=_surds("-13/3:-7/3 -13/3:7/3 -1/3"),
    eigenvalues=(
        3 + 3 ** (2 / 3) - 3 ** (1 / 3),
        3 + (3 ** (1 / 3) - 3 ** (2 / 3)) / 2,
        (3 ** (5 / 6) + 3 ** (7 / 6)) / 2,
    ),
    transform=(
        (0.091232394870892942792, -0.14125529502095420843, -0.030029194105147424492),
        (0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779),
        (0.96604818261509293619, 1.0, 0.0),
    ),
    back=(
        (4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119),
        (-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196),
        (-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497),
    ),
)

#: The methods in the order of their numbers in the generated code.
METHODS = (
    Method(
        "rk4",
        "classical Runge-Kutta; quaternions are brought back to unit length",
        "Riccati paper, Sect. 5.1",
        4,
        CLASSICAL,
        curved=False,
    ),
    Method(
        "euler",
        "semi-implicit Euler: the speeds first, the coordinates with the new ones",
        "own",
        1,
        EULER,
        staggered=True,
    ),
    Method(
        "rkmk4",
        "Munthe-Kaas: Runge-Kutta on increments of the orientations",
        "screw paper (89), (90)",
        4,
        CLASSICAL,
    ),
    Method(
        "dopri5",
        "Dormand-Prince 5(4) with a continuous result of order 4",
        "Dormand and Prince 1980; Shampine 1986",
        5,
        DORMAND_PRINCE,
    ),
    Method(
        "radau5",
        "Radau IIA, implicit, for stiff motion",
        "Hairer and Wanner, Solving Ordinary Differential Equations II, Sect. IV.8",
        5,
        RADAU_IIA,
    ),
)

#: An adaptive motion that would take more steps than this is given up, when it has taken so many
#: at that pace.
MOST_STEPS = 100_000_000
PATIENCE = 10_000

#: What an implicit method keeps in the place of stages: the first rates, the increments of its
#: three stages by h, the error, and the accelerations with which the step before ended.
KEPT = 6

#: Newton iterations of an implicit step; when more are needed the step is too long.
MOST_ITERATIONS = 7

#: The most stages of any.
STAGES = DORMAND_PRINCE.stages


def turns(program: Program) -> tuple[Turn, ...]:
    """The quaternions of a program's state; every other coordinate has a speed of its own."""
    return tuple(_turns(slots(program)))


def slots(program: Program) -> Iterator[Slot]:
    from ..symbolic.language.program import Slot, Storage

    if program.slots:
        yield from program.slots
        return
    for array in program.arrays.values():
        if array.storage is Storage.ARGUMENT and array.owner == "q":
            whole = array.slot is Slot.QUATERNION
            count = 1 if whole else len(array.port.entries)
            yield from [array.slot] * count * len(program.sets[array.index_set])


def _turns(slots: Iterator[Slot]) -> Iterator[Turn]:
    from ..symbolic.language.program import Slot

    q = v = 0
    for slot in slots:
        if slot is Slot.QUATERNION:
            yield Turn(q, v)
        q, v = (q + 4, v + 3) if slot is Slot.QUATERNION else (q + 1, v + 1)
