"""Complex kernels as pairs of real numbers: against the same kernel run in complex numbers."""

from __future__ import annotations

import random
from dataclasses import replace

import mpmath
import pytest
import sympy as sp

from mstmm.errors import InternalError
from mstmm.model.expressions.functions import step
from mstmm.symbolic.language.arithmetic import digits
from mstmm.symbolic.language.interpreter import Interpreter, evaluate
from mstmm.symbolic.language.pairs import KernelsInPairs, Pairs, in_pairs
from mstmm.symbolic.language.program import (
    Call,
    Entry,
    Kernel,
    KernelBuilder,
    Map,
    Policy,
    Program,
    Ref,
    given,
    result,
)

NUMBERS = digits(50)


@pytest.fixture(autouse=True)
def _fifty_digits() -> object:
    with mpmath.workdps(50):
        yield


def random_kernel(rng: random.Random) -> Kernel:
    """Sums, products, quotients, powers and small systems of a real and two complex inputs."""
    b = KernelBuilder("random", "random kernel")
    n = rng.choice([1, 2, 3])
    known = [b.take("r", n, n), b.take("z", n, n, symmetric=n > 1), b.take("w", n, 1)]
    square = known[:2]
    for j in range(6):
        kind, X, Y = rng.choice("psdqlu"), rng.choice(square), rng.choice(square)
        unit = rng.choice([sp.Integer(1), sp.I, 2 - 3 * sp.I]) * sp.eye(n)
        if kind == "p":
            value = b.let(f"p{j}", X * Y + unit, "own")
        elif kind == "s":
            value = b.let(f"s{j}", X - Y.T + Y.applyfunc(lambda x: x**3), "own")
        elif kind == "d":
            value = b.let(f"d{j}", (X + unit) / (Y[0, 0] ** 2 * X[0, n - 1]), "own")
        elif kind == "q":
            of = X.applyfunc(lambda x: sp.Abs(x) * step(x) + sp.arg(x) * sp.sign(x))
            value = b.let(f"q{j}", of, "own")
        else:
            policy = Policy.LU if kind == "u" else Policy.LDL
            matrix = X + X.T + 7 * unit if policy is Policy.LDL else X + 5 * unit
            value = b.solve(f"x{j}", matrix, Y * X, "own", policy)
        square.append(value)
    b.let("end", known[2].T * square[-1], "own")
    return b.build("end", *(x.port.name for x in b.statements[:-1]))


@pytest.mark.parametrize("seed", range(60))
def test_a_kernel_in_pairs_gives_the_parts_of_what_it_gives_in_complex_numbers(seed: int) -> None:
    rng = random.Random(seed)
    kernel = random_kernel(rng)
    real = {p.name: [mpmath.mpf(rng.uniform(-2, 2)) for _ in p.entries] for p in kernel.inputs}
    whole = {
        name: [mpmath.mpc(x, rng.uniform(-2, 2) * (name != "r")) for x in values]
        for name, values in real.items()
    }
    kernels, given_ = KernelsInPairs(), frozenset({"z", "w"})
    lowered, known = kernels.of(kernel, given_, frozenset()), kernels.complex(kernel, given_)
    parts = {
        name: values if name == "r" else [y for x in whole[name] for y in (x.real, x.imag)]
        for name, values in real.items()
    }
    expected = evaluate(kernel, real | {x: whole[x] for x in ("z", "w")}, NUMBERS)
    found = evaluate(lowered, parts, NUMBERS)
    for name, values in expected.items():
        got = found[name]
        if name in known:
            got = [mpmath.mpc(*got[i : i + 2]) for i in range(0, len(got), 2)]
        scale = max(1, *map(abs, values))
        assert max(abs(x - y) for x, y in zip(values, got, strict=True)) < 1e-35 * scale


def program() -> Program:
    """b := 1/(r + z) at one member; real where r is, which is kept beside what is complex."""
    builder = KernelBuilder("inverse", "inverse")
    x, y = builder.take("x"), builder.take("y")
    builder.let("b", sp.Matrix([1 / (x[0] + y[0])]), "own")
    kernel = builder.build("b")
    one = sp.eye(1)
    calls = (
        Call(kernel, "1", {"x": Ref("r", "1"), "y": one}, {"b": Ref("b", "1")}),
        Call(kernel, "2", {"x": Ref("b", "1"), "y": Ref("z", "2")}, {"b": Ref("b", "2")}),
        Call(kernel, "3", {"x": Ref("r", "3"), "y": Ref("b", "2")}, {"b": Ref("b", "3")}),
    )
    arrays = (given("r", "all"), given("z", "all", complex=True), result("b", "all", complex=True))
    sets = {"all": ("1", "2", "3")}
    entries = (Entry("find", "find", ("found",), ("b",)),)
    named = {array.name: array for array in arrays}
    return Program("p", "p", "test", sets, named, (Map("found", "found", calls),), entries)


def test_an_array_is_complex_where_one_of_its_values_is() -> None:
    lowered = in_pairs(program())
    assert isinstance(lowered.arrays["b"].port, Pairs)
    assert not isinstance(lowered.arrays["r"].port, Pairs)
    kernels = [call.kernel.name for call in lowered.steps[0].calls]
    assert len({*kernels}) == 3  # of real, complex and mixed numbers
    r, z = [2.0, 3.0, 4.0], [1 + 2j, 3 - 1j, 0.5j]
    whole = Interpreter(program()).results("find", {"r": r, "z": z})["b"]
    parts = [part for x in z for part in (x.real, x.imag)]
    found = Interpreter(lowered).results("find", {"r": r, "z": parts})["b"]
    assert found == pytest.approx([part for x in whole for part in (x.real, complex(x).imag)])
    assert found[:2] == [1 / 3, 0.0]


def test_a_result_is_not_complex_unless_it_is_said_to_be() -> None:
    wrong = program()
    arrays = wrong.arrays | {"b": replace(wrong.arrays["b"], complex=False)}
    with pytest.raises(InternalError, match="b is complex"):
        in_pairs(replace(wrong, arrays=arrays))


def test_what_has_no_parts_is_refused() -> None:
    builder = KernelBuilder("root", "root")
    builder.let("y", sp.Matrix([sp.sqrt(builder.take("x")[0])]), "own")
    with pytest.raises(InternalError, match="no parts"):
        KernelsInPairs().of(builder.build("y"), frozenset({"x"}), frozenset())
