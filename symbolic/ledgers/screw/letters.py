"""What a reader's own print of the screw paper may name, at an exact instant of a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import sympy as sp

from ...exact import screws
from ...exact.claims import Symbols, rates
from ...exact.series import Series
from .checks import At
from .lagrange import lagrange
from .moving import Moving, within
from .particles import unturned
from .tree import Motion, Tree

#: Representations of a twist by their letter.
TWISTS: Mapping[str, Callable[[Motion, int], Series]] = {
    "b": Motion.Vb,
    "s": Motion.Vs,
    "h": Motion.Vh,
    "m": Motion.Vm,
}


def symbols(tree: Tree) -> Mapping[str, Any]:
    """By bodies i, joints j on the way to i, and coordinates k of these.

    `q_i`, `X_i`, `Y_i`, `A_i`, `B_i`, `C_i`, `R_i`, `r_i`, `C_i_j`, `r_i_j` (from i to j); twists
    `Vb_i`, `Vs_i`, `Vh_i`, `Vm_i`, at the centre of mass `Vbc_i`, …; `Jb_i_j`, `Js_j`, `Jh_i_j`,
    `Jm_i_j`, `X0_j`; inertias `Mb_i`, `Ms_i`, `Mh_i`, `Mbc_i`, `Mhc_i`; momenta `Ps_i`, `Ph_i`;
    the wrenches that move a body `Wb_i`, `Ws_i`, `Wh_i`, `Wbc_i`, `Whc_i`; `m_i`, `d_i` (to the
    centre of mass, body axes), `rc_i`; `M`, `Cor`, `dM` of the system and `Gamma_i_j_k`. `d` before
    a name is its rate, `dd` the second one; `Jb_i_j_q_k` a slope by q_k. Body 0 is the ground.
    """
    at, m = At(tree), tree.motion
    known: dict[str, Any] = {}
    for i in (0, *tree.numbers):
        known |= rates(f"C_{i}", partial(m.C.__getitem__, i))
        known |= rates(f"R_{i}", partial(m.R, i)) | rates(f"r_{i}", partial(m.r, i))
        for letter, twist in TWISTS.items():
            known |= rates(f"V{letter}_{i}", partial(twist, m, i))
        for j in tree.numbers:
            known |= rates(f"C_{i}_{j}", partial(m.relative, i, j))
            known |= rates(f"r_{i}_{j}", partial(m.shift, i, j))
            known |= rates(f"r_{j}_{i}", partial(m.shift, j, i))
            known |= rates(f"C_{j}_{i}", partial(m.relative, j, i))
    for i in tree.numbers:
        known |= _of_body(tree, i) | _of_joint(tree, at, i)
    of = lagrange(tree)
    known |= {"M": of.mass, "dM": partial(of.mass_rate, at), "Cor": partial(of.coriolis, at)}
    known |= {f"{'d' * k}q": partial(at.rates, k) for k in range(3)}
    for i in tree.numbers:
        for j in tree.numbers:
            for k in tree.numbers:
                known[f"Gamma_{i}_{j}_{k}"] = partial(of.christoffel, i, j, k)
    return Symbols(known)


def _of_body(tree: Tree, i: int) -> dict[str, Any]:
    """Inertia, momenta and wrenches about the body's own frame, and about its centre of mass."""
    own = Moving(tree, i)
    centre = Moving(tree, i, within(tree, i))
    known: dict[str, Any] = {}
    for mark, of in (("", own), ("c", centre)):
        known |= {
            f"Mb{mark}_{i}": partial(getattr, of, "M"),
            f"Mh{mark}_{i}": partial(getattr, of, "Mh"),
            f"Wb{mark}_{i}": partial(getattr, of, "Wb"),
            f"Wh{mark}_{i}": partial(getattr, of, "Wh"),
        }
        known |= rates(f"Ph{mark}_{i}", partial(_momentum, of, True), 1)
    for letter in "bhm":
        known |= rates(f"V{letter}c_{i}", partial(getattr, centre, f"V{letter}"))
    known |= rates(f"rc_{i}", lambda: centre.C.map(screws.place))
    known |= rates(f"Rc_{i}", lambda: centre.C.map(screws.turn))
    known |= rates(f"Ps_{i}", partial(_momentum, own, False), 1)
    known |= {f"Ms_{i}": partial(getattr, own, "Ms"), f"Ws_{i}": partial(getattr, own, "Ws")}
    return known | {f"m_{i}": partial(getattr, own, "m"), f"d_{i}": partial(getattr, own, "d")}


def _momentum(of: Moving, about_own: bool) -> Series:
    return of.cloud.momentum(unturned(of.C) if about_own else of.ground)


def _of_joint(tree: Tree, at: At, i: int) -> dict[str, Any]:
    """A joint's screws and coordinate, and the columns of the body that it carries."""
    m = tree.motion
    A = sp.eye(4)
    for j in tree.path(i):
        A = A * tree.B[j]
    known: dict[str, Any] = {
        f"X_{i}": partial(tree.X.__getitem__, i),
        f"B_{i}": partial(tree.B.__getitem__, i),
        f"A_{i}": partial(sp.Matrix, A),
        f"Y_{i}": lambda: screws.Ad(A) * tree.X[i],
        **{f"{'d' * k}q_{i}": partial(at.q, i, k) for k in range(4)},
    }
    known |= rates(f"Js_{i}", partial(m.Js, i)) | rates(f"X0_{i}", partial(m.X0, i))
    for j in tree.path(i):
        columns = {"Jb": Motion.Jb, "Jh": Motion.Jh, "Jm": Motion.Jm}
        for letter, column in columns.items():
            known |= rates(f"{letter}_{i}_{j}", partial(column, m, i, j))
            for k in tree.path(i):
                name = f"{letter}_{i}_{j}_q_{k}"
                known[name] = partial(at.partial, k, of=column, at=(i, j))
        known[f"Js_{i}_q_{j}"] = partial(at.partial, j, of=Motion.Js, at=(i,))
        for k in tree.path(i):
            known[f"C_{i}_{j}_q_{k}"] = partial(at.partial, k, of=Motion.relative, at=(i, j))
            known[f"C_{j}_{i}_q_{k}"] = partial(at.partial, k, of=Motion.relative, at=(j, i))
    return known
