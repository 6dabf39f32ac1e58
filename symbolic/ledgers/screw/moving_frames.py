"""Newton–Euler equations of one body seen from moving frames: screw paper (60)–(65)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from ...exact import screws
from ...exact.ledger import Sides
from ...exact.motion import GROUND, inverse
from ...exact.screws import Ad_turn, ad, ad_spin
from ...exact.series import Series
from .cases import entry
from .particles import Cloud, framed
from .tree import Ad, Tree, body_twist, spatial_twist
from .tree import Ad_turn as turned


@dataclass(frozen=True, eq=False)
class Seen:
    """Body i seen from the origin of frame j, in the axes of frame k; all three may move."""

    tree: Tree
    i: int
    j: int
    k: int

    def pose(self, frame: int) -> Series:
        return self.tree.motion.C[frame]

    @cached_property
    def cloud(self) -> Cloud:
        return Cloud(self.tree.motion, self.i)

    @property
    def frame(self) -> Series:
        return framed(self.pose(self.k).map(screws.turn), self.pose(self.j))

    @cached_property
    def jV(self) -> Series:
        """^jV_i = Ad_{C_j}⁻¹ V_iˢ."""
        return Ad(inverse(self.pose(self.j))) @ spatial_twist(self.pose(self.i))

    @property
    def jV_j(self) -> sp.Matrix:
        return body_twist(self.pose(self.j)).value

    @cached_property
    def jM(self) -> sp.Matrix:
        """(62)"""
        to = screws.Ad(self.pose(self.j).value)
        return to.T * self.cloud.inertia(self.pose(GROUND)) * to

    @cached_property
    def R(self) -> Series:
        """R_{j,k} = R_jᵀ R_k."""
        return self.pose(self.j).map(screws.turn).T @ self.pose(self.k).map(screws.turn)

    @cached_property
    def kV(self) -> Series:
        return turned(self.R).T @ self.jV

    @cached_property
    def kM(self) -> sp.Matrix:
        turn = Ad_turn(self.R.value)
        return turn.T * self.jM * turn

    @property
    def spin(self) -> sp.Matrix:
        """Angular velocity of frame k, in its axes."""
        return body_twist(self.pose(self.k)).value[:3, :]


def seen(tree: Tree) -> Iterator[Seen]:
    """Every body from two others, and the spatial, body-fixed and hybrid representations."""
    names = tree.numbers
    for n, i in enumerate(names):
        yield Seen(tree, i, names[n - 1], names[n - 2])
        yield Seen(tree, i, GROUND, GROUND)
        yield Seen(tree, i, i, i)
        yield Seen(tree, i, i, GROUND)


def momentum_in_frame(tree: Tree) -> Sides:
    for at in seen(tree):
        to = screws.Ad(at.pose(at.j).value)
        change = at.cloud.momentum(at.pose(GROUND)).at(1)
        yield at.cloud.wrench(at.pose(at.j)), to.T * change


def balance_in_frame(tree: Tree) -> Sides:
    for at in seen(tree):
        V, M = at.jV, at.jM
        moving = V.at(1) + ad(at.jV_j) * V.value
        yield at.cloud.wrench(at.pose(at.j)), M * moving - ad(V.value).T * M * V.value


def inertia_in_frame(tree: Tree) -> Sides:
    for at in seen(tree):
        yield at.cloud.inertia(at.pose(at.j)), at.jM


def momentum_in_axes(tree: Tree) -> Sides:
    for at in seen(tree):
        to = screws.Ad(at.pose(at.j).value) * Ad_turn(at.R.value)
        yield at.cloud.wrench(at.frame), to.T * at.cloud.momentum(at.pose(GROUND)).at(1)


def balance_in_axes(tree: Tree, printed: bool = False) -> Sides:
    for at in seen(tree):
        V, M, turn = at.kV, at.kM, Ad_turn(at.R.value)
        spin = at.spin if printed else at.spin - at.R.value.T * at.jV_j[:3, :]
        moving = V.at(1) + (ad(turn.T * at.jV_j) + ad_spin(spin)) * V.value
        yield at.cloud.wrench(at.frame), M * moving - ad(V.value).T * M * V.value


def inertia_in_axes(tree: Tree, printed: bool = False) -> Sides:
    for at in seen(tree):
        turn = Ad_turn(at.R.value)
        stated = turn * at.jM * turn.T if printed else at.kM
        yield at.cloud.inertia(at.frame), stated


ENTRIES = (
    entry(
        "60", "momentum balance seen from a moving frame", momentum_in_frame, "ʲW = Ad_{C_j}ᵀ Π̇ˢ"
    ),
    entry(
        "61",
        "Newton–Euler equations seen from a moving frame",
        balance_in_frame,
        "ʲW = ʲM (ʲV̇ + ad_{ʲV_j} ʲV) − ad_{ʲV}ᵀ ʲM ʲV",
    ),
    entry("62", "inertia seen from a moving frame", inertia_in_frame, "ʲM = Ad_{C_j}ᵀ Mˢ Ad_{C_j}"),
    entry(
        "63",
        "momentum balance in the axes of another moving frame",
        momentum_in_axes,
        "ᵏW = Ad_{R_jk}ᵀ Ad_{C_j}ᵀ Π̇ˢ",
    ),
    entry(
        "64",
        "Newton–Euler equations in the axes of another moving frame",
        balance_in_axes,
        "ᵏW = ᵏM (ᵏV̇ + (ad_{ᵏV_j} + ad_ω) ᵏV) − ad_{ᵏV}ᵀ ᵏM ᵏV, ω = R_kᵀ (ω_k − ω_j)",
        as_printed="ᵏW = ᵏM (ᵏV̇ + (ad_{ᵏV_j} + ad_ω) ᵏV) − ad_{ᵏV}ᵀ ᵏM ᵏV, ω = R_kᵀ ω_k",
        correction="the spin is that of frame k relative to frame j, not its own",
    ),
    entry(
        "65",
        "inertia in the axes of another moving frame",
        inertia_in_axes,
        "ᵏM = Ad_{R_jk}ᵀ ʲM Ad_{R_jk}, R_jk = R_jᵀ R_k",
        as_printed="ᵏM = Ad_{R_kj}ᵀ ʲM Ad_{R_kj}",
        correction="R_{j,k} = R_jᵀ R_k here as in (63), not R_{k,j}",
    ),
)
