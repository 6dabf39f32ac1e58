"""What an ensemble costs beside its motions, and what chunks keep a thousand workers busy.

    python -m benchmarks.ensembles panda.urdf --samples 100000 [--page docs/ensembles]

Measured, as medians: the share of the processor's time that the generated code has, one thread
against all cores, the fixed cost of a chunk (its share of the store and of Python), what a Dask
scheduler takes for a task, and what a worker takes to load its solver. From these a simulation of
one scheduler and many workers gives the share of their time that goes into motions, over the length
of a chunk. `--page` writes a table and a plot. Needs `pip install "mstmm[cluster,plot]"`.
"""

from __future__ import annotations

import argparse
import heapq
import logging
import resource
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import numpy as np

import mstmm
from mstmm.exchange.ensemble.ensemble import cores
from mstmm.runtime.motions.integration import CMotion

#: Lengths of a chunk that are simulated, in s, and the workers.
LENGTHS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
WORKERS = (10, 100, 1000)

#: Chunks that each worker gets on average, and how far their lengths vary (uniform, relative).
CHUNKS_EACH = 20
SPREAD = 0.2

#: Tasks that do nothing, to measure the scheduler with.
EMPTY_TASKS = 1000

#: How often an overhead is measured; the median counts.
TIMES = 5


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
    """Seconds of processor time that a Dask scheduler and its client take for a task.

    Both are in this process, the worker is not; the tasks do nothing.
    """
    import distributed

    with distributed.Client(
        n_workers=1,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as client:
        client.gather(client.map(abs, range(100), pure=False))
        found = []
        for _ in range(TIMES):
            started = time.process_time()
            client.gather(client.map(abs, range(EMPTY_TASKS), pure=False))
            found.append((time.process_time() - started) / EMPTY_TASKS)
        return median(found)


def loading_cost(model: object) -> float:
    """Seconds of processor time that a new process takes for a solver that is in the cache."""
    found = []
    for _ in range(TIMES):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            found.append(pool.submit(loaded, model).result())
    return median(found)


def loaded(model: object) -> float:
    started = time.process_time()
    mstmm.compile(model, target="c-batch")  # type: ignore[arg-type]
    return time.process_time() - started


def chunk_cost(model: object, samples: mstmm.Samples, folder: Path) -> float:
    """Seconds of processor time that a chunk takes beside its motions."""
    found = []
    for _ in range(TIMES):
        few, many = (measured(model, samples, folder, 1, chunk=chunk)[1:] for chunk in (512, 8))
        found.append(((many[0] - many[1]) - (few[0] - few[1])) / (512 / 8 - 1))
    return median(found)


def efficiency(
    length: float, each_task: float, each_chunk: float, loading: float, workers: int
) -> float:
    """The share of the workers' time that goes into motions: one scheduler serves all in turn.

    A worker loads its solver, then asks for its next task whenever it is done with one; the
    scheduler takes `each_task` for every one, the worker `each_chunk` beside the motions of about
    `length` seconds.
    """
    draw = np.random.default_rng(0)
    free = 0.0
    useful = 0.0
    asking = [(0.0, k) for k in range(workers)]
    fresh = set(range(workers))
    end = 0.0
    for _ in range(CHUNKS_EACH * workers):
        asked, k = heapq.heappop(asking)
        free = max(free, asked) + each_task
        work = length * (1.0 + SPREAD * draw.uniform(-1.0, 1.0))
        useful += work
        done = free + each_chunk + work + (loading if k in fresh else 0.0)
        fresh.discard(k)
        end = max(end, done)
        heapq.heappush(asking, (done, k))
    return useful / (end * workers)


def page(folder: Path, said: list[str], shares: dict[int, list[float]]) -> None:
    """The figures as a table and a plot."""
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    head = "| length of a chunk, s | " + " | ".join(f"{n:,} workers" for n in shares) + " |"
    rows = [
        f"| {length:g} | " + " | ".join(f"{found[k]:.1%}" for found in shares.values()) + " |"
        for k, length in enumerate(LENGTHS)
    ]
    lines = [head, "| ---: |" + " ---: |" * len(shares), *rows]
    (folder / "chunks.md").write_text("\n".join([*(f"- {x}" for x in said), "", *lines, ""]))
    figure = Figure(figsize=(6.0, 3.4), layout="constrained")
    axes = figure.add_subplot()
    for workers, found in shares.items():
        axes.semilogx(LENGTHS, np.array(found) * 100, "o-", label=f"{workers:,} workers")
    axes.set(xlabel="length of a chunk, s", ylabel="time in motions, %", ylim=(0, 102))
    axes.grid(alpha=0.4)
    axes.legend()
    figure.savefig(folder / "chunks.svg", metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", help="a model; URDF: two fingers of a panda are locked")
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--page", type=Path, help="where to write the table and the plot")
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
    said = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measured(model, few, folder, 1)
        each_chunk = chunk_cost(model, few, folder)
        for workers in sorted({1, cores()}):
            wall, processor, inside = measured(model, samples, folder, workers)
            said.append(
                f"{arguments.samples:,} motions of {model.name}, 1 s at 1 ms, {workers} threads: "
                f"{wall:.1f} s, processor {processor:.1f} s, {inside / processor:.1%} of it in "
                "generated code"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    each_task, loading = task_cost(), loading_cost(model)
    said.append(f"peak memory {peak:.2f} GiB")
    said.append(f"a chunk beside its motions: {1e3 * each_chunk:.1f} ms of processor time")
    said.append(f"a task of the scheduler: {1e3 * each_task:.2f} ms of processor time")
    said.append(f"a worker loads its solver in {loading:.2f} s of processor time, once")
    print("\n".join(said))
    shares = {
        workers: [efficiency(x, each_task, each_chunk, loading, workers) for x in LENGTHS]
        for workers in WORKERS
    }
    print(f"share of the workers' time in motions, {CHUNKS_EACH} chunks each")
    for k, length in enumerate(LENGTHS):
        print(f"{length:6.2f} s  " + "  ".join(f"{n}: {shares[n][k]:6.1%}" for n in WORKERS))
    if arguments.page:
        page(arguments.page, said, shares)


if __name__ == "__main__":
    main()
