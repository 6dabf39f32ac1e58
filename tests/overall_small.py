"""The overall transfer equation of small motions in numbers, as `derive --overall` prints it."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.linalg
import sympy as sp

import mstmm
from mstmm.model import Model
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.report.drawing.vibrating import resting
from mstmm.report.vibration.overall import of_small_motions
from mstmm.symbolic.mechanics import laws
from mstmm.symbolic.plans.deduction import Factor


def unloaded(model: Model, seed: int) -> Model:
    """The model without any load at rest, its hinges on springs that are slack at its start."""
    rng, places = Random(seed), dict(zip(model.coordinates, model.q0, strict=True))
    hinges = []
    for hinge in model.hinges:
        names = [x for x in model.hinge_coordinates(hinge) if x in places]
        q = [hinge_symbol("q", k + 1) for k in range(len(names))]
        stored = sum(
            sp.Float(rng.uniform(5, 40)) * (x - sp.Float(places[name])) ** 2 / 2
            for x, name in zip(q, names, strict=True)
        )
        turns = hinge.kind in ("ball", "free", "elastic") and model.dimension == 3
        plain = replace(hinge, stiffness=(), rest=(), damping=(), force=(), potential=0)
        hinges.append(plain if turns or not names else replace(plain, potential=stored))
    none = (0,) * model.dimension
    return replace(model, hinges=tuple(hinges), loads=(), forces=(), gravity=none)


class Printed:
    """U_all(ω) of a model of rigid bodies: matrices of accelerations with what `displaced` says."""

    def __init__(self, model: Model, q: Any) -> None:
        self.equation = mstmm.derive(model).overall
        self.numbers = self.equation.at(q, np.zeros(len(model.speeds)))
        self.model, self.n = model, self.numbers.n
        elements = self.equation.transfer.elements
        self.bodies = {x.label for x in elements if x.is_body}
        self.hinges = {x.label: self.equation.hinges[x.name] for x in elements if not x.is_body}
        self.places = dict(zip(model.coordinates, q, strict=True))
        self.known: dict[str, np.ndarray] = {}

    def stiffness(self, label: str) -> np.ndarray:
        hinge = self.hinges[label]
        of = laws.stiffness(self.model.dimension, hinge).slopes
        names = self.model.hinge_coordinates(hinge)
        at = {laws.inside(x): sp.Float(value) for x, value in self.model.parameters.items()}
        at |= {
            hinge_symbol("q", k + 1): self.places[x]
            for k, x in enumerate(names)
            if x in self.places
        }
        return np.array(sp.Matrix(of).xreplace(at), dtype=float)

    def matrix(self, factor: Factor, square: float) -> np.ndarray:
        n, name = self.n, factor.text()
        if name not in self.known:
            self.known[name] = np.array(self.numbers.matrix(factor), dtype=float)
        found = self.known[name].copy()
        if factor.letter == "U":
            if factor.indices[0] in self.bodies:
                found[n : 2 * n, :n] *= -square
            found[: 2 * n, -1] = 0.0
        elif factor.letter in "GHK":
            found[:, -1] = 0.0
        if factor.letter == "G":
            own = np.array(self.numbers._s[factor.indices[0]])
            found[:, own] = -square * found[:, own] - self.stiffness(factor.indices[0])
        return found

    def __call__(self, square: float) -> np.ndarray:
        """The square system: main, geometric and hinges' rows; open entries, then s."""
        equation, n = self.equation, self.n
        rows = []
        for row in equation.rows:
            blocks, beside = [], 0.0
            for column in equation.columns:
                found = np.zeros((self.numbers.size, self.numbers.size))
                for term in equation.block(row, column):
                    product = np.eye(self.numbers.size)
                    for factor in reversed(equation.factors(term)):
                        product = self.matrix(factor, square) @ product
                    found[: len(product)] += term.sign * product
                found = found[: row.size]
                blocks.append(found[:, [*equation.open_entries(column)]])
                # s belongs to every state and is counted once, where it first comes from.
                part = found[:, 2 * n : -1]
                beside = part if isinstance(beside, float) else np.where(beside == 0, part, beside)
            rows.append(np.hstack([*blocks, beside]))
        return np.vstack(rows)


class PrintedFrame(Printed):
    """U_all(ω) of planar beams that are welded to each other, whose U is exp(G l)."""

    def __init__(self, model: Model) -> None:
        self.equation = of_small_motions(mstmm.derive(model).overall)
        self.model, self.n = model, 3
        self.numbers = SimpleNamespace(size=7)
        elements = self.equation.transfer.elements
        self.elements = {x.label: x for x in elements}
        poses = mstmm.compile(model, algorithm="linear", target="numpy").modes(count=1)
        self.placed = resting(poses.inside)

    def matrix(self, factor: Factor, square: float) -> np.ndarray:
        """With r, θ, m, q of a section, from I to O: m and −q act on what is before it."""
        found, element = np.eye(7), self.elements.get(factor.indices[0]) if factor.indices else None
        if element is None or not element.is_body:
            return found
        beam = self.model.body(element.name)
        ends = [
            self.model.value(beam.point(x.point).position[0])
            for x in (*element.inputs[:1], element.output)
        ]
        way, length = np.sign(ends[1] - ends[0]), abs(ends[1] - ends[0])
        rho, EA, EI = (
            self.model.value(x)
            for x in (beam.density, beam.axial_stiffness, beam.bending_stiffness)
        )
        G = np.zeros((6, 6))
        G[0, 4], G[1, 2], G[2, 3], G[3, 5] = -1 / EA, 1, 1 / EI, 1
        G[4, 0] = G[5, 1] = square * rho
        e = way * self.placed[beam.name][:2, 0]
        R = np.array([[e[0], -e[1]], [e[1], e[0]]])
        turn = scipy.linalg.block_diag(R, 1, 1, R)
        found[:6, :6] = turn @ scipy.linalg.expm(G * length) @ turn.T
        return found
