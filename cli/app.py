"""The commands put together, and how each error leaves."""

from __future__ import annotations

import os
import sys
import warnings
from inspect import cleandoc
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..errors import ModelWarning, MstmmError, ToolchainError
from . import (
    code,
    ensembles,
    equations,
    exercises,
    exporting,
    files,
    motion,
    pictures,
    responding,
    results,
    rotors,
    studies,
    theory,
    vibrations,
)
from .given import with_robots
from .screen import OutputError, note

INTERRUPTED = 130
BROKEN_PIPE = 141


class Commands(TyperGroup):
    """Turns errors into one message and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        warnings.showwarning = _warned
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except MstmmError as error:
            note(one_message(error))
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            note("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except OutputError as lost:
            raise typer.Exit(lost_output(lost.error)) from None
        except OSError as error:
            raise typer.Exit(lost_output(error)) from None
        return result


_shown = warnings.showwarning


def _warned(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """A model's warning as one line; others as Python shows them."""
    if issubclass(category, ModelWarning):
        note(f"warning: {message}")
    else:
        _shown(message, category, *where, **more)


def lost_output(error: OSError) -> int:
    """The exit code when standard output takes no more.

    Files are written elsewhere, where their errors name them; an error that names a file is
    none of these and goes on.
    """
    if error.filename is not None:
        raise error
    # What is still buffered must not fail once more at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
    note(f"cannot write to standard output: {error.strerror or error}")
    return MstmmError.exit_code


def lost_memory() -> int:
    """The exit code when what is asked for is too large for the machine."""
    note("the memory of this machine is not enough for that; ask for less of it")
    return ToolchainError.exit_code


def one_message(error: MstmmError) -> str:
    """The error in one line, unless it carries what a compiler printed."""
    text = str(error)
    return text if getattr(error, "output", "") else text.replace("\n", "; ")


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mstmm {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Derive multibody dynamics by the transfer matrix method, generate fast solvers,
    and prove them equal.

    MODEL is a ready-made model with its argument, such as branch-system:N=999, or a model
    file: arm.toml, or a robot's with its options, such as robot.urdf:floating,finger=0.02.

    Exit code 0: done; 1: a check failed; 2: bad usage or input; 3: the machine lacks something.
    """


def flowing(text: str | None) -> str:
    """A docstring whose paragraphs are lines of their own, broken where the screen ends."""
    return "\n\n".join(
        " ".join(paragraph.split()) for paragraph in cleandoc(text or "").split("\n\n")
    )


app.callback(help=flowing(root.__doc__))(root)
for command in (
    motion.demo,
    theory.models,
    with_robots(files.check),
    with_robots(results.results),
    with_robots(theory.derive),
    with_robots(theory.slides),
    equations.ledger,
    exercises.worksheet,
    exercises.exercises,
    exercises.check_answer,
    with_robots(code.generate),
    with_robots(exporting.export),
    with_robots(code.validate),
    with_robots(motion.simulate),
    with_robots(vibrations.modes),
    with_robots(responding.response),
    rotors.campbell,
    rotors.critical,
    with_robots(pictures.draw),
    with_robots(motion.cuts),
    with_robots(ensembles.ensemble),
    studies.study,
):
    app.command(help=flowing(command.__doc__))(command)
app.add_typer(code.cache, name="cache")
