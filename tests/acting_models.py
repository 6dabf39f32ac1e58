"""Random models with potentials, elastic hinges in trees and in loops, loads and a moving base."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import random_models
import sympy as sp

from mstmm.model import GROUND, Base, End, Force, Hinge, Load, Model, Point, Sensor
from mstmm.model.expressions.functions import step
from mstmm.model.expressions.quantities import TIME, Quantity, Vector, hinge_symbol, parameter
from mstmm.model.parts.forces import LENGTH, RATE
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.model.parts.hinges import OWN

#: Parameters that have the names of matrices inside kernels, besides those of random trees.
PARAMETERS = {"A": 0.8, "K": 3.0, "T1": 1.5}


def tree(rng: Random, dimension: int, bodies: int, elastic: float = 0.3) -> Model:
    """A random tree in joint coordinates, a part of whose hinges are elastic."""
    model = random_models.joint_tree(rng, dimension, None, bodies)
    hinges = tuple(
        Hinge(h.name, "elastic", h.ends) if rng.random() < elastic else h for h in model.hinges
    )
    model = replace(
        model, hinges=hinges, parameters={**model.parameters, **PARAMETERS}, q0=(), v0=()
    )
    q, v = random_models.random_joint_state(rng, model)
    return replace(model, q0=tuple(q), v0=tuple(v))


def sprung(rng: Random, model: Model) -> Model:
    """With potentials in its tree's hinges, and springs and dampers in the elastic ones."""
    hinges = (h if h.name in model.cuts else _sprung(rng, model.dimension, h) for h in model.hinges)
    parameters = {**PARAMETERS, **model.parameters}
    return replace(model, hinges=tuple(hinges), parameters=parameters)


def _sprung(rng: Random, dimension: int, hinge: Hinge) -> Hinge:
    record = HINGE_KINDS[dimension][hinge.kind]
    coordinates, speeds = record.coordinates, record.speeds
    if hinge.kind == "elastic":
        hinge = springs(rng, dimension, hinge)
    q = [hinge_symbol("q", k + 1) for k in range(coordinates)]
    if hinge.motion or not q:
        return hinge
    amount = rng.choice((2.5, parameter("K") / 2, parameter("T1")))
    terms = [(x - rng.uniform(-1, 1)) ** 2 * amount / 2 for x in q]
    potential = sp.Add(*terms, sp.sin(q[0] * q[-1]) * parameter("A"))
    force = tuple(
        -hinge_symbol("u", k + 1) * rng.uniform(0, 1) + sp.cos(q[-1]) for k in range(speeds)
    )
    return replace(hinge, potential=potential, force=force if rng.random() < 0.5 else ())


def springs(rng: Random, dimension: int, hinge: Hinge) -> Hinge:
    """An elastic hinge with random springs and dampers, one of them by a parameter."""
    count = 3 if dimension == 2 else 6

    def some(reach: float) -> Vector:
        return tuple(rng.uniform(0, reach) for _ in range(count))

    stiffness: Vector = (parameter("K") * 4, *some(20)[1:])
    even = rng.uniform(0, 2)
    damping = (even,) * count if rng.random() < 0.3 else some(2)
    rest = tuple(rng.uniform(-1, 1) for _ in range(3)) if rng.random() < 0.7 else ()
    return replace(hinge, stiffness=stiffness, damping=damping, rest=rest)


def bonded(rng: Random, model: Model, count: int) -> Model:
    """With elastic hinges more, each cut, between two bodies or a body and the ground."""
    names = [body.name for body in model.bodies]
    points: dict[str, list[Point]] = {name: [] for name in (GROUND, *names)}
    hinges = list(model.hinges)
    for number in range(count):
        first, second = rng.sample((GROUND, *names), 2)
        for name in (first, second):
            place = random_models._vector(rng, model.dimension)
            axes = random_models._axes(rng, model.dimension)
            points[name].append(Point(f"bond{number}", place, axes))
        ends = (End(first, f"bond{number}"), End(second, f"bond{number}"))
        bond = springs(rng, model.dimension, Hinge(f"bond{number}", "elastic", ends))
        hinges.append(bond)
    return replace(
        model,
        bodies=tuple(replace(b, points=(*b.points, *points[b.name])) for b in model.bodies),
        hinges=tuple(hinges),
        ground=(*model.ground, *points[GROUND]),
        cuts=(*model.cuts, *(f"bond{number}" for number in range(count))),
    )


def loaded(rng: Random, model: Model) -> Model:
    """With loads at points and centres of mass, in both frames, one of them a step."""
    d = model.dimension
    loads = []
    for number in range(3):
        body = rng.choice(model.bodies)
        point = rng.choice(("", *(p.name for p in body.points)))
        loads.append(
            Load(
                f"load{number}",
                body.name,
                point,
                tuple(_law(rng) for _ in range(d)) if number else (),
                tuple(_law(rng) for _ in range(1 if d == 2 else 3)) if number != 1 else (),
                rng.choice(("inertial", "body")),
            )
        )
    return replace(model, loads=tuple(loads))


def _law(rng: Random) -> Quantity:
    A, K = parameter("A"), parameter("K")
    choice = rng.randrange(4)
    if choice == 0:
        return rng.uniform(-3, 3)
    if choice == 1:
        return A * sp.sin(K * TIME)
    return A * step(TIME - rng.uniform(0, 1)) if choice == 2 else K * sp.sign(sp.sin(3 * TIME))


def pulled(rng: Random, model: Model, count: int = 3) -> Model:
    """With forces between points of bodies and the ground, and of a medium on one."""
    d, names = model.dimension, [body.name for body in model.bodies]
    points: dict[str, list[Point]] = {name: [] for name in (GROUND, *names)}

    def end(name: str, number: int) -> End:
        if name != GROUND and rng.random() < 0.3:
            return End(name, "")
        points[name].append(Point(f"pull{number}", random_models._vector(rng, d)))
        return End(name, f"pull{number}")

    forces = []
    for number in range(count):
        ends = tuple(end(name, number) for name in rng.sample((GROUND, *names), 2))
        drawn = ends[1].body != GROUND and not ends[1].point
        forces.append(replace(_pull(rng, model), name=f"pull{number}", ends=ends))
        forces[-1] = replace(forces[-1], mu=rng.uniform(0, 2) if drawn else 0)
    medium = tuple(_law(rng) for _ in range(d)) if rng.random() < 0.5 else ()
    drag = {"drag": rng.uniform(0, 2), "quadratic": rng.choice((0, parameter("K")))}
    forces.append(Force("air", (end(rng.choice(names), count),), **drag, medium=medium))
    return replace(
        model,
        bodies=tuple(replace(b, points=(*b.points, *points[b.name])) for b in model.bodies),
        ground=(*model.ground, *points[GROUND]),
        forces=tuple(forces),
    )


def sensing(rng: Random, model: Model) -> Model:
    """With sensors, and laws of forces, loads and hinges that read them and other hinges."""
    d, bodies = model.dimension, model.bodies
    first, second = rng.sample([End(b.name, rng.choice(b.points).name) for b in bodies], 2)
    direction = tuple(rng.uniform(-1, 1) for _ in range(d))
    sensors = (
        Sensor("gap", (first, second)),
        Sensor("height", (second,), direction),
        Sensor("way", (End(first.body, ""), End(GROUND, "O")), direction),
    )
    names = ["gap", "gap_rate", "height", "height_rate", "way", "way_rate"]
    names += [x for x in (*model.coordinates, *model.speeds) if not OWN.fullmatch(x)]

    def law() -> sp.Expr:
        one, other = (parameter(name) for name in rng.sample(names, 2))
        return sp.sin(one) * 2 - parameter("A") * other / 3

    def told(hinge: Hinge) -> Hinge:
        count = HINGE_KINDS[d][hinge.kind].speeds
        if hinge.motion or not count or rng.random() < 0.4:
            return hinge
        force = hinge.force or (0,) * count
        return replace(hinge, force=(force[0] + law(), *force[1:]))

    load = Load("told", first.body, first.point, (law(), *(0,) * (d - 1)), (), "body")
    return replace(
        model,
        sensors=sensors,
        loads=(*model.loads, load),
        hinges=tuple(h if h.name in model.cuts else told(h) for h in model.hinges),
        forces=tuple(
            replace(x, law=x.law + law()) if len(x.ends) == 2 else x for x in model.forces
        ),
    )


def _pull(rng: Random, model: Model) -> Force:
    """A spring, a damper and a law that reads coordinates and speeds, or some of these."""
    q = [parameter(name) for name in model.coordinates] or [sp.Integer(1)]
    u = [parameter(name) for name in model.speeds] or [sp.Integer(1)]
    A, K, choice = parameter("A"), parameter("K"), rng.randrange(4)
    potential = A * LENGTH**3 / 6 + K * sp.log(1 + LENGTH**2) if choice in (1, 3) else 0
    if model.absolute and model.dimension == 3:
        q = u = [sp.Integer(1)]
    law = sp.sin(rng.choice(q)) * rng.choice(u) + sp.tanh(RATE) * LENGTH * sp.cos(3 * TIME)
    spring = {"stiffness": 4 * K, "rest": rng.uniform(0, 1)} if choice != 1 else {}
    return Force(
        "",
        (),
        **spring,
        damping=rng.uniform(0, 1) if choice != 1 else 0,
        law=law + step(LENGTH - A) if choice == 3 else 0,
        potential=potential,
    )


def moved(rng: Random, model: Model) -> Model:
    """With a base that shifts and turns."""

    def law() -> Quantity:
        A = parameter("A")
        return (
            A * sp.sin(rng.uniform(1, 3) * TIME) + rng.uniform(-1, 1) * TIME**2 + rng.uniform(0, 1)
        )

    d = model.dimension
    base = Base(tuple(law() for _ in range(d)), tuple(law() for _ in range(1 if d == 2 else 3)))
    return replace(model, base=base)
