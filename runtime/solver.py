"""The compiled solver's Python face: what an algorithm computes, as methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, TypeVar

from ..codegen.face.choice import Choice
from ..model import Model
from ..shown import report
from .capabilities.accelerations import Accelerations
from .capabilities.capability import Capability
from .capabilities.centroidal import CentroidalMotion
from .capabilities.closed_form import ClosedForm, OverallEquation
from .capabilities.frame_motion import FrameMotion, Kinematics
from .capabilities.momenta import Momenta
from .capabilities.offered import Offered, P, R, offered_by
from .capabilities.poses import Poses
from .capabilities.rates import TimeRates
from .capabilities.sensitivities import Sensitivities
from .evaluation.evaluator import Evaluator
from .later import Later, LaterMethod

if TYPE_CHECKING:
    from ..symbolic.methods.algorithms import Algorithm
    from .capabilities.assembly import Assembler
    from .capabilities.derivatives import Linearization
    from .capabilities.inverse import InverseDynamics
    from .capabilities.jacobians import GeometricJacobians
    from .capabilities.loads import Loads
    from .capabilities.loops import Loops
    from .capabilities.reaching import InverseKinematics
    from .capabilities.self_stress import SelfStress
    from .linear.equilibrium import Equilibria
    from .linear.state_space import StateSpace
    from .motions.rhs import RightHandSide
    from .motions.simulate import Simulation
else:
    Assembler = Later("capabilities.assembly", "Assembler")
    Linearization = Later("capabilities.derivatives", "Linearization")
    InverseDynamics = Later("capabilities.inverse", "InverseDynamics")
    GeometricJacobians = Later("capabilities.jacobians", "GeometricJacobians")
    Loads = Later("capabilities.loads", "Loads")
    Loops = Later("capabilities.loops", "Loops")
    InverseKinematics = Later("capabilities.reaching", "InverseKinematics")
    SelfStress = Later("capabilities.self_stress", "SelfStress")
    Equilibria = Later("linear.equilibrium", "Equilibria")
    StateSpace = Later("linear.state_space", "StateSpace")
    RightHandSide = Later("motions.rhs", "RightHandSide")
    Simulation = Later("motions.simulate", "Simulation")

C = TypeVar("C", bound=Capability)


def compile_model(
    model: Model | str,
    *,
    algorithm: str | Algorithm = "riccati",
    target: str = "c",
    parameters: Sequence[str] = (),
    portable: bool = False,
    threads: bool = False,
    wrenches: bool = False,
    derivatives: bool = False,
    **options: Any,
) -> Solver:
    """Generate, build and load a solver of the model.

    Forces `tau` along the speeds are always arguments of the code. External `wrenches` are where
    that is asked for; of another solver the first call with wrenches makes a second library, and
    the first one of `derivatives` or `linearize` always one of their own, unless `derivatives`
    makes it ahead.

    `parameters` names the model parameters that stay arguments of the compiled code;
    `portable` builds for any machine of this kind instead of exactly this one; with `threads` the
    long loops of target `c` run in OpenMP's threads. `options` are those of an algorithm that is
    named.

    Raises
        UsageError: an algorithm, option, target or parameter that there is not; or the algorithm
            does not take loops whose conditions are redundant, as those of the model are.
        ToolchainError: there is no C compiler, or it fails (target `c`).

    Source
        own
    """
    if isinstance(model, str):
        from .loading import load

        model = load(model)
    solver = Solver(
        model,
        method=_choice(algorithm, options),
        target=target,
        parameters=tuple(parameters),
        portable=portable,
        threads=threads,
        wrenches=wrenches,
        derivatives=derivatives,
    )
    if model.cuts and not solver.made.prepared.takes_redundant:
        from .capabilities import loops

        solver.part(loops.Loops).refuse_redundant()
    return solver


def _choice(algorithm: str | Algorithm, options: dict[str, Any]) -> Choice:
    if isinstance(algorithm, str):
        return Choice.named(algorithm, **options)
    from ..symbolic.methods.algorithms import chosen

    return Choice.of(chosen(algorithm, **options))


class Computed(Offered[P, R], Generic[C, P, R]):
    """A method of a capability, which is imported when it is first called."""

    def __init__(
        self,
        kind: type[C],
        function: Callable[Concatenate[C, P], R],
        needs: str = "",
        *,
        quick: bool = False,
    ) -> None:
        self._kind, self._function, self.needs, self.quick = kind, function, needs, quick

    @property
    def function(self) -> Callable[Concatenate[Any, P], R]:
        method: object = self._function
        return method.found if isinstance(method, LaterMethod) else self._function

    def of(self, code: Evaluator) -> Callable[P, R]:
        assert isinstance(code, Solver)
        kind = self._kind.found if isinstance(self._kind, Later) else self._kind
        bound: Callable[P, R] = MethodType(self.function, code.part(kind))
        return bound


class Solver(
    Poses,
    OverallEquation,
    ClosedForm,
    TimeRates,
    FrameMotion,
    Kinematics,
    CentroidalMotion,
    Sensitivities,
    Momenta,
    Evaluator,
):
    """Numbers for one model: accelerations, loads, poses, energy, motion.

    A solver has the methods that its algorithm computes, which `dir(solver)` lists; asked for
    another, it raises and names an algorithm that has it. Of a `kinematic` model it has none of
    dynamics.

    `mstmm results MODEL` lists all of them with shapes, units and algorithms. Derivatives, frames
    and the centre of mass every solver has: their code is made when it is first asked for.

    Shape
        Arguments may carry leading batch axes, which broadcast. `q` (…, nq) and `v` (…, nv)
        follow `coordinates` and `speeds`.
    Units
        SI, rad.
    Frame
        Absolute coordinates; in space `v`, `a` and `tau` are in body axes.
    """

    # What is no record, as it does more than read out: forward dynamics, and what hinges carry
    accelerations = Computed(
        Accelerations, Accelerations.accelerations, "accelerations", quick=True
    )
    joint_loads = Computed(Loads, Loads.joint_loads, "joint_loads")
    end_states = Computed(Loads, Loads.end_states, "end_states")
    driving_forces = Computed(Loads, Loads.driving_forces)

    # Closed loops
    constraints = Computed(Loops, Loops.constraints)
    jacobian = Computed(Loops, Loops.jacobian)
    correction = Computed(Loops, Loops.correction)
    redundant = Computed(Loops, Loops.redundant)
    determinate = Computed(SelfStress, SelfStress.determinate, "joint_loads")
    project = Computed(Loops, Loops.project)
    assemble = Computed(Assembler, Assembler.assemble)

    # Motion
    simulate = Computed(Simulation, Simulation.simulate, "accelerations")
    rhs = Computed(RightHandSide, RightHandSide.rhs, "accelerations", quick=True)
    c_function = Computed(RightHandSide, RightHandSide.c_function, "accelerations")

    # Derivatives of the accelerations, whatever the algorithm
    derivatives = Computed(Linearization, Linearization.derivatives)
    linearize = Computed(StateSpace, StateSpace.linearize)

    state_space = Computed(StateSpace, StateSpace.state_space)
    equilibrium = Computed(Equilibria, Equilibria.equilibrium, "accelerations")

    # Inverse dynamics
    inverse_dynamics = Computed(
        InverseDynamics, InverseDynamics.inverse_dynamics, "inverse_dynamics", quick=True
    )
    inverse_loads = Computed(InverseDynamics, InverseDynamics.inverse_loads, "inverse_loads")
    inverse_drives = Computed(InverseDynamics, InverseDynamics.inverse_drives, "inverse_dynamics")

    # Jacobians of the bodies
    geometric_jacobian = Computed(
        GeometricJacobians, GeometricJacobians.geometric_jacobian, "jacobian_body_0"
    )
    geometric_jacobian_derivatives = Computed(
        GeometricJacobians, GeometricJacobians.geometric_jacobian_derivatives, "jacobian_body_0"
    )

    # Frames, whatever the algorithm
    inverse_kinematics = Computed(InverseKinematics, InverseKinematics.inverse_kinematics)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the model's frames: declared ones (a robot's links), bodies, their points."""
        return self.model.frame_names

    @cached_property
    def assembly(self) -> str:
        """The assembly tree of `dca` and `hdca` as text, for `Dca(assembly=…)`.

        Empty for other algorithms.
        """
        if self.algorithm not in ("dca", "hdca"):
            return ""
        from ..symbolic.methods.algorithms import Dca
        from ..symbolic.methods.divide.program import assembly_of

        assert isinstance(self.method, Dca)
        return assembly_of(self.generated.plan, self.algorithm, self.method.assembly).text()

    def part(self, kind: type[C]) -> C:
        """The capability of this kind, over the code of this solver."""
        if kind not in self._parts:
            self._parts[kind] = kind(self)
        found: C = self._parts[kind]
        return found

    @cached_property
    def _parts(self) -> dict[type[Capability], Any]:
        return {}

    def _moved_twice(self, *given: Any) -> Any:
        """Motions by two texts of the integrators, see `motions.twins.scenes`."""
        from .motions.twins import scenes

        return scenes(self, *given)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, here or in another process, is taken from the cache, or made there."""
        inputs = {x.name for x in self.model.inputs}
        how = {
            "method": self.choice,
            "target": self.target,
            "parameters": tuple(name for name in self.parameters if name not in inputs),
            "portable": self.portable,
            "threads": self.threads,
            "wrenches": self.wrenches,
            "derivatives": "_derived" in vars(self),
        }
        return _solver, (self.model, how)

    def _repr_html_(self) -> str:
        return str(report("notebook").solver(self))

    def __dir__(self) -> list[str]:
        offered = offered_by(Solver)
        lacks = {name for name, x in offered.items() if x.needs and not self.computes(x.needs)}
        return sorted(set(super().__dir__()) - lacks)

    def __repr__(self) -> str:
        return (
            f"<Solver of {self.model.name}: {self.algorithm} ({self.form}), target {self.target}, "
            f"{len(self.coordinates)} coordinates>"
        )


def _solver(model: Model, how: dict[str, Any]) -> Solver:
    return Solver(model, **how)
