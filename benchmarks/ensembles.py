"""What an ensemble costs beside its motions, and what chunks keep a thousand workers busy.

    python -m benchmarks.ensembles panda.urdf --samples 100000

Measured: the share of the processor's time that the generated code has, one thread against all
cores, the fixed cost of a chunk, and what a Dask scheduler takes for a task. From these two a
simulation gives the efficiency of many workers over the length of a chunk. Needs
`pip install "mstmm[cluster]"`.
"""

from __future__ import annotations

import argparse
import heapq
import logging
import resource
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import mstmm
from mstmm.runtime.ensemble.ensemble import cores
from mstmm.runtime.motions.integration import CMotion

#: Lengths of a chunk that are simulated, in s, and the workers.
LENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
WORKERS = 1000

#: Chunks that each worker gets on average, and how far their lengths vary (uniform, relative).
CHUNKS_EACH = 20
SPREAD = 0.2

#: Tasks that do nothing, to measure the scheduler with.
EMPTY_TASKS = 2000


@dataclass
class Inside:
    """The processor's time that threads spend in the generated code."""

    seconds: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Inside:
        self.plain = CMotion.advance

        def timed(motion: CMotion, steps: int) -> bool:
            library = motion.library.library
            started = time.thread_time()
            under_way = self.plain(motion, steps)
            with self.lock:
                self.seconds += time.thread_time() - started
            return under_way and library is not None

        CMotion.advance = timed  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        CMotion.advance = self.plain  # type: ignore[method-assign]


def measured(
    model: object, samples: mstmm.Samples, folder: Path, workers: int, chunk: int | None = None
) -> tuple[float, float, float]:
    """Wall time, processor time and that inside the generated code: motions of 1 s at 1 ms."""
    path = folder / f"{time.monotonic_ns()}.zarr"
    with Inside() as inside:
        wall, processor = time.perf_counter(), time.process_time()
        mstmm.ensemble(
            model, samples, to=path, t_end=1.0, record=1.0, reduce="final", workers=workers,
            chunk=chunk,
        )  # fmt: skip
        return time.perf_counter() - wall, time.process_time() - processor, inside.seconds


def task_cost() -> float:
    """Seconds that a Dask scheduler and its client take for a task, of tasks that do nothing."""
    import distributed

    with distributed.Client(
        n_workers=1,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as client:
        client.gather(client.map(abs, range(100), pure=False))
        started = time.perf_counter()
        client.gather(client.map(abs, range(EMPTY_TASKS), pure=False))
        return (time.perf_counter() - started) / EMPTY_TASKS


def efficiency(length: float, each_task: float, each_chunk: float, workers: int = WORKERS) -> float:
    """The share of the workers' time that goes into motions: one scheduler serves all in turn.

    A worker asks for its next task when it is done with one; the scheduler takes `each_task` for
    every one, the worker `each_chunk` beside the motions of about `length` seconds.
    """
    draw = np.random.default_rng(0)
    free = 0.0
    useful = 0.0
    asking = [(0.0, k) for k in range(workers)]
    end = 0.0
    for _ in range(CHUNKS_EACH * workers):
        asked, k = heapq.heappop(asking)
        free = max(free, asked) + each_task
        work = length * (1.0 + SPREAD * draw.uniform(-1.0, 1.0))
        useful += work
        done = free + each_chunk + work
        end = max(end, done)
        heapq.heappush(asking, (done, k))
    return useful / (end * workers)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", help="a model; URDF: two fingers of a panda are locked")
    parser.add_argument("--samples", type=int, default=100_000)
    arguments = parser.parse_args()
    name = arguments.model
    locked = {f"panda_finger_joint{k}": 0.02 for k in (1, 2)} if "panda" in name else {}
    model = mstmm.load(name, locked=locked) if name.endswith(".urdf") else mstmm.load(name)
    ranges = dict.fromkeys(model.coordinates, (-1.0, 1.0))
    samples = mstmm.Samples.sobol(2 ** (arguments.samples - 1).bit_length(), **ranges)
    samples = mstmm.Samples.table(
        dict(zip(samples.names, samples.rows(0, arguments.samples).T, strict=True))
    )
    few = mstmm.Samples.table({model.coordinates[0]: np.zeros(512)})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measured(model, few, folder, 1)
        one, many = (measured(model, few, folder, 1, chunk=chunk) for chunk in (512, 8))
        each_chunk = (many[1] - one[1]) / (512 / 8 - 1)
        print(f"a chunk beside its motions: {1e3 * each_chunk:.1f} ms of processor time")
        for workers in sorted({1, cores()}):
            wall, processor, inside = measured(model, samples, folder, workers)
            print(
                f"{arguments.samples} motions of 1 s at 1 ms, {workers} threads: {wall:.1f} s, "
                f"processor {processor:.1f} s, {inside / processor:.1%} of it in generated code"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    each_task = task_cost()
    print(f"peak memory {peak:.2f} GiB; a task of the scheduler takes {1e3 * each_task:.2f} ms")
    print(f"{WORKERS} workers, chunks of s: share of their time in motions")
    for length in LENGTHS:
        print(f"{length:6.1f}   {efficiency(length, each_task, each_chunk):.1%}")


if __name__ == "__main__":
    main()
