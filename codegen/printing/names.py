"""The names that a file's code has for numbers: constants, and places in the caller's buffers."""

from __future__ import annotations

from ..blocks import Module
from .constants import Constants
from .languages import Language
from .places import PlaceNames


class Names:
    """Both for one file; each remembers what of it was printed, which is what the file declares."""

    def __init__(self, module: Module, language: Language) -> None:
        self.places = PlaceNames(module, language.places)
        self.constants = Constants(module, taken=self.places.all)
