"""`mstmm results`: what solvers of a model compute, and by which algorithm."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from inspect import Parameter, Signature, getdoc, signature
from itertools import groupby
from typing import Annotated, Any

import typer

from ..errors import UsageError
from ..model.parts.naming import nearest
from .given import Settings, model_of
from .screen import WIDTH, Json, ModelName, print_json, print_wrapped

Name = Annotated[str | None, typer.Argument(help="One of them, for all that there is to say.")]
#: What stands where no algorithm of its own is needed.
EVERY = ["every"]
#: The algorithm of a solver for which none is named.
DEFAULT = "riccati"


def results(
    model: ModelName, name: Name = None, settings: Settings = None, as_json: Json = False
) -> None:
    """List what solvers of a model compute, by what is asked; of one NAME say all.

    Of each it has what it takes, shape, units, frame, signs and errors, and the algorithms that
    compute it. What has an algorithm beside the solver's, such as the centre of mass, every solver
    has of a model that this algorithm takes.
    """
    from ..runtime.capabilities.offered import offered_by
    from ..runtime.solver import Solver
    from ..symbolic.methods.algorithms import algorithms_by_entry

    known, offered = algorithms_by_entry(model_of(model, settings)), offered_by(Solver)
    taking = {algorithm for algorithms in known.values() for algorithm in algorithms}
    rows = [
        {
            "name": each,
            "group": x.group,
            "arguments": [*signature(x.function).parameters][1:],
            **x.page,
            "by": list(known.get(x.needs, ())) if x.needs else EVERY,
        }
        for each, x in offered.items()
        if (x.needs in known if x.needs else {x.algorithm, x.models} <= {"", *taking})
    ]
    if name is not None:
        rows = [row for row in rows if row["name"] == name]
        if not rows:
            raise UsageError(
                f"solvers of {model} have no {name!r}{nearest(name, offered)}; "
                f"mstmm results {model} lists what they have"
            )
    if as_json:
        print_json(rows)
    elif name is None:
        print("\n".join(_listed(rows)))
        print_wrapped([f"All about one: mstmm results {model} accelerations"])
    else:
        function = offered[name].function
        print_wrapped([f"{name}{_bare(signature(function))}"])
        print("\n".join(["", *_filled(getdoc(function) or "")]))
        print("\n".join(["By", *_indented(4, ", ".join(rows[0]["by"]))]))


def _listed(rows: list[dict[str, Any]]) -> Iterator[str]:
    """A line each under headings, with the algorithm where the default one does not do."""
    for group, members in groupby(rows, lambda row: row["group"]):
        each = list(members)
        ((most, _),) = Counter(_other(row["by"]) for row in each).most_common(1)
        yield from textwrap.wrap(group + most, WIDTH)
        width = max(len(row["name"]) for row in each)
        for row in each:
            other = "" if _other(row["by"]) == most else _other(row["by"])
            yield _cut(f"  {row['name']:<{width}}  {row['title']}", WIDTH - len(other)) + other
        yield ""


def _other(algorithms: list[str]) -> str:
    """The algorithms to ask for, if the default one has no such result."""
    if {*EVERY, DEFAULT} & {*algorithms}:
        return ""
    return f" (by {', '.join(algorithms[:2])}{', …' * (len(algorithms) > 2)})"


def _cut(line: str, width: int) -> str:
    """The line, without its last words where it is longer."""
    if len(line) <= width:
        return line
    return line[: width - 1].rpartition(" ")[0].rstrip(",;:") + " …"


def _bare(taken: Signature) -> Signature:
    """What a method takes, without types and itself."""
    own = [x.replace(annotation=Parameter.empty) for x in [*taken.parameters.values()][1:]]
    return Signature(own)


def _filled(page: str) -> Iterator[str]:
    """A docstring's paragraphs, as wide as the screen; examples stay as they are."""
    lines, errors = page.splitlines(), 0
    marked = []
    for line in lines:
        errors += bool(re.match(r" +\w+Error: ", line))
        marked.append((min(len(line) - len(line.lstrip()), 4), not line, errors, line))
    for (indent, blank, _), block in groupby(marked, lambda x: x[:3]):
        paragraph = [line for *_, line in block]
        if blank or any(line.lstrip().startswith(">>>") for line in paragraph):
            yield from paragraph
        else:
            yield from _indented(indent, " ".join(paragraph))


def _indented(indent: int, text: str) -> list[str]:
    space = " " * indent
    filled = " ".join(text.split())
    return textwrap.wrap(filled, WIDTH, initial_indent=space, subsequent_indent=space)
