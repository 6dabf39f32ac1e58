"""The overall transfer equation of systems with beams: its blocks in numbers, its report.

Places and rates of all ends are differences of the judge's positions; the beams' matrices are
those of the balance, at any input. The blocks, multiplied out as they are named, must give the
judge's accelerations.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from random import Random
from types import SimpleNamespace

import beam_models
import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from deduction_models import Array, agree, driven_by, example_1, roots
from independent.beams import Judge, beam_motion
from overall_numbers import Numbers, Place
from places import EXAMPLES

import mstmm
from mstmm.model import GROUND, Beam, End, Model
from mstmm.report.documents.formats import WRITERS
from mstmm.report.documents.plain import WIDTH
from mstmm.report.overall import overall_document
from mstmm.report.overallgrid import as_object
from mstmm.symbolic.mechanics import beams as theory
from mstmm.symbolic.methods.riccati.dialect import wrench_to_loads
from mstmm.symbolic.pages.named import beam_blocks, named_matrices
from mstmm.symbolic.plans.deduction import Factor, OverallEquation, deduce

EXAMPLE = EXAMPLES / "beam.toml"
PI = np.array(wrench_to_loads(2).tolist(), dtype=float)
#: Of differences in 60 digits.
STEP = mp.mpf("1e-15")


class BeamNumbers(Numbers):
    """The named matrices of a tree with beams at a state."""

    def __init__(self, equation: OverallEquation, q: Array, v: Array, tau: Array) -> None:
        self.equation = equation
        self.model: Model = replace(equation.transfer.model, root="", first_inputs={})
        self.tau, self.wrenches, self.driven = tau, np.zeros((len(self.model.bodies), 6)), {}
        self.elements = {element.label: element for element in equation.transfer.elements}
        self.places, self.known = {}, {}
        self.slots = self._slots()
        self.q, self.v = list(q), list(v)
        with mp.workdps(60):
            self._move()

    def _move(self) -> None:
        judge = Judge(self.model, self.q, self.v)
        ends = {e for element in self.elements.values() for e in (*element.inputs, element.output)}
        count = len(self.q)
        unit = [np.array([mp.mpf(i == k) for i in range(count)]) for k in range(count)]

        def at(y: Array) -> dict[End, Array]:
            return {end: judge.end(y, end) for end in ends}

        now = at(judge.y)
        steps = [
            [at(judge.absolute(judge.q + s * STEP * d)) for s in (1, -1)] for d in (judge.v, *unit)
        ]
        for end in ends:
            x, y, angle = (float(c) for c in now[end])
            rates = [(a[end] - b[end]) / (2 * STEP) for a, b in steps]
            ahead, behind = steps[0]
            bias = (ahead[end] - 2 * now[end] + behind[end]) / STEP**2
            c, s = np.cos(angle), np.sin(angle)
            self.places[end] = Place(
                np.array([x, y, 0.0]),
                np.array([0.0, 0.0, float(rates[0][2])]),
                np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]),
                spatial(bias),
                np.array([spatial(rate) for rate in rates[1:]]),
            )
        self.frames = {GROUND: SimpleNamespace(x=np.eye(4))}
        self.spin, self.eta = {}, {}
        for body in self.model.bodies:
            own, rate = judge.own(judge.y, body), judge.own(judge.rates, body)
            x, y, angle = (float(c) for c in own[:3])
            c, s = np.cos(angle), np.sin(angle)
            frame = np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, 0], [0, 0, 0, 1.0]])
            if not isinstance(body, Beam):
                centre = [self.model.value(z) for z in body.centre]
                frame[:2, 3] -= frame[:2, :2] @ centre
            self.frames[body.name] = SimpleNamespace(x=frame)
            self.spin[body.name] = float(rate[2])
            self.eta[body.name] = [[float(z) for z in part[3:]] for part in (own, rate)]

    def _matrix(self, factor: Factor) -> Array:
        element = self.elements.get(factor.indices[0]) if factor.indices else None
        if element is None or not element.is_beam:
            return super()._matrix(factor)
        entry = int(factor.indices[1][1:]) if len(factor.indices) > 1 else 1
        states = np.eye(self.size)
        eta = states[[6 + slot for slot in self.slots.get(element.label, [])]]
        a, wrench, one = states[:3], PI.T @ states[3:6], states[-1:]
        of, (J1, g1) = self.beam(element.name), self.section(element.inputs[0])
        M, p = of
        J, g = self.section(element.output)
        # The frame's acceleration from that of the first input.
        back = np.linalg.inv(J1[:, :3])
        nu = np.vstack([back @ (a - J1[:, 3:] @ eta - g1 @ one), eta])
        here, _ = self.section(element.inputs[entry - 1])
        if factor.letter == "H":
            if entry > 1:
                return a
            order = factor.order or 2
            there, there_g = self.section(element.inputs[order - 1])
            return there @ nu + there_g @ one
        balance = M @ nu + p @ one if entry == 1 else np.zeros((len(M), self.size))
        whole = balance + here.T @ wrench
        at_output = np.linalg.solve(J[:, :3].T, whole[:3])
        if factor.letter == "G":
            return whole[3:] - J[:, 3:].T @ at_output
        found = np.zeros((self.size, self.size))
        found[3:6] = PI @ at_output
        if entry == 1:
            found[:3] = J @ nu + g @ one
            found[6:] = states[6:]
        return found

    @cached_property
    def values(self) -> dict[str, dict[sp.Symbol, float]]:
        found = {}
        for beam in self.model.beams:
            eta, rates = theory.coordinates(beam.modes)
            value, (own, speeds) = self.model.value, self.eta[beam.name]
            found[beam.name] = {
                **dict(zip([*eta, *rates], [*own, *speeds], strict=True)),
                theory.SPIN: self.spin[beam.name],
                theory.LENGTH: value(beam.length),
                theory.MASS: value(beam.density) * value(beam.length),
                theory.AXIAL: value(beam.axial_stiffness),
                theory.BENDING: value(beam.bending_stiffness),
                theory.DAMPING: value(beam.damping),
            }
        return found

    def turned(self, name: str, modes: int) -> Array:
        """From the floating frame's to inertial axes."""
        found = np.eye(3 + modes)
        found[:2, :2] = self.frames[name].x[:2, :2]
        return found

    def beam(self, name: str) -> tuple[Array, Array]:
        """M and p, gravity included, in inertial axes."""
        beam = self.model.body(name)
        of = theory.balance(theory.Functions.of(beam))
        M, p = (numbers(x, self.values[name]) for x in (of.M, of.p))
        T = self.turned(name, beam.modes)
        M, p = T @ M @ T.T, T @ p
        gravity = np.zeros((len(M), 1))
        gravity[:2, 0] = [self.model.value(x) for x in self.model.gravity]
        return M, p - M @ gravity

    def section(self, end: End) -> tuple[Array, Array]:
        beam = self.model.body(end.body)
        xi = self.model.value(beam.point(end.point).position[0]) / self.model.value(beam.length)
        J, g = theory.section(theory.Functions.of(beam), sp.Float(xi))
        T = self.turned(beam.name, beam.modes)
        J, g = (numbers(x, self.values[beam.name]) for x in (J, g))
        return T[:3, :3] @ J @ T.T, T[:3, :3] @ g


def spatial(planar: Array) -> Array:
    x, y, angle = (float(c) for c in planar)
    return np.array([x, y, 0.0, 0.0, 0.0, angle])


def numbers(matrix: sp.Matrix, values: dict[sp.Symbol, float]) -> Array:
    return np.array(matrix.xreplace(values).tolist(), dtype=float).reshape(matrix.shape)


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_with_beams(seed: int) -> None:
    rng = Random(seed)
    made = beam_models.beam_tree(rng, 4, most=2)
    made = replace(made, hinges=tuple(replace(hinge, force=()) for hinge in made.hinges))
    q, v = beam_models.beam_state(rng, made)
    tau = driven_by(made, rng)
    modal = ["eta" in name for name in made.speeds]
    tau[modal] = 0.0
    expected = np.array(beam_motion(made, q, v, tau).accelerations, dtype=float)
    for turned in roots(made, rng):
        at = BeamNumbers(deduce(turned), np.array(q), np.array(v), tau)
        matrix, states = at.solve()
        assert matrix.shape[0] == matrix.shape[1] == at.equation.counts.unknown
        s = next(iter(states.values()))[6:-1]
        for element in at.equation.auxiliaries:
            if element.is_beam:
                own = made.speeds.index(first_modal(made, element.name))
                wanted = expected[own : own + element.freedoms]
            else:
                hinge = next(h for h in made.hinges if h.name == element.name)
                wanted = expected[[made.speeds.index(x) for x in made.hinge_speeds(hinge)]]
            agree(s[at.slots[element.label]], wanted)


@pytest.mark.parametrize("seed", range(4))
def test_loops_with_beams_are_square(seed: int) -> None:
    equation = deduce(beam_models.beam_loops(Random(seed), 4))
    assert equation.counts.unknown == equation.counts.given
    assert max(map(len, WRITERS["text"](overall_document(equation)).splitlines())) <= WIDTH


def first_modal(made: Model, name: str) -> str:
    """The beams' speeds stand last, in the order of the beams."""
    modes = 0
    for beam in reversed(made.beams):
        modes += beam.modes
        if beam.name == name:
            break
    return made.speeds[len(made.speeds) - modes]


def test_named_blocks_make_up_the_transfer_matrix() -> None:
    named = {one.factor.text(): one for one in named_matrices(deduce(example_1(bending=True)))}
    assert "U_j" in named
    blocks = dict(beam_blocks(theory.Functions(1, 1)))
    M, p = blocks.pop("M"), blocks.pop("p")
    blocks |= {"M_aa": M[:3, :3], "M_aη": M[:3, 3:], "M_ηa": M[3:, :3], "M_ηη": M[3:, 3:]}
    blocks |= {"p_a": p[:3, :], "p_η": p[3:, :]}
    sizes, paper = (3, 3, 2, 1), theory.transfer(theory.Functions(1, 1))
    both = [one for one in named_matrices(deduce(example_1(bending=True))) if "beam" in one.title]
    for one, whole, rows in zip(both, (paper.matrix, paper.modal), (sizes, (2,)), strict=True):
        assert (made_of(one.matrix, blocks, rows, sizes) - whole).expand().is_zero_matrix


def made_of(
    shown: sp.Matrix, blocks: dict[str, sp.Matrix], rows: tuple[int, ...], sizes: tuple[int, ...]
) -> sp.Matrix:
    def term(expr: sp.Expr, i: int, j: int) -> sp.Matrix:
        if expr == 0:
            return sp.zeros(rows[i], sizes[j])
        if expr == 1 or str(expr) == "unit":
            return sp.eye(rows[i])
        found = None
        for factor in expr.args if expr.is_Mul else (expr,):
            found = blocks[str(factor)] if found is None else found * blocks[str(factor)]
        return found

    def block(expr: sp.Expr, i: int, j: int) -> sp.Matrix:
        return sum(
            (term(part, i, j) for part in sp.Add.make_args(expr)), sp.zeros(rows[i], sizes[j])
        )

    return sp.Matrix.vstack(
        *(
            sp.Matrix.hstack(*(block(shown[i, j], i, j) for j in range(shown.cols)))
            for i in range(shown.rows)
        )
    )


def test_report_of_a_beam_with_two_inputs() -> None:
    equation = deduce(mstmm.load(str(EXAMPLE)))
    text = WRITERS["text"](overall_document(equation))
    assert "4 modal rows" in text
    assert max(map(len, text.splitlines())) <= WIDTH
    found = as_object(equation)
    assert [row["of"] for row in found["modal"]["rows"]] == ["arm"]
    assert [row["of"] for row in found["hinges"]["rows"]] == ["axle", "pivot"]
    assert "modal rows of the beams" in WRITERS["latex"](overall_document(equation))
    page = " ".join(WRITERS["text"](overall_document(equation)).split())
    for part in ("beam arm: I1 at middle, I2 at tip, O at root", "1 axial, 3 bending functions"):
        assert part in page
