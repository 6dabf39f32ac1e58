"""Angular velocities between frames of flexible bodies as checks: Appendix B, (B.1)–(B.29)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import sympy as sp

from ...exact.claims import Symbols, rates
from ...exact.evaluation import Points
from ...exact.ledger import Sides
from ...exact.motion import Step, spin
from ...exact.screws import skew, turn
from ...exact.series import Series
from .cases import entry as _entry
from .tree import JointTree, constant


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
    """(B.9)–(B.14): of the tensor B = R B Rᵀ, Ḃ Bᵀ + B Ṙ Rᵀ Bᵀ − Ṙ Rᵀ is R Ḃ Bᵀ Rᵀ.

    In inertial axes a tensor's matrix in body axes, X, is R X Rᵀ.
    """
    at = Frames()
    R, rate, B, B_rate = at.Ri.value, at.Ri.at(1), at.Bi.value, at.Bi.at(1)
    tensor = at.Ri @ at.Bi @ at.Ri.T
    turned = (at.Ri.rate @ at.Ri.T).value
    inner, outer = (tensor.rate @ tensor.T).value, tensor.value * turned * tensor.value.T
    own = R * (at.Bi.rate @ at.Bi.T).value * R.T
    yield inner + outer - turned, own
    yield "B.9", at.Fi.at(1), (turned + (inner + outer - turned)) * at.Fi.value
    first = R.T * rate * B + B_rate + B * rate.T * R
    second = R.T * rate * R + rate + R * rate.T * R
    yield "B.11", tensor.at(1), R * first * R.T
    yield "B.12", tensor.value.T, R * B.T * R.T
    yield "B.13", rate, R * second * R.T
    proof = first * B.T, B * second * R.T * B.T, -second * R.T
    yield "B.14", B_rate * B.T, *proof
    yield "B.16", at.Fi.at(1), skew(spin(at.Ri).value + at.seen(at.Ri, at.Bi)) * at.Fi.value


def relative(_: JointTree) -> Sides:
    """(B.19)–(B.24): ω_ij = ω_ik + ω_k − ω_jk."""
    at = Frames()
    w_ik, w_k, w_jk = at.seen(at.Ri, at.Bi), at.seen(at.Fi, at.C), at.seen(at.Rj, at.Bj)
    wi, wj, axes = spin(at.Ri).value, spin(at.Rj).value, at.Fj.value
    yield wj - wi, w_ik, w_k, -w_jk
    from_i = (at.Fi.at(1) * at.C.value, at.Fi.value * at.C.at(1))
    yield "B.22", at.Fj.at(1), *from_i
    yield "B.22", at.Fj.at(1), skew(wi + w_ik) * axes, skew(w_k) * axes
    outer = at.Rj @ at.Bj
    yield "B.23", at.Fj.at(1), at.Rj.at(1) * at.Bj.value, at.Rj.value * at.Bj.at(1)
    yield "B.23", outer.at(1), skew(wj) * axes, skew(w_jk) * axes


def rigid(_: JointTree) -> Sides:
    """(B.25)–(B.29): of rigid bodies ω_ij is ω_k."""
    at = Frames(rigid=True)
    yield spin(at.Rj).value - spin(at.Ri).value, at.seen(at.Fi, at.C)
    for number, wk, w in (("B.27", at.Fi, at.Ri), ("B.28", at.Fj, at.Rj)):
        yield number, spin(wk).value, spin(w).value


def letters(_: JointTree) -> Mapping[str, Any]:
    """Of flexible bodies the matrices Ri, Bik, C, Bjk, Rj and Fi, Fj of the joint's frames.

    `d` before a name is its rate; `omega_i`, `omega_j`, `omega_ik`, `omega_k`, `omega_jk` in
    inertial axes.
    """
    at = Frames()
    named = {"Ri": at.Ri, "Bik": at.Bi, "C": at.C, "Bjk": at.Bj, "Rj": at.Rj}
    known: dict[str, Any] = {}
    for name, series in (named | {"Fi": at.Fi, "Fj": at.Fj}).items():
        known |= rates(name, partial(_same, series), 1)
    known |= {"omega_i": lambda: spin(at.Ri).value, "omega_j": lambda: spin(at.Rj).value}
    seen = {"ik": (at.Ri, at.Bi), "k": (at.Fi, at.C), "jk": (at.Rj, at.Bj)}
    return Symbols(known | {f"omega_{x}": partial(at.seen, *pair) for x, pair in seen.items()})


def _same(series: Series) -> Series:
    return series


entry = partial(_entry, symbols=letters)

ENTRIES = (
    entry("B.8", "rates of a body's axes", rates_of_axes, "ė = ω × e"),
    entry(
        "B.10",
        "spin of a frame in a body",
        compact,
        "Ḃ Bᵀ + B Ṙ Rᵀ Bᵀ − Ṙ Rᵀ = R Ḃ Bᵀ Rᵀ",
    ),
    entry(
        "B.24",
        "relative angular velocity of flexible bodies",
        relative,
        "ω^ij = ω^ik + ω^k − ω^jk",
    ),
    entry(
        "B.29",
        "relative angular velocity of rigid bodies",
        rigid,
        "ω^ij = ω^k",
        symbols=None,
        no_claim="its frames are those of flexible bodies held still; type a print of it at (B.24)",
    ),
)
