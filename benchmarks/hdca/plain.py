"""One right-hand side of HDCA: the emitted C beside a plain C implementation of the same steps.

The plain one keeps its nodes in arrays with counts and loops over them; the emitted one knows
the model. Both are built by one compiler with the same flags and called in turn by one loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cffi import FFI

from mstmm.codegen.build import FLAGS, NATIVE_FLAGS
from mstmm.model import GROUND, Body, End, Model
from mstmm.runtime.solver import Solver

from ..building import library
from ..harness import Call, Floats
from .clock import SAMPLES
from .forms import compiled

FOLDER = Path(__file__).parent / "prototype"

#: States near the start, with momenta of some kg m²/s.
STATES = 16

#: What the two may differ by, as a part of the largest number.
ALIKE = 1e-10

ffi = FFI()
ffi.cdef("""
typedef struct {
  int n, nj, nm;
  int pred[80], succ[80];
  double m[64], J[64], rp[80][2], rs[80][2], g;
  int ma[128], mb[128];
  int inc[65][6], ninc[65];
  double reg;
} Sys;
int sys_size(void);
void sys_init(Sys *s);
int prototype_rhs(const double *y, double *dy, Sys *s);
""")


@dataclass(frozen=True)
class Beside:
    """Times of a right-hand side in s, sample by sample, each pair taken one after the other."""

    case: int
    emitted: Floats
    plain: Floats
    #: The largest difference of the two results, as a part of the largest number.
    difference: float

    @property
    def ratio(self) -> float:
        """The median of plain over emitted."""
        return float(np.median(self.plain / self.emitted))

    @property
    def spread(self) -> tuple[float, float]:
        """The quartiles of plain over emitted."""
        low, high = np.quantile(self.plain / self.emitted, (0.25, 0.75))
        return float(low), float(high)


def beside(number: int) -> Beside:
    """A case timed.

    Raises
        ArithmeticError: the two do not agree.
    """
    solver = compiled(f"hdca-case-{number}", "hdca", "c")
    system, plain = _system(solver)
    model, draw = solver.model, np.random.default_rng(number)
    n = len(solver.speeds)
    q = np.array(model.q0) + 0.1 * draw.standard_normal((STATES, n))
    p = draw.standard_normal((STATES, n))
    backend = solver.backend
    given = {"q": q, "mom": p}
    arrays = [
        given.get(x, np.zeros((STATES, n))) for x in backend.interface.arguments["momentum_rates"]
    ]
    made = np.zeros((STATES, 2 * n))
    ours = Call(backend.function("momentum_rates"), arrays, backend.work(), kept=backend)
    theirs = Call(plain.prototype_rhs, [np.hstack([q, p]), made], system, kept=plain)
    if ours.once() or theirs.once():
        raise ArithmeticError(f"case {number}: a rate is not finite")
    rates = np.array([solver.rhs(0.0, y) for y in np.hstack([q, p])])
    difference = float(np.abs(made - rates).max() / np.abs(rates).max())
    if not difference < ALIKE:
        raise ArithmeticError(f"case {number}: the two differ by {difference:.1e}")
    passes = ours.passes()
    pairs = [(ours.seconds(passes), theirs.seconds(passes)) for _ in range(SAMPLES)]
    emitted, other = np.array(pairs).T
    return Beside(number, emitted, other, difference)


def _system(solver: Solver) -> tuple[Any, Any]:
    """The plain implementation's description of the solver's model, and its library."""
    path = library(
        "hdca_planar",
        [FOLDER / "hdca_planar.c", FOLDER / "rhs.c"],
        ("-w",),
        base=(*FLAGS, *NATIVE_FLAGS),
    )
    plain = ffi.dlopen(str(path))
    system = ffi.new("Sys *")
    assert plain.sys_size() == ffi.sizeof("Sys")
    model = solver.model
    bodies = {body.name: k for k, body in enumerate(model.bodies)} | {GROUND: -1}
    joints = [*model.tree_hinges, *(x for x in model.hinges if x.name in model.cuts)]
    system.n, system.nj = len(model.bodies), len(joints)
    system.g = -model.value(model.gravity[1])
    for k, body in enumerate(model.bodies):
        assert isinstance(body, Body)
        assert not isinstance(body.inertia, tuple)
        system.m[k], system.J[k] = model.value(body.mass), model.value(body.inertia)
    for k, joint in enumerate(joints):
        pred, succ = joint.ends
        system.pred[k], system.succ[k] = bodies[pred.body], bodies[succ.body]
        system.rp[k], system.rs[k] = _arm(model, pred), _arm(model, succ)
    nodes = {body: k for body, k in bodies.items() if body != GROUND} | {"ground": len(bodies) - 1}
    merges: list[tuple[int, int]] = []
    _merge(_tree(solver.assembly), nodes, merges)
    system.nm = len(merges)
    for k, (first, second) in enumerate(merges):
        system.ma[k], system.mb[k] = first, second
    plain.sys_init(system)
    return system, plain


def _arm(model: Model, end: End) -> Sequence[float]:
    """A point from its body's centre of mass, or from the origin."""
    if end.body == GROUND:
        return [model.value(x) for x in model.ground_point(end.point).position]
    body = model.body(end.body)
    assert isinstance(body, Body)
    pairs = zip(body.point(end.point).position, body.centre, strict=True)
    return [model.value(x) - model.value(c) for x, c in pairs]


Tree = str | list["Tree"]


def _tree(text: str) -> Tree:
    """`((1,2),3),ground` as lists of two."""
    stack: list[list[Tree]] = [[]]
    for token in text.replace("(", " ( ").replace(")", " ) ").replace(",", " ").split():
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0]


def _merge(tree: Tree, nodes: dict[str, int], merges: list[tuple[int, int]]) -> int:
    """A node's number: leaves, then merges in order, each after its parts."""
    if isinstance(tree, str):
        return nodes[tree]
    first, second = (_merge(part, nodes, merges) for part in tree)
    merges.append((first, second))
    return len(nodes) - 1 + len(merges)
