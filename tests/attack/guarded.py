"""Attempts in a process of their own, which an endless, greedy or crashing one cannot harm."""

from __future__ import annotations

import contextlib
import gc
import json
import multiprocessing
import os
import resource
import signal
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from mstmm.errors import InternalError, MstmmError

#: What one attempt may take: seconds of processor time, and bytes beyond what the process has.
SECONDS, MEMORY = 20.0, 1 << 30

#: Where outcomes are written, one line of JSON a part, if this names a file.
LOG = "MSTMM_ATTACK_LOG"


def spent() -> float:
    """Processor time of this process and of all that have ended below it (s)."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


def noted(row: Mapping[str, object]) -> None:
    """Write a line to the log, if there is one."""
    if LOG in os.environ:
        with open(os.environ[LOG], "a", encoding="utf-8") as log:
            log.write(json.dumps(row) + "\n")


class Endless(BaseException):
    """An attempt that runs longer than it may; no `except Exception` stops it."""


class FailedError(Exception):
    """An attempt that ends as it shall not: its kind, and what there is to say of it."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(kind, words)
        self.kind, self.words = kind, words


@dataclass
class Outcome:
    """How often what was met, and every attempt that shall not end as it did."""

    part: str
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def tried(self) -> int:
        return sum(self.counts.values())

    def note(self, seed: int | None = None) -> None:
        """Write the outcome to the log, if there is one."""
        noted({"part": self.part, "seed": seed, **self.counts, "failures": self.failures})

    def require(self) -> None:
        shown = "\n\n".join(self.failures[:10])
        assert not self.failures, f"{len(self.failures)} of {self.tried} failed:\n{shown}"


def attacked(
    part: str,
    work: Callable[[Any], str],
    inputs: Iterable[Any],
    *,
    seconds: float = SECONDS,
    memory: int = MEMORY,
    budget: float = float("inf"),
) -> Outcome:
    """Do the work for each input: its own words, a typed error with a message, or a failure.

    What crashes is a failure too, and the inputs after it are tried in another process. `budget`
    is the processor time (s) after which no further input is tried.
    """
    outcome = Outcome(part)
    waiting = list(inputs)
    while waiting and outcome.seconds < budget:
        done = 0
        for kind, words, took in _in_child(work, waiting, seconds, memory, budget):
            outcome.counts[kind] += 1
            outcome.seconds += took
            if words:
                outcome.failures.append(f"{kind}: {waiting[done]!r}\n{words}")
            done += 1
        if done == len(waiting) or outcome.seconds >= budget:
            break
        outcome.counts["crash"] += 1
        outcome.failures.append(f"crash: {waiting[done]!r}")
        waiting = waiting[done + 1 :]
    return outcome


def _in_child(
    work: Callable[[Any], str], inputs: list[Any], seconds: float, memory: int, budget: float
) -> Iterator[tuple[str, str, float]]:
    """What becomes of the inputs until the child has done them all, or dies."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(there, work, inputs, seconds, memory, budget))
    process.start()
    there.close()
    with here, contextlib.suppress(EOFError):
        while True:
            yield here.recv()
    process.join()


def _child(
    out: Connection,
    work: Callable[[Any], str],
    inputs: list[Any],
    seconds: float,
    memory: int,
    budget: float,
) -> None:
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + memory, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, _end)
    warnings.simplefilter("ignore")
    spent = 0.0
    for each in inputs:
        if spent >= budget:
            break
        kind, words, took = _attempt(work, each, seconds)
        spent += took
        out.send((kind, words, took))
    out.close()
    os._exit(0)


def _end(*_: object) -> None:
    raise Endless


def _attempt(work: Callable[[Any], str], each: Any, seconds: float) -> tuple[str, str, float]:
    """One input: what it came to, words if it shall not, processor time."""
    start = spent()
    # Should what catches everything swallow the first alarm, another follows.
    signal.setitimer(signal.ITIMER_PROF, seconds, seconds / 4)
    try:
        kind, words = work(each), ""
    except InternalError:
        kind, words = "internal error", traceback.format_exc(limit=-6)
    except MstmmError as error:
        kind, words = type(error).__name__, "" if _is_clear(str(error)) else f"unclear: {error!r}"
    except FailedError as error:
        kind, words = error.kind, error.words
    except Endless:
        kind, words = "endless", f"more than {seconds:g} s"
    except MemoryError:
        gc.collect()
        kind, words = "memory", traceback.format_exc(limit=-6)
    except Exception:  # noqa: BLE001  (anything else is what is looked for)
        kind, words = "raw", traceback.format_exc(limit=-6)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return kind, words, spent() - start


def _is_clear(message: str) -> bool:
    """Does it say something, in a few lines, without what would move a terminal's cursor?"""
    printable = all(x.isprintable() or x in "\n\t" for x in message)
    return bool(message.strip()) and printable and len(message) < 4000
