"""The overall transfer equation in numbers: every named matrix from the model at a state.

The matrices are written down from rigid kinematics, Newton–Euler and the sign rule, the places
and rates of all points taken from the judge's time functions; nothing of `symbolic/` but the
blocks' names is used. The blocks are then multiplied out as they are named, and solved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from independent.joints import _axial, _frames, _inertia, _place, _point_frame, _steady
from independent.loops import HELD, opened
from independent.tree import FLOAT, Array

from mstmm.model import GROUND, End, Hinge, Model
from mstmm.symbolic.plans.deduction import Factor, OverallEquation, Row
from mstmm.symbolic.plans.transfer import Element

#: Entries of a spatial state [r̈ Ω̇ m q 1] that the plane keeps.
KEPT = {2: [0, 1, 5, 8, 9, 10, 12], 3: list(range(13))}
ZERO = np.zeros((3, 3))
ONE = np.eye(3)


def tilde(r: Array) -> Array:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def shift(r: Array) -> Array:
    """X: accelerations of a point to those of the one at r from it."""
    return np.block([[ONE, -tilde(r)], [ZERO, ONE]])


@dataclass(frozen=True)
class Place:
    """An end's place, spin, axes, and (r̈, Ω̇) at no and at each speed's derivative."""

    r: Array
    Omega: Array
    axes: Array
    bias: Array
    columns: Array


class Numbers:
    """The named matrices of a model at a state, extended by s and reduced to the plane."""

    def __init__(
        self,
        equation: OverallEquation,
        q: Array,
        v: Array,
        tau: Array | None = None,
        wrenches: Array | None = None,
        driven: Mapping[str, Array] | None = None,
    ) -> None:
        """`q`, `v`, `tau`: driven hinges included; `driven`: what they are accelerated by."""
        self.equation = equation
        given = equation.transfer.model
        hinges = tuple(replace(hinge, motion=()) for hinge in given.hinges)
        self.model: Model = replace(given, hinges=hinges, root="", first_inputs={}, q0=(), v0=())
        self.driven = driven or {}
        self.tree = opened(self.model)
        count = len(self.model.speeds)
        self.tau = np.zeros(count) if tau is None else tau
        self.wrenches = np.zeros((len(self.model.bodies), 6)) if wrenches is None else wrenches
        unit = np.eye(count)
        frames = _frames(
            self.tree,
            np.array(q, dtype=float),
            np.vstack([v, 0 * unit]),
            np.vstack([np.zeros((1, count)), unit]),
            FLOAT,
        )
        self.frames = dict(zip([body.name for body in self.model.bodies], frames, strict=True))
        self.frames[GROUND] = _steady(np.eye(4), count + 1)
        self.elements = {element.label: element for element in equation.transfer.elements}
        self.places = {}
        self.slots = self._slots()
        self.known: dict[Factor, Array] = {}

    def _slots(self) -> dict[str, list[int]]:
        """Where each hinge's relative accelerations stand in s."""
        found, at = {}, 0
        for element in self.equation.auxiliaries:
            found[element.label] = list(range(at, at + element.freedoms))
            at += element.freedoms
        self.s = at
        return found

    @property
    def n(self) -> int:
        return 3 if self.model.dimension == 2 else 6

    @property
    def size(self) -> int:
        return 2 * self.n + self.s + 1

    def place(self, end: End) -> Place:
        if end not in self.places:
            at = self.frames[end.body] @ _steady(
                _point_frame(self.model, end, FLOAT), len(self.frames[end.body].d)
            )
            R = at.x[:3, :3]
            turning = _axial(at.dd[:, :3, :3] @ R.T)
            motion = np.hstack([at.dd[:, :3, 3], turning])
            spin = _axial(at.d[0, :3, :3] @ R.T)
            self.places[end] = Place(at.x[:3, 3], spin, R, motion[0], motion[1:])
        return self.places[end]

    def matrix(self, factor: Factor) -> Array:
        """A named matrix: U, C, I square, H and G as many rows as equations."""
        if factor not in self.known:
            self.known[factor] = self._matrix(factor)
        return self.known[factor]

    def _matrix(self, factor: Factor) -> Array:
        if factor.letter == "I":
            return np.eye(self.size)
        if factor.letter == "C":
            n = self.n
            return np.diag([1.0] * n + [-1.0] * n + [1.0] * (self.s + 1))
        element = self.elements[factor.indices[0]]
        entry = int(factor.indices[1][1:]) if len(factor.indices) > 1 else 1
        if factor.letter == "G":
            return self._drive(element)
        if factor.letter == "H":
            order = factor.order or (2 if entry == 1 else entry)
            return self._geometric(element, entry, order)
        return self._body(element, entry) if element.is_body else self._hinge(element)

    def _extended(self, U: Array, passes: bool) -> Array:
        """A 13 × 13 matrix with s between q and 1: passed, or (at further inputs) dropped."""
        kept = KEPT[self.model.dimension]
        U = U[np.ix_(kept, kept)]
        found = np.zeros((self.size, self.size))
        state = [*range(2 * self.n), self.size - 1]
        found[np.ix_(state, state)] = U
        if passes:
            for i in range(2 * self.n, self.size - 1):
                found[i, i] = 1.0
        return found

    def _body(self, element: Element, entry: int) -> Array:
        k = [body.name for body in self.model.bodies].index(element.name)
        body = self.model.bodies[k]
        first, out = self.place(element.inputs[0]), self.place(element.output)
        o = out.r - first.r
        if entry > 1:
            U = np.zeros((13, 13))
            U[6:9, 6:9] = U[9:12, 9:12] = ONE
            U[6:9, 9:12] = tilde(out.r - self.place(element.inputs[entry - 1]).r)
            return self._extended(U, False)
        frame = self.frames[element.name]
        centre = (frame.x @ np.array([*_place(self.model, body.centre, FLOAT), 1.0]))[:3]
        c, W = centre - first.r, tilde(first.Omega)
        m = self.model.value(body.mass)
        R = frame.x[:3, :3]
        J = R @ _inertia(self.model, k, FLOAT).astype(float) @ R.T
        f = m * _place(self.model, self.model.gravity, FLOAT) + self.wrenches[k, 3:]
        couple = self.wrenches[k, :3]
        # Force balance q_O = q_I + f − m r̈_C; moments about O: m_O = m_I + … from those about C.
        U = np.eye(13)
        U[0:3, 3:6], U[0:3, 12] = -tilde(o), W @ W @ o
        U[9:12, 0:3], U[9:12, 3:6] = -m * ONE, m * tilde(c)
        U[9:12, 12] = f - m * W @ W @ c
        # −m_I + m_O − c × q_I − (o − c) × q_O + couple = J Ω̇ + Ω × J Ω
        U[6:9] = tilde(o - c) @ U[9:12]
        U[6:9, 6:9] += ONE
        U[6:9, 9:12] += tilde(c)
        U[6:9, 3:6] += J
        U[6:9, 12] += W @ J @ first.Omega - couple
        return self._extended(U, True)

    def _geometric(self, element: Element, entry: int, order: int) -> Array:
        H = np.zeros((6, 13))
        H[:, :6] = np.eye(6)
        if entry == 1:
            first = self.place(element.inputs[0])
            arm = self.place(element.inputs[order - 1]).r - first.r
            W = tilde(first.Omega)
            H[:3, 3:6], H[:3, 12] = -tilde(arm), W @ W @ arm
        rows = [i for i in KEPT[self.model.dimension] if i < 6]
        found = np.zeros((self.n, self.size))
        found[:, [*range(2 * self.n), self.size - 1]] = H[np.ix_(rows, KEPT[self.model.dimension])]
        return found

    def _motion(self, element: Element) -> tuple[Array, Array, Array, Array]:
        """d, H, gam and the generalised forces of a hinge, O relative to I."""
        hinge = next(hinge for hinge in self.model.hinges if hinge.name == element.name)
        start, end = self.place(element.inputs[0]), self.place(element.output)
        d = end.r - start.r
        X = shift(d)
        if hinge.name in self.model.cuts:
            rows, right = self._held(hinge, start, end, element)
            _, _, basis = np.linalg.svd(rows)
            free = basis[len(rows) :].T
            if self.model.dimension == 2:
                planar = np.eye(6)[:, [0, 1, 5]]
                _, _, small = np.linalg.svd(rows @ planar)
                free = planar @ small[len(rows) :].T
            return d, free, np.linalg.pinv(rows) @ right, np.zeros(free.shape[1])
        names = self.model.hinge_speeds(hinge)
        own = [self.model.speeds.index(name) for name in names]
        H = end.columns[own].T - X @ start.columns[own].T
        gam = end.bias - X @ start.bias
        if hinge.name in self.driven:
            gam = gam + H @ self.driven[hinge.name]
        return d, H, gam, self.tau[own]

    def _held(
        self, hinge: Hinge, start: Place, end: Place, element: Element
    ) -> tuple[Array, Array]:
        """Rows c with c (a_O − X a_I) = b at a cut hinge, from what its kind holds."""
        parent, child = self.place(hinge.ends[0]), self.place(hinge.ends[1])
        d, spin = child.r - parent.r, child.Omega - parent.Omega
        at = {end_: self._velocity(end_) for end_ in hinge.ends}
        W = tilde(parent.Omega)
        flow = at[hinge.ends[1]] - at[hinge.ends[0]] - W @ d
        gam = np.concatenate([W @ W @ d + 2 * W @ flow, W @ child.Omega])
        normal = np.cross(parent.axes[:, 0], child.axes[:, 1])
        tilting = np.cross(parent.axes[:, 0], tilde(spin) @ child.axes[:, 1])
        rows, right = [], []
        for component in HELD[self.model.dimension, hinge.kind]:
            c = np.zeros(6)
            if component == 6:
                c[3:] = normal
                b = c @ gam - spin @ tilting
            else:
                c[3 * (component // 3) :][:3] = parent.axes[:, component % 3]
                b = c @ gam
            rows.append(c)
            right.append(b)
        found = np.array(rows)
        # From child against parent to O against I: a_c − X(d) a_p = −X(d) (a_p − X(−d) a_c).
        if element.output == hinge.ends[0]:
            found = -found @ shift(d)
        return found, np.array(right)

    def _velocity(self, end: End) -> Array:
        at = self.frames[end.body] @ _steady(
            _point_frame(self.model, end, FLOAT), len(self.frames[end.body].d)
        )
        return at.d[0, :3, 3]

    def _hinge(self, element: Element) -> Array:
        d, H, gam, _ = self._motion(element)
        U = np.eye(13)
        U[:6, :6] = shift(d)
        U[:6, 12] = gam
        U[6:9, 9:12] = tilde(d)
        found = self._extended(U, True)
        rows = [i for i in KEPT[self.model.dimension] if i < 6]
        if element.freedoms:
            slots = [2 * self.n + slot for slot in self.slots[element.label]]
            found[np.ix_(range(self.n), slots)] = H[rows]
        return found

    def _drive(self, element: Element) -> Array:
        _, H, _, tau = self._motion(element)
        G = np.zeros((element.freedoms, 13))
        G[:, 6:9], G[:, 9:12], G[:, 12] = H[3:].T, -H[:3].T, tau
        found = np.zeros((element.freedoms, self.size))
        kept = KEPT[self.model.dimension]
        found[:, [*range(2 * self.n), self.size - 1]] = G[:, kept]
        return found

    # The equation

    def block(self, row: int, column: int) -> Array:
        """A block, its products multiplied out as they are named."""
        found = self.rows[row]
        total = 0.0
        for term in self.equation.block(found, column):
            product = np.eye(self.size)
            for factor in reversed(self.equation.factors(term)):
                product = self.matrix(factor) @ product
            total = total + term.sign * product[: found.size]
        return np.zeros((found.size, self.size)) + total

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.equation.rows

    def unknown(self, column: int) -> list[int]:
        """The entries of an end's state that are not known to be zero."""
        condition = self.equation.end(column).condition
        n, d = self.n, self.model.dimension
        spins, loads = list(range(d, n)), list(range(n, 2 * n))
        return {
            "free": list(range(n)),
            "clamped": loads,
            "pinned": [*spins, *loads[n - d :]],
            "cut": list(range(2 * n)),
        }[condition]

    def solve(self) -> tuple[Array, dict[int, Array]]:
        """The system's matrix, and the state of every end of `columns`."""
        columns = self.equation.columns
        blocks = [[self.block(i, c) for c in columns] for i in range(len(self.rows))]
        whole = np.vstack([np.hstack(row) for row in blocks])
        size = self.size
        places = [at * size + entry for at, c in enumerate(columns) for entry in self.unknown(c)]
        s = [
            sum(whole[:, at * size + entry] for at in range(len(columns)))
            for entry in range(2 * self.n, size)
        ]
        matrix = np.column_stack([whole[:, places], *s[:-1]])
        scale = np.abs(matrix).max(axis=1, initial=0.0)
        found = np.linalg.solve(matrix / scale[:, None], -s[-1] / scale)
        states = {c: np.zeros(size) for c in columns}
        at = 0
        for c in columns:
            own = self.unknown(c)
            states[c][own] = found[at : at + len(own)]
            at += len(own)
            states[c][2 * self.n :] = [*found[len(places) :], 1.0]
        return matrix, states

    def results(self) -> tuple[Array, dict[str, Array]]:
        """dv/dt in the model's order, and the loads at every hinge as the judge has them."""
        matrix, states = self.solve()
        assert matrix.shape[0] == matrix.shape[1] == self.equation.counts.unknown
        for pair in self.equation.transfer.pairs:
            kept = states[pair.kept]
            states[pair.dropped] = kept if pair.ring else self.matrix(Factor("C")) @ kept
        inputs: dict[tuple[int, int], Array] = {
            (end.element, end.entry): states[i]
            for i, end in enumerate(self.equation.transfer.ends)
            if end.entry
        }
        outputs: list[Array] = []
        for i, element in enumerate(self.equation.transfer.elements):
            total = sum(
                self.matrix(Factor("U", element.index(k))) @ inputs[i, k]
                for k in range(1, len(element.inputs) + 1)
            )
            outputs.append(total)
            if element.feeds is not None:
                inputs[element.feeds] = total
        s = next(iter(states.values()))[2 * self.n : -1]
        rates = np.zeros(len(self.model.speeds))
        for hinge in self.model.tree_hinges:
            own = [self.model.speeds.index(name) for name in self.model.hinge_speeds(hinge)]
            element = next((e for e in self.equation.auxiliaries if e.name == hinge.name), None)
            rates[own] = np.nan if element is None else s[self.slots[element.label]]
        return rates, self._loads(inputs, outputs)

    def _loads(
        self, inputs: Mapping[tuple[int, int], Array], outputs: list[Array]
    ) -> dict[str, Array]:
        """At each element end of a body: the moment on the body, the force that it exerts."""
        found = {}
        for i, element in enumerate(self.equation.transfer.elements):
            if not element.is_body:
                continue
            found[str(element.output)] = self._load(outputs[i], 1)
            free = {
                end.entry
                for end in self.equation.transfer.ends
                if end.element == i and end.condition == "free"
            }
            for k, end in enumerate(element.inputs, start=1):
                if k not in free or end != element.output:
                    found[str(end)] = self._load(inputs[i, k], -1)
        return found

    def _load(self, state: Array, sign: int) -> Array:
        load = np.zeros(6)
        entries = [2, 3, 4] if self.model.dimension == 2 else list(range(6))
        load[entries] = sign * state[self.n : 2 * self.n]
        return load
