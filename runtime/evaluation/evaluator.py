"""Entries of generated code on batches of states: checked arguments in, arrays out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...codegen.face.announced import announced
from ...codegen.face.choice import Choice
from ...codegen.face.prepared import Prepared, Wanted
from ...codegen.face.variants import Tuned
from ...codegen.interface import Interface
from ...codegen.targets.registry import target_named
from ...errors import MissingMethodError, NumericsError, UsageError
from ...model import Model
from .arguments import Arguments
from .arrays import Floats, real_numbers, rows_of
from .backend import Backend
from .code import Code
from .door import closer
from .gate import ANYWHERE, Gate
from .quick import quick_call
from .singular import Watched

if TYPE_CHECKING:
    from ...codegen.generate import Generated
    from ...symbolic.methods.algorithms import Algorithm

#: The entry of all derivatives, and the algorithm that has it.
DERIVATIVES = "derivatives"

#: The algorithms of small motions about a place at rest, without damping and with it.
LINEAR, DAMPED = "linear", "damped"

#: What buffers are called where callers have another name.
NAMED = {"ad": "a", "mu": "c", "mom": "p"}

#: What else it may be with the overall transfer equation, which meets every condition exactly.
REDUNDANT = ", or conditions of closed loops are redundant: riccati solves those"


class Evaluator:
    """A model's generated code, built and loaded, and what is needed to call it.

    Shape
        As in `Solver`.
    """

    def __init__(
        self,
        model: Model,
        *,
        method: Algorithm | Choice,
        target: str,
        parameters: tuple[str, ...],
        portable: bool,
        threads: bool,
        wrenches: bool = False,
        derivatives: bool = False,
        tune: bool = False,
        real: str = "double",
        asked_by: Evaluator | None = None,
    ) -> None:
        self._asked_by = asked_by
        self.kind = target_named(target)
        flags = {"portable": portable, "threads": threads, "wrenches": wrenches, "tune": tune}
        for name, flag in (flags | {"derivatives": derivatives}).items():
            if not isinstance(flag, bool | np.bool_):
                raise UsageError(f"{name} = {flag!r} must be True or False")
        if threads and not self.kind.threads:
            raise UsageError(f"threads are for target 'c', not {target!r}")
        if tune and not self.kind.compiled:
            raise UsageError(f"tune chooses among builds; target {target!r} is not compiled")
        self.model = model
        self.choice = method if isinstance(method, Choice) else Choice.of(method)
        self.target = target
        own = (*[model.frequency] * bool(model.frequency), *(x.name for x in model.inputs))
        self.parameters = (*parameters, *(name for name in own if name not in parameters))
        self.portable = portable
        self.threads = threads
        self.wrenches = wrenches
        self.tune = tune
        self.real = real
        self.made = self._coded(self.choice, loaded=wrenches)
        self.backend: Backend = self.made.backend
        if derivatives:
            # What a model without speeds has of them says the call itself.
            vars(self)["_derived"] = self._coded(Choice(DERIVATIVES), loaded=False)
        self.arguments = Arguments(model, self.parameters, len(self.conditions), self.algorithm)

    @property
    def method(self) -> Algorithm:
        """The algorithm with its options."""
        return self.choice.algorithm

    @property
    def algorithm(self) -> str:
        """The algorithm's name; `method` has its options too."""
        return self.choice.name

    @property
    def form(self) -> str:
        """The algorithm's form: `fast`, or `paper` as printed."""
        return self.made.prepared.form

    @property
    def interface(self) -> Interface:
        """The sizes, names and argument lists of the code."""
        return self.made.prepared.interface

    @property
    def generated(self) -> Generated:
        """What the code was made from: plan, program, blocks and sources.

        Where the code came from the cache they are derived when they are first asked for.
        """
        return self.made.generated

    @property
    def tuned(self) -> Tuned | None:
        """Which build of the code was taken and what was measured, where `tune` asked for it."""
        return self.made.prepared.tuned

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of `q`."""
        return self.model.coordinates

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the speeds, in the order of `v`."""
        return self.model.speeds

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of `poses`."""
        return self.model.body_names

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The bodies' output ends `body:point`, then the cuts', in the order of `joint_loads`."""
        return self.names("ends")

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names of the conditions: the cut hinges', numbered, then those of coupled hinges."""
        return self.names("conditions")

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the driven coordinates, in the order of `driving_forces`."""
        return self.names("driven")

    @property
    def unknowns(self) -> tuple[str, ...]:
        """Names of the unknowns of the overall transfer equation, if that is the algorithm."""
        return self.names("unknowns")

    @property
    def hinge_ends(self) -> tuple[str, ...]:
        """The ends of all hinges, `hinge body:point`; see `geometry_sensitivity`."""
        return self.names("hinge_ends")

    def names(self, of: str) -> tuple[str, ...]:
        """The members of an index set of the program; none if it has no such set."""
        return tuple(self.interface.sets.get(of, ()))

    @property
    def has_momenta(self) -> bool:
        """Whether joint momenta stand in the place of the speeds in the state."""
        return self.interface.hamiltonian

    def _coded(self, choice: Choice, *, loaded: bool, model: Model | None = None) -> Code:
        # Derivatives are those of the whole system, whatever the solver's own code takes apart.
        target = self._beside if choice.name in (DERIVATIVES, LINEAR, DAMPED) else self.target
        asked = target, self.parameters, loaded, self.portable, self.threads, self.tune
        return Code(model or self.model, Wanted(choice, *asked, self.real))

    @cached_property
    def _loaded(self) -> Code:
        """The code that takes loads on the bodies too."""
        if self.wrenches:
            return self.made
        with self._said("wrenches", "wrenches=True"):
            return self._coded(self.choice, loaded=True)

    def _said(self, what: str, remedy: str) -> AbstractContextManager[None]:
        """What a call that makes code says of it where one has to wait."""
        return announced(
            f"making the code of {self.model.name} for {what}, kept in the cache"
            + (f"; mstmm.compile(…, {remedy}) makes it ahead" if remedy else "")
        )

    @cached_property
    def _derived(self) -> Code:
        """The code of the derivatives, which any algorithm's accelerations have alike."""
        if self.algorithm == DERIVATIVES:
            return self.made
        with self._said("its derivatives", "derivatives=True"):
            return self._coded(Choice(DERIVATIVES), loaded=False)

    def small_motions(self, cells: int | None, algorithm: str = LINEAR, bare: bool = False) -> Code:
        """The code of small motions under loads on the bodies, its beams in so many cells.

        Of `bare` ones nothing else acts.
        """
        of = choice, _ = Choice.named(algorithm, cells=cells), bare
        if of not in self._small_motions:
            with self._said("small motions", ""):
                model = self.model.unladen if bare else None
                self._small_motions[of] = self._coded(choice, loaded=True, model=model)
        return self._small_motions[of]

    @cached_property
    def _small_motions(self) -> dict[tuple[Choice, bool], Code]:
        return {}

    @property
    def modules(self) -> dict[str, Code]:
        """The code that is loaded by now beside the solver's own, by what it is for."""
        known = vars(self)
        more = {"wrenches": known.get("_loaded"), "derivatives": known.get("_derived")}
        found = {name: code for name, code in more.items() if code not in (None, self.made)}
        found |= {
            f"{'bare ' * bare}{x.text or x.name}": code
            for (x, bare), code in self._small_motions.items()
        }
        return found | {choice.name: x.made for (choice, _), x in self._companions.items()}

    @property
    def tangents(self) -> Backend:
        """The code of the derivatives, which is built when it is first asked for."""
        found: Backend = self._derived.backend
        return found

    @property
    def _beside(self) -> str:
        """The target of the code that stands beside."""
        return self.kind.beside or self.target

    def companion(self, method: Choice, real: str = "") -> Evaluator:
        """Code of another algorithm for the same model and arguments, built when first asked for.

        It is of the same numbers if no `real` is said.

        For a target that runs batches of states, as the chain in segments is one system alone.
        """
        of = method, real or self.real
        if of not in self._companions:
            with self._said(method.name, ""):
                self._companions[of] = Evaluator(
                    self.model,
                    method=method,
                    target=self._beside,
                    parameters=self.parameters,
                    portable=self.portable,
                    threads=self.threads,
                    tune=self.tune,
                    real=of[1],
                    asked_by=self,
                )
        return self._companions[of]

    @cached_property
    def _companions(self) -> dict[tuple[Choice, str], Evaluator]:
        return {}

    @cached_property
    def gate(self) -> Gate | None:
        """What every state passes; none of a tree without conditions, where all pass."""
        if not self.conditions:
            return None
        if self.computes("constraints") and self.real == "double":
            return Gate(self)
        if self._asked_by is not None:
            return self._asked_by.gate
        return Gate(self.companion(Choice("riccati"), "double"))

    def see_closed(
        self,
        said: str,
        q: npt.ArrayLike,
        v: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> None:
        """Let states pass the gate; `said` is what is asked of them.

        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            OpenStateError: one is open, or its speeds open loops.
        """
        if self.gate:
            given = {"q": self.state("q", q), "t": self.state("t", t)[..., np.newaxis]}
            given |= {} if v is None else {"v": self.state("v", v)}
            values = self.arguments.parameters(parameters)
            batch = np.broadcast_shapes(*(x.shape[:-1] for x in given.values()))
            self.gate.see(rows_of(given | {"p": values}, batch), batch, said)

    def state(self, name: str, value: npt.ArrayLike, *, any_length: bool = False) -> Floats:
        """A checked argument, see `Arguments.state`."""
        return self.arguments.state(name, value, any_length=any_length)

    def parameter_values(self, parameters: Mapping[str, float] | None) -> Floats:
        """The run-time parameters' values in order, see `Arguments.parameters`."""
        return self.arguments.parameters(parameters)

    def computes(self, entry: str) -> bool:
        """Whether the algorithm has this entry for the model and target."""
        return entry in self.interface.arguments

    def require(self, entry: str, asked: str = "") -> None:
        """Do nothing if the algorithm computes this; `asked` is what the caller calls it.

        Raises
            MissingMethodError: it does not; names the algorithms that do.
        """
        if not self.computes(entry):
            raise MissingMethodError(lambda: self._why_missing(entry, asked or entry))

    def _why_missing(self, entry: str, asked: str) -> str:
        model = self.model
        if not self.speeds:
            return f"{model.name} has no {asked}: no hinge of it moves but as prescribed"
        from ...symbolic.methods.algorithms import algorithms_by_entry

        known = algorithms_by_entry(self.model).get(entry, ())
        if self.model.kinematic and not known:
            return f"no {asked}: {self.model.no_dynamics}"
        own = self.made.prepared.alias_of or self.algorithm
        if self.kind.beside and own in known:
            return (
                f"{self.algorithm} has no {asked} for the target {self.target}; "
                f'compile with target="{self.kind.beside}"'
            )
        named = " or ".join(f"algorithm={name!r}" for name in known)
        why = next((f": beam {x.name} {x.linear_alone}" for x in model.beams if x.linear_alone), "")
        remedy = f"compile with {named}" if named else f"none does for this model{why}"
        return f"{self.algorithm} does not compute {asked}; {remedy}"

    def results(
        self,
        entry: str,
        q: npt.ArrayLike,
        v: npt.ArrayLike | None = None,
        tau: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
        **more: npt.ArrayLike,
    ) -> dict[str, Floats]:
        """Run an entry over the batch; `v` and `tau` are zero by default, `more` is what it needs.

        Shape
            Each (…, length).
        Raises
            UsageError: another algorithm computes this; an argument that it needs is left out, or
                it has none of that name; a shape that does not fit, or a number that is not finite.
            NumericsError: the result is not finite.
        """
        if parameters is None and wrenches is None and self.has(entry):
            call, names = self._quick(entry, *more)
            found = call(q, v, tau, t, *more.values(), None)
            if found is not None:
                return dict(zip(names, found if len(names) > 1 else (found,), strict=True))
        if entry != DERIVATIVES or not self.speeds:
            self.require(entry)
        check, still = self.arguments, np.zeros(len(self.speeds))
        loaded = wrenches is not None
        prepared, backend = self._code(entry, loaded)
        interface = prepared.interface
        _see_arguments(entry, interface, more)
        given = {
            **{name: _last_axis(name, x, interface.sizes.get(name)) for name, x in more.items()},
            "q": check.state("q", q),
            "v": still if v is None else check.state("v", v),
            "t": check.state("t", t)[..., np.newaxis],
        }
        given["tau"] = still if tau is None else check.state("tau", tau)
        if loaded or self.wrenches:
            given["f"] = check.loads(wrenches)
        values = check.parameters(parameters)
        if len(values):
            given["p"] = values
        try:
            batch = np.broadcast_shapes(*(array.shape[:-1] for array in given.values()))
        except ValueError:
            axes = {name: x.shape[:-1] for name, x in given.items() if x.ndim > 1}
            each = ", ".join(f"{NAMED.get(name, name)} has {x}" for name, x in axes.items())
            raise UsageError(f"the batch axes do not fit: {each}") from None
        states, gate = int(np.prod(batch)), None if entry in ANYWHERE else self.gate
        rows = rows_of(given, batch)
        if gate:
            told = rows if v is not None else {n: x for n, x in rows.items() if n != "v"}
            gate.see(told, batch, entry)
        buffers = {name: x for name, x in rows.items() if name in interface.inputs}
        for name in interface.arguments[entry]:
            if name not in buffers:
                buffers[name] = np.empty((states, interface.sizes[name]))
        if not self.watched(entry, backend).run(buffers):
            raise NumericsError(
                f"{entry} of {self.model.name}: the result"
                f"{_of_state(buffers, interface.results[entry], batch)} is not finite; the "
                "configuration is singular, or the numbers overflow"
                + (REDUNDANT if self.algorithm == "overall" and self.conditions else "")
            )
        found = {
            name: buffers[name].reshape(*batch, interface.sizes[name])
            for name in interface.results[entry]
        }
        # What has no numbers, as the forces along speeds where every hinge is driven.
        return {name: np.empty((*batch, 0)) for name in prepared.results[entry]} | found

    def watched(self, entry: str, backend: Backend | None = None) -> Watched:
        """An entry whose states are looked after in singular positions of the loops."""
        used = self.backend if backend is None else backend
        key = entry, id(used)  # backends are kept as long as this
        if key not in self._watched:
            self._watched[key] = Watched(self.model, entry, used, self.backend)
        return self._watched[key]

    @cached_property
    def _watched(self) -> dict[tuple[str, int], Watched]:
        return {}

    @cached_property
    def _there(self) -> dict[Any, Any]:
        """Where each result is read out that was asked for by now."""
        return {}

    def has(self, entry: str) -> bool:
        """Whether this entry can be called here, the derivatives' being of all models that move."""
        return self.computes(entry) or (entry == DERIVATIVES and bool(self.speeds))

    def _quick(self, entry: str, *more: str) -> tuple[Callable[..., Any], tuple[str, ...]]:
        """The entry as `results` calls it, and its results."""
        key = entry, *more
        if key not in self._calls:
            interface = self._code(entry, False)[1].interface
            _see_arguments(entry, interface, more)
            names = interface.results[entry]
            self._calls[key] = self.quick(entry, ("q", "v", "tau", "t", *more), names), names
        return self._calls[key]

    @cached_property
    def _calls(self) -> dict[tuple[str, ...], tuple[Callable[..., Any], tuple[str, ...]]]:
        return {}

    def quick(
        self,
        entry: str,
        arguments: Sequence[str],
        results: Sequence[str],
        axes: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
        held: Mapping[str, Floats] = MappingProxyType({}),
    ) -> Callable[..., Any]:
        """An entry on arrays that fit as they are, see `quick_call`.

        It takes `arguments` in their order, all but `q` and what `results` takes besides may be
        None, and an array for the first result or None. None comes back where they need a closer
        look. `axes` are the lengths of the last axes of results that are not flat, `held` what
        other arguments are: for every state the same, or a row for each.
        """
        backend, tails = self._code(entry, False)[1], self.arguments.tails
        if not {*results} <= backend.interface.sizes.keys():
            return closer  # one of them has no numbers: every hinge is driven
        shapes = {name: tails[NAMED.get(name, name)] for name in arguments}
        still = {name: np.zeros(tails[name]) for name in ("v", "tau", "sigma")}
        still["t"] = np.zeros(1)
        values = self.parameter_values(None)
        constants = still | ({"p": values} if len(values) else {}) | {**held}
        gate = None if entry in ANYWHERE else self.gate
        return quick_call(
            backend,
            entry,
            shapes,
            constants,
            () if entry == "retract" else self.model.quaternions,
            {name: axes.get(name, (backend.interface.sizes[name],)) for name in results},
            self.watched(entry, backend).watch(),
            gate.quick(shapes, constants) if gate else None,
        )

    def _code(self, entry: str, loaded: bool) -> tuple[Prepared, Backend]:
        if entry == DERIVATIVES and self.algorithm != DERIVATIVES:
            return self._derived.prepared, self._derived.backend
        if loaded and not self.wrenches:
            return self._loaded.prepared, self._loaded.backend
        return self.made.prepared, self.backend


def _of_state(rows: Mapping[str, Floats], names: Sequence[str], batch: tuple[int, ...]) -> str:
    """Which state of a batch is the first that has a number among these which is not finite."""
    states = int(np.prod(batch))
    wrong = sum((~np.isfinite(rows[name]).all(axis=1) for name in names), np.zeros(states, bool))
    if not batch or not wrong.any():
        return ""
    return f" of state {[int(k) for k in np.unravel_index(int(np.argmax(wrong)), batch)]}"


#: Arguments of entries that have a value where none is given.
BY_DEFAULT = frozenset({"q", "v", "t", "p", "tau", "f"})


def _see_arguments(entry: str, interface: Interface, names: Iterable[str]) -> None:
    """Raise if an entry has no such arguments, or needs others.

    Of those that are called by their names; others have methods, which know what is read.
    """
    if not {"omega2", "s"} & {*interface.arguments[entry]}:
        return
    takes = [x for x in interface.arguments[entry] if x in interface.inputs]
    needs = [x for x in takes if x not in BY_DEFAULT]
    for name in names:
        if name not in interface.sizes:
            raise UsageError(f"{entry} has no argument {name!r}; it takes {', '.join(takes)}")
    for name in needs:
        if name not in names:
            raise UsageError(
                f"{entry} needs {name} of the shape (…, {interface.sizes[name]}); it takes "
                f"{', '.join(takes)}"
            )


def _last_axis(name: str, value: npt.ArrayLike, length: int | None) -> Floats:
    array: Floats = real_numbers(name, value)
    if length is not None and array.shape[-1:] != (length,):
        raise UsageError(f"{name} has the shape {array.shape} instead of (…, {length})")
    return array
