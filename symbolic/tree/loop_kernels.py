"""The kernels that close loops: the columns of the cuts' multipliers up to where these close.

What a link demands becomes λ = IA a + pA + E μ, and what the conditions of the cut hinges
(`cut_kernels`) demand Eᵀ a + κ − Λ μ = 0. Columns that arrive at a link have their places among
its own: E = E₁ S₁ + E₂ S₂, where the rows of S are those of the unit matrix at these places.

Where all of a condition's columns have arrived, its multipliers are eliminated (see `closing`).

A hinge that follows another demands q = ratio q_other + offset: a condition on the speeds of
both hinges themselves, with coefficients σ = 1 and −ratio, and forces −σ μ in both.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ..language.letters import letters
from ..language.words import counted
from ..language.written import SUBSCRIPTS
from ..mechanics.hinges import joint
from ..mechanics.letters import FACTS, LETTERS, OF_PARENT
from ..mechanics.matrices import Algebra, M, part
from ..mechanics.traced import At, Tracer, tracing

COUPLING = "own: q = ratio q_other + offset"
CURVE = "own: q = f(q_others)"
COLUMNS = "own: columns of the cut's multipliers through the sweep"
BEFORE = "own: the diagonal of Λ before anything closed"
REACH = "own: the diagonal that Λ would have if every hinge of a loop moved its cut at full lever"

LOOPS = LETTERS | letters(f"""
    q      | q   | 1       | | coordinate of a hinge, of the one that follows first
    u      | u   | 1       | | its speed
    phi    | φ   | 1       | {COUPLING} | how far the hinges are from their condition
    phid   | φ̇   | 1       | {COUPLING} | how fast they leave it
    J      | J   | 1       | {COLUMNS} | rate of a condition per speed
    s      | σ   | 1       | {CURVE} | rate of a coupling's condition per speed of its hinges
    sigma  | σ   | f w     | {CURVE} | rates of the couplings' conditions per speed of the hinge
    b      | β   | 1       | {CURVE} | what of the second rate of a coupling needs no acceleration
    bent   | β_f | 1       | | what of the second rate of a coupling needs no acceleration
    E      | E   | n w     | {COLUMNS} | columns of the multipliers μ: λ = IA a + pA + E μ
    E_     | E   | n w     | {COLUMNS} | columns of the multipliers μ: λ = IA a + pA + E μ
    kb_    | κ   | w       | {COLUMNS} | what the conditions demand without acceleration
    L_     | Λ   | w w sym | {COLUMNS} | what the rates of the conditions take from μ
    Eh_    | E_h | n w     | {COLUMNS} | E behind the hinge
    Et_    | E_t | n w     | {COLUMNS} | E_h about the parent's origin and in its axes
    kt_    | κ_t | w       | {COLUMNS} | κ behind the hinge
    Lt_    | Λ_t | w w sym | {COLUMNS} | Λ behind the hinge
    d_     | d   | w       | {REACH} | what the diagonal of Λ would be at full levers
    z_     | δ   | w       | {BEFORE} | what the diagonal of Λ would be if nothing had closed yet
    dt_    | d_t | w       | {REACH} | d behind the hinge
    zt_    | δ_t | w       | {BEFORE} | δ behind the hinge
    Et     | E_t | n w     | | columns that arrive from an input, or begin here at a cut
    kt     | κ_t | w       | | κ that arrives from an input
    Lt     | Λ_t | w w sym | | Λ that arrives from an input
    dt     | d_t | w       | | d that arrives from an input
    zt     | δ_t | w       | | δ that arrives from an input
    P      | P   | f w     | {COLUMNS} | forces along the hinge's freedoms, of unit multipliers
    K_     | N   | f w     | {COLUMNS} | what the multipliers take from u̇ = k − N μ − G a₀
    Ej_    | E_t | n w     | {COLUMNS} | E about the parent's origin and in its axes
    R      | R   | w f     | | squares of how far the speeds of a hinge can move the conditions
    y      | y   | f       | | what each of these speeds yields to a force
    d      | d   | 1       | {REACH} | diagonal that Λ would have at full levers: ranks go by it
    ground | a_g | n       | | acceleration of the ground
    bias   | β   | w       | | second rate of a cut's conditions without accelerations
    mu     | μ   | 1       | {COLUMNS} | multiplier: a load that keeps a condition
    c      | c   | 1       | | what is to be taken off the rate of a condition
    km     | k_μ | f       | {COLUMNS} | u̇ with known multipliers at a₀ = 0
    pAm    | p_μ | n       | {COLUMNS} | pA with the known multipliers' part
""")

traced = tracing(LOOPS, FACTS, OF_PARENT)


@traced
def coupling_gap(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How far a hinge is from where the one that it follows wants it: φ and φ̇."""
    t.called("gap_coupling", "gap of a coupling")
    (q, other), (u, speed) = ([t.read(word, f"_{i}") for i in (1, 2)] for word in "qu")
    ratio, offset = x.ratio, x.offset
    place, rate = q - ratio @ other - offset, u - ratio @ speed
    return *t.each("phi", place), *t.each("phid", rate)


@traced
def coupling_slope(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A coupling's two entries of the conditions' Jacobian: σ."""
    t.called("slope_coupling", "slope of a coupling")
    return t.each("J", k.stack(k.unit(1, 0), -x.ratio), COUPLING)


# Of a hinge that follows by a law f: φ = q − f(q₂, q₃, …), σ = 1 and −∂f


@traced
def curve_gap(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How far a hinge is from where its law wants it: φ and φ̇."""
    t.called(f"gap_{t.ask('label')}", "gap of a coupling")
    law = t.ask("law")
    (q, *others), (u, *speeds) = (_numbered(t, word, 1) for word in "qu")
    t.singles(sp.Matrix([law]))
    rate = sp.Add(*(law.diff(y) * v for y, v in zip(others, speeds, strict=True)))
    place = t.each("phi", k.scalar(q - law), CURVE)
    return *place, *t.each("phid", k.scalar(u - rate), CURVE)


@traced
def curve_slope(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """σ of the hinges that are followed: s_2, s_3, … of −∂f."""
    t.called(f"follows_{t.ask('label')}", "slopes of a coupling")
    law, others = t.ask("law"), _numbered(t, "q", 2)
    t.singles(sp.Matrix([law]))
    for number, y in enumerate(others, start=2):
        t.state("s", k.scalar(-law.diff(y)), mark=f"_{number}")
    return tuple(f"s_{number}" for number in range(2, len(others) + 2))


@traced
def curve_bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What of φ̈ needs no acceleration: −Σ ∂²f u u."""
    t.called(f"bends_{t.ask('label')}", "second rate of a coupling without accelerations")
    law, others, speeds = t.ask("law"), *(_numbered(t, word, 2) for word in "qu")
    t.singles(sp.Matrix([law]))
    rates = list(zip(others, speeds, strict=True))
    x.b = k.scalar(-sp.Add(*(law.diff(y, z) * v * w for y, v in rates for z, w in rates)))
    return ("b",)


def _numbered(t: Tracer, word: str, first: int) -> list[sp.Expr]:
    """Coordinates or speeds of a hinge that follows (1) and of those that it follows (from 2)."""
    return [t.read(word, f"_{i}")[0] for i in range(first, t.ask("leaders") + 2)]


@traced
def row(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """σ as a row, of its entries that are not zero."""
    size, places = t.ask("width"), t.ask("places")
    t.called(f"sigma_{size}_{'_'.join(map(str, places))}", "σ of a hinge as a row")
    entries = {place: t.read("s", f"_{place}")[0] for place in places}
    x.sigma = k.formula(sp.Matrix(1, size, lambda _, j: entries.get(int(j), 0)))
    return ("sigma",)


@traced
def curve_slopes(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The entries of the conditions' Jacobian: σ."""
    count = t.ask("leaders")
    t.called(f"slope_curve_{count}", "slope of a coupling")
    t.state("J", k.unit(1, 0), CURVE, mark="_1")
    for number in range(2, count + 2):
        t.state("J", t.read("s", f"_{number}"), CURVE, mark=f"_{number}")
    return tuple(f"J_{number}" for number in range(1, count + 2))


@dataclass(frozen=True)
class Feed:
    """Where columns that arrive at a link belong among the link's own.

    `begins`: they begin here, at a cut; else they come from an input, with κ, Λ and d, and with δ
    if it is `carried`: else it is the diagonal of Λ. `still`: they come without E, as those that
    are left open at the ground. Of the columns that arrive `ending` stay behind, by their places
    among these: they belong nowhere.
    """

    places: tuple[int, ...]
    begins: bool = False
    carried: bool = False
    still: bool = False
    ending: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        first, last = self.places[0], self.places[-1]
        solid = self.places == tuple(range(first, last + 1))
        text = f"{first}to{last}" if solid else "_".join(map(str, self.places))
        less = f"less{'_'.join(map(str, self.ending))}" if self.ending else ""
        word = "cut" if self.begins else "left" if self.still else ""
        return word + ("carried" if self.carried else "") + text + less


@dataclass(frozen=True)
class Arriving:
    """What arrives of a feed, input `number`, and where it belongs among `size` columns."""

    t: Tracer
    k: Algebra
    feed: Feed
    number: int
    size: int

    @property
    def columns(self) -> M:
        every = range(self._width + len(self.feed.ending))
        whole = self._read("Et", cols=len(every))
        return part(whole, cols=[j + 1 for j in every if j not in self.feed.ending])

    @property
    def E(self) -> M:
        return self.beside(self.columns)

    @property
    def kappa(self) -> M:
        return self.below(self._read("kt", rows=self._width))

    @property
    def L(self) -> M:
        return self.below(self.beside(self._L))

    @property
    def _L(self) -> M:
        return self._read("Lt", cols=self._width, rows=self._width)

    @property
    def reach(self) -> M:
        return self.below(self._read("dt", rows=self._width))

    @property
    def scale(self) -> M:
        carried = self.feed.carried
        return self.below(
            self._read("zt", rows=self._width) if carried else diagonal(self.k, self._L)
        )

    @property
    def _width(self) -> int:
        return len(self.feed.places)

    def _read(self, word: str, **size: int) -> M:
        return self.t.read(word, f"_I{self.number}", **size)

    def beside(self, x: M) -> M:
        """Columns at their places among all."""
        wide = sp.zeros(x.value.rows, self.size)
        for column, place in enumerate(self.feed.places):
            wide[:, place] = x.value[:, column]
        return (x @ self._at).by(wide) if self._at else x

    def below(self, x: M) -> M:
        """Rows at their places among all."""
        return (self._at.T @ x).by(self.beside(x.T).value.T) if self._at else x

    @property
    def _at(self) -> M | None:
        """S of E S: rows of the unit matrix; none if the columns are all."""
        if self.feed.places == tuple(range(self.size)):
            return None
        at = part(self.k.unit_matrix(self.size), rows=[place + 1 for place in self.feed.places])
        return self.t.abbreviate(f"S{self.number}".translate(SUBSCRIPTS), at)


def arriving(k: Algebra, t: Tracer) -> list[Arriving]:
    """What arrives at a link of all feeds."""
    size, feeds = t.ask("width"), t.ask("feeds")
    return [Arriving(t, k, feed, number, size) for number, feed in enumerate(feeds, start=1)]


def labelled(t: Tracer) -> str:
    """What a kernel's name says of the feeds."""
    return "_".join(feed.label for feed in t.ask("feeds"))


def _gathered(k: Algebra, t: Tracer) -> M:
    """The sum of all columns that arrive."""
    return sum((of.E for of in arriving(k, t)), k.zero(k.n))


@traced
def gather(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The sum of all columns that arrive at a place; at the ground, with its acceleration known."""
    size, grounded = t.ask("width"), t.ask("grounded")
    t.called(
        f"{'ground' if grounded else 'gather'}_{size}_{labelled(t)}",
        f"{counted(size, 'column')} gathered",
    )
    E, kappa, L = k.zero(k.n, size), k.zero(size), k.zero(size, size)
    reach, scale = k.zero(size), k.zero(size)
    every = arriving(k, t)
    carried = any(of.feed.carried for of in every)
    for of in every:
        if not grounded:
            E = E + of.E
        elif not of.feed.still:
            kappa = kappa + of.below(of.columns.T @ x.ground)
        if not of.feed.begins:
            kappa, L, reach = kappa + of.kappa, L + of.L, reach + of.reach
            scale = scale + of.scale if carried else scale
    x.kb_, x.L_, x.d_ = kappa, L, reach
    words = ["kb_", "L_", "d_"]
    if carried:
        x.z_ = scale
        words.append("z_")
    if not grounded:
        x.E_ = E
        words.append("E_")
    return tuple(map(t.port, words))


@traced
def through(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Columns through a hinge: its own acceleration is u̇ = k − N μ − G a₀.

    With P = HᵀE + σ, from Hᵀ λ = τ − ρ u̇ − σ μ: N = D⁻¹ P, E_h = E − U N,
    κ_t = κ + Eᵀ (γ + H k) + σᵀ k, Λ_t = Λ + Pᵀ N; then moved to the parent. `coupled`: with a
    coupling σ of the hinge itself; with a `rotor`, its inertia ρ in D. Of the diagonal of Λ the
    hinge's own part counts in δ, if that is `carried`, and R y in d, where y is 1/D by freedom and
    R the squares of how far its speeds can move the conditions.
    """
    size, freedom = t.ask("width"), x.freedom
    rotor, coupled = (freedom and t.ask(word) for word in ("rotor", "coupled"))
    carried = t.ask("carried")
    kind = f"{x.kind}{'_backward' if x.backward else ''}" if freedom else "rigid"
    name = f"{kind}{'_rho' if rotor else ''}{'_sigma' if coupled else ''}"
    name += "_carried" if carried else ""
    t.called(f"columns_{size}_{name}", f"{counted(size, 'column')} through the hinge")
    E, kappa, L, _, _, total = x.E_, x.kb_, x.L_, x.C, x.r, x.gam
    left, outputs, reach = E, tuple[str, ...](), x.d_
    scale = x.z_ if carried else k.zero(size)
    if freedom:
        x.U = x.IA @ x.H_
        x.D = x.H_.T @ x.U + (k.diagonal(x.rho) if rotor else k.zero())
        sigma = x.sigma if coupled else k.zero(freedom, size)
        x.P = x.H_.T @ E + sigma
        t.solve("K_", x.D, x.P, COLUMNS)
        left = E - x.U @ x.K_
        gone = () if rotor or coupled else joint(k.d, x.kind).eliminated(x.backward)
        left = left.by(sp.Matrix(k.n, size, lambda i, j: 0 if i in gone else left[i, j]))
        total = total + x.H_ @ x.k_
        own = x.P.T @ x.K_
        kappa, L = kappa + sigma.T @ x.k_, L + own
        reach = reach + t.read("R", rows=size, cols=freedom) @ eased(k, x.D)
        scale = scale + diagonal(k, own)
        outputs = ("K_",)
    x.kt_, x.Lt_, x.Eh_, x.dt_ = kappa + E.T @ total, L, left, reach
    x.Et_ = to_parent(x, k, t, x.Eh_)
    words = (*outputs, "Eh_", "Et_", "kt_", "Lt_", "dt_")
    if carried:
        x.zt_ = scale
        words = (*words, "zt_")
    return tuple(map(t.port, words))


def diagonal(k: Algebra, square: M) -> M:
    """The diagonal of a matrix, as a column."""
    return k.stack(*(k.entry(square, j, j) for j in range(1, square.value.rows + 1)))


def eased(k: Algebra, D: M) -> M:
    """What each freedom alone yields to a force along it."""
    return k.stack(*(1 / k.entry(D, a, a) for a in range(1, D.value.rows + 1)))


def to_parent(x: At, k: Algebra, t: Tracer, E: M) -> M:
    """Columns about the parent's origin, in its axes."""
    turn = t.abbreviate("Q", k.both(x.C))
    turned, shift = t.state("Er", turn @ E, COLUMNS), k.X(x.r)
    X = t.abbreviate("X", turn.T @ shift)
    return (X.T @ E).by(shift.value.T * turned.value)


@traced
def reach(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How large the diagonal of Λ would be of a cut's conditions, or of a coupling's.

    `R_k` says how far, squared, the speeds of the k-th hinge of the loop (or of a beam's modes)
    can move the conditions.
    """
    freedoms = t.ask("freedoms")
    label = "_".join(map(str, freedoms))
    t.called(f"reach_{t.ask('width')}_{label}", "how far a loop can move its conditions")
    total = k.zero(t.ask("width"))
    for number, freedom in enumerate(freedoms, start=1):
        R, y = t.read("R", f"_{number}", cols=freedom), t.read("y", f"_{number}", rows=freedom)
        total = total + R @ y
    return t.each("d", total)


def multiplied(t: Tracer) -> M:
    """The known multipliers of a link's columns, as one."""
    mu = t.numbers("mu", count=t.ask("width"))
    return mu if t.ask("width") == 1 else t.abbreviate("μ", mu)


@traced
def known(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a hinge's acceleration is without its parent's, the multipliers known: k − N μ.

    `moved`: there is k; else a correction has none.
    """
    moved = t.ask("moved")
    word = "known" if moved else "correction"
    t.called(f"{word}_{x.count}_{t.ask('width')}", "hinge with known multipliers")
    taken = x.K_ @ multiplied(t)
    x.km = x.k_ - taken if moved else -taken
    return ("km",)


@traced
def bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a link demands without acceleration, the multipliers known: pA + E μ."""
    t.called(f"bias_{t.ask('width')}", "bias with known multipliers")
    E, demanded = x.Eh_, x.pAh
    x.pAm = demanded + E @ multiplied(t)
    return ("pAm",)


@traced
def slope(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """φ̇ per speed of a link's hinge, HᵀE, and the columns moved to its parent.

    `moved` says of each column whether the hinge moves that condition's two sides apart.
    """
    moved, freedom = t.ask("moved"), x.count
    shown = "".join("01"[each] for each in moved)
    title = f"{counted(len(moved), 'column')} moved to the parent"
    t.called(f"slope_{freedom}_{shown}_{labelled(t)}", title)
    x.E = _gathered(k, t)
    outputs = [t.port("Ej_")]
    if freedom:
        rates = x.E.T @ x.H_
        opened = [i for i, each in enumerate(moved, start=1) if each]
        places = [(i, j) for i in opened for j in range(1, freedom + 1)]
        outputs += [t.entry("J", rates, *place) for place in places]
    x.Ej_ = to_parent(x, k, t, x.E)
    return tuple(outputs)


@traced
def stress(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What multipliers bring into a link's hinge while all hinges are locked: λ = E μ."""
    t.called(f"stress_{t.ask('width')}_{labelled(t)}", "loads of multipliers at a hinge")
    E = _gathered(k, t)
    t.state("lam", E @ multiplied(t), COLUMNS, "λ")
    A = x.A
    x.load = k.load(k.turned(A, k.ang(x.lam)), -(A @ k.lin(x.lam)))
    return ("load",)


@traced
def unstressed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """No load: of a hinge that no multiplier reaches."""
    t.called("unstressed", "no load at a hinge")
    t.state("load", k.zero(6), COLUMNS)
    return ("load",)
