"""Order, momentum and energy of the geometric integrators, of a rigid body and of a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model import GROUND, Body, End, Hinge, Model, Point
from ...report.drawing.mechanism import mechanism
from ...report.plot import COLOURS
from ...runtime.extras import require
from ...runtime.flight import FlyingTree, FreeBody
from ...runtime.solver import compile_model
from ..studies.study import Picture, Plot, Say, Section, Table

Floats = npt.NDArray[np.float64]

#: The end of the short motions in s, numbers of steps; the long motion's steps and their length.
END, STEPS = 2.0, (20, 40, 80, 160, 320)
LONG, LONG_STEP = 20_000, 1e-2
SMALL_STEPS, SMALL_LONG = (20, 40), 200

#: The body: mass, centre of mass in its frame, inertia about the centre; its first twist.
MASS, CENTRE = 2.0, np.array([0.1, -0.2, 0.3])
INERTIA = np.array([[0.9, 0.05, -0.1], [0.05, 1.4, 0.2], [-0.1, 0.2, 1.9]])
TWIST = np.array([0.8, 1.3, -0.7, 0.4, -0.2, 0.3])

#: Of the reference.
TOLERANCE = 1e-13

SCHEMES = {"body": "body-fixed twist", "momentum": "spatial momentum"}


def tilde(x: Floats) -> Floats:
    """The matrix of the cross product."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def free_body(target: str = "c") -> FreeBody:
    """The body, without weight."""
    d = tilde(CENTRE)
    inertia = np.block([[INERTIA - MASS * d @ d, MASS * d], [-MASS * d, MASS * np.eye(3)]])
    return FreeBody(inertia, gravity=(0, 0, 0), target=target)


def reference(end: float) -> Floats:
    """The body's pose by Euler's equations about its centre of mass, which moves straight on.

    Nine direction cosines by DOP853: no screw, no exponential.
    """
    integrate = require("scipy.integrate", extra="scipy", purpose="the reference motion")
    inverse = np.linalg.inv(INERTIA)

    def rate(_: float, y: Floats) -> Floats:
        R, w = y[:9].reshape(3, 3), y[9:]
        return np.concatenate([(R @ tilde(w)).ravel(), inverse @ np.cross(INERTIA @ w, w)])

    start = np.concatenate([np.eye(3).ravel(), TWIST[:3]])
    found = integrate.solve_ivp(
        rate, (0, end), start, method="DOP853", rtol=TOLERANCE, atol=TOLERANCE
    ).y[:, -1]
    R = found[:9].reshape(3, 3)
    centre = CENTRE + end * (TWIST[3:] + np.cross(TWIST[:3], CENTRE))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = R, centre - R @ CENTRE
    return pose


@dataclass(frozen=True)
class Errors:
    """Over the numbers of steps: of the pose or the coordinates, of momentum and of energy."""

    place: dict[int, float]
    momentum: dict[int, float]
    energy: dict[int, float]

    @property
    def order(self) -> float:
        """The slope of the first kind of error."""
        steps = np.log(list(self.place))
        return float(-np.polyfit(steps, np.log(list(self.place.values())), 1)[0])


def measured(flight: Callable[[int], Any], off: Callable[[Any], float], steps: Any) -> Errors:
    """Errors of the flights with so many steps."""
    made = {n: flight(n) for n in steps}
    return Errors(
        {n: off(one) for n, one in made.items()},
        {n: one.momentum_drift for n, one in made.items()},
        {n: one.energy_drift for n, one in made.items()},
    )


def satellite() -> Model:
    """Four bodies that fly: a panel and an arm on a hub, a tool on the arm."""

    def solid(name: str, mass: float, inertia: tuple[float, ...], **points: Any) -> Body:
        J = tuple(tuple(inertia[i] if i == j else 0 for j in range(3)) for i in range(3))
        return Body(name, mass, J, (0.2, 0.05, 0.1), tuple(Point(*one) for one in points.items()))

    def joined(name: str, kind: str, parent: str, child: str) -> Hinge:
        return Hinge(name, kind, (End.parse(parent), End.parse(child)))

    return Model(
        name="satellite",
        dimension=3,
        bodies=(
            solid("hub", 10, (2, 3, 4), M=(0, 0, 0), P=(0.5, 0, 0.1), A=(-0.4, 0.2, 0)),
            solid("panel", 1.5, (0.1, 0.4, 0.45), I=(0, 0, 0)),
            solid("arm", 2, (0.1, 0.3, 0.3), I=(0, 0, 0), T=(0.6, 0, 0)),
            solid("tool", 0.7, (0.02, 0.03, 0.04), I=(0, 0, 0)),
        ),
        hinges=(
            joined("orbit", "free", f"{GROUND}:O", "hub:M"),
            joined("wing", "revolute", "hub:P", "panel:I"),
            joined("shoulder", "ball", "hub:A", "arm:I"),
            joined("wrist", "universal", "arm:T", "tool:I"),
        ),
        gravity=(0, 0, 0),
        absolute=False,
    )


def flights(quick: bool, say: Say) -> Section:
    """The integrators of a body and of a tree, over their steps and over a long time."""
    steps = SMALL_STEPS if quick else STEPS
    exact = reference(END)
    body = free_body()
    found: dict[str, Errors] = {}
    for scheme, title in SCHEMES.items():
        say(f"a rigid body, {title}")

        def fly(n: int, scheme: str = scheme) -> Any:
            return body.simulate(np.eye(4), TWIST, steps=n, dt=END / n, scheme=scheme)

        found[f"body, {title}"] = measured(
            fly, lambda flight: float(np.abs(flight.poses[-1] - exact).max()), steps
        )
    long = {}
    for scheme, title in SCHEMES.items():
        say(f"a long flight, {title}")
        many = SMALL_LONG if quick else LONG
        long[title] = body.simulate(
            np.eye(4), TWIST, steps=many, dt=LONG_STEP, scheme=scheme, record=many // 100
        )
    found |= _trees(steps, say)
    last = steps[-1]
    rows = tuple(
        (
            name,
            f"{own.order:.2f}",
            *(f"{of[last]:.0e}" for of in (own.place, own.momentum, own.energy)),
        )
        for name, own in found.items()
    )
    drifts = tuple(
        (title, f"{own.momentum_drift:.0e}", f"{own.energy_drift:.0e}", f"{own.turned_off:.0e}")
        for title, own in long.items()
    )
    said = f"Munthe-Kaas' Runge–Kutta method of order 4, {END:g} s in fixed steps"
    return Section(
        "Order, momentum and energy",
        (
            f"""
            A body moves on SE(3) by exponentials of screws (90); beside the pose either its
            body-fixed twist moves (42) or its spatial momentum (37). It is free of weight, its
            frame is off its centre of mass, |ω| about {np.linalg.norm(TWIST[:3]):.1f} rad/s. The
            reference is Euler's equations about the centre of mass by DOP853 at {TOLERANCE:.0e}.
            The tree is four bodies with a revolute, a ball and a universal hinge, by the scheme for
            flying trees and by `rkmk4` in joint coordinates; its reference are four times as many
            steps of the other scheme.
            """,
            Picture("satellite", "The tree that flies, at its start", mechanism(satellite())),
            Table(
                ("motion", "order", f"error, {last} steps", "momentum", "energy"),
                rows,
                name="flights",
            ),
            Plot(
                "order",
                """Errors of the pose (tree: of the coordinates), of the momentum and of the energy
                over the number of steps""",
                said,
                partial(_orders, found),
                (9.0, 3.6),
            ),
            f"""
            All have order 4. The momentum of the schemes that carry it stays to rounding whatever
            the step; that of the others changes by {_slopes(found)} (body-fixed, joint
            coordinates). Energy is not kept by any. Over {
                LONG_STEP * (SMALL_LONG if quick else LONG):g} s in steps of {LONG_STEP * 1e3:g} ms:
            """,
            Table(("body's scheme", "momentum changes by", "energy", "RᵀR − 1"), drifts),
            Plot(
                "drift",
                "Relative change of momentum and energy of the rigid body over time",
                f"Munthe-Kaas' Runge–Kutta method of order 4, steps of {LONG_STEP * 1e3:g} ms",
                partial(_drifts, long),
            ),
        ),
    )


def _slopes(found: dict[str, Errors]) -> str:
    """By which powers of the step the momenta that are not carried along change."""
    said = []
    for name in ("body, body-fixed twist", "tree, joint coordinates"):
        errors = found[name].momentum
        slope = np.polyfit(np.log(list(errors)), np.log(list(errors.values())), 1)[0]
        said.append(f"{-slope:.1f}")
    return f"powers of the step, {' and '.join(said)}"


def _trees(steps: tuple[int, ...], say: Say) -> dict[str, Errors]:
    """The flying tree and joint coordinates, each judged by fine steps of the other."""
    model = satellite()
    tree, solver = FlyingTree(model), compile_model(model)
    q = np.asarray(model.q0, dtype=float)
    v = np.random.default_rng(5).uniform(-0.6, 0.6, len(model.speeds))
    say("the flying tree")
    fine = 4 * max(steps)
    by_tree = tree.simulate(q, v, steps=fine, dt=END / fine, record=fine)
    by_joints = solver.simulate(q, v, t_end=END, dt=END / fine, method="rkmk4", record=END)
    exact_q = {"tree": np.asarray(by_joints.q)[-1], "joints": by_tree.q[-1]}

    def fly(n: int) -> Any:
        return tree.simulate(q, v, steps=n, dt=END / n)

    def joints(n: int) -> Any:
        run = solver.simulate(q, v, t_end=END, dt=END / n, method="rkmk4")
        return _Run(tree, np.asarray(run.q), np.asarray(run.v), np.asarray(run.energy))

    def off(which: str) -> Callable[[Any], float]:
        return lambda one: float(np.abs(one.q[-1] - exact_q[which]).max())

    return {
        "tree, flying": measured(fly, off("tree"), steps),
        "tree, joint coordinates": measured(joints, off("joints"), steps),
    }


@dataclass(frozen=True)
class _Run:
    """A motion in joint coordinates with a flight's measures."""

    tree: FlyingTree
    q: Floats
    v: Floats
    energies: Floats

    @property
    def momentum_drift(self) -> float:
        momenta = np.array([self.tree.begin(q, v).P for q, v in zip(self.q, self.v, strict=True)])
        return float(np.abs(momenta - momenta[0]).max() / np.abs(momenta[0]).max())

    @property
    def energy_drift(self) -> float:
        return float(np.abs(self.energies - self.energies[0]).max() / abs(self.energies[0]))


def _orders(found: dict[str, Errors], figure: Any) -> None:
    panels = figure.subplots(1, 3, sharex=True)
    for axes, what, title in zip(
        panels, ("place", "momentum", "energy"), ("pose", "momentum", "energy"), strict=True
    ):
        for k, (name, own) in enumerate(found.items()):
            errors = getattr(own, what)
            axes.loglog(
                list(errors), [max(x, 1e-17) for x in errors.values()], "os^D"[k] + "-",
                color=COLOURS[k], label=name, ms=4,
            )  # fmt: skip
        axes.set_title(title, fontsize=9)
        counts = list(next(iter(found.values())).place)
        axes.set_xticks(counts, [str(n) for n in counts])
        axes.minorticks_off()
        axes.set_xlabel("steps")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("relative error")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)


def _drifts(long: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for k, (title, flight) in enumerate(long.items()):
        momenta, energy = flight.momenta, flight.energy
        changes = (
            np.abs(momenta - momenta[0]).max(axis=1) / np.abs(momenta[0]).max(),
            np.abs(energy - energy[0]) / abs(energy[0]),
        )
        for axes, change in zip(panels, changes, strict=True):
            axes.semilogy(
                flight.time[1:], np.maximum(change[1:], 1e-17), color=COLOURS[k], label=title
            )
    for axes, what in zip(panels, ("momentum", "energy"), strict=True):
        axes.set_title(what, fontsize=9)
        axes.set_xlabel("t in s")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("relative change")
    panels[0].legend(fontsize=8)
