"""Small synthetic programs with a column axis and a dense system."""

from __future__ import annotations

import numpy as np
import sympy as sp

from mstmm.symbolic.language.program import (
    THIS,
    Array,
    Call,
    Dense,
    Entry,
    Kernel,
    KernelBuilder,
    Map,
    Port,
    Program,
    Ref,
    Solution,
    Storage,
    Sweep,
)


def _begin() -> Kernel:
    kernel = KernelBuilder("begin", "a column begins")
    size = kernel.take("size")[0]
    kernel.let("z", size * sp.Matrix([sp.sin(kernel.take("s")[0]), 1]), "own")
    return kernel.build("z")


def _carry(turned: bool) -> Kernel:
    kernel = KernelBuilder("carry_turned" if turned else "carry", "a column is carried on")
    z, k = kernel.take("z", 2), kernel.take("k")[0]
    s = kernel.let("t", sp.Matrix([sp.sin(kernel.take("s")[0])]), "own")[0]
    s = -s if turned else s
    zn = kernel.let("zn", sp.Matrix([z[0] + s * z[1], z[1] - k * z[0]]), "own")
    kernel.let("row", sp.Matrix([zn[0] - s * s * zn[1]]), "own")
    return kernel.build("zn", "row")


def _right() -> Kernel:
    kernel = KernelBuilder("right", "right-hand side")
    kernel.let("b", sp.Matrix([kernel.take("s")[0] * 3 - 1]), "own")
    return kernel.build("b")


def _copy() -> Kernel:
    kernel = KernelBuilder("copy", "a copy")
    kernel.let("y", kernel.take("x"), "own")
    return kernel.build("y")


def _size(column: int) -> sp.Rational:
    """Every third column is small."""
    return sp.Rational(1, 100 if column % 3 == 2 else 1)


def by_hand(
    v: np.ndarray, constants: tuple[int, ...] = (1,), alternating: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The matrix and the unknowns, column after column."""
    length = len(v)
    matrix = np.diag([(2 + j % 2) * float(_size(j)) for j in range(length)])
    for column in range(length):
        z = np.array([np.sin(v[column]), 1.0]) * float(_size(column))
        for j in range(column + 1, length):
            s = np.sin(v[j]) * (-1 if alternating and j % 2 else 1)
            z = np.array([z[0] + s * z[1], z[1] - constants[j % len(constants)] / 7 * z[0]])
            matrix[j, column] = z[0] - s * s * z[1]
    return matrix, np.linalg.solve(matrix, 3 * v - 1)


def column_program(
    length: int, constants: tuple[int, ...] = (1,), alternating: bool = False
) -> Program:
    """A chain of `length` members; a column begins at each and passes through all after it.

    Row j is what member j makes of the columns 0 to j; the unknowns x solve A x = b.
    `constants` are cycled through; `alternating`: every second member's kernel is another.
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
    begin, copy = _begin(), _copy()
    carry = (_carry(False), _carry(alternating))
    for j, name in enumerate(members):
        speed = Ref("v", name)
        size = sp.Matrix([_size(j)])
        reads: dict[str, Ref | sp.Matrix] = {"s": speed, "size": size}
        begins.append(Call(begin, name, reads, {"z": Ref("z", name, j)}))
        diagonal = {"x": (2 + j % 2) * size}
        begins.append(Call(copy, name, diagonal, {"y": Ref("matrix", name, j)}))
        if j:
            reads = {
                "z": Ref("z", members[j - 1], THIS),
                "s": speed,
                "k": sp.Matrix([sp.Rational(constants[j % len(constants)], 7)]),
            }
            writes = {"zn": Ref("z", name, THIS), "row": Ref("matrix", name, THIS)}
            carries.append(Call(carry[j % 2], name, reads, writes, (0, j)))
    rights = [Call(_right(), n, {"s": Ref("v", n)}, {"b": Ref("b", n)}) for n in members]
    results = [Call(copy, n, {"x": Ref("x", n)}, {"y": Ref("a", n)}) for n in members]
    shown = [
        Call(copy, n, {"x": Ref("matrix", n, THIS)}, {"y": Ref("U", n, THIS)}, (0, length))
        for n in members
    ]
    steps = (
        Map("begins", "columns begin", tuple(begins), clears=("matrix",)),
        Sweep("carries", "columns are carried", tuple(carries)),
        Map("rights", "right-hand sides", tuple(rights)),
        Solution("solved", "the system", (), dense=Dense("matrix", "b", "x", "own")),
        Map("results", "results", tuple(results)),
        Map("shown", "the matrix", tuple(shown)),
    )
    dynamics = ("begins", "carries", "rights", "solved", "results")
    entries = (
        Entry("accelerations", "the unknowns", dynamics, ("a",)),
        Entry("equation", "the matrix", ("begins", "carries", "shown"), ("U",)),
    )
    return Program(
        name="columns",
        title="columns",
        algorithm="columns",
        sets={"members": members, "coordinates": members, "ends": ()},
        arrays={array.name: array for array in arrays},
        steps=steps,
        entries=entries,
    )
