"""The mutation run: are errors in the formulas of a paper's ledger seen by its entries?

Every error of `planting` is planted in a process of its own, and the entries that run the changed
function are judged again, the quickest first, until a verdict changes. An error that makes every
entry raise says nothing of what is compared, and is not counted.

    python tests/mutation.py [PAPER …] [--each N]

shows progress, and goes on where it was stopped while the sources are the same. A full run plants
some fifteen thousand errors; the slow suite plants a few in each function, always the same.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import importlib
import json
import multiprocessing
import os
import pkgutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import _lru_cache_wrapper
from itertools import chain
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Literal

from planting import NOTE, SWAPPED, Error, Plantable, swapped

from mstmm import symbolic
from mstmm.symbolic import ledgers
from mstmm.symbolic.exact.ledger import Entry, Verdict
from mstmm.symbolic.ledgers.papers import PACKAGES, PAPERS, entries

Outcome = Literal["seen", "survived", "raised", "endless"]
OUTCOMES: tuple[Outcome, ...] = ("seen", "survived", "raised", "endless")

#: Where exit codes of outcomes begin; a process that fails has a smaller one.
TRIED = 2

#: Modules that say what an instant is, which formulas are compared with.
TRUTH = {"cases", "instant", "system", "tree", "truth"}
#: Where formulas stand that are shown beside a paper's ledger and judged by it.
SHOWN = {
    "deduction": ("pages.named", "mechanics.newton_euler", "mechanics.bodies", "mechanics.beams"),
}
#: Seconds of one error's process, so that one that never ends is given up.
PATIENCE = 120
#: After how many entries that raise an error is said to raise.
RAISED = 2
WORKERS = 1
#: How many errors of each function the slow suite plants.
EACH = 4
SURVIVORS = Path(__file__).parent / "data" / "mutations" / "survivors.json"


def survivors(paper: str, kind: Literal["equivalent", "unseen"]) -> dict[str, str]:
    """By error, why it is not seen: what is planted is as true as what stands there, or a hole."""
    listed = json.loads(SURVIVORS.read_text(encoding="utf-8"))
    return dict(listed.get(paper, {}).get(kind, {}))


def modules(paper: str) -> list[ModuleType]:
    """The modules with a paper's formulas."""
    package = importlib.import_module(f"{ledgers.__name__}.{PACKAGES.get(paper, paper)}")
    own = {m.name for m in pkgutil.iter_modules(package.__path__)} - TRUTH
    names = [f"{package.__name__}.{name}" for name in sorted(own)]
    names += [f"{symbolic.__name__}.{name}" for name in SHOWN.get(paper, ())]
    return [importlib.import_module(name) for name in names]


#: A function by its module and place.
Function = tuple[str, str]


@dataclass
class Judged:
    """An entry, what its comparison says, how long that takes, and which functions it runs."""

    entry: Entry
    said: Verdict | None = None
    seconds: float = 0.0
    functions: frozenset[Function] = frozenset()

    def judge(self) -> Verdict:
        return replace(self.entry).verdict


class Run:
    """Errors of some modules against all entries.

    `lazy` are by instant the functions that run while it is built, or what they give is
    remembered: with an error in one the instant is built again. `each` limits the errors of one
    function, to a choice that is always the same (none: all).
    """

    def __init__(
        self, modules: Iterable[ModuleType], entries: Iterable[Entry], each: int | None = None
    ) -> None:
        self.plantable = [Plantable(module) for module in modules]
        self.errors: list[tuple[Plantable, Error]] = []
        for plantable in self.plantable:
            by_function: dict[str, list[Error]] = defaultdict(list)
            for error in sorted(plantable.sites, key=lambda error: error.rank):
                by_function[error.function].append(error)
            chosen = chain.from_iterable(errors[:each] for errors in by_function.values())
            self.errors += [(plantable, error) for error in chosen]
        self.judged = [Judged(entry) for entry in entries]
        self.lazy: dict[int, set[Function]] = defaultdict(set)
        self.caches = [
            cache
            for cache in gc.get_objects()
            if isinstance(cache, _lru_cache_wrapper)
            and str(cache.__module__).startswith(symbolic.__name__)
        ]
        files = {p.file for p in self.plantable}
        self.live: dict[CodeType, list[FunctionType]] = defaultdict(list)
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and thing.__code__.co_filename in files:
                self.live[thing.__code__].append(thing)
        for plantable in self.plantable:
            plantable.module.__dict__[SWAPPED] = swapped
        self._measure()
        self.judged.sort(key=lambda one: one.seconds)
        run = set().union(*self.lazy.values(), *(one.functions for one in self.judged))
        # What runs at import alone, or never, is no formula of an entry.
        self.idle = {p for _, e in self.errors if (p := e.where) not in run}
        self.errors = [pair for pair in self.errors if pair[1].where not in self.idle]

    def _measure(self) -> None:
        """What each entry says and runs: at fresh instants, then where they are known."""
        called: set[Function] = set()
        plain: dict[FunctionType, CodeType] = {}
        for plantable in self.plantable:
            plantable.module.__dict__[NOTE] = called.add
            for old, new in plantable.noted().items():
                for function in self.live[old]:
                    plain[function], function.__code__ = old, new
        self._new_instants()
        for one in self.judged:
            self._forget()
            called.clear()
            one.judge()
            first = set(called)
            self._forget()
            called.clear()
            start = time.perf_counter()
            one.said = one.judge()
            one.seconds = time.perf_counter() - start
            one.functions = frozenset(called)
            for instant in one.entry.instants:
                self.lazy[id(instant)] |= first - called
        for function, code in plain.items():
            function.__code__ = code

    def _forget(self) -> None:
        """Empty what functions of symbolic/ remember."""
        for cache in self.caches:
            cache.cache_clear()

    def _new_instants(self) -> None:
        for one in self.judged:
            for instant in one.entry.instants:
                instant.__dict__.pop("state", None)

    def outcomes(self, known: Mapping[str, Outcome]) -> Iterator[tuple[Error, Outcome]]:
        """What becomes of each error; none is tried whose outcome is known."""
        fork = multiprocessing.get_context("fork")
        running: dict[int, tuple[Error, BaseProcess]] = {}
        waiting = iter([pair for pair in self.errors if pair[1].name not in known])
        gc.collect()
        gc.freeze()
        try:
            while True:
                while len(running) < WORKERS and (pair := next(waiting, None)):
                    process = fork.Process(target=self._try, args=pair, daemon=True)
                    process.start()
                    running[process.sentinel] = pair[1], process
                if not running:
                    return
                for sentinel in wait(list(running)):
                    error, process = running.pop(sentinel)
                    process.join()
                    code = process.exitcode or 0
                    if 0 <= code < TRIED:
                        raise RuntimeError(f"it cannot be planted: {error.name}")
                    yield error, OUTCOMES[code - TRIED] if code > 0 else "endless"
        finally:
            for _, process in running.values():
                process.kill()
                process.join()
            gc.unfreeze()

    def _concerns(self, function: Function, one: Judged) -> bool:
        """Whether an entry runs a function; instants that do so anew are forgotten."""
        found = function in one.functions
        for instant in one.entry.instants:
            if function in self.lazy[id(instant)]:
                instant.__dict__.pop("state", None)
                found = True
        return found

    def _try(self, plantable: Plantable, error: Error) -> None:
        """In a process of its own, which ends with the outcome's number."""
        gc.disable()
        function = error.where
        concerned = [one for one in self.judged if self._concerns(function, one)]
        for old, new in plantable.changed(error).items():
            for live in self.live[old]:
                live.__code__ = new
        self._forget()
        signal.alarm(PATIENCE)
        os._exit(TRIED + OUTCOMES.index(_outcome(concerned)))


def _outcome(concerned: Iterable[Judged]) -> Outcome:
    raised = 0
    for one in concerned:
        try:
            if one.judge() != one.said:
                return "seen"
        except Exception:  # noqa: BLE001  (an error may raise anything)
            raised += 1
            if raised == RAISED:
                break
    return "raised" if raised else "survived"


def run(paper: str, where: Path, each: int | None = EACH) -> dict[str, Outcome]:
    """The outcomes of errors in a paper's formulas, told as they come.

    What is known is written to a file in the folder `where`, one line an error.
    """
    made = Run(modules(paper), entries(paper), each)
    journal = where / f"{paper}-{_state()}.jsonl"
    known: dict[str, Outcome] = {}
    if journal.exists():
        known |= (json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines())
    total = len(made.errors)
    if made.idle:
        print(
            f"{paper}: no entry runs",
            *sorted({f"{module}.{name.partition(':')[0]}" for module, name in made.idle}),
            flush=True,
        )
    where.mkdir(parents=True, exist_ok=True)
    with journal.open("a", encoding="utf-8") as lines:
        for error, outcome in made.outcomes(known):
            known[error.name] = outcome
            lines.write(json.dumps([error.name, outcome]) + "\n")
            lines.flush()
            if outcome == "survived":
                print(f"survived: {error.name}", flush=True)
            if len(known) % 50 == 0 or len(known) == total:
                print(f"{paper}: {len(known)} of {total}: {told(known)}", flush=True)
    return {error.name: known[error.name] for _, error in made.errors}


def told(found: Mapping[str, Outcome]) -> str:
    counts = Counter(found.values())
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES)


def share(found: Mapping[str, Outcome], equivalent: Iterable[str] = ()) -> float:
    """How many of the errors are seen that leave a formula, and another one."""
    counts = Counter(outcome for name, outcome in found.items() if name not in {*equivalent})
    return counts["seen"] / (counts["seen"] + counts["survived"])


def _state() -> str:
    """The sources as a hash."""
    root = Path(symbolic.__path__[0]).resolve()
    found = hashlib.sha256()
    for path in sorted(
        [*root.rglob("*.py"), Path(__file__), Path(__file__).parent / "planting.py"]
    ):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


#: Where outcomes are kept, so that a run that was stopped goes on.
JOURNALS = Path(tempfile.gettempdir()) / "mstmm-mutations"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=", ".join(PAPERS))
    parser.add_argument("--each", type=int, default=EACH, help="errors of each function; 0: all")
    given, new = parser.parse_args(), 0
    for paper in given.papers or PAPERS:
        found = run(paper, JOURNALS, given.each or None)
        same, unseen = survivors(paper, "equivalent"), survivors(paper, "unseen")
        for name, outcome in found.items():
            new += outcome == "survived" and name not in same | unseen
        print(f"{paper}: {told(found)}; {share(found):.2%} are seen of those that leave a formula,")
        print(f"{share(found, same):.2%} of those that are not known to leave one as true")
    return int(new > 0)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped; the next run goes on from here")
