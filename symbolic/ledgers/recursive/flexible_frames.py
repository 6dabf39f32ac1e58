"""Angular velocities between frames of flexible bodies as checks: Appendix B, (B.1)–(B.29)."""

from __future__ import annotations

from functools import partial

import sympy as sp

from ...exact.evaluation import Points
from ...exact.ledger import Sides
from ...exact.motion import Step, spin
from ...exact.screws import turn
from ...exact.series import Series
from .tree import JointTree, constant, entry


def turning(seed: int) -> Series:
    """A rotation that changes with the time."""
    draw = Points(seed)
    angle = Series.of_derivatives([draw.number() for _ in range(3)])
    total = constant(draw.rotation(3))
    for axis in (0, 1):
        step = Step(sp.eye(6)[:, axis], (0,))
        total = total @ step.pose([angle], [draw.circle()]).map(turn)
    return total


class Frames:
    """R_i, B_ik, C and B_jk as matrices, each in its own frame; `rigid`: the B do not change."""

    def __init__(self, rigid: bool = False) -> None:
        self.Ri, self.C = turning(71), turning(72)
        arms = [turning(73), turning(74)]
        self.Bi, self.Bj = [constant(b.value) for b in arms] if rigid else arms
        self.Fi = self.Ri @ self.Bi
        self.Fj = self.Fi @ self.C
        self.Rj = self.Fj @ self.Bj.T

    def seen(self, frame: Series, turn: Series) -> sp.Matrix:
        """The axial vector of Ḃ Bᵀ, which is expressed in a frame's axes, in inertial axes."""
        return frame.value * spin(turn).value


def rates_of_axes(_: JointTree) -> Sides:
    """(B.8): ė = ω × e."""
    at = Frames()
    for R in (at.Ri, at.Rj):
        w = spin(R).value
        for k in range(3):
            yield R.at(1)[:, k], w.cross(R.value[:, k])


def compact(_: JointTree) -> Sides:
    """(B.9)–(B.14): of the tensor B = R B Rᵀ, Ḃ Bᵀ + B Ṙ Rᵀ Bᵀ − Ṙ Rᵀ is R Ḃ Bᵀ Rᵀ."""
    at = Frames()
    B = at.Ri @ at.Bi @ at.Ri.T
    turned = (at.Ri.rate @ at.Ri.T).value
    stated = (B.rate @ B.T).value + B.value * turned * B.value.T - turned
    own = at.Ri.value * (at.Bi.rate @ at.Bi.T).value * at.Ri.value.T
    yield stated, own


def relative(_: JointTree, rigid: bool = False) -> Sides:
    """(B.19)–(B.24): ω_ij = ω_ik + ω_k − ω_jk; of rigid bodies (B.25)–(B.29) it is ω_k."""
    at = Frames(rigid)
    w_ik, w_k, w_jk = at.seen(at.Ri, at.Bi), at.seen(at.Fi, at.C), at.seen(at.Rj, at.Bj)
    yield spin(at.Rj).value - spin(at.Ri).value, w_ik + w_k - w_jk
    yield spin(at.Fj).value, spin(at.Ri).value + w_ik + w_k
    yield spin(at.Fj).value, spin(at.Rj).value + w_jk
    if rigid:
        yield w_ik, sp.zeros(3, 1)
        yield w_jk, sp.zeros(3, 1)
        yield spin(at.Rj).value - spin(at.Ri).value, w_k


ENTRIES = (
    entry("B.8", "rates of a body's axes, (B.1)–(B.7)", rates_of_axes, "ė = ω × e"),
    entry(
        "B.10",
        "spin of a frame in a body, (B.9)–(B.18)",
        compact,
        "Ḃ Bᵀ + B Ṙ Rᵀ Bᵀ − Ṙ Rᵀ = R Ḃ Bᵀ Rᵀ",
    ),
    entry(
        "B.24",
        "relative angular velocity of flexible bodies, (B.19)–(B.23)",
        relative,
        "ω^ij = ω^ik + ω^k − ω^jk",
    ),
    entry("B.29", "of rigid bodies, (B.25)–(B.28)", partial(relative, rigid=True), "ω^ij = ω^k"),
)
