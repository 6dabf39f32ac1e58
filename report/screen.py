"""Sections, lines and plain tables on a console, at most 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH = 80


class Screen:
    """Prints on a console, at most 80 columns wide, and shows on a terminal what is at work."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = min(console.width, WIDTH)
        self._signs = Console(stderr=True)

    def heading(self, number: int, title: str) -> None:
        self.console.print()
        self.line(f"{number}  {title}", "bold cyan")
        self.line("─" * self.width, "dim")

    def line(self, text: str = "", style: str = "") -> None:
        self.console.print(Text(text, style), width=self.width, soft_wrap=False)

    def rows(self, rows: Sequence[Sequence[str]], heads: Sequence[str] = ()) -> None:
        """A table without lines; columns whose head ends in a bar `|` are set to the right."""
        table = Table(
            box=None, show_header=bool(heads), padding=(0, 2, 0, 0), pad_edge=False, expand=False
        )
        for position in range(len(rows[0])):
            head = heads[position] if heads else ""
            table.add_column(
                head.rstrip("|"),
                justify="right" if head.endswith("|") else "left",
                header_style="dim",
                overflow="fold",
                no_wrap=position < len(rows[0]) - 1,
            )
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        self.console.print(table, width=self.width)

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        with self._signs.status(f"{what} …"):
            yield
