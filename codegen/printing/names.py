"""The names that a file's code has for numbers: constants, and places in the caller's buffers."""

from __future__ import annotations

import struct
from fractions import Fraction

from ..blocks import Module
from .constants import Constants, literal
from .languages import Language
from .places import PlaceNames


class Names:
    """Both for one file; each remembers what of it was printed, which is what the file declares.

    `bank` has the numbers, by their text, that the language keeps in an array, in their order.
    """

    def __init__(self, module: Module, language: Language) -> None:
        self.places = PlaceNames(module, language.places)
        self.constants = Constants(module, taken=self.places.all)
        self.bank: dict[str, int] = {}
        self._language = language

    def number(self, value: Fraction) -> str:
        """A number by its name, by its place in the bank, or as it is."""
        if named := self.constants.text(value):
            return named
        text = literal(value)
        if not self._language.bank or _short(float(value)):
            return text
        place = self.bank.setdefault(text.removeprefix("-"), len(self.bank))
        return f"{'-' if value < 0 else ''}{self._language.bank}[{place}]"


def _short(number: float) -> bool:
    """Does an instruction hold it: is the second half of its bits zero?"""
    return struct.pack("<d", number)[:4] == bytes(4)
