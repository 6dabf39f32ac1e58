"""mstmm: multibody dynamics by the transfer matrix method, derived, generated and proven.

    model   = mstmm.load("branch-pendulum")
    derived = mstmm.derive(model)      # symbolic, by element end and by equation
    solver  = mstmm.compile(model)     # generated C, compiled and cached
    proof   = mstmm.validate(solver)   # the compiled code against the symbols

Importing the package is light: SymPy, NumPy and the compiler wait for the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, SupportsIndex

from .blame import blamed as _blamed
from .errors import (
    CodegenError,
    DerivationError,
    InternalError,
    MissingMethodError,
    MissingNameError,
    MissingNumberError,
    ModelError,
    ModelWarning,
    MstmmError,
    NumericsError,
    OpenStateError,
    SingularPositionError,
    ToolchainError,
    UsageError,
    ValidationError,
)
from .runtime.events import Event
from .runtime.inputs import CLaw, Feedback, Sampled, Table
from .uncollected import uncollected as _uncollected

if TYPE_CHECKING:
    from pathlib import Path

    from sympy.physics.mechanics import System

    from .codegen.proof.records import Proof
    from .exchange.ensemble.ensemble import Ensemble
    from .exchange.ensemble.samples import Samples
    from .model import GROUND, Beam, Body, End, Force, Hinge, Input, Load, Model, Point, Sensor
    from .model.expressions.quantities import parameter
    from .runtime.cut_choice import CutChoice
    from .runtime.derived import Derived
    from .runtime.flight import FlyingTree, FreeBody
    from .runtime.inputs import Laws
    from .runtime.motions.results import Run
    from .runtime.solver import Solver
    from .symbolic.equations.ledger import Judged
    from .symbolic.methods.algorithms import (
        Algorithm,
        Articulated,
        Centroidal,
        ClosedForm,
        Dca,
        Derivatives,
        Frames,
        Hdca,
        InversePullback,
        InverseRates,
        Jacobians,
        Kinematics,
        Linear,
        Overall,
        Pullback,
        Reaching,
        Riccati,
        RneaBody,
        RneaHybrid,
        RneaMixed,
        RneaSpatial,
        Sensitivities,
        Slaats,
    )

__version__ = "0.1.0"

__all__ = [
    "GROUND",
    "Algorithm",
    "Articulated",
    "Beam",
    "Body",
    "CLaw",
    "Centroidal",
    "ClosedForm",
    "CodegenError",
    "Dca",
    "DerivationError",
    "Derivatives",
    "End",
    "Event",
    "Feedback",
    "FlyingTree",
    "Force",
    "Frames",
    "FreeBody",
    "Hdca",
    "Hinge",
    "Input",
    "InternalError",
    "InversePullback",
    "InverseRates",
    "Jacobians",
    "Kinematics",
    "Linear",
    "Load",
    "MissingMethodError",
    "MissingNameError",
    "MissingNumberError",
    "Model",
    "ModelError",
    "ModelWarning",
    "MstmmError",
    "NumericsError",
    "OpenStateError",
    "Overall",
    "Point",
    "Pullback",
    "Reaching",
    "Riccati",
    "RneaBody",
    "RneaHybrid",
    "RneaMixed",
    "RneaSpatial",
    "Sampled",
    "Samples",
    "Sensitivities",
    "Sensor",
    "SingularPositionError",
    "Slaats",
    "Table",
    "ToolchainError",
    "UsageError",
    "ValidationError",
    "__version__",
    "choose_cuts",
    "compile",
    "derive",
    "ensemble",
    "from_sympy",
    "ledger",
    "load",
    "load_run",
    "parameter",
    "validate",
    "write",
]


#: What a model is put together of in Python.
_PARTS = (
    *("GROUND", "Beam", "Body", "End", "Force", "Hinge", "Input", "Load", "Model", "Point"),
    *("Sensor", "parameter"),
)


def __getattr__(name: str) -> Any:
    """Algorithms, samples and the parts of models: they bring SymPy, and wait for the call."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _PARTS:
        from . import model
        from .model.expressions import quantities

        return getattr(quantities if name == "parameter" else model, name)
    if name == "Samples":
        from .exchange.ensemble.samples import Samples

        return Samples
    if name in ("FlyingTree", "FreeBody"):
        from .runtime import flight

        return getattr(flight, name)
    from .symbolic.methods import algorithms

    return getattr(algorithms, name)


def __dir__() -> list[str]:
    return __all__


@_blamed
@_uncollected()
def load(name: str | PathLike[str], *, strict: bool = False, **arguments: Any) -> Model:
    """The model of this name: `load("rod-chain", n=8)`, `load("rod-chain:n=8")`, `load("a.toml")`.

    What ends in `.toml` or holds a path separator is a model file; what ends in `.urdf` is a
    robot's: `load("robot.urdf", locked={"finger": 0.0}, floating=True)`, see `read_urdf`; on the
    command line `robot.urdf:floating,finger=0.0`; in `.xml` a robot's or a model of MuJoCo, of
    which `without=("tendons",)` leaves out what cannot be taken, see `read_mjcf`.

    An inertia that no rigid body has gives a `ModelWarning` and is taken, as long as the mass
    matrix is definite: identified numbers are such. So do slight mistakes of a robot's file, which
    are mended, and links that lack the inertia of dynamics: such a robot has kinematics alone, see
    `Model.kinematic`. `strict` refuses them.

    Raises
        UsageError: no ready-made model or file has this name, or it does not take the argument.
        ModelError: the arguments or the file describe no system.

    Source
        own; the models are those of Riccati paper, Sect. 5, of deduction paper, Example 2, and own.
    """
    from .runtime.loading import load as load_model

    name = fspath(name) if isinstance(name, PathLike) else name
    return load_model(name, strict=strict, **arguments)


@_blamed
def write(model: Model | str, path: str | PathLike[str]) -> None:
    """Write the model into a TOML file, from which `load` makes an equal one.

    Raises
        UsageError: the file cannot be written.
        ModelError: an expression of the model has no text in files.

    Source
        own
    """
    from .model.files.toml import write as write_model

    write_model(_model(model), fspath(path))


@_blamed
def from_sympy(
    system: System, values: Mapping[Any, Any] | None = None, *, name: str = "system"
) -> Model:
    """The model of a `sympy.physics.mechanics.System`, the user's symbols as its parameters.

    `values` gives each symbol its number, and coordinates and speeds those of the start, by symbol
    or name: `from_sympy(system, {m: 1.0, "g": 9.81, q1: 0.3})`. For what becomes of joints, loads
    and actuators see `mstmm.exchange.readers.sympy_system.from_sympy`.

    Units
        Those of `values`; SI is assumed.
    Raises
        ModelError: names what the method cannot take, or what is no system.
        UsageError: `system` is no System, or symbols have no value.

    Source
        own
    """
    from .exchange.readers.sympy_system import from_sympy as read_system

    return read_system(system, values, name=name)


@_blamed
def load_run(path: str | PathLike[str]) -> Run:
    """The run that `run.save("x.nc")` wrote: its numbers exactly, its model, and `resume`.

    Raises
        UsageError: there is no such file, it cannot be read, or `run.save` did not write it.
        ModelError: the model in it is none.
        ToolchainError: xarray, h5netcdf or h5py is missing (extra `data`).

    Source
        own
    """
    from .runtime.reading import load_run as read

    return read(fspath(path))


@_blamed
def derive(
    model: Model | str,
    *,
    algorithm: str | Algorithm = "riccati",
    budget: int = 200_000,
    **options: Any,
) -> Derived:
    """The derivation of a model: the program of an algorithm, read in symbols.

    It is the program that `compile` makes code of, for every model and algorithm that compiles:
    `derived.quantities` are what each of its calls states, with the element's data; of the Riccati
    method `derived.S["1:O"]`, `derived.e`, `derived.U` are composed into one formula, and
    `derived.at(q, v)` gives all in numbers. Of the paper's example, `derived.results` are its
    equations by number; `derived.overall` is the overall transfer equation.

    Nothing is computed before it is asked for. `budget` bounds the products of polynomial
    terms of one request, since symbolic composition explodes with the length of a chain. The
    algorithm's own `options` are as for `compile`: `form="paper"` reads the paper's form.

    Raises
        UsageError: a name that names no model, no algorithm or none of its options, or a budget
            that is no positive number.
        DerivationError: a step cannot be carried out, or goes over the budget.

    Source
        Riccati paper, equations (4)-(62).
    """
    from .papers.riccati.prints import printed
    from .runtime.derived import derive as derive_model

    return derive_model(
        _model(model), algorithm=algorithm, budget=budget, prints=printed, **options
    )


@_blamed
def ledger(paper: str | None = None, *equations: str | int) -> tuple[Judged, ...]:
    """The papers' numbered equations, each judged: `ledger("riccati", 29, 30)`.

    Without equations all of the paper, without a paper all of the five: `riccati`, `deduction`,
    `divide-and-conquer`, `screw`, `recursive-formulation`. `print(entry)` says what is printed,
    what is derived, and whether the print holds; `entry.verdict` is the outcome of a comparison in
    exact fractions, made when it is asked for; `entry.record()` has all of it as plain data.

    Raises
        UsageError: there is no such paper, or no such equation in it.

    Source
        The five papers, by their own numbers.
    """
    from .papers.shelf import entries

    if not equations:
        return entries(paper)
    return tuple(entry for number in equations for entry in entries(paper, number))


@_blamed
@_uncollected()
def compile(
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
    """The solver of a model: generated, compiled for `target` and cached.

    Targets: `c`, one state at a time; `c-batch`, a state in each lane of a vector; `c-lanes`,
    long chains in segments, one in each lane; `numpy`, which needs no compiler; `cuda`, a state in
    each thread of a graphics processor, of numbers that are `real`: `double` or `float`. (`text` is
    to be read: `mstmm generate` writes it.)

    Algorithms: `riccati`, stable and linear in the number of bodies; `overall`, the plain
    overall transfer equation, which loses digits on long chains; `articulated`, another name of
    `riccati`, whose fast form is that recursion; `slaats`, the recursive formulation with
    effective masses, for trees; `dca`, divide and conquer on a binary assembly tree; `hdca`, the
    same for joint momenta, whose velocities keep loops closed to rounding; `rnea-body`,
    `rnea-spatial`, `rnea-hybrid` and `rnea-mixed`, inverse dynamics in link axes and three other
    representations; `closed-form`, the matrices M and C and gravity's forces; `jacobians`,
    geometric Jacobians and their partial derivatives up to an `order` (two by default);
    `sensitivities`, derivatives of inverse dynamics, also by masses and places; `inverse-rates`,
    inverse dynamics with two rates in time; `linear`, small motions about rest; `derivatives`, the
    code alone that any solver's `derivatives` runs.

    What can be chosen of an algorithm belongs to it: `algorithm=mstmm.Dca(assembly="((1,2),3),
    ground")`, `mstmm.Jacobians(order=3)`, `mstmm.Riccati(form="paper")`, which compiles the
    completed printed equations instead of the fast ones. By its plain name it has the defaults;
    `options` that follow by keyword are its own: `algorithm="dca", assembly="((1,2),3),ground"`.

    `parameters` names what stays an argument at run time; the others are baked in.
    `portable` leaves out the instructions that only this machine may have. `threads` runs the long
    loops of target `c` in OpenMP's threads (`OMP_NUM_THREADS` says how many): for systems of ten
    thousand bodies and more, on cores that have nothing else to do.

    With `tune` the code is built in several ways (other flags, another compiler that is here), each
    is timed for some milliseconds on its own functions, and the fastest is kept in the cache with
    what was measured, which `solver.tuned` says: several compiles instead of one, once. The last
    digits of numbers may differ between builds. Where the environment sets CI the usual one is
    taken.

    What is compiled when: this call makes the library of all that the algorithm computes, at
    forces `tau` too; `wrenches` puts external loads on the bodies into it, and `derivatives` makes
    beside it the one that `derivatives`, `linearize` and `equilibrium` run. Of a solver without,
    the first call that needs them makes that library, and so does the first one that asks for
    frames, or for the centre of mass; a call that takes longer than a second for it says so on
    standard error. All of them are kept in the cache.

    What has been compiled before, of the same description with the same options, is loaded from the
    cache: nothing is derived, and SymPy is not imported before something symbolic is asked for,
    such as `solver.generated`, `derive` or `validate`. An edit of the model's file, other options,
    another compiler, processor or version of mstmm make it anew.

    Raises
        UsageError: an unknown model, algorithm, target or parameter; an option that the algorithm
            lacks; a model or a tree that it does not take.
        CodegenError: the program cannot be turned into code.
        ToolchainError: there is no working C compiler, it has no OpenMP for `threads`, or the cache
            folder is unusable.

    Source
        Riccati paper, equations (20)-(34); the fast form is own. Deduction paper for `overall`,
        recursive-formulation paper for `slaats`, divide-and-conquer paper for `dca` and `hdca`;
        screw paper (57), (58), (69)-(77) for the representations, (82), (85) for the closed form,
        (6)-(26) for Jacobians.
    """
    from .runtime.solver import compile_model

    return compile_model(
        _model(model),
        algorithm=algorithm,
        target=target,
        parameters=_names(parameters),
        portable=portable,
        threads=threads,
        wrenches=wrenches,
        derivatives=derivatives,
        tune=tune,
        real=real,
        **options,
    )


@_blamed
def choose_cuts(model: Model | str, *, t_end: float = 10.0, target: str = "c") -> CutChoice:
    """Where to cut a model's loops: at the hinges that carry the least over a motion.

    The motion is that from the model's start over [0, t_end]. The momenta of `hdca` grow with the
    mean reaction of the cuts, so that the least is best; of all choices that leave a tree, the
    sum of the cut hinges' means is the least. `print` shows the reactions and the reason;
    `choice.model` is the model so cut, in the same place and motion, and `choice.cuts` the names.
    A hinge with a force law, a prescribed motion or a pitch is cut only if there is no other.

    Units
        `t_end` s.
    Raises
        UsageError: the model has no loops, or has beams or a moving base.
        NumericsError: the motion from the model's start cannot be followed.

    Source
        own
    """
    from .runtime.cut_choice import choose_cuts as choose

    return choose(_model(model), t_end=t_end, target=target)


@_blamed
def ensemble(
    model: Model | Solver | str,
    samples: Samples | Mapping[str, Any] | str | Path,
    *,
    to: str | Path,
    t_end: float,
    t_start: float = 0.0,
    dt: float | None = None,
    method: str = "rk4",
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float | None = None,
    record: float | None = None,
    outputs: Mapping[str, str] | Sequence[str] = ("q", "v"),
    reduce: str | Sequence[str] = (),
    events: Sequence[Event | str] = (),
    inputs: Laws | None = None,
    algorithm: str | Algorithm = "riccati",
    target: str = "c-batch",
    workers: int | None = None,
    dask: Any = None,
    chunk: int | None = None,
    resume: bool = False,
    progress: Callable[[int, int, int], None] | None = None,
) -> Ensemble:
    """Thousands to millions of motions of one model, made at once and kept in one Zarr store.

    `samples` says what varies: columns named after coordinates, speeds or parameters of the model,
    as a mapping, a `Samples` design or a .csv or .parquet file. Each row is one motion; what it
    does not name is the model's. `method` and what follows up to `record` are as for
    `Solver.simulate`; a solver in the place of the model gives model and algorithm.

    `outputs` are `q`, `v`, `a`, `loads`, `energy`, or expressions of coordinates, speeds, sensors,
    parameters and the time with names of their own: `{"up": "l*sin(theta1)"}`. `reduce` keeps of
    each output what is named instead of its series: `final`, `min`, `max`, `absmax`, `mean`, `rms`,
    or a quantile over the records such as `q0.95`; the array is `up_max`. Of `events` (expressions)
    the time of the first zero and the number of zeros are kept. `inputs` are as for
    `Solver.simulate`: numbers, expressions, `Table`, `Feedback`, and `Sampled` of these.

    The work is done in chunks of samples, in as many threads as there are cores (`workers`), or by
    the workers of a cluster (`dask`: a `dask.distributed.Client` or a scheduler's address), which
    must see the folder `to`. Memory does not grow with the number of samples, except by that of a
    Latin hypercube. Every number is the same whatever the chunks, threads or workers, on one kind
    of processor. A motion that fails is a row with its reason: `status`, `failures`. What was
    ended, even killed, goes on with `resume=True` and the same arguments, and does no finished
    chunk again. `progress(done, all, failed)` is called after each chunk.

    Shape
        `result.data`: `inputs` (sample, input), `status`, `end_time` (sample), each output
        (sample, time, …) or, reduced, (sample, …), `event_time`, `event_count` (sample, event).
    Units
        As in `Solver.simulate`.
    Raises
        UsageError: a column, output, reduction or event that the model does not have; a store of
            another ensemble; no scheduler at the address.
        ToolchainError: no C compiler, or a package is missing (extras `ensemble`, `cluster`).

    Source
        own
    """
    from .exchange.ensemble.ensemble import ensemble as run_ensemble

    return run_ensemble(
        model,
        samples,
        to=to,
        t_end=t_end,
        t_start=t_start,
        dt=dt,
        method=method,
        rtol=rtol,
        atol=atol,
        max_step=max_step,
        record=record,
        outputs=outputs,
        reduce=reduce,
        events=events,
        inputs=inputs,
        algorithm=algorithm,
        target=target,
        workers=workers,
        dask=dask,
        chunk=chunk,
        resume=resume,
        progress=progress,
    )


@_blamed
def validate(solver: Solver, *, points: int = 100, seed: int = 0) -> Proof:
    """Compare a solver, kernel by kernel and as a whole, with its symbols in 50 digits.

    `points` random admissible states are taken, and near-singular ones beside them.

    Units
        Errors in units in the last place (ulp) of double precision.

    Raises
        UsageError: `solver` is no solver, or `points` no positive whole number.

    Source
        own
    """
    from .codegen.proof.validate import validate as validate_solver
    from .runtime.solver import Solver as SolverClass

    if not isinstance(solver, SolverClass):
        raise UsageError(f"give a solver (mstmm.compile(model)), not {solver!r}")
    return validate_solver(solver, points=_whole("points", points), seed=_whole("seed", seed))


def _model(model: Model | str) -> Model:
    from .model import Model as ModelClass

    if isinstance(model, str | PathLike):
        return load(model)
    if not isinstance(model, ModelClass):
        raise UsageError(f"give a model or the name of one, not {model!r}")
    return model


def _names(names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, Mapping) or not isinstance(names, Iterable):
        raise UsageError(f"parameters = {names!r} must be a list of names, such as ['m', 'g']")
    return tuple(names)


def _whole(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise UsageError(f"{name} = {value!r} must be a whole number")
    return index(value)
