"""Small synthetic programs with a column axis and a dense system."""

from __future__ import annotations

import sympy as sp

from mstmm.symbolic.program import (
    THIS,
    Array,
    Call,
    Dense,
    Entry,
    Kernel,
    KernelBuilder,
    Port,
    Program,
    Ref,
    Step,
    Storage,
)


def _begin() -> Kernel:
    kernel = KernelBuilder("begin", "a column begins")
    kernel.let("z", sp.Matrix([sp.sin(kernel.take("s")[0]), 1]), "own")
    return kernel.build("z")


def _carry() -> Kernel:
    kernel = KernelBuilder("carry", "a column is carried on")
    z, k = kernel.take("z", 2), kernel.take("k")[0]
    s = kernel.let("t", sp.Matrix([sp.sin(kernel.take("s")[0])]), "own")[0]
    turned = kernel.let("zn", sp.Matrix([z[0] + s * z[1], z[1] - k * z[0]]), "own")
    kernel.let("row", sp.Matrix([turned[0] - s * s * turned[1]]), "own")
    return kernel.build("zn", "row")


def _right() -> Kernel:
    kernel = KernelBuilder("right", "right-hand side")
    kernel.let("b", sp.Matrix([kernel.take("s")[0] * 3 - 1]), "own")
    return kernel.build("b")


def _copy() -> Kernel:
    kernel = KernelBuilder("copy", "a copy")
    kernel.let("y", kernel.take("x"), "own")
    return kernel.build("y")


def column_program(length: int, constants: tuple[int, ...] = (1,), whole: bool = True) -> Program:
    """A chain of `length` members; a column begins at each and passes through all after it.

    Row j is what member j makes of the columns 0 to j; the unknowns x solve A x = b.
    `constants` are cycled through; `whole` also gives the matrix as a result.
    """
    members = tuple(str(j) for j in range(length))
    wide = tuple((0, j + 1) for j in range(length))
    arrays = [
        Array("v", "members", Port("v"), Storage.ARGUMENT, "v"),
        Array("a", "members", Port("a"), Storage.RESULT, "a"),
        Array("z", "members", Port("z", 2), columns=wide),
        Array("matrix", "members", Port("matrix"), columns=((0, length),) * length),
        Array("b", "members", Port("b")),
        Array("x", "members", Port("x")),
        Array("U", "members", Port("U"), Storage.RESULT, "U", columns=((0, length),) * length),
    ]
    begins, carries = [], []
    begin, carry, copy = _begin(), _carry(), _copy()
    for j, name in enumerate(members):
        speed = Ref("v", name)
        begins.append(Call(begin, name, {"s": speed}, {"z": Ref("z", name, j)}))
        begins.append(
            Call(copy, name, {"x": sp.Matrix([2 + j % 2])}, {"y": Ref("matrix", name, j)})
        )
        if j:
            reads = {
                "z": Ref("z", members[j - 1], THIS),
                "s": speed,
                "k": sp.Matrix([sp.Rational(constants[j % len(constants)], 7)]),
            }
            writes = {"zn": Ref("z", name, THIS), "row": Ref("matrix", name, THIS)}
            carries.append(Call(carry, name, reads, writes, (0, j)))
    rights = [Call(_right(), n, {"s": Ref("v", n)}, {"b": Ref("b", n)}) for n in members]
    results = [Call(copy, n, {"x": Ref("x", n)}, {"y": Ref("a", n)}) for n in members]
    shown = [
        Call(copy, n, {"x": Ref("matrix", n, THIS)}, {"y": Ref("U", n, THIS)}, (0, length))
        for n in members
    ]
    steps = (
        Step("map", "begins", "columns begin", tuple(begins), clears=("matrix",)),
        Step("sweep", "carries", "columns are carried", tuple(carries)),
        Step("map", "rights", "right-hand sides", tuple(rights)),
        Step("solve", "solved", "the system", (), dense=Dense("matrix", "b", "x", "own")),
        Step("map", "results", "results", tuple(results)),
        Step("map", "shown", "the matrix", tuple(shown)),
    )
    dynamics = ("begins", "carries", "rights", "solved", "results")
    entries = [Entry("accelerations", "the unknowns", dynamics, ("a",))]
    if whole:
        entries.append(Entry("equation", "the matrix", ("begins", "carries", "shown"), ("U",)))
    return Program(
        name="columns",
        title="columns",
        algorithm="columns",
        sets={"members": members, "coordinates": members, "ends": ()},
        arrays={array.name: array for array in arrays},
        steps=steps,
        entries=tuple(entries),
    )
