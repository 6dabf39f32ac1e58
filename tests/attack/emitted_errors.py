"""Errors planted in emitted C: all in one library, each behind a number that a judge sets.

Signs turned, operands swapped, constants moved by 1e-6, indices moved, statements, calls and turns
of loops left out, in the model's own file and in the files that models share: solves, sines, lanes.
`MUTANT == k` chooses between what stands there and error k, so that a library with a hundred errors
is compiled once. Steps of integrators (`mstmm_motion.c`) are not among it.
"""

from __future__ import annotations

import dataclasses
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
from mstmm.codegen.proof.points import sample
from mstmm.codegen.proof.records import BATCH, NO_BLOCKS, WHOLE
from mstmm.codegen.proof.replay import DIGITS
from mstmm.codegen.proof.validate import _Judge, validate
from mstmm.codegen.toolchain import find_compiler
from mstmm.runtime.evaluation.code import LIBRARIES
from mstmm.symbolic.language.arithmetic import working

#: Of itself, a constant is wrong by this.
WRONG = 1e-6

#: States at which an error that no proof sees is compared bit by bit with what is right.
STATES = 60

#: Files that models share; what lies between their memory and its ends is no place for errors.
SHARED = re.compile(r"mstmm_(solve|trig|lanes)\.[ch]")
LEFT_ALONE = re.compile(r"\*const|\bint\b|\bptrdiff_t\b|\bfor\b|\bwhile\b|mstmm_memory_of_solves")

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
PLACE = re.compile(r"(?P<name>(?:w->)?[A-Za-z]\w*)\[(?P<index>\d+)(?P<more>(?: \+ [^\]]+)?)\]")
TERM = r"[\w.>\[\]-]"
FACTORS = re.compile(
    r"(?<![\w\]] [*/-] )(?<![\w.>\]])"
    rf"(?P<a>\w{TERM}*+) (?P<op>[-/]) (?P<b>{TERM}++)(?! \*| /)"
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


def errors(sources: Sources) -> Iterator[Error]:
    """All that can be planted in the model's own file and in those that models share."""
    own = f"{sources.interface.prefix}.c"
    for file, text in sources.library.items():
        if file == own or SHARED.fullmatch(file):
            yield from _in_file(file, text, _lengths(sources) if file == own else {})


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

    for found in SIGN.finditer(right):
        if right.count("[", 0, found.start()) > right.count("]", 0, found.start()):
            continue  # what is read beside a buffer is no number
        yield "sign", put(found, "sign", "-" if found["sign"] == "+" else "+")
    for found in NUMBER.finditer(right):
        if float(found[0]):
            yield "constant", put(found, 0, repr(float(found[0]) * (1 + WRONG)))
    for found in FACTORS.finditer(right):
        if found["a"] != found["b"]:
            yield "swap", put(found, 0, f"{found['b']} {found['op']} {found['a']}")
    for found in PLACE.finditer(right):
        size, index = lengths.get(found["name"], 0), int(found["index"])
        if size > 1 and not found["more"]:
            yield "index", put(found, "index", str((index + 1) % size))
        elif size and found["more"] and index:
            yield "index", put(found, "index", str(index - 1))


def planted(sources: Sources, chosen: list[Error]) -> Sources:
    """The sources with all errors in them, numbered from 1 on, by the variable `MUTANT`."""
    own = f"{sources.interface.prefix}.c"
    files = dict(sources.files)
    for file in {own, *(error.file for error in chosen)}:
        there = [(k, error) for k, error in enumerate(chosen, start=1) if error.file == file]
        lines = _with_errors(files[file].splitlines(), there)
        first = next(k for k, line in enumerate(lines) if line.startswith("#include"))
        lines[first:first] = ["extern int mstmm_mutant;", "#define MUTANT mstmm_mutant"]
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


def drawn(sources: Sources, count: int, rng: Random) -> list[Error]:
    """So many errors, of all functions and kinds alike, of which none lies within another."""
    every = list(errors(sources))
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

    def __init__(self, model: str, algorithm: str, target: str, count: int, seed: int) -> None:
        self.solver: Any = solver_of(model, algorithm, target)
        sources = self.solver.generated.sources
        self.errors = drawn(sources, count, Random(seed))
        self.prefix = sources.interface.prefix
        wrong = planted(sources, self.errors)
        compiler = find_compiler(vectors=target != "c")
        path = build(
            sources.interface.prefix, wrong.library, compiler=compiler, extra_flags=("-O1",)
        )
        self.solver.backend = LIBRARIES[target](path, wrong)
        ffi = FFI()
        ffi.cdef("extern int mstmm_mutant;")
        self.switch: Any = ffi.dlopen(str(path))
        self.seed = seed

    def found(self, number: int, points: int) -> tuple[bool, bool]:
        """Whether the proof fails with this error (0: none), and names its function in a row."""
        self.switch.mstmm_mutant = number
        try:
            with mpmath.workdps(DIGITS), working(DIGITS):
                first = _Judge(self.solver)
                chooser = Random(self.seed)
                first.point(sample(first.program, chooser, 0), chooser)
                proof = first.proof(1, self.solver.target)
            if proof.ok:
                proof = validate(self.solver, points=points, seed=self.seed)
        except mstmm.NumericsError:
            return True, False
        finally:
            self.switch.mstmm_mutant = 0
        rows = [row.kernel for row in proof.rows if not row.ok]
        return not proof.ok, bool(number) and self.names(self.errors[number - 1], rows)

    def names(self, error: Error, rows: list[str]) -> bool:
        """Does a row name the error's function, or for a shared one, which many call, a caller?"""
        if error.file != f"{self.prefix}.c":
            return any(not row.startswith(NO_BLOCKS) for row in rows)
        entry = error.function.removeprefix(f"{self.prefix}_").removesuffix("_lanes")
        words = (f"{error.function}:", f"{WHOLE}: {entry}", f"{BATCH}: {entry}")
        return any(row.startswith(words) for row in rows)

    def is_equivalent(self, number: int) -> bool:
        """Is every result of every entry the same, to the last bit, at many states?"""
        rng = Random(self.seed)
        interface = self.solver.generated.sources.interface
        program = self.solver.generated.program
        states = [sample(program, rng, k) for k in range(STATES)]
        for entry, names in interface.arguments.items():
            runs = []
            for mutant in (0, number):
                buffers = {
                    name: np.array([state[name] for state in states])
                    if name in states[0]
                    else np.full((STATES, interface.sizes[name]), np.nan)
                    for name in names
                }
                self.switch.mstmm_mutant = mutant
                self.solver.backend.run(entry, buffers)
                self.switch.mstmm_mutant = 0
                runs.append([buffers[name] for name in interface.results[entry]])
            if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*runs, strict=True)):
                return False
        return True
