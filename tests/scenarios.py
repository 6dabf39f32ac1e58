"""The table of scenarios: systems drawn by seed, each at a state that all of it allows.

A row is a family of systems, the judge that knows them, and the algorithms that must take them.
What these answer is judged in `runtime/test_scenarios`, read as they stand; some are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import acting_models
import loop_models
import numpy as np
import random_models
from beam_models import beam_loops, beam_state, beam_tree
from coupled_models import AXIAL, sharing, spread, two_leaders, with_couplings, with_rotors
from independent import lagrange
from independent.absolute import Motion, couplings
from independent.beams import beam_motion
from independent.loops import loop_motion
from independent.moving import State, closing
from independent.newton_euler import newton_euler
from judging import judged
from loop_models import CUTTABLE, DRIVEN, allowed_speeds
from reading import FORCE_FIRST
from systems import LAWS, NOW, Sketch, system

import mstmm
from mstmm.errors import ModelError, NumericsError
from mstmm.model import Beam, Body, Hinge, Model
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

#: The algorithms that take every tree of rigid bodies; those that take loops and bonds as well.
TREES = ("riccati", "overall", "slaats", "inverse")
ALL = ("riccati", "overall", "inverse")

#: Inverse dynamics has four representations, which take turns.
INVERSE = ("rnea-body", "rnea-spatial", "rnea-hybrid", "rnea-mixed")

#: Of the systems that judges of another kind solve, which do not tell theirs: 1e4 at worst.
CONDITION = 1e4


@dataclass(frozen=True)
class Scenario:
    """A row: `make` draws a model whose loops are closed at its start `q0` and the time `NOW`."""

    name: str
    dimension: int
    algorithms: Sequence[str] = ALL
    make: Callable[[Random, int], Model] = random_models.joint_tree

    def rng(self, seed: int) -> Random:
        return Random(f"{self.name} {self.dimension} {seed}")

    def state(self, seed: int) -> State:
        rng = self.rng(seed)
        return in_motion(rng, self.make(rng, self.dimension))

    def judged(self, seed: int) -> tuple[State, Motion]:
        """A system in motion, and what the judge says of it."""
        state = self.state(seed)
        motion = judged(state)
        assert motion is not None
        return state, motion

    @property
    def brief(self) -> bool:
        """Whether the usual run takes it; the others take long to write out."""
        return True

    def ways(self, seed: int) -> list[str]:
        """The algorithms that a seed asks, by name."""
        turn = INVERSE[(seed + len(self.name)) % len(INVERSE)]
        return [turn if name == "inverse" else name for name in self.algorithms]


def in_motion(rng: Random, model: Model) -> State:
    """At the model's place: random speeds that loops, drives and couplings allow, and forces."""
    q = np.array(model.q0)
    J, driven = closing(model, q, NOW)
    rows = couplings(model)
    J, driven = np.vstack([J, rows]), np.concatenate([driven, np.zeros(len(rows))])
    return forced(rng, model, allowed_speeds(rng, J, driven))


def forced(rng: Random, model: Model, v: np.ndarray) -> State:
    """At the model's place and these speeds, under random forces; now and then under none."""
    size = 0.0 if rng.random() < 0.25 else 5.0
    wrenches = np.zeros((len(model.bodies), 6))
    wrenches[:, FORCE_FIRST[model.dimension]] = random_models.random_wrenches(rng, model, size)
    tau = np.array([rng.uniform(-size, size) for _ in v])
    return State(model, np.array(model.q0), v, NOW, tau, wrenches)


# Every kind of hinge

#: Body k hangs on the k-th of these; −1: the ground.
PARENTS = {
    "chain": (-1, 0, 1, 2, 3),
    "tree": (-1, 0, 0, 1, 1, -1),
    "loop": (-1, 0, 1, 2, 3, 2),
    "one": (-1,),
    "two": (-1, 0),
}

#: Those whose hinges have rotors, and laws but no drives.
GEARED = ("one", "two")

#: Hinges that give a chain, a tree or a loop the freedom that some kinds lack.
HELPER = {2: "pin", 3: "ball"}


def sketch_of(kind: str, dimension: int, topology: str, rng: Random, driven: bool) -> Sketch:
    """Hinges of the kind, in a loop every other one, and its cut of the kind if it can be cut."""
    parents = PARENTS[topology]
    helper = HELPER[dimension]
    mixed = topology == "loop" or kind == "fixed"
    kinds = tuple(helper if mixed and k % 2 else kind for k in range(len(parents)))
    if kinds == ("fixed",):
        kinds = (helper,)
    closures = ()
    if topology == "loop":
        cut = kind if kind in CUTTABLE[dimension] else helper
        closures = ((rng.choice((-1, 0)), 4, cut),)
    laws = [rng.choice(("", *LAWS[:-1])) for _ in parents]
    if driven:
        laws[:3] = "", "spring", "driven"
    turned = tuple(rng.random() < 0.5 for _ in parents)
    seed = rng.randrange(2**16)
    return Sketch(dimension, parents, kinds, turned, tuple(laws), closures, seed)


@dataclass(frozen=True)
class OfKind(Scenario):
    """Hinges of one kind, in chains, trees and loops, with laws of all sorts or a drive."""

    kind: str = ""
    topology: str = ""
    driven: bool = False

    def ways(self, seed: int) -> list[str]:
        """Two algorithms, and the next two of the next seed: all of each kind."""
        ways = super().ways(seed)
        two = [ways[(2 * seed + k) % len(ways)] for k in range(2)]
        return two if self.topology != "two" else ways

    def state(self, seed: int) -> State:
        rng = self.rng(seed)
        state = system(sketch_of(self.kind, self.dimension, self.topology, rng, self.driven))
        if self.topology in GEARED:
            return replace(state, model=with_rotors(rng, state.model))
        return state


def of_kinds() -> list[Scenario]:
    return [
        OfKind(
            f"{kind}-{topology}{'-driven' * driven}",
            dimension,
            {"loop": ALL, "two": INVERSE}.get(topology, TREES),
            kind=kind,
            topology=topology,
            driven=driven,
        )
        for dimension, kinds in HINGE_KINDS.items()
        for kind, record in kinds.items()
        for topology in PARENTS
        for driven in (False, True)
        if not driven or (topology not in GEARED and record.speeds and not record.why_not_driven)
    ]


# Every kind of cut

#: Kinds in space that are tried in every run.
BRIEF = (
    ("helical", "loaded"),
    ("revolute", "loaded"),
    ("universal", "loaded"),
    ("cylindrical", "driven"),
)


@dataclass(frozen=True)
class OfCut(Scenario):
    """Loops closed by one hinge of a kind, with force laws at its own coordinates or driven.

    Every other one is closed to the ground. The judge is that of wrenches tried one by one on the
    open tree, which knows laws in cuts.
    """

    kind: str = ""
    acting: str = ""

    @property
    def brief(self) -> bool:
        return self.dimension == 2 or not self.acting or (self.kind, self.acting) in BRIEF

    def judged(self, seed: int) -> tuple[State, Motion]:
        rng = self.rng(seed)
        given = (self.dimension, 4, 1, (self.kind,), seed % 2 == 1, self.acting, NOW)
        model, at = loop_models.loop_model(rng, *given)
        rest = loop_motion(model, model.q0, np.zeros(len(model.speeds)), at=at, t=NOW)
        state = forced(rng, model, allowed_speeds(rng, rest.jacobian, rest.opening))
        found = loop_motion(model, state.q, state.v, state.tau, state.wrenches, at=at, t=NOW)
        loads = {**found.tree.loads, **found.cut_loads}
        motion = Motion(
            accelerations=found.accelerations,
            loads=loads,
            drives=found.drives,
            undetermined=frozenset(loads) if found.redundant else frozenset(),
            redundant=found.redundant,
            condition=CONDITION,
            energy=found.tree.energy,
            poses=found.tree.poses,
        )
        return state, motion


def of_cuts() -> list[Scenario]:
    return [
        OfCut(f"cut-{kind}-{acting or 'plain'}", d, kind=kind, acting=acting)
        for d, kinds in CUTTABLE.items()
        for acting, of in (
            ("", kinds),
            ("loaded", (*(kind for kind in kinds if kind != "fixed"), "free")),
            ("driven", DRIVEN[d]),
        )
        for kind in of
    ]


# Absolute coordinates


def in_absolute_motion(rng: Random, model: Model) -> tuple[State, Motion]:
    """Bodies on smooth pins or balls, anywhere, and what the judges of such trees say."""
    q, v = map(np.array, random_models.random_state(rng, model.dimension, len(model.bodies)))
    state = replace(forced(rng, model, v), q=q)
    f = state.wrenches[:, FORCE_FIRST[model.dimension]]
    found = newton_euler(model, q, v, f, state.tau)
    none = np.zeros(6 - model.dimension)
    motion = Motion(
        accelerations=found.accelerations,
        loads={end: np.roll([*force, *none], 3) for end, force in found.forces.items()},
        condition=10.0,
        energy=lagrange.energy(model, q, v),
        poses=lagrange.poses(model, q),
    )
    return state, motion


@dataclass(frozen=True)
class OfAbsolute(Scenario):
    """Trees of pins or balls in absolute coordinates."""

    def judged(self, seed: int) -> tuple[State, Motion]:
        rng = self.rng(seed)
        tree = {2: random_models.planar_tree, 3: random_models.spatial_tree}[self.dimension]
        return in_absolute_motion(rng, tree(rng))


# Beams


def in_beam_motion(rng: Random, model: Model) -> tuple[State, Motion]:
    """Beams slightly bent, at a place where loops are closed, and what their judge says."""
    q, v = beam_state(rng, model)
    if model.cuts:
        solver: Any = mstmm.compile(model, target="numpy")
        q, v = solver.project(solver.assemble(q, v).q, v)
    state = replace(forced(rng, model, np.array(v)), q=np.array(q), t=0.0)
    return state, judged_beams(state)


def judged_beams(state: State) -> Motion:
    """What the judge of mass points in 50 digits finds."""
    model = state.model
    found = beam_motion(model, state.q, state.v, list(state.tau), state.wrenches)
    poses = np.tile(np.eye(4), (len(model.bodies), 1, 1))
    for pose, body in zip(poses, model.bodies, strict=True):
        x, y, angle = map(float, found.poses[body.name])
        c, s = np.cos(angle), np.sin(angle)
        pose[:2, :2] = [[c, -s], [s, c]]
        centre = [0, 0] if isinstance(body, Beam) else list(map(model.value, body.centre))
        pose[:2, 3] = [x, y] - pose[:2, :2] @ centre
    loads = {end: np.array([0, 0, *load, 0], dtype=float) for end, load in found.loads.items()}
    return Motion(
        accelerations=np.array(found.accelerations, dtype=float),
        loads=loads,
        condition=max(1e3, 10 * found.condition),
        energy=float(found.energy),
        poses=poses,
    )


@dataclass(frozen=True)
class OfBeams(Scenario):
    """Rigid bodies and beams in the plane."""

    def judged(self, seed: int) -> tuple[State, Motion]:
        rng = self.rng(seed)
        while True:
            with suppress(NumericsError):  # loops that nothing closes
                return in_beam_motion(rng, self.make(rng, seed))


def of_beams() -> list[Scenario]:
    """Trees, those with a kind of hinge alone, and loops, of which each kind of cut closes some."""
    way, both = ("riccati", "overall", "rnea-body"), ("riccati", "overall")
    rows: list[tuple[str, Sequence[str], Callable[[Random, int], Model]]] = [
        ("tree", way, lambda rng, seed: beam_tree(rng, 1 + (seed + 2) % 5)),
        ("few", way, lambda rng, _: beam_tree(rng, 2, most=2)),
        ("many", both, lambda rng, seed: beam_tree(rng, 1 + seed % 6, most=4)),
        ("few-loops", both, lambda rng, _: beam_loops(rng, 2, "pin")),
    ]
    for kind in HINGE_KINDS[2]:
        rows.append((kind, way, lambda rng, _, kind=kind: beam_tree(rng, 2, (kind,), 1.0)))
    for kind in ("pin", "slot", "prismatic", "fixed"):
        rows.append(
            (
                f"{kind}-loops",
                both,
                lambda rng, seed, kind=kind: beam_loops(
                    rng, 2 + seed, kind, cuts=1 if kind == "fixed" else 1 + seed % 2
                ),
            )
        )
    return [OfBeams(f"beams-{name}", 2, ways, make) for name, ways, make in rows]


# What else a model may have


def tree(rng: Random, d: int) -> Model:
    return acting_models.tree(rng, d, rng.randint(2, 4), 0.0)


def elastic(rng: Random, d: int) -> Model:
    return acting_models.sprung(rng, acting_models.tree(rng, d, rng.randint(2, 4), 0.4))


def based(make: Callable[[Random, int], Model]) -> Callable[[Random, int], Model]:
    """On a ground that shifts and turns."""

    def moving(rng: Random, d: int) -> Model:
        model = make(rng, d)
        parameters = {**model.parameters, **acting_models.PARAMETERS}
        return acting_models.moved(rng, replace(model, parameters=parameters))

    return moving


def everything(rng: Random, d: int, bodies: int = 4) -> Model:
    """Springs, bonds, loads, forces between points, sensors' laws, a moving base."""
    model = acting_models.tree(rng, d, rng.randint(2, bodies), 0.4)
    model = acting_models.bonded(rng, acting_models.sprung(rng, model), 2)
    model = acting_models.pulled(rng, acting_models.loaded(rng, model))
    return acting_models.moved(rng, acting_models.sensing(rng, model))


def coupled_tree(rng: Random, d: int, bodies: int = 4, count: int = 2) -> Model:
    """With at least one coupling; half of the hinges have one coordinate at least."""
    kinds = [*AXIAL[d] * 2, *(() if d == 2 else ("ball", "universal"))]
    while True:
        drawn = random_models.joint_tree(rng, d, kinds, bodies)
        model = with_couplings(rng, drawn, count)
        if any(hinge.mimic for hinge in model.hinges):
            return model


def coupled_loop(rng: Random, d: int) -> Model:
    while True:
        model = with_couplings(rng, loop(rng, d), 2)
        if any(hinge.mimic for hinge in model.hinges):
            return model


def loop(rng: Random, d: int) -> Model:
    return loop_models.loop_model(rng, d, rng.randint(2, 4), 1)[0]


def loops(rng: Random, d: int) -> Model:
    """Loops within a tree, to the ground, and across each other."""
    return loop_models.loop_model(rng, d, rng.randint(2, 7), rng.randint(1, 3))[0]


#: Kinds of cuts with few conditions, so that they are seldom redundant.
LOOSE = {2: ("pin", "slot"), 3: ("ball", "planar", "universal")}


def loose(rng: Random, d: int) -> Model:
    return loop_models.loop_model(rng, d, rng.randint(4, 6), rng.randint(1, 2), LOOSE[d])[0]


def acting_loop(rng: Random, d: int, bodies: int = 4) -> Model:
    """A closed loop with springs, a bond, loads, forces between points and sensors' laws."""
    model = loop_models.loop_model(rng, d, rng.randint(2, bodies), 1)[0]
    model = replace(model, parameters={**model.parameters, **acting_models.PARAMETERS})
    model = acting_models.bonded(rng, acting_models.sprung(rng, model), 1)
    return acting_models.sensing(rng, acting_models.pulled(rng, acting_models.loaded(rng, model)))


NO_INERTIA = {2: 0, 3: ((0, 0, 0),) * 3}


def light(rng: Random, d: int) -> Model:
    """Some bodies that carry others have no mass; those that something resists."""
    while True:
        drawn = random_models.joint_tree(rng, d, [*[*HINGE_KINDS[d]][:3], "fixed"], 4)
        try:
            return lightened(rng, drawn, 2)
        except ModelError:
            continue


def lightened(rng: Random, model: Model, count: int) -> Model:
    """Some bodies that carry others lose all mass."""
    carrying = [b.name for b in model.bodies if sum(_joins(h, b) for h in model.hinges) > 1]
    chosen = rng.sample(carrying, min(count, len(carrying)))
    nothing = {"mass": 0, "inertia": NO_INERTIA[model.dimension]}
    bodies = tuple(replace(b, **nothing) if b.name in chosen else b for b in model.bodies)
    return replace(model, bodies=bodies)


def _joins(hinge: Hinge, body: Body) -> bool:
    return body.name in [end.body for end in hinge.ends]


@dataclass(frozen=True)
class OfShared(Scenario):
    """Hinges that share others' coordinates: what is judged is the system with conditions."""

    def judged(self, seed: int) -> tuple[State, Motion]:
        state, motion = super().judged(seed)
        model = sharing(state.model)
        names = zip(state.model.coordinates, state.q, strict=True)
        q = np.array([x for name, x in names if name in model.coordinates])
        own = [state.model.speeds.index(name) for name in model.speeds]
        tau = spread(model).T @ state.tau
        a = motion.accelerations[own]
        return replace(state, model=model, q=q, v=state.v[own], tau=tau), replace(
            motion, accelerations=a
        )


def of_shared() -> list[Scenario]:
    """In one branch and in several, of one leader and of several, with forces in all of them."""
    ways = ("riccati", "inverse")

    def sprung(rng: Random, d: int) -> Model:
        return acting_models.sprung(rng, coupled_tree(rng, d))

    def several(rng: Random, d: int) -> Model:
        """Two leaders, whose followers lie among each other."""
        while True:
            model = coupled_tree(rng, d, 6, 5)
            axial = [h for h in model.hinges if h.mimic or h.kind in AXIAL[d]]
            if len(axial) > 3:
                return two_leaders(model)

    return [
        OfShared(f"shared-{name}", d, ways, make)
        for name, make in (
            ("plain", coupled_tree),
            ("rotors", lambda rng, d: with_rotors(rng, coupled_tree(rng, d))),
            ("base", based(lambda rng, d: with_rotors(rng, coupled_tree(rng, d)))),
            ("springs", lambda rng, d: acting_models.sprung(rng, coupled_tree(rng, d, 5, 3))),
            ("loads", lambda rng, d: acting_models.loaded(rng, sprung(rng, d))),
            ("several", several),
            ("several-springs", lambda rng, d: acting_models.sprung(rng, several(rng, d))),
        )
        for d in (2, 3)
    ]


def of_features() -> list[Scenario]:
    rows: dict[str, tuple[Callable[[Random, int], Model], Sequence[str]]] = {
        "mixed": (random_models.joint_tree, TREES),
        "springs": (elastic, TREES),
        "bonds": (lambda rng, d: acting_models.bonded(rng, tree(rng, d), 2), ALL),
        "loads": (lambda rng, d: acting_models.loaded(rng, tree(rng, d)), TREES),
        "pulls": (lambda rng, d: acting_models.pulled(rng, tree(rng, d)), TREES),
        "base": (based(tree), TREES),
        "base-springs-loads": (
            based(lambda rng, d: acting_models.loaded(rng, elastic(rng, d))), TREES
        ),
        "sensors": (lambda rng, d: acting_models.sensing(rng, tree(rng, d)), TREES),
        "everything": (everything, ALL),
        "little": (lambda rng, d: everything(rng, d, 2), ("riccati", *INVERSE)),
        "kinds": (lambda rng, d: random_models.joint_tree(rng, d, HINGE_KINDS[d], 9), ALL),
        "loops": (loops, ALL),
        "loose-loops": (loose, ALL),
        "loose-loops-base": (based(loose), ALL),
        "loops-rotors": (lambda rng, d: with_rotors(rng, loop(rng, d)), ALL),
        "acting-loop": (acting_loop, ALL),
        "acting-loop-base": (based(lambda rng, d: acting_loop(rng, d, 3)), ALL),
        "couplings": (coupled_tree, ALL),
        "couplings-rotors": (lambda rng, d: with_rotors(rng, coupled_tree(rng, d)), ALL),
        "couplings-rotors-base": (
            based(lambda rng, d: with_rotors(rng, coupled_tree(rng, d))), ALL
        ),
        "coupled-loop": (coupled_loop, ALL),
        "coupled-loop-rotors": (lambda rng, d: with_rotors(rng, coupled_loop(rng, d)), ALL),
        "light": (light, TREES),
    }  # fmt: skip
    return [
        Scenario(name, d, algorithms, make)
        for name, (make, algorithms) in rows.items()
        for d in (2, 3)
    ]


def scenarios() -> dict[str, Scenario]:
    """All rows by name."""
    absolute = [OfAbsolute("absolute", d, ("riccati", "overall")) for d in (2, 3)]
    rows = [*of_kinds(), *of_cuts(), *absolute, *of_beams(), *of_features(), *of_shared()]
    return {f"{row.name}-{row.dimension}D": row for row in rows}
