"""The errors that mstmm raises: each names the thing, where it is, and the remedy.

`exit_code` is what the command line returns: 1 a check failed, 2 bad usage or bad
input, 3 the machine lacks something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence


class MstmmError(Exception):
    """Base of every error that mstmm raises on purpose; its text is one clear message.

    What it quotes of a file is shown as text: what would move a terminal's cursor is escaped, and
    of a word without end its beginning is enough.
    """

    exit_code = 2

    def __init__(self, *message: object) -> None:
        super().__init__(*(_shown(x) if isinstance(x, str) else x for x in message))


#: Longer than any path or name that says something, and what is left of it.
_ENDLESS = re.compile(r"(\S{60})\S{340,}")


def _shown(text: str) -> str:
    """The text with what cannot be printed as escapes; lines and tabs stay."""
    text = _ENDLESS.sub(r"\1…", text)
    if text.isprintable():
        return text
    return "".join(x if x.isprintable() or x in "\n\t" else ascii(x)[1:-1] for x in text)


class UsageError(MstmmError):
    """A call, an option or an argument that means nothing here (wrong name, wrong shape, NaN)."""


class MissingMethodError(UsageError, AttributeError):
    """A method that the solver's algorithm does not compute; names the algorithms that do.

    Which do is looked up when the message is read: `hasattr(solver, name)` costs nothing.
    """

    def __init__(self, why: Callable[[], str]) -> None:
        super().__init__()
        self.why = why

    def __str__(self) -> str:
        return self.why()


class MissingNameError(UsageError, KeyError):
    """A name under which there is nothing, as of a run's arrays; says what there is."""

    __str__ = MstmmError.__str__  # KeyError shows its text in quotes


class MissingNumberError(UsageError, IndexError):
    """A number under which there is nothing, as of a batch's runs; says how many there are."""


class ModelError(MstmmError):
    """A model that describes no system: names the element and the field.

    `element` is the body or hinge ("body 3"), `field` the quantity ("mass").
    """

    def __init__(self, message: str, *, element: str = "", field: str = "") -> None:
        where = " · ".join(part for part in (element, field) if part)
        super().__init__(f"{where}: {message}" if where else message)
        self.element = element
        self.field = field


class ModelWarning(UserWarning):
    """What is odd in a model and taken as it is, mended or left out; `strict=True` refuses it."""


class DerivationError(MstmmError):
    """A derivation that cannot be carried out; names the equation."""

    def __init__(self, message: str, *, equation: str = "") -> None:
        super().__init__(f"equation {equation}: {message}" if equation else message)
        self.equation = equation


class CodegenError(MstmmError):
    """A program that cannot be turned into code."""


class ValidationError(MstmmError):
    """Generated code that disagrees with the symbolic form it came from."""

    exit_code = 1


class ToolchainError(MstmmError):
    """The machine lacks something (compiler, permission, extra), or a compiler failed.

    Carries the command line, what it printed, and the remedy.
    """

    exit_code = 3

    def __init__(
        self, message: str, *, command: Sequence[str] = (), output: str = "", remedy: str = ""
    ) -> None:
        parts = [message]
        if command:
            parts.append("command: " + " ".join(command))
        if output:
            parts.append("output: " + output.strip())
        if remedy:
            parts.append("remedy: " + remedy)
        super().__init__("\n".join(parts))
        self.command = tuple(command)
        self.output = output
        self.remedy = remedy


class InternalError(MstmmError):
    """Something that cannot happen did; please report it with the message."""

    exit_code = 1


class NumericsError(MstmmError):
    """A computation whose result is no finite number."""

    exit_code = 1


class SingularPositionError(NumericsError):
    """A state in a singular position of closed loops, from which more than one motion leads on."""


class OpenStateError(NumericsError):
    """A state that leaves closed loops open or breaks a coupling, or whose speeds do."""
