"""The functions that an equation may name, each of series of exact matrices.

Screws are (ω, v), poses 4×4; `hat`, `ad`, `Ad`, `bar` are those of the screw paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from . import matrices as of
from .matrices import Mat, Terms
from .tokens import EquationError, NoValueError

ZERO, ONE = Mat.zeros(3, 3), Mat.eye(3)


def shape(series: Terms) -> str:
    return f"{series[0].rows} × {series[0].cols}"


def need(series: Terms, *shapes: tuple[int, int]) -> None:
    if series[0].shape not in shapes:
        wanted = " or ".join(f"{a} × {b}" for a, b in shapes)
        raise NoValueError(f"takes {wanted}, not {shape(series)}")


def halves(screw: Mat) -> tuple[Mat, Mat]:
    return screw.part(range(3), [0]), screw.part(range(3, 6), [0])


def skew(a: Terms) -> Terms:
    need(a, (3, 1))
    return [of.skew(x) for x in a]


def axial(a: Terms) -> Terms:
    """The vector of a skew matrix."""
    need(a, (3, 3))
    return [Mat([[x.whole[2][1]], [x.whole[0][2]], [x.whole[1][0]]], x.over, (3, 1)) for x in a]


def hat(a: Terms) -> Terms:
    need(a, (6, 1))
    found = []
    for x in a:
        w, v = halves(x)
        found.append(of.vcat([of.hcat([of.skew(w), v]), Mat.zeros(1, 4)]))
    return found


def ad(a: Terms, b: Terms | None = None) -> Terms:
    """Of a screw; of its halves, either of which may be 0."""
    if b is not None:
        a = [of.vcat([x, y]) for x, y in zip(_vector(a), _vector(b), strict=False)]
    need(a, (6, 1))
    found = []
    for x in a:
        w, v = map(of.skew, halves(x))
        found.append(of.block([[w, ZERO], [v, w]]))
    return found


def _vector(a: Terms) -> Terms:
    return [Mat.zeros(3, 1)] * len(a) if a[0].shape == (1, 1) and a[0].zero else a


def bar(a: Terms) -> Terms:
    """Of a wrench (moment, force), so that bar(W) V = −ad_Vᵀ W."""
    need(a, (6, 1))
    found = []
    for x in a:
        moment, force = map(of.skew, halves(x))
        found.append(of.block([[moment, force], [force, ZERO]]))
    return found


def adjoint(a: Terms) -> Terms:
    """Of a pose; of a rotation or a shift alone."""
    need(a, (4, 4), (3, 3), (3, 1))
    zero = [ZERO] * len(a)
    turn, shift = a, zero
    if a[0].shape == (3, 1):
        turn, shift = [ONE, *zero[1:]], skew(a)
    elif a[0].shape == (4, 4):
        turn = [x.part(range(3), range(3)) for x in a]
        shift = skew([x.part(range(3), [3]) for x in a])
    low = of.product(shift, turn)
    return [of.block([[x, ZERO], [y, x]]) for x, y in zip(turn, low, strict=False)]


def inverse(a: Terms) -> Terms:
    back = of.inverse(a) if a[0].rows == a[0].cols else None
    if back is None:
        raise NoValueError("has no inverse")
    return back


def bracket(a: Terms, b: Terms) -> Terms:
    need(b, (6, 1))
    return of.product(ad(a), b)


def half(which: int) -> Callable[[Terms], Terms]:
    """A screw with its angular (0) or its linear (1) half alone."""

    def found(a: Terms) -> Terms:
        need(a, (6, 1))
        none = Mat.zeros(3, 1)
        return [of.vcat([w, none] if which == 0 else [none, v]) for w, v in map(halves, a)]

    return found


def counted(f: Callable[[Mat], int | Fraction]) -> Callable[[Terms], Terms]:
    """A number of a matrix that has no rate."""

    def found(a: Terms) -> Terms:
        if len(a) > 1:
            raise EquationError("has no rate")
        return [Mat.number(f(a[0]))]

    return found


def trace(a: Terms) -> Terms:
    return [Mat.number(sum((x[i, i] for i in range(x.rows)), Fraction())) for x in a]


def eye(a: Terms) -> Terms:
    return of.still(Mat.eye(int(a[0][0, 0])), len(a) - 1)


def zeros(a: Terms, b: Terms) -> Terms:
    return [Mat.zeros(int(a[0][0, 0]), int(b[0][0, 0]))] * len(a)


def together(join: Callable[[list[Mat]], Mat]) -> Callable[..., Terms]:
    def found(*parts: Terms) -> Terms:
        return [join(list(terms)) for terms in zip(*parts, strict=False)]

    return found


def row(*parts: Terms) -> Terms:
    if len({part[0].rows for part in parts}) > 1:
        raise NoValueError(f"takes parts of one height, not {', '.join(map(shape, parts))}")
    return together(of.hcat)(*parts)


FUNCTIONS: Mapping[str, Callable[..., Terms]] = {
    "T": lambda a: [x.T for x in a],
    "inv": inverse,
    "hat": hat,
    "skew": skew,
    "axial": axial,
    "ang": half(0),
    "lin": half(1),
    "Ad": adjoint,
    "ad": ad,
    "bar": bar,
    "bracket": bracket,
    "rank": counted(Mat.rank),
    "rows": counted(lambda m: m.rows),
    "cols": counted(lambda m: m.cols),
    "positive": counted(lambda m: int(m.positive())),
    "det": counted(Mat.det),
    "tr": trace,
    "diag": together(of.diag),
    "row": row,
    "eye": eye,
    "zeros": zeros,
}
