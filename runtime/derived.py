"""A derivation with numbers: the program that is read, run at one state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt

from ..errors import NumericsError, UsageError
from ..model import Model
from ..model.expressions.quantities import shorten
from ..shown import Shown, report
from ..symbolic.derivation.derivation import Derivation
from ..symbolic.derivation.reading import Reading
from ..symbolic.derivation.results import Prints, unprinted
from ..symbolic.language.arithmetic import digits
from ..symbolic.language.interpreter import Interpreter
from ..symbolic.language.program import Array, Entry, Port, Program, Ref, Storage
from ..symbolic.language.slices import step_reads
from ..symbolic.methods.algorithms import Algorithm, chosen
from .capabilities.self_stress import SelfStress
from .evaluation.arguments import Arguments
from .evaluation.arrays import Floats
from .evaluation.gate import TAKEN, see_closed
from .evaluation.multipliers import choose
from .overall_arrays import OverallInArrays
from .performed import Performed, Solved, matrix, performed
from .solver import compile_model

#: What quantities are computed with, before they are doubles: more than any model loses.
DIGITS = 30

#: What results are called, where it is not by their arrays; and what arguments are.
RESULTS = {"a": "accelerations", "tau": "forces"}
ARGUMENTS = {"a": "ad", "p": "mom"}

#: Results that are told number by number, whatever belongs to one member.
FLAT = {"a", "tau", "qd", "qn", "pd", "vel", "pn", "pg", "du"}


#: What makes of loads, at these arguments and parameters, those of the stated self-stress.
Settled = Callable[[Floats, Mapping[str, Sequence[float]], Mapping[str, float]], Floats]


class Derived(Derivation):
    """A derivation that can be evaluated."""

    def at(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
        **further: npt.ArrayLike,
    ) -> Values:
        """All quantities and results in numbers at one state, each when it is asked for.

        Results are `accelerations`, `loads`, `poses` and whatever else the algorithm gives;
        inverse dynamics gives the `forces` that accelerations `a=…` need, with closed loops the
        least. Quantities have their names: `S[1:O]`, `U[1]`, `inward/IA/1`.

        Shape
            `q`, `v`, `tau`: as a solver's, of one state; `wrenches` (bodies, 6), moment then
            force. `loads` (ends, 6), m then q; a quantity has the shape of its matrix. `further`
            by name: `a`, `jerk`, `snap` (speeds), joint momenta `p` (speeds), `c` (conditions).
        Units
            SI; `t` s.
        Frame
            As a solver's.
        Raises
            UsageError: an argument of another shape, a parameter or a further argument that there
                is not; when it is asked for, a name that is not, or that needs another argument.
            NumericsError: a quantity is not finite.
            OpenStateError: the state leaves closed loops open, or its speeds do.
        Source
            own
        """
        forced = tau is not None or wrenches is not None
        program, model = self.program(forced), self.model
        sizes = _sizes(program)
        conditions = len(program.sets.get("conditions", ()))
        check = Arguments(model, tuple(model.parameters), conditions)

        given: dict[str, Sequence[float]] = self.state(check, q, v, t, parameters)
        if forced:
            given["tau"] = [0.0] * len(model.speeds) if tau is None else one_of(check, "tau", tau)
            given["f"] = check.loads(wrenches).tolist()
        elif "f" in sizes:
            given["f"] = [0.0] * sizes["f"]
        if tau is None and "tau" in sizes:
            given["tau"] = [0.0] * sizes["tau"]
        further |= {} if tau is None else {"tau": tau}
        for name, value in further.items():
            owner = ARGUMENTS.get(name, name)
            if owner not in sizes or name not in check.tails:
                raise UsageError(f"{self.algorithm.name} takes no {name}")
            given[owner] = one_of(check, name, value)
        numbers = check.parameters(parameters).tolist()
        values = dict(zip(model.parameters, numbers, strict=True))
        reading = self.reading if not forced else Reading(program, self.reading.arguments)
        if "mu" in sizes and "ad" in given:
            without = Values(reading, given | {"mu": [0.0] * conditions}, values, self._settled)
            loops = self._closing.reading  # since not every inverse algorithm tells J
            slopes = without if "J" in without else Values(loops, given, values, self._settled)
            jacobian = slopes["J"].reshape(conditions, -1)
            given["mu"] = choose(model, without["forces"], jacobian).tolist()
        return Values(reading, given, values, self._settled)

    def state(
        self,
        check: Arguments,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        t: float,
        parameters: Mapping[str, float] | None,
    ) -> dict[str, Sequence[float]]:
        """One state, q, v and t, as the program takes it.

        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            OpenStateError: it leaves closed loops open, or its speeds do.
        """
        given: dict[str, Sequence[float]] = {
            name: one_of(check, name, x) for name, x in (("q", q), ("v", v), ("t", t))
        }
        if not self.model.conditioned:
            return given
        of = self._closing
        conditions = of.program().sets.get("conditions", ())
        if conditions:
            numbers = check.parameters(parameters).tolist()
            known = dict(zip(self.model.parameters, numbers, strict=True))
            values = Values(of.reading, given, known, self._settled)
            gaps = {name: values[name].reshape(1, -1) for name in ("phi", "phid")}
            limits = TAKEN * np.array(of.program().extents)
            speeds = np.array([given["v"]])
            see_closed(self.model, "at", conditions, limits, gaps, speeds, ())
        return given

    @cached_property
    def _closing(self) -> Derived:
        """A derivation that tells how far loops are open: this one, or another algorithm's."""
        tells = any(entry.name == "constraints" for entry in self.program().entries)
        return self if tells else derive(self.model)

    def _settled(
        self, loads: Floats, given: Mapping[str, Sequence[float]], parameters: Mapping[str, float]
    ) -> Floats:
        """Loads with the self-stress that a solver's `joint_loads` choose."""
        if not self.plan.cuts:
            return loads
        solver = compile_model(
            self.model, algorithm=self.algorithm, target="numpy", parameters=tuple(parameters)
        )
        q, (t,) = given["q"], given["t"]
        return SelfStress(solver).settled(loads, q, t, parameters)

    @cached_property
    def overall(self) -> OverallInArrays:
        """The overall transfer equation, as in `symbolic`; its `at(q, v)` gives arrays.

        Raises
            ModelError: a first input that the model names is an output end.
        Source
            Deduction paper, Sect. 5.
        """
        found = super().overall
        return OverallInArrays(found.transfer, found.rows, self.state)

    def draw(self, kind: str = "topology") -> Any:
        """A drawing of how the algorithm goes through the model; a notebook shows it.

        The `topology` with the directions of transfer, or for `dca` and `hdca` the `assembly`
        tree: its leaves are bodies and the ground, under every merge stand the joints that it
        eliminates. `.svg` is its text, `.save("x.svg")` (or .png, .pdf) writes it.

        Raises
            UsageError: another kind, or a tree of an algorithm that has none.
        Source
            The signs of Riccati paper, Fig. 2; divide-and-conquer paper, Sect. 2.2.
        """
        return report("drawing.drawing").of_derivation(self, kind)

    def interactive(self, at: str | None = None) -> Any:
        """A page to play with the model: sliders, what follows from them, and the motion.

        Its numbers are those of the emitted C, compiled to WebAssembly: `S`, `e`, `U`, loads,
        accelerations and the overall equation. `save(path)` writes it as one HTML file that needs
        no network, `html()` gives its text; a notebook shows it. It begins at the model's start,
        with what `at` changes of it, such as `"theta1=0.3, g=9.81"`.

        Raises
            UsageError: no such state; the algorithm gives no accelerations; a model too large.
            ToolchainError: when it is written: the extra `cc` is missing, or fails.
        Source
            own
        """
        state = report("state").state_of(self.model, at)
        return report("interactive").interactive(self, state)


class Values(Shown, Mapping[str, Floats]):
    """What a program gives at one state, by name; each entry is run when it is asked for.

    Raises
        UsageError: there is no such name, or it needs an argument that was not given.
        NumericsError: the value is not finite.
    """

    def __init__(
        self,
        reading: Reading,
        given: Mapping[str, Sequence[float]],
        parameters: Mapping[str, float],
        settled: Settled,
    ) -> None:
        self._reading, self._settled = reading, settled
        self._program = reading.program
        self._given = given
        self.parameters = dict(parameters)
        self._interpreter = Interpreter(self._program, digits(DIGITS), parameters)
        self._runs: dict[str, dict[tuple[str, Ref], list[float]]] = {}

    def __repr__(self) -> str:
        return f"<{len(self)} values at a state: {shorten([*self])}>"

    def _missing(self, entry: Entry) -> set[str]:
        """The arguments that an entry needs and that were not given."""
        arrays = self._program.arrays
        read = {name for step in entry.steps for name in step_reads(self._program.step(step))}
        owners = {arrays[x].owner for x in read if arrays[x].storage is Storage.ARGUMENT}
        return owners - self._given.keys()

    @cached_property
    def _results(self) -> Mapping[str, tuple[Entry, Array]]:
        """For each result an entry that gives it, and its array."""
        found: dict[str, tuple[Entry, Array]] = {}
        for entry in self._program.entries:
            if not self._missing(entry):
                for array in map(self._program.arrays.__getitem__, entry.results):
                    if array.storage is Storage.RESULT:
                        found.setdefault(RESULTS.get(array.name, array.name), (entry, array))
        return found

    def _explain(self, name: str) -> None:
        """Refuse a result that there would be if more arguments were given."""
        for entry in self._program.entries:
            if name in {RESULTS.get(result, result) for result in entry.results}:
                self._complete(entry, name)

    def _run(self, entry: Entry) -> dict[tuple[str, Ref], list[float]]:
        """What each step of an entry gives."""
        if entry.name not in self._runs:
            self._complete(entry)
            with mpmath.workdps(DIGITS):
                self._runs[entry.name] = self._performed(entry)
        return self._runs[entry.name]

    def _complete(self, entry: Entry, name: str = "") -> None:
        """Refuse an entry, or its result `name`, that needs an argument that was not given."""
        if missing := self._missing(entry):
            known = {owner: name for name, owner in ARGUMENTS.items()}
            needed = ", ".join(f"{known.get(owner, owner)}=…" for owner in sorted(missing))
            raise UsageError(f"{name or entry.name} needs {needed}: give it to at(…)")

    def _performed(self, entry: Entry) -> dict[tuple[str, Ref], list[float]]:
        given: dict[str, Sequence[float]] = {
            name: [0.0] * size for name, size in _sizes(self._program).items()
        }
        given |= self._given
        values = self._interpreter.load({name: [*map(mpmath.mpf, x)] for name, x in given.items()})
        found: dict[tuple[str, Ref], list[float]] = {}
        for step in map(self._program.step, entry.steps):
            try:
                self._interpreter.perform(step, values)
            except (ZeroDivisionError, ValueError, TypeError) as error:
                raise NumericsError(f"step {step.name} of {entry.name}: {error}") from None
            written = {ref for call in step.single_calls() for ref in call.writes.values()}
            if step.dense:
                written |= {*self._program.refs(step.dense.unknowns)}
            for ref in written:
                found[step.name, ref] = found["", ref] = [*map(float, values[ref])]
        return found

    def performed(self, entry: str, program: Program | None = None) -> Iterator[Performed | Solved]:
        """Each call of an entry in order, with all that it reads and states in numbers.

        `program`: the same one, as it is shown of the model (`language/special`).

        Raises
            UsageError: there is no such entry, or it needs an argument that was not given.
            NumericsError: a step has no finite result at this state.
        Source
            own
        """
        program = program or self._program
        found = Interpreter(program).entry(entry)
        self._complete(self._interpreter.entry(entry))
        given: dict[str, Sequence[float]] = {
            name: [0.0] * size for name, size in _sizes(self._program).items()
        }
        return performed(program, found, {**given, **self._given}, self.parameters)

    def __getitem__(self, name: str) -> Floats:
        if name in self._results:
            entry, array = self._results[name]
            found = self._run(entry)
            empty = [0.0] * len(array.port.entries)
            rows = [found.get(("", ref), empty) for ref in self._program.refs(array.name)]
            value = np.array([_matrix(array.port, row) for row in rows])
            if array.name in FLAT:
                value = value.ravel()
            if name == "loads":
                value = self._settled(value, self._given, self.parameters)
        else:
            place = self._reading.places.get(name)
            if place is None:
                self._explain(name)
                known = shorten([*self], 12)
                raise UsageError(f"there is no {name!r}; there are: {known}")
            step, call, port = place
            ref = call.writes[port]
            having = [entry for entry in self._program.entries if step.name in entry.steps]
            entry = min(having, key=lambda entry: len(self._missing(entry)))
            value = _matrix(self._program.arrays[ref.array].port, self._run(entry)[step.name, ref])
        if not np.isfinite(value).all():
            raise NumericsError(f"{name} is not finite at this state")
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._results or name in self._reading.places

    def __iter__(self) -> Iterator[str]:
        yield from self._results
        yield from self._reading.places

    def __len__(self) -> int:
        return len(self._results) + len(self._reading.places)


def one_of(check: Arguments, name: str, value: npt.ArrayLike) -> list[float]:
    """An argument of one state, checked.

    Raises
        UsageError: it is of several, or does not fit.
    """
    array = check.state(name, value)
    if array.ndim != len(check.tails[name]):
        raise UsageError(f"{name} has the shape {array.shape}: give one state")
    return array.ravel().tolist()


def _matrix(port: Port, flat: Sequence[float]) -> Floats:
    """A value in its port's shape; a column as a vector, a number without axes."""
    value = matrix(port, flat)
    if port.rows == port.cols == 1:
        return value.reshape(())
    return value.ravel() if port.cols == 1 else value


def _sizes(program: Program) -> dict[str, int]:
    """How many numbers each of the caller's buffers holds."""
    sizes: dict[str, int] = {}
    for array in program.arrays.values():
        if array.storage is Storage.ARGUMENT:
            count = array.count(len(program.sets[array.index_set])) * len(array.port.entries)
            sizes[array.owner] = sizes.get(array.owner, 0) + count
    return sizes


def derive(
    model: Model,
    *,
    algorithm: str | Algorithm = "riccati",
    budget: int = 200_000,
    prints: Prints = unprinted,
    **options: Any,
) -> Derived:
    """The derivation of a model, as in `symbolic`, with `at`.

    Raises
        UsageError: the budget is no positive number; there is no such algorithm or option, or
            the model has not what an option names.
    Source
        own
    """
    derived = Derived(model, budget, chosen(algorithm, **options), prints)
    if derived.algorithm.options:
        derived.program()  # which judges them by the model
    return derived
