"""The rows that are no race of one function: building, operations, rate, accuracy, growth."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mstmm.codegen.costs.cost import by_state
from mstmm.codegen.generate import generate
from mstmm.errors import MstmmError

from . import calls, cases, harness
from .building import CannotBuildError
from .cases import Case, Floor, NotHereError
from .general import general_chain
from .measure import Measured, judged
from .peers import casadi, drake, mstmm, pinocchio
from .trees import ball_rods

Say = Callable[[str], None]
Lines = list[tuple[str, ...]]

#: Additions and multiplications of one emitted sine and cosine together, read off its text.
SINE_AND_COSINE = 53

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Study:
    """A small table, what it says about the floors, and notes."""

    row: int
    title: str
    head: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    verdicts: tuple[tuple[str, bool], ...] = ()
    note: str = ""


def building(say: Say, quick: bool) -> Study:
    """Row 10: `mstmm.compile` with all entries in a process of its own, nothing cached."""
    lines: Lines = []
    verdicts: list[tuple[str, bool]] = []
    sizes = (
        ("rod-chain:n=500", 2.0, 400.0),
        ("rod-chain:n=5000", 2.0, 400.0),
        ("rod-chain:n=100000", 6.0, math.inf),
        ("rod-chain:n=1000000", 60.0, 4096.0),
        ("panda", 4.0, math.inf),
    )
    for name, limit, most in sizes[:1] if quick else sizes:
        say(f"building {name}")
        found = _fresh("fresh", name)
        if "why" in found:
            lines.append((f"mstmm, {name}", found["why"], "", "", ""))
            continue
        cpu = found["cpu"]
        lines.append(_built(f"mstmm, {name}", found))
        fits = cpu <= limit and found["memory"] <= most
        size = "" if math.isinf(most) else f", {most:g} MB"
        verdicts.append((f"{name}: at most {limit:g} s (processor time){size}", fits))
    for name, rods in (("kane", "4"),) if quick else (("kane", "4"), ("kane", "8")):
        say(f"building SymPy's KanesMethod, {rods} rods")
        found = _fresh(name, rods)
        title = f"SymPy KanesMethod with CSE and C, {rods} rods in joint angles"
        lines.append((title, found["why"], "", "", "") if "why" in found else _built(title, found))
    say("building pinocchio → casadi C")
    try:
        tree = cases.robot_tree("panda")
        casadi.driver()
        begin, before = time.perf_counter(), _cpu()
        casadi.compiled(casadi.trace(tree, "forward", False).text + f"/* {time.time_ns()} */\n")
        spent = {"wall": time.perf_counter() - begin, "cpu": _cpu() - before, "memory": math.nan}
        lines.append(_built("pinocchio → casadi C, panda, after imports", spent))
    except (NotHereError, CannotBuildError) as error:
        lines.append(("pinocchio → casadi C, panda", str(error), "", "", ""))
    head = ("what", "wall s", "processor s", "peak MB", "imports s")
    title = "derive, generate, compile: nothing cached"
    return Study(10, title, head, tuple(lines), tuple(verdicts),
                 "Imports come before and are given by themselves; processor time is that of the "
                 "process and its compiler.")  # fmt: skip


def _built(title: str, found: dict[str, Any]) -> tuple[str, ...]:
    memory = found["memory"]
    return (
        title, f"{found['wall']:.2f}", f"{found['cpu']:.2f}",
        "" if math.isnan(memory) else f"{memory:.0f}",
        f"{found['imports']:.2f}" if "imports" in found else "",
    )  # fmt: skip


def _cpu() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _fresh(script: str, *arguments: str, limit: float = 200.0) -> dict[str, Any]:
    """Run benchmarks/<script>.py in a new process with an empty cache; what it reports."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MSTMM_CACHE_DIR": folder}
        command = [sys.executable, "-m", f"benchmarks.{script}", *arguments]
        try:
            done = subprocess.run(
                command, env=environment, cwd=ROOT, capture_output=True, text=True,
                timeout=limit, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"why": f"not done after {limit:.0f} s"}
    if done.returncode:
        return {"why": (done.stderr.strip().splitlines() or ["failed"])[-1][:120]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def operations(say: Say, quick: bool) -> Study:
    """Row 11: operations of forward dynamics."""
    lines: Lines = []
    verdicts: list[tuple[str, bool]] = []

    def counted(title: str, model: Any, parameters: Sequence[str] = ()) -> dict[str, int] | None:
        say(f"counting {title}")
        try:
            made = generate(model, parameters=parameters, entries=("accelerations",))
        except (MstmmError, NotHereError) as error:
            lines.append((title, f"not there: {error}"[:90], "", "", ""))
            return None
        found = by_state(made.module, made.module.entries[0])
        lines.append((title, *map(str, (
            found["multiplications"], found["additions"], found["divisions"], found["negations"],
        ))))  # fmt: skip
        return found

    n = 7
    chain = general_chain(n)
    found = counted("general chain of 7, constants as parameters", chain, tuple(chain.parameters))
    lines.append(("articulated bodies, literature", str(224 * n - 259), str(205 * n - 248), "", ""))
    if found:
        worst = max(
            found["multiplications"] / (224 * n - 259), found["additions"] / (205 * n - 248)
        )
        verdicts.append((f"within 3 % of the literature ({worst:.2f} of it)", worst <= 1.03))
    try:
        model, tree = cases.robot("panda"), cases.robot_tree("panda")
        ours = counted("Panda, numbers folded in", model)
        theirs = casadi.trace(tree, "forward", False)
        numbers = (theirs.multiplications, theirs.additions, theirs.divisions, "")
        lines.append(("Panda, pinocchio → casadi C", *map(str, numbers)))
        if ours:
            fold = (674 + 579 + 5) / (909 + 715 + 30)
            mine = ours["multiplications"] + ours["additions"] + ours["divisions"]
            total = theirs.multiplications + theirs.additions + theirs.divisions
            verdicts.append((
                f"{mine / total:.2f} of CasADi's operations; the prototype's factor is {fold:.2f}, "
                f"times 1.1 is {1.1 * fold:.2f}", mine / total <= 1.1 * fold,
            ))  # fmt: skip
    except (NotHereError, CannotBuildError) as error:
        lines.append(("Panda", str(error), "", "", ""))
    head = ("what", "multiplications", "additions", "divisions", "negations")
    return Study(11, "operations of forward dynamics", head, tuple(lines), tuple(verdicts))


def rate(rows: Sequence[Measured], say: Say) -> Study | None:
    """Row 12: operations a second of c-batch native beside the most that the core can do."""
    timed = [(row, found) for row in rows if (found := row.figure("c-batch native"))]
    timed = [(row, found) for row, found in timed if row.case.entry in ("forward", "inverse")]
    if not timed:
        return None
    say("the core's peak")
    peaks = sorted(harness.peak() for _ in range(21))
    peak = peaks[len(peaks) // 2]
    lines: Lines = []
    verdicts: list[tuple[str, bool]] = []
    for row, figure in timed:
        say(f"operations of {row.case.title}")
        total, each = _operations_a_state(row.case), figure.quantile(0.5)
        part = total / each / peak
        floors = [floor for floor in row.case.floors if floor.contender == "c-batch"]
        asked = "".join(_asked(row, floor, total / peak) for floor in floors)
        lines.append(
            (row.case.title, f"{total:,}", f"{1e9 * each:.3g} ns", f"{total / each / 1e9:.1f}",
             f"{part:.0%}", asked)
        )  # fmt: skip
        if row.case.row == 1:
            verdicts.append((f"{row.case.title}: at least 35 % of the peak", part >= 0.35))
    head = ("what", "operations a state", "a state", "Gop/s", "of the peak", "its floor asks for")
    note = (
        f"Each sine and cosine together counts {SINE_AND_COSINE}. The peak, "
        f"{peak / 1e9:.1f} Gop/s, is that of multiply-adds in vectors, two operations each, the "
        "median of several in the same run; code whose sums and products do not pair up stays "
        "below it. A floor of c-batch that asks for most of the peak, or for more, is out of reach "
        "of one core with these operations."
    )
    return Study(12, "arithmetic rate of c-batch native", head, tuple(lines), tuple(verdicts), note)


def _operations_a_state(case: Case) -> int:
    """Without negations, sines and cosines by what they take."""
    algorithm, entry = mstmm.WORK[case.entry]
    made = generate(
        case.built,
        algorithm=algorithm,
        target="c-batch",
        entries=(entry,),
        forced=entry == "accelerations",
        loaded=False,
    )
    found = made.module.operations(made.module.entries[0])
    pairs = found["sines and cosines"] // 2
    plain = sum(found.values()) - found["sines and cosines"] - found["negations"]
    return plain + SINE_AND_COSINE * pairs


def _asked(row: Measured, floor: Floor, at_peak: float) -> str:
    """The part of the peak at which a floor would be met."""
    yardstick = row.figure(floor.yardstick)
    return f"{at_peak / (floor.ratio * yardstick.quantile(0.5)):.0%}" if yardstick else ""


def accuracy(say: Say, quick: bool) -> Study:
    """Row 13: the ball-jointed chain against extended precision."""
    lines: Lines = []
    verdicts: list[tuple[str, bool]] = []
    for n in (10, 50) if quick else (10, 50, 1000):
        say(f"judging {n} balls")
        case = Case(
            13, f"{n} balls", "forward", partial(cases.ball_chain, n),
            partial(ball_rods, n, cases.GRAVITY), (), "drake", states=16, judged=1,
        )  # fmt: skip
        people = (mstmm.contenders, pinocchio.contenders, drake.contenders)
        contenders = [c for person in people for c in person(case)]
        errors = judged(case, contenders)
        lines += [
            (str(n), c.name, f"{errors[c.name]:.1e}" if c.name in errors else c.missing)
            for c in contenders
        ]
        ours = {name: x for name, x in errors.items() if name.startswith("c")}
        verdicts.append((f"{n} rods: at most 1e-12, every target that there is",
                         max(ours.values()) <= 1e-12))  # fmt: skip
    return Study(13, "accuracy on ball-jointed chains", ("rods", "who", "relative error"),
                 tuple(lines), tuple(verdicts), "One random state each; the largest error relative "
                 "to the largest acceleration.")  # fmt: skip


def growth(say: Say, quick: bool, limit: float = 150.0) -> Study:
    """Row 14: time a body and source size of a chain as it grows."""
    lines: Lines = []
    verdicts: list[tuple[str, bool]] = []
    for target in ("c", "c-lanes", "c-batch"):
        sizes, bodies = [], []
        # As 100 of 8, each length leaves 4 of the lanes one body more, which takes text of its own.
        more = 4 if target == "c-lanes" else 0
        for length in (10, 100, 1000) if quick else (10, 100, 1000, 10_000, 100_000):
            n = length + more if length > 100 else length
            say(f"growth of {target}: {n}")
            case = Case(
                14, f"{n} rods", "forward", partial(cases.rod_chain, n),
                partial(cases.rod_chain_tree, n), (), "", (target,),
                states=1 if target == "c-lanes" else 16,
            )  # fmt: skip
            begin = time.perf_counter()
            c = mstmm.contenders(case)[0]
            took = time.perf_counter() - begin
            if c.call is None:
                lines.append((target, str(n), c.missing.partition(":")[0], "", ""))
                continue
            made = generate(case.built, target=target, entries=("accelerations",))
            size = sum(map(len, made.sources.library.values()))
            passes = c.call.passes()
            each = sorted(c.call.seconds(passes) for _ in range(11))[5] / n
            sizes.append(size)
            bodies += [each] if n >= 100 else []
            lines.append((target, f"{n:,}", f"{1e9 * each:.2f}", f"{size:,}", f"{took:.1f}"))
            next_one = 12 * took  # of ten times the length
            if next_one > limit:
                lines.append((target, "longer", f"left out: {next_one:.0f} s or more", "", ""))
                break
        if len(bodies) > 1:
            spread = max(sizes) / min(sizes) - 1
            grown = f"{target}: source size constant within 3 % ({spread:.1%})"
            verdicts.append((grown, spread < 0.03))
            slower = max(bodies) / min(bodies)
            verdicts.append((f"{target}: time a body within {slower:.2f} from 100 on (memory "
                             "included)", slower <= 2.0))  # fmt: skip
    head = ("target", "rods", "ns a body", "bytes of C", "derive, generate, compile s")
    return Study(14, "growth of the planar chain", head, tuple(lines), tuple(verdicts),
                 "Linear is taken to mean that no longer chain takes more than twice as long a "
                 "body as another: the caches' sizes show. From some thousands of turns on a loop "
                 "asks for threads, in half a thousand bytes of macros.")  # fmt: skip


def from_python(say: Say) -> Study:
    """One call from Python with NumPy arrays, and a batch against the C function on the same."""
    say("calls from Python")
    found = list(calls.rows("cart-pole|panda"))
    names = list(dict.fromkeys(name for row in found for name in row.times))
    lines = [
        (name, *(f"{row.times[name]:.3g}" if name in row.times else "" for row in found))
        for name in names
    ]
    verdicts = []
    for row in found:
        for name, most in (("accelerations", 2.5), ("inverse_dynamics", 2.5), ("rhs", 2.0)):
            said = f"{row.name}, {name}: at most {most:g} µs ({row.times[name]:.2g} µs)"
            verdicts.append((said, row.times[name] <= most))
        if row.name == "Panda":
            part = row.times["batch"] / row.times["batch in C"]
            said = f"{calls.STATES} states of Panda by c-batch: within 1.15 of the C function's"
            verdicts.append((f"{said} time ({part:.2f})", part <= 1.15))
    note = (
        "µs of processor time a call, of a batch a state; the least of some rounds, the libraries "
        "in turn, forces of drives given to everyone. `python -m benchmarks.calls` has more robots."
    )
    head = ("call", *(f"{row.name} ({row.speeds})" for row in found))
    return Study(15, "one call from Python", head, tuple(lines), tuple(verdicts), note)
