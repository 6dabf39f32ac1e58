"""Many motions of one model: from samples to a store, on the cores of one machine or a cluster."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...codegen.face.choice import Choice
from ...errors import UsageError
from ...model import Model
from ...model.parts.naming import nearest
from ...runtime.evaluation.arrays import Floats
from ...runtime.evaluation.evaluator import Evaluator
from ...runtime.events import Event, text_of
from ...runtime.extras import require
from ...runtime.inputs import Laws
from ...runtime.loading import load
from ...runtime.motions.integration import FIXED, OWN_METHODS
from ...runtime.motions.schedule import schedule, tolerances
from ...runtime.motions.variables import COMPONENTS
from ...shown import Shown, in_full
from ...symbolic.methods.algorithms import Algorithm, chosen
from .laws import described
from .outputs import named, reduction
from .samples import PORTION, Samples
from .store import Store, Variable, create, same
from .work import GOOD, MEANINGS, Job, compute, event_names, worker_of

if TYPE_CHECKING:
    from ...runtime.solver import Solver

#: Samples of a chunk at most, bytes of its largest array, and chunks for each thread at least.
LARGEST_CHUNK = 4096
CHUNK_BYTES = 2**26
CHUNKS_EACH = 4

#: Chunks that wait in a cluster's queue for each of its threads.
AHEAD = 4


@dataclass(frozen=True)
class Ensemble(Shown):
    """The motions of an ensemble, in their store.

    `data` is the store as an `xarray.Dataset` whose arrays are read when they are used: `inputs`
    (sample, input), `status` and `end_time` (sample), and each output.
    """

    path: Path

    @property
    def data(self) -> Any:
        """The store, lazily: nothing is read but names and sizes.

        Raises
            ToolchainError: xarray or zarr is missing (extra `ensemble`).
        """
        xarray = require("xarray", extra="ensemble", purpose="an ensemble as a dataset")
        found = xarray.open_zarr(
            str(self.path), consolidated=False, chunks=None, decode_times=False
        )
        return found.drop_vars("done")

    @property
    def count(self) -> int:
        """The number of samples."""
        return Store(str(self.path), writable=False).count

    @property
    def missing(self) -> int:
        """The samples that are not made yet: nothing, unless the work was ended."""
        store = Store(str(self.path), writable=False)
        return sum(span.stop - span.start for span in map(store.span, store.missing()))

    @property
    def failures(self) -> dict[int, str]:
        """The samples without a motion to its end, and why."""
        status = Store(str(self.path), writable=False).group["status"][:]
        bad = np.flatnonzero(~np.isin(status, (*GOOD, UNMADE)))
        return {int(k): MEANINGS[int(status[k])] for k in bad}

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Outputs over time as their median and the bands that hold 50 % and 90 % of the motions.

        A panel for each output, of all but `loads` by default; of more than 20,000 motions that
        many are taken, evenly. `ax` are as many matplotlib axes as panels; they are returned.

        Raises
            UsageError: a name that is no output over time, or another number of axes.
            ToolchainError: matplotlib is missing (extra `plot`).

        Source
            own
        """
        from .drawn import plot_ensemble

        return plot_ensemble(self.data, names, ax)

    def _repr_html_(self) -> str:
        from .drawn import ensemble_table

        return ensemble_table(self)

    def __repr__(self) -> str:
        failed, missing = len(self.failures), self.missing
        told = f", {failed} failed" if failed else ""
        told += f", {missing} not made yet" if missing else ""
        return f"<Ensemble of {self.count} motions in {self.path}{told}>"


#: The status of a sample that has not been made.
UNMADE = -1


def ensemble(
    model: Model | Solver | str,
    samples: Samples | Mapping[str, Any] | str | Path,
    *,
    to: str | Path,
    workers: int | None,
    dask: Any,
    chunk: int | None,
    resume: bool,
    progress: Callable[[int, int, int], None] | None,
    **motions: Any,
) -> Ensemble:
    """See `mstmm.ensemble`; `motions` are its other arguments, all of them."""
    job, attrs, table = _described(model, samples, Path(to), **motions)
    store = _opened(job, attrs, table, chunk, resume)
    total = store.count
    todo = store.missing()
    sizes = {k: store.span(k).stop - store.span(k).start for k in todo}
    made, failed = total - sum(sizes.values()), 0
    if progress:
        progress(made, total, failed)
    finished = _by_threads(job, todo, workers) if dask is None else _by_dask(job, todo, dask)
    for k, bad in finished:
        made, failed = made + sizes[k], failed + bad
        if progress:
            progress(made, total, failed)
    return Ensemble(Path(to))


def _described(
    model: Model | Solver | str,
    samples: Any,
    path: Path,
    *,
    t_end: float,
    t_start: float,
    dt: float | None,
    method: str,
    rtol: float | None,
    atol: float | None,
    max_step: float | None,
    record: float | None,
    outputs: Mapping[str, str] | Sequence[str],
    reduce: str | Sequence[str],
    events: Sequence[Event | str],
    inputs: Laws | None,
    algorithm: str | Algorithm,
    target: str,
) -> tuple[Job, dict[str, Any], Samples]:
    """The job, checked; what of it the store keeps as its attributes; the samples."""
    if isinstance(model, str):
        model = load(model)
    if isinstance(model, Evaluator):
        algorithm = model.method
        model = model.model
    if not isinstance(model, Model):
        raise UsageError(f"give a model, the name of one, or a solver, not {model!r}")
    table = samples if isinstance(samples, Samples) else Samples.table(samples)
    own = chosen(algorithm)
    if own.name == "hdca":
        raise UsageError("an ensemble has no joint momenta: take dca in the place of hdca")
    if method not in OWN_METHODS:
        raise UsageError(
            f"an ensemble has no method {method!r}; there are: {', '.join(OWN_METHODS)}"
        )
    fixed = method in FIXED
    plan = schedule(t_end, dt, record, fixed=fixed, t_start=t_start)
    limits = tolerances(rtol, atol, max_step, method, fixed=fixed)
    kept = named(outputs)
    reductions = (reduce,) if isinstance(reduce, str) else tuple(reduce)
    for name in reductions:
        reduction(name)
    watched = tuple(Event(x) if isinstance(x, str) else x for x in events)
    for x in watched:
        if not isinstance(x, Event) or text_of(x.function) is None:
            raise UsageError(f"the events of an ensemble are expressions, not {x!r}")
    settings: dict[str, Any] = {
        "model": model.name,
        "algorithm": repr(own),
        "target": target,
        "method": method,
        "t_start": plan.t_start,
        "t_end": plan.t_end,
        "dt": plan.dt,
        "stride": plan.stride,
        **limits,
        "outputs": kept,
        "reduce": list(reductions),
        "events": [[text_of(x.function), x.direction, x.terminal, x.name] for x in watched],
        "described": _digest(in_full(model)),
        "samples": table.description,
        "sampled": _digest_of(table),
        **({"steered": told} if (told := described(inputs)) else {}),
    }
    job = Job(
        key=_digest(json.dumps(settings) + str(path.absolute())),
        path=str(path.absolute()),
        model=model,
        method=Choice.of(own),
        target=target,
        parameters=_parameters(model, table.names),
        inputs=table.names,
        integrator=method,
        schedule=plan,
        bounds=limits,
        outputs=kept,
        reductions=reductions,
        events=watched,
        laws=dict(inputs or {}),
    )
    return job, settings, table


def _parameters(model: Model, inputs: Sequence[str]) -> tuple[str, ...]:
    """The parameters among the inputs, and the model's own inputs, which are arguments too.

    Raises
        UsageError: an input that the model does not have.
    """
    state = (*model.coordinates, *model.speeds)
    for name in inputs:
        if name not in state and name not in model.parameters:
            known = ", ".join((*state, *model.parameters))
            near = nearest(name, (*state, *model.parameters))
            raise UsageError(f"{model.name} has no {name!r} to vary{near}; it has: {known}")
    varied = [name for name in inputs if name not in state]
    return tuple(dict.fromkeys([*varied, *(x.name for x in model.inputs)]))


def _opened(
    job: Job, settings: Mapping[str, Any], table: Samples, chunk: int | None, resume: bool
) -> Store:
    """The store of the job: new, or the one that it goes on with.

    Raises
        UsageError: a store of another job, or what is in the way.
    """
    path = Path(job.path)
    if resume and path.exists():
        store = Store(job.path)
        if other := same(store.attrs, settings):
            raise UsageError(f"{path} is of another ensemble: {other} differ; name another place")
        return store
    worker = worker_of(job)
    variables = list(_variables(job))
    largest = max(8 * int(np.prod(x.shape)) for x in variables)
    if chunk is None:
        share = -(-table.count // (CHUNKS_EACH * cores()))
        chunk = min(LARGEST_CHUNK, share, max(1, CHUNK_BYTES // largest))
        width = worker.code.backend.width
        chunk = max(width, chunk - chunk % width)
    if not (isinstance(chunk, int) and chunk > 0):
        raise UsageError(f"chunk = {chunk!r} must be a positive whole number of samples")
    code = worker.code
    axes = {
        "coordinate": code.coordinates,
        "speed": code.speeds,
        "end": code.ends,
        "component": COMPONENTS,
        "event": event_names(job.events),
    }
    used = {axis for x in variables for axis in x.dims}
    return create(
        path,
        inputs=job.inputs,
        rows=_portions(table),
        count=table.count,
        chunk=chunk,
        times=worker.times,
        axes={axis: names for axis, names in axes.items() if axis in used},
        variables=variables,
        attrs={**settings, "chunk": chunk},
    )


def _variables(job: Job) -> Iterator[Variable]:
    """The arrays that the store will hold."""
    worker = worker_of(job)
    meanings = {
        "flag_values": [UNMADE, *MEANINGS],
        "flag_meanings": " ".join(
            text.replace(" ", "_") for text in ("not made yet", *MEANINGS.values())
        ),
    }
    yield Variable("status", (), (), meanings, "i1", UNMADE)
    yield Variable("end_time", (), (), {"units": "s"})
    for output in worker.outputs:
        told = {"long_name": output.text}
        if not job.reductions:
            shape = (len(worker.times), *output.shape)
            yield Variable(output.name, ("time", *output.axes), shape, told)
        for r in job.reductions:
            told = {"long_name": f"{r} over the time of {output.text}"}
            yield Variable(f"{output.name}_{r}", output.axes, output.shape, told)
    if job.events:
        size = (len(job.events),)
        yield Variable("event_time", ("event",), size, {"units": "s", "long_name": "first zero"})
        yield Variable("event_count", ("event",), size, {"long_name": "zeros"}, "i4", 0)


def _portions(table: Samples) -> Iterator[Floats]:
    for first in range(0, table.count, PORTION):
        yield table.rows(first, min(first + PORTION, table.count))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _digest_of(table: Samples) -> str:
    found = hashlib.sha256(repr(table.names).encode())
    for part in _portions(table):
        found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()[:32]


def cores() -> int:
    """The processor's cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _by_threads(job: Job, chunks: Sequence[int], workers: int | None) -> Iterator[tuple[int, int]]:
    """The chunks as they are done, made in threads: generated code leaves Python's lock alone."""
    workers = cores() if workers is None else workers
    if workers < 1:
        raise UsageError(f"workers = {workers} must be at least 1")
    stop = threading.Event()
    waiting = iter(chunks)
    with ThreadPoolExecutor(workers, thread_name_prefix="mstmm") as pool:
        under_way: set[Future[tuple[int, int]]] = set()
        try:
            while True:
                for k in waiting:
                    under_way.add(pool.submit(compute, job, k, stop))
                    if len(under_way) >= 2 * workers:
                        break
                if not under_way:
                    return
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            # An interrupt or an error ends the others within a slice of their motions.
            stop.set()
            for future in under_way:
                future.cancel()


def _by_dask(job: Job, chunks: Sequence[int], dask: Any) -> Iterator[tuple[int, int]]:
    """The chunks as a cluster's workers do them; what a lost worker had is done by another."""
    distributed = require("distributed", extra="cluster", purpose="a cluster's workers")
    with _client(distributed, dask) as client:
        described = client.scatter(job, broadcast=True, hash=False)
        threads = max(1, sum(client.nthreads().values()))
        waiting = iter(chunks)
        queue = distributed.as_completed()
        try:
            for _, k in zip(range(AHEAD * threads), waiting, strict=False):
                queue.add(client.submit(compute, described, k, pure=False))
            for future in queue:
                yield future.result()
                for k in waiting:
                    queue.add(client.submit(compute, described, k, pure=False))
                    break
        finally:
            client.cancel(list(queue.futures))


@contextmanager
def _client(distributed: Any, dask: Any) -> Iterator[Any]:
    """The client that was given, or one for an address, closed afterwards."""
    if not isinstance(dask, str):
        if not isinstance(dask, distributed.Client):
            raise UsageError(f"dask = {dask!r} is no dask.distributed.Client and no address")
        yield dask
        return
    try:
        client = distributed.Client(dask, timeout="10s")
    except (OSError, ValueError) as error:
        raise UsageError(f"there is no Dask scheduler at {dask}: {error}") from None
    with client:
        yield client
