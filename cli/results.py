"""`mstmm results`: what solvers of a model compute, and by which algorithm."""

from __future__ import annotations

from inspect import signature

from .given import Settings, model_of
from .screen import Json, ModelName, print_json, print_wrapped


def results(model: ModelName, settings: Settings = None, as_json: Json = False) -> None:
    """List what solvers of a model compute: each method, its shape and units, its algorithms.

    What needs no algorithm of its own, such as frames and the centre of mass, every solver has.
    """
    from ..runtime.capabilities.offered import offered_by
    from ..runtime.solver import Solver
    from ..symbolic.methods.algorithms import algorithms_by_entry

    known = algorithms_by_entry(model_of(model, settings))
    rows = []
    for name, offered in offered_by(Solver).items():
        algorithms = list(known.get(offered.needs, ())) if offered.needs else ["every"]
        if algorithms:
            arguments = [*signature(offered.function).parameters][1:]
            rows.append({"name": name, "arguments": arguments, **offered.page, "by": algorithms})
    if as_json:
        print_json(rows)
        return
    for row in rows:
        said = [row["title"], *(row[key] for key in ("shape", "units") if key in row)]
        print_wrapped([f"{row['name']}: {' '.join(map(str, said))} By {', '.join(row['by'])}."])
