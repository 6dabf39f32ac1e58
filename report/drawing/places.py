"""Where everything of a model is at some times: bodies, their points, the ground, bent beams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Polynomial

from ...codegen.generate import generate
from ...model import GROUND, Beam, Body, End, Model, Point
from ...model.expressions.evaluation import evaluated
from ...model.expressions.quantities import TIME, Quantity, exact_expression, parameter
from ...runtime.evaluation.backend import NumpyModule
from ...runtime.solver import compile_model
from ...symbolic.methods.algorithm import Algorithm
from ...symbolic.methods.algorithms import Linear, Riccati
from ...symbolic.methods.linear.cells import starts

Floats = npt.NDArray[np.float64]

#: Sections of a beam that are drawn, where nothing else tells how many show how it bends.
SECTIONS = 17


@dataclass(frozen=True, eq=False)
class Places:
    """A model in some states.

    Shape
        `times` (T), `q` (T, nq), `poses` (T, nbodies, 4, 4).
    Units
        s; m.
    Frame
        As `Solver.poses`.
    """

    model: Model
    times: Floats
    q: Floats
    poses: Floats

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {body.name: k for k, body in enumerate(self.model.bodies)}

    @cached_property
    def ground(self) -> Floats:
        """The ground's own frame, (T, 4, 4): the inertial one, unless the base moves."""
        found = np.broadcast_to(np.eye(4), (len(self.times), 4, 4)).copy()
        base = self.model.base
        if base is None:
            return found
        for k, x in enumerate(base.position):
            found[:, k, 3] = self._over_time(x)
        turns = [self._over_time(x) for x in base.angles]
        axes = [2] if self.model.dimension == 2 else [0, 1, 2]
        for axis, turn in zip(axes, turns, strict=False):
            found[:, :3, :3] = _about(axis, turn) @ found[:, :3, :3]
        return found

    def frame(self, body: str) -> Floats:
        """A body's own frame, or the ground's, (T, 4, 4)."""
        return self.ground if body == GROUND else self.poses[:, self._numbers[body]]

    def at(self, end: End) -> Floats:
        """The frame of a point of a body or of the ground, (T, 4, 4)."""
        if end.body == GROUND:
            return self.ground @ self._local(self.model.ground_point(end.point))
        body = self.model.body(end.body)
        point = body.point(end.point)
        if isinstance(body, Beam):
            return self._section(body, point)
        return self.frame(end.body) @ self._local(point)

    def sections(self, beam: Beam) -> int:
        """How many sections show how a beam is bent."""
        return SECTIONS

    def along(self, beam: Beam, xs: Floats) -> Floats:
        """Places of a bent beam's sections, (T, len(xs), 3)."""
        x, y, _ = self._bent(beam, xs)
        local = np.stack([x, y, np.zeros_like(x), np.ones_like(x)], axis=-1)
        placed: Floats = np.einsum("tij,tkj->tki", self.frame(beam.name), local)
        return placed[..., :3]

    def _section(self, beam: Beam, point: Point) -> Floats:
        x, y, slope = self._bent(beam, np.array([self.model.value(point.position[0])]))
        local = _about_4(slope[:, 0])
        local[:, 0, 3], local[:, 1, 3] = x[:, 0], y[:, 0]
        placed: Floats = self.frame(beam.name) @ local @ self._axes(point)
        return placed

    def _bent(self, beam: Beam, xs: Floats) -> tuple[Floats, Floats, Floats]:
        """Displaced places and angles of sections, (T, len(xs)): the functions of `Beam`."""
        length = self.model.value(beam.length)
        xi = xs / length
        first = self.model.coordinates.index(f"eta{beam.name}_1") if beam.modes else 0
        eta = self.q[:, first : first + beam.modes]
        stretch, bend = eta[:, : beam.axial_modes], eta[:, beam.axial_modes :]
        across = _across(beam)
        slopes = [shape.deriv() / length for shape in across]
        x = xs + stretch @ _values(_along(beam), xi)
        for i, j, part in _shortening(beam, length):
            x = x - np.outer(bend[:, i] * bend[:, j], part(xi))
        return x, bend @ _values(across, xi), bend @ _values(slopes, xi)

    def _local(self, point: Point) -> Floats:
        """A point's frame in its body."""
        found = self._axes(point)
        for k, x in enumerate(point.position):
            found[k, 3] = self.model.value(x)
        return found

    def _axes(self, point: Point) -> Floats:
        """A point's axes in its body, as a frame."""
        found = np.eye(4)
        if isinstance(point.axes, tuple):
            found[:3, :3] = [[self.model.value(x) for x in row] for row in point.axes]
        elif point.axes is not None:
            found = _about_4(np.array([self.model.value(point.axes)]))[0]
        return found

    def _over_time(self, quantity: Quantity) -> Floats:
        """A quantity of the time and the parameters, at all times."""
        expression = exact_expression(quantity)
        known = {parameter(name): Fraction(x) for name, x in self.model.parameters.items()}
        if TIME not in expression.free_symbols:
            return np.full(len(self.times), self.model.value(expression))
        values = [evaluated(expression, known | {TIME: Fraction(t)}) for t in self.times.tolist()]
        return np.array([float(x or 0) for x in values])


def places(model: Model, q: Floats, times: Floats) -> Places:
    """The model in these states, by the generated kinematics in NumPy."""
    # Of exact beams only `linear` knows, which has them in cells; places tell no spin or loss.
    model = replace(model, bodies=tuple(_still(body) for body in model.bodies))
    algorithm: Algorithm = Linear(cells=1) if exact(model) else Riccati()
    entry = "placed" if exact(model) else "poses"
    made = generate(model, algorithm=algorithm, target="numpy", entries=(entry,))
    interface = made.sources.interface
    poses = np.empty((len(q), interface.sizes["poses"]))
    buffers = {"q": np.ascontiguousarray(q), "t": times[:, np.newaxis].copy(), "poses": poses}
    NumpyModule(made.sources).run(
        entry, {name: buffers[name] for name in interface.arguments[entry]}
    )
    found = poses.reshape(len(q), -1, 4, 4)
    if exact(model):
        names = [*interface.sets["bodies"]]
        first = {beam: cell for cell, (beam, x) in starts(model, 1).items() if x == 0}
        found = found[:, [names.index(first.get(x.name, x.name)) for x in model.bodies]]
    return Places(model, times, q, found)


def _still(body: Body | Beam) -> Body | Beam:
    body = replace(body, loss=0) if isinstance(body, Beam) and body.loss != 0 else body
    return replace(body, spin=0) if body.spin != 0 else body


def exact(model: Model) -> bool:
    """Are there beams of which `linear` alone knows?"""
    return any(beam.linear_alone for beam in model.beams)


def start(model: Model) -> Places:
    """The model in its start pose, its loops closed; those of exact beams are as they are given.

    Raises
        NumericsError: the loops cannot be closed.
    """
    q = np.array(model.q0, dtype=np.float64)
    if model.conditioned and not exact(model):
        q = compile_model(model, target="numpy").assemble().q
    return places(model, q[np.newaxis], np.zeros(1))


def with_parameters(model: Model, values: Mapping[str, float]) -> Model:
    """The model with other values of its parameters; names that it lacks are passed over."""
    own = {name: values[name] for name in model.parameters if name in values}
    return replace(model, parameters={**model.parameters, **own}) if own else model


def shapes(
    beam: Beam, length: float, x: float
) -> tuple[list[float], list[float], list[list[float]]]:
    """How far a section moves along a beam and across it per coordinate, and what bending takes."""
    xi = x / length
    shortening = np.zeros((beam.bending_modes, beam.bending_modes))
    for i, j, part in _shortening(beam, length):
        shortening[i, j] = part(xi)
    along, across = ([float(f(xi)) for f in each] for each in (_along(beam), _across(beam)))
    return along, across, shortening.tolist()


def _along(beam: Beam) -> list[Polynomial]:
    return [_polynomial(row) for row in beam.axial_functions]


def _across(beam: Beam) -> list[Polynomial]:
    return [_polynomial(row) for row in beam.bending_functions]


def _shortening(beam: Beam, length: float) -> Iterator[tuple[int, int, Polynomial]]:
    """Half the integral of the squared slope from the clamped end."""
    slopes = [shape.deriv() / length for shape in _across(beam)] if beam.foreshortening else []
    for i, one in enumerate(slopes):
        for j, other in enumerate(slopes):
            yield i, j, length / 2 * (one * other).integ()


def _polynomial(coefficients: Sequence[Fraction]) -> Polynomial:
    return Polynomial([float(x) for x in coefficients])


def _values(functions: Sequence[Polynomial], xi: Floats) -> Floats:
    return np.array([function(xi) for function in functions]).reshape(len(functions), len(xi))


def _about(axis: int, angle: Floats) -> Floats:
    """Rotations about a coordinate axis, (…, 3, 3)."""
    found = np.zeros((*angle.shape, 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    found[..., axis, axis] = 1.0
    found[..., i, i] = found[..., j, j] = np.cos(angle)
    found[..., j, i] = np.sin(angle)
    found[..., i, j] = -found[..., j, i]
    return found


def _about_4(angle: Floats) -> Floats:
    found = np.broadcast_to(np.eye(4), (*angle.shape, 4, 4)).copy()
    found[..., :3, :3] = _about(2, angle)
    return found
