"""What is derived of the Riccati paper's example counts, entry by entry."""

from __future__ import annotations

from typing import Any

from mstmm.papers import ledger
from mstmm.papers.riccati.world import world
from mstmm.symbolic.equations.matrices import Mat
from mstmm.symbolic.equations.trees import Equation
from mstmm.symbolic.equations.verdicts import compare
from mstmm.symbolic.equations.worlds import World

PAPER = ledger("riccati").paper

#: The prints that differ, and the displays that our copy of the paper lacks.
MISPRINTS = {"46, S3, printed", "47, e3, printed", "52, Uhat8_I1", "52, Uhat8_I2", "62, zb1I"}
LOST = {"6", "8", "16", "36", "37", "43", "44", "49", "55"}

#: Letters that are given: data, states, blocks of elements that are any, the program's arrays.
GIVEN = {
    *("Sr_be", "er_be", "Ur_b"),
    *("m", "a", "g", "cc", "c_b", "s_b", "w_b", "z_be", "za_be", "zb_be"),
    *(
        "r_be",
        "Om_be",
        "mm_be",
        "q_be",
        "m_b",
        "rO_b",
        "rC_b",
        "rI_b",
        "Ω_b",
        "f_b",
        "mC_b",
        "JC_b",
    ),
    *(
        "u_kl",
        "v_k",
        "zin_k",
        "zc_k",
        "Uc_k",
        "T_11",
        "T_12",
        "T_21",
        "T_22",
        "S_i",
        "fA",
        "fB",
        "e_i",
    ),
    *("zaI", "zbI", "zaO", "zbO", "ddx", "ddy", "ddz", "dOx", "dOy", "dOz"),
    *("mx", "my", "mz", "qx", "qy", "qz"),
}

Use = tuple[str, tuple[Any, ...]]


def test_the_misprints_and_the_lost_displays() -> None:
    assert {entry.number for entry in PAPER.entries if entry.correction} == MISPRINTS
    assert {entry.equation for entry in PAPER.entries if entry.kind == "absent"} == LOST


class Noted(World):
    """An instant that notes which letters are asked for."""

    def __init__(self, of: World) -> None:
        self.sets, self.base, self.asked = of.sets, of, set[Use]()

    def known(self, name: str, own: tuple[Any, ...]) -> Any:
        self.asked.add((name, own))
        return self.base.known(name, own)


class Changed(World):
    """An instant at which one entry of a letter is another one."""

    def __init__(self, of: World, use: Use, at: tuple[int, int]) -> None:
        self.sets, self.base, self.use, self.at = of.sets, of, use, at

    def known(self, name: str, own: tuple[Any, ...]) -> Any:
        found = self.base.known(name, own)
        if (name, own) != self.use or found is None:
            return found
        [value], moving = found
        rows = [
            [value[i, j] + int((i, j) == self.at) for j in range(value.cols)]
            for i in range(value.rows)
        ]
        return [Mat.of(rows)], moving


def uses() -> dict[Use, list[tuple[World, Equation]]]:
    """By what is derived, the statements that ask for it, each at an instant."""
    found: dict[Use, list[tuple[World, Equation]]] = {}
    for entry in PAPER.entries:
        at = world(entry.instants[0])
        for line in entry.right:
            assert line.states
            noted = Noted(at)
            compare(line.states, PAPER, [("here", noted)])
            for use in noted.asked:
                if use[0] not in GIVEN:
                    found.setdefault(use, []).append((at, line.states))
    return found


def test_every_entry_of_what_is_derived_counts() -> None:
    for use, statements in uses().items():
        [value], _ = statements[0][0].known(*use)
        for at in ((i, j) for i in range(value.rows) for j in range(value.cols)):
            seen = (
                compare(states, PAPER, [("here", Changed(base, use, at))]).failing
                for base, states in statements
            )
            assert any(seen), (use, at)
