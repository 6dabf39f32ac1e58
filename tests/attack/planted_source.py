"""Errors planted in the package's own source, one at a time, and which quick test names each.

    python tests/attack/planted_source.py FOLDER [SECONDS]

Of symbolic/, codegen/ and runtime/, places are drawn by seed: a sign or an operator, a constant, a
comparison, an order of arguments or operands. The error stands in a copy of the checkout, where
those judges run that reach its line, the quickest first, until one fails. FOLDER holds the copy and
what is known of each judge; verdicts go to `tests/data/planted_source.json`, one at a time, so that
a run of SECONDS goes on where the last one ended. Of those that stay alive some were looked at: a
wider test names them, `elsewhere`, or what stands there instead is as right, `equal`, and why.
"""

from __future__ import annotations

import ast
import compileall
import copy
import json
import os
import re
import resource
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from py_compile import PycInvalidationMode
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
RECORD = ROOT / "tests" / "data" / "planted_source.json"
SEED, NUMBER = 1, 300

#: What judges every room: emitted files as recorded, proofs of models.
PROVEN = "proven_equal and (branch-pendulum or rod-chain)"
RECORDED = "files_are_as_recorded and not all and (plane or chain or loops)"
COMMON = {
    "goldens": ("-m", "", "tests/codegen/test_goldens.py", "-k", RECORDED),
    "validate": ("-m", "", "tests/codegen/test_validate.py", "-k", PROVEN),
}

#: The rooms that errors are planted in, and files of tests whose quick ones judge each beside.
ROOMS = {
    "symbolic": "symbolic/displayed symbolic/rules symbolic/equations symbolic/hinges "
    "symbolic/transfer symbolic/columns symbolic/plan symbolic/division symbolic/recursion "
    "symbolic/riccati_paper symbolic/body_derivation symbolic/beam_derivation symbolic/fast_form "
    "symbolic/overall_kernels symbolic/paper_program papers/divide papers/screw "
    "papers/deduction report/ledger_pages",
    "codegen": "codegen/lower codegen/rewrite codegen/names codegen/trig "
    "codegen/build codegen/turning codegen/named codegen/explain codegen/operations codegen/order",
    "runtime": "runtime/solver runtime/simulate runtime/inputs runtime/integrators runtime/derived "
    "runtime/assembly runtime/state_space runtime/geometric runtime/units runtime/staircase "
    "runtime/kinematic_models runtime/batches runtime/overall",
}

#: A judge takes at most so much processor time (s), and this multiple of its time without an error;
#: on a busy machine it may wait as often as `WAITING`; all judges together, roughly.
LONGEST, TIMES, WAITING, TOGETHER = 60.0, 4.0, 20.0, 60.0
MEMORY = 4 << 30

#: A module beside the copy's package: an error leaves a file there when it runs.
MET = """
from pathlib import Path

WAITING = [Path(__file__).with_suffix(".met")]


def met():
    while WAITING:
        WAITING.pop().touch()
"""

SWAPPED: dict[type, type] = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult},
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In},
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And},
}


# Errors


@dataclass(frozen=True)
class Planted:
    """An error: what stands at a column of a line, what stands there instead, what it came to.

    The line is found by its text, `code`: the next to where it was when the error was drawn.
    """

    file: str
    line: int
    column: int
    code: str
    was: str
    now: str
    verdict: str = ""

    def place(self, source: str) -> int:
        """The number of the line in a file's text; 0 where it stands no more."""
        lines = source.splitlines()
        found = [number for number, line in enumerate(lines, 1) if line == self.code]
        found = [n for n in found if source.startswith(self.was, self._start(lines, n))]
        return min(found, key=lambda number: abs(number - self.line), default=0)

    def _start(self, lines: Sequence[str], number: int) -> int:
        before = sum(len(line) + 1 for line in lines[: number - 1])
        return before + len(self.code.encode()[: self.column].decode())

    def text(self, source: str) -> str:
        """The file's text with the error in it, and a mark that it runs."""
        start = self._start(source.splitlines(), self.place(source))
        now = f'(__import__("planted_error").met() or {self.now})'
        return source[:start] + now + source[start + len(self.was) :]


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """The node with one thing wrong, in each way."""
    other = copy.deepcopy(node)
    match other:
        case ast.BinOp() | ast.BoolOp() if type(other.op) in SWAPPED:
            other.op = SWAPPED[type(other.op)]()
            yield other
        case ast.BinOp(op=ast.MatMult()):
            other.left, other.right = other.right, other.left
            yield other
        case ast.Compare(ops=[op]):
            other.ops = [SWAPPED[type(op)]()]
            yield other
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield other.operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Call(args=[first, second, *rest]) if not isinstance(first, ast.Starred):
            if not isinstance(second, ast.Starred) and ast.dump(first) != ast.dump(second):
                other.args = [second, first, *rest]
                yield other


def planted(file: str, source: str) -> Iterator[Planted]:
    """Every error that can be planted in a file."""
    lines = source.encode().splitlines(keepends=True)
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(source), True)]
    while waiting:
        node, runs = waiting.pop()
        if runs and isinstance(node, ast.expr):
            for each in changed(node):
                now = ast.unparse(each)
                now = now if isinstance(each, ast.Constant | ast.Call) else f"({now})"
                code = lines[node.lineno - 1].decode().rstrip("\n")
                was = _text(lines, node)
                yield Planted(file, node.lineno, node.col_offset, code, was, now)
        for name, value in ast.iter_fields(node):
            inside = runs and name not in ("annotation", "returns", "decorator_list")
            inside = inside and not isinstance(node, ast.JoinedStr | ast.Raise | ast.pattern)
            below = value if isinstance(value, list) else [value]
            waiting += [(x, inside) for x in below if isinstance(x, ast.AST)]


def _text(lines: Sequence[bytes], node: ast.expr) -> str:
    """What stands in the file for a node, whose columns count bytes."""
    last = (node.end_lineno or node.lineno) - 1
    if last == node.lineno - 1:
        return lines[last][node.col_offset : node.end_col_offset].decode()
    inside = [*lines[node.lineno - 1 : last], lines[last][: node.end_col_offset]]
    return b"".join(inside)[node.col_offset :].decode()


def drawn(seed: int, number: int) -> list[Planted]:
    """So many errors, each place of all rooms being as likely."""
    found = [
        each
        for room in ROOMS
        for file in sorted((ROOT / room).rglob("*.py"))
        for each in planted(str(file.relative_to(ROOT)), file.read_text())
    ]
    return Random(seed).sample(found, number)


# Judges


@dataclass(frozen=True)
class Reach:
    """A judge without an error: its time (s), and the functions of each file that it calls.

    One that does not pass judges nothing: it calls none.
    """

    seconds: float
    calls: dict[str, list[str]]


class Bench:
    """A copy of the checkout, and judges that run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.copy = folder, folder / "copy"
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("sympy", "numpy", "hypothesis"):
            __import__(name)  # what judges import, each in a fork of this process
        self._prepare()
        texts = (file.read_bytes() for file in sorted(self.copy.rglob("*.py")))
        self.known = folder / f"reach-{sha256(b''.join(texts)).hexdigest()[:16]}.json"

    def _prepare(self) -> None:
        """Copy the checkout, with the package in one folder."""
        shutil.rmtree(self.copy, ignore_errors=True)
        for name in (*self.top, "pyproject.toml", "CONTRIBUTING.md", "README.md", "CHANGELOG.md"):
            source, target = ROOT / name, self.copy / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        (self.copy / "src" / "planted_error.py").write_text(MET)
        for name in self.top[1:]:
            inside = self.copy / "src" / "mstmm" / name
            if (self.copy / name / "__init__.py").exists():
                inside.symlink_to(self.copy / name)
        # By contents: a file that held an error is not compiled anew in every judge after it.
        by = PycInvalidationMode.CHECKED_HASH
        rooms = [self.copy / "src" / "mstmm" / name for name in self.top[1:]]
        for place in (self.copy / "src", self.copy / "tests", *rooms):
            if place.exists():
                compileall.compile_dir(place, quiet=2, invalidation_mode=by)

    #: Folders of the checkout; the first holds the package's own modules.
    top = (
        *("src", "model", "symbolic", "codegen", "templates", "runtime", "report", "papers"),
        *("exchange", "cli", "tests", "examples", "docs", "benchmarks", "generated"),
    )

    def judges(self, file: str) -> dict[str, tuple[str, ...]]:
        """Those of a file's room, and the files of tests that are named after it."""
        names = (each.split("/") for each in ROOMS[file.partition("/")[0]].split())
        paths = [f"tests/{folder}/test_{name}.py" for folder, name in names]
        beside = (ROOT / "tests").glob(f"*/test_*{Path(file).stem}*.py")
        paths += [str(path.relative_to(ROOT)) for path in sorted(beside)]
        return COMMON | {path: (path,) for path in paths}

    def reach(self, name: str, arguments: Sequence[str]) -> Reach:
        """Of a judge; measured once for these sources, and kept in the folder."""
        found: dict[str, Any] = json.loads(self.known.read_text()) if self.known.exists() else {}
        if name not in found:
            calls = self.folder / "calls.json"
            calls.unlink(missing_ok=True)
            passed, seconds, words = self.run(arguments, 10 * LONGEST, calls)
            called = json.loads(calls.read_text()) if passed and calls.exists() else {}
            found[name] = {"seconds": seconds, "calls": called}
            self.known.write_text(json.dumps(found))
            print(f"{seconds:6.1f} s {name} {'' if passed else words}", flush=True)
        return Reach(**found[name])

    def run(
        self, arguments: Sequence[str], limit: float, calls: Path | None = None
    ) -> tuple[bool, float, str]:
        """Whether the tests pass in the copy, processor time, and the first that does not.

        `limit` is the processor time that they may take (s).
        """
        said = self.folder / "said.txt"
        before = os.times()
        child = os.fork()
        if not child:
            with suppress(BaseException):
                resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
                _judge(self.copy, arguments, said, calls)
            os._exit(70)
        end = time.monotonic() + WAITING * limit
        status: int | None = None
        while status is None and time.monotonic() < end:
            ended, how = os.waitpid(child, os.WNOHANG)
            if ended:
                status = os.waitstatus_to_exitcode(how)
            else:
                time.sleep(0.02)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if status is None:
            os.waitpid(child, 0)
            return False, limit, "endless"
        if -status in (signal.SIGXCPU, signal.SIGKILL):
            return False, limit, "endless"
        after = os.times()
        seconds = sum(after[2:4]) - sum(before[2:4])
        first = re.search(r"^(?:FAILED|ERROR) (\S+)", said.read_text(), re.MULTILINE)
        return status == 0, round(seconds, 1), first[1] if first else "does not start"

    def verdict(self, error: Planted) -> str:
        """The judge that names an error; or that none does, or runs what it stands in."""
        file, met = self.copy / error.file, self.copy / "src" / "planted_error.met"
        source = file.read_text()
        judges, start = self.judges(error.file), _function(source, error.place(source))
        known = {name: self.reach(name, arguments) for name, arguments in judges.items()}
        reached = {
            name: each.seconds
            for name, each in known.items()
            if start in each.calls.get(error.file, ())
        }
        met.unlink(missing_ok=True)
        file.write_text(error.text(source))
        spent, tried = 0.0, 0
        try:
            for name in sorted(reached, key=lambda name: reached[name]):
                if spent + reached[name] > TOGETHER and tried:
                    break
                limit = min(LONGEST, 10.0 + TIMES * reached[name])
                passed, seconds, words = self.run(judges[name], limit)
                if not passed:
                    return f"named: {words}"
                spent, tried = spent + seconds, tried + 1
        finally:
            file.write_text(source)
        return f"alive: {tried} of {len(reached)} judges" if met.exists() else "not reached"


def _judge(where: Path, arguments: Sequence[str], said: Path, calls: Path | None) -> None:
    """Run the tests in this process, which ends with them."""
    os.setsid()
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.chdir(where)
    sys.path.insert(0, str(where / "src"))
    os.environ["PYTHONPATH"] = str(where / "src")
    sys.dont_write_bytecode = True
    import pytest

    inside, found = str(where / "src" / "mstmm") + os.sep, dict[str, set[str]]()

    def enter(frame: Any, event: str, argument: object) -> None:
        name = frame.f_code.co_filename
        if name.startswith(inside):
            found.setdefault(name.removeprefix(inside), set()).add(frame.f_code.co_qualname)

    if calls:
        sys.settrace(enter)
        threading.settrace(enter)
    code = pytest.main(["-q", "-x", "-n", "0", "-p", "no:cacheprovider", *arguments])
    sys.settrace(None)
    if calls:
        calls.write_text(json.dumps({name: sorted(called) for name, called in found.items()}))
    os._exit(int(code))


def _function(source: str, line: int) -> str:
    """The innermost function that a line is of, as Python names it."""
    holding = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and node.lineno <= line <= (node.end_lineno or 0)
    ]
    name, prefix = "<module>", ""
    for node in sorted(holding, key=lambda node: node.lineno):
        if isinstance(node, ast.FunctionDef):
            name, prefix = f"{prefix}{node.name}", f"{prefix}{node.name}.<locals>."
        else:
            prefix += f"{node.name}."
    return name


# Verdicts


def recorded() -> list[Planted]:
    """The errors of the record whose places stand."""
    known = (Planted(**each) for each in json.loads(RECORD.read_text()))
    return [
        each
        for each in known
        if (ROOT / each.file).exists() and each.place((ROOT / each.file).read_text())
    ]


def judge(folder: Path, seconds: float = float("inf")) -> list[Planted]:
    """Judge what has no verdict yet, as long as the time lasts; the record holds every verdict.

    For errors whose places stand no more others are drawn.
    """
    errors = recorded() if RECORD.exists() else []
    if len(errors) < NUMBER:
        errors += drawn(SEED + len(errors), NUMBER - len(errors))
    bench, end = Bench(folder), time.monotonic() + seconds
    for k, error in enumerate(errors):
        if error.verdict or time.monotonic() > end:
            continue
        errors[k] = replace(error, verdict=bench.verdict(error))
        print(f"{k} {error.file}:{error.line} {errors[k].verdict}", flush=True)
        written = json.dumps([asdict(each) for each in errors], indent=1, ensure_ascii=False)
        RECORD.write_text(written + "\n")
    return errors


if __name__ == "__main__":
    judge(Path(sys.argv[1]).resolve(), float(sys.argv[2]) if len(sys.argv) > 2 else float("inf"))
