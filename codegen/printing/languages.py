"""The emitted languages: what differs between them in a line of scalar code."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

#: Words of the languages, and functions that printed lines call: none may name a variable.
WORDS = frozenset(
    re.findall(
        r"\w+",
        """auto break case char const continue default do double else enum extern float for goto if
        inline int long register restrict return short signed sizeof static struct switch typedef
        union unsigned void volatile while bool alignas alignof constexpr false nullptr
        static_assert thread_local true typeof typeof_unqual asm
        and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl
        concept consteval constinit const_cast decltype delete dynamic_cast explicit export friend
        mutable namespace new noexcept not_eq operator or_eq private protected public
        reinterpret_cast requires static_cast template this throw typeid typename using virtual
        wchar_t xor xor_eq
        tan sqrt exp log tanh asin acos atan atan2 fabs memset""",
    )
) | frozenset(keyword.kwlist)

#: Further names taken in a block over columns.
COLUMN_NAMES = frozenset({"c", "first", "last", *(f"start{k}" for k in range(1, 100))})

#: What else has a name of its own in an emitted file or in the headers that it includes: no
#: constant of a model may take it.
FILE_NAMES = WORDS | frozenset(
    re.findall(
        r"\w+",
        """sin cos cosh sinh acosh asinh atanh exp2 expm1 log10 log1p log2 logb ilogb ldexp frexp
        modf scalbn scalbln cbrt hypot pow erf erfc lgamma tgamma gamma ceil floor nearbyint rint
        lrint llrint round lround llround trunc fmod remainder remquo copysign nan nextafter
        nexttoward fdim fmax fmin fma isfinite isinf isnan isnormal signbit fpclassify isgreater
        isless isunordered signgam j0 j1 jn y0 y1 yn drem finite significand scalb exp10 pow10
        sincos abs div memcpy memmove memcmp memchr malloc free NULL NAN INFINITY HUGE_VAL DOMAIN
        SING OVERFLOW UNDERFLOW PLOSS TLOSS LANES REGISTER FITS AT INDEPENDENT IN_THREADS
        i k n w y t np lanes part lane first last given broadcast pack unpack turn_q turn_v closed
        sizes sines cosines angles angle data with states now status native orders ON_WHOLE_LINES
        WHOLE_VECTORS
        SIZES Work MET BANK""",
    )
)


@dataclass(frozen=True)
class Language:
    """What differs between the emitted languages in a line of scalar code.

    `comment`: what stands before and after a remark. `declare` stands before the first use of a
    name, `end` after a statement; `functions`: what operations are called that have no sign.
    `step`: 1 from zero on, else 0. `work` and `buffer`: a value of the workspace, and of a
    caller's array; `whole` stands before the first use of an integer, `half` after one that is
    halved; `broadcast` makes one number a value of every column; `solver`: what a dense solver
    is called. `along` indexes every column of a block at once or the one at hand; `spread` is
    what a value that is the same for all columns needs to be combined with them; `places`: those
    of the caller's buffers have names. `defined` is 1, and no number of what is infinite or none.
    A statement is one of numbers, or of `lanes`, or of whole `arrays`, of all states and columns
    at once. `scalar`: one state by itself, whose angles are looked up together and whose whole
    values a call stores. `notes`: every solve that notes what it meets has a place of its own for
    that. `bank`: the array that has the numbers which no instruction holds.
    """

    name: str
    comment: tuple[str, str]
    declare: str
    end: str
    functions: dict[str, str]
    step: str
    work: str
    buffer: str
    whole: str = "const int "
    half: str = "/ 2"
    along: str = "{at} + c"
    spread: str = ""
    broadcast: str = "{}"
    lanes: bool = False
    arrays: bool = False
    scalar: bool = False
    solver: str = "mstmm_{}"
    defined: str = "(1.0 + ({0} - {0}))"
    places: bool = True
    notes: bool = True
    bank: str = ""

    def remark(self, text: str) -> str:
        return f"{self.comment[0]} {text}{self.comment[1]}"
