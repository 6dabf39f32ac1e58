"""Errors planted in emitted C: all in one library, each behind a number that a judge sets.

Signs turned, operands swapped, constants moved by 1e-6, indices moved, statements, calls and turns
of loops left out, in the model's own file and in the files that models share: solves, sines, lanes;
or in the one that moves all models. `MUTANT == k` chooses between what stands there and error k, so
that a library with a hundred errors is compiled once.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any

import mpmath
import numpy as np
from cffi import FFI
from systems_attacked import solver_of

import mstmm
from mstmm.codegen.build import build
from mstmm.codegen.emit import Sources
from mstmm.codegen.proof.motions import judge_motions
from mstmm.codegen.proof.points import sample
from mstmm.codegen.proof.records import (
    BATCH,
    MOTIONS,
    NO_BLOCKS,
    ONE_STEP,
    PROJECTION,
    SMALL,
    WHOLE,
)
from mstmm.codegen.proof.replay import DIGITS
from mstmm.codegen.proof.steps import judge_steps
from mstmm.codegen.proof.validate import _Judge, validate
from mstmm.codegen.tableaus import METHODS
from mstmm.codegen.targets.registry import target_named
from mstmm.codegen.toolchain import find_compiler
from mstmm.model.model import Model
from mstmm.runtime.evaluation.backend import Backend
from mstmm.symbolic.language.arithmetic import working

#: Of itself, a constant is wrong by this.
WRONG = 1e-6

#: States at which an error that no proof sees is compared bit by bit with what is right.
STATES = 60

#: Of the largest number of a result: what a proof allows are last places times a condition number.
LAST_PLACES = 1e-13

#: Times what starts beside move a motion: that is last places too.
BESIDE = 16.0

#: Files that models share; what lies between their memory and its ends is no place for errors.
SHARED = re.compile(r"mstmm_(solve|trig|lanes|motion)\.[ch]")
MOTION = "mstmm_motion.c"
LEFT_ALONE = re.compile(r"\*const|\bint\b|\bptrdiff_t\b|\bfor\b|\bwhile\b|met\[MSTMM_")

#: How rows begin that judge motions.
MOVING = (ONE_STEP, PROJECTION, MOTIONS)

FUNCTION = re.compile(
    r"^(?:static )?(?:inline )?(?:__attribute__\(.*\)\) )?"
    r"(?:void|int|double|lanes|whole_lanes|uint64_t) (\w+)\(.*?[(),]?$"
)
MORE = re.compile(r"(?<=[\w\]]) (?P<way>[-+*])= (?P<right>[^;={}]+?);")
RIGHT = re.compile(r"(?<=[\w\]] = )(?P<right>[^;={}]+?)(?=;|, \w+ = )")
CALL = re.compile(r"^(?P<before>\s+(?:status \|= )?)(?P<call>\w+\(.*\));$")
LOOP = re.compile(r"for \(int i = (?P<start>\d+); i < (?P<end>\d+); i\+\+\)")
NUMBER = re.compile(r"(?<![\w.\[])\d+\.\d*(?:e[+-]?\d+)?(?![\w.])")
SIGN = re.compile(r" (?P<sign>[+-]) ")
#: A number, or the name that an enumeration gives to one.
PLACE = re.compile(
    r"(?P<name>(?:w->)?[A-Za-z]\w*)\[(?P<index>\d+|[A-Z][A-Z0-9]*_\w+)(?P<more>(?: \+ [^\]]+)?)\]"
)
TERM = r"[\w.>\[\]-]"
FACTORS = re.compile(
    r"(?<![\w\]] [*/-] )(?<![\w.>\]])"
    rf"(?P<a>\w{TERM}*+) (?P<op>[-/]) (?P<b>{TERM}++)(?! \*| /|\()"
)


@dataclass(frozen=True)
class Error:
    """What stands at a place of the text, and what is planted there."""

    file: str
    function: str
    kind: str
    line: int
    start: int
    end: int
    after: str
    before: str
    statement: bool = False

    def __str__(self) -> str:
        place = f"{self.file}:{self.line + 1}, {self.function}"
        return f"{place}, {self.kind}: {self.before} → {self.after}"


def errors(sources: Sources, motion: bool) -> Iterator[Error]:
    """All that can be planted in what moves models, or in everything else."""
    prefix = sources.interface.prefix
    own = (f"{prefix}.c", f"{prefix}_outputs.h")
    for file, text in sources.library.items():
        if (file in own or SHARED.fullmatch(file)) and (file == MOTION) == motion:
            yield from _in_file(file, text, _lengths(sources) if file in own else {})


def _in_file(file: str, text: str, lengths: dict[str, int]) -> Iterator[Error]:
    function = ""
    for number, line in enumerate(text.splitlines()):
        if found := FUNCTION.match(line):
            function = found[1]
        elif line.startswith("}"):
            function = ""
        elif (
            function
            and line.startswith("    ")
            and not line.lstrip().startswith(("/*", "*", "#"))
            and not (SHARED.fullmatch(file) and LEFT_ALONE.search(line))
        ):
            for error in _in_line(function, number, line, lengths):
                yield dataclasses.replace(error, file=file)


def _lengths(sources: Sources) -> dict[str, int]:
    interface = sources.interface
    return dict(interface.sizes) | {f"w->{name}": n for name, n in interface.workspace.items()}


def _in_line(function: str, number: int, line: str, lengths: dict[str, int]) -> Iterator[Error]:
    def one(kind: str, start: int, end: int, after: str, statement: bool = False) -> Error:
        return Error("", function, kind, number, start, end, after, line[start:end], statement)

    if found := LOOP.search(line):
        yield one("turn", *found.span("end"), f"{int(found['end']) - 1}")
        yield one("turn", *found.span("start"), f"{int(found['start']) + 1}")
    elif found := CALL.match(line):
        yield one("call", *found.span("call"), "0", statement="status" not in found["before"])
        for part in re.finditer(r"first \* (\d+)", line):
            yield one("index", *part.span(1), f"{int(part[1]) - 1}")
    elif found := MORE.search(line):
        right = found["right"]
        yield one("sign", *found.span("right"), f"-({right})")
        yield one("statement", *found.span("right"), "1" if found["way"] == "*" else "0")
        for kind, after in _changed(right, lengths):
            yield one(kind, *found.span("right"), after)
    elif not re.match(r"\s+(?:const int|int|static|return|if|long)\b", line):
        for found in RIGHT.finditer(line):
            for kind, after in _changed(found["right"], lengths):
                yield one(kind, *found.span("right"), after)
            left = re.search(r"([\w>.-]+(?:\[[^\]]*\])?) = $", line[: found.start("right")])
            if left and ("->" in left[1] or "[" in left[1]):
                yield one("statement", *found.span("right"), left[1])


def _changed(right: str, lengths: dict[str, int]) -> Iterator[tuple[str, str]]:
    """The right side of an assignment with one thing wrong."""

    def put(found: re.Match[str], group: str | int, new: str) -> str:
        return right[: found.start(group)] + new + right[found.end(group) :]

    def is_index(found: re.Match[str]) -> bool:
        """What is read beside a buffer is no number."""
        return right.count("[", 0, found.start()) > right.count("]", 0, found.start())

    for found in SIGN.finditer(right):
        if is_index(found):
            continue
        yield "sign", put(found, "sign", "-" if found["sign"] == "+" else "+")
    for found in NUMBER.finditer(right):
        if float(found[0]):
            yield "constant", put(found, 0, repr(float(found[0]) * (1 + WRONG)))
    for found in FACTORS.finditer(right):
        whole = all(found[x].count("[") == found[x].count("]") for x in "ab")
        if found["a"] != found["b"] and whole:
            yield "swap", put(found, 0, f"{found['b']} {found['op']} {found['a']}")
    for found in PLACE.finditer(right):
        size, index = lengths.get(found["name"], 0), found["index"]
        if size > 1 and not found["more"]:
            yield "index", put(found, "index", f"({index} + 1) % {size}")
        elif size and found["more"] and index != "0":
            yield "index", put(found, "index", f"{index} - 1")


def planted(sources: Sources, chosen: list[Error]) -> Sources:
    """The sources with all errors in them, numbered from 1 on, by the variable `MUTANT`."""
    own = f"{sources.interface.prefix}.c"
    files = dict(sources.files)
    for file in {own, *(error.file for error in chosen)}:
        there = [(k, error) for k, error in enumerate(chosen, start=1) if error.file == file]
        lines = _with_errors(files[file].splitlines(), there)
        lines[0:0] = ["extern int mstmm_mutant;", "#define MUTANT mstmm_mutant"]
        files[file] = "\n".join(lines) + "\n"
    files[own] += "int mstmm_mutant = 0;\n"
    return dataclasses.replace(sources, files=MappingProxyType(files))


def _with_errors(lines: list[str], there: list[tuple[int, Error]]) -> list[str]:
    at: dict[tuple[int, int, int], list[tuple[int, Error]]] = {}
    for k, error in there:
        at.setdefault((error.line, error.start, error.end), []).append((k, error))
    # From the end of each line backwards; what lies within another stays out.
    for (line, start, end), group in sorted(at.items(), reverse=True):
        text = lines[line]
        before = text[start:end]
        if group[0][1].statement:
            tests = " && ".join(f"MUTANT != {k}" for k, _ in group)
            lines[line] = f"{text[:start]}if ({tests}) {text[start:]}"
        else:
            choice = "".join(f"MUTANT == {k} ? ({error.after}) : " for k, error in group)
            lines[line] = f"{text[:start]}({choice}({before})){text[end:]}"
    return lines


def drawn(sources: Sources, count: int, rng: Random, motion: bool = False) -> list[Error]:
    """So many errors, of all functions and kinds alike, of which none lies within another."""
    every = list(errors(sources, motion))
    rng.shuffle(every)
    seen: dict[tuple[str, str], int] = {}
    ranked = []
    for error in every:
        key = error.function, error.kind
        seen[key] = seen.get(key, 0) + 1
        ranked.append((seen[key], error))
    ranked.sort(key=lambda pair: pair[0])
    taken: list[Error] = []
    spans: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for _, error in ranked:
        span = (error.start, error.end)
        held = spans.setdefault((error.file, error.line), [])
        if all(span == other or span[1] <= other[0] or other[1] <= span[0] for other in held):
            held.append(span)
            taken.append(error)
        if len(taken) == count:
            break
    return taken


class Judge:
    """A solver whose library has all errors, one of which acts at a time."""

    def __init__(
        self,
        model: str | Model,
        algorithm: str,
        target: str,
        count: int,
        seed: int,
        motion: bool = False,
    ) -> None:
        self.motion = motion
        self.solver: Any = solver_of(model, algorithm, target)
        sources = self.solver.generated.sources
        self.errors = drawn(sources, count, Random(seed), motion)
        self.prefix = sources.interface.prefix
        self.switches: list[Any] = []
        self.solver.backend = self._with_errors(sources)
        if motion and algorithm != "hdca":
            self.solver.simulate(t_end=0.001, method="radau5")  # loads what radau5 takes
            derived = self.solver.modules["derivatives"]
            derived.backend = self._with_errors(derived.generated.sources)
        self.seed = seed

    def _with_errors(self, sources: Sources) -> Backend:
        """The library of these sources with all errors, and its switch."""
        wrong, target = planted(sources, self.errors), sources.target
        path = build(
            sources.interface.prefix,
            wrong.library,
            compiler=find_compiler(vectors=target != "c"),
            extra_flags=("-O0",),
        )
        ffi = FFI()
        ffi.cdef("extern int mstmm_mutant;")
        self.switches.append(ffi.dlopen(str(path)))
        backend: Backend = target_named(target).loading(path, wrong)
        return backend

    def act(self, number: int) -> None:
        """Have one error act, or none (0)."""
        for switch in self.switches:
            switch.mstmm_mutant = number

    def found(self, number: int, points: int) -> tuple[bool, bool]:
        """Whether the proof fails with this error (0: none), and names its function in a row."""
        self.act(number)
        try:
            with mpmath.workdps(DIGITS), working(DIGITS):
                first = _Judge(self.solver)
                chooser = Random(self.seed)
                if self.motion:
                    for judge in (judge_steps, judge_motions):
                        if first.proof(1, self.solver.target).ok if first.records else True:
                            for record in judge(self.solver, chooser, points):
                                first.records[record.kernel] = record
                else:
                    first.point(sample(first.program, chooser, 0), chooser)
                proof = first.proof(1, self.solver.target)
            if proof.ok:
                proof = validate(self.solver, points=points, seed=self.seed)
        except mstmm.NumericsError:
            return True, False
        finally:
            self.act(0)
        rows = [row.kernel for row in proof.rows if not row.ok]
        return not proof.ok, bool(number) and self.names(self.errors[number - 1], rows)

    def names(self, error: Error, rows: list[str]) -> bool:
        """Does a row name the error's function, or for a shared one, which many call, a caller?"""
        if error.file == MOTION:
            return any(row.startswith(MOVING) for row in rows)
        if error.file != f"{self.prefix}.c":
            itself = f"{SMALL}: {error.function}"
            return any(row == itself or not row.startswith(NO_BLOCKS) for row in rows)
        entry = error.function.removeprefix(f"{self.prefix}_").removesuffix("_lanes")
        words = (f"{error.function}:", f"{WHOLE}: {entry}", f"{BATCH}: {entry}")
        return any(row.startswith(words) for row in rows)

    def change(self, number: int) -> float:
        """How far results move at many states, at most, by what their last places may.

        Last places are `LAST_PLACES` of the largest number of a result, and twice what the next
        number of each coordinate does: a sine may be off by a unit, as that of its angle is.
        Infinite where what is finite is not so with the error, or the other way round. Of what
        moves the model, motions are the results, and the next numbers are those of their starts.
        """
        if self.motion:
            return self._way_off(number)
        worst = 0.0
        rng = Random(self.seed)
        interface = self.solver.generated.sources.interface
        program = self.solver.generated.program
        states = [sample(program, rng, k) for k in range(STATES)]

        def results(entry: str, mutant: int, beside: bool = False) -> list[np.ndarray]:
            buffers = {
                name: np.array([state[name] for state in states])
                if name in states[0]
                else np.full((STATES, interface.sizes[name]), np.nan)
                for name in interface.arguments[entry]
            }
            if beside and "q" in buffers:
                buffers["q"] = np.nextafter(buffers["q"], np.inf)
            self.act(mutant)
            self.solver.backend.run(entry, buffers)
            self.act(0)
            return [buffers[name] for name in interface.results[entry]]

        for entry in interface.arguments:
            runs = results(entry, 0), results(entry, number), results(entry, 0, beside=True)
            for right, wrong, beside in zip(*runs, strict=True):
                finite = np.isfinite(right)
                if (finite != np.isfinite(wrong)).any():
                    return math.inf
                known = finite & np.isfinite(beside)
                sizes, moved = (
                    np.abs(np.where(known, x, 0.0)).max(axis=1, keepdims=True, initial=0.0)
                    for x in (right, np.where(known, right, 0.0) - np.where(known, beside, 0.0))
                )
                off = np.abs(np.where(finite, right - wrong, 0.0))
                may = LAST_PLACES * sizes + 2.0 * moved
                times = np.where(off > 0.0, np.inf, 0.0)
                np.divide(off, may, out=times, where=may > 0.0)
                worst = max(worst, float(times.max(initial=0.0)))
        return worst

    def _way_off(self, number: int) -> float:
        """How far motions are off, by what their last places and the next starts make of them."""
        worst = 0.0
        for (right, wrong), (_, beside) in zip(
            zip(self._moved(0), self._moved(number), strict=True),
            zip(self._moved(0), self._moved(0, beside=True), strict=True),
            strict=True,
        ):
            if isinstance(right, str) or isinstance(wrong, str) or right.shape != wrong.shape:
                worst = max(worst, 0.0 if str(right) == str(wrong) else math.inf)
                continue
            known = not isinstance(beside, str) and beside.shape == right.shape
            moved = np.abs(beside - right).max(initial=0.0) if known else math.inf
            may = LAST_PLACES * np.abs(right).max(initial=0.0) + BESIDE * moved
            off = np.abs(right - wrong).max(initial=0.0)
            worst = max(worst, float(off / may) if off else 0.0)
        return worst

    def _moved(self, number: int, *, beside: bool = False) -> list[np.ndarray | str]:
        """Motions by all methods, with inputs and events too; or why there is none."""
        solver, found = self.solver, list[np.ndarray | str]()
        model, width = solver.model, solver.backend.width
        rng = np.random.default_rng(self.seed)
        v0 = np.asarray(model.v0) + rng.uniform(-2.0, 2.0, (width, len(model.v0)))
        q0 = np.tile(np.asarray(model.q0, dtype=float), (width, 1))
        if beside:
            q0, v0 = np.nextafter(q0, np.inf), np.nextafter(v0, np.inf)
        n = len(solver.speeds)
        acting = {
            "inputs": {
                solver.speeds[0]: mstmm.Sampled(mstmm.Feedback([[0.3] * 2 * n]), 0.07),
                solver.speeds[-1]: mstmm.Table([0.05, 0.2], [0.5, -0.5]),
            },
            "events": [
                mstmm.Event(lambda t, q, v: float(np.cos(7.0 * t + np.sum(q)))),
                mstmm.Event(lambda t, q, v: t**2 - 0.1, 1, True),
            ],
        }
        for method in METHODS:
            if solver.generated.sources.interface.hamiltonian and (
                method.staggered or method.implicit
            ):
                continue
            ways: list[dict[str, Any]] = [{"dt": 0.005}, {"dt": 0.04}, {"dt": 0.01} | acting]
            if method.adaptive:
                ways = [{"rtol": x, "atol": x, "record": 0.05} for x in (1e-3, 1e-6, 1e-9)]
                ways.append(ways[1] | acting)
            for given in ways:
                self.act(number)
                try:
                    runs = solver.simulate(q0, v0, t_end=0.5, method=method.name, **given)
                    for run in runs:
                        events = [x for one in run.events for x in (one.time, *one.q)]
                        found += [run.time, run.q, run.v, np.array(events)]
                except mstmm.NumericsError as error:
                    found += [str(error)] * 4 * width
                finally:
                    self.act(0)
        return found
