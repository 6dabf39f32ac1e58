"""The emitted sine and cosine against 400-digit arithmetic; where angles are gathered."""

from __future__ import annotations

import ctypes
import math
import random
import re
import subprocess
from collections.abc import Callable

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
from compiler import needs_compiler

from mstmm.codegen.generate import generate
from mstmm.codegen.toolchain import find_compiler
from mstmm.model import load

Floats = npt.NDArray[np.float64]
SineCosine = Callable[[list[float]], tuple[Floats, Floats]]

#: The routine is meant to stay below 1; the result's own rounding makes half of it.
MOST_ULPS = 1.0

WRAPPED = """
#include "mstmm_trig.h"
void all(int n, const double *x, double *s, double *c) { mstmm_sincos_all(n, x, s, c); }
double one_sine(double x) { return mstmm_sine_of(x); }
double one_cosine(double x) { return mstmm_cosine_of(x); }
"""


@pytest.fixture(scope="module", params=["-O1", "-O3 -march=native", "-O3 -ffp-contract=off"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> object:
    folder = tmp_path_factory.mktemp("trig")
    shared = generate(load("branch-pendulum"), target="c").sources.files
    for name in ("mstmm_trig.h", "mstmm_trig.c"):
        (folder / name).write_text(shared[name])
    source = folder / "wrapped.c"
    source.write_text(WRAPPED)
    target = folder / "trig.so"
    flags = ["-std=c11", "-shared", "-fPIC", *request.param.split(), "-o", str(target)]
    subprocess.run(
        [*find_compiler().command, *flags, str(source), str(folder / "mstmm_trig.c"), "-lm"],
        check=True,
    )
    return ctypes.CDLL(str(target))


@pytest.fixture
def sincos(library: ctypes.CDLL) -> SineCosine:
    pointer = ctypes.POINTER(ctypes.c_double)

    def evaluate(numbers: list[float]) -> tuple[Floats, Floats]:
        x = np.array(numbers)
        sine, cosine = np.empty_like(x), np.empty_like(x)
        library.all(len(x), *(a.ctypes.data_as(pointer) for a in (x, sine, cosine)))
        return sine, cosine

    return evaluate


def _worst(sincos: SineCosine, numbers: list[float]) -> float:
    """The largest error in units in the last place."""
    worst = 0.0
    with mpmath.workprec(1300):
        for x, *found in zip(numbers, *sincos(numbers), strict=True):
            for value, exact in zip(found, (mpmath.sin(x), mpmath.cos(x)), strict=True):
                ulp = math.ulp(float(exact))
                worst = max(worst, float(abs(mpmath.mpf(float(value)) - exact) / ulp))
    return worst


def _multiples(wholes: list[int]) -> list[float]:
    """The doubles nearest to multiples of π/2, where what is left of them is smallest."""
    with mpmath.workprec(1300):
        return [float(n * mpmath.pi / 2) for n in wholes]


@needs_compiler
def test_numbers_up_to_1e5(sincos: SineCosine) -> None:
    draw = random.Random(1)
    numbers = [draw.uniform(-1e5, 1e5) for _ in range(1500)]
    numbers += [draw.uniform(-2.0, 2.0) for _ in range(1500)]
    numbers += _multiples([draw.randrange(-63661, 63661) for _ in range(2000)])
    numbers += [0.0, -0.0, 5e-324, 1e-300, 1e-9, math.pi / 4, math.nextafter(math.pi / 4, 1)]
    assert max(map(abs, numbers)) <= 1e5
    assert _worst(sincos, numbers) < MOST_ULPS


@needs_compiler
def test_numbers_beyond_1e5(sincos: SineCosine) -> None:
    draw = random.Random(2)
    numbers = [draw.choice((-1, 1)) * 2.0 ** draw.uniform(16.7, 1023.99) for _ in range(800)]
    wholes = [draw.randrange(2**17, 2 ** draw.randrange(18, 1000)) for _ in range(800)]
    numbers += _multiples(wholes)
    # the double nearest of all to a multiple of π/2
    numbers += [6381956970095103.0 * 2.0**797, math.nextafter(1e5, math.inf)]
    numbers += [1.7976931348623157e308]
    assert min(map(abs, numbers)) > 1e5
    assert _worst(sincos, numbers) < MOST_ULPS


@needs_compiler
def test_one_large_number_leaves_the_others_as_they_are(sincos: SineCosine) -> None:
    numbers = [0.1 * k for k in range(19)]
    alone = sincos(numbers)
    mixed = sincos([*numbers, 1e22])
    assert all((a == b[:-1]).all() for a, b in zip(alone, mixed, strict=True))
    assert mixed[0][-1] == pytest.approx(-0.8522008497671888, rel=1e-15)


@needs_compiler
@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_what_is_no_number_gives_none(sincos: SineCosine, number: float) -> None:
    assert np.isnan(sincos([0.5, number])).tolist() == [[False, True]] * 2


@needs_compiler
def test_the_scalar_functions_are_the_same_routine(
    library: ctypes.CDLL, sincos: SineCosine
) -> None:
    for function, column in ((library.one_sine, 0), (library.one_cosine, 1)):
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
        for x in (0.3, -2.5, 99999.0, 1e6, -1e300):
            exact = sincos([x])[column][0]
            assert function(x) == pytest.approx(exact, rel=2 * MOST_ULPS * 2.0**-52)


def _source(name: str, **arguments: int) -> str:
    files = generate(load(name, **arguments), target="c").sources.files
    return next(text for file, text in files.items() if file == f"{name.replace('-', '_')}.c")


def test_a_chain_reads_its_angles_in_place() -> None:
    text = _source("rod-chain", n=100)
    assert re.search(r"mstmm_sincos_all\(100, &q\[Q_\w+\], w->sines, w->cosines\);", text)
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    assert "sin(" not in code
    assert "cos(" not in code


def test_few_angles_are_listed_and_padded_to_full_vectors() -> None:
    text = _source("branch-pendulum")
    assert "const double angles[8] = {q[0], q[1], q[2], q[3]};" in text
    assert "mstmm_sincos_all(8, angles, w->sines, w->cosines);" in text
