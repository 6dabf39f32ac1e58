"""A paper's study as plain data: parts that are run, and the blocks that show what each found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import UsageError
from ...report.drawing.scene import Scene

#: What is being done, for whoever waits.
Say = Callable[[str], None]


@dataclass(frozen=True)
class Table:
    """Columns of texts. With a `name` the rows are written into NAME.csv as well."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    name: str = ""


@dataclass(frozen=True)
class Plot:
    """A plot, in the file NAME.png: `draw` puts it on a new figure of matplotlib.

    `by`: integrator and tolerance or step, written above the plot.
    """

    name: str
    caption: str
    by: str
    draw: Callable[[Any], None]
    size: tuple[float, float] = (7.5, 4.0)


@dataclass(frozen=True)
class Picture:
    """A drawing of a mechanism, a topology or an assembly tree, in the file NAME.svg."""

    name: str
    caption: str
    scene: Scene


#: Texts are paragraphs; their lines may break anywhere.
Block = str | Table | Plot | Picture


@dataclass(frozen=True)
class Section:
    """What a part found: a title and, in their order, paragraphs, tables and pictures."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Part:
    """A part of a study. `run` gets whether a small size is enough, and whom to tell its steps."""

    name: str
    what: str
    run: Callable[[bool, Say], Section]


@dataclass(frozen=True)
class Study:
    """What a paper shows by numbers, repeated: `about` says what of the paper is at hand."""

    paper: str
    title: str
    about: str
    parts: tuple[Part, ...]

    def chosen(self, names: Sequence[str] = ()) -> tuple[Part, ...]:
        """The parts of these names, in the study's order; all without names.

        Raises
            UsageError: a name of no part.
        """
        known = [part.name for part in self.parts]
        for name in names:
            if name not in known:
                raise UsageError(
                    f"the study of the {self.paper} paper has no part {name!r}; "
                    f"it has: {', '.join(known)}"
                )
        return tuple(part for part in self.parts if not names or part.name in names)

    def found(
        self, names: Sequence[str] = (), *, quick: bool = False, say: Say = lambda text: None
    ) -> Iterator[Section]:
        """Run the parts, one after the other.

        Raises
            UsageError: a name of no part.

        Source
            own
        """
        for part in self.chosen(names):
            yield part.run(quick, lambda text, name=part.name: say(f"{name}: {text}"))  # type: ignore[misc]
