"""The compiled solver's Python face: what an algorithm computes, as methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate

from ..codegen.face.choice import Choice
from ..model import Model
from ..model.expressions.quantities import told
from ..shown import report
from .capabilities.centroidal import CentroidalMotion
from .capabilities.closed_form import ClosedForm, OverallEquation
from .capabilities.derivatives import Tangents
from .capabilities.forward import ForwardDynamics
from .capabilities.frame_motion import FrameMotion, Kinematics
from .capabilities.inverse import InverseDynamics
from .capabilities.jacobians import GeometricJacobians
from .capabilities.loops import Loops
from .capabilities.momenta import Momenta
from .capabilities.offered import Offered, P, R, as_method, offered_by
from .capabilities.poses import Poses
from .capabilities.pullbacks import Pullbacks
from .capabilities.rates import TimeRates
from .capabilities.sensitivities import Sensitivities
from .device.arrays import see
from .device.module import DeviceModule
from .evaluation.evaluator import Evaluator
from .later import Later

if TYPE_CHECKING:
    from ..symbolic.methods.algorithms import Algorithm
    from .capabilities import assembly as starts
    from .capabilities import reaching
    from .closing import projection
    from .linear import equilibrium as equilibria
    from .linear import state_space as linear
    from .motions import rhs as right_hand
    from .motions import simulate as motions
    from .vibration import damping, natural, over, rotors
    from .vibration import stability as stable
    from .vibration.forced import harmonic
    from .vibration.forced import waterfall as falls
else:
    starts, reaching = Later("capabilities.assembly"), Later("capabilities.reaching")
    projection = Later("closing.projection")
    equilibria, linear = Later("linear.equilibrium"), Later("linear.state_space")
    right_hand, motions = Later("motions.rhs"), Later("motions.simulate")
    natural, damping = Later("vibration.natural"), Later("vibration.damping")
    over = Later("vibration.over")
    rotors, stable = Later("vibration.rotors"), Later("vibration.stability")
    harmonic, falls = Later("vibration.forced.harmonic"), Later("vibration.forced.waterfall")


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
    tune: bool = False,
    real: str = "double",
    **options: Any,
) -> Solver:
    """Generate, build and load a solver of the model.

    Forces `tau` along the speeds are always arguments of the code. External `wrenches` are where
    that is asked for; of another solver the first call with wrenches makes a second library, and
    the first one of `derivatives` or `linearize` always one of their own, unless `derivatives`
    makes it ahead.

    `parameters` names the model parameters that stay arguments of the compiled code;
    `portable` builds for any machine of this kind instead of exactly this one; with `threads` the
    long loops of target `c` run in OpenMP's threads. With `tune` the library is built in several
    ways, and the one that is measured to be the fastest is taken, see `tuned`. `real` is the type
    of numbers: `double`, or of target `cuda` also `float`. `options` are those of an algorithm
    that is named.

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
        tune=tune,
        real=real,
    )
    if model.cuts and not solver.made.prepared.takes_redundant:
        from .closing.projection import refuse_redundant

        refuse_redundant(solver)
    return solver


def _choice(algorithm: str | Algorithm, options: dict[str, Any]) -> Choice:
    if isinstance(algorithm, str):
        return Choice.named(algorithm, **options)
    from ..symbolic.methods.algorithms import chosen

    return Choice.of(chosen(algorithm, **options))


class Performed(Offered[P, R]):
    """What is no record, as it does more than read out: searches, motions, and linear systems.

    A function of a model's code that has its page as its docstring, and is imported when it is
    first called. A `quick` one looks at each of its arguments itself.
    """

    def __init__(
        self,
        function: Callable[Concatenate[Evaluator, P], R],
        needs: str = "",
        *,
        models: str = "",
        quick: bool = False,
    ) -> None:
        self._function, self.needs, self.models, self.quick = function, needs, models, quick

    def hastened(self, code: Evaluator, method: Callable[..., R]) -> Callable[..., R]:
        return self.function if self.quick else method

    @cached_property
    def function(self) -> Callable[Concatenate[Evaluator, P], R]:
        later: Any = self._function
        found: Callable[Concatenate[Evaluator, P], R] = later.found
        vars(found)["__signature__"] = as_method(signature(found), leaving=1)
        return found


class Motion:
    """Motion, and the states that it starts from."""

    simulate = Performed(motions.simulate, "accelerations")
    rhs = Performed(right_hand.rhs, "accelerations", quick=True)
    c_function = Performed(right_hand.c_function, "accelerations")
    assemble = Performed(starts.assemble)
    project = Performed(projection.project)


class Searches:
    """Equilibria, linear systems, and inverse kinematics."""

    equilibrium = Performed(equilibria.equilibrium, "accelerations")
    linearize = Performed(linear.linearize)
    state_space = Performed(linear.state_space)
    inverse_kinematics = Performed(reaching.inverse_kinematics, models="reaching")


class Vibration:
    """Small motions about a place at rest."""

    modes = Performed(natural.modes)
    modes_over = Performed(over.modes_over)
    damped = Performed(damping.damped)
    stability = Performed(stable.stability)
    campbell = Performed(rotors.campbell)
    critical_speeds = Performed(rotors.critical_speeds)
    response = Performed(harmonic.response)
    waterfall = Performed(falls.waterfall)


class Solver(
    ForwardDynamics,
    Motion,
    Poses,
    Loops,
    Searches,
    Vibration,
    Tangents,
    Pullbacks,
    FrameMotion,
    Kinematics,
    CentroidalMotion,
    InverseDynamics,
    TimeRates,
    Sensitivities,
    ClosedForm,
    GeometricJacobians,
    OverallEquation,
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
        follow `coordinates` and `speeds`. `out`: an array of the result's shape, which takes it
        and is returned; of several results a tuple of as many.
    Units
        SI, rad.
    Frame
        Absolute coordinates; in space `v`, `a` and `tau` are in body axes.
    """

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

    @property
    def status(self) -> Any:
        """Of target `cuda`: of each state of the last call of arrays on a device 0, or 1.

        It is 1 where a result is not finite. An array of the same library; nothing waits for it.
        """
        return getattr(self.backend, "status", None)

    def check(self) -> None:
        """Of target `cuda`: wait for the last call of arrays on a device.

        Raises
            NumericsError: a state has no finite result; names the first.

        Source
            own
        """
        if isinstance(self.backend, DeviceModule):
            see(self.backend, self.model.name)

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
            "tune": self.tune,
            "real": self.real,
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
            f"{told(len(self.coordinates), 'coordinate')}>"
        )


def _solver(model: Model, how: dict[str, Any]) -> Solver:
    return Solver(model, **how)
