"""What the commands share: options, messages, JSON, and the choice of a target."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from ..codegen.face.announced import shown_by
from ..codegen.targets.registry import loadable
from ..errors import ToolchainError

if TYPE_CHECKING:
    from ..model import Model
    from ..runtime.solver import Solver

#: The columns that every answer keeps to.
WIDTH = 80


def one_of(names: Iterable[str], what: str) -> str:
    """The help of an option that takes one of these names; a metavar would break within a name."""
    return f"{what}: {', '.join(names)}."


ModelName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A ready-made model, branch-system:N=99, or a file: arm.toml, robot.urdf.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=one_of(loadable(), "What runs; default: c, or numpy without a compiler"),
    ),
]

Algorithm = Annotated[
    str,
    typer.Option(
        metavar="riccati|overall|…",
        help="The method; overall: the plain equation; dca, hdca: divide and conquer.",
    ),
]
Form = Annotated[
    str | None,
    typer.Option(metavar="fast|paper", help="Of riccati: as derived for speed, or as printed."),
]
Assembly = Annotated[
    str | None,
    typer.Option(
        metavar="((1,2),3),ground",
        help="The assembly tree of dca and hdca, by the bodies' names; default: a balanced one.",
    ),
]
Order = Annotated[
    int | None,
    typer.Option(metavar="N", help="The highest derivatives of jacobians; default: 2."),
]
FrameNames = Annotated[
    str | None,
    typer.Option("--frames", metavar="NAME,…", help="Frames of frames; default: all."),
]


class OutputError(Exception):
    """Standard output takes no more; `error` says why. No OSError, so as to pass for no file's."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


class Screen(Console):
    """A console that leaves what it cannot print to the caller."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError

    def print(self, *objects: Any, **options: Any) -> None:
        try:
            super().print(*objects, **options)
        except OSError as error:
            raise OutputError(error) from error


def screen() -> Console:
    """Standard output."""
    return Screen(highlight=False, markup=False, emoji=False)


def note(text: str) -> None:
    """One message on standard error."""
    print(f"mstmm: {text}", file=sys.stderr)


def print_wrapped(lines: Iterable[str]) -> None:
    """Each line on standard output, what is longer than the screen's indented below it."""
    for line in lines:
        print("\n".join(textwrap.wrap(line, WIDTH, subsequent_indent="  ")))


def print_marks(text: str) -> None:
    """What the marks X1, X2, … stand for that a text has."""
    from ..symbolic.derivation.errata import marked

    if marks := marked(text):
        print("\nMarks:")
        print_wrapped(f"  {mark}" for mark in marks)


def print_json(value: object) -> None:
    """The value as JSON on standard output."""
    print(json.dumps(value, indent=1, allow_nan=False))


@contextmanager
def working(what: str) -> Iterator[None]:
    """A sign of life on standard error, if that is a terminal."""
    with (
        Console(stderr=True).status(what) as status,
        shown_by(lambda now: status.update(f"{what}: {now}" if now else what)),
    ):
        yield


@contextmanager
def said() -> Iterator[Callable[[str], None]]:
    """What is being done, on standard error if that is a terminal."""
    console = Console(stderr=True)
    shown = console.status("") if console.is_terminal else nullcontext()
    with shown as status:
        line = (lambda text: None) if status is None else (lambda text: status.update(text))
        with shown_by(line):
            yield line


def listed(names: str) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(name.strip() for name in names.split(",") if name.strip())


def compiled(
    model: str | Model, target: str | None, algorithm: str = "riccati", **options: Any
) -> Solver:
    """The model's solver; without a target C, or NumPy where C cannot be compiled."""
    from .. import compile
    from ..codegen.toolchain import numpy_instead

    name = model if isinstance(model, str) else model.name
    with working(f"generating code for {name}"):
        if target is not None:
            return compile(model, target=target, algorithm=algorithm, **options)
        try:
            return compile(model, target="c", algorithm=algorithm, **options)
        except ToolchainError as error:
            note(numpy_instead(error))
            return compile(model, target="numpy", algorithm=algorithm, **options)
