"""Exudyn, through Python: its kinematic tree in steps of the explicit Euler method.

It has no function that gives accelerations alone. An evaluation is what a step more takes, with
all steps inside its own C++; a step of 1 s from the state tells the acceleration.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cases import Case, NotHereError
from ..contenders import Contender, absent
from ..harness import SAMPLE
from ..trees import SLIDE, Floats, Tree, X, Y, Z

NAME = "exudyn"

#: Its kinematic tree factorises a full mass matrix: 0.1 s for 500 hinges.
MOST_SPEEDS = 100

#: So short a step (s) that the state stays what it is.
SHORT = 1e-7


def contenders(case: Case) -> list[Contender]:
    if case.entry != "forward":
        return []
    try:
        tree = case.numbers
    except NotHereError as error:
        return [absent(NAME, str(error))]
    if tree.balls or tree.free:
        return [absent(NAME, "its kinematic tree has pins and slides alone")]
    if len(tree.links) > MOST_SPEEDS:
        return [absent(NAME, "takes 0.1 s: its time grows with the cube of the hinges")]
    try:
        import exudyn  # type: ignore[import-not-found]
    except ImportError as error:
        return [absent(NAME, str(error))]
    q, v = tree.state(*case.drawn[:2])
    states = zip(q, v, tree.forces(case.drawn[2]), strict=True)
    steps = Steps(exudyn, [_system(exudyn, tree, *state) for state in states], v)
    return [Contender(NAME, steps, lambda: steps.found, tree.back)]


@dataclass
class Steps:
    """The systems of all states; timed and asked as a `Call` is."""

    library: Any
    systems: Sequence[Any]
    speeds: Floats

    def __post_init__(self) -> None:
        self.found = np.zeros_like(self.speeds)

    def once(self) -> int:
        for k, system in enumerate(self.systems):
            self._run(system, 1, 1.0)
            self.found[k] = system.systemData.GetODE2Coordinates_t() - self.speeds[k]
        return 0

    def seconds(self, passes: int) -> float:
        """Seconds for one state: what so many steps more take, over all states."""
        more = sum(
            self._run(system, passes + 1, SHORT) - self._run(system, 1, SHORT)
            for system in self.systems
        )
        return more / (passes * len(self.systems))

    def passes(self) -> int:
        """How many steps make a sample."""
        return max(1, round(SAMPLE / max(self.seconds(10), 1e-9)))

    def _run(self, system: Any, steps: int, length: float) -> float:
        """Steps from the state; the seconds of this thread that they take."""
        settings = self.library.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = steps * length
        settings.timeIntegration.explicit.computeEndOfStepAccelerations = False
        settings.solution.file.write = False
        settings.solution.sensors.writePeriod = 1e9
        start = time.thread_time()
        system.SolveDynamic(settings, solverType=self.library.DynamicSolverType.ExplicitEuler)
        return time.thread_time() - start


def _system(exudyn: Any, tree: Tree, q: Floats, v: Floats, tau: Floats) -> Any:
    from exudyn.itemInterface import (  # type: ignore[import-not-found]
        NodeGenericODE2,
        ObjectKinematicTree,
    )

    joints = exudyn.JointType
    kinds = {
        X: joints.RevoluteX,
        Y: joints.RevoluteY,
        Z: joints.RevoluteZ,
        SLIDE: joints.PrismaticZ,
    }
    system = exudyn.SystemContainer().AddSystem()
    node = system.AddNode(
        NodeGenericODE2(
            referenceCoordinates=[0.0] * len(q),
            initialCoordinates=list(q),
            initialCoordinates_t=list(v),
            numberOfODE2Coordinates=len(q),
        )
    )
    system.AddObject(
        ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[kinds[link.kind] for link in tree.links],
            linkParents=[link.parent - 1 for link in tree.links],
            jointTransformations=exudyn.Matrix3DList([link.rotation for link in tree.links]),
            jointOffsets=exudyn.Vector3DList([link.place for link in tree.links]),
            linkInertiasCOM=exudyn.Matrix3DList([link.inertia for link in tree.links]),
            linkCOMs=exudyn.Vector3DList([link.centre for link in tree.links]),
            linkMasses=[link.mass for link in tree.links],
            baseOffset=[0.0, 0.0, 0.0],
            gravity=list(tree.gravity),
            jointForceVector=list(tau),
        )
    )
    system.Assemble()
    return system
