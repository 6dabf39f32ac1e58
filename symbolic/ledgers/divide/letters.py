"""What a reader's own print of the divide-and-conquer paper may name, at an exact instant."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from ...exact.claims import Symbols, rates
from .instant import Instant
from .pieces import Piece, assembled, connection

#: Runs of bodies of the paper's chain: A and B are joined by joint 3 to C.
RUNS = {"A": (1, 2), "B": (3, 4), "C": (1, 4)}


def symbols(at: Instant) -> Mapping[str, Any]:
    """By bodies i and joints k, joint k carrying body k and cuts coming last; about its own point.

    `V_i`, `P_i`, `Qload_i` of a body at its centre, `m_i`, `J_i`; `H_k`, `D_k`, `qd_k`, `Pbar_k`,
    `T_k`, `p_k`, `sigma_k`, `F_k` of a joint; `S_k_l` shifts wrenches from joint l's point to joint
    k's. Of the chain's runs A (bodies 1, 2), B (3, 4) and C (both), as `V1_A`: `V1`, `V2`, `T1`,
    `T2`, `P1`, `Q1`, `Pbar1`, `Pbar2`, `F1`, `F2`, `S12`, `xi11` … `xi20`; `W` and `beta` of the
    joint between A and B. `d` before a name is its rate.
    """
    known: dict[str, Any] = {}
    for i in at.bodies:
        known |= rates(f"V_{i}", partial(at.V, i, at.C[i]), 1)
        known |= rates(f"P_{i}", partial(at.P, i, at.C[i]), 1)
        known |= rates(f"J_{i}", partial(at.J, i), 1)
        known[f"m_{i}"] = partial(at.mass.__getitem__, i)
        known[f"Qload_{i}"] = partial(at.Q, i, at.C[i])
        known[f"qd_{i}"] = partial(at.q, i)
    for k in at.joints:
        for name, of in (("H", at.H), ("D", at.D), ("Pbar", at.articulated), ("p", at.p)):
            known |= rates(f"{name}_{k}", partial(of, k), 1)
        known |= rates(f"T_{k}", partial(at.T, k), 1)
        known[f"sigma_{k}"] = partial(at.multiplier, k)
        known[f"F_{k}"] = partial(at.F, k)
        for other in at.joints:
            known |= rates(f"S_{k}_{other}", partial(at.S, at.O[k], at.O[other]), 1)
    if {1, 2, 3, 4} <= {*at.bodies} and at.joints[3].pred == 2 and 5 not in at.bodies:
        known |= _of_runs(at)
    return Symbols(known)


def _of_runs(at: Instant) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, (first, last) in RUNS.items():
        piece = Piece(at, first, last)
        for part in ("V1", "V2", "T1", "T2", "Q1", "F1", "F2"):
            known[f"{part}_{name}"] = partial(getattr, piece, part)
        for letter, part in (("P1", "P1"), ("Pbar1", "bar1"), ("Pbar2", "bar2"), ("S12", "S12")):
            known |= rates(f"{letter}_{name}", partial(getattr, piece, part), 1)
        for part in ("11", "12", "21", "22", "10", "20"):
            known[f"xi{part}_{name}"] = lambda n=name, part=part: getattr(
                assembled(at, *RUNS[n]), f"x{part}"
            )

    @cache
    def W() -> Any:
        return connection(assembled(at, 1, 2), assembled(at, 3, 4), at.D(3).value)

    def beta() -> Any:
        return W() * (assembled(at, 3, 4).x10 - assembled(at, 1, 2).x20)

    return known | {"W": W, "beta": beta}
