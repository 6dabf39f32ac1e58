"""Where values stand, as text of C or NumPy: parameters, cells of arrays, tables of loops."""

from __future__ import annotations

from dataclasses import dataclass

from ...symbolic.language.program import Array, Storage
from ..blocks import Block, Cell, Index, LoweredStep, Module
from .languages import Language
from .names import Names


@dataclass(frozen=True)
class PrintedTable:
    """A constant table of a loop: one number for each iteration."""

    name: str
    integer: bool
    values: tuple[str, ...]


class PlacePrinter:
    """Prints where the values of one block stand, and collects the tables that say so."""

    def __init__(
        self, module: Module, step: LoweredStep, position: int, language: Language, names: Names
    ) -> None:
        self.module = module
        self.step = step
        self.language = language
        self.names = names
        self.block: Block = step.blocks[position]
        self.prefix = f"{step.name}_{position + 1}"
        self.tables: dict[object, PrintedTable] = {}
        self.places: dict[Index, str] = {}

    def _parameter(self, name: str) -> str:
        position = self.names.places.text("p", self.module.program.runtime.index(name))
        return self.language.buffer.format(name="p", index=self._spread(position))

    def _spread(self, index: str) -> str:
        return index + self.language.spread if self.block.span else index

    def _table(self, key: object, name: str, values: tuple[str, ...], integer: bool) -> str:
        if key not in self.tables:
            full = f"{self.prefix}_{name}"
            used = {table.name for table in self.tables.values()}
            suffix = 2
            while full in used:
                full, suffix = f"{self.prefix}_{name}_{suffix}", suffix + 1
            self.tables[key] = PrintedTable(full, integer, values)
        return self.tables[key].name

    def _cell(self, cell: Cell) -> str:
        array = self.module.array(cell.array)
        work = array.storage is Storage.WORK
        if cell.along:
            index = self._along(cell.index)
        else:
            entries = array.port.entries
            width, offset = (1, 0) if work else (len(entries), entries.index(cell.entry))
            index = self._spread(self._index(array, cell.index, width, offset))
        if work:
            return self.language.work.format(name=self.module.cell_name(cell), index=index)
        return self.language.buffer.format(name=array.owner, index=index)

    def _index(self, array: Array, index: Index, width: int, offset: int) -> str:
        """The place in an array, by its name if that is known."""
        if index.fixed and array.owner and not array.columns:
            return self.names.places.text(array.owner, index.start * width + offset)
        return self._scaled(index, width, offset)

    def _along(self, index: Index) -> str:
        """The place of the column at hand, counted from where column 0 would be."""
        if index not in self.places:
            self.places[index] = f"start{len(self.places) + 1}"
        return self.language.along.format(at=self.places[index])

    def _scaled(self, index: Index, width: int, offset: int) -> str:
        if index.table:
            values = tuple(str(x) for x in index.table)
            member = f"{self._table(index, 'member', values, integer=True)}[i]"
            scaled = member if width == 1 else f"{width} * {member}"
            return scaled if offset == 0 else f"{scaled} + {offset}"
        start, step = index.start * width + offset, index.step * width
        text = str(start)
        for factor, power in (
            (step, "i"),
            (index.curve * width, f"(i * (i - 1) {self.language.half})"),
        ):
            if factor:
                moving = power if abs(factor) == 1 else f"{abs(factor)} * {power}"
                text = f"{text} {'-' if factor < 0 else '+'} {moving}"
        return text.removeprefix("0 + ")
