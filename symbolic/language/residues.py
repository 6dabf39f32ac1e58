"""Numbers modulo a prime: exact, of one size for ever, so that whole programs are run in them.

Two formulas that differ are equal at random residues once in 10¹⁸ times (Schwartz, Zippel).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from .arithmetic import Arithmetic

#: A Mersenne prime.
PRIME = 2**61 - 1


class Residue:
    """An integer modulo `PRIME`; fractions beside it are made residues."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value % PRIME

    @classmethod
    def of(cls, x: Residue | Fraction | int) -> Residue:
        """The residue of a fraction whose denominator the prime does not divide."""
        if isinstance(x, Residue):
            return x
        if isinstance(x, int):
            return cls(x)
        return cls(x.numerator * pow(x.denominator, -1, PRIME))

    def __add__(self, other: Residue | Fraction | int) -> Residue:
        return Residue(self.value + Residue.of(other).value)

    def __sub__(self, other: Residue | Fraction | int) -> Residue:
        return Residue(self.value - Residue.of(other).value)

    def __mul__(self, other: Residue | Fraction | int) -> Residue:
        return Residue(self.value * Residue.of(other).value)

    def __truediv__(self, other: Residue | Fraction | int) -> Residue:
        below = Residue.of(other).value
        if not below:
            raise ZeroDivisionError("division by zero")
        return Residue(self.value * pow(below, -1, PRIME))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Fraction | int) -> Residue:
        return Residue.of(other) - self

    def __rtruediv__(self, other: Fraction | int) -> Residue:
        return Residue.of(other) / self

    def __neg__(self) -> Residue:
        return Residue(-self.value)

    def __pow__(self, exponent: int) -> Residue:
        return Residue(pow(self.value, exponent, PRIME))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Residue | Fraction | int) and self.value == Residue.of(other).value

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return self.value != 0

    def __repr__(self) -> str:
        return f"{self.value} mod p"


class Gaussian(Residue):
    """x + i y of residues: −1 is no square modulo the prime, so that these are a field too.

    Roots of what is no square are such. As a subclass its operations come first beside a residue.
    """

    __slots__ = ("imaginary",)

    def __init__(self, value: int, imaginary: int) -> None:
        super().__init__(value)
        self.imaginary = imaginary % PRIME

    def __add__(self, other: Residue | Fraction | int) -> Residue:
        x, y = _parts(other)
        return _made(self.value + x, self.imaginary + y)

    def __sub__(self, other: Residue | Fraction | int) -> Residue:
        return self + -Residue.of(other)

    def __mul__(self, other: Residue | Fraction | int) -> Residue:
        a, b, (x, y) = self.value, self.imaginary, _parts(other)
        return _made(a * x - b * y, a * y + b * x)

    def __truediv__(self, other: Residue | Fraction | int) -> Residue:
        x, y = _parts(other)
        return self * _made(x, -y) * (1 / Residue(x * x + y * y))  # x² + y² is 0 of 0 alone

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Residue | Fraction | int) -> Residue:
        return -self + other

    def __rtruediv__(self, other: Residue | Fraction | int) -> Residue:
        return Gaussian(*_parts(other)) / self

    def __neg__(self) -> Residue:
        return Gaussian(-self.value, -self.imaginary)

    def __pow__(self, exponent: int) -> Residue:
        if exponent < 0:
            return 1 / self**-exponent
        half = self ** (exponent // 2) if exponent > 1 else Residue(1)
        return half * half * (self if exponent % 2 else 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gaussian) and _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash(_parts(self))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"{self.value} + {self.imaginary} i mod p"


def _parts(x: Residue | Fraction | int) -> tuple[int, int]:
    x = Residue.of(x)
    return x.value, x.imaginary if isinstance(x, Gaussian) else 0


def _made(value: int, imaginary: int) -> Residue:
    return Gaussian(value, imaginary) if imaginary % PRIME else Residue(value)


def _sine(x: Residue) -> Residue:
    return 2 * x / (1 + x * x)


def _cosine(x: Residue) -> Residue:
    return (1 - x * x) / (1 + x * x)


def _sign(x: Residue | Fraction) -> Residue:
    """1 of a square, −1 of what is none: one of x and −x is, and products have the products.

    Of what is not real that of its imaginary part: a root's is 1.
    """
    real, imaginary = _parts(x)
    return Residue(imaginary or real) ** ((PRIME - 1) // 2)


def _root(x: Residue) -> Residue:
    """Of a square its root that is a square, so that the root of x² is |x|; else i √−x.

    Its square is x, unless x is not real: then there need not be a root.
    """
    root = (x * _sign(x)) ** ((PRIME + 1) // 4)
    real = isinstance(x, Gaussian) or _sign(x) != -1
    return root if real else Gaussian(0, root.value)


def _atan2(y: Residue, x: Residue) -> Residue:
    """0 along x, π against it, ±π/2 across."""
    turn = _KNOWN["pi"]()
    return turn / 2 * (1 - x + y - y * y) + x * y


class _Functions(dict[str, Callable[..., Residue]]):
    """Of functions without a value here others that agree with them where SymPy knows theirs.

    s² + c² = 1, |x|² = x², √x² = |x|, √x √x = x, e⁻ˣ = 1/eˣ, and what is known at 0, 1 and −1
    is so.
    """

    def __missing__(self, name: str) -> Callable[..., Residue]:
        seed = sum(map(ord, name))

        def other(*x: Residue) -> Residue:
            return sum(((seed + k) * y + y * y for k, y in enumerate(x, 1)), Residue(seed))

        self[name] = other
        return other


_KNOWN = _Functions(
    sin=_sine,
    cos=_cosine,
    tan=lambda x: _sine(x) / _cosine(x),
    Abs=lambda x: x * _sign(x),
    sign=_sign,
    sqrt=_root,
    exp=lambda x: (2 + x) / (2 - x),
    log=lambda x: x - 1,
    atan2=_atan2,
    **dict.fromkeys(("tanh", "atan", "asin"), lambda x: x),
)

#: What is so in this arithmetic is so whatever the functions are, sines and cosines apart.
RESIDUES = Arithmetic("residues", Residue.of, _KNOWN, lambda x: x != 0)
