"""What is kept of each motion of an ensemble: series in time, or what they are reduced to."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...codegen.events import event_sources
from ...errors import UsageError
from ...runtime.evaluation.arrays import Floats
from ...runtime.evaluation.backend import NumpyModule
from ...runtime.evaluation.efforts import Place
from ...runtime.evaluation.evaluator import Evaluator
from ...runtime.motions.integration import unforced
from ...runtime.motions.variables import COMPONENTS

#: Entries of the generated code whose results may be kept, and the axes of those.
COMPUTED = {
    "a": ("accelerations", ("speed",)),
    "loads": ("joint_loads", ("end", "component")),
    "energy": ("energy", ()),
}

#: The two halves of the state, and their axes.
STATE = {"q": ("coordinate",), "v": ("speed",)}

AXES = ("coordinate", "speed", "end", "component")

#: States that are evaluated at once.
PORTION = 2**14


def _last(series: Floats) -> Floats:
    """The last record that there is, along axis 1."""
    flat = series.reshape(*series.shape[:2], -1)
    there = np.asarray(np.isfinite(flat).all(axis=2))
    place = np.where(there.any(axis=1), series.shape[1] - 1 - there[:, ::-1].argmax(axis=1), 0)
    found: Floats = series[np.arange(len(series)), place]
    return found


#: What a series may be reduced to, along its axis of time.
REDUCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "final": _last,
    "min": lambda series: np.nanmin(series, axis=1),
    "max": lambda series: np.nanmax(series, axis=1),
    "absmax": lambda series: np.nanmax(np.abs(series), axis=1),
    "mean": lambda series: np.nanmean(series, axis=1),
    "rms": lambda series: np.sqrt(np.nanmean(series**2, axis=1)),
}


def reduction(name: str) -> Callable[[Floats], Floats]:
    """The reduction of this name; `q0.95` is the quantile that 95 % of the records are below.

    Raises
        UsageError: there is none of this name.
    """
    if name in REDUCTIONS:
        return REDUCTIONS[name]
    try:
        share = float(name.removeprefix("q"))
    except ValueError:
        share = -1.0
    if not (name.startswith("q") and 0.0 <= share <= 1.0):
        known = ", ".join(REDUCTIONS)
        raise UsageError(f"there is no reduction {name!r}; there are: {known}, q0.95 (a quantile)")
    return lambda series: np.nanquantile(series, share, axis=1)


@dataclass(frozen=True)
class Output:
    """One array that is kept of each motion: its name, what it is, its axes beside the time."""

    name: str
    text: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]


@dataclass(frozen=True)
class States:
    """Recorded states of some motions, flat: rows of `q`, `v`, the times, and what is held.

    `held` are the parameters `p`, and the forces `tau` where inputs set some.
    """

    q: Floats
    v: Floats
    t: Floats
    held: Mapping[str, Floats]


#: What the store itself calls its arrays and axes.
RESERVED = ("inputs", "input", "done", "status", "end_time", "time", "sample", "event")


def named(outputs: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    """The outputs' expressions by name; what stands in a list is its own name.

    Raises
        UsageError: a name that is no name, is taken, or is given twice.
    """
    if isinstance(outputs, str):
        outputs = [outputs]
    if not isinstance(outputs, Mapping):
        listed = [str(name) for name in outputs]
        if twice := sorted({name for name in listed if listed.count(name) > 1}):
            raise UsageError(f"outputs name {', '.join(twice)} more than once")
        outputs = {name: name for name in listed}
    for name, text in outputs.items():
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", name):
            raise UsageError(
                f"outputs: {name!r} is no name; give the expression one: "
                f"outputs={{'height': {text!r}}}"
            )
        if name in RESERVED or name in AXES:
            raise UsageError(f"outputs: the store has an array {name!r} of its own; rename yours")
    return dict(outputs)


class Outputs:
    """The outputs of a model by name: `q`, `v`, `a`, `loads`, `energy`, an input, or an expression.

    `inputs` are the places of those that may be named. An expression is one of coordinates,
    speeds, sensors and their rates, parameters and the time `t`, such as `"l*sin(theta1)"`; a
    coordinate's name alone is one too.

    Raises
        UsageError: a text that is none of these.
    """

    def __init__(
        self, code: Evaluator, outputs: Mapping[str, str], inputs: Mapping[str, Place]
    ) -> None:
        self.code, self.outputs, self.inputs = code, outputs, inputs
        known = {*STATE, *COMPUTED, *inputs}
        self._texts = {n: x for n, x in outputs.items() if x not in known}
        for text in outputs.values():
            if text in COMPUTED:
                code.require(COMPUTED[text][0])
        self._module: NumpyModule | None = None
        if self._texts:
            try:
                texts = list(self._texts.values())
                sources = event_sources(code.model, texts, "numpy", code.parameters)
            except UsageError as error:
                said = re.sub(r"^event \d+: ", "", str(error))
                raise UsageError(
                    f"outputs: {said}; an output is q, v, a, loads, energy, an input, or an "
                    "expression of coordinates, speeds, sensors, parameters and t"
                ) from None
            self._module = NumpyModule(sources)

    def __iter__(self) -> Iterator[Output]:
        code = self.code
        sizes = {
            "coordinate": len(code.coordinates),
            "speed": len(code.speeds),
            "end": len(code.ends),
            "component": len(COMPONENTS),
        }
        for name, text in self.outputs.items():
            axes = STATE.get(text) or COMPUTED.get(text, ("", ()))[1]
            yield Output(name, text, axes, tuple(sizes[axis] for axis in axes))

    def of(self, states: States) -> dict[str, Floats]:
        """All outputs at the states, each (states, …)."""
        found: dict[str, Floats] = {}
        for output in self:
            if output.text in STATE:
                found[output.name] = getattr(states, output.text)
            elif output.text in self.inputs:
                name, k = self.inputs[output.text]
                found[output.name] = states.held[name][:, k]
            elif output.text in COMPUTED:
                found[output.name] = self._computed(output, states)
        return found | dict(zip(self._texts, self._expressions(states), strict=False))

    def _computed(self, output: Output, states: States) -> Floats:
        entry = COMPUTED[output.text][0]
        interface = self.code.interface
        count = len(states.q)
        result = {n: np.empty((count, interface.sizes[n])) for n in interface.results[entry]}
        given = {"q": states.q, "v": states.v, "t": states.t}
        given |= {**unforced(interface, count), **states.held}
        for first in range(0, count, PORTION):
            rows = slice(first, first + PORTION)
            buffers = {n: x[rows] for n, x in (given | result).items()}
            # What is not finite stays so in the record: the motion's status says why.
            self.code.backend.run(entry, buffers)
        return result[output.text].reshape(count, *output.shape)

    def _expressions(self, states: States) -> Floats:
        if self._module is None:
            return np.empty((0, len(states.q)))
        g = np.empty((len(states.q), len(self._texts)))
        given = {"q": states.q, "v": states.v, "t": states.t, "g": g, **states.held}
        names = self._module.interface.arguments["events"]
        self._module.run("events", {name: given[name] for name in names})
        return g.T


def reduced(series: Floats, name: str) -> Floats:
    """A series (samples, times, …) reduced along its time; of a motion without records NaN."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return reduction(name)(series)
